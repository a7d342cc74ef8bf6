#pragma once
// Constraints embedded in the equations of motion. Unconstrained: M udot = rhs for n speeds. Constraints, m rows:
//
//     A u + b = 0,   A udot = gamma,   M udot = rhs + A^T lambda                             (signs of EquationsOfMotion)
//
// With r independent rows (kept) and a choice of r dependent speeds (independent.hpp),
//
//     u_d = D u_i + E,   D = -A_d^-1 A_i,   E = -A_d^-1 b,   udot_d = D udot_i + g,   g = A_d^-1 gamma    (eq. 5)
//
// and the constrained equations are combinations of the unconstrained ones (Gillespie, eqs. 44 and 45; Wampler):
// F~ = F_i + D^T F_d, that is C^T M C udot_i = C^T (rhs - M g) with C = (1, D). Only these p = n - r equations are
// solved. The multipliers follow from the dependent rows, A_d^T lambda = (M udot - rhs)_d: no larger system.
//
// M itself may be singular (massless parts) as long as C^T M C is not.

#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/dense.hpp"
#include "kane/solve/independent.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

enum class EmbedStatus {
  Ok,
  BlockSingular,    ///< A_d has become singular: choose again; `index` is the dependent speed
  RowsIndependent,  ///< a dropped row is no longer a combination of the kept ones: choose again; `index` is the row
  InertiaSingular,  ///< C^T M C is not positive definite; `index` is the speed without inertia
  NotFinite,
};

struct EmbedReport {
  EmbedStatus status = EmbedStatus::Ok;
  int index = -1;
  double size = 0;  ///< BlockSingular, InertiaSingular: pivot ratio; RowsIndependent: relative distance

  [[nodiscard]] bool ok() const { return status == EmbedStatus::Ok; }
};

/// Multipliers of redundant rows are not determined by the motion.
enum class Multipliers {
  Basic,        ///< redundant rows carry nothing
  MinimumNorm,  ///< the shortest vector of all that give the same generalized forces
};

class Embedding {
 public:
  /// `symmetric`: the mass matrices given later are.
  Embedding(std::size_t speeds, std::size_t max_rows, bool symmetric = true);

  /// Adopts the choice of dependent speeds and kept rows. Nothing else may be called before refresh().
  void set_choice(const IndependentSpeeds& choice);
  /// New values of A (all m rows): D and the factors of A_d.
  [[nodiscard]] EmbedReport refresh(ConstMatrixView a);

  [[nodiscard]] std::size_t speeds() const { return n_; }
  [[nodiscard]] std::span<const int> dependent() const { return dependent_; }
  [[nodiscard]] std::span<const int> independent() const { return independent_; }
  /// D, r x p: u_d = D u_i + E, in the order of dependent() and independent().
  [[nodiscard]] ConstMatrixView d() const { return d_.packed(r_, p_); }
  /// Largest |D_ij|: grows without bound as the choice of speeds deteriorates. Cheap enough to check at every
  /// evaluation.
  [[nodiscard]] double growth() const { return growth_; }
  /// Condition number (1-norm, estimated) of A_d.
  [[nodiscard]] double calc_condition() { return r_ == 0 ? 1 : block_.calc_condition(); }

  /// Sets the dependent entries of u so that A u + b = 0 (b: all m rows; empty = zero).
  void complete_speeds(std::span<const double> b, std::span<double> u);

  /// udot with M udot = rhs + A^T lambda and A udot = gamma (all m rows; empty = zero). Both triangles of M are read.
  [[nodiscard]] EmbedReport solve(ConstMatrixView m, std::span<const double> rhs, std::span<const double> gamma,
                                  std::span<double> udot);
  /// C^T M C (if M is symmetric: the upper triangle; as formed by the last solve, before factoring) and C^T (rhs - M g).
  [[nodiscard]] ConstMatrixView embedded_mass() const { return mass_.packed(p_, p_); }
  [[nodiscard]] std::span<const double> embedded_rhs() const { return {rhs_.data(), p_}; }
  /// From the last solve: the largest |A udot - gamma| over the dropped rows, relative to the sizes of its terms. Far
  /// from rounding size: the redundant constraints contradict each other.
  [[nodiscard]] double contradiction() const { return contradiction_; }

  /// lambda (m numbers) of M udot = rhs + A^T lambda.
  void calc_multipliers(ConstMatrixView m, std::span<const double> rhs, std::span<const double> udot, Multipliers kind,
                        std::span<double> lambda);

  /// Imposes the constraints at once: M (u+ - u) = A^T impulse and A u+ + b = 0; u becomes u+. The u+ nearest to u in
  /// kinetic energy: an inelastic impact, and the projection of speeds onto their constraints.
  [[nodiscard]] EmbedReport impose(ConstMatrixView m, std::span<const double> b, std::span<double> u, Multipliers kind,
                                   std::span<double> impulse);

 private:
  void load_block(ConstMatrixView a);
  [[nodiscard]] EmbedReport check_dropped_rows(ConstMatrixView a);
  void form_mass(ConstMatrixView m);
  void form_rhs(ConstMatrixView m, std::span<const double> rhs);
  [[nodiscard]] EmbedReport solve_independent();
  void calc_contradiction(std::span<const double> gamma, std::span<const double> udot);
  void shorten(std::span<double> lambda);

  std::size_t n_, max_rows_;
  std::size_t r_ = 0, p_ = 0, rows_ = 0;
  std::vector<int> dependent_, independent_, kept_rows_, redundant_rows_;
  Lu block_;      ///< A_d of the kept rows
  Lu gram_;       ///< 1 + T T^T, for the minimum norm
  Matrix a_;      ///< copy of A, m x n
  Matrix d_, x_;  ///< D and M_dd D + M_di
  Matrix t_;      ///< dropped rows = T kept rows
  Matrix mass_;
  MassFactors factors_;
  bool symmetric_;
  std::vector<double> rhs_, solution_, g_, work_, work2_, force_;
  double growth_ = 0, contradiction_ = 0;
};

}  // namespace kane

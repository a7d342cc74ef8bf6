#pragma once
// Linear complementarity problems: find z with w = M z + q,
//
//     w >= 0,  z >= 0,  w^T z = 0                              (unilateral contact: z forces, w accelerations or speeds)
//
// by Lemke's method with a lexicographic ratio test, which cannot cycle and is deterministic (Cottle, Pang, Stone, The
// Linear Complementarity Problem, sections 4.4 and 4.9). It finds a solution whenever M is a P-matrix (then it is the
// only one) or copositive-plus and the problem is feasible; ending on a ray means that there is none for such matrices,
// and that none was found for others.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "kane/solve/dense.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

enum class LcpStatus {
  Solved,
  Ray,  ///< no solution found: none exists if M is copositive-plus (contact without or with friction)
  IterationLimit,
  Inaccurate,  ///< the pivots were too ill conditioned for the residual to be small
  NotFinite,
};

struct LcpReport {
  LcpStatus status = LcpStatus::Solved;
  int pivots = 0;
  /// Largest violation of w >= 0, z >= 0 or w z = 0, relative to the sizes of the terms.
  double residual = 0;
  /// Some pair has w = z = 0, or the active block of M is singular: neighbouring solutions may exist.
  bool degenerate = false;

  [[nodiscard]] bool ok() const { return status == LcpStatus::Solved; }
};

class LemkeSolver {
 public:
  explicit LemkeSolver(std::size_t capacity);

  /// Does not allocate. `cover` (all positive; empty = all 1) is the direction from which the solution is approached:
  /// where several exist, different covers may find different ones.
  LcpReport solve(ConstMatrixView m, std::span<const double> q, std::span<double> z,
                  std::span<const double> cover = {});
  /// w = M z + q of the last solution.
  [[nodiscard]] std::span<const double> w() const { return {w_.data(), n_}; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  [[nodiscard]] double& t(std::size_t row, std::size_t column) { return tableau_[row * width_ + column]; }
  void load(ConstMatrixView m, std::span<const double> q, std::span<const double> cover);
  [[nodiscard]] std::optional<std::size_t> choose_row(std::size_t entering);
  [[nodiscard]] bool lexicographically_less(std::size_t row, std::size_t other, std::size_t column);
  void pivot(std::size_t row, std::size_t entering);
  [[nodiscard]] LcpStatus run(int& pivots);
  void read_solution(std::span<double> z);
  void polish(ConstMatrixView m, std::span<const double> q, std::span<double> z, LcpReport& report);
  void measure(ConstMatrixView m, std::span<const double> q, std::span<const double> z, LcpReport& report);

  std::size_t capacity_, n_ = 0, width_ = 0;
  double q_scale_ = 1;
  std::vector<double> tableau_;  ///< n x (n + 2): columns of the variables that are not basic, and the right-hand side
  std::vector<double> w_, trial_, sizes_;
  // Variables are numbered w, z, z0. Each has a column, or a row where it is basic.
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<std::size_t> basis_, column_of_, row_of_, active_;
  Lu block_;
};

/// All solutions of a small problem that belong to nonsingular complementary blocks, by trying all 2^n of them: to tell
/// whether a solution is the only one.
class LcpEnumerator {
 public:
  static constexpr std::size_t kLargest = 16;  ///< pairs
  static constexpr std::size_t kMost = 32;     ///< distinct solutions that are looked for

  explicit LcpEnumerator(std::size_t capacity);

  /// Returns how many distinct ones there are (kMost at most). Does not allocate.
  int find_all(ConstMatrixView m, std::span<const double> q);
  [[nodiscard]] std::span<const double> solution(std::size_t k) const { return {found_.data() + k * n_, n_}; }

 private:
  [[nodiscard]] bool solve_block(ConstMatrixView m, std::span<const double> q, unsigned mask);
  [[nodiscard]] bool is_new() const;

  std::size_t capacity_, n_ = 0, count_ = 0;
  Lu block_;
  std::vector<double> z_, x_, found_;
  std::vector<std::size_t> active_;
};

/// The problem with bounds, lower <= z <= upper (either may be infinite): w_i >= 0 where z_i = lower_i, w_i <= 0 where
/// z_i = upper_i, w_i = 0 between. Joint friction with a known limit, motors, mixtures with bilateral constraints.
class BoxedLcpSolver {
 public:
  explicit BoxedLcpSolver(std::size_t capacity);

  /// Free variables are eliminated, upper bounds become complementarity rows of their own, and Lemke's method solves
  /// the rest. Status Inaccurate also if the block of the free variables is singular.
  LcpReport solve(ConstMatrixView m, std::span<const double> q, std::span<const double> lower,
                  std::span<const double> upper, std::span<double> z);

 private:
  void form_reduced(ConstMatrixView m, std::span<const double> q, std::span<const double> lower,
                    std::span<const double> upper);

  std::size_t capacity_;
  LemkeSolver lemke_;
  Lu free_block_;
  Matrix reduced_m_, free_rows_;
  std::vector<double> reduced_q_, reduced_z_, shifted_q_;
  std::vector<std::size_t> free_, bound_, capped_;
  std::vector<double> sign_;  ///< -1 for variables bounded above only: they are counted downwards from there
};

/// The same by projected Gauss-Seidel sweeps (Dantzig's pivoting has no answer for every M; relaxation has an
/// approximate one). Bounds may follow another variable: friction_of[i] = k >= 0 gives |z_i| <= mu_i z_k. Starts from
/// the z given.
struct RelaxationReport {
  bool converged = false;
  int sweeps = 0;
  double change = 0;  ///< largest change of a z_i in the last sweep, relative to the largest z
};
RelaxationReport relax_boxed_lcp(ConstMatrixView m, std::span<const double> q, std::span<const double> lower,
                                 std::span<const double> upper, std::span<const int> friction_of,
                                 std::span<const double> mu, std::span<double> z, int max_sweeps = 200,
                                 double tolerance = 1e-10);

}  // namespace kane

#pragma once
// Contact with Coulomb friction as a complementarity problem, in the form of Stewart and Trinkle (1996) and Anitescu
// and Potra (1997): the friction cone is a pyramid with d directions in the tangent plane. It works for impulses and
// speeds as well as for forces and accelerations.
//
// Contact k has `dimension` components: the normal one, then 0, 1 or 2 tangential ones. With W = J M^-1 J^T and v0 the
// speeds (accelerations) of the contact points without contact, v = W p + v0. Unknown per contact: the normal p_n, the
// pyramid coefficients beta_1 .. beta_d (p_t = sum beta_j d_j) and the sliding speed sigma (about |v_t|):
//
//     0 <= v_n                         _|_  p_n   >= 0
//     0 <= d_j . v_t + sigma           _|_  beta_j >= 0
//     0 <= mu p_n - sum beta_j         _|_  sigma >= 0
//
// A contact that slides already (on the level of accelerations) has its friction fixed: p_t = -mu p_n s with s the
// direction of sliding; then the matrix is no longer symmetric, and there may be no solution or several (Painleve).

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/lcp.hpp"

namespace kane {

struct FrictionContact {
  double mu = 0;
  bool sliding = false;                      ///< friction opposes `direction`, whatever the accelerations
  std::array<double, 2> direction = {0, 0};  ///< unit vector of sliding in the tangent plane
};

enum class ContactMode { Separate, Stick, Slide };

enum class ContactStatus {
  Solved,
  ForcesNotUnique,  ///< the motion is determined, the forces are not (redundant supports, wedging)
  MotionNotUnique,  ///< at least two motions are possible
  NoSolution,       ///< jammed, or contradictory contacts: no finite forces satisfy them
  Inaccurate,
};

struct ContactOptions {
  int directions = 8;  ///< edges of the pyramid for two tangential components; even, at least 4
  /// Look for other solutions: all of them for up to 8 unknowns (a contact that slides or has no friction counts 1, one
  /// that may stick in the plane 4), for more by approaching from four other directions.
  bool check_unique = true;
};

struct ContactReport {
  ContactStatus status = ContactStatus::Solved;
  /// Contact forces exist that are in balance among themselves (opposed walls, wedging within the friction angle): they
  /// may be added at will.
  bool self_stress = false;
  int pivots = 0;
  double operations = 0;  ///< of all pivots, also of those that led nowhere
  double residual = 0;

  /// There is a usable solution (perhaps not the only one).
  [[nodiscard]] bool ok() const { return status != ContactStatus::NoSolution && status != ContactStatus::Inaccurate; }
};

class ContactLcpSolver {
 public:
  /// dimension: 1 (no friction), 2 (plane) or 3.
  ContactLcpSolver(std::size_t max_contacts, std::size_t dimension, ContactOptions options = {});

  /// W is (dimension c) x (dimension c), v0 and p (the result) have dimension c numbers: normal, tangents per contact.
  ContactReport solve(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionContact> contacts,
                      std::span<double> p);
  /// v = W p + v0 of the last solution.
  [[nodiscard]] std::span<const double> v() const { return {v_.data(), c_ * dimension_}; }
  [[nodiscard]] ContactMode mode(std::size_t contact) const { return modes_[contact]; }

 private:
  void number_unknowns(std::span<const FrictionContact> contacts);
  void form_directions(std::span<const FrictionContact> contacts);
  void form_problem(ConstMatrixView w, std::span<const double> v0, std::span<const FrictionContact> contacts);
  void read_forces(std::span<const double> z, std::span<double> p) const;
  void read_motion(ConstMatrixView w, std::span<const double> v0, std::span<const double> p, std::span<double> v) const;
  void classify(std::span<const FrictionContact> contacts, std::span<const double> p);
  void choose_cover(int variant);
  [[nodiscard]] LcpReport solve_somehow();
  [[nodiscard]] bool find_self_stress();
  [[nodiscard]] ContactStatus compare(ConstMatrixView w, std::span<const double> v0, std::span<const double> p);
  [[nodiscard]] ContactStatus look_for_others(ConstMatrixView w, std::span<const double> v0, std::span<const double> p);

  std::size_t max_contacts_, dimension_, c_ = 0, size_ = 0, columns_ = 0;
  ContactOptions options_;
  LemkeSolver lemke_;
  LcpEnumerator enumerator_;
  Matrix g_;   ///< forces p = G (p_n, beta ...) : (dimension c) x unknown forces
  Matrix wg_;  ///< W G
  Matrix m_, squeeze_;
  std::vector<double> q_, z_, other_z_, v_, other_p_, other_v_, cover_, squeeze_q_;
  std::vector<std::size_t> first_;  ///< first unknown force of a contact
  std::vector<std::size_t> sigma_;  ///< index of its sigma, or size_ if it has none
  std::vector<ContactMode> modes_;
};

}  // namespace kane

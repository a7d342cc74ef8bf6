#pragma once
// The complementarity problem of contacts with friction, for impulses and speeds or for forces and accelerations:
//
//     v = v0 + W p,      W = J M^-1 J^T in the set of bilateral constraints,      J: the rows that are involved
//
// solved by kane/solve/friction_lcp.hpp. The caller chooses the contacts, sets v0, and reads p and v.

#include <span>
#include <vector>

#include "kane/simulate/switching/contact_set.hpp"
#include "kane/solve/friction_lcp.hpp"

namespace kane {

/// There is a solution, perhaps not the only one.
[[nodiscard]] inline bool usable(ContactStatus status) { return ContactReport{.status = status}.ok(); }

struct ContactProblem {
  ContactProblem(ContactSet& set, SwitchingWork& work);

  std::vector<std::size_t> involved;            ///< contacts
  std::vector<std::size_t> rows;                ///< of the problem: normals, then frictions
  std::vector<std::size_t> involved_frictions;  ///< by term
  std::vector<FrictionTerm> terms;
  Matrix w;
  std::vector<double> v0, p;
  int massless = -1;  ///< a speed that no mass resists, found by prepare()

  /// Makes the system under its bilateral constraints ready to answer. False if its inertia is singular.
  [[nodiscard]] bool prepare(std::span<const double> q, std::span<const double> u);
  /// Accelerations (or jumps of speeds) that generalized forces (or impulses) cause.
  [[nodiscard]] bool respond(std::span<const double> rhs, bool with_gamma, std::span<double> out);
  void collect_rows();
  void add_friction_terms(std::span<const double> u, bool impact);
  /// W, and the answers to each row.
  [[nodiscard]] bool form_response();
  void apply_impulses(std::span<double> u, std::span<const double> impulses) const;
  [[nodiscard]] ContactStatus solve(std::span<double> impulses, bool check_unique = false);
  /// v of the last solution.
  [[nodiscard]] std::span<const double> speeds() const { return lcp_.v(); }
  /// Something bilateral holds.
  [[nodiscard]] bool constrained() const { return base_constrained_; }

 private:
  ContactSet& set_;
  SwitchingWork& work_;
  FrictionLcp lcp_;
  Matrix response_;  ///< M^-1 row^T of each row
  MassFactors factors_;
  std::vector<double> zeros_;
  bool base_constrained_ = false;
};

}  // namespace kane

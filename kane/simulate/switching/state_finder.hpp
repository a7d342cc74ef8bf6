#pragma once
// Finds the states of contacts and frictions at an instant, by complementarity of forces and accelerations.

#include <span>
#include <vector>

#include "kane/simulate/switching/contact_problem.hpp"
#include "kane/simulate/switching/contact_set.hpp"
#include "kane/simulate/switching/smooth_motion.hpp"

namespace kane {

class StateFinder {
 public:
  StateFinder(ContactSet& set, ContactProblem& problem, const SmoothMotion& smooth);

  /// Forces and accelerations of everything that touches and does not part, after ContactProblem::prepare().
  [[nodiscard]] ContactStatus solve_accelerations(std::span<const double> u, bool check_unique);
  /// Then: once more with the frictions that leave their cones sliding.
  [[nodiscard]] ContactStatus let_go();
  /// Then: takes the states from the solution.
  void take_states();
  /// Whether the present states are possible with other forces than those of least norm (redundant supports).
  [[nodiscard]] bool feasible(std::span<const double> q, std::span<const double> u);
  /// Accelerations without contact forces, of the last solve_accelerations().
  [[nodiscard]] std::span<const double> udot_free() const { return udot_free_; }

 private:
  [[nodiscard]] double rest_threshold(std::size_t contact, std::span<const double> u) const;
  [[nodiscard]] double acceleration_tolerance() const;
  [[nodiscard]] bool keeps_states() const;

  ContactSet& set_;
  ContactProblem& problem_;
  const SmoothMotion& smooth_;
  std::vector<double> force_, udot_free_;
};

}  // namespace kane

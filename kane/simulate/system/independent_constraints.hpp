#pragma once
// The constraints that are independent where a mechanism is closed. Rows that repeat others only there (Bricard's ring, a
// third parallel crank, a planar loop closed by a spatial joint) contradict them everywhere nearby: with all rows, Newton's
// method in coordinates and multipliers has a singular matrix at the solution and a nearly singular one on the way to it.
// A largest independent set has a regular matrix and, where the rank does not change, the same solutions nearby (constant
// rank theorem).

#include <span>
#include <vector>

#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/solve/independent.hpp"

namespace kane {

struct IndependentConstraints {
  std::vector<bool> configuration;  ///< by constraint: phi is one of the equations
  std::vector<bool> motion;         ///< by constraint: A u + b is, and the multiplier is an unknown
  std::vector<bool> dependent;      ///< by speed: found from the others, those first that the model calls dependent
  int redundant = 0;                ///< active rows of A that repeat others
  bool operator==(const IndependentConstraints&) const = default;
};

class IndependentConstraintFinder {
 public:
  explicit IndependentConstraintFinder(SystemEvaluator& evaluator);

  /// All active ones, with the dependent speeds of this state.
  [[nodiscard]] IndependentConstraints all(std::span<const double> q, std::span<const double> u);
  /// Moves q to where phi = 0 and quaternions have length one; scale 0 holds a coordinate. False if it leads nowhere.
  [[nodiscard]] bool close(std::span<double> q, std::span<const double> scale);
  /// At a closed configuration.
  [[nodiscard]] IndependentConstraints choose(std::span<const double> q, std::span<const double> u);

 private:
  SystemEvaluator& evaluator_;
  ConstraintProjector projector_;
  IndependentSpeeds configuration_, motion_;
};

}  // namespace kane

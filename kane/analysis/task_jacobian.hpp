#pragma once
// Jacobians of points and bodies of a model at a state, and the inertia felt there (operational_space.hpp).
//
//     JacobianReport at = find_jacobian(model, {}, {.points = {"tip"}});

#include "kane/analysis/operating_point.hpp"
#include "kane/analysis/operational_space.hpp"

namespace kane {

/// The points and bodies whose velocities are wanted.
struct JacobianOptions {
  std::vector<std::string> points{};  ///< for their velocities
  std::vector<std::string> bodies{};  ///< for their angular velocities
};

/// Jacobians at the state.
struct JacobianReport : TaskReport {
  PointSummary summary;  ///< summary of the state
};

/// Assembles the state, then evaluates it. Throws ModelError for unknown or missing names, and if M cannot be inverted.
[[nodiscard]] JacobianReport find_jacobian(const Model& model, const StartState& state, const JacobianOptions& options);

}  // namespace kane

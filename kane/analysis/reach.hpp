#pragma once
// Inverse kinematics of a model (inverse_kinematics.hpp), within the limits of its joints.
//
//     ReachReport at = find_reach(model, {}, {.positions = {{"tip", {0.8, 0.5, {}}}}});

#include "kane/analysis/inverse_kinematics.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// Limits of a coordinate; a missing one is no limit.
struct CoordinateLimit {
  std::string coordinate;       ///< its name
  std::optional<double> lower;  ///< rad or m
  std::optional<double> upper;  ///< rad or m
};

/// Targets, and how they are reached.
struct ReachOptions {
  std::vector<PositionTarget> positions{};        ///< of points
  std::vector<OrientationTarget> orientations{};  ///< of bodies
  bool joint_limits = true;                       ///< respect the limits of the joints
  std::vector<CoordinateLimit> limits{};          ///< they override those of the joints
  std::vector<std::string> held{};                ///< coordinates that keep the value they have at the start
  double length = 1;                              ///< m: length equivalent to one radian
  int starts = 40;                                ///< others to try
  bool all = false;                               ///< look from all starts, for all solutions

  /// Throws ModelError for numbers that make no sense.
  void check() const;
};

/// Configurations that reach the targets.
struct ReachReport : KinematicReport {
  PointSummary summary;       ///< of the start
  bool positions = false;     ///< there were targets of points
  bool orientations = false;  ///< there were targets of bodies
  /// If nothing reaches: a sentence that says by how much.
  [[nodiscard]] std::string message() const;
};

/// Throws ModelError for unknown names, and if there is no target.
[[nodiscard]] ReachReport find_reach(const Model& model, const StartState& start, const ReachOptions& options);

}  // namespace kane

#pragma once
// Inverse kinematics of a model (inverse_kinematics.hpp), within the limits of its joints.
//
//     ReachReport at = find_reach(model, {}, {.positions = {{"tip", {0.8, 0.5, {}}}}});

#include "kane/analysis/inverse_kinematics.hpp"
#include "kane/analysis/operating_point.hpp"

namespace kane {

/// Limits of a coordinate; either may be absent.
struct CoordinateLimit {
  std::string coordinate;       ///< name of the coordinate
  std::optional<double> lower;  ///< rad or m
  std::optional<double> upper;  ///< rad or m
};

/// The targets, and options of the search.
struct ReachOptions {
  std::vector<PositionTarget> positions{};        ///< targets of points
  std::vector<OrientationTarget> orientations{};  ///< targets of bodies
  bool joint_limits = true;                       ///< respect the limits of the joints
  std::vector<CoordinateLimit> limits{};          ///< override those of the joints
  std::vector<std::string> held{};                ///< coordinates that keep their start values
  double length = 1;                              ///< m: length equivalent to one radian
  int starts = 40;                                ///< number of additional starts
  bool all = false;                               ///< search from all starts, for all solutions
  /// Called before each additional start. What it throws ends the search.
  std::function<void()> on_start{};

  /// Throws ModelError for values that make no sense.
  void check() const;
};

/// Configurations that reach the targets.
struct ReachReport : KinematicReport {
  PointSummary summary;       ///< summary of the start
  bool positions = false;     ///< whether points had targets
  bool orientations = false;  ///< whether bodies had targets
  /// A sentence if no target is reached, saying by how much it is missed.
  [[nodiscard]] std::string message() const;
};

/// Searches for configurations that reach the targets. Throws ModelError for unknown names, and if there is no target.
[[nodiscard]] ReachReport find_reach(const Model& model, const StartState& start, const ReachOptions& options);

}  // namespace kane

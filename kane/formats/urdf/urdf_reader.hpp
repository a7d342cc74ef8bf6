#pragma once
// Reads URDF (the robot description of ROS) into a Mechanism, using urdfdom. docs/urdf.md describes the translation.

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/urdf/urdf_file.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct UrdfOptions {
  /// The root link moves freely; otherwise it is fixed to the ground. The format itself cannot express this.
  bool floating_base = false;
  /// Links behind fixed joints become part of the link they are fixed to (and frames with their names); otherwise they stay
  /// separate bodies, welded to it.
  bool merge_fixed = true;
  /// An input tau_<joint> (zero by default) drives each joint that moves independently.
  bool actuators = true;
  /// Mimic joints become coordinates with a constraint; otherwise they are free like any other joint.
  bool mimic = true;
  /// Shapes for display and contact.
  bool geometry = true;
  /// Downwards along N.z, in m/s^2; the value of the parameter g.
  double gravity = 9.81;
  /// Angles this close to a multiple of a right angle are rounded to it: files write 1.57079632679 for pi/2. In radians.
  double snap_angle = 1e-10;
  UrdfLimits limits = {};
  /// Inertias that no body can have (a negative principal moment, or one that exceeds the sum of the others) are replaced by
  /// the nearest possible ones, with a note; otherwise negative moments are refused unless they are rounding errors.
  bool repair_inertia = false;
};

/// Reads and checks a file. Throws ModelError with file, line and column; Mechanism::notes lists the parts that were left out.
[[nodiscard]] Mechanism read_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});
[[nodiscard]] Mechanism read_urdf_text(std::string_view text, const std::string& file_name = "robot.urdf",
                                       const UrdfOptions& options = {});

}  // namespace kane

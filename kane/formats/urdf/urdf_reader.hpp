#pragma once
// URDF (the robot description of ROS) to a Mechanism, by way of urdfdom. docs/urdf.md says what becomes of each element.

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/urdf/urdf_file.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct UrdfOptions {
  /// The root link moves freely; otherwise it is fixed to the ground. The format itself cannot say which.
  bool floating_base = false;
  /// Links behind fixed joints become part of the link they are fixed to (and frames of their name); otherwise they stay
  /// bodies of their own, welded.
  bool merge_fixed = true;
  /// An input tau_<joint> (zero unless told otherwise) drives each joint that moves on its own.
  bool actuators = true;
  /// Mimic joints become coordinates with a constraint; otherwise they are free like any other.
  bool mimic = true;
  /// Shapes for display and contact.
  bool geometry = true;
  /// Downwards along N.z, in m/s^2; the value of the parameter g.
  double gravity = 9.81;
  /// Angles this near to a multiple of a right angle mean it: files write 1.57079632679 for pi/2. In radians.
  double snap_angle = 1e-10;
  UrdfLimits limits = {};
};

/// Reads and checks a file. Throws ModelError with file, line and column; Mechanism::notes says what was left out.
[[nodiscard]] Mechanism read_urdf(const std::filesystem::path& file, const UrdfOptions& options = {});
[[nodiscard]] Mechanism read_urdf_text(std::string_view text, const std::string& file_name = "robot.urdf",
                                       const UrdfOptions& options = {});

}  // namespace kane

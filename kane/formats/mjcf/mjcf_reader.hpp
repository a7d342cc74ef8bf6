#pragma once
// Reads MJCF (the robot description of MuJoCo) into a Mechanism. docs/mjcf.md describes the translation.

#include <filesystem>
#include <string>
#include <string_view>

#include "kane/formats/mjcf/mjcf_tree.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct MjcfOptions {
  /// Reads the rest of a file with elements that Kane cannot represent, and lists them in Mechanism::notes.
  bool lenient = false;
  /// Name or number of the keyframe that gives the initial values; "" = the pose in which the file describes the robot.
  std::string keyframe{};
  /// Shapes for display and contact.
  bool geometry = true;
  /// Shapes touch each other as the file says (they need `geometry`); otherwise they pass through each other.
  bool contacts = false;
  /// Joints whose starting value is beyond their range start a hundredth of the range inside it: limits are rigid here, and
  /// the pose that a file describes often violates them. False: the caller drops the limits of joints, and those of tendons and
  /// ball joints, which are no part of a joint here, are not read.
  bool within_ranges = true;
  /// Inputs and forces of the actuators.
  bool actuators = true;
  MjcfLimits limits = {};
};

/// Reads and checks a file. Throws ModelError with file, line and column; Mechanism::notes lists what was left out.
[[nodiscard]] Mechanism read_mjcf(const std::filesystem::path& file, const MjcfOptions& options = {});
/// The same for a text, which cannot include files and has no mesh files.
[[nodiscard]] Mechanism read_mjcf_text(std::string_view text, const std::string& file_name = "model.xml",
                                       const MjcfOptions& options = {});

}  // namespace kane

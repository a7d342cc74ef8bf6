#pragma once
// Joints, written out or given by a Denavit-Hartenberg table.
//
// They are read in two steps, because every scalar may use every coordinate: declare_joints() splits the joints into motions
// and declares the names of their coordinates and speeds, read_joints() reads the rest.

#include <vector>

#include "kane/formats/yaml/model_context.hpp"

namespace kane {

/// A joint between the two steps.
struct PendingJoint {
  Joint joint;
  const YamlEntry* entry = nullptr;  ///< in the section `joints`; null for a row of an arm
  const YamlNode* row = nullptr;     ///< row of an arm
  const YamlEntry* arm = nullptr;    ///< the arm
  bool first_row = false;
  std::vector<std::string> names;  ///< the (first) coordinate of each motion, locked or not
  std::vector<std::pair<std::string, Expr>> locked_parameters;  ///< Euler parameters of a locked ball
  std::string owner;                                            ///< for messages: "the joint 'elbow'"
};

class JointReader {
 public:
  explicit JointReader(ModelContext& context) : context_(context) {}

  void declare_joints(const ModelDocument& document);
  /// The joints read so far, for naming their speeds.
  [[nodiscard]] std::vector<Joint*> joints();
  void read_joints();

 private:
  void declare_joint(const YamlEntry& entry, const ModelDocument& document);
  void declare_arm(const YamlEntry& entry, const ModelDocument& document);
  void declare_row(const YamlEntry& arm, const Group& group, const YamlNode& row, int number,
                   const ModelDocument& document);
  void open_motions(const Group& group, PendingJoint& pending);
  void open_sequences(const Group& group, PendingJoint& pending, std::vector<std::string>& coordinates,
                      std::vector<std::string>& speeds);
  void open_motion_list(const YamlNode& list, PendingJoint& pending, std::vector<std::string>& coordinates,
                        std::vector<std::string>& speeds);
  void hold_motion(const Group& own, ElementaryMotion& motion, const std::vector<std::string>& coordinates,
                   const std::vector<std::string>& speeds);
  void lock_motions(const Group& group, PendingJoint& pending, const ModelDocument& document);
  void lock_motion(PendingJoint& pending, std::size_t motion, const Expr& value, const YamlPlace& place);
  void lock_by_values(const Group& group, PendingJoint& pending, std::string_view key);
  void lock_at_initial_value(PendingJoint& pending, std::size_t motion, const ModelDocument& document,
                             const YamlPlace& place);
  void declare_names(PendingJoint& pending);

  void read_joint(PendingJoint& pending);
  void read_axes(const Group& group, PendingJoint& pending);
  void read_sequence_values(const Group& group, PendingJoint& pending);
  void read_motion_list(const Group& group, PendingJoint& pending);
  void read_row(PendingJoint& pending);
  void read_laws(const Group& group, PendingJoint& pending);

  ModelContext& context_;
  std::vector<PendingJoint> pending_;
};

/// Index of the motion given by the name of a coordinate or by a number counted from 1.
[[nodiscard]] std::size_t find_motion(const PendingJoint& pending, std::string_view text, const YamlPlace& place);
/// The motion that a single value belongs to; throws if there are several.
[[nodiscard]] std::size_t only_motion(const PendingJoint& pending, std::string_view key, const YamlPlace& place);

[[nodiscard]] constexpr bool is_turning(MotionKind kind) { return kind != MotionKind::Translation; }
[[nodiscard]] constexpr Measure coordinate_measure(MotionKind kind) {
  return is_turning(kind) ? measure::kAngle : measure::kLength;
}

/// Reads the value of an axis law into `law`; `kind` distinguishes forces from torques.
void read_axis_law(const ModelContext& context, const YamlNode& node, std::string_view key, MotionKind kind,
                   AxisLaw& law, const std::string& owner);

}  // namespace kane

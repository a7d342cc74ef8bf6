#pragma once
// Free and constrained axes of every joint at a state, with the forces of the constrained axes (Stoneking's table),
// and the reaction of each joint.

#include <optional>
#include <string>
#include <vector>

#include "kane/analysis/evaluation.hpp"
#include "kane/mechanism/dof_table.hpp"
#include "kane/mechanism/report.hpp"

namespace kane {

/// The joints to report, and how their reactions are written.
struct JointForcesOptions {
  std::string joint{};  ///< only this joint; empty: all
  ReactionView view{};  ///< frame and point of the reactions
};

/// One of the six axes of a joint.
struct JointAxisForce {
  std::string axis;   ///< "Rot1" ... "Trn3"
  bool free = false;  ///< free, or constrained
  /// For a free axis: indices among those of the model.
  std::optional<std::size_t> speed, coordinate;  ///< for a free axis: indices among those of the model
  std::optional<std::size_t> constraint;         ///< for a constrained axis: its number in the table
  /// Empty if there is none.
  std::string speed_name, coordinate_name;  ///< empty if there is none
  double force = 0;                         ///< force or torque of a constrained axis, from the parent on the child
};

/// One joint.
struct JointForces {
  std::string joint;                   ///< name of the joint
  std::string type;                    ///< kind of joint
  std::string parent;                  ///< parent body, or the ground
  std::string child;                   ///< child body
  bool closing = false;                ///< closes a loop, and has no axes in the table
  std::string rotation_sequence;       ///< such as "213"
  std::string translation_sequence;    ///< such as "123"
  std::vector<JointAxisForce> axes;    ///< three rotations, three translations
  std::string fourth_euler_parameter;  ///< name of the fourth Euler parameter of a spherical joint
  ReactionValue reaction;              ///< reaction from the parent on the child
};

/// All joints at one state.
struct JointForcesReport {
  std::string model;                          ///< name of the model
  double t = 0;                               ///< time, s
  int degrees_of_freedom = 0;                 ///< degrees of freedom of the model
  std::vector<JointForces> joints;            ///< in order
  std::vector<NamedValue> constraint_forces;  ///< forces of all constrained axes, in the order of the table
  std::vector<NamedValue> multipliers;        ///< multipliers of the active constraints
  AssemblyReport assembly;                    ///< values moved to satisfy the constraints
  std::vector<std::string> warnings;          ///< warnings for the user
  std::string failure;                        ///< why the motion could not be found
};

/// Evaluates many states of one model.
class JointForcesEvaluator {
 public:
  /// Throws ModelError for an unknown joint, frame or point.
  JointForcesEvaluator(const Model& model, JointForcesOptions options = {});

  /// Calculates the forces at a state.
  [[nodiscard]] JointForcesReport calc(const StartState& state);

 private:
  [[nodiscard]] JointForces describe(const Joint& joint, const DofEntry* entry, const Evaluation& at) const;

  Model model_;
  JointForcesOptions options_;
  DofTable table_;
  std::size_t first_force_ = 0;  ///< index of the table's first force among the auxiliary forces
  std::optional<Evaluator> evaluator_;
};

}  // namespace kane

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

/// Which joints, and how reactions are written.
struct JointForcesOptions {
  std::string joint{};  ///< only this one; empty: all
  ReactionView view{};  ///< frame and point of the reactions
};

/// One of the six axes of a joint.
struct JointAxisForce {
  std::string axis;   ///< "Rot1" ... "Trn3"
  bool free = false;  ///< or constrained
  /// For a free axis: indices into those of the model.
  std::optional<std::size_t> speed, coordinate;  ///< of a free axis: places among those of the model
  std::optional<std::size_t> constraint;         ///< of a constrained one: number in the table
  /// Empty if there is none.
  std::string speed_name, coordinate_name;  ///< empty if there is none
  double force = 0;                         ///< or torque, of a constrained axis: from the parent on the child
};

/// One joint.
struct JointForces {
  std::string joint;                   ///< its name
  std::string type;                    ///< its kind
  std::string parent;                  ///< body or ground
  std::string child;                   ///< body
  bool closing = false;                ///< closes a loop: has no axes in the table
  std::string rotation_sequence;       ///< such as "213"
  std::string translation_sequence;    ///< such as "123"
  std::vector<JointAxisForce> axes;    ///< three rotations, three translations
  std::string fourth_euler_parameter;  ///< of a spherical joint
  ReactionValue reaction;              ///< from the parent on the child
};

/// All joints at one state.
struct JointForcesReport {
  std::string model;                          ///< its name
  double t = 0;                               ///< s
  int degrees_of_freedom = 0;                 ///< of the model
  std::vector<JointForces> joints;            ///< in order
  std::vector<NamedValue> constraint_forces;  ///< of all constrained axes, in the order of the table
  std::vector<NamedValue> multipliers;        ///< of the active constraints
  AssemblyReport assembly;                    ///< which values had to move to satisfy the constraints
  std::vector<std::string> warnings;          ///< for the user
  std::string failure;                        ///< why the motion could not be found
};

/// Evaluates many states of one model.
class JointForcesEvaluator {
 public:
  /// Throws ModelError for an unknown joint, frame or point.
  JointForcesEvaluator(const Model& model, JointForcesOptions options = {});

  /// At a state.
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

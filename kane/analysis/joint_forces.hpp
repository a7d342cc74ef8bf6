#pragma once
// Free and constrained axes of every joint at a state, with the forces that the constrained ones bear (Stoneking's table),
// and the reaction of each joint.

#include <optional>
#include <string>
#include <vector>

#include "kane/analysis/evaluation.hpp"
#include "kane/mechanism/dof_table.hpp"
#include "kane/mechanism/report.hpp"

namespace kane {

struct JointForcesOptions {
  std::string joint{};  ///< only this one; empty: all
  ReactionView view{};  ///< frame and point of the reactions
};

struct JointAxisForce {
  std::string axis;  ///< "Rot1" ... "Trn3"
  bool free = false;
  std::optional<std::size_t> speed, coordinate;  ///< of a free axis: places among those of the model
  std::optional<std::size_t> constraint;         ///< of a constrained one: number in the table
  std::string speed_name, coordinate_name;       ///< empty if there is none
  double force = 0;                              ///< or torque, of a constrained axis: from the parent on the child
};

struct JointForces {
  std::string joint, type, parent, child;
  bool closing = false;  ///< closes a loop: has no axes in the table
  std::string rotation_sequence, translation_sequence;
  std::vector<JointAxisForce> axes;
  std::string fourth_euler_parameter;  ///< of a spherical joint
  ReactionValue reaction;
};

struct JointForcesReport {
  std::string model;
  double t = 0;
  int degrees_of_freedom = 0;
  std::vector<JointForces> joints;
  std::vector<NamedValue> constraint_forces;  ///< of all constrained axes, in the order of the table
  std::vector<NamedValue> multipliers;        ///< of the active constraints
  std::vector<std::string> warnings;
  std::string failure;  ///< why the motion could not be found
};

/// Evaluates many states of one model.
class JointForcesEvaluator {
 public:
  /// Throws ModelError for an unknown joint, frame or point.
  JointForcesEvaluator(const Model& model, JointForcesOptions options = {});

  [[nodiscard]] JointForcesReport calc(const StartState& state);

 private:
  [[nodiscard]] JointForces describe(const Joint& joint, const DofEntry* entry, const Evaluation& at) const;

  Model model_;
  JointForcesOptions options_;
  DofTable table_;
  std::size_t first_force_ = 0;  ///< of the table's forces among the auxiliary ones
  std::optional<Evaluator> evaluator_;
};

}  // namespace kane

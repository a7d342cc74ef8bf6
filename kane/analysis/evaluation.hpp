#pragma once
// Everything Kane knows about a model at one state: rates, accelerations, mass matrix, constraints, energies, points,
// bodies, reactions, outputs.
//
//     Evaluation at = evaluate(model, {.q = {{"q1", 0.3}}});
//     at.udot[0], at.outputs[0].value ...

#include <optional>
#include <string>
#include <vector>

#include "kane/analysis/situation.hpp"
#include "kane/base/vec3.hpp"
#include "kane/expr/count.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/switching/contact_forces.hpp"

namespace kane {

/// A number with a name.
struct NamedValue {
  std::string name;  ///< of the number
  double value = 0;  ///< SI
};

/// Motion of a point, components in the inertial frame.
struct PointValue {
  std::string name;   ///< of the point
  Vec3 position;      ///< from the origin
  Vec3 velocity;      ///< in the inertial frame
  Vec3 acceleration;  ///< in the inertial frame
};

/// Motion of a body or frame; columns of the rotation matrix are the body's axes in the inertial frame.
struct BodyValue {
  std::string name;           ///< of the body or frame
  Mat3 rotation;              ///< body components to inertial ones
  Vec3 angular_velocity;      ///< in the inertial frame
  Vec3 angular_acceleration;  ///< in the inertial frame
};

/// Force and torque that a joint transmits to its child, components along the axes of `frame`, torque about `point`.
struct ReactionValue {
  std::string name;   ///< of the joint
  std::string frame;  ///< along whose axes the components are
  std::string point;  ///< where the force acts
  Vec3 force;         ///< on the child
  Vec3 torque;        ///< on the child, about the point
};

/// One active constraint.
struct ConstraintValue {
  std::string name;       ///< of the row
  double multiplier = 0;  ///< force or torque
  double residual = 0;    ///< of A u + b; combined with phi for a configuration constraint
};

/// Operations of a compiled kernel, without those that depend on parameters only.
struct KernelCount {
  std::string kernel;                        ///< its name
  std::optional<OperationCount> operations;  ///< none: the formulation has no such kernel
};

/// A model at one state.
struct Evaluation {
  std::string model;                     ///< its name
  std::string formulation;               ///< of its equations
  double t = 0;                          ///< s
  std::vector<std::string> coordinates;  ///< names of q
  std::vector<std::string> speeds;       ///< names of u
  std::vector<double> q;                 ///< coordinates
  std::vector<double> u;                 ///< speeds
  std::vector<double> qdot;              ///< rates of the coordinates
  Matrix mass;                           ///< of M u' = rhs, all speeds, before constraints; empty if it was not formed
  std::vector<double> rhs;               ///< empty together with `mass`
  /// With the active constraints, contacts and friction enforced, as a run that starts here would have it.
  std::vector<double> udot;
  /// Generalized active forces F_r of gravity and all loads.
  std::vector<double> active_forces;
  /// Generalized inertia forces F*_r at u'. Without constraints and contacts F_r + F*_r = 0; with them
  /// F_r + F*_r + sum A_kr lambda_k = 0.
  std::vector<double> inertia_forces;
  std::vector<std::string> independent_speeds;  ///< names
  Matrix embedded_mass;                         ///< in the independent speeds
  std::vector<double> embedded_rhs;             ///< in the independent speeds
  /// The active ones; closed contacts and friction that holds are among them.
  std::vector<ConstraintValue> constraints;
  Matrix constraint_jacobian;                ///< a row for each of them
  std::optional<double> kinetic;             ///< energy
  std::optional<double> potential;           ///< energy, if all loads have a known one
  std::optional<Vec3> linear_momentum;       ///< in the inertial frame
  std::optional<Vec3> angular_momentum;      ///< about the origin
  std::vector<PointValue> points;            ///< all that are reported
  std::vector<BodyValue> bodies;             ///< all that are reported
  std::vector<ReactionValue> reactions;      ///< one for each joint
  std::vector<NamedValue> auxiliary_forces;  ///< found by auxiliary speeds
  std::vector<NamedValue> outputs;           ///< of the model
  /// Contacts and frictions of the model, and shapes where they touch.
  std::vector<ContactForce> contacts;
  std::vector<KernelCount> operations;  ///< one for each kernel
  AssemblyReport assembly;            ///< which values had to move to satisfy the constraints, as at the start of a run
  std::vector<std::string> warnings;  ///< for the user
  std::string failure;                ///< why the motion could not be found; nothing after qdot is filled in then
};

/// A warning about contacts of which it is not known where their forces act, so that reactions lack them; "" if there are
/// none. `touching`: names of those that count; null: all.
[[nodiscard]] std::string describe_unlocated(const EquationsOfMotion& equations,
                                             const std::vector<ContactForce>* touching = nullptr);

/// Evaluates many states of one model. Closed loops are assembled. Where the model has contacts or friction, their states at each state are found as at
/// the start of a run.
class Evaluator {
 public:
  /// The inputs that states will name must be driven by the caller (Model::driving).
  explicit Evaluator(Model model);

  /// The model that is evaluated.
  [[nodiscard]] const Model& model() const { return model_; }
  /// At a state, assembled as a run would be. Throws ModelError if that is impossible.
  [[nodiscard]] Evaluation calc(const StartState& state);

 private:
  void assemble_state(Evaluation& a);
  [[nodiscard]] std::span<const double> calc_plain(Evaluation& a);
  [[nodiscard]] std::span<const double> calc_switched(Evaluation& a);
  [[nodiscard]] SystemEvaluator& evaluator() { return switched_ ? switched_->evaluator() : *plain_; }
  void fill_constraints(Evaluation& a);
  void fill_forces(Evaluation& a);
  void fill_reports(Evaluation& a, std::span<const double> reports) const;

  Model model_;
  std::unique_ptr<SystemEvaluator> plain_;     ///< of a model without contacts, friction and events ...
  std::unique_ptr<MotionSimulator> switched_;  ///< ... and of one with them
  std::unique_ptr<KernelRunner> active_;       ///< generalized active forces
  Start start_;
  std::vector<double> lambda_;
};

/// Evaluates a model at one state.
[[nodiscard]] Evaluation evaluate(const Model& model, const StartState& state = {});

}  // namespace kane

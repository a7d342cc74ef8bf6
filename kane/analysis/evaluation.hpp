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
  std::string name;  ///< name of the number
  double value = 0;  ///< in SI units
};

/// Motion of a point, components in the inertial frame.
struct PointValue {
  std::string name;   ///< name of the point
  Vec3 position;      ///< from the origin
  Vec3 velocity;      ///< in the inertial frame
  Vec3 acceleration;  ///< in the inertial frame
};

/// Motion of a body or frame; columns of the rotation matrix are the body's axes in the inertial frame.
struct BodyValue {
  std::string name;           ///< name of the body or frame
  Mat3 rotation;              ///< maps body components to inertial ones
  Vec3 angular_velocity;      ///< in the inertial frame
  Vec3 angular_acceleration;  ///< in the inertial frame
};

/// Force and torque that a joint transmits to its child, components along the axes of `frame`, torque about `point`.
struct ReactionValue {
  std::string name;   ///< name of the joint
  std::string frame;  ///< frame of the components
  std::string point;  ///< where the force acts
  Vec3 force;         ///< on the child
  Vec3 torque;        ///< on the child, about the point
};

/// One active constraint.
struct ConstraintValue {
  std::string name;       ///< name of the row
  double multiplier = 0;  ///< force or torque
  double residual = 0;    ///< residual of A u + b, combined with phi for a configuration constraint
};

/// Operations of a compiled kernel, without those that depend on parameters only.
struct KernelCount {
  std::string kernel;                        ///< name of the kernel
  std::optional<OperationCount> operations;  ///< none: the formulation has no such kernel
};

/// A model at one state.
struct Evaluation {
  std::string model;                     ///< name of the model
  std::string formulation;               ///< formulation of its equations
  double t = 0;                          ///< time, s
  std::vector<std::string> coordinates;  ///< names of q
  std::vector<std::string> speeds;       ///< names of u
  std::vector<double> q;                 ///< coordinates
  std::vector<double> u;                 ///< speeds
  std::vector<double> qdot;              ///< rates of the coordinates
  Matrix mass;              ///< M of M u' = rhs, all speeds, before constraints; empty if it was not formed
  std::vector<double> rhs;  ///< empty together with `mass`
  /// u' with the active constraints, contacts and friction enforced, as in a run that starts here.
  std::vector<double> udot;
  /// Generalized active forces F_r of gravity and all loads.
  std::vector<double> active_forces;
  /// Generalized inertia forces F*_r at u'. Without constraints and contacts F_r + F*_r = 0; with them
  /// F_r + F*_r + sum A_kr lambda_k = 0.
  std::vector<double> inertia_forces;
  std::vector<std::string> independent_speeds;  ///< names of the independent speeds
  Matrix embedded_mass;                         ///< mass matrix in the independent speeds
  std::vector<double> embedded_rhs;             ///< right-hand side in the independent speeds
  /// Active constraints, including closed contacts and friction that sticks.
  std::vector<ConstraintValue> constraints;
  Matrix constraint_jacobian;                ///< one row per active constraint
  std::optional<double> kinetic;             ///< kinetic energy
  std::optional<double> potential;           ///< potential energy, if that of all loads is known
  std::optional<Vec3> linear_momentum;       ///< in the inertial frame
  std::optional<Vec3> angular_momentum;      ///< about the origin
  std::vector<PointValue> points;            ///< all reported points
  std::vector<BodyValue> bodies;             ///< all reported bodies and frames
  std::vector<ReactionValue> reactions;      ///< one per joint
  std::vector<NamedValue> auxiliary_forces;  ///< forces found by auxiliary speeds
  std::vector<NamedValue> outputs;           ///< outputs of the model
  /// Contacts and frictions of the model, and shapes where they touch.
  std::vector<ContactForce> contacts;
  std::vector<KernelCount> operations;  ///< one per kernel
  AssemblyReport assembly;              ///< values moved to satisfy the constraints, as at the start of a run
  std::vector<std::string> warnings;    ///< warnings for the user
  std::string failure;                  ///< why the motion could not be found; members after qdot are then empty
};

/// A warning about contacts whose points of action are unknown, so that reactions lack their forces; "" if there are none.
/// `touching`: the contacts to consider; null: all.
[[nodiscard]] std::string describe_unlocated(const EquationsOfMotion& equations,
                                             const std::vector<ContactForce>* touching = nullptr);

/// Evaluates many states of one model. Closed loops are assembled; contacts and friction are resolved as at the start of a
/// run.
class Evaluator {
 public:
  /// Inputs named in the states must be driven by the caller (Model::driving).
  explicit Evaluator(Model model);

  /// The model that is evaluated.
  [[nodiscard]] const Model& model() const { return model_; }
  /// Evaluates a state, assembled as at the start of a run. Throws ModelError if that is impossible.
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
  std::unique_ptr<SystemEvaluator> plain_;     ///< for a model without contacts, friction and events ...
  std::unique_ptr<MotionSimulator> switched_;  ///< ... and for one with them
  std::unique_ptr<KernelRunner> active_;       ///< generalized active forces
  Start start_;
  std::vector<double> lambda_;
};

/// Evaluates a model at one state.
[[nodiscard]] Evaluation evaluate(const Model& model, const StartState& state = {});

}  // namespace kane

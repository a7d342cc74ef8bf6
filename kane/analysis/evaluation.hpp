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
#include "kane/contact/vec3.hpp"
#include "kane/expr/count.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"

namespace kane {

struct NamedValue {
  std::string name;
  double value = 0;
};

/// Motion of a point, components in the inertial frame.
struct PointValue {
  std::string name;
  Vec3 position, velocity, acceleration;
};

/// Motion of a body or frame; columns of the rotation matrix are the body's axes in the inertial frame.
struct BodyValue {
  std::string name;
  Mat3 rotation;
  Vec3 angular_velocity, angular_acceleration;
};

/// What a joint transmits to its child, components along the axes of `frame`, torque about `point`.
struct ReactionValue {
  std::string name, frame, point;
  Vec3 force, torque;
};

/// One active constraint.
struct ConstraintValue {
  std::string name;
  double multiplier = 0;
  double residual = 0;  ///< of A u + b; combined with phi for a configuration constraint
};

/// Operations of a compiled kernel, without those that depend on parameters only.
struct KernelCount {
  std::string kernel;
  std::optional<OperationCount> operations;  ///< none: the formulation has no such kernel
};

struct Evaluation {
  std::string model, formulation;
  double t = 0;
  std::vector<std::string> coordinates, speeds;
  std::vector<double> q, u, qdot;
  Matrix mass;              ///< of M u' = rhs, all speeds, before constraints; empty if it was not formed
  std::vector<double> rhs;  ///< empty together with `mass`
  /// With the active constraints, contacts and friction enforced, as a run that starts here would have it.
  std::vector<double> udot;
  std::vector<std::string> independent_speeds;
  Matrix embedded_mass;  ///< in the independent speeds
  std::vector<double> embedded_rhs;
  /// The active ones; closed contacts and friction that holds are among them.
  std::vector<ConstraintValue> constraints;
  Matrix constraint_jacobian;  ///< a row for each of them
  std::optional<double> kinetic, potential;
  std::optional<Vec3> linear_momentum, angular_momentum;
  std::vector<PointValue> points;
  std::vector<BodyValue> bodies;
  std::vector<ReactionValue> reactions;
  std::vector<NamedValue> auxiliary_forces, outputs;
  std::vector<KernelCount> operations;
  std::vector<std::string> warnings;
  std::string failure;  ///< why the motion could not be found; nothing after qdot is filled in then
};

/// Evaluates many states of one model. Where the model has contacts or friction, their states at each state are found as at
/// the start of a run.
class Evaluator {
 public:
  /// The inputs that states will name must be driven by the caller (Model::driving).
  explicit Evaluator(Model model);

  [[nodiscard]] const Model& model() const { return model_; }
  [[nodiscard]] Evaluation calc(const StartState& state);

 private:
  [[nodiscard]] std::span<const double> calc_plain(Evaluation& a);
  [[nodiscard]] std::span<const double> calc_switched(Evaluation& a);
  [[nodiscard]] SystemEvaluator& evaluator() { return switched_ ? switched_->evaluator() : *plain_; }
  void fill_constraints(Evaluation& a);
  void fill_reports(Evaluation& a, std::span<const double> reports) const;

  Model model_;
  std::unique_ptr<SystemEvaluator> plain_;     ///< of a model without contacts, friction and events ...
  std::unique_ptr<MotionSimulator> switched_;  ///< ... and of one with them
  Start start_;
  std::vector<double> lambda_;
};

/// At one state.
[[nodiscard]] Evaluation evaluate(const Model& model, const StartState& state = {});

}  // namespace kane

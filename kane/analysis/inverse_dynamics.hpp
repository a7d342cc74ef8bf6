#pragma once
// Inverse dynamics along a prescribed motion: the inputs that produce it.
//
//     q      prescribed ones as given, the others from phi(q, t) = 0
//     u      qdot_k(q, u, t) = q_k'(t) of the prescribed ones, A u + b = 0
//     udot   the same differentiated:  W udot = q_k'' - (d/dt qdot_k at udot = 0),  A udot = gamma,   W = dqdot/du
//     r      M udot - rhs(r = 0) = B r + A^T lambda, B = drhs/dr
//
// The multipliers are eliminated (C^T of kane/solve/embed.hpp), so C^T B r = C^T (M udot - rhs); with more
// actuators than degrees of freedom the shortest r is taken, with fewer the closest solution, and the missing force is
// reported. With `generalized` there is one actuator on every speed instead of the inputs.
//
// The same equations with q'' = q_ref'' + kd (q_ref' - q') + kp (q_ref - q) at the actual state: computed torque.

#include <memory>
#include <string>
#include <vector>

#include "kane/analysis/motion_path.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

struct InverseOptions {
  /// Inputs that act; empty: all external inputs. The others keep the evaluator's values.
  std::vector<std::string> actuators{};
  /// Generalized forces along the speeds instead of inputs.
  bool generalized = false;
};

struct InverseSample {
  State state;
  std::vector<double> udot, lambda;
  std::vector<double> force;  ///< one per actuator
  double missing = 0;         ///< largest generalized force that the actuators cannot provide
  int missing_speed = -1;
};

class InverseDynamics {
 public:
  /// `path` must outlive it. Throws ModelError for unknown actuators and inputs that do not enter linearly. Adds
  /// expressions to the graph of the equations.
  InverseDynamics(SystemEvaluator& evaluator, MotionPath& path, InverseOptions options = {});

  [[nodiscard]] const std::vector<std::string>& actuators() const { return actuators_; }

  /// `sample.state` is the guess for values that the path does not prescribe (the previous sample). Throws ModelError if the motion
  /// is impossible (constraints) or does not determine everything.
  void calc(double t, InverseSample& sample);

  /// Inputs (all of CompiledSystem::inputs()) that make the prescribed coordinates approach the path from the actual state.
  /// False if they cannot be found here. Does not allocate.
  [[nodiscard]] bool calc_feedback(const State& state, double kp, double kd, std::span<double> inputs);

 private:
  using Vector = std::vector<double>;

  void check_states() const;
  void compile();
  void run_kinematics(const State& state);
  void solve_coordinates(State& state);
  void solve_speeds(State& state);
  [[nodiscard]] bool factor_rates();
  [[nodiscard]] bool solve_accelerations(std::span<const double> wanted, std::span<double> udot);
  [[nodiscard]] bool solve_forces(const State& state, InverseSample& sample);
  [[noreturn]] void explain_free() const;

  SystemEvaluator& evaluator_;
  MotionPath& path_;
  InverseOptions options_;
  std::vector<std::string> actuators_;
  std::vector<std::size_t> inputs_;  ///< of the actuators among CompiledSystem::inputs()
  std::unique_ptr<Kernel> kinematics_kernel_, input_kernel_;
  KernelRunner kinematics_, input_;
  std::span<const double> kinematic_values_;
  ConstraintProjector projector_;
  GaussNewton newton_;
  PivotedQr rates_, forces_;
  std::vector<CurvePoint> points_;
  Vector scale_, zeros_u_, zeros_c_, wanted_, rhs_, qdot_, f_, embedded_, input_values_;
  InverseSample feedback_;
};

}  // namespace kane

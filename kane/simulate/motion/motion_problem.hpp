#pragma once
// The motion of a compiled system as the initial value problem of an integrator, ydot = f(t, y): inputs and time handed to
// the evaluator, constraints embedded in f, y projected onto them after steps. y is (q, u), or for symplectic methods the
// canonical (q, p) with p = M(q) u.

#include <optional>

#include "kane/simulate/motion/input_schedule.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/simulate/system/motion_jacobian.hpp"
#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

/// Gives the evaluator time and inputs of an instant between two breaks of the inputs.
void situate(SystemEvaluator& evaluator, InputSchedule& inputs, double t);

class MotionProblem {
 public:
  MotionProblem(SystemEvaluator& evaluator, InputSchedule& inputs, ConstraintProjector& projector, bool canonical);

  [[nodiscard]] std::size_t size() const { return nq_ + nu_; }
  [[nodiscard]] bool canonical() const { return canonical_; }

  /// Inputs and time of the evaluator.
  void situate(double t);

  [[nodiscard]] RhsStatus calc_rates(double t, std::span<const double> y, std::span<double> ydot);
  /// From the symbolic derivatives; by differences where those would be too long. Not for canonical variables.
  [[nodiscard]] RhsStatus calc_jacobian(double t, std::span<const double> y, MatrixView dfdy);
  [[nodiscard]] ProjectionStatus project(double t, std::span<double> y);
  /// The halves of f for separable systems.
  [[nodiscard]] RhsStatus calc_qdot(double t, std::span<const double> u, std::span<double> qdot);
  [[nodiscard]] RhsStatus calc_udot(double t, std::span<const double> q, std::span<double> udot);

  void load(const State& state, std::span<double> y);
  /// False if M(q) cannot be inverted (canonical variables).
  [[nodiscard]] bool store(double t, std::span<const double> y, State& state);

  /// Why the last evaluation that failed did so, and where.
  [[nodiscard]] const MotionReport& last_failure() const { return failure_; }
  [[nodiscard]] const State& failed_state() const { return failed_state_; }
  [[nodiscard]] CallTimes& projection_times() { return projection_times_; }

 private:
  [[nodiscard]] std::span<const double> first(std::span<const double> y) const { return y.first(nq_); }
  [[nodiscard]] std::span<const double> second(std::span<const double> y) const { return y.subspan(nq_); }
  RhsStatus fail(const MotionReport& report, double t, std::span<const double> q, std::span<const double> u);
  RhsStatus calc_canonical(double t, std::span<const double> y, std::span<double> ydot);
  [[nodiscard]] FactorReport factor_mass(std::span<const double> q);

  SystemEvaluator& evaluator_;
  InputSchedule& inputs_;
  ConstraintProjector& projector_;
  std::optional<MotionJacobian> jacobian_;
  bool canonical_;
  std::size_t nq_, nu_;
  KernelRunner mass_, force_;
  Matrix factor_;
  std::vector<double> u_, zeros_, rates_, trial_, trial_rates_;
  MotionReport failure_;
  State failed_state_;
  CallTimes projection_times_;
};

}  // namespace kane

#pragma once
// How a whole run changes with its parameters and initial values. With y = (q, u) and S_k = dy/dp_k,
//
//     S_k' = (df/dy) S_k + df/dp_k,     S_k(0) = dy(0)/dp_k
//
// (variational equations; Hairer, Norsett, Wanner, Solving ODEs I, section I.14) are integrated together with y. The
// derivatives are symbolic and form one program (motion_tangent.hpp), so they include the constraints. Parameters that are
// computed from a varied one vary with it. Where constraints depend on a parameter, the initial state moves with it as
// assembly would move it (kane/simulate/system/assembly.hpp).
//
//     SensitivityRun run(system, {.parameters = {"k", "b", "q1"}, .signals = {parse_signal(e, "tip_x")}});
//     run.start(values, state, given);
//     run.run(times, [&](const SensitivitySample& sample) { ... });

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kane/analysis/motion_tangent.hpp"
#include "kane/analysis/signals.hpp"
#include "kane/simulate/motion/input_schedule.hpp"
#include "kane/simulate/system/assembly.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

struct SensitivityOptions {
  /// Parameters, and coordinates or speeds (their initial values).
  std::vector<std::string> parameters{};
  /// The signals to differentiate.
  std::vector<Signal> signals{};
  double tolerance = 1e-9;  ///< as in SimulatorOptions
  long max_steps = 1'000'000;
  /// Time series only: sampled controllers cannot be differentiated.
  std::vector<InputSource> inputs{};
  /// The start before assembly at other values of the parameters, where initial values are written with them. Missing: it
  /// does not depend on parameters.
  std::function<State(const Values& parameters)> initial{};
};

struct SensitivitySample {
  double t = 0;
  std::span<const double> q, u;
  std::span<const double> values;  ///< values of the signals
  ConstMatrixView derivatives;     ///< signals x parameters
};

class SensitivityRun {
 public:
  /// Throws ModelError for unknown names and inputs that have no derivative. Adds expressions to the graph.
  SensitivityRun(std::shared_ptr<const CompiledSystem> system, SensitivityOptions options);

  [[nodiscard]] SystemEvaluator& evaluator() { return evaluator_; }
  /// Values for those of CompiledSystem::inputs() that have no series.
  void set_inputs(std::span<const double> inputs);

  /// `given`: parameters with given values (they do not depend on others). `state` is assembled.
  /// Throws ModelError for unknown parameters, or if it cannot be assembled.
  void start(const Values& given, State state, const GivenValues& given_values);
  [[nodiscard]] const State& initial() const { return initial_; }
  /// The value of a parameter (or initial value) of the options, at start().
  [[nodiscard]] double parameter_value(std::size_t k) const { return values_[k]; }

  /// Samples at increasing times, none before the initial one. Returns an empty text if done, otherwise when and why it stopped.
  [[nodiscard]] std::string run(std::span<const double> times,
                                const std::function<void(const SensitivitySample&)>& on_sample);
  [[nodiscard]] const IntegratorTotals& totals() const { return integrator_->totals(); }
  /// A run that needs more steps than this (accepted or not) stops; 0: only the limit of the options applies.
  void set_step_limit(long steps) { step_limit_ = steps; }

 private:
  using Vector = std::vector<double>;
  void sort_names();
  [[nodiscard]] Substitution direction_of(std::size_t parameter) const;
  void compile();
  // sensitivity_start.cpp: derivatives of the assembled initial state.
  struct StartTangent;
  void find_initial_tangents(const Values& parameters, const GivenValues& given);
  [[nodiscard]] Vector calc_origin_rates(const Values& parameters, std::size_t k) const;
  [[nodiscard]] bool find_coordinate_tangent(const StartTangent& t, std::span<double> sq);
  [[nodiscard]] bool find_speed_tangent(const StartTangent& t, std::span<const double> sq, std::span<double> su);
  [[nodiscard]] RhsStatus calc_rates(double t, std::span<const double> y, std::span<double> ydot);
  [[nodiscard]] bool show(double t, const Vector& y, const std::function<void(const SensitivitySample&)>& on_sample);
  [[nodiscard]] std::string explain(const StepReport& report) const;

  std::shared_ptr<const CompiledSystem> system_;
  std::unique_ptr<KernelWorkshop> shop_;
  SensitivityOptions options_;
  SystemEvaluator evaluator_;
  InputSchedule inputs_;
  std::vector<int> direction_;  ///< of each parameter: number of the direction, or -1 - index into (q, u)
  std::vector<std::size_t> model_parameters_;  ///< of the directions: index into EquationsOfMotion::parameters
  std::unique_ptr<MotionTangent> tangent_;
  ConstraintProjector projector_;
  std::unique_ptr<Kernel> signal_kernel_, constraint_kernel_;
  KernelRunner signals_, constraints_;
  std::unique_ptr<Integrator> integrator_;
  std::size_t n_;         ///< size of y
  Vector values_, unit_;  ///< parameters, and the units of their S
  Vector y_, sample_, rates_, dlambda_, change_, signal_values_;
  Matrix derivatives_;
  State origin_, initial_;  ///< before and after assembly
  MotionReport failure_;
  long step_limit_ = 0;
};

}  // namespace kane

#pragma once
// Runs a compiled system through time. A Simulator owns its state; the system is shared and never changes.
//
//     Simulator sim(system, {.tolerance = 1e-9});
//     sim.start(sim.assemble(state, given));                 // or sim.start(state)
//     RunReport report = sim.run({.until = 10.0}, [&](const State& sample) { ...; return true; });
//
// or step by step: while (sim.state().t < 10 && sim.step(10).status == StepStatus::Ok) ...
//
// Nothing allocates in a step.

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kane/simulate/motion/change_point.hpp"
#include "kane/simulate/motion/input_schedule.hpp"
#include "kane/simulate/motion/method.hpp"
#include "kane/simulate/motion/motion_problem.hpp"
#include "kane/simulate/motion/run_failure.hpp"
#include "kane/simulate/motion/speed_monitor.hpp"
#include "kane/simulate/system/assembly.hpp"
#include "kane/simulate/system/energy_monitor.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

struct SimulatorOptions {
  Method method = Method::Automatic;
  double tolerance = 1e-9;        ///< asked for over the run; see local_tolerance()
  double absolute_tolerance = 0;  ///< of the local error; 0: a thousandth of the relative one
  double step = 1e-3;             ///< of methods with a fixed step
  double first_step = 0;          ///< of adaptive methods; 0: chosen
  double max_step = std::numeric_limits<double>::infinity();
  long max_steps = 0;                   ///< 0: no limit
  double constraint_tolerance = 1e-13;  ///< |phi| above this is projected away after a step
  bool project = true;                  ///< off: constraints drift (for comparisons)
  /// Gauss methods: q and p = M u where the system allows it, so that they are symplectic.
  bool canonical = true;
  /// Accepted steps between two looks at the energy; 0: never.
  int energy_interval = 16;
  double energy_warning = 1e-6;       ///< relative drift of a conservative system
  double constraint_warning = 1e-10;  ///< residual of a constraint
  std::vector<InputSource> inputs{};
};

/// When a run shows samples: at t0, then every `output_step`; or at `intervals` + 1 instants if that is 0.
struct RunPlan {
  double until = 1;
  double output_step = 0;
  long intervals = 1000;
};

enum class RunStatus : std::uint8_t { Done, Stopped, Failed };

struct RunReport {
  RunStatus status = RunStatus::Done;
  double t_begin = 0, t_end = 0;
  long samples = 0;
  IntegratorTotals totals;
  std::string method;      ///< of the last step
  bool canonical = false;  ///< integrated in canonical variables
  EnergyReport energy;
  ConstraintResiduals constraints;  ///< largest seen after steps
  long choices = 0;                 ///< times the independent speeds were chosen
  long change_points = 0;           ///< places passed where constraints become dependent on each other
  RunTimes times;
  std::optional<RunFailure> failure;
  std::vector<std::string> warnings;
};

/// Gets each sample; false ends the run.
using SampleCallback = std::function<bool(const State& sample)>;
/// Called after every step; false ends the run.
using StepCallback = std::function<bool(double t)>;

class Simulator {
 public:
  explicit Simulator(std::shared_ptr<const CompiledSystem> system, SimulatorOptions options = {});
  ~Simulator();
  Simulator(const Simulator&) = delete;
  Simulator& operator=(const Simulator&) = delete;

  [[nodiscard]] const CompiledSystem& system() const { return *system_; }
  [[nodiscard]] const SimulatorOptions& options() const { return options_; }
  [[nodiscard]] SystemEvaluator& evaluator() { return evaluator_; }
  [[nodiscard]] const Integrator& integrator() const { return *integrator_; }

  // ---- before start() ---------------------------------------------------------------------------------------------------
  /// All others get their defaults. Throws ModelError for an unknown name.
  void set_parameters(const Values& parameters);
  /// Values of CompiledSystem::inputs(); those with a source of their own are not touched.
  void set_inputs(std::span<const double> inputs);
  /// The nearest state on the constraints. Throws ModelError (with the report's message) if there is none.
  [[nodiscard]] State assemble(State state, const GivenValues& given, AssemblyReport* report = nullptr);

  void start(const State& state);

  // ---- running ------------------------------------------------------------------------------------------------------------
  [[nodiscard]] const State& state() const { return state_; }
  /// One step, never past `limit`.
  const StepReport& step(double limit = std::numeric_limits<double>::infinity());
  /// Anywhere in the last step, projected onto the constraints. False if that cannot be evaluated.
  [[nodiscard]] bool interpolate(double t, State& state);
  RunReport run(const RunPlan& plan, const SampleCallback& on_sample = {}, const StepCallback& on_step = {});
  /// Goes on from another state (an impact, a jump) at the same or another time.
  void resume(const State& state);

  // ---- the active constraints -------------------------------------------------------------------------------------------
  /// Takes effect at once; the state is not changed. One flag for each constraint.
  void set_active(const std::vector<bool>& active);
  /// The speeds nearest in kinetic energy that satisfy the active constraints: an inelastic impact. False if there are
  /// none.
  [[nodiscard]] bool impose_constraints();

  // ---- at a state ----------------------------------------------------------------------------------------------------------
  /// Everything reported (CompiledSystem::report_items()) at a sample; empty if it cannot be evaluated.
  [[nodiscard]] std::span<const double> calc_reports(const State& sample);
  /// udot and lambda of the last calc_reports().
  [[nodiscard]] std::span<const double> udot() const { return udot_; }
  [[nodiscard]] std::span<const double> multipliers() const { return lambda_; }
  [[nodiscard]] ConstraintResiduals calc_residuals(const State& sample);
  /// Why the last step failed.
  [[nodiscard]] RunFailure explain_last_step();

 private:
  class Run;  // simulator_run.cpp

  void set_projection();
  void pass_break();
  [[nodiscard]] bool pass_change_point(double limit);
  [[nodiscard]] bool too_near_change_point();
  [[nodiscard]] bool is_near_change_point();
  [[nodiscard]] bool speeds_lost();
  [[nodiscard]] bool rates_jump(double before, double after);
  void observe_step();

  std::shared_ptr<const CompiledSystem> system_;
  SimulatorOptions options_;
  SystemEvaluator evaluator_;
  KernelRunner laws_;
  InputSchedule inputs_;
  ConstraintProjector projector_;
  ChangePoint change_point_;
  SpeedMonitor speeds_;
  MotionProblem problem_;
  EnergyMonitor energy_;
  std::unique_ptr<Integrator> integrator_;
  State state_, sample_;
  std::vector<double> y_, qdot_, udot_, lambda_;
  ConstraintResiduals largest_;
  bool at_break_ = false;
  StepReport jump_report_;
  std::optional<RunFailure> lost_speeds_;  ///< the last step led over a place where the speeds determine nothing
  long until_energy_ = 0;
};

}  // namespace kane

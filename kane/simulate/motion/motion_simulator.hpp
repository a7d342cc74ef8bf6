#pragma once
// Runs a compiled system through time. A simulator owns its state; the system is shared and never changes. There are two
// kinds: Simulator for plain motion, HybridSimulator for switched motion (contacts, friction, modes, events); both are used
// through this class.
//
//     auto sim = make_simulator(system, {.tolerance = 1e-9});
//     sim->start(sim->assemble(state, given));                 // or sim->start(state)
//     RunReport report = sim->run({.until = 10.0}, [&](const State& sample) { ...; return true; });
//
// or step by step: while (sim->state().t < 10 && sim->step(10).status == StepStatus::Ok) ...
//
// Nothing allocates in a step, except where an event of switched motion is recorded.

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/motion/change_point.hpp"
#include "kane/simulate/motion/input_schedule.hpp"
#include "kane/simulate/motion/jump_locator.hpp"
#include "kane/simulate/motion/motion_snapshot.hpp"
#include "kane/simulate/motion/run_report.hpp"
#include "kane/simulate/motion/simulator_options.hpp"
#include "kane/simulate/switching/contact_forces.hpp"
#include "kane/simulate/system/assembly.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/simulate/system/energy_monitor.hpp"
#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/integrator.hpp"

namespace kane {

class MotionSimulator {
 public:
  virtual ~MotionSimulator();
  MotionSimulator(const MotionSimulator&) = delete;
  MotionSimulator& operator=(const MotionSimulator&) = delete;

  [[nodiscard]] const CompiledSystem& system() const { return *system_; }
  [[nodiscard]] const SimulatorOptions& options() const { return options_; }
  [[nodiscard]] SystemEvaluator& evaluator() { return evaluator_; }
  [[nodiscard]] const Integrator& integrator() const { return *integrator_; }
  [[nodiscard]] virtual bool switched() const = 0;

  // ---- before start(), or while running: then they act from state().t on --------------------------------------------------
  /// All others get their defaults. Throws ModelError for an unknown name.
  void set_parameters(const Values& parameters);
  /// Sets the values of CompiledSystem::inputs(). Inputs with their own source (SimulatorOptions::inputs) follow that.
  void set_inputs(std::span<const double> inputs);
  /// Sets one of them. Throws ModelError if the input has its own source.
  void set_input(std::size_t input, double value);
  /// Sets the constraints that hold, one flag per constraint. Plain motion does not change the speeds; switched motion brings them
  /// onto the constraints with the next step.
  virtual void set_active(const std::vector<bool>& rows) = 0;

  /// The nearest state on the constraints. Throws ModelError (with the report's message) if there is none.
  [[nodiscard]] State assemble(State state, const GivenValues& given, AssemblyReport* report = nullptr);
  /// Begins at a state. Switched motion settles there: contacts and frictions get their states, and speeds may jump.
  virtual void start(const State& state) = 0;

  // ---- running ------------------------------------------------------------------------------------------------------------
  [[nodiscard]] const State& state() const { return state_; }
  /// One step, never past `limit`. Switched motion makes one step up to the next event, or handles the event it has
  /// reached (then time stands still, and event() says what happened).
  virtual const StepReport& step(double limit = std::numeric_limits<double>::infinity()) = 0;
  /// The state anywhere in the last step, on the constraints. False if that cannot be evaluated.
  [[nodiscard]] virtual bool interpolate(double t, State& state) = 0;
  RunReport run(const RunPlan& plan, const SampleCallback& on_sample = {}, const StepCallback& on_step = {});
  /// Goes on from another state (an impact, a jump) at the same or another time.
  virtual void resume(const State& state) = 0;
  /// Why the last step failed.
  [[nodiscard]] virtual RunFailure explain_last_step() = 0;
  /// Everything that determines how the motion continues. Only CVODE and ARKODE are affected: they restart at a snapshot.
  [[nodiscard]] MotionSnapshot snapshot();
  /// Goes back to a snapshot, and on from there to the last bit as the simulator that took it. Throws ModelError if it is
  /// one of another system or method.
  void restore(const MotionSnapshot& snapshot);

  /// The event handled in the last step() or start(); null if there was none.
  [[nodiscard]] const SwitchRecord* event() const { return event_ ? &*event_ : nullptr; }
  /// The last step has reached an event, which the next one handles.
  [[nodiscard]] virtual bool event_pending() const { return false; }
  /// The event of the last step ends the motion (`stop:` in the model). Further steps continue nevertheless.
  [[nodiscard]] bool stopped() const { return stop_; }
  /// The present mode of the model; "" if it has none.
  [[nodiscard]] const std::string& mode() const { return mode_; }

  // ---- at a state ----------------------------------------------------------------------------------------------------------
  /// Everything reported (CompiledSystem::report_items()) at a sample; empty if it cannot be evaluated.
  [[nodiscard]] virtual std::span<const double> calc_reports(const State& sample) = 0;
  /// udot and lambda of the last calc_reports().
  [[nodiscard]] std::span<const double> udot() const { return udot_; }
  [[nodiscard]] std::span<const double> multipliers() const { return lambda_; }
  /// Contacts and frictions with their states and forces at the last calc_reports(); empty for plain motion.
  [[nodiscard]] virtual std::span<const ContactForce> contact_forces() const { return {}; }
  /// Contacts are followed by time stepping at present: udot() and contact forces are means over the last step, and zero
  /// before the first one.
  [[nodiscard]] virtual bool stepping() const { return false; }
  /// How far open the constraints are that hold at a sample.
  [[nodiscard]] ConstraintResiduals calc_residuals(const State& sample);

 protected:
  MotionSimulator(std::shared_ptr<const CompiledSystem> system, SimulatorOptions options, double projection_tolerance,
                  ChangePoint::Motion motion = {});

  /// Gives the evaluator time and inputs of an instant between two breaks of the inputs.
  void situate(double t);
  /// Steps end where the equations jump.
  [[nodiscard]] bool locates_jumps() const { return jumps_.present() && !has_fixed_step(options_.method); }
  /// Called by start() of each kind: common parts.
  void begin(const State& state);
  /// Something the motion depends on has changed at state(): the integrator restarts there.
  virtual void disturb() = 0;
  /// Makes active what shall hold where assemble() begins.
  virtual void prepare_assembly() {}
  /// Writes or reads the numbers that determine how the motion continues: those of both kinds here, each kind adds its own.
  virtual void exchange(MemoryArchive& a);
  /// The parts of a snapshot that are not numbers, for each kind.
  [[nodiscard]] virtual std::shared_ptr<MotionSnapshot::Data> make_snapshot() const;
  virtual void read_snapshot(const MotionSnapshot::Data& data);
  [[nodiscard]] SystemEvaluator::SavedChoice saved_choice() const;
  virtual void begin_run(const RunPlan& /*plan*/) {}
  /// Residuals, energy and what else only one kind knows.
  virtual void finish_run(RunReport& report) = 0;
  [[nodiscard]] virtual CallTimes* projection_times() { return nullptr; }

  std::shared_ptr<const CompiledSystem> system_;
  SimulatorOptions options_;
  SystemEvaluator evaluator_;
  KernelRunner laws_;
  InputSchedule inputs_;
  ConstraintProjector projector_;
  ChangePoint change_point_;
  EnergyMonitor energy_;
  JumpLocator jumps_;
  std::unique_ptr<Integrator> integrator_;
  State state_, sample_;
  std::vector<double> y_, qdot_, udot_, lambda_;
  std::string mode_;
  std::optional<SwitchRecord> event_;
  bool stop_ = false;
  bool started_ = false;
  bool fresh_ = false;  ///< no step since start()

  /// Puts the evaluator's choice of independent speeds back at the end of its life, so that what is computed for a sample
  /// changes no bit of the steps to come. For methods with a fixed step, which promise that.
  class ChoiceKeeper {
   public:
    explicit ChoiceKeeper(MotionSimulator& simulator);
    ~ChoiceKeeper();
    ChoiceKeeper(const ChoiceKeeper&) = delete;
    ChoiceKeeper& operator=(const ChoiceKeeper&) = delete;

   private:
    MotionSimulator& simulator_;
    bool keeps_;
  };

 private:
  class Run;  // motion_run.cpp
  std::optional<SystemEvaluator::SavedChoice> aside_;
};

/// For plain or for switched motion, whichever the equations ask for (EquationsOfMotion::switched()). Throws ModelError if
/// the options do not suit.
[[nodiscard]] std::unique_ptr<MotionSimulator> make_simulator(std::shared_ptr<const CompiledSystem> system,
                                                              SimulatorOptions options = {});

}  // namespace kane

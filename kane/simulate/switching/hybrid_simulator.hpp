#pragma once
// Runs a system whose constraints change: contacts, friction, modes, and rules that impose and release constraints. Events
// are located to neighbouring doubles of time; what happens there is decided by SwitchedDynamics and by the rules of the
// model; then the motion goes on with the constraints of the new set embedded. Order of events at one instant: as the
// model lists them.
//
//     HybridSimulator sim(system, {.tolerance = 1e-9});
//     sim.start(sim.assemble(state, given));
//     HybridReport report = sim.run({.until = 10.0}, [&](const State& sample) { ...; return true; });

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kane/simulate/motion/change_point_step.hpp"
#include "kane/simulate/motion/simulator.hpp"
#include "kane/simulate/switching/mode_equations.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"
#include "kane/solve/events.hpp"

namespace kane {

struct HybridOptions {
  Method method = Method::Automatic;  ///< explicit ones only: Automatic, Rk4, Dopri5, Dop853
  double tolerance = 1e-9;
  double absolute_tolerance = 0;
  double step = 1e-3;
  double max_step = 0;  ///< 0: a fiftieth of the run
  double constraint_tolerance = 1e-13;
  std::vector<InputSource> inputs{};
  SwitchingOptions switching{};
  long max_events = 1'000'000;
  std::size_t kept_events = 20'000;  ///< of which the report tells more than their number
  /// How the motion under bilateral constraints is found; contacts and frictions are always embedded.
  ConstraintMethod constraints = ConstraintMethod::Embedded;
  std::vector<std::shared_ptr<const ModeEquations>> modes{};  ///< for ConstraintMethod::Modes
};

/// What happened at one instant.
struct SwitchRecord {
  double t = 0;
  std::vector<std::string> causes;   ///< events of the model, contacts and frictions whose functions fell through zero
  std::vector<std::string> changes;  ///< "floor closes", "floor.friction sticks", "constraint stuck imposed"
  std::vector<std::pair<std::string, double>> impulses;  ///< by row
  std::vector<double> u_before, u_after;
  double kinetic_before = 0, kinetic_after = 0;
  std::string mode;  ///< afterwards
};

/// "floor: floor closes, floor.friction slides".
[[nodiscard]] std::string describe(const SwitchRecord& record);

struct HybridReport {
  RunReport run;
  std::vector<SwitchRecord> events;
  long event_count = 0;
  double energy_lost = 0;  ///< kinetic energy lost in impacts
};

class HybridSimulator {
 public:
  explicit HybridSimulator(std::shared_ptr<const CompiledSystem> system, HybridOptions options = {});
  ~HybridSimulator();
  HybridSimulator(const HybridSimulator&) = delete;
  HybridSimulator& operator=(const HybridSimulator&) = delete;

  [[nodiscard]] const CompiledSystem& system() const { return *system_; }
  [[nodiscard]] SystemEvaluator& evaluator() { return evaluator_; }
  [[nodiscard]] SwitchedDynamics& dynamics() { return dynamics_; }

  void set_parameters(const Values& parameters);
  void set_inputs(std::span<const double> inputs);
  /// Constraints that are active at the start, one flag per row; else those of the model or of its initial mode.
  void set_active(const std::vector<bool>& rows);
  [[nodiscard]] State assemble(State state, const GivenValues& given, AssemblyReport* report = nullptr);
  void start(const State& state);

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const std::string& mode() const { return mode_; }
  HybridReport run(const RunPlan& plan, const SampleCallback& on_sample = {}, const StepCallback& on_step = {});
  /// Reports at a sample handed out by run(); empty if it cannot be evaluated.
  [[nodiscard]] std::span<const double> calc_reports(const State& sample);
  /// How far open the constraints are that hold at such a sample.
  [[nodiscard]] ConstraintResiduals calc_residuals(const State& sample);

 private:
  class Run;

  void situate(double t);
  [[nodiscard]] RhsStatus calc_rates(double t, std::span<const double> y, std::span<double> ydot);
  void calc_events(double t, std::span<const double> y, std::span<double> g);
  [[nodiscard]] ProjectionStatus project(double t, std::span<double> y);
  static void load_state(double t, std::span<const double> y, State& state);
  void enter_mode(const std::string& mode);
  void set_group(const std::string& group, bool active);
  [[nodiscard]] bool would_change(const SwitchEquation& rule) const;
  void start_events();
  /// Applies what happens at state_; false: the run cannot go on, failure_ says why.
  [[nodiscard]] bool handle(std::span<const EventHit> hits, SwitchRecord& record);
  [[nodiscard]] bool apply_rules(std::span<const EventHit> hits, SwitchRecord& record);
  [[nodiscard]] bool check_imposed(const std::vector<bool>& before, const std::string& cause);
  struct Before {
    int state;
    std::string name;
  };
  void record_changes(const std::vector<Before>& contacts, const std::vector<Before>& frictions,
                      SwitchRecord& record) const;
  void fail(StepStatus status, std::string quantity, std::string cause);
  [[nodiscard]] std::string function_name(std::size_t k) const;

  std::shared_ptr<const CompiledSystem> system_;
  HybridOptions options_;
  SystemEvaluator evaluator_;
  KernelRunner laws_;
  InputSchedule inputs_;
  SwitchedDynamics dynamics_;
  ConstraintProjector projector_;
  ChangePoint change_point_;
  ChangePointStep jump_;
  EnergyMonitor energy_;
  MultiplierMotion multipliers_;
  std::vector<ModeMotion> mode_motions_;
  Kernel guards_, resets_;
  KernelRunner guards_runner_, resets_runner_;
  bool guards_need_motion_ = false;
  std::unique_ptr<Integrator> integrator_;
  std::unique_ptr<EventLocator> locator_;
  std::vector<bool> bilateral_, initial_;
  std::string mode_;
  State state_;
  std::vector<double> y_, qdot_, udot_, lambda_;
  MotionReport failed_;
  std::optional<RunFailure> failure_;
  bool stop_ = false;
  bool imposed_ = false;  ///< by the rules of the present instant: constraints or values
};

}  // namespace kane

#pragma once
// Switched motion: a system whose constraints change by contacts, friction, modes, and rules that impose and release
// constraints (motion_simulator.hpp has the interface). Events are located to neighbouring doubles of time; what happens
// there is decided by SwitchedDynamics and by the rules of the model; then the motion goes on with the constraints of the
// new set embedded. Events at one instant happen in the order in which the model lists them.

#include <memory>
#include <string>
#include <vector>

#include "kane/simulate/motion/change_point_step.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/stepping/contact_stepper.hpp"
#include "kane/simulate/switching/mode_equations.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"
#include "kane/solve/events.hpp"

namespace kane {

class HybridSimulator final : public MotionSimulator {
 public:
  explicit HybridSimulator(std::shared_ptr<const CompiledSystem> system, SimulatorOptions options = {});
  ~HybridSimulator() override;

  [[nodiscard]] SwitchedDynamics& dynamics() { return dynamics_; }

  [[nodiscard]] bool switched() const override { return true; }
  /// Before start(): constraints that are active there, instead of those of the model or of its initial mode.
  void set_active(const std::vector<bool>& rows) override;
  void start(const State& state) override;
  const StepReport& step(double limit = std::numeric_limits<double>::infinity()) override;
  [[nodiscard]] bool interpolate(double t, State& state) override;
  void resume(const State& state) override;
  [[nodiscard]] RunFailure explain_last_step() override;
  [[nodiscard]] bool event_pending() const override { return phase_ == Phase::AtEvent; }
  [[nodiscard]] std::span<const double> calc_reports(const State& sample) override;
  [[nodiscard]] std::span<const ContactForce> contact_forces() const override {
    return stepping_ ? std::span<const ContactForce>(stepped_forces_) : contact_forces_.forces();
  }
  [[nodiscard]] bool stepping() const override { return stepping_; }

 private:
  /// Where state_ is in the course of a step. The rest of the step is done at the beginning of the next one, so that
  /// samples inside it still see what held before.
  enum class Phase : std::uint8_t {
    Ready,    ///< a new step begins here
    AtEvent,  ///< at hits_, inside or at the end of the last step
    InJump,   ///< at an event that changed nothing, inside a jump over a change point, which goes on
    AtCut,    ///< where the last step was cut short, since shapes may have met unseen behind it
    AtEnd,    ///< at the end of the last step
  };

  // what the integrator and the locator call
  [[nodiscard]] RhsStatus calc_rates(double t, std::span<const double> y, std::span<double> ydot);
  void calc_events(double t, std::span<const double> y, std::span<double> g);
  [[nodiscard]] ProjectionStatus project(double t, std::span<double> y);
  static void load_state(double t, std::span<const double> y, State& state);
  void store(const State& state);

  // modes, rules, events (hybrid_events.cpp)
  void enter_mode(const std::string& mode);
  void set_group(const std::string& group, bool active);
  [[nodiscard]] bool would_change(const SwitchEquation& rule) const;
  void start_events();
  /// Applies what happens at state_; false: the run cannot go on, failure_ says why.
  [[nodiscard]] bool happen(std::span<const EventHit> hits);
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

  // stepping (hybrid_stepping.cpp)
  [[nodiscard]] bool crowded();
  [[nodiscard]] bool can_step() const;
  [[nodiscard]] bool may_step() const;
  void make_stepper();
  void take_over(const std::string& why);
  [[nodiscard]] bool hand_back();
  [[nodiscard]] bool advance_stepping(double limit);
  [[nodiscard]] bool make_contact_step(double limit);
  [[nodiscard]] bool apply_stepped_rules();
  void record_stepped();
  void note_cost();
  [[nodiscard]] bool too_busy(std::string& why) const;
  void refresh_stepped_forces(const State& sample);
  void add_stepped_impulses();
  void show_impulses();
  void add_impulses();
  void add_impulses(std::span<const ContactForce> impulses);
  [[nodiscard]] ContactForce stepped_force(const SteppedContact& c, double scale);
  void add_stepped_frictions();
  void add_stepped_wrench(const SteppedContact& c, std::span<double> wrenches) const;
  [[nodiscard]] bool shapes_driven();
  void check_energy();

  // steps (hybrid_step.cpp); false: failure_ says why
  [[nodiscard]] bool advance(double limit);
  [[nodiscard]] bool advance_events(double limit);
  [[nodiscard]] bool handle_event();
  [[nodiscard]] bool finish_step(bool& handled);
  [[nodiscard]] bool find_event();
  [[nodiscard]] bool make_step(double limit);
  [[nodiscard]] bool too_near_change_point();
  [[nodiscard]] bool creeps(double h);
  [[nodiscard]] double find_safe_end();
  [[nodiscard]] bool find_state(double t);
  [[nodiscard]] bool is_near(const State& state, double fraction) const;
  void resume_integrator();
  void settle_jumps();
  [[nodiscard]] double find_jump();
  [[nodiscard]] bool held_at_jump();

  void disturb() override { disturbed_ = true; }
  struct Snapshot;  // hybrid_snapshot.cpp
  void exchange(MemoryArchive& a) override;
  [[nodiscard]] std::shared_ptr<MotionSnapshot::Data> make_snapshot() const override;
  void read_snapshot(const MotionSnapshot::Data& data) override;
  void prepare_assembly() override;
  void begin_run(const RunPlan& plan) override;
  void finish_run(RunReport& report) override;

  SwitchedDynamics dynamics_;
  ContactForceList contact_forces_;
  ChangePointStep jump_;
  MultiplierMotion multiplier_motion_;
  std::vector<ModeMotion> mode_motions_;
  KernelRunner guards_runner_, resets_runner_;
  bool guards_need_motion_ = false;
  std::unique_ptr<EventLocator> locator_;
  std::vector<bool> bilateral_, initial_;
  std::string initial_mode_;
  MotionReport failed_;
  std::optional<RunFailure> failure_;
  bool imposed_ = false;  ///< by the rules of the present instant: constraints or values

  Phase phase_ = Phase::Ready;
  bool disturbed_ = false;      ///< inputs, parameters or constraints were changed from outside at state_
  Integrator* step_ = nullptr;  ///< that made the last step: integrator_ or jump_
  StepReport report_;
  std::vector<EventHit> hits_;
  double longest_;        ///< step
  double safe_end_ = 0;   ///< of the last step, up to which no shapes can have met unseen
  int tiny_steps_ = 0;    ///< in a row
  int at_once_ = 0;       ///< events at last_event_
  long event_count_ = 0;  ///< since start()
  double last_event_ = 0;

  // stepping
  std::unique_ptr<ContactStepper> stepper_;
  bool stepping_ = false;
  bool driven_ = false;  ///< shapes_driven(), at some time
  double contact_step_ = 0;
  long takeovers_ = 0;
  State before_;            ///< of the last step, or of events at state_
  double stepped_h_ = 0;    ///< length of the last step
  double calm_from_ = 0;    ///< nothing has closed since
  double patience_ = 0;     ///< how long it must be calm until events take over again
  double busy_from_ = 0;    ///< begin of the present stretch of events
  double cost_ = 0;         ///< of that stretch
  long events_before_ = 0;  ///< when it began
  SwitchingWork work_before_;
  std::vector<ContactForce> stepped_forces_;
  std::vector<double> impulses_;  ///< of all impacts since start(), on the first body of each sensor
  std::vector<double> guards_;    ///< at the begin of a step
};

}  // namespace kane

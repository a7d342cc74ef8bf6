#pragma once
// Simulation by ticks of fixed length, for real-time loops: a bounded amount of work per tick, and no allocation
// after start(). Within a tick the motion is integrated by the Runge-Kutta method of order 4; if an event happens
// inside (a contact closes, friction starts to slip, a guard of the model crosses zero), the tick is cut there, and the
// rest of the tick continues with the new set of constraints: main loop and excursions of Gillespie's figure 2.

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kane/simulate/motion/input_schedule.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"
#include "kane/simulate/system/constraint_projector.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/simulate/tick/constraint_board.hpp"

namespace kane {

/// Length of a tick, and limits of its work.
struct TickOptions {
  double period = 1e-3;  ///< s
  int max_events = 4;    ///< events located inside one tick; further ones are handled at its end
  int refinements = 6;   ///< largest number of refinements of the instant of an event
  SwitchingOptions switching = real_time_switching();  ///< tolerances of contact and friction
  /// Inputs that change by themselves. Series are evaluated at every instant needed. Controllers are sampled at the first
  /// tick that begins at or after the instant they are due, and their outputs take effect at the start of a tick too.
  std::vector<InputSource> inputs{};

  /// Coarser tolerances than for trajectories: instants are located only to a fraction of a tick.
  [[nodiscard]] static SwitchingOptions real_time_switching() {
    SwitchingOptions s;
    s.touch_gap = 1e-6;
    s.still_speed = 1e-6;
    s.rest_speed = 1e-3;
    s.stick_speed = 1e-3;
    s.turn_speed = 1e-5;
    s.cone_turns = 3;
    s.max_rounds = 20;
    s.check_unique = false;
    return s;
  }
};

/// How a tick ended.
enum class TickStatus : std::uint8_t {
  Ok,
  Failed,  ///< the motion could not be evaluated; the state is the one before the tick
  Jammed,  ///< no contact forces were found
};

/// The work of a tick: counts, not times.
struct TickWork {
  int steps = 0;        ///< Runge-Kutta steps, including repeated ones
  int evaluations = 0;  ///< evaluations of the motion under the present constraints
  int refinements = 0;  ///< refinements of instants of events
  int problems = 0;     ///< complementarity problems
  int pivots = 0;       ///< pivots in these problems
  int impacts = 0;      ///< rounds of impacts
};

/// Report of one tick.
struct TickReport {
  TickStatus status = TickStatus::Ok;  ///< how it ended
  int events = 0;                      ///< events located inside the tick
  TickWork work;                       ///< work done
  bool stop = false;                   ///< an event of the model ends the run
};

/// A simulation by ticks of fixed length.
class TickSimulator {
 public:
  /// Allocates everything that ticks need.
  explicit TickSimulator(std::shared_ptr<const CompiledSystem> system, const TickOptions& options = {});
  TickSimulator(const TickSimulator&) = delete;
  TickSimulator& operator=(const TickSimulator&) = delete;

  /// The system that is simulated.
  [[nodiscard]] const CompiledSystem& system() const { return *system_; }
  /// The same, for shared ownership.
  [[nodiscard]] const std::shared_ptr<const CompiledSystem>& shared_system() const { return system_; }
  /// The options as given.
  [[nodiscard]] const TickOptions& options() const { return options_; }
  /// The evaluator, for queries about the present state.
  [[nodiscard]] SystemEvaluator& evaluator() { return evaluator_; }
  /// Contacts, friction and constraints of the present state.
  [[nodiscard]] SwitchedDynamics& dynamics() { return dynamics_; }

  /// Sets parameters by name; others keep their values.
  void set_parameters(const Values& parameters);
  /// Takes the parameters of another simulator of the same system.
  void share_parameters(const TickSimulator& from);
  /// Sets the values of CompiledSystem::inputs(), effective from the next tick. Inputs with their own source
  /// (TickOptions::inputs) follow that source.
  void set_inputs(std::span<const double> inputs);
  /// Starts at a state. Throws ModelError if its sizes do not match or it is not finite.
  void start(const State& state);
  /// Advances by one period.
  TickReport tick();
  // ---- constraints added while ticks run, by one other thread at a time ------------------------------------------------------
  /// Forms and compiles the row of phi(q, t), to be held at the value it has in the next tick, or of psi(q, u, t) = 0; the
  /// next tick imposes it. Returns its slot. Throws ModelError if it is not a constraint, or if no slot is free.
  std::size_t impose(const std::string& name, const Expr& expression);
  /// The next tick releases the constraint.
  void release(std::size_t place) { board_.take_down(place); }
  /// The stage that a constraint added at run time has reached.
  [[nodiscard]] HoldStage stage(std::size_t place) const { return board_.stage(place); }
  /// Force (or torque) of an active added constraint in the last evaluation; for the thread that runs the ticks.
  [[nodiscard]] double written_force(std::size_t place) const;
  /// Whether any added constraint is active; for the thread that runs the ticks.
  [[nodiscard]] bool holds_written() const {
    for (std::size_t k = 0; k < board_.size(); ++k)
      if (evaluator_.written(k) != nullptr) return true;
    return false;
  }

  /// Goes through a tick in which constraints change, without any effect: the state and all later ticks stay the same to
  /// the last bit. Changes are rare, and by the time one comes its code and data have left the processor's caches; a loop
  /// with time to spare rehearses shortly before the next tick, so that no tick has to wait for memory.
  void rehearse();
  /// Takes the state of another simulator of the same system, handles and inputs included.
  void copy_state(const TickSimulator& from);

  /// The state after the last tick.
  [[nodiscard]] const State& state() const { return state_; }
  /// The present mode; "" if the model has no modes.
  [[nodiscard]] const std::string& mode() const;
  /// Number of events since start().
  [[nodiscard]] long events() const { return events_; }

  /// Position (phi) and speed of a row, in the present state.
  struct RowMotion {
    double position;  ///< phi
    double speed;     ///< speed of the row
  };
  /// Motion of a handle after start() or tick(), without evaluating anything again.
  [[nodiscard]] RowMotion handle_motion(std::size_t handle) const;
  /// Applies a force along a handle, effective from the next tick.
  void apply_handle(std::size_t handle, double force);
  /// Updates the rows of the handles to the state.
  void update_handles();

 private:
  struct Rule {
    std::vector<bool> imposed, released;
    int from = -1, to = -1;
    std::size_t first_reset = 0;
  };

  void situate(double t);
  void update_inputs();
  [[nodiscard]] TickReport advance();
  [[nodiscard]] bool step(double h, bool known = false);
  [[nodiscard]] bool project();
  [[nodiscard]] bool calc_rates(double t, const std::vector<double>& y, std::vector<double>& rates);
  void calc_functions(std::vector<double>& g);
  void calc_guards(std::vector<double>& g);
  [[nodiscard]] bool would_change(std::size_t rule) const;
  [[nodiscard]] bool crosses(std::size_t k, double a, double b) const;
  [[nodiscard]] double first_crossing(const std::vector<double>& from, const std::vector<double>& to) const;
  [[nodiscard]] bool locate(double h, double& used);
  /// Fractions of a step that bracket an event, low_ and high_ being the functions there; `third` (with third_) is
  /// another point nearby, negative if there is none yet.
  struct Bracket {
    double low, high, third = -1;
  };
  [[nodiscard]] double estimate_crossing(const Bracket& at) const;
  [[nodiscard]] double find_crossing(double h, int refinements);
  [[nodiscard]] bool jumps() const;
  [[nodiscard]] bool only_kinematic() const;
  void interpolate(double h, double s);
  [[nodiscard]] TickStatus transit();
  [[nodiscard]] bool hold_written(std::size_t place);
  void drop_written(std::size_t place);
  [[nodiscard]] int take_written();
  void forget_written();
  void prepare_rules();
  void rehearse_change(double h);
  void save();
  void restore();

  std::shared_ptr<const CompiledSystem> system_;
  TickOptions options_;
  SystemEvaluator evaluator_;
  SwitchedDynamics dynamics_;
  ConstraintProjector projector_;
  ConstraintBoard board_;
  KernelRunner guards_runner_, resets_runner_;
  std::unique_ptr<KernelWorkshop> workshop_;  ///< for constraints added while it runs; guarded by writing_
  std::mutex writing_;                        ///< never taken by a tick
  std::vector<Rule> rules_;
  std::vector<std::vector<bool>> modes_;
  std::vector<bool> bilateral_, initial_, fired_;
  KernelRunner laws_;
  InputSchedule inputs_;
  bool started_ = false;
  int mode_ = -1, initial_mode_ = -1;
  State state_, saved_, hit_, unprojected_;
  bool guards_need_motion_ = false;
  bool forces_changed_ = true;  ///< since before_ was evaluated
  bool start_known_ = false;    ///< k1_ holds the rates at state_
  bool quick_ = false;          ///< low_, high_ and third_ are up to date in kinematic functions only
  std::vector<double> y_, stage_, k1_, k2_, k3_, k4_, end_, before_, after_, low_, high_, third_, udot_,
      handle_position_, handle_speed_;
  TickWork work_;
  struct Kept {
    State state;
    std::vector<double> before;
    std::vector<bool> bilateral;
    int mode;
    bool forces_changed;
  };
  Kept kept_;  ///< while rehearsing
  std::size_t next_rehearsed_ = 0;
  bool rehearse_backwards_ = false;
  long ticks_ = 0, events_ = 0;
  double t0_ = 0;
};

}  // namespace kane

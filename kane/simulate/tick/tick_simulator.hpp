#pragma once
// Simulation by ticks of fixed length, for loops in real time: a bounded amount of work per tick, and nothing allocates
// after start(). Within a tick the motion is integrated by Runge's and Kutta's method of order 4; where an event happens
// inside (a contact closes, friction lets go, a guard of the model crosses zero), the tick is cut there, the new set of
// constraints takes over, and the rest of the tick goes on with it: main loop and excursions of Gillespie's figure 2.

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

/// How long a tick is, and how much it may do.
struct TickOptions {
  double period = 1e-3;  ///< s
  int max_events = 4;    ///< located inside of one tick; further ones are handled at its end
  int refinements = 6;   ///< of the instant of an event, at most
  SwitchingOptions switching = real_time_switching();  ///< tolerances of contact and friction
  /// Inputs that change by themselves. Series are evaluated at every instant that is asked for. Controllers look at the
  /// first tick that begins at or after the instant that is due, and their answers come into force there too.
  std::vector<InputSource> inputs{};

  /// Coarser than for trajectories: instants are located to a part of a tick only.
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
  Failed,  ///< the motion could not be evaluated; the state is that before the tick
  Jammed,  ///< no contact forces were found
};

/// The work of a tick: counts, not times.
struct TickWork {
  int steps = 0;        ///< of Runge's and Kutta's method, repeated ones included
  int evaluations = 0;  ///< of the motion under the present constraints
  int refinements = 0;  ///< of instants of events
  int problems = 0;     ///< of complementarity
  int pivots = 0;       ///< in these
  int impacts = 0;      ///< rounds of impacts
};

/// Report of one tick.
struct TickReport {
  TickStatus status = TickStatus::Ok;  ///< how it ended
  int events = 0;                      ///< located inside the tick
  TickWork work;                       ///< counts of what was computed
  bool stop = false;                   ///< a rule of the model ends the run
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
  /// The same, to keep.
  [[nodiscard]] const std::shared_ptr<const CompiledSystem>& shared_system() const { return system_; }
  /// As they were given.
  [[nodiscard]] const TickOptions& options() const { return options_; }
  /// For questions about the present state.
  [[nodiscard]] SystemEvaluator& evaluator() { return evaluator_; }
  /// Contacts, friction and constraints of the present state.
  [[nodiscard]] SwitchedDynamics& dynamics() { return dynamics_; }

  /// By name; others keep their values.
  void set_parameters(const Values& parameters);
  /// Takes the parameters of another simulator of the same system.
  void share_parameters(const TickSimulator& from);
  /// Values of CompiledSystem::inputs(), in force from the next tick on. Inputs with a source of their own
  /// (TickOptions::inputs) follow that.
  void set_inputs(std::span<const double> inputs);
  /// Throws ModelError for a state that does not fit.
  void start(const State& state);
  /// Advances by one period.
  TickReport tick();
  // ---- constraints that are written while ticks go on, by one other thread at a time -----------------------------------------
  /// Forms and compiles the row of phi(q, t), to be held at the value it has in the next tick, or of psi(q, u, t) = 0; the
  /// next tick imposes it. Returns its place. Throws ModelError if it is not a constraint, or if no place is free.
  std::size_t impose(const std::string& name, const Expr& expression);
  /// The next tick lets go.
  void release(std::size_t place) { board_.take_down(place); }
  /// How far a constraint written at run time has come.
  [[nodiscard]] HoldStage stage(std::size_t place) const { return board_.stage(place); }
  /// Force (or torque) of a held one, in the last evaluation; for the thread that runs the ticks.
  [[nodiscard]] double written_force(std::size_t place) const;
  /// Whether any is held; for the thread that runs the ticks.
  [[nodiscard]] bool holds_written() const {
    for (std::size_t k = 0; k < board_.size(); ++k)
      if (evaluator_.written(k) != nullptr) return true;
    return false;
  }

  /// Goes through a tick in which constraints change, without any effect: the state and all later ticks stay the same to
  /// the last bit. Changes are rare, and by the time one comes its code and data have left the processor's caches; a loop
  /// that has time left rehearses shortly before the next tick, and then no tick has to wait for memory.
  void rehearse();
  /// Goes on from where another simulator of the same system is, handles and inputs included.
  void copy_state(const TickSimulator& from);

  /// After the last tick.
  [[nodiscard]] const State& state() const { return state_; }
  /// "" if the model has no modes.
  [[nodiscard]] const std::string& mode() const;
  /// Since start().
  [[nodiscard]] long events() const { return events_; }

  /// Position (phi) and speed of a row, in the present state.
  struct RowMotion {
    double position;  ///< phi
    double speed;     ///< of the row
  };
  /// After start() or tick(): of the handles, without evaluating anything again.
  [[nodiscard]] RowMotion handle_motion(std::size_t handle) const;
  /// Force along a handle, in force from the next tick on.
  void apply_handle(std::size_t handle, double force);
  /// Brings the rows of the handles up to date with the state.
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
  /// Parts of a step between which an event lies, low_ and high_ being the functions there; `third` (with third_) is
  /// another one beside, negative if there is none yet.
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
  std::unique_ptr<KernelWorkshop> workshop_;  ///< for constraints that are written while it runs; under writing_
  std::mutex writing_;                        ///< never taken by a tick
  std::vector<Rule> rules_;
  std::vector<std::vector<bool>> modes_;
  std::vector<bool> bilateral_, initial_, fired_;
  KernelRunner laws_;
  InputSchedule inputs_;
  bool started_ = false;
  int mode_ = -1, initial_mode_ = -1;
  State state_, saved_, hit_;
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

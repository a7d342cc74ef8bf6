#pragma once
// Motion with contacts and dry friction: which contacts are closed, which frictions hold, and the motion in between.
//
// In one set of states everything is smooth. Closed contacts and frictions that hold are constraints like any other,
// embedded in the equations (Gillespie, section 4, figure 2): true sticking, no creep. Sliding friction is a force,
//
//     M udot = rhs + A^T lambda - sum mu lambda_n d^T T,      A udot = gamma
//
// with T the rows of sliding speeds and d the direction of sliding. The normal forces lambda_n it depends on are part of
// the solution: udot = udot_0 + sum lambda_k z_k, where udot_0 is the motion without friction and z_k the answer to the
// friction of one unit of normal force at contact k; then lambda_k = lambda_k0 + sum_j zeta_kj lambda_j is a system of the
// size of the number of sliding contacts.
//
// The states change where an event function falls through zero:
//
//     open contact            its gap                      impact, or soft landing
//     closed contact          its force lambda_n           opens: the constraint is deleted
//     friction that slides    its speed                    holds, or slides the other way
//     friction that holds     limit - |lambda_t|           slides
//
// What follows is decided by complementarity (kane/solve/friction_lcp.hpp), never by the event alone.
//
// Nothing allocates after construction.

#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <vector>

#include "kane/simulate/switching/switching_options.hpp"
#include "kane/simulate/system/contact_rows.hpp"
#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/friction_lcp.hpp"

namespace kane {

enum class ContactState : std::uint8_t { Open, Closed };
enum class FrictionState : std::uint8_t { Idle, Stick, Slide };

/// Counts of what was done since the construction.
struct SwitchingWork {
  long evaluations = 0;  ///< of motions
  long problems = 0;     ///< of complementarity
  long pivots = 0;
  long impacts = 0;  ///< rounds
};

/// What a transition did.
struct TransitionReport {
  ContactStatus status = ContactStatus::Solved;
  bool finite = true;
  bool impact = false;  ///< speeds have jumped
  bool shock = false;   ///< though nothing collided: finite forces did not exist (Painleve)
  int rounds = 0;
  int massless = -1;  ///< a speed that no mass resists, if that is why it failed
  double kinetic_before = 0, kinetic_after = 0;

  [[nodiscard]] bool ok() const {
    return finite && status != ContactStatus::NoSolution && status != ContactStatus::Inaccurate;
  }
};

class SwitchedDynamics {
 public:
  explicit SwitchedDynamics(SystemEvaluator& evaluator, const SwitchingOptions& options = {});
  SwitchedDynamics(const SwitchedDynamics&) = delete;
  SwitchedDynamics& operator=(const SwitchedDynamics&) = delete;

  ~SwitchedDynamics();

  [[nodiscard]] std::size_t contact_count() const { return contacts_.size(); }
  [[nodiscard]] std::size_t friction_count() const { return frictions_.size(); }
  [[nodiscard]] ContactState contact_state(std::size_t k) const { return contacts_[k].state; }
  [[nodiscard]] FrictionState friction_state(std::size_t f) const { return frictions_[f].state; }
  [[nodiscard]] std::span<const std::size_t> friction_rows(std::size_t f) const { return frictions_[f].rows; }
  /// Whose normal force presses it; -1: none.
  [[nodiscard]] int friction_contact(std::size_t f) const { return frictions_[f].contact; }
  [[nodiscard]] const CompiledSystem& system() const { return evaluator_.system(); }

  /// Constraints that hold in both directions, one flag per row; rows of contacts and frictions are not looked at.
  void set_bilateral(const std::vector<bool>& rows);
  [[nodiscard]] const std::vector<bool>& bilateral() const { return bilateral_; }
  /// The same for the row at a free place (CompileOptions::free_rows).
  void set_written(std::size_t place, bool holds);
  /// All open, nothing holds, nothing remembered of the past.
  void reset();

  /// Throws ModelError if contacts overlap in this state, or if coefficients make no sense.
  void check_start(std::span<const double> q, std::span<const double> u);

  /// States, and what is remembered, of another one of the same system.
  void copy_states(const SwitchedDynamics& from);
  /// The same as a value.
  struct Memory;
  void save(Memory& memory) const;
  void restore(const Memory& memory);

  /// At the evaluator's time and inputs, in the present states.
  [[nodiscard]] MotionReport calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                         std::span<double> udot);
  /// Forces of the constraints' rows in the last calc_motion(); of sliding frictions too.
  [[nodiscard]] std::span<const double> forces() const {
    return std::span(lambda_).first(evaluator_.system().constraint_count());
  }
  /// The same of any row.
  [[nodiscard]] double row_force(std::size_t row) const { return lambda_[row]; }
  /// The same of contact `k`.
  [[nodiscard]] double contact_force(std::size_t k) const { return lambda_[contacts_[k].row]; }
  /// "" for a slot that holds no shapes.
  [[nodiscard]] std::string contact_name(std::size_t k) const;
  [[nodiscard]] std::string friction_name(std::size_t f) const;
  /// The same into a string, which does not allocate if it is long enough.
  void write_contact_name(std::size_t k, std::string& name) const;
  void write_friction_name(std::size_t f, std::string& name) const;
  [[nodiscard]] std::string row_name(std::size_t row) const;
  [[nodiscard]] std::string function_name(std::size_t k) const;

  /// Forces along rows that are applied from outside (zero at first), such as those of a handle.
  void set_applied(std::size_t row, double force);

  /// Event functions: one for each contact, one for each friction, then one for each slot of shapes (how far it is from
  /// leaving the face or edge it touches).
  [[nodiscard]] std::size_t function_count() const { return contacts_.size() + frictions_.size() + slots_; }
  void calc_functions(std::span<const double> q, std::span<const double> u, std::span<double> g);
  /// Whether a function is one of the configuration and the speeds alone, in the present states.
  [[nodiscard]] bool kinematic(std::size_t k) const;
  /// Those alone, without any forces; the others are left as they are.
  void calc_kinematic_functions(std::span<const double> q, std::span<const double> u, std::span<double> g);
  /// The same after settle(), without evaluating anything again.
  void read_settled(std::span<double> g) const;
  /// The accelerations at the state of the last calc_functions() or settle(), with forces() to them.
  [[nodiscard]] std::span<const double> calc_accelerations(std::span<const double> q, std::span<const double> u);
  /// qdot and udot at that state, if they are known already.
  [[nodiscard]] bool find_motion(std::span<double> qdot, std::span<double> udot) const;
  /// After a step that was accepted. True if other shapes are near now: event functions have changed.
  bool note_step(std::span<const double> q, std::span<const double> u);
  /// How long the next step may be, so that no shapes pass through each other unseen.
  [[nodiscard]] double longest_step() const;
  /// Which part of a step of length `h` that ended at q, u is free of that (shapes may have become faster on the way).
  [[nodiscard]] double safe_part(std::span<const double> q, std::span<const double> u, double h);
  /// More places touch or nearly do than there are slots for.
  [[nodiscard]] bool overflown() const;
  [[nodiscard]] ContactRows* shapes() { return shapes_.get(); }

  /// Impacts if something that touches approaches, then new states of all contacts and frictions, then u exactly on the
  /// constraints. To be called at the start, after events, and whenever constraints or speeds were changed.
  TransitionReport settle(std::span<const double> q, std::span<double> u);
  /// Imposes the bilateral constraints at once (inelastic): M (u+ - u) = A^T impulse. False if they cannot be met.
  [[nodiscard]] bool impose(std::span<const double> q, std::span<double> u);
  /// Impulses of all rows in the last settle() or impose(), summed up.
  [[nodiscard]] std::span<const double> impulses() const { return impulse_; }
  /// Between these two, transitions may be tried that are not meant: what is nearest counts as touching, and impacts are
  /// few. Afterwards everything is as it was, to the last bit.
  void begin_rehearsal();
  void end_rehearsal();
  /// A contact is open and its gap is below -`depth`, going deeper: an event was missed.
  [[nodiscard]] bool missed(std::span<const double> q, std::span<const double> u, double depth);
  /// A u + b of a row, where the rows were evaluated last.
  [[nodiscard]] double calc_row_speed(std::size_t row, std::span<const double> u) const { return row_speed(row, u); }
  [[nodiscard]] double calc_kinetic(std::span<const double> u) const;
  [[nodiscard]] const SwitchingWork& work() const { return work_; }
  /// Redundant supports: the forces of the present set are not determined by the motion.
  [[nodiscard]] bool hyperstatic() const { return !evaluator_.choice().redundant_rows().empty() && any_active_; }

 private:
  struct Contact {
    std::size_t row;
    bool compliant, poisson;
    ContactState state = ContactState::Open;
    double offset = 0;  ///< keeps a function that begins at zero from firing at once
    double fastest_approach = 0;
    int slot = -1;  ///< of shapes
    double leave_offset = 0;
  };
  struct Friction {
    std::vector<std::size_t> rows;
    int contact;
    FrictionState state = FrictionState::Idle;
    std::array<double, 2> direction = {1, 0};
    std::array<double, 2> kept = {1, 0};  ///< direction where the last step or event ended
    double offset = 0;
    double fastest = 0;
    int line = -1;        ///< the only one of two rows along which anything can move; -1: there is none
    bool rested = false;  ///< did not slide before the last event
    bool leaves = false;  ///< holds no longer: its force is on the cone, going outwards
    enum class Kind : std::uint8_t { Own, Sliding, Rolling, Spinning } kind = Kind::Own;
  };

  void check_coefficients() const;
  void check_overlaps();
  void add_slots();
  bool update_slots(std::span<const double> q, std::span<const double> u);
  void leave_faces(std::span<const double> q, std::span<const double> u);
  void evaluate_slots(std::span<const double> u);

  // values of the expressions at the present state
  // (a restitution that varies counts as the nearest one between 0 and 1)
  [[nodiscard]] double restitution(std::size_t k) const { return std::clamp(values_[2 * k], 0.0, 1.0); }
  [[nodiscard]] double compliant_force(std::size_t k) const { return values_[2 * k + 1]; }
  [[nodiscard]] double kinetic(std::size_t f) const { return values_[2 * contacts_.size() + 2 * f]; }
  [[nodiscard]] double stiction(std::size_t f) const { return values_[2 * contacts_.size() + 2 * f + 1]; }

  /// Of sliding in a plane: slower ones may come to hold.
  [[nodiscard]] double stop_speed(const Friction& f) const {
    return std::max(options_.stick_speed * f.fastest, options_.turn_speed);
  }
  [[nodiscard]] double slide_function(const Friction& f, std::span<const double> u) const;
  [[nodiscard]] double leave_function(const Contact& c) const;
  void evaluate(std::span<const double> q, std::span<const double> u);
  void evaluate_rows(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] double row_speed(std::size_t row, std::span<const double> u) const;
  void add_row(std::size_t row, double factor, std::span<double> force) const;
  [[nodiscard]] bool presses(const Friction& f) const;
  /// Normal force that does not depend on the motion, times `coefficient`: of compliant contacts, or 1.
  [[nodiscard]] double known_limit(const Friction& f, double coefficient) const;
  [[nodiscard]] bool rigid_contact(const Friction& f) const;
  void update_direction(Friction& f, std::span<const double> u) const;
  [[nodiscard]] int find_line(const Friction& f) const;
  [[nodiscard]] static bool on_line(const Friction& f) { return f.rows.size() == 1 || f.line >= 0; }
  [[nodiscard]] static std::size_t line_row(const Friction& f) { return f.line > 0 ? 1 : 0; }
  void add_known_forces(std::span<const double> u);
  [[nodiscard]] MotionReport solve_smooth(std::span<double> udot);
  [[nodiscard]] MotionReport add_sliding(std::span<double> udot);
  void apply_active();

  // transitions (switched_transitions.cpp)
  [[nodiscard]] bool prepare_base(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] bool solve_base(std::span<const double> rhs, bool with_gamma, std::span<double> out);
  [[nodiscard]] bool touches(const Contact& c) const;
  [[nodiscard]] double friction_speed(const Friction& f, std::span<const double> u) const;
  [[nodiscard]] double still(std::span<const double> u, std::size_t row) const;
  void collect_rows();
  void add_friction_terms(std::span<const double> u, bool impact);
  [[nodiscard]] bool form_response();
  void apply_impulses(std::span<double> u, std::span<const double> p);
  [[nodiscard]] double rest_threshold(std::size_t contact, std::span<const double> u) const;
  [[nodiscard]] bool impact_round(std::span<double> u, TransitionReport& report);
  void note_approach(std::span<const double> u);
  [[nodiscard]] bool shock(std::span<double> u);
  [[nodiscard]] ContactStatus solve_problem(std::span<double> p, bool check_unique = false);
  [[nodiscard]] ContactStatus solve_impact(std::span<const double> u, std::span<double> p, bool elastic);
  void limit_energy(std::span<const double> u_before, std::span<double> u);
  [[nodiscard]] ContactStatus solve_accelerations(std::span<const double> u, bool check_unique);
  void find_leaving(std::span<const double> q, std::span<const double> u);
  [[nodiscard]] ContactStatus let_go();
  void take_states();
  [[nodiscard]] bool keeps_states() const;
  [[nodiscard]] double acceleration_tolerance() const;
  [[nodiscard]] bool feasible(std::span<const double> q, std::span<const double> u);
  void set_offsets(std::span<const double> q, std::span<const double> u);

  SystemEvaluator& evaluator_;
  SwitchingOptions options_;
  std::size_t n_;
  std::unique_ptr<ContactRows> shapes_;
  std::size_t slots_ = 0;
  KernelRunner values_runner_;
  std::vector<Contact> contacts_;
  std::vector<Friction> frictions_;
  std::vector<bool> bilateral_, active_, own_row_;
  bool any_active_ = false, any_sliding_ = false, any_compliant_ = false;
  std::vector<double> applied_;
  std::vector<std::size_t> applied_rows_;
  std::vector<double> values_, force_, lambda_, active_lambda_, impulse_, zeros_, functions_;
  Matrix factor_;

  // sliding contacts
  Matrix sliding_z_, sliding_lambda_;
  std::vector<std::size_t> sliding_;
  Lu sliding_lu_;
  std::vector<double> sliding_force_, sliding_rhs_;

  struct Kept {
    SwitchingOptions options = {};
    SwitchingWork work = {};
    std::vector<Contact> contacts = {};
    std::vector<Friction> frictions = {};
    std::vector<bool> bilateral = {};
    std::vector<double> lambda = {}, impulse = {};
    SystemEvaluator::SavedChoice choice;
  };
  Kept kept_;              ///< while rehearsing
  bool all_slow_ = false;  ///< rehearsing: no friction slides too fast to hold

  // complementarity
  SwitchingWork work_;
  FrictionLcp lcp_;
  std::vector<std::size_t> rows_;      ///< of the problem: normals, then frictions
  std::vector<std::size_t> involved_;  ///< contacts
  std::vector<std::size_t> involved_frictions_;
  std::vector<FrictionTerm> terms_;
  Matrix response_, w_;  ///< M^-1 row^T of each row; W
  std::vector<double> v0_, p_, p_compression_, u_elastic_, u_inelastic_, u_start_, udot_free_, scratch_qdot_,
      scratch_udot_;
  bool base_constrained_ = false, simultaneous_ = false;
  int massless_ = -1;  ///< found by prepare_base()
};

struct SwitchedDynamics::Memory {
  std::vector<Contact> contacts;
  std::vector<Friction> frictions;
  std::vector<bool> bilateral;
  std::vector<double> applied;
  std::vector<std::size_t> applied_rows;
  ContactScene::Memory scene;
};

}  // namespace kane

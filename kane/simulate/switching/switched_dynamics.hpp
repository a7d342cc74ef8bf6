#pragma once
// Motion with contacts and dry friction: which contacts are closed, which frictions hold, and the motion in between. This is
// the whole; its parts are
//
//     ContactSet        contacts and frictions, their states and values
//     SmoothMotion      the motion while no state changes
//     EventFunctions    functions that fall through zero where one does
//     ContactProblem    complementarity of contacts with friction
//     ImpactSolver      jumps of speeds
//     StateFinder       new states after an event
//
// What follows an event is decided by complementarity, never by the event alone. Nothing allocates after construction.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kane/simulate/switching/contact_forces.hpp"
#include "kane/simulate/switching/contact_set.hpp"
#include "kane/simulate/switching/event_functions.hpp"
#include "kane/simulate/switching/impact_solver.hpp"
#include "kane/simulate/switching/smooth_motion.hpp"
#include "kane/simulate/switching/state_finder.hpp"

namespace kane {

class SwitchedDynamics {
 public:
  explicit SwitchedDynamics(SystemEvaluator& evaluator, const SwitchingOptions& options = {});
  SwitchedDynamics(const SwitchedDynamics&) = delete;
  SwitchedDynamics& operator=(const SwitchedDynamics&) = delete;

  ~SwitchedDynamics();

  [[nodiscard]] std::size_t contact_count() const { return set_.contacts.size(); }
  [[nodiscard]] std::size_t friction_count() const { return set_.frictions.size(); }
  [[nodiscard]] ContactState contact_state(std::size_t k) const { return set_.contacts[k].state; }
  [[nodiscard]] FrictionState friction_state(std::size_t f) const { return set_.frictions[f].state; }
  [[nodiscard]] std::span<const std::size_t> friction_rows(std::size_t f) const { return set_.frictions[f].rows; }
  /// Whose normal force presses it; -1: none.
  [[nodiscard]] int friction_contact(std::size_t f) const { return set_.frictions[f].contact; }
  [[nodiscard]] const CompiledSystem& system() const { return set_.evaluator.system(); }

  /// Constraints that hold in both directions, one flag per row; rows of contacts and frictions are not looked at.
  void set_bilateral(const std::vector<bool>& rows) { set_.set_bilateral(rows); }
  [[nodiscard]] const std::vector<bool>& bilateral() const { return set_.bilateral; }
  /// The same for the row at a free place (CompileOptions::free_rows).
  void set_written(std::size_t place, bool holds) { set_.set_written(place, holds); }
  /// All open, nothing holds, nothing remembered of the past.
  void reset() { set_.reset(); }

  /// Throws ModelError if contacts overlap in this state, or if a coefficient is out of range.
  void check_start(std::span<const double> q, std::span<const double> u) { set_.check_start(q, u); }

  /// States, and what is remembered, of another one of the same system.
  void copy_states(const SwitchedDynamics& from);
  /// Saves them as a value, and restores them.
  struct Memory;
  void save(Memory& memory) const;
  void restore(const Memory& memory);

  /// At the evaluator's time and inputs, in the present states.
  [[nodiscard]] MotionReport calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                         std::span<double> udot) {
    return smooth_.calc(q, u, qdot, udot);
  }
  /// Forces of the constraints' rows in the last calc_motion(); of sliding frictions too.
  [[nodiscard]] std::span<const double> forces() const { return smooth_.forces().first(system().constraint_count()); }
  /// The force of any row.
  [[nodiscard]] double row_force(std::size_t row) const { return smooth_.forces()[row]; }
  /// After settle() and calc_motion(): takes the forces of contacts and frictions from the complementarity problem. Where
  /// supports are redundant, those of least norm may lie outside the cones; these never do.
  void take_settled_forces();
  /// The force of contact `k`.
  [[nodiscard]] double contact_force(std::size_t k) const { return smooth_.forces()[set_.contacts[k].row]; }
  /// Forces of all rows, those of shapes included.
  [[nodiscard]] std::span<const double> row_forces() const { return smooth_.forces(); }
  [[nodiscard]] std::size_t contact_row(std::size_t k) const { return set_.contacts[k].row; }
  /// Fills in where the shapes of contact `k` touch, if it is one of shapes.
  void locate_shapes(std::size_t k, ContactForce& force) const;
  /// Friction `f` resists the sliding of its contact (not rolling or spinning).
  [[nodiscard]] bool slides(std::size_t f) const;
  /// Adds `friction` to what acts across the normal of contact `k`: of shapes the vector, of the model its components.
  void add_drag(std::size_t k, ContactForce& friction, ContactForce& contact) const;
  /// "" for a slot that holds no shapes.
  [[nodiscard]] std::string contact_name(std::size_t k) const { return set_.contact_name(k); }
  [[nodiscard]] std::string friction_name(std::size_t f) const { return set_.friction_name(f); }
  /// The same into a string, which does not allocate if it is long enough.
  void write_contact_name(std::size_t k, std::string& name) const { set_.write_contact_name(k, name); }
  void write_friction_name(std::size_t f, std::string& name) const { set_.write_friction_name(f, name); }
  [[nodiscard]] std::string row_name(std::size_t row) const { return set_.row_name(row); }
  [[nodiscard]] std::string function_name(std::size_t k) const;

  /// Forces along rows that are applied from outside (zero at first), such as those of a handle.
  void set_applied(std::size_t row, double force) { smooth_.set_applied(row, force); }

  /// Event functions (event_functions.hpp).
  [[nodiscard]] std::size_t function_count() const { return functions_.count(); }
  void calc_functions(std::span<const double> q, std::span<const double> u, std::span<double> g) {
    functions_.calc(q, u, g);
  }
  /// Whether a function is one of the configuration and the speeds alone, in the present states.
  [[nodiscard]] bool kinematic(std::size_t k) const { return functions_.kinematic(k); }
  /// Evaluates these functions only, without any forces; the others are left as they are.
  void calc_kinematic_functions(std::span<const double> q, std::span<const double> u, std::span<double> g) {
    functions_.calc_kinematic(q, u, g);
  }
  /// The functions after settle(), without evaluating anything again.
  void read_settled(std::span<double> g) const { functions_.read_settled(g); }
  /// The accelerations at the state of the last calc_functions() or settle(), with forces() to them.
  [[nodiscard]] std::span<const double> calc_accelerations(std::span<const double> q, std::span<const double> u) {
    return functions_.calc_accelerations(q, u);
  }
  /// qdot and udot at that state, if they are known already.
  [[nodiscard]] bool find_motion(std::span<double> qdot, std::span<double> udot) const {
    return functions_.find_motion(qdot, udot);
  }
  /// After a step that was accepted. True if other shapes are near now: event functions have changed.
  bool note_step(std::span<const double> q, std::span<const double> u) { return functions_.note_step(q, u); }
  /// How long the next step may be, so that no shapes pass through each other unseen.
  [[nodiscard]] double longest_step() const { return set_.longest_step(); }
  /// The part of a step of length `h`, ending at q and u, in which no shapes can have met unseen (they may have become
  /// faster during the step).
  [[nodiscard]] double safe_part(std::span<const double> q, std::span<const double> u, double h) {
    return set_.safe_part(q, u, h);
  }
  /// More places touch, or nearly do, than there are slots for.
  [[nodiscard]] bool overflown() const { return set_.overflown(); }
  [[nodiscard]] ContactRows* shapes() { return set_.shapes.get(); }

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
  [[nodiscard]] bool missed(std::span<const double> q, std::span<const double> u, double depth) {
    return functions_.missed(q, u, depth);
  }
  /// A u + b of a row, where the rows were evaluated last.
  [[nodiscard]] double calc_row_speed(std::size_t row, std::span<const double> u) const {
    return set_.row_speed(row, u);
  }
  [[nodiscard]] double calc_kinetic(std::span<const double> u) const { return set_.calc_kinetic(u); }
  [[nodiscard]] const SwitchingWork& work() const { return work_; }
  /// For schemes that follow the same contacts in another way.
  [[nodiscard]] ContactSet& contact_set() { return set_; }
  /// Redundant supports: the forces of the present set are not determined by the motion.
  [[nodiscard]] bool hyperstatic() const { return set_.hyperstatic(); }

 private:
  struct Kept {
    SwitchingOptions options = {};
    SwitchingWork work = {};
    std::vector<SwitchedContact> contacts = {};
    std::vector<SwitchedFriction> frictions = {};
    std::vector<bool> bilateral = {};
    std::vector<double> forces = {}, impulse = {};
    SystemEvaluator::SavedChoice choice;
  };

  SwitchingWork work_;
  ContactSet set_;
  SmoothMotion smooth_;
  ContactProblem problem_;
  ImpactSolver impacts_;
  StateFinder finder_;
  EventFunctions functions_;
  std::vector<double> active_lambda_, impulse_;
  Kept kept_;  ///< while rehearsing
};

struct SwitchedDynamics::Memory {
  std::vector<SwitchedContact> contacts;
  std::vector<SwitchedFriction> frictions;
  std::vector<bool> bilateral;
  std::vector<double> applied;
  std::vector<std::size_t> applied_rows;
  ContactScene::Memory scene;
};

}  // namespace kane

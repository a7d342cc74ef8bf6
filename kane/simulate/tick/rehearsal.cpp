// Rehearsing a change of constraints: everything a tick with a change does, on the real memory, then everything is put back.
// Only the values that one tick hands to the next are restored; everything else is recomputed before it is used.

#include <limits>

#include "kane/base/at.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"

namespace kane {

void SwitchedDynamics::begin_rehearsal() {
  kept_.options = set_.options, kept_.work = work_;
  kept_.contacts = set_.contacts, kept_.frictions = set_.frictions;
  kept_.bilateral = set_.bilateral;
  kept_.forces.assign(smooth_.forces().begin(), smooth_.forces().end()), kept_.impulse = impulse_;
  set_.evaluator.save_choice(kept_.choice);
  if (set_.shapes) set_.shapes->scene().keep_slots();
  // The two nearest gaps count as closed.
  double nearest = std::numeric_limits<double>::infinity(), second = nearest;
  for (const SwitchedContact& c : set_.contacts) {
    if (c.compliant) continue;
    second = std::min(second, std::max(nearest, set_.evaluator.phi()[c.row]));
    nearest = std::min(nearest, set_.evaluator.phi()[c.row]);
  }
  set_.options.touch_gap = set_.contacts.size() > 1 ? second : nearest;
  set_.options.max_rounds = 1;
  set_.all_slow = true;
}

void SwitchedDynamics::end_rehearsal() {
  set_.options = kept_.options, work_ = kept_.work;
  set_.all_slow = false;
  set_.contacts = kept_.contacts, set_.frictions = kept_.frictions;
  set_.bilateral = kept_.bilateral;
  smooth_.set_forces(kept_.forces), impulse_ = kept_.impulse;
  if (set_.shapes) set_.shapes->scene().restore_slots();
  set_.apply_active();
  set_.evaluator.restore_choice(kept_.choice);
}

/// From the end of a step of length h: an event in it is located, then a rule (each in its turn) and all contacts change.
void TickSimulator::rehearse_change(double h) {
  const std::size_t own = dynamics_.function_count();
  std::size_t hit = own > 0 ? next_rehearsed_ % own : 0;
  if (!rules_.empty()) {
    const std::size_t i = next_rehearsed_ % rules_.size();
    hit = own + i;
    if (!system_->equations().switches[i].from.empty()) mode_ = rules_[i].from;
  }
  ++next_rehearsed_;
  if (hit >= after_.size()) return;
  const bool rises = hit >= own && system_->equations().switches[hit - own].direction > 0;
  before_[hit] = rises ? -1 : 1, after_[hit] = -before_[hit];
  (void)find_crossing(h, 1);
  before_[hit] = rises ? -1 : 1, after_[hit] = -before_[hit];
  restore();
  rehearse_backwards_ = !rehearse_backwards_;
  if (rehearse_backwards_)
    for (double& u : state_.u) u = -u;  // what parts approaches
  if (transit() != TickStatus::Ok) return;
  dynamics_.read_settled(before_);
  calc_guards(before_);
  const bool known =
      dynamics_.find_motion(std::span(k1_).first(state_.q.size()), std::span(k1_).subspan(state_.q.size()));
  if (step(h, known)) calc_functions(after_);
}

void TickSimulator::rehearse() {
  if (after_.empty()) return;
  kept_.state = state_, kept_.before = before_, kept_.bilateral = bilateral_;
  kept_.mode = mode_, kept_.forces_changed = forces_changed_;
  dynamics_.begin_rehearsal();
  save();
  if (step(options_.period)) {
    calc_functions(after_);
    rehearse_change(options_.period);
  }
  state_ = kept_.state, before_ = kept_.before, bilateral_ = kept_.bilateral;
  mode_ = kept_.mode, forces_changed_ = kept_.forces_changed;
  situate(state_.t);
  dynamics_.end_rehearsal();
  projector_.update_active();
  update_handles();
}

}  // namespace kane

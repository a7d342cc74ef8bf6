// HybridSimulator::step: one step of the integrator up to the next event, or the event itself.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

const StepReport& HybridSimulator::step(double limit) {
  event_.reset();
  stop_ = fresh_ = false;
  report_ = {};
  const double begin = state_.t;
  if (failure_ || !advance(limit)) report_.status = failure_->status;
  if (report_.status != StepStatus::Ok && may_step()) {
    const std::string why = failure_->quantity + ": " + failure_->cause;
    report_.status = StepStatus::Ok;
    failure_.reset();
    state_ = before_;
    take_over(why);
  }
  if (report_.status == StepStatus::Ok) check_energy();
  report_.t = state_.t;
  report_.h = state_.t - begin;
  return report_;
}

bool HybridSimulator::advance(double limit) {
  if (stepping_) return advance_stepping(limit);
  before_ = state_;
  std::string why;
  note_cost();
  if (too_busy(why)) {
    take_over(why);
    return true;
  }
  return advance_events(limit);
}

bool HybridSimulator::advance_events(double limit) {
  if (phase_ == Phase::AtEvent) return handle_event();
  bool handled = false;
  if (phase_ != Phase::InJump && !finish_step(handled)) return false;
  if (handled) return true;
  if (phase_ != Phase::InJump) {
    if (state_.t >= limit) return true;
    if (!make_step(std::min({limit, inputs_.next_break(), state_.t + longest_, state_.t + dynamics_.longest_step()})))
      return false;
    safe_end_ = find_safe_end();
  }
  return find_event();
}

/// Looks for the first event in the rest of the last step, and goes there; or to its end.
bool HybridSimulator::find_event() {
  const EventStatus found = locator_->find(*step_);
  if (found == EventStatus::NotFinite || found == EventStatus::StepFailed) {
    const std::string what = found == EventStatus::NotFinite
                                 ? fmt::format("the condition of '{}'", function_name(at(locator_->failed())))
                                 : "an event";
    fail(StepStatus::NotFinite, what, "it is not a finite number along this step");
    return false;
  }
  const double t = found == EventStatus::Found ? locator_->time() : step_->time();
  const bool cut = safe_end_ < t;
  if (!cut && found != EventStatus::Found) {
    load_state(step_->time(), step_->state(), state_);
    phase_ = Phase::AtEnd;
    return true;
  }
  const double end = cut ? safe_end_ : t;
  if (!find_state(end)) {
    fail(StepStatus::NotFinite, "the motion", "it could not be interpolated inside a step");
    return false;
  }
  load_state(end, y_, state_);
  phase_ = cut ? Phase::AtCut : Phase::AtEvent;
  if (!cut) hits_.assign(locator_->hits().begin(), locator_->hits().end());
  return true;
}

bool HybridSimulator::handle_event() {
  constexpr double kSame = 1e-9;
  const std::vector<int> active = evaluator_.active_rows();
  sample_ = state_;
  if (!happen(hits_)) return false;
  // Inside a jump no motion could begin; but one that goes on as before is known to its end.
  const bool goes_on = step_ == &jump_ && !stop_ && evaluator_.active_rows() == active && is_near(sample_, kSame);
  phase_ = goes_on ? Phase::InJump : Phase::Ready;
  if (!goes_on) resume_integrator();
  return true;
}

/// Completes the last step at the place where it ended or was left. `handled`: something may have happened there.
bool HybridSimulator::finish_step(bool& handled) {
  const Phase phase = phase_;
  phase_ = Phase::Ready;
  if (phase == Phase::Ready && !disturbed_) return true;
  store(state_);
  situate(state_.t);
  if (phase == Phase::AtEnd && step_ == &jump_) integrator_->resume(state_.t, y_);
  const bool other_shapes = phase != Phase::Ready && dynamics_.note_step(state_.q, state_.u);
  constexpr double kDeep = 1e-8;
  const bool at_break = phase == Phase::AtEnd && state_.t >= inputs_.next_break();
  if (at_break) {
    inputs_.pass(state_);
    evaluator_.set_inputs(inputs_.values(), state_.t);
  }
  // A friction that holds may not hold under the new inputs.
  handled = disturbed_ || at_break || jumps_.crossed() ||
            (phase == Phase::AtEnd && dynamics_.missed(state_.q, state_.u, kDeep));
  if (handled) {
    if (!happen({})) return false;
    resume_integrator();
  } else if (phase == Phase::AtCut) {
    start_events();
    resume_integrator();
  } else if (other_shapes) {
    start_events();
  }
  return true;
}

void HybridSimulator::resume_integrator() {
  change_point_.forget();
  integrator_->resume(state_.t, y_);
  settle_jumps();
}

void HybridSimulator::settle_jumps() {
  if (!locates_jumps()) return;
  situate(state_.t);
  jumps_.settle(jumps_.calc_sides(state_));
}

/// How long the last step of the integrator may be instead, if it leads over a jump of the equations.
double HybridSimulator::find_jump() {
  Integrator& integrator = *integrator_;
  return jumps_.find(integrator.previous_time(), integrator.time(), [&](double t) -> std::span<const double> {
    const bool end = t == integrator.time();
    if (!end && integrator.interpolate(t, y_) != StepStatus::Ok) return {};
    load_state(t, end ? integrator.state() : std::span<const double>(y_), sample_);
    situate(t);
    return jumps_.calc_sides(sample_);
  });
}

bool HybridSimulator::interpolate(double t, State& state) {
  if (t == state_.t) {
    state = state_;
    return true;
  }
  if (stepping_) {
    const double part = stepped_h_ > 0 ? std::clamp((t - before_.t) / stepped_h_, 0.0, 1.0) : 1.0;
    state = state_;
    state.t = t;
    for (std::size_t i = 0; i < state.q.size(); ++i) state.q[i] = before_.q[i] + part * (state_.q[i] - before_.q[i]);
    for (std::size_t i = 0; i < state.u.size(); ++i) state.u[i] = before_.u[i] + part * (state_.u[i] - before_.u[i]);
    for (const int first : system_->equations().quaternions) {
      const double size = norm2({state.q.data() + first, 4});
      for (int i = first; i < first + 4 && size > 0; ++i) state.q[at(i)] /= size;
    }
    return true;
  }
  state.q.resize(qdot_.size());
  state.u.resize(udot_.size());
  // The slopes that the integrator needs for this are those of its next step as well.
  if (step_->interpolate(t, y_) != StepStatus::Ok) return false;
  const ChoiceKeeper keeper(*this);
  if (!find_state(t)) return false;
  load_state(t, y_, state);
  return true;
}

/// Sets y_ to the state inside the last step, projected onto the constraints; where these determine nothing (at a change
/// point), as interpolated.
bool HybridSimulator::find_state(double t) {
  if (step_->interpolate(t, y_) != StepStatus::Ok) return false;
  load_state(t, y_, sample_);
  constexpr double kMostCorrection = 1e-6;
  if (project(t, y_) == ProjectionStatus::Failed || (step_ == &jump_ && !is_near(sample_, kMostCorrection)))
    store(sample_);
  return true;
}

/// Whether y_ equals a state up to this fraction of its size.
bool HybridSimulator::is_near(const State& state, double fraction) const {
  const auto differs = [&](const std::vector<double>& x, std::size_t first) {
    double largest = 0, size = 1;
    for (std::size_t i = 0; i < x.size(); ++i)
      largest = std::max(largest, std::abs(x[i] - y_[first + i])), size = std::max(size, std::abs(x[i]));
    return !(largest <= fraction * size);
  };
  return !differs(state.q, 0) && !differs(state.u, state.q.size());
}

/// One step of the integrator, or over a change point: step_ tells which. Steps that end too near to such a place are made
/// again, shorter (change_point.hpp).
bool HybridSimulator::make_step(double limit) {
  const bool watch = std::find(bilateral_.begin(), bilateral_.end(), true) != bilateral_.end();
  step_ = &jump_;
  if (watch && jump_.pass(state_, limit)) return true;
  Integrator& integrator = *integrator_;
  step_ = &integrator;
  double most = watch ? change_point_.most_step(state_) : std::numeric_limits<double>::infinity();
  if (locates_jumps()) most = std::min(most, jumps_.most_step(state_.t));
  for (int tries = 0, crossings = 0;;) {
    const StepReport& step = integrator.step(std::min(limit, state_.t + most));
    if (step.status != StepStatus::Ok) {
      fail(step.status, "the motion",
           failed_.ok() ? fmt::format("{}", to_string(step.status)) : describe(failed_, system_->equations()));
      return false;
    }
    constexpr int kMostTries = 40;
    if (watch && tries < kMostTries && too_near_change_point()) {
      most = 0.5 * step.h;
      ++tries;
    } else {
      const double shorter =
          locates_jumps() && crossings < kMostTries ? find_jump() : std::numeric_limits<double>::infinity();
      if (!(shorter < step.h)) return !held_at_jump() && !creeps(step.h);
      most = shorter;
      ++crossings;
    }
    store(state_);
    integrator.resume(state_.t, y_);
  }
}

bool HybridSimulator::held_at_jump() {
  if (const auto chatter = jumps_.find_chatter(state_)) fail(chatter->status, chatter->quantity, chatter->cause);
  return failure_.has_value();
}

bool HybridSimulator::too_near_change_point() {
  const Integrator& integrator = *integrator_;
  load_state(integrator.time(), integrator.state(), sample_);
  situate(sample_.t);
  return !change_point_.observe(sample_, [this] {
    situate(state_.t);
    const double before = change_point_.calc_independence(state_);
    situate(sample_.t);
    return before;
  });
}

/// Steps that stay tiny where constraints become dependent on each other: a change point that the motion does not pass.
bool HybridSimulator::creeps(double h) {
  constexpr double kTiny = 1e-6, kDependent = 1e-2;
  constexpr int kMany = 200;
  tiny_steps_ = h < kTiny * longest_ ? tiny_steps_ + 1 : 0;
  if (tiny_steps_ < kMany) return false;
  tiny_steps_ = 0;
  situate(state_.t);
  evaluator_.calc_constraints(state_.q, state_.u);
  const IndependentReport& rows = evaluator_.choose_independent();
  if (rows.finite && rows.smallest_row > kDependent) return false;
  fail(StepStatus::StepUnderflow, "the constraints",
       "they become dependent on each other here (a change point, such as links that lie in one line), and the motion "
       "cannot be followed through it: it comes to rest there or turns sharply, and steps become shorter and shorter. "
       "Begin beyond the place, or stay away from it");
  return true;
}

/// The time up to which the last step cannot have missed shapes that met.
double HybridSimulator::find_safe_end() {
  const double end = step_->time(), h = end - step_->previous_time();
  if (step_ == &jump_) return end;
  const auto y = step_->state();
  const double part = dynamics_.safe_part(y.first(state_.q.size()), y.subspan(state_.q.size()), h);
  return part < 1 ? end - (1 - part) * h : end;
}

}  // namespace kane

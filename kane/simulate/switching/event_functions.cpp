#include "kane/simulate/switching/event_functions.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"

namespace kane {

namespace {

/// Event functions that begin at zero are lifted by this: far below anything that matters, far above rounding.
constexpr double kLift = 1e-12;
constexpr double kLeft = 1e-9;
/// Rounding of the gaps of bodies some metres away; so small that a thousand rebounds do not add up to anything.
constexpr double kGapRounding = 1e-14;

}  // namespace

EventFunctions::EventFunctions(ContactSet& set, SmoothMotion& smooth, StateFinder& finder)
    : set_(set), smooth_(smooth), finder_(finder), values_(count()) {
  scratch_qdot_.resize(set.evaluator.system().coordinate_count());
  scratch_udot_.resize(set.n);
}

double EventFunctions::slide_function(const SwitchedFriction& f, std::span<const double> u) const {
  if (set_.on_line(f)) return f.direction[set_.line_row(f)] * set_.row_speed(f.rows[set_.line_row(f)], u) + f.offset;
  const double stop = set_.stop_speed(f);
  return std::hypot(set_.row_speed(f.rows[0], u), set_.row_speed(f.rows[1], u)) - stop + f.offset;
}

double EventFunctions::leave_function(const SwitchedContact& c) const {
  return c.state == ContactState::Closed ? set_.shapes->scene().touch(at(c.slot)).inside + c.leave_offset : 1.0;
}

bool EventFunctions::kinematic(std::size_t k) const {
  if (k < set_.contacts.size()) return set_.contacts[k].state == ContactState::Open;
  k -= set_.contacts.size();
  return k >= set_.frictions.size() || set_.frictions[k].state == FrictionState::Slide;
}

void EventFunctions::calc_kinematic(std::span<const double> q, std::span<const double> u, std::span<double> g) {
  set_.evaluate_rows(q, u);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k)
    if (!set_.contacts[k].compliant && set_.contacts[k].state == ContactState::Open)
      g[k] = set_.evaluator.phi()[set_.contacts[k].row] + set_.contacts[k].offset;
  for (std::size_t i = 0; i < set_.frictions.size(); ++i)
    if (set_.frictions[i].state == FrictionState::Slide)
      g[set_.contacts.size() + i] = slide_function(set_.frictions[i], u);
  for (std::size_t k = set_.contacts.size() - set_.slots; k < set_.contacts.size(); ++k)
    g[set_.frictions.size() + set_.slots + k] = leave_function(set_.contacts[k]);
}

void EventFunctions::calc(std::span<const double> q, std::span<const double> u, std::span<double> g) {
  if (set_.any_active) {
    if (!smooth_.calc(q, u, scratch_qdot_, scratch_udot_).ok()) smooth_.clear_forces();
  } else {
    set_.evaluate_rows(q, u);
  }
  bool doubtful = false;
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const SwitchedContact& c = set_.contacts[k];
    if (c.compliant)
      g[k] = 1;
    else
      g[k] = c.state == ContactState::Open ? set_.evaluator.phi()[c.row] + c.offset
                                           : set_.press(k, smooth_.forces()) + c.offset;
    doubtful = doubtful || (c.state == ContactState::Closed && g[k] < 0);
  }
  for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
    const SwitchedFriction& f = set_.frictions[i];
    double& value = g[set_.contacts.size() + i];
    if (f.state == FrictionState::Idle) {
      // A compliant contact or a limit that was zero begins to press.
      value = set_.rigid_contact(f) || !set_.presses(f) ? 1 : -1;
    } else if (f.state == FrictionState::Slide) {
      value = slide_function(f, u);
    } else {
      const double press = set_.rigid_contact(f) ? set_.stiction(i) * set_.press(at(f.contact), smooth_.forces())
                                                 : set_.known_limit(f, set_.stiction(i));
      double force = 0;
      for (const std::size_t row : f.rows) force = std::hypot(force, smooth_.forces()[row]);
      value = press - force + f.offset;
      doubtful = doubtful || value < 0;
    }
  }
  for (std::size_t k = set_.contacts.size() - set_.slots; k < set_.contacts.size(); ++k) {
    g[set_.frictions.size() + set_.slots + k] = leave_function(set_.contacts[k]);
  }
  // Redundant supports: forces of least norm may leave the cone although others would not.
  if (!doubtful || !set_.hyperstatic() || !finder_.feasible(q, u)) return;
  for (std::size_t k = 0; k < set_.contacts.size(); ++k)
    if (set_.contacts[k].state == ContactState::Closed) g[k] = std::max(g[k], kLift);
  for (std::size_t i = 0; i < set_.frictions.size(); ++i)
    if (set_.frictions[i].state == FrictionState::Stick)
      g[set_.contacts.size() + i] = std::max(g[set_.contacts.size() + i], kLift);
}

void EventFunctions::read_settled(std::span<double> g) const {
  const std::size_t c = set_.contacts.size(), f = set_.frictions.size();
  for (std::size_t k = 0; k < c; ++k) g[k] = values_[k] + set_.contacts[k].offset;
  for (std::size_t i = 0; i < f; ++i) g[c + i] = values_[c + i] + set_.frictions[i].offset;
  for (std::size_t k = c - set_.slots; k < c; ++k)
    g[f + set_.slots + k] = values_[f + set_.slots + k] + set_.contacts[k].leave_offset;
}

bool EventFunctions::find_motion(std::span<double> qdot, std::span<double> udot) const {
  if (!set_.any_active) return false;
  std::ranges::copy(scratch_qdot_, qdot.begin());
  std::ranges::copy(scratch_udot_, udot.begin());
  return true;
}

std::span<const double> EventFunctions::calc_accelerations(std::span<const double> q, std::span<const double> u) {
  // calc() has them already where something is constrained.
  if (!set_.any_active) (void)smooth_.calc(q, u, scratch_qdot_, scratch_udot_);
  return scratch_udot_;
}

bool EventFunctions::note_step(std::span<const double> q, std::span<const double> u) {
  if (set_.contacts.empty() && set_.frictions.empty()) return false;
  const bool changed = set_.update_slots(q, u);
  set_.evaluator.calc_constraints(q, u);
  for (SwitchedContact& c : set_.contacts)
    if (c.state == ContactState::Open && set_.evaluator.phi()[c.row] > kLeft) c.offset = 0;
  for (SwitchedFriction& f : set_.frictions) {
    if (f.state != FrictionState::Slide) continue;
    f.line = set_.find_line(f);
    set_.update_direction(f, u);
    if (f.line >= 0) {  // the axes may have turned over
      const double along = set_.row_speed(f.rows[set_.line_row(f)], u);
      if (std::abs(along) > kLeft) f.direction = {0, 0}, f.direction[set_.line_row(f)] = along > 0 ? 1 : -1;
    }
    f.kept = f.direction;
    double speed = 0;
    for (const std::size_t row : f.rows) speed = std::hypot(speed, set_.row_speed(row, u));
    f.fastest = std::max(f.fastest, speed);
    if (speed > (set_.on_line(f) ? kLeft : 2 * set_.stop_speed(f))) f.offset = 0;
  }
  return changed;
}

void EventFunctions::set_offsets(std::span<const double> q, std::span<const double> u) {
  for (SwitchedContact& c : set_.contacts) c.offset = c.leave_offset = 0;
  for (SwitchedFriction& f : set_.frictions) {
    f.offset = 0;
    double speed = 0;
    for (const std::size_t row : f.rows) speed = std::hypot(speed, set_.row_speed(row, u));
    f.fastest = std::max(f.fastest, speed);
  }
  const std::span<double> g = values_;
  calc(q, u, g);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    SwitchedContact& c = set_.contacts[k];
    const bool near = c.state == ContactState::Closed || std::abs(g[k]) < std::max(kLeft, set_.options.touch_gap);
    if (!near || g[k] >= kLift) continue;
    // A contact that opens rises above zero by itself at once, apart from the rounding of its gap.
    const bool leaves = c.state == ContactState::Open && set_.row_speed(c.row, u) > set_.still(u, c.row);
    c.offset = (leaves ? kGapRounding : kLift) + std::max(0.0, -g[k]);
  }
  for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
    const double value = g[set_.contacts.size() + i];
    SwitchedFriction& f = set_.frictions[i];
    if (f.state == FrictionState::Idle || value >= kLift) continue;
    // A friction that slides slowly in a plane and cannot hold is asked again when it is half as fast, not at once.
    double lift = kLift;
    if (f.state == FrictionState::Slide && !set_.on_line(f))
      lift = std::max(lift, 0.5 * std::hypot(set_.row_speed(f.rows[0], u), set_.row_speed(f.rows[1], u)));
    f.offset = lift - value;
  }
  for (std::size_t k = set_.contacts.size() - set_.slots; k < set_.contacts.size(); ++k) {
    const double value = g[set_.frictions.size() + set_.slots + k];
    if (set_.contacts[k].state == ContactState::Closed && value < kLift) set_.contacts[k].leave_offset = kLift - value;
  }
}

// A friction that holds leaves its cone where its force reaches the edge, at zero acceleration. There the answer of the
// complementarity problem is a matter of rounding, so it is not asked: a force that moves outwards means sliding, against
// that force. (This does not hold for redundant supports, whose forces are not unique.)
void EventFunctions::find_leaving(std::span<const double> q, std::span<const double> u) {
  bool any = false;
  for (SwitchedFriction& f : set_.frictions) f.leaves = false, any = any || f.state == FrictionState::Stick;
  if (!any || set_.hyperstatic()) return;
  calc(q, u, values_);
  for (std::size_t i = 0; i < set_.frictions.size(); ++i)
    set_.frictions[i].leaves = set_.frictions[i].state == FrictionState::Stick &&
                               values_[set_.contacts.size() + i] - set_.frictions[i].offset <= 0;
}

bool EventFunctions::missed(std::span<const double> q, std::span<const double> u, double depth) {
  set_.evaluator.calc_constraints(q, u);
  return std::any_of(set_.contacts.begin(), set_.contacts.end(), [&](const SwitchedContact& c) {
    return !c.compliant && c.state == ContactState::Open && set_.evaluator.phi()[c.row] < -depth &&
           set_.row_speed(c.row, u) < 0;
  });
}

}  // namespace kane

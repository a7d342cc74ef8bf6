// HybridSimulator: modes, rules, and what happens at an event.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

// ---- modes and rules --------------------------------------------------------------------------------------------------------

void HybridSimulator::set_group(const std::string& group, bool active) {
  const auto& constraints = system_->equations().constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i)
    if (constraints[i].group == group || constraints[i].name == group) bilateral_[i] = active;
}

void HybridSimulator::enter_mode(const std::string& mode) {
  for (const auto& m : system_->equations().modes) {
    if (m.name != mode) continue;
    bilateral_.assign(bilateral_.size(), false);
    for (const auto& group : m.active) set_group(group, true);
    mode_ = mode;
  }
}

/// A constraint that is imposed where a quantity becomes zero keeps it there, and rounding lets it cross zero again.
bool HybridSimulator::would_change(const SwitchEquation& rule) const {
  if (!rule.resets.empty() || rule.stop || (!rule.to.empty() && rule.to != mode_)) return true;
  const auto& constraints = system_->equations().constraints;
  const auto any = [&](const std::vector<std::string>& groups, bool active) {
    return std::any_of(groups.begin(), groups.end(), [&](const std::string& group) {
      for (std::size_t i = 0; i < constraints.size(); ++i)
        if ((constraints[i].group == group || constraints[i].name == group) && bilateral_[i] == active) return true;
      return false;
    });
  };
  return any(rule.impose, false) || any(rule.release, true);
}

void HybridSimulator::start_events() {
  const auto& switches = system_->equations().switches;
  for (std::size_t i = 0; i < switches.size(); ++i)
    locator_->set_active(dynamics_.function_count() + i,
                         (switches[i].from.empty() || switches[i].from == mode_) && would_change(switches[i]));
  locator_->start(state_.t, y_);
}

bool HybridSimulator::apply_rules(std::span<const EventHit> hits, SwitchRecord& record) {
  const auto& switches = system_->equations().switches;
  const std::size_t own = dynamics_.function_count();
  const std::vector<bool> before = bilateral_;
  const std::string mode_before = mode_;
  const std::span<const double> values = resets_runner_.run(state_.q, state_.u);
  bool any = false;
  for (const EventHit& hit : hits) {
    if (at(hit.index) < own) continue;
    const SwitchEquation& rule = switches[at(hit.index) - own];
    if (!rule.from.empty() && rule.from != mode_before) continue;
    any = true;
    record.causes.push_back(rule.name);
    if (!rule.to.empty()) enter_mode(rule.to);
    for (const auto& group : rule.impose) set_group(group, true);
    for (const auto& group : rule.release) set_group(group, false);
    std::size_t first = 0;
    for (std::size_t i = 0; i < at(hit.index) - own; ++i) first += switches[i].resets.size();
    imposed_ = imposed_ || !rule.resets.empty();
    for (std::size_t i = 0; i < rule.resets.size(); ++i) {
      const std::size_t k = at(rule.resets[i].index);
      if (!std::isfinite(values[first + i])) {
        const auto& e = system_->equations();
        fail(StepStatus::NotFinite,
             fmt::format("the value of '{}' after '{}'", (k < e.q.size() ? e.q[k] : e.u[k - e.q.size()]).name(),
                         rule.name),
             "its 'reset' does not give a finite number here");
        return false;
      }
      (k < state_.q.size() ? state_.q[k] : state_.u[k - state_.q.size()]) = values[first + i];
    }
    stop_ = stop_ || rule.stop;
  }
  if (!any) return true;
  const auto& constraints = system_->equations().constraints;
  for (std::size_t i = 0; i < bilateral_.size(); ++i)
    if (bilateral_[i] != before[i])
      record.changes.push_back(fmt::format("{} {}", constraints[i].name, bilateral_[i] ? "imposed" : "released"));
  for (std::size_t i = 0; i < bilateral_.size(); ++i) imposed_ = imposed_ || (bilateral_[i] && !before[i]);
  dynamics_.set_bilateral(bilateral_);
  if (!imposed_) return true;
  if (!dynamics_.impose(state_.q, state_.u)) {
    fail(StepStatus::RhsFailed, "the constraints after " + record.causes.back(),
         "no speeds satisfy them here: they contradict each other, or nothing that has mass can give way");
    return false;
  }
  return check_imposed(before, record.causes.back());
}

/// Constraints that were imposed just now hold where they are, and do not contradict others.
bool HybridSimulator::check_imposed(const std::vector<bool>& before, const std::string& cause) {
  constexpr double kAway = 1e-3, kContradiction = 1e-6;
  const auto& constraints = system_->equations().constraints;
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (!bilateral_[i]) continue;
    const double away = std::abs(evaluator_.phi()[i]), speed = dynamics_.calc_row_speed(i, state_.u);
    if (constraints[i].phi && !before[i] && away > kAway) {
      fail(StepStatus::RhsFailed, fmt::format("the constraint '{}' imposed by '{}'", constraints[i].name, cause),
           fmt::format("it is {:.4g} away from where it holds; impose it when it crosses zero, or reset the "
                       "coordinates along with it",
                       away));
      return false;
    }
    if (std::abs(speed) > kContradiction * std::max(1.0, max_abs(state_.u))) {
      fail(StepStatus::RhsFailed, fmt::format("the constraint '{}' after '{}'", constraints[i].name, cause),
           "it contradicts the other constraints that are active: no speeds satisfy all of them");
      return false;
    }
  }
  return true;
}

void HybridSimulator::record_changes(const std::vector<Before>& contacts, const std::vector<Before>& frictions,
                                     SwitchRecord& record) const {
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const bool was = contacts[k].state == static_cast<int>(ContactState::Closed);
    const bool is = dynamics_.contact_state(k) == ContactState::Closed;
    // A slot of shapes may have passed from one place to another.
    const std::string name = was && is ? "" : is ? dynamics_.contact_name(k) : contacts[k].name;
    if (was != is) record.changes.push_back(fmt::format("{} {}", name, is ? "closes" : "opens"));
  }
  static constexpr const char* kStates[] = {"rests", "sticks", "slides"};
  for (std::size_t f = 0; f < frictions.size(); ++f) {
    const auto now = static_cast<std::size_t>(dynamics_.friction_state(f));
    if (frictions[f].state == static_cast<int>(now)) continue;
    const std::string name =
        dynamics_.friction_state(f) == FrictionState::Idle ? frictions[f].name : dynamics_.friction_name(f);
    record.changes.push_back(fmt::format("{} {}", name, kStates[now]));
  }
}

std::string HybridSimulator::function_name(std::size_t k) const {
  if (k < dynamics_.function_count()) return dynamics_.function_name(k);
  return system_->equations().switches[k - dynamics_.function_count()].name;
}

bool HybridSimulator::happen(std::span<const EventHit> hits) {
  SwitchRecord record;
  situate(state_.t);
  disturbed_ = false;
  if (!handle(hits, record)) return false;
  start_events();
  const bool quiet = hits.empty() && record.changes.empty() && record.impulses.empty();
  if (quiet) return true;
  ++event_count_;
  constexpr double kSameInstant = 1e-13;
  constexpr int kMostAtOnce = 1000;
  at_once_ = std::abs(record.t - last_event_) <= kSameInstant * std::max(1.0, std::abs(record.t)) ? at_once_ + 1 : 0;
  last_event_ = record.t;
  event_ = std::move(record);
  if (at_once_ <= kMostAtOnce && event_count_ <= options_.max_events) return true;
  fail(StepStatus::TooManySteps, "the number of events",
       "events follow one another without end: rules that undo each other, or contacts that neither hold nor let go");
  return false;
}

bool HybridSimulator::handle(std::span<const EventHit> hits, SwitchRecord& record) {
  record.t = state_.t;
  record.u_before = state_.u;
  for (const EventHit& hit : hits)
    if (at(hit.index) < dynamics_.function_count()) record.causes.push_back(function_name(at(hit.index)));
  std::vector<Before> contacts, frictions;
  for (std::size_t k = 0; k < dynamics_.contact_count(); ++k)
    contacts.push_back({static_cast<int>(dynamics_.contact_state(k)), dynamics_.contact_name(k)});
  for (std::size_t f = 0; f < dynamics_.friction_count(); ++f)
    frictions.push_back({static_cast<int>(dynamics_.friction_state(f)), dynamics_.friction_name(f)});
  evaluator_.calc_mass(state_.q, state_.u);
  record.kinetic_before = dynamics_.calc_kinetic(state_.u);
  const std::vector<int> active = evaluator_.active_rows();
  imposed_ = false;
  if (!apply_rules(hits, record)) return false;
  std::vector<double> impulses(dynamics_.impulses().begin(), dynamics_.impulses().end());
  const bool rules = std::any_of(hits.begin(), hits.end(),
                                 [&](const EventHit& hit) { return at(hit.index) >= dynamics_.function_count(); });
  if (!imposed_) std::fill(impulses.begin(), impulses.end(), 0.0);
  const TransitionReport settled = dynamics_.settle(state_.q, state_.u);
  if (!settled.ok()) {
    const bool jammed = settled.status == ContactStatus::NoSolution;
    if (settled.massless >= 0) {
      fail(StepStatus::RhsFailed, "the accelerations",
           describe(MotionReport{MotionStatus::SingularMass, settled.massless}, system_->equations()));
      return false;
    }
    fail(StepStatus::RhsFailed, jammed ? "the contacts" : "the contact forces",
         jammed ? "no finite forces and no impulses satisfy all contacts with friction: the mechanism is jammed"
                : "they could not be found: singular inertia, or contacts that contradict each other");
    return false;
  }
  add_impulses();
  if (settled.shock)
    record.changes.emplace_back("jammed: no finite forces exist here (Painleve), an impulse without a collision acts");
  if (settled.status == ContactStatus::MotionNotUnique)
    record.changes.emplace_back("several motions are possible here; the first one found is taken");
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    const double total = impulses[i] + dynamics_.impulses()[i];
    if (total != 0) record.impulses.emplace_back(dynamics_.row_name(i), total);
  }
  if (dynamics_.overflown()) {
    fail(StepStatus::TooManySteps, "the number of contacts",
         "shapes touch, or nearly do, at more places than there is room for; use simpler or fewer shapes");
    return false;
  }
  record_changes(contacts, frictions, record);
  if (rules && !evaluator_.active_rows().empty())
    for (const int k : evaluator_.choice().redundant_rows()) {
      const std::size_t row = at(evaluator_.active_rows()[at(k)]);
      if (row < bilateral_.size() && bilateral_[row])
        record.changes.push_back(dynamics_.row_name(row) + " is redundant");
    }
  projector_.update_active();
  record.kinetic_after = settled.kinetic_after;
  // Releasing constraints changes no speed, but at a change point the projection would.
  if (rules && !imposed_ && !settled.impact && std::ranges::includes(active, evaluator_.active_rows())) {
    state_.u = record.u_before;
    record.kinetic_after = record.kinetic_before;
  }
  record.u_after = state_.u;
  record.mode = mode_;
  store(state_);
  return true;
}

void HybridSimulator::fail(StepStatus status, std::string quantity, std::string cause) {
  failure_ = RunFailure{status, state_.t, state_, std::move(quantity), std::move(cause)};
}

}  // namespace kane

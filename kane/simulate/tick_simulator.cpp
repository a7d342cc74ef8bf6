#include "kane/simulate/tick_simulator.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/simulate/switch_kernels.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// A tick is cut into at most this many parts because shapes are near each other.
constexpr double kMostParts = 16;

SwitchingOptions without_allocation(SwitchingOptions options) {
  options.exact_distances = false;
  return options;
}

}  // namespace

TickSimulator::TickSimulator(std::shared_ptr<const CompiledSystem> system, const TickOptions& options)
    : system_(std::move(system)),
      options_(options),
      evaluator_(system_),
      dynamics_(evaluator_, without_allocation(options_.switching)),
      projector_(evaluator_, 1e-10),
      guards_(make_guards(*system_)),
      resets_(make_resets(*system_)),
      guards_runner_(&guards_, evaluator_.context()),
      resets_runner_(&resets_, evaluator_.context()) {
  require(options_.period > 0 && std::isfinite(options_.period),
          "the period of a tick must be positive, but {} s was given", options_.period);
  const EquationsOfMotion& e = system_->equations();
  state_ = {0, std::vector<double>(e.q.size()), std::vector<double>(e.u.size())};
  saved_ = state_;
  for (auto* v : {&y_, &stage_, &k1_, &k2_, &k3_, &k4_}) v->resize(e.q.size() + e.u.size());
  before_.resize(dynamics_.function_count() + e.switches.size());
  after_ = low_ = high_ = before_;
  udot_.resize(e.u.size());
  handle_position_.resize(e.handles.size()), handle_speed_.resize(e.handles.size());
  inputs_ = system_->default_inputs();
  fired_.assign(e.switches.size(), false);
  bilateral_ = initial_ = dynamics_.bilateral();
  for (const auto& h : e.handles) dynamics_.set_applied(at(h.row), 0);
  evaluator_.set_active(std::vector<bool>(system_->row_count(), true));
  projector_.update_active();  // once with everything, so that nothing grows later
  dynamics_.reset();
  projector_.update_active();
  prepare_rules();
}

void TickSimulator::prepare_rules() {
  const EquationsOfMotion& e = system_->equations();
  const auto rows_of = [&](const std::vector<std::string>& groups) {
    std::vector<bool> rows(e.constraints.size(), false);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = std::any_of(groups.begin(), groups.end(), [&](const std::string& g) {
        return e.constraints[i].group == g || e.constraints[i].name == g;
      });
    return rows;
  };
  const auto mode_index = [&](const std::string& name) {
    for (std::size_t i = 0; i < e.modes.size(); ++i)
      if (e.modes[i].name == name) return static_cast<int>(i);
    return -1;
  };
  for (const auto& m : e.modes) modes_.push_back(rows_of(m.active));
  std::size_t reset = 0;
  for (const auto& s : e.switches) {
    rules_.push_back({rows_of(s.impose), rows_of(s.release), mode_index(s.from), mode_index(s.to), reset});
    reset += s.resets.size();
  }
  mode_ = mode_index(e.initial_mode);
  if (mode_ >= 0) initial_ = modes_[at(mode_)];
}

const std::string& TickSimulator::mode() const {
  static const std::string none;
  return mode_ < 0 ? none : system_->equations().modes[at(mode_)].name;
}

void TickSimulator::set_parameters(const Values& parameters) {
  evaluator_.set_parameters(system_->calc_parameters(parameters));
}

void TickSimulator::share_parameters(const TickSimulator& from) {
  evaluator_.set_parameters(from.evaluator_.context().parameters);
}

void TickSimulator::set_inputs(std::span<const double> inputs) {
  std::ranges::copy(inputs, inputs_.begin());
  evaluator_.set_inputs(inputs_, evaluator_.time());
}

void TickSimulator::start(const State& state) {
  const EquationsOfMotion& e = system_->equations();
  require(state.q.size() == e.q.size() && state.u.size() == e.u.size() && all_finite(state.q) && all_finite(state.u),
          "the state does not fit '{}': {} coordinates and {} speeds, all of them finite, are needed", e.name,
          e.q.size(), e.u.size());
  state_ = state;
  t0_ = state.t;
  ticks_ = events_ = 0;
  evaluator_.set_inputs(inputs_, state_.t);
  bilateral_ = initial_;
  dynamics_.reset();
  dynamics_.set_bilateral(bilateral_);
  const TransitionReport settled = dynamics_.settle(state_.q, state_.u);
  require(settled.ok(), "no contact forces were found for the initial state of '{}'", e.name);
  projector_.update_active();
  calc_functions(before_);
  update_handles();
}

// ---- one tick ---------------------------------------------------------------------------------------------------------------

bool TickSimulator::calc_rates(double t, const std::vector<double>& y, std::vector<double>& rates) {
  evaluator_.set_time(t);
  const std::span<const double> all(y);
  const std::span<double> out(rates);
  const std::size_t nq = state_.q.size();
  return dynamics_.calc_motion(all.first(nq), all.subspan(nq), out.first(nq), out.subspan(nq)).ok();
}

/// From state_ by h, projected onto the constraints.
bool TickSimulator::step(double h) {
  const std::size_t nq = state_.q.size(), n = y_.size();
  const double t = state_.t;
  std::ranges::copy(state_.q, y_.begin());
  std::ranges::copy(state_.u, y_.begin() + static_cast<std::ptrdiff_t>(nq));
  const auto from = [&](const std::vector<double>& k, double part) {
    for (std::size_t i = 0; i < n; ++i) stage_[i] = y_[i] + part * k[i];
  };
  if (!calc_rates(t, y_, k1_)) return false;
  from(k1_, h / 2);
  if (!calc_rates(t + h / 2, stage_, k2_)) return false;
  from(k2_, h / 2);
  if (!calc_rates(t + h / 2, stage_, k3_)) return false;
  from(k3_, h);
  if (!calc_rates(t + h, stage_, k4_)) return false;
  for (std::size_t i = 0; i < n; ++i) y_[i] += h / 6 * (k1_[i] + 2 * (k2_[i] + k3_[i]) + k4_[i]);
  state_.t = t + h;
  std::copy_n(y_.begin(), nq, state_.q.begin());
  std::copy(y_.begin() + static_cast<std::ptrdiff_t>(nq), y_.end(), state_.u.begin());
  evaluator_.set_time(state_.t);
  if (projector_.needed() && projector_.project(state_.q, state_.u) == ProjectionStatus::Failed) return false;
  return all_finite(state_.q) && all_finite(state_.u);
}

void TickSimulator::calc_functions(std::vector<double>& g) {
  const std::size_t own = dynamics_.function_count();
  if (own > 0) dynamics_.calc_functions(state_.q, state_.u, std::span(g).first(own));
  if (g.size() == own) return;
  (void)dynamics_.calc_motion(state_.q, state_.u, std::span(k1_).first(state_.q.size()), udot_);
  std::ranges::copy(guards_runner_.run(state_.q, state_.u, udot_, dynamics_.forces()),
                    g.begin() + static_cast<std::ptrdiff_t>(own));
}

/// Imposing what is imposed already changes nothing.
bool TickSimulator::would_change(std::size_t i) const {
  const Rule& rule = rules_[i];
  const SwitchEquation& e = system_->equations().switches[i];
  if (!e.resets.empty() || e.stop || (rule.to >= 0 && rule.to != mode_)) return true;
  for (std::size_t r = 0; r < bilateral_.size(); ++r)
    if ((rule.imposed[r] && !bilateral_[r]) || (rule.released[r] && bilateral_[r])) return true;
  return false;
}

/// Function k crosses zero the way it is to be looked at, from value a to value b.
bool TickSimulator::crosses(std::size_t k, double a, double b) const {
  const std::size_t own = dynamics_.function_count();
  if (k < own) return b < 0;
  const SwitchEquation& rule = system_->equations().switches[k - own];
  if (!rule.from.empty() && rules_[k - own].from != mode_) return false;
  if (!would_change(k - own)) return false;
  const bool rises = a < 0 && b >= 0, falls = a > 0 && b <= 0;
  return (rises && rule.direction >= 0) || (falls && rule.direction <= 0);
}

/// Fraction of the way at which the first function crosses zero, were they straight lines; 2 if none does.
double TickSimulator::first_crossing(const std::vector<double>& from, const std::vector<double>& to) const {
  double first = 2;
  for (std::size_t k = 0; k < to.size(); ++k) {
    if (!crosses(k, from[k], to[k])) continue;
    const bool straight = (from[k] > 0) != (to[k] > 0) && from[k] != to[k];
    first = std::min(first, straight ? std::clamp(from[k] / (from[k] - to[k]), 0.0, 1.0) : 0.0);
  }
  return first;
}

void TickSimulator::save() { saved_ = state_; }
void TickSimulator::restore() { state_ = saved_; }

/// Repeats the step of length h, in which something happens, up to just behind the first event. `used` is its length;
/// after_ holds the functions there. Regula falsi on the functions as they are at both ends of what is left.
bool TickSimulator::locate(double h, double& used) {
  double low = 0, high = h, last = h;
  bool at_high = true;
  low_ = before_;
  high_ = after_;
  for (int i = 0; i < options_.refinements; ++i) {
    const double width = high - low;
    // A little later than the straight line says, so that the event has happened.
    const double guess = low + width * std::min(1.0, first_crossing(low_, high_) + 1e-3);
    if (guess >= high || guess <= low) break;
    restore();
    if (!step(guess)) return false;
    calc_functions(after_);
    at_high = first_crossing(low_, after_) <= 1;
    if (at_high)
      high = guess, high_ = after_;
    else
      low = guess, low_ = after_;
    // Guesses that hardly move any more have found it, whichever end they come from.
    constexpr double kClose = 1e-4;
    if (high - low < 1e-6 * h || (at_high && std::abs(guess - last) < kClose * h)) break;
    last = guess;
  }
  if (!at_high) {
    restore();
    if (!step(high)) return false;
    calc_functions(after_);
  }
  used = high;
  return true;
}

/// What happens at the present state: rules of the model, then contacts and frictions.
TickStatus TickSimulator::transit() {
  const EquationsOfMotion& e = system_->equations();
  const std::size_t own = dynamics_.function_count();
  bool any = false;
  for (std::size_t i = 0; i < rules_.size(); ++i)
    fired_[i] = crosses(own + i, before_[own + i], after_[own + i]), any = any || fired_[i];
  if (any) {
    const std::span<const double> values = resets_runner_.run(state_.q, state_.u);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (!fired_[i]) continue;
      if (rules_[i].to >= 0) mode_ = rules_[i].to, bilateral_ = modes_[at(mode_)];
      for (std::size_t r = 0; r < bilateral_.size(); ++r)
        bilateral_[r] = (bilateral_[r] || rules_[i].imposed[r]) && !rules_[i].released[r];
      for (std::size_t j = 0; j < e.switches[i].resets.size(); ++j) {
        const std::size_t k = at(e.switches[i].resets[j].index);
        (k < state_.q.size() ? state_.q[k] : state_.u[k - state_.q.size()]) = values[rules_[i].first_reset + j];
      }
    }
    dynamics_.set_bilateral(bilateral_);
    if (!dynamics_.impose(state_.q, state_.u)) return TickStatus::Failed;
  }
  const TransitionReport settled = dynamics_.settle(state_.q, state_.u);
  if (!settled.ok()) return TickStatus::Jammed;
  projector_.update_active();
  return TickStatus::Ok;
}

TickReport TickSimulator::tick() {
  TickReport report;
  const double end = t0_ + static_cast<double>(++ticks_) * options_.period;
  evaluator_.set_inputs(inputs_, state_.t);
  while (state_.t < end) {
    const double left = end - state_.t, longest = dynamics_.longest_step();
    const double h = longest < left ? std::max(longest, options_.period / kMostParts) : left;
    const bool last = h >= left;
    save();
    if (!step(h)) {
      restore();
      report.status = TickStatus::Failed;
      return report;
    }
    calc_functions(after_);
    const bool event = first_crossing(before_, after_) <= 1;
    if (event && report.events < options_.max_events) {
      double used = h;
      if (!locate(h, used)) {
        restore();
        report.status = TickStatus::Failed;
        return report;
      }
      if (used >= h && last) state_.t = end;
    } else if (last) {
      state_.t = end;
    }
    const bool other_shapes = dynamics_.note_step(state_.q, state_.u);
    if (event) {
      ++report.events, ++events_;
      report.status = transit();
      if (report.status != TickStatus::Ok) return report;
      for (std::size_t i = 0; i < rules_.size(); ++i)
        report.stop = report.stop || (fired_[i] && system_->equations().switches[i].stop);
      calc_functions(before_);
    } else if (other_shapes) {
      calc_functions(before_);
    } else {
      std::swap(before_, after_);
    }
  }
  update_handles();
  return report;
}

void TickSimulator::copy_state(const TickSimulator& from) {
  state_ = from.state_;
  t0_ = from.t0_, ticks_ = from.ticks_;
  inputs_ = from.inputs_;
  bilateral_ = from.bilateral_;
  mode_ = from.mode_;
  before_ = from.before_;
  handle_position_ = from.handle_position_, handle_speed_ = from.handle_speed_;
  evaluator_.set_inputs(inputs_, state_.t);
  dynamics_.copy_states(from.dynamics_);
  projector_.update_active();
}

// ---- handles ----------------------------------------------------------------------------------------------------------------

void TickSimulator::update_handles() {
  const EquationsOfMotion& e = system_->equations();
  if (e.handles.empty()) return;
  evaluator_.calc_constraints(state_.q, state_.u);
  for (std::size_t i = 0; i < e.handles.size(); ++i) {
    const std::size_t row = at(e.handles[i].row);
    handle_position_[i] = evaluator_.phi()[row];
    handle_speed_[i] = evaluator_.b()[row] + dot(evaluator_.jacobian().row(row), state_.u.data(), state_.u.size());
  }
}

TickSimulator::RowMotion TickSimulator::handle_motion(std::size_t handle) const {
  return {handle_position_[handle], handle_speed_[handle]};
}

void TickSimulator::apply_handle(std::size_t handle, double force) {
  dynamics_.set_applied(at(system_->equations().handles[handle].row), force);
}

}  // namespace kane

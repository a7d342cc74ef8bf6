#include "kane/simulate/tick/tick_simulator.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// A tick is cut into at most this many parts because shapes are near each other.
constexpr double kMostParts = 16;
/// The instant of an event is located to this part of a step.
constexpr double kClose = 1e-4;

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
      board_(system_->free_rows()),
      guards_runner_(&system_->extra().switching().guards, evaluator_.context()),
      resets_runner_(&system_->extra().switching().resets, evaluator_.context()),
      workshop_(system_->free_rows() > 0 ? std::make_unique<KernelWorkshop>(*system_) : nullptr),
      laws_(find_sampled_laws(*system_, options_.inputs), evaluator_.context()),
      inputs_(system_->inputs(), system_->default_inputs(), options_.inputs,
              [this](const State& s, std::span<const double> inputs, std::span<double> values) {
                evaluator_.set_inputs(inputs, s.t);
                std::ranges::copy(laws_.run(s.q, s.u), values.begin());
              }) {
  require(options_.period > 0 && std::isfinite(options_.period),
          "the period of a tick must be positive, but {} s was given", options_.period);
  const EquationsOfMotion& e = system_->equations();
  require(!e.has_given_forces(),
          "the loads of '{}' depend on {}, nonlinearly or through constraints; the fixed-rate loop cannot solve for it",
          e.name, e.constraints.empty() ? std::string() : e.constraints.back().name);
  state_ = {0, std::vector<double>(e.q.size()), std::vector<double>(e.u.size())};
  saved_ = hit_ = unprojected_ = state_;
  for (auto* v : {&y_, &stage_, &k1_, &k2_, &k3_, &k4_, &end_}) v->resize(e.q.size() + e.u.size());
  before_.resize(dynamics_.function_count() + e.switches.size());
  after_ = low_ = high_ = third_ = before_;
  kept_.state = state_, kept_.before = before_;
  udot_.resize(e.u.size());
  handle_position_.resize(e.handles.size()), handle_speed_.resize(e.handles.size());
  fired_.assign(e.switches.size(), false);
  initial_ = dynamics_.bilateral();
  initial_.resize(e.constraints.size());  // those of the model
  bilateral_ = kept_.bilateral = initial_;
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
  guards_need_motion_ = std::any_of(e.switches.begin(), e.switches.end(), [&](const SwitchEquation& s) {
    const auto in_guard = [&](const Expr& symbol) { return depends_on(s.guard, symbol); };
    return std::ranges::any_of(e.udot, in_guard) ||
           std::ranges::any_of(e.constraints, [&](const auto& c) { return in_guard(c.multiplier); });
  });
  mode_ = initial_mode_ = mode_index(e.initial_mode);
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
  ensure(inputs.size() == system_->inputs().size(), "{} inputs are given, not {}", inputs.size(),
         system_->inputs().size());
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (!started_ || !inputs_.has_source(i)) inputs_.set_constant(i, inputs[i]);
  forces_changed_ = true;
  evaluator_.set_inputs(inputs_.values(), evaluator_.time());
}

void TickSimulator::start(const State& state) {
  const EquationsOfMotion& e = system_->equations();
  require(state.q.size() == e.q.size() && state.u.size() == e.u.size() && all_finite(state.q) && all_finite(state.u),
          "the state does not fit '{}': {} coordinates and {} speeds, all of them finite, are needed", e.name,
          e.q.size(), e.u.size());
  state_ = state;
  t0_ = state.t;
  ticks_ = events_ = 0;
  started_ = true;
  inputs_.start(state_);
  evaluator_.set_inputs(inputs_.values(), state_.t);
  bilateral_ = initial_;
  mode_ = initial_mode_;
  forget_written();
  dynamics_.reset();
  dynamics_.set_bilateral(bilateral_);
  dynamics_.check_start(state_.q, state_.u);
  const TransitionReport settled = dynamics_.settle(state_.q, state_.u);
  require(settled.ok(), "no contact forces were found for the initial state of '{}'", e.name);
  projector_.update_active();
  calc_functions(before_);
  update_handles();
}

// ---- one tick ---------------------------------------------------------------------------------------------------------------

void TickSimulator::situate(double t) {
  if (inputs_.varies_between_breaks())
    evaluator_.set_inputs(inputs_.calc_anywhere(t), t);
  else
    evaluator_.set_time(t);
}

/// At the beginning of a tick: controllers that are due look at the state; their answers, and jumps of series, take effect.
void TickSimulator::update_inputs() {
  if (inputs_.due(state_.t)) {
    inputs_.pass(state_);
    forces_changed_ = true;
  }
  evaluator_.set_inputs(inputs_.values(), state_.t);
  situate(state_.t);
}

bool TickSimulator::calc_rates(double t, const std::vector<double>& y, std::vector<double>& rates) {
  situate(t);
  const std::span<const double> all(y);
  const std::span<double> out(rates);
  const std::size_t nq = state_.q.size();
  return dynamics_.calc_motion(all.first(nq), all.subspan(nq), out.first(nq), out.subspan(nq)).ok();
}

/// From state_ by h, projected onto the constraints. `known`: k1_ is right already.
bool TickSimulator::step(double h, bool known) {
  const std::size_t nq = state_.q.size(), n = y_.size();
  const double t = state_.t;
  ++work_.steps;
  std::ranges::copy(state_.q, y_.begin());
  std::ranges::copy(state_.u, y_.begin() + static_cast<std::ptrdiff_t>(nq));
  const auto from = [&](const std::vector<double>& k, double part) {
    for (std::size_t i = 0; i < n; ++i) stage_[i] = y_[i] + part * k[i];
  };
  if (!known && !calc_rates(t, y_, k1_)) return false;
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
  return project();
}

bool TickSimulator::project() {
  situate(state_.t);
  if (projector_.needed()) {
    // Contacts that close within a tick of each other may not fit together exactly. A hand cannot wait until they do: the
    // state stays where the step left it, and the next steps bring it back.
    unprojected_ = state_;
    if (projector_.project(state_.q, state_.u) == ProjectionStatus::Failed) {
      const auto& contacts = dynamics_.contact_set().contacts;
      const bool touching = std::any_of(contacts.begin(), contacts.end(),
                                        [](const SwitchedContact& c) { return c.state != ContactState::Open; });
      if (!touching) return false;
      state_ = unprojected_;
    }
  }
  return all_finite(state_.q) && all_finite(state_.u);
}

void TickSimulator::calc_functions(std::vector<double>& g) {
  const std::size_t own = dynamics_.function_count();
  if (own > 0) dynamics_.calc_functions(state_.q, state_.u, std::span(g).first(own));
  calc_guards(g);
}

void TickSimulator::calc_guards(std::vector<double>& g) {
  const std::size_t own = dynamics_.function_count();
  if (g.size() == own) return;
  if (guards_need_motion_) {
    if (own == 0)
      (void)dynamics_.calc_motion(state_.q, state_.u, std::span(stage_).first(state_.q.size()), udot_);
    else
      std::ranges::copy(dynamics_.calc_accelerations(state_.q, state_.u), udot_.begin());
  }
  std::ranges::copy(guards_runner_.run(state_.q, state_.u, udot_, dynamics_.forces()),
                    g.begin() + static_cast<std::ptrdiff_t>(own));
}

/// Whether a rule would change anything; imposing constraints that hold already does not.
bool TickSimulator::would_change(std::size_t i) const {
  const Rule& rule = rules_[i];
  const SwitchEquation& e = system_->equations().switches[i];
  if (!e.resets.empty() || e.stop || (rule.to >= 0 && rule.to != mode_)) return true;
  for (std::size_t r = 0; r < bilateral_.size(); ++r)
    if ((rule.imposed[r] && !bilateral_[r]) || (rule.released[r] && bilateral_[r])) return true;
  return false;
}

/// Whether function k crosses zero in the direction that counts, from value a to value b.
bool TickSimulator::crosses(std::size_t k, double a, double b) const {
  const std::size_t own = dynamics_.function_count();
  if (k < own) return b < 0;
  const SwitchEquation& rule = system_->equations().switches[k - own];
  if (!rule.from.empty() && rules_[k - own].from != mode_) return false;
  if (!would_change(k - own)) return false;
  const bool rises = a < 0 && b >= 0, falls = a > 0 && b <= 0;
  return (rises && rule.direction >= 0) || (falls && rule.direction <= 0);
}

/// The fraction at which the first function crosses zero if all are taken as straight lines; 2 if none does.
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

/// Whether a function has changed its sign without any motion.
bool TickSimulator::jumps() const {
  for (std::size_t k = 0; k < after_.size(); ++k)
    if ((before_[k] >= 0) != (after_[k] >= 0) && crosses(k, before_[k], after_[k])) return true;
  return false;
}

/// Whether the functions that crossed zero from low_ to high_ depend on the configuration and the speeds alone.
bool TickSimulator::only_kinematic() const {
  for (std::size_t k = 0; k < high_.size(); ++k)
    if (crosses(k, low_[k], high_[k]) && (k >= dynamics_.function_count() || !dynamics_.kinematic(k))) return false;
  return true;
}

/// The state within the step of length h that was taken last: Hermite's cubic through both ends, with the rates there (k1_
/// and k4_).
void TickSimulator::interpolate(double h, double s) {
  const double r = 1 - s;
  const double c0 = (1 + 2 * s) * r * r, d0 = h * s * r * r, c1 = s * s * (3 - 2 * s), d1 = -h * s * s * r;
  const std::size_t nq = state_.q.size();
  const auto between = [&](double from, std::size_t i) { return c0 * from + d0 * k1_[i] + c1 * end_[i] + d1 * k4_[i]; };
  for (std::size_t i = 0; i < nq; ++i) state_.q[i] = between(saved_.q[i], i);
  for (std::size_t i = 0; i < state_.u.size(); ++i) state_.u[i] = between(saved_.u[i], nq + i);
  state_.t = saved_.t + s * h;
  situate(state_.t);
}

/// The parabola through the values of each function at three places, or the straight line through two; the first zero.
double TickSimulator::estimate_crossing(const Bracket& at) const {
  const double width = at.high - at.low;
  double first = width;
  for (std::size_t k = 0; k < low_.size(); ++k) {
    const double f = low_[k], g = high_[k];
    if (!crosses(k, f, g)) continue;
    if ((f > 0) == (g > 0) || f == g) return at.low;
    double x = width * f / (f - g);
    if (at.third >= 0) {
      const double slope = (g - f) / width;
      const double a = ((third_[k] - f) / (at.third - at.low) - slope) / (at.third - at.high), b = slope - a * width;
      const double root = -0.5 * (b + std::copysign(std::sqrt(std::max(0.0, b * b - 4 * a * f)), b));
      for (const double zero : {root / a, f / root})
        if (zero >= 0 && zero <= width) x = zero;
    }
    first = std::min(first, x);
  }
  return at.low + first;
}

/// Finds the fraction of the last step at which the first function crossed zero. It follows the interpolated motion, which
/// costs one evaluation per refinement instead of the five of a step. 0: forces that are new in this tick have changed the
/// functions at once; after_ holds them.
double TickSimulator::find_crossing(double h, int refinements) {
  std::ranges::copy(state_.q, end_.begin());
  std::ranges::copy(state_.u, end_.begin() + static_cast<std::ptrdiff_t>(state_.q.size()));
  const double t = state_.t;
  high_ = after_;
  low_ = before_;
  // If something is constrained, evaluating the functions has given the rates there.
  const std::span<double> rates(k4_);
  const bool known = dynamics_.function_count() > 0 &&
                     dynamics_.find_motion(rates.first(state_.q.size()), rates.subspan(state_.q.size()));
  if (forces_changed_) {
    restore();
    situate(state_.t);
    calc_functions(after_);
    if (jumps()) return 0;
    low_ = after_;
    forces_changed_ = false;
  }
  if (!known && !calc_rates(t, end_, k4_)) return 1;
  Bracket at{.low = 0, .high = 1};
  quick_ = only_kinematic();
  for (int i = 0; i < refinements; ++i) {
    const double root = estimate_crossing(at);
    if (at.high - root < kClose) break;
    // A little later, so that the event has happened.
    const double guess = root + kClose / 2;
    interpolate(h, guess);
    if (quick_)
      after_ = low_, dynamics_.calc_kinematic_functions(state_.q, state_.u, after_);
    else
      calc_functions(after_);
    ++work_.refinements;
    if (first_crossing(low_, after_) <= 1) {
      hit_ = state_;
      at.third = at.high, at.high = guess;
      std::swap(third_, high_), high_ = after_;
    } else {
      at.third = at.low, at.low = guess;
      std::swap(third_, low_), low_ = after_;
    }
  }
  return at.high;
}

/// From the end of the step of length h, in which something happens, back to just behind the first event. `used` is how much
/// of the step remains; after_ holds the functions there. The interpolated motion is as good as the step: its error is
/// h^4/384 times the fourth derivative, once.
bool TickSimulator::locate(double h, double& used) {
  const double end = state_.t, part = find_crossing(h, options_.refinements);
  used = part * h;
  if (part == 0) return true;
  after_ = high_;
  if (part < 1) {
    state_ = hit_;
    if (!project()) return false;
    if (quick_ || projector_.needed()) calc_functions(after_);
    return true;
  }
  state_.t = end;
  std::copy_n(end_.begin(), state_.q.size(), state_.q.begin());
  std::copy(end_.begin() + static_cast<std::ptrdiff_t>(state_.q.size()), end_.end(), state_.u.begin());
  situate(state_.t);
  return true;
}

/// Applies the events at the present state: rules of the model, then contacts and frictions.
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
  const SwitchingWork before = dynamics_.work();
  work_ = {};
  TickReport report = advance();
  const SwitchingWork& now = dynamics_.work();
  work_.evaluations = static_cast<int>(now.evaluations - before.evaluations);
  work_.problems = static_cast<int>(now.problems - before.problems);
  work_.pivots = static_cast<int>(now.pivots - before.pivots);
  work_.impacts = static_cast<int>(now.impacts - before.impacts);
  report.work = work_;
  return report;
}

TickReport TickSimulator::advance() {
  TickReport report;
  const double end = t0_ + static_cast<double>(++ticks_) * options_.period;
  int located = 0;
  start_known_ = false;
  update_inputs();
  if (board_.news()) {
    const int changes = take_written();
    if (changes < 0) report.status = TickStatus::Jammed;
    if (changes < 0) return report;
    report.events += changes, events_ += changes;
  }
  while (state_.t < end) {
    const double left = end - state_.t, longest = dynamics_.longest_step(), shortest = options_.period / kMostParts;
    double h = longest < left ? std::max(longest, shortest) : left;
    save();
    bool stepped = step(h, std::exchange(start_known_, false));
    // Shapes that have become faster on the way may have met unseen: a shorter step, from the same rates.
    if (const double safe = stepped ? dynamics_.safe_part(state_.q, state_.u, h) : 1; safe < 1 && h > shortest) {
      restore();
      h = std::max(safe * h, shortest);
      stepped = step(h, true);
    }
    const bool last = h >= left;
    if (!stepped) {
      restore();
      report.status = TickStatus::Failed;
      return report;
    }
    calc_functions(after_);
    bool event = first_crossing(before_, after_) <= 1;
    if (event && located < options_.max_events) {
      ++located;
      double used = h;
      if (!locate(h, used)) {
        restore();
        report.status = TickStatus::Failed;
        return report;
      }
      if (used >= h && last) state_.t = end;
      event = first_crossing(before_, after_) <= 1;
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
      dynamics_.read_settled(before_);
      calc_guards(before_);
      start_known_ =
          dynamics_.find_motion(std::span(k1_).first(state_.q.size()), std::span(k1_).subspan(state_.q.size()));
    } else if (other_shapes) {
      calc_functions(before_);
    } else {
      std::swap(before_, after_);
    }
    forces_changed_ = false;
  }
  update_handles();
  return report;
}

void TickSimulator::copy_state(const TickSimulator& from) {
  state_ = from.state_;
  started_ = true;
  t0_ = from.t0_, ticks_ = from.ticks_;
  inputs_.copy_progress(from.inputs_);
  bilateral_ = from.bilateral_;
  mode_ = from.mode_;
  before_ = from.before_;
  handle_position_ = from.handle_position_, handle_speed_ = from.handle_speed_;
  evaluator_.set_inputs(inputs_.values(), state_.t);
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
  forces_changed_ = true;
}

}  // namespace kane

#include "kane/simulate/switching/hybrid_simulator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/motion/make_integrator.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/fixed_step.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

bool needs_motion(const EquationsOfMotion& e) {
  std::vector<Expr> guards;
  for (const auto& s : e.switches) guards.push_back(s.guard);
  const std::vector<Expr> used = symbols_of(guards);
  const auto among = [&](const Expr& symbol) { return std::find(used.begin(), used.end(), symbol) != used.end(); };
  return std::any_of(e.udot.begin(), e.udot.end(), among) ||
         std::any_of(e.constraints.begin(), e.constraints.end(), [&](const auto& c) { return among(c.multiplier); });
}

std::vector<EventSpec> make_specs(const SwitchedDynamics& dynamics, const EquationsOfMotion& e) {
  std::vector<EventSpec> specs(dynamics.function_count(), EventSpec{Crossing::Falling});
  for (const auto& s : e.switches)
    specs.push_back({s.direction > 0 ? Crossing::Rising : s.direction < 0 ? Crossing::Falling : Crossing::Both});
  return specs;
}

/// Longest step outside of run(), if the options do not limit it.
constexpr double kLongestUnplanned = 0.2;

double longest_unplanned(const SimulatorOptions& options) {
  return std::isfinite(options.max_step) ? options.max_step : kLongestUnplanned;
}

bool is_stop(const ContactEquation& contact) { return !contact.coordinate.empty(); }

/// Why this method cannot be used, and what to do.
std::string refusal_of(Method method, const EquationsOfMotion& e) {
  const bool stops = std::any_of(e.contacts.begin(), e.contacts.end(), is_stop);
  const bool only = stops && std::all_of(e.contacts.begin(), e.contacts.end(), is_stop) && e.frictions.empty() &&
                    e.contact_pairs.empty() && e.switches.empty() && e.modes.empty();
  return fmt::format("{} are simulated by auto, rk4, dopri5 or dop853, not by {}{}",
                     only ? "rigid stops of joints ('limits')" : "contacts, friction and events", to_string(method),
                     stops ? "; --ignore-limits leaves the stops of joints out" : "");
}

}  // namespace

HybridSimulator::HybridSimulator(std::shared_ptr<const CompiledSystem> system, SimulatorOptions options)
    : MotionSimulator(std::move(system), options, options.constraint_tolerance,
                      [this](const State& s, std::span<double> qdot, std::span<double> udot) {
                        return dynamics_.calc_motion(s.q, s.u, qdot, udot).ok();
                      }),
      dynamics_(evaluator_, options_.switching),
      contact_forces_(dynamics_),
      jump_(change_point_, y_.size(), [this](double t) { situate(t); }),
      multiplier_motion_(evaluator_),
      guards_runner_(&system_->extra().switching().guards, evaluator_.context()),
      resets_runner_(&system_->extra().switching().resets, evaluator_.context()),
      guards_need_motion_(needs_motion(system_->equations())),
      longest_(longest_unplanned(options_)) {
  const EquationsOfMotion& e = system_->equations();
  for (const auto& mode : options_.modes) mode_motions_.emplace_back(mode, evaluator_.context(), system_->parameters());
  const Rhs rhs = [this](double t, std::span<const double> y, std::span<double> ydot) {
    return calc_rates(t, y, ydot);
  };
  switch (options_.method) {
    case Method::Rk4: integrator_ = std::make_unique<RungeKutta4>(y_.size(), rhs, options_.step); break;
    case Method::Dopri5:
      integrator_ = std::make_unique<DormandPrince54>(y_.size(), rhs, adaptive_options(options_));
      break;
    case Method::Automatic:
    case Method::Dop853:
      integrator_ = std::make_unique<DormandPrince853>(y_.size(), rhs, adaptive_options(options_));
      break;
    default: throw ModelError(refusal_of(options_.method, e));
  }
  integrator_->set_projection([this](double t, std::span<double> y) { return project(t, y); });
  locator_ = std::make_unique<EventLocator>(
      y_.size(), make_specs(dynamics_, e),
      [this](double t, std::span<const double> y, std::span<double> g) { calc_events(t, y, g); });
  bilateral_ = dynamics_.bilateral();
  if (!e.initial_mode.empty()) enter_mode(e.initial_mode);
  initial_ = bilateral_;
  initial_mode_ = mode_;
}

HybridSimulator::~HybridSimulator() = default;

// ---- setting up -------------------------------------------------------------------------------------------------------------

void HybridSimulator::set_active(const std::vector<bool>& rows) {
  initial_ = rows;
  bilateral_ = rows;
  mode_.clear();
  initial_mode_.clear();
  if (!started_) return;
  dynamics_.set_bilateral(bilateral_);
  disturb();
}

void HybridSimulator::prepare_assembly() {
  dynamics_.reset();
  dynamics_.set_bilateral(initial_);
}

void HybridSimulator::start(const State& state) {
  begin(state);
  failure_.reset();
  bilateral_ = initial_;
  mode_ = initial_mode_;
  phase_ = Phase::Ready;
  disturbed_ = false;
  tiny_steps_ = at_once_ = 0;
  event_count_ = 0;
  impulses_.assign(3 * system_->equations().contact_sensors.size(), 0.0);
  last_event_ = -std::numeric_limits<double>::infinity();
  dynamics_.reset();
  dynamics_.set_bilateral(bilateral_);
  dynamics_.check_start(state_.q, state_.u);
  store(state_);
  energy_.start(state_.q, state_.u);
  before_ = state_;
  stepping_ = driven_ = false;
  patience_ = 0, takeovers_ = 0;
  cost_ = 0, busy_from_ = state_.t, events_before_ = 0, work_before_ = dynamics_.work();
  integrator_->start(state_.t, y_);
  if (options_.switching.scheme == ContactScheme::Stepping) {
    require(
        can_step(),
        "contacts cannot be followed by stepping in '{}': it has loads that depend on accelerations or on constraint "
        "forces; use the scheme events",
        system_->equations().name);
    take_over("");
  } else if (may_step() && crowded()) {
    take_over("more places touch than events are followed for");
  } else if (happen({})) {
    integrator_->start(state_.t, y_);
  } else if (may_step()) {
    const std::string why = failure_->quantity + ": " + failure_->cause;
    failure_.reset();
    state_ = before_;
    take_over(why);
  }
  if (locates_jumps()) {
    situate(state_.t);
    jumps_.start(jumps_.calc_sides(state_));
  }
}

void HybridSimulator::resume(const State& state) {
  state_ = state;
  failure_.reset();
  phase_ = Phase::Ready;
  disturb();
}

void HybridSimulator::begin_run(const RunPlan& plan) {
  constexpr double kParts = 50, kShort = 1e-3;  // s: a run that is no longer need not be divided
  longest_ = std::isfinite(options_.max_step) ? options_.max_step : std::max((plan.until - state_.t) / kParts, kShort);
}

void HybridSimulator::finish_run(RunReport& report) {
  longest_ = longest_unplanned(options_);
  report.energy.conservative = false;
  report.energy.balanced = report.energy.balanced && !dynamics_.contact_set().any_compliant && !driven_;
  if (stepper_) {
    const SteppingWork& w = stepper_->work();
    report.stepping = {w.steps,    contact_step_, takeovers_,    w.sweeps,        w.unconverged,
                       w.residual, w.most_places, w.penetration, w.energy_removed};
  }
  report.constraints = projector_.calc_residuals(state_.q, state_.u);
}

void HybridSimulator::load_state(double t, std::span<const double> y, State& state) {
  state.t = t;
  std::copy_n(y.begin(), state.q.size(), state.q.begin());
  std::ranges::copy(y.subspan(state.q.size()), state.u.begin());
}

void HybridSimulator::store(const State& state) {
  std::ranges::copy(state.q, y_.begin());
  std::ranges::copy(state.u, y_.begin() + static_cast<std::ptrdiff_t>(state.q.size()));
}

// ---- what the integrator and the locator call ---------------------------------------------------------------------------

RhsStatus HybridSimulator::calc_rates(double t, std::span<const double> y, std::span<double> ydot) {
  situate(t);
  const auto q = y.first(qdot_.size()), u = y.subspan(qdot_.size());
  const auto qdot = ydot.first(qdot_.size()), udot = ydot.subspan(qdot_.size());
  if (options_.constraints == ConstraintMethod::Multipliers && dynamics_.function_count() == 0) {
    failed_ = multiplier_motion_.calc_motion(q, u, qdot, udot, lambda_);
    return failed_.ok() ? RhsStatus::Ok : RhsStatus::Retry;
  }
  if (options_.constraints == ConstraintMethod::Modes && dynamics_.function_count() == 0) {
    const auto mode = std::find_if(mode_motions_.begin(), mode_motions_.end(),
                                   [&](const ModeMotion& m) { return m.mode().active() == bilateral_; });
    if (mode != mode_motions_.end() && !evaluator_.active_rows().empty()) {
      failed_ = mode->calc_motion(q, u, qdot, udot);
      return failed_.ok() ? RhsStatus::Ok : RhsStatus::Retry;
    }
  }
  failed_ = dynamics_.calc_motion(q, u, qdot, udot);
  return failed_.ok() ? RhsStatus::Ok : RhsStatus::Retry;
}

void HybridSimulator::calc_events(double t, std::span<const double> y, std::span<double> g) {
  situate(t);
  const auto q = y.first(qdot_.size()), u = y.subspan(qdot_.size());
  const std::size_t own = dynamics_.function_count();
  if (own > 0) dynamics_.calc_functions(q, u, g.first(own));
  if (g.size() == own) return;
  if (guards_need_motion_) {
    (void)dynamics_.calc_motion(q, u, qdot_, udot_);
    std::ranges::copy(guards_runner_.run(q, u, udot_, dynamics_.forces()),
                      g.begin() + static_cast<std::ptrdiff_t>(own));
  } else {
    std::ranges::copy(guards_runner_.run(q, u, udot_, lambda_), g.begin() + static_cast<std::ptrdiff_t>(own));
  }
}

ProjectionStatus HybridSimulator::project(double t, std::span<double> y) {
  if (!options_.project || !projector_.needed()) return ProjectionStatus::Unchanged;
  situate(t);
  return projector_.project(y.first(qdot_.size()), y.subspan(qdot_.size()));
}

// ---- at a state ----------------------------------------------------------------------------------------------------------

RunFailure HybridSimulator::explain_last_step() { return failure_.value_or(RunFailure{}); }

/// Sensors show the impulses of all impacts up to now.
void HybridSimulator::show_impulses() {
  const std::span<double> senses = evaluator_.contact_senses();
  for (std::size_t i = 0; i < impulses_.size(); ++i)
    senses[sensor_part::kCount * (i / 3) + sensor_part::kImpulse + i % 3] = impulses_[i];
}

/// Those of the last settle().
void HybridSimulator::add_impulses() {
  if (impulses_.empty()) return;
  const auto rows = dynamics_.impulses();
  if (std::all_of(rows.begin(), rows.end(), [](double p) { return p == 0; })) return;
  contact_forces_.refresh_impulses(dynamics_);
  contact_forces_.locate(evaluator_, state_.q, state_.u);
  add_impulses(contact_forces_.forces());
}

/// `impulses`: as if they were forces.
void HybridSimulator::add_impulses(std::span<const ContactForce> impulses) {
  std::vector<double> sums(evaluator_.contact_senses().size());
  sum_sensors(system_->equations(), impulses, sums);
  for (std::size_t i = 0; i < impulses_.size(); ++i)
    impulses_[i] += sums[sensor_part::kCount * (i / 3) + sensor_part::kForce + i % 3];
}

std::span<const double> HybridSimulator::calc_reports(const State& sample) {
  situate(sample.t);
  if (stepping_) {
    refresh_stepped_forces(sample);
    show_impulses();
    return evaluator_.calc_reports(sample.q, sample.u, udot_, lambda_);
  }
  if (!dynamics_.calc_motion(sample.q, sample.u, qdot_, udot_).ok()) return {};
  std::ranges::copy(dynamics_.forces(), lambda_.begin());
  if (dynamics_.shapes() != nullptr) dynamics_.contact_set().evaluate_rows(sample.q, sample.u);
  contact_forces_.refresh(dynamics_);
  contact_forces_.locate(evaluator_, sample.q, sample.u);
  fill_contact_reports(dynamics_, contact_forces_.forces(), evaluator_);
  show_impulses();
  return evaluator_.calc_reports(sample.q, sample.u, udot_, lambda_);
}

}  // namespace kane

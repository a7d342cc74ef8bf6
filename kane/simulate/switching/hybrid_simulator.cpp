#include "kane/simulate/switching/hybrid_simulator.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/switching/switch_kernels.hpp"
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

const Kernel* sampled_laws(const CompiledSystem& system, const std::vector<InputSource>& sources) {
  const bool sampled = std::any_of(sources.begin(), sources.end(), [](const InputSource& source) {
    const auto* s = std::get_if<SampledInput>(&source);
    return s != nullptr && !s->law;
  });
  return sampled ? system.extra().laws() : nullptr;
}

AdaptiveOptions adaptive_options(const HybridOptions& options) {
  constexpr double kLeastTolerance = 1e-14;
  AdaptiveOptions adaptive;
  const double relative = std::max(local_tolerance(options.tolerance), kLeastTolerance);
  const double absolute =
      options.absolute_tolerance > 0 ? options.absolute_tolerance : 1e-3 * std::min(relative, options.tolerance);
  adaptive.tolerance = {{relative}, {absolute}};
  if (options.max_step > 0) adaptive.max_step = options.max_step;
  return adaptive;
}

}  // namespace

HybridSimulator::HybridSimulator(std::shared_ptr<const CompiledSystem> system, HybridOptions options)
    : system_(std::move(system)),
      options_(std::move(options)),
      evaluator_(system_),
      laws_(sampled_laws(*system_, options_.inputs), evaluator_.context()),
      inputs_(system_->inputs(), system_->default_inputs(), options_.inputs,
              [this](const State& s, std::span<const double> inputs, std::span<double> values) {
                evaluator_.set_inputs(inputs, s.t);
                std::ranges::copy(laws_.run(s.q, s.u), values.begin());
              }),
      dynamics_(evaluator_, options_.switching),
      projector_(evaluator_, options_.constraint_tolerance),
      change_point_(evaluator_, projector_, options_.tolerance,
                    [this](const State& s, std::span<double> qdot, std::span<double> udot) {
                      return dynamics_.calc_motion(s.q, s.u, qdot, udot).ok();
                    }),
      jump_(change_point_, system_->coordinate_count() + system_->speed_count(), [this](double t) { situate(t); }),
      energy_(evaluator_),
      multipliers_(evaluator_),
      guards_(make_guards(*system_)),
      resets_(make_resets(*system_)),
      guards_runner_(&guards_, evaluator_.context()),
      resets_runner_(&resets_, evaluator_.context()),
      guards_need_motion_(needs_motion(system_->equations())) {
  const EquationsOfMotion& e = system_->equations();
  require(options_.tolerance > 0 && options_.tolerance < 1, "the tolerance must lie between 0 and 1, but {} was given",
          options_.tolerance);
  require(options_.step > 0 && std::isfinite(options_.step), "the step must be positive, but {} was given",
          options_.step);
  for (const auto& mode : options_.modes) mode_motions_.emplace_back(mode, evaluator_.context(), system_->parameters());
  state_.q.resize(e.q.size());
  state_.u.resize(e.u.size());
  y_.resize(e.q.size() + e.u.size());
  qdot_.resize(e.q.size()), udot_.resize(e.u.size()), lambda_.resize(e.constraints.size());
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
    default:
      require(false, "contacts, friction and events are simulated by auto, rk4, dopri5 or dop853, not by {}",
              to_string(options_.method));
  }
  integrator_->set_projection([this](double t, std::span<double> y) { return project(t, y); });
  locator_ = std::make_unique<EventLocator>(
      y_.size(), make_specs(dynamics_, e),
      [this](double t, std::span<const double> y, std::span<double> g) { calc_events(t, y, g); });
  bilateral_ = dynamics_.bilateral();
  if (!e.initial_mode.empty()) enter_mode(e.initial_mode);
  initial_ = bilateral_;
}

HybridSimulator::~HybridSimulator() = default;

// ---- setting up -------------------------------------------------------------------------------------------------------------

void HybridSimulator::set_parameters(const Values& parameters) {
  evaluator_.set_parameters(system_->calc_parameters(parameters));
}

void HybridSimulator::set_inputs(std::span<const double> inputs) {
  ensure(inputs.size() == system_->inputs().size(), "{} inputs are given, not {}", inputs.size(),
         system_->inputs().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) inputs_.set_constant(i, inputs[i]);
  evaluator_.set_inputs(inputs_.values(), evaluator_.time());
}

void HybridSimulator::set_active(const std::vector<bool>& rows) {
  initial_ = rows;
  bilateral_ = rows;
  mode_.clear();
}

State HybridSimulator::assemble(State state, const GivenValues& given, AssemblyReport* report) {
  inputs_.start(state);
  evaluator_.set_inputs(inputs_.values(), state.t);
  dynamics_.reset();
  dynamics_.set_bilateral(initial_);
  require_assembly(evaluator_, state, given, {.tolerance = options_.constraint_tolerance}, report);
  return state;
}

void HybridSimulator::start(const State& state) {
  check_initial_state(system_->equations(), state);
  state_ = state;
  failure_.reset();
  change_point_.forget();
  stop_ = false;
  bilateral_ = initial_;
  inputs_.start(state_);
  evaluator_.set_inputs(inputs_.values(), state_.t);
  dynamics_.reset();
  dynamics_.set_bilateral(bilateral_);
  dynamics_.check_start(state_.q, state_.u);
}

void HybridSimulator::situate(double t) {
  if (inputs_.varies_between_breaks())
    evaluator_.set_inputs(inputs_.calc(t), t);
  else
    evaluator_.set_time(t);
}

void HybridSimulator::load_state(double t, std::span<const double> y, State& state) {
  state.t = t;
  std::copy_n(y.begin(), state.q.size(), state.q.begin());
  std::ranges::copy(y.subspan(state.q.size()), state.u.begin());
}

// ---- what the integrator and the locator call ---------------------------------------------------------------------------

RhsStatus HybridSimulator::calc_rates(double t, std::span<const double> y, std::span<double> ydot) {
  situate(t);
  const auto q = y.first(qdot_.size()), u = y.subspan(qdot_.size());
  const auto qdot = ydot.first(qdot_.size()), udot = ydot.subspan(qdot_.size());
  if (options_.constraints == ConstraintMethod::Multipliers && dynamics_.function_count() == 0) {
    failed_ = multipliers_.calc_motion(q, u, qdot, udot, lambda_);
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
  if (!projector_.needed()) return ProjectionStatus::Unchanged;
  situate(t);
  return projector_.project(y.first(qdot_.size()), y.subspan(qdot_.size()));
}

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
  // What is only released changes no speed; at a change point finding that out anew would.
  if (rules && !imposed_ && !settled.impact && std::ranges::includes(active, evaluator_.active_rows())) {
    state_.u = record.u_before;
    record.kinetic_after = record.kinetic_before;
  }
  record.u_after = state_.u;
  record.mode = mode_;
  std::ranges::copy(state_.q, y_.begin());
  std::ranges::copy(state_.u, y_.begin() + static_cast<std::ptrdiff_t>(state_.q.size()));
  return true;
}

void HybridSimulator::fail(StepStatus status, std::string quantity, std::string cause) {
  failure_ = RunFailure{status, state_.t, state_, std::move(quantity), std::move(cause)};
}

std::string describe(const SwitchRecord& r) {
  if (r.causes.empty() && r.changes.empty() && !r.impulses.empty()) {
    std::vector<std::string> names;
    for (const auto& impulse : r.impulses) names.push_back(impulse.first);
    return fmt::format("impact at {}", fmt::join(names, ", "));
  }
  return fmt::format("{}{}{}", fmt::join(r.causes, ", "), r.causes.empty() || r.changes.empty() ? "" : ": ",
                     fmt::join(r.changes, ", "));
}

ConstraintResiduals HybridSimulator::calc_residuals(const State& sample) {
  situate(sample.t);
  return projector_.calc_residuals(sample.q, sample.u);
}

std::span<const double> HybridSimulator::calc_reports(const State& sample) {
  situate(sample.t);
  if (!dynamics_.calc_motion(sample.q, sample.u, qdot_, udot_).ok()) return {};
  return evaluator_.calc_reports(sample.q, sample.u, udot_, dynamics_.forces());
}

}  // namespace kane

#include "kane/simulate/motion/simulator.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/simulate/motion/make_integrator.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Attempts at a step that ends too near to a change point.
constexpr int kMostTries = 40;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

bool is_gauss(Method method) {
  return method == Method::Midpoint || method == Method::Gauss4 || method == Method::Gauss6;
}

bool wants_canonical(const SimulatorOptions& options, const CompiledSystem& system) {
  const auto& constraints = system.equations().constraints;
  return options.canonical && is_gauss(options.method) &&
         std::none_of(constraints.begin(), constraints.end(), [](const auto& c) { return c.active; }) &&
         system.extra().canonical() != nullptr;
}

/// A multistep method remembers states, and takes for an error what a projection changes in one and not in the next: with
/// short arms a residual of 1e-13 is some 1e-11 of an angle. So every state is projected, to rounding.
double projection_tolerance(const SimulatorOptions& options) {
  return options.method == Method::Cvode ? std::min(options.constraint_tolerance, 1e-16) : options.constraint_tolerance;
}

void keep_largest(ConstraintResiduals& largest, const ConstraintResiduals& now) {
  if (now.configuration > largest.configuration || largest.configuration_row < 0)
    largest.configuration = now.configuration, largest.configuration_row = now.configuration_row;
  if (now.motion > largest.motion || largest.motion_row < 0)
    largest.motion = now.motion, largest.motion_row = now.motion_row;
}

}  // namespace

Simulator::Simulator(std::shared_ptr<const CompiledSystem> system, SimulatorOptions options)
    : MotionSimulator(std::move(system), options, projection_tolerance(options)),
      speeds_(evaluator_),
      problem_(evaluator_, inputs_, projector_, wants_canonical(options_, *system_)) {
  evaluator_.allow_range_space();
  integrator_ = make_integrator(options_, problem_, *system_);
}

Simulator::~Simulator() = default;

void Simulator::start(const State& state) {
  begin(state);
  evaluator_.forget_choice();
  problem_.load(state_, y_);
  integrator_->start(state_.t, y_);
  set_projection();
  if (speeds_.present()) speeds_.start(state_);
  if (locates_jumps()) {
    problem_.situate(state_.t);
    jumps_.start(jumps_.calc_sides(state_));
  }
  largest_ = {};
  at_break_ = false;
  until_energy_ = options_.energy_interval;
  if (options_.energy_interval > 0) energy_.start(state_.q, state_.u);
}

void Simulator::resume(const State& state) {
  state_ = state;
  change_point_.forget();
  problem_.situate(state_.t);
  if (speeds_.present()) speeds_.set_sign(speeds_.calc_sign(state_));
  problem_.load(state_, y_);
  integrator_->resume(state_.t, y_);
  settle_jumps();
}

/// After a change at state_, from outside or at a jump.
void Simulator::settle_jumps() {
  if (!locates_jumps()) return;
  problem_.situate(state_.t);
  jumps_.settle(jumps_.calc_sides(state_));
}

/// Lets the inputs change at the break that was reached. Done later than the step itself, so that samples inside the step
/// still see the inputs as they were.
void Simulator::pass_break() {
  at_break_ = false;
  change_point_.forget();
  inputs_.pass(state_);
  evaluator_.set_inputs(inputs_.values(), state_.t);
  std::ranges::copy(integrator_->state(), y_.begin());
  integrator_->resume(state_.t, y_);
  settle_jumps();
}

void Simulator::disturb() {
  change_point_.forget();
  problem_.load(state_, y_);
  integrator_->resume(state_.t, y_);
  settle_jumps();
}

void Simulator::exchange(MemoryArchive& a) {
  MotionSimulator::exchange(a);
  speeds_.exchange(a);
  a(largest_.configuration, largest_.configuration_row, largest_.motion, largest_.motion_row);
  a(at_break_, until_energy_);
}

void Simulator::read_snapshot(const MotionSnapshot::Data& /*data*/) {
  projector_.update_active();
  set_projection();
}

void Simulator::finish_run(RunReport& report) {
  report.canonical = problem_.canonical();
  report.constraints = largest_;
}

const StepReport& Simulator::step(double limit) {
  known_failure_.reset();
  fresh_ = false;
  if (at_break_) pass_break();
  // Later than the step itself, as with a break: samples inside the step are still to come.
  if (jumps_.crossed()) {
    std::ranges::copy(integrator_->state(), y_.begin());
    integrator_->resume(state_.t, y_);
    settle_jumps();
  }
  const double next_break = inputs_.next_break();
  limit = std::min(limit, next_break);
  if (pass_change_point(limit)) return jump_report_;
  double most = change_point_.most_step(state_);
  if (locates_jumps()) most = std::min(most, jumps_.most_step(state_.t));
  for (int tries = 0, crossings = 0;;) {
    const StepReport& report = integrator_->step(std::min(limit, state_.t + most));
    // An implicit step that reaches over such a place need not have a solution; a shorter one has.
    const bool unsolved = report.status == StepStatus::NewtonFailed && tries < kMostTries && is_near_change_point();
    if (report.status != StepStatus::Ok && !unsolved) return report;
    const bool near = unsolved || (tries < kMostTries && too_near_change_point());
    if (near) {
      const double longest = has_fixed_step(options_.method) ? options_.step : limit - state_.t;
      most = 0.5 * (unsolved ? std::min(most, longest) : report.h);
      ++tries;
    } else {
      const double shorter = locates_jumps() && crossings < kMostTries ? find_jump() : kNoLimit;
      if (!(shorter < report.h)) break;
      most = shorter;
      ++crossings;
    }
    problem_.load(state_, y_);
    integrator_->resume(state_.t, y_);
  }
  if (speeds_.present() && speeds_lost()) return jump_report_;
  (void)problem_.store(integrator_->time(), integrator_->state(), state_);
  at_break_ = integrator_->time() >= next_break;
  observe_step();
  known_failure_ = jumps_.find_chatter(state_);
  if (!known_failure_) return integrator_->report();
  jump_report_ = integrator_->report();
  jump_report_.status = known_failure_->status;
  return jump_report_;
}

std::span<const double> Simulator::calc_sides_in_step(double t) {
  const bool end = t == integrator_->time();
  if (!end && integrator_->interpolate(t, y_) != StepStatus::Ok) return {};
  (void)problem_.store(t, end ? integrator_->state() : std::span<const double>(y_), sample_);
  problem_.situate(t);
  return jumps_.calc_sides(sample_);
}

/// How long the last step may be instead, if it leads over a jump of the equations.
double Simulator::find_jump() {
  return jumps_.find(integrator_->previous_time(), integrator_->time(),
                     [this](double t) { return calc_sides_in_step(t); });
}

bool Simulator::too_near_change_point() {
  if (!options_.project || evaluator_.active_rows().empty()) return false;
  (void)problem_.store(integrator_->time(), integrator_->state(), sample_);
  problem_.situate(sample_.t);
  return !change_point_.observe(sample_, [this] {
    problem_.situate(state_.t);
    const double before = change_point_.calc_independence(state_);
    problem_.situate(sample_.t);
    return before;
  });
}

bool Simulator::is_near_change_point() {
  if (!options_.project || evaluator_.active_rows().empty()) return false;
  problem_.situate(state_.t);
  return change_point_.is_near(state_);
}

/// Whether qdot differs between two instants of the last step that are next to each other.
bool Simulator::rates_jump(double before, double after) {
  constexpr double kMost = 1e-3;
  const auto rates_at = [&](double t, std::vector<double>& rates) {
    if (integrator_->interpolate(t, y_) != StepStatus::Ok) return false;
    (void)problem_.store(t, y_, sample_);
    problem_.situate(t);
    (void)evaluator_.calc_motion(sample_.q, sample_.u, rates, udot_);
    return all_finite(rates);
  };
  std::vector<double> first(qdot_.size());
  if (!rates_at(before, first) || !rates_at(after, qdot_)) return true;
  double jump = 0;
  for (std::size_t i = 0; i < first.size(); ++i) jump = std::max(jump, std::abs(first[i] - qdot_[i]));
  return !(jump <= kMost * (1 + max_abs(first)));
}

/// Checks whether the last step passed a place where the speeds do not determine the motion. Motions in which the
/// undetermined part is zero throughout (a turn about a single axis) pass it unharmed.
bool Simulator::speeds_lost() {
  const auto sign_at = [&](double t) {
    if (integrator_->interpolate(t, y_) != StepStatus::Ok) return 0;
    (void)problem_.store(t, y_, sample_);
    problem_.situate(t);
    return speeds_.calc_sign(sample_);
  };
  constexpr double kLeastIndependence = 1e-7;
  const int end = sign_at(integrator_->time());
  double before = integrator_->time(), after = before;
  if (speeds_.independence() > kLeastIndependence) {
    if (end == speeds_.sign() || speeds_.sign() == 0) {
      speeds_.set_sign(end);
      return false;
    }
    before = state_.t;
    for (double middle = 0.5 * (before + after); middle > before && middle < after; middle = 0.5 * (before + after))
      (sign_at(middle) == speeds_.sign() ? before : after) = middle;
    if (!rates_jump(before, after)) {
      speeds_.set_sign(end);
      return false;
    }
  }
  jump_report_ = integrator_->report();
  jump_report_.status = StepStatus::RhsFailed;
  jump_report_.t = before;
  (void)sign_at(before);
  known_failure_ = explain_lost_speeds(sample_, system_->equations());
  return true;
}

bool Simulator::pass_change_point(double limit) {
  const double h = change_point_.find_jump(state_);
  if (h == 0 || state_.t + h >= limit) return false;
  problem_.situate(state_.t + h);
  if (!change_point_.jump(state_)) return false;
  keep_largest(largest_, projector_.residuals());
  problem_.load(state_, y_);
  integrator_->resume(state_.t, y_);
  settle_jumps();
  jump_report_ = {};
  jump_report_.t = state_.t;
  jump_report_.h = h;
  return true;
}

void Simulator::observe_step() {
  if (options_.project && projector_.needed()) keep_largest(largest_, projector_.residuals());
  if (options_.energy_interval == 0 || --until_energy_ > 0) return;
  until_energy_ = options_.energy_interval;
  problem_.situate(state_.t);
  energy_.observe(state_.q, state_.u);
}

bool Simulator::interpolate(double t, State& state) {
  if (t == state_.t) {
    state = state_;
    return true;
  }
  state.q.resize(qdot_.size());
  state.u.resize(udot_.size());
  const bool jumped = change_point_.covers(t);
  if (jumped)
    change_point_.interpolate(t, state);
  else if (integrator_->interpolate(t, y_) != StepStatus::Ok || !problem_.store(t, y_, state))
    return false;
  if (!options_.project || !projector_.needed()) return true;
  const ChoiceKeeper keeper(*this);
  problem_.situate(t);
  // Interpolation misses the constraints by its error; where they cannot be met, that is as good as it gets.
  if (projector_.project(state.q, state.u) != ProjectionStatus::Failed) return true;
  if (!jumped) return problem_.store(t, y_, state);
  change_point_.interpolate(t, state);
  return true;
}

void Simulator::set_active(const std::vector<bool>& active) {
  require(!problem_.canonical() || std::find(active.begin(), active.end(), true) == active.end(),
          "constraints cannot be switched on while '{}' is integrated in canonical variables; switch them off in the "
          "options (canonical = false)",
          system_->equations().name);
  evaluator_.set_active(active);
  projector_.update_active();
  set_projection();
  resume(State(state_));
}

bool Simulator::impose_constraints() {
  problem_.situate(state_.t);
  if (projector_.project_speeds(state_.q, state_.u) == ProjectionStatus::Failed) return false;
  resume(State(state_));
  return true;
}

void Simulator::set_projection() {
  if (options_.project && projector_.needed())
    integrator_->set_projection([this](double t, std::span<double> y) { return problem_.project(t, y); });
  else
    integrator_->set_projection({});
}

std::span<const double> Simulator::calc_reports(const State& sample) {
  problem_.situate(sample.t);
  if (!evaluator_.calc_motion(sample.q, sample.u, qdot_, udot_).ok()) return {};
  evaluator_.calc_multipliers(udot_, lambda_);
  return evaluator_.calc_reports(sample.q, sample.u, udot_, lambda_);
}

RunFailure Simulator::explain_last_step() {
  if (known_failure_) return *known_failure_;
  return explain_failure(integrator_->report(), state_, problem_, projector_, evaluator_);
}

}  // namespace kane

// MotionSimulator::run: the loop of steps, samples and events, and the report at the end.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/simulate/motion/chatter_watch.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/motion/sample_times.hpp"

namespace kane {

class MotionSimulator::Run {
 public:
  Run(MotionSimulator& simulator, const RunPlan& plan, const SampleCallback& on_sample, const StepCallback& on_step)
      : sim_(simulator),
        times_(sim_.state_.t, plan.until, plan.output_step, plan.intervals),
        until_(plan.until),
        on_sample_(on_sample),
        on_step_(on_step),
        chatter_(simulator.evaluator_) {
    sim_.evaluator_.times() = {};
    if (CallTimes* projections = sim_.projection_times()) *projections = {};
    report_.t_begin = sim_.state_.t;
    sim_.stop_ = false;
    const bool fixed = has_fixed_step(sim_.options_.method);
    constexpr double kMostSteps = 1e13;  // some months
    require(!fixed || until_ - sim_.state_.t < kMostSteps * sim_.options_.step,
            "steps of {} s from {} to {} would never end", sim_.options_.step, sim_.state_.t, until_);
    // Samples that steps hit but for rounding show the step's state; others are interpolated. No step depends on them.
    if (fixed && !sim_.switched() && times_.hit_by(sim_.options_.step)) slack_ = kSlack * sim_.options_.step;
    sim_.begin_run(plan);
  }

  RunReport execute() {
    if (sim_.fresh_) note_event();
    bool going = show(sim_.state_);
    while (going && !sim_.stop_ && (sim_.state_.t < until_ || sim_.event_pending())) {
      const double before = sim_.state_.t;
      const StepReport& step = sim_.step(until_);
      note_event();
      if (step.status != StepStatus::Ok) {
        report_.status = RunStatus::Failed;
        report_.failure = sim_.explain_last_step();
        if (step.status == StepStatus::StepUnderflow || step.status == StepStatus::NewtonFailed) name_jump();
        break;
      }
      if (!has_fixed_step(sim_.options_.method)) report_.failure = chatter_.observe(sim_.state_, until_);
      if (report_.failure) {
        report_.status = RunStatus::Failed;
        break;
      }
      if (is_stuck(before)) {
        report_.status = RunStatus::Failed;
        report_.failure = sim_.explain_last_step();
        report_.failure->status = StepStatus::StepUnderflow;
        report_.failure->quantity = "the time";
        report_.failure->cause = fmt::format("{} steps in a row led nowhere", kMostCrumbs);
        name_jump();
        break;
      }
      going = show_samples() && (!on_step_ || on_step_(sim_.state_.t));
    }
    if (!going) report_.status = RunStatus::Stopped;
    // The last state reached is shown even if it is not at a sample time.
    if ((report_.status != RunStatus::Done || sim_.stop_) && sim_.state_.t > last_shown_) (void)show(sim_.state_);
    finish();
    return std::move(report_);
  }

 private:
  bool show(const State& state) {
    ++report_.samples;
    ++next_;
    last_shown_ = state.t;
    if (!on_sample_) return true;
    const ChoiceKeeper keeper(sim_);
    return clock_.output(sim_.evaluator_.times(), [&] { return on_sample_(state); });
  }

  /// Whether so many steps in a row have led nowhere that the run would never end.
  bool is_stuck(double before) {
    constexpr double kCrumb = 1e-13;
    const double span = std::max(std::abs(sim_.state_.t), 1e-3 * std::abs(until_ - report_.t_begin));
    crumbs_ = sim_.state_.t - before < kCrumb * span ? crumbs_ + 1 : 0;
    return crumbs_ > kMostCrumbs;
  }

  /// A jump of a force at this instant says more than the step that failed.
  void name_jump() {
    if (sim_.jumps_.find_chatter(sim_.state_)) return;  // named already
    if (auto jump = chatter_.find_obstacle(sim_.state_)) report_.failure = std::move(jump);
  }

  /// Samples of the last step. One at the instant of an event shows the state after it.
  bool show_samples() {
    const bool pending = sim_.event_pending();
    while (next_ <= times_.last()) {
      const double t = times_.time(next_);
      if (t > sim_.state_.t + slack_ || (t == sim_.state_.t && pending)) return true;
      if (std::abs(t - sim_.state_.t) <= slack_) {
        sample_ = sim_.state_;
        sample_.t = t;
      } else if (!sim_.interpolate(t, sample_)) {
        report_.warnings.push_back(fmt::format("the sample at t = {} could not be interpolated and is left out", t));
        ++next_;
        continue;
      }
      if (!show(sample_)) return false;
    }
    return true;
  }

  void note_event() {
    const SwitchRecord* record = sim_.event();
    if (record == nullptr) return;
    ++report_.event_count;
    report_.energy_lost += std::max(0.0, record->kinetic_before - record->kinetic_after);
    if (report_.events.size() >= sim_.options_.kept_events) return;
    report_.events.push_back(*record);
    // A thousand bodies have thousands of speeds, and thousands of events.
    constexpr std::size_t kMostSpeeds = 4'000'000;
    SwitchRecord& kept = report_.events.back();
    kept_speeds_ += kept.u_before.size() + kept.u_after.size();
    if (kept_speeds_ <= kMostSpeeds) return;
    kept.u_before.clear(), kept.u_after.clear();
    ++without_speeds_;
  }

  void finish() {
    report_.t_end = sim_.state_.t;
    report_.totals = sim_.integrator_->totals();
    report_.method = sim_.integrator_->name();
    report_.choices = sim_.evaluator_.choices();
    report_.change_points = sim_.change_point_.jumps();
    if (sim_.options_.energy_interval > 0) {
      sim_.situate(sim_.state_.t);
      sim_.energy_.observe(sim_.state_.q, sim_.state_.u);
      report_.energy = sim_.energy_.report();
    }
    sim_.finish_run(report_);
    const CallTimes* projections = sim_.projection_times();
    report_.times = clock_.times(sim_.evaluator_.times(), projections == nullptr ? CallTimes{} : *projections);
    add_warnings();
  }

  void add_warnings() {
    const EnergyReport& energy = report_.energy;
    const EquationsOfMotion& e = sim_.system_->equations();
    if (energy.known && energy.conservative && !(energy.relative_drift() <= sim_.options_.energy_warning))
      report_.warnings.push_back(
          fmt::format("energy should be conserved but drifts by {:.2g} of the energy exchanged; choose a smaller {}",
                      energy.relative_drift(), has_fixed_step(sim_.options_.method) ? "step" : "tolerance"));
    const ConstraintResiduals& open = report_.constraints;
    const double limit = sim_.options_.constraint_warning;
    if (open.configuration > limit)
      report_.warnings.push_back(fmt::format(
          "{} was open by up to {:.2g}", describe_configuration_row(open.configuration_row, e), open.configuration));
    if (open.motion > limit * std::max(1.0, speed_scale()))
      report_.warnings.push_back(fmt::format("the speeds violated {} by up to {:.2g}",
                                             describe_configuration_row(open.motion_row, e), open.motion));
    const bool fixed = has_fixed_step(sim_.options_.method), stepped = report_.stepping.steps > 0;
    if (fixed || stepped)
      if (const std::string jump = sim_.jumps_.describe_fixed_step(); !jump.empty()) report_.warnings.push_back(jump);
    if (report_.event_count > static_cast<long>(report_.events.size()))
      report_.warnings.push_back(
          fmt::format("only the first {} of {} events are listed", report_.events.size(), report_.event_count));
    if (without_speeds_ > 0)
      report_.warnings.push_back(
          fmt::format("the last {} events are listed without the speeds before and after them", without_speeds_));
  }

  [[nodiscard]] double speed_scale() const {
    double largest = 0;
    for (const double u : sim_.state_.u) largest = std::max(largest, std::abs(u));
    return largest;
  }

  MotionSimulator& sim_;
  SampleTimes times_;
  double until_;
  const SampleCallback& on_sample_;
  const StepCallback& on_step_;
  RunClock clock_;
  RunReport report_;
  State sample_;
  ChatterWatch chatter_;
  static constexpr double kSlack = 1e-6;  ///< of a step
  static constexpr int kMostCrumbs = 20000;
  double slack_ = 0;
  int crumbs_ = 0;               ///< steps in a row that led nowhere
  std::size_t kept_speeds_ = 0;  ///< numbers in the listed events
  long without_speeds_ = 0;      ///< events that are listed without
  long next_ = 0;
  double last_shown_ = -std::numeric_limits<double>::infinity();
};

RunReport MotionSimulator::run(const RunPlan& plan, const SampleCallback& on_sample, const StepCallback& on_step) {
  return Run(*this, plan, on_sample, on_step).execute();
}

}  // namespace kane

// HybridSimulator::run: steps, events, samples.

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/simulate/hybrid_simulator.hpp"
#include "kane/simulate/sample_times.hpp"

namespace kane {

class HybridSimulator::Run {
 public:
  Run(HybridSimulator& simulator, const RunPlan& plan, const SampleCallback& on_sample, const StepCallback& on_step)
      : sim_(simulator),
        times_(sim_.state_.t, plan.until, plan.output_step, plan.intervals),
        until_(plan.until),
        on_sample_(on_sample),
        on_step_(on_step) {
    report_.run.t_begin = sim_.state_.t;
    sim_.evaluator_.times() = {};
    sample_ = sim_.state_;
    constexpr double kParts = 50;
    longest_ = sim_.options_.max_step > 0 ? sim_.options_.max_step : (until_ - sim_.state_.t) / kParts;
  }

  HybridReport execute() {
    std::ranges::copy(sim_.state_.q, sim_.y_.begin());
    std::ranges::copy(sim_.state_.u, sim_.y_.begin() + static_cast<std::ptrdiff_t>(sim_.state_.q.size()));
    sim_.energy_.start(sim_.state_.q, sim_.state_.u);
    bool going = happen({}) && show(sim_.state_);
    if (!sim_.failure_) sim_.integrator_->start(sim_.state_.t, sim_.y_);
    while (going && sim_.state_.t < until_) going = advance();
    if (!going) report_.run.status = sim_.failure_ ? RunStatus::Failed : RunStatus::Stopped;
    if (sim_.stop_ && !sim_.failure_) report_.run.status = RunStatus::Done;
    if (report_.run.status != RunStatus::Done || sim_.stop_)
      if (sim_.state_.t > last_shown_) (void)show(sim_.state_);
    finish();
    return std::move(report_);
  }

 private:
  bool show(const State& state) {
    ++report_.run.samples;
    ++next_;
    last_shown_ = state.t;
    return !on_sample_ || clock_.output(sim_.evaluator_.times(), [&] { return on_sample_(state); });
  }

  /// Samples inside of the last step, before `end`.
  bool show_samples(double end, bool inclusive) {
    while (next_ <= times_.last()) {
      const double t = times_.time(next_);
      if (t > end || (t == end && !inclusive)) return true;
      if (sim_.integrator_->interpolate(t, sim_.y_) != StepStatus::Ok) {
        ++next_;
        continue;
      }
      (void)sim_.project(t, sim_.y_);
      sample_.t = t;
      std::copy_n(sim_.y_.begin(), sample_.q.size(), sample_.q.begin());
      std::copy(sim_.y_.begin() + static_cast<std::ptrdiff_t>(sample_.q.size()), sim_.y_.end(), sample_.u.begin());
      if (!show(sample_)) return false;
    }
    return true;
  }

  bool advance() {
    Integrator& integrator = *sim_.integrator_;
    const double next_break = sim_.inputs_.next_break();
    const StepReport& step = integrator.step(
        std::min({until_, next_break, sim_.state_.t + longest_, sim_.state_.t + sim_.dynamics_.longest_step()}));
    if (step.status != StepStatus::Ok) {
      sim_.fail(step.status, "the motion",
                sim_.failed_.ok() ? fmt::format("{}", to_string(step.status))
                                  : describe(sim_.failed_, sim_.system_->equations()));
      return false;
    }
    if (creeps(step.h)) return false;
    const EventStatus found = sim_.locator_->find(integrator);
    if (found == EventStatus::NotFinite || found == EventStatus::StepFailed) {
      sim_.fail(StepStatus::NotFinite,
                found == EventStatus::NotFinite
                    ? fmt::format("the condition of '{}'",
                                  sim_.function_name(static_cast<std::size_t>(sim_.locator_->failed())))
                    : "an event",
                "it is not a finite number along this step");
      return false;
    }
    const double t = found == EventStatus::Found ? sim_.locator_->time() : integrator.time();
    if (!show_samples(t, found != EventStatus::Found)) return false;
    if (found == EventStatus::Found) {
      if (integrator.interpolate(t, sim_.y_) != StepStatus::Ok) return false;
      (void)sim_.project(t, sim_.y_);
      sim_.load_state(t, sim_.y_);
      hits_.assign(sim_.locator_->hits().begin(), sim_.locator_->hits().end());
      return happen(hits_) && resume() && show_samples_at(t) && !sim_.stop_ && tick();
    }
    sim_.load_state(integrator.time(), integrator.state());
    const bool other_shapes = sim_.dynamics_.note_step(sim_.state_.q, sim_.state_.u);
    constexpr double kDeep = 1e-8;
    if (sim_.dynamics_.missed(sim_.state_.q, sim_.state_.u, kDeep)) {
      std::ranges::copy(integrator.state(), sim_.y_.begin());
      return happen({}) && resume() && tick();
    }
    if (sim_.state_.t >= next_break) {
      std::ranges::copy(integrator.state(), sim_.y_.begin());
      sim_.inputs_.pass(sim_.state_);
      sim_.evaluator_.set_inputs(sim_.inputs_.values(), sim_.state_.t);
      // What holds may not hold under the new inputs.
      return happen({}) && resume() && tick();
    }
    if (other_shapes) {
      std::ranges::copy(integrator.state(), sim_.y_.begin());
      sim_.start_events();
    }
    return tick();
  }

  /// Steps that stay tiny where constraints become dependent on each other: a change point (change_point.hpp). Jumps over
  /// such places would miss events, so that these runs end there.
  bool creeps(double h) {
    constexpr double kTiny = 1e-6, kDependent = 1e-2;
    constexpr int kMany = 200;
    tiny_steps_ = h < kTiny * longest_ ? tiny_steps_ + 1 : 0;
    if (tiny_steps_ < kMany) return false;
    tiny_steps_ = 0;
    sim_.situate(sim_.state_.t);
    sim_.evaluator_.calc_constraints(sim_.state_.q, sim_.state_.u);
    const IndependentReport& rows = sim_.evaluator_.choose_independent();
    if (rows.finite && rows.smallest_row > kDependent) return false;
    sim_.fail(
        StepStatus::StepUnderflow, "the constraints",
        "they become dependent on each other here (a change point, such as links that lie in one line): the motion "
        "may branch, and steps become shorter and shorter. Without events, contacts and modes a run passes such a "
        "place; with them it has to begin beyond it, or to stay away from it");
    return true;
  }

  bool tick() { return !on_step_ || on_step_(sim_.state_.t); }

  /// A sample at the instant of an event shows the state after it.
  bool show_samples_at(double t) {
    if (next_ > times_.last() || times_.time(next_) != t) return true;
    return show(sim_.state_);
  }

  bool resume() {
    sim_.integrator_->resume(sim_.state_.t, sim_.y_);
    return true;
  }

  bool happen(std::span<const EventHit> hits) {
    SwitchRecord record;
    sim_.situate(sim_.state_.t);
    if (!sim_.handle(hits, record)) return false;
    sim_.start_events();
    const bool quiet = hits.empty() && record.changes.empty() && record.impulses.empty();
    if (quiet) return true;
    ++report_.event_count;
    report_.energy_lost += std::max(0.0, record.kinetic_before - record.kinetic_after);
    constexpr double kSameInstant = 1e-13;
    constexpr int kMostAtOnce = 1000;
    at_once_ = std::abs(record.t - last_event_) <= kSameInstant * std::max(1.0, std::abs(record.t)) ? at_once_ + 1 : 0;
    last_event_ = record.t;
    if (report_.events.size() < sim_.options_.kept_events) report_.events.push_back(std::move(record));
    if (at_once_ <= kMostAtOnce && report_.event_count <= sim_.options_.max_events) return true;
    sim_.fail(
        StepStatus::TooManySteps, "the number of events",
        "events follow one another without end: rules that undo each other, or contacts that neither hold nor let "
        "go");
    return false;
  }

  void finish() {
    RunReport& run = report_.run;
    run.t_end = sim_.state_.t;
    run.totals = sim_.integrator_->totals();
    run.method = sim_.integrator_->name();
    run.failure = sim_.failure_;
    run.choices = sim_.evaluator_.choices();
    sim_.situate(sim_.state_.t);
    sim_.energy_.observe(sim_.state_.q, sim_.state_.u);
    run.energy = sim_.energy_.report();
    run.energy.conservative = false;
    run.constraints = sim_.projector_.calc_residuals(sim_.state_.q, sim_.state_.u);
    run.times = clock_.times(sim_.evaluator_.times());
    if (report_.event_count > static_cast<long>(report_.events.size()))
      run.warnings.push_back(
          fmt::format("only the first {} of {} events are listed", report_.events.size(), report_.event_count));
  }

  HybridSimulator& sim_;
  SampleTimes times_;
  double until_, longest_ = 0;
  const SampleCallback& on_sample_;
  const StepCallback& on_step_;
  RunClock clock_;
  HybridReport report_;
  State sample_;
  std::vector<EventHit> hits_;
  long next_ = 0;
  int at_once_ = 0, tiny_steps_ = 0;
  double last_shown_ = 0, last_event_ = -1e300;
};

HybridReport HybridSimulator::run(const RunPlan& plan, const SampleCallback& on_sample, const StepCallback& on_step) {
  return Run(*this, plan, on_sample, on_step).execute();
}

}  // namespace kane

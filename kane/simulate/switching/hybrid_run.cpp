// HybridSimulator::run: steps, events, samples.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/simulate/motion/sample_times.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"

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
    store(sim_.state_);
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
      if (!find_state(t)) {
        ++next_;
        continue;
      }
      sim_.load_state(t, sim_.y_, sample_);
      if (!show(sample_)) return false;
    }
    return true;
  }

  /// y_ inside of the last step, on the constraints; where they determine nothing (at a change point), as it is.
  bool find_state(double t) {
    if (step_->interpolate(t, sim_.y_) != StepStatus::Ok) return false;
    sim_.load_state(t, sim_.y_, sample_);
    constexpr double kMostCorrection = 1e-6;
    if (sim_.project(t, sim_.y_) == ProjectionStatus::Failed ||
        (step_ == &sim_.jump_ && !is_near(sample_, kMostCorrection)))
      store(sample_);
    return true;
  }

  /// Whether y_ is a state, but for this fraction of its size.
  [[nodiscard]] bool is_near(const State& state, double fraction) const {
    const auto differs = [&](const std::vector<double>& x, std::size_t first) {
      double largest = 0, size = 1;
      for (std::size_t i = 0; i < x.size(); ++i)
        largest = std::max(largest, std::abs(x[i] - sim_.y_[first + i])), size = std::max(size, std::abs(x[i]));
      return !(largest <= fraction * size);
    };
    return !differs(state.q, 0) && !differs(state.u, state.q.size());
  }

  bool advance() {
    const double next_break = sim_.inputs_.next_break();
    if (!make_step(
            std::min({until_, next_break, sim_.state_.t + longest_, sim_.state_.t + sim_.dynamics_.longest_step()})))
      return false;
    const double safe = find_safe_end();
    for (;;) {
      const EventStatus found = sim_.locator_->find(*step_);
      if (found == EventStatus::NotFinite || found == EventStatus::StepFailed) return fail_event(found);
      const double t = found == EventStatus::Found ? sim_.locator_->time() : step_->time();
      if (safe < t) return cut(safe);
      if (!show_samples(t, found != EventStatus::Found)) return false;
      if (found != EventStatus::Found) break;
      if (!find_state(t)) return false;
      sim_.load_state(t, sim_.y_, sim_.state_);
      hits_.assign(sim_.locator_->hits().begin(), sim_.locator_->hits().end());
      const std::vector<int> active = sim_.evaluator_.active_rows();
      constexpr double kSame = 1e-9;
      sample_ = sim_.state_;
      if (!happen(hits_)) return false;
      // Inside of a jump no motion could begin; but one that goes on as before is known to its end.
      if (step_ != &sim_.jump_ || sim_.stop_ || sim_.evaluator_.active_rows() != active || !is_near(sample_, kSame))
        return resume() && show_samples_at(t) && !sim_.stop_ && tick();
      if (!show_samples_at(t)) return false;
    }
    sim_.load_state(step_->time(), step_->state(), sim_.state_);
    std::ranges::copy(step_->state(), sim_.y_.begin());
    if (step_ == &sim_.jump_) sim_.integrator_->resume(sim_.state_.t, sim_.y_);
    const bool other_shapes = sim_.dynamics_.note_step(sim_.state_.q, sim_.state_.u);
    constexpr double kDeep = 1e-8;
    if (sim_.dynamics_.missed(sim_.state_.q, sim_.state_.u, kDeep)) return happen({}) && resume() && tick();
    if (sim_.state_.t >= next_break) {
      sim_.inputs_.pass(sim_.state_);
      sim_.evaluator_.set_inputs(sim_.inputs_.values(), sim_.state_.t);
      // What holds may not hold under the new inputs.
      return happen({}) && resume() && tick();
    }
    if (other_shapes) sim_.start_events();
    return tick();
  }

  bool fail_event(EventStatus found) {
    const std::string what = found == EventStatus::NotFinite
                                 ? fmt::format("the condition of '{}'",
                                               sim_.function_name(static_cast<std::size_t>(sim_.locator_->failed())))
                                 : "an event";
    sim_.fail(StepStatus::NotFinite, what, "it is not a finite number along this step");
    return false;
  }

  /// One step of the integrator, or over a change point: step_ tells which. Steps that end too near to such a place are made
  /// again, shorter (change_point.hpp).
  bool make_step(double limit) {
    const bool watch = std::find(sim_.bilateral_.begin(), sim_.bilateral_.end(), true) != sim_.bilateral_.end();
    step_ = &sim_.jump_;
    if (watch && sim_.jump_.pass(sim_.state_, limit)) return true;
    Integrator& integrator = *sim_.integrator_;
    step_ = &integrator;
    double most = watch ? sim_.change_point_.most_step(sim_.state_) : std::numeric_limits<double>::infinity();
    for (int tries = 0;; ++tries) {
      const StepReport& step = integrator.step(std::min(limit, sim_.state_.t + most));
      if (step.status != StepStatus::Ok) {
        sim_.fail(step.status, "the motion",
                  sim_.failed_.ok() ? fmt::format("{}", to_string(step.status))
                                    : describe(sim_.failed_, sim_.system_->equations()));
        return false;
      }
      constexpr int kMostTries = 40;
      if (!watch || tries >= kMostTries || !too_near_change_point()) return !creeps(step.h);
      most = 0.5 * step.h;
      store(sim_.state_);
      integrator.resume(sim_.state_.t, sim_.y_);
    }
  }

  bool too_near_change_point() {
    const Integrator& integrator = *sim_.integrator_;
    sim_.load_state(integrator.time(), integrator.state(), sample_);
    sim_.situate(sample_.t);
    return !sim_.change_point_.observe(sample_, [this] {
      sim_.situate(sim_.state_.t);
      const double before = sim_.change_point_.calc_independence(sim_.state_);
      sim_.situate(sample_.t);
      return before;
    });
  }

  void store(const State& state) {
    std::ranges::copy(state.q, sim_.y_.begin());
    std::ranges::copy(state.u, sim_.y_.begin() + static_cast<std::ptrdiff_t>(state.q.size()));
  }

  /// Steps that stay tiny where constraints become dependent on each other: a change point that the motion does not pass.
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
        "they become dependent on each other here (a change point, such as links that lie in one line), and the motion "
        "cannot be followed through it: it comes to rest there or turns sharply, and steps become shorter and shorter. "
        "Begin beyond the place, or stay away from it");
    return true;
  }

  /// Up to where the last step is sure not to have missed shapes that met.
  double find_safe_end() {
    const double end = step_->time(), h = end - step_->previous_time();
    if (step_ == &sim_.jump_) return end;
    const auto y = step_->state();
    const double part = sim_.dynamics_.safe_part(y.first(sim_.state_.q.size()), y.subspan(sim_.state_.q.size()), h);
    return part < 1 ? end - (1 - part) * h : end;
  }

  /// Goes on from inside of the last step.
  bool cut(double t) {
    if (!show_samples(t, true) || !find_state(t)) return false;
    sim_.load_state(t, sim_.y_, sim_.state_);
    (void)sim_.dynamics_.note_step(sim_.state_.q, sim_.state_.u);
    sim_.start_events();
    return resume() && tick();
  }

  bool tick() { return !on_step_ || on_step_(sim_.state_.t); }

  /// A sample at the instant of an event shows the state after it.
  bool show_samples_at(double t) {
    if (next_ > times_.last() || times_.time(next_) != t) return true;
    return show(sim_.state_);
  }

  bool resume() {
    sim_.change_point_.forget();
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
    run.change_points = sim_.change_point_.jumps();
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
  Integrator* step_ = nullptr;  ///< that made the last step
  std::vector<EventHit> hits_;
  long next_ = 0;
  int at_once_ = 0, tiny_steps_ = 0;
  double last_shown_ = 0, last_event_ = -1e300;
};

HybridReport HybridSimulator::run(const RunPlan& plan, const SampleCallback& on_sample, const StepCallback& on_step) {
  return Run(*this, plan, on_sample, on_step).execute();
}

}  // namespace kane

#include "kane/batch/lane_runner.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "kane/analysis/joint_ranges.hpp"
#include "kane/batch/case_starts.hpp"
#include "kane/batch/lane_integrator.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/motion/sample_times.hpp"

namespace kane {

namespace {

using LaneClock = std::chrono::steady_clock;

/// Runs cases of one model in lanes; a lane whose case has ended gets the next one.
class LaneCases final : public LaneRunner {
 public:
  LaneCases(const Sweep& sweep, std::size_t model, const LaneProblemOptions& options)
      : sweep_(sweep),
        whole_(sweep.model(model)),
        model_(sweep.free_model(model) != nullptr ? *sweep.free_model(model) : whole_),
        measures_(sweep.free_model(model) != nullptr ? sweep.free_measures(model) : sweep.measures(model)),
        problem_(model_, measures_, options),
        integrator_(problem_),
        evaluator_(model_.system()),
        starts_(sweep, model_),
        lanes_(static_cast<std::size_t>(options.lanes)),
        cases_(lanes_) {
    for (std::size_t l = 0; l < lanes_; ++l) tracks_.push_back(std::make_unique<MeasureTrack>(measures_, true));
    if (&whole_ == &model_) return;
    for (const Joint& joint : whole_.mechanism().joints)
      for (const ElementaryMotion& motion : joint.motions)
        for (const auto* limit : {&motion.law.lower, &motion.law.upper})
          if (*limit && !symbols_of(std::span(&**limit, 1)).empty()) bounds_vary_ = true;
  }

  [[nodiscard]] std::size_t width() const override { return lanes_; }

  void run(std::uint64_t first, std::uint64_t count, std::vector<CaseResult>& results,
           std::vector<std::uint64_t>& left) override {
    next_ = first, last_ = first + count;
    results_ = &results, left_ = &left;
    std::size_t busy = 0;
    bool fresh = false;
    for (std::size_t l = 0; l < lanes_; ++l)
      if (fill(l)) ++busy, fresh = true;
    long rounds = 0;
    while (busy > 0) {
      if (fresh) integrator_.begin();
      fresh = false;
      integrator_.step();
      sample_steps();
      const bool look = ++rounds % kRoundsBetweenLooks == 0;
      for (std::size_t l = 0; l < lanes_; ++l) {
        Case& c = cases_[l];
        if (!c.busy) continue;
        const LaneIntegrator::LaneState& s = integrator_.lane(l);
        const bool failed = s.failed || (look && late(c));
        const bool done = !failed && s.accepted && s.t >= c.end;
        if (!failed && !done) continue;
        finish(l, failed);
        --busy;
        if (fill(l)) ++busy, fresh = true;
      }
    }
  }

 private:
  static constexpr long kRoundsBetweenLooks = 256;
  struct Case {
    bool busy = false;
    CaseResult result{};
    double end = 0, begin = 0;
    std::optional<SampleTimes> times{};
    double slack = 0;
    long next_sample = 0;
    LaneClock::time_point started{};
  };

  [[nodiscard]] bool late(const Case& c) const {
    const double limit = sweep_.options().case_limit;
    return limit > 0 && std::chrono::duration<double>(LaneClock::now() - c.started).count() > limit;
  }

  /// Gives the lane the next case that can begin; false: there are none left.
  bool fill(std::size_t l) {
    Case& c = cases_[l];
    c.busy = false;
    while (next_ < last_) {
      const std::uint64_t k = next_++;
      c.started = LaneClock::now();
      c.result = {};
      c.result.k = k;
      c.result.values.resize(sweep_.targets().size());
      c.result.measures.assign(sweep_.measure_names().size(), 0.0);
      sweep_.study().calc_values(k, c.result.values);
      if (load(l, c)) return true;
      left_->push_back(k);
    }
    integrator_.idle(l);
    return false;
  }

  bool load(std::size_t l, Case& c) {
    try {
      Start& start = starts_.start(c.result.values);
      if (problem_.has_quaternions() || problem_.has_loops()) {
        evaluator_.set_parameters(starts_.parameters());
        evaluator_.set_inputs(start.inputs, start.state.t);
        evaluator_.set_active(start.active);
        (void)assemble_start(evaluator_, start);
      }
      check_initial_state(model_.equations(), start.state);
      if (&whole_ != &model_ && !set_bounds(l, start)) return false;
      c.begin = start.state.t;
      c.end = end_time(model_, c.begin, sweep_.options().until);
      if (!(c.end > c.begin)) return false;
      const double step = sweep_.options().sample.value_or(model_.mechanism().simulation.sample.value_or(0.0));
      constexpr long kIntervals = 1000;
      c.times.emplace(c.begin, c.end, measures_.needs_samples() ? step : 0.0,
                      measures_.needs_samples() ? kIntervals : 1);
      problem_.set_parameters(l, starts_.parameters(), start.inputs);
      integrator_.start(l, start.state, c.end);
    } catch (const ModelError&) {
      return false;  // the simulator says what is wrong
    }
    constexpr double kSlack = 1e-6;
    c.slack = problem_.fixed_step() && c.times->hit_by(problem_.options().step) ? kSlack * problem_.options().step : 0;
    c.next_sample = 0;
    c.busy = true;
    tracks_[l]->start(sweep_.series_step(c.begin, c.end));
    return true;
  }

  /// Stops that the coordinates stay away from need no attention; false: one is touched from the start.
  bool set_bounds(std::size_t l, const Start& start) {
    if (bounds_.empty() || bounds_vary_) {
      const std::vector<JointRange> ranges = find_joint_ranges(model_, start);
      std::vector<std::size_t> places;
      bounds_.clear();
      for (const JointRange& r : ranges) {
        if (!std::isfinite(r.lower) && !std::isfinite(r.upper)) continue;
        places.push_back(r.place);
        bounds_.push_back(r.lower), bounds_.push_back(r.upper);
      }
      if (places_.empty()) integrator_.watch(places);
      places_ = places;
    }
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (!(start.state.q[places_[i]] > bounds_[2 * i] && start.state.q[places_[i]] < bounds_[2 * i + 1])) return false;
    integrator_.set_bounds(l, bounds_);
    return true;
  }

  /// Signals at the samples that the last step has reached, lane by lane as far as each has got.
  void sample_steps() {
    std::array<double, kMostLanes> at{};
    while (true) {
      bool any = false;
      for (std::size_t l = 0; l < lanes_; ++l) {
        const Case& c = cases_[l];
        const LaneIntegrator::LaneState& s = integrator_.lane(l);
        at[l] = s.t;
        if (!c.busy || s.failed || !(s.accepted || c.next_sample == 0) || c.next_sample > c.times->last()) continue;
        const double t = c.times->time(c.next_sample);
        if (t > s.t + c.slack) continue;
        at[l] = std::abs(t - s.t) <= c.slack ? s.t : t;
        any = true;
      }
      if (!any) return;
      const double* const signals = integrator_.calc_signals(at.data());
      for (std::size_t l = 0; l < lanes_; ++l) {
        Case& c = cases_[l];
        const LaneIntegrator::LaneState& s = integrator_.lane(l);
        if (!c.busy || s.failed || !(s.accepted || c.next_sample == 0) || c.next_sample > c.times->last()) continue;
        const double t = c.times->time(c.next_sample);
        if (t > s.t + c.slack) continue;
        tracks_[l]->add_strided(t, signals + l, lanes_);
        ++c.next_sample;
      }
    }
  }

  void finish(std::size_t l, bool failed) {
    Case& c = cases_[l];
    c.busy = false;
    if (failed) {
      left_->push_back(c.result.k);
      return;
    }
    tracks_[l]->finish(c.result.measures);
    c.result.series = tracks_[l]->series();
    c.result.ok = true;
    c.result.seconds =
        std::chrono::duration<double>(LaneClock::now() - c.started).count() / static_cast<double>(lanes_);
    results_->push_back(std::move(c.result));
  }

  const Sweep& sweep_;
  const Model &whole_, &model_;  ///< with stops, and without where they are watched
  const MeasureSet& measures_;
  LaneProblem problem_;
  LaneIntegrator integrator_;
  SystemEvaluator evaluator_;
  CaseStarts starts_;
  std::size_t lanes_;
  std::vector<Case> cases_;
  std::vector<std::unique_ptr<MeasureTrack>> tracks_;
  std::vector<std::size_t> places_;  ///< watched coordinates
  std::vector<double> bounds_;
  bool bounds_vary_ = false;  ///< from case to case
  std::uint64_t next_ = 0, last_ = 0;
  std::vector<CaseResult>* results_ = nullptr;
  std::vector<std::uint64_t>* left_ = nullptr;
};

}  // namespace

std::unique_ptr<LaneRunner> LaneRunner::make(const Sweep& sweep, std::size_t model) {
  if (!sweep.suits_lanes()) return nullptr;
  const SweepOptions& o = sweep.options();
  const Model& m = sweep.free_model(model) != nullptr ? *sweep.free_model(model) : sweep.model(model);
  const auto options = lane_problem_options(m, simulator_options(m, o.simulation), o.lanes);
  if (!options) return nullptr;
  return std::make_unique<LaneCases>(sweep, model, *options);
}

}  // namespace kane

#include <chrono>
#include <cmath>
#include <limits>

#include "kane/batch/lane_runner.hpp"
#include "kane/batch/sweep.hpp"

namespace kane {

namespace {

using CaseClock = std::chrono::steady_clock;

double seconds_since(CaseClock::time_point begin) {
  return std::chrono::duration<double>(CaseClock::now() - begin).count();
}

/// Signals of a simulation at its samples.
class SignalProbe {
 public:
  SignalProbe(Simulation& simulation, const MeasureSet& set)
      : simulation_(simulation),
        set_(set),
        runner_(&set.signals(), simulation.simulator().evaluator().context()),
        rates_(set.uses_rates() || !simulation.simulator().options().inputs.empty()),
        udot_(simulation.equations().u.size()),
        lambda_(simulation.equations().constraints.size()) {}

  std::span<const double> calc(const State& s) {
    MotionSimulator& simulator = simulation_.simulator();
    if (!rates_) {
      simulator.evaluator().set_time(s.t);
      return runner_.run(s.q, s.u, udot_, lambda_);
    }
    if (simulator.calc_reports(s).empty()) {
      nothing_.assign(set_.signal_count(), std::numeric_limits<double>::quiet_NaN());
      return nothing_;
    }
    return runner_.run(s.q, s.u, simulator.udot(), simulator.multipliers());
  }

 private:
  Simulation& simulation_;
  const MeasureSet& set_;
  KernelRunner runner_;
  bool rates_;
  std::vector<double> udot_, lambda_, nothing_;
};

}  // namespace

CaseRunner::CaseRunner(const Sweep& sweep) : sweep_(sweep) {
  for (std::size_t i = 0; i < sweep.model_count(); ++i) {
    tracks_.push_back(std::make_unique<MeasureTrack>(sweep.measures(i), !sweep.model(i).equations().switched()));
    lanes_.push_back(LaneRunner::make(sweep, i));
  }
}

CaseRunner::~CaseRunner() = default;

std::size_t CaseRunner::width() const {
  return sweep_.model_count() == 1 && lanes_.front() ? lanes_.front()->width() : 1;
}

CaseResult CaseRunner::run(std::uint64_t k) {
  std::vector<double> values(sweep_.targets().size());
  sweep_.study().calc_values(k, values);
  return run(k, std::move(values));
}

CaseResult CaseRunner::run(std::uint64_t k, std::vector<double> values) {
  CaseResult result;
  result.k = k;
  result.values = std::move(values);
  result.measures.assign(sweep_.measure_names().size(), std::numeric_limits<double>::quiet_NaN());
  const auto begin = CaseClock::now();
  try {
    simulate(result);
  } catch (const ModelError& error) {
    result.reason = error.message();
  }
  result.seconds = seconds_since(begin);
  if (!result.ok) {
    constexpr std::size_t kLongestReason = 600;
    if (result.reason.size() > kLongestReason) result.reason.resize(kLongestReason);
    result.measures.assign(result.measures.size(), std::numeric_limits<double>::quiet_NaN());
  }
  return result;
}

void CaseRunner::simulate(CaseResult& result) {
  const std::size_t which = sweep_.model_of(result.values);
  const SweepOptions& o = sweep_.options();
  StartState start = o.start;
  SimulationOptions options = o.simulation;
  sweep_.set_case(result.values, start, options);
  Simulation simulation(sweep_.model(which), start, options);
  SignalProbe probe(simulation, sweep_.measures(which));
  MeasureTrack& track = *tracks_[which];
  const double until = end_time(simulation.model(), simulation.time(), o.until);
  track.start(sweep_.series_step(simulation.time(), until));
  if (until == simulation.time()) {
    track.add(until, probe.calc(simulation.state()));
  } else {
    RunPlan plan = simulation.plan(o.until, o.sample);
    if (!sweep_.measures(which).needs_samples()) plan.output_step = 0, plan.intervals = 1;
    const auto begin = CaseClock::now();
    bool late = false;
    const auto on_sample = [&](const State& s) {
      track.add(s.t, probe.calc(s));
      return true;
    };
    const bool events = sweep_.measures(which).needs_events();
    const auto on_step = [&](double t) {
      if (const SwitchRecord* record = simulation.simulator().event(); events && record != nullptr) {
        const auto signals = probe.calc(simulation.state());
        for (const std::string& cause : record->causes) track.add_event(cause, t, signals);
      }
      late = o.case_limit > 0 && seconds_since(begin) > o.case_limit;
      return !late;
    };
    const RunReport report = simulation.run(plan, on_sample, on_step);
    if (report.failure) {
      result.reason = report.failure->message(simulation.equations());
      return;
    }
    if (late) {
      result.reason = fmt::format("stopped at t = {:.6g} s after {:g} s of computing, the limit for one case",
                                  simulation.time(), o.case_limit);
      return;
    }
  }
  track.finish(result.measures);
  result.series = track.series();
  result.ok = true;
}

void CaseRunner::run(std::uint64_t first, std::uint64_t count, std::vector<CaseResult>& results) {
  if (sweep_.model_count() == 1 && lanes_.front()) {
    std::vector<std::uint64_t> left;
    lanes_.front()->run(first, count, results, left);
    for (const std::uint64_t k : left) results.push_back(run(k));
    return;
  }
  for (std::uint64_t k = first; k < first + count; ++k) results.push_back(run(k));
}

}  // namespace kane

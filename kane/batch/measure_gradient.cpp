#include "kane/batch/measure_gradient.hpp"

#include <cmath>

#include "kane/analysis/joint_ranges.hpp"
#include "kane/analysis/sensitivity.hpp"
#include "kane/simulate/motion/sample_times.hpp"

namespace kane {

MeasureGradient::MeasureGradient(const Sweep& sweep, std::vector<double> spans)
    : sweep_(sweep),
      model_(sweep.free_model() != nullptr ? *sweep.free_model() : sweep.model()),
      measures_(sweep.free_model() != nullptr ? sweep.free_measures() : sweep.measures()),
      spans_(std::move(spans)),
      start_(sweep.options().start) {
  using Kind = SweepTarget::Kind;
  require(sweep.model_count() == 1 && !model_.equations().switched(),
          "a run with parts that switch has no derivatives that are known in advance");
  require(!sweep.options().simulation.control_period && sweep.options().simulation.inputs.empty(),
          "a run with sampled inputs cannot be differentiated");
  SensitivityOptions o;
  for (const SweepTarget& target : sweep.targets()) {
    require(target.kind == Kind::Parameter || target.kind == Kind::Coordinate || target.kind == Kind::Speed,
            "'{}' is no parameter or initial value", target.name);
    o.parameters.push_back(target.name);
  }
  o.signals = measures_.signal_expressions();
  o.tolerance = std::min(1e-9, simulator_options(model_, sweep.options().simulation).tolerance);
  o.inputs = model_.input_sources();
  if (!model_.mechanism().initial_laws.empty())
    o.initial = [this](const Values& parameters) {
      StartState other = start_;
      other.parameters = parameters;
      return model_.start(other).state;
    };
  run_ = std::make_unique<SensitivityRun>(model_.system(), std::move(o));
  // A run that needs so many steps is not one that a design ends with.
  constexpr long kMostSteps = 20'000;
  run_->set_step_limit(kMostSteps);
  for (std::size_t i = 0; i < 2 * sweep.targets().size(); ++i) tracks_.emplace_back(measures_, true);
}

MeasureGradient::~MeasureGradient() = default;

std::string MeasureGradient::calc(std::span<const double> values, Matrix& derivatives) {
  const std::size_t n = values.size(), m = sweep_.measure_names().size();
  constexpr double kStep = 1e-5;  // of the span of a variable
  try {
    start_ = sweep_.options().start;
    SimulationOptions ignored = sweep_.options().simulation;
    sweep_.set_case(values, start_, ignored);
    const Start start = model_.start(start_);
    const std::vector<JointRange> stops =
        &model_ == &sweep_.model() ? std::vector<JointRange>() : find_joint_ranges(model_, start);
    std::string outside;
    run_->set_inputs(start.inputs);
    run_->evaluator().set_active(start.active);
    run_->start(start.parameters, start.state, start.given);
    const double begin = run_->initial().t, end = end_time(model_, begin, sweep_.options().until);
    std::vector<double> times = {begin};
    if (end > begin) {
      constexpr long kIntervals = 1000;
      const double step = sweep_.options().sample.value_or(model_.mechanism().simulation.sample.value_or(0.0));
      const bool all = measures_.needs_samples();
      const SampleTimes samples(begin, end, all ? step : 0.0, all ? kIntervals : 1);
      for (long k = 1; k <= samples.last(); ++k) times.push_back(samples.time(k));
    }
    for (MeasureTrack& track : tracks_) track.start(end - begin);
    std::vector<double> signals(measures_.signal_count());
    const std::string failure = run_->run(times, [&](const SensitivitySample& s) {
      if (outside.empty()) outside = describe_outside(stops, s.q, true);
      for (std::size_t i = 0; i < n; ++i)
        for (int side = 0; side < 2; ++side) {
          const double e = (side == 0 ? kStep : -kStep) * spans_[i];
          for (std::size_t k = 0; k < signals.size(); ++k) signals[k] = s.values[k] + e * s.derivatives(k, i);
          tracks_[2 * i + static_cast<std::size_t>(side)].add(s.t, signals);
        }
    });
    if (!failure.empty() || !outside.empty()) return failure.empty() ? outside : failure;
  } catch (const ModelError& error) {
    return error.message();
  }
  derivatives = Matrix(m, n);
  std::vector<double> above(m), below(m);
  for (std::size_t i = 0; i < n; ++i) {
    tracks_[2 * i].finish(above), tracks_[2 * i + 1].finish(below);
    for (std::size_t k = 0; k < m; ++k) {
      derivatives(k, i) = (above[k] - below[k]) / (2 * kStep * spans_[i]);
      if (!std::isfinite(derivatives(k, i)))
        return fmt::format("the measure '{}' has no derivative here", sweep_.measure_names()[k]);
    }
  }
  return {};
}

}  // namespace kane

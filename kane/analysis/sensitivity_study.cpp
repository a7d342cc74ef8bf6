#include "kane/analysis/sensitivity_study.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/base/error.hpp"
#include "kane/model/simulation.hpp"
#include "kane/simulate/motion/sample_times.hpp"

namespace kane {

Model drive_series(const Model& model, const std::vector<InputSource>& series) {
  std::vector<std::string> names;
  for (const InputSource& source : series)
    if (const auto* s = std::get_if<SeriesInput>(&source)) names.push_back(s->input);
  return model.driving(names);
}

std::vector<InputSource> all_sources(const Model& model, const std::vector<InputSource>& others) {
  std::vector<InputSource> sources = model.input_sources();
  sources.insert(sources.end(), others.begin(), others.end());
  return sources;
}

std::function<State(const Values&)> initial_by_parameters(const Model& model, const StartState& start) {
  if (model.mechanism().initial_laws.empty()) return {};
  return [model, start](const Values& parameters) {
    StartState other = start;
    other.parameters = parameters;
    return model.start(other).state;
  };
}

SensitivityStudy::SensitivityStudy(const Model& model, const StartState& start, SensitivityStudyOptions options)
    : options_(std::move(options)), at_(drive_series(model, options_.inputs), start) {
  const EquationsOfMotion& e = at_.equations();
  require(!options_.parameters.empty(), "name at least one parameter or initial value");
  if (options_.outputs.empty()) {
    for (const auto& q : e.q) options_.outputs.push_back(q.name());
    for (const auto& o : e.outputs) options_.outputs.push_back(o.name);
  }
  columns_.push_back(e.t.name());
  columns_.insert(columns_.end(), options_.outputs.begin(), options_.outputs.end());
  for (const auto& o : options_.outputs)
    for (const auto& p : options_.parameters) columns_.push_back(fmt::format("d({})/d({})", o, p));
  if (describe_switching(e).empty()) {
    prepare_variations(start);
    return;
  }
  for (const auto& source : all_sources(at_.model(), options_.inputs))
    require(std::holds_alternative<SeriesInput>(source),
            "a run with a sampled controller cannot be differentiated; write its law into the model");
  DifferenceRuns::Options differences;
  differences.parameters = options_.parameters, differences.outputs = options_.outputs;
  const double begin = at_.state().t;
  differences.plan = {end_time(at_.model(), begin, options_.until), options_.output_step.value_or(0), 1000};
  differences.tolerance = options_.tolerance.value_or(simulator_options(at_.model()).tolerance);
  differences.inputs = options_.inputs;
  differences_ = std::make_unique<DifferenceRuns>(at_.model(), start, std::move(differences));
}

void SensitivityStudy::prepare_variations(const StartState& start) {
  const EquationsOfMotion& e = at_.equations();
  SensitivityOptions sensitivity;
  sensitivity.parameters = options_.parameters;
  for (const auto& text : options_.outputs) sensitivity.signals.push_back(parse_signal(e, text, "outputs"));
  ranges_ = find_joint_ranges(at_.model(), at_.start());
  std::erase_if(ranges_, [](const JointRange& range) { return !range.rigid; });
  if (!at_.model().mechanism().stops) ranges_.clear();
  for (const JointRange& r : ranges_) sensitivity.signals.push_back(parse_signal(e, r.coordinate, "limits"));
  sensitivity.tolerance = options_.tolerance.value_or(simulator_options(at_.model()).tolerance);
  sensitivity.inputs = all_sources(at_.model(), options_.inputs);
  sensitivity.initial = initial_by_parameters(at_.model(), start);
  run_ = std::make_unique<SensitivityRun>(at_.system(), std::move(sensitivity));
  run_->set_inputs(at_.start().inputs);
  run_->evaluator().set_active(at_.start().active);
}

/// The derivatives are those of a motion without stops.
void SensitivityStudy::check_stops(const SensitivitySample& sample) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const JointRange& r = ranges_[i];
    const double q = sample.values[options_.outputs.size() + i];
    require(
        q >= r.lower && q <= r.upper,
        "'{}' reaches a limit of the joint '{}' before t = {:.6g} s, and a sensitivity study does not follow stops; "
        "end earlier, or ignore the limits (--ignore-limits)",
        r.coordinate, r.joint, sample.t);
  }
}

SensitivityReport SensitivityStudy::run(const std::function<void(std::span<const double>)>& on_row) {
  const std::size_t outputs = options_.outputs.size(), parameters = options_.parameters.size();
  SensitivityReport report;
  report.model = equations().name;
  report.outputs = options_.outputs, report.parameters = options_.parameters;
  report.last = report.largest = Matrix(outputs, parameters);
  std::vector<double> row;
  const auto show = [&](double t, std::span<const double> values, const auto& derivative) {
    row.assign(1, t);
    row.insert(row.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(outputs));
    for (std::size_t i = 0; i < outputs; ++i)
      for (std::size_t k = 0; k < parameters; ++k) {
        row.push_back(derivative(i, k));
        report.last(i, k) = row.back();
        report.largest(i, k) = std::max(report.largest(i, k), std::abs(row.back()));
      }
    report.t_end = t, ++report.samples;
    if (on_row) on_row(row);
  };
  if (differences_) {
    report.values = differences_->values();
    report.differences = true;
    report.failure = differences_->run([&](const DifferenceRuns::Sample& s) {
      show(s.t, s.values, [&](std::size_t i, std::size_t k) { return s.derivatives[i * parameters + k]; });
    });
    report.steps = differences_->steps();
    report.disagreement = differences_->disagreement(), report.continued = differences_->continued();
    return report;
  }
  run_->start(at_.start().parameters, at_.state(), at_.start().given);
  const double begin = run_->initial().t;
  const SampleTimes samples(begin, end_time(at_.model(), begin, options_.until), options_.output_step.value_or(0),
                            1000);
  std::vector<double> times;
  for (long k = 0; k <= samples.last(); ++k) times.push_back(samples.time(k));
  for (std::size_t k = 0; k < parameters; ++k) report.values.push_back(run_->parameter_value(k));
  report.failure = run_->run(times, [&](const SensitivitySample& s) {
    check_stops(s);
    show(s.t, s.values, s.derivatives);
  });
  report.steps = run_->totals().steps;
  return report;
}

}  // namespace kane

#include "kane/model/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kane/base/contains.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/model/fmu_controller.hpp"
#include "kane/model/mode_systems.hpp"

namespace kane {

namespace {

std::vector<std::string> inputs_of(const std::vector<InputSource>& sources) {
  std::vector<std::string> names;
  for (const InputSource& source : sources) {
    if (const auto* series = std::get_if<SeriesInput>(&source)) names.push_back(series->input);
    if (const auto* sampled = std::get_if<SampledInput>(&source))
      names.insert(names.end(), sampled->inputs.begin(), sampled->inputs.end());
  }
  return names;
}

/// All laws that nothing else drives, sampled by one controller.
SampledInput sample_laws(const Mechanism& mechanism, const std::vector<std::string>& taken, double period,
                         double delay) {
  SampledInput sampled{{}, period, delay, {}};
  const auto measured = [&](const std::string& name) {  // by an FMU, at its own instants
    return std::any_of(mechanism.fmus.begin(), mechanism.fmus.end(), [&](const FmuController& fmu) {
      return std::any_of(fmu.measured.begin(), fmu.measured.end(), [&](const auto& m) { return m.second == name; });
    });
  };
  for (const auto& law : mechanism.input_laws)
    if (!contains(taken, law.name) && !measured(law.name)) sampled.inputs.push_back(law.name);
  require(!sampled.inputs.empty(), "control period: the model has no input law to sample");
  return sampled;
}

/// Outputs that modules of Kane add for their own use (pictures) have names that no user can give.
bool is_internal(std::string_view output) {
  return output.starts_with("kane_") && output.find('.') != std::string_view::npos;
}

/// FMUs drive what nothing else does. They run native code, which the user must have allowed.
void add_fmus(const Model& model, const std::vector<std::string>& taken, std::vector<InputSource>& sources) {
  for (const FmuController& fmu : model.mechanism().fmus) {
    const auto open = std::find_if(fmu.outputs.begin(), fmu.outputs.end(),
                                   [&](const auto& output) { return !contains(taken, output.first); });
    if (open == fmu.outputs.end()) continue;
    require(
        model.options().allow_fmu,
        "the input '{}' is driven by '{}', which is native code that can do whatever you can; if you trust it, allow "
        "it with --allow-fmu (ModelOptions::allow_fmu), or give the input a value (--set \"{}=0\")",
        open->first, fmu.given, open->first);
    sources.emplace_back(make_fmu_source(fmu, model.system()->inputs(), taken));
  }
}

struct Driven {
  Model model;
  std::vector<InputSource> inputs;
};

/// The model with everything driven that the start and the options drive.
Driven drive(const Model& model, const StartState& start, const SimulationOptions& options) {
  Model by_state = model.driving(start);
  std::vector<InputSource> sources = options.inputs;
  std::vector<std::string> driven = inputs_of(sources);
  for (const auto& name : driven)
    require(!start.inputs.contains(name), "the input '{}' is given twice: by the state and by a series or controller",
            name);
  if (options.control_period) {
    std::vector<std::string> taken = by_state.options().driven;
    taken.insert(taken.end(), driven.begin(), driven.end());
    sources.emplace_back(sample_laws(model.mechanism(), taken, *options.control_period, options.control_delay));
    driven = inputs_of(sources);
  }
  std::vector<std::string> taken = by_state.options().driven;
  taken.insert(taken.end(), driven.begin(), driven.end());
  for (const auto& [name, value] : start.inputs) taken.push_back(name);
  Model driving = by_state.driving(driven);
  add_fmus(driving, taken, sources);
  return {std::move(driving), std::move(sources)};
}

}  // namespace

void SimulationOptions::check() const {
  require(!control_period || (*control_period > 0 && std::isfinite(*control_period)),
          "the control period must be positive, but {} was given", control_period.value_or(0));
  require(!contact_step || (*contact_step > 0 && std::isfinite(*contact_step)),
          "the step of contacts must be positive, but {} was given", contact_step.value_or(0));
  require(control_delay >= 0 && std::isfinite(control_delay),
          "the control delay must not be negative, but {} was given", control_delay);
  require(control_delay == 0 || control_period,
          "a control delay needs a control period: only sampled laws have a delay");
}

SimulatorOptions simulator_options(const Model& model, const SimulationOptions& options) {
  const SimulationSettings& settings = model.mechanism().simulation;
  SimulatorOptions o;
  if (options.method)
    o.method = *options.method;
  else if (!settings.method.empty())
    o.method = method_from(settings.method);
  o.tolerance = options.tolerance.value_or(settings.tolerance.value_or(o.tolerance));
  o.absolute_tolerance = options.absolute_tolerance.value_or(settings.absolute_tolerance.value_or(0.0));
  o.step = options.step.value_or(settings.step.value_or(o.step));
  o.max_step = options.max_step;
  o.inputs = model.input_sources();
  o.inputs.insert(o.inputs.end(), options.inputs.begin(), options.inputs.end());
  if (options.constraints)
    o.constraints = *options.constraints;
  else if (!settings.constraints.empty())
    o.constraints = constraint_method_from(settings.constraints);
  const Switching& switching = model.mechanism().switching;
  if (options.contacts)
    o.switching.scheme = *options.contacts;
  else if (!switching.contact_scheme.empty())
    o.switching.scheme = contact_scheme_from(switching.contact_scheme);
  o.switching.contact_step = options.contact_step.value_or(switching.contact_step.value_or(0.0));
  o.switching.strict_contacts = options.strict_contacts;
  if (model.equations().switched() && o.constraints == ConstraintMethod::Modes) {
    CompileOptions compile;
    compile.strict = model.options().strict;
    compile.use_interpreter = model.options().interpreter;
    compile.functions = table_functions(model.mechanism());
    compile.driven_inputs = model.system()->inputs();
    o.modes = form_mode_systems(model.mechanism(), compile);
  }
  return o;
}

double end_time(const Model& model, double t, std::optional<double> asked) {
  constexpr double kDefaultDuration = 10;
  return asked.value_or(model.mechanism().simulation.until.value_or(t + kDefaultDuration));
}

Simulation::Simulation(const Model& model, const StartState& start, const SimulationOptions& options) : model_(model) {
  options.check();
  Driven driven = drive(model, start, options);
  model_ = std::move(driven.model);
  SimulationOptions own = options;
  own.inputs = std::move(driven.inputs);
  start_ = model_.start(start);
  simulator_ = make_simulator(model_.system(), simulator_options(model_, own));
  simulator_->set_parameters(start_.parameters);
  simulator_->set_inputs(start_.inputs);
  if (start_.active_given) simulator_->set_active(start_.active);
  simulator_->start(simulator_->assemble(start_.state, start_.given, &assembly_));
  name_columns();
}

void Simulation::name_columns() {
  const EquationsOfMotion& e = equations();
  columns_.push_back(e.t.name());
  for (const auto& q : e.q) columns_.push_back(q.name());
  for (const auto& u : e.u) columns_.push_back(u.name());
  for (const ReportItem& item : model_.system()->report_items()) {
    if (item.kind != ReportItem::Kind::Output || is_internal(item.name)) continue;
    columns_.push_back(item.name);
    outputs_.push_back(item.first);
  }
  row_.resize(columns_.size());
}

std::span<const double> Simulation::row(const State& sample) {
  auto to = row_.begin();
  *to++ = sample.t;
  to = std::copy(sample.q.begin(), sample.q.end(), to);
  to = std::copy(sample.u.begin(), sample.u.end(), to);
  if (outputs_.empty()) return row_;
  const auto reports = simulator_->calc_reports(sample);
  for (const std::size_t place : outputs_) *to++ = reports.empty() ? std::nan("") : reports[place];
  return row_;
}

double Simulation::value(std::string_view name) {
  const auto column = std::find(columns_.begin(), columns_.end(), name);
  if (column != columns_.end()) return row(state())[static_cast<std::size_t>(column - columns_.begin())];
  const auto& inputs = model_.system()->inputs();
  const auto input = std::find(inputs.begin(), inputs.end(), name);
  if (input != inputs.end()) return simulator_->evaluator().inputs()[static_cast<std::size_t>(input - inputs.begin())];
  std::vector<std::string> known = columns_;
  known.insert(known.end(), inputs.begin(), inputs.end());
  throw ModelError(fmt::format("'{}' has no coordinate, speed, output or input '{}'{}", model_.name(), name,
                               suggestion(name, known)));
}

void Simulation::set_input(std::string_view name, double value) {
  const auto& inputs = model_.system()->inputs();
  const auto input = std::find(inputs.begin(), inputs.end(), name);
  if (input == inputs.end()) {
    const auto& laws = model_.system()->laws();
    const bool law = std::any_of(laws.begin(), laws.end(), [&](const auto& l) { return l.symbol.name() == name; });
    require(
        !law,
        "the input '{}' follows a law of the model; to set it during a run, name it in ModelOptions::driven or give "
        "it a value at the start",
        name);
    throw ModelError(fmt::format("'{}' has no input '{}'{}", model_.name(), name, suggestion(name, inputs)));
  }
  require(std::isfinite(value), "the value of the input '{}' is not a finite number", name);
  simulator_->set_input(static_cast<std::size_t>(input - inputs.begin()), value);
}

RunReport Simulation::run(const RunPlan& plan, const SampleCallback& on_sample, const StepCallback& on_step) {
  RunReport report = simulator_->run(plan, on_sample, on_step);
  if (!warned_ && !assembly_.warning.empty()) report.warnings.insert(report.warnings.begin(), assembly_.warning);
  warned_ = true;
  return report;
}

RunReport Simulation::advance(double duration) {
  require(duration >= 0 && std::isfinite(duration), "a simulation advances by a time of zero or more, not by {}",
          duration);
  return run({.until = time() + duration, .output_step = 0, .intervals = 1});
}

RunPlan Simulation::plan(std::optional<double> until, std::optional<double> output_step) const {
  RunPlan plan;
  plan.until = end_time(model_, time(), until);
  constexpr double kLastTime = 1e15;  // s; 30 million years
  require(!(plan.until > kLastTime), "the run would end at {:g} s, and would not come to its end; the limit is {:g} s",
          plan.until, kLastTime);
  plan.output_step = output_step ? *output_step : model_.mechanism().simulation.sample.value_or(0.0);
  require(!output_step || (*output_step > 0 && std::isfinite(*output_step)),
          "the time between samples must be positive, but {} was given", output_step.value_or(0));
  return plan;
}

}  // namespace kane

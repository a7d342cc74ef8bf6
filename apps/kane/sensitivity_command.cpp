// kane sensitivity: how a run changes with parameters and initial values.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/sensitivity.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/motion/sample_times.hpp"
#include "kane/simulate/record/series_file.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct SensitivityCommandOptions {
  ModelSource source;
  std::string state, out, inputs;
  std::vector<std::string> parameters, outputs;
  std::optional<double> until, output_step, tolerance;
  bool hold = false, json = false;
};

void run_sensitivity(const SensitivityCommandOptions& options) {
  const SeriesTable table = options.inputs.empty() ? SeriesTable{} : read_series(options.inputs);
  AnalysisModel model(options.source, options.state, table.names);
  const EquationsOfMotion& e = model.equations();
  require(!options.parameters.empty(), "name parameters or initial values with --parameters");
  SensitivityOptions sensitivity;
  sensitivity.parameters = options.parameters;
  std::vector<std::string> outputs = options.outputs;
  if (outputs.empty()) {
    for (const auto& q : e.q) outputs.push_back(q.name());
    for (const auto& o : e.outputs) outputs.push_back(o.name);
  }
  for (const auto& text : outputs) sensitivity.signals.push_back(parse_signal(e, text, "--outputs"));
  sensitivity.tolerance = options.tolerance.value_or(model.simulator_options().tolerance);
  if (!options.inputs.empty())
    sensitivity.inputs = series_inputs(table, options.hold ? Interpolation::Hold : Interpolation::Linear);
  SensitivityRun run(model.system(), sensitivity);
  run.set_inputs(model.situation().inputs);
  if (model.situation().active) run.evaluator().set_active(active_rows(e, model.situation()));
  run.start(model.situation().parameters, model.start(), model.given());

  const std::string out = options.out.empty() ? e.name + "_sensitivity.csv" : options.out;
  std::vector<std::string> names{e.t.name()};
  for (const auto& o : outputs) names.push_back(o);
  for (const auto& o : outputs)
    for (const auto& p : options.parameters) names.push_back(fmt::format("d({})/d({})", o, p));
  TrajectoryFile file(out, names);
  const SampleTimes samples(run.initial().t, model.until(options.until), options.output_step.value_or(0), 1000);
  std::vector<double> times, row;
  for (long k = 0; k <= samples.last(); ++k) times.push_back(samples.time(k));
  Matrix last(outputs.size(), options.parameters.size()), largest(outputs.size(), options.parameters.size());
  const std::string failure = run.run(times, [&](const SensitivitySample& s) {
    row.assign(1, s.t);
    row.insert(row.end(), s.values.begin(), s.values.end());
    for (std::size_t i = 0; i < outputs.size(); ++i)
      for (std::size_t k = 0; k < options.parameters.size(); ++k) {
        row.push_back(s.derivatives(i, k));
        last(i, k) = row.back(), largest(i, k) = std::max(largest(i, k), std::abs(row.back()));
      }
    file.write(row);
  });
  file.finish();
  std::FILE* const to = out == "-" ? stderr : stdout;
  if (options.json) {
    Json a;
    a["model"] = e.name, a["out"] = out, a["t_end"] = times.back(), a["outputs"] = outputs;
    a["parameters"] = options.parameters;
    for (std::size_t k = 0; k < options.parameters.size(); ++k) a["values"].push_back(run.parameter_value(k));
    a["derivatives_at_end"] = matrix_rows(last), a["largest_derivatives"] = matrix_rows(largest);
    a["steps"] = run.totals().steps;
    fmt::print(to, "{}\n", a.dump());
  } else {
    fmt::print(to, "{}: derivatives of the run by {} parameter{}, {} samples in {}\n", e.name,
               options.parameters.size(), options.parameters.size() == 1 ? "" : "s", times.size(),
               out == "-" ? "standard output" : out);
    if (out != "-") {
      print_labelled(fmt::format("at t = {:.6g} s", times.back()), last, outputs, options.parameters);
      print_labelled("largest on the way", largest, outputs, options.parameters);
    }
  }
  if (!failure.empty()) throw RunFailed(failure);
}

}  // namespace

void add_sensitivity_command(CLI::App& app) {
  auto options = std::make_shared<SensitivityCommandOptions>();
  CLI::App* command = app.add_subcommand("sensitivity", "Derivatives of a run by parameters and initial values");
  options->source.add_to(*command);
  command->add_option("--parameters", options->parameters, "Parameters, or coordinates and speeds (initial values)")
      ->delimiter(',');
  command
      ->add_option("--outputs", options->outputs,
                   "What to differentiate: names or expressions (default: coordinates and outputs)")
      ->delimiter(',');
  command->add_option("--until", options->until, "Time at which to end, s");
  command->add_option("--output-step", options->output_step, "Time between samples, s (default: 1000 intervals)");
  command->add_option("--tolerance", options->tolerance, "Accuracy asked for, relative");
  command->add_option("--out", options->out,
                      "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME_sensitivity.csv)");
  command->add_option("--state", options->state, "JSON file with the initial state; '-' reads standard input");
  command->add_option("--inputs", options->inputs, "CSV file with time series of inputs");
  command->add_flag("--hold", options->hold, "Hold inputs of the file between its points instead of interpolating");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([options] { run_sensitivity(*options); });
}

}  // namespace kane

// kane sensitivity: how a run changes with parameters and initial values.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/print.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/sensitivity_study.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct SensitivityCommandOptions {
  ModelSource source;
  StateSource state;
  InputSeriesSource inputs;
  std::string out;
  SensitivityStudyOptions study;
  bool json = false, force = false;
};

void print_report(std::FILE* to, const SensitivityReport& r, const std::string& out) {
  fmt::print(to, "{}: derivatives of the run with respect to {}, {} in {}\n", r.model,
             counted(r.parameters.size(), "parameter"), counted(r.samples, "sample"),
             out == "-" ? "standard output" : out);
  if (out == "-") return;
  print_labelled(fmt::format("at t = {:.6g} s", r.t_end), r.last, r.outputs, r.parameters);
  print_labelled("largest during the run", r.largest, r.outputs, r.parameters);
  if (!r.differences) return;
  fmt::print(to, "through events, by differences of runs; two step sizes agree to {:.1e}\n", r.disagreement);
  if (r.continued > 0)
    fmt::print(to, "derivatives of {} next to events are continued from others\n", counted(r.continued, "sample"));
}

void run_sensitivity(const SensitivityCommandOptions& options) {
  require(!options.study.parameters.empty(), "name parameters or initial values with --parameters");
  SensitivityStudyOptions study = options.study;
  study.inputs = options.inputs.read();
  const StartState start = options.state.read_one();
  SensitivityStudy sensitivity(options.source.load(driven_by(start, study.inputs)), start, study);
  const std::string& name = sensitivity.equations().name;
  const std::string out = options.out.empty() ? file_stem(name) + "_sensitivity.csv" : options.out;
  OutputGuard(options.force, {options.source.model, options.state.file, options.inputs.file})
      .claim(out, options.out.empty() ? "--out" : nullptr);
  TrajectoryFile file(out, sensitivity.columns(), name);
  const auto on_row = [&](std::span<const double> row) {
    file.write(row);
    throw_if_interrupted();
  };
  const SensitivityReport report = with_rows(file, [&] { return sensitivity.run(on_row); });
  file.finish();
  std::FILE* const to = out == "-" ? stderr : stdout;
  if (options.json) {
    wire::Json a = wire::to_json(report);
    a["out"] = out;
    fmt::print(to, "{}\n", a.dump());
  } else {
    print_report(to, report, out);
  }
  if (!report.failure.empty()) throw RunFailed(report.failure);
}

}  // namespace

void add_sensitivity_command(CLI::App& app) {
  auto options = std::make_shared<SensitivityCommandOptions>();
  CLI::App* command =
      app.add_subcommand("sensitivity", "Derivatives of a run with respect to parameters and initial values");
  options->source.add_to(*command);
  command
      ->add_option("--parameters", options->study.parameters,
                   "Parameters, or coordinates and speeds (their initial values)")
      ->delimiter(',');
  command
      ->add_option("--outputs", options->study.outputs,
                   "Signals to differentiate: names or expressions (default: coordinates and outputs)")
      ->delimiter(',');
  command->add_option("--until", options->study.until, "End time, s");
  command->add_option("--output-step", options->study.output_step, "Time between samples, s (default: 1000 intervals)");
  command->add_option("--tolerance", options->study.tolerance, "Relative accuracy");
  command->add_option("--out", options->out,
                      "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME_sensitivity.csv)");
  options->state.add_to(*command, "JSON file with the initial state; '-' reads standard input");
  options->inputs.add_to(*command);
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane sensitivity models/fourbar.yaml --parameters l1,m2,q1 --until 1 --out sensitivity.csv");
  command->callback([options] { run_sensitivity(*options); });
}

}  // namespace kane

// kane inverse: the inputs that produce a prescribed motion, and a run that tracks it by computed torque.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/option_text.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/print.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/inverse_study.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct InverseCommandOptions {
  ModelSource source;
  StateSource state;
  std::string out;
  std::vector<std::string> motion;
  InverseStudyOptions study;
  bool track = false, json = false, force = false;
};

InverseStudyOptions study_of(const InverseCommandOptions& options) {
  require(!options.motion.empty(), "--motion is missing: give a CSV file or expressions such as 'q1=sin(t)'");
  InverseStudyOptions study = options.study;
  for (const auto& text : options.motion) {
    if (text.find('=') == std::string::npos || std::filesystem::exists(text)) {
      study.tables.push_back(read_series(text));
    } else {
      const auto [name, expression] = split_assignment(text, "--motion");
      study.motion.push_back({name, expression});
    }
  }
  return study;
}

void print_inverse(std::FILE* to, const InverseReport& r, const std::string& out) {
  fmt::print(to, "{}: inverse dynamics from {:.6g} s to {:.6g} s, {} in {}\n\n", r.model, r.t_begin, r.t_end,
             counted(r.samples, "sample"), out == "-" ? "standard output" : out);
  TextTable actuators({"actuator", "smallest", "largest", "rms"}, 16);
  for (const auto& c : r.actuators) actuators.add(c.name, {c.smallest, c.largest, c.rms});
  actuators.print(to);
  if (!r.missing_speed.empty())
    fmt::print(
        stderr,
        "warning: the actuators cannot produce this motion: up to {:.6g} is missing along the speed '{}' (at t = "
        "{:.6g} s)\n",
        r.missing, r.missing_speed, r.missing_time);
  for (const std::string& sentence : r.exceeded) fmt::print(stderr, "warning: {}\n", sentence);
}

std::string claim_output(const InverseCommandOptions& options, const InverseStudy& study, const char* ending) {
  const std::string out = options.out.empty() ? file_stem(study.equations().name) + ending : options.out;
  std::vector<std::string> inputs{options.source.model, options.state.file};
  inputs.insert(inputs.end(), options.motion.begin(), options.motion.end());
  OutputGuard(options.force, std::move(inputs)).claim(out, options.out.empty() ? "--out" : nullptr);
  return out;
}

InverseStudy::OnRow on_row(TrajectoryFile& file) {
  return [&file](std::span<const double> row) {
    file.write(row);
    throw_if_interrupted();
  };
}

void run_inverse(const InverseCommandOptions& options, InverseStudy& study) {
  const std::string out = claim_output(options, study, "_inputs.csv");
  study.check();  // before the file of an earlier run is overwritten
  TrajectoryFile file(out, study.columns(), study.equations().name);
  InverseReport report;
  try {
    report = with_rows(file, [&] { return study.run(on_row(file)); });
  } catch (const OutputError&) {
    throw;
  } catch (const ModelError&) {
    file.finish();  // the samples before the one that failed stay readable
    throw;
  }
  file.finish();
  std::FILE* const to = out == "-" ? stderr : stdout;
  if (!options.json) return print_inverse(to, report, out);
  wire::Json a = wire::to_json(report);
  a["out"] = out;
  fmt::print(to, "{}\n", a.dump());
}

void print_track(std::FILE* to, const TrackReport& r, const InverseStudyOptions& study, const std::string& out) {
  fmt::print(to, "{}: computed torque every {:.4g} s, kp = {:.6g}, kd = {:.6g}, {} in {}\n\n", r.model, study.period,
             study.kp, study.kd, counted(r.run.samples, "sample"), out == "-" ? "standard output" : out);
  TextTable errors({"error of", "largest", "rms", "at the end"}, 16);
  const auto text = [](double x) { return fmt::format("{:.4e}", x); };
  for (const auto& c : r.errors) errors.add({c.name, text(c.largest), text(c.rms), text(c.last)});
  errors.print(to);
}

void run_track(const InverseCommandOptions& options, InverseStudy& study) {
  const std::string out = claim_output(options, study, "_tracked.csv");
  TrajectoryFile file(out, study.track_columns(), study.equations().name);
  const TrackReport report = with_rows(file, [&] { return study.track(on_row(file)); });
  file.finish();
  std::FILE* const to = out == "-" ? stderr : stdout;
  if (options.json) {
    wire::Json a = wire::to_json(report, study.equations());
    a["out"] = out;
    fmt::print(to, "{}\n", a.dump());
  } else {
    print_track(to, report, options.study, out);
  }
  if (report.run.failure) throw RunFailed(report.run.failure->message(study.equations()));
  if (report.lost)
    throw RunFailed(
        "the run stopped: the mechanism reached a singular configuration, in which the torques are not determined");
}

}  // namespace

void add_inverse_command(CLI::App& app) {
  auto options = std::make_shared<InverseCommandOptions>();
  CLI::App* command = app.add_subcommand("inverse", "Inputs that produce a prescribed motion");
  options->source.add_to(*command);
  command
      ->add_option("--motion", options->motion,
                   "FILE.csv with columns t and coordinates, or expressions of t and parameters: --motion 'q1=sin(t)' "
                   "'q2=0.3*t'")
      ->expected(1, -1);
  command->add_option("--actuators", options->study.actuators, "Use only these inputs")->delimiter(',');
  command->add_flag("--generalized", options->study.generalized,
                    "Generalized forces along the speeds instead of inputs");
  command->add_option("--from", options->study.from, "Start time, s (default: that of the table or the model)");
  command->add_option("--until", options->study.until, "End, s");
  command->add_option("--step", options->study.step, "Time between samples, s (default: 1000 intervals)");
  options->state.add_to(*command,
                        "JSON file with parameters, active constraints and guesses for the other coordinates");
  command->add_option(
      "--out", options->out,
      "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME_inputs.csv); kane simulate --inputs "
      "reads it");
  command->add_flag("--full", options->study.full, "Also write coordinates, speeds, accelerations and multipliers");
  command->add_flag("--track", options->track, "Simulate from the initial state under computed torque instead");
  command->add_option("--kp", options->study.kp, "--track: position gain, 1/s^2 (default 100)");
  command->add_option("--kd", options->study.kd, "--track: rate gain, 1/s (default 20)");
  command->add_option("--period", options->study.period,
                      "--track: sampling period of the controller, s (default 1e-3)");
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane inverse models/planar2r.yaml --motion 'q1=0.4*sin(2*t)' 'q2=-0.5*t' --until 2 --out inputs.csv\n"
      "  kane inverse models/planar2r.yaml --motion 'q1=0.4*sin(2*t)' 'q2=-0.5*t' --until 2 --track");
  command->callback([options] {
    const StartState start = options->state.read_one();
    InverseStudy study(options->source.load(), start, study_of(*options));
    if (options->track)
      run_track(*options, study);
    else
      run_inverse(*options, study);
  });
}

}  // namespace kane

// kane export: the equations of a model as source code to carry away, with a driver that simulates and a README.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "kane/base/error.hpp"
#include "kane/export/export_plan.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct ExportCommandOptions {
  ModelSource source;
  ExportOptions plan;
  StateSource state;
  std::string language, directory;
  bool force = false, json = false;
};

std::string language_list() {
  std::string text;
  for (const LanguageInfo& l : languages()) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", l.name, l.title);
  return text;
}

ExportPlan make_plan(const ExportCommandOptions& options) {
  ExportOptions plan = options.plan;
  plan.language = language_from(options.language);
  plan.check();
  return plan_export(options.source.load(), options.state.read_one(), plan);
}

void run_export(const ExportCommandOptions& options) {
  const ExportPlan plan = make_plan(options);
  const std::vector<std::string> paths =
      write_export(plan, options.directory, options.force ? ExistingFiles::Replace : ExistingFiles::Refuse);
  if (options.json) {
    Json j;
    j["model"] = plan.title;
    j["language"] = info(plan.language).name;
    j["files"] = paths;
    j["notes"] = plan.notes;
    fmt::print("{}\n", j.dump());
    return;
  }
  for (const std::string& note : plan.notes) fmt::print(stderr, "warning: {}\n", note);
  fmt::print("{} in {}:\n", plan.title, info(plan.language).title);
  for (const auto& path : paths) fmt::print("  {}\n", path);
  fmt::print("{} explains how to use it.\n", paths.back());
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto options = std::make_shared<ExportCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "Equations of motion as source code, with a driver that simulates them and a README");
  options->source.add_to(*command);
  command->add_option("--to", options->language, "Language: " + language_list())->required();
  command->add_option("-o,--out", options->directory, "Folder to write; created if it does not exist")->required();
  command->add_flag("--force", options->force, "Write into a folder that is not empty, replacing files");
  command->add_option("--name", options->plan.name, "Name of files and functions (default: the model's)");
  options->state.add_to(*command, "JSON file with the state to start from; '-' reads standard input");
  command->add_option("--until", options->plan.until, "End time of the driver, s");
  command->add_option(
      "--step", options->plan.step,
      "Longest step of the driver's Runge-Kutta method, s (default: chosen so that halving it changes little)");
  command->add_option("--output-step", options->plan.output_step, "Time between lines, s (default: 1000 intervals)");
  command->add_flag("--json", options->json, "Print the list of files as JSON");
  command->footer(
      "Examples:\n"
      "  kane export models/planar2r.yaml --to c -o planar2r_c\n"
      "  kane export models/fourbar.yaml --to python -o fourbar_py --until 2");
  command->callback([options] { run_export(*options); });
}

}  // namespace kane

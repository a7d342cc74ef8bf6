// kane export: a model to carry away: its equations as source code with a driver and a README, or one page that runs it.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/export/export_plan.hpp"
#include "kane/export/page_export.hpp"

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

/// Text of the model file for the page; "" if it is too long to show.
std::string shown_text(const std::string& file) {
  constexpr std::uintmax_t kMost = 400'000;
  std::error_code error;
  const auto size = std::filesystem::file_size(file, error);
  if (file == "-" || error || size > kMost) return "";
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_page(const ExportCommandOptions& options) {
  require(options.plan.name.empty() && !options.plan.step && !options.plan.output_step,
          "--name, --step and --output-step apply to source code, not to a page");
  OutputGuard(options.force, {options.source.model}).claim(options.directory);
  PageOptions page;
  page.until = options.plan.until;
  page.file = options.source.model == "-" ? "" : std::filesystem::path(options.source.model).filename().string();
  page.text = shown_text(options.source.model);
  const StartState start = options.state.read_one();
  const Model model = options.source.load(driven_by(start), [&](Mechanism& mechanism) {
    page.equations = form_equation_html(mechanism);
    prepare_page(mechanism);
  });
  const PageExport written = plan_page(model, start, page);
  write_file(options.directory, written.html);
  if (options.json) {
    const Json j{{"model", written.title}, {"file", options.directory}, {"notes", written.notes}};
    fmt::print("{}\n", j.dump());
    return;
  }
  for (const std::string& note : written.notes) fmt::print(stderr, "warning: {}\n", note);
  fmt::print("wrote {} ({} kB); open it in a browser\n", options.directory, (written.html.size() + 500) / 1000);
}

ExportPlan make_plan(const ExportCommandOptions& options) {
  ExportOptions plan = options.plan;
  plan.language = language_from(options.language);
  plan.check();
  return plan_export(options.source.load(), options.state.read_one(), plan);
}

void run_export(const ExportCommandOptions& options) {
  if (options.language == "page") return write_page(options);
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
      "export", "A model as one page that runs it, or its equations as source code with a driver and a README");
  options->source.add_to(*command);
  command
      ->add_option("--to", options->language,
                   "page (one file that runs the model in a browser), or a language: " + language_list())
      ->required();
  command->add_option("-o,--out", options->directory, "Folder to write (page: file); created if it does not exist")
      ->required();
  command->add_flag("--force", options->force,
                    "Write into a folder that is not empty, replacing files; replace a page that Kane did not write");
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
      "  kane export models/fourbar.yaml --to python -o fourbar_py --until 2\n"
      "  kane export models/double_pendulum.yaml --to page -o pendulum.html   # to mail to a student");
  command->callback([options] { run_export(*options); });
}

}  // namespace kane

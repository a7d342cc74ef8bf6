// kane export: a model to carry away: its equations as source code with a driver and a README, one page
// that runs it, or an FMU.

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/export/export_plan.hpp"
#include "kane/export/fmu/fmu_export.hpp"
#include "kane/export/page_export.hpp"
#include "kane/export/sdfast_export.hpp"
#include "kane/formats/sdfast/sdfast_reader.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct ExportCommandOptions {
  ModelSource source;
  ExportOptions plan;
  StateSource state;
  std::string language, directory, prefix;
  bool force = false, json = false;
  // of an FMU
  int fmi = 2;
  std::string kind = "both";
  bool sources = false, no_binary = false, leave_out = false;
  std::vector<std::string> inputs;
  std::vector<const CLI::Option*> of_fmu, of_driver;  ///< that the others do not have
};

constexpr const char* kFmu = "fmu";

std::string language_list() {
  std::string text;
  for (const LanguageInfo& l : languages()) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", l.name, l.title);
  return text + ", sdfast (C in the form of SD/FAST)";
}

/// A description of SD/FAST says what the functions are called and which constraints the program has.
SdfastCode sdfast_code(const ExportCommandOptions& options) {
  SdfastCode code;
  const std::filesystem::path file(options.source.model);
  if (file.extension() == ".sd" || file.extension() == ".SD") {
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    const SdfastProgram program = read_sdfast_program(text, file.string());
    code.prefix = program.prefix;
    code.user_constraints = static_cast<int>(program.user_constraints.size());
  }
  if (!options.prefix.empty()) code.prefix = options.prefix;
  return code;
}

/// Bodies and joints instead of equations: the interface takes loads and parameters at run time.
ExportPlan make_sdfast_plan(const ExportCommandOptions& options) {
  require(options.state.file.empty() && !options.plan.until && !options.plan.step && !options.plan.output_step,
          "--state, --until, --step and --output-step concern drivers; code in the form of SD/FAST has none");
  const Mechanism mechanism = options.source.read();
  SdfastExport made = export_sdfast(mechanism, options.plan.name, sdfast_code(options));
  ExportPlan plan;
  plan.title = mechanism.name;
  plan.files = std::move(made.files);
  plan.notes = std::move(made.notes);
  return plan;
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
  if (options.language == "sdfast") return make_sdfast_plan(options);
  ExportOptions plan = options.plan;
  plan.language = language_from(options.language);
  plan.check();
  return plan_export(options.source.load(), options.state.read_one(), plan);
}

/// An option that would be ignored is a mistake.
void refuse_options(const std::vector<const CLI::Option*>& options, std::string_view why) {
  for (const CLI::Option* option : options) require(option->count() == 0, "{} {}", option->get_name(), why);
}

void run_fmu_export(const ExportCommandOptions& options) {
  refuse_options(options.of_driver, "is for source code with a driver; an FMU has none");
  FmuOptions fmu;
  fmu.version = options.fmi == 3 ? FmiVersion::Three : FmiVersion::Two;
  fmu.model_exchange = options.kind != "cs", fmu.co_simulation = options.kind != "me";
  fmu.sources = options.sources, fmu.binary = !options.no_binary;
  options.plan.check();
  fmu.model = {options.plan.name, options.inputs, options.leave_out, options.plan.until, options.plan.output_step};
  const FmuPlan plan = plan_fmu(options.source.load(), options.state.read_one(), fmu);
  const std::string file = options.directory.empty() ? plan.model.identifier + ".fmu" : options.directory;
  write_fmu(plan, file, options.force ? ExistingFiles::Replace : ExistingFiles::Refuse);
  const std::string interfaces = options.kind == "me"   ? "model exchange"
                                 : options.kind == "cs" ? "co-simulation"
                                                        : "model exchange and co-simulation";
  if (options.json) {
    Json j;
    j["model"] = plan.model.name;
    j["fmi"] = options.fmi;
    j["kind"] = options.kind;
    j["files"] = {file};
    j["contents"] = Json::array();
    for (const ArchiveFile& f : plan.files) j["contents"].push_back(f.name);
    j["notes"] = plan.model.notes;
    fmt::print("{}\n", j.dump());
    return;
  }
  for (const std::string& note : plan.model.notes) fmt::print(stderr, "warning: {}\n", note);
  fmt::print("{}: {} as an FMU for {} (FMI {}.0), {}, {}, {}\n", file, plan.model.name, interfaces, options.fmi,
             counted(plan.model.count(FmuKind::State), "state"), counted(plan.model.count(FmuKind::Input), "input"),
             counted(plan.model.count(FmuKind::Parameter), "parameter"));
}

void run_export(const ExportCommandOptions& options) {
  if (options.language == kFmu) return run_fmu_export(options);
  refuse_options(options.of_fmu, "is for FMUs only (--to fmu)");
  require(!options.directory.empty(), "--out is required: the folder or file to write");
  if (options.language == "page") return write_page(options);
  const ExportPlan plan = make_plan(options);
  const std::vector<std::string> paths =
      write_export(plan, options.directory, options.force ? ExistingFiles::Replace : ExistingFiles::Refuse);
  if (options.json) {
    Json j;
    j["model"] = plan.title;
    j["language"] = options.language;
    j["files"] = paths;
    j["notes"] = plan.notes;
    fmt::print("{}\n", j.dump());
    return;
  }
  for (const std::string& note : plan.notes) fmt::print(stderr, "warning: {}\n", note);
  fmt::print("{} in {}:\n", plan.title,
             options.language == "sdfast" ? "C, in the form of SD/FAST" : info(plan.language).title);
  for (const auto& path : paths) fmt::print("  {}\n", path);
  fmt::print("{} explains how to use it.\n", paths.back());
}

}  // namespace

void add_export_command(CLI::App& app) {
  auto options = std::make_shared<ExportCommandOptions>();
  CLI::App* command = app.add_subcommand(
      "export", "A model as one page that runs it, as an FMU, or as source code with a driver and a README");
  options->source.add_to(*command);
  command
      ->add_option("--to", options->language,
                   "page (one file that runs the model in a browser), fmu (functional mock-up unit), or a language: " +
                       language_list())
      ->required();
  command->add_option("-o,--out", options->directory,
                      "Folder to write; created if it does not exist. Page and FMU: the file (FMU default: NAME.fmu)");
  command->add_flag(
      "--force", options->force,
      "Write into a folder that is not empty, replacing files; replace a page that Kane did not write, or an FMU");
  command->add_option("--name", options->plan.name, "Name of files and functions (default: the model's)");
  options->state.add_to(*command, "JSON file with the state to start from; '-' reads standard input");
  command->add_option("--prefix", options->prefix,
                      "sdfast: beginning of the functions' names (default: the file's, or sd)");
  command->add_option("--until", options->plan.until, "End time of the driver, s");
  options->of_driver.push_back(command->add_option(
      "--step", options->plan.step,
      "Longest step of the driver's Runge-Kutta method, s (default: chosen so that halving it changes little)"));
  command->add_option("--output-step", options->plan.output_step, "Time between lines, s (default: 1000 intervals)");
  options->of_fmu = {
      command->add_option("--fmi", options->fmi, "FMU: version of the standard, 2 or 3")
          ->check(CLI::IsMember({2, 3}))
          ->capture_default_str(),
      command->add_option("--kind", options->kind, "FMU: me (model exchange), cs (co-simulation) or both")
          ->check(CLI::IsMember({"me", "cs", "both"}))
          ->capture_default_str(),
      command->add_flag("--sources", options->sources, "FMU: include the C code"),
      command->add_flag("--no-binary", options->no_binary, "FMU: no library for this machine; needs no C compiler"),
      command
          ->add_option("--input", options->inputs, "FMU: leave this input open even though the model has a law for it")
          ->expected(1),
      command->add_flag("--leave-out", options->leave_out,
                        "FMU: leave out contacts, limits, dry friction and changing constraints")};
  command->add_flag("--json", options->json, "Print the list of files as JSON");
  command->footer(
      "Examples:\n"
      "  kane export models/planar2r.yaml --to c -o planar2r_c\n"
      "  kane export models/fourbar.yaml --to python -o fourbar_py --until 2\n"
      "  kane export models/fourbar.yaml --to fmu --fmi 3 -o fourbar.fmu\n"
      "  kane export models/sdfast/chain.sd --to sdfast -o chain_sd           # for programs that call sdinit, "
      "sdstate\n"
      "  kane export models/double_pendulum.yaml --to page -o pendulum.html   # to mail to a student");
  command->callback([options] { run_export(*options); });
}

}  // namespace kane

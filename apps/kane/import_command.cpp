// kane import: a robot's URDF (or any model) as Kane YAML; of a controller FMU, the inputs that it can drive.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "kane/base/error.hpp"
#include "kane/base/identifier.hpp"
#include "kane/base/output_file.hpp"
#include "kane/fmi/fmu_slave.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

namespace kane {
namespace {

struct ImportOptions {
  ModelSource source;
  std::string output;
  bool keep_fixed = false, no_actuators = false, free_mimics = false, no_geometry = false;
  bool json = false, force = false;
};

void print_json(const Mechanism& mechanism, const std::string& text, const std::string& output) {
  nlohmann::ordered_json a{{"model", mechanism.name}, {"notes", mechanism.notes}};
  if (output.empty())
    a["yaml"] = text;
  else
    a["file"] = output;
  fmt::print("{}\n", a.dump());
}

/// A name as YAML, in quotes unless it is plain.
std::string yaml_name(const std::string& name) {
  if (identifier_of(name) == name) return name;
  std::string quoted = "'";
  for (const char c : name) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
}

/// {a: 0, b: 0} of the variables with this causality, with their start values.
std::string yaml_ports(const FmuInfo& info, std::string_view causality) {
  std::string text;
  for (const FmuPort& port : info.variables) {
    if (port.causality != causality || port.type == FmuType::Other) continue;
    const std::string start = port.start == "true"                          ? "1"
                              : port.start.empty() || port.start == "false" ? "0"
                                                                            : port.start;
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", yaml_name(port.name), start);
  }
  return "{" + text + "}";
}

/// The section of a model that lets the FMU drive its inputs, for the user to fill in.
std::string fmu_section(const std::string& file) {
  const FmuInfo info = read_fmu_info(file);
  require(info.co_simulation, "'{}' is for model exchange only; a controller must be an FMU for co-simulation", file);
  const std::string name = yaml_name(std::filesystem::path(file).filename().string());
  std::string text =
      "# Inputs of a model next to the FMU; replace its start values by the quantities it measures.\ninputs:\n";
  bool first = true;
  for (const FmuPort& port : info.variables) {
    if (port.causality != "output" || port.type == FmuType::Other) continue;
    text += fmt::format("  {}: {{fmu: {}, output: {}", identifier_of(port.name), name, yaml_name(port.name));
    if (first)
      text += fmt::format(", inputs: {}, parameters: {}, step: 10 ms", yaml_ports(info, "input"),
                          yaml_ports(info, "parameter"));
    text += fmt::format("}}{}\n", port.unit.empty() ? "" : "  # " + port.unit);
    first = false;
  }
  require(!first, "the FMU '{}' has no outputs that could drive an input", file);
  return text;
}

void import_fmu(const ImportOptions& options) {
  require(options.source.settings.empty() && options.source.guesses.empty(),
          "--set and --guess are for models; '{}' is an FMU", options.source.model);
  OutputGuard(options.force, {options.source.model}).claim(options.output);
  const std::string text = fmu_section(options.source.model);
  if (!options.output.empty()) write_file(options.output, text);
  if (options.json) {
    nlohmann::ordered_json a{{"fmu", options.source.model}};
    options.output.empty() ? a["yaml"] = text : a["file"] = options.output;
    fmt::print("{}\n", a.dump());
  } else if (options.output.empty()) {
    fmt::print("{}", text);
  } else {
    fmt::print("wrote {}\n", options.output);
  }
}

void run_import(ImportOptions options) {
  if (options.source.model.ends_with(".fmu")) return import_fmu(options);
  UrdfOptions& urdf = options.source.reading.urdf;
  urdf.merge_fixed = !options.keep_fixed;
  urdf.actuators = !options.no_actuators;
  urdf.mimic = !options.free_mimics;
  urdf.geometry = !options.no_geometry;
  OutputGuard(options.force, {options.source.model}).claim(options.output);
  const Mechanism mechanism = options.source.read();
  const std::string text = write_yaml(mechanism);
  if (!options.output.empty()) write_file(options.output, text);
  if (options.json) return print_json(mechanism, text, options.output);
  for (const auto& note : mechanism.notes) fmt::print(stderr, "note: {}\n", note);
  if (options.output.empty())
    fmt::print("{}", text);
  else
    fmt::print("wrote {}; try\n\n  kane check {}\n", options.output, options.output);
}

}  // namespace

void add_import_command(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand(
      "import", "Write a URDF robot (or any model) as Kane YAML; of a controller FMU, the inputs section");
  options->source.add_to(*command);
  command->add_option("-o,--output", options->output, "File to write; otherwise standard output");
  command->add_flag("--keep-fixed", options->keep_fixed,
                    "URDF: keep links attached by fixed joints as separate bodies instead of merging them");
  command->add_flag("--no-actuators", options->no_actuators, "URDF: add no inputs tau_JOINT to the joints");
  command->add_flag("--free-mimics", options->free_mimics, "URDF: mimic joints move independently");
  command->add_flag("--no-geometry", options->no_geometry, "URDF: leave out shapes");
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON: the notes, and the text or the name of the file");
  command->footer(
      "Examples:\n"
      "  kane import robot.urdf -o robot.yaml                          # root link fixed to the ground\n"
      "  kane import robot.urdf --floating-base -o floating.yaml       # root link moves freely\n"
      "  kane import models/npend5.yaml                                # includes and repetitions expanded\n"
      "docs/urdf.md describes how URDF elements are translated.");
  command->callback([options] { run_import(*options); });
}

}  // namespace kane

// kane import: a robot's URDF (or any model) as Kane YAML.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "kane/base/output_file.hpp"
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

void run_import(ImportOptions options) {
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
  CLI::App* command = app.add_subcommand("import", "Write a URDF robot (or any model) as Kane YAML");
  options->source.add_to(*command);
  command->add_option("-o,--output", options->output, "File to write; otherwise standard output");
  command->add_flag("--keep-fixed", options->keep_fixed,
                    "URDF: keep links behind fixed joints as separate bodies instead of merging them");
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

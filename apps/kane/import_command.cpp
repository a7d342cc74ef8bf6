// kane import: a robot's URDF (or any model) as Kane YAML.

#include <fmt/format.h>

#include <fstream>
#include <memory>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "kane/formats/yaml_writer.hpp"

namespace kane {
namespace {

struct ImportOptions {
  ModelSource source;
  std::string output;
};

void run_import(const ImportOptions& options) {
  const Mechanism mechanism = options.source.read();
  for (const auto& note : mechanism.notes) fmt::print(stderr, "note: {}\n", note);
  const std::string text = write_yaml(mechanism);
  if (options.output.empty()) {
    fmt::print("{}", text);
    return;
  }
  std::ofstream file(options.output, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw RunFailed(fmt::format("the file '{}' cannot be written", options.output));
  fmt::print("wrote {}\n", options.output);
}

}  // namespace

void add_import_command(CLI::App& app) {
  auto options = std::make_shared<ImportOptions>();
  CLI::App* command = app.add_subcommand("import", "Write a URDF robot (or any model) as Kane YAML");
  options->source.add_to(*command);
  command->add_option("-o,--output", options->output, "File to write; otherwise standard output");
  command->callback([options] { run_import(*options); });
}

}  // namespace kane

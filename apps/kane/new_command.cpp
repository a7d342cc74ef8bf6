// kane new: a starter file.

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/starters.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_file.hpp"
#include "kane/base/suggest.hpp"

namespace kane {
namespace {

struct NewOptions {
  std::string name;
  std::string starter = "pendulum";
  bool force = false;
  bool list = false;
  bool json = false;
};

void print_list(bool json) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Starter& s : starters()) {
    all.push_back({{"name", s.name}, {"description", s.description}});
    if (!json) fmt::print("  {:<10} {}\n", s.name, s.description);
  }
  if (json) fmt::print("{}\n", all.dump());
}

const Starter& find_starter(const std::string& name) {
  std::vector<std::string> known;
  for (const Starter& s : starters()) {
    if (s.name == name) return s;
    known.emplace_back(s.name);
  }
  throw ModelError(
      fmt::format("there is no template '{}'{} (known: {})", name, suggestion(name, known), fmt::join(known, ", ")));
}

/// Both the name of a model and a file name.
void check_name(const std::string& name) {
  bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front())) != 0;
  for (const char c : name) good = good && (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-');
  require(good, "the name of a model begins with a letter and has letters, digits, '_' and '-' only, not '{}'", name);
}

void run_new(NewOptions options) {
  if (options.list) return print_list(options.json);
  const Starter& starter = find_starter(options.starter);
  if (options.name.empty()) options.name = options.starter;
  check_name(options.name);
  const std::string file = options.name + ".yaml";
  if (!options.force && std::filesystem::exists(file))
    throw ModelError(fmt::format("'{}' already exists; use --force to overwrite it", file));
  write_file(file, starter_text(starter, options.name));
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"file", file}, {"template", options.starter}}.dump());
    return;
  }
  fmt::print("wrote {0}; try\n\n  kane check {0}\n  kane derive {0}\n  kane evaluate {0}\n  kane simulate {0}\n", file);
}

}  // namespace

void add_new_command(CLI::App& app) {
  auto options = std::make_shared<NewOptions>();
  CLI::App* command = app.add_subcommand("new", "Write a starter model file");
  command->add_option("name", options->name, "Name of the model; the file is NAME.yaml (default: the template's)");
  command->add_option("--template", options->starter, "Template to start from; --list shows them")
      ->capture_default_str();
  command->add_flag("--list", options->list, "List the templates");
  command->add_flag("--force", options->force, "Overwrite an existing file");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane new --list\n"
      "  kane new swing                   # swing.yaml, a pendulum\n"
      "  kane new crane --template arm    # crane.yaml, an arm given by Denavit-Hartenberg parameters");
  command->callback([options] { run_new(*options); });
}

}  // namespace kane

// kane check: reads a model, checks it and describes it.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/kane/check_tables.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/print.hpp"
#include "kane/analysis/mobility.hpp"
#include "kane/base/contains.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/export/sdfast_roadmap.hpp"
#include "kane/expr/names.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/part_place.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct CheckOptions {
  ModelSource source;
  bool tables = false;
  bool json = false;
};

/// The equations, and which of their rows are switched on while the model runs (contacts, frictions) or only measured (handles).
struct CheckedModel {
  EquationsOfMotion equations;
  std::set<std::string> stops, contacts;
};

/// Kinematics and constraints; for systems of moderate size also the dynamics, which finds speeds that move no mass.
CheckedModel form_for_check(const Mechanism& mechanism) {
  constexpr std::size_t kModerate = 60;
  return with_part_place(mechanism, [&] {
    if (mechanism.equations) return CheckedModel{form_equations(mechanism), {}, {}};
    const LoweredMechanism lowered = lower_mechanism(mechanism);
    DeriveOptions options;
    options.dynamics = lowered.system.speeds().size() <= kModerate;
    options.embedding = EmbeddingMethod::None;
    options.solve = options.inverse = options.outputs = false;
    EquationsOfMotion equations = form_equations(lowered.system, options);
    equations.warnings.insert(equations.warnings.begin(), lowered.warnings.begin(), lowered.warnings.end());
    CheckedModel checked{std::move(equations), {}, {}};
    for (const auto& c : lowered.switching.contacts)
      (c.coordinate.empty() ? checked.contacts : checked.stops).insert(c.row);
    for (const auto& h : lowered.switching.handles) checked.contacts.insert(h.row);
    for (const auto& f : lowered.switching.frictions) checked.contacts.insert(f.rows.begin(), f.rows.end());
    return checked;
  });
}

Json describe_joint(const Joint& joint) {
  Json coordinates = Json::array(), speeds = Json::array();
  for (const auto& motion : joint.motions) {
    for (const auto& q : motion.coordinates) coordinates.push_back(q.name());
    for (const auto& u : motion.speeds) speeds.push_back(u.name());
  }
  return {{"name", joint.name},         {"type", joint.kind}, {"parent", joint.parent},  {"child", joint.child},
          {"coordinates", coordinates}, {"speeds", speeds},   {"closing", joint.closing}};
}

/// Degrees of freedom in numbers, where there are loops to close. Large models keep the count of the symbolic rows.
std::optional<MobilityReport> find_check_mobility(const Mechanism& mechanism, const EquationsOfMotion& e) {
  constexpr std::size_t kMost = 300;
  if (e.constraints.empty() || e.u.size() > kMost) return std::nullopt;
  ModelOptions options;
  options.reports = false;
  return find_mobility(Model(copy_mechanism(mechanism), options));
}

Json describe_model(const Mechanism& mechanism, const CheckedModel& checked,
                    const std::optional<MobilityReport>& mobility) {
  const EquationsOfMotion& e = checked.equations;
  Json a;
  a["ok"] = true;
  a["model"] = mechanism.name;
  a["description"] = mechanism.description;
  a["bodies"] = mechanism.bodies.size();
  a["particles"] = mechanism.particles.size();
  a["joints"] = mechanism.joints.size();
  std::vector<std::string> coordinates = names_of(e.q);
  const auto states = coordinates.end() - e.states;  // those without speeds come last
  a["coordinates"] = std::vector<std::string>(coordinates.begin(), states);
  a["speeds"] = names_of(e.u);
  a["states"] = std::vector<std::string>(states, coordinates.end());
  std::size_t active = 0, redundant = 0;
  a["constraints"] = Json::array();
  std::size_t switched = 0;
  for (const auto& c : e.constraints) {
    if (checked.stops.contains(c.name) || c.given) continue;  // given: a force that loads depend on
    const bool follows = c.redundant || (mobility && contains(mobility->redundant, c.name));
    a["constraints"].push_back({{"name", c.name}, {"active", c.active}, {"redundant", follows}});
    active += c.active && !c.redundant ? 1 : 0;
    redundant += follows ? 1 : 0;
    switched += checked.contacts.contains(c.name) ? 1U : 0U;
  }
  a["stops"] = checked.stops.size();
  a["contact_rows"] = switched;
  a["degrees_of_freedom"] = mobility ? mobility->degrees_of_freedom : e.u.size() - std::min(active, e.u.size());
  if (mobility) a["degrees_of_freedom_at_start"] = mobility->at_start;
  a["redundant_constraints"] = redundant;
  a["parameters"] = mechanism.parameters.size();
  a["inputs"] = mechanism.inputs.size();
  a["joint_table"] = Json::array();
  for (const Joint& joint : mechanism.joints) a["joint_table"].push_back(describe_joint(joint));
  a["notes"] = mechanism.notes;
  a["warnings"] = e.warnings;
  if (mobility && !mobility->failure.empty()) a["warnings"].push_back(mobility->failure);
  if (mobility && mobility->singular())
    a["warnings"].push_back(fmt::format(
        "the assembled configuration is singular: constraints that are independent nearby depend on each other there, "
        "so that small motions have {} degrees of freedom instead of {}",
        mobility->at_start, mobility->degrees_of_freedom));
  return a;
}

std::string joined(const Json& names) {
  const auto list = names.get<std::vector<std::string>>();
  return fmt::format("{}", fmt::join(list, " "));
}

void print_joints(const Json& joints) {
  constexpr std::size_t kMost = 40;
  std::size_t name = 5, type = 4, ends = 6;
  const auto ends_of = [](const Json& j) {
    return fmt::format("{} -> {}", j["parent"].get<std::string>(), j["child"].get<std::string>());
  };
  for (const auto& j : joints) {
    name = std::max(name, j["name"].get<std::string>().size());
    type = std::max(type, j["type"].get<std::string>().size());
    ends = std::max(ends, ends_of(j).size());
  }
  fmt::print("\n  {:<{}}  {:<{}}  {:<{}}  {}\n", "joint", name, "type", type, "bodies", ends, "coordinates");
  for (std::size_t i = 0; i < std::min(joints.size(), kMost); ++i) {
    const auto& j = joints[i];
    fmt::print("  {:<{}}  {:<{}}  {:<{}}  {}\n", j["name"].get<std::string>(), name, j["type"].get<std::string>(), type,
               ends_of(j), ends, j["closing"].get<bool>() ? "(closes a loop)" : joined(j["coordinates"]));
  }
  if (joints.size() > kMost) fmt::print("  ... and {} more\n", joints.size() - kMost);
}

void print_model(const Json& a) {
  const auto count = [&](const char* key) { return a[key].is_array() ? a[key].size() : a[key].get<std::size_t>(); };
  const auto counted = [&](const char* key, const char* one, const char* many) {
    return fmt::format("{} {}", count(key), count(key) == 1 ? one : many);
  };
  fmt::print("{}: {}, {}, {}, {}, {}\n", a["model"].get<std::string>(), counted("bodies", "body", "bodies"),
             counted("particles", "particle", "particles"), counted("joints", "joint", "joints"),
             counted("parameters", "parameter", "parameters"), counted("inputs", "input", "inputs"));
  const std::size_t rows = count("constraints") - count("contact_rows");
  fmt::print("{}, {}, {}, {}{}\n", counted("coordinates", "coordinate", "coordinates"),
             counted("speeds", "speed", "speeds"), kane::counted(rows, "constraint"),
             count("stops") == 0 ? "" : counted("stops", "stop", "stops") + ", ",
             counted("degrees_of_freedom", "degree of freedom", "degrees of freedom"));
  if (!a["states"].empty())
    fmt::print("{}: {}\n", counted("states", "further state", "further states"), joined(a["states"]));
  if (!a["joint_table"].empty()) print_joints(a["joint_table"]);
  fmt::print("\n");
  const auto warnings = a["warnings"].get<std::vector<std::string>>();
  for (const auto& c : a["constraints"]) {
    if (!c["redundant"].get<bool>()) continue;
    const auto name = c["name"].get<std::string>();
    const bool warned = std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
      return warning.starts_with(fmt::format("constraint {} is redundant", name));
    });
    if (!warned) fmt::print("note: constraint {} follows from the others\n", name);
  }
  for (const auto& note : a["notes"]) fmt::print("note: {}\n", note.get<std::string>());
  print_warnings(stdout, warnings);
  fmt::print("the model is valid\n");
}

/// The error as JSON, for programs; the message also goes to standard error.
void print_error(const ModelError& error) {
  const Where& where = error.where();
  Json place{{"file", where.file}, {"line", where.line}, {"column", where.column}, {"message", error.message()}};
  fmt::print("{}\n", Json{{"ok", false}, {"error", place}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void run_check(const CheckOptions& options) {
  try {
    const Mechanism mechanism = options.source.read();
    const CheckedModel checked = form_for_check(mechanism);
    Json a = describe_model(mechanism, checked, find_check_mobility(mechanism, checked.equations));
    const ModelFormat format = model_format(options.source.model, "");
    const bool tables = options.tables || format == ModelFormat::FortyTwo;
    if (options.json) {
      if (tables) a["freedom_table"] = tree_tables_json(mechanism);
      fmt::print("{}\n", a.dump());
      return;
    }
    if (tables) fmt::print("{}\n", tree_tables(mechanism));
    if (format == ModelFormat::Sdfast) fmt::print("{}\n", to_text(form_sdfast_roadmap(mechanism), mechanism));
    print_model(a);
  } catch (const ModelError& error) {
    if (options.json) print_error(error);
    throw;
  }
}

}  // namespace

void add_check_command(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "Read a model, check it and describe it");
  options->source.add_to(*command);
  command->add_flag(
      "--tables", options->tables,
      "Also print Stoneking's tables: connections, paths, free and constrained axes (always for files of 42)");
  command->add_flag("--json", options->json, "Print JSON; for a wrong model {\"ok\": false, \"error\": {...}}");
  command->footer(
      "Examples:\n"
      "  kane check models/fourbar.yaml\n"
      "  kane check robot.urdf --floating-base\n"
      "A wrong model ends with exit code 2 and a message such as\n"
      "  arm.yaml:7:20: error: mass is given in metres ('2 m') in the body 'A'; a mass is expected, such as '2 kg'");
  command->callback([options] { run_check(*options); });
}

}  // namespace kane

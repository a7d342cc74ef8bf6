// kane equilibrium: where a mechanism rests, or how it moves steadily, and whether it stays there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/mode_table.hpp"
#include "kane/analysis/equilibrium.hpp"
#include "kane/base/error.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct EquilibriumCommandOptions {
  ModelSource source;
  std::string from;
  std::vector<std::string> steady, hold, free_inputs;
  bool is_steady = false, all = false, json = false;
  int starts = 60;
};

Json answer_of(const Equilibrium& found, const AnalysisModel& model) {
  const EquationsOfMotion& e = model.equations();
  Json a;
  for (std::size_t k = 0; k < e.q.size(); ++k) a["q"][e.q[k].name()] = found.state.q[k];
  for (std::size_t k = 0; k < e.u.size(); ++k) a["u"][e.u[k].name()] = found.state.u[k];
  a["inputs"] = Json::object();
  for (std::size_t k = 0; k < found.inputs.size(); ++k) a["inputs"][model.system()->inputs()[k]] = found.inputs[k];
  a["constraint_multipliers"] = Json::object();
  for (std::size_t k = 0; k < e.constraints.size(); ++k)
    a["constraint_multipliers"][e.constraints[k].name] = found.lambda[k];
  a["residual"] = found.residual;
  a["family"] = found.family;
  a["stability"] = found.stability();
  a["states"] = found.states;
  if (found.modes) {
    static constexpr const char* kNames[] = {"asymptotic", "marginal", "unstable"};
    a["verdict"] = kNames[static_cast<int>(found.modes->stability)];
    a["eigenvalues"] = Json::array();
    for (const auto& s : found.modes->eigenvalues) a["eigenvalues"].push_back({s.real(), s.imag()});
    a["modes"] = modes_json(*found.modes, found.states);
  }
  return a;
}

void print_solution(const Equilibrium& found, const AnalysisModel& model, const std::vector<std::string>& ignorable) {
  const EquationsOfMotion& e = model.equations();
  // Rounding errors beside real values are printed as zero.
  double size = 0;
  const auto measure = [&](const std::vector<double>& values) {
    size = 0;
    for (const double v : values) size = std::max(size, std::abs(v));
  };
  const auto row = [&](const std::string& name, double value, const char* note) {
    const bool rounding = std::abs(value) < 1e-11 * size || size < 1e-12;
    fmt::print("  {:<14} {:>16.10g}{}\n", name, rounding ? 0.0 : value, note);
  };
  measure(found.state.q);
  for (std::size_t k = 0; k < e.q.size(); ++k) {
    const bool runs = std::find(ignorable.begin(), ignorable.end(), e.q[k].name()) != ignorable.end();
    row(e.q[k].name(), found.state.q[k], runs ? "   arbitrary" : "");
  }
  measure(found.state.u);
  for (std::size_t k = 0; k < e.u.size(); ++k) row(e.u[k].name(), found.state.u[k], "");
  measure(found.inputs);
  const auto& inputs = model.system()->inputs();
  for (std::size_t k = 0; k < inputs.size(); ++k) row(inputs[k], found.inputs[k], "   input");
  measure(found.lambda);
  for (std::size_t k = 0; k < e.constraints.size(); ++k)
    if (found.lambda[k] != 0) row(e.constraints[k].name, found.lambda[k], "   constraint force (multiplier)");
  if (found.family > 0)
    fmt::print("  one of a family of solutions with {} dimension{}\n", found.family, found.family == 1 ? "" : "s");
  fmt::print("  {}\n", found.stability());
  if (found.modes) print_modes(*found.modes, found.states);
}

void run_equilibrium(const EquilibriumCommandOptions& options) {
  std::vector<std::string> settings, held;
  for (const auto* list : {&options.steady, &options.hold}) {
    for (const auto& text : *list) {
      const bool value = text.find('=') != std::string::npos;
      if (value) settings.push_back(text);
      held.push_back(value ? split_assignment(text, "--hold").name : text);
    }
  }
  AnalysisModel model(options.source, options.from, options.free_inputs, settings);
  require(options.starts >= 0 && options.starts <= 100'000, "--starts must be between 0 and 100000, not {}",
          options.starts);
  const bool steady = options.is_steady;
  EquilibriumFinder finder(model.evaluator(), {.steady = steady,
                                               .held = held,
                                               .free_inputs = options.free_inputs,
                                               .starts = options.starts,
                                               .all = options.all});
  const EquilibriumReport report = finder.find(model.start());
  if (options.json) {
    Json a;
    a["model"] = model.equations().name;
    a["kind"] = steady ? "steady motion" : "equilibrium";
    a["found"] = Json::array();
    for (const auto& found : report.found) a["found"].push_back(answer_of(found, model));
    a["other_starts"] = report.starts;
    a["ignorable"] = report.ignorable;
    a["warnings"] = report.warnings;
    if (!report.ok()) a["message"] = report.message;
    fmt::print("{}\n", a.dump());
  } else {
    for (std::size_t k = 0; k < report.found.size(); ++k) {
      fmt::print("{}{}: {}{}\n", k == 0 ? "" : "\n", model.equations().name, steady ? "steady motion" : "equilibrium",
                 report.found.size() > 1 ? fmt::format(" {} of {}", k + 1, report.found.size()) : "");
      print_solution(report.found[k], model, report.ignorable);
    }
    for (const auto& warning : report.warnings) fmt::print(stderr, "warning: {}\n", warning);
  }
  if (!report.ok()) throw RunFailed(report.message);
}

}  // namespace

void add_equilibrium_command(CLI::App& app) {
  auto options = std::make_shared<EquilibriumCommandOptions>();
  CLI::App* command = app.add_subcommand("equilibrium", "Equilibria and steady motions, and their stability");
  options->source.add_to(*command);
  command->add_option("--from", options->from, "JSON file with the state to start from; '-' reads standard input");
  CLI::Option* steady = command->add_option(
      "--steady", options->steady,
      "A steady motion, with these speeds or coordinates held: --steady u3=2 u1 (a name alone keeps "
      "its initial value); coordinates on which the motion does not depend are free");
  steady->expected(0, -1);
  command->add_option("--hold", options->hold, "name[=value]: a coordinate or speed to hold")->allow_extra_args(false);
  command->add_option("--free", options->free_inputs, "Inputs to solve for")->delimiter(',');
  command->add_flag("--all", options->all, "Find all from many starts, not only the nearest");
  command->add_option("--starts", options->starts, "Number of other starts to try (default 60)");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane equilibrium models/damped_pendulum.yaml --all\n"
      "  kane equilibrium models/damped_pendulum.yaml --hold q=0.7 --free T       # the torque that holds it\n"
      "  kane equilibrium models/spinning_top.yaml --steady tilt u_spin\n"
      "If there is none, the exit code is 1 and the message says what does not balance.");
  command->callback([options, steady] {
    options->is_steady = steady->count() > 0;
    run_equilibrium(*options);
  });
}

}  // namespace kane

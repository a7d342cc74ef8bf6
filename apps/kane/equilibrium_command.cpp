// kane equilibrium: where a mechanism rests, or how it moves steadily, and whether it stays there.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/local_analysis.hpp"
#include "apps/kane/mode_table.hpp"
#include "apps/kane/print.hpp"
#include "kane/analysis/equilibria.hpp"
#include "kane/base/line_break.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct EquilibriumCommandOptions {
  ModelSource source;
  StateSource from;
  std::vector<std::string> steady, hold;
  EquilibriaOptions equilibria;
  bool json = false;
};

/// Its force is among those of the contacts.
bool is_contact_row(const std::string& row, const Equilibrium& found) {
  return std::any_of(found.contacts.begin(), found.contacts.end(),
                     [&](const ContactForce& c) { return row == c.name || row.starts_with(c.name + "."); });
}

void print_ranges(const std::vector<ForceRange>& ranges) {
  if (ranges.empty()) return;
  std::size_t width = 20;
  for (const ForceRange& range : ranges) width = std::max(width, text_width(range.name) + (range.is_friction ? 2 : 0));
  fmt::print("  {:<{}} {:>14} {:>14}\n", "they may be", width, "least", "most");
  const auto text = [](double x) { return std::isinf(x) ? std::string("unbounded") : number_text(x); };
  bool polygon = false;
  for (const ForceRange& range : ranges) {
    const bool one_of_two = range.is_friction && range.polygon;
    const std::string name = one_of_two ? fmt::format("{} {}", range.name, range.component + 1) : range.name;
    fmt::print("  {:<{}} {:>14} {:>14}\n", name, width, text(range.least), text(range.most));
    polygon = polygon || range.polygon;
  }
  if (polygon) fmt::print("  (friction cones as pyramids of 16 edges inside them: bounds may be too narrow by 2 %)\n");
}

void print_solution(const Equilibrium& found, const EquilibriaReport& report) {
  const PointSummary& s = report.summary;
  // Rounding errors beside real values are printed as zero.
  const auto print = [](const std::vector<std::string>& names, const std::vector<double>& values, auto&& note) {
    double size = 0;
    for (const double v : values) size = std::max(size, std::abs(v));
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool rounding = std::abs(values[k]) < 1e-11 * size || size < 1e-12;
      fmt::print("  {:<{}} {:>16}{}\n", names[k], longest(names, 14), number_text(rounding ? 0.0 : values[k], 10),
                 note(names[k]));
    }
  };
  print(s.coordinates, found.state.q, [&](const std::string& name) {
    const bool runs = std::find(report.ignorable.begin(), report.ignorable.end(), name) != report.ignorable.end();
    return runs ? "   arbitrary" : "";
  });
  print(s.speeds, found.state.u, [](const std::string&) { return ""; });
  print(s.inputs, found.inputs, [](const std::string&) { return "   input"; });
  std::vector<std::string> names;
  std::vector<double> forces;
  for (std::size_t k = 0; k < report.constraints.size(); ++k)
    if (found.lambda[k] != 0 && !is_contact_row(report.constraints[k], found))
      names.push_back(report.constraints[k]), forces.push_back(found.lambda[k]);
  print(names, forces, [](const std::string&) { return "   constraint force (multiplier)"; });
  std::vector<ContactForce> acting = found.contacts;
  std::erase_if(acting, [](const ContactForce& c) {
    return c.state == ContactForceState::Open || c.state == ContactForceState::Idle;
  });
  if (!acting.empty()) print_contacts(acting);
  if (found.indeterminate)
    fmt::print("  the forces of contacts and constraints are not unique: one possible set is shown\n");
  print_ranges(found.ranges);
  if (found.family > 0)
    fmt::print("  one of a family of solutions with {} dimension{}\n", found.family, found.family == 1 ? "" : "s");
  fmt::print("  {}\n", found.stability());
  if (found.modes) print_modes(*found.modes, found.states);
}

void print_report(const EquilibriaReport& report, const Model& model) {
  for (std::size_t k = 0; k < report.found.size(); ++k) {
    fmt::print("{}{}: {}{}\n", k == 0 ? "" : "\n", report.summary.model,
               report.steady ? "steady motion" : "equilibrium",
               report.found.size() > 1 ? fmt::format(" {} of {}", k + 1, report.found.size()) : "");
    if (k == 0) print_loop(report.summary.loop);
    print_solution(report.found[k], report);
  }
  print_remarks(model, report.summary, report.warnings);
}

void run_equilibrium(const EquilibriumCommandOptions& options) {
  HeldValues held;
  held.add(options.steady, "--steady"), held.add(options.hold, "--hold");
  const Model model = load_continuous(options.source, held);
  StartState start = options.from.read_one();
  held.take_precedence(start);
  EquilibriaOptions equilibria = options.equilibria;
  equilibria.search.held = held.names;
  const EquilibriaReport report = find_equilibria(model, start, equilibria);
  if (options.json)
    fmt::print("{}\n", wire::to_json(report).dump());
  else
    print_report(report, model);
  if (!report.ok()) throw RunFailed(report.message);
}

}  // namespace

void add_equilibrium_command(CLI::App& app) {
  auto options = std::make_shared<EquilibriumCommandOptions>();
  CLI::App* command = app.add_subcommand("equilibrium", "Equilibria and steady motions, and their stability");
  options->source.add_to(*command);
  command->add_option("--from", options->from.file, "JSON file with the state to start from; '-' reads standard input");
  CLI::Option* steady = command->add_option(
      "--steady", options->steady,
      "A steady motion, with these speeds or coordinates held: --steady u3=2 u1 (a name alone keeps "
      "its initial value); coordinates on which the motion does not depend are free");
  steady->expected(0, -1);
  command->add_option("--hold", options->hold, "name[=value]: a coordinate or speed to hold")->allow_extra_args(false);
  EquilibriumOptions& search = options->equilibria.search;
  command->add_option("--free", search.free_inputs, "Inputs to solve for")->delimiter(',');
  command->add_flag("--open-loop", options->equilibria.open_loop,
                    "Leave out the laws of inputs: inputs keep the values of their laws at the start");
  command->add_flag("--all", search.all, "Find all from many starts, not only the nearest");
  command->add_option("--starts", search.starts, "Number of other starts to try (default 60)");
  command->add_flag("--json", options->json, "Print JSON, which --state of other commands accepts");
  command->footer(
      "Examples:\n"
      "  kane equilibrium models/damped_pendulum.yaml --all\n"
      "  kane equilibrium models/damped_pendulum.yaml --hold q=0.7 --free T       # the torque that holds it\n"
      "  kane equilibrium models/spinning_top.yaml --steady tilt u_spin\n"
      "If there is none, the exit code is 1 and the message says what does not balance.");
  command->callback([options, steady] {
    options->equilibria.search.steady = steady->count() > 0;
    run_equilibrium(*options);
  });
}

}  // namespace kane

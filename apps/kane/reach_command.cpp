// kane reach: coordinates that bring a point or a body to a target.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/local_analysis.hpp"
#include "apps/kane/option_text.hpp"
#include "apps/kane/print.hpp"
#include "kane/analysis/reach.hpp"
#include "kane/base/error.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct ReachCommandOptions {
  ModelSource source;
  StateSource state;
  std::vector<std::string> points, bodies, limits, hold;
  ReachOptions reach;
  bool no_limits = false, json = false;
};

/// "0.3,-,0.5" as numbers; '-' and '' are free.
std::vector<std::optional<double>> parse_list(const std::string& text, const std::string& option) {
  std::vector<std::optional<double>> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    char* rest = nullptr;
    const double value = std::strtod(part.c_str(), &rest);
    if (part == "-" || part.empty()) {
      values.emplace_back();
    } else {
      require(*rest == '\0' && std::isfinite(value), "{}: '{}' is not a number in '{}'", option, part, text);
      values.emplace_back(value);
    }
    begin = end + 1;
  }
  return values;
}

PositionTarget parse_point(const std::string& text) {
  const auto [name, position] = split_assignment(text, "--point");
  const auto values = parse_list(position, "--point");
  require(values.size() == 3, "--point needs name=x,y,z ('-' for a free component), not '{}'", text);
  return {name, {values[0], values[1], values[2]}};
}

OrientationTarget parse_body(const std::string& text) {
  const auto [name, orientation] = split_assignment(text, "--body");
  const auto values = parse_list(orientation, "--body");
  require(std::all_of(values.begin(), values.end(), [](const auto& v) { return v.has_value(); }),
          "--body: '{}' must give all numbers", text);
  if (values.size() == 3) return {name, rotation_xyz(*values[0], *values[1], *values[2])};
  if (values.size() == 4) return {name, rotation_from_quaternion({*values[0], *values[1], *values[2], *values[3]})};
  require(values.size() == 9,
          "--body needs name= and three angles (body-fixed x, y, z, rad), four numbers of a quaternion (vector part "
          "first) or nine of a rotation matrix, not '{}'",
          text);
  OrientationTarget target{name, {}};
  for (std::size_t k = 0; k < 9; ++k) target.rotation[k] = *values[k];
  const auto& r = target.rotation;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double product = r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
      require(std::abs(product - (i == j ? 1 : 0)) < 1e-6, "--body: the matrix of '{}' is not a rotation", name);
    }
  return target;
}

CoordinateLimit parse_limit(const std::string& text) {
  const auto [name, range] = split_assignment(text, "--limit");
  const auto colon = range.find(':');
  require(colon != std::string::npos, "--limit needs name=lower:upper, not '{}'", text);
  const auto low = parse_list(range.substr(0, colon), "--limit"), high = parse_list(range.substr(colon + 1), "--limit");
  return {name, low.front(), high.front()};
}

void print_report(const ReachReport& report) {
  const auto& names = report.summary.coordinates;
  for (std::size_t i = 0; i < report.solutions.size(); ++i) {
    const KinematicSolution& s = report.solutions[i];
    fmt::print("{}{}: {}\n", i == 0 ? "" : "\n", report.summary.model,
               !s.reached                    ? "out of reach; the nearest configuration"
               : report.solutions.size() > 1 ? fmt::format("solution {} of {}", i + 1, report.solutions.size())
                                             : "reached");
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool limit = std::find(s.at_limit.begin(), s.at_limit.end(), names[k]) != s.at_limit.end();
      // The nearest configuration is known less accurately than a solution.
      fmt::print("  {:<{}} {:>16}{}\n", names[k], longest(names, 14),
                 s.reached ? number_text(s.q[k], 10) : fmt::format("{:.4f}", std::round(s.q[k] * 1e4) / 1e4 + 0.0),
                 limit ? "   at its limit" : "");
    }
  }
  if (report.reached() && report.free > 0)
    fmt::print("  {} dimension{} of motion left there\n", report.free, report.free == 1 ? "" : "s");
}

void run_reach(const ReachCommandOptions& options) {
  ReachOptions reach = options.reach;
  HeldValues held;
  held.add(options.hold, "--hold");
  reach.held = held.names;
  for (const auto& text : options.points) reach.positions.push_back(parse_point(text));
  for (const auto& text : options.bodies) reach.orientations.push_back(parse_body(text));
  for (const auto& text : options.limits) reach.limits.push_back(parse_limit(text));
  reach.joint_limits = !options.no_limits;
  const Model model = load_continuous(options.source, held);
  StartState start = options.state.read_one();
  held.take_precedence(start);
  const ReachReport report = find_reach(model, start, reach);
  if (options.json)
    fmt::print("{}\n", wire::to_json(report).dump());
  else
    print_report(report);
  print_remarks(model, report.summary);
  if (!report.reached()) throw RunFailed(report.message());
}

}  // namespace

void add_reach_command(CLI::App& app) {
  auto options = std::make_shared<ReachCommandOptions>();
  CLI::App* command = app.add_subcommand("reach", "Inverse kinematics: coordinates for positions and orientations");
  options->source.add_to(*command);
  command->add_option("--point", options->points, "name=x,y,z in N, m; '-' for a free component")
      ->allow_extra_args(false);
  command
      ->add_option("--body", options->bodies,
                   "name=a,b,c (body-fixed angles about x, y, z, rad), a quaternion (vector part first), or a rotation "
                   "matrix by rows")
      ->allow_extra_args(false);
  command->add_option("--limit", options->limits, "name=lower:upper: a limit that overrides those of the joints")
      ->allow_extra_args(false);
  command->add_flag("--no-limits", options->no_limits, "Ignore the limits of the joints");
  command->add_option("--hold", options->hold, "name[=value]: a coordinate to hold")->allow_extra_args(false);
  command->add_option("--length", options->reach.length, "Length in metres equivalent to one radian (default 1)");
  command->add_option("--starts", options->reach.starts, "Number of other starts to try (default 40)");
  command->add_flag("--all", options->reach.all, "Find all solutions from many starts, not only the nearest");
  options->state.add_to(*command, "JSON file with the configuration to start from; '-' reads standard input");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane reach models/planar2r.yaml --point P2=0.8,0.5,- --all\n"
      "  kane reach models/planar2r.yaml --point P2=1.8,0.5,-   # out of reach: exit code 1, and the nearest "
      "configuration");
  command->callback([options] { run_reach(*options); });
}

}  // namespace kane

// kane reach: coordinates that bring a point or a body to a target.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "kane/analysis/inverse_kinematics.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct ReachOptions {
  ModelSource source;
  std::string state;
  std::vector<std::string> points, bodies, limits, hold;
  double length = 1;
  int starts = 40;
  bool all = false, no_limits = false, json = false;
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

/// Limits of the joints, then those of the command line.
void set_limits(const ReachOptions& options, const AnalysisModel& model, InverseKinematicsOptions& to) {
  const EquationsOfMotion& e = model.equations();
  constexpr double kFar = std::numeric_limits<double>::infinity();
  to.lower.assign(e.q.size(), -kFar), to.upper.assign(e.q.size(), kFar);
  std::vector<std::string> names;
  for (const auto& q : e.q) names.push_back(q.name());
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  const Values parameters = model.parameters();
  for (const auto& joint : model.mechanism().joints)
    for (const auto& motion : joint.motions) {
      if (motion.coordinates.size() != 1 || options.no_limits) continue;
      const std::size_t k = place(motion.coordinates.front().name());
      if (k == names.size()) continue;
      if (motion.law.lower) to.lower[k] = evaluate(*motion.law.lower, parameters);
      if (motion.law.upper) to.upper[k] = evaluate(*motion.law.upper, parameters);
    }
  for (const auto& text : options.limits) {
    const auto [name, range] = split_assignment(text, "--limit");
    const std::size_t k = place(name);
    if (k == names.size())
      throw ModelError(fmt::format("--limit: there is no coordinate '{}'{}", name, suggestion(name, names)));
    const auto colon = range.find(':');
    require(colon != std::string::npos, "--limit needs name=lower:upper, not '{}'", text);
    const auto low = parse_list(range.substr(0, colon), "--limit"),
               high = parse_list(range.substr(colon + 1), "--limit");
    if (low.front()) to.lower[k] = *low.front();
    if (high.front()) to.upper[k] = *high.front();
  }
}

void run_reach(const ReachOptions& options) {
  std::vector<std::string> settings;
  InverseKinematicsOptions kinematics;
  for (const auto& text : options.hold) {
    const bool value = text.find('=') != std::string::npos;
    if (value) settings.push_back(text);
    kinematics.held.push_back(value ? split_assignment(text, "--hold").name : text);
  }
  AnalysisModel model(options.source, options.state, {}, settings);
  for (const auto& text : options.points) kinematics.positions.push_back(parse_point(text));
  for (const auto& text : options.bodies) kinematics.orientations.push_back(parse_body(text));
  set_limits(options, model, kinematics);
  kinematics.length = options.length, kinematics.starts = options.starts, kinematics.all = options.all;
  InverseKinematics solver(model.evaluator(), kinematics);
  const KinematicReport report = solver.solve(model.start());
  const EquationsOfMotion& e = model.equations();
  if (options.json) {
    Json a;
    a["model"] = e.name, a["reached"] = report.reached(), a["free"] = report.free, a["other_starts"] = report.starts;
    a["solutions"] = Json::array();
    for (const auto& s : report.solutions) {
      Json one;
      for (std::size_t k = 0; k < e.q.size(); ++k) one["q"][e.q[k].name()] = s.q[k];
      one["reached"] = s.reached, one["distance"] = s.distance, one["angle"] = s.angle, one["at_limit"] = s.at_limit;
      a["solutions"].push_back(one);
    }
    fmt::print("{}\n", a.dump());
  } else {
    for (std::size_t i = 0; i < report.solutions.size(); ++i) {
      const KinematicSolution& s = report.solutions[i];
      fmt::print("{}{}: {}\n", i == 0 ? "" : "\n", e.name,
                 s.reached ? report.solutions.size() > 1
                                 ? fmt::format("solution {} of {}", i + 1, report.solutions.size())
                                 : "reached"
                           : "out of reach; the nearest configuration");
      for (std::size_t k = 0; k < e.q.size(); ++k) {
        const bool limit = std::find(s.at_limit.begin(), s.at_limit.end(), e.q[k].name()) != s.at_limit.end();
        // The nearest configuration is known less accurately than a solution.
        fmt::print(
            "  {:<14} {:>16}{}\n", e.q[k].name(),
            s.reached ? fmt::format("{:.10g}", s.q[k]) : fmt::format("{:.4f}", std::round(s.q[k] * 1e4) / 1e4 + 0.0),
            limit ? "   at its limit" : "");
      }
    }
    if (report.reached() && report.free > 0)
      fmt::print("  {} dimension{} of motion left there\n", report.free, report.free == 1 ? "" : "s");
  }
  if (report.reached()) return;
  const auto& s = report.solutions.front();
  std::string away;
  if (!kinematics.positions.empty()) away = fmt::format("{:.6g} m", s.distance);
  if (!kinematics.orientations.empty()) away += fmt::format("{}{:.6g} rad", away.empty() ? "" : " and ", s.angle);
  throw RunFailed(fmt::format("the target is out of reach: at best, from {} starts, it stays {} away{}",
                              report.starts + 1, away,
                              s.at_limit.empty() ? "" : " (some coordinates are at their limits)"));
}

}  // namespace

void add_reach_command(CLI::App& app) {
  auto options = std::make_shared<ReachOptions>();
  CLI::App* command = app.add_subcommand("reach", "Inverse kinematics: coordinates for positions and orientations");
  options->source.add_to(*command);
  command->add_option("--point", options->points, "name=x,y,z in N, m; '-' for a free component")
      ->allow_extra_args(false);
  command
      ->add_option("--body", options->bodies,
                   "name=a,b,c (body-fixed angles about x, y, z, rad), a quaternion (vector part first), or a rotation "
                   "matrix by rows")
      ->allow_extra_args(false);
  command->add_option("--limit", options->limits, "name=lower:upper, in addition to the limits of the joints")
      ->allow_extra_args(false);
  command->add_flag("--no-limits", options->no_limits, "Ignore the limits of the joints");
  command->add_option("--hold", options->hold, "name[=value]: a coordinate to hold")->allow_extra_args(false);
  command->add_option("--length", options->length, "Length in metres equivalent to one radian (default 1)");
  command->add_option("--starts", options->starts, "Number of other starts to try (default 40)");
  command->add_flag("--all", options->all, "Find all solutions from many starts, not only the nearest");
  command->add_option("--state", options->state, "JSON file with the configuration to start from");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane reach models/planar2r.yaml --point P2=0.8,0.5,- --all\n"
      "  kane reach models/planar2r.yaml --point P2=1.8,0.5,-   # out of reach: exit code 1, and the nearest "
      "configuration");
  command->callback([options] { run_reach(*options); });
}

}  // namespace kane

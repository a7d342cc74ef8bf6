// kane jacobian: partial velocities of points and bodies, and the inertia felt there.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/analysis_model.hpp"
#include "kane/analysis/operational_space.hpp"
#include "kane/base/error.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct JacobianOptions {
  ModelSource source;
  std::string state;
  std::vector<std::string> points, bodies;
  bool json = false;
};

void run_jacobian(const JacobianOptions& options) {
  AnalysisModel model(options.source, options.state);
  const EquationsOfMotion& e = model.equations();
  std::vector<Task> tasks;
  for (const auto& name : options.points) tasks.push_back({name, false});
  for (const auto& name : options.bodies) tasks.push_back({name, true});
  if (tasks.empty()) {
    std::string known;
    for (const auto& p : e.points) known += fmt::format("{}{}", known.empty() ? "" : ", ", p.name);
    throw ModelError(fmt::format("name a point with --point ({}) or a body with --body", known));
  }
  OperationalSpace space(model.evaluator(), tasks);
  const State state = model.assembled();
  const TaskReport r = space.calc(state.q, state.u);
  std::vector<std::string> speeds;
  for (const auto& u : e.u) speeds.push_back(u.name());
  if (options.json) {
    Json a;
    a["model"] = e.name, a["rows"] = r.rows, a["speeds"] = speeds;
    a["velocity"] = r.velocity, a["bias"] = r.bias;
    a["jacobian"] = matrix_rows(r.jacobian);
    a["independent_speeds"] = r.independent, a["jacobian_independent"] = matrix_rows(r.constrained_jacobian);
    a["inverse_inertia"] = matrix_rows(r.inverse_inertia), a["inertia"] = matrix_rows(r.inertia);
    a["rank"] = r.rank, a["singular_values"] = r.singular_values, a["manipulability"] = r.manipulability;
    fmt::print("{}\n", a.dump());
    return;
  }
  fmt::print("{} at t = {} s: v = J u + v_t, components in N\n", e.name, state.t);
  print_labelled("J", r.jacobian, r.rows, speeds);
  if (!e.constraints.empty() && r.independent.size() < speeds.size())
    print_labelled("J in the independent speeds", r.constrained_jacobian, r.rows, r.independent);
  print_labelled("inertia felt (force per acceleration)", r.inertia, r.rows, r.rows);
  fmt::print("\n  {:<12} {:>13} {:>13}\n", "", "velocity", "bias");
  for (std::size_t i = 0; i < r.rows.size(); ++i)
    fmt::print("  {:<12} {:>13.6g} {:>13.6g}\n", r.rows[i], r.velocity[i], r.bias[i]);
  fmt::print("\n  {} of {} directions can move; singular values", r.rank, r.rows.size());
  for (const double s : r.singular_values) fmt::print(" {:.6g}", s);
  fmt::print("\n");
}

}  // namespace

void add_jacobian_command(CLI::App& app) {
  auto options = std::make_shared<JacobianOptions>();
  CLI::App* command = app.add_subcommand("jacobian", "Jacobians of points and bodies, and the inertia felt there");
  options->source.add_to(*command);
  command->add_option("--point", options->points, "Points, by name")->delimiter(',');
  command->add_option("--body", options->bodies, "Bodies, for their angular velocities")->delimiter(',');
  command->add_option("--state", options->state, "JSON file with the state; '-' reads standard input");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane jacobian models/planar2r.yaml --point P2 --body B");
  command->callback([options] { run_jacobian(*options); });
}

}  // namespace kane

// kane jacobian: partial velocities of points and bodies, and the inertia felt there.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/local_analysis.hpp"
#include "apps/kane/print.hpp"
#include "kane/analysis/task_jacobian.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct JacobianCommandOptions {
  ModelSource source;
  StateSource state;
  JacobianOptions tasks;
  bool json = false;
};

void print_report(const JacobianReport& r) {
  const auto& speeds = r.summary.speeds;
  fmt::print("{} at t = {} s: v = J u + v_t, components in N\n", r.summary.model, r.summary.t);
  print_labelled("J", r.jacobian, r.rows, speeds);
  if (r.independent.size() < speeds.size())
    print_labelled("J in the independent speeds", r.constrained_jacobian, r.rows, r.independent);
  print_labelled("inertia felt (force per acceleration)", r.inertia, r.rows, r.rows);
  fmt::print("\n");
  TextTable motion({"", "velocity", "bias"}, 12, 13);
  for (std::size_t i = 0; i < r.rows.size(); ++i) motion.add(r.rows[i], {r.velocity[i], r.bias[i]}, 6);
  motion.print();
  fmt::print("\n  {} of {} directions can move; singular values", r.rank, r.rows.size());
  for (const double s : r.singular_values) fmt::print(" {:.6g}", s);
  fmt::print("\n");
}

void run_jacobian(const JacobianCommandOptions& options) {
  const Model model = load_continuous(options.source);
  const JacobianReport report = find_jacobian(model, options.state.read_one(), options.tasks);
  if (options.json)
    fmt::print("{}\n", wire::to_json(report).dump());
  else
    print_report(report);
  print_remarks(model, report.summary);
}

}  // namespace

void add_jacobian_command(CLI::App& app) {
  auto options = std::make_shared<JacobianCommandOptions>();
  CLI::App* command = app.add_subcommand("jacobian", "Jacobians of points and bodies, and the inertia felt there");
  options->source.add_to(*command);
  command->add_option("--point", options->tasks.points, "Points, by name")->delimiter(',');
  command->add_option("--body", options->tasks.bodies, "Bodies, for their angular velocities")->delimiter(',');
  options->state.add_to(*command, "JSON file with the state; '-' reads standard input");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Examples:\n"
      "  kane jacobian models/planar2r.yaml --point P2 --body B");
  command->callback([options] { run_jacobian(*options); });
}

}  // namespace kane

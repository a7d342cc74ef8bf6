// kane forces: free and constrained axes with their forces at a state, or constraint forces, contact forces and
// joint reactions along a run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_commands.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/interrupt.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/output_guard.hpp"
#include "apps/kane/print.hpp"
#include "apps/kane/run_output.hpp"
#include "apps/kane/trajectory_file.hpp"
#include "kane/analysis/force_history.hpp"
#include "kane/analysis/joint_forces.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/base/output_mark.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

using wire::Json;

struct ForcesOptions {
  ModelSource source;
  StateSource state;
  InputSeriesSource inputs;
  std::string out;
  std::vector<std::string> only;
  std::optional<double> until, tolerance, output_step;
  bool json = false, force = false;
  JointForcesOptions table;

  /// Whether any option requires a run.
  [[nodiscard]] bool run() const {
    return until || tolerance || output_step || inputs.hold || !out.empty() || !inputs.file.empty() || !only.empty();
  }
};

// ---- at a state -------------------------------------------------------------------------------------------------------------

std::string indexed(const std::optional<std::size_t>& index, const std::string& name) {
  return index ? fmt::format("{:02} {}", *index, name) : "--";
}

/// The largest force or torque, against which rounding errors are small.
double size_of(const ReactionValue& r) {
  return std::max({std::abs(r.force.x), std::abs(r.force.y), std::abs(r.force.z), std::abs(r.torque.x),
                   std::abs(r.torque.y), std::abs(r.torque.z)});
}

void print_axes(const JointForces& joint, double size) {
  std::size_t speed = 14, place = 14;
  for (const JointAxisForce& axis : joint.axes) {
    speed = std::max(speed, indexed(axis.speed, axis.speed_name).size());
    place = std::max(place, indexed(axis.coordinate, axis.coordinate_name).size());
  }
  fmt::print("  {:<6} {:^4} {:<{}} {:<{}} {:>10} {:>16}\n", "axis", "F/C", "speed", speed, "coordinate", place,
             "constraint", "force or torque");
  for (const JointAxisForce& axis : joint.axes) {
    fmt::print("  {:<6} {:^4} {:<{}} ", axis.axis, axis.free ? 'F' : 'C', indexed(axis.speed, axis.speed_name), speed);
    const std::string coordinate = indexed(axis.coordinate, axis.coordinate_name);
    if (!axis.constraint)
      fmt::print("{}\n", coordinate);
    else
      fmt::print("{:<{}} {:>10} {:>16} {}\n", coordinate, place, fmt::format("{:02}", *axis.constraint),
                 number_text(shown(axis.force, size)), axis.axis.starts_with("Rot") ? "N m" : "N");
  }
}

void print_vector(std::string_view label, const Vec3& v, double size, std::string_view unit) {
  fmt::print("  {:<8} {:>14} {:>14} {:>14} {}\n", label, number_text(shown(v.x, size)), number_text(shown(v.y, size)),
             number_text(shown(v.z, size)), unit);
}

void print_forces(const JointForcesReport& a) {
  fmt::print("{} at t = {} s; free axes: {}, constrained axes: {}\n", a.model, a.t, a.degrees_of_freedom,
             a.constraint_forces.size());
  if (!a.assembly.moved.empty()) fmt::print("assembled:\n{}", a.assembly.to_string());
  for (const JointForces& joint : a.joints) {
    fmt::print("\njoint {} ({}): {} -> {}", joint.joint, joint.type, joint.parent, joint.child);
    const ReactionValue& r = joint.reaction;
    if (joint.closing) {
      fmt::print("   closes a loop\n");
    } else {
      fmt::print("   rotation {}   translation {}\n", joint.rotation_sequence, joint.translation_sequence);
      print_axes(joint, size_of(r));
    }
    fmt::print("  on {}, components in {}, torque about {}:\n", joint.child, r.frame, r.point);
    fmt::print("  {:<8} {:>14} {:>14} {:>14}\n", "", "x", "y", "z");
    print_vector("force", r.force, size_of(r), "N");
    print_vector("torque", r.torque, size_of(r), "N m");
  }
  if (!a.multipliers.empty()) fmt::print("\nmultipliers of constraints\n");
  TextTable multipliers({}, 20);
  for (const NamedValue& v : a.multipliers) multipliers.add(v.name, {v.value});
  multipliers.print();
  print_warnings(stdout, a.warnings, "\n");
}

void run_at_states(const ForcesOptions& options) {
  const StateFile states = options.state.read();
  ModelOptions model;
  model.driven = states.inputs();
  JointForcesEvaluator evaluator(options.source.load(std::move(model)), options.table);
  std::vector<JointForcesReport> reports;
  for (const StartState& state : states.states) {
    reports.push_back(evaluator.calc(state));
    const std::string& failure = reports.back().failure;
    if (!failure.empty()) throw RunFailed(states.list ? state.label + ": " + failure : failure);
  }
  if (options.json) {
    Json list = Json::array();
    for (const JointForcesReport& report : reports) list.push_back(wire::to_json(report));
    fmt::print("{}\n", (states.list ? list : list[0]).dump());
    return;
  }
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (i > 0) fmt::print("\n");
    print_forces(reports[i]);
  }
}

// ---- along a run ------------------------------------------------------------------------------------------------------------

Json summary(const ForceHistory& forces, const RunReport& report, const EquationsOfMotion& e, const std::string& out) {
  Json a;
  a["model"] = e.name, a["out"] = out, a["samples"] = report.samples;
  for (const ForceRecord& r : forces.records()) {
    Json one{{"kind", std::string(to_string(r.kind))}, {"largest", r.largest}, {"at", r.largest_time}};
    if (r.kind == ForceKind::Reaction)
      one["largest_torque"] = r.largest_torque, one["torque_at"] = r.torque_time, one["frame"] = r.frame,
      one["point"] = r.point;
    a["forces"][r.name] = one;
  }
  if (e.switched()) a["events"] = wire::events(report, e), a["event_count"] = report.event_count;
  return a;
}

void print_summary(std::FILE* to, const ForceHistory& forces, const RunReport& report, const EquationsOfMotion& e,
                   const std::string& out) {
  fmt::print(to, "{}: forces from {:.6g} s to {:.6g} s, {} in {}\n\n", e.name, report.t_begin, report.t_end,
             counted(report.samples, "sample"), out == "-" ? "standard output" : out);
  std::size_t name = 18;
  for (const ForceRecord& r : forces.records()) name = std::max(name, r.name.size());
  fmt::print(to, "  {:<{}} {:<11} {:>12} {:>10} {:>12} {:>10}  {}\n", "of", name, "kind", "largest", "at, s", "torque",
             "at, s", "on the outer body, components in, about");
  for (const ForceRecord& r : forces.records()) {
    // A torque of the force times a nanometre is rounding.
    const double torque = r.largest_torque > 1e-9 * r.largest ? r.largest_torque : 0.0;
    fmt::print(to, "  {:<{}} {:<11} {:>12.6g} {:>10.5g}", r.name, name, to_string(r.kind), r.largest, r.largest_time);
    if (r.kind == ForceKind::Reaction)
      fmt::print(to, " {:>12.6g} {:>10}  {}, {}", torque, torque > 0 ? fmt::format("{:.5g}", r.torque_time) : "-",
                 r.frame, r.point);
    fmt::print(to, "\n");
  }
  if (e.switched()) {
    fmt::print(to, "\n");
    print_events(to, report, true);
  }
}

void run_along(const ForcesOptions& options) {
  const StartState start = options.state.read_one();
  SimulationOptions simulation;
  simulation.tolerance = options.tolerance;
  simulation.inputs = options.inputs.read();
  Simulation run(options.source.load(driven_by(start, simulation.inputs)), start, simulation);
  ForceHistory forces(run, options.only);
  const std::string out = options.out.empty() ? file_stem(run.model().name()) + "_forces.csv" : options.out;
  OutputGuard(options.force, {options.source.model, options.state.file, options.inputs.file})
      .claim(out, options.out.empty() ? "--out" : nullptr);
  const RunPlan plan = run.plan(options.until, options.output_step);
  TrajectoryFile file(out, forces.columns(), run.model().name());
  const auto on_sample = [&](const State& sample) {
    file.write(forces.row(sample));
    throw_if_interrupted();
    return true;
  };
  const RunReport report = with_rows(file, [&] { return run.run(plan, on_sample); });
  file.finish();
  std::FILE* const to = out == "-" ? stderr : stdout;
  if (options.json)
    fmt::print(to, "{}\n", summary(forces, report, run.equations(), out).dump());
  else
    print_summary(to, forces, report, run.equations(), out);
  std::vector<std::string> warnings = report.warnings;
  warnings.insert(warnings.end(), forces.warnings().begin(), forces.warnings().end());
  print_warnings(stderr, warnings);
  if (report.failure) throw RunFailed(report.failure->message(run.equations()));
}

}  // namespace

void add_forces_command(CLI::App& app) {
  auto options = std::make_shared<ForcesOptions>();
  CLI::App* command = app.add_subcommand(
      "forces", "Free and constrained axes of every joint, constraint forces, reactions: at a state, or along a run");
  options->source.add_to(*command);
  command->add_option("--out", options->out,
                      "FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV (default: NAME_forces.csv)");
  command->add_option("--only", options->only, "Only these joints, auxiliary forces and constraints")->delimiter(',');
  command->add_option("--until", options->until, "End time, s");
  command->add_option("--tolerance", options->tolerance, "Relative accuracy");
  command->add_option("--output-step", options->output_step, "Time between samples, s (default: 1000 intervals)");
  options->state.add_to(*command,
                        "JSON file with a state or an array of states (for a run: its start); '-' reads standard "
                        "input; default: the initial state");
  command->add_option("--joint", options->table.joint, "At a state: only this joint");
  command->add_option(
      "--frame", options->table.view.frame,
      "At a state: components of the reactions along the axes of this body or frame (default: the child)");
  command->add_option("--point", options->table.view.point,
                      "At a state: torques about this point (default: the joint's point on its child)");
  options->inputs.add_to(*command);
  add_force_option(*command, options->force);
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "At a state: F means free, C constrained; the force of a constrained axis acts from the parent on the child,\n"
      "along or about the axis. With --until, --out or another option of a run, the command follows the forces along a "
      "run.\n"
      "Examples:\n"
      "  kane forces models/osiris_tree.yaml --joint J3\n"
      "  kane forces models/bouncing_ball.yaml --until 2 --out ball_forces.csv");
  command->callback([options] {
    if (options->run())
      run_along(*options);
    else
      run_at_states(*options);
  });
}

}  // namespace kane

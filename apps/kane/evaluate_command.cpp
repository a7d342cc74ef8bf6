// kane evaluate: everything Kane knows about a system at one state, or at many.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/print.hpp"
#include "kane/analysis/evaluation.hpp"
#include "kane/wire/json.hpp"

namespace kane {
namespace {

struct EvaluateOptions {
  ModelSource source;
  StateSource state;
  bool json = false;
  bool interpreter = false;
};

void print_speeds(const Evaluation& a) {
  fmt::print("\n");
  const bool forces = !a.inertia_forces.empty();
  std::vector<std::string> heads{"speed", "u", "u'"};
  if (forces) heads.insert(heads.end(), {"F_r", "F*_r"});
  TextTable speeds(std::move(heads));
  for (std::size_t i = 0; i < a.speeds.size(); ++i) {
    std::vector<double> row{a.u[i], a.udot[i]};
    if (forces) row.insert(row.end(), {a.active_forces[i], a.inertia_forces[i]});
    speeds.add(a.speeds[i], row);
  }
  speeds.print();
}

void print_motion(const Evaluation& a) {
  TextTable coordinates({"coordinate", "q", "q'"});
  for (std::size_t i = 0; i < a.coordinates.size(); ++i) coordinates.add(a.coordinates[i], {a.q[i], a.qdot[i]});
  if (!coordinates.empty()) coordinates.print();
  if (!a.speeds.empty()) print_speeds(a);
  constexpr std::size_t kMostRows = 12;  // a brief model has no larger matrix either
  if (a.mass.rows() > 0 && a.mass.rows() <= kMostRows) {
    fmt::print("\nM u' = rhs\n");
    std::vector<std::string> columns{""};
    for (const std::string& u : a.speeds) columns.push_back(u + "'");
    columns.emplace_back("rhs");
    TextTable table(std::move(columns));
    for (std::size_t i = 0; i < a.mass.rows(); ++i) {
      const auto entries = a.mass.view().row_span(i);
      std::vector<double> row(entries.begin(), entries.end());
      row.push_back(a.rhs[i]);
      table.add(a.speeds[i], row);
    }
    table.print();
  }
  if (a.constraints.empty()) return;
  fmt::print("\n");
  TextTable constraints({"constraint", "multiplier", "residual"});
  for (const ConstraintValue& c : a.constraints)
    constraints.add({c.name, number_text(c.multiplier), number_text(c.residual, 3)});
  constraints.print();
}

void print_named(const char* title, const std::vector<NamedValue>& values) {
  if (values.empty()) return;
  fmt::print("\n{}\n", title);
  TextTable table({}, 20);
  for (const NamedValue& v : values) table.add(v.name, {v.value});
  table.print();
}

void print_reactions(const std::vector<ReactionValue>& reactions) {
  if (reactions.empty()) return;
  fmt::print("\nreactions (force, N, and torque, N m, on the outer body)\n");
  TextTable table({"", "Fx", "Fy", "Fz", "Tx", "Ty", "Tz"});
  for (const ReactionValue& r : reactions) {
    std::vector<double> row{r.force.x, r.force.y, r.force.z, r.torque.x, r.torque.y, r.torque.z};
    double size = 0;
    for (const double v : row) size = std::max(size, std::abs(v));
    for (double& v : row) v = shown(v, size);
    table.add(r.name, row);
  }
  table.print();
}

void print_evaluation(const Evaluation& a) {
  fmt::print("{} at t = {} s (formulation: {})\n{}", a.model, a.t, a.formulation, a.coordinates.empty() ? "" : "\n");
  if (!a.assembly.moved.empty()) fmt::print("assembled:\n{}\n", a.assembly.to_string());
  print_motion(a);
  if (a.kinetic) fmt::print("\n  kinetic energy {:>14} J\n", number_text(*a.kinetic));
  if (a.potential) fmt::print("  potential      {:>14} J\n", number_text(*a.potential));
  print_named("outputs", a.outputs);
  print_named("constraint forces", a.auxiliary_forces);
  if (!a.points.empty()) {
    fmt::print("\npoints (position in N, m)\n");
    TextTable table({"", "x", "y", "z"});
    for (const PointValue& p : a.points) table.add(p.name, {p.position.x, p.position.y, p.position.z});
    table.print();
  }
  print_reactions(a.reactions);
  if (!a.contacts.empty()) {
    fmt::print("\n");
    print_contacts(a.contacts);
  }
  print_warnings(stdout, a.warnings, "\n");
}

void run_evaluate(const EvaluateOptions& options) {
  const StateFile states = options.state.read();
  ModelOptions model;
  model.interpreter = options.interpreter;
  model.driven = states.inputs();
  model.brief = !options.json;
  Evaluator evaluator(options.source.load(std::move(model)));
  std::vector<Evaluation> answers;
  for (const StartState& state : states.states) {
    answers.push_back(evaluator.calc(state));
    const std::string& failure = answers.back().failure;
    if (!failure.empty()) throw RunFailed(states.list ? state.label + ": " + failure : failure);
  }
  if (options.json) {
    auto list = wire::Json::array();
    for (const Evaluation& answer : answers) list.push_back(wire::to_json(answer));
    fmt::print("{}\n", (states.list ? list : list[0]).dump());
    return;
  }
  for (const Evaluation& answer : answers) {
    print_evaluation(answer);
    if (states.list) fmt::print("\n");
  }
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Accelerations, mass matrix, energies and forces at a state");
  options->source.add_to(*command);
  options->state.add_to(*command, "JSON file with a state or an array of states; '-' reads standard input");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--interpreter", options->interpreter, "Do not use the JIT");
  command->footer(
      "State file: {\"t\":0,\"q\":{\"q1\":0.1},\"u\":{},\"parameters\":{},\"inputs\":{},\"active\":[]}; every part is "
      "optional.\n"
      "Examples:\n"
      "  kane evaluate models/planar2r.yaml --set \"q1=30 deg\" --set TA=2\n"
      "  echo '[{\"q\":{\"q1\":0.1}},{\"q\":{\"q1\":0.2}}]' | kane evaluate models/planar2r.yaml --state - --json");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace kane

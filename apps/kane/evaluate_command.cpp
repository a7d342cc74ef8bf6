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

void print_row(const std::string& label, std::span<const double> values) {
  fmt::print("  {:<14}", label);
  for (const double v : values) fmt::print(" {:>14.7g}", v);
  fmt::print("\n");
}

void print_motion(const Evaluation& a) {
  fmt::print("  {:<14} {:>14} {:>14}\n", "coordinate", "q", "q'");
  for (std::size_t i = 0; i < a.coordinates.size(); ++i)
    fmt::print("  {:<14} {:>14.7g} {:>14.7g}\n", a.coordinates[i], a.q[i], a.qdot[i]);
  const bool forces = !a.inertia_forces.empty();
  fmt::print("\n  {:<14} {:>14} {:>14}", "speed", "u", "u'");
  if (forces) fmt::print(" {:>14} {:>14}", "F_r", "F*_r");
  fmt::print("\n");
  for (std::size_t i = 0; i < a.speeds.size(); ++i) {
    fmt::print("  {:<14} {:>14.7g} {:>14.7g}", a.speeds[i], a.u[i], a.udot[i]);
    if (forces) fmt::print(" {:>14.7g} {:>14.7g}", a.active_forces[i], a.inertia_forces[i]);
    fmt::print("\n");
  }
  constexpr std::size_t kMostRows = 12;
  if (a.mass.rows() > 0 && a.mass.rows() <= kMostRows) {
    fmt::print("\nM u' = rhs\n");
    for (std::size_t i = 0; i < a.mass.rows(); ++i) {
      const auto entries = a.mass.view().row_span(i);
      std::vector<double> row(entries.begin(), entries.end());
      row.push_back(a.rhs[i]);
      print_row(a.speeds[i], row);
    }
  }
  if (!a.constraints.empty()) {
    fmt::print("\n  {:<14} {:>14} {:>14}\n", "constraint", "multiplier", "residual");
    for (const ConstraintValue& c : a.constraints)
      fmt::print("  {:<14} {:>14.7g} {:>14.3g}\n", c.name, c.multiplier, c.residual);
  }
}

void print_named(const char* title, const std::vector<NamedValue>& values) {
  if (values.empty()) return;
  fmt::print("\n{}\n", title);
  for (const NamedValue& v : values) fmt::print("  {:<20} {:>14.7g}\n", v.name, v.value);
}

void print_evaluation(const Evaluation& a) {
  fmt::print("{} at t = {} s (formulation: {})\n\n", a.model, a.t, a.formulation);
  if (!a.assembly.moved.empty()) fmt::print("assembled:\n{}\n", a.assembly.to_string());
  print_motion(a);
  if (a.kinetic) fmt::print("\n  kinetic energy {:>14.7g} J\n", *a.kinetic);
  if (a.potential) fmt::print("  potential      {:>14.7g} J\n", *a.potential);
  print_named("outputs", a.outputs);
  print_named("constraint forces", a.auxiliary_forces);
  if (!a.points.empty()) {
    fmt::print("\npoints (position in N)\n");
    for (const PointValue& p : a.points) print_row(p.name, std::array{p.position.x, p.position.y, p.position.z});
  }
  if (!a.reactions.empty()) {
    fmt::print("\nreactions (force, torque on the outer body)\n");
    for (const ReactionValue& r : a.reactions) {
      std::array row{r.force.x, r.force.y, r.force.z, r.torque.x, r.torque.y, r.torque.z};
      double size = 0;
      for (const double v : row) size = std::max(size, std::abs(v));
      for (double& v : row) v = shown(v, size);
      print_row(r.name, row);
    }
  }
  if (!a.contacts.empty()) {
    fmt::print("\n");
    print_contacts(a.contacts);
  }
  for (const auto& warning : a.warnings) fmt::print("\nwarning: {}\n", warning);
}

void run_evaluate(const EvaluateOptions& options) {
  const StateFile states = options.state.read();
  ModelOptions model;
  model.interpreter = options.interpreter;
  model.driven = states.inputs();
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

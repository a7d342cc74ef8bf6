// kane evaluate: everything Kane knows about a system at one state, or at many.

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/state_evaluation.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/names.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct EvaluateOptions {
  ModelSource source;
  std::string state;
  bool json = false;
  bool interpreter = false;
};

Json vector_of(std::span<const double> v) { return Json(std::vector<double>(v.begin(), v.end())); }

Json matrix_of(ConstMatrixView m) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < m.rows; ++i) rows.push_back(vector_of(m.row_span(i)));
  return rows;
}

/// Both triangles of a matrix of which only the upper one is filled.
Json symmetric_of(ConstMatrixView m) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < m.rows; ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < m.columns; ++j) row.push_back(i <= j ? m(i, j) : m(j, i));
    rows.push_back(row);
  }
  return rows;
}

Json counts_of(const Kernel* kernel) {
  if (kernel == nullptr) return nullptr;
  OperationCount count = kernel->program().operations(Stage::State);
  count += kernel->program().operations(Stage::Inputs);
  return {{"mul", count.mul}, {"add", count.add}, {"div", count.div}, {"func", count.func}};
}

/// Whether dry friction holds or slides, and whether shapes touch, is decided along a motion.
std::string acting_in_runs(const EquationsOfMotion& e) {
  std::vector<std::string> names;
  for (const auto& c : e.contacts) names.push_back(fmt::format("contact '{}'", c.name));
  for (const auto& p : e.contact_pairs) names.push_back(fmt::format("contact '{}'", p.name));
  for (const auto& f : e.frictions)
    if (f.contact < 0) names.push_back(fmt::format("friction '{}'", f.name));
  return fmt::format("{}", fmt::join(names, ", "));
}

class Evaluation {
 public:
  Evaluation(const Mechanism& mechanism, std::shared_ptr<const CompiledSystem> system)
      : evaluation_(mechanism, std::move(system)) {}

  Json answer(const nlohmann::json& state, int entry) {
    evaluation_.run(state, entry);
    const EquationsOfMotion& e = evaluation_.equations();
    const CompiledSystem& system = evaluation_.system();
    SystemEvaluator& evaluator = evaluation_.evaluator();
    const Situation& s = evaluation_.situation();

    Json a;
    a["model"] = e.name;
    a["formulation"] = e.formulation;
    a["t"] = s.t;
    a["coordinates"] = names_of(e.q);
    a["speeds"] = names_of(e.u);
    a["q"] = s.q;
    a["u"] = s.u;
    a["qdot"] = evaluation_.qdot();
    if (system.mass() != nullptr) {
      a["M"] = matrix_of(evaluator.mass_matrix());
      a["rhs"] = vector_of(evaluator.rhs());
    }
    a["udot"] = evaluation_.udot();
    add_constraints(a);
    add_reports(a, evaluation_.calc_reports());
    a["operations"] = {{"motion", counts_of(system.motion())},
                       {"mass_matrix_and_rhs", counts_of(system.mass())},
                       {"inverse", counts_of(system.inverse())},
                       {"constraints", counts_of(system.constraints())}};
    std::vector<std::string> warnings = e.warnings;
    if (const std::string left_out = acting_in_runs(e); !left_out.empty())
      warnings.push_back(
          fmt::format("not in these accelerations, since they act in runs only (kane simulate): {}", left_out));
    if (!warnings.empty()) a["warnings"] = warnings;
    return a;
  }

 private:
  void add_constraints(Json& a) {
    const EquationsOfMotion& e = evaluation_.equations();
    SystemEvaluator& evaluator = evaluation_.evaluator();
    const auto& rows = evaluator.active_rows();
    if (rows.empty()) {
      a["independent_speeds"] = names_of(e.u);
      if (a.contains("M")) a["M_embedded"] = a["M"], a["rhs_embedded"] = a["rhs"];
      a["constraint_names"] = a["constraint_jacobian"] = a["constraint_multipliers"] = Json::array();
      a["constraint_residuals"] = Json::array();
      return;
    }
    std::vector<std::string> independent, constraints;
    for (const int i : evaluator.independent()) independent.push_back(e.u[static_cast<std::size_t>(i)].name());
    a["independent_speeds"] = independent;
    a["M_embedded"] = symmetric_of(evaluator.embedding().embedded_mass());
    a["rhs_embedded"] = vector_of(evaluator.embedding().embedded_rhs());
    std::vector<double> multipliers, residuals;
    for (const int i : rows) {
      const auto k = static_cast<std::size_t>(i);
      constraints.push_back(e.constraints[k].name);
      multipliers.push_back(evaluation_.multipliers()[k]);
      double residual = evaluator.b()[k];
      const std::vector<double>& u = evaluation_.situation().u;
      for (std::size_t j = 0; j < u.size(); ++j) residual += evaluator.jacobian()(k, j) * u[j];
      residuals.push_back(e.constraints[k].phi ? std::hypot(evaluator.phi()[k], residual) : residual);
    }
    a["constraint_names"] = constraints;
    a["constraint_jacobian"] = matrix_of(evaluator.active_jacobian());
    a["constraint_multipliers"] = multipliers;
    a["constraint_residuals"] = residuals;
  }

  void add_reports(Json& a, std::span<const double> y) {
    const EquationsOfMotion& e = evaluation_.equations();
    a["kinetic"] = nullptr, a["potential"] = nullptr;
    a["points"] = a["bodies"] = a["reactions"] = a["outputs"] = Json::object();
    std::size_t reaction = 0;
    for (const auto& item : evaluation_.system().report_items()) {
      const auto part = [&](std::size_t first, std::size_t count) {
        return vector_of(y.subspan(item.first + first, count));
      };
      switch (item.kind) {
        case ReportItem::Kind::Kinetic: a["kinetic"] = y[item.first]; break;
        case ReportItem::Kind::Potential: a["potential"] = y[item.first]; break;
        case ReportItem::Kind::Momentum: a["linear_momentum"] = part(0, 3), a["angular_momentum"] = part(3, 3); break;
        case ReportItem::Kind::Point:
          a["points"][item.name] = {{"position", part(0, 3)}, {"velocity", part(3, 3)}, {"acceleration", part(6, 3)}};
          break;
        case ReportItem::Kind::Body:
          a["bodies"][item.name] = {{"rotation", Json::array({part(0, 3), part(3, 3), part(6, 3)})},
                                    {"angular_velocity", part(9, 3)},
                                    {"angular_acceleration", part(12, 3)}};
          break;
        case ReportItem::Kind::Reaction: {
          const auto& r = e.reactions[reaction++];
          a["reactions"][item.name] = {
              {"force", part(0, 3)}, {"torque", part(3, 3)}, {"frame", r.frame}, {"point", r.point}};
          break;
        }
        case ReportItem::Kind::Auxiliary: a["auxiliary_forces"][item.name] = y[item.first]; break;
        case ReportItem::Kind::Output: a["outputs"][item.name] = y[item.first]; break;
      }
    }
  }

  StateEvaluation evaluation_;
};

void print_row(const std::string& label, const Json& values) {
  fmt::print("  {:<14}", label);
  for (const auto& v : values) fmt::print(" {:>14.7g}", v.get<double>());
  fmt::print("\n");
}

void print_answer(const Json& a) {
  fmt::print("{} at t = {} s (formulation: {})\n\n", a["model"].get<std::string>(), a["t"].get<double>(),
             a["formulation"].get<std::string>());
  fmt::print("  {:<14} {:>14} {:>14}\n", "coordinate", "q", "q'");
  for (std::size_t i = 0; i < a["coordinates"].size(); ++i)
    fmt::print("  {:<14} {:>14.7g} {:>14.7g}\n", a["coordinates"][i].get<std::string>(), a["q"][i].get<double>(),
               a["qdot"][i].get<double>());
  fmt::print("\n  {:<14} {:>14} {:>14}\n", "speed", "u", "u'");
  for (std::size_t i = 0; i < a["speeds"].size(); ++i)
    fmt::print("  {:<14} {:>14.7g} {:>14.7g}\n", a["speeds"][i].get<std::string>(), a["u"][i].get<double>(),
               a["udot"][i].get<double>());
  if (a.contains("M") && a["M"].size() <= 12) {
    fmt::print("\nM u' = rhs\n");
    for (std::size_t i = 0; i < a["M"].size(); ++i) {
      Json row = a["M"][i];
      row.push_back(a["rhs"][i]);
      print_row(a["speeds"][i].get<std::string>(), row);
    }
  }
  if (!a["constraint_names"].empty()) {
    fmt::print("\n  {:<14} {:>14} {:>14}\n", "constraint", "multiplier", "residual");
    for (std::size_t i = 0; i < a["constraint_names"].size(); ++i)
      fmt::print("  {:<14} {:>14.7g} {:>14.3g}\n", a["constraint_names"][i].get<std::string>(),
                 a["constraint_multipliers"][i].get<double>(), a["constraint_residuals"][i].get<double>());
  }
  fmt::print("\n  kinetic energy {:>14.7g} J\n", a["kinetic"].get<double>());
  if (!a["potential"].is_null()) fmt::print("  potential      {:>14.7g} J\n", a["potential"].get<double>());
  for (const char* group : {"outputs", "auxiliary_forces"}) {
    if (!a.contains(group) || a[group].empty()) continue;
    fmt::print("\n{}\n", std::string(group) == "outputs" ? "outputs" : "constraint forces");
    for (const auto& [name, value] : a[group].items()) fmt::print("  {:<20} {:>14.7g}\n", name, value.get<double>());
  }
  if (!a["points"].empty()) {
    fmt::print("\npoints (position in N)\n");
    for (const auto& [name, point] : a["points"].items()) print_row(name, point["position"]);
  }
  if (!a["reactions"].empty()) {
    fmt::print("\nreactions (force, torque on the outer body)\n");
    for (const auto& [name, r] : a["reactions"].items()) {
      Json row = r["force"];
      for (const auto& v : r["torque"]) row.push_back(v);
      double size = 0;
      for (const auto& v : row) size = std::max(size, std::abs(v.get<double>()));
      for (auto& v : row) v = shown(v.get<double>(), size);
      print_row(name, row);
    }
  }
  if (a.contains("warnings"))
    for (const auto& warning : a["warnings"]) fmt::print("\nwarning: {}\n", warning.get<std::string>());
}

void run_evaluate(const EvaluateOptions& options) {
  const Mechanism mechanism = options.source.read();
  const nlohmann::json states = options.state.empty() ? nlohmann::json::object() : read_state_file(options.state);
  FormOptions form;
  form.formulation = formulation_from(options.source.formulation);
  CompileOptions compile;
  compile.use_interpreter = options.interpreter;
  compile.functions = table_functions(mechanism);
  compile.driven_inputs = inputs_named(states);
  const auto system = std::make_shared<const CompiledSystem>(form_equations(mechanism, form), compile);
  Evaluation evaluation(mechanism, system);
  if (!states.is_array()) {
    const Json answer = evaluation.answer(states, -1);
    if (options.json)
      fmt::print("{}\n", answer.dump());
    else
      print_answer(answer);
    return;
  }
  Json answers = Json::array();
  for (std::size_t i = 0; i < states.size(); ++i) answers.push_back(evaluation.answer(states[i], static_cast<int>(i)));
  if (options.json) {
    fmt::print("{}\n", answers.dump());
  } else {
    for (const auto& answer : answers) print_answer(answer), fmt::print("\n");
  }
}

}  // namespace

void add_evaluate_command(CLI::App& app) {
  auto options = std::make_shared<EvaluateOptions>();
  CLI::App* command = app.add_subcommand("evaluate", "Accelerations, mass matrix, energies, forces at a state");
  options->source.add_to(*command);
  command->add_option("--state", options->state,
                      "JSON file with a state or an array of states; '-' reads standard input");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--interpreter", options->interpreter, "Do not use the JIT");
  command->footer(
      "State file: {\"t\":0,\"q\":{\"q1\":0.1},\"u\":{},\"parameters\":{},\"inputs\":{},\"active\":[]}; all optional.\n"
      "Examples:\n"
      "  kane evaluate models/planar2r.yaml --set \"q1=30 deg\" --set T_A=2\n"
      "  kane evaluate models/planar2r.yaml --state state.json --json\n"
      "  echo '[{\"q\":{\"q1\":0.1}},{\"q\":{\"q1\":0.2}}]' | kane evaluate models/planar2r.yaml --state - --json");
  command->callback([options] { run_evaluate(*options); });
}

}  // namespace kane

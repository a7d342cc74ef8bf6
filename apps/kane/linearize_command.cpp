// kane linearize: the linear equations about a state, their eigenvalues, and M, C, K in symbols.

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/kane/analysis_model.hpp"
#include "apps/kane/command.hpp"
#include "apps/kane/mode_table.hpp"
#include "apps/kane/model_source.hpp"
#include "apps/kane/root_locus.hpp"
#include "kane/analysis/frequency_response.hpp"
#include "kane/analysis/modes.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/names.hpp"
#include "kane/mechanics/linearize.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;

struct LinearizeCommandOptions {
  ModelSource source;
  std::string state;
  std::vector<std::string> only;
  std::vector<std::string> dependent;
  std::string sweep, out;
  std::vector<std::string> at;
  bool steady = false;
  bool equilibrium = false;
  bool symbols = false;
  bool json = false;
};

/// The nominal state: that of the model, overridden by the state file, and assembled if there are constraints.
struct Nominal {
  LinearizeOptions options;
  Values parameters;
  std::string moved;
};

bool is_constrained(const EquationsOfMotion& e) {
  return std::any_of(e.constraints.begin(), e.constraints.end(), [](const auto& c) { return c.active; });
}

Nominal nominal_of(const Mechanism& mechanism, const EquationsOfMotion& e, const nlohmann::json& state,
                   const std::string& formulation) {
  Nominal nominal;
  std::vector<double> q, u;
  initial_values(mechanism, e, q, u);
  const auto set = [&](const std::string& name, double value) {
    nominal.options.nominal[name] = e.graph->number(rational_from_double(value));
  };
  for (std::size_t i = 0; i < q.size(); ++i) set(e.q[i].name(), q[i]);
  for (std::size_t i = 0; i < u.size(); ++i) set(e.u[i].name(), u[i]);
  require(state.is_object(), "the state to linearize about is one JSON object");
  for (const char* part : {"q", "u", "inputs"}) {
    if (!state.contains(part)) continue;
    for (const auto& [name, value] : state[part].items()) {
      require(value.is_number(), "state: the value of '{}' must be a number", name);
      set(name, value.get<double>());
    }
  }
  if (is_constrained(e)) {
    AnalysisModel model(mechanism, state, formulation);
    AssemblyReport report;
    const State on = model.assembled(&report);
    for (std::size_t i = 0; i < q.size(); ++i) set(e.q[i].name(), on.q[i]);
    for (std::size_t i = 0; i < u.size(); ++i) set(e.u[i].name(), on.u[i]);
    nominal.moved = report.to_string();
  }
  if (state.contains("t")) set(e.t.name(), state["t"].get<double>());
  Values given;
  if (state.contains("parameters"))
    for (const auto& [name, value] : state["parameters"].items()) given[name] = value.get<double>();
  for (const auto& p : e.parameters) {
    const auto own = given.find(p.symbol.name());
    nominal.parameters[p.symbol.name()] = own != given.end() ? own->second : evaluate(p.value, nominal.parameters);
  }
  nominal.options.parameters = {nominal.parameters.begin(), nominal.parameters.end()};
  return nominal;
}

std::vector<double> numbers(const ExprMatrix& m, const Values& values, const FunctionTable& functions) {
  return evaluate(m.entries, values, functions);
}

Json rows_of(const ExprMatrix& m, const Values& values, const FunctionTable& functions) {
  const auto flat = numbers(m, values, functions);
  Json rows = Json::array();
  for (int i = 0; i < m.rows; ++i) {
    Json row = Json::array();
    for (int j = 0; j < m.columns; ++j) row.push_back(flat[static_cast<std::size_t>(i * m.columns + j)]);
    rows.push_back(row);
  }
  return rows;
}

/// Few columns leave room for more digits.
void print_matrix(const std::string& name, const Json& rows, const std::vector<std::string>& labels,
                  const std::vector<std::string>& columns) {
  if (rows.empty() || columns.empty()) return;
  const int digits = columns.size() <= 4 ? 12 : 6, width = digits + 7;
  fmt::print("\n{:<12}", name);
  for (const std::string& c : columns) fmt::print(" {:>{}}", c, width);
  fmt::print("\n");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("  {:<10}", labels[i]);
    for (const auto& v : rows[i]) fmt::print(" {:>{}.{}g}", v.get<double>(), width, digits);
    fmt::print("\n");
  }
}

void print_symbols(const Linearization& l) {
  const auto show = [&](const char* name, const ExprMatrix& m, const std::vector<Expr>& columns) {
    for (int i = 0; i < m.rows; ++i)
      for (int j = 0; j < m.columns; ++j)
        if (!m(i, j).is_zero())
          fmt::print("  {}[{}, {}] = {}\n", name, l.speeds[static_cast<std::size_t>(i)].name(),
                     columns[static_cast<std::size_t>(j)].name(), literal(m(i, j)).text);
  };
  fmt::print("\nM du' + C du + K dq = F dr, entries that are not zero:\n");
  show("M", l.M, l.speeds), show("C", l.C, l.speeds), show("K", l.K, l.coordinates), show("F", l.F, l.inputs);
}

void run_linearize(const LinearizeCommandOptions& options) {
  const Mechanism mechanism = options.source.read();
  FormOptions form;
  form.formulation = Formulation::Projection;
  form.solve = false;
  form.outputs = false;
  form.embedding = EmbeddingMethod::Projection;
  const EquationsOfMotion e = form_equations(mechanism, form);
  const nlohmann::json state = options.state.empty() ? nlohmann::json::object() : read_state_file(options.state);
  Nominal nominal = nominal_of(mechanism, e, state, options.source.formulation);
  nominal.options.only = options.only;
  nominal.options.dependent_coordinates = options.dependent;
  nominal.options.solve_accelerations = !options.steady;
  const Linearization l = linearize(e, nominal.options);
  const FunctionTable functions = table_functions(mechanism);

  std::vector<std::string> states = names_of(l.coordinates);
  for (const auto& u : l.speeds) states.push_back(u.name());
  Json a;
  a["model"] = e.name;
  a["states"] = states;
  a["coordinates"] = names_of(l.coordinates);
  a["speeds"] = names_of(l.speeds);
  a["inputs"] = names_of(l.inputs);
  for (const auto& [name, matrix] :
       {std::pair{"A", &l.A}, {"B", &l.B}, {"M", &l.M}, {"C", &l.C}, {"K", &l.K}, {"F", &l.F}})
    a[name] = rows_of(*matrix, nominal.parameters, functions);
  a["eigenvalues"] = Json::array();
  const auto flat = numbers(l.A, nominal.parameters, functions);
  const auto n = static_cast<std::size_t>(l.A.rows);
  const ConstMatrixView a_view(flat.data(), n, n);
  if (!all_finite(flat))
    throw RunFailed("the eigenvalues could not be found: A has entries that are not finite at this state");
  const ModeReport modes = calc_modes(a_view);
  const auto& eigenvalues = modes.eigenvalues;
  const auto input_matrix = numbers(l.B, nominal.parameters, functions);
  const Reach reach = calc_controllability(a_view, {input_matrix.data(), n, l.inputs.size()});
  for (const auto& lambda : eigenvalues) a["eigenvalues"].push_back({lambda.real(), lambda.imag()});
  a["modes"] = modes_json(modes, states);
  a["stability"] = describe_stability(modes);
  a["controllable_states"] = reach.rank;
  a["warnings"] = e.warnings;
  if (options.json) {
    fmt::print("{}\n", a.dump());
    return;
  }
  fmt::print("{}: linear equations x' = A x + B r about the {}\n", e.name,
             options.state.empty() ? "initial state" : "given state");
  if (!nominal.moved.empty()) fmt::print("assembled:\n{}", nominal.moved);
  const auto coordinates = names_of(l.coordinates), speeds = names_of(l.speeds), inputs = names_of(l.inputs);
  print_matrix("A", a["A"], states, states);
  print_matrix("B", a["B"], states, inputs);
  fmt::print("\nthe same as M du' + C du + K dq = F dr\n");
  print_matrix("M", a["M"], speeds, speeds);
  print_matrix("C", a["C"], speeds, speeds);
  print_matrix("K", a["K"], speeds, coordinates);
  print_matrix("F", a["F"], speeds, inputs);
  fmt::print("\neigenvalues\n");
  for (const auto& lambda : eigenvalues) fmt::print("  {:>16.10g} {:>+16.10g} i\n", lambda.real(), lambda.imag());
  fmt::print("\nmodes: {}\n", describe_stability(modes));
  print_modes(modes, states);
  if (!l.inputs.empty()) fmt::print("\nthe inputs control {} of {} states\n", reach.rank, reach.states);
  if (options.symbols) print_symbols(l);
}

}  // namespace

void add_linearize_command(CLI::App& app) {
  auto options = std::make_shared<LinearizeCommandOptions>();
  CLI::App* command = app.add_subcommand("linearize", "Linear equations about a state and their eigenvalues");
  options->source.add_to(*command);
  command->add_option("--state", options->state,
                      "JSON file with the state to linearize about; '-' reads standard input");
  command->add_option("--only", options->only, "Vary only these coordinates and speeds")->delimiter(',');
  command->add_option("--dependent", options->dependent, "Dependent coordinates")->delimiter(',');
  command->add_flag("--steady", options->steady, "The state is a steady motion: derivatives of the speeds are zero");
  command->add_flag("--symbols", options->symbols, "Also print M, C and K in symbols");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option(
      "--sweep", options->sweep,
      "name=begin:end:step: eigenvalues over a parameter, a coordinate, a speed, or a name used by --at");
  command
      ->add_option(
          "--at", options->at,
          "--sweep: name=expression, the value of a coordinate or speed at each step; the others are assembled")
      ->allow_extra_args(false);
  command->add_flag("--equilibrium", options->equilibrium,
                    "--sweep: first find the equilibrium (--steady: steady motion)");
  command->add_option("--csv,--out", options->out, "--sweep: FILE.csv, FILE.h5 or FILE.mat; '-' prints CSV");
  command->footer(
      "Examples:\n"
      "  kane linearize models/damped_pendulum.yaml --set q=0\n"
      "  kane linearize models/bicycle_linear.yaml --steady --only phi,delta,u_phi,u_delta\n"
      "  kane linearize models/damped_pendulum.yaml --set q=0 --sweep b=0:1:0.1   # root locus");
  command->callback([options] {
    if (options->sweep.empty()) return run_linearize(*options);
    run_root_locus({options->source, options->state, options->sweep, options->at, options->only,
                    options->equilibrium && !options->steady, options->equilibrium && options->steady, options->out,
                    options->json});
  });
}

}  // namespace kane

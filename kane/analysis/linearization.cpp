#include "kane/analysis/linearization.hpp"

#include <algorithm>

#include "kane/analysis/linear_model.hpp"
#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/names.hpp"
#include "kane/mechanics/linearize.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Constraints and closing joints active as at the state, as far as all their rows are; the others are embedded where the
/// equations are linearized.
void set_active(Mechanism& mechanism, const EquationsOfMotion& e, const std::vector<bool>& active) {
  bool changed = false;
  const auto set = [&](const std::string& group, bool& flag) {
    const bool before = flag;
    for (std::size_t i = 0; i < active.size(); ++i)
      if (e.constraints[i].group == group) flag = active[i];
    changed = changed || flag != before;
  };
  for (Constraint& c : mechanism.constraints) set(c.name, c.active);
  for (Joint& joint : mechanism.joints)
    if (joint.closing) set(joint.name, joint.active);
  if (changed) mechanism.dependent_speeds.clear();  // chosen for other constraints
}

EquationsOfMotion form_to_linearize(const Mechanism& mechanism) {
  FormOptions form;
  form.formulation = Formulation::Projection;
  form.solve = false;
  form.outputs = false;
  form.embedding = EmbeddingMethod::Projection;
  return form_equations(mechanism, form);
}

LinearizeOptions nominal_motion(const EquationsOfMotion& e, const PointSummary& at, const Values& parameters) {
  LinearizeOptions r;
  const auto set = [&](const std::string& name, double value) {
    r.nominal[name] = e.graph->number(rational_from_double(value));
  };
  for (std::size_t i = 0; i < e.q.size(); ++i) set(e.q[i].name(), at.q[i]);
  for (std::size_t i = 0; i < e.u.size(); ++i) set(e.u[i].name(), at.u[i]);
  for (std::size_t i = 0; i < at.inputs.size(); ++i) set(at.inputs[i], at.input_values[i]);
  set(e.t.name(), at.t);
  r.parameters = {parameters.begin(), parameters.end()};
  return r;
}

Values values_of_parameters(const EquationsOfMotion& e, const Values& known, const FunctionTable& functions) {
  Values values;
  for (const auto& p : e.parameters) {
    const auto found = known.find(p.symbol.name());
    values[p.symbol.name()] = found != known.end() ? found->second : evaluate(p.value, values, functions);
  }
  return values;
}

void add_symbols(const Linearization& l, std::vector<SymbolicEntry>& to) {
  const auto add = [&](const char* name, const ExprMatrix& m, const std::vector<Expr>& columns) {
    for (int i = 0; i < m.rows; ++i)
      for (int j = 0; j < m.columns; ++j)
        if (!m(i, j).is_zero())
          to.push_back({name, l.speeds[at(i)].name(), columns[at(j)].name(), literal(m(i, j)).text});
  };
  add("M", l.M, l.speeds), add("C", l.C, l.speeds), add("K", l.K, l.coordinates), add("F", l.F, l.inputs);
}

/// Speeds beyond which A and B are found in numbers, unless formulas are requested.
constexpr std::size_t kMostSymbolicSpeeds = 40;

bool wants_numbers(const OperatingPoint& point, const LinearizeModelOptions& options) {
  return point.model().equations().u.size() > kMostSymbolicSpeeds && !options.symbols && !options.steady &&
         options.dependent.empty();
}

/// M u' + C u + K q = F r of speeds that nothing constrains, from the lower half of A = [., .; -M^-1 K, -M^-1 C] and B.
void fill_matrices(SystemEvaluator& evaluator, const State& state, LinearizationReport& report) {
  const std::size_t n = report.speeds.size(), nq = report.coordinates.size();
  evaluator.calc_mass(state.q, state.u);
  const ConstMatrixView mass = evaluator.mass_matrix();
  report.m = Matrix(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) report.m(i, j) = mass(i, j);
  const auto multiply = [&](const Matrix& from, std::size_t first, std::size_t columns, double sign) {
    Matrix to(n, columns);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k)
        for (std::size_t j = 0; j < columns; ++j) to(i, j) += sign * mass(i, k) * from(nq + k, first + j);
    return to;
  };
  report.k = multiply(report.a, 0, nq, -1), report.c = multiply(report.a, nq, n, -1);
  report.f = multiply(report.b, 0, report.inputs.size(), 1);
}

/// A and B in numbers; M, C, K and F too where nothing is constrained. `why` goes to the user.
void fill_numbers(OperatingPoint& point, const LinearizeModelOptions& options, const char* why,
                  LinearizationReport& report) {
  LinearModel l = Linearizer(point.evaluator(), {.outputs = {}, .only = options.only}).calc(point.state());
  report.states = l.states, report.inputs = l.inputs;
  const auto split = l.states.begin() + static_cast<std::ptrdiff_t>(l.coordinates);
  report.coordinates.assign(l.states.begin(), split), report.speeds.assign(split, l.states.end());
  report.a = std::move(l.a), report.b = std::move(l.b);
  report.modes = calc_modes(report.a);
  report.controllable = calc_controllability(report.a, report.b);
  report.largest_rate = point.calc_largest_rate(report.coordinates, options.steady);
  auto& warnings = report.summary.warnings;
  const bool plain = point.evaluator().active_rows().empty() && point.evaluator().system().given_rows().empty() &&
                     report.speeds.size() == point.state().u.size();
  if (plain)
    fill_matrices(point.evaluator(), point.state(), report);
  else
    warnings.push_back(fmt::format("{}: A and B were found in numbers, and there are no M, C, K and F", why));
  point.warn_of_time(warnings);
  warn_of_jumps(point.evaluator(), point.state(), warnings);
  if (!options.equilibrium) point.warn_of_motion(report.largest_rate, options.steady, report.a, warnings);
}

}  // namespace

LinearizationReport linearize_model(const Model& model, const StartState& state, const LinearizeModelOptions& options) {
  OperatingPointOptions place;
  place.open_loop = options.open_loop;
  if (options.equilibrium) place.place = options.steady ? StatePlace::Steady : StatePlace::Equilibrium;
  OperatingPoint point(model, state, place);
  LinearizationReport report;
  report.summary = point.summary();
  report.failure = point.failure();
  if (!point.ok()) return report;

  if (wants_numbers(point, options)) {
    fill_numbers(point, options, "the model is large", report);
    return report;
  }
  Mechanism mechanism = copy_mechanism(point.model().mechanism());  // with its own graph
  set_active(mechanism, point.model().equations(), point.start().active);
  const EquationsOfMotion e = form_to_linearize(mechanism);
  if (e.has_given_forces()) {
    fill_numbers(point, options, "loads depend on reaction forces that have no formula", report);
    return report;
  }
  ensure(e.constraints.size() == point.start().active.size(), "the constraints of '{}' changed", e.name);
  const FunctionTable functions = table_functions(mechanism);
  const Values parameters = values_of_parameters(e, point.model().parameters(point.start()), functions);
  LinearizeOptions nominal = nominal_motion(e, report.summary, parameters);
  nominal.active = point.start().active;
  nominal.only = options.only, nominal.dependent_coordinates = options.dependent;
  nominal.solve_accelerations = !options.steady;
  const Linearization l = linearize(e, nominal);

  report.coordinates = names_of(l.coordinates), report.speeds = names_of(l.speeds), report.inputs = names_of(l.inputs);
  report.states = report.coordinates;
  report.states.insert(report.states.end(), report.speeds.begin(), report.speeds.end());
  const auto numbers = [&](const ExprMatrix& from, Matrix& to) {
    const auto flat = evaluate(from.entries, parameters, functions);
    to = Matrix(static_cast<std::size_t>(from.rows), static_cast<std::size_t>(from.columns));
    for (std::size_t i = 0; i < to.rows(); ++i)
      for (std::size_t j = 0; j < to.columns(); ++j) to(i, j) = flat[i * to.columns() + j];
    return all_finite(flat);
  };
  const bool finite = numbers(l.A, report.a);
  numbers(l.B, report.b);
  numbers(l.M, report.m), numbers(l.C, report.c), numbers(l.K, report.k), numbers(l.F, report.f);
  if (!finite) {
    report.failure = "the eigenvalues could not be found: A has entries that are not finite at this state";
    return report;
  }
  report.modes = calc_modes(report.a);
  report.controllable = calc_controllability(report.a, report.b);
  if (options.symbols) add_symbols(l, report.symbols);
  report.largest_rate = point.calc_largest_rate(report.coordinates, options.steady);
  auto& warnings = report.summary.warnings;
  report.derivation_warnings = e.warnings;
  point.warn_of_time(warnings);
  warn_of_jumps(point.evaluator(), point.state(), warnings);
  if (!options.equilibrium) point.warn_of_motion(report.largest_rate, options.steady, report.a, warnings);
  return report;
}

}  // namespace kane

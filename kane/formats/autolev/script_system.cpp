#include "kane/formats/autolev/script_system.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "kane/base/identifier.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"
#include "kane/model/simulation.hpp"

namespace kane::autolev {

namespace {

/// q' is called q_dot in a model, and q'' the derivative of that.
std::string model_name(const Scalar& s) {
  if (s.role == Role::Time) return "t";
  std::string name = s.name;
  for (int k = 0; k < s.primes; ++k) name += k == 0 ? "_dot" : "dot";
  return name;
}

class SystemMaker {
 public:
  SystemMaker(Session& session, std::string name, WithoutOutput without_output)
      : s_(session), without_output_(without_output) {
    r_.name = std::move(name);
    r_.equations.graph = std::make_shared<Graph>();
    r_.equations.name = r_.name;
    r_.equations.formulation = "script";
  }

  ScriptSystem make() {
    eq_ = s_.state_equations();
    if (eq_.speeds.empty()) take_states_as_speeds();
    rename_states();
    collect_outputs();
    find_values();
    fill();
    return std::move(r_);
  }

 private:
  /// Without equations of motion the differential equations of the script are first-order ones: M = 1.
  void take_states_as_speeds() {
    eq_.speeds = eq_.coordinates;
    eq_.forcing = eq_.rates;
    eq_.coordinates.clear(), eq_.rates.clear();
    eq_.mass = ExprMatrix(eq_.speeds.size(), eq_.speeds.size());
    for (std::size_t i = 0; i < eq_.speeds.size(); ++i) eq_.mass(i, i) = 1;
    first_order_ = true;
  }

  Expr symbol(const std::string& name) { return s_.graph().symbol("(model) " + name); }

  /// The script's symbols in the session's graph are replaced by ones with their names in the model, all at once.
  void rename(const Expr& from, const std::string& to) {
    std::string name = to;
    while (std::find(taken_.begin(), taken_.end(), name) != taken_.end()) name += "_";
    taken_.push_back(name);
    names_.emplace_back(from, name);
  }

  void rename_states() {
    taken_.emplace_back("pi");
    for (const auto& [key, x] : s_.world().scalars)
      if (x.role == Role::Time) rename(x.symbol, "t");
    for (const Expr& q : eq_.coordinates) rename(q, model_name(*s_.find_symbol(q)));
    for (const Expr& u : eq_.speeds) rename(u, model_name(*s_.find_symbol(u)));
    for (std::size_t i = 0; i < eq_.derivatives.size(); ++i)
      names_.emplace_back(eq_.derivatives[i], name_of(eq_.speeds[i]) + "'");
  }

  [[nodiscard]] std::string name_of(const Expr& symbol) const {
    for (const auto& [from, to] : names_)
      if (from == symbol) return to;
    return symbol.name();
  }

  /// A column's value with definitions put in: u' stays, forces found by KANE are written with u'.
  void collect_outputs() {
    Substitution forces;
    for (std::size_t i = 0; i < eq_.forces.size(); ++i) forces.set(eq_.forces[i], eq_.force_values[i]);
    std::vector<Expr> keep = eq_.derivatives;
    keep.insert(keep.end(), eq_.forces.begin(), eq_.forces.end());
    keep.insert(keep.end(), eq_.speeds.begin(), eq_.speeds.end());
    const auto value_of = [&](const Expr& e) {
      Expr v = s_.rectangular_form(s_.explicitly(e, {.keep = keep}));
      if (!forces.empty() && v.graph() != nullptr) v = s_.explicitly(substitute(v, forces), {.keep = keep});
      return v;
    };
    for (const auto& file : asked_for()) {
      std::vector<ScriptColumn> columns;
      for (const auto& c : file) {
        ScriptColumn column{c.name, c.unit, 1 / s_.unit_factor(c.unit, {}), c.name};
        if (const Scalar* x = c.value.is_symbol() ? s_.find_symbol(c.value) : nullptr;
            x != nullptr && x->role == Role::Time)
          column.output = "t";
        else
          add_output(c.name, value_of(c.value));
        columns.push_back(std::move(column));
      }
      r_.files.push_back(std::move(columns));
    }
    for (const auto& c : s_.world().encoded) add_output(c.name, value_of(c.value));
  }

  /// The columns that OUTPUT names; if there are none, the time and the states.
  [[nodiscard]] std::vector<std::vector<OutputColumn>> asked_for() const {
    auto files = s_.world().outputs;
    if (!files.empty() || without_output_ == WithoutOutput::Nothing) return files;
    std::vector<OutputColumn> all;
    const auto add = [&](const Expr& symbol) {
      const Scalar& x = *s_.find_symbol(symbol);
      all.push_back({x.spelled(), symbol, x.unit});
    };
    add(s_.find_scalar("T")->symbol);
    for (const Expr& q : eq_.coordinates) add(q);
    for (const Expr& u : eq_.speeds) add(u);
    return {all};
  }

  void add_output(const std::string& name, const Expr& value) {
    if (std::any_of(outputs_.begin(), outputs_.end(), [&](const auto& o) { return o.first == name; })) return;
    outputs_.emplace_back(name, s_.graph().bind(value));
  }

  /// Every symbol that is left has a value: constants, variables that nothing drives, quantities to be specified.
  void find_values() {
    std::vector<Expr> all = eq_.mass.entries;
    const auto take = [&](const std::vector<Expr>& list) { all.insert(all.end(), list.begin(), list.end()); };
    take(eq_.forcing), take(eq_.rates), take(eq_.force_values);
    for (const auto& [name, value] : outputs_) all.push_back(value);
    std::vector<Expr> free;
    for (const Expr& x : symbols_of(all))
      if (std::none_of(names_.begin(), names_.end(), [&](const auto& known) { return known.first == x; }))
        free.push_back(x);
    const auto position = [&](const Expr& x) {
      const Scalar* known = s_.find_symbol(x);
      return known == nullptr ? 0 : known->position;
    };
    std::stable_sort(free.begin(), free.end(), [&](const Expr& a, const Expr& b) { return position(a) < position(b); });
    for (const Expr& x : free) {
      const Scalar* known = s_.find_symbol(x);
      const std::string name = known == nullptr ? x.name() : model_name(*known);
      rename(x, name);
      const auto value = s_.input_value(x);
      if (known != nullptr && known->role == Role::Specified) {
        inputs_.emplace_back(x, value.value_or(0.0));
        continue;
      }
      if (!value) r_.missing.push_back(known == nullptr ? x.name() : known->spelled());
      r_.constants.emplace_back(name_of(x), value.value_or(0.0));
      constants_.push_back(x);
    }
  }

  std::vector<Expr> carried(const std::vector<Expr>& es) {
    Substitution map;
    for (const auto& [from, to] : names_) map.set(from, symbol(to));
    auto moved = copy_to(*r_.equations.graph, substitute(std::span<const Expr>(es), map));
    Substitution back;
    for (const auto& [from, to] : names_)
      back.set(r_.equations.graph->symbol("(model) " + to), r_.equations.graph->symbol(to));
    return substitute(std::span<const Expr>(moved), back);
  }

  void fill() {
    EquationsOfMotion& e = r_.equations;
    Graph& g = *e.graph;
    e.t = g.symbol("t");
    for (std::size_t i = 0; i < constants_.size(); ++i)
      e.parameters.push_back({g.symbol(name_of(constants_[i])), g.bind(Expr(r_.constants[i].second))});
    for (const auto& [x, value] : inputs_) e.inputs.push_back({g.symbol(name_of(x)), g.bind(Expr(value))});
    for (const Expr& q : eq_.coordinates) {
      e.q.push_back(g.symbol(name_of(q)));
      r_.q.push_back(s_.input_value(q).value_or(0.0));
    }
    for (const Expr& u : eq_.speeds) {
      e.u.push_back(g.symbol(name_of(u)));
      e.udot.push_back(g.symbol(name_of(u) + "'"));
      r_.u.push_back(s_.input_value(u).value_or(0.0));
    }
    e.qdot = carried(eq_.rates);
    const int n = static_cast<int>(eq_.speeds.size());
    e.M = ExprMatrix(n, n);
    e.M.entries = carried(eq_.mass.entries);
    e.rhs = carried(eq_.forcing);
    // Kane's mass matrix is symmetric and positive; rows of ZERO have the opposite sign.
    if (!first_order_) {
      for (Expr& x : e.M.entries) x = -x;
      for (Expr& x : e.rhs) x = -x;
    }
    require(find_rank(e.M).rank() == n,
            "the equations of motion do not determine the derivatives of the motion variables");
    r_.udot = LinearSolver(e.M).solve(e.rhs);
    e.udot_explicit = r_.udot;
    for (const auto& [name, value] : outputs_) e.outputs.push_back({name, carried({value}).front()});
    for (const std::string& note : s_.notes()) e.warnings.push_back(note);
    const auto& values = s_.world().run_values;
    const auto set = [&](const char* name, double& to) {
      if (const auto v = values.find(name); v != values.end()) to = v->second;
    };
    set("TINITIAL", r_.run.begin), set("TFINAL", r_.run.end), set("INTEGSTP", r_.run.step);
    set("PRINTINT", r_.run.print_every), set("ABSERR", r_.run.absolute), set("RELERR", r_.run.relative);
  }

  Session& s_;
  ScriptSystem r_;
  StateEquations eq_;
  WithoutOutput without_output_;
  bool first_order_ = false;
  std::vector<std::string> taken_;
  std::vector<std::pair<Expr, std::string>> names_;
  std::vector<std::pair<std::string, Expr>> outputs_;
  std::vector<Expr> constants_;
  std::vector<std::pair<Expr, double>> inputs_;
};

/// A table as AUTOLEV writes it: names and units as comments, then numbers.
std::string table_text(const std::string& file, const std::vector<ScriptColumn>& columns,
                       const std::vector<std::vector<double>>& rows) {
  std::string text = fmt::format("% FILE: {}\n%\n%", file);
  for (const auto& c : columns) text += fmt::format(" {:>22}", c.name);
  text += "\n%";
  for (const auto& c : columns) text += fmt::format(" {:>22}", "(" + (c.unit.empty() ? "UNITS" : c.unit) + ")");
  text += "\n";
  for (const auto& row : rows) {
    text += ' ';
    for (const double x : row) text += fmt::format(" {:>22.14E}", x);
    text += '\n';
  }
  return text;
}

}  // namespace

ScriptSystem make_system(Session& session, const std::string& name, WithoutOutput without_output) {
  return SystemMaker(session, name, without_output).make();
}

Model make_model(const ScriptSystem& system, const ModelOptions& options) {
  Mechanism mechanism(system.name);
  for (std::size_t i = 0; i < system.equations.q.size(); ++i)
    mechanism.initial[system.equations.q[i].name()] = system.q[i];
  for (std::size_t i = 0; i < system.equations.u.size(); ++i)
    mechanism.initial[system.equations.u[i].name()] = system.u[i];
  mechanism.simulation.from = system.run.begin;
  mechanism.simulation.until = system.run.end;
  mechanism.simulation.sample = system.run.step * system.run.print_every;
  mechanism.simulation.tolerance = std::clamp(system.run.relative, 1e-13, 1e-3);
  return Model(std::move(mechanism), system.equations, options);
}

ScriptRun simulate_script(const ScriptSystem& system, const std::string& stem) {
  if (!system.missing.empty()) {
    std::string list;
    for (const auto& name : system.missing) list += (list.empty() ? "" : ", ") + name;
    throw ModelError(fmt::format("these have no value; give them by INPUT: {}", list));
  }
  require(!system.files.empty(), "nothing is asked for by OUTPUT");
  require(system.run.end > system.run.begin, "TFINAL = {} is not after TINITIAL = {}", system.run.end,
          system.run.begin);
  require(system.run.step > 0, "INTEGSTP = {} is not positive", system.run.step);
  const Model model = make_model(system);
  Simulation run(model);
  const auto& columns = run.columns();
  std::vector<std::vector<std::size_t>> places;
  for (const auto& file : system.files) {
    std::vector<std::size_t> list;
    for (const auto& c : file) {
      const auto found = std::find(columns.begin(), columns.end(), c.output);
      ensure(found != columns.end(), "no column {}", c.output);
      list.push_back(static_cast<std::size_t>(found - columns.begin()));
    }
    places.push_back(std::move(list));
  }
  std::vector<std::vector<std::vector<double>>> rows(system.files.size());
  const double sample = system.run.step * std::max(1.0, system.run.print_every);
  require((system.run.end - system.run.begin) / sample <= 2e6,
          "the run would have more than 2 million lines of output");
  RunPlan plan = run.plan(system.run.end, sample);
  const RunReport report = run.run(plan, [&](const State& state) {
    const auto values = run.row(state);
    for (std::size_t f = 0; f < places.size(); ++f) {
      std::vector<double> row;
      for (std::size_t i = 0; i < places[f].size(); ++i)
        row.push_back(values[places[f][i]] * system.files[f][i].factor);
      rows[f].push_back(std::move(row));
    }
    return true;
  });
  ScriptRun r;
  for (std::size_t f = 0; f < system.files.size(); ++f) {
    const std::string name = fmt::format("{}.{}", stem, f + 1);
    r.files.push_back({name, table_text(name, system.files[f], rows[f])});
  }
  r.samples = rows.empty() ? 0 : rows.front().size();
  r.end = report.t_end;
  if (report.failure) r.failure = report.failure->message(run.equations());
  return r;
}

// ---- algebraic equations --------------------------------------------------------------------------------------------------

namespace {

/// Newton's method with the exact matrix of derivatives; halved steps where the residual grows.
struct NewtonResult {
  std::vector<double> x;
  bool found = false;
};

NewtonResult solve_nonlinear(const std::vector<Expr>& equations, const std::vector<Expr>& unknowns, Values values) {
  NewtonResult r;
  const Jacobian jacobian_of = jacobian(equations, unknowns);
  const auto n = static_cast<Eigen::Index>(unknowns.size());
  const auto residual = [&](const Values& at) {
    Eigen::VectorXd f(n);
    const auto numbers = kane::evaluate(std::span<const Expr>(equations), at);
    for (Eigen::Index i = 0; i < n; ++i) f[i] = numbers[static_cast<std::size_t>(i)];
    return f;
  };
  Eigen::VectorXd f = residual(values);
  for (int step = 0; step < 200 && f.allFinite(); ++step) {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(n, n);
    for (const auto& entry : jacobian_of.entries) J(entry.row, entry.column) = kane::evaluate(entry.value, values);
    const Eigen::VectorXd d = J.fullPivLu().solve(-f);
    if (!d.allFinite()) break;
    double scale = 1;
    Values next = values;
    Eigen::VectorXd g;
    for (int half = 0; half < 40; ++half, scale /= 2) {
      for (Eigen::Index i = 0; i < n; ++i) {
        const std::string& name = unknowns[static_cast<std::size_t>(i)].name();
        next[name] = values[name] + scale * d[i];
      }
      g = residual(next);
      if (g.allFinite() && (g.norm() < f.norm() || g.norm() < 1e-14)) break;
    }
    double size = 0;
    for (const Expr& x : unknowns) size = std::max(size, std::abs(next[x.name()]));
    const bool settled = scale * d.lpNorm<Eigen::Infinity>() <= 1e-13 * (1 + size);
    if (!g.allFinite() || g.norm() > f.norm() + 1e-14) {
      r.found = f.norm() < 1e-9;
      break;
    }
    values = next, f = g;
    if (settled || f.norm() == 0) {
      r.found = f.norm() < 1e-8 * (1 + size);
      break;
    }
  }
  for (const Expr& x : unknowns) r.x.push_back(values[x.name()]);
  return r;
}

}  // namespace

ScriptRun evaluate_script(Session& session, const CodeRequest& request) {
  ScriptRun r;
  const std::string stem = std::filesystem::path(request.file).replace_extension().string();
  struct Cell {
    ScriptColumn column;
    Expr value;
  };
  std::vector<std::vector<Cell>> files;
  const std::vector<Expr> keep = request.unknowns;
  for (const auto& file : session.world().outputs) {
    std::vector<Cell> cells;
    for (const auto& c : file) {
      const Expr value = session.graph().bind(
          session.rectangular_form(session.explicitly(c.value, {.solutions = true, .keep = keep})));
      const double factor = 1 / session.unit_factor(c.unit, {});
      cells.push_back({{c.name, c.unit, factor, c.name}, value});
      // A complex value a + b*i has two columns; i is 0 in the first.
      for (const Expr& x : symbols_of(std::span(&value, 1)))
        if (const Scalar* s = session.find_symbol(x); s != nullptr && s->role == Role::Imaginary)
          cells.push_back({{"Im(" + c.name + ")", c.unit, factor, c.name}, session.graph().bind(derivative(value, x))});
    }
    files.push_back(std::move(cells));
  }
  if (files.empty() && !request.unknowns.empty()) {
    std::vector<Cell> cells;
    for (const Expr& x : request.unknowns) cells.push_back({{x.name(), "", 1, x.name()}, x});
    files.push_back(std::move(cells));
  }
  std::vector<Expr> equations =
      session.explicitly(std::span<const Expr>(request.equations), {.solutions = true, .keep = keep});
  for (Expr& e : equations) e = session.graph().bind(e);

  std::vector<Expr> all = equations;
  for (const auto& file : files)
    for (const auto& cell : file) all.push_back(cell.value);
  Values values;
  std::string missing;
  std::vector<Expr> eigen_symbols;
  for (const auto& p : session.world().eigen) {
    all.insert(all.end(), p.matrix.entries.begin(), p.matrix.entries.end());
    eigen_symbols.insert(eigen_symbols.end(), p.real.begin(), p.real.end());
    eigen_symbols.insert(eigen_symbols.end(), p.imaginary.begin(), p.imaginary.end());
    eigen_symbols.insert(eigen_symbols.end(), p.vectors.begin(), p.vectors.end());
  }
  const auto explicit_all = session.explicitly(std::span<const Expr>(all), {.solutions = true, .keep = keep});
  for (const Expr& x : symbols_of(explicit_all)) {
    const bool swept =
        std::any_of(request.sweeps.begin(), request.sweeps.end(), [&](const auto& s) { return s.symbol == x; });
    const bool unknown = std::find(keep.begin(), keep.end(), x) != keep.end();
    if (swept || std::find(eigen_symbols.begin(), eigen_symbols.end(), x) != eigen_symbols.end()) continue;
    const auto value = session.input_value(x);
    const Scalar* s = session.find_symbol(x);
    const bool open =
        s != nullptr && (s->role == Role::Specified || s->role == Role::Time || s->role == Role::Imaginary);
    if (value)
      values[x.name()] = *value;
    else if (unknown || open)
      values[x.name()] = unknown ? 0.1 : 0.0;  // a start for Newton's method away from zeros of sines
    else
      missing += (missing.empty() ? "" : ", ") + x.name();
  }
  if (!missing.empty()) {
    r.missing = missing;
    return r;
  }

  std::vector<std::size_t> counts;
  std::size_t total = 1;
  for (const auto& s : request.sweeps) {
    counts.push_back(static_cast<std::size_t>(std::floor((s.to - s.from) / s.step + 1e-9)) + 1);
    total *= counts.back();
    require(total <= 1'000'000, "the sweep has more than a million points");
  }
  std::vector<std::vector<std::vector<double>>> rows(files.size());
  for (std::size_t point = 0; point < total; ++point) {
    std::size_t rest = point;
    for (std::size_t i = request.sweeps.size(); i-- > 0;) {
      const auto& s = request.sweeps[i];
      values[s.symbol.name()] = s.from + static_cast<double>(rest % counts[i]) * s.step;
      rest /= counts[i];
    }
    if (!request.unknowns.empty()) {
      const NewtonResult found = solve_nonlinear(equations, request.unknowns, values);
      if (!found.found) {
        r.failure =
            fmt::format("the equations of CODE {} have no solution near the values that INPUT gives", request.kind);
        break;
      }
      for (std::size_t i = 0; i < found.x.size(); ++i) values[request.unknowns[i].name()] = found.x[i];
    }
    for (const auto& p : session.world().eigen) {
      Eigen::MatrixXd m(p.matrix.rows, p.matrix.columns);
      for (int i = 0; i < p.matrix.rows; ++i)
        for (int j = 0; j < p.matrix.columns; ++j)
          m(i, j) = kane::evaluate(session.explicitly(p.matrix(i, j), {.solutions = true, .keep = keep}), values);
      const Eigen::EigenSolver<Eigen::MatrixXd> solver(m, !p.vectors.empty());
      std::vector<int> order(p.real.size());
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        const auto x = solver.eigenvalues()[a];
        const auto y = solver.eigenvalues()[b];
        return x.real() != y.real() ? x.real() < y.real() : x.imag() < y.imag();
      });
      for (std::size_t i = 0; i < order.size(); ++i) {
        values[p.real[i].name()] = solver.eigenvalues()[order[i]].real();
        values[p.imaginary[i].name()] = solver.eigenvalues()[order[i]].imag();
        for (std::size_t k = 0; k < order.size() && !p.vectors.empty(); ++k)
          values[p.vectors[k * order.size() + i].name()] =
              solver.eigenvectors()(static_cast<Eigen::Index>(k), order[i]).real();
      }
    }
    for (std::size_t f = 0; f < files.size(); ++f) {
      std::vector<double> row;
      for (const auto& cell : files[f]) row.push_back(kane::evaluate(cell.value, values) * cell.column.factor);
      rows[f].push_back(std::move(row));
    }
  }
  for (std::size_t f = 0; f < files.size(); ++f) {
    const std::string name = fmt::format("{}.{}", stem, f + 1);
    std::vector<ScriptColumn> columns;
    for (const auto& cell : files[f]) columns.push_back(cell.column);
    r.files.push_back({name, table_text(name, columns, rows[f])});
  }
  r.samples = rows.empty() ? 0 : rows.front().size();
  return r;
}

}  // namespace kane::autolev

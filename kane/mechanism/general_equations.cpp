#include "kane/mechanism/general_equations.hpp"

#include <algorithm>
#include <span>

#include "kane/base/suggest.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"
#include "kane/mechanism/general_switching.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/quantity.hpp"

namespace kane {
namespace {

// With q' = f(q, u, t), affine in u, a configuration constraint phi(q, t) = 0 has the rate
//
//     phi' = (d phi/dq) f + d phi/dt = A u + b
//
// and every row A u + b = 0 has the derivative A u' = gamma with gamma = -(A u + b)' at u' = 0.
class GeneralFormer {
 public:
  GeneralFormer(const Mechanism& m, const FormOptions& options)
      : m_(m), g_(*m.equations), options_(options), system_(m.name, m.graph, m.ground, m.ground) {}

  EquationsOfMotion run() {
    e_.graph = m_.graph;
    e_.name = m_.name;
    e_.formulation = "equations";
    declare_symbols();
    read_rates();
    read_inputs();
    read_dynamics();
    read_constraints();
    read_switching();
    read_energy();
    read_outputs();
    return std::move(e_);
  }

 private:
  [[nodiscard]] QuantityScope scope() const { return {system_, names_, &definitions_}; }
  [[nodiscard]] Graph& graph() { return *m_.graph; }

  Expr read(const Quantity& q, const std::string& what) {
    return with_place(q.where, [&] { return graph().bind(read_scalar(q, scope(), what)); });
  }

  void declare(const std::string& name, const Expr& symbol, bool moving) {
    Dimensional dimension = Dimensional::open(moving);
    if (const auto unit = m_.units.find(name); unit != m_.units.end())
      dimension = Dimensional::known(parse_unit(unit->second).dimension, moving);
    definitions_.set(name, symbol, dimension);
  }

  void declare_symbols() {
    e_.t = graph().symbol("t");
    declare("t", e_.t, true);
    e_.parameters = m_.parameters;
    for (const auto& p : e_.parameters) declare(p.symbol.name(), p.symbol, false);
    for (const Expr& q : m_.all_coordinates()) {
      e_.q.push_back(q);
      declare(q.name(), q, true);
    }
    coordinates_ = e_.q.size();
    for (const StateQuantity& x : m_.states) {
      e_.q.push_back(graph().symbol(x.name));
      declare(x.name, e_.q.back(), true);
    }
    e_.states = static_cast<int>(m_.states.size());
    for (const std::string& u : g_.speeds) {
      e_.u.push_back(graph().symbol(u));
      e_.udot.push_back(graph().symbol(u + "'"));
      declare(u, e_.u.back(), true);
    }
    for (const auto& i : m_.inputs) declare(i.symbol.name(), i.symbol, true);
    for (const NamedQuantity& n : m_.expressions) definitions_.define(n, "named expression");
    for (const NamedQuantity& o : m_.outputs) definitions_.define(o, "output");
  }

  void read_rates() {
    for (std::size_t k = 0; k < coordinates_; ++k) {
      const Expr& q = e_.q[k];
      const auto at = std::find(g_.coordinates.begin(), g_.coordinates.end(), q.name());
      ensure(at != g_.coordinates.end(), "the coordinate '{}' has no rate", q.name());
      const Quantity& text = g_.rates[static_cast<std::size_t>(at - g_.coordinates.begin())];
      const std::string what = fmt::format("the rate of the coordinate '{}'", q.name());
      const Expr value = read(text, what);
      with_place(text.where, [&] { (void)affine_in(value, e_.u, what); });
      check_no_inputs(value, text, what);
      e_.qdot.push_back(value);
    }
    for (const StateQuantity& x : m_.states)
      e_.qdot.push_back(read(x.rate, fmt::format("the rate of the state '{}'", x.name)));
    for (std::size_t i = 0; i < e_.q.size(); ++i) {
      definitions_.set(e_.q[i].name() + "'", e_.qdot[i], Dimensional::open(true));
      rates_.set(e_.q[i], e_.qdot[i]);
    }
    rates_.set(e_.t, 1);
    definitions_.renew();
  }

  void read_inputs() {
    for (const auto& input : m_.inputs) {
      e_.inputs.push_back(input);
      for (const NamedQuantity& law : m_.input_laws)
        if (law.name == input.symbol.name())
          e_.inputs.back().value = read(law.value, fmt::format("the law of the input '{}'", law.name));
    }
  }

  void read_dynamics() {
    const std::size_t n = e_.u.size();
    e_.M = ExprMatrix(n, n);
    for (std::size_t i = 0; i < n; ++i) {
      e_.rhs.push_back(read(g_.forcing[i], fmt::format("the forcing of the speed '{}'", e_.u[i].name())));
      for (std::size_t j = 0; j < n; ++j) {
        if (g_.mass_matrix.empty()) {
          e_.M(i, j) = i == j ? 1 : 0;
          continue;
        }
        const Quantity& text = g_.mass_matrix[i][j];
        const std::string what =
            fmt::format("the mass matrix at row '{}' and column '{}'", e_.u[i].name(), e_.u[j].name());
        e_.M(i, j) = read(text, what);
        for (const Expr& u : e_.u)
          require_at(text.where, !depends_on(e_.M(i, j), u),
                     "{} depends on the speed '{}', which belongs to the forcing", what, u.name());
        require_at(text.where, j > i || e_.M(i, j) == e_.M(j, i),
                   "{} is not the same as the entry across the diagonal: a mass matrix is symmetric", what);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      bool any = false;
      for (std::size_t j = 0; j < n; ++j) any = any || !e_.M(i, j).is_zero();
      require_at(
          g_.mass_matrix.empty() ? g_.where : g_.mass_matrix[i][i].where, any,
          "the row '{}' of the mass matrix is zero, so that nothing determines {}': a condition without accelerations "
          "is a constraint",
          e_.u[i].name(), e_.u[i].name());
      Expr needed = -e_.rhs[i];
      for (std::size_t j = 0; j < n; ++j) needed += e_.M(i, j) * e_.udot[j];
      e_.inverse.push_back(graph().bind(needed));
    }
    // From here on, accelerations may be spoken of.
    for (std::size_t i = 0; i < n; ++i) definitions_.set(e_.u[i].name() + "'", e_.udot[i], Dimensional::open(true));
  }

  // ---- constraints --------------------------------------------------------------------------------------------------
  void read_constraints() {
    bool constrained = false;
    for (const Constraint& c : m_.constraints) {
      const auto& rows = std::get<ExpressionConstraint>(c.what);
      const std::size_t count = rows.configuration.size() + rows.motion.size();
      std::size_t number = 0;
      const auto name = [&] { return ++number, count == 1 ? c.name : fmt::format("{}.{}", c.name, number); };
      for (const Quantity& q : rows.configuration) add_row(c, name(), q, true);
      for (const Quantity& q : rows.motion) add_row(c, name(), q, false);
      constrained = constrained || c.active;
    }
    for (const std::string& name : m_.dependent_speeds) {
      const auto at = std::find(g_.speeds.begin(), g_.speeds.end(), name);
      require_at(m_.where, at != g_.speeds.end(), "'dependent' lists '{}', which is not a speed{}", name,
                 suggestion(name, g_.speeds));
      e_.dependent_speeds.push_back(static_cast<int>(at - g_.speeds.begin()));
    }
    std::sort(e_.dependent_speeds.begin(), e_.dependent_speeds.end());
    if (!options_.solve || constrained || e_.u.empty()) return;
    require_regular_mass();
    e_.udot_explicit = LinearSolver(e_.M).solve(e_.rhs);
  }

  void require_regular_mass() const {
    const RankReport rank = find_rank(e_.M);
    if (rank.rank() == e_.M.rows) return;
    const auto row = static_cast<std::size_t>(rank.dependencies.front().front());
    std::vector<std::string> others;
    for (const int i : std::span(rank.dependencies.front()).subspan(1))
      others.push_back(e_.u[static_cast<std::size_t>(i)].name());
    throw ModelError(g_.mass_matrix.empty() ? g_.where : g_.mass_matrix[row][row].where,
                     fmt::format("the mass matrix is singular: the row '{}' is a combination of others ({}), so that "
                                 "nothing determines all accelerations",
                                 e_.u[row].name(), fmt::join(others, ", ")));
  }

  void add_row(const Constraint& c, const std::string& name, const Quantity& text, bool configuration) {
    add_row({c.name, fmt::format("the constraint '{}'", c.name), c.active}, name, text, configuration);
  }

  /// What a row belongs to.
  struct RowOwner {
    std::string group;
    std::string what;  ///< for messages
    bool active;
  };
  void add_row(const RowOwner& owner, const std::string& name, const Quantity& text, bool configuration) {
    const std::string& what = owner.what;
    const Expr value = read(text, what);
    check_no_inputs(value, text, what);
    for (std::size_t k = coordinates_; k < e_.q.size(); ++k)
      require_at(text.where, !depends_on(value, e_.q[k]),
                 "{} depends on the state '{}'; states may be used in the forcing, laws, events and outputs", what,
                 e_.q[k].name());
    ConstraintEquation row;
    row.name = name;
    row.group = owner.group;
    row.active = owner.active;
    row.multiplier = graph().symbol("lambda." + name);
    if (configuration) {
      for (const Expr& u : e_.u)
        require_at(text.where, !depends_on(value, u), "{} is one of the configuration, but depends on the speed '{}'",
                   what, u.name());
      require_at(text.where, !value.is_number(), "{} says nothing: it is a number", what);
      row.phi = value;
    }
    const Expr speed = configuration ? graph().bind(time_derivative(value, rates_)) : value;
    Affine affine = with_place(text.where, [&] { return affine_in(speed, e_.u, what); });
    row.a = std::move(affine.coefficients);
    row.b = affine.remainder;
    row.gamma = graph().bind(-time_derivative(speed, rates_));
    e_.constraints.push_back(std::move(row));
  }

  void read_switching() {
    const GeneralReader reader{
        [this](const Quantity& q, const std::string& what) { return read(q, what); },
        [this](const std::string& name, const Quantity& q, const std::string& what, bool configuration) {
          add_row({name, what, false}, name, q, configuration);
          return static_cast<int>(e_.constraints.size()) - 1;
        }};
    add_general_switching(m_, reader, e_);
  }

  void check_no_inputs(const Expr& e, const Quantity& text, const std::string& what) const {
    for (const auto& i : m_.inputs)
      require_at(text.where, !depends_on(e, i.symbol), "{} depends on the input '{}', whose rate is not known", what,
                 i.symbol.name());
  }

  // ---- energy and outputs -------------------------------------------------------------------------------------------
  void read_energy() {
    if (!g_.potential.empty()) e_.potential = read(g_.potential, "the potential energy");
    if (g_.kinetic.empty()) {
      // u.M.u/2: right where all speeds are those of inertia, which is what M says.
      Expr sum;
      for (std::size_t i = 0; i < e_.u.size(); ++i)
        for (std::size_t j = 0; j < e_.u.size(); ++j) sum += e_.M(i, j) * e_.u[i] * e_.u[j] / 2;
      e_.kinetic = graph().bind(sum);
    } else {
      e_.kinetic = read(g_.kinetic, "the kinetic energy");
    }
    definitions_.set("kinetic", e_.kinetic, Dimensional::open(true));
    if (!e_.potential) return;
    definitions_.set("potential", *e_.potential, Dimensional::open(true));
    definitions_.set("energy", graph().bind(e_.kinetic + *e_.potential), Dimensional::open(true));
  }

  void read_outputs() {
    for (const NamedQuantity& n : m_.expressions)
      with_place(n.value.where,
                 [&] { (void)read_quantity(n.value, scope(), fmt::format("the named expression '{}'", n.name)); });
    for (const NamedQuantity& o : m_.outputs)
      e_.outputs.push_back({o.name, read(o.value, fmt::format("the output '{}'", o.name))});
  }

  const Mechanism& m_;
  const GeneralEquations& g_;
  FormOptions options_;
  System system_;  // without any part: the names that quantities may use are in definitions_
  ModelNames names_;
  QuantityDefinitions definitions_;
  std::size_t coordinates_ = 0;  ///< of e_.q; states follow
  Substitution rates_;
  EquationsOfMotion e_;
};

}  // namespace

void check_general_equations(const Mechanism& m) {
  if (!m.equations) return;
  const GeneralEquations& g = *m.equations;
  const auto refuse = [&](bool present, const char* what) {
    require_at(g.where, !present, "'{}' is given by its equations, so it cannot have {} as well", m.name, what);
  };
  refuse(!m.bodies.empty() || !m.particles.empty(), "bodies");
  refuse(!m.points.empty() || !m.frames.empty(), "points and frames");
  refuse(!m.joints.empty(), "joints");
  refuse(!m.loads.empty() || !m.gravity.empty(), "loads and gravity, which belong to its forcing");
  refuse(!m.auxiliary.empty(), "auxiliary speeds");
  check_general_switching(m);
  const std::size_t n = g.speeds.size();
  require_at(g.where, n > 0, "'{}' has no speeds: 'forcing' names them", m.name);
  require_at(g.where, g.coordinates.size() == g.rates.size() && g.forcing.size() == n,
             "'{}' needs one rate for each coordinate and one forcing for each speed", m.name);
  require_at(g.where, g.mass_matrix.empty() || g.mass_matrix.size() == n, "the mass matrix of '{}' needs {} rows",
             m.name, n);
  for (const auto& row : g.mass_matrix)
    require_at(g.where, row.size() == n, "the mass matrix of '{}' needs {} entries in each row", m.name, n);
  for (const Constraint& c : m.constraints)
    require_at(
        c.where, std::holds_alternative<ExpressionConstraint>(c.what),
        "the constraint '{}' refers to bodies or points, which '{}' does not have; write 'configuration' or 'motion'",
        c.name, m.name);
}

void require_bodies(const Mechanism& m, std::string_view what) {
  require(!m.equations, "'{}' is given by its equations and has no bodies, so it has no {}", m.name, what);
}

void Mechanism::set_equations(GeneralEquations given, const Place& place) {
  if (given.where.line == 0) given.where = place_of(place);
  extra_coordinates.clear();
  speeds.clear();
  for (const std::string& q : given.coordinates) extra_coordinates.push_back(graph->symbol(q));
  for (const std::string& u : given.speeds) speeds.push_back({u, Quantity("0", given.where)});
  equations = std::move(given);
}

EquationsOfMotion form_general_equations(const Mechanism& mechanism, const FormOptions& options) {
  (void)check_mechanism(mechanism);
  return GeneralFormer(mechanism, options).run();
}

}  // namespace kane

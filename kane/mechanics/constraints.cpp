#include "kane/mechanics/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/interval.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane {
namespace {

/// Reads off the coefficients of the speeds of an expression in rates and speeds.
class RowReader {
 public:
  RowReader(const Kinematics& kinematics, const Kinematical& kinematical)
      : model_(kinematics.model()),
        system_(kinematics.system()),
        kinematical_(kinematical),
        coordinate_rates_(coordinate_rates()) {}

  void read(const Expr& e, const std::string& name, ConstraintRow& row) const {
    std::vector<Expr> symbols;
    std::vector<int> rate, speed;
    Substitution true_rates;
    const Expr rewritten = substitute(e, coordinate_rates_);
    if (rewritten.graph() == nullptr) {
      row.equation.b = rewritten;
      return;
    }
    for (const Expr& s : symbols_of(std::span(&rewritten, 1))) {
      const auto k = std::find(model_.symbols.begin(), model_.symbols.end(), s);
      const auto u = std::find_if(system_.speeds().begin(), system_.speeds().end(),
                                  [&](const SpeedRecord& r) { return r.symbol == s; });
      if (k == model_.symbols.end() && u == system_.speeds().end()) continue;
      symbols.push_back(s);
      rate.push_back(k == model_.symbols.end() ? -1 : static_cast<int>(k - model_.symbols.begin()));
      speed.push_back(u == system_.speeds().end() ? -1 : static_cast<int>(u - system_.speeds().begin()));
    }
    const Affine a = affine_in(rewritten, symbols, "constraint " + name);
    row.equation.b = a.remainder;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const Expr& c = a.coefficients[i];
      if (speed[i] >= 0) row.equation.a[at(speed[i])] += c;
      if (rate[i] < 0) continue;
      const auto k = at(rate[i]);
      for (const auto& [column, w] : model_.W[k]) {
        const std::size_t place = at(column);
        if (column < model_.speed_count)
          row.equation.a[place] += c * w;
        else
          row.auxiliary[place - at(model_.speed_count)] += c * w;
      }
      row.equation.b += c * model_.X[k];
    }
  }

 private:
  [[nodiscard]] Substitution coordinate_rates() const {
    Substitution map;
    const std::vector<Expr> rates = system_.coordinate_rates();
    for (std::size_t i = 0; i < rates.size(); ++i) {
      const Expr symbol = system_.graph().symbol(system_.coordinates()[i].name() + "'");
      if (!(symbol == rates[i])) map.set(symbol, rates[i]);
    }
    for (const AuxiliaryRecord& a : system_.auxiliaries()) map.set(a.symbol, 0);
    return map;
  }

  const RateModel& model_;
  const System& system_;
  const Kinematical& kinematical_;
  const Substitution coordinate_rates_;  // the same for every row
};

void check_written_with(const System& s, const Expr& e, const ConstraintRecord& c) {
  s.check_symbols(e, "constraint " + c.name);
  if (e.graph() == nullptr) return;
  for (const Expr& symbol : symbols_of(std::span(&e, 1))) {
    const SymbolKind kind = s.find_kind(symbol.name()).value();
    const bool position = kind == SymbolKind::Coordinate || kind == SymbolKind::Time || kind == SymbolKind::Parameter ||
                          kind == SymbolKind::Specified;
    const bool motion = kind == SymbolKind::Rate || kind == SymbolKind::Speed || kind == SymbolKind::Auxiliary;
    require(position || (motion && !c.configuration), "{} constraint {} cannot be written with '{}'",
            c.configuration ? "configuration" : "motion", c.name, symbol.name());
  }
}

/// Euler parameters lie on the unit sphere; elsewhere they do not describe a rotation.
void normalize_parameters(const System& system, Values& values) {
  for (std::size_t i = 0; i < system.frames().size(); ++i) {
    const auto* parameters = std::get_if<EulerParameters>(&system.frames()[FrameId(i)].definition);
    if (parameters == nullptr) continue;
    double square = 0;
    for (const Expr& e : parameters->e)
      if (e.is_symbol()) square += std::pow(values.try_emplace(e.name(), 0.5).first->second, 2);
    for (const Expr& e : parameters->e)
      if (e.is_symbol()) values[e.name()] /= std::sqrt(square);
  }
}

/// phi' as stated against (v_p - v_r) . d: equal in symbols, or at least at random places.
void check_contact(const System& system, const std::string& name, const Expr& stated, const Expr& by_points) {
  const Expr difference = stated - by_points;
  if (difference.is_zero()) return;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> anywhere(0.1, 0.9);
  const auto all = symbols_of(std::vector<Expr>{stated, by_points});
  for (int trial = 0; trial < 5; ++trial) {
    Values values;
    for (const Expr& symbol : all) values[symbol.name()] = anywhere(random);
    normalize_parameters(system, values);
    const std::vector<double> v = evaluate(std::vector<Expr>{stated, by_points}, values);
    if (!std::isfinite(v[0]) || !std::isfinite(v[1])) continue;
    require(std::abs(v[0] - v[1]) <= 1e-9 * (1 + std::abs(v[0])),
            "contact {} is stated wrongly: the rate of its phi is not the relative velocity of its points along its "
            "direction",
            name);
  }
}

/// (v_p - v_r) . d, its columns and its derivative, by the partial velocities and accelerations of the points.
void form_point_row(Kinematics& k, const ConstraintRecord& c, ConstraintRow& row) {
  const bool fixed = is_fixed_direction(k.system(), k.dependence(), c.direction);
  Expr value, acceleration;
  for (const auto& [p, sign] : {std::pair{c.point, 1}, std::pair{c.reference, -1}}) {
    const VelocityForm& v = k.point(p);
    if (v.at_rest() && is_zero(v.acceleration)) continue;
    const Expr3 d = k.bases().express(sign > 0 ? c.direction : -c.direction, v.basis);
    for (const PartialVelocity& r : v.partials) {
      const Expr a = dot(r.c, d);
      const int n = k.model().speed_count;
      if (r.column < n)
        row.equation.a[at(r.column)] += a;
      else
        row.auxiliary[at(r.column - n)] += a;
    }
    row.equation.b += dot(v.remainder, d);
    value += dot(v.value, d);
    acceleration += dot(k.velocity_rate(p), d);
  }
  row.equation.gamma = fixed ? -acceleration : -k.along(value);
  if (c.phi) check_contact(k.system(), c.name, k.along(*c.phi), value);
}

/// Columns of auxiliary speeds for a configuration constraint between points:
/// (v_p - v_r) . d + (p - r) . (w_F x d) for each frame F the direction is written in.
void form_point_auxiliaries(Kinematics& k, const ConstraintRecord& c, ConstraintRow& row) {
  const int n = k.model().speed_count;
  const Bases& bases = k.bases();
  const auto put = [&](int column, const Expr& value) {
    if (column >= n) row.auxiliary[at(column - n)] += value;
  };
  for (const auto& [p, sign] : {std::pair{c.point, 1}, std::pair{c.reference, -1}}) {
    const VelocityForm& v = k.point(p);
    const Expr3 d = bases.express(sign > 0 ? c.direction : -c.direction, v.basis);
    for (const PartialVelocity& r : v.partials) {
      if (r.column >= n) put(r.column, dot(r.c, d));
    }
  }
  for (const Vector::Term& t : c.direction.terms()) {
    for (const PartialVelocity& r : k.frame(t.frame).partials) {
      if (r.column < n) continue;
      put(r.column, dot(bases.express(k.system().position(c.point, c.reference), t.frame), cross(r.c, t.c)));
    }
  }
}

}  // namespace

bool is_fixed_direction(const System& s, Dependence& dependence, const Vector& direction) {
  return std::all_of(direction.terms().begin(), direction.terms().end(),
                     [&](const Vector::Term& t) { return t.frame == s.inertial() && dependence.constant(t.c); });
}

namespace {

ConstraintRow form_row(Kinematics& k, const Kinematical& kinematical, const RowReader& reader,
                       const ConstraintRecord& c) {
  const System& s = k.system();
  ConstraintRow row;
  row.equation.name = c.name;
  row.equation.group = c.group;
  row.equation.active = c.active;
  row.equation.a.resize(at(k.model().speed_count));
  row.auxiliary.resize(s.auxiliaries().size());
  row.equation.multiplier = s.graph().symbol("lambda." + c.name);
  row.has_points = c.between_points();
  if (c.between_points()) {
    for (const PointId p : {c.point, c.reference}) s.check_located(p);
    s.check_symbols(c.direction, "constraint " + c.name);
  }
  if (c.configuration) {
    const Expr phi = c.phi ? *c.phi : s.dot(s.position(c.point, c.reference), c.direction);
    check_written_with(s, phi, c);
    check_can_vanish(s, phi, c.name);
    row.equation.phi = phi;
    if (c.phi && c.between_points()) {
      form_point_row(k, c, row);
    } else {
      const Expr rate = s.time_derivative(phi);
      reader.read(rate, c.name, row);
      row.equation.gamma = -k.along(substitute(rate, kinematical.rates_to_speeds));
      if (c.between_points()) form_point_auxiliaries(k, c, row);
    }
  } else if (c.between_points()) {
    form_point_row(k, c, row);
  } else {
    check_written_with(s, *c.motion, c);
    reader.read(*c.motion, c.name, row);
    row.equation.gamma = -k.along(substitute(*c.motion, kinematical.rates_to_speeds));
  }
  return row;
}

}  // namespace

std::vector<ConstraintRow> form_constraint_rows(Kinematics& k, const Kinematical& kinematical) {
  const RowReader reader(k, kinematical);
  std::vector<ConstraintRow> rows;
  for (const ConstraintRecord& c : k.system().constraints())
    rows.push_back(
        with_subject({Subject::Kind::Constraint, c.name}, [&] { return form_row(k, kinematical, reader, c); }));
  return rows;
}

namespace {

std::string names_of(const std::vector<ConstraintRow>& rows, const std::vector<int>& which) {
  std::string text;
  for (std::size_t i = 0; i < which.size(); ++i) {
    if (i > 0) text += i + 1 == which.size() ? " and " : ", ";
    text += rows[at(which[i])].equation.name;
  }
  return text;
}

std::vector<int> active_rows(const std::vector<ConstraintRow>& rows, bool redundant_too) {
  std::vector<int> r;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ConstraintEquation& e = rows[i].equation;
    if (e.active && (redundant_too || !e.redundant)) r.push_back(static_cast<int>(i));
  }
  return r;
}

ExprMatrix coefficients(const std::vector<ConstraintRow>& rows, const std::vector<int>& which, int n, bool with_b) {
  ExprMatrix a(static_cast<int>(which.size()), n + (with_b ? 1 : 0));
  for (int i = 0; i < a.rows; ++i) {
    const ConstraintEquation& e = rows[at(which[at(i)])].equation;
    for (int j = 0; j < n; ++j) a(i, j) = e.a[at(j)];
    if (with_b) a(i, n) = e.b;
  }
  return a;
}

/// The last velocity row as a combination of the others, a_0 = sum k_i a_i; empty if the k are not constant.
std::vector<Expr> find_combination(const System& s, const std::vector<ConstraintRow>& rows,
                                   const std::vector<int>& dependent) {
  const std::vector<int> others(dependent.begin() + 1, dependent.end());
  const ExprMatrix a = coefficients(rows, others, static_cast<int>(s.speeds().size()), false);
  const RankReport rank = find_rank(a, {}, Rank::Rounded);
  if (rank.rank() != a.rows) return {};
  ExprMatrix square(a.rows, a.rows);
  std::vector<Expr> right;
  for (int j = 0; j < a.rows; ++j) {
    const int column = rank.pivots[at(j)].column;
    for (int i = 0; i < a.rows; ++i) square(j, i) = a(i, column);
    right.push_back(rows[at(dependent.front())].equation.a[at(column)]);
  }
  std::vector<Expr> k = LinearSolver(square).solve(right);
  if (!std::all_of(k.begin(), k.end(), [&](const Expr& e) { return find_variables(s, e).empty(); })) return {};
  return k;
}

/// Configuration constraints whose velocity rows depend on each other with constant coefficients: the same combination
/// of the constraints is a constant, which must be zero. Returns what must hold among the parameters for that.
std::string check_positions(const System& s, const std::vector<ConstraintRow>& rows,
                            const std::vector<int>& dependent) {
  for (const int i : dependent) {
    if (!rows[at(i)].equation.phi) return {};
  }
  const std::vector<Expr> k = find_combination(s, rows, dependent);
  if (k.empty()) return {};
  Expr difference = *rows[at(dependent[0])].equation.phi;
  for (std::size_t i = 0; i < k.size(); ++i) {
    difference -= k[i] * *rows[at(dependent[i + 1])].equation.phi;
  }
  if (difference.is_number()) {
    // Decimals in a model are rounded; nothing is built to a nanometre.
    require_about({Subject::Kind::Constraint, rows[at(dependent[0])].equation.name},
                  std::abs(to_double(difference.number())) < 1e-9,
                  "the constraints {} contradict each other: they hold together only if {} = 0",
                  names_of(rows, dependent), difference.to_string());
    return {};
  }
  return find_variables(s, difference).empty() ? fmt::format(" if {} = 0", literal(difference).text) : std::string();
}

}  // namespace

void check_constraint_rank(const System& s, std::vector<ConstraintRow>& rows, std::vector<std::string>& warnings) {
  const int n = static_cast<int>(s.speeds().size());
  // Row by row in the order written, so that it is the later one that is called redundant.
  std::vector<int> kept;
  for (const int i : active_rows(rows, true)) {
    ConstraintEquation& e = rows[at(i)].equation;
    const bool empty = std::all_of(e.a.begin(), e.a.end(), [](const Expr& c) { return c.is_zero(); });
    if (empty) {
      require_about({Subject::Kind::Constraint, e.name}, e.b.is_zero(),
                    "constraint {} can never hold: it contains no speed and reads {} = 0", e.name, e.b.to_string());
      e.redundant = true;
      warnings.push_back(fmt::format("constraint {} says nothing about the motion and is left out", e.name));
      continue;
    }
    std::vector<int> trial = kept;
    trial.push_back(i);
    const RankReport rank = find_rank(coefficients(rows, trial, n, false), {}, Rank::Rounded);
    if (rank.rank() == static_cast<int>(trial.size())) {
      kept = std::move(trial);
      continue;
    }
    std::vector<int> dependent{i};
    for (const std::vector<int>& d : rank.dependencies) {
      for (const int r : d) {
        const int row = trial[at(r)];
        if (row != i) dependent.push_back(row);
      }
    }
    const std::vector<int> others(dependent.begin() + 1, dependent.end());
    const RankReport with_b = find_rank(coefficients(rows, trial, n, true), {}, Rank::Rounded);
    require_about({Subject::Kind::Constraint, e.name}, with_b.rank() == rank.rank(),
                  "constraint {} contradicts {}: together they can never hold", e.name, names_of(rows, others));
    const std::string condition = check_positions(s, rows, dependent);
    e.redundant = true;
    warnings.push_back(
        fmt::format("constraint {} is redundant: it follows from {}{}", e.name, names_of(rows, others), condition));
  }
}

}  // namespace kane

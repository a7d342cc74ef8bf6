#include "kane/mechanics/rates.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/rank.hpp"
#include "kane/mechanics/singularity.hpp"

namespace kane {

unsigned Dependence::flags(const Expr& e) {
  if (e.graph() == nullptr) return 0;
  Graph& graph = *e.graph();
  if (known_.size() < graph.size()) known_.resize(graph.size(), kUnknown);
  if (known_[e.id()] != kUnknown) return known_[e.id()];
  std::vector<NodeId> stack{e.id()};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (known_[id] != kUnknown) {
      stack.pop_back();
      continue;
    }
    unsigned all = 0;
    bool ready = true;
    if (graph.op(id) == Op::Symbol) {
      const auto kind = system_->find_kind(graph.name(id));
      all = kind ? bit(*kind) : bit(SymbolKind::Input);
    }
    for (const NodeId a : graph.args(id)) {
      if (known_[a] == kUnknown) {
        stack.push_back(a);
        ready = false;
      } else {
        all |= known_[a];
      }
    }
    if (ready) {
      known_[id] = all;
      stack.pop_back();
    }
  }
  return known_[e.id()];
}

namespace {

struct Definition {
  std::string name;
  Expr symbol;
  Expr expression;
};

std::vector<Definition> all_definitions(const System& s) {
  std::vector<Definition> r;
  for (const SpeedRecord& u : s.speeds()) r.push_back({u.symbol.name(), u.symbol, u.definition});
  for (const AuxiliaryRecord& a : s.auxiliaries()) {
    if (a.definition) r.push_back({a.name, a.symbol, *a.definition});
  }
  return r;
}

template <class List, class Name>
std::string join(const List& list, Name name) {
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += i + 1 == list.size() ? " and " : ", ";
    text += name(list[i]);
  }
  return text;
}

/// Everything that is neither a rate nor known from q, t and parameters is out of place in a definition.
void check_definition(const System& s, const Definition& d) {
  s.check_symbols(d.expression, "the definition of speed " + d.name);
  if (d.expression.graph() == nullptr) return;
  for (const Expr& symbol : symbols_of(std::span(&d.expression, 1))) {
    const SymbolKind kind = s.find_kind(symbol.name()).value();
    const bool good = kind == SymbolKind::Time || kind == SymbolKind::Parameter || kind == SymbolKind::Coordinate ||
                      kind == SymbolKind::Rate || kind == SymbolKind::Specified || kind == SymbolKind::Auxiliary;
    require(good,
            "the definition of speed {} may be written with coordinates, their rates, parameters and t, but not "
            "with '{}'",
            d.name, symbol.name());
  }
}

/// Definitions rewritten with the true rates: q' of parameters of orientation is no rate of its own.
Substitution to_true_rates(const System& s) {
  Substitution map;
  const std::vector<Expr> coordinate = s.coordinate_rates();
  for (std::size_t i = 0; i < coordinate.size(); ++i) {
    const Expr rate = s.graph().symbol(s.coordinates()[i].name() + "'");
    if (!(coordinate[i] == rate)) map.set(rate, coordinate[i]);
  }
  for (const AuxiliaryRecord& a : s.auxiliaries()) map.set(a.symbol, 0);
  return map;
}

struct LinearDefinitions {
  ExprMatrix Y;
  std::vector<Expr> Z;
};

LinearDefinitions read_definitions(const System& s, std::vector<Definition>& definitions,
                                   const std::vector<Expr>& rates) {
  const int n = static_cast<int>(definitions.size());
  LinearDefinitions r{ExprMatrix(n, static_cast<int>(rates.size())), {}};
  const Substitution true_rates = to_true_rates(s);
  for (int i = 0; i < n; ++i) {
    Definition& d = definitions[at(i)];
    with_subject({Subject::Kind::Speed, d.name}, [&] { check_definition(s, d); });
    if (!true_rates.empty()) d.expression = substitute(d.expression, true_rates);
    const auto direct = std::find(rates.begin(), rates.end(), d.expression);
    if (direct != rates.end()) {
      r.Y(i, static_cast<int>(direct - rates.begin())) = 1;
      r.Z.emplace_back();
      continue;
    }
    Affine a;
    try {
      a = affine_in(d.expression, rates, "the definition of speed " + d.name);
    } catch (const ModelError& e) {
      throw ModelError(Subject{Subject::Kind::Speed, d.name},
                       fmt::format("speed {} is not linear in the rates of the coordinates: {}", d.name, e.message()));
    }
    for (std::size_t k = 0; k < rates.size(); ++k) r.Y(i, static_cast<int>(k)) = a.coefficients[k];
    r.Z.push_back(a.remainder);
  }
  return r;
}

std::string rate_names(const std::vector<Expr>& rates) {
  return join(rates, [](const Expr& e) { return e.name(); });
}

void check_count(const System& s, const std::vector<Definition>& definitions, const std::vector<Expr>& rates) {
  if (definitions.size() == rates.size()) return;
  require(definitions.size() > rates.size(),
          "{} has {} rates ({}) but only {} generalized speeds; define {} more, for instance as a rate", s.name(),
          rates.size(), rate_names(rates), definitions.size(), rates.size() - definitions.size());
  throw ModelError(
      fmt::format("{} has only {} rates ({}) but {} generalized speeds; leave out {}, or introduce "
                  "coordinates for the motions they describe",
                  s.name(), rates.size(), rate_names(rates), definitions.size(), definitions.size() - rates.size()));
}

void check_independent(const ExprMatrix& Y, const std::vector<Definition>& definitions) {
  const RankReport rank = find_rank(Y);
  if (rank.rank() == Y.rows) return;
  const std::vector<int>& rows = rank.dependencies.front();
  const auto name = [&](int r) { return definitions[at(r)].name; };
  if (rows.size() == 1) {
    throw ModelError(Subject{Subject::Kind::Speed, name(rows[0])},
                     fmt::format("the definition of speed {} contains no rate of a coordinate", name(rows[0])));
  }
  throw ModelError(
      Subject{Subject::Kind::Speed, name(rows[0])},
      fmt::format(
          "the generalized speeds {} depend on each other, so the rates of the coordinates cannot be found from them",
          join(rows, name)));
}

SparseRow sparse(const ExprMatrix& m, int row, const std::vector<int>& column_of) {
  SparseRow r;
  for (int c = 0; c < m.columns; ++c) {
    if (!m(row, c).is_zero()) r.emplace_back(column_of[at(c)], m(row, c));
  }
  std::sort(r.begin(), r.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return r;
}

}  // namespace

std::vector<Expr> find_variables(const System& s, const Expr& e) {
  std::vector<Expr> r;
  if (e.graph() == nullptr) return r;
  for (const Expr& x : symbols_of(std::span(&e, 1))) {
    if (s.find_kind(x.name()) != SymbolKind::Parameter && !derivative(e, x).is_zero()) r.push_back(x);
  }
  return r;
}

void add_states(const System& s, const Substitution& rates_to_speeds, EquationsOfMotion& e) {
  for (const StateRecord& x : s.states()) {
    s.check_symbols(x.rate, "the rate of state " + x.symbol.name());
    const Expr rate = substitute(x.rate, rates_to_speeds);
    for (const Expr& symbol : symbols_of({&rate, 1})) {
      const auto kind = s.find_kind(symbol.name());
      require(kind != SymbolKind::SecondRate && kind != SymbolKind::Acceleration && kind != SymbolKind::Unknown &&
                  kind != SymbolKind::Multiplier,
              "the rate of the state '{}' depends on '{}'; it may depend on coordinates, speeds, states, inputs, "
              "parameters and t, but not on accelerations and forces",
              x.symbol.name(), symbol.name());
    }
    e.q.push_back(x.symbol);
    e.qdot.push_back(rate);
  }
  e.states = static_cast<int>(s.states().size());
}

RateModel with_accelerations(RateModel model, const System& s) {
  model.accelerations.assign(at(model.column_count), Expr());
  for (std::size_t r = 0; r < s.speeds().size(); ++r) model.accelerations[r] = s.speeds()[r].derivative;
  for (std::size_t k = 0; k < model.W.size(); ++k) {
    for (const auto& [column, w] : model.W[k]) model.second[k] += w * model.accelerations[at(column)];
  }
  return model;
}

Kinematical form_kinematical_equations(const System& s) {
  std::vector<Definition> definitions = all_definitions(s);
  const std::vector<Expr> rates = s.rates();
  const LinearDefinitions linear = read_definitions(s, definitions, rates);
  check_count(s, definitions, rates);
  check_independent(linear.Y, definitions);

  Kinematical k;
  RateModel& m = k.model;
  m.symbols = rates;
  m.speed_count = static_cast<int>(s.speeds().size());
  m.column_count = m.speed_count + static_cast<int>(s.auxiliaries().size());
  std::vector<int> column_of;
  for (int i = 0; i < m.speed_count; ++i) column_of.push_back(i);
  for (std::size_t i = 0; i < s.auxiliaries().size(); ++i) {
    if (s.auxiliaries()[i].definition) column_of.push_back(m.speed_count + static_cast<int>(i));
  }

  const LinearSolver solver(linear.Y);
  std::vector<Expr> right, rest;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const bool auxiliary = static_cast<int>(i) >= m.speed_count;
    right.push_back((auxiliary ? Expr() : definitions[i].symbol) - linear.Z[i]);
    rest.push_back(-linear.Z[i]);
  }
  m.values = solver.solve(right);
  m.X = solver.solve(rest);
  const ExprMatrix W = solver.inverse();
  Dependence dependence(s);
  m.constant = true;
  for (int i = 0; i < W.rows; ++i) {
    m.W.push_back(sparse(W, i, column_of));
    for (const auto& [c, e] : m.W.back()) m.constant = m.constant && dependence.constant(e);
  }

  // Coordinates, and the substitutions everything else is rewritten with.
  k.time_rates.set(s.time(), 1);
  for (std::size_t i = 0; i < rates.size(); ++i) k.rates_to_speeds.set(rates[i], m.values[i]);
  for (const AuxiliaryRecord& a : s.auxiliaries()) k.rates_to_speeds.set(a.symbol, 0);
  const std::vector<Expr> coordinate = s.coordinate_rates();
  for (std::size_t i = 0; i < coordinate.size(); ++i) {
    const Expr& q = s.coordinates()[i];
    k.qdot.push_back(substitute(coordinate[i], k.rates_to_speeds));
    k.rates_to_speeds.set(s.graph().symbol(q.name() + "'"), k.qdot.back());
    k.time_rates.set(q, k.qdot.back());
  }
  for (const SymbolWithDefault& x : s.inputs()) {
    const std::string next = x.symbol.name() + "'";
    if (s.find_kind(x.symbol.name()) == SymbolKind::Specified && s.find_kind(next)) {
      k.time_rates.set(x.symbol, s.graph().symbol(next));
    }
  }

  // Derivatives of the rates where u' = 0.
  std::vector<Expr> curvature;
  Tangent along(k.time_rates);
  bool flat = true;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const Expr rate = substitute(along(definitions[i].expression), k.rates_to_speeds);
    flat = flat && rate.is_zero();
    curvature.push_back(-rate);
  }
  m.second = flat ? std::vector<Expr>(rates.size()) : solver.solve(curvature);

  if (const std::string where = singular_conditions(s, solver.divisors()); !where.empty()) {
    k.warnings.push_back(fmt::format("the choice of generalized speeds is singular where {}", where));
  }
  return k;
}

}  // namespace kane

#include "kane/mechanics/rates.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

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

/// Definitions rewritten with the true rates: q' of parameters of orientation is not an independent rate.
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
  std::vector<SparseRow> Y;
  std::vector<Expr> Z;
};

LinearDefinitions read_definitions(const System& s, std::vector<Definition>& definitions,
                                   const std::vector<Expr>& rates) {
  LinearDefinitions r;
  const Substitution true_rates = to_true_rates(s);
  std::unordered_map<NodeId, int> rate_of;
  for (std::size_t k = 0; k < rates.size(); ++k) rate_of.emplace(rates[k].id(), static_cast<int>(k));
  for (Definition& d : definitions) {
    with_subject({Subject::Kind::Speed, d.name}, [&] { check_definition(s, d); });
    if (!true_rates.empty()) d.expression = substitute(d.expression, true_rates);
    std::vector<int> columns;
    std::vector<Expr> used;
    const std::span<const Expr> expression(&d.expression, d.expression.graph() == nullptr ? 0U : 1U);
    for (const Expr& symbol : symbols_of(expression))
      if (const auto found = rate_of.find(symbol.id()); found != rate_of.end()) columns.push_back(found->second);
    std::sort(columns.begin(), columns.end());
    for (const int k : columns) used.push_back(rates[at(k)]);
    Affine a;
    try {
      a = affine_in(d.expression, used, "the definition of speed " + d.name);
    } catch (const ModelError& e) {
      throw ModelError(Subject{Subject::Kind::Speed, d.name},
                       fmt::format("speed {} is not linear in the rates of the coordinates: {}", d.name, e.message()));
    }
    SparseRow row;
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (!a.coefficients[k].is_zero()) row.emplace_back(columns[k], a.coefficients[k]);
    r.Y.push_back(std::move(row));
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

/// Y rho = b, part by part: definitions that have no rate in common do not meet in a matrix. Thousands of bodies on the
/// ground are thousands of small matrices.
class RateEquations {
 public:
  RateEquations(const std::vector<SparseRow>& Y, const std::vector<Definition>& definitions) : size_(Y.size()) {
    find_parts(Y);
    std::vector<ExprMatrix> matrices;
    for (const Part& part : parts_) matrices.push_back(matrix_of(part, Y));
    for (std::size_t i = 0; i < parts_.size(); ++i) check_independent(parts_[i], matrices[i], definitions);
    for (std::size_t i = 0; i < parts_.size(); ++i) solvers_.emplace_back(matrices[i]);
  }

  [[nodiscard]] std::vector<Expr> solve(const std::vector<Expr>& b) const {
    std::vector<Expr> x(size_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      std::vector<Expr> own;
      for (const int r : parts_[i].rows) own.push_back(b[at(r)]);
      const std::vector<Expr> found = solvers_[i].solve(own);
      for (std::size_t k = 0; k < found.size(); ++k) x[at(parts_[i].columns[k])] = found[k];
    }
    return x;
  }

  /// Rows of the inverse, its columns renamed.
  [[nodiscard]] std::vector<SparseRow> inverse(const std::vector<int>& column_of) const {
    std::vector<SparseRow> W(size_);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const ExprMatrix own = solvers_[i].inverse();
      for (int r = 0; r < own.rows; ++r) {
        SparseRow& row = W[at(parts_[i].columns[at(r)])];
        for (int c = 0; c < own.columns; ++c)
          if (!own(r, c).is_zero()) row.emplace_back(column_of[at(parts_[i].rows[at(c)])], own(r, c));
        std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      }
    }
    return W;
  }

  [[nodiscard]] std::vector<Expr> divisors() const {
    std::vector<Expr> all;
    for (const LinearSolver& solver : solvers_)
      for (const Expr& e : solver.divisors())
        if (std::find(all.begin(), all.end(), e) == all.end()) all.push_back(e);
    return all;
  }

 private:
  struct Part {
    std::vector<int> rows, columns;
  };

  void find_parts(const std::vector<SparseRow>& Y) {
    std::vector<int> root(2 * size_);  // rows, then columns
    std::iota(root.begin(), root.end(), 0);
    const auto find = [&](int i) {
      while (root[at(i)] != i) i = root[at(i)] = root[at(root[at(i)])];
      return i;
    };
    const int n = static_cast<int>(size_);
    for (int r = 0; r < n; ++r)
      for (const auto& [c, e] : Y[at(r)]) root[at(find(n + c))] = find(r);
    std::vector<int> number(root.size(), -1);
    for (int i = 0; i < 2 * n; ++i) {
      int& own = number[at(find(i))];
      if (own < 0) own = static_cast<int>(parts_.size()), parts_.emplace_back();
      Part& part = parts_[at(own)];
      (i < n ? part.rows : part.columns).push_back(i < n ? i : i - n);
    }
  }

  static ExprMatrix matrix_of(const Part& part, const std::vector<SparseRow>& Y) {
    ExprMatrix m(part.rows.size(), part.columns.size());
    for (std::size_t r = 0; r < part.rows.size(); ++r)
      for (const auto& [c, e] : Y[at(part.rows[r])])
        m(r, std::lower_bound(part.columns.begin(), part.columns.end(), c) - part.columns.begin()) = e;
    return m;
  }

  static void check_independent(const Part& part, const ExprMatrix& m, const std::vector<Definition>& definitions) {
    const auto name = [&](int r) { return definitions[at(part.rows[at(r)])].name; };
    const RankReport rank = m.columns > 0 ? find_rank(m) : RankReport{{}, {{0}}};
    if (rank.rank() == m.rows) return;
    const std::vector<int>& rows = rank.dependencies.front();
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

  std::size_t size_;
  std::vector<Part> parts_;
  std::vector<LinearSolver> solvers_;
};

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
  const RateEquations solver(linear.Y, definitions);

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

  std::vector<Expr> right, rest;
  for (std::size_t i = 0; i < definitions.size(); ++i) {
    const bool auxiliary = static_cast<int>(i) >= m.speed_count;
    right.push_back((auxiliary ? Expr() : definitions[i].symbol) - linear.Z[i]);
    rest.push_back(-linear.Z[i]);
  }
  m.values = solver.solve(right);
  m.X = solver.solve(rest);
  m.W = solver.inverse(column_of);
  Dependence dependence(s);
  m.constant = true;
  for (const SparseRow& row : m.W)
    for (const auto& [c, e] : row) m.constant = m.constant && dependence.constant(e);

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

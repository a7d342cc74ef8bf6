// Functions: what a call in an expression is worth.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "kane/base/suggest.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/number.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/commands.hpp"
#include "kane/formats/autolev/eigen.hpp"
#include "kane/formats/autolev/matrices.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane::autolev {

namespace {

using Arguments = std::vector<Node>;

[[noreturn]] void wrong_use(const Node& call) {
  throw ModelError(call.where,
                   fmt::format("{} is not written like this; write {}", folded(call.text), help_text(call.text)));
}

void need_arguments(const Node& call, std::size_t least, std::size_t most) {
  if (call.children.size() < least || call.children.size() > most) wrong_use(call);
}

/// Applies f to a scalar or to every element.
template <class F>
Value each_scalar(const Node& call, const Value& v, F f) {
  if (const auto* e = std::get_if<Expr>(&v)) return f(*e);
  if (const auto* m = std::get_if<ExprMatrix>(&v)) {
    ExprMatrix r = *m;
    for (Expr& e : r.entries) e = f(e);
    return r;
  }
  wrong_use(call);
}

/// Applies f to a scalar, to every element, or to every component.
template <class F>
Value each_part(const Value& v, F f) {
  if (const auto* e = std::get_if<Expr>(&v)) return f(*e);
  if (const auto* m = std::get_if<ExprMatrix>(&v)) {
    ExprMatrix r = *m;
    for (Expr& e : r.entries) e = f(e);
    return r;
  }
  const auto of_vector = [&](const Vector& a) {
    Vector r;
    for (const auto& term : a.terms()) r += Vector(term.frame, {f(term.c[0]), f(term.c[1]), f(term.c[2])});
    return r;
  };
  if (const auto* a = std::get_if<Vector>(&v)) return of_vector(*a);
  if (const auto* d = std::get_if<Dyadic>(&v)) {
    Dyadic r;
    for (const auto& term : d->terms()) {
      Expr33 c = term.c;
      for (auto& row : c)
        for (Expr& e : row) e = f(e);
      r += Dyadic(term.frame, c);
    }
    return r;
  }
  VectorMatrix r = std::get<VectorMatrix>(v);
  for (Vector& a : r.entries) a = of_vector(a);
  return r;
}

/// Components in a frame. A multiple of the unit dyadic has the same in all of them, also in those not oriented yet.
Expr33 dyadic_in(const Frames& frames, const Dyadic& d, FrameId f) {
  Expr33 sum;
  Dyadic others;
  for (const auto& term : d.terms()) {
    bool unit = true;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        unit = unit && (i == j ? term.c[i][i] == term.c[0][0] : term.c[i][j].is_zero());
    if (!unit) {
      others += Dyadic(term.frame, term.c);
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) sum[i][i] += term.c[0][0];
  }
  if (others.terms().empty()) return sum;
  const Expr33 c = frames.express(others, f);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) sum[i][j] += c[i][j];
  return sum;
}

/// Coefficients, the lowest power first, of the polynomial of the given degree through p(1), p(2), ...; empty if p is none.
/// For expressions that are polynomials but are written with divisions by x.
std::vector<Expr> through_points(Graph& graph, const Expr& p, const Expr& x, int degree) {
  std::vector<Expr> nodes, values;
  for (int k = 1; static_cast<int>(nodes.size()) <= degree; ++k) {
    if (k > 4 * degree + 20) return {};
    try {
      values.push_back(graph.bind(substitute(p, Substitution{{x, graph.number(k)}})));
      nodes.push_back(graph.number(k));
    } catch (const ModelError&) {
      continue;  // one of its denominators vanishes there
    }
  }
  // Newton's divided differences, then multiplied out from within.
  const std::size_t n = nodes.size();
  for (std::size_t level = 1; level < n; ++level)
    for (std::size_t i = n; i-- > level;) values[i] = (values[i] - values[i - 1]) / (nodes[i] - nodes[i - level]);
  std::vector<Expr> c{values[n - 1]};
  for (std::size_t i = n - 1; i-- > 0;) {
    c.insert(c.begin(), Expr(0));
    for (std::size_t k = 0; k + 1 < c.size(); ++k) c[k] -= nodes[i] * c[k + 1];
    c[0] += values[i];
  }
  Expr sum;
  for (std::size_t i = c.size(); i-- > 0;) sum = sum * x + c[i];
  return sum == p ? c : std::vector<Expr>{};
}

Expr factorial_of(Graph& graph, const Expr& x) {
  if (x.is_number() && x.number().is_whole() && x.number() >= Rational(0) && x.number() <= Rational(170)) {
    Rational product(1);
    for (long i = 2; Rational(i) <= x.number(); ++i) product *= Rational(i);
    return graph.number(product);
  }
  return graph.call("factorial", std::span(&x, 1));
}

using Scalar1 = Expr (*)(Graph&, const Expr&);
const std::map<std::string, Scalar1, std::less<>>& scalar_functions() {
  static const std::map<std::string, Scalar1, std::less<>> table{
      {"SIN", [](Graph&, const Expr& x) { return sin(x); }},
      {"COS", [](Graph&, const Expr& x) { return cos(x); }},
      {"TAN", [](Graph&, const Expr& x) { return tan(x); }},
      {"ASIN", [](Graph&, const Expr& x) { return asin(x); }},
      {"ACOS", [](Graph&, const Expr& x) { return acos(x); }},
      {"ATAN", [](Graph&, const Expr& x) { return atan(x); }},
      {"SINH", [](Graph&, const Expr& x) { return sinh(x); }},
      {"COSH", [](Graph&, const Expr& x) { return cosh(x); }},
      {"TANH", [](Graph&, const Expr& x) { return tanh(x); }},
      {"EXP", [](Graph&, const Expr& x) { return exp(x); }},
      {"LOG", [](Graph&, const Expr& x) { return log(x); }},
      {"LOG10", [](Graph& g, const Expr& x) { return log(x) / log(g.number(10)); }},
      {"SQRT", [](Graph&, const Expr& x) { return sqrt(x); }},
      {"SQR", [](Graph&, const Expr& x) { return x * x; }},
      {"ABS", [](Graph&, const Expr& x) { return abs(x); }},
      {"SIGN", [](Graph&, const Expr& x) { return sign(x); }},
      {"INT", [](Graph&, const Expr& x) { return sign(x) * floor(abs(x)); }},
      {"ROUND", [](Graph& g, const Expr& x) { return floor(x + g.number(1, 2)); }},
      {"CEIL", [](Graph&, const Expr& x) { return -floor(-x); }},
      {"FLOOR", [](Graph&, const Expr& x) { return floor(x); }},
      {"FACTORIAL", factorial_of},
  };
  return table;
}

/// The terms of a sum, as it is written now.
void collect_terms(const Expr& e, int sign, std::vector<Expr>& terms, int depth) {
  if (depth < 2000 && (e.op() == Op::Add || e.op() == Op::Sub)) {
    collect_terms(e.arg(0), sign, terms, depth + 1);
    collect_terms(e.arg(1), e.op() == Op::Sub ? -sign : sign, terms, depth + 1);
  } else if (depth < 2000 && e.op() == Op::Neg) {
    collect_terms(e.arg(0), -sign, terms, depth + 1);
  } else {
    terms.push_back(sign > 0 ? e : -e);
  }
}

/// The terms of e that have none of the symbols.
Expr without(const Expr& e, const std::vector<Expr>& symbols) {
  if (const auto affine = find_affine(e, symbols)) return affine->remainder;
  std::vector<Expr> terms;
  collect_terms(e, 1, terms, 0);
  Expr sum;
  for (const Expr& t : terms)
    if (std::none_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return depends_on(t, s); })) sum += t;
  return sum;
}

/// Coefficient of x: of a linear expression exactly, of others that of the first power.
Expr coefficient(const Expr& e, const Expr& x) {
  if (e.graph() == nullptr) return 0;
  if (const auto affine = find_affine(e, std::span(&x, 1))) return affine->coefficients[0];
  return substitute(kane::derivative(e, x), Substitution{{x, Expr(0)}});
}

/// Nodes equal to `from` become `to`, everywhere at once.
Expr replace_nodes(Graph& graph, const Expr& e, const std::vector<std::pair<Expr, Expr>>& map) {
  if (e.graph() == nullptr) return e;
  std::map<NodeId, Expr> built;
  for (const NodeId id : topological_order(std::span(&e, 1))) {
    const Expr node = graph.at(id);
    const auto found = std::find_if(map.begin(), map.end(), [&](const auto& pair) { return pair.first == node; });
    if (found != map.end()) {
      built[id] = found->second;
      continue;
    }
    const auto args = graph.args(id);
    if (args.empty()) {
      built[id] = node;
      continue;
    }
    std::vector<Expr> operands;
    for (const NodeId a : args) operands.push_back(built.at(a));
    const Op op = graph.op(id);
    if (op == Op::Div && operands[1].is_zero()) throw ModelError("the replacement makes a divisor zero");
    built[id] = op == Op::Call ? graph.call(graph.name(id), operands)
                               : graph.make(op, operands, op == Op::Pow || op == Op::Root ? graph.exponent(id) : 0);
  }
  return built.at(e.id());
}

}  // namespace

/// The handlers of functions. Each has the session and the call; arguments are evaluated as the function needs them.
struct Functions {
  static Value dot(Session& s, const Node& call) {
    need_arguments(call, 2, 2);
    const Value a = s.evaluate(call.children[0]);
    const Value b = s.evaluate(call.children[1]);
    const auto* av = std::get_if<Vector>(&a);
    const auto* bv = std::get_if<Vector>(&b);
    const auto* ad = std::get_if<Dyadic>(&a);
    const auto* bd = std::get_if<Dyadic>(&b);
    const auto* am = std::get_if<VectorMatrix>(&a);
    const auto* bm = std::get_if<VectorMatrix>(&b);
    if (av && bv) return s.frames().dot(*av, *bv);
    if (ad && bv) return s.frames().dot(*ad, *bv);
    if (av && bd) {
      Dyadic turned;
      for (const auto& term : bd->terms()) turned += Dyadic(term.frame, transpose(term.c));
      return s.frames().dot(turned, *av);
    }
    if (ad && bd) {
      Dyadic sum;
      for (const auto& term : ad->terms())
        sum += Dyadic(term.frame, kane::multiply(term.c, s.frames().express(*bd, term.frame)));
      return sum;
    }
    if ((am && bv) || (av && bm)) {
      const VectorMatrix& m = am ? *am : *bm;
      ExprMatrix r(m.rows, m.columns);
      for (std::size_t i = 0; i < m.entries.size(); ++i) r.entries[i] = s.frames().dot(m.entries[i], am ? *bv : *av);
      return r;
    }
    wrong_use(call);
  }

  static Value cross(Session& s, const Node& call) {
    need_arguments(call, 2, 2);
    return s.frames().cross(s.evaluate_vector(call.children[0]), s.evaluate_vector(call.children[1]));
  }

  static Value mag(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Vector v = s.evaluate_vector(call.children[0]);
    return length(s, v);
  }

  static Expr length(Session& s, const Vector& v) {
    if (v.is_zero()) return 0;
    // A single component needs no root: |x| for x, or x itself if it is known to be positive.
    if (v.terms().size() == 1) {
      const Expr3& c = v.terms()[0].c;
      const int others = (c[0].is_zero() ? 0 : 1) + (c[1].is_zero() ? 0 : 1) + (c[2].is_zero() ? 0 : 1);
      if (others == 1) {
        const Expr only = c[0].is_zero() ? (c[1].is_zero() ? c[2] : c[1]) : c[0];
        if (only.is_number()) return only.number() < Rational(0) ? -only : only;
        if (const Scalar* known = only.is_symbol() ? s.find_symbol(only) : nullptr;
            known != nullptr && known->sign != 0)
          return known->sign > 0 ? only : -only;
        return abs(only);
      }
    }
    return sqrt(s.frames().dot(v, v));
  }

  static Value unitvec(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Vector v = s.evaluate_vector(call.children[0]);
    if (v.is_zero()) throw ModelError(call.where, "the zero vector has no direction");
    return v / length(s, v);
  }

  static Value vector(Session& s, const Node& call) {
    need_arguments(call, 2, 4);
    const FrameId f = s.frame_of(call.children[0]);
    if (call.children.size() == 4)
      return Vector(f, {s.evaluate_scalar(call.children[1]), s.evaluate_scalar(call.children[2]),
                        s.evaluate_scalar(call.children[3])});
    const Value v = s.evaluate(call.children[1]);
    const auto* m = std::get_if<ExprMatrix>(&v);
    if (call.children.size() != 2 || m == nullptr || m->entries.size() != 3) wrong_use(call);
    return Vector(f, {m->entries[0], m->entries[1], m->entries[2]});
  }

  static Value matrix(Session& s, const Node& call) {
    need_arguments(call, 2, 2);
    const FrameId f = s.frame_of(call.children[0]);
    const Value v = s.evaluate(call.children[1]);
    if (const auto* a = std::get_if<Vector>(&v)) {
      const Expr3 c = s.frames().express(*a, f);
      return column_of({c[0], c[1], c[2]});
    }
    const auto* d = std::get_if<Dyadic>(&v);
    if (d == nullptr) wrong_use(call);
    const Expr33 c = dyadic_in(s.frames(), *d, f);
    ExprMatrix r(3, 3);
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) r(i, j) = c[i][j];
    return r;
  }

  static Value express(Session& s, const Node& call) {
    need_arguments(call, 2, 2);
    const FrameId f = s.frame_of(call.children[1]);
    return expressed(s, s.evaluate(call.children[0]), f, call);
  }

  static Value expressed(Session& s, const Value& v, FrameId f, const Node& call) {
    if (const auto* a = std::get_if<Vector>(&v)) return Vector(f, s.frames().express(*a, f));
    if (const auto* d = std::get_if<Dyadic>(&v)) return Dyadic(f, dyadic_in(s.frames(), *d, f));
    if (const auto* m = std::get_if<VectorMatrix>(&v)) {
      VectorMatrix r = *m;
      for (Vector& a : r.entries) a = Vector(f, s.frames().express(a, f));
      return r;
    }
    wrong_use(call);
  }

  static Value partials(Session& s, const Node& call) {
    need_arguments(call, 2, 1000);
    const Vector v = s.evaluate_vector(call.children[0]);
    const auto speeds = s.symbols_named(std::span(call.children).subspan(1), false);
    const auto p = s.partials(v, speeds, call.children[0].spelled());
    if (speeds.size() == 1) return p.by_speed.front();
    VectorMatrix r{1, static_cast<int>(speeds.size()), p.by_speed};
    return r;
  }

  // ---- derivatives ------------------------------------------------------------------------------------------------------
  static Value dt(Session& s, const Node& call) {
    need_arguments(call, 1, 2);
    const Value v = s.evaluate(call.children[0]);
    if (const auto* a = std::get_if<Vector>(&v)) return s.derivative(*a, frame_argument(s, call, 1));
    if (const auto* d = std::get_if<Dyadic>(&v)) return s.derivative(*d, frame_argument(s, call, 1));
    if (const auto* m = std::get_if<VectorMatrix>(&v)) {
      VectorMatrix r = *m;
      for (Vector& a : r.entries) a = s.derivative(a, frame_argument(s, call, 1));
      return r;
    }
    if (call.children.size() == 2) (void)s.frame_of(call.children[1]);  // of no consequence to scalars
    return each_part(v, [&](const Expr& e) { return s.time_derivative(e); });
  }

  static FrameId frame_argument(Session& s, const Node& call, std::size_t i) {
    if (call.children.size() <= i)
      throw ModelError(call.where,
                       fmt::format("the derivative of a vector needs a frame: {}(v>,N)", folded(call.text)));
    return s.frame_of(call.children[i]);
  }

  static Value d(Session& s, const Node& call) {
    need_arguments(call, 2, 3);
    const auto by = s.symbols_named(std::span(call.children).subspan(1, 1), false);
    const Value v = s.evaluate(call.children[0]);
    if (std::holds_alternative<Vector>(v)) {
      if (by.size() != 1) wrong_use(call);
      const FrameId f = frame_argument(s, call, 2);
      const Value in = expressed(s, s.explicitly(v, {.keep = by}), f, call);
      return each_part(in, [&](const Expr& e) { return s.partial(e, by[0]); });
    }
    const bool list = call.children[1].kind == NodeKind::Matrix || by.size() > 1;
    if (!list) return each_part(v, [&](const Expr& e) { return s.partial(e, by[0]); });
    std::vector<Expr> rows;
    if (const auto* e = std::get_if<Expr>(&v))
      rows.push_back(*e);
    else if (const auto* m = std::get_if<ExprMatrix>(&v))
      rows = m->entries;
    else
      wrong_use(call);
    ExprMatrix r(rows.size(), by.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < by.size(); ++j) r(i, j) = s.partial(rows[i], by[j]);
    return r;
  }

  // ---- masses -----------------------------------------------------------------------------------------------------------
  static Value mass(Session& s, const Node& call) {
    Expr sum;
    for (const int b : s.bodies_named(call.children)) sum += mass_of(s, b, call);
    return sum;
  }

  static Expr mass_of(Session& s, int body, const Node& call) {
    const Body& b = s.w_.bodies[static_cast<std::size_t>(body)];
    if (!b.mass)
      throw ModelError(call.where, fmt::format("the mass of {} is not stated; write MASS {}=...", b.name, b.name));
    return *b.mass;
  }

  static Value cm(Session& s, const Node& call) {
    need_arguments(call, 1, 1000);
    const PointIndex o = s.point_of(call.children[0]);
    Vector sum;
    Expr total;
    for (const int b : s.bodies_named(std::span(call.children).subspan(1))) {
      const Expr m = mass_of(s, b, call);
      total += m;
      sum += s.position(o, s.w_.bodies[static_cast<std::size_t>(b)].centre) * m;
    }
    if (total.is_zero()) throw ModelError(call.where, "there is no mass whose centre could be found");
    return sum / total;
  }

  static Value inertia(Session& s, const Node& call) {
    need_arguments(call, 1, 1000);
    const PointIndex p = s.point_of(call.children[0]);
    Dyadic sum;
    for (const int b : s.bodies_named(std::span(call.children).subspan(1))) sum += s.inertia_about(b, p);
    return sum;
  }

  static Value ke(Session& s, const Node& call) { return s.kinetic_energy(s.bodies_named(call.children)); }
  static Value momentum(Session& s, const Node& call) { return s.momentum(call); }
  static Value nicheck(Session& s, const Node& call) {
    need_arguments(call, 0, 0);
    return s.energy_check(call.where);
  }
  static Value fr(Session& s, const Node& call) {
    need_arguments(call, 0, 0);
    return s.active_forces(call.where);
  }
  static Value frstar(Session& s, const Node& call) {
    need_arguments(call, 0, 0);
    return s.inertia_forces(call.where);
  }

  // ---- algebra ----------------------------------------------------------------------------------------------------------
  /// EXPAND, FACTOR, ARRANGE, ZEE: another way to write the same value.
  static Value same(Session& s, const Node& call) {
    need_arguments(call, 1, 1000);
    return s.evaluate(call.children[0]);
  }

  static Value explicit_(Session& s, const Node& call) {
    need_arguments(call, 1, 1000);
    Explicitly how;
    how.keep = s.symbols_named(std::span(call.children).subspan(1), false);
    return s.explicitly(s.evaluate(call.children[0]), how);
  }

  static Value rhs(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Node& name = call.children[0];
    if (!name.is_name() || name.rank != 0) return s.evaluate(name);
    if (const Scalar* known = s.find(name.key())) {
      const auto value = s.w_.auxiliary_values.find(known->symbol.id());
      if (value != s.w_.auxiliary_values.end()) return value->second;
      return known->value ? *known->value : known->symbol;
    }
    return s.evaluate(name);
  }

  /// Pairs x = value; x may be any expression.
  static std::vector<std::pair<Expr, Expr>> pairs(Session& s, const Node& call, std::size_t first) {
    std::vector<std::pair<Expr, Expr>> list;
    for (std::size_t i = first; i < call.children.size(); ++i) {
      const Node& n = call.children[i];
      if (n.kind != NodeKind::Equals)
        throw ModelError(n.where, fmt::format("{} takes name=value here", folded(call.text)));
      const Node& left = n.children[0];
      const Expr from = left.is_name() && left.rank == 0 ? s.named_scalar(left).symbol : s.evaluate_scalar(left);
      list.emplace_back(s.graph_->bind(from), s.graph_->bind(s.evaluate_scalar(n.children[1])));
    }
    return list;
  }

  static Value replace(Session& s, const Node& call) {
    need_arguments(call, 2, 100000);
    const auto map = pairs(s, call, 1);
    // A name stands for what it is defined as.
    Value v = s.evaluate(call.children[0]);
    if (const Scalar* known = call.children[0].is_name() ? s.find(call.children[0].key()) : nullptr;
        known != nullptr && known->value)
      v = *known->value;
    return each_part(v, [&](const Expr& e) { return replace_nodes(*s.graph_, e, map); });
  }

  static Value evaluate(Session& s, const Node& call) {
    need_arguments(call, 1, 100000);
    const auto map = pairs(s, call, 1);
    Explicitly how;
    for (const auto& [from, to] : map)
      if (from.is_symbol()) how.keep.push_back(from);
    const Value v = s.explicitly(s.evaluate(call.children[0]), how);
    if (!map.empty()) return each_part(v, [&](const Expr& e) { return replace_nodes(*s.graph_, e, map); });
    // Without replacements: the values that INPUT gave.
    return each_part(v, [&](const Expr& e) {
      Substitution values;
      for (const Expr& x : symbols_of(std::span(&e, 1)))
        if (const Scalar* known = s.find_symbol(x); known != nullptr && known->input) values.set(x, *known->input);
      return values.empty() || e.graph() == nullptr ? e : substitute(e, values);
    });
  }

  /// COEF(v>,N2>): the measure number along a unit vector.
  static Value measure_number(Session& s, const Node& call) {
    const Vector v = s.evaluate_vector(call.children[0]);
    const Vector along = s.evaluate_vector(call.children[1]);
    if (along.terms().size() != 1)
      throw ModelError(call.children[1].where, "COEF takes a unit vector of a frame, such as N1>");
    const auto& term = along.terms().front();
    const auto one = std::find_if(term.c.begin(), term.c.end(), [](const Expr& e) { return e.is_one(); });
    if (one == term.c.end())
      throw ModelError(call.children[1].where, "COEF takes a unit vector of a frame, such as N1>");
    return s.frames().express(v, term.frame)[static_cast<std::size_t>(one - term.c.begin())];
  }

  /// COEF(E,X^2).
  static Value coefficient_of_power(Session& s, const Node& call, const Node& power) {
    const Expr x = s.symbol_named(power.children[0], false);
    const int n = s.evaluate_whole(power.children[1]);
    if (n < 0 || n > 100) throw ModelError(power.where, "the power in COEF is from 0 to 100");
    const Value v = s.explicitly_visible(s.evaluate(call.children[0]), {x});
    return each_part(v, [&](const Expr& e) {
      Expr f = s.graph_->bind(e);
      Rational factorial(1);
      for (int k = 1; k <= n; ++k)
        f = s.graph_->bind(kane::derivative(f, x)), factorial *= Rational(static_cast<long>(k));
      return substitute(f, Substitution{{x, Expr(0)}}) / Expr(factorial);
    });
  }

  static Value coef(Session& s, const Node& call) {
    need_arguments(call, 2, 1000);
    if (call.children[1].rank == 1) return measure_number(s, call);
    if (const Node& power = call.children[1];
        power.kind == NodeKind::Binary && power.text == "^" && call.children.size() == 2)
      return coefficient_of_power(s, call, power);
    const auto by = s.symbols_named(std::span(call.children).subspan(1), false);
    const Value v = s.explicitly_visible(s.evaluate(call.children[0]), by);
    if (by.size() == 1 && call.children[1].kind != NodeKind::Matrix)
      return each_part(v, [&](const Expr& e) { return coefficient(e, by[0]); });
    std::vector<Expr> rows;
    if (const auto* e = std::get_if<Expr>(&v))
      rows.push_back(*e);
    else if (const auto* m = std::get_if<ExprMatrix>(&v))
      rows = m->entries;
    else
      wrong_use(call);
    ExprMatrix r(rows.size(), by.size());
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = 0; j < by.size(); ++j) r(i, j) = coefficient(rows[i], by[j]);
    return r;
  }

  static Value exclude(Session& s, const Node& call) {
    need_arguments(call, 2, 1000);
    const auto by = s.symbols_named(std::span(call.children).subspan(1), false);
    const Value v = s.explicitly_visible(s.evaluate(call.children[0]), by);
    return each_part(v, [&](const Expr& e) { return without(e, by); });
  }

  static Value include(Session& s, const Node& call) {
    need_arguments(call, 2, 1000);
    const auto by = s.symbols_named(std::span(call.children).subspan(1), false);
    const Value v = s.explicitly_visible(s.evaluate(call.children[0]), by);
    return each_part(v, [&](const Expr& e) { return e - without(e, by); });
  }

  /// TAYLOR(e, 0:2, x=x0, y=y0:dy): the terms of orders 0 to 2 in x - x0 and dy together.
  static Value taylor(Session& s, const Node& call) {
    need_arguments(call, 3, 100000);
    int from = 0;
    int to = 0;
    const Node& orders = call.children[1];
    if (orders.kind == NodeKind::Range) {
      from = s.evaluate_whole(orders.children[0]);
      to = s.evaluate_whole(orders.children[1]);
    } else {
      to = s.evaluate_whole(orders);
    }
    if (from < 0 || to < from || to > 12) throw ModelError(orders.where, "TAYLOR takes orders from 0 to 12, as in 0:2");
    // e as a function of one number along the way from the point of expansion to the point x.
    const Expr along = s.graph_->symbol("(along)");
    Substitution way;
    std::vector<Expr> symbols;
    for (std::size_t i = 2; i < call.children.size(); ++i) {
      const Node& n = call.children[i];
      if (n.kind != NodeKind::Equals) throw ModelError(n.where, "TAYLOR takes x=0 or x=0:dx here");
      const Expr x = s.named_scalar(n.children[0]).symbol;
      const Expr at = s.evaluate_scalar(n.children[1]);
      const Expr step = n.children.size() == 3 ? s.evaluate_scalar(n.children[2]) : x - at;
      symbols.push_back(x);
      way.set(x, at + along * step);
    }
    const Value v = s.explicitly_visible(s.evaluate(call.children[0]), symbols);
    const Substitution begin{{along, Expr(0)}};
    return each_part(v, [&](const Expr& e) {
      if (e.graph() == nullptr) return from == 0 ? e : Expr(0);
      Expr f = substitute(e, way);
      Expr sum;
      Rational factorial(1);
      for (int k = 0; k <= to; ++k) {
        if (k > 0) {
          if (f.graph() == nullptr) break;
          f = kane::derivative(f, along);
          factorial *= Rational(static_cast<long>(k));
        }
        if (k >= from) sum += (f.graph() == nullptr ? f : substitute(f, begin)) / Expr(factorial);
      }
      return sum;
    });
  }

  static Value polynomial(Session& s, const Node& call) {
    need_arguments(call, 2, 3);
    const Expr x = s.symbol_named(call.children[1], false);
    const Value v = s.evaluate(call.children[0]);
    if (call.children.size() == 2) {
      const auto* m = std::get_if<ExprMatrix>(&v);
      if (m == nullptr) wrong_use(call);
      Expr sum;
      for (const Expr& c : m->entries) sum = sum * x + c;
      return sum;
    }
    const auto* e = std::get_if<Expr>(&v);
    if (e == nullptr) wrong_use(call);
    return coefficients(s, s.explicitly_visible(*e, {x}), x, s.evaluate_whole(call.children[2]), call);
  }

  /// The highest power first.
  static ExprMatrix coefficients(Session& s, const Expr& e, const Expr& x, int degree, const Node& call) {
    if (degree < 0 || degree > 100) throw ModelError(call.where, "the degree of a polynomial is from 0 to 100");
    ExprMatrix r(1, degree + 1);
    Expr f = s.graph_->bind(e);
    try {
      Rational factorial(1);
      for (int k = 0; k <= degree; ++k) {
        if (k > 0) f = s.graph_->bind(kane::derivative(f, x)), factorial *= Rational(static_cast<long>(k));
        r(0, degree - k) = substitute(f, Substitution{{x, Expr(0)}}) / Expr(factorial);
      }
      if (kane::derivative(f, x).is_zero()) return r;
    } catch (const LimitError&) {
      throw;
    } catch (const ModelError&) {
      const auto c = through_points(*s.graph_, s.graph_->bind(e), x, degree);
      for (std::size_t k = 0; k < c.size(); ++k) r(0, degree - static_cast<int>(k)) = c[k];
      if (!c.empty()) return r;
    }
    throw ModelError(call.where, fmt::format("the expression is no polynomial of degree {} in {}", degree, x.name()));
  }

  static Value roots(Session& s, const Node& call) {
    need_arguments(call, 1, 3);
    ExprMatrix c;
    const Value v = s.evaluate(call.children[0]);
    if (call.children.size() == 3) {
      const auto* e = std::get_if<Expr>(&v);
      if (e == nullptr) wrong_use(call);
      c = coefficients(s, s.explicitly_visible(*e, {s.symbol_named(call.children[1], false)}),
                       s.symbol_named(call.children[1], false), s.evaluate_whole(call.children[2]), call);
    } else if (const auto* m = std::get_if<ExprMatrix>(&v); m != nullptr && call.children.size() == 1) {
      c = *m;
    } else {
      wrong_use(call);
    }
    return roots_of(s, c, call.where);
  }

  static Value eig(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Value v = s.evaluate(call.children[0]);
    const auto* m = std::get_if<ExprMatrix>(&v);
    if (m == nullptr) wrong_use(call);
    return eigenvalues_of(s, *m, call.where, false).values;
  }

  static const ExprMatrix& matrix_argument(const Value& v, const Node& call) {
    const auto* m = std::get_if<ExprMatrix>(&v);
    if (m == nullptr) throw ModelError(call.children[0].where, fmt::format("{} takes a matrix", folded(call.text)));
    return *m;
  }

  static Value det(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Value v = s.evaluate(call.children[0]);
    if (const auto* e = std::get_if<Expr>(&v)) return *e;
    return determinant(matrix_argument(v, call));
  }
  static Value inv(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Value v = s.evaluate(call.children[0]);
    if (const auto* e = std::get_if<Expr>(&v)) return 1 / *e;
    return inverted(matrix_argument(v, call));
  }
  static Value trace(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Value v = s.evaluate(call.children[0]);
    const ExprMatrix& m = matrix_argument(v, call);
    Expr sum;
    for (int i = 0; i < std::min(m.rows, m.columns); ++i) sum += m(i, i);
    return sum;
  }
  static Value transpose_(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Value v = s.evaluate(call.children[0]);
    if (const auto* e = std::get_if<Expr>(&v)) return *e;
    return transposed(matrix_argument(v, call));
  }

  static Value diagmat(Session& s, const Node& call) {
    need_arguments(call, 2, 3);
    const int n = s.evaluate_whole(call.children[0]);
    const int m = call.children.size() == 3 ? s.evaluate_whole(call.children[1]) : n;
    const Expr x = s.evaluate_scalar(call.children.back());
    if (n < 1 || m < 1 || static_cast<std::size_t>(n) * static_cast<std::size_t>(m) > s.options_.limits.max_elements)
      throw ModelError(call.where, "DIAGMAT takes the numbers of rows and columns and a value");
    ExprMatrix r(n, m);
    for (int i = 0; i < std::min(n, m); ++i) r(i, i) = x;
    return r;
  }

  /// ROWS(M) counts; ROWS(M,1,2:4) picks.
  static Value rows(Session& s, const Node& call) { return pick(s, call, true); }
  static Value cols(Session& s, const Node& call) { return pick(s, call, false); }
  static Value pick(Session& s, const Node& call, bool by_row) {
    need_arguments(call, 1, 10000);
    const Value v = s.evaluate(call.children[0]);
    const ExprMatrix& m = matrix_argument(v, call);
    if (call.children.size() == 1) return s.graph_->number(by_row ? m.rows : m.columns);
    std::vector<int> list;
    for (std::size_t i = 1; i < call.children.size(); ++i) {
      const Node& n = call.children[i];
      if (n.kind != NodeKind::Range) {
        list.push_back(s.evaluate_whole(n));
        continue;
      }
      const int to = std::min(s.evaluate_whole(n.children[1]), (by_row ? m.rows : m.columns) + 1);
      for (int k = s.evaluate_whole(n.children[0]); k <= to; ++k) list.push_back(k);
    }
    return by_row ? rows_of(m, list) : columns_of(m, list);
  }

  static Value element(Session& s, const Node& call) {
    need_arguments(call, 2, 3);
    const Value v = s.evaluate(call.children[0]);
    const ExprMatrix& m = matrix_argument(v, call);
    int i = s.evaluate_whole(call.children[1]);
    int j = call.children.size() == 3 ? s.evaluate_whole(call.children[2]) : 1;
    if (call.children.size() == 2 && m.rows == 1) std::swap(i, j);
    if (i < 1 || j < 1 || i > m.rows || j > m.columns)
      throw ModelError(call.where, fmt::format("a matrix of {} x {} has no element [{},{}]", m.rows, m.columns, i, j));
    return m(i - 1, j - 1);
  }

  static Value units(Session& s, const Node& call) {
    need_arguments(call, 2, 2);
    const double from = s.unit_factor(call.children[0].text, call.children[0].where);
    const double to = s.unit_factor(call.children[1].text, call.children[1].where);
    const std::string a = folded(call.children[0].text);
    const std::string b = folded(call.children[1].text);
    if (a == "DEG" && b == "RAD") return s.graph_->pi() / Expr(180);
    if (a == "RAD" && b == "DEG") return Expr(180) / s.graph_->pi();
    return s.graph_->bind(Expr(to / from));
  }

  static Value input(Session& s, const Node& call) {
    need_arguments(call, 1, 1);
    const Scalar& x = s.named_scalar(call.children[0]);
    if (!x.input) throw ModelError(call.where, fmt::format("INPUT has given no value for {}", x.spelled()));
    return *x.input;
  }

  static Value two(Session& s, const Node& call, Expr (*f)(const Expr&, const Expr&)) {
    need_arguments(call, 2, 1000);
    Expr r = s.evaluate_scalar(call.children[0]);
    for (std::size_t i = 1; i < call.children.size(); ++i) r = f(r, s.evaluate_scalar(call.children[i]));
    return r;
  }
  static Value atan2_(Session& s, const Node& call) {
    need_arguments(call, 2, 2);
    return atan2(s.evaluate_scalar(call.children[0]), s.evaluate_scalar(call.children[1]));
  }
  static Value max_(Session& s, const Node& call) { return two(s, call, max); }
  static Value min_(Session& s, const Node& call) { return two(s, call, min); }

  /// EPSILON(e, x): numbers smaller than x in magnitude become zero.
  static Value epsilon(Session& s, const Node& call) {
    need_arguments(call, 2, 2);
    const double least = std::abs(s.evaluate_number(call.children[1]));
    return each_part(s.evaluate(call.children[0]), [&](const Expr& e) { return without_small(*s.graph_, e, least); });
  }

  static Expr without_small(Graph& graph, const Expr& e, double least) {
    if (e.graph() == nullptr) return std::abs(to_double(e.number())) < least ? Expr(0) : e;
    std::vector<std::pair<Expr, Expr>> map;
    for (const NodeId id : topological_order(std::span(&e, 1)))
      if (graph.op(id) == Op::Number && std::abs(to_double(graph.number_value(id))) < least && !graph.is_zero(id))
        map.emplace_back(graph.at(id), graph.number(0));
    return map.empty() ? e : replace_nodes(graph, e, map);
  }
};

const std::map<std::string, FunctionHandler, std::less<>>& function_table() {
  static const std::map<std::string, FunctionHandler, std::less<>> table{
      {"DOT", Functions::dot},
      {"CROSS", Functions::cross},
      {"MAG", Functions::mag},
      {"UNITVEC", Functions::unitvec},
      {"VECTOR", Functions::vector},
      {"MATRIX", Functions::matrix},
      {"EXPRESS", Functions::express},
      {"PARTIALS", Functions::partials},
      {"DT", Functions::dt},
      {"D", Functions::d},
      {"MASS", Functions::mass},
      {"CM", Functions::cm},
      {"INERTIA", Functions::inertia},
      {"KE", Functions::ke},
      {"MOMENTUM", Functions::momentum},
      {"NICHECK", Functions::nicheck},
      {"FR", Functions::fr},
      {"FRSTAR", Functions::frstar},
      {"EXPAND", Functions::same},
      {"FACTOR", Functions::same},
      {"ARRANGE", Functions::same},
      {"RECOMBINE", Functions::same},
      {"ZEE", Functions::same},
      {"EXPLICIT", Functions::explicit_},
      {"RHS", Functions::rhs},
      {"REPLACE", Functions::replace},
      {"EVALUATE", Functions::evaluate},
      {"COEF", Functions::coef},
      {"EXCLUDE", Functions::exclude},
      {"INCLUDE", Functions::include},
      {"TAYLOR", Functions::taylor},
      {"POLYNOMIAL", Functions::polynomial},
      {"ROOTS", Functions::roots},
      {"EIG", Functions::eig},
      {"DET", Functions::det},
      {"INV", Functions::inv},
      {"INVERSE", Functions::inv},
      {"TRACE", Functions::trace},
      {"TRANSPOSE", Functions::transpose_},
      {"DIAGMAT", Functions::diagmat},
      {"ROWS", Functions::rows},
      {"COLS", Functions::cols},
      {"ELEMENT", Functions::element},
      {"UNITS", Functions::units},
      {"INPUT", Functions::input},
      {"ATAN2", Functions::atan2_},
      {"MAX", Functions::max_},
      {"MIN", Functions::min_},
      {"EPSILON", Functions::epsilon},
  };
  return table;
}

Value Session::call(const Node& node) {
  const std::string name = folded(node.text);
  check_time(node.where);
  try {
    if (const auto f = scalar_functions().find(name); f != scalar_functions().end()) {
      need_arguments(node, 1, 1);
      return each_scalar(node, evaluate(node.children[0]), [&](const Expr& e) { return f->second(*graph_, e); });
    }
    if (const auto f = function_table().find(name); f != function_table().end()) return f->second(*this, node);
  } catch (const LimitError&) {
    throw;
  } catch (const ModelError& error) {
    if (error.where().line != 0) throw;
    throw ModelError(node.where, error.message());
  }
  // Y = SOLVE(EQ,X): the command, then what it found.
  if (name == "SOLVE") {
    command_table().at(name)(*this, node);
    const std::vector<Expr> unknowns = symbols_named(std::span(node.children).subspan(1), false);
    ExprMatrix column(unknowns.size(), 1);
    for (std::size_t i = 0; i < unknowns.size(); ++i) {
      const Scalar* found = find_symbol(unknowns[i]);
      column(i, std::size_t{0}) = found != nullptr && found->value ? *found->value : unknowns[i];
    }
    if (unknowns.size() == 1) return column.entries.front();
    return column;
  }
  // M(1,2) is an element to some hands.
  if (w_.matrices.contains(name)) {
    Node element = node;
    element.kind = NodeKind::Element;
    return evaluate_element(element);
  }
  throw ModelError(node.where,
                   fmt::format("there is no function '{}'{}", node.text, suggestion(name, statement_words())));
}

/// Definitions are put in only if the symbols asked about are hidden behind them.
Value Session::explicitly_visible(const Value& v, const std::vector<Expr>& symbols) {
  return explicitly(v, {.keep = symbols});
}
Expr Session::explicitly_visible(const Expr& e, const std::vector<Expr>& symbols) {
  return explicitly(e, {.keep = symbols});
}

std::vector<std::string> function_words() {
  std::vector<std::string> words;
  for (const auto& [name, f] : scalar_functions()) words.push_back(name);
  for (const auto& [name, f] : function_table()) words.push_back(name);
  return words;
}

}  // namespace kane::autolev

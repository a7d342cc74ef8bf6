// Functions that rewrite expressions: EXPLICIT, EVALUATE, COEF, TAYLOR, polynomials.

#include "kane/formats/autolev/functions.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "kane/expr/affine.hpp"
#include "kane/expr/number.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/formats/autolev/eigen.hpp"
#include "kane/formats/autolev/matrices.hpp"

namespace kane::autolev {

namespace {

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

}  // namespace

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

Value Functions::same(Session& s, const Node& call) {
  need_arguments(call, 1, 1000);
  return s.evaluate(call.children[0]);
}

Value Functions::explicit_(Session& s, const Node& call) {
  need_arguments(call, 1, 1000);
  Explicitly how;
  how.keep = s.symbols_named(std::span(call.children).subspan(1), false);
  return s.explicitly(s.evaluate(call.children[0]), how);
}

Value Functions::rhs(Session& s, const Node& call) {
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

std::vector<std::pair<Expr, Expr>> Functions::pairs(Session& s, const Node& call, std::size_t first) {
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

Value Functions::replace(Session& s, const Node& call) {
  need_arguments(call, 2, 100000);
  const auto map = pairs(s, call, 1);
  // A name stands for what it is defined as.
  Value v = s.evaluate(call.children[0]);
  if (const Scalar* known = call.children[0].is_name() ? s.find(call.children[0].key()) : nullptr;
      known != nullptr && known->value)
    v = *known->value;
  return each_part(v, [&](const Expr& e) { return replace_nodes(*s.graph_, e, map); });
}

Value Functions::evaluate(Session& s, const Node& call) {
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

Value Functions::measure_number(Session& s, const Node& call) {
  const Vector v = s.evaluate_vector(call.children[0]);
  const Vector along = s.evaluate_vector(call.children[1]);
  if (along.terms().size() != 1)
    throw ModelError(call.children[1].where, "COEF takes a unit vector of a frame, such as N1>");
  const auto& term = along.terms().front();
  const auto one = std::find_if(term.c.begin(), term.c.end(), [](const Expr& e) { return e.is_one(); });
  if (one == term.c.end()) throw ModelError(call.children[1].where, "COEF takes a unit vector of a frame, such as N1>");
  return s.frames().express(v, term.frame)[static_cast<std::size_t>(one - term.c.begin())];
}

Value Functions::coefficient_of_power(Session& s, const Node& call, const Node& power) {
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

Value Functions::coef(Session& s, const Node& call) {
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

Value Functions::exclude(Session& s, const Node& call) {
  need_arguments(call, 2, 1000);
  const auto by = s.symbols_named(std::span(call.children).subspan(1), false);
  const Value v = s.explicitly_visible(s.evaluate(call.children[0]), by);
  return each_part(v, [&](const Expr& e) { return without(e, by); });
}

Value Functions::include(Session& s, const Node& call) {
  need_arguments(call, 2, 1000);
  const auto by = s.symbols_named(std::span(call.children).subspan(1), false);
  const Value v = s.explicitly_visible(s.evaluate(call.children[0]), by);
  return each_part(v, [&](const Expr& e) { return e - without(e, by); });
}

Value Functions::taylor(Session& s, const Node& call) {
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

Value Functions::polynomial(Session& s, const Node& call) {
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

ExprMatrix Functions::coefficients(Session& s, const Expr& e, const Expr& x, int degree, const Node& call) {
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

Value Functions::roots(Session& s, const Node& call) {
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

Value Functions::eig(Session& s, const Node& call) {
  need_arguments(call, 1, 1);
  const Value v = s.evaluate(call.children[0]);
  const auto* m = std::get_if<ExprMatrix>(&v);
  if (m == nullptr) wrong_use(call);
  return eigenvalues_of(s, *m, call.where, false).values;
}

}  // namespace kane::autolev

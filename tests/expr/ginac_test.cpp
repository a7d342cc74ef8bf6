// The same random expressions in GiNaC, an algebra system that shares nothing with Kane: values, derivatives, and what is
// identically equal.

#include <ginac/ginac.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <optional>

#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/print.hpp"
#include "tests/expr/precise.hpp"
#include "tests/expr/random_expr.hpp"

extern "C" const char* __lsan_default_suppressions();

/// CLN, the numbers of GiNaC, keeps a few bytes until the program ends. Asked by the leak checker of a sanitized build.
extern "C" const char* __lsan_default_suppressions() { return "leak:libcln"; }

namespace kane::test {
namespace {

/// The symbols of GiNaC that stand for those of random_expr.hpp.
struct Symbols {
  std::vector<GiNaC::symbol> list;
  Symbols() {
    for (int i = 0; i < kSymbols; ++i) list.emplace_back(symbol_name(i));
  }
  [[nodiscard]] const GiNaC::symbol& operator[](int i) const { return list[static_cast<std::size_t>(i)]; }
};

/// Throws pole_error and the like where GiNaC finds a division by zero.
GiNaC::ex build(const Tree& tree, const Symbols& symbols) {
  std::vector<GiNaC::ex> p;
  for (const auto& part : tree.parts) p.push_back(build(part, symbols));
  switch (tree.op) {
    case Op::Number: return GiNaC::numeric(tree.value, tree.denominator);
    case Op::Symbol: return symbols[tree.value];
    case Op::Neg: return -p[0];
    case Op::Add: return p[0] + p[1];
    case Op::Sub: return p[0] - p[1];
    case Op::Mul: return p[0] * p[1];
    case Op::Div: return p[0] / p[1];
    case Op::Pow: return GiNaC::pow(p[0], tree.value);
    case Op::Sin: return GiNaC::sin(p[0]);
    case Op::Cos: return GiNaC::cos(p[0]);
    case Op::Tan: return GiNaC::tan(p[0]);
    case Op::Atan: return GiNaC::atan(p[0]);
    case Op::Sinh: return GiNaC::sinh(p[0]);
    case Op::Cosh: return GiNaC::cosh(p[0]);
    case Op::Tanh: return GiNaC::tanh(p[0]);
    case Op::Exp: return GiNaC::exp(p[0]);
    default: throw std::logic_error("not in the list of random_expr.hpp");
  }
}

struct Both {
  Expr ours;
  GiNaC::ex theirs;
};

Both build_both(Graph& graph, const Tree& tree, const Symbols& symbols) {
  try {
    Both both{build_or_discard(graph, tree), build(tree, symbols)};
    return both;
  } catch (const std::exception&) {
    RC_DISCARD("a pole");
  }
}

/// With 50 digits; empty if it is not a finite real number.
std::optional<double> value_of(const GiNaC::ex& e, const Symbols& symbols, const Point& at) {
  GiNaC::exmap map;
  for (int i = 0; i < kSymbols; ++i) map[symbols[i]] = GiNaC::numeric(at.at(symbol_name(i)));
  try {
    const GiNaC::ex value = e.subs(map).evalf();
    if (!GiNaC::is_a<GiNaC::numeric>(value) || !GiNaC::ex_to<GiNaC::numeric>(value).is_real()) return std::nullopt;
    const double number = GiNaC::ex_to<GiNaC::numeric>(value).to_double();
    return std::isfinite(number) && std::abs(number) < 1e9 ? std::optional(number) : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void expect_close(const std::optional<double>& a, const std::optional<double>& b) {
  RC_PRE(a.has_value() && b.has_value());
  RC_ASSERT(std::abs(*a - *b) <= 1e-8 * std::max(1.0, std::abs(*a)));
}

RC_GTEST_PROP(AgainstGinac, SameValue, ()) {
  Graph graph;
  const Symbols symbols;
  GiNaC::Digits = 50;
  const auto [ours, theirs] = build_both(graph, random_tree(Shape::Smooth, 4), symbols);
  const Point at = random_point();
  RC_LOG() << to_text(ours) << "\n";
  expect_close(evaluate_precisely(ours, at), value_of(theirs, symbols, at));
}

RC_GTEST_PROP(AgainstGinac, SameDerivative, ()) {
  Graph graph;
  const Symbols symbols;
  GiNaC::Digits = 50;
  const auto [ours, theirs] = build_both(graph, random_tree(Shape::Smooth, 4), symbols);
  const int by = pick(kSymbols);
  const Point at = random_point();
  std::optional<double> expected;
  try {
    expected = value_of(theirs.diff(symbols[by]), symbols, at);
  } catch (const std::exception&) {
    RC_DISCARD("a pole");
  }
  const Expr d = graph.bind(derivative(ours, graph.symbol(symbol_name(by))));
  RC_LOG() << to_text(ours) << "\n" << to_text(d) << "\n";
  expect_close(evaluate_precisely(d, at), expected);
}

/// GiNaC's proof that a rational function is zero: its normal form.
bool vanishes(const GiNaC::ex& e) { return e.normal().expand().is_zero(); }

RC_GTEST_PROP(AgainstGinac, RationalFunctionsAreOneNodeExactlyIfTheyAreEqual, ()) {
  Graph graph;
  const Symbols symbols;
  const Tree a = random_tree(Shape::Rational, 4), b = random_tree(Shape::Rational, 3);
  const auto [x, u] = build_both(graph, a, symbols);
  const auto [y, v] = build_both(graph, b, symbols);
  bool equal = false;
  try {
    equal = vanishes(u - v);
  } catch (const std::exception&) {
    RC_DISCARD("a pole");
  }
  RC_ASSERT((graph.bind(x) == graph.bind(y)) == equal);
}

RC_GTEST_PROP(AgainstGinac, EqualRationalFunctionsInOtherFormsAreOneNode, ()) {
  Graph graph;
  const Symbols symbols;
  const auto [x, u] = build_both(graph, random_tree(Shape::Rational, 3), symbols);
  const auto [y, v] = build_both(graph, random_tree(Shape::Rational, 3), symbols);
  const auto [z, w] = build_both(graph, random_tree(Shape::Rational, 2), symbols);
  // Two ways to the same: GiNaC proves that the forms are equal, Kane must have given them one node.
  RC_ASSERT(vanishes((u + v) * (u - v) * w - (u * u * w - v * v * w)));
  RC_ASSERT(graph.bind((x + y) * (x - y) * z) == graph.bind(x * x * z - y * y * z));
  RC_ASSERT(graph.bind((x + y) * (x + y) - x * x - y * y) == graph.bind(2 * x * y));
  if (!y.is_zero() && !z.is_zero()) {
    RC_ASSERT(graph.bind(x / y + x / z) == graph.bind(x * (y + z) / (y * z)));
    RC_ASSERT(vanishes(u / v + u / w - u * (v + w) / (v * w)));
  }
  // And a small change makes another.
  RC_ASSERT(!(graph.bind(x * y + graph.number(1, 1000003)) == graph.bind(x * y)));
}

}  // namespace
}  // namespace kane::test

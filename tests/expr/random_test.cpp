// Properties of random expressions.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/count.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/expr/value.hpp"
#include "tests/expr/precise.hpp"
#include "tests/expr/random_expr.hpp"

namespace kane::test {
namespace {

const FunctionTable kFunctions = {
    {"f", [](std::span<const double> x) { return x[0] * x[1] + std::sin(x[0]); }},
    {"f_1", [](std::span<const double> x) { return x[1] + std::cos(x[0]); }},
    {"f_2", [](std::span<const double> x) { return x[0]; }},
};

/// Discards what has no derivative anywhere, such as asin(2 + sign(x)^2...).
Expr derivative_or_discard(const Expr& e, const Expr& symbol) {
  try {
    return symbol.graph()->bind(derivative(e, symbol));
  } catch (const ModelError&) {
    RC_DISCARD("no derivative");
  }
}

void expect_value_of_tree(Shape shape, int depth) {
  const Tree tree = random_tree(shape, depth);
  Graph graph;
  const Expr e = build_or_discard(graph, tree);
  const Point at = random_point();
  const auto result = compare(tree, e, at);
  RC_LOG() << to_text(e) << "\n";
  // Where the tree has a real value, so has the expression (a pole in it would be a singularity that was not there).
  if (!result && is_defined(tree, at)) RC_ASSERT(std::isfinite(evaluate(e, Values(at.begin(), at.end()), kFunctions)));
  RC_PRE(result.has_value());
  RC_ASSERT(result->difference < 1e-30);
}

RC_GTEST_PROP(RandomExpression, HasTheValueOfItsTree, ()) { expect_value_of_tree(Shape::Anything, 5); }
RC_GTEST_PROP(RandomExpression, OfSmoothFunctionsHasTheValueOfItsTree, ()) { expect_value_of_tree(Shape::Smooth, 6); }
RC_GTEST_PROP(RandomExpression, RationalHasTheValueOfItsTree, ()) { expect_value_of_tree(Shape::Rational, 7); }

RC_GTEST_PROP(RandomExpression, EvaluatesInDoubleAsWithManyDigits, ()) {
  Graph graph;
  const Expr e = build_or_discard(graph, random_tree(Shape::Anything, 5));
  const Point at = random_point();
  const auto exact = evaluate_precisely(e, at);
  RC_PRE(exact.has_value());
  const double value = evaluate(e, Values(at.begin(), at.end()), kFunctions);
  RC_PRE(std::isfinite(value));
  RC_ASSERT(std::abs(value - *exact) <= 1e-6 * std::max(1.0, std::abs(*exact)));
}

RC_GTEST_PROP(RandomExpression, DerivativeIsTheLimitOfDifferences, ()) {
  Graph graph;
  const Expr e = build_or_discard(graph, random_tree(Shape::Anything, 5));
  const std::string name = symbol_name(pick(kSymbols));
  const Expr d = derivative_or_discard(e, graph.symbol(name));
  const auto result = compare_derivative(e, d, name, random_point());
  RC_PRE(result.has_value());
  RC_LOG() << to_text(e) << "\n" << to_text(d) << "\n";
  RC_ASSERT(result->difference < 1e-15);
}

RC_GTEST_PROP(RandomExpression, PrintedAndParsedIsTheSameNode, ()) {
  Graph graph;
  const Expr e = build_or_discard(graph, random_tree(Shape::Anything, 6));
  const std::string text = to_text(e);
  RC_LOG() << text << "\n";
  RC_ASSERT(to_text(e) == text);
  RC_ASSERT(graph.bind(parse(graph, text)) == graph.bind(e));
}

RC_GTEST_PROP(RandomExpression, BuiltAgainIsTheSameNode, ()) {
  const Tree tree = random_tree(Shape::Anything, 6);
  Graph graph;
  const Expr e = build_or_discard(graph, tree);
  const std::size_t nodes = graph.size();
  RC_ASSERT(build(graph, tree) == e);
  RC_ASSERT(graph.size() == nodes);
}

RC_GTEST_PROP(RandomExpression, CopiedToAnotherGraphHasTheSameValue, ()) {
  Graph graph, other;
  const Expr e = build_or_discard(graph, random_tree(Shape::Anything, 6));
  const Point at = random_point();
  const auto here = evaluate_precisely(e, at), there = evaluate_precisely(copy_to(other, e), at);
  RC_PRE(here.has_value() && there.has_value());
  RC_ASSERT(std::abs(*here - *there) <= 1e-14 * std::max(1.0, std::abs(*here)));
}

RC_GTEST_PROP(RandomExpression, RationalFunctionsCopiedAndCopiedBackAreTheSameNode, ()) {
  Graph graph, other;
  const Expr e = build_or_discard(graph, random_tree(Shape::Rational, 6));
  RC_ASSERT(graph.bind(copy_to(graph, copy_to(other, e))) == graph.bind(e));
}

RC_GTEST_PROP(RandomExpression, SubstitutionIsComposition, ()) {
  Graph graph;
  const Expr e = build_or_discard(graph, random_tree(Shape::Smooth, 4));
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  const Expr inner = graph.symbol("x") * y + graph.number(1, 3);
  Expr replaced;
  try {
    replaced = graph.bind(substitute(e, {{x, inner}, {y, x}}));
  } catch (const ModelError&) {
    RC_DISCARD("division by zero after substitution");
  }
  Point at = random_point(), moved = at;
  moved["x"] = at["x"] * at["y"] + 1.0 / 3.0;
  moved["y"] = at["x"];
  const auto a = evaluate_precisely(replaced, at), b = evaluate_precisely(e, moved);
  RC_PRE(a.has_value() && b.has_value());
  RC_ASSERT(std::abs(*a - *b) <= 1e-7 * std::max(1.0, std::abs(*a)));
}

RC_GTEST_PROP(RandomExpression, AffineFormIsTheWhole, ()) {
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  const Expr a = build_or_discard(graph, random_tree(Shape::Smooth, 2));
  const Expr b = build_or_discard(graph, random_tree(Shape::Smooth, 2));
  const Expr symbols[] = {x, y};
  const auto free = [&](const Expr& e) {
    return graph.bind(substitute(e, {{x, graph.symbol("p")}, {y, graph.symbol("r")}}));
  };
  Expr c, d;
  try {
    c = free(a), d = free(b);
  } catch (const ModelError&) {
    RC_DISCARD("division by zero after substitution");
  }
  const Expr e = graph.bind((x + c) * d - y * c + (x + 1) * (x - 1) - x * x);
  const Affine form = affine_in(e, symbols);
  RC_LOG() << to_text(e) << "\n"
           << to_text(form.coefficients[0]) << "\n"
           << to_text(form.coefficients[1]) << "\n"
           << to_text(form.remainder) << "\n";
  RC_ASSERT(graph.bind(form.coefficients[0] * x + form.coefficients[1] * y + form.remainder) == e);
  for (const auto& part : {form.coefficients[0], form.coefficients[1], form.remainder})
    for (const auto& symbol : symbols) RC_ASSERT(!depends_on(graph.bind(part), symbol));
  RC_ASSERT(!find_affine(e + sin(x), symbols).has_value());
}

RC_GTEST_PROP(RandomExpression, CostsFallTowardsTheLeaves, ()) {
  // Many expressions in one graph, so that classes find cheaper forms: then still no class is its own descendant.
  Graph graph;
  std::vector<Expr> all;
  for (int i = 0; i < 12; ++i) {
    try {
      all.push_back(build(graph, random_tree(Shape::Anything, 5)));
    } catch (const ModelError&) {
    }
  }
  const std::size_t count = all.size();
  for (std::size_t i = 0; i + 1 < count; ++i) {
    all.push_back((all[i] + all[i + 1]) * (all[i] - all[i + 1]));
    all.push_back(all[i] * all[i] - all[i + 1] * all[i + 1]);
  }
  for (NodeId id = 0; id < graph.size(); ++id)
    for (const NodeId arg : graph.args(id)) RC_ASSERT(graph.cost(arg) < graph.cost(id));
  RC_ASSERT(topological_order(all).size() <= graph.size());
}

RC_GTEST_PROP(RandomExpression, CountsEveryNodeOnce, ()) {
  Graph graph;
  const Expr e = build_or_discard(graph, random_tree(Shape::Anything, 5));
  OperationCount expected;
  for (const NodeId id : topological_order({&e, 1})) {
    switch (info(graph.op(id)).kind) {
      case OpKind::Add: ++expected.add; break;
      case OpKind::Mul: expected.mul += graph.op(id) == Op::Pow ? power_chain_length(graph.exponent(id)) : 1; break;
      case OpKind::Div: ++expected.div; break;
      case OpKind::Function: ++expected.func; break;
      default: break;
    }
  }
  const Expr twice[] = {e, e};
  RC_ASSERT(count_operations({&e, 1}) == expected);
  RC_ASSERT(count_operations(twice) == expected);
  const auto symbols = graph.symbols();
  RC_ASSERT(count_operations({&e, 1}, {}).total() == 0);
  RC_ASSERT(count_operations({&e, 1}, symbols).total() <= expected.total());
}

RC_GTEST_PROP(RandomExpression, JacobianIsMadeOfDerivatives, ()) {
  Graph graph;
  std::vector<Expr> outputs, inputs;
  for (int i = 0; i < 3; ++i) outputs.push_back(build_or_discard(graph, random_tree(Shape::Smooth, 4)));
  for (int i = 0; i < kSymbols; ++i) inputs.push_back(graph.symbol(symbol_name(i)));
  const Jacobian all = jacobian(outputs, inputs);
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < kSymbols; ++c) {
      const Expr single = derivative(outputs[static_cast<std::size_t>(r)], inputs[static_cast<std::size_t>(c)]);
      RC_ASSERT(graph.bind(all.at(r, c)) == graph.bind(single));
    }
  for (const auto& entry : all.entries) RC_ASSERT(!entry.value.is_zero());
}

}  // namespace
}  // namespace kane::test

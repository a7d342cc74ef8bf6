// Graphs: limits, threads, external functions, derivatives of every operator, affine forms, and size.

#include "kane/expr/graph.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <limits>
#include <thread>

#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/substitution.hpp"

namespace kane {
namespace {

template <class Function>
std::string message_of(Function function) {
  try {
    function();
  } catch (const ModelError& error) {
    return error.message();
  }
  return "";
}

// ---- derivatives -----------------------------------------------------------------------------------------------------------

struct Rule {
  const char* function;
  const char* derivative;  ///< by x
};

void PrintTo(const Rule& rule, std::ostream* out) { *out << rule.function; }

class Derivative : public testing::TestWithParam<Rule> {};
TEST_P(Derivative, IsThatOfTheBook) {
  Graph graph;
  graph.declare_function("f", 2);
  graph.declare_function("g", 2, {"g_x", "g_y"});
  graph.declare_function("f_1", 2);
  graph.declare_function("g_x", 2);
  graph.declare_function("g_y", 2);
  const Expr e = parse(graph, GetParam().function), expected = parse(graph, GetParam().derivative);
  const Expr d = graph.bind(derivative(e, graph.symbol("x")));
  EXPECT_EQ(d, expected) << to_text(d);
}

INSTANTIATE_TEST_SUITE_P(
    Table, Derivative,
    testing::Values(
        Rule{"-x", "-1"}, Rule{"x + y", "1"}, Rule{"y - x", "-1"}, Rule{"x*y", "y"}, Rule{"y/x", "-y/x^2"},
        Rule{"x^5", "5*x^4"}, Rule{"x^-2", "-2/x^3"}, Rule{"sqrt(x)", "1/(2*sqrt(x))"},
        Rule{"x^(2/3)", "2/3*x^(2/3)/x"}, Rule{"sin(x*y)", "y*cos(x*y)"}, Rule{"cos(x)", "-sin(x)"},
        Rule{"tan(x)", "1/cos(x)^2"}, Rule{"asin(x)", "1/sqrt(1 - x^2)"}, Rule{"acos(x)", "-1/sqrt(1 - x^2)"},
        Rule{"atan(x)", "1/(1 + x^2)"}, Rule{"atan2(y, x)", "-y/(x^2 + y^2)"}, Rule{"atan2(x, y)", "y/(x^2 + y^2)"},
        Rule{"sinh(x)", "cosh(x)"}, Rule{"cosh(x)", "sinh(x)"}, Rule{"tanh(x)", "1/cosh(x)^2"},
        Rule{"exp(x*y)", "y*exp(x*y)"}, Rule{"log(x)", "1/x"}, Rule{"abs(x)", "sign(x)"}, Rule{"sign(x)", "0"},
        Rule{"floor(x)", "0"}, Rule{"min(x, y)", "select(y < x, 0, 1)"}, Rule{"max(x, y)", "select(x < y, 0, 1)"},
        Rule{"mod(x, y)", "1"}, Rule{"mod(y, x)", "-floor(y/x)"}, Rule{"x < y", "0"}, Rule{"x <= y", "0"},
        Rule{"x == y", "0"}, Rule{"select(x < y, x^2, x)", "select(x < y, 2*x, 1)"}, Rule{"x^y", "y*x^y/x"},
        Rule{"f(x, y)", "f_1(x, y)"}, Rule{"g(y, x^2)", "2*x*g_y(y, x^2)"}, Rule{"g(x, x)", "g_x(x, x) + g_y(x, x)"}));

TEST(TimeDerivative, FollowsTheRatesOfTheSymbols) {
  Graph graph;
  const Expr q = graph.symbol("q"), u = graph.symbol("u"), t = graph.symbol("t");
  const Expr e = parse(graph, "q^2*sin(t) + m*u + 3");
  EXPECT_EQ(time_derivative(e, {{q, u}, {u, graph.symbol("u'")}, {t, 1}}),
            parse(graph, "2*q*u*sin(t) + q^2*cos(t) + m*u'"));
  EXPECT_TRUE(time_derivative(e, {}).is_zero());
}

TEST(Jacobian, HoldsOnlyWhatIsNotZero) {
  Graph graph;
  const Expr outputs[] = {parse(graph, "x*y"), parse(graph, "z^2"), graph.number(7), Expr(3),
                          parse(graph, "x - x + z")};
  const Expr inputs[] = {graph.symbol("x"), graph.symbol("y"), graph.symbol("z"), graph.symbol("unused")};
  const Jacobian j = jacobian(outputs, inputs);
  EXPECT_EQ(j.rows, 5);
  EXPECT_EQ(j.columns, 4);
  ASSERT_EQ(j.entries.size(), 4U);
  EXPECT_EQ(j.at(0, 0), graph.symbol("y"));
  EXPECT_EQ(j.at(0, 1), graph.symbol("x"));
  EXPECT_EQ(j.at(1, 2), parse(graph, "2*z"));
  EXPECT_EQ(j.at(4, 2), Expr(1));
  EXPECT_TRUE(j.at(3, 3).is_zero());
  EXPECT_NE(message_of([&] { (void)jacobian(outputs, std::span(&outputs[0], 1)); }).find("'x*y' is not a symbol"),
            std::string::npos);
}

// ---- affine forms ----------------------------------------------------------------------------------------------------------

TEST(Affine, NamesTheTermThatIsNotLinear) {
  Graph graph;
  const Expr symbols[] = {graph.symbol("u1"), graph.symbol("u2")};
  const auto message = [&](const char* text) {
    return message_of([&] { (void)affine_in(parse(graph, text), symbols, "the velocity"); });
  };
  EXPECT_EQ(message("3*u1 + q*u1*u2"), "the velocity is not linear in u1, u2: it contains the term 'q*u1*u2'");
  EXPECT_EQ(message("u1 + sin(u2)"), "the velocity is not linear in u2: it contains the term 'sin(u2)'");
  EXPECT_EQ(message("a/u1 + u2"), "the velocity is not linear in u1: it contains the term 'a/u1'");
  for (const char* text :
       {"select(u1 < 0, u1, u2)", "u1*sign(u1)", "u1 + floor(u2)", "u2 + (u1 < u2)", "abs(u1)", "u1 + mod(u2, 3)"})
    EXPECT_NE(message(text), "") << text;
}

TEST(Affine, LeavesNothingOver) {
  Graph graph;
  const Expr symbols[] = {graph.symbol("u"), graph.symbol("v")};
  const Affine a = affine_in(parse(graph, "(u + 1)^2 - u^2 + sin(q)*(v - u)/m"), symbols);
  EXPECT_EQ(a.coefficients[0], parse(graph, "2 - sin(q)/m"));
  EXPECT_EQ(a.coefficients[1], parse(graph, "sin(q)/m"));
  EXPECT_EQ(a.remainder, Expr(1));
}

TEST(Affine, DoesNotMultiplyTheBranchNotTakenByZero) {
  Graph graph;
  const Expr symbols[] = {graph.symbol("u"), graph.symbol("v")};
  const Affine a = affine_in(parse(graph, "select(q < 0, v + 2, u*sqrt(q) + log(q))"), symbols);
  const Values left{{"q", -1.0}}, right{{"q", 4.0}};
  EXPECT_EQ(evaluate(a.coefficients[0], left), 0);
  EXPECT_EQ(evaluate(a.coefficients[0], right), 2);
  EXPECT_EQ(evaluate(a.coefficients[1], left), 1);
  EXPECT_EQ(evaluate(a.coefficients[1], right), 0);
  EXPECT_EQ(evaluate(a.remainder, left), 2);
  EXPECT_EQ(evaluate(a.remainder, right), std::log(4.0));
}

// ---- external functions ------------------------------------------------------------------------------------------------------

TEST(ExternalFunction, HasValueDerivativeAndChecks) {
  Graph graph;
  graph.declare_function("table", 2, {"table_x", "table_y"});
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  const Expr args[] = {x, y};
  const Expr e = graph.call("table", args);
  const FunctionTable values = {{"table", [](std::span<const double> a) { return a[0] * a[0] + a[1]; }},
                                {"table_x", [](std::span<const double> a) { return 2 * a[0]; }}};
  EXPECT_EQ(evaluate(e, {{"x", 3.0}, {"y", 1.0}}, values), 10);
  EXPECT_EQ(evaluate(derivative(e, x), {{"x", 3.0}, {"y", 1.0}}, values), 6);
  EXPECT_NE(message_of([&] {
              (void)evaluate(derivative(e, y), {{"x", 3.0}, {"y", 1.0}}, values);
            }).find("table_y"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)graph.call("table", std::span(args, 1)); }), "");
  EXPECT_NE(message_of([&] { graph.declare_function("table", 3); }), "");
  EXPECT_NE(message_of([&] { graph.declare_function("sin", 1); }).find("built-in"), std::string::npos);
}

// ---- not a number --------------------------------------------------------------------------------------------------------------

TEST(Evaluate, NotANumberDoesNotVanish) {
  Graph graph;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* text : {"min(x, 1)", "min(1, x)", "max(x, 1)", "max(1, x)", "mod(x, 2)", "mod(2, x)", "sign(x)",
                           "x*0.5", "abs(x)", "floor(x)", "sqrt(x)"})
    EXPECT_TRUE(std::isnan(evaluate(parse(graph, text), {{"x", nan}}))) << text;
  EXPECT_EQ(evaluate(parse(graph, "x < 1"), {{"x", nan}}), 0);
  EXPECT_NE(message_of([&] { (void)graph.bind(Expr(nan)); }).find("not finite"), std::string::npos);
  EXPECT_NE(message_of([&] { (void)Expr(std::numeric_limits<double>::infinity()); }), "");
}

TEST(Substitution, NamesTheDivisorThatBecomesZero) {
  Graph graph;
  const Expr e = parse(graph, "a/(x - y)");
  EXPECT_EQ(message_of([&] {
              (void)substitute(e, {{graph.symbol("x"), graph.symbol("y")}});
            }),
            "division by 'x - y', which becomes identically zero");
}

// ---- limits and size -------------------------------------------------------------------------------------------------------

TEST(Graph, RefusesToGrowPastItsLimit) {
  Graph graph({.max_nodes = 1000});
  Expr e = graph.symbol("x");
  const std::string message = message_of([&] {
    for (;;) e = e * (e + 1);
  });
  EXPECT_NE(message.find("limit of 1000 nodes (max_nodes)"), std::string::npos) << message;
  EXPECT_EQ(graph.size(), 1000U);
  EXPECT_TRUE((e - e).is_zero()) << "what is known can still be asked for";
}

TEST(Graph, AMillionAdditions) {
  Graph graph;
  const Expr x = graph.symbol("x");
  Expr sum = graph.symbol("y"), a = x;
  const std::clock_t start = std::clock();
  for (int i = 0; i < 1'000'000; ++i) sum = sum + a, a = i % 2 == 0 ? x * sum : x;
  const Expr d = derivative(sum, x);
  const double value = evaluate(sum, {{"x", 1e-6}, {"y", 1.0}});
  // y' = y x for half of the steps, y' = y + x for the others.
  double y = 1.0, b = 1e-6;
  for (int i = 0; i < 1'000'000; ++i) y = y + b, b = i % 2 == 0 ? 1e-6 * y : 1e-6;
  EXPECT_NEAR(value, y, 1e-9 * y);
  EXPECT_FALSE(d.is_zero());
  // About a second; the bound leaves room for sanitizers, not for work that grows with the square.
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 60.0);
  EXPECT_LT(graph.memory_bytes(), 80 * graph.size());
}

// y finds a cheaper form, that of a negation, after x - y was formed. x is so long that its cost is not counted on, and the
// difference keeps its form.
TEST(Graph, NegatesADifferenceWhoseSubtrahendHasBecomeANegation) {
  Graph g;
  const Expr a = g.symbol("a"), b = g.symbol("b"), c = g.symbol("c");
  Expr x = g.symbol("x");
  for (int i = 0; i < 80; ++i) x = x * (x + i);
  const Expr y = a * b - a * c, difference = x - y;
  EXPECT_EQ(y + a * (c - b), 0);
  EXPECT_EQ(-difference + x, y);
}

TEST(Graph, DeepExpressionsNeedNoStack) {
  Graph graph;
  Expr e = graph.symbol("x");
  for (int i = 0; i < 100'000; ++i) e = sin(e) + 1;
  EXPECT_FALSE(derivative(e, graph.symbol("x")).is_zero());
  EXPECT_FALSE(substitute(e, {{graph.symbol("x"), graph.symbol("y")}}) == e);
  EXPECT_TRUE(std::isfinite(evaluate(e, {{"x", 1.0}})));
  EXPECT_LE(e.to_string().size(), 210U);
  const Expr x[] = {graph.symbol("x")};
  EXPECT_FALSE(find_affine(e, x).has_value());
}

TEST(Graph, TwoGraphsInTwoThreadsDoNotMeet) {
  const auto work = [](std::string* result) {
    Graph graph;
    Expr e = parse(graph, "x/3 + 123456789012345678901234567890123456789*y");
    for (int i = 0; i < 2000; ++i) e = e * cos(graph.symbol("q" + std::to_string(i % 50))) + Expr(i) / 7;
    *result = std::to_string(graph.size()) + derivative(e, graph.symbol("x")).to_string();
  };
  const Expr shared(Rational("123456789012345678901234567890"));  // a bare number may be copied by many
  std::string results[4];
  std::vector<std::thread> threads;
  for (auto& result : results)
    threads.emplace_back([&work, &result, shared] {
      work(&result);
      Graph graph;
      const Expr product = graph.symbol("x") * shared;
      result += product.to_string();
    });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) EXPECT_EQ(result, results[0]);
}

TEST(Graph, ExpressionsOfTwoGraphsAreNotMixed) {
  Graph one, two;
  EXPECT_NE(message_of([&] { (void)(one.symbol("x") + two.symbol("x")); }).find("another graph"), std::string::npos);
  EXPECT_FALSE(one.symbol("x") == two.symbol("x"));
}

}  // namespace
}  // namespace kane

// The textbook form: its appearance, that it is the same node, and that it stays fast.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "kane/expr/graph.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/parse.hpp"

namespace kane {
namespace {

struct LiteralCase {
  const char* input;
  const char* text;
};

class LiteralText : public testing::TestWithParam<LiteralCase> {};

TEST_P(LiteralText, ReadsLikeABook) {
  Graph graph;
  for (const char* name : {"m", "g", "L"}) graph.symbol(name);
  const Expr e = graph.bind(parse(graph, GetParam().input));
  const Literal result = literal(e);
  EXPECT_EQ(result.text, GetParam().text);
  EXPECT_FALSE(result.too_long);
  EXPECT_EQ(parse(graph, result.text), e);
}

INSTANTIATE_TEST_SUITE_P(
    Trigonometry, LiteralText,
    testing::Values(LiteralCase{"sin(q1)*cos(q2) + cos(q1)*sin(q2)", "sin(q1 + q2)"},
                    LiteralCase{"3*a*sin(q1)*cos(q2) + 3*a*cos(q1)*sin(q2)", "3*a*sin(q1 + q2)"},
                    LiteralCase{"sin(q)^2 + cos(q)^2", "1"}, LiteralCase{"cos(q)^2 - sin(q)^2", "cos(2*q)"},
                    LiteralCase{"2*sin(q)*cos(q)", "sin(2*q)"}, LiteralCase{"sin(q)*cos(q)", "sin(q)*cos(q)"},
                    LiteralCase{"1 - sin(q)^2", "cos(q)^2"}, LiteralCase{"a*sin(q)^2 + a*cos(q)^2 + b", "a + b"},
                    LiteralCase{"1 + cos(2*q1 + 2*q2)", "2*cos(q1 + q2)^2"}, LiteralCase{"tan(q)", "tan(q)"},
                    LiteralCase{"tan(q)*cos(q)*a", "a*sin(q)"}, LiteralCase{"cos(q/2)^2", "cos(q/2)^2"},
                    LiteralCase{"sin(q1)*(sin(q2)*cos(q3) + cos(q2)*sin(q3))*L", "L*sin(q1)*sin(q2 + q3)"},
                    LiteralCase{"(a*cos(q2) + b*(cos(q2)*cos(q3) - sin(q2)*sin(q3)))^2",
                                "(a*cos(q2) + b*cos(q2 + q3))^2"},
                    LiteralCase{"cos(q1) + cos(q1 + q2)", "cos(q1) + cos(q1 + q2)"},
                    LiteralCase{"tan(q1 + q2)*sin(q2) + cos(q2)", "cos(q1)/cos(q1 + q2)"},
                    LiteralCase{"sin(q + pi/4)", "sin(q + pi/4)"}, LiteralCase{"cos(q + pi/2)", "-sin(q)"}));

// The equations of the planar two-link arm (Buffinton, eqs. 6.21, 6.22, 6.24 and 6.25, with the misprints put right).
INSTANTIATE_TEST_SUITE_P(
    TwoLinkArm, LiteralText,
    testing::Values(LiteralCase{"-m*L^2*(3*u1' + 2*cos(q2)*u1' + u2' + cos(q2)*u2' - 2*sin(q2)*u1*u2 - sin(q2)*u2^2)",
                                "-m*L^2*((3 + 2*cos(q2))*u1' + (1 + cos(q2))*u2' - sin(q2)*u2*(2*u1 + u2))"},
                    LiteralCase{"-m*L^2*u1' - m*L^2*cos(q2)*u1' - m*L^2*u2' - m*L^2*sin(q2)*u1^2",
                                "-m*L^2*((1 + cos(q2))*u1' + u2' + sin(q2)*u1^2)"},
                    LiteralCase{"T_A - 2*m*g*L*cos(q1) - m*g*L*(cos(q1)*cos(q2) - sin(q1)*sin(q2))",
                                "T_A - m*g*L*(2*cos(q1) + cos(q1 + q2))"},
                    LiteralCase{"T_AB - m*g*L*(cos(q1)*cos(q2) - sin(q1)*sin(q2))", "T_AB - m*g*L*cos(q1 + q2)"}));

INSTANTIATE_TEST_SUITE_P(
    Algebra, LiteralText,
    testing::Values(
        LiteralCase{"x^2 - 2*x*y + y^2", "(x - y)^2"}, LiteralCase{"a*c + a*d + b*c + b*d", "(a + b)*(c + d)"},
        LiteralCase{"(x + y)^10", "(x + y)^10"}, LiteralCase{"-x + y", "y - x"}, LiteralCase{"-x - y", "-x - y"},
        LiteralCase{"1 - x", "1 - x"}, LiteralCase{"k*(x2 - x1)", "k*(x2 - x1)"},
        LiteralCase{"a/b + c/b + d", "d + (a + c)/b"}, LiteralCase{"x/sqrt(x^2 + y^2)", "x/sqrt(x^2 + y^2)"},
        LiteralCase{"a/(x + y)^2", "a/(x + y)^2"}, LiteralCase{"a*sqrt(cos(q)^2)/cos(q)^2", "a/sqrt(cos(q)^2)"},
        LiteralCase{"sin(q)*sqrt(cos(q)^2)*u/cos(q)", "tan(q)*sqrt(cos(q)^2)*u"},
        LiteralCase{"k*(1 - L/sqrt(x^2 + y^2))*x", "k*x*(1 - L/sqrt(x^2 + y^2))"},
        LiteralCase{"m*g*sin(q)/(M + m*(1 - cos(q)^2))", "m*g*sin(q)/(M + m*sin(q)^2)"},
        LiteralCase{"(T - 2*m*q2*u1*u2)/(I + m*q2^2)", "(T - 2*m*q2*u1*u2)/(I + m*q2^2)"},
        LiteralCase{"3*g/(2*L)", "3*g/(2*L)"}, LiteralCase{"x/2", "x/2"}, LiteralCase{"4/3*x", "4/3*x"},
        LiteralCase{"9.81*x", "9.81*x"}, LiteralCase{"0", "0"}, LiteralCase{"-1/2", "-1/2"},
        LiteralCase{"abs(x)^3", "x^2*abs(x)"}, LiteralCase{"(x^2 - 1)/(x - 1)", "x + 1"},
        LiteralCase{"(x - 1)/(x^2 - 1)", "1/(x + 1)"}, LiteralCase{"(x^3 - y^3)/(x - y) - y*(x + y)", "x^2"},
        LiteralCase{"(1 - cos(q)^2)/(1 - cos(q))", "1 + cos(q)"},
        LiteralCase{"m*(a^2 - b^2)/(2*a - 2*b)/L", "m*(a + b)/(2*L)"}, LiteralCase{"x^2 + x + 1", "x^2 + x + 1"},
        LiteralCase{"1/(x - 1) - 1/(x + 1)", "2/((x + 1)*(x - 1))"}, LiteralCase{"-k*(x1 - x2)", "k*(x2 - x1)"},
        LiteralCase{"2*(x < 1)", "2*(x < 1)"}, LiteralCase{"m*L*(u1 + u2)^2", "m*L*(u1 + u2)^2"}));

/// A root is opaque, so these are not the same node as what they are written as.
TEST(Literal, SpringsBetweenPoints) {
  Graph graph;
  const auto text = [&](const char* input) { return literal(graph.bind(parse(graph, input))).text; };
  EXPECT_EQ(text("k*(sqrt(x^2 + y^2) - L)*(x/sqrt(x^2 + y^2))"), "k*x*(1 - L/sqrt(x^2 + y^2))");
  EXPECT_EQ(text("(sqrt(a) - b)*sqrt(a)/a"), "1 - b/sqrt(a)");
  EXPECT_EQ(text("(sqrt(a) - b)*(sqrt(a) + b)"), "a - b^2");
  // Whatever comes first, the root or the quotient.
  EXPECT_EQ(text("(a*u + b*v)/(x^2 + y^2)*sqrt(x^2 + y^2)"), "(a*u + b*v)/sqrt(x^2 + y^2)");
  // The radicand as a sum of squares, which is shorter below the line.
  EXPECT_EQ(text("k*cos(q)*(d - l*sqrt((d*cos(q))^2 + (d*sin(q) - d)^2)/(2*d*(1 - sin(q))))"),
            "k*d*cos(q)*(1 - l/sqrt(2*d^2*(1 - sin(q))))");
}

TEST(Literal, WritesLatex) {
  Graph graph;
  const auto latex = [&](const char* text) { return literal(graph.bind(parse(graph, text))).latex; };
  EXPECT_EQ(latex("sin(q1)*cos(q2) + cos(q1)*sin(q2)"), "\\sin\\left(q_{1} + q_{2}\\right)");
  EXPECT_EQ(latex("x/2"), "\\frac{1}{2}\\,x");
  EXPECT_EQ(latex("3*g/(2*L)"), "\\frac{3\\,g}{2\\,L}");
  EXPECT_EQ(latex("cos(q)^2*a"), "a\\,\\cos^{2} q");
  EXPECT_EQ(latex("sin(q2)*u1^2"), "\\sin\\left(q_{2}\\right)\\,u_{1}^{2}");
  EXPECT_EQ(latex("x/(x + y)"), "\\frac{x}{x + y}");
  EXPECT_EQ(latex("exp(x)^2*y"), "y\\,\\left(e^{x}\\right)^{2}");
}

TEST(Literal, TheCallerSaysWhatIsWhat) {
  Graph graph;
  const Expr e = parse(graph, "w*(k + m) - d*w");
  const Expr w = graph.find_symbol("w");
  EXPECT_EQ(literal(e, {.speeds = {w}}).text, "(k + m - d)*w");
  EXPECT_EQ(literal(e).text, "w*(k + m - d)");
}

TEST(Literal, BareNumbersAndConstants) {
  EXPECT_EQ(literal(Expr(3)).text, "3");
  Graph graph;
  EXPECT_EQ(literal(graph.pi()).text, "pi");
  EXPECT_EQ(literal(graph.number(0)).text, "0");
}

TEST(Literal, StopsEarly) {
  Graph graph;
  for (const char* text : {"(a + b + c + d + e + f + h + i + j + k)^30",
                           "(sin(q1) + sin(q2) + sin(q3) + sin(q4) + cos(q1) + cos(q2) + cos(q3) + cos(q4))^6",
                           "(a + b)^2*(c + d)^2*(e + f)^2*(h + i)^2*(j + k)^2*(m + n)^2*(o + p)^2*(q + r)^2 + 1",
                           "((x + 1)^999 + y)^999", "sin(q1)^500*cos(q2)^500"}) {
    const Expr e = parse(graph, text);
    const std::size_t nodes = graph.size();
    const Literal result = literal(e);
    EXPECT_EQ(parse(graph, result.text), e) << text;
    // An expression that would get too long keeps its short form, and the graph is not changed.
    EXPECT_LT(result.text.size(), 300U) << text;
    EXPECT_EQ(graph.size(), nodes) << text;
  }
  // Too long in both forms: a note.
  Expr e = graph.symbol("z");
  for (int i = 0; i < 40; ++i) e = e * (e + graph.symbol("y" + std::to_string(i)));
  const Literal result = literal(e);
  EXPECT_TRUE(result.too_long);
  EXPECT_NE(result.text.find("400 terms"), std::string::npos);
}

TEST(Literal, NestedFunctionsDoNotOverflow) {
  Graph graph;
  Expr e = graph.symbol("x");
  for (int i = 0; i < 20000; ++i) e = exp(e) + 1;
  EXPECT_TRUE(literal(e).too_long);
}

TEST(Literal, GivesUpAtOnceAboveItsOperations) {
  Graph graph;
  const Expr x = graph.symbol("x"), y = graph.symbol("y");
  const Expr sum = x * x + 2 * x * y + y;  // six operations
  EXPECT_FALSE(literal(sum, {.max_operations = 6}).too_long);
  EXPECT_TRUE(literal(sum, {.max_operations = 2}).too_long);
  EXPECT_FALSE(literal(sum).too_long);
}

// ---- random trigonometric polynomials -------------------------------------------------------------------------------------

/// Terms such as 2*m*sin(q1 + q2)*cos(q3)^2*u1.
std::string random_term() {
  const auto pick = [](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + *rc::gen::inRange(0, static_cast<int>(list.size()))));
  };
  std::string term = std::to_string(*rc::gen::inRange(1, 5));
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) term += "*" + pick({"m", "L", "L^2", "g", "k/L"});
  for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
    term += "*" + pick({"sin", "cos"}) + "(" +
            pick({"q1", "q2", "q1 + q2", "q1 - q3", "2*q1", "q3/2", "q1 + q2 + q3"}) + ")" + pick({"", "", "^2", "^3"});
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) term += "*" + pick({"u1", "u2", "u1'", "u2'"});
  return term;
}

RC_GTEST_PROP(LiteralProperty, IsTheSameNode, ()) {
  std::string text;
  for (int i = *rc::gen::inRange(1, 9); i > 0; --i)
    text += (text.empty() ? "" : *rc::gen::arbitrary<bool>() ? " + " : " - ") + random_term();
  Graph graph;
  const Expr e = graph.bind(parse(graph, text));
  const Literal result = literal(e);
  RC_LOG() << text << "\n" << result.text << "\n";
  RC_ASSERT(!result.too_long);
  RC_ASSERT(parse(graph, result.text) == e);
  // The textbook form of the textbook form is equal again (which of several equally short ones it is may depend on how the
  // expression was written).
  Graph fresh;
  const Literal again = literal(fresh.bind(parse(fresh, result.text)));
  RC_LOG() << again.text << "\n";
  RC_ASSERT(parse(graph, again.text) == e);
}

}  // namespace
}  // namespace kane

// Greatest common divisors of polynomials, and what cancels in the textbook form.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/textbook/gcd.hpp"
#include "tests/expr/random_expr.hpp"

namespace kane {
namespace {

using textbook::Budget;
using textbook::Monomial;
using textbook::Polynomial;

constexpr std::size_t kRoom = 4000;  // terms: no limit for what is tried here

// ---- greatest common divisor ---------------------------------------------------------------------------------------------

/// A few terms in up to four atoms, with exponents up to two; at least one atom occurs.
Polynomial random_polynomial(int most_terms) {
  Polynomial p = textbook::monomial(test::pick(4), 1 + test::pick(2));
  for (int i = 1 + test::pick(most_terms - 1); i > 0; --i) {
    Monomial m;
    for (int atom = 0; atom < 4; ++atom)
      if (const int n = test::pick(4) - 1; n > 0) m.push_back({atom, n});
    add_term(p, m, Rational(1 + test::pick(6), 1 + test::pick(3)));
  }
  return p;
}

RC_GTEST_PROP(Gcd, FindsTheFactorOfTwoProducts, ()) {
  Budget budget(kRoom);
  const Polynomial f = random_polynomial(4), g = random_polynomial(4), h = random_polynomial(4);
  const Polynomial a = multiply(f, h, budget), b = multiply(g, h, budget);
  const Polynomial d = textbook::find_gcd(a, b, budget);
  const auto left = textbook::find_exact_quotient(a, d, budget), right = textbook::find_exact_quotient(b, d, budget);
  RC_ASSERT(left.has_value() && right.has_value());                               // it divides both,
  RC_ASSERT(textbook::find_exact_quotient(d, h, budget).has_value());             // has all of the factor,
  RC_ASSERT(textbook::find_gcd(*left, *right, budget) == textbook::constant(1));  // and leaves nothing in common
}

RC_GTEST_PROP(Gcd, DoesNotDependOnTheOrderOrOnNumbers, ()) {
  Budget budget(kRoom);
  const Polynomial f = random_polynomial(4), g = random_polynomial(3), h = random_polynomial(3);
  const Polynomial a = multiply(f, h, budget), b = multiply(g, h, budget);
  const Polynomial d = textbook::find_gcd(a, b, budget);
  RC_ASSERT(textbook::find_gcd(b, a, budget) == d);
  RC_ASSERT(textbook::find_gcd(multiply(a, {}, Rational(-3, 7)), multiply(b, {}, 5), budget) == d);
  RC_ASSERT(textbook::primitive_part(d) == d);
}

TEST(Gcd, OfSmallPolynomials) {
  Budget budget(kRoom);
  const Polynomial x = textbook::monomial(0), y = textbook::monomial(1), one = textbook::constant(1);
  Polynomial sum = x, difference = x, square = multiply(x, x, budget);
  add(sum, y, 1);
  add(difference, y, -1);
  add(square, multiply(y, y, budget), -1);  // x^2 - y^2
  EXPECT_EQ(textbook::find_gcd(square, sum, budget), sum);
  EXPECT_EQ(textbook::find_gcd(sum, difference, budget), one);
  EXPECT_EQ(textbook::find_gcd(x, y, budget), one);
  EXPECT_EQ(textbook::find_gcd(multiply(x, sum, budget), multiply(x, difference, budget), budget), x);
  // x^12 - 1 and x^8 - 1 share x^4 - 1, all of whose Euclidean remainders are short.
  const auto power_minus_one = [&](int n) {
    Polynomial p = textbook::monomial(0, n);
    add(p, one, -1);
    return p;
  };
  Polynomial expected = power_minus_one(4);
  EXPECT_EQ(textbook::find_gcd(power_minus_one(12), power_minus_one(8), budget), textbook::primitive_part(expected));
}

TEST(Gcd, StopsAtItsLimit) {
  // Dense polynomials in six atoms with nothing in common but a long remainder sequence.
  Budget room(kRoom), small(1);
  const auto dense = [&](int seed) {
    Polynomial sum = textbook::constant(seed);
    for (int atom = 0; atom < 6; ++atom) add(sum, textbook::monomial(atom), 1 + (seed * (atom + 3)) % 7);
    return textbook::power(sum, 3, room);
  };
  Polynomial factor = textbook::monomial(0);
  add(factor, textbook::monomial(1), 1);
  const Polynomial a = multiply(dense(2), factor, room), b = multiply(dense(5), factor, room);
  EXPECT_THROW((void)textbook::find_gcd(a, b, small), textbook::TooLong);
}

// ---- the textbook form ---------------------------------------------------------------------------------------------------

struct CancelCase {
  const char* input;
  const char* text;
};

class Cancels : public testing::TestWithParam<CancelCase> {};

TEST_P(Cancels, InPrint) {
  Graph graph;
  const Expr e = graph.bind(parse(graph, GetParam().input));
  const Literal result = literal(e);
  EXPECT_EQ(result.text, GetParam().text);
  EXPECT_EQ(parse(graph, result.text), e);
}

INSTANTIATE_TEST_SUITE_P(
    Fractions, Cancels,
    testing::Values(CancelCase{"(mb + mw + mw)*(2*1/(mb + mw + mw)*mw*h - h)^2", "mb^2*h^2/(mb + 2*mw)"},
                    CancelCase{"x*(M + m - m*(M + m)/(M + m))", "x*M"},
                    CancelCase{"M*(a/(M + m)) + m*(a/(M + m))", "a"},
                    CancelCase{"(a^2 - b^2)/(a^2 + 2*a*b + b^2)", "(a - b)/(a + b)"},
                    CancelCase{"1/(1/a + 1/b)", "a*b/(a + b)"},
                    CancelCase{"1/(x - y) - 1/(x + y)", "1/(x - y) - 1/(x + y)"},
                    CancelCase{"a/(b + c)*b + a*c/(b + c) + d/(b + e)", "a + d/(b + e)"},
                    CancelCase{"(x + a*b/c)/(y + d*b/c)", "(x*c + a*b)/(b*d + c*y)"},
                    // the reduced mass of two bodies below the line
                    CancelCase{"k*x + r*(h/(a*b/(a + b)*r^2))^2*(b - b^2/(a + b))", "k*x + h^2*(a + b)/(r^3*a*b)"},
                    CancelCase{"1/(a + b) + 1/(c + d)", "1/(c + d) + 1/(a + b)"}));

INSTANTIATE_TEST_SUITE_P(Trigonometry, Cancels,
                         testing::Values(CancelCase{"1 + tan(q)^2", "1/cos(q)^2"},
                                         CancelCase{"(cos(q)^2 - 1)/(1 + cos(q))", "cos(q) - 1"},
                                         // a body on a cart, in the speed of their mass centre
                                         CancelCase{"(M + m)*((cos(q)*(h*m/(M + m)*cos(q) - cos(q)*h) - sin(q)^2*h + "
                                                    "M*h/(M + m))^2 + (sin(q)*h*m/(M + m)*cos(q))^2) + J + "
                                                    "m*(M*h/(M + m))^2 + M*(h*m/(M + m))^2",
                                                    "J + m*h^2*(1 - m*cos(q)^2/(M + m))"},
                                         // two wheels of a board, steered by f and b, at the angle t
                                         CancelCase{"(sin(t + f)/cos(f) - cos(t + f)/cos(f)*(sin(t + b) + sin(t + "
                                                    "f)*cos(b)/cos(f))/(cos(t + b) + cos(t + f)*cos(b)/cos(f)))*u/L",
                                                    "sin(f - b)*u/(L*(cos(t + f)*cos(b) + cos(t + b)*cos(f)))"},
                                         CancelCase{"(M + m)/(M + m*sin(q)^2) - m*cos(q)^2/(M + m*sin(q)^2)", "1"}));

/// Quotients of products of a few sums, added: much of it cancels.
std::string random_quotients() {
  const auto pick = [](std::initializer_list<const char*> list) {
    return std::string(*(list.begin() + test::pick(static_cast<int>(list.size()))));
  };
  const auto sum = [&] { return pick({"(M + m)", "(M - m)", "(M + 2*m)", "(a*m + b)", "(M + m*cos(q)^2)", "b"}); };
  const auto term = [&] { return pick({"", "2*", "-"}) + pick({"m", "M", "a", "b", "sin(q)", "cos(q)^2", "u1", "L"}); };
  std::string text = term() + "*" + sum() + "/" + sum();
  if (test::pick(2) == 1) text += "*" + sum() + "/" + sum();
  return text;
}

RC_GTEST_PROP(Cancels, KeepsTheValueAndNeverLengthens, ()) {
  std::string text;
  for (int i = 1 + test::pick(4); i > 0; --i) text += (text.empty() ? "" : " + ") + random_quotients();
  Graph graph;
  const Expr e = graph.bind(parse(graph, text));
  const Literal result = literal(e), before = literal(e, {.cancel = false});
  RC_LOG() << text << "\n" << before.text << "\n" << result.text << "\n";
  RC_ASSERT(!result.too_long);
  RC_ASSERT(result.operations <= before.operations);
  // The same node: the same value at random points modulo two primes. And as doubles, each in a graph of its own.
  const Expr back = graph.bind(parse(graph, result.text));
  RC_ASSERT(back == e);
  const Values at{{"M", 1.7}, {"m", 0.3}, {"a", -0.8}, {"b", 2.2}, {"q", 0.4}, {"u1", 3.1}, {"L", 0.9}};
  Graph first, second;
  const double x = evaluate(first.bind(parse(first, text)), at),
               y = evaluate(second.bind(parse(second, result.text)), at);
  RC_ASSERT(std::abs(x - y) <= 1e-9 * (1 + std::abs(x)));
  // Once more, with the symbols in the same order: nothing is left that would cancel.
  Graph fresh;
  for (const Expr& symbol : graph.symbols()) fresh.symbol(std::string(symbol.name()));
  const Literal again = literal(fresh.bind(parse(fresh, result.text)));
  RC_LOG() << again.text << "\n";
  RC_ASSERT(again.operations <= result.operations);
  RC_ASSERT(parse(graph, again.text) == e);
}

}  // namespace
}  // namespace kane

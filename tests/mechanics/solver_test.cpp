// Linear systems in symbols: pivots that are zero but for rounding, ranks, and where a solution does not exist.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bicycle.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"
#include "kane/mechanics/singularity.hpp"
#include "oracle.hpp"

namespace kane::test {
namespace {

// ---- solving --------------------------------------------------------------------------------------------------------------

/// Entries of any sparsity that vary with a, b, c; some zero but for the sixteenth digit.
ExprMatrix random_matrix(Graph& graph, int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const Expr symbols[] = {graph.symbol("a"), graph.symbol("b"), graph.symbol("c")};
  ExprMatrix m(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      switch (std::uniform_int_distribution<int>(0, 5)(random)) {
        case 0: m(i, j) = Expr(number(random)) * 1e-17; break;
        case 1: m(i, j) = Expr(number(random)) * 1e-17 * cos(symbols[0]); break;
        case 2: m(i, j) = number(random) + number(random) * sin(symbols[1]); break;
        case 3: m(i, j) = number(random) * symbols[2] * cos(symbols[0]); break;
        default: break;
      }
    }
    m(i, (i + 2) % n) += 2 + symbols[2];  // regular, and not on the diagonal
  }
  return m;
}

TEST(LinearSolver, PivotsThatAreZeroButForRoundingAreNotTaken) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Graph graph;
    const int n = 2 + static_cast<int>(seed % 6);
    const ExprMatrix A = random_matrix(graph, n, seed);
    // The same system in other units (millimetres in one row, gigapascals in another) has the same solution.
    const auto unit = [&](int i) { return Expr(seed % 2 == 0 ? 1.0 : std::pow(10.0, i - 3)); };
    ExprMatrix scaled(n, n);
    std::vector<Expr> b, scaled_b;
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) scaled(i, j) = A(i, j) * unit(i) / unit(j);
      b.push_back(Expr(i + 1) + graph.symbol("c"));
      scaled_b.push_back(b.back() * unit(i));
    }
    const std::vector<Expr> x = LinearSolver(scaled).solve(scaled_b);
    const NumberMap exact{{"a", 0.3L}, {"b", -0.8L}, {"c", 1.7L}};
    const std::vector<Number> expected = test::solve(calc(A, exact), calc(b, exact));
    const std::vector<double> found = evaluate(x, {{"a", 0.3}, {"b", -0.8}, {"c", 1.7}});
    Number size = 1;
    for (const Number e : expected) size = std::max(size, std::abs(e));
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      EXPECT_NEAR(found[k] / evaluate(unit(i), {}), static_cast<double>(expected[k]), 1e-12 * static_cast<double>(size))
          << "seed " << seed;
    }
  }
}

TEST(Rank, RoundedAndExact) {
  // Two axes that decimals make parallel to sixteen digits.
  ExprMatrix a(2, 3);
  const double c = std::cos(0.7), s = std::sin(0.7);
  a(0, 0) = c, a(0, 1) = s;
  a(1, 0) = c * 3.7, a(1, 1) = s * 3.7;
  EXPECT_EQ(find_rank(a).rank(), 2);
  const RankReport rounded = find_rank(a, {}, Rank::Rounded);
  EXPECT_EQ(rounded.rank(), 1);
  ASSERT_EQ(rounded.dependencies.size(), 1U);
  EXPECT_EQ(rounded.dependencies[0].size(), 2U);
  a(1, 2) = 1e-3;  // small, but not by rounding
  EXPECT_EQ(find_rank(a, {}, Rank::Rounded).rank(), 2);
}

// ---- redundant and contradictory -------------------------------------------------------------------------------------------

/// A particle in space whose constraints are written in any way.
struct Space {
  System s{"space"};
  Expr q[3] = {s.add_coordinate("q1"), s.add_coordinate("q2"), s.add_coordinate("q3")};
  Space() {
    s.add_particle("P", s.add_point("P", s.origin(), Vector(s.inertial(), {q[0], q[1], q[2]})),
                   s.add_parameter("m", 1));
    for (int i = 0; i < 3; ++i) s.add_speed("u" + std::to_string(i + 1), s.rate(q[i]));
  }
  std::vector<std::string> warnings() { return form_equations(s).warnings; }
  std::string error() {
    try {
      (void)form_equations(s);
    } catch (const ModelError& e) {
      return e.message();
    }
    return "(no error)";
  }
};

TEST(Redundancy, ACombinationOfSeveralIsNamed) {
  Space p;
  p.s.add_configuration_constraint("a", p.q[0] - 1);
  p.s.add_configuration_constraint("b", p.q[1] - 2);
  p.s.add_configuration_constraint("c", 2 * p.q[0] - 3 * p.q[1] + 4);
  ASSERT_EQ(p.warnings().size(), 1U);
  EXPECT_EQ(p.warnings()[0], "constraint c is redundant: it follows from a and b");
}

TEST(Redundancy, ACombinationOfSeveralCanContradict) {
  Space p;
  p.s.add_configuration_constraint("a", p.q[0] - 1);
  p.s.add_configuration_constraint("b", p.q[1] - 2);
  p.s.add_configuration_constraint("c", 2 * p.q[0] - 3 * p.q[1] + 5);
  EXPECT_EQ(p.error(), "the constraints c, a and b contradict each other: they hold together only if 1 = 0");
}

TEST(Redundancy, DecimalsThatMissBySixteenDigits) {
  Space p;
  const double c = std::cos(0.7), s = std::sin(0.7);
  p.s.add_configuration_constraint("a", c * p.q[0] + s * p.q[1] - 0.3);
  p.s.add_configuration_constraint("b", 3.7 * c * p.q[0] + 3.7 * s * p.q[1] - 3.7 * 0.3);
  ASSERT_EQ(p.warnings().size(), 1U);
  EXPECT_EQ(p.warnings()[0], "constraint b is redundant: it follows from a");
}

TEST(Redundancy, AConditionOnTheParameters) {
  Space p;
  const Expr a = p.s.add_parameter("a", 1), b = p.s.add_parameter("b", 1);
  p.s.add_configuration_constraint("first", p.q[0] - a);
  p.s.add_configuration_constraint("second", 2 * p.q[0] - b);
  ASSERT_EQ(p.warnings().size(), 1U);
  EXPECT_EQ(p.warnings()[0], "constraint second is redundant: it follows from first if 2*a - b = 0");
}

// ---- where it is singular --------------------------------------------------------------------------------------------------

TEST(Singularity, GimbalLockOfAllSequences) {
  for (const char* kind : {"body", "space"}) {
    for (int code = 0; code < 27; ++code) {
      const int a = code / 9, b = code / 3 % 3, c = code % 3;
      if (a == b || b == c) continue;
      System s("gimbal");
      const Expr3 q{s.add_coordinate("q1"), s.add_coordinate("q2"), s.add_coordinate("q3")};
      const std::string name = fmt::format("{} {}{}{}", kind, a + 1, b + 1, c + 1);
      const FrameId B = s.add_frame("B", s.inertial(), rotation_sequence(name, q));
      s.add_body("B", {.frame = B, .mass_centre = s.origin(), .inertia = inertia(B, 2, 3, 4)});
      const Vector w = s.angular_velocity(B);
      s.add_speed("u1", s.dot(w, x(B)));
      s.add_speed("u2", s.dot(w, y(B)));
      s.add_speed("u3", s.dot(w, z(B)));
      const EquationsOfMotion e = form_equations(s);
      ASSERT_EQ(e.warnings.size(), 1U) << name;
      EXPECT_EQ(e.warnings[0],
                fmt::format("the choice of generalized speeds is singular where {}(q2) = 0", a == c ? "sin" : "cos"))
          << name;
    }
  }
}

TEST(Singularity, ConditionsAreShort) {
  System s("words");
  const Expr L = s.add_parameter("L", 1), b = s.add_parameter("b", 1);
  const Expr q1 = s.add_coordinate("q1"), q2 = s.add_coordinate("q2"), q3 = s.add_coordinate("q3");
  const auto text = [&](const Expr& e) { return singular_conditions(s, std::span(&e, 1)); };
  EXPECT_EQ(text(-L * b * sin(q2)), "sin(q2) = 0");
  EXPECT_EQ(text(L * b + 3), "");
  EXPECT_EQ(text(L * (sin(q1) * cos(q2) + cos(q1) * sin(q2))), "sin(q1 + q2) = 0");
  EXPECT_EQ(text(-2 * L * (cos(q1) * cos(q2) + sin(q1) * sin(q2))), "cos(q1 - q2) = 0");
  EXPECT_EQ(text(q3 * q3 * cos(q1) / (b * cos(q2))), "q3 = 0 or cos(q1) = 0");
  EXPECT_EQ(text(b * cos(q2) / L - 1), "b*cos(q2) - L = 0");
  EXPECT_EQ(text(L * sin(q1) * q3 + b * L * sin(q1)), "sin(q1) = 0 or b + q3 = 0");
  Expr long_sum = 1;  // more operations than anybody would read: not multiplied out, told by its coordinates
  for (int i = 1; i <= 70; ++i) long_sum = long_sum + sin(i * q1 + L) * cos(i * q2 + b);
  EXPECT_EQ(text(long_sum), "a determinant that depends on q1 and q2 is zero");
}

TEST(Singularity, TheBicycleIsToldByItsCoordinates) {
  Bicycle bicycle;
  for (const std::string& warning : form_equations(bicycle.s).warnings) {
    EXPECT_LT(warning.size(), 160U) << warning;
    EXPECT_EQ(warning.find("..."), std::string::npos) << warning;
  }
}

}  // namespace
}  // namespace kane::test

#include "kane/solve/newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kane {
namespace {

/// Four-bar linkage with ground 1, crank a, coupler b, rocker c: closure at the coupler pin, two equations in three angles.
struct FourBar {
  double a = 0.4, b = 0.9, c = 0.7;
  bool residual(std::span<const double> q, std::span<double> r) const {
    r[0] = a * std::cos(q[0]) + b * std::cos(q[1]) - c * std::cos(q[2]) - 1;
    r[1] = a * std::sin(q[0]) + b * std::sin(q[1]) - c * std::sin(q[2]);
    return true;
  }
  bool jacobian(std::span<const double> q, MatrixView j) const {
    j(0, 0) = -a * std::sin(q[0]), j(0, 1) = -b * std::sin(q[1]), j(0, 2) = c * std::sin(q[2]);
    j(1, 0) = a * std::cos(q[0]), j(1, 1) = b * std::cos(q[1]), j(1, 2) = -c * std::cos(q[2]);
    return true;
  }
};

TEST(GaussNewton, AssemblesAFourBarFromARoughGuess) {
  const FourBar bar;
  GaussNewton newton(2, 3);
  std::vector<double> q = {0.5, 0.1, 2.0};
  const NewtonReport report = newton.solve([&](auto x, auto r) { return bar.residual(x, r); },
                                           [&](auto x, auto j) { return bar.jacobian(x, j); }, q, {.tolerance = 1e-14});
  ASSERT_TRUE(report.ok());
  EXPECT_LT(report.iterations, 10);
  EXPECT_EQ(report.rank, 2);
  std::vector<double> r(2);
  bar.residual(q, r);
  EXPECT_LT(std::hypot(r[0], r[1]), 2e-14);
}

TEST(GaussNewton, HoldsUnknownsOfScaleZeroAndAgreesWithDifferences) {
  const FourBar bar;
  GaussNewton newton(2, 3);
  const std::vector<double> scale = {0, 1, 1};
  std::vector<double> q = {0.5, 0.1, 2.0}, p = q;
  const auto residual = [&](std::span<const double> x, std::span<double> r) { return bar.residual(x, r); };
  const auto jacobian = [&](std::span<const double> x, MatrixView j) { return bar.jacobian(x, j); };
  ASSERT_TRUE(newton.solve(residual, jacobian, q, {.tolerance = 1e-13, .scale = scale}).ok());
  ASSERT_TRUE(newton.solve(residual, p, {.tolerance = 1e-13, .scale = scale}).ok());
  EXPECT_EQ(q[0], 0.5);
  EXPECT_EQ(p[0], 0.5);
  EXPECT_NEAR(q[1], p[1], 1e-11);
  // The law of cosines: diagonal d between the ends, angle at the rocker.
  const double x = 1 - 0.4 * std::cos(0.5), y = -0.4 * std::sin(0.5), d = std::hypot(x, y);
  const double open = std::acos((d * d + 0.7 * 0.7 - 0.9 * 0.9) / (2 * d * 0.7));
  EXPECT_NEAR(q[2], std::atan2(y, x) + M_PI - open, 1e-12);
}

TEST(GaussNewton, SaysThatALoopCannotClose) {
  const FourBar bar{.a = 0.1, .b = 0.2, .c = 0.3};  // 0.6 < 1: too short by 0.4
  GaussNewton newton(2, 3);
  std::vector<double> q = {0.5, 0.1, 2.0};
  const NewtonReport report =
      newton.solve([&](auto x, auto r) { return bar.residual(x, r); },
                   [&](auto x, auto j) { return bar.jacobian(x, j); }, q, {.max_iterations = 300});
  EXPECT_EQ(report.status, NewtonStatus::NoSolutionNear);
  EXPECT_NEAR(report.residual, 0.4, 1e-4);
  EXPECT_EQ(report.worst, 0);
}

TEST(GaussNewton, ReachesAStretchedLinkageWhereTheJacobianIsSingular) {
  // a + b + c = 1 exactly: only the straight configuration closes, and there J has lost its rank.
  const FourBar bar{.a = 0.25, .b = 0.5, .c = 0.25};
  GaussNewton newton(2, 3);
  std::vector<double> q = {0.3, -0.2, 2.9};
  const NewtonReport report = newton.solve([&](auto x, auto r) { return bar.residual(x, r); },
                                           [&](auto x, auto j) { return bar.jacobian(x, j); }, q, {.tolerance = 1e-12});
  ASSERT_TRUE(report.ok()) << report.residual;
  EXPECT_NEAR(std::cos(q[0]), 1, 1e-10);
}

TEST(GaussNewton, RedundantEquationsDoNoHarm) {
  GaussNewton newton(4, 2);
  std::vector<double> x = {2, 0.5};
  const auto residual = [](std::span<const double> v, std::span<double> r) {
    r[0] = v[0] * v[0] + v[1] * v[1] - 1;
    r[1] = v[0] - v[1];
    r[2] = 3 * (v[0] - v[1]);
    r[3] = 2 * (v[0] * v[0] + v[1] * v[1] - 1) - (v[0] - v[1]);
    return true;
  };
  const NewtonReport report = newton.solve(residual, x, {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.rank, 2);
  EXPECT_NEAR(x[0], std::sqrt(0.5), 1e-11);
  EXPECT_NEAR(x[1], std::sqrt(0.5), 1e-11);
}

TEST(GaussNewton, FindsTheNearestPointOfAnEllipse) {
  // Nearest point of x^2/4 + y^2 = 1 to (3, 2): where (3 - x, 2 - y) is along the gradient (x/2, 2 y).
  const auto residual = [](std::span<const double> v, std::span<double> r) {
    r[0] = v[0] * v[0] / 4 + v[1] * v[1] - 1;
    return true;
  };
  const auto jacobian = [](std::span<const double> v, MatrixView j) {
    j(0, 0) = v[0] / 2, j(0, 1) = 2 * v[1];
    return true;
  };
  GaussNewton newton(1, 2);
  std::vector<double> near = {3, 2};
  ASSERT_TRUE(newton.solve(residual, jacobian, near, {.tolerance = 1e-14}).ok());
  std::vector<double> nearest = {3, 2};
  ASSERT_TRUE(
      newton.solve(residual, jacobian, nearest, {.tolerance = 1e-14, .max_iterations = 300, .nearest = true}).ok());
  const auto turn = [](const std::vector<double>& v) { return (3 - v[0]) * 2 * v[1] - (2 - v[1]) * v[0] / 2; };
  EXPECT_GT(std::abs(turn(near)), 1e-3) << "plain Gauss-Newton stops at a near one only";
  EXPECT_NEAR(turn(nearest), 0, 1e-6);
  EXPECT_NEAR(nearest[0] * nearest[0] / 4 + nearest[1] * nearest[1], 1, 1e-13);
}

TEST(GaussNewton, StaysWithinBounds) {
  // x^2 + y^2 = 1 from (0.9, 0.1) with x <= 0.5: the solution on the bound.
  const auto residual = [](std::span<const double> v, std::span<double> r) {
    r[0] = v[0] * v[0] + v[1] * v[1] - 1;
    return true;
  };
  GaussNewton newton(1, 2);
  const std::vector<double> lower = {-2, -2}, upper = {0.5, 2};
  std::vector<double> x = {0.9, 0.1};
  const NewtonReport report = newton.solve(residual, x, {.lower = lower, .upper = upper});
  ASSERT_TRUE(report.ok());
  EXPECT_LE(x[0], 0.5);
  EXPECT_NEAR(x[0] * x[0] + x[1] * x[1], 1, 1e-12);
  const std::vector<double> tight = {0.2, 0.2};
  x = {0.1, 0.1};
  EXPECT_EQ(newton.solve(residual, x, {.lower = lower, .upper = tight}).status, NewtonStatus::NoSolutionNear);
  EXPECT_LE(x[0], 0.2);
}

TEST(GaussNewton, SurvivesPlacesWhereNothingCanBeEvaluated) {
  const auto residual = [](std::span<const double> v, std::span<double> r) {
    r[0] = std::log(v[0]) + 2;  // not a number for v <= 0, where a full step from 2 leads
    return true;
  };
  GaussNewton newton(1, 1);
  std::vector<double> x = {20};
  ASSERT_TRUE(newton.solve(residual, x, {}).ok());
  EXPECT_NEAR(x[0], std::exp(-2.0), 1e-12);
  x = {-1};
  EXPECT_EQ(newton.solve(residual, x, {}).status, NewtonStatus::NotEvaluable);
  x = {std::nan("")};
  EXPECT_EQ(newton.solve(residual, x, {}).status, NewtonStatus::NotEvaluable);
}

TEST(GaussNewton, ClimbsOutOfRosenbrocksValley) {
  const auto residual = [](std::span<const double> v, std::span<double> r) {
    r[0] = 10 * (v[1] - v[0] * v[0]);
    r[1] = 1 - v[0];
    return true;
  };
  GaussNewton newton(2, 2);
  std::vector<double> x = {-1.2, 1};
  ASSERT_TRUE(newton.solve(residual, x, {}).ok());
  EXPECT_NEAR(x[0], 1, 1e-10);
  EXPECT_NEAR(x[1], 1, 1e-10);
}

}  // namespace
}  // namespace kane

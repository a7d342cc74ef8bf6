// Derivatives of the accelerations against differences of accelerations that were solved for in numbers.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::RandomTree;

std::vector<double> accelerations(const EquationsOfMotion& e, const Values& values) {
  return testing::solve(evaluate(e.M.entries, values), evaluate(e.rhs, values));
}

/// A direction in y: places and how much of each.
using Direction = std::vector<std::pair<std::size_t, double>>;

/// Along each coordinate and speed; along tangents of the sphere for quaternions, beside which formulations may differ.
std::vector<Direction> directions_of(const EquationsOfMotion& e, const Values& values) {
  std::vector<bool> on_sphere(e.q.size());
  std::vector<Direction> all;
  for (const int first : e.quaternions)
    for (int i = 0; i < 4; ++i) {
      const auto a = static_cast<std::size_t>(first + i), b = static_cast<std::size_t>(first + (i + 1) % 4);
      on_sphere[a] = true;
      all.push_back({{a, evaluate(e.q[b], values)}, {b, -evaluate(e.q[a], values)}});
    }
  for (std::size_t k = 0; k < e.q.size() + e.u.size(); ++k)
    if (k >= e.q.size() || !on_sphere[k]) all.push_back({{k, 1.0}});
  return all;
}

/// The derivative of udot along a direction by Richardson's extrapolation of central differences.
std::vector<double> differences(const EquationsOfMotion& e, const Values& values, const std::vector<Expr>& y,
                                const Direction& direction) {
  const auto slope = [&](double h) {
    Values ahead = values, behind = values;
    for (const auto& [k, weight] : direction) {
      ahead[std::string(y[k].name())] += h * weight;
      behind[std::string(y[k].name())] -= h * weight;
    }
    std::vector<double> a = accelerations(e, ahead);
    const std::vector<double> b = accelerations(e, behind);
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = (a[i] - b[i]) / (2 * h);
    return a;
  };
  const std::vector<double> coarse = slope(2e-4);
  std::vector<double> fine = slope(1e-4);
  for (std::size_t i = 0; i < fine.size(); ++i) fine[i] += (fine[i] - coarse[i]) / 3;
  return fine;
}

/// `bare`: only M and rhs are given.
void expect_derivatives(const Mechanism& mechanism, unsigned seed, Formulation formulation, bool bare) {
  EquationsOfMotion e = testing::form(copy_mechanism(mechanism), formulation, false);
  const EquationsOfMotion reference = testing::form(copy_mechanism(mechanism), Formulation::Projection, false);
  if (bare) e.udot_explicit.clear(), e.inverse.clear();
  RandomTree random(seed);
  const Values values = testing::random_state(e, random);
  std::vector<Expr> y = e.q;
  y.insert(y.end(), e.u.begin(), e.u.end());
  const Jacobian derivatives = form_motion_derivatives(e, y);
  ASSERT_EQ(derivatives.columns, static_cast<int>(y.size()));
  for (const Direction& direction : directions_of(e, values)) {
    const std::vector<double> expected = differences(reference, values, y, direction);
    double size = 1;
    for (const double v : expected) size = std::max(size, std::fabs(v));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      double sum = 0;
      for (const auto& [k, weight] : direction)
        sum += weight * evaluate(derivatives.at(static_cast<int>(i), static_cast<int>(k)), values);
      EXPECT_NEAR(sum, expected[i], 1e-6 * size)
          << "seed " << seed << ", u" << i << "' by " << y[direction[0].first].name();
    }
  }
}

TEST(MotionDerivatives, AgreeWithDifferences) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    RandomTree random(seed);
    const Mechanism mechanism = random.mechanism(random.whole(1, 4));
    if (mechanism.joint_speeds().empty()) continue;
    expect_derivatives(mechanism, seed, Formulation::Composite, false);
    expect_derivatives(mechanism, seed, Formulation::Articulated, seed % 2 == 0);
  }
}

TEST(MotionDerivatives, NeedTheMassMatrix) {
  RandomTree random(3);
  FormOptions options;
  options.outputs = false;
  options.mass_matrix = false;
  options.formulation = Formulation::Articulated;
  const EquationsOfMotion e = form_equations(random.chain(3), options);
  ASSERT_EQ(e.M.rows, 0);
  EXPECT_THROW((void)form_motion_derivatives(e, e.q), ModelError);
}

}  // namespace
}  // namespace kane

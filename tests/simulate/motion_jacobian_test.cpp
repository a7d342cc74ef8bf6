// The symbolic d(qdot, udot)/d(q, u) against differences of the motion itself: with accelerations that were solved for in
// symbols, with M and rhs, and with constraints embedded.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/simulate/system/motion_jacobian.hpp"
#include "models.hpp"

namespace kane::test {
namespace {

class MotionDerivatives {
 public:
  MotionDerivatives(const std::string& name, Formulation formulation)
      : evaluator_(load_model(name, {}, by(formulation)).system), jacobian_(evaluator_) {}

  void expect_differences(const std::vector<double>& y) {
    const std::size_t nq = evaluator_.system().coordinate_count(), n = y.size();
    ASSERT_EQ(n, nq + evaluator_.system().speed_count());
    ASSERT_TRUE(jacobian_.available());
    Matrix dfdy(n, n);
    const std::span<const double> all(y);
    ASSERT_EQ(jacobian_.calc(all.first(nq), all.subspan(nq), dfdy.view()), RhsStatus::Ok);
    double largest = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(dfdy(i, k)));
    for (std::size_t k = 0; k < n; ++k) {
      // Fourth order: (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h.
      constexpr double h = 1e-3;
      const auto f1 = motion(y, k, h), f_1 = motion(y, k, -h), f2 = motion(y, k, 2 * h), f_2 = motion(y, k, -2 * h);
      for (std::size_t i = 0; i < n; ++i)
        EXPECT_NEAR(dfdy(i, k), (8 * (f1[i] - f_1[i]) - (f2[i] - f_2[i])) / (12 * h), 1e-9 * std::max(1.0, largest))
            << "row " << i << ", column " << k;
    }
  }

 private:
  static FormOptions by(Formulation formulation) {
    FormOptions options;
    options.formulation = formulation;
    return options;
  }

  std::vector<double> motion(std::vector<double> y, std::size_t k, double h) {
    y[k] += h;
    const std::size_t nq = evaluator_.system().coordinate_count();
    std::vector<double> f(y.size());
    const std::span<const double> all(y);
    const std::span<double> result(f);
    EXPECT_TRUE(evaluator_.calc_motion(all.first(nq), all.subspan(nq), result.first(nq), result.subspan(nq)).ok());
    return f;
  }

  SystemEvaluator evaluator_;
  MotionJacobian jacobian_;
};

const std::vector<double> kArm{0.3, -0.4, 0.5, 0.7, 0.9, -0.2, 0.1, 0.4, -0.3, 0.2, 0.6, -0.5};

TEST(MotionJacobian, OfAccelerationsInSymbols) {
  MotionDerivatives("stanford_arm", Formulation::Articulated).expect_differences(kArm);
}

TEST(MotionJacobian, OfMassMatrixAndRightHandSide) {
  MotionDerivatives("stanford_arm", Formulation::Composite).expect_differences(kArm);
  MotionDerivatives("planar2r", Formulation::Projection).expect_differences({0.4, -0.7, 0.5, -0.2});
}

TEST(MotionJacobian, WithConstraintsEmbedded) {
  MotionDerivatives("fourbar", Formulation::Automatic).expect_differences({0.9, 0.4, 1.2, 1.5, -0.3, 0.7});
}

}  // namespace
}  // namespace kane::test

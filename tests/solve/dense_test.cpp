#include "kane/solve/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;

TEST(Ldlt, SolvesLikeEigen) {
  Generator random(1);
  for (std::size_t n = 1; n <= 40; ++n) {
    const Matrix a = testing::random_mass(random, n);
    std::vector<double> b = testing::random_vector(random, n);
    const Eigen::VectorXd expected = testing::to_eigen(a).ldlt().solve(testing::to_eigen(b));
    Matrix f = a;
    ASSERT_TRUE(factor_ldlt(f).ok());
    solve_ldlt(f, b);
    EXPECT_LT((testing::to_eigen(b) - expected).norm(), 1e-11 * expected.norm()) << n;
  }
}

TEST(Ldlt, ReadsTheUpperTriangleOnly) {
  Generator random(2);
  const Matrix a = testing::random_mass(random, 6);
  Matrix f = a;
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t j = 0; j < i; ++j) f(i, j) = std::numeric_limits<double>::quiet_NaN();
  }
  ASSERT_TRUE(factor_ldlt(f).ok());
  EXPECT_TRUE(std::isnan(f(3, 1)));
}

TEST(Ldlt, NamesTheSpeedWithoutInertia) {
  // Speed 2 is a combination of the speeds before it: nothing is left of its inertia.
  Generator random(3);
  testing::RowMajor j = testing::to_eigen(testing::random_matrix(random, 7, 5));
  j.col(2) = 2 * j.col(0) - 3 * j.col(1);
  Matrix m = testing::to_matrix(j.transpose() * j);
  const FactorReport report = factor_ldlt(m);
  EXPECT_EQ(report.status, FactorStatus::Singular);
  EXPECT_EQ(report.pivot, 2);
  EXPECT_LT(std::abs(report.pivot_ratio), 1e-14);
}

TEST(Ldlt, UnitsDoNotMatter) {
  // Rescaling speeds (mm for m, and worse) leaves the verdict the same, both ways.
  Generator random(4);
  const Matrix good = testing::random_mass(random, 5);
  testing::RowMajor j = testing::to_eigen(testing::random_matrix(random, 7, 5));
  j.col(4) = j.col(0) + j.col(3);
  const Matrix bad = testing::to_matrix(j.transpose() * j);
  const std::vector<double> scale = {1e-6, 1, 1e9, 1e-3, 1e-9};
  for (const Matrix* m : {&good, &bad}) {
    Matrix scaled = *m;
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t k = 0; k < 5; ++k) scaled(i, k) *= scale[i] * scale[k];
    }
    EXPECT_EQ(factor_ldlt(scaled).ok(), m == &good);
  }
}

TEST(Ldlt, TellsIndefiniteAndNotFinite) {
  Matrix m(2, 2);
  m(0, 0) = 1, m(0, 1) = 2, m(1, 1) = 1;
  EXPECT_EQ(factor_ldlt(m).status, FactorStatus::NotPositiveDefinite);
  Matrix z(2, 2);
  EXPECT_EQ(factor_ldlt(z).status, FactorStatus::Singular);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Matrix a(2, 2);
    a(0, 0) = 1, a(0, 1) = bad, a(1, 1) = 1;
    EXPECT_EQ(factor_ldlt(a).status, FactorStatus::NotFinite);
    Matrix d(2, 2);
    d(0, 0) = bad, d(1, 1) = 1;
    EXPECT_EQ(factor_ldlt(d).status, FactorStatus::NotFinite);
  }
}

TEST(Lu, SolvesBothWaysLikeEigen) {
  Generator random(5);
  Lu lu(30);
  for (std::size_t n = 1; n <= 30; ++n) {
    const Matrix a = testing::random_matrix(random, n, n);
    const testing::RowMajor e = testing::to_eigen(a);
    ASSERT_TRUE(lu.factor(a).ok());
    std::vector<double> b = testing::random_vector(random, n), c = b;
    const Eigen::VectorXd x = e.partialPivLu().solve(testing::to_eigen(b));
    const Eigen::VectorXd y = e.transpose().partialPivLu().solve(testing::to_eigen(b));
    lu.solve(b);
    lu.solve_transposed(c);
    EXPECT_LT((testing::to_eigen(b) - x).norm(), 1e-9 * x.norm());
    EXPECT_LT((testing::to_eigen(c) - y).norm(), 1e-9 * y.norm());
    Matrix columns = testing::random_matrix(random, n, 4);
    const testing::RowMajor solved = e.partialPivLu().solve(testing::to_eigen(columns));
    lu.solve_columns(columns);
    EXPECT_LT((testing::to_eigen(columns) - solved).norm(), 1e-9 * solved.norm());
  }
}

TEST(Lu, ConditionEstimateIsALowerBoundAndNear) {
  Generator random(6);
  Lu lu(12);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + static_cast<std::size_t>(round) % 12;
    Matrix a = testing::random_matrix(random, n, n);
    if (n > 1 && round % 3 == 0) {  // make some of them nearly singular
      for (std::size_t j = 0; j < n; ++j) a(0, j) = a(1, j) * (1 + 1e-6 * testing::uniform(random));
    }
    ASSERT_TRUE(lu.factor(a).ok());
    const testing::RowMajor e = testing::to_eigen(a);
    const double exact =
        e.cwiseAbs().colwise().sum().maxCoeff() * testing::RowMajor(e.inverse()).cwiseAbs().colwise().sum().maxCoeff();
    const double estimate = lu.calc_condition();
    EXPECT_LE(estimate, exact * (1 + 1e-6));
    EXPECT_GE(estimate, exact / 5);
  }
}

TEST(Lu, TellsSingular) {
  Lu lu(3);
  Matrix a(3, 3);
  a(0, 0) = 1, a(0, 1) = 2, a(0, 2) = 3, a(1, 0) = 2, a(1, 1) = 4, a(1, 2) = 6, a(2, 2) = 1;
  EXPECT_EQ(lu.factor(a).status, FactorStatus::Singular);
  a(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(lu.factor(a).status, FactorStatus::NotFinite);
}

}  // namespace
}  // namespace kane

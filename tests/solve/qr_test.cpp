#include "kane/solve/qr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/solve/eigen.hpp"
#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;

/// m x n of the given rank.
Matrix random_rank(Generator& random, std::size_t m, std::size_t n, std::size_t rank) {
  return testing::to_matrix(testing::to_eigen(testing::random_matrix(random, m, rank)) *
                            testing::to_eigen(testing::random_matrix(random, rank, n)));
}

TEST(PivotedQr, RevealsRankAndSolvesLikeEigen) {
  Generator random(1);
  PivotedQr qr(12, 12);
  for (int round = 0; round < 400; ++round) {
    const auto pick = [&](std::size_t most) { return 1 + static_cast<std::size_t>(random() % most); };
    const std::size_t m = pick(12), n = pick(12), rank = pick(std::min(m, n));
    const Matrix a = random_rank(random, m, n, rank);
    qr.factor(a, 1e-10);
    ASSERT_EQ(qr.rank(), rank);
    const testing::RowMajor e = testing::to_eigen(a);

    const std::vector<double> b = testing::random_vector(random, m);
    std::vector<double> work = b, basic(n), shortest(n);
    qr.solve_basic(work, basic);
    work = b;
    qr.solve_minimum_norm(work, shortest);
    Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
    cod.setThreshold(1e-10);
    cod.compute(e);
    const Eigen::VectorXd expected = cod.solve(testing::to_eigen(b));
    EXPECT_LT((testing::to_eigen(shortest) - expected).norm(), 1e-7 * (1 + expected.norm()));
    const double residual = (e * expected - testing::to_eigen(b)).norm();
    EXPECT_NEAR((e * testing::to_eigen(basic) - testing::to_eigen(b)).norm(), residual, 1e-8);
    EXPECT_LE(std::ranges::count_if(basic, [](double v) { return v != 0; }), static_cast<long>(rank));
  }
}

TEST(PivotedQr, FactorsAreWhatTheySay) {
  Generator random(2);
  PivotedQr qr(9, 7);
  const Matrix a = random_rank(random, 9, 7, 5);
  qr.factor(a, 1e-10);
  std::vector<double> basis(9 * 5);
  qr.calc_basis(basis);
  const Eigen::Map<const Eigen::MatrixXd> q(basis.data(), 9, 5);
  EXPECT_LT((q.transpose() * q - Eigen::MatrixXd::Identity(5, 5)).norm(), 1e-14);
  const testing::RowMajor e = testing::to_eigen(a);
  for (std::size_t j = 0; j < 7; ++j) {
    Eigen::VectorXd column = Eigen::VectorXd::Zero(9);
    for (std::size_t i = 0; i <= std::min<std::size_t>(j, 4); ++i) column += qr.r(i, j) * q.col(static_cast<long>(i));
    EXPECT_LT((column - e.col(qr.permutation()[j])).norm(), 1e-13);
  }
  std::vector<double> v = testing::random_vector(random, 9), w = v;
  qr.apply_q_transposed(w);
  qr.apply_q(w);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(w[i], v[i], 1e-15);
}

TEST(PivotedQr, ThresholdPrefersEarlierColumns) {
  // Columns 0 and 3 are parallel, 3 longer: the textbook rule takes 3, a threshold takes 0.
  Matrix a(2, 4);
  a(0, 0) = 1, a(0, 3) = 2, a(1, 1) = 0.3;
  PivotedQr qr(2, 4);
  qr.factor(a, 1e-12);
  EXPECT_EQ(qr.permutation()[0], 3);
  qr.factor(a, 1e-12, {.weight = {}, .threshold = 0.1});
  EXPECT_EQ(qr.permutation()[0], 0);
  EXPECT_EQ(qr.permutation()[1], 1);
  EXPECT_EQ(qr.rank(), 2u);
}

TEST(PivotedQr, ZeroMatrixHasRankZero) {
  PivotedQr qr(3, 3);
  qr.factor(Matrix(3, 3), 1e-12);
  EXPECT_EQ(qr.rank(), 0u);
  std::vector<double> b = {1, 2, 3}, x(3, 7.0);
  qr.solve_minimum_norm(b, x);
  EXPECT_EQ(x, (std::vector<double>{0, 0, 0}));
}

TEST(PivotedQr, KahanMatrixRankByGraduation) {
  // Columns scaled over twelve decades: all of them are still seen.
  PivotedQr qr(6, 6);
  Matrix a(6, 6);
  for (std::size_t i = 0; i < 6; ++i) a(i, i) = std::pow(10.0, -2.0 * static_cast<double>(i));
  qr.factor(a, 1e-14);
  EXPECT_EQ(qr.rank(), 6u);
  EXPECT_NEAR(qr.pivot_spread(), 1e10, 1);
}

TEST(Eigenvalues, OfAKnownSpringChain) {
  // Fixed-fixed chain of n equal masses and springs: omega_k^2 = (4 k/m) sin^2(k pi / (2 (n + 1))).
  const std::size_t n = 8;
  Matrix stiffness(n, n), mass(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    stiffness(i, i) = 2 * 5.0;
    mass(i, i) = 0.3;
    if (i + 1 < n) stiffness(i, i + 1) = stiffness(i + 1, i) = -5.0;
  }
  const SymmetricEigen modes = calc_symmetric_eigen(stiffness, mass);
  ASSERT_TRUE(modes.converged);
  for (std::size_t k = 0; k < n; ++k) {
    const double s = std::sin(static_cast<double>(k + 1) * M_PI / (2.0 * (n + 1)));
    EXPECT_NEAR(modes.values[k], 4 * 5.0 / 0.3 * s * s, 1e-11);
    double length = 0;
    for (std::size_t i = 0; i < n; ++i) length += 0.3 * modes.vectors(i, k) * modes.vectors(i, k);
    EXPECT_NEAR(length, 1, 1e-12);
  }
  EXPECT_FALSE(calc_symmetric_eigen(stiffness, Matrix(n, n)).converged) << "a mass matrix of zeros";
}

TEST(Eigenvalues, OfADampedOscillatorAreSorted) {
  // xddot + 2 d w xdot + w^2 x = 0: s = w (-d +- i sqrt(1 - d^2)).
  const double w = 3, d = 0.2;
  Matrix a(2, 2);
  a(0, 1) = 1, a(1, 0) = -w * w, a(1, 1) = -2 * d * w;
  const GeneralEigen eigen = calc_eigen(a);
  ASSERT_TRUE(eigen.converged);
  EXPECT_NEAR(eigen.values[0].real(), -d * w, 1e-13);
  EXPECT_NEAR(eigen.values[0].imag(), -w * std::sqrt(1 - d * d), 1e-13);
  EXPECT_NEAR(eigen.values[1].imag(), w * std::sqrt(1 - d * d), 1e-13);
  for (std::size_t k = 0; k < 2; ++k) {  // A x = s x
    EXPECT_LT(std::abs(eigen.vectors[2 * k + 1] - eigen.values[k] * eigen.vectors[2 * k]), 1e-13);
  }
  a(0, 0) = std::nan("");
  EXPECT_FALSE(calc_eigen(a).converged);
}

}  // namespace
}  // namespace kane

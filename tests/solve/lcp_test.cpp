#include "kane/solve/lcp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;

void expect_solution(ConstMatrixView m, std::span<const double> q, std::span<const double> z, double tolerance = 1e-9) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    double w = q[i], size = 1 + std::abs(q[i]);
    for (std::size_t j = 0; j < m.rows; ++j) w += m(i, j) * z[j], size += std::abs(m(i, j) * z[j]);
    EXPECT_GE(z[i], 0);
    EXPECT_GE(w, -tolerance * size);
    EXPECT_LE(std::min(w / size, z[i] / size), tolerance);
  }
}

TEST(Lemke, AgreesWithEnumerationOnPMatrices) {
  Generator random(1);
  LemkeSolver lemke(6);
  LcpEnumerator enumerator(6);
  for (int round = 0; round < 2000; ++round) {
    const std::size_t n = 1 + random() % 6;
    // Positive definite plus skew: a P-matrix, so there is exactly one solution.
    Matrix m = testing::random_mass(random, n, 0.05);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double s = 2 * testing::uniform(random);
        m(i, j) += s, m(j, i) -= s;
      }
    }
    const std::vector<double> q = testing::random_vector(random, n);
    std::vector<double> z(n);
    const LcpReport report = lemke.solve(m, q, z);
    ASSERT_EQ(report.status, LcpStatus::Solved);
    ASSERT_EQ(enumerator.find_all(m, q), 1);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(z[i], enumerator.solution(0)[i], 1e-9 * (1 + z[i]));
    expect_solution(m, q, z);
  }
}

TEST(Lemke, DegenerateContactsDoNotCycle) {
  // Redundant supports (W = J J^T of low rank) and many equal entries: ties in every ratio test.
  Generator random(2);
  LemkeSolver lemke(12);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t n = 2 + random() % 11, rank = 1 + random() % 3;
    testing::RowMajor j(static_cast<long>(n), static_cast<long>(rank));
    for (long r = 0; r < j.rows(); ++r) {
      for (long c = 0; c < j.cols(); ++c) j(r, c) = static_cast<double>(static_cast<int>(random() % 3) - 1);
    }
    const Matrix m = testing::to_matrix(j * j.transpose());
    // q in the range of J: all contacts can open, so a solution exists.
    Eigen::VectorXd v(static_cast<long>(rank));
    for (long c = 0; c < v.size(); ++c) v(c) = static_cast<double>(static_cast<int>(random() % 3) - 1);
    const Eigen::VectorXd qe = j * v;
    const std::vector<double> q(qe.begin(), qe.end());
    std::vector<double> z(n);
    const LcpReport report = lemke.solve(m, q, z);
    ASSERT_EQ(report.status, LcpStatus::Solved) << round;
    expect_solution(m, q, z);
  }
}

TEST(Lemke, MurtysHardExample) {
  // M lower triangular with ones on and twos below the diagonal, q = -1: exponentially many pivots for some pivoting
  // methods; the solution is z = (1, 0, ..., 0).
  const std::size_t n = 14;
  Matrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    m(i, i) = 1;
    for (std::size_t j = 0; j < i; ++j) m(i, j) = 2;
  }
  const std::vector<double> q(n, -1.0);
  std::vector<double> z(n);
  LemkeSolver lemke(n);
  const LcpReport report = lemke.solve(m, q, z);
  ASSERT_TRUE(report.ok());
  EXPECT_DOUBLE_EQ(z[0], 1);
  for (std::size_t i = 1; i < n; ++i) EXPECT_EQ(z[i], 0);
}

TEST(Lemke, EndsOnARayWhereThereIsNoSolution) {
  LemkeSolver lemke(2);
  Matrix zero(2, 2);
  std::vector<double> z(2);
  EXPECT_EQ(lemke.solve(zero, std::vector<double>{-1, 1}, z).status, LcpStatus::Ray);
  Matrix pushed(2, 2);  // two contacts that push the same body against each other
  pushed(0, 0) = pushed(1, 1) = 1, pushed(0, 1) = pushed(1, 0) = -1;
  EXPECT_EQ(lemke.solve(pushed, std::vector<double>{-1, -1}, z).status, LcpStatus::Ray);
  EXPECT_EQ(lemke.solve(pushed, std::vector<double>{-1, 1}, z).status, LcpStatus::Solved);
  EXPECT_EQ(lemke.solve(pushed, std::vector<double>{std::nan(""), 1}, z).status, LcpStatus::NotFinite);
  EXPECT_EQ(lemke.solve(pushed, std::vector<double>{1, 0}, z).status, LcpStatus::Solved);
  EXPECT_EQ(z, (std::vector<double>{0, 0}));
}

TEST(Lemke, WorksAcrossScales) {
  // Rows in other units (kg, mg) and tiny or huge q do not change the verdict.
  Generator random(3);
  LemkeSolver lemke(5);
  for (const double scale : {1e-12, 1e-6, 1.0, 1e6, 1e12}) {
    const Matrix unit = testing::random_mass(random, 5);
    std::vector<double> q = testing::random_vector(random, 5), z(5), reference(5);
    ASSERT_TRUE(lemke.solve(unit, q, reference).ok());
    Matrix m = unit;
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t j = 0; j < 5; ++j) m(i, j) *= scale;
      q[i] *= scale * scale;
    }
    ASSERT_TRUE(lemke.solve(m, q, z).ok()) << scale;
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(z[i], reference[i] * scale, 1e-11 * scale);
  }
}

// Accelerations that are only rounding, next to one that matters: the answer is as accurate as such numbers permit.
TEST(Lemke, RoundingBesideLargeNumbersIsNoInaccuracy) {
  Matrix m(3, 3);
  for (std::size_t i = 0; i < 3; ++i) m(i, i) = 2;
  for (std::size_t i = 0; i < 2; ++i) m(i, i + 1) = m(i + 1, i) = -1;
  for (const double noise : {-2e-18, 2e-18}) {
    const std::vector<double> q{1.4e-6, 1e-4 * noise, noise};
    std::vector<double> z(3);
    LemkeSolver solver(3);
    EXPECT_TRUE(solver.solve(m, q, z).ok()) << noise;
    for (const double force : z) EXPECT_LT(force, 1e-17);
  }
}

TEST(Lemke, ReportsDegeneracy) {
  LemkeSolver lemke(2);
  Matrix m(2, 2);
  m(0, 0) = m(0, 1) = m(1, 0) = m(1, 1) = 1;
  std::vector<double> z(2);
  const LcpReport report = lemke.solve(m, std::vector<double>{-1, -1}, z);
  EXPECT_TRUE(report.ok());
  EXPECT_TRUE(report.degenerate);
  EXPECT_NEAR(z[0] + z[1], 1, 1e-12);
}

TEST(Enumerator, CountsSolutionsOfPainlevesKind) {
  LcpEnumerator enumerator(1);
  Matrix m(1, 1);
  m(0, 0) = -1;
  EXPECT_EQ(enumerator.find_all(m, std::vector<double>{2}), 2);  // 0 and 2
  EXPECT_EQ(enumerator.find_all(m, std::vector<double>{-2}), 0);
  EXPECT_THROW(LcpEnumerator(17), ModelError);
}

/// z = mid(lower, z - w, upper) is the boxed problem in one line.
void expect_boxed(ConstMatrixView m, std::span<const double> q, std::span<const double> lower,
                  std::span<const double> upper, std::span<const double> z, double tolerance) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    double w = q[i];
    for (std::size_t j = 0; j < m.rows; ++j) w += m(i, j) * z[j];
    EXPECT_NEAR(z[i], std::clamp(z[i] - w, lower[i], upper[i]), tolerance);
  }
}

TEST(BoxedLcp, SolvesRandomProblemsWithAllKindsOfBounds) {
  Generator random(4);
  const double infinity = std::numeric_limits<double>::infinity();
  BoxedLcpSolver solver(8);
  for (int round = 0; round < 1000; ++round) {
    const std::size_t n = 1 + random() % 8;
    const Matrix m = testing::random_mass(random, n, 0.2);
    const std::vector<double> q = testing::random_vector(random, n);
    std::vector<double> lower(n), upper(n), z(n), relaxed(n);
    for (std::size_t i = 0; i < n; ++i) {
      lower[i] = random() % 3 == 0 ? -infinity : -0.3 * testing::uniform(random, 0, 1);
      upper[i] = random() % 3 == 0 ? infinity : 0.3 * testing::uniform(random, 0, 1);
    }
    ASSERT_TRUE(solver.solve(m, q, lower, upper, z).ok());
    expect_boxed(m, q, lower, upper, z, 1e-10);
    const RelaxationReport report = relax_boxed_lcp(m, q, lower, upper, {}, {}, relaxed, 20000, 1e-13);
    EXPECT_TRUE(report.converged);
    for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(relaxed[i], z[i], 1e-8);
  }
  std::vector<double> z(1);
  EXPECT_THROW(solver.solve(Matrix(1, 1), std::vector<double>{0}, std::vector<double>{1}, std::vector<double>{0}, z),
               ModelError);
}

TEST(BoxedLcp, FreeVariablesWithoutStiffnessAreRefused) {
  const double infinity = std::numeric_limits<double>::infinity();
  BoxedLcpSolver solver(1);
  std::vector<double> z(1);
  const LcpReport report = solver.solve(Matrix(1, 1), std::vector<double>{1}, std::vector<double>{-infinity},
                                        std::vector<double>{infinity}, z);
  EXPECT_FALSE(report.ok());
}

TEST(Relaxation, FollowsTheFrictionLimit) {
  // A block pressed with 10 and pushed with 4: sticks with mu = 0.5, slides at the limit with mu = 0.3.
  Matrix m(2, 2);
  m(0, 0) = m(1, 1) = 1;
  const std::vector<double> q = {-10, -4}, none = {0, 0}, infinite(2, std::numeric_limits<double>::infinity());
  for (const double mu : {0.5, 0.3}) {
    std::vector<double> z(2);
    relax_boxed_lcp(m, q, none, infinite, std::vector<int>{-1, 0}, std::vector<double>{0, mu}, z);
    EXPECT_DOUBLE_EQ(z[0], 10);
    EXPECT_DOUBLE_EQ(z[1], std::min(4.0, 10 * mu));
  }
}

}  // namespace
}  // namespace kane

#include "kane/solve/embed.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "kane/solve/independent.hpp"
#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;
using testing::RowMajor;

double smallest_singular(const RowMajor& a) { return a.jacobiSvd().singularValues().tail(1)(0); }

/// Largest of the smallest singular values of V_d over all choices of columns, by enumeration.
double best_singular(const RowMajor& v_transposed) {
  const long r = v_transposed.rows(), n = v_transposed.cols();
  double best = 0;
  for (unsigned mask = 0; mask < (1u << n); ++mask) {
    if (__builtin_popcount(mask) != r) continue;
    RowMajor block(r, r);
    for (long j = 0, c = 0; j < n; ++j) {
      if (mask >> j & 1u) block.col(c++) = v_transposed.col(j);
    }
    best = std::max(best, smallest_singular(block));
  }
  return best;
}

RowMajor columns(const RowMajor& a, std::span<const int> which) {
  RowMajor out(a.rows(), static_cast<long>(which.size()));
  for (std::size_t j = 0; j < which.size(); ++j) out.col(static_cast<long>(j)) = a.col(which[j]);
  return out;
}

/// m rows of rank r, every row at a scale of its own.
Matrix random_constraints(Generator& random, std::size_t m, std::size_t n, std::size_t r) {
  RowMajor a =
      testing::to_eigen(testing::random_matrix(random, m, r)) * testing::to_eigen(testing::random_matrix(random, r, n));
  for (long i = 0; i < a.rows(); ++i) a.row(i) *= std::pow(10.0, 3 * testing::uniform(random));
  return testing::to_matrix(a);
}

TEST(IndependentSpeeds, FindsRankAndAWellConditionedBlock) {
  Generator random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random() % 8, r = 1 + random() % (n - 1), m = r + random() % 3;
    const Matrix a = random_constraints(random, m, n, r);
    IndependentSpeeds chooser(m, n);
    const IndependentReport& report = chooser.choose(a);
    ASSERT_EQ(report.rank, static_cast<int>(r));
    ASSERT_EQ(chooser.dependent().size(), r);
    ASSERT_EQ(chooser.independent().size(), n - r);
    ASSERT_EQ(chooser.kept_rows().size(), r);
    ASSERT_EQ(chooser.redundant_rows().size(), m - r);
    const RowMajor e = testing::to_eigen(a);
    const RowMajor v =
        e.jacobiSvd(Eigen::ComputeThinV | Eigen::ComputeThinU).matrixV().transpose().topRows(static_cast<long>(r));
    const double smallest = smallest_singular(columns(v, chooser.dependent()));
    EXPECT_GT(smallest, best_singular(v) / 6);
    EXPECT_GE(report.condition, 0.999 / smallest);
    EXPECT_LE(report.condition, 1.001 * std::sqrt(static_cast<double>(r)) / smallest);
    EXPECT_LT(report.largest_dropped, 1e-12);
    EXPECT_GT(report.smallest_row, 1e-9);
  }
}

TEST(IndependentSpeeds, NamesTheLaterOfTwoEqualRows) {
  // Rows: x, y, x again (in millimetres), zero, x + y.
  Matrix a(5, 4);
  a(0, 0) = 1, a(1, 1) = 1, a(2, 0) = 1000, a(4, 0) = 1, a(4, 1) = 1;
  IndependentSpeeds chooser(5, 4);
  const IndependentReport& report = chooser.choose(a);
  EXPECT_EQ(report.rank, 2);
  EXPECT_TRUE(std::ranges::equal(chooser.kept_rows(), std::vector<int>{0, 1}));
  EXPECT_TRUE(std::ranges::equal(chooser.redundant_rows(), std::vector<int>{2, 3, 4}));
  EXPECT_TRUE(std::ranges::equal(chooser.dependent(), std::vector<int>{0, 1}));
}

TEST(IndependentSpeeds, KeepsTheUsersChoiceUnlessItIsBad) {
  Matrix a(1, 3);
  a(0, 0) = 1, a(0, 1) = 0.01, a(0, 2) = 1e-7;
  IndependentSpeeds chooser(1, 3);
  EXPECT_TRUE(chooser.choose(a, {}, std::vector<int>{1}).preferred_kept);
  EXPECT_EQ(chooser.dependent()[0], 1);
  EXPECT_FALSE(chooser.choose(a, {}, std::vector<int>{2}).preferred_kept);
  EXPECT_EQ(chooser.dependent()[0], 0);
  Matrix b(2, 3);
  b(0, 0) = 1, b(1, 1) = 1, b(1, 2) = 1e-7;
  IndependentSpeeds other(2, 3);
  EXPECT_FALSE(other.choose(b, {}, std::vector<int>{0, 2}).preferred_kept);
  EXPECT_TRUE(std::ranges::equal(other.dependent(), std::vector<int>{0, 1}));
  EXPECT_TRUE(other.choose(b, {}, std::vector<int>{0, 1}).preferred_kept);
}

TEST(IndependentSpeeds, TurningPendulumChangesItsMindLateAndOnce) {
  // x cos(a) + y sin(a) = 0 for a full turn: hysteresis keeps the choice until the block is bad.
  IndependentSpeeds chooser(1, 2);
  Matrix a(1, 2);
  int changes = 0;
  double worst = 0;
  for (int step = 0; step <= 1000; ++step) {
    const double angle = 2 * M_PI * step / 1000;
    a(0, 0) = std::cos(angle), a(0, 1) = std::sin(angle);
    const IndependentReport& report = step == 0 ? chooser.choose(a) : chooser.update(a);
    ASSERT_EQ(report.rank, 1);
    if (step > 0 && report.changed) ++changes;
    worst = std::max(worst, report.condition);
  }
  EXPECT_LE(changes, 4);
  EXPECT_GE(changes, 3);
  EXPECT_LT(worst, 200);
}

TEST(IndependentSpeeds, SaysNotFiniteAndKeepsTheChoice) {
  Matrix a(1, 2);
  a(0, 0) = 1;
  IndependentSpeeds chooser(1, 2);
  EXPECT_TRUE(chooser.choose(a).finite);
  a(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(chooser.update(a).finite);
  EXPECT_EQ(chooser.dependent().size(), 1u);
  EXPECT_EQ(chooser.dependent()[0], 0);
}

TEST(IndependentSpeeds, ScaleDecidesBetweenUnits) {
  // Rolling: v = r w with r = 0.01. With speeds of typical size 1 and 100, r w is as large as v.
  Matrix a(1, 2);
  a(0, 0) = 1, a(0, 1) = -0.01;
  IndependentSpeeds chooser(1, 2);
  chooser.choose(a);
  EXPECT_EQ(chooser.dependent()[0], 0);
  chooser.choose(a, std::vector<double>{1.0, 1000.0});
  EXPECT_EQ(chooser.dependent()[0], 1);
}

/// udot and generalized constraint forces from the full system with multipliers, in the least squares sense.
std::pair<Eigen::VectorXd, Eigen::VectorXd> solve_kkt(const RowMajor& m, const RowMajor& a, const Eigen::VectorXd& rhs,
                                                      const Eigen::VectorXd& gamma) {
  const long n = m.rows(), k = a.rows();
  RowMajor kkt = RowMajor::Zero(n + k, n + k);
  kkt.topLeftCorner(n, n) = m;
  kkt.topRightCorner(n, k) = -a.transpose();
  kkt.bottomLeftCorner(k, n) = a;
  Eigen::VectorXd b(n + k);
  b << rhs, gamma;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> cod;
  cod.setThreshold(1e-11);
  const Eigen::VectorXd x = cod.compute(kkt).solve(b);
  return {x.head(n), x.tail(k)};
}

TEST(Embedding, AgreesWithTheFullMultiplierSolution) {
  Generator random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 2 + random() % 12, r = 1 + random() % n, extra = random() % 3, m = r + extra;
    RowMajor kept = testing::to_eigen(testing::random_matrix(random, r, n));
    RowMajor mix = testing::to_eigen(testing::random_matrix(random, m, r));
    mix.topRows(static_cast<long>(r)) = RowMajor::Identity(static_cast<long>(r), static_cast<long>(r));
    const Matrix a = testing::to_matrix(mix * kept);
    const Eigen::VectorXd gamma_e = mix * testing::to_eigen(testing::random_vector(random, r));
    const std::vector<double> gamma(gamma_e.begin(), gamma_e.end());
    const Matrix mass = testing::random_mass(random, n);
    const std::vector<double> rhs = testing::random_vector(random, n);

    IndependentSpeeds chooser(m, n);
    if (chooser.choose(a).condition > 1e3 || chooser.report().smallest_row < 1e-2) continue;
    Embedding embedding(n, m);
    embedding.set_choice(chooser);
    ASSERT_TRUE(embedding.refresh(a).ok());
    std::vector<double> udot(n), basic(m), shortest(m);
    ASSERT_TRUE(embedding.solve(mass, rhs, gamma, udot).ok());
    embedding.calc_multipliers(mass, rhs, udot, Multipliers::Basic, basic);
    embedding.calc_multipliers(mass, rhs, udot, Multipliers::MinimumNorm, shortest);

    const auto [x, lambda] = solve_kkt(testing::to_eigen(mass), testing::to_eigen(a), testing::to_eigen(rhs), gamma_e);
    const double size = 1 + x.norm() + lambda.norm();
    EXPECT_LT((testing::to_eigen(udot) - x).norm(), 1e-9 * size);
    const RowMajor at = testing::to_eigen(a).transpose();
    const double force = (at * lambda).norm();
    EXPECT_LT((at * (testing::to_eigen(basic) - lambda)).norm(), 1e-9 * (size + force));
    // The shortest multipliers are those of the pseudoinverse; the basic ones vanish on the rows dropped.
    EXPECT_LT((testing::to_eigen(shortest) - lambda).norm(), 1e-8 * size);
    for (const int row : chooser.redundant_rows()) EXPECT_EQ(basic[static_cast<std::size_t>(row)], 0);
    EXPECT_LT(embedding.contradiction(), 1e-10);
    // C^T M C and C^T (rhs - M g), formed the long way round.
    RowMajor c = RowMajor::Zero(static_cast<long>(n), static_cast<long>(n - r));
    for (std::size_t j = 0; j < n - r; ++j) c(chooser.independent()[j], static_cast<long>(j)) = 1;
    for (std::size_t k = 0; k < r; ++k) {
      for (std::size_t j = 0; j < n - r; ++j) {
        c(chooser.dependent()[k], static_cast<long>(j)) = embedding.d()(k, j);
      }
    }
    EXPECT_LT((testing::to_eigen(a) * c).norm(), 1e-10 * size * (1 + c.norm()));
    const RowMajor embedded = c.transpose() * testing::to_eigen(mass) * c;
    for (std::size_t i = 0; i < n - r; ++i) {
      for (std::size_t j = i; j < n - r; ++j) {
        EXPECT_NEAR(embedding.embedded_mass()(i, j), embedded(static_cast<long>(i), static_cast<long>(j)),
                    1e-11 * (1 + embedded.norm()));
      }
    }
  }
}

TEST(Embedding, CompletesSpeedsAndImposesConstraints) {
  Generator random(3);
  for (int round = 0; round < 100; ++round) {
    const std::size_t n = 3 + random() % 8, m = 1 + random() % 3;
    const Matrix a = testing::random_matrix(random, m, n), mass = testing::random_mass(random, n);
    const std::vector<double> b = testing::random_vector(random, m), before = testing::random_vector(random, n);
    IndependentSpeeds chooser(m, n);
    if (chooser.choose(a).smallest_row < 1e-2) continue;
    Embedding embedding(n, m);
    embedding.set_choice(chooser);
    ASSERT_TRUE(embedding.refresh(a).ok());
    const auto residual = [&](const std::vector<double>& u) {
      return (testing::to_eigen(a) * testing::to_eigen(u) + testing::to_eigen(b)).norm();
    };
    std::vector<double> u = before;
    embedding.complete_speeds(b, u);
    EXPECT_LT(residual(u), 1e-11);
    for (const int i : chooser.independent())
      EXPECT_EQ(u[static_cast<std::size_t>(i)], before[static_cast<std::size_t>(i)]);

    std::vector<double> after = before, impulse(m);
    ASSERT_TRUE(embedding.impose(mass, b, after, Multipliers::Basic, impulse).ok());
    EXPECT_LT(residual(after), 1e-11);
    const RowMajor e = testing::to_eigen(mass);
    const Eigen::VectorXd jump = testing::to_eigen(after) - testing::to_eigen(before);
    EXPECT_LT((e * jump - testing::to_eigen(a).transpose() * testing::to_eigen(impulse)).norm(), 1e-10);
    // Nearest in kinetic energy: nearer than the completed speeds and anything else that satisfies the constraints.
    const Eigen::VectorXd other = testing::to_eigen(u) - testing::to_eigen(before);
    EXPECT_LE(jump.dot(e * jump), other.dot(e * other) + 1e-12);
  }
}

TEST(Embedding, InelasticImpositionLosesTheEnergyOfCarnot) {
  // With b = 0 the loss is the kinetic energy of the jump: T- - T+ = 1/2 (u- - u+)^T M (u- - u+).
  Generator random(4);
  const Matrix a = testing::random_matrix(random, 2, 5), mass = testing::random_mass(random, 5);
  IndependentSpeeds chooser(2, 5);
  chooser.choose(a);
  Embedding embedding(5, 2);
  embedding.set_choice(chooser);
  ASSERT_TRUE(embedding.refresh(a).ok());
  const std::vector<double> before = testing::random_vector(random, 5);
  std::vector<double> after = before, impulse(2);
  ASSERT_TRUE(embedding.impose(mass, {}, after, Multipliers::Basic, impulse).ok());
  const RowMajor e = testing::to_eigen(mass);
  const Eigen::VectorXd x = testing::to_eigen(before), y = testing::to_eigen(after);
  EXPECT_NEAR(x.dot(e * x) - y.dot(e * y), (x - y).dot(e * (x - y)), 1e-13);
}

TEST(Embedding, AcceptsAMasslessPartIfItIsCarriedAlong) {
  // Speed 1 has no mass of its own; tied to speed 0 by u0 = u1 it needs none.
  Matrix mass(2, 2), a(1, 2);
  mass(0, 0) = 2;
  a(0, 0) = 1, a(0, 1) = -1;
  IndependentSpeeds chooser(1, 2);
  chooser.choose(a);
  Embedding embedding(2, 1);
  embedding.set_choice(chooser);
  ASSERT_TRUE(embedding.refresh(a).ok());
  std::vector<double> udot(2), lambda(1);
  const std::vector<double> rhs = {0, 6}, gamma = {0};
  ASSERT_TRUE(embedding.solve(mass, rhs, gamma, udot).ok());
  embedding.calc_multipliers(mass, rhs, udot, Multipliers::Basic, lambda);
  EXPECT_DOUBLE_EQ(udot[0], 3);
  EXPECT_DOUBLE_EQ(udot[1], 3);
  EXPECT_DOUBLE_EQ(lambda[0], 6);  // M udot = rhs + A^T lambda: 2 * 3 = 0 + lambda, 0 = 6 - lambda
}

TEST(Embedding, SaysWhatIsWrong) {
  Matrix mass(2, 2), a(1, 2);
  mass(0, 0) = 1;  // speed 1 is massless and free
  a(0, 0) = 1;
  IndependentSpeeds chooser(1, 2);
  chooser.choose(a);
  Embedding embedding(2, 1);
  embedding.set_choice(chooser);
  ASSERT_TRUE(embedding.refresh(a).ok());
  std::vector<double> udot(2);
  const EmbedReport massless = embedding.solve(mass, std::vector<double>{1, 1}, {}, udot);
  EXPECT_EQ(massless.status, EmbedStatus::InertiaSingular);
  EXPECT_EQ(massless.index, 1);
  a(0, 0) = 0, a(0, 1) = 1;  // the constraint has turned away from the dependent speed
  const EmbedReport turned = embedding.refresh(a);
  EXPECT_EQ(turned.status, EmbedStatus::BlockSingular);
  EXPECT_EQ(turned.index, 0);
  a(0, 0) = std::numeric_limits<double>::infinity();
  EXPECT_EQ(embedding.refresh(a).status, EmbedStatus::NotFinite);

  Matrix two(2, 2);
  two(0, 0) = two(1, 0) = 1;  // redundant
  IndependentSpeeds pair(2, 2);
  pair.choose(two);
  Embedding second(2, 2);
  second.set_choice(pair);
  ASSERT_TRUE(second.refresh(two).ok());
  Matrix unit(2, 2);
  unit(0, 0) = unit(1, 1) = 1;
  ASSERT_TRUE(second.solve(unit, std::vector<double>{0, 0}, std::vector<double>{1, 1}, udot).ok());
  EXPECT_LT(second.contradiction(), 1e-15);
  ASSERT_TRUE(second.solve(unit, std::vector<double>{0, 0}, std::vector<double>{1, 2}, udot).ok());
  EXPECT_GT(second.contradiction(), 0.1) << "u0' = 1 and u0' = 2 cannot both hold";
  two(1, 1) = 0.5;  // redundant no more
  const EmbedReport split = second.refresh(two);
  EXPECT_EQ(split.status, EmbedStatus::RowsIndependent);
  EXPECT_EQ(split.index, 1);
}

}  // namespace
}  // namespace kane

#include "kane/solve/range_space.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "kane/solve/embed.hpp"
#include "kane/solve/qr.hpp"
#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;
using testing::random_tree;
using testing::tree_mass;

using Places = std::vector<std::vector<int>>;

std::vector<std::span<const int>> spans_of(const Places& places) { return {places.begin(), places.end()}; }

/// Rows with a few entries each.
Places random_places(Generator& random, std::size_t rows, std::size_t columns) {
  Places places(rows);
  for (auto& row : places) {
    for (std::size_t j = 0; j < columns; ++j)
      if (random() % columns < 4) row.push_back(static_cast<int>(j));
    if (row.empty()) row.push_back(static_cast<int>(random() % columns));
  }
  return places;
}

Matrix fill(Generator& random, const Places& places, std::size_t columns) {
  Matrix a(places.size(), columns);
  for (std::size_t i = 0; i < places.size(); ++i)
    for (const int j : places[i]) a(i, static_cast<std::size_t>(j)) = testing::uniform(random);
  return a;
}

double largest_difference_of(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

TEST(RowGram, SolvesAsTheDenseMatrixDoes) {
  Generator random(3);
  for (int round = 0; round < 200; ++round) {
    const std::size_t m = 1 + random() % 12, n = m + random() % 20;
    const Places places = random_places(random, m, n);
    const Matrix a = fill(random, places, n);
    RowGram gram(m + 2, n);
    gram.set_places(spans_of(places));
    gram.load(a);
    const GramReport report = gram.factor();
    if (!report.clear(1e-4) || report.rank < m) continue;  // rows may repeat each other
    const testing::RowMajor e = testing::to_eigen(a);
    std::vector<double> b = testing::random_vector(random, m), x(n);
    const Eigen::VectorXd exact = e.transpose() * (e * e.transpose()).ldlt().solve(testing::to_eigen(b));
    gram.solve_shortest(b, x);
    EXPECT_LT((testing::to_eigen(x) - exact).norm(), 1e-8 * exact.norm());
    // The same from the entries themselves.
    RowGram taken(m, n);
    taken.take(a.view());
    EXPECT_NEAR(taken.factor().least, report.least, 1e-10);
  }
}

TEST(RowGram, PivotsAreSquaresOfWhatIsIndependent) {
  // Rows at an angle of 0.01, and a third that is their sum.
  const double angle = 0.01;
  Matrix a(3, 3);
  a(0, 0) = 2, a(1, 0) = 3 * std::cos(angle), a(1, 1) = 3 * std::sin(angle);
  for (std::size_t j = 0; j < 3; ++j) a(2, j) = a(0, j) + a(1, j);
  RowGram gram(3, 3);
  gram.take(a.view());
  const GramReport report = gram.factor(1e-12);
  EXPECT_EQ(report.rank, 2U);
  EXPECT_TRUE(report.clear());
  EXPECT_LT(report.largest_dropped, 1e-14);
  std::vector<double> b{2, 3, 5}, x(3);
  gram.solve_shortest(b, x);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(gram.dot_row(i, x), 2.0 + (i == 1 ? 1 : i == 2 ? 3 : 0), 1e-11);
  gram.take(a.view().top_left(2, 3));
  EXPECT_NEAR(std::sqrt(gram.factor().least), std::sin(angle), 1e-12);
}

TEST(RowGram, ChainsOfRowsKeepTheirEnvelope) {
  // Row i has entries at i and i + 1, in any order of the rows: the work grows with their number.
  const auto work_of = [](std::size_t m) {
    Places places;
    for (std::size_t i = 0; i < m; ++i) {
      const int k = static_cast<int>(i * 7 % m);
      places.push_back({k, k + 1});
    }
    RowGram gram(m, m + 1);
    gram.set_places(spans_of(places));
    return gram.work();
  };
  EXPECT_LT(work_of(1000), 11 * work_of(100));
}

TEST(RangeSpace, AgreesWithTheEmbedding) {
  Generator random(4);
  int compared = 0;
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 4 + random() % 30, m = 1 + random() % (n / 3 + 1);
    const std::vector<int> parent = random_tree(random, n);
    const Matrix mass = tree_mass(random, parent);
    const Places places = random_places(random, m, n);
    const Matrix a = fill(random, places, n);
    IndependentSpeeds choice(m, n);
    choice.choose(a);
    RangeSpace range(parent, m);
    range.set_rows(choice.kept_rows(), choice.redundant_rows(), spans_of(places));
    if (!range.factor(mass, a)) continue;
    ++compared;
    Embedding embedding(n, m);
    embedding.set_choice(choice);
    ASSERT_TRUE(embedding.refresh(a).ok());
    const std::vector<double> rhs = testing::random_vector(random, n);
    std::vector<double> udot(n), other(n), lambda(m), multipliers(m), gamma = testing::random_vector(random, m);
    for (const int k : choice.redundant_rows()) gamma[static_cast<std::size_t>(k)] = 0;
    ASSERT_TRUE(embedding.solve(mass, rhs, gamma, other).ok());
    embedding.calc_multipliers(mass, rhs, other, Multipliers::Basic, multipliers);
    range.solve(rhs, gamma, udot, lambda);
    const double size = std::max(1.0, testing::to_eigen(other).norm());
    EXPECT_LT(largest_difference_of(udot, other), 1e-8 * size);
    EXPECT_LT(largest_difference_of(lambda, multipliers), 1e-6 * (1 + testing::to_eigen(multipliers).norm()));
    for (const int k : choice.kept_rows()) {
      const auto row = a.view().row_span(static_cast<std::size_t>(k));
      EXPECT_NEAR(testing::to_eigen(udot).dot(testing::to_eigen(std::vector(row.begin(), row.end()))),
                  gamma[static_cast<std::size_t>(k)], 1e-12 * size);
    }
    // Speeds: the change is an impulse of the constraints.
    std::vector<double> u = testing::random_vector(random, n), v = u;
    ASSERT_TRUE(embedding.impose(mass, {}, v, Multipliers::Basic, {}).ok());
    range.impose({}, u);
    EXPECT_LT(largest_difference_of(u, v), 1e-8);
  }
  EXPECT_GT(compared, 150);
}

TEST(RangeSpace, RefusesWhatOnlyTheEmbeddingCanSolve) {
  Generator random(5);
  const std::vector<int> parent{-1, 0, 1, 2};
  Matrix mass = tree_mass(random, parent);
  Matrix a(2, 4);
  a(0, 1) = a(1, 1) = 1, a(0, 3) = 2, a(1, 3) = 2;
  const Places places{{1, 3}, {1, 3}};
  const std::vector<int> first{0}, second{1}, both{0, 1};
  RangeSpace range(parent, 2);
  range.set_rows(first, second, spans_of(places));
  EXPECT_TRUE(range.factor(mass, a));
  a(1, 3) = 2 + 1e-5;  // it no longer follows from the other row
  EXPECT_FALSE(range.factor(mass, a));
  range.set_rows(both, {}, spans_of(places));
  EXPECT_FALSE(range.factor(mass, a));  // and is not clearly independent of it
  a(1, 3) = 3;
  EXPECT_TRUE(range.factor(mass, a));
  for (std::size_t j = 0; j < 4; ++j) mass(3, j) = mass(j, 3) = 0;  // a part without mass
  EXPECT_FALSE(range.factor(mass, a));
}

TEST(RangeSpace, FindsTheTreeOfAMatrix) {
  // Two branches from 0: 1 - 3 and 2 - 4, and an entry (4, 3) that joins them: then 3 must be an ancestor of 4.
  const std::vector<std::pair<int, int>> branches{{1, 0}, {2, 0}, {3, 0}, {3, 1}, {4, 0}, {4, 2}};
  EXPECT_EQ(find_parents(5, branches), (std::vector<int>{-1, 0, 0, 1, 2}));
  auto joined = branches;
  joined.emplace_back(4, 3);
  EXPECT_EQ(find_parents(5, joined), (std::vector<int>{-1, 0, 1, 2, 3}));
}

}  // namespace
}  // namespace kane

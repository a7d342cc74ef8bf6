// Cholesky's factors of sparse matrices of blocks, against dense solutions.

#include "kane/solve/block_cholesky.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;

TEST(BlockCholesky, SolvesAsDenseFactorsDo) {
  Generator random(3);
  for (int trial = 0; trial < 40; ++trial) {
    const std::size_t nodes = 1 + static_cast<std::size_t>(trial % 12);
    std::vector<std::uint32_t> sizes;
    std::vector<long> start;
    long n = 0;
    for (std::size_t i = 0; i < nodes; ++i) {
      sizes.push_back(testing::uniform(random, 0, 1) < 0.6 ? 6 : 1 + static_cast<std::uint32_t>(i % 4));
      start.push_back(n), n += sizes.back();
    }
    std::vector<BlockCholesky::Pair> pairs;
    for (std::uint32_t i = 0; i < nodes; ++i)
      for (std::uint32_t j = i + 1; j < nodes; ++j)
        if (testing::uniform(random, 0, 1) < 0.3) pairs.push_back(i % 2 == 0 ? std::pair{i, j} : std::pair{j, i});
    BlockCholesky factors;
    factors.analyse(sizes, pairs);
    factors.clear();
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto [i, j] = pairs[k];
      const BlockCholesky::Entry entry = factors.entry(k);
      for (std::uint32_t r = 0; r < sizes[i]; ++r)
        for (std::uint32_t c = 0; c < sizes[j]; ++c) {
          const double x = testing::uniform(random, -1, 1);
          entry.values[entry.transposed ? c * sizes[i] + r : r * sizes[j] + c] = x;
          a(start[i] + r, start[j] + c) = a(start[j] + c, start[i] + r) = x;
        }
    }
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::uint32_t r = 0; r < sizes[i]; ++r) {
        a(start[i] + r, start[i] + r) = static_cast<double>(n);
        factors.diagonal(i)[r * sizes[i] + r] = static_cast<double>(n);
      }
    std::vector<double> x = testing::random_vector(random, static_cast<std::size_t>(n));
    const Eigen::VectorXd expected = a.ldlt().solve(Eigen::Map<const Eigen::VectorXd>(x.data(), n));
    ASSERT_TRUE(factors.factor());
    factors.solve(x);
    for (long i = 0; i < n; ++i) EXPECT_NEAR(x[static_cast<std::size_t>(i)], expected(i), 1e-13);
  }
}

TEST(BlockCholesky, EliminatesChainsWithoutFillIn) {
  std::vector<std::uint32_t> sizes(100, 6);
  std::vector<BlockCholesky::Pair> pairs;
  for (std::uint32_t i = 0; i + 1 < sizes.size(); ++i) pairs.push_back({i, i + 1});
  BlockCholesky factors;
  factors.analyse(sizes, pairs);
  EXPECT_LT(factors.cost(), 100 * 216 * 2.0);
}

TEST(BlockCholesky, RefusesWhatIsNotPositiveDefinite) {
  BlockCholesky factors;
  const std::vector<std::uint32_t> sizes{2};
  factors.analyse(sizes, {});
  factors.clear();
  double* a = factors.diagonal(0);
  a[0] = a[3] = 1, a[1] = a[2] = 2;
  EXPECT_FALSE(factors.factor());
}

}  // namespace
}  // namespace kane

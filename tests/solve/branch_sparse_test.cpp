#include "kane/solve/branch_sparse.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "random_matrices.hpp"

namespace kane {
namespace {

using testing::Generator;
using testing::random_tree;
using testing::tree_mass;

TEST(BranchSparse, LtlAgreesWithDenseCholesky) {
  Generator random(1);
  for (int round = 0; round < 200; ++round) {
    const std::size_t n = 1 + random() % 30;
    const std::vector<int> parent = random_tree(random, n);
    const Matrix m = tree_mass(random, parent);
    const testing::RowMajor e = testing::to_eigen(m);
    Matrix l = m;
    // Entries of unrelated speeds and the upper triangle must not be used.
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        int a = static_cast<int>(i);
        while (a > static_cast<int>(j)) a = parent[static_cast<std::size_t>(a)];
        if (j > i || a != static_cast<int>(j)) l(i, j) = std::numeric_limits<double>::quiet_NaN();
      }
    }
    const Matrix sparse = l;
    ASSERT_TRUE(factor_ltl(l, parent).ok());
    // L^T L of M is the dense Cholesky factorisation of M with its order reversed.
    const testing::RowMajor reversed = e.reverse();
    const testing::RowMajor dense = reversed.llt().matrixU();
    const testing::RowMajor expected = dense.reverse();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        if (std::isnan(l(i, j))) continue;
        EXPECT_NEAR(l(i, j), expected(static_cast<long>(i), static_cast<long>(j)), 1e-11);
      }
    }
    const std::vector<double> b = testing::random_vector(random, n);
    std::vector<double> x = b, half = b, y(n);
    solve_ltl(l, parent, x);
    const Eigen::VectorXd exact = e.llt().solve(testing::to_eigen(b));
    EXPECT_LT((testing::to_eigen(x) - exact).norm(), 1e-9 * exact.norm());
    solve_l_transposed(l, parent, half);
    EXPECT_NEAR(testing::to_eigen(half).squaredNorm(), testing::to_eigen(b).dot(exact), 1e-9 * exact.norm());
    multiply_branch_sparse(sparse, parent, b, y);
    EXPECT_LT((testing::to_eigen(y) - e * testing::to_eigen(b)).norm(), 1e-12 * e.norm());
  }
}

TEST(BranchSparse, NamesTheSpeedWithoutInertia) {
  // A chain whose last two axes coincide: the inner one has nothing of its own.
  Matrix m(3, 3);
  m(0, 0) = 5, m(1, 0) = m(2, 0) = 1, m(1, 1) = m(2, 1) = m(2, 2) = 2;
  const std::vector<int> parent = {-1, 0, 1};
  const FactorReport report = factor_ltl(m, parent);
  EXPECT_EQ(report.status, FactorStatus::Singular);
  EXPECT_EQ(report.pivot, 1);
  Matrix negative(1, 1);
  negative(0, 0) = -1;
  EXPECT_EQ(factor_ltl(negative, std::vector<int>{-1}).status, FactorStatus::NotPositiveDefinite);
  negative(0, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(factor_ltl(negative, std::vector<int>{-1}).status, FactorStatus::NotFinite);
}

TEST(BranchSparse, RefusesChildrenBeforeParents) {
  EXPECT_THROW(check_parents(std::vector<int>{-1, 1}), ModelError);
  EXPECT_THROW(check_parents(std::vector<int>{-2}), ModelError);
  EXPECT_NO_THROW(check_parents(std::vector<int>{-1, 0, 0, 2}));
}

}  // namespace
}  // namespace kane

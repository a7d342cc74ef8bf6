// Ranks of matrices that fall into blocks, against elimination with rational numbers.

#include "kane/mechanics/rank.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "kane/base/at.hpp"
#include "kane/expr/rational.hpp"

namespace kane::test {
namespace {

using Rows = std::vector<std::vector<int>>;

/// Rank over the rationals, by plain elimination.
int plain_rank(const Rows& rows) {
  std::vector<std::vector<Rational>> a;
  for (const auto& row : rows) a.emplace_back(row.begin(), row.end());
  int rank = 0;
  const std::size_t columns = rows.empty() ? 0 : rows.front().size();
  for (std::size_t c = 0; c < columns; ++c) {
    auto pivot = std::find_if(a.begin() + rank, a.end(), [&](const auto& row) { return row[c] != Rational(0); });
    if (pivot == a.end()) continue;
    std::iter_swap(a.begin() + rank, pivot);
    const auto& top = a[at(rank)];
    for (std::size_t r = at(rank) + 1; r < a.size(); ++r) {
      const Rational factor = a[r][c] / top[c];
      for (std::size_t k = c; k < columns; ++k) a[r][k] = a[r][k] - factor * top[k];
    }
    ++rank;
  }
  return rank;
}

/// Blocks of up to four rows and columns, some of them singular, in random order.
Rows random_blocks(std::mt19937& random, std::size_t size) {
  std::uniform_int_distribution<int> entry(-2, 2);
  Rows rows(size, std::vector<int>(size));
  std::vector<std::size_t> row_order(size), column_order(size);
  std::iota(row_order.begin(), row_order.end(), 0U), std::iota(column_order.begin(), column_order.end(), 0U);
  std::shuffle(row_order.begin(), row_order.end(), random),
      std::shuffle(column_order.begin(), column_order.end(), random);
  for (std::size_t begin = 0; begin < size;) {
    const std::size_t end = std::min(size, begin + 1 + random() % 4);
    for (std::size_t r = begin; r < end; ++r)
      for (std::size_t c = begin; c < end; ++c) rows[row_order[r]][column_order[c]] = entry(random);
    begin = end;
  }
  return rows;
}

TEST(Rank, OfBlocksIsThatOfPlainElimination) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 60; ++trial) {
    const Rows rows = random_blocks(random, 5 + random() % 40);
    ExprMatrix a(rows.size(), rows.size());
    for (std::size_t r = 0; r < rows.size(); ++r)
      for (std::size_t c = 0; c < rows.size(); ++c) a(r, c) = Expr(rows[r][c]);
    std::vector<int> half;
    for (int c = 0; c < a.columns; c += 2) half.push_back(c);
    for (const auto& columns : {std::vector<int>{}, half}) {
      const RankReport report = find_rank(a, columns);
      Rows allowed(rows.size());
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (int c = 0; c < a.columns; ++c)
          if (columns.empty() || c % 2 == 0) allowed[r].push_back(rows[r][at(c)]);
      EXPECT_EQ(report.rank(), plain_rank(allowed)) << trial;
      std::set<int> used_rows, used_columns;
      for (const auto& p : report.pivots) used_rows.insert(p.row), used_columns.insert(p.column);
      EXPECT_EQ(used_rows.size(), report.pivots.size());
      EXPECT_EQ(used_columns.size(), report.pivots.size());
      EXPECT_EQ(report.dependencies.size(), rows.size() - report.pivots.size());
      for (const auto& dependent : report.dependencies) {
        Rows together;
        for (const int r : dependent) together.push_back(allowed[at(r)]);
        EXPECT_LT(plain_rank(together), static_cast<int>(together.size()));
        EXPECT_FALSE(used_rows.contains(dependent.front()));
      }
    }
  }
}

}  // namespace
}  // namespace kane::test

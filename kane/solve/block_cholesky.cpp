#include "kane/solve/block_cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// The size of a free body, by far the most frequent one.
constexpr std::size_t kFree = 6;

/// c (m x n) -= a (m x k) b (n x k)^T.
void subtract_product(double* __restrict c, const double* __restrict a, const double* __restrict b, std::size_t m,
                      std::size_t n, std::size_t k) {
  if (n == kFree && k == kFree) {
    for (std::size_t i = 0; i < m; ++i, a += kFree, c += kFree) {
      const double* row = b;
      for (std::size_t j = 0; j < kFree; ++j, row += kFree)
        c[j] -= ((a[0] * row[0] + a[1] * row[1]) + (a[2] * row[2] + a[3] * row[3])) + (a[4] * row[4] + a[5] * row[5]);
    }
    return;
  }
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < n; ++j) c[i * n + j] -= dot(a + i * k, b + j * k, k);
}

/// L of a block in place, in its lower triangle.
bool factor_dense(double* a, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) {
    const double whole = a[j * n + j], left = whole - dot(a + j * n, a + j * n, j);
    constexpr double kLeast = 1e-15;
    if (!(left > kLeast * whole)) return false;
    const double root = std::sqrt(left);
    a[j * n + j] = root;
    for (std::size_t i = j + 1; i < n; ++i) a[i * n + j] = (a[i * n + j] - dot(a + i * n, a + j * n, j)) / root;
  }
  return true;
}

/// b (m x n) becomes b L^-T.
void divide_rows(double* b, const double* l, std::size_t m, std::size_t n) {
  for (std::size_t i = 0; i < m; ++i, b += n)
    for (std::size_t j = 0; j < n; ++j) b[j] = (b[j] - dot(b, l + j * n, j)) / l[j * n + j];
}

}  // namespace

void BlockCholesky::analyse(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs) {
  find_order(sizes, pairs);
  lay_out(sizes, pairs);
}

/// Least degree first; what an eliminated node was coupled with is coupled from then on.
void BlockCholesky::find_order(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs) {
  const std::size_t n = sizes.size();
  neighbours_.resize(std::max(n, neighbours_.size())), below_nodes_.resize(std::max(n, below_nodes_.size()));
  for (std::size_t i = 0; i < n; ++i) neighbours_[i].clear();
  for (const auto& pair : pairs) {
    neighbours_[pair.first].push_back(pair.second);
    neighbours_[pair.second].push_back(pair.first);
  }
  for (std::size_t i = 0; i < n; ++i) std::sort(neighbours_[i].begin(), neighbours_[i].end());
  std::vector<bool> done(n, false);
  std::vector<std::uint32_t> joined;
  order_.clear();
  place_.resize(n);
  for (std::size_t step = 0; step < n; ++step) {
    std::size_t best = n;
    for (std::size_t i = 0; i < n; ++i)
      if (!done[i] && (best == n || neighbours_[i].size() < neighbours_[best].size())) best = i;
    done[best] = true;
    place_[best] = static_cast<std::uint32_t>(step);
    order_.push_back(static_cast<std::uint32_t>(best));
    const auto& own = neighbours_[best];
    for (const std::uint32_t i : own) {
      joined.clear();
      std::set_union(neighbours_[i].begin(), neighbours_[i].end(), own.begin(), own.end(), std::back_inserter(joined));
      std::erase(joined, i), std::erase(joined, static_cast<std::uint32_t>(best));
      neighbours_[i].assign(joined.begin(), joined.end());
    }
    below_nodes_[step].assign(own.begin(), own.end());
  }
}

void BlockCholesky::lay_out(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs) {
  const std::size_t n = sizes.size();
  columns_.resize(n), below_.clear(), targets_.clear(), entries_.clear(), start_.resize(n);
  std::size_t at = 0;
  cost_ = 0;
  for (std::size_t i = 0, sum = 0; i < n; ++i) start_[i] = sum, sum += sizes[i];
  for (std::size_t k = 0; k < n; ++k) {
    Column& column = columns_[k];
    column = {order_[k], sizes[order_[k]], at, below_.size(), below_nodes_[k].size(), 0};
    at += static_cast<std::size_t>(column.size) * column.size;
    auto& own = below_nodes_[k];
    for (std::uint32_t& node : own) node = place_[node];
    std::sort(own.begin(), own.end());
    double width = column.size, rows = 0;
    for (const std::uint32_t place : own) {
      below_.push_back({place, at});
      at += static_cast<std::size_t>(column.size) * sizes[order_[place]];
      rows += sizes[order_[place]];
    }
    cost_ += width * (width * width / 3 + width * rows + rows * rows / 2);
  }
  values_.resize(at);
  for (const auto& pair : pairs) {
    const std::uint32_t a = place_[pair.first], b = place_[pair.second];
    entries_.push_back({block_at(std::max(a, b), std::min(a, b)), a < b});
  }
  for (Column& column : columns_) {
    column.targets = targets_.size();
    for (std::size_t j = 0; j < column.count; ++j)
      for (std::size_t i = j; i < column.count; ++i)
        targets_.push_back(block_at(below_[column.first + i].place, below_[column.first + j].place));
  }
}

std::size_t BlockCholesky::block_at(std::size_t row, std::size_t column) const {
  const Column& c = columns_[column];
  if (row == column) return c.at;
  const auto begin = below_.begin() + static_cast<std::ptrdiff_t>(c.first);
  return std::lower_bound(begin, begin + static_cast<std::ptrdiff_t>(c.count), row,
                          [](const Below& b, std::size_t place) { return b.place < place; })
      ->at;
}

void BlockCholesky::clear() { std::fill(values_.begin(), values_.end(), 0.0); }

bool BlockCholesky::factor() {
  for (const Column& column : columns_) {
    double* own = values_.data() + column.at;
    if (!factor_dense(own, column.size)) return false;
    const Below* below = below_.data() + column.first;
    for (std::size_t i = 0; i < column.count; ++i)
      divide_rows(values_.data() + below[i].at, own, columns_[below[i].place].size, column.size);
    const std::size_t* target = targets_.data() + column.targets;
    for (std::size_t j = 0; j < column.count; ++j)
      for (std::size_t i = j; i < column.count; ++i)
        subtract_product(values_.data() + *target++, values_.data() + below[i].at, values_.data() + below[j].at,
                         columns_[below[i].place].size, columns_[below[j].place].size, column.size);
  }
  return true;
}

void BlockCholesky::solve(std::span<double> x) const {
  for (const Column& column : columns_) {
    double* own = x.data() + start_[column.node];
    const double* l = values_.data() + column.at;
    for (std::size_t j = 0; j < column.size; ++j)
      own[j] = (own[j] - dot(l + j * column.size, own, j)) / l[j * column.size + j];
    for (std::size_t i = 0; i < column.count; ++i) {
      const Below& b = below_[column.first + i];
      const Column& row = columns_[b.place];
      double* other = x.data() + start_[row.node];
      for (std::size_t r = 0; r < row.size; ++r)
        other[r] -= dot(values_.data() + b.at + r * column.size, own, column.size);
    }
  }
  for (std::size_t k = columns_.size(); k-- > 0;) {
    const Column& column = columns_[k];
    double* own = x.data() + start_[column.node];
    const double* l = values_.data() + column.at;
    for (std::size_t i = 0; i < column.count; ++i) {
      const Below& b = below_[column.first + i];
      const Column& row = columns_[b.place];
      const double* other = x.data() + start_[row.node];
      for (std::size_t r = 0; r < row.size; ++r)
        add_scaled(own, -other[r], values_.data() + b.at + r * column.size, column.size);
    }
    for (std::size_t j = column.size; j-- > 0;) {
      for (std::size_t i = j + 1; i < column.size; ++i) own[j] -= l[i * column.size + j] * own[i];
      own[j] /= l[j * column.size + j];
    }
  }
}

}  // namespace kane

#include "kane/solve/range_space.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/branch_sparse.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Less of a diagonal entry of M left than this: massless parts, which the embedding can deal with.
constexpr double kLeastInertia = 1e-9;
/// Squares of sines: rows nearer to the others than 1e-3 are for the embedding.
constexpr double kLeastRow = 1e-6;
/// As in embed.cpp: a dropped row may differ from a combination of the others by this much of its length.
constexpr double kMostLeft = 1e-7;

}  // namespace

std::vector<int> find_parents(std::size_t size, std::span<const std::pair<int, int>> places) {
  // Columns left in each row; eliminating a row adds its columns to the row of its parent.
  std::vector<std::vector<int>> columns(size);
  for (const auto& [row, column] : places)
    if (row != column) columns[at(std::max(row, column))].push_back(std::min(row, column));
  std::vector<int> parent(size, -1);
  for (std::size_t k = size; k-- > 0;) {
    auto& own = columns[k];
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    if (own.empty()) continue;
    parent[k] = own.back();
    auto& next = columns[at(own.back())];
    next.insert(next.end(), own.begin(), own.end() - 1);
    own.clear();
  }
  return parent;
}

RangeSpace::RangeSpace(std::vector<int> parent, std::size_t max_rows)
    : parent_(std::move(parent)),
      n_(parent_.size()),
      max_rows_(max_rows),
      a_(max_rows, n_),
      y_(max_rows, n_),
      l_(n_, n_),
      marked_(n_),
      z_(n_),
      r_(max_rows),
      row_(n_) {
  check_parents(parent_);
  std::vector<double> depth(n_, 1);
  for (std::size_t k = 0; k < n_; ++k) {
    if (parent_[k] >= 0) depth[k] += depth[at(parent_[k])];
    tree_work_ += 0.5 * depth[k] * depth[k];
  }
}

void RangeSpace::set_rows(std::span<const int> kept, std::span<const int> dropped,
                          std::span<const std::span<const int>> places) {
  kept_.assign(kept.begin(), kept.end());
  dropped_.assign(dropped.begin(), dropped.end());
  lists_.clear();
  for (const int k : kept_) lists_.push_back(places[at(k)]);
  a_.set_places(lists_);
  closed_.clear();
  begin_.clear();
  for (const int k : kept_) {
    begin_.push_back(closed_.size());
    std::fill(marked_.begin(), marked_.end(), char{0});
    for (const int c : places[at(k)])
      for (int j = c; j >= 0 && marked_[at(j)] == 0; j = parent_[at(j)]) marked_[at(j)] = 1;
    for (std::size_t j = 0; j < n_; ++j)
      if (marked_[j] != 0) closed_.push_back(static_cast<int>(j));
  }
  begin_.push_back(closed_.size());
  lists_.clear();
  for (std::size_t i = 0; i < kept_.size(); ++i)
    lists_.push_back(std::span<const int>(closed_).subspan(begin_[i], begin_[i + 1] - begin_[i]));
  y_.set_places(lists_);
}

bool RangeSpace::factor(ConstMatrixView m, ConstMatrixView a) {
  const MatrixView l = l_.view();
  for (std::size_t i = 0; i < n_; ++i) {
    l(i, i) = m(i, i);
    for (int j = parent_[i]; j >= 0; j = parent_[at(j)]) l(i, at(j)) = m(i, at(j));
  }
  if (!factor_ltl(l, parent_, kLeastInertia).ok()) return false;
  const MatrixView rows = a_.rows(), y = y_.rows();
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const double* const from = a.row(at(kept_[k]));
    double* const to = y.row(k);
    for (const int c : y_.places(k)) to[c] = 0;
    for (const int c : a_.places(k)) rows(k, at(c)) = to[c] = from[c];
    // Y = A L^-1 is L^-T applied to the row, from the leaves to the root.
    const std::span<const int> places = y_.places(k);
    for (std::size_t p = places.size(); p-- > 0;) {
      const int i = places[p];
      const double* const row = l.row(at(i));
      const double x = to[i] /= row[i];
      if (x == 0) continue;
      for (int j = parent_[at(i)]; j >= 0; j = parent_[at(j)]) to[j] -= row[j] * x;
    }
  }
  const GramReport report = y_.factor();
  return report.finite && report.rank == kept_.size() && report.least > kLeastRow && check_dropped(a);
}

// With t = W^-1 Y y_d, the row a_d - t A is what the others leave of a dropped row.
bool RangeSpace::check_dropped(ConstMatrixView a) {
  for (const int d : dropped_) {
    std::copy_n(a.row(at(d)), n_, row_.begin());
    const double length = norm2(row_);
    if (!std::isfinite(length)) return false;
    std::copy(row_.begin(), row_.end(), z_.begin());
    solve_l_transposed(l_.view(), parent_, z_);
    const std::span<double> t{r_.data(), kept_.size()};
    for (std::size_t k = 0; k < t.size(); ++k) t[k] = y_.dot_row(k, z_);
    y_.solve(t);
    for (std::size_t k = 0; k < t.size(); ++k) a_.add_row(k, -t[k], row_);
    if (norm2(row_) > kMostLeft * length) return false;
  }
  return true;
}

void RangeSpace::correct(std::span<double> r, std::span<double> x, std::span<double> lambda) {
  y_.solve(r);
  std::fill(z_.begin(), z_.end(), 0.0);
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    y_.add_row(k, r[k], z_);
    if (!lambda.empty()) lambda[at(kept_[k])] += r[k];
  }
  solve_l(l_.view(), parent_, z_);
  for (std::size_t i = 0; i < n_; ++i) x[i] += z_[i];
}

void RangeSpace::solve(std::span<const double> rhs, std::span<const double> gamma, std::span<double> udot,
                       std::span<double> lambda) {
  std::copy(rhs.begin(), rhs.end(), udot.begin());
  solve_ltl(l_.view(), parent_, udot);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  const std::span<double> r{r_.data(), kept_.size()};
  for (int round = 0; round < 2; ++round) {
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = (gamma.empty() ? 0.0 : gamma[at(kept_[k])]) - a_.dot_row(k, udot);
    correct(r, udot, lambda);
  }
}

void RangeSpace::impose(std::span<const double> b, std::span<double> u) {
  const std::span<double> r{r_.data(), kept_.size()};
  for (int round = 0; round < 2; ++round) {
    for (std::size_t k = 0; k < r.size(); ++k) r[k] = -(b.empty() ? 0.0 : b[at(kept_[k])]) - a_.dot_row(k, u);
    correct(r, u, {});
  }
}

}  // namespace kane

#include "kane/solve/linear_program.hpp"

#include <algorithm>
#include <cmath>

namespace kane {

namespace {

constexpr double kSmallPivot = 1e-11;        ///< of scaled rows: smaller ones are rounding errors
constexpr double kOpenBalance = 1e-8;        ///< of scaled rows: what may stay open where x exists
constexpr std::size_t kMostPivots = 20'000;  ///< of one objective

}  // namespace

LinearProgram::LinearProgram(std::size_t rows, std::size_t columns)
    : rows_(rows), columns_(columns), width_(columns + rows + 1), table_((rows + 1) * width_), basis_(rows) {}

bool LinearProgram::find_start() {
  double size = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    double largest = 0;
    for (std::size_t k = 0; k < columns_; ++k) largest = std::max(largest, std::abs(a(r, k)));
    const double scale = (b(r) < 0 ? -1.0 : 1.0) / (largest > 0 ? largest : 1.0);
    for (std::size_t k = 0; k < width_; ++k) row(r)[k] *= scale;
    size = std::max(size, b(r));
    a(r, columns_ + r) = 1;
    basis_[r] = columns_ + r;
  }
  // The sum of the artificial unknowns shall become zero.
  double* const cost = row(rows_);
  std::fill(cost, cost + width_, 0.0);
  for (std::size_t r = 0; r < rows_; ++r)
    for (std::size_t k = 0; k < width_; ++k)
      if (k < columns_ || k + 1 == width_) cost[k] += row(r)[k];
  if (run(columns_) != Outcome::Solved) return false;
  if (cost[width_ - 1] > kOpenBalance * size) return false;
  drop_artificial();
  return true;
}

/// Artificial unknowns that are still in the basis are zero; they leave it, or their equation follows from others.
void LinearProgram::drop_artificial() {
  for (std::size_t r = 0; r < rows_; ++r) {
    if (basis_[r] < columns_) continue;
    std::size_t best = 0;
    for (std::size_t k = 1; k < columns_; ++k)
      if (std::abs(a(r, k)) > std::abs(a(r, best))) best = k;
    b(r) = 0;
    if (columns_ > 0 && std::abs(a(r, best)) > kOpenBalance)
      pivot(r, best);
    else
      std::fill(row(r), row(r) + width_, 0.0);
  }
}

LinearProgram::Optimum LinearProgram::maximize(std::span<const double> c) {
  double* const cost = row(rows_);
  std::fill(cost, cost + width_, 0.0);
  std::copy(c.begin(), c.end(), cost);
  for (std::size_t r = 0; r < rows_; ++r) {
    if (basis_[r] >= columns_) continue;
    const double factor = cost[basis_[r]];
    if (factor == 0) continue;
    for (std::size_t k = 0; k < width_; ++k) cost[k] -= factor * row(r)[k];
  }
  Optimum found;
  found.outcome = run(columns_);
  found.value = -cost[width_ - 1];
  return found;
}

LinearProgram::Outcome LinearProgram::run(std::size_t usable) {
  const double* const cost = row(rows_);
  double largest = 0;
  for (std::size_t k = 0; k < usable; ++k) largest = std::max(largest, std::abs(cost[k]));
  const double gain = 1e-10 * std::max(largest, 1e-300);
  for (std::size_t n = 0; n < kMostPivots; ++n) {
    std::size_t enters = 0;
    while (enters < usable && cost[enters] <= gain) ++enters;
    if (enters == usable) return Outcome::Solved;
    std::size_t leaves = rows_;
    double shortest = 0;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (a(r, enters) <= kSmallPivot) continue;
      const double ratio = b(r) / a(r, enters);
      const bool first = leaves == rows_ || ratio < shortest || (ratio == shortest && basis_[r] < basis_[leaves]);
      if (first) leaves = r, shortest = ratio;
    }
    if (leaves == rows_) return Outcome::Unbounded;
    pivot(leaves, enters);
  }
  return Outcome::GaveUp;
}

void LinearProgram::pivot(std::size_t at, std::size_t column) {
  double* const own = row(at);
  const double scale = 1 / own[column];
  for (std::size_t k = 0; k < width_; ++k) own[k] *= scale;
  own[column] = 1;
  for (std::size_t r = 0; r <= rows_; ++r) {
    const double factor = row(r)[column];
    if (r == at || factor == 0) continue;
    for (std::size_t k = 0; k < width_; ++k) row(r)[k] -= factor * own[k];
    row(r)[column] = 0;
    if (r < rows_ && row(r)[width_ - 1] < 0) row(r)[width_ - 1] = 0;  // by rounding only
  }
  basis_[at] = column;
}

}  // namespace kane

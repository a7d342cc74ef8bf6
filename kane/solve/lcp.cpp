#include "kane/solve/lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kPivotTolerance = 1e-11;  ///< entries of a column below this are taken for zero (rows have size 1)
constexpr double kTie = 1e-12;             ///< ratios nearer than this are compared lexicographically
constexpr double kAccurate = 1e-8;

}  // namespace

LemkeSolver::LemkeSolver(std::size_t capacity)
    : capacity_(capacity),
      tableau_(capacity * (capacity + 2)),
      w_(capacity),
      trial_(capacity),
      sizes_(capacity),
      basis_(capacity),
      column_of_(2 * capacity + 1),
      row_of_(2 * capacity + 1),
      active_(capacity),
      block_(capacity) {}

// w - M z - d z0 = q, rows scaled to size 1 and q to size 1 (neither changes which solution is complementary). Columns of basic
// variables are unit vectors and are not stored: what enters the basis leaves its column to what leaves it.
void LemkeSolver::load(ConstMatrixView m, std::span<const double> q, std::span<const double> cover) {
  width_ = n_ + 2;
  double largest = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double size = max_abs(m.row_span(i));
    if (size == 0) size = 1;
    sizes_[i] = size;
    largest = std::max(largest, std::abs(q[i]) / size);
  }
  q_scale_ = largest > 0 ? largest : 1;
  for (std::size_t i = 0; i < n_; ++i) {
    for (std::size_t j = 0; j < n_; ++j) t(i, j) = -m(i, j) / sizes_[i];
    t(i, n_) = cover.empty() ? -1.0 : -cover[i];
    t(i, n_ + 1) = q[i] / sizes_[i] / q_scale_;
    basis_[i] = row_of_[i] = column_of_[n_ + i] = i;
    column_of_[i] = row_of_[n_ + i] = kNone;
  }
  column_of_[2 * n_] = n_, row_of_[2 * n_] = kNone;
}

/// `entering` takes the place of what is basic in the row.
void LemkeSolver::pivot(std::size_t row, std::size_t entering) {
  const std::size_t column = column_of_[entering], leaving = basis_[row];
  const double inverse = 1.0 / t(row, column);
  t(row, column) = 1;
  for (std::size_t j = 0; j < width_; ++j) t(row, j) *= inverse;
  for (std::size_t i = 0; i < n_; ++i) {
    if (i == row) continue;
    const double factor = t(i, column);
    if (factor == 0) continue;
    t(i, column) = 0;
    add_scaled(&t(i, 0), -factor, &t(row, 0), width_);
  }
  basis_[row] = entering;
  row_of_[entering] = row, column_of_[entering] = kNone;
  column_of_[leaving] = column, row_of_[leaving] = kNone;
}

/// Compares the rows (q_i, row i of the inverse basis) divided by their entries in a column. The columns of w hold the
/// inverse basis.
bool LemkeSolver::lexicographically_less(std::size_t row, std::size_t other, std::size_t column) {
  const double a = t(row, column), b = t(other, column);
  for (std::size_t k = 0; k <= n_; ++k) {
    const std::size_t j = k == 0 ? n_ + 1 : column_of_[k - 1];
    const double own = j != kNone ? t(row, j) : row_of_[k - 1] == row ? 1.0 : 0.0;
    const double its = j != kNone ? t(other, j) : row_of_[k - 1] == other ? 1.0 : 0.0;
    if (own == 0 && its == 0) continue;
    const double x = own / a, y = its / b;
    if (std::abs(x - y) > kTie * std::max({1.0, std::abs(x), std::abs(y)})) return x < y;
  }
  return false;
}

/// The row whose basic variable reaches zero first as the entering one grows; that of z0 wherever it is among the first.
std::optional<std::size_t> LemkeSolver::choose_row(std::size_t entering) {
  const std::size_t column = column_of_[entering];
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!(t(i, column) > kPivotTolerance)) continue;
    if (!best || lexicographically_less(i, *best, column)) best = i;
  }
  const std::size_t a = row_of_[2 * n_];
  if (!best || a == kNone || *best == a || !(t(a, column) > kPivotTolerance)) return best;
  const double ratio = t(a, n_ + 1) / t(a, column), least = t(*best, n_ + 1) / t(*best, column);
  return ratio - least <= kTie * std::max({1.0, std::abs(ratio), std::abs(least)}) ? a : best;
}

LcpStatus LemkeSolver::run(int& pivots) {
  // z0 enters at the value where all w become nonnegative: the row with the smallest q_i / d_i leaves.
  std::size_t leaving = 0;
  double worst = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    const double ratio = t(i, n_ + 1) / -t(i, n_);
    // A later row with the same ratio is lexicographically smaller: its unit vector comes later.
    if (ratio < worst || (ratio == worst && ratio < 0)) {
      worst = ratio;
      leaving = i;
    }
  }
  if (worst >= 0) return LcpStatus::Solved;
  std::size_t entering = 2 * n_;
  const int limit = 50 * static_cast<int>(n_) + 100;
  while (pivots < limit) {
    const std::size_t out = basis_[leaving];
    pivot(leaving, entering);
    ++pivots;
    if (out == 2 * n_) return LcpStatus::Solved;
    entering = out < n_ ? out + n_ : out - n_;  // the complement
    const std::optional<std::size_t> row = choose_row(entering);
    if (!row) return LcpStatus::Ray;
    leaving = *row;
  }
  return LcpStatus::IterationLimit;
}

void LemkeSolver::read_solution(std::span<double> z) {
  std::fill(z.begin(), z.end(), 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    if (basis_[i] >= n_ && basis_[i] < 2 * n_) z[basis_[i] - n_] = std::max(0.0, t(i, n_ + 1) * q_scale_);
  }
}

// The basis tells which z are positive; their values are computed once more from the original numbers.
void LemkeSolver::polish(ConstMatrixView m, std::span<const double> q, std::span<double> z, LcpReport& report) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (basis_[i] >= n_ && basis_[i] < 2 * n_) active_[count++] = basis_[i] - n_;
  }
  std::sort(active_.begin(), active_.begin() + static_cast<std::ptrdiff_t>(count));
  const MatrixView block = block_.prepare(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) block(i, j) = m(active_[i], active_[j]);
    trial_[i] = -q[active_[i]];
  }
  if (count > 0 && !block_.factor(1e-13).ok()) {
    report.degenerate = true;  // the tableau's own values stand
    return;
  }
  if (count > 0) block_.solve({trial_.data(), count});
  const double largest = max_abs({trial_.data(), count});
  for (std::size_t i = 0; i < count; ++i) {
    if (!(trial_[i] >= -1e-9 * largest)) return;
  }
  for (std::size_t i = 0; i < count; ++i) z[active_[i]] = std::max(0.0, trial_[i]);
}

void LemkeSolver::measure(ConstMatrixView m, std::span<const double> q, std::span<const double> z, LcpReport& report) {
  const double z_size = max_abs(z);
  double force = 0, size = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    w_[i] = q[i] + dot(m.row(i), z.data(), n_);
    double terms = std::abs(q[i]);
    for (std::size_t j = 0; j < n_; ++j) terms += std::abs(m(i, j) * z[j]);
    trial_[i] = terms;
    size = std::max(size, terms);
  }
  for (std::size_t i = 0; i < n_; ++i) {
    // Values that the pivoting treats as a tie (10: several may add up) cannot be told apart here either.
    const double tie = 10 * kTie / kAccurate * q_scale_ * sizes_[i];
    const double unit = std::max({trial_[i], 1e-6 * size, tie});
    if (unit == 0) continue;
    const double w = w_[i] / unit;
    force = z_size > 0 ? z[i] / z_size : 0;
    report.residual = std::max(report.residual, std::max(-w, std::min(std::abs(w), force)));
    if (std::abs(w) < 1e-9 && force < 1e-9) report.degenerate = true;
  }
  if (!(report.residual < kAccurate) && report.status == LcpStatus::Solved) report.status = LcpStatus::Inaccurate;
  // Rounding is not shown to the caller: exactly one of each pair is nonzero.
  for (std::size_t i = 0; i < n_; ++i) {
    if (z[i] > 0 || w_[i] < 0) w_[i] = 0;
  }
}

LcpReport LemkeSolver::solve(ConstMatrixView m, std::span<const double> q, std::span<double> z,
                             std::span<const double> cover) {
  ensure(m.rows <= capacity_ && m.rows == m.columns && q.size() == m.rows && z.size() == m.rows,
         "a complementarity problem of order {} does not fit", m.rows);
  n_ = m.rows;
  LcpReport report;
  report.status = LcpStatus::NotFinite;
  if (!all_finite(q)) return report;
  for (std::size_t i = 0; i < n_; ++i) {
    if (!all_finite(m.row_span(i))) return report;
  }
  load(m, q, cover);
  report.status = run(report.pivots);
  read_solution(z);
  if (report.ok()) {
    polish(m, q, z, report);
    measure(m, q, z, report);
  }
  return report;
}

LcpEnumerator::LcpEnumerator(std::size_t capacity)
    : capacity_(capacity), block_(capacity), z_(capacity), x_(capacity), found_(kMost * capacity), active_(capacity) {
  require(capacity <= kLargest, "{} pairs are too many to try all choices ({} at most)", capacity, kLargest);
}

/// z_ of the block where exactly the z_i in the mask may be positive; false if that is no solution.
bool LcpEnumerator::solve_block(ConstMatrixView m, std::span<const double> q, unsigned mask) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (mask >> i & 1u) active_[count++] = i;
  }
  const MatrixView a = block_.prepare(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) a(i, j) = m(active_[i], active_[j]);
    x_[i] = -q[active_[i]];
  }
  if (count > 0) {
    if (!block_.factor(1e-13).ok()) return false;
    block_.solve({x_.data(), count});
  }
  std::fill_n(z_.begin(), n_, 0.0);
  for (std::size_t i = 0; i < count; ++i) z_[active_[i]] = x_[i];
  const double size = max_abs({z_.data(), n_});
  for (std::size_t i = 0; i < n_; ++i) {
    if (z_[i] < -1e-10 * size) return false;
    if (mask >> i & 1u) continue;
    const double terms = std::abs(q[i]) + size * max_abs(m.row_span(i));
    if (q[i] + dot(m.row(i), z_.data(), n_) < -1e-10 * terms) return false;
  }
  return true;
}

bool LcpEnumerator::is_new() const {
  const double size = std::max(1e-300, max_abs({z_.data(), n_}));
  for (std::size_t k = 0; k < count_; ++k) {
    double distance = 0;
    for (std::size_t i = 0; i < n_; ++i) distance = std::max(distance, std::abs(z_[i] - solution(k)[i]));
    if (distance <= 1e-9 * size) return false;
  }
  return true;
}

int LcpEnumerator::find_all(ConstMatrixView m, std::span<const double> q) {
  n_ = m.rows;
  ensure(n_ <= capacity_, "a complementarity problem of order {} does not fit {}", n_, capacity_);
  count_ = 0;
  for (unsigned mask = 0; mask < (1u << n_) && count_ < kMost; ++mask) {
    if (!solve_block(m, q, mask) || !is_new()) continue;
    std::copy_n(z_.begin(), n_, found_.begin() + static_cast<std::ptrdiff_t>(count_ * n_));
    ++count_;
  }
  return static_cast<int>(count_);
}

}  // namespace kane

#include "kane/solve/qr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// Householder vector of (alpha, x): returns {beta, tau} and scales x so that (1 - tau v v^T)(alpha, x) = (beta, 0),
/// v = (1, x). (Golub and Van Loan, algorithm 5.1.1, in the scaling of LAPACK.) `step` numbers lie between entries of x.
std::pair<double, double> make_reflector(double alpha, double* x, std::size_t count, double tail_norm) {
  if (tail_norm == 0) return {alpha, 0};
  const double beta = -std::copysign(std::hypot(alpha, tail_norm), alpha);
  const double scale = 1.0 / (alpha - beta);
  for (std::size_t i = 0; i < count; ++i) x[i] *= scale;
  return {beta, (beta - alpha) / beta};
}

/// c becomes (1 - tau v v^T) c, v = (1, tail).
void apply_reflector(double tau, const double* tail, double* c, std::size_t count) {
  const double s = tau * (c[0] + dot(tail, c + 1, count));
  c[0] -= s;
  add_scaled(c + 1, -s, tail, count);
}

}  // namespace

PivotedQr::PivotedQr(std::size_t max_rows, std::size_t max_columns)
    : max_rows_(max_rows),
      max_columns_(max_columns),
      a_(max_rows * max_columns),
      tau_(std::min(max_rows, max_columns)),
      norm_(max_columns),
      exact_(max_columns),
      t_(std::min(max_rows, max_columns) * max_columns),
      tau_right_(std::min(max_rows, max_columns)),
      z_(max_columns),
      permutation_(max_columns) {}

double* PivotedQr::prepare(std::size_t rows, std::size_t columns) {
  ensure(rows <= max_rows_ && columns <= max_columns_, "a {} x {} matrix does not fit a {} x {} workspace", rows,
         columns, max_rows_, max_columns_);
  m_ = rows;
  n_ = columns;
  return a_.data();
}

void PivotedQr::factor(ConstMatrixView a, double tolerance, const PivotRule& rule) {
  double* to = prepare(a.rows, a.columns);
  for (std::size_t j = 0; j < n_; ++j) {
    for (std::size_t i = 0; i < m_; ++i) *to++ = a(i, j);
  }
  factor(tolerance, rule);
}

void PivotedQr::factor_transposed(ConstMatrixView a, double tolerance, const PivotRule& rule) {
  double* to = prepare(a.columns, a.rows);
  for (std::size_t j = 0; j < n_; ++j) std::copy_n(a.row(j), m_, to + j * m_);
  factor(tolerance, rule);
}

void PivotedQr::choose_pivot(std::size_t k, const PivotRule& rule) {
  const auto weighted = [&](std::size_t j) {
    return rule.weight.empty() ? norm_[j] : norm_[j] * rule.weight[at(permutation_[j])];
  };
  double largest = 0;
  for (std::size_t j = k; j < n_; ++j) largest = std::max(largest, weighted(j));
  // Columns were exchanged on the way, so "first" means smallest original index.
  std::size_t best = n_;
  for (std::size_t j = k; j < n_; ++j) {
    if (weighted(j) >= rule.threshold * largest && (best == n_ || permutation_[j] < permutation_[best])) best = j;
  }
  if (best == n_ || best == k) return;
  std::swap_ranges(a_.begin() + static_cast<std::ptrdiff_t>(k * m_),
                   a_.begin() + static_cast<std::ptrdiff_t>((k + 1) * m_),
                   a_.begin() + static_cast<std::ptrdiff_t>(best * m_));
  std::swap(norm_[k], norm_[best]);
  std::swap(exact_[k], exact_[best]);
  std::swap(permutation_[k], permutation_[best]);
}

void PivotedQr::reflect(std::size_t k) {
  double* const column = a_.data() + k * m_ + k;
  const std::size_t tail = m_ - k - 1;
  const double tail_norm = std::sqrt(dot(column + 1, column + 1, tail));
  const auto [beta, tau] = make_reflector(column[0], column + 1, tail, tail_norm);
  column[0] = beta;
  tau_[k] = tau;
  if (tau == 0) return;
  for (std::size_t j = k + 1; j < n_; ++j) apply_reflector(tau, column + 1, a_.data() + j * m_ + k, tail);
}

// norm_j^2 loses R_kj^2; when cancellation has eaten half of the digits it is computed anew (LAPACK working note 176).
void PivotedQr::downdate_norms(std::size_t k) {
  const double limit = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t j = k + 1; j < n_; ++j) {
    if (norm_[j] == 0) continue;
    const double ratio = std::abs(a_[j * m_ + k]) / norm_[j];
    const double left = std::max(0.0, (1 + ratio) * (1 - ratio));
    const double since = norm_[j] / exact_[j];
    if (left * since * since > limit) {
      norm_[j] *= std::sqrt(left);
    } else {
      const double* const rest = a_.data() + j * m_ + k + 1;
      norm_[j] = exact_[j] = std::sqrt(dot(rest, rest, m_ - k - 1));
    }
  }
}

void PivotedQr::factor(double tolerance, const PivotRule& rule) {
  complete_ = false;
  rank_ = 0;
  double largest = 0;
  for (std::size_t j = 0; j < n_; ++j) {
    permutation_[j] = static_cast<int>(j);
    norm_[j] = exact_[j] = std::sqrt(dot(a_.data() + j * m_, a_.data() + j * m_, m_));
    largest = std::max(largest, norm_[j]);
  }
  const std::size_t steps = std::min(m_, n_);
  while (rank_ < steps) {
    choose_pivot(rank_, rule);
    // The pivot may be a preferred, smaller column; if even it is negligible, look at the largest that is left.
    if (!(norm_[rank_] > tolerance * largest)) {
      choose_pivot(rank_, {});
      if (!(norm_[rank_] > tolerance * largest)) break;
    }
    reflect(rank_);
    downdate_norms(rank_);
    ++rank_;
  }
  double left = 0;
  if (rank_ < m_) {
    for (std::size_t j = rank_; j < n_; ++j) left = std::max(left, norm_[j]);
  }
  dropped_ = largest > 0 ? left / largest : 0;
}

double PivotedQr::pivot_spread() const {
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  for (std::size_t k = 0; k < rank_; ++k) {
    smallest = std::min(smallest, std::abs(r(k, k)));
    largest = std::max(largest, std::abs(r(k, k)));
  }
  return rank_ == 0 ? 1 : largest / smallest;
}

void PivotedQr::apply_q_transposed(std::span<double> b) const {
  for (std::size_t k = 0; k < rank_; ++k) {
    apply_reflector(tau_[k], a_.data() + k * m_ + k + 1, b.data() + k, m_ - k - 1);
  }
}

void PivotedQr::apply_q(std::span<double> b) const {
  for (std::size_t k = rank_; k-- > 0;) {
    apply_reflector(tau_[k], a_.data() + k * m_ + k + 1, b.data() + k, m_ - k - 1);
  }
}

void PivotedQr::calc_basis(std::span<double> basis) const {
  std::fill_n(basis.begin(), m_ * rank_, 0.0);
  for (std::size_t j = 0; j < rank_; ++j) {
    double* const column = basis.data() + j * m_;
    column[j] = 1;
    // Reflections beyond j leave e_j alone: they act on entries below j, which are still zero.
    for (std::size_t k = j + 1; k-- > 0;) {
      apply_reflector(tau_[k], a_.data() + k * m_ + k + 1, column + k, m_ - k - 1);
    }
  }
}

void PivotedQr::solve_basic(std::span<double> b, std::span<double> x) const {
  apply_q_transposed(b);
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t k = rank_; k-- > 0;) {
    const double value = b[k] / r(k, k);
    x[at(permutation_[k])] = value;
    add_scaled(b.data(), -value, a_.data() + k * m_, k);
  }
}

// [R11 R12] Z^T = [T 0]: row k (from the last up) is reflected onto its diagonal by a vector with the entries k and
// rank .. n-1, which leaves the zeros of the rows below alone.
void PivotedQr::factor_from_right() {
  const std::size_t tail = n_ - rank_;
  for (std::size_t i = 0; i < rank_; ++i) {
    for (std::size_t j = i; j < n_; ++j) t_[i * n_ + j] = r(i, j);
  }
  for (std::size_t k = rank_; k-- > 0;) {
    double* const row = t_.data() + k * n_;
    const double tail_norm = std::sqrt(dot(row + rank_, row + rank_, tail));
    const auto [beta, tau] = make_reflector(row[k], row + rank_, tail, tail_norm);
    row[k] = beta;
    tau_right_[k] = tau;
    if (tau == 0) continue;
    for (std::size_t i = 0; i < k; ++i) {
      double* const other = t_.data() + i * n_;
      const double s = tau * (other[k] + dot(row + rank_, other + rank_, tail));
      other[k] -= s;
      add_scaled(other + rank_, -s, row + rank_, tail);
    }
  }
  complete_ = true;
}

void PivotedQr::solve_minimum_norm(std::span<double> b, std::span<double> x) {
  if (!complete_) factor_from_right();
  apply_q_transposed(b);
  const std::size_t tail = n_ - rank_;
  std::fill_n(z_.begin(), n_, 0.0);
  for (std::size_t k = rank_; k-- > 0;) {
    const double* const row = t_.data() + k * n_;
    z_[k] = (b[k] - dot(row + k + 1, z_.data() + k + 1, rank_ - k - 1)) / row[k];
  }
  for (std::size_t k = 0; k < rank_; ++k) {
    const double* const row = t_.data() + k * n_;
    const double s = tau_right_[k] * (z_[k] + dot(row + rank_, z_.data() + rank_, tail));
    z_[k] -= s;
    add_scaled(z_.data() + rank_, -s, row + rank_, tail);
  }
  for (std::size_t k = 0; k < n_; ++k) x[at(permutation_[k])] = z_[k];
}

}  // namespace kane

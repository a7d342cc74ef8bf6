#include "kane/solve/dense.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// The value of A_kk before elimination: D_k + sum_j<k U_jk^2 D_j.
double original_diagonal(ConstMatrixView udu, std::size_t k) {
  double sum = udu(k, k);
  for (std::size_t j = 0; j < k; ++j) sum += udu(j, k) * udu(j, k) * udu(j, j);
  return sum;
}

}  // namespace

FactorReport judge_pivot(double left, double whole, double tolerance, std::size_t pivot) {
  const int k = static_cast<int>(pivot);
  if (!std::isfinite(left)) return {FactorStatus::NotFinite, k, left};
  const double ratio = whole > 0 ? left / whole : (left < 0 ? -1.0 : 0.0);
  if (ratio > tolerance) return {};
  return {ratio < -tolerance ? FactorStatus::NotPositiveDefinite : FactorStatus::Singular, k, ratio};
}

FactorReport factor_ldlt(MatrixView a, double tolerance) {
  const std::size_t n = a.rows;
  double largest = 0;
  for (std::size_t k = 0; k < n; ++k) largest = std::max(largest, std::abs(a(k, k)));
  for (std::size_t k = 0; k < n; ++k) {
    double* const row = a.row(k);
    // A pivot that is not small against the largest diagonal is certainly not small against its own, so the exact
    // ratio is found only for suspicious ones.
    if (!(row[k] > 1e-8 * largest)) {
      const FactorReport report = judge_pivot(row[k], original_diagonal(a, k), tolerance, k);
      if (!report.ok()) return report;
    }
    const double inverse = 1.0 / row[k];
    for (std::size_t i = k + 1; i < n; ++i) {
      if (row[i] == 0) continue;  // bodies that M does not couple
      const double u = row[i] * inverse;
      add_scaled(a.row(i) + i, -u, row + i, n - i);
      row[i] = u;
    }
  }
  return {};
}

void solve_ldlt(ConstMatrixView udu, std::span<double> b) {
  const std::size_t n = udu.rows;
  for (std::size_t k = 0; k < n; ++k)
    if (b[k] != 0) add_scaled(b.data() + k + 1, -b[k], udu.row(k) + k + 1, n - k - 1);
  for (std::size_t k = n; k-- > 0;) {
    b[k] = b[k] / udu(k, k) - dot(udu.row(k) + k + 1, b.data() + k + 1, n - k - 1);
  }
}

Lu::Lu(std::size_t capacity)
    : capacity_(capacity),
      lu_(capacity * capacity),
      scale_(capacity),
      work_(capacity),
      work2_(capacity),
      swap_(capacity) {}

MatrixView Lu::prepare(std::size_t n) {
  ensure(n <= capacity_, "a matrix of order {} does not fit a workspace of order {}", n, capacity_);
  n_ = n;
  return {lu_.data(), n, n};
}

FactorReport Lu::factor(ConstMatrixView a, double tolerance) {
  const MatrixView lu = prepare(a.rows);
  for (std::size_t i = 0; i < n_; ++i) std::copy_n(a.row(i), n_, lu.row(i));
  return factor(tolerance);
}

FactorReport Lu::factor(double tolerance) {
  const MatrixView a{lu_.data(), n_, n_};
  std::fill_n(work_.begin(), n_, 0.0);
  for (std::size_t i = 0; i < n_; ++i) {
    scale_[i] = 0;
    for (std::size_t j = 0; j < n_; ++j) {
      const double size = std::abs(a(i, j));
      if (!std::isfinite(size)) return {FactorStatus::NotFinite, static_cast<int>(j), size};
      scale_[i] = std::max(scale_[i], size);
      work_[j] += size;
    }
    if (scale_[i] == 0) return {FactorStatus::Singular, static_cast<int>(i), 0};
  }
  norm1_ = max_abs({work_.data(), n_});
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t best = k;
    double ratio = -1;
    for (std::size_t i = k; i < n_; ++i) {
      const double candidate = std::abs(a(i, k)) / scale_[i];
      if (candidate > ratio) std::tie(best, ratio) = std::pair(i, candidate);
    }
    if (!(ratio > tolerance)) return {FactorStatus::Singular, static_cast<int>(k), ratio};
    swap_[k] = best;
    if (best != k) {
      std::swap_ranges(a.row(k), a.row(k) + n_, a.row(best));
      std::swap(scale_[k], scale_[best]);
    }
    const double inverse = 1.0 / a(k, k);
    for (std::size_t i = k + 1; i < n_; ++i) {
      const double l = a(i, k) * inverse;
      a(i, k) = l;
      if (l != 0) add_scaled(a.row(i) + k + 1, -l, a.row(k) + k + 1, n_ - k - 1);
    }
  }
  return {};
}

void Lu::solve(std::span<double> b) {
  const ConstMatrixView a{lu_.data(), n_, n_};
  for (std::size_t k = 0; k < n_; ++k) std::swap(b[k], b[swap_[k]]);
  for (std::size_t i = 1; i < n_; ++i) b[i] -= dot(a.row(i), b.data(), i);
  for (std::size_t i = n_; i-- > 0;) {
    b[i] = (b[i] - dot(a.row(i) + i + 1, b.data() + i + 1, n_ - i - 1)) / a(i, i);
  }
}

void Lu::solve_transposed(std::span<double> b) {
  const ConstMatrixView a{lu_.data(), n_, n_};
  for (std::size_t i = 0; i < n_; ++i) {
    b[i] /= a(i, i);
    add_scaled(b.data() + i + 1, -b[i], a.row(i) + i + 1, n_ - i - 1);
  }
  for (std::size_t i = n_; i-- > 0;) add_scaled(b.data(), -b[i], a.row(i), i);
  for (std::size_t k = n_; k-- > 0;) std::swap(b[k], b[swap_[k]]);
}

void Lu::solve_columns(MatrixView b) {
  const ConstMatrixView a{lu_.data(), n_, n_};
  const std::size_t c = b.columns;
  for (std::size_t k = 0; k < n_; ++k) {
    if (swap_[k] != k) std::swap_ranges(b.row(k), b.row(k) + c, b.row(swap_[k]));
  }
  for (std::size_t i = 1; i < n_; ++i) {
    for (std::size_t k = 0; k < i; ++k)
      if (a(i, k) != 0) add_scaled(b.row(i), -a(i, k), b.row(k), c);
  }
  for (std::size_t i = n_; i-- > 0;) {
    for (std::size_t k = i + 1; k < n_; ++k)
      if (a(i, k) != 0) add_scaled(b.row(i), -a(i, k), b.row(k), c);
    const double inverse = 1.0 / a(i, i);
    for (std::size_t j = 0; j < c; ++j) b(i, j) *= inverse;
  }
}

// Hager's ascent for |A^-1|_1 (Higham, Accuracy and Stability of Numerical Algorithms, algorithm 15.1): from
// x = e/n, y = A^-1 x, xi = sign(y), z = A^-T xi, go to the unit vector where |z| is largest until nothing is gained.
double Lu::calc_condition() {
  if (n_ == 0) return 1;
  const std::span<double> x{work_.data(), n_}, z{work2_.data(), n_};
  std::fill(x.begin(), x.end(), 1.0 / static_cast<double>(n_));
  double estimate = 0;
  std::size_t last = n_;
  for (int round = 0; round < 5; ++round) {
    solve(x);
    double gamma = 0;
    for (const double v : x) gamma += std::abs(v);
    if (round > 0 && gamma <= estimate) break;
    estimate = gamma;
    for (std::size_t i = 0; i < n_; ++i) z[i] = std::copysign(1.0, x[i]);
    solve_transposed(z);
    std::size_t best = 0;
    for (std::size_t i = 1; i < n_; ++i) {
      if (std::abs(z[i]) > std::abs(z[best])) best = i;
    }
    if (best == last) break;
    last = best;
    std::fill(x.begin(), x.end(), 0.0);
    x[best] = 1;
  }
  return estimate * norm1_;
}

FactorReport MassFactors::factor(ConstMatrixView m) {
  n_ = m.rows;
  if (!symmetric_) return lu_.factor(m);
  const MatrixView udu = udu_.packed(n_, n_);
  for (std::size_t i = 0; i < n_; ++i) std::copy_n(m.row(i) + i, n_ - i, udu.row(i) + i);
  return factor_ldlt(udu);
}

void MassFactors::solve(std::span<double> b) {
  if (symmetric_)
    solve_ldlt(udu_.packed(n_, n_), b);
  else
    lu_.solve(b);
}

}  // namespace kane

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/lcp.hpp"

namespace kane {

BoxedLcpSolver::BoxedLcpSolver(std::size_t capacity)
    : capacity_(capacity),
      lemke_(2 * capacity),
      free_block_(capacity),
      reduced_m_(2 * capacity, 2 * capacity),
      free_rows_(capacity, capacity + 1),
      reduced_q_(2 * capacity),
      reduced_z_(2 * capacity),
      shifted_q_(capacity),
      sign_(capacity) {
  for (auto* list : {&free_, &bound_, &capped_}) list->reserve(capacity);
}

// Variables are z_i = start_i + s_i x_i with x_i >= 0: start = lower, s = 1 where there is a lower bound, else
// start = upper, s = -1. Free ones are eliminated: z_f = -M_ff^-1 (M_fb z_b + q_f). What is left is
// w_b = S (M_bb - M_bf M_ff^-1 M_fb) S x + S q', and for those with both bounds a cap y >= 0 with
// 0 <= (upper - lower) - x  _|_  y >= 0, where y is the part of w that pushes back: w = ... + y.
void BoxedLcpSolver::form_reduced(ConstMatrixView m, std::span<const double> q, std::span<const double> lower,
                                  std::span<const double> upper) {
  const std::size_t n = m.rows, nb = bound_.size(), nf = free_.size(), nc = capped_.size();
  for (std::size_t i = 0; i < n; ++i) {
    shifted_q_[i] = q[i];
    for (const std::size_t j : bound_) shifted_q_[i] += m(i, j) * (sign_[j] > 0 ? lower[j] : upper[j]);
  }
  const MatrixView rows = free_rows_.packed(nf, nb + 1);  // M_ff^-1 (M_fb, q_f)
  for (std::size_t f = 0; f < nf; ++f) {
    for (std::size_t j = 0; j < nb; ++j) rows(f, j) = m(free_[f], bound_[j]);
    rows(f, nb) = shifted_q_[free_[f]];
  }
  if (nf > 0) free_block_.solve_columns(rows);
  const MatrixView r = reduced_m_.packed(nb + nc, nb + nc);
  std::fill_n(r.data, (nb + nc) * (nb + nc), 0.0);
  for (std::size_t i = 0; i < nb; ++i) {
    const std::size_t bi = bound_[i];
    for (std::size_t j = 0; j < nb; ++j) r(i, j) = m(bi, bound_[j]);
    reduced_q_[i] = shifted_q_[bi];
    for (std::size_t f = 0; f < nf; ++f) {
      add_scaled(r.row(i), -m(bi, free_[f]), rows.row(f), nb);
      reduced_q_[i] -= m(bi, free_[f]) * rows(f, nb);
    }
    for (std::size_t j = 0; j < nb; ++j) r(i, j) *= sign_[bi] * sign_[bound_[j]];
    reduced_q_[i] *= sign_[bi];
  }
  for (std::size_t c = 0; c < nc; ++c) {
    const std::size_t i = capped_[c];
    r(nb + c, i) = -1;
    r(i, nb + c) = 1;
    reduced_q_[nb + c] = upper[bound_[i]] - lower[bound_[i]];
  }
}

LcpReport BoxedLcpSolver::solve(ConstMatrixView m, std::span<const double> q, std::span<const double> lower,
                                std::span<const double> upper, std::span<double> z) {
  const std::size_t n = m.rows;
  ensure(n <= capacity_, "a complementarity problem of order {} does not fit {}", n, capacity_);
  free_.clear();
  bound_.clear();
  capped_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    require(!(lower[i] > upper[i]), "lower bound {} of variable {} is above its upper bound {}", lower[i], i, upper[i]);
    const bool below = std::isfinite(lower[i]), above = std::isfinite(upper[i]);
    sign_[i] = below ? 1 : -1;
    if (!below && !above) {
      free_.push_back(i);
      continue;
    }
    if (below && above) capped_.push_back(bound_.size());
    bound_.push_back(i);
  }
  LcpReport report;
  if (const std::size_t nf = free_.size(); nf > 0) {
    const MatrixView block = free_block_.prepare(nf);
    for (std::size_t i = 0; i < nf; ++i) {
      for (std::size_t j = 0; j < nf; ++j) block(i, j) = m(free_[i], free_[j]);
    }
    const FactorReport factored = free_block_.factor();
    if (!factored.ok()) {
      report.status = factored.status == FactorStatus::NotFinite ? LcpStatus::NotFinite : LcpStatus::Inaccurate;
      report.degenerate = true;
      return report;
    }
  }
  form_reduced(m, q, lower, upper);
  const std::size_t nb = bound_.size(), size = nb + capped_.size();
  const std::span<double> x{reduced_z_.data(), size};
  report = lemke_.solve(reduced_m_.packed(size, size), {reduced_q_.data(), size}, x);
  if (!report.ok()) return report;
  const ConstMatrixView rows = free_rows_.packed(free_.size(), nb + 1);
  for (std::size_t f = 0; f < free_.size(); ++f) {
    double value = -rows(f, nb);
    for (std::size_t j = 0; j < nb; ++j) value -= rows(f, j) * sign_[bound_[j]] * x[j];
    z[free_[f]] = value;
  }
  for (std::size_t j = 0; j < nb; ++j) {
    const std::size_t i = bound_[j];
    z[i] = std::clamp((sign_[i] > 0 ? lower[i] : upper[i]) + sign_[i] * x[j], lower[i], upper[i]);
  }
  return report;
}

RelaxationReport relax_boxed_lcp(ConstMatrixView m, std::span<const double> q, std::span<const double> lower,
                                 std::span<const double> upper, std::span<const int> friction_of,
                                 std::span<const double> mu, std::span<double> z, int max_sweeps, double tolerance) {
  const std::size_t n = m.rows;
  RelaxationReport report;
  while (report.sweeps < max_sweeps && !report.converged) {
    ++report.sweeps;
    double change = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (!(m(i, i) > 0)) continue;
      double low = lower[i], high = upper[i];
      if (!friction_of.empty() && friction_of[i] >= 0) {
        high = mu[i] * std::max(0.0, z[at(friction_of[i])]);
        low = -high;
      }
      const double w = q[i] + dot(m.row(i), z.data(), n);
      const double next = std::clamp(z[i] - w / m(i, i), low, high);
      change = std::max(change, std::abs(next - z[i]));
      z[i] = next;
    }
    const double size = max_abs(z);
    report.change = size > 0 ? change / size : change;
    report.converged = report.change <= tolerance;
  }
  return report;
}

}  // namespace kane

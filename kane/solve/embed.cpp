#include "kane/solve/embed.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// A dropped row may differ from a combination of the kept rows by this much of its length (compare
/// IndependentOptions::rank_tolerance) before the choice has to be made again.
constexpr double kRedundancy = 1e-7;

}  // namespace

Embedding::Embedding(std::size_t speeds, std::size_t max_rows, bool symmetric)
    : n_(speeds),
      max_rows_(max_rows),
      block_(std::min(speeds, max_rows)),
      gram_(max_rows),
      a_(max_rows, speeds),
      d_(std::min(speeds, max_rows), speeds),
      x_(std::min(speeds, max_rows), speeds),
      t_(max_rows, std::min(speeds, max_rows)),
      mass_(speeds, speeds),
      factors_(speeds, symmetric),
      symmetric_(symmetric),
      rhs_(speeds),
      solution_(speeds),
      g_(std::max(speeds, max_rows)),
      work_(std::max(speeds, max_rows)),
      work2_(std::max(speeds, max_rows)),
      force_(speeds) {
  for (auto* list : {&dependent_, &independent_, &kept_rows_, &redundant_rows_}) {
    list->reserve(std::max(speeds, max_rows));
  }
}

void Embedding::set_choice(const IndependentSpeeds& choice) {
  ensure(choice.speeds() == n_, "a choice among {} speeds for an embedding of {}", choice.speeds(), n_);
  const auto take = [](std::vector<int>& to, std::span<const int> from) { to.assign(from.begin(), from.end()); };
  take(dependent_, choice.dependent());
  take(independent_, choice.independent());
  take(kept_rows_, choice.kept_rows());
  take(redundant_rows_, choice.redundant_rows());
  r_ = dependent_.size();
  p_ = independent_.size();
  rows_ = kept_rows_.size() + redundant_rows_.size();
  ensure(rows_ <= max_rows_ && kept_rows_.size() == r_, "{} constraint rows do not fit", rows_);
}

void Embedding::load_block(ConstMatrixView a) {
  const MatrixView copy = a_.packed(rows_, n_), block = block_.prepare(r_), d = d_.packed(r_, p_);
  for (std::size_t i = 0; i < rows_; ++i) std::copy_n(a.row(i), n_, copy.row(i));
  for (std::size_t k = 0; k < r_; ++k) {
    const double* const row = a.row(at(kept_rows_[k]));
    for (std::size_t j = 0; j < r_; ++j) block(k, j) = row[dependent_[j]];
    for (std::size_t j = 0; j < p_; ++j) d(k, j) = -row[independent_[j]];
  }
}

EmbedReport Embedding::refresh(ConstMatrixView a) {
  ensure(a.rows == rows_ && a.columns == n_, "A is {} x {}, the choice was made for {} x {}", a.rows, a.columns, rows_,
         n_);
  load_block(a);
  if (const FactorReport report = block_.factor(); !report.ok()) {
    if (report.status == FactorStatus::NotFinite) return {EmbedStatus::NotFinite, report.pivot, 0};
    return {EmbedStatus::BlockSingular, dependent_[at(report.pivot)], report.pivot_ratio};
  }
  const MatrixView d = d_.packed(r_, p_);
  block_.solve_columns(d);
  growth_ = max_abs({d.data, r_ * p_});
  if (!all_finite({d.data, r_ * p_})) return {EmbedStatus::NotFinite, -1, growth_};
  return check_dropped_rows(a);
}

// T = A_dropped,d A_d^-1; then A_dropped - T A_kept vanishes in the dependent columns by construction and must vanish in
// the others, where it equals A_dropped,i + A_dropped,d D.
EmbedReport Embedding::check_dropped_rows(ConstMatrixView a) {
  const MatrixView t = t_.packed(redundant_rows_.size(), r_);
  const ConstMatrixView d = d_.packed(r_, p_);
  EmbedReport report;
  for (std::size_t k = 0; k < redundant_rows_.size(); ++k) {
    const double* const row = a.row(at(redundant_rows_[k]));
    double length = 0, distance = 0;
    for (std::size_t j = 0; j < p_; ++j) work_[j] = row[independent_[j]];
    for (std::size_t l = 0; l < r_; ++l) {
      t(k, l) = row[dependent_[l]];
      add_scaled(work_.data(), t(k, l), d.row(l), p_);
    }
    length = norm2({row, n_});
    distance = norm2({work_.data(), p_});
    if (!std::isfinite(length)) return {EmbedStatus::NotFinite, redundant_rows_[k], length};
    if (distance > kRedundancy * std::max(1.0, growth_) * length) {
      // A row that has all but vanished against the others (a zero row) says nothing.
      if (report.ok() && length > 1e-12 * max_abs({a_.packed(rows_, n_).data, rows_ * n_})) {
        report = {EmbedStatus::RowsIndependent, redundant_rows_[k], distance / length};
      }
    }
    block_.solve_transposed(t.row_span(k));
  }
  return report;
}

void Embedding::complete_speeds(std::span<const double> b, std::span<double> u) {
  const std::span<double> e{work_.data(), r_};
  for (std::size_t k = 0; k < r_; ++k) e[k] = b.empty() ? 0.0 : -b[at(kept_rows_[k])];
  if (!b.empty()) block_.solve(e);
  for (std::size_t j = 0; j < p_; ++j) work2_[j] = u[at(independent_[j])];
  for (std::size_t k = 0; k < r_; ++k) {
    u[at(dependent_[k])] = e[k] + dot(d_.packed(r_, p_).row(k), work2_.data(), p_);
  }
}

// C^T M C = M_ii + M_id D + D^T X with X = M_di + M_dd D; of a symmetric one the upper triangle. Many bodies that touch here
// and there have few entries in M and D.
void Embedding::form_mass(ConstMatrixView m) {
  const ConstMatrixView d = d_.packed(r_, p_);
  const MatrixView x = x_.packed(r_, p_), mass = mass_.packed(p_, p_);
  for (std::size_t k = 0; k < r_; ++k) {
    const double* const row = m.row(at(dependent_[k]));
    for (std::size_t j = 0; j < p_; ++j) x(k, j) = row[independent_[j]];
    for (std::size_t l = 0; l < r_; ++l)
      if (row[dependent_[l]] != 0) add_scaled(x.row(k), row[dependent_[l]], d.row(l), p_);
  }
  for (std::size_t i = 0; i < p_; ++i) {
    const double* const row = m.row(at(independent_[i]));
    double* const to = mass.row(i);
    const std::size_t first = symmetric_ ? i : 0;
    for (std::size_t j = first; j < p_; ++j) to[j] = row[independent_[j]];
    for (std::size_t k = 0; k < r_; ++k) {
      if (row[dependent_[k]] != 0) add_scaled(to + first, row[dependent_[k]], d.row(k) + first, p_ - first);
      if (d(k, i) != 0) add_scaled(to + first, d(k, i), x.row(k) + first, p_ - first);
    }
  }
}

// C^T (rhs - M g); g is zero in the independent places.
void Embedding::form_rhs(ConstMatrixView m, std::span<const double> rhs) {
  const ConstMatrixView d = d_.packed(r_, p_);
  for (std::size_t i = 0; i < n_; ++i) {
    double sum = rhs[i];
    for (std::size_t k = 0; k < r_; ++k) sum -= m(i, at(dependent_[k])) * g_[k];
    work_[i] = sum;
  }
  for (std::size_t i = 0; i < p_; ++i) rhs_[i] = work_[at(independent_[i])];
  for (std::size_t k = 0; k < r_; ++k) add_scaled(rhs_.data(), work_[at(dependent_[k])], d.row(k), p_);
}

EmbedReport Embedding::solve_independent() {
  std::copy_n(rhs_.begin(), p_, solution_.begin());
  if (const FactorReport report = factors_.factor(mass_.packed(p_, p_)); !report.ok()) {
    const int speed = independent_[at(report.pivot)];
    const bool finite = report.status != FactorStatus::NotFinite;
    return {finite ? EmbedStatus::InertiaSingular : EmbedStatus::NotFinite, speed, report.pivot_ratio};
  }
  factors_.solve({solution_.data(), p_});
  if (!all_finite({solution_.data(), p_})) return {EmbedStatus::NotFinite, -1, 0};
  return {};
}

EmbedReport Embedding::solve(ConstMatrixView m, std::span<const double> rhs, std::span<const double> gamma,
                             std::span<double> udot) {
  const std::span<double> g{g_.data(), r_};
  std::fill(g.begin(), g.end(), 0.0);
  if (!gamma.empty()) {
    for (std::size_t k = 0; k < r_; ++k) g[k] = gamma[at(kept_rows_[k])];
    block_.solve(g);
  }
  form_mass(m);
  form_rhs(m, rhs);
  if (const EmbedReport report = solve_independent(); !report.ok()) return report;
  for (std::size_t i = 0; i < p_; ++i) udot[at(independent_[i])] = solution_[i];
  for (std::size_t k = 0; k < r_; ++k) {
    udot[at(dependent_[k])] = g[k] + dot(d_.packed(r_, p_).row(k), solution_.data(), p_);
  }
  calc_contradiction(gamma, udot);
  return {};
}

void Embedding::calc_contradiction(std::span<const double> gamma, std::span<const double> udot) {
  contradiction_ = 0;
  for (const int i : redundant_rows_) {
    const double* const row = a_.packed(rows_, n_).row(at(i));
    const double wanted = gamma.empty() ? 0.0 : gamma[at(i)];
    double sum = -wanted, size = std::abs(wanted);
    for (std::size_t j = 0; j < n_; ++j) {
      sum += row[j] * udot[j];
      size += std::abs(row[j] * udot[j]);
    }
    if (size > 0) contradiction_ = std::max(contradiction_, std::abs(sum) / size);
  }
}

void Embedding::calc_multipliers(ConstMatrixView m, std::span<const double> rhs, std::span<const double> udot,
                                 Multipliers kind, std::span<double> lambda) {
  const std::span<double> force{work_.data(), r_};
  for (std::size_t k = 0; k < r_; ++k) {
    const std::size_t i = at(dependent_[k]);
    force[k] = dot(m.row(i), udot.data(), n_) - rhs[i];
  }
  block_.solve_transposed(force);
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (std::size_t k = 0; k < r_; ++k) lambda[at(kept_rows_[k])] = force[k];
  if (kind == Multipliers::MinimumNorm && !redundant_rows_.empty()) shorten(lambda);
}

// Dropped rows = T kept rows, so A^T does not see N y with N = (-T^T, 1) in (kept, dropped). The shortest lambda is
// what is left after projecting out N: lambda - N y, (N^T N) y = N^T lambda, N^T N = 1 + T T^T. Here lambda_dropped = 0.
void Embedding::shorten(std::span<double> lambda) {
  const std::size_t s = redundant_rows_.size();
  const ConstMatrixView t = t_.packed(s, r_);
  const MatrixView gram = gram_.prepare(s);
  for (std::size_t k = 0; k < s; ++k) {
    for (std::size_t l = 0; l < s; ++l) gram(k, l) = dot(t.row(k), t.row(l), r_) + (k == l ? 1.0 : 0.0);
    work2_[k] = -dot(t.row(k), work_.data(), r_);  // work_ holds lambda of the kept rows
  }
  const FactorReport report = gram_.factor();
  ensure(report.ok(), "1 + T T^T is not positive definite");
  const std::span<double> y{work2_.data(), s};
  gram_.solve(y);
  for (std::size_t k = 0; k < s; ++k) lambda[at(redundant_rows_[k])] = -y[k];
  for (std::size_t l = 0; l < r_; ++l) {
    double& value = lambda[at(kept_rows_[l])];
    for (std::size_t k = 0; k < s; ++k) value += t(k, l) * y[k];
  }
}

EmbedReport Embedding::impose(ConstMatrixView m, std::span<const double> b, std::span<double> u, Multipliers kind,
                              std::span<double> impulse) {
  for (std::size_t i = 0; i < n_; ++i) force_[i] = dot(m.row(i), u.data(), n_);  // momentum before
  std::span<double> wanted{};
  if (!b.empty()) {
    wanted = {work2_.data(), rows_};
    for (std::size_t i = 0; i < rows_; ++i) wanted[i] = -b[i];
  }
  if (const EmbedReport report = solve(m, force_, wanted, u); !report.ok()) return report;
  if (!impulse.empty()) calc_multipliers(m, force_, u, kind, impulse);
  return {};
}

}  // namespace kane

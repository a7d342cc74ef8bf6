#include "kane/simulate/system/motion_jacobian.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

MotionJacobian::MotionJacobian(SystemEvaluator& evaluator)
    : evaluator_(evaluator),
      kernel_(evaluator.system().extra().linearization()),
      runner_(kernel_ == nullptr ? nullptr : &kernel_->kernel, evaluator.context()),
      qdot_(evaluator.system().coordinate_count()),
      udot_(evaluator.system().speed_count()),
      lambda_(evaluator.system().constraint_count()),
      column_(udot_.size()),
      gamma_(lambda_.size()),
      solution_(udot_.size()),
      rows_(qdot_.size() + udot_.size() + lambda_.size(), qdot_.size() + udot_.size()),
      factors_(udot_.size(), evaluator.system().equations().symmetric) {}

RhsStatus MotionJacobian::calc(std::span<const double> q, std::span<const double> u, MatrixView dfdy) {
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  if (kernel_->implicit) {
    if (!evaluator_.calc_motion(q, u, qdot_, udot_).ok()) return RhsStatus::Retry;
    if (!evaluator_.active_rows().empty())
      evaluator_.calc_multipliers(udot_, lambda_);
    else
      evaluator_.calc_mass(q, u);  // udot may have come from a kernel that never forms M
  }
  const auto entries = runner_.run(q, u, udot_, lambda_);
  if (!all_finite(entries)) return RhsStatus::Retry;
  const MatrixView rows = kernel_->implicit ? rows_.view() : dfdy;
  std::fill_n(rows.data, rows.rows * rows.columns, 0.0);
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const auto [row, column] = kernel_->places[k];
    rows(at(row), at(column)) = entries[k];
  }
  if (!kernel_->implicit) return RhsStatus::Ok;
  for (std::size_t i = 0; i < qdot_.size(); ++i) std::copy_n(rows.row(i), rows.columns, dfdy.row(i));
  return solve_columns(dfdy);
}

RhsStatus MotionJacobian::solve_columns(MatrixView dfdy) {
  const std::size_t nq = qdot_.size(), n = udot_.size();
  const auto& active = evaluator_.active_rows();
  const ConstMatrixView mass = evaluator_.mass_matrix();
  if (active.empty() && !factors_.factor(mass).ok()) return RhsStatus::Retry;
  for (std::size_t c = 0; c < dfdy.columns; ++c) {
    for (std::size_t i = 0; i < n; ++i) column_[i] = rows_(nq + i, c);
    if (active.empty()) {
      factors_.solve(column_);
    } else {
      for (std::size_t k = 0; k < active.size(); ++k) gamma_[k] = rows_(nq + n + at(active[k]), c);
      const std::span<const double> gamma{gamma_.data(), active.size()};
      if (!evaluator_.embedding().solve(mass, column_, gamma, solution_).ok()) return RhsStatus::Retry;
      column_ = solution_;
    }
    for (std::size_t i = 0; i < n; ++i) dfdy(nq + i, c) = column_[i];
  }
  return RhsStatus::Ok;
}

}  // namespace kane

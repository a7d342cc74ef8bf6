// Loads that depend on forces X which are known only together with the accelerations (kane/mechanism/given_forces.hpp):
//
//     X = R(q, u, u', lambda, X),      M u' = rhs(X) + A^T lambda,      A u' = gamma
//
// For given X the last two are solved as always. Newton's method on r(X) = R - X needs what a unit of each force changes,
// M du' = d rhs/dX + A^T dlambda, A du' = 0, and then
//
//     J = 1 - dR/dX - dR/du' du' - dR/dlambda dlambda,      J dX = r
//
// which is exact in one step where everything is linear. Where R has no derivative (the length of a force that is zero), a
// step of the fixed point X = R stands for it.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/simulate/system/system_evaluator.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr int kMostGivenSteps = 60;
/// Residuals of the forces, relative to the largest of them: reached, and good enough if no step makes it smaller.
constexpr double kGivenTolerance = 1e-14, kGivenStagnation = 1e-10;

}  // namespace

/// Residual r = R - X at udot and the multipliers that belong to it; returns its largest entry relative to the forces.
double SystemEvaluator::calc_given(std::span<const double> q, std::span<const double> u, std::span<const double> udot) {
  calc_multipliers(udot, given_lambda_);
  given_values_ = given_.run(q, u, udot, given_lambda_);
  double largest = 0, size = 0;
  for (std::size_t k = 0; k < residual_.size(); ++k) {
    const double x = multipliers_[system_->given_rows()[k]];
    residual_[k] = given_values_[k] - x;
    largest = std::max(largest, std::abs(residual_[k]));
    size = std::max({size, std::abs(x), std::abs(given_values_[k])});
    if (!std::isfinite(given_values_[k])) return INFINITY;
  }
  return largest == 0 ? 0 : largest / size;
}

/// du' and dlambda for a change of the right-hand side.
bool SystemEvaluator::respond(std::span<const double> force, std::span<double> udot, std::span<double> lambda) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  if (active_.empty()) {
    std::ranges::copy(force, udot.begin());
    factors_.solve(udot);
    return true;
  }
  if (!embedding_.solve(mass_matrix_.view(), force, std::span(zeros_).first(active_.size()), udot).ok()) return false;
  const std::span<double> active{active_lambda_.data(), active_.size()};
  embedding_.calc_multipliers(mass_matrix_.view(), force, udot, Multipliers::MinimumNorm, active);
  for (std::size_t i = 0; i < active_.size(); ++i) lambda[at(active_[i])] = active[i];
  return true;
}

/// J at the state of the last calc_given(); false if it does not exist or is singular.
bool SystemEvaluator::factor_given() {
  const auto& rows = system_->given_rows();
  const std::size_t k = rows.size(), n = rhs_.size(), nc = system_->constraint_count();
  const std::size_t width = 2 * n + nc;  // of the derivatives of each force
  if (!all_finite(given_values_)) return false;
  for (std::size_t j = 0; j < k; ++j) {
    const double* const b = given_values_.data() + k + j * width + n + nc;
    if (!respond({b, n}, given_udot_.view().row_span(j), given_multipliers_.view().row_span(j))) return false;
  }
  const MatrixView jacobian = given_factors_.prepare(k);
  for (std::size_t i = 0; i < k; ++i) {
    const double* const by_udot = given_values_.data() + k + i * width;
    const double* const by_lambda = by_udot + n;
    for (std::size_t j = 0; j < k; ++j) {
      jacobian(i, j) = (i == j ? 1.0 : 0.0) - by_lambda[rows[j]] - dot(by_udot, given_udot_.view().row(j), n) -
                       dot(by_lambda, given_multipliers_.view().row(j), nc);
    }
  }
  return given_factors_.factor().ok();
}

MotionReport SystemEvaluator::solve_given(std::span<const double> q, std::span<const double> u,
                                          std::span<double> udot) {
  const auto& rows = system_->given_rows();
  double best = INFINITY, length = 1;
  for (int step = 0; step < kMostGivenSteps; ++step) {
    if (step > 0) calc_mass(q, u);  // rhs at the new forces
    const MotionReport report = active_.empty() ? solve_free(udot) : solve_embedded(udot);
    if (!report.ok()) return report;
    const double size = calc_given(q, u, udot);
    if (size <= kGivenTolerance || (size <= kGivenStagnation && size >= best)) return {};
    if (size < best || step == 0) {
      best = size, length = 1;
      for (std::size_t k = 0; k < rows.size(); ++k) before_[k] = multipliers_[rows[k]];
      std::ranges::copy(residual_, change_.begin());
      if (factor_given()) given_factors_.solve(change_);
    } else {
      length /= 2;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) multipliers_[rows[k]] = before_[k] + length * change_[k];
  }
  std::fill(multipliers_.begin(), multipliers_.end(), 0.0);
  return {MotionStatus::NoForce, static_cast<int>(rows[0])};
}

bool SystemEvaluator::complete_tangent(std::span<const double> dr, std::span<double> dudot, std::span<double> dlambda) {
  const auto& rows = system_->given_rows();
  const std::size_t k = rows.size(), n = rhs_.size(), nc = system_->constraint_count();
  if (k == 0) return true;
  if (!factor_given()) return false;
  for (std::size_t i = 0; i < k; ++i) {
    const double* const by_udot = given_values_.data() + k + i * (2 * n + nc);
    change_[i] = dr[rows[i]] + dot(by_udot, dudot.data(), n) + dot(by_udot + n, dlambda.data(), nc);
  }
  given_factors_.solve(change_);
  for (std::size_t i = 0; i < k; ++i) {
    add_scaled(dudot.data(), change_[i], given_udot_.view().row(i), n);
    add_scaled(dlambda.data(), change_[i], given_multipliers_.view().row(i), nc);
  }
  for (std::size_t i = 0; i < k; ++i) dlambda[rows[i]] = change_[i];
  return true;
}

}  // namespace kane

#include "kane/solve/fixed_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/dense_output.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

FixedStepIntegrator::FixedStepIntegrator(std::size_t size, Rhs rhs, double step)
    : Integrator(size, std::move(rhs)), slope_(padded_), slope_previous_(padded_), h_(step) {
  set_step_size(step);
}

void FixedStepIntegrator::set_step_size(double step) {
  require(step > 0 && std::isfinite(step), "the step size must be positive, but {} was given", step);
  h_ = step;
  t_base_ = t_;
  count_ = 0;
}

void FixedStepIntegrator::do_start() { do_resume(); }

void FixedStepIntegrator::do_resume() {
  t_base_ = t_;
  count_ = 0;
  has_slope_ = has_slope_previous_ = false;
  forget();
}

StepStatus FixedStepIntegrator::do_step(double t_limit) {
  const double direction = t_limit > t_ ? 1 : -1;
  if (direction != direction_) {
    direction_ = direction;
    t_base_ = t_;
    count_ = 0;
  }
  t_next_ = t_base_ + direction * static_cast<double>(count_ + 1) * h_;
  // A limit a hair beyond the step is meant to be its end: no crumb is left for another step.
  shortened_ = std::abs(t_limit - t_) <= h_ * (1 + 1e-9) || (t_next_ - t_limit) * direction > 0;
  if (shortened_) t_next_ = t_limit;
  if (t_next_ == t_) return StepStatus::StepUnderflow;
  if (const StepStatus status = advance(t_next_ - t_); status != StepStatus::Ok) return status;
  const ProjectionStatus projection = project_next();
  if (projection == ProjectionStatus::Changed) projected();
  return projection == ProjectionStatus::Failed ? StepStatus::ProjectionFailed : StepStatus::Ok;
}

void FixedStepIntegrator::do_accept() {
  slope_previous_.swap(slope_);
  has_slope_previous_ = has_slope_;
  has_slope_ = false;
  if (shortened_) {
    t_base_ = t_;
    count_ = 0;
  } else {
    ++count_;
  }
}

StepStatus FixedStepIntegrator::need_slope() {
  if (has_slope_) return StepStatus::Ok;
  if (evaluate(t_, y_.data(), slope_.data()) != RhsStatus::Ok) return rhs_failure();
  has_slope_ = true;
  return StepStatus::Ok;
}

StepStatus FixedStepIntegrator::do_interpolate(double t, std::span<double> y) {
  if (!has_slope_previous_) {
    if (evaluate(t_previous_, y_previous_.data(), slope_previous_.data()) != RhsStatus::Ok) return rhs_failure();
    has_slope_previous_ = true;
  }
  if (const StepStatus status = need_slope(); status != StepStatus::Ok) return status;
  if (!check_finite({slope_.data(), n_})) return StepStatus::NotFinite;
  const double h = t_ - t_previous_, s = (t - t_previous_) / h;
  for (std::size_t i = 0; i < n_; ++i) {
    y[i] = interpolate_step(s, y_previous_[i], y_[i], h * slope_previous_[i], h * slope_[i], 0);
  }
  return StepStatus::Ok;
}

RungeKutta4::RungeKutta4(std::size_t size, Rhs rhs, double step)
    : FixedStepIntegrator(size, std::move(rhs), step), k_(padded_), sum_(padded_) {}

StepStatus RungeKutta4::advance(double h) {
  report_.order = 4;
  careful_ = false;
  StepStatus status = try_step(h);
  careful_ = true;
  if (status != StepStatus::Ok || all_finite({y_next_.data(), n_})) return status;
  forget_slope();
  status = try_step(h);  // carefully: which component was it?
  return status == StepStatus::Ok ? StepStatus::NotFinite : status;
}

StepStatus RungeKutta4::try_step(double h) {
  if (const StepStatus status = need_slope(); status != StepStatus::Ok) return status;
  const std::size_t n = padded_;
  const double* const __restrict y = y_.data();
  double* const __restrict next = y_next_.data();
  double* const __restrict sum = sum_.data();
  double* const __restrict k = k_.data();
  for (std::size_t i = 0; i < n; ++i) {
    sum[i] = slope_[i];
    next[i] = y[i] + 0.5 * h * slope_[i];
  }
  for (const auto [node, weight, reach] : {std::array{0.5, 2.0, 0.5}, {0.5, 2.0, 1.0}}) {
    if (evaluate(t_ + node * h, next, k) != RhsStatus::Ok) return rhs_failure();
    for (std::size_t i = 0; i < n; ++i) {
      sum[i] += weight * k[i];
      next[i] = y[i] + reach * h * k[i];
    }
  }
  if (evaluate(t_next_, next, k) != RhsStatus::Ok) return rhs_failure();
  for (std::size_t i = 0; i < n; ++i) next[i] = y[i] + h / 6 * (sum[i] + k[i]);
  return StepStatus::Ok;
}

}  // namespace kane

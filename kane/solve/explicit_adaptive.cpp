#include "kane/solve/explicit_adaptive.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kSafety = 0.9;
constexpr double kLogSmallestOldError = -9.210340371976182736;  ///< log 1e-4
constexpr long kStiffnessInterval = 20;  ///< accepted steps between looks, while nothing is suspicious
constexpr int kStiffHits = 15, kFreeHits = 6;

}  // namespace

ExplicitAdaptive::ExplicitAdaptive(std::size_t size, Rhs rhs, const AdaptiveOptions& options,
                                   const ExplicitTraits& traits)
    : Integrator(size, std::move(rhs)),
      slope_(padded_),
      slope_next_(padded_),
      slope_previous_(padded_),
      rtol_(expand_tolerance(options.tolerance.relative, size, "the relative tolerance")),
      atol_(expand_tolerance(options.tolerance.absolute, size, "the absolute tolerance")),
      traits_(traits),
      options_(options) {
  for (std::size_t i = 0; i < n_; ++i) {
    require(rtol_[i] > 0 || atol_[i] > 0, "state {} has neither a relative nor an absolute tolerance", i);
    // An error below rounding cannot be asked for.
    rtol_[i] = std::max(rtol_[i], 10 * std::numeric_limits<double>::epsilon());
  }
  require(options.max_step > 0, "the largest step must be positive, but {} was given", options.max_step);
  rtol_.resize(padded_, 0.0);
  atol_.resize(padded_, 1.0);  // padding never has an error
}

void ExplicitAdaptive::do_start() {
  h_ = options_.first_step;
  do_resume();
}

void ExplicitAdaptive::do_resume() {
  has_slope_ = next_slope_valid_ = has_dense_ = false;
  log_old_error_ = kLogSmallestOldError;
  stiff_hits_ = free_hits_ = 0;
  until_check_ = kStiffnessInterval;
}

void ExplicitAdaptive::find_worst(const double* e) {
  double worst = -1;
  for (std::size_t i = 0; i < n_; ++i) {
    const double q = std::abs(e[i]) / (atol_[i] + rtol_[i] * std::max(std::abs(y_[i]), std::abs(y_next_[i])));
    if (q > worst) {
      worst = q;
      report_.component = static_cast<int>(i);
    }
  }
}

double ExplicitAdaptive::smallest_step() const {
  return std::max({options_.min_step, 16 * std::numeric_limits<double>::epsilon() * std::abs(t_), 1e-100});
}

StepStatus ExplicitAdaptive::need_slope() {
  if (has_slope_) return StepStatus::Ok;
  if (evaluate(t_, y_.data(), slope_.data()) != RhsStatus::Ok) return rhs_failure();
  has_slope_ = true;
  return StepStatus::Ok;
}

// Hairer, Norsett, Wanner, section II.4, "starting step size": an explicit Euler step estimates the second derivative.
StepStatus ExplicitAdaptive::choose_first_step(double t_limit) {
  y_next_ = y_;  // the tolerance is measured at y
  const double root_n = std::sqrt(static_cast<double>(std::max<std::size_t>(n_, 1)));
  const double d0 = std::sqrt(scaled_square(y_.data())) / root_n;
  const double d1 = std::sqrt(scaled_square(slope_.data())) / root_n;
  const double span = std::abs(t_limit - t_);
  double h = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  h = std::min({h, options_.max_step, span});
  const double direction = t_limit > t_ ? 1 : -1;
  double d2 = 0;
  for (int tries = 0; tries < 40; ++tries, h *= 0.1) {
    for (std::size_t i = 0; i < padded_; ++i) y_next_[i] = y_[i] + direction * h * slope_[i];
    const RhsStatus status = evaluate(t_ + direction * h, y_next_.data(), slope_next_.data());
    if (status == RhsStatus::Stop) return StepStatus::RhsFailed;
    if (status == RhsStatus::Retry) continue;
    for (std::size_t i = 0; i < padded_; ++i) slope_next_[i] -= slope_[i];
    y_next_ = y_;
    d2 = std::sqrt(scaled_square(slope_next_.data())) / root_n / h;
    break;
  }
  const double steepest = std::max(d1, d2);
  const double exponent = 1.0 / traits_.order;
  const double h1 = steepest <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / steepest, exponent);
  h_ = std::max(std::min({100 * h, h1, options_.max_step, span}), 2 * smallest_step());
  if (!std::isfinite(h_)) h_ = 1e-6;
  report_.component = -1;
  return StepStatus::Ok;
}

/// Signed length of the step to try: h_, but not past the limit, and without leaving a crumb before it.
double ExplicitAdaptive::limit_step(double direction, double t_limit) {
  const double left = std::abs(t_limit - t_);
  limited_ = h_ * 1.01 >= left;
  t_next_ = limited_ ? t_limit : t_ + direction * h_;
  return limited_ ? direction * left : t_next_ - t_;
}

// PI controller (II.4, IV.2): h_new = h safety error^-(1/k - 0.75 beta) old_error^beta, all in logarithms.
void ExplicitAdaptive::plan_next(double error, bool after_rejection) {
  const double log_error = std::log(std::max(error, 1e-30));
  double factor = kSafety * std::exp(-(traits_.error_exponent - 0.75 * traits_.memory) * log_error +
                                     traits_.memory * log_old_error_);
  factor = std::clamp(factor, traits_.shrink, after_rejection ? 1.0 : traits_.grow);
  log_old_error_ = std::max(log_error, kLogSmallestOldError);
  const double made = std::abs(t_next_ - t_);
  // A step cut short by a limit says nothing against the step size planned before it.
  h_ = std::min(limited_ ? std::max(h_, made * factor) : made * factor, options_.max_step);
}

// IV.2: when |h lambda| sits at the edge of the stability region in 15 looks that are not interrupted by 6 free ones,
// the steps are limited by stability.
void ExplicitAdaptive::look_for_stiffness(double h) {
  if (stiff_hits_ == 0 && --until_check_ > 0) return;
  until_check_ = kStiffnessInterval;
  if (std::abs(h) * estimate_lambda() > traits_.stability) {
    free_hits_ = 0;
    report_.stiff = ++stiff_hits_ >= kStiffHits;
  } else if (++free_hits_ >= kFreeHits) {
    stiff_hits_ = free_hits_ = 0;
  }
}

StepStatus ExplicitAdaptive::failure(RhsStatus status, bool projection_failed) const {
  if (projection_failed) return StepStatus::ProjectionFailed;
  return status == RhsStatus::Ok ? StepStatus::StepUnderflow : rhs_failure();
}

/// attempt(); if a slope is not finite, once more with a look at each of them, to know which.
ExplicitAdaptive::Attempt ExplicitAdaptive::attempt_watched(double h) {
  careful_ = false;
  Attempt result = attempt(h);
  careful_ = true;
  if (result.status == RhsStatus::Ok && !std::isfinite(result.error)) result = attempt(h);
  return result;
}

StepStatus ExplicitAdaptive::do_step(double t_limit) {
  const double direction = t_limit > t_ ? 1 : -1;
  report_.order = traits_.order;
  if (const StepStatus status = need_slope(); status != StepStatus::Ok) return status;
  if (h_ == 0) {
    if (const StepStatus status = choose_first_step(t_limit); status != StepStatus::Ok) return status;
  }
  while (true) {
    if (options_.max_steps > 0 && totals_.steps + totals_.rejected + report_.rejected >= options_.max_steps) {
      return StepStatus::TooManySteps;
    }
    const double h = limit_step(direction, t_limit);
    const Attempt result = attempt_watched(h);
    report_.error = result.error;
    report_.h = h;
    if (result.status == RhsStatus::Stop) return StepStatus::RhsFailed;
    const bool evaluated = result.status == RhsStatus::Ok && std::isfinite(result.error);
    bool projection_failed = false;
    if (evaluated && result.error <= 1) {
      const ProjectionStatus projection = project_next();
      next_slope_valid_ = projection == ProjectionStatus::Unchanged;
      projection_failed = projection == ProjectionStatus::Failed;
      if (!projection_failed) {
        plan_next(result.error, report_.rejected > 0);
        if (projection == ProjectionStatus::Unchanged) look_for_stiffness(h);
        return StepStatus::Ok;
      }
    }
    ++report_.rejected;
    double factor = evaluated && !projection_failed
                        ? std::max(traits_.shrink, kSafety * std::pow(result.error, -traits_.error_exponent))
                        : 0.25;
    factor = std::min(factor, 0.9);
    h_ = std::abs(h) * factor;
    if (h_ < smallest_step()) return failure(evaluated ? RhsStatus::Ok : RhsStatus::Retry, projection_failed);
  }
}

void ExplicitAdaptive::do_accept() {
  slope_previous_.swap(slope_);
  slope_.swap(slope_next_);
  has_slope_ = next_slope_valid_;
  has_dense_ = false;
}

void ExplicitAdaptive::exchange(MemoryArchive& a) {
  Integrator::exchange(a);
  a(slope_, slope_previous_, h_, log_old_error_, stiff_hits_, free_hits_, until_check_, has_slope_, limited_);
  if (a.reading()) has_dense_ = false;
}

StepStatus ExplicitAdaptive::do_interpolate(double t, std::span<double> y) {
  if (!has_dense_) {
    if (const StepStatus status = need_slope(); status != StepStatus::Ok) return status;
    if (const StepStatus status = prepare_dense(); status != StepStatus::Ok) return status;
    has_dense_ = true;
  }
  evaluate_dense((t - t_previous_) / (t_ - t_previous_), y);
  return StepStatus::Ok;
}

}  // namespace kane

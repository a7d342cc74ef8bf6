#include "kane/solve/auto_switch.hpp"

#include <algorithm>

#include "kane/solve/dormand_prince.hpp"

namespace kane {

namespace {

constexpr double kTight = 1e-9;

std::unique_ptr<Integrator> make_explicit(std::size_t size, Rhs rhs, const AdaptiveOptions& options) {
  const auto& relative = options.tolerance.relative;
  if (std::ranges::any_of(relative, [](double v) { return v < kTight; })) {
    return std::make_unique<DormandPrince853>(size, std::move(rhs), options);
  }
  return std::make_unique<DormandPrince54>(size, std::move(rhs), options);
}

StiffOptions stiff_options(const AutoSwitchOptions& options) {
  StiffOptions stiff{.adaptive = options.adaptive, .jacobian = options.jacobian, .order = 0};
  stiff.adaptive.first_step = 0;
  for (double& a : stiff.adaptive.tolerance.absolute) a = std::max(a, options.stiff_absolute);
  return stiff;
}

}  // namespace

AdaptiveIntegrator::AdaptiveIntegrator(std::size_t size, Rhs rhs, const AutoSwitchOptions& options)
    : Integrator(size, rhs),
      explicit_(make_explicit(size, rhs, options.adaptive)),
      stiff_(std::make_unique<CvodeIntegrator>(size, std::move(rhs), stiff_options(options))),
      active_(explicit_.get()) {}

void AdaptiveIntegrator::set_projection(StateProjection projection) {
  explicit_->set_projection(projection);
  stiff_->set_projection(std::move(projection));
}

void AdaptiveIntegrator::do_start() {
  active_ = explicit_.get();
  switch_next_ = false;
  active_->start(t_, state());
}

void AdaptiveIntegrator::do_resume() { active_->resume(t_, state()); }

void AdaptiveIntegrator::switch_to_stiff() {
  stiff_->start(t_, state());
  active_ = stiff_.get();
  switch_next_ = false;
}

StepStatus AdaptiveIntegrator::take(const StepReport& report) {
  totals_.evaluations += report.evaluations;
  report_ = report;
  t_next_ = active_->time();
  std::ranges::copy(active_->state(), y_next_.begin());
  return report.status;
}

StepStatus AdaptiveIntegrator::do_step(double t_limit) {
  if (switch_next_) switch_to_stiff();
  StepStatus status = take(active_->step(t_limit));
  if (status == StepStatus::StepUnderflow && !stiff()) {
    switch_to_stiff();
    status = take(active_->step(t_limit));
  }
  // Only after the caller has had the chance to interpolate in this step.
  switch_next_ = !stiff() && report_.stiff;
  totals_.jacobians = stiff_->totals().jacobians;
  return status;
}

void AdaptiveIntegrator::exchange(MemoryArchive& a) {
  Integrator::exchange(a);
  bool is_stiff = stiff();
  a(is_stiff, switch_next_);
  explicit_->exchange(a);
  if (is_stiff) stiff_->exchange(a);
  active_ = is_stiff ? stiff_.get() : explicit_.get();
}

StepStatus AdaptiveIntegrator::do_interpolate(double t, std::span<double> y) { return active_->interpolate(t, y); }

}  // namespace kane

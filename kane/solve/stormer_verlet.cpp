#include "kane/solve/stormer_verlet.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kane/base/error.hpp"

namespace kane {

namespace {

/// Both halves as one right-hand side, for interpolation.
Rhs join(const SeparableSystem& system) {
  const std::size_t nq = system.coordinates;
  return [nq, qdot = system.qdot, udot = system.udot](double t, std::span<const double> y, std::span<double> ydot) {
    const RhsStatus first = qdot(t, y.subspan(nq), ydot.first(nq));
    return first == RhsStatus::Ok ? udot(t, y.first(nq), ydot.subspan(nq)) : first;
  };
}

}  // namespace

StormerVerlet::StormerVerlet(SeparableSystem system, double step, int order)
    : FixedStepIntegrator(system.coordinates + system.speeds, join(system), step),
      system_(std::move(system)),
      order_(order),
      qdot_(system_.coordinates),
      udot_(system_.speeds),
      compensation_(n_) {
  require(order == 2 || order == 4, "the Stormer-Verlet method has order 2 or 4, not {}", order);
}

void StormerVerlet::forget() {
  has_force_ = false;
  std::fill(compensation_.begin(), compensation_.end(), 0.0);
}

void StormerVerlet::projected() { forget(); }

/// y += h rate with compensated summation, so that rounding does not accumulate over long runs.
void StormerVerlet::add(std::size_t first, double h, const std::vector<double>& rate) {
  for (std::size_t i = 0; i < rate.size(); ++i) {
    const double old = y_next_[first + i];
    const double increment = h * rate[i] + compensation_[first + i];
    y_next_[first + i] = old + increment;
    compensation_[first + i] = (old - y_next_[first + i]) + increment;
  }
}

StepStatus StormerVerlet::calc_force(double t) {
  ++report_.evaluations;
  ++totals_.evaluations;
  const RhsStatus status = system_.udot(t, {y_next_.data(), system_.coordinates}, udot_);
  has_force_ = status == RhsStatus::Ok && check_finite(udot_, system_.coordinates);
  if (has_force_) return StepStatus::Ok;
  return status == RhsStatus::Ok ? StepStatus::NotFinite : StepStatus::RhsFailed;
}

StepStatus StormerVerlet::stage(double t, double h) {
  const std::size_t nq = system_.coordinates;
  if (!has_force_) {
    if (const StepStatus status = calc_force(t); status != StepStatus::Ok) return status;
  }
  add(nq, 0.5 * h, udot_);
  if (system_.qdot(t + 0.5 * h, {y_next_.data() + nq, system_.speeds}, qdot_) != RhsStatus::Ok) {
    return StepStatus::RhsFailed;
  }
  if (!check_finite(qdot_)) return StepStatus::NotFinite;
  add(0, h, qdot_);
  if (const StepStatus status = calc_force(t + h); status != StepStatus::Ok) return status;
  add(nq, 0.5 * h, udot_);
  return StepStatus::Ok;
}

StepStatus StormerVerlet::advance(double h) {
  report_.order = order_;
  std::copy(y_.begin(), y_.end(), y_next_.begin());
  if (order_ == 2) return stage(t_, h);
  const double outer = h / (2 - std::cbrt(2.0)), inner = h - 2 * outer;
  for (const auto [offset, part] : {std::array{0.0, outer}, {outer, inner}, {h - outer, outer}}) {
    if (const StepStatus status = stage(t_ + offset, part); status != StepStatus::Ok) return status;
  }
  return StepStatus::Ok;
}

}  // namespace kane

#include "kane/solve/integrator.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

std::string_view to_string(StepStatus status) {
  switch (status) {
    case StepStatus::Ok: return "ok";
    case StepStatus::StepUnderflow: return "the step size became too small";
    case StepStatus::NotFinite: return "a derivative is not a finite number";
    case StepStatus::RhsFailed: return "the derivatives could not be evaluated";
    case StepStatus::NewtonFailed: return "the equations of an implicit step could not be solved";
    case StepStatus::ProjectionFailed: return "the state could not be projected onto its constraints";
    case StepStatus::TooManySteps: return "the limit on the number of steps was reached";
  }
  return "unknown";
}

std::vector<double> expand_tolerance(const std::vector<double>& values, std::size_t n, std::string_view what) {
  require(values.size() == 1 || values.size() == n, "{} has {} values; give one, or one for each of the {} states",
          what, values.size(), n);
  for (const double v : values)
    require(v >= 0 && std::isfinite(v), "{} must not be negative, but {} was given", what, v);
  return values.size() == n ? values : std::vector<double>(n, values.front());
}

Integrator::Integrator(std::size_t size, Rhs rhs)
    : n_(size), padded_((size + 3) / 4 * 4), rhs_(std::move(rhs)), y_(padded_), y_previous_(padded_), y_next_(padded_) {
  ensure(static_cast<bool>(rhs_), "an integrator needs a right-hand side");
}

void Integrator::start(double t, std::span<const double> y) {
  totals_ = {};
  report_ = {};
  ensure(y.size() == n_, "a state of {} numbers given to an integrator of {}", y.size(), n_);
  t_ = t_previous_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  y_previous_ = y_;
  do_start();
}

void Integrator::resume(double t, std::span<const double> y) {
  ensure(y.size() == n_, "a state of {} numbers given to an integrator of {}", y.size(), n_);
  t_ = t_previous_ = t;
  std::copy(y.begin(), y.end(), y_.begin());
  std::copy(y_.begin(), y_.end(), y_previous_.begin());
  do_resume();
}

const StepReport& Integrator::step(double t_limit) {
  report_ = {};
  report_.t = t_;
  if (t_limit == t_) return report_;
  report_.status = do_step(t_limit);
  totals_.rejected += report_.rejected;
  if (report_.status != StepStatus::Ok) return report_;
  report_.h = t_next_ - t_;
  report_.t = t_next_;
  t_previous_ = t_;
  t_ = t_next_;
  y_previous_.swap(y_);
  y_.swap(y_next_);
  ++totals_.steps;
  do_accept();
  return report_;
}

void Integrator::exchange(MemoryArchive& a) {
  a(t_, t_previous_, y_, y_previous_);
  a(totals_.steps, totals_.rejected, totals_.evaluations, totals_.jacobians);
}

StepStatus Integrator::interpolate(double t, std::span<double> y) {
  ensure(y.size() == n_, "interpolation into {} numbers of a state of {}", y.size(), n_);
  if (t == t_ || t_previous_ == t_) {
    std::copy_n(y_.begin(), n_, y.begin());
    return StepStatus::Ok;
  }
  if (t == t_previous_) {
    std::copy_n(y_previous_.begin(), n_, y.begin());
    return StepStatus::Ok;
  }
  return do_interpolate(t, y);
}

RhsStatus Integrator::evaluate(double t, const double* y, double* ydot) {
  ++report_.evaluations;
  ++totals_.evaluations;
  const RhsStatus status = rhs_(t, {y, n_}, {ydot, n_});
  not_finite_ = careful_ && status == RhsStatus::Ok && !check_finite({ydot, n_});
  return not_finite_ ? RhsStatus::Retry : status;
}

bool Integrator::check_finite(std::span<const double> ydot, std::size_t offset) {
  if (all_finite(ydot)) return true;
  const auto bad = std::ranges::find_if(ydot, [](double v) { return !std::isfinite(v); });
  report_.component = static_cast<int>(offset) + static_cast<int>(bad - ydot.begin());
  return false;
}

ProjectionStatus Integrator::project_next() {
  if (!projection_) return ProjectionStatus::Unchanged;
  return projection_(t_next_, {y_next_.data(), n_});
}

StepStatus Integrator::rhs_failure() const { return not_finite_ ? StepStatus::NotFinite : StepStatus::RhsFailed; }

}  // namespace kane

#include "kane/solve/stiff.hpp"

#include <cvode/cvode.h>

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/sundials_problem.hpp"

namespace kane {

namespace {

std::span<double> numbers(N_Vector v) { return {N_VGetArrayPointer(v), at(N_VGetLength(v))}; }

}  // namespace

StiffIntegrator::Problem::Problem(StiffIntegrator& o, const StiffOptions& options)
    : owner(o),
      rtol(expand_tolerance(options.adaptive.tolerance.relative, o.size(), "the relative tolerance")),
      atol(expand_tolerance(options.adaptive.tolerance.absolute, o.size(), "the absolute tolerance")),
      dfdy(o.size(), o.size()) {
  for (std::size_t i = 0; i < rtol.size(); ++i) {
    require(rtol[i] > 0 || atol[i] > 0, "state {} has neither a relative nor an absolute tolerance", i);
    rtol[i] = std::max(rtol[i], 10 * std::numeric_limits<double>::epsilon());
  }
  const auto n = static_cast<sunindextype>(o.size());
  ensure(SUNContext_Create(nullptr, &context) == 0, "SUNDIALS could not be initialised");
  for (N_Vector* v : {&y, &out, &scratch, &scratch2}) *v = N_VNew_Serial(n, context);
  matrix = SUNDenseMatrix(n, n, context);
  solver = SUNLinSol_Dense(y, matrix, context);
  ensure(y && out && scratch && scratch2 && matrix && solver, "SUNDIALS could not allocate {} states", n);
}

StiffIntegrator::Problem::~Problem() {
  SUNLinSolFree(solver);
  SUNMatDestroy(matrix);
  for (N_Vector v : {y, out, scratch, scratch2}) N_VDestroy(v);
  SUNContext_Free(&context);
}

int StiffIntegrator::Problem::rhs(realtype t, N_Vector y, N_Vector ydot, void* problem) {
  auto& self = *static_cast<Problem*>(problem);
  const RhsStatus status = self.owner.evaluate(t, N_VGetArrayPointer(y), N_VGetArrayPointer(ydot));
  self.rhs_failed = status != RhsStatus::Ok;
  self.rhs_stopped = status == RhsStatus::Stop;
  return status == RhsStatus::Ok ? 0 : (status == RhsStatus::Retry ? 1 : -1);
}

int StiffIntegrator::Problem::jacobian(realtype t, N_Vector y, N_Vector, SUNMatrix j, void* problem, N_Vector, N_Vector,
                                       N_Vector) {
  auto& self = *static_cast<Problem*>(problem);
  ++self.owner.totals_.jacobians;
  const RhsStatus status = self.owner.options_.jacobian(t, numbers(y), self.dfdy.view());
  if (status != RhsStatus::Ok) {
    self.rhs_failed = true;
    return status == RhsStatus::Retry ? 1 : -1;
  }
  const std::size_t n = self.dfdy.rows();
  for (std::size_t c = 0; c < n; ++c) {
    realtype* const column = SUNDenseMatrix_Column(j, static_cast<sunindextype>(c));
    for (std::size_t r = 0; r < n; ++r) column[r] = self.dfdy(r, c);
  }
  return 0;
}

int StiffIntegrator::Problem::weights(N_Vector y, N_Vector ewt, void* problem) {
  const auto& self = *static_cast<const Problem*>(problem);
  const std::span<const double> from = numbers(y);
  const std::span<double> to = numbers(ewt);
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double size = self.rtol[i] * std::abs(from[i]) + self.atol[i];
    if (!(size > 0)) return -1;
    to[i] = 1 / size;
  }
  return 0;
}

int StiffIntegrator::Problem::correction(realtype t, N_Vector y, N_Vector corr, realtype, N_Vector, void* problem) {
  auto& self = *static_cast<Problem*>(problem);
  const std::span<const double> from = numbers(y);
  const std::span<double> to = numbers(corr);
  std::copy(from.begin(), from.end(), to.begin());
  if (!self.owner.projection_) {  // taken away again
    std::ranges::fill(to, 0.0);
    return 0;
  }
  self.projection_failed = self.owner.projection_(t, to) == ProjectionStatus::Failed;
  if (self.projection_failed) return 1;
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= from[i];
  return 0;
}

int StiffIntegrator::Problem::postprocess(realtype t, N_Vector y, void* problem) {
  auto& self = *static_cast<Problem*>(problem);
  self.projection_failed = self.owner.projection_(t, numbers(y)) == ProjectionStatus::Failed;
  return self.projection_failed ? -1 : 0;
}

/// Messages are not printed: the flag is explained by the status of the step.
void StiffIntegrator::Problem::message(int, const char*, const char*, char*, void*) {}

StiffIntegrator::StiffIntegrator(std::size_t size, Rhs rhs, StiffOptions options)
    : Integrator(size, std::move(rhs)),
      options_(std::move(options)),
      problem_(std::make_unique<Problem>(*this, options_)) {
  require(size > 0, "there is nothing to integrate");
}

StiffIntegrator::~StiffIntegrator() = default;

void StiffIntegrator::set_projection(StateProjection projection) {
  Integrator::set_projection(std::move(projection));
  enable_projection(static_cast<bool>(projection_));
}

void StiffIntegrator::do_start() {
  do_resume();
  first_step_ = options_.adaptive.first_step;
}

void StiffIntegrator::do_resume() {
  std::copy_n(y_.begin(), n_, numbers(problem_->y).begin());
  first_step_ = guess_step();
  restart();
  fresh_ = true;
}

void StiffIntegrator::exchange(MemoryArchive& a) {
  t_previous_ = t_;
  y_previous_ = y_;
  Integrator::exchange(a);
  double guess = guess_step();
  a(direction_, guess);
  set_guess(guess);
  do_resume();
}

StepStatus StiffIntegrator::do_step(double t_limit) {
  if (options_.adaptive.max_steps > 0 && totals_.steps + totals_.rejected >= options_.adaptive.max_steps) {
    return StepStatus::TooManySteps;
  }
  const double direction = t_limit > t_ ? 1 : -1;
  if (direction_ != 0 && direction != direction_) {  // what is remembered points the other way
    turn_around();
    do_resume();
  }
  direction_ = direction;
  if (fresh_) set_first_step(direction * first_step_);
  problem_->rhs_failed = problem_->rhs_stopped = problem_->projection_failed = false;
  if (std::abs(t_limit - t_) <= 4 * std::numeric_limits<double>::epsilon() * std::abs(t_limit)) {
    // Too close for the library; the state does not change over a rounding error.
    t_next_ = t_limit;
    y_next_ = y_;
    do_resume();
    return StepStatus::Ok;
  }
  const bool bounded = std::isfinite(t_limit);
  set_stop_time(bounded ? t_limit : direction * 1e300);
  const double towards = bounded ? t_limit : t_ + direction * 1e3 * std::max(1.0, std::abs(t_));
  double reached = t_;
  const int flag = advance(towards, reached);
  read_counters();
  fresh_ = false;
  if (flag < 0) return explain(flag);
  if (reached == t_) return StepStatus::StepUnderflow;
  t_next_ = reached;
  std::ranges::copy(numbers(problem_->out), y_next_.begin());
  report_.component = -1;
  return StepStatus::Ok;
}

StepStatus StiffIntegrator::do_interpolate(double t, std::span<double> y) {
  if (read_dense(t) < 0) return StepStatus::NewtonFailed;
  std::ranges::copy(numbers(problem_->out), y.begin());
  return StepStatus::Ok;
}

void StiffIntegrator::measure_error() {
  const std::span<const double> error = numbers(problem_->scratch), weight = numbers(problem_->scratch2);
  double sum = 0, worst = -1;
  int largest = -1;
  for (std::size_t i = 0; i < n_; ++i) {
    const double q = std::abs(error[i]) * weight[i];
    sum += q * q;
    if (q > worst) {
      worst = q;
      largest = static_cast<int>(i);
    }
  }
  report_.error = std::sqrt(sum / static_cast<double>(n_));
  if (report_.component < 0) report_.component = largest;  // unless an entry that is not finite was met on the way
}

// The flags that matter have the same numbers in both libraries.
StepStatus StiffIntegrator::explain(int flag) const {
  if (problem_->projection_failed) return StepStatus::ProjectionFailed;
  if (problem_->rhs_failed || problem_->rhs_stopped) return rhs_failure();
  switch (flag) {
    case CV_TOO_MUCH_ACC:
    case CV_ERR_FAILURE:
    case CV_TOO_CLOSE: return StepStatus::StepUnderflow;
    case CV_TOO_MUCH_WORK: return StepStatus::TooManySteps;
    default: return StepStatus::NewtonFailed;
  }
}

}  // namespace kane

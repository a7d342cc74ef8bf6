#include <cvode/cvode.h>
#include <cvode/cvode_ls.h>
#include <cvode/cvode_proj.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/stiff.hpp"
#include "kane/solve/sundials_problem.hpp"

namespace kane {

namespace {

void check(int flag, const char* what) { ensure(flag >= 0, "CVODE refused {} (flag {})", what, flag); }

}  // namespace

CvodeIntegrator::CvodeIntegrator(std::size_t size, Rhs rhs, StiffOptions options)
    : StiffIntegrator(size, std::move(rhs), std::move(options)) {
  const int order = options_.order == 0 ? 5 : options_.order;
  require(order >= 1 && order <= 5, "backward differentiation formulas have order 1 to 5, not {}", order);
  memory_ = CVodeCreate(CV_BDF, problem_->context);
  ensure(memory_ != nullptr, "CVODE could not be created");
  N_VConst(0.0, problem_->y);
  check(CVodeSetErrHandlerFn(memory_, &Problem::message, problem_.get()), "the message handler");
  check(CVodeInit(memory_, &Problem::rhs, 0.0, problem_->y), "the problem");
  check(CVodeSetUserData(memory_, problem_.get()), "the user data");
  check(CVodeWFtolerances(memory_, &Problem::weights), "the tolerances");
  check(CVodeSetLinearSolver(memory_, problem_->solver, problem_->matrix), "the linear solver");
  if (options_.jacobian) check(CVodeSetJacFn(memory_, &Problem::jacobian), "the Jacobian");
  check(CVodeSetMaxOrd(memory_, order), "the order");
  check(CVodeSetMaxHnilWarns(memory_, -1), "silence");
  if (std::isfinite(options_.adaptive.max_step))
    check(CVodeSetMaxStep(memory_, options_.adaptive.max_step), "max_step");
  if (options_.adaptive.min_step > 0) check(CVodeSetMinStep(memory_, options_.adaptive.min_step), "min_step");
}

CvodeIntegrator::~CvodeIntegrator() { CVodeFree(&memory_); }

void CvodeIntegrator::restart() {
  check(CVodeReInit(memory_, t_, problem_->y), "a new start");
  failures_ = 0;
}

void CvodeIntegrator::set_first_step(double h) { check(CVodeSetInitStep(memory_, h), "the first step"); }

void CvodeIntegrator::set_stop_time(double t) { check(CVodeSetStopTime(memory_, t), "the limit"); }

int CvodeIntegrator::advance(double towards, double& reached) {
  return CVode(memory_, towards, problem_->out, &reached, CV_ONE_STEP);
}

int CvodeIntegrator::read_dense(double t) { return CVodeGetDky(memory_, t, 0, problem_->out); }

void CvodeIntegrator::enable_projection(bool enable) {
  if (!enable) return;  // CVODE cannot forget one; the callback then corrects nothing
  check(CVodeSetProjFn(memory_, &Problem::correction), "the projection");
  check(CVodeSetProjErrEst(memory_, SUNFALSE), "the projection");
}

void CvodeIntegrator::read_counters() {
  long error_failures = 0, solver_failures = 0;
  CVodeGetNumErrTestFails(memory_, &error_failures);
  CVodeGetNumStepSolveFails(memory_, &solver_failures);
  CVodeGetLastOrder(memory_, &report_.order);
  report_.rejected = static_cast<int>(error_failures + solver_failures - failures_);
  failures_ = error_failures + solver_failures;
  if (CVodeGetEstLocalErrors(memory_, problem_->scratch) != CV_SUCCESS) return;
  if (CVodeGetErrWeights(memory_, problem_->scratch2) != CV_SUCCESS) return;
  measure_error();
}

}  // namespace kane

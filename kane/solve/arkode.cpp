#include <arkode/arkode_arkstep.h>
#include <arkode/arkode_ls.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/stiff.hpp"
#include "kane/solve/sundials_problem.hpp"

namespace kane {

namespace {

void check_arkode(int flag, const char* what) { ensure(flag >= 0, "ARKODE refused {} (flag {})", what, flag); }

/// Stiffly accurate, L-stable methods, whose error estimates are not disturbed by stiff components.
ARKODE_DIRKTableID method_of_order(int order) {
  switch (order) {
    case 2: return ARKODE_TRBDF2_3_3_2;
    case 3: return ARKODE_ESDIRK325L2SA_5_2_3;
    case 4: return ARKODE_ESDIRK437L2SA_7_3_4;
    default: return ARKODE_ESDIRK547L2SA2_7_4_5;
  }
}

}  // namespace

ArkodeIntegrator::ArkodeIntegrator(std::size_t size, Rhs rhs, StiffOptions options)
    : StiffIntegrator(size, std::move(rhs), std::move(options)) {
  if (options_.order == 0) options_.order = 5;
  require(options_.order >= 2 && options_.order <= 5,
          "diagonally implicit Runge-Kutta methods have order 2 to 5, not {}", options_.order);
  N_VConst(0.0, problem_->y);
  create();
}

void ArkodeIntegrator::create() {
  memory_ = ARKStepCreate(nullptr, &Problem::rhs, t_, problem_->y, problem_->context);
  ensure(memory_ != nullptr, "ARKODE could not be created");
  check_arkode(ARKStepSetErrHandlerFn(memory_, &Problem::message, problem_.get()), "the message handler");
  check_arkode(ARKStepSetUserData(memory_, problem_.get()), "the user data");
  check_arkode(ARKStepWFtolerances(memory_, &Problem::weights), "the tolerances");
  check_arkode(ARKStepSetTableNum(memory_, method_of_order(options_.order), ARKODE_ERK_NONE), "the method");
  // The cubic through both ends with the slopes there: the largest degree that needs no more evaluations.
  check_arkode(ARKStepSetInterpolantDegree(memory_, 3), "the degree of interpolation");
  check_arkode(ARKStepSetLinearSolver(memory_, problem_->solver, problem_->matrix), "the linear solver");
  if (options_.jacobian) check_arkode(ARKStepSetJacFn(memory_, &Problem::jacobian), "the Jacobian");
  // The matrix of Newton's method is formed anew whenever the step changes: with an outdated one the estimate of the rate
  // of convergence, which is carried from step to step, lets iterations end too early.
  check_arkode(ARKStepSetDeltaGammaMax(memory_, 1e-6), "dgmax");
  check_arkode(ARKStepSetMaxHnilWarns(memory_, -1), "silence");
  const AdaptiveOptions& adaptive = options_.adaptive;
  if (std::isfinite(adaptive.max_step)) check_arkode(ARKStepSetMaxStep(memory_, adaptive.max_step), "max_step");
  if (adaptive.min_step > 0) check_arkode(ARKStepSetMinStep(memory_, adaptive.min_step), "min_step");
  enable_projection(static_cast<bool>(projection_));
}

ArkodeIntegrator::~ArkodeIntegrator() { ARKStepFree(&memory_); }

void ArkodeIntegrator::restart() {
  check_arkode(ARKStepReInit(memory_, nullptr, &Problem::rhs, t_, problem_->y), "a new start");
  failures_ = 0;
  last_step_ = 0;
}

/// ARKODE remembers the sign of its step size even when it is initialised again.
void ArkodeIntegrator::turn_around() {
  ARKStepFree(&memory_);
  create();
}

void ArkodeIntegrator::set_first_step(double h) { check_arkode(ARKStepSetInitStep(memory_, h), "the first step"); }

/// One-step: after a change of state the last step size is still a good guess.
double ArkodeIntegrator::guess_step() const { return std::abs(last_step_); }

void ArkodeIntegrator::set_stop_time(double t) { check_arkode(ARKStepSetStopTime(memory_, t), "the limit"); }

int ArkodeIntegrator::advance(double towards, double& reached) {
  return ARKStepEvolve(memory_, towards, problem_->out, &reached, ARK_ONE_STEP);
}

int ArkodeIntegrator::read_dense(double t) { return ARKStepGetDky(memory_, t, 0, problem_->out); }

void ArkodeIntegrator::enable_projection(bool enable) {
  check_arkode(ARKStepSetPostprocessStepFn(memory_, enable ? &Problem::postprocess : nullptr), "the projection");
}

void ArkodeIntegrator::read_counters() {
  long error_failures = 0, attempts = 0, steps = 0;
  ARKStepGetNumErrTestFails(memory_, &error_failures);
  ARKStepGetNumStepAttempts(memory_, &attempts);
  ARKStepGetNumSteps(memory_, &steps);
  ARKStepGetLastStep(memory_, &last_step_);
  report_.order = options_.order;
  report_.rejected = static_cast<int>(attempts - steps - failures_);
  failures_ = attempts - steps;
  if (ARKStepGetEstLocalErrors(memory_, problem_->scratch) != ARK_SUCCESS) return;
  if (ARKStepGetErrWeights(memory_, problem_->scratch2) != ARK_SUCCESS) return;
  measure_error();
}

}  // namespace kane

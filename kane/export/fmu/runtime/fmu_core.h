// Shared by both versions of the interface: one instance of the model, its values and its evaluation. Everything is
// static, so that FMUs linked into one program do not clash; model.h (generated) has the sizes, names and start values.
//
//   x  states: coordinates, then speeds         in  inputs          p  parameters that may be set
//   y  results of one evaluation: rates of x, outputs, parameters that follow from others, guards of events, resets

#ifndef FMU_CORE_H
#define FMU_CORE_H

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

enum {
  kFirstOutput = kStates,
  kFirstCalculated = kFirstOutput + kOutputs,
  kFirstGuard = kFirstCalculated + kCalculated,
  kFirstReset = kFirstGuard + kGuards,
  kResults = kFirstReset + kResets,
  // Results of the closure: phi, its derivatives by q (rows), A u + b, A (rows).
  kFirstPhiQ = kPhi,
  kFirstMotion = kFirstPhiQ + kPhi * kCoordinates,
  kFirstA = kFirstMotion + kMotion,
  kClosureResults = kFirstA + kMotion * kSpeeds,
  // Seeds of the tangent, and its results: rates, outputs, calculated parameters, phi, A u + b.
  kSeedInputs = kStates,
  kSeedTime = kSeedInputs + kInputs,
  kSeedParameters = kSeedTime + 1,
  kSeeds = kSeedParameters + kParameters,
  kTangentPhi = kFirstGuard,
  kTangentMotion = kTangentPhi + kPhi,
  kTangentResults = kTangentMotion + kMotion,
  kLargest = kPhi > kMotion ? kPhi : kMotion
};

// The numbers that both standards give these names.
typedef enum { kOk = 0, kWarning = 1, kDiscard = 2, kError = 3, kFatal = 4 } FmuStatus;

typedef enum {
  kInstantiated = 1,
  kInitialization = 2,
  kEventMode = 4,
  kContinuousTime = 8,
  kStepMode = 16,
  kStepFailed = 32,
  kTerminated = 64,
  kIntermediate = 128
} FmuMode;

// All that decides how the model goes on: what get, set and serialize of a state copy.
typedef struct {
  int mode;
  int initial_due;       // dependent states have to be found from the others
  int projection_due;    // the states have left the constraints, or a parameter was changed
  int stop_defined, tolerance_defined, set_up;
  double start_time, stop_time, tolerance;
  double time, step_end;          // now; where the last step ended
  double step;                    // proposed by the error control, 0: none yet
  double x[kStates + 1], p[kParameters + 1], in[kInputs + 1];
  double slope[kInputs + 1], slope_time;  // inputs change with these rates from then on
  int above[kGuards + 1];         // which side of zero a guard was on when last looked at
  int stopped;                    // an event ends the run
} FmuData;

typedef struct Fmu {
  FmuData d;
  int cosimulation, event_mode_used, early_return_allowed;
  int logging;
  void (*log)(struct Fmu *f, FmuStatus status, const char *category, const char *message);
  void *environment;
  void (*callback)(void);  // the logger, as the version declares it
  void (*observe)(void);   // called after internal steps
  char *name;
  // caches
  int new_parameters, new_inputs, new_results;
  double evaluated_time;
  MotionWorkspace motion;
  ClosureWorkspace closure;
  TangentWorkspace tangent;
  double y[kResults + 1], closing[kClosureResults + 1];
  double seeds[kStates + kSeeds + 1], tangents[kTangentResults + 1];
  double k[7][kStates + 1], x0[kStates + 1], z[kStates + 1], stage[kResults + 1];
  double matrix[kLargest * kLargest + 1], side[kLargest + 1];
} Fmu;

static const char kLogError[] = "logStatusError", kLogWarning[] = "logStatusWarning", kLogDiscard[] = "logStatusDiscard",
                  kLogEvents[] = "logEvents";

// Errors are told in any case.
static FmuStatus fmu_say(Fmu *f, FmuStatus status, const char *category, const char *format, ...) {
  char text[512];
  va_list arguments;
  if (!f->log || (!f->logging && status < kError)) return status;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  f->log(f, status, category, text);
  return status;
}

static int fmu_allowed(Fmu *f, int modes, const char *function) {
  static const char *const names[] = {"instantiated", "initialization mode", "event mode",  "continuous-time mode",
                                      "step mode",    "step failed",         "terminated", "intermediate update"};
  int i = 0;
  if (!f) return 0;
  if (f->d.mode & modes) return 1;
  while (i < 7 && !(f->d.mode >> i & 1)) ++i;
  fmu_say(f, kError, kLogError, "%s must not be called in this state (%s)", function, names[i]);
  return 0;
}

// ---- values -------------------------------------------------------------------------------------------------------------

static void fmu_touch(Fmu *f) { f->new_parameters = f->new_inputs = f->new_results = 1; }

static void fmu_reset_values(Fmu *f) {
  int i;
  memset(&f->d, 0, sizeof f->d);
  f->d.mode = kInstantiated;
  f->d.time = f->d.start_time = f->d.step_end = kStartTime;
  memcpy(f->d.x, kStartStates, kStates * sizeof(double));
  memcpy(f->d.p, kStartParameters, kParameters * sizeof(double));
  memcpy(f->d.in, kStartInputs, kInputs * sizeof(double));
  for (i = 0; i < kGuards; ++i) f->d.above[i] = 1;
  f->d.initial_due = 1;
  fmu_touch(f);
}

// Results at a time and a state: y in the order of the motion program.
static void fmu_calc(Fmu *f, double t, const double *x, double *y) {
  if (f->new_parameters) {
    MotionParameters p;
    memset(&p, 0, sizeof p);
    memcpy(&p, f->d.p, kParameters * sizeof(double));
    motion_set_parameters(&f->motion, &p);
    f->new_parameters = 0, f->new_inputs = 1;
  }
  if (f->new_inputs || t != f->evaluated_time) {
    double in[kInputs + 1];
    MotionInputs values;
    int i;
    for (i = 0; i < kInputs; ++i) in[i] = f->d.in[i] + f->d.slope[i] * (t - f->d.slope_time);
    in[kInputs] = t;
    memcpy(&values, in, sizeof in);
    motion_set_inputs(&f->motion, &values);
    f->new_inputs = 0, f->evaluated_time = t;
  }
  motion_evaluate(&f->motion, x, y);
}

static void fmu_refresh(Fmu *f) {
  if (!f->new_results) return;
  fmu_calc(f, f->d.time, f->d.x, f->y);
  f->new_results = 0;
}

static int all_finite(const double *x, int n) {
  int i;
  for (i = 0; i < n; ++i)
    if (!isfinite(x[i])) return 0;
  return 1;
}

#endif

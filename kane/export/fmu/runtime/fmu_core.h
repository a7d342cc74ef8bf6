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
  kFirstChange = kFirstReset + kResets,  // functions of contacts and frictions (fmu_contact.h)
  kChanges = kContacts + kFrictions,
  kResults = kFirstChange + kChanges,
  kIndicators = kGuards + kChanges,
  // Results of the closure: phi, its derivatives by q (rows), A u + b, A (rows).
  kFirstPhiQ = kPhi,
  kFirstMotion = kFirstPhiQ + kPhi * kCoordinates,
  kFirstA = kFirstMotion + kMotion,
  kClosureResults = kFirstA + kMotion * kSpeeds,
  // Terms of models with contacts, friction or modes: M (rows), rhs, gamma, then restitution and force of each contact, kinetic and
  // static coefficient of each friction. The accelerations and the multipliers of all rows are then states of the program too.
  kRows = SWITCHED ? kMotion : 0,
  kFirstRhs = SWITCHED ? kSpeeds * kSpeeds : 0,
  kFirstGamma = kFirstRhs + (SWITCHED ? kSpeeds : 0),
  kFirstOfContacts = kFirstGamma + kRows,
  kFirstOfFrictions = kFirstOfContacts + 2 * kContacts,
  kTerms = kFirstOfFrictions + 2 * kFrictions,
  kSolved = SWITCHED ? kSpeeds + kRows : 0,
  kAllStates = kStates + kSolved,
  // Seeds of the tangent, and its results: rates, outputs, calculated parameters, phi, A u + b; of switched models also
  // M udot - rhs - A^T lambda, A udot - gamma, and the values of contacts and frictions.
  kSeedInputs = kStates,
  kSeedTime = kSeedInputs + kInputs,
  kSeedParameters = kSeedTime + 1,
  kSeedSolved = kSeedParameters + kParameters,
  kSeeds = kSeedSolved + kSolved,
  kTangentPhi = kFirstGuard,
  kTangentMotion = kTangentPhi + kPhi,
  kTangentBalance = kTangentMotion + kMotion,
  kTangentGamma = kTangentBalance + (SWITCHED ? kSpeeds : 0),
  kTangentValues = kTangentGamma + kRows,
  kTangentResults = kTangentValues + 2 * kContacts + 2 * kFrictions,
  kLargest = kPhi > kMotion ? kPhi : kMotion
};

// The numbers that both standards give these names.
typedef enum { kOk = 0, kWarning = 1, kDiscard = 2, kError = 3, kFatal = 4 } FmuStatus;

// A guard that begins at zero has not crossed it when it leaves: it is on the side it leaves to.
enum { kUndecided = 2 };

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
  int above[kGuards + 1];         // which side of zero a guard is on: 1 above, 0 below, kUndecided
  int stopped;                    // an event ends the run
  int held[kMotion + 1];          // constraints that are enforced: kHeldMotion, kHeldPhi
#if SWITCHED
  int state_of[kChanges + 1];     // of contacts, then of frictions
  double direction[kFrictions + 1][2];  // in which a friction slides
  double lift[kChanges + 1];      // keeps a function that begins at zero above it
  double fastest[kChanges + 1];   // approach of a contact, sliding speed of a friction
  int system_mode;                // of the model; -1: none
  int settle_due;                 // contacts and frictions have to be looked at
#endif
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
  int phi_count, motion_count;  // enforced rows, and their places
  int phi_place[kPhi + 1], motion_place[kMotion + 1];
  // caches
  int new_parameters, new_inputs, new_results;
  double evaluated_time;
  MotionWorkspace motion;
  ClosureWorkspace closure;
  TangentWorkspace tangent;
  double y[kResults + 1], all_rows[kClosureResults + 1], closing[kClosureResults + 1];
  double seeds[kAllStates + kSeeds + 1], tangents[kTangentResults + 1];
  double k[7][kStates + 1], x0[kStates + 1], z[kStates + 1], stage[kResults + 1];
  double matrix[kLargest * kLargest + 1], side[kLargest + 1];
#if SWITCHED
  ForcesWorkspace forces;
  double terms[kTerms + 1], solved[kAllStates + 1];  // states, accelerations, multipliers
  double mass[kSpeeds * kSpeeds + 1], force[kSpeeds + 1], work[kSpeeds + 1], udot[kSpeeds + 1];
  int pivot[kSpeeds + 1];
  int unknown[kRows + 1], enforced;  // rows whose multipliers are solved for
  unsigned char idle[kRows + 1];  // of these: repeats others
  double push[(kRows + 1) * (kSpeeds + 1)], response[(kRows + 1) * (kSpeeds + 1)], schur[kRows * kRows + 1];
  double multiplier[kRows + 1], target[kRows + 1];
  // Complementarity of what touches (fmu_contact.h).
  double w[kRows * kRows + 1], v0[kRows + 1], v[kRows + 1], p[kRows + 1], reduced[kRows * kRows + 1], right[kRows + 1];
  double ended[kFrictions + 1];  // speed of a friction at the end of its sliding, NAN for the others
  double start_u[kSpeeds + 1], answer[(kRows + 1) * (kSpeeds + 1)];
#endif
} Fmu;

enum { kHeldMotion = 1, kHeldPhi = 2 };

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

// Which rows are enforced now: the constraints held, closed contacts, frictions that stick, lengths of quaternions.
static int row_enforced(const Fmu *f, int row) {
#if SWITCHED
  int i;
  for (i = 0; i < kContacts; ++i)
    if (kContactTable[i].row == row) return !kContactTable[i].compliant && f->d.state_of[i] ? kHeldMotion | kHeldPhi : 0;
  for (i = 0; i < kFrictions; ++i)
    if (kFrictionTable[i].rows[0] == row || kFrictionTable[i].rows[1] == row)
      return f->d.state_of[kContacts + i] == 1 ? kHeldMotion : 0;
#endif
  return f->d.held[row];
}

// Contacts and frictions do not determine states while the model is initialized.
static int held(const Fmu *f, int row) {
  return f->d.mode & (kInstantiated | kInitialization) ? f->d.held[row] : row_enforced(f, row);
}

// Rows that states are taken back to.
static void fmu_list_rows(Fmu *f) {
  int i;
  f->phi_count = f->motion_count = 0;
  for (i = 0; i < kPhi; ++i)
    if (kPhiRows[i] < 0 || held(f, kPhiRows[i]) & kHeldPhi) f->phi_place[f->phi_count++] = i;
  for (i = 0; i < kMotion; ++i)
    if (held(f, i) & kHeldMotion) f->motion_place[f->motion_count++] = i;
}

static void fmu_reset_values(Fmu *f) {
  int i;
  memset(&f->d, 0, sizeof f->d);
  f->d.mode = kInstantiated;
  f->d.time = f->d.start_time = f->d.step_end = kStartTime;
  memcpy(f->d.x, kStartStates, kStates * sizeof(double));
  memcpy(f->d.p, kStartParameters, kParameters * sizeof(double));
  memcpy(f->d.in, kStartInputs, kInputs * sizeof(double));
  for (i = 0; i < kGuards; ++i) f->d.above[i] = 1;
  for (i = 0; i < kMotion; ++i) f->d.held[i] = kHeldRows[i];
#if SWITCHED
  f->d.system_mode = kStartMode;
  f->d.settle_due = 1;
#endif
  fmu_list_rows(f);
  f->d.initial_due = 1;
  fmu_touch(f);
}

#if SWITCHED
static void calc_forces(Fmu *f, const double *x);             // fmu_contact.h
static void calc_changes(Fmu *f, const double *x, double *y);
#endif

// Results at a time and a state: y in the order of the motion program.
static void fmu_calc(Fmu *f, double t, const double *x, double *y) {
  if (f->new_parameters) {
    MotionParameters p;
    memset(&p, 0, sizeof p);
    memcpy(&p, f->d.p, kParameters * sizeof(double));
    motion_set_parameters(&f->motion, &p);
#if SWITCHED
    {
      ForcesParameters q;
      ClosureParameters r;
      memset(&q, 0, sizeof q), memset(&r, 0, sizeof r);
      memcpy(&q, f->d.p, kParameters * sizeof(double)), memcpy(&r, f->d.p, kParameters * sizeof(double));
      forces_set_parameters(&f->forces, &q);
      closure_set_parameters(&f->closure, &r);
    }
#endif
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
#if SWITCHED
    {
      ForcesInputs q;
      ClosureInputs r;
      memcpy(&q, in, sizeof in), memcpy(&r, in, sizeof in);
      forces_set_inputs(&f->forces, &q);
      closure_set_inputs(&f->closure, &r);
    }
#endif
    f->new_inputs = 0, f->evaluated_time = t;
  }
#if SWITCHED
  calc_forces(f, x);
  motion_evaluate(&f->motion, f->solved, y);
  calc_changes(f, x, y);
#else
  motion_evaluate(&f->motion, x, y);
#endif
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

// Co-simulation: the explicit method of Dormand and Prince of order 5(4) with error control, events located to rounding, and the
// states taken back onto the constraints after every step.
//
// Dormand, Prince: A family of embedded Runge-Kutta formulae, J. Comp. Appl. Math. 6 (1980), table 2.

#ifndef FMU_STEP_H
#define FMU_STEP_H

#include "fmu_values.h"

enum { kStages = 7, kMaxSteps = 5000000, kMaxEvents = 100000, kMaxBisections = 100 };

static const double kNode[kStages] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double kWeight[kStages][kStages - 1] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};
// Difference of the two solutions.
static const double kErrorWeight[kStages] = {71.0 / 57600,      0.0,           -71.0 / 16695, 71.0 / 1920,
                                             -17253.0 / 339200, 22.0 / 525.0, -1.0 / 40};

// From x0 (rates k[0]) over h: the new states in z, the last results in stage. Returns the error relative to what is allowed.
static double try_step(Fmu *f, double t, double h, double tolerance) {
  int s, i, j;
  double worst = 0.0;
  for (s = 1; s < kStages; ++s) {
    for (i = 0; i < kStates; ++i) {
      double sum = 0.0;
      for (j = 0; j < s; ++j) sum += kWeight[s][j] * f->k[j][i];
      f->z[i] = f->x0[i] + h * sum;
    }
    fmu_calc(f, t + kNode[s] * h, f->z, f->stage);
    memcpy(f->k[s], f->stage, kStates * sizeof(double));
  }
  for (i = 0; i < kStates; ++i) {
    double error = 0.0, size = fmax(fabs(f->x0[i]), fabs(f->z[i]));
    for (s = 0; s < kStages; ++s) error += kErrorWeight[s] * f->k[s][i];
    error = fabs(h * error) / (tolerance * (1.0 + size));
    if (!(error <= worst)) worst = isfinite(error) ? error : INFINITY;
  }
  return worst;
}

// ---- events -------------------------------------------------------------------------------------------------------------

static int has_crossed(const Fmu *f, const double *y) {
  int i;
  for (i = 0; i < kGuards; ++i)
    if (!(fmu_indicator(f, y, i) > 0.0)) return 1;
#if SWITCHED
  return has_changed(y);
#else
  return 0;
#endif
}

static int side_of(const Fmu *f, int guard) {
  const double value = f->y[kFirstGuard + guard];
  return fabs(value) <= kShift ? kUndecided : value > 0.0;
}

// On which side the guards begin.
static void begin_guards(Fmu *f) {
  int i;
  if (kGuards == 0) return;
  fmu_refresh(f);
  for (i = 0; i < kGuards; ++i) f->d.above[i] = side_of(f, i);
}

// After a step: guards that began at zero have left it.
static void decide_guards(Fmu *f) {
  int i, any = 0;
  for (i = 0; i < kGuards; ++i) any = any || f->d.above[i] == kUndecided;
  if (!any) return;
  fmu_refresh(f);
  for (i = 0; i < kGuards; ++i)
    if (f->d.above[i] == kUndecided && fabs(f->y[kFirstGuard + i]) > 10.0 * kShift) f->d.above[i] = side_of(f, i);
}

#if SWITCHED
// Imposes and releases what the event says. Returns 1 if something is imposed.
static int switch_rows(Fmu *f, const FmuEvent *event) {
  int i, imposed = 0, before[kMotion + 1];
  memcpy(before, f->d.held, sizeof before);
  if (event->to >= 0) {
    f->d.system_mode = event->to;
    for (i = 0; i < kMotion; ++i) f->d.held[i] = kModeRows[event->to * kMotion + i];
  }
  for (i = event->first_imposed; i < event->last_imposed; ++i) f->d.held[kImposedRows[i]] = kHeldMotion | kHeldPhi;
  for (i = event->first_released; i < event->last_released; ++i) f->d.held[kReleasedRows[i]] = 0;
  for (i = 0; i < kMotion; ++i) imposed = imposed || (f->d.held[i] && !before[i]);
  fmu_list_rows(f);
  return imposed;
}

// The side of a guard after a jump. One that is at zero stays on its side, unless its event has not been possible before.
static int guard_above(const Fmu *f, int i, int mode_before) {
  const int begins = kEvents[i].from >= 0 && kEvents[i].from != mode_before;
  if (fabs(f->y[kFirstGuard + i]) > 10.0 * kShift) return side_of(f, i);
  return begins ? kUndecided : f->d.above[i];
}
#endif

// Handles the guards that have crossed zero, and contacts and frictions that change. Returns 0 if nothing has happened, 1 if
// states changed, 2 if events left them as they were, -1 if the motion cannot go on.
static int handle_events(Fmu *f) {
  int i, r, happened = 0, changed = 0, settle = 0, impose = 0;
  if (kIndicators == 0 && !SWITCHED) return 0;
  fmu_refresh(f);
#if SWITCHED
  settle = f->d.settle_due || has_changed(f->y);
  const int mode_before = f->d.system_mode;
#endif
  memcpy(f->x0, f->d.x, sizeof f->x0);
  for (i = 0; i < kGuards; ++i) {
    const int above = !f->d.above[i];
    if (fmu_indicator(f, f->y, i) > 0.0 || f->d.above[i] == kUndecided) continue;
    f->d.above[i] = above, happened = 1;
    if (kEvents[i].direction != 0 && (kEvents[i].direction > 0) != above) continue;
#if SWITCHED
    if (kEvents[i].from >= 0 && kEvents[i].from != mode_before) continue;
    impose = switch_rows(f, &kEvents[i]) || impose;
    settle = 1;
#endif
    fmu_say(f, kOk, kLogEvents, "event '%s' at t = %.9g", kEvents[i].name, f->d.time);
    for (r = kEvents[i].first_reset; r < kEvents[i].last_reset; ++r)
      f->x0[kResetStates[r]] = f->y[kFirstReset + r], changed = 1;
    if (kEvents[i].stop) f->d.stopped = 1;
  }
  if (changed) {
    memcpy(f->d.x, f->x0, sizeof f->x0);
    f->new_results = 1;
    fmu_project(f);
  }
#if SWITCHED
  if (settle) {
    memcpy(f->z, f->d.x, sizeof f->z);
    if (!fmu_settle(f, impose || changed)) {
      fmu_say(f, kError, kLogError, "at t = %.9g no forces and no impulses satisfy all constraints, contacts and frictions",
              f->d.time);
      return -1;
    }
    // Guards that a jump takes across zero have not crossed it.
    for (i = 0; i < kGuards; ++i) f->d.above[i] = guard_above(f, i, mode_before);
    happened = 1;
    changed = changed || memcmp(f->z, f->d.x, kStates * sizeof(double)) != 0;
  }
#else
  (void)settle, (void)impose;
#endif
  return happened ? (changed ? 1 : 2) : 0;
}

// ---- one communication step -----------------------------------------------------------------------------------------------

// Called at the end of every internal step; non-zero ends the communication step there.
typedef int (*StepObserver)(Fmu *f, double end, double *early);

static double wanted_tolerance(const Fmu *f) {
  const double tolerance = f->d.tolerance_defined ? f->d.tolerance : kDefaultTolerance;
  return tolerance > 1e-13 ? tolerance : 1e-13;
}

// Constraint drift at which model exchange requests a correction; co-simulation corrects it after every step.
static double wanted_drift(const Fmu *f) { return f->d.tolerance_defined ? fmax(f->d.tolerance, 1e-10) : 1e-6; }

// Inputs change with these rates from now on.
static void set_slopes(Fmu *f, const unsigned *references, size_t n, const double *values) {
  size_t k;
  int i;
  for (i = 0; i < kInputs; ++i) f->d.in[i] = input_now(f, i);
  f->d.slope_time = f->d.time;
  for (k = 0; k < n; ++k) f->d.slope[kVariables[references[k]].index] = values[k];
  f->new_inputs = f->new_results = 1;
}

static FmuStatus check_step(Fmu *f, const char *function, double now, double step) {
  const double slack = 1e-9 * (1.0 + fabs(f->d.time));
  if (!isfinite(now) || !isfinite(step) || !(step > 0.0))
    return fmu_say(f, kError, kLogError, "%s: the step must be positive", function);
  if (fabs(now - f->d.time) > slack)
    return fmu_say(f, kError, kLogError, "%s: the step begins at %.9g, but the last one ended at %.9g", function, now,
                   f->d.time);
  if (f->d.stop_defined && now + step > f->d.stop_time + slack + 1e-9 * step)
    return fmu_say(f, kError, kLogError, "%s: the step ends at %.9g, past the stop time %.9g", function, now + step,
                   f->d.stop_time);
  f->d.time = now;
  f->new_results = 1;
  return kOk;
}

// h such that a guard that has crossed at the end of the step is just beyond zero; the states there in z.
static double locate_event(Fmu *f, double t, double h, double tolerance) {
  double before = 0.0, after = h;
  int i;
  for (i = 0; i < kMaxBisections && after - before > 4e-16 * (fabs(t) + h); ++i) {
    const double middle = 0.5 * (before + after);
    (void)try_step(f, t, middle, tolerance);
    if (has_crossed(f, f->stage))
      after = middle;
    else
      before = middle;
  }
  (void)try_step(f, t, after, tolerance);
  return after;
}

static void accept_step(Fmu *f, double t) {
  memcpy(f->d.x, f->z, kStates * sizeof(double));
  f->d.time = t;
  f->new_results = 1;
  fmu_project(f);
  decide_guards(f);
#if SWITCHED
  fmu_refresh(f);
  note_step(f);
#endif
}

static double first_step(Fmu *f, double span, double tolerance) {
  double rate = 0.0;
  int i;
  for (i = 0; i < kStates; ++i) rate = fmax(rate, fabs(f->k[0][i]) / (1.0 + fabs(f->x0[i])));
  return rate > 0.0 ? fmin(span, 0.5 * pow(tolerance, 0.2) / rate) : span;
}

// From the present time to `end`. On success or an early end the time says how far it came.
static FmuStatus fmu_advance(Fmu *f, double end, StepObserver observer) {
  const double tolerance = wanted_tolerance(f);
  long steps = 0, events = 0;
  double before = 1.0;  // error of the step before
  if (f->d.projection_due) fmu_project(f), f->d.projection_due = 0;
  if (handle_events(f) < 0) return kError;
  while (f->d.time < end && !f->d.stopped) {
    const double t = f->d.time, least = 1e-14 * (fabs(t) + (end - t));
    double h, error, early = end;
    int last = 0, event = 0;
    if (++steps > kMaxSteps)
      return fmu_say(f, kDiscard, kLogDiscard, "more than %d internal steps at t = %.9g: the model is stiff, or the step too long",
                     (int)kMaxSteps, t);
    fmu_refresh(f);
    memcpy(f->x0, f->d.x, sizeof f->x0);
    memcpy(f->k[0], f->y, kStates * sizeof(double));
    if (!all_finite(f->y, kStates))
      return fmu_say(f, kDiscard, kLogDiscard, "the rates of the states are not finite at t = %.9g", t);
    h = f->d.step > 0.0 ? f->d.step : first_step(f, end - t, tolerance);
    for (;;) {
      last = h >= (end - t) * (1.0 - 1e-9);
      error = try_step(f, t, last ? end - t : h, tolerance);
      if (error <= 1.0) break;
      if (last) h = end - t;
      h *= isfinite(error) ? fmax(0.2, 0.9 * pow(error, -0.2)) : 0.2;
      if (h < least)
        return fmu_say(f, kDiscard, kLogDiscard, "the internal step became too short at t = %.9g", t);
      if (++steps > kMaxSteps) break;
    }
    if (error > 1.0) continue;
    {
      const double taken = last ? end - t : h;
      const double factor = error > 0.0 ? 0.9 * pow(error, -0.17) * pow(before, 0.04) : 5.0;
      const double next = taken * fmin(5.0, fmax(0.2, factor));
      // A step cut short by the end says nothing of the next one, unless it was too long.
      if (!last || next > f->d.step || f->d.step <= 0.0) f->d.step = next;
      before = fmax(error, 1e-4);
      if (kIndicators > 0 && has_crossed(f, f->stage)) {
        accept_step(f, t + locate_event(f, t, taken, tolerance));
        event = 1;
      } else {
        accept_step(f, last ? end : t + taken);
      }
    }
    if (event) {
      if (handle_events(f) < 0) return kError;
      if (++events > kMaxEvents)
        return fmu_say(f, kDiscard, kLogDiscard, "more than %d events at t = %.9g", (int)kMaxEvents, f->d.time);
    }
    if (observer && observer(f, end, &early)) return kOk;
  }
  return kOk;
}

#endif

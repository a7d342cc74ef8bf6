// Reading and setting variables, and derivatives of one by another.

#ifndef FMU_VALUES_H
#define FMU_VALUES_H

#include "fmu_contact.h"

// In what states which variables may be set.
static int is_settable(const Fmu *f, const FmuVariable *v) {
  switch (v->kind) {
    case kInput: return (f->d.mode & (kInstantiated | kInitialization | kEventMode | kContinuousTime | kStepMode)) != 0;
    case kParameter: return (f->d.mode & (kInstantiated | kInitialization | kEventMode | kStepMode)) != 0;
    case kState:
      if (f->d.mode == kInstantiated) return 1;
      if (f->d.mode == kInitialization) return !kDependent[v->index];
      return !f->cosimulation && f->d.mode == kContinuousTime;
    default: return 0;
  }
}

static FmuStatus fmu_set(Fmu *f, const char *function, const unsigned *references, size_t n, const double *values) {
  size_t i;
  if (n > 0 && (!references || !values))
    return fmu_say(f, kError, kLogError, "%s: a pointer is missing", function);
  for (i = 0; i < n; ++i) {
    const FmuVariable *v = references[i] < kVariableCount ? &kVariables[references[i]] : NULL;
    if (!v) return fmu_say(f, kError, kLogError, "%s: there is no variable with value reference %u", function, references[i]);
    if (!is_settable(f, v))
      return fmu_say(f, kError, kLogError, "%s: '%s' cannot be set in this state", function, v->name);
    if (!isfinite(values[i]))
      return fmu_say(f, kError, kLogError, "%s: the value of '%s' is not a finite number", function, v->name);
  }
  for (i = 0; i < n; ++i) {
    const FmuVariable *v = &kVariables[references[i]];
    switch (v->kind) {
      case kInput:
        f->d.in[v->index] = values[i], f->d.slope[v->index] = 0.0;
        f->new_inputs = 1;
        break;
      case kParameter:
        f->d.p[v->index] = values[i], f->new_parameters = 1;
        if (!(f->d.mode & (kInstantiated | kInitialization))) f->d.projection_due = 1;
        break;
      default: f->d.x[v->index] = values[i]; break;
    }
    if (f->d.mode & (kInstantiated | kInitialization)) f->d.initial_due = 1;
#if SWITCHED
    f->d.settle_due = f->d.settle_due || (v->kind == kParameter || v->kind == kInput);
#endif
  }
  if (n > 0) f->new_results = 1;
  return kOk;
}

static double input_now(const Fmu *f, int i) {
  return f->d.in[i] + f->d.slope[i] * (f->d.time - f->d.slope_time);
}

// Event indicator: the guard with its sign such that it falls through zero, shifted so that it does not hang there when event mode
// is left.
static const double kShift = 1e-10;
static double fmu_indicator(const Fmu *f, const double *y, int i) {
  const double guard = y[i < kGuards ? kFirstGuard + i : kFirstChange + i - kGuards];
  const int side = i < kGuards ? f->d.above[i] : 1;
  if (i >= kGuards) return guard;
  return (side == kUndecided ? fabs(guard) : side ? guard : -guard) + kShift;
}

static FmuStatus fmu_get(Fmu *f, const char *function, const unsigned *references, size_t n, double *values) {
  size_t i;
  FmuStatus status = kOk;
  if (n > 0 && (!references || !values))
    return fmu_say(f, kError, kLogError, "%s: a pointer is missing", function);
  if (f->d.mode == kInitialization && (status = fmu_close(f)) != kOk) return status;
  for (i = 0; i < n; ++i) {
    const FmuVariable *v = references[i] < kVariableCount ? &kVariables[references[i]] : NULL;
    if (!v) return fmu_say(f, kError, kLogError, "%s: there is no variable with value reference %u", function, references[i]);
    switch (v->kind) {
      case kIndependent: values[i] = f->d.time; continue;
      case kState: values[i] = f->d.x[v->index]; continue;
      case kInput: values[i] = input_now(f, v->index); continue;
      case kParameter: values[i] = f->d.p[v->index]; continue;
      default: break;
    }
    fmu_refresh(f);
    switch (v->kind) {
      case kRate: values[i] = f->y[v->index]; break;
      case kOutput: values[i] = f->y[kFirstOutput + v->index]; break;
      case kCalculatedParameter: values[i] = f->y[kFirstCalculated + v->index]; break;
      default: values[i] = fmu_indicator(f, f->y, v->index); break;
    }
    if (!isfinite(values[i])) fmu_say(f, kOk, kLogWarning, "'%s' is not a finite number", v->name);
  }
  return kOk;
}

// ---- derivatives --------------------------------------------------------------------------------------------------------

static void calc_tangent(Fmu *f) {
  memcpy(f->seeds, f->d.x, kStates * sizeof(double));
#if SWITCHED
  memcpy(f->seeds + kStates, f->solved + kStates, kSolved * sizeof(double));
#endif
  tangent_evaluate(&f->tangent, f->seeds, f->tangents);
}

static void prepare_tangent(Fmu *f) {
  double in[kInputs + 1];
  TangentParameters p;
  TangentInputs values;
  int i;
  memset(&p, 0, sizeof p);
  memcpy(&p, f->d.p, kParameters * sizeof(double));
  for (i = 0; i < kInputs; ++i) in[i] = input_now(f, i);
  in[kInputs] = f->d.time;
  memcpy(&values, in, sizeof in);
  tangent_set_parameters(&f->tangent, &p);
  tangent_set_inputs(&f->tangent, &values);
#if SWITCHED
  f->new_results = 1;  // what the last internal step left is not of this state
#endif
  fmu_refresh(f);
}

// While the model is initialized the dependent states follow the others:
//   phi_dep dq_dep = -d phi along the rest,  A_dep du_dep = -d(A u + b) along the rest and dq_dep.
static FmuStatus complete_seeds(Fmu *f) {
  double *const seed = f->seeds + kAllStates;
  int i;
  if (f->phi_count + f->motion_count == 0) return kOk;
  calc_closure(f);
  if (f->phi_count > 0) {
    calc_tangent(f);
    for (i = 0; i < f->phi_count; ++i) f->side[i] = -f->tangents[kTangentPhi + f->phi_place[i]];
    if (!solve_dependent(f, f->closing + kFirstPhiQ, f->phi_count, kCoordinates, 0)) return kDiscard;
    add_dependent(seed, f->side, 1.0, kCoordinates, 0);
  }
  if (f->motion_count > 0) {
    calc_tangent(f);
    for (i = 0; i < f->motion_count; ++i) f->side[i] = -f->tangents[kTangentMotion + f->motion_place[i]];
    if (!solve_dependent(f, f->closing + kFirstA, f->motion_count, kSpeeds, kCoordinates)) return kDiscard;
    add_dependent(seed, f->side, 1.0, kSpeeds, kCoordinates);
  }
  return kOk;
}

static FmuStatus add_seed(Fmu *f, const char *function, unsigned reference, double value) {
  double *const seed = f->seeds + kAllStates;
  const FmuVariable *v = reference < kVariableCount ? &kVariables[reference] : NULL;
  if (!v) return fmu_say(f, kError, kLogError, "%s: there is no variable with value reference %u", function, reference);
  switch (v->kind) {
    case kIndependent: seed[kSeedTime] += value; return kOk;
    case kInput: seed[kSeedInputs + v->index] += value; return kOk;
    case kParameter: seed[kSeedParameters + v->index] += value; return kOk;
    case kState:
      if (f->d.mode == kInitialization && kDependent[v->index]) break;
      seed[v->index] += value;
      return kOk;
    default: break;
  }
  return fmu_say(f, kError, kLogError, "%s: '%s' is not a known variable in this state", function, v->name);
}

static FmuStatus get_tangent(Fmu *f, const char *function, unsigned reference, double *value) {
  const FmuVariable *v = reference < kVariableCount ? &kVariables[reference] : NULL;
  if (!v) return fmu_say(f, kError, kLogError, "%s: there is no variable with value reference %u", function, reference);
  switch (v->kind) {
    case kState: *value = f->seeds[kAllStates + v->index]; return kOk;
    case kRate: *value = f->tangents[v->index]; return kOk;
    case kOutput: *value = f->tangents[kFirstOutput + v->index]; return kOk;
    case kCalculatedParameter: *value = f->tangents[kFirstCalculated + v->index]; return kOk;
    default: break;
  }
  return fmu_say(f, kError, kLogError, "%s: '%s' is not an unknown variable in this state", function, v->name);
}

static FmuStatus begin_tangent(Fmu *f) {
  if (f->d.mode == kInitialization) {
    const FmuStatus status = fmu_close(f);
    if (status != kOk) return status;
  }
  prepare_tangent(f);
  return kOk;
}

static FmuStatus run_tangent(Fmu *f, const char *function) {
  if (f->d.mode == kInitialization && complete_seeds(f) != kOk)
    return fmu_say(f, kDiscard, kLogDiscard, "%s: the dependent states have no derivative here", function);
  calc_tangent(f);
#if SWITCHED
  if (!solve_tangent(f))
    return fmu_say(f, kDiscard, kLogDiscard, "%s: the accelerations have no derivative here", function);
  calc_tangent(f);
#endif
  return kOk;
}

static FmuStatus fmu_directional(Fmu *f, const char *function, const unsigned *unknowns, size_t unknown_count,
                                 const unsigned *knowns, size_t known_count, const double *seed, double *result) {
  size_t i;
  FmuStatus status = kOk;
  if ((unknown_count > 0 && (!unknowns || !result)) || (known_count > 0 && (!knowns || !seed)))
    return fmu_say(f, kError, kLogError, "%s: a pointer is missing", function);
  status = begin_tangent(f);
  memset(f->seeds + kAllStates, 0, kSeeds * sizeof(double));
  for (i = 0; i < known_count && status == kOk; ++i) status = add_seed(f, function, knowns[i], seed[i]);
  if (status == kOk) status = run_tangent(f, function);
  for (i = 0; i < unknown_count && status == kOk; ++i) status = get_tangent(f, function, unknowns[i], &result[i]);
  return status;
}

// Rates of outputs and states in time, inputs changing as they do now.
static FmuStatus fmu_output_rate(Fmu *f, const char *function, unsigned reference, double *value) {
  double *const seed = f->seeds + kAllStates;
  FmuStatus status = begin_tangent(f);
  if (status != kOk) return status;
  fmu_refresh(f);
  memset(seed, 0, kSeeds * sizeof(double));
  memcpy(seed, f->y, kStates * sizeof(double));
  memcpy(seed + kSeedInputs, f->d.slope, kInputs * sizeof(double));
  seed[kSeedTime] = 1.0;
  status = run_tangent(f, function);
  if (status != kOk) return status;
  return get_tangent(f, function, reference, value);
}

#endif

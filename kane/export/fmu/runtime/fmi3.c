// FMI 3.0: model exchange and co-simulation. There are no clocks, no arrays and no scheduled execution: those functions say so.

#include "model.h"

#include "fmi3_interface.h"
#include "fmu_states.h"
#include "fmu_step.h"

enum {
  kRunning = kInitialization | kEventMode | kContinuousTime | kStepMode | kIntermediate | kStepFailed | kTerminated,
  kAnyMode = kInstantiated | kRunning
};

#define ENTER(function, modes)    \
  Fmu *const f = (Fmu *)instance; \
  if (!fmu_allowed(f, modes, function)) return fmi3Error

static void log_3(Fmu *f, FmuStatus status, const char *category, const char *message) {
  const fmi3LogMessageCallback logger = (fmi3LogMessageCallback)f->callback;
  if (logger) logger(f->environment, (fmi3Status)status, category, message);
}

static fmi3Status wrong(Fmu *f, const char *function, const char *why) {
  return (fmi3Status)fmu_say(f, kError, kLogError, "%s: %s", function, why);
}

FMI3(const char *, fmi3GetVersion)(void) { return "3.0"; }

FMI3(fmi3Status, fmi3SetDebugLogging)(fmi3Instance instance, fmi3Boolean on, size_t n, const fmi3String categories[]) {
  static const char *const known[] = {"logStatusError", "logStatusWarning", "logStatusDiscard", "logEvents"};
  size_t i, k;
  ENTER("fmi3SetDebugLogging", kAnyMode);
  if (n > 0 && !categories) return wrong(f, "fmi3SetDebugLogging", "a pointer is missing");
  for (i = 0; i < n; ++i) {
    for (k = 0; k < sizeof known / sizeof *known && (!categories[i] || strcmp(known[k], categories[i]) != 0); ++k) {
    }
    if (k == sizeof known / sizeof *known) return wrong(f, "fmi3SetDebugLogging", "there is no such category");
  }
  f->logging = on;
  return fmi3OK;
}

// ---- life ---------------------------------------------------------------------------------------------------------------

static Fmu *make_instance(fmi3String name, fmi3String token, fmi3Boolean logging, fmi3InstanceEnvironment environment,
                          fmi3LogMessageCallback logger, int has_interface) {
  Fmu *const f = (Fmu *)calloc(1, sizeof(Fmu));
  if (!f) return NULL;
  f->callback = (void (*)(void))logger;
  f->environment = environment;
  f->log = log_3;
  f->logging = logging;
  f->name = (char *)malloc(name ? strlen(name) + 1 : 1);
  if (f->name) strcpy(f->name, name ? name : "");
  if (!f->name || !name || !*name)
    wrong(f, "fmi3Instantiate", "the instance has no name");
  else if (!token || strcmp(token, MODEL_TOKEN) != 0)
    wrong(f, "fmi3Instantiate", "the instantiation token is not that of this model");
  else if (!has_interface)
    wrong(f, "fmi3Instantiate", "this FMU does not have the interface asked for");
  else {
    fmu_reset_values(f);
    return f;
  }
  free(f->name);
  free(f);
  return NULL;
}

FMI3(fmi3Instance, fmi3InstantiateModelExchange)(fmi3String name, fmi3String token, fmi3String resources,
                                                 fmi3Boolean visible, fmi3Boolean logging,
                                                 fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger) {
  (void)resources, (void)visible;
  return make_instance(name, token, logging, environment, logger, MODEL_EXCHANGE);
}

FMI3(fmi3Instance, fmi3InstantiateCoSimulation)(fmi3String name, fmi3String token, fmi3String resources,
                                                fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode_used,
                                                fmi3Boolean early_return_allowed,
                                                const fmi3ValueReference intermediate[], size_t intermediate_count,
                                                fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
                                                fmi3IntermediateUpdateCallback update) {
  Fmu *const f = make_instance(name, token, logging, environment, logger, CO_SIMULATION);
  (void)resources, (void)visible, (void)intermediate, (void)intermediate_count;
  if (!f) return NULL;
  f->cosimulation = 1;
  f->event_mode_used = event_mode_used;
  f->early_return_allowed = early_return_allowed;
  f->observe = (void (*)(void))update;
  return f;
}

FMI3(fmi3Instance, fmi3InstantiateScheduledExecution)(fmi3String name, fmi3String token, fmi3String resources,
                                                      fmi3Boolean visible, fmi3Boolean logging,
                                                      fmi3InstanceEnvironment environment, fmi3LogMessageCallback logger,
                                                      fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                                      fmi3UnlockPreemptionCallback unlock) {
  (void)resources, (void)visible, (void)clock, (void)lock, (void)unlock;
  return make_instance(name, token, logging, environment, logger, 0);
}

FMI3(void, fmi3FreeInstance)(fmi3Instance instance) {
  Fmu *const f = (Fmu *)instance;
  if (!f) return;
  free(f->name);
  free(f);
}

FMI3(fmi3Status, fmi3EnterInitializationMode)(fmi3Instance instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                              fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
  ENTER("fmi3EnterInitializationMode", kInstantiated);
  if (!isfinite(start) || (stop_defined && !(stop >= start)) || (tolerance_defined && !(tolerance > 0.0)))
    return wrong(f, "fmi3EnterInitializationMode", "times or tolerance make no sense");
  f->d.tolerance_defined = tolerance_defined, f->d.tolerance = tolerance_defined ? tolerance : 0.0;
  f->d.stop_defined = stop_defined, f->d.stop_time = stop_defined ? stop : 0.0;
  f->d.start_time = f->d.time = f->d.step_end = start;
  f->d.initial_due = f->new_results = 1;
  f->d.mode = kInitialization;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3ExitInitializationMode)(fmi3Instance instance) {
  FmuStatus status;
  ENTER("fmi3ExitInitializationMode", kInitialization);
  status = fmu_close(f);
  if (status != kOk) return (fmi3Status)status;
  f->d.mode = f->cosimulation && !f->event_mode_used ? kStepMode : kEventMode;
  begin_guards(f);
  return f->d.mode == kEventMode || handle_events(f) >= 0 ? fmi3OK : fmi3Error;
}

FMI3(fmi3Status, fmi3EnterEventMode)(fmi3Instance instance) {
  ENTER("fmi3EnterEventMode", kContinuousTime | kStepMode);
  if (f->cosimulation && !f->event_mode_used) return wrong(f, "fmi3EnterEventMode", "event mode is not used");
  f->d.mode = kEventMode;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3Terminate)(fmi3Instance instance) {
  ENTER("fmi3Terminate", kEventMode | kContinuousTime | kStepMode | kStepFailed);
  f->d.mode = kTerminated;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3Reset)(fmi3Instance instance) {
  ENTER("fmi3Reset", kAnyMode & ~kIntermediate);
  fmu_reset_values(f);
  return fmi3OK;
}

FMI3(fmi3Status, fmi3EnterConfigurationMode)(fmi3Instance instance) {
  ENTER("fmi3EnterConfigurationMode", kAnyMode);
  return wrong(f, "fmi3EnterConfigurationMode", "the model has no structural parameters");
}
FMI3(fmi3Status, fmi3ExitConfigurationMode)(fmi3Instance instance) {
  ENTER("fmi3ExitConfigurationMode", kAnyMode);
  return wrong(f, "fmi3ExitConfigurationMode", "the model has no structural parameters");
}

// ---- values -------------------------------------------------------------------------------------------------------------

FMI3(fmi3Status, fmi3GetFloat64)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, fmi3Float64 values[],
                                 size_t count) {
  ENTER("fmi3GetFloat64", kAnyMode);
  if (n != count) return wrong(f, "fmi3GetFloat64", "all variables are scalars, so there is one value for each");
  return (fmi3Status)fmu_get(f, "fmi3GetFloat64", vr, n, values);
}

FMI3(fmi3Status, fmi3SetFloat64)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                 const fmi3Float64 values[], size_t count) {
  ENTER("fmi3SetFloat64", kAnyMode & ~kTerminated);
  if (n != count) return wrong(f, "fmi3SetFloat64", "all variables are scalars, so there is one value for each");
  return (fmi3Status)fmu_set(f, "fmi3SetFloat64", vr, n, values);
}

// All variables are Float64.
#define NO_VARIABLES(type)                                                                                             \
  FMI3(fmi3Status, fmi3Get##type)                                                                                      \
  (fmi3Instance instance, const fmi3ValueReference vr[], size_t n, fmi3##type values[], size_t count) {                \
    ENTER("fmi3Get" #type, kAnyMode);                                                                                  \
    (void)vr, (void)values;                                                                                            \
    return n + count == 0 ? fmi3OK : wrong(f, "fmi3Get" #type, "the model has no variable of this type");              \
  }                                                                                                                    \
  FMI3(fmi3Status, fmi3Set##type)                                                                                      \
  (fmi3Instance instance, const fmi3ValueReference vr[], size_t n, const fmi3##type values[], size_t count) {          \
    ENTER("fmi3Set" #type, kAnyMode);                                                                                  \
    (void)vr, (void)values;                                                                                            \
    return n + count == 0 ? fmi3OK : wrong(f, "fmi3Set" #type, "the model has no variable of this type");              \
  }
NO_VARIABLES(Float32)
NO_VARIABLES(Int8)
NO_VARIABLES(UInt8)
NO_VARIABLES(Int16)
NO_VARIABLES(UInt16)
NO_VARIABLES(Int32)
NO_VARIABLES(UInt32)
NO_VARIABLES(Int64)
NO_VARIABLES(UInt64)
NO_VARIABLES(Boolean)
NO_VARIABLES(String)

FMI3(fmi3Status, fmi3GetBinary)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                                fmi3Binary values[], size_t count) {
  ENTER("fmi3GetBinary", kAnyMode);
  (void)vr, (void)sizes, (void)values;
  return n + count == 0 ? fmi3OK : wrong(f, "fmi3GetBinary", "the model has no variable of this type");
}
FMI3(fmi3Status, fmi3SetBinary)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, const size_t sizes[],
                                const fmi3Binary values[], size_t count) {
  ENTER("fmi3SetBinary", kAnyMode);
  (void)vr, (void)sizes, (void)values;
  return n + count == 0 ? fmi3OK : wrong(f, "fmi3SetBinary", "the model has no variable of this type");
}

// Clocks: functions of references and whatever follows.
#define NO_CLOCKS(name, ...)                                                                      \
  FMI3(fmi3Status, name)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n, __VA_ARGS__) { \
    ENTER(#name, kAnyMode);                                                                       \
    (void)vr;                                                                                     \
    return n == 0 ? fmi3OK : wrong(f, #name, "the model has no clocks");                          \
  }
NO_CLOCKS(fmi3GetClock, fmi3Clock values[])
NO_CLOCKS(fmi3SetClock, const fmi3Clock values[])
NO_CLOCKS(fmi3GetIntervalDecimal, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[])
NO_CLOCKS(fmi3GetIntervalFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[], fmi3IntervalQualifier qualifiers[])
NO_CLOCKS(fmi3GetShiftDecimal, fmi3Float64 shifts[])
NO_CLOCKS(fmi3GetShiftFraction, fmi3UInt64 counters[], fmi3UInt64 resolutions[])
NO_CLOCKS(fmi3SetIntervalDecimal, const fmi3Float64 intervals[])
NO_CLOCKS(fmi3SetIntervalFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])
NO_CLOCKS(fmi3SetShiftDecimal, const fmi3Float64 shifts[])
NO_CLOCKS(fmi3SetShiftFraction, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[])

FMI3(fmi3Status, fmi3GetNumberOfVariableDependencies)(fmi3Instance instance, fmi3ValueReference vr, size_t *count) {
  ENTER("fmi3GetNumberOfVariableDependencies", kAnyMode);
  (void)vr, (void)count;
  return wrong(f, "fmi3GetNumberOfVariableDependencies", "the dependencies are those of the model description");
}
FMI3(fmi3Status, fmi3GetVariableDependencies)(fmi3Instance instance, fmi3ValueReference dependent, size_t elements[],
                                              fmi3ValueReference independents[], size_t independent_elements[],
                                              fmi3DependencyKind kinds[], size_t count) {
  ENTER("fmi3GetVariableDependencies", kAnyMode);
  (void)dependent, (void)elements, (void)independents, (void)independent_elements, (void)kinds, (void)count;
  return wrong(f, "fmi3GetVariableDependencies", "the dependencies are those of the model description");
}

// result^T = seed^T J, a column of J at a time.
static FmuStatus fmu_adjoint(Fmu *f, const char *function, const unsigned *unknowns, size_t unknown_count,
                             const unsigned *knowns, size_t known_count, const double *seed, double *result) {
  size_t i, j;
  FmuStatus status = kOk;
  if ((unknown_count > 0 && (!unknowns || !seed)) || (known_count > 0 && (!knowns || !result)))
    return fmu_say(f, kError, kLogError, "%s: a pointer is missing", function);
  status = begin_tangent(f);
  for (j = 0; j < known_count && status == kOk; ++j) {
    memset(f->seeds + kAllStates, 0, kSeeds * sizeof(double));
    status = add_seed(f, function, knowns[j], 1.0);
    if (status == kOk) status = run_tangent(f, function);
    result[j] = 0.0;
    for (i = 0; i < unknown_count && status == kOk; ++i) {
      double entry = 0.0;
      status = get_tangent(f, function, unknowns[i], &entry);
      result[j] += seed[i] * entry;
    }
  }
  return status;
}

static fmi3Status check_seeds(Fmu *f, const char *function, size_t seeds, size_t wanted_seeds, size_t results,
                              size_t wanted_results) {
  return seeds == wanted_seeds && results == wanted_results
             ? fmi3OK
             : wrong(f, function, "the number of seeds or results does not fit the variables");
}

FMI3(fmi3Status, fmi3GetDirectionalDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                               size_t unknown_count, const fmi3ValueReference knowns[], size_t known_count,
                                               const fmi3Float64 seed[], size_t seed_count, fmi3Float64 result[],
                                               size_t result_count) {
  ENTER("fmi3GetDirectionalDerivative", kRunning);
  if (check_seeds(f, "fmi3GetDirectionalDerivative", seed_count, known_count, result_count, unknown_count) != fmi3OK)
    return fmi3Error;
  return (fmi3Status)fmu_directional(f, "fmi3GetDirectionalDerivative", unknowns, unknown_count, knowns, known_count, seed,
                                     result);
}

FMI3(fmi3Status, fmi3GetAdjointDerivative)(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                           size_t unknown_count, const fmi3ValueReference knowns[], size_t known_count,
                                           const fmi3Float64 seed[], size_t seed_count, fmi3Float64 result[],
                                           size_t result_count) {
  ENTER("fmi3GetAdjointDerivative", kRunning);
  if (check_seeds(f, "fmi3GetAdjointDerivative", seed_count, unknown_count, result_count, known_count) != fmi3OK)
    return fmi3Error;
  return (fmi3Status)fmu_adjoint(f, "fmi3GetAdjointDerivative", unknowns, unknown_count, knowns, known_count, seed, result);
}

// ---- copies of the state ------------------------------------------------------------------------------------------------

FMI3(fmi3Status, fmi3GetFMUState)(fmi3Instance instance, fmi3FMUState *state) {
  ENTER("fmi3GetFMUState", kAnyMode & ~kIntermediate);
  return (fmi3Status)fmu_save(f, state);
}
FMI3(fmi3Status, fmi3SetFMUState)(fmi3Instance instance, fmi3FMUState state) {
  ENTER("fmi3SetFMUState", kAnyMode & ~kIntermediate);
  return (fmi3Status)fmu_restore(f, state);
}
FMI3(fmi3Status, fmi3FreeFMUState)(fmi3Instance instance, fmi3FMUState *state) {
  ENTER("fmi3FreeFMUState", kAnyMode);
  return (fmi3Status)fmu_forget(state);
}
FMI3(fmi3Status, fmi3SerializedFMUStateSize)(fmi3Instance instance, fmi3FMUState state, size_t *size) {
  ENTER("fmi3SerializedFMUStateSize", kAnyMode);
  if (!state || !size) return wrong(f, "fmi3SerializedFMUStateSize", "a pointer is missing");
  *size = kStateBytes;
  return fmi3OK;
}
FMI3(fmi3Status, fmi3SerializeFMUState)(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size) {
  ENTER("fmi3SerializeFMUState", kAnyMode);
  return (fmi3Status)fmu_write_state(f, state, bytes, size);
}
FMI3(fmi3Status, fmi3DeserializeFMUState)(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                          fmi3FMUState *state) {
  ENTER("fmi3DeserializeFMUState", kAnyMode);
  return (fmi3Status)fmu_read_state(f, bytes, size, state);
}

// ---- events -------------------------------------------------------------------------------------------------------------

FMI3(fmi3Status, fmi3EvaluateDiscreteStates)(fmi3Instance instance) {
  ENTER("fmi3EvaluateDiscreteStates", kInitialization | kEventMode);
  return fmi3OK;
}

FMI3(fmi3Status, fmi3UpdateDiscreteStates)(fmi3Instance instance, fmi3Boolean *update_needed, fmi3Boolean *terminate,
                                           fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                           fmi3Boolean *next_event_defined, fmi3Float64 *next_event) {
  ENTER("fmi3UpdateDiscreteStates", kEventMode);
  if (!update_needed || !terminate || !nominals_changed || !values_changed || !next_event_defined || !next_event)
    return wrong(f, "fmi3UpdateDiscreteStates", "a pointer is missing");
  *update_needed = *nominals_changed = *values_changed = *next_event_defined = fmi3False;
  *next_event = 0.0;
  if (f->d.projection_due) {
    fmu_project(f);
    f->d.projection_due = 0;
    *values_changed = kPhi + kMotion > 0;
  }
  switch (handle_events(f)) {
    case -1: return fmi3Error;
    case 1: *values_changed = fmi3True; break;
    default: break;
  }
  *terminate = f->d.stopped != 0;
  return fmi3OK;
}

// ---- model exchange -----------------------------------------------------------------------------------------------------

FMI3(fmi3Status, fmi3EnterContinuousTimeMode)(fmi3Instance instance) {
  ENTER("fmi3EnterContinuousTimeMode", kEventMode);
  if (f->cosimulation) return wrong(f, "fmi3EnterContinuousTimeMode", "this is not model exchange");
  f->d.mode = kContinuousTime;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3CompletedIntegratorStep)(fmi3Instance instance, fmi3Boolean no_set, fmi3Boolean *event,
                                              fmi3Boolean *terminate) {
  ENTER("fmi3CompletedIntegratorStep", kContinuousTime);
  (void)no_set;
  if (!event || !terminate) return wrong(f, "fmi3CompletedIntegratorStep", "a pointer is missing");
  f->d.projection_due = fmu_drift(f) > wanted_drift(f);
  decide_guards(f);
#if SWITCHED
  fmu_refresh(f);
  note_step(f);
  f->new_results = 1;
#endif
  *event = f->d.projection_due != 0;
  *terminate = fmi3False;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3SetTime)(fmi3Instance instance, fmi3Float64 time) {
  ENTER("fmi3SetTime", kContinuousTime);
  if (!isfinite(time)) return wrong(f, "fmi3SetTime", "the time is not a finite number");
  if (f->d.stop_defined && time > f->d.stop_time + 1e-9 * (1.0 + fabs(f->d.stop_time)))
    return wrong(f, "fmi3SetTime", "the time is past the stop time");
  f->d.time = time;
  f->new_results = 1;
  return fmi3OK;
}

static fmi3Status check_count(Fmu *f, const char *function, size_t n, size_t wanted, const void *place) {
  if (n != wanted) return wrong(f, function, "the number of values is not that of the model");
  return n > 0 && !place ? wrong(f, function, "a pointer is missing") : fmi3OK;
}

FMI3(fmi3Status, fmi3SetContinuousStates)(fmi3Instance instance, const fmi3Float64 x[], size_t n) {
  ENTER("fmi3SetContinuousStates", kContinuousTime);
  if (check_count(f, "fmi3SetContinuousStates", n, kStates, x) != fmi3OK) return fmi3Error;
  if (!all_finite(x, kStates))
    return (fmi3Status)fmu_say(f, kDiscard, kLogDiscard, "fmi3SetContinuousStates: a state is not a finite number");
  memcpy(f->d.x, x, kStates * sizeof(double));
  f->new_results = 1;
  return fmi3OK;
}

// Functions of model exchange only: an instance for co-simulation has its solver inside.
#define ENTER_EXCHANGE(function, modes) \
  ENTER(function, modes);               \
  if (f->cosimulation) return wrong(f, function, "this is not model exchange")

enum { kOfModelExchange = kInitialization | kEventMode | kContinuousTime | kTerminated };

FMI3(fmi3Status, fmi3GetContinuousStateDerivatives)(fmi3Instance instance, fmi3Float64 rates[], size_t n) {
  FmuStatus status;
  ENTER_EXCHANGE("fmi3GetContinuousStateDerivatives", kOfModelExchange);
  if (check_count(f, "fmi3GetContinuousStateDerivatives", n, kStates, rates) != fmi3OK) return fmi3Error;
  if (f->d.mode == kInitialization && (status = fmu_close(f)) != kOk) return (fmi3Status)status;
  fmu_refresh(f);
  if (!all_finite(f->y, kStates))
    return (fmi3Status)fmu_say(f, kDiscard, kLogDiscard, "the rates of the states are not finite at t = %.9g", f->d.time);
  memcpy(rates, f->y, kStates * sizeof(double));
  return fmi3OK;
}

FMI3(fmi3Status, fmi3GetEventIndicators)(fmi3Instance instance, fmi3Float64 z[], size_t n) {
  int i;
  ENTER_EXCHANGE("fmi3GetEventIndicators", kOfModelExchange);
  if (check_count(f, "fmi3GetEventIndicators", n, kIndicators, z) != fmi3OK) return fmi3Error;
  fmu_refresh(f);
  for (i = 0; i < kIndicators; ++i) z[i] = fmu_indicator(f, f->y, i);
  return fmi3OK;
}

FMI3(fmi3Status, fmi3GetContinuousStates)(fmi3Instance instance, fmi3Float64 x[], size_t n) {
  FmuStatus status;
  ENTER_EXCHANGE("fmi3GetContinuousStates", kOfModelExchange);
  if (check_count(f, "fmi3GetContinuousStates", n, kStates, x) != fmi3OK) return fmi3Error;
  if (f->d.mode == kInitialization && (status = fmu_close(f)) != kOk) return (fmi3Status)status;
  memcpy(x, f->d.x, kStates * sizeof(double));
  return fmi3OK;
}

FMI3(fmi3Status, fmi3GetNominalsOfContinuousStates)(fmi3Instance instance, fmi3Float64 x[], size_t n) {
  size_t i;
  ENTER_EXCHANGE("fmi3GetNominalsOfContinuousStates", kInstantiated | kOfModelExchange);
  if (check_count(f, "fmi3GetNominalsOfContinuousStates", n, kStates, x) != fmi3OK) return fmi3Error;
  for (i = 0; i < n; ++i) x[i] = 1.0;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3GetNumberOfEventIndicators)(fmi3Instance instance, size_t *n) {
  ENTER_EXCHANGE("fmi3GetNumberOfEventIndicators", kAnyMode);
  if (!n) return wrong(f, "fmi3GetNumberOfEventIndicators", "a pointer is missing");
  *n = kIndicators;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3GetNumberOfContinuousStates)(fmi3Instance instance, size_t *n) {
  ENTER_EXCHANGE("fmi3GetNumberOfContinuousStates", kAnyMode);
  if (!n) return wrong(f, "fmi3GetNumberOfContinuousStates", "a pointer is missing");
  *n = kStates;
  return fmi3OK;
}

// ---- co-simulation ------------------------------------------------------------------------------------------------------

FMI3(fmi3Status, fmi3EnterStepMode)(fmi3Instance instance) {
  ENTER("fmi3EnterStepMode", kEventMode);
  if (!f->cosimulation) return wrong(f, "fmi3EnterStepMode", "this is not co-simulation");
  f->d.mode = kStepMode;
  return fmi3OK;
}

FMI3(fmi3Status, fmi3GetOutputDerivatives)(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                           const fmi3Int32 orders[], fmi3Float64 values[], size_t count) {
  size_t i;
  FmuStatus status = kOk;
  ENTER("fmi3GetOutputDerivatives", kStepMode | kStepFailed | kIntermediate | kTerminated);
  if (!f->cosimulation) return wrong(f, "fmi3GetOutputDerivatives", "this is not co-simulation");
  if (n != count) return wrong(f, "fmi3GetOutputDerivatives", "all variables are scalars, so there is one value for each");
  if (n > 0 && (!vr || !orders || !values)) return wrong(f, "fmi3GetOutputDerivatives", "a pointer is missing");
  for (i = 0; i < n && status == kOk; ++i) {
    if (orders[i] != 1) return wrong(f, "fmi3GetOutputDerivatives", "only the first derivative is known");
    status = fmu_output_rate(f, "fmi3GetOutputDerivatives", vr[i], &values[i]);
  }
  return (fmi3Status)status;
}

// The importer looks at the state after every internal step, and may end the communication step there.
static int observe_step(Fmu *f, double end, double *early) {
  const fmi3IntermediateUpdateCallback update = (fmi3IntermediateUpdateCallback)f->observe;
  fmi3Boolean requested = fmi3False;
  (void)end;
  f->d.mode = kIntermediate;
  update(f->environment, f->d.time, fmi3False, fmi3True, fmi3True, f->early_return_allowed != 0, &requested, early);
  f->d.mode = kStepMode;
  return requested && f->early_return_allowed;
}

FMI3(fmi3Status, fmi3DoStep)(fmi3Instance instance, fmi3Float64 now, fmi3Float64 step, fmi3Boolean no_set,
                             fmi3Boolean *event_needed, fmi3Boolean *terminate, fmi3Boolean *early,
                             fmi3Float64 *last_time) {
  FmuStatus status;
  ENTER("fmi3DoStep", kStepMode);
  (void)no_set;
  if (!f->cosimulation) return wrong(f, "fmi3DoStep", "this is not co-simulation");
  if (!event_needed || !terminate || !early || !last_time) return wrong(f, "fmi3DoStep", "a pointer is missing");
  *event_needed = *terminate = *early = fmi3False;
  *last_time = f->d.time;
  status = check_step(f, "fmi3DoStep", now, step);
  if (status != kOk) return (fmi3Status)status;
  status = fmu_advance(f, now + step, f->observe ? observe_step : NULL);
  f->d.step_end = *last_time = f->d.time;
  *terminate = f->d.stopped != 0;
  if (status != kOk)
    f->d.mode = kStepFailed;
  else
    *early = f->d.time < now + step && f->early_return_allowed;
  return (fmi3Status)status;
}

FMI3(fmi3Status, fmi3ActivateModelPartition)(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time) {
  ENTER("fmi3ActivateModelPartition", kAnyMode);
  (void)clock, (void)time;
  return wrong(f, "fmi3ActivateModelPartition", "this FMU is not for scheduled execution");
}

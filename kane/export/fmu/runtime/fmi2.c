// FMI 2.0: model exchange and co-simulation.

#include "model.h"

#include "fmi2_interface.h"
#include "fmu_states.h"
#include "fmu_step.h"

enum {
  kRunning = kInitialization | kEventMode | kContinuousTime | kStepMode | kStepFailed | kTerminated,
  kAnyMode = kInstantiated | kRunning
};

#define ENTER(function, modes) \
  Fmu *const f = (Fmu *)c;     \
  if (!fmu_allowed(f, modes, function)) return fmi2Error

static void log_2(Fmu *f, FmuStatus status, const char *category, const char *message) {
  const fmi2CallbackLogger logger = (fmi2CallbackLogger)f->callback;
  if (logger) logger(f->environment, f->name, (fmi2Status)status, category, "%s", message);
}

static fmi2Status wrong(Fmu *f, const char *function, const char *why) {
  return (fmi2Status)fmu_say(f, kError, kLogError, "%s: %s", function, why);
}

FMI2(const char *, fmi2GetTypesPlatform)(void) { return "default"; }
FMI2(const char *, fmi2GetVersion)(void) { return "2.0"; }

FMI2(fmi2Status, fmi2SetDebugLogging)(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]) {
  static const char *const known[] = {"logAll", "logStatusError", "logStatusWarning", "logStatusDiscard", "logEvents"};
  size_t i, k;
  ENTER("fmi2SetDebugLogging", kAnyMode);
  if (n > 0 && !categories) return wrong(f, "fmi2SetDebugLogging", "a pointer is missing");
  for (i = 0; i < n; ++i) {
    for (k = 0; k < sizeof known / sizeof *known && (!categories[i] || strcmp(known[k], categories[i]) != 0); ++k) {
    }
    if (k == sizeof known / sizeof *known) return wrong(f, "fmi2SetDebugLogging", "there is no such category");
  }
  f->logging = on != fmi2False;
  return fmi2OK;
}

// ---- life ---------------------------------------------------------------------------------------------------------------

FMI2(fmi2Component, fmi2Instantiate)(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                                     const fmi2CallbackFunctions *functions, fmi2Boolean visible, fmi2Boolean logging) {
  Fmu *f;
  (void)resources, (void)visible;
  if (!functions) return NULL;
  f = (Fmu *)calloc(1, sizeof(Fmu));
  if (!f) return NULL;
  f->callback = (void (*)(void))functions->logger;
  f->environment = functions->componentEnvironment;
  f->log = log_2;
  f->logging = logging != fmi2False;
  f->cosimulation = type == fmi2CoSimulation;
  f->name = (char *)malloc(name ? strlen(name) + 1 : 1);
  if (f->name) strcpy(f->name, name ? name : "");
  if (!f->name || !name || !*name)
    wrong(f, "fmi2Instantiate", "the instance has no name");
  else if (!guid || strcmp(guid, MODEL_TOKEN) != 0)
    wrong(f, "fmi2Instantiate", "the GUID is not that of this model");
  else if (type == fmi2ModelExchange ? !MODEL_EXCHANGE : type != fmi2CoSimulation || !CO_SIMULATION)
    wrong(f, "fmi2Instantiate", "this FMU does not have the interface asked for");
  else {
    fmu_reset_values(f);
    return f;
  }
  free(f->name);
  free(f);
  return NULL;
}

FMI2(void, fmi2FreeInstance)(fmi2Component c) {
  Fmu *const f = (Fmu *)c;
  if (!f) return;
  free(f->name);
  free(f);
}

FMI2(fmi2Status, fmi2SetupExperiment)(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                                      fmi2Boolean stop_defined, fmi2Real stop) {
  ENTER("fmi2SetupExperiment", kInstantiated);
  if (!isfinite(start) || (stop_defined && !(stop >= start)) || (tolerance_defined && !(tolerance > 0.0)))
    return wrong(f, "fmi2SetupExperiment", "times or tolerance make no sense");
  f->d.tolerance_defined = tolerance_defined, f->d.tolerance = tolerance_defined ? tolerance : 0.0;
  f->d.stop_defined = stop_defined, f->d.stop_time = stop_defined ? stop : 0.0;
  f->d.start_time = f->d.time = f->d.step_end = start;
  f->d.set_up = 1;
  f->d.initial_due = f->new_results = 1;
  return fmi2OK;
}

FMI2(fmi2Status, fmi2EnterInitializationMode)(fmi2Component c) {
  ENTER("fmi2EnterInitializationMode", kInstantiated);
  if (!f->d.set_up) return wrong(f, "fmi2EnterInitializationMode", "call fmi2SetupExperiment before");
  f->d.mode = kInitialization;
  return fmi2OK;
}

FMI2(fmi2Status, fmi2ExitInitializationMode)(fmi2Component c) {
  FmuStatus status;
  ENTER("fmi2ExitInitializationMode", kInitialization);
  status = fmu_close(f);
  if (status != kOk) return (fmi2Status)status;
  f->d.mode = f->cosimulation ? kStepMode : kEventMode;
  begin_guards(f);
  return !f->cosimulation || handle_events(f) >= 0 ? fmi2OK : fmi2Error;
}

FMI2(fmi2Status, fmi2Terminate)(fmi2Component c) {
  ENTER("fmi2Terminate", kEventMode | kContinuousTime | kStepMode | kStepFailed);
  f->d.mode = kTerminated;
  return fmi2OK;
}

FMI2(fmi2Status, fmi2Reset)(fmi2Component c) {
  ENTER("fmi2Reset", kAnyMode);
  fmu_reset_values(f);
  return fmi2OK;
}

// ---- values -------------------------------------------------------------------------------------------------------------

FMI2(fmi2Status, fmi2GetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[]) {
  ENTER("fmi2GetReal", kRunning);
  return (fmi2Status)fmu_get(f, "fmi2GetReal", vr, n, value);
}

FMI2(fmi2Status, fmi2SetReal)(fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2Real value[]) {
  ENTER("fmi2SetReal", kAnyMode & ~kTerminated);
  return (fmi2Status)fmu_set(f, "fmi2SetReal", vr, n, value);
}

// All variables are real.
#define GET_NONE(type)                                                                                               \
  FMI2(fmi2Status, fmi2Get##type)(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2##type value[]) {    \
    ENTER("fmi2Get" #type, kRunning);                                                                                \
    (void)vr, (void)value;                                                                                           \
    return n == 0 ? fmi2OK : wrong(f, "fmi2Get" #type, "the model has no variable of this type");                    \
  }                                                                                                                  \
  FMI2(fmi2Status, fmi2Set##type)                                                                                    \
  (fmi2Component c, const fmi2ValueReference vr[], size_t n, const fmi2##type value[]) {                             \
    ENTER("fmi2Set" #type, kAnyMode & ~kTerminated);                                                                 \
    (void)vr, (void)value;                                                                                           \
    return n == 0 ? fmi2OK : wrong(f, "fmi2Set" #type, "the model has no variable of this type");                    \
  }
GET_NONE(Integer)
GET_NONE(Boolean)
GET_NONE(String)

FMI2(fmi2Status, fmi2GetDirectionalDerivative)(fmi2Component c, const fmi2ValueReference unknowns[], size_t unknown_count,
                                               const fmi2ValueReference knowns[], size_t known_count,
                                               const fmi2Real seed[], fmi2Real result[]) {
  ENTER("fmi2GetDirectionalDerivative", kRunning & ~kStepFailed);
  return (fmi2Status)fmu_directional(f, "fmi2GetDirectionalDerivative", unknowns, unknown_count, knowns, known_count, seed,
                                     result);
}

// ---- copies of the state ------------------------------------------------------------------------------------------------

FMI2(fmi2Status, fmi2GetFMUstate)(fmi2Component c, fmi2FMUstate *state) {
  ENTER("fmi2GetFMUstate", kAnyMode);
  return (fmi2Status)fmu_save(f, state);
}
FMI2(fmi2Status, fmi2SetFMUstate)(fmi2Component c, fmi2FMUstate state) {
  ENTER("fmi2SetFMUstate", kAnyMode);
  return (fmi2Status)fmu_restore(f, state);
}
FMI2(fmi2Status, fmi2FreeFMUstate)(fmi2Component c, fmi2FMUstate *state) {
  ENTER("fmi2FreeFMUstate", kAnyMode);
  return (fmi2Status)fmu_forget(state);
}
FMI2(fmi2Status, fmi2SerializedFMUstateSize)(fmi2Component c, fmi2FMUstate state, size_t *size) {
  ENTER("fmi2SerializedFMUstateSize", kAnyMode);
  if (!state || !size) return wrong(f, "fmi2SerializedFMUstateSize", "a pointer is missing");
  *size = kStateBytes;
  return fmi2OK;
}
FMI2(fmi2Status, fmi2SerializeFMUstate)(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size) {
  ENTER("fmi2SerializeFMUstate", kAnyMode);
  return (fmi2Status)fmu_write_state(f, state, bytes, size);
}
FMI2(fmi2Status, fmi2DeSerializeFMUstate)(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state) {
  ENTER("fmi2DeSerializeFMUstate", kAnyMode);
  return (fmi2Status)fmu_read_state(f, bytes, size, state);
}

// ---- model exchange -----------------------------------------------------------------------------------------------------

FMI2(fmi2Status, fmi2EnterEventMode)(fmi2Component c) {
  ENTER("fmi2EnterEventMode", kContinuousTime | kEventMode);
  if (f->cosimulation) return wrong(f, "fmi2EnterEventMode", "this is not model exchange");
  f->d.mode = kEventMode;
  return fmi2OK;
}

FMI2(fmi2Status, fmi2NewDiscreteStates)(fmi2Component c, fmi2EventInfo *info) {
  ENTER("fmi2NewDiscreteStates", kEventMode);
  if (!info) return wrong(f, "fmi2NewDiscreteStates", "a pointer is missing");
  memset(info, 0, sizeof *info);
  if (f->d.projection_due) {
    fmu_project(f);
    f->d.projection_due = 0;
    info->valuesOfContinuousStatesChanged = kPhi + kMotion > 0;
  }
  switch (handle_events(f)) {
    case -1: return fmi2Error;
    case 1: info->valuesOfContinuousStatesChanged = fmi2True; break;
    default: break;
  }
  info->terminateSimulation = f->d.stopped;
  return fmi2OK;
}

FMI2(fmi2Status, fmi2EnterContinuousTimeMode)(fmi2Component c) {
  ENTER("fmi2EnterContinuousTimeMode", kEventMode);
  f->d.mode = kContinuousTime;
  return fmi2OK;
}

FMI2(fmi2Status, fmi2CompletedIntegratorStep)(fmi2Component c, fmi2Boolean no_set, fmi2Boolean *event, fmi2Boolean *stop) {
  ENTER("fmi2CompletedIntegratorStep", kContinuousTime);
  (void)no_set;
  if (!event || !stop) return wrong(f, "fmi2CompletedIntegratorStep", "a pointer is missing");
  f->d.projection_due = fmu_drift(f) > wanted_drift(f);
  decide_guards(f);
#if SWITCHED
  fmu_refresh(f);
  note_step(f);
  f->new_results = 1;
#endif
  *event = f->d.projection_due;
  *stop = fmi2False;
  return fmi2OK;
}

FMI2(fmi2Status, fmi2SetTime)(fmi2Component c, fmi2Real time) {
  ENTER("fmi2SetTime", kContinuousTime | kEventMode);
  if (!isfinite(time)) return wrong(f, "fmi2SetTime", "the time is not a finite number");
  if (f->d.stop_defined && time > f->d.stop_time + 1e-9 * (1.0 + fabs(f->d.stop_time)))
    return wrong(f, "fmi2SetTime", "the time is past the stop time");
  f->d.time = time;
  f->new_results = 1;
  return fmi2OK;
}

static fmi2Status check_count(Fmu *f, const char *function, size_t n, size_t wanted, const void *place) {
  if (n != wanted) return wrong(f, function, "the number of values is not that of the model");
  return n > 0 && !place ? wrong(f, function, "a pointer is missing") : fmi2OK;
}

FMI2(fmi2Status, fmi2SetContinuousStates)(fmi2Component c, const fmi2Real x[], size_t n) {
  ENTER("fmi2SetContinuousStates", kContinuousTime);
  if (check_count(f, "fmi2SetContinuousStates", n, kStates, x) != fmi2OK) return fmi2Error;
  if (!all_finite(x, kStates))
    return (fmi2Status)fmu_say(f, kDiscard, kLogDiscard, "fmi2SetContinuousStates: a state is not a finite number");
  memcpy(f->d.x, x, kStates * sizeof(double));
  f->new_results = 1;
  return fmi2OK;
}

enum { kOfModelExchange = kInitialization | kEventMode | kContinuousTime | kTerminated };

FMI2(fmi2Status, fmi2GetDerivatives)(fmi2Component c, fmi2Real rates[], size_t n) {
  FmuStatus status;
  ENTER("fmi2GetDerivatives", kOfModelExchange);
  if (check_count(f, "fmi2GetDerivatives", n, kStates, rates) != fmi2OK) return fmi2Error;
  if (f->d.mode == kInitialization && (status = fmu_close(f)) != kOk) return (fmi2Status)status;
  fmu_refresh(f);
  if (!all_finite(f->y, kStates))
    return (fmi2Status)fmu_say(f, kDiscard, kLogDiscard, "the rates of the states are not finite at t = %.9g", f->d.time);
  memcpy(rates, f->y, kStates * sizeof(double));
  return fmi2OK;
}

FMI2(fmi2Status, fmi2GetEventIndicators)(fmi2Component c, fmi2Real z[], size_t n) {
  int i;
  ENTER("fmi2GetEventIndicators", kOfModelExchange);
  if (check_count(f, "fmi2GetEventIndicators", n, kIndicators, z) != fmi2OK) return fmi2Error;
  fmu_refresh(f);
  for (i = 0; i < kIndicators; ++i) z[i] = fmu_indicator(f, f->y, i);
  return fmi2OK;
}

FMI2(fmi2Status, fmi2GetContinuousStates)(fmi2Component c, fmi2Real x[], size_t n) {
  FmuStatus status;
  ENTER("fmi2GetContinuousStates", kOfModelExchange);
  if (check_count(f, "fmi2GetContinuousStates", n, kStates, x) != fmi2OK) return fmi2Error;
  if (f->d.mode == kInitialization && (status = fmu_close(f)) != kOk) return (fmi2Status)status;
  memcpy(x, f->d.x, kStates * sizeof(double));
  return fmi2OK;
}

FMI2(fmi2Status, fmi2GetNominalsOfContinuousStates)(fmi2Component c, fmi2Real x[], size_t n) {
  size_t i;
  ENTER("fmi2GetNominalsOfContinuousStates", kInstantiated | kOfModelExchange);
  if (check_count(f, "fmi2GetNominalsOfContinuousStates", n, kStates, x) != fmi2OK) return fmi2Error;
  for (i = 0; i < n; ++i) x[i] = 1.0;
  return fmi2OK;
}

// ---- co-simulation ------------------------------------------------------------------------------------------------------

FMI2(fmi2Status, fmi2SetRealInputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                              const fmi2Integer order[], const fmi2Real value[]) {
  size_t i;
  ENTER("fmi2SetRealInputDerivatives", kInstantiated | kInitialization | kStepMode);
  if (!f->cosimulation) return wrong(f, "fmi2SetRealInputDerivatives", "this is not co-simulation");
  if (n > 0 && (!vr || !order || !value)) return wrong(f, "fmi2SetRealInputDerivatives", "a pointer is missing");
  for (i = 0; i < n; ++i) {
    if (vr[i] >= kVariableCount || kVariables[vr[i]].kind != kInput)
      return wrong(f, "fmi2SetRealInputDerivatives", "the variable is not an input");
    if (order[i] != 1) return wrong(f, "fmi2SetRealInputDerivatives", "only the first derivative is used");
    if (!isfinite(value[i])) return wrong(f, "fmi2SetRealInputDerivatives", "a value is not a finite number");
  }
  set_slopes(f, vr, n, value);
  return fmi2OK;
}

FMI2(fmi2Status, fmi2GetRealOutputDerivatives)(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                               const fmi2Integer order[], fmi2Real value[]) {
  size_t i;
  FmuStatus status = kOk;
  ENTER("fmi2GetRealOutputDerivatives", kStepMode | kStepFailed | kTerminated);
  if (!f->cosimulation) return wrong(f, "fmi2GetRealOutputDerivatives", "this is not co-simulation");
  if (n > 0 && (!vr || !order || !value)) return wrong(f, "fmi2GetRealOutputDerivatives", "a pointer is missing");
  for (i = 0; i < n && status == kOk; ++i) {
    if (order[i] != 1) return wrong(f, "fmi2GetRealOutputDerivatives", "only the first derivative is known");
    status = fmu_output_rate(f, "fmi2GetRealOutputDerivatives", vr[i], &value[i]);
  }
  return (fmi2Status)status;
}

FMI2(fmi2Status, fmi2DoStep)(fmi2Component c, fmi2Real now, fmi2Real step, fmi2Boolean no_set) {
  FmuStatus status;
  ENTER("fmi2DoStep", kStepMode);
  (void)no_set;
  if (!f->cosimulation) return wrong(f, "fmi2DoStep", "this is not co-simulation");
  status = check_step(f, "fmi2DoStep", now, step);
  if (status != kOk) return (fmi2Status)status;
  status = fmu_advance(f, now + step, NULL);
  if (status == kOk && f->d.stopped && f->d.time < now + step) status = kDiscard;
  f->d.step_end = f->d.time;
  if (status != kOk) f->d.mode = kStepFailed;
  return (fmi2Status)status;
}

FMI2(fmi2Status, fmi2CancelStep)(fmi2Component c) {
  ENTER("fmi2CancelStep", kAnyMode);
  return wrong(f, "fmi2CancelStep", "steps are finished when fmi2DoStep returns");
}

enum { kOfStatus = kStepMode | kStepFailed | kTerminated };

FMI2(fmi2Status, fmi2GetStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Status *value) {
  ENTER("fmi2GetStatus", kOfStatus);
  (void)value, (void)kind;
  return (fmi2Status)fmu_say(f, kDiscard, kLogDiscard, "fmi2GetStatus: steps are never pending");
}

FMI2(fmi2Status, fmi2GetRealStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Real *value) {
  ENTER("fmi2GetRealStatus", kOfStatus);
  if (kind == fmi2LastSuccessfulTime && value) {
    *value = f->d.step_end;
    return fmi2OK;
  }
  return (fmi2Status)fmu_say(f, kDiscard, kLogDiscard, "fmi2GetRealStatus: there is no such status");
}

FMI2(fmi2Status, fmi2GetIntegerStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value) {
  ENTER("fmi2GetIntegerStatus", kOfStatus);
  (void)value, (void)kind;
  return (fmi2Status)fmu_say(f, kDiscard, kLogDiscard, "fmi2GetIntegerStatus: there is no such status");
}

FMI2(fmi2Status, fmi2GetBooleanStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value) {
  ENTER("fmi2GetBooleanStatus", kOfStatus);
  if (kind == fmi2Terminated && value) {
    *value = f->d.stopped;
    return fmi2OK;
  }
  return (fmi2Status)fmu_say(f, kDiscard, kLogDiscard, "fmi2GetBooleanStatus: there is no such status");
}

FMI2(fmi2Status, fmi2GetStringStatus)(fmi2Component c, const fmi2StatusKind kind, fmi2String *value) {
  ENTER("fmi2GetStringStatus", kOfStatus);
  (void)value, (void)kind;
  return (fmi2Status)fmu_say(f, kDiscard, kLogDiscard, "fmi2GetStringStatus: steps are never pending");
}

// A small importer, written from the standards alone: it shares no code with the FMUs that it runs.
//
//   fmu_driver LIBRARY VERSION(2|3) KIND(me|cs) TOKEN run START STOP STEP TOLERANCE SUBSTEPS NX NZ OUTPUTS... [VR=VALUE...]
//   fmu_driver LIBRARY VERSION KIND TOKEN check NX NZ STATES(first VR) RATES(first VR) INPUT(VR or -1) PARAMETER(VR or -1) OUTPUTS...
//
//   fmu_driver LIBRARY VERSION KIND TOKEN jacobian (init|running) NX NZ UNKNOWNS... : KNOWNS...
//
// `jacobian` prints the derivatives of the unknowns, one line for each. `run` prints t and the outputs as comma-separated values: by co-simulation, or by the classical Runge-Kutta method with
// bisection at events. `check` calls everything in right and wrong orders and says what is not as the standard wants it.

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *Component;
typedef unsigned VR;
enum { OK = 0, WARNING = 1, DISCARD = 2, ERROR = 3, kMost = 512 };

static void *library;
static int version, me, faults, messages;
static const char *token;

static void *symbol(const char *name) {
  char full[100];
  void *p;
  snprintf(full, sizeof full, "fmi%d%s", version, name);
  p = dlsym(library, full);
  if (!p) fprintf(stderr, "missing: %s\n", full), exit(3);
  return p;
}
#define CALL(name, type) ((type)symbol(name))

static void log2_(void *env, const char *name, int status, const char *category, const char *format, ...) {
  va_list a;
  (void)env, (void)name;
  ++messages;
  va_start(a, format);
  if (getenv("FMU_LOG")) fprintf(stderr, "[%d %s] ", status, category), vfprintf(stderr, format, a), fputc('\n', stderr);
  va_end(a);
}
static void log3_(void *env, int status, const char *category, const char *message) {
  (void)env;
  ++messages;
  if (getenv("FMU_LOG")) fprintf(stderr, "[%d %s] %s\n", status, category, message);
}
static long updates;
static void update3_(void *env, double t, bool set, bool get, bool finished, bool can, bool *early, double *time) {
  (void)env, (void)t, (void)set, (void)get, (void)finished, (void)can, (void)time;
  *early = false;
  ++updates;
}

typedef struct {
  void (*logger)(void *, const char *, int, const char *, const char *, ...);
  void *(*allocate)(size_t, size_t);
  void (*release)(void *);
  void (*finished)(void *, int);
  void *environment;
} Callbacks;

static Component instantiate(const char *name, const char *with_token, int exchange) {
  static const Callbacks callbacks = {log2_, calloc, free, NULL, NULL};
  if (version == 2)
    return CALL("Instantiate", Component(*)(const char *, int, const char *, const char *, const Callbacks *, int, int))(
        name, exchange ? 0 : 1, with_token, "file:///tmp/resources", &callbacks, 0, 0);
  if (exchange)
    return CALL("InstantiateModelExchange",
                Component(*)(const char *, const char *, const char *, bool, bool, void *, void *))(
        name, with_token, NULL, false, false, NULL, (void *)log3_);
  return CALL("InstantiateCoSimulation", Component(*)(const char *, const char *, const char *, bool, bool, bool, bool,
                                                      const VR *, size_t, void *, void *, void *))(
      name, with_token, NULL, false, false, false, false, NULL, 0, NULL, (void *)log3_, (void *)update3_);
}
static void release(Component c) { CALL("FreeInstance", void (*)(Component))(c); }

static int setup(Component c, double start, double stop, double tolerance) {
  if (version == 2) {
    const int s = CALL("SetupExperiment", int (*)(Component, int, double, double, int, double))(c, tolerance > 0, tolerance,
                                                                                              start, 1, stop);
    return s != OK ? s : CALL("EnterInitializationMode", int (*)(Component))(c);
  }
  return CALL("EnterInitializationMode", int (*)(Component, bool, double, double, bool, double))(c, tolerance > 0, tolerance,
                                                                                                start, true, stop);
}
static int simple(Component c, const char *name) { return CALL(name, int (*)(Component))(c); }
static int get(Component c, const VR *vr, size_t n, double *v) {
  if (version == 2) return CALL("GetReal", int (*)(Component, const VR *, size_t, double *))(c, vr, n, v);
  return CALL("GetFloat64", int (*)(Component, const VR *, size_t, double *, size_t))(c, vr, n, v, n);
}
static int set(Component c, const VR *vr, size_t n, const double *v) {
  if (version == 2) return CALL("SetReal", int (*)(Component, const VR *, size_t, const double *))(c, vr, n, v);
  return CALL("SetFloat64", int (*)(Component, const VR *, size_t, const double *, size_t))(c, vr, n, v, n);
}
// Repeats until nothing more happens. 1: states changed, 2: the run ends.
static int handle_event(Component c) {
  int result = 0, i;
  for (i = 0; i < 100; ++i) {
    int needed, stop, values;
    if (version == 2) {
      struct {
        int needed, stop, nominals, values, next_defined;
        double next;
      } info;
      if (CALL("NewDiscreteStates", int (*)(Component, void *))(c, &info) != OK) fprintf(stderr, "event\n"), exit(3);
      needed = info.needed, stop = info.stop, values = info.values;
    } else {
      bool n, s, m, v, d;
      double next;
      if (CALL("UpdateDiscreteStates", int (*)(Component, bool *, bool *, bool *, bool *, bool *, double *))(
              c, &n, &s, &m, &v, &d, &next) != OK)
        fprintf(stderr, "event\n"), exit(3);
      needed = n, stop = s, values = v;
    }
    if (values) result |= 1;
    if (stop) result |= 2;
    if (!needed) break;
  }
  return result;
}
static int set_time(Component c, double t) { return CALL("SetTime", int (*)(Component, double))(c, t); }
static int set_states(Component c, const double *x, size_t n) {
  return CALL("SetContinuousStates", int (*)(Component, const double *, size_t))(c, x, n);
}
static int get_list(Component c, const char *name, double *x, size_t n) {
  return CALL(name, int (*)(Component, double *, size_t))(c, x, n);
}
static const char *rates_name(void) { return version == 2 ? "GetDerivatives" : "GetContinuousStateDerivatives"; }
static int completed(Component c) {
  if (version == 2) {
    int event = 0, stop = 0;
    const int s = CALL("CompletedIntegratorStep", int (*)(Component, int, int *, int *))(c, 1, &event, &stop);
    return s != OK ? -1 : event;
  }
  {
    bool event = false, stop = false;
    const int s = CALL("CompletedIntegratorStep", int (*)(Component, bool, bool *, bool *))(c, true, &event, &stop);
    return s != OK ? -1 : event;
  }
}
static int do_step(Component c, double t, double h, int *stop, double *last) {
  *stop = 0, *last = t + h;
  if (version == 2) {
    const int s = CALL("DoStep", int (*)(Component, double, double, int))(c, t, h, 1);
    if (s == DISCARD) {
      CALL("GetBooleanStatus", int (*)(Component, int, int *))(c, 3, stop);
      CALL("GetRealStatus", int (*)(Component, int, double *))(c, 2, last);
    }
    return s;
  }
  {
    bool event, terminate, early;
    const int s = CALL("DoStep", int (*)(Component, double, double, bool, bool *, bool *, bool *, double *))(
        c, t, h, true, &event, &terminate, &early, last);
    *stop = terminate;
    return s;
  }
}
static int directional(Component c, const VR *u, size_t nu, const VR *k, size_t nk, const double *seed, double *r) {
  if (version == 2)
    return CALL("GetDirectionalDerivative", int (*)(Component, const VR *, size_t, const VR *, size_t, const double *,
                                                    double *))(c, u, nu, k, nk, seed, r);
  return CALL("GetDirectionalDerivative", int (*)(Component, const VR *, size_t, const VR *, size_t, const double *, size_t,
                                                  double *, size_t))(c, u, nu, k, nk, seed, nk, r, nu);
}
static const char *state_name(const char *verb, const char *tail) {
  static char text[60];
  snprintf(text, sizeof text, "%sFMU%s%s", verb, version == 2 ? "state" : "State", tail);
  return text;
}

// ---- run ----------------------------------------------------------------------------------------------------------------

static VR outputs[kMost];
static int output_count;

static void print_line(Component c, double t) {
  double v[kMost];
  int i;
  if (get(c, outputs, (size_t)output_count, v) != OK) fprintf(stderr, "get\n"), exit(3);
  printf("%.17g", t);
  for (i = 0; i < output_count; ++i) printf(",%.17g", v[i]);
  printf("\n");
}

static int nx, nz;
static void rates_at(Component c, double t, const double *x, double *r) {
  if (set_time(c, t) != OK || set_states(c, x, (size_t)nx) != OK || get_list(c, rates_name(), r, (size_t)nx) != OK)
    fprintf(stderr, "rates\n"), exit(3);
}
static void runge_kutta(Component c, double t, double h, const double *x, double *to) {
  double k[4][kMost], z[kMost];
  int i;
  rates_at(c, t, x, k[0]);
  for (i = 0; i < nx; ++i) z[i] = x[i] + 0.5 * h * k[0][i];
  rates_at(c, t + 0.5 * h, z, k[1]);
  for (i = 0; i < nx; ++i) z[i] = x[i] + 0.5 * h * k[1][i];
  rates_at(c, t + 0.5 * h, z, k[2]);
  for (i = 0; i < nx; ++i) z[i] = x[i] + h * k[2][i];
  rates_at(c, t + h, z, k[3]);
  for (i = 0; i < nx; ++i) to[i] = x[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  set_time(c, t + h);
  set_states(c, to, (size_t)nx);
}
static int crossed(Component c, const double *before) {
  double z[kMost];
  int i;
  if (nz == 0) return 0;
  get_list(c, "GetEventIndicators", z, (size_t)nz);
  for (i = 0; i < nz; ++i)
    if ((z[i] > 0) != (before[i] > 0)) return 1;
  return 0;
}

static void run_exchange(Component c, double start, double stop, double step, int substeps) {
  double x[kMost], to[kMost], z[kMost], t = start;
  long k, steps = lround((stop - start) / step);
  int ended = handle_event(c) & 2;
  simple(c, "EnterContinuousTimeMode");
  get_list(c, "GetContinuousStates", x, (size_t)nx);
  if (nz) get_list(c, "GetEventIndicators", z, (size_t)nz);
  print_line(c, t);
  for (k = 1; k <= steps && !ended; ++k) {
    const double end = start + (double)k * step, h = step / substeps;
    while (t < end - 1e-12 && !ended) {
      double taken = fmin(h, end - t);
      int event = 0;
      runge_kutta(c, t, taken, x, to);
      if (crossed(c, z)) {
        double a = 0, b = taken;
        while (b - a > 1e-15 * (1 + fabs(t))) {
          const double m = 0.5 * (a + b);
          if (m == a || m == b) break;
          runge_kutta(c, t, m, x, to);
          if (crossed(c, z)) b = m; else a = m;
        }
        taken = b, event = 1;
        runge_kutta(c, t, taken, x, to);
      }
      t += taken;
      memcpy(x, to, sizeof x);
      event |= completed(c);
      if (event) {
        simple(c, "EnterEventMode");
        ended = handle_event(c) & 2;
        simple(c, "EnterContinuousTimeMode");
        get_list(c, "GetContinuousStates", x, (size_t)nx);
        if (nz) get_list(c, "GetEventIndicators", z, (size_t)nz);
      }
    }
    if (!ended) t = end;
    print_line(c, t);
  }
}

static void run_cosimulation(Component c, double start, double stop, double step) {
  long k, steps = lround((stop - start) / step);
  print_line(c, start);
  for (k = 0; k < steps; ++k) {
    const double t = start + (double)k * step;
    int ended = 0;
    double last;
    const int s = do_step(c, t, start + (double)(k + 1) * step - t, &ended, &last);
    if (s != OK && !(s == DISCARD && ended)) fprintf(stderr, "step at %g: %d\n", t, s), exit(3);
    print_line(c, last);
    if (ended) break;
  }
}

static int run(int argc, char **argv) {
  const double start = atof(argv[0]), stop = atof(argv[1]), step = atof(argv[2]), tolerance = atof(argv[3]);
  const int substeps = atoi(argv[4]);
  Component c = instantiate("run", token, me);
  int i;
  nx = atoi(argv[5]), nz = atoi(argv[6]);
  if (!c) return 3;
  for (i = 7; i < argc; ++i) {
    char *const equals = strchr(argv[i], '=');
    const VR vr = (VR)atoi(argv[i]);
    if (!equals) {
      outputs[output_count++] = vr;
    } else {
      const double value = atof(equals + 1);
      if (set(c, &vr, 1, &value) != OK) fprintf(stderr, "set %s\n", argv[i]), exit(3);
    }
  }
  if (setup(c, start, stop, tolerance) != OK || simple(c, "ExitInitializationMode") != OK) {
    fprintf(stderr, "initialization failed\n");
    release(c);
    return 4;
  }
  if (me)
    run_exchange(c, start, stop, step, substeps);
  else
    run_cosimulation(c, start, stop, step);
  simple(c, "Terminate");
  release(c);
  return 0;
}

// ---- check --------------------------------------------------------------------------------------------------------------

static void expect(int condition, const char *what) {
  if (condition) return;
  ++faults;
  printf("wrong: %s\n", what);
}

static int first_state, first_rate, input, parameter;

static void to_running(Component c) {
  expect(setup(c, 0, 100, 1e-10) == OK, "initialization mode is entered");
  expect(simple(c, "ExitInitializationMode") == OK, "initialization mode is left");
  if (me) handle_event(c), expect(simple(c, "EnterContinuousTimeMode") == OK, "continuous-time mode is entered");
}

static double go_on(Component c, double *t) {
  VR vr = (VR)first_state;
  double v;
  if (me) {
    double x[kMost], to[kMost];
    int i;
    get_list(c, "GetContinuousStates", x, (size_t)nx);
    for (i = 0; i < 20; ++i) runge_kutta(c, *t, 1e-3, x, to), memcpy(x, to, sizeof x), *t += 1e-3, completed(c);
  } else {
    int stop;
    double last;
    expect(do_step(c, *t, 0.02, &stop, &last) == OK, "a step is made");
    *t += 0.02;
  }
  get(c, &vr, 1, &v);
  return v;
}

static void check_orders(void) {
  const double nan_value = NAN;
  Component c;
  VR vr = (VR)first_state, none = 99999;
  double v = 0;
  expect(instantiate("a", "{wrong}", me) == NULL, "a wrong token is refused");
  expect(instantiate("", token, me) == NULL, "an instance without a name is refused");
  expect(messages > 0, "refusals are told");
  c = instantiate("orders", token, me);
  expect(c != NULL, "an instance is made");
  expect(simple(c, "ExitInitializationMode") == ERROR, "initialization cannot be left before it was entered");
  expect(simple(c, "Terminate") == ERROR, "an instance that never ran cannot be terminated");
  if (version == 2) expect(get(c, &vr, 1, &v) == ERROR, "FMI 2 has no values before initialization");
  if (version == 3) expect(get(c, &vr, 1, &v) == OK, "FMI 3 has start values");
  if (version == 2) expect(simple(c, "EnterInitializationMode") == ERROR, "an experiment must be set up first");
  if (me) expect(set_time(c, 1) == ERROR, "time cannot be set yet");
  expect(set(c, &none, 1, &v) == ERROR, "unknown references are refused");
  expect(set(c, &vr, 1, &nan_value) == ERROR, "not-a-number is refused");
  vr = 0;
  expect(set(c, &vr, 1, &v) == ERROR, "the independent variable cannot be set");
  vr = (VR)first_rate;
  expect(set(c, &vr, 1, &v) == ERROR, "a derivative cannot be set");
  expect(setup(c, 0, 100, 0) == OK, "initialization mode is entered");
  expect(get(c, &vr, 1, &v) == OK && isfinite(v), "derivatives are known during initialization");
  expect(get(c, &none, 1, &v) == ERROR, "unknown references are refused");
  expect(simple(c, "ExitInitializationMode") == OK, "initialization mode is left");
  if (me) {
    double x[kMost];
    expect(set_states(c, x, (size_t)nx) == ERROR, "states cannot be set in event mode");
    expect(get_list(c, "GetContinuousStates", x, (size_t)nx + 1) == ERROR, "the number of states is checked");
    handle_event(c);
    expect(simple(c, "EnterContinuousTimeMode") == OK, "continuous-time mode is entered");
    expect(get_list(c, rates_name(), x, (size_t)nx) == OK, "derivatives are known");
    expect(get_list(c, "GetNominalsOfContinuousStates", x, (size_t)nx) == OK && x[0] == 1.0, "nominal values");
    x[0] = NAN;
    expect(set_states(c, x, (size_t)nx) == DISCARD, "states that are no numbers are discarded");
    if (parameter >= 0) vr = (VR)parameter, expect(set(c, &vr, 1, &v) == ERROR, "no parameters in continuous time");
    expect(simple(c, "EnterContinuousTimeMode") == ERROR, "continuous-time mode is entered once");
  } else {
    int stop;
    double last;
    expect(do_step(c, 0.5, 0.1, &stop, &last) == ERROR, "a step begins where the last one ended");
    expect(do_step(c, 0, -0.1, &stop, &last) == ERROR, "a step is positive");
    expect(do_step(c, 0, 1000, &stop, &last) == ERROR, "a step ends before the stop time");
    expect(do_step(c, 0, 0.01, &stop, &last) == OK, "a step is made");
    if (version == 3) expect(updates > 0, "intermediate updates are told");
  }
  expect(simple(c, "Terminate") == OK, "the run is terminated");
  expect(simple(c, "Terminate") == ERROR, "a run is terminated once");
  vr = (VR)first_state;
  expect(get(c, &vr, 1, &v) == OK, "values can be read after the end");
  expect(simple(c, "Reset") == OK, "an instance is reset");
  to_running(c);
  release(c);
  release(NULL);
}

static void check_states(void) {
  Component a = instantiate("a", token, me), b = instantiate("b", token, me);
  void *state = NULL, *copy = NULL;
  char *bytes;
  size_t size = 0;
  double ta = 0, tb = 0, saved, first, again, other;
  to_running(a);
  to_running(b);
  go_on(a, &ta);
  saved = ta;
  expect(CALL(state_name("Get", ""), int (*)(Component, void **))(a, &state) == OK, "a state is saved");
  first = go_on(a, &ta);
  go_on(a, &ta);
  expect(CALL(state_name("Set", ""), int (*)(Component, void *))(a, state) == OK, "a state is restored");
  ta = saved;
  again = go_on(a, &ta);
  expect(first == again, "a restored run goes on to the last bit as before");
  go_on(b, &tb);
  other = go_on(b, &tb);
  expect(first == other, "two instances do not meet");
  expect(CALL(state_name("Serialized", "Size"), int (*)(Component, void *, size_t *))(a, state, &size) == OK && size > 0,
         "a state has a size");
  bytes = malloc(size);
  expect(CALL(state_name("Serialize", ""), int (*)(Component, void *, char *, size_t))(a, state, bytes, size) == OK,
         "a state is serialized");
  expect(CALL(state_name("Serialize", ""), int (*)(Component, void *, char *, size_t))(a, state, bytes, 3) == ERROR,
         "a place that is too small is refused");
  expect(CALL(state_name(version == 2 ? "DeSerialize" : "Deserialize", ""),
              int (*)(Component, const char *, size_t, void **))(b, bytes, size, &copy) == OK,
         "a state is read back");
  bytes[2] ^= 1;
  {
    void *bad = NULL;
    expect(CALL(state_name(version == 2 ? "DeSerialize" : "Deserialize", ""),
                int (*)(Component, const char *, size_t, void **))(b, bytes, size, &bad) == ERROR,
           "bytes of another model are refused");
  }
  expect(CALL(state_name("Set", ""), int (*)(Component, void *))(b, copy) == OK, "it is restored in another instance");
  tb = saved;
  expect(go_on(b, &tb) == first, "and goes on as before");
  CALL(state_name("Free", ""), int (*)(Component, void **))(a, &state);
  CALL(state_name("Free", ""), int (*)(Component, void **))(b, &copy);
  expect(state == NULL && copy == NULL, "states are freed");
  CALL(state_name("Free", ""), int (*)(Component, void **))(b, &copy);
  free(bytes);
  release(a);
  release(b);
}

// Central difference of one unknown by one known.
static double difference(Component c, VR unknown, VR known, int relative) {
  double v, up, down, h;
  get(c, &known, 1, &v);
  h = relative && v != 0 ? 1e-5 * fabs(v) : 1e-5;
  up = v + h, down = v - h;
  {
    double a, b;
    set(c, &known, 1, &up), get(c, &unknown, 1, &a);
    set(c, &known, 1, &down), get(c, &unknown, 1, &b);
    set(c, &known, 1, &v);
    return (a - b) / (up - down);
  }
}

static void check_pair(Component c, VR unknown, VR known, const char *when) {
  const double one = 1;
  double d, approximate = NAN;
  int relative;
  char text[120];
  if (directional(c, &unknown, 1, &known, 1, &one, &d) != OK) d = NAN;
  for (relative = 0; relative < 2; ++relative) {  // which step is right depends on the size of the variable
    approximate = difference(c, unknown, known, relative);
    if (fabs(d - approximate) <= 1e-5 * (1 + fabs(d))) return;
  }
  snprintf(text, sizeof text, "derivative of %u by %u %s: %.10g, by differences %.10g", unknown, known, when, d, approximate);
  expect(0, text);
}

static void check_derivatives(void) {
  Component c = instantiate("derivatives", token, me);
  double t = 0;
  int i, k;
  expect(setup(c, 0, 100, 1e-10) == OK, "initialization mode is entered");
  for (i = 0; i < output_count; ++i) {  // by what can be set now: independent states, inputs, parameters
    for (k = 0; k < nx; ++k) {
      VR known = (VR)(first_state + k);
      double v;
      get(c, &known, 1, &v);
      if (outputs[i] == known || set(c, &known, 1, &v) != OK) continue;  // a dependent state
      check_pair(c, outputs[i], known, "during initialization");
    }
    if (input >= 0) check_pair(c, outputs[i], (VR)input, "during initialization");
    if (parameter >= 0) check_pair(c, outputs[i], (VR)parameter, "during initialization");
  }
  simple(c, "ExitInitializationMode");
  if (me) handle_event(c), simple(c, "EnterContinuousTimeMode");
  go_on(c, &t);
  for (i = 0; i < output_count; ++i) {
    if (me)
      for (k = 0; k < nx; ++k)
        if (outputs[i] != (VR)(first_state + k)) check_pair(c, outputs[i], (VR)(first_state + k), "while it runs");
    if (input >= 0) check_pair(c, outputs[i], (VR)input, "while it runs");
  }
  if (version == 3) {  // seed^T J = (J e)^T seed
    VR knowns[kMost];
    double seed[kMost], row[kMost], column[kMost];
    for (k = 0; k < nx; ++k) knowns[k] = (VR)(first_state + k);
    for (i = 0; i < output_count; ++i) seed[i] = 0.3 + i;
    expect(CALL("GetAdjointDerivative", int (*)(Component, const VR *, size_t, const VR *, size_t, const double *, size_t,
                                                double *, size_t))(c, outputs, (size_t)output_count, knowns, (size_t)nx,
                                                                  seed, (size_t)output_count, row, (size_t)nx) == OK,
           "adjoint derivatives are known");
    for (k = 0; k < nx; ++k) {
      const double one = 1;
      double sum = 0;
      directional(c, outputs, (size_t)output_count, &knowns[k], 1, &one, column);
      for (i = 0; i < output_count; ++i) sum += seed[i] * column[i];
      expect(fabs(sum - row[k]) <= 1e-12 * (1 + fabs(sum)), "adjoint derivatives are those of the directional ones");
    }
  }
  if (!me) {  // rates of outputs in time
    VR vr = (VR)first_state, rate = (VR)first_rate;
    const int order = 1;
    double d = 0, r = 1;
    if (version == 2)
      CALL("GetRealOutputDerivatives", int (*)(Component, const VR *, size_t, const int *, double *))(c, &vr, 1, &order, &d);
    else
      CALL("GetOutputDerivatives", int (*)(Component, const VR *, size_t, const int *, double *, size_t))(c, &vr, 1, &order,
                                                                                                      &d, 1);
    get(c, &rate, 1, &r);
    expect(fabs(d - r) <= 1e-12 * (1 + fabs(r)), "the derivative of an output in time is that of its state");
  }
  release(c);
}

static int check(int argc, char **argv) {
  int i;
  nx = atoi(argv[0]), nz = atoi(argv[1]), first_state = atoi(argv[2]), first_rate = atoi(argv[3]);
  input = atoi(argv[4]), parameter = atoi(argv[5]);
  for (i = 6; i < argc; ++i) outputs[output_count++] = (VR)atoi(argv[i]);
  check_orders();
  check_states();
  check_derivatives();
  return faults ? 1 : 0;
}

static int jacobian(int argc, char **argv) {
  const int initial = strcmp(argv[0], "init") == 0;
  Component c = instantiate("jacobian", token, me);
  VR knowns[kMost];
  int i, k, count = 0, after = 0;
  double t = 0;
  nx = atoi(argv[1]), nz = atoi(argv[2]);
  first_state = 1;
  for (i = 3; i < argc; ++i) {
    if (strcmp(argv[i], ":") == 0)
      after = 1;
    else if (after)
      knowns[count++] = (VR)atoi(argv[i]);
    else
      outputs[output_count++] = (VR)atoi(argv[i]);
  }
  expect(setup(c, 0, 100, 1e-10) == OK, "initialization mode is entered");
  if (!initial) {
    simple(c, "ExitInitializationMode");
    if (me) handle_event(c), simple(c, "EnterContinuousTimeMode");
    go_on(c, &t);
  }
  for (i = 0; i < output_count; ++i) {
    for (k = 0; k < count; ++k) {
      const double one = 1;
      double d = NAN;
      if (directional(c, &outputs[i], 1, &knowns[k], 1, &one, &d) != OK) d = NAN;
      printf("%s%.9g", k ? "," : "", d);
    }
    printf("\n");
  }
  release(c);
  return faults ? 1 : 0;
}

int main(int argc, char **argv) {
  if (argc < 10) return 2;
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 2;
  version = atoi(argv[2]), me = strcmp(argv[3], "me") == 0, token = argv[4];
  {
    const int result = strcmp(argv[5], "run") == 0        ? run(argc - 6, argv + 6)
                       : strcmp(argv[5], "jacobian") == 0 ? jacobian(argc - 6, argv + 6)
                                                          : check(argc - 6, argv + 6);
    dlclose(library);
    return result;
  }
}

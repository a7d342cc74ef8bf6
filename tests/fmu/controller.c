// A controller as an FMU for co-simulation, written for the tests: u = -kp*angle - kd*rate, counted steps, and a switch that
// turns it off. Compiled with VERSION 2 or 3; TOKEN is its GUID. It exports what an importer of co-simulation needs.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double angle, rate, kp, kd, u, time;
  int steps;
  bool off;
} Controller;

enum { kAngle = 1, kRate = 2, kOff = 3, kU = 4, kSteps = 5, kKp = 6, kKd = 7 };

static Controller *make(const char *token) {
  Controller *c = strcmp(token, TOKEN) == 0 ? calloc(1, sizeof *c) : NULL;
  if (c) c->kp = 1;
  return c;
}
static double *place(Controller *c, unsigned vr) {
  switch (vr) {
    case kAngle: return &c->angle;
    case kRate: return &c->rate;
    case kU: return &c->u;
    case kKp: return &c->kp;
    case kKd: return &c->kd;
    default: return NULL;
  }
}
static int get_real(Controller *c, const unsigned *vr, size_t n, double *v) {
  for (size_t i = 0; i < n; ++i) {
    if (!place(c, vr[i])) return 3;
    v[i] = *place(c, vr[i]);
  }
  return 0;
}
static int set_real(Controller *c, const unsigned *vr, size_t n, const double *v) {
  for (size_t i = 0; i < n; ++i) {
    if (!place(c, vr[i])) return 3;
    *place(c, vr[i]) = v[i];
  }
  return 0;
}
static int step(Controller *c, double t, double h) {
  if (t < c->time - 1e-9 || t > c->time + 1e-9 || !(h > 0)) return 3;
  c->time = t + h;
  ++c->steps;
  c->u = c->off ? 0 : -c->kp * c->angle - c->kd * c->rate;
  return 0;
}

#if VERSION == 2
void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources, const void *callbacks, int visible,
                      int logging) {
  (void)name, (void)resources, (void)callbacks, (void)visible, (void)logging;
  return type == 1 ? make(guid) : NULL;
}
void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetupExperiment(void *c, int defined, double tolerance, double start, int stop_defined, double stop) {
  (void)defined, (void)tolerance, (void)stop_defined, (void)stop;
  ((Controller *)c)->time = start;
  return 0;
}
int fmi2EnterInitializationMode(void *c) { return c ? 0 : 3; }
int fmi2ExitInitializationMode(void *c) { return c ? 0 : 3; }
int fmi2Reset(void *c) {
  memset(c, 0, sizeof(Controller));
  ((Controller *)c)->kp = 1;
  return 0;
}
int fmi2GetReal(void *c, const unsigned *vr, size_t n, double *v) { return get_real(c, vr, n, v); }
int fmi2SetReal(void *c, const unsigned *vr, size_t n, const double *v) { return set_real(c, vr, n, v); }
int fmi2GetInteger(void *c, const unsigned *vr, size_t n, int *v) { return n == 1 && *vr == kSteps ? (*v = ((Controller *)c)->steps, 0) : 3; }
int fmi2SetBoolean(void *c, const unsigned *vr, size_t n, const int *v) { return n == 1 && *vr == kOff ? (((Controller *)c)->off = *v, 0) : 3; }
int fmi2DoStep(void *c, double t, double h, int no_set) { return (void)no_set, step(c, t, h); }
#else
void *fmi3InstantiateCoSimulation(const char *name, const char *token, const char *resources, bool visible, bool logging,
                                  bool event_mode, bool early, const uint32_t *required, size_t n, void *environment,
                                  void *log, void *update) {
  (void)name, (void)resources, (void)visible, (void)logging, (void)required, (void)n, (void)environment, (void)log;
  return event_mode || early || update ? NULL : make(token);
}
void fmi3FreeInstance(void *c) { free(c); }
int fmi3EnterInitializationMode(void *c, bool defined, double tolerance, double start, bool stop_defined, double stop) {
  (void)defined, (void)tolerance, (void)stop_defined, (void)stop;
  ((Controller *)c)->time = start;
  return 0;
}
int fmi3ExitInitializationMode(void *c) { return c ? 0 : 3; }
int fmi3Reset(void *c) {
  memset(c, 0, sizeof(Controller));
  ((Controller *)c)->kp = 1;
  return 0;
}
int fmi3GetFloat64(void *c, const uint32_t *vr, size_t n, double *v, size_t m) { return n == m ? get_real(c, vr, n, v) : 3; }
int fmi3SetFloat64(void *c, const uint32_t *vr, size_t n, const double *v, size_t m) {
  return n == m ? set_real(c, vr, n, v) : 3;
}
int fmi3GetInt32(void *c, const uint32_t *vr, size_t n, int32_t *v, size_t m) {
  return n == 1 && m == 1 && *vr == kSteps ? (*v = ((Controller *)c)->steps, 0) : 3;
}
int fmi3SetBoolean(void *c, const uint32_t *vr, size_t n, const bool *v, size_t m) {
  return n == 1 && m == 1 && *vr == kOff ? (((Controller *)c)->off = *v, 0) : 3;
}
int fmi3DoStep(void *c, double t, double h, bool no_set, bool *event, bool *terminate, bool *early, double *last) {
  (void)no_set;
  *event = *terminate = *early = false;
  *last = t + h;
  return step(c, t, h);
}
#endif

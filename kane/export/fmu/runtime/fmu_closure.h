// Constraints: closing loops when the model is initialized, and taking the states back onto the constraints they drift off.
//
//   initialization   phi(q, t) = 0 for the dependent coordinates by Newton's method from their start values,
//                    A u + b = 0 for the dependent speeds
//   projection       shortest change of all coordinates and speeds, dq = -J^T (J J^T)^-1 phi

#ifndef FMU_CLOSURE_H
#define FMU_CLOSURE_H

#include "fmu_core.h"

#if SWITCHED
static int find_states(Fmu *f);  // fmu_contact.h
#endif

static const double kClosed = 1e-13;  // largest |phi| and |A u + b|

// Solves a x = b in place, n x n by rows. 0 if the matrix is singular.
static int solve_linear(double *a, double *b, int n) {
  int i, j, k;
  for (k = 0; k < n; ++k) {
    int pivot = k;
    for (i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[pivot * n + k])) pivot = i;
    if (!(fabs(a[pivot * n + k]) > 1e-14)) return 0;
    if (pivot != k) {
      for (j = k; j < n; ++j) {
        const double t = a[k * n + j];
        a[k * n + j] = a[pivot * n + j], a[pivot * n + j] = t;
      }
      {
        const double t = b[k];
        b[k] = b[pivot], b[pivot] = t;
      }
    }
    for (i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] / a[k * n + k];
      if (factor == 0.0) continue;
      for (j = k; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (k = n - 1; k >= 0; --k) {
    for (j = k + 1; j < n; ++j) b[k] -= a[k * n + j] * b[j];
    b[k] /= a[k * n + k];
  }
  return 1;
}

// The rows that are enforced, in f->closing; all of them in f->all_rows.
static void calc_closure(Fmu *f) {
  double in[kInputs + 1];
  ClosureParameters p;
  ClosureInputs values;
  int i;
  memset(&p, 0, sizeof p);
  memcpy(&p, f->d.p, kParameters * sizeof(double));
  for (i = 0; i < kInputs; ++i) in[i] = f->d.in[i] + f->d.slope[i] * (f->d.time - f->d.slope_time);
  in[kInputs] = f->d.time;
  memcpy(&values, in, sizeof in);
  closure_set_parameters(&f->closure, &p);
  closure_set_inputs(&f->closure, &values);
  closure_evaluate(&f->closure, f->d.x, f->all_rows);
  for (i = 0; i < f->phi_count; ++i) {
    f->closing[i] = f->all_rows[f->phi_place[i]];
    memcpy(f->closing + kFirstPhiQ + i * kCoordinates, f->all_rows + kFirstPhiQ + f->phi_place[i] * kCoordinates,
           kCoordinates * sizeof(double));
  }
  for (i = 0; i < f->motion_count; ++i) {
    f->closing[kFirstMotion + i] = f->all_rows[kFirstMotion + f->motion_place[i]];
    memcpy(f->closing + kFirstA + i * kSpeeds, f->all_rows + kFirstA + f->motion_place[i] * kSpeeds,
           kSpeeds * sizeof(double));
  }
}

static double largest(const double *r, int n, int *where) {
  double most = 0.0;
  int i;
  for (i = 0; i < n; ++i)
    if (!(fabs(r[i]) <= most)) most = isfinite(r[i]) ? fabs(r[i]) : INFINITY, *where = i;
  return most;
}

// Solves rows (n of them, `columns` long) for the states marked dependent: side becomes the change. Places are relative to
// `first`.
static int solve_dependent(Fmu *f, const double *rows, int n, int columns, int first) {
  int i, j;
  for (i = 0; i < n; ++i) {
    int column = 0;
    for (j = 0; j < columns; ++j)
      if (kDependent[first + j]) f->matrix[i * n + column++] = rows[i * columns + j];
  }
  return solve_linear(f->matrix, f->side, n);
}

static void add_dependent(double *x, const double *change, double factor, int columns, int first) {
  int j, column = 0;
  for (j = 0; j < columns; ++j)
    if (kDependent[first + j]) x[first + j] += factor * change[column++];
}

static FmuStatus open_loop(Fmu *f, int row, double residual) {
  return fmu_say(f, kError, kLogError, "the constraint '%s' cannot be closed from these start values: it stays open by %g",
                 kRowNames[f->phi_place[row]], residual);
}

static FmuStatus close_coordinates(Fmu *f) {
  enum { kMaxIterations = 100, kMaxHalvings = 12 };
  double residual;
  int row = 0, i, iteration;
  calc_closure(f);
  residual = largest(f->closing, f->phi_count, &row);
  for (iteration = 0; iteration < kMaxIterations && residual > kClosed; ++iteration) {
    double factor = 1.0, before = residual;
    int halving;
    for (i = 0; i < f->phi_count; ++i) f->side[i] = -f->closing[i];
    if (!solve_dependent(f, f->closing + kFirstPhiQ, f->phi_count, kCoordinates, 0)) return open_loop(f, row, residual);
    for (halving = 0; halving < kMaxHalvings; ++halving, factor *= 0.5) {
      memcpy(f->z, f->d.x, sizeof f->z);
      add_dependent(f->d.x, f->side, factor, kCoordinates, 0);
      calc_closure(f);
      residual = largest(f->closing, f->phi_count, &row);
      if (residual < before) break;
      memcpy(f->d.x, f->z, sizeof f->z);
    }
    if (halving == kMaxHalvings) {  // no better any more: done, or stuck
      calc_closure(f);
      if (before < 1e-10) return kOk;
      return open_loop(f, row, before);
    }
  }
  return residual <= 1e-10 ? kOk : open_loop(f, row, residual);
}

// Finds the dependent states. Nothing happens where there are none.
static FmuStatus fmu_close(Fmu *f) {
  int i;
  if (!f->d.initial_due) return kOk;
  if (f->phi_count > 0) {
    const FmuStatus status = close_coordinates(f);
    if (status != kOk) return status;
  }
  if (f->motion_count > 0) {
    calc_closure(f);
    for (i = 0; i < f->motion_count; ++i) f->side[i] = -f->closing[kFirstMotion + i];
    if (!solve_dependent(f, f->closing + kFirstA, f->motion_count, kSpeeds, kCoordinates))
      return fmu_say(f, kError, kLogError, "the dependent speeds cannot be found in this configuration");
    add_dependent(f->d.x, f->side, 1.0, kSpeeds, kCoordinates);
  }
  f->d.initial_due = 0;
  f->new_results = 1;
#if SWITCHED
  if (!find_states(f))
    return fmu_say(f, kError, kLogError, "no forces satisfy all constraints, contacts and frictions at the start");
  f->d.settle_due = 1;
#endif
  return kOk;
}

// change = -J^T (J J^T)^-1 r, rows that repeat others left out.
static void add_shortest(Fmu *f, const double *rows, const double *r, int n, int columns, double *x) {
  int i, j, k;
  double *const s = f->matrix, *const w = f->side, most = 0.0;
  for (i = 0; i < n; ++i) {
    for (j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (k = 0; k < columns; ++k) sum += rows[i * columns + k] * rows[j * columns + k];
      s[i * n + j] = sum;
    }
    w[i] = -r[i];
    if (s[i * n + i] > most) most = s[i * n + i];
  }
  for (i = 0; i < n; ++i) {  // L D L^T
    double pivot = s[i * n + i];
    for (k = 0; k < i; ++k) pivot -= s[i * n + k] * s[i * n + k] * s[k * n + k];
    s[i * n + i] = pivot > 1e-12 * most ? pivot : INFINITY;
    for (j = i + 1; j < n; ++j) {
      double sum = s[j * n + i];
      for (k = 0; k < i; ++k) sum -= s[j * n + k] * s[i * n + k] * s[k * n + k];
      s[j * n + i] = sum / s[i * n + i];
    }
    if (s[i * n + i] == INFINITY) s[i * n + i] = 0.0;
  }
  for (i = 0; i < n; ++i)
    for (k = 0; k < i; ++k) w[i] -= s[i * n + k] * w[k];
  for (i = 0; i < n; ++i) w[i] = s[i * n + i] > 0.0 ? w[i] / s[i * n + i] : 0.0;
  for (i = n - 1; i >= 0; --i)
    for (k = i + 1; k < n; ++k) w[i] -= s[k * n + i] * w[k];
  for (j = 0; j < columns; ++j)
    for (i = 0; i < n; ++i) x[j] += rows[i * columns + j] * w[i];
}

// How far the states are off the constraints.
static double fmu_drift(Fmu *f) {
  int row = 0;
  double phi, motion;
  if (f->phi_count + f->motion_count == 0) return 0.0;
  calc_closure(f);
  phi = largest(f->closing, f->phi_count, &row);
  motion = largest(f->closing + kFirstMotion, f->motion_count, &row);
  return phi > motion ? phi : motion;
}

static void fmu_project(Fmu *f) {
  enum { kMaxIterations = 5 };
  int i, row = 0;
  if (f->phi_count + f->motion_count == 0) return;
  calc_closure(f);
  for (i = 0; i < kMaxIterations && largest(f->closing, f->phi_count, &row) > kClosed; ++i) {
    add_shortest(f, f->closing + kFirstPhiQ, f->closing, f->phi_count, kCoordinates, f->d.x);
    calc_closure(f);
  }
  for (i = 0; i < kMaxIterations && largest(f->closing + kFirstMotion, f->motion_count, &row) > kClosed; ++i) {
    add_shortest(f, f->closing + kFirstA, f->closing + kFirstMotion, f->motion_count, kSpeeds, f->d.x + kCoordinates);
    calc_closure(f);
  }
  f->new_results = 1;
}

#endif

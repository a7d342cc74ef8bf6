// Contacts, dry friction and constraints that are imposed and released: models whose equations change at events. Between
// events the rows that hold are fixed, and
//
//     M udot = rhs + G^T lambda,   A udot = gamma
//
// for these rows, where G is A, or for a closed contact with a friction that slides A_n - mu d A_t. What follows an event is
// found by complementarity: a choice of what is open, closed, stuck and sliding under which no force pulls, nothing
// penetrates, and frictions keep their limits. Choices are mended one violation at a time, then tried one after the other.
//
// Event indicators fall through zero: the gap of an open contact, the force of a closed one, what a friction that sticks could
// still bear, the speed of one that slides.

#ifndef FMU_CONTACT_H
#define FMU_CONTACT_H

#include "fmu_closure.h"

#if SWITCHED

enum { kOpen = 0, kShut = 1, kIdle = 0, kStick = 1, kSlide = 2 };

static const double kTouchGap = 1e-9;     // a gap below this touches
static const double kStillSpeed = 1e-9;   // a speed below this, relative to the fastest and to 1, is zero
static const double kRestSpeed = 1e-6;    // rebounds slower than this fraction of the fastest approach end at rest
static const double kInTouch = 2e-4;      // s; a rebound that does not separate within this time is none
static const double kTurnSpeed = 1e-8;    // a slower sliding in a plane may come to hold
static const double kLift = 1e-12;        // functions that begin at zero are lifted by this
static const double kGapRounding = 1e-14;  // the gap of a contact that leaves rises by itself

static double dot_n(const double *a, const double *b, int n) {
  double sum = 0.0;
  int i;
  for (i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}
static void add_n(double *to, double factor, const double *a, int n) {
  int i;
  for (i = 0; i < n; ++i) to[i] += factor * a[i];
}
static const double *row_of(const Fmu *f, int row) { return f->all_rows + kFirstA + row * kSpeeds; }
static double speed_of(const Fmu *f, int row) { return f->all_rows[kFirstMotion + row]; }
static double gap_of(const Fmu *f, int contact) { return f->all_rows[kPhiOfRow[kContactTable[contact].row]]; }
static double restitution_of(const Fmu *f, int contact) {
  return fmin(1.0, fmax(0.0, f->terms[kFirstOfContacts + 2 * contact]));
}
static double compliant_force(const Fmu *f, int contact) {
  return fmax(0.0, f->terms[kFirstOfContacts + 2 * contact + 1]);
}
static double kinetic_of(const Fmu *f, int friction) { return f->terms[kFirstOfFrictions + 2 * friction]; }
static double stiction_of(const Fmu *f, int friction) { return f->terms[kFirstOfFrictions + 2 * friction + 1]; }
static int in_plane(int friction) { return kFrictionTable[friction].rows[1] >= 0; }
static int is_rigid(int contact) { return contact >= 0 && !kContactTable[contact].compliant; }

// A limit that does not depend on the motion: of a friction with a force of its own, or on a compliant contact.
static double known_limit(const Fmu *f, int friction, double coefficient) {
  const int contact = kFrictionTable[friction].contact;
  return contact < 0 ? coefficient : coefficient * compliant_force(f, contact);
}

static double sliding_speed(const Fmu *f, int friction) {
  const int *rows = kFrictionTable[friction].rows;
  return rows[1] < 0 ? fabs(speed_of(f, rows[0])) : hypot(speed_of(f, rows[0]), speed_of(f, rows[1]));
}
static double stop_speed(const Fmu *f, int friction) {
  return fmax(1e-9 * f->d.fastest[kContacts + friction], kTurnSpeed);
}

// On a line the sign is kept until the event; in a plane the direction follows the speed, but does not turn over with it, so
// that a solver may step across the end of the sliding.
static void sliding_direction(const Fmu *f, int friction, double d[2]) {
  const int *rows = kFrictionTable[friction].rows;
  d[0] = f->d.direction[friction][0], d[1] = f->d.direction[friction][1];
  if (rows[1] >= 0) {
    const double speed = sliding_speed(f, friction);
    const double along = d[0] * speed_of(f, rows[0]) + d[1] * speed_of(f, rows[1]);
    const double size = along < 0.0 ? -speed : speed;
    if (speed > 0.5 * stop_speed(f, friction)) d[0] = speed_of(f, rows[0]) / size, d[1] = speed_of(f, rows[1]) / size;
  } else {
    d[1] = 0.0;
  }
}

// ---- linear equations -----------------------------------------------------------------------------------------------------

// L U by rows with pivots. 0 if it is singular.
static int factor_lu(double *a, int *pivot, int n) {
  int i, j, k;
  double most = 0.0;
  for (i = 0; i < n * n; ++i) most = fmax(most, fabs(a[i]));
  for (k = 0; k < n; ++k) {
    int best = k;
    for (i = k + 1; i < n; ++i)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    if (!(fabs(a[best * n + k]) > 1e-14 * most)) return 0;
    pivot[k] = best;
    if (best != k)
      for (j = 0; j < n; ++j) {
        const double t = a[k * n + j];
        a[k * n + j] = a[best * n + j], a[best * n + j] = t;
      }
    for (i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] /= a[k * n + k];
      if (factor != 0.0)
        for (j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return 1;
}
static void solve_lu(const double *a, const int *pivot, int n, double *b) {
  int i, k;
  for (k = 0; k < n; ++k)
    if (pivot[k] != k) {
      const double t = b[k];
      b[k] = b[pivot[k]], b[pivot[k]] = t;
    }
  for (i = 0; i < n; ++i)
    for (k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
  for (i = n - 1; i >= 0; --i) {
    for (k = i + 1; k < n; ++k) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
}

// a x = b, m x m by rows, in place (x in b). Unknowns that the others make superfluous are zero and `idle`. 0 if the equations
// contradict each other.
static int solve_superfluous(double *a, double *b, int m, unsigned char *idle) {
  int row[kRows + 1], column[kRows + 1], i, j, k, rank = m;
  double x[kRows + 1], most = 0.0, size = 0.0;
  for (i = 0; i < m * m; ++i) most = fmax(most, fabs(a[i]));
  for (i = 0; i < m; ++i) row[i] = column[i] = i, idle[i] = 0, size = fmax(size, fabs(b[i]));
  for (k = 0; k < m; ++k) {
    int bi = k, bj = k;
    for (i = k; i < m; ++i)
      for (j = k; j < m; ++j)
        if (fabs(a[row[i] * m + column[j]]) > fabs(a[row[bi] * m + column[bj]])) bi = i, bj = j;
    if (!(fabs(a[row[bi] * m + column[bj]]) > 1e-11 * most)) {
      rank = k;
      break;
    }
    i = row[k], row[k] = row[bi], row[bi] = i;
    j = column[k], column[k] = column[bj], column[bj] = j;
    for (i = k + 1; i < m; ++i) {
      const double factor = a[row[i] * m + column[k]] / a[row[k] * m + column[k]];
      if (factor == 0.0) continue;
      for (j = k + 1; j < m; ++j) a[row[i] * m + column[j]] -= factor * a[row[k] * m + column[j]];
      b[row[i]] -= factor * b[row[k]];
    }
  }
  for (i = rank; i < m; ++i) {
    if (fabs(b[row[i]]) > 1e-7 * (size + 1e-300)) return 0;
    idle[column[i]] = 1, x[column[i]] = 0.0;
  }
  for (k = rank - 1; k >= 0; --k) {
    double sum = b[row[k]];
    for (j = k + 1; j < rank; ++j) sum -= a[row[k] * m + column[j]] * x[column[j]];
    x[column[k]] = sum / a[row[k] * m + column[k]];
  }
  memcpy(b, x, (size_t)m * sizeof(double));
  return 1;
}

// ---- motion under the rows f->unknown[0 .. m) -----------------------------------------------------------------------------------

// Factors M and A M^-1 G^T; f->push has the rows of G. 0 if the motion is not determined.
static int prepare_motion(Fmu *f, int m) {
  int i, j, massless = 0;
  memcpy(f->mass, f->terms, (size_t)(kSpeeds * kSpeeds) * sizeof(double));
  if (!factor_lu(f->mass, f->pivot, kSpeeds)) {
    // Massless parts are held by the rows: M + A^T A stands for M, and rhs + A^T target for rhs.
    memcpy(f->mass, f->terms, (size_t)(kSpeeds * kSpeeds) * sizeof(double));
    for (i = 0; i < m; ++i)
      for (j = 0; j < kSpeeds; ++j)
        add_n(f->mass + j * kSpeeds, row_of(f, f->unknown[i])[j], row_of(f, f->unknown[i]), kSpeeds);
    if (!factor_lu(f->mass, f->pivot, kSpeeds)) return -1;
    massless = 1;
  }
  for (i = 0; i < m; ++i) {
    double *const response = f->response + i * kSpeeds;
    memcpy(response, f->push + i * kSpeeds, (size_t)kSpeeds * sizeof(double));
    solve_lu(f->mass, f->pivot, kSpeeds, response);
  }
  for (i = 0; i < m; ++i)
    for (j = 0; j < m; ++j) f->schur[i * m + j] = dot_n(row_of(f, f->unknown[i]), f->response + j * kSpeeds, kSpeeds);
  return massless;
}

// udot (in `out`) under `force` with A udot = target; multipliers in f->multiplier.
static int solve_motion(Fmu *f, int m, int massless, const double *force, const double *target, double *out) {
  int i;
  if (massless < 0) return 0;
  memcpy(out, force, (size_t)kSpeeds * sizeof(double));
  if (massless)
    for (i = 0; i < m; ++i) add_n(out, target[i], row_of(f, f->unknown[i]), kSpeeds);
  solve_lu(f->mass, f->pivot, kSpeeds, out);
  memcpy(f->reduced, f->schur, (size_t)(m * m) * sizeof(double));
  for (i = 0; i < m; ++i) f->multiplier[i] = target[i] - dot_n(row_of(f, f->unknown[i]), out, kSpeeds);
  if (!solve_superfluous(f->reduced, f->multiplier, m, f->idle)) return 0;
  for (i = 0; i < m; ++i) add_n(out, f->multiplier[i], f->response + i * kSpeeds, kSpeeds);
  return 1;
}

// The rows that are enforced and their directions of push. Returns how many.
static int collect_enforced(Fmu *f) {
  int row, i, m = 0;
  for (row = 0; row < kRows; ++row) {
    double *push;
    if (!(row_enforced(f, row) & kHeldMotion)) continue;
    push = f->push + m * kSpeeds;
    memcpy(push, row_of(f, row), (size_t)kSpeeds * sizeof(double));
    for (i = 0; i < kFrictions; ++i) {
      double d[2];
      const FmuFriction *const t = &kFrictionTable[i];
      if (t->contact < 0 || kContactTable[t->contact].row != row || f->d.state_of[kContacts + i] != kSlide) continue;
      sliding_direction(f, i, d);
      add_n(push, -kinetic_of(f, i) * d[0], row_of(f, t->rows[0]), kSpeeds);
      if (t->rows[1] >= 0) add_n(push, -kinetic_of(f, i) * d[1], row_of(f, t->rows[1]), kSpeeds);
    }
    f->unknown[m++] = row;
  }
  return m;
}

static void calc_terms(Fmu *f, const double *x) {
  forces_evaluate(&f->forces, x, f->terms);
  closure_evaluate(&f->closure, x, f->all_rows);
}

// Accelerations and multipliers at a state: f->solved.
static void calc_forces(Fmu *f, const double *x) {
  double *const lambda = f->solved + kStates + kSpeeds;
  double d[2];
  int i, k, m;
  calc_terms(f, x);
  memcpy(f->solved, x, kStates * sizeof(double));
  memset(lambda, 0, kRows * sizeof(double));
  memcpy(f->force, f->terms + kFirstRhs, kSpeeds * sizeof(double));
  for (i = 0; i < kContacts; ++i)
    if (kContactTable[i].compliant) {
      lambda[kContactTable[i].row] = compliant_force(f, i);
      add_n(f->force, compliant_force(f, i), row_of(f, kContactTable[i].row), kSpeeds);
    }
  for (i = 0; i < kFrictions; ++i) {
    if (f->d.state_of[kContacts + i] != kSlide || is_rigid(kFrictionTable[i].contact)) continue;
    sliding_direction(f, i, d);
    for (k = 0; k < 1 + in_plane(i); ++k) {
      const int row = kFrictionTable[i].rows[k];
      lambda[row] = -known_limit(f, i, kinetic_of(f, i)) * d[k];
      add_n(f->force, lambda[row], row_of(f, row), kSpeeds);
    }
  }
  f->enforced = m = collect_enforced(f);
  for (i = 0; i < m; ++i) f->target[i] = f->terms[kFirstGamma + f->unknown[i]];
  if (!solve_motion(f, m, prepare_motion(f, m), f->force, f->target, f->solved + kStates)) {
    for (i = 0; i < kSpeeds; ++i) f->solved[kStates + i] = NAN;
    return;
  }
  for (i = 0; i < m; ++i) lambda[f->unknown[i]] = f->multiplier[i];
  for (i = 0; i < kFrictions; ++i) {
    const FmuFriction *const t = &kFrictionTable[i];
    if (f->d.state_of[kContacts + i] != kSlide || !is_rigid(t->contact)) continue;
    sliding_direction(f, i, d);
    for (k = 0; k < 1 + in_plane(i); ++k)
      lambda[t->rows[k]] = -kinetic_of(f, i) * d[k] * lambda[kContactTable[t->contact].row];
  }
}

static int is_idle(const Fmu *f, int row) {
  int i;
  for (i = 0; i < f->enforced; ++i)
    if (f->unknown[i] == row) return f->idle[i];
  return 0;
}

// The functions of contacts and frictions, without their lifts if f->d.lift is zero.
static void calc_changes(Fmu *f, const double *x, double *y) {
  const double *const lambda = f->solved + kStates + kSpeeds;
  int i;
  (void)x;
  for (i = 0; i < kContacts; ++i) {
    double *const z = y + kFirstChange + i;
    if (kContactTable[i].compliant || !f->d.state_of[i])
      *z = gap_of(f, i);
    else
      *z = is_idle(f, kContactTable[i].row) ? 1.0 : lambda[kContactTable[i].row];
    *z += f->d.lift[i];
  }
  for (i = 0; i < kFrictions; ++i) {
    const FmuFriction *const t = &kFrictionTable[i];
    double *const z = y + kFirstChange + kContacts + i;
    switch (f->d.state_of[kContacts + i]) {
      case kIdle:
        *z = is_rigid(t->contact) ? 1.0 : kLift - known_limit(f, i, t->contact < 0 ? stiction_of(f, i) : 1.0);
        continue;
      case kSlide:
        // In a plane along the direction in which the last step ended: a reversal within one step is not missed.
        *z = f->d.direction[i][0] * speed_of(f, t->rows[0]);
        if (in_plane(i)) *z += f->d.direction[i][1] * speed_of(f, t->rows[1]) - stop_speed(f, i);
        break;
      default:
        *z = (is_rigid(t->contact) ? stiction_of(f, i) * lambda[kContactTable[t->contact].row]
                                   : known_limit(f, i, stiction_of(f, i))) -
             (in_plane(i) ? hypot(lambda[t->rows[0]], lambda[t->rows[1]]) : fabs(lambda[t->rows[0]]));
        break;
    }
    *z += f->d.lift[kContacts + i];
  }
}

static int has_changed(const double *y) {
  int i;
  for (i = 0; i < kChanges; ++i)
    if ((i >= kContacts || !kContactTable[i].compliant) && !(y[kFirstChange + i] > 0.0)) return 1;
  return 0;
}

// ---- complementarity ------------------------------------------------------------------------------------------------------------

typedef struct {
  int contacts, frictions, rows;
  int contact[kContacts + 1], closed[kContacts + 1];
  int friction[kFrictions + 1], first[kFrictions + 1], size[kFrictions + 1];
  int of[kFrictions + 1];       // place in `contact` of what presses; -1: the limit is known
  int state[kFrictions + 1];    // kStick or kSlide
  int known[kFrictions + 1];    // it slides, in this direction
  int leaving[kFrictions + 1];  // its force has reached the limit
  double direction[kFrictions + 1][2];
  double coefficient[kFrictions + 1][2], limit[kFrictions + 1][2];  // while it sticks, while it slides
  int row[kRows + 1];
} Choice;

// Forces (or impulses) and accelerations (or speeds) of a choice in f->p and f->v. Returns 0 if it holds; otherwise 1 + the place
// of the worst violation (contacts first), or -1 if it has no solution.
static int try_choice(Fmu *f, Choice *c) {
  int place[kRows + 1], i, j, k, m, turn, worst = 0;
  const int n = c->rows;
  double most, size, largest_p, violation;
  for (turn = 0; turn < 60; ++turn) {
    double moved = 0.0;
    m = 0;
    for (i = 0; i < c->contacts; ++i)
      if (c->closed[i]) place[m++] = i;
    for (i = 0; i < c->frictions; ++i)
      if (c->state[i] == kStick)
        for (k = 0; k < c->size[i]; ++k) place[m++] = c->first[i] + k;
    for (i = 0; i < n; ++i) f->v[i] = f->v0[i], f->p[i] = 0.0;
    for (j = 0; j < c->frictions; ++j)
      if (c->state[j] == kSlide)
        for (k = 0; k < c->size[j]; ++k)
          for (i = 0; i < n; ++i)
            f->v[i] -= c->limit[j][1] * c->direction[j][k] * f->w[i * n + c->first[j] + k];
    for (i = 0; i < m; ++i) {
      f->right[i] = -f->v[place[i]];
      for (j = 0; j < m; ++j) {
        double entry = f->w[place[i] * n + place[j]];
        int t;
        for (t = 0; t < c->frictions && place[j] < c->contacts; ++t)
          if (c->of[t] == place[j] && c->state[t] == kSlide)
            for (k = 0; k < c->size[t]; ++k)
              entry -= c->coefficient[t][1] * c->direction[t][k] * f->w[place[i] * n + c->first[t] + k];
        f->reduced[i * m + j] = entry;
      }
    }
    if (!solve_superfluous(f->reduced, f->right, m, f->idle)) return -1;
    for (i = 0; i < m; ++i) f->p[place[i]] = f->right[i];
    for (j = 0; j < c->frictions; ++j)
      if (c->state[j] == kSlide)
        for (k = 0; k < c->size[j]; ++k)
          f->p[c->first[j] + k] = -c->direction[j][k] * (c->limit[j][1] + (c->of[j] >= 0 ? c->coefficient[j][1] * f->p[c->of[j]] : 0.0));
    for (i = 0; i < n; ++i) {
      f->v[i] = f->v0[i];
      for (j = 0; j < n; ++j) f->v[i] += f->w[i * n + j] * f->p[j];
    }
    // In a plane a friction that begins to slide does so along its acceleration.
    for (j = 0; j < c->frictions; ++j) {
      double a, b, length;
      if (c->state[j] != kSlide || c->size[j] == 1 || c->known[j]) continue;
      a = f->v[c->first[j]], b = f->v[c->first[j] + 1], length = hypot(a, b);
      if (!(length > 1e-12 * (1.0 + hypot(f->v0[c->first[j]], f->v0[c->first[j] + 1])))) continue;
      moved = fmax(moved, hypot(a / length - c->direction[j][0], b / length - c->direction[j][1]));
      c->direction[j][0] = a / length, c->direction[j][1] = b / length;
    }
    if (moved < 1e-12) break;
  }
  most = 0.0, largest_p = 0.0;
  for (i = 0; i < n; ++i) {
    if (!isfinite(f->p[i]) || !isfinite(f->v[i])) return -1;
    most = fmax(most, fabs(f->v0[i])), largest_p = fmax(largest_p, fabs(f->p[i]));
    for (j = 0; j < n; ++j) most = fmax(most, fabs(f->w[i * n + j] * f->p[j]));
  }
  size = 1e-9 * most + 1e-300, largest_p = 1e-9 * largest_p + 1e-300, violation = 1.0;
  for (i = 0; i < c->contacts; ++i) {
    const double by = c->closed[i] ? -f->p[i] / largest_p : -f->v[i] / size;
    if (by > violation) violation = by, worst = 1 + i;
  }
  for (j = 0; j < c->frictions; ++j) {
    const int a = c->first[j];
    double by = 0.0;
    if (c->state[j] == kStick) {
      const double force = c->size[j] == 1 ? fabs(f->p[a]) : hypot(f->p[a], f->p[a + 1]);
      const double limit = c->limit[j][0] + (c->of[j] >= 0 ? c->coefficient[j][0] * f->p[c->of[j]] : 0.0);
      by = c->leaving[j] && force > 0.0 ? 2.0 * (force - (1.0 - 1e-9) * limit > 0.0) : (force - limit) / largest_p;
    } else if (!c->known[j]) {
      by = -(c->direction[j][0] * f->v[a] + (c->size[j] == 2 ? c->direction[j][1] * f->v[a + 1] : 0.0)) / size;
    }
    if (by > violation) violation = by, worst = 1 + c->contacts + j;
  }
  return worst;
}

// Slides against the force that was found for sticking.
static void let_slide(const Fmu *f, Choice *c, int j) {
  const double *const p = f->p + c->first[j];
  const double length = c->size[j] == 1 ? fabs(p[0]) : hypot(p[0], p[1]);
  c->state[j] = kSlide;
  c->direction[j][0] = length > 0.0 ? -p[0] / length : 1.0;
  c->direction[j][1] = length > 0.0 && c->size[j] == 2 ? -p[1] / length : 0.0;
}

// The next choice in the order of counting; 0 after the last one. A sliding in a plane is tried along four axes.
static int next_choice(Choice *c) {
  int i;
  for (i = 0; i < c->contacts; ++i) {
    c->closed[i] = !c->closed[i];
    if (!c->closed[i]) return 1;
  }
  for (i = 0; i < c->frictions; ++i) {
    double *const d = c->direction[i];
    if (c->known[i]) continue;
    if (c->state[i] == kStick) {
      c->state[i] = kSlide, d[0] = 1.0, d[1] = 0.0;
      return 1;
    }
    if (c->size[i] == 1 ? d[0] > 0.0 : !(d[1] < -0.9)) {
      const double a = d[0];
      if (c->size[i] == 1)
        d[0] = -1.0, d[1] = 0.0;
      else
        d[0] = a > 0.9 ? 0.0 : a < -0.9 ? 0.0 : -1.0, d[1] = a > 0.9 ? 1.0 : a < -0.9 ? -1.0 : 0.0;
      return 1;
    }
    c->state[i] = kStick;
  }
  return 0;
}

static int find_choice(Fmu *f, Choice *c) {
  enum { kMended = 200, kTried = 300000 };
  int i, r;
  for (i = 0; i < c->contacts; ++i) c->closed[i] = 1;
  for (i = 0; i < c->frictions; ++i) c->state[i] = c->known[i] ? kSlide : kStick;
  for (i = 0; i < kMended; ++i) {
    r = try_choice(f, c);
    if (r == 0) return 1;
    if (r < 0) break;
    --r;
    if (r < c->contacts)
      c->closed[r] = !c->closed[r];
    else if (c->state[r - c->contacts] == kStick)
      let_slide(f, c, r - c->contacts);
    else
      c->state[r - c->contacts] = kStick;
  }
  for (i = 0; i < c->contacts; ++i) c->closed[i] = 1;
  for (i = 0; i < c->frictions; ++i)
    if (!c->known[i]) c->state[i] = kStick;
  for (i = 0; i < kTried; ++i) {
    if (try_choice(f, c) == 0) return 1;
    if (!next_choice(c)) break;
  }
  return 0;
}

// Responses of the rows of a choice while the held constraints hold, at the state of the last calc_terms(): f->w, and the
// changes of all speeds in f->answer.
static int form_response(Fmu *f, Choice *c, int *held, int *massless) {
  int i, j, row, m = 0;
  for (row = 0; row < kRows; ++row)
    if (f->d.held[row] & kHeldMotion) {
      memcpy(f->push + m * kSpeeds, row_of(f, row), (size_t)kSpeeds * sizeof(double));
      f->unknown[m++] = row;
    }
  *held = m;
  *massless = prepare_motion(f, m);
  for (i = 0; i < m; ++i) f->target[i] = 0.0;
  for (j = 0; j < c->rows; ++j)
    if (!solve_motion(f, m, *massless, row_of(f, c->row[j]), f->target, f->answer + j * kSpeeds)) return 0;
  for (i = 0; i < c->rows; ++i)
    for (j = 0; j < c->rows; ++j)
      f->w[i * c->rows + j] = dot_n(row_of(f, c->row[i]), f->answer + j * kSpeeds, kSpeeds);
  return 1;
}

static double still_speed(const Fmu *f, int row) {
  const double *const a = row_of(f, row), *const u = f->d.x + kCoordinates;
  double size = 0.0;
  int i;
  for (i = 0; i < kSpeeds; ++i) size += fabs(a[i] * u[i]);
  size += fabs(speed_of(f, row) - dot_n(a, u, kSpeeds));
  return kStillSpeed * fmax(1.0, size);
}

static int touches(const Fmu *f, int contact) {
  return !kContactTable[contact].compliant && (f->d.state_of[contact] || gap_of(f, contact) <= kTouchGap);
}

// Frictions that have a say: of the contacts of the choice, and, unless it is an impact, those whose limit is known.
static void add_frictions(Fmu *f, Choice *c, int impact) {
  int i, k;
  c->frictions = 0;
  for (i = 0; i < kFrictions; ++i) {
    const FmuFriction *const t = &kFrictionTable[i];
    const int j = c->frictions;
    double slow;
    c->of[j] = -1;
    if (is_rigid(t->contact)) {
      for (k = 0; k < c->contacts; ++k)
        if (c->contact[k] == t->contact) c->of[j] = k;
      if (c->of[j] < 0) continue;
    } else if (impact || !(known_limit(f, i, t->contact < 0 ? stiction_of(f, i) : 1.0) > 0.0)) {
      continue;
    }
    c->friction[j] = i, c->size[j] = 1 + in_plane(i), c->first[j] = c->rows;
    for (k = 0; k < c->size[j]; ++k) c->row[c->rows++] = t->rows[k];
    slow = in_plane(i) ? fmax(still_speed(f, t->rows[0]), 1.5 * stop_speed(f, i)) : still_speed(f, t->rows[0]);
    // One that has come to the end of its sliding may hold, however late that was noticed.
    if (!impact && fabs(speed_of(f, t->rows[0]) - f->ended[i]) <= still_speed(f, t->rows[0])) slow = INFINITY;
    c->known[j] = !impact && sliding_speed(f, i) > slow;
    if (c->known[j])
      for (k = 0; k < c->size[j]; ++k) c->direction[j][k] = speed_of(f, t->rows[k]) / sliding_speed(f, i);
    c->leaving[j] = 0;
    c->coefficient[j][0] = c->of[j] < 0 ? 0.0 : impact ? kinetic_of(f, i) : stiction_of(f, i);
    c->coefficient[j][1] = c->of[j] < 0 ? 0.0 : kinetic_of(f, i);
    c->limit[j][0] = c->of[j] < 0 ? known_limit(f, i, stiction_of(f, i)) : 0.0;
    c->limit[j][1] = c->of[j] < 0 ? known_limit(f, i, kinetic_of(f, i)) : 0.0;
    // A friction from rest that begins to slide has passed its static limit; the step to the kinetic one comes with sliding.
    if (!c->known[j] && !impact) c->coefficient[j][1] = fmin(c->coefficient[j][1], c->coefficient[j][0]);
    ++c->frictions;
  }
}

static double kinetic_energy(const Fmu *f, const double *u) {
  double twice = 0.0;
  int i;
  for (i = 0; i < kSpeeds; ++i) twice += u[i] * dot_n(f->terms + i * kSpeeds, u, kSpeeds);
  return 0.5 * twice;
}

static int solve_impact(Fmu *f, Choice *c, int elastic, const double *before, double *u) {
  int i;
  for (i = 0; i < c->rows; ++i) f->v0[i] = speed_of(f, c->row[i]);
  for (i = 0; i < c->contacts && elastic; ++i) f->v0[i] *= 1.0 + restitution_of(f, c->contact[i]);
  if (!find_choice(f, c)) return 0;
  memcpy(u, before, kSpeeds * sizeof(double));
  for (i = 0; i < c->rows; ++i) add_n(u, f->p[i], f->answer + i * kSpeeds, kSpeeds);
  return 1;
}

// One round of impacts. 0: nothing that touches approaches; -1: there is no solution.
static int impact_round(Fmu *f) {
  Choice c;
  double *const u = f->d.x + kCoordinates;
  double before, plastic[kSpeeds + 1];
  int i, j, held, massless, approaches = 0, together = 1, rebounds = 0;
  calc_terms(f, f->d.x);
  memset(&c, 0, sizeof c);
  for (i = 0; i < kContacts; ++i)
    if (touches(f, i)) {
      f->d.fastest[i] = fmax(f->d.fastest[i], -speed_of(f, kContactTable[i].row));
      together = together && restitution_of(f, i) == 0.0;
    }
  for (i = 0; i < kContacts; ++i) {
    const int row = kContactTable[i].row;
    const int closing = touches(f, i) && speed_of(f, row) < -still_speed(f, row);
    approaches = approaches || closing;
    if (!closing && !(together && touches(f, i))) continue;
    c.row[c.rows++] = row, c.contact[c.contacts++] = i;
    rebounds = rebounds || restitution_of(f, i) > 0.0;
  }
  if (!approaches) return 0;
  add_frictions(f, &c, 1);
  if (!form_response(f, &c, &held, &massless)) return -1;
  memcpy(f->start_u, u, kSpeeds * sizeof(double));
  before = kinetic_energy(f, u);
  if (!solve_impact(f, &c, rebounds, f->start_u, u)) return -1;
  for (i = 0; i < kRows; ++i)  // something that moves by itself does work
    if (fabs(speed_of(f, i) - dot_n(row_of(f, i), f->start_u, kSpeeds)) > 1e-14) rebounds = 0;
  if (rebounds && c.rows > 1 && kinetic_energy(f, u) > before) {
    // Newton's law with friction may gain energy: the largest part of the rebound that does not.
    double squared = 0.0, mixed = 0.0, root, s;
    memcpy(f->work, u, kSpeeds * sizeof(double));
    if (!solve_impact(f, &c, 0, f->start_u, plastic)) return 1;
    for (i = 0; i < kSpeeds; ++i) {
      double md = 0.0;
      for (j = 0; j < kSpeeds; ++j) md += f->terms[i * kSpeeds + j] * (f->work[j] - plastic[j]);
      squared += 0.5 * (f->work[i] - plastic[i]) * md, mixed += plastic[i] * md;
    }
    if (!(squared > 0.0)) return 1;
    root = sqrt(fmax(0.0, mixed * mixed - 4.0 * squared * (kinetic_energy(f, plastic) - before)));
    s = fmin(1.0, fmax(0.0, (-mixed + root) / (2.0 * squared)));
    for (i = 0; i < kSpeeds; ++i) u[i] = plastic[i] + s * (f->work[i] - plastic[i]);
  }
  return 1;
}

// New states of all contacts and frictions. 0: no finite forces exist.
static int find_states(Fmu *f) {
  Choice c;
  int i, j, held, massless, row;
  double tolerance = 0.0, least = 0.0;
  memset(&c, 0, sizeof c);
  fmu_calc(f, f->d.time, f->d.x, f->y);  // forces of the present states: which frictions reach their limits
  for (i = 0; i < kContacts; ++i) {
    double rest;
    row = kContactTable[i].row;
    if (!touches(f, i)) continue;
    rest = still_speed(f, row);
    if (restitution_of(f, i) < 1.0) rest = fmax(fmax(rest, kRestSpeed * f->d.fastest[i]), kTouchGap / kInTouch);
    if (speed_of(f, row) > rest) continue;
    c.row[c.rows++] = row, c.contact[c.contacts++] = i;
  }
  add_frictions(f, &c, 0);
  for (j = 0; j < c.frictions; ++j) {
    i = kContacts + c.friction[j];
    c.leaving[j] = f->d.state_of[i] == kStick && f->y[kFirstChange + i] - f->d.lift[i] <= 0.0;
  }
  if (!form_response(f, &c, &held, &massless)) return 0;
  memcpy(f->force, f->terms + kFirstRhs, kSpeeds * sizeof(double));
  for (i = 0; i < kContacts; ++i)
    if (kContactTable[i].compliant) add_n(f->force, compliant_force(f, i), row_of(f, kContactTable[i].row), kSpeeds);
  for (i = 0; i < held; ++i) f->target[i] = f->terms[kFirstGamma + f->unknown[i]];
  if (!solve_motion(f, held, massless, f->force, f->target, f->udot)) return 0;
  for (i = 0; i < c.rows; ++i)
    f->v0[i] = dot_n(row_of(f, c.row[i]), f->udot, kSpeeds) - f->terms[kFirstGamma + c.row[i]];
  if (!find_choice(f, &c)) return 0;
  for (i = 0; i < c.rows; ++i) {
    least = fmax(least, fabs(f->p[i])), tolerance = fmax(tolerance, fabs(f->v0[i]));
    for (j = 0; j < c.rows; ++j) tolerance = fmax(tolerance, fabs(f->w[i * c.rows + j] * f->p[j]));
  }
  tolerance = 1e-9 * tolerance + 1e-300;
  memset(f->d.state_of, 0, sizeof f->d.state_of);
  for (i = 0; i < c.contacts; ++i)
    f->d.state_of[c.contact[i]] = c.closed[i] && (f->p[i] > 1e-12 * least || f->p[i] == 0.0) ? kShut : kOpen;
  for (j = 0; j < c.frictions; ++j) {
    i = c.friction[j];
    if (c.of[j] >= 0 && f->d.state_of[c.contact[c.of[j]]] == kOpen) continue;
    f->d.state_of[kContacts + i] = c.state[j];
    if (c.state[j] == kStick) {
      f->d.fastest[kContacts + i] = 0.0;
      continue;
    }
    f->d.direction[i][0] = c.direction[j][0], f->d.direction[i][1] = c.direction[j][1];
    f->d.fastest[kContacts + i] = fmax(f->d.fastest[kContacts + i], sliding_speed(f, i));
  }
  return 1;
}

// ---- derivatives ------------------------------------------------------------------------------------------------------------

// The force of a friction that slides.
static double size_of_friction(const Fmu *f, int friction) {
  const int contact = kFrictionTable[friction].contact;
  const double coefficient = kinetic_of(f, friction);
  return is_rigid(contact) ? coefficient * f->solved[kStates + kSpeeds + kContactTable[contact].row]
                           : known_limit(f, friction, coefficient);
}

// Component k of the change of its direction d = v / |v| in a plane: (v' - d (d . v')) / |v|.
static double turning(const Fmu *f, int friction, int k, const double d[2]) {
  const int *rows = kFrictionTable[friction].rows;
  const double speed = sliding_speed(f, friction);
  const double *const change = f->tangents + kTangentMotion;
  double along;
  if (rows[1] < 0 || !(speed > 0.5 * stop_speed(f, friction))) return 0.0;
  along = d[0] * change[rows[0]] + d[1] * change[rows[1]];
  if (d[0] * speed_of(f, rows[0]) + d[1] * speed_of(f, rows[1]) < 0.0) return -(change[rows[k]] - d[k] * along) / speed;
  return (change[rows[k]] - d[k] * along) / speed;
}

// Accelerations and multipliers along the seeds, from the derivatives of M udot - rhs - A^T lambda and A udot - gamma at constant
// accelerations and multipliers: they become seeds of the second evaluation.
//   M dudot - A^T dlambda = -d(balance),  A dudot = -d(A udot - gamma);  known forces and frictions that slide follow theirs.
static int solve_tangent(Fmu *f) {
  const double *const lambda = f->solved + kStates + kSpeeds;
  double *const du = f->seeds + kAllStates + kSeedSolved, *const dlambda = du + kSpeeds;
  const double *const d_contact = f->tangents + kTangentValues, *const d_friction = d_contact + 2 * kContacts;
  double d[2];
  int i, k, m;
  for (i = 0; i < kSpeeds; ++i) f->force[i] = -f->tangents[kTangentBalance + i];
  memset(dlambda, 0, kRows * sizeof(double));
  for (i = 0; i < kContacts; ++i)
    if (kContactTable[i].compliant && compliant_force(f, i) > 0.0) {
      dlambda[kContactTable[i].row] = d_contact[2 * i + 1];
      add_n(f->force, d_contact[2 * i + 1], row_of(f, kContactTable[i].row), kSpeeds);
    }
  for (i = 0; i < kFrictions; ++i) {
    const int contact = kFrictionTable[i].contact;
    double change;
    if (f->d.state_of[kContacts + i] != kSlide) continue;
    sliding_direction(f, i, d);
    if (is_rigid(contact))
      change = d_friction[2 * i] * lambda[kContactTable[contact].row];
    else
      change = contact < 0 ? d_friction[2 * i]
                           : d_friction[2 * i] * compliant_force(f, contact) + kinetic_of(f, i) * dlambda[kContactTable[contact].row];
    for (k = 0; k < 1 + in_plane(i); ++k) {
      const int row = kFrictionTable[i].rows[k];
      dlambda[row] = -d[k] * change - size_of_friction(f, i) * turning(f, i, k, d);
      add_n(f->force, dlambda[row], row_of(f, row), kSpeeds);
    }
  }
  f->enforced = m = collect_enforced(f);
  for (i = 0; i < m; ++i) f->target[i] = -f->tangents[kTangentGamma + f->unknown[i]];
  if (!solve_motion(f, m, prepare_motion(f, m), f->force, f->target, du)) return 0;
  for (i = 0; i < m; ++i) dlambda[f->unknown[i]] = f->multiplier[i];
  for (i = 0; i < kFrictions; ++i) {
    const int contact = kFrictionTable[i].contact;
    if (f->d.state_of[kContacts + i] != kSlide || !is_rigid(contact)) continue;
    sliding_direction(f, i, d);
    for (k = 0; k < 1 + in_plane(i); ++k)
      dlambda[kFrictionTable[i].rows[k]] -= kinetic_of(f, i) * d[k] * dlambda[kContactTable[contact].row];
  }
  return 1;
}

// ---- events ---------------------------------------------------------------------------------------------------------------------

// Contacts that an importer noticed late are moved apart by the shortest way.
static void push_apart(Fmu *f) {
  enum { kMaxIterations = 5 };
  int i, k, turn, n;
  for (turn = 0; turn < kMaxIterations; ++turn) {
    calc_closure(f);
    n = f->phi_count;
    for (i = 0, k = 0; i < kContacts; ++i) {
      const int place = kPhiOfRow[kContactTable[i].row];
      if (kContactTable[i].compliant || f->d.state_of[i] || !(f->all_rows[place] < -kTouchGap)) continue;
      f->closing[n] = f->all_rows[place];
      memcpy(f->closing + kFirstPhiQ + n * kCoordinates, f->all_rows + kFirstPhiQ + place * kCoordinates,
             kCoordinates * sizeof(double));
      ++n, ++k;
    }
    if (k == 0) return;
    add_shortest(f, f->closing + kFirstPhiQ, f->closing, n, kCoordinates, f->d.x);
  }
}

// Constraints act at once: M (u+ - u) = A^T impulse, A u+ + b = 0. Those that are held, or all rows that are enforced.
static int impose(Fmu *f, int all) {
  int i, row, m = 0;
  calc_terms(f, f->d.x);
  for (row = 0; row < kRows; ++row)
    if ((all ? row_enforced(f, row) : f->d.held[row]) & kHeldMotion) {
      memcpy(f->push + m * kSpeeds, row_of(f, row), (size_t)kSpeeds * sizeof(double));
      f->unknown[m++] = row;
    }
  if (m == 0) return 1;
  memset(f->force, 0, sizeof f->force);
  for (i = 0; i < m; ++i) f->target[i] = -speed_of(f, f->unknown[i]);
  if (!solve_motion(f, m, prepare_motion(f, m), f->force, f->target, f->udot)) return 0;
  add_n(f->d.x + kCoordinates, 1.0, f->udot, kSpeeds);
  return 1;
}

// After a step: frictions remember the direction and the speed of their sliding.
static void note_step(Fmu *f) {
  int i;
  calc_terms(f, f->d.x);
  for (i = 0; i < kFrictions; ++i) {
    const int k = kContacts + i;
    double d[2];
    if (f->d.state_of[k] != kSlide || !in_plane(i)) continue;
    sliding_direction(f, i, d);
    f->d.direction[i][0] = d[0], f->d.direction[i][1] = d[1];
    f->d.fastest[k] = fmax(f->d.fastest[k], sliding_speed(f, i));
    if (sliding_speed(f, i) > 2.0 * stop_speed(f, i)) f->d.lift[k] = 0.0;
  }
}

// Impacts, then new states, at the present state. 0: the run cannot go on.
static int fmu_settle(Fmu *f, int imposed) {
  enum { kMaxRounds = 500 };
  int i, r;
  f->d.settle_due = 0;
  fmu_list_rows(f);
  fmu_calc(f, f->d.time, f->d.x, f->y);
  for (i = 0; i < kFrictions; ++i) {
    const double speed = speed_of(f, kFrictionTable[i].rows[0]);
    const int ends = f->d.state_of[kContacts + i] == kSlide && !in_plane(i) &&
                     f->d.direction[i][0] * speed + f->d.lift[kContacts + i] <= 0.0;
    f->ended[i] = ends ? speed : NAN;
  }
  push_apart(f);
  if (imposed && !impose(f, 0)) return 0;
  for (i = 0; i < kMaxRounds; ++i) {
    r = impact_round(f);
    if (r < 0) return 0;
    if (r == 0) break;
    fmu_say(f, kOk, kLogEvents, "impact at t = %.9g", f->d.time);
  }
  if (!find_states(f)) return 0;
  fmu_list_rows(f);
  if (!impose(f, 1)) return 0;  // what is left of rebounds that end at rest
  fmu_project(f);
  memset(f->d.lift, 0, sizeof f->d.lift);
  fmu_calc(f, f->d.time, f->d.x, f->y);
  for (i = 0; i < kChanges; ++i) {
    const double z = f->y[kFirstChange + i];
    const int friction = i - kContacts;
    if (i < kContacts) {
      const int row = kContactTable[i].row;
      const int leaves = !f->d.state_of[i] && speed_of(f, row) > still_speed(f, row);
      if (!kContactTable[i].compliant && z < kLift && (f->d.state_of[i] || z > -1e-6))
        f->d.lift[i] = leaves ? kGapRounding + fmax(0.0, -z) : kLift - z;
    } else if (f->d.state_of[i] != kIdle && z < kLift) {
      f->d.lift[i] = kLift - z;
      // One that slides slowly in a plane and cannot hold is asked again when it is half as fast.
      if (f->d.state_of[i] == kSlide && in_plane(friction)) f->d.lift[i] += 0.5 * sliding_speed(f, friction);
    }
  }
  f->new_results = 1;
  return 1;
}

#endif
#endif

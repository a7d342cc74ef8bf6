// Assembly, initial velocities, statics and motion of the code in the form of SD/FAST.

#include "kane/export/sdfast_export.hpp"

namespace kane {

// clang-format off
std::string_view sdfast_analyses() {
  return R"CODE(/* the derivatives of the state, with the user's motions and loads. status 1: the constraints are violated by more than ctol */
static int at_state(double t, double *state)
{
    int routine, number;
    sdstate(t, state, state + NQ);
    sdumotion(t, state, state + NQ);
    sduforce(t, state, state + NQ);
    sderror(&routine, &number);
    return number != 0;
}
void sdmotfunc(double t, double *state, double *dstate, double *param, int *status)
{
    double errs[NC+1];
    int c, k;
    *status = at_state(t, state);
    if (*status) return;
    for (k = 0; k < 2; k++) {
        if (k == 0) sdperr(errs);
        else sdverr(errs);
        for (c = 0; c < NC; c++)
            if (!(fabs(errs[c]) <= param[0])) { *status = 1; return; }
    }
    sdderiv(dstate, dstate + NQ);
    {
        int routine, number;
        sderror(&routine, &number);
        *status = number != 0;
    }
}
/* err 0: done; 1: the derivatives could not be found, or the constraints left ctol; 2: the step became too small */
void sdmotion(double *time, double *state, double *dstate, double dt, double ctol, double tol, int *flag, int *err)
{
    static double step;
    double work[4*(NQ+NU+1)], param[1];
    int which, status;
    param[0] = ctol;
    *err = 0;
    if (*flag != 0) {
        sdmotfunc(*time, state, dstate, param, &status);
        if (status) { *err = 1; return; }
        step = dt;
        *flag = 0;
    }
    sdvinteg(sdmotfunc, time, state, dstate, param, dt, &step, NQ + NU, tol, work, err, &which);
    sdnormst(state, state);
}
void sdfmotion(double *time, double *state, double *dstate, double dt, double ctol, int *flag, double *errest, int *err)
{
    double work[4*(NQ+NU+1)], param[1];
    int status;
    param[0] = ctol;
    *err = 0;
    if (*flag != 0) {
        sdmotfunc(*time, state, dstate, param, &status);
        if (status) { *err = 1; return; }
        *flag = 0;
    }
    sdfinteg(sdmotfunc, time, state, dstate, param, dt, NQ + NU, work, errest, err);
    sdnormst(state, state);
}

/* the shortest x with J x = b in the sense of least squares: Levenberg's equations (J'J + s) x = J'b; locked columns stay 0 */
static void least(int rows, int cols, const double *J, const double *b, double damp, double *x)
{
    static double N[NV_+1][NV_+2];
    int i, j, k;
    for (i = 0; i < cols; i++) {
        for (j = 0; j < cols; j++) {
            N[i][j] = i == j ? damp : 0.;
            for (k = 0; k < rows; k++) N[i][j] += J[k*cols+i]*J[k*cols+j];
        }
        N[i][cols] = 0.;
        for (k = 0; k < rows; k++) N[i][cols] += J[k*cols+i]*b[k];
    }
    for (i = 0; i < cols; i++) {
        if (N[i][i] <= 0.) N[i][i] = 1.;
        for (j = i + 1; j < cols; j++) {
            double f = N[j][i]/N[i][i];
            for (k = i; k <= cols; k++) N[j][k] -= f*N[i][k];
        }
    }
    for (i = cols - 1; i >= 0; i--) {
        x[i] = N[i][cols];
        for (k = i + 1; k < cols; k++) x[i] -= N[i][k]*x[k];
        x[i] /= N[i][i];
    }
}
static double largest(int n, const double *x)
{
    double m = 0.;
    int i;
    for (i = 0; i < n; i++)
        if (!(fabs(x[i]) <= m)) m = fabs(x[i]);
    return m;
}
/* lets the positions (or the speeds) that are not locked satisfy the constraints. err 0: done; 1: impossible from here;
   2: maxevals evaluations were not enough */
static void satisfy(double time, double *state, int *lock, double tol, int maxevals, int *fcnt, int *err, int velocity)
{
    double J[(NC+1)*(NU+1)], errs[NC+1], x[NU+1], before = -1.;
    int c, r, stuck = 0;
    *fcnt = 0;
    for (;;) {
        sdstate(time, state, state + NQ);
        sdumotion(time, state, state + NQ);
        ++*fcnt;
        if (!sdcoefs_(J, errs, velocity)) { *err = 1; return; }
        if (largest(NC, errs) <= tol) { *err = 0; return; }
        if (*fcnt >= maxevals) { *err = 2; return; }
        stuck = before >= 0. && largest(NC, errs) >= .999*before ? stuck + 1 : 0;
        if (stuck > 20) { *err = 1; return; }
        before = largest(NC, errs);
        for (c = 0; c < NC; c++) {
            errs[c] = -errs[c];
            for (r = 0; r < NU; r++)
                if (lock[r]) J[c*NU+r] = 0.;
        }
        least(NC, NU, J, errs, 1e-14*(1. + before), x);
        for (r = 0; r < NU; r++)
            if (lock[r]) x[r] = 0.;
        if (velocity)
            for (r = 0; r < NU; r++) state[NQ+r] += x[r];
        else {
            double scale = largest(NU, x) > .5 ? .5/largest(NU, x) : 1.;
            for (r = 0; r < NU; r++) x[r] *= scale;
            sdqstep_(state, x);
        }
    }
}
void sdassemble(double time, double *state, int *lock, double tol, int maxevals, int *fcnt, int *err)
{
    satisfy(time, state, lock, tol, maxevals, fcnt, err, 0);
}
void sdinitvel(double time, double *state, int *lock, double tol, int maxevals, int *fcnt, int *err)
{
    satisfy(time, state, lock, tol, maxevals, fcnt, err, 1);
}

/* accelerations and errors of constraints; with speeds zero for statics */
static int residual(double time, double *state, int steady, double *out)
{
    double dstate[NQ+NU+1];
    int r, bad;
    if (!steady)
        for (r = 0; r < NU; r++) state[NQ+r] = 0.;
    bad = at_state(time, state);
    sdperr(out + NU);
    sdverr(out + NU + NC);
    sdderiv(dstate, dstate + NQ);
    for (r = 0; r < NU; r++) out[r] = dstate[NQ+r];
    return !bad;
}
static void balance(double time, double *state, int *lock, double ctol, double tol, int maxevals, int *fcnt, int *err,
                    int steady)
{
    enum { ROWS = NU + 2*NC };
    static double J[(ROWS+1)*(2*NU+1)];
    double f[ROWS+1], g[ROWS+1], x[2*NU+1], trial[NQ+NU+1], step[NU+1], damp = 1e-8;
    int cols = steady ? 2*NU : NU, i, j, r, tries;
    *fcnt = 1;
    if (!residual(time, state, steady, f)) { *err = 1; return; }
    for (tries = 0; tries < 1000; tries++) {
        double size = 0., next = 0.;
        for (i = 0; i < ROWS; i++) size += f[i]*f[i];
        if (largest(NU, f) <= tol && largest(2*NC, f + NU) <= ctol) { *err = 0; return; }
        for (j = 0; j < cols; j++) {
            double h = 1e-7;
            for (i = 0; i < NQ + NU; i++) trial[i] = state[i];
            for (r = 0; r < NU; r++) step[r] = 0.;
            if (lock[j]) { for (i = 0; i < ROWS; i++) J[i*cols+j] = 0.; continue; }
            if (j < NU) { step[j] = h; sdqstep_(trial, step); }
            else trial[NQ+j-NU] += h;
            if (!residual(time, trial, steady, g)) { *err = 1; return; }
            ++*fcnt;
            for (i = 0; i < ROWS; i++) J[i*cols+j] = (g[i] - f[i])/h;
        }
        if (*fcnt >= maxevals) { *err = 2; return; }
        for (;;) {
            for (i = 0; i < ROWS; i++) g[i] = -f[i];
            least(ROWS, cols, J, g, damp, x);
            for (i = 0; i < NQ + NU; i++) trial[i] = state[i];
            for (r = 0; r < NU; r++) step[r] = lock[r] ? 0. : x[r];
            sdqstep_(trial, step);
            for (r = 0; steady && r < NU; r++)
                if (!lock[NU+r]) trial[NQ+r] += x[NU+r];
            ++*fcnt;
            next = 0.;
            if (residual(time, trial, steady, g))
                for (i = 0; i < ROWS; i++) next += g[i]*g[i];
            else
                next = 2.*size;
            if (next < size) break;
            damp = damp > 0. ? 10.*damp : 1e-8;
            if (damp > 1e12) { *err = 1; return; }
            if (*fcnt >= maxevals) { *err = 2; return; }
        }
        damp *= .1;
        for (i = 0; i < NQ + NU; i++) state[i] = trial[i];
        for (i = 0; i < ROWS; i++) f[i] = g[i];
    }
    *err = 2;
}
/* lock: NU entries for sdstatic; 2 NU entries (positions, then speeds) for sdsteady */
void sdstatic(double time, double *state, int *lock, double ctol, double tol, int maxevals, int *fcnt, int *err)
{
    balance(time, state, lock, ctol, tol, maxevals, fcnt, err, 0);
}
void sdsteady(double time, double *state, int *lock, double ctol, double tol, int maxevals, int *fcnt, int *err)
{
    balance(time, state, lock, ctol, tol, maxevals, fcnt, err, 1);
}
)CODE";
}
// clang-format on

}  // namespace kane

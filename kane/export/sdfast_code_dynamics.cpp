// Kinematics, Kane's equations and constraints of the code in the form of SD/FAST.

#include "kane/export/sdfast_export.hpp"

namespace kane {

// clang-format off
std::string_view sdfast_dynamics() {
  return R"CODE(/* ---- vectors ---------------------------------------------------------------------------------------------------- */
static double dot3(const double a[3], const double b[3]) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }
static void cross3(const double a[3], const double b[3], double c[3])
{
    double x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
    c[0] = x; c[1] = y; c[2] = z;
}
static void add3(double s, const double a[3], double c[3]) { c[0] += s*a[0]; c[1] += s*a[1]; c[2] += s*a[2]; }
static void copy3(const double a[3], double c[3]) { c[0] = a[0]; c[1] = a[1]; c[2] = a[2]; }
/* c += w x d */
static void addcross3(const double w[3], const double d[3], double c[3])
{
    double t[3];
    cross3(w, d, t);
    add3(1., t, c);
}
static void mulvec(double m[3][3], const double a[3], double c[3])
{
    int i;
    double t[3];
    for (i = 0; i < 3; i++) t[i] = m[i][0]*a[0] + m[i][1]*a[1] + m[i][2]*a[2];
    copy3(t, c);
}
static void multransvec(double m[3][3], const double a[3], double c[3])
{
    int i;
    double t[3];
    for (i = 0; i < 3; i++) t[i] = m[0][i]*a[0] + m[1][i]*a[1] + m[2][i]*a[2];
    copy3(t, c);
}
static void mulmat(double a[3][3], double b[3][3], double c[3][3])
{
    int i, j;
    double t[3][3];
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) t[i][j] = a[i][0]*b[0][j] + a[i][1]*b[1][j] + a[i][2]*b[2][j];
    for (i = 0; i < 3; i++) copy3(t[i], c[i]);
}
/* rotation by an angle about an axis of any length */
static void turn(const double axis[3], double angle, double c[3][3])
{
    double n = sqrt(dot3(axis, axis)), x = axis[0]/n, y = axis[1]/n, z = axis[2]/n;
    double s = sin(angle), k = cos(angle), v = 1. - k;
    c[0][0] = k + x*x*v;   c[0][1] = x*y*v - z*s; c[0][2] = x*z*v + y*s;
    c[1][0] = y*x*v + z*s; c[1][1] = k + y*y*v;   c[1][2] = y*z*v - x*s;
    c[2][0] = z*x*v - y*s; c[2][1] = z*y*v + x*s; c[2][2] = k + z*z*v;
}

/* ---- state of the routines -------------------------------------------------------------------------------------- */
static int stage = 0; /* 0 new, 1 initialized, 2 sdstate done, 3 sdderiv done */
static double now, q[NQ+1], u[NU+1], qd[NQ+1], ud[NU+1];
static double C[NB][3][3], pos[NB][3], vel[NB][3], w[NB][3];   /* body to ground; mass centre; in ground axes */
static double acc[NB][3], alf[NB][3];                          /* of the last call of move() */
static double hinge[NB][3];                                    /* outboard hinge point, in ground axes */
static double axis_n[NU+1][3], axis_at[NU+1][3];               /* direction and a point of each degree of freedom */
static double force[NB][3], torque[NB][3], tau[NU+1];          /* loads: ground axes, at the mass centre */
static double prpos[NU+1], prvel[NU+1], pracc[NU+1];
static double mult[NT+1];
static int active[NT+1], rank_;
static double cforce[NB][3], ctorque[NB][3], ctau[NU+1];       /* those of user constraints */
static double M[NU+1][NU+1], L[NU+1][NU+1], A[NC+1][NU+1], f0[NU+1];
static double stabvel = 0., stabpos = 0.;

/* joint by joint: positions, velocities, and accelerations for the given udot (0: those with udot = 0) */
static void move(const double *udot)
{
    int k, i, j, m;
    for (k = 0; k < NB; k++) {
        int p = inb[k];
        double R[3][3], X[3], V[3], W[3], a[3], al[3], d[3], t[3];
        if (p < 0) {
            for (i = 0; i < 3; i++) {
                X[i] = V[i] = W[i] = a[i] = al[i] = 0.;
                for (j = 0; j < 3; j++) R[i][j] = i == j;
            }
        } else {
            for (i = 0; i < 3; i++) copy3(C[p][i], R[i]);
            copy3(pos[p], X); copy3(vel[p], V); copy3(w[p], W); copy3(acc[p], a); copy3(alf[p], al);
        }
#define SHIFT /* of the point by d, fixed in the present frame */ \
        add3(1., d, X); addcross3(W, d, V); addcross3(al, d, a); cross3(W, d, t); addcross3(W, t, a)
        mulvec(R, itj[k], d);
        SHIFT;
        mulmat(R, rin[k], R);
        for (m = mfirst[k]; m < mfirst[k+1]; m++) {
            int r = mdof[m];
            double e[3], T[3][3], s;
            if (mkind[m] == 'b') {
                double rel[3] = {0., 0., 0.}, e4 = q[bq4[k]], x = q[r], y = q[r+1], z = q[r+2];
                T[0][0] = 1. - 2.*(y*y + z*z); T[0][1] = 2.*(x*y - z*e4); T[0][2] = 2.*(x*z + y*e4);
                T[1][0] = 2.*(x*y + z*e4); T[1][1] = 1. - 2.*(x*x + z*z); T[1][2] = 2.*(y*z - x*e4);
                T[2][0] = 2.*(x*z - y*e4); T[2][1] = 2.*(y*z + x*e4); T[2][2] = 1. - 2.*(x*x + y*y);
                mulmat(R, T, R);
                for (i = 0; i < 3; i++) {
                    for (j = 0; j < 3; j++) axis_n[r+i][j] = R[j][i];
                    copy3(X, axis_at[r+i]);
                    add3(u[r+i], axis_n[r+i], rel);
                }
                addcross3(W, rel, al);
                if (udot) for (i = 0; i < 3; i++) add3(udot[r+i], axis_n[r+i], al);
                add3(1., rel, W);
                continue;
            }
            s = sqrt(dot3(pin[m], pin[m]));
            for (i = 0; i < 3; i++) e[i] = pin[m][i]/s;
            mulvec(R, e, e);
            s = r < 0 ? mvalue[m] : q[r];
            if (r >= 0) { copy3(e, axis_n[r]); copy3(X, axis_at[r]); }
            if (mkind[m] == 't') {
                for (i = 0; i < 3; i++) d[i] = s*e[i];
                SHIFT;
                if (r >= 0) {
                    add3(u[r], e, V);
                    cross3(W, e, t);
                    add3(2.*u[r], t, a);
                    if (udot) add3(udot[r], e, a);
                }
            } else {
                if (r >= 0) {
                    cross3(W, e, t);
                    add3(u[r], t, al);
                    add3(u[r], e, W);
                    if (udot) add3(udot[r], e, al);
                }
                turn(pin[m], s, T);
                mulmat(R, T, R);
            }
        }
        mulmat(R, rout[k], R);
        copy3(X, hinge[k]);
        mulvec(R, btj[k], d);
        for (i = 0; i < 3; i++) d[i] = -d[i];
        SHIFT;
        for (i = 0; i < 3; i++) copy3(R[i], C[k][i]);
        copy3(X, pos[k]); copy3(V, vel[k]); copy3(W, w[k]); copy3(a, acc[k]); copy3(al, alf[k]);
    }
}

/* partial velocity of a point of body k, and partial angular velocity, for degree of freedom r */
static void partial(int k, int r, const double at[3], double v[3], double om[3])
{
    double d[3];
    int i;
    for (i = 0; i < 3; i++) v[i] = om[i] = 0.;
    if (k < 0 || !moves[k][r]) return;
    if (slides[r]) { copy3(axis_n[r], v); return; }
    copy3(axis_n[r], om);
    for (i = 0; i < 3; i++) d[i] = at[i] - axis_at[r][i];
    cross3(axis_n[r], d, v);
}

static void inertia_times(int k, const double a[3], double b[3])
{
    double t[3];
    multransvec(C[k], a, t);
    mulvec(iner[k], t, t);
    mulvec(C[k], t, b);
}

/* hinge torque with the spring and the damper of the joint */
static double hinge_load(int r) { return tau[r] - spring[r]*(q[r] - rest[r]) - damper[r]*u[r]; }

/* M, and f for the accelerations that move() found */
static void inertia_and_forces(void)
{
    int k, r, s, i;
    for (r = 0; r < NU; r++) {
        f0[r] = hinge_load(r);
        for (s = 0; s < NU; s++) M[r][s] = 0.;
    }
    for (k = 0; k < NB; k++) {
        double v[NU+1][3], om[NU+1][3], Iom[3], F[3], T[3], h[3];
        inertia_times(k, w[k], h);
        cross3(h, w[k], T);
        add3(1., torque[k], T);
        inertia_times(k, alf[k], h);
        add3(-1., h, T);
        for (i = 0; i < 3; i++) F[i] = force[k][i] + mass[k]*(grav[i] - acc[k][i]);
        for (r = 0; r < NU; r++) {
            if (!moves[k][r]) continue;
            partial(k, r, pos[k], v[r], om[r]);
            f0[r] += dot3(v[r], F) + dot3(om[r], T);
            inertia_times(k, om[r], Iom);
            for (s = 0; s <= r; s++)
                if (moves[k][s]) {
                    M[r][s] += mass[k]*dot3(v[r], v[s]) + dot3(Iom, om[s]);
                    M[s][r] = M[r][s];
                }
        }
    }
}

/* ---- constraints ------------------------------------------------------------------------------------------------ */
/* velocity of a point, angular velocity of a body; the ground rests */
static void body_rate(int k, const double p[3], double v[3], double om[3])
{
    double d[3];
    int i;
    for (i = 0; i < 3; i++) v[i] = om[i] = 0.;
    if (k < 0) return;
    for (i = 0; i < 3; i++) d[i] = p[i] - pos[k][i];
    copy3(vel[k], v);
    copy3(w[k], om);
    addcross3(w[k], d, v);
}
static void body_acc(int k, const double p[3], double a[3], double al[3])
{
    double d[3], t[3];
    int i;
    for (i = 0; i < 3; i++) a[i] = al[i] = 0.;
    if (k < 0) return;
    for (i = 0; i < 3; i++) d[i] = p[i] - pos[k][i];
    copy3(acc[k], a);
    copy3(alf[k], al);
    addcross3(alf[k], d, a);
    cross3(w[k], d, t);
    addcross3(w[k], t, a);
}
static void place(int k, const double p[3], double x[3])
{
    if (k < 0) { copy3(p, x); return; }
    mulvec(C[k], p, x);
    add3(1., pos[k], x);
}
static void direct(int k, const double p[3], double x[3])
{
    if (k < 0) copy3(p, x);
    else mulvec(C[k], p, x);
}

/* one row: the errors of position, velocity and acceleration, and the coefficients of the speeds */
static void row(int c, double *perr, double *verr, double *aerr, double *coef)
{
    int i, r, l, p, o;
    double a[3], b[3], P[3], Q[3], D[3], vp[3], wp[3], vo[3], wo[3], ap[3], alp[3], ao[3], alo[3], t[3], s[3];
    for (r = 0; r < NU; r++) coef[r] = 0.;
    if (ckind[c] == 'p') { /* prescribed */
        r = cdof[c];
        *perr = q[r] - prpos[r]; *verr = u[r] - prvel[r]; *aerr = ud[r] - pracc[r];
        coef[r] = 1.;
        return;
    }
    l = cloop[c];
    p = linb[l];
    o = lout[l];
    place(p, litj[l], P);
    place(o, lbtj[l], Q);
    direct(p, ca[c], a);
    for (i = 0; i < 3; i++) D[i] = Q[i] - P[i];
    body_rate(p, P, vp, wp); body_rate(o, Q, vo, wo);
    body_acc(p, P, ap, alp); body_acc(o, Q, ao, alo);
    if (ckind[c] == 'd') { /* a fixed in the inboard body: a.(Q - P) = 0 */
        double ad[3], add[3];
        cross3(wp, a, ad);
        cross3(wp, ad, add);
        addcross3(alp, a, add);
        for (i = 0; i < 3; i++) { t[i] = vo[i] - vp[i]; s[i] = ao[i] - ap[i]; }
        *perr = dot3(a, D);
        *verr = dot3(a, t) + dot3(ad, D);
        *aerr = dot3(a, s) + 2.*dot3(ad, t) + dot3(add, D);
        for (r = 0; r < NU; r++) {
            double v1[3], o1[3], v2[3], o2[3];
            partial(o, r, Q, v2, o2);
            partial(p, r, Q, v1, o1); /* of the point of the inboard body that is now at Q */
            coef[r] = dot3(a, v2) - dot3(a, v1);
        }
        return;
    }
    { /* a fixed in the inboard, b in the outboard body: a.b = value */
        double ad[3], bd[3], n[3];
        direct(o, cb[c], b);
        cross3(wp, a, ad);
        cross3(wo, b, bd);
        cross3(wp, ad, t);
        addcross3(alp, a, t);
        cross3(wo, bd, s);
        addcross3(alo, b, s);
        *perr = dot3(a, b);
        *verr = dot3(ad, b) + dot3(a, bd);
        *aerr = dot3(t, b) + 2.*dot3(ad, bd) + dot3(a, s);
        cross3(b, a, n);
        for (r = 0; r < NU; r++) {
            double v1[3], o1[3], o2[3];
            partial(o, r, Q, v1, o2);
            partial(p, r, Q, v1, o1);
            coef[r] = dot3(n, o2) - dot3(n, o1);
        }
    }
}

static int on(int c) { return ckind[c] != 'p' || pres[cdof[c]]; }

/* ---- user constraints: what the program says in sduperr, sduverr, sduaerr and sduconsfrc ------------------------ */
#if NX > 0
#define OWN_ROWS(x) x
/* generalized forces of the loads that the program applies for these multipliers */
static void user_forces(const double *mults, double *g)
{
    double f[NB][3], t[NB][3], h[NU+1], m[NX], v[3], om[3];
    int k, r, i, keep = stage;
    memcpy(f, force, sizeof f); memcpy(t, torque, sizeof t); memcpy(h, tau, sizeof h);
    memset(force, 0, sizeof force); memset(torque, 0, sizeof torque); memset(tau, 0, sizeof tau);
    for (i = 0; i < NX; i++) m[i] = mults[i];
    sduconsfrc(now, q, u, m);
    memcpy(cforce, force, sizeof f); memcpy(ctorque, torque, sizeof t); memcpy(ctau, tau, sizeof h);
    memcpy(force, f, sizeof f); memcpy(torque, t, sizeof t); memcpy(tau, h, sizeof h);
    stage = keep;
    for (r = 0; r < NU; r++) {
        g[r] = ctau[r];
        for (k = 0; k < NB; k++)
            if (moves[k][r]) {
                partial(k, r, pos[k], v, om);
                g[r] += dot3(v, cforce[k]) + dot3(om, ctorque[k]);
            }
    }
}
/* the errors of acceleration are coef udot - bias; bias has the stabilization as well */
static void user_rows(double coef[NX][NU+1], double *bias)
{
    double zero[NX], err[NX], udot[NU+1], kept[NU+1];
    int c, r, i, keep = stage;
    memcpy(kept, ud, sizeof kept);
    stage = 3;
    for (r = -1; r < NU; r++) {
        for (i = 0; i < NU; i++) udot[i] = ud[i] = i == r;
        move(udot);
        sduaerr(now, q, u, udot, r < 0 ? zero : err);
        for (c = 0; c < NX && r >= 0; c++) coef[c][r] = err[c] - zero[c];
    }
    memcpy(ud, kept, sizeof kept);
    move(0);
    for (c = 0; c < NX; c++) bias[c] = -zero[c];
    sduverr(now, q, u, err);
    for (c = 0; c < NX; c++) bias[c] -= stabvel*err[c];
    sduperr(now, q, err);
    for (c = 0; c < NX; c++) bias[c] -= stabpos*err[c];
    stage = keep;
}
#else
#define OWN_ROWS(x)
#endif

/* ---- linear equations ------------------------------------------------------------------------------------------- */
/* M = L L'; 0 if a pivot vanishes */
static int cholesky(void)
{
    int i, j, k;
    for (i = 0; i < NU; i++)
        for (j = 0; j <= i; j++) {
            double s = M[i][j];
            for (k = 0; k < j; k++) s -= L[i][k]*L[j][k];
            if (i != j) L[i][j] = s/L[j][j];
            else if (s <= 1e-13*M[i][i]) return 0;
            else L[i][i] = sqrt(s);
        }
    return 1;
}
static void forward(double *b)
{
    int i, k;
    for (i = 0; i < NU; i++) {
        for (k = 0; k < i; k++) b[i] -= L[i][k]*b[k];
        b[i] /= L[i][i];
    }
}
static void backward(double *b)
{
    int i, k;
    for (i = NU - 1; i >= 0; i--) {
        for (k = i + 1; k < NU; k++) b[i] -= L[k][i]*b[k];
        b[i] /= L[i][i];
    }
}
#if NX > 0
/* x of S x = b by elimination with pivots from the whole matrix; what is not determined gets 0. Returns the rank. */
static int eliminate(int n, double S[NT+1][NT+1], const double *b, double *x, int *used)
{
    int i, j, k, rank, column[NT+1];
    double y[NT+1], top = 0.;
    for (i = 0; i < n; i++) { column[i] = i; y[i] = b[i]; x[i] = 0.; used[i] = 0; }
    for (rank = 0; rank < n; rank++) {
        int p = rank, o = rank;
        double t;
        for (i = rank; i < n; i++)
            for (j = rank; j < n; j++)
                if (fabs(S[i][column[j]]) > fabs(S[p][column[o]])) { p = i; o = j; }
        if (rank == 0) top = fabs(S[p][column[o]]);
        if (fabs(S[p][column[o]]) <= 1e-11*top) break;
        j = column[rank]; column[rank] = column[o]; column[o] = j;
        for (k = 0; k < n; k++) { t = S[rank][k]; S[rank][k] = S[p][k]; S[p][k] = t; }
        t = y[rank]; y[rank] = y[p]; y[p] = t;
        for (i = rank + 1; i < n; i++) {
            t = S[i][column[rank]]/S[rank][column[rank]];
            for (k = rank; k < n; k++) S[i][column[k]] -= t*S[rank][column[k]];
            y[i] -= t*y[rank];
        }
    }
    for (i = rank - 1; i >= 0; i--) {
        double s = y[i];
        for (k = i + 1; k < rank; k++) s -= S[i][column[k]]*x[column[k]];
        x[column[i]] = s/S[i][column[i]];
        used[column[i]] = 1;
    }
    return rank;
}
#else
/* x of S x = b, S symmetric and positive semidefinite; rows that depend on others get 0. Returns the rank. */
static int semidefinite(int n, double S[NC+1][NC+1], const double *b, double *x, int *used)
{
    int i, j, k, rank = 0, order[NC+1];
    double top = 0., y[NC+1], G[NC+1][NC+1];
    for (i = 0; i < n; i++) { used[i] = 0; x[i] = 0.; top = S[i][i] > top ? S[i][i] : top; }
    for (i = 0; i < n; i++) {
        double s = S[i][i];
        for (j = 0; j < rank; j++) {
            double t = S[i][order[j]];
            for (k = 0; k < j; k++) t -= G[rank][k]*G[j][k];
            G[rank][j] = t/G[j][j];
            s -= G[rank][j]*G[rank][j];
        }
        if (s <= 1e-11*S[i][i] || s <= 1e-14*top) continue;
        G[rank][rank] = sqrt(s);
        order[rank] = i;
        used[i] = 1;
        rank++;
    }
    for (i = 0; i < rank; i++) {
        y[i] = b[order[i]];
        for (k = 0; k < i; k++) y[i] -= G[i][k]*y[k];
        y[i] /= G[i][i];
    }
    for (i = rank - 1; i >= 0; i--) {
        for (k = i + 1; k < rank; k++) y[i] -= G[k][i]*y[k];
        y[i] /= G[i][i];
        x[order[i]] = y[i];
    }
    return rank;
}
#endif

)CODE";
}
// clang-format on

}  // namespace kane

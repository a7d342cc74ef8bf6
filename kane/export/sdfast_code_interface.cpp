// The functions that programs call: state, loads, derivatives, motion, reactions, parameters.

#include "kane/export/sdfast_export.hpp"

namespace kane {

// clang-format off
std::string_view sdfast_dynamics_interface() {
  return R"CODE(/* ---- the interface ---------------------------------------------------------------------------------------------- */
static int bad_body(int routine, int body)
{
    if (body >= -1 && body < NB) return 0;
    sdseterr(routine, 15);
    return 1;
}
static int bad_joint(int routine, int joint)
{
    if (joint >= 0 && joint < NB) return 0;
    sdseterr(routine, 16);
    return 1;
}
static int dof(int routine, int joint, int axis)
{
    if (bad_joint(routine, joint)) return -1;
    if (axis >= 0 && axis < ndof[joint]) return firstu[joint] + axis;
    sdseterr(routine, 17);
    return -1;
}
static int needs(int routine, int least)
{
    if (stage >= least) return 0;
    sdseterr(routine, least == 1 ? 27 : least == 2 ? 23 : 24);
    return 1;
}

void sdinit(void)
{
    int r, k;
    for (r = 0; r < NU; r++) prpos[r] = prvel[r] = pracc[r] = tau[r] = 0.;
    for (k = 0; k < NB; k++) {
        int m;
        if (mass[k] < 0.) { sdseterr(7, 19); return; }
        for (m = mfirst[k]; m < mfirst[k+1]; m++)
            if (mkind[m] != 'b' && dot3(pin[m], pin[m]) < 1e-20) { sdseterr(7, 20); return; }
    }
    stage = 1;
}

void sdstate(double timein, double qin[], double uin[])
{
    int i, k, m;
    if (needs(8, 1)) return;
    now = timein;
    for (i = 0; i < NQ; i++) q[i] = qin[i];
    for (i = 0; i < NU; i++) { u[i] = uin[i]; ud[i] = 0.; tau[i] = 0.; qd[i] = u[i]; }
    for (k = 0; k < NB; k++) {
        for (i = 0; i < 3; i++) force[k][i] = torque[k][i] = 0.;
        for (m = mfirst[k]; m < mfirst[k+1]; m++)
            if (mkind[m] == 'b') {
                int r = mdof[m];
                double *e = q + r, *e4 = q + bq4[k], x = u[r], y = u[r+1], z = u[r+2];
                double n = sqrt(dot3(e, e) + *e4 * *e4);
                if (n < .9 || n > 1.1) { sdseterr(8, 14); return; }
                for (i = 0; i < 3; i++) e[i] /= n;
                *e4 /= n;
                qd[r] = .5*(*e4*x + e[1]*z - e[2]*y);
                qd[r+1] = .5*(*e4*y + e[2]*x - e[0]*z);
                qd[r+2] = .5*(*e4*z + e[0]*y - e[1]*x);
                qd[bq4[k]] = -.5*(e[0]*x + e[1]*y + e[2]*z);
            }
    }
    move(0);
    stage = 2;
}

void sdqdot(double oqdot[])
{
    int i;
    if (needs(56, 2)) return;
    for (i = 0; i < NQ; i++) oqdot[i] = qd[i];
}

/* loads; cleared by every sdstate */
void sdpointf(int body, double point[3], double forcein[3])
{
    double x[3], f[3];
    if (needs(11, 2) || bad_body(11, body) || body < 0) return;
    mulvec(C[body], point, x);
    mulvec(C[body], forcein, f);
    add3(1., f, force[body]);
    addcross3(x, f, torque[body]);
    stage = 2;
}
void sdbodyt(int body, double torquein[3])
{
    double t[3];
    if (needs(12, 2) || bad_body(12, body) || body < 0) return;
    mulvec(C[body], torquein, t);
    add3(1., t, torque[body]);
    stage = 2;
}
void sdhinget(int joint, int axis, double torquein)
{
    int r;
    if (needs(10, 2)) return;
    r = dof(10, joint, axis);
    if (r >= 0) { tau[r] += torquein; stage = 2; }
}
#define PRESCRIBE(name, number, what) \
    void name(int joint, int axis, double prval) \
    { \
        int r = dof(number, joint, axis); \
        if (r < 0) return; \
        if (!canpres[r]) { sdseterr(number, 18); return; } \
        what[r] = prval; \
        if (stage == 3) stage = 2; \
    }
PRESCRIBE(sdpresacc, 13, pracc)
PRESCRIBE(sdpresvel, 14, prvel)
PRESCRIBE(sdprespos, 15, prpos)

static void fill_rows(double *bias)
{
    int c, i;
    double p, v, a;
    for (i = 0; i < NU; i++) ud[i] = 0.;
    for (c = 0; c < NC; c++) {
        row(c, &p, &v, &a, A[c]);
        bias[c] = -a - stabvel*v - stabpos*p;
        if (!on(c)) { for (i = 0; i < NU; i++) A[c][i] = 0.; bias[c] = 0.; }
    }
}

void sdderiv(double oqdot[], double oudot[])
{
    int i, c, b;
    double Y[NT+1][NU+1], S[NT+1][NT+1], bias[NT+1], d[NT+1], x[NU+1];
#if NX > 0
    double X[NX][NU+1];
#endif
    if (needs(17, 2)) return;
    if (stage == 2) {
        move(0);
        inertia_and_forces();
        if (!cholesky()) { sdseterr(17, 47); return; }
        fill_rows(bias);
        for (i = 0; i < NU; i++) x[i] = f0[i];
        forward(x);
#if NX > 0
        /* what a unit of each multiplier accelerates; the loads of the program's constraints are whatever it applies */
        user_rows(X, bias + NC);
        backward(x);
        for (c = 0; c < NT; c++) {
            double one[NX];
            for (i = 0; i < NX; i++) one[i] = i == c - NC;
            if (c >= NC) user_forces(one, Y[c]);
            else for (i = 0; i < NU; i++) Y[c][i] = -A[c][i];
            forward(Y[c]);
            backward(Y[c]);
        }
        for (c = 0; c < NT; c++) {
            const double *coef = c < NC ? A[c] : X[c-NC];
            d[c] = bias[c];
            for (i = 0; i < NU; i++) d[c] -= coef[i]*x[i];
            for (b = 0; b < NT; b++) {
                S[c][b] = 0.;
                for (i = 0; i < NU; i++) S[c][b] += coef[i]*Y[b][i];
            }
        }
        rank_ = eliminate(NT, S, d, mult, active);
        for (c = 0; c < NT; c++)
            for (i = 0; i < NU; i++) x[i] += Y[c][i]*mult[c];
        user_forces(mult + NC, Y[0]);
#else
        for (c = 0; c < NC; c++) {
            for (i = 0; i < NU; i++) Y[c][i] = A[c][i];
            forward(Y[c]);
            d[c] = -bias[c];
            for (i = 0; i < NU; i++) d[c] += Y[c][i]*x[i];
        }
        for (c = 0; c < NC; c++)
            for (b = 0; b < NC; b++) {
                S[c][b] = 0.;
                for (i = 0; i < NU; i++) S[c][b] += Y[c][i]*Y[b][i];
            }
        rank_ = semidefinite(NC, S, d, mult, active);
        for (c = 0; c < NC; c++)
            for (i = 0; i < NU; i++) x[i] -= Y[c][i]*mult[c];
        backward(x);
#endif
        for (i = 0; i < NU; i++) ud[i] = x[i];
        move(ud);
        stage = 3;
    }
    if (oqdot) for (i = 0; i < NQ; i++) oqdot[i] = qd[i];
    if (oudot) for (i = 0; i < NU; i++) oudot[i] = ud[i];
}

void sdmult(double omults[], int *rank, int map[])
{
    int c, n = 0;
    if (needs(34, 3)) return;
    for (c = 0; c < NT; c++) {
        omults[c] = mult[c];
        if (active[c]) map[n++] = c;
    }
    *rank = rank_;
    for (c = 0; c < NT; c++)
        if (!active[c]) map[n++] = c;
}

/* resid: of q', of M u' + A' mult - f, of the accelerations of the constraints */
void sdresid(double eqdot[], double eudot[], double emults[], double resid[])
{
    int i, c;
    double bias[NT+1];
#if NX > 0
    double X[NX][NU+1], g[NU+1];
#endif
    if (needs(16, 2)) return;
    move(0);
    inertia_and_forces();
    fill_rows(bias);
#if NX > 0
    user_rows(X, bias + NC);
    user_forces(emults + NC, g);
    for (i = 0; i < NU; i++) f0[i] += g[i];
    for (c = 0; c < NX; c++) {
        resid[NQ+NU+NC+c] = -bias[NC+c];
        for (i = 0; i < NU; i++) resid[NQ+NU+NC+c] += X[c][i]*eudot[i];
    }
#endif
    for (i = 0; i < NQ; i++) resid[i] = eqdot[i] - qd[i];
    for (i = 0; i < NU; i++) {
        int s;
        double x = -f0[i];
        for (s = 0; s < NU; s++) x += M[i][s]*eudot[s];
        for (c = 0; c < NC; c++) x += A[c][i]*emults[c];
        resid[NQ+i] = x;
    }
    for (c = 0; c < NC; c++) {
        double x = -bias[c];
        for (i = 0; i < NU; i++) x += A[c][i]*eudot[i];
        resid[NQ+NU+c] = x;
    }
    for (i = 0; i < NU; i++) ud[i] = eudot[i];
    for (c = 0; c < NT; c++) mult[c] = emults[c];
    move(ud);
    stage = 3;
}

#define ERRORS(name, number, least, what, own) \
    void name(double errs[]) \
    { \
        int c; \
        double p, v, a, coef[NU+1]; \
        if (needs(number, least)) return; \
        for (c = 0; c < NC; c++) { \
            row(c, &p, &v, &a, coef); \
            errs[c] = on(c) ? (what) : 0.; \
        } \
        OWN_ROWS(own;) \
    }
ERRORS(sdperr, 26, 2, p, sduperr(now, q, errs + NC))
ERRORS(sdverr, 27, 2, v, sduverr(now, q, u, errs + NC))
ERRORS(sdaerr, 35, 3, a, sduaerr(now, q, u, ud, errs + NC))

/* matrices of the equations */
void sdmassmat(double mmat[NU+!NU][NU+!NU])
{
    int r, s;
    if (needs(57, 2)) return;
    if (stage == 2) { move(0); inertia_and_forces(); }
    for (r = 0; r < NU; r++)
        for (s = 0; s < NU; s++) mmat[r][s] = M[r][s];
}
static void forces_for(const double *udot, double *out)
{
    double keep[NU+1];
    int r, s;
    for (r = 0; r < NU; r++) keep[r] = ud[r];
    move(0);
    inertia_and_forces();
    for (r = 0; r < NU; r++) {
        out[r] = f0[r];
        for (s = 0; s < NU && udot; s++) out[r] -= M[r][s]*udot[s];
    }
    if (stage == 3) move(keep);
}
void sdfrcmat(double fmat[])
{
    if (needs(58, 2)) return;
    forces_for(0, fmat);
}
/* hinge torques equivalent to all loads but hinge torques, with the velocity terms */
void sdequivht(double out[])
{
    int r;
    if (needs(56, 2)) return;
    forces_for(0, out);
    for (r = 0; r < NU; r++) out[r] -= hinge_load(r);
}
/* hinge torques that must be added to give these accelerations */
void sdcomptrq(double udotin[], double trqout[])
{
    int r;
    if (needs(60, 2)) return;
    forces_for(udotin, trqout);
    for (r = 0; r < NU; r++) trqout[r] = -trqout[r];
}
void sdmulttrq(double multin[], double trqout[])
{
    int r, c;
    double p, v, a, coef[NU+1];
    if (needs(65, 2)) return;
    for (r = 0; r < NU; r++) trqout[r] = 0.;
    for (c = 0; c < NC; c++) {
        row(c, &p, &v, &a, coef);
        for (r = 0; r < NU && on(c); r++) trqout[r] += coef[r]*multin[c];
    }
#if NX > 0
    user_forces(multin + NC, coef);
    for (r = 0; r < NU; r++) trqout[r] -= coef[r];
#endif
}
void sdfulltrq(double udotin[], double multin[], double trqout[])
{
    int r;
    double t[NU+1];
    if (needs(61, 2)) return;
    sdcomptrq(udotin, trqout);
    sdmulttrq(multin, t);
    for (r = 0; r < NU; r++) trqout[r] += t[r];
}

/* motion of points and bodies */
void sdpos(int body, double pt[3], double loc[3])
{
    if (needs(21, 2) || bad_body(21, body)) return;
    place(body, pt, loc);
}
void sdvel(int body, double pt[3], double velo[3])
{
    double x[3], om[3];
    if (needs(22, 2) || bad_body(22, body)) return;
    place(body, pt, x);
    body_rate(body, x, velo, om);
}
void sdorient(int body, double dircos[3][3])
{
    int i, j;
    if (needs(23, 2) || bad_body(23, body)) return;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) dircos[i][j] = body < 0 ? i == j : C[body][i][j];
}
void sdangvel(int body, double avel[3])
{
    double zero[3] = {0., 0., 0.};
    if (needs(24, 2) || bad_body(24, body)) return;
    if (body < 0) copy3(zero, avel);
    else multransvec(C[body], w[body], avel);
}
void sdacc(int body, double pt[3], double accel[3])
{
    double x[3], al[3];
    if (needs(32, 3) || bad_body(32, body)) return;
    place(body, pt, x);
    body_acc(body, x, accel, al);
}
void sdangacc(int body, double aacc[3])
{
    double zero[3] = {0., 0., 0.};
    if (needs(33, 3) || bad_body(33, body)) return;
    if (body < 0) copy3(zero, aacc);
    else multransvec(C[body], alf[body], aacc);
}
void sdtrans(int frbod, double ivec[3], int tobod, double ovec[3])
{
    double t[3];
    if (needs(25, 2) || bad_body(25, frbod) || bad_body(25, tobod)) return;
    direct(frbod, ivec, t);
    if (tobod < 0) copy3(t, ovec);
    else multransvec(C[tobod], t, ovec);
}
void sdrel2cart(int coord, int body, double point[3], double linchg[3], double rotchg[3])
{
    double x[3];
    if (needs(59, 2) || bad_body(59, body)) return;
    if (coord < 0 || coord >= NU) { sdseterr(59, 45); return; }
    place(body, point, x);
    partial(body, coord, x, linchg, rotchg);
}

/* the whole system */
void sdsys(double *mtoto, double cm[3], double icm[3][3])
{
    int k, i, j;
    double m = 0.;
    if (needs(20, 2)) return;
    for (i = 0; i < 3; i++) cm[i] = 0.;
    for (k = 0; k < NB; k++) { m += mass[k]; add3(mass[k], pos[k], cm); }
    for (i = 0; i < 3 && m > 0.; i++) cm[i] /= m;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++) icm[i][j] = 0.;
    for (k = 0; k < NB; k++) {
        double d[3], e[3], h[3];
        for (i = 0; i < 3; i++) d[i] = pos[k][i] - cm[i];
        for (i = 0; i < 3; i++) {
            e[0] = i == 0; e[1] = i == 1; e[2] = i == 2;
            inertia_times(k, e, h);
            for (j = 0; j < 3; j++) icm[j][i] += h[j] + mass[k]*((i == j ? dot3(d, d) : 0.) - d[i]*d[j]);
        }
    }
    *mtoto = m;
}
void sdmom(double lm[3], double am[3], double *ke)
{
    int k, i;
    double m, cm[3], icm[3][3];
    if (needs(19, 2)) return;
    sdsys(&m, cm, icm);
    *ke = 0.;
    for (i = 0; i < 3; i++) lm[i] = am[i] = 0.;
    for (k = 0; k < NB; k++) {
        double d[3], h[3];
        for (i = 0; i < 3; i++) d[i] = pos[k][i] - cm[i];
        inertia_times(k, w[k], h);
        add3(mass[k], vel[k], lm);
        add3(1., h, am);
        cross3(d, vel[k], d);
        add3(mass[k], d, am);
        *ke += .5*(mass[k]*dot3(vel[k], vel[k]) + dot3(w[k], h));
    }
}

/* force and torque of the inboard on the outboard body, at the outboard hinge point, in the axes of the outboard body */
void sdreac(double forceout[][3], double torqueout[][3])
{
    int k, i;
    double F[NB][3], T[NB][3];                 /* on each body by its inboard joint, about its mass centre */
#if NL > 0
    int c;
    double lf[NL+1][3], lt[NL+1][3];           /* of loop joints, at the outboard hinge point */
#endif
    if (needs(31, 3)) return;
    for (k = 0; k < NB; k++) {
        double h[3], d[3];
        for (i = 0; i < 3; i++) {
            F[k][i] = mass[k]*(acc[k][i] - grav[i]) - force[k][i] - cforce[k][i];
            T[k][i] = -torque[k][i] - ctorque[k][i];
        }
        inertia_times(k, alf[k], h);
        add3(1., h, T[k]);
        inertia_times(k, w[k], h);
        cross3(w[k], h, d);
        add3(1., d, T[k]);
    }
#if NL > 0
    for (k = 0; k < NL; k++)
        for (i = 0; i < 3; i++) lf[k][i] = lt[k][i] = 0.;
    for (c = 0; c < NC; c++) {
        int l;
        double a[3], b[3], n[3];
        if (ckind[c] == 'p') continue;
        l = cloop[c];
        direct(linb[l], ca[c], a);
        if (ckind[c] == 'd') { add3(-mult[c], a, lf[l]); continue; }
        direct(lout[l], cb[c], b);
        cross3(b, a, n);
        add3(-mult[c], n, lt[l]);
    }
    for (k = 0; k < NL; k++) {
        double Q[3], d[3], t[3];
        int s, o = lout[k], p = linb[k];
        place(o, lbtj[k], Q);
        for (s = 0; s < 2; s++) {
            int body = s == 0 ? o : p;
            double sign = s == 0 ? -1. : 1.;
            if (body < 0) continue;
            for (i = 0; i < 3; i++) d[i] = Q[i] - pos[body][i];
            cross3(d, lf[k], t);
            add3(sign, lf[k], F[body]);
            add3(sign, lt[k], T[body]);
            add3(sign, t, T[body]);
        }
        for (i = 0; i < 3; i++) { forceout[NB+k][i] = lf[k][i]; torqueout[NB+k][i] = lt[k][i]; }
        if (o >= 0) {
            multransvec(C[o], lf[k], forceout[NB+k]);
            multransvec(C[o], lt[k], torqueout[NB+k]);
        }
    }
#endif
    for (k = NB - 1; k >= 0; k--) {
        double d[3], t[3];
        int p = inb[k];
        if (p >= 0) {
            for (i = 0; i < 3; i++) d[i] = pos[k][i] - pos[p][i];
            cross3(d, F[k], t);
            add3(1., F[k], F[p]);
            add3(1., T[k], T[p]);
            add3(1., t, T[p]);
        }
        for (i = 0; i < 3; i++) d[i] = pos[k][i] - hinge[k][i];
        cross3(d, F[k], t);
        add3(1., T[k], t);
        multransvec(C[k], F[k], forceout[k]);
        multransvec(C[k], t, torqueout[k]);
    }
}
/* hinge torque with that of spring and damper, and the torque of a prescribed motion */
void sdgetht(int joint, int axis, double *out)
{
    int c, r;
    if (needs(30, 3)) return;
    r = dof(30, joint, axis);
    if (r < 0) return;
    *out = hinge_load(r) + ctau[r];
    for (c = 0; c < NC; c++)
        if (ckind[c] == 'p' && cdof[c] == r && on(c)) *out -= mult[c];
}

/* parameters; sdinit must follow */
void sdgrav(double gravin[3]) { copy3(gravin, grav); stage = 0; }
void sdmass(int body, double massin) { if (!bad_body(2, body) && body >= 0) { mass[body] = massin; stage = 0; } }
void sdiner(int body, double inerin[3][3])
{
    int i;
    if (bad_body(3, body) || body < 0) return;
    for (i = 0; i < 3; i++) copy3(inerin[i], iner[body][i]);
    stage = 0;
}
void sdbtj(int joint, double btjin[3])
{
    if (joint >= NB && joint < NB + NL) copy3(btjin, lbtj[joint-NB]);
    else if (!bad_joint(4, joint)) copy3(btjin, btj[joint]);
    stage = 0;
}
void sditj(int joint, double itjin[3])
{
    if (joint >= NB && joint < NB + NL) copy3(itjin, litj[joint-NB]);
    else if (!bad_joint(5, joint)) copy3(itjin, itj[joint]);
    stage = 0;
}
static double *pin_at(int routine, int joint, int pinno, double out[3])
{
    int m, n = 0;
    if (bad_joint(routine, joint)) return 0;
    for (m = mfirst[joint]; m < mfirst[joint+1]; m++)
        if (mpin[m] == pinno) { n++; if (out) copy3(pin[m], out); else return pin[m]; }
    if (n == 0) sdseterr(routine, 22);
    return 0;
}
void sdpin(int joint, int pinno, double pinin[3])
{
    int m, n = 0;
    if (bad_joint(6, joint)) return;
    for (m = mfirst[joint]; m < mfirst[joint+1]; m++)
        if (mpin[m] == pinno) { copy3(pinin, pin[m]); n++; }
    if (n == 0) sdseterr(6, 22);
    stage = 0;
}
void sdpres(int joint, int axis, int presin)
{
    int r = dof(37, joint, axis);
    if (r < 0) return;
    if (!canpres[r]) { sdseterr(37, 18); return; }
    pres[r] = presin != 0;
    if (stage > 1) stage = 2;
}
void sdconschg(void) { if (stage == 3) stage = 2; }
void sdstab(double velin, double posin) { stabvel = velin; stabpos = posin; }
void sdgetgrav(double out[3]) { copy3(grav, out); }
void sdgetmass(int body, double *out) { if (!bad_body(40, body) && body >= 0) *out = mass[body]; }
void sdgetiner(int body, double out[3][3])
{
    int i;
    if (!bad_body(41, body) && body >= 0) for (i = 0; i < 3; i++) copy3(iner[body][i], out[i]);
}
void sdgetbtj(int joint, double out[3])
{
    if (joint >= NB && joint < NB + NL) copy3(lbtj[joint-NB], out);
    else if (!bad_joint(42, joint)) copy3(btj[joint], out);
}
void sdgetitj(int joint, double out[3])
{
    if (joint >= NB && joint < NB + NL) copy3(litj[joint-NB], out);
    else if (!bad_joint(43, joint)) copy3(itj[joint], out);
}
void sdgetpin(int joint, int pinno, double out[3]) { (void)pin_at(44, joint, pinno, out); }
void sdgetpres(int joint, int axis, int *out)
{
    int r = dof(45, joint, axis);
    if (r >= 0) *out = pres[r];
}
void sdgetstab(double *velout, double *posout) { *velout = stabvel; *posout = stabpos; }

/* what there is */
int sdindx(int joint, int axis)
{
    if (bad_joint(36, joint)) return 0;
    if (axis == 3 && bq4[joint] >= 0 && ndof[joint] == 3) return bq4[joint];
    if (axis == 6 && bq4[joint] >= 0) return bq4[joint];
    return dof(36, joint, axis) < 0 ? 0 : firstu[joint] + axis;
}
void sdinfo(int info[50])
{
    int r, c, np = 0;
    for (r = 0; r < NU; r++) np += canpres[r];
    for (c = 0; c < 50; c++) info[c] = 0;
    info[0] = mfirst[1] - mfirst[0] == 0 || inb[0] >= 0;
    info[1] = NB; info[2] = NU; info[3] = NT; info[4] = NL;
    info[6] = NC - np; info[7] = NQ - NU; info[9] = np; info[10] = NX;
}
void sdjnt(int joint, int info[50], int tran[6])
{
    int i, m, loop = joint >= NB;
    if (joint < 0 || joint >= NB + NL) { sdseterr(48, 16); return; }
    for (i = 0; i < 50; i++) info[i] = 0;
    for (i = 0; i < 6; i++) tran[i] = 0;
    info[0] = loop ? ltype[joint-NB] : jtype[joint];
    info[1] = loop;
    info[2] = loop ? linb[joint-NB] : inb[joint];
    info[3] = loop ? lout[joint-NB] : joint;
    if (loop) {
        for (i = 0; i < NC; i++) info[5] += ckind[i] != 'p' && cloop[i] == joint - NB;
        return;
    }
    info[4] = ndof[joint];
    info[5] = 6 - ndof[joint];
    for (m = mfirst[joint]; m < mfirst[joint+1]; m++) info[6] = mpin[m] + 1 > info[6] ? mpin[m] + 1 : info[6];
    info[7] = firstu[joint];
    info[8] = bq4[joint];
    info[9] = info[10] = -1;
    for (i = 0; i < ndof[joint]; i++) tran[i] = slides[firstu[joint]+i];
}
void sdcons(int consno, int info[50])
{
    int i;
    if (consno < 0 || consno >= NX) { sdseterr(49, 21); return; } /* there is no such user constraint */
    for (i = 0; i < 50; i++) info[i] = 0;
    info[1] = NC + consno; /* its multiplier */
}
void sdnormst(double st[], double normst[])
{
    int i, k;
    for (i = 0; i < NQ + NU; i++) normst[i] = st[i];
    for (k = 0; k < NB; k++)
        if (bq4[k] >= 0) {
            int r = bfirst[k];
            double n = sqrt(dot3(st + r, st + r) + st[bq4[k]]*st[bq4[k]]);
            if (n < .9 || n > 1.1) { sdseterr(0, 14); continue; }
            for (i = 0; i < 3; i++) normst[r+i] /= n;
            normst[bq4[k]] /= n;
        }
}
/* Euler parameters of balls as three angles (body 1-2-3), and back */
void sdst2ang(double st[], double stang[])
{
    int i, k;
    double dc[3][3], norm[NQ+NU+1];
    sdnormst(st, norm);
    for (i = 0; i < NU; i++) { stang[i] = norm[i]; stang[NU+i] = norm[NQ+i]; }
    for (k = 0; k < NB; k++)
        if (bq4[k] >= 0) {
            int r = bfirst[k];
            sdquat2dc(norm[r], norm[r+1], norm[r+2], norm[bq4[k]], dc);
            sddc2ang(dc, stang + r, stang + r + 1, stang + r + 2);
        }
}
void sdang2st(double stang[], double st[])
{
    int i, k;
    double dc[3][3];
    for (i = 0; i < NU; i++) { st[i] = stang[i]; st[NQ+i] = stang[NU+i]; }
    for (k = 0; k < NB; k++)
        if (bq4[k] >= 0) {
            int r = bfirst[k];
            sdang2dc(stang[r], stang[r+1], stang[r+2], dc);
            sddc2quat(dc, st + r, st + r + 1, st + r + 2, st + bq4[k]);
        }
}
/* pseudo-coordinates belong to loop joints, which have none here */
void sdpsstate(double lqin[]) { (void)lqin; }
void sdpseudo(double lqout[], double luout[]) { (void)lqout; (void)luout; }
void sdpsqdot(double lqdout[]) { (void)lqdout; }
void sdpsudot(double ludout[]) { (void)ludout; }
/* coefficients of the constraints at the present state, for the analyses */
int sdcoefs_(double coefs[], double errs[], int velocity)
{
    int c;
    double p, v, a;
    if (needs(50, 2)) return 0;
    for (c = 0; c < NC; c++) {
        int r;
        row(c, &p, &v, &a, coefs + c*NU);
        errs[c] = on(c) ? (velocity ? v : p) : 0.;
        for (r = 0; r < NU && !on(c); r++) coefs[c*NU+r] = 0.;
    }
#if NX > 0
    {
        double X[NX][NU+1], bias[NX];
        user_rows(X, bias);
        for (c = 0; c < NX; c++) memcpy(coefs + (NC + c)*NU, X[c], NU*sizeof(double));
        if (velocity) sduverr(now, q, u, errs + NC);
        else sduperr(now, q, errs + NC);
    }
#endif
    return 1;
}
void sdqstep_(double st[], const double du[])
{
    int i, k;
    double e[4], x[3];
    for (i = 0; i < NU; i++) {
        int ball = 0;
        for (k = 0; k < NB; k++) ball = ball || (bq4[k] >= 0 && i >= bfirst[k] && i < bfirst[k] + 3);
        if (!ball) st[i] += du[i];
    }
    for (k = 0; k < NB; k++)
        if (bq4[k] >= 0) {
            int r = bfirst[k];
            double n;
            copy3(st + r, e);
            e[3] = st[bq4[k]];
            copy3(du + r, x);
            st[r] += .5*(e[3]*x[0] + e[1]*x[2] - e[2]*x[1]);
            st[r+1] += .5*(e[3]*x[1] + e[2]*x[0] - e[0]*x[2]);
            st[r+2] += .5*(e[3]*x[2] + e[0]*x[1] - e[1]*x[0]);
            st[bq4[k]] -= .5*dot3(e, x);
            n = sqrt(dot3(st + r, st + r) + st[bq4[k]]*st[bq4[k]]);
            for (i = 0; i < 3; i++) st[r+i] /= n;
            st[bq4[k]] /= n;
        }
}
)CODE";
}
// clang-format on

}  // namespace kane

// Errors, orientations, vectors and integrators of the code in the form of SD/FAST.

#include "kane/export/sdfast_export.hpp"

namespace kane {

// clang-format off
std::string_view sdfast_library() {
  return R"CODE(/* errors: the first one is kept until sdclearerr */
static int err_routine = 0, err_number = 0;
void sdseterr(int routine, int errnum)
{
    if (err_number == 0) { err_routine = routine; err_number = errnum; }
}
void sderror(int *routine, int *errnum) { *routine = err_routine; *errnum = err_number; }
void sdclearerr(void) { err_routine = err_number = 0; }
void sdprerrmsg(FILE *fnum, int routine, int errnum)
{
    static const struct { int number; const char *text; } list[] = {
        {14, "Euler parameters are not of length one (0.9 to 1.1 is accepted)"},
        {15, "no such body"}, {16, "no such joint"}, {17, "no such axis of the joint"},
        {18, "this axis is not prescribed in the description"}, {19, "a mass is negative"},
        {20, "a pin has no length"}, {21, "there are no user constraints"}, {22, "no such pin of the joint"},
        {23, "sdstate must be called first"}, {24, "sdderiv must be called first"},
        {27, "sdinit must be called first"}, {45, "no such coordinate"},
        {47, "the mass matrix is singular"},
    };
    unsigned i;
    if (errnum == 0) return;
    for (i = 0; i < sizeof list/sizeof list[0]; i++)
        if (list[i].number == errnum) {
            fprintf(fnum, "routine %d, error %d: %s\n", routine, errnum, list[i].text);
            return;
        }
    fprintf(fnum, "routine %d, error %d\n", routine, errnum);
}
void sdprinterr(FILE *fnum) { sdprerrmsg(fnum, err_routine, err_number); }

/* orientation: body 1-2-3 angles, Euler parameters (scalar last), direction cosines from body to reference */
void sdang2dc(double a1, double a2, double a3, double dc[3][3])
{
    double s1 = sin(a1), c1 = cos(a1), s2 = sin(a2), c2 = cos(a2), s3 = sin(a3), c3 = cos(a3);
    dc[0][0] = c2*c3;            dc[0][1] = -c2*s3;           dc[0][2] = s2;
    dc[1][0] = s1*s2*c3 + s3*c1; dc[1][1] = c1*c3 - s1*s2*s3; dc[1][2] = -s1*c2;
    dc[2][0] = s1*s3 - s2*c1*c3; dc[2][1] = s1*c3 + s2*s3*c1; dc[2][2] = c1*c2;
}
void sddc2ang(double dc[3][3], double *a1, double *a2, double *a3)
{
    double c = sqrt(dc[0][0]*dc[0][0] + dc[0][1]*dc[0][1]);
    *a2 = atan2(dc[0][2], c);
    if (c < 1e-10) { /* gimbal lock: only a1 + a3 or a1 - a3 is determined */
        *a1 = atan2(dc[2][1], dc[1][1]);
        *a3 = 0.;
        return;
    }
    *a1 = atan2(-dc[1][2], dc[2][2]);
    *a3 = atan2(-dc[0][1], dc[0][0]);
}
void sdquat2dc(double x, double y, double z, double e4, double dc[3][3])
{
    double n = sqrt(x*x + y*y + z*z + e4*e4);
    x /= n; y /= n; z /= n; e4 /= n;
    dc[0][0] = 1. - 2.*(y*y + z*z); dc[0][1] = 2.*(x*y - z*e4); dc[0][2] = 2.*(x*z + y*e4);
    dc[1][0] = 2.*(x*y + z*e4); dc[1][1] = 1. - 2.*(x*x + z*z); dc[1][2] = 2.*(y*z - x*e4);
    dc[2][0] = 2.*(x*z - y*e4); dc[2][1] = 2.*(y*z + x*e4); dc[2][2] = 1. - 2.*(x*x + y*y);
}
void sddc2quat(double dc[3][3], double *e1, double *e2, double *e3, double *e4)
{
    double e[4], best = 0.;
    int i, j, big = 3;
    double square[4]; /* four times the squares */
    square[3] = 1. + dc[0][0] + dc[1][1] + dc[2][2];
    for (i = 0; i < 3; i++) square[i] = 1. + 2.*dc[i][i] - (dc[0][0] + dc[1][1] + dc[2][2]);
    for (i = 0; i < 4; i++)
        if (square[i] > best) { best = square[i]; big = i; }
    e[big] = .5*sqrt(best);
    if (big == 3)
        for (i = 0; i < 3; i++) {
            int a = (i+1)%3, b = (i+2)%3;
            e[i] = (dc[b][a] - dc[a][b])/(4.*e[3]);
        }
    else {
        int a = (big+1)%3, b = (big+2)%3;
        e[3] = (dc[b][a] - dc[a][b])/(4.*e[big]);
        for (j = 1; j < 3; j++) {
            i = (big+j)%3;
            e[i] = (dc[big][i] + dc[i][big])/(4.*e[big]);
        }
    }
    if (e[3] < 0.) for (i = 0; i < 4; i++) e[i] = -e[i];
    *e1 = e[0]; *e2 = e[1]; *e3 = e[2]; *e4 = e[3];
}

/* vectors */
double sdvdot(double a[3], double b[3]) { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2]; }
double sdvnorm(double a[3]) { return sqrt(sdvdot(a, a)); }
void sdvcopy(double a[3], double o[3]) { o[0] = a[0]; o[1] = a[1]; o[2] = a[2]; }
void sdvset(double x, double y, double z, double o[3]) { o[0] = x; o[1] = y; o[2] = z; }
void sdvadd(double a[3], double b[3], double o[3]) { int i; for (i = 0; i < 3; i++) o[i] = a[i] + b[i]; }
void sdvsub(double a[3], double b[3], double o[3]) { int i; for (i = 0; i < 3; i++) o[i] = a[i] - b[i]; }
void sdvmul(double s, double a[3], double o[3]) { int i; for (i = 0; i < 3; i++) o[i] = s*a[i]; }
void sdvaxpy(double s, double a[3], double b[3], double o[3]) { int i; for (i = 0; i < 3; i++) o[i] = s*a[i] + b[i]; }
void sdvcross(double a[3], double b[3], double o[3])
{
    double x = a[1]*b[2] - a[2]*b[1], y = a[2]*b[0] - a[0]*b[2], z = a[0]*b[1] - a[1]*b[0];
    sdvset(x, y, z, o);
}
/* turns a by an angle about a unit vector */
void sdvrot(double a[3], double axis[3], double theta, double o[3])
{
    double c[3], d = sdvdot(a, axis), s = sin(theta), k = cos(theta);
    int i;
    sdvcross(axis, a, c);
    for (i = 0; i < 3; i++) c[i] = a[i]*k + c[i]*s + axis[i]*d*(1. - k);
    sdvcopy(c, o);
}

/* one step of Merson's method of the fourth order; work holds 4 neq numbers */
static void merson(sdfunc_ func, double t, const double st[], const double d0[], double param[], double h, int neq,
                   double work[], double out[], double *maxerr, int *which, int *status)
{
    double *x = work, *d2 = work + neq, *d3 = work + 2*neq, *d4 = work + 3*neq, e;
    int i;
#define STAGE(at, expression, d) \
    for (i = 0; i < neq; i++) x[i] = st[i] + h*(expression); \
    func(t + (at)*h, x, d, param, status); \
    if (*status != 0) return
    STAGE(1./3., d0[i]/3., d2);
    STAGE(1./3., (d0[i] + d2[i])/6., d2);
    STAGE(.5, (d0[i] + 3.*d2[i])/8., d3);
    STAGE(1., (d0[i] - 3.*d2[i] + 4.*d3[i])/2., d4);
    *maxerr = 0.;
    *which = 0;
    for (i = 0; i < neq; i++) {
        double rough = x[i], fine = st[i] + h*(d0[i] + 4.*d3[i] + d4[i])/6., size = fabs(fine) > 1. ? fabs(fine) : 1.;
        (void)rough;
        e = fabs(h*(2.*d0[i] - 9.*d2[i] + 8.*d3[i] - d4[i])/30.)/size;
        if (!(e <= *maxerr)) { *maxerr = e; *which = i; }
        out[i] = fine;
    }
}
#define MOST_EQUATIONS 2048
void sdfinteg(sdfunc_ func, double *time, double st[], double dst[], double param[], double step, int neq,
              double work[], double *errest, int *status)
{
    static double out[MOST_EQUATIONS];
    int i, which;
    *status = 0;
    if (neq > MOST_EQUATIONS) { *status = 2; return; }
    merson(func, *time, st, dst, param, step, neq, work, out, errest, &which, status);
    if (*status != 0) return;
    for (i = 0; i < neq; i++) st[i] = out[i];
    *time += step;
    func(*time, st, dst, param, status);
}
void sdvinteg(sdfunc_ func, double *time, double st[], double dst[], double param[], double dt, double *step, int neq,
              double tol, double work[], int *err, int *which)
{
    static double out[MOST_EQUATIONS];
    double end = *time + dt, e;
    int i, status, tries;
    *err = 0;
    *which = 0;
    if (neq > MOST_EQUATIONS) { *err = 2; return; }
    if (*step <= 0. || *step > dt) *step = dt;
    for (tries = 0; tries < 1000000; tries++) {
        double h = *step, left = end - *time;
        int last = h >= left*(1. - 1e-12);
        if (left <= 0.) return;
        if (last) h = left;
        merson(func, *time, st, dst, param, h, neq, work, out, &e, which, &status);
        if (status == 0 && e <= tol) {
            double grow = e > 0. ? .9*pow(tol/e, .2) : 4.;
            for (i = 0; i < neq; i++) st[i] = out[i];
            *time = last ? end : *time + h;
            func(*time, st, dst, param, &status);
            if (status != 0) { *err = 1; return; }
            if (!last || grow < 1.) *step = h*(grow > 4. ? 4. : grow < .2 ? .2 : grow);
            if (last) return;
        } else {
            double shrink = status != 0 || !(e > 0.) ? .25 : .9*pow(tol/e, .25);
            *step = h*(shrink < .1 ? .1 : shrink > .7 ? .7 : shrink);
            if (*step < 1e-12*dt || *time + *step == *time) { *err = status != 0 ? 1 : 2; return; }
        }
    }
    *err = 2;
}
)CODE";
}
// clang-format on

}  // namespace kane

// Declarations of the code in the form of SD/FAST.

#include "kane/export/sdfast_export.hpp"

namespace kane {

// clang-format off
std::string_view sdfast_prototypes() {
  return R"CODE(void sdinit(void);
void sdstate(double timein, double qin[], double uin[]);
void sdqdot(double oqdot[]);
void sdderiv(double oqdot[], double oudot[]);
void sdresid(double eqdot[], double eudot[], double emults[], double resid[]);
void sdpointf(int body, double point[3], double force[3]);
void sdbodyt(int body, double torque[3]);
void sdhinget(int joint, int axis, double torque);
void sdpresacc(int joint, int axis, double prval);
void sdpresvel(int joint, int axis, double prval);
void sdprespos(int joint, int axis, double prval);
void sdmult(double omults[], int *rank, int map[]);
void sdperr(double errs[]);
void sdverr(double errs[]);
void sdaerr(double errs[]);
void sdmassmat(double mmat[SD_NU+!SD_NU][SD_NU+!SD_NU]);
void sdfrcmat(double fmat[]);
void sdequivht(double out[]);
void sdcomptrq(double udotin[], double trqout[]);
void sdmulttrq(double multin[], double trqout[]);
void sdfulltrq(double udotin[], double multin[], double trqout[]);
void sdpos(int body, double pt[3], double loc[3]);
void sdvel(int body, double pt[3], double velo[3]);
void sdorient(int body, double dircos[3][3]);
void sdangvel(int body, double avel[3]);
void sdacc(int body, double pt[3], double accel[3]);
void sdangacc(int body, double aacc[3]);
void sdtrans(int frbod, double ivec[3], int tobod, double ovec[3]);
void sdrel2cart(int coord, int body, double point[3], double linchg[3], double rotchg[3]);
void sdsys(double *mtoto, double cm[3], double icm[3][3]);
void sdmom(double lm[3], double am[3], double *ke);
void sdreac(double force[][3], double torque[][3]);
void sdgetht(int joint, int axis, double *torque);
void sdgrav(double gravin[3]);
void sdmass(int body, double massin);
void sdiner(int body, double inerin[3][3]);
void sdbtj(int joint, double btjin[3]);
void sditj(int joint, double itjin[3]);
void sdpin(int joint, int pinno, double pinin[3]);
void sdpres(int joint, int axis, int presin);
void sdconschg(void);
void sdstab(double velin, double posin);
void sdgetgrav(double out[3]);
void sdgetmass(int body, double *out);
void sdgetiner(int body, double out[3][3]);
void sdgetbtj(int joint, double out[3]);
void sdgetitj(int joint, double out[3]);
void sdgetpin(int joint, int pinno, double out[3]);
void sdgetpres(int joint, int axis, int *out);
void sdgetstab(double *velout, double *posout);
int sdindx(int joint, int axis);
void sdinfo(int info[50]);
void sdjnt(int joint, int info[50], int tran[6]);
void sdcons(int consno, int info[50]);
void sdnormst(double st[], double normst[]);
void sdst2ang(double st[], double stang[]);
void sdang2st(double stang[], double st[]);
void sdpsstate(double lqin[]);
void sdpseudo(double lqout[], double luout[]);
void sdpsqdot(double lqdout[]);
void sdpsudot(double ludout[]);
int sdcoefs_(double coefs[], double errs[], int velocity);
void sdqstep_(double st[], const double du[]);

/* analyses (they call sduforce and sdumotion, which the user writes) */
void sdassemble(double time, double *state, int *lock, double tol, int maxevals, int *fcnt, int *err);
void sdinitvel(double time, double *state, int *lock, double tol, int maxevals, int *fcnt, int *err);
void sdstatic(double time, double *state, int *lock, double ctol, double tol, int maxevals, int *fcnt, int *err);
void sdsteady(double time, double *state, int *lock, double ctol, double tol, int maxevals, int *fcnt, int *err);
void sdmotion(double *time, double *state, double *dstate, double dt, double ctol, double tol, int *flag, int *err);
void sdfmotion(double *time, double *state, double *dstate, double dt, double ctol, int *flag, double *errest, int *err);
void sduforce(double t, double *q, double *u);
void sdumotion(double t, double *q, double *u);

/* user constraints (the program writes them if the description names any): errors of position, velocity and acceleration,
   and the loads for given multipliers */
void sduperr(double t, double *q, double *errs);
void sduverr(double t, double *q, double *u, double *errs);
void sduaerr(double t, double *q, double *u, double *udot, double *errs);
void sduconsfrc(double t, double *q, double *u, double *mults);

/* utilities */
typedef void (*sdfunc_)(double time, double *state, double *dstate, double *param, int *status);
void sdseterr(int routine, int errnum);
void sderror(int *routine, int *errnum);
void sdclearerr(void);
void sdprerrmsg(FILE *fnum, int routine, int errnum);
void sdprinterr(FILE *fnum);
void sdang2dc(double a1, double a2, double a3, double dc[3][3]);
void sddc2ang(double dc[3][3], double *a1, double *a2, double *a3);
void sdquat2dc(double e1, double e2, double e3, double e4, double dc[3][3]);
void sddc2quat(double dc[3][3], double *e1, double *e2, double *e3, double *e4);
double sdvdot(double a[3], double b[3]);
double sdvnorm(double a[3]);
void sdvcopy(double a[3], double o[3]);
void sdvset(double x, double y, double z, double o[3]);
void sdvadd(double a[3], double b[3], double o[3]);
void sdvsub(double a[3], double b[3], double o[3]);
void sdvmul(double s, double a[3], double o[3]);
void sdvaxpy(double s, double a[3], double b[3], double o[3]);
void sdvcross(double a[3], double b[3], double o[3]);
void sdvrot(double a[3], double axis[3], double theta, double o[3]);
void sdfinteg(sdfunc_ func, double *time, double st[], double dst[], double param[], double step, int neq,
              double work[], double *errest, int *status);
void sdvinteg(sdfunc_ func, double *time, double st[], double dst[], double param[], double dt, double *step, int neq,
              double tol, double work[], int *err, int *which);
)CODE";
}
// clang-format on

}  // namespace kane

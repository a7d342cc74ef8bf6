// Code in the form of SD/FAST, linked with main programs written to that interface, against Kane's own equations.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "kane/export/sdfast_export.hpp"
#include "kane/export/sdfast_roadmap.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/sdfast/sdfast_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/model/simulation.hpp"

namespace kane::test {
namespace {

namespace fs = std::filesystem;

/// Declares what it calls itself, as old programs do.
constexpr const char* kDeclarations = R"(
#include <stdio.h>
#include <math.h>
void sdinit(void); void sdstate(double, double[], double[]); void sdderiv(double[], double[]);
void sdhinget(int, int, double); void sdpointf(int, double[3], double[3]); void sdbodyt(int, double[3]);
void sdmom(double[3], double[3], double *); void sdsys(double *, double[3], double[3][3]);
void sdpos(int, double[3], double[3]); void sdvel(int, double[3], double[3]); void sdacc(int, double[3], double[3]);
void sdreac(double[][3], double[][3]); void sdinfo(int[50]); void sdjnt(int, int[50], int[6]);
void sdassemble(double, double *, int *, double, int, int *, int *);
void sdinitvel(double, double *, int *, double, int, int *, int *);
void sdstatic(double, double *, int *, double, double, int, int *, int *);
void sdmotion(double *, double *, double *, double, double, double, int *, int *);
void sdfmotion(double *, double *, double *, double, double, int *, double *, int *);
void sderror(int *, int *); void sdclearerr(void); void sdperr(double[]); void sdverr(double[]); void sdaerr(double[]);
void sdresid(double[], double[], double[], double[]); void sdmult(double[], int *, int[]);
void sdcomptrq(double[], double[]); void sdmass(int, double); void sdgetmass(int, double *); int sdindx(int, int);
void sdprespos(int, int, double); void sdpresvel(int, int, double); void sdpresacc(int, int, double);
void sdgetht(int, int, double *); void sdgrav(double[3]); void sdrel2cart(int, int, double[3], double[3], double[3]);
static void show(const char *name, const double *x, int n)
{ int i; printf("%s", name); for (i = 0; i < n; i++) printf(" %.17g", x[i]); printf("\n"); }
)";

class Program {
 public:
  Program(const Mechanism& m, const std::string& name, const std::string& main, const SdfastCode& code = {})
      : folder_(fs::path(::testing::TempDir()) / ("kane_sdfast_" + name)) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const SourceFile& file : export_sdfast(m, "m", code).files) std::ofstream(folder_ / file.name) << file.text;
    std::ofstream(folder_ / "main.c") << kDeclarations << main;
    const std::string build =
        "cd '" + folder_.string() +
        "' && gcc -std=c99 -Wall -Wextra -Werror -O1 -o run main.c m_dyn.c m_sar.c m_lib.c -lm 2> errors";
    built_ = std::system(build.c_str()) == 0;
    if (!built_) ADD_FAILURE() << read("errors");
  }

  /// The lines that it prints: a name and numbers.
  std::map<std::string, std::vector<double>> run(const std::vector<double>& input) const {
    std::ofstream in(folder_ / "in");
    for (const double x : input) in << fmt::format("{} ", x);
    in.close();
    const std::string command = "cd '" + folder_.string() + "' && ./run < in > out";
    EXPECT_EQ(std::system(command.c_str()), 0);
    std::map<std::string, std::vector<double>> result;
    std::istringstream lines(read("out"));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string name;
      words >> name;
      for (double x = 0; words >> x;) result[name].push_back(x);
    }
    return result;
  }

 private:
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream stream(folder_ / name);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  }
  fs::path folder_;
  bool built_ = false;
};

Mechanism sdfast_model(const std::string& name) {
  return read_mechanism(fs::path(KANE_SOURCE_DIR) / "models" / "sdfast" / name);
}

constexpr const char* kChainMain = R"(
void sduforce(double t, double *q, double *u) { (void)t; (void)q; (void)u; }
void sdumotion(double t, double *q, double *u) { (void)t; (void)q; (void)u; }
int main(void)
{
    static double q[100], u[100], tau[100], qd[100], ud[100], F[100][3], T[100][3], back[100], resid[300], none[10];
    double lm[3], am[3], ke, at[3] = {.1, -.2, .3}, push[3] = {1., 2., -3.}, turn[3] = {.5, -.4, .3}, x[3];
    int info[50], j[50], tran[6], i, k, nq, nu, routine, number;
    sdstate(0., q, u);
    sderror(&routine, &number);
    printf("early %d\n", number);
    sdclearerr();
    sdinfo(info);
    nu = info[2]; nq = nu + info[7];
    for (i = 0; i < nq; i++) if (scanf("%lf", q + i) != 1) return 1;
    for (i = 0; i < nu; i++) if (scanf("%lf", u + i) != 1) return 1;
    for (i = 0; i < nu; i++) if (scanf("%lf", tau + i) != 1) return 1;
    sdinit();
    sdstate(0., q, u);
    for (i = 0; i < info[1]; i++) {
        sdjnt(i, j, tran);
        for (k = 0; k < j[4]; k++) sdhinget(i, k, tau[j[7]+k]);
    }
    sdderiv(qd, ud);
    show("udot", ud, nu);
    show("qdot", qd, nq);
    sdmom(lm, am, &ke);
    show("lm", lm, 3); show("ke", &ke, 1);
    sdreac(F, T);
    show("lastF", F[info[1]-1], 3);
    sdcomptrq(ud, back);
    show("back", back, nu);
    sdresid(qd, ud, none, resid);
    show("resid", resid, nq + nu);
    sdpos(2, at, x); show("pos", x, 3);
    sdvel(2, at, x); show("vel", x, 3);
    /* loads at a point of body 2, against the generalized forces of the column of its Jacobian */
    sdstate(0., q, u);
    sdderiv(qd, ud);
    sdpointf(2, at, push);
    sdbodyt(2, turn);
    sdderiv(qd, back);
    for (i = 0; i < nu; i++) back[i] -= ud[i];
    show("pushed", back, nu);
    sdpos(77, at, x);
    sderror(&routine, &number);
    printf("error %d %d\n", routine, number);
    return 0;
}
)";

TEST(SdfastExport, EveryTreeJoint) {
  const Mechanism m = sdfast_model("chain.sd");
  const SdfastRoadmap map = form_sdfast_roadmap(m);
  const EquationsOfMotion e = form_equations(m);
  const Program program(m, "chain", kChainMain);
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> dice(-0.9, 0.9);
  for (int trial = 0; trial < 3; ++trial) {
    Values values;
    for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
    values["t"] = 0;
    for (const auto& names : {map.q, map.u})
      for (const std::string& name : names) values[name] = dice(engine);
    for (const SdfastBodyRow& b : map.bodies) {
      if (b.fourth.empty()) continue;
      const std::size_t last =
          static_cast<std::size_t>(b.axes.back());  // of a ball or free joint: the third Euler parameter
      double square = values[b.fourth] * values[b.fourth];
      for (std::size_t k = 0; k < 3; ++k) square += values[map.q[last - k]] * values[map.q[last - k]];
      for (std::size_t k = 0; k < 3; ++k) values[map.q[last - k]] /= std::sqrt(square);
      values[b.fourth] /= std::sqrt(square);
    }
    std::vector<double> input;
    for (const std::string& name : map.q) input.push_back(values[name]);
    for (const std::string& name : map.u) input.push_back(values[name]);
    for (std::size_t i = 0; i < map.u.size(); ++i) {
      values[fmt::format("tau{}", i + 1)] = dice(engine);
      input.push_back(values[fmt::format("tau{}", i + 1)]);
    }
    auto out = program.run(input);
    const std::vector<double> udot = evaluate(std::span<const Expr>(e.udot_explicit), values);
    ASSERT_EQ(out["udot"].size(), udot.size());
    std::map<std::string, double> by_name;
    for (std::size_t i = 0; i < udot.size(); ++i) by_name[e.u[i].name()] = udot[i];
    for (std::size_t i = 0; i < udot.size(); ++i)
      EXPECT_NEAR(out["udot"][i], by_name.at(map.u[i]), 1e-11 * (1 + std::abs(by_name.at(map.u[i])))) << map.u[i];
    EXPECT_NEAR(out["ke"][0], evaluate(e.kinetic, values), 1e-11);
    for (const double x : out["back"]) EXPECT_NEAR(x, 0, 1e-10);
    for (const double x : out["resid"]) EXPECT_NEAR(x, 0, 1e-10);
    EXPECT_EQ(out["early"][0], 27);
    EXPECT_EQ(out["error"], (std::vector<double>{21, 15}));
  }
}

constexpr const char* kLoopMain = R"(
void sduforce(double t, double *q, double *u) { (void)t; (void)q; (void)u; sdhinget(0, 0, .3); }
void sdumotion(double t, double *q, double *u) { (void)t; (void)q; (void)u; }
int main(void)
{
    double state[6] = {.2, 0., 0., 1., 0., 0.}, dstate[6], t = 0., errs[20], mult[20], F[4][3], T[4][3], est;
    int lock[3] = {1, 0, 0}, count, err, flag = 1, rank, map[20], i;
    sdinit();
    sdassemble(0., state, lock, 1e-13, 500, &count, &err);
    printf("assemble %d\n", err);
    sdinitvel(0., state, lock, 1e-13, 500, &count, &err);
    printf("initvel %d\n", err);
    show("start", state, 6);
    sdmotion(&t, state, dstate, .1, 1e-6, 1e-10, &flag, &err);
    printf("motion %d\n", err);
    show("end", state, 6);
    show("time", &t, 1);
    sdmult(mult, &rank, map);
    printf("rank %d\n", rank);
    sdreac(F, T);
    show("loop", F[3], 3);
    sdperr(errs);
    show("perr", errs, 5);
    flag = 1;
    for (i = 0; i < 50; i++) sdfmotion(&t, state, dstate, .001, 1e-6, &flag, &est, &err);
    printf("fixed %d\n", err);
    show("later", state, 6);
    for (i = 0; i < 3; i++) lock[i] = 0;
    sdstatic(0., state, lock, 1e-10, 1e-10, 2000, &count, &err);
    printf("static %d\n", err);
    sdderiv(0, dstate);
    show("rest", dstate, 3);
    return 0;
}
)";

TEST(SdfastExport, LoopAssembledAndMoved) {
  const Mechanism m = sdfast_model("fourbar.sd");
  auto out = Program(m, "fourbar", kLoopMain).run({});
  for (const char* call : {"assemble", "initvel", "motion", "fixed", "static"}) EXPECT_EQ(out[call][0], 0) << call;
  EXPECT_EQ(out["rank"][0], 2);  // of five rows of a pin, three repeat that the linkage is plane
  StartState start;
  for (int i = 0; i < 3; ++i) {
    start.q[fmt::format("q{}", i + 1)] = out["start"][static_cast<std::size_t>(i)];
    start.u[fmt::format("u{}", i + 1)] = out["start"][static_cast<std::size_t>(3 + i)];
  }
  EXPECT_NEAR(start.q["q1"], 0.2, 0);
  EXPECT_NEAR(start.u["u1"], 1, 0);
  start.inputs = {{"tau1", 0.3}};
  Simulation run(Model(read_mechanism(fs::path(KANE_SOURCE_DIR) / "models" / "sdfast" / "fourbar.sd")), start,
                 {.tolerance = 1e-11});
  for (const auto& [line, until] : {std::pair{"end", 0.1}, std::pair{"later", 0.15}}) {
    (void)run.run({.until = until}, [](const State&) { return true; });
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(out[line][static_cast<std::size_t>(i)], run.value(fmt::format("q{}", i + 1)), 1e-7) << line << i;
      EXPECT_NEAR(out[line][static_cast<std::size_t>(3 + i)], run.value(fmt::format("u{}", i + 1)), 1e-6) << line << i;
    }
  }
  for (const double x : out["perr"]) EXPECT_NEAR(x, 0, 1e-6);
  for (const double x : out["rest"]) EXPECT_NEAR(x, 0, 1e-9);
}

constexpr const char* kPrescribedMain = R"(
void sduforce(double t, double *q, double *u) { (void)t; (void)q; (void)u; }
void sdumotion(double t, double *q, double *u) { (void)t; (void)q; (void)u; }
int main(void)
{
    double q[2] = {.3, -.4}, u[2] = {1.5, .2}, qd[2], ud[2], torque, m, g[3] = {0., -3., 0.};
    sdgrav(g);
    sdmass(1, 2.5);
    sdinit();
    sdstate(0., q, u);
    sdpresacc(0, 0, .7);
    sdderiv(qd, ud);
    show("udot", ud, 2);
    sdgetht(0, 0, &torque);
    show("torque", &torque, 1);
    sdgetmass(1, &m);
    show("mass", &m, 1);
    printf("index %d\n", sdindx(1, 0));
    return 0;
}
)";

/// A double pendulum whose first angle is prescribed: u2' by hand, and the torque by moments about the first pin.
TEST(SdfastExport, PrescribedMotionAndNewParameters) {
  const Mechanism m = read_mechanism_text(R"(gravity = 0 -9.81 0
body = a inb = $ground joint = pin mass = 1 inertia = 0 0 .1 btj = 0 .5 0 itj = 0 0 0 pin = 0 0 1 prescribed = 1
body = b inb = a joint = pin mass = 2? inertia = 0 0 .2 btj = 0 .4 0 itj = 0 -.5 0 pin = 0 0 1
)",
                                          "two.sd");
  auto out = Program(m, "prescribed", kPrescribedMain).run({});
  const double q1 = 0.3, q2 = -0.4, u1 = 1.5, u2 = 0.2, mb = 2.5, L = 1, c = 0.4, I = 0.2, g = 3, a1 = 0.7;
  // About the second pin: (I + mb c^2)(a1 + a2) + mb c L (a1 cos q2 + u1^2 sin q2) + mb g c sin(q1 + q2) = 0.
  const double a2 =
      -(mb * c * L * (a1 * std::cos(q2) + u1 * u1 * std::sin(q2)) + mb * g * c * std::sin(q1 + q2)) / (I + mb * c * c) -
      a1;
  EXPECT_NEAR(out["udot"][0], a1, 1e-13);
  EXPECT_NEAR(out["udot"][1], a2, 1e-12);
  // The moment of momentum of both rods about the first pin.
  const double W = u1 + u2, A = a1 + a2, s1 = std::sin(q1), c1 = std::cos(q1), s = std::sin(q1 + q2),
               k = std::cos(q1 + q2);
  const double x = L * s1 + c * s, y = -L * c1 - c * k;
  const double ax = L * (a1 * c1 - u1 * u1 * s1) + c * (A * k - W * W * s),
               ay = L * (a1 * s1 + u1 * u1 * c1) + c * (A * s + W * W * k);
  EXPECT_NEAR(out["torque"][0], (0.1 + 0.25) * a1 + I * A + mb * (x * ay - y * ax) + g * (0.5 * s1 + mb * x), 1e-12);
  EXPECT_EQ(out["mass"][0], 2.5);
  EXPECT_EQ(out["index"][0], 1);
}

/// The loop of the four-bar as two constraints of the program: coupler and rocker share a point.
constexpr const char* kUserMain = R"(
void sdtrans(int, double[3], int, double[3]); void sdcons(int, int[50]);
static double A[3] = {.25, 0., 0.}, B[3] = {0., .15, 0.};
static void gap(void (*of)(int, double[3], double[3]), double *e)
{ double a[3], b[3]; of(1, A, a); of(2, B, b); e[0] = b[0] - a[0]; e[1] = b[1] - a[1]; }
void sduperr(double t, double *q, double *e) { (void)t; (void)q; gap(sdpos, e); }
void sduverr(double t, double *q, double *u, double *e) { (void)t; (void)q; (void)u; gap(sdvel, e); }
void sduaerr(double t, double *q, double *u, double *ud, double *e) { (void)t; (void)q; (void)u; (void)ud; gap(sdacc, e); }
void sduconsfrc(double t, double *q, double *u, double *m)
{
    double f[3], g[3];
    int i;
    (void)t; (void)q; (void)u;
    f[0] = m[0]; f[1] = m[1]; f[2] = 0.;
    sdtrans(-1, f, 2, g);
    sdpointf(2, B, g);
    sdtrans(-1, f, 1, g);
    for (i = 0; i < 3; i++) g[i] = -g[i];
    sdpointf(1, A, g);
}
)";
constexpr const char* kBothMain = R"(
void sduforce(double t, double *q, double *u) { (void)t; (void)q; (void)u; sdhinget(0, 0, .3); }
void sdumotion(double t, double *q, double *u) { (void)t; (void)q; (void)u; }
int main(void)
{
    double state[6] = {.2, 0., 0., 1., 0., 0.}, d[6], t = 0., mult[20], F[4][3], T[4][3], resid[50], e[20];
    int lock[3] = {1, 0, 0}, count, err, flag = 1, rank, map[20], info[50];
    sdinit();
    sdassemble(0., state, lock, 1e-13, 500, &count, &err);
    printf("assemble %d\n", err);
    sdinitvel(0., state, lock, 1e-13, 500, &count, &err);
    printf("initvel %d\n", err);
    sdmotion(&t, state, d, .1, 1e-6, 1e-11, &flag, &err);
    printf("motion %d\n", err);
    show("end", state, 6);
    sdstate(t, state, state + 3); sduforce(t, state, state + 3); sdderiv(d, d + 3);
    show("derivatives", d, 6);
    sdmult(mult, &rank, map);
    sdinfo(info);
    printf("rank %d\ncount %d\n", rank, info[3]);
    sdreac(F, T);
    show("force", F[0], 3); show("coupler", F[1], 3); show("torque", T[0], 3);
    sdaerr(e); show("errors", e, 2);
    sdresid(d, d + 3, mult, resid); show("resid", resid, 8);
    return 0;
}
)";

TEST(SdfastExport, ConstraintsOfTheProgramItself) {
  auto loop = Program(sdfast_model("fourbar.sd"), "loop", kBothMain).run({});
  std::ifstream stream(fs::path(KANE_SOURCE_DIR) / "models" / "sdfast" / "fourbar.sd");
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  text = text.substr(0, text.find("body = rocker inb = coupler")) + "constraint = along\nconstraint = across\n";
  const SdfastProgram program = read_sdfast_program(text);
  EXPECT_EQ(program.user_constraints, (std::vector<std::string>{"along", "across"}));
  const Mechanism open = read_mechanism_text(text, "open.sd");
  EXPECT_EQ(open.notes.size(), 2U);
  auto own = Program(open, "own", std::string(kUserMain) + kBothMain, {.user_constraints = 2}).run({});
  EXPECT_EQ(own["count"][0], 2);
  EXPECT_EQ(own["rank"][0], 2);
  for (const char* call : {"assemble", "initvel", "motion"}) EXPECT_EQ(own[call][0], 0) << call;
  for (const char* line : {"end", "derivatives", "force", "coupler", "torque"}) {
    ASSERT_EQ(own[line].size(), loop[line].size()) << line;
    for (std::size_t i = 0; i < own[line].size(); ++i) EXPECT_NEAR(own[line][i], loop[line][i], 1e-8) << line << i;
  }
  for (const char* line : {"errors", "resid"})
    for (const double x : own[line]) EXPECT_NEAR(x, 0, 1e-12) << line;
}

/// Springs and dampers of joints are in the code; another prefix is in all names.
TEST(SdfastExport, SpringsAndAnotherPrefix) {
  const Mechanism m = read_mechanism_text(R"(kane: 1
gravity: -9.81*N.y
bodies:
  A: {mass: 1.5, inertia: [0.02, 0.03, 0.04], com: [0.1, -0.3, 0]}
  B: {mass: 0.5, inertia: [0.01, 0.01, 0.02]}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, stiffness: 3, rest: 0.2, damping: 0.1}
  b: {type: prismatic, parent: A, child: B, axis: x, at: [0, -0.5, 0], stiffness: 20, rest: 0.05, damping: 0.7}
)",
                                          "springs.yaml");
  std::string main = R"(
int main(void)
{
    double q[2] = {.3, -.4}, u[2] = {1.5, .2}, qd[2], ud[2], torque;
    sdinit();
    sdstate(0., q, u);
    sdderiv(qd, ud);
    show("udot", ud, 2);
    sdgetht(0, 0, &torque);
    show("torque", &torque, 1);
    return 0;
}
)";
  for (const char* name : {"sdinit", "sdstate", "sdderiv", "sdgetht"}) {
    const std::string other = std::string("arm") + (name + 2);
    for (std::size_t at = main.find(name); at != std::string::npos; at = main.find(name))
      main.replace(at, std::string(name).size(), other);
  }
  main =
      "void arminit(void); void armstate(double, double[], double[]); void armderiv(double[], double[]);\n"
      "void armgetht(int, int, double *);\n"
      "void armuforce(double t, double *q, double *u) { (void)t; (void)q; (void)u; }\n"
      "void armumotion(double t, double *q, double *u) { (void)t; (void)q; (void)u; }\n" +
      main;
  auto out = Program(m, "springs", main, {.prefix = "arm"}).run({});
  const EquationsOfMotion e = form_equations(m);
  Values values;
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  values["t"] = 0;
  const std::array<double, 2> q{0.3, -0.4}, u{1.5, 0.2};
  for (std::size_t i = 0; i < 2; ++i) values[e.q[i].name()] = q[i], values[e.u[i].name()] = u[i];
  const auto udot = evaluate(std::span<const Expr>(e.udot_explicit), values);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(out["udot"][i], udot[i], 1e-12 * (1 + std::abs(udot[i])));
  EXPECT_NEAR(out["torque"][0], -3 * (0.3 - 0.2) - 0.1 * 1.5, 1e-15);
}

TEST(SdfastExport, RefusesWhatHasNoPlace) {
  const auto refused = [](const std::string& file, const std::string& sentence) {
    try {
      (void)export_sdfast(read_mechanism(fs::path(KANE_SOURCE_DIR) / "models" / file));
      ADD_FAILURE() << file;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(sentence), std::string::npos) << error.what();
    }
  };
  refused("damped_pendulum.yaml", "the particle");
  refused("rolling_disk_3d.yaml", "cannot be exported in the form of SD/FAST");
}

}  // namespace
}  // namespace kane::test

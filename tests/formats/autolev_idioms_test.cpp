// What scripts of theses do that no table of statements mentions: lines broken within names, forces found before the motion is
// solved, statics without velocities, units stated last.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/autolev/script_mechanism.hpp"
#include "kane/formats/autolev/script_system.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"

namespace kane::autolev {
namespace {

constexpr double kRightAngle = 1.57079632679489662;

std::unique_ptr<Session> session_of(const std::string& script) {
  auto session = std::make_unique<Session>();
  session->run_text(script, "idioms.al");
  return session;
}

ScriptSystem idiom(const std::string& script) {
  const auto session = session_of(script);
  return make_system(*session, "idioms");
}

double value_in(const std::string& script, const std::string& name, const Values& values = {}) {
  const auto session = session_of(script);
  const Scalar* s = session->find_scalar(name);
  if (s == nullptr || !s->value) throw ModelError("no value of " + name);
  return evaluate(session->explicitly(*s->value, {.solutions = true}), values);
}

std::string failure_of(const std::string& script) {
  try {
    (void)session_of(script);
  } catch (const ModelError& error) {
    return error.message();
  }
  return "no failure";
}

/// The derivatives of the speeds, then all columns of OUTPUT.
std::vector<double> motion_at(const ScriptSystem& s, Values values) {
  for (const auto& [name, value] : s.constants) values.try_emplace(name, value);
  for (const auto& input : s.equations.inputs) values.try_emplace(input.symbol.name(), evaluate(input.value, {}));
  std::vector<double> all = evaluate(std::span<const Expr>(s.udot), values);
  for (std::size_t i = 0; i < s.udot.size(); ++i) values[s.equations.udot[i].name()] = all[i];
  for (const auto& o : s.equations.outputs) all.push_back(evaluate(o.value, values));
  return all;
}

void expect_same_motion(const ScriptSystem& a, const ScriptSystem& b, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1.2, 1.2);
  for (int run = 0; run < 10; ++run) {
    Values values{{"t", number(random)}};
    for (const Expr& q : b.equations.q) values[q.name()] = number(random);
    for (const Expr& u : b.equations.u) values[u.name()] = number(random);
    const auto x = motion_at(a, values), y = motion_at(b, values);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-12 * (1 + std::abs(y[i]))) << i;
  }
}

TEST(AutolevIdioms, LinesAreBrokenWithinNamesAndNumbers) {
  EXPECT_DOUBLE_EQ(value_in("CONSTANTS THETA=0.5\nX = SIN(THE&\n   TA) + 1.&\n5 + 2&\n  5 + COS(&\n THETA)\n", "X"),
                   std::sin(0.5) + 1.5 + 25 + std::cos(0.5));
  EXPECT_DOUBLE_EQ(value_in("VARIABLES&\nQ\nQ = 3\nX = Q &\n  + 1\n", "X"), 4);
  EXPECT_NE(failure_of("CONSTANTS A, B\nX = A &\nB\n").find("'B' is not understood"), std::string::npos);
}

TEST(AutolevIdioms, DirectionsOfNumbers) {
  EXPECT_DOUBLE_EQ(value_in("FRAMES A\nV> = UNITVEC(A1> - A2>)\nX = DOT(V>,A2>)\n", "X"), -std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(value_in("FRAMES A\nX = MAG(3*A1> - 4*A2>)\n", "X"), 5);
}

TEST(AutolevIdioms, StaticsNeedsOnlyVelocitiesWhereForcesAct) {
  const std::string begin =
      "NEWTONIAN N\nBODIES A\nPOINTS O,P\nCONSTANTS L,F\nMOTIONVARIABLES Q'\nMASS A=M\nSIMPROT(N,A,3,Q)\n"
      "W_A_N> = Q'*A3>\nV_P_N> = CROSS(W_A_N>,L*A1>)\nFORCE_P> = F*N1>\n";
  EXPECT_NEAR(value_in(begin + "Z = FR()\nX = Z[1]\n", "X", {{"Q", 0.3}, {"L", 2}, {"F", 5}}), -10 * std::sin(0.3),
              1e-14);
  EXPECT_NE(failure_of(begin + "Z = FR() + FRSTAR()\n").find("the velocity of Ao in N is not known"),
            std::string::npos);
}

TEST(AutolevIdioms, ABodyThatOnlyMovesAlongNeedsNoInertia) {
  const ScriptSystem s = idiom(
      "NEWTONIAN N\nBODIES A\nPOINTS O\nCONSTANTS F=6,M=4\nMOTIONVARIABLES' X''\nMASS A=M\nP_O_AO> = X*N1>\nW_A_N> = "
      "0>\n"
      "V_AO_N> = DT(P_O_AO>,N)\nFORCE_AO> = F*N1>\nZERO = FR() + FRSTAR()\nKANE()\n");
  EXPECT_DOUBLE_EQ(motion_at(s, {{"X", 1}, {"X_dot", 2}, {"t", 0}}).at(0), 1.5);
  EXPECT_NE(
      failure_of("NEWTONIAN N\nBODIES A\nMOTIONVARIABLES' U'\nMASS A=M\nW_A_N> = U*N3>\nV_AO_N> = 0>\nX = FRSTAR()\n")
          .find("the inertia of A is not stated"),
      std::string::npos);
}

/// Against the rotor as a body of its own.
TEST(AutolevIdioms, GyrostatAsAFunction) {
  const std::string motion =
      "CONSTANTS J{3},JT,JS,TQ\nMOTIONVARIABLES' U{4}'\nVARIABLES Q{4}'\nDIRCOS(N,A,BODY123,Q1,Q2,Q3)\n"
      "W_A_N> = U1*A1> + U2*A2> + U3*A3>\nKINDIFFS(N,A,BODY123,Q1,Q2,Q3)\nQ4' = U4\nV_AO_N> = 0>\n";
  const std::string values = "INPUT J1=2,J2=3,J3=4.5,JT=0.3,JS=0.5,MA=5,MB=0,TQ=0.4\n";
  const std::string columns = "OUTPUT K, DOT(H>,N1>), DOT(H>,N2>), DOT(H>,N3>)\n";
  const ScriptSystem one =
      idiom("NEWTONIAN N\nBODIES A\nFRAMES B\nCONSTANTS MB\n" + motion +
            "MASS A=MA\nINERTIA A,J1+JT,J2+JS,J3+JT\nW_B_A> = U4*A2>\nTORQUE(A/B,TQ*A2>)\n"
            "ZERO = FR() + FRSTAR() + GYROSTAT(FRSTAR,CYLINDER,A,B,JS)\nKANE()\n"
            "K = KE() + Gyrostat(KE,Cylinder,A,B,JS)\nH> = MOMENTUM(ANGULAR,AO) + Gyrostat(Angmom,Cylinder,A,B,JS)\n" +
            values + columns);
  const ScriptSystem two =
      idiom("NEWTONIAN N\nBODIES A,B\n" + motion +
            "MASS A=MA,B=MB\nINERTIA A,J1,J2,J3\nINERTIA B,JT,JS,JT\nSIMPROT(A,B,2,Q4)\nP_AO_BO> = 0>\nV_BO_N> = 0>\n"
            "TORQUE(A/B,TQ*A2>)\nZERO = FR() + FRSTAR()\nKANE()\nK = KE()\nH> = MOMENTUM(ANGULAR,AO)\n" +
            values + columns);
  expect_same_motion(one, two, 5);
  EXPECT_NE(failure_of("NEWTONIAN N\nFRAMES A,B\nX = GYROSTAT(KE,CONE,A,B,1)\n").find("CYLINDER"), std::string::npos);
}

TEST(AutolevIdioms, ForcesFirstThenTheMotion) {
  std::ifstream file(std::filesystem::path(KANE_SOURCE_DIR) / "models" / "autolev" / "auxiliary.al");
  const std::string script{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // KANE(FX,FY) leaves the equation of motion in ZERO.
  expect_same_motion(idiom(script + "\nSOLVE(ZERO,U1')\n"), idiom(script), 6);
  EXPECT_DOUBLE_EQ(value_in(script + "\nN_ROWS = ROWS(ZERO)\n", "N_ROWS"), 1);
}

TEST(AutolevIdioms, StaticsWithDependentRates) {
  // Two bars hang in a row; the second one's rate is the negative of the first one's.
  const std::string script =
      "NEWTONIAN N\nFRAMES A,B\nPOINTS O,P,Q\nCONSTANTS L,F\nMOTIONVARIABLES QA',QB'\nSIMPROT(N,A,3,QA)\n"
      "SIMPROT(N,B,3,QB)\nW_A_N> = QA'*A3>\nW_B_N> = QB'*B3>\nP_O_P> = L*A1>\nP_P_Q> = L*B1>\nV_O_N> = 0>\n"
      "V2PTS(N,A,O,P)\nV2PTS(N,B,P,Q)\nDEPENDENT[1] = QA' + QB'\nCONSTRAIN(DEPENDENT[QB'])\nFORCE_Q> = F*N1>\n"
      "Z = FR()\nX = Z[1]\nN_ROWS = ROWS(Z)\n";
  EXPECT_DOUBLE_EQ(value_in(script, "N_ROWS"), 1);
  EXPECT_NEAR(value_in(script, "X", {{"QA", 0.3}, {"QB", 0.8}, {"L", 2}, {"F", 5}}),
              10 * (std::sin(0.8) - std::sin(0.3)), 1e-14);
}

TEST(AutolevIdioms, NamesFromMatricesAndInputsByDefinition) {
  EXPECT_DOUBLE_EQ(value_in("VARIABLES X,Y\nS = [X;Y]\nJ = D([X*Y;X^2],TRANSPOSE(S))\nZ = J[1,2] + J[2,1]\n", "Z",
                            {{"X", 3}, {"Y", 5}}),
                   9);
  EXPECT_DOUBLE_EQ(value_in("CONSTANTS A\nB = 2*A\nINPUT A=3\nC = INPUT(B) + INPUT(A)\n", "C"), 9);
}

TEST(AutolevIdioms, UnitsOfValuesInAnyOrder) {
  const std::string motion = "VARIABLES A', B', C', L\nA' = A\nB' = B\nC' = C\n";
  for (const std::string& order : {std::string("UNITSYSTEM KG,M,SEC\nUNITS A=DEG,C=CM\nINPUT A=90,B=3 RAD,C=7\n"),
                                   std::string("INPUT A=90,B=3 RAD,C=7\nUNITS A=DEG,B=DEG,C=CM\nUNITSYSTEM KG,M,SEC\n"),
                                   std::string("INPUT A=90 DEG,B=3,C=0.07 M\nUNITSYSTEM KG,M,SEC\n")}) {
    const ScriptSystem s = idiom(motion + order);
    ASSERT_EQ(s.u.size(), 3U);
    EXPECT_NEAR(s.u[0], kRightAngle, 1e-15) << order;
    EXPECT_DOUBLE_EQ(s.u[1], 3) << order;
    EXPECT_DOUBLE_EQ(s.u[2], 0.07) << order;
  }
}

TEST(AutolevIdioms, SignsOfAListOfConstants) {
  EXPECT_EQ(failure_of("FRAMES A\nCONSTANTS+ M,K\nX = MAG(M*A1>)/M\n"), "no failure");
  EXPECT_DOUBLE_EQ(value_in("FRAMES A\nCONSTANTS- M,K\nX = MAG(K*A1>)/K\n", "X"), -1);
}

TEST(AutolevIdioms, CommandsHaveNoValue) {
  EXPECT_NE(failure_of("NEWTONIAN N\nFRAMES A\nV> = ANGVEL(N,A)\n").find("ANGVEL is a command and has no value"),
            std::string::npos);
}

TEST(AutolevIdioms, SystemsOfFirstOrderBecomeModelFiles) {
  const Mechanism m = make_mechanism(idiom("VARIABLES X',Y'\nX' = Y*T\nY' = -X^3\nINPUT X=0.2,Y=0.4\n"));
  const std::string text = write_yaml(m);
  EXPECT_NE(text.find("coordinates: {}"), std::string::npos) << text;
  EXPECT_EQ(write_yaml(read_yaml_text(text)), text);
}

}  // namespace
}  // namespace kane::autolev

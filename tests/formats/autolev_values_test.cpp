// Scripts and model files of the same systems: the derivatives of the speeds agree at random states, parameters and inputs.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <filesystem>
#include <random>

#include "kane/expr/evaluate.hpp"
#include "kane/formats/autolev/script_system.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane::autolev {
namespace {

ScriptSystem script_system(const std::string& text) {
  Session session;
  session.run_text(text, "script.al");
  return make_system(session, "script");
}

/// Both have the same names. Derivatives of the speeds relative to the largest of them.
void expect_same_motion(const std::string& script, const Mechanism& mechanism, unsigned seed) {
  const ScriptSystem s = script_system(script);
  const EquationsOfMotion e = form_equations(mechanism);
  ASSERT_EQ(s.equations.u.size(), e.u.size());
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> positive(0.3, 2), any(-1, 1);
  for (int run = 0; run < 20; ++run) {
    Values values{{"t", any(engine)}};
    for (const auto& p : e.parameters) values[p.symbol.name()] = positive(engine);
    for (const auto& i : e.inputs) values[i.symbol.name()] = any(engine);
    for (const Expr& q : e.q) values[q.name()] = positive(engine);
    for (const Expr& u : e.u) values[u.name()] = any(engine);
    for (const auto& c : s.constants) ASSERT_TRUE(values.contains(c.first)) << c.first;
    const auto n = static_cast<Eigen::Index>(e.u.size());
    Eigen::MatrixXd M(n, n);
    Eigen::VectorXd b(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      b[i] = evaluate(e.rhs[static_cast<std::size_t>(i)], values);
      for (Eigen::Index j = 0; j < n; ++j) M(i, j) = evaluate(e.M(static_cast<int>(i), static_cast<int>(j)), values);
    }
    const Eigen::VectorXd own = M.fullPivLu().solve(b);
    const double size = 1 + own.lpNorm<Eigen::Infinity>();
    const auto script_udot = evaluate(std::span<const Expr>(s.udot), values);
    for (Eigen::Index i = 0; i < n; ++i) {
      const std::string name = e.u[static_cast<std::size_t>(i)].name();
      const auto at =
          std::find_if(s.equations.u.begin(), s.equations.u.end(), [&](const Expr& u) { return u.name() == name; });
      ASSERT_NE(at, s.equations.u.end()) << name;
      EXPECT_NEAR(script_udot[static_cast<std::size_t>(at - s.equations.u.begin())], own[i], 1e-12 * size) << name;
    }
  }
}

Mechanism model_of(const std::string& name) {
  return read_mechanism(std::filesystem::path(KANE_SOURCE_DIR) / "models" / (name + ".yaml"));
}

TEST(AutolevValues, TwoLinkArm) {
  expect_same_motion(
      "NEWTONIAN N\nFRAMES A,B\nPARTICLES P1,P2\nCONSTANTS m,L,g\nSPECIFIED TA,TAB\nVARIABLES q{2}'\n"
      "MOTIONVARIABLES' u{2}'\nMASS P1=m,P2=m\nSIMPROT(N,A,3,q1)\nSIMPROT(A,B,3,q2)\nq1'=u1\nq2'=u2\n"
      "ANGVEL(N,A)\nANGVEL(N,B)\nP_NO_P1>=L*A1>\nP_P1_P2>=L*B1>\nV2PTS(N,A,NO,P1)\nV2PTS(N,B,P1,P2)\n"
      "GRAVITY(-g*N2>)\nTORQUE(N/A,TA*N3>)\nTORQUE(A/B,TAB*N3>)\nZERO=FR()+FRSTAR()\nKANE()\n",
      model_of("planar2r"), 1);
}

TEST(AutolevValues, WristWithComponentsOfTheAngularVelocityAsSpeeds) {
  expect_same_motion(
      "Newtonian N\nframes A,B\nbodies C\nconstants M,L,I1,I2,I3,G\nspecified T{3}, F{3}\nvariables q{3}'\n"
      "motionvariables' u{3}'\nmass C=M\ninertia C,I1,I2,I3\nsimprot(N,A,3,q1)\nsimprot(A,B,2,q2)\nsimprot(B,C,3,q3)\n"
      "w_C_N> = u1*C1> + u2*C2> + &\n   u3*C3>\nkindiffs(N,C,body323,q1,q2,q3)\np_No_Co> = L*C3>\nv2pts(N,C,No,Co)\n"
      "alf_C_N> = dt(w_C_N>,N)\na_No_N> = 0>\na2pts(N,C,No,Co)\ngravity(-G*N1>)\n"
      "torque_C> = vector(C,T1,T2,T3)\nforce_Co> += F1*C1>+F2*C2>+F3*C3>\nzero = fr() + "
      "frstar()\nsolve(zero,u1',u2',u3')\n",
      model_of("wrist_body"), 2);
}

TEST(AutolevValues, SpacecraftWithAWheel) {
  const Mechanism m = read_mechanism_text(R"yaml(
kane: 1
name: spacecraft
parameters: {MA: 5, MR: 1.5, J1: 2, J2: 3, J3: 4.5, JT: 0.3, JS: 0.5, L: 0.7}
inputs: {TQ: 0.4}
bodies:
  F1: {}
  F2: {}
  A: {mass: MA, inertia: [J1, J2, J3]}
  R: {mass: MR, inertia: [JT, JS, JT]}
joints:
  first: {type: revolute, parent: N, child: F1, axis: x, coordinate: q1}
  second: {type: revolute, parent: F1, child: F2, axis: y, coordinate: q2}
  third: {type: revolute, parent: F2, child: A, axis: z, coordinate: q3}
  wheel: {type: revolute, parent: A, at: [L, 0, 0], child: R, axis: y, coordinate: q4}
loads:
  motor: {torque: TQ, on: R, reaction: A, axis: A.y}
speeds: {u1: "dot(omega(A), A.x)", u2: "dot(omega(A), A.y)", u3: "dot(omega(A), A.z)", u4: q4'}
)yaml",
                                          "spacecraft.yaml");
  const std::string begin =
      "NEWTONIAN N\nBODIES A,R\nCONSTANTS L\nSPECIFIED TQ\nVARIABLES q{4}'\nMOTIONVARIABLES' u{4}'\n"
      "MASS A=MA,R=MR\nINERTIA A,J1,J2,J3\nINERTIA R,JT,JS,JT\nDIRCOS(N,A,BODY123,q1,q2,q3)\n"
      "W_A_N>=u1*A1>+u2*A2>+u3*A3>\nKINDIFFS(N,A,BODY123,q1,q2,q3)\nq4'=u4\nP_AO_RO>=L*A1>\nV_AO_N>=0>\n";
  const std::string end = "TORQUE(A/R,TQ*A2>)\nZERO=FR()+FRSTAR()\nKANE()\n";
  expect_same_motion(begin + "SIMPROT(A,R,2,q4)\nV2PTS(N,A,AO,RO)\n" + end, m, 3);
  expect_same_motion(begin + "W_R_A>=u4*A2>\nGYROSTAT(A,R)\n" + end, m, 4);
}

TEST(AutolevValues, FrequenciesOfTwoMassesOnThreeSprings) {
  Session session;
  session.run_text(
      "CONSTANTS M=2,K=8\nVARIABLES X{2}'',S\nEQ[1] = -M*X1'' - 2*K*X1 + K*X2\nEQ[2] = -M*X2'' + K*X1 - 2*K*X2\n"
      "MM = -D(EQ,[X1'',X2''])\nKK = -D(EQ,[X1,X2])\nA = EXPLICIT(INV(MM)*KK)\nEIG(A,VALUES,VECTORS)\n"
      "P = DET(S*DIAGMAT(2,1) - A)\nR = ROOTS(P,S,2)\n",
      "script.al");
  // k/m and 3 k/m.
  for (const char* name : {"VALUES", "R"}) {
    const ExprMatrix& found = session.world().matrices.at(name);
    std::vector<double> values;
    for (const Expr& x : found.entries) values.push_back(evaluate(x, {}));
    std::sort(values.begin(), values.end());
    ASSERT_EQ(values.size(), 2U) << name;
    EXPECT_NEAR(values[0], 4, 1e-12) << name;
    EXPECT_NEAR(values[1], 12, 1e-12) << name;
  }
}

}  // namespace
}  // namespace kane::autolev

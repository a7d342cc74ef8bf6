// Buffinton's robots: planar2r and its relatives, rp_robot, grasp; the spatial arm of Purushotham and Anjeneyulu.

#include <gtest/gtest.h>

#include "oracle.hpp"

namespace kane::test {
namespace {

struct Planar2r {
  Oracle oracle;
  System s;
  FrameId N, A, B;
  PointId O, P1, P2;
  Expr m, L, g;

  explicit Planar2r(const std::string& id) : oracle(id), s(id) {
    oracle.declare(s);
    m = sym(s, "m");
    L = sym(s, "L");
    g = sym(s, "g");
    N = s.inertial();
    A = s.add_frame("A", N, SimpleRotation{Axis::Z, sym(s, "q1")});
    B = s.add_frame("B", A, SimpleRotation{Axis::Z, sym(s, "q2")});
    O = s.origin();
    P1 = s.add_point("P1", O, L * x(A));
    P2 = s.add_point("P2", P1, L * x(B));
    s.add_particle("P1", P1, m);
    s.add_particle("P2", P2, m);
    s.add_torque("motor A", A, sym(s, "TA") * z(A));
    s.add_torque_pair("motor AB", B, A, sym(s, "TAB") * z(B));
  }
  void add_gravity() { s.add_gravity(-g * y(N)); }
  void add_rates() {
    s.add_speed("u1", s.rate(sym(s, "q1")));
    s.add_speed("u2", s.rate(sym(s, "q2")));
  }
  CompareOptions links() {
    CompareOptions o;
    o.partials = {{"A", {"A", "O"}}, {"B", {"B", "P1"}}};
    return o;
  }
};

TEST(Oracle, Planar2r) {
  Planar2r r("planar2r");
  r.add_gravity();
  r.add_rates();
  KaneDerivation d(r.s);
  compare(d, r.oracle, r.links());
  EXPECT_TRUE(d.equations().warnings.empty());
}

TEST(Oracle, Planar2rTipForceAndDampers) {
  Planar2r r("planar2r_tip_damped");
  r.add_gravity();
  r.add_rates();
  r.s.add_force("tip", r.P2, sym(r.s, "FEx") * x(r.N) + sym(r.s, "FEy") * y(r.N));
  r.s.add_torsional_damper("shoulder", r.A, r.N, z(r.A), sym(r.s, "bt1"));
  r.s.add_torsional_damper("elbow", r.B, r.A, z(r.B), sym(r.s, "bt2"));
  KaneDerivation d(r.s);
  compare(d, r.oracle, r.links());
}

TEST(Oracle, Planar2rOperationalSpace) {
  Planar2r r("planar2r_opspace");
  r.add_gravity();
  const Vector v = r.s.velocity(r.P2);
  r.s.add_speed("u1", r.s.dot(v, x(r.N)));
  r.s.add_speed("u2", r.s.dot(v, y(r.N)));
  KaneDerivation d(r.s);
  compare(d, r.oracle, r.links());
  ASSERT_EQ(d.equations().warnings.size(), 1U);
  EXPECT_EQ(d.equations().warnings[0], "the choice of generalized speeds is singular where sin(q2) = 0");
}

TEST(Oracle, RpRobot) {
  const Oracle oracle("rp_robot");
  System s("rp_robot");
  oracle.declare(s);
  const auto p = [&](const char* name) { return sym(s, name); };
  const FrameId N = s.inertial();
  const FrameId A = s.add_frame("A", N, SimpleRotation{Axis::Z, p("q1")});
  // B and C do not turn relative to A but are bodies of their own.
  const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::Z, 0});
  const FrameId C = s.add_frame("C", B, SimpleRotation{Axis::Z, 0});
  const PointId As = s.add_point("A*", s.origin(), p("LA") * y(A));
  const PointId P = s.add_point("P", s.origin(), p("LP") * x(A) + p("LT") * y(A));
  const PointId Bs = s.add_point("B*", P, (p("q2") - p("L") / 2) * x(A));
  const PointId Cs = s.add_point("C*", P, (p("q2") + p("LC")) * x(A));
  s.add_body("A", {A, As, p("mA"), inertia(A, 0, 0, p("IA"))});
  s.add_body("B", {B, Bs, p("mB"), inertia(B, 0, 0, p("IB"))});
  s.add_body("C", {C, Cs, p("mC"), inertia(C, 0, 0, p("IC"))});
  const PointId Phat = s.add_point_of("Phat", B, P);
  s.add_speed("u1", s.dot(s.angular_velocity(A), z(A)));
  s.add_speed("u2", s.dot(s.velocity(Cs, A), x(A)));
  s.add_torque("motor", A, p("TA") * z(A));
  s.add_force_pair("drive", Phat, P, p("FAB") * x(A));
  s.fix_point(P, A);
  KaneDerivation d(s);
  compare(d, oracle);
}

TEST(Oracle, Grasp) {
  Planar2r r("grasp");
  System& s = r.s;
  // The weight of P3 does no work; it is a load like any other and must not enter.
  r.add_gravity();
  r.add_rates();
  const PointId P3 = s.add_point("P3", r.O, sym(s, "q3") * x(r.N));
  s.add_particle("P3", P3, sym(s, "m3"));
  const Expr u3 = s.add_speed("u3", s.dot(s.velocity(P3), x(r.N)));
  s.add_velocity_constraint("c1", r.P2, P3, x(r.N), "grasp");
  s.add_velocity_constraint("c2", r.P2, P3, y(r.N), "grasp");
  s.set_dependent_speeds({sym(s, "u2"), u3});
  // The slot's force on P3 along n2: an auxiliary speed lifts P3.
  s.add_auxiliary_speed("w", P3, y(r.N));
  for (const EmbeddingMethod method : {EmbeddingMethod::Projection, EmbeddingMethod::Recombination}) {
    DeriveOptions options;
    options.embedding = method;
    KaneDerivation d(s, options);
    const auto values = compare(d, r.oracle);
    const EquationsOfMotion& e = d.equations();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& state = r.oracle.states()[i];
      expect_close(calc(std::span<const Expr>(e.embedded->D.entries), values[i]),
                   nlohmann::json::array({state["alpha21"], state["alpha31"]}), "alpha");
      ASSERT_EQ(e.auxiliary_forces.size(), 1U);
      const Number slot = calc(e.auxiliary_forces[0].value, values[i]);
      EXPECT_NEAR(static_cast<double>(slot), state["slot_normal_force"].get<double>(), 1e-11);
    }
  }
}

TEST(Oracle, SpaceArm2r) {
  const Oracle oracle("space_arm_2r");
  System s("space_arm_2r");
  oracle.declare(s);
  const auto p = [&](const char* name) { return sym(s, name); };
  const Expr m = p("m"), L = p("L"), g = p("g");
  const FrameId N = s.inertial();
  const FrameId A = s.add_frame("A", N, SimpleRotation{Axis::Y, p("q1")});
  const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::Z, p("q2")});
  const PointId As = s.add_point("A*", s.origin(), -2 * L * z(A));
  const PointId P = s.add_point("P", s.origin(), -4 * L * z(A));
  const PointId Bs = s.add_point("B*", P, L * y(B));
  const Expr a = Expr(8) / 3 * m * L * L, b = m * L * L / 3;
  s.add_body("A", {A, As, 2 * m, inertia(A, a, a, 0)});
  s.add_body("B", {B, Bs, m, inertia(B, b, 0, b)});
  s.add_speed("u1", s.rate(p("q1")));
  s.add_speed("u2", s.rate(p("q2")));
  s.add_gravity(-g * z(N));
  s.add_torque("tau1", A, p("tau1") * y(A));
  s.add_torque_pair("tau2", B, A, p("tau2") * z(A));
  // The constraint torque about a1, once as an unknown with its auxiliary speed ...
  const Expr Tc = s.add_unknown("Tc");
  s.add_auxiliary_speed("u3", A, x(A));
  s.add_torque("constraint", A, Tc * x(A));
  // ... and once as part of the reaction of the joint.
  s.add_reaction("ground", {.point = s.origin(), .outboard = A, .in = A, .through = {"tau1", "constraint"}});
  s.add_reaction("base", {.point = s.origin(), .outboard = A, .in = N, .torque = false});
  KaneDerivation d(s);
  const auto values = compare(d, oracle);
  const EquationsOfMotion& e = d.equations();
  ASSERT_EQ(e.auxiliary_forces.size(), 1U);
  ASSERT_EQ(e.reactions.size(), 2U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& state = oracle.states()[i];
    expect_close(calc(std::span(&e.auxiliary_forces[0].value, 1), values[i]), state["Tc"], "Tc");
    expect_close(calc(e.reactions[0].torque, values[i]), state["ground_torque_in_A"], "ground torque");
    expect_close(calc(e.reactions[1].force, values[i]), state["ground_force_in_N"], "ground force");
  }
}

}  // namespace
}  // namespace kane::test

// Stanford arm, the OSIRIS-REx tree with its 21 constraint forces, pendulums of many links.

#include <gtest/gtest.h>

#include "oracle.hpp"

namespace kane::test {
namespace {

TEST(Oracle, StanfordArm) {
  const Oracle oracle("stanford_arm");
  System s("stanford_arm");
  oracle.declare(s);
  const auto p = [&](const std::string& name) { return sym(s, name); };
  const FrameId N = s.inertial();
  const FrameId B1 = s.add_frame("B1", N, SimpleRotation{Axis::Z, p("q1")});
  const FrameId B2 = s.add_frame("B2", B1, SimpleRotation{Axis::Y, p("q2")});
  const FrameId B3 = s.add_frame("B3", B2, SimpleRotation{Axis::Z, 0});
  const FrameId B4 = s.add_frame("B4", B3, SimpleRotation{Axis::Z, p("q4")});
  const FrameId B5 = s.add_frame("B5", B4, SimpleRotation{Axis::Y, p("q5")});
  const FrameId B6 = s.add_frame("B6", B5, SimpleRotation{Axis::Z, p("q6")});
  const PointId O = s.origin();
  const PointId S = s.add_point("S", O, p("h") * z(N) + p("d2") * y(B1));
  const PointId W = s.add_point("W", S, p("q3") * z(B2));
  const PointId X = s.add_point("X", W, p("a4") * z(B4));
  const PointId E = s.add_point("E", X, p("l6") * z(B6));
  const PointId centre[6] = {s.add_point("B1*", O, (p("h") + p("z1")) * z(N)),
                             s.add_point("B2*", S, p("y2") * y(B2)),
                             s.add_point("B3*", S, (p("q3") + p("z3")) * z(B3)),
                             s.add_point("B4*", W, p("z4") * z(B4)),
                             s.add_point("B5*", X, p("z5") * z(B5)),
                             s.add_point("B6*", X, p("z6") * z(B6))};
  const FrameId frame[6] = {B1, B2, B3, B4, B5, B6};
  for (std::size_t i = 0; i < 6; ++i) {
    const std::string n = std::to_string(i + 1);
    s.add_body("B" + n, {frame[i], centre[i], p("m" + n),
                         inertia(frame[i], p("I" + n + "x"), p("I" + n + "y"), p("I" + n + "z"))});
    s.add_speed("u" + n, s.rate(p("q" + n)));
  }
  s.add_gravity(-p("g") * z(N));
  s.add_torque("T1", B1, p("T1") * z(N));
  s.add_torque_pair("T2", B2, B1, p("T2") * y(B1));
  const PointId push = s.add_point_of("push", B3, S), hold = s.add_point_of("hold", B2, S);
  s.add_force_pair("F3", push, hold, p("F3") * z(B2));
  s.add_torque_pair("T4", B4, B3, p("T4") * z(B3));
  s.add_torque_pair("T5", B5, B4, p("T5") * y(B4));
  s.add_torque_pair("T6", B6, B5, p("T6") * z(B5));
  KaneDerivation d(s);
  const auto values = compare(d, oracle);
  const ExprMatrix C = d.parsa_matrix(), rate = d.mass_matrix_rate();
  const EquationsOfMotion& e = d.equations();
  const auto tip = std::find_if(e.points.begin(), e.points.end(), [](const PointOutput& q) { return q.name == "E"; });
  ASSERT_NE(tip, e.points.end());
  (void)E;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& state = oracle.states()[i];
    expect_close(calc(C, values[i]), state["C_parsa"], "C");
    expect_close(calc(rate, values[i]), state["Mdot"], "Mdot");
    expect_close(calc(tip->position, values[i]), state["tip_position"], "tip position");
    expect_close(calc(tip->velocity, values[i]), state["tip_velocity"], "tip velocity");
  }
}

TEST(Oracle, OsirisTree) {
  const Oracle oracle("osiris_tree");
  System s("osiris_tree");
  oracle.declare(s);
  const auto p = [&](const std::string& name) { return sym(s, name); };
  const FrameId N = s.inertial();
  FrameId F[5];
  F[0] = s.add_frame("F0", N, EulerParameters{{p("e1"), p("e2"), p("e3"), p("e4")}});
  const Expr3 angles[4] = {{p("s1"), p("s2"), p("s3")},
                           {p("b1"), p("b2"), p("b3")},
                           {p("p1"), p("p2"), p("p3")},
                           {p("g1"), p("g2"), p("w3c")}};
  for (std::size_t j = 0; j < 4; ++j) {
    F[j + 1] = s.add_frame("F" + std::to_string(j + 1), F[j], rotation_sequence("body 213", angles[j]));
  }
  const PointId B0 = s.add_point("body0", s.origin(), Vector(N, {p("x"), p("y"), p("z")}));
  const PointId J0 = s.add_point("J0", B0, Vector(F[0], {p("sx"), p("sy"), p("sz")}));
  const PointId J1 = s.add_point("J1", J0, p("l1") * z(F[1]));
  const PointId J2in = s.add_point("J2in", J1, p("l2") * z(F[2]));
  const PointId J2 = s.add_point("J2", J2in, p("d") * z(F[2]));
  const PointId J3 = s.add_point("J3", J2, p("l3") * z(F[3]));
  const PointId origin[5] = {B0, J0, J1, J2, J3};
  const Vector to_centre[5] = {
      {}, p("c1") * z(F[1]), p("c2") * z(F[2]), p("c3") * z(F[3]), p("c4y") * y(F[4]) + p("c4z") * z(F[4])};
  for (std::size_t i = 0; i < 5; ++i) {
    const std::string n = std::to_string(i);
    const PointId c = i == 0 ? B0 : s.add_point("B" + n + "*", origin[i], to_centre[i]);
    const Dyadic I = i == 0 ? inertia(F[0], p("I0a"), p("I0b"), p("I0c"), p("I0ab"), p("I0bc"), p("I0ca"))
                            : inertia(F[i], p("I" + n + "a"), p("I" + n + "b"), p("I" + n + "c"));
    s.add_body("body" + n, {F[i], c, p("m" + n), I});
  }
  const PointId Q = s.add_point("Q", J3, p("t4y") * y(F[4]) + p("t4z") * z(F[4]));
  const Vector w = s.angular_velocity(F[0]);
  s.add_speed("w1", s.dot(w, x(F[0])));
  s.add_speed("w2", s.dot(w, y(F[0])));
  s.add_speed("w3", s.dot(w, z(F[0])));
  s.add_speed("vd", s.rate(p("d")));
  s.add_speed("r1", s.rate(p("g1")));
  s.add_speed("r2", s.rate(p("g2")));
  for (const char* c : {"x", "y", "z"}) s.add_speed(std::string("v") + c, s.rate(p(c)));

  s.add_force("contact", Q, Vector(N, {p("fx"), p("fy"), p("fz")}));
  s.add_torque("control", F[0], Vector(F[0], {p("tb1"), p("tb2"), p("tb3")}));
  const PointId seat = s.add_point_of("seat", F[2], J2);
  s.add_sliding_spring("pogo", J2, seat, z(F[2]), p("d"), p("k"), p("d0"));
  s.add_sliding_damper("pogo", J2, seat, z(F[2]), p("d"), p("c"));
  const FrameId middle = s.frame("F4'");
  s.add_torque_pair("wrist1", F[4], F[3], p("tw1") * y(F[3]));
  s.add_torque_pair("wrist2", F[4], F[3], p("tw2") * x(middle));

  // The 21 locked axes of Stoneking's table: rates of the gimbal angles and displacements along inner axes.
  const PointId outer[4] = {J0, J1, J2, J3};
  for (std::size_t j = 0; j < 4; ++j) {
    const std::string n = "J" + std::to_string(j), f = "F" + std::to_string(j + 1);
    const FrameId first = s.frame(f + "'"), second = s.frame(f + "''");
    if (j < 3) {
      s.add_auxiliary_speed(n + ".Rot1", first, y(F[j]));
      s.add_auxiliary_speed(n + ".Rot2", second, x(first));
    }
    s.add_auxiliary_speed(n + ".Rot3", F[j + 1], z(F[j + 1]));
    if (j == 2) {
      s.add_auxiliary_speed(n + ".Trn2", outer[j], x(F[j]));
      s.add_auxiliary_speed(n + ".Trn3", outer[j], y(F[j]));
    } else {
      s.add_auxiliary_speed(n + ".Trn1", outer[j], x(F[j]));
      s.add_auxiliary_speed(n + ".Trn2", outer[j], y(F[j]));
      s.add_auxiliary_speed(n + ".Trn3", outer[j], z(F[j]));
    }
  }
  for (std::size_t j = 0; j < 4; ++j) {
    std::vector<std::string> through;
    if (j == 2) through = {"pogo"};
    if (j == 3) through = {"wrist1", "wrist2"};
    s.add_reaction(
        "J" + std::to_string(j),
        {.point = outer[j], .outboard = s.frame("F" + std::to_string(j + 1) + "'"), .in = N, .through = through});
  }
  KaneDerivation d(s);
  const auto values = compare(d, oracle);
  const EquationsOfMotion& e = d.equations();
  ASSERT_EQ(e.auxiliary_forces.size(), 21U);
  ASSERT_EQ(e.reactions.size(), 4U);
  EXPECT_EQ(e.quaternions, std::vector<int>{0});
  std::vector<Expr> forces;
  for (std::size_t i = 0; i < 21; ++i) {
    EXPECT_EQ(e.auxiliary_forces[i].name, oracle.states()[0]["constraint_names"][i].get<std::string>());
    forces.push_back(e.auxiliary_forces[i].value);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& state = oracle.states()[i];
    expect_close(calc(forces, values[i]), state["constraint_generalized_forces"], "constraint forces");
    for (std::size_t j = 0; j < 4; ++j) {
      const auto& r = state["joint_reactions"][j];
      expect_close(calc(e.reactions[j].force, values[i]), r["force_N"], "force of joint");
      expect_close(calc(e.reactions[j].torque, values[i]), r["torque_about_outer_joint_point_N"], "torque of joint");
    }
  }
}

void check_pendulum(const std::string& id) {
  const Oracle oracle(id);
  System s(id);
  oracle.declare(s);
  const auto p = [&](const std::string& name) { return sym(s, name); };
  const FrameId N = s.inertial();
  PointId end = s.origin();
  const std::size_t n = oracle.file()["coordinates"].size();
  for (std::size_t i = 1; i <= n; ++i) {
    const std::string k = std::to_string(i);
    // e_i = sin(q) n1 - cos(q) n2 is the -y axis of a frame turned by q.
    const FrameId F = s.add_frame("R" + k, N, SimpleRotation{Axis::Z, p("q" + k)});
    const PointId c = s.add_point("R" + k + "*", end, -p("l" + k) / 2 * y(F));
    end = s.add_point("P" + k, end, -p("l" + k) * y(F));
    s.add_body("R" + k, {F, c, p("m" + k), inertia(F, 0, 0, p("m" + k) * p("l" + k) * p("l" + k) / 12)});
    s.add_speed("u" + k, s.rate(p("q" + k)));
  }
  s.add_gravity(-p("g") * y(N));
  KaneDerivation d(s);
  compare(d, oracle);
}

TEST(Oracle, Npend5) { check_pendulum("npend5"); }
TEST(Oracle, Npend20) { check_pendulum("npend20"); }

}  // namespace
}  // namespace kane::test

// Gillespie's shopping cart (example 3), the rolling disk, the four-bar linkage, the gravity-gradient satellite.

#include <gtest/gtest.h>

#include "oracle.hpp"

namespace kane::test {
namespace {

struct Cart {
  Oracle oracle;
  System s;
  FrameId N, B, C;
  PointId P1, P3;

  explicit Cart(const std::string& id) : oracle(id), s(id) {
    oracle.declare(s);
    const auto p = [&](const char* name) { return sym(s, name); };
    N = s.inertial();
    B = s.add_frame("B", N, SimpleRotation{Axis::Z, p("q3")});
    C = s.add_frame("C", B, SimpleRotation{Axis::Z, p("q4")});
    P1 = s.add_point("P1", s.origin(), p("q1") * x(N) + p("q2") * y(N));
    const PointId Bo = s.add_point("Bo", P1, p("L1") * x(B));
    const PointId P2 = s.add_point("P2", P1, p("L2") * x(B));
    P3 = s.add_point("P3", P2, -p("L3") * x(C));
    s.add_body("B", {B, Bo, p("mB"), inertia(B, 0, 0, p("IB"))});
    s.add_particle("C", P3, p("mC"));
    s.add_speed("u1", s.dot(s.velocity(P1), x(B)));
    s.add_speed("u2", s.dot(s.angular_velocity(B), z(N)));
    s.add_speed("u3", s.dot(s.angular_velocity(C), z(N)));
    // The rear wheels do not slip sideways: a speed that is always zero, and the force that keeps it so.
    s.add_auxiliary_speed("slip", s.dot(s.velocity(P1), y(B)));
    s.add_force("push", P1, p("F") * x(B));
    s.add_torque("turn", B, p("tau") * z(N));
    s.add_velocity_constraint("c1", P3, s.origin(), y(C));
  }
  void check() {
    KaneDerivation d(s);
    const auto values = compare(d, oracle);
    const EquationsOfMotion& e = d.equations();
    ASSERT_EQ(e.auxiliary_forces.size(), 1U);
    for (std::size_t i = 0; i < values.size(); ++i) {
      expect_close(calc(std::span(&e.auxiliary_forces[0].value, 1), values[i]),
                   oracle.states()[i]["rear_lateral_force"], "rear lateral force");
    }
  }
};

TEST(Oracle, CartFree) {
  Cart cart("cart_free");
  cart.s.set_dependent_speeds({sym(cart.s, "u3")});
  cart.check();
}

TEST(Oracle, CartStuck) {
  Cart cart("cart_stuck");
  cart.s.add_motion_constraint("c2", sym(cart.s, "u3") - sym(cart.s, "u2"));
  cart.s.set_dependent_speeds({sym(cart.s, "u2"), sym(cart.s, "u3")});
  cart.check();
}

TEST(Oracle, RollingDisk3d) {
  const Oracle oracle("rolling_disk_3d");
  System s("rolling_disk_3d");
  oracle.declare(s);
  const auto p = [&](const char* name) { return sym(s, name); };
  const FrameId N = s.inertial();
  const FrameId Y = s.add_frame("Y", N, SimpleRotation{Axis::Z, p("q1")});
  const FrameId L = s.add_frame("L", Y, SimpleRotation{Axis::X, p("q2")});
  const FrameId R = s.add_frame("R", L, SimpleRotation{Axis::Y, p("q3")});
  const PointId Do = s.add_point("Do", s.origin(), Vector(N, {p("x"), p("y"), p("z")}));
  const PointId touch = s.add_point("touch", Do, -p("r") * z(L));
  s.add_body("R", {R, Do, p("m"), inertia(R, p("I"), p("J"), p("I"))});
  const PointId contact = s.add_point_of("contact", R, touch);
  const Vector w = s.angular_velocity(R);
  s.add_speed("u1", s.dot(w, x(L)));
  s.add_speed("u2", s.dot(w, y(L)));
  s.add_speed("u3", s.dot(w, z(L)));
  s.add_speed("u4", s.rate(p("x")));
  s.add_speed("u5", s.rate(p("y")));
  s.add_speed("u6", s.rate(p("z")));
  s.add_gravity(-p("g") * z(N));
  s.add_velocity_constraint("roll.x", contact, s.origin(), x(N), "roll");
  s.add_velocity_constraint("roll.y", contact, s.origin(), y(N), "roll");
  s.add_velocity_constraint("roll.z", contact, s.origin(), z(N), "roll");
  s.set_dependent_speeds({p("u4"), p("u5"), p("u6")});
  for (const EmbeddingMethod method : {EmbeddingMethod::Projection, EmbeddingMethod::Recombination}) {
    DeriveOptions options;
    options.embedding = method;
    KaneDerivation d(s, options);
    const auto values = compare(d, oracle);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& force = oracle.states()[i]["contact_force_N"];
      expect_close({values[i].at("lambda.roll.x"), values[i].at("lambda.roll.y"), values[i].at("lambda.roll.z")}, force,
                   "contact force");
    }
  }
}

TEST(Oracle, Fourbar) {
  const Oracle oracle("fourbar");
  System s("fourbar");
  oracle.declare(s);
  const auto p = [&](const std::string& name) { return sym(s, name); };
  const FrameId N = s.inertial();
  const PointId O = s.origin();
  const PointId D = s.add_point("D", O, p("d") * x(N));
  PointId joint[4] = {O, {}, {}, D};
  FrameId link[4];
  PointId end[4];
  for (const int i : {1, 2, 3}) {
    const std::string n = std::to_string(i);
    const PointId from = i == 1 ? O : i == 2 ? end[1] : D;
    link[i] = s.add_frame("L" + n, N, SimpleRotation{Axis::Z, p("q" + n)});
    const PointId centre = s.add_point("L" + n + "*", from, p("l" + n) / 2 * x(link[i]));
    end[i] = s.add_point("end" + n, from, p("l" + n) * x(link[i]));
    s.add_body("L" + n, {link[i], centre, p("m" + n), inertia(link[i], 0, 0, p("I" + n))});
    s.add_speed("u" + n, s.rate(p("q" + n)));
  }
  joint[1] = end[1];
  s.add_gravity(-p("g") * y(N));
  s.add_torque("motor", link[1], p("tau") * z(N));
  s.add_coincidence("c1", end[2], end[3], x(N), "loop");
  s.add_coincidence("c2", end[2], end[3], y(N), "loop");
  s.set_dependent_speeds({p("u2"), p("u3")});
  s.add_reaction("O", {.point = O, .outboard = link[1], .in = N, .torque = false});
  s.add_reaction("A", {.point = joint[1], .outboard = link[2], .in = N, .torque = false});
  s.add_reaction("D", {.point = D, .outboard = link[3], .in = N, .torque = false});
  for (const EmbeddingMethod method : {EmbeddingMethod::Projection, EmbeddingMethod::Recombination}) {
    DeriveOptions options;
    options.embedding = method;
    KaneDerivation d(s, options);
    const auto values = compare(d, oracle);
    const EquationsOfMotion& e = d.equations();
    ASSERT_EQ(e.reactions.size(), 3U);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& forces = oracle.states()[i]["joint_forces"];
      const char* names[] = {"O_on_L1", "A_on_L2", "D_on_L3"};
      for (std::size_t j = 0; j < 3; ++j) {
        const Expr3& f = e.reactions[j].force;
        expect_close(calc(std::vector<Expr>{f[0], f[1]}, values[i]), forces[names[j]], names[j]);
      }
    }
  }
}

TEST(Oracle, GravityGradient) {
  const Oracle oracle("gravity_gradient");
  System s("gravity_gradient");
  oracle.declare(s);
  const auto p = [&](const char* name) { return sym(s, name); };
  const FrameId N = s.inertial();
  const FrameId O = s.add_frame("O", N, SimpleRotation{Axis::Y, -p("n") * s.time()});
  const FrameId B = s.add_frame("B", O, rotation_sequence("body 123", {p("th1"), p("th2"), p("th3")}));
  const Dyadic I = inertia(B, p("I1"), p("I2"), p("I3"));
  // The mass centre is thought of as fixed, so that no mass is needed.
  s.add_body("B", {.frame = B, .mass_centre = s.origin(), .inertia = I});
  const Vector w = s.angular_velocity(B);
  s.add_speed("w1", s.dot(w, x(B)));
  s.add_speed("w2", s.dot(w, y(B)));
  s.add_speed("w3", s.dot(w, z(B)));
  const Vector torque = 3 * p("n") * p("n") * s.cross(z(O), s.dot(I, z(O)));
  s.add_torque("gravity gradient", B, torque);
  const Expr3 c = s.frames().express(torque, B);
  for (std::size_t i = 0; i < 3; ++i) s.add_output("gg" + std::to_string(i + 1), c[i]);
  KaneDerivation d(s);
  const auto values = compare(d, oracle);
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::vector<Expr> gg;
    for (const ScalarOutput& o : d.equations().outputs) gg.push_back(o.value);
    expect_close(calc(gg, values[i]), oracle.states()[i]["gg_torque_body"], "torque");
  }
}

}  // namespace
}  // namespace kane::test

// Loads against closed forms: attraction by a sphere, springs, dampers, prescribed motions.

#include <gtest/gtest.h>

#include <cmath>

#include "oracle.hpp"

namespace kane::test {
namespace {

using Vec3 = std::array<Number, 3>;

Vec3 cross3(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Number dot3(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/// A free body attracted by the origin, axes parallel to N where its angles are zero; speeds: velocity of the mass
/// centre in N, angular velocity in N.
struct Satellite {
  System s{"satellite"};
  FrameId B;
  Expr mu = s.add_parameter("mu", 1), m = s.add_parameter("m", 1);
  Satellite(bool torque, bool force) {
    const Expr3 r{s.add_coordinate("x"), s.add_coordinate("y"), s.add_coordinate("z")};
    const Expr3 q{s.add_coordinate("q1"), s.add_coordinate("q2"), s.add_coordinate("q3")};
    B = s.add_frame("B", s.inertial(), rotation_sequence("body 123", q));
    const PointId C = s.add_point("C", s.origin(), Vector(s.inertial(), r));
    const auto p = [&](const char* name) { return s.add_parameter(name, 0); };
    s.add_body("B", {B, C, m, inertia(B, p("I11"), p("I22"), p("I33"), p("I12"), p("I23"), p("I31"))});
    for (const Axis a : {Axis::X, Axis::Y, Axis::Z}) {
      const std::string k = std::to_string(static_cast<int>(a) + 1);
      s.add_speed("v" + k, s.dot(s.velocity(C), unit(s.inertial(), a)));
      s.add_speed("w" + k, s.dot(s.angular_velocity(B), unit(s.inertial(), a)));
    }
    s.add_gravity({.centre = s.origin(), .mu = mu, .gradient_torque = torque, .gradient_force = force});
  }
};

NumberMap at_rest() {
  NumberMap v{{"t", 0}};
  for (const char* name : {"q1", "q2", "q3", "v1", "v2", "v3", "w1", "w2", "w3"}) v[name] = 0;
  return v;
}

void set_inertia(NumberMap& v, const std::function<Number(int, int)>& I) {
  for (int i = 0; i < 3; ++i) v["I" + std::to_string(i + 1) + std::to_string(i + 1)] = I(i, i);
  v["I12"] = I(0, 1), v["I23"] = I(1, 2), v["I31"] = I(2, 0);
}

// Parsa section 4.2: 3 mu/R^3 e x I.e, against the reference formula, and the moment of the forces on the single masses.
TEST(Gravity, GradientTorqueOfTheOracle) {
  const Oracle oracle("gravity_gradient_formula");
  Satellite sat(true, false);
  KaneDerivation d(sat.s);
  const std::vector<Expr> F = d.active_forces();
  for (const auto& c : oracle.file().at("cases")) {
    NumberMap v = at_rest();
    v["mu"] = oracle.file().at("mu").get<double>();
    v["m"] = 0;
    for (const auto& mass : c.at("masses")) v["m"] += mass.get<double>();
    const char* names[] = {"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) v[names[i]] = c.at("r_com")[i].get<double>();
    set_inertia(v, [&](int i, int j) {
      return c.at("inertia")[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)].get<double>();
    });
    const std::vector<Number> f = calc(F, v);
    expect_close({f[1], f[3], f[5]}, c.at("torque_formula"), "torque");
    expect_close({f[1], f[3], f[5]}, c.at("torque_exact"), "exact torque", 1e-5L);
  }
}

// A cloud of masses near the origin: with shrinking size the sum of their attractions comes to force and torque of the
// formulas, with an error of the next order (size/distance)^3 (force) and relative (size/distance) (torque).
TEST(Gravity, ForceAndTorqueOfACloudOfMasses) {
  Satellite sat(true, true);
  KaneDerivation d(sat.s);
  const std::vector<Expr> F = d.active_forces();
  const Vec3 shape[] = {
      {1, 0.3L, -0.2L}, {-0.4L, 0.8L, 0.1L}, {0.2L, -0.9L, 0.7L}, {-0.5L, 0.1L, -0.8L}, {0.1L, 0.2L, 0.9L}};
  const Number mass[] = {1.1L, 0.7L, 2.0L, 0.4L, 1.5L};
  const Vec3 R{1.2L, -0.7L, 2.1L};
  const Number mu = 3.7L;
  Number worst[2] = {};
  for (int shrunk = 0; shrunk < 2; ++shrunk) {
    const Number size = shrunk ? 5e-5L : 1e-4L;
    Vec3 centre{}, force{}, torque{};
    Number total = 0;
    for (std::size_t i = 0; i < 5; ++i) total += mass[i];
    for (std::size_t i = 0; i < 5; ++i) {
      for (std::size_t k = 0; k < 3; ++k) centre[k] += mass[i] * shape[i][k] / total;
    }
    Number I[3][3] = {};
    for (std::size_t i = 0; i < 5; ++i) {
      Vec3 r{}, p{}, f{};
      for (std::size_t k = 0; k < 3; ++k) r[k] = size * (shape[i][k] - centre[k]), p[k] = R[k] + r[k];
      const Number distance = std::sqrt(dot3(p, p));
      for (std::size_t k = 0; k < 3; ++k) f[k] = -mu * mass[i] * p[k] / (distance * distance * distance);
      const Vec3 moment = cross3(r, f);
      for (std::size_t k = 0; k < 3; ++k) {
        force[k] += f[k];
        torque[k] += moment[k];
        for (std::size_t l = 0; l < 3; ++l) I[k][l] += mass[i] * ((k == l ? dot3(r, r) : 0) - r[k] * r[l]);
      }
    }
    NumberMap v = at_rest();
    v["mu"] = mu, v["m"] = total, v["x"] = R[0], v["y"] = R[1], v["z"] = R[2];
    set_inertia(v, [&](int i, int j) { return I[i][j]; });
    const std::vector<Number> f = calc(F, v);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(static_cast<double>(f[2 * k] / force[k]), 1, 1e-12)
          << "force " << k;  // without the second order: 1e-9
      worst[shrunk] = std::max(worst[shrunk], std::abs(f[2 * k + 1] / torque[k] - 1));
    }
  }
  EXPECT_LT(worst[0], 1e-3L);
  EXPECT_NEAR(static_cast<double>(worst[0] / worst[1]), 2, 0.05);  // first order in the size
}

// With the force that belongs to the torque the second-order potential gives both: F_r = -dV/dq_r for rates as speeds.
TEST(Gravity, ForcesComeFromThePotential) {
  for (const bool force : {true, false}) {
    Satellite sat(force, force);
    KaneDerivation d(sat.s);
    const Expr power = [&] {
      Expr sum;
      const std::vector<Expr> F = d.active_forces();
      for (std::size_t r = 0; r < F.size(); ++r) sum += F[r] * d.equations().u[r];
      return sum;
    }();
    Expr rate;
    const EquationsOfMotion& e = d.equations();
    for (std::size_t i = 0; i < e.q.size(); ++i) rate += derivative(*e.potential, e.q[i]) * e.qdot[i];
    EXPECT_TRUE((power + rate).is_zero()) << force;
  }
}

// ---- springs and dampers ---------------------------------------------------------------------------------------------------

/// A particle anywhere in the plane, held from the point (1, 2).
struct Held {
  System s{"held"};
  FrameId N = s.inertial();
  Expr q1 = s.add_coordinate("q1"), q2 = s.add_coordinate("q2");
  PointId A = s.add_point("A", s.origin(), x(N) + 2 * y(N)), P = s.add_point("P", s.origin(), q1*x(N) + q2 * y(N));
  Expr k = s.add_parameter("k", 30), l = s.add_parameter("l", 0.5);
  NumberMap at{{"q1", 4}, {"q2", 6}, {"u1", 0.5L}, {"u2", -2}, {"k", 30}, {"l", 0.5L}, {"t", 0}};
  std::vector<Number> forces() {
    s.add_particle("P", P, Expr(1));
    s.add_speed("u1", s.rate(q1));
    s.add_speed("u2", s.rate(q2));
    KaneDerivation d(s);
    std::vector<Number> r = calc(d.active_forces(), at);
    r.push_back(d.potential_energy() ? calc(*d.potential_energy(), at) : 0);
    return r;
  }
};

TEST(Springs, BetweenPoints) {
  // From (1, 2) to (4, 6): distance 5, direction (3, 4)/5, stretch 4.5.
  Held h;
  h.s.add_spring("coil", h.P, h.A, h.k, h.l);
  expect_close(h.forces(), {-30 * 4.5 * 0.6, -30 * 4.5 * 0.8, 30 * 4.5 * 4.5 / 2}, "spring");
  Held free;
  free.s.add_spring("coil", free.A, free.P, free.k, 0);
  expect_close(free.forces(), {-30 * 3, -30 * 4, 30 * 25 / 2.0}, "spring without length");
}

TEST(Springs, DamperBetweenPoints) {
  // The distance grows at (3 * 0.5 - 4 * 2)/5 = -1.3.
  Held h;
  h.s.add_damper("dashpot", h.A, h.P, h.k);
  expect_close(h.forces(), {30 * 1.3 * 0.6, 30 * 1.3 * 0.8, 0.0}, "damper");
}

TEST(Springs, SlidingAndPotential) {
  Held h;
  h.s.add_sliding_spring("bar", h.P, h.A, x(h.N), h.q1 - 1, h.k, h.l);
  h.s.add_sliding_damper("bar", h.P, h.A, x(h.N), h.q1 - 1, h.l);
  expect_close(h.forces(), {-30 * 2.5 - 0.25, 0.0, 30 * 2.5 * 2.5 / 2}, "sliding spring");
  Held v;
  v.s.add_potential("bowl", v.k * v.q1 * v.q1 * v.q2);
  expect_close(v.forces(), {-30 * 2 * 4 * 6, -30 * 16, 30.0 * 16 * 6}, "potential");
}

TEST(Springs, TorsionalActOnBothBodies) {
  System s("shaft");
  const FrameId N = s.inertial();
  const Expr a = s.add_coordinate("a"), b = s.add_coordinate("b");
  const FrameId A = s.add_frame("A", N, SimpleRotation{Axis::Z, a}),
                B = s.add_frame("B", N, SimpleRotation{Axis::Z, b});
  s.add_body("A", {.frame = A, .mass_centre = s.origin(), .inertia = inertia(A, 0, 0, 2)});
  s.add_body("B", {.frame = B, .mass_centre = s.origin(), .inertia = inertia(B, 0, 0, 3)});
  s.add_speed("ua", s.rate(a));
  s.add_speed("ub", s.rate(b));
  s.add_torsional_spring("spring", B, A, z(N), b - a, 7, 0.25);
  s.add_torsional_damper("damper", B, A, z(N), 5);
  KaneDerivation d(s);
  const NumberMap at{{"a", 0.5L}, {"b", 1.75L}, {"ua", 2}, {"ub", -1}};
  const double torque = -7 * 1.0 + 5 * 3;
  expect_close(calc(d.active_forces(), at), {-torque, torque}, "shaft");
  EXPECT_NEAR(static_cast<double>(calc(*d.potential_energy(), at)), 3.5, 1e-15);
}

// ---- prescribed motions ----------------------------------------------------------------------------------------------------

/// A bead on a rod that turns by an angle theta, horizontally: r'' = r theta'^2, and the rod pushes with
/// m (r theta'' + 2 r' theta').
struct Bead {
  System s{"bead"};
  Expr r = s.add_coordinate("r"), m = s.add_parameter("m", 2);
  void finish(const Expr& theta) {
    const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, theta});
    const PointId P = s.add_point("P", s.origin(), r * x(A));
    s.add_particle("P", P, m);
    s.add_speed("u", s.rate(r));
    s.add_auxiliary_speed("push", P, y(A));
  }
};

TEST(Prescribed, SpecifiedMotion) {
  Bead b;
  const Expr theta = b.s.add_specified("theta", sin(3 * b.s.time()));
  b.finish(theta);
  const EquationsOfMotion e = form_equations(b.s);
  const Expr rate = b.s.rate(theta), second = b.s.graph().symbol("theta''"), u = e.u[0];
  EXPECT_EQ(e.M(0, 0), b.m);
  EXPECT_EQ(e.rhs[0], b.m * b.r * rate * rate);
  ASSERT_EQ(e.auxiliary_forces.size(), 1U);
  EXPECT_EQ(e.auxiliary_forces[0].value, b.m * (b.r * second + 2 * u * rate));
  ASSERT_EQ(e.inputs.size(), 3U);  // theta, theta', theta'' by default
  EXPECT_EQ(e.inputs[1].value, 3 * cos(3 * b.s.time()));
  EXPECT_EQ(e.inputs[2].value, -9 * sin(3 * b.s.time()));
}

TEST(Prescribed, KnownFunctionOfTime) {
  Bead b;
  const Expr t = b.s.time(), w = b.s.add_parameter("w", 2);
  b.finish(w * t * t);
  const EquationsOfMotion e = form_equations(b.s);
  EXPECT_EQ(e.rhs[0], b.m * b.r * 4 * w * w * t * t);
  EXPECT_EQ(e.auxiliary_forces[0].value, b.m * (2 * b.r * w + 4 * e.u[0] * w * t));
}

// A motion constraint that depends on time: a particle on a belt that speeds up, pulled by a spring.
TEST(Prescribed, RheonomicConstraints) {
  System s("belt");
  const Expr q1 = s.add_coordinate("q1"), q2 = s.add_coordinate("q2"), t = s.time(), m = s.add_parameter("m", 2);
  const FrameId N = s.inertial();
  s.add_particle("P", s.add_point("P", s.origin(), q1 * x(N) + q2 * y(N)), m);
  s.add_speed("u1", s.rate(q1));
  s.add_speed("u2", s.rate(q2));
  s.add_motion_constraint("belt", sym(s, "u1") - t * t * sym(s, "u2") - sin(t));
  s.add_configuration_constraint("wall", q2 - q1 * t - 1, "", false);
  s.set_dependent_speeds({sym(s, "u1")});
  const EquationsOfMotion e = form_equations(s);
  const Expr u2 = e.u[1];
  // u1 = t^2 u2 + sin t, u1' = t^2 u2' + 2 t u2 + cos t; m (1 + t^4) u2' = -m t^2 (2 t u2 + cos t).
  EXPECT_EQ(e.embedded->M(0, 0), m * (1 + pow(t, 4)));
  EXPECT_EQ(e.embedded->rhs[0], -m * t * t * (2 * t * u2 + cos(t)));
  // q2' - q1' t - q1 = 0, differentiated once more: u2' - t u1' = 2 u1.
  EXPECT_EQ(e.constraints[1].b, -q1);
  EXPECT_EQ(e.constraints[1].a[0], -t);
  EXPECT_EQ(e.constraints[1].gamma, 2 * e.u[0]);
}

}  // namespace
}  // namespace kane::test

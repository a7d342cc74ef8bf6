// Springs, dampers, laws and attraction on systems whose equations anybody can write down.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/mechanism/newton_euler.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::Real3;
using testing::Situation;
using testing::text;

/// A particle of mass 2 that moves in space: coordinates x, y, z.
Mechanism particle() {
  Mechanism m("particle");
  MechanismBody carrier;
  carrier.name = "C";
  m.add_body(carrier);
  m.particles.push_back({"P", 2, "C", {}, {}});
  Joint joint;
  joint.name = "J";
  joint.kind = "general";
  joint.parent = "N";
  joint.child = "C";
  joint.motions = open_general_joint({"123", {1, 2, 3}}, {"123", {}}, {});
  name_motions(*m.graph, joint, {"x", "y", "z"}, {"vx", "vy", "vz"});
  m.add_joint(joint);
  m.points.push_back({"A", "N", {0.5, -0.4, 0.2}, {}});
  return m;
}

struct ParticleState {
  Real3 r, v, a;
};

ParticleState solved(Situation& s) {
  s.solve_motion();
  const auto vector = [&](const char* x, const char* y, const char* z) {
    return Real3{s.values.at(x), s.values.at(y), s.values.at(z)};
  };
  return {vector("x", "y", "z"), vector("vx", "vy", "vz"), vector("vx'", "vy'", "vz'")};
}

void expect_force(Mechanism m, const std::function<Real3(const ParticleState&)>& force) {
  for (const Formulation formulation : {Formulation::Projection, Formulation::Composite, Formulation::Articulated}) {
    Situation s(m, 51, formulation);
    const ParticleState p = solved(s);
    const Real3 f = force(p);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(p.a[i], f[i] / 2, 1e-12 * (1 + std::abs(f[i])));
  }
}

TEST(Loads, SpringAndDamperBetweenPoints) {
  Mechanism m = particle();
  m.loads.push_back({"s", SpringLoad{"A", "P", 30, Expr(3) / 10, 4, {}}, {}});
  expect_force(m, [](const ParticleState& p) {
    const Real3 span = testing::operator-(p.r, Real3{0.5, -0.4, 0.2});
    const double x = std::sqrt(testing::dot(span, span)), rate = testing::dot(span, p.v) / x;
    return testing::operator*(-(30 * (x - 0.3) + 4 * rate) / x, span);
  });
}

TEST(Loads, NonlinearLawBetweenPoints) {
  Mechanism m = particle();
  m.loads.push_back({"s", SpringLoad{"P", "A", 0, 0, 0, text("50*x^3 + 2*v*abs(v)")}, {}});
  expect_force(m, [](const ParticleState& p) {
    const Real3 span = testing::operator-(p.r, Real3{0.5, -0.4, 0.2});
    const double x = std::sqrt(testing::dot(span, span)), v = testing::dot(span, p.v) / x;
    return testing::operator*(-(50 * x * x * x + 2 * v * std::abs(v)) / x, span);
  });
}

TEST(Loads, ForcesInAnyDirection) {
  Mechanism m = particle();
  m.loads.push_back({"f", ForceLoad{text("3*N.x - velocity(P)"), {}, "P", ""}, {}});
  m.loads.push_back({"g", ForceLoad{text("5"), text("N.x + N.y"), "P", "A"}, {}});
  expect_force(m, [](const ParticleState& p) {
    const double c = 5 / std::sqrt(2);
    return Real3{3 - p.v[0] + c, -p.v[1] + c, -p.v[2]};
  });
}

TEST(Loads, LawsAlongCoordinates) {
  Mechanism m = particle();
  m.joints[0].motions[0].law.law = text("-7*x^3 + y*vz");
  m.loads.push_back({"",
                     JointLoad{"J", 1,
                               [] {
                                 AxisLaw law;
                                 law.stiffness = 6, law.rest = 0.1, law.damping = 2;
                                 return law;
                               }()},
                     {}});
  expect_force(m, [](const ParticleState& p) {
    return Real3{-7 * std::pow(p.r[0], 3) + p.r[1] * p.v[2], -6 * (p.r[1] - 0.1) - 2 * p.v[1], 0};
  });
}

TEST(Loads, TablesInLaws) {
  Mechanism m = particle();
  m.add_table({"push", {-2, 0, 1, 2}, {3, 1, 0.5, -2}, true, false, {}});
  m.joints[0].motions[0].law.law = text("push(x)");
  const TableFunction f(m.tables[0]);
  expect_force(m, [&](const ParticleState& p) { return Real3{f(p.r[0]), 0, 0}; });
}

TEST(Loads, InputsFollowLaws) {
  Mechanism m = particle();
  m.joints[0].motions[2].law.actuator = m.add_input("F");
  Situation s(m, 52);
  s.solve_motion();
  EXPECT_NEAR(s.values.at("vz'"), s.values.at("F") / 2, 1e-14);
}

TEST(Loads, AttractionOfAPoint) {
  Mechanism m = particle();
  m.loads.push_back({"earth", InverseSquareLoad{Expr(7) / 2, "A", true, {}}, {}});
  expect_force(m, [](const ParticleState& p) {
    const Real3 r = testing::operator-(p.r, Real3{0.5, -0.4, 0.2});
    return testing::operator*(-2 * 3.5 / std::pow(testing::dot(r, r), 1.5), r);
  });
  Situation s(m, 53);
  s.solve_motion();
  const Real3 r{s.values.at("x") - 0.5, s.values.at("y") + 0.4, s.values.at("z") - 0.2};
  EXPECT_NEAR(s.number(*s.e.potential), -7 / std::sqrt(testing::dot(r, r)), 1e-12);
  EXPECT_NEAR(s.rate(s.e.kinetic + *s.e.potential), 0, 1e-11);
}

// Far from the centre the torque on a rigid body is 3 mu/r^3 n x (I n), with n towards the centre.
TEST(Loads, GravityGradient) {
  testing::RandomTree random(54);
  Mechanism m("satellite");
  MechanismBody body;
  body.name = "B";
  body.mass = 3;
  body.inertia = random.inertia();
  m.add_body(body);
  Joint joint;
  joint.name = "J";
  joint.kind = "free";
  joint.parent = "N";
  joint.child = "B";
  joint.motions = open_joint(joint_kind("free", {}));
  name_motions(*m.graph, joint, {"x", "y", "z", "e1", "e2", "e3", "e4"}, {"vx", "vy", "vz", "w1", "w2", "w3"});
  m.add_joint(joint);
  m.loads.push_back({"earth", InverseSquareLoad{400, "N", true, {}}, {}});
  for (const Formulation formulation : {Formulation::Projection, Formulation::Composite}) {
    Situation s(m, 55, formulation);
    for (const char* w : {"w1", "w2", "w3"}) s.values[w] = 0;  // no gyroscopic torque
    s.solve_motion();
    const Real3 r{s.values.at("x"), s.values.at("y"), s.values.at("z")};
    const double distance = std::sqrt(testing::dot(r, r));
    const testing::Real33 R =
        testing::turn({s.values.at("e1"), s.values.at("e2"), s.values.at("e3")}, s.values.at("e4"), 0);
    const Real3 n = testing::operator*(-1 / distance, testing::operator*(testing::transposed(R), r));
    testing::Real33 I{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) I[i][j] = evaluate(body.inertia[i][j], {});
    const Real3 torque =
        testing::operator*(3 * 400 / std::pow(distance, 3), testing::cross(n, testing::operator*(I, n)));
    const Real3 alpha{s.values.at("w1'"), s.values.at("w2'"), s.values.at("w3'")};
    const Real3 actual = testing::operator*(I, alpha);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(actual[i], torque[i], 1e-11 * (1 + std::abs(torque[i])));
  }
}

}  // namespace
}  // namespace kane

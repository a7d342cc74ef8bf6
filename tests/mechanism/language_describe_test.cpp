// Named expressions, gears and equations through the C++ interface.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane {
namespace {

TEST(DescribeLanguage, PlanetaryTrain) {
  Mechanism m("train");
  const Inertia unit{1, 1, 1};
  const BodyRef sun = m.add_body("sun", {.mass = 1, .inertia = unit});
  const BodyRef arm = m.add_body("arm", {.mass = 1, .inertia = unit});
  const BodyRef planet = m.add_body("planet", {.mass = 1, .inertia = unit});
  m.revolute("js", m.ground, sun, axis::z, {.coordinate = "qs", .speed = "us"});
  m.revolute("ja", m.ground, arm, axis::z, {.coordinate = "qa", .speed = "ua"});
  m.revolute("jp", arm, planet, axis::z, {.coordinate = "qp", .speed = "up", .at = {0.4, 0, 0}});
  m.mesh("inner", sun, planet, {.carrier = arm, .teeth = {20, 20}, .module = Expr(0.02)});
  m.mesh("outer", planet, m.ground, {.carrier = arm, .radii = {0.2, 0.6}, .internal = true});
  const EquationsOfMotion e = form_equations(m);
  ASSERT_EQ(e.constraints.size(), 2U);
  // Rates that Willis allows: sun 4, arm 1, planet -3 relative to the arm.
  for (const ConstraintEquation& c : e.constraints)
    EXPECT_NEAR(evaluate(c.a[0], {}) * 4 + evaluate(c.a[1], {}) - 3 * evaluate(c.a[2], {}), 0, 1e-15) << c.name;
  EXPECT_NEAR(evaluate(e.constraints[0].a[0], {}), 0.2, 1e-15);  // the multiplier is a force at this radius
  EXPECT_THROW((void)m.mesh("wrong", sun, planet, {.carrier = arm}), ModelError);
}

TEST(DescribeLanguage, RackAndNames) {
  Mechanism m("steering");
  const BodyRef pinion = m.add_body("pinion", {.mass = 1, .inertia = {0, 0, 2}});
  const BodyRef bar = m.add_body("bar", {.mass = 3});
  m.revolute("turn", m.ground, pinion, axis::z, {.coordinate = "q", .speed = "u"});
  m.prismatic("slide", m.ground, bar, axis::x, {.coordinate = "s", .speed = "v"});
  m.rack("teeth", pinion, bar, {.radius = Expr(0.1)});
  m.let("twice", "2*way");
  m.let("way", "dot(position(bar), N.x) + 1 cm");
  m.add_output("o", "twice + way");
  const EquationsOfMotion e = form_equations(m);
  EXPECT_NEAR(evaluate(e.constraints.at(0).a[0], {}), 0.1, 1e-15);
  EXPECT_NEAR(evaluate(e.constraints.at(0).a[1], {}), -1, 1e-15);
  EXPECT_NEAR(evaluate(e.outputs.at(0).value, {{"s", 0.5}}), 3 * 0.51, 1e-15);
}

TEST(DescribeLanguage, Equations) {
  Mechanism m("oscillator");
  (void)m.parameter("k", 4, "N/m");
  GeneralEquations g;
  g.coordinates = {"x"};
  g.speeds = {"v"};
  g.rates = {"v"};
  g.mass_matrix = {{"2"}};
  g.forcing = {"-k*x"};
  m.set_equations(g);
  const EquationsOfMotion e = form_equations(m);
  ASSERT_EQ(e.udot_explicit.size(), 1U);
  EXPECT_NEAR(evaluate(e.udot_explicit[0], {{"x", 3}, {"k", 4}}), -6, 1e-15);
  EXPECT_NEAR(evaluate(e.kinetic, {{"v", 3}}), 9, 1e-15);
  (void)m.add_body("A", {.mass = 1});
  EXPECT_THROW((void)form_equations(m), ModelError);
}

}  // namespace
}  // namespace kane

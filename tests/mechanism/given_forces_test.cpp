// Loads that depend on reaction forces, in symbols.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::Situation;
using testing::text;

/// A block on a horizontal table pulled by a weight over it; coordinates x and y, y held by an auxiliary speed.
Mechanism block(const std::string& force) {
  Mechanism m("block");
  m.add_parameter("g", 9.81), m.add_parameter("mu", 0.3), m.add_parameter("F", 20);
  const BodyRef b = m.add_body("B", {.mass = 2});
  m.prismatic("slide", m.ground, b, axis::x, {.coordinate = "x"});
  m.gravity.text = "-g*N.y";
  m.add_auxiliary("N1", {.point = PointRef("B"), .direction = VectorQuantity("N.y")});
  m.loads.push_back({"pull", ForceLoad{text("F*cos(0.4)*N.x + F*sin(0.4)*N.y"), {}, "B", ""}, {}});
  m.loads.push_back({"friction", ForceLoad{text(force), {}, "B", ""}, {}});
  return m;
}

// Sliding friction mu N with N = m g - F sin a: linear, and eliminated.
TEST(GivenForces, FrictionOfTheNormalForce) {
  for (const char* force : {"-mu*N1*N.x", "-mu*dot(reaction(slide), N.y)*N.x"}) {
    Situation s(block(force), 5);
    EXPECT_FALSE(s.e.has_given_forces());
    s.solve_motion();
    const double normal = 2 * 9.81 - 20 * std::sin(0.4);
    EXPECT_NEAR(s.value(s.e.udot[0]), (20 * std::cos(0.4) - 0.3 * normal) / 2, 1e-12) << force;
    EXPECT_NEAR(s.number(s.e.auxiliary_forces.at(0).value), normal, 1e-12) << force;
    EXPECT_NEAR(s.number(s.e.inverse.at(0)), 0, 1e-12) << force;
  }
}

/// An unbalanced wheel with a torque that depends on the bearing's force.
Mechanism wheel(const std::string& torque) {
  Mechanism m("wheel");
  m.add_parameter("g", 9.81), m.add_parameter("c", 0.02);
  const BodyRef b = m.add_body("B", {.mass = 3, .centre = {0.1, 0, 0}, .inertia = {0, 0, 0.2}});
  m.revolute("pin", m.ground, b, axis::z, {.coordinate = "q"});
  m.gravity.text = "-g*N.y";
  m.loads.push_back({"f", TorqueLoad{text(torque), {}, "B", ""}, {}});
  return m;
}

// Friction proportional to one component of the bearing's force, which contains u': M is no longer that of the wheel alone.
// By hand: Fy = m g + m e (u' cos q - u^2 sin q), (J + m e^2) u' = -m g e cos q - c Fy.
TEST(GivenForces, LinearInAccelerations) {
  for (const Formulation formulation : {Formulation::Projection, Formulation::Composite}) {
    Situation s(wheel("-c*dot(reaction(pin), N.y)*N.z"), 6, formulation);
    EXPECT_FALSE(s.e.has_given_forces());
    s.solve_motion();
    const double q = s.values.at("q"), u = s.values.at("u"), me = 0.3;
    const double left = 0.2 + me * 0.1 + 0.02 * me * std::cos(q);
    const double right = -me * 9.81 * std::cos(q) - 0.02 * (3 * 9.81 - me * u * u * std::sin(q));
    EXPECT_NEAR(s.value(s.e.udot[0]), right / left, 1e-12);
  }
}

/// The component that is zero in any case is no unknown.
TEST(GivenForces, NonlinearOnesStayAsRows) {
  const EquationsOfMotion e = form_equations(wheel("-c*magnitude(reaction(pin))*N.z"));
  ASSERT_TRUE(e.has_given_forces());
  ASSERT_EQ(e.constraints.size(), 2U);
  for (const ConstraintEquation& row : e.constraints) EXPECT_TRUE(row.given && !row.active);
  EXPECT_EQ(e.constraints[0].multiplier.name(), "reaction(pin).x");
  EXPECT_FALSE(form_equations(block("-mu*abs(N1)*N.x")).has_given_forces());  // N1 is known beforehand
}

TEST(GivenForces, UnknownNamesAndWrongPlaces) {
  EXPECT_THROW((void)form_equations(block("-mu*dot(reaction(slid), N.y)*N.x")), ModelError);
  EXPECT_THROW((void)form_equations(block("-multiplier(rope)*N.x")), ModelError);
  Mechanism law = block("0*N.x");
  law.add_input("T");
  law.input_laws.push_back({"T", text("2*N1")});
  EXPECT_THROW((void)form_equations(law), ModelError);
  // N1 = m g - F sin a + N1.
  EXPECT_THROW((void)form_equations(block("-N1*N.y")), ModelError);
}

}  // namespace
}  // namespace kane

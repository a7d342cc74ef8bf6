// Random trees against inverse dynamics in plain numbers: generalized forces, motion of bodies, reactions of joints.

#include "tests/mechanism/newton_euler.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/report.hpp"
#include "tests/mechanism/random_tree.hpp"

namespace kane {
namespace {

using testing::operator*;
using testing::Real3;

void expect_close(const Expr3& e, const Real3& expected, const Values& values, double scale, const std::string& what) {
  const std::vector<double> x = evaluate(e, values);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], expected[i], 1e-11 * scale) << what << "[" << i << "]";
}

/// Forces of the joints' springs and dampers along each speed: -k (q - rest) - c u, and for balls -2 k e4 e - c w.
std::map<std::string, double> joint_laws(const Mechanism& m, const Values& values) {
  std::map<std::string, double> forces;
  for (const Joint& j : m.joints) {
    for (const ElementaryMotion& motion : j.motions) {
      const AxisLaw& law = motion.law;
      const double k = evaluate(law.stiffness, values), c = evaluate(law.damping, values);
      const bool ball = motion.kind == MotionKind::Ball;
      for (std::size_t i = 0; i < motion.speeds.size(); ++i) {
        const double q = values.at(motion.coordinates[i].name());
        const double stretch = ball ? 2 * values.at(motion.coordinates[3].name()) * q : q - evaluate(law.rest, values);
        forces[motion.speeds[i].name()] = -k * stretch - c * values.at(motion.speeds[i].name());
      }
    }
  }
  return forces;
}

class NewtonEulerTrees : public ::testing::TestWithParam<int> {};

TEST_P(NewtonEulerTrees, Agree) {
  for (int i = 0; i < 25; ++i) {
    const auto seed = static_cast<unsigned>(7000 + GetParam() * 25 + i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    testing::RandomTree random(seed);
    const Mechanism m = random.mechanism(random.whole(1, 5));
    if (m.joint_speeds().empty()) continue;
    const LoweredMechanism lowered = lower_mechanism(m);
    EquationsOfMotion e = form_equations(lowered.system, {.outputs = false});
    complete_equations(m, lowered, e);
    const Values values = testing::random_state(e, random);
    const double g = values.at("g");
    const auto reference = testing::NewtonEuler(m, values, {0.3 * g, 0, -g}).run();
    const auto laws = joint_laws(m, values);

    double scale = 1;
    for (const auto& [name, force] : reference.forces) scale = std::max(scale, std::abs(force));
    const std::vector<double> inverse = evaluate(e.inverse, values);
    for (std::size_t r = 0; r < e.u.size(); ++r) {
      const std::string& u = e.u[r].name();
      EXPECT_NEAR(inverse[r], reference.forces.at(u) - laws.at(u), 1e-11 * scale) << u;
    }
    for (const BodyOutput& b : e.bodies) {
      const testing::Motion& x = reference.bodies.at(b.name);
      for (std::size_t k = 0; k < 3; ++k) expect_close(b.rotation[k], x.R[k], values, 1, "rotation of " + b.name);
      expect_close(b.angular_velocity, x.w, values, 10, "angular velocity of " + b.name);
      expect_close(b.angular_acceleration, x.alpha, values, 100, "angular acceleration of " + b.name);
    }
    std::size_t origins = 0;
    for (const PointOutput& p : e.points) {
      if (!reference.bodies.contains(p.name)) continue;
      ++origins;
      const testing::Motion& x = reference.bodies.at(p.name);
      expect_close(p.position, x.p, values, 10, "position of " + p.name);
      expect_close(p.velocity, x.v, values, 100, "velocity of " + p.name);
      expect_close(p.acceleration, x.a, values, 1000, "acceleration of " + p.name);
    }
    EXPECT_EQ(origins, m.bodies.size());
    ASSERT_EQ(e.reactions.size(), m.joints.size());
    for (const ReactionOutput& r : e.reactions) {
      const auto& [force, torque] = reference.wrenches.at(r.name);
      const testing::Real33 to_child = testing::transposed(reference.bodies.at(r.frame).R);
      const double size = 1 + std::sqrt(testing::dot(force, force) + testing::dot(torque, torque));
      expect_close(r.force, to_child * force, values, 10 * size, "force of " + r.name);
      expect_close(r.torque, to_child * torque, values, 10 * size, "torque of " + r.name);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Trees, NewtonEulerTrees, ::testing::Range(0, 8));

}  // namespace
}  // namespace kane

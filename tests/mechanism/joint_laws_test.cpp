// Laws that hold for every kind of joint: velocity is the derivative of position, partial velocities are dv/du, power
// balances, momentum is kept, neither the choice of speeds nor that of body frames changes the motion, and springs,
// dampers and motors act alike in every formulation.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/lowering.hpp"
#include "tests/mechanism/newton_euler.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::RandomTree;
using testing::Real3;
using testing::Real33;
using testing::Situation;

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const JointKindInfo& kind : kJointKinds) names.emplace_back(kind.name);
  for (const char* more : {"prescribed", "313", "mixed"}) names.emplace_back(more);
  return names;
}

std::vector<ElementaryMotion> motions_of(const std::string& kind, Mechanism& m, RandomTree& random) {
  if (kind == "general") {  // Stoneking's form, some axes locked
    auto motions = open_general_joint({"312", {1}}, {"213", {1, 3}}, {});
    motions[1].value = 0.1, motions[2].value = -0.2, motions[4].value = 0.3;
    return motions;
  }
  if (kind == "prescribed") {
    auto motions = open_joint(joint_kind("cylindrical", {}));
    motions[0].free = false;
    motions[0].value = Expr(3) / 10 * sin(2 * m.time());
    return motions;
  }
  if (kind == "313") return open_general_joint({"123", {}}, {"313", {1, 2, 3}}, {});
  if (kind == "mixed") {  // translations behind rotations, axes that are no basis vectors, a locked turn in between
    std::vector<ElementaryMotion> motions(4);
    motions[0].axis = {1, 2, -1};
    motions[1].kind = MotionKind::Translation, motions[1].axis = {0, 3, 1};
    motions[2].free = false, motions[2].value = 0.4, motions[2].axis = {1, 1, 0};
    motions[3].kind = MotionKind::Screw, motions[3].pitch = 0.2;
    return motions;
  }
  auto motions = open_joint(joint_kind(kind, {}));
  if (motions.size() == 1 && motions[0].kind != MotionKind::Ball) motions[0].axis = random.axis();
  if (kind == "screw") motions[0].pitch = 0.07;
  return motions;
}

void add_link(Mechanism& m, const std::string& kind, const std::string& parent, const std::string& name,
              RandomTree& random) {
  MechanismBody body;
  body.name = name;
  body.mass = 1.3;
  body.mass_centre = {0.1, -0.2, 0.15};
  body.inertia = random.inertia();
  m.add_body(body);
  Joint joint;
  joint.name = "J" + name;
  joint.kind = kind;
  joint.parent = parent;
  joint.child = name;
  joint.on_parent = random.placement();
  joint.on_child = random.placement();
  joint.motions = motions_of(kind, m, random);
  name_motions(*m.graph, joint, {}, {});
  m.add_joint(joint);
}

Mechanism two_links(const std::string& kind, bool floating, unsigned seed) {
  RandomTree random(seed);
  Mechanism m(kind);
  if (!floating) {
    m.add_parameter("g", 9.81);
    m.gravity.text = "-g*N.z";
  }
  add_link(m, floating ? "free" : kind == "weld" ? "revolute" : kind, m.ground, "A", random);
  add_link(m, kind, "A", "B", random);
  return m;
}

/// A spring, a damper and a motor along every free motion that has one coordinate; a spring and a damper at balls.
void add_laws(Mechanism& m, Joint& joint, const Expr& motor) {
  for (ElementaryMotion& motion : joint.motions) {
    if (!motion.free) continue;
    motion.law.stiffness = 2;
    motion.law.damping = 0.3;
    if (motion.kind != MotionKind::Ball) motion.law.rest = 0.2, motion.law.actuator = motor;
  }
  // One more of each from outside.
  for (std::size_t i = 0; i < joint.motions.size(); ++i) {
    if (!joint.motions[i].free) continue;
    AxisLaw law;
    law.stiffness = 0.5, law.damping = 0.1;
    m.loads.push_back({"", JointLoad{joint.name, static_cast<int>(i), law}, {}});
  }
}

void expect_close(const std::vector<double>& a, const std::vector<double>& b, double tolerance,
                  const std::string& what) {
  EXPECT_LT(testing::distance(a, b), tolerance) << what;
}

class JointLaws : public ::testing::TestWithParam<std::string> {};

TEST_P(JointLaws, VelocityIsTheDerivativeOfPosition) {
  Situation c(two_links(GetParam(), false, 1), 2);
  c.solve_motion();
  for (const PointOutput& p : c.e.points) {
    expect_close(c.numbers(p.velocity), c.rate(p.position), 1e-12, "velocity of " + p.name);
    expect_close(c.numbers(p.acceleration), c.rate(p.velocity), 1e-12, "acceleration of " + p.name);
  }
  for (const BodyOutput& b : c.e.bodies) {
    // R' = [w x] R, column by column.
    const std::vector<double> w = c.numbers(b.angular_velocity);
    for (std::size_t k = 0; k < 3; ++k) {
      const Expr3 column{b.rotation[0][k], b.rotation[1][k], b.rotation[2][k]};
      const std::vector<double> axis = c.numbers(column);
      const Real3 swept = testing::cross({w[0], w[1], w[2]}, {axis[0], axis[1], axis[2]});
      expect_close({swept.begin(), swept.end()}, c.rate(column), 1e-12, "axis of " + b.name);
    }
    expect_close(c.numbers(b.angular_acceleration), c.rate(b.angular_velocity), 1e-12,
                 "angular acceleration of " + b.name);
  }
}

TEST_P(JointLaws, PartialVelocitiesAreDerivativesBySpeeds) {
  const Mechanism m = two_links(GetParam(), false, 3);
  const Situation c(m, 4);
  const LoweredMechanism lowered = lower_mechanism(m);
  KaneDerivation d(lowered.system);
  for (const PointOutput& p : c.e.points) {
    const PointId id = lowered.names.point(p.name);
    for (std::size_t r = 0; r < c.e.u.size(); ++r) {
      const Vector partial = d.partial_velocity(id, static_cast<int>(r));
      const Expr3 in_ground = lowered.system.frames().express(partial, lowered.system.inertial());
      Values more = c.values;
      more[c.e.u[r].name()] += 1;  // velocities are affine in the speeds
      std::vector<double> difference = evaluate(p.velocity, more);
      const std::vector<double> before = c.numbers(p.velocity);
      for (std::size_t i = 0; i < 3; ++i) difference[i] -= before[i];
      expect_close(c.numbers(in_ground), difference, 1e-12, p.name + " by " + c.e.u[r].name());
    }
  }
}

TEST_P(JointLaws, PowerBalances) {
  Mechanism m = two_links(GetParam(), false, 5);
  const Expr motor = m.add_input("motor");
  for (Joint& joint : m.joints) add_laws(m, joint, motor);
  Situation c(m, 6);
  c.solve_motion();
  ASSERT_TRUE(c.e.potential.has_value());
  const double motor_force = c.values.at("motor");
  double power = 0;
  for (const Joint& joint : m.joints) {
    for (const ElementaryMotion& motion : joint.motions) {
      for (const Expr& u : motion.speeds) {
        const double rate = c.value(u);
        power -= 0.4 * rate * rate;
        if (motion.kind != MotionKind::Ball) power += motor_force * rate;
      }
    }
    // The drive of a prescribed axis supplies power: its force times its rate.
    if (GetParam() != "prescribed") continue;
    const auto reaction = std::find_if(c.e.reactions.begin(), c.e.reactions.end(),
                                       [&](const ReactionOutput& r) { return r.name == joint.name; });
    const std::vector<double> force = c.numbers(reaction->force);  // in the child's axes
    double along = 0;  // the joint's z axis is the third column of the placement on the child
    for (std::size_t i = 0; i < 3; ++i) along += force[i] * evaluate(joint.on_child.rotation[i][2], {});
    power += along * 0.6 * std::cos(2 * c.values.at("t"));
  }
  const double rate = c.rate(c.e.kinetic + *c.e.potential);
  EXPECT_NEAR(rate, power, 1e-10 * (1 + std::abs(power)));
}

TEST_P(JointLaws, AFloatingPairKeepsItsMomentum) {
  Mechanism m = two_links(GetParam(), true, 7);
  const Expr motor = m.add_input("motor");
  add_laws(m, m.joints[1], motor);
  Situation c(m, 8);
  c.solve_motion();
  const std::vector<double> zero(3, 0.0);
  expect_close(c.rate(c.e.linear_momentum), zero, 1e-10, "linear momentum");
  expect_close(c.rate(c.e.angular_momentum), zero, 1e-10, "angular momentum");
}

TEST_P(JointLaws, TheChoiceOfSpeedsDoesNotMatter) {
  const Mechanism m = two_links(GetParam(), false, 9);
  Situation plain(m, 10);
  plain.solve_motion();
  // The same motion in other speeds: each is the sum of its own rate and half of the next one.
  Mechanism other = two_links(GetParam(), false, 9);
  const LoweredMechanism lowered = lower_mechanism(m);
  std::vector<std::string> terms;
  for (std::size_t j = 0; j < other.joints.size(); ++j) {
    for (std::size_t i = 0; i < other.joints[j].motions.size(); ++i) {
      const ElementaryMotion& motion = other.joints[j].motions[i];
      if (!motion.free) continue;
      if (motion.kind != MotionKind::Ball) {
        terms.push_back(motion.coordinates[0].name() + "'");
        continue;
      }
      const LoweredMotion& ball = lowered.joints[j].motions[i];
      const Frames& frames = lowered.system.frames();
      for (const char axis : {'x', 'y', 'z'})
        terms.push_back(
            fmt::format("dot(omega({0}, {1}), {0}.{2})", frames.name(ball.to), frames.name(ball.from), axis));
    }
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const std::string next = i + 1 < terms.size() ? " + 0.5*" + terms[i + 1] : "";
    other.speeds.push_back({fmt::format("s{}", i + 1), {terms[i] + next, {}}});
  }
  Situation combined(other, 11);
  for (const Expr& q : plain.e.q) combined.value(q) = plain.value(q);
  for (std::size_t i = 0; i < plain.e.u.size(); ++i) {
    const double next = i + 1 < plain.e.u.size() ? 0.5 * plain.value(plain.e.u[i + 1]) : 0;
    combined.value(combined.e.u[i]) = plain.value(plain.e.u[i]) + next;
  }
  combined.solve_motion();
  for (std::size_t i = 0; i < plain.e.points.size(); ++i) {
    const PointOutput &a = plain.e.points[i], &b = combined.e.points[i];
    ASSERT_EQ(a.name, b.name);
    expect_close(combined.numbers(b.velocity), plain.numbers(a.velocity), 1e-11, "velocity");
    expect_close(combined.numbers(b.acceleration), plain.numbers(a.acceleration), 1e-9, "acceleration");
  }
  expect_close({combined.number(combined.e.kinetic)}, {plain.number(plain.e.kinetic)}, 1e-12, "kinetic energy");
}

TEST_P(JointLaws, TheFrameOfABodyDoesNotMatter) {
  // The body A in other axes and from another origin: p = R p_new + d.
  Mechanism moved = two_links(GetParam(), false, 12);
  const Real33 R = testing::turn({0.6, 0, 0.8}, 0.7);
  const Real3 d{0.3, -0.1, 0.2};
  Expr33 back, forth;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) back[i][j] = R[j][i], forth[i][j] = R[i][j];
  const auto to_new = [&](const Expr3& p) { return multiply(back, subtract(p, Expr3{d[0], d[1], d[2]})); };
  MechanismBody& body = moved.bodies[0];
  body.mass_centre = to_new(body.mass_centre);
  body.inertia = multiply(back, multiply(body.inertia, forth));
  // Rounded rotations leave traces of asymmetry that are none of the body's.
  for (std::size_t i = 0; i < 3; ++i) body.inertia[(i + 1) % 3][i] = body.inertia[i][(i + 1) % 3];
  for (Placement* p : {&moved.joints[0].on_child, &moved.joints[1].on_parent})
    *p = {to_new(p->position), multiply(back, p->rotation)};
  const Situation a(two_links(GetParam(), false, 12), 13), b(moved, 13);
  expect_close(b.numbers(b.e.M.entries), a.numbers(a.e.M.entries), 1e-12, "M");
  expect_close(b.numbers(b.e.rhs), a.numbers(a.e.rhs), 1e-12, "rhs");
}

TEST_P(JointLaws, ActAlikeInEveryFormulation) {
  Mechanism m = two_links(GetParam(), false, 14);
  const Expr motor = m.add_input("motor");
  for (Joint& joint : m.joints) add_laws(m, joint, motor);
  const Situation a(copy_mechanism(m), 15);
  for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
    const Situation b(copy_mechanism(m), 15, formulation);
    EXPECT_EQ(b.e.formulation, to_string(formulation));
    expect_close(b.numbers(b.e.M.entries), a.numbers(a.e.M.entries), 1e-12, "M");
    expect_close(b.numbers(b.e.rhs), a.numbers(a.e.rhs), 1e-12, "rhs");
    expect_close(b.numbers(b.e.inverse), a.numbers(a.e.inverse), 1e-12, "inverse dynamics");
    const std::vector<double> udot = testing::solve(a.numbers(a.e.M.entries), a.numbers(a.e.rhs));
    expect_close(b.numbers(b.e.udot_explicit), udot, 1e-11, "accelerations");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, JointLaws, ::testing::ValuesIn(kinds()), [](const auto& test) { return test.param; });

}  // namespace
}  // namespace kane

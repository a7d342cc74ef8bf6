// speeds: auto is never longer than the rates of the joints, finds the choice of Mitiguy and Kane for a spherical wrist, and
// describes the same motion.

#include "kane/mechanism/automatic_speeds.hpp"

#include <gtest/gtest.h>

#include <ctime>

#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::RandomTree;
using testing::Situation;

Joint pin(Mechanism& m, const std::string& name, const std::string& parent, const std::string& child, const Expr3& axis,
          const std::string& coordinate) {
  Joint joint;
  joint.name = name, joint.kind = "revolute", joint.parent = parent, joint.child = child;
  joint.motions = open_joint(joint_kind("revolute", {}));
  joint.motions[0].axis = axis;
  name_motions(*m.graph, joint, {coordinate}, {});
  return joint;
}

/// Gillespie's example: three axes through one point, mass only behind the last.
Mechanism wrist() {
  Mechanism m("wrist");
  const Expr M = m.add_parameter("M", 1.8), L = m.add_parameter("L", 0.32), g = m.add_parameter("G", 9.81);
  m.gravity.text = "-G*N.x";
  MechanismBody a, b, c;
  a.name = "A", b.name = "B", c.name = "C";
  c.mass = M;
  c.mass_centre = {0, 0, L};
  c.inertia = diagonal(m.add_parameter("I1", 0.021), m.add_parameter("I2", 0.034), m.add_parameter("I3", 0.012));
  for (const MechanismBody& body : {a, b, c}) m.add_body(body);
  m.add_joint(pin(m, "roll", "N", "A", {0, 0, 1}, "q1"));
  m.add_joint(pin(m, "pitch", "A", "B", {0, 1, 0}, "q2"));
  m.add_joint(pin(m, "twist", "B", "C", {0, 0, 1}, "q3"));
  m.automatic_speeds = true;
  m.initial = {{"q1", 0.3}, {"q2", 1.2}, {"q3", -0.4}, {"u1", 0.8}, {"u2", 0.3}, {"u3", 1.0}};
  return m;
}

TEST(AutomaticSpeeds, FindTheChoiceForTheSphericalWrist) {
  const AutomaticSpeeds chosen = choose_speeds(wrist());
  ASSERT_FALSE(chosen.choices.empty());
  EXPECT_EQ(chosen.choices[0].definitions.at("u1"), "dot(omega(C), C.x)");
  EXPECT_LT(chosen.chosen.total(), chosen.rates.total());
  EXPECT_NE(chosen.summary().find("instead of"), std::string::npos);
  EXPECT_NE(chosen.summary().find("u3 = dot(omega(C), C.z)"), std::string::npos) << chosen.summary();
}

TEST(AutomaticSpeeds, InitialSpeedsStayTheSameMotion) {
  const Mechanism rates = [] {
    Mechanism m = wrist();
    m.automatic_speeds = false;
    return m;
  }();
  const AutomaticSpeeds chosen = choose_speeds(wrist());
  Situation a(rates, 61), b(chosen.mechanism, 61);
  for (Situation* s : {&a, &b}) {
    const auto& initial = s == &a ? rates.initial : chosen.mechanism.initial;
    for (const auto& [name, value] : initial) s->values[name] = value;
    s->solve_motion();
  }
  EXPECT_NE(chosen.mechanism.initial.at("u1"), 0.8);
  for (std::size_t i = 0; i < a.e.bodies.size(); ++i) {
    EXPECT_LT(testing::distance(b.numbers(b.e.bodies[i].angular_velocity), a.numbers(a.e.bodies[i].angular_velocity)),
              1e-13);
    EXPECT_LT(
        testing::distance(b.numbers(b.e.bodies[i].angular_acceleration), a.numbers(a.e.bodies[i].angular_acceleration)),
        1e-11);
  }
}

TEST(AutomaticSpeeds, AreNeverLonger) {
  for (unsigned seed = 300; seed < 320; ++seed) {
    RandomTree random(seed);
    Mechanism m = random.mechanism(random.whole(1, 4));
    if (m.joint_speeds().empty()) continue;
    m.automatic_speeds = true;
    const AutomaticSpeeds chosen = choose_speeds(m);
    EXPECT_LE(chosen.chosen.total(), chosen.rates.total()) << "seed " << seed;
    // The reported operation count is that of the result.
    EXPECT_EQ(compare_formulations(chosen.mechanism).front().operations.total(), chosen.chosen.total())
        << "seed " << seed;
  }
}

TEST(AutomaticSpeeds, TakeASecondForAHumanoid) {
  // A free trunk with four limbs of seven joints and a neck: 6 + 4*7 + 2 degrees of freedom.
  RandomTree random(71);
  Mechanism m("humanoid");
  const auto add = [&](const std::string& name, const std::string& kind, const std::string& parent) {
    MechanismBody body;
    body.name = name;
    body.mass = 1.5;
    body.mass_centre = {0.1, 0, -0.2};
    body.inertia = random.inertia();
    Joint joint;
    joint.name = "j_" + name, joint.kind = kind, joint.parent = parent, joint.child = name;
    joint.on_parent = random.placement();
    joint.motions = open_joint(joint_kind(kind, {}));
    name_motions(*m.graph, joint, {}, {});
    m.add_body(body);
    m.add_joint(joint);
  };
  add("trunk", "free", "N");
  add("head", "universal", "trunk");
  for (int limb = 0; limb < 4; ++limb) {
    std::string parent = "trunk";
    for (int i = 0; i < 7; ++i) {
      const std::string name = fmt::format("limb{}_{}", limb, i);
      add(name, "revolute", parent);
      parent = name;
    }
  }
  m.automatic_speeds = true;
  const std::clock_t start = std::clock();  // of this process: the machine may be busy
  const AutomaticSpeeds chosen = choose_speeds(m);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  EXPECT_LE(chosen.chosen.total(), chosen.rates.total());
  // About a second; the bound leaves room for slow machines.
#ifdef KANE_SANITIZED
  EXPECT_LT(seconds, 120);
#else
  EXPECT_LT(seconds, 20);
#endif
}

}  // namespace
}  // namespace kane

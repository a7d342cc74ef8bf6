// `speeds: auto` changes how the motion is written, not the motion: closed loops, starts that are given in part, universal
// joints through all angles.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

/// Coordinates after a run with joint rates and with automatic speeds.
void expect_same_motion(const std::string& text, double until, bool chosen = true) {
  const Mechanism plain = read_yaml_text(text), automatic = read_yaml_text(text + "speeds: auto\n");
  if (chosen) {
    EXPECT_FALSE(choose_speeds(automatic).choices.empty()) << "nothing was chosen, so nothing is tested";
  }
  Simulation a(Model(read_yaml_text(text)), {}, {.tolerance = 1e-10});
  Simulation b(Model(read_yaml_text(text + "speeds: auto\n")), {}, {.tolerance = 1e-10});
  for (int k = 0; k < 4; ++k) {
    for (const Expr& q : plain.all_coordinates())
      EXPECT_NEAR(a.value(q.name()), b.value(q.name()), 1e-7 * (1 + std::abs(a.value(q.name())))) << q.name() << text;
    ASSERT_EQ(a.advance(until / 4).status, RunStatus::Done);
    ASSERT_EQ(b.advance(until / 4).status, RunStatus::Done);
  }
}

/// Sun, carrier and planet; only the carrier's speed is given.
TEST(AutomaticSpeedsOfModels, ClosedGearTrain) {
  for (const char* start : {"{u_c: 5}", "{u_p: 3}", "{u_s: -2}", "{u_c: 5, u_s: 1}"}) {
    expect_same_motion(std::string(R"yaml(
kane: 1
parameters: {rs: 0.3, rp: 0.1}
gravity: -9.81*N.y
bodies:
  carrier: {mass: 1, com: [0.2, 0, 0], inertia: [0, 0, 0.1]}
  planet: {mass: 2, com: [0.03, 0, 0], inertia: [0, 0, 0.02]}
  sun: {mass: 3, inertia: [0, 0, 0.2]}
joints:
  centre: {type: revolute, parent: N, child: carrier, axis: z, coordinate: c}
  pin: {type: revolute, parent: carrier, at: [0.4, 0, 0], child: planet, axis: z, coordinate: p}
  shaft: {type: revolute, parent: N, child: sun, axis: z, coordinate: s}
constraints:
  teeth: {configuration: rs*(s - c) + rp*p}
initial: )yaml") + start + "\n",
                       1);
  }
}

TEST(AutomaticSpeedsOfModels, RandomTiedChains) {
  std::mt19937 random(3);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int n = 0; n < 6; ++n) {
    std::string text = "kane: 1\ngravity: -9.81*N.y\nbodies:\n";
    for (int i = 0; i < 4; ++i)
      text += fmt::format("  B{}: {{mass: {:.3f}, com: [{:.3f}, 0, 0], inertia: [0, 0, {:.3f}]}}\n", i, uniform(1, 3),
                          uniform(0.1, 0.3), uniform(0.05, 0.2));
    text += "joints:\n";
    for (int i = 0; i < 4; ++i)
      text += fmt::format(
          "  j{0}: {{type: revolute, parent: {1}, at: [{2}, 0, 0], child: B{0}, axis: z, coordinate: q{0}}}\n", i,
          i == 0 ? std::string("N") : fmt::format("B{}", i - 1), i == 0 ? 0.0 : 0.5);
    text += fmt::format("constraints:\n  tie: {{configuration: q0 + {:.3f}*q2 - {:.3f}*q3}}\n", uniform(0.5, 2),
                        uniform(0.5, 2));
    text += fmt::format("initial: {{q1: {:.3f}, u{}: {:.3f}}}\n", uniform(-1, 1), n % 4, uniform(-2, 2));
    expect_same_motion(text, 0.6);
  }
}

/// A speed that a load names is the rate of its joint, whatever speeds are chosen.
TEST(AutomaticSpeedsOfModels, SpeedsInLoadsKeepTheirMeaning) {
  expect_same_motion(R"yaml(
kane: 1
gravity: -9.81*N.y
bodies:
  A: {mass: 1, com: [0.3, 0, 0], inertia: [0, 0, 0.05]}
  B: {mass: 2, com: [0.2, 0.1, 0], inertia: [0, 0, 0.08]}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  b: {type: revolute, parent: A, at: [0.6, 0, 0], child: B, axis: z, coordinate: q2}
loads:
  brake: {torque: -0.5*u2, joint: b}
initial: {q1: 0.5, q2: 0.2, u2: 1}
)yaml",
                     1, false);
}

// Two rotations: the components of the angular velocity that would be shorter lose the first rate at some angle of the
// second, through which this one spins.
TEST(AutomaticSpeedsOfModels, UniversalJointThroughAllAngles) {
  const std::string text = R"yaml(
kane: 1
bodies: {B: {mass: 1, inertia: [0.1, 0.1, 0.25]}}
joints: {U: {type: universal, parent: N, child: B, axes: [x, y], coordinates: [a, b]}}
initial: {a: 0.3, b: 0.2, u_a: 1, u_b: 9}
)yaml";
  expect_same_motion(text, 3, false);
}

}  // namespace
}  // namespace kane

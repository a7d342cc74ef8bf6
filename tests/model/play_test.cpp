// Play: a pin in a larger hole, a slider between walls, gears with backlash; against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kane/analysis/evaluation.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

/// A pin that moves in a plane, in a hole of the ground with 0.1 m of clearance.
Model pin(const std::string& contact, const std::string& rest) {
  return read_model_text(fmt::format(R"yaml(
kane: 1
bodies: {{P: {{mass: 2, inertia: [0, 0, 0.05]}}}}
joints: {{move: {{type: planar, parent: N, child: P, coordinates: [x, y, q], speeds: [vx, vy, w]}}}}
contacts: {{hole: {{pin: [P, N], clearance: 0.1 m, axis: N.z, {}}}}}
{}
)yaml",
                                     contact, rest),
                         "pin.yaml");
}

TEST(Clearance, APinBouncesAlongTheChordsOfItsHole) {
  // Without friction and losses the chords have equal lengths 2 sqrt(c^2 - d^2), each turned by pi - 2 acos(d/c) from the last.
  const double c = 0.1, d = 0.06, half = std::sqrt(c * c - d * d), turn = std::numbers::pi - 2 * std::asin(d / c);
  Simulation run(pin("restitution: 1", "initial: {y: 0.06, vx: 1}"), {}, {.tolerance = 1e-12});
  const int bounces = 7;
  (void)run.run({.until = half + (bounces - 1) * 2 * half + half});  // the middle of a chord
  // Clockwise: the middle of the chord begins at the top.
  const double angle = std::numbers::pi / 2 - bounces * turn;
  EXPECT_NEAR(run.value("x"), d * std::cos(angle), 1e-8);
  EXPECT_NEAR(run.value("y"), d * std::sin(angle), 1e-8);
  EXPECT_NEAR(std::hypot(run.value("vx"), run.value("vy")), 1, 1e-9);
}

TEST(Clearance, APinStartsInTheMiddleOfItsHole) {
  Simulation run(pin("restitution: 0", "gravity: -10*N.y"));
  (void)run.run({.until = 1});
  EXPECT_NEAR(run.value("y"), -0.1, 1e-8);
}

TEST(Clearance, APinRollsInItsHoleLikeAPendulum) {
  // Frictionless, closed: a pendulum of length c.
  const double a = 0.5;
  Simulation run(pin("restitution: 0", fmt::format("gravity: -10*N.y\ninitial: {{x: {:.17g}, y: {:.17g}}}",
                                                   0.1 * std::sin(a), -0.1 * std::cos(a))),
                 {}, {.tolerance = 1e-11});
  Simulation pendulum(read_model_text(R"yaml(
kane: 1
gravity: -10*N.y
bodies: {P: {mass: 2, com: [0, -0.1, 0]}}
joints: {j: {type: revolute, parent: N, child: P, axis: z, coordinate: q}}
initial: {q: 0.5}
)yaml",
                                      "p.yaml"),
                      {}, {.tolerance = 1e-11});
  for (const double t : {0.1, 0.4, 1.0}) {
    (void)run.run({.until = t});
    (void)pendulum.run({.until = t});
    EXPECT_NEAR(run.value("x"), 0.1 * std::sin(pendulum.value("q")), 1e-8);
  }
}

TEST(Clearance, AJournalIsBrakedByItsFrictionCircle) {
  // The contact climbs until the force passes the friction circle: tan(phi) = mu, torque W r sin(phi).
  const double mu = 0.3, phi = std::atan(mu), r = 0.02, weight = 20;
  const Evaluation at = evaluate(
      pin("friction: 0.3, radius: 20 mm", fmt::format("gravity: -10*N.y\ninitial: {{x: {:.17g}, y: {:.17g}, w: 30}}",
                                                      -0.1 * std::sin(phi), -0.1 * std::cos(phi))));
  EXPECT_NEAR(at.udot[0], 0, 1e-9);
  EXPECT_NEAR(at.udot[1], 0, 1e-9);
  EXPECT_NEAR(at.udot[2], -weight * r * std::sin(phi) / 0.05, 1e-9);
}

TEST(Clearance, ASliderCrankStaysNearTheIdealOne) {
  // The pin is within c of the slider's middle: x differs from r cos + l cos(rod) by c/cos(rod) at most.
  const double r = 0.05, l = 0.12, c = 0.5e-3;
  Simulation run(read_model(std::string(KANE_SOURCE_DIR) + "/models/clearance_slider_crank.yaml"));
  double farthest = 0;
  const RunReport report = run.run({.until = 0.25, .intervals = 2000}, [&](const State& s) {
    const double a = 60 * s.t, rod = std::asin(r * std::sin(a) / l);
    EXPECT_NEAR(s.q[1], r * std::cos(a) + l * std::cos(rod), 1.01 * c / std::cos(rod)) << s.t;
    farthest = std::max(farthest, run.row(s).back());
    EXPECT_LE(run.row(s).back(), c + 1e-8);
    return true;
  });
  EXPECT_EQ(report.status, RunStatus::Done);
  EXPECT_GT(report.event_count, 10);
  EXPECT_NEAR(farthest, c, 1e-7);
}

TEST(Clearance, ASliderBouncesBetweenItsWalls) {
  Simulation run(read_model_text(R"yaml(
kane: 1
bodies: {B: {mass: 1}}
joints: {move: {type: planar, parent: N, child: B, coordinates: [x, y, q], speeds: [vx, vy, w]}}
contacts: {guide: {slot: [B, N], axis: N.y, clearance: 0.1 m, restitution: 0.5}}
constraints: {straight: {configuration: q}}
initial: {vx: 2, vy: 1}
)yaml",
                                 "slot.yaml"),
                 {}, {.tolerance = 1e-12});
  // Up for 0.1 s, down for 0.4 s, up at 0.25 m/s from -0.1.
  (void)run.run({.until = 0.7});
  EXPECT_NEAR(run.value("y"), -0.1 + 0.25 * 0.2, 1e-9);
  EXPECT_NEAR(run.value("x"), 1.4, 1e-9);
}

TEST(Backlash, GearsMeetAfterTheirPlay) {
  const double b = 0.02, r = -0.5, w = 3, I1 = 0.2, I2 = 0.7, e = 0.4;
  const auto gears = [](const std::string& keys) {
    return read_model_text(fmt::format(R"yaml(
kane: 1
bodies: {{A: {{inertia: [0, 0, 0.2]}}, B: {{inertia: [0, 0, 0.7]}}}}
joints:
  ja: {{type: revolute, parent: N, child: A, axis: z, coordinate: q1, speed: u1}}
  jb: {{type: revolute, parent: N, child: B, axis: z, coordinate: q2, speed: u2}}
contacts: {{mesh: {{gear: [q1, q2], {}, backlash: 0.02 rad, restitution: 0.4}}}}
initial: {{u1: 3}}
)yaml",
                                       keys),
                           "gears.yaml");
  };
  for (const std::string keys : {"ratio: -1/2", "teeth: [20, 40]"}) {
    const Model model = gears(keys);
    Simulation run(model, {}, {.tolerance = 1e-12});
    const double t1 = b / 2 / (std::abs(r) * w), s0 = -r * w;
    (void)run.run({.until = 0.99 * t1});
    EXPECT_EQ(run.value("u2"), 0);
    (void)run.run({.until = 1.5 * t1});
    const double p = -(1 + e) * s0 / (1 / I2 + r * r / I1);
    EXPECT_NEAR(run.value("u2"), p / I2, 1e-10) << keys;
    EXPECT_NEAR(run.value("u1"), w - r * p / I1, 1e-10) << keys;
    (void)run.run({.until = 5}, [&](const State& s) {
      EXPECT_LE(std::abs(s.q[1] - r * s.q[0]), b / 2 + 1e-9);
      return true;
    });
    const Model again = read_model_text(write_yaml(model.mechanism()), "again.yaml");
    Simulation second(again, {}, {.tolerance = 1e-12});
    (void)second.run({.until = 5});
    EXPECT_NEAR(second.value("q2"), run.value("q2"), 1e-12);
  }
}

TEST(Play, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW((void)pin("friction: 0.3", ""), ModelError);  // no radius
  EXPECT_THROW((void)pin("backlash: 1 deg", ""), ModelError);
  EXPECT_THROW(
      (void)read_model_text("kane: 1\nbodies: {B: {mass: 1}}\njoints: {j: {type: prismatic, parent: N, child: "
                            "B, axis: x, coordinate: x}}\ncontacts: {m: {gear: [x, y], ratio: 2, backlash: 1 mm}}\n",
                            "g.yaml"),
      ModelError);
}

TEST(Play, IsDescribedInCppToo) {
  Mechanism m("gears");
  const auto a = m.add_body("A", {.inertia = {0, 0, 0.2}}), b = m.add_body("B", {.inertia = {0, 0, 0.7}});
  m.revolute("ja", m.ground, a, axis::z, {.coordinate = "q1", .speed = "u1"});
  m.revolute("jb", m.ground, b, axis::z, {.coordinate = "q2", .speed = "u2"});
  m.add_contact("mesh", GearBacklash{m.coordinate("q1"), m.coordinate("q2"), -0.5, 0.02}, {.restitution = 0.4});
  m.set_initial("u1", 3);
  Simulation run(Model(std::move(m)));
  (void)run.run({.until = 1});
  EXPECT_LE(std::abs(run.value("q2") + 0.5 * run.value("q1")), 0.01 + 1e-9);
  EXPECT_LT(run.value("u2"), 0);
}

}  // namespace
}  // namespace kane

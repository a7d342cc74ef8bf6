// Reactions of joints whose bodies touch others, against Newton and Euler by hand and against the change of momentum.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kane/analysis/evaluation.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

const ReactionValue& reaction(const Evaluation& at, const std::string& name) {
  for (const ReactionValue& r : at.reactions)
    if (r.name == name) return r;
  throw std::runtime_error("no reaction " + name);
}

TEST(ContactReactions, AnArmPressesOnAPlane) {
  // A rod of 1 m, hinged 0.5 m above the floor, its tip on it, pressed down by 4 N m. Moments about the hinge:
  // N cos(30 deg) = m g/2 cos(30 deg) + 4; the rest of the weight hangs on the hinge.
  const Evaluation at = evaluate(read_model_text(R"yaml(
kane: 1
inputs: {T: -4 N*m}
gravity: -10*N.y
bodies: {arm: {mass: 3, com: [0.5, 0, 0], inertia: [0, 0, 0.25], points: {tip: [1, 0, 0]}}}
joints: {hinge: {type: revolute, parent: N, child: arm, axis: z, coordinate: q, at: [0, 0.5, 0], actuator: T}}
contacts: {floor: {point: arm.tip, plane: N.y}}
initial: {q: -30 deg}
)yaml",
                                                 "arm.yaml"));
  const double N = 15 + 4 / std::cos(std::numbers::pi / 6);
  ASSERT_EQ(at.contacts.size(), 1U);
  EXPECT_NEAR(at.contacts[0].normal, N, 1e-9);
  const ReactionValue& hinge = reaction(at, "hinge");
  // In the frame of the parent.
  const double up = hinge.frame == "N" ? hinge.force.y
                                       : hinge.force.y * std::cos(std::numbers::pi / 6) -
                                             hinge.force.x * std::sin(std::numbers::pi / 6);
  const double along = hinge.frame == "N" ? hinge.force.x
                                          : hinge.force.x * std::cos(std::numbers::pi / 6) +
                                                hinge.force.y * std::sin(std::numbers::pi / 6);
  EXPECT_NEAR(up, 30 - N, 1e-9);
  EXPECT_NEAR(along, 0, 1e-9);
  EXPECT_TRUE(at.warnings.empty()) << at.warnings[0];
}

/// A box or a ball on a board; the board is held at 20 degrees.
constexpr const char* kBoard = R"yaml(
kane: 1
parameters: {{a: 20 deg}}
gravity: -10*N.y
bodies:
  board: {{mass: 2, com: [0.6, 0, 0], inertia: [0, 0, 0.3]}}
  load: {{mass: 5, inertia: [0, 0, 0.02]}}
joints:
  hinge: {{type: revolute, parent: N, child: board, axis: z, coordinate: b, {}}}
  fly: {{type: planar, parent: N, child: load, coordinates: [x, y, q]}}
contacts: {{rest: {}}}
initial: {{b: a, x: 0.8*cos(a) - 0.1*sin(a), y: 0.8*sin(a) + 0.1*cos(a), q: a, {}}}
)yaml";

TEST(ContactReactions, ABoxOnAHingedBoard) {
  const double s = std::sin(20 * std::numbers::pi / 180), c = std::cos(20 * std::numbers::pi / 180);
  const Evaluation at = evaluate(read_model_text(
      fmt::format(kBoard, "limits: {lower: 20 deg}",
                  "{box: load, size: [0.3, 0.2, 0.2], plane: board.y, reference: board, friction: 0.6}", "u_x: 0"),
      "board.yaml"));
  for (const double a : at.udot) EXPECT_NEAR(a, 0, 1e-9);
  // The board carries both weights; the load's own joint carries nothing.
  const ReactionValue& hinge = reaction(at, "hinge");
  const bool ground = hinge.frame == "N";
  EXPECT_NEAR(ground ? hinge.force.y : hinge.force.x * s + hinge.force.y * c, 70, 1e-8);
  EXPECT_NEAR(ground ? hinge.force.x : hinge.force.x * c - hinge.force.y * s, 0, 1e-8);
  EXPECT_NEAR(hinge.torque.z, 20 * 0.6 * c + 50 * (0.8 * c - 0.1 * s), 1e-8);  // by the stop
  const ReactionValue& fly = reaction(at, "fly");
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(fly.force[k], 0, 1e-9);
    EXPECT_NEAR(fly.torque[k], 0, 1e-9);
  }
  EXPECT_TRUE(at.warnings.empty()) << at.warnings[0];
}

TEST(ContactReactions, ShapesThatTouchAreLocatedToo) {
  // A box lies on a board that a stop holds level; both are shapes.
  const Model model = read_model_text(R"yaml(
kane: 1
gravity: -10*N.z
bodies:
  board: {mass: 2, com: [0.6, 0, 0], inertia: [0.1, 0.3, 0.3], geometry: {box: [1.2, 0.4, 0.02], at: [0.6, 0, 0]}}
  load: {mass: 5, shape: {box: [0.2, 0.2, 0.2]}}
joints:
  hinge: {type: revolute, parent: N, child: board, axis: -y, coordinate: b, limits: {lower: 0}}
  fly: {type: free, parent: N, child: load, coordinates: [x, y, z, e1, e2, e3, e4]}
contacts: {top: {between: [load, board], friction: 0.5}}
initial: {x: 0.8, y: 0.03, z: 0.11, e4: 1}
)yaml",
                                      "shapes.yaml");
  const Evaluation at = evaluate(model);
  for (const double a : at.udot) EXPECT_NEAR(a, 0, 1e-8);
  const ReactionValue &hinge = reaction(at, "hinge"), &fly = reaction(at, "fly");
  EXPECT_NEAR(hinge.force.z, 70, 1e-7);
  EXPECT_NEAR(hinge.torque.x, 50 * 0.03, 1e-7);
  EXPECT_NEAR(hinge.torque.y, -(20 * 0.6 + 50 * 0.8), 1e-7);  // about -y by the stop
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(fly.force[k], 0, 1e-7);
    EXPECT_NEAR(fly.torque[k], 0, 1e-7);
  }
  EXPECT_TRUE(at.warnings.empty()) << at.warnings[0];
}

TEST(ContactReactions, TheHingeCarriesTheChangeOfMomentum) {
  // A ball rolls and slides down a board on a spring: internal forces cancel, so the hinge carries m a - m g of everything.
  for (const std::string contact :
       {"{sphere: load, radius: 0.1, plane: board.y, reference: board, friction: 0.8}",
        "{sphere: load, radius: 0.1, plane: board.y, reference: board, friction: 0.05, rolling_friction: 5 mm}",
        "{sphere: load, radius: 0.1, plane: board.y, reference: board, stiffness: 2e5, dissipation: 0.1, friction: "
        "0.3}"}) {
    const Model model =
        read_model_text(fmt::format(kBoard, "stiffness: 400, damping: 3", contact, "u_b: 0.3"), "b.yaml");
    Simulation run(model, {}, {.tolerance = 1e-11});
    std::vector<State> states;
    const double h = 2e-5;
    for (int k = 0; k < 3; ++k) {
      (void)run.run({.until = 0.15 + k * h, .intervals = 1});
      states.push_back(run.state());
    }
    const auto at = [&](const State& s) {
      StartState start;
      start.t = s.t;
      for (std::size_t i = 0; i < s.q.size(); ++i) start.q[model.equations().q[i].name()] = s.q[i];
      for (std::size_t i = 0; i < s.u.size(); ++i) start.u[model.equations().u[i].name()] = s.u[i];
      return evaluate(model, start);
    };
    const Evaluation before = at(states[0]), now = at(states[1]), after = at(states[2]);
    const ReactionValue& hinge = reaction(now, "hinge");
    const double b = states[1].q[0], s = std::sin(b), c = std::cos(b);
    const bool ground = hinge.frame == "N";
    const double fx = ground ? hinge.force.x : hinge.force.x * c - hinge.force.y * s;
    const double fy = ground ? hinge.force.y : hinge.force.x * s + hinge.force.y * c;
    EXPECT_NEAR(fx, (after.linear_momentum->x - before.linear_momentum->x) / (2 * h), 1e-4) << contact;
    EXPECT_NEAR(fy, (after.linear_momentum->y - before.linear_momentum->y) / (2 * h) + 70, 1e-4) << contact;
    // About the ground's origin, where the hinge is: weights and the hinge's torque.
    const double weights = -20 * 0.6 * c - 50 * states[1].q[1];
    EXPECT_NEAR(hinge.torque.z, (after.angular_momentum->z - before.angular_momentum->z) / (2 * h) - weights, 1e-4)
        << contact;
  }
}

}  // namespace
}  // namespace kane

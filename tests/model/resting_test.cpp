// Equilibria on contacts, stops and friction, against statics by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "kane/analysis/equilibria.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

constexpr double kHalfTurn = std::numbers::pi;

const ContactForce& contact(const Equilibrium& at, const std::string& name) {
  for (const ContactForce& c : at.contacts)
    if (c.name == name) return c;
  throw std::runtime_error("no contact " + name);
}

EquilibriaReport find(const std::string& text, const EquilibriaOptions& options = {}) {
  return find_equilibria(read_model_text(text, "rest.yaml"), {}, options);
}

TEST(Resting, ABallFallsOntoItsTable) {
  const EquilibriaReport report = find(R"yaml(
kane: 1
gravity: -10*N.y
bodies: {ball: {mass: 2}}
joints: {fall: {type: prismatic, parent: N, child: ball, axis: y, coordinate: y}}
contacts: {table: {sphere: ball, radius: 0.1, plane: N.y, restitution: 0.8}}
initial: {y: 1.7}
)yaml");
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_NEAR(report.found[0].state.q[0], 0.1, 1e-9);
  EXPECT_NEAR(contact(report.found[0], "table").normal, 20, 1e-9);
  EXPECT_FALSE(report.found[0].indeterminate);
}

constexpr const char* kBlock = R"yaml(
kane: 1
parameters: {{phi: {} deg}}
gravity: -10*cos(phi)*N.y + 10*sin(phi)*N.x
bodies: {{B: {{mass: 3, inertia: [0, 0, 0.1]}}}}
joints: {{move: {{type: planar, parent: N, child: B, coordinates: [x, y, q]}}}}
contacts: {{floor: {{point: B, plane: N.y, friction: 0.5}}}}
constraints: {{upright: {{configuration: q}}}}
)yaml";

TEST(Resting, ABlockRestsOnASlopeWithinItsConeOnly) {
  const double phi = 20 * kHalfTurn / 180;
  const EquilibriaReport holds = find(fmt::format(kBlock, 20));
  ASSERT_TRUE(holds.ok()) << holds.message;
  const Equilibrium& at = holds.found[0];
  EXPECT_NEAR(contact(at, "floor").normal, 30 * std::cos(phi), 1e-9);
  EXPECT_NEAR(contact(at, "floor.friction").friction[0], -30 * std::sin(phi), 1e-9);
  EXPECT_NE(at.stability().find("friction holds it"), std::string::npos);
  const EquilibriaReport slips = find(fmt::format(kBlock, 30));
  EXPECT_FALSE(slips.ok());
  EXPECT_NE(slips.message.find("does it come to rest"), std::string::npos) << slips.message;
}

TEST(Resting, ALadderLeansOnTwoWalls) {
  // Friction at both ends: four forces, three equations.
  const EquilibriaReport report = find(R"yaml(
kane: 1
parameters: {l: 2 m, a: 70 deg}
gravity: -10*N.y
bodies: {ladder: {mass: 6, inertia: [0, 0, 2], points: {foot: [-l/2, 0, 0], top: [l/2, 0, 0]}}}
joints: {move: {type: planar, parent: N, child: ladder, coordinates: [x, y, q]}}
contacts:
  floor: {point: ladder.foot, plane: N.y, friction: 0.4}
  wall: {point: ladder.top, plane: -N.x, friction: 0.3}
initial: {x: -l/2*cos(a), y: l/2*sin(a), q: a}
)yaml");
  ASSERT_TRUE(report.ok()) << report.message;
  const Equilibrium& at = report.found[0];
  EXPECT_TRUE(at.indeterminate);
  const double floor = contact(at, "floor").normal, wall = contact(at, "wall").normal;
  const double a = 70 * kHalfTurn / 180;
  // Whatever the friction: forces balance along x and y, moments about the foot.
  const double along = contact(at, "floor.friction").friction[0], up = contact(at, "wall.friction").friction[0];
  EXPECT_NEAR(std::abs(along), wall, 1e-9);
  EXPECT_NEAR(floor + std::abs(up), 60, 1e-9);
  EXPECT_NEAR(wall * 2 * std::sin(a) + std::abs(up) * 2 * std::cos(a), 60 * std::cos(a), 1e-9);
  EXPECT_LE(std::abs(along), 0.4 * floor + 1e-9);
  EXPECT_LE(std::abs(up), 0.3 * wall + 1e-9);
}

TEST(Resting, TheForcesOfALadderLieBetweenBounds) {
  // Weight G, slope a, friction m at the floor and n at the wall. Balance gives up = G/2 - wall tan(a) for the friction at the
  // wall and floor = G/2 + wall tan(a); |up| <= n wall and wall <= m floor bound the force of the wall.
  const auto check = [](double degrees, double m, double n) {
    SCOPED_TRACE(fmt::format("{} deg, {}, {}", degrees, m, n));
    const EquilibriaReport report = find(fmt::format(R"yaml(
kane: 1
parameters: {{l: 2 m, a: {} deg}}
gravity: -10*N.y
bodies: {{ladder: {{mass: 6, inertia: [0, 0, 2], points: {{foot: [-l/2, 0, 0], top: [l/2, 0, 0]}}}}}}
joints: {{move: {{type: planar, parent: N, child: ladder, coordinates: [x, y, q]}}}}
contacts:
  floor: {{point: ladder.foot, plane: N.y, friction: {}}}
  wall: {{point: ladder.top, plane: -N.x, friction: {}}}
initial: {{x: -l/2*cos(a), y: l/2*sin(a), q: a}}
)yaml",
                                                     degrees, m, n));
    ASSERT_TRUE(report.ok()) << report.message;
    const double half = 30, slope = std::tan(degrees * kHalfTurn / 180);
    const double least = half / (slope + n);
    double most = slope > n ? half / (slope - n) : std::numeric_limits<double>::infinity();
    if (m * slope < 1) most = std::min(most, m * half / (1 - m * slope));
    const std::vector<ForceRange>& ranges = report.found[0].ranges;
    ASSERT_EQ(ranges.size(), 4U);
    const auto range = [&](const std::string& name) {
      for (const ForceRange& r : ranges)
        if (r.name == name) return r;
      throw std::runtime_error("no range " + name);
    };
    EXPECT_FALSE(range("wall").polygon);
    EXPECT_NEAR(range("wall").least, least, 1e-8);
    EXPECT_NEAR(range("floor").least, half + least * slope, 1e-8);
    const ForceRange up = range("wall.friction"), along = range("floor.friction");
    if (std::isinf(most)) {
      EXPECT_TRUE(std::isinf(range("wall").most) && std::isinf(range("floor").most));
      return;
    }
    EXPECT_NEAR(range("wall").most, most, 1e-8);
    EXPECT_NEAR(range("floor").most, half + most * slope, 1e-8);
    EXPECT_NEAR(std::max(std::abs(along.least), std::abs(along.most)), most, 1e-8);
    EXPECT_NEAR(up.most - up.least, (most - least) * slope, 1e-8);
  };
  check(70, 0.4, 0.3);  // the wall limits it
  check(60, 0.4, 0.3);  // the floor does
  check(40, 0.8, 0.9);  // nothing does: it can be wedged
}

TEST(Resting, ABlockBetweenWallsCanBeWedgedAsHardAsOneLikes) {
  const EquilibriaReport report = find(R"yaml(
kane: 1
gravity: -10*N.y
bodies: {block: {mass: 2, inertia: [0, 0, 1], points: {left: [-0.5, 0, 0], right: [0.5, 0, 0]}}}
joints: {move: {type: planar, parent: N, child: block, coordinates: [x, y, q]}}
constraints: {upright: {configuration: q}}
contacts:
  west: {point: block.left, plane: N.x, height: -0.5, friction: 0.25}
  east: {point: block.right, plane: -N.x, height: -0.5, friction: 0.25}
  floor: {point: block, plane: N.y}
)yaml");
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_TRUE(report.found[0].indeterminate);
  int seen = 0;
  for (const ForceRange& r : report.found[0].ranges) {
    if (r.is_friction) continue;
    EXPECT_EQ(r.least, 0) << r.name;  // of the floor too: friction at the walls can hold the block alone
    EXPECT_TRUE(std::isinf(r.most)) << r.name;
    ++seen;
  }
  EXPECT_EQ(seen, 3);
}

TEST(Resting, AStoolOnFourLegsHasBounds) {
  // The load sits at (x, y) of a square of side 2: with forces of the corners p >= 0, each p_k is an affine function of one
  // unknown. Without friction the program is exact in space, too.
  const double x = 0.3, y = 0.1, weight = 20;
  const EquilibriaReport report = find(fmt::format(R"yaml(
kane: 1
gravity: -10*N.z
bodies: {{stool: {{mass: 2, com: [{}, {}, 0], inertia: [1, 1, 1], points: {{a: [1, 1, 0], b: [-1, 1, 0], c: [-1, -1, 0], d: [1, -1, 0]}}}}}}
joints: {{move: {{type: bushing, parent: N, child: stool, coordinates: [x, y, z, q1, q2, q3]}}}}
contacts:
  a: {{point: stool.a, plane: N.z}}
  b: {{point: stool.b, plane: N.z}}
  c: {{point: stool.c, plane: N.z}}
  d: {{point: stool.d, plane: N.z}}
)yaml",
                                                   x, y));
  ASSERT_TRUE(report.ok()) << report.message;
  // a + d = W (1 + x)/2, b + c = W (1 - x)/2, a + b = W (1 + y)/2.
  const double right = weight * (1 + x) / 2, left = weight * (1 - x) / 2, back = weight * (1 + y) / 2;
  const double least = std::max(0.0, back - left), most = std::min(right, back);
  ASSERT_EQ(report.found[0].ranges.size(), 4U);
  const ForceRange& a = report.found[0].ranges[0];
  EXPECT_EQ(a.name, "a");
  EXPECT_NEAR(a.least, least, 1e-8);
  EXPECT_NEAR(a.most, most, 1e-8);
}

TEST(Resting, APendulumHangsOrLeansOnItsStop) {
  const auto pendulum = [](const std::string& limits) {
    return fmt::format(R"yaml(
kane: 1
gravity: -10*N.y
bodies: {{rod: {{mass: 2, com: [0, -0.5, 0], inertia: [0, 0, 0.1]}}}}
joints: {{hinge: {{type: revolute, parent: N, child: rod, axis: z, coordinate: q, limits: {}}}}}
initial: {{q: 1}}
)yaml",
                       limits);
  };
  const EquilibriaReport hangs = find(pendulum("[-0.5, 1.5]"));
  ASSERT_TRUE(hangs.ok());
  EXPECT_NEAR(hangs.found[0].state.q[0], 0, 1e-9);
  EXPECT_TRUE(hangs.found[0].modes.has_value());
  const EquilibriaReport leans = find(pendulum("[0.4, 1.5]"));
  ASSERT_TRUE(leans.ok()) << leans.message;
  EXPECT_NEAR(leans.found[0].state.q[0], 0.4, 1e-9);
  EXPECT_NEAR(contact(leans.found[0], "hinge.lower").normal, 2 * 10 * 0.5 * std::sin(0.4), 1e-9);
}

TEST(Resting, TwoHingedRodsOnATableWithoutFriction) {
  // A rod hinged at a height lies with its end on the floor; the second hangs from it and does not touch: the contact stays
  // closed while the second finds its place, which the smooth equations with the contact closed give to the last digit.
  const EquilibriaReport report = find(R"yaml(
kane: 1
gravity: -10*N.y
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: [0, 0, 0.1], points: {tip: [1, 0, 0]}}
  b: {mass: 1, com: [0, -0.1, 0], inertia: [0, 0, 0.01]}
joints:
  j1: {type: revolute, parent: N, child: a, axis: z, coordinate: q1, at: [0, 0.5, 0]}
  j2: {type: revolute, parent: a, child: b, axis: z, coordinate: q2, at: [0.3, 0, 0]}
contacts: {floor: {point: a.tip, plane: N.y}}
initial: {q1: 0.3, q2: 0.4}
)yaml");
  ASSERT_TRUE(report.ok()) << report.message;
  const Equilibrium& at = report.found[0];
  EXPECT_NEAR(at.state.q[0], -kHalfTurn / 6, 1e-9);
  EXPECT_NEAR(at.state.q[1], kHalfTurn / 6, 1e-9);
  EXPECT_NEAR(contact(at, "floor").normal, 10 * 0.5 + 10 * 0.3, 1e-8);
  EXPECT_TRUE(at.modes.has_value());  // of the second rod
}

TEST(Resting, ShapesRestOnEachOther) {
  const EquilibriaReport report = find(R"yaml(
kane: 1
gravity: -10*N.z
bodies: {box: {mass: 2, shape: {box: [0.2, 0.2, 0.1]}}}
joints: {fly: {type: free, parent: N, child: box, coordinates: [x, y, z, e1, e2, e3, e4]}}
contacts: {floor: {between: [box, N], plane: N.z, friction: 0.5}}
initial: {z: 0.2, e1: 0.1, e4: 0.99498743710662}
)yaml");
  ASSERT_TRUE(report.ok()) << report.message;
  EXPECT_NEAR(report.found[0].state.q[2], 0.05, 1e-6);
  double sum = 0;
  for (const ContactForce& c : report.found[0].contacts) sum += c.is_friction ? 0 : c.normal;
  EXPECT_NEAR(sum, 20, 1e-6);
  EXPECT_TRUE(report.found[0].indeterminate);
}

TEST(Resting, AFamilyIsReportedOnce) {
  // A Furuta pendulum: the arm rests anywhere, the pendulum hangs or stands.
  const char* const furuta = R"yaml(
kane: 1
gravity: -9.81*N.z
bodies:
  arm: {mass: 0.3, com: [0.1, 0, 0], inertia: [0, 0, 0.002]}
  rod: {mass: 0.1, com: [0, 0, -0.15], inertia: [0.001, 0.001, 0]}
joints:
  turn: {type: revolute, parent: N, child: arm, axis: z, coordinate: a, damping: 0.01}
  swing: {type: revolute, parent: arm, child: rod, axis: x, coordinate: b, at: [0.2, 0, 0]}
initial: {b: 0.5}
)yaml";
  const EquilibriaReport report = find(furuta, {.search = {.all = true}});
  ASSERT_EQ(report.found.size(), 2U);
  for (const Equilibrium& at : report.found) EXPECT_EQ(at.family, 1);
  EXPECT_NEAR(std::cos(report.found[0].state.q[1]), 1, 1e-12);
  EXPECT_NEAR(std::cos(report.found[1].state.q[1]), -1, 1e-12);
}

TEST(Resting, AnArchOfDryStonesStands) {
  // More places touch than events are followed for; the feet carry the weight of all stones.
  const EquilibriaReport report = find_equilibria(read_model(std::string(KANE_SOURCE_DIR) + "/models/stone_arch.yaml"));
  ASSERT_TRUE(report.ok()) << report.message;
  const Equilibrium& at = report.found[0];
  for (std::size_t i = 0; i < 7; ++i)
    EXPECT_NEAR(at.state.q[3 * i + 2], (2.0 * static_cast<double>(i) + 1) * kHalfTurn / 14, 1e-9);
  double lift = 0;
  for (const ContactForce& c : at.contacts)
    if (c.name.find(".feet") != std::string::npos && c.name.find("friction") == std::string::npos) lift += c.normal;
  const double weight = 7 * 40 * 9.81;
  EXPECT_NEAR(lift, weight, 1e-8 * weight);  // a state counts as rest up to 1e-9
}

TEST(Resting, EveryModelRestsOrSaysWhyNot) {
  for (const char* const id : {"billiard_ball", "block_on_plane", "bouncing_ball", "box_drop", "car_axis",
                               "friction_oscillator", "tippe_top", "rattleback", "tumbling_stone", "cartpole"}) {
    const EquilibriaReport report =
        find_equilibria(read_model(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"));
    EXPECT_TRUE(report.ok()) << id << ": " << report.message;
  }
}

}  // namespace
}  // namespace kane

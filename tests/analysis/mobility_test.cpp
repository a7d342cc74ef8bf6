// Degrees of freedom of linkages whose mobility is known: overconstrained ones that move, ordinary ones, and singular starts.

#include "kane/analysis/mobility.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/formats/model_reader.hpp"
#include "kane/model/simulation.hpp"

namespace kane::test {
namespace {

MobilityReport mobility_of(const std::string& text, const StartState& state = {}) {
  return find_mobility(read_model_text(text, "m.yaml"), state);
}
Model model_named(const std::string& id) {
  return read_model(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml");
}

TEST(Mobility, OfModels) {
  struct Row {
    const char* model;
    std::size_t freedom, redundant;
  };
  for (const Row& row : {Row{"fourbar", 1, 0}, Row{"slider_crank", 1, 0}, Row{"andrews", 1, 0}, Row{"bricard", 1, 1},
                         Row{"bennett", 1, 3}, Row{"parallel_cranks", 1, 1}, Row{"double_pendulum", 2, 0}}) {
    const MobilityReport m = find_mobility(model_named(row.model));
    EXPECT_EQ(m.failure, "") << row.model;
    EXPECT_EQ(m.degrees_of_freedom, row.freedom) << row.model;
    EXPECT_EQ(m.at_start, row.freedom) << row.model;
    EXPECT_EQ(m.redundant.size(), row.redundant) << row.model;
  }
}

/// tan(q1/2) tan(q2/2) is constant along the motion (Bennett 1903), and the energy too.
TEST(Mobility, BennettsLinkageMoves) {
  Simulation run(model_named("bennett"));
  const double ratio = std::sin(45 * std::numbers::pi / 180) / std::sin(15 * std::numbers::pi / 180);
  const RunReport report = run.run({.until = 3}, [&](const State& s) {
    EXPECT_NEAR(std::tan(s.q[0] / 2) * std::tan(s.q[1] / 2), ratio, 1e-9 * (1 + std::abs(std::tan(s.q[1] / 2))));
    EXPECT_NEAR(s.q[0] + s.q[2], 0, 1e-9);
    return true;
  });
  EXPECT_EQ(report.status, RunStatus::Done);
  EXPECT_EQ(run.start().state.q[0], run.model().start().state.q[0]);
}

/// Other dimensions: the same ring is rigid, and says so.
TEST(Mobility, OfASkewRingThatIsNotBennetts) {
  const MobilityReport m =
      find_mobility(read_model(std::string(KANE_SOURCE_DIR) + "/models/bennett.yaml", {.set = {"b=0.7 m"}}));
  EXPECT_FALSE(m.failure.empty() && m.degrees_of_freedom != 0) << m.degrees_of_freedom;
}

/// Two pairs of plates hinged about x and about y carry a platform: it moves straight up and down (Sarrus 1853).
const std::string kSarrus = R"yaml(
kane: 1
name: sarrus
parameters: {l: 1 m, m: 1 kg}
bodies:
  A1: {mass: m, inertia: [0.1, 0.1, 0.1]}
  A2: {mass: m, inertia: [0.1, 0.1, 0.1]}
  P: {mass: m, inertia: [0.1, 0.1, 0.1]}
  B1: {mass: m, inertia: [0.1, 0.1, 0.1]}
  B2: {mass: m, inertia: [0.1, 0.1, 0.1]}
joints:
  a1: {type: revolute, parent: N, at: [0, l, 0], child: A1, axis: x, coordinate: q1}
  a2: {type: revolute, parent: A1, at: [0, 0, l], child: A2, axis: x, coordinate: q2}
  a3: {type: revolute, parent: A2, at: [0, 0, l], child: P, child_at: [0, l, 0], axis: x, coordinate: q3}
  b1: {type: revolute, parent: N, at: [l, 0, 0], child: B1, axis: y, coordinate: q4}
  b2: {type: revolute, parent: B1, at: [0, 0, l], child: B2, axis: y, coordinate: q5}
  b3: {type: revolute, parent: P, at: [l, 0, 0], child: B2, child_at: [0, 0, l], axis: y, close: true}
outputs: {x: "dot(position(P), N.x)", y: "dot(position(P), N.y)", z: "dot(position(P), N.z)"}
initial: {q1: -30 deg, q3: -30 deg, u1: 0.3}
guess: {q2: 60 deg, q4: 30 deg, q5: -60 deg, u2: -0.6}
)yaml";

TEST(Mobility, OfSarrusLinkage) {
  const MobilityReport m = mobility_of(kSarrus);
  EXPECT_EQ(m.failure, "");
  EXPECT_EQ(m.speeds, 5U);
  EXPECT_EQ(m.degrees_of_freedom, 1U);
  EXPECT_TRUE(m.redundant.empty());  // the condition that holds by itself has been left out
  Simulation run(read_model_text(kSarrus, "s.yaml"));
  const double x = run.value("x"), y = run.value("y"), z = run.value("z");
  (void)run.advance(1);
  EXPECT_NEAR(run.value("x"), x, 1e-8);
  EXPECT_NEAR(run.value("y"), y, 1e-8);
  EXPECT_GT(std::abs(run.value("z") - z), 0.01);
}

/// A platform on three legs, each a hinge, a slider and a hinge, in a plane.
TEST(Mobility, OfAPlanarPlatformOnThreeLegs) {
  std::string text = R"yaml(
kane: 1
name: platform
bodies:
  P: {mass: 1 kg, inertia: [1, 1, 1]}
joints:
  P: {type: planar, parent: N, child: P, coordinates: [x, y, theta]}
constraints: {}
initial: {x: 0.1, y: 0.2, theta: 0.3}
guess: {}
)yaml";
  std::string bodies, joints, guess;
  for (int i = 1; i <= 3; ++i) {
    const double angle = 2 * std::numbers::pi * i / 3;
    bodies +=
        fmt::format("  U{}: {{mass: 1 kg, inertia: [1, 1, 1]}}\n  V{}: {{mass: 1 kg, inertia: [1, 1, 1]}}\n", i, i);
    joints += fmt::format(
        "  h{0}: {{type: revolute, parent: N, at: [{1}, {2}, 0], child: U{0}, axis: z, coordinate: a{0}}}\n"
        "  s{0}: {{type: prismatic, parent: U{0}, child: V{0}, axis: x, coordinate: s{0}}}\n"
        "  c{0}: {{type: revolute, parent: P, at: [{3}, {4}, 0], child: V{0}, axis: z, close: true}}\n",
        i, 2 * std::cos(angle), 2 * std::sin(angle), 0.5 * std::cos(angle), 0.5 * std::sin(angle));
    guess += fmt::format("{}a{}: {}, s{}: 1.5", i == 1 ? "" : ", ", i, angle + std::numbers::pi, i);
  }
  const auto put = [&](const std::string& after, const std::string& what) {
    text.insert(text.find(after) + after.size(), what);
  };
  put("bodies:\n", bodies), put("guess: {", guess);
  text.insert(text.find("constraints: {}"), joints);
  text.erase(text.find("constraints: {}\n"), 16);
  const MobilityReport m = mobility_of(text);
  EXPECT_EQ(m.failure, "");
  EXPECT_EQ(m.degrees_of_freedom, 3U);
  EXPECT_EQ(m.speeds, 9U);
}

std::string parallelogram(double angle) {
  return fmt::format(R"yaml(
kane: 1
name: parallelogram
bodies:
  A: {{mass: 1 kg, inertia: [0, 0, 0.1]}}
  B: {{mass: 1 kg, inertia: [0, 0, 0.1], points: {{end: [2, 0, 0]}}}}
  C: {{mass: 1 kg, inertia: [0, 0, 0.1], points: {{end: [1, 0, 0]}}}}
joints:
  a: {{type: revolute, parent: N, child: A, axis: z, coordinate: q1}}
  b: {{type: revolute, parent: A, at: [1, 0, 0], child: B, rotation_from: N, axis: z, coordinate: q2}}
  c: {{type: revolute, parent: N, at: [2, 0, 0], child: C, axis: z, coordinate: q3}}
constraints: {{loop: {{point: B.end, reference: C.end, directions: [N.x, N.y]}}}}
initial: {{q1: {0}, q2: 0, q3: {0}}}
)yaml",
                     angle);
}

/// In line the rows depend on each other; one step away they do not.
TEST(Mobility, ChangePointsAreNotDegreesOfFreedom) {
  for (const double angle : {0.0, std::numbers::pi, 0.7, 1e-3}) {
    const MobilityReport m = mobility_of(parallelogram(angle));
    EXPECT_EQ(m.degrees_of_freedom, 1U) << angle;
    EXPECT_EQ(m.at_start, std::sin(angle) < 1e-9 ? 2U : 1U) << angle;
    EXPECT_TRUE(m.redundant.empty()) << angle;
  }
}

/// Two bars pinned to the ground with all three pins in line: it gives way a little, and goes nowhere.
TEST(Mobility, AShakyStructureDoesNotMove) {
  const MobilityReport m = mobility_of(R"yaml(
kane: 1
name: shaky
bodies:
  A: {mass: 1 kg, inertia: [0, 0, 0.1]}
  B: {mass: 1 kg, inertia: [0, 0, 0.1], points: {end: [1, 0, 0]}}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  b: {type: revolute, parent: A, at: [1, 0, 0], child: B, axis: z, coordinate: q2}
points: {wall: {on: N, at: [2, 0, 0]}}
constraints: {pin: {point: B.end, reference: wall, directions: [N.x, N.y]}}
)yaml");
  EXPECT_EQ(m.at_start, 1U);
  EXPECT_EQ(m.degrees_of_freedom, 0U);
  EXPECT_TRUE(m.singular());
}

/// Free joints and rolling: speeds minus rows, quaternions included.
TEST(Mobility, OfMotionConstraints) {
  const MobilityReport disk = find_mobility(model_named("rolling_disk_3d"));
  EXPECT_EQ(disk.degrees_of_freedom, 3U);
  EXPECT_TRUE(disk.redundant.empty());
}

}  // namespace
}  // namespace kane::test

// Constraints as they are written in model files, against motions that can be worked out by hand.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

/// Two rotors about z (inertias 2 and 3 kg m^2) and a slider along x (4 kg), driven by T1, T2 and F.
json evaluate(const std::string& constraint, const std::string& initial = "{}") {
  const std::string model = R"(kane: 1
name: train
inputs: {T1: 5 N*m, T2: -1 N*m, F: 7 N}
bodies:
  R1: {mass: 1 kg, inertia: [1, 1, 2]}
  R2: {mass: 1 kg, inertia: [2, 2, 3]}
  S: {mass: 4 kg}
joints:
  j1: {type: revolute, parent: N, child: R1, coordinate: q1, actuator: T1}
  j2: {type: revolute, parent: N, at: [1, 0, 0], child: R2, coordinate: q2, actuator: T2}
  js: {type: prismatic, parent: N, child: S, axis: x, coordinate: s, actuator: F}
constraints:
  c: )" + constraint +
                            "\ninitial: " + initial + "\n";
  const auto result = run_kane({"evaluate", "-", "--json"}, model);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

double udot(const json& a, std::size_t i) { return a["udot"][i].get<double>(); }

/// x2 = ratio x1 between two of the coordinates.
void expect_ratio(const json& a, std::size_t i, std::size_t j, double ratio) {
  const double inertia[] = {2, 3, 4}, force[] = {5, -1, 7};
  const double first = (force[i] + ratio * force[j]) / (inertia[i] + ratio * ratio * inertia[j]);
  EXPECT_NEAR(udot(a, i), first, 1e-13);
  EXPECT_NEAR(udot(a, j), ratio * first, 1e-13);
  // Force that the constraint adds to the second coordinate.
  const double added = inertia[j] * ratio * first - force[j];
  double lambda = a["constraint_multipliers"][0].get<double>() * a["constraint_jacobian"][0][j].get<double>();
  EXPECT_NEAR(lambda, added, 1e-12);
}

TEST(ConstraintKinds, Gears) {
  expect_ratio(evaluate("{gear: [q1, q2], ratio: -1/3}"), 0, 1, -1.0 / 3);
  expect_ratio(evaluate("{gear: [q1, q2], teeth: [20, 60]}"), 0, 1, -1.0 / 3);
  expect_ratio(evaluate("{gear: [q1, q2], teeth: [20, 60], internal: true}"), 0, 1, 1.0 / 3);
}

TEST(ConstraintKinds, ScrewsRacksAndBelts) {
  expect_ratio(evaluate("{screw: [q1, s], pitch: 5 mm/rev}"), 0, 2, 0.005 / (2 * std::numbers::pi));
  expect_ratio(evaluate("{rack: [q1, s], radius: 0.2 m}"), 0, 2, 0.2);
  expect_ratio(evaluate("{belt: [q1, q2], radii: [0.1, 0.25]}"), 0, 1, 0.4);
  expect_ratio(evaluate("{belt: [q1, q2], radii: [0.1, 0.25], crossed: true}"), 0, 1, -0.4);
}

TEST(ConstraintKinds, Couplings) {
  expect_ratio(evaluate("{couple: q2, value: 2*q1}"), 0, 1, 2);
  // A cam: s = h (1 - cos q1), s'' = h sin q1 q1'' + h cos q1 q1'^2.
  const double h = 0.3, q = 0.7, u = 1.5, slope = h * std::sin(q), curve = h * std::cos(q) * u * u;
  const json a = evaluate(
      "{cam: s, profile: 0.3*(1 - cos(q1))}",
      "{q1: 0.7, u1: 1.5, s: " + std::to_string(h * (1 - std::cos(q))) + ", u_s: " + std::to_string(slope * u) + "}");
  const double expected = (5 + slope * (7 - 4 * curve)) / (2 + 4 * slope * slope);
  EXPECT_NEAR(udot(a, 0), expected, 1e-12);
  EXPECT_NEAR(udot(a, 2), slope * expected + curve, 1e-12);
}

TEST(ConstraintKinds, PrescribedMotion) {
  const json a = evaluate("{prescribe: q1, value: 0.5 + 0.2*sin(3*t)}", "{q1: 0.5, u1: 0.6}");
  EXPECT_NEAR(udot(a, 0), 0, 1e-14);  // sin(0)
  EXPECT_NEAR(a["constraint_multipliers"][0].get<double>(), -5, 1e-12);
  EXPECT_NEAR(udot(a, 1), -1.0 / 3, 1e-14);
}

/// Two particles of 2 and 3 kg in the plane x, y; gravity along -y.
json particles(const std::string& constraint, const std::string& initial) {
  const std::string model = R"(kane: 1
name: particles
gravity: -9.81*N.y
bodies: {A: {mass: 2 kg}, B: {mass: 3 kg}}
points: {O: {on: N, at: [0, 0, 0]}}
joints:
  ja: {parent: N, child: A, translation: {sequence: 123, free: [1, 2], coordinates: [xa, ya]}, rotation: {sequence: 123}}
  jb: {parent: N, child: B, translation: {sequence: 123, free: [1, 2], coordinates: [xb, yb]}, rotation: {sequence: 123}}
constraints:
)" + constraint +
                            "initial: " + initial + "\n";
  const auto result = run_kane({"evaluate", "-", "--json"}, model);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out, nullptr, false);
}

TEST(ConstraintKinds, RodsAndRopes) {
  // A pendulum of length 2 at 30 degrees: swings with -g/l sin, the rod pulls with m g cos + m l w^2.
  const double angle = std::numbers::pi / 6, w = 1.2;
  const double s = std::sin(angle), c = std::cos(angle);
  const json a = particles(
      "  rod: {rod: [A, O], length: 2}\n",
      fmt::format("{{xa: {:.17g}, ya: {:.17g}, u_xa: {:.17g}, u_ya: {:.17g}}}", 2 * s, -2 * c, 2 * w * c, 2 * w * s));
  const double swing = -9.81 / 2 * s;
  EXPECT_NEAR(udot(a, 0), 2 * (swing * c - w * w * s), 1e-12);
  EXPECT_NEAR(udot(a, 1), 2 * (swing * s + w * w * c), 1e-12);
  EXPECT_NEAR(a["constraint_multipliers"][0].get<double>(), -(2 * 9.81 * c + 2 * 2 * w * w), 1e-12);
  // Atwood's machine: a rope over O, both ends hanging straight down.
  const json atwood = particles("  rope: {rope: [A, O, B], length: 3}\n", "{ya: -1, yb: -2}");
  EXPECT_NEAR(udot(atwood, 1), 9.81 * (3.0 - 2.0) / 5, 1e-12);
  EXPECT_NEAR(udot(atwood, 3), -9.81 * (3.0 - 2.0) / 5, 1e-12);
}

TEST(ConstraintKinds, SlotsAndPlanes) {
  // A bead on an inclined wire: g sin along it.
  const json wire = particles("  slot: {point: A, path: 3*N.x + 4*N.y}\n", "{}");
  EXPECT_NEAR(udot(wire, 0), -9.81 * 0.8 * 0.6, 1e-12);
  EXPECT_NEAR(udot(wire, 1), -9.81 * 0.8 * 0.8, 1e-12);
  const json floor = particles("  floor: {point: A, plane: N.y}\n", "{}");
  EXPECT_NEAR(udot(floor, 1), 0, 1e-14);
  EXPECT_NEAR(floor["constraint_multipliers"][0].get<double>(), 2 * 9.81, 1e-12);
  // Joined, the two fall as one; held level, they share.
  const json joined = particles("  same: {point: A, reference: B, directions: [N.x, N.y]}\n", "{u_xa: 1, u_xb: 1}");
  EXPECT_NEAR(udot(joined, 1), -9.81, 1e-12);
}

TEST(ConstraintKinds, RollingDownAnIncline) {
  const auto result = run_kane({"evaluate", "-", "--json"}, R"(kane: 1
name: roller
gravity: 9.81*sin(0.3)*N.x - 9.81*cos(0.3)*N.y
bodies: {W: {mass: 2 kg, inertia: [0.3, 0.3, 0.5]}}
joints:
  j: {type: planar, parent: N, child: W, coordinates: [x, y, th]}
constraints:
  roll: {rolling: W, on: N, contact: -0.4*N.y, directions: [N.x, N.y]}
initial: {y: 0.4, u_x: 0.8, u_th: -2}
)");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json a = json::parse(result.out);
  const double expected = 9.81 * std::sin(0.3) / (1 + 0.5 / (2 * 0.16));
  EXPECT_NEAR(udot(a, 0), expected, 1e-12);
  EXPECT_NEAR(udot(a, 2), -expected / 0.4, 1e-12);
}

}  // namespace
}  // namespace kane::test

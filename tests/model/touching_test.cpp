// Constraints that keep bodies in touch, on joints with Euler parameters against the same motion with angles.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/formats/model_reader.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

/// A disk that touches the ground, leaning by 0.3 rad, spinning, on one kind of joint or another.
Model disk(const std::string& joints, const std::string& initial, const std::string& constraints) {
  return read_model_text(fmt::format(R"yaml(
kane: 1
parameters: {{m: 1.3 kg, r: 0.2 m, g: 9.81 m/s^2}}
gravity: -g*N.z
bodies: {{disk: {{mass: m, inertia: [0.01, 0.02, 0.01]}}}}
joints: {{{}}}
constraints: {{{}}}
outputs: {{h: "dot(position(disk), N.z)", px: "dot(position(disk), N.x)", E: energy}}
initial: {{{}}}
)yaml",
                                     joints, constraints, initial),
                         "disk.yaml");
}

const char* const kTouching =
    "ground: {touching: disk, on: N, contact: \"-r*unit(N.z - dot(N.z, disk.y)*disk.y)\", normal: N.z}";
const char* const kRolling =
    "ground: {touching: disk, on: N, contact: \"-r*unit(N.z - dot(N.z, disk.y)*disk.y)\", normal: N.z}, roll: "
    "{rolling: disk, on: N, contact: \"-r*unit(N.z - dot(N.z, disk.y)*disk.y)\", directions: [N.x, N.y]}";

TEST(Touching, ADiskOnAFreeJointMovesAsWithAngles) {
  // Body-fixed angles x, then y (the spin): w = 0.4 about x at the start, 9 about y.
  for (const char* const constraints : {kTouching, kRolling}) {
    const double lean = 0.3;
    Simulation free(disk("j: {type: free, parent: N, child: disk, coordinates: [x, y, z, e1, e2, e3, e4], speeds: [vx, "
                         "vy, vz, w1, w2, w3]}",
                         fmt::format("z: {:.17g}, e1: {:.17g}, e4: {:.17g}, w1: 0.4, w2: 9, w3: 0",
                                     0.2 * std::cos(lean), std::sin(lean / 2), std::cos(lean / 2)),
                         constraints),
                    {}, {.tolerance = 1e-11});
    Simulation angles(
        disk("j: {type: general, parent: N, child: disk, motions: [{translate: x, coordinate: x}, "
             "{translate: y, coordinate: y}, {translate: z, coordinate: z}, {rotate: z, coordinate: a}, "
             "{rotate: x, coordinate: b}, {rotate: y, coordinate: c}]}",
             fmt::format("z: {:.17g}, b: {}, u_a: 0, u_b: 0.4, u_c: 9", 0.2 * std::cos(lean), lean), constraints),
        {}, {.tolerance = 1e-11});
    (void)free.run({.until = 0.6});
    (void)angles.run({.until = 0.6});
    EXPECT_NEAR(free.value("h"), angles.value("h"), 1e-8);
    EXPECT_NEAR(free.value("px"), angles.value("px"), 1e-8);
    EXPECT_NEAR(free.value("E"), angles.value("E"), 1e-8);
  }
}

TEST(Touching, AnArmOnABallJointStaysOnItsPlane) {
  // The tip ring of an arm on a ball joint slides on a table below.
  const Model model = read_model_text(R"yaml(
kane: 1
gravity: -9.81*N.z
bodies: {arm: {mass: 1, com: [0.5, 0, 0], inertia: [0.01, 0.1, 0.1]}}
joints: {ball: {type: spherical, parent: N, child: arm, coordinates: [e1, e2, e3, e4], at: [0, 0, 0.4]}}
constraints: {table: {touching: arm, on: N, contact: "arm.x - 0.1*unit(N.z - dot(N.z, arm.x)*arm.x)", normal: N.z}}
outputs: {gap: "dot(position(arm) + arm.x - 0.1*unit(N.z - dot(N.z, arm.x)*arm.x), N.z)", E: energy}
initial: {e2: 0.16, e4: 0.987, w_ball_z: 1.5}
)yaml",
                                      "arm.yaml");
  Simulation run(model, {}, {.tolerance = 1e-10});
  const double energy = run.value("E");
  (void)run.run({.until = 1});
  EXPECT_NEAR(run.value("gap"), 0, 1e-9);
  EXPECT_NEAR(run.value("E"), energy, 1e-7);
}

}  // namespace
}  // namespace kane

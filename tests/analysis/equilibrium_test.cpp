// Equilibria and steady motions against closed forms.

#include "kane/analysis/equilibrium.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/base/error.hpp"
#include "tests/analysis/systems.hpp"

namespace kane::test {
namespace {

constexpr double kPi = std::numbers::pi;

TEST(Equilibrium, PendulumHangsAndStands) {
  Subject s = parse_yaml(kPendulum);
  EquilibriumFinder finder(*s.evaluator, {.all = true});
  const auto report = finder.find(s.state);
  ASSERT_EQ(report.found.size(), 2U);
  const auto& down = report.found[0];
  EXPECT_NEAR(down.state.q[0], 0, 1e-12);
  ASSERT_TRUE(down.modes);
  EXPECT_NEAR(down.modes->modes.front().natural_frequency, std::sqrt(9.81 / 0.5), 1e-12);
  EXPECT_TRUE(down.conservative);
  EXPECT_NE(down.stability().find("minimum of the potential energy"), std::string::npos);
  EXPECT_EQ(down.family, 0);
  const auto& up = report.found[1];
  EXPECT_NEAR(std::abs(up.state.q[0]), kPi, 1e-12);
  EXPECT_EQ(up.modes->stability, Stability::Unstable);
  EXPECT_NEAR(up.modes->eigenvalues.back().real(), std::sqrt(9.81 / 0.5), 1e-12);
}

TEST(Equilibrium, DampingMakesItAsymptotic) {
  Subject s = parse_yaml(kPendulum);
  s.evaluator->set_parameters(s.system->calc_parameters({{"b", 0.4}}));
  EquilibriumFinder finder(*s.evaluator);
  const auto found = finder.find(s.state).found.at(0);
  EXPECT_EQ(found.modes->stability, Stability::Asymptotic);
  const double w = std::sqrt(9.81 / 0.5), zeta = 0.4 / (2 * 2 * 0.25 * w);
  EXPECT_NEAR(found.modes->modes.front().damping, zeta, 1e-12);
  EXPECT_FALSE(found.conservative);
}

TEST(Equilibrium, TorqueThatHoldsAnAngleIsFound) {
  Subject s = parse_yaml(kPendulum);
  s.state.q[0] = 0.7;
  EquilibriumFinder finder(*s.evaluator, {.held = {"q"}, .free_inputs = {"T"}});
  const auto found = finder.find(s.state).found.at(0);
  EXPECT_EQ(found.state.q[0], 0.7);
  EXPECT_NEAR(found.inputs[0], 2 * 9.81 * 0.5 * std::sin(0.7), 1e-11);
}

TEST(Equilibrium, SpringChainStretchesByTheWeightBelow) {
  Subject s = parse_yaml(R"(
kane: 1
name: chain
parameters: {m1: 1 kg, m2: 2 kg, m3: 4 kg, k1: 100 N/m, k2: 200 N/m, k3: 400 N/m, g: 9.81 m/s^2}
gravity: g*N.x
bodies: {A: {mass: m1}, B: {mass: m2}, C: {mass: m3}}
joints:
  a: {type: prismatic, parent: N, child: A, axis: x, coordinate: x1, stiffness: k1}
  b: {type: prismatic, parent: A, child: B, axis: x, coordinate: x2, stiffness: k2}
  c: {type: prismatic, parent: B, child: C, axis: x, coordinate: x3, stiffness: k3}
)");
  EquilibriumFinder finder(*s.evaluator);
  const auto found = finder.find(s.state).found.at(0);
  EXPECT_NEAR(found.state.q[0], 7 * 9.81 / 100, 1e-13);
  EXPECT_NEAR(found.state.q[1], 6 * 9.81 / 200, 1e-13);
  EXPECT_NEAR(found.state.q[2], 4 * 9.81 / 400, 1e-13);
  EXPECT_NE(found.stability().find("minimum"), std::string::npos);
}

TEST(Equilibrium, FreeFallHasNoneAndTheSentenceSaysWhy) {
  Subject s = parse_yaml(R"(
kane: 1
name: stone
parameters: {m: 3 kg, g: 9.81 m/s^2}
gravity: -g*N.y
bodies: {S: {mass: m}}
joints: {fall: {type: prismatic, parent: N, child: S, axis: y, coordinate: y}}
)");
  EquilibriumFinder finder(*s.evaluator, {.starts = 5});
  const auto report = finder.find(s.state);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.message.find("29.43"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("u_y"), std::string::npos) << report.message;
  EXPECT_NE(report.message.find("no unknown has any influence"), std::string::npos) << report.message;
}

TEST(Equilibrium, UnknownNamesAreSentences) {
  Subject s = parse_yaml(kPendulum);
  EXPECT_THROW(EquilibriumFinder(*s.evaluator, {.held = {"qq"}}), ModelError);
  EXPECT_THROW(EquilibriumFinder(*s.evaluator, {.free_inputs = {"TT"}}), ModelError);
}

// Steady turning of a thin disk (Neimark and Fufaev; here from the moment of momentum about the contact): with lean
// q2 (0 = upright), rates of the frame L: w = (0, Omega sin q2, Omega cos q2), spin s about L.y, u2 = s + Omega sin q2,
//     (J + m r^2) u2 Omega cos q2 - I Omega^2 sin q2 cos q2 = -m g r sin q2 ... (sign of u2 from the model)
// checked by the residual of the full equations: udot of the independent speeds vanishes, and lean stays constant.
TEST(Equilibrium, RollingDiskTurnsSteadily) {
  Subject s = load("rolling_disk_3d");
  s.state.q[s.q("q2")] = 0.3;
  s.state.u[s.u("u1")] = 0, s.state.u[s.u("u2")] = 4, s.state.u[s.u("u3")] = 1;
  EquilibriumFinder finder(*s.evaluator, {.steady = true, .held = {"q2", "u2"}});
  const auto report = finder.find(s.state);
  ASSERT_TRUE(report.ok()) << report.message;
  const State& at = report.found[0].state;
  EXPECT_EQ(report.ignorable, (std::vector<std::string>{"q1", "q3", "x", "y", "z"}));
  EXPECT_EQ(at.q[s.q("q2")], 0.3);
  EXPECT_EQ(at.u[s.u("u2")], 4);
  EXPECT_NEAR(at.u[s.u("u1")], 0, 1e-12);
  // u3 = Omega cos q2. About the contact: (J + m r^2) u2 u3 - I u3^2 tan q2 = -+ m g r sin q2.
  const double m = 1.5, r = 0.4, inertia = 0.06, spin = 0.12, g = 9.81, u2 = 4, u3 = at.u[s.u("u3")];
  const double turning = (spin + m * r * r) * u2 * u3 - inertia * u3 * u3 * std::tan(0.3);
  EXPECT_NEAR(std::abs(turning), m * g * r * std::sin(0.3), 1e-9);
  // Half a turn later the lean is what it was.
  Simulator sim(s.system, {.tolerance = 1e-10});
  State start = at;
  sim.start(start);
  (void)sim.run({.until = 3});
  EXPECT_NEAR(sim.state().q[s.q("q2")], 0.3, 1e-8);
  EXPECT_NEAR(sim.state().u[s.u("u3")], u3, 1e-8);
}

TEST(Equilibrium, SpinningTopPrecessesAtBothRates) {
  // A symmetric top in a ball of gimbal angles z, x, z: A W^2 cos th - C n W + m g l = 0 with n the spin about the axis.
  Subject s = parse_yaml(R"(
kane: 1
name: top
parameters: {m: 0.3 kg, l: 0.06 m, A: 0.002 kg*m^2, C: 0.0004 kg*m^2, g: 9.81 m/s^2}
gravity: -g*N.z
bodies:
  P: {}
  L: {}
  T: {mass: m, com: [0, 0, l], inertia: [A - m*l^2, A - m*l^2, C]}
joints:
  precession: {type: revolute, parent: N, child: P, axis: z, coordinate: psi}
  nutation: {type: revolute, parent: P, child: L, axis: x, coordinate: th}
  spin: {type: revolute, parent: L, child: T, axis: z, coordinate: phi}
initial: {th: 0.5, u_phi: 200, u_psi: 3}
)");
  const double a = 0.002, c = 0.0004, w = 0.3 * 9.81 * 0.06, th = 0.5, spin = 200;
  // With n = u_phi + W cos th: (A - C) cos th W^2 - C u_phi W + m g l = 0.
  const double p = (a - c) * std::cos(th), root = std::sqrt(c * spin * c * spin - 4 * p * w);
  const double slow = (c * spin - root) / (2 * p), fast = (c * spin + root) / (2 * p);
  for (const auto& [guess, rate] : {std::pair{2.0, slow}, {60.0, fast}}) {
    State start = s.state;
    start.u[s.u("u_psi")] = guess;
    EquilibriumFinder finder(*s.evaluator, {.steady = true, .held = {"th", "u_phi"}});
    const auto report = finder.find(start);
    ASSERT_TRUE(report.ok()) << report.message;
    EXPECT_EQ(report.ignorable, (std::vector<std::string>{"psi", "phi"}));
    EXPECT_NEAR(report.found[0].state.u[s.u("u_psi")], rate, 1e-9 * rate);
    EXPECT_NE(report.found[0].modes->stability, Stability::Unstable);
  }
}

// One degree of freedom: the potential along the closed loop, with one coordinate moved and the others assembled, has an
// extremum where the finder says, and a minimum where it calls the place stable.
void expect_extremum(Subject& s, const Equilibrium& found, const std::string& coordinate) {
  const auto potential = [&](double dq) {
    State at = found.state;
    at.q[s.q(coordinate)] += dq;
    GivenValues held{std::vector<bool>(at.q.size(), false), std::vector<bool>(at.u.size(), false)};
    held.q[s.q(coordinate)] = true;
    EXPECT_TRUE(assemble(*s.evaluator, at, held).ok);
    KernelRunner runner(&s.system->extra().energy()->kernel, s.evaluator->context());
    return runner.run(at.q, std::vector<double>(at.u.size(), 0.0))[1];
  };
  constexpr double h = 1e-4;
  const double v0 = potential(0), plus = potential(h), minus = potential(-h);
  EXPECT_NEAR((plus - minus) / (2 * h), 0, 1e-6);
  ASSERT_TRUE(found.modes) << found.no_modes;
  EXPECT_EQ(found.modes->stability != Stability::Unstable, plus + minus - 2 * v0 > 0);
  EXPECT_EQ(found.family, 0);
}

TEST(Equilibrium, FourBarRestsWhereTheEnergyIsLeast) {
  Subject s = load("fourbar");
  EquilibriumFinder finder(*s.evaluator, {.all = true});
  const auto report = finder.find(s.state);
  ASSERT_EQ(report.found.size(), 4U);
  for (const auto& found : report.found) expect_extremum(s, found, "q1");
}

// The same loop closed by a spatial joint: three of its five constraints repeat others. Places and eigenvalues are those of
// the planar one.
TEST(Equilibrium, PlanarLoopGivenSpatiallyRestsWhereThePlanarOneDoes) {
  Subject planar = load("fourbar");
  Subject s = parse_yaml(R"(
kane: 1
name: fourbar3d
parameters: {l1: 0.3 m, l2: 0.9 m, l3: 0.7 m, d: 0.8 m, g: 9.81 m/s^2}
gravity: -g*N.y
bodies:
  L1: {mass: 0.8 kg, com: [l1/2, 0, 0], inertia: [0.001, 0.006, 0.006]}
  L2: {mass: 1.6 kg, com: [l2/2, 0, 0], inertia: [0.001, 0.108, 0.108], points: {end: [l2, 0, 0]}}
  L3: {mass: 1.1 kg, com: [l3/2, 0, 0], inertia: [0.001, 0.045, 0.045], points: {end: [l3, 0, 0]}}
joints:
  O: {type: revolute, parent: N, child: L1, axis: z, coordinate: q1}
  A: {type: revolute, parent: L1, at: [l1, 0, 0], child: L2, axis: z, coordinate: q2}
  D: {type: revolute, parent: N, at: [d, 0, 0], child: L3, axis: z, coordinate: q3}
  C: {type: revolute, parent: L3, at: end, child: L2, child_at: end, axis: z, close: true}
initial: {q1: 0.5, q2: 0.13, q3: 1.29}
)");
  auto report = EquilibriumFinder(*s.evaluator, {.all = true}).find(s.state);
  auto expected = EquilibriumFinder(*planar.evaluator, {.all = true}).find(planar.state);
  ASSERT_EQ(report.found.size(), 4U);
  for (auto* r : {&report, &expected})
    std::sort(r->found.begin(), r->found.end(),
              [](const Equilibrium& a, const Equilibrium& b) { return a.state.q[0] < b.state.q[0]; });
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(report.found[k].state.q[0], expected.found[k].state.q[0], 1e-12);
    EXPECT_NEAR(report.found[k].state.q[2], expected.found[k].state.q[2], 1e-12);
    ASSERT_TRUE(report.found[k].modes && expected.found[k].modes);
    for (std::size_t i = 0; i < 2; ++i)
      EXPECT_NEAR(std::abs(report.found[k].modes->eigenvalues[i] - expected.found[k].modes->eigenvalues[i]), 0, 1e-10);
  }
}

TEST(Equilibrium, BricardsRingHangsSymmetrically) {
  Subject s = load("bricard");
  const auto report = EquilibriumFinder(*s.evaluator).find(s.state);
  ASSERT_TRUE(report.ok()) << report.message;
  const auto& found = report.found[0];
  for (const std::size_t k : {0U, 2U, 4U}) EXPECT_NEAR(found.state.q[k], kPi / 2, 1e-12);
  for (const std::size_t k : {1U, 3U}) EXPECT_NEAR(found.state.q[k], -kPi / 6, 1e-12);
  expect_extremum(s, found, "q1");
  EXPECT_NE(found.stability().find("minimum"), std::string::npos);
  // No constraint is left open, and what the multipliers hold is in balance: the ring stays where it is put.
  Simulator sim(s.system, {.tolerance = 1e-10});
  sim.start(found.state);
  (void)sim.run({.until = 2});
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(sim.state().q[k], found.state.q[k], 1e-9);
}

TEST(Equilibrium, RedundantCrankHangsAndStands) {
  Subject s = load("parallel_cranks");
  const auto report = EquilibriumFinder(*s.evaluator, {.all = true}).find(s.state);
  ASSERT_EQ(report.found.size(), 2U);
  // Coupler and cranks turn like one pendulum: w^2 = (3 m l/2 + M l) g / (3 m l^2/3 + M l^2).
  const double w = std::sqrt((1.5 + 2) * 9.81 / (1 + 2));
  for (const auto& found : report.found) {
    for (const std::size_t k : {0U, 1U, 2U}) EXPECT_NEAR(std::abs(std::sin(found.state.q[k])), 1, 1e-12);
    expect_extremum(s, found, "q1");
    EXPECT_NEAR(std::abs(found.modes->eigenvalues[1]), w, 1e-10);
  }
  EXPECT_GT(report.found[0].state.q[0], 0);  // the nearest: upright, where it begins
}

// Bennett's linkage: four skew links, a / sin(alpha) = b / sin(beta); three of five constraints are redundant.
TEST(Equilibrium, BennettsLinkageRestsWhereTheEnergyIsLeast) {
  Subject s = parse_yaml(R"(
kane: 1
name: bennett
parameters: {a: 0.4 m, b: 0.692820323027551 m, g: 9.81 m/s^2}
gravity: -g*N.y
bodies:
  L1: {mass: 1 kg, com: [0.2, 0.02, 0], inertia: [0.01, 0.02, 0.02]}
  L2: {mass: 2 kg, com: [0.3, 0, 0.05], inertia: [0.01, 0.08, 0.08]}
  L3: {mass: 1 kg, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.02]}
joints:
  J1: {type: revolute, parent: N, child: L1, axis: z, coordinate: q1}
  J2: {type: revolute, parent: L1, at: [a, 0, 0], orientation: {axis: x, angle: 30 deg}, child: L2, axis: z, coordinate: q2}
  J3: {type: revolute, parent: L2, at: [b, 0, 0], orientation: {axis: x, angle: 60 deg}, child: L3, axis: z, coordinate: q3}
  J4: {type: revolute, parent: N, at: [-b, 0, 0], orientation: {axis: x, angle: -60 deg}, child: L3, child_at: [a, 0, 0], child_orientation: {axis: x, angle: 30 deg}, axis: z, close: true}
initial: {q1: 1}
)");
  const auto report = EquilibriumFinder(*s.evaluator, {.all = true}).find(s.state);
  int stable = 0;
  for (const auto& found : report.found) {
    expect_extremum(s, found, "q1");
    if (found.modes && found.modes->stability != Stability::Unstable) ++stable;
  }
  EXPECT_GE(stable, 1);
}

// The gas force grows by a factor of e per 40 mm: typical forces a metre away say nothing about the place of balance.
TEST(Equilibrium, GasForceAndLoadBalanceOnTheCrank) {
  Subject s = load("slider_crank");
  const auto report = EquilibriumFinder(*s.evaluator).find(s.state);
  ASSERT_TRUE(report.ok()) << report.message;
  const double r = 0.04, l = 0.14, phi = report.found[0].state.q[0];
  const double c = std::sqrt(l * l - r * r * std::sin(phi) * std::sin(phi)), x = r * std::cos(phi) + c;
  const double slope = -r * std::sin(phi) * (1 + r * std::cos(phi) / c);
  EXPECT_NEAR(-800 * std::exp(2.5 - x / r) * slope, 2, 1e-11);
  EXPECT_NEAR(phi, 0.34408, 1e-5);
}

TEST(Equilibrium, SatelliteInGravityGradient) {
  // Pitch: w^2 = 3 n^2 (Ix - Iz) / Iy (Hughes, Spacecraft Attitude Dynamics, section 9.2).
  Subject s = load("gravity_gradient");
  EquilibriumFinder finder(*s.evaluator);
  const auto found = finder.find(s.state).found.at(0);
  for (const double angle : found.state.q) EXPECT_NEAR(angle, 0, 1e-9);
  EXPECT_NEAR(found.state.u[1], -0.0011, 1e-14);
  const double pitch = 0.0011 * std::sqrt(3 * (900.0 - 500.0) / 1100.0);
  bool seen = false;
  for (const auto& mode : found.modes->modes) seen = seen || std::abs(mode.natural_frequency - pitch) < 1e-12;
  EXPECT_TRUE(seen);
  EXPECT_EQ(found.modes->stability, Stability::Marginal);
}

TEST(Equilibrium, BicycleUprightIsUnstableBelowAndStableAboveTheWeaveSpeed) {
  Subject s = load("bicycle_nonlinear");
  for (const auto& [speed, stable] : {std::pair{4.0, false}, {5.0, true}}) {
    for (double& u : s.state.u) u = 0;
    s.state.u[s.u("u_tR")] = -speed / 0.3;
    s.state.u[s.u("u_x")] = speed, s.state.u[s.u("u_tF")] = -speed / 0.35;
    EquilibriumFinder finder(*s.evaluator, {.steady = true, .held = {"phi", "delta", "u_tR"}});
    const auto report = finder.find(s.state);
    ASSERT_TRUE(report.ok()) << report.message;
    const auto& found = report.found[0];
    EXPECT_NEAR(found.state.u[s.u("u_x")], speed, 1e-9);
    ASSERT_TRUE(found.modes) << found.no_modes;
    EXPECT_EQ(found.modes->growing == 0, stable) << describe_stability(*found.modes);
  }
}

TEST(Equilibrium, WheelOnAMovingRoadIsHeldWhereItStands) {
  Subject s = parse_yaml(R"(
kane: 1
name: quarter_car
parameters: {m: 2 kg, M: 20 kg, k: 1000 N/m, g: 9.81 m/s^2, L: 0.5 m, h: 0.1 m}
gravity: -g*N.y
bodies: {wheel: {mass: m}, car: {mass: M}}
joints:
  a: {type: prismatic, parent: N, child: wheel, axis: y, coordinate: y}
  b: {type: prismatic, parent: wheel, child: car, axis: y, coordinate: z, stiffness: k, rest: L}
constraints: {road: {configuration: y - h*sin(3*t)}}
initial: {z: 0.5}
)");
  for (const double t : {0.0, 0.4}) {
    s.state.t = t;
    EquilibriumFinder finder(*s.evaluator);
    const auto report = finder.find(s.state);
    ASSERT_EQ(report.found.size(), 1U);
    const auto& found = report.found[0];
    EXPECT_NEAR(found.state.q[0], 0.1 * std::sin(3 * t), 1e-12);
    EXPECT_NEAR(found.state.q[1], 0.5 - 20 * 9.81 / 1000, 1e-12);
    EXPECT_NEAR(found.lambda[0], 22 * 9.81, 1e-9);
    EXPECT_EQ(found.state.u[0], 0);
    EXPECT_FALSE(found.modes);
    EXPECT_NE(found.stability().find("'road' moves"), std::string::npos) << found.stability();
    EXPECT_TRUE(std::any_of(report.warnings.begin(), report.warnings.end(), [](const std::string& w) {
      return w.find("'road' moves with time") != std::string::npos;
    }));
  }
}

TEST(Equilibrium, SpringOfNoLengthBalancesNothing) {
  // Two points that meet leave the direction of their spring open, and with it any force seems to be balanced.
  Subject s = load("car_axis");
  EquilibriumFinder finder(*s.evaluator, {.all = true});
  const auto report = finder.find(s.state);
  ASSERT_FALSE(report.found.empty());
  EXPECT_NEAR(report.found[0].state.q[1], 0.5 - 0.01 * 0.01 * 10 / 2, 1e-12);  // each strut bears half the car
  EXPECT_NEAR(report.found[0].state.q[3], 0.5 - 0.01 * 0.01 * 10 / 2, 1e-12);
  for (const auto& found : report.found) {
    EXPECT_GT(std::hypot(found.state.q[0], found.state.q[1]), 1e-3);
    EXPECT_GT(std::hypot(found.state.q[2] - 1, found.state.q[3]), 1e-3);
  }
}

}  // namespace
}  // namespace kane::test

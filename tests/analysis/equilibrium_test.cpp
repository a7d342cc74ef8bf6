// Equilibria and steady motions against closed forms.

#include "kane/analysis/equilibrium.hpp"

#include <gtest/gtest.h>

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
  EXPECT_NE(report.message.find("nothing that may move has an influence"), std::string::npos) << report.message;
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

TEST(Equilibrium, FourBarWithASpringRestsWhereTheEnergyIsLeast) {
  // One degree of freedom: the potential along the closed loop has a minimum where the finder says, by differences.
  Subject s = load("fourbar");
  EquilibriumFinder finder(*s.evaluator, {.all = true});
  const auto report = finder.find(s.state);
  ASSERT_GE(report.found.size(), 2U);
  for (const auto& found : report.found) {
    ConstraintProjector projector(*s.evaluator);
    const auto potential = [&](double dq) {
      State at = found.state;
      at.q[0] += dq;
      GivenValues held{{true, false, false}, {false, false, false}};
      EXPECT_TRUE(assemble(*s.evaluator, at, held).ok);
      const EnergyKernel* energy = s.system->extra().energy();
      KernelRunner runner(&energy->kernel, s.evaluator->context());
      return runner.run(at.q, std::vector<double>(3, 0.0))[1];
    };
    constexpr double h = 1e-4;
    const double v0 = potential(0), plus = potential(h), minus = potential(-h);
    EXPECT_NEAR((plus - minus) / (2 * h), 0, 1e-6);
    const bool minimum = plus + minus - 2 * v0 > 0;
    EXPECT_EQ(found.modes->stability != Stability::Unstable, minimum);
    EXPECT_EQ(found.family, 0);
  }
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

}  // namespace
}  // namespace kane::test

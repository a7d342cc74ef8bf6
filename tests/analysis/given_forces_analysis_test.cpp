// Loads that depend on reactions and accelerations, and Kane's generalized forces, in numbers: closed forms and energy.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kane/analysis/equilibria.hpp"
#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/frequency.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/analysis/root_locus.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/model/simulation.hpp"

namespace kane::test {
namespace {

Model text_model(const std::string& text) { return Model(read_yaml_text(text)); }
Model example(const std::string& id) {
  return Model(read_mechanism(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"));
}

// ---- F_r and F*_r -----------------------------------------------------------------------------------------------------------

// A pendulum on a cart by hand: F_x = F, F_q = -m g l sin q - b q'.
TEST(GeneralizedForces, OfACartWithAPendulum) {
  const Model model = text_model(R"yaml(
kane: 1
parameters: {M: 4, m: 2, l: 0.5, b: 0.3, F: 7, g: 9.81}
gravity: -g*N.y
bodies: {cart: {mass: M}, rod: {}}
particles: {P: {mass: m, on: rod, at: [0, -l, 0]}}
joints:
  rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x}
  pin: {type: revolute, parent: cart, child: rod, axis: z, coordinate: q, damping: b}
loads: [{force: F, at: cart, axis: N.x}]
)yaml");
  for (const double q : {0.0, 0.4, 2.0}) {
    const Evaluation at = evaluate(model, {.q = {{"q", q}}, .u = {{"u_x", 1.5}, {"u", -2}}});
    ASSERT_EQ(at.active_forces.size(), 2U);
    EXPECT_NEAR(at.active_forces[0], 7, 1e-13);
    EXPECT_NEAR(at.active_forces[1], -2 * 9.81 * 0.5 * std::sin(q) + 0.3 * 2, 1e-13);
    const double ax = at.udot[0], aq = at.udot[1];
    EXPECT_NEAR(at.inertia_forces[0], -(6 * ax + 2 * 0.5 * (aq * std::cos(q) - 4 * std::sin(q))), 1e-12);
    EXPECT_NEAR(at.inertia_forces[1], -(2 * 0.5 * std::cos(q) * ax + 2 * 0.25 * aq), 1e-12);
    for (std::size_t r = 0; r < 2; ++r) EXPECT_NEAR(at.active_forces[r] + at.inertia_forces[r], 0, 1e-12);
  }
}

/// F_r + F*_r + A^T lambda = 0, in every formulation.
TEST(GeneralizedForces, BalanceInAllModels) {
  for (const char* id : {"planar2r", "fourbar", "stanford_arm", "rolling_disk_3d", "submerged_pendulum", "npend5"}) {
    for (const Formulation formulation : {Formulation::Automatic, Formulation::Projection}) {
      ModelOptions options;
      options.formulation = formulation;
      const Model model(read_mechanism(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"), options);
      const Evaluation at = evaluate(model);
      ASSERT_EQ(at.active_forces.size(), at.u.size()) << id;
      for (std::size_t r = 0; r < at.u.size(); ++r) {
        double sum = at.active_forces[r] + at.inertia_forces[r], size = 1 + std::abs(at.active_forces[r]);
        for (std::size_t k = 0; k < at.constraints.size(); ++k)
          sum += at.constraint_jacobian(k, r) * at.constraints[k].multiplier;
        EXPECT_NEAR(sum, 0, 1e-9 * size) << id;
      }
    }
  }
}

// ---- accelerations in loads -------------------------------------------------------------------------------------------------

TEST(AddedMassModel, SwingsWithTheClosedFormPeriod) {
  const Model model = example("submerged_pendulum");
  const double w = std::sqrt((3 - 1.1) * 9.81 / ((3 + 0.55) * 0.7));
  const EquilibriaReport rest = find_equilibria(model);
  ASSERT_TRUE(rest.ok());
  EXPECT_NEAR(std::abs(rest.found[0].modes->eigenvalues[0].imag()), w, 1e-12);
  // Half T + V of sphere and fluid is conserved: (m + mf/2) l^2 u^2/2 - (m - mf) g l cos q.
  Simulation run(model, {}, {.tolerance = 1e-11});
  const auto energy = [&] {
    const double q = run.value("q"), u = run.value("u");
    return 3.55 * 0.49 * u * u / 2 - 1.9 * 9.81 * 0.7 * std::cos(q);
  };
  const double before = energy();
  ASSERT_EQ(run.advance(5).status, RunStatus::Done);
  EXPECT_NEAR(energy(), before, 1e-8);
}

// ---- forces in loads ----------------------------------------------------------------------------------------------------------

// The bearing's force by hand: F = m (g y + a), a = e (u' t - u^2 n); J_0 u' = -m g e cos q - mu r |F| tanh(u/w0).
TEST(LoadedBearing, DecelerationSatisfiesTheBalanceByHand) {
  const Model model = example("loaded_bearing");
  for (const double q : {0.0, 0.7, 3.0})
    for (const double u : {60.0, 5.0, -20.0}) {
      const Evaluation at = evaluate(model, {.q = {{"q", q}}, .u = {{"u", u}}});
      ASSERT_TRUE(at.failure.empty()) << at.failure;
      const double a = at.udot[0], e = 0.002, m = 8, g = 9.81;
      const double Fx = m * e * (-a * std::sin(q) - u * u * std::cos(q));
      const double Fy = m * g + m * e * (a * std::cos(q) - u * u * std::sin(q));
      const double friction = 0.1 * 0.015 * std::hypot(Fx, Fy) * std::tanh(u / 0.1);
      EXPECT_NEAR((0.05 + m * e * e) * a, -m * g * e * std::cos(q) - friction, 1e-11);
      EXPECT_NEAR(at.outputs.at(0).value, std::hypot(Fx, Fy), 1e-9);
      EXPECT_NEAR(at.active_forces[0] + at.inertia_forces[0], 0, 1e-11);
    }
}

// Balanced (e = 0) the load is the weight: w falls linearly, J u' = -mu r m g.
TEST(LoadedBearing, BalancedWheelRunsDownLinearly) {
  const Model model = example("loaded_bearing");
  Simulation run(model, {.parameters = {{"e", 0}}}, {.tolerance = 1e-10});
  ASSERT_EQ(run.advance(1).status, RunStatus::Done);
  EXPECT_NEAR(run.value("u"), 60 - 0.1 * 0.015 * 8 * 9.81 / 0.05, 1e-8);
}

/// d udot / d(q, u) of the linear equations against differences of evaluations.
TEST(LoadedBearing, LinearEquationsAreDerivativesOfTheMotion) {
  const Model model = example("loaded_bearing");
  const LinearizationReport l = linearize_model(model, {.q = {{"q", 0.7}}, .u = {{"u", 5}}});
  ASSERT_TRUE(l.failure.empty()) << l.failure;
  const auto udot = [&](double q, double u) { return evaluate(model, {.q = {{"q", q}}, .u = {{"u", u}}}).udot[0]; };
  const double h = 1e-5;
  EXPECT_NEAR(l.a(1, 0), (udot(0.7 + h, 5) - udot(0.7 - h, 5)) / (2 * h), 1e-6);
  EXPECT_NEAR(l.a(1, 1), (udot(0.7, 5 + h) - udot(0.7, 5 - h)) / (2 * h), 1e-6);
}

// At rest the bearing carries the weight; near it the friction is viscous, c = mu r m g/w0, and k = m g e.
TEST(LoadedBearing, RestAndItsEigenvalues) {
  const EquilibriaReport rest = find_equilibria(example("loaded_bearing"));
  ASSERT_TRUE(rest.ok()) << rest.message;
  EXPECT_NEAR(rest.found[0].state.q[0], -std::acos(0.0), 1e-9);
  const double weight = 8 * 9.81, c = 0.1 * 0.015 * weight / 0.1, k = weight * 0.002, J = 0.05 + 8 * 0.002 * 0.002;
  EXPECT_NEAR(*std::max_element(rest.found[0].lambda.begin(), rest.found[0].lambda.end()), weight, 1e-9);
  std::vector<double> decay;
  for (const auto& s : rest.found[0].modes->eigenvalues) decay.push_back(s.real());
  std::sort(decay.begin(), decay.end());
  const double root = std::sqrt(c * c - 4 * J * k);
  EXPECT_NEAR(decay.at(0), (-c - root) / (2 * J), 1e-8);
  EXPECT_NEAR(decay.at(1), (-c + root) / (2 * J), 1e-8);
}

TEST(Capstan, SlipsWithTheClosedFormAcceleration) {
  const Model model = example("capstan");
  const double grow = std::exp(0.25 * std::acos(-1.0)), g = 9.81;
  const Evaluation at = evaluate(model);
  ASSERT_TRUE(at.failure.empty()) << at.failure;
  const double a = g * (9 - 2 * grow) / (9 + 2 * grow);
  EXPECT_NEAR(at.udot[0], a, 1e-12);
  EXPECT_NEAR(at.udot[1], -a, 1e-12);
  EXPECT_NEAR(at.outputs.at(0).value, 9 * (g - a), 1e-11);
  Simulation run(model);
  ASSERT_EQ(run.advance(0.5).status, RunStatus::Done);
  EXPECT_NEAR(run.value("s1"), a / 8, 1e-9);
}

// A pushed sledge whose friction exceeds what pushes it: N grows with the push, mu tan(a) > 1 has no solution.
TEST(GivenForceRuns, NoSolutionIsSaidInASentence) {
  const Model model = text_model(R"yaml(
kane: 1
parameters: {k: 1}
bodies: {B: {mass: 2}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x}}
auxiliary: {N1: {point: B, direction: N.y}}
loads:
  weight: {force: -3 - k*abs(N1), at: B, axis: N.y}
)yaml");
  // N1 = 3 + k |N1|: k < 1 has a solution, k = 1 has none.
  EXPECT_TRUE(evaluate(model, {.parameters = {{"k", 0.5}}}).failure.empty());
  const std::string failure = evaluate(model).failure;
  EXPECT_NE(failure.find("have no solution"), std::string::npos) << failure;
}

// ---- the wheelset -------------------------------------------------------------------------------------------------------------

struct Hunting {
  double m = 1800, Iz = 1000, r0 = 0.46, b = 0.75, cone = 0.05, f11 = 6e6, f33 = 6.5e6, ky = 2e5, kpsi = 2.5e6;
  [[nodiscard]] double frequency() const {
    return std::sqrt((f11 * kpsi + f33 * b * b * ky) / (f11 * Iz + f33 * b * b * m));
  }
  [[nodiscard]] double speed() const {
    const double w = frequency() * frequency();
    return std::sqrt(4 * f11 * f33 * b * b * w / (4 * f11 * f33 * b * cone / r0 + (ky - m * w) * (kpsi - Iz * w)));
  }
};

/// The oscillating mode that grows fastest.
std::complex<double> hunting_mode(const Model& model, double V) {
  const LinearizationReport l = linearize_model(
      model, {.q = {{"y", 0}}, .u = {{"u_x", V}, {"u_theta", V / 0.46}}, .parameters = {{"V", V}}}, {.steady = true});
  std::complex<double> worst{-1e9, 0};
  for (const auto& s : l.modes.eigenvalues)
    if (s.imag() > 1 && s.real() > worst.real()) worst = s;
  return worst;
}

TEST(Wheelset, HuntsAboveTheCriticalSpeed) {
  const Model model = example("wheelset");
  const Hunting h;
  EXPECT_LT(hunting_mode(model, 0.99 * h.speed()).real(), 0);
  EXPECT_GT(hunting_mode(model, 1.01 * h.speed()).real(), 0);
  const auto at = hunting_mode(model, h.speed());
  EXPECT_NEAR(at.real(), 0, 1e-7 * h.frequency());
  EXPECT_NEAR(at.imag(), h.frequency(), 1e-7 * h.frequency());
}

// Without mass and springs worth mentioning a slow wheelset rolls along Klingel's sine, wavelength 2 pi sqrt(r0 b/cone).
TEST(Wheelset, FollowsKlingelsWaveWhenSlow) {
  const Model model = example("wheelset");
  const double V = 1;
  StartState start{
      .q = {{"y", 0.003}}, .u = {{"u_x", V}, {"u_theta", V / 0.46}}, .parameters = {{"V", V}, {"ky", 0}, {"kpsi", 0}}};
  Simulation run(model, start, {.tolerance = 1e-9});
  const double wavelength = 2 * std::acos(-1.0) * std::sqrt(0.46 * 0.75 / 0.05);
  ASSERT_EQ(run.advance(wavelength / 4).status, RunStatus::Done);
  EXPECT_NEAR(run.value("y"), 0, 0.003 * 5e-3);
  ASSERT_EQ(run.advance(wavelength / 4).status, RunStatus::Done);
  EXPECT_NEAR(run.value("y"), -0.003, 0.003 * 5e-3);
}

}  // namespace
}  // namespace kane::test

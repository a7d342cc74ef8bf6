// Laws of contacts: friction that depends on the direction, adhesion, restitution by work, laws by materials, groups.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

constexpr double kFall = 9.81;

/// A point that slides with mu1 along x and mu2 along y: v' = -g (mu1^2 vx, mu2^2 vy) / |(mu1 vx, mu2 vy)|.
std::array<double, 4> slide(double mu1, double mu2, double vx, double vy, double until) {
  std::array<double, 4> y{0, 0, vx, vy};
  const auto rate = [&](const std::array<double, 4>& s) {
    const double size = std::hypot(mu1 * s[2], mu2 * s[3]);
    return std::array<double, 4>{s[2], s[3], -kFall * mu1 * mu1 * s[2] / size, -kFall * mu2 * mu2 * s[3] / size};
  };
  const int steps = 4000;
  const double h = until / steps;
  for (int n = 0; n < steps; ++n) {
    const auto moved = [&](const std::array<double, 4>& k, double f) {
      auto x = y;
      for (std::size_t i = 0; i < 4; ++i) x[i] += f * k[i];
      return x;
    };
    const auto k1 = rate(y), k2 = rate(moved(k1, h / 2)), k3 = rate(moved(k2, h / 2)), k4 = rate(moved(k3, h));
    for (std::size_t i = 0; i < 4; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y;
}

constexpr const char* kSlider = R"(
kane: 1
gravity: -9.81*N.z
bodies: {A: {mass: 2, shape: {sphere: 0.1}}}
joints:
  j: {parent: N, child: A, at: [0, 0, 0.1], rotation: {sequence: 123},
      translation: {sequence: 123, free: [1, 2, 3], coordinates: [x, y, z], speeds: [vx, vy, vz]}}
contacts: {SETTINGS c: {CONTACT, friction: [0.2, 0.5], along: N.x}}
outputs:
  F: contact(A, N).friction
  Fx: dot(contact(A, N).force, N.x)
  Fy: dot(contact(A, N).force, N.y)
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

double output(const Model& model, HybridSimulator& sim, const State& s, const std::string& name) {
  for (const auto& item : model.system->report_items())
    if (item.name == name) return sim.calc_reports(s)[item.first];
  throw std::runtime_error("no output " + name);
}

TEST(ContactLaws, FrictionWithTwoCoefficientsIsThatOfTheLargestDissipation) {
  const auto expected = slide(0.2, 0.5, 1.5, 1.0, 0.2);
  for (const std::string contact : {"sphere: A, radius: 0.1, plane: N.z", "between: [A, N], plane: N.z"})
    for (const std::string settings : {"", "scheme: stepping, step: 1e-4,"}) {
      const Model model = parse_model(replaced(replaced(kSlider, "CONTACT", contact), "SETTINGS", settings));
      SimulatorOptions options{.tolerance = 1e-10};
      if (!settings.empty()) options.switching.scheme = ContactScheme::Stepping, options.switching.contact_step = 1e-4;
      HybridSimulator sim(model.system, options);
      State initial = model.initial();
      initial.u = {1.5, 1.0, 0};
      sim.start(initial);
      State last;
      const RunReport report = sim.run({.until = 0.2}, [&](const State& s) {
        last = s;
        return true;
      });
      ASSERT_FALSE(report.failure);
      const double tolerance = settings.empty() ? 1e-8 : 1e-4;
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR(last.q[i], expected[i], tolerance) << contact << settings;
        EXPECT_NEAR(last.u[i], expected[2 + i], tolerance) << contact << settings;
      }
      const double size = std::hypot(0.2 * last.u[0], 0.5 * last.u[1]);
      EXPECT_NEAR(output(model, sim, last, "Fx"), -2 * kFall * 0.04 * last.u[0] / size, 20 * tolerance);
      EXPECT_NEAR(output(model, sim, last, "Fy"), -2 * kFall * 0.25 * last.u[1] / size, 20 * tolerance);
    }
}

TEST(ContactLaws, WhatLiesAcrossTheGrainHolds) {
  const auto moved = [](const std::string& gravity) {
    const std::string text = replaced(replaced(kSlider, "SETTINGS", ""), "CONTACT", "between: [A, N], plane: N.z");
    const Model model = parse_model(replaced(text, "-9.81*N.z", gravity));
    const State s = run_hybrid(model, {}, {.until = 0.5}).last();
    return std::hypot(s.q[0], s.q[1]);
  };
  EXPECT_LT(moved("-9.81*N.z + 0.49*9.81*N.y"), 1e-9);
  EXPECT_GT(moved("-9.81*N.z + 0.51*9.81*N.y"), 1e-3);
  EXPECT_LT(moved("-9.81*N.z + 0.19*9.81*N.x"), 1e-9);
  EXPECT_GT(moved("-9.81*N.z + 0.21*9.81*N.x"), 1e-3);
}

TEST(ContactLaws, AdhesionHoldsUpToItsForce) {
  const Model model = load_model("sticky_foot");
  HybridSimulator sim(model.system, {.tolerance = 1e-10});
  sim.start(model.initial());
  double held = 0;
  State last;
  const RunReport report = sim.run({.until = 1.6, .intervals = 160}, [&](const State& s) {
    if (std::abs(s.t - 1) < 1e-9) held = output(model, sim, s, "hold");
    last = s;
    return true;
  });
  ASSERT_FALSE(report.failure);
  EXPECT_NEAR(held, -(0.05 * kFall + 1), 1e-9);
  const double after = 1.6 - (2 - 0.05 * kFall);  // since it let go
  EXPECT_NEAR(last.q[0], -(2 * after * after / 2 + after * after * after / 6) / 0.05, 1e-8);
}

TEST(ContactLaws, AdhesionHoldsInSteps) {
  const Model model = load_model("sticky_foot");
  SimulatorOptions options;
  options.switching.scheme = ContactScheme::Stepping, options.switching.contact_step = 1e-3;
  const State held = run_hybrid(model, {}, model.initial(), {.until = 1.5}, options).last();
  EXPECT_EQ(held.q[0], 0.0);
  const State free = run_hybrid(model, {}, model.initial(), {.until = 1.6}, options).last();
  EXPECT_NEAR(free.q[0], -0.166, 1e-2);
}

/// A rod that falls on its end at an angle, sliding. Stronge: the normal force gives back e^2 of the work it took in.
TEST(ContactLaws, RestitutionOfWork) {
  constexpr const char* kRod = R"(
kane: 1
parameters: {e: 0.6, mu: 0.3}
bodies: {rod: {mass: 1, inertia: [0, 0, 0.0833333333333], points: {tip: [0, -0.5, 0]}}}
joints: {j: {type: planar, parent: N, child: rod, coordinates: [x, y, a], speeds: [vx, vy, w]}}
contacts: {c: {point: rod.tip, plane: N.y, friction: mu, restitution: e, law: stronge}}
)";
  const Model model = parse_model(kRod);
  const double angle = 0.7, i = 0.0833333333333, e = 0.6;
  // The tip is at (sin a, -cos a)/2 from the middle: W_nn = 1 + rx^2/I, W_nt = -rx ry/I, W_tt = 1 + ry^2/I.
  const double rx = 0.5 * std::sin(angle), ry = -0.5 * std::cos(angle);
  const double wn = 1 + rx * rx / i, wnt = -rx * ry / i;
  for (const double mu : {0.0, 0.3}) {
    State initial = model.initial();
    initial.q = {0, 0.5 * std::cos(angle), angle};
    initial.u = {3, -1, 0};  // slides in the same direction all the time
    SystemEvaluator evaluator(model.system);
    evaluator.set_parameters(model.system->calc_parameters({{"mu", mu}}));
    SwitchedDynamics dynamics(evaluator);
    dynamics.reset();
    ASSERT_TRUE(dynamics.settle(initial.q, initial.u).ok());
    // dv_n/dp = k: compression to p = 1/k, work 1/(2 k); restitution of e^2 times that ends at v_n = e.
    const double k = wn - mu * wnt, p = (1 + e) / k;
    EXPECT_NEAR(initial.u[1], -1 + p, 1e-6);
    EXPECT_NEAR(initial.u[0], 3 - mu * p, 1e-6);
  }
}

TEST(ContactLaws, OneTableOfMaterials) {
  const Model model = load_model("sorting_chute");
  const State s = run_hybrid(model, {}, {.until = 0.2}).last();
  const double tilt = 25 * M_PI / 180, a = kFall * (std::sin(tilt) - 0.15 * std::cos(tilt));
  EXPECT_NEAR(s.q[0], a * 0.02, 1e-4) << "steel on steel slides";
  EXPECT_NEAR(s.q[7], a * 0.02, 1e-4);
  EXPECT_NEAR(s.q[14], 0, 1e-9) << "rubber on steel holds";
}

TEST(ContactLaws, GroupsSayWhatTouches) {
  constexpr const char* kBalls = R"(
kane: 1
bodies: {A: {mass: 1, shape: {sphere: 0.1}}, B: {mass: 1, shape: {sphere: 0.1}}, C: {mass: 1, shape: {sphere: 0.1}}}
joints:
  a: {type: prismatic, parent: N, child: A, axis: x, coordinate: xa, speed: va}
  b: {type: prismatic, parent: N, child: B, at: [0.3, 0, 0], axis: x, coordinate: xb, speed: vb}
  c: {type: prismatic, parent: N, child: C, at: [0.6, 0, 0], axis: x, coordinate: xc, speed: vc}
contacts: {groups: {left: [A, B], right: [C]}, CONTACT}
initial: {va: 1}
)";
  const auto last = [&](const std::string& contact) {
    return run_hybrid(parse_model(replaced(kBalls, "CONTACT", contact)), {}, {.until = 1}).last().u;
  };
  const std::vector<double> all = last("c: {all: true, restitution: 1}");
  EXPECT_NEAR(all[2], 1, 1e-9) << "A hits B, B hits C";
  const std::vector<double> across = last("c: {between: [left, right], restitution: 1}");
  EXPECT_NEAR(across[1], 0, 1e-9) << "A passes through B";
  EXPECT_NEAR(across[2], 1, 1e-9);
  const std::vector<double> ignored = last("c: {all: true, ignore: [[left, right]], restitution: 1}");
  EXPECT_NEAR(ignored[1], 1, 1e-9);
  EXPECT_NEAR(ignored[2], 0, 1e-9) << "B passes through C";
  EXPECT_NEAR(last("c: {all: true, except: [[left]], restitution: 1}")[2], 1, 1e-9);
}

}  // namespace
}  // namespace kane::test

// Impacts, rest and friction against closed forms, and energy that never rises.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

TEST(BouncingBall, BouncesAtTheTimesOfTheClosedFormAndComesToRest) {
  const Model model = load_model("bouncing_ball");
  const double h = 1, g = 9.81, e = 0.7;
  const HybridRun run = run_hybrid(model, {}, {.until = 4, .intervals = 4000}, {.tolerance = 1e-10});
  const double fall = std::sqrt(2 * h / g), v = g * fall;
  double t = fall, speed = v;
  std::size_t bounce = 0;
  for (const SwitchRecord& event : run.report.events) {
    if (speed < 1e-3) break;
    EXPECT_NEAR(event.t, t, 1e-9) << bounce;
    EXPECT_NEAR(event.u_before[0], -speed, 1e-8);
    EXPECT_NEAR(event.u_after[0], e * speed, 1e-8);
    EXPECT_NEAR(event.impulses[0].second, 0.2 * (1 + e) * speed, 1e-8);
    speed *= e, t += 2 * speed / g, ++bounce;
  }
  EXPECT_GT(bounce, 20U);
  const double rest = fall * (1 + e) / (1 - e);
  EXPECT_NEAR(run.report.events.back().t, rest, 1e-5);  // infinitely many impacts have an end
  EXPECT_EQ(run.report.events.back().changes, std::vector<std::string>{"floor closes"});
  EXPECT_EQ(run.last().u[0], 0.0);
  EXPECT_NEAR(run.last().q[0], 0.05, 1e-15);
  for (const State& s : run.samples) EXPECT_GE(s.q[0], 0.05 - 1e-9);
}

TEST(NewtonsCradle, PassesTheImpactOnToTheLastBall) {
  const Model model = load_model("newtons_cradle");
  const HybridRun run = run_hybrid(model, {}, {.until = 1.0}, {.tolerance = 1e-10});
  ASSERT_FALSE(run.report.events.empty());
  const SwitchRecord& hit = run.report.events[0];
  const double speed = std::sqrt(2 * 9.81 / 0.3 * (1 - std::cos(0.5)));
  EXPECT_NEAR(hit.u_before[0], speed, 1e-8);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(hit.u_after[i], 0, 1e-9) << i;
  EXPECT_NEAR(hit.u_after[4], speed, 1e-8);
  EXPECT_NEAR(hit.kinetic_after, hit.kinetic_before, 1e-12);
}

TEST(BlockOnPlane, DoesNotCreepBelowTheFrictionAngle) {
  const Model model = load_model("block_on_plane");
  const HybridRun run = run_hybrid(model, {{"slope", 0.37}}, {.until = 60, .intervals = 60}, {.tolerance = 1e-9});
  for (const State& s : run.samples) {
    EXPECT_EQ(s.q, run.samples[0].q);  // to the last bit
    for (const double u : s.u) EXPECT_EQ(u, 0.0);
  }
}

TEST(BlockOnPlane, SlidesAboveItWithTheAccelerationOfCoulombsLaw) {
  const Model model = load_model("block_on_plane");
  const double slope = 0.6, mu = 0.4, g = 9.81;
  const HybridRun run = run_hybrid(model, {{"slope", slope}}, {.until = 1, .intervals = 10}, {.tolerance = 1e-10});
  const double a = -g * (std::sin(slope) - mu * std::cos(slope));
  for (const State& s : run.samples) {
    EXPECT_NEAR(s.q[0], a * s.t * s.t / 2, 1e-9);
    EXPECT_NEAR(s.q[2], 0, 1e-10);
  }
}

TEST(BlockOnPlane, ComesToRestWhereTheClosedFormSays) {
  const Model model = load_model("block_on_plane");
  State initial = model.initial();
  initial.u[0] = 1.5;  // pushed up the plane
  const double slope = 0.2, mu = 0.4, g = 9.81;
  const HybridRun run =
      run_hybrid(model, {{"slope", slope}}, initial, {.until = 3, .intervals = 30}, {.tolerance = 1e-11});
  const double a = g * (std::sin(slope) + mu * std::cos(slope));
  EXPECT_NEAR(run.last().q[0], 1.5 * 1.5 / (2 * a), 1e-9);
  EXPECT_EQ(run.last().u[0], 0.0);
}

// A chain of three rods above the floor; its joints and end touch it. Everything about the impact is random.
constexpr const char* kChain = R"(
kane: 1
parameters: {mu: 0.3, e1: 0.5, e2: 0.5, e3: 0.5, h1: 1, h2: 1, h3: 1}
gravity: -9.81*N.y
bodies:
  A: {mass: 1, com: [0.5, 0, 0], inertia: [0, 0, 0.1], points: {tip: [1, 0, 0]}}
  B: {mass: 0.7, com: [0.3, 0.1, 0], inertia: [0, 0, 0.05], points: {tip: [0.8, 0, 0]}}
  C: {mass: 0.4, com: [0.2, 0, 0], inertia: [0, 0, 0.02], points: {tip: [0.5, 0, 0]}}
joints:
  a: {type: planar, parent: N, child: A, coordinates: [x, y, q1], speeds: [vx, vy, u1]}
  b: {type: revolute, parent: A, at: A.tip, child: B, axis: z, coordinate: q2, speed: u2}
  c: {type: revolute, parent: B, at: B.tip, child: C, axis: z, coordinate: q3, speed: u3}
contacts:
  one: {point: A.tip, plane: N.y, height: h1, friction: mu, restitution: e1LAW}
  two: {point: B.tip, plane: N.y, height: h2, friction: mu, restitution: e2LAW}
  three: {point: C.tip, plane: N.y, height: h3, friction: mu, restitution: e3LAW}
)";

Model chain(bool poisson) {
  std::string text = kChain;
  for (std::size_t at = text.find("LAW"); at != std::string::npos; at = text.find("LAW"))
    text.replace(at, 3, poisson ? ", law: poisson" : "");
  return parse_model(text);
}

class RandomImpacts : public testing::TestWithParam<bool> {};

TEST_P(RandomImpacts, NeverCreateEnergyNeverPullAndStayInTheCone) {
  const Model model = chain(GetParam());
  SystemEvaluator evaluator(model.system);
  SwitchedDynamics dynamics(evaluator);
  const auto number = [](double from, double to) {
    return rc::gen::map(rc::gen::inRange(0, 100001), [=](int k) { return from + (to - from) * k / 100000.0; });
  };
  rc::check([&] {
    Values p{{"mu", *number(0, 1.5)}, {"e1", *number(0, 1)}, {"e2", *number(0, 1)}, {"e3", *number(0, 1)}};
    const double q1 = *number(-3, 3), q2 = *number(-3, 3), q3 = *number(-3, 3);
    const double y1 = std::sin(q1), y2 = y1 + 0.8 * std::sin(q1 + q2), y3 = y2 + 0.5 * std::sin(q1 + q2 + q3);
    const int touching = *rc::gen::inRange(1, 8);  // which of the three points are on their floors
    p["h1"] = (touching & 1) != 0 ? y1 : y1 - 1;
    p["h2"] = (touching & 2) != 0 ? y2 : y2 - 1;
    p["h3"] = (touching & 4) != 0 ? y3 : y3 - 1;
    evaluator.set_parameters(model.system->calc_parameters(p));
    const std::vector<double> q{0, 0, q1, q2, q3};
    std::vector<double> u;
    for (int i = 0; i < 5; ++i) u.push_back(*number(-4, 4));
    dynamics.reset();
    const TransitionReport report = dynamics.settle(q, u);
    RC_ASSERT(report.ok());
    RC_ASSERT(report.kinetic_after <= report.kinetic_before * (1 + 1e-12) + 1e-12);
    evaluator.calc_constraints(q, u);
    const EquationsOfMotion& e = model.equations();
    for (std::size_t k = 0; k < 3; ++k) {
      const auto row = static_cast<std::size_t>(e.contacts[k].normal);
      double v = 0;
      for (std::size_t j = 0; j < 5; ++j) v += evaluator.jacobian()(row, j) * u[j];
      RC_ASSERT((touching >> k & 1) == 0 || v > -1e-7);
      const double normal = dynamics.impulses()[row];
      const double tangent = dynamics.impulses()[static_cast<std::size_t>(e.frictions[k].rows[0])];
      RC_ASSERT(normal >= -1e-9);
      RC_ASSERT(std::abs(tangent) <= p["mu"] * normal + 1e-7);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Laws, RandomImpacts, testing::Bool());

// Thrown chains that bounce, slide and stick: energy falls from sample to sample.
TEST(Motion, EnergyNeverRisesWhileChainsFallAndSlide) {
  const Model model = chain(false);
  for (int k = 0; k < 4; ++k) {
    State initial = model.initial();
    initial.q = {0, 1.5 + 0.1 * k, 0.4 * k, 0.3, -0.5 - 0.2 * k};
    initial.u = {1.0 - k, 0.5, 2.0, -1.0 * k, 1.0};
    HybridSimulator sim(model.system, {.tolerance = 1e-9});
    sim.set_parameters({{"h1", 0}, {"h2", 0}, {"h3", 0}, {"mu", 0.2 + 0.2 * k}});
    sim.start(initial);
    double before = 1e300, scale = 0;
    const auto report = sim.run({.until = 1.5, .intervals = 300}, [&](const State& s) {
      const auto y = sim.calc_reports(s);
      const double energy = y[0] + y[1];
      scale = std::max(scale, std::abs(energy));
      EXPECT_LE(energy, before + 1e-7 * scale) << k << " at " << s.t;
      before = energy;
      return true;
    });
    EXPECT_FALSE(report.failure) << (report.failure ? report.failure->message(model.equations()) : "");
  }
}

}  // namespace
}  // namespace kane::test

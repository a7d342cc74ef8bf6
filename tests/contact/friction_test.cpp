// Friction in a plane against closed forms: the cone is round, whatever the axes of the contact.

#include <gtest/gtest.h>

#include <numbers>

#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

constexpr double kG = 9.81;

/// A particle on a floor; `more` holds loads.
Model particle(const std::string& axes, const std::string& more) {
  std::string motions;
  for (const char axis : axes) motions += fmt::format("{{translate: {0}, coordinate: {0}, speed: v{0}}}, ", axis);
  std::string text = R"(
kane: 1
parameters: {al: 0, be: 0, F: 0, mu: 0.3, mus: 0.3, g: 9.81}
gravity: -g*(cos(al)*N.z + sin(al)*(cos(be)*N.x + sin(be)*N.y))
bodies: {b: {mass: 2}}
joints: {j: {type: general, parent: N, child: b, motions: [MOTIONS]}}
contacts: {floor: {point: b, plane: N.z, friction: mu, static_friction: mus}}
)";
  text.replace(text.find("MOTIONS"), 7, motions);
  return parse_model(text + more);
}

TEST(RoundCone, HoldsBelowItsAngleInEveryDirectionAndSlidesStraightAbove) {
  const Model model = particle("xyz", "");
  for (const double part : {0.9, 0.95, 0.9999, 1.01, 1.5})
    for (const double be : {0.0, 0.2, 0.3927, 2.0}) {
      const double al = std::atan(0.3 * part);
      const HybridRun run = run_hybrid(model, {{"al", al}, {"be", be}}, {.until = 2}, {.tolerance = 1e-10});
      const double way = -std::max(0.0, kG * (std::sin(al) - 0.3 * std::cos(al))) * 2;
      EXPECT_NEAR(run.last().q[0], way * std::cos(be), 1e-9) << part << ' ' << be;
      EXPECT_NEAR(run.last().q[1], way * std::sin(be), 1e-9) << part << ' ' << be;
      if (part < 1) {
        EXPECT_EQ(run.last().q[0], 0.0);
      }
    }
}

TEST(RoundCone, WhatSlidesUpAcrossTheAxesStopsWhereTheClosedFormSaysAndStays) {
  const Model model = particle("xyz", "");
  const double al = std::atan(0.3 * 0.95), be = 0.3927;
  State initial = model.initial();
  initial.u = {std::cos(be), std::sin(be), 0};
  const HybridRun run = run_hybrid(model, {{"al", al}, {"be", be}}, initial, {.until = 3}, {.tolerance = 1e-10});
  const double a = kG * (std::sin(al) + 0.3 * std::cos(al));
  EXPECT_NEAR(std::hypot(run.last().q[0], run.last().q[1]), 1 / (2 * a), 1e-9);
  EXPECT_NEAR(run.report.events.back().t, 1 / a, 1e-8);
  for (const double u : run.last().u) EXPECT_EQ(u, 0.0);
}

// Pulled harder and harder: lets go exactly where the force reaches mu_s N, once, and slides on with mu N.
TEST(Release, HappensOnceAndExactlyAtTheLimit) {
  const double be = 0.39;
  for (const std::string axes : {"xz", "xyz"}) {
    const bool plane = axes.size() == 3;
    const Model model = particle(
        axes, plane ? fmt::format("loads: [{{force: 'F*t*({}*N.x + {}*N.y)', at: b}}]", std::cos(be), std::sin(be))
                    : "loads: [{force: F*t*N.x, at: b}]");
    for (const double mus : {0.3, 0.35})
      for (const double F : {0.1, 2.0, 1000.0}) {
        const double t = mus * 2 * kG / F, dt = t;
        const HybridRun run = run_hybrid(model, {{"mus", mus}, {"F", F}}, {.until = t + dt}, {.tolerance = 1e-11});
        ASSERT_EQ(run.report.events.size(), 2U) << axes << mus << ' ' << F;
        EXPECT_NEAR(run.report.events[1].t, t, 1e-12 * t);
        const double x = (mus - 0.3) * kG * dt * dt / 2 + F / 2 * dt * dt * dt / 6;
        EXPECT_NEAR(run.last().q[0], plane ? x * std::cos(be) : x, 1e-8 * x);
        if (plane) {
          EXPECT_NEAR(run.last().q[1], x * std::sin(be), 1e-8 * x);
        }
      }
  }
}

// A ball with spin thrown against a wall: the impulse of friction opposes the sliding of the point of contact, m mu (1 + e) v_n
// where it slides until the end, else what stops it, with the mass 2/7 m that a solid ball has there.
TEST(RoundCone, ABallWithSpinReboundsAsTheClosedFormSays) {
  const std::string text = R"(
kane: 1
parameters: {e: 0.7, mu: 0.2, r: 0.05, m: 0.06}
bodies: {ball: {mass: m, inertia: [0.4*m*r^2, 0.4*m*r^2, 0.4*m*r^2], geometry: {sphere: 0.05}}}
joints: {j: {type: free, parent: N, child: ball, speeds: [ux, uy, uz, w1, w2, w3]}}
contacts: {wall: {KIND, plane: N.z, restitution: e, friction: mu, law: LAW}}
)";
  for (const std::string kind : {"sphere: ball, radius: r", "between: [ball, N]"})
    for (const std::string law : {"newton", "poisson"}) {
      std::string t = text;
      t.replace(t.find("KIND"), 4, kind);
      t.replace(t.find("LAW"), 3, law);
      const Model model = parse_model(t);
      for (const double mu : {0.05, 0.2, 0.6})
        for (const double e : {0.0, 0.7, 1.0}) {
          State initial = model.initial();
          initial.q[2] = 0.25;
          initial.u = {3, 1, -4, 20, -5, 3};
          const HybridRun run =
              run_hybrid(model, {{"mu", mu}, {"e", e}}, initial, {.until = 0.06}, {.tolerance = 1e-10});
          const double sx = 3 + 0.05 * 5, sy = 1 + 0.05 * 20, slip = std::hypot(sx, sy);  // v + w x (0, 0, -r)
          const double change = std::min(slip * 2 / 7, mu * (1 + e) * 4);
          const auto& after = run.report.events[0].u_after;
          EXPECT_NEAR(after[0], 3 - change * sx / slip, 1e-9) << kind << law << mu << ' ' << e;
          EXPECT_NEAR(after[1], 1 - change * sy / slip, 1e-9) << kind << law << mu << ' ' << e;
          EXPECT_NEAR(after[2], 4 * e, 1e-9);
        }
    }
}

// Rolling resistance at the lever d: (7/5) m a r = m g d; spinning resistance at the lever s: J dw/dt = m g s.
TEST(RollingResistance, StopsABallWhereTheClosedFormSays) {
  const Model model = parse_model(R"(
kane: 1
parameters: {m: 0.5, R: 0.1, J: 0.4*m*R^2}
gravity: -9.81*N.z
bodies: {b: {mass: m, inertia: [J, J, J]}}
joints: {j: {type: free, parent: N, child: b, speeds: [vx, vy, vz, wx, wy, wz]}}
contacts: {floor: {sphere: b, radius: R, plane: N.z, friction: 0.5, rolling_friction: 2 mm, spinning_friction: 1 mm}}
)");
  State initial = model.initial();
  initial.q[2] = 0.1;
  initial.u = {0.6, 0.3, 0, -3, 6, 4};
  const HybridRun run = run_hybrid(model, {}, initial, {.until = 6}, {.tolerance = 1e-10});
  const double v = std::hypot(0.6, 0.3), a = 5.0 / 7 * kG * 0.002 / 0.1;
  EXPECT_NEAR(run.last().q[0], 0.6 / v * v * v / (2 * a), 1e-8);
  EXPECT_NEAR(run.last().q[1], 0.3 / v * v * v / (2 * a), 1e-8);
  ASSERT_EQ(run.report.events.size(), 3U);
  EXPECT_NEAR(run.report.events[1].t, 4 * 0.4 * 0.01 / (0.001 * kG), 1e-8);
  EXPECT_NEAR(run.report.events[2].t, v / a, 1e-7);
  for (const double u : run.last().u) EXPECT_EQ(u, 0.0);
}

// A ball that rolls around another one, pulled to it, all the way round: the normal passes every axis. Its speed stays.
TEST(BallsWithFriction, OneRollsAroundTheOther) {
  for (const bool space : {false, true}) {
    const Model model = parse_model(
        std::string(R"(
kane: 1
bodies: {A: {mass: 1, shape: {sphere: 0.1}}, B: {}}
joints:
  b: {type: weld, parent: N, child: B}
)") +
        (space ? "  a: {type: free, parent: N, child: A, speeds: [vx, vy, vz, wx, wy, wz]}\n"
               : "  a: {type: planar, parent: N, child: A, coordinates: [x, y, p], speeds: [vx, vy, w]}\n") +
        R"(
contacts: {click: {spheres: [A, B], radii: [0.1, 0.3], friction: 0.9}}
loads: [{spring: 500, from: A, to: B, length: 0.2}]
)");
    State initial = model.initial();
    const double v = 2, R = 0.4, tilt = space ? 0.4 : 0.0, c = std::cos(tilt), s = std::sin(tilt);
    initial.q[0] = R;
    initial.u =
        space ? std::vector<double>{0, v * c, v * s, 0, -v * s / 0.1, v * c / 0.1} : std::vector<double>{0, v, v / 0.1};
    const HybridRun run = run_hybrid(model, {}, initial, {.until = 2}, {.tolerance = 1e-10});
    const double angle = v / R * 2;
    EXPECT_EQ(run.report.events.size(), 1U);
    EXPECT_NEAR(run.last().q[0], R * std::cos(angle), 1e-7) << space;
    EXPECT_NEAR(run.last().q[1], R * std::sin(angle) * c, 1e-7) << space;
    if (space) {
      EXPECT_NEAR(run.last().q[2], R * std::sin(angle) * s, 1e-7);
    }
  }
}

TEST(Release, WhatIsWrongWithCoefficientsIsSaid) {
  const Model model = particle("xz", "");
  EXPECT_THROW(run_hybrid(model, {{"mus", 0.1}}, {.until = 1}), ModelError);
  EXPECT_THROW(run_hybrid(model, {{"mu", -0.1}}, {.until = 1}), ModelError);
}

}  // namespace
}  // namespace kane::test

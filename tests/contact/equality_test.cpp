// Embedding on line, equations prepared for every mode, and multipliers give the same motion, over whole runs of random
// systems; the choice of independent speeds follows the constraints through singularities; redundant rows are named.

#include <gtest/gtest.h>

#include <random>

#include "kane/model/mode_systems.hpp"
#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

/// A chain with `links` turning joints about random axes; two motion constraints with random coefficients and one on the
/// configuration come and go.
std::string random_chain(int links, std::mt19937& random) {
  const auto number = [&](double low, double high) {
    return fmt::format("{:.3f}", std::uniform_real_distribution<>(low, high)(random));
  };
  std::string bodies, joints, sum1 = "0", sum2 = "0", parent = "N", at = "[0, 0, 0]", initial;
  const char* const axes[] = {"x", "y", "z"};
  for (int i = 1; i <= links; ++i) {
    bodies += fmt::format("  b{}: {{mass: {}, com: [{}, 0, 0], inertia: [0.02, 0.03, 0.04]}}\n", i, number(0.5, 2),
                          number(0.1, 0.3));
    joints += fmt::format(
        "  j{0}: {{type: revolute, parent: {1}, at: {2}, child: b{0}, axis: {3}, coordinate: q{0}, speed: u{0}}}\n", i,
        parent, at, axes[random() % 3]);
    sum1 += fmt::format(" + {}*u{}", number(0.3, 1), i), sum2 += fmt::format(" + {}*u{}", number(-1, 1), i);
    initial += fmt::format("{}q{}: {}, u{}: {}", i == 1 ? "" : ", ", i, number(-1, 1), i, number(-1, 1));
    parent = fmt::format("b{}", i), at = fmt::format("[{}, 0, 0]", number(0.3, 0.6));
  }
  return fmt::format(
      "kane: 1\ngravity: -9.81*N.z\nbodies:\n{}joints:\n{}constraints:\n  a: {{motion: {}, active: false}}\n  b: "
      "{{motion: "
      "{}, active: false}}\nmodes:\n  free: {{active: [], initial: true}}\n  one: {{active: [a]}}\n  two: {{active: "
      "[a, "
      "b]}}\n  other: {{active: [b]}}\nevents:\n  e1: {{when: t > 0.05, from: free, to: one}}\n  e2: {{when: t > 0.1, "
      "from: "
      "one, to: two}}\n  e3: {{when: t > 0.2, from: two, to: other}}\n  e4: {{when: t > 0.25, from: other, to: free}}\n"
      "initial: {{{}}}\n",
      bodies, joints, sum1, sum2, initial);
}

TEST(ConstraintMethods, GiveTheSameRunsOfRandomSystems) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 8; ++trial) {
    const Model model = parse_model(random_chain(3 + trial % 3, random));
    std::vector<HybridRun> runs;
    for (const auto method : {ConstraintMethod::Embedded, ConstraintMethod::Modes, ConstraintMethod::Multipliers}) {
      SimulatorOptions options;
      options.tolerance = 1e-12;
      options.constraints = method;
      if (method == ConstraintMethod::Modes) options.modes = form_mode_systems(model.mechanism);
      runs.push_back(run_hybrid(model, {}, {.until = 0.3, .intervals = 30}, options));
      ASSERT_EQ(runs.back().report.events.size(), 4U);
    }
    for (std::size_t k = 1; k < 3; ++k)
      for (std::size_t i = 0; i < runs[0].samples.size(); ++i) {
        const State &a = runs[0].samples[i], &b = runs[k].samples[i];
        double scale = 1;
        for (const double u : a.u) scale = std::max(scale, std::abs(u));
        for (std::size_t j = 0; j < a.q.size(); ++j) EXPECT_NEAR(a.q[j], b.q[j], 1e-10 * scale) << trial << " " << i;
        for (std::size_t j = 0; j < a.u.size(); ++j) EXPECT_NEAR(a.u[j], b.u[j], 1e-10 * scale) << trial << " " << i;
      }
  }
}

// A crank and rod whose end is caught on a line; the same line once more is redundant.
constexpr const char* kCaught = R"yaml(
kane: 1
bodies:
  crank: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  rod: {mass: 0.3, com: [0.505, 0, 0], inertia: [0.03, 0.03, 0.03], points: {tip: [1.01, 0, 0]}}
joints:
  j1: {type: revolute, parent: N, child: crank, axis: z, coordinate: q1, speed: u1}
  j2: {type: revolute, parent: crank, at: [1, 0, 0], child: rod, axis: z, coordinate: q2, speed: u2}
constraints:
  line: {configuration: "dot(position(rod.tip), N.y)", active: false}
  again: {configuration: "2*dot(position(rod.tip), N.y)", active: false}
events:
  catch: {when: "dot(position(rod.tip), N.y) falls through zero", impose: EVENT}
initial: {q1: 0.5, q2: -0.8, u1: 1, u2: -4}
)yaml";

Model caught(const std::string& imposed) {
  std::string text = kCaught;
  text.replace(text.find("EVENT"), 5, imposed);
  return parse_model(text);
}

// Three links whose end is caught become a four-bar linkage that can turn nowhere all the way round: each of its speeds is
// zero somewhere while the others are not, so that no choice of the independent one is good for the whole run.
TEST(SingularityAvoidance, ChoosesOtherIndependentSpeedsOnTheWay) {
  const Model model = parse_model(R"yaml(
kane: 1
bodies:
  a: {mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
  b: {mass: 1, com: [0.55, 0, 0], inertia: [0.1, 0.1, 0.1]}
  c: {mass: 1, com: [0.6, 0, 0], inertia: [0.1, 0.1, 0.1], points: {tip: [1.2, 0, 0]}}
joints:
  j1: {type: revolute, parent: N, child: a, axis: z, coordinate: q1, speed: u1}
  j2: {type: revolute, parent: a, at: [1, 0, 0], child: b, axis: z, coordinate: q2, speed: u2}
  j3: {type: revolute, parent: b, at: [1.1, 0, 0], child: c, axis: z, coordinate: q3, speed: u3}
constraints:
  held: {motion: ["dot(v(c.tip), N.x)", "dot(v(c.tip), N.y)"], active: false}
events:
  catch: {when: t > 0.05, impose: held}
initial: {q1: 1.2, q2: -0.9, q3: -1, u1: 2, u2: -1, u3: 0.5}
)yaml");
  SimulatorOptions embedded, full;
  embedded.tolerance = full.tolerance = 1e-12;
  full.constraints = ConstraintMethod::Multipliers;
  const HybridRun a = run_hybrid(model, {}, {.until = 8, .intervals = 80}, embedded);
  const HybridRun b = run_hybrid(model, {}, {.until = 8, .intervals = 80}, full);
  ASSERT_EQ(a.report.events.size(), 1U);
  EXPECT_GE(a.report.choices, 2);
  for (std::size_t i = 0; i < a.samples.size(); ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(a.samples[i].q[j], b.samples[i].q[j], 1e-7) << a.samples[i].t;
      EXPECT_NEAR(a.samples[i].u[j], b.samples[i].u[j], 1e-7) << a.samples[i].t;
    }
}

TEST(RedundantRows, AreFoundAndNamed) {
  const Model model = caught("[line, again]");
  const HybridRun run = run_hybrid(model, {}, {.until = 1}, {.tolerance = 1e-11});
  ASSERT_EQ(run.report.events.size(), 1U);
  const auto& changes = run.report.events[0].changes;
  EXPECT_TRUE(std::any_of(changes.begin(), changes.end(), [](const std::string& c) {
    return c == "again is redundant" || c == "line is redundant";
  })) << fmt::format("{}", fmt::join(changes, "; "));
  const HybridRun plain = run_hybrid(caught("line"), {}, {.until = 1}, {.tolerance = 1e-11});
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(run.last().q[j], plain.last().q[j], 1e-9);
}

TEST(EventOrder, IsTheSameTwiceToTheLastBit) {
  const Model model = load_model("newtons_cradle");
  const HybridRun a = run_hybrid(model, {}, {.until = 3}, {.tolerance = 1e-9});
  const HybridRun b = run_hybrid(load_model("newtons_cradle"), {}, {.until = 3}, {.tolerance = 1e-9});
  ASSERT_EQ(a.report.events.size(), b.report.events.size());
  for (std::size_t i = 0; i < a.report.events.size(); ++i) {
    EXPECT_EQ(a.report.events[i].t, b.report.events[i].t);
    EXPECT_EQ(a.report.events[i].causes, b.report.events[i].causes);
    EXPECT_EQ(a.report.events[i].u_after, b.report.events[i].u_after);
  }
}

// Two equal balls meet off centre with friction: what one loses in angular momentum the other and the orbit gain.
TEST(BallsWithFriction, KeepMomentumAndLoseEnergy) {
  const Model model = parse_model(R"(
kane: 1
bodies:
  A: {mass: 1, shape: {sphere: 0.1}}
  B: {mass: 2, shape: {sphere: 0.15}}
joints:
  a: {type: planar, parent: N, child: A, coordinates: [x, y, p], speeds: [u1, u2, u3]}
  b: {type: planar, parent: N, child: B, coordinates: [X, Y, P], speeds: [w1, w2, w3]}
contacts:
  click: {spheres: [A, B], radii: [0.1, 0.15], friction: 0.3, restitution: 0.8}
initial: {x: -0.5, y: 0.1, u1: 2, u3: 20}
)");
  const HybridRun run = run_hybrid(model, {}, {.until = 1}, {.tolerance = 1e-10});
  ASSERT_EQ(run.report.events.size(), 1U);
  const SwitchRecord& hit = run.report.events[0];
  const auto& a = hit.u_before;
  const auto& b = hit.u_after;
  EXPECT_NEAR(a[0] + 2 * a[3], b[0] + 2 * b[3], 1e-9);
  EXPECT_NEAR(a[1] + 2 * a[4], b[1] + 2 * b[4], 1e-9);
  const double x = -0.5 + 2 * hit.t, y = 0.1;  // of A when they meet; B is at the origin
  const auto spin = [&](const std::vector<double>& u) {
    return 0.4 * 0.01 * u[2] + 0.4 * 2 * 0.0225 * u[5] + x * u[1] - y * u[0];
  };
  EXPECT_NEAR(spin(a), spin(b), 1e-8);
  EXPECT_GT(std::abs(b[5]), 0.1);  // B turns
  EXPECT_LT(hit.kinetic_after, hit.kinetic_before);
  const double d = std::hypot(x, y), nx = -x / d, ny = -y / d;  // from A to B
  EXPECT_NEAR((b[3] - b[0]) * nx + (b[4] - b[1]) * ny, -0.8 * ((a[3] - a[0]) * nx + (a[4] - a[1]) * ny), 1e-8);
}

}  // namespace
}  // namespace kane::test

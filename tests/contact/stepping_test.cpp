// Time stepping with many contacts: closed forms, rest, energy, and that runs come to their ends.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

struct Body {
  std::string shape;
  std::array<double, 3> at{};
  std::array<double, 4> turn{0, 0, 0, 1};
  std::array<double, 6> speeds{};
};

/// Free bodies above a plane.
std::string scene(const std::vector<Body>& bodies, const std::string& laws, const std::string& gravity = "-9.81*N.z") {
  std::string text = "kane: 1\ngravity: " + gravity + "\nbodies:\n", joints = "joints:\n", initial;
  static constexpr const char* kCoordinates[] = {"x", "y", "z", "e1_", "e2_", "e3_", "e4_"};
  static constexpr const char* kSpeeds[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    text += fmt::format("  b{}: {{mass: 1, shape: {{{}}}}}\n", i, bodies[i].shape);
    std::string q, u;
    for (std::size_t k = 0; k < 7; ++k) {
      q += fmt::format("{}{}{}", k > 0 ? ", " : "", kCoordinates[k], i);
      initial += fmt::format("{}{}: {}, ", kCoordinates[k], i, k < 3 ? bodies[i].at[k] : bodies[i].turn[k - 3]);
    }
    for (std::size_t k = 0; k < 6; ++k) {
      u += fmt::format("{}{}{}", k > 0 ? ", " : "", kSpeeds[k], i);
      initial += fmt::format("{}{}: {}, ", kSpeeds[k], i, bodies[i].speeds[k]);
    }
    joints +=
        fmt::format("  j{0}: {{type: free, parent: N, child: b{0}, coordinates: [{1}], speeds: [{2}]}}\n", i, q, u);
  }
  return text + joints + "contacts:\n  touch: {all: true, plane: N.z, " + laws + "}\noutputs: {E: energy}\ninitial: {" +
         initial.substr(0, initial.size() - 2) + "}\n";
}

SimulatorOptions stepping(double step = 1e-3) {
  SimulatorOptions options;
  options.switching.scheme = ContactScheme::Stepping;
  options.switching.contact_step = step;
  return options;
}

std::string box(double a, double b, double c) { return fmt::format("box: [{}, {}, {}]", a, b, c); }

std::vector<Body> stack(std::size_t n) {
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < n; ++i)
    bodies.push_back({box(0.2, 0.2, 0.1), {0, 0, 0.05 + 0.1 * static_cast<double>(i)}});
  return bodies;
}

TEST(Stepping, FreeFallIsExact) {
  const Model model =
      parse_model(scene({{"sphere: 0.05", {0, 0, 2}, {0, 0, 0, 1}, {1, 0, 0, 0, 0, 0}}}, "friction: 0.3"));
  const HybridRun run = run_hybrid(model, {}, {.until = 0.5}, stepping());
  EXPECT_NEAR(run.last().q[0], 0.5, 1e-12);
  EXPECT_NEAR(run.last().q[2], 2 - 9.81 * 0.25 / 2, 1e-12);
  EXPECT_NEAR(run.last().u[2], -9.81 * 0.5, 1e-12);
}

TEST(Stepping, ABallReboundsByNewtonsLaw) {
  const double e = 0.6, height = 0.8;
  const Model model = parse_model(scene({{"sphere: 0.05", {0, 0, 0.05 + height}}}, "restitution: 0.6"));
  for (const double h : {1e-3, 1e-4}) {
    double highest = 0;
    HybridSimulator sim(model.system, stepping(h));
    sim.start(model.initial());
    bool bounced = false;
    (void)sim.run({.until = 0.9, .intervals = 9000}, [&](const State& s) {
      bounced = bounced || s.u[2] > 0.1;
      if (bounced) highest = std::max(highest, s.q[2] - 0.05);
      return true;
    });
    // The step in which it arrives ends at the ground; what it would have gained below its start is lost.
    EXPECT_NEAR(highest, e * e * height, 6 * h) << h;
    EXPECT_LE(highest, e * e * height);
  }
}

TEST(Stepping, SlidingStopsWhereFrictionSays) {
  const double mu = 0.4, v = 1.5;
  const Model model =
      parse_model(scene({{box(0.3, 0.3, 0.02), {0, 0, 0.01}, {0, 0, 0, 1}, {v, 0, 0, 0, 0, 0}}}, "friction: 0.4"));
  const HybridRun run = run_hybrid(model, {}, {.until = 1}, stepping());
  EXPECT_NEAR(run.last().q[0], v * v / (2 * mu * 9.81), 3e-4);
  for (const double u : run.last().u) EXPECT_EQ(u, 0);
}

TEST(Stepping, ABoxBelowTheFrictionAngleDoesNotCreep) {
  const double mu = 0.5;
  for (const double excess : {-0.02, 0.02}) {
    const double a = std::atan(mu) + excess;
    const Model model = parse_model(scene({{box(0.2, 0.2, 0.05), {0, 0, 0.025}}}, "friction: 0.5",
                                          fmt::format("{}*N.x - {}*N.z", 9.81 * std::sin(a), 9.81 * std::cos(a))));
    const HybridRun run = run_hybrid(model, {}, {.until = 1}, stepping());
    const double acceleration = 9.81 * (std::sin(a) - mu * std::cos(a));
    if (excess < 0)
      EXPECT_EQ(run.last().q, model.initial().q);
    else
      EXPECT_NEAR(run.last().q[0], acceleration / 2, 2e-3 * acceleration);
  }
}

TEST(Stepping, StacksStandStill) {
  for (const std::size_t n : {1U, 3U, 10U, 30U}) {
    const Model model = parse_model(scene(stack(n), "friction: 0.5"));
    const HybridRun run = run_hybrid(model, {}, {.until = 0.1}, stepping());
    EXPECT_EQ(run.last().q, model.initial().q) << n;
    EXPECT_EQ(run.report.stepping.unconverged, 0) << n;
  }
}

/// Bricks side by side and over the joints of the row below: forces have to be found through the whole wall.
/// What rests is solved once; what comes to it wakes it.
TEST(Stepping, IslandsAtRestSleep) {
  std::vector<Body> bodies = stack(4);
  bodies.push_back({"sphere: 0.05", {0.02, 0.01, 3}});  // arrives after 0.72 s
  const Model model = parse_model(scene(bodies, "friction: 0.5"));
  const auto sweeps = [&](double until) {
    return run_hybrid(model, {}, {.until = until}, stepping()).report.stepping.sweeps;
  };
  const long early = sweeps(0.1);
  EXPECT_EQ(sweeps(0.6), early);
  EXPECT_GT(sweeps(0.75), early);
  const HybridRun run = run_hybrid(model, {}, {.until = 0.75}, stepping());
  EXPECT_GT(run.report.stepping.steps, 700);
  EXPECT_GT(std::abs(run.last().u[6 * 4 + 2] + 9.81 * 0.75), 1) << "the ball has been stopped";
}

TEST(Stepping, WallsStandStill) {
  std::vector<Body> bodies;
  for (std::size_t r = 0; r < 5; ++r)
    for (std::size_t c = 0; c < 5 - r % 2; ++c)
      bodies.push_back(
          {box(0.2, 0.1, 0.08),
           {0.2 * static_cast<double>(c) + (r % 2 == 1 ? 0.1 : 0.0), 0, 0.04 + 0.08 * static_cast<double>(r)}});
  const Model model = parse_model(scene(bodies, "friction: 0.6"));
  const HybridRun run = run_hybrid(model, {}, {.until = 0.05}, stepping());
  EXPECT_EQ(run.report.stepping.unconverged, 0);
  double moved = 0;
  for (std::size_t i = 0; i < run.last().q.size(); ++i)
    moved = std::max(moved, std::abs(run.last().q[i] - model.initial().q[i]));
  EXPECT_LT(moved, 1e-15);
}

TEST(Stepping, ContactForcesCarryTheWeight) {
  const Model model = parse_model(scene(stack(5), "friction: 0.5"));
  HybridSimulator sim(model.system, stepping());
  sim.start(model.initial());
  (void)sim.run({.until = 0.05});
  (void)sim.calc_reports(sim.state());
  std::map<std::string, double> sums;
  for (const ContactForce& f : sim.contact_forces())
    if (!f.is_friction) sums[f.name.substr(0, f.name.find_last_of("b") + 2)] += f.normal;
  double ground = 0;
  for (const ContactForce& f : sim.contact_forces())
    if (!f.is_friction && f.name.find("N") != std::string::npos) ground += f.normal;
  EXPECT_NEAR(ground, 5 * 9.81, 1e-6);
}

/// Bodies thrown onto each other from a seed: the run ends, energy does not rise, nothing falls through the plane.
TEST(Stepping, RandomPilesEndWithoutGainingEnergy) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    std::mt19937 random(seed);
    const auto uniform = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
    std::vector<Body> bodies;
    for (int i = 0; i < 5; ++i) {
      Body body;
      const int kind = static_cast<int>(uniform(0, 4));
      body.shape = kind == 0   ? fmt::format("sphere: {}", uniform(0.03, 0.07))
                   : kind == 1 ? box(uniform(0.05, 0.15), uniform(0.05, 0.15), uniform(0.05, 0.15))
                   : kind == 2
                       ? fmt::format("cylinder: {{radius: {}, length: {}}}", uniform(0.03, 0.06), uniform(0.02, 0.1))
                       : fmt::format("capsule: {{radius: {}, length: {}}}", uniform(0.02, 0.04), uniform(0.05, 0.1));
      body.at = {uniform(-0.03, 0.03), uniform(-0.03, 0.03), 0.15 + 0.25 * i};
      double size = 0;
      for (double& e : body.turn) e = uniform(-1, 1), size += e * e;
      for (double& e : body.turn) e /= std::sqrt(size);
      for (double& u : body.speeds) u = uniform(-1, 1);
      bodies.push_back(body);
    }
    const Model model =
        parse_model(scene(bodies, fmt::format("friction: {}, restitution: {}", uniform(0, 0.8), uniform(0, 0.8))));
    HybridSimulator sim(model.system, stepping());
    sim.start(model.initial());
    double before = 1e300;
    const RunReport report = sim.run({.until = 1, .intervals = 500}, [&](const State& s) {
      const double energy = calc_energy(model, sim, s);
      EXPECT_LE(energy, before + 1e-4 * std::abs(energy)) << "seed " << seed << ", t = " << s.t;
      before = energy;
      for (std::size_t i = 0; i < bodies.size(); ++i) EXPECT_GT(s.q[7 * i + 2], 0) << "seed " << seed;
      return true;
    });
    EXPECT_EQ(report.status, RunStatus::Done) << seed;
    EXPECT_TRUE(report.energy.balanced);
    EXPECT_LE(report.energy.largest_rise, 1e-6 * report.energy.scale) << seed;
    EXPECT_LT(report.stepping.penetration, 1e-6) << seed;
  }
}

/// Balls in a box without a lid, while they fall, push each other aside and come to rest: nearly every step is solved, the
/// others are near it, and none of it adds energy.
TEST(Stepping, BallsThatFallIntoABoxAreSolved) {
  std::vector<Body> bodies;
  for (std::size_t i = 0; i < 10; ++i) {
    const auto layer = static_cast<double>(i / 4), shift = 0.004 * std::sin(12.9898 * static_cast<double>(i));
    bodies.push_back(
        {"sphere: 0.05",
         {(i % 2 == 0 ? -0.06 : 0.06) + shift, (i % 4 < 2 ? -0.06 : 0.06) - shift / 2, 0.06 + 0.12 * layer}});
  }
  std::string text = scene(bodies, "friction: 0.4, restitution: 0.1"), walls, welds;
  for (int k = 0; k < 4; ++k) {
    const double side = k % 2 == 0 ? -0.145 : 0.145;
    walls += fmt::format("  w{}: {{geometry: {{box: [{}, {}, 1]}}}}\n", k, k < 2 ? 0.05 : 0.34, k < 2 ? 0.34 : 0.05);
    welds += fmt::format("  jw{0}: {{type: weld, parent: N, child: w{0}, at: [{1}, {2}, 0.5]}}\n", k,
                         k < 2 ? side : 0.0, k < 2 ? 0.0 : side);
  }
  const std::size_t joints = text.find("joints:\n");
  text.insert(joints + 8, welds);
  text.insert(joints, walls);
  const Model model = parse_model(text);
  const HybridRun run = run_hybrid(model, {}, {.until = 0.5}, stepping());
  EXPECT_EQ(run.report.status, RunStatus::Done);
  EXPECT_LT(run.report.stepping.unconverged, run.report.stepping.steps / 10);  // was above a quarter
  EXPECT_LT(run.report.stepping.residual, 1e-3);
  EXPECT_LE(run.report.energy.largest_rise, 1e-6 * run.report.energy.scale);
  EXPECT_LT(run.report.stepping.penetration, 1e-6);
}

/// A shape that passes close above a thin bar and never touches it keeps its motion, although its edges pass those at the far
/// side of the bar as they would if it were deep inside.
TEST(Stepping, ShapesThatPassABarDoNotTouchIt) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> angle(-3, 3), tilt(-0.5, 0.5);
  const std::string shapes[] = {"capsule: {radius: 0.03, length: 0.15}", box(0.3, 0.016, 0.016)};
  const double half_length[] = {0.075 + 0.03, 0.15 + 0.0115}, width[] = {0.03, 0.0115};
  for (std::size_t k = 0; k < 60; ++k) {
    const std::size_t kind = k % 2;
    const double a = angle(random), b = tilt(random), roll = angle(random);
    // The capsule lies along z, the bar along x: both are turned to lie flat, about the vertical, and tilted by b.
    const double flat = (kind == 0 ? std::numbers::pi / 2 : 0) + b;
    const std::array<double, 4> turn{-std::sin(a / 2) * std::sin(flat / 2), std::cos(a / 2) * std::sin(flat / 2),
                                     std::sin(a / 2) * std::cos(flat / 2), std::cos(a / 2) * std::cos(flat / 2)};
    const double above = half_length[kind] * std::sin(std::abs(b)) + width[kind] + std::sqrt(2.0) * 0.01 + 1e-3;
    const std::array<double, 6> speeds{3 * std::sin(roll), -30, 0, 0, 0, 0};
    const Model model =
        parse_model(scene({{shapes[kind], {0, 0.2, 5 + above}, turn, speeds},
                           {box(0.44, 0.02, 0.02), {0, 0, 5}, {std::sin(roll / 2), 0, 0, std::cos(roll / 2)}}},
                          "friction: 0.3, restitution: 0.5", "0*N.z"));
    const HybridRun run = run_hybrid(model, {}, {.until = 0.015}, stepping());
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(run.last().u[i], i < 6 ? speeds[i] : 0.0, 1e-12) << k << ' ' << i;
    EXPECT_EQ(run.report.stepping.penetration, 0) << k;
  }
}

}  // namespace
}  // namespace kane::test

// Bodies that touch wherever their shapes meet: rows against those derived in symbols, motion against closed forms.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "kane/base/error.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"
#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

const char* const kFree = "{type: free, parent: N, child: B, coordinates: [x, y, z, e1, e2, e3, e4]}";

std::string one_body(const std::string& shape, const std::string& contacts, const std::string& more = "") {
  return "kane: 1\nparameters: {g: 9.81}\ngravity: -g*N.z\nbodies:\n  B: {mass: 2, inertia: [0.02, 0.03, 0.04], "
         "geometry: " +
         shape + "}\n" + more + "joints:\n  free: " + kFree + "\n" + contacts + "outputs: {E: energy}\n";
}

// ---- rows ------------------------------------------------------------------------------------------------------------------

struct Rows {
  double phi, gamma;
  std::vector<double> a;
};

Rows row(const SystemEvaluator& e, std::size_t i) {
  return {e.phi()[i], e.gamma()[i], {e.jacobian().row(i), e.jacobian().row(i) + e.system().speed_count()}};
}

void expect_same(const Rows& a, const Rows& b, double sign = 1) {
  EXPECT_NEAR(a.phi, sign * b.phi, 1e-12);
  EXPECT_NEAR(a.gamma, sign * b.gamma, 1e-9);
  for (std::size_t j = 0; j < a.a.size(); ++j) EXPECT_NEAR(a.a[j], sign * b.a[j], 1e-12);
}

/// The row of the contact `symbolic` in the file, and that of the only slot.
void compare(const std::string& text, const std::vector<double>& q, const std::vector<double>& u, bool slips) {
  const Model model = parse_model(text);
  SystemEvaluator evaluator(model.system);
  SwitchedDynamics dynamics(evaluator);
  std::vector<double> speeds = u;
  (void)dynamics.note_step(q, u);
  evaluator.calc_constraints(q, u);
  const auto& constraints = model.equations().constraints;
  const auto find = [&](const std::string& name) {
    for (std::size_t i = 0; i < constraints.size(); ++i)
      if (constraints[i].name == name) return i;
    throw std::runtime_error("no row " + name);
  };
  std::size_t slot = 99;
  for (std::size_t s = 0; s < dynamics.shapes()->layout().slots; ++s)
    if (dynamics.shapes()->scene().pair_of(s) != kNoIndex && dynamics.shapes()->scene().touch(s).gap.v < 0.5) slot = s;
  ASSERT_NE(slot, 99U);
  const std::size_t first = dynamics.shapes()->first_row(slot);
  expect_same(row(evaluator, first), row(evaluator, find("symbolic")));
  if (!slips) return;
  expect_same(row(evaluator, first + 1), row(evaluator, find("symbolic.friction2")));
  expect_same(row(evaluator, first + 2), row(evaluator, find("symbolic.friction1")), -1);
}

const std::vector<double> kQuaternion{0.1, 0.2, -0.3, std::sqrt(1 - 0.14)};

TEST(ShapeRows, OfABallOnAPlaneAreThoseOfTheSymbolicContact) {
  compare(one_body("{sphere: 0.2, at: [0.1, 0.05, 0]}",
                   "points: {C: {on: B, at: [0.1, 0.05, 0]}}\ncontacts:\n  symbolic: {sphere: B, at: C, radius: 0.2, "
                   "plane: N.z, friction: 0.3}\n"
                   "  shapes: {between: [B, N], plane: N.z, friction: 0.3}\n"),
          {0.3, 0.4, 0.21, 0.1, 0.2, -0.3, kQuaternion[3]}, {1, -2, 0.5, 3, -1, 2}, true);
}

TEST(ShapeRows, OfADiskOnAPlaneAreThoseOfTheSymbolicContact) {
  compare(one_body("{disk: {radius: 0.2}}",
                   "contacts:\n  symbolic: {disk: B, radius: 0.2, axis: B.z, plane: N.z, friction: 0.3}\n"
                   "  shapes: {between: [B, N], plane: N.z, friction: 0.3}\n"),
          {0.3, 0.4, 0.1, 0.3, 0.4, -0.3, std::sqrt(1 - 0.34)}, {1, -2, 0.5, 3, -1, 2}, false);
}

TEST(ShapeRows, OfTwoBallsAreThoseOfTheSymbolicContact) {
  const std::string text =
      "kane: 1\nbodies:\n  A: {mass: 1, inertia: [1, 1, 1], geometry: {sphere: 0.3}}\n  B: {mass: 1, inertia: [1, 1, "
      "1], "
      "geometry: {sphere: 0.2}}\njoints:\n  a: {type: free, parent: N, child: A, coordinates: [x, y, z, e1, e2, e3, "
      "e4], speeds: [u1, u2, u3, u4, u5, u6]}\n"
      "  b: {type: free, parent: N, child: B, coordinates: [X, Y, Z, f1, f2, f3, f4], speeds: [w1, w2, w3, w4, w5, "
      "w6]}\n"
      "contacts:\n  symbolic: {spheres: [A, B], radii: [0.3, 0.2]}\n  shapes: {between: [A, B]}\ninitial: {X: 1}\n";
  const double e4 = kQuaternion[3];
  compare(text, {0, 0, 0, 0.1, 0.2, -0.3, e4, 0.3, 0.2, 0.36, 0.1, 0.2, -0.3, e4},
          {1, 2, -1, 3, -2, 1, 0.5, -1, 2, 1, 2, 3}, false);
}

// A face, an edge and a corner of a box that moves: the ball is a point with a radius above each.
TEST(ShapeRows, OfABallOnAFaceAreThoseOfASymbolicPlaneFixedInTheBox) {
  const std::string text =
      "kane: 1\nbodies:\n  A: {mass: 1, inertia: [1, 1, 1], geometry: {box: [2, 2, 1]}}\n  B: {mass: 1, inertia: [1, "
      "1, 1], "
      "geometry: {sphere: 0.2}}\njoints:\n  a: {type: free, parent: N, child: A, coordinates: [x, y, z, e1, e2, e3, "
      "e4], speeds: [u1, u2, u3, u4, u5, u6]}\n"
      "  b: {type: free, parent: N, child: B, coordinates: [X, Y, Z, f1, f2, f3, f4], speeds: [w1, w2, w3, w4, w5, "
      "w6]}\n"
      "contacts:\n  symbolic: {sphere: B, radius: 0.2, plane: A.z, reference: A, height: 0.5, friction: 0.4}\n"
      "  shapes: {between: [B, A], friction: 0.4}\n";
  compare(text, {0, 0, 0, 0, 0, 0, 1, 0.3, 0.2, 0.71, 0.1, 0.2, -0.3, kQuaternion[3]},
          {1, 2, -1, 0.3, -0.2, 0.1, 0.5, -1, 2, 1, 2, 3}, false);
}

// ---- motion ----------------------------------------------------------------------------------------------------------------

TEST(ShapeMotion, ABallRollsDownASlopeOnTheTopOfABox) {
  const Model model = parse_model(
      "kane: 1\nparameters: {g: 9.81, s: 0.3}\ngravity: -g*cos(s)*N.z + g*sin(s)*N.x\nbodies:\n  T: {geometry: {box: "
      "[4, 1, 0.2]}}\n"
      "  B: {mass: 1, shape: {sphere: 0.1}}\njoints:\n  t: {type: weld, parent: N, child: T, at: [0, 0, -0.1]}\n  "
      "free: " +
      std::string(kFree) + "\ncontacts:\n  top: {between: [B, T], friction: 0.5}\noutputs: {E: energy}\n");
  State s = model.initial();
  s.q[2] = 0.1, s.q[6] = 1;
  const HybridRun run = run_losing(model, s, 0.8);
  const double t = 0.8, a = 5.0 / 7 * 9.81 * std::sin(0.3);
  EXPECT_NEAR(run.last().q[0], a * t * t / 2, 1e-6);
  EXPECT_NEAR(run.last().q[2], 0.1, 1e-10);
}

TEST(ShapeMotion, ACylinderRollsDownASlope) {
  const Model model = parse_model(
      "kane: 1\nparameters: {g: 9.81, s: 0.3}\ngravity: -g*cos(s)*N.z + g*sin(s)*N.x\nbodies:\n  B: {mass: 1, shape: "
      "{cylinder: {radius: 0.1, length: 0.3}, orientation: {axis: x, angle: 90 deg}}}\n"
      "joints:\n  free: " +
      std::string(kFree) +
      "\ncontacts:\n  floor: {between: [B, N], plane: N.z, friction: 0.5}\noutputs: {E: energy}\n");
  State s = model.initial();
  s.q[2] = 0.1, s.q[6] = 1;
  const HybridRun run = run_losing(model, s, 0.5);
  EXPECT_NEAR(run.last().q[0], 2.0 / 3 * 9.81 * std::sin(0.3) * 0.25 / 2, 1e-6);
  EXPECT_NEAR(run.last().q[1], 0, 1e-8);
}

// The lowest point of an ellipsoid: its height is the support function, its rates those of differences.
TEST(ShapeRows, OfAnEllipsoidOnAPlaneAreThoseOfItsSupport) {
  const Model model = parse_model(
      one_body("{ellipsoid: [0.3, 0.2, 0.1]}", "contacts: {floor: {between: [B, N], plane: N.z, friction: 0.3}}\n"));
  SystemEvaluator evaluator(model.system);
  SwitchedDynamics dynamics(evaluator);
  std::vector<double> q{0.1, 0.2, 0.105, 0.02, 0.03, 0.1, 0}, u{0.3, -0.2, 0.1, 0.7, -1.1, 0.4}, qdot(7), udot(6);
  q[6] = std::sqrt(1 - q[3] * q[3] - q[4] * q[4] - q[5] * q[5]);
  const std::size_t row = model.system->constraint_count();
  struct At {
    double phi, rate;
  };
  const auto at = [&](std::span<const double> state) {
    (void)dynamics.note_step(state, u);
    evaluator.calc_constraints(state, u);
    double rate = evaluator.b()[row];
    for (std::size_t j = 0; j < 6; ++j) rate += evaluator.jacobian()(row, j) * u[j];
    return At{evaluator.phi()[row], rate};
  };
  const At now = at(q);
  // z of the third row of the rotation matrix, squared with the semi-axes
  const double x = q[3], y = q[4], z = q[5], w = q[6];
  const double r[] = {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)};
  const double support = std::sqrt(0.09 * r[0] * r[0] + 0.04 * r[1] * r[1] + 0.01 * r[2] * r[2]);
  EXPECT_NEAR(now.phi, q[2] - support, 1e-15);
  evaluator.calc_mass(q, u);
  std::ranges::copy(evaluator.qdot(), qdot.begin());
  constexpr double kStep = 1e-6;
  std::vector<double> later = q, before = q;
  for (std::size_t i = 0; i < 7; ++i) later[i] += kStep * qdot[i], before[i] -= kStep * qdot[i];
  EXPECT_NEAR(now.rate, (at(later).phi - at(before).phi) / (2 * kStep), 1e-8);
  // gamma = -(d/dt)(A u) with udot = 0
  (void)at(q);
  const double gamma = evaluator.gamma()[row];
  EXPECT_NEAR(-gamma, (at(later).rate - at(before).rate) / (2 * kStep), 1e-8);
}

TEST(ShapeMotion, ABoxFallsFlatAndLies) {
  const Model model = parse_model(
      one_body("{box: [0.2, 0.3, 0.1]}", "contacts:\n  floor: {between: [B, N], plane: N.z, friction: 0.4}\n"));
  State s = model.initial();
  s.q[2] = 0.3, s.q[6] = 1;
  const HybridRun run = run_losing(model, s, 1.0);
  ASSERT_FALSE(run.report.events.empty());
  EXPECT_NEAR(run.report.events[0].t, std::sqrt(2 * 0.25 / 9.81), 1e-8);
  double impulse = 0;
  for (const auto& [name, p] : run.report.events[0].impulses)
    if (name.find("friction") == std::string::npos) impulse += p;
  EXPECT_NEAR(impulse, 2 * std::sqrt(2 * 0.25 * 9.81), 1e-6);
  EXPECT_NEAR(run.last().q[2], 0.05, 1e-10);
  for (const double u : run.last().u) EXPECT_NEAR(u, 0, 1e-12);
}

TEST(ShapeMotion, AStackOfTwoBoxesStands) {
  const Model model = parse_model(
      "kane: 1\nparameters: {g: 9.81}\ngravity: -g*N.z\nbodies:\n  A: {mass: 1, shape: {box: [0.2, 0.2, 0.2]}}\n  B: "
      "{mass: 2, shape: {box: [0.2, 0.2, 0.2]}}\n"
      "joints:\n  a: {type: free, parent: N, child: A, coordinates: [x, y, z, e1, e2, e3, e4], speeds: [u1, u2, u3, "
      "u4, u5, u6]}\n"
      "  b: {type: free, parent: N, child: B, coordinates: [X, Y, Z, f1, f2, f3, f4], speeds: [w1, w2, w3, w4, w5, "
      "w6]}\n"
      "contacts:\n  all: {all: true, plane: N.z, friction: 0.5}\noutputs: {E: energy}\ninitial: {z: 0.1, Z: 0.3, X: "
      "0.02, Y: 0.01, e4: 1, f4: 1}\n");
  const HybridRun run = run_losing(model, model.initial(), 2.0);
  for (std::size_t i = 0; i < run.last().q.size(); ++i) EXPECT_NEAR(run.last().q[i], run.samples[0].q[i], 1e-10) << i;
}

TEST(ShapeMotion, ATiltedBoxAndAStoneComeDownAndLoseEnergy) {
  for (const char* name : {"box_drop", "tumbling_stone"}) {
    SCOPED_TRACE(name);
    const Model model = load_model(name);
    const HybridRun run = run_losing(model, model.initial(), 0.8, 1e-6);
    EXPECT_GT(run.report.event_count, 3);
  }
}

// 300 m/s against a plate of 2 mm: the gap is negative for 0.1 ms only.
TEST(ShapeMotion, ABulletDoesNotPassThroughAThinPlate) {
  const Model model = parse_model(
      "kane: 1\nbodies:\n  T: {geometry: {box: [1, 1, 0.002]}}\n  B: {mass: 0.01, shape: {sphere: 0.004}}\njoints:\n"
      "  t: {type: weld, parent: N, child: T}\n  free: " +
      std::string(kFree) + "\ncontacts:\n  plate: {between: [B, T], restitution: 0.5}\noutputs: {E: energy}\n");
  State s = model.initial();
  s.q[2] = 5, s.q[6] = 1, s.u[2] = -300, s.u[3] = 50;
  const HybridRun run = run_losing(model, s, 0.05);
  ASSERT_EQ(run.report.event_count, 1);
  EXPECT_NEAR(run.report.events[0].t, (5 - 0.005) / 300, 1e-9);
  EXPECT_NEAR(run.last().u[2], 150, 1e-9);
}

// A box that slides over the edge of a table tips when its mass centre has passed it.
// From rest, far away, in a run so long that steps would be: shapes become faster on the way.
TEST(ShapeMotion, ABallThatFallsFarIsNotMissed) {
  const std::string text = R"(
kane: 1
gravity: -9.81*N.y
bodies: {ball: {mass: 0.2, geometry: {sphere: 0.05}}}
joints: {b: {type: prismatic, parent: N, child: ball, axis: y, coordinate: y, speed: v}}
contacts: {c: {between: [ball, N], plane: N.y, LAW}}
)";
  const auto run = [&](const std::string& law, double y, double v, double until) {
    std::string t = text;
    const Model model = parse_model(t.replace(t.find("LAW"), 3, law));
    State initial = model.initial();
    initial.q[0] = y, initial.u[0] = v;
    return run_hybrid(model, {}, initial, {.until = until}, {.tolerance = 1e-10});
  };
  const HybridRun bounced = run("restitution: 0.7", 10.05, 0, 1000);
  double t = std::sqrt(20 / 9.81), v = 9.81 * t;
  for (std::size_t k = 0; k < 8; ++k) {
    EXPECT_NEAR(bounced.report.events[k].t, t, 1e-9);
    EXPECT_NEAR(bounced.report.events[k].u_after[0], 0.7 * v, 1e-8);
    v *= 0.7, t += 2 * v / 9.81;
  }
  EXPECT_NEAR(bounced.last().q[0], 0.05, 1e-12);
  const HybridRun soft = run("stiffness: 1e5, dissipation: 0.3", 0.05, -0.5, 8);  // at last k d^(3/2) = m g
  EXPECT_NEAR(soft.last().q[0], 0.05 - std::pow(0.2 * 9.81 / 1e5, 2.0 / 3), 1e-9);
}

TEST(ShapeMotion, ABoxTipsOverTheEdgeOfATable) {
  const Model model = parse_model(
      "kane: 1\nparameters: {g: 9.81}\ngravity: -g*N.z\nbodies:\n  T: {geometry: {box: [1, 1, 0.2]}}\n  B: {mass: 1, "
      "shape: {box: [0.2, 0.2, 0.1]}}\njoints:\n"
      "  t: {type: weld, parent: N, child: T, at: [0, 0, -0.1]}\n  free: " +
      std::string(kFree) + "\ncontacts:\n  top: {between: [B, T]}\noutputs: {E: energy}\n");
  State s = model.initial();
  s.q[0] = 0.3, s.q[2] = 0.05, s.q[6] = 1, s.u[0] = 0.5;
  const HybridRun run = run_losing(model, s, 1.0, 1e-6);
  for (const State& sample : run.samples)
    if (sample.q[0] < 0.499) {
      EXPECT_NEAR(sample.q[2], 0.05, 1e-9);
    }
  EXPECT_LT(run.last().q[2], -0.2);  // it has fallen
  EXPECT_GT(std::abs(run.last().q[4]), 0.1);
}

TEST(ShapeMotion, IsTheSameTwice) {
  const Model model = load_model("dominoes");
  const HybridRun one = run_hybrid(model, {}, {.until = 0.3}, {.tolerance = 1e-7});
  const HybridRun two = run_hybrid(load_model("dominoes"), {}, {.until = 0.3}, {.tolerance = 1e-7});
  ASSERT_EQ(one.samples.size(), two.samples.size());
  for (std::size_t i = 0; i < one.samples.size(); ++i) EXPECT_EQ(one.samples[i].q, two.samples[i].q);
  EXPECT_GT(one.report.event_count, 2);
}

TEST(ShapeMotion, InTicksIsThatOfTheHybridSimulator) {
  const Model model = parse_model(
      one_body("{box: [0.2, 0.3, 0.1]}", "contacts:\n  floor: {between: [B, N], plane: N.z, friction: 0.4}\n"));
  State s = model.initial();
  s.q[2] = 0.1, s.q[6] = 1, s.u[0] = 1;
  TickSimulator ticks(model.system, {});
  ticks.start(s);
  for (int i = 0; i < 600; ++i) ASSERT_EQ(ticks.tick().status, TickStatus::Ok) << i;
  EXPECT_NEAR(ticks.state().q[2], 0.05, 1e-6);
  const HybridRun run = run_losing(model, s, 0.6);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(ticks.state().q[i], run.last().q[i], 1e-4) << i;
}

// In ticks, gravity makes a body that lies bounce a little in every tick; it must come to rest all the same.
TEST(TickSimulator, ABouncingBlockComesToRest) {
  const Model model = load_model("block_on_plane");
  TickSimulator ticks(model.system, {});
  ticks.set_parameters({{"slope", 0.1}, {"e", 0.5}});
  State s = model.initial();
  s.q[1] = 0.2, s.q[2] = 0.3;
  ticks.start(s);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(ticks.tick().status, TickStatus::Ok) << i;
  EXPECT_LT(ticks.events(), 500);
  EXPECT_NEAR(ticks.state().q[1], 0.05, 1e-6);
  for (const double u : ticks.state().u) EXPECT_NEAR(u, 0, 1e-9);
}

// ---- files -----------------------------------------------------------------------------------------------------------------

// A box that hits the floor with a corner, an edge or a face, any way it moves: up to four contacts at once, in space.
TEST(ShapeImpacts, NeverCreateEnergyNeverPullAndStayInTheRoundCone) {
  for (const std::string law : {"newton", "poisson"}) {
    const Model model = parse_model(R"(
kane: 1
parameters: {mu: 0.3, e: 0.5}
gravity: -9.81*N.z
bodies: {b: {mass: 1.3, shape: {box: [0.3, 0.2, 0.1]}}}
joints: {j: {type: free, parent: N, child: b, speeds: [vx, vy, vz, wx, wy, wz]}}
contacts: {floor: {between: [b, N], plane: N.z, friction: mu, restitution: e, law: )" +
                                    law + "}}\n");
    SystemEvaluator evaluator(model.system);
    SwitchedDynamics dynamics(evaluator);
    const auto number = [](double from, double to) {
      return rc::gen::map(rc::gen::inRange(0, 100001), [=](int k) { return from + (to - from) * k / 100000.0; });
    };
    EXPECT_TRUE(rc::check([&] {
      const double mu = *number(0, 1.5), e = *number(0, 1);
      evaluator.set_parameters(model.system->calc_parameters({{"mu", mu}, {"e", e}}));
      const int lies = *rc::gen::inRange(0, 3);  // 0 on a corner, 1 on an edge, 2 on a face
      std::vector<double> x{lies < 2 ? *number(-1, 1) : 0.0, lies < 1 ? *number(-1, 1) : 0.0, *number(-1, 1), 1};
      if (lies == 1) x[2] = 0;
      const double size = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
      for (double& v : x) v /= size;
      // The lowest corner touches: z = sum of half edges times the size of the third row of the rotation.
      const double r1 = 2 * (x[0] * x[2] - x[3] * x[1]), r2 = 2 * (x[1] * x[2] + x[3] * x[0]),
                   r3 = 1 - 2 * (x[0] * x[0] + x[1] * x[1]);
      const std::vector<double> q{0,    0,   0.15 * std::abs(r1) + 0.1 * std::abs(r2) + 0.05 * std::abs(r3), x[0], x[1],
                                  x[2], x[3]};
      std::vector<double> u;
      for (int i = 0; i < 6; ++i) u.push_back(*number(-4, 4));
      dynamics.reset();
      const TransitionReport report = dynamics.settle(q, u);
      RC_ASSERT(report.ok());
      RC_ASSERT(report.kinetic_after <= report.kinetic_before * (1 + 1e-12) + 1e-12);
      for (std::size_t s = 0; s < model.system->contact_layout().slots; ++s) {
        const std::size_t row = dynamics.shapes()->first_row(s);
        const auto p = dynamics.impulses().subspan(row, 3);
        RC_ASSERT(p[0] >= -1e-9);
        RC_ASSERT(std::hypot(p[1], p[2]) <= mu * p[0] + 1e-7);
        RC_ASSERT(p[0] == 0 || dynamics.calc_row_speed(row, u) > -1e-7);
      }
    })) << law;
  }
}

TEST(ShapeFiles, AreWrittenAndReadAgain) {
  for (const char* name : {"box_drop", "tumbling_stone", "dominoes"}) {
    const Model model = load_model(name);
    const Model again = parse_model(write_yaml(model.mechanism));
    ASSERT_EQ(model.equations().contact_pairs.size(), again.equations().contact_pairs.size());
    for (std::size_t i = 0; i < model.equations().contact_pairs.size(); ++i)
      EXPECT_EQ(model.equations().contact_pairs[i].name, again.equations().contact_pairs[i].name);
    EXPECT_EQ(model.system->contact_layout().slots, again.system->contact_layout().slots);
  }
}

TEST(ShapeFiles, SayWhatIsWrong) {
  const auto message = [](const std::string& shape, const std::string& contacts) {
    try {
      const Model model = parse_model(one_body(shape, contacts));
      State s = model.initial();
      s.q[6] = 1;
      HybridSimulator sim(model.system, {});
      sim.start(s);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto expect = [&](const std::string& shape, const std::string& contact, const std::string& part) {
    const std::string said = message(shape, "contacts:\n  c: {" + contact + "}\n");
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  expect("{sphere: 1}", "between: [B]", "names two bodies, not 1");
  expect("{sphere: 1}", "between: [B, C], friction: 0.1", "body 'C', which does not exist");
  expect("{sphere: 1}", "between: [B, B]", "and itself");
  expect("{sphere: 1}", "between: [B, N]", "needs the normal of its plane");
  expect("{sphere: 1}", "between: [B, N], plane: N.z, radius: 1", "has no meaning");
  expect("{ellipsoid: [1, 2, 0]}", "between: [B, N], plane: N.z", "must be positive");
  const std::string two = one_body("{ellipsoid: [1, 2, 3]}",
                                   "  held: {type: weld, parent: N, child: C}\ncontacts: {c: {between: [B, C]}}\n",
                                   "  C: {geometry: {box: [1, 1, 1]}}\n");
  try {
    HybridSimulator sim(parse_model(two).system, {});
    ADD_FAILURE() << "an ellipsoid on a box";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("can touch planes only"), std::string::npos) << error.what();
  }
  expect("{mesh: nothing.stl}", "between: [B, N], plane: N.z", "cannot be read");
  expect("{mesh: ../nothing.stl}", "between: [B, N], plane: N.z", "inside the folder");
  expect("{mesh: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]}", "between: [B, N], plane: N.z", "lie in one plane");
  expect("{mesh: [[0, 0], [1, 0, 0]]}", "between: [B, N], plane: N.z", "three lengths");
  expect("{box: [1, 0, 1]}", "between: [B, N], plane: N.z", "must be positive");
  expect("{box: [1, 1, 1]}", "between: [B, N], plane: N.z", "inside of");
  expect("{sphere: 1}", "all: true", "fewer than two bodies");
  expect("{sphere: 1}", "all: false", "can only be true");
  expect("{sphere: 1}", "all: true, height: 1", "but no 'plane'");
}

}  // namespace
}  // namespace kane::test

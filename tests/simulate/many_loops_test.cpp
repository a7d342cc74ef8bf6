// Mechanisms with many loops, whose accelerations are found in the range of the constraints instead of by an embedding.

#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "models.hpp"

namespace kane::test {
namespace {

/// Four-bar linkages in a row: the rocker of each is the crank of the next. `closed_by_joints`: each loop is closed by a pin in
/// space, three of whose five rows are redundant.
std::string four_bars(int n, bool closed_by_joints = false) {
  std::string bodies = "  C0: {mass: 0.8, com: [0.15, 0, 0], inertia: [0.001, 0.006, 0.006]}\n",
              joints = "  O: {type: revolute, parent: N, child: C0, axis: z, coordinate: q0}\n", loops, guess;
  for (int k = 1; k <= n; ++k) {
    bodies += fmt::format(
        "  R{0}: {{mass: 1.1, com: [0.2, 0, 0], inertia: [0.001, 0.045, 0.045], points: {{r{0}: [0.4, 0, 0]}}}}\n"
        "  K{0}: {{mass: 1.6, com: [0.4, 0, 0], inertia: [0.001, 0.108, 0.108], points: {{k{0}: [0.8, 0, 0]}}}}\n",
        k);
    joints += fmt::format(
        "  a{0}: {{type: revolute, parent: {1}, at: [{2}, 0, 0], child: K{0}, rotation_from: N, axis: z, coordinate: "
        "k{0}}}\n"
        "  b{0}: {{type: revolute, parent: N, at: [{3}, 0, 0], child: R{0}, axis: z, coordinate: r{0}}}\n",
        k, k == 1 ? "C0" : fmt::format("R{}", k - 1), k == 1 ? "0.3" : "0.4", 0.75 * k);
    if (closed_by_joints)
      joints += fmt::format(
          "  c{0}: {{type: revolute, close: true, parent: K{0}, at: k{0}, child: R{0}, child_at: r{0}, "
          "axis: z}}\n",
          k);
    else
      loops += fmt::format("  loop{0}: {{point: K{0}.k{0}, reference: R{0}.r{0}, directions: [N.x, N.y]}}\n", k);
    guess += fmt::format("{}k{}: 0.1, r{}: 1.4", k == 1 ? "" : ", ", k, k);
  }
  return "kane: 1\nname: four_bars\ngravity: -9.81*N.y\nbodies:\n" + bodies + "joints:\n" + joints +
         (closed_by_joints ? "" : "constraints:\n" + loops) + "initial: {q0: 1.4, u0: 1}\nguess: {" + guess + "}\n";
}

/// A comb of links in space whose teeth are joined by ball joints: tooth k to tooth k + 1.
std::string comb(int teeth) {
  std::string bodies, joints, values;
  const char* axes = "xyz";
  const auto add = [&](const std::string& name, const std::string& parent, const std::string& at, int turn) {
    bodies +=
        fmt::format("  {}: {{mass: {}, com: [0.1, 0.02, 0.01], inertia: [0.01, 0.02, 0.025]}}\n", name, 1 + 0.1 * turn);
    joints += fmt::format(
        "  j{0}: {{type: revolute, parent: {1}, at: [{2}], child: {0}, axis: {3}, coordinate: q{0}, stiffness: 3}}\n",
        name, parent, at, axes[turn % 3]);
  };
  for (int k = 0; k < teeth; ++k) {
    const std::string spine = fmt::format("S{}", k);
    add(spine, k == 0 ? "N" : fmt::format("S{}", k - 1), "0.3, 0, 0", k);
    for (int i = 0; i < 3; ++i)
      add(fmt::format("T{}{}", k, i), i == 0 ? spine : fmt::format("T{}{}", k, i - 1), "0, 0.05, 0.2", k + i + 1);
    if (k % 2 == 1)
      joints += fmt::format(
          "  c{0}: {{type: spherical, close: true, parent: T{1}2, at: [0.15, 0, 0.1], child: T{0}2, child_at: [-0.15, "
          "0, 0.1]}}\n",
          k, k - 1);
  }
  return "kane: 1\nname: comb\ngravity: -9.81*N.z\nbodies:\n" + bodies + "joints:\n" + joints;
}

State at_start(Simulator& sim, const Model& model) { return sim.assemble(model.initial(), model.given()); }

TEST(ManyLoops, AccelerationsAreThoseOfTheEmbedding) {
  for (const std::string& text : {four_bars(20), four_bars(12, true), comb(12)}) {
    const Model model = parse_model(text);
    Simulator sim(model.system, {.tolerance = 1e-8});
    sim.start(at_start(sim, model));
    SystemEvaluator fast(model.system), embedded(model.system);
    fast.allow_range_space();
    const std::size_t nq = model.equations().q.size(), n = model.equations().u.size(),
                      rows = model.equations().constraints.size();
    std::vector<double> qdot(nq), udot(n), other(n), lambda(rows), multipliers(rows);
    for (int k = 0; k < 4; ++k) {
      ASSERT_EQ(sim.run({.until = 0.05 * (k + 1), .intervals = 1}).status, RunStatus::Done);
      const State& s = sim.state();
      ASSERT_TRUE(fast.calc_motion(s.q, s.u, qdot, udot).ok());
      EXPECT_TRUE(fast.in_range_space()) << model.equations().name << " " << n;
      ASSERT_TRUE(embedded.calc_motion(s.q, s.u, qdot, other).ok());
      fast.calc_multipliers(udot, lambda);
      embedded.calc_multipliers(other, multipliers);
      double size = 1, forces = 1;
      for (const double x : other) size = std::max(size, std::abs(x));
      for (const double x : multipliers) forces = std::max(forces, std::abs(x));
      for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(udot[i], other[i], 1e-11 * size) << i;
      for (std::size_t i = 0; i < rows; ++i) EXPECT_NEAR(lambda[i], multipliers[i], 1e-9 * forces) << i;
    }
  }
}

TEST(ManyLoops, FiftyFourBarsKeepEnergyAndConstraints) {
  const Model model = parse_model(four_bars(50));
  Simulator sim(model.system, {.tolerance = 1e-9});
  sim.start(at_start(sim, model));
  EXPECT_LT(sim.calc_residuals(sim.state()).configuration, 1e-12);
  const RunReport report = sim.run({.until = 0.3, .intervals = 10});
  ASSERT_EQ(report.status, RunStatus::Done);
  ASSERT_TRUE(report.energy.known && report.energy.conservative);
  EXPECT_LT(report.energy.relative_drift(), 1e-7);
  EXPECT_LT(report.constraints.configuration, 1e-12);
  EXPECT_LT(report.constraints.motion, 1e-11);
}

TEST(ManyLoops, FixedStepsDoNotDependOnSamples) {
  for (const std::string& text : {four_bars(15, true), comb(8)}) {
    const Model model = parse_model(text);
    std::optional<State> first;
    for (const long intervals : {1, 7, 333}) {
      Simulator sim(model.system, {.method = Method::Rk4, .step = 1e-3});
      sim.start(at_start(sim, model));
      ASSERT_EQ(
          sim.run({.until = 0.1, .intervals = intervals}, [&](const State& s) { return !sim.calc_reports(s).empty(); })
              .status,
          RunStatus::Done);
      if (!first) first = sim.state();
      EXPECT_EQ(sim.state().q, first->q) << intervals;
      EXPECT_EQ(sim.state().u, first->u) << intervals;
    }
  }
}

TEST(ManyLoops, SnapshotsContinueToTheLastBit) {
  const Model model = parse_model(comb(8));
  for (const Method method : {Method::Rk4, Method::Dopri5}) {
    Simulator sim(model.system, {.method = method, .tolerance = 1e-7, .step = 1e-3});
    sim.start(at_start(sim, model));
    (void)sim.run({.until = 0.05, .intervals = 1});
    const MotionSnapshot snapshot = sim.snapshot();
    (void)sim.run({.until = 0.1, .intervals = 1});
    const State once = sim.state();
    Simulator other(model.system, {.method = method, .tolerance = 1e-7, .step = 1e-3});
    other.restore(snapshot);
    (void)other.run({.until = 0.1, .intervals = 1});
    EXPECT_EQ(other.state().q, once.q);
    EXPECT_EQ(other.state().u, once.u);
  }
}

}  // namespace
}  // namespace kane::test

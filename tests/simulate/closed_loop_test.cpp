// Closed loops: redundant constraints, singular configurations, long runs, assembly.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "models.hpp"

namespace kane::test {
namespace {

State assembled(Simulator& sim, const Model& model, AssemblyReport* report = nullptr) {
  return sim.assemble(model.initial(), model.given(), report);
}

TEST(ClosedLoop, BricardMovesAlthoughAConstraintIsRedundant) {
  const Model model = load_model("bricard");
  Simulator sim(model.system, {.tolerance = 1e-9});
  sim.start(assembled(sim, model));
  const RunReport report = sim.run({.until = 10, .intervals = 200});
  ASSERT_EQ(report.status, RunStatus::Done);
  ASSERT_TRUE(report.energy.known && report.energy.conservative);
  EXPECT_LT(report.energy.relative_drift(), 1e-7);
  EXPECT_LT(report.constraints.configuration, 1e-12);
  EXPECT_EQ(sim.evaluator().independent().size(), 1u);
  EXPECT_GT(report.energy.scale, 1) << "it must move";
}

/// theta'' = -rate cos(theta): what parallel cranks with a coupler that goes round without turning do.
std::pair<double, double> cranks_reference(double rate, double theta, double omega, double until) {
  const int steps = 20000;
  const double h = until / steps;
  for (int i = 0; i < steps; ++i) {
    const auto f = [&](double q, double u) { return std::pair{u, -rate * std::cos(q)}; };
    const auto k1 = f(theta, omega), k2 = f(theta + h / 2 * k1.first, omega + h / 2 * k1.second),
               k3 = f(theta + h / 2 * k2.first, omega + h / 2 * k2.second),
               k4 = f(theta + h * k3.first, omega + h * k3.second);
    theta += h / 6 * (k1.first + 2 * k2.first + 2 * k3.first + k4.first);
    omega += h / 6 * (k1.second + 2 * k2.second + 2 * k3.second + k4.second);
  }
  return {theta, omega};
}

TEST(ClosedLoop, ParallelCranksMoveAsOneAlthoughAConstraintIsRedundant) {
  const Model model = load_model("parallel_cranks");
  Simulator sim(model.system, {.tolerance = 1e-9});
  AssemblyReport assembly;
  sim.start(assembled(sim, model, &assembly));
  EXPECT_EQ(assembly.moved.size(), 2u) << assembly.to_string();  // u2 and u3
  const double until = 0.4;
  const RunReport report = sim.run({.until = until, .intervals = 100});
  ASSERT_EQ(report.status, RunStatus::Done);
  // Three cranks: (3 m/3 + M) l theta'' = -(3 m/2 + M) g cos(theta).
  const auto [theta, omega] = cranks_reference(3.5 * 9.81 / 3, std::numbers::pi / 2, -1, until);
  EXPECT_NEAR(sim.state().q[0], theta, 1e-8);
  EXPECT_NEAR(sim.state().u[0], omega, 1e-8);
  EXPECT_NEAR(sim.state().q[2], theta, 1e-8);
  EXPECT_LT(report.constraints.configuration, 1e-12);
  EXPECT_LT(report.energy.relative_drift(), 1e-8);
}

TEST(ClosedLoop, StiffMethodsStandTheirProjections) {
  const Model model = load_model("fourbar");
  const double until = 0.3;
  Simulator reference(model.system, {.method = Method::Dop853, .tolerance = 1e-11});
  reference.start(assembled(reference, model));
  ASSERT_EQ(reference.run({.until = until}).status, RunStatus::Done);
  for (const Method method : {Method::Cvode, Method::Arkode}) {
    Simulator sim(model.system, {.method = method, .tolerance = 1e-10});
    sim.start(assembled(sim, model));
    const RunReport report = sim.run({.until = until});
    ASSERT_EQ(report.status, RunStatus::Done) << report.failure->message(model.equations());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(sim.state().q[i], reference.state().q[i], 1e-8) << i;
  }
}

TEST(ClosedLoop, ParallelCranksPassTheirChangePoints) {
  const Model model = load_model("parallel_cranks");
  // Whole turns: twice in each all links lie in one line, where two of the constraints that are left vanish.
  Simulator sim(model.system, {.tolerance = 1e-9});
  sim.start(assembled(sim, model));
  const double until = 6;
  double apart = 0;
  const RunReport report = sim.run({.until = until, .intervals = 6000}, [&](const State& s) {
    apart = std::max({apart, std::abs(s.q[1] - s.q[0]), std::abs(s.q[2] - s.q[0]), std::abs(s.q[3])});
    return true;
  });
  ASSERT_EQ(report.status, RunStatus::Done) << report.failure->message(model.equations());
  EXPECT_EQ(report.samples, 6001);
  EXPECT_LT(apart, 1e-7) << "the cranks must stay parallel";
  EXPECT_LT(report.energy.relative_drift(), 1e-7);
  EXPECT_LT(report.constraints.configuration, 1e-12);
  EXPECT_LT(report.totals.steps, 5000);
  // Three cranks: (3 m/3 + M) l theta'' = -(3 m/2 + M) g cos(theta).
  const auto [theta, omega] = cranks_reference(3.5 * 9.81 / 3, std::numbers::pi / 2, -1, until);
  EXPECT_LT(theta, -4 * std::numbers::pi) << "it must turn";
  EXPECT_NEAR(sim.state().q[0], theta, 1e-6);
  EXPECT_NEAR(sim.state().u[0], omega, 1e-6);
}

/// Two cranks, the first of length 1 and the second of length l, with a coupler of length d, d apart.
Model two_cranks(double d, double l) {
  return parse_model(fmt::format(R"(
kane: 1
parameters: {{d: {} m, l: {} m}}
gravity: -9.81*N.y
bodies:
  C1: {{mass: 1 kg, com: [1/2, 0, 0], inertia: [0, 0, 1/12]}}
  C2: {{mass: 1 kg, com: [1/2, 0, 0], inertia: [0, 0, 1/12], points: {{E: [l, 0, 0]}}}}
  coupler: {{mass: 2 kg, com: [d/2, 0, 0], inertia: [0, 0, 2 kg*d^2/12], points: {{F: [d, 0, 0]}}}}
joints:
  A1: {{type: revolute, parent: N, child: C1, axis: z, coordinate: q1}}
  A2: {{type: revolute, parent: N, at: [d, 0, 0], child: C2, axis: z, coordinate: q2}}
  B1: {{type: revolute, parent: C1, at: [1, 0, 0], child: coupler, axis: z, coordinate: q3}}
constraints: {{pin: {{point: E, reference: F, directions: [N.x, N.y]}}}}
)",
                                 d, l));
}

struct Steps {
  Method method;
  double tolerance, step, allowed;
};

void expect_parallelogram(const Model& model, const Steps& steps, double u) {
  SCOPED_TRACE(
      fmt::format("{}, tolerance {}, step {}, u = {}", to_string(steps.method), steps.tolerance, steps.step, u));
  Simulator sim(model.system, {.method = steps.method, .tolerance = steps.tolerance, .step = steps.step});
  const double right = std::numbers::pi / 2, until = 2.5;
  sim.start({0, {right, right, -right}, {u, u, -u}});
  double apart = 0;
  const RunReport report = sim.run({.until = until, .intervals = 200}, [&](const State& s) {
    apart = std::max({apart, std::abs(s.q[1] - s.q[0]), std::abs(s.q[2] + s.q[0])});
    return true;
  });
  ASSERT_EQ(report.status, RunStatus::Done) << report.failure->message(model.equations());
  EXPECT_LT(apart, 1e-7) << "the cranks must stay parallel";
  EXPECT_LT(report.constraints.configuration, 1e-12);
  // Two cranks: (2 m/3 + M) l theta'' = -(2 m/2 + M) g cos(theta).
  const auto [theta, omega] = cranks_reference(3 * 9.81 / (2.0 / 3 + 2), right, u, until);
  EXPECT_GT(std::abs(theta - right), std::numbers::pi) << "it must turn";
  EXPECT_NEAR(sim.state().q[0], theta, steps.allowed);
  EXPECT_NEAR(sim.state().u[0], omega, 10 * steps.allowed);
}

TEST(ClosedLoop, AParallelogramStaysOneWhateverTheStepsAre) {
  std::vector<Steps> all = {{Method::Dopri5, 1e-9, 1e-3, 1e-5},
                            {Method::Rk4, 1e-9, 1e-3, 1e-5},
                            {Method::Rk4, 1e-9, 3.1e-3, 1e-3},
                            {Method::Midpoint, 1e-9, 1e-3, 1e-2}};
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12})
    all.push_back({Method::Automatic, tolerance, 1e-3, 3e3 * tolerance + 1e-7});
  for (const double d : {2.0, 0.7}) {
    const Model model = two_cranks(d, 1);
    for (const Steps& steps : all)
      for (const double u : {-0.3, -1.0, -2.7, -8.0, 0.9, 5.0}) expect_parallelogram(model, steps, u);
  }
}

TEST(ClosedLoop, AChangePointThatIsMissedIsNotJumpedOver) {
  // With one crank a little longer the links never lie in one line: near there the second crank turns back sharply, and the
  // linkage goes on folded, in the only way that is connected with its past.
  for (const double more : {1e-3, 1e-5}) {
    const Model model = two_cranks(2, 1 + more);
    std::vector<State> ends;
    for (const double tolerance : {1e-8, 1e-11}) {
      Simulator sim(model.system, {.tolerance = tolerance});
      State start{0, {std::numbers::pi / 2, std::numbers::pi / 2, -std::numbers::pi / 2}, {-1, -1, 1}};
      sim.start(sim.assemble(start, model.given()));
      const RunReport report = sim.run({.until = 2});
      ASSERT_EQ(report.status, RunStatus::Done) << report.failure->message(model.equations());
      EXPECT_EQ(report.change_points, 0);
      EXPECT_LT(report.energy.relative_drift(), 1e-6);
      ends.push_back(sim.state());
    }
    EXPECT_GT(std::abs(ends[0].q[0] - ends[0].q[1]), 1) << "the cranks do not stay parallel";
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(ends[0].q[i], ends[1].q[i], 1e-5);
  }
}

TEST(ClosedLoop, CrankAndRodOfEqualLengthPassTheDeadCentre) {
  // At q1 = 90 deg the slider stands over the bearing, and rod and slider could also turn there together.
  const Model model = parse_model(R"(
kane: 1
parameters: {l: 0.2 m}
bodies:
  crank: {mass: 1 kg, inertia: [0, 0, 0.02]}
  rod: {mass: 1 kg, com: [l/2, 0, 0], inertia: [0, 0, 0.003], points: {end: [l, 0, 0]}}
  slider: {mass: 0.5 kg}
joints:
  A: {type: revolute, parent: N, child: crank, axis: z, coordinate: q1}
  B: {type: revolute, parent: crank, at: [l, 0, 0], child: rod, rotation_from: N, axis: z, coordinate: q2}
  C: {type: prismatic, parent: N, child: slider, axis: x, coordinate: s}
constraints: {pin: {point: rod.end, reference: slider, directions: [N.x, N.y]}}
initial: {q1: 30 deg, q2: -30 deg, s: 0.346, u1: 5}
)");
  Simulator sim(model.system, {.tolerance = 1e-9});
  sim.start(assembled(sim, model));
  const RunReport report = sim.run({.until = 4, .intervals = 400});
  ASSERT_EQ(report.status, RunStatus::Done);
  EXPECT_GT(std::abs(sim.state().q[0]), 2 * std::numbers::pi);
  EXPECT_LT(report.energy.relative_drift(), 1e-5);
  EXPECT_LT(report.constraints.configuration, 1e-12);
}

TEST(ClosedLoopSlow, FourBarStaysClosedForAnHour) {
  const Model model = load_model("fourbar");
  Simulator sim(model.system, {.tolerance = 1e-7});
  State start = model.initial();
  for (double& u : start.u) u *= 4;  // fast enough to go round
  sim.start(start);
  double open = 0, turned = 0;
  const RunReport report = sim.run({.until = 3600, .intervals = 36000}, [&](const State& sample) {
    open = std::max(open, sim.calc_residuals(sample).configuration);
    turned = sample.q[0];
    return true;
  });
  ASSERT_EQ(report.status, RunStatus::Done);
  EXPECT_GT(std::abs(turned), 1000);
  EXPECT_LT(report.constraints.configuration, 1e-12);
  EXPECT_LT(open, 1e-12);
}

TEST(ClosedLoopSlow, DoublePendulumKeepsItsEnergyForAThousandSeconds) {
  const Model model = load_model("double_pendulum");
  Simulator sim(model.system, {.method = Method::Gauss6, .step = 2.5e-3});
  sim.start(model.initial());
  const RunReport report = sim.run({.until = 1000, .intervals = 10});
  ASSERT_EQ(report.status, RunStatus::Done);
  EXPECT_TRUE(report.canonical);
  ASSERT_TRUE(report.energy.conservative);
  EXPECT_LT(report.energy.relative_drift(), 1e-9);
}

// ---- assembly -------------------------------------------------------------------------------------------------------------

TEST(Assembly, FourBarFromTheCrankAngleAlone) {
  Model model = load_model("fourbar");
  for (const char* name : {"q2", "q3", "u2", "u3"}) model.mechanism.initial.erase(name);
  Simulator sim(model.system);
  AssemblyReport report;
  const State state = assembled(sim, model, &report);
  EXPECT_FALSE(report.moved_given());
  EXPECT_EQ(state.q[0], 0.5);
  EXPECT_EQ(state.u[0], 2);
  EXPECT_LT(sim.calc_residuals(state).configuration, 1e-12);
  EXPECT_LT(sim.calc_residuals(state).motion, 1e-12);
}

TEST(Assembly, SaysWhichLoopStaysOpenAndHowFar) {
  // Two links of 1 m and 0.5 m, the bearings 0.3 m apart: the ends come no nearer than 0.2 m.
  const Model model = parse_model(R"(
kane: 1
parameters: {d: 0.3 m}
bodies:
  A: {mass: 1 kg, points: {P: [1, 0, 0]}}
  B: {mass: 1 kg, points: {Q: [0.5, 0, 0]}}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  b: {type: revolute, parent: N, at: [d, 0, 0], child: B, axis: z, coordinate: q2}
constraints: {meet: {point: A.P, reference: B.Q, directions: [N.x, N.y]}}
initial: {q1: 0.3}
)");
  Simulator sim(model.system);
  AssemblyReport report;
  try {
    (void)assembled(sim, model, &report);
    FAIL() << "it cannot be assembled";
  } catch (const ModelError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("meet"), std::string::npos) << text;
    EXPECT_FALSE(report.ok);
    EXPECT_GT(report.residual, 0.2 / std::sqrt(2.0) - 1e-6);
    EXPECT_LT(report.residual, 0.2 + 1e-6);
  }
}

RC_GTEST_PROP(Assembly, FindsASlightlyDisturbedFourBarAgain, ()) {
  static const Model model = load_model("fourbar");
  const auto small = [] { return *rc::gen::inRange(-1000, 1000) * 1e-4; };
  Simulator sim(model.system);
  State state = model.initial();
  for (double& q : state.q) q += small();
  for (double& u : state.u) u += 10 * small();
  AssemblyReport report;
  const State found = sim.assemble(state, {std::vector<bool>(3, false), std::vector<bool>(3, false)}, &report);
  RC_ASSERT(report.ok);
  RC_ASSERT(sim.calc_residuals(found).configuration <= 1e-12);
  RC_ASSERT(sim.calc_residuals(found).motion <= 1e-11);
  double moved = 0;
  for (std::size_t i = 0; i < 3; ++i) moved = std::max(moved, std::abs(found.q[i] - state.q[i]));
  RC_ASSERT(moved < 1.0);  // near, not anywhere
}

/// Parallelograms side by side: `n` couplers between n + 1 parallel cranks of length 1, 2 apart. All links are in line twice per
/// turn, where every loop has a change point at once.
std::string parallelograms(int n) {
  std::string bodies, joints, loops, initial;
  for (int i = 0; i <= n; ++i) {
    bodies +=
        fmt::format("  C{0}: {{mass: 1, com: [0.5, 0, 0], inertia: [0, 0, 1/12], points: {{E{0}: [1, 0, 0]}}}}\n", i);
    joints += fmt::format(
        "  a{0}: {{type: revolute, parent: N, at: [{1}, 0, 0], child: C{0}, axis: z, coordinate: q{0}, speed: u{0}}}\n",
        i, 2 * i);
    initial += fmt::format("q{}: 1, ", i);
  }
  for (int i = 0; i < n; ++i) {
    bodies +=
        fmt::format("  K{0}: {{mass: 1, com: [1, 0, 0], inertia: [0, 0, 1/3], points: {{B{0}: [2, 0, 0]}}}}\n", i);
    joints += fmt::format(
        "  b{0}: {{type: revolute, parent: C{0}, at: E{0}, child: K{0}, rotation_from: N, axis: z, coordinate: "
        "p{0}}}\n",
        i);
    loops += fmt::format("  pin{}: {{point: B{}, reference: E{}, directions: [N.x, N.y]}}\n", i, i, i + 1);
  }
  return "kane: 1\nname: parallelograms\ngravity: -9.81*N.y\nbodies:\n" + bodies + "joints:\n" + joints +
         "constraints:\n" + loops + "initial: {" + initial + "u0: 2}\n";
}

/// The cranks move as one pendulum: ((n + 1)/3 + n) q'' = -g ((n + 1)/2 + n) cos q.
double crank_angle(int n, double until) {
  const double k = 9.81 * ((n + 1) / 2.0 + n) / ((n + 1) / 3.0 + n);
  const int steps = static_cast<int>(until / 5e-5 + 0.5);
  const double h = until / steps;
  double q = 1, u = 2;
  for (int i = 0; i < steps; ++i) {  // Runge and Kutta, for q'' = f(q)
    const double a = -k * std::cos(q), b = -k * std::cos(q + h / 2 * u),
                 c = -k * std::cos(q + h / 2 * u + h * h / 4 * a), d = -k * std::cos(q + h * u + h * h / 2 * b);
    q += h * u + h * h / 6 * (a + b + c);
    u += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return q;
}

TEST(ClosedLoop, ManyChangePointsKeepTheDigits) {
  constexpr double until = 10;
  for (const int n : {1, 4, 8}) {
    const Model model = parse_model(parallelograms(n));
    Simulator sim(model.system, {.tolerance = 1e-10});
    sim.start(sim.assemble(model.initial(), model.given()));
    const RunReport report = sim.run({.until = until, .intervals = 1});
    ASSERT_EQ(report.status, RunStatus::Done);
    EXPECT_GE(report.change_points, 7);
    EXPECT_NEAR(sim.state().q[0], crank_angle(n, until), 2e-9) << n;
  }
}

/// Rounding near the change points leaves the smallest tolerance no worse than a larger one.
TEST(ClosedLoop, ManyChangePointsAtTheSmallestTolerance) {
  constexpr double until = 10;
  const Model model = parse_model(parallelograms(4));
  Simulator sim(model.system, {.tolerance = 1e-12});
  sim.start(sim.assemble(model.initial(), model.given()));
  const RunReport report = sim.run({.until = until, .intervals = 1});
  ASSERT_EQ(report.status, RunStatus::Done);
  EXPECT_GE(report.change_points, 7);
  EXPECT_NEAR(sim.state().q[0], crank_angle(4, until), 5e-10);
}

/// How often a run is sampled, and what is computed for the samples, changes no bit of it.
TEST(ClosedLoop, FixedStepsDoNotDependOnSamples) {
  for (const char* id : {"fourbar", "bricard", "parallel_cranks", "slider_crank"}) {
    const Model model = load_model(id);
    for (const Method method : {Method::Rk4, Method::Gauss4}) {
      std::optional<State> first;
      for (const long intervals : {1, 7, 40, 160, 333}) {
        Simulator sim(model.system, {.method = method, .step = 1e-3});
        sim.start(sim.assemble(model.initial(), model.given()));
        const RunReport report = sim.run({.until = 0.4, .intervals = intervals}, [&](const State& sample) {
          EXPECT_FALSE(sim.calc_reports(sample).empty());
          return true;
        });
        ASSERT_EQ(report.status, RunStatus::Done);
        EXPECT_EQ(report.samples, intervals + 1);
        if (!first) first = sim.state();
        EXPECT_EQ(sim.state().q, first->q) << id << " " << intervals;
        EXPECT_EQ(sim.state().u, first->u) << id << " " << intervals;
      }
    }
  }
}

}  // namespace
}  // namespace kane::test

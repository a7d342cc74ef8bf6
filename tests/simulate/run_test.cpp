// A run as a whole: quaternions, energy, failures in words, the same bytes twice, and no allocation in a step.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "models.hpp"
#include "tests/program/allocation_count.hpp"

namespace kane::test {
namespace {

Model tumbling_body() {
  return parse_model(R"(
kane: 1
bodies: {B: {mass: 3 kg, inertia: [0.2, 0.5, 0.6]}}
joints: {free: {type: free, parent: N, child: B}}
)");
}

RC_GTEST_PROP(Run, QuaternionsStayNormalisedAndMomentumConstant, ()) {
  static const Model model = tumbling_body();
  const auto number = [] { return *rc::gen::inRange(-3000, 3000) * 1e-3; };
  State start = model.initial();
  const std::size_t first = static_cast<std::size_t>(model.equations().quaternions.at(0));
  double norm = 0;
  for (std::size_t k = 0; k < 4; ++k) start.q[first + k] = number() + (k == 3 ? 4 : 0);
  for (std::size_t k = 0; k < 4; ++k) norm += start.q[first + k] * start.q[first + k];
  for (std::size_t k = 0; k < 4; ++k) start.q[first + k] /= std::sqrt(norm);
  for (double& u : start.u) u = number();
  Simulator sim(model.system, {.tolerance = 1e-10});
  sim.start(start);
  const auto momentum = [&] {
    for (const auto& item : model.system->report_items())
      if (item.kind == ReportItem::Kind::Momentum) {
        const auto y = sim.calc_reports(sim.state());
        return std::vector<double>(y.begin() + static_cast<std::ptrdiff_t>(item.first),
                                   y.begin() + static_cast<std::ptrdiff_t>(item.first + 6));
      }
    return std::vector<double>(6);
  };
  const auto before = momentum();
  RC_ASSERT(sim.run({.until = 20, .intervals = 10}).status == RunStatus::Done);
  double square = 0;
  for (std::size_t k = 0; k < 4; ++k) square += sim.state().q[first + k] * sim.state().q[first + k];
  RC_ASSERT(std::abs(square - 1) < 1e-12);
  const auto after = momentum();
  for (std::size_t k = 0; k < 6; ++k) RC_ASSERT(std::abs(after[k] - before[k]) < 1e-7);
}

TEST(Run, TheSameBitsTwice) {
  for (const char* id : {"fourbar", "stanford_arm", "slider_crank"}) {
    const Model model = load_model(id);
    std::vector<State> runs;
    for (int i = 0; i < 2; ++i) {
      Simulator sim(model.system, {.tolerance = 1e-9});
      sim.start(sim.assemble(model.initial(), model.given()));
      (void)sim.run({.until = 0.5, .intervals = 7});
      runs.push_back(sim.state());
    }
    EXPECT_EQ(runs[0], runs[1]) << id;
  }
}

TEST(Run, StepsDoNotAllocate) {
  for (const char* id : {"double_pendulum", "fourbar", "npend20", "cartpole"})
    for (const Method method : {Method::Rk4, Method::Dopri5, Method::Dop853}) {
      const Model model = load_model(id);
      Simulator sim(model.system, {.method = method, .tolerance = 1e-7, .step = 1e-3});
      sim.start(sim.assemble(model.initial(), model.given()));
      State sample = sim.state();
      for (int i = 0; i < 20; ++i) ASSERT_EQ(sim.step().status, StepStatus::Ok);
      const long before = allocation_count();
      for (int i = 0; i < 200; ++i) {
        const double t = sim.state().t;
        ASSERT_EQ(sim.step().status, StepStatus::Ok);
        ASSERT_TRUE(sim.interpolate(0.5 * (t + sim.state().t), sample));
      }
      EXPECT_EQ(allocation_count(), before) << id << " " << to_string(method);
    }
}

RunFailure failure_of(const std::string& text, SimulatorOptions options = {}, double until = 10) {
  const Model model = parse_model(text, {}, {.formulation = Formulation::Projection, .solve = false});
  Simulator sim(model.system, std::move(options));
  sim.start(sim.assemble(model.initial(), model.given()));
  const RunReport report = sim.run({.until = until});
  EXPECT_EQ(report.status, RunStatus::Failed);
  return report.failure.value_or(RunFailure{});
}

constexpr const char* kMass = R"(
kane: 1
bodies: {A: {mass: 1 kg}}
joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x}}
initial: {x: 0, u_x: 1}
)";

TEST(RunFailure, NamesTheExpressionThatIsNoNumber) {
  const RunFailure failure = failure_of(std::string(kMass) + "loads: [{force: -2*sqrt(1 - t)*N.x, at: A}]");
  EXPECT_NEAR(failure.t, 1, 1e-6);
  EXPECT_NE(failure.quantity.find("u_x"), std::string::npos) << failure.quantity;
  EXPECT_NE(failure.cause.find("sqrt"), std::string::npos) << failure.cause;
}

TEST(RunFailure, NamesTheLaw) {
  const RunFailure failure = failure_of(R"(
kane: 1
inputs: {F: log(0.5 - x)}
bodies: {A: {mass: 1 kg}}
joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, actuator: F}}
initial: {u_x: 3}
)");
  EXPECT_NE(failure.quantity.find("the law of the input 'F'"), std::string::npos) << failure.quantity << failure.cause;
}

TEST(RunFailure, SaysThatTheMotionRunsAway) {
  const RunFailure adaptive = failure_of(std::string(kMass) + "loads: [{force: u_x^2*N.x, at: A}]");
  EXPECT_NEAR(adaptive.t, 1, 1e-3);
  const RunFailure fixed =
      failure_of(std::string(kMass) + "loads: [{force: u_x^2*N.x, at: A}]", {.method = Method::Rk4});
  EXPECT_NE(fixed.cause.find("without bound"), std::string::npos) << fixed.cause;
}

// Polar coordinates at their pole: no inertia resists the angle.
TEST(RunFailure, NamesTheSpeedWithoutInertia) {
  const RunFailure failure = failure_of(R"(
kane: 1
bodies: {A: {}, B: {mass: 1 kg}}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: theta}
  b: {type: prismatic, parent: A, child: B, axis: x, coordinate: r}
)");
  EXPECT_NE(failure.quantity.find("inertia that resists the speed u_theta"), std::string::npos) << failure.quantity;
  EXPECT_NE(failure.cause.find("mass matrix is singular"), std::string::npos) << failure.cause;
}

TEST(RunFailure, SpeedsThatDetermineNothingAreNotSteppedOver) {
  // The arm is stretched for the first time at 0.826 s (found with the rates of its joints as speeds); loose steps would lead
  // over that place to a motion that is not the arm's.
  const Model model = load_model("planar2r_opspace");
  for (const double tolerance : {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-11}) {
    Simulator sim(model.system, {.tolerance = tolerance});
    sim.start(model.initial());
    const RunReport report = sim.run({.until = 3});
    ASSERT_EQ(report.status, RunStatus::Failed) << tolerance;
    EXPECT_NEAR(report.failure->t, 0.826, 1e-3) << tolerance;
    EXPECT_NEAR(report.failure->state.q[1], 0, 0.05) << tolerance;
    EXPECT_NE(report.failure->cause.find("singular where sin(q2) = 0"), std::string::npos) << report.failure->cause;
    EXPECT_LT(report.t_end, 0.83);
  }
}

TEST(Run, AMotionThatNeedsNoOtherSpeedPassesASingularityOfSpeeds) {
  // A swing about the pitch axis alone goes through q2 = 0, where roll and twist cannot be told apart; both stay zero.
  const Model model = load_model("wrist_body");
  Simulator sim(model.system, {.tolerance = 1e-9});
  State start = model.initial();
  start.q = {0, 1, 0};
  start.u = {0, -3, 0};
  sim.start(start);
  const RunReport report = sim.run({.until = 1});
  ASSERT_EQ(report.status, RunStatus::Done) << report.failure->message(model.equations());
  EXPECT_LT(sim.state().q[1], -1);
  EXPECT_EQ(sim.state().q[0], 0);
  EXPECT_LT(report.energy.relative_drift(), 1e-7);
}

TEST(RunFailure, NamesTheConstraintThatCannotHold) {
  const RunFailure failure = failure_of(R"(
kane: 1
bodies: {A: {mass: 1 kg, points: {P: [1, 0, 0]}}, B: {mass: 1 kg}}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q}
  b: {type: prismatic, parent: N, child: B, axis: x, coordinate: x}
constraints: {pull: {prescribe: x, value: 0.5 + 0.5*t}, rod: {rod: [A.P, B], length: 1.2 m}}
initial: {x: 0.5}
)");
  EXPECT_NEAR(failure.t, 3.4, 1e-3);  // x = 1 + 1.2
  EXPECT_FALSE(failure.cause.empty());
}

}  // namespace
}  // namespace kane::test

// Reference trajectories with changing constraints: slide to roll and back, a caster that sticks and comes loose.

#include <gtest/gtest.h>

#include "kane/model/mode_systems.hpp"
#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

void expect_near(const std::vector<double>& found, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i]))) << i;
}

TEST(DiskTransition, FollowsTheClosedFormThroughEveryChange) {
  const json oracle = load_oracle("disk_transition");
  const Model model = load_model("disk_transition");
  for (const json& c : oracle["cases"]) {
    Values p = oracle["parameters"].get<Values>();
    p["phi"] = c["phi"], p["mu"] = c["mu"];
    const State initial{0, c["q0"].get<std::vector<double>>(), c["u0"].get<std::vector<double>>()};
    const double t_end = c["t_end"].get<double>();
    const HybridRun run = run_hybrid(model, p, initial, {.until = t_end}, {.tolerance = 1e-11});
    const json& first = c["segments"][0];
    ASSERT_EQ(run.report.events.size(), 2U) << c["phi"];  // friction begins to slide at the start; then the change
    const SwitchRecord& change = run.report.events[1];
    EXPECT_NEAR(change.t, first["t_stop"].get<double>(), 1e-10);
    const bool rolls = c["segments"][1]["mode"] == "roll";
    EXPECT_EQ(change.changes.empty() ? "ramp slides" : change.changes[0], rolls ? "ramp sticks" : "ramp slides");
    expect_near(change.u_after, in_order({first["state_stop"]["u1"], first["state_stop"]["u2"]}, {}), 1e-10);
    const json& stop = c["segments"].back()["state_stop"];
    expect_near(run.last().q, in_order({stop["q1"], stop["q2"]}, {}), 1e-9);
    expect_near(run.last().u, in_order({stop["u1"], stop["u2"]}, {}), 1e-9);
    if (rolls) {
      EXPECT_NEAR(run.last().u[0] + run.last().u[1], 0, 1e-13);
    }
  }
}

TEST(CartSwitch, JumpsImpulsesAndEnergyAreThoseOfTheReferenceByAllThreeWays) {
  const json oracle = load_oracle("cart_switch");
  const Model model = load_model("cart_switch");
  const State initial{0, oracle["q0"].get<std::vector<double>>(), oracle["u0"].get<std::vector<double>>()};
  std::vector<HybridRun> runs;
  for (const auto method : {ConstraintMethod::Embedded, ConstraintMethod::Modes, ConstraintMethod::Multipliers}) {
    SimulatorOptions options;
    options.tolerance = 1e-12;
    options.constraints = method;
    if (method == ConstraintMethod::Modes) options.modes = form_mode_systems(model.mechanism);
    runs.push_back(
        run_hybrid(model, oracle["parameters"].get<Values>(), initial, {.until = 1.5, .intervals = 3}, options));
    const HybridRun& run = runs.back();
    ASSERT_EQ(run.report.events.size(), 2U);
    const SwitchRecord& stick = run.report.events[0];
    EXPECT_NEAR(stick.t, 0.3, 1e-15);
    expect_near(stick.u_before, oracle["t1_state_before"]["u_minus"], 1e-10);
    expect_near(stick.u_after, oracle["t1_u_plus"], 1e-10);
    ASSERT_EQ(stick.impulses.size(), 2U);
    EXPECT_EQ(stick.impulses[0].first, "rolling");
    EXPECT_NEAR(stick.impulses[0].second, oracle["t1_impulses"]["lateral_impulse_on_P3_along_c2"].get<double>(), 1e-10);
    EXPECT_NEAR(stick.impulses[1].second, oracle["t1_impulses"]["torque_impulse_on_C"].get<double>(), 1e-10);
    EXPECT_NEAR(stick.kinetic_before, oracle["T_minus"].get<double>(), 1e-10);
    EXPECT_NEAR(stick.kinetic_after, oracle["T_plus"].get<double>(), 1e-10);
    expect_near(run.samples[2].q, oracle["t2_state"]["q"], 1e-10);
    expect_near(run.samples[2].u, oracle["t2_state"]["u"], 1e-10);
    expect_near(run.last().q, oracle["t3_state"]["q"], 1e-10);
    expect_near(run.last().u, oracle["t3_state"]["u"], 1e-10);
  }
  for (std::size_t k = 1; k < runs.size(); ++k) expect_near(runs[k].last().u, runs[0].last().u, 1e-11);
}

// The same motion at single states: embedding on line, in symbols, and by multipliers.
TEST(ConstraintMethods, GiveTheSameAccelerations) {
  const Model model = load_model("cart_switch");
  SystemEvaluator evaluator(model.system);
  evaluator.set_parameters(model.system->calc_parameters({}));
  evaluator.set_inputs(model.system->default_inputs(), 0);
  MultiplierMotion full(evaluator);
  for (const auto& mode : form_mode_systems(model.mechanism)) {
    evaluator.set_active(mode->active());
    ModeMotion prepared(mode, evaluator.context());
    for (int k = 0; k < 20; ++k) {
      const double x = 0.37 * k;
      const std::vector<double> q{std::sin(x), std::cos(2 * x), x, 0.4 + 0.1 * std::sin(3 * x)};
      std::vector<double> u{std::sin(5 * x), std::cos(x), std::sin(x)}, qdot(4), a(3), b(3), c(3), lambda(2);
      ASSERT_TRUE(evaluator.calc_motion(q, u, qdot, a).ok());
      ASSERT_TRUE(prepared.calc_motion(q, u, qdot, b).ok());
      ASSERT_TRUE(full.calc_motion(q, u, qdot, c, lambda).ok());
      expect_near(b, a, 1e-10);
      expect_near(c, a, 1e-10);
    }
  }
}

}  // namespace
}  // namespace kane::test

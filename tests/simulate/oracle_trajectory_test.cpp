// Every reference trajectory of tests/oracles: with a tolerance of 1e-11, the states agree to 1e-9.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models.hpp"

namespace kane::test {
namespace {

class OracleTrajectory : public testing::TestWithParam<const char*> {};

/// Largest difference relative to the largest reference value.
double difference(const std::vector<double>& computed, const std::vector<double>& reference) {
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    largest = std::max(largest, std::abs(computed[i] - reference[i]));
    scale = std::max(scale, std::abs(reference[i]));
  }
  return largest / scale;
}

void set_parameters(Simulator& sim, const json& oracle) {
  Values parameters;
  for (const auto& [name, value] : oracle.at("parameters").items()) {
    if (value.is_number()) parameters[name] = value.get<double>();
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
      parameters[name + std::to_string(i + 1)] = value[i].get<double>();
  }
  const auto known = sim.system().parameters();
  std::erase_if(parameters,
                [&](const auto& p) { return std::find(known.begin(), known.end(), p.first) == known.end(); });
  sim.set_parameters(parameters);
}

TEST_P(OracleTrajectory, AgreesWhenAskedFor11Digits) {
  const json oracle = load_oracle(GetParam());
  const json& trajectory = oracle.at("trajectory");
  const Model model = load_model(GetParam());
  const EquationsOfMotion& e = model.equations();
  Simulator sim(model.system, {.tolerance = 1e-11});
  set_parameters(sim, oracle);
  std::vector<double> inputs = model.system->default_inputs();
  if (trajectory.contains("inputs"))
    for (std::size_t i = 0; i < inputs.size(); ++i)
      inputs[i] = trajectory["inputs"].value(model.system->inputs()[i], inputs[i]);
  sim.set_inputs(inputs);
  State start{trajectory.at("t0"), in_order(trajectory.at("q0"), e.q), in_order(trajectory.at("u0"), e.u)};
  sim.start(start);

  json samples = trajectory.value("samples", json::array());
  samples.push_back({{"t", trajectory.at("t_end")}, {"q", trajectory.at("q_end")}, {"u", trajectory.at("u_end")}});
  double worst = 0;
  State at;
  for (const json& sample : samples) {
    const double t = sample.at("t");
    while (sim.state().t < t) ASSERT_EQ(sim.step(trajectory.at("t_end")).status, StepStatus::Ok);
    ASSERT_TRUE(sim.interpolate(t, at));
    worst = std::max(
        {worst, difference(at.q, in_order(sample.at("q"), e.q)), difference(at.u, in_order(sample.at("u"), e.u))});
  }
  RecordProperty("difference", fmt::format("{:.3g}", worst));
  EXPECT_LT(worst, 1e-9) << sim.integrator().name() << " " << sim.integrator().totals().steps << " steps";
  if (!e.constraints.empty()) {
    EXPECT_LT(sim.calc_residuals(sim.state()).configuration, 1e-12);
    EXPECT_LT(sim.calc_residuals(sim.state()).motion, 1e-12);
  }
  fmt::print("{:<24} {:.2e} {} steps {} evaluations\n", GetParam(), worst, sim.integrator().totals().steps,
             sim.integrator().totals().evaluations);
}

INSTANTIATE_TEST_SUITE_P(All, OracleTrajectory,
                         testing::Values("planar2r", "planar2r_opspace", "planar2r_tip_damped", "grasp", "rp_robot",
                                         "space_arm_2r", "stanford_arm", "wrist_body", "wrist_rates", "disk_roll",
                                         "disk_slide", "rolling_disk_3d", "cart_free", "cart_stuck", "fourbar",
                                         "npend5", "npend20", "gravity_gradient", "osiris_tree", "bicycle_nonlinear"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace kane::test

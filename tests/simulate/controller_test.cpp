// Inputs from model files: laws of the state, sampled controllers with delay, points in time. Against discrete maps and
// closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/model/input_sources.hpp"
#include "models.hpp"

namespace kane::test {
namespace {

struct Driven {
  Model model;
  InputSources sources;

  explicit Driven(Mechanism mechanism)
      : model(copy(mechanism), {.driven_inputs = model_input_sources(mechanism).driven}),
        sources(model_input_sources(mechanism)) {}
  [[nodiscard]] Simulator simulator(double tolerance = 1e-11) const {
    return Simulator(model.system, {.tolerance = tolerance, .inputs = sources.sources});
  }

 private:
  static Mechanism copy(const Mechanism& m) { return m; }
};

std::string mass_with(const std::string& input) {
  return "kane: 1\nparameters: {k: 40 N/m, c: 9 N*s/m}\ninputs: {F: " + input +
         "}\nbodies: {A: {mass: 2 kg}}\n"
         "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, actuator: F}}\n"
         "initial: {x: 1 m, u_x: 0.3 m/s}\n";
}

// Between the instants at which the force changes it is constant: x and u follow exactly.
TEST(Controller, SampledWithDelayFollowsTheDiscreteMap) {
  const Driven driven(read_yaml_text(mass_with("{value: -k*x - c*u_x, sampled: 50 ms, delay: 20 ms}")));
  ASSERT_EQ(driven.sources.sources.size(), 1u);
  Simulator sim = driven.simulator();
  sim.start(driven.model.initial());
  double x = 1, u = 0.3, force = 0;
  const auto move = [&](double h) { x += h * u + h * h / 2 * force / 2, u += h * force / 2; };
  for (int k = 1; k <= 40; ++k) {
    const double asked = -40 * x - 9 * u;
    move(0.02);
    force = asked;
    move(0.03);
    while (sim.state().t < 0.05 * k) ASSERT_EQ(sim.step(0.05 * k).status, StepStatus::Ok);
    ASSERT_NEAR(sim.state().q[0], x, 1e-11) << k;
    ASSERT_NEAR(sim.state().u[0], u, 1e-11) << k;
  }
  EXPECT_LT(std::abs(x), 0.1) << "the controller brings it home";
}

TEST(Controller, ContinuousLawIsADampedOscillator) {
  const Driven driven(read_yaml_text(mass_with("-k*x - c*u_x")));
  EXPECT_TRUE(driven.sources.sources.empty());
  Simulator sim = driven.simulator();
  sim.start(driven.model.initial());
  (void)sim.run({.until = 1});
  const double d = 9.0 / 4, w = std::sqrt(20 - d * d), a = 1, b = (0.3 + d) / w;
  EXPECT_NEAR(sim.state().q[0], std::exp(-d) * (a * std::cos(w) + b * std::sin(w)), 1e-9);
}

TEST(Controller, PointsInTimeAreInterpolatedOrHeld) {
  const Driven ramp(read_yaml_text(mass_with("{points: [[0 s, 0 N], [1 s, 6 N], [2 s, 6 N]]}")));
  Simulator sim = ramp.simulator();
  sim.start(ramp.model.initial());
  (void)sim.run({.until = 2});
  // x'' = 3 t up to 1 s, then 3: u(1) = 0.3 + 1.5, x(1) = 1 + 0.3 + 0.5
  EXPECT_NEAR(sim.state().u[0], 1.8 + 3, 1e-10);
  EXPECT_NEAR(sim.state().q[0], 1.8 + 1.8 + 1.5, 1e-10);
  const Driven steps(read_yaml_text(mass_with("{points: [[0, 0], [1, 6]], hold: true}")));
  Simulator held = steps.simulator();
  held.start(steps.model.initial());
  (void)held.run({.until = 2});
  EXPECT_NEAR(held.state().u[0], 0.3 + 3, 1e-11);
}

TEST(Controller, BadKeysAreExplained) {
  const auto error_of = [](const std::string& input) -> std::string {
    try {
      (void)read_yaml_text(mass_with(input));
    } catch (const ModelError& error) {
      return error.what();
    }
    return "";
  };
  const auto has = [&](const std::string& input, const char* part) {
    const std::string text = error_of(input);
    EXPECT_NE(text.find(part), std::string::npos) << input << ": " << text;
  };
  has("{value: -k*x, delay: 1 ms}", "needs 'sampled'");
  has("{value: -k*x, sampled: 0 s}", "must be a positive time");
  has("{value: -k*x, sampled: 1 ms, delay: -1 ms}", "cannot be negative");
  has("{value: 3 N, sampled: 1 ms}", "needs a law");
  has("{points: [[0, 1], [0, 2]]}", "must increase");
  has("{points: [[0, 1], 3]}", "pairs");
  has("{points: [[0, 1]], value: 2}", "points");
  has("{valu: 2}", "value");
  has("[1, 2]", "must be a number");
}

TEST(Controller, TheWriterGivesTheSameModelBack) {
  for (const char* input : {"{value: -k*x, sampled: 0.05, delay: 0.02}", "{points: [[0, 0], [1, 6]], hold: true}"}) {
    const Mechanism first = read_yaml_text(mass_with(input));
    const Mechanism again = read_yaml_text(write_yaml(first));
    ASSERT_EQ(again.sampled_inputs.size(), first.sampled_inputs.size());
    ASSERT_EQ(again.input_series.size(), first.input_series.size());
    for (std::size_t i = 0; i < first.sampled_inputs.size(); ++i)
      EXPECT_EQ(again.sampled_inputs[i].period, first.sampled_inputs[i].period);
    for (std::size_t i = 0; i < first.input_series.size(); ++i)
      EXPECT_EQ(again.input_series[i].value, first.input_series[i].value);
  }
}

}  // namespace
}  // namespace kane::test

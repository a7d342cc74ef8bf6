// Sensitivities against differences of runs and closed forms; fits that must give back what made the data.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kane/analysis/fit.hpp"
#include "kane/base/error.hpp"
#include "tests/analysis/systems.hpp"

namespace kane::test {
namespace {

std::vector<Signal> coordinates(const Subject& s) {
  std::vector<Signal> signals;
  for (const auto* symbols : {&s.equations().q, &s.equations().u})
    for (const auto& x : *symbols) signals.push_back({x.name(), x});
  return signals;
}

/// Final signals of a run, and their derivatives if asked for.
std::vector<double> final_values(const Subject& s, const std::vector<Signal>& signals, const Values& parameters,
                                 const State& state, const std::vector<std::string>& by, double until,
                                 Matrix* derivatives) {
  SensitivityRun run(s.system, {.parameters = by, .signals = signals, .tolerance = 1e-12});
  run.start(parameters, state, s.given);
  std::vector<double> values;
  const std::vector<double> times{until};
  EXPECT_EQ(run.run(times,
                    [&](const SensitivitySample& sample) {
                      values.assign(sample.values.begin(), sample.values.end());
                      if (derivatives == nullptr) return;
                      *derivatives = Matrix(signals.size(), by.size());
                      for (std::size_t i = 0; i < signals.size(); ++i)
                        for (std::size_t k = 0; k < by.size(); ++k) (*derivatives)(i, k) = sample.derivatives(i, k);
                    }),
            "");
  return values;
}

/// Central differences of whole runs, from the assembled state at the nominal parameters.
void expect_differences(Subject& s, const std::vector<std::string>& by, double until, double tolerance,
                        const std::vector<std::string>& more = {}) {
  std::vector<Signal> signals = coordinates(s);
  for (const auto& text : more) signals.push_back(parse_signal(s.equations(), text));
  const State at = s.assembled();
  Matrix d;
  (void)final_values(s, signals, {}, at, by, until, &d);
  const auto nominal = s.system->calc_parameters({});
  for (std::size_t k = 0; k < by.size(); ++k) {
    const auto names = s.system->parameters();
    const auto p = std::find(names.begin(), names.end(), by[k]);
    double h = 0;
    std::vector<double> sides[2];
    for (int side = 0; side < 2; ++side) {
      Values values;
      State state = at;
      if (p != names.end()) {
        const double v = nominal[static_cast<std::size_t>(p - names.begin())];
        h = 1e-5 * std::max(std::abs(v), 1e-3);
        values[by[k]] = v + (side == 0 ? -h : h);
      } else {
        h = 1e-5;
        for (std::size_t i = 0; i < state.q.size(); ++i)
          if (s.equations().q[i].name() == by[k]) state.q[i] += side == 0 ? -h : h;
        for (std::size_t i = 0; i < state.u.size(); ++i)
          if (s.equations().u[i].name() == by[k]) state.u[i] += side == 0 ? -h : h;
      }
      sides[side] = final_values(s, signals, values, state, {}, until, nullptr);
    }
    for (std::size_t i = 0; i < signals.size(); ++i) {
      const double difference = (sides[1][i] - sides[0][i]) / (2 * h);
      EXPECT_NEAR(d(i, k), difference, tolerance * (1 + std::abs(difference))) << signals[i].name << " by " << by[k];
    }
  }
}

TEST(Sensitivity, LinearOscillatorInClosedForm) {
  // x = x0 cos(w t), w = sqrt(k / m): dx/dk = -x0 t sin(w t) / (2 m w), dx/dm = x0 t w sin(w t) / (2 m), dx/dx0 = cos(w t).
  Subject s = parse_yaml(R"yaml(
kane: 1
name: spring
parameters: {m: 2 kg, k: 50 N/m}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, stiffness: k}}
initial: {x: 0.1}
)yaml");
  Matrix d;
  const std::vector<Signal> x{parse_signal(s.equations(), "x"), parse_signal(s.equations(), "u_x'")};
  (void)final_values(s, x, {}, s.state, {"k", "m", "x"}, 3, &d);
  const double w = 5, t = 3, x0 = 0.1, m = 2;
  const double dw_dk = 1 / (2 * m * w), dw_dm = -w / (2 * m);
  EXPECT_NEAR(d(0, 0), -x0 * t * std::sin(w * t) * dw_dk, 1e-11);
  EXPECT_NEAR(d(0, 1), -x0 * t * std::sin(w * t) * dw_dm, 1e-10);
  EXPECT_NEAR(d(0, 2), std::cos(w * t), 1e-10);
  // x'' = -w^2 x0 cos(w t)
  const double by_w = -2 * w * x0 * std::cos(w * t) + w * w * x0 * t * std::sin(w * t);
  EXPECT_NEAR(d(1, 0), by_w * dw_dk, 1e-10);
  EXPECT_NEAR(d(1, 1), by_w * dw_dm, 1e-9);
}

TEST(Sensitivity, DoublePendulumAgreesWithDifferences) {
  Subject s = load("planar2r");
  expect_differences(s, {"m", "L", "g", "q1", "u2"}, 1.5, 1e-6, {"tip_x", "P2.ax", "shoulder.Fx"});
}

TEST(Sensitivity, ClosedLoopWhoseLengthsMoveTheStart) {
  Subject s = load("fourbar");
  expect_differences(s, {"l1", "m2", "d", "g"}, 0.8, 2e-6, {"lambda.loop.x"});
}

TEST(Sensitivity, RollingDisk) {
  Subject s = load("rolling_disk_3d");
  expect_differences(s, {"m", "r", "J"}, 0.7, 1e-6);
}

TEST(Sensitivity, ParametersThatFollowOthers) {
  Subject s = parse_yaml(R"yaml(
kane: 1
name: rod
parameters: {l: 0.8 m, m: 3 kg, J: m*l^2/12, g: 9.81 m/s^2}
gravity: -g*N.y
bodies: {R: {mass: m, com: [0, -l/2, 0], inertia: [J, 0, J]}}
joints: {pivot: {type: revolute, parent: N, child: R, axis: z, coordinate: q}}
initial: {q: 1}
)yaml");
  expect_differences(s, {"l", "m"}, 2, 1e-6);
  Matrix d;
  (void)final_values(s, coordinates(s), {}, s.state, {"m"}, 2, &d);
  EXPECT_NEAR(d(0, 0), 0, 1e-9);  // a uniform rod swings the same whatever its mass
  SensitivityRun run(s.system, {.parameters = {"l"}, .signals = {}});
  EXPECT_THROW(run.start({{"J", 0.2}}, s.state, s.given), ModelError);
}

TEST(Sensitivity, MistakesAreSentences) {
  Subject s = load("planar2r");
  EXPECT_THROW(SensitivityRun(s.system, {.parameters = {"mm"}}), ModelError);
  EXPECT_THROW(SensitivityRun(s.system, {.parameters = {"m", "m"}}), ModelError);
  EXPECT_THROW(SensitivityRun(s.system, {.parameters = {"m"}, .inputs = {SampledInput{{"TA"}, 0.1, 0, {}}}}),
               ModelError);
}

// ---- fits ----------------------------------------------------------------------------------------------------------------

class FitTest : public ::testing::Test {
 protected:
  /// A damped pendulum of small swings, in closed form, with noise: q = a exp(-d t) cos(w t) for small a.
  FitTest() : s(parse_yaml(kPendulum)) {}
  Subject s;
};

TEST_F(FitTest, OwnDataGiveTheParametersBack) {
  const Values truth{{"l", 0.62}, {"b", 0.3}};
  FitData data{parse_signal(s.equations(), "q"), {}, {}};
  SensitivityRun run(s.system, {.parameters = {}, .signals = {data.signal}, .tolerance = 1e-11});
  run.start(truth, s.state, s.given);
  for (int k = 0; k <= 60; ++k) data.t.push_back(0.05 * k);
  ASSERT_EQ(run.run(data.t, [&](const SensitivitySample& x) { data.value.push_back(x.values[0]); }), "");
  Fit fit(s.system, {.parameters = {{"l", 0.1, 2}, {"b", 0, 5}}, .data = {data}, .tolerance = 1e-11});
  const FitReport report = fit.solve({{"b", 0.05}}, s.state, s.given);
  ASSERT_TRUE(report.ok());
  EXPECT_NEAR(report.parameters[0].value, 0.62, 1e-7);
  EXPECT_NEAR(report.parameters[1].value, 0.3, 1e-7);
  EXPECT_LT(report.runs, 30);
}

TEST_F(FitTest, NoisyClosedFormAndItsConfidence) {
  // m l^2 q'' + b q' + m g l q = 0. Over many draws of the noise the errors must be of the size that is reported.
  const double m = 2, l = 0.7, g = 9.81, b = 0.5, a = 1e-3;
  const double decay = b / (2 * m * l * l), w = std::sqrt(g / l - decay * decay);
  std::mt19937_64 engine(5);
  std::normal_distribution<double> noise(0, 2e-5);
  double deviation = 0;
  constexpr int kDraws = 12;
  s.state.q[0] = a;
  FitData clean{parse_signal(s.equations(), "q"), {}, {}};
  for (int k = 0; k <= 120; ++k) {
    const double t = 0.05 * k;
    clean.t.push_back(t);
    clean.value.push_back(a * std::exp(-decay * t) * (std::cos(w * t) + decay / w * std::sin(w * t)));
  }
  for (int draw = 0; draw < kDraws; ++draw) {
    FitData data = clean;
    for (double& v : data.value) v += noise(engine);
    Fit fit(s.system, {.parameters = {{"l", 0.1, 3}, {"b", 0, 5}}, .data = {data}});
    const FitReport report = fit.solve({{"b", 0.3}}, s.state, s.given);
    ASSERT_TRUE(report.ok());
    EXPECT_NEAR(report.rms[0], 2e-5, 4e-6);
    deviation += std::pow((report.parameters[0].value - l) / report.parameters[0].standard_error, 2) / kDraws;
    deviation += std::pow((report.parameters[1].value - b) / report.parameters[1].standard_error, 2) / kDraws;
  }
  EXPECT_GT(deviation / 2, 0.4);
  EXPECT_LT(deviation / 2, 2.0);
}

TEST_F(FitTest, WhatCannotBeToldApartIsNamed) {
  // Without damping a pendulum does not show its mass; g and l act as a quotient only.
  FitData data{parse_signal(s.equations(), "q"), {}, {}};
  for (int k = 0; k <= 40; ++k) data.t.push_back(0.1 * k), data.value.push_back(0.3 * std::cos(4.5 * 0.1 * k));
  Fit fit(s.system, {.parameters = {{"m"}, {"l", 0.1, 5}, {"g", 1, 20}}, .data = {data}});
  const FitReport report = fit.solve({}, s.state, s.given);
  EXPECT_EQ(report.unidentifiable.size(), 2U);
  for (const auto& p : report.parameters) EXPECT_FALSE(p.identifiable) << p.name;
}

TEST_F(FitTest, BoundsHold) {
  FitData data{parse_signal(s.equations(), "q"), {}, {}};
  for (int k = 0; k <= 40; ++k)
    data.t.push_back(0.05 * k), data.value.push_back(0.3 * std::cos(std::sqrt(9.81 / 0.9) * 0.05 * k));
  Fit fit(s.system, {.parameters = {{"l", 0.1, 0.6}}, .data = {data}});
  const FitReport report = fit.solve({}, s.state, s.given);
  EXPECT_TRUE(report.ok());
  EXPECT_EQ(report.parameters[0].value, 0.6);
  EXPECT_TRUE(report.parameters[0].at_bound);
}

TEST_F(FitTest, GoalsAreMet) {
  // The initial speed that brings the pendulum to 90 degrees at rest: energy gives it.
  FitGoal goal{parse_signal(s.equations(), "q"), 1.5707963267948966, 0.4};
  s.state.q[0] = 0, s.state.u[0] = 3;
  Fit fit(s.system, {.parameters = {{"u", 0, 20}}, .goals = {goal}, .tolerance = 1e-11});
  const FitReport report = fit.solve({}, s.state, s.given);
  ASSERT_TRUE(report.ok());
  EXPECT_LT(report.rms[0], 1e-9);
  Matrix d;
  State state = s.state;
  state.u[0] = report.parameters[0].value;
  EXPECT_NEAR(final_values(s, {goal.signal}, {}, state, {}, 0.4, nullptr)[0], goal.value, 1e-9);
}

TEST_F(FitTest, MistakesAreSentences) {
  const FitData none{parse_signal(s.equations(), "q"), {}, {}};
  EXPECT_THROW(Fit(s.system, {.parameters = {{"l"}}}), ModelError);
  EXPECT_THROW(Fit(s.system, {.parameters = {}, .data = {none}}), ModelError);
  EXPECT_THROW(Fit(s.system, {.parameters = {{"l", 2, 1}}, .data = {none}}), ModelError);
  Fit empty(s.system, {.parameters = {{"l"}}, .data = {none}});
  EXPECT_THROW((void)empty.solve({}, s.state, s.given), ModelError);
  EXPECT_THROW((void)fit_data(s.equations(), parse_series("t,qq\n0,1\n1,2\n", "x.csv")), ModelError);
}

}  // namespace
}  // namespace kane::test

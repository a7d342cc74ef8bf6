// States besides coordinates and speeds: circuits, integrals, lags. Closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kane/analysis/equilibria.hpp"
#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/frequency.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/analysis/sensitivity_study.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/model/simulation.hpp"

namespace kane::test {
namespace {

Model states_model(const std::string& text) { return Model(read_yaml_text(text)); }

/// J w' = k i - b w, L i' = V - R i - k w.
const std::string kMotor = R"yaml(
kane: 1
name: motor
parameters: {J: 0.02, b: 0.01, k: 0.5, R: 2, L: 0.1}
inputs: {V: 12}
bodies: {rotor: {inertia: [0, 0, J]}}
joints: {shaft: {type: revolute, parent: N, child: rotor, axis: z, coordinate: q, speed: w, damping: b}}
states: {i: {rate: (V - R*i - k*w)/L, initial: 0.4}}
loads: {motor: {torque: k*i, joint: shaft}}
outputs: {power: V*i, slope: "i'"}
)yaml";

TEST(States, MotorByHand) {
  const Evaluation at = evaluate(states_model(kMotor), {.q = {{"i", 1.5}}, .u = {{"w", 3}}});
  EXPECT_EQ(at.coordinates, (std::vector<std::string>{"q", "i"}));
  EXPECT_NEAR(at.qdot[1], (12 - 2 * 1.5 - 0.5 * 3) / 0.1, 1e-12);
  EXPECT_NEAR(at.udot[0], (0.5 * 1.5 - 0.01 * 3) / 0.02, 1e-12);
  EXPECT_NEAR(at.outputs.at(0).value, 18, 1e-13);
  EXPECT_NEAR(at.outputs.at(1).value, at.qdot[1], 1e-12);
}

TEST(States, LinearEquationsContainThem) {
  const LinearizationReport l = linearize_model(states_model(kMotor));
  ASSERT_EQ(l.states, (std::vector<std::string>{"q", "i", "w"}));
  const double a[3][3] = {{0, 0, 1}, {0, -20, -5}, {0, 25, -0.5}};
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(l.a(r, c), a[r][c], 1e-12);
  EXPECT_NEAR(l.b(1, 0), 10, 1e-12);
  // w/V = k/((J s + b)(L s + R) + k^2) at s = 7 i.
  const FrequencyReport f =
      find_frequency_response(states_model(kMotor), {}, {.output = "w", .low = 7, .high = 8, .count = 2});
  const std::complex<double> s(0, 7), h = 0.5 / ((0.02 * s + 0.01) * (0.1 * s + 2.0) + 0.25);
  EXPECT_NEAR(f.points.at(0).magnitude, std::abs(h), 1e-12);
}

TEST(States, StepResponse) {
  // Locked rotor: i = V/R (1 - exp(-R t/L)).
  const std::string lag = R"yaml(
kane: 1
parameters: {R: 2, L: 0.1, V: 12}
bodies: {A: {mass: 1}}
joints: {slide: {type: prismatic, parent: N, child: A, axis: x, coordinate: x}}
states: {i: (V - R*i)/L, z: i}
loads: [{force: i, at: A, axis: N.x}]
)yaml";
  for (const Method method : {Method::Dop853, Method::Cvode, Method::Rk4, Method::Gauss4}) {
    SimulationOptions options{.method = method, .tolerance = 1e-10};
    if (method == Method::Rk4 || method == Method::Gauss4) options = {.method = method, .step = 5e-5};
    Simulation run(states_model(lag), {}, options);
    ASSERT_EQ(run.advance(0.2).status, RunStatus::Done);
    const double tau = 0.05, t = 0.2, decay = std::exp(-t / tau);
    EXPECT_NEAR(run.value("i"), 6 * (1 - decay), 1e-7);
    EXPECT_NEAR(run.value("z"), 6 * (t - tau * (1 - decay)), 1e-7);
    EXPECT_NEAR(run.value("x"), 6 * (t * t / 2 - tau * t + tau * tau * (1 - decay)), 1e-7);
  }
}

TEST(States, SteadyStateOfAControllerWithAnIntegral) {
  const Model model(read_mechanism(std::string(KANE_SOURCE_DIR) + "/models/dc_motor.yaml"));
  Simulation run(model, {}, {.tolerance = 1e-9});
  ASSERT_EQ(run.advance(20).status, RunStatus::Done);
  EXPECT_NEAR(run.value("w"), 100, 1e-6);
  EXPECT_NEAR(run.value("i"), 1e-4 * 100 / 0.05, 1e-7);
  const EquilibriaReport steady = find_equilibria(model, {}, {.search = {.steady = true}});
  ASSERT_TRUE(steady.ok()) << steady.message;
  EXPECT_NEAR(steady.found[0].state.u[0], 100, 1e-8);
  EXPECT_NEAR(steady.found[0].state.q[1], 0.2, 1e-9);
}

/// A mass on a spring whose force lags: rest where the force has settled.
TEST(States, EquilibriumSolvesForThem) {
  const Model model = states_model(R"yaml(
kane: 1
parameters: {k: 50, tau: 0.2, m: 2, g: 9.81}
gravity: -g*N.y
bodies: {A: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: A, axis: y, coordinate: y}}
states: {F: (-k*y - F)/tau}
loads: [{force: F, at: A, axis: N.y}]
)yaml");
  const EquilibriaReport rest = find_equilibria(model);
  ASSERT_TRUE(rest.ok()) << rest.message;
  EXPECT_NEAR(rest.found[0].state.q[0], -2 * 9.81 / 50, 1e-10);
  EXPECT_NEAR(rest.found[0].state.q[1], 2 * 9.81, 1e-9);
}

/// Events may use and reset states; speeds behind them keep their places.
TEST(States, AreResetByEvents) {
  const Model model = states_model(R"yaml(
kane: 1
parameters: {m: 1}
bodies: {B: {mass: m}}
joints: {s: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}}
states: {z: 1, n: 0}
events:
  tick: {when: z - 0.25 rises through zero, reset: {z: 0, n: n + 1, v: v + 1}}
)yaml");
  Simulation run(model);
  ASSERT_EQ(run.advance(1.1).status, RunStatus::Done);
  EXPECT_NEAR(run.value("n"), 4, 1e-12);
  EXPECT_NEAR(run.value("z"), 0.1, 1e-9);
  EXPECT_NEAR(run.value("v"), 4, 1e-12);
  EXPECT_NEAR(run.value("x"), 0.25 * (1 + 2 + 3) + 0.4, 1e-9);
}

TEST(States, SurviveTheWriter) {
  const Mechanism before = read_yaml_text(kMotor);
  const Mechanism after = read_yaml_text(write_yaml(before));
  ASSERT_EQ(after.states.size(), 1U);
  const StartState start{.q = {{"i", 1.5}}, .u = {{"w", 3}}};
  EXPECT_EQ(evaluate(Model(read_yaml_text(kMotor)), start).udot,
            evaluate(Model(read_yaml_text(write_yaml(before))), start).udot);
  EXPECT_EQ(evaluate(Model(read_yaml_text(write_yaml(before)))).q[1], 0.4);
}

TEST(States, ByTheInterfaceForPrograms) {
  Mechanism m("motor");
  const BodyRef rotor = m.add_body("rotor", {.inertia = {0, 0, 0.02}});
  m.revolute("shaft", m.ground, rotor, axis::z, {.coordinate = "q"});
  const Expr i = m.add_state("i", Quantity("(12 - 2*i - 0.5*u)/0.1"), 0.4, "A");
  m.add_torque_about("motor", rotor, i / 2, axis::z);
  const Evaluation at = evaluate(Model(std::move(m)), {.u = {{"u", 3}}});
  EXPECT_NEAR(at.qdot[1], (12 - 0.8 - 1.5) / 0.1, 1e-12);
  EXPECT_NEAR(at.udot[0], 0.2 / 0.02, 1e-12);
}

TEST(States, WhatTheyMayNotDo) {
  const auto fails = [&](const std::string& from, const std::string& to, const std::string& words) {
    std::string text = kMotor;
    text.replace(text.find(from), from.size(), to);
    try {
      (void)states_model(text);
      ADD_FAILURE() << to;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  fails("(V - R*i - k*w)/L", "w'", "depends on accelerations");
  fails("(V - R*i - k*w)/L", "nonsense*i", "nonsense");
  fails("rate:", "rat:", "rat");
  fails("states: {i:", "states: {w:", "w");
  fails("outputs:", "constraints: {c: {motion: w - i}}\noutputs:", "depends on the state 'i'");
  fails("outputs:", "constraints: {c: {configuration: q - i}}\noutputs:", "depends on the state 'i'");
}

}  // namespace
}  // namespace kane::test

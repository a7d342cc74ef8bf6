// Simulation: plain and switched motion through the same few calls.

#include "kane/model/simulation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/analysis/force_history.hpp"
#include "kane/analysis/inverse_study.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

const char* const kOscillator = R"yaml(
kane: 1
name: oscillator
parameters: {m: 2 kg, k: 8 N/m}
inputs: {F: 0 N}
bodies:
  B: {mass: m}
joints:
  slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}
loads:
  - {force: F - k*x, at: B, axis: N.x}
outputs: {twice: 2*x}
initial: {x: 0.5}
simulate: {until: 1 s}
)yaml";

Model named(const std::string& id) { return read_model(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"); }

TEST(Simulation, RunsAsTheFileSays) {
  Simulation run(read_model_text(kOscillator, "o.yaml"));
  const RunReport report = run.run(run.plan());
  EXPECT_EQ(report.status, RunStatus::Done);
  EXPECT_DOUBLE_EQ(run.time(), 1.0);
  EXPECT_NEAR(run.value("x"), 0.5 * std::cos(2.0), 1e-8);
  EXPECT_NEAR(run.value("twice"), std::cos(2.0), 2e-8);
  EXPECT_EQ(run.columns(), (std::vector<std::string>{"t", "x", "v", "twice"}));
  EXPECT_THROW((void)run.value("y"), ModelError);
}

TEST(Simulation, InputsMaySwitchOnTheWay) {
  // A constant force moves the equilibrium to F/k: x = F/k (1 - cos 2t) from rest at zero.
  Simulation run(read_model_text(kOscillator, "o.yaml", {.set = {"x=0"}}), {}, {.tolerance = 1e-11});
  (void)run.advance(0.5);
  EXPECT_EQ(run.value("x"), 0.0);
  run.set_input("F", 4);
  (void)run.advance(0.7);
  EXPECT_NEAR(run.time(), 1.2, 1e-15);
  EXPECT_NEAR(run.value("x"), 0.5 * (1 - std::cos(1.4)), 1e-10);
  EXPECT_EQ(run.value("F"), 4.0);
  EXPECT_THROW(run.set_input("G", 1), ModelError);
}

TEST(Simulation, ControllersReplaceLaws) {
  // A controller sampled every millisecond against the same law written into the model as sampled.
  const std::string text = kOscillator;
  const auto with = [&](const std::string& inputs) {
    std::string copy = text;
    return read_model_text(copy.replace(copy.find("inputs: {F: 0 N}"), 16, inputs), "o.yaml");
  };
  const Model sampled = with("inputs: {F: {value: -3*v, sampled: 0.01 s}}");
  Simulation by_model(sampled);
  SampledInput controller{{"F"}, 0.01, 0, [](const State& s, std::span<const double>, std::span<double> values) {
                            values[0] = -3 * s.u[0];
                          }};
  Simulation by_caller(with("inputs: {F: -100*x}"), {}, {.inputs = {controller}});
  (void)by_model.run(by_model.plan());
  (void)by_caller.run(by_caller.plan());
  EXPECT_NEAR(by_model.value("x"), by_caller.value("x"), 1e-12);
  Simulation by_period(with("inputs: {F: -3*v}"), {}, {.control_period = 0.01});
  (void)by_period.run(by_period.plan());
  EXPECT_NEAR(by_model.value("x"), by_period.value("x"), 1e-12);
}

TEST(Simulation, ChoosesSwitchedMotionByItself) {
  Simulation run(named("bouncing_ball"));
  const RunReport report = run.run({.until = 2});
  EXPECT_GT(report.event_count, 0);
  for (const double q : run.state().q) EXPECT_GT(q, -1e-6);
}

TEST(Simulation, ForcesAlongASwitchedRunStayAboveTheFloor) {
  Simulation run(named("bouncing_ball"));
  ForceHistory forces(run);
  double lowest = 1, contact = 0;
  const RunReport report = run.run(run.plan(3.0), [&](const State& sample) {
    const auto row = forces.row(sample);
    for (const double q : sample.q) lowest = std::min(lowest, q);
    for (const double x : row.subspan(1)) contact = std::max(contact, std::isnan(x) ? 0 : x);
    return true;
  });
  EXPECT_GT(lowest, -1e-6);
  double impulses = 0;
  for (const auto& event : report.events)
    for (const auto& [row, impulse] : event.impulses) impulses += impulse;
  EXPECT_GT(impulses, 0);
}

TEST(Simulation, AnalysesThatCannotFollowEventsSaySo) {
  try {
    InverseStudyOptions options;
    options.motion = {{"y", "1 + t"}};
    options.until = 1, options.generalized = true;
    (void)InverseStudy(named("bouncing_ball"), {}, options).run();
    FAIL() << "the contact was ignored";
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("contact"), std::string::npos) << error.what();
  }
}

TEST(Simulation, GoesBackToSnapshotsToTheLastBit) {
  for (const char* id : {"planar2r", "fourbar", "bouncing_ball", "friction_oscillator"}) {
    Simulation run(named(id));
    (void)run.advance(0.3);
    const MotionSnapshot snapshot = run.snapshot();
    (void)run.advance(0.4);
    const State first = run.state();
    run.restore(snapshot);
    EXPECT_NEAR(run.time(), 0.3, 1e-15) << id;
    (void)run.advance(0.4);
    EXPECT_EQ(run.state(), first) << id;
  }
}

TEST(Simulation, OptionsCheckThemselves) {
  const Model model = read_model_text(kOscillator, "o.yaml");
  EXPECT_THROW(Simulation(model, {}, {.tolerance = -1}), ModelError);
  EXPECT_THROW(Simulation(model, {}, {.step = 0.0}), ModelError);
  EXPECT_THROW(Simulation(model, {}, {.control_period = 0.0}), ModelError);
  EXPECT_THROW(Simulation(model, {}, {.control_delay = 0.1}), ModelError);
  Simulation run(model);
  EXPECT_THROW((void)run.advance(-1), ModelError);
  EXPECT_THROW((void)run.plan({}, 0.0), ModelError);
}

}  // namespace
}  // namespace kane

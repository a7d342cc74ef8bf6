// Programs of the whole motion, constraints and tables included, against the numeric embedding of the simulator.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "kane/base/error.hpp"
#include "kane/codegen/emit/export_step.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/program/interpreter.hpp"
#include "kane/simulate/system/motion_export.hpp"
#include "tests/simulate/models.hpp"

namespace kane {
namespace {

MotionExportOptions options_of(const test::Model& model, Simulator& simulator) {
  std::vector<bool> active;
  for (const auto& c : model.equations().constraints) active.push_back(c.active);
  const ExplicitMotion motion = form_explicit_motion(model.equations(), active);
  MotionExportOptions options;
  options.udot = motion.udot, options.multipliers = motion.multipliers;
  options.start = simulator.assemble(model.initial(), model.given());
  options.until = options.start.t + 1;
  options.write_out = [&model](Graph& target, std::span<const Expr> es) {
    return write_out_tables(model.mechanism, target, es);
  };
  return options;
}

/// The rates of the exported program at the start, and a while later.
void expect_same_rates(const test::Model& model) {
  Simulator simulator(model.system, {.tolerance = 1e-11});
  const MotionExportOptions options = options_of(model, simulator);
  const ExportModel exported = form_motion_export(*model.system, options);
  EXPECT_TRUE(exported.program.functions.empty());
  Interpreter run(std::make_shared<Program>(exported.program));
  run.set_parameters(exported.parameters);
  simulator.start(options.start);
  std::vector<double> qdot(options.start.q.size()), udot(options.start.u.size()), y(exported.program.outputs.size());
  for (const double t : {0.0, 0.05, 0.1}) {
    if (t > 0) (void)simulator.run({.until = options.start.t + t, .intervals = 1});
    const State& s = simulator.state();
    std::vector<double> inputs = exported.inputs, x = s.q;
    if (exported.time) inputs.back() = s.t;
    x.insert(x.end(), s.u.begin(), s.u.end());
    run.set_inputs(inputs);
    run.evaluate(x, y);
    simulator.evaluator().set_time(s.t);
    ASSERT_TRUE(simulator.evaluator().calc_motion(s.q, s.u, qdot, udot).ok());
    double size = 1;
    for (const double a : udot) size = std::max(size, std::fabs(a));
    for (std::size_t i = 0; i < qdot.size(); ++i)
      EXPECT_NEAR(y[i], qdot[i], 1e-12 * std::max(1.0, std::fabs(qdot[i]))) << model.mechanism.name << " " << i;
    for (std::size_t i = 0; i < udot.size(); ++i)
      EXPECT_NEAR(y[qdot.size() + i], udot[i], 1e-10 * size) << model.mechanism.name << " " << i;
  }
}

TEST(MotionExport, EveryModelHasTheRatesOfTheSimulator) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("models"))) {
    if (entry.path().extension() != ".yaml") continue;
    const test::Model model(read_yaml_model(entry.path().string()));
    try {
      expect_same_rates(model);
      ++count;
    } catch (const ModelError& error) {
      // Loads that depend on forces other than linearly are solved at every evaluation and have no formula.
      EXPECT_NE(error.message().find("such a model can be simulated, but not exported"), std::string::npos)
          << entry.path() << ": " << error.what();
    }
  }
  EXPECT_GT(count, 20);
}

/// Massless parts held by constraints only: M alone is singular. A cam from a table drives one of them.
constexpr const char* kMassless = R"(
kane: 1
name: massless
parameters: {L: 0.5, m: 2}
tables: {cam: {points: [[-2, 0.1], [-1, 0.3], [0, 0.2], [1, 0.5], [2, 0.1]], interpolation: cubic}}
gravity: -9.81*N.y
bodies:
  crank: {mass: m, com: [L, 0, 0], inertia: [0, 0, 0.02]}
  rod: {}
  block: {}
joints:
  a: {type: revolute, parent: N, child: crank, axis: z, coordinate: q1}
  b: {type: prismatic, parent: N, child: rod, axis: x, coordinate: q2}
  c: {type: prismatic, parent: N, child: block, axis: y, coordinate: q3}
constraints:
  follower: {configuration: q2 - cam(q1)}
  other: {configuration: q3 - L*sin(q1)}
  twice: {configuration: 2*q3 - 2*L*sin(q1)}
initial: {q1: 0.3, u1: 1}
)";

TEST(MotionExport, MasslessPartsRedundantConstraintsAndTables) {
  expect_same_rates(test::Model(read_yaml_text(kMassless, "test")));
}

TEST(MotionExport, StepsMeetTheLinesAndTheEnd) {
  const test::Model model(read_yaml_model(test::source_path("models/planar2r.yaml")));
  Simulator simulator(model.system);
  MotionExportOptions options = options_of(model, simulator);
  options.until = 1, options.output_step = 0.3, options.step = 0.04;
  ExportModel exported = form_motion_export(*model.system, options);
  EXPECT_NEAR(exported.duration / exported.step, std::round(exported.duration / exported.step), 1e-9);
  EXPECT_LE(exported.step, 0.04);
  options.output_step = 0.1;
  exported = form_motion_export(*model.system, options);
  EXPECT_NEAR(exported.step * exported.print_every, 0.1, 1e-15);
  options.step = 0;
  EXPECT_THROW((void)form_motion_export(*model.system, options), ModelError);
  options.step = 1e-12;
  EXPECT_THROW((void)form_motion_export(*model.system, options), ModelError);
  options.step = 0.1, options.until = -1;
  EXPECT_THROW((void)form_motion_export(*model.system, options), ModelError);
}

TEST(MotionExport, TheStepChosenGivesTheAccuracyAskedFor) {
  const test::Model model(read_yaml_model(test::source_path("models/double_pendulum.yaml")));
  Simulator simulator(model.system, {.tolerance = 1e-12});
  MotionExportOptions options = options_of(model, simulator);
  options.step = 0.02, options.output_step = 0.1;
  ExportModel exported = form_motion_export(*model.system, options);
  const ExportStep chosen = choose_export_step(exported, 1e-8);
  EXPECT_TRUE(chosen.accurate);
  EXPECT_LT(exported.step, 0.02);
  const auto rows = simulate_export(exported);
  ASSERT_EQ(rows.size(), 11U);
  simulator.start(options.start);
  (void)simulator.run({.until = 1, .intervals = 1});
  EXPECT_NEAR(rows.back()[1], simulator.state().q[0], 3e-8);
  EXPECT_NEAR(rows.back()[2], simulator.state().q[1], 3e-8);
  ExportModel hopeless = form_motion_export(*model.system, options);
  EXPECT_FALSE(choose_export_step(hopeless, 1e-30, 1000).accurate);
}

}  // namespace
}  // namespace kane

// One convention for all analyses about a state: laws of inputs belong to the system, an open loop leaves them out, and
// parts that are not in the linear equations are reported.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kane/analysis/equilibria.hpp"
#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/frequency.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/analysis/reach.hpp"
#include "kane/analysis/root_locus.hpp"
#include "kane/analysis/task_jacobian.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"

namespace kane::test {
namespace {

Model model_of(const std::string& text) { return Model(read_yaml_text(text)); }
Model model_file(const std::string& id) {
  return Model(read_mechanism(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"));
}

/// m x'' = F + G, F = -k x - b x' (a law), G from outside.
const std::string kMass = R"yaml(
kane: 1
name: mass
parameters: {m: 2 kg, k: 8 N/m, b: 0 N*s/m}
inputs: {F: -k*x - b*u, G: 0 N}
bodies: {A: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: u}}
loads: [{force: F + G, at: A, axis: N.x}]
)yaml";

bool any_has(const std::vector<std::string>& texts, const std::string& words) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& text) { return text.find(words) != std::string::npos; });
}

void expect_pair(const std::vector<std::complex<double>>& s, double re, double im) {
  ASSERT_EQ(s.size(), 2U);
  for (const auto& z : s) {
    EXPECT_NEAR(z.real(), re, 1e-12);
    EXPECT_NEAR(std::abs(z.imag()), im, 1e-12);
  }
}

/// w = sqrt(k/m) = 2 in every analysis; without the law the mass is free.
TEST(Loop, LawsArePartOfTheSystemInEveryAnalysis) {
  const Model model = model_of(kMass);
  const LinearizationReport closed = linearize_model(model);
  expect_pair(closed.modes.eigenvalues, 0, 2);
  EXPECT_EQ(closed.inputs, std::vector<std::string>{"G"});
  EXPECT_NEAR(closed.k(0, 0), 8, 1e-14);
  EXPECT_NEAR(closed.b(1, 0), 0.5, 1e-15);
  EXPECT_EQ(describe_loop(closed.summary.loop), "closed loop: laws of F");

  const EquilibriaReport rest = find_equilibria(model);
  ASSERT_TRUE(rest.ok());
  expect_pair(rest.found[0].modes->eigenvalues, 0, 2);
  const RootLocus locus = find_root_locus(model, {}, {.name = "k", .values = {8, 18}});
  expect_pair(locus.eigenvalues[0], 0, 2), expect_pair(locus.eigenvalues[1], 0, 3);
  const FrequencyReport bode = find_frequency_response(model, {}, {.output = "x", .low = 1, .high = 4, .count = 2});
  EXPECT_EQ(bode.input, "G");  // the one without a law
  EXPECT_NEAR(bode.points[0].magnitude, 1 / (8.0 - 2), 1e-14);

  const LinearizationReport open = linearize_model(model, {}, {.open_loop = true});
  expect_pair(open.modes.eigenvalues, 0, 0);
  EXPECT_EQ(open.inputs, (std::vector<std::string>{"F", "G"}));
  EXPECT_EQ(describe_loop(open.summary.loop), "open loop: laws of F left out");
  expect_pair(find_root_locus(model, {}, {.name = "k", .values = {8}, .open_loop = true}).eigenvalues[0], 0, 0);
}

/// An input cut open keeps the value of its law at the state: same accelerations, same rates of other quantities.
TEST(Loop, OpenLoopKeepsTheState) {
  const Model model = model_of(kMass);
  const StartState state{.t = {}, .q = {{"x", 0.3}}, .u = {{"u", -0.1}}};
  const LinearizationReport open = linearize_model(model, state, {.open_loop = true});
  ASSERT_EQ(open.summary.inputs, (std::vector<std::string>{"F", "G"}));
  EXPECT_NEAR(open.summary.input_values[0], -8 * 0.3, 1e-15);
  EXPECT_NEAR(open.largest_rate.value, -8 * 0.3 / 2, 1e-15);
  StartState again = state;
  again.inputs = {{"F", open.summary.input_values[0]}};
  EXPECT_NEAR(evaluate(model, again).udot[0], evaluate(model, state).udot[0], 1e-15);
  // A constant given in the state file replaces the law automatically.
  const LinearizationReport given = linearize_model(model, again);
  expect_pair(given.modes.eigenvalues, 0, 0);
  EXPECT_EQ(describe_loop(given.summary.loop), "");
}

/// The transfer function from a force that has a law, with the loop cut there: x / F = 1 / (m s^2) of the free mass.
TEST(Loop, FrequencyResponseCutsTheLoopAtItsInput) {
  const Model model = model_of(kMass);
  const FrequencyReport bode =
      find_frequency_response(model, {}, {.input = "F", .output = "x", .low = 1, .high = 4, .count = 2});
  EXPECT_NEAR(bode.points[0].magnitude, 1 / 2.0, 1e-14);
  EXPECT_NEAR(bode.points[1].magnitude, 1 / 32.0, 1e-15);
  EXPECT_EQ(bode.summary.loop.open, std::vector<std::string>{"F"});
  EXPECT_THROW((void)find_frequency_response(model, {}, {.input = "H", .output = "x"}), ModelError);
  // A model whose only input has a law: that one.
  const FrequencyReport cart = find_frequency_response(model_file("cartpole"), {}, {.output = "theta"});
  EXPECT_EQ(cart.input, "F");
}

/// A damped oscillator by its law alone, m s^2 + b s + k = 0, with the stiffness and damping in symbols.
TEST(Loop, LawsInSymbols) {
  const LinearizationReport r = linearize_model(model_of(kMass), {.parameters = {{"b", 4.0}}}, {.symbols = true});
  expect_pair(r.modes.eigenvalues, -1, std::sqrt(3.0));
  for (const auto& [matrix, text] : {std::pair{"K", "k"}, {"C", "b"}, {"M", "m"}}) {
    const auto entry = std::find_if(r.symbols.begin(), r.symbols.end(),
                                    [&wanted = matrix](const auto& s) { return s.matrix == wanted; });
    ASSERT_NE(entry, r.symbols.end());
    EXPECT_EQ(entry->text, text);
  }
}

/// Definitions that use one another in any order, and a circle of them.
TEST(Loop, DefinitionsAreResolved) {
  Graph graph;
  const Expr x = graph.symbol("x"), f = graph.symbol("f"), h = graph.symbol("h");
  const std::vector<Expr> symbols{f, h};
  std::vector<Expr> values{2 * h, -3 * x};
  ASSERT_TRUE(resolve_definitions(symbols, values));
  EXPECT_TRUE(values[0] == -6 * x);
  std::vector<Expr> circle{2 * h, f + x};
  EXPECT_FALSE(resolve_definitions(symbols, circle));
}

/// The equations in symbols and those in numbers have the same eigenvalues, with laws that balance an unstable system.
TEST(Loop, SymbolsAndNumbersAgreeOnAControlledSystem) {
  for (const std::string id : {"cartpole", "pd_arm"}) {
    const Model model = model_file(id);
    for (const bool open : {false, true}) {
      const LinearizationReport symbols = linearize_model(model, {}, {.equilibrium = true, .open_loop = open});
      ASSERT_EQ(symbols.failure, "");
      const std::string parameter = model.system()->parameters().front();
      const double value = model.parameters(model.start()).at(parameter);
      const RootLocus numbers =
          find_root_locus(model, {}, {.name = parameter, .values = {value}, .equilibrium = true, .open_loop = open});
      ASSERT_EQ(numbers.eigenvalues[0].size(), symbols.modes.eigenvalues.size());
      for (std::size_t k = 0; k < symbols.modes.eigenvalues.size(); ++k)
        EXPECT_LT(std::abs(symbols.modes.eigenvalues[k] - numbers.eigenvalues[0][k]), 1e-6) << id << " " << open;
      EXPECT_EQ(symbols.modes.growing > 0, open) << id;
    }
  }
}

/// A law that a controller samples acts continuously in linear equations, and that is said.
TEST(Loop, SampledLawsActContinuously) {
  const LinearizationReport r = linearize_model(model_file("pd_arm"), {}, {.equilibrium = true});
  EXPECT_EQ(describe_loop(r.summary.loop), "closed loop: laws of T1, T2");
  EXPECT_TRUE(any_has(r.summary.notes, "acts continuously"));
  EXPECT_NEAR(r.summary.q[0], 1, 1e-9);  // the pose that it holds
  EXPECT_NEAR(r.summary.q[1], -0.5, 1e-9);
}

TEST(Loop, AVerdictAwayFromEquilibriumIsWarned) {
  const Model model = model_of(kMass);
  const StartState away{.t = {}, .q = {{"x", 0.5}}};
  EXPECT_TRUE(
      any_has(linearize_model(model, away).summary.warnings, "not an equilibrium (the largest rate is u' = -2)"));
  EXPECT_FALSE(any_has(linearize_model(model).summary.warnings, "equilibrium"));
  const LinearizationReport found = linearize_model(model, away, {.equilibrium = true});
  EXPECT_FALSE(any_has(found.summary.warnings, "equilibrium"));
  EXPECT_NEAR(found.summary.q[0], 0, 1e-12);
  EXPECT_TRUE(any_has(find_frequency_response(model, away, {.output = "x"}).summary.warnings, "not an equilibrium"));
  EXPECT_TRUE(any_has(find_root_locus(model, away, {.name = "k", .values = {8}}).summary.warnings, "k = 8: the state"));
  // A steady motion is one although coordinates run.
  EXPECT_FALSE(any_has(linearize_model(model_file("bicycle_linear"), {}, {.steady = true}).summary.warnings, "steady"));
  const LinearizationReport none = linearize_model(model_file("disk_slide"), {}, {.equilibrium = true});
  EXPECT_NE(none.failure.find("no equilibrium was found"), std::string::npos) << none.failure;
}

TEST(Loop, WhatSwitchesIsNamed) {
  const Model ball = model_file("bouncing_ball");
  EXPECT_TRUE(any_has(linearize_model(ball).summary.warnings, "contact 'floor'"));
  const EquilibriaReport rest = find_equilibria(ball, {}, {.search = {.starts = 2}});
  ASSERT_TRUE(rest.ok());
  EXPECT_EQ(rest.found[0].contacts.at(0).name, "floor");
  EXPECT_FALSE(any_has(linearize_model(model_file("double_pendulum")).summary.warnings, "not part"));
}

/// The active constraints are those of the state: a four-bar linkage with its loop open is a double pendulum more.
TEST(Loop, ActiveConstraintsAreThoseOfTheState) {
  const Model fourbar = model_file("fourbar");
  EXPECT_EQ(linearize_model(fourbar).states.size(), 2U);
  StartState open;
  open.active.emplace();
  const LinearizationReport symbols = linearize_model(fourbar, open);
  EXPECT_EQ(symbols.states.size(), 2 * fourbar.equations().q.size());
  // One row of the loop alone: the linear equations in symbols are embedded where they are needed.
  open.active->push_back(fourbar.equations().constraints.front().name);
  const LinearizationReport part = linearize_model(fourbar, open);
  const std::string parameter = fourbar.system()->parameters().front();
  const double value = fourbar.parameters(fourbar.start()).at(parameter);
  const RootLocus numbers = find_root_locus(fourbar, open, {.name = parameter, .values = {value}});
  ASSERT_EQ(part.states.size(), 2 * (fourbar.equations().q.size() - 1));
  ASSERT_EQ(numbers.eigenvalues[0].size(), part.modes.eigenvalues.size());
  for (std::size_t k = 0; k < part.modes.eigenvalues.size(); ++k)
    EXPECT_LT(std::abs(part.modes.eigenvalues[k] - numbers.eigenvalues[0][k]), 1e-6);
}

/// One rule for the time: that of the state, else the model's initial t, else the beginning of its run.
TEST(Loop, OneRuleForTheTime) {
  const auto time = [](const std::string& tail, const StartState& state) {
    const Model model = model_of(kMass + tail);
    const double t = linearize_model(model, state).summary.t;
    EXPECT_EQ(find_equilibria(model, state).summary.t, t);
    EXPECT_EQ(find_frequency_response(model, state, {.output = "x"}).summary.t, t);
    EXPECT_EQ(find_jacobian(model, state, {.points = {}, .bodies = {"A"}}).summary.t, t);
    EXPECT_EQ(evaluate(model, state).t, t);
    return t;
  };
  StartState at;
  at.t = 7;
  EXPECT_EQ(time("", {}), 0);
  EXPECT_EQ(time("simulate: {from: 3 s}\n", {}), 3);
  EXPECT_EQ(time("initial: {t: 5 s}\nsimulate: {from: 3 s}\n", {}), 5);
  EXPECT_EQ(time("initial: {t: 5 s}\nsimulate: {from: 3 s}\n", at), 7);
}

/// A stiffness that grows with time is taken at the time of the state, and that is said.
TEST(Loop, EquationsThatDependOnTime) {
  std::string text = kMass;
  text.replace(text.find("-k*x - b*u"), 10, "-k*t*x");
  StartState at;
  at.t = 4;
  const LinearizationReport r = linearize_model(model_of(text), at);
  expect_pair(r.modes.eigenvalues, 0, 4);
  EXPECT_TRUE(any_has(r.summary.warnings, "hold at t = 4 s only"));
}

TEST(Loop, WhereNothingMovesThereIsNothingToAnalyse) {
  const Model wall = model_of(R"yaml(
kane: 1
name: wall
bodies: {B: {mass: 1 kg}}
joints: {weld: {type: weld, parent: N, child: B}}
)yaml");
  EXPECT_THROW((void)linearize_model(wall), ModelError);
  EXPECT_THROW((void)find_equilibria(wall), ModelError);
  EXPECT_THROW((void)find_jacobian(wall, {}, {.points = {}, .bodies = {"B"}}), ModelError);
}

TEST(Loop, OptionsCheckThemselves) {
  const Model model = model_of(kMass);
  EXPECT_THROW((void)find_root_locus(model, {}, {.name = "k"}), ModelError);
  EXPECT_THROW((void)find_root_locus(model, {}, {.name = "", .values = {1}}), ModelError);
  EXPECT_THROW((void)find_equilibria(model, {}, {.search = {.starts = -1}}), ModelError);
  EXPECT_THROW((void)find_frequency_response(model, {}, {.output = ""}), ModelError);
  EXPECT_THROW((void)find_frequency_response(model, {}, {.output = "x", .low = 2, .high = 1}), ModelError);
  EXPECT_THROW((void)find_reach(model, {}, {.length = 0}), ModelError);
  EXPECT_THROW((void)find_jacobian(model, {}, {}), ModelError);
}

}  // namespace
}  // namespace kane::test

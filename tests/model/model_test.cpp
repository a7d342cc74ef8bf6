// Model, StartState, Start: one meaning of a file, a state and options.

#include "kane/model/model.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/analysis/evaluation.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/state_file.hpp"
#include "kane/model/settings.hpp"

namespace kane {
namespace {

std::string message_of(const auto& work) {
  try {
    work();
  } catch (const ModelError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

const char* const kMass = R"yaml(
kane: 1
name: mass
parameters: {m: 2 kg, k: 8 N/m}
inputs: {F: 0 N}
bodies:
  B: {mass: m}
joints:
  slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v}
loads:
  - {force: F, at: B, axis: N.x}
initial: {x: 0.5, v: 1}
)yaml";

std::string mass_with(const std::string& inputs, const std::string& rest = "") {
  std::string text = kMass;
  const std::string own = "inputs: {F: 0 N}";
  return text.replace(text.find(own), own.size(), inputs) + rest;
}

double acceleration(const std::string& text, const StartState& start = {}) {
  return evaluate(read_model_text(text, "mass.yaml"), start).udot.at(0);
}

TEST(Model, GivesWhatTheFileSays) {
  const Model model = read_model_text(kMass, "mass.yaml");
  EXPECT_EQ(model.name(), "mass");
  const Start start = model.start();
  EXPECT_EQ(start.state.t, 0);
  EXPECT_EQ(start.state.q, std::vector<double>{0.5});
  EXPECT_EQ(start.state.u, std::vector<double>{1.0});
  EXPECT_EQ(start.given.q, std::vector<bool>{true});
  EXPECT_EQ(model.parameters(start).at("m"), 2);
}

TEST(Model, SettingsComeBeforeDerivation) {
  const Model model = read_model_text(kMass, "mass.yaml", {.set = {"m=500 g", "x = 20 cm", "F=3"}});
  const Evaluation at = evaluate(model);
  EXPECT_DOUBLE_EQ(at.q[0], 0.2);
  EXPECT_DOUBLE_EQ(at.udot[0], 6.0);
}

TEST(Model, StartsAtTheSameTimeWhateverSaysIt) {
  const std::string initial = mass_with("inputs: {F: 0 N}", "");
  std::string text = initial;
  EXPECT_EQ(read_model_text(text, "m.yaml").start().state.t, 0);
  text = mass_with("inputs: {F: 0 N}", "simulate: {from: 3 s}\n");
  EXPECT_EQ(read_model_text(text, "m.yaml").start().state.t, 3);
  std::string both = text;
  both.replace(both.find("initial: {"), 10, "initial: {t: 2, ");
  EXPECT_EQ(read_model_text(both, "m.yaml").start().state.t, 2);
  EXPECT_EQ(read_model_text(both, "m.yaml").start({.t = 1}).state.t, 1);
}

TEST(Model, LawsSeriesAndSampledLawsActAtAState) {
  EXPECT_DOUBLE_EQ(acceleration(mass_with("inputs: {F: -k*x}")), -2.0);
  EXPECT_DOUBLE_EQ(acceleration(mass_with("inputs: {F: {points: [[0, 0], [2, 8]]}}"), {.t = 1}), 2.0);
  EXPECT_DOUBLE_EQ(acceleration(mass_with("inputs: {F: {value: -k*x, sampled: 0.1 s}}")), -2.0);
}

TEST(Model, AStateDrivesAnInputWhateverItsLaw) {
  for (const char* inputs : {"inputs: {F: 0 N}", "inputs: {F: -k*x}", "inputs: {F: {points: [[0, 0], [2, 8]]}}",
                             "inputs: {F: {value: -k*x, sampled: 0.1 s}}"})
    EXPECT_DOUBLE_EQ(acceleration(mass_with(inputs), {.inputs = {{"F", 5}}}), 2.5) << inputs;
}

TEST(Model, SettingAnInputRemovesItsLaw) {
  for (const char* inputs :
       {"inputs: {F: -k*x}", "inputs: {F: {points: [[0, 0], [2, 8]]}}", "inputs: {F: {value: -k*x, sampled: 0.1 s}}"}) {
    const Model model = read_model_text(mass_with(inputs), "m.yaml", {.set = {"F=5 N"}});
    EXPECT_TRUE(model.input_sources().empty()) << inputs;
    EXPECT_DOUBLE_EQ(evaluate(model).udot[0], 2.5) << inputs;
  }
}

TEST(Model, SampledLawsCanActContinuously) {
  const Model model = read_model_text(mass_with("inputs: {F: {value: -k*x, sampled: 0.1 s}}"), "m.yaml",
                                      {.sampled_laws = SampledLaws::Continuous});
  EXPECT_TRUE(model.input_sources().empty());
  ASSERT_EQ(model.notes().size(), 1U);
  EXPECT_NE(model.notes()[0].find("acts continuously"), std::string::npos);
  EXPECT_DOUBLE_EQ(evaluate(model, {.q = {{"x", 1}}}).udot[0], -4.0);
}

TEST(Model, RefusesUnknownNamesWithASuggestion) {
  const Model model = read_model_text(kMass, "mass.yaml");
  EXPECT_NE(message_of([&] { (void)model.start({.q = {{"xx", 1}}}); }).find("did you mean 'x'"), std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)model.start({.parameters = {{"mm", 1}}});
            }).find("'parameters' has no 'mm'"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)evaluate(model, {.inputs = {{"G", 1}}});
            }).find("'inputs' has no 'G'"),
            std::string::npos);
  EXPECT_NE(message_of([&] { (void)model.start({.active = {{"loop"}}}); }).find("there is no constraint 'loop'"),
            std::string::npos);
}

TEST(Model, RefusesImpossibleValuesOfAState) {
  const Model model = read_model_text(kMass, "mass.yaml");
  EXPECT_NE(message_of([&] { (void)model.start({.parameters = {{"m", -1}}}); }).find("mass"), std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)model.start({.q = {{"x", std::nan("")}}});
            }).find("not a finite number"),
            std::string::npos);
}

TEST(Model, InitialModeDecidesWhichConstraintsAct) {
  const std::string text = mass_with("inputs: {F: 0 N}", R"yaml(
constraints:
  held: {motion: v, active: false}
modes:
  free: {active: []}
  stuck: {active: [held], initial: true}
)yaml");
  const Model model = read_model_text(text, "m.yaml");
  EXPECT_EQ(model.start().active, std::vector<bool>{model.equations().initial_mode == "stuck"});
  EXPECT_EQ(model.start({.active = std::vector<std::string>{}}).active, std::vector<bool>{false});
  EXPECT_EQ(model.start({.active = std::vector<std::string>{"held"}}).active, std::vector<bool>{true});
}

// ---- state files ------------------------------------------------------------------------------------------------------------

TEST(StateFile, ReadsOneStateOrAList) {
  const StateFile one = parse_states(R"({"t": 1, "q": {"q": [0.1, 0.2]}, "active": ["a"]})", "s.json");
  ASSERT_EQ(one.states.size(), 1U);
  EXPECT_FALSE(one.list);
  EXPECT_EQ(one.states[0].t, 1.0);
  EXPECT_EQ(one.states[0].q.at("q2"), 0.2);
  const StateFile two = parse_states(R"([{"inputs": {"F": 1}}, {"inputs": {"G": 2}}])", "s.json");
  EXPECT_TRUE(two.list);
  EXPECT_EQ(two.inputs(), (std::vector<std::string>{"F", "G"}));
  EXPECT_THROW((void)only_state(two), ModelError);
}

TEST(StateFile, EveryWrongTypeIsASentence) {
  for (const char* text : {"[1]",
                           "3",
                           "null",
                           "\"x\"",
                           R"({"t": "x"})",
                           R"({"t": null})",
                           R"({"q": []})",
                           R"({"q": 3})",
                           R"({"q": {"x": "one"}})",
                           R"({"u": {"v": {}}})",
                           R"({"u": {"v": [true]}})",
                           R"({"inputs": 3})",
                           R"({"inputs": {"F": null}})",
                           R"({"parameters": "m"})",
                           R"({"active": "a"})",
                           R"({"active": [1]})",
                           R"({"active": {}})",
                           R"({"speed": {}})",
                           "{",
                           "",
                           R"({"t": 1e999})"})
    EXPECT_NE(message_of([&] { (void)parse_states(text, "s.json"); }), "nothing was thrown") << text;
  EXPECT_NE(message_of([] { (void)parse_states("{\n \"t\": }", "s.json"); }).find("s.json:2:"), std::string::npos);
}

}  // namespace
}  // namespace kane

// linearize, equilibrium, frequency, jacobian and reach as a user runs them: closed and open loops, states that are found
// first or come from another command, and state files that are wrong.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

const std::string kMass = R"yaml(
kane: 1
name: mass
parameters: {m: 2 kg, k: 8 N/m, b: 0 N*s/m}
inputs: {F: -k*(x - 0.25) - b*u}
bodies: {A: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: u, actuator: F}}
)yaml";

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() / ("kane_local_" + name)).string();
  std::ofstream(path) << text;
  return path;
}

/// The mass of m x'' = -k (x - x0): every command gives +-2 i, none the 0, 0 of a free mass, unless that is asked for.
TEST(LocalAnalysis, LawsAreInEveryCommand) {
  const std::string mass = file_with("mass.yaml", kMass);
  const json a = run_json({"linearize", mass, "--equilibrium"});
  EXPECT_NEAR(a["eigenvalues"][1][1].get<double>(), 2, 1e-12);
  EXPECT_EQ(a["loop"]["closed"], json::array({"F"}));
  EXPECT_NEAR(a["nominal"]["q"]["x"].get<double>(), 0.25, 1e-12);
  EXPECT_EQ(a["warnings"], json::array());
  const json sweep = run_json({"linearize", mass, "--sweep", "k=8:18:10"});
  EXPECT_NEAR(std::abs(sweep["eigenvalues"][1][0][1].get<double>()), 3, 1e-12);
  const json rest = run_json({"equilibrium", mass});
  EXPECT_NEAR(std::abs(rest["found"][0]["eigenvalues"][0][1].get<double>()), 2, 1e-12);
  const json open = run_json({"linearize", mass, "--open-loop"});
  EXPECT_EQ(open["eigenvalues"][0][0], 0);
  EXPECT_EQ(open["eigenvalues"][1][1], 0);
  EXPECT_EQ(open["loop"]["open"], json::array({"F"}));
  EXPECT_EQ(open["inputs"], json::array({"F"}));
  EXPECT_NEAR(open["nominal"]["inputs"]["F"].get<double>(), 2, 1e-15);

  const auto text = run_kane({"linearize", mass});
  EXPECT_NE(text.out.find("closed loop: laws of F"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("warning: the state is not an equilibrium (the largest rate is u' = 1)"), std::string::npos)
      << text.err;
  EXPECT_NE(run_kane({"linearize", mass, "--open-loop"}).out.find("open loop: laws of F left out"), std::string::npos);
}

/// v' = (V - v)/(R C), w' = v - w^3: nothing moves, but there is a rest (1, 1) with eigenvalues -1/(R C) and -3.
TEST(LocalAnalysis, WorksOnStatesAlone) {
  const std::string circuit = file_with("circuit.yaml", R"yaml(
kane: 1
name: circuit
parameters: {R: 2, C: 0.25}
inputs: {V: 1}
states: {v: (V - v)/(R*C), w: v - w^3}
)yaml");
  const json a = run_json({"linearize", circuit, "--equilibrium"});
  EXPECT_EQ(a["states"], json::array({"v", "w"}));
  EXPECT_NEAR(a["A"][0][0].get<double>(), -2, 1e-12);
  EXPECT_NEAR(a["A"][1][1].get<double>(), -3, 1e-9);
  EXPECT_NEAR(a["B"][0][0].get<double>(), 2, 1e-12);
  const json rest = run_json({"equilibrium", circuit});
  EXPECT_NEAR(rest["found"][0]["q"]["v"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(rest["found"][0]["q"]["w"].get<double>(), 1, 1e-9);
  const json response =
      run_json({"frequency", circuit, "--input", "V", "--output", "v", "--low", "2", "--high", "4", "--count", "2"});
  EXPECT_NEAR(response["magnitude"][0].get<double>(), 1 / std::sqrt(2.0), 1e-9);
  EXPECT_NE(run_kane({"derive", circuit}).out.find("v' = (V - v)/(R*C)"), std::string::npos);
  EXPECT_NE(run_kane({"inverse", circuit, "--motion", "v=t"}).err.find("nothing moves"), std::string::npos);
}

/// A state has a history, which inverse dynamics does not know.
TEST(LocalAnalysis, InverseRefusesForcesThatDependOnStates) {
  const std::string motor = file_with("motor.yaml", R"yaml(
kane: 1
inputs: {V: 0, T: 0}
bodies: {A: {mass: 1, inertia: [1, 1, 1]}}
joints: {j: {type: revolute, parent: N, child: A, axis: z, coordinate: q, speed: w}}
states: {i: V - i - 2*w}
loads: [{torque: (2*i + T)*N.z, on: A}]
)yaml");
  for (const char* motion : {"q=t^2", "i=t^2"}) {
    const auto result = run_kane({"inverse", motor, "--motion", motion, "--until", "1"});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("'i'"), std::string::npos) << result.err;
  }
}

TEST(LocalAnalysis, FrequencyFindsInputsWithLaws) {
  const std::string mass = file_with("mass.yaml", kMass);
  for (const std::vector<std::string>& input : {std::vector<std::string>{}, {"--input", "F"}}) {
    std::vector<std::string> arguments{"frequency", mass, "--output", "x", "--low", "1", "--high", "4", "--count", "2"};
    arguments.insert(arguments.end(), input.begin(), input.end());
    const json a = run_json(arguments);
    EXPECT_NEAR(a["magnitude"][0].get<double>(), 0.5, 1e-14);  // 1 / (m w^2)
    EXPECT_EQ(a["loop"]["open"], json::array({"F"}));
  }
  const json pole = run_json({"frequency", model("cartpole"), "--output", "theta", "--equilibrium"});
  EXPECT_EQ(pole["warnings"], json::array());
  EXPECT_NEAR(pole["nominal"]["q"]["theta"].get<double>(), 0, 1e-12);
}

/// Gains of the model are those for poles at -2 +- i, -3 and -4 per second, written with three digits; the poles of such a
/// fourth-order polynomial move by a few per cent with the fourth.
TEST(LocalAnalysis, CartpoleHasThePolesItsGainsWereChosenFor) {
  const json a = run_json({"linearize", model("cartpole"), "--equilibrium"});
  const double expected[4][2] = {{-4, 0}, {-3, 0}, {-2, -1}, {-2, 1}};
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t part = 0; part < 2; ++part)
      EXPECT_NEAR(a["eigenvalues"][k][part].get<double>(), expected[k][part], 0.1) << a["eigenvalues"].dump();
}

/// The output of kane equilibrium is a state for the other commands, with the time, parameters and constraints it holds for.
TEST(LocalAnalysis, EquilibriaAreStates) {
  const std::string pendulum = model("damped_pendulum");
  const std::string from = file_with("from.json", R"({"t": 3, "q": {"q": 2.5}, "parameters": {"l": 0.8}})");
  const auto found = run_kane({"equilibrium", pendulum, "--from", from, "--json"});
  ASSERT_EQ(found.exit_code, 0) << found.err;
  const json rest = json::parse(found.out);
  const std::string state = file_with("rest.json", found.out);
  const json a = run_json({"linearize", pendulum, "--state", state});
  EXPECT_EQ(a["nominal"]["t"], 3);
  EXPECT_EQ(a["warnings"], json::array());
  for (std::size_t k = 0; k < 2; ++k)
    for (std::size_t part = 0; part < 2; ++part)
      EXPECT_NEAR(a["eigenvalues"][k][part].get<double>(), rest["found"][0]["eigenvalues"][k][part].get<double>(),
                  1e-9);
  EXPECT_EQ(run_json({"evaluate", pendulum, "--state", state})["t"], 3);
  const json bode = run_json({"frequency", pendulum, "--output", "q", "--state", "-"}, found.out);
  EXPECT_EQ(bode["warnings"], json::array());
  const auto none = run_kane({"linearize", pendulum, "--state", "-"}, R"({"found": []})");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("no equilibrium was found"), std::string::npos) << none.err;
}

/// A wrong type in a state file is a sentence in every command, never an internal error.
TEST(LocalAnalysis, WrongTypesInStateFilesAreSentences) {
  const std::string arm = model("planar2r");
  const std::vector<std::vector<std::string>> commands{
      {"linearize", arm, "--state", "-"},
      {"linearize", arm, "--sweep", "m=1:2:1", "--state", "-"},
      {"equilibrium", arm, "--from", "-"},
      {"frequency", arm, "--input", "TA", "--output", "q1", "--state", "-"},
      {"jacobian", arm, "--point", "P2", "--state", "-"},
      {"reach", arm, "--point", "P2=0.8,0.5,-", "--state", "-"},
      {"evaluate", arm, "--state", "-"}};
  for (const char* state : {R"({"t": "x"})", R"({"q": []})", R"({"u": {"u1": {}}})", R"({"inputs": 3})",
                            R"({"active": "a"})", R"({"active": [1]})", R"([])", R"({"found": 1})", R"({"found": [1]})",
                            R"({"found": [{"q": 1}]})", R"({"q": {"q1": null}})", R"({"parameters": {"m": "two"}})"}) {
    for (const auto& command : commands) {
      if (std::string(state) == "[]" && command[0] == "evaluate") continue;  // answers a list of none
      const auto result = run_kane(command, state);
      EXPECT_EQ(result.exit_code, 2) << command[0] << " " << state << ": " << result.err;
      EXPECT_EQ(result.err.find("bug"), std::string::npos) << command[0] << " " << state << ": " << result.err;
      EXPECT_NE(result.err.find("stat"), std::string::npos) << command[0] << " " << state << ": " << result.err;
    }
  }
}

/// Parts that switch during a motion are not in the linear equations; they are reported by name.
TEST(LocalAnalysis, WhatSwitchesIsNamed) {
  const auto ball = run_kane({"linearize", model("bouncing_ball")});
  EXPECT_EQ(ball.exit_code, 0) << ball.err;
  EXPECT_NE(ball.err.find("not part of the equations here: contact 'floor'"), std::string::npos) << ball.err;
  const json cart = run_json({"linearize", model("cart_switch")});
  EXPECT_NE(cart["warnings"].dump().find("event"), std::string::npos) << cart["warnings"];
}

/// A motor at its limit gives the same force whatever it is asked for; B = 0 without a word would look like a mistake.
TEST(LocalAnalysis, SaturatedMotorsAreNamed) {
  const auto arm = [](const std::string& motor) {
    return file_with("motor.yaml",
                     "kane: 1\nbodies: {A: {mass: 1 kg, inertia: [0, 0, 0.1], com: [0.5, 0, 0]}}\n"
                     "inputs: {T: {value: 8 N*m}}\njoints: {hip: {type: revolute, parent: N, child: A, axis: z, "
                     "coordinate: q, speed: u, " +
                         motor + "}}\n");
  };
  const std::string asked = "motor of joint 'hip' is saturated at this state (it is asked for ";
  for (const auto& [motor, value] :
       {std::pair("actuator: T, max_force: 5 N*m", "8"), std::pair("law: \"-20 N*m*(q - 1)\", max_force: 5 N*m", "20"),
        std::pair("actuator: T, law: -30*(q + 1), max_force: 5 N*m", "-22")}) {
    const auto linear = run_kane({"linearize", arm(motor)});
    EXPECT_NE(linear.err.find(asked + value + ","), std::string::npos) << motor << ": " << linear.err;
  }
  const std::string motor = arm("actuator: T, max_force: 5 N*m");
  EXPECT_NE(run_kane({"frequency", motor, "--output", "q"}).err.find(asked), std::string::npos);
  EXPECT_NE(run_json({"linearize", motor})["warnings"].dump().find(asked), std::string::npos);
  EXPECT_EQ(run_kane({"linearize", motor, "--set", "T=4"}).err.find(asked), std::string::npos);
  const auto fast = run_kane({"linearize", arm("actuator: T, max_speed: 3 rad/s"), "--set", "u=4"});
  EXPECT_NE(fast.err.find("beyond its max_speed"), std::string::npos) << fast.err;
}

/// The same time in every command.
TEST(LocalAnalysis, OneRuleForTheTime) {
  const std::string late = file_with("late.yaml", kMass + "initial: {t: 5 s}\nsimulate: {from: 3 s, until: 6 s}\n");
  const std::string later = file_with("later.yaml", kMass + "simulate: {from: 3 s, until: 6 s}\n");
  const std::string state = file_with("state.json", R"({"t": 4})");
  const auto times = [&](const std::string& file, const std::vector<std::string>& option) {
    const auto with = [&](std::vector<std::string> arguments) {
      arguments.insert(arguments.end(), option.begin(), option.end());
      return arguments;
    };
    std::vector<double> r{run_json(with({"linearize", file}))["nominal"]["t"], run_json(with({"evaluate", file}))["t"],
                          run_json(with({"frequency", file, "--output", "x"}))["nominal"]["t"]};
    std::vector<std::string> from = option;
    if (!from.empty()) from[0] = "--from";
    std::vector<std::string> arguments{"equilibrium", file};
    arguments.insert(arguments.end(), from.begin(), from.end());
    r.push_back(run_json(arguments)["t"]);
    const auto run = run_kane(with({"simulate", file, "--out", "-"}));
    r.push_back(std::stod(run.out.substr(run.out.find('\n') + 1)));
    return r;
  };
  EXPECT_EQ(times(late, {}), std::vector<double>(5, 5));
  EXPECT_EQ(times(later, {}), std::vector<double>(5, 3));
  EXPECT_EQ(times(late, {"--state", state}), std::vector<double>(5, 4));
}

/// A value of --hold overrides that of the state file.
TEST(LocalAnalysis, HeldValuesOverrideTheStateFile) {
  const std::string state = file_with("held.json", R"({"q": {"q": 0.2}})");
  const json a = run_json({"equilibrium", model("damped_pendulum"), "--from", state, "--hold", "q=0.7", "--free", "T"});
  EXPECT_NEAR(a["found"][0]["q"]["q"].get<double>(), 0.7, 1e-15);
}

}  // namespace
}  // namespace kane::test

// kane check, derive, evaluate, import, new, completion: as a user runs them.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string gripper() { return (fs::path(KANE_SOURCE_DIR) / "tests" / "robots" / "gripper.urdf").string(); }

/// A separate folder to work in.
class Commands : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "kane_commands_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    before_ = fs::current_path();
    fs::current_path(name);
  }
  void TearDown() override {
    const fs::path folder = fs::current_path();
    fs::current_path(before_);
    fs::remove_all(folder);
  }
  fs::path before_;
};

TEST(SetOption, WantsNumbers) {
  const auto result = run_kane({"evaluate", model("planar2r"), "--set", "m=abc"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("--set m=abc: expected a number, optionally with a unit, but 'abc' is a name"),
            std::string::npos)
      << result.err;
}

TEST(SetOption, ComparesUnits) {
  for (const auto& [setting, words] : {std::pair{"m=3cm", "'m' is measured in kg, but '3cm' is in metres"},
                                       {"q1=3 m", "'q1' is measured in rad"},
                                       {"u1=2 m/s", "'u1' is measured in rad/s"},
                                       {"TA=3 N", "'TA' is measured in N*m"}}) {
    const auto result = run_kane({"evaluate", model("planar2r"), "--set", setting});
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  }
  const auto udot = [](const std::string& l, const std::string& q) {
    return run_json({"evaluate", model("planar2r"), "--set", "L=" + l, "--set", "q1=" + q})["udot"];
  };
  EXPECT_EQ(udot("30cm", "30 deg"), udot("0.3", "pi/6"));
}

TEST_F(Commands, AModelIsNotOverwrittenByWhatIsMadeOfIt) {
  fs::copy_file(model("planar2r"), "own.yaml");
  for (const auto& more : std::vector<std::vector<std::string>>{{"simulate", "own.yaml", "--report", "./own.yaml"},
                                                                {"import", "own.yaml", "-o", "own.yaml"}}) {
    const auto result = run_kane(more);
    EXPECT_EQ(result.exit_code, 2);
    EXPECT_NE(result.err.find("is the model itself"), std::string::npos) << result.err;
  }
  EXPECT_EQ(fs::file_size("own.yaml"), fs::file_size(model("planar2r")));
}

// A mass of 1 kg with a dry friction of 2 N: it decelerates by 2 m/s^2 either way, and rests without a load.
TEST_F(Commands, EvaluateKnowsJointFriction) {
  std::ofstream("rough.yaml")
      << "kane: 1\nname: rough\nbodies: {B: {mass: 1 kg}}\njoints: {slide: {type: prismatic, parent: N, "
         "child: B, axis: x, coordinate: x, friction: 2 N}}\n";
  EXPECT_DOUBLE_EQ(run_json({"evaluate", "rough.yaml", "--set", "u_x=1"})["udot"][0].get<double>(), -2.0);
  EXPECT_DOUBLE_EQ(run_json({"evaluate", "rough.yaml", "--set", "u_x=-1"})["udot"][0].get<double>(), 2.0);
  EXPECT_DOUBLE_EQ(run_json({"evaluate", "rough.yaml"})["udot"][0].get<double>(), 0.0);
}

TEST_F(Commands, StatesMayComeFromAPipe) {
  ASSERT_EQ(mkfifo("states", 0600), 0);
  std::thread writer([] { std::ofstream("states") << "{\"q\": {\"q1\": 0.25}}"; });
  const json a = run_json({"evaluate", model("planar2r"), "--state", "states"});
  writer.join();
  EXPECT_EQ(a["q"][0].get<double>(), 0.25);
}

TEST_F(Commands, EveryHelpHasExamplesAndJson) {
  for (const char* command : {"check", "derive", "evaluate", "import", "new", "bench"}) {
    const auto help = run_kane({command, "--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_NE(help.out.find("Examples:"), std::string::npos) << command;
    EXPECT_NE(help.out.find("--json"), std::string::npos) << command;
  }
}

TEST_F(Commands, CheckSaysWhatAModelIs) {
  const auto result = run_kane({"check", model("fourbar")});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("1 degree of freedom\n"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("the model is valid"), std::string::npos);
  const json a = run_json({"check", gripper()});
  EXPECT_TRUE(a["ok"].get<bool>());
  EXPECT_EQ(a["degrees_of_freedom"], 3);  // four joints, one mimic
  EXPECT_EQ(a["joint_table"][1]["coordinates"], json::array({"q_pan"}));
  EXPECT_FALSE(a["notes"].empty());
  EXPECT_EQ(run_json({"check", gripper(), "--floating-base"})["degrees_of_freedom"], 9);
}

/// Rows that stops and contacts switch on are no constraints of the model, and a page of equations does not write them out.
TEST_F(Commands, StopsAreNotConstraints) {
  const std::string model = "stop.yaml";
  std::ofstream(model)
      << ("kane: 1\nbodies: {A: {mass: 1, com: [0, -1, 0]}}\ngravity: -9.81*N.y\n"
          "joints: {j: {type: revolute, parent: N, child: A, axis: z, coordinate: q, speed: u, "
          "limits: [-60 deg, 45 deg]}}\n"
          "points: {P: {on: A, at: [0, -1, 0]}, Q: {on: N, at: [1, 0, 0]}}\n"
          "loads: [{spring: 10, from: P, to: Q, length: 0.5}]\n");
  const auto check = run_kane({"check", model});
  EXPECT_NE(check.out.find("1 speed, 0 constraints, 2 stops, 1 degree of freedom"), std::string::npos) << check.out;
  const auto derive = run_kane({"derive", model});
  EXPECT_EQ(derive.out.find("not active"), std::string::npos) << derive.out;
  EXPECT_NE(derive.out.find("while they hold: j.lower, j.upper"), std::string::npos) << derive.out;
  const auto bench = run_kane({"bench", model});
  EXPECT_NE(bench.out.find("(1 speed, 1 degree of freedom, "), std::string::npos) << bench.out;
  const auto stiff = run_kane({"simulate", model, "--until", "1", "--method", "cvode"});
  EXPECT_EQ(stiff.exit_code, 2);
  EXPECT_NE(stiff.err.find("--ignore-limits"), std::string::npos) << stiff.err;
}

TEST_F(Commands, WrongModelsEndWithTwoAndAPlace) {
  const std::pair<std::string, std::string> cases[] = {
      {"bodies: {A: {mass: 2 m}}", "standard input:1:20: error: mass is given in metres"},
      {"bodies: {A: {mass: 1}}", "standard input:1:10: error: no joint connects the body 'A'"},
      {"bodies: {A: {mass: -1}}\njoints: {J: {type: free, parent: N, child: A}}", "standard input:1:10: error: "},
      {"bodies: [", "standard input:1:9: error: this is not valid YAML"},
      {"", "standard input: error: the file is empty"},
      {std::string("a: \0b", 5), "standard input:1:4: error: the file is not text"},
      {"<robot name=\"r\"/>", "standard input:1:1: error: the robot has no <link>"},
      {"repeat: {to: 1e9, bodies: {\"B{i}\": {}}}", "standard input:1:14: error: this repetition counts to"},
  };
  for (const char* command : {"check", "derive", "evaluate", "import"}) {
    for (const auto& [text, message] : cases) {
      const auto result = run_kane({command, "-"}, text);
      EXPECT_EQ(result.exit_code, 2) << command << "\n" << text;
      EXPECT_EQ(result.out, "") << command << "\n" << text;
      EXPECT_NE(result.err.find(message), std::string::npos) << command << ": " << result.err;
    }
  }
  const json a = run_json({"check", "-"}, "bodies: {A: {mass: 2 m}}", 2);
  EXPECT_FALSE(a["ok"].get<bool>());
  EXPECT_EQ(a["error"]["line"], 1);
  EXPECT_EQ(a["error"]["column"], 20);
}

TEST_F(Commands, FilesThatCannotBeRead) {
  fs::create_directory("folder");
  ASSERT_EQ(mkfifo("pipe", 0600), 0);
  std::ofstream("huge.yaml").seekp(40 << 20).put(' ');
  for (const char* file : {"nothing.yaml", "folder", "pipe", "/dev/zero", "/dev/null", "huge.yaml"}) {
    const auto result = run_kane({"check", file});
    EXPECT_EQ(result.exit_code, 2) << file;
    EXPECT_EQ(result.err.find(std::string(file) + ": error: "), 0U) << result.err;
  }
}

TEST_F(Commands, EvaluateRefusesWrongStates) {
  const std::pair<std::string, std::string> cases[] = {
      {"{\"q\": {\"q3\": 1}}", "'q' has no 'q3'; did you mean 'q"},
      {"{\"qq\": {}}", "unknown key 'qq'"},
      {"{\"q\": {\"q1\": \"a\"}}", "the value of 'q1' must be a number, or text with a unit"},
      {"{\"q\": [1]}", ""},
      {"{\"q\"", "standard input:1:5: error: the state is not valid JSON"},
      {"[{}, {\"parameters\": {\"mm\": 1}}]", "state 2: "},
      {"{\"active\": [\"nothing\"]}", "there is no constraint 'nothing'"},
      {"{\"active\": 3}", "must be a list of names"},
      {"7", "a state is a JSON object"},
      {"{\"t\": null}", "must be a number"},
  };
  for (const auto& [state, message] : cases) {
    const auto result = run_kane({"evaluate", model("planar2r"), "--state", "-"}, state);
    EXPECT_EQ(result.exit_code, 2) << state;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(message), std::string::npos) << result.err;
  }
  EXPECT_EQ(run_kane({"evaluate", model("planar2r"), "--set", "mass=3"}).exit_code, 2);
  EXPECT_EQ(run_kane({"evaluate", model("planar2r"), "--set", "m"}).exit_code, 2);
  EXPECT_EQ(run_kane({"evaluate", model("planar2r"), "--formulation", "best"}).exit_code, 2);
}

// One rod of mass m and length L on a pin: T = (m L^2/3) q'' + m g L/2 cos q + b q'.
TEST_F(Commands, NewWritesModelsThatRun) {
  const auto list = run_json({"new", "--list"});
  EXPECT_GE(list.size(), 5U);
  for (const auto& row : list) {
    const std::string starter = row["name"];
    EXPECT_EQ(run_json({"new", "my_" + starter, "--template", starter})["file"], "my_" + starter + ".yaml");
    const auto check = run_kane({"check", "my_" + starter + ".yaml"});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_EQ(check.out.find("warning"), std::string::npos) << check.out;
    EXPECT_EQ(run_kane({"evaluate", "my_" + starter + ".yaml"}).exit_code, 0);
  }
  const json a = run_json({"evaluate", "my_pendulum.yaml", "--set", "T=0.7", "--set", "q=0.4", "--set", "u=1.5"});
  const double inertia = 1 * 0.25 / 3;
  EXPECT_NEAR(a["udot"][0].get<double>(), (0.7 - 9.81 * 0.25 * std::cos(0.4) - 0.02 * 1.5) / inertia, 1e-12);
  EXPECT_EQ(run_kane({"new", "my_pendulum"}).exit_code, 2);  // exists already
  EXPECT_EQ(run_kane({"new", "my_pendulum", "--force"}).exit_code, 0);
  EXPECT_EQ(run_kane({"new", "../outside"}).exit_code, 2);
  const auto wrong = run_kane({"new", "x", "--template", "pendulm"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'pendulum'?"), std::string::npos);
}

TEST_F(Commands, ImportedRobotMovesAsBefore) {
  EXPECT_EQ(run_kane({"import", gripper(), "-o", "robot.yaml"}).exit_code, 0);
  const std::string state = R"({"q": {"q_pan": 0.3, "q_tilt": -0.7}, "u": {"u_pan": 1, "u_tilt": 2}})";
  const json a = run_json({"evaluate", gripper(), "--state", "-"}, state);
  const json b = run_json({"evaluate", "robot.yaml", "--state", "-"}, state);
  ASSERT_EQ(a["udot"].size(), b["udot"].size());
  for (std::size_t i = 0; i < a["udot"].size(); ++i)
    EXPECT_NEAR(a["udot"][i].get<double>(), b["udot"][i].get<double>(), 1e-11);
  const auto text = run_kane({"import", gripper(), "--keep-fixed", "--no-actuators", "--free-mimics", "--no-geometry"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_EQ(text.out.find("tau_"), std::string::npos);
  EXPECT_EQ(text.out.find("mimic"), std::string::npos);
  EXPECT_NE(text.out.find("camera:"), std::string::npos);
  EXPECT_NE(text.err.find("note: "), std::string::npos);
  EXPECT_FALSE(run_json({"import", gripper()})["notes"].empty());
  EXPECT_EQ(run_kane({"import", gripper(), "-o", "no/such/folder.yaml"}).exit_code, 2);
}

TEST_F(Commands, DerivePrintsJson) {
  EXPECT_NE(run_json({"derive", model("planar2r")})["page"].get<std::string>().find("q1"), std::string::npos);
  EXPECT_GE(run_json({"derive", model("planar2r"), "--compare"})["formulations"].size(), 1U);
}

// ---- completion -----------------------------------------------------------------------------------------------------------

/// Bash's completions of a line with an unfinished last word.
std::string offered(const std::string& script, const std::string& words) {
  std::ofstream("completion.bash") << script << "\nCOMP_WORDS=(" << words
                                   << ")\nCOMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))\n_kane\necho \"${COMPREPLY[*]}\"\n";
  std::FILE* pipe = popen("bash completion.bash 2>&1", "r");
  std::string out;
  char buffer[256];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) out += buffer;
  pclose(pipe);
  return out.substr(0, out.find('\n'));
}

TEST_F(Commands, BashCompletes) {
  const auto script = run_kane({"completion", "bash"});
  ASSERT_EQ(script.exit_code, 0);
  EXPECT_EQ(offered(script.out, "kane ev"), "evaluate");
  EXPECT_EQ(offered(script.out, "kane check --js"), "--json");
  EXPECT_EQ(offered(script.out, "kane derive a.yaml --formulation p"), "projection");
  EXPECT_EQ(offered(script.out, "kane check ''"), "");  // files, by bash itself
  EXPECT_EQ(offered(script.out, "kane completion f"), "fish");
}

TEST_F(Commands, CompletionKnowsEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const auto script = run_kane({"completion", shell});
    EXPECT_EQ(script.exit_code, 0);
    for (const char* word : {"check", "derive", "evaluate", "import", "simulate", "completion", "json", "floating-base",
                             "formulation", "articulated", "output"})
      EXPECT_NE(script.out.find(word), std::string::npos) << shell << " " << word;
  }
  const auto wrong = run_kane({"completion", "bahs"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean 'bash'?"), std::string::npos);
}

}  // namespace
}  // namespace kane::test

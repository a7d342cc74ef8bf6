// kane forces as a user runs it: the 21 constraint forces of Stoneking's spacecraft, reactions in any frame, axes locked
// and released by a word in the file.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

const std::string kRoot = KANE_SOURCE_DIR;

void expect_close(const json& actual, const json& expected, double tolerance, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double size = 0;
  for (const json& x : expected) size = std::max(size, std::abs(x.get<double>()));
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(actual[i].get<double>(), expected[i].get<double>(), tolerance * size) << what << " " << i;
}

TEST(ForcesCommand, OsirisTree) {
  std::ifstream file(kRoot + "/tests/oracles/osiris_tree.json");
  const json oracle = json::parse(file);
  json states = json::array();
  for (const json& s : oracle.at("states"))
    states.push_back(
        {{"t", s["t"]}, {"q", s["q"]}, {"u", s["u"]}, {"inputs", s["inputs"]}, {"parameters", oracle["parameters"]}});
  const json answers =
      run_json({"forces", kRoot + "/models/osiris_tree.yaml", "--state", "-", "--frame", "N"}, states.dump());
  ASSERT_EQ(answers.size(), states.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const json &a = answers[i], &s = oracle["states"][i];
    EXPECT_EQ(a["degrees_of_freedom"], 9);
    EXPECT_EQ(a["constraint_names"], s["constraint_names"]);
    expect_close(a["constraint_forces"], s["constraint_generalized_forces"], 1e-12, "constraint force");
    for (const json& r : s["joint_reactions"]) {
      for (const json& j : a["joints"]) {
        if (j["joint"] != r["joint"]) continue;
        expect_close(j["reaction"]["force"], r["force_N"], 1e-12, "force of " + r["joint"].get<std::string>());
        expect_close(j["reaction"]["torque"], r["torque_about_outer_joint_point_N"], 1e-12, "torque");
      }
    }
  }
}

// Two bars in a plane, the elbow free or locked.
std::string arm(const std::string& elbow) {
  return R"(kane: 1
name: arm
gravity: -9.81*N.y
bodies:
  A: {mass: 2 kg, com: [0.2, 0, 0], inertia: [0.01, 0.04, 0.05]}
  B: {mass: 1 kg, com: [0.15, 0, 0], inertia: [0.01, 0.02, 0.02], points: {tip: [0.3, 0, 0]}}
joints:
  shoulder: {type: revolute, parent: N, child: A, coordinate: q1}
  elbow: {type: revolute, parent: A, at: [0.4, 0, 0], child: B, coordinate: q2)" +
         elbow + R"(}
initial: {q1: 0.5, q2: 0.7, u1: 1}
)";
}

TEST(ForcesCommand, LockingAnAxisIsOneWord) {
  const json free = run_json({"evaluate", "-"}, arm(""));
  // Locked: u2' = 0, so the first equation gives u1' and the second one the torque that holds the elbow.
  const double M11 = free["M"][0][0], M21 = free["M"][1][0];
  const double holding = M21 * free["rhs"][0].get<double>() / M11 - free["rhs"][1].get<double>();
  for (const char* lock : {", lock: true", ", lock: [q2]", ", value: 0.7"}) {
    const json locked = run_json({"forces", "-", "--joint", "elbow"}, arm(lock));
    EXPECT_EQ(locked["degrees_of_freedom"], 1);
    ASSERT_EQ(locked["joints"].size(), 1U);
    const json& axis = locked["joints"][0]["axes"][0];
    EXPECT_EQ(axis["free"], false);
    EXPECT_EQ(axis["coordinate"], nullptr);
    EXPECT_NEAR(axis["force"].get<double>(), holding, 1e-12);
  }
  const json released = run_json({"forces", "-", "--joint", "elbow"}, arm(", lock: false"));
  EXPECT_EQ(released["degrees_of_freedom"], 2);
  EXPECT_EQ(released["joints"][0]["axes"][0]["coordinate"], "q2");
  EXPECT_EQ(released["joints"][0]["axes"][0]["speed_index"], 1);
}

TEST(ForcesCommand, ReactionsInAnyFrameAboutAnyPoint) {
  const json own = run_json({"forces", "-", "--joint", "elbow"}, arm(""));
  const json other = run_json({"forces", "-", "--joint", "elbow", "--frame", "N", "--point", "tip"}, arm(""));
  const json &f = own["joints"][0]["reaction"]["force"], &g = other["joints"][0]["reaction"]["force"];
  const double angle = 1.2, c = std::cos(angle), s = std::sin(angle);
  const double x = f[0], y = f[1];
  EXPECT_NEAR(g[0].get<double>(), c * x - s * y, 1e-12);
  EXPECT_NEAR(g[1].get<double>(), s * x + c * y, 1e-12);
  // The arm from the tip back to the elbow is -0.3 along B.x: (-0.3, 0) x (x, y) = -0.3 y.
  EXPECT_NEAR(other["joints"][0]["reaction"]["torque"][2].get<double>(), -0.3 * y, 1e-12);
  EXPECT_EQ(other["joints"][0]["reaction"]["frame"], "N");
  EXPECT_EQ(other["joints"][0]["reaction"]["point"], "tip");
}

TEST(ForcesCommand, PrintsATableForPeople) {
  const auto result = run_kane({"forces", "-"}, arm(", lock: true"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("free axes: 1, constrained axes: 11"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("joint elbow (revolute): A -> B"), std::string::npos) << result.out;
}

TEST(ForcesCommand, BadNamesGetASuggestion) {
  const auto joint = run_kane({"forces", "-", "--joint", "elbw"}, arm(""));
  EXPECT_EQ(joint.exit_code, 2);
  EXPECT_NE(joint.err.find("did you mean 'elbow'"), std::string::npos) << joint.err;
  EXPECT_EQ(run_kane({"forces", "-", "--frame", "nowhere"}, arm("")).exit_code, 2);
  EXPECT_EQ(run_kane({"forces", "-", "--point", "nowhere"}, arm("")).exit_code, 2);
}

}  // namespace
}  // namespace kane::test

// Links that are fixed to others keep their names as points and frames: tool0 of a robot.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

constexpr const char* kArm = R"(<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="lower"><inertial><origin xyz="0.4 0 0"/><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="flange"/>
  <link name="tool0"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="elbow" type="continuous"><origin xyz="1 0 0"/><parent link="upper"/><child link="lower"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="bolts" type="fixed"><origin xyz="0.8 0 0"/><parent link="lower"/><child link="flange"/></joint>
  <joint name="mount" type="fixed"><origin xyz="0 0.1 0" rpy="0 0 1.5707963267948966"/><parent link="flange"/>
    <child link="tool0"/></joint>
</robot>)";

// The tool at (0.8, 0.1) of the lower arm, which is turned by q1 + q2 about (cos q1, sin q1).
TEST(ToolPoints, OfUrdf) {
  const double q1 = 0.3, q2 = 0.5;
  const std::vector<std::string> state{"--set", "q_shoulder=0.3", "--set", "q_elbow=0.5"};
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), state.begin(), state.end());
    return run_json(std::move(arguments), kArm);
  };
  const double c = std::cos(q1 + q2), s = std::sin(q1 + q2);
  const double x = std::cos(q1) + 0.8 * c - 0.1 * s, y = std::sin(q1) + 0.8 * s + 0.1 * c;
  const json a = run({"evaluate", "-"});
  ASSERT_TRUE(a["points"].contains("tool0"));
  EXPECT_NEAR(a["points"]["tool0"]["position"][0].get<double>(), x, 1e-12);
  EXPECT_NEAR(a["points"]["tool0"]["position"][1].get<double>(), y, 1e-12);
  ASSERT_TRUE(a["points"].contains("flange"));
  const json j = run({"jacobian", "-", "--point", "tool0", "--body", "tool0"});
  EXPECT_NEAR(j["jacobian"][0][0].get<double>(), -y, 1e-12);
  EXPECT_NEAR(j["jacobian"][1][0].get<double>(), x, 1e-12);
  const json r = run({"reach", "-", "--point", "tool0=1.2,0.9,0"});
  EXPECT_TRUE(r["reached"].get<bool>());
}

// The same for frames of Kane's own files, in loads and outputs.
TEST(ToolPoints, OfFrames) {
  const json a = run_json({"evaluate", "-"}, R"yaml(
bodies: {A: {mass: 1, com: [1, 0, 0], frames: {tool: {at: [2, 0, 0], orientation: {axis: z, angle: 90 deg}}}}}
joints: {J: {type: revolute, parent: N, child: A, coordinate: q}}
loads: [{force: 3*tool.x, at: tool}]
outputs: {x: "dot(position(tool), N.x)", d: "distance(tool, N)"}
initial: {q: 60 deg}
)yaml");
  EXPECT_NEAR(a["outputs"]["x"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(a["outputs"]["d"].get<double>(), 2, 1e-12);
  EXPECT_NEAR(a["udot"][0].get<double>(), 6, 1e-12);
}

}  // namespace
}  // namespace kane::test

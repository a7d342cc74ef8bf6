// Robots read from URDF against MuJoCo, which reads the same text with its own reader: mass matrix, bias and
// accelerations at random states, to 1e-9.

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kane/expr/evaluate.hpp"
#include "kane/formats/urdf/urdf_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/formulation.hpp"
#include "same_equations.hpp"
#include "tests/robots/mujoco_robot.hpp"
#include "tests/robots/robot_tree.hpp"

namespace kane::test {
namespace {

constexpr double kTolerance = 1e-9;

/// One state in both engines: by the names of joints, and the seven coordinates of the base.
class Comparison {
 public:
  Comparison(const Mechanism& m, const MujocoRobot& mujoco, bool floating)
      : mujoco_(mujoco), floating_(floating), e_(form_equations(m)) {
    for (const auto& p : e_.parameters) values_[p.symbol.name()] = evaluate(p.value, values_);
    for (const auto& input : e_.inputs) values_[input.symbol.name()] = 0;
    values_["t"] = 0;
    outputs_ = e_.udot_explicit;
    outputs_.insert(outputs_.end(), e_.rhs.begin(), e_.rhs.end());
    outputs_.insert(outputs_.end(), e_.M.entries.begin(), e_.M.entries.end());
  }

  void at_random_states(unsigned seed, int count) {
    Dice dice(seed);
    for (int i = 0; i < count; ++i) {
      set_state(dice);
      mujoco_.forward();
      compare();
    }
  }

 private:
  static bool is_base(const std::string& name) { return name.starts_with("base_"); }

  void set_state(Dice& dice) {
    mjData& d = mujoco_.data();
    if (floating_) set_base(dice);
    for (const Expr& q : e_.q) {
      if (floating_ && is_base(q.name())) continue;
      values_[q.name()] = d.qpos[mujoco_.q_index(q.name().substr(2))] = dice.between(-3, 3);
    }
    for (const Expr& u : e_.u) {
      if (floating_ && is_base(u.name())) continue;
      values_[u.name()] = d.qvel[mujoco_.u_index(u.name().substr(2))] = dice.between(-2, 2);
    }
  }

  // MuJoCo: position, quaternion with the scalar first; velocity in the world's axes, angular velocity in the body's.
  void set_base(Dice& dice) {
    mjData& d = mujoco_.data();
    const char* const places[] = {"base_x", "base_y", "base_z", "base_e4", "base_e1", "base_e2", "base_e3"};
    const char* const speeds[] = {"base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz"};
    for (int i = 0; i < 7; ++i) d.qpos[i] = dice.between(-1, 1);
    mju_normalize4(d.qpos + 3);
    for (int i = 0; i < 7; ++i) values_[places[i]] = d.qpos[i];
    for (int i = 0; i < 6; ++i) values_[speeds[i]] = d.qvel[i] = dice.between(-2, 2);
  }

  [[nodiscard]] std::vector<int> dofs() const {
    static const std::vector<std::string> base{"base_vx", "base_vy", "base_vz", "base_wx", "base_wy", "base_wz"};
    std::vector<int> all;
    for (const Expr& u : e_.u) {
      const auto at = std::find(base.begin(), base.end(), u.name());
      all.push_back(floating_ && at != base.end() ? static_cast<int>(at - base.begin())
                                                  : mujoco_.u_index(u.name().substr(2)));
    }
    return all;
  }

  void compare() const {
    const auto y = evaluate(outputs_, values_);
    const mjData& d = mujoco_.data();
    const auto M = mujoco_.mass_matrix();
    const auto dof = dofs();
    const std::size_t n = dof.size();
    ASSERT_EQ(static_cast<int>(n), mujoco_.nv());
    double largest_a = 0, largest_f = 0, largest_m = 0;
    for (std::size_t i = 0; i < n; ++i) {
      largest_a = std::max(largest_a, std::abs(d.qacc[i]));
      largest_f = std::max(largest_f, std::abs(d.qfrc_bias[i]));
      largest_m = std::max(largest_m, std::abs(M[i * n + i]));
    }
    for (std::size_t i = 0; i < n; ++i) {
      const int k = dof[i];
      ASSERT_NEAR(y[i], d.qacc[k], kTolerance * largest_a) << "acceleration of " << e_.u[i].name();
      ASSERT_NEAR(y[n + i], d.qfrc_passive[k] - d.qfrc_bias[k], kTolerance * largest_f) << "bias " << e_.u[i].name();
      for (std::size_t j = 0; j < n; ++j)
        ASSERT_NEAR(y[2 * n + i * n + j], M[static_cast<std::size_t>(k) * n + static_cast<std::size_t>(dof[j])],
                    kTolerance * largest_m)
            << "mass " << e_.u[i].name() << " " << e_.u[j].name();
    }
  }

  const MujocoRobot& mujoco_;
  bool floating_;
  Values values_;
  EquationsOfMotion e_;
  std::vector<Expr> outputs_;
};

void compare_robot(const std::string& urdf, bool floating, const std::string& root = "l0") {
  UrdfOptions options;
  options.floating_base = floating;
  options.mimic = false;  // MuJoCo does not know it
  const MujocoRobot mujoco(urdf, floating, root);
  const Mechanism m = read_urdf_text(urdf, "robot.urdf", options);
  Comparison(m, mujoco, floating).at_random_states(1, 4);
}

RobotTree with_joint_types(RobotTree robot) {
  const char* const types[] = {"revolute", "prismatic", "continuous", "fixed"};
  Dice dice(5);
  for (std::size_t i = 1; i < robot.links.size(); ++i) {
    RobotLink& link = robot.links[i];
    link.type = types[i % 4];
    link.axis = dice.vector(1);
    double length = std::hypot(link.axis[0], link.axis[1], link.axis[2]);
    for (double& a : link.axis) a /= length;
    link.damping = dice.between(0, 0.5);
    link.com_rpy = dice.vector(2);
  }
  robot.links.back().type = "revolute";
  return robot;
}

TEST(RobotsAgainstMujoco, FixedBase) {
  compare_robot(write_urdf(make_industrial_arm()), false);
  compare_robot(write_urdf(make_serial_arm(7)), false);
  compare_robot(write_urdf(make_serial_arm(7, false, true)), false);
  compare_robot(write_urdf(make_tree(12)), false);
}

TEST(RobotsAgainstMujoco, FloatingBase) {
  compare_robot(write_urdf(make_serial_arm(6, true)), true);
  compare_robot(write_urdf(make_quadruped()), true);
  compare_robot(write_urdf(make_industrial_arm()), true);
}

TEST(RobotsAgainstMujoco, Humanoid) { compare_robot(write_urdf(make_humanoid()), true); }

TEST(RobotsAgainstMujoco, AllJointTypesAnyAxisDampingFixedJointsAndTurnedInertias) {
  compare_robot(write_urdf(with_joint_types(make_serial_arm(9, false, true))), false);
  compare_robot(write_urdf(with_joint_types(make_tree(14))), false);
  compare_robot(write_urdf(with_joint_types(make_tree(14))), true);
}

TEST(RobotsAgainstMujoco, MasslessLinks) {
  // A wrist whose axes meet in one point is often written with massless links between the joints.
  RobotTree robot = make_serial_arm(6, false, true);
  robot.links[4].mass = robot.links[5].mass = 0;
  const std::string urdf = write_urdf(robot);
  // MuJoCo refuses moving bodies without mass: it gets a millionth of a milligram.
  RobotTree almost = robot;
  for (const std::size_t i : {4U, 5U}) {
    almost.links[i].mass = 1e-12;
    almost.links[i].com = {};
    almost.links[i].inertia = {1e-12, 1e-12, 1e-12, 0, 0, 0};
  }
  const MujocoRobot mujoco(write_urdf(almost), false);
  Comparison(read_urdf_text(urdf), mujoco, false).at_random_states(2, 4);
}

/// Without what refers to meshes, for which MuJoCo would look.
std::string read_robot(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::string urdf{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  for (const std::string tag : {"visual", "collision"})
    for (std::size_t a; (a = urdf.find("<" + tag)) != std::string::npos;)
      urdf.erase(a, urdf.find("</" + tag + ">", a) + tag.size() + 3 - a);
  return urdf;
}

TEST(RobotsAgainstMujoco, Gripper) {
  compare_robot(read_robot(std::filesystem::path(KANE_SOURCE_DIR) / "tests" / "robots" / "gripper.urdf"), false);
}

/// Robots as they are published, which keep their own licences and are no part of the project: from the folder that
/// KANE_ROBOTS names, or from shared/robots beside the project.
TEST(RobotsAgainstMujoco, PublishedRobots) {
  const char* named = std::getenv("KANE_ROBOTS");
  const std::filesystem::path folder = named != nullptr
                                           ? std::filesystem::path(named)
                                           : std::filesystem::path(KANE_SOURCE_DIR).parent_path() / "shared" / "robots";
  if (!std::filesystem::is_directory(folder))
    GTEST_SKIP() << "no published robots: there is no folder " << folder << " (KANE_ROBOTS names another)";
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".urdf") continue;
    SCOPED_TRACE(entry.path().filename().string());
    const std::string urdf = read_robot(entry.path());
    const auto has = [&](const char* text) { return urdf.find(text) != std::string::npos; };
    compare_robot(urdf, false);
    if (has("<link name=\"base\">") && !has("<child link=\"base\"")) compare_robot(urdf, true, "base");
    ++count;
  }
  EXPECT_GE(count, 1);
}

// ---- written as YAML ------------------------------------------------------------------------------------------------------

TEST(RobotsAsYaml, SameEquations) {
  const RobotTree robots[] = {make_industrial_arm(), make_serial_arm(7, false, true), with_joint_types(make_tree(10)),
                              make_quadruped()};
  for (const RobotTree& robot : robots) {
    SCOPED_TRACE(robot.name);
    UrdfOptions options;
    options.floating_base = robot.floating;
    const Mechanism m = read_urdf_text(write_urdf(robot), "robot.urdf", options);
    const std::string text = write_yaml(m);
    const Mechanism again = read_yaml_text(text);
    EXPECT_EQ(write_yaml(again), text);
    expect_same_equations(m, again, 1e-13);
  }
}

}  // namespace
}  // namespace kane::test

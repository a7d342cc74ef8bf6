// Models read from MJCF against MuJoCo, which reads the same text: accelerations at random states and controls.

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>

#include "kane/expr/evaluate.hpp"
#include "kane/formats/mjcf/mjcf_reader.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/formulation.hpp"
#include "same_equations.hpp"

namespace kane::test {
namespace {

std::string mjcf_file(const std::string& name) {
  std::ifstream stream(std::filesystem::path(KANE_SOURCE_DIR) / "models" / "mjcf" / name);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The same text in both programs. Constraints, contacts and friction are off.
class MjcfPair {
 public:
  explicit MjcfPair(const std::string& text, const Mechanism* mechanism = nullptr)
      : model_(load(text), &mj_deleteModel),
        data_(mj_makeData(model_.get()), &mj_deleteData),
        e_(form_equations(mechanism != nullptr ? *mechanism : read_mjcf_text(text))) {
    for (const auto& p : e_.parameters) values_[p.symbol.name()] = evaluate(p.value, values_);
    values_["t"] = 0;
  }

  /// Largest difference of an acceleration relative to the largest acceleration.
  double at_random_states(unsigned seed, int count) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> dice(-1, 1);
    double worst = 0;
    for (int i = 0; i < count; ++i) {
      set_state([&] { return dice(engine); });
      mj_forward(model_.get(), data_.get());
      worst = std::max(worst, difference());
    }
    return worst;
  }

 private:
  static mjModel* load(const std::string& text) {
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "model.xml", static_cast<int>(text.size()));
    std::memcpy(files->filedata[0], text.data(), text.size());
    char error[1000] = "";
    mjModel* model = mj_loadXML("model.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (model == nullptr) throw std::runtime_error(std::string("MuJoCo: ") + error);
    model->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_WARMSTART;
    return model;
  }

  template <class Dice>
  void set_state(Dice dice) {
    const mjModel& m = *model_;
    mjData& d = *data_;
    for (int i = 0; i < m.nq; ++i) d.qpos[i] = dice();
    mj_normalizeQuat(&m, d.qpos);
    for (int i = 0; i < m.nv; ++i) d.qvel[i] = 2 * dice();
    for (int i = 0; i < m.nu; ++i) values_[mj_id2name(&m, mjOBJ_ACTUATOR, i)] = d.ctrl[i] = 2 * dice();
    for (int i = 0, k = 0; i < m.nu; ++i)
      if (m.actuator_dyntype[i] != mjDYN_NONE)
        values_[std::string("act_") + mj_id2name(&m, mjOBJ_ACTUATOR, i)] = d.act[k++] = dice();
    speeds_.clear();
    for (int j = 0; j < m.njnt; ++j) set_joint(j);
  }

  void set_joint(int j) {
    const mjModel& m = *model_;
    const std::string name = mj_id2name(&m, mjOBJ_JOINT, j);
    const double* q = data_->qpos + m.jnt_qposadr[j];
    const double* u = data_->qvel + m.jnt_dofadr[j];
    if (m.jnt_type[j] == mjJNT_HINGE || m.jnt_type[j] == mjJNT_SLIDE) {
      values_["q_" + name] = *q;
      values_["u_" + name] = *u;
      speeds_.push_back("u_" + name);
      return;
    }
    const bool free = m.jnt_type[j] == mjJNT_FREE;
    if (free)
      for (const char* axis : {"x", "y", "z"}) {
        values_[name + "_" + axis] = *q++;
        values_[name + "_v" + axis] = *u++;
        speeds_.push_back(name + "_v" + axis);
      }
    for (const char* e : {"_e4", "_e1", "_e2", "_e3"}) values_[name + e] = *q++;
    for (const char* w : {"_wx", "_wy", "_wz"}) {
      values_[name + w] = *u++;
      speeds_.push_back(name + w);
    }
  }

  double difference() {
    const std::vector<double> udot = evaluate(std::span<const Expr>(e_.udot_explicit), values_);
    double largest = 1, worst = 0;
    for (int i = 0; i < model_->nv; ++i) largest = std::max(largest, std::abs(data_->qacc[i]));
    EXPECT_EQ(static_cast<int>(e_.u.size()), model_->nv);
    for (std::size_t i = 0; i < e_.u.size(); ++i) {
      const auto place = std::find(speeds_.begin(), speeds_.end(), e_.u[i].name());
      if (place == speeds_.end()) {
        ADD_FAILURE() << "MuJoCo has no speed " << e_.u[i].name();
        return 1;
      }
      const double difference = std::abs(udot[i] - data_->qacc[place - speeds_.begin()]) / largest;
      if (difference > 1e-6)
        ADD_FAILURE() << e_.u[i].name() << ": " << udot[i] << " " << data_->qacc[place - speeds_.begin()];
      worst = std::max(worst, difference);
    }
    return worst;
  }

  std::unique_ptr<mjModel, void (*)(mjModel*)> model_;
  std::unique_ptr<mjData, void (*)(mjData*)> data_;
  EquationsOfMotion e_;
  Values values_;
  std::vector<std::string> speeds_;  ///< in MuJoCo's order
};

TEST(MjcfAgainstMujoco, ArmOnAFreeBaseWithActuators) {
  EXPECT_LT(MjcfPair(mjcf_file("arm.xml")).at_random_states(1, 5), 1e-11);
}

/// Accelerations depend on the states of actuators; their rates are compared as well.
TEST(MjcfAgainstMujoco, ActuatorsWithStates) {
  const std::string text = R"(<mujoco><option gravity="0 0 -9.81"/><worldbody><body>
    <joint name="a" axis="0 1 0" armature="0.03"/><geom type="capsule" fromto="0 0 0 0 0 -0.4" size="0.03"/>
    <body pos="0 0 -0.4"><joint name="b" axis="0 1 0" damping="0.1" armature="0.01"/>
    <geom type="capsule" fromto="0 0 0 0.1 0 -0.3" size="0.02"/></body></body></worldbody><actuator>
    <intvelocity name="i" joint="a" kp="3" actrange="-2 2"/>
    <general name="f" joint="b" dyntype="filter" dynprm="0.05" gainprm="2" biastype="affine" biasprm="0.1 -1 -0.2"/>
    <general name="w" joint="a" dyntype="integrator" gainprm="1.5" gear="2" ctrllimited="true" ctrlrange="-1 1"/>
    <cylinder name="c" joint="b" timeconst="0.2" area="1.5" bias="0.1 -0.2 -0.3"/></actuator></mujoco>)";
  EXPECT_LT(MjcfPair(text).at_random_states(5, 11), 1e-12);
  const Mechanism m = read_mjcf_text(text);
  ASSERT_EQ(m.states.size(), 4U);
  EXPECT_EQ(m.states[1].rate.text, "(f - act_f)/0.05");
  EXPECT_EQ(m.states[2].rate.text, "min(max(w, (-1)), 1)");
}

TEST(MjcfAgainstMujoco, TendonsAndGenerators) {
  EXPECT_LT(MjcfPair(mjcf_file("gripper.xml")).at_random_states(2, 5), 1e-9);
}

/// MuJoCo keeps the points of meshes in single precision.
TEST(MjcfAgainstMujoco, MassFromShapes) { EXPECT_LT(MjcfPair(mjcf_file("shapes.xml")).at_random_states(3, 5), 2e-6); }

/// Inertias in axes of their own, as most robot files have them: turned, they are symmetric only up to rounding.
TEST(MjcfAgainstMujoco, InertiasInTurnedAxes) {
  const std::string text = R"(<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
    <body name="trunk" pos="0 0 0.4"><inertial pos="0.0223 0.002 -0.0005" quat="-0.00342 0.7052 0.000107 0.709" mass="5.204"
      diaginertia="0.0716565 0.0630105 0.0168101"/><freejoint name="base"/>
      <body name="hip" pos="0.19 -0.047 0"><inertial pos="-0.005 0.01 0" quat="0.507341 0.514169 0.495027 0.482891" mass="0.68"
        diaginertia="0.000734064 0.000468438 0.000398719"/><joint name="abduction" axis="1 0 0" damping="2" armature="0.01"/>
        <body name="thigh" pos="0 -0.08 0"><joint name="lift" axis="0 1 0"/><geom type="box" size="0.02 0.03 0.1" pos="0 0 -0.1"
          euler="0.3 0.4 0.5"/><geom type="capsule" size="0.02" fromto="0 0 0 0.05 0.02 -0.2"/>
          <body name="foot" pos="0 0 -0.2" quat="0.9 0.1 -0.2 0.3"><inertial pos="0.0065 0 -0.1" quat="0.7 0.01 -0.01 0.7"
            mass="0.196" diaginertia="0.00149767 0.00148468 3.58427e-05"/></body></body></body></body>
    </worldbody></mujoco>)";
  EXPECT_LT(MjcfPair(text).at_random_states(8, 5), 1e-9);
}

TEST(MjcfAgainstMujoco, BodiesInFluids) {
  const auto text = [](const std::string& option) {
    return "<mujoco><compiler angle=\"radian\" autolimits=\"true\"/><option " + option +
           R"(/><worldbody>
    <body name="drone" pos="0 0 1"><inertial pos="0.01 0 0.02" quat="0.9 0.1 0.2 0.3" mass="0.3" diaginertia="0.003 0.002 0.0012"/>
      <freejoint name="base"/>
      <body name="mount" pos="0.1 0 0" euler="0 0.3 0"><geom type="box" size="0.1 0.02 0.03" pos="0.02 0 0" euler="0.1 0.2 0.3"/></body>
      <body name="tail" pos="-0.2 0 0"><joint name="bend" axis="0 0 1"/><geom type="capsule" size="0.03 0.16"
        pos="-0.15 0.05 0" euler="0.2 1.3 0.1"/><body name="fin" pos="-0.3 0.1 0"><joint name="fin" axis="0 1 0"/><geom type="box" size="0.1 0.005 0.05"/></body></body></body>
    </worldbody></mujoco>)";
  };
  for (const char* option :
       {"density=\"1000\" wind=\"1 -2 0.5\"", "viscosity=\"3\"", "density=\"1.2\" viscosity=\"0.8\""}) {
    SCOPED_TRACE(option);
    EXPECT_LT(MjcfPair(text(option)).at_random_states(9, 4), 1e-9);
  }
}

TEST(MjcfAgainstMujoco, Swimmer) { EXPECT_LT(MjcfPair(mjcf_file("swimmer.xml")).at_random_states(12, 4), 1e-9); }

TEST(MjcfAgainstMujoco, SpringsOfBallJointsAndByTimeConstants) {
  const std::string text = R"(<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
    <body name="a"><joint name="swing" type="ball" stiffness="3" damping="0.1" armature="0.02"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.3 0.1 0.2"/>
      <body name="b" pos="0.3 0.1 0.2"><joint name="bend" axis="0 1 1" springdamper="0.3 0.7" springref="0.2" armature="0.01"/>
        <geom type="box" size="0.1 0.02 0.03" pos="0.1 0 0"/>
        <body name="c" pos="0.2 0 0"><joint name="slip" type="slide" axis="1 0 0.3" springdamper="0.1 1"/>
          <geom size="0.06" pos="0 0.1 0"/></body></body></body>
    </worldbody></mujoco>)";
  EXPECT_LT(MjcfPair(text).at_random_states(10, 6), 1e-9);
  const Mechanism again = read_yaml_text(write_yaml(read_mjcf_text(text)), "again.yaml");
  EXPECT_LT(MjcfPair(text, &again).at_random_states(11, 3), 1e-9);
}

/// A torque in axes that stay with the parent: those of the body in the described pose, which is turned here.
TEST(MjcfAgainstMujoco, TorquesOnBallJointsInAxesOfTheParent) {
  const char* text = R"(<mujoco><compiler angle="radian"/><worldbody>
    <body name="base" quat="1 2 0.5 0"><joint name="hinge" axis="1 0.2 0"/><geom type="box" size=".1 .2 .1" pos=".1 0 0"/>
      <body name="frame" pos="0 .2 0" quat="1 0 1 0.3"><body name="arm" pos="0 0 .1" quat="1 0.4 -1 0.3">
        <joint name="swing" type="ball"/><geom type="box" size="0.05 0.1 0.3" pos=".1 0 .3"/></body></body></body>
    </worldbody><actuator><motor name="inner" joint="swing" gear="1 2 -0.5"/>
    <motor name="outer" jointinparent="swing" gear="0.3 -2 1"/></actuator></mujoco>)";
  EXPECT_LT(MjcfPair(text).at_random_states(21, 4), 1e-9);
}

/// Where limits are dropped (--ignore-limits), those that are no part of a joint are dropped as well.
TEST(Mjcf, LimitsOfTendonsAndBallsAreDroppedOnRequest) {
  const char* text = R"(<mujoco><worldbody>
    <body><joint name="a"/><geom size="0.1" pos="0.2 0 0"/><body pos="1 0 0"><joint name="b" type="ball" range="0 50"/>
    <geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
    <tendon><fixed name="t" range="1 2"><joint joint="a" coef="1"/></fixed></tendon></mujoco>)";
  EXPECT_EQ(read_mjcf_text(text).switching.contacts.size(), 3U);
  MjcfOptions options;
  options.within_ranges = false;
  EXPECT_TRUE(read_mjcf_text(text, "model.xml", options).switching.contacts.empty());
}

/// Files of before MuJoCo 2.3.4 may place everything in the world.
TEST(MjcfAgainstMujoco, GlobalCoordinates) {
  const char* text = R"(<mujoco><compiler coordinate="global" eulerseq="zyx"/><worldbody>
    <body name="a" pos="1 2 3" euler="10 20 30"><joint name="f" type="free"/>
      <geom type="capsule" fromto="1 2 3 1.2 2.3 3.5" size=".05"/>
      <body name="b"><joint name="h" pos="1.5 2 3" axis="0 1 0.3" armature="0.01"/>
        <geom type="box" size=".1 .2 .3" pos="1.5 2 3.3" euler="0 0 30"/><site name="s" pos="1.6 2 3" euler="0 30 0"/>
        <body name="w" pos="1.6 2 3" euler="0 0 40"><inertial pos="1.7 2.1 3" mass="2" diaginertia="0.1 0.2 0.25"/></body></body>
      <body name="c" pos="1 2 2.5" euler="40 0 0"><joint name="g" type="ball" pos="1 2 2.4"/>
        <geom type="box" size=".1 .2 .3" pos="1 2 2" euler="20 0 30"/></body></body></worldbody>
    <actuator><motor name="m" site="s" gear="0 0 1 0.2"/></actuator></mujoco>)";
  EXPECT_LT(MjcfPair(text).at_random_states(31, 4), 1e-9);
}

/// The stop of a ball joint closes where its angle reaches the range.
TEST(Mjcf, RangesOfBallJointsAreStops) {
  const Mechanism m = read_mjcf_text(
      R"(<mujoco><worldbody><body><joint name="b" type="ball" range="0 50"/><geom size="0.1" pos="0.2 0 0"/></body></worldbody></mujoco>)");
  ASSERT_EQ(m.switching.contacts.size(), 1U);
  const double half = 25 * 3.14159265358979323846 / 180;
  EXPECT_EQ(m.switching.contacts[0].gap.text, fmt::format("b_e4^2 - {}", std::cos(half) * std::cos(half)));
}

TEST(MjcfAgainstMujoco, SpatialTendonsThroughSitesAndPulleys) {
  const std::string text = R"(<mujoco><compiler angle="radian" autolimits="true"/>
  <worldbody><site name="base" pos="0.1 0 0.5"/><site name="wall" pos="-0.3 0.2 0.1"/>
    <body name="a" pos="0 0 0.2"><joint name="ja" axis="0 1 0" damping="0.1"/>
      <geom type="capsule" size="0.03" fromto="0 0 0 0.3 0 0"/><site name="a1" pos="0.1 0.02 0.05"/><site name="a2" pos="0.2 0 0.05"/>
      <body name="b" pos="0.3 0 0"><joint name="jb" axis="0 1 0.2"/><geom type="box" size="0.1 0.02 0.02" pos="0.1 0 0"/>
        <site name="b1" pos="0.1 0 0.04"/></body></body>
    <body name="c" pos="0 0.5 0"><joint name="jc" type="slide" axis="0 0 1"/><geom type="sphere" size="0.05"/><site name="c1" pos="0 0 0.05"/></body>
  </worldbody>
  <tendon>
    <spatial name="cable" stiffness="40" damping="0.7" springlength="0.3"><site site="base"/><site site="a1"/><site site="a2"/><site site="b1"/></spatial>
    <spatial name="rest" stiffness="15"><site site="b1"/><site site="wall"/></spatial>
    <spatial name="hoist" damping="0.2"><site site="wall"/><site site="c1"/><pulley divisor="2"/><site site="a2"/><site site="base"/>
      <pulley divisor="2"/><site site="c1"/><site site="b1"/></spatial>
    <fixed name="sum" stiffness="3" springlength="0.1"><joint joint="ja" coef="0.5"/><joint joint="jc" coef="-2"/></fixed>
  </tendon>
  <actuator><motor name="m" tendon="hoist" gear="2"/><general name="p" tendon="cable" gear="-1.5" gainprm="20" biastype="affine" biasprm="1 -20 -3"/></actuator>
  </mujoco>)";
  EXPECT_LT(MjcfPair(text).at_random_states(5, 10), 1e-9);
  // The same through YAML.
  const Mechanism mechanism = read_mjcf_text(text);
  const Mechanism again = read_yaml_text(write_yaml(mechanism), "again.yaml");
  EXPECT_LT(MjcfPair(text, &again).at_random_states(6, 5), 1e-9);
}

TEST(Mjcf, WrappingAndConstantTendonsAreNamed) {
  const std::string begin =
      "<mujoco><worldbody><site name=\"w\"/><body name=\"a\"><joint name=\"j\"/><geom name=\"g\" size=\"0.1\"/>"
      "<site name=\"s\" pos=\"0.2 0 0\"/><site name=\"r\" pos=\"0.3 0 0\"/></body></worldbody><tendon>";
  try {
    (void)read_mjcf_text(begin +
                         "<spatial name=\"t\" stiffness=\"1\"><site site=\"w\"/>\n<geom geom=\"g\"/><site "
                         "site=\"s\"/></spatial></tendon></mujoco>");
    ADD_FAILURE();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("model.xml:2:1: error: the spatial 't' wraps around the geom 'g'"),
              std::string::npos)
        << error.what();
  }
  const Mechanism m = read_mjcf_text(
      begin + "<spatial name=\"t\" stiffness=\"1\"><site site=\"r\"/><site site=\"s\"/></spatial></tendon></mujoco>");
  EXPECT_TRUE(m.loads.empty());
  ASSERT_FALSE(m.notes.empty());
  // A range is a pair of stops.
  const Mechanism limited = read_mjcf_text(begin +
                                           "<spatial name=\"t\" range=\"0.1 0.4\" frictionloss=\"2\"><site site=\"w\"/>"
                                           "<site site=\"s\"/></spatial></tendon></mujoco>");
  EXPECT_EQ(limited.switching.contacts.size(), 2U);
  EXPECT_EQ(limited.switching.frictions.size(), 1U);
}

TEST(MjcfAgainstMujoco, ReplicatedBodies) {
  const auto text = [](const std::string& world) {
    return "<mujoco><compiler angle=\"degree\" autolimits=\"true\"/><worldbody><body name=\"hub\"><joint name=\"spin\" "
           "axis=\"1 2 3\"/><geom size=\"0.2\"/>" +
           world + "</body></worldbody></mujoco>";
  };
  const std::string inside = R"( axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.2 0 0"/></body>)";
  const Mechanism replicated =
      read_mjcf_text(text("<replicate count=\"3\" sep=\"_\" offset=\"0.3 0 0.1\" euler=\"0 0 40\"><body name=\"leg\" "
                          "pos=\"0.1 0 0\"><joint "
                          "name=\"knee\"" +
                          inside + "</replicate>"));
  ASSERT_EQ(replicated.bodies.size(), 4U);
  EXPECT_EQ(replicated.bodies[3].name, "leg_2");
  // By hand: each step in the axes that the one before has left.
  std::string legs;
  double angle = 0, x = 0, y = 0, z = 0;
  for (int i = 0; i < 3; ++i) {
    const double c = std::cos(angle), s = std::sin(angle);
    legs += fmt::format(
                "<body name=\"leg_{}\" pos=\"{:.17g} {:.17g} {:.17g}\" euler=\"0 0 {:.17g}\"><joint name=\"knee_{}\"",
                i, x + 0.1 * c, y + 0.1 * s, z, 40.0 * i, i) +
            inside;
    x += 0.3 * c, y += 0.3 * s, z += 0.1, angle += 40 * 3.14159265358979323846 / 180;
  }
  EXPECT_LT(MjcfPair(text(legs), &replicated).at_random_states(7, 5), 1e-9);
  EXPECT_THROW((void)read_mjcf_text(text("<replicate count=\"1e9\"><body/></replicate>")), LimitError);
  EXPECT_THROW((void)read_mjcf_text(text("<replicate><body/></replicate>")), ModelError);
}

TEST(Mjcf, ContactsAreThoseOfTheFile) {
  const std::string text = R"(<mujoco><worldbody>
    <geom name="floor" type="plane" size="5 5 0.1" friction="0.3"/>
    <body name="a" pos="0 0 1"><freejoint/><geom name="ga" size="0.1" friction="0.6"/>
      <body name="a2" pos="0.3 0 0"><joint axis="0 1 0"/><geom name="ga2" size="0.1" condim="1" priority="1"/></body></body>
    <body name="b" pos="0 1 1"><freejoint/><geom name="gb" size="0.1" friction="0.5 0.01 0.002" condim="6"/></body>
    <body name="c" pos="0 2 1"><freejoint/><geom name="gc" size="0.1" contype="2" conaffinity="4"/></body>
    <body name="ghost" pos="0 3 1"><freejoint/><geom size="0.1" contype="0" conaffinity="0"/></body>
  </worldbody><contact><exclude body1="a" body2="b"/><pair geom1="gc" geom2="gb" condim="3" friction="0.9 0.9 0.1 0 0"/></contact></mujoco>)";
  EXPECT_TRUE(read_mjcf_text(text).switching.contacts.empty());
  MjcfOptions options;
  options.contacts = true;
  const Mechanism m = read_mjcf_text(text, "model.xml", options);
  std::map<std::string, std::string> friction;
  for (const ContactRule& c : m.switching.contacts) friction[c.name] = c.friction.text;
  const std::map<std::string, std::string> expected{
      {"world_shapes_a", "0.6"}, {"world_shapes_a2", ""}, {"world_shapes_b", "0.5"}, {"a2_b", ""}, {"b_c", "0.9"}};
  EXPECT_EQ(friction, expected);
  for (const ContactRule& c : m.switching.contacts) {
    if (c.name == "world_shapes_b") {
      EXPECT_EQ(c.rolling_friction.text, "0.002");
    }
  }
}

TEST(Mjcf, ClosedLoopsHoldInTheDescribedPose) {
  const Mechanism m = read_mjcf_text(mjcf_file("loop.xml"));
  const EquationsOfMotion e = form_equations(m);
  Values values;
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  values["t"] = 0;
  for (const auto& [name, value] : m.initial) values[name] = value;
  // The coupled joints: q - 0 = 0.2 + 2 (p - 0.1) + 0.5 (p - 0.1)^2.
  values["q_p"] = 0.3;
  values["q_q"] = 0.2 + 2 * 0.2 + 0.5 * 0.04;
  ASSERT_GE(e.constraints.size(), 3U);
  for (const auto& row : e.constraints)
    if (row.phi) {
      EXPECT_NEAR(evaluate(*row.phi, values), 0, 1e-15) << row.name;
    }
}

TEST(Mjcf, KeyframesGiveTheStart) {
  MjcfOptions options;
  options.keyframe = "home";
  const Mechanism m = read_mjcf_text(mjcf_file("arm.xml"), "arm.xml", options);
  EXPECT_EQ(m.initial.at("q_pitch"), 0.5);
  EXPECT_EQ(m.initial.at("q_elbow"), 0.3);
  EXPECT_EQ(m.initial.at("root_e4"), 1);
  options.keyframe = "hom";
  EXPECT_THROW((void)read_mjcf_text(mjcf_file("arm.xml"), "arm.xml", options), ModelError);
}

/// A knee whose range does not contain the described pose.
TEST(Mjcf, StartsWithinRanges) {
  const char* text =
      R"(<mujoco><compiler angle="radian"/><worldbody><body><joint name="hip" axis="0 1 0" range="-1 1"/><geom size="0.1"
    pos="0 0 -0.2"/><body pos="0 0 -0.3"><joint name="knee" axis="0 1 0" range="-2.8 -0.8"/><geom size="0.1" pos="0 0 -0.2"/></body>
    </body></worldbody></mujoco>)";
  const Mechanism m = read_mjcf_text(text);
  EXPECT_EQ(m.initial.at("q_hip"), 0);
  EXPECT_NEAR(m.initial.at("q_knee"), -0.82, 1e-15);
  EXPECT_TRUE(std::any_of(m.notes.begin(), m.notes.end(), [](const std::string& note) {
    return note.find("knee would start beyond its range") != std::string::npos;
  }));
  MjcfOptions options;
  options.within_ranges = false;
  EXPECT_EQ(read_mjcf_text(text, "model.xml", options).initial.at("q_knee"), 0);
}

TEST(Mjcf, OptionsOfOneFormatAreRefusedForAnother) {
  ReadOptions keyframe, floating;
  keyframe.mjcf.keyframe = "home";
  floating.urdf.floating_base = true;
  const std::string yaml = "kane: 1\nbodies: {A: {mass: 1}}\njoints: {J: {type: prismatic, parent: N, child: A}}\n";
  EXPECT_THROW((void)read_mechanism_text(yaml, "m.yaml", keyframe), ModelError);
  EXPECT_THROW((void)read_mechanism_text(yaml, "m.yaml", floating), ModelError);
  EXPECT_THROW((void)read_mechanism_text(mjcf_file("arm.xml"), "arm.xml", floating), ModelError);
}

TEST(MjcfAgainstMujoco, WrittenAsYaml) {
  for (const char* name : {"arm.xml", "gripper.xml", "shapes.xml"}) {
    SCOPED_TRACE(name);
    const std::string text = mjcf_file(name);
    const Mechanism again = read_yaml_text(write_yaml(read_mjcf_text(text)), "again.yaml");
    EXPECT_LT(MjcfPair(text, &again).at_random_states(4, 3), 2e-6);
  }
}

}  // namespace
}  // namespace kane::test

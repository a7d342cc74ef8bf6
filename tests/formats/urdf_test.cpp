// How the elements of a URDF file are read. tests/robots/gripper.urdf has one of each kind.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "kane/formats/urdf/urdf_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/formulation.hpp"
#include "same_equations.hpp"

namespace kane::test {
namespace {

Mechanism gripper(const UrdfOptions& options = {}) {
  return read_urdf(std::filesystem::path(KANE_SOURCE_DIR) / "tests" / "robots" / "gripper.urdf", options);
}

const Joint& joint(const Mechanism& m, const std::string& name) {
  const Joint* found = m.find_joint(name);
  if (found == nullptr) throw std::runtime_error("no joint " + name);
  return *found;
}

std::vector<std::string> body_names(const Mechanism& m) {
  std::vector<std::string> names;
  for (const auto& b : m.bodies) names.push_back(b.name);
  return names;
}

bool has_note(const Mechanism& m, const std::string& part) {
  return std::any_of(m.notes.begin(), m.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

double number(const Expr& e) { return evaluate(e, {}); }

TEST(Urdf, LinksBecomeBodiesAndFixedOnesFrames) {
  const Mechanism m = gripper();
  EXPECT_EQ(m.name, "gripper_arm");
  EXPECT_EQ(body_names(m), (std::vector<std::string>{"base_link", "turret", "plate", "left", "right"}));
  std::vector<std::string> frames;
  for (const auto& f : m.frames) frames.push_back(f.on + "." + f.name);
  EXPECT_EQ(std::set<std::string>(frames.begin(), frames.end()),
            (std::set<std::string>{"turret.flange", "plate.camera", "left.tool_tip"}));
  EXPECT_TRUE(has_note(m, "the link 'base link' is called 'base_link' here"));
  EXPECT_TRUE(has_note(m, "2 <transmission> elements ignored"));
  EXPECT_TRUE(has_note(m, "1 <gazebo> element ignored"));
  EXPECT_TRUE(has_note(m, "1 <sensor> element ignored"));
  EXPECT_TRUE(has_note(m, "1 <safety_controller> element ignored"));
}

// Masses add up; the inertia about the common mass centre is that of the parts, turned and moved there.
TEST(Urdf, FixedJointsAreMergedExactly) {
  const Mechanism merged = gripper();
  UrdfOptions options;
  options.merge_fixed = false;
  const Mechanism welded = gripper(options);
  EXPECT_EQ(welded.bodies.size(), 8U);
  EXPECT_NEAR(number(merged.find_body("plate")->mass), 0.5, 1e-15);
  const Expr3& c = merged.find_body("plate")->mass_centre;
  EXPECT_NEAR(number(c[0]), 0.1 * 0.05 / 0.5, 1e-15);
  EXPECT_NEAR(number(c[1]), 0.4 * 0.02 / 0.5, 1e-15);
  EXPECT_NEAR(number(c[2]), 0.1 * 0.02 / 0.5, 1e-15);
  // The same equations either way (outputs differ: more bodies to report).
  const auto motion = [](const Mechanism& m) {
    FormOptions form;
    form.formulation = Formulation::Projection;
    return form_equations(m, form);
  };
  const EquationsOfMotion a = motion(merged), b = motion(welded);
  Values values = parameter_values(merged);
  for (const auto& list : {a.q, a.u, a.udot})
    for (const Expr& s : list) values[s.name()] = 0.1 + 0.37 * static_cast<double>(values.size() % 5);
  for (const auto& i : a.inputs) values[i.symbol.name()] = 0.3;
  values["t"] = 0;
  const auto x = evaluate(a.M.entries, values), y = evaluate(b.M.entries, values);
  const auto f = evaluate(a.rhs, values), g = evaluate(b.rhs, values);
  ASSERT_EQ(x.size(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-14);
  for (std::size_t i = 0; i < f.size(); ++i) EXPECT_NEAR(f[i], g[i], 1e-14);
}

TEST(Urdf, Joints) {
  const Mechanism m = gripper();
  EXPECT_EQ(joint(m, "base").kind, "weld");
  EXPECT_EQ(joint(m, "pan").kind, "revolute");
  EXPECT_EQ(joint(m, "left_slide").kind, "prismatic");
  EXPECT_EQ(m.find_joint("flange_mount"), nullptr);
  EXPECT_EQ(joint(m, "tilt").parent, "turret");
  const AxisLaw& pan = joint(m, "pan").motions[0].law;
  EXPECT_EQ(number(pan.damping), 0.2);
  EXPECT_EQ(number(pan.friction), 0.1);
  EXPECT_EQ(number(*pan.max_force), 50);
  EXPECT_EQ(number(*pan.max_speed), 2);
  EXPECT_FALSE(pan.lower.has_value());
  EXPECT_EQ(pan.actuator.name(), "tau_pan");
  const AxisLaw& tilt = joint(m, "tilt").motions[0].law;
  EXPECT_EQ(number(*tilt.lower), -1.5);
  EXPECT_EQ(number(*tilt.upper), 2);
  EXPECT_EQ(parameter_values(m).at("g"), 9.81);
  UrdfOptions options;
  options.actuators = false;
  options.gravity = 1.62;
  EXPECT_TRUE(gripper(options).inputs.empty());
  EXPECT_EQ(parameter_values(gripper(options)).at("g"), 1.62);
}

// q_right = 0.5 q_left + 0.01, and so its row is (.., -0.5, 1) in the speeds.
TEST(Urdf, MimicIsAConstraint) {
  const Mechanism m = gripper();
  ASSERT_EQ(m.constraints.size(), 1U);
  const EquationsOfMotion e = form_equations(m);
  const auto active = [](const ConstraintEquation& c) { return c.active; };  // dry friction has rows that wait
  ASSERT_EQ(std::count_if(e.constraints.begin(), e.constraints.end(), active), 1);
  const auto& row = *std::find_if(e.constraints.begin(), e.constraints.end(), active);
  const Values values{{"q_left_slide", 0.02}, {"q_right_slide", 0.0}};
  EXPECT_NEAR(evaluate(*row.phi, values), 0 - (0.5 * 0.02 + 0.01), 1e-16);
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    const double expected = e.u[i].name() == "u_left_slide" ? -0.5 : e.u[i].name() == "u_right_slide" ? 1 : 0;
    EXPECT_EQ(evaluate(row.a[i], values), expected) << e.u[i].name();
  }
  EXPECT_EQ(m.dependent_speeds, std::vector<std::string>{"u_right_slide"});
  UrdfOptions options;
  options.mimic = false;
  EXPECT_TRUE(gripper(options).constraints.empty());
}

TEST(Urdf, ShapesAndMeshes) {
  const Mechanism m = gripper();
  const auto& shapes = m.find_body("base_link")->shapes;
  ASSERT_EQ(shapes.size(), 2U);
  EXPECT_EQ(shapes[0].kind, ShapeKind::Mesh);
  EXPECT_EQ(shapes[0].file, "package://gripper/meshes/base.dae");
  EXPECT_EQ(shapes[0].color, "#808099");
  EXPECT_TRUE(has_note(m, "the scale of the mesh"));
  EXPECT_EQ(shapes[1].kind, ShapeKind::Cylinder);
  EXPECT_TRUE(shapes[1].contact);
  UrdfOptions options;
  options.geometry = false;
  EXPECT_TRUE(gripper(options).find_body("base_link")->shapes.empty());
}

TEST(Urdf, FloatingBase) {
  UrdfOptions options;
  options.floating_base = true;
  const Mechanism m = gripper(options);
  EXPECT_EQ(joint(m, "base").kind, "free");
  EXPECT_EQ(m.initial.at("base_e4"), 1);
  EXPECT_EQ(m.all_coordinates().size(), 7U + 4U);
}

TEST(Urdf, RoundTrip) {
  for (const bool floating : {false, true})
    for (const bool merged : {false, true}) {
      UrdfOptions options;
      options.floating_base = floating;
      options.merge_fixed = merged;
      const Mechanism m = gripper(options);
      const std::string text = write_yaml(m);
      const Mechanism again = read_yaml_text(text);
      EXPECT_EQ(write_yaml(again), text.substr(text.find("kane: 1")));  // the notes come first, as comments
      expect_same_equations(m, again, 1e-13);
    }
}

// ---- joints with several degrees of freedom -------------------------------------------------------------------------------

std::string two_links(const std::string& joint) {
  const std::string inertial =
      R"(<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/><inertia ixx="0.3" ixy="0" ixz="0" iyy="0.4" iyz="0" izz="0.5"/></inertial>)";
  return "<robot name=\"r\"><link name=\"a\"/><link name=\"b\">" + inertial + "</link>" + joint + "</robot>";
}

std::vector<double> mass_matrix(const Mechanism& m, Values values) {
  const EquationsOfMotion e = form_equations(m);
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  return evaluate(e.M.entries, values);
}

// In the plane normal to the axis the kinetic energy of translations is m/2 (v1^2 + v2^2), whatever the axis; the third
// speed turns the body about the axis, with the inertia about a line through the origin.
TEST(Urdf, PlanarJointWithAnyNormal) {
  for (const std::string axis : {"0 0 1", "1 0 0", "0 0.6 0.8", "-2 1 2"}) {
    const Mechanism m = read_urdf_text(
        two_links("<joint name=\"p\" type=\"planar\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"" + axis +
                  "\"/></joint>"));
    ASSERT_EQ(m.all_coordinates().size(), 3U);
    Values values;
    for (const Expr& q : m.all_coordinates()) values[q.name()] = 0;
    const auto M = mass_matrix(m, values);
    EXPECT_NEAR(M[0], 2, 1e-12) << axis;
    EXPECT_NEAR(M[4], 2, 1e-12) << axis;
    EXPECT_NEAR(M[1], 0, 1e-12) << axis;
    double n[3];
    std::sscanf(axis.c_str(), "%lf %lf %lf", &n[0], &n[1], &n[2]);
    const double length = std::hypot(n[0], n[1], n[2]);
    const double c[3] = {0.1, 0.2, 0.3}, I[3] = {0.3, 0.4, 0.5};
    double about = 0, along = 0;
    for (int i = 0; i < 3; ++i) about += I[i] * n[i] * n[i] / (length * length), along += c[i] * n[i] / length;
    EXPECT_NEAR(M[8], about + 2 * (0.01 + 0.04 + 0.09 - along * along), 1e-12) << axis;
  }
}

TEST(Urdf, FloatingJoint) {
  const Mechanism m =
      read_urdf_text(two_links(R"(<joint name="f" type="floating"><parent link="a"/><child link="b"/></joint>)"));
  EXPECT_EQ(m.all_coordinates().size(), 7U);
  EXPECT_EQ(joint(m, "f").kind, "free");
}

TEST(Urdf, WhatCannotMoveIsHeld) {
  const Mechanism m = read_urdf_text(
      two_links(R"(<link name="c"/><joint name="f" type="continuous"><parent link="a"/><child link="b"/></joint>
                   <joint name="idle" type="continuous"><parent link="b"/><child link="c"/></joint>)"));
  EXPECT_EQ(m.all_coordinates().size(), 1U);
  EXPECT_TRUE(has_note(m, "the joint 'idle' moves nothing that has mass and is held at zero"));
}

TEST(Urdf, NamesAreMadeUniqueAndUsable) {
  const Mechanism m = read_urdf_text(
      R"(<robot name="9 lives"><link name="a-b"/><link name="a b"/><link name="N"/>
         <joint name="1" type="continuous"><parent link="a-b"/><child link="a b"/></joint>
         <joint name="x.y" type="fixed"><parent link="a b"/><child link="N"/></joint>)" +
      std::string(R"(<link name="m"><inertial><mass value="1"/><origin xyz="1 0 0"/><inertia ixx="1" ixy="0" ixz="0"
         iyy="1" iyz="0" izz="1"/></inertial></link>
         <joint name="y" type="fixed"><parent link="N"/><child link="m"/></joint></robot>)"));
  EXPECT_EQ(body_names(m), (std::vector<std::string>{"a_b", "a_b_2"}));
  EXPECT_EQ(m.all_coordinates()[0].name(), "q_r_1");
  expect_same_equations(m, read_yaml_text(write_yaml(m)), 1e-13);
}

/// The arm of two_links() has the inertia `given`: ixx, iyy, izz, ixy, ixz, iyz.
Mechanism arm_with_inertia(const std::array<double, 6>& given, bool repair) {
  UrdfOptions options;
  options.repair_inertia = repair;
  return read_urdf_text(fmt::format(R"(<robot name="r"><link name="a"/>
<link name="b"><inertial><mass value="1"/><inertia ixx="{}" iyy="{}" izz="{}" ixy="{}" ixz="{}" iyz="{}"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)",
                                    given[0], given[1], given[2], given[3], given[4], given[5]),
                        "r.urdf", options);
}

Mat3 inertia_of(const Mechanism& m) {
  const MechanismBody* b = m.find_body("b");
  Mat3 I;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) I[i][k] = number(b->inertia[i][k]);
  return I;
}

TEST(Urdf, RoundingErrorsOfMomentsAreAcceptedWithAWarning) {
  const Mechanism m = arm_with_inertia({-5.4e-20, 0.01, 0.01, 0, 0, 0}, false);
  EXPECT_TRUE(
      has_note(m, "r.urdf:2:43: warning: 'ixx' of the link 'b' is -5.4e-20 kg m^2: taken for a rounding error"));
  EXPECT_EQ(inertia_of(m)[0].x, 0);  // so that nobody warns again
  EXPECT_THROW(arm_with_inertia({-5e-4, 0.01, 0.01, 0, 0, 0}, false), ModelError);
}

// The nearest of all inertias that a body can have: those near it that are possible are all farther from what was given.
TEST(Urdf, RepairedInertiasAreTheNearestPossible) {
  const double moments[][3] = {{0.01, 0.01, 0.05}, {-0.02, 0.01, 0.02}, {-0.01, 0.02, 0.02}, {0.01, 0.02, 0.031}};
  for (const auto& p : moments) {
    // Turned, so that the matrix is full.
    const double c = 0.6, s = 0.8;
    const Mat3 r{{kane::Vec3{c, -s, 0}, kane::Vec3{s * c, c * c, -s}, kane::Vec3{s * s, c * s, c}}};
    const Mat3 I = r * Mat3{{kane::Vec3{p[0], 0, 0}, kane::Vec3{0, p[1], 0}, kane::Vec3{0, 0, p[2]}}} * transposed(r);
    const Mechanism m = arm_with_inertia({I[0].x, I[1].y, I[2].z, I[0].y, I[0].z, I[1].z}, true);
    EXPECT_TRUE(has_note(m, "r.urdf:2:43: no body can have the inertia of the link 'b'"));
    const Mat3 repaired = inertia_of(m);
    const kane::Vec3 q = principal_values(repaired);
    EXPECT_GE(q[0], -1e-16);
    EXPECT_LE(q[2], q[0] + q[1] + 1e-16);
    const auto distance = [&](const Mat3& other) {
      double sum = 0;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) sum += (other[i][k] - I[i][k]) * (other[i][k] - I[i][k]);
      return sum;
    };
    unsigned state = 7;
    const auto noise = [&] { return 1e-3 * ((state = 1664525 * state + 1013904223) / 4294967296.0 - 0.5); };
    int possible = 0;
    for (int trial = 0; trial < 2000; ++trial) {
      Mat3 other = repaired;
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = i; k < 3; ++k) {
          const double d = noise();
          other[i][k] += d;
          if (k != i) other[k][i] += d;
        }
      const kane::Vec3 v = principal_values(other);
      if (v[0] < 0 || v[2] > v[0] + v[1]) continue;
      ++possible;
      EXPECT_GE(distance(other), distance(repaired) - 1e-12);
    }
    EXPECT_GT(possible, 10);
  }
  // What is possible stays as it is.
  const Mechanism m = arm_with_inertia({0.01, 0.02, 0.03, 0, 0, 0}, true);
  EXPECT_FALSE(has_note(m, "inertia"));
  EXPECT_EQ(inertia_of(m)[2].z, 0.03);
}

TEST(Urdf, RightAnglesAreExact) {
  const auto urdf = [](const std::string& angle) {
    return two_links(R"(<joint name="f" type="continuous"><parent link="a"/><child link="b"/><origin rpy=")" + angle +
                     R"( 0 0"/></joint>)");
  };
  const Mechanism exact = read_urdf_text(urdf("1.57079632679")), other = read_urdf_text(urdf("1.5707"));
  EXPECT_TRUE(joint(exact, "f").on_parent.rotation[1][1].is_zero());
  EXPECT_TRUE(joint(exact, "f").on_parent.rotation[2][1].is_one());
  EXPECT_NEAR(number(joint(other, "f").on_parent.rotation[1][1]), std::cos(1.5707), 1e-15);
}

}  // namespace
}  // namespace kane::test

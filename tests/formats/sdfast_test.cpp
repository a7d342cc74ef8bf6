// SD/FAST files against the same mechanisms described in C++, whose equations other tests check.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <set>

#include "bad_input.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/sdfast/sdfast_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane::test {
namespace {

std::string sdfast_file(const std::string& name) {
  std::ifstream stream(std::filesystem::path(KANE_SOURCE_DIR) / "models" / "sdfast" / name);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// Accelerations at a random state, by the names of speeds; both mechanisms get the same values by name.
std::map<std::string, double> accelerations(const EquationsOfMotion& e, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> dice(-1, 1);
  Values values;
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  values["t"] = 0;
  std::vector<std::string> names;
  for (const Expr& x : e.q) names.push_back(x.name());
  for (const Expr& x : e.u) names.push_back(x.name());
  for (const auto& x : e.inputs) names.push_back(x.symbol.name());
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) values[name] = dice(engine);
  const std::vector<double> udot = evaluate(std::span<const Expr>(e.udot_explicit), values);
  std::map<std::string, double> result;
  for (std::size_t i = 0; i < udot.size(); ++i) result[e.u[i].name()] = udot[i];
  return result;
}

void expect_same(const Mechanism& a, const Mechanism& b, double tolerance) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    // Each time in the same graph.
    const auto one = accelerations(form_equations(a), seed), two = accelerations(form_equations(b), seed);
    ASSERT_EQ(one.size(), two.size());
    double largest = 1;
    for (const auto& [name, value] : one) largest = std::max(largest, std::abs(value));
    for (const auto& [name, value] : one) EXPECT_NEAR(value, two.at(name), tolerance * largest) << name;
  }
}

/// The part of chain.sd that hangs on the hull, described by hand.
TEST(Sdfast, ArmOnAFreeHull) {
  const std::string text = sdfast_file("chain.sd");
  const Mechanism read = read_sdfast_text(text.substr(0, text.find("body = wheel")), "arm.sd");
  Mechanism m("arm");
  const Expr mass = m.parameter("m_arm", 2.5);
  const BodyRef hull = m.add_body("hull", {.mass = 10, .inertia = {1, 2, 3}});
  const BodyRef arm = m.add_body("arm", {.mass = mass, .inertia = {0.1, 0.2, 0.25, 0.01, 0.03, -0.02}});
  const BodyRef slide = m.add_body("slide", {.mass = 1, .inertia = {0.01, 0.02, 0.015}});
  m.free("hull", m.ground, hull,
         {.coordinates = {"q1", "q2", "q3", "q4", "q5", "q6", "q9"}, .speeds = {"u1", "u2", "u3", "u4", "u5", "u6"}});
  m.revolute(
      "arm", hull, arm, axis::y,
      {.coordinate = "q7", .speed = "u7", .at = {0.3, 0, 0}, .child_at = {0, 0, 0.5}, .actuator = m.input("tau7")});
  m.prismatic(
      "slide", arm, slide, {1, 0, 1},
      {.coordinate = "q8", .speed = "u8", .at = {0, 0, -0.5}, .child_at = {0, 0.1, 0}, .actuator = m.input("tau8")});
  for (int i = 1; i <= 6; ++i) (void)m.input(fmt::format("tau{}", i));
  m.add_force("push", PointRef("hull"), VectorQuantity("tau1*N.x + tau2*N.y + tau3*N.z"));
  m.add_torque("turn", hull, VectorQuantity("tau4*hull.x + tau5*hull.y + tau6*hull.z"));
  m.set_gravity({0.1, 0, -9.81});
  expect_same(read, m, 1e-12);
}

TEST(Sdfast, AllJointsHaveTheirNumbersAndAreWrittenAsYaml) {
  const Mechanism m = read_sdfast_text(sdfast_file("chain.sd"), "chain.sd");
  const auto q = m.all_coordinates();
  const std::size_t speeds = m.joint_speeds().size();
  // free 6, pin, slider, ujoint 2, gimbal 3, ball 3, cylinder 2, planar 3, rbearing 4, bushing 6
  EXPECT_EQ(speeds, 31U);
  ASSERT_EQ(q.size(), speeds + 2);
  std::set<std::string> names;
  for (const Expr& symbol : q) names.insert(symbol.name());
  for (std::size_t i = 1; i <= q.size(); ++i) EXPECT_TRUE(names.contains(fmt::format("q{}", i))) << i;
  EXPECT_EQ(m.initial.at("q32"), 1);  // the fourth Euler parameter of the hull
  expect_same(m, read_yaml_text(write_yaml(m), "chain.yaml"), 1e-12);
}

TEST(Sdfast, LoopCloses) {
  const Mechanism m = read_sdfast_text(sdfast_file("fourbar.sd"), "fourbar.sd");
  const EquationsOfMotion e = form_equations(m);
  std::size_t rows = 0;
  Values values{{"t", 0}, {"q1", 0}, {"q2", 0}, {"q3", 0}};
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  for (const auto& row : e.constraints) {
    if (row.redundant) continue;
    ++rows;
    ASSERT_TRUE(row.phi.has_value());
    EXPECT_NEAR(evaluate(*row.phi, values), 0, 1e-15);
  }
  EXPECT_EQ(rows, 2U);
}

constexpr BadInput kBadSdfast[] = {
    {"@", "the file describes no body"},
    {"gravity = 0 0 @x", "a number is expected here, but 'x' is given"},
    {"@gravty = 0 0 -9.81", "a keyword of SD/FAST is expected here, but 'gravty' is given; did you mean 'gravity'?"},
    {"@gravity = 0 0", "'gravity' needs three numbers, but 2 are given"},
    {"@mass = 1", "'mass' belongs to a body"},
    {"body = a inb = $ground joint = @pn", "unknown type of joint 'pn'; did you mean 'pin'?"},
    {"body = a inb = @b joint = pin", "the inboard body 'b' is not described before"},
    {"body = a inb = $ground @joint = pin mass = 1 inertia = 1 1 1", "has 1 pin, but 0 are given"},
    {"body = a inb = $ground joint = pin pin = @0 0 0 mass = 1 inertia = 1 1 1", "the pin has no length"},
    {"body = a inb = $ground joint = pin pin = 0 0 1 mass = 1 inertia = 1 2 3 @4 5 6 7 8 9",
     "the inertia is not symmetric"},
    {"body = a inb = $ground joint = pin pin = 0 0 1 mass = @-1 inertia = 1 1 1", "the mass of 'a' is negative"},
    {"body = @1a inb = $ground joint = pin", "'1a' is not a name"},
    {"grounded\n@body = a", "the body 'a' needs a joint"},
};

TEST(BadSdfast, All) { expect_refused(kBadSdfast, "model.sd"); }

}  // namespace
}  // namespace kane::test

// Spacecraft files of 42 against values of the program itself (tests/oracles/fortytwo_examples.json).

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <regex>

#include "bad_input.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/fortytwo/fortytwo_reader.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/dof_table.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/model/simulation.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

std::filesystem::path fortytwo_path(const std::string& name) {
  return std::filesystem::path(KANE_SOURCE_DIR) / "models" / "fortytwo" / ("SC_" + name + ".txt");
}

std::string fortytwo_text(const std::string& name) {
  std::ifstream stream(fortytwo_path(name));
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

json fortytwo_oracle(const std::string& id) {
  std::ifstream stream(std::filesystem::path(KANE_SOURCE_DIR) / "tests" / "oracles" / "fortytwo_examples.json");
  const json file = json::parse(stream);
  for (const json& e : file.at("examples"))
    if (e.at("id") == id) return e;
  return {};
}

Values start_of(const Mechanism& m, const EquationsOfMotion& e) {
  Values values;
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  values["t"] = 0;
  for (const Expr& q : m.all_coordinates()) values[q.name()] = m.start_value(q.name());
  for (const Expr& u : m.joint_speeds()) values[u.name()] = m.start_value(u.name());
  for (const auto& s : m.states) values[s.name] = m.start_value(s.name);
  for (const auto& i : m.inputs) values[i.symbol.name()] = 0;
  return values;
}

/// "J0.Rot1" of the reference is u_J0_Rot1 as a speed and J0_Rot1 as a coordinate here.
std::string own_name(std::string name, bool speed) {
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return name;
  name[dot] = '_';
  return speed ? "u_" + name : name;
}

class FortyTwo : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(FortyTwo, StartAndEquations) {
  const json oracle = fortytwo_oracle(GetParam().first);
  const Mechanism m = read_mechanism(fortytwo_path(GetParam().second));
  const json& reading = oracle.at("reading");
  const json& t0 = oracle.at("t0");
  std::size_t found = 0;
  for (std::size_t i = 0; i < reading.at("x").size(); ++i) {
    const std::string name = own_name(reading.at("x")[i], false);
    if (!m.initial.contains(name)) continue;  // locked
    EXPECT_NEAR(m.initial.at(name), t0.at("x")[i].get<double>(), 1e-15) << name;
    ++found;
  }
  EXPECT_EQ(found, reading.at("x").size() - reading.at("locked_u").size());
  const EquationsOfMotion e = form_equations(m);
  const json& active = t0.at("active_u");
  ASSERT_EQ(e.u.size(), active.size());
  const Values values = start_of(m, e);
  const std::vector<double> udot = evaluate(std::span<const Expr>(e.udot_explicit), values);
  for (std::size_t k = 0, i = 0; i < reading.at("u").size(); ++i) {
    const std::string name = own_name(reading.at("u")[i], true);
    if (!values.contains(name)) continue;  // locked
    EXPECT_EQ(e.u[k].name(), name);
    EXPECT_NEAR(values.at(name), t0.at("u_effective")[i].get<double>(), 1e-15) << name;
    EXPECT_NEAR(udot[k], t0.at("udot")[i].get<double>(), 1e-13) << name;
    ++k;
  }
}

TEST_P(FortyTwo, TenSeconds) {
  const json oracle = fortytwo_oracle(GetParam().first);
  Simulation run(read_model(fortytwo_path(GetParam().second)), {}, {.tolerance = 1e-11});
  (void)run.run({.until = 10}, [](const State&) { return true; });
  const json& last = oracle.at("trajectory").back();
  const json& reading = oracle.at("reading");
  for (std::size_t i = 0; i < reading.at("u").size(); ++i) {
    const json& locked = reading.at("locked_u");
    if (std::find(locked.begin(), locked.end(), json(i)) != locked.end()) continue;
    EXPECT_NEAR(run.value(own_name(reading.at("u")[i], true)), last.at("u")[i].get<double>(), 1e-9);
  }
}

TEST_P(FortyTwo, YamlIsTheSameModel) {
  const Mechanism m = read_mechanism(fortytwo_path(GetParam().second));
  const Mechanism again = read_yaml_text(write_yaml(m));
  EXPECT_EQ(m.initial, again.initial);
  const EquationsOfMotion a = form_equations(m), b = form_equations(again);
  EXPECT_EQ(evaluate(std::span<const Expr>(a.udot_explicit), start_of(m, a)),
            evaluate(std::span<const Expr>(b.udot_explicit), start_of(again, b)));
}

INSTANTIATE_TEST_SUITE_P(Examples, FortyTwo,
                         ::testing::Values(std::pair{"own_hinge", "Hinge"}, std::pair{"own_slider", "Slider"},
                                           std::pair{"own_tree", "Tree"}),
                         [](const auto& given) { return std::string(given.param.second); });

/// The table of the file, and the true constraint loads: those that 42 prints count the inertia terms twice.
TEST(FortyTwoTables, FreedomAndLoads) {
  const json oracle = fortytwo_oracle("own_slider");
  const Mechanism m = read_mechanism(fortytwo_path("Slider"));
  const EquationsOfMotion e = form_equations(m);
  const DofTable table = form_dof_table(m, lower_mechanism(m), e);
  std::map<std::string, const DofAxis*> axes;
  for (const DofEntry& entry : table.entries)
    for (const DofAxis& axis : entry.axes) axes[(entry.joint == "root" ? "B0" : entry.joint) + axis.name] = &axis;
  const auto index = [](const json& j) { return j.is_null() ? -1 : j.get<int>(); };
  for (const json& row : oracle.at("reading").at("potential_dof_table")) {
    const std::string name = row.at("owner").get<std::string>() + row.at("axis").get<std::string>();
    const DofAxis& axis = *axes.at(name);
    EXPECT_EQ(axis.free, row.at("kind") == "F") << name;
    EXPECT_EQ(axis.speed, index(row.at("u"))) << name;
    EXPECT_EQ(axis.coordinate, index(row.at("x"))) << name;
    EXPECT_EQ(axis.constraint, index(row.at("c"))) << name;
  }
  Values values = start_of(m, e);
  const std::vector<double> udot = evaluate(std::span<const Expr>(e.udot_explicit), values);
  for (std::size_t i = 0; i < udot.size(); ++i) values[e.u[i].name() + "'"] = udot[i];
  const std::vector<Expr> forces = table.constraint_forces();
  const std::vector<double> c = evaluate(std::span<const Expr>(forces), values);
  const json& expected = oracle.at("constraints_t0").at("true");
  ASSERT_EQ(c.size(), expected.size());
  for (std::size_t i = 0; i < c.size(); ++i) EXPECT_NEAR(c[i], expected[i].get<double>(), 1e-12);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::vector<double> accelerations_of(const Mechanism& m) {
  const EquationsOfMotion e = form_equations(m);
  return evaluate(std::span<const Expr>(e.udot_explicit), start_of(m, e));
}

/// The same spacecraft in the layout of 2015: eight flags, six lines per body, springs in the joint, wheels without a body.
TEST(FortyTwoLayouts, FirstPublicOne) {
  const std::string recent = fortytwo_text("Hinge");
  std::string old = replaced(recent, "0.1                               ! control sample time, s\n", "");
  old = replaced(old, "GAUSS_ELIM                        ! solver\n",
                 "DYN_JOINT ! mode\nTRUE ! mass properties constant\nTRUE ! passive joints enabled\n");
  old = replaced(old, "NONE                              ! shakers\n", "");
  old = std::regex_replace(old, std::regex("[^\n]*! (embedded momentum|dipole|nodes)[^\n]*\n"), "");
  old = replaced(old, "PASSIVE                           ! type\n", "");
  old = replaced(old, "Jnt_Hinge.txt                     ! parameter file\n",
                 "4 0 0 ! stiffness\n0.3 0 0 ! damping\n0 0 0 ! stiffness\n0 0 0 ! damping\n");
  EXPECT_EQ(accelerations_of(read_fortytwo_text(old)), accelerations_of(read_mechanism(fortytwo_path("Hinge"))));
  const std::string off = replaced(old, "TRUE ! passive joints enabled", "FALSE ! passive joints enabled");
  const std::string none = replaced(recent, "Jnt_Hinge.txt", "NONE         ");
  EXPECT_EQ(accelerations_of(read_fortytwo_text(off)), accelerations_of(read_fortytwo_text(none)));
}

/// A ball with three equal springs: energy is kept, and the torque is that of the rotation vector.
TEST(FortyTwoJoints, SprungBall) {
  const std::string text = replaced(fortytwo_text("Tree"), "SPHERICAL", "SPHERICAL");
  Mechanism plain = read_fortytwo_text(text);
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "kane_42";
  std::filesystem::create_directories(folder);
  std::string sprung = text;
  const std::size_t first = sprung.find("! parameter file");
  sprung.replace(sprung.rfind("NONE", first), 4, "Ball.txt");
  std::ofstream(folder / "SC_Ball.txt") << sprung;
  std::ofstream(folder / "Ball.txt") << "ball\nsprings\n*****\n5 5 5 ! k\n0 0 0 ! c\n0 0 0 ! k\n0 0 0 ! c\n";
  const Mechanism ball = read_mechanism(folder / "SC_Ball.txt");
  const EquationsOfMotion e = form_equations(ball);
  // M (u'_sprung - u'_plain) is the generalized force of the springs: -5 phi on the rates of the ball.
  const std::vector<double> with = accelerations_of(ball), without = accelerations_of(plain);
  const Values values = start_of(ball, e);
  const double q4 = values.at("J0_q4"), s = std::sqrt(1 - q4 * q4), angle = 2 * std::atan2(s, q4);
  for (std::size_t i = 0; i < 6; ++i) {
    double force = 0;
    for (std::size_t j = 0; j < e.u.size(); ++j) force += evaluate(e.M(i, j), values) * (with[j] - without[j]);
    const double expected = i < 3 ? 0 : -5 * angle / s * values.at("J0_q" + std::to_string(i - 2));
    EXPECT_NEAR(force, expected, 1e-11) << i;
  }
}

TEST(FortyTwoErrors, SayWhere) {
  const std::string text = fortytwo_text("Slider");
  const auto with = [&](const std::string& from, const std::string& to) {
    return replaced(replaced(text, "Jnt_Slide.txt", "NONE"), from, to);
  };
  const std::pair<std::string, std::string> cases[] = {
      {with("250                               ! mass, kg", "250"), "has no comment after its values"},
      {with("250  ", "250,  "), "is not a number"},
      {with("90  120  80", "90  1.2d2  80"), "is not a number"},
      {with("312  GIMBAL", "311  GIMBAL"), "each of the digits"},
      {with("2  312  GIMBAL", "2  312  SPHERICAL"), "three free rotations"},
      {with("2  312  GIMBAL", "4  312  GIMBAL"), "whole number from 0 to 3"},
      {with("0  1                              ! inner", "1  1                              ! inner"), "lower index"},
      {with("1  2                              ! inner", "0  1                              ! inner"),
       "outer body of another joint"},
      {with("PASSIVE                           ! type", "SLOSH                             ! type"), "SLOSH"},
      {with("3                                 ! number of bodies",
            "4                                 ! number of bodies"),
       "says 4 bodies, but has 3"},
      {with("NONE                              ! flex", "Flex_A.txt                        ! flex"),
       "flexible modes ('Flex_A.txt')"},
      {with("1  1  0                           ! axis", "1 1  1  0                           ! axis"),
       "four are given"},
      {with("1  1  0                           ! axis", "0  0  0                           ! axis"), "no length"},
      {with("0  0  0                           ! dipole\n", ""), "a line is missing"},
      {with("NQN", "NXN"), "is not a code"},
      {with("-4.0  2.0  1.0", "-4.0  2.0"), "needs 3 values"},
      {text, "cannot be read"},
      {text.substr(0, text.find("***** flags")), "the file ends before the section of flags"},
      {"just a text\n", "not a spacecraft file"},
  };
  for (const auto& [bad, sentence] : cases) {
    try {
      (void)read_fortytwo_text(bad);
      ADD_FAILURE() << "accepted: " << sentence;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(sentence), std::string::npos) << error.what();
      EXPECT_GT(error.where().line, 0);
    }
  }
}

TEST(FortyTwoErrors, LenientGoesOnWithoutModes) {
  std::string text = replaced(fortytwo_text("Tree"), "NONE                              ! flex",
                              "Flex_A.txt                        ! flex");
  const Mechanism m = read_mechanism_text(text, "SC_Tree.txt", {.lenient = true});
  ASSERT_EQ(m.notes.size(), 1U);
  EXPECT_NE(m.notes[0].find("the body is rigid"), std::string::npos);
  EXPECT_EQ(accelerations_of(m), accelerations_of(read_mechanism(fortytwo_path("Tree"))));
}

TEST(FortyTwoErrors, ParameterFilesStayBeneathTheFolder) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "kane_42_out" / "in";
  std::filesystem::create_directories(folder);
  std::ofstream(folder.parent_path() / "Jnt.txt") << "x\ny\n*****\n5 5 5 ! k\n0 0 0 ! c\n0 0 0 ! k\n0 0 0 ! c\n";
  std::ofstream(folder / "SC_A.txt") << replaced(fortytwo_text("Hinge"), "Jnt_Hinge.txt", "../Jnt.txt");
  EXPECT_THROW((void)read_mechanism(folder / "SC_A.txt"), ModelError);
}

}  // namespace
}  // namespace kane::test

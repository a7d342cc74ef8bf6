// Units, includes, repetitions, Denavit-Hartenberg rows and YAML's own templates: the right numbers, the right equations.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "kane/base/error.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/formulation.hpp"
#include "same_equations.hpp"

namespace kane::test {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct UnitCase {
  const char* text;
  double value;  ///< in SI units
};

// The factors are the definitions of the units (BIPM; international yard and pound of 1959).
TEST(Yaml, Units) {
  constexpr double kPound = 0.45359237, kFoot = 0.3048, kGravity = 9.80665;
  const UnitCase cases[] = {
      {"2 kg", 2},
      {"2 g", 0.002},
      {"2 mg", 2e-6},
      {"2 t", 2000},
      {"2 lb", 2 * kPound},
      {"2 oz", 2 * kPound / 16},
      {"2 slug", 2 * kPound * kGravity / kFoot},
      {"2 m", 2},
      {"2 mm", 0.002},
      {"2 um", 2e-6},
      {"2 cm", 0.02},
      {"2 km", 2000},
      {"2 in", 0.0508},
      {"2 ft", 2 * kFoot},
      {"2 yd", 6 * kFoot},
      {"2 mi", 2 * 5280 * kFoot},
      {"-1/2 in", -0.0127},
      {"2 s", 2},
      {"2 ms", 0.002},
      {"2 us", 2e-6},
      {"2 min", 120},
      {"2 h", 7200},
      {"2 rad", 2},
      {"2 deg", 2 * kPi / 180},
      {"2 rev", 4 * kPi},
      {"30 rpm", kPi},
      {"2 N", 2},
      {"2 kN", 2000},
      {"2 lbf", 2 * kPound * kGravity},
      {"2 kgf", 2 * kGravity},
      {"2 Nm", 2},
      {"2 N*m", 2},
      {"2 J", 2},
      {"2 W", 2},
      {"2 hp", 2 * 550 * kPound * kGravity * kFoot},
      {"2 Pa", 2},
      {"2 MPa", 2e6},
      {"2 bar", 2e5},
      {"2 psi", 2 * kPound * kGravity / (0.0254 * 0.0254)},
      {"2 V", 2},
      {"2 A", 2},
      {"2 ohm", 2},
      {"2 m/s", 2},
      {"36 km/h", 10},
      {"2 m/s^2", 2},
      {"2 m/s²", 2},
      {"2 kg*m^2", 2},
      {"2 kg m^2", 2},
      {"2 g/cm^3", 2000},
      {"2 N*m*s/rad", 2},
      {"5 mm/rev", 0.005 / (2 * kPi)},
      {"180 deg/s", kPi},
      {"2 1/s", 2},
      {"2 Hz", 2},
      {"(1 + 2) mm", 0.003},
      {"1e3 mm", 1},
      {"50 %", 0.5},
  };
  for (const auto& [text, value] : cases) {
    const std::string model = "parameters: {a: \"" + std::string(text) +
                              "\"}\nbodies: {A: {mass: 1, com: [1, 0, 0]}}\n"
                              "joints: {J: {type: revolute, parent: N, child: A}}\n";
    try {
      EXPECT_NEAR(parameter_values(read_yaml_text(model)).at("a"), value, 4e-16 * std::abs(value)) << text;
    } catch (const ModelError& error) {
      ADD_FAILURE() << text << ": " << error.what();
    }
  }
}

TEST(Yaml, DimensionsFollowExpressions) {
  const auto reads = [](const std::string& parameters, const std::string& mass) {
    try {
      (void)read_yaml_text("parameters: {" + parameters + "}\nbodies: {A: {mass: \"" + mass +
                           "\", com: [1, 0, 0]}}\njoints: {J: {type: revolute, parent: N, child: A}}\n");
      return true;
    } catch (const ModelError&) {
      return false;
    }
  };
  const std::string p = "m: 1 kg, r: 2 m, rho: 3 kg/m^3, F: 4 N, a: 5 m/s^2, k: 6 N/m, w: 7 rad/s, n: 8";
  for (const char* good : {"m", "2*m", "rho*r^3", "F/a", "k/w^2", "sqrt(m^2)", "max(m, 2*m)", "m*sin(w/w)", "n*m", "5",
                           "m + F/a", "rho*r*r*r"})
    EXPECT_TRUE(reads(p, good)) << good;
  for (const char* bad : {"r", "rho*r^2", "F*a", "k/w", "m + r", "max(m, r)", "rho"})
    EXPECT_FALSE(reads(p, bad)) << bad;
}

// ---- repetitions and templates --------------------------------------------------------------------------------------------

constexpr const char* kChain = R"(
parameters: {l: 1 m, g: 9.81 m/s^2, m1: 1 kg, m2: 3 kg, m3: 5 kg}
gravity: -g*N.y
bodies:
  L1: {mass: m1, com: [0, -l/2, 0]}
  L2: {mass: m2, com: [0, -l/2, 0]}
  L3: {mass: m3, com: [0, -l/2, 0], points: {tip: [0, -l, 0]}}
joints:
  J1: {type: revolute, parent: N, at: [0, 0, 0], child: L1, axis: z, coordinate: q1}
  J2: {type: revolute, parent: L1, at: [0, -l, 0], child: L2, axis: z, coordinate: q2}
  J3: {type: revolute, parent: L2, at: [0, -l, 0], child: L3, axis: z, coordinate: q3}
initial: {q1: 0.1, q2: 0.2, q3: 0.3}
)";

TEST(Yaml, RepeatWritesAChain) {
  const char* repeated = R"(
parameters: {l: 1 m, g: 9.81 m/s^2}
gravity: -g*N.y
repeat:
  from: 1
  to: 3
  lists: {mass: [1 kg, 3 kg, 5 kg]}
  parameters: {"m{i}": "{mass}"}
  bodies:
    L{i}: {mass: "m{i}", com: [0, -l/2, 0]}
  joints:
    J{i}: {type: revolute, parent: "L{i-1}", at: [0, -l, 0], child: "L{i}", axis: z, coordinate: "q{i}"}
  initial: {"q{i}": "0.{i}"}
  first: {joints: {"J{i}": {parent: N, at: [0, 0, 0]}}}
  last: {bodies: {"L{i}": {points: {tip: [0, -l, 0]}}}}
)";
  expect_same_equations(read_yaml_text(kChain), read_yaml_text(repeated), 1e-14);
}

TEST(Yaml, AnchorsAndMergesWriteAChain) {
  const char* merged = R"(
parameters: {l: &one 1 m, g: 9.81 m/s^2, m1: 1 kg, m2: 3 kg, m3: 5 kg}
gravity: -g*N.y
bodies:
  L1: &link {mass: m1, com: [0, -l/2, 0]}
  L2: {<<: *link, mass: m2}
  L3: {<<: *link, mass: m3, points: {tip: [0, -l, 0]}}
joints:
  J1: {<<: &pin {type: revolute, at: [0, -l, 0], axis: z}, parent: N, at: [0, 0, 0], child: L1, coordinate: q1}
  J2: {<<: *pin, parent: L1, child: L2, coordinate: q2}
  J3: {<<: *pin, parent: L2, child: L3, coordinate: q3}
initial: {q1: 0.1, q2: 0.2, q3: 0.3}
)";
  expect_same_equations(read_yaml_text(kChain), read_yaml_text(merged), 1e-14);
}

TEST(Yaml, RepeatCountsDownNestsAndComputes) {
  const Mechanism m = read_yaml_text(R"(
repeat:
  - {from: 6, to: 2, step: -2, bodies: {"D{i}": {mass: "{i}", com: [1, 0, 0]}},
     joints: {"D{i}": {type: revolute, parent: N, child: "D{i}", coordinate: "d{i/2}"}}}
  - index: row
    to: 2
    repeat:
      index: col
      to: 3
      bodies: {"B{row}_{col}": {mass: "{10*row+col}", com: [1, 0, 0]}}
      joints: {"B{row}_{col}": {type: revolute, parent: N, child: "B{row}_{col}", coordinate: "b{3*row+col-3}"}}
  - {from: 5, to: 4, bodies: {"none{i}": {}}}
)");
  std::vector<std::string> names;
  std::vector<double> masses;
  for (const auto& b : m.bodies) names.push_back(b.name), masses.push_back(evaluate(b.mass, {}));
  EXPECT_EQ(names, (std::vector<std::string>{"D6", "D4", "D2", "B1_1", "B1_2", "B1_3", "B2_1", "B2_2", "B2_3"}));
  EXPECT_EQ(masses, (std::vector<double>{6, 4, 2, 11, 12, 13, 21, 22, 23}));
  std::vector<std::string> coordinates;
  for (const Expr& q : m.all_coordinates()) coordinates.push_back(q.name());
  EXPECT_EQ(coordinates, (std::vector<std::string>{"d3", "d2", "d1", "b1", "b2", "b3", "b4", "b5", "b6"}));
}

TEST(Yaml, IncludesJoinAndYield) {
  std::string name = (std::filesystem::temp_directory_path() / "kane_include_XXXXXX").string();
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const std::filesystem::path folder(name);
  std::filesystem::create_directory(folder / "parts");
  std::ofstream(folder / "parts" / "links.yaml") << R"(
kane: 1
name: never seen
include: values.yaml
bodies:
  L1: {mass: m1, com: [0, -l/2, 0]}
  L2: {mass: m2, com: [0, -l/2, 0]}
  L3: {mass: m3, com: [0, -l/2, 0], points: {tip: [0, -l, 0]}}
)";
  std::ofstream(folder / "parts" / "values.yaml")
      << "parameters: {l: 7 m, g: 9.81 m/s^2, m1: 1 kg, m2: 30 kg}\ninitial: {q1: 9, q2: 0.2}\ngravity: -g*N.z\n";
  std::ofstream(folder / "main.yaml") << R"(
include: [parts/links.yaml]
parameters: {l: 1 m, m2: 3 kg, m3: 5 kg}
gravity: -g*N.y
joints:
  J1: {type: revolute, parent: N, at: [0, 0, 0], child: L1, axis: z, coordinate: q1}
  J2: {type: revolute, parent: L1, at: [0, -l, 0], child: L2, axis: z, coordinate: q2}
  J3: {type: revolute, parent: L2, at: [0, -l, 0], child: L3, axis: z, coordinate: q3}
initial: {q1: 0.1, q3: 0.3}
)";
  const Mechanism m = read_yaml_model(folder / "main.yaml");
  EXPECT_EQ(m.name, "main");
  const Values values = parameter_values(m);
  EXPECT_EQ(values, (Values{{"l", 1}, {"g", 9.81}, {"m1", 1}, {"m2", 3}, {"m3", 5}}));
  Mechanism whole = read_yaml_text(kChain);
  const EquationsOfMotion a = form_equations(m), b = form_equations(whole);
  Values state = values;
  for (const auto& s : {"q1", "q2", "q3", "u1", "u2", "u3"}) state[s] = 0.1 * static_cast<double>(state.size());
  const auto x = evaluate(a.udot_explicit, state), y = evaluate(b.udot_explicit, state);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(x[i], y[i], 1e-12);
  EXPECT_EQ(m.initial, whole.initial);
  std::filesystem::remove_all(folder);
}

TEST(Yaml, GuessesAreKeptApartFromInitialValues) {
  const std::string text = std::string(kChain).substr(0, std::string(kChain).find("initial:")) +
                           "initial: {q1: 30 deg}\nguess: {q2: m2/m1, u3: -1 rad/s}\n";
  const Mechanism m = read_yaml_text(text);
  EXPECT_EQ(m.initial.size(), 1U);
  EXPECT_EQ(m.guess, (std::map<std::string, double>{{"q2", 3}, {"u3", -1}}));
  EXPECT_TRUE(m.initial_laws.contains("q2"));
  const Mechanism again = read_yaml_text(write_yaml(m));
  EXPECT_EQ(again.guess, m.guess);
  EXPECT_EQ(again.initial, m.initial);
  const auto refused = [&](const std::string& guess, const std::string& words) {
    try {
      (void)read_yaml_text(text.substr(0, text.find("guess:")) + guess);
      ADD_FAILURE() << guess;
    } catch (const ModelError& error) {
      EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
  };
  refused("guess: {q1: 1}", "'q1' is under 'initial' already");
  refused("guess: {t: 1}", "not a coordinate or speed");
  refused("guess: {q4: 1}", "did you mean");
  refused("guess: {q2: 3 kg}", "q2");
  refused("guess: 3", "guess");
}

// ---- Denavit-Hartenberg ---------------------------------------------------------------------------------------------------

using Matrix4 = std::array<std::array<double, 4>, 4>;

Matrix4 product(const Matrix4& a, const Matrix4& b) {
  Matrix4 c{};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      for (std::size_t k = 0; k < 4; ++k) c[i][j] += a[i][k] * b[k][j];
  return c;
}

struct DhRow {
  double a, alpha, d, theta;
  bool prismatic;
};

// Craig, Introduction to Robotics, 3rd ed., eq. 3.6.
Matrix4 modified(const DhRow& r) {
  const double ct = std::cos(r.theta), st = std::sin(r.theta), ca = std::cos(r.alpha), sa = std::sin(r.alpha);
  return {{{ct, -st, 0, r.a}, {st * ca, ct * ca, -sa, -sa * r.d}, {st * sa, ct * sa, ca, ca * r.d}, {0, 0, 0, 1}}};
}

// Spong, Hutchinson and Vidyasagar, Robot Modeling and Control, eq. 3.10.
Matrix4 standard(const DhRow& r) {
  const double ct = std::cos(r.theta), st = std::sin(r.theta), ca = std::cos(r.alpha), sa = std::sin(r.alpha);
  return {{{ct, -st * ca, st * sa, r.a * ct}, {st, ct * ca, -ct * sa, r.a * st}, {0, sa, ca, r.d}, {0, 0, 0, 1}}};
}

TEST(Yaml, DenavitHartenberg) {
  const DhRow rows[] = {{0.1, 0.4, 0.3, 0.2, false},
                        {0.5, -1.1, 0.07, 0.6, false},
                        {0.2, 2.0, 0.15, -0.4, true},
                        {-0.3, 0.9, -0.2, 1.7, false}};
  const double q[] = {0.3, -0.8, 0.25, 1.1};
  for (const bool craig : {true, false}) {
    std::string text = "bodies: {}\ndh:\n  arm:\n    convention: " + std::string(craig ? "modified" : "standard") +
                       "\n    at: [0.01, 0.02, 0.03]\n    orientation: {axis: x, angle: 0.5}\n    rows:\n";
    std::string bodies = "bodies:\n";
    Matrix4 place{{{1, 0, 0, 0.01},
                   {0, std::cos(0.5), -std::sin(0.5), 0.02},
                   {0, std::sin(0.5), std::cos(0.5), 0.03},
                   {0, 0, 0, 1}}};
    Values values;
    for (int i = 0; i < 4; ++i) {
      DhRow r = rows[i];
      text += fmt::format("      - {{a: {}, alpha: {}, d: {}, theta: {}, type: {}, coordinate: q{}, body: B{}}}\n", r.a,
                          r.alpha, r.d, r.theta, r.prismatic ? "prismatic" : "revolute", i + 1, i + 1);
      bodies += fmt::format("  B{}: {{mass: 1, inertia: [1, 2, 2]}}\n", i + 1);
      (r.prismatic ? r.d : r.theta) += q[i];
      values[fmt::format("q{}", i + 1)] = q[i];
      place = product(place, craig ? modified(r) : standard(r));
    }
    const Mechanism m = read_yaml_text(bodies + text.substr(text.find("dh:")));
    const EquationsOfMotion e = form_equations(m);
    const auto body =
        std::find_if(e.bodies.begin(), e.bodies.end(), [](const BodyOutput& b) { return b.name == "B4"; });
    ASSERT_NE(body, e.bodies.end());
    const auto point =
        std::find_if(e.points.begin(), e.points.end(), [](const PointOutput& p) { return p.name == "B4"; });
    ASSERT_NE(point, e.points.end());
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(evaluate(point->position[i], values), place[i][3], 1e-14) << craig << i;
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(evaluate(body->rotation[i][j], values), place[i][j], 1e-14) << craig << i << j;
    }
  }
}

// ---- inertia --------------------------------------------------------------------------------------------------------------

// The same body, its inertia given about the mass centre, about another point, and in turned axes.
TEST(Yaml, InertiaAboutAnyPointInAnyAxes) {
  const auto model = [](const std::string& inertia) {
    return read_yaml_text("bodies: {A: {mass: 2, com: [0.1, 0.2, 0.3], inertia: " + inertia +
                          ", frames: {F: {orientation: {axis: z, angle: 90 deg}}}}}\n"
                          "joints: {J: {type: free, parent: N, child: A}}\n");
  };
  const Mechanism plain = model("[0.3, 0.4, 0.5, 0.01, 0.02, 0.03]");
  // I + m (c.c 1 - c c): about the origin.
  const std::string about = "{xx: 0.56, yy: 0.6, zz: 0.6, xy: -0.03, yz: -0.1, zx: -0.03, about: origin}";
  // x' = y, y' = -x: I_x'x' = Iyy, I_y'y' = Ixx, I_x'y' = -Ixy, I_y'z' = -Ixz, I_z'x' = Iyz
  const std::string turned = "{xx: 0.4, yy: 0.3, zz: 0.5, xy: -0.01, yz: -0.03, zx: 0.02, frame: F}";
  const std::string matrix = "[[0.3, 0.01, 0.03], [0.01, 0.4, 0.02], [0.03, 0.02, 0.5]]";
  for (const std::string& text : {about, turned, matrix}) expect_same_equations(plain, model(text), 1e-14);
}

// Held at its initial orientation, a spherical joint is a weld with that orientation.
TEST(Yaml, ASphericalJointCanBeLocked) {
  const std::string start = R"(
gravity: [0, 0, -9.81]
bodies: {A: {mass: 2, com: [1, 0, 0], inertia: [0.1, 0.2, 0.2]}, B: {mass: 1, com: [0, 0.5, 0.1], inertia: [0.1, 0.2, 0.25]}}
joints:
  J: {type: revolute, axis: [1, 2, 3], parent: N, child: A, coordinate: q1}
)";
  const Mechanism locked = read_yaml_text(start + R"(
  K: {type: spherical, parent: A, child: B, at: [1, 0, 0], lock: true, coordinates: [e1, e2, e3, e4]}
initial: {e1: 0.1, e2: 0.5, e3: -0.3, e4: 0.8}
)");
  const Mechanism weld = read_yaml_text(start + R"(
  K: {type: weld, parent: A, child: B, at: [1, 0, 0], orientation: {quaternion: [0.1, 0.5, -0.3, 0.8]}}
)");
  expect_same_equations(locked, weld);
  const Mechanism straight = read_yaml_text(start + "\n  K: {type: spherical, parent: A, child: B, lock: true}\n");
  expect_same_equations(straight, read_yaml_text(start + "\n  K: {type: weld, parent: A, child: B}\n"));
}

}  // namespace
}  // namespace kane::test

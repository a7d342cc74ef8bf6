// Parts from finite elements against CalculiX, against closed forms, and what their files may not contain. Beams in
// segments and beams that shear against what books say.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numbers>

#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/matrix_file.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/flexible_part.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/symmetric_modes.hpp"

namespace kane {
namespace {

const std::filesystem::path kPartSource = KANE_SOURCE_DIR;

EquationsOfMotion part_equations(const Mechanism& m) {
  return form_equations(m, {.formulation = Formulation::Projection, .solve = false});
}

Values part_values(const EquationsOfMotion& e) {
  Values v{{"t", 0.0}};
  for (const auto& p : e.parameters) v[p.symbol.name()] = evaluate(p.value, v);
  for (const auto& i : e.inputs) v[i.symbol.name()] = evaluate(i.value, v);
  for (const Expr& q : e.q) v[q.name()] = 0;
  for (const Expr& u : e.u) v[u.name()] = 0;
  for (const int q : e.quaternions) v[e.q[static_cast<std::size_t>(q) + 3].name()] = 1;
  return v;
}

/// Natural frequencies (rad/s) at rest.
std::vector<double> part_frequencies(const EquationsOfMotion& e) {
  const Values at = part_values(e);
  const std::size_t n = e.u.size();
  std::vector<double> K(n * n), M = evaluate(e.M.entries, at);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) K[i * n + j] = -evaluate(derivative(e.graph->bind(e.rhs[i]), e.q[j]), at);
  std::vector<double> r;
  for (const double square : find_symmetric_modes(K, M, n).values) r.push_back(std::sqrt(std::max(square, 0.0)));
  return r;
}

/// A model in the folder of the bracket's files.
Mechanism bracket_model(const std::string& flexible, const std::string& rest = "") {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "kane_bracket";
  std::filesystem::create_directories(folder);
  for (const char* file : {"bracket_M.mtx", "bracket_K.mtx", "bracket_nodes.txt"})
    std::filesystem::copy_file(kPartSource / "models/bracket" / file, folder / file,
                               std::filesystem::copy_options::overwrite_existing);
  const std::filesystem::path file = folder / "model.yaml";
  std::ofstream(file) << "kane: 1\nname: part\nbodies:\n  B: {flexible: {nodes: bracket_nodes.txt, mass_matrix: "
                         "bracket_M.mtx, stiffness_matrix: bracket_K.mtx, "
                      << flexible << "}}\n"
                      << (rest.empty() ? "joints: {base: {type: weld, parent: N, child: B}}\n" : rest);
  return read_yaml_model(file);
}

nlohmann::json calculix() {
  std::ifstream in(kPartSource / "models/bracket/bracket_frequencies.json");
  return nlohmann::json::parse(in);
}

constexpr const char* kBracketRoot = "root: [1, 4, 5, 8, 12, 16, 17, 20]";
constexpr const char* kBracketTip = "tip: [33, 34, 35, 36, 38, 41, 43, 44]";

/// CalculiX prints seven digits.
TEST(FlexiblePart, HasTheFrequenciesOfCalculix) {
  const nlohmann::json expected = calculix();
  const std::vector<double> held =
      part_frequencies(part_equations(bracket_model(fmt::format("interfaces: {{{}}}, modes: 8", kBracketRoot))));
  ASSERT_EQ(held.size(), 8U);
  for (std::size_t i = 0; i < 8; ++i) EXPECT_NEAR(held[i], expected["clamped"][i], 1e-6 * held[i]) << i;
  // With a rigid face at the tip the modes are those of the reduction, from above: the first are there.
  const std::vector<double> rigid = part_frequencies(
      part_equations(bracket_model(fmt::format("interfaces: {{{}, {}}}, modes: 12", kBracketRoot, kBracketTip))));
  ASSERT_EQ(rigid.size(), 18U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_GT(rigid[i], expected["rigid_tip"][i].get<double>() * (1 - 1e-6)) << i;
    EXPECT_NEAR(rigid[i], expected["rigid_tip"][i], 1e-4 * rigid[i]) << i;
  }
}

TEST(FlexiblePart, FliesAsCalculixSays) {
  const nlohmann::json expected = calculix();
  const Mechanism m = bracket_model("root: free, modes: 6", "joints: {fly: {type: free, parent: N, child: B}}\n");
  const EquationsOfMotion e = part_equations(m);
  const FlexiblePart& part = *m.bodies[0].flexible->part;
  for (std::size_t i = 0; i < 6; ++i) {
    const double w = std::sqrt(part.squared_frequency[i]);
    EXPECT_NEAR(w, expected["free"][i], 1e-6 * w) << i;
  }
}

/// The mass, mass centre and inertia of the body, by volume integrals of the same elements (Gauss 3x3x3 for a check of the
/// mass alone: density times volume).
TEST(FlexiblePart, KnowsItsMass) {
  const Mechanism m = bracket_model(fmt::format("interfaces: {{{}}}, modes: 1", kBracketRoot));
  const FlexiblePart& part = *m.bodies[0].flexible->part;
  EXPECT_NEAR(part.mass, 2700 * 0.12 * 0.025 * 0.012, 1e-8);  // length times mean width times height
  EXPECT_NEAR(part.first_moment.y, 0, 1e-12);
  // Mean of x for a width that falls from 30 to 20 mm: L (30 + 2 20)/(3 (30 + 20)).
  EXPECT_NEAR(part.first_moment.x / part.mass, 0.12 * 70 / 150, 1e-9);
}

/// Rates of energy and momentum in flight at a random state are zero.
TEST(FlexiblePart, KeepsEnergyAndMomentumInFlight) {
  const Mechanism m = bracket_model("root: free, modes: 3", "joints: {fly: {type: free, parent: N, child: B}}\n");
  const EquationsOfMotion e = form_equations(m, {.formulation = Formulation::Projection});
  Values at = part_values(e);
  double k = 0.3;
  for (const Expr& u : e.u) at[u.name()] = 0.5 * std::sin(k += 1.7);
  for (std::size_t i = 7; i < e.q.size(); ++i) at[e.q[i].name()] = 1e-4 * std::sin(k += 1.7);
  const std::vector<double> udot = evaluate(e.udot_explicit, at);
  Substitution rates;
  for (std::size_t i = 0; i < e.q.size(); ++i) rates.set(e.q[i], e.qdot[i]);
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    rates.set(e.u[i], e.udot[i]);
    at[e.udot[i].name()] = udot[i];
  }
  Tangent rate(rates);
  const double power = 1e4;  // of the strain: forces of 1e5 N at 0.5 m/s are exchanged
  EXPECT_NEAR(evaluate(rate(e.kinetic + *e.potential), at), 0, 1e-10 * power);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(evaluate(rate(e.linear_momentum[i]), at), 0, 1e-10);
    EXPECT_NEAR(evaluate(rate(e.angular_momentum[i]), at), 0, 1e-10);
  }
}

std::string part_mistake(const std::string& flexible, const std::string& rest = "") {
  try {
    (void)part_equations(bracket_model(flexible, rest));
  } catch (const ModelError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FlexiblePart, RefusesWhatCannotBe) {
  const auto says = [](const std::string& message, const std::string& words) {
    EXPECT_NE(message.find(words), std::string::npos) << message << " lacks " << words;
  };
  says(part_mistake("interfaces: {root: [1, 4, 999]}, modes: 2"), "node 999");
  says(part_mistake("interfaces: {root: 1}, modes: 2"), "can turn without deforming");
  says(part_mistake("interfaces: {root: [1, 12, 4]}, modes: 2"), "on one line");
  says(part_mistake("interfaces: {a: [1, 4, 5], b: [5, 8, 12]}, modes: 2"), "share a node");
  says(part_mistake(fmt::format("interfaces: {{{}}}, root: rot, modes: 2", kBracketRoot)), "did you mean 'root'");
  says(part_mistake(fmt::format("interfaces: {{{}}}, modes: 200", kBracketRoot)), "the limit is 80");
  says(part_mistake("root: free, modes: 2"), "at a place that its modes move");
  says(part_mistake(fmt::format("interfaces: {{{}}}, modes: 2, length: 3", kBracketRoot)), "length");
  says(part_mistake(
           fmt::format("interfaces: {{{}}}, modes: 2", kBracketRoot),
           "joints: {base: {type: weld, parent: N, child: B}}\nparticles: {P: {mass: 1, on: B, at: [1, 0, 0]}}\n"),
       "neither an interface nor a node");
  says(part_mistake(fmt::format("interfaces: {{{}}}, modes: 2, damping: [0.1, 0.1, 0.1]", kBracketRoot)),
       "damping ratios");
}

/// The nodes of a bar of two masses, as a matrix that is wrong in many ways.
TEST(FlexiblePart, RefusesBadMatrices) {
  const auto fails = [](const std::string& text) -> std::string {
    try {
      (void)read_matrix_market(text, "M.mtx");
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  };
  const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n";
  EXPECT_NE(fails("hello").find("not a Matrix Market file"), std::string::npos);
  EXPECT_NE(fails("%%MatrixMarket matrix array real general\n2 2\n").find("not supported"), std::string::npos);
  EXPECT_NE(fails(head + "2 3 1\n1 1 5\n").find("must be square"), std::string::npos);
  EXPECT_NE(fails(head + "2 2 2\n1 1 5\n").find("ends after 1 of 2"), std::string::npos);
  EXPECT_NE(fails(head + "2 2 1\n3 1 5\n").find("M.mtx:3"), std::string::npos);
  EXPECT_NE(fails(head + "2 2 1\n1 1 nan\n").find("must be a number"), std::string::npos);
  EXPECT_NE(fails(head + "2 2 1\n1 1 5\n2 2 5\n").find("more than the 1"), std::string::npos);
  ComponentInput input;
  input.mass.size = 6, input.stiffness.size = 3;
  input.nodes = {{0, 0, 0}, {1, 0, 0}};
  const auto reduction = [&]() -> std::string {
    try {
      (void)find_component_modes(input);
    } catch (const ModelError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_NE(reduction().find("they must fit"), std::string::npos);
  input.stiffness.size = 6;
  input.nodes.push_back({2, 0, 0});
  EXPECT_NE(reduction().find("6 rows for 3 nodes"), std::string::npos);
  input.nodes.pop_back();
  for (int i = 0; i < 6; ++i) {
    input.mass.row.push_back(i), input.mass.column.push_back(i), input.mass.value.push_back(1);
    input.stiffness.row.push_back(i), input.stiffness.column.push_back(i), input.stiffness.value.push_back(1);
  }
  EXPECT_NE(reduction().find("resists when the whole part is moved along x"), std::string::npos);
  input.stiffness.row.push_back(0), input.stiffness.column.push_back(1), input.stiffness.value.push_back(1);
  EXPECT_NE(reduction().find("not symmetric"), std::string::npos);
}

// ---- beams --------------------------------------------------------------------------------------------------------------

Mechanism beam_model(const std::string& text) { return read_yaml_text("kane: 1\nname: beam\n" + text, "beam.yaml"); }

/// Where a moment at the end holds a cantilever: Newton's method on the equations at rest.
double bent_tip_error(int segments, double angle) {
  const Mechanism m = beam_model(fmt::format(
      "parameters: {{EI: 2, L: 1}}\n"
      "bodies: {{B: {{flexible: {{length: L, mass_per_length: 0.5, EI: EI, modes: 2, segments: {}}}}}, grip: {{mass: "
      "0.01, inertia: [1e-6, 1e-6, 1e-6]}}}}\n"
      "joints: {{root: {{type: weld, parent: N, child: B}}, end: {{type: weld, parent: B, at: [L, 0, 0], child: "
      "grip}}}}\n"
      "loads: [{{torque: EI*{}/L*N.z, on: grip}}]\noutputs: {{x: 'dot(position(grip), N.x)', y: 'dot(position(grip), "
      "N.y)'}}\n",
      segments, angle));
  const EquationsOfMotion e = part_equations(m);
  Values at = part_values(e);
  const std::size_t n = e.u.size();
  std::vector<std::vector<Expr>> J(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) J[i].push_back(derivative(e.graph->bind(e.rhs[i]), e.q[j]));
  for (int step = 0; step < 30; ++step) {
    std::vector<double> a(n * (n + 1));
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) a[i * (n + 1) + j] = evaluate(J[i][j], at);
      a[i * (n + 1) + n] = -evaluate(e.graph->bind(e.rhs[i]), at);
    }
    for (std::size_t k = 0; k < n; ++k) {
      std::size_t pivot = k;
      for (std::size_t i = k; i < n; ++i)
        if (std::abs(a[i * (n + 1) + k]) > std::abs(a[pivot * (n + 1) + k])) pivot = i;
      for (std::size_t j = 0; j <= n; ++j) std::swap(a[k * (n + 1) + j], a[pivot * (n + 1) + j]);
      for (std::size_t i = 0; i < n; ++i) {
        if (i == k) continue;
        const double f = a[i * (n + 1) + k] / a[k * (n + 1) + k];
        for (std::size_t j = k; j <= n; ++j) a[i * (n + 1) + j] -= f * a[k * (n + 1) + j];
      }
    }
    for (std::size_t i = 0; i < n; ++i) at[e.q[i].name()] += a[i * (n + 1) + n] / a[i * (n + 1) + i];
  }
  double x = 0, y = 0;
  for (const auto& output : e.outputs) {
    if (output.name == "x") x = evaluate(output.value, at);
    if (output.name == "y") y = evaluate(output.value, at);
  }
  return std::hypot(x - std::sin(angle) / angle, y - (1 - std::cos(angle)) / angle);
}

/// A moment EI angle/L bends a cantilever into an arc of a circle; errors fall with the cube of the number of segments.
TEST(BeamSegments, BendIntoACircle) {
  const double coarse = bent_tip_error(3, std::numbers::pi / 2), fine = bent_tip_error(6, std::numbers::pi / 2);
  EXPECT_LT(fine, 3e-3);
  EXPECT_NEAR(std::log2(coarse / fine), 3, 0.2);
}

TEST(BeamSegments, KeepTheFrequenciesOfTheBeam) {
  const EquationsOfMotion e = part_equations(
      beam_model("bodies: {B: {flexible: {length: 2, mass_per_length: 0.5 + 0*s, EI: 3, modes: 3, segments: 4}}}\n"
                 "joints: {root: {type: weld, parent: N, child: B}}\n"));
  const std::vector<double> w = part_frequencies(e);
  for (const auto& [i, b] : {std::pair{0, 1.87510406871196}, std::pair{1, 4.69409113297418}}) {
    const double expected = b * b / 4 * std::sqrt(3 / 0.5);
    // From above; the second is not quite there.
    EXPECT_GT(w[static_cast<std::size_t>(i)], expected * (1 - 1e-9));
    EXPECT_LT(w[static_cast<std::size_t>(i)], expected * (1 + (i == 0 ? 1e-6 : 3e-5)));
  }
}

/// Pinned Timoshenko beam: with k = n pi/L, w^2 is the smaller root of
/// rho j w^4 - (rho GA + k^2 (rho EI + j GA)) w^2 + k^4 EI GA = 0.
TEST(BeamShear, HasTimoshenkosFrequencies) {
  const double rho = 2, j = 0.01, EI = 7, GA = 300, L = 1.5;
  const EquationsOfMotion e =
      part_equations(beam_model("bodies: {B: {flexible: {length: 1.5, mass_per_length: 2, EI: 7, GA: 300, inertia: [0, "
                                "0, 0.01], modes: 3, shapes: "
                                "pinned}}}\njoints: {root: {type: weld, parent: N, child: B}}\n"));
  ASSERT_EQ(e.u.size(), 6U);
  const std::vector<double> w = part_frequencies(e);
  std::vector<double> expected;
  for (int n = 1; n <= 3; ++n) {
    const double k = n * std::numbers::pi / L;
    const double a = rho * j, b = rho * GA + k * k * (rho * EI + j * GA), c = std::pow(k, 4) * EI * GA;
    const double root = std::sqrt(b * b - 4 * a * c);
    expected.push_back(std::sqrt((b - root) / (2 * a)));
    expected.push_back(std::sqrt((b + root) / (2 * a)));
  }
  std::sort(expected.begin(), expected.end());
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(w[i], expected[i], 1e-8 * expected[i]) << i;
}

}  // namespace
}  // namespace kane

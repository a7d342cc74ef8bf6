// kane linearize and kane derive on the models of the textbook systems, as a user runs them.

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

// M, C1, K0, K2 and the eigenvalues of Meijaard, Papadopoulos, Ruina and Schwab (2007). The initial speeds are written
// with the parameter v and follow it.
TEST(LinearizeCommand, BenchmarkBicycle) {
  nlohmann::json oracle;
  std::ifstream(std::string(KANE_SOURCE_DIR) + "/tests/oracles/bicycle_linear.json") >> oracle;
  const double g = oracle["g"];
  for (const auto& sample : oracle["eigenvalues"]) {
    const double v = sample["v"];
    if (v > 6) continue;
    const auto result = run_kane({"linearize", kModels + "bicycle_linear.yaml", "--steady", "--only",
                                  "phi,delta,u_phi,u_delta", "--set", "v=" + std::to_string(v), "--json"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const auto answer = nlohmann::json::parse(result.out);
    for (std::size_t i = 0; i < 2; ++i) {
      for (std::size_t j = 0; j < 2; ++j) {
        const auto at = [&](const char* key) { return oracle[key][i][j].get<double>(); };
        EXPECT_NEAR(answer["M"][i][j].get<double>(), at("M"), 1e-10);
        EXPECT_NEAR(answer["C"][i][j].get<double>(), v * at("C1"), 1e-9);
        EXPECT_NEAR(answer["K"][i][j].get<double>(), g * at("K0") + v * v * at("K2"), 1e-8);
      }
    }
    for (std::size_t k = 0; k < 4; ++k) {
      EXPECT_NEAR(answer["eigenvalues"][k][0].get<double>(), sample["lambda_re_im"][k][0].get<double>(), 1e-8) << v;
    }
  }
}

// Three parallel cranks and their coupler are one pendulum upside down, of inertia 3 m l^2/3 + M l^2 about its pivot and
// with the weight 3 m g l/2 + M g l. Linear equations do not exist at a change point.
TEST(LinearizeCommand, RedundantConstraints) {
  const std::string model = kModels + "parallel_cranks.yaml";
  const std::string angle = std::to_string(1.1);
  const auto result = run_kane({"linearize", model, "--set", "q1=" + angle, "--set", "q2=" + angle, "--set",
                                "q3=" + angle, "--set", "u1=-2", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto answer = nlohmann::json::parse(result.out);
  ASSERT_EQ(answer["A"].size(), 2U);
  EXPECT_NEAR(answer["M"][0][0].get<double>(), 3, 1e-12);
  EXPECT_NEAR(answer["A"][1][0].get<double>(), 3.5 * 9.81 * std::sin(1.1) / 3, 1e-9);
  EXPECT_NEAR(answer["A"][1][1].get<double>(), 0, 1e-9);
  const auto flat = run_kane({"linearize", model, "--set", "q1=0", "--set", "q2=0", "--set", "q3=0", "--set", "u1=0"});
  EXPECT_EQ(flat.exit_code, 2);
  EXPECT_NE(flat.err.find("singular configuration"), std::string::npos) << flat.err;
}

TEST(DeriveCommand, EveryFormOfThePage) {
  for (const char* format : {"text", "markdown", "latex", "html"}) {
    const auto result = run_kane({"derive", kModels + "planar2r.yaml", "--format", format});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_GT(result.out.size(), 1500U) << format;
  }
  EXPECT_EQ(run_kane({"derive", kModels + "planar2r.yaml", "--format", "docx"}).exit_code, 2);
  const std::string page = run_kane({"derive", kModels + "space_arm_2r.yaml", "--step", "8"}).out;
  EXPECT_NE(page.find("\n  Tc = m*L*("), std::string::npos) << page;
}

// A particle at the tip of massless links: the elbow carries m (a + g) of it, with x = L cos q1 + L cos(q1 + q2) and
// y = L sin q1 + L sin(q1 + q2) differentiated twice.
TEST(DeriveCommand, ReactionsOfJointsInSymbols) {
  const std::string model = kModels + "planar2r.yaml";
  const std::string page = run_kane({"derive", model, "--step", "8", "--reactions", "elbow", "--frame", "N"}).out;
  for (const char* row : {"force.x = -m*L*(sin(q1 + q2)*(u1' + u2') + sin(q1)*u1' + cos(q1)*u1^2\n"
                          "                  + cos(q1 + q2)*(u1 + u2)^2)  ",
                          "force.y = m*(L*(cos(q1)*u1' - sin(q1)*u1^2) + L*cos(q1 + q2)*(u1' + u2')\n"
                          "               - L*sin(q1 + q2)*(u1 + u2)^2 + g)  "})
    EXPECT_NE(page.find(row), std::string::npos) << page;
  EXPECT_EQ(page.find("Reaction shoulder"), std::string::npos);
  EXPECT_EQ(page.find("force.z"), std::string::npos);
  const auto wrong = run_kane({"derive", model, "--reactions", "elbo"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("there is no joint 'elbo'; did you mean 'elbow'?"), std::string::npos) << wrong.err;
  EXPECT_EQ(run_kane({"derive", model, "--frame", "N"}).exit_code, 2);
}

TEST(LinearizeCommand, AMassMatrixThatIsSingularAtTheStateIsNamed) {
  // The first and the third axis of a top coincide where it stands upright.
  const auto result = run_kane({"linearize", "-"}, R"yaml(
kane: 1
gravity: -9.81*N.z
bodies: {top: {mass: 1, com: [0, 0, 0.2], inertia: [0.2, 0.2, 0.1]}}
joints: {tip: {type: gimbal, sequence: body 313, parent: N, child: top, coordinates: [phi, theta, psi]}}
)yaml");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("is singular at the nominal motion"), std::string::npos) << result.err;
}

}  // namespace
}  // namespace kane::test

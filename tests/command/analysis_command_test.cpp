// The commands of the analyses as a user runs them: answers as JSON, round trips through files, and bad input.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

std::string temporary(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("kane_analysis_" + name)).string();
}

void expect_bad(const std::vector<std::string>& arguments, const std::string& words, int code = 2) {
  const auto result = run_kane(arguments);
  EXPECT_EQ(result.exit_code, code) << result.err;
  EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  EXPECT_EQ(result.err.find("bug in Kane"), std::string::npos) << result.err;
}

TEST(AnalysisCommand, EquilibriumAndSteadyMotion) {
  const json a = run_json({"equilibrium", model("damped_pendulum.yaml"), "--all"});
  ASSERT_EQ(a["found"].size(), 2U);
  EXPECT_EQ(a["found"][0]["verdict"], "asymptotic");
  EXPECT_EQ(a["found"][1]["verdict"], "unstable");
  const json top = run_json({"equilibrium", model("spinning_top.yaml"), "--steady", "tilt", "u_spin"});
  const double p = (2e-3 - 4e-4) * std::cos(0.5), h = 4e-4 * 200, w = 0.3 * 9.81 * 0.06;
  EXPECT_NEAR(top["found"][0]["u"]["u_heading"].get<double>(), (h - std::sqrt(h * h - 4 * p * w)) / (2 * p), 1e-9);
  expect_bad({"equilibrium", model("disk_slide.yaml"), "--starts", "3"}, "no equilibrium was found", 1);
  expect_bad({"equilibrium", model("damped_pendulum.yaml"), "--hold", "qq"}, "did you mean 'q'");
  expect_bad({"equilibrium", model("damped_pendulum.yaml"), "--hold", "qq=1"}, "qq");
  expect_bad({"equilibrium", model("damped_pendulum.yaml"), "--free", "X"}, "'X'");
  expect_bad({"equilibrium", model("damped_pendulum.yaml"), "--starts", "-1"}, "other starts must be between");
}

TEST(AnalysisCommand, RootLocusOfTheBicycle) {
  const json a = run_json({"linearize", model("bicycle_nonlinear.yaml"), "--sweep", "v=4:6:1", "--at", "u_tR=-v/rR",
                           "--at", "u_phi=0", "--at", "u_delta=0", "--only", "phi,delta,u_phi,u_delta"});
  EXPECT_EQ(a["growing"], (std::vector<int>{2, 0, 0}));
  EXPECT_NEAR(a["eigenvalues"][2][1][0].get<double>(), -0.00406690076970, 1e-11);
  expect_bad({"linearize", model("damped_pendulum.yaml"), "--sweep", "v=0:1:0.1"}, "'v'");
  expect_bad({"linearize", model("damped_pendulum.yaml"), "--sweep", "l=0:1:0"}, "--sweep");
  expect_bad({"linearize", model("damped_pendulum.yaml"), "--sweep", "l=a:1:0.1"}, "not a number");
  expect_bad({"linearize", model("damped_pendulum.yaml"), "--sweep", "l"}, "name=value");
  expect_bad({"linearize", model("damped_pendulum.yaml"), "--sweep", "l=1:2:1", "--at", "z=1"}, "'z'");
}

TEST(AnalysisCommand, FrequencyResponse) {
  const json a = run_json({"frequency", model("damped_pendulum.yaml"), "--set", "q=0", "--output", "q", "--low", "1",
                           "--high", "10", "--count", "3"});
  const double w = a["omega"][0].get<double>();
  EXPECT_NEAR(a["magnitude"][0].get<double>(), 1 / std::hypot(1.2 * 9.81 * 0.5 - 0.3 * w * w, 0.01 * w), 1e-12);
  EXPECT_EQ(a["controllable"]["rank"], 2);
  expect_bad({"frequency", model("damped_pendulum.yaml"), "--output", "zz"}, "zz");
  expect_bad({"frequency", model("damped_pendulum.yaml"), "--output", "q", "--input", "U"}, "'U'");
  expect_bad({"frequency", model("damped_pendulum.yaml"), "--output", "q", "--low", "-1"}, "frequency range");
  expect_bad({"frequency", model("planar2r.yaml"), "--output", "q1"}, "has 2 inputs; choose one: TA, TAB");
}

TEST(AnalysisCommand, InverseAndBack) {
  const std::string inputs = temporary("inputs.csv"), run = temporary("run.csv");
  (void)run_json({"inverse", model("planar2r.yaml"), "--motion", "q1=-1.5+0.3*sin(t)", "q2=0.2*t", "--until", "1",
                  "--step", "0.001", "--out", inputs});
  EXPECT_EQ(run_kane({"simulate", model("planar2r.yaml"), "--inputs", inputs, "--until", "1", "--set", "q1=-1.5",
                      "--set", "q2=0", "--set", "u1=0.3", "--set", "u2=0.2", "--out", run})
                .exit_code,
            0);
  std::ifstream file(run);
  std::string line, last;
  while (std::getline(file, line)) last = line;
  double t = 0, q1 = 0, q2 = 0;
  ASSERT_EQ(std::sscanf(last.c_str(), "%lf,%lf,%lf", &t, &q1, &q2), 3);
  EXPECT_NEAR(q1, -1.5 + 0.3 * std::sin(1.0), 1e-6);
  EXPECT_NEAR(q2, 0.2, 1e-6);
  // The run itself as a motion: columns of speeds and outputs are left alone.
  const json again = run_json({"inverse", model("planar2r.yaml"), "--motion", run, "--out", temporary("again.csv")});
  const json first = run_json({"inverse", model("planar2r.yaml"), "--motion", "q1=-1.5+0.3*sin(t)", "q2=0.2*t",
                               "--until", "1", "--out", inputs});
  EXPECT_NEAR(again["actuators"]["TA"]["rms"].get<double>(), first["actuators"]["TA"]["rms"].get<double>(), 1e-4);
  // A motion that is refused leaves an earlier file alone; one that fails along the way leaves the results so far.
  const auto size = [](const std::string& name) { return std::filesystem::file_size(name); };
  const std::string kept = temporary("again.csv");
  const auto before = size(kept);
  expect_bad({"inverse", model("planar2r.yaml"), "--motion", "q1=t", "--out", kept},
             "the prescribed coordinates do not determine the motion");
  EXPECT_EQ(size(kept), before);
  const std::string part = temporary("part.csv");
  expect_bad({"inverse", model("planar2r.yaml"), "--motion", "q1=t", "q2=1/(t-0.5)", "--until", "1", "--out", part},
             "not a finite number at t = 0.5");
  EXPECT_GT(size(part), 1000U);
  expect_bad({"inverse", model("planar2r.yaml"), "--motion", "q1=t"},
             "the prescribed coordinates do not determine the motion");
  expect_bad({"inverse", model("planar2r.yaml"), "--motion", "q1=s", "q2=t"}, "'s'");
  expect_bad({"inverse", model("planar2r.yaml"), "--motion", "nowhere.csv"}, "nowhere.csv");
  expect_bad({"inverse", model("planar2r.yaml")}, "--motion");
  expect_bad({"inverse", model("planar2r.yaml"), "--motion", run, "--until", "9"}, "covers");
}

TEST(AnalysisCommand, ForcesAreInTheFile) {
  const std::string out = temporary("forces.csv");
  const json a = run_json({"forces", model("fourbar.yaml"), "--until", "0.2", "--only", "A,loop.x", "--out", out});
  EXPECT_EQ(a["forces"].size(), 2U);
  std::ifstream file(out);
  std::string header;
  std::getline(file, header);
  EXPECT_EQ(header, "t,A.Fx,A.Fy,A.Fz,A.Tx,A.Ty,A.Tz,lambda.loop.x");
  expect_bad({"forces", model("fourbar.yaml"), "--only", "B"}, "'B'");
}

TEST(AnalysisCommand, JacobianAndReach) {
  const json j = run_json({"jacobian", model("planar2r.yaml"), "--point", "P2", "--body", "B"});
  EXPECT_EQ(j["rank"], 2);
  EXPECT_NEAR(j["jacobian"][0][1].get<double>(), 0.7 * std::sin(0.3), 1e-14);
  expect_bad({"jacobian", model("planar2r.yaml")}, "needs a point (A, P1, B, P2");
  expect_bad({"jacobian", model("planar2r.yaml"), "--point", "P3"}, "P3");
  const json r = run_json({"reach", model("planar2r.yaml"), "--point", "P2=0.8,0.5,-", "--limit", "q2=0:3"});
  EXPECT_GT(r["solutions"][0]["q"]["q2"].get<double>(), 0);
  expect_bad({"reach", model("planar2r.yaml"), "--point", "P2=3,0,-"}, "1.6 m away", 1);
  expect_bad({"reach", model("planar2r.yaml"), "--point", "P2=3,0"}, "x,y,z");
  expect_bad({"reach", model("planar2r.yaml"), "--point", "P2=3,0,a"}, "not a number");
  expect_bad({"reach", model("planar2r.yaml")}, "needs a point");
  expect_bad({"reach", model("planar2r.yaml"), "--point", "P2=1,0,-", "--limit", "q2=1:0"}, "limits");
  expect_bad({"reach", model("planar2r.yaml"), "--body", "B=1,0,0,0,2,0,0,0,1"}, "not a rotation");
}

TEST(AnalysisCommand, SensitivityAndFit) {
  const json s = run_json({"sensitivity", model("damped_pendulum.yaml"), "--parameters", "m,b", "--set", "b=0",
                           "--until", "1", "--out", temporary("sensitivity.csv")});
  EXPECT_NEAR(s["derivatives_at_end"][0][0].get<double>(), 0, 1e-12);  // without damping the mass does not matter
  EXPECT_GT(std::abs(s["derivatives_at_end"][0][1].get<double>()), 1e-4);
  expect_bad({"sensitivity", model("damped_pendulum.yaml"), "--parameters", "mm"}, "'mm'");
  expect_bad({"sensitivity", model("damped_pendulum.yaml")}, "--parameters");

  const json f = run_json({"fit", model("damped_pendulum.yaml"), "--data", model("damped_pendulum.csv"), "--parameter",
                           "l=0.1:2", "--parameter", "b=0:1"});
  for (const auto& [name, truth] : {std::pair{"l", 0.62}, {"b", 0.15}}) {
    const json& p = f["parameters"][name];
    EXPECT_LT(std::abs(p["value"].get<double>() - truth), 4 * p["standard_error"].get<double>()) << name;
  }
  EXPECT_NEAR(f["rms"]["q"].get<double>(), 1e-4, 2e-5);
  // Damping that feeds the motion makes trial runs endless: they are given up, and a goal that is missed is said.
  const std::vector<std::string> far{"fit", model("damped_pendulum.yaml"), "--parameter", "b", "--goal", "q=0.1@99"};
  const auto missed = run_kane(far);
  EXPECT_EQ(missed.exit_code, 0) << missed.err;
  EXPECT_NE(missed.out.find("the goal q = 0.1 is missed by"), std::string::npos) << missed.out;
  EXPECT_NE(missed.out.find("runs were abandoned"), std::string::npos) << missed.out;
  expect_bad({"fit", model("damped_pendulum.yaml"), "--parameter", "l"}, "data or a goal");
  expect_bad({"fit", model("damped_pendulum.yaml"), "--parameter", "l=2:1", "--goal", "q=0"}, "bounds");
  expect_bad({"fit", model("damped_pendulum.yaml"), "--parameter", "l", "--goal", "q"}, "--goal");
  expect_bad({"fit", model("damped_pendulum.yaml"), "--parameter", "l", "--data", "nowhere.csv"}, "nowhere.csv");
}

}  // namespace
}  // namespace kane::test

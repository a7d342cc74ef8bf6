// Forces that jump or have corners, against closed forms: runs with a variable step end their steps there.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

namespace fs = std::filesystem;

struct End {
  double x = std::nan(""), v = std::nan("");
};

/// Where a mass of 1 kg is at `until`, by any method.
End run_to(const std::string& force, const std::string& until, double x0, double v0, const std::string& method,
           const std::string& more = {}) {
  const fs::path folder = fs::temp_directory_path() / ("kane_jump_" + std::to_string(getpid()));
  fs::create_directories(folder);
  const std::string model = (folder / "m.yaml").string(), table = (folder / "m.csv").string();
  std::ofstream(model) << "kane: 1\nbodies: {A: {mass: 1 kg}}\n"
                          "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: v}}\n"
                          "loads:\n  - {force: \"("
                       << force << ")*N.x\", at: A}\n"
                       << "initial: {x: " << x0 << ", v: " << v0 << "}\n"
                       << more;
  const auto result =
      run_kane({"simulate", model, "--until", until, "--out", table, "--method", method, "--tolerance", "1e-9"});
  EXPECT_EQ(result.exit_code, 0) << force << ": " << result.err;
  std::ifstream stream(table);
  std::string line, last;
  while (std::getline(stream, line)) last = line;
  fs::remove_all(folder);
  End end;
  char comma = 0;
  double t = 0;
  std::istringstream(last) >> t >> comma >> end.x >> comma >> end.v;
  return end;
}

class Jumps : public ::testing::TestWithParam<const char*> {
 protected:
  /// Multistep methods keep their error per step, not that of the whole run.
  [[nodiscard]] double tolerance() const { return std::string(GetParam()) == "cvode" ? 5e-8 : 5e-10; }
};

/// x'' = -100 x - 0.5 sign(x'): half periods of pi/10 about +-0.005, from 0.1 to -0.09 to 0.08 ...
TEST_P(Jumps, CoulombFrictionOnASpring) {
  const End end = run_to("-0.5*sign(v) - 100*x", "1.4", 0.1, -1e-300, GetParam());
  const double half = std::acos(-1.0) / 10;
  const int halves = static_cast<int>(1.4 / half);
  const double sign = halves % 2 == 0 ? 1 : -1, amplitude = 0.1 - 0.01 * halves - 0.005, tau = 1.4 - halves * half;
  EXPECT_NEAR(end.x, sign * (0.005 + amplitude * std::cos(10 * tau)), tolerance());
  EXPECT_NEAR(end.v, -sign * 10 * amplitude * std::sin(10 * tau), 10 * tolerance());
}

/// x'' = sign(sin(pi t)): v rises and falls by one in turn; after 7.5 s four rises and three and a half falls.
TEST_P(Jumps, SquareWave) {
  const End end = run_to("sign(sin(pi*t))", "7.5", 0, 0, GetParam());
  EXPECT_NEAR(end.v, 0.5, tolerance());
  EXPECT_NEAR(end.x, 3 + 0.5 + 0.5 - 0.125, 10 * tolerance());
}

/// x'' = floor(t): v = 0 + 1 + 2 + ...
TEST_P(Jumps, Staircase) {
  const End end = run_to("floor(t)", "5.5", 0, 0, GetParam());
  EXPECT_NEAR(end.v, 0 + 1 + 2 + 3 + 4 + 2.5, tolerance());
}

/// x'' = -min(x, 0.3), harmonic below 0.3 and uniformly decelerated above.
TEST_P(Jumps, Saturation) {
  const double t1 = std::asin(0.3), v1 = std::cos(t1);  // from (0, 1) on the unit circle to x = 0.3
  const double above = 2 * v1 / 0.3;                    // and back
  const double T = t1 + above + t1 + 1;                 // through zero, and one second beyond
  const End end = run_to("-min(x, 0.3)", std::to_string(T), 0, 1, GetParam());
  const double after = std::stod(std::to_string(T)) - (t1 + above + t1);
  EXPECT_NEAR(end.x, -std::sin(after), 10 * tolerance());
  EXPECT_NEAR(end.v, -std::cos(after), 10 * tolerance());
}

/// x'' = -sign(x) from (0, 1): parabolas of duration 2.
TEST_P(Jumps, BouncesBetweenTwoFields) {
  const End end = run_to("-sign(x)", "9", 0, 1, GetParam());
  EXPECT_NEAR(end.x, 0.5, 10 * tolerance());
  EXPECT_NEAR(end.v, 0, 10 * tolerance());
}

INSTANTIATE_TEST_SUITE_P(Methods, Jumps, ::testing::Values("auto", "dopri5", "dop853", "cvode"));

/// The same in switched motion: a stop far away makes it one.
TEST(JumpsInSwitchedMotion, CoulombFrictionOnASpring) {
  const End plain = run_to("-0.5*sign(v) - 100*x", "1.4", 0.1, -1e-300, "dop853");
  const End switched =
      run_to("-0.5*sign(v) - 100*x", "1.4", 0.1, -1e-300, "dop853", "events: {far: {when: x - 50, stop: true}}\n");
  EXPECT_NEAR(switched.x, plain.x, 2e-8);
  EXPECT_NEAR(switched.v, plain.v, 2e-7);
}

}  // namespace
}  // namespace kane::test

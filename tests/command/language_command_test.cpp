// The language of expressions on the command line, in state files and in initial values.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

constexpr double kRightAngle = 1.57079632679489661923;

TEST(Language, UnitsInExpr) {
  const auto value = [](const std::string& text) {
    const auto r = run_kane({"expr", text, "--value"});
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return std::stod(r.out);
  };
  EXPECT_NEAR(value("cos(60 deg)"), 0.5, 1e-15);
  EXPECT_NEAR(value("2 m + 3 cm"), 2.03, 1e-15);
  EXPECT_NEAR(value("1/2 in"), 0.0127, 1e-15);
  EXPECT_EQ(run_kane({"expr", "2*m"}).out, "2*m\n");  // a symbol
  EXPECT_EQ(run_kane({"expr", "5 m/s*t"}).out, "5*t\n");
  EXPECT_EQ(run_kane({"expr", "2 xyz"}).exit_code, 2);
}

constexpr const char* kSlider = R"(
parameters: {m: 2 kg, k: 50 N/m}
inputs: {F: 10 N, G: -k*x}
bodies: {A: {mass: m}}
joints: {J: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: v, stiffness: k, actuator: F}}
outputs: {o: x}
)";

double first_output(std::vector<std::string> arguments, const std::string& initial) {
  arguments.insert(arguments.begin(), {"evaluate", "-"});
  const json a = run_json(std::move(arguments), kSlider + ("initial: " + initial + "\n"));
  return a["outputs"]["o"].get<double>();
}

TEST(Language, InputsInInitialValues) {
  EXPECT_NEAR(first_output({}, "{x: F/k}"), 0.2, 1e-15);
  EXPECT_NEAR(first_output({"--set", "F=20 N"}, "{x: F/k}"), 0.4, 1e-15);
  EXPECT_NEAR(first_output({"--set", "k=100"}, "{x: F/k}"), 0.1, 1e-15);
  EXPECT_NEAR(first_output({}, "{x: F/k, F: 30 N}"), 0.6, 1e-15);
  const json a = run_json({"evaluate", "-"}, std::string(kSlider) + "initial: {F: 4 N}\n");
  EXPECT_NEAR(a["udot"][0].get<double>(), 2, 1e-15);
  const auto refused = [](const std::string& initial, const std::string& sentence) {
    const auto r = run_kane({"check", "-"}, kSlider + ("initial: " + initial + "\n"));
    EXPECT_EQ(r.exit_code, 2) << initial;
    EXPECT_NE(r.err.find(sentence), std::string::npos) << r.err;
  };
  refused("{G: 3}", "follows a law");
  refused("{x: G/k}", "'G', which is not a parameter");
  refused("{F: 3 kg}", "F is given in kilograms");
}

TEST(Language, SetAndStateFiles) {
  EXPECT_NEAR(first_output({"--set", "x=2 m + 3 cm"}, "{}"), 2.03, 1e-15);
  EXPECT_NEAR(first_output({"--set", "x=30*mm"}, "{}"), 0.03, 1e-15);
  EXPECT_EQ(run_kane({"evaluate", "-", "--set", "x=2 m + 3 kg"}, kSlider).exit_code, 2);
  EXPECT_EQ(run_kane({"evaluate", "-", "--set", "x=m"}, kSlider).exit_code, 2);
  const std::string arm = std::string(KANE_SOURCE_DIR) + "/models/planar2r.yaml";
  const json a = run_json({"evaluate", arm, "--state", "-"}, R"({"q": {"q1": "90 deg"}, "u": {"u1": "60 rpm"}})");
  const json b = run_json({"evaluate", arm, "--state", "-"},
                          fmt::format(R"({{"q": {{"q1": {}}}, "u": {{"u1": {}}}}})", kRightAngle, 4 * kRightAngle));
  EXPECT_NEAR(a["rhs"][0].get<double>(), b["rhs"][0].get<double>(), 1e-12);
  const auto wrong = run_kane({"evaluate", arm, "--state", "-"}, R"({"q": {"q1": "2 kg"}})");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("'q1' is in kilograms, but 'q1' is measured in rad"), std::string::npos) << wrong.err;
  EXPECT_EQ(run_kane({"evaluate", arm, "--state", "-"}, R"({"q": {"q1": "zz"}})").exit_code, 2);
}

TEST(Language, UnknownNamesAndValuesThatAreNone) {
  const std::string slider =
      "kane: 1\nbodies: {A: {mass: 1 kg}}\n"
      "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: v}}\n";
  const auto other = run_kane({"check", "-"}, slider + "outputs: {c: \"contact(A, B)\"}\n");
  EXPECT_NE(other.err.find("unknown name 'B'\n"), std::string::npos) << other.err;
  const auto force = run_kane({"check", "-"}, slider + "loads:\n  - {force: j.Fy*N.x, at: A}\n");
  EXPECT_NE(force.err.find(":5:13: error: unknown name 'j.Fy'; the reaction of 'j' is the vector reaction(j), and "
                           "dot(reaction(j), N.y) a component"),
            std::string::npos)
      << force.err;
  const auto torque = run_kane({"check", "-"}, slider + "loads:\n  - {force: j.Tz*N.x, at: A}\n");
  EXPECT_NE(torque.err.find("dot(reaction_torque(j), N.z)"), std::string::npos) << torque.err;
  for (const char* command : {"evaluate", "forces"}) {
    const auto divided = run_kane({command, "-"}, slider + "loads:\n  - {force: 1/x*N.x, at: A}\n");
    EXPECT_EQ(divided.exit_code, 1) << command;
    EXPECT_NE(divided.err.find("the derivative of the speed v is not a finite number: 1/x is inf"), std::string::npos)
        << divided.err;
  }
}

}  // namespace
}  // namespace kane::test

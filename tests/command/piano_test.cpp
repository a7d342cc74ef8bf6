// models/piano_action.yaml: the order of what happens in a key stroke, and that a haptic loop holds it.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

const std::string kAction = std::string(KANE_SOURCE_DIR) + "/models/piano_action.yaml";
constexpr double kFront = 0.22, kHead = 0.13;  // arms of finger and hammer head, m

struct Moment {
  double t, key, hammer;  ///< speeds before it, m/s
};

struct Stroke {
  std::vector<Moment> let_off, string, bed;
};

Stroke play(const std::vector<std::string>& more) {
  const std::string table = testing::TempDir() + "piano_" + std::to_string(::getpid()) + ".csv";
  std::vector<std::string> arguments{"simulate", kAction, "--out", table, "--force", "--json"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const CommandResult r = run_kane(arguments);
  EXPECT_EQ(r.exit_code, 0) << r.err;
  std::filesystem::remove(table);
  Stroke stroke;
  if (r.exit_code != 0) return stroke;
  const json run = json::parse(r.out);
  EXPECT_LE(run.at("energy").at("largest_rise").get<double>(), 1e-6);
  for (const json& event : run.at("events")) {
    const json& u = event.at("u_before");
    const Moment moment{event.at("t"), kFront * u.at("u_k").get<double>(), kHead * u.at("u_h").get<double>()};
    for (const json& cause : event.at("causes")) {
      if (cause == "let_off") stroke.let_off.push_back(moment);
      if (cause == "string") stroke.string.push_back(moment);
      if (cause == "key_bed") stroke.bed.push_back(moment);
    }
  }
  return stroke;
}

std::string at_speed(double speed) { return "speed=" + std::to_string(speed); }

TEST(PianoAction, TheHammerLeavesTheJackAndStrikesBeforeTheKeyIsDown) {
  for (const double speed : {0.25, 0.4, 0.6, 0.8}) {
    const Stroke s = play({"--until", "0.25", "--set", at_speed(speed)});
    ASSERT_FALSE(s.let_off.empty() || s.string.empty() || s.bed.empty()) << speed;
    EXPECT_LT(s.let_off[0].t, s.string[0].t) << speed;
    EXPECT_LT(s.string[0].t, s.bed[0].t) << speed;
    EXPECT_EQ(s.string.size(), 1U) << "the check has caught it";
    // The lever ratio of the action: capstan/heel * lift/knuckle * head/front.
    const double ratio = 0.12 / 0.06 * 0.068 / 0.017 * kHead / kFront;
    EXPECT_NEAR(s.let_off[0].hammer / s.let_off[0].key, ratio, 0.08 * ratio) << speed;
    // After the let-off it flies: only gravity and the pin take some of its speed.
    EXPECT_NEAR(s.string[0].hammer, s.let_off[0].hammer, 0.05 * s.let_off[0].hammer) << speed;
    EXPECT_GT(s.string[0].hammer, 0.5);
  }
}

TEST(PianoAction, FasterKeysGiveFasterHammers) {
  double last = 0;
  for (const double speed : {0.1, 0.2, 0.4, 0.8}) {
    const Stroke s = play({"--until", "0.28", "--set", at_speed(speed)});
    ASSERT_FALSE(s.string.empty()) << speed;
    EXPECT_GT(s.string[0].hammer, 1.2 * last);
    last = s.string[0].hammer;
  }
}

// After the first note the finger rises by 6.5 of 10 mm and comes down again.
TEST(PianoAction, RepeatsWithoutAFullReturnOfTheKey) {
  const Stroke s = play({"--until", "0.5"});
  ASSERT_EQ(s.string.size(), 2U);
  EXPECT_GT(s.string[1].t, 0.36);
  EXPECT_GT(s.string[1].hammer, 0.5);
  EXPECT_TRUE(std::ranges::any_of(s.let_off, [](const Moment& m) { return m.t > 0.36 && m.hammer > 0.5; }));
  const Stroke hurried = play({"--until", "0.5", "--set", "partly=2 mm"});
  EXPECT_EQ(hurried.string.size(), 1U) << "so little is not enough";
}

TEST(PianoAction, IsHeldAtAThousandTicksPerSecond) {
  const CommandResult r = run_kane({"haptics", kAction, "--set", "depth=0", "--set", "partly=0", "--duration", "2",
                                    "--amplitude", "0.02", "--frequency", "1", "--unpaced", "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j.at("ticks"), 2000);
  EXPECT_GT(j.at("events").get<int>(), 100);
  EXPECT_GT(j.at("reselections").get<int>(), 20);
  EXPECT_GE(j.at("axes")[0].at("least_energy").get<double>(), -1e-3);
  EXPECT_GT(j.at("axes")[0].at("largest_force").get<double>(), 1.0);
}

}  // namespace
}  // namespace kane::test

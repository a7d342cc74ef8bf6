// kane haptics as a user sees it: output, data sheets, recordings, and messages about bad input; contact models
// that make no sense, in kane simulate as well.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

using nlohmann::json;

std::string model(const std::string& id) { return std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml"; }

class HapticsCommand : public testing::Test {
 protected:
  HapticsCommand() { std::filesystem::create_directories(folder_); }
  ~HapticsCommand() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    return folder_ + "/" + name;
  }
  /// Exit code 2 with `part` in the message.
  static void expect_refused(const std::vector<std::string>& arguments, const std::string& part, int code = 2) {
    const CommandResult r = run_kane(arguments);
    EXPECT_EQ(r.exit_code, code) << part << "\n" << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << "no '" << part << "' in: " << r.err;
  }
  static json run_json(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--unpaced", "--json"});
    const CommandResult r = run_kane(arguments);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return json::parse(r.out);
  }

  std::string folder_ = testing::TempDir() + "kane_haptics_" + std::to_string(::getpid());
};

TEST_F(HapticsCommand, ImposesWhatIsWrittenWhileItRuns) {
  // Paced: the time that the other thread takes is real.
  const CommandResult r =
      run_kane({"haptics", model("shopping_cart"), "--duration", "0.8", "--json", "--impose", "0.2..0.5: q1",
                "--impose", "0.3 s: u3", "--impose", "0.4: u3 - 1", "--impose", "9: q2"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const json constraints = json::parse(r.out).at("constraints");
  ASSERT_EQ(constraints.size(), 4U);
  EXPECT_GE(constraints[0].at("imposed").get<double>(), 0.2);
  EXPECT_LT(constraints[0].at("imposed").get<double>(), 0.3);
  EXPECT_GE(constraints[0].at("released").get<double>(), 0.5);
  EXPECT_TRUE(constraints[1].at("released").is_null());
  EXPECT_NE(constraints[2].at("failure").get<std::string>().find("contradicts"), std::string::npos);
  EXPECT_TRUE(constraints[3].at("imposed").is_null());
  EXPECT_NEAR(json::parse(r.out).at("state").at("u").at(2).get<double>(), 0, 1e-9);
  for (const auto& [text, part] : std::vector<std::pair<std::string, std::string>>{{"1: foo", "unknown name 'foo'"},
                                                                                   {"x: q1", "not a time"},
                                                                                   {"2..1: q1", "ends before"},
                                                                                   {"q1", "FROM: EXPRESSION"},
                                                                                   {"1: u1^2", "not linear in u1"},
                                                                                   {"1: 3", "anything that moves"}})
    expect_refused({"haptics", model("shopping_cart"), "--impose", text}, part);
}

TEST_F(HapticsCommand, RefusesWhatItCannotDo) {
  const std::string cart = model("shopping_cart");
  expect_refused({"haptics", cart, "--rate", "0"}, "--rate must be positive");
  expect_refused({"haptics", cart, "--record", cart}, "is the model itself");
  expect_refused({"haptics", cart, "--rate", "1e9"}, "rate must be between");
  expect_refused({"haptics", cart, "--duration", "-1"}, "--duration must be positive");
  expect_refused({"haptics", cart, "--frequency", "nan"}, "finite");
  expect_refused({"haptics", cart, "--device", "omega"}, "simulated, replay:FILE or udp:PORT, not 'omega'");
  expect_refused({"haptics", cart, "--device", "replay:" + folder_ + "/none.csv"}, "none.csv");
  expect_refused({"haptics", cart, "--device", "replay:" + write("bad.csv", "t,a\n0,1\n")}, "bad.csv");
  expect_refused({"haptics", cart, "--device", "udp:70000"}, "port from 0 to 65535");
  expect_refused({"haptics", cart, "--device", "udp:"}, "port from 0 to 65535");
  expect_refused({"haptics", cart, "--display", "smell"}, "impedance or admittance");
  expect_refused({"haptics", cart, "--device-mass", "0"}, "--device-mass must be positive");
  expect_refused({"haptics", cart, "--max-force", "-1"}, "--max-force");
  expect_refused({"haptics", cart, "--stored-energy", "-1", "--unpaced"}, "stored");
  expect_refused({"haptics", cart, "--record", folder_ + "/no/such/folder.csv", "--unpaced"}, "cannot be written");
  expect_refused({"haptics", model("bouncing_ball")}, "no handle");
  expect_refused({"haptics", folder_ + "/none.yaml"}, "does not exist");
}

TEST_F(HapticsCommand, ReadsDataSheetsAndSaysWhatIsWrongWithThem) {
  const std::string cart = model("shopping_cart"), omni = model("devices/phantom_omni");
  const json plain = run_json({"haptics", cart, "--duration", "0.5", "--device-sheet", omni});
  ASSERT_EQ(plain["axes"].size(), 3U);
  EXPECT_EQ(plain["axes"][0]["device_damping"], 0.0);
  EXPECT_LE(plain["axes"][0]["largest_force"].get<double>(), 3.3);
  EXPECT_FALSE(plain["warnings"].empty());
  EXPECT_EQ(run_json({"haptics", cart, "--duration", "0.1", "--device-sheet", omni, "--device-damping",
                      "0.7"})["axes"][1]["device_damping"],
            0.7);
  const auto sheet = [&](const std::string& text, const std::string& part) {
    expect_refused({"haptics", cart, "--device-sheet", write("sheet.yaml", text), "--unpaced"}, part);
  };
  sheet("device: x\naxes: {mas: 1 kg}\n", "did you mean 'mass'");
  sheet("device: x\naxes: {mass: -1 kg}\n", "sheet.yaml:2:");
  sheet("device: x\naxes: {mass: heavy}\n", "heavy");
  sheet("device: x\n", "needs 'axes'");
  sheet("device: x\naxes: [{mass: 1}, {mass: 1}]\n", "has 2 axes");
  sheet("[1, 2]\n", "a data sheet is a map");
  sheet("axes: [", "sheet.yaml:");
  expect_refused({"haptics", cart, "--device-sheet", folder_ + "/none.yaml"}, "none.yaml");
}

TEST_F(HapticsCommand, KeepsTheEnergyWhereItComesFromAlsoWhileLookingAhead) {
  for (const char* display : {"impedance", "admittance"}) {
    const json run =
        run_json({"haptics", model("shopping_cart"), "--duration", "3", "--ahead", "0.02", "--display", display});
    ASSERT_EQ(run["axes"].size(), 3U);
    for (const json& axis : run["axes"])
      EXPECT_GE(axis["least_energy"].get<double>(), -1e-6) << display << axis;  // without control: -3 J
  }
}

TEST_F(HapticsCommand, ARecordingRepeatsWithTheSameDataSheet) {
  const std::string file = folder_ + "/run.csv";
  const std::vector<std::string> run{"haptics", model("shopping_cart"), "--duration", "1", "--device-mass",
                                     "0.1",     "--max-force",          "2"};
  std::vector<std::string> record = run, replay = run;
  record.insert(record.end(), {"--record", file});
  replay.insert(replay.end(), {"--device", "replay:" + file});
  const json first = run_json(record), second = run_json(replay);
  EXPECT_EQ(first["state"], second["state"]);
  EXPECT_EQ(second["notes"][0], "displayed exactly what was recorded");
}

// ---- contact models that make no sense ----------------------------------------------------------------------------------

std::string falling(const std::string& rest, const std::string& initial = "y: 1") {
  return "kane: 1\ngravity: -9.81*N.y\nbodies: {b: {mass: m}}\nparameters: {m: 1}\n"
         "joints: {slide: {type: prismatic, parent: N, child: b, axis: y, coordinate: y, speed: v}}\n"
         "simulate: {until: 2}\ninitial: {" +
         initial + "}\n" + rest;
}

TEST_F(HapticsCommand, ContactsThatMakeNoSenseAreRefused) {
  const auto refused = [&](const std::string& text, const std::string& part, int code = 2) {
    expect_refused({"simulate", write("m.yaml", text), "--out", folder_ + "/m.csv"}, part, code);
  };
  refused(falling("contacts: {f: {gap: y, restitution: 1.5}}\n"), "'f' is 1.5; it must lie between 0 and 1");
  refused(falling("contacts: {f: {gap: y, restitution: -0.5}}\n"), "'f' is -0.5; it must lie between 0 and 1");
  refused(falling("contacts: {f: {gap: y, slip: v, friction: -1}}\n"), "is -1; it must be zero or more");
  refused(falling("contacts: {f: {gap: y}}\n", "y: -0.1"), "0.1 m inside");
  refused(falling("constraints: {a: {motion: v - 1, active: false}, c: {motion: v - 2, active: false}}\n"
                  "events: {e: {when: t > 0.3, impose: a}, d: {when: t > 1, impose: c}}\n"),
          "contradicts the other constraints", 1);
  refused(falling("constraints: {c: {configuration: y - 0.2, active: false}}\nevents: {d: {when: t > 1, impose: c}}\n"),
          "away from where it holds", 1);
  refused(falling("events: {e: {when: y falls through zero, reset: {y: 1e-300}}}\n"), "events follow one another", 1);
}

TEST_F(HapticsCommand, ASystemWithoutInertiaIsNamed) {
  std::string text = falling("contacts: {f: {gap: y}}\n");
  text.replace(text.find("{m: 1}"), 6, "{m: 0}");
  expect_refused({"simulate", write("m.yaml", text), "--out", folder_ + "/m.csv"}, "resists the speed v", 1);
}

}  // namespace
}  // namespace kane::test

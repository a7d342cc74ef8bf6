// What a run or an analysis cannot know of by its numbers alone is said in a sentence.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "tests/command/run_json.hpp"

namespace kane::test {
namespace {

constexpr const char* kSlidingMass =
    "bodies: {A: {mass: 1 kg}}\n"
    "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: v}}\n";

bool has_part(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// In a folder that is removed afterwards, for the default files.
CommandResult simulate_text(const std::string& model, std::vector<std::string> options = {}) {
  std::vector<std::string> line{"simulate", "-", "--until", "1", "--out", "/dev/null", "--quiet"};
  line.insert(line.end(), options.begin(), options.end());
  return run_kane(line, model);
}

TEST(Sentences, OutputsThatAreNotNumbers) {
  const std::string model =
      std::string(kSlidingMass) + "outputs: {a: 1/x, b: log(0.45 - x), c: x, d: sqrt(-1 - x)}\ninitial: {v: 1}\n";
  const auto r = simulate_text(model, {"--output-step", "0.25"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_TRUE(has_part(r.err, "the output 'a' is not a finite number in 1 of 5 samples (inf at t = 0 s)")) << r.err;
  EXPECT_TRUE(has_part(r.err, "the output 'b' is not a finite number in 3 of 5 samples")) << r.err;
  EXPECT_TRUE(has_part(r.err, "the output 'd' is not a finite number in every sample (nan at t = 0 s)")) << r.err;
  EXPECT_FALSE(has_part(r.err, "'c'")) << r.err;
  const auto summary = run_json({"simulate", "-", "--until", "1", "--out", "/dev/null"}, model);
  EXPECT_EQ(summary["warnings"].size(), 3U) << summary["warnings"];
}

/// A load may leave no acceleration that agrees with the force it makes.
TEST(Sentences, LoadsOnReactionsWithoutSolution) {
  const auto r = simulate_text(
      "gravity: -9.81*N.y\n"
      "bodies: {A: {mass: 1 kg, com: [1, 0, 0], inertia: [0, 0, 0.01]}}\n"
      "joints: {J: {type: revolute, parent: N, child: A, axis: z, coordinate: q}}\n"
      "loads: [{torque: -3*magnitude(reaction(J)), on: A, axis: N.z}]\n");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_TRUE(has_part(r.err, "reaction(J)")) << r.err;
  EXPECT_TRUE(has_part(r.err, "have no solution here")) << r.err;
}

/// The linear equations of -sign(v) at rest are those of no friction at all.
TEST(Sentences, LinearEquationsWhereAFunctionJumps) {
  const std::string model = std::string(kSlidingMass) + "loads: [{force: (-3*sign(v) - 2*x - abs(x))*N.x, at: A}]\n";
  for (const char* command : {"linearize", "equilibrium"}) {
    const auto r = run_kane({command, "-"}, model);
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_TRUE(has_part(r.err, "sign(v) jumps at this state")) << command << r.err;
    EXPECT_TRUE(has_part(r.err, "abs(x) has a corner at this state")) << command << r.err;
  }
  const auto moving = run_kane({"linearize", "-", "--set", "v=1", "x=0.5"}, model);
  EXPECT_FALSE(has_part(moving.err, "jumps")) << moving.err;
}

TEST(Sentences, BenchOfLoadsOnReactions) {
  for (const char* name : {"capstan", "loaded_bearing"}) {
    const auto r = run_json({"bench", model(name), "--repetitions", "1"});
    EXPECT_GT(r["kernels"].size(), 0U) << name;
  }
}

TEST(Sentences, ColorsAndEmptyNames) {
  const auto check = [](const std::string& color) {
    return run_kane({"check", "-"}, "bodies: {A: {mass: 1 kg, geometry: [{box: [1, 1, 1], color: \"" + color +
                                        "\"}]}}\njoints: {j: {type: prismatic, parent: N, child: A}}\n");
  };
  for (const char* good : {"#c04040", "red", "rgb(200, 60, 60)"}) EXPECT_EQ(check(good).exit_code, 0) << good;
  for (const char* bad : {"", "</script>", "red; x: y", "url('http://a.b')"}) {
    const auto r = check(bad);
    EXPECT_EQ(r.exit_code, 2) << bad;
    EXPECT_TRUE(has_part(r.err, "standard input:1:")) << r.err;
    EXPECT_TRUE(has_part(r.err, "the color of")) << r.err;
  }
  const auto r = run_kane({"check", kModels + "planar2r.yaml"});
  const auto unnamed = run_kane({"check", "-"}, "name: ' '\n" + std::string(kSlidingMass));
  EXPECT_EQ(unnamed.exit_code, 0) << unnamed.err;
  EXPECT_FALSE(unnamed.out.starts_with(" :") || unnamed.out.starts_with(":")) << unnamed.out;
}

/// Units of outputs follow from their expressions, and no inner names of columns appear.
TEST(Sentences, UnitsOfOutputsOnTheReportPage) {
  const auto file = std::filesystem::temp_directory_path() / ("kane_units_" + std::to_string(getpid()) + ".html");
  const auto r = simulate_text(
      "parameters: {m: 2 kg, k: 50 N/m, b: 0}\ninputs: {F: 1 N}\n"
      "bodies: {A: {mass: m}}\n"
      "joints: {j: {type: prismatic, parent: N, child: A, axis: x, coordinate: x, speed: v, actuator: F, stiffness: "
      "k}}\n"
      "outputs: {gap: 2*x, E: energy, P: F*v, S: k*x, a: \"v'\", n: sin(x), w: b*x, same: v}\n",
      {"--report", file.string(), "--columns", "all"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  const std::string page = read_file(file.string());
  const auto unit = [&](const std::string& name) {
    const std::size_t at = page.find("\"name\":\"" + name + "\",\"unit\":\"");
    if (at == std::string::npos) return std::string("(no signal)");
    const std::size_t from = page.find("\"unit\":\"", at) + 8;
    return page.substr(from, page.find('"', from) - from);
  };
  EXPECT_EQ(unit("E"), "J");
  EXPECT_EQ(unit("P"), "W");
  EXPECT_EQ(unit("S"), "N");
  EXPECT_EQ(unit("a"), "m/s^2");
  EXPECT_EQ(unit("n"), "");
  EXPECT_EQ(unit("w"), "");
  EXPECT_EQ(unit("same"), "m/s");
  EXPECT_EQ(unit("F"), "N");
  EXPECT_FALSE(has_part(page, "kane_table")) << "inner names of columns";
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace kane::test

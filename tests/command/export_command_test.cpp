// kane export: every language that can be run here gives the motion of kane simulate; folders are not overwritten.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/codegen/emit_runner.hpp"
#include "tests/command/run_command.hpp"

namespace kane::test {
namespace {

/// Names that are words of some language, tables, a law, a limit, and a loop that closes.
constexpr const char* kNasty = R"yaml(
kane: 1
name: class
parameters: {for: 2 kg, lambda: 300 mm, end: 9.81 m/s^2, int: 0.4 N*m*s/rad, function: 1.5, x: 0.1, y: 0.2, w: 1, p: 2, ws: 1, z1: 3}
inputs:
  return: 0.2 N*m
  while: -drag(u_q)*int + 0.1*sin(3*t)
tables:
  drag: {points: [[-3, -2], [-1, -0.4], [0, 0], [1, 0.4], [3, 2]], interpolation: monotone}
  profile: {x: [0, 90, 180, 270, 360], y: [0, 10, 0, -5, 0], x_unit: deg, y_unit: mm, interpolation: cubic}
gravity: -end*N.y
bodies:
  A: {mass: for, com: [0, -lambda, 0], inertia: [0.1, 0.1, 0.1]}
  B: {mass: 1 kg}
joints:
  pin: {type: revolute, parent: N, child: A, axis: z, coordinate: q, speed: u_q, law: return + while + 3*profile(q), limits: [-3, 3]}
  slide: {type: prismatic, parent: A, child: B, axis: x, coordinate: sin_1, speed: new, stiffness: 20 N/m}
outputs: {import: "q*function + p + w + x + y + ws + z1", def: "dot(acceleration(B), N.x)"
}
initial: {q: 40 deg, u_q: 0.5, sin_1: 0.2}
)yaml";

void expect_same_motion(const std::string& model, const std::string& name, Language language) {
  const ScratchFolder folder("export");
  const std::string out = (folder.path() / "code").string();
  const std::vector<std::string> times{"--until", "0.4", "--output-step", "0.1"};
  std::vector<std::string> simulate{"simulate", model, "--out", "-", "--quiet", "--tolerance", "1e-11"};
  std::vector<std::string> write{"export", model,    "--to", std::string(info(language).name), "-o", out, "--step",
                                 "2e-3",   "--name", name};
  simulate.insert(simulate.end(), times.begin(), times.end());
  write.insert(write.end(), times.begin(), times.end());
  const auto reference = run_kane(simulate);
  ASSERT_EQ(reference.exit_code, 0) << reference.err;
  const auto exported = run_kane(write);
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const CsvTable expected = table_of(reference.out);
  const CsvTable got = run_for_table(out, command_for(language, name, false));
  EXPECT_EQ(got.names, expected.names);
  ASSERT_EQ(got.rows.size(), expected.rows.size()) << model;
  for (std::size_t r = 0; r < got.rows.size(); ++r)
    for (std::size_t i = 0; i < got.rows[r].size(); ++i)
      // Error of the driver's method at this step, in all models used here.
      EXPECT_NEAR(got.rows[r][i], expected.rows[r][i], 2e-7 * (1 + std::fabs(expected.rows[r][i])))
          << model << ", " << info(language).title << ", " << expected.names[i];
}

class ExportSlow : public ::testing::TestWithParam<Language> {};

TEST_P(ExportSlow, SimulatesLikeKaneSimulate) {
  const ScratchFolder folder("nasty");
  folder.write("nasty.yaml", kNasty);
  expect_same_motion((folder.path() / "nasty.yaml").string(), "nasty", GetParam());
  for (const char* model : {"fourbar", "bricard", "rolling_disk_3d", "stanford_arm"})
    expect_same_motion(kModels + model + ".yaml", model, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Languages, ExportSlow,
                         ::testing::Values(Language::C, Language::Cpp, Language::Fortran, Language::Python,
                                           Language::Matlab, Language::JavaScript),
                         [](const auto& i) { return std::string(kane::info(i.param).name); });

TEST(Export, WritesEveryModelInEveryLanguage) {
  const ScratchFolder folder("all");
  for (const auto& entry : std::filesystem::directory_iterator(kModels)) {
    if (entry.path().extension() != ".yaml") continue;
    for (const char* language : {"rust", "julia", "latex"}) {
      const std::string out = (folder.path() / (entry.path().stem().string() + "_" + language)).string();
      const auto result = run_kane({"export", entry.path().string(), "--to", language, "-o", out, "--step", "1e-2"});
      // Loads that depend on forces other than linearly have no formula; the command says so.
      if (result.err.find("such a model can be simulated, but not exported") != std::string::npos) continue;
      EXPECT_EQ(result.exit_code, 0) << entry.path() << result.err;
      EXPECT_TRUE(std::filesystem::exists(out + "/README.md"));
    }
  }
}

TEST(Export, DoesNotTouchWhatIsThere) {
  const ScratchFolder folder("there");
  const std::string model = kModels + "planar2r.yaml", out = folder.path().string();
  folder.write("main.c", "mine");
  const auto refused = run_kane({"export", model, "--to", "c", "-o", out});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("is not empty"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
  EXPECT_EQ(folder.read("main.c"), "mine");
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out + "/main.c"}).exit_code, 2);
  folder.write("notes.txt", "mine too");
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out, "--force"}).exit_code, 0);
  EXPECT_NE(folder.read("main.c"), "mine");
  EXPECT_EQ(folder.read("notes.txt"), "mine too");
  std::filesystem::remove(folder.path() / "main.c");
  std::filesystem::create_symlink(folder.path() / "notes.txt", folder.path() / "main.c");
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out, "--force"}).exit_code, 2);
  EXPECT_EQ(folder.read("notes.txt"), "mine too");
}

TEST(Export, SaysWhatIsWrongOrLeftOut) {
  const ScratchFolder folder("wrong");
  const std::string model = kModels + "planar2r.yaml", out = (folder.path() / "x").string();
  const auto language = run_kane({"export", model, "--to", "pyhton", "-o", out});
  EXPECT_EQ(language.exit_code, 2);
  EXPECT_NE(language.err.find("did you mean 'python'?"), std::string::npos) << language.err;
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out, "--until", "-1"}).exit_code, 2);
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out, "--step", "0"}).exit_code, 2);
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out, "--step", "1e-15"}).exit_code, 2);
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out, "--output-step", "-1"}).exit_code, 2);
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", "/proc/nowhere/x"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(out));
  const auto limits = run_kane({"export", "-", "--to", "c", "-o", out, "--json"}, kNasty);
  EXPECT_EQ(limits.exit_code, 0) << limits.err;
  EXPECT_NE(limits.out.find("limits of joint 'pin'"), std::string::npos) << limits.out;
  const std::pair<const char*, const char*> left_out[] = {
      {"piano_key", "contact 'string' is not in the exported equations"},
      {"piano_key", "event 'let_off' is not in the exported equations"},
      {"piano_key", "stay in the mode in which the model starts"},
      {"disk_transition", "dry friction 'ramp' is not in the exported equations"},
      {"pd_arm", "input 'T1' follows its law at every instant"},
  };
  for (const auto& [name, note] : left_out) {
    const auto result =
        run_kane({"export", kModels + name + ".yaml", "--to", "c", "-o", out, "--force", "--step", "1e-2"});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_NE(result.err.find(note), std::string::npos) << result.err;
    EXPECT_NE(folder.read("x/README.md").find(note), std::string::npos) << note;
  }
  EXPECT_EQ(run_kane({"export", model, "--to", "c", "-o", out, "--force"}).err, "");
}

/// The README explains how to start from another state of a constrained model; both commands that it names work as described.
TEST(Export, TheAdviceOnOtherStatesIsTrue) {
  const ScratchFolder folder("advice");
  const std::string model = kModels + "fourbar.yaml", out = (folder.path() / "x").string();
  folder.write("open.json", R"({"q": {"q1": 0.9}, "guess": {"q2": 0.6, "q3": 1.2}, "u": {"u1": 1.5}})");
  const std::string state = (folder.path() / "open.json").string();
  const auto exported =
      run_kane({"export", model, "--to", "python", "-o", out, "--state", state, "--until", "0.01", "--step", "1e-3"});
  ASSERT_EQ(exported.exit_code, 0) << exported.err;
  const std::string readme = folder.read("x/README.md");
  EXPECT_NE(readme.find("`kane export --state FILE` moves the state in FILE onto the constraints"), std::string::npos);
  EXPECT_NE(readme.find("the first line of `kane simulate --state FILE` is that state"), std::string::npos);
  EXPECT_EQ(readme.find("kane evaluate"), std::string::npos);
  const auto simulated = run_kane({"simulate", model, "--state", state, "--until", "0.01", "--out", "-", "--quiet"});
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  const CsvTable driver = run_for_table(out, command_for(Language::Python, "fourbar", false));
  const CsvTable kane = table_of(simulated.out);
  ASSERT_FALSE(driver.rows.empty());
  ASSERT_FALSE(kane.rows.empty());
  for (std::size_t i = 0; i < driver.rows.front().size(); ++i)
    EXPECT_NEAR(driver.rows.front()[i], kane.rows.front()[i], 1e-12) << kane.names[i];
  // The loop closes there: x of both ends, from the lengths of the bars.
  const auto& x = driver.rows.front();
  EXPECT_NEAR(0.3 * std::cos(x[1]) + 0.9 * std::cos(x[2]), 0.8 + 0.7 * std::cos(x[3]), 1e-12);
  EXPECT_NEAR(0.3 * std::sin(x[1]) + 0.9 * std::sin(x[2]), 0.7 * std::sin(x[3]), 1e-12);
}

}  // namespace
}  // namespace kane::test

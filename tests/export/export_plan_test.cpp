#include "kane/export/export_plan.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

namespace fs = std::filesystem;

Model model_of(const std::string& name) { return read_model(KANE_SOURCE_DIR "/models/" + name + ".yaml"); }

const std::string& readme_of(const ExportPlan& plan) {
  EXPECT_EQ(plan.files.back().name, "README.md");
  return plan.files.back().text;
}

void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no '" << part << "' in:\n" << text;
}

template <class Work>
void expect_refused(Work work, const std::string& part) {
  try {
    work();
    FAIL() << "not refused: " << part;
  } catch (const ModelError& error) {
    expect_has(error.message(), part);
  }
}

class ExportFolder : public testing::Test {
 protected:
  ~ExportFolder() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name = "") const { return (fs::path(folder_) / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void put(const std::string& name, const std::string& text) const {
    fs::create_directories(folder_);
    std::ofstream(path(name)) << text;
  }

 private:
  std::string folder_ = (fs::temp_directory_path() / ("kane_export_test_" + std::to_string(getpid()))).string();
};

TEST(ExportPlan, NamesEverythingThatIsLeftOut) {
  const Model model = read_model_text(R"yaml(
kane: 1
name: all
inputs: {F: {points: [[0, 0], [1, 2]]}, T: {value: -3*q, sampled: 10 ms}}
bodies:
  A: {mass: 1, inertia: [1, 1, 1], shape: {sphere: {radius: 0.1}, contact: true}}
joints:
  slide: {type: prismatic, parent: N, child: A, axis: y, coordinate: q, limits: [-3, 3], friction: 0.4, law: F + T}
contacts:
  floor: {between: [A, N], plane: N.y, height: -2}
friction:
  rail: {slip: u, limit: 0.2}
events:
  top: {when: q > 1, stop: true}
)yaml",
                                      "all.yaml");
  const std::vector<std::string> expected = {
      "Coulomb friction of joint 'slide' is not in the exported equations",
      "limits of joint 'slide' are not in the exported equations",
      "contact of body 'A' is not in the exported equations",
      "contact 'floor' is not in the exported equations",
      "dry friction 'rail' is not in the exported equations",
      "event 'top' is not in the exported equations",
      "input 'T' follows its law at every instant, not sampled",
      "input 'F' is constant in the driver, not given by points in time",
  };
  EXPECT_EQ(find_left_out(model.mechanism()), expected);
  ExportOptions options;
  options.step = 1e-2;
  const ExportPlan plan = plan_export(model, {}, options);
  EXPECT_EQ(plan.notes, expected);
  for (const std::string& note : expected) expect_has(readme_of(plan), "Note: " + note + ".");
  StartState start;
  start.inputs = {{"T", 1}, {"F", 2}};
  const ExportPlan driven = plan_export(model, start, options);
  EXPECT_EQ(driven.notes, std::vector<std::string>(expected.begin(), expected.end() - 2));
  EXPECT_EQ(driven.model.inputs.size(), 2u);
}

TEST(ExportPlan, NamesFrictionThatALoadBringsToAJoint) {
  const Model model = read_model_text(R"yaml(
kane: 1
name: rail
bodies: {A: {mass: 1}}
joints: {slide: {type: prismatic, parent: N, child: A, axis: y, coordinate: q}}
loads: [{friction: 0.4, joint: slide}]
)yaml",
                                      "rail.yaml");
  EXPECT_EQ(find_left_out(model.mechanism()),
            std::vector<std::string>{"Coulomb friction of joint 'slide' is not in the exported equations"});
}

TEST(ExportPlan, NotesNothingWhereNothingIsLeftOut) {
  const ExportPlan plan = plan_export(model_of("double_pendulum"));
  EXPECT_EQ(plan.title, "double_pendulum");
  EXPECT_TRUE(plan.notes.empty());
  EXPECT_TRUE(plan.assembly.moved.empty());
  EXPECT_EQ(plan.redundant, 0u);
  EXPECT_EQ(plan.model.state, (std::vector<double>{std::acos(0.0), 0, 0, 0}));
  expect_has(readme_of(plan), "Halving the step");
}

/// The loop closes for the state in the plan, by the geometry of the four bars and its derivative.
TEST(ExportPlan, MovesTheStartOntoTheConstraints) {
  StartState start;
  start.q = {{"q1", 0.9}};
  start.guess = {{"q2", 0.6}, {"q3", 1.2}};
  start.u = {{"u1", 1.5}};
  const ExportPlan plan = plan_export(model_of("fourbar"), start);
  EXPECT_FALSE(plan.assembly.moved.empty());
  ASSERT_EQ(plan.model.state.size(), 6u);
  const auto& x = plan.model.state;
  EXPECT_NE(x[1], 0.6);
  const double l1 = 0.3, l2 = 0.9, l3 = 0.7, d = 0.8;
  EXPECT_NEAR(l1 * std::cos(x[0]) + l2 * std::cos(x[1]), d + l3 * std::cos(x[2]), 1e-12);
  EXPECT_NEAR(l1 * std::sin(x[0]) + l2 * std::sin(x[1]), l3 * std::sin(x[2]), 1e-12);
  EXPECT_NEAR(l1 * std::sin(x[0]) * x[3] + l2 * std::sin(x[1]) * x[4], l3 * std::sin(x[2]) * x[5], 1e-12);
  EXPECT_NEAR(l1 * std::cos(x[0]) * x[3] + l2 * std::cos(x[1]) * x[4], l3 * std::cos(x[2]) * x[5], 1e-12);
  expect_has(readme_of(plan), "`kane export --state FILE` moves the state in FILE onto the constraints");
}

TEST(ExportPlan, RefusesAStartThatCannotBeAssembled) {
  StartState start;
  start.parameters["d"] = 5;  // farther than the bars reach
  expect_refused([&] { (void)plan_export(model_of("fourbar"), start); }, "loop");
}

TEST(ExportPlan, CountsRedundantConstraints) {
  ExportOptions options;
  options.step = 1e-2;
  const ExportPlan plan = plan_export(model_of("bricard"), {}, options);
  EXPECT_EQ(plan.redundant, 1u);
  expect_has(readme_of(plan), "1 of them repeats the others at the initial state and is left out.");
}

TEST(ExportPlan, ChecksItsOptions) {
  const auto refused = [](auto set, const std::string& part) {
    ExportOptions options;
    set(options);
    expect_refused([&] { options.check(); }, part);
  };
  refused([](auto& o) { o.step = 0; }, "the step must be positive, but it is 0");
  refused([](auto& o) { o.output_step = -1; }, "the output step must be positive, but it is -1");
  refused([](auto& o) { o.tolerance = std::nan(""); }, "the tolerance must be positive, but it is nan");
  refused([](auto& o) { o.until = std::numeric_limits<double>::infinity(); }, "the end of the run");
  ExportOptions().check();
}

TEST(ExportPlan, KnowsLanguagesByName) {
  EXPECT_EQ(language_from("c++"), Language::Cpp);
  expect_refused([] { (void)language_from("pyhton"); }, "there is no language 'pyhton'; did you mean 'python'?");
}

TEST_F(ExportFolder, HoldsTheFilesOfThePlan) {
  ExportOptions options;
  options.language = Language::Python;
  options.name = "arm";
  options.step = 1e-2;
  const ExportPlan plan = plan_export(model_of("planar2r"), {}, options);
  const std::vector<std::string> paths = write_export(plan, path("deep/er"));
  ASSERT_EQ(paths.size(), plan.files.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_EQ(paths[i], path("deep/er/" + plan.files[i].name));
    EXPECT_EQ(content("deep/er/" + plan.files[i].name), plan.files[i].text);
  }
  EXPECT_TRUE(fs::exists(path("deep/er/arm.py")));
}

TEST_F(ExportFolder, TouchesNothingWithoutPermission) {
  ExportOptions options;
  options.step = 1e-2;
  const ExportPlan plan = plan_export(model_of("planar2r"), {}, options);
  put("main.c", "mine");
  put("notes.txt", "mine too");
  expect_refused([&] { (void)write_export(plan, path()); }, "is not empty");
  expect_refused([&] { (void)write_export(plan, path("main.c")); }, "is not a folder");
  EXPECT_EQ(content("main.c"), "mine");
  (void)write_export(plan, path(), ExistingFiles::Replace);
  EXPECT_NE(content("main.c"), "mine");
  EXPECT_EQ(content("notes.txt"), "mine too");
  fs::remove(path("main.c"));
  fs::create_symlink(path("notes.txt"), path("main.c"));
  expect_refused([&] { (void)write_export(plan, path(), ExistingFiles::Replace); }, "is not a regular file");
  EXPECT_EQ(content("notes.txt"), "mine too");
  expect_refused([&] { (void)write_export(plan, "/proc/nowhere/x"); }, "cannot be made");
}

}  // namespace
}  // namespace kane

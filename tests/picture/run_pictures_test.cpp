// The record of a run, its page and its frames, for a pendulum whose places are known from its angles.

#include "kane/picture/run_pictures.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kane/base/output_file.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

Model pendulum_model() {
  Mechanism mechanism = read_mechanism(KANE_SOURCE_DIR "/models/double_pendulum.yaml");
  add_scene_outputs(mechanism);
  return Model(std::move(mechanism));
}

/// Two rods with the outputs of the scene.
struct Pendulum : Simulation {
  Pendulum() : Simulation(pendulum_model()) {}
  [[nodiscard]] Scene scene() const { return make_scene(model().mechanism(), *model().system(), parameters()); }
};

class PictureFolder : public testing::Test {
 protected:
  PictureFolder() { fs::create_directories(folder_); }
  ~PictureFolder() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }
  [[nodiscard]] std::string content(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

 private:
  std::string folder_ = (fs::temp_directory_path() / ("kane_picture_test_" + std::to_string(getpid()))).string();
};

template <class Work>
void expect_refused(Work work, const std::string& part) {
  try {
    work();
    FAIL() << "not refused: " << part;
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find(part), std::string::npos) << error.message();
  }
}

/// The data of a page, as its script reads them.
json data_of(const std::string& page) {
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t first = page.find(open);
  EXPECT_NE(first, std::string::npos);
  return json::parse(page.substr(first + open.size(), page.find("</script>", first) - first - open.size()));
}

TEST(Scene, HasBodiesPartsAndPoints) {
  const Pendulum pendulum;
  const Scene scene = pendulum.scene();
  ASSERT_EQ(scene.bodies.size(), 2u);
  EXPECT_EQ(scene.bodies[1].name, "lower");
  EXPECT_EQ(scene.parts.size(), 3u);   // two rods, and the block at the pivot
  EXPECT_EQ(scene.arrows.size(), 4u);  // force and torque of two joints
  EXPECT_TRUE(scene.gravity);
  EXPECT_NEAR(scene.size, 0.5, 1e-12);
  EXPECT_EQ(std::count_if(scene.points.begin(), scene.points.end(), [](const auto& p) { return p.trail; }), 1);
}

TEST(RunRecord, KeepsWhereEverythingIs) {
  Pendulum pendulum;
  RunRecord record(pendulum.scene(), {{"coordinates", "q1", {}, "rad"}});
  const State states[] = {{0, {0.4, 0.3}, {0, 0}}, {1, {-2, 0.7}, {0, 0}}, {2, {3, 3}, {0, 0}}};
  for (const State& s : states) record.add(s.t, std::span(s.q).first(1), pendulum.simulator().calc_reports(s));
  ASSERT_EQ(record.size(), 3u);
  EXPECT_EQ(record.signals().front().values, (std::vector<double>{0.4, -2, 3}));
  const double l1 = 0.5;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto pose = std::span(record.poses()).subspan((2 * i + 1) * RunRecord::kPose, RunRecord::kPose);
    const double q1 = states[i].q[0], q12 = q1 + states[i].q[1];
    EXPECT_NEAR(pose[0], l1 * std::sin(q1), 1e-6);
    EXPECT_NEAR(pose[1], -l1 * std::cos(q1), 1e-6);
    // A rotation by the angle q12 about z, whichever sign the quaternion has.
    EXPECT_NEAR(std::abs(pose[5] * std::sin(q12 / 2) + pose[6] * std::cos(q12 / 2)), 1, 1e-6);
  }
  const auto up = record.up();
  EXPECT_NEAR(up[1], 1, 1e-12);
}

TEST(RunRecord, ThinsOutLongRunsEvenly) {
  RunRecord record(Scene(), {{"g", "x", {}}});
  for (int i = 0; i < 20000; ++i) record.add(i, std::vector<double>{2.0 * i}, {});
  EXPECT_LE(record.size(), 4001u);
  EXPECT_GE(record.size(), 2000u);
  const double between = record.times()[1] - record.times()[0];
  for (std::size_t i = 0; i < record.size(); ++i) {
    if (i + 1 < record.size()) {
      EXPECT_EQ(record.times()[i], between * static_cast<double>(i));
    }
    EXPECT_EQ(record.signals()[0].values[i], 2 * record.times()[i]);
  }
  EXPECT_EQ(record.times().back(), 19999);  // the end is never thinned out
  EXPECT_EQ(record.signals()[0].values.size(), record.size());
}

TEST(RunRecord, LargeMechanismsKeepFewerSamples) {
  std::vector<RecordedSignal> signals;
  for (int i = 0; i < 1000; ++i) signals.push_back({"g", "x" + std::to_string(i), {}});
  RunRecord record(Scene(), signals);
  const std::vector<double> row(1000, 1.0);
  for (int i = 0; i < 5000; ++i) record.add(i, row, {});
  EXPECT_LE(record.size() * 1001 * sizeof(double), 6'500'000u);
  EXPECT_GE(record.size(), 250u);
  EXPECT_EQ(record.times().back(), 4999);
  EXPECT_LT(make_report_page(record, {}).size(), 9'500'000u);
}

/// A crane whose rope is paid out: massless parts, so the rope is a line from the trolley to the load.
constexpr const char* kCrane = R"(
kane: 1
gravity: -9.81*N.z
bodies: {trolley: {mass: 3}, swing: {}, rope: {}, ball: {mass: 1, inertia: [0.1, 0.1, 0.1]}}
particles: {load: {mass: 1, on: rope, at: [0, 0, 0]}}
points: {A: {on: N, at: [0, 0, 3]}, B: {on: N, at: [2, 0, 3]}}
joints:
  rail: {type: prismatic, parent: N, child: trolley, axis: x}
  pin: {type: revolute, parent: trolley, child: swing, axis: y}
  hoist: {type: prismatic, parent: swing, child: rope, axis: -z, coordinate: l}
  air: {type: general, parent: N, child: ball, motions: [{translate: z, coordinate: h}]}
constraints: {line: {rope: [A, load, B], length: 5, active: false}}
contacts: {floor: {sphere: ball, radius: 0.1, plane: N.z, height: -2}}
initial: {l: 1}
)";

TEST(Scene, RopesAndMasslessLinksAreLinesAndContactsHavePlanes) {
  Mechanism mechanism = read_mechanism_text(kCrane, "crane.yaml");
  add_scene_outputs(mechanism);
  Simulation run{Model(std::move(mechanism))};
  const Scene scene = make_scene(run.model().mechanism(), *run.model().system(), run.parameters());
  std::vector<std::string> lines;
  for (const SceneLine& line : scene.lines) lines.push_back(line.name);
  EXPECT_EQ(lines, (std::vector<std::string>{"line", "line", "hoist"}));
  RunRecord record(scene, {});
  State s = run.state();
  record.add(0, {}, run.simulator().calc_reports(s));
  const auto& hoist = scene.lines.back();
  const float* from = &record.positions()[3 * record.point_index(hoist.from)];
  const float* to = &record.positions()[3 * record.point_index(hoist.to)];
  EXPECT_NEAR(from[2] - to[2], 1, 1e-6);  // as long as the rope
  ASSERT_EQ(record.planes().size(), 1u);
  EXPECT_EQ(record.planes()[0].normal, (Vec3{0, 0, 1}));
  EXPECT_EQ(record.planes()[0].height, -2);
}

TEST(ReportPage, SurvivesTextThatWouldEndTheScript) {
  RunRecord record(Scene(), {});
  record.add(0, {}, {});
  ReportText text;
  text.title = "a < b";
  text.description = "</script><!-- <script>";
  text.options = {{"set", "m=1"}};
  text.checks = {{"energy", "conserved", CheckState::Ok}, {"speeds", "open", CheckState::Warning}, {"choices", "1"}};
  text.events = {{0.5, "bounce"}};
  const std::string page = make_report_page(record, text);
  EXPECT_EQ(page, make_report_page(record, text));
  EXPECT_NE(page.find("<title>a &lt; b"), std::string::npos);
  const json data = data_of(page);
  EXPECT_EQ(data["description"], text.description);
  EXPECT_EQ(data["options"], json::parse(R"([["set", "m=1"]])"));
  EXPECT_EQ(data["checks"],
            json::parse(R"([["energy", "conserved", "ok"], ["speeds", "open", "warn"], ["choices", "1"]])"));
  EXPECT_EQ(data["events"], json::parse(R"([[0.5, "bounce"]])"));
}

TEST_F(PictureFolder, WritesThePageAndTheFramesOfARun) {
  Pendulum pendulum;
  PictureOptions options;
  options.report = path("run.html");
  options.frames = path("frames");
  options.frame.rate = 10;
  options.frame.set_size("320x200");
  RunPictures pictures(options, pendulum);
  const RunReport report = pendulum.run({.until = 1, .output_step = 0, .intervals = 50}, [&](const State& sample) {
    pictures.add(sample);
    return true;
  });
  pictures.finish(report, "-", {{"method", report.method}});
  EXPECT_EQ(pictures.written(), path("run.html") + ", 11 pictures in " + path("frames"));
  const json data = data_of(content("run.html"));
  EXPECT_EQ(data["title"], "double_pendulum");
  EXPECT_EQ(data["checks"][0][2], "ok");  // the energy is conserved
  EXPECT_TRUE(fs::exists(path("frames/frame_00010.svg")));
  EXPECT_FALSE(fs::exists(path("frames/frame_00011.svg")));
  EXPECT_NE(content("frames/frame_00000.svg").find("width=\"320\" height=\"200\""), std::string::npos);
}

TEST_F(PictureFolder, RefusesBeforeTheRun) {
  Pendulum pendulum;
  const auto make = [&](PictureOptions options) { RunPictures(std::move(options), pendulum); };
  expect_refused([&] { make({.report = path("none/a.html")}); }, "none/a.html' cannot be written");
  expect_refused([&] { make({.frames = "/proc/x"}); }, "the folder '/proc/x' cannot be made");
  expect_refused([&] { make({.video = path("a.avi")}); }, "FILE.mp4 or FILE.webm");
  expect_refused([&] { make({.frames = path("f"), .frame = {.rate = 0}}); }, "the frame rate must be positive");
  expect_refused([&] { make({.frames = path("f"), .frame = {.width = 3}}); }, "not 3x720");
}

TEST_F(PictureFolder, RefusesTooManyFramesAndFullDisks) {
  RunRecord record(Scene(), {});
  record.add(0, {}, {});
  record.add(1e6, {}, {});
  expect_refused([&] { (void)write_frames(record, path("f")); }, "25000001 frames, and at most 20000");
  if (!fs::exists("/dev/full")) return;
  EXPECT_THROW(write_report_page(record, {}, "/dev/full"), OutputError);
}

TEST(FrameOptions, ReadItsSize) {
  FrameOptions options;
  options.set_size("1280x720");
  EXPECT_EQ(options.width, 1280);
  EXPECT_EQ(options.height, 720);
  for (const char* text : {"", "640", "640x", "640x480x3", "0x480", "-640x480", "99999x480", "axb"})
    expect_refused([&] { options.set_size(text); }, "WIDTHxHEIGHT");
}

}  // namespace
}  // namespace kane

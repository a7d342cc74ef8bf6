// Piles and stacks against MuJoCo, in one run: processor time of each for the same bodies, the same friction and the same time.
// MuJoCo takes steps of 1 ms; Kane chooses its scheme by itself. Prints a table; `--benchmark_...` options are ignored.

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "kane/formats/model_reader.hpp"
#include "kane/model/simulation.hpp"

namespace {

struct Body {
  bool ball;
  double size[3];  ///< radius, or edges
  double at[3];
};

struct Scene {
  std::string name;
  std::vector<Body> bodies;
  double walls = 0;  ///< half the width of the box around them; 0: none
  double until = 1;
};

Scene make_spheres(int n) {
  Scene scene{fmt::format("{} spheres in a box", n), {}, 0, 1};
  const double pitch = 0.12;
  const int side = std::max(2, static_cast<int>(std::ceil(std::cbrt(n / 2.0))));
  for (int i = 0; i < n; ++i) {
    const int k = i / (side * side), j = i % (side * side) / side, c = i % side;
    const double shift = 0.004 * std::sin(12.9898 * i);
    scene.bodies.push_back(
        {true,
         {0.05, 0, 0},
         {(c - (side - 1) / 2.0) * pitch + shift, (j - (side - 1) / 2.0) * pitch - shift / 2, 0.06 + k * pitch}});
  }
  scene.walls = pitch * side / 2;
  return scene;
}

Scene make_stack(int n) {
  Scene scene{fmt::format("stack of {} boxes", n), {}, 0, 1};
  for (int i = 0; i < n; ++i) scene.bodies.push_back({false, {0.2, 0.2, 0.1}, {0, 0, 0.05 + 0.1 * i}});
  return scene;
}

Scene make_cube() {
  Scene scene{"3 x 3 x 3 boxes", {}, 0, 1};
  for (int i = 0; i < 27; ++i)
    scene.bodies.push_back({false, {0.1, 0.1, 0.1}, {0.105 * (i % 3), 0.105 * (i / 3 % 3), 0.05 + 0.1 * (i / 9)}});
  return scene;
}

std::string to_kane(const Scene& scene) {
  std::string bodies, joints, initial;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& b = scene.bodies[i];
    bodies +=
        b.ball ? fmt::format("  b{}: {{mass: 1, shape: {{sphere: {}}}}}\n", i, b.size[0])
               : fmt::format("  b{}: {{mass: 1, shape: {{box: [{}, {}, {}]}}}}\n", i, b.size[0], b.size[1], b.size[2]);
    joints += fmt::format(
        "  j{0}: {{type: free, parent: N, child: b{0}, coordinates: [x{0}, y{0}, z{0}, p{0}, q{0}, r{0}, s{0}]}}\n", i);
    initial += fmt::format("{}x{}: {}, y{}: {}, z{}: {}", i > 0 ? ", " : "", i, b.at[0], i, b.at[1], i, b.at[2]);
  }
  if (scene.walls > 0) {
    const double w = scene.walls, t = 0.05, h = 3;
    const double places[4][2] = {{-w - t / 2, 0}, {w + t / 2, 0}, {0, -w - t / 2}, {0, w + t / 2}};
    for (int k = 0; k < 4; ++k) {
      bodies += k < 2 ? fmt::format("  w{}: {{geometry: {{box: [{}, {}, {}]}}}}\n", k, t, 2 * w + 2 * t, h)
                      : fmt::format("  w{}: {{geometry: {{box: [{}, {}, {}]}}}}\n", k, 2 * w, t, h);
      joints += fmt::format("  jw{0}: {{type: weld, parent: N, child: w{0}, at: [{1}, {2}, {3}]}}\n", k, places[k][0],
                            places[k][1], h / 2);
    }
  }
  return "kane: 1\ngravity: -9.81*N.z\nbodies:\n" + bodies + "joints:\n" + joints +
         "contacts:\n  touch: {all: true, plane: N.z, friction: 0.4}\ninitial: {" + initial + "}\n";
}

std::string to_mujoco(const Scene& scene) {
  std::string bodies;
  for (const Body& b : scene.bodies)
    bodies += fmt::format(
        "<body pos='{} {} {}'><freejoint/><geom mass='1' type='{}' size='{}'/></body>\n", b.at[0], b.at[1], b.at[2],
        b.ball ? "sphere" : "box",
        b.ball ? fmt::format("{}", b.size[0]) : fmt::format("{} {} {}", b.size[0] / 2, b.size[1] / 2, b.size[2] / 2));
  if (const double w = scene.walls; w > 0)
    for (const char* wall : {"pos='{1} 0 1.5' size='.025 {0} 1.5'", "pos='{2} 0 1.5' size='.025 {0} 1.5'",
                             "pos='0 {1} 1.5' size='{0} .025 1.5'", "pos='0 {2} 1.5' size='{0} .025 1.5'"})
      bodies += "<geom type='box' " + fmt::format(fmt::runtime(wall), w, w + 0.025, -w - 0.025) + "/>\n";
  // Room for contacts in proportion: more than it can have at once, and no more than memory.
  const std::size_t contacts = 100 + 16 * scene.bodies.size();
  return "<mujoco><option timestep='0.001' gravity='0 0 -9.81'/>" +
         fmt::format("<size nconmax='{}' njmax='{}'/>", contacts, 4 * contacts) +
         "<default><geom friction='0.4'/></default><worldbody><geom type='plane' size='50 50 1'/>" + bodies +
         "</worldbody></mujoco>";
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double run_mujoco(const Scene& scene) {
  const std::string file = std::tmpnam(nullptr) + std::string(".xml");
  std::ofstream(file) << to_mujoco(scene);
  char error[1000] = "";
  mjModel* model = mj_loadXML(file.c_str(), nullptr, error, sizeof error);
  std::remove(file.c_str());
  if (model == nullptr) return fmt::print(stderr, "MuJoCo: {}\n", error), std::nan("");
  mjData* data = mj_makeData(model);
  const double begin = processor_seconds();
  while (data->time < scene.until) mj_step(model, data);
  const double used = processor_seconds() - begin;
  mj_deleteData(data), mj_deleteModel(model);
  return used;
}

struct KaneRun {
  double ready, used;
  kane::RunReport report;
};

KaneRun run_kane(const Scene& scene) {
  const double begin = processor_seconds();
  const kane::Model model = kane::read_model_text(to_kane(scene), "scene");
  kane::Simulation run(model);
  const double ready = processor_seconds();
  kane::RunReport report = run.run({.until = scene.until, .output_step = scene.until, .intervals = 1});
  return {ready - begin, processor_seconds() - ready, std::move(report)};
}

int compare(const std::vector<Scene>& scenes) {
  fmt::print("Processor time for 1 s of motion, s (MuJoCo {} with steps of 1 ms)\n", mj_versionString());
  fmt::print("{:<24} {:>10} {:>10} {:>8} {:>14} {:>10} {:>10}\n", "", "Kane", "MuJoCo", "ratio", "Kane, to begin",
             "contacts", "overlap");
  for (const Scene& scene : scenes) {
    const KaneRun kane = run_kane(scene);
    const double mujoco = run_mujoco(scene);
    fmt::print("{:<24} {:>10.4f} {:>10.4f} {:>8.2f} {:>14.3f} {:>10} {:>10.1e}\n", scene.name, kane.used, mujoco,
               kane.used / mujoco, kane.ready, kane.report.stepping.places, kane.report.stepping.penetration);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  // A number: spheres, as many; else all scenes.
  std::vector<Scene> scenes;
  for (int i = 1; i < count; ++i)
    if (const int n = std::atoi(arguments[i]); n > 0) scenes.push_back(make_spheres(n));
  if (!scenes.empty()) return compare(scenes);
  for (const int n : {1, 10, 100}) scenes.push_back(make_spheres(n));
  for (const int n : {5, 10, 30}) scenes.push_back(make_stack(n));
  scenes.push_back(make_cube());
  return compare(scenes);
}

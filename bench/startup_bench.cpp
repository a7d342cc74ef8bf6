// From a file to the first acceleration: reading, deriving (with the choice of a formulation), compiling, evaluating.
//
//   7-joint arm 10 ms, quadruped 50 ms, tree of 60 joints 200 ms, chain of 200 joints 1 s
//
// The quadruped is the file KANE_ROBOTS/anymal.urdf if the environment names that folder, otherwise one made up here.
// Chains of 25 to 200 joints show how the cost grows.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "kane/codegen/kernel.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/program/lower.hpp"
#include "tests/robots/robot_tree.hpp"

namespace kane::bench {
namespace {

/// Milliseconds of the parts, summed over the iterations.
struct Parts {
  double read = 0, derive = 0, lower = 0, compile = 0, evaluate = 0;
};

/// Time of this process: on an idle machine the same as time.
class Stopwatch {
 public:
  void add_to(double& milliseconds) {
    const double now = read();
    milliseconds += now - last_;
    last_ = now;
  }

 private:
  static double read() {
    timespec t{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
  }

  double last_ = read();
};

/// All the way, once; returns the first acceleration.
double run_once(const std::filesystem::path& file, bool floating, Parts& parts) {
  Stopwatch watch;
  ReadOptions options;
  options.urdf.floating_base = floating;
  const Mechanism mechanism = read_mechanism(file, options);
  watch.add_to(parts.read);
  FormOptions form;
  form.outputs = false;
  form.mass_matrix = false;
  const EquationsOfMotion e = form_equations(mechanism, form);
  watch.add_to(parts.derive);
  ProgramInputs names;
  Values known;
  std::vector<double> parameters;
  for (const auto& p : e.parameters) {
    names.parameters.push_back(p.symbol.name());
    parameters.push_back(known[p.symbol.name()] = evaluate(p.value, known));
  }
  for (const auto& i : e.inputs) names.inputs.push_back(i.symbol.name());
  names.inputs.push_back(e.t.name());
  for (const auto& q : e.q) names.state.push_back(q.name());
  for (const auto& u : e.u) names.state.push_back(u.name());
  std::vector<NamedExpr> outputs;
  for (std::size_t i = 0; i < e.udot_explicit.size(); ++i) outputs.push_back({e.u[i].name() + "'", e.udot_explicit[i]});
  Program program = lower("forward", outputs, names);
  watch.add_to(parts.lower);
  const Kernel kernel = compile_kernel(std::move(program));
  watch.add_to(parts.compile);
  Workspace workspace(kernel);
  kernel.set_parameters(parameters, workspace);
  std::vector<double> state(names.state.size(), 0.1), udot(outputs.size());
  kernel.evaluate(state, udot, workspace);
  watch.add_to(parts.evaluate);
  return udot.front();
}

void start_up(benchmark::State& state, const std::filesystem::path& file, bool floating, double limit_ms) {
  Parts parts;
  for (auto _ : state) benchmark::DoNotOptimize(run_once(file, floating, parts));
  const auto mean = [&](double sum) { return sum / static_cast<double>(state.iterations()); };
  state.counters["read"] = mean(parts.read);
  state.counters["derive"] = mean(parts.derive);
  state.counters["lower"] = mean(parts.lower);
  state.counters["compile"] = mean(parts.compile);
  state.counters["evaluate"] = mean(parts.evaluate);
  if (limit_ms > 0) state.counters["limit"] = limit_ms;
}

/// A file of the robot, as Kane YAML or as URDF.
std::filesystem::path write(const test::RobotTree& robot, bool yaml) {
  const auto file =
      std::filesystem::temp_directory_path() / ("kane_startup_" + robot.name + (yaml ? ".yaml" : ".urdf"));
  const std::string urdf = test::write_urdf(robot);
  UrdfOptions options;
  options.floating_base = robot.floating;
  std::ofstream(file) << (yaml ? write_yaml(read_urdf_text(urdf, "robot.urdf", options)) : urdf);
  return file;
}

void add(const std::string& name, const std::filesystem::path& file, bool floating, double limit_ms) {
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State& state) {
    start_up(state, file, floating, limit_ms);
  })->Unit(benchmark::kMillisecond);
}

void add_all() {
  add("arm_7_yaml", write(test::make_serial_arm(7), true), false, 10);
  add("arm_7_urdf", write(test::make_serial_arm(7), false), false, 10);
  const char* folder = std::getenv("KANE_ROBOTS");
  const auto anymal = std::filesystem::path(folder != nullptr ? folder : "") / "anymal.urdf";
  if (folder != nullptr && std::filesystem::exists(anymal))
    add("anymal_urdf", anymal, true, 50);
  else
    add("quadruped_urdf", write(test::make_quadruped(), false), true, 50);
  add("tree_60_yaml", write(test::make_tree(60), true), false, 200);
  for (const int n : {25, 50, 100, 200})
    add("chain_" + std::to_string(n) + "_yaml", write(test::make_serial_arm(n), true), false, n == 200 ? 1000 : 0);
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) {
  kane::bench::add_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

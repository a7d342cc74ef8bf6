// Sweeps: cases per second and core in lanes, one by one with the same integrator, and by simulations of their own, all in one
// run; what the store costs; a million short runs of a pendulum.
//
//   bench_sweep [million]

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <filesystem>

#include "kane/batch/executor.hpp"
#include "kane/batch/store.hpp"
#include "kane/batch/sweep.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// An arm of seven joints, a cart with a pole, a pendulum: all without stops.
std::string chain(int joints) {
  std::string bodies, links, values;
  for (int i = 1; i <= joints; ++i) {
    bodies += fmt::format("  B{}: {{mass: 1.{}, com: [0, 0, 0.15], inertia: [0.01, 0.012, 0.004]}}\n", i, i);
    links += fmt::format(
        "  J{0}: {{type: revolute, parent: {1}, at: [0, 0, {2}], child: B{0}, axis: {3}, coordinate: q{0}, damping: "
        "d}}\n",
        i, i == 1 ? "N" : fmt::format("B{}", i - 1), i == 1 ? 0.0 : 0.3, i % 2 == 1 ? "x" : "y");
    values += fmt::format("{}q{}: 0.{}", i == 1 ? "" : ", ", i, i);
  }
  return fmt::format(
      "kane: 1\nname: chain{}\nparameters: {{g: 9.81, d: 0.05}}\ngravity: -g*N.z\nbodies:\n{}joints:\n{}initial: "
      "{{{}}}\n",
      joints, bodies, links, values);
}

const char* const kCart = R"(
kane: 1
name: cart
parameters: {M: 1 kg, m: 0.2 kg, l: 0.5 m, J: 0.02 kg*m^2, g: 9.81 m/s^2, d: 0.1 N*s/m}
gravity: -g*N.y
bodies:
  cart: {mass: M}
  pole: {mass: m, com: [0, l, 0], inertia: [J, 0, J]}
joints:
  rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, damping: d}
  pivot: {type: revolute, parent: cart, child: pole, axis: -z, coordinate: theta}
initial: {theta: 0.3}
)";

Study vary(const std::string& text, std::uint64_t runs) {
  StudyOptions o;
  o.variables = {parse_study_variable("d", text)};
  o.runs = runs;
  return Study(o);
}

/// Cases per second of one thread.
double rate(const Model& model, Method method, int lanes, bool simulator) {
  SweepOptions o;
  o.simulation.method = method, o.lanes = lanes, o.until = 0.5, o.simulation.step = 1e-3, o.simulation.tolerance = 1e-6;
  const Sweep sweep(model, vary("0.04..0.06", 1'000'000), {{"e", "end(kinetic)", {}}}, o);
  CaseRunner runner(sweep);
  std::vector<CaseResult> results;
  std::uint64_t done = 0;
  const std::uint64_t block = simulator ? 8 : 64;
  runner.run(0, block, results);
  const auto begin = Clock::now();
  while (since(begin) < 0.5) {
    results.clear();
    if (simulator)
      for (std::uint64_t i = 0; i < block; ++i) results.push_back(runner.run(done + i));
    else
      runner.run(done, block, results);
    done += block;
  }
  return static_cast<double>(done) / since(begin);
}

void compare_lanes() {
  fmt::print("{:<10} {:<7} {:>14} {:>14} {:>14} {:>12} {:>12}\n", "model", "method", "simulator /s", "one lane /s",
             "lanes /s", "/simulator", "/one lane");
  const std::pair<const char*, std::string> models[] = {
      {"cart-pole", kCart}, {"7 joints", chain(7)}, {"12 joints", chain(12)}};
  for (const auto& [name, text] : models) {
    const Model model = read_model_text(text, "bench.yaml");
    for (const Method method : {Method::Rk4, Method::Dopri5}) {
      const double alone = rate(model, method, 0, true), one = rate(model, method, 1, false),
                   many = rate(model, method, 0, false);
      fmt::print("{:<10} {:<7} {:>14.0f} {:>14.0f} {:>14.0f} {:>12.2f} {:>12.2f}\n", name, to_string(method), alone,
                 one, many, many / alone, many / one);
    }
  }
}

void measure_store() {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kane_bench_{}", ::getpid());
  std::filesystem::create_directories(folder);
  StudyIdentity identity{"m", "h", "v", "s", "random", {}, 1'000'000, {"a", "b"}, {"m"}, {{}, {}}};
  {
    SweepStore store((folder / "s.db").string(), identity, false);
    std::vector<CaseResult> results(500);
    const auto begin = Clock::now();
    constexpr int kBatches = 400;
    for (int batch = 0; batch < kBatches; ++batch) {
      for (std::size_t i = 0; i < results.size(); ++i) {
        CaseResult& r = results[i];
        r.k = static_cast<std::uint64_t>(batch) * results.size() + i, r.ok = true, r.values = {1.5, 2.5},
        r.measures = {0.5};
      }
      store.write(results);
    }
    const double each = since(begin) / (kBatches * static_cast<double>(results.size()));
    fmt::print("\nstore: {:.2f} us per run in batches of 500: {:.2f} % of runs of 1 ms\n", 1e6 * each,
               100 * each / 1e-3);
  }
  std::filesystem::remove_all(folder);
}

void run_million() {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kane_bench_{}", ::getpid());
  std::filesystem::create_directories(folder);
  SweepOptions o;
  o.simulation.method = Method::Rk4, o.until = 1, o.simulation.step = 0.01;
  const Sweep sweep(read_model_text(chain(1), "bench.yaml"), vary("0.01..0.1", 1'000'000), {{"q", "end(q1)", {}}}, o);
  StudyIdentity identity{"m", "h", "v", "s", "random", {}, 1'000'000, {"d"}, {"q"}, {{}}};
  const auto begin = Clock::now();
  {
    SweepStore store((folder / "m.db").string(), identity, false);
    BlockQueue queue(store.missing());
    Executor executor(sweep, queue, 2);
    while (!executor.finished()) store.write(executor.collect(std::chrono::milliseconds(50)));
  }
  fmt::print("\na million runs of a pendulum (100 steps each) on 2 threads, stored: {:.1f} s\n", since(begin));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) {
  kane::bench::compare_lanes();
  kane::bench::measure_store();
  if (argc > 1 && std::strcmp(argv[1], "million") == 0) kane::bench::run_million();
  return 0;
}

// Sweeps: cases per second and core in lanes (of AVX-512 and of AVX2), one by one with the same integrator, and by simulations of
// their own, all in one run; steps per second against rollouts of MuJoCo, and two threads against one; what the store costs; a
// million short runs of a pendulum.
//
//   bench_sweep [lanes | mujoco | threads | store | million]...        all but `million` if nothing is named

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <thread>

#include "bench/simulated/tree_run.hpp"
#include "bench/simulated/tree_text.hpp"
#include "kane/batch/executor.hpp"
#include "kane/batch/store.hpp"
#include "kane/batch/sweep.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Processor time of this thread, s: the machine may be busy with other work.
double thread_time() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

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

Study vary(const std::string& name, const std::string& text, std::uint64_t runs) {
  StudyOptions o;
  o.variables = {parse_study_variable(name, text)};
  o.runs = runs;
  return Study(o);
}

/// Cases per second of one thread; lanes -1: a simulator for each.
class LaneRate {
 public:
  LaneRate(const Model& model, const std::string& vary_name, Method method, int lanes)
      : simulator_(lanes < 0),
        sweep_(model, vary(vary_name, "0.04..0.06", 1'000'000), {{"e", "end(kinetic)", {}}},
               options(method, std::max(lanes, 0))),
        runner_(sweep_) {
    run();
  }
  /// Seconds for a block.
  double run() {
    results_.clear();
    const double begin = thread_time();
    if (simulator_)
      for (std::uint64_t i = 0; i < block(); ++i) results_.push_back(runner_.run(i));
    else
      runner_.run(0, block(), results_);
    const double spent = thread_time() - begin;
    best_ = std::min(best_, spent);
    return spent;
  }
  [[nodiscard]] double rate() const { return static_cast<double>(block()) / best_; }

 private:
  static SweepOptions options(Method method, int lanes) {
    SweepOptions o;
    o.simulation.method = method, o.lanes = lanes, o.until = 0.5, o.simulation.step = 1e-3,
    o.simulation.tolerance = 1e-6;
    return o;
  }
  [[nodiscard]] std::uint64_t block() const { return simulator_ ? 16 : 256; }

  bool simulator_;
  Sweep sweep_;
  CaseRunner runner_;
  std::vector<CaseResult> results_;
  double best_ = 1e9;
};

void compare_lanes() {
  fmt::print("{:<10} {:<7} {:>14} {:>12} {:>10} {:>10} {:>12} {:>12} {:>12}\n", "model", "method", "simulator /s",
             "one lane /s", "4 lanes /s", "8 lanes /s", "8/simulator", "4/one lane", "8/one lane");
  const std::pair<const char*, std::string> models[] = {{"cart-pole", kCart},
                                                        {"7 joints", chain(7)},
                                                        {"12 joints", chain(12)},
                                                        {"quadruped", tree_text(make_quadruped())}};
  for (const auto& [name, text] : models) {
    const Model model = read_model_text(text, "bench.yaml");
    const std::string varied = std::strcmp(name, "quadruped") == 0 ? "q1" : "d";
    for (const Method method : {Method::Rk4, Method::Dopri5}) {
      // In turn, the best of several rounds: the machine has other things to do.
      LaneRate alone(model, varied, method, -1), one(model, varied, method, 1), four(model, varied, method, 4),
          eight(model, varied, method, 0);
      const auto begin = Clock::now();
      while (since(begin) < 1.5)
        for (LaneRate* r : {&alone, &one, &four, &eight}) (void)r->run();
      fmt::print("{:<10} {:<7} {:>14.0f} {:>12.0f} {:>10.0f} {:>10.0f} {:>12.2f} {:>12.2f} {:>12.2f}\n", name,
                 to_string(method), alone.rate(), one.rate(), four.rate(), eight.rate(), eight.rate() / alone.rate(),
                 four.rate() / one.rate(), eight.rate() / one.rate());
    }
  }
}

/// Steps of RK4 with 1 ms per second, on two threads each.
void compare_mujoco() {
  fmt::print("\n{:<10} {:>16} {:>16} {:>8}\n", "RK4 1 ms", "MuJoCo steps/s", "Kane steps/s", "ratio");
  constexpr double kUntil = 0.5;
  constexpr int kSteps = 500, kThreads = 2;
  for (const char* name : {"planar2r", "arm7", "quadruped"}) {
    const LinkTree tree = make_link_tree(name);
    double theirs = 0, ours = 0;
    SweepOptions o;
    o.simulation.method = Method::Rk4, o.until = kUntil, o.simulation.step = 1e-3;
    const Sweep sweep(read_model_text(tree_text(tree), "bench.yaml"), vary("q1", "0.04..0.06", 1024),
                      {{"e", "end(q1)", {}}}, o);
    for (int round = 0; round < 5; ++round) {
      std::vector<std::thread> threads;
      std::vector<double> rates(kThreads);
      for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
          const auto run = make_mujoco_run(tree);
          const double begin = thread_time();
          long steps = 0;
          for (; thread_time() - begin < 0.2; steps += kSteps) run->restart(), run->run(kUntil);
          rates[static_cast<std::size_t>(i)] = static_cast<double>(steps) / (thread_time() - begin);
        });
      for (std::thread& t : threads) t.join();
      theirs = std::max(theirs, rates[0] + rates[1]);
      threads.clear();
      for (int i = 0; i < kThreads; ++i)
        threads.emplace_back([&, i] {
          CaseRunner runner(sweep);
          std::vector<CaseResult> results;
          runner.run(0, 64, results);
          const double begin = thread_time();
          long cases = 0;
          for (; thread_time() - begin < 0.2; cases += 256) results.clear(), runner.run(0, 256, results);
          rates[static_cast<std::size_t>(i)] = static_cast<double>(cases * kSteps) / (thread_time() - begin);
        });
      for (std::thread& t : threads) t.join();
      ours = std::max(ours, rates[0] + rates[1]);
    }
    fmt::print("{:<10} {:>16.4g} {:>16.4g} {:>8.1f}\n", name, theirs, ours, ours / theirs);
  }
}

/// Processor time of all threads, s.
double process_time() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct StudyTime {
  double spent = 1e9, processors = 1e9;  ///< s
};

/// The least time for a study on so many threads, results collected.
void time_study(const Sweep& sweep, unsigned threads, StudyTime& best) {
  BlockQueue queue({{0, sweep.study().count()}});
  const auto begin = Clock::now();
  const double processors = process_time();
  Executor executor(sweep, queue, threads);
  while (!executor.finished()) (void)executor.collect(std::chrono::milliseconds(50));
  best.spent = std::min(best.spent, since(begin));
  best.processors = std::min(best.processors, process_time() - processors);
}

void compare_threads() {
  SweepOptions o;
  o.simulation.method = Method::Dopri5, o.until = 1, o.simulation.tolerance = 1e-6;
  const Sweep sweep(read_model_text(chain(7), "bench.yaml"), vary("d", "0.01..0.1", 20000), {{"e", "end(kinetic)", {}}},
                    o);
  StudyTime one, two;
  for (int round = 0; round < 7; ++round) time_study(sweep, 1, one), time_study(sweep, 2, two);
  fmt::print(
      "\n20000 runs of 7 joints: {:.3f} s on one thread, {:.3f} s on two (efficiency {:.0f} %); processor time {:.3f} "
      "s "
      "and {:.3f} s ({:.0f} %)\n",
      one.spent, two.spent, 100 * one.spent / (2 * two.spent), one.processors, two.processors,
      100 * one.processors / two.processors);
}

void measure_store() {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("kane_bench_{}", ::getpid());
  std::filesystem::create_directories(folder);
  StudyIdentity identity{"m", "h", "v", "s", "random", {}, 1'000'000, {"a", "b"}, {"m"}, {{}, {}}};
  {
    SweepStore store((folder / "s.db").string(), identity, false);
    std::vector<CaseResult> results(500);
    const double begin = thread_time();
    constexpr int kBatches = 400;
    for (int batch = 0; batch < kBatches; ++batch) {
      for (std::size_t i = 0; i < results.size(); ++i) {
        CaseResult& r = results[i];
        r.k = static_cast<std::uint64_t>(batch) * results.size() + i, r.ok = true, r.values = {1.5, 2.5},
        r.measures = {0.5};
      }
      store.write(results);
    }
    const double each = (thread_time() - begin) / (kBatches * static_cast<double>(results.size()));
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
  const Sweep sweep(read_model_text(chain(1), "bench.yaml"), vary("d", "0.01..0.1", 1'000'000), {{"q", "end(q1)", {}}},
                    o);
  StudyIdentity identity{"m", "h", "v", "s", "random", {}, 1'000'000, {"d"}, {"q"}, {{}}};
  const auto begin = Clock::now();
  const double processors = process_time();
  {
    SweepStore store((folder / "m.db").string(), identity, false);
    BlockQueue queue(store.missing());
    Executor executor(sweep, queue, 2);
    while (!executor.finished()) store.write(executor.collect(std::chrono::milliseconds(50)));
  }
  fmt::print(
      "\na million runs of a pendulum (100 steps each) on 2 threads, stored: {:.1f} s, processor time {:.1f} s\n",
      since(begin), process_time() - processors);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) {
  const std::pair<const char*, void (*)()> parts[] = {{"lanes", kane::bench::compare_lanes},
                                                      {"mujoco", kane::bench::compare_mujoco},
                                                      {"threads", kane::bench::compare_threads},
                                                      {"store", kane::bench::measure_store},
                                                      {"million", kane::bench::run_million}};
  const auto is_named = [&](const char* name) {
    return std::any_of(argv + 1, argv + argc, [&](const char* a) { return std::strcmp(a, name) == 0; });
  };
  const bool some = std::any_of(std::begin(parts), std::end(parts), [&](const auto& p) { return is_named(p.first); });
  for (const auto& [name, part] : parts) {
    const bool usual = !some && std::strcmp(name, "million") != 0;
    if (usual || is_named(name)) part();
  }
  return 0;
}

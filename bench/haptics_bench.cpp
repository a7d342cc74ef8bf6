// Compute time per tick of systems in a haptic loop, changes of constraints included, and of what such a change is made of.
// Times are those of the thread itself, interrupts included, since the kernel books these on the thread.
//
// Between ticks the simulator rehearses a change of constraints, as HapticLoop lets it do in the time that is left before a
// deadline (not with the environment variable KANE_NO_REHEARSAL); that is not part of the times.
//
//   worst_us          the longest tick of 60 s, taking for every tick the median of equal runs: a tick does the same work in
//                     all of them and finds its caches as cold, but interrupts meet another tick in each
//   least_worst_us    the same with the least instead of the median: caches as warm as they get
//   single_run_us     the longest tick of a single run as it happened: median of the runs
//   empty_loop_us     the longest turn of a loop of as many turns of plain arithmetic, each as long as the median tick: what
//                     the machine adds to any program; median of as many runs, taken in between

#include <benchmark/benchmark.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <random>

#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/haptics/histogram.hpp"
#include "kane/haptics/real_time.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"
#include "kane/solve/independent.hpp"

namespace kane {
namespace {

std::shared_ptr<const CompiledSystem> compile(const Mechanism& mechanism) {
  CompileOptions options;
  options.reports = false;
  return std::make_shared<const CompiledSystem>(form_equations(mechanism), options);
}

std::shared_ptr<const CompiledSystem> load(const std::string& name) {
  return compile(read_yaml_model(std::string(KANE_SOURCE_DIR) + "/models/" + name + ".yaml"));
}

State initial_state(const EquationsOfMotion& e, const std::map<std::string, double>& values) {
  State s;
  const auto value = [&](const Expr& symbol) {
    const auto at = values.find(symbol.name());
    return at == values.end() ? 0.0 : at->second;
  };
  for (const auto& q : e.q) s.q.push_back(value(q));
  for (const auto& u : e.u) s.u.push_back(value(u));
  return s;
}

std::int64_t thread_ns() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return t.tv_sec * 1'000'000'000LL + t.tv_nsec;
}

/// One run: 60 s at 1 kHz, pushed around by sines along the handles. Times of all ticks, and what they did.
struct TickTimes {
  std::vector<std::int64_t> thread;
  std::vector<TickReport> reports;
};

bool run_once(TickSimulator& simulator, const State& start, double push, TickTimes& times) {
  const std::size_t handles = simulator.system().equations().handles.size();
  const bool rehearse = std::getenv("KANE_NO_REHEARSAL") == nullptr;
  simulator.start(start);
  for (std::size_t k = 0; k < times.thread.size(); ++k) {
    const double phase = 2e-3 * static_cast<double>(k);
    for (std::size_t i = 0; i < handles; ++i)
      simulator.apply_handle(i, push * std::sin(phase * (1.0 + 0.37 * static_cast<double>(i))));
    if (rehearse) simulator.rehearse();
    const std::int64_t begin = thread_ns();
    times.reports[k] = simulator.tick();
    times.thread[k] = thread_ns() - begin;
    if (times.reports[k].status != TickStatus::Ok) return false;
  }
  return true;
}

/// The ticks that took longest, with what they did (environment variable KANE_WORST_TICKS).
void print_worst(const std::vector<std::int64_t>& typical, const std::vector<std::int64_t>& least,
                 const TickTimes& last) {
  std::vector<std::size_t> order(least.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return typical[a] > typical[b]; });
  for (std::size_t i = 0; i < std::min<std::size_t>(12, order.size()); ++i) {
    const TickReport& r = last.reports[order[i]];
    fmt::print(stderr,
               "tick {:>6}: {:>7.2f} us (least {:.2f}), {} events, {} steps, {} evaluations, {} locating, {} "
               "problems with {} pivots, {} impacts\n",
               order[i], static_cast<double>(typical[order[i]]) * 1e-3, static_cast<double>(least[order[i]]) * 1e-3,
               r.events, r.work.steps, r.work.evaluations, r.work.refinements, r.work.problems, r.work.pivots,
               r.work.impacts);
  }
}

constexpr std::size_t kRuns = 9;

double longest_us(const std::vector<std::int64_t>& times) {
  return static_cast<double>(*std::max_element(times.begin(), times.end())) * 1e-3;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// The longest of as many turns of a loop that computes nothing of use, each about `turn_ns` long.
double run_empty(std::vector<std::int64_t>& times, std::int64_t turn_ns) {
  const auto turn = [](long steps) {
    double x = 1;
    for (long i = 0; i < steps; ++i) benchmark::DoNotOptimize(x *= 1.0000001);
  };
  constexpr long kTrial = 100000;
  const std::int64_t begin = thread_ns();
  turn(kTrial);
  const long steps = std::max(1L, kTrial * turn_ns / std::max<std::int64_t>(1, thread_ns() - begin));
  for (std::int64_t& time : times) {
    const std::int64_t from = thread_ns();
    turn(steps);
    time = thread_ns() - from;
  }
  return longest_us(times);
}

/// The same run several times; what is told of it is explained at the top of this file.
void run_ticks(benchmark::State& state, TickSimulator& simulator, const State& start, double push,
               std::size_t ticks = 60000) {
  TickTimes times{std::vector<std::int64_t>(ticks), std::vector<TickReport>(ticks)};
  std::vector<std::array<std::int64_t, kRuns>> of_tick(ticks);
  std::vector<std::int64_t> typical(ticks), least(ticks), empty(ticks);
  std::vector<double> single, floor;
  const RealTimeScope scope;
  for (auto _ : state)
    for (std::size_t run = 0; run < kRuns; ++run) {
      if (!run_once(simulator, start, push, times)) state.SkipWithError("the tick failed");
      for (std::size_t k = 0; k < ticks; ++k) of_tick[k][run] = times.thread[k];
      single.push_back(longest_us(times.thread));
      std::ranges::nth_element(times.thread, times.thread.begin() + static_cast<std::ptrdiff_t>(ticks / 2));
      floor.push_back(run_empty(empty, times.thread[ticks / 2]));
    }
  Histogram all, changes;
  long events = 0;
  for (std::size_t k = 0; k < ticks; ++k) {
    std::ranges::sort(of_tick[k]);
    typical[k] = of_tick[k][kRuns / 2], least[k] = of_tick[k].front();
    all.add(typical[k]);
    if (times.reports[k].events > 0) changes.add(typical[k]);
    events += times.reports[k].events;
  }
  state.counters["median_us"] = all.quantile(0.5) * 1e-3;
  state.counters["p999_us"] = all.quantile(0.999) * 1e-3;
  state.counters["worst_us"] = longest_us(typical);
  state.counters["least_worst_us"] = longest_us(least);
  state.counters["single_run_us"] = median(single);
  state.counters["empty_loop_us"] = median(floor);
  state.counters["change_median_us"] = changes.quantile(0.5) * 1e-3;
  state.counters["change_p99_us"] = changes.quantile(0.99) * 1e-3;
  state.counters["events"] = static_cast<double>(events);
  if (std::getenv("KANE_WORST_TICKS") != nullptr) print_worst(typical, least, times);
}

void BM_CartTick(benchmark::State& state) {
  TickSimulator simulator(load("shopping_cart"));
  const std::map<std::string, double> values{{"q3", 0.2}, {"q4", 0.8}};
  run_ticks(state, simulator, initial_state(simulator.system().equations(), values), 2.0);
}
BENCHMARK(BM_CartTick)->Iterations(1)->Unit(benchmark::kMillisecond);

void BM_BlockTick(benchmark::State& state) {
  TickSimulator simulator(load("block_on_plane"));
  simulator.set_parameters({{"slope", 0.1}, {"e", 0.5}});
  State start = initial_state(simulator.system().equations(), {{"y", 0.2}, {"theta", 0.3}});
  run_ticks(state, simulator, start, 0);
}
BENCHMARK(BM_BlockTick)->Iterations(1)->Unit(benchmark::kMillisecond);

/// A disk that slides up a ramp until it rolls, and rolls down.
void BM_DiskTick(benchmark::State& state) {
  const auto system = load("disk_transition");
  TickSimulator simulator(system);
  State start = initial_state(system->equations(), {});
  if (!start.u.empty()) start.u[0] = 3;
  run_ticks(state, simulator, start, 0);
}
BENCHMARK(BM_DiskTick)->Iterations(1)->Unit(benchmark::kMillisecond);

/// A box of which the corners land, slide and rest: rows from shapes, made while it runs.
void BM_BoxShapeTick(benchmark::State& state) {
  TickSimulator simulator(load("box_drop"));
  const State start =
      initial_state(simulator.system().equations(),
                    {{"z", 0.25}, {"e1", 0.2}, {"e2", 0.3}, {"e3", 0.1}, {"e4", 0.9273618495495703}, {"wx", 1}});
  run_ticks(state, simulator, start, 0, 10000);
}
BENCHMARK(BM_BoxShapeTick)->Iterations(1)->Unit(benchmark::kMillisecond);

/// Six revolute joints; the hand slides on a table with friction, lifts off and lands.
constexpr const char* kArm6 = R"yaml(
kane: 1
name: arm6
gravity: -9.81*N.z
bodies:
  b1: {mass: 4, com: [0, 0, 0.1], inertia: [0.05, 0.05, 0.02]}
  b2: {mass: 3, com: [0.2, 0, 0], inertia: [0.01, 0.05, 0.05]}
  b3: {mass: 2, com: [0.15, 0, 0], inertia: [0.01, 0.03, 0.03]}
  b4: {mass: 1, com: [0, 0, 0.05], inertia: [0.004, 0.004, 0.002]}
  b5: {mass: 0.6, com: [0, 0, 0.04], inertia: [0.002, 0.002, 0.001]}
  b6: {mass: 0.3, com: [0, 0, 0.03], inertia: [0.001, 0.001, 0.0005], points: {tip: [0, 0, 0.1]}}
joints:
  j1: {type: revolute, parent: N, child: b1, axis: z, coordinate: q1, speed: u1, damping: 2}
  j2: {type: revolute, parent: b1, at: [0, 0, 0.4], child: b2, axis: y, coordinate: q2, speed: u2, damping: 2,
       stiffness: 60, rest: -0.3}
  j3: {type: revolute, parent: b2, at: [0.4, 0, 0], child: b3, axis: y, coordinate: q3, speed: u3, damping: 2,
       stiffness: 60, rest: 0.8}
  j4: {type: revolute, parent: b3, at: [0.3, 0, 0], child: b4, axis: x, coordinate: q4, speed: u4, damping: 0.5,
       stiffness: 5}
  j5: {type: revolute, parent: b4, at: [0.1, 0, 0], child: b5, axis: y, coordinate: q5, speed: u5, damping: 0.5,
       stiffness: 10, rest: 2.6}
  j6: {type: revolute, parent: b5, at: [0, 0, 0.05], child: b6, axis: z, coordinate: q6, speed: u6, damping: 0.2,
       stiffness: 2}
contacts:
  table: {point: b6.tip, plane: N.z, height: -0.2, friction: 0.4}
handle:
  x: {position: "dot(position(b6.tip), N.x)", stiffness: 500, damping: 1}
  y: {position: "dot(position(b6.tip), N.y)", stiffness: 500, damping: 1}
  z: {position: "dot(position(b6.tip), N.z)", stiffness: 500, damping: 1}
)yaml";

void run_arm(benchmark::State& state, const std::string& model) {
  TickSimulator simulator(compile(read_yaml_text(model)));
  State start = initial_state(simulator.system().equations(), {{"q2", -0.3}, {"q3", 0.8}, {"q5", 2.6}});
  run_ticks(state, simulator, start, 12.0);
}
void BM_ArmTick(benchmark::State& state) { run_arm(state, kArm6); }
BENCHMARK(BM_ArmTick)->Iterations(1)->Unit(benchmark::kMillisecond);

/// The same with a ball at the tip and a table that is a box: contact found from shapes.
void BM_ArmShapeTick(benchmark::State& state) {
  std::string model = kArm6;
  const auto replace = [&](const std::string& from, const std::string& to) {
    model.replace(model.find(from), from.size(), to);
  };
  replace("points: {tip: [0, 0, 0.1]}}",
          "points: {tip: [0, 0, 0.1]}, shape: {sphere: {radius: 0.02}, at: [0, 0, 0.08]}}\n"
          "  table: {geometry: {box: [2, 2, 0.1]}}");
  replace("joints:\n", "joints:\n  fixed: {type: weld, parent: N, child: table, at: [0, 0, -0.25]}\n");
  replace("table: {point: b6.tip, plane: N.z, height: -0.2, friction: 0.4}",
          "table: {between: [b6, table], friction: 0.4}");
  run_arm(state, model);
}
BENCHMARK(BM_ArmShapeTick)->Iterations(1)->Unit(benchmark::kMillisecond);

void BM_ChooseIndependentSpeeds(benchmark::State& state) {
  const std::size_t speeds = 30, rows = 10;
  std::mt19937 random(3);
  std::normal_distribution<double> number;
  Matrix a(rows, speeds);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < speeds; ++j) a(i, j) = number(random);
  IndependentSpeeds choice(rows, speeds);
  for (auto _ : state) benchmark::DoNotOptimize(choice.choose(a));
}
BENCHMARK(BM_ChooseIndependentSpeeds)->Unit(benchmark::kMicrosecond);

/// From the instant at which a new set is wanted to accelerations under it: switch, choose, embed, impose, evaluate.
void BM_NewConstraintSet(benchmark::State& state) {
  const auto system = load("shopping_cart");
  SystemEvaluator evaluator(system);
  SwitchedDynamics dynamics(evaluator);
  const EquationsOfMotion& e = system->equations();
  State s = initial_state(e, {{"q3", 0.2}, {"q4", 0.8}, {"u1", 0.6}, {"u2", 0.3}});
  std::vector<bool> with(e.constraints.size()), without(e.constraints.size());
  for (std::size_t i = 0; i < with.size(); ++i) {
    without[i] = e.constraints[i].group == "rolling";
    with[i] = without[i] || e.constraints[i].group == "stuck";
  }
  std::vector<double> qdot(s.q.size()), udot(s.u.size());
  bool on = false;
  for (auto _ : state) {
    on = !on;
    dynamics.set_bilateral(on ? with : without);
    benchmark::DoNotOptimize(dynamics.impose(s.q, s.u));
    benchmark::DoNotOptimize(dynamics.settle(s.q, s.u));
    benchmark::DoNotOptimize(dynamics.calc_motion(s.q, s.u, qdot, udot));
  }
}
BENCHMARK(BM_NewConstraintSet)->Unit(benchmark::kMicrosecond);

/// A constraint written down while the system runs: from its expression to a row that is ready, new code for it included.
void BM_WriteConstraint(benchmark::State& state) {
  const auto system = load("shopping_cart");
  const EquationsOfMotion& e = system->equations();
  const KernelWorkshop shop(*system);
  double k = 1;
  // Another number each time, so that no derivative is known from before.
  for (auto _ : state) benchmark::DoNotOptimize(WrittenConstraint(shop, "held", e.q[0] - k++ * sin(e.q[2])));
}
BENCHMARK(BM_WriteConstraint)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace kane

// Compute time per tick of systems in a haptic loop, changes of constraints included, and of what such a change is made of.
// Counters: worst (us) over the simulated time, median, events, all in time of the thread itself: what a loop that has the
// processor for itself would take. The worst by the wall clock, which counts other work of the machine, is given besides.

#include <benchmark/benchmark.h>

#include <cmath>
#include <ctime>
#include <random>

#include "kane/formats/yaml_reader.hpp"
#include "kane/haptics/histogram.hpp"
#include "kane/haptics/real_time.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/simulate/tick_simulator.hpp"
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

/// 60 s at 1 kHz, pushed around by sines along the handles or inputs.
void run_ticks(benchmark::State& state, TickSimulator& simulator, const State& start, double push, int ticks = 60000) {
  Histogram all, changes, wall;
  long events = 0;
  for (auto _ : state) {
    simulator.start(start);
    for (int k = 0; k < ticks; ++k) {
      const std::size_t handles = simulator.system().equations().handles.size();
      for (std::size_t i = 0; i < handles; ++i)
        simulator.apply_handle(i, push * std::sin(2e-3 * k * (1.0 + 0.37 * static_cast<double>(i))));
      const std::int64_t wall_begin = now_ns(), begin = thread_ns();
      const TickReport report = simulator.tick();
      const std::int64_t end = thread_ns();
      wall.add(now_ns() - wall_begin);
      all.add(end - begin);
      if (report.events > 0) changes.add(end - begin);
      events += report.events;
      if (report.status != TickStatus::Ok) state.SkipWithError("the tick failed");
    }
  }
  state.counters["median_us"] = all.quantile(0.5) * 1e-3;
  state.counters["p999_us"] = all.quantile(0.999) * 1e-3;
  state.counters["worst_us"] = all.largest() * 1e-3;
  state.counters["worst_wall_us"] = wall.largest() * 1e-3;
  state.counters["change_median_us"] = changes.quantile(0.5) * 1e-3;
  state.counters["change_p99_us"] = changes.quantile(0.99) * 1e-3;
  state.counters["events"] = static_cast<double>(events);
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

void BM_ArmTick(benchmark::State& state) {
  TickSimulator simulator(compile(read_yaml_text(kArm6)));
  State start = initial_state(simulator.system().equations(), {{"q2", -0.3}, {"q3", 0.8}, {"q5", 2.6}});
  run_ticks(state, simulator, start, 12.0);
}
BENCHMARK(BM_ArmTick)->Iterations(1)->Unit(benchmark::kMillisecond);

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

}  // namespace
}  // namespace kane

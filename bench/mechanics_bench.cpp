// Time to derive equations of motion, and how many operations they have.
//   A 20-link planar pendulum on a cart is to take less than 0.1 s, a 100-link one less than 3 s.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "kane/expr/count.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/lowering.hpp"

namespace {

using namespace kane;

enum class Angles { Absolute, Relative };

/// M and rhs together, work on parameters only set aside.
OperationCount count_dynamics(const EquationsOfMotion& e, const ExprMatrix& M, const std::vector<Expr>& rhs) {
  std::vector<Expr> outputs = M.entries, variables = e.q;
  outputs.insert(outputs.end(), rhs.begin(), rhs.end());
  variables.insert(variables.end(), e.u.begin(), e.u.end());
  variables.push_back(e.t);
  for (const SymbolWithDefault& i : e.inputs) variables.push_back(i.symbol);
  return count_operations(outputs, variables);
}

void show(benchmark::State& state, const OperationCount& count) {
  state.counters["operations"] = count.total();
  state.counters["mul_div"] = count.mul + count.div;
  state.counters["add"] = count.add;
  state.counters["func"] = count.func;
}

/// Uniform rods on a cart that slides along n1.
void build_pendulum(System& s, int links, Angles angles) {
  const FrameId N = s.inertial();
  const Expr g = s.add_parameter("g", 9.81), x0 = s.add_coordinate("x");
  s.add_speed("v", s.rate(x0));
  PointId end = s.add_point("cart", s.origin(), x0 * x(N));
  s.add_particle("cart", end, s.add_parameter("M", 2));
  s.add_force("push", end, s.add_input("F") * x(N));
  FrameId from = N;
  for (int i = 1; i <= links; ++i) {
    const std::string k = std::to_string(i);
    const Expr q = s.add_coordinate("q" + k), m = s.add_parameter("m" + k, 1), l = s.add_parameter("l" + k, 0.3);
    s.add_speed("u" + k, s.rate(q));
    const FrameId F = s.add_frame("R" + k, from, SimpleRotation{Axis::Z, q});
    const PointId c = s.add_point("C" + k, end, -l / 2 * y(F));
    end = s.add_point("P" + k, end, -l * y(F));
    s.add_body("R" + k, {F, c, m, inertia(F, 0, 0, m * l * l / 12)});
    if (angles == Angles::Relative) from = F;
  }
  s.add_gravity(-g * y(N));
}

void derive_pendulum(benchmark::State& state, Angles angles) {
  OperationCount count;
  for (auto _ : state) {
    System s("pendulum");
    build_pendulum(s, static_cast<int>(state.range(0)), angles);
    const EquationsOfMotion e = form_equations(s);
    state.PauseTiming();
    count = count_dynamics(e, e.M, e.rhs);
    state.ResumeTiming();
  }
  show(state, count);
}

void absolute_angles(benchmark::State& state) { derive_pendulum(state, Angles::Absolute); }
void relative_angles(benchmark::State& state) { derive_pendulum(state, Angles::Relative); }
BENCHMARK(absolute_angles)->Arg(5)->Arg(20)->Arg(100)->Unit(benchmark::kMillisecond);
BENCHMARK(relative_angles)->Arg(5)->Arg(20)->Arg(100)->Unit(benchmark::kMillisecond);

/// A serial arm in space: axes along z and y in turn, uniform links along x.
void serial_arm(benchmark::State& state) {
  OperationCount count;
  for (auto _ : state) {
    System s("arm");
    FrameId from = s.inertial();
    PointId end = s.origin();
    s.add_gravity(-s.add_parameter("g", 9.81) * z(s.inertial()));
    for (int i = 1; i <= state.range(0); ++i) {
      const std::string k = std::to_string(i);
      const Expr q = s.add_coordinate("q" + k), m = s.add_parameter("m" + k, 1), l = s.add_parameter("l" + k, 0.3);
      s.add_speed("u" + k, s.rate(q));
      const FrameId F = s.add_frame("B" + k, from, SimpleRotation{i % 2 == 1 ? Axis::Z : Axis::Y, q});
      const PointId c = s.add_point("C" + k, end, l / 2 * x(F));
      end = s.add_point("P" + k, end, l * x(F));
      const Expr thin = m * l * l / 12, thick = s.add_parameter("J" + k, 0.01);
      s.add_body("B" + k, {F, c, m, inertia(F, thick, thin, thin)});
      s.add_torque_pair("T" + k, F, from, s.add_input("T" + k) * unit(F, i % 2 == 1 ? Axis::Z : Axis::Y));
      from = F;
    }
    const EquationsOfMotion e = form_equations(s);
    state.PauseTiming();
    count = count_dynamics(e, e.M, e.rhs);
    state.ResumeTiming();
  }
  show(state, count);
}
BENCHMARK(serial_arm)->Arg(3)->Arg(6)->Arg(7)->Arg(12)->Arg(20)->Unit(benchmark::kMillisecond);

/// Models of the wrist (Gillespie, table 3: 29 mul and div, 16 add, 10 func with body speeds; 790, 285, 372 with joint
/// rates) and of the bicycle with its six constraints embedded (SymPy: 2,367 operations after joint sharing).
void derive_model(benchmark::State& state, const char* name) {
  OperationCount count;
  for (auto _ : state) {
    state.PauseTiming();  // a graph of its own for every derivation
    const Mechanism mechanism = read_mechanism(fmt::format("{}/models/{}.yaml", KANE_SOURCE_DIR, name));
    state.ResumeTiming();
    const LoweredMechanism lowered = lower_mechanism(mechanism);
    const EquationsOfMotion e = form_equations(lowered.system);
    count = e.embedded ? count_dynamics(e, e.embedded->M, e.embedded->rhs) : count_dynamics(e, e.M, e.rhs);
  }
  show(state, count);
}
BENCHMARK_CAPTURE(derive_model, wrist_body, "wrist_body")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(derive_model, wrist_rates, "wrist_rates")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(derive_model, bicycle, "bicycle_nonlinear")->Unit(benchmark::kMillisecond);

}  // namespace

// From expressions to programs: microseconds per operation of lowering and all passes, and the interpreter's speed.
// The whole way to callable code may take 2 us per operation; lowering may take 0.8 of them.

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "bench/serial_arm.hpp"
#include "kane/program/interpreter.hpp"
#include "kane/program/program_file.hpp"

namespace kane::bench {
namespace {

int all_operations(const Program& p) {
  return p.operations(Stage::Parameters).total() + p.operations(Stage::Inputs).total() +
         p.operations(Stage::State).total();
}

void lower_arm(benchmark::State& state, const LowerOptions& options) {
  Graph graph;
  const SerialArm arm = make_serial_arm(graph, static_cast<int>(state.range(0)));
  int operations = 0;
  double microseconds = 0;
  for (auto _ : state) {
    LowerReport report;
    const Program p = lower("arm", arm.outputs, arm.inputs, options, &report);
    microseconds += report.microseconds;
    operations = all_operations(p);
    benchmark::DoNotOptimize(p.instructions.data());
  }
  state.counters["operations"] = operations;
  state.counters["us_per_operation"] = microseconds / static_cast<double>(state.iterations()) / operations;
}

void Lower(benchmark::State& state) { lower_arm(state, {}); }
BENCHMARK(Lower)->Arg(7)->Arg(30)->Arg(50)->Unit(benchmark::kMillisecond);

void LowerStrict(benchmark::State& state) {
  LowerOptions options;
  options.strict = true;
  lower_arm(state, options);
}
BENCHMARK(LowerStrict)->Arg(7)->Arg(30)->Unit(benchmark::kMillisecond);

std::shared_ptr<const Program> program_of_arm(int joints) {
  Graph graph;
  const SerialArm arm = make_serial_arm(graph, joints);
  return std::make_shared<Program>(lower("arm", arm.outputs, arm.inputs));
}

void Interpret(benchmark::State& state) {
  const auto p = program_of_arm(static_cast<int>(state.range(0)));
  Interpreter run(p);
  const std::vector<double> parameters(p->input_count[0], 0.7), inputs(p->input_count[1], 0.1),
      x(p->input_count[2], 0.3);
  std::vector<double> outputs(p->outputs.size());
  run.set_parameters(parameters);
  run.set_inputs(inputs);
  for (auto _ : state) {
    run.evaluate(x, outputs);
    benchmark::DoNotOptimize(outputs.data());
  }
  state.counters["operations"] = p->operations(Stage::State).total();
}
BENCHMARK(Interpret)->Arg(7)->Arg(30);

void WriteAndRead(benchmark::State& state) {
  const auto p = program_of_arm(static_cast<int>(state.range(0)));
  std::size_t size = 0;
  for (auto _ : state) {
    const std::string bytes = write_program(*p);
    size = bytes.size();
    benchmark::DoNotOptimize(read_program(bytes));
  }
  state.counters["bytes"] = static_cast<double>(size);
}
BENCHMARK(WriteAndRead)->Arg(30)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace kane::bench

// kane bench: times the equations of a model, from reading the file to one evaluation.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "apps/kane/command.hpp"
#include "apps/kane/model_source.hpp"
#include "kane/base/at.hpp"
#include "kane/base/counted.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/program/lower.hpp"

namespace kane {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct BenchOptions {
  ModelSource source;
  bool json = false, passes = false;
  int repetitions = 31;
};

/// Median over the repetitions of the time of one call, each repetition long enough to be measured.
template <class Call>
double median_nanoseconds(int repetitions, Call call) {
  int calls = 1;
  for (;; calls *= 2) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    if (milliseconds_since(start) > 0.2 || calls > (1 << 20)) break;
  }
  std::vector<double> times;
  for (int r = 0; r < repetitions; ++r) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) call();
    times.push_back(milliseconds_since(start) * 1e6 / calls);
  }
  std::nth_element(times.begin(), times.begin() + repetitions / 2, times.end());
  return times[at(repetitions / 2)];
}

/// One set of outputs, timed on every backend.
class KernelBench {
 public:
  KernelBench(const EquationsOfMotion& equations, const std::vector<double>& parameters, int repetitions)
      : equations_(equations), parameters_(parameters), repetitions_(repetitions) {}

  Json run(const std::string& name, const std::vector<Expr>& outputs, bool accelerations) {
    ProgramInputs names;
    for (const auto& p : equations_.parameters) names.parameters.push_back(p.symbol.name());
    for (const auto& i : equations_.inputs) names.inputs.push_back(i.symbol.name());
    names.inputs.push_back(equations_.t.name());
    for (const auto& q : equations_.q) names.state.push_back(q.name());
    for (const auto& u : equations_.u) names.state.push_back(u.name());
    if (accelerations)
      for (const auto& a : equations_.udot) names.state.push_back(a.name());
    // Reaction forces in loads, which a run finds by iteration; here they are given.
    for (const Expr& symbol : symbols_of(outputs)) {
      const auto listed = [&](const std::vector<std::string>& list) {
        return std::find(list.begin(), list.end(), symbol.name()) != list.end();
      };
      if (!listed(names.parameters) && !listed(names.inputs) && !listed(names.state))
        names.state.push_back(symbol.name());
    }
    std::vector<NamedExpr> named;
    for (std::size_t i = 0; i < outputs.size(); ++i) named.push_back({fmt::format("y{}", i), outputs[i]});

    const auto start = Clock::now();
    LowerReport passes;
    auto program = std::make_shared<const Program>(lower(name, named, names, {}, &passes));
    const double lower_ms = milliseconds_since(start);
    const auto start_jit = Clock::now();
    const Kernel jit = compile_kernel(program);
    const double compile_ms = milliseconds_since(start_jit);

    Json result;
    const OperationCount count = program->operations(Stage::State);
    result["operations"] = {{"mul", count.mul}, {"add", count.add}, {"div", count.div}, {"func", count.func}};
    KernelOptions interpreted;
    interpreted.use_interpreter = true;
    result["interpreter_ns"] = time(compile_kernel(program, interpreted));
    result["jit_ns"] = jit.isa() ? Json(time(jit)) : Json(nullptr);
    result["simd_ns_per_state"] = nullptr;
    if (jit.isa()) {
      KernelOptions vector;
      vector.lanes = vector_lanes(*jit.isa());
      result["simd_ns_per_state"] = time(compile_kernel(program, vector)) / vector.lanes;
      result["lanes"] = vector.lanes;
    }
    result["lower_ms"] = lower_ms;
    result["compile_ms"] = compile_ms;
    result["passes"] = Json::array();
    for (const PassReport& pass : passes.passes)
      result["passes"].push_back(
          {{"name", pass.name}, {"us", pass.microseconds}, {"before", pass.before}, {"after", pass.after}});
    return result;
  }

 private:
  double time(const Kernel& kernel) {
    Workspace workspace(kernel);
    const auto lanes = static_cast<std::size_t>(kernel.lanes());
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (std::size_t i = 0; i < parameters_.size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l) workspace.parameters()[i * lanes + l] = parameters_[i];
    kernel.run_parameters(workspace);
    for (auto& x : workspace.inputs()) x = uniform(random);
    kernel.run_inputs(workspace);
    // Several states, so that no evaluation repeats the previous one.
    constexpr std::size_t kStates = 8;
    std::vector<std::vector<double>> states(kStates, std::vector<double>(workspace.state().size()));
    for (auto& state : states)
      for (auto& x : state) x = uniform(random);
    std::size_t next = 0;
    return median_nanoseconds(repetitions_, [&] {
      std::copy(states[next].begin(), states[next].end(), workspace.state().begin());
      next = (next + 1) % kStates;
      kernel.run_state(workspace);
    });
  }

  const EquationsOfMotion& equations_;
  const std::vector<double>& parameters_;
  int repetitions_;
};

std::vector<Expr> lower_triangle(const ExprMatrix& M) {
  std::vector<Expr> entries;
  for (int i = 0; i < M.rows; ++i)
    for (int j = 0; j <= i; ++j) entries.push_back(M(i, j));
  return entries;
}

std::vector<double> parameter_values(const EquationsOfMotion& equations) {
  Values known;
  std::vector<double> values;
  for (const auto& p : equations.parameters) {
    values.push_back(evaluate(p.value, known));
    known[p.symbol.name()] = values.back();
  }
  return values;
}

void print_bench(const Json& a) {
  fmt::print("{} ({}, {}, {}): read {:.2f} ms, derive {:.2f} ms\n\n", a["model"].get<std::string>(),
             counted(a["speeds"].get<std::size_t>(), "speed"),
             counted(a["degrees_of_freedom"].get<std::size_t>(), "degree of freedom", "degrees of freedom"),
             a["formulation"].get<std::string>(), a["read_ms"].get<double>(), a["derive_ms"].get<double>());
  fmt::print("  {:<20} {:>5} {:>6} {:>4} {:>5} {:>14} {:>9} {:>15} {:>11}\n", "kernel", "mul", "add", "div", "func",
             "interpreter/ns", "JIT/ns", "SIMD/ns/state", "compile/ms");
  for (const auto& [name, k] : a["kernels"].items()) {
    const auto number = [](const Json& v) {
      return v.is_null() ? std::string("-") : fmt::format("{:.1f}", v.get<double>());
    };
    fmt::print("  {:<20} {:>5} {:>6} {:>4} {:>5} {:>14} {:>9} {:>15} {:>11.2f}\n", name,
               k["operations"]["mul"].get<int>(), k["operations"]["add"].get<int>(), k["operations"]["div"].get<int>(),
               k["operations"]["func"].get<int>(), number(k["interpreter_ns"]), number(k["jit_ns"]),
               number(k["simd_ns_per_state"]), k["lower_ms"].get<double>() + k["compile_ms"].get<double>());
  }
}

void print_passes(const Json& a) {
  for (const auto& [name, k] : a["kernels"].items()) {
    fmt::print("\nPasses of {} (values before and after; from \"assemble\" on instructions)\n", name);
    for (const auto& pass : k["passes"])
      fmt::print("  {:<16} {:>8} -> {:>8} {:>12.1f} us\n", pass["name"].get<std::string>(),
                 pass["before"].get<std::size_t>(), pass["after"].get<std::size_t>(), pass["us"].get<double>());
    fmt::print("  {:<16} {:>20} {:>12.1f} us\n", "machine code", "", k["compile_ms"].get<double>() * 1000);
  }
}

void run_bench(const BenchOptions& options) {
  const auto start = Clock::now();
  const Mechanism mechanism = options.source.read();
  require(mechanism.tables.empty(), "kane bench does not time models with tables");
  const double read_ms = milliseconds_since(start);
  const auto start_derive = Clock::now();
  FormOptions form;
  form.formulation = formulation_from(options.source.formulation);
  form.outputs = false;
  form.mass_matrix = mechanism.all_coordinates().size() <= 64;
  const EquationsOfMotion equations = form_equations(mechanism, form);
  Json a;
  a["model"] = equations.name;
  a["formulation"] = equations.formulation;
  a["speeds"] = equations.u.size();
  a["degrees_of_freedom"] = equations.u.size() - static_cast<std::size_t>(std::count_if(
                                                     equations.constraints.begin(), equations.constraints.end(),
                                                     [](const auto& c) { return c.active && !c.redundant; }));
  a["read_ms"] = read_ms;
  a["derive_ms"] = milliseconds_since(start_derive);
  const auto parameters = parameter_values(equations);
  KernelBench bench(equations, parameters, options.repetitions);
  if (!equations.udot_explicit.empty()) {
    a["kernels"]["forward_dynamics"] = bench.run("forward", equations.udot_explicit, false);
  } else {
    std::vector<Expr> outputs = equations.rhs;
    const auto M = lower_triangle(equations.M);
    outputs.insert(outputs.end(), M.begin(), M.end());
    a["kernels"]["mass_matrix_and_rhs"] = bench.run("mass_and_rhs", outputs, false);
  }
  if (!equations.inverse.empty()) a["kernels"]["inverse_dynamics"] = bench.run("inverse", equations.inverse, true);
  if (equations.M.rows > 0) a["kernels"]["mass_matrix"] = bench.run("mass", lower_triangle(equations.M), false);
  if (options.json) {
    fmt::print("{}\n", a.dump());
    return;
  }
  print_bench(a);
  if (options.passes) print_passes(a);
}

}  // namespace

void add_bench_command(CLI::App& app) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App* command =
      app.add_subcommand("bench", "Time the equations of a model: reading, deriving, compiling, evaluating");
  options->source.add_to(*command);
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--passes", options->passes, "Also list the compiler passes, with sizes and times");
  command->add_option("--repetitions", options->repetitions, "Number of measurements per median")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  kane bench models/stanford_arm.yaml\n"
      "  kane bench robot.urdf --floating-base --json");
  command->callback([options] { run_bench(*options); });
}

}  // namespace kane

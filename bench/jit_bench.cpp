// Machine code from expressions: how long it takes, and how good it is.
//
//   Compile/S       lowering, all passes and code generation: at most 2 us per operation, 1 ms for the 7-joint arm, and
//                   30 ms for 15,000 operations
//   Quality/S       one evaluation against the same program emitted as C and built by gcc -O3 -march=native
//                   -ffp-contract=fast: `ratio` at most 1.1
//   Lanes/S/ISA     states per second of a SIMD kernel against those of the scalar kernel of the same instruction set:
//                   `ratio` at least 5 with AVX-512, 3 with AVX2
//
// Both sides of a ratio are measured in turn in one run, and the ratio is that of the medians. BENCH_COUNT=jit or gcc (with
// BENCH_SYSTEM=n) evaluates that often and does nothing else, for callgrind: see scripts/count_instructions.sh.

#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kane/codegen/emit/emit_source.hpp"
#include "kane/codegen/kernel.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/formats/yaml/yaml_reader.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/program/lower.hpp"

namespace kane::bench {
namespace {

/// Time that this thread has run, so that others on the machine count less.
double now() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return 1e9 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec);
}

double nanoseconds_since(double start) { return now() - start; }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// ---- systems -------------------------------------------------------------------------------------------------------------

/// Revolute joints; limbs of `limb` bodies grow from the first body, or all are one chain if limb is 0.
std::string tree_text(int joints, int limb) {
  std::string bodies, connections;
  for (int i = 1; i <= joints; ++i) {
    const int parent = limb > 0 && i > 1 && (i - 2) % limb == 0 ? 1 : i - 1;
    bodies += fmt::format(
        "  B{0}: {{mass: {1}, com: [0.02, 0.15, 0.0{2}], inertia: [0.0{3}, 0.01, 0.03, 0.001, 0.002, 0.001]}}\n", i,
        1 + 0.1 * (i % 7), 1 + i % 5, 2 + i % 4);
    connections +=
        fmt::format("  J{0}: {{type: revolute, parent: {1}, at: [0.0{2}, 0.3, 0.01], child: B{0}, axis: {3}}}\n", i,
                    parent == 0 ? "N" : fmt::format("B{}", parent), i % 4, "zyx"[i % 3]);
  }
  return fmt::format("kane: 1\nname: tree{}\ngravity: -9.81*N.y\nbodies:\n{}joints:\n{}", joints, bodies, connections);
}

struct SystemRow {
  const char* name;
  int joints, limb;
};
constexpr SystemRow kSystems[] = {{"arm7", 7, 0}, {"tree30", 30, 5}, {"chain50", 50, 0}, {"chain100", 100, 0}};

struct Equations {
  EquationsOfMotion motion;
  std::vector<NamedExpr> outputs;
  ProgramInputs inputs;
};

Equations equations_of(const SystemRow& row) {
  FormOptions options;
  options.outputs = false;
  options.mass_matrix = false;
  Equations e{form_equations(read_yaml_text(tree_text(row.joints, row.limb)), options), {}, {}};
  for (const auto& p : e.motion.parameters) e.inputs.parameters.push_back(p.symbol.name());
  for (const auto& q : e.motion.q) e.inputs.state.push_back(q.name());
  for (const auto& u : e.motion.u) e.inputs.state.push_back(u.name());
  for (std::size_t i = 0; i < e.motion.udot_explicit.size(); ++i)
    e.outputs.push_back({fmt::format("a{}", i), e.motion.udot_explicit[i]});
  return e;
}

// ---- compile time ----------------------------------------------------------------------------------------------------------

void compile(benchmark::State& state, const SystemRow& row) {
  const Equations e = equations_of(row);
  std::vector<double> lowering, generating;
  double operations = 0;
  for (auto _ : state) {
    const auto start = now();
    auto program = std::make_shared<const Program>(lower("motion", e.outputs, e.inputs));
    lowering.push_back(nanoseconds_since(start));
    const auto middle = now();
    const Kernel kernel = compile_kernel(program);
    generating.push_back(nanoseconds_since(middle));
    benchmark::DoNotOptimize(kernel.code().data());
    operations = 0;
    for (const Stage stage : kStages) operations += program->operations(stage).total();
  }
  const double total = median(lowering) + median(generating);
  state.counters["operations"] = operations;
  state.counters["ms"] = total * 1e-6;
  state.counters["us_per_operation"] = total * 1e-3 / operations;
  state.counters["lower_us_per_op"] = median(lowering) * 1e-3 / operations;
}

// ---- quality ---------------------------------------------------------------------------------------------------------------

/// The program as C, compiled by gcc and loaded.
class CompiledC {
 public:
  explicit CompiledC(const Program& program, const std::string& flags = "-O3 -march=native -ffp-contract=fast") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / fmt::format("kane_jit_bench_{}", ::getpid());
    fs::create_directories(folder);
    for (const SourceFile& f : emit_source(program, Language::C, {.name = "motion"}))
      std::ofstream(folder / f.name) << f.text;
    std::ofstream(folder / "glue.c")
        << "#include \"motion.h\"\n#include <string.h>\n"
           "static motion_workspace ws;\n"
           "void start(const double *p) { motion_parameters a; motion_inputs i; memset(&i, 0, sizeof i);\n"
           "  memcpy(&a, p, sizeof a); motion_set_parameters(&ws, &a); motion_set_inputs(&ws, &i); }\n"
           "void run(const double *x, double *y) { motion_evaluate(&ws, x, y); }\n";
    const std::string command = fmt::format(
        "cd '{0}' && gcc -std=c99 {1} -fPIC -shared -o motion.so motion.c glue.c -lm", folder.string(), flags);
    const auto start = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) throw std::runtime_error("gcc could not build the emitted program");
    build_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    library_ = dlopen((folder / "motion.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    start_ = reinterpret_cast<void (*)(const double*)>(dlsym(library_, "start"));
    run_ = reinterpret_cast<void (*)(const double*, double*)>(dlsym(library_, "run"));
    fs::remove_all(folder);
  }
  ~CompiledC() { dlclose(library_); }
  CompiledC(const CompiledC&) = delete;
  CompiledC& operator=(const CompiledC&) = delete;

  void start(const std::vector<double>& parameters) const { start_(parameters.data()); }
  void run(const double* x, double* y) const { run_(x, y); }
  [[nodiscard]] double build_seconds() const { return build_seconds_; }

 private:
  void* library_ = nullptr;
  void (*start_)(const double*) = nullptr;
  void (*run_)(const double*, double*) = nullptr;
  double build_seconds_ = 0;
};

std::vector<double> parameters_of(const EquationsOfMotion& e) {
  Values known;
  std::vector<double> values;
  for (const auto& p : e.parameters) {
    values.push_back(evaluate(p.value, known));
    known[p.symbol.name()] = values.back();
  }
  return values;
}

/// A kernel with a state that changes a little from call to call. States are written where the kernel reads them, results are
/// read where it leaves them, as an integrator would.
class Load {
 public:
  Load(const Kernel& kernel, const std::vector<double>& parameters) : kernel_(kernel), workspace_(kernel) {
    const auto lanes = static_cast<std::size_t>(kernel.lanes());
    for (std::size_t i = 0; i < parameters.size(); ++i)
      for (std::size_t l = 0; l < lanes; ++l) workspace_.parameters()[i * lanes + l] = parameters[i];
    kernel_.run_parameters(workspace_);
    kernel_.run_inputs(workspace_);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    for (double& x : workspace_.state()) x = uniform(random);
    changed_ = workspace_.state().first(lanes);
  }

  void run() {
    for (double& x : changed_) x = -x;
    kernel_.run_state(workspace_);
  }
  [[nodiscard]] std::span<const double> state() { return workspace_.state(); }
  [[nodiscard]] std::span<const double> outputs() const { return workspace_.outputs(); }

 private:
  const Kernel& kernel_;
  Workspace workspace_;
  std::span<double> changed_;
};

/// Nanoseconds of one call of each, measured in turn; medians over the rounds.
template <class A, class B>
std::pair<double, double> compare(A a, B b, int rounds = 61) {
  std::size_t calls = 8;
  for (;; calls *= 2) {
    const auto start = now();
    for (std::size_t i = 0; i < calls; ++i) a();
    if (nanoseconds_since(start) > 1e5) break;
  }
  std::vector<double> of_a, of_b;
  for (int r = 0; r < rounds; ++r) {
    auto start = now();
    for (std::size_t i = 0; i < calls; ++i) a();
    of_a.push_back(nanoseconds_since(start) / static_cast<double>(calls));
    start = now();
    for (std::size_t i = 0; i < calls; ++i) b();
    of_b.push_back(nanoseconds_since(start) / static_cast<double>(calls));
  }
  return {median(of_a), median(of_b)};
}

void quality(benchmark::State& state, const SystemRow& row) {
  const Equations e = equations_of(row);
  const auto program = std::make_shared<const Program>(lower("motion", e.outputs, e.inputs));
  const Kernel kernel = compile_kernel(program);
  const std::vector<double> parameters = parameters_of(e.motion);
  Load load(kernel, parameters);
  const CompiledC c(*program);
  c.start(parameters);
  std::vector<double> x(load.state().begin(), load.state().end()), y(program->outputs.size());
  std::pair<double, double> ns;
  for (auto _ : state)
    ns = compare([&] { load.run(); },
                 [&] {
                   x[0] = -x[0];
                   c.run(x.data(), y.data());
                 });
  load.run();
  c.run(load.state().data(), y.data());
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(std::abs(y[i] - load.outputs()[i]) <= 1e-6 * (1 + std::abs(y[i])))) state.SkipWithError("the results differ");
  state.counters["operations"] = program->operations(Stage::State).total();
  state.counters["jit_ns"] = ns.first;
  state.counters["gcc_ns"] = ns.second;
  state.counters["ratio"] = ns.first / ns.second;
  state.counters["gcc_build_s"] = c.build_seconds();
  state.counters["code_bytes"] = static_cast<double>(kernel.code().size());
}

void lanes(benchmark::State& state, const SystemRow& row, Isa isa) {
  if (!is_available(isa)) {
    state.SkipWithError("this processor does not have it");
    return;
  }
  const Equations e = equations_of(row);
  const auto program = std::make_shared<const Program>(lower("motion", e.outputs, e.inputs));
  const std::vector<double> parameters = parameters_of(e.motion);
  const Kernel scalar = compile_kernel(program, {.isa = isa}),
               vector = compile_kernel(program, {.isa = isa, .lanes = vector_lanes(isa)});
  Load one(scalar, parameters), many(vector, parameters);
  std::pair<double, double> ns;
  for (auto _ : state) ns = compare([&] { one.run(); }, [&] { many.run(); });
  state.counters["scalar_ns"] = ns.first;
  state.counters["ns_per_state"] = ns.second / vector.lanes();
  state.counters["ratio"] = ns.first * vector.lanes() / ns.second;
}

/// For callgrind: nothing but evaluations.
int count_only(const std::string& which) {
  const char* index = std::getenv("BENCH_SYSTEM");
  const SystemRow& row =
      kSystems[index == nullptr ? 0 : static_cast<std::size_t>(std::atoi(index)) % std::size(kSystems)];
  const Equations e = equations_of(row);
  const auto program = std::make_shared<const Program>(lower("motion", e.outputs, e.inputs));
  const Kernel kernel = compile_kernel(program, {.isa = Isa::Avx2});
  const std::vector<double> parameters = parameters_of(e.motion);
  Load load(kernel, parameters);
  const CompiledC c(*program, "-O3 -march=haswell -ffp-contract=fast");
  c.start(parameters);
  std::vector<double> y(program->outputs.size());
  constexpr std::size_t kCalls = 2000;
  for (std::size_t i = 0; i < kCalls; ++i) {
    if (which == "jit") load.run();
    if (which == "gcc") c.run(load.state().data(), y.data());
  }
  return 0;
}

void register_all() {
  for (const SystemRow& row : kSystems) {
    const std::string name = row.name;
    benchmark::RegisterBenchmark(("Compile/" + name).c_str(), [&row](benchmark::State& s) { compile(s, row); })
        ->Unit(benchmark::kMillisecond)
        ->MinTime(0.3);
  }
  for (const SystemRow& row : kSystems)
    benchmark::RegisterBenchmark((std::string("Quality/") + row.name).c_str(),
                                 [&row](benchmark::State& s) { quality(s, row); })
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  for (const SystemRow& row : kSystems)
    for (const Isa isa : {Isa::Avx2, Isa::Avx512})
      benchmark::RegisterBenchmark(fmt::format("Lanes/{}/{}", row.name, to_string(isa)).c_str(),
                                   [&row, isa](benchmark::State& s) { lanes(s, row, isa); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
}

}  // namespace
}  // namespace kane::bench

int main(int argc, char** argv) {
  if (const char* which = std::getenv("BENCH_COUNT")) return kane::bench::count_only(which);
  kane::bench::register_all();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

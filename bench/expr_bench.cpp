// Figures of the expression core: how many nodes a core interns per second and what each costs in memory, how fast text
// is read, and how long a large Jacobian takes.

#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/print.hpp"

namespace {

using kane::Expr;
using kane::Graph;

std::vector<Expr> make_symbols(Graph& graph, int count, const std::string& stem) {
  std::vector<Expr> symbols;
  for (int i = 0; i < count; ++i) symbols.push_back(graph.symbol(stem + std::to_string(i + 1)));
  return symbols;
}

/// Sums, differences and products of random nodes among the last `window` (0: among all). Nearly every result is new.
void intern_operations(benchmark::State& state) {
  const auto window = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kOperations = 1'000'000;
  double bytes_per_node = 0.0;
  for (auto _ : state) {
    Graph graph;
    make_symbols(graph, 50, "x");
    std::minstd_rand random(1);
    const auto pick = [&] {
      const std::size_t reach = window == 0 ? graph.size() : std::min(window, graph.size());
      // Neither numbers nor opposites: a + a = 2 a, and coefficients of products of products would grow without end.
      Expr e;
      while (e.is_number() || e.op() == kane::Op::Neg)
        e = graph.at(static_cast<kane::NodeId>(graph.size() - 1 - random() % reach));
      return e;
    };
    for (std::size_t i = 0; i < kOperations; ++i) {
      const Expr a = pick();
      Expr b = pick();
      while (b == a) b = pick();
      benchmark::DoNotOptimize(i % 4 == 0 ? a + b : i % 4 == 1 ? a - b : a * b);
    }
    bytes_per_node = static_cast<double>(graph.memory_bytes()) / static_cast<double>(graph.size());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kOperations));
  state.counters["bytes_per_node"] = bytes_per_node;
}
BENCHMARK(intern_operations)->ArgName("window")->Arg(0)->Arg(1000)->Unit(benchmark::kMillisecond);

/// Operations whose result is known already: what a derivation by many paths mostly asks for.
void intern_known_operations(benchmark::State& state) {
  Graph graph;
  const auto x = make_symbols(graph, 200, "x");
  constexpr int kOperations = 200 * 200 * 2;
  for (auto _ : state)
    for (const auto& a : x)
      for (const auto& b : x) {
        benchmark::DoNotOptimize(a + b);
        benchmark::DoNotOptimize(a * b);
      }
  state.SetItemsProcessed(state.iterations() * kOperations);
}
BENCHMARK(intern_known_operations)->Unit(benchmark::kMillisecond);

/// Sines and cosines of sums of angles, and quotients: the expensive fingerprints.
void intern_functions(benchmark::State& state) {
  constexpr int kOperations = 3 * 100 * 100;
  for (auto _ : state) {
    Graph graph;
    const auto q = make_symbols(graph, 100, "q");
    for (const auto& a : q)
      for (const auto& b : q) {
        benchmark::DoNotOptimize(sin(a + 2 * b));
        benchmark::DoNotOptimize(cos(a + 2 * b));
        benchmark::DoNotOptimize(a / (b + 1));
      }
  }
  state.SetItemsProcessed(state.iterations() * kOperations);
}
BENCHMARK(intern_functions)->Unit(benchmark::kMillisecond);

void jacobian_100_by_100(benchmark::State& state) {
  std::size_t entries = 0, nodes = 0;
  for (auto _ : state) {
    state.PauseTiming();
    Graph graph;
    const auto inputs = make_symbols(graph, 100, "x");
    std::vector<Expr> pool = inputs;
    std::minstd_rand random(7);
    while (graph.size() < 10'000) {
      const auto pick = [&] { return pool[pool.size() - 1 - random() % std::min<std::size_t>(pool.size(), 400)]; };
      const Expr a = pick(), b = pick();
      switch (random() % 5) {
        case 0: pool.push_back(a + b); break;
        case 1: pool.push_back(a - b); break;
        case 2: pool.push_back(sin(a)); break;
        default: pool.push_back(a * b); break;
      }
    }
    const std::vector<Expr> outputs(pool.end() - 100, pool.end());
    nodes = graph.size();
    state.ResumeTiming();
    const auto jacobian = kane::jacobian(outputs, inputs);
    entries = jacobian.entries.size();
  }
  state.counters["nodes"] = static_cast<double>(nodes);
  state.counters["entries"] = static_cast<double>(entries);
}
BENCHMARK(jacobian_100_by_100)->Unit(benchmark::kMillisecond);

void parse_text(benchmark::State& state) {
  std::string text;
  for (int i = 0; i < 2000; ++i)
    text += fmt::format("{}m{}*L{}^2*(sin(q{} + q{})*u{} - 0.{}*cos(q{})*u{}'/3)", i == 0 ? "" : " + ", i % 7, i % 5,
                        i % 11, i % 13, i % 17, i + 1, i % 19, i % 23);
  for (auto _ : state) {
    Graph graph;
    benchmark::DoNotOptimize(kane::parse(graph, text));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse_text)->Unit(benchmark::kMillisecond);

/// A chain of a million additions: built, differentiated and evaluated.
void million_additions(benchmark::State& state) {
  for (auto _ : state) {
    Graph graph;
    const Expr x = graph.symbol("x"), y = graph.symbol("y");
    Expr sum = x * y;
    for (int i = 0; i < 1'000'000; ++i) sum = i % 2 == 0 ? sum + x : sum + sum * y;
    benchmark::DoNotOptimize(derivative(sum, x));
    benchmark::DoNotOptimize(evaluate(sum, {{"x", 0.5}, {"y", 1e-6}}));
  }
}
BENCHMARK(million_additions)->Unit(benchmark::kMillisecond);

}  // namespace

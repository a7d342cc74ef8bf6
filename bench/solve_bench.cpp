// Cost of the numerical kernels by themselves: what an integrator adds to the evaluations of the right-hand side, the
// choice of independent speeds, embedded solves, complementarity problems.

#include <benchmark/benchmark.h>

#include <memory>
#include <random>
#include <vector>

#include "kane/solve/branch_sparse.hpp"
#include "kane/solve/contact_lcp.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/embed.hpp"
#include "kane/solve/fixed_step.hpp"
#include "kane/solve/gauss.hpp"
#include "kane/solve/independent.hpp"

namespace {

using namespace kane;

std::vector<double> random_numbers(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> numbers(count);
  for (double& v : numbers) v = uniform(random);
  return numbers;
}

Matrix random_matrix(std::size_t rows, std::size_t columns, unsigned seed) {
  Matrix a(rows, columns);
  const std::vector<double> numbers = random_numbers(rows * columns, seed);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) a(i, j) = numbers[i * columns + j];
  }
  return a;
}

Matrix random_mass(std::size_t n, unsigned seed) {
  const Matrix b = random_matrix(n, n, seed);
  Matrix m(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) m(i, j) += b(i, k) * b(j, k);
    }
    m(i, i) += 1;
  }
  return m;
}

/// n/2 oscillators of frequency 1: two operations per pair, so that what is measured is the integrator.
RhsStatus oscillators(double, std::span<const double> y, std::span<double> f) {
  for (std::size_t i = 0; i < y.size(); i += 2) {
    f[i] = y[i + 1];
    f[i + 1] = -y[i];
  }
  return RhsStatus::Ok;
}

void run_steps(benchmark::State& state, Integrator& integrator) {
  const auto n = integrator.size();
  std::vector<double> y = random_numbers(n, 1);
  integrator.start(0, y);
  for (auto _ : state) benchmark::DoNotOptimize(integrator.step().status);
  const auto steps = static_cast<double>(integrator.totals().steps);
  state.counters["ns/state"] = benchmark::Counter(steps * static_cast<double>(n) * 1e-9,
                                                  benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["evaluations/step"] = static_cast<double>(integrator.totals().evaluations) / steps;
}

void bench_rhs_alone(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Rhs rhs = oscillators;
  std::vector<double> y = random_numbers(n, 1), f(n);
  for (auto _ : state) benchmark::DoNotOptimize(rhs(0, y, f));
}
BENCHMARK(bench_rhs_alone)->Arg(4)->Arg(14)->Arg(100);

void bench_rk4(benchmark::State& state) {
  RungeKutta4 integrator(static_cast<std::size_t>(state.range(0)), oscillators, 1e-3);
  run_steps(state, integrator);
}
BENCHMARK(bench_rk4)->Arg(4)->Arg(14)->Arg(100);

void bench_dopri5(benchmark::State& state) {
  DormandPrince54 integrator(static_cast<std::size_t>(state.range(0)), oscillators);
  run_steps(state, integrator);
}
BENCHMARK(bench_dopri5)->Arg(4)->Arg(14)->Arg(100);

void bench_dop853(benchmark::State& state) {
  AdaptiveOptions options;
  options.tolerance = {.relative = {1e-10}, .absolute = {1e-10}};
  DormandPrince853 integrator(static_cast<std::size_t>(state.range(0)), oscillators, options);
  run_steps(state, integrator);
}
BENCHMARK(bench_dop853)->Arg(4)->Arg(14)->Arg(100);

void bench_midpoint(benchmark::State& state) {
  GaussIntegrator integrator(static_cast<std::size_t>(state.range(0)), oscillators, {.step = 1e-3});
  run_steps(state, integrator);
}
BENCHMARK(bench_midpoint)->Arg(4)->Arg(14);

void bench_choose_independent(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0)), m = static_cast<std::size_t>(state.range(1));
  const Matrix a = random_matrix(m, n, 3);
  IndependentSpeeds chooser(m, n);
  for (auto _ : state) benchmark::DoNotOptimize(chooser.choose(a).rank);
}
BENCHMARK(bench_choose_independent)->Args({30, 10})->Args({12, 6})->Args({6, 2});

void bench_embedded_solve(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0)), m = static_cast<std::size_t>(state.range(1));
  const Matrix a = random_matrix(m, n, 3), mass = random_mass(n, 4);
  const std::vector<double> rhs = random_numbers(n, 5), gamma = random_numbers(m, 6);
  std::vector<double> udot(n), lambda(m);
  IndependentSpeeds chooser(m, n);
  chooser.choose(a);
  Embedding embedding(n, m);
  embedding.set_choice(chooser);
  for (auto _ : state) {
    benchmark::DoNotOptimize(embedding.refresh(a).status);
    benchmark::DoNotOptimize(embedding.solve(mass, rhs, gamma, udot).status);
    embedding.calc_multipliers(mass, rhs, udot, Multipliers::Basic, lambda);
  }
}
BENCHMARK(bench_embedded_solve)->Args({30, 10})->Args({12, 6})->Args({6, 2});

void bench_ldlt(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const Matrix mass = random_mass(n, 4);
  Matrix work = mass;
  const std::vector<double> rhs = random_numbers(n, 5);
  std::vector<double> x = rhs;
  for (auto _ : state) {
    work = mass;
    x = rhs;
    benchmark::DoNotOptimize(factor_ldlt(work).status);
    solve_ldlt(work, x);
  }
}
BENCHMARK(bench_ldlt)->Arg(7)->Arg(30);

void bench_contact(benchmark::State& state) {
  const auto contacts = static_cast<std::size_t>(state.range(0));
  const Matrix w = random_mass(3 * contacts, 7);
  const std::vector<double> v0 = random_numbers(3 * contacts, 8);
  const std::vector<FrictionContact> list(contacts, {.mu = 0.5});
  std::vector<double> p(3 * contacts);
  ContactLcpSolver solver(contacts, 3, {.directions = 8, .check_unique = false});
  for (auto _ : state) benchmark::DoNotOptimize(solver.solve(w, v0, list, p).status);
}
BENCHMARK(bench_contact)->Arg(1)->Arg(4);

}  // namespace

// Nothing in this module allocates after construction: malloc itself is counted, which also sees SUNDIALS.

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>

#ifdef KANE_SANITIZED
#include <sanitizer/allocator_interface.h>
#endif

#include "kane/solve/auto_switch.hpp"
#include "kane/solve/branch_sparse.hpp"
#include "kane/solve/contact_lcp.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/embed.hpp"
#include "kane/solve/events.hpp"
#include "kane/solve/fixed_step.hpp"
#include "kane/solve/gauss.hpp"
#include "kane/solve/newton.hpp"
#include "kane/solve/stormer_verlet.hpp"
#include "problems.hpp"
#include "random_matrices.hpp"

namespace {
std::atomic<long> allocations{0};
#ifdef KANE_SANITIZED
// The sanitizers own malloc, and tell who asks.
const int hooked = __sanitizer_install_malloc_and_free_hooks([](const volatile void*, std::size_t) { ++allocations; },
                                                             [](const volatile void*) {});
#endif
}  // namespace

#ifndef KANE_SANITIZED
extern "C" void* __libc_malloc(std::size_t size);
extern "C" void* __libc_calloc(std::size_t count, std::size_t size);
extern "C" void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
extern "C" void* calloc(std::size_t count, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_calloc(count, size);
}
#endif

namespace kane {
namespace {

long count_allocations(const std::function<void()>& work) {
  const long before = allocations;
  work();
  return allocations - before;
}

TEST(Allocation, TheCounterCounts) {
#ifdef KANE_SANITIZED
  ASSERT_NE(hooked, 0);
#endif
  EXPECT_GT(count_allocations([] { EXPECT_NE(std::make_unique<double[]>(1000).get(), nullptr); }), 0);
}

TEST(Allocation, NoStepOfAnyIntegratorAllocates) {
  const auto rhs = testing::NonlinearProblem::rhs;
  std::vector<std::unique_ptr<Integrator>> methods;
  methods.push_back(std::make_unique<RungeKutta4>(4, rhs, 1e-3));
  methods.push_back(std::make_unique<GaussIntegrator>(4, rhs, GaussOptions{.step = 1e-2, .stages = 3}));
  methods.push_back(std::make_unique<GaussIntegrator>(
      4, rhs, GaussOptions{.step = 1e-2, .stages = 2, .iteration = StageIteration::Newton}));
  methods.push_back(std::make_unique<DormandPrince54>(4, rhs, testing::with_tolerance(1e-7)));
  methods.push_back(std::make_unique<DormandPrince853>(4, rhs, testing::with_tolerance(1e-10)));
  methods.push_back(std::make_unique<CvodeIntegrator>(4, rhs));
  methods.push_back(std::make_unique<ArkodeIntegrator>(4, rhs));
  methods.push_back(std::make_unique<AdaptiveIntegrator>(4, rhs));
  std::vector<double> y(4);
  for (const auto& method : methods) {
    method->start(0, testing::NonlinearProblem::start());
    method->step();  // libraries allocate in their first step
    bool good = true;
    const long count = count_allocations([&] {
      for (int k = 0; k < 200; ++k) {
        good = good && method->step().status == StepStatus::Ok;
        good = good && method->interpolate(0.5 * (method->time() + method->previous_time()), y) == StepStatus::Ok;
        if (k % 50 == 49) {
          std::ranges::copy(method->state(), y.begin());
          y[0] += 1e-3;
          method->resume(method->time(), y);
        }
      }
    });
    EXPECT_TRUE(good) << method->name();
    EXPECT_EQ(count, 0) << method->name();
  }
}

TEST(Allocation, NoEventAllocates) {
  const auto g = [](double, std::span<const double> y, std::span<double> out) { out[0] = y[0], out[1] = y[1] - 0.5; };
  DormandPrince54 integrator(4, testing::NonlinearProblem::rhs, testing::with_tolerance(1e-8));
  EventLocator events(4, {{Crossing::Both}, {Crossing::Falling}}, g);
  integrator.start(0, testing::NonlinearProblem::start());
  events.start(0, integrator.state());
  std::vector<double> y(4);
  int hits = 0;
  const long count = count_allocations([&] {
    for (int k = 0; k < 300; ++k) {
      integrator.step();
      if (events.find(integrator) != EventStatus::Found) continue;
      ++hits;
      if (integrator.interpolate(events.time(), y) != StepStatus::Ok) break;
      integrator.resume(events.time(), y);
      events.resume(events.time(), y);
    }
  });
  EXPECT_GT(hits, 3);
  EXPECT_EQ(count, 0);
}

TEST(Allocation, NoSolveAllocates) {
  testing::Generator random(1);
  const std::size_t n = 12, m = 4;
  const Matrix a = testing::random_matrix(random, m, n), mass = testing::random_mass(random, n);
  const std::vector<double> rhs = testing::random_vector(random, n), gamma = testing::random_vector(random, m);
  std::vector<double> udot(n), lambda(m), u = testing::random_vector(random, n);
  IndependentSpeeds chooser(m, n);
  Embedding embedding(n, m);
  Matrix factor = mass;
  std::vector<int> chain(n);
  for (std::size_t i = 0; i < n; ++i) chain[i] = static_cast<int>(i) - 1;
  const Matrix w = testing::random_mass(random, 9);
  const std::vector<double> v0 = testing::random_vector(random, 9);
  std::vector<double> p(9);
  const std::vector<FrictionContact> contacts(3, {.mu = 0.5});
  ContactLcpSolver contact(3, 3);
  GaussNewton newton(1, 2);
  std::vector<double> x = {2, 1};
  const auto circle = [](std::span<const double> v, std::span<double> r) {
    r[0] = v[0] * v[0] + v[1] * v[1] - 1;
    return true;
  };
  bool good = true;
  const long count = count_allocations([&] {
    chooser.choose(a);
    chooser.update(a);
    embedding.set_choice(chooser);
    good = good && embedding.refresh(a).ok() && embedding.solve(mass, rhs, gamma, udot).ok();
    embedding.calc_multipliers(mass, rhs, udot, Multipliers::MinimumNorm, lambda);
    good = good && embedding.impose(mass, gamma, u, Multipliers::Basic, lambda).ok();
    good = good && factor_ltl(factor, chain).ok();
    good = good && contact.solve(w, v0, contacts, p).ok();
    good = good && newton.solve(circle, x, {.nearest = true}).ok();
  });
  EXPECT_TRUE(good);
  EXPECT_EQ(count, 0);
}

}  // namespace
}  // namespace kane

// One compiled system, used by many threads at once: everything that is made on demand, and everything that runs.
// `make tsan` runs the suites that begin with ModelThreads.

#include <gtest/gtest.h>

#include <latch>
#include <thread>

#include "kane/expr/derivative.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/switching/state_motion.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/simulate/system/motion_jacobian.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"
#include "kane/simulate/tick/written_constraint.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

constexpr std::size_t kThreads = 8;

/// Runs `work(number)` in all threads, which begin together.
template <class Work>
void together(Work work) {
  std::latch ready(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      ready.arrive_and_wait();
      work(i);
    });
  for (auto& thread : threads) thread.join();
}

std::vector<double> all_of(const State& s) {
  std::vector<double> y{s.t};
  y.insert(y.end(), s.q.begin(), s.q.end());
  y.insert(y.end(), s.u.begin(), s.u.end());
  return y;
}

std::vector<double> simulate(const Model& model, double until) {
  const auto sim = make_simulator(model.system, {.tolerance = 1e-7});
  sim->start(sim->assemble(model.initial(), model.given()));
  const RunReport report = sim->run({.until = until, .intervals = 5});
  std::vector<double> y = all_of(sim->state());
  y.push_back(report.energy.end);
  const auto reports = sim->calc_reports(sim->state());
  y.insert(y.end(), reports.begin(), reports.end());
  return y;
}

std::vector<double> linearize(const Model& model) {
  const LinearizationKernel* linear = model.system->extra().linearization();
  if (linear == nullptr) return {};
  SystemEvaluator evaluator(model.system);
  KernelRunner runner(&linear->kernel, evaluator.context());
  const State s = model.initial();
  const std::vector<double> udot(s.u.size(), 0.1), lambda(model.system->constraint_count(), 0.2);
  const auto y = runner.run(s.q, s.u, udot, lambda);
  return {y.begin(), y.end()};
}

std::vector<double> evaluate_energy(const Model& model) {
  SystemEvaluator evaluator(model.system);
  KernelRunner runner(&model.system->extra().energy()->kernel, evaluator.context());
  const State s = model.initial();
  const auto y = runner.run(s.q, s.u);
  return {y.begin(), y.end()};
}

/// Expressions and a kernel of the thread's own.
std::vector<double> write_constraint(const Model& model) {
  const KernelWorkshop shop(*model.system);
  const EquationsOfMotion& e = shop.equations();
  const WrittenConstraint written(shop, "held", sin(e.q[0]) * e.q[0]);
  SystemEvaluator evaluator(model.system);
  KernelRunner runner(&written.kernel(), evaluator.context());
  const State s = model.initial();
  const auto y = runner.run(s.q, s.u);
  const Kernel rates =
      shop.compile("rates", std::vector<Expr>{derivative(e.rhs.empty() ? e.qdot[0] : e.rhs[0], e.q[0])});
  KernelRunner rate(&rates, evaluator.context());
  const std::vector<double> udot(s.u.size()), lambda(model.system->constraint_count());
  std::vector<double> result(y.begin(), y.end());
  result.push_back(rate.run(s.q, s.u, udot, lambda)[0]);
  return result;
}

std::vector<double> find_motion(const Model& model) {
  SystemEvaluator evaluator(model.system);
  StateMotion motion(evaluator);
  const State s = model.initial();
  (void)motion.calc(s.q, s.u);
  return {motion.udot().begin(), motion.udot().end()};
}

std::vector<double> tick(const Model& model) {
  TickSimulator ticks(model.system);
  ticks.start(model.initial());
  for (int k = 0; k < 50; ++k) (void)ticks.tick();
  return all_of(ticks.state());
}

// Every thread does everything, each beginning somewhere else; on a fresh system, so that all on-demand parts are made
// under contention. Each result is compared with that of a system of one thread's own.
TEST(ModelThreads, ShareOneSystemForEverything) {
  for (const char* name : {"double_pendulum", "fourbar", "bouncing_ball", "block_on_plane"}) {
    const Model alone = load_model(name), shared = load_model(name);
    using Part = std::vector<double> (*)(const Model&);
    const std::vector<Part> parts{[](const Model& m) { return simulate(m, 0.2); },
                                  linearize,
                                  evaluate_energy,
                                  write_constraint,
                                  find_motion,
                                  tick};
    std::vector<std::vector<double>> expected;
    for (const Part part : parts) expected.push_back(part(alone));
    std::vector<std::vector<std::vector<double>>> found(kThreads, std::vector<std::vector<double>>(parts.size()));
    together([&](std::size_t thread) {
      for (std::size_t k = 0; k < parts.size(); ++k) {
        const std::size_t part = (k + thread) % parts.size();
        found[thread][part] = parts[part](shared);
      }
    });
    for (std::size_t thread = 0; thread < kThreads; ++thread)
      for (std::size_t part = 0; part < parts.size(); ++part)
        EXPECT_EQ(found[thread][part], expected[part]) << name << " thread " << thread << " part " << part;
  }
}

TEST(ModelThreads, LeaveTheGraphOfTheSystemAlone) {
  const Model model = load_model("block_on_plane");
  const std::size_t before = model.equations().graph->size();
  together([&](std::size_t) {
    (void)simulate(model, 0.05);
    (void)linearize(model);
    (void)write_constraint(model);
    (void)tick(model);
  });
  EXPECT_EQ(model.equations().graph->size(), before);
}

// A snapshot is a constant value: threads go on from the same one.
TEST(ModelThreads, ContinueFromOneSnapshot) {
  const Model model = load_model("bouncing_ball");
  const auto sim = make_simulator(model.system, {.tolerance = 1e-8});
  sim->start(model.initial());
  while (sim->state().t < 0.7) (void)sim->step(0.7);
  const MotionSnapshot snapshot = sim->snapshot();
  const auto finish = [](MotionSimulator& s) {
    while (s.state().t < 1.5) (void)s.step(1.5);
    return all_of(s.state());
  };
  const std::vector<double> expected = finish(*sim);
  std::vector<std::vector<double>> found(kThreads);
  together([&](std::size_t thread) {
    const auto own = make_simulator(model.system, {.tolerance = 1e-8});
    own->restore(snapshot);
    found[thread] = finish(*own);
  });
  for (const auto& end : found) EXPECT_EQ(end, expected);
}

}  // namespace
}  // namespace kane::test

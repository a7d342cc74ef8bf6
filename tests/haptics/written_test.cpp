// Constraints written down while ticks go on: the same as those the model has declared, and nothing disturbs the ticks.

#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "kane/base/error.hpp"
#include "kane/expr/parse.hpp"
#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "tests/program/allocation_count.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

constexpr const char* kArms = R"(
kane: 1
parameters: {L: 0.5, m: 2}
gravity: -9.81*N.y
bodies:
  a: {mass: m, inertia: [0, 0, 0.05], com: [L/2, 0, 0]}
  b: {mass: m, inertia: [0, 0, 0.05], com: [L/2, 0, 0], points: {tip: [L, 0, 0]}}
joints:
  j1: {type: revolute, parent: N, child: a, axis: z, coordinate: q1, speed: u1}
  j2: {type: revolute, parent: a, at: [L, 0, 0], child: b, axis: z, coordinate: q2, speed: u2}
)";

Model arms(const std::string& more = "", std::size_t free_rows = 2) {
  return parse_model(kArms + more, {.free_rows = free_rows});
}

Expr expression(const Model& model, const std::string& text) { return parse(*model.equations().graph, text); }

const State kStart{0, {0.3, -0.4}, {0.5, 2.0}};

void run(TickSimulator& simulator, int ticks) {
  for (int k = 0; k < ticks; ++k) ASSERT_EQ(simulator.tick().status, TickStatus::Ok) << k;
}

/// Imposed at 0.1 s and released at 0.4 s, by the model's own rules and by hand.
void compare_with_declared(const std::string& constraint, const std::string& written) {
  const Model declared = arms("constraints: {c: {" + constraint + R"(, active: false}}
events:
  on: {when: "t - 0.1 rises through zero", impose: c}
  off: {when: "t - 0.4 rises through zero", release: c}
)");
  const Model model = arms();
  TickSimulator ruled(declared.system), simulator(model.system);
  ruled.start(kStart), simulator.start(kStart);
  // An event is seen in the tick that crosses it: in the 101st, which begins at 0.1 s.
  run(ruled, 101), run(simulator, 100);
  const std::size_t place = simulator.impose("written", expression(model, written));
  EXPECT_EQ(simulator.stage(place), HoldStage::Wanted);
  EXPECT_EQ(simulator.tick().events, 1);
  EXPECT_EQ(simulator.stage(place), HoldStage::Held);
  run(ruled, 299), run(simulator, 299);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(simulator.state().q[i], ruled.state().q[i], 1e-6) << written;
    EXPECT_NEAR(simulator.state().u[i], ruled.state().u[i], 1e-5) << written;
  }
  EXPECT_NEAR(simulator.written_force(place), ruled.dynamics().forces()[0],
              1e-4 * std::abs(ruled.dynamics().forces()[0]))
      << written;
  simulator.release(place);
  run(ruled, 200), run(simulator, 200);
  EXPECT_EQ(simulator.stage(place), HoldStage::Free);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(simulator.state().u[i], ruled.state().u[i], 1e-4) << written;
}

TEST(WrittenConstraint, IsTheSameAsADeclaredOne) {
  compare_with_declared("motion: u2", "u2");
  compare_with_declared("motion: u2", "q2");
  compare_with_declared("motion: u1 + u2", "q1 + q2");
  compare_with_declared("motion: u1*L*cos(q1) + L*(u1 + u2)*cos(q1 + q2)", "L*sin(q1) + L*sin(q1 + q2)");
  compare_with_declared("motion: 3*u1*cos(q2) - u2 + 0.2*t", "3*u1*cos(q2) - u2 + 0.2*t");
}

// Two bars that become one: moment of momentum about the pivot is kept, and the value of phi afterwards.
TEST(WrittenConstraint, JumpsByAnImpulseAndStaysWhereItWas) {
  const Model model = arms();
  TickSimulator simulator(model.system);
  simulator.start(kStart);
  run(simulator, 50);
  const State before = simulator.state();
  (void)simulator.impose("weld", expression(model, "q2"));
  ASSERT_EQ(simulator.tick().status, TickStatus::Ok);
  const double c = std::cos(before.q[1]), L = 0.5, m = 2, J = 0.05, h = L / 2;
  const double about_a = J + m * h * h + J + m * (L * L + h * h + 2 * L * h * c),
               coupling = J + m * (h * h + L * h * c);
  const double momentum = about_a * before.u[0] + coupling * before.u[1];
  const double gravity =
      -9.81 * m * (h * std::cos(before.q[0]) + L * std::cos(before.q[0]) + h * std::cos(before.q[0] + before.q[1]));
  EXPECT_NEAR(simulator.state().u[0], (momentum + 1e-3 * gravity) / about_a, 1e-4);
  EXPECT_NEAR(simulator.state().u[1], 0, 1e-12);
  run(simulator, 2000);
  EXPECT_NEAR(simulator.state().q[1], before.q[1], 1e-9);
}

TEST(WrittenConstraint, OnesThatCannotBeAreRefused) {
  const Model model = arms();
  TickSimulator simulator(model.system);
  simulator.start(kStart);
  const auto says = [&](const std::string& text, const std::string& part) {
    try {
      (void)simulator.impose(text, expression(model, text));
      ADD_FAILURE() << text;
    } catch (const ModelError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  says("u1^2 - 1", "u1");
  says("L - 0.4", "does not depend on anything that moves");
  says("u1'", "accelerations");
  const std::size_t first = simulator.impose("u1 = 1", expression(model, "u1 - 1"));
  run(simulator, 1);
  EXPECT_EQ(simulator.stage(first), HoldStage::Held);
  EXPECT_NEAR(simulator.state().u[0], 1, 1e-12);
  const State before = simulator.state();
  const std::size_t second = simulator.impose("u1 = 2", expression(model, "u1 - 2"));
  run(simulator, 1);
  EXPECT_EQ(simulator.stage(second), HoldStage::Refused);
  EXPECT_NEAR(simulator.state().u[0], 1, 1e-12);
  EXPECT_NEAR(simulator.state().q[0], before.q[0] + 1e-3, 1e-12);
  // The place of one that was refused is free again; a third has to wait.
  EXPECT_EQ(simulator.impose("u2 = 0", expression(model, "u2")), second);
  says("q1", "has to wait");
  run(simulator, 5);
  EXPECT_EQ(simulator.stage(second), HoldStage::Held);
  simulator.start(kStart);
  EXPECT_EQ(simulator.stage(first), HoldStage::Free);
  run(simulator, 1);
  EXPECT_GT(simulator.state().u[1], 1.5);
}

// Another thread writes and takes down as fast as it can; ticks never wait, and stay on what is held.
TEST(WrittenConstraint, ComesFromAnotherThreadWhileTicksRun) {
  const Model model = arms();
  TickSimulator simulator(model.system);
  simulator.start(kStart);
  std::atomic<bool> done{false};
  std::atomic<int> held{0};
  std::thread writer([&] {
    for (int i = 0; i < 60; ++i) {
      const std::size_t place = simulator.impose("q2", expression(model, i % 2 == 0 ? "q2" : "q1 + q2"));
      while (simulator.stage(place) == HoldStage::Wanted) std::this_thread::yield();
      if (simulator.stage(place) == HoldStage::Held) ++held;
      if (i % 3 > 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
      simulator.release(place);
      while (simulator.stage(place) != HoldStage::Free) std::this_thread::yield();
    }
    done = true;
  });
  long events = 0;
  while (!done) {
    const TickReport report = simulator.tick();
    if (report.status != TickStatus::Ok) break;
    events += report.events;
  }
  writer.join();
  EXPECT_EQ(held, 60);
  EXPECT_EQ(events, 120);
  EXPECT_FALSE(simulator.holds_written());
}

TEST(WrittenConstraint, TakingItOverDoesNotAllocate) {
  const Model model = arms();
  TickSimulator simulator(model.system);
  simulator.start(kStart);
  const std::size_t place = simulator.impose("tip", expression(model, "sin(q1) + sin(q1 + q2)"));
  const auto before = allocation_count();
  run(simulator, 10);
  EXPECT_EQ(simulator.stage(place), HoldStage::Held);
  simulator.rehearse();
  simulator.release(place);
  run(simulator, 10);
  EXPECT_EQ(allocation_count() - before, 0);
}

}  // namespace
}  // namespace kane::test

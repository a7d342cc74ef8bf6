// Rehearsing changes of constraints between ticks has no effect on anything, and does not allocate.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "tests/program/allocation_count.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

class Rehearsal : public testing::TestWithParam<const char*> {};

void start(TickSimulator& simulator, const Model& model) {
  simulator.evaluator().set_parameters(model.system->calc_parameters({}));
  simulator.evaluator().set_inputs(model.system->default_inputs(), 0);
  State state = model.initial();
  ASSERT_TRUE(assemble(simulator.evaluator(), state, model.given()).ok);
  simulator.start(state);
}

TEST_P(Rehearsal, ChangesNothing) {
  const Model model = load_model(GetParam());
  TickSimulator plain(model.system), rehearsed(model.system);
  start(plain, model), start(rehearsed, model);
  long allocations = 0;
  const int ticks = model.system->contact_layout().slots > 0 ? 450 : 1500;
  for (int k = 0; k < ticks; ++k) {
    const auto before = allocation_count();
    for (int i = 0; i < 1 + k % 3; ++i) rehearsed.rehearse();
    allocations += allocation_count() - before;
    for (std::size_t i = 0; i < model.equations().handles.size(); ++i) {
      const double force = (i == 2 ? 1.0 : 5.0) * std::sin(0.01 * k);
      plain.apply_handle(i, force), rehearsed.apply_handle(i, force);
    }
    const TickReport one = plain.tick(), other = rehearsed.tick();
    ASSERT_EQ(one.status, other.status) << "tick " << k;
    ASSERT_EQ(one.events, other.events) << "tick " << k;
    ASSERT_EQ(plain.state(), rehearsed.state()) << "tick " << k;
    ASSERT_EQ(plain.mode(), rehearsed.mode());
    ASSERT_TRUE(std::ranges::equal(plain.dynamics().forces(), rehearsed.dynamics().forces())) << "tick " << k;
    ASSERT_EQ(plain.evaluator().choices(), rehearsed.evaluator().choices());
    ASSERT_EQ(one.status, TickStatus::Ok) << "tick " << k;
    if (one.stop) break;
  }
  EXPECT_EQ(allocations, 0);
  EXPECT_EQ(plain.dynamics().work().evaluations, rehearsed.dynamics().work().evaluations);
}

INSTANTIATE_TEST_SUITE_P(Models, Rehearsal,
                         testing::Values("shopping_cart", "block_on_plane", "disk_transition", "cart_switch", "geneva",
                                         "grasp", "latch", "piano_key", "piano_action", "newtons_cradle",
                                         "bouncing_ball", "tippe_top", "rattleback", "box_drop", "dominoes", "fourbar",
                                         "pd_arm"));

// A loop that rehearses and one that does not give the same forces at the same ticks.
TEST(RehearsalInLoop, LeavesTheRunAsItIs) {
  const Model model = load_model("shopping_cart");
  const auto run = [&](double wake_ahead, HapticReport& report) {
    TickSimulator simulator(model.system);
    start(simulator, model);
    std::vector<SimulatedAxis> hands(model.equations().handles.size());
    for (auto& hand : hands) hand.device.damping = 0.5, hand.hand.amplitude = 0.1, hand.hand.frequency = 2;
    SimulatedDevice device(hands);
    HapticOptions options{.duration = 0.6, .real_time = false};
    options.wake_ahead = wake_ahead;
    report = HapticLoop(simulator, device, options).run();
    return simulator.state();
  };
  HapticReport asleep, awake;
  EXPECT_EQ(run(0, asleep), run(100e-6, awake));
  EXPECT_EQ(asleep.rehearsal.count(), 0);
  EXPECT_GT(awake.rehearsal.count(), 0);
  EXPECT_EQ(asleep.events, awake.events);
  EXPECT_THROW(run(-1, asleep), ModelError);
}

}  // namespace
}  // namespace kane::test

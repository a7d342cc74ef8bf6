// The loop, its devices and its promises: the same again from a recording, no allocation, no energy out of nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "kane/simulate/hybrid_simulator.hpp"
#include "tests/program/allocation_count.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

std::vector<SimulatedAxis> hands(std::size_t axes, double damping = 0.5) {
  std::vector<SimulatedAxis> all(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    all[i].device.damping = damping;
    all[i].hand.amplitude = 0.1;
    all[i].hand.frequency = 0.5 * (1 + 0.3 * static_cast<double>(i));
  }
  return all;
}

State assembled(TickSimulator& simulator, const Model& model) {
  simulator.evaluator().set_parameters(model.system->calc_parameters({}));
  simulator.evaluator().set_inputs(model.system->default_inputs(), 0);
  State state = model.initial();
  EXPECT_TRUE(assemble(simulator.evaluator(), state, model.given()).ok);
  return state;
}

constexpr const char* kHeldCart = R"(
kane: 1
parameters: {k: 400 N/m, b: 0.2}
bodies:
  cart: {mass: 0.5}
joints:
  rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, speed: v}
contacts:
  wall: {gap: 0.05 - x, restitution: 0.3}
handle:
  x: {position: x, stiffness: k, damping: b}
)";

HapticOptions unpaced(double duration) {
  HapticOptions o;
  o.duration = duration;
  o.real_time = o.paced = false;
  o.record = true;
  return o;
}

TEST(HapticLoop, ARecordedRunRepeatsToTheLastBit) {
  const Model model = load_model("shopping_cart");
  TickSimulator first(model.system), second(model.system);
  const State start = assembled(first, model);
  first.start(start);
  (void)assembled(second, model);
  second.start(start);
  SimulatedDevice device(hands(3));
  HapticLoop loop(first, device, unpaced(3));
  const HapticReport report = loop.run();
  EXPECT_EQ(report.status, TickStatus::Ok);
  EXPECT_EQ(report.ticks, 3000);
  EXPECT_GT(report.events, 0);  // the caster sticks or comes loose
  const std::string file = std::string(KANE_BINARY_DIR) + "/haptics_recording.csv";
  loop.recording().write(file, loop.axis_names());
  ReplayDevice replay(Recording::read(file));
  HapticLoop again(second, replay, unpaced(3));
  EXPECT_EQ(again.run().status, TickStatus::Ok);
  EXPECT_EQ(second.state(), first.state());
  EXPECT_EQ(replay.notes(), std::vector<std::string>{"displayed exactly what was recorded"});
}

TEST(HapticLoop, NothingAllocatesWhileItRuns) {
  const Model model = load_model("shopping_cart");
  TickSimulator simulator(model.system);
  simulator.start(assembled(simulator, model));
  SimulatedDevice device(hands(3));
  HapticOptions options = unpaced(2);
  HapticLoop loop(simulator, device, options);
  (void)loop.check_margins();
  std::vector<double> forces(3);
  long events = 0;
  const auto before = allocation_count();
  for (int k = 0; k < 2000; ++k) {
    for (std::size_t i = 0; i < 3; ++i) simulator.apply_handle(i, (i == 2 ? 1.0 : 5.0) * std::sin(0.01 * k));
    events += simulator.tick().events;
  }
  EXPECT_EQ(allocation_count() - before, 0U);
  EXPECT_GT(events, 0);
}

TEST(HapticLoop, WarnsWhereTheSampledCouplerIsNotPassive) {
  const Model model = parse_model(kHeldCart);
  TickSimulator simulator(model.system);
  simulator.start(model.initial());
  SimulatedDevice good(hands(1, 0.5)), bad(hands(1, 0.3));
  EXPECT_TRUE(HapticLoop(simulator, good, unpaced(1)).check_margins().empty());  // 0.5 > 400/2000 + 0.2
  const auto warnings = HapticLoop(simulator, bad, unpaced(1)).check_margins();
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find("0.4"), std::string::npos) << warnings[0];
}

// A spring that answers one tick late puts out energy in every cycle; the controller takes it back.
TEST(PassivityController, KeepsTheEnergyAtThePortFromBecomingNegative) {
  constexpr double kPeriod = 1e-3, kStiffness = 1000, kAmplitude = 0.05, kFrequency = 31.4;
  PassivityController observer(kPeriod), controller(kPeriod);
  double before = 0, dissipated = 0;
  for (int k = 1; k <= 2000; ++k) {
    const double x = kAmplitude * std::sin(kFrequency * kPeriod * k), v = (x - before) / kPeriod;
    const double late = kStiffness * before;
    observer.observe(late, v);
    dissipated += kPeriod * v * (controller.control(late, v) - late);
    before = x;
    EXPECT_GE(controller.energy(), -1e-12);
  }
  // -pi K A^2 sin(w T) for each of ten cycles, besides what the spring stores
  EXPECT_LT(observer.least_energy(),
            -9 * 3.14 * kStiffness * kAmplitude * kAmplitude * std::sin(kFrequency * kPeriod) / 2);
  EXPECT_GT(controller.interventions(), 0);
  EXPECT_NEAR(controller.dissipated(), dissipated, 1e-12);
}

TEST(TickSimulator, AgreesWithTheLocatedEventsOfTheAccurateSimulation) {
  const Model model = load_model("bouncing_ball");
  TickSimulator ticks(model.system);
  ticks.start(model.initial());
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(ticks.tick().status, TickStatus::Ok);
  HybridSimulator exact(model.system, {.tolerance = 1e-10});
  exact.start(model.initial());
  State end;
  (void)exact.run({.until = 1.0, .intervals = 1}, [&](const State& s) {
    end = s;
    return true;
  });
  EXPECT_NEAR(ticks.state().t, 1.0, 1e-12);
  EXPECT_NEAR(ticks.state().q[0], end.q[0], 1e-5);
  EXPECT_NEAR(ticks.state().u[0], end.u[0], 1e-4);
  for (int k = 0; k < 3000; ++k) (void)ticks.tick();
  EXPECT_NEAR(ticks.state().q[0], 0.05, 1e-9);
  EXPECT_EQ(ticks.state().u[0], 0.0);
}

TEST(SimulatedDevice, AnUndisturbedHandArrivesWhereItWants) {
  SimulatedAxis axis;
  axis.hand = {0, 0, 0, 100, 10};
  SimulatedDevice device({axis});
  const std::vector<double> origin{0.2}, push{1.5};
  device.start(origin);
  device.write(0, push, origin);
  std::vector<double> x(1), v(1), f(1);
  (void)device.read(20, x, v, f);
  EXPECT_NEAR(x[0], 0.2 + 1.5 / 100, 1e-9);  // the spring of the hand balances the force
  EXPECT_NEAR(f[0], -1.5, 1e-7);
}

TEST(Histogram, QuantilesAreThoseOfTheSortedTimes) {
  Histogram h;
  std::mt19937 random(7);
  std::lognormal_distribution<double> times(9, 1);
  std::vector<double> all;
  for (int i = 0; i < 100000; ++i) {
    all.push_back(std::floor(times(random)));
    h.add(static_cast<std::int64_t>(all.back()));
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(h.least(), all.front());
  EXPECT_EQ(h.largest(), all.back());
  for (const double p : {0.1, 0.5, 0.99, 0.999}) {
    const double exact = all[static_cast<std::size_t>(p * 100000)];
    EXPECT_NEAR(h.quantile(p), exact, 0.03 * exact);
  }
}

TEST(LatestValue, TheReaderSeesWholeValuesThatNeverGoBack) {
  LatestValue<std::array<long, 8>> bridge;
  constexpr long kLast = 200000;
  std::thread writer([&] {
    for (long k = 1; k <= kLast; ++k) {
      bridge.draft().fill(k);
      bridge.publish();
    }
  });
  long last = 0;
  while (last < kLast) {
    if (!bridge.update()) continue;
    const auto& value = bridge.value();
    EXPECT_EQ(value.front(), value.back());
    EXPECT_GT(value[0], last);
    last = value[0];
  }
  writer.join();
}

}  // namespace
}  // namespace kane::test

// The loop, its devices and its promises: the same again from a recording, no allocation, no energy out of nothing.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>

#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "kane/simulate/switching/hybrid_simulator.hpp"
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

long allocations_of(HapticLoop& loop, HapticReport& report) {
  const auto before = allocation_count();
  report = loop.run();
  return static_cast<long>(allocation_count() - before);
}

// run() allocates for its report only; the number of ticks does not matter.
TEST(HapticLoop, NothingAllocatesWithShapesInContactOrWhileLookingAhead) {
  const auto count = [](const std::string& name, double duration, double ahead, long& events) {
    const Model model = load_model(name);
    TickSimulator simulator(model.system);
    simulator.start(assembled(simulator, model));
    SimulatedDevice device(hands(model.equations().handles.size()));
    HapticOptions options = unpaced(duration);
    options.record = false, options.ahead = ahead;
    HapticLoop loop(simulator, device, options);
    HapticReport report;
    const long allocations = allocations_of(loop, report);
    EXPECT_EQ(report.status, TickStatus::Ok);
    events = report.events;
    return allocations;
  };
  long few = 0, many = 0;
  EXPECT_EQ(count("shopping_cart", 0.1, 0.02, few), count("shopping_cart", 3, 0.02, many));
  EXPECT_GT(many, few);
  const Model box = load_model("box_drop");
  TickSimulator simulator(box.system);
  simulator.start(assembled(simulator, box));
  long events = 0;
  const auto before = allocation_count();
  for (int k = 0; k < 1500; ++k) {
    const TickReport report = simulator.tick();
    ASSERT_EQ(report.status, TickStatus::Ok);
    events += report.events;
  }
  EXPECT_EQ(allocation_count() - before, 0U);
  EXPECT_GT(events, 3);
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
  // 400 N/m at steps of 1 mm: 0.4 N in a step, of which friction takes 2 * 0.1 N; and the device shows 300 N/m only.
  auto coarse = hands(1, 0.5);
  coarse[0].device.resolution = 1e-3, coarse[0].device.friction = 0.1, coarse[0].device.max_stiffness = 300;
  SimulatedDevice device(coarse);
  const auto others = HapticLoop(simulator, device, unpaced(1)).check_margins();
  ASSERT_EQ(others.size(), 1U);
  EXPECT_NE(others[0].find("below 200 would be safe"), std::string::npos) << others[0];
  EXPECT_NE(others[0].find("exceeds the 300"), std::string::npos) << others[0];
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

// Balls that hang still beside each other press with forces of rounding size next to those of an impact.
TEST(TickSimulator, PassesImpactsThroughNewtonsCradle) {
  const Model model = load_model("newtons_cradle");
  TickSimulator ticks(model.system);
  ticks.start(model.initial());
  double highest = 0;
  for (int k = 0; k < 1200; ++k) {
    ASSERT_EQ(ticks.tick().status, TickStatus::Ok) << "tick " << k;
    highest = std::max(highest, ticks.state().q[4]);
    for (std::size_t i = 1; i < 4; ++i) ASSERT_NEAR(ticks.state().q[i], 0, 1e-6);
  }
  EXPECT_NEAR(highest, 0.5, 1e-4);
}

// At rest in front of a plate of 4 mm, then pushed so hard that one tick leads to 30 mm behind it.
TEST(TickSimulator, ShapesThatBecomeFastWithinATickDoNotPassThroughEachOther) {
  const Model model = parse_model(R"(
kane: 1
bodies:
  ball: {mass: 0.1, shape: {sphere: {radius: 0.002}}}
  plate: {geometry: {box: [0.004, 0.4, 0.4]}}
joints:
  fixed: {type: weld, parent: N, child: plate, at: [0.3, 0, 0]}
  rail: {type: prismatic, parent: N, child: ball, axis: x, coordinate: x, speed: v}
contacts: {hit: {between: [ball, plate]}}
handle: {x: {position: x, stiffness: 1, damping: 0}}
initial: {x: 0.28}
)");
  TickSimulator ticks(model.system);
  ticks.start(model.initial());
  for (int k = 0; k < 20; ++k) {
    ticks.apply_handle(0, 6000);
    ASSERT_EQ(ticks.tick().status, TickStatus::Ok);
  }
  EXPECT_NEAR(ticks.state().q[0], 0.3 - 0.002 - 0.002, 1e-6);
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

// m v' = -f_c sign(v): stops after m v^2 / (2 f_c), and then stays whatever is pushed below f_c.
TEST(SimulatedDevice, FrictionStopsItAndHoldsIt) {
  SimulatedAxis axis;
  axis.hand = {0, 0, 0, 0, 0};
  axis.device = {.damping = 0, .mass = 0.5, .friction = 0.2};
  SimulatedDevice device({axis});
  const std::vector<double> origin{0}, push{1.2}, less{0.19};
  std::vector<double> x(1), v(1), f(1);
  device.start(origin);
  device.write(0, push, origin);
  device.write(1, less, origin);  // after 1 s at (1.2 - 0.2)/0.5 m/s^2: 1 m and 2 m/s, then -0.02 m/s^2
  (void)device.read(102, x, v, f);
  EXPECT_NEAR(x[0], 1 + 4 / (2 * 0.02), 1e-6);
  EXPECT_EQ(v[0], 0.0);
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
    EXPECT_NEAR(h.quantile(p), exact, 0.002 * exact + 0.5);
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

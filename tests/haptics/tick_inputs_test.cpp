// Inputs that change by themselves in ticks: time series and sampled controllers, against closed forms.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/tick/tick_simulator.hpp"
#include "tests/program/allocation_count.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

constexpr const char* kPushed = R"yaml(
kane: 1
name: pushed
parameters: {m: 2}
inputs: {F: 0}
bodies: {block: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, speed: v}}
loads: {push: {force: F*N.x, at: block}}
)yaml";

constexpr const char* kControlled = R"yaml(
kane: 1
name: controlled
parameters: {m: 2, k: 30, c: 2}
inputs: {F: -k*x - c*v}
bodies: {block: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, speed: v}}
loads: {push: {force: F*N.x, at: block}}
initial: {x: 1}
)yaml";

// F rises to 3 N at 0.5 s and falls again to zero at 1 s: corners that ticks hit, and one that lies inside a tick.
TEST(TickInputs, SeriesAreEvaluatedInEveryStage) {
  const Model model = parse_model(kPushed);
  for (const double corner : {0.5, 0.50037}) {
    TickOptions options;
    options.inputs = {SeriesInput{"F", {0, corner, 1}, {0, 3, 0}, Interpolation::Linear}};
    TickSimulator ticks(model.system, options);
    ticks.start(model.initial());
    for (int k = 0; k < 1500; ++k) ASSERT_EQ(ticks.tick().status, TickStatus::Ok);
    // v = area / m; x = (moment of the area about the end) / m.
    const double area = 0.5 * 3 * 1, centre = (0 + corner + 1) / 3;
    EXPECT_NEAR(ticks.state().u[0], area / 2, 1e-7);
    EXPECT_NEAR(ticks.state().q[0], area * (1.5 - centre) / 2, 1e-7);
  }
}

TEST(TickInputs, HeldSeriesJumpAtTicks) {
  const Model model = parse_model(kPushed);
  TickOptions options;
  options.inputs = {SeriesInput{"F", {0, 0.25}, {4, -2}, Interpolation::Hold}};
  TickSimulator ticks(model.system, options);
  ticks.start(model.initial());
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(ticks.tick().status, TickStatus::Ok);
  EXPECT_NEAR(ticks.state().u[0], (4 * 0.25 - 2 * 0.75) / 2, 1e-12);
}

// Thrown at 1 m/s against a stop at 0.1 m with restitution 1/2 and pushed on: it comes back at 1/2 m/s, and rests at last.
TEST(TickStops, HoldAsInARun) {
  const Model model = parse_model(R"yaml(
kane: 1
name: stopped
bodies: {block: {mass: 2}}
joints:
  slide: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, speed: v, limits: {lower: -0.2, upper: 0.1, restitution: 0.5}}
loads: {push: {force: 4*N.x, at: block}}
initial: {x: 0, v: 1}
)yaml");
  TickSimulator ticks(model.system, {});
  ticks.start(model.initial());
  double furthest = 0, fastest_back = 0;
  for (int k = 0; k < 3000; ++k) {
    ASSERT_EQ(ticks.tick().status, TickStatus::Ok);
    furthest = std::max(furthest, ticks.state().q[0]);
    fastest_back = std::min(fastest_back, ticks.state().u[0]);
  }
  EXPECT_NEAR(furthest, 0.1, 1e-9);
  const double impact = std::sqrt(1 + 2 * 2 * 0.1);  // v^2 = v0^2 + 2 a x, a = 2 m/s^2
  EXPECT_NEAR(fastest_back, -impact / 2, 3e-3);      // seen at the end of a tick of 1 ms
  EXPECT_NEAR(ticks.state().q[0], 0.1, 1e-9);        // after 2 (v/2 + v/4 + ...)/a = 1.2 s of bounces
  EXPECT_NEAR(ticks.state().u[0], 0, 1e-9);
}

/// x and v under a force that is -k x - c v of `delay` periods ago, held for a period.
std::pair<double, double> held_feedback(double period, int delay, int periods) {
  double x = 1, v = 0;
  std::vector<double> answers;
  for (int i = 0; i < periods; ++i) {
    answers.push_back(-30 * x - 2 * v);
    const double force = i < delay ? 0.0 : answers[static_cast<std::size_t>(i - delay)];
    x += period * v + period * period * force / 4;
    v += period * force / 2;
  }
  return {x, v};
}

// The model's own law, looked at every 5 ms and in force 10 ms later.
TEST(TickInputs, SampledLawsOfTheModelAreLookedAtOnTheirClock) {
  for (const int delay : {0, 2}) {
    const Model model = parse_model(kControlled, {.driven_inputs = {"F"}});
    TickOptions options;
    options.inputs = {SampledInput{{"F"}, 5e-3, 5e-3 * delay, {}}};
    TickSimulator ticks(model.system, options);
    ticks.start(model.initial());
    for (int k = 0; k < 1000; ++k) ASSERT_EQ(ticks.tick().status, TickStatus::Ok);
    const auto [x, v] = held_feedback(5e-3, delay, 200);
    EXPECT_NEAR(ticks.state().q[0], x, 1e-11);
    EXPECT_NEAR(ticks.state().u[0], v, 1e-11);
    // The same as the simulation that stops at every break.
    const auto exact = make_simulator(model.system, {.tolerance = 1e-11, .inputs = options.inputs});
    exact->start(model.initial());
    (void)exact->run({.until = 1});
    EXPECT_NEAR(ticks.state().q[0], exact->state().q[0], 1e-9);
  }
}

TEST(TickInputs, NothingAllocatesInTicksWithInputs) {
  const Model model = parse_model(kControlled, {.driven_inputs = {"F"}});
  TickOptions options;
  options.inputs = {SampledInput{{"F"}, 3e-3, 4e-3, {}}};
  TickSimulator ticks(model.system, options);
  ticks.start(model.initial());
  for (int k = 0; k < 10; ++k) (void)ticks.tick();
  const long before = allocation_count();
  for (int k = 0; k < 200; ++k) (void)ticks.tick(), ticks.rehearse();
  EXPECT_EQ(allocation_count(), before);
}

TEST(TickInputs, AreRefusedWhereTheyMakeNoSense) {
  const Model model = parse_model(kPushed);
  TickOptions options;
  options.inputs = {SeriesInput{"G", {0}, {0}, Interpolation::Linear}};
  EXPECT_THROW(TickSimulator(model.system, options), ModelError);
}

}  // namespace
}  // namespace kane::test

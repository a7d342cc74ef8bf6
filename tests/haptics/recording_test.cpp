// Recordings say everything that a run depends on, and angles have no edge.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kane/expr/parse.hpp"
#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

constexpr double kPi = std::numbers::pi, kTurn = 2 * kPi;

constexpr const char* kPair = R"(
kane: 1
parameters: {m: 0.5}
bodies: {a: {mass: m, inertia: [0, 0, 0.01]}, b: {mass: 0.3, inertia: [0, 0, 0.01], com: [0.1, 0, 0]}}
joints:
  j1: {type: prismatic, parent: N, child: a, axis: x, coordinate: x, speed: v}
  j2: {type: revolute, parent: a, child: b, axis: z, coordinate: q, speed: w}
handle: {x: {position: x, stiffness: 400, damping: 0.2}}
initial: {q: 0.3, w: 2}
)";

/// Silent now and then, absurd now and then.
class Unreliable final : public Device {
 public:
  [[nodiscard]] std::string name() const override { return "unreliable"; }
  [[nodiscard]] std::size_t axes() const override { return 1; }
  [[nodiscard]] DeviceAxis axis(std::size_t) const override { return {}; }
  void start(std::span<const double>) override {}
  bool read(double t, std::span<double> x, std::span<double> v, std::span<double> f) override {
    const int k = static_cast<int>(std::lround(1000 * t));
    x[0] = 0.05 * std::sin(9 * t), v[0] = 0.45 * std::cos(9 * t), f[0] = 2 * std::sin(7 * t);
    if (k % 97 == 13) x[0] = 1e9;
    return k > 50 && (k < 400 || k > 560) && k % 7 != 0;
  }
  void write(double, std::span<const double>, std::span<const double>) override {}
};

HapticOptions options_of(Display display) {
  HapticOptions o{.duration = 1.2, .display = display};
  o.real_time = o.paced = false;
  o.record = true;
  return o;
}

std::string recorded(const HapticLoop& loop, const std::string& name) {
  const std::string file = std::string(KANE_BINARY_DIR) + "/" + name;
  loop.recording().write(file, loop.axis_names());
  return file;
}

TEST(Recording, RunsWithSilenceAndGarbageRepeatToTheLastBitInBothDisplays) {
  for (const Display display : {Display::Impedance, Display::Admittance}) {
    const Model model = parse_model(kPair);
    TickSimulator first(model.system), second(model.system);
    first.start(model.initial()), second.start(model.initial());
    Unreliable device;
    HapticLoop loop(first, device, options_of(display));
    const HapticReport report = loop.run();
    EXPECT_GT(report.rejected, 5);
    EXPECT_EQ(report.releases, 1);
    // the limits are those of the real device
    ReplayDevice replay(Recording::read(recorded(loop, "unreliable.csv")), {{.max_force = HapticSafety{}.max_force}});
    HapticLoop again(second, replay, options_of(display));
    (void)again.run();
    EXPECT_EQ(second.state(), first.state());
    EXPECT_EQ(replay.notes(), std::vector<std::string>{"displayed exactly what was recorded"});
    for (std::size_t k = 0; k < loop.recording().size(); ++k)
      ASSERT_TRUE(std::ranges::equal(loop.recording().row(k), again.recording().row(k))) << k;
    double moved = 0;
    for (std::size_t k = 0; k < loop.recording().size(); ++k)
      moved = std::max(moved, std::abs(loop.recording().motion(k)[3]));
    EXPECT_GT(moved, 0.0) << "what was displayed is recorded";
  }
}

// Which tick a constraint comes into force in depends on the machine's load; the replay takes it from the recording.
TEST(Recording, ImposedConstraintsReturnInTheirTicks) {
  const Model model = parse_model(kPair, {.free_rows = 2});
  const auto constraints = [&](double late) {
    return std::vector<TimedConstraint>{{"q", parse(*model.equations().graph, "q"), 0.1 + late, 0.4 + late},
                                        {"v + w", parse(*model.equations().graph, "v + w"), 0.2 + late, -1}};
  };
  TickSimulator first(model.system), second(model.system);
  first.start(model.initial()), second.start(model.initial());
  SimulatedDevice device({SimulatedAxis{}});
  HapticOptions options = options_of(Display::Impedance);
  options.constraints = constraints(0);
  options.paced = true, options.wake_ahead = 0, options.duration = 0.6;
  HapticLoop loop(first, device, options);
  const HapticReport report = loop.run();
  ASSERT_EQ(report.constraints.size(), 2U);
  EXPECT_EQ(report.constraints[0].failure, "");
  ReplayDevice replay(Recording::read(recorded(loop, "imposed.csv")), {SimulatedAxis{}.device});
  options.paced = false;
  options.constraints = constraints(0.05);  // what is recorded counts
  HapticLoop again(second, replay, options);
  const HapticReport repeated = again.run();
  EXPECT_EQ(second.state(), first.state());
  EXPECT_EQ(replay.notes(), std::vector<std::string>{"displayed exactly what was recorded"});
  std::size_t first_held = 0;
  while (first_held < loop.recording().size() && !loop.recording().held(first_held, 0)) ++first_held;
  EXPECT_NEAR(repeated.constraints[0].imposed, 1e-3 * static_cast<double>(first_held), 1e-9);
  for (std::size_t k = 0; k < loop.recording().size(); ++k)
    for (std::size_t i = 0; i < 2; ++i) ASSERT_EQ(again.recording().held(k, i), loop.recording().held(k, i)) << k;
}

/// Turns evenly; its encoder begins again at -pi.
class Knob final : public Device {
 public:
  explicit Knob(double wrap) : wrap_(wrap) {}
  [[nodiscard]] std::string name() const override { return "knob"; }
  [[nodiscard]] std::size_t axes() const override { return 1; }
  [[nodiscard]] DeviceAxis axis(std::size_t) const override { return {.max_speed = 20, .wrap = wrap_}; }
  void start(std::span<const double>) override {}
  bool read(double t, std::span<double> x, std::span<double> v, std::span<double> f) override {
    x[0] = std::remainder(6 * t, kTurn), v[0] = 6, f[0] = 0;
    return true;
  }
  void write(double t, std::span<const double> force, std::span<const double>) override {
    if (t > 0.5) largest = std::max(largest, std::abs(force[0]));
  }
  double largest = 0;

 private:
  double wrap_;
};

TEST(VirtualCoupler, AnglesHaveNoEdge) {
  const VirtualCoupler line{10, 0}, circle{10, 0, kTurn};
  EXPECT_NEAR(circle.calc_force(kPi - 0.1, 0, -kPi + 0.1, 0), -10 * 0.2, 1e-12);
  EXPECT_NEAR(circle.calc_force(5 * kTurn + 0.3, 0, 0.1, 0), 10 * 0.2, 1e-12);
  EXPECT_EQ(line.calc_force(3, 0, -3, 0), 60);
  EXPECT_EQ(circle.calc_force(0.3, 0, 0.1, 0), line.calc_force(0.3, 0, 0.1, 0));
  // A wheel whose own angle begins again too: never more than what drags it.
  const Model model = parse_model(R"yaml(
kane: 1
bodies: {wheel: {inertia: [0, 0, 0.001]}}
joints: {axle: {type: revolute, parent: N, child: wheel, axis: z, coordinate: q, speed: w}}
loads: [{damper: 0.01, joint: axle}]
handle: {turn: {position: "atan2(sin(q), cos(q))", stiffness: 2, damping: 0.02}}
)yaml");
  for (const double wrap : {0.0, kTurn}) {
    TickSimulator simulator(model.system);
    simulator.start(model.initial());
    Knob knob(wrap);
    HapticOptions options{.duration = 3};
    options.real_time = options.paced = options.passivity = false;
    const HapticReport report = HapticLoop(simulator, knob, options).run();
    if (wrap > 0) {
      EXPECT_EQ(report.rejected, 0);
      EXPECT_NEAR(simulator.state().q[0], 18, 0.3);  // it has turned along
      EXPECT_LT(knob.largest, 0.1);
    } else {
      EXPECT_GT(report.rejected, 0);
    }
  }
}

}  // namespace
}  // namespace kane::test

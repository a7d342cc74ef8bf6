// Devices that lie: whatever they say, the forces commanded to them are finite, limited, and go when nothing can be believed.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/udp_device.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

constexpr const char* kPushedCart = R"(
kane: 1
bodies: {cart: {mass: 0.5}}
joints: {rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, speed: v}}
handle: {x: {position: x, stiffness: 400, damping: 0.2}}
)";

struct Sample {
  double x = 0, v = 0, f = 0;
  bool fresh = true;
};

class ScriptedDevice final : public Device {
 public:
  explicit ScriptedDevice(std::function<Sample(double)> script, DeviceAxis data = {})
      : script_(std::move(script)), data_(data) {}

  [[nodiscard]] std::string name() const override { return "scripted"; }
  [[nodiscard]] std::size_t axes() const override { return 1; }
  [[nodiscard]] DeviceAxis axis(std::size_t) const override { return data_; }
  void start(std::span<const double>) override {}
  [[nodiscard]] bool read(double t, std::span<double> x, std::span<double> v, std::span<double> f) override {
    const Sample s = script_(t);
    x[0] = s.x, v[0] = s.v, f[0] = s.f;
    return s.fresh;
  }
  void write(double, std::span<const double> force, std::span<const double> position) override {
    forces.push_back(force[0]), positions.push_back(position[0]);
  }
  void stop(double) override { stopped = true; }

  std::vector<double> forces, positions;
  bool stopped = false;

 private:
  std::function<Sample(double)> script_;
  DeviceAxis data_;
};

HapticReport run_with(ScriptedDevice& device, double duration = 1, Display display = Display::Impedance) {
  const Model model = parse_model(kPushedCart);
  TickSimulator simulator(model.system);
  simulator.start(model.initial());
  HapticOptions options;
  options.duration = duration, options.real_time = options.paced = false, options.display = display;
  options.passivity = false;  // which would hide what is wanted
  HapticLoop loop(simulator, device, options);
  const HapticReport report = loop.run();
  EXPECT_EQ(report.status, TickStatus::Ok);
  EXPECT_TRUE(std::isfinite(simulator.state().q[0]) && std::isfinite(simulator.state().u[0]));
  EXPECT_TRUE(device.stopped);
  return report;
}

Sample steady(double t) { return {0.01 * std::sin(5 * t), 0.05 * std::cos(5 * t), 0.1, true}; }

TEST(HostileDevice, OneAbsurdSampleChangesNothing) {
  ScriptedDevice honest(steady);
  (void)run_with(honest);
  for (const Sample wrong : {Sample{1e300, 0, 0}, Sample{-1e300, 1e300, 0}, Sample{kNan, 0, 0}, Sample{0, kInfinity, 0},
                             Sample{0, 0, kNan}, Sample{0, 51, 0}, Sample{0.5, 0, 0}, Sample{101, 0, 0}})
    for (const Display display : {Display::Impedance, Display::Admittance}) {
      ScriptedDevice liar([&](double t) { return std::abs(t - 0.5) < 1e-6 ? wrong : steady(t); });
      const HapticReport report = run_with(liar, 1, display);
      EXPECT_EQ(report.rejected, 1) << wrong.x << " " << wrong.v;
      EXPECT_EQ(report.releases, 0);
      ASSERT_FALSE(report.warnings.empty());
      EXPECT_NE(report.warnings.back().find("t = 0.5 s"), std::string::npos) << report.warnings.back();
      for (std::size_t k = 0; k < liar.forces.size() && display == Display::Impedance; ++k)
        EXPECT_NEAR(liar.forces[k], honest.forces[k], 0.2) << k;
    }
}

TEST(HostileDevice, RandomLiesNeverExceedTheLimit) {
  std::mt19937 random(5);
  const double odd[] = {kNan, kInfinity, -kInfinity, 1e300, -1e300, 1e6, 60, -3, 0.4, 1e-300, 0, -0.0};
  std::uniform_int_distribution<std::size_t> any(0, std::size(odd) - 1);
  std::uniform_real_distribution<double> near(-90, 90);
  for (const double limit : {0.0, 3.3}) {
    for (int kind = 0; kind < 3; ++kind) {
      ScriptedDevice liar(
          [&](double t) {
            if (kind == 0) return Sample{odd[any(random)], odd[any(random)], odd[any(random)], random() % 3 != 0};
            if (kind == 1)
              return Sample{near(random), near(random) / 2, near(random), true};  // jumps within the travel
            return random() % 2 != 0 ? steady(t) : Sample{odd[any(random)], 0, 0, true};
          },
          {.max_force = limit});
      (void)run_with(liar, 2);
      for (const double force : liar.forces) {
        ASSERT_TRUE(std::isfinite(force));
        ASSERT_LE(std::abs(force), limit > 0 ? limit : HapticSafety{}.max_force);
      }
    }
  }
}

// A device that stands 0.2 m away from its image: 80 N asked for, 20 N at most, and those not at once.
TEST(HostileDevice, TheForceComesGently) {
  ScriptedDevice far([](double) { return Sample{0.2, 0, 0, true}; });
  (void)run_with(far, 0.5);
  double largest = 0;
  for (std::size_t k = 0; k < far.forces.size(); ++k) {
    const double share = std::min(1.0, static_cast<double>(k + 1) * 1e-3 / HapticSafety{}.ramp);
    ASSERT_LE(std::abs(far.forces[k]), share * HapticSafety{}.max_force + 1e-12) << k;
    largest = std::max(largest, std::abs(far.forces[k]));
  }
  EXPECT_GT(largest, 1);
}

TEST(HostileDevice, SilenceAndGarbageReleaseTheHandAndAReturnBeginsAnew) {
  for (const bool silent : {true, false}) {
    ScriptedDevice liar([&](double t) {
      const bool trouble = t > 0.495 && t < 1.005;
      if (trouble && silent) return Sample{0.1, 0, 0, false};
      if (trouble) return Sample{kNan, 0, 0, true};
      return Sample{t < 0.5 ? 0.1 : -0.3, 0, 0, true};
    });
    const HapticReport report = run_with(liar, 1.5);
    EXPECT_EQ(report.releases, 1);
    const auto force = [&](double t) { return liar.forces[static_cast<std::size_t>(std::lround(1000 * t))]; };
    EXPECT_NE(force(0.55), 0.0);
    for (double t = 0.66; t < 1; t += 0.01) EXPECT_EQ(force(t), 0.0) << t;
    EXPECT_LT(std::abs(force(1.01)), 2);  // 0.4 m away from where it was: a new ramp
    EXPECT_NE(force(1.2), 0.0);
  }
}

TEST(HostileDevice, DisplayedMotionIsNoFasterThanTheDevice) {
  ScriptedDevice pushed([](double) { return Sample{0, 0, 1e6, true}; }, {.max_force = 1e9, .max_speed = 2});
  (void)run_with(pushed, 0.2, Display::Admittance);
  for (std::size_t k = 1; k < pushed.positions.size(); ++k)
    ASSERT_LE(std::abs(pushed.positions[k] - pushed.positions[k - 1]), 2e-3 + 1e-12);
}

TEST(HostileDevice, SafetyOptionsAreChecked) {
  for (const HapticSafety wrong :
       {HapticSafety{.max_force = 0}, HapticSafety{.max_speed = kNan}, HapticSafety{.travel = -1},
        HapticSafety{.ramp = -1}, HapticSafety{.patience = 0}, HapticSafety{.release = kInfinity}})
    EXPECT_THROW(wrong.check(), ModelError);
}

}  // namespace
}  // namespace kane::test

// Looking ahead, the display of motion, and what is said about things that do not fit.

#include <gtest/gtest.h>

#include <fstream>

#include "kane/base/error.hpp"
#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

State start_of(TickSimulator& simulator, const Model& model) {
  simulator.evaluator().set_inputs(model.system->default_inputs(), 0);
  State state = model.initial();
  EXPECT_TRUE(assemble(simulator.evaluator(), state, model.given()).ok);
  return state;
}

HapticReport hold(TickSimulator& simulator, const Model& model, HapticOptions options, double amplitude = 0.1) {
  simulator.start(start_of(simulator, model));
  std::vector<SimulatedAxis> hands(model.equations().handles.size());
  for (std::size_t i = 0; i < hands.size(); ++i) {
    hands[i].device.damping = 0.5;
    hands[i].hand.amplitude = amplitude, hands[i].hand.frequency = 0.5 * (1 + 0.3 * static_cast<double>(i));
  }
  SimulatedDevice device(hands);
  options.real_time = options.paced = false;
  return HapticLoop(simulator, device, options).run();
}

TEST(Predictor, SeesChangesComingAndPreparesForThem) {
  const Model model = load_model("shopping_cart");
  TickSimulator plain(model.system), first(model.system), second(model.system);
  const HapticReport without = hold(plain, model, {.duration = 3});
  const HapticReport with = hold(first, model, {.duration = 3, .ahead = 0.02});
  EXPECT_EQ(without.predicted, 0);
  EXPECT_GT(with.predicted, 0);
  EXPECT_GT(with.prepared, 0);
  EXPECT_EQ(with.events, without.events);
  EXPECT_EQ(with.ahead.count(), with.ticks);
  // Preparing changes nothing but the choice of independent speeds.
  for (std::size_t i = 0; i < plain.state().q.size(); ++i) EXPECT_NEAR(first.state().q[i], plain.state().q[i], 1e-8);
  const HapticReport again = hold(second, model, {.duration = 3, .ahead = 0.02});
  EXPECT_EQ(again.predicted, with.predicted);
  EXPECT_EQ(second.state(), first.state());
}

TEST(Predictor, RefusesToLookTooFar) {
  const Model model = load_model("shopping_cart");
  TickSimulator simulator(model.system);
  EXPECT_THROW((void)hold(simulator, model, {.duration = 1, .ahead = 5}), ModelError);
  EXPECT_THROW((void)hold(simulator, model, {.duration = 1, .ahead = -1}), ModelError);
}

constexpr const char* kCart = R"(
kane: 1
bodies: {cart: {mass: 0.5}}
joints: {rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, speed: v}}
)";

/// Pushes with 2 N, whatever happens, and remembers where it was told to go.
class Pusher final : public Device {
 public:
  [[nodiscard]] std::string name() const override { return "pusher"; }
  [[nodiscard]] std::size_t axes() const override { return 1; }
  [[nodiscard]] DeviceAxis axis(std::size_t) const override { return {}; }
  void start(std::span<const double>) override {}
  bool read(double, std::span<double> position, std::span<double> speed, std::span<double> force) override {
    position[0] = speed[0] = 0, force[0] = 2;
    return true;
  }
  void write(double, std::span<const double> force, std::span<const double> position) override {
    shown_force = force[0], shown_position = position[0];
  }
  double shown_force = -1, shown_position = -1;
};

TEST(AdmittanceDisplay, TurnsTheHandsForceIntoMotion) {
  const Model model = parse_model(std::string(kCart) + "handle: {x: {position: x, stiffness: 100}}\n");
  TickSimulator simulator(model.system);
  simulator.start(model.initial());
  Pusher device;
  HapticOptions options{.duration = 0.5, .display = Display::Admittance};
  options.real_time = options.paced = false;
  (void)HapticLoop(simulator, device, options).run();
  EXPECT_NEAR(device.shown_position, 2 / 0.5 * 0.25 / 2, 1e-9);  // F/m t^2/2
  EXPECT_EQ(device.shown_force, 0.0);
}

TEST(HapticLoop, SaysWhatDoesNotFit) {
  const auto message = [](const std::string& handle, HapticOptions options) {
    const Model model = parse_model(kCart + handle);
    TickSimulator simulator(model.system);
    simulator.start(model.initial());
    Pusher device;
    try {
      HapticLoop loop(simulator, device, options);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto expect = [&](const std::string& handle, HapticOptions options, const std::string& part) {
    EXPECT_NE(message(handle, options).find(part), std::string::npos) << message(handle, options);
  };
  const std::string x = "handle: {x: {position: x, stiffness: 1}}\n";
  expect("", {}, "has no handle");
  expect("handle: {x: {position: x, stiffness: 1}, y: {position: 2*x, stiffness: 1}}\n", {}, "has 1 axes");
  expect(x, {.rate = 500}, "does not match a rate of 500");
  expect(x, {.rate = 0}, "rate must be between");
  expect(x, {.duration = -1}, "the duration -1 s is not possible");
  expect("handle: {x: {position: x, stiffness: -1}}\n", {}, "negative stiffness");
}

TEST(Recording, RefusesWhatIsDamaged) {
  const std::string file = testing::TempDir() + "haptics_damaged.csv";
  const auto read = [&](const std::string& text) {
    std::ofstream(file) << text;
    return Recording::read(file).size();
  };
  EXPECT_EQ(read("t,x.position,x.speed,x.force,x.shown\n0,1,2,3,4\n0.001,1,2,3,4\n"), 2U);
  EXPECT_THROW((void)read("t,x.position,x.speed\n0,1,2\n"), ModelError);
  EXPECT_THROW((void)read("t,x.position,x.speed,x.force,x.shown\n0,1,2\n"), ModelError);
  EXPECT_THROW((void)read("t,x.position,x.speed,x.force,x.shown\n0,1,two,3,4\n"), ModelError);
  EXPECT_THROW((void)read(""), ModelError);
  EXPECT_THROW((void)Recording::read(file + ".missing"), ModelError);
}

}  // namespace
}  // namespace kane::test

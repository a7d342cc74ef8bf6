// Nothing comes out that was not put in: walls that are far too stiff and answer late, shown to a hand by force and by
// motion, over random parameters. The energy is measured here anew, from the motion of the device alone.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <deque>

#include "kane/haptics/haptic_loop.hpp"
#include "kane/haptics/simulated_device.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

double between(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1001) / 1000.0; }

struct Energies {
  double least = 0, most_error = 0, last = 0;
};

/// A wall at x = 0 of stiffness k and damping b that answers `delay` ticks late, in a device of mass m held by a hand.
struct LateWall {
  double period, k, b, mass, hand_stiffness, pull;
  int delay;

  [[nodiscard]] double give() const { return period * period / (2 * mass); }

  Energies run(bool on, PassivityController& controller) const {
    SimulatedAxis axis;
    axis.device = {.damping = 0.01, .mass = mass};
    axis.hand = {.amplitude = pull, .frequency = 1.7, .stiffness = hand_stiffness, .damping = 0.5};
    SimulatedDevice device({axis});
    const std::vector<double> origin{-0.01};
    device.start(origin);
    std::vector<double> x(1), v(1), f(1), force(1);
    std::deque<double> late(static_cast<std::size_t>(delay), 0.0);
    Energies energies;
    double before = origin[0], shown = 0, speed = 0;
    for (int n = 0; n < 3000; ++n) {
      (void)device.read(n * period, x, v, f);
      const double work = shown * (x[0] - before);  // the hand's, against a force held for a tick
      energies.last += work;
      energies.least = std::min(energies.least, energies.last);
      energies.most_error = std::max(energies.most_error, std::abs(work - shown * (period * speed - give() * shown)));
      late.push_back(x[0] > 0 ? k * x[0] + b * v[0] : 0.0);
      shown = controller.control_force(late.front(), x[0], v[0], on);
      late.pop_front();
      before = x[0], speed = v[0];
      force[0] = -shown;
      device.write(n * period, force, origin);
    }
    return energies;
  }
};

LateWall random_wall() {
  LateWall wall{};
  wall.period = between(2e-4, 2e-3);
  wall.mass = between(0.05, 1);
  // Up to where a spring held for a tick would throw the mass out by itself.
  wall.k = between(0.02, 1.5) * wall.mass / (wall.period * wall.period);
  wall.b = between(0, 0.3) * wall.mass / wall.period;
  wall.hand_stiffness = between(20, 800);
  wall.pull = between(0.01, 0.1);
  wall.delay = *rc::gen::inRange(0, 6);
  return wall;
}

RC_GTEST_PROP(PassivityControl, ForceGivesNoMoreThanOneTicksError, ()) {
  const LateWall wall = random_wall();
  PassivityController controller(wall.period, wall.give());
  const Energies energies = wall.run(true, controller);
  RC_ASSERT(std::abs(controller.least_energy() - energies.least) <= 1e-9 * (1 + std::abs(energies.least)));
  RC_ASSERT(controller.largest_error() <= energies.most_error * (1 + 1e-9) + 1e-15);
  RC_ASSERT(energies.least >= -(energies.most_error + controller.turned()) * (1 + 1e-9) - 1e-15);
}

TEST(PassivityControl, WithoutItTheSameWallsGiveMuchMore) {
  const LateWall wall{1e-3, 20000, 0, 0.2, 200, 0.05, 2};
  PassivityController observer(wall.period, wall.give()), controller(wall.period, wall.give());
  const Energies without = wall.run(false, observer), with = wall.run(true, controller);
  EXPECT_LT(without.least, -1);
  EXPECT_GT(with.least, 0.01 * without.least);
  EXPECT_GE(with.least, -(with.most_error + controller.turned()));
  EXPECT_GT(controller.interventions(), 0);
  EXPECT_EQ(observer.interventions(), 0);
}

// Shown by motion: a mass that is pushed by the hand, with a force of its own that would accelerate it against the hand.
RC_GTEST_PROP(PassivityControl, MotionGivesNoMoreThanOneTicksError, ()) {
  const double period = between(2e-4, 2e-3), mass = between(0.1, 2), drive = between(1, 20), k = between(20, 500);
  PassivityController controller(period, k / 2);
  double image = 0, speed = 0, told = 0, energy = 0, least = 0, error = 0, force = 0, step = 0;
  for (int n = 0; n < 3000; ++n) {
    const double t = n * period, now = k * (0.05 * std::sin(9 * t) - told);
    energy += step * (force + now) / 2;
    least = std::min(least, energy);
    error = std::max(error, std::abs(step * ((force + now) / 2 - (force - k / 2 * step))));
    force = now;
    controller.note_force(force);
    speed += period / mass * (force + drive * std::sin(23 * t));
    const double wanted = period * speed + 0.02 * (image - told);
    image += period * speed;
    step = controller.control_motion(wanted, force);
    told += step;
  }
  RC_ASSERT(std::abs(controller.least_energy() - least) <= 1e-9 * (1 + std::abs(least)));
  RC_ASSERT(least >= -(error + controller.turned()) * (1 + 1e-9) - 1e-15);
}

constexpr const char* kWall = R"(
kane: 1
parameters: {k: 400 N/m, m: 0.5 kg}
bodies: {cart: {mass: m}}
joints: {rail: {type: prismatic, parent: N, child: cart, axis: x, coordinate: x, speed: v}}
contacts: {wall: {gap: 0.02 - x, restitution: 0.8}}
handle: {x: {position: x, stiffness: k, damping: 0.2}}
)";

// The whole loop, with a coupler that is much too stiff for its rate, and with one that looks harmless.
TEST(PassivityControl, TheLoopKeepsItsPromiseInBothDisplays) {
  const Model model = parse_model(kWall);
  for (const Display display : {Display::Impedance, Display::Admittance})
    for (const double stiffness : {400.0, 40000.0}) {
      TickSimulator simulator(model.system);
      simulator.set_parameters({{"k", stiffness}});
      simulator.start(model.initial());
      SimulatedAxis axis;
      axis.hand.amplitude = 0.08;
      SimulatedDevice device({axis}, display == Display::Admittance);
      HapticOptions options{.duration = 4, .display = display};
      options.real_time = options.paced = false;
      const HapticReport report = HapticLoop(simulator, device, options).run();
      EXPECT_EQ(report.status, TickStatus::Ok);
      EXPECT_GT(report.events, 0);
      EXPECT_GE(report.axes[0].least_energy, -2 * report.axes[0].energy_error) << stiffness;
      EXPECT_LT(report.axes[0].energy_error, stiffness < 1000 ? 0.01 : 0.1);
    }
}

}  // namespace
}  // namespace kane::test

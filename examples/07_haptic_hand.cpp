// A haptic hand: a person holds a block by a device and pushes it against a stop. The loop reads the device 1000 times a
// second, couples it to the block by a virtual spring and damper, advances the simulation, and displays the force. Here
// the device and the hand on it are simulated, and the loop runs as fast as it can, so that the result can be tested.

#include <fmt/format.h>

#include "kane/kane.hpp"

int main() {
  kane::Mechanism m("block");
  const auto block = m.add_body("block", {.mass = 0.4});
  m.prismatic("slide", m.ground, block, kane::axis::x,
              {.coordinate = "x", .speed = "v", .damping = 2, .limits = {{}, 0.03}});
  m.add_contact("stop", kane::JointStops{"slide"}, {.restitution = 0.2});
  m.add_handle("x", {.position = m.coordinate("x"), .stiffness = 500, .damping = 1});
  const kane::Model model(m);

  kane::TickSimulator simulator(model.system(), {.period = 1e-3});
  simulator.start(model.start().state);
  // The hand moves back and forth by 5 cm; the stop is at 3 cm.
  kane::SimulatedDevice device({{.device = {.damping = 0.5, .mass = 0.2},
                                 .hand = {.amplitude = 0.05, .frequency = 0.5, .stiffness = 300, .damping = 4}}});
  kane::HapticLoop loop(simulator, device, {.duration = 4, .real_time = false, .paced = false, .record = false});
  const kane::HapticReport report = loop.run();

  fmt::print("{} ticks, missed {}\n", report.ticks, report.missed);
  fmt::print("constraints changed in {} ticks\n", report.event_ticks);
  fmt::print("largest force on the hand: {:.2f} N\n", report.axes[0].largest_force);
  fmt::print("block at {:.4f} m\n", simulator.state().q[0]);
  return 0;
}

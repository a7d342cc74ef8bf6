// Embedding in a real-time program: a cart follows a target, 1000 ticks a second. A tick does a bounded amount
// of work and allocates nothing; deadlines are absolute, so that delays do not accumulate.

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "kane/kane.hpp"

int main() {
  kane::Mechanism m("cart");
  const auto F = m.input("F");
  const auto cart = m.add_body("cart", {.mass = 2});
  m.prismatic("rail", m.ground, cart, kane::axis::x,
              {.coordinate = "x", .speed = "v", .limits = {-0.2, 0.2}, .actuator = F});
  m.add_contact("ends", kane::JointStops{"rail"}, {.restitution = 0.3});
  const kane::Model model(m, {.driven = {"F"}});

  // Everything that takes time or memory happens before the loop.
  kane::TickSimulator plant(model.system(), {.period = 1e-3});
  plant.start(model.start().state);
  std::array<double, 1> force{};

  using Clock = std::chrono::steady_clock;
  auto deadline = Clock::now();
  for (int tick = 0; tick < 500; ++tick) {
    const double t = plant.state().t, x = plant.state().q[0], v = plant.state().u[0];
    const double target = 0.1 * std::sin(8 * t), rate = 0.8 * std::cos(8 * t);
    force[0] = 800 * (target - x) + 120 * (rate - v);
    plant.set_inputs(force);
    if (plant.tick().status != kane::TickStatus::Ok) return 1;
    deadline += std::chrono::milliseconds(1);
    std::this_thread::sleep_until(deadline);
  }
  fmt::print("t = {:.3f} s, x = {:.6f} m, target {:.6f} m\n", plant.state().t, plant.state().q[0],
             0.1 * std::sin(8 * plant.state().t));
  return 0;
}

// A pendulum in ten lines: describe it, compile it, let it swing. A small swing takes 2 pi sqrt(J / (m g l)).

#include <fmt/format.h>

#include "kane/kane.hpp"

int main() {
  kane::Mechanism m("pendulum");
  const auto g = m.parameter("g", 9.81, "m/s^2"), l = m.parameter("l", 0.5, "m");
  const auto rod = m.add_body("rod", {.mass = 2, .centre = {0, -l / 2, 0}, .inertia = {0, 0, 2 * l * l / 12}});
  m.revolute("pin", m.ground, rod, kane::axis::z, {.coordinate = "q", .speed = "u"});
  m.set_gravity({0, -g, 0});

  kane::Simulation run(kane::Model(m), {.q = {{"q", 0.1}}}, {.tolerance = 1e-10});
  for (int i = 0; i <= 4; ++i) {
    fmt::print("t = {:.2f} s   q = {:+.6f} rad   u = {:+.6f} rad/s\n", run.time(), run.value("q"), run.value("u"));
    run.advance(0.25);
  }
  return 0;
}

// Constraints and their forces. A particle slides in a vertical plane and is tied to the origin by a rod: one constraint,
// one multiplier, which is the tension of the rod. Kane's equations find it without solving a larger system.

#include <fmt/format.h>

#include <cmath>

#include "kane/kane.hpp"

int main() {
  kane::Mechanism m("bob");
  const auto mass = m.parameter("m", 0.5), L = m.parameter("L", 1.2), g = m.parameter("g", 9.81);
  const auto frame = m.add_body("F");
  m.general("slide", m.ground, frame,
            {kane::translate(kane::axis::x, {.coordinate = "x", .speed = "vx"}),
             kane::translate(kane::axis::y, {.coordinate = "y", .speed = "vy"})});
  m.add_particle("P", {.mass = mass, .on = frame});
  m.set_gravity({0, -g, 0});
  m.rod("rod", m.ground, "P", L);
  m.set_initial("x", L);
  m.set_initial("vy", -0.01);
  const kane::Model model(m);

  // Let it fall from the horizontal; when the rod is at the angle a below it, v^2 = v0^2 + 2 g L sin(a), and the
  // tension is m v^2 / L + m g sin(a).
  kane::Simulation run(model, {}, {.tolerance = 1e-11});
  fmt::print("   t [s]    angle [deg]   tension [N]   by energy [N]\n");
  for (int i = 0; i < 5; ++i) {
    run.advance(0.1);
    const double x = run.value("x"), y = run.value("y"), sine = -y / 1.2;
    const kane::Evaluation at =
        kane::evaluate(model, {.q = {{"x", x}, {"y", y}}, .u = {{"vx", run.value("vx")}, {"vy", run.value("vy")}}});
    const double by_energy = 0.5 * (1e-4 + 2 * 9.81 * 1.2 * sine) / 1.2 + 0.5 * 9.81 * sine;
    fmt::print("{:8.2f} {:14.4f} {:13.6f} {:15.6f}\n", run.time(), std::asin(sine) * 180 / M_PI,
               std::abs(at.constraints[0].multiplier), by_energy);
  }
  return 0;
}

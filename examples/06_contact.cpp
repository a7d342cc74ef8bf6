// Contact: a ball falls on the floor and bounces, each time slower by the coefficient of restitution, until it rests. It
// bounces infinitely often in finite time, and rests after sqrt(2 h / g) (1 + e) / (1 - e).

#include <fmt/format.h>

#include <cmath>

#include "kane/kane.hpp"

int main() {
  constexpr double h = 1, e = 0.6, g = 9.81, r = 0.05;
  kane::Mechanism m("ball");
  const auto ball = m.add_body("ball", {.mass = 0.2, .shape = kane::shape::sphere(r)});
  m.prismatic("fall", m.ground, ball, kane::axis::y, {.coordinate = "y", .speed = "v"});
  m.set_gravity({0, -g, 0});
  m.add_contact("floor", kane::SphereContact{.body = ball, .radius = r, .plane = kane::axis::y}, {.restitution = e});
  m.set_initial("y", h + r);

  kane::Simulation run(kane::Model(m), {}, {.tolerance = 1e-10});
  fmt::print("  t [s]   height [m]   speed [m/s]\n");
  for (int i = 0; i < 10; ++i) {
    run.advance(0.2);
    fmt::print("{:7.2f} {:12.6f} {:13.6f}\n", run.time(), run.value("y") - r, run.value("v"));
  }
  fmt::print("it should rest from {:.4f} s on\n", std::sqrt(2 * h / g) * (1 + e) / (1 - e));
  return 0;
}

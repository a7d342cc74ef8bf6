// Your own joint and your own load. A joint is a list of elementary motions, and constraints couple motions: here a
// knee, whose shank turns while its centre of rotation moves along a curve. A load is an expression: here a muscle that
// follows a measured curve, and a drag that grows with the square of the speed.

#include <fmt/format.h>

#include "kane/kane.hpp"

namespace {

/// A knee: turns by `angle`, and its centre moves forward by 8 mm (1 - cos(angle)).
void add_knee(kane::Mechanism& m, const kane::BodyRef& thigh, const kane::BodyRef& shank) {
  m.general("knee", thigh, shank,
            {kane::translate(kane::axis::x, {.coordinate = "slide", .speed = "v_slide"}),
             kane::rotate(kane::axis::z, {.coordinate = "angle", .speed = "w"})},
            {.at = {0, -0.42, 0}});
  m.hold("wander", {m.coordinate("slide") - 0.008 * (1 - cos(m.coordinate("angle")))});
}

}  // namespace

int main() {
  kane::Mechanism m("leg");
  const auto thigh = m.add_body("thigh", {.mass = 7, .centre = {0, -0.2, 0}, .inertia = {0.1, 0.02, 0.1}});
  const auto shank = m.add_body("shank", {.mass = 3.5, .centre = {0, -0.18, 0}, .inertia = {0.05, 0.005, 0.05}});
  m.weld("hip", m.ground, thigh);  // the thigh is fixed
  add_knee(m, thigh, shank);
  m.set_gravity({0, -9.81, 0});

  m.add_table({.name = "muscle", .x = {-0.5, 0, 0.5, 1, 1.5}, .y = {0, 6, 12, 9, 4}, .monotone = true});
  m.add_joint_load("extensor", "knee", {.coordinate = "angle", .law = m.expression("muscle(angle)")});
  const auto w = m.speed("w");
  m.add_joint_load("drag", "knee", {.coordinate = "angle", .law = -0.3 * w * abs(w)});
  m.add_output("centre", m.coordinate("slide"));

  kane::Simulation run(kane::Model(m), {}, {.tolerance = 1e-10});
  fmt::print("  t [s]   angle [rad]   centre [mm]\n");
  for (int i = 0; i < 6; ++i) {
    run.advance(0.2);
    fmt::print("{:7.1f} {:13.6f} {:13.4f}\n", run.time(), run.value("angle"), 1000 * run.value("centre"));
  }
  return 0;
}

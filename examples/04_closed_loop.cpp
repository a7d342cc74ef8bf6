// A closed loop: a four-bar linkage. Three joints make a tree, the fourth closes it. Given initial values are held, and
// assembly finds the others near their guesses.

#include <fmt/format.h>

#include <cmath>

#include "kane/kane.hpp"

int main() {
  kane::Mechanism m("four-bar");
  const auto bar = [&](const char* name, double length, double mass) {
    return m.add_body(name,
                      {.mass = mass, .centre = {length / 2, 0, 0}, .inertia = {0, 0, mass * length * length / 12}});
  };
  const auto crank = bar("crank", 0.3, 0.8), coupler = bar("coupler", 0.9, 1.6), rocker = bar("rocker", 0.7, 1.1);
  m.revolute("O", m.ground, crank, kane::axis::z, {.coordinate = "q1", .speed = "u1"});
  m.revolute("A", crank, coupler, kane::axis::z, {.coordinate = "q2", .speed = "u2", .at = {0.3, 0, 0}});
  m.revolute("D", m.ground, rocker, kane::axis::z, {.coordinate = "q3", .speed = "u3", .at = {0.8, 0, 0}});
  m.revolute("B", coupler, rocker, kane::axis::z, {.at = {0.9, 0, 0}, .child_at = {0.7, 0, 0}, .closing = true});
  m.set_gravity({0, -9.81, 0});
  m.set_initial("q1", 0.5);
  m.set_guess("q2", 0.2);  // roughly
  m.set_guess("q3", 1.2);
  m.set_initial("u1", 6);

  kane::Simulation run(kane::Model(m), {}, {.tolerance = 1e-10});
  fmt::print("assembled at q = {:.6f}, {:.6f}, {:.6f}\n", run.value("q1"), run.value("q2"), run.value("q3"));
  const auto energy = [&] {
    const auto& s = run.state();
    const kane::Evaluation at = kane::evaluate(run.model(), {.q = {{"q1", s.q[0]}, {"q2", s.q[1]}, {"q3", s.q[2]}},
                                                             .u = {{"u1", s.u[0]}, {"u2", s.u[1]}, {"u3", s.u[2]}}});
    return *at.kinetic + *at.potential;
  };
  const double before = energy();
  run.advance(2);
  fmt::print("after 2 s q = {:.6f}, {:.6f}, {:.6f}\n", run.value("q1"), run.value("q2"), run.value("q3"));
  fmt::print("energy kept to {}\n", std::abs(energy() / before - 1) < 1e-8 ? "8 digits" : "fewer digits than expected");
  return 0;
}

// Linearize and control: a pole on a cart. Upright it falls; the linear model about the upright state shows how fast. A
// feedback law whose gains place the poles at -2 +- i, -3 and -4 per second stabilizes it, and then runs on the nonlinear
// model as a 100 Hz controller written in C++.

#include <fmt/format.h>

#include <array>

#include "kane/kane.hpp"

namespace {

kane::Mechanism cart_pole() {
  kane::Mechanism m("cart-pole");
  const auto F = m.input("F"), l = m.parameter("l", 0.5), g = m.parameter("g", 9.81);
  const auto cart = m.add_body("cart", {.mass = 1});
  const auto pole = m.add_body("pole", {.mass = 0.2, .centre = {0, l, 0}, .inertia = {0.02, 0, 0.02}});
  m.prismatic("rail", m.ground, cart, kane::axis::x, {.coordinate = "x", .speed = "v", .damping = 0.1, .actuator = F});
  m.revolute("pivot", cart, pole, -kane::axis::z, {.coordinate = "theta", .speed = "w"});
  m.set_gravity({0, -g, 0});
  return m;
}

constexpr std::array kGains{4.53, 48.24, 6.36, 12.52};  // of x, theta, v, w

}  // namespace

int main() {
  const kane::Model model(cart_pole());
  kane::Situation upright(model);
  kane::Linearizer linearizer(upright.evaluator());
  kane::LinearModel linear = linearizer.calc(upright.state());
  fmt::print("states: {}\n", fmt::join(linear.states, ", "));
  fmt::print("without control: {}\n", kane::describe_stability(kane::calc_modes(linear.a)));

  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) linear.a(i, j) += linear.b(i, 0) * kGains[j];
  fmt::print("with control: {}\n", kane::describe_stability(kane::calc_modes(linear.a)));

  // The same gains on the nonlinear model, sampled.
  kane::Simulation run(model, {.q = {{"theta", 0.3}}, .inputs = {{"F", 0}}});
  for (int i = 0; i < 400; ++i) {
    const auto& s = run.state();
    run.set_input("F", kGains[0] * s.q[0] + kGains[1] * s.q[1] + kGains[2] * s.u[0] + kGains[3] * s.u[1]);
    run.advance(0.01);
  }
  fmt::print("after {:.0f} s from a tilt of 0.3 rad: theta = {:.4f}, x = {:.4f}\n", run.time(), run.value("theta"),
             run.value("x"));
  return 0;
}

// Any speeds you like. The generalized speeds of Kane's method are combinations of the rates of the coordinates, and the
// choice is yours: the motion does not depend on it, but the length of the equations does. Here is a robot with two links
// in three versions: rates of the joints, angular velocities of the links, and the velocity of the tip itself.

#include <fmt/format.h>

#include "kane/kane.hpp"

namespace {

kane::Mechanism two_links() {
  kane::Mechanism m("arm");
  const auto mass = m.parameter("m", 1.3), L = m.parameter("L", 0.7), g = m.parameter("g", 9.81);
  const auto A = m.add_body("A"), B = m.add_body("B");
  m.add_particle("elbow", {.mass = mass, .on = A, .at = {L, 0, 0}});
  m.add_particle("tip", {.mass = mass, .on = B, .at = {L, 0, 0}});
  m.revolute("j1", m.ground, A, kane::axis::z, {.coordinate = "q1"});
  m.revolute("j2", A, B, kane::axis::z, {.coordinate = "q2", .at = {L, 0, 0}});
  m.set_gravity({0, -g, 0});
  m.set_initial("q1", 0.4);
  m.set_initial("q2", 0.9);
  return m;
}

void show(const char* title, const kane::Mechanism& m) {
  const kane::Model model(m);
  const kane::EquationsOfMotion& e = model.equations();
  fmt::print("{}\n", title);
  for (std::size_t i = 0; i < e.u.size(); ++i) fmt::print("  {}' = {}\n", e.q[i].name(), kane::literal(e.qdot[i]).text);
  fmt::print("  operations for the accelerations: {}\n", kane::count_dynamics(e).total());
  // From rest, the acceleration of the tip is the same for all choices of speeds.
  const kane::Evaluation at = kane::evaluate(model);
  for (const auto& p : at.points)
    if (p.name == "tip")
      fmt::print("  acceleration of the tip: {:.6f}, {:.6f} m/s^2\n", p.acceleration[0], p.acceleration[1]);
}

}  // namespace

int main() {
  show("rates of the joints", two_links());

  kane::Mechanism absolute = two_links();
  absolute.set_speeds({{"u1", "dot(omega(A), N.z)"}, {"u2", "dot(omega(B), N.z)"}});
  show("angular velocities of the links", absolute);

  kane::Mechanism tip = two_links();
  tip.set_speeds({{"vx", "dot(v(tip), N.x)"}, {"vy", "dot(v(tip), N.y)"}});
  show("velocity of the tip", tip);
  return 0;
}

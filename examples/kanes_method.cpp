// Kane's method on the analyst's workbench: a thin disk that rolls on a plane. Frames, points, speeds by definition,
// rolling constraints, the contact force, and the linear equations of straight rolling. docs/kanes-method.md goes
// through it line by line.

#include <fmt/format.h>

#include "kane/expr/literal.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/mechanics/linearize.hpp"

namespace {

using namespace kane;

std::string text(const Expr& e) { return literal(e).text; }

/// One row of M u' = rhs as a person would write it.
std::string equation(const EquationsOfMotion& e, int row) {
  const EmbeddedEquations& c = *e.embedded;
  Expr left;
  for (int j = 0; j < c.M.columns; ++j) {
    left += c.M(row, j) * e.udot[static_cast<std::size_t>(c.independent[static_cast<std::size_t>(j)])];
  }
  return text(left) + " = " + text(c.rhs[static_cast<std::size_t>(row)]);
}

void build_disk(System& s) {
  // Symbols: parameters with their default values, coordinates.
  const Expr m = s.add_parameter("m", 1.5), r = s.add_parameter("r", 0.4), g = s.add_parameter("g", 9.81);
  const Expr q1 = s.add_coordinate("q1"), q2 = s.add_coordinate("q2"), q3 = s.add_coordinate("q3");
  const Expr X = s.add_coordinate("x"), Y = s.add_coordinate("y"), Z = s.add_coordinate("z");

  // Frames: yaw, then lean, then spin. Each orientation is stated once.
  const FrameId N = s.inertial();
  const FrameId A = s.add_frame("A", N, SimpleRotation{Axis::Z, q1});
  const FrameId L = s.add_frame("L", A, SimpleRotation{Axis::X, q2});
  const FrameId R = s.add_frame("R", L, SimpleRotation{Axis::Y, q3});

  // Points: the centre, and the point of the disk that is at the contact at the moment.
  const PointId C = s.add_point("C", s.origin(), Vector(N, {X, Y, Z}));
  const PointId contact = s.add_point("contact", C, -r * z(L));
  const PointId touching = s.add_point_of("touching", R, contact);

  s.add_body(
      "R",
      {.frame = R, .mass_centre = C, .mass = m, .inertia = inertia(R, m * r * r / 4, m * r * r / 2, m * r * r / 4)});
  s.add_gravity(-g * z(N));

  // Generalized speeds, by definition: the angular velocity in the leaning frame, and the rates of the centre.
  const Vector w = s.angular_velocity(R);
  s.add_speed("u1", s.dot(w, x(L)));
  s.add_speed("u2", s.dot(w, y(L)));
  s.add_speed("u3", s.dot(w, z(L)));
  s.add_speed("u4", s.rate(X));
  s.add_speed("u5", s.rate(Y));
  s.add_speed("u6", s.rate(Z));

  // Rolling: the point of the disk at the contact has no velocity. The multipliers are the contact force.
  s.add_velocity_constraint("slip_x", touching, s.origin(), x(N), "rolling");
  s.add_velocity_constraint("slip_y", touching, s.origin(), y(N), "rolling");
  s.add_velocity_constraint("lift", touching, s.origin(), z(N), "rolling");
  s.set_dependent_speeds({s.graph().symbol("u4"), s.graph().symbol("u5"), s.graph().symbol("u6")});
}

void roll() {
  System s("disk");
  build_disk(s);
  const EquationsOfMotion e = form_equations(s);
  for (const std::string& warning : e.warnings) fmt::print("warning: {}\n", warning);

  fmt::print("\nkinematical equations\n");
  for (std::size_t i = 0; i < 3; ++i) fmt::print("  {}' = {}\n", e.q[i].name(), text(e.qdot[i]));
  fmt::print("\ndependent speeds\n");
  for (int i = 0; i < 3; ++i) {
    Expr sum;
    for (int j = 0; j < 3; ++j) sum += e.embedded->D(i, j) * e.u[static_cast<std::size_t>(j)];
    fmt::print("  u{} = {}\n", i + 4, text(sum));
  }
  fmt::print("\nequations of motion\n");
  for (int i = 0; i < 3; ++i) fmt::print("  {}\n", equation(e, i));
  fmt::print("\nnormal force\n  {}\n", text(e.embedded->multipliers[2]));

  // Straight rolling at the rate Omega: upright, u2 = Omega, u4 = r Omega, everything else zero.
  const Expr Omega = s.graph().symbol("Omega"), r = s.graph().symbol("r");
  LinearizeOptions options;
  options.nominal = {{"z", r}, {"u2", Omega}, {"u4", r * Omega}};
  options.only = {"q2", "u1", "u3"};
  const Linearization l = linearize(e, options);
  fmt::print("\nlinear equations of lean and yaw, x' = A x\n");
  for (int i = 0; i < l.A.rows; ++i) {
    for (int j = 0; j < l.A.columns; ++j) {
      if (!l.A(i, j).is_zero()) fmt::print("  A[{}, {}] = {}\n", i + 1, j + 1, text(l.A(i, j)));
    }
  }
}

/// The pin force of a pendulum: by auxiliary speeds, and by the function that hides them.
void swing() {
  System s("pendulum");
  const Expr m = s.add_parameter("m", 1), L = s.add_parameter("L", 0.5), g = s.add_parameter("g", 9.81);
  const Expr q = s.add_coordinate("q");
  const FrameId N = s.inertial(), A = s.add_frame("A", N, SimpleRotation{Axis::Z, q});
  const PointId pin = s.add_point("pin", s.origin(), Vector());
  const PointId P = s.add_point("P", pin, L * x(A));
  s.add_particle("bob", P, m);
  s.add_speed("u", s.rate(q));
  s.add_gravity(g * x(N));
  // The pin could move along the rod, but does not: this speed is always zero, and its equation gives the force.
  s.add_auxiliary_speed("tension", pin, -x(A));
  // The same without auxiliary speeds: the force on the part outboard of the pin, in the frame of the rod.
  s.add_reaction("pin", {.point = pin, .outboard = A, .in = A, .torque = false});
  const EquationsOfMotion e = form_equations(s);
  fmt::print("\npendulum: {} u' = {}\n", text(e.M(0, 0)), text(e.rhs[0]));
  fmt::print("tension = {}\n", text(e.auxiliary_forces[0].value));
  fmt::print("force of the pin = ({}, {})\n", text(e.reactions[0].force[0]), text(e.reactions[0].force[1]));
}

}  // namespace

int main() {
  roll();
  swing();
  return 0;
}

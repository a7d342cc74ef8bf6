#pragma once
// The Whipple bicycle of the oracles, 9 coordinates, 2 configuration and 4 rolling constraints.

#include "kane/mechanics/system.hpp"
#include "oracle.hpp"

namespace kane::test {

struct Bicycle {
  Oracle oracle{"bicycle_nonlinear"};
  System s{"bicycle_nonlinear"};
  FrameId N, yaw, roll, B, H, R, F;

  Bicycle() {
    oracle.declare(s);
    const auto p = [&](const std::string& name) { return sym(s, name); };
    N = s.inertial();
    yaw = s.add_frame("yaw", N, SimpleRotation{Axis::Z, p("psi")});
    roll = s.add_frame("roll", yaw, SimpleRotation{Axis::X, p("phi")});
    B = s.add_frame("B", roll, SimpleRotation{Axis::Y, p("theta")});
    // The steer axis is b3 tilted by lam about b2.
    const FrameId head = s.add_frame("head", B, SimpleRotation{Axis::Y, p("lam")});
    const FrameId fork = s.add_frame("fork", head, SimpleRotation{Axis::Z, p("delta")});
    H = s.add_frame("H", fork, SimpleRotation{Axis::Y, -p("lam")});
    R = s.add_frame("R", B, SimpleRotation{Axis::Y, p("tR")});
    F = s.add_frame("F", H, SimpleRotation{Axis::Y, p("tF")});

    const PointId Ro = s.add_point("Ro", s.origin(), Vector(N, {p("x"), p("y"), p("z")}));
    const PointId Bo = s.add_point("Bo", Ro, Vector(B, {p("xB"), 0, p("zB") + p("rR")}));
    const PointId S = s.add_point("S", Ro, Vector(B, {p("w") + p("c"), 0, p("rR")}));
    const PointId Ho = s.add_point("Ho", S, Vector(H, {p("xH") - p("w") - p("c"), 0, p("zH")}));
    const PointId Fo = s.add_point("Fo", S, Vector(H, {-p("c"), 0, -p("rF")}));
    s.add_body("B", {B, Bo, p("mB"), inertia(B, p("IBxx"), p("IByy"), p("IBzz"), 0, 0, p("IBxz"))});
    s.add_body("H", {H, Ho, p("mH"), inertia(H, p("IHxx"), p("IHyy"), p("IHzz"), 0, 0, p("IHxz"))});
    s.add_body("R", {R, Ro, p("mR"), inertia(R, p("IRxx"), p("IRyy"), p("IRxx"))});
    s.add_body("F", {F, Fo, p("mF"), inertia(F, p("IFxx"), p("IFyy"), p("IFxx"))});

    for (const char* q : {"x", "y", "z", "psi", "phi", "theta", "delta", "tR", "tF"}) {
      s.add_speed(std::string("u_") + q, s.rate(p(q)));
    }
    s.add_gravity(p("g") * z(N));
    s.add_torque("lean", B, p("Tphi") * x(yaw));
    s.add_torque_pair("steer", H, B, p("Tdelta") * z(head));

    // The lowest point of a wheel: from the centre along n3 less its component along the axle.
    const PointId rear = s.add_point("rear", Ro, p("rR") * z(roll));
    const Vector down = s.express(z(N), H);
    const Vector flat = Vector(H, {down.in(H)[0], 0, down.in(H)[2]});
    const PointId front = s.add_point("front", Fo, p("rF") / s.magnitude(flat) * flat);
    const PointId rear_contact = s.add_point_of("rear_contact", R, rear);
    const PointId front_contact = s.add_point_of("front_contact", F, front);
    s.add_contact("h1", s.dot(s.position(rear), z(N)), rear_contact, s.origin(), z(N), "rear");
    s.add_contact("h2", s.dot(s.position(front), z(N)), front_contact, s.origin(), z(N), "front");
    s.add_velocity_constraint("c3", rear_contact, s.origin(), x(N), "rear");
    s.add_velocity_constraint("c4", rear_contact, s.origin(), y(N), "rear");
    s.add_velocity_constraint("c5", front_contact, s.origin(), x(N), "front");
    s.add_velocity_constraint("c6", front_contact, s.origin(), y(N), "front");
    std::vector<Expr> dependent;
    for (const char* q : {"x", "y", "z", "psi", "theta", "tF"}) dependent.push_back(p(std::string("u_") + q));
    s.set_dependent_speeds(dependent);
  }
};

}  // namespace kane::test

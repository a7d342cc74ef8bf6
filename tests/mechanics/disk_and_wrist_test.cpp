// Gillespie's examples 1 and 2: the disk on a ramp, the spherical wrist.

#include <gtest/gtest.h>

#include <iostream>

#include "kane/expr/count.hpp"
#include "oracle.hpp"

namespace kane::test {
namespace {

struct Disk {
  Oracle oracle;
  System s;
  FrameId A, B;
  PointId Bo, contact;

  explicit Disk(const std::string& id) : oracle(id), s(id) {
    oracle.declare(s);
    const auto p = [&](const char* name) { return sym(s, name); };
    const FrameId N = s.inertial();
    A = s.add_frame("A", N, SimpleRotation{Axis::Z, p("phi")});
    B = s.add_frame("B", A, SimpleRotation{Axis::Z, p("q2")});
    Bo = s.add_point("Bo", s.origin(), p("q1") * x(A) + p("r") * y(A));
    const PointId touch = s.add_point("touch", Bo, -p("r") * y(A));
    s.add_body("B", {B, Bo, p("m"), inertia(B, 0, 0, p("J"))});
    contact = s.add_point_of("contact", B, touch);
    s.add_speed("u1", s.rate(p("q1")));
    s.add_speed("u2", p("r") * s.rate(p("q2")));
    s.add_gravity(-p("g") * y(N));
    // The normal force presses on the disk at the contact; lifting the whole disk shows it.
    const Expr n = s.add_unknown("normal");
    s.add_auxiliary_speed("lift", Bo, y(A));
    s.add_force("normal", contact, n * y(A));
    s.add_output("slip", s.dot(s.velocity(contact), x(A)));
  }

  void check(KaneDerivation& d) {
    const auto values = compare(d, oracle);
    const EquationsOfMotion& e = d.equations();
    ASSERT_EQ(e.auxiliary_forces.size(), 1U);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto& state = oracle.states()[i];
      expect_close(calc(std::span(&e.auxiliary_forces[0].value, 1), values[i]), state["normal_force"], "normal force");
      EXPECT_NEAR(static_cast<double>(calc(e.outputs[0].value, values[i])), state["slip"].get<double>(), 1e-15);
      if (state.contains("friction_force_Ff")) {
        EXPECT_NEAR(static_cast<double>(-values[i].at("lambda.roll")), state["friction_force_Ff"].get<double>(), 1e-12);
      }
    }
  }
};

TEST(Oracle, DiskSlide) {
  Disk disk("disk_slide");
  disk.s.add_force("friction", disk.contact, -sym(disk.s, "Ff") * x(disk.A));
  KaneDerivation d(disk.s);
  disk.check(d);
}

TEST(Oracle, DiskRoll) {
  Disk disk("disk_roll");
  disk.s.add_velocity_constraint("roll", disk.contact, disk.s.origin(), x(disk.A));
  disk.s.set_dependent_speeds({sym(disk.s, "u2")});
  KaneDerivation d(disk.s);
  disk.check(d);
}

struct Wrist {
  Oracle oracle;
  System s;
  FrameId C;

  explicit Wrist(const std::string& id, bool sequence = false) : oracle(id), s(id) {
    oracle.declare(s);
    const auto p = [&](const char* name) { return sym(s, name); };
    const FrameId N = s.inertial();
    if (sequence) {
      C = s.add_frame("C", N, rotation_sequence("body 323", {p("q1"), p("q2"), p("q3")}));
    } else {
      const FrameId A = s.add_frame("A", N, SimpleRotation{Axis::Z, p("q1")});
      const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::Y, p("q2")});
      C = s.add_frame("C", B, SimpleRotation{Axis::Z, p("q3")});
    }
    const PointId Co = s.add_point("Co", s.origin(), p("L") * z(C));
    s.add_body("C", {C, Co, p("M"), inertia(C, p("I1"), p("I2"), p("I3"))});
    s.add_gravity(-p("G") * x(N));
    s.add_torque("contact", C, Vector(C, {p("T1"), p("T2"), p("T3")}));
    s.add_force("contact", Co, Vector(C, {p("F1"), p("F2"), p("F3")}));
  }
  void add_body_speeds() {
    const Vector w = s.angular_velocity(C);
    s.add_speed("u1", s.dot(w, x(C)));
    s.add_speed("u2", s.dot(w, y(C)));
    s.add_speed("u3", s.dot(w, z(C)));
  }
  void add_rates() {
    for (const char* i : {"1", "2", "3"}) s.add_speed(std::string("u") + i, s.rate(sym(s, std::string("q") + i)));
  }
  /// Symbols that change from one evaluation to the next: all but the parameters.
  [[nodiscard]] std::vector<Expr> variables(const EquationsOfMotion& e) const {
    std::vector<Expr> v = e.q;
    v.insert(v.end(), e.u.begin(), e.u.end());
    for (const SymbolWithDefault& i : e.inputs) v.push_back(i.symbol);
    return v;
  }
};

TEST(Oracle, WristBodySpeeds) {
  for (const bool sequence : {false, true}) {
    Wrist w("wrist_body", sequence);
    w.add_body_speeds();
    DeriveOptions options;
    options.solve = true;
    KaneDerivation d(w.s, options);
    const EquationsOfMotion& e = d.equations();
    const OperationCount count = count_operations(e.udot_explicit, w.variables(e));
    std::cout << "wrist, body speeds: " << count.to_string() << "\n";
    EXPECT_LE(count.mul + count.div, 20) << count.to_string();
    EXPECT_LE(count.add, 10) << count.to_string();
    EXPECT_LE(count.func, 6) << count.to_string();
    compare(d, w.oracle);
    ASSERT_EQ(e.warnings.size(), 2U);
    EXPECT_EQ(e.warnings[0], "the choice of generalized speeds is singular where sin(q2) = 0");
    EXPECT_NE(e.warnings[1].find("the inertia of body C violates the triangle inequality"), std::string::npos);
  }
}

TEST(Oracle, WristRates) {
  Wrist w("wrist_rates");
  w.add_rates();
  KaneDerivation d(w.s);
  const EquationsOfMotion& e = d.equations();
  std::vector<Expr> outputs = e.M.entries;
  outputs.insert(outputs.end(), e.rhs.begin(), e.rhs.end());
  const OperationCount count = count_operations(outputs, w.variables(e));
  std::cout << "wrist, rates: " << count.to_string() << "\n";
  EXPECT_LT(count.mul + count.div, 100) << count.to_string();
  EXPECT_LT(count.add, 60) << count.to_string();
  EXPECT_LE(count.func, 6) << count.to_string();
  compare(d, w.oracle);
}

}  // namespace
}  // namespace kane::test

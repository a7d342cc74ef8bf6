// Constraints of every kind: rows and right-hand sides are derivatives of each other, ideal ones do no work, and joints bear
// only what they can.

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/report.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::RandomTree;
using testing::Situation;
using testing::text;

struct ConstraintCase {
  std::string name;
  decltype(Constraint::what) what;
};

std::vector<ConstraintCase> cases() {
  return {
      {"configuration", ExpressionConstraint{{text("q_J1 - 0.3*sin(2*q_J0)")}, {}}},
      {"prescribed", ExpressionConstraint{{text("q_J1 - 0.3*sin(2*t)")}, {}}},
      {"table", ExpressionConstraint{{text("q_J1 - cam(q_J0)")}, {}}},
      {"several", ExpressionConstraint{{text("q_J1 - q_J0"), text("q_J2_1 - q_J0^2 - 0.1*t")}, {}}},
      {"motion", ExpressionConstraint{{}, {text("dot(v(P), B1.x)"), text("u_J0 - 2*u_J1 + 0.1*t")}}},
      {"point", PointConstraint{"P", "Q", {}, {}, false}},
      {"point_along_ground", PointConstraint{"P", "Q", {text("N.x"), text("N.y + N.z")}, {}, false}},
      {"point_along_body", PointConstraint{"P", "Q", {text("B1.x")}, {}, false}},
      {"point_along_others", PointConstraint{"P", "Q", {text("B0.x + 2*B2.y")}, {}, false}},
      {"path", PointConstraint{"P", "", {}, text("N.x + N.y"), false}},
      {"path_of_body", PointConstraint{"P", "Q", {}, text("B1.z"), false}},
      {"velocity", PointConstraint{"P", "Q", {text("B1.x"), text("N.z")}, {}, true}},
      {"rolling", RollingConstraint{"B2", "", text("-0.3*N.z"), {text("N.x"), text("N.y")}}},
      {"rolling_on_body", RollingConstraint{"B2", "B1", text("0.2*B1.x - 0.3*B2.z"), {}}},
      {"rod", DistanceConstraint{"P", "Q", Expr(7) / 10}},
      {"rod_to_ground", DistanceConstraint{"P", "N", 1}},
  };
}

Joint loop_joint(const std::string& name, const std::string& kind, const std::string& parent,
                 const std::string& child) {
  Joint j;
  j.name = name, j.kind = kind, j.parent = parent, j.child = child;
  j.motions = open_joint(joint_kind(kind, {}));
  return j;
}

/// Two chains on the ground: N-B0-B1 by revolutes, N-B2 by a bushing.
Mechanism base() {
  RandomTree random(41);
  Mechanism m("constrained");
  m.add_parameter("g", 9.81);
  m.gravity.text = "-g*N.z + 0.3*g*N.x";
  m.add_table({"cam", {-2, -1, 0, 1, 2}, {0.1, 0.3, -0.2, 0.4, 0.2}, true, false, {}});
  for (const char* name : {"B0", "B1", "B2"}) {
    MechanismBody b;
    b.name = name;
    b.mass = 1.3;
    b.mass_centre = {0.1, -0.2, 0.15};
    b.inertia = random.inertia();
    m.add_body(b);
  }
  for (Joint j : {loop_joint("J0", "universal", "N", "B0"), loop_joint("J1", "cylindrical", "B0", "B1"),
                  loop_joint("J2", "bushing", "N", "B2")}) {
    j.on_parent = random.placement();
    j.on_child = random.placement();
    for (ElementaryMotion& motion : j.motions) motion.law.stiffness = 2, motion.law.damping = 0.3;
    if (j.name == "J0") name_motions(*m.graph, j, {"q_J0", "q_J0b"}, {});
    if (j.name == "J1") name_motions(*m.graph, j, {"q_J1", "q_J1b"}, {});
    if (j.name == "J2") name_motions(*m.graph, j, {}, {});
    m.add_joint(j);
  }
  m.points.push_back({"P", "B2", {0.2, 0.1, -0.1}, {}});
  m.points.push_back({"Q", "B1", {-0.1, 0.3, 0.2}, {}});
  return m;
}

Mechanism mechanism(const ConstraintCase& c) {
  Mechanism m = base();
  m.constraints.push_back({"c", c.what, true, {}});
  return m;
}

/// A u + b of a row.
double row_rate(Situation& s, const ConstraintEquation& row) {
  double rate = s.number(row.b);
  const std::vector<double> a = s.numbers(row.a);
  for (std::size_t i = 0; i < a.size(); ++i) rate += a[i] * s.value(s.e.u[i]);
  return rate;
}

class Constraints : public ::testing::TestWithParam<ConstraintCase> {};

TEST_P(Constraints, RowsAreDerivatives) {
  Situation s(mechanism(GetParam()), 42);
  ASSERT_FALSE(s.e.constraints.empty());
  for (const ConstraintEquation& row : s.e.constraints) {
    SCOPED_TRACE(row.name);
    if (row.phi) {
      EXPECT_NEAR(s.rate(*row.phi), row_rate(s, row), 1e-12);
    }
    // gamma: along any motion, d(A u + b)/dt = A u' - gamma.
    Expr written = row.b;
    for (std::size_t i = 0; i < s.e.u.size(); ++i) written += row.a[i] * s.e.u[i];
    const double rate = s.rate(written);
    const std::vector<double> a = s.numbers(row.a);
    double expected = -s.number(row.gamma);
    for (std::size_t i = 0; i < a.size(); ++i) expected += a[i] * s.value(s.e.udot[i]);
    EXPECT_NEAR(rate, expected, 1e-11 * (1 + std::abs(expected)));
  }
}

/// Newton's method onto the configuration constraints, with the Jacobian of the rows; then speeds onto the rows.
void assemble(Situation& s) {
  const std::size_t n = s.e.u.size(), m = s.e.constraints.size();
  // Steps along A^T y with A A^T y = -residual. All coordinates are rates of speeds here.
  const auto correct = [&](bool positions) {
    std::vector<double> A, r, normal(m * m);
    for (const ConstraintEquation& row : s.e.constraints) {
      const std::vector<double> a = s.numbers(row.a);
      A.insert(A.end(), a.begin(), a.end());
      r.push_back(positions ? (row.phi ? -s.number(*row.phi) : 0.0) : -row_rate(s, row));
    }
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        for (std::size_t k = 0; k < n; ++k) normal[i * m + j] += A[i * n + k] * A[j * n + k];
    const std::vector<double> y = testing::solve(normal, r);
    double size = 0;
    for (std::size_t k = 0; k < n; ++k) {
      double step = 0;
      for (std::size_t i = 0; i < m; ++i) step += A[i * n + k] * y[i];
      s.value(positions ? s.e.q[k] : s.e.u[k]) += step;
      size = std::max(size, std::abs(step));
    }
    return size;
  };
  for (int i = 0; i < 50 && correct(true) > 1e-15; ++i) {
  }
  for (int i = 0; i < 3; ++i) correct(false);
  for (const ConstraintEquation& row : s.e.constraints) {
    if (row.phi) {
      ASSERT_NEAR(s.number(*row.phi), 0, 1e-13) << row.name;
    }
    ASSERT_NEAR(row_rate(s, row), 0, 1e-12) << row.name;
  }
}

TEST_P(Constraints, JointsBearWhatTheyCan) {
  // Along every free motion a joint transmits its own spring and damper and nothing else. (A constraint that is a mere
  // expression counts as a motor of all joints it contains.)
  const Mechanism m = mechanism(GetParam());
  Situation s(m, 43);
  assemble(s);
  s.solve_motion();
  const LoweredMechanism lowered = lower_mechanism(m);
  const BodyMotion motion(lowered, form_speed_rates(lowered.system));
  const auto wrenches = form_joint_wrenches(lowered, motion, form_speed_rates(lowered.system), s.e.constraints);
  std::set<std::string> known;
  for (const ConstraintAction& action : lowered.actions) known.insert(action.row);
  for (const JointWrench& w : wrenches) {
    const LoweredJoint& j = lowered.joints[w.joint];
    for (std::size_t i = 0; i < j.motions.size(); ++i) {
      const LoweredMotion& lm = j.motions[i];
      const ElementaryMotion& em = m.joints[w.joint].motions[i];
      const Expr3 axis = motion.express(lm.axis);
      const Expr3 about = add(w.torque, cross(motion.span(lm.start, j.outer), w.force));
      const double along = s.number(lm.kind == MotionKind::Translation ? dot(w.force, axis) : dot(about, axis));
      double expected = -2 * s.value(em.coordinates[0]) - 0.3 * s.value(em.speeds[0]);
      for (const ConstraintEquation& row : s.e.constraints) {
        if (known.contains(row.name)) continue;
        for (std::size_t r = 0; r < s.e.u.size(); ++r)
          if (s.e.u[r] == em.speeds[0]) expected += s.number(row.a[r]) * s.value(row.multiplier);
      }
      EXPECT_NEAR(along, expected, 1e-10 * (1 + std::abs(along))) << j.name << " " << i;
    }
  }
}

TEST_P(Constraints, FormulationsAgree) {
  Situation a(mechanism(GetParam()), 44);
  assemble(a);
  a.solve_motion();
  for (const Formulation formulation : {Formulation::Composite, Formulation::Articulated}) {
    Situation b(mechanism(GetParam()), 44, formulation);
    for (const auto* symbols : {&a.e.q, &a.e.u})
      for (const Expr& s : *symbols) b.value(s) = a.value(s);
    b.solve_motion();
    EXPECT_LT(testing::distance(b.numbers(b.e.udot), a.numbers(a.e.udot)), 1e-10);
    ASSERT_EQ(b.e.constraints.size(), a.e.constraints.size());
    for (std::size_t i = 0; i < a.e.constraints.size(); ++i)
      EXPECT_NEAR(b.value(b.e.constraints[i].multiplier), a.value(a.e.constraints[i].multiplier), 1e-9);
  }
}

// Power: what an ideal constraint that does not depend on time takes from one body it gives to the other.
TEST_P(Constraints, IdealConstraintsDoNoWork) {
  const std::string& name = GetParam().name;
  if (name == "prescribed" || name == "several" || name == "motion") return;  // they depend on time and feed in power
  Situation s(mechanism(GetParam()), 45);
  assemble(s);
  s.solve_motion();
  double power = 0;
  for (const Expr& u : s.e.u) power -= 0.3 * s.value(u) * s.value(u);
  ASSERT_TRUE(s.e.potential.has_value());
  double size = 1;  // of the terms that cancel
  for (const double x : s.numbers(s.e.udot)) size = std::max(size, std::abs(x));
  EXPECT_NEAR(s.rate(s.e.kinetic + *s.e.potential), power, 1e-11 * size);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Constraints, ::testing::ValuesIn(cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace kane

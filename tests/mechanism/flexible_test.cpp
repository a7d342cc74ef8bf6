// Beams against textbooks, against the same beam made of many rigid slices, and against what must be conserved.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/number.hpp"
#include "kane/mechanics/kane.hpp"
#include "kane/mechanism/beam_field.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/symmetric_modes.hpp"

namespace kane {
namespace {

constexpr double kPi = std::numbers::pi;

FlexibleBeam plain_beam(BeamShapes shapes, std::vector<BeamModes> modes) {
  FlexibleBeam b;
  b.length = 1, b.mass_per_length = 1;
  b.bending_y = b.bending_z = 1;
  b.shapes = shapes;
  b.modes = std::move(modes);
  return b;
}

Values parameters_of(const EquationsOfMotion& e) {
  Values v{{"t", 0.0}};
  for (const auto& p : e.parameters) v[p.symbol.name()] = evaluate(p.value, v);
  for (const auto& i : e.inputs) v[i.symbol.name()] = evaluate(i.value, v);
  return v;
}

Values state_at_zero(const EquationsOfMotion& e) {
  Values v = parameters_of(e);
  for (const Expr& q : e.q) v[q.name()] = 0;
  for (const Expr& u : e.u) v[u.name()] = 0;
  for (const int q : e.quaternions) v[e.q[static_cast<std::size_t>(q) + 3].name()] = 1;
  return v;
}

/// Squares of the natural frequencies about a state at rest, whose coordinates all have rates as speeds.
std::vector<double> squared_frequencies(const EquationsOfMotion& e, const Values& at) {
  const std::size_t n = e.u.size();
  std::vector<double> K(n * n), M = evaluate(e.M.entries, at);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) K[i * n + j] = -evaluate(derivative(e.graph->bind(e.rhs[i]), e.q[j]), at);
  return find_symmetric_modes(K, M, n).values;
}

EquationsOfMotion equations_of(const Mechanism& m) {
  return form_equations(m, {.formulation = Formulation::Projection, .solve = false});
}

// ---- shapes -------------------------------------------------------------------------------------------------------------

TEST(BeamShapes, HaveTheFrequenciesOfTextbooks) {
  // Roots of the frequency equations (Blevins, table 8-1), and of their defining equations.
  const struct {
    BeamShapes shapes;
    double first, second;
  } rows[] = {{BeamShapes::Cantilever, 1.87510406871196, 4.69409113297418},
              {BeamShapes::Pinned, kPi, 2 * kPi},
              {BeamShapes::Clamped, 4.73004074486270, 7.85320462409584},
              {BeamShapes::ClampedPinned, 3.92660231204792, 7.06858274562873},
              {BeamShapes::Free, 4.73004074486270, 7.85320462409584}};
  for (const auto& row : rows) {
    Mechanism m("beam");
    FlexibleBeam beam = plain_beam(row.shapes, {{BeamMotion::BendY, 8}});
    name_beam_coordinates(*m.graph, "B", beam);
    const BeamField field(*m.graph, beam, "B");
    const FlexibleSpec spec = field.inertia();
    for (int i = 0; i < 8; ++i) {
      const double b = beam_eigenvalue(row.shapes, i + 1);
      if (i < 2) {
        EXPECT_NEAR(b, i == 0 ? row.first : row.second, 1e-13 * b);
      }
      for (int j = 0; j < 8; ++j) {
        EXPECT_NEAR(evaluate(m.graph->bind(spec.modal_mass(i, j)), {}), i == j ? 1 : 0, 1e-12);
        const double k = evaluate(m.graph->bind(field.stiffness()(i, j)), {});
        EXPECT_NEAR(k, i == j ? std::pow(b, 4) : 0, 1e-10 * std::pow(b, 4)) << to_string(row.shapes) << i << j;
      }
    }
    // A free beam neither moves its mass centre nor has angular momentum.
    if (row.shapes == BeamShapes::Free) {
      EXPECT_TRUE(spec.first_moment[1].is_zero());
      for (const Expr3& h : spec.coupling) EXPECT_TRUE(h[2].is_zero());
    }
  }
}

TEST(BeamShapes, PolynomialsAreOrthonormalAndConverge) {
  Mechanism m("beam");
  FlexibleBeam beam = plain_beam(BeamShapes::Polynomial, {{BeamMotion::BendY, 12}});
  name_beam_coordinates(*m.graph, "B", beam);
  const BeamField field(*m.graph, beam, "B");
  const FlexibleSpec spec = field.inertia();
  std::vector<double> K;
  for (std::size_t i = 0; i < 12; ++i) {
    for (std::size_t j = 0; j < 12; ++j) {
      EXPECT_NEAR(evaluate(m.graph->bind(spec.modal_mass(i, j)), {}), i == j ? 1 : 0, 1e-12);
      K.push_back(evaluate(m.graph->bind(field.stiffness()(i, j)), {}));
    }
  }
  const std::vector<double> found = find_symmetric_modes(K, 12).values;
  // From above, as Ritz's method must: the fourth is not there yet.
  for (int i = 1; i <= 4; ++i) {
    const double expected = std::pow(beam_eigenvalue(BeamShapes::Cantilever, i), 4);
    EXPECT_GT(found[static_cast<std::size_t>(i - 1)], expected * (1 - 1e-9));
    EXPECT_LT(found[static_cast<std::size_t>(i - 1)], expected * (1 + (i < 4 ? 1e-8 : 1e-6)));
  }
}

TEST(BeamShapes, BarsTwistAndStretchAtTheirFrequencies) {
  Mechanism m("shaft");
  FlexibleBeam beam = plain_beam(BeamShapes::Cantilever, {{BeamMotion::Twist, 3}, {BeamMotion::Stretch, 3}});
  beam.length = 2, beam.torsion = 5, beam.section_inertia[0] = 0.1, beam.tension = 700;
  m.add_body("B", {.flexible = beam});
  m.weld("root", BodyRef(m.ground), "B");
  const EquationsOfMotion e = equations_of(m);
  std::vector<double> expected;
  for (int i = 1; i <= 3; ++i) {
    expected.push_back(std::pow((i - 0.5) * kPi / 2, 2) * 5 / 0.1);
    expected.push_back(std::pow((i - 0.5) * kPi / 2, 2) * 700 / 1);
  }
  std::sort(expected.begin(), expected.end());
  const std::vector<double> found = squared_frequencies(e, state_at_zero(e));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(found[i], expected[i], 1e-10 * expected[i]);
}

// ---- against slices -----------------------------------------------------------------------------------------------------

/// The same beam as rigid slices at Gauss nodes, moved and turned by the formulas of the sections; everything else is
/// Kane's method for rigid bodies. Equal but for what is of third order in the deformation.
void compare_with_slices(const std::array<double, 2>& offset, double second_order) {
  Mechanism m("sliced");
  FlexibleBeam beam =
      plain_beam(BeamShapes::Polynomial,
                 {{BeamMotion::BendY, 2}, {BeamMotion::BendZ, 2}, {BeamMotion::Twist, 1}, {BeamMotion::Stretch, 1}});
  beam.length = 1.7, beam.mass_per_length = 1.3, beam.bending_y = 2, beam.bending_z = 3;
  beam.torsion = 1, beam.tension = 40;
  beam.section_inertia = {Expr(0.05), Expr(0.02), Expr(0.04)};
  beam.offset = {Expr(offset[0]), Expr(offset[1])};
  m.add_body("B", {.flexible = beam});
  m.gimbal("turn", BodyRef(m.ground), "B", "body 123", {});
  m.set_gravity({0.5, -9.81, 2});
  const EquationsOfMotion e = equations_of(m);
  FlexibleBeam named = beam;
  Mechanism copy("slices");
  name_beam_coordinates(*copy.graph, "B", named);
  const BeamField field(*copy.graph, named, "B");

  System s("slices", copy.graph);
  std::vector<Expr> q;
  for (const Expr& c : e.q) q.push_back(s.add_coordinate(c.name()));
  const FrameId B =
      s.add_frame("B", s.inertial(), RotationSequence{false, {Axis::X, Axis::Y, Axis::Z}, {q[0], q[1], q[2]}});
  const PointId O = s.add_point("O_B", s.origin(), {});
  std::vector<double> x, w;
  gauss_nodes(8, x, w);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Expr place = copy.graph->number(rational_from_double(1.7 * (1 + x[i]) / 2));
    const Expr share = copy.graph->number(rational_from_double(1.7 * w[i] / 2));
    const BeamField::Section section = field.section(place);
    const std::string name = "S" + std::to_string(i);
    const PointId p = s.add_point(name, O, Vector(B, section.position));
    const FrameId f1 = s.add_frame(name + "z", B, SimpleRotation{Axis::Z, section.angles[2]});
    const FrameId f2 = s.add_frame(name + "y", f1, SimpleRotation{Axis::Y, section.angles[1]});
    const FrameId f3 = s.add_frame(name, f2, SimpleRotation{Axis::X, section.angles[0]});
    s.add_body(name,
               {.frame = f3,
                .mass_centre = s.add_point("C_" + name, p, Vector(f3, {Expr(), Expr(offset[0]), Expr(offset[1])})),
                .mass = share * Expr(1.3),
                .inertia = inertia(f3, share * Expr(0.05), share * Expr(0.02), share * Expr(0.04))});
  }
  s.add_potential("strain", field.strain_energy());
  s.add_gravity(Vector(s.inertial(), {Expr(0.5), Expr(-9.81), Expr(2)}));
  for (std::size_t i = 0; i < q.size(); ++i) s.add_speed(e.u[i].name(), s.rate(q[i]));
  const EquationsOfMotion slices = form_equations(s, {.inverse = false, .outputs = false});

  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(-1, 1);
  for (const double small : {1e-3, 1e-5}) {
    Values at = state_at_zero(e);
    for (std::size_t i = 0; i < q.size(); ++i) {
      at[e.q[i].name()] = any(random) * (i < 3 ? 1 : small);
      at[e.u[i].name()] = any(random) * (i < 3 ? 2 : small);
    }
    const std::vector<double> M = evaluate(e.M.entries, at), N = evaluate(slices.M.entries, at);
    const std::vector<double> a = evaluate(e.rhs, at), b = evaluate(slices.rhs, at);
    // T is exact to second order: forces are wrong by small^2, and so are the coefficients of T but for those that multiply
    // two rates of modes.
    for (std::size_t i = 0; i < M.size(); ++i) {
      const bool modal = i / q.size() > 2 && i % q.size() > 2;
      EXPECT_NEAR(M[i], N[i], 30 * small * (modal ? 1 : small) + 1e-13);
    }
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], second_order * small * small + 1e-12);
  }
}

TEST(Beam, MovesLikeItsSlices) { compare_with_slices({0, 0}, 100); }

/// Forces of second order are greater where the mass is beside the axis.
TEST(Beam, MovesLikeItsSlicesBesideTheAxis) { compare_with_slices({0.07, -0.04}, 500); }

// ---- conservation -------------------------------------------------------------------------------------------------------

/// Rates of energy and momentum along the motion of a free beam with a body hinged to it, at a random state.
TEST(Beam, KeepsEnergyAndMomentumInFlight) {
  Mechanism m("flight");
  FlexibleBeam beam =
      plain_beam(BeamShapes::Free,
                 {{BeamMotion::BendY, 2}, {BeamMotion::BendZ, 2}, {BeamMotion::Twist, 1}, {BeamMotion::Stretch, 1}});
  beam.bending_y = 20, beam.bending_z = 40, beam.torsion = 15, beam.tension = 4000;
  beam.section_inertia = {Expr(0.02), Expr(0.005), Expr(0.015)};
  m.add_body("B", {.flexible = beam});
  m.add_body("C", {.mass = 0.4, .centre = {0.1, 0.05, 0.02}, .inertia = {0.01, 0.02, 0.015}});
  m.free("fly", BodyRef(m.ground), "B");
  m.universal("hinge", "B", "C", axis::x, axis::z, {.at = {0.8, 0.02, 0}});
  const EquationsOfMotion e = form_equations(m, {.formulation = Formulation::Composite});
  std::mt19937 random(5);
  std::uniform_real_distribution<double> any(-1, 1);
  Values at = state_at_zero(e);
  for (const Expr& q : e.q) at[q.name()] = 0.1 * any(random);
  double norm = 0;
  for (int k = 3; k < 7; ++k) norm += std::pow(at[e.q[static_cast<std::size_t>(k)].name()], 2);
  for (int k = 3; k < 7; ++k) at[e.q[static_cast<std::size_t>(k)].name()] /= std::sqrt(norm);
  for (const Expr& u : e.u) at[u.name()] = any(random);
  const std::vector<double> udot = evaluate(e.udot_explicit, at);
  Substitution rates;
  for (std::size_t i = 0; i < e.q.size(); ++i) rates.set(e.q[i], e.qdot[i]);
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    rates.set(e.u[i], e.udot[i]);
    at[e.udot[i].name()] = udot[i];
  }
  Tangent rate(rates);
  EXPECT_NEAR(evaluate(rate(e.kinetic + *e.potential), at), 0, 1e-10);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(evaluate(rate(e.linear_momentum[k]), at), 0, 1e-10);
    EXPECT_NEAR(evaluate(rate(e.angular_momentum[k]), at), 0, 1e-10);
    EXPECT_NEAR(evaluate(e.reactions.front().force[k], at), 0, 1e-10);
    EXPECT_NEAR(evaluate(e.reactions.front().torque[k], at), 0, 1e-10);
  }
}

/// Modes couple by terms that vanish with the deflection; none of these may be divided by.
TEST(Beam, StraightArmHasAccelerations) {
  Mechanism m("arm");
  const FlexibleBeam beam = plain_beam(BeamShapes::Cantilever, {{BeamMotion::BendY, 3}, {BeamMotion::BendZ, 3}});
  m.add_body("A", {.flexible = beam});
  m.add_body("B", {.flexible = beam});
  m.revolute("shoulder", BodyRef(m.ground), "A", axis::z, {.coordinate = "q1"});
  m.revolute("elbow", "A", "B", axis::y, {.coordinate = "q2", .at = {1, 0, 0}});
  m.set_gravity({0, 0, -9.81});
  const EquationsOfMotion e = form_equations(m, {.formulation = Formulation::Projection});
  Values at = state_at_zero(e);
  at["q2"] = 0.3, at["u1"] = 1;
  const std::vector<double> M = evaluate(e.M.entries, at), rhs = evaluate(e.rhs, at);
  const std::vector<double> udot = evaluate(e.udot_explicit, at);
  for (std::size_t i = 0; i < rhs.size(); ++i) {
    double sum = -rhs[i];
    for (std::size_t j = 0; j < rhs.size(); ++j) sum += M[i * rhs.size() + j] * udot[j];
    EXPECT_NEAR(sum, 0, 1e-9);
  }
}

/// On a hinge without inertia of its own, modes nearly take back the rotation of the beam's frame. What is left of the
/// inertia stays positive, and the additional terms are of higher order.
TEST(Beam, KeepsPositiveInertiaOnAHinge) {
  Mechanism m("hinged");
  FlexibleBeam beam = plain_beam(BeamShapes::Polynomial, {{BeamMotion::BendY, 5}, {BeamMotion::BendZ, 2}});
  name_beam_coordinates(*m.graph, "B", beam);
  const BeamField field(*m.graph, beam, "B");
  m.add_body("B", {.flexible = beam});
  m.spherical("hinge", BodyRef(m.ground), "B", {});
  const EquationsOfMotion e = equations_of(m);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  for (int state = 0; state < 50; ++state) {
    Values at = state_at_zero(e);
    for (const Expr& q : beam.coordinates) at[q.name()] = 0.1 * any(random);
    const std::size_t n = e.u.size();
    const std::vector<double> lowest = find_symmetric_modes(evaluate(e.M.entries, at), n).values;
    EXPECT_GT(lowest.front(), 0) << state;
  }
  const FlexibleSpec plain = field.inertia(), complete = field.inertia(true);
  Values still;
  for (const Expr& q : beam.coordinates) still[q.name()] = 0;
  for (std::size_t i = 0; i < beam.coordinates.size(); ++i) {
    for (std::size_t k = 0; k < beam.coordinates.size(); ++k) {
      const Expr& q = beam.coordinates[k];
      EXPECT_NEAR(evaluate(m.graph->bind(complete.modal_mass(i, k) - plain.modal_mass(i, k)), still), 0, 1e-15);
      EXPECT_NEAR(evaluate(derivative(m.graph->bind(complete.coupling[i][2] - plain.coupling[i][2]), q), still), 0,
                  1e-15);
      EXPECT_NEAR(evaluate(derivative(derivative(m.graph->bind(complete.inertia[2][2] - plain.inertia[2][2]), q),
                                      beam.coordinates[i]),
                           still),
                  0, 1e-13);
    }
  }
}

// ---- attachments --------------------------------------------------------------------------------------------------------

/// First frequency of a cantilever with a body at its tip, from the frequency equation
/// 1 + cos b cosh b = mu b (sin b cosh b - cos b sinh b).
TEST(Beam, CarriesATipMass) {
  const double mu = 0.7;
  const auto f = [&](double b) {
    return 1 + std::cos(b) * std::cosh(b) - mu * b * (std::sin(b) * std::cosh(b) - std::cos(b) * std::sinh(b));
  };
  double low = 0.1, high = 1.9;
  for (int i = 0; i < 100; ++i) (f((low + high) / 2) > 0 ? low : high) = (low + high) / 2;
  Mechanism m("tip mass");
  m.add_body("B", {.flexible = plain_beam(BeamShapes::Polynomial, {{BeamMotion::BendY, 7}})});
  m.weld("root", BodyRef(m.ground), "B");
  m.add_particle("P", {.mass = mu, .on = "B", .at = {1, 0, 0}});
  const EquationsOfMotion e = equations_of(m);
  EXPECT_NEAR(squared_frequencies(e, state_at_zero(e)).front(), std::pow(low, 4), 1e-8 * std::pow(low, 4));
}

/// A pinned column under an axial force is on the verge of buckling at Euler's load; half of it takes half the stiffness.
TEST(Beam, BucklesAtEulersLoad) {
  for (const double share : {0.0, 0.5, 1.0}) {
    Mechanism m("column");
    FlexibleBeam beam = plain_beam(BeamShapes::Pinned, {{BeamMotion::BendY, 2}});
    beam.bending_y = 3, beam.length = 2;
    m.add_body("B", {.flexible = beam});
    m.weld("root", BodyRef(m.ground), "B");
    const PointRef tip = m.add_point("tip", "B", {2, 0, 0});
    const double euler = kPi * kPi * 3 / 4;
    m.add_force("load", tip, {-share * euler, 0, 0});
    const EquationsOfMotion e = equations_of(m);
    const double first = std::pow(kPi / 2, 4) * 3;
    EXPECT_NEAR(squared_frequencies(e, state_at_zero(e)).front(), first * (1 - share), 1e-10 * first);
  }
}

/// Deflection under its own weight and a force at the tip: q L^4/(8 EI) + F L^3/(3 EI), slope q L^3/(6 EI) + F L^2/(2 EI).
TEST(Beam, SagsAsBooksSay) {
  Mechanism m("sag");
  const Expr s = m.graph->symbol("s");
  FlexibleBeam beam = plain_beam(BeamShapes::Given, {{BeamMotion::BendZ, 3, {pow(s, 2), pow(s, 3), pow(s, 4)}}});
  beam.bending_z = 1000;
  m.add_body("B", {.flexible = beam});
  m.weld("root", BodyRef(m.ground), "B");
  const PointRef tip = m.add_point("tip", "B", {1, 0, 0});
  m.add_force("load", tip, {0, 0, -2});
  m.set_gravity({0, 0, -9.81});
  const EquationsOfMotion e = equations_of(m);
  const Values at = state_at_zero(e);
  const std::vector<double> Q = evaluate(e.rhs, at);
  // K q = Q with K from the equations.
  std::vector<double> a(12);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) a[i * 4 + j] = -evaluate(derivative(e.graph->bind(e.rhs[i]), e.q[j]), at);
    a[i * 4 + 3] = Q[i];
  }
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t r = 0; r < 3; ++r) {
      if (r == i) continue;
      const double f = a[r * 4 + i] / a[i * 4 + i];
      for (std::size_t k = 0; k < 4; ++k) a[r * 4 + k] -= f * a[i * 4 + k];
    }
  double deflection = 0, slope = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const double q = a[i * 4 + 3] / a[i * 4 + i];
    deflection += q, slope += q * static_cast<double>(i + 2);
  }
  EXPECT_NEAR(deflection, -(9.81 / 8 + 2.0 / 3) / 1000, 1e-12);
  EXPECT_NEAR(slope, -(9.81 / 6 + 2.0 / 2) / 1000, 1e-12);
}

// ---- mistakes -----------------------------------------------------------------------------------------------------------

std::string complaint_of(const FlexibleBeam& beam, double at = 1) {
  try {
    Mechanism m("wrong");
    m.add_body("B", {.flexible = beam});
    m.weld("root", BodyRef(m.ground), "B");
    m.add_particle("P", {.mass = 1, .on = "B", .at = {at, 0, 0}});
    (void)equations_of(m);
  } catch (const ModelError& error) {
    return error.message();
  }
  return "";
}

TEST(Beam, ComplainsWithNames) {
  const FlexibleBeam good = plain_beam(BeamShapes::Cantilever, {{BeamMotion::BendY, 2}});
  EXPECT_EQ(complaint_of(good), "");
  FlexibleBeam beam = good;
  beam.bending_y = -1;
  EXPECT_NE(complaint_of(beam).find("the beam 'B' has modes 'y' and the stiffness EI = -1"), std::string::npos);
  beam = good, beam.length = 0;
  EXPECT_NE(complaint_of(beam).find("the beam 'B' has the length 0"), std::string::npos);
  beam = good, beam.mass_per_length = -2;
  EXPECT_NE(complaint_of(beam).find("mass per length -2"), std::string::npos);
  beam = good, beam.modes.push_back({BeamMotion::Twist, 1}), beam.torsion = 1;
  EXPECT_NE(complaint_of(beam).find("the beam 'B' twists"), std::string::npos);
  EXPECT_NE(complaint_of(good, 1.2).find("the particle 'P' is attached to the beam 'B' at s = 1.2 of its length"),
            std::string::npos);
  beam = good, beam.shapes = BeamShapes::Free;
  EXPECT_NE(complaint_of(beam).find("the joint 'root' holds the beam 'B' at a point that its free modes move"),
            std::string::npos);
  Mechanism m("dependent");
  const Expr s = m.graph->symbol("s");
  beam = good, beam.shapes = BeamShapes::Given, beam.modes = {{BeamMotion::BendY, 2, {pow(s, 2), 3 * pow(s, 2)}}};
  name_beam_coordinates(*m.graph, "B", beam);
  EXPECT_THROW(BeamField(*m.graph, beam, "B"), ModelError);
}

}  // namespace
}  // namespace kane

// Loads proportional to accelerations: closed forms, and real masses in their place.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/mechanism/formulation.hpp"
#include "tests/mechanism/random_tree.hpp"
#include "tests/mechanism/situation.hpp"

namespace kane {
namespace {

using testing::distance;
using testing::RandomTree;
using testing::Situation;
using testing::text;

constexpr Formulation kWithMassMatrix[] = {Formulation::Projection, Formulation::Composite};

Mechanism submerged_pendulum(const std::string& force) {
  Mechanism m("submerged");
  m.add_parameter("g", 9.81), m.add_parameter("L", 0.7), m.add_parameter("m", 3), m.add_parameter("mf", 1.1);
  const BodyRef rod = m.add_body("rod");
  m.revolute("pin", m.ground, rod, axis::z, {.coordinate = "q"});
  const Expr L = m.graph->symbol("L");
  m.add_particle("P", {.mass = m.graph->symbol("m"), .on = rod, .at = {0, -L, 0}});
  m.gravity.text = "-g*N.y";
  m.loads.push_back({"fluid", ForceLoad{text(force), {}, "P", ""}, {}});
  return m;
}

// A sphere displaces the mass mf of fluid: buoyancy mf g, added mass mf/2 (Lamb, art. 92). Then
// (m + mf/2) L q'' = -(m - mf) g sin q.
TEST(AddedMass, SphereOnAPendulum) {
  for (const Formulation formulation : kWithMassMatrix) {
    Situation s(submerged_pendulum("mf*g*N.y - mf/2*acceleration(P)"), 3, formulation);
    s.solve_motion();
    const double q = s.values.at("q");
    EXPECT_NEAR(s.value(s.e.udot[0]), -(3 - 1.1) * 9.81 * std::sin(q) / ((3 + 0.55) * 0.7), 1e-12);
    EXPECT_NEAR(s.number(s.e.M(0, 0)), (3 + 0.55) * 0.49, 1e-12);
    EXPECT_TRUE(s.e.symmetric);
    // The equation of motion by inverse dynamics, and the tension of the rod.
    EXPECT_NEAR(s.number(s.e.inverse[0]), 0, 1e-12);
    const double u = s.value(s.e.u[0]);
    const Expr3 force = s.e.reactions.at(0).force;  // on the rod, in its frame: along the rod by the centripetal force
    EXPECT_NEAR(s.number(force[1]), (3 + 0.55) * 0.7 * u * u + (3 - 1.1) * 9.81 * std::cos(q), 1e-11);
  }
}

TEST(AddedMass, MayBeWrittenWithRatesAndSpeeds) {
  for (const char* force : {"-mf/2*L*(cos(q)*q'' - sin(q)*q'^2)*N.x - mf/2*L*(sin(q)*q'' + cos(q)*q'^2)*N.y",
                            "-mf/2*dt(velocity(P), N)", "-mf/2*L*u'*rod.x - mf/2*L*u^2*rod.y"}) {
    Mechanism m = submerged_pendulum(force);
    Situation s(m, 5, Formulation::Composite);
    s.solve_motion();
    EXPECT_NEAR(s.value(s.e.udot[0]), -3 * 9.81 * std::sin(s.values.at("q")) / ((3 + 0.55) * 0.7), 1e-12) << force;
  }
}

/// At random points of a random tree: forces -c a(P) instead of particles of mass c, without gravity.
std::pair<Mechanism, Mechanism> random_pair(unsigned seed) {
  const auto base = [&] {
    RandomTree random(seed);
    Mechanism m = random.mechanism(4);
    m.gravity = {};
    return m;
  };
  Mechanism loaded = base(), heavy = base();
  RandomTree random(seed + 1000);
  for (int k = 0; k < 3; ++k) {
    const std::string name = "P" + std::to_string(k), on = "B" + std::to_string(random.whole(0, 3));
    const Expr3 at{random.whole(-3, 3) / 8.0, random.whole(-3, 3) / 8.0, random.whole(-3, 3) / 8.0};
    const int mass = random.whole(1, 4);
    loaded.points.push_back({name, on, at, {}});
    loaded.loads.push_back(
        {"added" + name, ForceLoad{text(std::to_string(-mass) + "*acceleration(" + name + ")"), {}, name, ""}, {}});
    heavy.particles.push_back({name, mass, on, at, {}});
  }
  return {std::move(loaded), std::move(heavy)};
}

TEST(AddedMass, ActsLikeMassOnRandomTrees) {
  for (unsigned seed = 1; seed <= 25; ++seed) {
    const auto [loaded, heavy] = random_pair(seed);
    Situation reference(heavy, seed, Formulation::Projection);
    reference.solve_motion();
    for (const Formulation formulation : kWithMassMatrix) {
      if (formulation == Formulation::Composite && !why_no_tree(loaded).empty()) continue;
      Situation s(loaded, seed, formulation);
      EXPECT_LT(distance(s.numbers(s.e.M.entries), reference.numbers(reference.e.M.entries)), 1e-11) << seed;
      s.solve_motion();
      EXPECT_LT(distance(s.numbers(s.e.udot), reference.numbers(reference.e.udot)), 1e-9) << seed;
      EXPECT_LT(distance(s.numbers(s.e.inverse), std::vector<double>(s.e.u.size())), 1e-9) << seed;
      if (!s.e.udot_explicit.empty()) {
        EXPECT_LT(distance(s.numbers(s.e.udot_explicit), s.numbers(s.e.udot)), 1e-9) << seed;
      }
    }
  }
}

TEST(AddedMass, EmbeddedWithConstraints) {
  for (unsigned seed = 40; seed <= 44; ++seed) {
    Mechanism loaded = RandomTree(seed).chain(3), heavy = RandomTree(seed).chain(3);
    loaded.points.push_back({"P", "B2", {0.3, -0.2, 0.1}, {}});
    loaded.loads.push_back({"added", ForceLoad{text("-2*acceleration(P)"), {}, "P", ""}, {}});
    heavy.particles.push_back({"P", 2, "B2", {0.3, -0.2, 0.1}, {}});
    for (Mechanism* m : {&loaded, &heavy}) {
      const std::vector<Expr> u = m->joint_speeds();
      m->hold_motion("tie", {text(u[0].name() + " - 0.7*" + u[2].name())});
    }
    for (const EmbeddingMethod embedding : {EmbeddingMethod::Projection, EmbeddingMethod::Recombination}) {
      const FormOptions options{.formulation = Formulation::Projection, .embedding = embedding};
      const EquationsOfMotion a = form_equations(loaded, options), b = form_equations(heavy, options);
      RandomTree random(seed);
      const Values values = testing::random_state(a, random);
      EXPECT_LT(distance(evaluate(a.embedded->M.entries, values), evaluate(b.embedded->M.entries, values)), 1e-11);
      EXPECT_LT(distance(evaluate(a.embedded->rhs, values), evaluate(b.embedded->rhs, values)), 1e-11);
    }
  }
}

/// Two carts; the force on the first follows the acceleration of the second: M is not symmetric.
TEST(AddedMass, FeedbackOfAccelerationsNeedsNoSymmetry) {
  Mechanism m("feedback");
  m.add_parameter("k", 0.6);
  const BodyRef a = m.add_body("A", {.mass = 2}), b = m.add_body("B", {.mass = 3});
  m.prismatic("slide1", m.ground, a, axis::x, {.coordinate = "x1", .stiffness = 5});
  m.prismatic("slide2", m.ground, b, axis::x, {.coordinate = "x2", .stiffness = 7});
  m.loads.push_back({"f", ForceLoad{text("k*x2''*N.x"), {}, "A", ""}, {}});
  for (const Formulation formulation : kWithMassMatrix) {
    Situation s(m, 9, formulation);
    EXPECT_FALSE(s.e.symmetric);
    s.solve_motion();
    const double a2 = -7 * s.values.at("x2") / 3;
    EXPECT_NEAR(s.value(s.e.udot[1]), a2, 1e-13);
    EXPECT_NEAR(s.value(s.e.udot[0]), (-5 * s.values.at("x1") + 0.6 * a2) / 2, 1e-13);
  }
}

TEST(AddedMass, OtherDependenceIsRefusedAtItsLoad) {
  for (const char* force : {"-mf*q''^2*N.x", "-mf*sin(q'')*N.y", "-magnitude(acceleration(P))*N.y", "abs(u')*N.x"}) {
    Mechanism m = submerged_pendulum(force);
    m.loads[0].where = {"model.yaml", 7, 3};
    try {
      (void)form_equations(m);
      FAIL() << force;
    } catch (const ModelError& error) {
      EXPECT_EQ(error.where().line, 7) << error.what();
      EXPECT_NE(error.message().find("fluid depends on accelerations other than linearly"), std::string::npos);
    }
  }
  EXPECT_THROW(
      (void)form_equations(submerged_pendulum("-mf*acceleration(P)"), {.formulation = Formulation::Articulated}),
      ModelError);
}

}  // namespace
}  // namespace kane

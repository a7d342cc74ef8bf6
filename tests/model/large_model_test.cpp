// Models of many bodies: mass matrices that are not written out, derivatives along one change at a time.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/model/simulation.hpp"
#include "kane/simulate/system/system_evaluator.hpp"

namespace kane {
namespace {

/// A chain of links whose axes turn by turn are z and y, with dampers; every fourth link has a side branch of its own.
std::string chain(int links) {
  std::string bodies, joints, initial;
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i);
    const std::string parent = i == 0 ? "N" : "B" + std::to_string(i % 4 == 3 && i > 3 ? i - 3 : i - 1);
    bodies += "  B" + n + ": {mass: 1 kg, inertia: [0.01, 0.02, 0.03], com: [0.05, 0.01, 0.002]}\n";
    joints += "  J" + n + ": {type: revolute, parent: " + parent + ", at: [0.1, 0, 0], child: B" + n +
              ", axis: " + (i % 2 == 0 ? "z" : "y") + ", coordinate: q" + n + ", speed: u" + n + ", damping: 0.01}\n";
    initial += (i == 0 ? "" : ", ") + ("q" + n) + ": " + std::to_string(0.3 * std::sin(i + 1.0)) + ", u" + n + ": " +
               std::to_string(0.2 * std::cos(3.0 * i));
  }
  return "kane: 1\nname: chain\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" + joints + "initial: {" +
         initial + "}\n";
}

TEST(LargeModel, MassMatrixByColumnsIsTheOneThatIsWrittenOut) {
  const Model model = read_model_text(chain(130), "chain.yaml");
  ASSERT_EQ(model.system()->mass(), nullptr);  // not compiled
  const Evaluation at = evaluate(model);
  const EquationsOfMotion written =
      form_equations(copy_mechanism(model.mechanism()), {.formulation = Formulation::Articulated, .outputs = false});
  ASSERT_EQ(written.M.rows, 130);
  SystemEvaluator other(std::make_shared<const CompiledSystem>(written, CompileOptions{.reports = false}));
  ASSERT_NE(other.system().mass(), nullptr);
  other.calc_mass(at.q, at.u);
  double largest = 0, largest_force = 0;
  for (std::size_t i = 0; i < 130; ++i) {
    largest = std::max(largest, other.mass_matrix()(i, i));
    largest_force = std::max(largest_force, std::abs(other.rhs()[i]));
  }
  for (std::size_t i = 0; i < 130; ++i) {
    EXPECT_NEAR(at.rhs[i], other.rhs()[i], 1e-12 * largest_force);
    EXPECT_EQ(at.qdot[i], other.qdot()[i]);
    for (std::size_t j = 0; j < 130; ++j) ASSERT_NEAR(at.mass(i, j), other.mass_matrix()(i, j), 1e-13 * largest);
  }
}

/// A chain with stops and dry friction; every fifth joint begins at rest on its lower stop.
std::string chain_with_stops(int links) {
  std::string bodies, joints, initial;
  for (int i = 0; i < links; ++i) {
    const std::string n = std::to_string(i), q = std::to_string(0.3 * std::sin(i + 1.0));
    const bool stopped = i % 5 == 0;
    bodies += "  B" + n + ": {mass: 1 kg, inertia: [0.01, 0.02, 0.03], com: [0.05, 0.01, 0.002]}\n";
    joints += "  J" + n + ": {type: revolute, parent: " + (i == 0 ? "N" : "B" + std::to_string(i - 1)) +
              ", at: [0.1, 0, 0], child: B" + n + ", axis: " + (i % 2 == 0 ? "z" : "y") + ", coordinate: q" + n +
              ", speed: u" + n + ", limits: [" + (stopped ? q : "-3") + ", 3]" + (i % 7 == 1 ? ", friction: 0.4" : "") +
              "}\n";
    initial += (i == 0 ? "" : ", ") + ("q" + n) + ": " + q + ", u" + n + ": " +
               (stopped ? "0" : std::to_string(0.2 * std::cos(3.0 * i)));
  }
  return "kane: 1\nname: chain\ngravity: [0, -9.81, 0]\nbodies:\n" + bodies + "joints:\n" + joints + "initial: {" +
         initial + "}\n";
}

// Stops and friction of joints constrain now and then; the mass matrix is then found column by column.
TEST(LargeModel, StopsAndFrictionDoNotNeedAWrittenMassMatrix) {
  ModelOptions options;
  options.formulation = Formulation::Articulated;
  const Model written = read_model_text(chain_with_stops(14), "chain.yaml", options);
  options.brief = true;
  const Model brief = read_model_text(chain_with_stops(14), "chain.yaml", options);
  ASSERT_NE(written.system()->mass(), nullptr);
  ASSERT_EQ(brief.system()->mass(), nullptr);
  const Evaluation a = evaluate(written), b = evaluate(brief);
  ASSERT_EQ(a.failure, "");
  ASSERT_EQ(b.failure, "");
  double largest = 0;
  for (const double udot : a.udot) largest = std::max(largest, std::abs(udot));
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(a.udot[i], b.udot[i], 1e-10 * largest);
  ASSERT_EQ(a.contacts.size(), b.contacts.size());
  int closed = 0;
  for (std::size_t i = 0; i < a.contacts.size(); ++i) {
    EXPECT_EQ(a.contacts[i].state, b.contacts[i].state) << a.contacts[i].name;
    closed += a.contacts[i].state == ContactForceState::Closed ? 1 : 0;
  }
  EXPECT_GT(closed, 0);
  EXPECT_NEAR(*a.kinetic, *b.kinetic, 1e-13);
  ASSERT_EQ(a.points.size(), b.points.size());
  EXPECT_TRUE(b.bodies.empty());
  Simulation one(written), other(brief);
  ASSERT_FALSE(one.run({.until = 0.05}).failure);
  ASSERT_FALSE(other.run({.until = 0.05}).failure);
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(one.state().q[i], other.state().q[i], 1e-8);
}

TEST(LargeModel, ActiveForcesAreThoseOfThePotential) {
  const Model model = read_model_text(chain(24), "chain.yaml");
  const Evaluation at = evaluate(model);
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < at.q.size(); i += 5) {
    const auto potential = [&](double step) {
      StartState moved;
      moved.q[at.coordinates[i]] = at.q[i] + step;
      return *evaluate(model, moved).potential;
    };
    const double slope = (potential(kStep) - potential(-kStep)) / (2 * kStep);
    EXPECT_NEAR(at.active_forces[i], -slope - 0.01 * at.u[i], 1e-7) << at.speeds[i];
    EXPECT_NEAR(at.active_forces[i] + at.inertia_forces[i], 0, 1e-11);
  }
}

TEST(LargeModel, LinearEquationsAreTheDifferences) {
  const Model model = read_model_text(chain(60), "chain.yaml");
  const LinearizationReport linear = linearize_model(model, {}, {});
  ASSERT_EQ(linear.failure, "");
  ASSERT_EQ(linear.a.rows(), 120U);
  const Evaluation at = evaluate(model);
  for (std::size_t i = 0; i < 60; ++i)
    for (std::size_t j = 0; j < 60; ++j) EXPECT_EQ(linear.m(i, j), at.mass(i, j));
  constexpr double kStep = 1e-5;
  for (const std::size_t column : {0U, 17U, 59U, 60U, 99U}) {
    const bool coordinate = column < 60;
    const auto moved = [&](double step) {
      StartState state;
      if (coordinate)
        state.q[linear.states[column]] = at.q[column] + step;
      else
        state.u[linear.states[column]] = at.u[column - 60] + step;
      return evaluate(model, state).udot;
    };
    const std::vector<double> more = moved(kStep), less = moved(-kStep);
    double size = 1;
    for (std::size_t i = 0; i < 60; ++i) size = std::max(size, std::abs(linear.a(60 + i, column)));
    for (std::size_t i = 0; i < 60; ++i) {
      EXPECT_NEAR(linear.a(60 + i, column), (more[i] - less[i]) / (2 * kStep), 1e-6 * size) << i << " " << column;
      EXPECT_EQ(linear.a(i, column), !coordinate && column - 60 == i ? 1.0 : 0.0);
    }
  }
}

}  // namespace
}  // namespace kane

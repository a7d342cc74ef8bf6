// Inverse dynamics against forward dynamics and closed forms; splines; operational space; inverse kinematics.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kane/analysis/inverse_dynamics.hpp"
#include "kane/analysis/inverse_kinematics.hpp"
#include "kane/analysis/operational_space.hpp"
#include "kane/base/error.hpp"
#include "tests/analysis/systems.hpp"

namespace kane::test {
namespace {

TEST(Spline, ReproducesPolynomialsAndConverges) {
  for (const std::size_t n : {2U, 3U, 4U, 6U, 20U}) {
    const int degree = n >= 6 ? 5 : n >= 4 ? 3 : 1;
    std::vector<double> t, y;
    for (std::size_t k = 0; k < n; ++k) {
      t.push_back(0.1 * static_cast<double>(k * k) + static_cast<double>(k));
      y.push_back(1 + 2 * std::pow(t.back() - 1, degree));
    }
    const Spline spline(t, y);
    for (double x = t.front(); x <= t.back(); x += 0.37) {
      const CurvePoint p = spline.calc(x);
      EXPECT_NEAR(p.value, 1 + 2 * std::pow(x - 1, degree), 1e-9 * std::pow(t.back(), degree));
      EXPECT_NEAR(p.rate, 2 * degree * std::pow(x - 1, degree - 1), 1e-8 * std::pow(t.back(), degree));
    }
  }
  // Accelerations to the order h^4.
  const auto error = [](int n) {
    std::vector<double> t, y;
    for (int k = 0; k <= n; ++k) t.push_back(5.0 * k / n), y.push_back(std::sin(t.back()));
    const Spline spline(t, y);
    double largest = 0;
    for (double x = 0; x <= 5; x += 0.013)
      largest = std::max(largest, std::abs(spline.calc(x).acceleration + std::sin(x)));
    return largest;
  };
  EXPECT_LT(error(100), 1e-5);
  EXPECT_GT(error(100) / error(200), 12);
  EXPECT_THROW(Spline(std::vector<double>{0}, std::vector<double>{0}), ModelError);
  EXPECT_THROW(Spline(std::vector<double>{0, 1, 1}, std::vector<double>{0, 0, 0}), ModelError);
}

TEST(InverseDynamics, PendulumTorqueInClosedForm) {
  Subject s = parse_yaml(kPendulum);
  MotionPath path(*s.evaluator);
  path.add("q", "0.4*sin(3*t) + m*t");  // parameters may be used
  InverseDynamics inverse(*s.evaluator, path);
  InverseSample sample;
  for (double t = 0; t < 2; t += 0.17) {
    inverse.calc(t, sample);
    const double q = 0.4 * std::sin(3 * t) + 2 * t, a = -3.6 * std::sin(3 * t);
    EXPECT_NEAR(sample.state.q[0], q, 1e-14);
    EXPECT_NEAR(sample.force[0], 2 * 0.25 * a + 2 * 9.81 * 0.5 * std::sin(q), 1e-12);
    EXPECT_EQ(sample.missing_speed, -1);
  }
}

/// The forces of inverse dynamics, fed into a simulation, reproduce the motion.
TEST(InverseDynamics, PlanarArmForthAndBack) {
  Subject s = load("planar2r");
  MotionPath path(*s.evaluator);
  path.add("q1", "-1.5 + 0.5*sin(2*t)"), path.add("q2", "-0.4 + 0.3*t*(1-cos(t))");  // hanging: errors do not grow
  InverseDynamics inverse(*s.evaluator, path);
  ASSERT_EQ(inverse.actuators(), (std::vector<std::string>{"TA", "TAB"}));
  SeriesInput ta{"TA", {}, {}}, tab{"TAB", {}, {}};
  InverseSample sample;
  inverse.calc(0, sample);
  const State start = sample.state;
  constexpr int kSamples = 4000;
  for (int k = 0; k <= kSamples; ++k) {
    inverse.calc(2.0 * k / kSamples, sample);
    ta.t.push_back(sample.state.t), tab.t.push_back(sample.state.t);
    ta.value.push_back(sample.force[0]), tab.value.push_back(sample.force[1]);
    if (k % 400 != 0) continue;
    std::vector<double> qdot(2), udot(2);  // forward dynamics with these inputs gives the same accelerations
    EXPECT_TRUE(s.evaluator->calc_motion(sample.state.q, sample.state.u, qdot, udot).ok());
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(udot[i], sample.udot[i], 1e-11);
  }
  SimulatorOptions options;
  options.tolerance = 1e-10;
  options.inputs = {ta, tab};
  Simulator sim(s.system, options);
  sim.start(start);
  (void)sim.run({.until = 2});
  EXPECT_NEAR(sim.state().q[0], -1.5 + 0.5 * std::sin(4.0), 1e-6);
  EXPECT_NEAR(sim.state().q[1], -0.4 + 0.6 * (1 - std::cos(2.0)), 1e-6);
}

TEST(InverseDynamics, FourBarByItsCrank) {
  // Virtual power: tau u1 = dE/dt.
  Subject s = load("fourbar");
  MotionPath path(*s.evaluator);
  path.add("q1", "0.5 + 2*t + 0.3*t^2");
  InverseDynamics inverse(*s.evaluator, path);
  InverseSample sample;
  sample.state = s.assembled();
  const EnergyKernel* energy = s.system->extra().energy();
  KernelRunner runner(&energy->kernel, s.evaluator->context());
  constexpr double h = 1e-5;
  for (double t = 0.1; t < 1.5; t += 0.2) {
    double e[2];
    for (int side = 0; side < 2; ++side) {
      inverse.calc(t + (side == 0 ? -h : h), sample);
      const auto v = runner.run(sample.state.q, sample.state.u);
      e[side] = v[0] + v[1];
    }
    inverse.calc(t, sample);
    EXPECT_NEAR(sample.force[0] * sample.state.u[0], (e[1] - e[0]) / (2 * h), 1e-6);
    std::vector<double> qdot(3), udot(3);
    EXPECT_TRUE(s.evaluator->calc_motion(sample.state.q, sample.state.u, qdot, udot).ok());
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(udot[i], sample.udot[i], 1e-9);
  }
}

TEST(InverseDynamics, MoreActuatorsThanNeededShareTheLoad) {
  // Two equal motors on one axis: the shortest vector gives each half.
  Subject s = parse_yaml(R"yaml(
kane: 1
name: twin
parameters: {J: 2 kg*m^2}
inputs: {Ta: 0 N*m, Tb: 0 N*m}
bodies: {B: {inertia: [J, J, J]}}
joints: {axis: {type: revolute, parent: N, child: B, axis: z, coordinate: q}}
loads:
  a: {torque: Ta, on: B, axis: N.z}
  b: {torque: Tb, on: B, axis: N.z}
)yaml");
  MotionPath path(*s.evaluator);
  path.add("q", "t^2");
  InverseSample sample;
  InverseDynamics both(*s.evaluator, path);
  both.calc(1, sample);
  EXPECT_NEAR(sample.force[0], 2, 1e-13);
  EXPECT_NEAR(sample.force[1], 2, 1e-13);
  InverseDynamics one(*s.evaluator, path, {.actuators = {"Tb"}});
  s.evaluator->set_inputs(std::vector<double>{1, 0}, 0);
  one.calc(1, sample);
  EXPECT_NEAR(sample.force[0], 3, 1e-13);
  InverseDynamics general(*s.evaluator, path, {.generalized = true});
  s.evaluator->set_inputs(std::vector<double>{0, 0}, 0);
  general.calc(1, sample);
  EXPECT_NEAR(sample.force[0], 4, 1e-13);
}

TEST(InverseDynamics, WhatActuatorsCannotDoAndWhatIsNotSaid) {
  Subject s = load("planar2r");
  MotionPath path(*s.evaluator);
  path.add("q1", "t"), path.add("q2", "0.2*t^2");
  InverseDynamics inverse(*s.evaluator, path, {.actuators = {"TA"}});
  InverseSample sample;
  inverse.calc(0.5, sample);
  EXPECT_GT(sample.missing, 0.1);
  MotionPath half(*s.evaluator);
  half.add("q1", "t");
  InverseDynamics open(*s.evaluator, half);
  EXPECT_THROW(open.calc(0, sample), ModelError);
  EXPECT_THROW(half.add("q1", "2*t"), ModelError);
  EXPECT_THROW(half.add("q3", "2*t"), ModelError);
  EXPECT_THROW(half.add("q2", "2*tt"), ModelError);
  EXPECT_THROW(InverseDynamics(*s.evaluator, path, {.actuators = {"TX"}}), ModelError);
  // A crank that asks the loop to open.
  Subject loop = load("slider_crank");
  const EquationsOfMotion& e = loop.equations();
  MotionPath far(*loop.evaluator);
  far.add(e.q.back().name(), "100*t");
  InverseDynamics impossible(*loop.evaluator, far, {.generalized = true});
  sample.state = loop.assembled();
  EXPECT_THROW(impossible.calc(1, sample), ModelError);
}

TEST(InverseDynamics, ComputedTorqueFollows) {
  Subject s = load("planar2r");
  MotionPath path(*s.evaluator);
  path.add("q1", "sin(t)"), path.add("q2", "0.5*cos(2*t)");
  InverseDynamics inverse(*s.evaluator, path);
  SimulatorOptions options;
  options.inputs.emplace_back(
      SampledInput{{"TA", "TAB"}, 1e-3, 0, [&](const State& state, std::span<const double>, std::span<double> values) {
                     EXPECT_TRUE(inverse.calc_feedback(state, 400, 40, values));
                   }});
  Simulator sim(s.system, options);
  State start = s.state;
  start.q = {0.3, 0.2}, start.u = {0, 0};
  sim.start(start);
  (void)sim.run({.until = 2});
  EXPECT_NEAR(sim.state().q[0], std::sin(2.0), 2e-4);
  EXPECT_NEAR(sim.state().q[1], 0.5 * std::cos(4.0), 2e-4);
}

TEST(OperationalSpace, PlanarArm) {
  Subject s = load("planar2r");
  OperationalSpace space(*s.evaluator, {{"P2", false}, {"B", true}});
  const double q1 = 0.4, q2 = -0.7, l = 0.7, m = 1.3;
  const std::vector<double> q{q1, q2}, u{0.5, -0.2};
  const TaskReport r = space.calc(q, u);
  EXPECT_NEAR(r.jacobian(0, 0), -l * std::sin(q1) - l * std::sin(q1 + q2), 1e-14);
  EXPECT_NEAR(r.jacobian(0, 1), -l * std::sin(q1 + q2), 1e-14);
  EXPECT_NEAR(r.jacobian(1, 1), l * std::cos(q1 + q2), 1e-14);
  EXPECT_NEAR(r.jacobian(5, 0), 1, 1e-14);
  EXPECT_NEAR(r.bias[0], -l * std::cos(q1) * 0.25 - l * std::cos(q1 + q2) * 0.09, 1e-14);
  // Lambda^-1 = J M^-1 J^T written out for the tip.
  const double c = std::cos(q2), m11 = m * l * l * (3 + 2 * c), m12 = m * l * l * (1 + c), m22 = m * l * l;
  const double det = m11 * m22 - m12 * m12;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      const double a = r.jacobian(i, 0), b = r.jacobian(i, 1), x = r.jacobian(j, 0), y = r.jacobian(j, 1);
      EXPECT_NEAR(r.inverse_inertia(i, j), (a * (m22 * x - m12 * y) + b * (m11 * y - m12 * x)) / det, 1e-12);
    }
  EXPECT_EQ(r.rank, 2);
  OperationalSpace tip(*s.evaluator, {{"P2", false}});
  const TaskReport t = tip.calc(q, u);
  EXPECT_NEAR(t.singular_values[0] * t.singular_values[1], l * l * std::abs(std::sin(q2)), 1e-13);
  EXPECT_THROW(OperationalSpace(*s.evaluator, {{"P9", false}}), ModelError);
}

// Three joints in the plane, one more than the tip needs; M, J and Lambda = (J M^-1 J^T)^-1 computed with numpy from the
// partial velocities of the mass centres.
TEST(OperationalSpace, ArmWithAJointToSpare) {
  Subject s = parse_yaml(R"(
kane: 1
name: three
parameters: {l1: 0.5 m, l2: 0.4 m, l3: 0.2 m}
bodies:
  A: {mass: 3 kg, com: [l1/2, 0, 0], inertia: [0, 0, 0.07]}
  B: {mass: 2 kg, com: [l2/2, 0, 0], inertia: [0, 0, 0.03]}
  C: {mass: 1 kg, com: [l3/2, 0, 0], inertia: [0, 0, 0.004], points: {tip: [l3, 0, 0]}}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  b: {type: revolute, parent: A, at: [l1, 0, 0], child: B, axis: z, coordinate: q2}
  c: {type: revolute, parent: B, at: [l2, 0, 0], child: C, axis: z, coordinate: q3}
initial: {q1: 0.3, q2: 0.7, q3: -0.4}
)");
  const TaskReport report = OperationalSpace(*s.evaluator, {{.name = "tip"}}).calc(s.state.q, s.state.u);
  EXPECT_EQ(report.rank, 2);
  EXPECT_NEAR(report.jacobian(0, 2), -0.2 * std::sin(0.6), 1e-15);
  EXPECT_NEAR(report.jacobian(1, 0), 0.5 * std::cos(0.3) + 0.4 * std::cos(1.0) + 0.2 * std::cos(0.6), 1e-15);
  const double expected[2][2] = {{2.66377281, 1.44490237}, {1.44490237, 1.22777269}};
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(report.inertia(i, j), expected[i][j], 1e-8);
}

TEST(OperationalSpace, ConstraintsAreRegarded) {
  // The end of the rocker of a four-bar: one direction only, and its inertia gives back the kinetic energy.
  Subject s = load("fourbar");
  const State at = s.assembled();
  const std::string point = s.equations().points.back().name;
  OperationalSpace space(*s.evaluator, {{point, false}});
  const TaskReport r = space.calc(at.q, at.u);
  EXPECT_EQ(r.rank, 1);
  KernelRunner runner(&s.system->extra().energy()->kernel, s.evaluator->context());
  double kinetic = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) kinetic += 0.5 * r.velocity[i] * r.inertia(i, j) * r.velocity[j];
  EXPECT_NEAR(kinetic, runner.run(at.q, at.u)[0], 1e-10);
}

TEST(InverseKinematics, PlanarArmElbowUpAndDown) {
  Subject s = load("planar2r");
  InverseKinematicsOptions options;
  options.positions = {{"P2", {0.8, 0.5, std::nullopt}}};
  options.all = true;
  InverseKinematics solver(*s.evaluator, options);
  const auto report = solver.solve(s.state);
  ASSERT_EQ(report.solutions.size(), 2U);
  const double d2 = 0.8 * 0.8 + 0.5 * 0.5, elbow = std::acos((d2 - 2 * 0.49) / (2 * 0.49));
  EXPECT_NEAR(std::abs(std::remainder(report.solutions[0].q[1], 2 * std::numbers::pi)), elbow, 1e-9);
  EXPECT_NEAR(std::abs(std::remainder(report.solutions[1].q[1], 2 * std::numbers::pi)), elbow, 1e-9);
  EXPECT_EQ(report.free, 0);

  options.lower = {-4, 0}, options.upper = {4, 3};
  const auto limited = InverseKinematics(*s.evaluator, options).solve(s.state);
  ASSERT_TRUE(limited.reached());
  for (const auto& one : limited.solutions) EXPECT_NEAR(one.q[1], elbow, 1e-9);
}

TEST(InverseKinematics, OutOfReachSaysHowFar) {
  Subject s = load("planar2r");
  InverseKinematicsOptions options;
  options.positions = {{"P2", {1.5, 1.5, std::nullopt}}};
  const auto report = InverseKinematics(*s.evaluator, options).solve(s.state);
  EXPECT_FALSE(report.reached());
  EXPECT_NEAR(report.solutions.at(0).distance, 1.5 * std::numbers::sqrt2 - 1.4, 1e-6);
  EXPECT_THROW(InverseKinematics(*s.evaluator, {}), ModelError);
  options.positions[0].point = "P7";
  EXPECT_THROW(InverseKinematics(*s.evaluator, options), ModelError);
}

TEST(InverseKinematics, OrientationOfAnArm) {
  // Coordinates chosen at random, their pose asked for: some coordinates with the same pose come back.
  Subject s = load("stanford_arm");
  const EquationsOfMotion& e = s.equations();
  const std::string body = e.bodies.back().name;
  std::vector<double> q;
  for (std::size_t k = 0; k < e.q.size(); ++k) q.push_back(0.3 + 0.21 * static_cast<double>(k));
  const std::size_t first = [&] {
    for (const auto& item : s.system->report_items())
      if (item.kind == ReportItem::Kind::Body && item.name == body) return item.first;
    return std::size_t{0};
  }();
  std::size_t place = 0;
  std::string point;
  for (const auto& item : s.system->report_items())
    if (item.kind == ReportItem::Kind::Point) place = item.first, point = item.name;
  const std::vector<double> zero(e.u.size(), 0.0), none;
  const auto reports = s.evaluator->calc_reports(q, zero, zero, none);
  InverseKinematicsOptions options;
  OrientationTarget target{body, {}};
  for (std::size_t k = 0; k < 9; ++k) target.rotation[k] = reports[first + k];
  options.orientations = {target};
  options.positions = {{point, {reports[place], reports[place + 1], reports[place + 2]}}};
  const auto report = InverseKinematics(*s.evaluator, options).solve(s.state);
  ASSERT_TRUE(report.reached());
  const auto again = s.evaluator->calc_reports(report.solutions[0].q, zero, zero, none);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(again[first + k], target.rotation[k], 1e-9);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(again[place + k], *options.positions[0].position[k], 1e-9);
}

}  // namespace
}  // namespace kane::test

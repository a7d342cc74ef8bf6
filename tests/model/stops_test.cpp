// Limits of joints and motors: stops, max_force, max_speed; against closed forms, and in every analysis.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/inverse_study.hpp"
#include "kane/analysis/linearization.hpp"
#include "kane/analysis/reach.hpp"
#include "kane/analysis/sensitivity_study.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "kane/model/simulation.hpp"

namespace kane {
namespace {

constexpr double kPi = std::numbers::pi;

/// A mass on a rail; `axis` are further keys of its joint.
Model slider(const std::string& axis, const std::string& rest = "") {
  return read_model_text(fmt::format(R"yaml(
kane: 1
parameters: {{m: 2 kg}}
bodies: {{B: {{mass: m}}}}
joints: {{rail: {{type: prismatic, parent: N, child: B, axis: x, coordinate: x, speed: v, {}}}}}
{}
)yaml",
                                     axis, rest),
                         "slider.yaml");
}

Model pendulum(const std::string& limits, Formulation formulation = Formulation::Automatic) {
  return read_model_text(fmt::format(R"yaml(
kane: 1
parameters: {{m: 1 kg, l: 0.7 m, g: 9.81 m/s^2}}
gravity: -g*N.y
bodies: {{rod: {{mass: m, com: [0, -l/2, 0], inertia: [0, 0, m*l^2/12]}}}}
joints: {{hinge: {{type: revolute, parent: N, child: rod, axis: z, coordinate: q, speed: u, limits: {}}}}}
outputs: {{E: energy}}
initial: {{q: 40 deg, u: -9}}
)yaml",
                                     limits),
                         "pendulum.yaml", {.formulation = formulation});
}

TEST(Stops, APendulumNeverLeavesItsLimitsNorGainsEnergy) {
  for (const std::string limits : {"[-60 deg, 45 deg]", "{lower: -60 deg, upper: 45 deg, restitution: 0.6}",
                                   "{lower: -60 deg, upper: 45 deg, restitution: 1}"}) {
    Simulation run(pendulum(limits));
    double before = 1e9;
    const RunReport report = run.run({.until = 8}, [&](const State& s) {
      EXPECT_GE(s.q[0], -kPi / 3 - 1e-9) << limits;
      EXPECT_LE(s.q[0], kPi / 4 + 1e-9) << limits;
      const double energy = run.row(s)[3];
      EXPECT_LE(energy, before + 1e-7) << limits << " at " << s.t;
      before = energy;
      return true;
    });
    EXPECT_EQ(report.status, RunStatus::Done);
    EXPECT_GT(report.event_count, 0);
  }
}

TEST(Stops, ABounceFollowsTheClosedForm) {
  // From 0 at 1 m/s between -1 m and 2 m with restitution e: at 2 after 2 s, at -1 after 3/e more, then at e^2.
  const double e = 0.5, t = 2 + 3 / e + 2;
  Simulation run(slider("limits: {lower: -1 m, upper: 2 m, restitution: 0.5}", "initial: {v: 1}"), {},
                 {.tolerance = 1e-11});
  (void)run.run({.until = t});
  EXPECT_NEAR(run.value("x"), -1 + 2 * e * e, 1e-10);
  EXPECT_NEAR(run.value("v"), e * e, 1e-12);
}

TEST(Stops, ACompliantStopFollowsTheClosedForm) {
  // m d'' + c d' + k d = 0 from d = 0, d' = 1 until k d + c d' = 0; free afterwards.
  const double m = 2, k = 800, c = 16, w0 = std::sqrt(k / m), b = c / (2 * m), w = std::sqrt(w0 * w0 - b * b);
  const auto depth = [&](double t) { return std::exp(-b * t) * std::sin(w * t) / w; };
  const auto rate = [&](double t) { return std::exp(-b * t) * (std::cos(w * t) - b / w * std::sin(w * t)); };
  const double off = (kPi - std::atan2(c * w, k - c * b)) / w;
  ASSERT_NEAR(k * depth(off) + c * rate(off), 0, 1e-9);
  for (const bool upper : {true, false}) {
    const double sign = upper ? 1 : -1;
    Simulation run(slider(fmt::format("limits: {{{}: {} m, stiffness: 800 N/m, damping: 16 N*s/m}}",
                                      upper ? "upper" : "lower", sign),
                          fmt::format("initial: {{v: {}}}", sign)),
                   {}, {.tolerance = 1e-10});
    (void)run.run({.until = 1 + off / 2});
    EXPECT_NEAR(run.value("x"), sign * (1 + depth(off / 2)), 1e-8);
    EXPECT_NEAR(run.value("v"), sign * rate(off / 2), 1e-7);
    (void)run.run({.until = 2});
    EXPECT_NEAR(run.value("v"), sign * rate(off), 1e-7);
    EXPECT_NEAR(run.value("x"), sign * (1 + depth(off) + rate(off) * (1 - off)), 1e-7);
  }
}

TEST(Stops, ASpringWithoutDamperKeepsTheEnergy) {
  Simulation run(pendulum("{lower: -60 deg, upper: 45 deg, stiffness: 300 N*m/rad}"), {}, {.tolerance = 1e-10});
  const double before = run.row(run.state())[3];
  double farthest = 0;
  (void)run.run({.until = 5}, [&](const State& s) {
    farthest = std::max(farthest, s.q[0]);
    EXPECT_NEAR(run.row(s)[3], before, 1e-7);
    return true;
  });
  EXPECT_GT(farthest, kPi / 4 + 0.01);
  EXPECT_LT(farthest, kPi / 4 + 0.5);
}

TEST(Stops, AllFormulationsAgree) {
  for (const std::string limits : {"{lower: -60 deg, upper: 45 deg, restitution: 0.6}",
                                   "{lower: -60 deg, upper: 45 deg, stiffness: 300 N*m/rad, damping: 1 N*m*s/rad}"}) {
    std::vector<double> ends;
    for (const auto formulation : {Formulation::Projection, Formulation::Composite, Formulation::Articulated}) {
      Simulation run(pendulum(limits, formulation), {}, {.tolerance = 1e-11});
      (void)run.run({.until = 1.5});
      ends.push_back(run.value("q"));
    }
    EXPECT_NEAR(ends[0], ends[1], 1e-7);
    EXPECT_NEAR(ends[0], ends[2], 1e-7);
  }
}

TEST(Stops, RestingOnAStopIsHeldByIt) {
  // Gravity presses the rod against a stop at -60 deg from the side of larger angles only if it hangs above it.
  const Model model = pendulum("[30 deg, 60 deg]");
  const Evaluation at = evaluate(model, {.q = {{"q", kPi / 6}}, .u = {{"u", 0}}});
  EXPECT_EQ(at.udot[0], 0);
  ASSERT_EQ(at.contacts.size(), 2U);
  EXPECT_EQ(at.contacts[0].name, "hinge.lower");
  EXPECT_NEAR(at.contacts[0].normal, 9.81 * 0.35 * 0.5, 1e-12);  // m g l/2 sin q
}

TEST(Stops, StartingOutsideIsRefused) {
  const Model model = pendulum("[-60 deg, 30 deg]");
  try {
    Simulation run(model);
    FAIL() << "started outside";
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("'q' 0.174533 beyond its limit (the stop 'hinge.upper')"), std::string::npos)
        << error.message();
  }
  EXPECT_THROW((void)evaluate(model), ModelError);
  EXPECT_NO_THROW(Simulation(model.with_options({.stops = false})));
}

TEST(Stops, AClosingJointHasThemToo) {
  // A parallelogram: the coupler does not turn, so the angle at the closing joint is that of the crank.
  const auto linkage = [](const std::string& crank, const std::string& pin) {
    return read_model_text(fmt::format(R"yaml(
kane: 1
gravity: -9.81*N.y
bodies:
  a: {{mass: 1, com: [0, -0.5, 0], inertia: [0, 0, 0.1]}}
  b: {{mass: 1, com: [0, -0.5, 0], inertia: [0, 0, 0.1]}}
  c: {{mass: 1, com: [1, 0, 0], inertia: [0, 0, 0.3]}}
joints:
  ja: {{type: revolute, parent: N, child: a, axis: z, coordinate: qa, {}}}
  jb: {{type: revolute, parent: N, child: b, axis: z, coordinate: qb, at: [2, 0, 0]}}
  jc: {{type: revolute, parent: a, child: c, axis: z, coordinate: qc, at: [0, -1, 0]}}
  pin: {{type: revolute, parent: c, child: b, axis: z, close: true, at: [2, 0, 0], child_at: [0, -1, 0], {}}}
initial: {{qa: 0.9, qb: 0.9, qc: -0.9}}
)yaml",
                                       crank, pin),
                           "linkage.yaml");
  };
  for (const std::string limits : {"limits: {lower: -0.4, upper: 1, restitution: 0.7}",
                                   "limits: {lower: -0.4, upper: 1, stiffness: 400, damping: 3}", "friction: 2"}) {
    Simulation by_crank(linkage(limits, "reaction: true"), {}, {.tolerance = 1e-10});
    Simulation by_pin(linkage("reaction: true", limits), {}, {.tolerance = 1e-10});
    (void)by_crank.run({.until = 2.5});
    (void)by_pin.run({.until = 2.5});
    EXPECT_NEAR(by_crank.value("qa"), by_pin.value("qa"), 1e-6) << limits;
    EXPECT_GT(by_crank.value("qa"), -0.6);
  }
}

TEST(MotorLimits, ASaturatedControllerFollowsTheClosedForm) {
  // From 3 m at rest: full force F until kp x + kd v = F, then the linear loop.
  const double m = 2, F = 4, kp = 8, kd = 8;  // critically damped: s = -2
  const double a = F / m;
  // kp (3 - a t^2/2) - kd a t = F
  const double t1 = (-kd * a + std::sqrt(kd * kd * a * a + 2 * kp * a * (3 * kp - F))) / (kp * a);
  const double x1 = 3 - a * t1 * t1 / 2, v1 = -a * t1, s = -2;
  for (const std::string axis :
       {"actuator: F, max_force: 4 N", "law: -8*x - 8*v, max_force: 4 N", "law: -8*x, actuator: D, max_force: 4 N"}) {
    Simulation run(slider(axis, "inputs: {F: -8*x - 8*v, D: -8*v}\ninitial: {x: 3}"), {}, {.tolerance = 1e-10});
    (void)run.run({.until = 0.9 * t1});
    EXPECT_NEAR(run.value("x"), 3 - a * 0.81 * t1 * t1 / 2, 1e-9) << axis;
    (void)run.run({.until = t1 + 1});
    EXPECT_NEAR(run.value("x"), (x1 + (v1 - s * x1)) * std::exp(s), 1e-8) << axis;
  }
}

TEST(MotorLimits, AMotorDoesNotDriveBeyondItsSpeed) {
  // m v' = F up to 0.99 V, then V - v falls by exp(-100 F/(m V) t).
  const double m = 2, F = 4, V = 3, t1 = 0.99 * V * m / F, t2 = 0.01;
  const Model model = slider("actuator: F, max_speed: 3 m/s", "inputs: {F: 4 N}");
  Simulation run(model, {}, {.tolerance = 1e-10});
  (void)run.run({.until = 0.5 * t1});
  EXPECT_NEAR(run.value("v"), 0.5 * 0.99 * V, 1e-9);
  (void)run.run({.until = t1 + t2});
  EXPECT_NEAR(run.value("v"), V - 0.01 * V * std::exp(-100 * F / (m * V) * t2), 1e-7);
  (void)run.run({.until = 10}, [&](const State& s) {
    EXPECT_LE(s.u[0], V + 1e-9);
    return true;
  });
  EXPECT_NEAR(run.value("v"), V, 1e-6);
  // It brakes at any speed, in both directions.
  EXPECT_NEAR(evaluate(model, {.u = {{"v", 7}}, .inputs = {{"F", -4}}}).udot[0], -2, 1e-12);
  EXPECT_NEAR(evaluate(model, {.u = {{"v", -7}}, .inputs = {{"F", 4}}}).udot[0], 2, 1e-12);
  EXPECT_EQ(evaluate(model, {.u = {{"v", 7}}}).udot[0], 0);
  EXPECT_EQ(evaluate(model, {.u = {{"v", -7}}, .inputs = {{"F", -4}}}).udot[0], 0);
}

TEST(MotorLimits, InverseDynamicsNamesWhatIsExceeded) {
  const Model model = slider("actuator: F, max_force: 4 N, max_speed: 3 m/s, limits: [-5 m, 5 m]", "inputs: {F: 0 N}");
  InverseStudyOptions options;
  options.motion = {{"x", "4*sin(2*t) + 2*t"}};
  options.until = 2;
  const InverseReport report = InverseStudy(model, {}, options).run();
  EXPECT_NEAR(report.actuators[0].smallest, -2 * 16, 1e-3);  // unlimited: what the motion needs
  ASSERT_EQ(report.exceeded.size(), 3U);
  EXPECT_NE(report.exceeded[0].find("a limit of the joint 'rail'"), std::string::npos) << report.exceeded[0];
  EXPECT_NE(report.exceeded[1].find("max_speed is 3"), std::string::npos) << report.exceeded[1];
  EXPECT_NE(report.exceeded[2].find("max_force is 4"), std::string::npos) << report.exceeded[2];
}

TEST(MotorLimits, TrackingIsSaturated) {
  const Model model = slider("actuator: F, max_force: 4 N", "inputs: {F: 0 N}");
  InverseStudyOptions options;
  options.motion = {{"x", "2*t^2"}};  // needs 8 N
  options.until = 1;
  std::vector<double> last;
  InverseStudy study(model, {}, options);
  (void)study.track([&](std::span<const double> row) { last.assign(row.begin(), row.end()); });
  EXPECT_NEAR(last[1], 0.5 * 2 * 1, 1e-6);  // a = F/m = 2 m/s^2
}

TEST(MotorLimits, LinearEquationsKnowThem) {
  const Model model = slider("actuator: F, max_force: 4 N", "inputs: {F: -8*x}");
  const auto stiffness = [&](double x) {
    const Evaluation at = evaluate(model, {.q = {{"x", x}}});
    return at.udot[0];
  };
  EXPECT_NEAR(stiffness(0.1), -0.4, 1e-12);
  EXPECT_NEAR(stiffness(3), -2, 1e-12);
}

TEST(Stops, OtherAnalysesSayWhereTheyEnd) {
  const Model model = pendulum("[-60 deg, 45 deg]");
  SensitivityStudyOptions options;
  options.parameters = {"l"};
  options.until = 2;
  try {
    (void)SensitivityStudy(model, {}, options).run();
    FAIL() << "passed the stop";
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("reaches a limit of the joint 'hinge'"), std::string::npos) << error.message();
  }
  options.until = 0.05;
  EXPECT_NO_THROW((void)SensitivityStudy(model, {}, options).run());
  OperatingPointOptions place;
  place.place = StatePlace::AsGiven;
  EXPECT_TRUE(OperatingPoint(model, {.q = {{"q", 0}}}, place).summary().warnings.empty());
  const OperatingPoint at(model, {.q = {{"q", -kPi / 3}}}, place);
  ASSERT_EQ(at.summary().warnings.size(), 1U);
  EXPECT_NE(at.summary().warnings[0].find("'q' is at its lower limit"), std::string::npos);
}

TEST(Stops, AreWrittenAsTheyWereRead) {
  for (const std::string limits : {"[-1, 1]", "{lower: -1, upper: 1, restitution: 0.25}",
                                   "{upper: 1, stiffness: 300 N*m/rad, damping: 2 N*m*s/rad}"}) {
    const Model model = pendulum(limits);
    const Model again = read_model_text(write_yaml(model.mechanism()), "again.yaml");
    const AxisLaw &a = model.mechanism().joints[0].motions[0].law, &b = again.mechanism().joints[0].motions[0].law;
    EXPECT_EQ(a.lower.has_value(), b.lower.has_value());
    EXPECT_EQ(a.upper->to_string(), b.upper->to_string());
    EXPECT_EQ(a.restitution.to_string(), b.restitution.to_string());
    EXPECT_EQ(a.stop_stiffness.to_string(), b.stop_stiffness.to_string());
    EXPECT_EQ(a.stop_damping.to_string(), b.stop_damping.to_string());
  }
}

TEST(Stops, ARobotWithMimicsBeginsAndStaysWithinItsLimits) {
  const Model model = read_model(std::string(KANE_SOURCE_DIR) + "/tests/robots/gripper.urdf");
  Simulation run(model);
  const auto& joints = model.mechanism().joints;
  (void)run.run({.until = 1, .intervals = 100}, [&](const State& s) {
    for (const Joint& joint : joints)
      for (const ElementaryMotion& motion : joint.motions) {
        if (!motion.law.limited() || !motion.free) continue;
        const auto& q = model.equations().q;
        const auto at = std::find(q.begin(), q.end(), q.front().graph()->symbol(motion.coordinates[0].name()));
        const double value = s.q[static_cast<std::size_t>(at - q.begin())];
        EXPECT_GE(value, to_double(motion.law.lower->number()) - 1e-7) << joint.name;
        EXPECT_LE(value, to_double(motion.law.upper->number()) + 1e-7) << joint.name;
      }
    return true;
  });
}

TEST(Stops, ShortSpansTakeFewSteps) {
  Simulation run(slider("limits: [-1 m, 2 m]", "initial: {v: 1}"));
  EXPECT_LE(run.advance(1e-3).totals.steps, 5);
  EXPECT_NEAR(run.value("x"), 1e-3, 1e-15);
}

TEST(Stops, WhatMakesNoSenseIsRefused) {
  const auto message = [](const std::string& limits) -> std::string {
    try {
      (void)pendulum(limits);
    } catch (const ModelError& error) {
      return error.message();
    }
    return "";
  };
  EXPECT_NE(message("{upper: 1, restitution: 1.5}").find("between 0 and 1"), std::string::npos);
  EXPECT_NE(message("{upper: 1, damping: 2 N*m*s/rad}").find("no stiffness"), std::string::npos);
  EXPECT_NE(message("{upper: 1, stiffness: -5 N*m/rad}").find("must be positive"), std::string::npos);
  EXPECT_NE(message("{upper: 1, stiffness: 5 N*m/rad, restitution: 0.5}").find("both"), std::string::npos);
  EXPECT_THROW((void)slider("actuator: F, max_force: 0 N", "inputs: {F: 0 N}"), ModelError);
  EXPECT_THROW((void)slider("actuator: F, max_speed: -1 m/s", "inputs: {F: 0 N}"), ModelError);
}

}  // namespace
}  // namespace kane

// Forces of contacts and friction along a switched run, and the motion at a single state, against closed forms.

#include "kane/simulate/switching/contact_forces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "kane/simulate/motion/motion_simulator.hpp"
#include "kane/simulate/switching/state_motion.hpp"
#include "tests/program/allocation_count.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

constexpr double kG = 9.81;

constexpr const char* kBlock = R"yaml(
kane: 1
name: block
parameters: {m: 2, mu: 0.3, g: 9.81}
inputs: {F: 0}
gravity: -g*N.y
bodies: {carriage: {}, block: {mass: m}}
joints:
  along: {type: prismatic, parent: N, child: carriage, axis: x, coordinate: x, speed: v}
  up: {type: prismatic, parent: carriage, child: block, axis: y, coordinate: y, speed: w}
loads: {push: {force: F*N.x, at: block}}
contacts:
  floor: {point: block, plane: N.y, friction: mu}
initial: {v: 1.5}
)yaml";

constexpr const char* kPendulum = R"yaml(
kane: 1
name: rubbing
parameters: {m: 2, l: 0.5, I: 0.1, limit: 1.3, g: 9.81}
gravity: -g*N.y
bodies: {arm: {mass: m, com: [l, 0, 0], inertia: [0, I, I]}}
joints: {hinge: {type: revolute, parent: N, child: arm, axis: z, coordinate: q, speed: u, friction: limit}}
initial: {q: 0.2, u: 1}
)yaml";

const ContactForce& force_named(std::span<const ContactForce> forces, const std::string& name) {
  for (const ContactForce& f : forces)
    if (f.name == name) return f;
  throw std::runtime_error("no force " + name);
}

std::span<const double> reaction_of(const Model& model, std::span<const double> reports, const std::string& name) {
  for (const auto& item : model.system->report_items())
    if (item.kind == ReportItem::Kind::Reaction && item.name == name) return reports.subspan(item.first, item.count);
  throw std::runtime_error("no reaction of " + name);
}

// Slides with -mu m g until it stops after v/(mu g), then a push is held up to mu m g.
TEST(ContactForces, OfABlockThatSlidesAndThenHolds) {
  const Model model = parse_model(kBlock);
  const auto sim = make_simulator(model.system, {.tolerance = 1e-10});
  sim->start(model.initial());
  const double m = 2, mu = 0.3, stop = 1.5 / (mu * kG);
  while (sim->state().t < 0.5 * stop) ASSERT_EQ(sim->step(0.5 * stop).status, StepStatus::Ok);
  ASSERT_FALSE(sim->calc_reports(sim->state()).empty());
  EXPECT_NEAR(sim->udot()[0], -mu * kG, 1e-12);
  const ContactForce *floor = &force_named(sim->contact_forces(), "floor"),
                     *friction = &force_named(sim->contact_forces(), "floor.friction");
  EXPECT_EQ(floor->state, ContactForceState::Closed);
  EXPECT_FALSE(floor->is_friction);
  EXPECT_NEAR(floor->normal, m * kG, 1e-11);
  EXPECT_EQ(friction->state, ContactForceState::Slide);
  EXPECT_TRUE(friction->is_friction);
  EXPECT_NEAR(friction->normal, m * kG, 1e-11);
  double along = 0;
  for (std::size_t i = 0; i < friction->components; ++i) along += friction->friction[i] * friction->friction[i];
  EXPECT_NEAR(std::sqrt(along), mu * m * kG, 1e-11);

  while (sim->state().t < 2 * stop) ASSERT_EQ(sim->step(2 * stop).status, StepStatus::Ok);
  sim->set_input(0, 4);
  ASSERT_EQ(sim->step(3 * stop).status, StepStatus::Ok);
  ASSERT_FALSE(sim->calc_reports(sim->state()).empty());
  EXPECT_EQ(friction->state, ContactForceState::Stick);
  along = 0;
  for (std::size_t i = 0; i < friction->components; ++i) along += friction->friction[i] * friction->friction[i];
  EXPECT_NEAR(std::sqrt(along), 4, 1e-11);
  EXPECT_NEAR(sim->udot()[0], 0, 1e-12);
}

TEST(ContactForces, OfABallThatFallsAndLies) {
  const Model model = load_model("bouncing_ball");
  const auto sim = make_simulator(model.system, {.tolerance = 1e-10});
  sim->start(model.initial());
  (void)sim->calc_reports(sim->state());
  EXPECT_EQ(force_named(sim->contact_forces(), "floor").state, ContactForceState::Open);
  EXPECT_EQ(force_named(sim->contact_forces(), "floor").normal, 0);
  const RunReport report = sim->run({.until = 4});
  ASSERT_FALSE(report.failure);
  ASSERT_FALSE(sim->calc_reports(sim->state()).empty());
  EXPECT_EQ(force_named(sim->contact_forces(), "floor").state, ContactForceState::Closed);
  EXPECT_NEAR(force_named(sim->contact_forces(), "floor").normal, 0.2 * kG, 1e-12);
}

// The hinge transmits the friction torque about its axis, and the force that gives the mass centre its acceleration.
TEST(ContactForces, OfAPendulumWithFrictionInItsHinge) {
  const Model model = parse_model(kPendulum);
  const auto sim = make_simulator(model.system, {.tolerance = 1e-11});
  sim->start(model.initial());
  const double m = 2, l = 0.5, I = 0.1, limit = 1.3;
  bool slid = false, held = false;
  const RunReport report = sim->run({.until = 30, .intervals = 300}, [&](const State& s) {
    const auto reports = sim->calc_reports(s);
    const double q = s.q[0], u = s.u[0], alpha = sim->udot()[0];
    const ContactForce& friction = force_named(sim->contact_forces(), "hinge.friction");
    const auto hinge = reaction_of(model, reports, "hinge");
    const double torque = (I + m * l * l) * alpha + m * l * kG * std::cos(q);
    EXPECT_NEAR(hinge[0], -m * l * u * u + m * kG * std::sin(q), 1e-9);
    EXPECT_NEAR(hinge[1], m * l * alpha + m * kG * std::cos(q), 1e-9);
    EXPECT_NEAR(hinge[5], torque, 1e-9);
    EXPECT_NEAR(friction.friction[0], torque, 1e-9);
    if (friction.state == ContactForceState::Slide) {
      slid = true;
      if (std::abs(u) > 1e-6) {
        EXPECT_NEAR(friction.friction[0], u > 0 ? -limit : limit, 1e-9);
      }
    } else {
      held = true;
      EXPECT_EQ(friction.state, ContactForceState::Stick);
      EXPECT_EQ(alpha, 0);
      EXPECT_LE(std::abs(friction.friction[0]), limit + 1e-9);
    }
    return true;
  });
  EXPECT_FALSE(report.failure);
  EXPECT_TRUE(slid);
  EXPECT_TRUE(held);
}

TEST(ContactForces, AreBroughtUpToDateWithoutAllocating) {
  for (const char* name : {"bouncing_ball", "box_drop", "billiard_ball"}) {
    const Model model = load_model(name);
    const auto sim = make_simulator(model.system);
    sim->start(model.initial());
    (void)sim->run({.until = 1});
    (void)sim->calc_reports(sim->state());
    const long before = allocation_count();
    (void)sim->calc_reports(sim->state());
    EXPECT_EQ(allocation_count(), before) << name;
  }
}

// ---- the motion at a state ------------------------------------------------------------------------------------------------

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("models")))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

void expect_motion_of_a_run(const Model& model, const State& state) {
  const auto sim = make_simulator(model.system);
  sim->start(state);
  if (sim->stepping()) return;  // forces are means over steps there, not those of an instant
  const auto reports = sim->calc_reports(sim->state());
  ASSERT_FALSE(reports.empty());
  SystemEvaluator evaluator(model.system);
  evaluator.set_inputs(model.system->default_inputs(), state.t);
  evaluator.set_active(find_initial_active(model.equations()));
  StateMotion motion(evaluator);
  const std::vector<int> active = evaluator.active_rows();
  const StateMotionReport& report = motion.calc(state.q, state.u);
  ASSERT_TRUE(report.ok()) << describe(report, model.equations());
  EXPECT_EQ(evaluator.active_rows(), active);
  EXPECT_EQ(report.impact, sim->event() != nullptr && !sim->event()->impulses.empty());
  for (std::size_t i = 0; i < state.u.size(); ++i) {
    EXPECT_EQ(motion.u_after()[i], sim->state().u[i]) << i;
    EXPECT_EQ(motion.udot()[i], sim->udot()[i]) << i;
  }
  for (std::size_t i = 0; i < sim->multipliers().size(); ++i)
    EXPECT_EQ(motion.multipliers()[i], sim->multipliers()[i]) << i;
  ASSERT_EQ(motion.contact_forces().size(), sim->contact_forces().size());
  for (std::size_t i = 0; i < motion.contact_forces().size(); ++i) {
    EXPECT_EQ(motion.contact_forces()[i].state, sim->contact_forces()[i].state);
    EXPECT_EQ(motion.contact_forces()[i].normal, sim->contact_forces()[i].normal);
    EXPECT_EQ(motion.contact_forces()[i].friction, sim->contact_forces()[i].friction);
  }
}

TEST(StateMotion, IsThatOfARunWhichBeginsThere) {
  int switched = 0;
  for (const std::string& name : model_names()) {
    SCOPED_TRACE(name);
    const Model model = load_model(name);
    const auto sim = make_simulator(model.system);
    const State first = sim->assemble(model.initial(), model.given());
    expect_motion_of_a_run(model, first);
    if (!model.equations().switched()) continue;
    ++switched;
    if (!model.equations().modes.empty() || !model.equations().switches.empty()) continue;
    sim->start(first);
    for (const double t : {0.05, 0.2, 0.6, 1.3}) {
      ASSERT_FALSE(sim->run({.until = t, .intervals = 1}).failure);
      expect_motion_of_a_run(model, sim->state());
    }
  }
  EXPECT_GE(switched, 14);
}

// Dropped onto the floor: the speeds after the impact, and its impulse.
TEST(StateMotion, TellsSpeedsThatJump) {
  const Model model = load_model("bouncing_ball");
  SystemEvaluator evaluator(model.system);
  StateMotion motion(evaluator);
  const std::vector<double> q{0.05}, u{-2};
  ASSERT_TRUE(motion.calc(q, u).ok());
  EXPECT_TRUE(motion.calc(q, u).impact);
  EXPECT_NEAR(motion.u_after()[0], 1.4, 1e-14);
  EXPECT_NEAR(motion.impulses()[0], 0.2 * 3.4, 1e-14);
  EXPECT_NEAR(motion.udot()[0], -kG, 1e-14);
  const std::vector<double> still{0};
  EXPECT_FALSE(motion.calc(q, still).impact);
  EXPECT_NEAR(motion.udot()[0], 0, 1e-14);
  EXPECT_NEAR(motion.contact_forces()[0].normal, 0.2 * kG, 1e-14);
}

}  // namespace
}  // namespace kane::test

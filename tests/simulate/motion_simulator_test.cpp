// The one interface of plain and switched motion: steps, inputs while running, options.

#include "kane/simulate/motion/motion_simulator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "tests/simulate/models.hpp"

namespace kane::test {
namespace {

constexpr const char* kPushed = R"yaml(
kane: 1
name: pushed
parameters: {m: 2}
inputs: {F: 3}
bodies: {block: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, speed: v}}
loads: {push: {force: F*N.x, at: block}}
)yaml";

constexpr const char* kHeld = R"yaml(
kane: 1
name: held
parameters: {m: 2, limit: 4}
inputs: {F: 3}
bodies: {block: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, speed: v, friction: limit}}
loads: {push: {force: F*N.x, at: block}}
)yaml";

std::string message_of(SimulatorOptions options) {
  try {
    options.check();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "";
}

TEST(MotionSimulator, IsPlainOrSwitchedAsTheEquationsAre) {
  EXPECT_FALSE(make_simulator(load_model("double_pendulum").system)->switched());
  EXPECT_TRUE(make_simulator(load_model("bouncing_ball").system)->switched());
  EXPECT_TRUE(make_simulator(parse_model(kHeld).system)->switched());
}

// A run is nothing but its steps: the same events at the same bits, whichever way they are made.
TEST(MotionSimulator, StepsOfSwitchedMotionAreThoseOfARun) {
  for (const char* name : {"bouncing_ball", "newtons_cradle", "friction_oscillator", "cart_switch", "block_on_plane"}) {
    const Model model = load_model(name);
    const SimulatorOptions options{.tolerance = 1e-8, .max_step = 0.02};
    const auto run = make_simulator(model.system, options), stepped = make_simulator(model.system, options);
    run->start(model.initial());
    const RunReport report = run->run({.until = 1.5, .intervals = 7});
    ASSERT_FALSE(report.failure) << name;
    long events = 0;
    stepped->start(model.initial());
    if (stepped->event() != nullptr) ++events;
    while (stepped->state().t < 1.5 || stepped->event_pending()) {
      ASSERT_EQ(stepped->step(1.5).status, StepStatus::Ok) << name;
      if (stepped->event() != nullptr) ++events;
      if (stepped->stopped()) break;
    }
    EXPECT_EQ(events, report.event_count) << name;
    EXPECT_EQ(stepped->state().t, run->state().t) << name;
    for (std::size_t i = 0; i < run->state().q.size(); ++i)
      EXPECT_NEAR(stepped->state().q[i], run->state().q[i], 1e-12) << name << " " << i;
    for (std::size_t i = 0; i < run->state().u.size(); ++i)
      EXPECT_NEAR(stepped->state().u[i], run->state().u[i], 1e-11) << name << " " << i;
  }
}

TEST(MotionSimulator, ReportsAnEventInTheStepThatHandlesIt) {
  const Model model = load_model("bouncing_ball");
  const auto sim = make_simulator(model.system, {.tolerance = 1e-10});
  sim->start(model.initial());
  EXPECT_EQ(sim->event(), nullptr);
  const double fall = std::sqrt(2 * 1.0 / 9.81);
  for (int k = 0; k < 1000 && !sim->event_pending(); ++k) ASSERT_EQ(sim->step(2).status, StepStatus::Ok);
  EXPECT_NEAR(sim->state().t, fall, 1e-9);
  EXPECT_NEAR(sim->state().u[0], -9.81 * fall, 1e-8);
  State inside;
  ASSERT_TRUE(sim->interpolate(sim->state().t - 1e-3, inside));
  EXPECT_NEAR(inside.u[0], -9.81 * (fall - 1e-3), 1e-8);
  const double t = sim->state().t;
  EXPECT_EQ(sim->step(2).h, 0);
  EXPECT_EQ(sim->state().t, t);
  ASSERT_NE(sim->event(), nullptr);
  EXPECT_EQ(sim->event()->causes.at(0), "floor");
  EXPECT_NEAR(sim->state().u[0], 0.7 * 9.81 * fall, 1e-8);
  EXPECT_NEAR(sim->event()->impulses.at(0).second, 0.2 * 1.7 * 9.81 * fall, 1e-8);
}

// x'' = F/m with F changed on the way.
TEST(MotionSimulator, AnInputSetWhileRunningActsAtOnce) {
  const Model model = parse_model(kPushed);
  for (const Method method : {Method::Automatic, Method::Rk4, Method::Gauss6, Method::Cvode}) {
    const auto sim = make_simulator(model.system, {.method = method, .tolerance = 1e-10, .step = 0.125});
    sim->set_inputs(std::vector<double>{1});
    sim->start(model.initial());
    while (sim->state().t < 1) ASSERT_EQ(sim->step(1).status, StepStatus::Ok);
    sim->set_input(0, -2);
    (void)sim->calc_reports(sim->state());
    EXPECT_NEAR(sim->udot()[0], -1, 1e-14);
    while (sim->state().t < 3) ASSERT_EQ(sim->step(3).status, StepStatus::Ok);
    EXPECT_NEAR(sim->state().u[0], 0.5 - 2.0, 1e-8);
    EXPECT_NEAR(sim->state().q[0], 0.25 + 0.5 * 2 - 0.5 * 4, 1e-8);
  }
}

// A push below the stiction limit moves nothing; one above it does, from the instant on where it acts.
TEST(MotionSimulator, AnInputSetWhileRunningLetsAFrictionGo) {
  const Model model = parse_model(kHeld);
  const auto sim = make_simulator(model.system, {.tolerance = 1e-10});
  sim->start(model.initial());
  while (sim->state().t < 1) ASSERT_EQ(sim->step(1).status, StepStatus::Ok);
  EXPECT_EQ(sim->state().u[0], 0);
  sim->set_input(0, 10);
  ASSERT_EQ(sim->step(3).status, StepStatus::Ok);
  ASSERT_NE(sim->event(), nullptr);
  EXPECT_EQ(sim->event()->t, 1);
  while (sim->state().t < 3) ASSERT_EQ(sim->step(3).status, StepStatus::Ok);
  EXPECT_NEAR(sim->state().u[0], 2 * (10 - 4) / 2.0, 1e-9);
  EXPECT_NEAR(sim->state().q[0], 0.5 * 4 * (10 - 4) / 2.0, 1e-9);
  sim->set_input(0, 0);  // comes to rest after v m / limit
  const double stop = 3 + 6 * 2 / 4.0;
  while (sim->state().t < stop + 1) ASSERT_EQ(sim->step(stop + 1).status, StepStatus::Ok);
  EXPECT_EQ(sim->state().u[0], 0);
  EXPECT_NEAR(sim->state().q[0], 6 + 0.5 * 6 * 3, 1e-8);
}

TEST(MotionSimulator, RefusesToSetAnInputThatFollowsASeries) {
  const Model model = parse_model(kPushed);
  const auto sim = make_simulator(model.system, {.inputs = {SeriesInput{"F", {0, 1}, {0, 1}, Interpolation::Linear}}});
  sim->start(model.initial());
  EXPECT_THROW(sim->set_input(0, 1), ModelError);
}

// ---- snapshots ----------------------------------------------------------------------------------------------------------

/// Steps up to t, with everything seen on the way.
std::vector<double> advance(MotionSimulator& sim, double until) {
  std::vector<double> seen;
  for (int k = 0; k < 100'000 && (sim.state().t < until || sim.event_pending()); ++k) {
    if (sim.step(until).status != StepStatus::Ok) ADD_FAILURE() << sim.explain_last_step().cause;
    seen.push_back(sim.state().t);
    seen.insert(seen.end(), sim.state().q.begin(), sim.state().q.end());
    seen.insert(seen.end(), sim.state().u.begin(), sim.state().u.end());
    seen.push_back(sim.event() == nullptr ? 0 : 1);
  }
  return seen;
}

void expect_same_continuation(const Model& model, const SimulatorOptions& options, double first, double until) {
  const auto sim = make_simulator(model.system, options), other = make_simulator(model.system, options);
  sim->start(sim->assemble(model.initial(), model.given()));
  (void)advance(*sim, first);
  const MotionSnapshot snapshot = sim->snapshot();
  const std::vector<double> once = advance(*sim, until);
  sim->restore(snapshot);
  EXPECT_EQ(sim->state().t, first);
  EXPECT_EQ(advance(*sim, until), once) << model.equations().name;
  other->restore(snapshot);
  EXPECT_EQ(advance(*other, until), once) << model.equations().name;
}

TEST(MotionSnapshot, ContinuesPlainMotionToTheLastBit) {
  for (const Method method : {Method::Automatic, Method::Rk4, Method::Dopri5, Method::Dop853, Method::Cvode,
                              Method::Arkode, Method::Midpoint, Method::Gauss4, Method::Gauss6}) {
    SCOPED_TRACE(to_string(method));
    const SimulatorOptions options{.method = method, .tolerance = 1e-8, .step = 2e-3};
    expect_same_continuation(load_model("double_pendulum"), options, 0.3, 0.6);
    expect_same_continuation(load_model("fourbar"), options, 0.3, 0.6);
  }
  for (const char* name : {"bricard", "andrews", "rattleback", "parallel_cranks", "damped_pendulum"})
    expect_same_continuation(load_model(name), {.tolerance = 1e-7}, 0.01, 0.02);
}

TEST(MotionSnapshot, DoesNotDisturbTheMotionItIsTakenOf) {
  for (const char* name : {"double_pendulum", "fourbar", "bouncing_ball", "block_on_plane"}) {
    const Model model = load_model(name);
    const auto with = make_simulator(model.system), without = make_simulator(model.system);
    for (const auto& sim : {with.get(), without.get()}) sim->start(sim->assemble(model.initial(), model.given()));
    for (int k = 1; k <= 10; ++k) {
      EXPECT_EQ(advance(*with, 0.1 * k), advance(*without, 0.1 * k)) << name;
      (void)with->snapshot();
    }
  }
}

TEST(MotionSnapshot, ContinuesSwitchedMotionToTheLastBit) {
  for (const char* name : {"bouncing_ball", "newtons_cradle", "friction_oscillator", "cart_switch", "block_on_plane",
                           "box_drop", "disk_transition", "geneva", "latch", "grasp", "piano_key", "billiard_ball"}) {
    const Model model = load_model(name);
    for (const double first : {0.0, 0.111, 0.4})
      expect_same_continuation(model, {.tolerance = 1e-7}, first, first + 0.5);
  }
}

TEST(MotionSnapshot, KeepsInputsThatAreSampledAndDelayed) {
  const Model model = parse_model(kPushed);
  long looks = 0;
  const SimulatorOptions options{
      .tolerance = 1e-8,
      .inputs = {
          SampledInput{{"F"}, 0.01, 0.025, [&](const State& s, std::span<const double>, std::span<double> values) {
                         ++looks;
                         values[0] = -3 * s.q[0] - s.u[0];
                       }}}};
  State initial = model.initial();
  const auto sim = make_simulator(model.system, options);
  initial.q[0] = 1;
  sim->start(initial);
  (void)advance(*sim, 0.4987);
  const MotionSnapshot snapshot = sim->snapshot();
  const long before = looks;
  const auto once = advance(*sim, 1.0);
  const long between = looks - before;
  sim->restore(snapshot);
  EXPECT_EQ(advance(*sim, 1.0), once);
  EXPECT_EQ(looks - before, 2 * between);
}

TEST(MotionSnapshot, IsRefusedByAnotherSystemOrMethod) {
  const Model a = load_model("double_pendulum"), b = load_model("double_pendulum");
  const auto sim = make_simulator(a.system);
  EXPECT_THROW((void)sim->snapshot(), ModelError);
  sim->start(a.initial());
  const MotionSnapshot snapshot = sim->snapshot();
  EXPECT_THROW(make_simulator(b.system)->restore(snapshot), ModelError);
  EXPECT_THROW(make_simulator(a.system, {.method = Method::Rk4})->restore(snapshot), ModelError);
  EXPECT_THROW(sim->restore(MotionSnapshot()), ModelError);
}

TEST(SimulatorOptions, SayWhatIsWrong) {
  EXPECT_EQ(message_of({}), "");
  EXPECT_NE(message_of({.tolerance = 2}).find("tolerance"), std::string::npos);
  EXPECT_NE(message_of({.step = 0}).find("step"), std::string::npos);
  EXPECT_NE(message_of({.first_step = -1}).find("first_step"), std::string::npos);
  EXPECT_NE(message_of({.energy_interval = -1}).find("energy_interval"), std::string::npos);
  EXPECT_NE(message_of({.switching = {.touch_gap = -1}}).find("switching.touch_gap"), std::string::npos);
  EXPECT_NE(message_of({.max_events = 0}).find("max_events"), std::string::npos);
  EXPECT_THROW((void)make_simulator(load_model("bouncing_ball").system, {.method = Method::Cvode}), ModelError);
}

}  // namespace
}  // namespace kane::test

// The example models with changing constraints against expected results, and messages about wrong models.

#include <gtest/gtest.h>

#include <numbers>

#include "kane/base/error.hpp"
#include "kane/formats/yaml/yaml_writer.hpp"
#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

std::size_t output_index(const Model& model, const std::string& name) {
  for (const auto& item : model.system->report_items())
    if (item.name == name) return item.first;
  throw std::runtime_error("no output " + name);
}

// Energy never increases; the Jellett integral, L . (vector from the mass centre to the contact), is constant whatever the
// friction does (Jellett 1872).
TEST(TippeTop, LosesEnergyAndKeepsTheJellettIntegral) {
  const Model model = load_model("tippe_top");
  HybridSimulator sim(model.system, {.tolerance = 1e-8});
  sim.start(sim.assemble(model.initial(), model.given()));
  const std::size_t energy = output_index(model, "E");
  const auto& bodies = model.system->report_items();
  const auto body = std::find_if(bodies.begin(), bodies.end(), [](const ReportItem& i) {
    return i.kind == ReportItem::Kind::Body && i.name == "top";
  });
  ASSERT_NE(body, bodies.end());
  double before = 1e300, jellett = 0;
  const auto report = sim.run({.until = 2.5, .intervals = 250}, [&](const State& s) {
    const auto y = sim.calc_reports(s);
    EXPECT_LE(y[energy], before + 1e-9);
    before = y[energy];
    const auto R = y.subspan(body->first, 9), w = y.subspan(body->first + 9, 3);
    double spin = 0, along[3], L[3];
    for (std::size_t k = 0; k < 3; ++k) along[k] = R[3 * k + 2], spin += w[k] * along[k];
    for (std::size_t k = 0; k < 3; ++k)
      L[k] = 2.9942857142857143e-6 * (w[k] - spin * along[k]) + 3.2e-6 * spin * along[k];
    const double arm[3] = {6e-3 * along[0], 6e-3 * along[1], 6e-3 * along[2] - 20e-3};
    const double now = L[0] * arm[0] + L[1] * arm[1] + L[2] * arm[2];
    if (s.t == 0) jellett = now;
    EXPECT_NEAR(now, jellett, 1e-6 * std::abs(jellett)) << s.t;
    return true;
  });
  ASSERT_FALSE(report.failure) << report.failure->message(model.equations());
}

TEST(Rattleback, SpunTheWrongWayRocksAndSpinsBack) {
  const Model model = load_model("rattleback");
  HybridSimulator sim(model.system, {.tolerance = 1e-8});
  sim.start(model.initial());
  double energy = 0, spin = 0, most = -1e300, least = 1e300, end = 0, before = 1e300;
  const auto report = sim.run({.until = 10, .intervals = 300}, [&](const State& s) {
    const auto values = sim.calc_reports(s);
    for (const auto& item : model.system->report_items()) {
      if (item.name == "E") energy = values[item.first];
      if (item.name == "spin") spin = values[item.first];
    }
    EXPECT_LE(energy, before + 1e-6) << s.t;
    before = energy, most = std::max(most, spin), least = std::min(least, spin), end = s.t;
    return true;
  });
  ASSERT_FALSE(report.failure) << report.failure->message(model.equations());
  EXPECT_EQ(end, 10.0);
  EXPECT_LT(least, -4.9);
  EXPECT_GT(most, 4.5);  // all the energy goes from the spin into rocking and back
}

TEST(Latch, CatchesWithoutReboundAndTearsAtItsLimit) {
  const Model model = load_model("latch");
  const HybridRun run = run_hybrid(model, {}, {.until = 4}, {.tolerance = 1e-10});
  ASSERT_EQ(run.report.events.size(), 2U);
  EXPECT_EQ(run.report.events[0].changes, std::vector<std::string>{"latched imposed"});
  EXPECT_EQ(run.report.events[0].u_after[0], 0.0);
  EXPECT_NEAR(run.report.events[1].t, 2 + 4.0 / 8, 1e-9);  // 8 N*m/s against a limit of 4 N*m
  EXPECT_EQ(run.report.events[1].changes, std::vector<std::string>{"latched released"});
}

TEST(Geneva, TurnsByAQuarterForEveryTurnOfTheCrank) {
  const Model model = load_model("geneva");
  const HybridRun run = run_hybrid(model, {}, {.until = 5}, {.tolerance = 1e-9});
  const State& end = run.last();
  const long turns = std::lround(std::floor((end.q[0] - std::numbers::pi / 4) / (2 * std::numbers::pi))) + 1;
  ASSERT_GT(turns, 2);
  if (end.u[1] == 0) {
    EXPECT_NEAR(std::abs(end.q[1]), static_cast<double>(turns) * std::numbers::pi / 2, 1e-6);
  }
  for (const SwitchRecord& event : run.report.events)  // the pin enters and leaves along the slot: no impact
    EXPECT_NEAR(event.kinetic_after, event.kinetic_before, 1e-6 * event.kinetic_before);
}

TEST(PianoKey, GoesThroughItsStatesOnce) {
  const Model model = load_model("piano_key");
  const HybridRun run = run_hybrid(model, {}, {.until = 0.6}, {.tolerance = 1e-9});
  std::vector<std::string> modes;
  double strike = 0;
  for (const SwitchRecord& event : run.report.events) {
    if (!event.mode.empty() && (modes.empty() || modes.back() != event.mode)) modes.push_back(event.mode);
    for (const auto& [row, impulse] : event.impulses)
      if (row == "string") strike = std::max(strike, impulse);
    EXPECT_LE(event.kinetic_after, event.kinetic_before * (1 + 1e-9) + 1e-12);
  }
  ASSERT_GE(modes.size(), 3U);
  EXPECT_EQ(modes[0], "pushing");
  EXPECT_EQ(modes[1], "flying");
  EXPECT_EQ(modes[2], "checked");
  EXPECT_GT(strike, 0);
  EXPECT_NEAR(run.last().q[0], 0, 1e-6);  // the key is back
}

// A rod that is pushed along a rough floor with its tip forward: finite forces do not exist for enough friction (Painleve).
TEST(Painleve, ThePushedRodStopsByAnImpulseThatTakesEnergy) {
  const Model model = parse_model(R"(
kane: 1
parameters: {mu: 2.5}
gravity: -9.81*N.y
bodies:
  rod: {mass: 1, inertia: [0, 0, 0.333333], points: {tip: [-1, 0, 0]}}
joints:
  free: {type: planar, parent: N, child: rod, coordinates: [x, y, q], speeds: [vx, vy, w]}
contacts:
  floor: {point: rod.tip, plane: N.y, friction: mu}
)");
  int shocks = 0;
  for (const double direction : {-1.0, 1.0}) {
    SystemEvaluator evaluator(model.system);
    SwitchedDynamics dynamics(evaluator);
    evaluator.set_parameters(model.system->calc_parameters({}));
    const double angle = 1.1;
    std::vector<double> q{0, std::sin(angle), angle}, u{3 * direction, 0, 0};
    const TransitionReport report = dynamics.settle(q, u);
    EXPECT_TRUE(report.ok());
    EXPECT_EQ(report.shock, report.kinetic_after < report.kinetic_before - 1e-6);  // it is said when it happens
    shocks += report.shock ? 1 : 0;
    EXPECT_LE(report.kinetic_after, report.kinetic_before + 1e-12);
  }
  EXPECT_EQ(shocks, 1);  // pushed, not pulled
}

TEST(FrictionOscillator, TurnsBackAndStopsWhereTheClosedFormSays) {
  const Model model = load_model("friction_oscillator");
  for (const double mu_s : {0.49, 0.6, 2.2}) {
    const HybridRun run = run_hybrid(model, {{"mu_s", mu_s}}, {.until = 3}, {.tolerance = 1e-10});
    double x = 0.5;
    std::size_t swings = 0;
    for (; std::abs(x) > mu_s * 9.81 / 40; ++swings) x = -(x - std::copysign(2 * 0.49 * 9.81 / 40, x));
    ASSERT_EQ(run.report.events.size(), 1 + swings);
    EXPECT_NEAR(run.report.events.back().t, static_cast<double>(swings) * std::numbers::pi / std::sqrt(40.0), 1e-9);
    EXPECT_NEAR(run.last().q[0], x, 1e-9);
    EXPECT_EQ(run.last().u[0], 0.0);
  }
}

// The same with friction in a joint, and another limit at rest.
TEST(JointFriction, HoldsUntilItsStictionAndStopsWhereTheClosedFormSays) {
  const Model model = parse_model(R"(
kane: 1
parameters: {stiction: 3}
bodies: {arm: {mass: 1, inertia: [0, 0, 0.5]}}
joints: {hinge: {type: revolute, parent: N, child: arm, axis: z, coordinate: q, speed: u, stiffness: 20}}
friction: {bearing: {joint: hinge, limit: 2, stiction: stiction}}
)");
  for (const double stiction : {2.0, 3.0, 7.0}) {
    State initial = model.initial();
    initial.q[0] = 1;
    const HybridRun run = run_hybrid(model, {{"stiction", stiction}}, initial, {.until = 4}, {.tolerance = 1e-10});
    double q = 1;
    int swings = 0;
    for (; std::abs(20 * q) > stiction; ++swings) q = -(q - std::copysign(2 * 2.0 / 20, q));
    EXPECT_GT(swings, 2);
    EXPECT_NEAR(run.last().q[0], q, 1e-9) << stiction;
    EXPECT_EQ(run.last().u[0], 0.0);
    EXPECT_NEAR(run.report.events.back().t, swings * std::numbers::pi / std::sqrt(20 / 0.5), 1e-9);
  }
  State held = model.initial();
  held.q[0] = 0.149;
  EXPECT_EQ(run_hybrid(model, {}, held, {.until = 1}).last().q[0], 0.149);
}

TEST(Compliant, ABallOnHuntAndCrossleysFloorReboundsAsTheLawSays) {
  const Model model = parse_model(R"(
kane: 1
bodies:
  ball: {mass: 1}
joints:
  fall: {type: prismatic, parent: N, child: ball, axis: y, coordinate: y, speed: v}
contacts:
  floor: {gap: y, stiffness: 1e6, dissipation: 0.2}
)");
  State initial = model.initial();
  initial.q[0] = 0.01, initial.u[0] = -0.5;
  const HybridRun run = run_hybrid(model, {}, initial, {.until = 0.2}, {.tolerance = 1e-10});
  // The motion in contact, v dv/dx = -F/m with F = k(x) (1 + a v) and a = 1.5 c (Hunt and Crossley 1975), integrated over
  // the loop: ln((1 + a v1)/(1 - a v2)) = a (v1 + v2), whatever k(x) is. To first order v2/v1 = 1 - c v1.
  const double a = 1.5 * 0.2, v1 = 0.5;
  double low = 0, high = v1;
  for (int i = 0; i < 60; ++i) {
    const double v2 = (low + high) / 2;
    (std::log((1 + a * v1) / (1 - a * v2)) < a * (v1 + v2) ? low : high) = v2;
  }
  EXPECT_NEAR(low, v1 * (1 - 0.2 * v1), 0.01 * v1);
  EXPECT_NEAR(run.last().u[0], low, 1e-7);
}

TEST(Contacts, OfABoxACylinderAndACapsuleTouchWithTheirLowestPoints) {
  const Model model = parse_model(R"(
kane: 1
bodies:
  B: {mass: 1, inertia: [1, 1, 1]}
joints:
  free: {type: free, parent: N, child: B, coordinates: [x, y, z, e1, e2, e3, e4]}
contacts:
  box: {box: B, size: [2, 4, 6], plane: N.z}
  can: {cylinder: B, radius: 1, length: 4, axis: B.z, plane: N.z}
  pill: {capsule: B, radius: 1, length: 4, axis: B.z, plane: N.z}
)");
  const EquationsOfMotion& e = model.equations();
  ASSERT_EQ(e.contacts.size(), 8U + 2 + 2);
  SystemEvaluator evaluator(model.system);
  const double half = 0.3;  // turned by 0.6 about x
  const std::vector<double> q{0, 0, 10, std::sin(half), 0, 0, std::cos(half)}, u(6, 0.0);
  evaluator.calc_constraints(q, u);
  const auto least = [&](std::size_t from, std::size_t to) {
    double m = 1e300;
    for (std::size_t k = from; k < to; ++k)
      m = std::min(m, evaluator.phi()[static_cast<std::size_t>(e.contacts[k].normal)]);
    return m;
  };
  const double s = std::sin(0.6), c = std::cos(0.6);
  EXPECT_NEAR(least(0, 8), 10 - 2 * s - 3 * c, 1e-13);
  EXPECT_NEAR(least(8, 10), 10 - 2 * c - s, 1e-13);
  EXPECT_NEAR(least(10, 12), 10 - 2 * c - 1, 1e-13);
}

TEST(Reader, WritesAndReadsContactsFrictionEventsAndModes) {
  for (const char* name : {"cart_switch", "shopping_cart", "piano_key", "latch", "tippe_top", "block_on_plane"}) {
    const Model model = load_model(name);
    const Model again = parse_model(write_yaml(model.mechanism));
    const EquationsOfMotion &a = model.equations(), &b = again.equations();
    EXPECT_EQ(a.contacts.size(), b.contacts.size());
    EXPECT_EQ(a.frictions.size(), b.frictions.size());
    EXPECT_EQ(a.handles.size(), b.handles.size());
    EXPECT_EQ(a.initial_mode, b.initial_mode);
    ASSERT_EQ(a.switches.size(), b.switches.size());
    for (std::size_t i = 0; i < a.switches.size(); ++i) EXPECT_EQ(a.switches[i].direction, b.switches[i].direction);
  }
}

TEST(Reader, SaysWhatIsWrong) {
  const auto message = [](const std::string& sections) {
    try {
      (void)parse_model(
          "kane: 1\nbodies: {B: {mass: 1}}\njoints: {j: {type: prismatic, parent: N, child: B, coordinate: "
          "q}}\nconstraints: {held: {motion: q', active: false}}\n" +
          sections);
    } catch (const ModelError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const auto expect = [&](const std::string& sections, const std::string& part) {
    EXPECT_NE(message(sections).find(part), std::string::npos) << message(sections);
  };
  expect("contacts: {c: {friction: 0.3}}", "must have one of the keys gap, point");
  expect("contacts: {c: {gap: q, friction: 0.3}}", "nothing can slide there");
  expect("contacts: {c: {gap: q, restitution: 1, law: hooke}}", "newton, poisson or stronge");
  expect("contacts: {c: {sphere: B, plane: N.z}}", "radius");
  expect("contacts: {c: {joint: k}}", "joint 'k', which does not exist");
  expect("contacts: {c: {joint: j}}", "which has none");
  expect("friction: {f: {slip: q'}}", "limit");
  expect("events: {e: {when: q > 1}}", "changes nothing");
  expect("events: {e: {when: q > 1, impose: hold}}", "did you mean 'held'");
  expect("events: {e: {when: q, direction: up, stop: true}}", "rising, falling or both");
  expect("events: {e: {when: q > 1, reset: {p: 0}}}", "not a coordinate, speed or state");
  expect("events: {e: {when: q > 1, to: fast}}", "not a mode");
  expect("modes: {a: {active: [held], initial: true}, b: {initial: true}}", "initial mode");
  expect("handle: {x: {position: q}}", "stiffness");
  expect("contacts: {c: {gap: 0.3*2}}", "the gap of the contact 'c' is always 0.6 m: no coordinate moves");
  expect("contacts: {c: {sphere: B, radius: 0.1, plane: N.x}}", "is always -0.1 m");
  expect("contacts: {c: {gap: 1 - t}}", "time or inputs only");
  expect("contacts: {c: {sphere: B, radius: 0, plane: N.z}}",
         "the radius of the contact 'c' is 0; it must be positive");
  expect("contacts: {c: {gap: q, stiffness: -5}}", "stiffness of the contact 'c' is -5");
  expect("contacts: {c: {gap: q, stiffness: 5, dissipation: -1}}", "must be zero or more");
  expect("events: {e: {when: 3 crosses zero, stop: true}}", "the condition of the event 'e' is always 3");
}

}  // namespace
}  // namespace kane::test

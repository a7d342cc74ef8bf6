// Closed loops at the start: given values are held, others move, however the state is given.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "kane/analysis/evaluation.hpp"
#include "kane/analysis/joint_forces.hpp"
#include "kane/analysis/sensitivity_study.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"
#include "kane/formats/state_file.hpp"
#include "kane/model/simulation.hpp"

namespace kane::test {
namespace {

Model loop_model(const std::string& id, const ModelOptions& options = {}) {
  return read_model(std::string(KANE_SOURCE_DIR) + "/models/" + id + ".yaml", options);
}

/// Angles of coupler and rocker of models/fourbar.yaml by the cosine law; `side`: 1 as in the file, -1 the other closure.
std::pair<double, double> close_fourbar(double q1, double side = 1, double l1 = 0.3, double l2 = 0.9, double l3 = 0.7,
                                        double d = 0.8) {
  const double x = d - l1 * std::cos(q1), y = -l1 * std::sin(q1), r = std::hypot(x, y), line = std::atan2(y, x);
  const double q2 = line + side * std::acos((l2 * l2 + r * r - l3 * l3) / (2 * l2 * r));
  return {q2, std::atan2(l1 * std::sin(q1) + l2 * std::sin(q2), l1 * std::cos(q1) + l2 * std::cos(q2) - d)};
}

TEST(Assembly, ConsistentValuesDoNotMoveInAnyBit) {
  for (const char* id : {"fourbar", "andrews", "bricard", "parallel_cranks", "geneva"}) {
    const Model model = loop_model(id);
    const State given = model.start().state;
    Simulation run(model);
    EXPECT_EQ(run.assembly().warning, "") << id;
    for (std::size_t i = 0; i < given.q.size(); ++i)
      EXPECT_TRUE(!run.start().given.q[i] || run.state().q[i] == given.q[i]) << id << " " << run.columns()[1 + i];
    for (std::size_t i = 0; i < given.u.size(); ++i)
      EXPECT_TRUE(!run.start().given.u[i] || run.state().u[i] == given.u[i]) << id << " speed " << i;
  }
}

TEST(Assembly, ASettingComesBeforeTheModel) {
  for (const double q1 : {-2.0, -0.4, 0.9, 2.2}) {
    const auto [q2, q3] = close_fourbar(q1);
    const Model set = loop_model("fourbar", {.set = {fmt::format("q1={:.17g}", q1)}});
    Simulation a(set), b(loop_model("fourbar"), {.q = {{"q1", q1}}});
    for (Simulation* run : {&a, &b}) {
      EXPECT_EQ(run->value("q1"), q1);
      EXPECT_NEAR(std::remainder(run->value("q2") - q2, 2 * std::numbers::pi), 0, 1e-13) << q1;
      EXPECT_NEAR(std::remainder(run->value("q3") - q3, 2 * std::numbers::pi), 0, 1e-13) << q1;
      EXPECT_EQ(run->value("u1"), 2.0);  // independent, so the model's value stays
      EXPECT_EQ(run->assembly().warning, "");
    }
    const Evaluation at = evaluate(set);
    EXPECT_EQ(at.q, a.state().q);
    EXPECT_EQ(at.u, a.state().u);
    EXPECT_EQ(
        evaluate(loop_model("fourbar"), parse_states(fmt::format("{{\"q\":{{\"q1\":{:.17g}}}}}", q1), "s").states[0]).q,
        a.state().q);
  }
}

TEST(Assembly, ADependentValueMayBeGivenInstead) {
  // s of the slider crank: the crank follows.
  Simulation run(loop_model("slider_crank", {.set = {"s=150 mm", "u_s=-2 m/s"}}));
  EXPECT_EQ(run.value("s"), 0.15);
  EXPECT_EQ(run.value("u_s"), -2.0);
  const double phi = run.value("phi"), r = 0.04, l = 0.14;
  EXPECT_NEAR(r * std::cos(phi) + std::sqrt(l * l - std::pow(r * std::sin(phi), 2)), 0.15, 1e-13);
  // ds/dt by phi
  const double root = std::sqrt(l * l - std::pow(r * std::sin(phi), 2));
  EXPECT_NEAR(run.value("u_phi") * (-r * std::sin(phi) - r * r * std::sin(phi) * std::cos(phi) / root), -2.0, 1e-11);
}

TEST(Assembly, GuessesChooseTheBranchAndMove) {
  const auto [q2, q3] = close_fourbar(0.5, -1);
  Simulation a(loop_model("fourbar", {.guess = {"q2=-1.5", "q3=-1", "u2=0", "u3=0"}}));
  Simulation b(loop_model("fourbar"), {.guess = {{"q2", -1.5}, {"q3", -1}, {"u2", 0}, {"u3", 0}}});
  for (Simulation* run : {&a, &b}) {
    EXPECT_EQ(run->value("q1"), 0.5);
    EXPECT_EQ(run->value("u1"), 2.0);
    EXPECT_NEAR(run->value("q2"), q2, 1e-13);
    EXPECT_NEAR(run->value("q3"), q3, 1e-13);
  }
  EXPECT_THROW(Simulation(loop_model("fourbar"), {.q = {{"q2", 1}}, .guess = {{"q2", 1}}}), ModelError);
  EXPECT_THROW(Simulation(loop_model("fourbar"), {.guess = {{"q4", 1}}}), ModelError);
  EXPECT_THROW((void)loop_model("fourbar", {.guess = {"l1=1"}}), ModelError);
}

std::string refusal(const Model& model, const StartState& state) {
  try {
    Simulation run(model, state);
  } catch (const ModelError& error) {
    return error.message();
  }
  return "";
}

TEST(Assembly, ContradictionsAreRefusedWithTheLoopAndTheGap) {
  const Model model = loop_model("fourbar");
  const std::string q = refusal(model, {.q = {{"q1", 0.5}, {"q2", 0.9}}});
  EXPECT_NE(q.find("q1, q2 contradict each other"), std::string::npos) << q;
  EXPECT_NE(q.find("'loop' (by 0.149"), std::string::npos) << q;
  const std::string u = refusal(model, {.u = {{"u1", 1}, {"u3", 1}}});
  EXPECT_NE(u.find("u1, u3 contradict each other"), std::string::npos) << u;
  const std::string far = refusal(loop_model("slider_crank"), {.q = {{"s", 0.3}}});
  EXPECT_NE(far.find("s cannot be reached"), std::string::npos) << far;
  EXPECT_NE(far.find("'small_end' (by 0.12"), std::string::npos) << far;
  EXPECT_THROW((void)evaluate(model, {.q = {{"q1", 0.5}, {"q2", 0.9}}}), ModelError);
  // Rounding is not a contradiction; it is reported.
  Simulation rounded(model, {.q = {{"q1", 0.5}, {"q2", 0.6292}, {"q3", 1.2945}}});
  EXPECT_EQ(rounded.value("q1"), 0.5);
  EXPECT_NEAR(rounded.value("q2"), close_fourbar(0.5).first, 1e-13);
  EXPECT_NE(rounded.assembly().warning, "");
}

TEST(Assembly, OfTheModelAloneHoldsWhatItCanAndWarns) {
  const std::string nearly = R"yaml(
kane: 1
name: nearly
parameters: {l: 1 m}
bodies:
  A: {mass: 1 kg, inertia: [0, 0, 0.1]}
  B: {mass: 1 kg, inertia: [0, 0, 0.1], points: {end: [3*l, 0, 0]}}
  C: {mass: 1 kg, inertia: [0, 0, 0.1], points: {end: [2.5*l, 0, 0]}}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  b: {type: revolute, parent: A, at: [l, 0, 0], child: B, axis: z, coordinate: q2}
  c: {type: revolute, parent: N, at: [2.8*l, 0, 0], child: C, axis: z, coordinate: q3}
constraints: {loop: {point: B.end, reference: C.end, directions: [N.x, N.y]}}
initial: {q1: 60 deg, q2: -20 deg, q3: 80 deg, u1: 1, u2: 1}
)yaml";
  Simulation run(read_model_text(nearly, "n.yaml"));
  EXPECT_EQ(run.value("q1"), run.start().state.q[0]);
  EXPECT_EQ(run.value("u1"), 1.0);
  EXPECT_NE(run.assembly().warning.find("q1, q2, q3 contradict each other"), std::string::npos)
      << run.assembly().warning;
  EXPECT_NE(run.assembly().warning.find("'loop' (by"), std::string::npos);
}

/// Chains closed to the ground: any single value may be given, and is held, with speeds.
TEST(Assembly, RandomLoops) {
  std::mt19937_64 engine(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 12; ++trial) {
    const int n = 4 + trial % 3;  // links: n - 2 degrees of freedom
    std::string text = "kane: 1\nname: loop\nbodies:\n", joints = "joints:\n", guess;
    double x = 0, y = 0, angle = 0;
    for (int i = 1; i <= n; ++i) {
      const double l = 0.7 + 0.4 * uniform(engine), q = (i % 2 == 0 ? 1.2 : -0.9) + 0.3 * uniform(engine);
      angle += q, x += l * std::cos(angle), y += l * std::sin(angle);
      text += fmt::format("  L{}: {{mass: 1 kg, inertia: [0, 0, 0.1], points: {{E{}: [{}, 0, 0]}}}}\n", i, i, l);
      joints += fmt::format(
          "  J{0}: {{type: revolute, parent: {1}, {2}child: L{0}, axis: z, coordinate: q{0}, speed: u{0}}}\n", i,
          i == 1 ? "N" : fmt::format("L{}", i - 1), i == 1 ? "" : fmt::format("at: E{}, ", i - 1));
      guess += fmt::format("{}q{}: {}", i == 1 ? "" : ", ", i, q);
    }
    text +=
        joints + fmt::format("points: {{wall: {{on: N, at: [{:.17g}, {:.17g}, 0]}}}}\n", x, y) +
        fmt::format("constraints: {{loop: {{point: E{}, reference: wall, directions: [N.x, N.y]}}}}\nguess: {{{}}}\n",
                    n, guess);
    const Model model = read_model_text(text, "loop.yaml");
    const State origin = model.start().state;
    for (int k = 0; k < n; ++k) {
      const std::string q = fmt::format("q{}", k + 1), u = fmt::format("u{}", (k + 1) % n + 1);
      const double value = origin.q[static_cast<std::size_t>(k)] + 0.05 * uniform(engine);
      Simulation run(model, {.q = {{q, value}}, .u = {{u, 0.5}}});
      EXPECT_EQ(run.value(q), value);
      EXPECT_EQ(run.value(u), 0.5);
      const ConstraintResiduals open = run.simulator().calc_residuals(run.state());
      EXPECT_LT(open.configuration, 1e-13);
      EXPECT_LT(open.motion, 1e-12);
    }
  }
}

/// A run with everything as it is, or one value changed.
double end_of(const std::string& id, const std::vector<std::string>& set, const std::string& name, double until) {
  Simulation run(loop_model(id, {.set = set}), {}, {.tolerance = 1e-12});
  EXPECT_EQ(run.run({.until = until, .intervals = 1}).status, RunStatus::Done);
  return run.value(name);
}

/// Derivatives of whole runs, the start's assembly included, against differences of whole runs.
TEST(Assembly, SensitivityDifferentiatesIt) {
  struct Row {
    const char* model;
    std::vector<std::string> by;
    const char* output;
    double until;
  };
  for (const Row& row : {Row{"fourbar", {"l1", "d", "q1", "q3", "u1", "u3", "m2"}, "q3", 0.4},
                         Row{"slider_crank", {"r", "l", "phi", "u_phi", "s"}, "s", 0.02},
                         Row{"bennett", {"q1", "u1", "m"}, "q2", 0.3}}) {
    const Model model = loop_model(row.model);
    SensitivityStudyOptions options;
    options.parameters = row.by, options.outputs = {row.output};
    options.until = row.until, options.tolerance = 1e-12, options.output_step = row.until;
    SensitivityStudy study(model, {}, options);
    const SensitivityReport report = study.run({});
    ASSERT_EQ(report.failure, "") << row.model;
    for (std::size_t k = 0; k < row.by.size(); ++k) {
      const double p = report.values[k], h = 3e-5 * std::max(std::abs(p), 0.3);
      const auto at = [&](double x) {
        return end_of(row.model, {fmt::format("{}={:.17g}", row.by[k], x)}, row.output, row.until);
      };
      const double difference = (at(p - 2 * h) - at(p + 2 * h) + 8 * (at(p + h) - at(p - h))) / (12 * h);
      EXPECT_NEAR(report.last(0, k), difference, 2e-7 * std::max(1.0, std::abs(difference)))
          << row.model << " by " << row.by[k];
    }
  }
}

/// A five-bar loop with nothing given: the nearest configuration to the guess follows the lengths with its curvature; and
/// an initial value written with a parameter.
TEST(Assembly, SensitivityOfTheNearestConfiguration) {
  const std::string text = R"yaml(
kane: 1
name: fivebar
parameters: {l: 1 m, d: 2 m, c: 0.3, g: 9.81 m/s^2}
gravity: -g*N.y
bodies:
  A: {mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0, 0.1]}
  B: {mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0, 0.1], points: {end: [l, 0, 0]}}
  C: {mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0, 0.1]}
  D: {mass: 1 kg, com: [0.5, 0, 0], inertia: [0, 0, 0.1], points: {end: [1.2, 0, 0]}}
joints:
  a: {type: revolute, parent: N, child: A, axis: z, coordinate: q1}
  b: {type: revolute, parent: A, at: [l, 0, 0], child: B, axis: z, coordinate: q2}
  c: {type: revolute, parent: N, at: [d, 0, 0], child: C, axis: z, coordinate: q3}
  d: {type: revolute, parent: C, at: [1.1, 0, 0], child: D, axis: z, coordinate: q4}
constraints: {loop: {point: B.end, reference: D.end, directions: [N.x, N.y]}}
initial: {u1: 1 + 2*c}
guess: {q1: 3*c, q2: 0.2, q3: 1.5, q4: 0.9, u3: 0.4}
)yaml";
  SensitivityStudyOptions options;
  options.parameters = {"l", "d", "c"}, options.outputs = {"q1", "q3"};
  options.until = 0.3, options.tolerance = 1e-12, options.output_step = 0.3;
  SensitivityStudy study(read_model_text(text, "f.yaml"), {}, options);
  const SensitivityReport report = study.run({});
  ASSERT_EQ(report.failure, "");
  for (std::size_t k = 0; k < 3; ++k) {
    const auto at = [&](double x, const char* name) {
      Simulation run(read_model_text(text, "f.yaml", {.set = {fmt::format("{}={:.17g}", options.parameters[k], x)}}),
                     {}, {.tolerance = 1e-12});
      (void)run.run({.until = 0.3, .intervals = 1});
      return run.value(name);
    };
    const double p = report.values[k], h = 1e-3 * p;
    for (const std::size_t i : {0U, 1U}) {
      const char* name = options.outputs[i].c_str();
      const double difference =
          (at(p - 2 * h, name) - at(p + 2 * h, name) + 8 * (at(p + h, name) - at(p - h, name))) / (12 * h);
      EXPECT_NEAR(report.last(i, k), difference, 2e-6 * std::max(1.0, std::abs(difference)))
          << name << " by " << options.parameters[k];
    }
  }
}

TEST(Assembly, AQuaternionOfSomeNumbersIsHeld) {
  // The squares of e1 and e4 add up to one, so the disk is tilted by 1.2 rad, and its centre at r sin(1.2).
  const Model model = read_model_text(R"yaml(
kane: 1
parameters: {r: 0.3 m}
gravity: -9.81*N.z
bodies: {D: {mass: 2, inertia: [0.045, 0.045, 0.09]}}
joints: {f: {type: free, parent: N, child: D, coordinates: [x, y, z, e1, e2, e3, e4]}}
constraints:
  rim: {touching: D, on: N, contact: "r*(D.z*dot(D.z, N.z) - N.z)/sqrt(1 - dot(D.z, N.z)^2)", normal: N.z}
initial: {e1: sin(0.6), e4: cos(0.6)}
)yaml",
                                      "disk.yaml");
  Simulation run(model);
  EXPECT_EQ(run.assembly().warning, "");
  EXPECT_EQ(run.value("e1"), std::sin(0.6));
  EXPECT_EQ(run.value("e4"), std::cos(0.6));
  EXPECT_NEAR(run.value("z"), 0.3 * std::sin(1.2), 1e-13);
}

TEST(Assembly, ANameGivenTwiceInAStateIsAnError) {
  EXPECT_EQ(parse_states(R"({"q": {"x": 1}, "u": {"x": 2}})", "state.json").states.size(), 1U);
  for (const char* text :
       {R"({"q": {"x": 1, "x": 2}})", R"({"q": {}, "q": {"x": 2}})", R"([{"t": 0}, {"t": 0, "t": 1}])"})
    EXPECT_THROW((void)parse_states(text, "state.json"), ModelError) << text;
}

}  // namespace
}  // namespace kane::test

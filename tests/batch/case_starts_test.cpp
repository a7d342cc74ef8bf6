// Starts of cases that are kept from case to case, against those that Model::start() makes anew: the same bits, the same refusals.

#include "kane/batch/case_starts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

/// Masses, inertias and initial values that follow from others; a table; an input; a joint with damping.
const char* const kDouble = R"(
kane: 1
name: double
parameters: {m: 1 kg, l: 0.5 m, J: m*l^2/12, J2: J/3 + 0.1*m*l^2, g: 9.81 m/s^2, mu: 0.1 N*m*s, c: 2 N*m/kg, lo: 0.3 m, mo: 1 kg, to: 2 s, w: 1/(m/mo - 4)}
inputs: {T: 0 N*m}
gravity: -g*N.y
bodies:
  a: {mass: m, com: [0, -l/2, 0], inertia: [J, J, J]}
  b: {mass: 1, com: [0, -0.2, 0], inertia: [0.01, 0.01, J2]}
joints:
  first: {type: revolute, parent: N, child: a, axis: z, coordinate: q1, speed: w1, damping: mu, actuator: T}
  second: {type: revolute, parent: a, at: [0, -l, 0], child: b, axis: z, coordinate: q2, stiffness: c*m}
initial: {q1: l/lo/3 + sin(m/mo), q2: 0.3, w1: 7*J2/J/to}
simulate: {until: 1 s}
)";

void expect_same_starts(const Model& model, std::vector<StudyVariable> variables, const SweepOptions& options,
                        bool whole = false) {
  StudyOptions study;
  study.variables = std::move(variables);
  study.runs = 20;
  const Sweep sweep(model, Study(study), {{"", "end(q1)", {}}}, options);
  CaseStarts starts(sweep, sweep.model());
  for (std::uint64_t k = 0; k < 20; ++k) {
    std::vector<double> values(sweep.targets().size());
    sweep.study().calc_values(k, values);
    StartState state = options.start;
    SimulationOptions simulation;
    sweep.set_case(values, state, simulation);
    const Start expected = sweep.model().start(state);
    const Start& start = starts.start(values);
    EXPECT_EQ(start.state.q, expected.state.q) << k;
    EXPECT_EQ(start.state.u, expected.state.u) << k;
    EXPECT_EQ(start.state.t, expected.state.t) << k;
    EXPECT_EQ(start.parameters, expected.parameters) << k;
    EXPECT_EQ(start.inputs, expected.inputs) << k;
    EXPECT_EQ(start.given.q, expected.given.q) << k;
    EXPECT_EQ(starts.parameters(), sweep.model().system()->calc_parameters(expected.parameters)) << k;
  }
  EXPECT_EQ(starts.whole(), whole);
}

StudyVariable range(const char* name, const char* text) { return parse_study_variable(name, text); }

TEST(CaseStarts, GiveTheBitsOfTheWholeWay) {
  const Model model = read_model_text(kDouble, "test.yaml");
  expect_same_starts(model, {range("mu", "0.1..0.2")}, {});
  expect_same_starts(model, {range("m", "0.5..2"), range("l", "0.3..0.9")}, {});
  expect_same_starts(model, {range("l", "0.3..0.9"), range("q2", "-1..1"), range("T", "0..3")}, {});
  expect_same_starts(model, {range("q1", "-1..1"), range("m", "0.5..2")}, {});
  SweepOptions given;
  given.start.parameters["J"] = 0.07;
  given.start.q["q1"] = 0.4;
  given.start.t = 0.25;
  expect_same_starts(model, {range("m", "0.5..2"), range("l", "0.3..0.9")}, given);
}

TEST(CaseStarts, RefuseWhatTheWholeWayRefuses) {
  const Model model = read_model_text(kDouble, "test.yaml");
  StudyOptions study;
  study.variables = {range("m", "{1, 2, -1, 1.5}")};
  const Sweep sweep(model, Study(study), {{"", "end(q1)", {}}}, {});
  CaseStarts starts(sweep, sweep.model());
  const auto message = [&](double m) {
    std::string whole, kept;
    StartState state;
    state.parameters["m"] = m;
    try {
      (void)sweep.model().start(state);
    } catch (const ModelError& error) {
      whole = error.message();
    }
    try {
      (void)starts.start(std::span(&m, 1));
    } catch (const ModelError& error) {
      kept = error.message();
    }
    EXPECT_EQ(whole, kept);
    return kept;
  };
  EXPECT_EQ(message(1), "");
  EXPECT_EQ(message(2), "");
  EXPECT_FALSE(starts.whole());
  EXPECT_NE(message(-1).find("negative"), std::string::npos);
  EXPECT_EQ(message(1.5), "");
  for (const double m : {4.0, std::nan("")}) EXPECT_THROW((void)starts.start(std::span(&m, 1)), ModelError) << m;
}

}  // namespace
}  // namespace kane

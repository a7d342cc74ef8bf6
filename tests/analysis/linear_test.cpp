// Linear models, modes, frequency response and ranks against closed forms, published values and differences.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/analysis/equilibrium.hpp"
#include "kane/analysis/frequency_response.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/mechanics/linearize.hpp"
#include "kane/solve/dense.hpp"
#include "tests/analysis/systems.hpp"

namespace kane::test {
namespace {

using Complex = std::complex<double>;

/// Meijaard et al. 2007, table 2: castering, capsize, and the pair of weave.
TEST(LinearModel, BenchmarkBicycle) {
  struct Row {
    double v;
    Complex a, b, c;
  };
  const std::vector<Row> table{{1, -7.11008014637442, -3.13423125066578, {3.52696170990070, 0.80774027519930}},
                               {3, -10.35101467245920, -2.63366137253667, {1.70675605663975, 2.31582447384325}},
                               {5, -14.07838969279822, -0.32286642900409, {-0.77534188219585, 4.46486771378823}},
                               {10, -24.62459635017404, 0.16105338653172, {-3.72016840437287, 10.90681139476287}}};
  Subject s = load("bicycle_nonlinear");
  Linearizer linearizer(*s.evaluator, {.outputs = {}, .only = {"phi", "delta", "u_phi", "u_delta"}});
  for (const auto& row : table) {
    State at = s.state;
    for (double& u : at.u) u = 0;
    at.u[s.u("u_tR")] = -row.v / 0.3;
    GivenValues held{std::vector<bool>(at.q.size(), false), std::vector<bool>(at.u.size(), false)};
    for (const char* name : {"u_tR", "u_phi", "u_delta"}) held.u[s.u(name)] = true;
    ASSERT_TRUE(assemble(*s.evaluator, at, held).ok);
    const auto values = calc_modes(linearizer.calc(at).a).eigenvalues;
    for (const Complex wanted : {row.a, row.b, row.c, std::conj(row.c)}) {
      double nearest = 1e9;
      for (const auto& x : values) nearest = std::min(nearest, std::abs(x - wanted));
      EXPECT_LT(nearest, 1e-10) << row.v << " " << wanted;
    }
  }
}

/// A and B of a constrained system against differences of the accelerations along the constraints.
TEST(LinearModel, FourBarAgreesWithDifferences) {
  Subject s = load("fourbar");
  const State at = s.assembled();
  Linearizer linearizer(*s.evaluator);
  const LinearModel m = linearizer.calc(at);
  ASSERT_EQ(m.states, (std::vector<std::string>{"q1", "u1"}));
  std::vector<double> qdot(3), udot(3);
  const auto acceleration = [&](double dq, double du, double dr) {
    State moved = at;
    moved.q[0] += dq, moved.u[0] += du;
    const GivenValues held{{true, false, false}, {true, false, false}};
    EXPECT_TRUE(assemble(*s.evaluator, moved, held).ok);
    s.evaluator->set_inputs(std::vector<double>{dr}, 0);
    EXPECT_TRUE(s.evaluator->calc_motion(moved.q, moved.u, qdot, udot).ok());
    s.evaluator->set_inputs(std::vector<double>{0}, 0);
    return udot[0];
  };
  constexpr double h = 1e-5;
  const auto central = [&](auto&& f) { return (f(h) - f(-h)) / (2 * h); };
  EXPECT_NEAR(m.a(1, 0), central([&](double x) { return acceleration(x, 0, 0); }), 1e-6);
  EXPECT_NEAR(m.a(1, 1), central([&](double x) { return acceleration(0, x, 0); }), 1e-7);
  EXPECT_NEAR(m.b(1, 0), central([&](double x) { return acceleration(0, 0, x); }), 1e-7);
}

/// Bricard's linkage, one of whose five constraints is redundant wherever it is closed: the linear equations in symbols
/// and those in numbers against differences of the accelerations along the one way it can move.
TEST(LinearModel, BricardAgreesWithDifferences) {
  Subject s = load("bricard");
  GivenValues held{std::vector<bool>(5, false), std::vector<bool>(5, false)};
  held.q[3] = held.u[3] = true;
  const auto place = [&](double q4, double u4) {
    State at = s.state;
    at.q[3] = q4, at.u[3] = u4;
    EXPECT_TRUE(assemble(*s.evaluator, at, held).ok);
    return at;
  };
  for (const double q4 : {0.0, -0.4}) {
    const State at = place(q4, 0.7);
    FormOptions form;
    form.formulation = Formulation::Projection, form.embedding = EmbeddingMethod::Projection, form.solve = false;
    const EquationsOfMotion e = form_equations(s.mechanism, form);
    LinearizeOptions options;
    options.solve_accelerations = true;
    options.dependent_coordinates = {"q1", "q2", "q3", "q5"};
    for (std::size_t k = 0; k < 5; ++k) {
      options.nominal[e.q[k].name()] = e.graph->number(rational_from_double(at.q[k]));
      options.nominal[e.u[k].name()] = e.graph->number(rational_from_double(at.u[k]));
    }
    options.parameters = {{"l", 1}, {"m", 1}, {"g", 9.81}};
    const Linearization l = linearize(e, options);
    ASSERT_EQ(l.size(), 2);
    const auto a = evaluate(l.A.entries, {{"l", 1}, {"m", 1}, {"g", 9.81}});
    std::vector<double> qdot(5), udot(5);
    const auto acceleration = [&](double dq, double du) {
      const State moved = place(q4 + dq, 0.7 + du);
      EXPECT_TRUE(s.evaluator->calc_motion(moved.q, moved.u, qdot, udot).ok());
      return udot[3];
    };
    constexpr double h = 1e-5;
    const double by_q = (acceleration(h, 0) - acceleration(-h, 0)) / (2 * h);
    const double by_u = (acceleration(0, h) - acceleration(0, -h)) / (2 * h);
    ASSERT_EQ(l.coordinates[0].name(), "q4");
    ASSERT_EQ(l.speeds[0].name(), "u4");
    EXPECT_NEAR(a[2], by_q, 1e-5) << q4;
    EXPECT_NEAR(a[3], by_u, 1e-5) << q4;
  }
}

TEST(LinearModel, WhatDependsCannotBeAskedForAlone) {
  Subject s = load("fourbar");
  Linearizer linearizer(*s.evaluator, {.outputs = {}, .only = {"q1", "q2", "u1"}});
  EXPECT_THROW((void)linearizer.calc(s.assembled()), ModelError);
  EXPECT_THROW(Linearizer(*s.evaluator, {.outputs = {}, .only = {"q9"}}), ModelError);
}

class Oscillator : public ::testing::Test {
 protected:
  // m x'' + b x' + k x = F; output x, and its acceleration.
  Oscillator()
      : s(parse_yaml(R"(
kane: 1
name: oscillator
parameters: {m: 2 kg, k: 50 N/m, b: 3 N*s/m}
inputs: {F: 0 N}
bodies: {B: {mass: m}}
joints: {slide: {type: prismatic, parent: N, child: B, axis: x, coordinate: x, stiffness: k, damping: b, actuator: F}}
)")) {
    const auto& e = s.equations();
    Linearizer linearizer(*s.evaluator, {.outputs = {parse_signal(e, "x"), parse_signal(e, "u_x'")}, .only = {}});
    model = linearizer.calc(s.state);
  }
  Subject s;
  LinearModel model;
};

TEST_F(Oscillator, FrequencyResponse) {
  const auto omega = log_spaced(0.1, 100, 61);
  const auto x = calc_frequency_response(model, 0, 0, omega), a = calc_frequency_response(model, 1, 0, omega);
  for (std::size_t k = 0; k < omega.size(); ++k) {
    const double w = omega[k];
    const Complex h = 1.0 / Complex(50 - 2 * w * w, 3 * w);
    EXPECT_LT(std::abs(x[k].response - h), 1e-13 * std::abs(h) + 1e-16);
    EXPECT_LT(std::abs(a[k].response + w * w * h), 1e-12 * (1 + std::abs(w * w * h)));
  }
  EXPECT_LT(x.back().phase, -170);
  EXPECT_GT(x.back().phase, -180);
  // The static gain is a phase margin of its own kind: |H| < 1 everywhere, so there is no crossing.
  EXPECT_FALSE(calc_margins(x).phase);
}

TEST_F(Oscillator, ModesAndZeros) {
  const ModeReport modes = calc_modes(model.a);
  ASSERT_EQ(modes.modes.size(), 1U);
  EXPECT_NEAR(modes.modes[0].natural_frequency, 5, 1e-13);
  EXPECT_NEAR(modes.modes[0].damping, 3 / (2 * std::sqrt(100.0)), 1e-13);
  EXPECT_NEAR(modes.modes[0].participation[0], 0.5, 1e-9);
  EXPECT_TRUE(calc_zeros(model, 0, 0).empty());
  const auto zeros = calc_zeros(model, 1, 0);  // the acceleration has two at the origin
  ASSERT_EQ(zeros.size(), 2U);
  for (const auto& z : zeros) EXPECT_LT(std::abs(z), 1e-6);
}

/// A = T J T^-1 with Jordan blocks; the projectors are known from T alone.
TEST(Modes, ParticipationOfDefectiveEigenvalues) {
  Matrix drift(2, 2);
  drift(0, 1) = 1;
  const ModeReport free = calc_modes(drift);
  ASSERT_EQ(free.modes.size(), 2U);
  for (const Mode& m : free.modes)
    for (const double p : m.participation) EXPECT_NEAR(p, 0.5, 1e-9);
  EXPECT_EQ(free.zero, 2);

  constexpr std::size_t n = 5;  // a chain of two zeros, a chain of two at -3, and -1
  const double t[n][n] = {{2, 1, 0, -1, 0}, {0, 1, 3, 0, 1}, {1, 0, 1, 0, 0}, {0, 2, 0, 1, 1}, {1, 0, 0, 0, 4}};
  Matrix tm(n, n), inverse(n, n), j(n, n), a(n, n);
  j(0, 1) = 1, j(2, 3) = 1, j(2, 2) = j(3, 3) = -3, j(4, 4) = -1;
  Lu lu(n);
  const MatrixView to = lu.prepare(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k) tm(i, k) = to(i, k) = t[i][k];
  ASSERT_TRUE(lu.factor().ok());
  for (std::size_t k = 0; k < n; ++k) {
    std::vector<double> e(n, 0.0);
    e[k] = 1;
    lu.solve(e);
    for (std::size_t i = 0; i < n; ++i) inverse(i, k) = e[i];
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t r = 0; r < n; ++r)
        for (std::size_t s = 0; s < n; ++s) a(i, k) += tm(i, r) * j(r, s) * inverse(s, k);
  const ModeReport modes = calc_modes(a);
  for (const Mode& m : modes.modes) {
    const double re = m.eigenvalue.real();
    const std::vector<std::size_t> members = re > -0.5   ? std::vector<std::size_t>{0, 1}
                                             : re > -2.0 ? std::vector<std::size_t>{4}
                                                         : std::vector<std::size_t>{2, 3};
    std::vector<double> expected(n, 0.0);
    double sum = 0;
    for (std::size_t k = 0; k < n; ++k) {
      for (const std::size_t c : members) expected[k] += tm(k, c) * inverse(c, k);
      expected[k] = std::abs(expected[k]), sum += expected[k];
    }
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(m.participation[k], expected[k] / sum, 1e-7) << re << " " << k;
  }
}

TEST_F(Oscillator, UndampedPolesLagAndUndampedZerosLead) {
  // y = x1 of two unit masses, x1'' = -2 x1 + x2 + F, x2'' = x1 - 2 x2: zeros at 1.414 i, poles at 1 i and 1.732 i.
  LinearModel m;
  m.states = {"x1", "x2", "u1", "u2"}, m.inputs = {"F"}, m.outputs = {"y"};
  m.a = Matrix(4, 4), m.b = Matrix(4, 1), m.c = Matrix(1, 4), m.d = Matrix(1, 1);
  m.a(0, 2) = m.a(1, 3) = 1, m.a(2, 0) = m.a(3, 1) = -2, m.a(2, 1) = m.a(3, 0) = 1, m.b(2, 0) = 1, m.c(0, 0) = 1;
  const std::vector<double> omega{0.5, 1.2, 1.6, 3, 10};
  const double phase[] = {0, -180, 0, -180, -180};
  const auto points = calc_frequency_response(m, 0, 0, omega);
  for (std::size_t k = 0; k < omega.size(); ++k) EXPECT_NEAR(points[k].phase, phase[k], 1e-6) << omega[k];
  // A pole and a zero in one interval turn it there and back.
  const std::vector<double> coarse{0.5, 1.2, 3};
  EXPECT_NEAR(calc_frequency_response(m, 0, 0, coarse)[2].phase, -180, 1e-6);
  EXPECT_FALSE(calc_margins(points).gain.has_value());
}

TEST_F(Oscillator, MarginsOfAnIntegratorWithLags) {
  // 8 / (s (s + 1) (s + 4)): gain margin 20 / 8 at 2 rad/s; phase margin from |H| = 1.
  LinearModel m;
  m.states = {"a", "b", "c"}, m.inputs = {"r"}, m.outputs = {"y"};
  m.a = Matrix(3, 3), m.b = Matrix(3, 1), m.c = Matrix(1, 3), m.d = Matrix(1, 1);
  m.a(0, 1) = 1, m.a(1, 1) = -1, m.a(1, 2) = 1, m.a(2, 2) = -4, m.b(2, 0) = 8, m.c(0, 0) = 1;
  const auto points = calc_frequency_response(m, 0, 0, log_spaced(0.01, 100, 4000));
  const Margins margins = calc_margins(points);
  ASSERT_TRUE(margins.gain && margins.phase);
  EXPECT_NEAR(*margins.gain, 2.5, 1e-4);
  EXPECT_NEAR(*margins.gain_omega, 2, 1e-4);
  const double w = *margins.phase_omega;
  EXPECT_NEAR(8 / (w * std::hypot(w, 1) * std::hypot(w, 4)), 1, 1e-4);
  EXPECT_NEAR(*margins.phase, 90 - (std::atan(w) + std::atan(w / 4)) * 180 / 3.14159265358979, 1e-2);
}

TEST(Controllability, RanksOfPendulums) {
  // A cart with two equal pendulums: what their difference does, no force on the cart can change. With different lengths
  // everything can be reached.
  const auto text = [](double l2) {
    return fmt::format(R"(
kane: 1
name: two_pendulums
parameters: {{l1: 0.5 m, l2: {} m, g: 9.81 m/s^2}}
inputs: {{F: 0 N}}
gravity: -g*N.y
bodies: {{cart: {{mass: 3}}, A: {{}}, B: {{}}}}
particles: {{P: {{mass: 1, on: A, at: [0, -l1, 0]}}, Q: {{mass: 1, on: B, at: [0, -l2, 0]}}}}
joints:
  rail: {{type: prismatic, parent: N, child: cart, axis: x, coordinate: x, actuator: F}}
  a: {{type: revolute, parent: cart, child: A, axis: z, coordinate: qa}}
  b: {{type: revolute, parent: cart, child: B, axis: z, coordinate: qb}}
)",
                       l2);
  };
  for (const auto& [l2, rank] : {std::pair{0.5, 4U}, {0.7, 6U}}) {
    Subject s = parse_yaml(text(l2));
    Linearizer linearizer(*s.evaluator, {.outputs = {parse_signal(s.equations(), "x")}, .only = {}});
    const LinearModel m = linearizer.calc(s.state);
    EXPECT_EQ(calc_controllability(m.a, m.b).rank, rank);
    EXPECT_EQ(calc_observability(m.a, m.c).rank, rank);
  }
}

TEST(Signals, NamesExpressionsAndMistakes) {
  Subject s = parse_yaml(kPendulum);
  SignalEvaluator signals(*s.evaluator, {parse_signal(s.equations(), "P.x^2 + P.y^2"),
                                         parse_signal(s.equations(), "energy"), parse_signal(s.equations(), "2*x")});
  const std::vector<double> q{0.3}, u{2}, zero{0}, none{};
  const auto v = signals.calc(q, u, zero, none);
  EXPECT_NEAR(v[0], 0.25, 1e-15);
  EXPECT_NEAR(v[1], 0.5 * 2 * 1 * 1 - 2 * 9.81 * 0.5 * std::cos(0.3), 1e-12);
  EXPECT_NEAR(v[2], std::sin(0.3), 1e-15);
  EXPECT_THROW((void)parse_signal(s.equations(), "P.q"), ModelError);
}

// Two masses in a row, the first one driven: x1/F has zeros where the second one swings against its spring, sqrt(k2/m2), and
// x1 stands still there.
TEST(FrequencyResponse, TwoMassesHaveAnAntiResonance) {
  Subject s = parse_yaml(R"(
kane: 1
name: two_masses
parameters: {m1: 2 kg, m2: 0.5 kg, k1: 300 N/m, k2: 120 N/m, c1: 1.5 N*s/m}
inputs: {F: 0 N}
bodies: {A: {mass: m1}, B: {mass: m2}}
joints:
  a: {type: prismatic, parent: N, child: A, axis: x, coordinate: x1, stiffness: k1, damping: c1, actuator: F}
  b: {type: prismatic, parent: A, child: B, axis: x, coordinate: x2, stiffness: k2}
)");
  Linearizer linearizer(*s.evaluator,
                        {.outputs = {parse_signal(s.equations(), "x1"), parse_signal(s.equations(), "x1 + x2")}});
  const LinearModel model = linearizer.calc(s.state);
  const double notch = std::sqrt(120 / 0.5);
  const std::vector<double> omega = {1, 5, 10.2, notch, 18.6, 100};
  const auto x1 = calc_frequency_response(model, 0, 0, omega), x = calc_frequency_response(model, 1, 0, omega);
  for (std::size_t k = 0; k < omega.size(); ++k) {
    // (k1 + k2 - m1 w^2 + i c1 w) x1 - k2 x = F,  -k2 x1 + (k2 - m2 w^2) x = 0
    const double w = omega[k], second = 120 - 0.5 * w * w;
    const Complex det = Complex(420 - 2 * w * w, 1.5 * w) * second - 120.0 * 120.0;
    EXPECT_LT(std::abs(x1[k].response - second / det), 1e-13) << w;
    EXPECT_LT(std::abs(x[k].response - 120.0 / det), 1e-13) << w;
  }
  const auto zeros = calc_zeros(model, 0, 0);
  ASSERT_EQ(zeros.size(), 2U);
  for (const Complex& z : zeros) EXPECT_LT(std::abs(z - Complex(0, z.imag() > 0 ? notch : -notch)), 1e-11);
  EXPECT_TRUE(calc_zeros(model, 1, 0).empty());
}

TEST(FrequencyResponse, BadLimits) {
  EXPECT_THROW((void)log_spaced(0, 1, 10), ModelError);
  EXPECT_THROW((void)log_spaced(2, 1, 10), ModelError);
  EXPECT_THROW((void)log_spaced(1, 2, 1), ModelError);
}

}  // namespace
}  // namespace kane::test

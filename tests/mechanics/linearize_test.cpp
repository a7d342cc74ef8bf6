// Linearization against the benchmark bicycle, closed forms and finite differences of the nonlinear equations.

#include "kane/mechanics/linearize.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>

#include "bicycle.hpp"
#include "kane/base/error.hpp"

namespace kane::test {
namespace {

using Complex = std::complex<Number>;

// ---- the nonlinear system as a function of the independent variables --------------------------------------------------------

class Nonlinear {
 public:
  Nonlinear(const EquationsOfMotion& e, const Linearization& l, NumberMap at) : e_(e), l_(l), at_(std::move(at)) {}

  /// Derivatives of the independent coordinates and speeds where these have the values x and the inputs r.
  std::vector<Number> operator()(const std::vector<Number>& x, const std::vector<Number>& r) const {
    NumberMap v = at_;
    std::size_t i = 0;
    for (const Expr& q : l_.coordinates) v[q.name()] = x[i++];
    for (const Expr& u : l_.speeds) v[u.name()] = x[i++];
    for (std::size_t k = 0; k < r.size(); ++k) v[l_.inputs[k].name()] = r[k];
    close_configuration(v);
    close_motion(v);
    std::vector<Number> result;
    const std::vector<Number> qdot = calc(e_.qdot, v);
    for (const Expr& q : l_.coordinates) result.push_back(qdot[place(e_.q, q)]);
    const auto& M = e_.embedded ? e_.embedded->M : e_.M;
    const auto& rhs = e_.embedded ? e_.embedded->rhs : e_.rhs;
    for (const Number a : solve(calc(M, v), calc(rhs, v))) result.push_back(a);
    return result;
  }

  /// Dependent coordinates by Newton's method.
  void close_configuration(NumberMap& v) const {
    std::vector<Expr> phi, dependent;
    for (const ConstraintEquation& c : e_.constraints) {
      if (c.phi && !c.redundant) phi.push_back(*c.phi);
    }
    if (phi.empty()) return;
    for (const Expr& q : e_.q) {
      if (std::find(l_.coordinates.begin(), l_.coordinates.end(), q) == l_.coordinates.end()) dependent.push_back(q);
    }
    ASSERT_EQ(phi.size(), dependent.size());
    const Jacobian J = jacobian(phi, dependent);
    for (int iteration = 0; iteration < 30; ++iteration) {
      std::vector<Number> a;
      for (int i = 0; i < J.rows; ++i) {
        for (int j = 0; j < J.columns; ++j) a.push_back(calc(J.at(i, j), v));
      }
      const std::vector<Number> step = solve(a, calc(phi, v));
      for (std::size_t j = 0; j < step.size(); ++j) v[dependent[j].name()] -= step[j];
    }
  }

 private:
  static std::size_t place(const std::vector<Expr>& list, const Expr& e) {
    return static_cast<std::size_t>(std::find(list.begin(), list.end(), e) - list.begin());
  }

  void close_motion(NumberMap& v) const {
    if (!e_.embedded) return;
    const EmbeddedEquations& m = *e_.embedded;
    const std::vector<Number> D = calc(m.D, v), E = calc(m.E, v);
    for (std::size_t i = 0; i < m.dependent.size(); ++i) {
      Number sum = E[i];
      for (std::size_t j = 0; j < m.independent.size(); ++j) {
        sum += D[i * m.independent.size() + j] * v.at(e_.u[static_cast<std::size_t>(m.independent[j])].name());
      }
      v[e_.u[static_cast<std::size_t>(m.dependent[i])].name()] = sum;
    }
  }

  const EquationsOfMotion& e_;
  const Linearization& l_;
  NumberMap at_;
};

/// df/dx_j by central differences of two step sizes (Richardson).
std::vector<Number> difference(const std::function<std::vector<Number>(Number)>& f) {
  const auto central = [&](Number h) {
    const std::vector<Number> plus = f(h), minus = f(-h);
    std::vector<Number> d(plus.size());
    for (std::size_t i = 0; i < d.size(); ++i) d[i] = (plus[i] - minus[i]) / (2 * h);
    return d;
  };
  const Number h = 1e-3L;
  const std::vector<Number> a = central(h), b = central(h / 2), c = central(h / 4);
  std::vector<Number> r(a.size());
  for (std::size_t i = 0; i < r.size(); ++i) {
    const Number first = (4 * b[i] - a[i]) / 3, second = (4 * c[i] - b[i]) / 3;
    r[i] = (16 * second - first) / 15;
  }
  return r;
}

void check_by_differences(const EquationsOfMotion& e, const Oracle& oracle, std::size_t state,
                          LinearizeOptions options = {}) {
  NumberMap at = oracle.values(oracle.states()[state]);
  options.solve_accelerations = true;
  for (const char* group : {"q", "u", "inputs"}) {
    if (!oracle.states()[state].contains(group)) continue;
    for (const auto& [name, value] : oracle.states()[state][group].items()) options.nominal[name] = value.get<double>();
  }
  const Linearization l = linearize(e, options);
  const Nonlinear f(e, l, at);
  f.close_configuration(at);
  std::vector<Number> x, r;
  for (const Expr& q : l.coordinates) x.push_back(at.at(q.name()));
  for (const Expr& u : l.speeds) x.push_back(at.at(u.name()));
  for (const Expr& i : l.inputs) r.push_back(at.at(i.name()));
  const std::vector<Number> A = calc(l.A, at), B = calc(l.B, at);
  const auto compare_column = [&](const std::vector<Number>& d, const std::vector<Number>& matrix, std::size_t j,
                                  std::size_t columns, const std::string& what) {
    Number scale = 1;
    for (const Number a : matrix) scale = std::max(scale, std::abs(a));
    for (std::size_t i = 0; i < d.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(matrix[i * columns + j]), static_cast<double>(d[i]),
                  static_cast<double>(1e-10L * scale))
          << what << " " << i << " " << j;
    }
  };
  for (std::size_t j = 0; j < x.size(); ++j) {
    compare_column(difference([&](Number h) {
                     std::vector<Number> y = x;
                     y[j] += h;
                     return f(y, r);
                   }),
                   A, j, x.size(), "A");
  }
  for (std::size_t j = 0; j < r.size(); ++j) {
    compare_column(difference([&](Number h) {
                     std::vector<Number> s = r;
                     s[j] += h;
                     return f(x, s);
                   }),
                   B, j, r.size(), "B");
  }
}

// ---- the bicycle ------------------------------------------------------------------------------------------------------------

LinearizeOptions upright(const Bicycle& bicycle, const Expr& v) {
  LinearizeOptions o;
  o.nominal["z"] = -sym(bicycle.s, "rR");
  o.nominal["u_tR"] = -v / sym(bicycle.s, "rR");
  o.dependent_coordinates = {"z", "theta"};
  return o;
}

TEST(Linearize, BenchmarkBicycle) {
  const Oracle linear("bicycle_linear");
  Bicycle bicycle;
  const EquationsOfMotion e = form_equations(bicycle.s);
  const Expr v = bicycle.s.graph().symbol("v");
  LinearizeOptions options = upright(bicycle, v);
  options.only = {"phi", "delta", "u_phi", "u_delta"};
  const Linearization l = linearize(e, options);
  ASSERT_EQ(l.M.rows, 2);
  NumberMap at;
  for (const auto& [name, value] : linear.file()["parameters"].items()) at[name] = value.get<double>();
  const Number g = linear.file()["g"].get<double>();
  at["g"] = g;
  const auto entry = [&](const char* key, std::size_t i) -> Number {
    return linear.file()[key][i / 2][i % 2].get<double>();
  };
  for (const auto& sample : linear.file()["eigenvalues"]) {
    const Number speed = sample["v"].get<double>();
    at["v"] = speed;
    const std::vector<Number> M = calc(l.M, at), C = calc(l.C, at), K = calc(l.K, at);
    for (std::size_t i = 0; i < 4; ++i) {
      EXPECT_NEAR(static_cast<double>(M[i]), static_cast<double>(entry("M", i)), 1e-12 * 81) << i;
      EXPECT_NEAR(static_cast<double>(C[i]), static_cast<double>(speed * entry("C1", i)), 1e-12 * 340) << i;
      EXPECT_NEAR(static_cast<double>(K[i]), static_cast<double>(g * entry("K0", i) + speed * speed * entry("K2", i)),
                  1e-12 * 8000)
          << i;
    }
    // The published eigenvalues make M s^2 + C s + K singular.
    for (const auto& pair : sample["lambda_re_im"]) {
      const Complex s(pair[0].get<double>(), pair[1].get<double>());
      Complex P[4];
      for (std::size_t i = 0; i < 4; ++i) P[i] = M[i] * s * s + C[i] * s + K[i];
      const Number size = std::abs(P[0] * P[3]) + std::abs(P[1] * P[2]);
      EXPECT_LT(static_cast<double>(std::abs(P[0] * P[3] - P[1] * P[2]) / size), 1e-10) << "v = " << speed;
    }
  }
}

TEST(Linearize, StraightRunningIsANominalMotion) {
  Bicycle bicycle;
  const EquationsOfMotion e = form_equations(bicycle.s);
  const Linearization l = linearize(e, upright(bicycle, bicycle.s.graph().symbol("v")));
  EXPECT_EQ(l.coordinates.size(), 7U);  // 9 less 2 configuration constraints; rolling leaves the coordinates free
  EXPECT_EQ(l.speeds.size(), 3U);
  // Accelerations vanish in symbols; the coordinates run on.
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(l.drift[7 + i].is_zero());
}

TEST(Linearize, BicycleByDifferences) {
  Bicycle bicycle;
  const EquationsOfMotion e = form_equations(bicycle.s);
  LinearizeOptions o;
  o.dependent_coordinates = {"z", "theta"};
  check_by_differences(e, bicycle.oracle, 0, o);
  check_by_differences(e, bicycle.oracle, 3, o);
}

// ---- other systems ----------------------------------------------------------------------------------------------------------

TEST(Linearize, FourbarHasDependentCoordinates) {
  const Oracle oracle("fourbar");
  System s("fourbar");
  oracle.declare(s);
  const auto p = [&](const std::string& name) { return sym(s, name); };
  const FrameId N = s.inertial();
  const PointId D = s.add_point("D", s.origin(), p("d") * x(N));
  PointId from = s.origin(), end[4];
  for (const int i : {1, 2, 3}) {
    const std::string n = std::to_string(i);
    if (i == 3) from = D;
    const FrameId L = s.add_frame("L" + n, N, SimpleRotation{Axis::Z, p("q" + n)});
    const PointId c = s.add_point("L" + n + "*", from, p("l" + n) / 2 * x(L));
    from = end[i] = s.add_point("end" + n, from, p("l" + n) * x(L));
    s.add_body("L" + n, {L, c, p("m" + n), inertia(L, 0, 0, p("I" + n))});
    s.add_speed("u" + n, s.rate(p("q" + n)));
    if (i == 1) s.add_torque("motor", L, p("tau") * z(N));
  }
  s.add_gravity(-p("g") * y(N));
  s.add_coincidence("c1", end[2], end[3], x(N), "loop");
  s.add_coincidence("c2", end[2], end[3], y(N), "loop");
  s.set_dependent_speeds({p("u2"), p("u3")});
  const EquationsOfMotion e = form_equations(s);
  LinearizeOptions o;
  o.dependent_coordinates = {"q2", "q3"};
  for (const std::size_t state : {0U, 4U}) check_by_differences(e, oracle, state, o);
}

TEST(Linearize, RollingDiskIsNonholonomic) {
  const Oracle oracle("rolling_disk_3d");
  System s("rolling_disk_3d");
  oracle.declare(s);
  const auto p = [&](const char* name) { return sym(s, name); };
  const FrameId N = s.inertial();
  const FrameId Y = s.add_frame("Y", N, SimpleRotation{Axis::Z, p("q1")});
  const FrameId L = s.add_frame("L", Y, SimpleRotation{Axis::X, p("q2")});
  const FrameId R = s.add_frame("R", L, SimpleRotation{Axis::Y, p("q3")});
  const PointId Do = s.add_point("Do", s.origin(), Vector(N, {p("x"), p("y"), p("z")}));
  s.add_body("R", {R, Do, p("m"), inertia(R, p("I"), p("J"), p("I"))});
  const PointId contact = s.add_point_of("contact", R, s.add_point("touch", Do, -p("r") * z(L)));
  const Vector w = s.angular_velocity(R);
  s.add_speed("u1", s.dot(w, x(L)));
  s.add_speed("u2", s.dot(w, y(L)));
  s.add_speed("u3", s.dot(w, z(L)));
  s.add_speed("u4", s.rate(p("x")));
  s.add_speed("u5", s.rate(p("y")));
  s.add_speed("u6", s.rate(p("z")));
  s.add_gravity(-p("g") * z(N));
  s.add_velocity_constraint("roll.x", contact, s.origin(), x(N), "roll");
  s.add_velocity_constraint("roll.y", contact, s.origin(), y(N), "roll");
  s.add_velocity_constraint("roll.z", contact, s.origin(), z(N), "roll");
  s.set_dependent_speeds({p("u4"), p("u5"), p("u6")});
  const EquationsOfMotion e = form_equations(s);
  for (const std::size_t state : {0U, 5U}) check_by_differences(e, oracle, state);
}

// A pendulum whose pivot moves as a known function of time, about hanging straight down:
// theta'' = -(g + a(t)) theta / L with a the upward acceleration of the pivot.
TEST(Linearize, NominalMotionWithPrescribedPivot) {
  System s("parametric");
  const Expr m = s.add_parameter("m", 1), L = s.add_parameter("L", 0.5), g = s.add_parameter("g", 9.81);
  const Expr h = s.add_parameter("h", 0.1), w = s.add_parameter("w", 7), q = s.add_coordinate("q"), t = s.time();
  const FrameId N = s.inertial(), A = s.add_frame("A", N, SimpleRotation{Axis::Z, q});
  const PointId pivot = s.add_point("pivot", s.origin(), h * sin(w * t) * y(N));
  s.add_particle("P", s.add_point("P", pivot, -L * y(A)), m);
  s.add_speed("u", s.rate(q));
  s.add_gravity(-g * y(N));
  const EquationsOfMotion e = form_equations(s);
  LinearizeOptions o;
  o.nominal["t"] = t;  // time stays a symbol: the matrices vary along the motion
  const Linearization l = linearize(e, o);
  EXPECT_TRUE((l.A(1, 0) + (g - h * w * w * sin(w * t)) / L).is_zero());
  EXPECT_TRUE(l.A(0, 1).is_one());
  EXPECT_TRUE(l.A(1, 1).is_zero());
  EXPECT_TRUE(l.drift[1].is_zero());
}

TEST(Linearize, NominalStateMustSatisfyTheConstraints) {
  System s("bead");
  const Expr q1 = s.add_coordinate("q1"), q2 = s.add_coordinate("q2");
  const PointId P = s.add_point("P", s.origin(), q1 * x(s.inertial()) + q2 * y(s.inertial()));
  s.add_particle("P", P, s.add_parameter("m", 1));
  s.add_speed("u1", s.rate(q1));
  s.add_speed("u2", s.rate(q2));
  s.add_configuration_constraint("circle", q1 * q1 + q2 * q2 - 1);
  LinearizeOptions off;
  off.nominal["q1"] = 2;
  try {
    (void)linearize(form_equations(s), off);
    FAIL() << "no error";
  } catch (const ModelError& error) {
    EXPECT_NE(error.message().find("circle"), std::string::npos) << error.message();
  }
}

}  // namespace
}  // namespace kane::test

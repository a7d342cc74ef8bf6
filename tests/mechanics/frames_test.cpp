// Orientations, angular velocities and derivatives against rotation matrices of plain numbers.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/mechanics/algebra.hpp"
#include "oracle.hpp"

namespace kane::test {
namespace {

using Matrix = std::array<std::array<Number, 3>, 3>;

Matrix rotation(std::size_t axis, Number a) {
  Matrix r{};
  const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
  r[axis][axis] = 1;
  r[j][j] = r[k][k] = std::cos(a);
  r[k][j] = std::sin(a);
  r[j][k] = -std::sin(a);
  return r;
}

Matrix product(const Matrix& a, const Matrix& b) {
  Matrix r{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) r[i][j] += a[i][k] * b[k][j];
    }
  }
  return r;
}

void expect_matrix(const Expr33& c, const Matrix& expected, const NumberMap& v, const std::string& what) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(static_cast<double>(calc(c[i][j], v)), static_cast<double>(expected[i][j]), 1e-16) << what << i << j;
    }
  }
}

/// [w x] = R^T R' with R' by the chain rule: the angular velocity, components in the frame.
void expect_angular_velocity(const System& s, FrameId f, const NumberMap& v, const std::string& what) {
  const Expr33 R = s.frames().rotation(f, s.inertial());
  Matrix value{}, rate{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      value[i][j] = calc(R[i][j], v);
      rate[i][j] = calc(s.time_derivative(R[i][j]), v);
    }
  }
  Matrix skew{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) skew[i][j] += value[k][i] * rate[k][j];
    }
  }
  const std::vector<Number> w = calc(s.frames().express(s.angular_velocity(f), f), v);
  EXPECT_NEAR(static_cast<double>(w[0]), static_cast<double>(skew[2][1]), 1e-15) << what;
  EXPECT_NEAR(static_cast<double>(w[1]), static_cast<double>(skew[0][2]), 1e-15) << what;
  EXPECT_NEAR(static_cast<double>(w[2]), static_cast<double>(skew[1][0]), 1e-15) << what;
}

TEST(Frames, All24Sequences) {
  int tested = 0;
  for (const char* kind : {"body", "space"}) {
    for (int code = 0; code < 27; ++code) {
      const std::array<std::size_t, 3> a{static_cast<std::size_t>(code / 9), static_cast<std::size_t>(code / 3 % 3),
                                         static_cast<std::size_t>(code % 3)};
      if (a[0] == a[1] || a[1] == a[2]) continue;
      ++tested;
      System s("sequence");
      const Expr3 q{s.add_coordinate("q1"), s.add_coordinate("q2"), s.add_coordinate("q3")};
      const std::string name = fmt::format("{} {}{}{}", kind, a[0] + 1, a[1] + 1, a[2] + 1);
      const FrameId B = s.add_frame("B", s.inertial(), rotation_sequence(name, q));
      EXPECT_EQ(to_string(rotation_sequence(name, q)), name);
      const NumberMap v{{"q1", 0.3L}, {"q2", -0.7L}, {"q3", 1.1L}, {"q1'", 0.5L}, {"q2'", -1.3L}, {"q3'", 0.9L}};
      const Matrix r1 = rotation(a[0], 0.3L), r2 = rotation(a[1], -0.7L), r3 = rotation(a[2], 1.1L);
      // Turns about axes of the body multiply on the right, about axes of space on the left.
      const Matrix expected = std::string(kind) == "body" ? product(product(r1, r2), r3) : product(product(r3, r2), r1);
      expect_matrix(s.frames().rotation(B, s.inertial()), expected, v, name);
      expect_angular_velocity(s, B, v, name);
    }
  }
  EXPECT_EQ(tested, 24);
}

TEST(Frames, AxisRotationOfAnyLength) {
  System s("axis");
  const Expr q = s.add_coordinate("q");
  const FrameId B = s.add_frame("B", s.inertial(), AxisRotation{{1, 2, 2}, q});
  const NumberMap v{{"q", 0.8L}, {"q'", 1.5L}};
  const Expr33 R = s.frames().rotation(B, s.inertial());
  const Number c = std::cos(0.8L), n = std::sin(0.8L), k[3] = {1 / 3.0L, 2 / 3.0L, 2 / 3.0L};
  Matrix expected{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) expected[i][j] += (1 - c) * k[i] * k[j] + (i == j ? c : 0);
    expected[i][(i + 1) % 3] -= n * k[(i + 2) % 3];
    expected[(i + 1) % 3][i] += n * k[(i + 2) % 3];
  }
  expect_matrix(R, expected, v, "axis");
  expect_angular_velocity(s, B, v, "axis");
}

// Parameters of orientation: their rates follow from the angular velocity; R' then agrees with w, and the norm stays one.
TEST(Frames, EulerParameters) {
  System s("euler");
  std::array<Expr, 4> e;
  for (std::size_t i = 0; i < 4; ++i) e[i] = s.add_coordinate("e" + std::to_string(i + 1));
  const FrameId B = s.add_frame("B", s.inertial(), EulerParameters{e});
  const Number half = 0.35L;
  const NumberMap v{{"e1", std::sin(half) / 3},
                    {"e2", 2 * std::sin(half) / 3},
                    {"e3", 2 * std::sin(half) / 3},
                    {"e4", std::cos(half)},
                    {"B.wx'", 0.4L},
                    {"B.wy'", -1.1L},
                    {"B.wz'", 0.7L}};
  expect_angular_velocity(s, B, v, "Euler parameters");
  Expr norm;
  for (const Expr& p : e) norm += p * s.rate(p);
  EXPECT_TRUE(norm.is_zero());
}

TEST(Frames, RodriguesParameters) {
  System s("rodrigues");
  const Expr3 rho{s.add_coordinate("r1"), s.add_coordinate("r2"), s.add_coordinate("r3")};
  const FrameId B = s.add_frame("B", s.inertial(), RodriguesParameters{rho});
  const Number t = std::tan(0.35L);
  const NumberMap v{{"r1", t / 3},   {"r2", 2 * t / 3}, {"r3", 2 * t / 3},
                    {"B.wx'", 0.4L}, {"B.wy'", -1.1L},  {"B.wz'", 0.7L}};
  System other("axis");
  const FrameId C = other.add_frame("C", other.inertial(), AxisRotation{{1, 2, 2}, 0.7});
  const Expr33 expected = other.frames().rotation(C, other.inertial());
  Matrix m{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) m[i][j] = calc(expected[i][j], {});
  }
  expect_matrix(s.frames().rotation(B, s.inertial()), m, v, "Rodrigues");
  expect_angular_velocity(s, B, v, "Rodrigues");
}

TEST(Frames, DirectionCosines) {
  System s("cosines");
  const Expr q = s.add_coordinate("q");
  const FrameId B = s.add_frame("B", s.inertial(), DirectionCosines{simple_rotation_matrix(Axis::Y, q * q)});
  EXPECT_EQ(s.frames().express(s.angular_velocity(B), B)[1], 2 * q * s.rate(q));
  EXPECT_TRUE(s.frames().express(s.angular_velocity(B), B)[0].is_zero());
}

TEST(Frames, EdgesMayBeStatedFromEitherEnd) {
  System s("either");
  const Expr q = s.add_coordinate("q"), p = s.add_coordinate("p");
  const FrameId A = s.add_frame("A"), B = s.add_frame("B");
  s.orient(B, A, SimpleRotation{Axis::X, p});             // a loose pair
  s.orient(s.inertial(), B, SimpleRotation{Axis::Z, q});  // N relative to B: hangs the pair up by B
  // N = Rz(q) from B, so B = Rz(-q) from N and A = Rx(-p) from B.
  const NumberMap v{{"q", 0.4L}, {"p", -0.9L}, {"q'", 1.2L}, {"p'", 0.3L}};
  expect_matrix(s.frames().rotation(A, s.inertial()), product(rotation(2, -0.4L), rotation(0, 0.9L)), v, "A in N");
  expect_angular_velocity(s, A, v, "A");
  expect_angular_velocity(s, B, v, "B");
}

TEST(Frames, VectorsInSeveralFramesAtOnce) {
  System s("vectors");
  const Expr q = s.add_coordinate("q"), p = s.add_coordinate("p");
  const FrameId N = s.inertial(), A = s.add_frame("A", N, SimpleRotation{Axis::Z, q});
  const FrameId B = s.add_frame("B", A, SimpleRotation{Axis::X, p});
  const Vector v = 2 * x(N) + 3 * y(A) - q * z(B);
  EXPECT_EQ(v.terms().size(), 3U);
  EXPECT_EQ(s.dot(x(N), x(A)), cos(q));
  EXPECT_EQ(s.dot(z(A), z(B)), cos(p));
  EXPECT_TRUE((s.dot(v, v) - s.dot(s.express(v, B), s.express(v, N))).is_zero());
  EXPECT_TRUE(s.dot(s.cross(v, y(B)), v).is_zero());
  EXPECT_TRUE((v - v).is_zero());
  // The derivative in another frame differs by w x v.
  const Vector difference = s.derivative(v, N) - s.derivative(v, B) - s.cross(s.angular_velocity(B, N), v);
  for (const Expr& c : s.frames().express(difference, A)) EXPECT_TRUE(c.is_zero());
  // A dyadic is the same whatever the frame.
  const Dyadic I = inertia(A, 1, 2, 3, 4, 5, 6) + inertia(B, 7, 8, 9);
  EXPECT_TRUE((s.dot(v, s.dot(I, y(N))) - s.dot(y(N), s.dot(I, v))).is_zero());
}

TEST(Points, VelocityInAMovingFrame) {
  System s("slider");
  const Expr q = s.add_coordinate("q"), d = s.add_coordinate("d");
  const FrameId A = s.add_frame("A", s.inertial(), SimpleRotation{Axis::Z, q});
  const PointId C = s.add_point("C", s.origin(), 2 * x(A)), P = s.add_point("P", C, d * y(A));
  s.fix_point(C, A);
  const Vector v = s.velocity(P, A);
  EXPECT_EQ(s.frames().express(v, A)[1], s.rate(d));
  EXPECT_TRUE(s.frames().express(v, A)[0].is_zero());
  // One-point theorem: N_v_P = v of the point of A at P + A_v_P.
  const PointId hat = s.add_point_of("hat", A, P);
  for (const Expr& c : s.frames().express(s.velocity(P) - s.velocity(hat) - v, A)) EXPECT_TRUE(c.is_zero());
  // N_a_P = a of that point + A_a_P + 2 w x A_v_P (Coriolis).
  const Vector coriolis = 2 * s.cross(s.angular_velocity(A), v);
  const Vector rest = s.acceleration(P) - s.acceleration(hat) - s.derivative(v, A) - coriolis;
  for (const Expr& c : s.frames().express(rest, A)) EXPECT_TRUE(c.is_zero());
}

}  // namespace
}  // namespace kane::test

#pragma once
// Numbers with their first and second derivatives with respect to time, and vectors and matrices of them: enough to
// move bodies along a known motion without a word of the library under test.

#include <array>
#include <cmath>

#include "oracle.hpp"

namespace kane::test {

struct Taylor {
  Number v = 0, d = 0, dd = 0;
};

inline Taylor operator+(const Taylor& a, const Taylor& b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
inline Taylor operator-(const Taylor& a) { return {-a.v, -a.d, -a.dd}; }
inline Taylor operator*(const Taylor& a, const Taylor& b) {
  return {a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}
inline Taylor sine(const Taylor& a) {
  const Number s = std::sin(a.v), c = std::cos(a.v);
  return {s, c * a.d, c * a.dd - s * a.d * a.d};
}
inline Taylor cosine(const Taylor& a) {
  const Number s = std::sin(a.v), c = std::cos(a.v);
  return {c, -s * a.d, -s * a.dd - c * a.d * a.d};
}

template <class T>
using Vec = std::array<T, 3>;
using Point3 = Vec<Taylor>;
using Turn3 = std::array<Point3, 3>;  ///< rows

inline Point3 operator+(const Point3& a, const Point3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Point3 operator*(const Turn3& R, const Point3& a) {
  Point3 r;
  for (std::size_t i = 0; i < 3; ++i) r[i] = R[i][0] * a[0] + R[i][1] * a[1] + R[i][2] * a[2];
  return r;
}
inline Turn3 operator*(const Turn3& A, const Turn3& B) {
  Turn3 r;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = A[i][0] * B[0][j] + A[i][1] * B[1][j] + A[i][2] * B[2][j];
  return r;
}
inline Turn3 simple_turn(std::size_t axis, const Taylor& angle) {
  Turn3 R;
  const std::size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
  R[axis][axis] = {1};
  R[j][j] = R[k][k] = cosine(angle);
  R[k][j] = sine(angle);
  R[j][k] = -sine(angle);
  return R;
}

inline Vec<Number> rates_of(const Point3& a) { return {a[0].d, a[1].d, a[2].d}; }
inline Vec<Number> second_rates_of(const Point3& a) { return {a[0].dd, a[1].dd, a[2].dd}; }
inline Vec<Number> values_of(const Point3& a) { return {a[0].v, a[1].v, a[2].v}; }

/// [w x] = R' R^T; [alpha x] is the skew part of R'' R^T.
inline Vec<Number> spin(const Turn3& R, Number Taylor::*order) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    Number sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += R[i][k].*order * R[j][k].v;
    return sum;
  };
  const auto skew = [&](std::size_t i, std::size_t j) { return (entry(i, j) - entry(j, i)) / 2; };
  return {skew(2, 1), skew(0, 2), skew(1, 0)};
}

inline Vec<Number> plus(const Vec<Number>& a, const Vec<Number>& b, Number factor = 1) {
  return {a[0] + factor * b[0], a[1] + factor * b[1], a[2] + factor * b[2]};
}
inline Number inner(const Vec<Number>& a, const Vec<Number>& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec<Number> outer(const Vec<Number>& a, const Vec<Number>& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
/// R I R^T w for a constant symmetric I.
inline Vec<Number> turned_inertia(const Turn3& R, const std::array<Vec<Number>, 3>& I, const Vec<Number>& w) {
  Vec<Number> local{}, r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) local[i] += R[k][i].v * w[k];
  for (std::size_t i = 0; i < 3; ++i) {
    Number sum = 0;
    for (std::size_t j = 0; j < 3; ++j) sum += I[i][j] * local[j];
    for (std::size_t k = 0; k < 3; ++k) r[k] += R[k][i].v * sum;
  }
  return r;
}

}  // namespace kane::test

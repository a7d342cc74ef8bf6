#pragma once
// Vectors in space, and vectors that carry their first two derivatives by time.

#include <array>
#include <cmath>

namespace kane {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  [[nodiscard]] double operator[](std::size_t i) const { return i == 0 ? x : i == 1 ? y : z; }
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(double s, const Vec3& a) { return {s * a.x, s * a.y, s * a.z}; }
inline double dot(const Vec3& a, const Vec3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline Vec3 unit(const Vec3& a) { return (1 / norm(a)) * a; }
/// Some vector of length one across the unit vector n.
inline Vec3 across(const Vec3& n) {
  const Vec3 axis = std::abs(n.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  return unit(cross(n, axis));
}

struct Mat3 {
  std::array<Vec3, 3> rows{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
};
inline Vec3 operator*(const Mat3& m, const Vec3& a) {
  return {dot(m.rows[0], a), dot(m.rows[1], a), dot(m.rows[2], a)};
}

/// A scalar along the motion: value, rate, and second rate with all udot = 0. Products and quotients follow Leibniz, so
/// that whatever is computed from the motion of bodies has exact rates as well.
struct Jet {
  double v = 0, d = 0, dd = 0;
};
inline Jet operator+(const Jet& a, const Jet& b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
inline Jet operator-(const Jet& a, const Jet& b) { return {a.v - b.v, a.d - b.d, a.dd - b.dd}; }
inline Jet operator-(const Jet& a, double b) { return {a.v - b, a.d, a.dd}; }
inline Jet operator*(double s, const Jet& a) { return {s * a.v, s * a.d, s * a.dd}; }
inline Jet operator*(const Jet& a, const Jet& b) {
  return {a.v * b.v, a.d * b.v + a.v * b.d, a.dd * b.v + 2 * a.d * b.d + a.v * b.dd};
}
inline Jet operator/(const Jet& a, const Jet& b) {
  const double v = a.v / b.v, d = (a.d - v * b.d) / b.v;
  return {v, d, (a.dd - 2 * d * b.d - v * b.dd) / b.v};
}
inline Jet sqrt(const Jet& a) {
  const double v = std::sqrt(a.v), d = a.d / (2 * v);
  return {v, d, (a.dd / 2 - d * d) / v};
}

struct JetVector {
  Vec3 v, d, dd;
};
inline JetVector constant(const Vec3& a) { return {a, {}, {}}; }
inline JetVector operator+(const JetVector& a, const JetVector& b) { return {a.v + b.v, a.d + b.d, a.dd + b.dd}; }
inline JetVector operator-(const JetVector& a, const JetVector& b) { return {a.v - b.v, a.d - b.d, a.dd - b.dd}; }
inline JetVector operator-(const JetVector& a) { return {-a.v, -a.d, -a.dd}; }
inline JetVector operator*(double s, const JetVector& a) { return {s * a.v, s * a.d, s * a.dd}; }
inline JetVector operator*(const Jet& s, const JetVector& a) {
  return {s.v * a.v, s.d * a.v + s.v * a.d, s.dd * a.v + 2 * s.d * a.d + s.v * a.dd};
}
inline Jet dot(const JetVector& a, const JetVector& b) {
  return {dot(a.v, b.v), dot(a.d, b.v) + dot(a.v, b.d), dot(a.dd, b.v) + 2 * dot(a.d, b.d) + dot(a.v, b.dd)};
}
inline JetVector cross(const JetVector& a, const JetVector& b) {
  return {cross(a.v, b.v), cross(a.d, b.v) + cross(a.v, b.d),
          cross(a.dd, b.v) + 2 * cross(a.d, b.d) + cross(a.v, b.dd)};
}
inline Jet norm(const JetVector& a) { return sqrt(dot(a, a)); }
inline JetVector unit(const JetVector& a) { return (Jet{1, 0, 0} / norm(a)) * a; }

}  // namespace kane

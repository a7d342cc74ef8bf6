#pragma once
// Numbers and vectors that carry their first two derivatives by time.

#include "kane/base/vec3.hpp"

namespace kane {

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

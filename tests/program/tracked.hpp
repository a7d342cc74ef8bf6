#pragma once
// A number that knows how far a double computation of it may be off: the reference for programs whose operations have
// been reordered. Value in extended precision, error to first order in the unit roundoff of double, including one
// roundoff of each input. A comparison that the error could turn makes the result undecided.

#include <algorithm>
#include <cmath>
#include <limits>

namespace kane::test {

struct Tracked {
  long double value = 0;
  long double error = 0;

  static constexpr long double kUnit = 1.2e-16L;
  inline static thread_local bool undecided = false;

  Tracked() = default;
  Tracked(long double v, long double e) : value(v), error(e) {}
  explicit Tracked(int v) : value(v) {}
  explicit Tracked(double v) : value(v), error(kUnit * std::fabs(v)) {}

  /// Rounded to double, whose range ends at 1e308 on one side and at 1e-308 on the other.
  static Tracked rounded(long double v, long double e) {
    if (!(std::fabs(v) < 1e300L)) undecided = true;
    return {v, e + kUnit * std::fabs(v) + 1e-307L};
  }
  /// Through a function of this slope that bends on a scale of 1 (or of x itself, where that is smaller).
  static Tracked through(const Tracked& x, long double v, long double slope) {
    if (!(x.error < 1e-5L * std::min(1.0L, std::fabs(x.value) + 1e-3L))) undecided = true;
    return rounded(v, std::fabs(slope) * x.error + kUnit * std::fabs(v));
  }
};

inline Tracked operator-(const Tracked& a) { return {-a.value, a.error}; }
inline Tracked operator+(const Tracked& a, const Tracked& b) {
  return Tracked::rounded(a.value + b.value, a.error + b.error);
}
inline Tracked operator-(const Tracked& a, const Tracked& b) { return a + -b; }
inline Tracked operator*(const Tracked& a, const Tracked& b) {
  return Tracked::rounded(a.value * b.value, std::fabs(a.value) * b.error + std::fabs(b.value) * a.error);
}
inline Tracked operator/(const Tracked& a, const Tracked& b) {
  const long double q = a.value / b.value;
  if (!(b.error < 1e-5L * std::fabs(b.value))) Tracked::undecided = true;
  return Tracked::rounded(q, (a.error + std::fabs(q) * b.error) / std::fabs(b.value));
}

inline void note_gap(const Tracked& a, const Tracked& b) {
  if (!(std::fabs(a.value - b.value) > 50 * (a.error + b.error))) Tracked::undecided = true;
}
inline bool operator<(const Tracked& a, const Tracked& b) {
  note_gap(a, b);
  return a.value < b.value;
}
inline bool operator>(const Tracked& a, const Tracked& b) { return b < a; }
inline bool operator<=(const Tracked& a, const Tracked& b) {
  note_gap(a, b);
  return a.value <= b.value;
}
inline bool operator==(const Tracked& a, const Tracked& b) {
  if (a.error + b.error > 0) note_gap(a, b);
  return a.value == b.value;
}
inline bool operator!=(const Tracked& a, const Tracked& b) { return !(a == b); }

inline Tracked sqrt(const Tracked& x) {
  const long double v = std::sqrt(x.value);
  return Tracked::through(x, v, 0.5L / v);
}
inline Tracked pow(const Tracked& x, const Tracked& y) {
  const long double v = std::pow(x.value, y.value);
  // The exponent 1/n itself is rounded in a program.
  return Tracked::rounded(
      v, std::fabs(y.value * v / x.value) * x.error + Tracked::kUnit * std::fabs(y.value * v * std::log(x.value)));
}
inline Tracked sin(const Tracked& x) { return Tracked::through(x, std::sin(x.value), std::cos(x.value)); }
inline Tracked cos(const Tracked& x) { return Tracked::through(x, std::cos(x.value), std::sin(x.value)); }
inline Tracked tan(const Tracked& x) {
  const long double v = std::tan(x.value);
  Tracked result = Tracked::through(x, v, 1 + v * v);
  result.error += 3 * Tracked::kUnit * std::fabs(v);
  return result;
}
inline Tracked asin(const Tracked& x) {
  return Tracked::through(x, std::asin(x.value), 1 / std::sqrt(1 - x.value * x.value));
}
inline Tracked acos(const Tracked& x) {
  return Tracked::through(x, std::acos(x.value), 1 / std::sqrt(1 - x.value * x.value));
}
inline Tracked atan(const Tracked& x) { return Tracked::through(x, std::atan(x.value), 1 / (1 + x.value * x.value)); }
inline Tracked atan2(const Tracked& y, const Tracked& x) {
  const long double r2 = x.value * x.value + y.value * y.value;
  if (x.value < 0 && !(std::fabs(y.value) > 50 * y.error)) Tracked::undecided = true;
  return Tracked::rounded(std::atan2(y.value, x.value),
                          (std::fabs(x.value) * y.error + std::fabs(y.value) * x.error) / r2);
}
inline Tracked sinh(const Tracked& x) { return Tracked::through(x, std::sinh(x.value), std::cosh(x.value)); }
inline Tracked cosh(const Tracked& x) { return Tracked::through(x, std::cosh(x.value), std::sinh(x.value)); }
inline Tracked tanh(const Tracked& x) {
  const long double v = std::tanh(x.value);
  return Tracked::through(x, v, 1 - v * v);
}
inline Tracked exp(const Tracked& x) {
  const long double v = std::exp(x.value);
  return Tracked::through(x, v, v);
}
inline Tracked log(const Tracked& x) { return Tracked::through(x, std::log(x.value), 1 / x.value); }
inline Tracked abs(const Tracked& x) { return {std::fabs(x.value), x.error}; }
inline Tracked floor(const Tracked& x) {
  if (!(std::fabs(x.value - std::round(x.value)) > 50 * x.error)) Tracked::undecided = true;
  return {std::floor(x.value), 0};
}

}  // namespace kane::test

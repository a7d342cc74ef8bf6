#pragma once
// Interpolation inside a step, written so that rounding stays small near both ends: near the start it is y0 plus
// something small, near the end y1 minus something small. Events that follow one another closely inside a long step
// need this.

namespace kane {

/// y(s), 0 <= s <= 1, of the cubic through y0 and y1 with the slopes a = h f0 and b = h f1 there, plus s^2 (1-s)^2 q.
/// With r = 1 - s, r1 = y1 - y0, r2 = a - r1, r3 = r1 - b - r2 that is y0 + s r1 + s r (r2 + s (r3 + r q)).
inline double interpolate_step(double s, double y0, double y1, double a, double b, double q) {
  const double r = 1 - s, r1 = y1 - y0, r2 = a - r1, r3 = r1 - b - r2;
  if (s <= 0.5) return y0 + s * (a + s * (r * (r3 + r * q) - r2));
  return y1 - r * (b + r * (r2 + (1 + s) * r3 - s * s * q));
}

}  // namespace kane

#pragma once
// The motion of a body at an instant, with components in the ground: all that contact needs from mechanics.

#include "kane/contact/jet.hpp"

namespace kane {

struct RigidMotion {
  Vec3 p;         ///< origin
  Mat3 R;         ///< body components to ground components
  Vec3 v, w;      ///< velocity of the origin, angular velocity
  Vec3 a, alpha;  ///< accelerations with all udot = 0

  [[nodiscard]] Vec3 place(const Vec3& x) const { return p + R * x; }
  [[nodiscard]] Vec3 velocity(const Vec3& point) const { return v + cross(w, point - p); }

  /// The motion of a direction fixed in the body: r, w x r, alpha x r + w x (w x r).
  [[nodiscard]] JetVector direction(const Vec3& x) const {
    const Vec3 r = R * x, turned = cross(w, r);
    return {r, turned, cross(alpha, r) + cross(w, turned)};
  }
  /// The motion of a point fixed in the body.
  [[nodiscard]] JetVector point(const Vec3& x) const { return JetVector{p, v, a} + direction(x); }
  /// Velocity of the body's material at a moving point: value and rate (the second rate is not computed).
  [[nodiscard]] JetVector matter(const JetVector& at) const {
    const Vec3 arm = at.v - p, arm_rate = at.d - v;
    return {v + cross(w, arm), a + cross(alpha, arm) + cross(w, arm_rate), {}};
  }
};

}  // namespace kane

#pragma once
// Inverse dynamics of a tree in plain numbers: the recursive Newton-Euler equations, all vectors in the ground's components.
// Written from the mechanism alone; shares no code with what it checks.

#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane::testing {

using Real3 = std::array<double, 3>;
using Real33 = std::array<Real3, 3>;

inline Real3 operator+(const Real3& a, const Real3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Real3 operator-(const Real3& a, const Real3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Real3 operator*(double s, const Real3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Real3& a, const Real3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Real3 cross(const Real3& a, const Real3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Real3 operator*(const Real33& m, const Real3& v) { return {dot(m[0], v), dot(m[1], v), dot(m[2], v)}; }
inline Real33 operator*(const Real33& a, const Real33& b) {
  Real33 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
  return r;
}
inline Real33 transposed(const Real33& a) {
  return {{{a[0][0], a[1][0], a[2][0]}, {a[0][1], a[1][1], a[2][1]}, {a[0][2], a[1][2], a[2][2]}}};
}

/// Rodrigues' formula: turn by an angle about a unit vector.
inline Real33 turn(const Real3& axis, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  Real33 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) r[i][j] = (1 - c) * axis[i] * axis[j] + (i == j ? c : 0);
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
    r[k][j] += s * axis[i];
    r[j][k] -= s * axis[i];
  }
  return r;
}

/// From a quaternion, scalar last: v -> v + 2 s (e x v) + 2 e x (e x v).
inline Real33 turn(const Real3& e, const double& scalar, int) {
  Real33 r{};
  for (std::size_t j = 0; j < 3; ++j) {
    Real3 unit{};
    unit[j] = 1;
    const Real3 column = unit + (2 * scalar) * cross(e, unit) + 2.0 * cross(e, cross(e, unit));
    for (std::size_t i = 0; i < 3; ++i) r[i][j] = column[i];
  }
  return r;
}

/// Motion of a frame with a point fixed in it.
struct Motion {
  Real33 R{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  Real3 p{}, w{}, alpha{}, v{}, a{};

  /// The same for another point of the frame, at r (components in the frame).
  [[nodiscard]] Motion at(const Real3& r) const {
    Motion m = *this;
    const Real3 arm = R * r;
    m.p = p + arm;
    m.v = v + cross(w, arm);
    m.a = a + cross(alpha, arm) + cross(w, cross(w, arm));
    return m;
  }
};

/// Generalized force needed along each free motion (by the name of its speed), and the wrench of each joint at its point on
/// the child's side, components in the ground.
struct InverseDynamics {
  std::map<std::string, double> forces;
  std::map<std::string, std::pair<Real3, Real3>> wrenches;
  std::map<std::string, Motion> bodies;  ///< at the body's origin
};

class NewtonEuler {
 public:
  /// `values` of parameters, coordinates, speeds and their derivatives (u'). Speeds are the joints' own.
  NewtonEuler(const Mechanism& mechanism, const Values& values, const Real3& gravity)
      : m_(mechanism), values_(values), gravity_(gravity) {}

  InverseDynamics run() {
    out_.bodies[m_.ground] = {};
    std::vector<const Joint*> order;
    for (bool again = true; again;) {
      again = false;
      for (const Joint& j : m_.joints) {
        if (!out_.bodies.contains(j.parent) || out_.bodies.contains(j.child)) continue;
        go_out(j);
        order.push_back(&j);
        again = true;
      }
    }
    for (auto j = order.rbegin(); j != order.rend(); ++j) go_in(**j);
    return out_;
  }

 private:
  struct Axis {
    std::string speed;
    Real3 direction, at;
    MotionKind kind;
    double pitch = 0;
  };

  [[nodiscard]] double number(const Expr& e) const { return evaluate(e, values_); }
  [[nodiscard]] Real3 number(const Expr3& e) const { return {number(e[0]), number(e[1]), number(e[2])}; }
  [[nodiscard]] Real33 number(const Expr33& e) const {
    Real33 r{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) r[i][j] = number(e[i][j]);
    return r;
  }
  [[nodiscard]] double rate(const Expr& u) const { return values_.at(u.name()); }
  [[nodiscard]] double acceleration(const Expr& u) const { return values_.at(u.name() + "'"); }

  void go_out(const Joint& j) {
    Motion x = out_.bodies.at(j.parent).at(number(j.on_parent.position));
    x.R = x.R * number(j.on_parent.rotation);
    std::vector<Axis>& axes = axes_[j.name];
    for (const ElementaryMotion& motion : j.motions) step(motion, x, axes);
    points_[j.name] = x.p;
    const Real33 child = number(j.on_child.rotation);
    x.R = x.R * transposed(child);
    out_.bodies[j.child] = x.at(-1.0 * number(j.on_child.position));
  }

  static void spin(Motion& x, const Real3& w, const Real3& wdot) {
    x.alpha = x.alpha + wdot + cross(x.w, w);
    x.w = x.w + w;
  }

  void step(const ElementaryMotion& motion, Motion& x, std::vector<Axis>& axes) const {
    if (motion.kind == MotionKind::Ball) {
      const auto& q = motion.coordinates;
      x.R = x.R * turn({number(q[0]), number(q[1]), number(q[2])}, number(q[3]), 0);
      Real3 w{}, wdot{};
      for (std::size_t k = 0; k < 3; ++k) {
        Real3 axis{};
        axis[k] = 1;
        axis = x.R * axis;
        axes.push_back({motion.speeds[k].name(), axis, x.p, MotionKind::Rotation});
        w = w + rate(motion.speeds[k]) * axis;
        wdot = wdot + acceleration(motion.speeds[k]) * axis;
      }
      spin(x, w, wdot);
      return;
    }
    Real3 axis = number(motion.axis);
    axis = (1 / std::sqrt(dot(axis, axis))) * axis;
    const Real3 direction = x.R * axis;
    const double pitch = motion.kind == MotionKind::Screw ? number(motion.pitch) : 0;
    double q = 0, u = 0, udot = 0;
    if (motion.free) {
      q = number(motion.coordinates[0]), u = rate(motion.speeds[0]), udot = acceleration(motion.speeds[0]);
      axes.push_back({motion.speeds[0].name(), direction, x.p, motion.kind, pitch});
    } else {
      const Expr t = m_.graph->symbol("t"), value = m_.graph->bind(motion.value), flow = derivative(value, t);
      q = number(value), u = number(flow), udot = number(derivative(m_.graph->bind(flow), t));
    }
    const double slide = motion.kind == MotionKind::Translation ? 1 : pitch;
    const Real3 arm = (slide * q) * direction, flow = (slide * u) * direction;
    x.p = x.p + arm;
    x.a = x.a + cross(x.alpha, arm) + cross(x.w, cross(x.w, arm)) + 2.0 * cross(x.w, flow) + (slide * udot) * direction;
    x.v = x.v + cross(x.w, arm) + flow;
    if (motion.kind == MotionKind::Translation) return;
    x.R = x.R * turn(axis, q);
    spin(x, u * direction, udot * direction);
  }

  void go_in(const Joint& j) {
    const MechanismBody& body = *m_.find_body(j.child);
    const Motion& x = out_.bodies.at(j.child);
    const Motion c = x.at(number(body.mass_centre));
    const Real3 force = number(body.mass) * (c.a - gravity_);
    const Real33 I = x.R * number(body.inertia) * transposed(x.R);
    const Real3 torque = I * x.alpha + cross(x.w, I * x.w);
    auto& [f, t] = sums_[j.child];  // about the ground's origin
    f = f + force;
    t = t + torque + cross(c.p, force);
    const Real3 point = points_.at(j.name);
    out_.wrenches[j.name] = {f, t - cross(point, f)};
    for (const Axis& axis : axes_.at(j.name)) {
      const double about = dot(t - cross(axis.at, f), axis.direction), along = dot(f, axis.direction);
      out_.forces[axis.speed] = axis.kind == MotionKind::Translation ? along : about + axis.pitch * along;
    }
    auto& [pf, pt] = sums_[j.parent];
    pf = pf + f;
    pt = pt + t;
  }

  const Mechanism& m_;
  const Values& values_;
  Real3 gravity_;
  std::map<std::string, std::vector<Axis>> axes_;
  std::map<std::string, Real3> points_;
  std::map<std::string, std::pair<Real3, Real3>> sums_;
  InverseDynamics out_;
};

}  // namespace kane::testing

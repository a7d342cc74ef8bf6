#pragma once
// Random mechanisms: trees of any shape with any mixture of elementary motions, in gravity, with springs, dampers and
// motors at the joints.

#include <cmath>
#include <random>
#include <string>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/joint_library.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane::testing {

class RandomTree {
 public:
  explicit RandomTree(unsigned seed) : random_(seed) {}

  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  /// Right angles half of the time: real machines have many, and they take other paths through the code.
  Placement placement() {
    Placement p;
    const double a = angle(), b = angle();
    const double c[] = {std::cos(a), std::cos(b)}, s[] = {std::sin(a), std::sin(b)};
    const double R[3][3] = {{c[0], -s[0] * c[1], s[0] * s[1]}, {s[0], c[0] * c[1], -c[0] * s[1]}, {0, s[1], c[1]}};
    for (std::size_t i = 0; i < 3; ++i) {
      p.position[i] = whole(0, 2) == 0 ? 0.0 : rounded(uniform(-0.5, 0.5));
      for (std::size_t j = 0; j < 3; ++j) p.rotation[i][j] = std::abs(R[i][j]) < 1e-15 ? 0.0 : R[i][j];
    }
    return p;
  }

  Expr3 axis() {
    switch (whole(0, 4)) {
      case 0: return {1, 0, 0};
      case 1: return {0, -1, 0};
      case 2: return {0, 0, 1};
      default: return {rounded(uniform(-1, 1)), rounded(uniform(-1, 1)), rounded(uniform(0.2, 1))};
    }
  }

  /// Positive definite and within the triangle inequality: that of a few random masses.
  Expr33 inertia() {
    double I[3][3] = {};
    for (int k = 0; k < 4; ++k) {
      const double m = uniform(0.1, 0.5), r[] = {uniform(-0.3, 0.3), uniform(-0.3, 0.3), uniform(-0.3, 0.3)};
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          I[i][j] += m * ((i == j ? r[0] * r[0] + r[1] * r[1] + r[2] * r[2] : 0) - r[i] * r[j]);
    }
    Expr33 e;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) e[i][j] = rounded(I[i < j ? i : j][i < j ? j : i]);
    return e;
  }

  /// Revolute joints one after the other.
  Mechanism chain(int joints) {
    Mechanism m("chain");
    for (int i = 0; i < joints; ++i) {
      Joint joint;
      joint.name = "j" + std::to_string(i);
      joint.parent = i == 0 ? "N" : "B" + std::to_string(i - 1);
      joint.child = "B" + std::to_string(i);
      joint.on_parent = placement();
      joint.motions = open_joint(joint_kind("revolute", {}));
      name_motions(*m.graph, joint, {}, {});
      MechanismBody body;
      body.name = joint.child;
      body.mass = 1;
      body.inertia = inertia();
      m.add_body(std::move(body));
      m.add_joint(std::move(joint));
    }
    return m;
  }

  Mechanism mechanism(int bodies) {
    Mechanism m("random");
    const Expr g = m.add_parameter("g", 9.81);
    m.gravity.text = "-g*N.z + 0.3*g*N.x";
    for (int i = 0; i < bodies; ++i) add_body(m, i, i + 1 == bodies);
    return m;
  }

 private:
  static double rounded(double x) { return std::round(x * 1000) / 1000; }
  double angle() { return whole(0, 1) == 0 ? whole(-2, 2) * std::acos(0.0) : rounded(uniform(-3, 3)); }

  void add_body(Mechanism& m, int i, bool last) {
    MechanismBody body;
    body.name = "B" + std::to_string(i);
    // A body without mass moves along or about one axis, and the next one hangs on it by an axis of the other kind: so
    // the motion is still determined.
    const bool behind_massless = !massless_.empty();
    const bool massless = !last && !behind_massless && whole(0, 4) == 0;
    if (!massless) {
      body.mass = rounded(uniform(0.5, 3));
      body.mass_centre = {rounded(uniform(-0.2, 0.2)), 0, rounded(uniform(-0.2, 0.2))};
      body.inertia = inertia();
    }
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent = i == 0 || whole(0, 5) == 0 ? "N" : "B" + std::to_string(whole(0, i - 1));
    joint.child = body.name;
    joint.on_parent = placement();
    joint.on_child = placement();
    static constexpr const char* kKinds[] = {"revolute", "prismatic", "screw",   "cylindrical", "universal",
                                             "gimbal",   "spherical", "planar",  "free",        "weld",
                                             "revolute", "revolute",  "bushing", "general"};
    joint.kind = kKinds[whole(0, 13)];
    if (massless) joint.kind = whole(0, 1) == 0 ? "revolute" : "prismatic";
    if (behind_massless) {
      joint.parent = "B" + std::to_string(i - 1);
      joint.kind = massless_ == "revolute" ? "prismatic" : "revolute";
    }
    massless_ = massless ? joint.kind : "";
    set_motions(m, joint);
    name_motions(*m.graph, joint, {}, {});
    m.add_body(std::move(body));
    m.add_joint(std::move(joint));
  }

  void set_motions(Mechanism& m, Joint& joint) {
    if (joint.kind == "general") {
      joint.motions =
          open_general_joint({"312", {whole(1, 3)}}, {whole(0, 1) == 0 ? "213" : "313", {1, whole(2, 3)}}, {});
      for (auto& motion : joint.motions) {
        if (motion.free) continue;
        motion.value = rounded(uniform(-1, 1));
        if (whole(0, 2) == 0) motion.value = motion.value + sin(2 * m.time()) / 5;
      }
    } else {
      joint.motions = open_joint(joint_kind(joint.kind, {}));
    }
    for (auto& motion : joint.motions) {
      if (joint.motions.size() == 1 && motion.kind != MotionKind::Ball) motion.axis = axis();
      if (motion.kind == MotionKind::Screw) motion.pitch = 0.07;
      if (!motion.free) continue;
      if (whole(0, 2) == 0) motion.law.stiffness = 3;
      if (motion.kind != MotionKind::Ball && whole(0, 2) == 0) motion.law.rest = 0.1;
      if (whole(0, 2) == 0) motion.law.damping = 0.4;
    }
  }

  std::string massless_;  ///< kind of the joint of the body before, if that has no mass
  std::mt19937 random_;
};

/// Values of all symbols at a random state: parameters as they are, Euler parameters of length one.
inline Values random_state(const EquationsOfMotion& e, RandomTree& random) {
  Values values;
  for (const auto& p : e.parameters) values[p.symbol.name()] = evaluate(p.value, values);
  for (const auto& i : e.inputs) values[i.symbol.name()] = random.uniform(-1, 1);
  values[e.t.name()] = 0.3;
  for (const Expr& q : e.q) values[q.name()] = random.uniform(-1.5, 1.5);
  for (const int first : e.quaternions) {
    double length = 0;
    const auto part = [&](int k) -> double& { return values[e.q[static_cast<std::size_t>(first + k)].name()]; };
    for (int k = 0; k < 4; ++k) length = std::hypot(length, part(k));
    for (int k = 0; k < 4; ++k) part(k) /= length;
  }
  for (const Expr& u : e.u) values[u.name()] = random.uniform(-1, 1);
  for (const Expr& a : e.udot) values[a.name()] = random.uniform(-1, 1);
  for (const auto& c : e.constraints) values[c.multiplier.name()] = random.uniform(-1, 1);
  return values;
}

/// Largest difference relative to the largest entry (or to one: the systems are of order one, and all may vanish).
inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double size = 1, worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) size = std::max({size, std::abs(a[i]), std::abs(b[i])});
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(a[i] - b[i]) / size;
    worst = d <= worst ? worst : d;  // also if it is not a number
  }
  return worst;
}

}  // namespace kane::testing

// Reactions of the joints: for the body B and everything attached to it
//
//     F = sum (m a - f)          T = sum [ R (I alpha + w x I w) + r x (m a - f) - t ]
//
// with the applied forces f and torques t, taken about B's origin and handed to the parent. What acts between the two
// sides of one joint only (its motors and springs, torques between neighbours) is part of what the joint transmits, and
// cancels for every joint further in; it is left out throughout.

#include <algorithm>
#include <set>

#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/dynamics.hpp"
#include "kane/mechanics/flexible.hpp"
#include "kane/mechanism/report.hpp"

namespace kane {
namespace {

class WrenchSum {
 public:
  WrenchSum(const LoweredMechanism& lowered, const BodyMotion& motion) : l_(lowered), s_(lowered.system), m_(motion) {
    for (std::size_t j = 0; j < l_.joints.size(); ++j)
      if (!l_.joints[j].closing) joint_of_.emplace(l_.joints[j].child, j);
    sums_.resize(l_.joints.size());
    assign_frames();
  }

  void add_inertia() {
    for (const BodyRecord& b : s_.bodies()) {
      const auto joint = joint_of(b.mass_centre);
      if (!joint) continue;  // fixed to the ground
      const Expr mass = b.mass.value_or(0);
      add_force(b.mass_centre, scale(mass, subtract(m_.acceleration(b.mass_centre), gravity_)));
      if (b.is_particle() || !b.inertia) continue;
      const Expr33 I = s_.frames().express(*b.inertia, b.frame);
      const Expr3& w = m_.angular_velocity(b.frame);
      const Expr3 torque = add(multiply(I, m_.angular_acceleration(b.frame)), gyroscopic(I, w));
      sums_[*joint].torque = add(sums_[*joint].torque, multiply(m_.rotation(b.frame), torque));
    }
  }

  void add_flexible(const SpeedRates& rates) {
    for (const DeformingInertia& e : form_deforming_inertias(s_)) {
      const auto joint = joint_of(s_.body(e.body).mass_centre);
      if (!joint) continue;
      const Expr3 torque = central_torque(e, m_.deforming(e, rates));
      sums_[*joint].torque = add(sums_[*joint].torque, multiply(m_.rotation(e.spec.frame), torque));
    }
  }

  void set_gravity(const Vector& g) { gravity_ = m_.express(g); }

  void add_load(const AppliedLoad& load) {
    if (load.kind == LoadKind::Force)
      add_force(load.point, negate(m_.express(load.value)));
    else
      add_torque(load.frame, negate(m_.express(load.value)));
  }

  void add_action(const ConstraintAction& action, const Expr& multiplier) {
    const Expr3 v = scale(multiplier, m_.express(action.direction));
    if (action.point.valid()) {
      add_force(action.point, negate(v));
      add_force(action.reference, v);
    } else {
      add_torque(action.frame, negate(v));
      if (action.other.valid()) add_torque(action.other, v);
    }
  }

  /// Adds the contact wrench of the shapes that touch the body.
  void add_shapes(const std::string& body) {
    const auto part = [&](std::size_t k) { return s_.graph().symbol(contact_wrench_symbol(body, k)); };
    add_force(l_.body_origins.at(body), {-part(0), -part(1), -part(2)});
    add_torque(l_.body_frames.at(body), {-part(3), -part(4), -part(5)});
  }

  std::vector<JointWrench> finish() {
    std::vector<JointWrench> result;
    for (auto j = l_.order.rbegin(); j != l_.order.rend(); ++j) {
      const LoweredJoint& joint = l_.joints[*j];
      const Sum& sum = sums_[*j];
      const PointId origin = l_.body_origins.at(joint.child);
      result.push_back({*j, sum.force, add(sum.torque, cross(m_.span(joint.outer, origin), sum.force))});
      const auto parent = joint_of_.find(joint.parent);
      if (parent == joint_of_.end()) continue;
      Sum& inner = sums_[parent->second];
      inner.force = add(inner.force, sum.force);
      const Expr3 arm = m_.span(l_.body_origins.at(joint.parent), origin);
      inner.torque = add(add(inner.torque, sum.torque), cross(arm, sum.force));
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

 private:
  struct Sum {
    Expr3 force, torque;  ///< about the origin of the joint's child
  };

  /// Every frame belongs to a body: that of the joint whose motions it lies between counts to the child.
  void assign_frames() {
    frame_joint_.resize(s_.frames().size());
    for (const auto& [body, frame] : l_.body_frames)
      if (const auto j = joint_of_.find(body); j != joint_of_.end()) frame_joint_[frame.index()] = j->second;
    for (std::size_t j = 0; j < l_.joints.size(); ++j) {
      if (l_.joints[j].closing) continue;
      for (const LoweredMotion& m : l_.joints[j].motions)
        if (m.to != m.from) frame_joint_[m.to.index()] = j;
    }
    // Frames fixed in a body hang on its frame.
    std::set<std::size_t> known;
    for (const auto& [body, frame] : l_.body_frames) known.insert(frame.index());
    for (std::size_t i = 1; i < frame_joint_.size(); ++i) {
      if (frame_joint_[i] || known.contains(i)) continue;
      frame_joint_[i] = frame_joint_[s_.frames()[FrameId(i)].parent.index()];
    }
  }

  /// The joint whose child a point belongs to; none for the ground.
  [[nodiscard]] std::optional<std::size_t> joint_of(PointId p) const {
    while (p.valid()) {
      const PointRecord& record = s_.point(p);
      if (record.carrier.valid()) return frame_joint_[record.carrier.index()];
      for (const Vector::Term& t : record.offset.terms()) return frame_joint_[t.frame.index()];
      if (const auto body = origin_of(p)) return *body;
      p = record.parent;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::optional<std::size_t>> origin_of(PointId p) const {
    for (const auto& [body, origin] : l_.body_origins) {
      if (origin != p) continue;
      const auto j = joint_of_.find(body);
      return j == joint_of_.end() ? std::optional<std::size_t>() : std::optional<std::size_t>(j->second);
    }
    return std::nullopt;
  }

  void add_force(PointId at, const Expr3& force) {
    const auto joint = joint_of(at);
    if (!joint) return;
    Sum& sum = sums_[*joint];
    sum.force = add(sum.force, force);
    sum.torque = add(sum.torque, cross(m_.span(l_.body_origins.at(l_.joints[*joint].child), at), force));
  }

  void add_torque(FrameId f, const Expr3& torque) {
    const auto joint = frame_joint_[f.index()];
    if (joint) sums_[*joint].torque = add(sums_[*joint].torque, torque);
  }

  const LoweredMechanism& l_;
  const System& s_;
  const BodyMotion& m_;
  std::map<std::string, std::size_t> joint_of_;  ///< body -> the joint that places it
  std::vector<std::optional<std::size_t>> frame_joint_;
  std::vector<Sum> sums_;
  Expr3 gravity_;
};

/// Force and torque of a closing joint: its multipliers, and its own springs and motors.
JointWrench closing_wrench(const LoweredMechanism& l, const BodyMotion& m, std::size_t number,
                           const std::vector<AppliedLoad>& loads, const std::vector<ConstraintEquation>& constraints) {
  const LoweredJoint& joint = l.joints[number];
  JointWrench w{number, {}, {}};
  for (const ConstraintEquation& row : constraints) {
    if (row.group != joint.name) continue;
    for (const ConstraintAction& action : l.actions) {
      if (action.row != row.name) continue;
      if (!action.point.valid() && action.frame != joint.outer_frame) continue;  // on the parent
      Expr3& part = action.point.valid() ? w.force : w.torque;
      part = add(part, scale(row.multiplier, m.express(action.direction)));
    }
  }
  for (const AppliedLoad& load : loads) {
    if (load.kind == LoadKind::Force && load.point == joint.acting) w.force = add(w.force, m.express(load.value));
    if (load.kind == LoadKind::Torque && load.frame == joint.outer_frame)
      w.torque = add(w.torque, m.express(load.value));
  }
  w.torque = add(w.torque, cross(m.span(joint.outer, joint.acting), w.force));
  return w;
}

}  // namespace

std::vector<JointWrench> form_joint_wrenches(const LoweredMechanism& l, const BodyMotion& motion,
                                             const SpeedRates& rates,
                                             const std::vector<ConstraintEquation>& constraints) {
  WrenchSum sum(l, motion);
  sum.set_gravity(total_uniform_gravity(l.system));
  sum.add_inertia();
  sum.add_flexible(rates);
  std::set<std::string> inside(l.joint_loads.begin(), l.joint_loads.end());
  for (const ParallelTorque& t : l.parallel_torques) inside.insert(t.load);
  const std::vector<AppliedLoad> loads = form_loads(l.system, rates.second_rates);
  for (const AppliedLoad& load : loads)
    if (!inside.contains(load.name)) sum.add_load(load);
  for (const AppliedLoad& load : form_attractions(l.system)) sum.add_load(load);
  for (const ConstraintEquation& row : constraints) {
    // Those that are not active have the multiplier zero, and may become active.
    for (const ConstraintAction& action : l.actions)
      if (action.row == row.name) sum.add_action(action, row.multiplier);
  }
  for (const std::string& body : l.switching.contact_bodies) sum.add_shapes(body);
  std::vector<JointWrench> wrenches = sum.finish();
  for (std::size_t j = 0; j < l.joints.size(); ++j)
    if (l.joints[j].closing) wrenches.push_back(closing_wrench(l, motion, j, loads, constraints));
  return wrenches;
}

}  // namespace kane

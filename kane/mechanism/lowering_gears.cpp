// Gears and racks between any two bodies.
//
// With the angles phi_1, phi_2 by which the two gears have turned relative to the body that carries their axes (the arm of
// a planetary train), about axes a_1, a_2 fixed in that body, teeth that roll on each other without slip mean
//
//     r_1 phi_1 + r_2 phi_2 = 0      external       (Willis: relative to the arm, every train is an ordinary one)
//     r_1 phi_1 - r_2 phi_2 = 0      internal: one is a ring
//     r phi - s = 0                  rack and pinion
//
// Bevel gears are the first case, if both axes point away from (or both towards) the point where they meet.
//
// phi is the sum of the angles of the joints between the carrier and the gear, each times the cosine between its axis and
// a, wherever these cosines are constant; that makes it a constraint of the configuration. Otherwise only the rates, (w_gear
// - w_carrier).a, are constrained.
//
// The multiplier is the tangential force at the pitch circles if radii are given (positive if it turns the first gear in
// the positive direction); with numbers of teeth alone it is the torque on the second gear. Where the bodies lie as the
// radii say, the force acts at the pitch point, so that bearings carry it; else torques stand for it.

#include <algorithm>
#include <cmath>

#include "kane/base/suggest.hpp"
#include "kane/mechanism/directions.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

/// A motion on the way from the carrier to a gear; backward: +1 or -1.
struct MotionOnPath {
  const LoweredMotion* motion;
  int sign;
};

class GearLowering {
 public:
  GearLowering(const LoweringContext& context, const Constraint& constraint, const GearConstraint& gear)
      : c_(context), m_(context.mechanism), s_(context.system), constraint_(constraint), gear_(gear) {}

  void run() {
    const std::string& name = constraint_.name;
    const std::string carrier = find_carrier();
    for (const std::string* body : {&gear_.first, &gear_.second}) {
      check_body(*body);
      require(*body != carrier, "the {} '{}' connects '{}' with its own carrier", kind(), name, *body);
    }
    require(gear_.first != gear_.second, "the {} '{}' connects '{}' with itself", kind(), name, gear_.first);
    carrier_ = c_.lowered.body_frames.at(carrier);
    first_ = path(carrier, gear_.first);
    second_ = path(carrier, gear_.second);
    find_axes();
    const Part a = turned(first_, axes_[0]);
    const Part b = gear_.rack ? slid(second_, axes_[1]) : turned(second_, axes_[1]);
    const auto [wa, wb] = weights();
    if (a.exact && b.exact) {
      const Expr phi = wa * a.value + wb * b.value - gear_.offset;
      require(!depends_on_nothing(phi), "the {} '{}' says nothing: neither '{}' nor '{}' moves relative to '{}'",
              kind(), name, gear_.first, gear_.second, carrier);
      s_.add_configuration_constraint(name, phi, name, constraint_.active);
    } else {
      require(
          gear_.offset.is_zero(),
          "the {} '{}' cannot have an offset: its axes do not keep their angle to those of the joints, so that only "
          "rates are constrained",
          kind(), name);
      s_.add_motion_constraint(name, wa * rate(gear_.first, 0) + wb * rate(gear_.second, 1), name, constraint_.active);
    }
    add_actions(wa, wb);
  }

 private:
  struct Part {
    Expr value;
    bool exact = true;
  };

  [[nodiscard]] std::string_view kind() const { return gear_.rack ? "rack" : "gear"; }

  void check_body(const std::string& body) const {
    if (c_.lowered.body_frames.contains(body)) return;
    std::vector<std::string> known;
    for (const auto& [name, frame] : c_.lowered.body_frames) known.push_back(name);
    throw ModelError(fmt::format("the {} '{}' names the body '{}', which does not exist{}", kind(), constraint_.name,
                                 body, suggestion(body, known)));
  }

  // ---- the tree -----------------------------------------------------------------------------------------------------
  [[nodiscard]] const LoweredJoint* joint_of(const std::string& body) const {
    for (const LoweredJoint& joint : c_.lowered.joints)
      if (!joint.closing && joint.child == body) return &joint;
    return nullptr;
  }
  /// The body from which the rotation of a joint's child counts.
  [[nodiscard]] std::string turned_from(const LoweredJoint& joint) const {
    const std::string& from = m_.find_joint(joint.name)->rotation_from;
    if (from.empty() || gear_.rack) return joint.parent;
    if (c_.lowered.body_frames.contains(from)) return from;
    for (const MechanismFrame& f : m_.frames)
      if (f.name == from || f.on + "." + f.name == from) return f.on;
    return joint.parent;
  }
  /// The bodies from one to the ground.
  [[nodiscard]] std::vector<std::string> to_ground(std::string body) const {
    std::vector<std::string> all{body};
    while (const LoweredJoint* joint = joint_of(body)) {
      body = turned_from(*joint);
      all.push_back(body);
    }
    return all;
  }

  /// The motions that lead from one body to another, in this order.
  [[nodiscard]] std::vector<MotionOnPath> path(const std::string& from, const std::string& to) const {
    std::vector<std::string> down = to_ground(to), up = to_ground(from);
    while (!down.empty() && !up.empty() && down.back() == up.back()) down.pop_back(), up.pop_back();
    std::vector<MotionOnPath> motions;
    for (const std::string& body : up) {
      const auto& of = joint_of(body)->motions;
      for (auto motion = of.rbegin(); motion != of.rend(); ++motion) motions.push_back({&*motion, -1});
    }
    for (auto body = down.rbegin(); body != down.rend(); ++body)
      for (const LoweredMotion& motion : joint_of(*body)->motions) motions.push_back({&motion, 1});
    return motions;
  }

  [[nodiscard]] std::string find_carrier() const {
    if (!gear_.carrier.empty()) {
      check_body(gear_.carrier);
      return gear_.carrier;
    }
    const LoweredJoint* a = joint_of(gear_.first);
    const LoweredJoint* b = joint_of(gear_.second);
    if (a != nullptr && b != nullptr && a->parent == b->parent) return a->parent;
    throw ModelError(fmt::format(
        "the {} '{}' needs 'carrier', the body on which the axes of '{}' and '{}' sit (the arm of a planetary "
        "train): they do not hang on the same body",
        kind(), constraint_.name, gear_.first, gear_.second));
  }

  // ---- axes ---------------------------------------------------------------------------------------------------------
  [[nodiscard]] Vector axis_of(const std::vector<MotionOnPath>& motions, MotionKind wanted,
                               const std::string& body) const {
    for (auto m = motions.rbegin(); m != motions.rend(); ++m)
      if (m->motion->kind == wanted || (wanted == MotionKind::Rotation && m->motion->kind == MotionKind::Screw))
        return m->motion->axis;
    throw ModelError(fmt::format("the {} '{}' needs 'axes': no joint between '{}' and the carrier {}", kind(),
                                 constraint_.name, body, wanted == MotionKind::Rotation ? "turns" : "slides"));
  }

  void find_axes() {
    const std::string what = fmt::format("the axis of the {} '{}'", kind(), constraint_.name);
    for (const Quantity& q : gear_.axes) {
      const Vector v = read_vector(q, c_.scope(), what);
      require_at(q.where, !v.is_zero(), "{} is the zero vector", what);
      axes_.push_back(unit_along(s_, v));
    }
    if (axes_.size() == 1 && !gear_.rack) axes_.push_back(axes_.front());
    if (axes_.empty()) axes_.push_back(axis_of(first_, MotionKind::Rotation, gear_.first));
    if (axes_.size() == 2) return;
    axes_.push_back(axis_of(second_, gear_.rack ? MotionKind::Translation : MotionKind::Rotation, gear_.second));
    if (gear_.rack) return;
    // Parallel axes count as one; where they are not, it is not known on which side the teeth are.
    const Expr cosine = s_.graph().bind(s_.dot(axes_[0], axes_[1]));
    require(
        cosine.is_one() || (-cosine).is_one(),
        "the axes of the gears '{}' and '{}' of '{}' are not parallel; give 'axes', two vectors that both point away "
        "from the point where the axes meet",
        gear_.first, gear_.second, constraint_.name);
    axes_[1] = axes_[0];
  }

  // ---- angles -------------------------------------------------------------------------------------------------------
  [[nodiscard]] Part turned(const std::vector<MotionOnPath>& motions, const Vector& axis) const {
    Part part{0};
    for (const MotionOnPath& m : motions) {
      if (m.motion->kind == MotionKind::Translation) continue;
      add(part, m, axis);
    }
    return part;
  }

  [[nodiscard]] Part slid(const std::vector<MotionOnPath>& motions, const Vector& axis) const {
    Part part{0};
    for (const MotionOnPath& m : motions) {
      if (m.motion->kind == MotionKind::Translation)
        add(part, m, axis);
      else
        part.exact = false;
    }
    return part;
  }

  void add(Part& part, const MotionOnPath& m, const Vector& axis) const {
    if (m.motion->kind == MotionKind::Ball) {
      part.exact = false;
      return;
    }
    const Expr cosine = s_.graph().bind(s_.dot(m.motion->axis, axis));
    part.exact = part.exact && is_constant(cosine, s_);
    part.value += m.sign * cosine * m.motion->value;
  }

  [[nodiscard]] Expr rate(const std::string& body, std::size_t which) const {
    const FrameId frame = c_.lowered.body_frames.at(body);
    if (gear_.rack && which == 1) return s_.dot(s_.velocity(c_.lowered.body_origins.at(body), carrier_), axes_[1]);
    return s_.dot(s_.angular_velocity(frame, carrier_), axes_[which]);
  }

  [[nodiscard]] bool depends_on_nothing(const Expr& phi) const {
    const Expr bound = s_.graph().bind(phi);
    return is_constant(bound, s_);
  }

  /// Weights of the two angles in the constraint.
  [[nodiscard]] std::pair<Expr, Expr> weights() const {
    if (gear_.rack) return {gear_.first_size, -1};
    const int sign = gear_.internal ? -1 : 1;
    if (gear_.lengths) return {gear_.first_size, sign * gear_.second_size};
    return {sign * gear_.first_size / gear_.second_size, 1};
  }

  // ---- forces -------------------------------------------------------------------------------------------------------
  void add_actions(const Expr& wa, const Expr& wb) {
    if (add_pitch_force()) return;
    const FrameId a = c_.lowered.body_frames.at(gear_.first), b = c_.lowered.body_frames.at(gear_.second);
    c_.lowered.actions.push_back({constraint_.name, {}, {}, a, carrier_, wa * axes_[0]});
    if (gear_.rack) {
      const PointId rack = c_.lowered.body_origins.at(gear_.second);
      const PointId on = material(".carrier", carrier_, rack);
      c_.lowered.actions.push_back({constraint_.name, rack, on, {}, {}, wb * axes_[1]});
    } else {
      c_.lowered.actions.push_back({constraint_.name, {}, {}, b, carrier_, wb * axes_[1]});
    }
  }

  /// A point on the axis of a gear.
  [[nodiscard]] std::optional<PointId> centre(const std::vector<MotionOnPath>& motions) const {
    for (auto m = motions.rbegin(); m != motions.rend(); ++m)
      if (m->motion->kind == MotionKind::Rotation) return m->motion->start;
    return std::nullopt;
  }

  /// The point of a body at a place; on the ground nothing moves, wherever that is.
  [[nodiscard]] PointId material(const char* suffix, FrameId frame, PointId place) {
    return frame == s_.inertial() ? s_.origin() : s_.add_point_of(constraint_.name + suffix, frame, place);
  }

  /// The force at the pitch point, if that lies on the line between the axes of two parallel gears where the radii say.
  bool add_pitch_force() {
    const Expr cosine = s_.graph().bind(s_.dot(axes_[0], axes_[1]));
    const auto a = centre(first_), b = centre(second_);
    if (gear_.rack && a && cosine.is_zero()) {
      push_at(*a, s_.cross(axes_[1], axes_[0]));
      return true;
    }
    if (!gear_.lengths || gear_.rack || !cosine.is_one() || !a || !b) return false;
    const Vector& axis = axes_[0];
    const Vector span = s_.position(*b, *a);
    const Vector across = span - s_.dot(span, axis) * axis;
    const Expr square = s_.graph().bind(s_.dot(across, across));
    if (square.is_zero() || !is_constant(square, s_)) return false;
    const double distance = std::sqrt(initial_value(square, m_));
    const double r1 = initial_value(s_.graph().bind(gear_.first_size), m_);
    const double r2 = initial_value(s_.graph().bind(gear_.second_size), m_);
    const double needed = gear_.internal ? std::abs(r1 - r2) : r1 + r2;
    if (std::abs(distance - needed) > 1e-9 * (r1 + r2)) {
      c_.lowered.warnings.push_back(fmt::format(
          "the axes of the gears '{}' and '{}' of '{}' are {:.6g} m apart, but their radii call for {:.6g} m; "
          "reactions count the mesh as torques only",
          gear_.first, gear_.second, constraint_.name, distance, needed));
      return false;
    }
    const bool inside = gear_.internal && r1 < r2;  // the first gear runs in the second
    push_at(*a, (inside ? -across : across) / sqrt(square));
    return true;
  }

  /// The force of the teeth, per unit: at the radius of the first gear in the direction n from its axis, along a x n on the
  /// first gear and the other way on the second.
  void push_at(PointId centre_of_first, const Vector& n) {
    const PointId pitch = s_.add_point(constraint_.name + ".pitch", centre_of_first, gear_.first_size * n);
    const PointId on_first = material(".first", c_.lowered.body_frames.at(gear_.first), pitch);
    const PointId on_second = material(".second", c_.lowered.body_frames.at(gear_.second), pitch);
    c_.lowered.actions.push_back({constraint_.name, on_first, on_second, {}, {}, s_.cross(axes_[0], n)});
    c_.lowered.reported_points.emplace_back(constraint_.name + ".pitch", pitch);
    c_.lowered.names.add_point(constraint_.name + ".pitch", pitch);
  }

  const LoweringContext& c_;
  const Mechanism& m_;
  System& s_;
  const Constraint& constraint_;
  const GearConstraint& gear_;
  FrameId carrier_;
  std::vector<MotionOnPath> first_, second_;
  std::vector<Vector> axes_;
};

}  // namespace

void lower_gear(const LoweringContext& context, const Constraint& constraint, const GearConstraint& gear) {
  GearLowering(context, constraint, gear).run();
}

}  // namespace kane

// Joints that close loops. Both bodies are placed already; which motions are free says which conditions remain:
//
//   positions     (Q - P).d = 0 for every direction d across the free translations, P on the parent, Q on the child
//   orientation   none free: G.x.F.y = G.y.F.z = G.z.F.x = 0 for the frames F of the parent and G of the child
//                 one, about a: a_G.b_F = a_G.c_F = 0 with b, c across a
//                 two, about a1 (fixed in F) and a2 (fixed in G): a1.a2 keeps its value
//                 three, or a ball: no condition
//
// where F, P and G, Q have taken in the locked motions on their sides. A screw is a cylindrical joint whose two motions
// are coupled by a condition on the speeds. The rate of a_G.b_F is (w_G - w_F).(a_G x b_F), so its multiplier is a torque
// a_G x b_F on the child. Conditions that hold by themselves (such as those out of the plane of a planar loop) are left
// out and reported.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/directions.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

bool is_free_turn(const ElementaryMotion& m) { return m.free && m.kind != MotionKind::Translation; }

class ClosingJoint {
 public:
  ClosingJoint(const LoweringContext& context, std::size_t number)
      : c_(context), s_(context.system), joint_(context.mechanism.joints[number]), number_(number) {}

  void run() {
    split();
    walk_parent_side();
    walk_child_side();
    read_middle();
    add_position_rows();
    add_orientation_rows();
    if (screw_ != nullptr) add_screw_row();
    report();
    add_laws();
    LoweredJoint& out = c_.lowered.joints[number_];
    out.inner = P_, out.outer = on_child_, out.acting = Q_, out.inner_frame = F_, out.outer_frame = G_;
  }

 private:
  // ---- the two sides ------------------------------------------------------------------------------------------------
  void split() {
    const auto& motions = joint_.motions;
    first_ = last_ = motions.size();
    for (std::size_t i = 0; i < motions.size(); ++i) {
      if (!is_free_turn(motions[i])) continue;
      if (first_ == motions.size()) first_ = i;
      last_ = i;
    }
  }

  void walk_parent_side() {
    // The part before the first free rotation becomes a separate joint, with its free translations at zero.
    Joint part = joint_;
    part.motions.assign(joint_.motions.begin(), joint_.motions.begin() + static_cast<std::ptrdiff_t>(first_));
    for (ElementaryMotion& m : part.motions) {
      if (m.free) m.value = 0;
      m.free = false;
    }
    c_.lowered.joints[number_] = lower_motions(c_, part, "");
    LoweredJoint& out = c_.lowered.joints[number_];
    F_ = out.outer_frame;
    P_ = out.outer;
    for (std::size_t i = 0; i < first_; ++i)
      if (joint_.motions[i].free) slides_.push_back({i, out.motions[i].axis});
  }

  // From the child's placement backwards: the frame before a rotation about a by theta is the one after it turned by
  // -theta about the same axis.
  void walk_child_side() {
    const Attachment a = attach(c_, joint_.child, joint_.on_child.position, fmt::format("the joint '{}'", joint_.name));
    Q_ = s_.add_point(joint_.name + ".out", a.from, Vector(a.frame, a.offset));
    on_child_ = Q_;
    G_ = s_.add_frame(joint_.name + ".g0", a.frame, DirectionCosines{joint_.on_child.rotation});
    c_.lowered.names.add_frame(joint_.name + ".g0", G_);
    for (std::size_t i = joint_.motions.size(); i > last_ + 1; --i) {
      const ElementaryMotion& m = joint_.motions[i - 1];
      const Vector axis = unit_along(s_, Vector(G_, m.axis));
      const Expr length = m.kind == MotionKind::Screw ? m.pitch * m.value : m.value;
      if (m.free)
        slides_.push_back({i - 1, axis});
      else if (m.kind != MotionKind::Rotation && !length.is_zero())
        Q_ = s_.add_point(fmt::format("{}.q{}", joint_.name, i), Q_, -length * axis);
      if (m.kind != MotionKind::Translation)
        G_ = s_.add_frame(fmt::format("{}.g{}", joint_.name, i), G_, AxisRotation{axis.in(G_), -m.value});
    }
  }

  /// Free rotations, and what is locked between them.
  void read_middle() {
    for (std::size_t i = first_; i <= last_ && i < joint_.motions.size(); ++i) {
      const ElementaryMotion& m = joint_.motions[i];
      const bool still = !m.free && m.kind == MotionKind::Rotation;
      require(still || m.kind != MotionKind::Translation,
              "the closing joint '{}' translates between two of its rotations; cut the loop at another joint",
              joint_.name);
      if (m.kind == MotionKind::Ball) ball_ = true;
      if (!m.free) continue;
      ++turns_;
      if (m.kind == MotionKind::Screw) screw_ = &m;
    }
    require(screw_ == nullptr || turns_ == 1,
            "the closing joint '{}' has a screw and other rotations; cut the loop at another joint", joint_.name);
    if (turns_ == 0) return;
    a1_ = unit_along(s_, Vector(F_, joint_.motions[first_].axis));
    a2_ = unit_along(s_, Vector(G_, joint_.motions[last_].axis));
    if (screw_ != nullptr) slides_.push_back({first_, a1_});
  }

  // ---- rows ---------------------------------------------------------------------------------------------------------
  void add_position_rows() {
    std::vector<Vector> held;
    switch (slides_.size()) {
      case 0: held = {x(F_), y(F_), z(F_)}; break;
      case 1: {
        const auto [b, c] = across(slides_[0].axis, c_.mechanism, s_);
        held = {b, c};
        break;
      }
      case 2: held = {unit_along(s_, s_.cross(slides_[0].axis, slides_[1].axis))}; break;
      default: break;
    }
    for (std::size_t i = 0; i < held.size(); ++i) {
      const std::string name = fmt::format("{}.{}", joint_.name, "xyz"[i]);
      if (holds_already(s_.dot(s_.position(Q_, P_), held[i]), name)) continue;
      if (slides_.size() == 2)
        add_between_slides(name, held[i]);
      else
        add_coincidence(c_, name, Q_, P_, held[i], joint_.name, joint_.active);
    }
  }

  // The normal n = a x b of two slides turns with both of them. With the span s, s.n = 0, the rate s.n' is
  // w_a.(a x (b x s)) + w_b.(b x (s x a)): torques on what carries the slides.
  void add_between_slides(const std::string& name, const Vector& normal) {
    s_.add_coincidence(name, Q_, P_, normal, joint_.name, joint_.active);
    c_.lowered.actions.push_back({name, Q_, P_, {}, {}, normal});
    const Vector &a = slides_[0].axis, &b = slides_[1].axis, span = s_.position(Q_, P_);
    const Expr length = s_.magnitude(s_.cross(a, b));
    const auto add = [&](const Vector& slide, const Vector& torque) {
      c_.lowered.actions.push_back({name, {}, {}, slide.terms().front().frame, {}, torque / length});
    };
    add(a, s_.cross(a, s_.cross(b, span)));
    add(b, s_.cross(b, s_.cross(span, a)));
  }

  void add_orientation_rows() {
    if (ball_ || turns_ >= 3) return;
    if (turns_ == 0) {
      add_orientation("rx", y(G_), z(F_), 0);
      add_orientation("ry", z(G_), x(F_), 0);
      add_orientation("rz", x(G_), y(F_), 0);
    } else if (turns_ == 1) {
      const auto [b, c] = across(a1_.in(F_), c_.mechanism);
      add_orientation("r1", a2_, Vector(F_, b), 0);
      add_orientation("r2", a2_, Vector(F_, c), 0);
    } else {
      add_orientation("r1", a2_, a1_, axis_angle_cosine());
    }
  }

  /// a1.a2 where nothing has turned but what is locked between the two.
  [[nodiscard]] Expr axis_angle_cosine() const {
    Expr3 a = a2_.in(G_);
    for (std::size_t i = last_; i-- > first_ + 1;) {
      const ElementaryMotion& m = joint_.motions[i];
      const Expr3 axis = unit_along(s_, Vector(F_, m.axis)).in(F_);
      a = multiply(axis_rotation_matrix(axis, s_.graph().bind(m.value)), a);
    }
    return dot(a1_.in(F_), a);
  }

  void add_orientation(const char* suffix, const Vector& a, const Vector& b, const Expr& value) {
    const std::string name = fmt::format("{}.{}", joint_.name, suffix);
    const Expr phi = s_.dot(a, b) - value;
    if (holds_already(phi, name)) return;
    s_.add_configuration_constraint(name, phi, joint_.name, joint_.active);
    c_.lowered.actions.push_back({name, {}, {}, G_, F_, s_.cross(a, b)});
  }

  void add_screw_row() {
    const std::string name = joint_.name + ".s";
    const Vector slide = s_.derivative(s_.position(Q_, P_), F_);
    const Expr turn = s_.dot(s_.angular_velocity(G_, F_), a1_);
    s_.add_motion_constraint(name, s_.dot(slide, a1_) - screw_->pitch * turn, joint_.name, joint_.active);
    c_.lowered.actions.push_back({name, Q_, P_, {}, {}, a1_});
    c_.lowered.actions.push_back({name, {}, {}, F_, {}, s_.cross(a1_, s_.position(Q_, P_))});
    c_.lowered.actions.push_back({name, {}, {}, G_, F_, -screw_->pitch * a1_});
  }

  /// Whether a condition holds whatever the mechanism does. One that can never hold is an error.
  bool holds_already(const Expr& phi, const std::string& name) {
    ++conditions_;
    if (phi.is_zero()) {
      idle_.push_back(name);
      return true;
    }
    if (!is_constant(phi, s_)) return false;
    const double off = initial_value(phi, c_.mechanism);
    require(std::abs(off) < 1e-9,
            "the closing joint '{}' can never close: its condition {} is off by {:.6g} however the bodies move",
            joint_.name, name, off);
    idle_.push_back(name);
    c_.lowered.warnings.push_back(fmt::format("the closing joint '{}' closes only because {} = 0 for these parameters",
                                              joint_.name, phi.to_string()));
    return true;
  }

  void report() {
    if (idle_.empty()) return;
    c_.lowered.warnings.push_back(
        fmt::format("{} of the {} conditions of the closing joint '{}' hold by themselves and are left out: {}",
                    idle_.size(), conditions_, joint_.name, fmt::join(idle_, ", ")));
    require(idle_.size() < at(conditions_),
            "the closing joint '{}' says nothing: all its conditions hold by themselves", joint_.name);
  }

  // ---- laws ---------------------------------------------------------------------------------------------------------
  void add_laws() {
    const std::size_t before = c_.lowered.joint_loads.size();
    for (std::size_t i = 0; i < joint_.motions.size(); ++i) {
      const ElementaryMotion& m = joint_.motions[i];
      const bool switches = m.law.has_rigid_stops() || !m.law.friction.is_zero();  // lowering_switching.cpp
      if (!m.free || (is_empty(m.law) && !switches)) continue;
      const std::string name = joint_.motions.size() == 1 ? joint_.name : fmt::format("{}.{}", joint_.name, i + 1);
      const LoweredMotion& measured = c_.lowered.joints[number_].measured.emplace(i, motion(i, m)).first->second;
      if (!is_empty(m.law)) lower_axis_law(c_, m.law, measured, name, joint_.where);
    }
    c_.lowered.joint_loads.resize(before);  // the two bodies are not neighbours in the tree
  }

  /// The motion with its coordinate measured, since it is none of the system's.
  LoweredMotion motion(std::size_t i, const ElementaryMotion& m) {
    LoweredMotion out;
    out.kind = m.kind;
    out.from = F_, out.to = G_, out.start = P_, out.end = Q_;
    if (m.kind == MotionKind::Translation) {
      const auto slide = std::find_if(slides_.begin(), slides_.end(), [&](const Slide& s) { return s.motion == i; });
      out.axis = slide->axis;
      const Vector span = s_.position(Q_, P_);
      out.value = s_.dot(span, out.axis);
      out.rate = s_.time_derivative(out.value);
      // The reaction acts on the parent where the child's point just is.
      out.start =
          s_.add_point_of(fmt::format("{}.at{}", joint_.name, i + 1), c_.lowered.body_frames.at(joint_.parent), Q_);
      return out;
    }
    require(turns_ == 1 || (m.kind == MotionKind::Ball && m.law.stiffness.is_zero()),
            "the closing joint '{}' turns about several axes, so a spring, motor or stop about one of them has no "
            "angle; put "
            "it at a joint that places a body",
            joint_.name);
    if (m.kind == MotionKind::Ball) return out;
    out.axis = a1_;
    out.rate = s_.dot(s_.angular_velocity(G_, F_), a1_);
    const auto [b, c] = across(a1_.in(F_), c_.mechanism);
    out.value = atan2(s_.dot(Vector(G_, b), Vector(F_, c)), s_.dot(Vector(G_, b), Vector(F_, b)));
    return out;
  }

  struct Slide {
    std::size_t motion;
    Vector axis;
  };

  const LoweringContext& c_;
  System& s_;
  const Joint& joint_;
  std::size_t number_;
  std::size_t first_ = 0, last_ = 0;  ///< free rotations, first and last
  FrameId F_, G_;
  PointId P_, Q_;
  PointId on_child_;           ///< of the placement: Q before the locked motions on its side
  std::vector<Slide> slides_;  ///< free translations
  int turns_ = 0;              ///< free rotations
  bool ball_ = false;
  const ElementaryMotion* screw_ = nullptr;
  Vector a1_, a2_;
  int conditions_ = 0;
  std::vector<std::string> idle_;
};

}  // namespace

void lower_closing_joints(const LoweringContext& context) {
  for (std::size_t j = 0; j < context.mechanism.joints.size(); ++j) {
    const Joint& joint = context.mechanism.joints[j];
    if (joint.closing) with_place(joint.where, [&] { ClosingJoint(context, j).run(); });
  }
}

}  // namespace kane

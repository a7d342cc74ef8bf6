// Joints, with the springs, dampers and limits of their motions.

#include <algorithm>
#include <cmath>

#include "kane/formats/mjcf/mjcf_builder.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

void MjcfBuilder::add_joints(std::size_t i) {
  const MjcfBody& b = bodies_[i];
  if (b.joints.empty()) return;
  const MjcfBody& parent = bodies_[b.parent];
  if (b.joints.front().type == "free") return add_free_joint(i);
  std::string from = owner_of(b.parent);
  MjcfPose place = compose(parent.in_owner, b.pose);
  for (std::size_t first = 0; first < b.joints.size();) {
    std::size_t end = first + 1;
    Vec3 point = b.joints[first].position;
    bool fixed_point = b.joints[first].type != "slide";
    while (end < b.joints.size() && b.joints[end].reference == 0) {
      const MjcfJoint& next = b.joints[end];
      const bool about_point = next.type != "slide";
      if (about_point && fixed_point && !(next.position == point)) break;
      if (about_point && !fixed_point) point = next.position, fixed_point = true;
      ++end;
    }
    const bool last = end == b.joints.size();
    std::string to = last ? name_of(i) : add_between(i);
    add_group(i, first, end, point, from, to, place);
    from = to;
    place = {};
    first = end;
  }
}

std::string MjcfBuilder::add_between(std::size_t i) {
  MechanismBody body;
  body.name = body_names_.add(name_of(i) + "_between", "body");
  body.where = bodies_[i].element->where;
  const std::string name = body.name;
  m_.add_body(std::move(body));
  return name;
}

void MjcfBuilder::add_group(std::size_t i, std::size_t first, std::size_t end, const Vec3& point,
                            const std::string& from, const std::string& to, const MjcfPose& place) {
  const MjcfBody& b = bodies_[i];
  const MjcfJoint& head = b.joints[first];
  Joint joint;
  joint.where = head.element->where;
  joint.name =
      joint_names_.add(head.name, "joint", head.element->find("name") != nullptr ? &refusals_.notes() : nullptr);
  joint.parent = from;
  joint.child = to;
  // In the described pose the coordinate has its reference value, not zero.
  MjcfPose start{point, {}};
  if (head.reference != 0 && head.type == "hinge") start.rotation = rotation_about(head.axis, -head.reference);
  if (head.reference != 0 && head.type == "slide") start.position = point - head.reference * head.axis;
  joint.on_parent = mjcf_placement(compose(place, start));
  joint.on_child = mjcf_placement({point, {}});
  std::vector<std::string> coordinates, speeds;
  for (std::size_t k = first; k < end; ++k)
    add_motion(b.joints[k], k == first ? joint.name : "", joint, coordinates, speeds);
  joint.kind = joint.motions.size() > 1                                ? "general"
               : joint.motions.front().kind == MotionKind::Rotation    ? "revolute"
               : joint.motions.front().kind == MotionKind::Translation ? "prismatic"
                                                                       : "spherical";
  name_motions(graph_, joint, coordinates, speeds);
  const std::size_t index = m_.joints.size();
  for (std::size_t k = first; k < end; ++k) remember_axis(i, b.joints[k], joint.motions[k - first], index, k - first);
  m_.add_joint(std::move(joint));
}

void MjcfBuilder::add_motion(const MjcfJoint& j, const std::string& joint_name, Joint& joint,
                             std::vector<std::string>& coordinates, std::vector<std::string>& speeds) {
  const std::string name = joint_name.empty() ? joint_names_.add(j.name, "joint", &refusals_.notes()) : joint_name;
  ElementaryMotion motion;
  motion.kind = j.type == "hinge"   ? MotionKind::Rotation
                : j.type == "slide" ? MotionKind::Translation
                                    : MotionKind::Ball;
  motion.axis = mjcf_exprs(j.axis);
  joint.motions.push_back(std::move(motion));
  if (j.type == "ball") {
    for (const char* e : {"e1", "e2", "e3", "e4"}) coordinates.push_back(fmt::format("{}_{}", name, e));
    for (const char* w : {"wx", "wy", "wz"}) speeds.push_back(fmt::format("{}_{}", name, w));
  } else {
    coordinates.push_back("q_" + name);
    speeds.push_back("u_" + name);
  }
}

void MjcfBuilder::remember_axis(std::size_t i, const MjcfJoint& j, ElementaryMotion& motion, std::size_t joint,
                                std::size_t place) {
  const MjcfElement& e = *j.element;
  for (const char* attribute : {"stiffness", "damping"}) (void)e.number(attribute, 0);  // one number, not a polynomial
  if (j.type == "ball") return remember_ball(i, j, motion);
  AxisLaw& law = motion.law;
  const double unit = j.type == "hinge" ? compiler_.angle_unit : 1;
  if (passive("spring") && stiffness_of(j) != 0) {
    law.stiffness = Expr(stiffness_of(j));
    law.rest = Expr(e.number("springref", 0) * unit);
  }
  if (passive("damper") && damping_of(j) != 0) law.damping = Expr(damping_of(j));
  if (enabled("constraint") && enabled("frictionloss") && e.number("frictionloss", 0) != 0)
    law.friction = Expr(e.number("frictionloss", 0));
  const auto range = e.numbers("range", 2, 2);
  if (range && compiler_.limited(e, "limited", "range") && enabled("constraint") && enabled("limit")) {
    law.lower = Expr((*range)[0] * unit);
    law.upper = Expr((*range)[1] * unit);
  }
  const std::string q = motion.coordinates.front().name(), u = motion.speeds.front().name();
  if (e.number("armature", 0) != 0)
    forces_[q].push_back(fmt::format("{}*{}'", number_text(-e.number("armature", 0)), u));
  m_.initial[q] = j.reference;
  qpos_.push_back(q);
  qvel_.push_back(u);
  MjcfAxis axis{q, u, &e, j.reference, e.number("armature", 0), j.type == "hinge"};
  axes_.emplace(j.name, MjcfAxisPlace{axis, i, &j, joint, place});
}

void MjcfBuilder::remember_ball(std::size_t i, const MjcfJoint& j, const ElementaryMotion& motion) {
  const MjcfElement& e = *j.element;
  for (const std::size_t k : {3U, 0U, 1U, 2U}) qpos_.push_back(motion.coordinates[k].name());
  for (const Expr& u : motion.speeds) qvel_.push_back(u.name());
  m_.initial[motion.coordinates[3].name()] = 1;
  refuse_on_ball(e, {"springdamper", "frictionloss"});
  add_ball_spring(e, j, name_of(i), owner_of(bodies_[i].parent), motion);
  limit_ball(e, j, motion);
  add_ball_load(e, j.name, name_of(i), owner_of(bodies_[i].parent), motion.speeds, {});
  balls_.emplace(j.name, i);
}

void MjcfBuilder::refuse_on_ball(const MjcfElement& e, std::initializer_list<const char*> attributes) {
  for (const char* attribute : attributes)
    if (const auto v = e.numbers(attribute, 1, 2);
        v && std::any_of(v->begin(), v->end(), [](double x) { return x != 0; }))
      if (std::string_view(attribute) != "range" || compiler_.limited(e, "limited", "range"))
        refusals_.refuse(e,
                         fmt::format("'{}' of {} is not supported on a ball or free joint", attribute, e.describe()));
}

void MjcfBuilder::add_ball_load(const MjcfElement& e, const std::string& joint, const std::string& on,
                                const std::string& reaction, const std::vector<Expr>& w, const std::vector<Expr>& v) {
  const double damping = passive("damper") ? e.number("damping", 0) : 0, armature = e.number("armature", 0);
  if (damping == 0 && armature == 0) return;
  const auto text = [&](const std::vector<Expr>& speeds, const std::string& frame) {
    std::string sum;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string u = speeds[k].name();
      std::string term;
      if (damping != 0) term = fmt::format("{}*{}", number_text(-damping), u);
      if (armature != 0) term += fmt::format("{}{}*{}'", term.empty() ? "" : " + ", number_text(-armature), u);
      sum += fmt::format("{}({})*{}.{}", k == 0 ? "" : " + ", term, frame, "xyz"[k]);
    }
    return sum;
  };
  Load torque;
  torque.name = loads_.add(fmt::format("{}_rotation", joint), "load");
  torque.where = e.where;
  torque.what = TorqueLoad{{text(w, on), e.where}, {}, on, reaction == m_.ground ? "" : reaction};
  m_.loads.push_back(std::move(torque));
  if (v.empty()) return;
  Load force;
  force.name = loads_.add(fmt::format("{}_translation", joint), "load");
  force.where = e.where;
  force.what =
      ForceLoad{{text(v, m_.ground), e.where}, {}, add_point(on + "_origin", body_index_.at(on), {}, e.where), ""};
  m_.loads.push_back(std::move(force));
}

void MjcfBuilder::add_free_joint(std::size_t i) {
  const MjcfBody& b = bodies_[i];
  const MjcfJoint& j = b.joints.front();
  const MjcfElement& e = *j.element;
  Joint joint;
  joint.where = e.where;
  joint.name = joint_names_.add(j.name, "joint", e.find("name") != nullptr ? &refusals_.notes() : nullptr);
  joint.kind = "free";
  joint.parent = m_.ground;
  joint.child = name_of(i);
  joint.motions = open_joint(joint_kind("free", joint.where));
  std::vector<std::string> q, u;
  for (const char* s : {"x", "y", "z", "e1", "e2", "e3", "e4"}) q.push_back(fmt::format("{}_{}", joint.name, s));
  for (const char* s : {"vx", "vy", "vz", "wx", "wy", "wz"}) u.push_back(fmt::format("{}_{}", joint.name, s));
  name_motions(graph_, joint, q, u);
  const auto quaternion = quaternion_from_rotation(b.world.rotation);
  for (std::size_t k = 0; k < 3; ++k) m_.initial[q[k]] = b.world.position[k], m_.initial[q[3 + k]] = quaternion[k + 1];
  m_.initial[q[6]] = quaternion[0];
  for (const std::size_t k : {0U, 1U, 2U, 6U, 3U, 4U, 5U}) qpos_.push_back(q[k]);
  qvel_.insert(qvel_.end(), u.begin(), u.end());
  const std::vector<Expr> w = joint.motions[3].speeds;
  std::vector<Expr> v;
  for (std::size_t k = 0; k < 3; ++k) v.push_back(joint.motions[k].speeds.front());
  m_.add_joint(std::move(joint));
  if (e.name == "freejoint") {
    free_.emplace(j.name, i);
    return;
  }
  body_index_[name_of(i)] = i;
  refuse_on_ball(e, {"springdamper", "stiffness", "frictionloss"});
  add_ball_load(e, j.name, name_of(i), m_.ground, w, v);
  free_.emplace(j.name, i);
}

}  // namespace kane

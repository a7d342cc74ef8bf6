#include "kane/formats/mjcf/mjcf_reader.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kane/base/suggest.hpp"
#include "kane/formats/import_names.hpp"
#include "kane/formats/mjcf/mjcf_contacts.hpp"
#include "kane/formats/mjcf/mjcf_forces.hpp"
#include "kane/formats/mjcf/mjcf_replicate.hpp"
#include "kane/formats/mjcf/mjcf_tendons.hpp"
#include "kane/formats/yaml/yaml_document.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

Expr3 exprs(const Vec3& v) { return {Expr(v.x), Expr(v.y), Expr(v.z)}; }
Expr33 exprs(const Mat3& m) { return {exprs(m[0]), exprs(m[1]), exprs(m[2])}; }
Placement placement(const MjcfPose& pose) { return {exprs(pose.position), exprs(pose.rotation)}; }

/// "x*B.x + y*B.y + z*B.z"
std::string vector_text(const Vec3& v, const std::string& frame) {
  std::string text;
  for (std::size_t i = 0; i < 3; ++i) {
    if (v[i] == 0) continue;
    if (!text.empty()) text += " + ";
    text += fmt::format("{}*{}.{}", number_text(v[i]), frame, "xyz"[i]);
  }
  return text.empty() ? fmt::format("0*{}.x", frame) : text;
}

/// A named place in a body.
struct Site {
  std::string point;
  std::size_t body;
  MjcfPose pose;  ///< in the body that it moves with
};

/// A coordinate with one degree of freedom, and where it is in the file and in the mechanism.
struct AxisPlace {
  MjcfAxis axis;
  std::size_t body;
  const MjcfJoint* joint;
  std::size_t joint_index, motion;
};

class MjcfBuilder {
 public:
  MjcfBuilder(const MjcfFile& file, const MjcfOptions& options, MjcfRefusals& refusals)
      : file_(file),
        options_(options),
        refusals_(refusals),
        compiler_(file.compiler, refusals),
        bodies_(collect_bodies(file, compiler_, options.limits, refusals)),
        m_(plain_name(file.model)),
        graph_(*m_.graph),
        body_names_({m_.ground}) {
    m_.where = file.where;
  }

  Mechanism build() {
    if (bodies_.size() < 2) throw ModelError(file_.where, "the model has no bodies besides the world");
    set_gravity();
    name_bodies();
    for (std::size_t i = 1; i < bodies_.size(); ++i) add_body(i);
    for (std::size_t i = 0; i < bodies_.size(); ++i) add_sites(i);
    if (options_.geometry) add_ground_shapes();
    for (std::size_t i = 1; i < bodies_.size(); ++i) add_joints(i);
    weigh_axes();
    if (enabled("actuation") && options_.actuators) add_actuators();
    add_tendon_forces();
    finish_laws();
    if (enabled("equality") && enabled("constraint")) add_equalities();
    if (options_.contacts && enabled("contact") && enabled("constraint")) add_contacts();
    use_keyframe();
    add_notes();
    m_.description = fmt::format("'{}', imported from MJCF", shown(file_.model));
    m_.notes = std::move(refusals_.notes());
    (void)check_mechanism(m_);
    return std::move(m_);
  }

 private:
  [[nodiscard]] bool enabled(std::string_view flag) const { return file_.flags.flag(flag, true); }
  [[nodiscard]] bool passive(std::string_view flag) const { return enabled("passive") && enabled(flag); }

  // ---- bodies -------------------------------------------------------------------------------------------------------------
  void set_gravity() {
    gravity_ = mjcf_vector(file_.option, "gravity", {0, 0, -9.81});
    for (const char* name : {"density", "viscosity"})
      if (file_.option.number(name, 0) != 0)
        refusals_.refuse(file_.option, fmt::format("the fluid ('{}' of <option>) is not supported", name));
    if (!enabled("gravity")) gravity_ = {};
    const double size = norm(gravity_);
    if (size == 0) return;
    m_.add_parameter("g", Expr(size));
    m_.units["g"] = "m/s^2";
    gravity_text_ = vector_text((1 / size) * gravity_, m_.ground);
    gravity_text_ = gravity_text_ == "(-1)*N.z" ? "-g*N.z" : fmt::format("g*({})", gravity_text_);
    m_.gravity = {gravity_text_, file_.option.where.line == 0 ? m_.where : file_.option.where};
  }

  void name_bodies() {
    for (std::size_t i = 1; i < bodies_.size(); ++i)
      names_.push_back(body_names_.add(bodies_[i].name, "body", &refusals_.notes()));
  }
  [[nodiscard]] const std::string& name_of(std::size_t body) const { return body == 0 ? m_.ground : names_[body - 1]; }
  [[nodiscard]] const std::string& owner_of(std::size_t body) const { return name_of(bodies_[body].owner); }

  void add_body(std::size_t i) {
    const MjcfBody& b = bodies_[i];
    compensate_gravity(i);
    if (b.owner != i) {
      m_.frames.push_back({name_of(i), owner_of(i), placement(b.in_owner), b.element->where});
      return;
    }
    std::vector<MjcfMass> parts;
    MechanismBody body;
    body.name = name_of(i);
    body.where = b.element->where;
    for (std::size_t k = i; k < bodies_.size(); ++k) {
      if (bodies_[k].owner != i) continue;
      parts.push_back(placed(bodies_[k].mass, bodies_[k].in_owner));
      if (options_.geometry) add_shapes(bodies_[k], body.shapes);
    }
    const MjcfMass whole = combine(parts);
    body.mass = Expr(whole.mass);
    body.mass_centre = exprs(whole.centre);
    body.inertia = exprs(whole.inertia);
    m_.add_body(std::move(body));
  }

  /// A force against gravity at the body's own mass centre.
  void compensate_gravity(std::size_t i) {
    const MjcfBody& b = bodies_[i];
    const double share = b.element->number("gravcomp", 0);
    if (share == 0 || gravity_text_.empty() || b.owner == 0) return;
    const std::string point = add_point(name_of(i) + "_centre", b.owner,
                                        b.in_owner.position + b.in_owner.rotation * b.mass.centre, b.element->where);
    Load load;
    load.name = loads_.add(fmt::format("gravcomp_{}", name_of(i)), "load");
    load.where = b.element->where;
    load.what = ForceLoad{
        {fmt::format("{}*({})", number_text(-share * b.mass.mass), gravity_text_), load.where}, {}, point, ""};
    m_.loads.push_back(std::move(load));
  }

  std::string add_point(const std::string& name, std::size_t owner, const Vec3& at, const Where& where) {
    const std::string unique = body_names_.add(name, "point");
    m_.points.push_back({unique, name_of(owner), exprs(at), where});
    return unique;
  }

  void add_sites(std::size_t i) {
    const MjcfBody& b = bodies_[i];
    for (const MjcfPart& part : b.sites) {
      const MjcfElement& e = *part.element;
      MjcfPose own = compiler_.pose(e);
      if (const auto ends = e.numbers("fromto", 6, 6))
        own.position = 0.5 * (Vec3{(*ends)[0], (*ends)[1], (*ends)[2]} + Vec3{(*ends)[3], (*ends)[4], (*ends)[5]});
      const MjcfPose pose = compose(b.in_owner, compose(part.pose, own));
      const std::string name = e.text("name", fmt::format("site_{}", ++site_count_));
      const std::string point = body_names_.add(name, "site", e.find("name") != nullptr ? &refusals_.notes() : nullptr);
      m_.points.push_back({point, owner_of(i), exprs(pose.position), e.where});
      if (!sites_.emplace(name, Site{point, i, pose}).second)
        e.fail(fmt::format("there are two sites named '{}'", name));
    }
  }

  // ---- shapes -------------------------------------------------------------------------------------------------------------
  void add_shapes(const MjcfBody& b, std::vector<Shape>& shapes) {
    for (const MjcfPart& part : b.geoms) {
      const MjcfElement& e = *part.element;
      const MjcfGeom geom = read_geom(e, compiler_);
      Shape shape;
      if (!set_kind(e, geom, shape)) continue;
      shape.place = placement(compose(b.in_owner, compose(part.pose, geom.pose)));
      shape.color = color_of(e);
      shape.contact = e.number("contype", 1) != 0 || e.number("conaffinity", 1) != 0;
      shape.hull = !shape.file.empty();  // that is what MuJoCo uses
      // By habit of the field, shapes for contact alone are in the groups from 3 on.
      shape.display = e.number("group", 0) < 3;
      if (shape.contact) touching_.push_back({&e, b.owner, bodies_[bodies_[b.owner].parent].owner});
      shapes.push_back(std::move(shape));
    }
  }

  bool set_kind(const MjcfElement& e, const MjcfGeom& geom, Shape& shape) {
    const auto& s = geom.sizes;
    if (geom.type == "mesh") return set_mesh(e, shape);
    if (e.find("mesh") != nullptr || geom.type == "hfield" || geom.type == "sdf") {
      refusals_.note(e, fmt::format("the shape of {} is left out: {} is not supported", e.describe(),
                                    geom.type == "hfield" ? "a height field" : "a shape fitted to a mesh"));
      return false;
    }
    if (geom.type == "sphere") shape.kind = ShapeKind::Sphere, shape.sizes = {s[0]};
    if (geom.type == "box") shape.kind = ShapeKind::Box, shape.sizes = {2 * s[0], 2 * s[1], 2 * s[2]};
    if (geom.type == "ellipsoid") shape.kind = ShapeKind::Ellipsoid, shape.sizes = {s[0], s[1], s[2]};
    if (geom.type == "cylinder") shape.kind = ShapeKind::Cylinder, shape.sizes = {s[0], 2 * s[1]};
    if (geom.type == "capsule") shape.kind = ShapeKind::Capsule, shape.sizes = {s[0], 2 * s[1]};
    if (geom.type == "plane") shape.kind = ShapeKind::Plane;
    return true;
  }

  bool set_mesh(const MjcfElement& e, Shape& shape) {
    const MjcfElement& mesh = find_mesh(file_, e);
    const std::string path = mesh_path(mesh, compiler_);
    const auto leave_out = [&](const char* why) {
      refusals_.note(e, fmt::format("the mesh '{}' is left out: {}", shown(mesh_name(mesh)), why));
      return false;
    };
    if (path.empty()) return leave_out("it is not in a file");
    for (const char* attribute : {"scale", "refpos", "refquat"})
      if (mesh.find(attribute) != nullptr) return leave_out("meshes that are scaled or moved are not drawn");
    const std::filesystem::path relative(path);
    if (relative.is_absolute() || path.starts_with("..")) return leave_out("it lies outside the folder of the model");
    std::error_code none;
    if (file_.folder.empty() || !std::filesystem::is_regular_file(file_.folder / relative, none))
      return leave_out("there is no such file");
    shape.kind = ShapeKind::Mesh;
    shape.file = path;
    return true;
  }

  static std::string color_of(const MjcfElement& e) {
    const auto rgba = e.numbers("rgba", 4, 4);
    if (!rgba) return "";
    const auto byte = [&](std::size_t i) {
      return static_cast<int>(std::lround(255 * std::clamp((*rgba)[i], 0.0, 1.0)));
    };
    return fmt::format("#{:02x}{:02x}{:02x}", byte(0), byte(1), byte(2));
  }

  /// Shapes of the world, and of what is fixed to it, are on a body welded to the ground.
  void add_ground_shapes() {
    MechanismBody body;
    for (const MjcfBody& b : bodies_)
      if (b.owner == 0) add_shapes(b, body.shapes);
    if (body.shapes.empty()) return;
    body.name = body_names_.add("world_shapes", "body");
    world_shapes_ = body.name;
    body.where = m_.where;
    Joint weld;
    weld.name = joint_names_.add("world_shapes", "joint");
    weld.kind = "weld";
    weld.parent = m_.ground;
    weld.child = body.name;
    weld.where = m_.where;
    m_.add_body(std::move(body));
    m_.add_joint(std::move(weld));
  }

  /// Shapes touch as contype, conaffinity, <exclude> and <pair> say. Contacts are rigid and without rebound: solref, solimp,
  /// margin and gap describe MuJoCo's soft ones.
  void add_contacts() {
    std::vector<std::pair<std::size_t, std::size_t>> excluded;
    for (const MjcfElement& e : file_.excludes) {
      const std::size_t a = bodies_[find_body(e, "body1")].owner, b = bodies_[find_body(e, "body2")].owner;
      excluded.emplace_back(std::min(a, b), std::max(a, b));
    }
    ImportNames names;
    const auto body = [&](std::size_t owner) { return owner == 0 ? world_shapes_ : name_of(owner); };
    for (const MjcfContact& c : find_mjcf_contacts(touching_, file_.pairs, excluded, kMostContacts, refusals_)) {
      ContactRule rule;
      rule.name = names.add(c.name.empty() ? fmt::format("{}_{}", body(c.one), body(c.two)) : c.name, "contact");
      rule.kind = ContactRule::Kind::Between;
      rule.body = body(c.two), rule.other = body(c.one);
      rule.where = c.where;
      const auto amount = [&](double x) { return x == 0 ? Quantity() : Quantity(number_text(x), c.where); };
      rule.friction = amount(c.sliding);
      rule.spinning_friction = amount(c.spinning), rule.rolling_friction = amount(c.rolling);
      m_.switching.contacts.push_back(std::move(rule));
    }
  }

  // ---- joints -------------------------------------------------------------------------------------------------------------
  /// The joints of a body move it one after another, each about its own point. Those about the same point make one joint of
  /// several motions; between others stands a massless body.
  void add_joints(std::size_t i) {
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

  std::string add_between(std::size_t i) {
    MechanismBody body;
    body.name = body_names_.add(name_of(i) + "_between", "body");
    body.where = bodies_[i].element->where;
    const std::string name = body.name;
    m_.add_body(std::move(body));
    return name;
  }

  void add_group(std::size_t i, std::size_t first, std::size_t end, const Vec3& point, const std::string& from,
                 const std::string& to, const MjcfPose& place) {
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
    joint.on_parent = placement(compose(place, start));
    joint.on_child = placement({point, {}});
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

  void add_motion(const MjcfJoint& j, const std::string& joint_name, Joint& joint,
                  std::vector<std::string>& coordinates, std::vector<std::string>& speeds) {
    const std::string name = joint_name.empty() ? joint_names_.add(j.name, "joint", &refusals_.notes()) : joint_name;
    ElementaryMotion motion;
    motion.kind = j.type == "hinge"   ? MotionKind::Rotation
                  : j.type == "slide" ? MotionKind::Translation
                                      : MotionKind::Ball;
    motion.axis = exprs(j.axis);
    joint.motions.push_back(std::move(motion));
    if (j.type == "ball") {
      for (const char* e : {"e1", "e2", "e3", "e4"}) coordinates.push_back(fmt::format("{}_{}", name, e));
      for (const char* w : {"wx", "wy", "wz"}) speeds.push_back(fmt::format("{}_{}", name, w));
    } else {
      coordinates.push_back("q_" + name);
      speeds.push_back("u_" + name);
    }
  }

  /// Springs, dampers, friction and limits of one motion; and its place in MuJoCo's lists of coordinates and speeds.
  void remember_axis(std::size_t i, const MjcfJoint& j, ElementaryMotion& motion, std::size_t joint,
                     std::size_t place) {
    const MjcfElement& e = *j.element;
    if (e.find("springdamper") != nullptr && e.text("springdamper") != "0 0")
      refusals_.refuse(
          e, fmt::format("'springdamper' of {} is not supported; give its stiffness and damping", e.describe()));
    for (const char* attribute : {"stiffness", "damping"})
      (void)e.number(attribute, 0);  // one number, not a polynomial
    if (j.type == "ball") return remember_ball(i, j, motion);
    AxisLaw& law = motion.law;
    const double unit = j.type == "hinge" ? compiler_.angle_unit : 1;
    if (passive("spring") && e.number("stiffness", 0) != 0) {
      law.stiffness = Expr(e.number("stiffness", 0));
      law.rest = Expr(e.number("springref", 0) * unit);
    }
    if (passive("damper") && e.number("damping", 0) != 0) law.damping = Expr(e.number("damping", 0));
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
    axes_.emplace(j.name, AxisPlace{axis, i, &j, joint, place});
  }

  void remember_ball(std::size_t i, const MjcfJoint& j, const ElementaryMotion& motion) {
    const MjcfElement& e = *j.element;
    for (const std::size_t k : {3U, 0U, 1U, 2U}) qpos_.push_back(motion.coordinates[k].name());
    for (const Expr& u : motion.speeds) qvel_.push_back(u.name());
    m_.initial[motion.coordinates[3].name()] = 1;
    refuse_on_ball(e, {"stiffness", "frictionloss", "range"});
    add_ball_load(e, j.name, name_of(i), owner_of(bodies_[i].parent), motion.speeds, {});
    balls_.emplace(j.name, i);
  }

  void refuse_on_ball(const MjcfElement& e, std::initializer_list<const char*> attributes) {
    for (const char* attribute : attributes)
      if (const auto v = e.numbers(attribute, 1, 2);
          v && std::any_of(v->begin(), v->end(), [](double x) { return x != 0; }))
        if (std::string_view(attribute) != "range" || compiler_.limited(e, "limited", "range"))
          refusals_.refuse(e,
                           fmt::format("'{}' of {} is not supported on a ball or free joint", attribute, e.describe()));
  }

  /// Damping and armature of a joint that turns in all directions: the same for each of its speeds.
  void add_ball_load(const MjcfElement& e, const std::string& joint, const std::string& on, const std::string& reaction,
                     const std::vector<Expr>& w, const std::vector<Expr>& v) {
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

  void add_free_joint(std::size_t i) {
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
    for (std::size_t k = 0; k < 3; ++k)
      m_.initial[q[k]] = b.world.position[k], m_.initial[q[3 + k]] = quaternion[k + 1];
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
    refuse_on_ball(e, {"stiffness", "frictionloss"});
    add_ball_load(e, j.name, name_of(i), m_.ground, w, v);
    free_.emplace(j.name, i);
  }

  // ---- forces -------------------------------------------------------------------------------------------------------------
  /// Diagonal entries of the mass matrix in the described pose: what moves outside of each joint, about its axis.
  void weigh_axes() {
    for (auto& [name, place] : axes_) {
      const MjcfBody& b = bodies_[place.body];
      const Vec3 axis = b.world.rotation * place.joint->axis;
      const Vec3 point = b.world.position + b.world.rotation * place.joint->position;
      for (std::size_t k = place.body; k < bodies_.size(); ++k) {
        std::size_t up = k;
        while (up > place.body) up = bodies_[up].parent;  // parents stand before children
        if (up != place.body) continue;
        const MjcfMass mass = placed(bodies_[k].mass, bodies_[k].world);
        place.axis.inertia += place.axis.rotates ? moment_about(mass, point, axis) : mass.mass;
      }
    }
  }

  template <class Map>
  [[nodiscard]] static const typename Map::mapped_type& find_part(const Map& map, const std::string& name,
                                                                  const MjcfElement& e, std::string_view what) {
    const auto found = map.find(name);
    if (found != map.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : map) known.push_back(key);
    e.fail(fmt::format("there is no {} '{}'{}", what, shown(name), suggestion(name, known)));
  }

  MjcfLength joint_length(const MjcfElement& e, const std::string& joint, double factor) const {
    return {{{&find_part(axes_, joint, e, "joint with one degree of freedom").axis, factor}}};
  }

  /// Nothing for a tendon that is not a sum of coordinates.
  std::optional<MjcfLength> tendon_length(const MjcfElement& user, const std::string& name, double factor) {
    for (const MjcfElement& t : file_.tendons) {
      if (t.text("name") != name) continue;
      if (t.name != "fixed") return path_length(t, factor);
      MjcfLength length;
      for (const MjcfElement& term : t.children)
        length.terms.emplace_back(&find_part(axes_, term.text("joint"), term, "joint with one degree of freedom").axis,
                                  factor * term.number("coef", 1));
      return length;
    }
    user.fail(fmt::format("there is no tendon '{}'", shown(name)));
  }

  /// A spatial tendon runs straight from site to site; behind a pulley its parts count divided by the pulley's divisor.
  std::optional<MjcfLength> path_length(const MjcfElement& t, double factor) {
    const std::string name = t.text("name");
    auto known = paths_.find(&t);
    if (known == paths_.end()) known = paths_.emplace(&t, find_path(t, plain_name(name))).first;
    if (known->second) known->second->factor = factor;
    return known->second;
  }

  std::optional<MjcfLength> find_path(const MjcfElement& t, const std::string& name) {
    const auto site_of = [&](const MjcfElement& e) {
      const Site& site = find_part(sites_, e.text("site"), e, "site");
      const std::size_t owner = bodies_[site.body].owner;
      const MjcfPose& world = bodies_[owner].world;
      return MjcfPathSite{site.point, owner, world.position + world.rotation * site.pose.position};
    };
    const std::optional<MjcfPath> path = find_mjcf_path(t, site_of, refusals_);
    if (!path) return {};
    MjcfLength length;
    length.path = path->stretches;
    length.path_reference = path->reference;
    length.path_text = expressions_.add("length_" + name, "expression");
    length.path_rate = expressions_.add("rate_" + name, "expression");
    m_.expressions.push_back({length.path_text, Quantity(path->text, t.where)});
    m_.expressions.push_back({length.path_rate, Quantity(path->rate, t.where)});
    return length;
  }

  /// A force that lengthens the path: along each of its straight parts, on both ends.
  void push_along(const MjcfLength& length, const std::string& force, const std::string& name, const Where& where) {
    const std::string pull = expressions_.add("force_" + plain_name(name), "expression");
    m_.expressions.push_back({pull, Quantity(force, where)});
    for (const MjcfStretch& s : length.path) {
      Load load{loads_.add(name, "load"), {}, where};
      const std::string amount = scaled(length.factor * s.share, pull);
      load.what = ForceLoad{{fmt::format("{}*unit(position({}, {}))", amount, s.to, s.from), where}, {}, s.to, s.from};
      m_.loads.push_back(std::move(load));
    }
  }

  void add_actuators() {
    ImportNames inputs;
    for (const Expr& q : m_.all_coordinates()) (void)inputs.add(q.name(), "");
    for (const Expr& u : m_.joint_speeds()) (void)inputs.add(u.name(), "");
    for (const char* name : {"g", "t"}) (void)inputs.add(name, "");
    for (std::size_t k = 0; k < file_.actuators.size(); ++k) {
      const MjcfElement& e = file_.actuators[k].element;
      std::optional<MjcfActuator> a = read_actuator(file_.actuators[k], compiler_, refusals_);
      controls_.emplace_back();
      if (!a) continue;
      const std::string name = e.text("name", fmt::format("ctrl_{}", k + 1));
      if (!enabled("clampctrl")) a->control_range.clear();
      a->name = name;
      if (!a->site.empty()) {
        act_on_site(*a, signal_of(*a, inputs, name));
      } else if (free_.contains(a->joint) || balls_.contains(a->joint)) {
        act_on_body(*a, signal_of(*a, inputs, name));
      } else {
        const std::optional<MjcfLength> length =
            a->tendon.empty() ? joint_length(e, a->joint, a->gear[0]) : tendon_length(e, a->tendon, a->gear[0]);
        if (!length) {
          refusals_.refuse(e, fmt::format("{} pulls on a tendon that is left out", e.describe()));
          continue;
        }
        if (!length->path.empty() && a->damping_ratio > 0) {
          refusals_.refuse(e, fmt::format("'dampratio' of {} is not supported on a spatial tendon", e.describe()));
          continue;
        }
        complete(*a, *length);
        const std::string force = actuator_force(*a, signal_of(*a, inputs, name), &*length);
        for (const auto& [axis, factor] : length->terms) actuation_[axis->coordinate].push_back(scaled(factor, force));
        if (!length->path.empty()) push_along(*length, force, name, e.where);
      }
    }
  }

  std::string input_name(ImportNames& inputs, const std::string& name) {
    const std::string input = inputs.add(name, "actuator", &refusals_.notes());
    (void)m_.add_input(input);
    controls_.back() = input;
    return input;
  }

  /// The control within its range, or the state that follows it.
  std::string signal_of(const MjcfActuator& a, ImportNames& inputs, const std::string& name) {
    const std::string control = clamped(input_name(inputs, name), a.control_range);
    if (a.dynamics == "none") return control;
    const std::string state = inputs.add("act_" + controls_.back(), "state");
    (void)m_.add_state(state, Quantity(actuator_state_rate(a, state, control), a.element->where));
    activations_.push_back(state);
    return state;
  }

  static std::string scaled(double factor, const std::string& force) {
    return factor == 1 ? fmt::format("({})", force) : fmt::format("{}*({})", number_text(factor), force);
  }

  /// Damping by a ratio, and a range taken from the joint's.
  void complete(MjcfActuator& a, const MjcfLength& length) const {
    if (a.damping_ratio > 0) {
      double mass = 0;
      for (const auto& [axis, factor] : length.terms) mass += axis->inertia / (factor * factor);
      a.bias[2] = -2 * a.damping_ratio * std::sqrt(a.gain[0] * mass);
    }
    if (a.inherited_range > 0 && a.control_range.empty() && length.terms.size() == 1) {
      const MjcfAxis& axis = *length.terms.front().first;
      if (const auto range = axis.element->numbers("range", 2, 2)) {
        const double unit = axis.rotates ? compiler_.angle_unit : 1;
        const double middle = unit * ((*range)[0] + (*range)[1]) / 2;
        const double half = unit * a.inherited_range * ((*range)[1] - (*range)[0]) / 2;
        a.control_range = {middle - half, middle + half};
      }
    }
  }

  void act_on_site(const MjcfActuator& a, const std::string& input) {
    const Site& site = find_part(sites_, a.site, *a.element, "site");
    if (bodies_[site.body].owner == 0)
      return refusals_.note(*a.element, "the actuator pushes the world and does nothing");
    const std::string force = actuator_force(a, input, nullptr);
    const std::string& body = owner_of(site.body);
    const auto along = [&](std::size_t k) {
      return site.pose.rotation * Vec3{a.gear[k], a.gear[k + 1], a.gear[k + 2]};
    };
    push(a, force, body, site.point, along(0), body, along(3), body);
  }

  /// A ball: torque in the axes of the body (or of its parent); a free body: force in the axes of the world as well.
  void act_on_body(const MjcfActuator& a, const std::string& input) {
    const bool free = free_.contains(a.joint);
    const std::size_t i = free ? free_.at(a.joint) : balls_.at(a.joint);
    const std::string force = actuator_force(a, input, nullptr);
    const std::string& parent = owner_of(bodies_[i].parent);
    if (a.bias_affine && (a.bias[1] != 0 || a.bias[2] != 0) && !free)
      return refusals_.refuse(*a.element, "an actuator of a ball joint that depends on its angle is not supported");
    const Vec3 first{a.gear[0], a.gear[1], a.gear[2]}, second{a.gear[3], a.gear[4], a.gear[5]};
    if (free) {
      const std::string point = add_point(name_of(i) + "_origin", i, {}, a.element->where);
      push(a, force, name_of(i), point, first, m_.ground, second, a.in_parent ? m_.ground : name_of(i));
    } else {
      push(a, force, name_of(i), "", {}, m_.ground, first, a.in_parent ? parent : name_of(i), parent);
    }
  }

  void push(const MjcfActuator& a, const std::string& amount, const std::string& body, const std::string& point,
            const Vec3& force, const std::string& force_axes, const Vec3& torque, const std::string& torque_axes,
            const std::string& reaction = "") {
    const Where& where = a.element->where;
    if (norm(force) != 0) {
      Load load{loads_.add(a.name + "_force", "load"), {}, where};
      load.what = ForceLoad{{fmt::format("({})*({})", amount, vector_text(force, force_axes)), where}, {}, point, ""};
      m_.loads.push_back(std::move(load));
    }
    if (norm(torque) != 0) {
      Load load{loads_.add(a.name + "_torque", "load"), {}, where};
      load.what = TorqueLoad{{fmt::format("({})*({})", amount, vector_text(torque, torque_axes)), where},
                             {},
                             body,
                             reaction == m_.ground ? "" : reaction};
      m_.loads.push_back(std::move(load));
    }
  }

  /// Springs, dampers, friction and limits of tendons.
  void add_tendon_forces() {
    for (const MjcfElement& t : file_.tendons) {
      if (t.number("armature", 0) != 0) refusals_.refuse(t, "'armature' of a tendon is not supported");
      if (t.find("actuatorfrcrange") != nullptr) refusals_.refuse(t, "'actuatorfrcrange' of a tendon is not supported");
      const std::optional<MjcfLength> found =
          t.name == "fixed" ? tendon_length(t, t.text("name"), 1) : path_length(t, 1);
      if (!found) continue;
      const MjcfLength& length = *found;
      limit_tendon(t, length);
      const double k = passive("spring") ? t.number("stiffness", 0) : 0,
                   d = passive("damper") ? t.number("damping", 0) : 0;
      if (k == 0 && d == 0) continue;
      const std::vector<double> slack = t.numbers("springlength", 1, 2).value_or(std::vector<double>{-1});
      const double low = slack[0] < 0 ? length.reference() : slack[0], high = slack.size() == 2 ? slack[1] : low;
      const std::string stretch = low == high ? fmt::format("({} - {})", length.text(), number_text(low))
                                              : fmt::format("(max({0} - {2}, 0) + min({0} - {1}, 0))", length.text(),
                                                            number_text(low), number_text(high));
      std::string force = k != 0 ? fmt::format("{}*{}", number_text(-k), stretch) : "";
      if (d != 0) force += fmt::format("{}{}*({})", force.empty() ? "" : " + ", number_text(-d), length.rate());
      for (const auto& [axis, factor] : length.terms) forces_[axis->coordinate].push_back(scaled(factor, force));
      if (!length.path.empty()) push_along(length, force, t.text("name", "tendon"), t.where);
    }
  }

  /// A range is a pair of stops, friction a dry one.
  void limit_tendon(const MjcfElement& t, const MjcfLength& length) {
    if (!enabled("constraint")) return;
    const std::string name = plain_name(t.text("name", "tendon"));
    if (enabled("frictionloss") && t.number("frictionloss", 0) != 0) {
      FrictionRule rule;
      rule.name = "friction_" + name;
      rule.slip = {Quantity(length.rate(), t.where)};
      rule.limit = Quantity(number_text(t.number("frictionloss", 0)), t.where);
      rule.where = t.where;
      m_.switching.frictions.push_back(std::move(rule));
    }
    const auto range = t.numbers("range", 2, 2);
    if (!range || !compiler_.limited(t, "limited", "range") || !enabled("limit")) return;
    const auto stop = [&](const char* end, const std::string& gap) {
      ContactRule rule;
      rule.name = fmt::format("{}_{}", name, end);
      rule.kind = ContactRule::Kind::Gap;
      rule.gap = Quantity(gap, t.where);
      rule.where = t.where;
      m_.switching.contacts.push_back(std::move(rule));
    };
    stop("shortest", fmt::format("{} - {}", length.text(), number_text((*range)[0])));
    stop("longest", fmt::format("{} - ({})", number_text((*range)[1]), length.text()));
  }

  /// Writes the collected forces to the joints.
  void finish_laws() {
    for (auto& [name, place] : axes_) {
      const std::string& q = place.axis.coordinate;
      std::string text;
      if (const auto act = actuation_.find(q); act != actuation_.end()) {
        text = fmt::format("{}", fmt::join(act->second, " + "));
        const MjcfElement& e = *place.axis.element;
        const auto range = e.numbers("actuatorfrcrange", 2, 2);
        if (range && compiler_.limited(e, "actuatorfrclimited", "actuatorfrcrange")) text = clamped(text, *range);
      }
      if (const auto other = forces_.find(q); other != forces_.end())
        for (const std::string& force : other->second) text += (text.empty() ? "" : " + ") + force;
      if (text.empty()) continue;
      m_.joints[place.joint_index].motions[place.motion].law.law = {text, place.axis.element->where};
    }
  }

  // ---- equalities ---------------------------------------------------------------------------------------------------------
  void add_equalities() {
    for (const MjcfElement& e : file_.equalities) {
      const std::string name = constraints_.add(e.text("name", fmt::format("equality_{}", ++equality_count_)),
                                                "constraint", e.find("name") != nullptr ? &refusals_.notes() : nullptr);
      if (e.name == "joint") add_coupling(e, name);
      if (e.name == "connect") add_connection(e, name);
      if (e.name == "weld") add_weld(e, name);
      if (e.name == "tendon") add_tendon_coupling(e, name);
    }
  }

  static std::vector<double> coefficients(const MjcfElement& e) {
    std::vector<double> a = e.numbers("polycoef", 1, 5).value_or(std::vector<double>{0, 1, 0, 0, 0});
    return a;
  }

  void add_rows(const MjcfElement& e, const std::string& name, const std::string& first, const std::string& second) {
    Constraint constraint;
    constraint.name = name;
    constraint.where = e.where;
    constraint.active = e.flag("active", true);
    ExpressionConstraint rows;
    rows.configuration.push_back({fmt::format("{} - ({})", first, second), e.where});
    constraint.what = std::move(rows);
    m_.constraints.push_back(std::move(constraint));
  }

  /// q1 - ref1 = a0 + a1 (q2 - ref2) + ...
  void add_coupling(const MjcfElement& e, const std::string& name) {
    const MjcfAxis& one = find_part(axes_, e.text("joint1"), e, "joint with one degree of freedom").axis;
    std::vector<double> a = coefficients(e);
    std::string other = "0";
    if (e.find("joint2") != nullptr) {
      const MjcfAxis& two = find_part(axes_, e.text("joint2"), e, "joint with one degree of freedom").axis;
      other = polynomial_text(a, from_reference(two.coordinate, two.reference));
    } else {
      other = number_text(a[0]);
    }
    add_rows(e, name, from_reference(one.coordinate, one.reference), other);
    if (e.flag("active", true)) m_.dependent_speeds.push_back(one.speed);
  }

  void add_tendon_coupling(const MjcfElement& e, const std::string& name) {
    const auto length = [&](const char* attribute) {
      std::optional<MjcfLength> l = tendon_length(e, e.text(attribute), 1);
      if (!l) refusals_.refuse(e, fmt::format("{} uses a tendon that is left out", e.describe()));
      return l;
    };
    const auto one = length("tendon1");
    if (!one) return;
    std::string other = number_text(coefficients(e)[0]);
    if (e.find("tendon2") != nullptr) {
      const auto two = length("tendon2");
      if (!two) return;
      other = polynomial_text(coefficients(e), from_reference(fmt::format("({})", two->text()), two->reference()));
    }
    add_rows(e, name, from_reference(fmt::format("({})", one->text()), one->reference()), other);
  }

  std::size_t find_body(const MjcfElement& e, const char* attribute) const {
    const std::string name = e.text(attribute);
    if (name.empty() || name == "world") return 0;
    std::vector<std::string> known;
    for (std::size_t i = 1; i < bodies_.size(); ++i) {
      if (bodies_[i].name == name) return i;
      known.push_back(bodies_[i].name);
    }
    e.fail(fmt::format("there is no body '{}'{}", shown(name), suggestion(name, known)));
  }

  /// Where the two bodies of an equality meet, each in the body that it moves with.
  struct Meeting {
    std::size_t body1, body2;
    MjcfPose pose1, pose2;
  };

  [[nodiscard]] Meeting find_meeting(const MjcfElement& e) const {
    if (e.find("site1") != nullptr || e.find("site2") != nullptr) {
      const Site& one = find_part(sites_, e.text("site1"), e, "site");
      const Site& two = find_part(sites_, e.text("site2"), e, "site");
      return {bodies_[one.body].owner, bodies_[two.body].owner, one.pose, two.pose};
    }
    const std::size_t b1 = find_body(e, "body1"), b2 = find_body(e, "body2");
    MjcfPose local1{mjcf_vector(e, "anchor"), {}};
    MjcfPose local2 = compose(inverse(bodies_[b2].world), compose(bodies_[b1].world, local1));
    if (e.name == "weld") {
      // relpose: body 2 in body 1; anchor: a point of body 2. A zero quaternion means "as described".
      local1 = {};
      const std::vector<double> r = e.numbers("relpose", 7, 7).value_or(std::vector<double>{0, 1, 0, 0, 0, 0, 0});
      const bool given = r[3] != 0 || r[4] != 0 || r[5] != 0 || r[6] != 0;
      MjcfPose two_in_one = compose(inverse(bodies_[b1].world), bodies_[b2].world);
      if (given) two_in_one = {{r[0], r[1], r[2]}, rotation_from_quaternion(r[3], r[4], r[5], r[6])};
      local1 = two_in_one;
      local2 = {};
    }
    return {bodies_[b1].owner, bodies_[b2].owner, compose(bodies_[b1].in_owner, local1),
            compose(bodies_[b2].in_owner, local2)};
  }

  void add_connection(const MjcfElement& e, const std::string& name) {
    const Meeting meeting = find_meeting(e);
    if (meeting.body1 == meeting.body2)
      return refusals_.note(e, "the equality connects a body with itself and does nothing");
    Constraint constraint;
    constraint.name = name;
    constraint.where = e.where;
    constraint.active = e.flag("active", true);
    PointConstraint points;
    points.point = add_point(name + "_1", meeting.body1, meeting.pose1.position, e.where);
    points.reference = add_point(name + "_2", meeting.body2, meeting.pose2.position, e.where);
    if (meeting.body1 == 0) std::swap(points.point, points.reference);
    for (const char* axis : {"x", "y", "z"})
      points.directions.push_back({fmt::format("{}.{}", m_.ground, axis), e.where});
    constraint.what = std::move(points);
    m_.constraints.push_back(std::move(constraint));
  }

  void add_weld(const MjcfElement& e, const std::string& name) {
    const Meeting meeting = find_meeting(e);
    if (meeting.body1 == meeting.body2)
      return refusals_.note(e, "the equality connects a body with itself and does nothing");
    Joint joint;
    joint.name = joint_names_.add(name, "joint");
    joint.kind = "weld";
    joint.where = e.where;
    joint.parent = name_of(meeting.body1);
    joint.child = name_of(meeting.body2);
    joint.on_parent = placement(meeting.pose1);
    joint.on_child = placement(meeting.pose2);
    if (meeting.body2 == 0) std::swap(joint.parent, joint.child), std::swap(joint.on_parent, joint.on_child);
    joint.closing = true;
    joint.active = e.flag("active", true);
    m_.add_joint(std::move(joint));
  }

  // ---- start and notes ----------------------------------------------------------------------------------------------------
  void use_keyframe() {
    if (options_.keyframe.empty()) return;
    std::vector<std::string> known;
    for (std::size_t k = 0; k < file_.keys.size(); ++k) {
      const MjcfElement& key = file_.keys[k];
      known.push_back(key.text("name", std::to_string(k)));
      if (options_.keyframe != known.back() && options_.keyframe != std::to_string(k)) continue;
      set_values(key, "qpos", qpos_, [&](const std::string& name, double x) { m_.initial[name] = x; });
      set_values(key, "qvel", qvel_, [&](const std::string& name, double x) { m_.initial[name] = x; });
      set_values(key, "act", activations_, [&](const std::string& name, double x) { m_.initial[name] = x; });
      set_values(key, "ctrl", controls_, [&](const std::string& name, double x) {
        for (auto& input : m_.inputs)
          if (input.symbol.name() == name) input.value = Expr(x);
      });
      return;
    }
    throw ModelError(file_.where, fmt::format("there is no keyframe '{}'{}", shown(options_.keyframe),
                                              suggestion(options_.keyframe, known)));
  }

  template <class Set>
  static void set_values(const MjcfElement& key, const char* attribute, const std::vector<std::string>& names,
                         Set set) {
    const auto values = key.numbers(attribute, names.size(), names.size());
    if (!values) return;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!names[i].empty()) set(names[i], (*values)[i]);
  }

  void add_notes() {
    if (!options_.contacts && (!touching_.empty() || !file_.pairs.empty()))
      refusals_.note(fmt::format("{} shape{} could touch; they pass through each other unless --with-contacts is given",
                                 touching_.size(), touching_.size() == 1 ? "" : "s"));
    if (file_.sensors > 0)
      refusals_.note(fmt::format("{} sensor{} ignored", file_.sensors, file_.sensors == 1 ? " is" : "s are"));
    if (!file_.keys.empty() && options_.keyframe.empty()) {
      std::vector<std::string> names;
      for (std::size_t k = 0; k < file_.keys.size(); ++k)
        names.push_back(file_.keys[k].text("name", std::to_string(k)));
      refusals_.note(fmt::format("the motion starts in the described pose; --keyframe chooses another: {}",
                                 fmt::join(names, ", ")));
    }
  }

  const MjcfFile& file_;
  MjcfOptions options_;
  MjcfRefusals& refusals_;
  MjcfCompiler compiler_;
  std::vector<MjcfBody> bodies_;
  Mechanism m_;
  Graph& graph_;
  ImportNames body_names_, joint_names_, loads_, constraints_;  ///< bodies, frames and points share their names
  std::vector<std::string> names_;                              ///< of the bodies, without the world
  Vec3 gravity_;
  std::string gravity_text_;
  std::map<std::string, Site, std::less<>> sites_;
  std::map<std::string, AxisPlace, std::less<>> axes_;            ///< by the joint's name in the file
  std::map<std::string, std::size_t, std::less<>> balls_, free_;  ///< bodies, likewise
  std::map<std::string, std::size_t, std::less<>> body_index_;
  std::map<std::string, std::vector<std::string>, std::less<>> actuation_, forces_;  ///< by coordinate
  std::vector<std::string> activations_;                                             ///< states of actuators, likewise
  std::vector<std::string> qpos_, qvel_, controls_;   ///< in MuJoCo's order; "" for an actuator that was left out
  static constexpr std::size_t kMostContacts = 1000;  ///< pairs of bodies
  std::vector<MjcfTouching> touching_;
  std::string world_shapes_;                                       ///< body with the shapes of the world
  std::map<const MjcfElement*, std::optional<MjcfLength>> paths_;  ///< of spatial tendons
  ImportNames expressions_;
  int site_count_ = 0, equality_count_ = 0;
};

}  // namespace

Mechanism read_mjcf_text(std::string_view text, const std::string& file_name, const MjcfOptions& options) {
  MjcfRefusals refusals(options.lenient);
  MjcfFile file = read_mjcf_tree(text, file_name, false, options.limits, refusals);
  expand_replicates(file, options.limits);
  return MjcfBuilder(file, options, refusals).build();
}

Mechanism read_mjcf(const std::filesystem::path& path, const MjcfOptions& options) {
  MjcfRefusals refusals(options.lenient);
  const std::string text = read_file_bytes(path, path.string(), options.limits.max_bytes);
  MjcfFile file = read_mjcf_tree(text, path, true, options.limits, refusals);
  expand_replicates(file, options.limits);
  return MjcfBuilder(file, options, refusals).build();
}

}  // namespace kane

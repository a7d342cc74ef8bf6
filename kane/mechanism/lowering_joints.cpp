// Joints to frames and points.

#include <algorithm>
#include <map>
#include <set>

#include "kane/base/suggest.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

bool is_identity(const Expr33& r) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      if (i == j ? !r[i][j].is_one() : !r[i][j].is_zero()) return false;
  return true;
}

/// +1 or -1 and the axis, if the vector is a positive or negative multiple of a basis vector.
struct SignedAxis {
  Axis axis;
  int sign;
};

std::optional<SignedAxis> find_basis_axis(const Expr3& a) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (!a[k].is_number() || a[k].is_zero()) continue;
    if (!a[(k + 1) % 3].is_zero() || !a[(k + 2) % 3].is_zero()) return std::nullopt;
    return SignedAxis{static_cast<Axis>(k), a[k].number() > 0 ? 1 : -1};
  }
  return std::nullopt;
}

Expr3 unit_components(Graph& graph, const Expr3& axis) {
  if (const auto basis = find_basis_axis(axis)) {
    Expr3 r;
    r[index(basis->axis)] = basis->sign;
    return r;
  }
  const Expr square = graph.bind(dot(axis, axis));
  return square.is_one() ? axis : scale(1 / sqrt(square), axis);
}

Orientation rotation_about(const Expr3& unit_axis, const Expr& angle) {
  if (const auto basis = find_basis_axis(unit_axis))
    return SimpleRotation{basis->axis, basis->sign > 0 ? angle : -angle};
  return AxisRotation{unit_axis, angle};
}

bool turns(MotionKind kind) { return kind != MotionKind::Translation; }

class TreeLowering {
 public:
  explicit TreeLowering(const LoweringContext& context)
      : c_(context), m_(context.mechanism), out_(context.lowered), s_(context.system) {}

  void run() {
    collect_parts();
    for (const MechanismBody& b : m_.bodies)
      if (b.flexible) with_place(b.flexible->where, [&] { lower_beam(c_, b); });
    place_ground();
    for (const std::size_t j : joint_order()) with_place(m_.joints[j].where, [&] { place_child(j); });
    add_masses();
  }

 private:
  void collect_parts() {
    out_.joints.resize(m_.joints.size());
    for (const MechanismFrame& f : m_.frames) frames_of_[f.on].push_back(&f);
    for (const MechanismPoint& p : m_.points) {
      points_of_[p.on].push_back(&p);
      ++bare_points_[p.name];
    }
    for (const MechanismParticle& p : m_.particles) particles_of_[p.on].push_back(&p);
    for (const MechanismBody& b : m_.bodies) taken_.insert(b.name);
    for (const MechanismParticle& p : m_.particles) taken_.insert(p.name);
    for (const MechanismPoint& p : m_.points) taken_.insert(p.name);
    taken_.insert(m_.ground);
  }

  void place_ground() { place_parts(m_.ground, s_.inertial(), s_.origin()); }

  // ---- order --------------------------------------------------------------------------------------------------------
  /// The body that a name of a body or frame belongs to.
  [[nodiscard]] std::string carrier(const std::string& name, const Joint& joint) const {
    if (name == m_.ground || m_.find_body(name) != nullptr) return name;
    for (const MechanismFrame& f : m_.frames)
      if (f.name == name || f.on + "." + f.name == name) return f.on;
    std::vector<std::string> known{m_.ground};
    for (const MechanismBody& b : m_.bodies) known.push_back(b.name);
    for (const MechanismFrame& f : m_.frames) known.push_back(f.name);
    throw ModelError(joint.where,
                     fmt::format("the joint '{}' measures its angles from '{}', which is not a body or frame{}",
                                 joint.name, name, suggestion(name, known)));
  }

  /// Joints that place bodies, each after those its parent and its reference for angles need.
  [[nodiscard]] std::vector<std::size_t> joint_order() {
    std::map<std::string, std::vector<std::size_t>> waiting;  // body -> joints that need it
    std::vector<int> needs(m_.joints.size(), 0);
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      const Joint& joint = m_.joints[j];
      if (joint.closing) continue;
      std::set<std::string> bodies{joint.parent};
      if (!joint.rotation_from.empty()) bodies.insert(carrier(joint.rotation_from, joint));
      for (const std::string& b : bodies) waiting[b].push_back(j);
      needs[j] = static_cast<int>(bodies.size());
    }
    std::vector<std::string> ready{m_.ground};
    for (std::size_t next = 0; next < ready.size(); ++next) {
      const std::string body = ready[next];
      for (const std::size_t j : waiting[body]) {
        if (--needs[j] > 0) continue;
        out_.order.push_back(j);
        ready.push_back(m_.joints[j].child);
      }
    }
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      if (needs[j] > 0)
        throw ModelError(m_.joints[j].where,
                         fmt::format("the joint '{}' measures its angles from '{}', which hangs on its own child",
                                     m_.joints[j].name, m_.joints[j].rotation_from));
    }
    return out_.order;
  }

  // ---- bodies -------------------------------------------------------------------------------------------------------
  void place_child(std::size_t j) {
    const Joint& joint = m_.joints[j];
    check_beam_joint(c_, joint);
    const bool plain = is_identity(joint.on_child.rotation);
    const bool rotates =
        std::any_of(joint.motions.begin(), joint.motions.end(), [](const auto& m) { return turns(m.kind); });
    LoweredJoint lowered = lower_motions(c_, joint, plain && rotates ? joint.child : "");
    FrameId frame = lowered.outer_frame;
    if (!plain || !rotates)
      frame = s_.add_frame(joint.child, frame, DirectionCosines{transpose(joint.on_child.rotation)});
    const PointId origin = s_.add_point(joint.child, lowered.outer, Vector(frame, negate(joint.on_child.position)));
    if (!taken_.contains(joint.name)) out_.names.add_point(joint.name, lowered.outer);
    out_.joints[j] = std::move(lowered);
    place_parts(joint.child, frame, origin);
  }

  /// Everything fixed in a body that has just got its frame and origin.
  void place_parts(const std::string& body, FrameId frame, PointId origin) {
    out_.body_frames.emplace(body, frame);
    out_.body_origins.emplace(body, origin);
    out_.names.add_frame(body, frame);
    out_.names.add_point(body, origin);
    s_.fix_point(origin, frame);
    if (body != m_.ground) {
      out_.reported_frames.emplace_back(body, frame);
      out_.reported_points.emplace_back(body, origin);
    }
    place_stations(c_, body);
    for (const MechanismFrame* f : frames_of_[body]) {
      with_place(f->where, [&] {
        const Attachment a = attach(c_, body, f->place.position, fmt::format("the frame '{}'", f->name));
        const FrameId id = s_.add_frame(body + "." + f->name, a.frame, DirectionCosines{f->place.rotation});
        const PointId at = s_.add_point(body + "." + f->name + ".origin", a.from, Vector(a.frame, a.offset));
        s_.fix_point(at, id);
        out_.names.add_frame_of(body, f->name, id);
        out_.reported_frames.emplace_back(f->name, id);
        place_origin(body, f->name, at);
      });
    }
    for (const MechanismPoint* p : points_of_[body]) place_point(*p);
    for (const MechanismParticle* p : particles_of_[body]) {
      const PointId id = with_place(p->where, [&] {
        const Attachment a = attach(c_, body, p->at, fmt::format("the particle '{}'", p->name));
        return s_.add_point(p->name, a.from, Vector(a.frame, a.offset));
      });
      out_.names.add_point(p->name, id);
      out_.names.add_point(body + "." + p->name, id);
      out_.reported_points.emplace_back(p->name, id);
      out_.particles[body].push_back(id);
    }
  }

  /// The origin of a named frame is a point of the same name (tool0 of a robot), unless something else is called like that.
  void place_origin(const std::string& body, const std::string& name, PointId at) {
    if (taken_.contains(name) || m_.find_joint(name) != nullptr) {
      out_.names.add_point(body + "." + name, at);
      return;
    }
    out_.names.add_point_of(body, name, at);
    out_.reported_points.emplace_back(++frame_origins_[name] == 1 ? name : body + "." + name, at);
  }

  void place_point(const MechanismPoint& p) {
    const bool unique = bare_points_[p.name] == 1 && !out_.body_frames.contains(p.name) &&
                        m_.find_body(p.name) == nullptr &&
                        std::none_of(m_.particles.begin(), m_.particles.end(),
                                     [&](const MechanismParticle& other) { return other.name == p.name; });
    const std::string shown = unique ? p.name : p.on + "." + p.name;
    const PointId id = with_place(p.where, [&] {
      const Attachment a = attach(c_, p.on, p.at, fmt::format("the point '{}'", p.name));
      return s_.add_point(shown, a.from, Vector(a.frame, a.offset));
    });
    if (unique || bare_points_[p.name] > 1)
      out_.names.add_point_of(p.on, p.name, id);
    else
      out_.names.add_point(shown, id);
    out_.reported_points.emplace_back(shown, id);
  }

  // ---- masses -------------------------------------------------------------------------------------------------------
  void add_masses() {
    for (const MechanismBody& b : m_.bodies) {
      if (b.flexible) {
        const BodyId id = with_place(b.flexible->where, [&] { return lower_beam_mass(c_, b); });
        name_mass_centre(b.name, id, s_.body(id).mass_centre);
        continue;
      }
      const FrameId frame = out_.body_frames.at(b.name);
      const PointId origin = out_.body_origins.at(b.name);
      const PointId centre = s_.add_point(b.name + ".com", origin, Vector(frame, b.mass_centre));
      const BodySpec spec{.frame = frame, .mass_centre = centre, .mass = b.mass, .inertia = Dyadic(frame, b.inertia)};
      name_mass_centre(b.name, s_.add_body(b.name, spec), centre);
    }
    for (const MechanismParticle& p : m_.particles)
      out_.names.add_body(p.name, s_.add_particle(p.name, out_.names.point(p.name), p.mass));
  }

  void name_mass_centre(const std::string& body, BodyId id, PointId centre) {
    out_.names.add_point(body + ".com", centre);
    out_.names.add_load_point(body, centre);
    out_.reported_points.emplace_back(body + ".com", centre);
    out_.names.add_body(body, id);
  }

  const LoweringContext& c_;
  const Mechanism& m_;
  LoweredMechanism& out_;
  System& s_;
  std::map<std::string, std::vector<const MechanismFrame*>> frames_of_;
  std::map<std::string, std::vector<const MechanismPoint*>> points_of_;
  std::map<std::string, std::vector<const MechanismParticle*>> particles_of_;
  std::map<std::string, int> bare_points_, frame_origins_;
  std::set<std::string> taken_;
};

/// One motion, from where the joint has got to.
class MotionLowering {
 public:
  MotionLowering(const LoweringContext& c, const Joint& joint) : c_(c), s_(c.system), joint_(joint) {}

  LoweredJoint run(const std::string& last_frame) {
    LoweredJoint out;
    out.name = joint_.name;
    out.parent = joint_.parent;
    out.child = joint_.child;
    out.closing = joint_.closing;
    start(out);
    std::size_t last_turn = joint_.motions.size();
    for (std::size_t i = 0; i < joint_.motions.size(); ++i)
      if (turns(joint_.motions[i].kind)) last_turn = i;
    for (std::size_t i = 0; i < joint_.motions.size(); ++i) {
      const bool named = i == last_turn && !last_frame.empty();
      frame_name_ = named ? last_frame : fmt::format("{}.f{}", joint_.name, i + 1);
      point_name_ = fmt::format("{}.p{}", joint_.name, i + 1);
      out.motions.push_back(add(joint_.motions[i]));
      if (!named && turns(joint_.motions[i].kind)) c_.lowered.names.add_frame(frame_name_, frame_);
    }
    out.outer_frame = frame_;
    out.outer = point_;
    return out;
  }

 private:
  void start(LoweredJoint& out) {
    const ModelNames& names = c_.lowered.names;
    const Attachment a =
        attach(c_, joint_.parent, joint_.on_parent.position, fmt::format("the joint '{}'", joint_.name));
    frame_ = joint_.rotation_from.empty() ? a.frame : names.frame(joint_.rotation_from);
    point_ = s_.add_point(joint_.name + ".in", a.from, Vector(a.frame, a.offset));
    if (!is_identity(joint_.on_parent.rotation)) {
      frame_ = s_.add_frame(joint_.name + ".f0", frame_, DirectionCosines{joint_.on_parent.rotation});
      c_.lowered.names.add_frame(joint_.name + ".f0", frame_);
    }
    out.inner = point_;
    out.inner_frame = frame_;
  }

  LoweredMotion add(const ElementaryMotion& motion) {
    LoweredMotion out;
    out.kind = motion.kind;
    out.free = motion.free;
    out.from = out.to = frame_;
    out.start = out.end = point_;
    if (motion.kind == MotionKind::Ball) {
      const auto& e = motion.coordinates;
      out.to = frame_ = s_.add_frame(frame_name_, frame_, EulerParameters{{e[0], e[1], e[2], e[3]}});
      return out;
    }
    const Expr3 axis = unit_components(s_.graph(), motion.axis);
    out.axis = Vector(frame_, axis);
    out.value = motion.free ? motion.coordinates.front() : motion.value;
    if (motion.kind == MotionKind::Translation) slide(out, out.value);
    if (motion.kind == MotionKind::Screw) slide(out, motion.pitch * out.value);
    if (motion.kind != MotionKind::Translation)
      out.to = frame_ = s_.add_frame(frame_name_, frame_, rotation_about(axis, out.value));
    return out;
  }

  void slide(LoweredMotion& out, const Expr& length) {
    out.end = point_ = s_.add_point(point_name_, point_, length * out.axis);
  }

  const LoweringContext& c_;
  System& s_;
  const Joint& joint_;
  FrameId frame_;
  PointId point_;
  std::string frame_name_, point_name_;
};

}  // namespace

LoweredJoint lower_motions(const LoweringContext& context, const Joint& joint, std::string last_frame) {
  return MotionLowering(context, joint).run(last_frame);
}

void lower_tree(const LoweringContext& context) { TreeLowering(context).run(); }

}  // namespace kane

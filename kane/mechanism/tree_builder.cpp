// Mechanism to TreeModel. First the geometry is laid out with frames as the joints are written (z along each motion's
// axis); then, where it is numeric, every link's frame is slid along and turned about its own axis so that the next
// link follows by two planar rotations.

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "kane/base/error.hpp"
#include "kane/base/vec3.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/orientation.hpp"
#include "kane/mechanics/parameter_values.hpp"
#include "kane/mechanism/tree_model.hpp"

namespace kane {

namespace {

// Below this a length (metres) or a direction cosine is rounding error of the placement itself.
constexpr double kTiny = 1e-14;
// Origins are slid along their axes at most this many times the distance between neighbouring joints.
constexpr double kFarthest = 10;

std::optional<double> find_real(const Expr& e) {
  if (!is_evaluable(e, {})) return std::nullopt;
  return evaluate(e, {});
}

std::optional<Vec3> find_real(const Expr3& v) {
  Vec3 r{};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto x = find_real(v[i]);
    if (!x) return std::nullopt;
    r[i] = *x;
  }
  return r;
}

std::optional<Mat3> find_real(const Expr33& m) {
  Mat3 r;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto row = find_real(m[i]);
    if (!row) return std::nullopt;
    r[i] = *row;
  }
  return r;
}

Mat3 about_z(double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {{Vec3{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
}

double snap(double x) { return std::abs(x) < kTiny ? 0.0 : x; }

/// Numbers other than 0 and +-1 become symbols; equal numbers are one symbol. Names depend on the mechanism alone, not on
/// what its graph holds already: equations that are formed again are the same equations.
class NumberNamer {
 public:
  explicit NumberNamer(const System& system) : system_(system), graph_(system.graph()) {}

  Expr number(double value, const std::string& name) {
    value = snap(value);
    if (value == 0.0 || value == 1.0 || value == -1.0) return graph_.number(static_cast<std::int64_t>(value));
    const auto known = known_.find(std::abs(value));
    const Expr symbol = known != known_.end() ? known->second : make(std::abs(value), name);
    return value < 0 ? -symbol : symbol;
  }

  Expr3 number(const Vec3& v, const std::string& name) {
    return {number(v[0], name + ".x"), number(v[1], name + ".y"), number(v[2], name + ".z")};
  }

  /// Planar rotation by a constant angle plus the angle `variable` (a bare zero if there is none).
  PlanarRotation rotation(Axis axis, double angle, const Expr& variable, const std::string& name) {
    const Expr offset = constant_angle(angle, name);
    const Expr total = graph_.bind(offset + variable);
    return {axis, cos(total), sin(total)};
  }

  std::vector<NamedNumber> take() { return std::move(numbers_); }

 private:
  Expr make(double value, const std::string& name) {
    std::string unique = name;
    for (int i = 2; system_.find_kind(unique) || !names_.insert(unique).second; ++i)
      unique = name + "_" + std::to_string(i);
    const Expr symbol = graph_.symbol(unique);
    numbers_.push_back({symbol, value});
    known_.emplace(value, symbol);
    return symbol;
  }

  /// Quarter turns exactly, other angles as symbols.
  Expr constant_angle(double angle, const std::string& name) {
    const double quarters = angle / (std::numbers::pi / 2);
    const double whole = std::round(quarters);
    if (std::abs(quarters - whole) < kTiny) return graph_.number(static_cast<std::int64_t>(whole), 2) * graph_.pi();
    return number(angle, name + ".angle");
  }

  const System& system_;
  Graph& graph_;
  std::map<double, Expr> known_;
  std::set<std::string> names_;
  std::vector<NamedNumber> numbers_;
};

/// A matrix with z taken to the given unit axis: permutations for the basis vectors.
Expr33 axis_frame(const Expr3& axis, Graph& graph, const Joint& joint) {
  const auto unit = [&](std::size_t k) {
    for (std::size_t i = 0; i < 3; ++i)
      if (i != k && !axis[i].is_zero()) return false;
    return true;
  };
  for (std::size_t k = 0; k < 3; ++k) {
    if (!unit(k)) continue;
    const auto length = find_real(axis[k]);
    const Expr sign = length && *length < 0 ? -1 : 1;
    // Columns: next axis, the one after it times the sign, this axis times the sign.
    Expr33 m{};
    m[(k + 1) % 3][0] = 1;
    m[(k + 2) % 3][1] = sign;
    m[k][2] = sign;
    return m;
  }
  const auto real = find_real(axis);
  if (real) {
    // Any two directions perpendicular to the axis do; the frame is turned to its best position later.
    const double length = std::hypot((*real)[0], (*real)[1], (*real)[2]);
    if (!(length > 0)) throw ModelError(joint.where, fmt::format("joint '{}' has an axis of length zero", joint.name));
    Vec3 z{(*real)[0] / length, (*real)[1] / length, (*real)[2] / length};
    const std::size_t k = std::abs(z[0]) < 0.5 ? 0 : 1;
    Vec3 x{};
    x[k] = 1;
    const double along = z[k];
    for (std::size_t i = 0; i < 3; ++i) x[i] -= along * z[i];
    const double norm = std::hypot(x[0], x[1], x[2]);
    for (std::size_t i = 0; i < 3; ++i) x[i] /= norm;
    const Vec3 y = cross(z, x);
    Expr33 m{};
    for (std::size_t i = 0; i < 3; ++i) m[i] = {graph.bind(x[i]), graph.bind(y[i]), graph.bind(z[i])};
    return m;
  }
  throw ModelError(joint.where,
                   fmt::format("joint '{}' has an axis that depends on parameters in more than one component; the "
                               "recursive formulations need a numeric axis (use --formulation projection)",
                               joint.name));
}

/// A link before its frame is finished. It has a motion, or is a flexible body, or a section of one.
struct RawLink {
  const ElementaryMotion* motion = nullptr;
  std::string flexible{};  ///< the body
  const LoweredSection* section = nullptr;
  std::string name;
  std::optional<std::size_t> parent;
  Expr33 rotation{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  ///< constant part: zero frame to parent link
  Expr3 position{};
  std::optional<Mat3> real_rotation;
  std::optional<Vec3> real_position;
  double turn = 0, slide = 0;  ///< of the finished frame about and along z
};

class TreeBuilder {
 public:
  TreeBuilder(const Mechanism& mechanism, const LoweredMechanism& lowered)
      : mechanism_(mechanism), lowered_(lowered), graph_(*mechanism.graph), namer_(lowered.system) {
    for (const auto& speed : lowered.system.speeds()) speed_index_.emplace(speed.symbol.name(), speed_index_.size());
  }

  BuiltTree build() {
    lay_out();
    find_particles();
    choose_frames();
    finish_links();
    add_inertias();
    number_speeds();
    result_.numbers = namer_.take();
    return std::move(result_);
  }

 private:
  // ---- as written -----------------------------------------------------------------------------------------------
  void lay_out() {
    place_[mechanism_.ground] = {};
    std::vector<const Joint*> waiting;
    for (const auto& joint : mechanism_.joints)
      if (!joint.closing) waiting.push_back(&joint);
    while (!waiting.empty()) {
      const std::size_t before = waiting.size();
      std::erase_if(waiting, [&](const Joint* joint) {
        if (!place_.contains(joint->parent)) return false;
        add_joint(*joint);
        return true;
      });
      ensure(waiting.size() < before, "the joints of '{}' do not form a tree", mechanism_.name);
    }
  }

  void add_joint(const Joint& joint) {
    const auto [base, on_base] = carrier(joint.parent, joint.on_parent.position);
    std::optional<std::size_t> link = base.link;
    Expr33 rotation = multiply(base.rotation, joint.on_parent.rotation);
    Expr3 position = add(base.position, multiply(base.rotation, on_base));
    for (std::size_t i = 0; i < joint.motions.size(); ++i) {
      const auto& motion = joint.motions[i];
      if (is_still(motion)) {
        pass_still(motion, joint, rotation, position);
        continue;
      }
      RawLink raw;
      raw.motion = &motion;
      raw.name = joint.motions.size() == 1 ? joint.name : fmt::format("{}.{}", joint.name, i + 1);
      raw.parent = link;
      raw.position = position;
      Expr33 turn_back{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
      if (motion.kind == MotionKind::Ball) {
        raw.rotation = rotation;
      } else {
        const Expr33 frame = axis_frame(motion.axis, graph_, joint);
        raw.rotation = multiply(rotation, frame);
        turn_back = transpose(frame);
      }
      raw.real_rotation = find_real(raw.rotation);
      raw.real_position = find_real(raw.position);
      raw_.push_back(raw);
      link = raw_.size() - 1;
      rotation = turn_back;
      position = {};
    }
    BodyPlace child;
    child.link = link;
    child.rotation = multiply(rotation, transpose(joint.on_child.rotation));
    child.position = subtract(position, multiply(child.rotation, joint.on_child.position));
    place_[joint.child] = is_flexible(joint.child) ? add_flexible(joint.child, child) : child;
  }

  /// Particles on sections may need links of their own.
  void find_particles() {
    for (const auto& particle : mechanism_.particles)
      if (is_flexible(particle.on)) particles_.emplace_back(&particle, carrier(particle.on, particle.at));
  }

  // ---- flexible bodies --------------------------------------------------------------------------------------------
  [[nodiscard]] bool is_flexible(const std::string& name) const {
    const MechanismBody* body = mechanism_.find_body(name);
    return body != nullptr && body->flexible;
  }

  BodyPlace add_flexible(const std::string& body, const BodyPlace& at) {
    RawLink raw;
    raw.flexible = raw.name = body;
    raw.parent = at.link;
    raw.rotation = at.rotation;
    raw.position = at.position;
    raw_.push_back(raw);
    return {raw_.size() - 1};
  }

  /// What carries something at a position of a body, and its position there: the body, or a section of it.
  std::pair<BodyPlace, Expr3> carrier(const std::string& body, const Expr3& position) {
    const BodyPlace& place = place_.at(body);
    if (!is_flexible(body)) return {place, position};
    const auto& all = lowered_.attachments;
    const auto at = std::find_if(all.begin(), all.end(),
                                 [&](const LoweredAttachment& a) { return a.body == body && a.position == position; });
    ensure(at != all.end(), "something is attached to the flexible body '{}' at an unknown place", body);
    if (!at->section) return {place, at->offset};
    const auto [known, fresh] = section_links_.emplace(*at->section, raw_.size());
    if (fresh) {
      RawLink raw;
      raw.section = &lowered_.sections[*at->section];
      raw.name = fmt::format("{}.section{}", body, *at->section + 1);
      raw.parent = place.link;
      raw_.push_back(raw);
    }
    return {{known->second}, at->offset};
  }

  /// Locked at a value that only parameters change: a part of the geometry, and what follows is of one piece with what is
  /// before.
  [[nodiscard]] bool is_still(const ElementaryMotion& motion) const {
    return !motion.free && motion.kind != MotionKind::Ball &&
           !depends_on(graph_.bind(motion.value), graph_.symbol("t"));
  }

  void pass_still(const ElementaryMotion& motion, const Joint& joint, Expr33& rotation, Expr3& position) const {
    const Expr value = graph_.bind(motion.value);
    const Expr33 frame = axis_frame(motion.axis, graph_, joint);
    const Expr3 axis{frame[0][2], frame[1][2], frame[2][2]};
    if (motion.kind != MotionKind::Rotation) {
      const Expr distance = motion.kind == MotionKind::Screw ? motion.pitch * value : value;
      position = add(position, multiply(rotation, scale(distance, axis)));
    }
    if (motion.kind != MotionKind::Translation) rotation = multiply(rotation, axis_rotation_matrix(axis, value));
  }

  // ---- better frames ----------------------------------------------------------------------------------------------
  [[nodiscard]] bool numeric(const RawLink& raw) const { return raw.real_rotation && raw.real_position; }

  void choose_frames() {
    std::vector<std::optional<std::size_t>> main_child(raw_.size());
    std::vector<int> weight(raw_.size(), 1);
    for (std::size_t i = raw_.size(); i-- > 0;) {
      if (!raw_[i].parent) continue;
      const std::size_t p = *raw_[i].parent;
      weight[p] += weight[i];
      if (numeric(raw_[i]) && (!main_child[p] || weight[i] > weight[*main_child[p]])) main_child[p] = i;
    }
    for (std::size_t i = 0; i < raw_.size(); ++i)
      if (main_child[i] && raw_[i].motion != nullptr && raw_[i].motion->kind == MotionKind::Rotation)
        face_child(raw_[i], raw_[*main_child[i]]);
  }

  /// Slides and turns the frame of a link so that its x axis is the common normal to the child's axis.
  static void face_child(RawLink& link, const RawLink& child) {
    const Vec3 p = *child.real_position;
    const Mat3& R = *child.real_rotation;
    const Vec3 d = R.column(2);  // the child's axis
    const bool has_axis = child.motion->kind != MotionKind::Ball;
    const double sine = std::hypot(d[0], d[1]);
    if (has_axis && sine > 1e-9) {
      link.turn = std::atan2(d[0], -d[1]);  // of z x d
      // Point of the child's axis nearest to ours: p + k d with (p + k d) perpendicular component along d's vanishing.
      // Axes that are almost parallel meet far away; an origin there would cost digits (and 1.5708 for a right angle is
      // common in robot files).
      const double k = -(p[0] * d[0] + p[1] * d[1]) / (sine * sine);
      const double foot = p[2] + k * d[2];
      const bool near = std::abs(foot) <= kFarthest * std::hypot(p[0], p[1], p[2]);
      link.slide = near && child.motion->kind != MotionKind::Translation ? foot : 0.0;
    } else {
      if (std::hypot(p[0], p[1]) > kTiny) link.turn = std::atan2(p[1], p[0]);
      link.slide = p[2];
    }
    link.turn = snap(link.turn), link.slide = snap(link.slide);
  }

  // ---- links --------------------------------------------------------------------------------------------------------
  void finish_links() {
    for (auto& raw : raw_) {
      TreeLink link;
      link.name = raw.name;
      link.parent = raw.parent;
      if (raw.motion == nullptr) {
        link.free = false;
        if (raw.section != nullptr)
          finish_section(raw, link);
        else
          finish_flexible(raw, link);
        result_.tree.links.push_back(std::move(link));
        continue;
      }
      const auto& motion = *raw.motion;
      link.kind = motion.kind;
      link.free = motion.free;
      link.pitch = motion.pitch;
      place_link(raw, link);
      set_motion(motion, link);
      result_.tree.links.push_back(std::move(link));
    }
    // Bodies move with the frames of their links. Those of flexible links and sections stay.
    for (auto& [name, place] : place_) {
      if (place.link) {
        const auto& raw = raw_[*place.link];
        if (raw.turn != 0 || raw.slide != 0) move_body(raw, place);
      }
      result_.bodies[name] = place;
    }
    for (const auto& particle : mechanism_.particles)
      if (!is_flexible(particle.on))
        particles_.emplace_back(&particle, std::pair{result_.bodies.at(particle.on), particle.at});
  }

  /// Its frame is that of the body, so that it is never slid or turned; its parent's frame may be.
  void finish_flexible(const RawLink& raw, TreeLink& link) {
    BodyPlace place{raw.parent, raw.rotation, raw.position};
    if (raw.parent && (raw_[*raw.parent].turn != 0 || raw_[*raw.parent].slide != 0))
      move_body(raw_[*raw.parent], place);
    link.position = place.position;
    link.rotation.matrix.push_back(place.rotation);
    const auto& all = lowered_.system.flexible_bodies();
    const FrameId frame = lowered_.body_frames.at(raw.flexible);
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& r) { return r.spec.frame == frame; });
    ensure(found != all.end(), "the flexible body '{}' has no inertia", raw.flexible);
    FlexibleSpec spec = found->spec;
    auto& dof_speed = result_.tree.dof_speed;
    link.first_dof = dof_speed.size();
    link.dof_count = spec.coordinates.size();
    Substitution undeformed;
    for (const Expr& q : spec.coordinates) {
      const Expr u = speed_of(q);
      dof_speed.push_back(speed_index_.at(u.name()));
      link.modal_rates.push_back(u);
      undeformed.set(q, 0);
    }
    const auto still = [&](const Expr& e) { return e.graph() == nullptr ? e : substitute(e, undeformed); };
    link.inertia.m = spec.mass;
    Expr33 J;
    for (std::size_t i = 0; i < 3; ++i) {
      link.inertia.h[i] = still(spec.first_moment[i]);
      for (std::size_t j = 0; j < 3; ++j) J[i][j] = still(spec.inertia[i][j]);
    }
    link.inertia.I = symmetric(J);
    spec.mass = {};
    spec.first_moment = subtract(spec.first_moment, link.inertia.h);
    for (std::size_t i = 0; i < 3; ++i) spec.inertia[i] = subtract(spec.inertia[i], J[i]);
    link.modes = std::make_shared<const DeformingInertia>(form_deforming_inertia(found->body, std::move(spec)));
  }

  /// The speed that is the rate of a coordinate.
  [[nodiscard]] Expr speed_of(const Expr& q) const {
    const Expr rate = lowered_.system.rate(q);
    for (const auto& speed : lowered_.system.speeds())
      if (speed.definition == rate) return speed.symbol;
    ensure(false, "the coordinate '{}' has no speed of its own", q.name());
    return {};
  }

  void finish_section(const RawLink& raw, TreeLink& link) {
    const LoweredSection& at = *raw.section;
    link.position = at.position;
    const Expr3 z{0, 0, 1};
    // Axes of the turns about z, y and x, components of the flexible body.
    std::vector<std::pair<Expr, Expr3>> turns;
    LinkRotation before;
    for (const Axis axis : {Axis::Z, Axis::Y, Axis::X}) {
      const Expr& angle = at.angles[index(axis)];
      if (angle.is_zero()) continue;
      Expr3 along{};
      along[index(axis)] = 1;
      turns.emplace_back(angle, before.to_parent(along));
      before.before.push_back({axis, cos(angle), sin(angle)});
    }
    link.rotation = before;
    const TreeLink& body = result_.tree.links[*raw.parent];
    const std::vector<Expr>& q = body.modes->spec.coordinates;
    TreeSection section;
    Substitution rates;
    for (std::size_t i = 0; i < q.size(); ++i) rates.set(q[i], body.modal_rates[i]);
    const auto rate = [&](const Expr3& v) {
      Expr3 r;
      for (std::size_t k = 0; k < 3; ++k)
        if (v[k].graph() != nullptr) r[k] = time_derivative(v[k], rates);
      return r;
    };
    for (const Expr& qi : q) {
      Expr3 r, g;
      for (std::size_t k = 0; k < 3; ++k)
        if (at.position[k].graph() != nullptr) r[k] = derivative(at.position[k], qi);
      for (const auto& [angle, axis] : turns) g = add(g, scale(derivative(angle, qi), axis));
      section.r.push_back(r);
      section.g.push_back(g);
    }
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Expr& u = body.modal_rates[i];
      section.slide = add(section.slide, scale(u, section.r[i]));
      section.spin = add(section.spin, scale(u, section.g[i]));
    }
    section.b = rate(section.slide);
    section.d = rate(section.spin);
    link.section = std::make_shared<const TreeSection>(std::move(section));
  }

  [[nodiscard]] Expr coordinate(const ElementaryMotion& motion) const {
    return motion.free ? motion.coordinates[0] : motion.value;
  }

  void place_link(const RawLink& raw, TreeLink& link) {
    const auto& motion = *raw.motion;
    const RawLink* parent = raw.parent ? &raw_[*raw.parent] : nullptr;
    const Expr angle = link.kind == MotionKind::Rotation || link.kind == MotionKind::Screw ? coordinate(motion) : 0;
    Expr3 z{0, 0, 1};
    if (link.kind == MotionKind::Ball) {
      link.position = numeric(raw) ? namer_.number(moved_position(raw, parent), raw.name + ".p") : raw.position;
      const Expr33 quaternion = motion.free ? euler_parameter_matrix({motion.coordinates[0], motion.coordinates[1],
                                                                      motion.coordinates[2], motion.coordinates[3]})
                                            : identity33();
      if (numeric(raw))
        add_constant_rotation(moved_rotation(raw, parent), 0, false, raw.name, link.rotation);
      else
        link.rotation.matrix.push_back(raw.rotation);
      // One matrix in the middle: constant part times Euler parameters.
      const Expr33 constant = link.rotation.matrix_to_parent();
      link.rotation = {};
      link.rotation.matrix.push_back(multiply(constant, quaternion));
      return;
    }
    if (numeric(raw)) {
      link.position = namer_.number(moved_position(raw, parent), raw.name + ".p");
      add_constant_rotation(moved_rotation(raw, parent), angle, true, raw.name, link.rotation);
    } else {
      link.position = raw.position;
      Expr33 rotation = raw.rotation;
      if (parent != nullptr && (parent->turn != 0 || parent->slide != 0)) {
        const PlanarRotation turn = namer_.rotation(Axis::Z, -parent->turn, 0, parent->name + ".turn");
        link.position[2] -= namer_.number(parent->slide, parent->name + ".slide");
        const LinkRotation planar{{turn}, {}, {}};
        link.position = planar.to_parent(link.position);
        link.rotation.before.push_back(turn);
      }
      if (raw.slide != 0) {
        const Expr slide = namer_.number(raw.slide, raw.name + ".slide");
        LinkRotation constant = link.rotation;
        constant.matrix.push_back(rotation);
        link.position = add(link.position, constant.to_parent(scale(slide, z)));
      }
      link.rotation.matrix.push_back(rotation);
      if (raw.turn != 0 || !angle.is_zero())
        link.rotation.after.push_back(namer_.rotation(Axis::Z, raw.turn, angle, raw.name));
    }
    if (link.kind == MotionKind::Translation || link.kind == MotionKind::Screw) {
      // The link's origin moves along its own axis.
      const Expr distance = link.kind == MotionKind::Screw ? motion.pitch * coordinate(motion) : coordinate(motion);
      link.position = add(link.position, link.rotation.to_parent(scale(distance, z)));
    }
  }

  /// Position of the finished frame's origin (motion at zero) in the parent's finished frame.
  static Vec3 moved_position(const RawLink& raw, const RawLink* parent) {
    const Mat3& R = *raw.real_rotation;
    Vec3 p = *raw.real_position;
    for (std::size_t i = 0; i < 3; ++i) p[i] += raw.slide * R[i][2];
    if (parent == nullptr) return p;
    p[2] -= parent->slide;
    return about_z(-parent->turn) * p;
  }

  static Mat3 moved_rotation(const RawLink& raw, const RawLink* parent) {
    const Mat3 R = *raw.real_rotation * about_z(raw.turn);
    return parent == nullptr ? R : about_z(-parent->turn) * R;
  }

  /// R = Rz(gamma) Rx(alpha) Rz(theta), then the variable angle about z.
  void add_constant_rotation(const Mat3& R, const Expr& variable, bool has_axis, const std::string& name,
                             LinkRotation& rotation) {
    double sine = std::hypot(R[0][2], R[1][2]);
    double gamma = 0, alpha = 0, theta = 0;
    if (sine < 1e-12) {
      alpha = R[2][2] > 0 ? 0.0 : std::numbers::pi;
      // Rx(0 or pi) Rz(theta): first row is cos, -sin.
      theta = std::atan2(-R[0][1], R[0][0]);
    } else {
      gamma = std::atan2(R[0][2], -R[1][2]);
      // The other sign of alpha turns gamma by a half turn: choose it where that makes gamma vanish.
      if (std::abs(std::abs(gamma) - std::numbers::pi) < 1e-12) {
        gamma = 0;
        sine = -sine;
      }
      alpha = std::atan2(sine, R[2][2]);
      const Mat3 rest = transposed(about_z(gamma)) * R;  // Rx(alpha) Rz(theta)
      theta = std::atan2(-rest[0][1], rest[0][0]);
    }
    if (std::abs(gamma) > kTiny) rotation.before.push_back(namer_.rotation(Axis::Z, gamma, 0, name + ".gamma"));
    if (std::abs(alpha) > kTiny) rotation.before.push_back(namer_.rotation(Axis::X, alpha, 0, name + ".alpha"));
    if (std::abs(theta) > kTiny || (has_axis && !variable.is_zero()))
      rotation.after.push_back(namer_.rotation(Axis::Z, theta, variable, name + ".theta"));
  }

  void set_motion(const ElementaryMotion& motion, TreeLink& link) {
    if (!motion.free) {
      const Substitution rates{{mechanism_.graph->symbol("t"), 1}};
      link.rate = time_derivative(motion.value, rates);
      link.known_acceleration = time_derivative(link.rate, rates);
      return;
    }
    ensure(!motion.speeds.empty(), "the motion '{}' has no speed of its own", link.name);
    auto& dof_speed = result_.tree.dof_speed;
    link.first_dof = dof_speed.size();
    link.dof_count = motion.speeds.size();
    for (const auto& speed : motion.speeds) dof_speed.push_back(speed_index_.at(speed.name()));
    if (link.kind == MotionKind::Ball)
      link.ball_rates = {motion.speeds[0], motion.speeds[1], motion.speeds[2]};
    else
      link.rate = motion.speeds[0];
  }

  /// The link's frame was slid along and turned about its z axis.
  void move_body(const RawLink& raw, BodyPlace& place) {
    const auto R = find_real(place.rotation);
    const auto p = find_real(place.position);
    const std::string name = raw.name + ".body";
    if (R && p) {
      const Mat3 back = about_z(-raw.turn);
      Vec3 q = *p;
      q[2] -= raw.slide;
      place.position = namer_.number(back * q, name + ".p");
      const Mat3 S = back * *R;
      for (std::size_t i = 0; i < 3; ++i) place.rotation[i] = namer_.number(S[i], name + ".R" + std::to_string(i + 1));
      return;
    }
    const LinkRotation turn{{namer_.rotation(Axis::Z, -raw.turn, 0, raw.name + ".turn")}, {}, {}};
    place.position[2] -= namer_.number(raw.slide, raw.name + ".slide");
    place.position = turn.to_parent(place.position);
    place.rotation = multiply(turn.matrix_to_parent(), place.rotation);
  }

  // ---- inertia ------------------------------------------------------------------------------------------------------
  void add_inertias() {
    for (const auto& body : mechanism_.bodies)
      if (!body.flexible)
        add_inertia(body.name, result_.bodies.at(body.name), body.mass, body.mass_centre, body.inertia);
    for (const auto& [particle, place] : particles_)
      add_inertia(particle->name, place.first, particle->mass, place.second, Expr33{});
  }

  void add_inertia(const std::string& name, const BodyPlace& place, const Expr& mass, const Expr3& centre,
                   const Expr33& inertia) {
    if (!place.link) return;
    auto& link = result_.tree.links[*place.link];
    const auto named = [&](const Expr& e, const std::string& what) {
      const auto value = find_real(e);
      return value ? namer_.number(*value, name + "." + what) : e;
    };
    Expr33 I{};
    static constexpr const char* kNames[3][3] = {{"Ixx", "Ixy", "Ixz"}, {"Ixy", "Iyy", "Iyz"}, {"Ixz", "Iyz", "Izz"}};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) I[i][j] = j < i ? I[j][i] : named(inertia[i][j], kNames[i][j]);
    const Expr m = named(mass, "m");
    const Expr3 c{named(centre[0], "cx"), named(centre[1], "cy"), named(centre[2], "cz")};
    const LinkRotation rotation{{}, {place.rotation}, {}};
    const Expr3 in_link = add(place.position, multiply(place.rotation, c));
    InertialParameters central;
    central.m = m;
    central.I = rotation.to_parent(symmetric(I));
    link.inertia += shift(central, in_link);
  }

  // ---- speeds -------------------------------------------------------------------------------------------------------
  void number_speeds() {
    auto& tree = result_.tree;
    const auto n = tree.dof_speed.size();
    tree.dof_parent.assign(n, std::nullopt);
    tree.tau.assign(n, Expr());
    std::vector<std::optional<std::size_t>> last(tree.links.size());
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      const auto& link = tree.links[i];
      std::optional<std::size_t> before = link.parent ? last[*link.parent] : std::nullopt;
      for (std::size_t dof = link.first_dof; dof < link.first_dof + link.dof_count; ++dof) {
        tree.dof_parent[dof] = before;
        before = dof;
      }
      last[i] = before;
    }
  }

  const Mechanism& mechanism_;
  const LoweredMechanism& lowered_;
  Graph& graph_;
  std::map<std::size_t, std::size_t> section_links_;  ///< by section
  std::vector<std::pair<const MechanismParticle*, std::pair<BodyPlace, Expr3>>> particles_;
  std::map<std::string, std::size_t> speed_index_;  ///< in the equations
  NumberNamer namer_;
  std::map<std::string, BodyPlace> place_;
  std::vector<RawLink> raw_;
  BuiltTree result_;
};

}  // namespace

BuiltTree build_tree(const Mechanism& mechanism, const LoweredMechanism& lowered) {
  return TreeBuilder(mechanism, lowered).build();
}

}  // namespace kane

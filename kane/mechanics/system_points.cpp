// Points and bodies of a System.

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

void System::check_point(PointId p, std::string_view what) const {
  require(p.valid() && p.index() < points_.size(), "{} needs a point of {}", what, name_);
}

// Points and bodies are not symbols; names such as B* are allowed.
void System::check_label(std::string_view name, std::string_view what) const {
  const bool good = !name.empty() && std::none_of(name.begin(), name.end(), [](unsigned char c) { return c <= ' '; });
  require(good, "'{}' cannot be the name of a {}: it must not be empty or contain spaces", name, what);
}

PointId System::add_point(std::string name) {
  check_label(name, "point");
  const bool taken = std::any_of(points_.begin(), points_.end(), [&](const PointRecord& p) { return p.name == name; });
  require(!taken, "there is already a point named '{}'", name);
  points_.push_back({std::move(name), {}, {}, {}});
  return PointId(points_.size() - 1);
}

PointId System::add_point(std::string name, PointId from, const Vector& offset) {
  check_point(from, "the position of point " + name);
  const PointId p = add_point(std::move(name));
  locate(p, from, offset);
  return p;
}

PointId System::add_point_of(std::string name, FrameId carrier, PointId at) {
  check_frame(carrier, "the point " + name);
  check_point(at, "the point " + name);
  const PointId p = add_point(std::move(name));
  points_[p.index()].parent = at;
  points_[p.index()].carrier = carrier;
  return p;
}

std::vector<PointId> System::point_path(PointId p) const {
  std::vector<PointId> path{p};
  while (points_[path.back().index()].parent.valid()) path.push_back(points_[path.back().index()].parent);
  return path;
}

bool System::located(PointId p, PointId from) const { return point_path(p).back() == point_path(from).back(); }

void System::check_located(PointId p) const {
  const PointId root = point_path(p).back();
  require(root == origin(), "the position of point {} is not known; locate {} from {} or from a point located from it",
          point(p).name, point(root).name, point(origin()).name);
}

// Hangs the tree of a loose point up by this point.
void System::reroot(PointId p) {
  PointId child = p;
  PointRecord edge = points_[p.index()];
  points_[p.index()].parent = {};
  points_[p.index()].offset = {};
  while (edge.parent.valid()) {
    require(!edge.carrier.valid(), "point {} coincides with {}, so its position cannot be stated again",
            points_[child.index()].name, points_[edge.parent.index()].name);
    const PointId up = edge.parent;
    const PointRecord next = points_[up.index()];
    points_[up.index()].parent = child;
    points_[up.index()].offset = -edge.offset;
    child = up;
    edge = next;
  }
}

void System::locate(PointId p, PointId from, const Vector& offset) {
  check_point(p, "a position");
  check_point(from, "a position");
  require(p != from, "point {} cannot be located from itself", point(p).name);
  require(!located(p, from), "the position of {} relative to {} is known already; state it only once", point(p).name,
          point(from).name);
  for (const Vector::Term& t : offset.terms()) check_frame(t.frame, "the position of point " + point(p).name);
  if (point_path(p).back() == origin()) {
    reroot(from);
    points_[from.index()].parent = p;
    points_[from.index()].offset = -offset;
  } else {
    reroot(p);
    points_[p.index()].parent = from;
    points_[p.index()].offset = offset;
  }
}

void System::fix_point(PointId p, FrameId f) {
  check_point(p, "a frame's point");
  check_frame(f, "a fixed point");
  anchors_[f] = p;
}

PointId System::point(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    if (points_[i].name == name) return PointId(i);
    names.push_back(points_[i].name);
  }
  throw ModelError(fmt::format("there is no point '{}' in {}{}", name, name_, suggestion(name, names)));
}

Vector System::position(PointId p, PointId from) const {
  check_point(p, "a position");
  check_point(from, "a position");
  std::vector<PointId> a = point_path(p);
  std::vector<PointId> b = point_path(from);
  require(a.back() == b.back(), "the position of point {} relative to {} is not known; locate {} from a point that is",
          point(p).name, point(from).name, point(a.back() == origin() ? b.back() : a.back()).name);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
  Vector r;
  for (const PointId i : a) r += point(i).offset;
  for (const PointId i : b) r -= point(i).offset;
  return r;
}

std::optional<PointId> System::find_anchor(FrameId f) const {
  if (const auto at = anchors_.find(f); at != anchors_.end()) return at->second;
  if (f == inertial()) return origin();
  for (const BodyRecord& b : bodies_) {
    if (b.frame == f) return b.mass_centre;
  }
  return std::nullopt;
}

// Velocity of p in a frame less that of the point it is located from.
Vector System::edge_velocity(PointId p, FrameId in) const {
  Vector v = derivative(point(p).offset, in);
  for (const AuxiliaryRecord& a : auxiliaries_) {
    if (a.point == p) v += a.symbol * a.direction;
  }
  return v;
}

Vector System::velocity(PointId p, FrameId in) const {
  check_point(p, "a velocity");
  check_frame(in, "a velocity");
  const auto anchor = find_anchor(in);
  require(anchor.has_value(),
          "the velocity of {} in {} is not known, because no point is known to be fixed in {}; say "
          "which one is",
          point(p).name, frames_.name(in), frames_.name(in));
  // Points of a carrier: the two-point theorem, v = v_Q + w x (P - Q) with Q fixed in the carrier.
  if (const FrameId carrier = point(p).carrier; carrier.valid()) {
    const auto fixed = find_anchor(carrier);
    require(fixed.has_value(),
            "the velocity of {} is not known, because no point is known to be fixed in {}; say which "
            "one is",
            point(p).name, frames_.name(carrier));
    return velocity(*fixed, in) + cross(angular_velocity(carrier, in), position(p, *fixed));
  }
  check_located(p);
  std::vector<PointId> a = point_path(p);
  std::vector<PointId> b = point_path(*anchor);
  require(a.back() == b.back(), "the position of point {} relative to {} is not known; locate {} from a point that is",
          point(p).name, point(*anchor).name, point(a.back() == origin() ? b.back() : a.back()).name);
  while (!a.empty() && !b.empty() && a.back() == b.back()) {
    a.pop_back();
    b.pop_back();
  }
  Vector v;
  for (const PointId i : a) {
    if (point(i).carrier.valid()) return v + velocity(i, in);
    v += edge_velocity(i, in);
  }
  for (const PointId i : b) v -= edge_velocity(i, in);
  return v;
}

Vector System::acceleration(PointId p, FrameId in) const {
  check_point(p, "an acceleration");
  if (const FrameId carrier = point(p).carrier; carrier.valid()) {
    const auto fixed = find_anchor(carrier);
    require(fixed.has_value(),
            "the acceleration of {} is not known, because no point is known to be fixed in {}; say "
            "which one is",
            point(p).name, frames_.name(carrier));
    const Vector r = position(p, *fixed);
    const Vector w = angular_velocity(carrier, in);
    return acceleration(*fixed, in) + cross(angular_acceleration(carrier, in), r) + cross(w, cross(w, r));
  }
  return derivative(velocity(p, in), in);
}

// ---- bodies -------------------------------------------------------------------------------------------------------------

BodyId System::add_particle(std::string name, PointId point, std::optional<Expr> mass) {
  check_point(point, "particle " + name);
  check_label(name, "body");
  for (const BodyRecord& b : bodies_) require(b.name != name, "there is already a body named '{}'", name);
  bodies_.push_back({std::move(name), point, std::move(mass), {}, {}});
  return BodyId(bodies_.size() - 1);
}

BodyId System::add_body(std::string name, const BodySpec& spec) {
  check_frame(spec.frame, "body " + name);
  check_point(spec.mass_centre, "body " + name);
  check_label(name, "body");
  for (const BodyRecord& b : bodies_) require(b.name != name, "there is already a body named '{}'", name);
  std::optional<Dyadic> central = spec.inertia;
  if (spec.inertia && spec.inertia_about.valid() && spec.inertia_about != spec.mass_centre) {
    require(spec.mass.has_value(), "body {} needs a mass: its inertia is given about {}, which is not its mass centre",
            name, point(spec.inertia_about).name);
    const Expr3 r = frames_.express(position(spec.mass_centre, spec.inertia_about), spec.frame);
    *central += Dyadic(spec.frame, scale(Expr(-1), parallel_axis(*spec.mass, r)));
  }
  bodies_.push_back({std::move(name), spec.mass_centre, spec.mass, spec.frame, central});
  return BodyId(bodies_.size() - 1);
}

BodyId System::add_flexible_body(std::string name, const FlexibleSpec& spec) {
  check_frame(spec.frame, "body " + name);
  check_point(spec.origin, "body " + name);
  const std::size_t n = spec.coordinates.size();
  require(spec.coupling.size() == n && spec.modal_mass.rows == static_cast<int>(n) &&
              spec.modal_mass.columns == static_cast<int>(n),
          "the flexible body {} has {} coordinates; its coupling and its modal mass must fit", name, n);
  for (const Expr& q : spec.coordinates) (void)rate(q);
  const PointId centre =
      add_point(name + ".com", spec.origin, Vector(spec.frame, scale(1 / graph_->bind(spec.mass), spec.first_moment)));
  const BodyId body = add_body(std::move(name), {.frame = spec.frame, .mass_centre = centre, .mass = spec.mass});
  bodies_.back().flexible = true;
  flexible_.push_back({body, spec});
  return body;
}

BodyId System::body(std::string_view name) const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_[i].name == name) return BodyId(i);
    names.push_back(bodies_[i].name);
  }
  throw ModelError(fmt::format("there is no body '{}' in {}{}", name, name_, suggestion(name, names)));
}

}  // namespace kane

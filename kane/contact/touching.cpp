#include "kane/contact/touching.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace kane {

namespace {

/// Steepness |n - (n.a) a| below which a rim lies flat.
constexpr double kFlat = 1e-5;
/// Faces whose distances differ by less count as equally far.
constexpr double kTie = 1e-9;
/// Edges more nearly parallel than this do not cross: their ends touch faces instead.
constexpr double kParallel = 1e-5;

Touch along_normal(const JetVector& x, double radius, const JetVector& n, const Jet& height) {
  Touch t;
  t.valid = true;
  t.normal = n;
  t.gap = height - radius;
  t.first = x - radius * n;
  t.second = x - height * n;
  return t;
}

Touch on_plane(const JetVector& x, double radius, const ContactShape& plane, const RigidMotion& m2) {
  const JetVector n = m2.direction(plane.axis);
  return along_normal(x, radius, n, dot(x - m2.point(plane.centre), n));
}

/// The lowest point of the disk at the given end of the cylinder.
JetVector lowest_of_rim(std::size_t end, const Hold& hold, const ContactShape& c, const RigidMotion& m1,
                        const JetVector& n) {
  const double half = (end == 0 ? -0.5 : 0.5) * c.length;
  const JetVector a = m1.direction(c.axis), m = n - dot(n, a) * a;
  if (norm(m.v) < kFlat) return m1.point(c.centre + half * c.axis + c.radius * hold.rim);
  return m1.point(c.centre + half * c.axis) - c.radius * unit(m);
}

Touch rim_on_plane(std::size_t end, const Hold& hold, const ContactShape& c, const RigidMotion& m1,
                   const ContactShape& plane, const RigidMotion& m2) {
  return on_plane(lowest_of_rim(end, hold, c, m1, m2.direction(plane.axis)), 0, plane, m2);
}

/// The lowest point, where the normal of the surface x.A^-1 x = 1 is that of the plane.
Touch ellipsoid_on_plane(const ContactShape& e, const RigidMotion& m1, const ContactShape& plane,
                         const RigidMotion& m2) {
  const JetVector n = m2.direction(plane.axis);
  JetVector an{};
  for (std::size_t i = 0; i < 3; ++i) {
    const JetVector along = m1.direction(e.turned.column(i));
    an = an + (e.semi_axes[i] * e.semi_axes[i]) * (dot(n, along) * along);
  }
  return on_plane(m1.point(e.centre) - (Jet{1, 0, 0} / sqrt(dot(n, an))) * an, 0, plane, m2);
}

Vec3 rim_point(std::size_t number, const ContactShape& c) {
  const double half = (number % 2 == 0 ? -0.5 : 0.5) * c.length;
  const double angle = 2 * std::numbers::pi * static_cast<double>(number / 2) / kRimPoints;
  const Vec3 e1 = across(c.axis), e2 = cross(c.axis, e1);
  return c.centre + half * c.axis + (c.radius * std::cos(angle)) * e1 + (c.radius * std::sin(angle)) * e2;
}

/// From the nearest point y to x, with the radii of both.
Touch between_points(const JetVector& x, double r1, const JetVector& y, double r2) {
  const JetVector apart = x - y;
  if (dot(apart.v, apart.v) == 0) return {};
  const Jet distance = norm(apart);
  Touch t;
  t.valid = true;
  t.normal = (Jet{1, 0, 0} / distance) * apart;
  t.gap = distance - (r1 + r2);
  t.first = x - r1 * t.normal;
  t.second = y + r2 * t.normal;
  return t;
}

JetVector nearest_on_line(const JetVector& x, const JetVector& from, const JetVector& along) {
  return from + (dot(x - from, along) / dot(along, along)) * along;
}

struct Nearest {
  enum class Region : std::uint8_t { Corner, Edge, Face } region = Region::Corner;
  std::size_t index = 0;
};

/// The part of the core nearest to x (in the body's axes), from outside.
Nearest find_nearest(const Polytope& core, const Vec3& x) {
  Nearest best;
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](Nearest::Region region, std::size_t i, double distance) {
    if (distance < least) least = distance, best = {region, i};
  };
  for (std::size_t f = 0; f < core.faces.size(); ++f) {
    const auto& face = core.faces[f];
    const double height = dot(face.normal, x) - face.offset;
    if (height < 0) continue;
    bool inside = true;
    for (std::size_t i = 0; i < face.corners.size() && inside; ++i) {
      const Vec3& a = core.corners[face.corners[i]];
      const Vec3& b = core.corners[face.corners[(i + 1) % face.corners.size()]];
      inside = dot(cross(face.normal, b - a), x - a) >= 0;
    }
    if (inside) offer(Nearest::Region::Face, f, height);
  }
  for (std::size_t e = 0; e < core.edges.size(); ++e) {
    const Vec3& a = core.corners[core.edges[e].from];
    const Vec3 along = core.corners[core.edges[e].to] - a;
    const double s = dot(x - a, along) / dot(along, along);
    if (s > 0 && s < 1) offer(Nearest::Region::Edge, e, norm(x - a - s * along));
  }
  for (std::size_t c = 0; c < core.corners.size(); ++c) offer(Nearest::Region::Corner, c, norm(x - core.corners[c]));
  return best;
}

/// x in the axes of the body.
Vec3 local(const Vec3& x, const RigidMotion& m) { return transposed(m.R) * (x - m.p); }

Touch on_face(const JetVector& x, double r1, const ContactShape& second, const RigidMotion& m2, std::size_t face) {
  const auto& f = second.core.faces[face];
  const JetVector n = m2.direction(f.normal);
  Touch t = along_normal(x, r1, n, dot(x - m2.point(second.core.corners[f.corners[0]]), n));
  t.gap = t.gap - second.rounding();
  t.second = t.second + second.rounding() * n;
  t.face = face;
  return t;
}

/// The face that x is farthest outside of; of equally far ones the one it leaves fastest, then the one that faces `from`.
std::size_t outermost_face(const Polytope& core, const Vec3& x, const Vec3& velocity, const Vec3& from) {
  double most = -std::numeric_limits<double>::infinity();
  for (const auto& f : core.faces) most = std::max(most, dot(f.normal, x) - f.offset);
  std::size_t best = kNoIndex;
  double rate = 0, facing = 0;
  for (std::size_t i = 0; i < core.faces.size(); ++i) {
    const auto& f = core.faces[i];
    if (dot(f.normal, x) - f.offset < most - kTie) continue;
    const double r = dot(f.normal, velocity), towards = dot(f.normal, from);
    const bool better = best == kNoIndex || r > rate + kTie || (r > rate - kTie && towards > facing);
    if (better) best = i, rate = r, facing = towards;
  }
  return best;
}

/// Distance of a point from the border of the face, negative outside.
double inside_face(const Polytope& core, std::size_t face, const Vec3& x) {
  const auto& f = core.faces[face];
  double least = Touch::kFar;
  for (std::size_t i = 0; i < f.corners.size(); ++i) {
    const Vec3& a = core.corners[f.corners[i]];
    const Vec3& b = core.corners[f.corners[(i + 1) % f.corners.size()]];
    least = std::min(least, dot(cross(f.normal, unit(b - a)), x - a));
  }
  return least;
}

/// A sharp point of the first shape on a face of the second.
Touch point_on_core(const JetVector& x, const Hold& hold, const ContactShape& first, const RigidMotion& m1,
                    const ContactShape& second, const RigidMotion& m2) {
  const Vec3 here = local(x.v, m2);
  const Vec3 relative = local(x.d - m2.velocity(x.v) + m2.p, m2);
  const Vec3 towards = local(m1.place(first.centre), m2) - second.centre;
  const std::size_t face =
      hold.holds && hold.face != kNoIndex ? hold.face : outermost_face(second.core, here, relative, towards);
  Touch t = on_face(x, 0, second, m2, face);
  t.inside = inside_face(second.core, face, here);
  return t;
}

bool is_outermost(const Polytope& core, std::size_t face, const Vec3& x) {
  const double here = dot(core.faces[face].normal, x) - core.faces[face].offset;
  return std::ranges::all_of(core.faces, [&](const auto& f) { return dot(f.normal, x) - f.offset <= here + kTie; });
}

/// The face that the whole rim is farthest outside of; if there is none, the one that its lowest point is above.
Touch rim_on_core(std::size_t end, const Hold& hold, const ContactShape& c, const RigidMotion& m1,
                  const ContactShape& second, const RigidMotion& m2) {
  const auto at_face = [&](std::size_t face) {
    const JetVector n = m2.direction(second.core.faces[face].normal), x = lowest_of_rim(end, hold, c, m1, n);
    Touch t = on_face(x, 0, second, m2, face);
    t.inside = inside_face(second.core, face, local(x.v, m2));
    return t;
  };
  if (hold.holds && hold.face != kNoIndex) return at_face(hold.face);
  Touch outermost, above;
  outermost.gap.v = above.gap.v = -Touch::kFar;
  for (std::size_t f = 0; f < second.core.faces.size(); ++f) {
    const Touch t = at_face(f);
    if (t.gap.v > outermost.gap.v) outermost = t;
    if (t.inside > 0 && t.gap.v > above.gap.v && is_outermost(second.core, f, local(t.first.v, m2))) above = t;
  }
  if (outermost.gap.v > 0) return outermost;
  return above.valid ? above : Touch{};  // beside all faces: edges meet
}

Touch corner_on_core(const Feature& feature, const Hold& hold, const ContactShape& first, const RigidMotion& m1,
                     const ContactShape& second, const RigidMotion& m2) {
  const JetVector x = m1.point(first.core.corners[feature.first]);
  const Vec3 here = local(x.v, m2);
  const Polytope& core = second.core;
  if (first.rounding() == 0 && second.rounding() == 0) return point_on_core(x, hold, first, m1, second, m2);
  double most = core.faces.empty() ? 1.0 : -std::numeric_limits<double>::infinity();
  for (const auto& f : core.faces) most = std::max(most, dot(f.normal, here) - f.offset);
  if (most <= 0) return on_face(x, first.rounding(), second, m2, outermost_face(core, here, {}, {}));
  const Nearest nearest = find_nearest(core, here);
  switch (nearest.region) {
    case Nearest::Region::Face: return on_face(x, first.rounding(), second, m2, nearest.index);
    case Nearest::Region::Edge: {
      const auto& e = core.edges[nearest.index];
      const Vec3& from = core.corners[e.from];
      return between_points(x, first.rounding(),
                            nearest_on_line(x, m2.point(from), m2.direction(core.corners[e.to] - from)),
                            second.rounding());
    }
    case Nearest::Region::Corner: break;
  }
  return between_points(x, first.rounding(), m2.point(core.corners[nearest.index]), second.rounding());
}

Touch corner_on_cylinder(const Feature& feature, const ContactShape& first, const RigidMotion& m1,
                         const ContactShape& c, const RigidMotion& m2) {
  const JetVector x = m1.point(first.core.corners[feature.first]);
  const JetVector a = m2.direction(c.axis), from = x - m2.point(c.centre);
  const Jet along = dot(from, a);
  const JetVector out = from - along * a;
  const double distance = norm(out.v), side = along.v < 0 ? -1.0 : 1.0, beyond = side * along.v - c.length / 2;
  const bool inside = beyond <= 0 && distance <= c.radius;
  const bool at_end = inside ? beyond > distance - c.radius : distance <= c.radius;
  if (distance == 0 || (at_end && (inside || beyond > 0)))
    return along_normal(x, first.rounding(), side * a, side * along - c.length / 2);
  const JetVector outwards = unit(out);
  if (beyond <= 0) return along_normal(x, first.rounding(), outwards, norm(out) - c.radius);
  return between_points(x, first.rounding(), m2.point(c.centre + (side * c.length / 2) * c.axis) + c.radius * outwards,
                        0);
}

/// Whether n lies between the normals of the faces adjacent to the edge.
bool looks_along(const Polytope::Edge& edge, const RigidMotion& m, const Vec3& n, double slack) {
  for (std::size_t i = 0; i < 2; ++i)
    if (edge.faces[i] != kNoIndex && dot(n, m.R * edge.inward[i]) > slack) return false;
  return true;
}

double choose_sign(const Polytope::Edge& e1, const RigidMotion& m1, const Polytope::Edge& e2, const RigidMotion& m2,
                   const Vec3& n, const Vec3& apart) {
  Vec3 solid;  // from the edges into both solids: n leads from the second to the first
  if (e1.faces[0] != kNoIndex) solid = solid + m1.R * (e1.inward[0] + e1.inward[1]);
  if (e2.faces[0] != kNoIndex) solid = solid - m2.R * (e2.inward[0] + e2.inward[1]);
  const double by_faces = dot(n, solid);
  return (by_faces != 0 ? by_faces : dot(n, apart)) < 0 ? -1.0 : 1.0;
}

Touch edge_on_edge(const Feature& feature, const Hold& hold, const ContactShape& first, const RigidMotion& m1,
                   const ContactShape& second, const RigidMotion& m2) {
  const Polytope::Edge& e1 = first.core.edges[feature.first];
  const Polytope::Edge& e2 = second.core.edges[feature.second];
  const Vec3 &a1 = first.core.corners[e1.from], &a2 = second.core.corners[e2.from];
  const JetVector p = m1.point(a1), q = m2.point(a2);
  const JetVector d1 = m1.direction(first.core.corners[e1.to] - a1);
  const JetVector d2 = m2.direction(second.core.corners[e2.to] - a2);
  const JetVector across_both = cross(d1, d2);
  const double l1 = norm(d1.v), l2 = norm(d2.v), sine = norm(across_both.v) / (l1 * l2);
  if (!(sine > kParallel)) return {};
  const JetVector apart = p - q;
  const Jet squared = dot(across_both, across_both);
  const Jet s = dot(cross(d2, apart), across_both) / squared, t = dot(cross(d1, apart), across_both) / squared;
  Touch touch;
  touch.sign = hold.holds ? hold.sign : choose_sign(e1, m1, e2, m2, across_both.v, apart.v);
  touch.normal = touch.sign * unit(across_both);
  const double slack = 1e-9;
  touch.inside = std::min(std::min(s.v, 1 - s.v) * l1, std::min(t.v, 1 - t.v) * l2);
  const Vec3& n = touch.normal.v;
  touch.valid =
      hold.holds || (touch.inside > -slack && looks_along(e2, m2, n, slack) && looks_along(e1, m1, -n, slack));
  if (!touch.valid) return touch;
  touch.gap = dot(touch.normal, apart) - (first.rounding() + second.rounding());
  touch.first = p + s * d1 - first.rounding() * touch.normal;
  touch.second = q + t * d2 + second.rounding() * touch.normal;
  return touch;
}

}  // namespace

Touch calc_touch(const Feature& feature, const Hold& hold, const ContactShape& first, const RigidMotion& m1,
                 const ContactShape& second, const RigidMotion& m2) {
  switch (feature.kind) {
    case Feature::Kind::CornerPlane:
      return on_plane(m1.point(first.core.corners[feature.first]), first.rounding(), second, m2);
    case Feature::Kind::RimPlane: return rim_on_plane(feature.first, hold, first, m1, second, m2);
    case Feature::Kind::RimPointPlane: return on_plane(m1.point(rim_point(feature.first, first)), 0, second, m2);
    case Feature::Kind::RimCore: return rim_on_core(feature.first, hold, first, m1, second, m2);
    case Feature::Kind::RimPointCore:
      return point_on_core(m1.point(rim_point(feature.first, first)), hold, first, m1, second, m2);
    case Feature::Kind::CornerCore: return corner_on_core(feature, hold, first, m1, second, m2);
    case Feature::Kind::CornerCylinder: return corner_on_cylinder(feature, first, m1, second, m2);
    case Feature::Kind::EllipsoidPlane: return ellipsoid_on_plane(first, m1, second, m2);
    case Feature::Kind::EdgeEdge: break;
  }
  return edge_on_edge(feature, hold, first, m1, second, m2);
}

}  // namespace kane

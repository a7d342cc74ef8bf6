#include "kane/contact/contact_shape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr int kPrismSides = 48;

ContactShape core_shape(const Polytope& core, double radius, const Vec3& at, const Mat3& turned) {
  ContactShape shape;
  shape.core = placed(core, at, turned);
  shape.radius = radius;
  shape.centre = shape.core.middle();
  return shape;
}

/// Reads the sizes of a solid; messages name its body.
class SizeReader {
 public:
  SizeReader(const Solid& solid, const std::string& name) : solid_(solid), name_(name) {}

  [[nodiscard]] double positive(std::size_t i, const char* what) const {
    const double size = number(i);
    require(size > 0 && std::isfinite(size), "{} of the shape of '{}' must be positive, but it is {}", what, name_,
            size);
    return size;
  }
  [[nodiscard]] Vec3 three(const char* what) const { return {positive(0, what), positive(1, what), positive(2, what)}; }
  /// The length of a cylinder; a disk may have none.
  [[nodiscard]] double length(std::size_t i) const {
    const double size = number(i);
    require(size >= 0 && std::isfinite(size), "the length of the shape of '{}' must not be negative, but it is {}",
            name_, size);
    return size;
  }

 private:
  [[nodiscard]] double number(std::size_t i) const {
    require(i < solid_.sizes.size(), "the shape of '{}' has {} sizes, which are too few for its kind", name_,
            solid_.sizes.size());
    return solid_.sizes[i];
  }

  const Solid& solid_;
  const std::string& name_;
};

std::vector<Vec3> cone_points(double radius, double length) {
  std::vector<Vec3> points{{0, 0, length / 2}};
  for (int i = 0; i < kPrismSides; ++i) {
    const double angle = 2 * std::numbers::pi * i / kPrismSides;
    points.push_back({radius * std::cos(angle), radius * std::sin(angle), -length / 2});
  }
  return points;
}

ContactShape mesh_shape(const Solid& solid, std::span<const Vec3> mesh, const std::string& name) {
  std::vector<Vec3> points(mesh.begin(), mesh.end());
  for (std::size_t i = 0; i + 2 < solid.sizes.size(); i += 3)
    points.push_back({solid.sizes[i], solid.sizes[i + 1], solid.sizes[i + 2]});
  return make_hull_shape(points, solid.position, solid.rotation, fmt::format("the mesh of '{}'", name));
}

ContactShape shape_of(const Solid& solid, std::span<const Vec3> mesh, const std::string& name) {
  const SizeReader size(solid, name);
  const Vec3& at = solid.position;
  const Mat3& turned = solid.rotation;
  switch (solid.kind) {
    case ShapeKind::Box: return make_box_shape(size.three("an edge"), at, turned);
    case ShapeKind::Sphere: return make_ball_shape(size.positive(0, "the radius"), at);
    case ShapeKind::Ellipsoid: return make_ellipsoid_shape(size.three("the radius"), at, turned);
    case ShapeKind::Capsule:
      return make_capsule_shape(size.positive(0, "the radius"), size.positive(1, "the length"), at, turned);
    case ShapeKind::Cylinder:
    case ShapeKind::Rod:
    case ShapeKind::Disk: return make_cylinder_shape(size.positive(0, "the radius"), size.length(1), at, turned);
    case ShapeKind::Tube:  // nothing gets inside
      return make_cylinder_shape(size.positive(0, "the radius"), size.length(2), at, turned);
    case ShapeKind::Cone:
      return make_hull_shape(cone_points(size.positive(0, "the radius"), size.positive(1, "the length")), at, turned,
                             fmt::format("the cone of '{}'", name));
    case ShapeKind::Plane: return make_plane_shape(turned.column(2), at);
    case ShapeKind::Mesh: break;
  }
  return mesh_shape(solid, mesh, name);
}

}  // namespace

ContactShape make_contact_shape(const Solid& solid, std::span<const Vec3> mesh, const std::string& name) {
  ContactShape shape = shape_of(solid, mesh, name);
  shape.name = name;
  return shape;
}

ContactShape make_typical_shape(ShapeKind kind) {
  ContactShape shape;
  std::size_t corners = 16;
  switch (kind) {
    case ShapeKind::Sphere:
    case ShapeKind::Ellipsoid: corners = 1; break;
    case ShapeKind::Capsule: corners = 2; break;
    case ShapeKind::Box: corners = 8; break;
    case ShapeKind::Cylinder:
    case ShapeKind::Rod:
    case ShapeKind::Disk:
    case ShapeKind::Tube: shape.kind = ContactShape::Kind::Cylinder; break;
    case ShapeKind::Plane: shape.kind = ContactShape::Kind::Plane; break;
    case ShapeKind::Cone:
    case ShapeKind::Mesh: break;
  }
  shape.core.corners.resize(corners);
  return shape;
}

double ContactShape::reach() const {
  if (kind == Kind::Plane) return norm(centre);
  return core.reach({}) + (kind == Kind::Ellipsoid ? radius : rounding());
}

double ContactShape::size() const {
  if (kind == Kind::Plane) return std::numeric_limits<double>::infinity();
  return core.reach(centre) + (kind == Kind::Ellipsoid ? radius : rounding());
}

ContactShape make_box_shape(const Vec3& size, const Vec3& at, const Mat3& turned) {
  return core_shape(make_box(size), 0, at, turned);
}

ContactShape make_ball_shape(double radius, const Vec3& at) { return core_shape(make_point({}), radius, at, {}); }

ContactShape make_capsule_shape(double radius, double length, const Vec3& at, const Mat3& turned) {
  return core_shape(make_line({0, 0, -length / 2}, {0, 0, length / 2}), radius, at, turned);
}

ContactShape make_cylinder_shape(double radius, double length, const Vec3& at, const Mat3& turned) {
  // A disk without thickness is a rim; its prism needs some thickness to be a solid.
  ContactShape shape = core_shape(make_prism(radius, std::max(length, 1e-6 * radius), kPrismSides), radius, at, turned);
  shape.kind = ContactShape::Kind::Cylinder;
  shape.length = length;
  shape.centre = at;
  shape.axis = turned * Vec3{0, 0, 1};
  return shape;
}

ContactShape make_ellipsoid_shape(const Vec3& semi_axes, const Vec3& at, const Mat3& turned) {
  ContactShape shape = core_shape(make_point({}), std::max({semi_axes.x, semi_axes.y, semi_axes.z}), at, {});
  shape.kind = ContactShape::Kind::Ellipsoid;
  shape.semi_axes = semi_axes;
  shape.turned = turned;
  return shape;
}

ContactShape make_plane_shape(const Vec3& normal, const Vec3& at) {
  ContactShape shape;
  shape.kind = ContactShape::Kind::Plane;
  shape.centre = at;
  shape.axis = unit(normal);
  return shape;
}

ContactShape make_hull_shape(std::span<const Vec3> points, const Vec3& at, const Mat3& turned,
                             const std::string& what) {
  // Twice the margin within which ContactScene assigns slots, of which a pair has 16.
  constexpr double kNear = 0.1;
  constexpr std::size_t kMostTogether = 12;
  const Polytope hull = make_hull(points, what);
  return core_shape(with_fewer_corners(hull, kNear * hull.reach(hull.middle()), kMostTogether, what), 0, at, turned);
}

}  // namespace kane

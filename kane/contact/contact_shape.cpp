#include "kane/contact/contact_shape.hpp"

#include <algorithm>
#include <limits>

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

}  // namespace

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
  // A disk without thickness is an edge; its prism still needs some to be a solid.
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
  // Twice the margin within which ContactScene gives slots, of which there are 16.
  constexpr double kNear = 0.1;
  constexpr std::size_t kMostTogether = 12;
  const Polytope hull = make_hull(points, what);
  return core_shape(with_fewer_corners(hull, kNear * hull.reach(hull.middle()), kMostTogether, what), 0, at, turned);
}

}  // namespace kane

#pragma once
// The form of a shape that contact uses: a convex core with a rounding radius around it. A ball is a point with a radius, a
// capsule a line with a radius, boxes and meshes are polytopes without one. Planes and cylinders are exact where contact is
// known in closed form (touching.hpp); otherwise a cylinder is a prism. An ellipsoid touches planes only.

#include <string>

#include "kane/base/shape.hpp"
#include "kane/contact/polytope.hpp"

namespace kane {

struct ContactShape {
  enum class Kind : std::uint8_t { Core, Plane, Cylinder, Ellipsoid };

  std::string name;
  std::size_t body = kNoIndex;  ///< kNoIndex: the ground
  Kind kind = Kind::Core;
  Polytope core;       ///< in the body's axes; of a Cylinder: the prism
  double radius = 0;   ///< around the core; of a Cylinder: its own
  double length = 0;   ///< of a Cylinder
  Vec3 centre;         ///< in the body; of a Plane: a point of it
  Vec3 axis{0, 0, 1};  ///< of a Plane: its normal, away from the solid side
  Vec3 semi_axes;      ///< of an Ellipsoid: lengths,
  Mat3 turned;         ///< and their directions in the body (columns)

  /// Largest distance of its points from the body's origin, and from `centre` (infinite for a plane).
  [[nodiscard]] double reach() const;
  [[nodiscard]] double size() const;
  /// Radius around the core; zero for the prism of a cylinder.
  [[nodiscard]] double rounding() const { return kind == Kind::Core ? radius : 0.0; }
  [[nodiscard]] bool is_ball() const { return kind == Kind::Core && core.corners.size() == 1; }
};

/// The shape as contact sees it. Rods, disks and tubes are cylinders, cones and meshes are convex hulls. `mesh`: the points of
/// a mesh file; `name`: the body, for messages. Throws ModelError if a size is impossible.
[[nodiscard]] ContactShape make_contact_shape(const Solid& solid, std::span<const Vec3> mesh, const std::string& name);
/// A shape of this kind, of no particular size, with as many corners as can touch a plane at once; for counting.
[[nodiscard]] ContactShape make_typical_shape(ShapeKind kind);

/// Sizes as in Solid: box x y z; cylinder radius, length along z; ball radius; capsule radius, length.
[[nodiscard]] ContactShape make_box_shape(const Vec3& size, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_ball_shape(double radius, const Vec3& at);
[[nodiscard]] ContactShape make_capsule_shape(double radius, double length, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_cylinder_shape(double radius, double length, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_ellipsoid_shape(const Vec3& semi_axes, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_plane_shape(const Vec3& normal, const Vec3& at);
[[nodiscard]] ContactShape make_hull_shape(std::span<const Vec3> points, const Vec3& at, const Mat3& turned,
                                           const std::string& what);

}  // namespace kane

#pragma once
// A shape on a body, as contact sees it: a convex core with a rounding radius around it. A ball is a point with a radius, a
// capsule a line with a radius, boxes and meshes are polytopes without one. Planes and cylinders are themselves where
// that is known in closed form (see touching.hpp), and a cylinder is a prism otherwise. An ellipsoid touches planes only.

#include <string>

#include "kane/contact/polytope.hpp"

namespace kane {

struct ContactShape {
  enum class Kind : std::uint8_t { Core, Plane, Cylinder, Ellipsoid };

  std::string name;
  int body = -1;  ///< -1: the ground
  Kind kind = Kind::Core;
  Polytope core;       ///< in the body's axes; of a Cylinder: the prism
  double radius = 0;   ///< around the core; of a Cylinder: its own
  double length = 0;   ///< of a Cylinder
  Vec3 centre;         ///< in the body; of a Plane: a point of it
  Vec3 axis{0, 0, 1};  ///< of a Plane: its normal, away from the solid side
  Vec3 semi_axes;      ///< of an Ellipsoid: lengths,
  Mat3 turned;         ///< and their directions in the body (columns)

  /// Largest distance of any of its points from the body's origin, and from `centre` (infinite for a plane).
  [[nodiscard]] double reach() const;
  [[nodiscard]] double size() const;
  /// Radius around the core: none around the prism of a cylinder.
  [[nodiscard]] double rounding() const { return kind == Kind::Core ? radius : 0.0; }
};

/// Sizes as in Shape of the model file: box x y z; cylinder radius, length along z; ball radius; capsule radius, length.
[[nodiscard]] ContactShape make_box_shape(const Vec3& size, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_ball_shape(double radius, const Vec3& at);
[[nodiscard]] ContactShape make_capsule_shape(double radius, double length, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_cylinder_shape(double radius, double length, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_ellipsoid_shape(const Vec3& semi_axes, const Vec3& at, const Mat3& turned);
[[nodiscard]] ContactShape make_plane_shape(const Vec3& normal, const Vec3& at);
[[nodiscard]] ContactShape make_hull_shape(std::span<const Vec3> points, const Vec3& at, const Mat3& turned,
                                           const std::string& what);

}  // namespace kane

#pragma once
// The shapes of bodies, for display, contact, and mass from density.

#include <cstdint>
#include <string>
#include <vector>

#include "kane/base/vec3.hpp"

namespace kane {

/// Shapes are centred on their placement. Sizes in metres:
///   box x y z; cylinder, cone, rod, disk: radius, length along z; tube: outer radius, inner radius, length;
///   sphere: radius; ellipsoid: half-axes; capsule: radius, length of the straight part; plane: none, with its normal
///   along z; mesh: file, or the coordinates of points whose convex hull it is.
enum class ShapeKind : std::uint8_t { Box, Cylinder, Sphere, Ellipsoid, Cone, Capsule, Tube, Rod, Disk, Plane, Mesh };

/// A shape in numbers, placed in a body. SolidExpr (kane/mechanics/equations.hpp) is the same in expressions.
struct Solid {
  ShapeKind kind = ShapeKind::Box;
  std::vector<double> sizes;
  Vec3 position;      ///< in the body
  Mat3 rotation;      ///< maps components along the shape's axes to those along the body's
  std::string file;   ///< file of a Mesh
  bool hull = false;  ///< of a Mesh: its convex hull is meant, also if it is not convex
};

}  // namespace kane

#pragma once
// Shapes of bodies: for display, for contact, and for mass from density.

#include <cstdint>
#include <string>
#include <vector>

#include "kane/mechanism/joint.hpp"

namespace kane {

/// Sizes in metres:
///   box x y z; cylinder, cone, rod, disk: radius, length along z; tube: outer radius, inner radius, length;
///   sphere: radius; ellipsoid: half-axes; capsule: radius, length of the straight part; plane: none; mesh: file, or the
///   coordinates of points whose convex hull it is.
enum class ShapeKind : std::uint8_t { Box, Cylinder, Sphere, Ellipsoid, Cone, Capsule, Tube, Rod, Disk, Plane, Mesh };

/// A shape fixed in a body.
struct Shape {
  ShapeKind kind = ShapeKind::Box;
  std::vector<Expr> sizes;
  Placement place;    ///< in the body; the shape is centred on the placement's origin
  std::string file;   ///< of a Mesh
  std::string color;  ///< "" = chosen
  bool display = true;
  bool contact = false;
};

}  // namespace kane

#pragma once
// Triangles of the shapes of bodies, for pictures.

#include <cstdint>
#include <vector>

#include "kane/base/shape.hpp"

namespace kane {

struct Mesh {
  struct Vertex {
    Vec3 at, normal;
  };
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> triangles;  ///< three vertices each, counterclockwise from outside

  void append(const Mesh& other);
  /// at -> rotation * at + position.
  void move(const Mat3& rotation, const Vec3& position);
};

/// In the axes of the body. Empty for planes, which have no size, and for meshes that are given by points or cannot be read.
[[nodiscard]] Mesh shape_mesh(const Solid& solid);
/// A rod with round ends between two points.
[[nodiscard]] Mesh link_mesh(const Vec3& from, const Vec3& to, double radius);

/// The unit vector along `a`; z if its length is zero.
[[nodiscard]] Vec3 normalized(const Vec3& a);
/// A rotation that takes z to the direction of an axis.
[[nodiscard]] Mat3 rotation_to(const Vec3& axis);

}  // namespace kane

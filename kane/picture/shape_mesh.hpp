#pragma once
// Triangles of the shapes of bodies, for pictures. Shapes are centred on their placement and stand along z, as in
// kane/mechanism/mechanism.hpp.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

using Point3 = std::array<double, 3>;

struct Mesh {
  struct Vertex {
    Point3 at, normal;
  };
  std::vector<Vertex> vertices;
  std::vector<std::uint32_t> triangles;  ///< three vertices each, counterclockwise from outside

  void append(const Mesh& other);
  /// at -> rotation * at + position; rotation by rows.
  void move(const std::array<Point3, 3>& rotation, const Point3& position);
};

/// Empty for kinds without a picture of their own (meshes in files).
[[nodiscard]] Mesh shape_mesh(ShapeKind kind, std::span<const double> sizes);
/// A rod with round ends between two points.
[[nodiscard]] Mesh link_mesh(const Point3& from, const Point3& to, double radius);

[[nodiscard]] double dot(const Point3& a, const Point3& b);
[[nodiscard]] Point3 cross(const Point3& a, const Point3& b);
[[nodiscard]] Point3 normalized(const Point3& a);
[[nodiscard]] Point3 subtract(const Point3& a, const Point3& b);
/// A rotation (by rows) that takes z to the direction of an axis.
[[nodiscard]] std::array<Point3, 3> rotation_to(const Point3& axis);

}  // namespace kane

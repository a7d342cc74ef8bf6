#pragma once
// Mesh files: STL (text or binary) and OBJ.

#include <array>
#include <string>
#include <vector>

#include "kane/base/vec3.hpp"

namespace kane {

/// A triangle of a surface, its corners counter-clockwise as seen from outside.
struct MeshTriangle {
  std::array<Vec3, 3> corners;
};

/// The surface of a mesh; polygons of an OBJ file are cut into triangles. Throws ModelError if the file cannot be read or is
/// damaged.
[[nodiscard]] std::vector<MeshTriangle> read_mesh_triangles(const std::string& path);

/// Whether there is a surface: an OBJ file may have nothing but points.
[[nodiscard]] bool has_mesh_triangles(const std::string& path);

/// The distinct points alone; contact uses their convex hull. An OBJ file needs no faces for this.
[[nodiscard]] std::vector<Vec3> read_mesh_points(const std::string& path);

}  // namespace kane

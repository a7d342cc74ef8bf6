#pragma once
// Points of a mesh file: STL (text or binary) and OBJ. Only the points are read; contact uses their convex hull.

#include <string>
#include <vector>

#include "kane/base/vec3.hpp"

namespace kane {

/// Throws ModelError if the file cannot be read or is damaged.
[[nodiscard]] std::vector<Vec3> read_mesh_points(const std::string& path);

}  // namespace kane

#pragma once
// Whether a mesh is its own convex hull, which is what contacts use of it.

#include <span>

#include "kane/contact/mesh_file.hpp"
#include "kane/contact/polytope.hpp"

namespace kane {

/// How far the hull reaches beyond the plane of that triangle which lies deepest inside it, on the side where it reaches less.
/// Zero (to rounding) if the mesh is convex; which way its triangles are turned does not matter.
[[nodiscard]] double find_deepest_dent(std::span<const MeshTriangle> triangles, const Polytope& hull);

}  // namespace kane

#include "kane/contact/mesh_convexity.hpp"

#include <algorithm>

namespace kane {

double find_deepest_dent(std::span<const MeshTriangle> triangles, const Polytope& hull) {
  double deepest = 0;
  for (const MeshTriangle& t : triangles) {
    const Vec3 across = cross(t.corners[1] - t.corners[0], t.corners[2] - t.corners[0]);
    const double size = norm(across);
    // The direction of a sliver is rounding error.
    const double edge = std::max(norm(t.corners[1] - t.corners[0]), norm(t.corners[2] - t.corners[0]));
    if (!(size > 1e-6 * edge * edge)) continue;
    double above = 0, below = 0;
    for (const Vec3& corner : hull.corners) {
      const double distance = dot(across, corner - t.corners[0]) / size;
      above = std::max(above, distance), below = std::max(below, -distance);
    }
    deepest = std::max(deepest, std::min(above, below));
  }
  return deepest;
}

}  // namespace kane

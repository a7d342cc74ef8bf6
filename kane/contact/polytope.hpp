#pragma once
// Convex polytopes: corners, edges and flat faces. A point and a line are polytopes too, without faces.

#include <span>
#include <string>
#include <vector>

#include "kane/base/index.hpp"
#include "kane/base/vec3.hpp"

namespace kane {

struct Polytope {
  struct Face {
    Vec3 normal;  ///< outwards, of length one
    double offset = 0;
    std::vector<std::size_t> corners;  ///< counterclockwise, seen from outside
  };
  struct Edge {
    std::size_t from = 0, to = 0;
    std::array<std::size_t, 2> faces{kNoIndex, kNoIndex};
    std::array<Vec3, 2> inward{};  ///< across the edge, into each face
  };
  std::vector<Vec3> corners;
  std::vector<Face> faces;
  std::vector<Edge> edges;

  /// Largest distance of a corner from `from`.
  [[nodiscard]] double reach(const Vec3& from) const;
  [[nodiscard]] Vec3 middle() const;
};

[[nodiscard]] Polytope make_point(const Vec3& at);
[[nodiscard]] Polytope make_line(const Vec3& from, const Vec3& to);
/// Around the origin.
[[nodiscard]] Polytope make_box(const Vec3& size);
/// Along z, with `sides` sides; the corners lie on the circle.
[[nodiscard]] Polytope make_prism(double radius, double length, std::size_t sides);

/// The convex hull; nearly coplanar triangles become one face. Throws ModelError if there are fewer than four points or too
/// many, or if they lie in one plane. `what` names the shape in the message.
[[nodiscard]] Polytope make_hull(std::span<const Vec3> points, const std::string& what);

/// The same solid with fewer corners, so that it never stands on too many at once: of the corners within `near` of the plane
/// of a face, only the outermost in `most` directions are kept (half as many if the solid is so thin that both its sides
/// are near).
[[nodiscard]] Polytope with_fewer_corners(const Polytope& polytope, double near, std::size_t most,
                                          const std::string& what);

/// Each corner moved and turned.
[[nodiscard]] Polytope placed(const Polytope& polytope, const Vec3& position, const Mat3& rotation);

}  // namespace kane

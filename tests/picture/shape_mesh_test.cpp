// Meshes against the volumes of the solids they stand for.

#include "kane/picture/shape_mesh.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace kane {
namespace {

/// Six times the volume by the divergence theorem, and the sum of the area vectors, which is zero for a closed surface.
struct Surface {
  explicit Surface(const Mesh& mesh) {
    for (std::size_t i = 0; i + 2 < mesh.triangles.size(); i += 3) {
      const auto& a = mesh.vertices[mesh.triangles[i]];
      const auto& b = mesh.vertices[mesh.triangles[i + 1]];
      const auto& c = mesh.vertices[mesh.triangles[i + 2]];
      const Vec3 area = cross(b.at - a.at, c.at - a.at);
      volume += dot(a.at, area) / 6;
      open += area;
      for (const auto* vertex : {&a, &b, &c}) {
        EXPECT_GT(dot(area, vertex->normal), 0) << "a normal points inwards";
        EXPECT_NEAR(dot(vertex->normal, vertex->normal), 1, 1e-12);
      }
    }
  }
  double volume = 0;
  Vec3 open;
};

struct Case {
  const char* name;
  ShapeKind kind;
  std::vector<double> sizes;
  double volume;
};

TEST(ShapeMesh, EnclosesTheVolumeOfTheShape) {
  const double pi = std::numbers::pi;
  const Case cases[] = {
      {"box", ShapeKind::Box, {1, 2, 3}, 6},
      {"sphere", ShapeKind::Sphere, {2}, 4 * pi / 3 * 8},
      {"ellipsoid", ShapeKind::Ellipsoid, {1, 2, 3}, 4 * pi / 3 * 6},
      {"capsule", ShapeKind::Capsule, {0.5, 2}, pi * 0.25 * 2 + 4 * pi / 3 * 0.125},
      {"cylinder", ShapeKind::Cylinder, {0.5, 2}, pi * 0.25 * 2},
      {"cone", ShapeKind::Cone, {0.5, 2}, pi * 0.25 * 2 / 3},
      {"tube", ShapeKind::Tube, {0.5, 0.3, 2}, pi * (0.25 - 0.09) * 2},
      {"rod", ShapeKind::Rod, {0.1, 2}, pi * 0.01 * 2},
      {"disk", ShapeKind::Disk, {2, 0.1}, pi * 4 * 0.1},
  };
  for (const Case& solid : cases) {
    SCOPED_TRACE(solid.name);
    Mesh mesh = shape_mesh({solid.kind, solid.sizes, {}, {}, {}});
    const Surface surface(mesh);
    // The corners are on the surface of round shapes, so that the mesh is inside.
    EXPECT_LE(surface.volume, solid.volume * (1 + 1e-12));
    EXPECT_GE(surface.volume, solid.volume * 0.95);
    EXPECT_NEAR(norm(surface.open), 0, 1e-12);
    // A motion changes neither.
    mesh.move(rotation_to({1, 2, -2}), {3, -1, 2});
    EXPECT_NEAR(Surface(mesh).volume, surface.volume, 1e-12 * (1 + solid.volume));
  }
}

TEST(ShapeMesh, LinesAndFlatDisksCanBeSeen) {
  EXPECT_GT(Surface(shape_mesh({ShapeKind::Rod, {0, 2}, {}, {}, {}})).volume, 0);
  EXPECT_GT(Surface(shape_mesh({ShapeKind::Disk, {1}, {}, {}, {}})).volume, 0);
  EXPECT_TRUE(shape_mesh({ShapeKind::Plane, {}, {}, {}, {}}).triangles.empty());
}

TEST(ShapeMesh, IsWhereTheShapeIs) {
  const Mesh mesh = shape_mesh({ShapeKind::Box, {1, 2, 3}, {5, 6, 7}, rotation_to({1, 0, 0}), {}});
  Vec3 low{1e9, 1e9, 1e9}, high = -low;
  for (const auto& v : mesh.vertices)
    for (std::size_t k = 0; k < 3; ++k) low[k] = std::min(low[k], v.at[k]), high[k] = std::max(high[k], v.at[k]);
  EXPECT_NEAR(norm(0.5 * (low + high) - Vec3{5, 6, 7}), 0, 1e-12);
  EXPECT_NEAR(high.x - low.x, 3, 1e-12);  // its z is along the body's x
}

TEST(ShapeMesh, ALinkReachesFromPointToPoint) {
  const Mesh mesh = link_mesh({1, 2, 3}, {1, 2, 5}, 0.5);
  double low = 1e9, high = -1e9;
  for (const auto& v : mesh.vertices) low = std::min(low, v.at[2]), high = std::max(high, v.at[2]);
  EXPECT_NEAR(low, 2.5, 1e-12);
  EXPECT_NEAR(high, 5.5, 1e-12);
}

}  // namespace
}  // namespace kane

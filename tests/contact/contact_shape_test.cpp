// Shapes of bodies become the shapes of contact.

#include "kane/contact/contact_shape.hpp"

#include <gtest/gtest.h>

#include "kane/base/error.hpp"

namespace kane {
namespace {

using Kind = ContactShape::Kind;

const Vec3 kAt{0.1, -0.2, 0.3};
/// Takes z to x.
const Mat3 kTurned{{Vec3{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}}};

ContactShape shape_of(ShapeKind kind, std::vector<double> sizes) {
  return make_contact_shape({kind, std::move(sizes), kAt, kTurned, {}}, {}, "A");
}

void expect_refused(ShapeKind kind, std::vector<double> sizes, const std::string& message) {
  try {
    (void)shape_of(kind, std::move(sizes));
    FAIL() << "not refused: " << message;
  } catch (const ModelError& error) {
    EXPECT_EQ(error.message(), message);
  }
}

/// The largest distance of a shape's points from its centre is known for each kind.
TEST(MakeContactShape, HasTheSizeOfTheSolid) {
  EXPECT_NEAR(shape_of(ShapeKind::Box, {2, 4, 4}).size(), 3, 1e-12);
  EXPECT_NEAR(shape_of(ShapeKind::Sphere, {2}).size(), 2, 1e-12);
  EXPECT_NEAR(shape_of(ShapeKind::Ellipsoid, {1, 3, 2}).size(), 3, 1e-12);
  EXPECT_NEAR(shape_of(ShapeKind::Capsule, {1, 4}).size(), 3, 1e-12);
  for (const ShapeKind kind : {ShapeKind::Cylinder, ShapeKind::Rod, ShapeKind::Disk})
    EXPECT_NEAR(shape_of(kind, {3, 8}).size(), 5, 1e-12);
  EXPECT_NEAR(shape_of(ShapeKind::Tube, {3, 2, 8}).size(), 5, 1e-12);
  EXPECT_NEAR(norm(shape_of(ShapeKind::Box, {1, 2, 3}).centre - kAt), 0, 1e-12);
}

TEST(MakeContactShape, LiesAsTheSolidDoes) {
  const ContactShape cylinder = shape_of(ShapeKind::Tube, {3, 2, 8});
  EXPECT_EQ(cylinder.kind, Kind::Cylinder);
  EXPECT_EQ(cylinder.name, "A");
  EXPECT_EQ(cylinder.body, kNoIndex);
  EXPECT_EQ(cylinder.radius, 3);
  EXPECT_EQ(cylinder.length, 8);
  EXPECT_NEAR(norm(cylinder.axis - Vec3{1, 0, 0}), 0, 1e-15);
  const ContactShape plane = shape_of(ShapeKind::Plane, {});
  EXPECT_EQ(plane.kind, Kind::Plane);
  EXPECT_NEAR(norm(plane.axis - Vec3{1, 0, 0}), 0, 1e-15);
  EXPECT_EQ(plane.centre, kAt);
}

/// The tip of a cone and the corners of a tetrahedron, from its own points and from those of a file.
TEST(MakeContactShape, ConesAndMeshesAreHulls) {
  const ContactShape cone = shape_of(ShapeKind::Cone, {1, 6});
  double farthest = 0;
  for (const Vec3& c : cone.core.corners) farthest = std::max(farthest, c.x - kAt.x);
  EXPECT_NEAR(farthest, 3, 1e-12);
  const std::vector<Vec3> file{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const ContactShape mesh = make_contact_shape({ShapeKind::Mesh, {0, 0, 2}, {}, {}, "a.stl"}, file, "A");
  EXPECT_EQ(mesh.core.corners.size(), 4u);
  EXPECT_EQ(mesh.core.faces.size(), 4u);
  EXPECT_EQ(mesh.core.edges.size(), 6u);
}

TEST(MakeContactShape, RefusesImpossibleSizes) {
  expect_refused(ShapeKind::Sphere, {0}, "the radius of the shape of 'A' must be positive, but it is 0");
  expect_refused(ShapeKind::Box, {1, -2, 3}, "an edge of the shape of 'A' must be positive, but it is -2");
  expect_refused(ShapeKind::Disk, {1, -1}, "the length of the shape of 'A' must not be negative, but it is -1");
  expect_refused(ShapeKind::Capsule, {1}, "the shape of 'A' has 1 sizes, which are too few for its kind");
  expect_refused(ShapeKind::Mesh, {0, 0, 0, 1, 0, 0, 0, 1, 0},
                 "the mesh of 'A' has 3 points; a solid needs at least four");
}

TEST(MakeTypicalShape, HasAsManyCornersAsTheRealOne) {
  for (const auto& [kind, sizes] : {std::pair<ShapeKind, std::vector<double>>{ShapeKind::Box, {1, 1, 1}},
                                    {ShapeKind::Sphere, {1}},
                                    {ShapeKind::Capsule, {1, 1}}})
    EXPECT_EQ(make_typical_shape(kind).core.corners.size(), shape_of(kind, sizes).core.corners.size());
  for (const ShapeKind kind : {ShapeKind::Cylinder, ShapeKind::Rod, ShapeKind::Disk, ShapeKind::Tube})
    EXPECT_EQ(make_typical_shape(kind).kind, Kind::Cylinder);
  EXPECT_EQ(make_typical_shape(ShapeKind::Plane).kind, Kind::Plane);
}

}  // namespace
}  // namespace kane

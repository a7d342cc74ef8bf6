#include "kane/base/vec3.hpp"

#include <gtest/gtest.h>

namespace kane {
namespace {

Mat3 turned_about_z(double angle) {
  return {{Vec3{std::cos(angle), -std::sin(angle), 0}, {std::sin(angle), std::cos(angle), 0}, {0, 0, 1}}};
}

TEST(Vec3, ComponentsCanBeReadAndWritten) {
  Vec3 a{1, 2, 3};
  a[1] = 5;
  EXPECT_EQ(a, (Vec3{1, 5, 3}));
  EXPECT_EQ(a += (Vec3{1, 1, 1}), (Vec3{2, 6, 4}));
}

TEST(Mat3, ProductsAndTransposition) {
  const Mat3 a = turned_about_z(0.3) * Mat3{{Vec3{1, 0, 0}, {0, 0, -1}, {0, 1, 0}}};
  const Mat3 i = a * transposed(a);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t l = 0; l < 3; ++l) EXPECT_NEAR(i[k][l], k == l ? 1 : 0, 1e-15);
  EXPECT_NEAR(norm(a * Vec3{0, 0, 2} - 2 * a.column(2)), 0, 1e-15);
}

/// A diagonal matrix seen from turned axes.
TEST(Mat3, PrincipalValues) {
  const Mat3 turn = turned_about_z(0.7) * Mat3{{Vec3{0.6, 0, 0.8}, {0, 1, 0}, {-0.8, 0, 0.6}}} * turned_about_z(-1.2);
  const Mat3 diagonal{{Vec3{3, 0, 0}, {0, -1, 0}, {0, 0, 2}}};
  const Vec3 p = principal_values(turn * diagonal * transposed(turn));
  EXPECT_NEAR(p.x, -1, 1e-14);
  EXPECT_NEAR(p.y, 2, 1e-14);
  EXPECT_NEAR(p.z, 3, 1e-14);
  EXPECT_EQ(principal_values(diagonal), (Vec3{-1, 2, 3}));
}

}  // namespace
}  // namespace kane

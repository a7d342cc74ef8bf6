// Shapes by themselves: gaps against closed forms, rates against differences, contact against FCL.

#include <gtest/gtest.h>

#include <random>

#include "kane/base/error.hpp"
#include "kane/contact/contact_scene.hpp"
#include "kane/contact/mesh_file.hpp"

namespace kane::test {
namespace {

Mat3 turned(const Vec3& axis, double angle) {
  const Vec3 a = unit(axis);
  Mat3 m;
  const auto column = [&](const Vec3& x) {
    return std::cos(angle) * x + std::sin(angle) * cross(a, x) + (1 - std::cos(angle)) * dot(a, x) * a;
  };
  const Vec3 x = column({1, 0, 0}), y = column({0, 1, 0}), z = column({0, 0, 1});
  m.rows = {Vec3{x.x, y.x, z.x}, Vec3{x.y, y.y, z.y}, Vec3{x.z, y.z, z.z}};
  return m;
}

Mat3 product(const Mat3& a, const Mat3& b) {
  Mat3 m;
  for (std::size_t i = 0; i < 3; ++i)
    m.rows[i] = a.rows[i].x * b.rows[0] + a.rows[i].y * b.rows[1] + a.rows[i].z * b.rows[2];
  return m;
}

/// Constant angular velocity, constant acceleration.
RigidMotion later(const RigidMotion& m, double t) {
  RigidMotion n = m;
  n.p = m.p + t * m.v + (t * t / 2) * m.a;
  n.v = m.v + t * m.a;
  if (norm(m.w) > 0) n.R = product(turned(m.w, norm(m.w) * t), m.R);
  return n;
}

struct Random {
  std::mt19937 engine{7};
  double operator()(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine); }
  Vec3 vector(double size) { return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)}; }
  RigidMotion motion(const Vec3& at) {
    RigidMotion m;
    m.p = at;
    m.R = turned(vector(1), (*this)(0, 3));
    m.v = vector(1), m.w = vector(2), m.a = vector(3);
    return m;
  }
};

std::vector<ContactShape> some_shapes() {
  const Mat3 turn = turned({1, 2, 3}, 0.7);
  const std::vector<Vec3> points{{0.3, 0, 0},     {-0.2, 0.1, 0}, {0, 0.3, -0.1},
                                 {0, -0.2, 0.05}, {0, 0, 0.4},    {0.1, 0.1, -0.3}};
  return {make_box_shape({0.5, 0.4, 0.3}, {0.05, 0, 0}, turn), make_ball_shape(0.25, {0, 0.1, 0}),
          make_capsule_shape(0.1, 0.5, {0, 0, 0.02}, turn),    make_cylinder_shape(0.2, 0.4, {0.1, 0, 0}, turn),
          make_hull_shape(points, {}, turn, "the test"),       make_plane_shape({0.2, 0.1, 1}, {0, 0, 0.3})};
}

TEST(ContactHull, FindsTheFacesOfACubeAndOfASphereOfPoints) {
  std::vector<Vec3> points;
  for (int i = 0; i < 27; ++i)  // a cube with points on its faces and inside
    points.push_back({static_cast<double>(i % 3), static_cast<double>(i / 3 % 3), static_cast<double>(i / 9)});
  const Polytope cube = make_hull(points, "cube");
  EXPECT_EQ(cube.corners.size(), 8U);
  EXPECT_EQ(cube.faces.size(), 6U);
  EXPECT_EQ(cube.edges.size(), 12U);
  for (const auto& e : cube.edges) EXPECT_NE(std::max(e.faces[0], e.faces[1]), kNoIndex);
  Random random;
  std::vector<Vec3> ball;
  for (int i = 0; i < 200; ++i) ball.push_back(unit(random.vector(1)));
  const Polytope round = make_hull(ball, "ball");
  EXPECT_EQ(round.corners.size(), 200U);
  EXPECT_EQ(static_cast<int>(round.corners.size() + round.faces.size()) - static_cast<int>(round.edges.size()), 2);
  for (const auto& f : round.faces)
    for (const Vec3& p : round.corners) EXPECT_LE(dot(f.normal, p) - f.offset, 1e-9);
  EXPECT_THROW((void)make_hull(std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, "flat"), ModelError);
}

// Every feature of every pair of shapes: gap' = A u and gap'' (at udot = 0) against differences along the motion.
TEST(ContactRates, AgreeWithDifferencesForAllFeatures) {
  Random random;
  const auto shapes = some_shapes();
  int checked = 0;
  std::array<int, 8> kinds{};
  for (int trial = 0; trial < 60; ++trial)
    for (std::size_t a = 0; a < shapes.size(); ++a)
      for (std::size_t b = 0; b < shapes.size(); ++b) {
        if (shapes[a].kind == ContactShape::Kind::Plane) continue;
        const RigidMotion ma = random.motion(random.vector(1)), mb = random.motion({});
        std::vector<Feature> features;
        if (shapes[b].kind == ContactShape::Kind::Plane) {
          features = {{Feature::Kind::CornerPlane, 0, 0}};
          if (shapes[a].kind == ContactShape::Kind::Cylinder)
            features = {{Feature::Kind::RimPlane, 1, 0}, {Feature::Kind::RimPointPlane, 5, 0}};
        } else if (shapes[b].kind == ContactShape::Kind::Cylinder && shapes[a].rounding() > 0) {
          features = {{Feature::Kind::CornerCylinder, 0, 0}};
        } else {
          if (!shapes[b].core.faces.empty() || shapes[b].rounding() > 0) features = {{Feature::Kind::CornerCore, 0, 0}};
          if (shapes[a].kind == ContactShape::Kind::Cylinder && !shapes[b].core.faces.empty() &&
              shapes[b].rounding() == 0)
            features.insert(features.end(), {{Feature::Kind::RimCore, 1, 0}, {Feature::Kind::RimPointCore, 5, 0}});
          if (!shapes[a].core.edges.empty() && !shapes[b].core.edges.empty())
            features.push_back({Feature::Kind::EdgeEdge, 0, 0});
        }
        for (const Feature& feature : features) {
          Hold hold;
          if (feature.kind == Feature::Kind::EdgeEdge) hold = {true, kNoIndex, 1, {}};
          const auto at = [&](double t) {
            return calc_touch(feature, hold, shapes[a], later(ma, t), shapes[b], later(mb, t));
          };
          const double h = 1e-4;
          const Touch now = at(0), before = at(-h), after = at(h);
          if (!now.valid || now.face != before.face || now.face != after.face) continue;
          const double rate = (after.gap.v - before.gap.v) / (2 * h);
          const double second = (after.gap.d - before.gap.d) / (2 * h);
          if (std::abs(second) > 200) continue;  // nearly parallel edges: differences are too coarse
          // Where the nearest point passes from a face to an edge, gap'' jumps and has no difference.
          if (std::abs(after.gap.dd - before.gap.dd) > 0.05 * (1 + std::abs(now.gap.dd))) continue;
          EXPECT_NEAR(now.gap.d, rate, 1e-5 * (1 + std::abs(second)));
          EXPECT_NEAR(now.gap.dd, second, 1e-4 * (1 + std::abs(second)));
          // The points are stationary: the rate follows from the velocities of the bodies alone.
          EXPECT_NEAR(now.gap.d, dot(now.normal.v, ma.velocity(now.first.v) - mb.velocity(now.second.v)), 1e-9);
          ++checked, ++kinds[static_cast<std::size_t>(feature.kind)];
        }
      }
  EXPECT_GT(checked, 1000);
  for (const int count : kinds) EXPECT_GT(count, 20);
}

// Two solids approach each other from far away. The first feature to touch must do so where FCL says the distance is zero.
TEST(ContactFeatures, TouchWhereFclSaysSo) {
  Random random;
  const auto shapes = some_shapes();
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 5; ++b)
      for (int trial = 0; trial < 4; ++trial) {
        std::vector<ContactShape> two{shapes[a], shapes[b]};
        two[0].body = 0, two[1].body = 1;
        ContactScene scene(two, {{"pair", 0, 1}}, 1, 64);
        const Vec3 way = unit(random.vector(1));
        RigidMotion first = random.motion({}), second = random.motion({});
        first.v = first.w = second.v = second.w = {};
        const auto gap_at = [&](double s) {
          first.p = s * way;
          scene.body(0).motion = first, scene.body(1).motion = second;
          scene.clear();
          (void)scene.update(true);
          EXPECT_FALSE(scene.overflown());
          scene.calc();
          double least = Touch::kFar;
          for (std::size_t i = 0; i < scene.slot_count(); ++i) least = std::min(least, scene.touch(i).gap.v);
          return least;
        };
        double high = 2;
        while (high > 0 && gap_at(high) > 0) high -= 0.002;  // coarse enough to be quick, finer than any shape
        double low = high;
        high += 0.002;
        for (int i = 0; i < 40; ++i) (gap_at(0.5 * (low + high)) > 0 ? high : low) = 0.5 * (low + high);
        (void)gap_at(high + 1e-3);
        const double apart = scene.calc_distance(0);
        EXPECT_GT(apart, 0) << a << " " << b;
        EXPECT_LT(apart, 1.1e-3 + (a == 3 || b == 3 ? 1e-3 : 0.0))
            << a << " " << b;  // a prism is inside of its cylinder
        (void)gap_at(high - 2e-3);
        EXPECT_LT(scene.calc_distance(0), 1e-6) << a << " " << b;
      }
}

TEST(ContactMeshFile, ReadsPointsAndRefusesDamage) {
  const std::string folder = testing::TempDir();
  const auto write = [&](const std::string& name, const std::string& text) {
    FILE* file = std::fopen((folder + name).c_str(), "wb");
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
    return folder + name;
  };
  EXPECT_EQ(read_mesh_points(write("a.obj", "v 0 0 0\nv 1 0 0\nvn 0 0 1\nv 0 1 0\nv 0 0 1\nv 0 0 0\nf 1 2 3\n")).size(),
            4U);
  EXPECT_EQ(read_mesh_points(
                write("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n"))
                .size(),
            3U);
  std::string binary(84 + 50, '\0');
  binary[80] = 1;
  EXPECT_EQ(read_mesh_points(write("b.stl", binary)).size(), 1U);
  EXPECT_THROW((void)read_mesh_points(write("c.stl", binary.substr(0, 100))), ModelError);
  EXPECT_THROW((void)read_mesh_points(write("c.obj", "v 0 zero 0\n")), ModelError);
  EXPECT_THROW((void)read_mesh_points(write("c.ply", "ply")), ModelError);
  EXPECT_THROW((void)read_mesh_points(folder + "missing.obj"), ModelError);
}

}  // namespace
}  // namespace kane::test

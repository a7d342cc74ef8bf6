// Masses, mass centres and inertias of the shapes against numerical integration over their volumes.

#include "kane/mechanism/inertia_library.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

/// Sums of dm, r dm and r r dm over a volume.
struct Moments {
  double m = 0, h[3] = {}, S[3][3] = {};

  void add(double dm, const std::array<double, 3>& r) {
    m += dm;
    for (std::size_t i = 0; i < 3; ++i) {
      h[i] += dm * r[i];
      for (std::size_t j = 0; j < 3; ++j) S[i][j] += dm * r[i] * r[j];
    }
  }
  [[nodiscard]] double centre(std::size_t i) const { return h[i] / m; }
  /// About the mass centre.
  [[nodiscard]] double inertia(std::size_t i, std::size_t j) const {
    const auto central = [&](std::size_t a, std::size_t b) { return S[a][b] - h[a] * h[b] / m; };
    return (i == j ? central(0, 0) + central(1, 1) + central(2, 2) : 0) - central(i, j);
  }
};

// Gauss's rule with five points: exact for polynomials up to the ninth degree.
constexpr double kNodes[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
constexpr double kWeights[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                               0.2369268850561891};

void integrate(double low, double high, const std::function<void(double, double)>& f) {
  for (int k = 0; k < 5; ++k) f((low + high) / 2 + (high - low) / 2 * kNodes[k], (high - low) / 2 * kWeights[k]);
}

/// A solid of revolution about z between two radii that depend on z.
Moments revolve(double low, double high, const std::function<double(double)>& outer, double inner = 0) {
  Moments sum;
  integrate(low, high, [&](double z, double wz) {
    integrate(inner, outer(z), [&](double r, double wr) {
      constexpr int kAngles = 8;  // exact for the second moments
      for (int k = 0; k < kAngles; ++k) {
        const double angle = 2 * std::numbers::pi * k / kAngles;
        sum.add(wz * wr * r * 2 * std::numbers::pi / kAngles, {r * std::cos(angle), r * std::sin(angle), z});
      }
    });
  });
  return sum;
}

Moments operator+(Moments a, const Moments& b) {
  a.m += b.m;
  for (std::size_t i = 0; i < 3; ++i) {
    a.h[i] += b.h[i];
    for (std::size_t j = 0; j < 3; ++j) a.S[i][j] += b.S[i][j];
  }
  return a;
}

/// A solid of revolution stretched along x, y and z.
Moments stretched(const Moments& a, const std::array<double, 3>& by) {
  Moments b;
  const double volume = by[0] * by[1] * by[2];
  b.m = volume * a.m;
  for (std::size_t i = 0; i < 3; ++i) {
    b.h[i] = volume * by[i] * a.h[i];
    for (std::size_t j = 0; j < 3; ++j) b.S[i][j] = volume * by[i] * by[j] * a.S[i][j];
  }
  return b;
}

struct ShapeCase {
  ShapeKind kind;
  std::vector<double> sizes;
  Moments moments;
};

// rho(z)^2 is a polynomial for all of these, so Gauss's rule in r and z is exact.
std::vector<ShapeCase> shapes() {
  const auto ball = [](double r) { return [r](double z) { return std::sqrt(r * r - z * z); }; };
  const double r = 0.3, l = 0.8;
  const Moments unit_ball = revolve(-1, 1, ball(1));
  Moments box;
  integrate(-0.1, 0.1, [&](double x, double wx) {
    integrate(-0.2, 0.2, [&](double y, double wy) {
      integrate(-0.35, 0.35, [&](double z, double wz) { box.add(wx * wy * wz, {x, y, z}); });
    });
  });
  const Moments capsule = revolve(-l / 2, l / 2, [&](double) { return r; }) +
                          revolve(l / 2, l / 2 + r, [&](double z) { return ball(r)(z - l / 2); }) +
                          revolve(-l / 2 - r, -l / 2, [&](double z) { return ball(r)(z + l / 2); });
  return {{ShapeKind::Box, {0.2, 0.4, 0.7}, box},
          {ShapeKind::Cylinder, {r, l}, revolve(-l / 2, l / 2, [&](double) { return r; })},
          {ShapeKind::Sphere, {r}, revolve(-r, r, ball(r))},
          {ShapeKind::Ellipsoid, {0.2, 0.5, 0.4}, stretched(unit_ball, {0.2, 0.5, 0.4})},
          {ShapeKind::Cone, {r, l}, revolve(-l / 2, l / 2, [&](double z) { return r * (0.5 - z / l); })},
          {ShapeKind::Capsule, {r, l}, capsule},
          {ShapeKind::Tube,
           {r, 0.2, l},
           revolve(
               -l / 2, l / 2, [&](double) { return r; }, 0.2)}};
}

Shape shape_of(const ShapeCase& c) {
  Shape shape;
  shape.kind = c.kind;
  for (const double size : c.sizes) shape.sizes.emplace_back(size);
  return shape;
}

TEST(InertiaLibrary, ShapesAgainstIntegration) {
  Graph graph;
  for (const ShapeCase& c : shapes()) {
    SCOPED_TRACE(shape_info(c.kind).name);
    const MassProperties p = mass_from_density(graph, shape_of(c), 700);
    const double mass = 700 * c.moments.m;
    EXPECT_NEAR(evaluate(p.mass, {}), mass, 1e-12 * mass);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(evaluate(p.mass_centre[i], {}), c.moments.centre(i), 1e-14);
      for (std::size_t j = 0; j < 3; ++j)
        EXPECT_NEAR(evaluate(p.inertia[i][j], {}), 700 * c.moments.inertia(i, j), 1e-12 * mass) << i << j;
    }
  }
}

TEST(InertiaLibrary, RodsAndDisksHaveNoThickness) {
  Shape rod;
  rod.kind = ShapeKind::Rod;
  rod.sizes = {0.01, 0.6};
  const MassProperties p = mass_from_total(rod, 2);
  EXPECT_EQ(evaluate(p.inertia[2][2], {}), 0);
  EXPECT_NEAR(evaluate(p.inertia[0][0], {}), 2 * 0.36 / 12, 1e-15);
  Shape disk = rod;
  disk.kind = ShapeKind::Disk;
  disk.sizes = {0.5, 0.01};
  const MassProperties d = mass_from_total(disk, 2);
  EXPECT_NEAR(evaluate(d.inertia[2][2], {}), 0.25, 1e-15);
  EXPECT_NEAR(evaluate(d.inertia[1][1], {}), 0.125, 1e-15);
}

// A shape placed anywhere, and several shapes as one body: the moments add about the origin.
TEST(InertiaLibrary, PlacesAndCombinations) {
  Graph graph;
  const auto all = shapes();
  const double c = std::cos(0.7), s = std::sin(0.7);
  const double R[3][3] = {{1, 0, 0}, {0, c, -s}, {0, s, c}};
  const std::array<double, 3> at{0.3, -0.2, 0.5};
  std::vector<MassProperties> parts;
  Moments sum;
  for (const ShapeCase& one : all) {
    Shape shape = shape_of(one);
    for (std::size_t i = 0; i < 3; ++i) {
      shape.place.position[i] = at[i];
      for (std::size_t j = 0; j < 3; ++j) shape.place.rotation[i][j] = R[i][j];
    }
    parts.push_back(mass_from_density(graph, shape, 700));
    // r' = at + R r: h' = m at + R h, S' = m at at + at (R h) + (R h) at + R S R.
    Moments moved;
    moved.m = 700 * one.moments.m;
    double Rh[3] = {};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) Rh[i] += 700 * R[i][j] * one.moments.h[j];
    for (std::size_t i = 0; i < 3; ++i) {
      moved.h[i] = moved.m * at[i] + Rh[i];
      for (std::size_t j = 0; j < 3; ++j) {
        moved.S[i][j] = moved.m * at[i] * at[j] + at[i] * Rh[j] + Rh[i] * at[j];
        for (std::size_t k = 0; k < 3; ++k)
          for (std::size_t l = 0; l < 3; ++l) moved.S[i][j] += 700 * R[i][k] * one.moments.S[k][l] * R[j][l];
      }
    }
    sum = sum + moved;
  }
  const MassProperties whole = combine(parts);
  EXPECT_NEAR(evaluate(whole.mass, {}), sum.m, 1e-11);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(evaluate(whole.mass_centre[i], {}), sum.centre(i), 1e-13);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(evaluate(whole.inertia[i][j], {}), sum.inertia(i, j), 1e-11) << i << j;
  }
}

TEST(InertiaLibrary, InertiaAboutAnotherPoint) {
  const Expr33 about_end{{{0, 0, 0}, {0, 3, 0}, {0, 0, 3}}};  // a rod of mass 1 and length 3 along x, about its end
  const Expr33 I = central_inertia(about_end, identity33(), 1, {1.5, 0, 0}, {});
  EXPECT_NEAR(evaluate(I[1][1], {}), 0.75, 1e-15);
  EXPECT_NEAR(evaluate(I[0][0], {}), 0, 1e-15);
}

TEST(InertiaLibrary, BadShapes) {
  Graph graph;
  Shape plane;
  plane.kind = ShapeKind::Plane;
  EXPECT_THROW((void)mass_from_density(graph, plane, 1), ModelError);
  Shape box;
  box.sizes = {1, 2};
  EXPECT_THROW((void)mass_from_total(box, 1), ModelError);
  EXPECT_THROW((void)shape_info("shpere", {}), ModelError);
}

}  // namespace
}  // namespace kane

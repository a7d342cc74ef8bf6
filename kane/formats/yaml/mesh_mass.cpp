#include "kane/formats/yaml/mesh_mass.hpp"

#include "kane/contact/mesh_file.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {

namespace {

/// Integrals over the volume by signed pyramids from the origin to each triangle: the volume det/6, its first moment with the
/// centroid (a + b + c)/4, its second moments with sum and products of the corners over 20.
struct MeshIntegrals {
  double volume = 0;
  Vec3 first, area;
  Mat3 second{{Vec3{}, Vec3{}, Vec3{}}};
  double surface = 0;

  void add(const MeshTriangle& t) {
    const auto& [a, b, c] = t.corners;
    const Vec3 normal = 0.5 * cross(b - a, c - a), total = a + b + c;
    const double v = dot(a, cross(b, c)) / 6;
    volume += v;
    area += normal;
    surface += norm(normal);
    first += v / 4 * total;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        second[i][j] += v / 20 * (total[i] * total[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j]);
  }
};

}  // namespace

MassProperties mesh_mass_properties(const std::string& path, const Placement& place, const Expr& amount, bool density) {
  MeshIntegrals mesh;
  for (const MeshTriangle& t : read_mesh_triangles(path)) mesh.add(t);
  // The normals of a closed surface add up to zero.
  require(norm(mesh.area) <= 1e-6 * mesh.surface, "the surface of the mesh '{}' is not closed, so it has no volume",
          path);
  require(mesh.volume > 0, "the volume of the mesh '{}' is not positive: its triangles face inwards", path);
  const Vec3 centre = (1 / mesh.volume) * mesh.first;
  Mat3 second = mesh.second;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) second[i][j] -= mesh.volume * centre[i] * centre[j];
  const double trace = second[0].x + second[1].y + second[2].z;
  MassProperties m;
  m.mass = density ? amount * Expr(mesh.volume) : amount;
  const Expr per_volume = density ? amount : amount / Expr(mesh.volume);
  Expr33 inertia;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double s = (second[i][j] + second[j][i]) / 2;  // the same to the last bit
      inertia[i][j] = per_volume * Expr((i == j ? trace : 0) - s);
    }
  const Expr3 at{Expr(centre.x), Expr(centre.y), Expr(centre.z)};
  m.mass_centre = add(place.position, multiply(place.rotation, at));
  m.inertia = central_inertia(inertia, place.rotation, m.mass, m.mass_centre, m.mass_centre);
  return m;
}

}  // namespace kane

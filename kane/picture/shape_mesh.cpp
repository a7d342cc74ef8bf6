#include "kane/picture/shape_mesh.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

#include "kane/base/error.hpp"
#include "kane/contact/mesh_file.hpp"

namespace kane {

namespace {

constexpr std::uint32_t kAround = 24;  ///< sides of a circle
constexpr std::uint32_t kAlong = 12;   ///< rings of a sphere

/// A point of an outline that is revolved about z, with its outward normal.
struct Outline {
  double r, z, nr, nz;
};

/// Each pair of points makes a band; corners are two points in one place with different normals.
Mesh revolve(std::span<const Outline> outline) {
  Mesh mesh;
  for (const Outline& p : outline)
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const double angle = 2 * std::numbers::pi * k / kAround, c = std::cos(angle), s = std::sin(angle);
      mesh.vertices.push_back({{p.r * c, p.r * s, p.z}, {p.nr * c, p.nr * s, p.nz}});
    }
  for (std::uint32_t i = 0; i + 1 < outline.size(); ++i) {
    const Outline &a = outline[i], &b = outline[i + 1];
    if (a.r == b.r && a.z == b.z) continue;
    for (std::uint32_t k = 0; k < kAround; ++k) {
      const std::uint32_t next = (k + 1) % kAround;
      const std::uint32_t v[4] = {i * kAround + k, i * kAround + next, (i + 1) * kAround + next, (i + 1) * kAround + k};
      if (a.r > 0) mesh.triangles.insert(mesh.triangles.end(), {v[0], v[1], v[2]});
      if (b.r > 0) mesh.triangles.insert(mesh.triangles.end(), {v[0], v[2], v[3]});
    }
  }
  return mesh;
}

/// Quarter of a circle about (0, z0): from the pole at the bottom outwards (`sign` = -1), or to the pole at the top.
void add_quarter(std::vector<Outline>& outline, double radius, double z0, double sign) {
  for (std::uint32_t i = 0; i <= kAlong / 2; ++i) {
    const double angle = 0.5 * std::numbers::pi * i / (kAlong / 2);
    const double c = sign < 0 ? std::sin(angle) : std::cos(angle), s = sign < 0 ? -std::cos(angle) : std::sin(angle);
    const auto exact = [](double x) { return std::abs(x) < 1e-12 ? 0.0 : x; };  // at the pole and the equator
    outline.push_back({radius * exact(c), z0 + radius * exact(s), c, s});
  }
}

Mesh round_ended(double radius, double length) {
  std::vector<Outline> outline;
  add_quarter(outline, radius, -0.5 * length, -1);
  add_quarter(outline, radius, 0.5 * length, 1);
  return revolve(outline);
}

/// Flat triangles. A file that cannot be read gives no triangles: contact, which needs it, refuses it.
Mesh file_mesh(const std::string& file) {
  constexpr std::size_t kMostTriangles = 50'000;  // of which every so many are shown
  Mesh mesh;
  try {
    const std::vector<MeshTriangle> triangles = read_mesh_triangles(file);
    const std::size_t stride = (triangles.size() + kMostTriangles - 1) / kMostTriangles;
    for (std::size_t i = 0; i < triangles.size(); i += stride) {
      const auto& [a, b, c] = triangles[i].corners;
      const Vec3 normal = normalized(cross(b - a, c - a));
      for (const Vec3& corner : {a, b, c}) {
        mesh.triangles.push_back(static_cast<std::uint32_t>(mesh.vertices.size()));
        mesh.vertices.push_back({corner, normal});
      }
    }
  } catch (const ModelError&) {
    return {};
  }
  return mesh;
}

Mesh cone(double bottom, double top, double length) {
  const double h = 0.5 * length, slant = std::hypot(length, bottom - top);
  const double nr = length / slant, nz = (bottom - top) / slant;
  const Outline outline[] = {{0, -h, 0, -1},   {bottom, -h, 0, -1}, {bottom, -h, nr, nz},
                             {top, h, nr, nz}, {top, h, 0, 1},      {0, h, 0, 1}};
  return revolve(outline);
}

Mesh tube(double outer, double inner, double length) {
  const double h = 0.5 * length;
  const Outline outline[] = {{inner, -h, 0, -1}, {outer, -h, 0, -1}, {outer, -h, 1, 0}, {outer, h, 1, 0},
                             {outer, h, 0, 1},   {inner, h, 0, 1},   {inner, h, -1, 0}, {inner, -h, -1, 0}};
  return revolve(outline);
}

Mesh box(double x, double y, double z) {
  Mesh mesh;
  const Vec3 half{0.5 * x, 0.5 * y, 0.5 * z};
  for (std::size_t axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      const std::size_t u = (axis + 1) % 3, v = (axis + 2) % 3;
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
      for (const auto& [a, b] : {std::pair{-1.0, -1.0}, {1.0, -1.0}, {1.0, 1.0}, {-1.0, 1.0}}) {
        Mesh::Vertex vertex{};
        vertex.normal[axis] = side;
        vertex.at[axis] = side * half[axis];
        vertex.at[u] = a * side * half[u];  // mirrored on the far side, so that it is counterclockwise too
        vertex.at[v] = b * half[v];
        mesh.vertices.push_back(vertex);
      }
      mesh.triangles.insert(mesh.triangles.end(), {first, first + 1, first + 2, first, first + 2, first + 3});
    }
  return mesh;
}

Mesh ellipsoid(double a, double b, double c) {
  Mesh mesh = round_ended(1, 0);
  for (auto& v : mesh.vertices) {
    v.at = {a * v.at.x, b * v.at.y, c * v.at.z};
    v.normal = normalized({v.normal.x / a, v.normal.y / b, v.normal.z / c});
  }
  return mesh;
}

}  // namespace

Vec3 normalized(const Vec3& a) {
  const double length = norm(a);
  if (!(length > 0)) return {0, 0, 1};
  return {a.x / length, a.y / length, a.z / length};
}

Mat3 rotation_to(const Vec3& axis) {
  const Vec3 z = normalized(axis);
  const Vec3 other = std::abs(z.x) < 0.7 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 x = normalized(cross(other, z)), y = cross(z, x);
  return {{Vec3{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

void Mesh::append(const Mesh& other) {
  const auto first = static_cast<std::uint32_t>(vertices.size());
  vertices.insert(vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const std::uint32_t i : other.triangles) triangles.push_back(first + i);
}

void Mesh::move(const Mat3& rotation, const Vec3& position) {
  for (auto& v : vertices) {
    v.at = rotation * v.at + position;
    v.normal = rotation * v.normal;
  }
}

namespace {

/// Around the origin, along z.
Mesh centred_mesh(const Solid& solid) {
  const auto size = [&](std::size_t i) { return i < solid.sizes.size() ? solid.sizes[i] : 0.0; };
  constexpr double kThin = 0.02;  // of a line or a flat disk, which would be invisible without
  switch (solid.kind) {
    case ShapeKind::Box: return box(size(0), size(1), size(2));
    case ShapeKind::Sphere: return round_ended(size(0), 0);
    case ShapeKind::Ellipsoid: return ellipsoid(size(0), size(1), size(2));
    case ShapeKind::Capsule: return round_ended(size(0), size(1));
    case ShapeKind::Cylinder: return cone(size(0), size(0), size(1));
    case ShapeKind::Cone: return cone(size(0), 0, size(1));
    case ShapeKind::Tube: return tube(size(0), size(1), size(2));
    case ShapeKind::Rod: {
      const double radius = size(0) > 0 ? size(0) : kThin * size(1);
      return cone(radius, radius, size(1));
    }
    case ShapeKind::Disk: return cone(size(0), size(0), size(1) > 0 ? size(1) : 2 * kThin * size(0));
    case ShapeKind::Mesh: return solid.file.empty() ? Mesh() : file_mesh(solid.file);
    case ShapeKind::Plane: break;
  }
  return {};
}

}  // namespace

Mesh shape_mesh(const Solid& solid) {
  Mesh mesh = centred_mesh(solid);
  mesh.move(solid.rotation, solid.position);
  return mesh;
}

Mesh link_mesh(const Vec3& from, const Vec3& to, double radius) {
  const Vec3 along = to - from;
  Mesh mesh = round_ended(radius, norm(along));
  mesh.move(rotation_to(along), 0.5 * (from + to));
  return mesh;
}

}  // namespace kane

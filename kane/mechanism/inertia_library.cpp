#include "kane/mechanism/inertia_library.hpp"

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/mechanics/algebra.hpp"

namespace kane {
namespace {

constexpr ShapeInfo kShapes[] = {
    {ShapeKind::Box, "box", 3, "x, y, z", true},
    {ShapeKind::Cylinder, "cylinder", 2, "radius, length", true},
    {ShapeKind::Sphere, "sphere", 1, "radius", true},
    {ShapeKind::Ellipsoid, "ellipsoid", 3, "half-axes a, b, c", true},
    {ShapeKind::Cone, "cone", 2, "radius, length", true},
    {ShapeKind::Capsule, "capsule", 2, "radius, length of the straight part", true},
    {ShapeKind::Tube, "tube", 3, "outer radius, inner radius, length", true},
    {ShapeKind::Rod, "rod", 2, "radius, length", true},
    {ShapeKind::Disk, "disk", 2, "radius, length", true},
    {ShapeKind::Plane, "plane", 0, "none", false},
    {ShapeKind::Mesh, "mesh", 0, "none", false},
};

void check_sizes(const Shape& shape) {
  const ShapeInfo& info = shape_info(shape.kind);
  require(shape.sizes.size() == at(info.size_count), "a {} has {} sizes ({}), but {} are given", info.name,
          info.size_count, info.sizes, shape.sizes.size());
  require(info.solid, "a {} has no volume, so no mass follows from its density", info.name);
}

Expr fraction(int numerator, int denominator) { return Expr(numerator) / denominator; }

/// Central inertia per unit of mass in the shape's own axes. Textbook values; `along` is about z, `across` about x and y.
Expr33 unit_inertia(const Shape& shape) {
  const auto& s = shape.sizes;
  const auto axial = [](const Expr& along, const Expr& across) { return diagonal(across, across, along); };
  switch (shape.kind) {
    case ShapeKind::Box: {
      const Expr x = square(s[0]), y = square(s[1]), z = square(s[2]);
      return diagonal((y + z) / 12, (z + x) / 12, (x + y) / 12);
    }
    case ShapeKind::Ellipsoid: {
      const Expr a = square(s[0]), b = square(s[1]), c = square(s[2]);
      return diagonal((b + c) / 5, (c + a) / 5, (a + b) / 5);
    }
    case ShapeKind::Sphere: return axial(fraction(2, 5) * square(s[0]), fraction(2, 5) * square(s[0]));
    case ShapeKind::Cylinder: return axial(square(s[0]) / 2, square(s[0]) / 4 + square(s[1]) / 12);
    case ShapeKind::Cone:
      return axial(fraction(3, 10) * square(s[0]), fraction(3, 20) * square(s[0]) + fraction(3, 80) * square(s[1]));
    case ShapeKind::Tube: {
      const Expr radii = square(s[0]) + square(s[1]);
      return axial(radii / 2, radii / 4 + square(s[2]) / 12);
    }
    case ShapeKind::Rod: return axial(0, square(s[1]) / 12);
    case ShapeKind::Disk: return axial(square(s[0]) / 2, square(s[0]) / 4);
    case ShapeKind::Capsule: {
      // A cylinder and two half balls, whose mass centres are 3r/8 beyond its ends. Fractions of the whole volume
      // pi r^2 l + 4/3 pi r^3: f = l/(l + 4r/3) and 1 - f. The half balls together have 2/5 r^2 about the centre
      // of their common ball and, moved apart, the additional transverse l^2/4 + 3 l r/8.
      const Expr &r = s[0], &l = s[1];
      const Expr f = l / (l + fraction(4, 3) * r);
      const Expr g = 1 - f;
      const Expr along = f * square(r) / 2 + g * fraction(2, 5) * square(r);
      const Expr across = f * (square(r) / 4 + square(l) / 12) +
                          g * (fraction(2, 5) * square(r) + square(l) / 4 + fraction(3, 8) * l * r);
      return axial(along, across);
    }
    default: return {};
  }
}

/// Mass centre in the shape's own axes: that of a cone is a quarter of its length from the base.
Expr3 shape_centre(const Shape& shape) {
  if (shape.kind == ShapeKind::Cone) return {0, 0, -shape.sizes[1] / 4};
  return {};
}

Expr33 rotated(const Expr33& inertia, const Expr33& rotation) {
  return multiply(rotation, multiply(inertia, transpose(rotation)));
}

}  // namespace

const ShapeInfo& shape_info(ShapeKind kind) {
  for (const ShapeInfo& info : kShapes)
    if (info.kind == kind) return info;
  throw InternalError("a kind of shape without a row");
}

const ShapeInfo& shape_info(std::string_view name, const Where& where) {
  std::vector<std::string> known;
  for (const ShapeInfo& info : kShapes) {
    if (info.name == name) return info;
    known.emplace_back(info.name);
  }
  throw ModelError(
      where, fmt::format("unknown shape '{}'{}; known are {}", name, suggestion(name, known), fmt::join(known, ", ")));
}

Expr shape_volume(Graph& graph, const Shape& shape) {
  check_sizes(shape);
  const auto& s = shape.sizes;
  switch (shape.kind) {
    case ShapeKind::Box: return s[0] * s[1] * s[2];
    case ShapeKind::Sphere: return fraction(4, 3) * graph.pi() * pow(s[0], 3);
    case ShapeKind::Ellipsoid: return fraction(4, 3) * graph.pi() * s[0] * s[1] * s[2];
    case ShapeKind::Cone: return graph.pi() * square(s[0]) * s[1] / 3;
    case ShapeKind::Capsule: return graph.pi() * square(s[0]) * (s[1] + fraction(4, 3) * s[0]);
    case ShapeKind::Tube: return graph.pi() * (square(s[0]) - square(s[1])) * s[2];
    default: return graph.pi() * square(s[0]) * s[1];
  }
}

MassProperties mass_from_density(Graph& graph, const Shape& shape, const Expr& density) {
  return mass_from_total(shape, density * shape_volume(graph, shape));
}

MassProperties mass_from_total(const Shape& shape, const Expr& mass) {
  check_sizes(shape);
  MassProperties body;
  body.mass = mass;
  body.mass_centre = add(shape.place.position, multiply(shape.place.rotation, shape_centre(shape)));
  body.inertia = scale(mass, rotated(unit_inertia(shape), shape.place.rotation));
  return body;
}

MassProperties combine(std::span<const MassProperties> parts) {
  MassProperties whole;
  Expr3 moment{};
  for (const MassProperties& part : parts) {
    whole.mass += part.mass;
    moment = add(moment, scale(part.mass, part.mass_centre));
  }
  if (!whole.mass.is_zero()) whole.mass_centre = scale(1 / whole.mass, moment);
  for (const MassProperties& part : parts) {
    const Expr3 offset = subtract(part.mass_centre, whole.mass_centre);
    whole.inertia = add(whole.inertia, add(part.inertia, parallel_axis(part.mass, offset)));
  }
  return whole;
}

Expr33 central_inertia(const Expr33& inertia, const Expr33& rotation, const Expr& mass, const Expr3& centre,
                       const Expr3& point) {
  return add(rotated(inertia, rotation), parallel_axis(-mass, subtract(centre, point)));
}

}  // namespace kane

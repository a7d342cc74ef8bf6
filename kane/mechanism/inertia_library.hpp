#pragma once
// Mass, mass centre and inertia from a shape and its density or mass, and the moves between points and frames.

#include <span>

#include "kane/mechanism/mechanism.hpp"

namespace kane {

struct MassProperties {
  Expr mass;
  Expr3 mass_centre{};  ///< in the body's frame
  Expr33 inertia{};     ///< about the mass centre, body axes, matrix elements
};

/// Number of sizes of a shape, and their names ("radius, length").
struct ShapeInfo {
  ShapeKind kind;
  std::string_view name;
  int size_count;
  std::string_view sizes;
  bool solid;  ///< has a volume
};
[[nodiscard]] const ShapeInfo& shape_info(ShapeKind kind);
/// Throws ModelError (with a suggestion) for an unknown name.
[[nodiscard]] const ShapeInfo& shape_info(std::string_view name, const Where& where);

/// Volume of a shape. A rod is a thin cylinder and a disk a flat one: volume as a cylinder, inertia as if without
/// thickness. A cone has its tip at +length/2 along z and its base at -length/2.
[[nodiscard]] Expr shape_volume(Graph& graph, const Shape& shape);

/// A homogeneous body of this shape, placed in the body's frame.
[[nodiscard]] MassProperties mass_from_density(Graph& graph, const Shape& shape, const Expr& density);
[[nodiscard]] MassProperties mass_from_total(const Shape& shape, const Expr& mass);

/// Several parts as one body.
[[nodiscard]] MassProperties combine(std::span<const MassProperties> parts);

/// Central inertia in body axes from the inertia about a point, given in axes placed by `rotation` (components of those
/// axes to body components). `centre` is the mass centre and `point` the point of reference, in the body's frame.
[[nodiscard]] Expr33 central_inertia(const Expr33& inertia, const Expr33& rotation, const Expr& mass,
                                     const Expr3& centre, const Expr3& point);

}  // namespace kane

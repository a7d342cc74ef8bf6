#pragma once
// The ways to orient one frame relative to another.

#include <array>
#include <string_view>
#include <variant>

#include "kane/mechanics/vector.hpp"

namespace kane {

/// The child turns by `angle` about an axis fixed in both frames.
struct SimpleRotation {
  Axis axis;
  Expr angle;
};

/// The same about any axis, given by components (equal in both frames). It need not have length one.
struct AxisRotation {
  Expr3 axis;
  Expr angle;
};

/// Three successive simple rotations, about axes of the child ("body") or of the parent ("space").
struct RotationSequence {
  bool space = false;
  std::array<Axis, 3> axes;
  Expr3 angles;
};

/// e[0..2] = lambda sin(theta/2), e[3] = cos(theta/2) (scalar last). The four must be coordinates.
struct EulerParameters {
  std::array<Expr, 4> e;
};

/// rho = lambda tan(theta/2). The three must be coordinates.
struct RodriguesParameters {
  Expr3 rho;
};

/// Parent components = c * child components: the columns are the child's basis vectors in the parent.
struct DirectionCosines {
  Expr33 c;
};

using Orientation = std::variant<SimpleRotation, AxisRotation, RotationSequence, EulerParameters, RodriguesParameters,
                                 DirectionCosines>;

/// "body 123", "space 313", "body zxz", ...: any of the 24 sequences. Throws ModelError for anything else.
[[nodiscard]] RotationSequence rotation_sequence(std::string_view name, const Expr3& angles);
/// The sequence as its name, e.g. "body 123".
[[nodiscard]] std::string to_string(const RotationSequence& sequence);

/// Direction cosine matrices (parent components = matrix * child components).
[[nodiscard]] Expr33 simple_rotation_matrix(Axis axis, const Expr& angle);
[[nodiscard]] Expr33 axis_rotation_matrix(const Expr3& unit_axis, const Expr& angle);
[[nodiscard]] Expr33 euler_parameter_matrix(const std::array<Expr, 4>& e);
[[nodiscard]] Expr33 rodrigues_matrix(const Expr3& rho);

/// Rates of the parameters for an angular velocity w of the child in the parent, components in the child.
[[nodiscard]] std::array<Expr, 4> euler_parameter_rates(const std::array<Expr, 4>& e, const Expr3& w);
[[nodiscard]] Expr3 rodrigues_rates(const Expr3& rho, const Expr3& w);

}  // namespace kane

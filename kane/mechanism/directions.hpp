#pragma once
// Directions across a given one.

#include <utility>

#include "kane/mechanism/lowering_parts.hpp"

namespace kane {

/// Two vectors of length one (if `a` has) that form a right-handed set with it: b, c = a x b. Where `a` is a basis vector,
/// they are basis vectors too.
[[nodiscard]] std::pair<Expr3, Expr3> across(const Expr3& a, const Mechanism& mechanism);

/// Two directions across any vector.
[[nodiscard]] std::pair<Vector, Vector> across(const Vector& v, const Mechanism& mechanism, const System& system);

/// A scalar at the mechanism's parameters and initial coordinates.
[[nodiscard]] double initial_value(const Expr& e, const Mechanism& mechanism);

/// Whether a scalar depends on parameters only.
[[nodiscard]] bool is_constant(const Expr& e, const System& system);

}  // namespace kane

#pragma once
// Arithmetic of component triples and 3 x 3 arrays of expressions.

#include "kane/mechanics/equations.hpp"

namespace kane {

[[nodiscard]] inline bool is_zero(const Expr3& a) { return a[0].is_zero() && a[1].is_zero() && a[2].is_zero(); }
[[nodiscard]] bool is_zero(const Expr33& a);

[[nodiscard]] Expr3 add(const Expr3& a, const Expr3& b);
[[nodiscard]] Expr3 subtract(const Expr3& a, const Expr3& b);
[[nodiscard]] Expr3 negate(const Expr3& a);
[[nodiscard]] Expr3 scale(const Expr& s, const Expr3& a);
[[nodiscard]] Expr dot(const Expr3& a, const Expr3& b);
[[nodiscard]] Expr3 cross(const Expr3& a, const Expr3& b);
[[nodiscard]] Expr3 multiply(const Expr33& a, const Expr3& b);
[[nodiscard]] Expr33 multiply(const Expr33& a, const Expr33& b);
[[nodiscard]] Expr33 add(const Expr33& a, const Expr33& b);
[[nodiscard]] Expr33 scale(const Expr& s, const Expr33& a);
[[nodiscard]] Expr33 transpose(const Expr33& a);
[[nodiscard]] Expr33 identity33();
[[nodiscard]] Expr33 diagonal(const Expr& x, const Expr& y, const Expr& z);
/// b (a . a) - a a, times m: the term of the parallel-axis theorem for a mass m at a.
[[nodiscard]] Expr33 parallel_axis(const Expr& m, const Expr3& a);

/// w x (I . w) for a symmetric I, written with the products of the components of w, so that differences of moments of
/// inertia stand together (parameters only) and the products are shared with w x (w x r):
///   e1 . [w x I.w] = (I33 - I22) w2 w3 + I23 (w2^2 - w3^2) + I13 w1 w2 - I12 w1 w3, and cyclically.
[[nodiscard]] Expr3 gyroscopic(const Expr33& I, const Expr3& w);

}  // namespace kane

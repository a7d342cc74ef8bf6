#pragma once
// Expressions with an imaginary unit, written as a + b*i.

#include "kane/expr/expr.hpp"

namespace kane::autolev {

/// e as a + b*i, with a and b free of i. Functions of complex arguments are worked out for powers, roots, exp, sin, cos and
/// the magnitude ABS; throws ModelError for others.
[[nodiscard]] Expr rectangular(const Expr& e, const Expr& i);

}  // namespace kane::autolev

#pragma once
// Where a solution in symbols does not exist, in words: "sin(q2) = 0" for the divisor -l1*l2*sin(q2).

#include <span>
#include <string>

#include "kane/mechanics/system.hpp"

namespace kane {

/// The configurations where one of the divisors vanishes: "cos(q2) = 0 or q4 = 0", factor by factor, without signs and
/// without factors that depend on parameters only. A factor too long to read is named by the coordinates it depends on.
/// Empty if the divisors depend on parameters only.
[[nodiscard]] std::string singular_conditions(const System& system, std::span<const Expr> divisors);

}  // namespace kane

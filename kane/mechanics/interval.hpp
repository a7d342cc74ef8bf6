#pragma once
// Bounds of an expression for all values of its variables: enough to see that a constraint can never hold.

#include <optional>
#include <string>

#include "kane/mechanics/system.hpp"

namespace kane {

struct Interval {
  double low;
  double high;
};

/// Bounds of e with the parameters at their given values and everything else anywhere on the real line. Not tight, but
/// never too narrow (up to rounding). Empty if a parameter has no value.
[[nodiscard]] std::optional<Interval> find_bounds(const System& system, const Expr& e);

/// Throws ModelError if phi = 0 has no solution with the parameters as given.
void check_can_vanish(const System& system, const Expr& phi, const std::string& name);

}  // namespace kane

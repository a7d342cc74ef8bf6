#pragma once
// Internal to literal(): a polynomial with common factors taken out, at every level.

#include "kane/expr/textbook/tree.hpp"

namespace kane::textbook {

/// Sums below the line count for nothing in the choice of what to take out first, or for their length.
enum class Denominators { Light, Heavy };

[[nodiscard]] Sum factor(const Polynomial& p, const Atoms& atoms, Denominators denominators, Budget& budget);

/// The polynomial as it stands, term by term (sums below the line are factored).
[[nodiscard]] Sum flat(const Polynomial& p, const Atoms& atoms, Budget& budget);

}  // namespace kane::textbook

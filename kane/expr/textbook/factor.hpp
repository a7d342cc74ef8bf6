#pragma once
// Inside of literal(): a polynomial with common factors taken out, at every level.

#include "kane/expr/textbook/tree.hpp"

namespace kane::textbook {

[[nodiscard]] Sum factor(const Polynomial& p, const Atoms& atoms, Budget& budget);

/// The polynomial as it stands, term by term (sums below the line are factored).
[[nodiscard]] Sum flat(const Polynomial& p, const Atoms& atoms, Budget& budget);

}  // namespace kane::textbook

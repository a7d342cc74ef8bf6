#pragma once
// Matrices of expressions: sums, products, pieces, determinant and inverse.

#include <span>
#include <vector>

#include "kane/formats/autolev/world.hpp"

namespace kane::autolev {

[[nodiscard]] ExprMatrix column_of(std::vector<Expr> entries);
[[nodiscard]] ExprMatrix add(const ExprMatrix& a, const ExprMatrix& b, int sign);
[[nodiscard]] ExprMatrix multiply(const ExprMatrix& a, const ExprMatrix& b);
[[nodiscard]] ExprMatrix scaled(ExprMatrix a, const Expr& factor);
[[nodiscard]] ExprMatrix transposed(const ExprMatrix& a);
[[nodiscard]] ExprMatrix rows_of(const ExprMatrix& a, std::span<const int> rows);
[[nodiscard]] ExprMatrix columns_of(const ExprMatrix& a, std::span<const int> columns);
/// By elimination without fractions of the cheapest kind (Kane's linear solver). Throws ModelError if it is singular.
[[nodiscard]] ExprMatrix inverted(const ExprMatrix& a);
[[nodiscard]] Expr determinant(const ExprMatrix& a);
/// One element of a matrix: M[i] of a column or row, a row of any other.
[[nodiscard]] bool is_line(const ExprMatrix& a);

}  // namespace kane::autolev

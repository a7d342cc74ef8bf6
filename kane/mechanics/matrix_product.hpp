#pragma once
// The product of two matrices of expressions.

#include "kane/mechanics/equations.hpp"

namespace kane {

[[nodiscard]] inline ExprMatrix form_product(const ExprMatrix& a, const ExprMatrix& b) {
  ExprMatrix c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.columns; ++k) {
      if (a(i, k).is_zero()) continue;
      for (int j = 0; j < b.columns; ++j) c(i, j) += a(i, k) * b(k, j);
    }
  return c;
}

}  // namespace kane

#pragma once
// e = sum_i coefficient_i * symbol_i + remainder, checked to leave nothing over.

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

struct Affine {
  std::vector<Expr> coefficients;  ///< one per symbol, in the given order
  Expr remainder;
};

/// Throws ModelError naming the first term that is not affine in the symbols. `what` names the expression in the
/// message ("the definition of u1").
[[nodiscard]] Affine affine_in(const Expr& e, std::span<const Expr> symbols, std::string_view what = "the expression");
[[nodiscard]] std::vector<Affine> affine_in(std::span<const Expr> es, std::span<const Expr> symbols,
                                            std::string_view what = "the expression");
/// The same, but empty instead of an error.
[[nodiscard]] std::optional<Affine> find_affine(const Expr& e, std::span<const Expr> symbols);

}  // namespace kane

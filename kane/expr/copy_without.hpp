#pragma once
// Expressions written with symbols that they do not depend on.

#include <optional>
#include <span>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

/// The expressions in `target`, without the symbols; empty if one of them depends on a symbol. Equal expressions are one
/// node of a graph, which keeps the form that came first: that may be (a + x) - x where a is meant, and no substitution
/// within that graph gets rid of x. In another graph a comes first. `target` must be new.
[[nodiscard]] std::optional<std::vector<Expr>> copy_without(std::span<const Expr> symbols, Graph& target,
                                                            std::span<const Expr> es);

}  // namespace kane

#pragma once
// From the graph of expressions to a draft: the only file of this folder, besides lower.cpp, that knows expressions.

#include <span>
#include <string>

#include "kane/expr/expr.hpp"
#include "kane/program/draft.hpp"

namespace kane {

/// Appends everything that `outputs` need to the draft, each node once, and sets its outputs. `inputs` are the names
/// of the inputs the draft already has. Throws ModelError naming the symbols that are not among them.
/// `flat`: nested sums and products become one at once.
void lower_expressions(std::span<const Expr> outputs, std::span<const std::string> inputs, Draft& draft,
                       bool flat = true);

}  // namespace kane

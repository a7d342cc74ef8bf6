#pragma once
// Calls of external functions replaced by expressions: a table by the polynomials it stands for.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

/// The expression to stand for name(arguments), in the same graph.
using CallReplacement = std::function<Expr(const std::string& name, std::span<const Expr> arguments)>;

[[nodiscard]] std::vector<Expr> replace_calls(std::span<const Expr> es, const CallReplacement& replacement);

}  // namespace kane

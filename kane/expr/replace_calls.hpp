#pragma once
// Calls of external functions replaced by expressions: a table by the polynomials it stands for.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

/// The expression to stand for name(arguments); both are in the target graph.
using CallReplacement = std::function<Expr(const std::string& name, std::span<const Expr> arguments)>;

/// Rebuilds the expressions in another graph (symbols by name). It must be a different one: a graph keeps one form of
/// everything that has the same value, and an expression may well have the same value with and without the calls.
[[nodiscard]] std::vector<Expr> replace_calls(Graph& target, std::span<const Expr> es,
                                              const CallReplacement& replacement);

}  // namespace kane

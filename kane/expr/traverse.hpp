#pragma once
// Visits every node of a set of roots once, operands first. The only way to walk a graph: never as a tree.

#include <span>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

/// All nodes reachable from the roots, operands before users. Bare numbers are skipped.
[[nodiscard]] std::vector<NodeId> topological_order(const Graph& graph, std::span<const NodeId> roots);

/// The same for expressions (all of one graph).
[[nodiscard]] std::vector<NodeId> topological_order(std::span<const Expr> roots);

/// The symbols the expressions are written with, in order of creation.
[[nodiscard]] std::vector<Expr> symbols_of(std::span<const Expr> roots);

/// Whether `e` is written with `symbol`.
[[nodiscard]] bool depends_on(const Expr& e, const Expr& symbol);

/// The one graph of the expressions; null if all are bare numbers.
[[nodiscard]] Graph* common_graph(std::span<const Expr> exprs);

}  // namespace kane

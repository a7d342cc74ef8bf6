#pragma once
// Expressions as Python sees them: a node, and a share in the graph that owns it.

#include "kane/expr/graph.hpp"
#include "python/src/binding.hpp"

namespace kane::python {

/// All expressions written in Python live in one graph, so that any two can be combined. It is given up when the last of
/// them is, and the next one begins a new graph.
[[nodiscard]] std::shared_ptr<Graph> shared_graph();

struct PyExpr {
  std::shared_ptr<Graph> graph;
  Expr value;
};

/// A number of Python (int of any size, float, fractions.Fraction, NumPy's) or an expression. Throws TypeError otherwise.
[[nodiscard]] Expr to_expr(const std::shared_ptr<Graph>& graph, const py::handle& value);
/// Whether to_expr() would take it.
[[nodiscard]] bool is_expr_like(const py::handle& value);
/// An operator by the name that operators.hpp gives it ("sin", "<=", "select" ...).
[[nodiscard]] Expr apply_operator(Graph& graph, std::string_view name, std::span<const Expr> arguments);
/// An exact number from the text "p/q".
[[nodiscard]] Rational read_rational(const std::string& text);

}  // namespace kane::python

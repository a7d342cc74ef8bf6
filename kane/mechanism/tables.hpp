#pragma once
// One-dimensional tables as functions of expressions: name(x), with the derivatives name_d1, name_d2 and name_d3.
// Beyond its ends a table continues as a straight line.

#include <span>
#include <string>
#include <vector>

#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/mechanism.hpp"

namespace kane {

/// Piecewise cubic through the points of a table.
class TableFunction {
 public:
  explicit TableFunction(const Table& table);

  /// The value, or a derivative of order 1 to 3. At a knot the piece to its right counts.
  [[nodiscard]] double operator()(double x, int order = 0) const;
  /// The same written out: comparisons choose the piece, the polynomial follows. For programs without calls.
  [[nodiscard]] Expr form(const Expr& x, int order = 0) const;

 private:
  // y = a + b s + c s^2 + d s^3 with s = x - x_i, from knot i to the next.
  struct Piece {
    double x, a, b, c, d;
  };
  std::vector<Piece> pieces_;  ///< the first and the last are the straight lines beyond the ends
};

/// At least two points, abscissas finite and growing; the name is free. Throws ModelError.
void check_table(const Table& table);

/// Makes name(x) known to the graph, and its derivatives.
void declare_table(Graph& graph, const Table& table);

/// Name of a derivative of a table: order 0 is the table itself.
[[nodiscard]] std::string table_function_name(const std::string& table, int order);

/// The expressions with all tables of the mechanism written out, in a graph without calls. A table too long for that
/// (kMaxWrittenKnots) is a LimitError.
[[nodiscard]] std::vector<Expr> write_out_tables(const Mechanism& mechanism, Graph& target,
                                                 std::span<const Expr> expressions);
constexpr std::size_t kMaxWrittenKnots = 2000;

/// Values of all tables of a mechanism and of their derivatives, for evaluation.
[[nodiscard]] FunctionTable table_functions(const Mechanism& mechanism);

}  // namespace kane

#pragma once
// Infix text to expressions.
//
//   expression  := comparison ["and"|"or" ...]           1, 0.5, 1e-3     exact rationals
//   comparison  := sum [("<"|"<="|">"|">="|"=="|"!=") sum]
//   sum         := product {("+"|"-") product}
//   product     := unary {("*"|"/") unary}
//   unary       := ("-"|"+"|"not") unary | power
//   power       := atom ["^" unary]                      right-associative: 2^3^2 = 2^9, -x^2 = -(x^2)
//   atom        := number [unit] | name | name "(" expression {"," expression} ")" | "(" expression ")"
//   name        := letter {letter|digit|"_"|"."} {"'"}   q1, theta_dot, B.mass, q1', q1''
//
// A number with a unit is that quantity in SI units: cos(30 deg), 2 m + 3 cm, 1/2 in. kane/expr/measured.hpp reads the same
// text and checks dimensions as well. "pi" is the constant. Functions are those of operators.hpp and declared external functions.

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/expr/expr.hpp"

namespace kane {

/// The meaning of the names in a text.
struct ParseOptions {
  /// Place of the first character, for messages.
  Where where;
  /// Returns the expression of a name; empty = the name is not known. If not set, every name becomes a symbol.
  std::function<std::optional<Expr>(std::string_view)> resolve;
  /// Returns the expression of a call that is not an operator (e.g. dot(...), a table); empty = not known.
  /// If not set, only declared external functions of the graph are known.
  std::function<std::optional<Expr>(std::string_view, const std::vector<Expr>&)> call;
  /// Known names for suggestions.
  std::vector<std::string> known_names;
  /// Nesting deeper than this is an error.
  int max_depth = 1000;
};

/// Parses a text. Throws ModelError with line, column and what was expected.
[[nodiscard]] Expr parse(Graph& graph, std::string_view text, const ParseOptions& options = {});

// ---- parts of the parser, for values other than Expr with the same grammar (infix.hpp) ---------------------------------

/// "-", "+" or "not" applied to x.
[[nodiscard]] Expr apply_sign(std::string_view sign, const Expr& x);
/// A binary sign ("+", "<=", "and", ...) applied to a and b.
[[nodiscard]] Expr apply_sign(std::string_view sign, const Expr& a, const Expr& b);
/// Calls an operator of operators.hpp or a declared external function by its name. Throws ModelError without a place.
[[nodiscard]] Expr call_function(Graph& graph, std::string_view function, std::span<const Expr> arguments);
/// Names of all functions that can be called.
[[nodiscard]] std::vector<std::string> known_functions(const Graph& graph);
/// The message about a divisor that is identically zero.
[[nodiscard]] std::string zero_divisor(std::string_view divisor);

}  // namespace kane

#pragma once
// Evaluation with 60 decimal digits, kept out of the other test files because its templates are heavy.

#include <map>
#include <optional>
#include <string>

#include "kane/expr/expr.hpp"

namespace kane::test {

using Point = std::map<std::string, double>;

struct Precise {
  double value = 0.0;       ///< rounded to double
  double difference = 0.0;  ///< from the other value asked for, relative to the larger of 1 and both
};

struct Tree;

/// All of these are empty where a value on the way is not finite or larger than 10^4 (the digits of a sine of such a
/// number are an accident), or nearer than 1e-12 to a jump, a kink or the end of a domain.

/// |a - b| / max(1, |a|, |b|) with 60 digits.
[[nodiscard]] std::optional<Precise> compare(const Expr& a, const Expr& b, const Point& at);

/// The same for a tree, worked out operator by operator without a graph, and what became of it in a graph.
[[nodiscard]] std::optional<Precise> compare(const Tree& tree, const Expr& e, const Point& at);
/// Whether the tree has a value in this sense.
[[nodiscard]] bool is_defined(const Tree& tree, const Point& at);

/// How far `derivative` is from the central difference of e by `symbol` with a step of 1e-20, in the same measure.
[[nodiscard]] std::optional<Precise> compare_derivative(const Expr& e, const Expr& derivative,
                                                        const std::string& symbol, const Point& at);

/// e with 60 digits, rounded to double.
[[nodiscard]] std::optional<double> evaluate_precisely(const Expr& e, const Point& at);

}  // namespace kane::test

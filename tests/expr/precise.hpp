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

/// |a - b| / max(1, |a|, |b|) with 60 digits; empty where one of them is not finite.
[[nodiscard]] std::optional<Precise> compare(const Expr& a, const Expr& b, const Point& at);

/// How far `derivative` is from the central difference of e by `symbol` with a step of 1e-20, in the same measure.
[[nodiscard]] std::optional<Precise> compare_derivative(const Expr& e, const Expr& derivative,
                                                        const std::string& symbol, const Point& at);

/// e with 60 digits, rounded to double.
[[nodiscard]] std::optional<double> evaluate_precisely(const Expr& e, const Point& at);

}  // namespace kane::test

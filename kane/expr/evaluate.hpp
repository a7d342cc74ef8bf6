#pragma once
// Numeric values of expressions, for tests, messages and single evaluations; for repeated evaluation use
// kane/program.

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

/// Values of external functions by name.
using FunctionTable = std::map<std::string, std::function<double(std::span<const double>)>, std::less<>>;
/// Values of symbols by name.
using Values = std::map<std::string, double, std::less<>>;

/// The value of an expression. Throws ModelError if a symbol or an external function has no value.
[[nodiscard]] double evaluate(const Expr& e, const Values& symbols, const FunctionTable& functions = {});
/// The same for several expressions.
[[nodiscard]] std::vector<double> evaluate(std::span<const Expr> es, const Values& symbols,
                                           const FunctionTable& functions = {});

// High precision: evaluate_in<T>() in evaluate_in.hpp, for any number type with the usual functions.

}  // namespace kane

#pragma once
// Operation counts after sharing: every node once, however often it is used.

#include <span>
#include <string>

#include "kane/expr/expr.hpp"

namespace kane {

struct OperationCount {
  int mul = 0;
  int add = 0;
  int div = 0;
  int func = 0;

  [[nodiscard]] int total() const { return mul + add + div + func; }
  OperationCount& operator+=(const OperationCount& other);
  friend bool operator==(const OperationCount&, const OperationCount&) = default;
  /// "12 mul, 7 add, 0 div, 4 func".
  [[nodiscard]] std::string to_string() const;
};

/// Multiplications of x^n by repeated squaring: floor(log2 n) + (ones of n) - 1.
[[nodiscard]] int power_chain_length(int n);

/// Operations to compute all of `outputs` together. A negation is free (it fuses into the next operation), x^n counts
/// the multiplications of the shortest binary chain, sin, cos and other functions count one each.
[[nodiscard]] OperationCount count_operations(std::span<const Expr> outputs);
/// The same without operations that depend on none of `variables`: work that can be done once, ahead of time.
[[nodiscard]] OperationCount count_operations(std::span<const Expr> outputs, std::span<const Expr> variables);

}  // namespace kane

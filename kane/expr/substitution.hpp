#pragma once
// A map from symbols to expressions, and its simultaneous application.

#include <initializer_list>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

class Substitution {
 public:
  Substitution() = default;
  Substitution(std::initializer_list<std::pair<Expr, Expr>> pairs);

  /// `symbol` must be a symbol. A later value replaces an earlier one.
  void set(const Expr& symbol, const Expr& value);
  /// Null if the symbol is not mapped.
  [[nodiscard]] const Expr* find(NodeId symbol) const;
  [[nodiscard]] bool empty() const { return map_.empty(); }
  [[nodiscard]] std::size_t size() const { return map_.size(); }

 private:
  std::unordered_map<NodeId, Expr> map_;
};

/// Replaces all symbols at once (the values are not substituted into again).
[[nodiscard]] Expr substitute(const Expr& e, const Substitution& map);
[[nodiscard]] std::vector<Expr> substitute(std::span<const Expr> es, const Substitution& map);

/// Definitions that use one another, in any order: writes each value without any of the symbols. False if they refer to
/// each other in a circle.
[[nodiscard]] bool resolve_definitions(std::span<const Expr> symbols, std::span<Expr> values);

/// Rebuilds an expression in another graph (symbols by name).
[[nodiscard]] Expr copy_to(Graph& target, const Expr& e);
[[nodiscard]] std::vector<Expr> copy_to(Graph& target, std::span<const Expr> es);

}  // namespace kane

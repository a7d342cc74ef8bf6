#pragma once
// Derivatives by the chain rule over the graph; each node is differentiated once per direction.

#include <span>
#include <vector>

#include "kane/expr/expr.hpp"
#include "kane/expr/node_map.hpp"
#include "kane/expr/substitution.hpp"

namespace kane {

/// The derivative along a direction: d(e) = sum over symbols s of (de/ds) rates(s); symbols without a rate are
/// constant. Results are cached, so many expressions share all work. Partial derivatives are the
/// direction {s: 1}; the total time derivative is {q: qdot, u: udot, t: 1, ...}.
class Tangent {
 public:
  /// The derivative along these rates.
  explicit Tangent(Substitution rates) : rates_(std::move(rates)), known_(0, kUnknown) {}
  /// The derivative of one expression.
  [[nodiscard]] Expr operator()(const Expr& e);
  /// The derivatives of several expressions.
  [[nodiscard]] std::vector<Expr> operator()(std::span<const Expr> es);
  /// Supplies the derivative of an expression in a shorter form than the chain rule would give.
  void know(const Expr& e, const Expr& rate);

 private:
  static constexpr NodeId kUnknown = 0xffffffffU;
  void differentiate(NodeId root);

  Substitution rates_;
  Graph* graph_ = nullptr;
  NodeMap<NodeId> known_;  ///< derivatives of nodes
  std::vector<NodeId> stack_;
  std::vector<Expr> x_, dx_;
};

/// Partial derivative with respect to a symbol.
[[nodiscard]] Expr derivative(const Expr& e, const Expr& symbol);
/// The same for several expressions.
[[nodiscard]] std::vector<Expr> derivative(std::span<const Expr> es, const Expr& symbol);

/// Sum of partial derivatives times the given rates of the symbols.
[[nodiscard]] Expr time_derivative(const Expr& e, const Substitution& rates);

/// Sparse Jacobian: only entries that are not identically zero, by rows, columns ascending.
struct Jacobian {
  /// One entry.
  struct Entry {
    int row;     ///< from 0
    int column;  ///< from 0
    Expr value;  ///< not zero
  };
  int rows = 0;                ///< number of outputs
  int columns = 0;             ///< number of inputs
  std::vector<Entry> entries;  ///< entries that are not zero
  /// The value at a place; zero if there is no entry.
  [[nodiscard]] Expr at(int row, int column) const;
};

/// Partial derivatives of the outputs with respect to the inputs, which are symbols.
[[nodiscard]] Jacobian jacobian(std::span<const Expr> outputs, std::span<const Expr> inputs);

}  // namespace kane

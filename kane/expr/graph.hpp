#pragma once
// The interned graph of expressions.
//
// Interning by value. Every node carries a fingerprint: its value at two random points, one in the field of the
// integers modulo p1 = 2^61 - 11913, one modulo p2 = 2^62 - 32345 (fingerprint.hpp). A node whose fingerprint is
// already known *is* the known node; so sin(x)^2 + cos(x)^2 is the node 1, (x^2-1)/(x-1) is the node x+1, and nothing
// can be computed twice. Two different rational functions of degree d collide with a probability of about d^2/(p1
// p2), below 1e-30 for anything that fits in memory.
//
// A class of equal expressions keeps its cheapest known form. The cost of a form is the cost of its operator
// (operators.hpp, at least 1) plus the costs of its operands as trees, saturating at kMaxCost. A form is replaced
// only by a strictly cheaper one. This cannot create a cycle: the cost of a class never grows, so every class
// below saturation costs strictly more than each operand of its form, now and later; and a saturated class has never
// been replaced, so its operands are older than itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/expr/expr.hpp"
#include "kane/expr/fingerprint.hpp"

namespace kane {

/// Limits of a graph.
struct GraphOptions {
  /// The graph refuses to grow past this number of nodes (LimitError).
  std::size_t max_nodes = 100'000'000;
  /// Seed of the random points. Results do not depend on it.
  std::uint64_t seed = 0x4b616e65;
};

/// Owns the nodes of expressions; equal expressions are one node.
class Graph {
 public:
  /// An empty graph.
  explicit Graph(GraphOptions options = {});
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  /// An exact copy: the same nodes at the same indices, and the same results for everything built later. Several
  /// threads may copy one graph as long as no thread adds to it.
  [[nodiscard]] std::unique_ptr<Graph> clone() const;

  // ---- building -----------------------------------------------------------------------------------------------
  /// An exact number.
  Expr number(const Rational& value);
  /// An exact fraction.
  Expr number(std::int64_t numerator, std::int64_t denominator = 1);
  /// The symbol of this name.
  Expr symbol(std::string_view name);
  /// The constant pi.
  Expr pi();
  /// Declares the external function `name`; `derivative_names[i]` names its derivative with respect to argument i (itself
  /// a function of the same arguments, declared on first use). If empty, they are name_1, name_2, ... Declaring
  /// the same function twice with different properties is an error.
  void declare_function(std::string_view name, int arity, std::vector<std::string> derivative_names = {});
  /// Whether the function has been declared.
  [[nodiscard]] bool has_function(std::string_view name) const;
  /// Calls a declared external function; an undeclared one is declared with this arity.
  Expr call(std::string_view name, std::span<const Expr> args);
  /// Name of the derivative of function `name` with respect to argument i (declares it).
  std::string derivative_name(std::string_view name, int i);
  /// Number of arguments of the function.
  [[nodiscard]] int function_arity(std::string_view name) const;
  /// Names of all declared functions.
  [[nodiscard]] std::vector<std::string> function_names() const;

  /// The node of any operator; exponent is for Pow and Root. This is what the functions of expr.hpp call.
  Expr make(Op op, std::span<const Expr> args, int exponent = 0);
  /// The same for one operand, without a span; arithmetic uses unary() and binary().
  Expr unary(Op op, const Expr& a, int exponent = 0);
  /// The same for two operands.
  Expr binary(Op op, const Expr& a, const Expr& b);
  /// Binds a bare number to this graph; checks that other expressions belong to it.
  Expr bind(const Expr& e);
  /// The node with this index.
  [[nodiscard]] Expr at(NodeId id) { return Expr(this, id); }
  /// The symbol of this name if there is one; a bare zero otherwise (check is_symbol()).
  [[nodiscard]] Expr find_symbol(std::string_view name);
  /// All symbols in order of creation.
  [[nodiscard]] std::vector<Expr> symbols();

  // ---- reading (by node index, for traversals) ------------------------------------------------------------------
  /// Number of nodes.
  [[nodiscard]] std::size_t size() const { return size_; }
  /// Operator of the present form of the node.
  [[nodiscard]] Op op(NodeId id) const { return node(id).op; }
  /// Operands of the present form of the node (0 to n).
  [[nodiscard]] std::span<const NodeId> args(NodeId id) const;
  /// Value of a number.
  [[nodiscard]] const Rational& number_value(NodeId id) const;
  /// Name of a symbol or of the function of a Call.
  [[nodiscard]] const std::string& name(NodeId id) const;
  /// Exponent of Pow, index of Root.
  [[nodiscard]] int exponent(NodeId id) const { return static_cast<int>(node(id).b); }
  /// Fingerprint by which equal expressions are recognised.
  [[nodiscard]] Fingerprint fingerprint(NodeId id) const { return node(id).fp; }
  /// Cost of the present form as a tree (saturating).
  [[nodiscard]] std::uint32_t cost(NodeId id) const { return node(id).cost; }
  /// Whether the node is the number 0.
  [[nodiscard]] bool is_zero(NodeId id) const { return id == kZero; }
  /// Whether the node is the number 1.
  [[nodiscard]] bool is_one(NodeId id) const { return id == kOne; }

  /// Total bytes held by the graph.
  [[nodiscard]] std::size_t memory_bytes() const;

  static constexpr NodeId kZero = 0;                   ///< the node of the number 0
  static constexpr NodeId kOne = 1;                    ///< the node of the number 1
  static constexpr std::uint32_t kMaxCost = 1U << 30;  ///< costs saturate here

 private:
  friend class Store;
  friend class Rules;
  struct Node {
    Fingerprint fp;  // 16 bytes
    NodeId a = 0;    // first operand, or index into numbers_, names_, lists_
    NodeId b = 0;    // second operand, or exponent
    std::uint32_t cost = 0;
    Op op = Op::Number;
    std::uint8_t flags = 0;
    std::uint16_t count = 0;  // operands of Select and Call (in lists_)
  };
  static_assert(sizeof(Node) == 32);

  // Nodes live in blocks, so that they never move and growth wastes nothing.
  static constexpr std::size_t kBlockBits = 12;
  static constexpr std::size_t kBlockSize = std::size_t{1} << kBlockBits;
  [[nodiscard]] const Node& node(NodeId id) const { return blocks_[id >> kBlockBits][id & (kBlockSize - 1)]; }
  [[nodiscard]] Node& node(NodeId id) { return blocks_[id >> kBlockBits][id & (kBlockSize - 1)]; }

  NodeId bound_id(const Expr& e) { return e.graph() == this ? e.id() : bind(e).id(); }

  struct State;  // numbers, names, functions, tables of angles (store.hpp)

  std::vector<std::unique_ptr<Node[]>> blocks_;
  std::size_t size_ = 0;
  // Open addressing by fingerprint; a class and its negative share a probe sequence (store.cpp).
  struct Slot {
    std::uint32_t tag = 0;
    NodeId id = kNoNode;
  };
  static constexpr NodeId kNoNode = 0xffffffffU;
  std::vector<Slot> table_;
  std::unique_ptr<State> state_;
  GraphOptions options_;
};

}  // namespace kane

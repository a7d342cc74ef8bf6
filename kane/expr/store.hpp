#pragma once
// Inside of Graph: the tables behind the nodes, and interning. Only graph.cpp, store.cpp and rules.cpp include this.

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kane/expr/graph.hpp"

namespace kane {

struct Graph::State {
  struct SymbolEntry {
    std::string name;
    NodeId node;
  };
  struct FunctionEntry {
    std::string name;
    int arity;
    std::vector<std::string> derivatives;
  };

  std::deque<Rational> numbers;
  std::vector<SymbolEntry> symbols;
  std::unordered_map<std::string, NodeId> symbol_index;
  std::vector<FunctionEntry> functions;
  std::unordered_map<std::string, std::size_t> function_index;
  std::deque<std::vector<NodeId>> lists;  ///< operands of Select and Call; never move, so spans stay valid
  NodeId pi = kNoNode;

  std::unordered_map<NodeId, CirclePoint> points;        ///< of angles met so far
  std::unordered_map<NodeId, Fingerprint> exponentials;  ///< exp of arguments met so far
};

/// Builds nodes whose form is already decided by rules.cpp: computes the fingerprint, finds the class.
class Store {
 public:
  explicit Store(Graph& graph) : graph_(graph), state_(*graph.state_) {}

  NodeId number(const Rational& value);
  NodeId symbol(std::string_view name);
  NodeId pi();
  /// Operators with up to two operands; exponent is for Pow and Root.
  NodeId unary(Op op, NodeId a, int exponent = 0);
  NodeId binary(Op op, NodeId a, NodeId b);
  NodeId select(NodeId condition, NodeId a, NodeId b);
  NodeId call(NodeId function, std::span<const NodeId> args);

  /// The class of this fingerprint or of its negative, if known: {node, is_negative}.
  [[nodiscard]] std::pair<NodeId, bool> find(Fingerprint fp) const;

  static constexpr std::uint8_t kHasRadical = 1;  ///< a sqrt, root or abs among the factors

 private:
  using Node = Graph::Node;

  NodeId intern(Node form);
  NodeId append(const Node& form);
  void improve(NodeId id, const Node& form);
  void insert(Graph::Slot slot);
  void grow_table();
  [[nodiscard]] Fingerprint value(Op op, NodeId a, NodeId b, int exponent);
  [[nodiscard]] CirclePoint circle_point(NodeId angle);
  [[nodiscard]] CirclePoint atom_point(NodeId atom, const Rational& coefficient);
  [[nodiscard]] Fingerprint exponential(NodeId argument);
  [[nodiscard]] std::uint32_t form_cost(const Node& form) const;
  [[nodiscard]] const Node& node(NodeId id) const { return std::as_const(graph_).node(id); }
  [[nodiscard]] Fingerprint fp(NodeId id) const { return node(id).fp; }

  Graph& graph_;
  Graph::State& state_;
};

/// One term of a sum of angles (or exponents): coefficient * atom, where the atom is no sum, negation or multiple.
struct LinearTerm {
  NodeId atom;
  Rational coefficient;
};

/// Splits a node into a linear combination of atoms with rational coefficients; a number is a multiple of the atom 1.
/// Gives up (one term, the node itself) past `max_terms`.
[[nodiscard]] std::vector<LinearTerm> linear_terms(const Graph& graph, NodeId id, std::size_t max_terms = 1000);

}  // namespace kane

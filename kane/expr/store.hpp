#pragma once
// Internal to Graph: the tables behind the nodes, and interning. Included only by the sources of this module.

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
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
  std::deque<SymbolEntry> symbols;  ///< never move: Expr::name() refers to their names
  std::unordered_map<std::string, NodeId> symbol_index;
  std::deque<FunctionEntry> functions;
  std::unordered_map<std::string, std::size_t> function_index;
  std::deque<std::vector<NodeId>> lists;  ///< operands of Select and Call; never move, so spans stay valid
  NodeId pi = kNoNode;
  std::array<NodeId, 64> small_integers;  ///< nodes of 0, 1, 2, ...; kNoNode where there is none yet

  State() { small_integers.fill(kNoNode); }

  std::size_t number_bytes = 0;  ///< taken by the digits of all numbers

  std::unordered_map<NodeId, CirclePoint> points;        ///< by angle, for the angles met so far
  std::unordered_map<NodeId, Fingerprint> exponentials;  ///< exp(x) by x, for the arguments met so far

  /// Results of operations that the rules rewrote because of the form their operands had at that time. Asked again, the
  /// answer is the same even if an operand has found a cheaper form since.
  struct Operation {
    NodeId a = 0;
    NodeId b = 0;  ///< second operand or exponent
    Op op = Op::Number;
    friend bool operator==(const Operation&, const Operation&) = default;
  };
  struct OperationHash {
    std::size_t operator()(const Operation& o) const {
      return field::scramble(((static_cast<std::uint64_t>(o.a) << 32) | o.b) ^
                             field::scramble(static_cast<std::uint64_t>(o.op)));
    }
  };
  std::unordered_map<Operation, NodeId, OperationHash> rewritten;
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

  /// The place of a fingerprint in the table.
  struct Found {
    NodeId node = Graph::kNoNode;  ///< the class of this fingerprint, or else of its negative; kNoNode if neither
    bool negative = false;
    std::uint32_t tag = 0;
    std::size_t slot = 0;  ///< the empty slot where the search ended, if the fingerprint itself is not there

    [[nodiscard]] bool exact() const { return node != Graph::kNoNode && !negative; }
  };
  [[nodiscard]] Found find(Fingerprint fp) const;
  /// The node of this operation if it has been built as it stands.
  [[nodiscard]] std::optional<NodeId> find_form(Op op, NodeId a, NodeId b, int exponent);
  [[nodiscard]] Fingerprint fp(NodeId id) const { return node(id).fp; }

  static constexpr std::uint8_t kHasRadical = 1;  ///< a sqrt, root or abs among the factors

 private:
  using Node = Graph::Node;

  NodeId intern(Node form);
  NodeId append(const Node& form, const Found& place);
  void improve(NodeId id, const Node& form);
  void insert(Graph::Slot slot);
  void grow_table();
  void check_number_size(std::size_t bytes) const;
  [[nodiscard]] Fingerprint value(Op op, NodeId a, NodeId b, int exponent);
  [[nodiscard]] Fingerprint root_of_number(const Rational& radicand) const;
  [[nodiscard]] CirclePoint circle_point(NodeId angle);
  [[nodiscard]] CirclePoint atom_point(NodeId atom, const Rational& coefficient);
  [[nodiscard]] Fingerprint exponential(NodeId argument);
  [[nodiscard]] std::uint32_t form_cost(const Node& form) const;
  [[nodiscard]] const Node& node(NodeId id) const { return std::as_const(graph_).node(id); }

  Graph& graph_;
  Graph::State& state_;
};

/// The residues of a whole number of any size.
[[nodiscard]] inline Fingerprint residues(const mpz_class& z) {
  return {mpz_fdiv_ui(z.get_mpz_t(), field::P1::kPrime), mpz_fdiv_ui(z.get_mpz_t(), field::P2::kPrime)};
}

/// Tells the opaque functions apart.
[[nodiscard]] constexpr std::uint64_t tag_of(Op op, int extra = 0) {
  return (static_cast<std::uint64_t>(op) << 32) | static_cast<std::uint32_t>(extra);
}

/// One term of a sum of angles (or exponents): coefficient * atom, where the atom is not a sum, a negation or a
/// multiple.
struct LinearTerm {
  NodeId atom;
  Rational coefficient;
};

/// Splits a node into a linear combination of atoms with rational coefficients; a number is a multiple of the atom 1.
/// Gives up (one term, the node itself) past `max_terms`.
[[nodiscard]] std::vector<LinearTerm> linear_terms(const Graph& graph, NodeId id, std::size_t max_terms = 1000);

}  // namespace kane

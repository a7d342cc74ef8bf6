#pragma once
// Internal to Graph: the local rules applied before a node is interned. Fingerprints find equality; the rules
// only choose a good form (signs outside, numbers folded, few divisions) and supply what the fingerprints of opaque
// functions cannot know (sqrt(x)^2 = x, sin(-x) = -sin(x), exact values).

#include <optional>
#include <vector>

#include "kane/expr/store.hpp"

namespace kane {

class Rules {
 public:
  explicit Rules(Graph& graph) : graph_(graph), store_(graph) {}

  /// Any operator with a fixed number of operands.
  NodeId make(Op op, NodeId a, NodeId b, NodeId c, int exponent);

  NodeId add(NodeId a, NodeId b);
  NodeId sub(NodeId a, NodeId b);
  NodeId neg(NodeId a);
  NodeId mul(NodeId a, NodeId b);
  NodeId div(NodeId a, NodeId b);
  /// Any integer exponent.
  NodeId pow(NodeId x, int n);
  NodeId sqrt(NodeId x);
  NodeId root(NodeId x, int index);

 private:
  struct Factor {
    NodeId node;
    int exponent;
  };

  NodeId quotient(NodeId a, NodeId b);
  std::optional<NodeId> cancel(NodeId a, NodeId b);
  void few_factors(NodeId id, std::vector<Factor>& factors) const;
  NodeId trigonometric(Op op, NodeId x);
  NodeId function(Op op, NodeId x);
  NodeId two_argument(Op op, NodeId a, NodeId b);
  NodeId select(NodeId condition, NodeId a, NodeId b);
  static constexpr NodeId kZero = Graph::kZero;
  static constexpr NodeId kOne = Graph::kOne;

  NodeId number(const Rational& value) { return store_.number(value); }

  NodeId root_of_number(const Rational& value, int index);
  NodeId root_of_expression(NodeId x, int index);
  void check_domain(Op op, const Rational& x) const;
  std::optional<NodeId> rewrite_function(Op op, NodeId x);
  std::optional<NodeId> fold(Op op, const Rational& a, const Rational& b);
  std::optional<NodeId> take_out_turns(Op op, NodeId x);
  std::optional<NodeId> trigonometric_of_inverse(Op op, NodeId angle);
  std::optional<NodeId> exact_cosine(const Rational& half_turns);
  [[nodiscard]] std::optional<Rational> exact_angle(Op op, NodeId x) const;
  bool collect_factors(NodeId id, int exponent, std::vector<Factor>& factors, bool& negative) const;
  std::optional<NodeId> reduce_radicals(Op op, NodeId a, NodeId b, int exponent);
  std::optional<NodeId> reduce_factors(const std::vector<Factor>& factors);

  [[nodiscard]] std::optional<NodeId> find_rewritten(Op op, NodeId a, NodeId b) const;
  NodeId remember(Op op, NodeId a, NodeId b, NodeId result);

  [[nodiscard]] Op op(NodeId id) const { return graph_.op(id); }
  [[nodiscard]] NodeId arg(NodeId id, std::size_t i) const { return graph_.args(id)[i]; }
  [[nodiscard]] bool is_number(NodeId id) const { return op(id) == Op::Number; }
  [[nodiscard]] const Rational& value(NodeId id) const { return graph_.number_value(id); }
  [[nodiscard]] bool has_radical(NodeId id) const {
    return (std::as_const(graph_).node(id).flags & Store::kHasRadical) != 0;
  }

  Graph& graph_;
  Store store_;
};

}  // namespace kane

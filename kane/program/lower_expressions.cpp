#include "kane/program/lower_expressions.hpp"

#include <algorithm>
#include <numbers>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

/// Opcode of an operator that is a function in the draft.
Code code_of(Op op) {
  switch (op) {
    case Op::Sqrt: return Code::Sqrt;
    case Op::Root: return Code::Root;
    case Op::Sin: return Code::Sin;
    case Op::Cos: return Code::Cos;
    case Op::Tan: return Code::Tan;
    case Op::Asin: return Code::Asin;
    case Op::Acos: return Code::Acos;
    case Op::Atan: return Code::Atan;
    case Op::Atan2: return Code::Atan2;
    case Op::Sinh: return Code::Sinh;
    case Op::Cosh: return Code::Cosh;
    case Op::Tanh: return Code::Tanh;
    case Op::Exp: return Code::Exp;
    case Op::Log: return Code::Log;
    case Op::Abs: return Code::Abs;
    case Op::Sign: return Code::Sign;
    case Op::Min: return Code::Min;
    case Op::Max: return Code::Max;
    case Op::Floor: return Code::Floor;
    case Op::Mod: return Code::Mod;
    case Op::Less: return Code::Less;
    case Op::LessEqual: return Code::LessEqual;
    case Op::Equal: return Code::Equal;
    case Op::Select: return Code::Select;
    default: break;
  }
  ensure(false, "the operator '{}' has no opcode", info(op).name);
  return Code::Neg;
}

/// Functions that jump. A quotient below one of them is divided as it is written: 49 (1/49) is not 1, and
/// floor(49/49) must be.
bool jumps(Op op) {
  return op == Op::Floor || op == Op::Mod || op == Op::Sign || op == Op::Less || op == Op::LessEqual || op == Op::Equal;
}

constexpr std::uint32_t kNowhere = 0xffffffffU;

/// Marks the nodes that the outputs need; how many those are.
std::size_t mark_needed(const Graph& graph, std::span<const Expr> outputs, std::vector<std::uint8_t>& marks) {
  std::vector<NodeId> passed;
  std::size_t count = 0, end = graph.size();
  const auto need = [&](NodeId id) {
    if (marks[id] != 0) return;
    marks[id] = 1;
    ++count;
    if (id >= end) passed.push_back(id);  // the walk below has passed it
  };
  for (const Expr& e : outputs)
    if (e.graph() != nullptr) need(e.id());
  while (end > 0) {
    if (marks[--end] == 0) continue;
    for (const NodeId arg : graph.args(static_cast<NodeId>(end))) need(arg);
    while (!passed.empty()) {
      const NodeId id = passed.back();
      passed.pop_back();
      for (const NodeId arg : graph.args(id)) need(arg);
    }
  }
  return count;
}

/// Nodes are taken in the order in which they were made: what was formed together is computed together. But an operand
/// comes before its users, also where a shorter form found later has operands that are younger than itself. From then
/// on a node is its place in this order.
///
/// Sums of sums and products of products become one on the way, where nothing else uses the inner one (as flatten.hpp
/// says, but without the detour over a draft that has them all).
class Lowering {
 public:
  Lowering(Graph& graph, std::span<const Expr> outputs, std::span<const std::string> inputs, bool flat, Draft& draft)
      : graph_(graph), draft_(draft), flat_(flat), places_(graph.size(), kNowhere) {
    std::vector<std::uint8_t> waits(graph.size(), 0);
    const std::size_t count = mark_needed(graph, outputs, waits);
    nodes_.reserve(count + 1);
    operands_.reserve(2 * count);
    for (NodeId id = 0; nodes_.size() < count; ++id) {
      if (waits[id] == 0) continue;
      std::uint8_t missing = 0;
      for (const NodeId arg : graph.args(id)) missing |= waits[arg];
      if (missing != 0)
        add(id, waits);
      else
        append(id);
      waits[id] = 0;
    }
    nodes_.push_back({.first_operand = static_cast<std::uint32_t>(operands_.size())});
    for (const Expr& e : outputs)
      if (e.graph() != nullptr) ++nodes_[nodes_[places_[e.id()]].link.value()].uses;
    take_inputs(inputs);
  }

  void run() {
    const auto count = static_cast<std::uint32_t>(nodes_.size() - 1);
    draft_.reserve(count / 2);
    for (std::uint32_t i = 0; i < count; ++i)
      if (!nodes_[i].is_input && nodes_[i].kind != Kind::Negative) lower(i);
  }

  [[nodiscard]] Ref value(NodeId id) const { return value_at(places_[id]); }

 private:
  enum class Kind : std::uint8_t { Other, Negative, Sum, Product };
  struct Node {
    NodeId id = 0;
    std::uint32_t first_operand = 0;  ///< in operands_; they end where those of the next node begin
    Ref link{};                       ///< for a negative, what it is the negative of; otherwise the node itself
    Ref value{};
    std::uint32_t uses = 0;
    std::uint32_t user = 0;  ///< the last one
    Op op = Op::Number;
    Kind kind = Kind::Other;
    bool is_input = false;
    bool absorbed = false;  ///< part of its only user
  };

  static Kind kind_of(Op op) {
    switch (op) {
      case Op::Neg: return Kind::Negative;
      case Op::Add:
      case Op::Sub: return Kind::Sum;
      case Op::Mul:
      case Op::Div:
      case Op::Pow: return Kind::Product;
      default: return Kind::Other;
    }
  }

  /// Node `id` after all its operands that still wait.
  void add(NodeId id, std::vector<std::uint8_t>& waits) {
    stack_.push_back(id);
    while (!stack_.empty()) {
      const NodeId next = stack_.back();
      const std::size_t before = stack_.size();
      for (const NodeId arg : graph_.args(next))
        if (waits[arg] != 0) stack_.push_back(arg);
      if (stack_.size() > before) continue;
      stack_.pop_back();
      if (waits[next] != 0) append(next);
      waits[next] = 0;
    }
  }

  void append(NodeId id) {
    const auto place = static_cast<std::uint32_t>(nodes_.size());
    const Op op = graph_.op(id);
    places_[id] = place;
    Node& node = nodes_.emplace_back();
    node.id = id;
    node.first_operand = static_cast<std::uint32_t>(operands_.size());
    node.link = Ref(place);
    node.op = op;
    node.kind = kind_of(op);
    for (const NodeId arg : graph_.args(id)) {
      const std::uint32_t operand = places_[arg];
      operands_.push_back(operand);
      const Ref link = nodes_[operand].link;
      if (op == Op::Neg) {
        node.link = -link;
        continue;
      }
      Node& used = nodes_[link.value()];
      ++used.uses;
      used.user = place;
      if (used.op == Op::Div && jumps(op)) used.kind = Kind::Other;
    }
  }

  void take_inputs(std::span<const std::string> inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Expr symbol = graph_.find_symbol(inputs[i]);
      if (!symbol.is_symbol() || places_[symbol.id()] == kNowhere) continue;
      Node& node = nodes_[places_[symbol.id()]];
      node.value = Ref(static_cast<ValueId>(i));
      node.is_input = true;
    }
    std::string missing;
    int count = 0;
    for (const Node& node : nodes_) {
      if (node.op != Op::Symbol || node.is_input) continue;
      if (++count <= 10) missing += fmt::format("{}'{}'", count == 1 ? "" : ", ", graph_.name(node.id));
    }
    if (count > 10) missing += fmt::format(" and {} more", count - 10);
    require(count == 0, "the expressions use {}, which {} not listed as an input of the program", missing,
            count == 1 ? "is" : "are");
  }

  [[nodiscard]] Ref value_at(std::uint32_t i) const {
    const Ref link = nodes_[i].link;
    return nodes_[link.value()].value.negated_if(link.negative());
  }

  [[nodiscard]] std::span<const std::uint32_t> operands_of(std::uint32_t i) const {
    return {operands_.data() + nodes_[i].first_operand, nodes_[i + 1].first_operand - nodes_[i].first_operand};
  }

  /// (x y)^2 stays: x^2 y^2 would take one multiplication more.
  [[nodiscard]] bool is_part_of_its_user(const Node& node) const {
    if (!flat_ || node.uses != 1 || node.kind == Kind::Other) return false;
    return nodes_[node.user].kind == node.kind && (nodes_[node.user].op != Op::Pow || exponent(node.user) == -1);
  }

  [[nodiscard]] int exponent(std::uint32_t i) const { return graph_.exponent(nodes_[i].id); }

  void lower(std::uint32_t i) {
    Node& node = nodes_[i];
    node.absorbed = is_part_of_its_user(node);
    if (node.absorbed) return;
    if (node.kind == Kind::Sum)
      node.value = sum(i);
    else if (node.kind == Kind::Product)
      node.value = product(i);
    else
      node.value = other(i);
  }

  Ref other(std::uint32_t i) {
    const NodeId id = nodes_[i].id;
    switch (nodes_[i].op) {
      case Op::Number: return draft_.constant(to_double(graph_.number_value(id)));
      case Op::Pi: return draft_.constant(std::numbers::pi);
      case Op::Div: return function(Code::Div, i, 0);
      case Op::Root: return function(Code::Root, i, static_cast<std::uint32_t>(graph_.exponent(id)));
      case Op::Call: return function(Code::Call, i, function_index(graph_.name(id), operands_of(i).size()));
      default: return function(code_of(nodes_[i].op), i, 0);
    }
  }

  Ref sum(std::uint32_t i) {
    terms_.clear();
    pending_terms_.clear();
    add_terms(i, false);
    while (!pending_terms_.empty()) {
      const Ref inner = pending_terms_.back();
      pending_terms_.pop_back();
      add_terms(inner.value(), inner.negative());
    }
    return draft_.sum(terms_);
  }

  void add_terms(std::uint32_t i, bool negative) {
    const std::uint32_t* const operands = operands_.data() + nodes_[i].first_operand;
    add_term(nodes_[operands[0]].link.negated_if(negative));
    add_term(nodes_[operands[1]].link.negated_if(negative != (nodes_[i].op == Op::Sub)));
  }
  void add_term(Ref link) {
    const Node& node = nodes_[link.value()];
    if (node.absorbed)
      pending_terms_.push_back(link);
    else
      terms_.push_back(node.value.negated_if(link.negative()));
  }

  Ref product(std::uint32_t i) {
    factors_.clear();
    pending_factors_.clear();
    bool negative = false;
    add_factors(i, 1, negative);
    while (!pending_factors_.empty()) {
      const Factor inner = pending_factors_.back();
      pending_factors_.pop_back();
      add_factors(inner.value, inner.exponent, negative);
    }
    return draft_.product(negative, factors_);
  }

  /// Those of node i to the power of `outer`, which is 1 or -1.
  void add_factors(std::uint32_t i, std::int32_t outer, bool& negative) {
    const std::uint32_t* const operands = operands_.data() + nodes_[i].first_operand;
    if (nodes_[i].op == Op::Pow) {
      add_factor(operands[0], outer * exponent(i), negative);
      return;
    }
    add_factor(operands[0], outer, negative);
    add_factor(operands[1], nodes_[i].op == Op::Div ? -outer : outer, negative);
  }
  void add_factor(std::uint32_t operand, std::int32_t exponent, bool& negative) {
    const Ref link = nodes_[operand].link;
    const Node& node = nodes_[link.value()];
    negative ^= (link.negative() != node.value.negative()) && (exponent & 1) != 0;
    if (node.absorbed)
      pending_factors_.push_back({link.value(), exponent});
    else
      factors_.push_back({node.value.value(), exponent});
  }

  Ref function(Code code, std::uint32_t i, std::uint32_t extra) {
    arguments_.clear();
    for (const std::uint32_t operand : operands_of(i)) arguments_.push_back(value_at(operand));
    return draft_.function(code, arguments_, extra);
  }

  std::uint32_t function_index(const std::string& name, std::size_t arity) {
    for (std::size_t i = 0; i < draft_.functions.size(); ++i)
      if (draft_.functions[i].name == name) return static_cast<std::uint32_t>(i);
    draft_.functions.push_back({name, static_cast<int>(arity)});
    return static_cast<std::uint32_t>(draft_.functions.size() - 1);
  }

  Graph& graph_;
  Draft& draft_;
  bool flat_;
  std::vector<std::uint32_t> places_;  ///< by NodeId; kNowhere if not needed
  std::vector<Node> nodes_;            ///< and one more at the end
  std::vector<std::uint32_t> operands_;
  std::vector<NodeId> stack_;
  std::vector<Ref> terms_, pending_terms_;
  std::vector<Factor> factors_, pending_factors_;
  std::vector<Ref> arguments_;
};

}  // namespace

void lower_expressions(std::span<const Expr> outputs, std::span<const std::string> inputs, Draft& draft, bool flat) {
  Graph* const graph = common_graph(outputs);
  draft.is_flat = flat;
  if (graph == nullptr) {
    for (const Expr& e : outputs) draft.outputs.push_back(draft.constant(to_double(e.number())));
    return;
  }
  Lowering lowering(*graph, outputs, inputs, flat, draft);
  lowering.run();
  for (const Expr& e : outputs)
    draft.outputs.push_back(e.graph() == nullptr ? draft.constant(to_double(e.number())) : lowering.value(e.id()));
}

}  // namespace kane

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

/// All nodes that the outputs need, in the order in which they were made: what was formed together is computed together. But
/// an operand comes before its users, also where a shorter form found later has operands that are younger than itself.
/// From here on a node is its place in this order.
struct NodesBelow {
  std::vector<NodeId> ids;
  std::vector<std::uint32_t> first{0};  ///< operands of node i are operands[first[i] .. first[i + 1])
  std::vector<std::uint32_t> operands;
  std::vector<std::uint32_t> place;  ///< by NodeId; kNowhere if not needed

  NodesBelow(const Graph& graph, std::span<const Expr> outputs) : place(graph.size(), kNowhere) {
    std::vector<std::uint8_t> waits(graph.size(), 0);
    const std::size_t count = mark(graph, outputs, waits);
    ids.reserve(count);
    first.reserve(count + 1);
    operands.reserve(2 * count);
    for (NodeId id = 0; ids.size() < count; ++id)
      if (waits[id] != 0) add(graph, id, waits);
  }

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(ids.size()); }
  [[nodiscard]] std::span<const std::uint32_t> operands_of(std::uint32_t i) const {
    return {operands.data() + first[i], first[i + 1] - first[i]};
  }

 private:
  /// Marks what the outputs need; how many nodes that are.
  std::size_t mark(const Graph& graph, std::span<const Expr> outputs, std::vector<std::uint8_t>& waits) {
    std::size_t count = 0, end = graph.size();
    const auto need = [&](NodeId id) {
      if (waits[id] != 0) return;
      waits[id] = 1;
      ++count;
      if (id >= end) stack_.push_back(id);  // the walk below has passed it
    };
    for (const Expr& e : outputs)
      if (e.graph() != nullptr) need(e.id());
    while (end > 0) {
      if (waits[--end] == 0) continue;
      stack_.push_back(static_cast<NodeId>(end));
      while (!stack_.empty()) {
        const NodeId id = stack_.back();
        stack_.pop_back();
        for (const NodeId arg : graph.args(id)) need(arg);
      }
    }
    return count;
  }

  /// Node `id` after all its operands that still wait.
  void add(const Graph& graph, NodeId id, std::vector<std::uint8_t>& waits) {
    stack_.push_back(id);
    while (!stack_.empty()) {
      const NodeId next = stack_.back();
      const auto args = graph.args(next);
      const auto missing = std::find_if(args.begin(), args.end(), [&](NodeId arg) { return waits[arg] != 0; });
      if (missing != args.end()) {
        stack_.push_back(*missing);
        continue;
      }
      stack_.pop_back();
      waits[next] = 0;
      place[next] = size();
      ids.push_back(next);
      for (const NodeId arg : args) operands.push_back(place[arg]);
      first.push_back(static_cast<std::uint32_t>(operands.size()));
    }
  }

  std::vector<NodeId> stack_;
};

/// Sums of sums and products of products become one on the way, where nothing else uses the inner one (as flatten.hpp says,
/// but without the detour over a draft that has them all).
class Lowering {
 public:
  Lowering(Graph& graph, std::span<const Expr> outputs, std::span<const std::string> inputs, bool flat, Draft& draft)
      : graph_(graph), below_(graph, outputs), draft_(draft), nodes_(below_.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Expr symbol = graph.find_symbol(inputs[i]);
      if (!symbol.is_symbol() || below_.place[symbol.id()] == kNowhere) continue;
      Node& node = nodes_[below_.place[symbol.id()]];
      node.value = Ref(static_cast<ValueId>(i));
      node.kind = Kind::Input;
    }
    link();
    if (flat) absorb(outputs);
  }

  void run() {
    draft_.reserve(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].kind != Kind::Input && nodes_[i].kind != Kind::Negative && !nodes_[i].absorbed)
        nodes_[i].value = lower(i);
  }

  [[nodiscard]] Ref value(NodeId id) const { return value_at(below_.place[id]); }

 private:
  enum class Kind : std::uint8_t { Other, Input, Negative, Sum, Product };
  struct Node {
    Ref value;
    Ref link;  ///< of a negative what it is the negative of, else the node itself
    std::uint32_t uses = 0;
    Op op = Op::Number;
    Kind kind = Kind::Other;
    bool exact = false;     ///< a quotient to be divided as it is written
    bool absorbed = false;  ///< part of its only user
  };

  [[nodiscard]] Ref value_at(std::uint32_t i) const {
    const Ref link = nodes_[i].link;
    return nodes_[link.value()].value.negated_if(link.negative());
  }

  void link() {
    std::string missing;
    int unknown = 0;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      Node& node = nodes_[i];
      node.op = graph_.op(below_.ids[i]);
      node.link = Ref(i);
      switch (node.op) {
        case Op::Symbol:
          if (node.kind != Kind::Input && ++unknown <= 10)
            missing += fmt::format("{}'{}'", unknown == 1 ? "" : ", ", graph_.name(below_.ids[i]));
          break;
        case Op::Neg:
          node.kind = Kind::Negative;
          node.link = -nodes_[below_.operands[below_.first[i]]].link;
          break;
        case Op::Add:
        case Op::Sub: node.kind = Kind::Sum; break;
        case Op::Mul:
        case Op::Div:
        case Op::Pow: node.kind = Kind::Product; break;
        default: break;
      }
      if (jumps(node.op))
        for (const std::uint32_t operand : below_.operands_of(i)) {
          Node& quotient = nodes_[nodes_[operand].link.value()];
          quotient.exact = quotient.op == Op::Div;
          if (quotient.exact) quotient.kind = Kind::Other;
        }
    }
    if (unknown > 10) missing += fmt::format(" and {} more", unknown - 10);
    if (unknown > 0)
      require(false, "the expressions use {}, which {} not listed as an input of the program", missing,
              unknown == 1 ? "is" : "are");
  }

  void absorb(std::span<const Expr> outputs) {
    for (const Expr& e : outputs)
      if (e.graph() != nullptr) ++nodes_[nodes_[below_.place[e.id()]].link.value()].uses;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].kind != Kind::Negative)
        for (const std::uint32_t operand : below_.operands_of(i)) ++nodes_[nodes_[operand].link.value()].uses;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      const Kind kind = nodes_[i].kind;
      // (x y)^2 stays: x^2 y^2 would take one multiplication more.
      if ((kind != Kind::Sum && kind != Kind::Product) || (nodes_[i].op == Op::Pow && exponent(i) != -1)) continue;
      for (const std::uint32_t operand : below_.operands_of(i)) {
        Node& inner = nodes_[nodes_[operand].link.value()];
        inner.absorbed = inner.kind == kind && inner.uses == 1;
      }
    }
  }

  [[nodiscard]] int exponent(std::uint32_t i) const { return graph_.exponent(below_.ids[i]); }

  Ref lower(std::uint32_t i) {
    const NodeId id = below_.ids[i];
    switch (nodes_[i].op) {
      case Op::Number: return draft_.constant(to_double(graph_.number_value(id)));
      case Op::Pi: return draft_.constant(std::numbers::pi);
      case Op::Add:
      case Op::Sub: return sum(i);
      case Op::Div:
        if (nodes_[i].exact) return function(Code::Div, i, 0);
        return product(i);
      case Op::Mul:
      case Op::Pow: return product(i);
      case Op::Root: return function(Code::Root, i, static_cast<std::uint32_t>(graph_.exponent(id)));
      case Op::Call: return function(Code::Call, i, function_index(graph_.name(id), below_.operands_of(i).size()));
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
    const std::uint32_t* const operands = below_.operands.data() + below_.first[i];
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
    const std::uint32_t* const operands = below_.operands.data() + below_.first[i];
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
    for (const std::uint32_t operand : below_.operands_of(i)) arguments_.push_back(value_at(operand));
    return draft_.function(code, arguments_, extra);
  }

  std::uint32_t function_index(const std::string& name, std::size_t arity) {
    for (std::size_t i = 0; i < draft_.functions.size(); ++i)
      if (draft_.functions[i].name == name) return static_cast<std::uint32_t>(i);
    draft_.functions.push_back({name, static_cast<int>(arity)});
    return static_cast<std::uint32_t>(draft_.functions.size() - 1);
  }

  const Graph& graph_;
  const NodesBelow below_;
  Draft& draft_;
  std::vector<Node> nodes_;
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

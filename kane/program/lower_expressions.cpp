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

class Lowering {
 public:
  Lowering(Graph& graph, std::span<const std::string> inputs, Draft& draft)
      : graph_(graph), draft_(draft), values_(graph.size()) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Expr symbol = graph.find_symbol(inputs[i]);
      if (symbol.is_symbol()) set(symbol.id(), Ref(static_cast<ValueId>(i)));
    }
  }

  void run(const std::vector<NodeId>& order) {
    check_symbols(order);
    exact_.assign(graph_.size(), false);
    for (const NodeId id : order)
      if (jumps(graph_.op(id)))
        for (const NodeId arg : graph_.args(id)) exact_[arg] = true;
    for (const NodeId id : order)
      if (graph_.op(id) != Op::Symbol) set(id, lower(id));
  }

  [[nodiscard]] Ref value(NodeId id) const { return values_[id].ref; }

 private:
  struct Value {
    Ref ref;
    bool known = false;
  };

  void set(NodeId id, Ref ref) { values_[id] = {ref, true}; }

  void check_symbols(const std::vector<NodeId>& order) const {
    std::string missing;
    int count = 0;
    for (const NodeId id : order) {
      if (graph_.op(id) != Op::Symbol || values_[id].known) continue;
      if (++count <= 10) missing += fmt::format("{}'{}'", count == 1 ? "" : ", ", graph_.name(id));
    }
    if (count > 10) missing += fmt::format(" and {} more", count - 10);
    require(count == 0, "the expressions use {}, which {} not listed as an input of the program", missing,
            count == 1 ? "is" : "are");
  }

  Ref lower(NodeId id) {
    const Op op = graph_.op(id);
    const auto args = graph_.args(id);
    const auto arg = [&](std::size_t i) { return values_[args[i]].ref; };
    switch (op) {
      case Op::Number: return draft_.constant(to_double(graph_.number_value(id)));
      case Op::Pi: return draft_.constant(std::numbers::pi);
      case Op::Neg: return -arg(0);
      case Op::Add: return sum(arg(0), arg(1));
      case Op::Sub: return sum(arg(0), -arg(1));
      case Op::Mul: return product({arg(0).value(), 1}, {arg(1).value(), 1}, arg(0).negative() != arg(1).negative());
      case Op::Div:
        if (exact_[id]) return function(Code::Div, args, 0);
        return product({arg(0).value(), 1}, {arg(1).value(), -1}, arg(0).negative() != arg(1).negative());
      case Op::Pow: return power(arg(0), graph_.exponent(id));
      case Op::Root: return function(Code::Root, args, static_cast<std::uint32_t>(graph_.exponent(id)));
      case Op::Call: return function(Code::Call, args, function_index(graph_.name(id), args.size()));
      default: return function(code_of(op), args, 0);
    }
  }

  Ref sum(Ref a, Ref b) {
    const Ref terms[] = {a, b};
    return draft_.sum(terms);
  }

  Ref product(Factor a, Factor b, bool negative) {
    const Factor factors[] = {a, b};
    return draft_.product(negative, factors);
  }

  Ref power(Ref base, int exponent) {
    const Factor factor{base.value(), exponent};
    return draft_.product(base.negative() && exponent % 2 != 0, {&factor, 1});
  }

  Ref function(Code code, std::span<const NodeId> args, std::uint32_t extra) {
    arguments_.clear();
    for (const NodeId a : args) arguments_.push_back(values_[a].ref);
    return draft_.function(code, arguments_, extra);
  }

  std::uint32_t function_index(const std::string& name, std::size_t arity) {
    for (std::size_t i = 0; i < draft_.functions.size(); ++i)
      if (draft_.functions[i].name == name) return static_cast<std::uint32_t>(i);
    draft_.functions.push_back({name, static_cast<int>(arity)});
    return static_cast<std::uint32_t>(draft_.functions.size() - 1);
  }

  const Graph& graph_;
  Draft& draft_;
  std::vector<Value> values_;
  std::vector<bool> exact_;
  std::vector<Ref> arguments_;
};

/// All nodes that the outputs need, in the order in which they were made: what was formed together is computed together. But
/// an operand comes before its users, also where a shorter form found later has operands that are younger than itself.
std::vector<NodeId> nodes_below(const Graph& graph, std::span<const Expr> outputs) {
  std::vector<std::uint8_t> waits(graph.size(), 0);
  std::vector<NodeId> stack;
  std::size_t count = 0, end = graph.size();
  const auto need = [&](NodeId id) {
    if (waits[id] != 0) return;
    waits[id] = 1;
    ++count;
    if (id >= end) stack.push_back(id);  // the walk below has passed it
  };
  for (const Expr& e : outputs)
    if (e.graph() != nullptr) need(e.id());
  while (end > 0) {
    if (waits[--end] != 0) stack.push_back(static_cast<NodeId>(end));
    while (!stack.empty()) {
      const NodeId id = stack.back();
      stack.pop_back();
      for (const NodeId arg : graph.args(id)) need(arg);
    }
  }
  std::vector<NodeId> order;
  order.reserve(count);
  for (NodeId id = 0; order.size() < count; ++id) {
    if (waits[id] == 0) continue;
    stack.push_back(id);
    while (!stack.empty()) {
      const auto args = graph.args(stack.back());
      const auto first = std::find_if(args.begin(), args.end(), [&](NodeId arg) { return waits[arg] != 0; });
      if (first != args.end()) {
        stack.push_back(*first);
        continue;
      }
      order.push_back(stack.back());
      waits[stack.back()] = 0;
      stack.pop_back();
    }
  }
  return order;
}

}  // namespace

void lower_expressions(std::span<const Expr> outputs, std::span<const std::string> inputs, Draft& draft) {
  Graph* const graph = common_graph(outputs);
  if (graph == nullptr) {
    for (const Expr& e : outputs) draft.outputs.push_back(draft.constant(to_double(e.number())));
    return;
  }
  Lowering lowering(*graph, inputs, draft);
  const std::vector<NodeId> order = nodes_below(*graph, outputs);
  draft.reserve(order.size());
  lowering.run(order);
  for (const Expr& e : outputs)
    draft.outputs.push_back(e.graph() == nullptr ? draft.constant(to_double(e.number())) : lowering.value(e.id()));
}

}  // namespace kane

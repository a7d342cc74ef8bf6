#include "kane/expr/count.hpp"

#include <fmt/format.h>

#include <bit>
#include <vector>

#include "kane/expr/graph.hpp"
#include "kane/expr/node_map.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

OperationCount& OperationCount::operator+=(const OperationCount& other) {
  mul += other.mul, add += other.add, div += other.div, func += other.func;
  return *this;
}

std::string OperationCount::to_string() const {
  return fmt::format("{} mul, {} add, {} div, {} func", mul, add, div, func);
}

int power_chain_length(int n) {
  const auto bits = static_cast<unsigned>(n);
  return static_cast<int>(std::bit_width(bits)) + std::popcount(bits) - 2;
}

namespace {

void count_node(const Graph& graph, NodeId id, OperationCount& count) {
  const Op op = graph.op(id);
  switch (info(op).kind) {
    case OpKind::Leaf:
    case OpKind::Free: break;
    case OpKind::Add: ++count.add; break;
    case OpKind::Mul: count.mul += op == Op::Pow ? power_chain_length(graph.exponent(id)) : 1; break;
    case OpKind::Div: ++count.div; break;
    case OpKind::Function: ++count.func; break;
  }
}

}  // namespace

OperationCount count_operations(std::span<const Expr> outputs) {
  OperationCount count;
  const Graph* graph = common_graph(outputs);
  for (const NodeId id : topological_order(outputs)) count_node(*graph, id, count);
  return count;
}

OperationCount count_operations(std::span<const Expr> outputs, std::span<const Expr> variables) {
  OperationCount count;
  const Graph* graph = common_graph(outputs);
  if (graph == nullptr) return count;
  NodeMap<bool> varies(graph->size(), false);
  for (const auto& variable : variables)
    if (variable.graph() == graph) varies.set(variable.id(), true);
  for (const NodeId id : topological_order(outputs)) {
    for (const NodeId arg : graph->args(id))
      if (varies[arg]) varies.set(id, true);
    if (varies[id]) count_node(*graph, id, count);
  }
  return count;
}

}  // namespace kane

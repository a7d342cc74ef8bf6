#include "kane/expr/traverse.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/node_map.hpp"

namespace kane {

std::vector<NodeId> topological_order(const Graph& graph, std::span<const NodeId> roots) {
  std::vector<NodeId> order;
  NodeMap<bool> done(graph.size(), false);
  struct Open {
    NodeId id;
    std::uint32_t next;
  };
  std::vector<Open> stack;
  for (const NodeId root : roots) {
    if (!done.change(root, true)) continue;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [id, next] = stack.back();
      const auto args = graph.args(id);
      if (next == args.size()) {
        order.push_back(id);
        stack.pop_back();
        continue;
      }
      const NodeId arg = args[next++];
      if (done.change(arg, true)) stack.push_back({arg, 0});
    }
  }
  return order;
}

Graph* common_graph(std::span<const Expr> exprs) {
  Graph* graph = nullptr;
  for (const auto& e : exprs) {
    if (e.graph() == nullptr) continue;
    if (graph != nullptr && graph != e.graph())
      throw ModelError(fmt::format("the expression '{}' belongs to another graph", e.to_string()));
    graph = e.graph();
  }
  return graph;
}

std::vector<NodeId> topological_order(std::span<const Expr> roots) {
  const Graph* graph = common_graph(roots);
  if (graph == nullptr) return {};
  std::vector<NodeId> ids;
  for (const auto& root : roots)
    if (root.graph() != nullptr) ids.push_back(root.id());
  return topological_order(*graph, ids);
}

std::vector<Expr> symbols_of(std::span<const Expr> roots) {
  Graph* graph = common_graph(roots);
  std::vector<NodeId> ids;
  for (const NodeId id : topological_order(roots))
    if (graph->op(id) == Op::Symbol) ids.push_back(id);
  std::sort(ids.begin(), ids.end());
  std::vector<Expr> symbols;
  for (const NodeId id : ids) symbols.push_back(graph->at(id));
  return symbols;
}

bool depends_on(const Expr& e, const Expr& symbol) {
  ensure(symbol.is_symbol(), "depends_on asks for a symbol");
  const auto order = topological_order({&e, 1});
  return e.graph() == symbol.graph() && std::find(order.begin(), order.end(), symbol.id()) != order.end();
}

}  // namespace kane

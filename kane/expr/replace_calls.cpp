#include "kane/expr/replace_calls.hpp"

#include "kane/expr/rebuild.hpp"

namespace kane {

std::vector<Expr> replace_calls(std::span<const Expr> es, const CallReplacement& replacement) {
  Graph* graph = common_graph(es);
  if (graph == nullptr) return {es.begin(), es.end()};
  return rebuild(
      *graph, *graph, es, [&](NodeId id) { return graph->at(id); }, replacement);
}

}  // namespace kane

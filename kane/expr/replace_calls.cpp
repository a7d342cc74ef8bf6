#include "kane/expr/replace_calls.hpp"

#include "kane/base/error.hpp"
#include "kane/expr/rebuild.hpp"

namespace kane {

std::vector<Expr> replace_calls(Graph& target, std::span<const Expr> es, const CallReplacement& replacement) {
  Graph* source = common_graph(es);
  if (source == nullptr) return {es.begin(), es.end()};
  ensure(source != &target, "calls are replaced within one graph");
  return rebuild(
      *source, target, es, [&](NodeId id) { return copy_leaf(*source, target, id); }, replacement);
}

}  // namespace kane

#include "kane/expr/substitution.hpp"

#include "kane/base/error.hpp"
#include "kane/expr/rebuild.hpp"

namespace kane {

Substitution::Substitution(std::initializer_list<std::pair<Expr, Expr>> pairs) {
  for (const auto& [symbol, value] : pairs) set(symbol, value);
}

void Substitution::set(const Expr& symbol, const Expr& value) {
  if (!symbol.is_symbol()) throw ModelError(fmt::format("only a symbol can be replaced, not '{}'", symbol.to_string()));
  map_[symbol.id()] = value;
}

const Expr* Substitution::find(NodeId symbol) const {
  const auto found = map_.find(symbol);
  return found == map_.end() ? nullptr : &found->second;
}

std::vector<Expr> substitute(std::span<const Expr> es, const Substitution& map) {
  Graph* graph = common_graph(es);
  if (graph == nullptr || map.empty()) return {es.begin(), es.end()};
  return rebuild(*graph, *graph, es, [&](NodeId id) {
    const Expr* value = map.find(id);
    return value == nullptr ? graph->at(id) : graph->bind(*value);
  });
}

Expr substitute(const Expr& e, const Substitution& map) {
  return substitute(std::span<const Expr>(&e, 1), map).front();
}

std::vector<Expr> copy_to(Graph& target, std::span<const Expr> es) {
  Graph* source = common_graph(es);
  if (source == nullptr || source == &target) return {es.begin(), es.end()};
  return rebuild(*source, target, es, [&](NodeId id) { return copy_leaf(*source, target, id); });
}

Expr copy_to(Graph& target, const Expr& e) { return copy_to(target, std::span<const Expr>(&e, 1)).front(); }

}  // namespace kane

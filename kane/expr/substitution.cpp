#include "kane/expr/substitution.hpp"

#include <algorithm>

#include "kane/base/error.hpp"

#include "kane/expr/rebuild.hpp"
#include "kane/expr/traverse.hpp"

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

namespace {

std::vector<Expr> replace(Graph& graph, std::span<const Expr> es, const Substitution& map) {
  return rebuild(graph, graph, es, [&](NodeId id) {
    const Expr* value = map.find(id);
    return value == nullptr ? graph.at(id) : graph.bind(*value);
  });
}

/// Symbols that were replaced and are still there. A node may be written with a symbol that its value does not depend on,
/// such as a (x + b) - a x: with y for x the value is the same, and so is the node.
Substitution find_leftovers(std::span<const Expr> before, std::span<const Expr> after, const Substitution& map) {
  std::vector<Expr> left;
  for (const Expr& s : symbols_of(after))
    if (map.find(s.id()) != nullptr) left.push_back(s);
  Substitution leftovers;
  if (left.empty()) return leftovers;
  std::vector<Expr> values;
  for (const Expr& s : symbols_of(before))
    if (const Expr* value = map.find(s.id())) values.push_back(*value);
  const std::vector<Expr> meant = symbols_of(values);  // these come from the values themselves
  for (const Expr& s : left)
    if (std::find(meant.begin(), meant.end(), s) == meant.end()) leftovers.set(s, 0);
  return leftovers;
}

}  // namespace

std::vector<Expr> substitute(std::span<const Expr> es, const Substitution& map) {
  Graph* graph = common_graph(es);
  if (graph == nullptr || map.empty()) return {es.begin(), es.end()};
  std::vector<Expr> result = replace(*graph, es, map);
  const Substitution leftovers = find_leftovers(es, result, map);
  if (leftovers.empty()) return result;
  try {
    return replace(*graph, result, leftovers);  // their value does not matter; zero makes terms vanish
  } catch (const ModelError&) {
    return result;  // written with a quotient by the symbol
  }
}

Expr substitute(const Expr& e, const Substitution& map) {
  return substitute(std::span<const Expr>(&e, 1), map).front();
}

bool resolve_definitions(std::span<const Expr> symbols, std::span<Expr> values) {
  for (std::size_t round = 0; round <= values.size(); ++round) {  // each round resolves one level
    Substitution once;
    for (std::size_t i = 0; i < values.size(); ++i) once.set(symbols[i], values[i]);
    bool changed = false;
    for (Expr& value : values) {
      const Expr next = substitute(value, once);
      changed = changed || !(next == value);
      value = next;
    }
    if (!changed) return true;
  }
  return false;
}

std::vector<Expr> copy_to(Graph& target, std::span<const Expr> es) {
  Graph* source = common_graph(es);
  if (source == nullptr || source == &target) return {es.begin(), es.end()};
  return rebuild(*source, target, es, [&](NodeId id) { return copy_leaf(*source, target, id); });
}

Expr copy_to(Graph& target, const Expr& e) { return copy_to(target, std::span<const Expr>(&e, 1)).front(); }

}  // namespace kane

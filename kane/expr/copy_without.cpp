#include "kane/expr/copy_without.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/rebuild.hpp"

namespace kane {
namespace {

std::vector<Expr> copy_with_value(std::span<const Expr> symbols, int value, Graph& source, Graph& target,
                                  std::span<const Expr> es) {
  return rebuild(source, target, es, [&](NodeId id) {
    const bool left_out = std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return s.id() == id; });
    return left_out ? target.number(value) : copy_leaf(source, target, id);
  });
}

}  // namespace

std::optional<std::vector<Expr>> copy_without(std::span<const Expr> symbols, Graph& target, std::span<const Expr> es) {
  Graph* const source = common_graph(es);
  if (source == nullptr) return std::vector<Expr>(es.begin(), es.end());
  // Any two values of the symbols must give the same nodes. Zero and small numbers may hit a divisor by chance.
  constexpr int kFirst = 0, kSecond = 7919, kThird = 104729;
  try {
    std::vector<Expr> first = copy_with_value(symbols, kFirst, *source, target, es);
    if (first == copy_with_value(symbols, kSecond, *source, target, es)) return first;
  } catch (const ModelError&) {  // a division by zero
    std::vector<Expr> first = copy_with_value(symbols, kSecond, *source, target, es);
    if (first == copy_with_value(symbols, kThird, *source, target, es)) return first;
  }
  return std::nullopt;
}

}  // namespace kane

#pragma once
// Internal to expr: rebuilding nodes from new operands, the common core of substitution and copying.

#include <span>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/expr/tape.hpp"

namespace kane {

/// A number, a symbol (by name) or pi in another graph.
[[nodiscard]] inline Expr copy_leaf(const Graph& source, Graph& target, NodeId id) {
  switch (source.op(id)) {
    case Op::Number: return target.number(source.number_value(id));
    case Op::Symbol: return target.symbol(source.name(id));
    default: return target.pi();
  }
}

/// Rebuilds `roots` in `target` with every leaf replaced by leaf(id), and every call of an external function by
/// call(name, arguments).
template <class Leaf, class Call>
[[nodiscard]] std::vector<Expr> rebuild(Graph& source, Graph& target, std::span<const Expr> roots, Leaf leaf,
                                        Call call) {
  const Tape tape = record(source, roots);
  std::vector<Expr> built(tape.entries.size()), args;
  for (std::size_t i = 0; i < tape.entries.size(); ++i) {
    const auto& entry = tape.entries[i];
    if (entry.count == 0) {
      built[i] = leaf(entry.id);
      continue;
    }
    args.clear();
    bool same = &source == &target;
    for (const auto operand : tape.args(entry)) {
      args.push_back(built[operand]);
      same = same && args.back().graph() == &source && args.back().id() == tape.entries[operand].id;
    }
    if (entry.op == Op::Div && args[1].is_zero()) {
      const Expr divisor = source.at(tape.entries[tape.args(entry)[1]].id);
      throw ModelError(fmt::format("division by '{}', which becomes identically zero", divisor.to_string()));
    }
    if (entry.op == Op::Call)
      built[i] = call(source.name(entry.id), std::span<const Expr>(args));
    else if (same)
      built[i] = source.at(entry.id);
    else
      built[i] = target.make(entry.op, args, entry.exponent);
  }
  std::vector<Expr> results;
  results.reserve(roots.size());
  for (const auto& root : roots) results.push_back(root.graph() == nullptr ? root : built[tape.find(root.id())]);
  return results;
}

/// The same with calls left as they are.
template <class Leaf>
[[nodiscard]] std::vector<Expr> rebuild(Graph& source, Graph& target, std::span<const Expr> roots, Leaf leaf) {
  return rebuild(source, target, roots, leaf, [&](const std::string& name, std::span<const Expr> arguments) {
    return target.call(name, arguments);
  });
}

}  // namespace kane

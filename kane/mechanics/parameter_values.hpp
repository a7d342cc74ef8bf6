#pragma once
// Numbers for the parameters, where the system gives them.

#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

/// Whether an expression has a value by these: it is written with no other symbols, and calls no external functions, whose
/// values a system does not know.
[[nodiscard]] inline bool is_evaluable(const Expr& e, const Values& values) {
  if (e.graph() == nullptr) return true;
  for (const NodeId id : topological_order(std::span(&e, 1))) {
    const Op op = e.graph()->op(id);
    if (op == Op::Call || (op == Op::Symbol && !values.contains(e.graph()->name(id)))) return false;
  }
  return true;
}

/// Values of all parameters that have one (directly, or as an expression of earlier parameters).
[[nodiscard]] inline Values find_parameter_values(const System& system) {
  Values values;
  for (const SymbolWithDefault& p : system.parameters()) {
    if (p.symbol == p.value) continue;
    if (is_evaluable(p.value, values)) values[p.symbol.name()] = evaluate(p.value, values);
  }
  return values;
}

}  // namespace kane

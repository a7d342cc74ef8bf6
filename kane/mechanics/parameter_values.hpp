#pragma once
// Numbers for the parameters, where the system gives them.

#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

/// Values of all parameters that have one (directly, or as an expression of earlier parameters).
[[nodiscard]] inline Values find_parameter_values(const System& system) {
  Values values;
  for (const SymbolWithDefault& p : system.parameters()) {
    if (p.symbol == p.value) continue;
    bool known = true;
    if (p.value.graph() != nullptr) {
      for (const Expr& s : symbols_of(std::span(&p.value, 1))) known = known && values.contains(s.name());
    }
    if (known) values[p.symbol.name()] = evaluate(p.value, values);
  }
  return values;
}

}  // namespace kane

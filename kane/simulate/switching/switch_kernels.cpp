#include "kane/simulate/switching/switch_kernels.hpp"

namespace kane {

Kernel make_guards(const CompiledSystem& system) {
  std::vector<Expr> guards;
  for (const auto& s : system.equations().switches) guards.push_back(s.guard);
  return system.compile("guards", guards);
}

Kernel make_resets(const CompiledSystem& system) {
  std::vector<Expr> values;
  for (const auto& s : system.equations().switches)
    for (const auto& reset : s.resets) values.push_back(reset.value);
  return system.compile_of_state("resets", values);
}

}  // namespace kane

#include "kane/simulate/system/kernel_workshop.hpp"

#include "kane/expr/substitution.hpp"
#include "kane/simulate/system/compiled_system.hpp"
#include "kane/simulate/system/equations_copy.hpp"

namespace kane {

KernelWorkshop::KernelWorkshop(const CompiledSystem& system)
    : system_(system),
      equations_(copy_equations(system.equations())),
      copied_(equations_.graph->size()),
      setting_{equations_,
               {},
               system.inputs(),
               system.setting().functions,
               system.setting().strict,
               system.setting().use_interpreter} {
  for (const auto& law : system.laws()) setting_.laws.set(own(law.symbol), own(law.value));
  for (const Expr& law : system.driven_laws()) driven_laws_.push_back(own(law));
}

Expr KernelWorkshop::own(const Expr& e) const {
  if (e.graph() == nullptr || e.graph() == equations_.graph.get()) return e;
  if (e.graph() == system_.equations().graph.get() && e.id() < copied_) return equations_.graph->at(e.id());
  return copy_to(*equations_.graph, e);
}

std::vector<Expr> KernelWorkshop::own(std::span<const Expr> expressions) const {
  std::vector<Expr> result;
  result.reserve(expressions.size());
  for (const Expr& e : expressions) result.push_back(own(e));
  return result;
}

std::vector<Expr> KernelWorkshop::with_laws(std::span<const Expr> expressions) const {
  return substitute(own(expressions), setting_.laws);
}

Kernel KernelWorkshop::compile(const std::string& name, std::span<const Expr> outputs,
                               std::span<const Expr> further) const {
  KernelMaker maker(setting_);
  maker.add_accelerations(), maker.add_multipliers(), maker.add_arguments(further);
  maker.add_all(own(outputs));
  bool uses_time = false;
  return maker.make(name, uses_time);
}

Kernel KernelWorkshop::compile_of_state(const std::string& name, std::span<const Expr> outputs) const {
  KernelMaker maker(setting_);
  maker.add_all(own(outputs));
  bool uses_time = false;
  return maker.make(name, uses_time);
}

}  // namespace kane

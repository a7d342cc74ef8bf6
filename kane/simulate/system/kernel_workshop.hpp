#pragma once
// A place to form expressions of a compiled system and kernels from them. A CompiledSystem is shared and never changes;
// a workshop has a copy of its equations on its own graph, and belongs to one thread:
//
//     KernelWorkshop shop(system);
//     const EquationsOfMotion& e = shop.equations();
//     const Kernel kernel = shop.compile("stiffness", shop.with_laws(...derivatives of e.rhs...));
//
// Kernels stay valid without the workshop, for as long as the system lives.

#include <span>
#include <string>
#include <vector>

#include "kane/codegen/kernel.hpp"
#include "kane/mechanics/equations.hpp"
#include "kane/simulate/system/kernel_maker.hpp"

namespace kane {

class CompiledSystem;

class KernelWorkshop {
 public:
  explicit KernelWorkshop(const CompiledSystem& system);
  KernelWorkshop(const KernelWorkshop&) = delete;
  KernelWorkshop& operator=(const KernelWorkshop&) = delete;

  [[nodiscard]] const CompiledSystem& system() const { return system_; }
  /// The equations of the system, on the graph of the workshop.
  [[nodiscard]] const EquationsOfMotion& equations() const { return equations_; }
  [[nodiscard]] Graph& graph() const { return *equations_.graph; }
  [[nodiscard]] const KernelSetting& setting() const { return setting_; }
  /// An expression of the system, or of any other graph, on the graph of the workshop.
  [[nodiscard]] Expr own(const Expr& e) const;
  [[nodiscard]] std::vector<Expr> own(std::span<const Expr> expressions) const;
  /// The expressions with the laws of the inputs put in.
  [[nodiscard]] std::vector<Expr> with_laws(std::span<const Expr> expressions) const;
  /// The model's own laws of the inputs that are given from outside nevertheless (CompileOptions::driven_inputs); by
  /// position in CompiledSystem::inputs(). Inputs without a law have a number.
  [[nodiscard]] const std::vector<Expr>& driven_laws() const { return driven_laws_; }

  /// A kernel of q, u, udot, lambda and further symbols (its state, in this order), with the laws of the inputs put in.
  [[nodiscard]] Kernel compile(const std::string& name, std::span<const Expr> outputs,
                               std::span<const Expr> further = {}) const;
  /// A kernel of q and u alone.
  [[nodiscard]] Kernel compile_of_state(const std::string& name, std::span<const Expr> outputs) const;

 private:
  const CompiledSystem& system_;
  EquationsOfMotion equations_;
  std::size_t copied_;  ///< nodes of the system's graph when it was copied
  KernelSetting setting_;
  std::vector<Expr> driven_laws_;
};

}  // namespace kane

#pragma once
// The motion of a system as one program for emit_export(): the rates of all coordinates and speeds with the active
// constraints enforced, then the outputs of the model.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kane/codegen/emit/emit_export.hpp"
#include "kane/simulate/state.hpp"
#include "kane/simulate/system/compiled_system.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"

namespace kane {

struct MotionExportOptions {
  /// The accelerations and multipliers with the active constraints enforced, as kane/mechanics/explicit_motion.hpp forms
  /// them: functions of q, u, t, parameters and inputs.
  std::vector<Expr> udot, multipliers;
  State start;                 ///< on the constraints
  Values parameters;           ///< that differ from their defaults
  std::vector<double> inputs;  ///< values of CompiledSystem::inputs(); empty: their defaults
  double until = 10;           ///< s
  double step = 1e-3;          ///< at most, s
  double output_step = 0;      ///< between printed lines; 0: a thousandth of the run
  /// Writes out calls of functions that a program cannot contain (tables), in the graph given; empty: they stay calls.
  std::function<std::vector<Expr>(Graph& target, std::span<const Expr>)> write_out{};
};

/// Expressions of the workshop with the accelerations and multipliers put in, and the laws of the inputs.
[[nodiscard]] std::vector<Expr> with_motion(const KernelWorkshop& shop, const std::vector<Expr>& udot,
                                            const std::vector<Expr>& multipliers, std::span<const Expr> expressions);

/// Throws ModelError if an output uses the force of a contact: programs that are written out contain no contacts.
void refuse_contact_outputs(const EquationsOfMotion& equations);

/// Columns as `kane simulate` writes them: t, coordinates, speeds, outputs. Throws ModelError if the motion is not
/// determined or the times are out of range.
[[nodiscard]] ExportModel form_motion_export(const CompiledSystem& system, const MotionExportOptions& options);

}  // namespace kane

#pragma once
// The equations of every declared mode of a model, embedded in symbols and compiled: what Gillespie's finite state machine
// switches between.

#include <memory>
#include <vector>

#include "kane/mechanism/mechanism.hpp"
#include "kane/simulate/switching/mode_equations.hpp"

namespace kane {

/// One for each mode, and one for the constraints that are active by themselves if the model declares no modes. Throws
/// ModelError if the constraints of a mode cannot be embedded.
[[nodiscard]] std::vector<std::shared_ptr<const ModeEquations>> form_mode_systems(const Mechanism& mechanism,
                                                                                  const CompileOptions& options = {});

}  // namespace kane

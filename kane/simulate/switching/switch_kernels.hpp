#pragma once
// What the events of a model look at and set, as kernels: the same for located events and for events inside of ticks.

#include "kane/simulate/system/compiled_system.hpp"

namespace kane {

/// The guards of all switches, of q, u, udot and multipliers.
[[nodiscard]] Kernel make_guards(const CompiledSystem& system);
/// The values of all resets, switch by switch, of q and u.
[[nodiscard]] Kernel make_resets(const CompiledSystem& system);

}  // namespace kane

#pragma once
// Second step of the JIT: registers and memory slots for every value.

#include "kane/codegen/jit/machine_program.hpp"

namespace kane {

[[nodiscard]] MachineProgram allocate_registers(const MicroProgram& program, const Target& target);

}  // namespace kane

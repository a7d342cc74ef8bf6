#pragma once
// First step of the JIT: from the opcodes of a Program to operations of the target.

#include "kane/codegen/jit/micro_program.hpp"

namespace kane {

/// `program` must be valid (check_program). Instructions that no output depends on are left out. Where a function is
/// called, all calls whose arguments are known by then are made with it: registers are saved once, and sines and
/// cosines fill vectors.
[[nodiscard]] MicroProgram select_ops(const Program& program, const Target& target);

}  // namespace kane

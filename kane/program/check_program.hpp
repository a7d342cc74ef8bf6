#pragma once
// Checks programs that come from elsewhere: from a file, written by hand, from a pass under test.

#include "kane/program/program.hpp"

namespace kane {

/// Throws ModelError naming the first error: an operand that is not computed before it is used,
/// a stage that reads from a later one, counts that do not add up, an unknown opcode, fused operations in a
/// strict program. A program that passes can be run without any further check.
void check_program(const Program& program);

}  // namespace kane

#pragma once
// Is this a program at all? For programs that came from elsewhere: a file, a hand, a pass under test.

#include "kane/program/program.hpp"

namespace kane {

/// Throws ModelError naming the first thing that is wrong: an operand that is not computed before it is used,
/// a stage that reads from a later one, counts that do not add up, an unknown opcode, fused operations in a
/// strict program. A program that passes can be run without any further check.
void check_program(const Program& program);

}  // namespace kane

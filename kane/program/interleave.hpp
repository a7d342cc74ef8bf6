#pragma once
// Pass: the order of the state stage once more, for machines that are kept busy by independent chains of operations.

#include "kane/program/program.hpp"

namespace kane {

/// What decides how far apart an operation and its user should stand. As it is: AVX-512 on present-day processors.
struct Machine {
  std::uint32_t per_cycle = 2;  ///< operations that start in one cycle
  std::uint32_t latency = 4;    ///< cycles from operands to result of a sum or a product
  std::uint32_t division = 23;  ///< of a division or a square root
  std::uint32_t window = 256;   ///< an operation that is not urgent moves ahead of this many others at most
};

/// Operations as such a machine would start them, two in a cycle, each when its operands are known: in their order, but those
/// first that would otherwise be what everything waits for in the end, like the pivots of a factorisation, one
/// division after the other. A processor executes out of order only what is near; beyond that the order of the
/// instructions must do it. The price is more values to be remembered, so this pays where there are many registers and
/// memory operands are cheap. Called functions stay where they are, and nothing moves across them.
void interleave(Program& program, const Machine& machine = {});

}  // namespace kane

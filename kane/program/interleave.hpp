#pragma once
// Pass: reorders the state stage again, for machines that are kept busy by independent chains of operations.

#include "kane/program/program.hpp"

namespace kane {

/// Decides how far apart an operation and its user should stand. The defaults fit AVX-512 on present-day processors.
struct Machine {
  std::uint32_t per_cycle = 2;  ///< operations that start in one cycle
  std::uint32_t latency = 4;    ///< cycles from operands to result of a sum or a product
  std::uint32_t division = 23;  ///< latency of a division or a square root
  std::uint32_t window = 256;   ///< an operation that is not urgent moves ahead of this many others at most
};

/// Operations as such a machine would start them, two in a cycle, each when its operands are known: in their order,
/// except that those come first on which everything else would wait in the end, such as the pivots of a factorisation,
/// one division after another. A processor reorders only nearby instructions; beyond that the order of the instructions
/// has to provide it. The price is more live values, so this pays off where there are many registers and memory
/// operands are cheap. Called functions stay where they are, and nothing moves across them.
void interleave(Program& program, const Machine& machine = {});

}  // namespace kane

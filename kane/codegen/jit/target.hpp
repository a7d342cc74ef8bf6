#pragma once
// Properties of a machine that register assignment needs.

#include "kane/codegen/isa.hpp"

namespace kane {

struct Target {
  Isa isa;
  int lanes;             ///< 1: scalar instructions
  bool compact = false;  ///< the code will not fit the first instruction cache: shorter is faster

  [[nodiscard]] bool scalar() const { return lanes == 1; }
  [[nodiscard]] int registers() const {
    if (isa == Isa::Avx512) return scalar() && compact ? short_registers() : 32;
    return isa == Isa::Neon ? 32 : 16;
  }
  /// Registers below this have shorter encodings.
  [[nodiscard]] int short_registers() const { return isa == Isa::Neon || (isa == Isa::Avx512 && !scalar()) ? 32 : 16; }
  /// One operand of an instruction may be in memory.
  [[nodiscard]] bool memory_operands() const { return isa != Isa::Neon; }
  /// The result replaces the first operand.
  [[nodiscard]] bool two_operands() const { return isa == Isa::Sse2; }
  [[nodiscard]] bool fused() const { return isa != Isa::Sse2; }
};

}  // namespace kane

#pragma once
// The instruction sets kernels can be made for.

#include <cstdint>
#include <optional>
#include <string_view>

namespace kane {

enum class Isa : std::uint8_t {
  Sse2,    ///< any x86-64
  Avx2,    ///< x86-64 with AVX2 and FMA
  Avx512,  ///< x86-64 with AVX-512 F, DQ and VL
  Neon,    ///< any AArch64
};

[[nodiscard]] std::string_view to_string(Isa isa);
/// Whether this processor (and its operating system) can run it.
[[nodiscard]] bool is_available(Isa isa);
/// The fastest available one; none on a machine the JIT does not support.
[[nodiscard]] std::optional<Isa> find_best_isa();
/// Doubles in a vector register: 2, 4 or 8.
[[nodiscard]] int vector_lanes(Isa isa);

}  // namespace kane

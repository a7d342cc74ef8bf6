#pragma once
// Last step of the JIT: bytes.

#include <array>
#include <cstdint>
#include <vector>

#include "kane/codegen/jit/layout.hpp"
#include "kane/codegen/jit/runtime.hpp"

namespace kane {

/// Position independent. The entry of each stage is a function void(std::byte* workspace) with the C calling
/// convention.
struct MachineCode {
  std::vector<std::uint8_t> bytes;
  PerStage<std::uint32_t> entries{};
};

[[nodiscard]] MachineCode encode_x86(const MachineProgram& machine, const Layout& layout, const Target& target,
                                     const Runtime& runtime);
[[nodiscard]] MachineCode encode_a64(const MachineProgram& machine, const Layout& layout, const Target& target,
                                     const Runtime& runtime);

}  // namespace kane

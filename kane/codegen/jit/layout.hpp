#pragma once
// Third step of the JIT: the place of each slot in the workspace.

#include <array>
#include <cstdint>
#include <vector>

#include "kane/codegen/jit/machine_program.hpp"

namespace kane {

/// All in bytes from the start of the workspace, which is aligned to 64 bytes.
struct Layout {
  std::vector<std::uint32_t> offsets;  ///< by slot
  PerStage<std::uint32_t> inputs{};
  std::uint32_t outputs = 0;
  std::uint32_t size = 0;

  friend bool operator==(const Layout&, const Layout&) = default;
};

/// Slots are in the order in which the state stage first uses them, so that values used together are close together;
/// inputs of a stage and outputs are contiguous, in their own order. Throws LimitError if the workspace would exceed 1
/// GiB.
[[nodiscard]] Layout lay_out(const MachineProgram& machine, const Program& program, const Target& target);

}  // namespace kane

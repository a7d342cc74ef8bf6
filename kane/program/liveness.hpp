#pragma once
// How many values a stage must remember at once.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kane/program/program.hpp"

namespace kane {

struct Liveness {
  std::uint32_t max_live = 0;  ///< values computed in the stage and still to be used, at the worst place
  std::uint64_t pressure = 0;  ///< by how much a register file is exceeded, summed over the instructions
};

/// Registers that `pressure` assumes: 16, less a few for operands on their way.
inline constexpr std::uint32_t kRegisters = 14;

/// Of one stage, in its own order.
[[nodiscard]] Liveness calc_liveness(const Program& program, Stage stage);
/// As if the instructions of the stage were in this order (indices of instructions).
[[nodiscard]] Liveness calc_liveness(const Program& program, Stage stage, std::span<const std::uint32_t> order);

}  // namespace kane

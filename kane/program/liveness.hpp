#pragma once
// How many values a stage must remember at once.

#include <cstddef>
#include <cstdint>
#include <span>

#include "kane/program/program.hpp"

namespace kane {

struct Liveness {
  std::uint32_t max_live = 0;  ///< values computed in the stage and still to be used, at the worst place
  /// Operands last touched more than kFar instructions ago: those that no longer are in a register (a good guess at the
  /// loads of the best assignment to 16 registers, at a fraction of the time).
  std::uint32_t far_uses = 0;
};

inline constexpr std::uint32_t kFar = 28;

/// Of one stage, in its own order.
[[nodiscard]] Liveness calc_liveness(const Program& program, Stage stage);
/// As if the instructions of the stage were in this order (indices of instructions).
[[nodiscard]] Liveness calc_liveness(const Program& program, Stage stage, std::span<const std::uint32_t> order);

}  // namespace kane

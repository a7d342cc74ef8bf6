#pragma once
// How long an order of instructions would take on a processor that executes out of order, roughly: to choose between
// orders, not to predict times.
//
// The model: six instructions per cycle enter the scheduler, which holds 97 of them until their operands are known; two
// products or three sums start per cycle; latencies as on recent x86 processors. An operand that was last touched more
// than kFar instructions ago comes from memory: no register has it any more.

#include <cstdint>
#include <span>

#include "kane/program/stage_graph.hpp"

namespace kane {

inline constexpr std::uint32_t kFar = 16;

struct Pace {
  std::uint32_t cycles = 0;
  std::uint32_t far_uses = 0;  ///< operands from memory
};

/// For the instructions of the stage in this order.
[[nodiscard]] Pace estimate_pace(const StageGraph& graph, std::span<const std::uint32_t> order);

}  // namespace kane

#pragma once
// Shared by searches from many starting points.

#include <numbers>
#include <random>

namespace kane {

inline constexpr double kTurn = 2 * std::numbers::pi;

/// Numbers between -1 and 1, the same sequence on every machine (unlike the distributions of the standard library).
[[nodiscard]] inline double uniform(std::mt19937_64& engine) {
  return static_cast<double>(engine() >> 11) * 0x1.0p-52 - 1;
}

}  // namespace kane

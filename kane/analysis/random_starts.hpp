#pragma once
// What searches from many starting points have in common.

#include <numbers>
#include <random>

namespace kane {

inline constexpr double kTurn = 2 * std::numbers::pi;

/// Between -1 and 1, the same sequence on every machine (the library's distributions are not).
[[nodiscard]] inline double uniform(std::mt19937_64& engine) {
  return static_cast<double>(engine() >> 11) * 0x1.0p-52 - 1;
}

}  // namespace kane

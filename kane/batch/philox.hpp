#pragma once
// Random numbers by counter: Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3"
// (SC 2011), section 3.3. A number is a function of a key and of where it is used (run, dimension, purpose), so that run k of a
// study has the same numbers in every thread and process, and in any order.

#include <array>
#include <cstdint>

namespace kane {

using PhiloxBlock = std::array<std::uint32_t, 4>;

/// Ten rounds on a counter of four words with a key of two.
[[nodiscard]] constexpr PhiloxBlock philox(PhiloxBlock x, std::array<std::uint32_t, 2> key) {
  constexpr std::uint64_t kFirst = 0xD2511F53, kSecond = 0xCD9E8D57;      // multipliers of the two halves
  constexpr std::uint32_t kGolden = 0x9E3779B9, kRootThree = 0xBB67AE85;  // steps of the key (Weyl sequences)
  constexpr int kRounds = 10;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t a = kFirst * x[0], b = kSecond * x[2];
    x = {static_cast<std::uint32_t>(b >> 32U) ^ x[1] ^ key[0], static_cast<std::uint32_t>(b),
         static_cast<std::uint32_t>(a >> 32U) ^ x[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += kGolden;
    key[1] += kRootThree;
  }
  return x;
}

/// The purpose of a random number: numbers for different purposes are independent.
enum class RandomUse : std::uint32_t { Sample = 1, Stratum, Offset, Scramble, Digits, Morris, Resample, Search };

/// The 64 bits at (index, dimension) of a stream.
[[nodiscard]] constexpr std::uint64_t random_bits(std::uint64_t seed, RandomUse use, std::uint64_t index,
                                                  std::uint32_t dimension) {
  const PhiloxBlock r = philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32U), dimension,
                                static_cast<std::uint32_t>(use)},
                               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32U)});
  return (std::uint64_t{r[0]} << 32U) | r[1];
}

/// A number of (0, 1), never 0 or 1: the middle of one of 2^52 equal parts.
[[nodiscard]] constexpr double to_unit(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12U) + 0.5) * 0x1p-52;
}
[[nodiscard]] constexpr double random_unit(std::uint64_t seed, RandomUse use, std::uint64_t index,
                                           std::uint32_t dimension) {
  return to_unit(random_bits(seed, use, index, dimension));
}

}  // namespace kane

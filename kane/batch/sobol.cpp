#include "kane/batch/sobol.hpp"

#include <bit>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/batch/philox.hpp"

namespace kane {

namespace {

/// A primitive polynomial x^s + a_1 x^(s-1) + ... + a_(s-1) x + 1, its inner coefficients as the bits of `a`, and the first
/// odd numbers m_1 ... m_s. For dimensions 2, 3, ...
struct JoeKuoRow {
  int s;
  std::uint32_t a;
  std::array<std::uint16_t, 8> m;
};

constexpr std::array<JoeKuoRow, SobolSequence::kMostDimensions - 1> kJoeKuo = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
}};

using Words = std::array<std::uint64_t, SobolSequence::kBits>;

/// v_i = m_i / 2^i with the recurrence of Bratley and Fox; the most significant digit is bit kBits - 1.
Words plain_directions(std::uint32_t dimension) {
  constexpr int n = SobolSequence::kBits;
  Words v{};
  if (dimension == 0) {
    for (int i = 0; i < n; ++i) v[at(i)] = std::uint64_t{1} << static_cast<unsigned>(n - 1 - i);
    return v;
  }
  const JoeKuoRow& row = kJoeKuo[dimension - 1];
  for (int i = 0; i < n; ++i) {
    auto& to = v[at(i)];
    if (i < row.s) {
      to = std::uint64_t{row.m[at(i)]} << static_cast<unsigned>(n - 1 - i);
      continue;
    }
    const std::uint64_t back = v[static_cast<std::size_t>(i - row.s)];
    to = back ^ (back >> static_cast<unsigned>(row.s));
    for (int k = 1; k < row.s; ++k)
      if (((row.a >> static_cast<unsigned>(row.s - 1 - k)) & 1U) != 0) to ^= v[static_cast<std::size_t>(i - k)];
  }
  return v;
}

}  // namespace

SobolSequence::SobolSequence(std::uint32_t dimensions, std::uint64_t seed, bool scrambled) : directions_(dimensions) {
  require(dimensions <= kMostDimensions,
          "Sobol's sequence is available for up to {} variables, not {}; use sampling halton, lhs or random",
          kMostDimensions, dimensions);
  for (std::uint32_t d = 0; d < dimensions; ++d) {
    Directions& to = directions_[d];
    const Words v = plain_directions(d);
    to.v = v;
    to.scrambled = scrambled;
    if (!scrambled) continue;
    // Digit r of a scrambled number is digit r plus a random combination of the digits before it (mod 2).
    Words masks{};
    for (int r = 0; r < kBits; ++r) {
      const unsigned bit = static_cast<unsigned>(kBits - 1 - r);
      const std::uint64_t higher = ~((std::uint64_t{2} << bit) - 1);
      const auto random = random_bits(seed, RandomUse::Scramble, static_cast<std::uint64_t>(r), d);
      masks[at(r)] = (std::uint64_t{1} << bit) | (random & higher & ((std::uint64_t{1} << kBits) - 1));
    }
    for (std::size_t i = 0; i < kBits; ++i) {
      to.v[i] = 0;
      for (int r = 0; r < kBits; ++r)
        to.v[i] |= static_cast<std::uint64_t>(std::popcount(v[i] & masks[at(r)]) & 1)
                   << static_cast<unsigned>(kBits - 1 - r);
    }
    to.shift = random_bits(seed, RandomUse::Offset, 0, d) >> (64U - kBits);
  }
}

double SobolSequence::unit(std::uint64_t j, std::uint32_t dimension) const {
  const Directions& d = directions_[dimension];
  std::uint64_t x = d.shift;
  for (std::uint64_t left = j; left != 0; left &= left - 1) x ^= d.v[at(std::countr_zero(left))];
  return (static_cast<double>(x) + (d.scrambled ? 0.5 : 0.0)) * 0x1p-52;
}

}  // namespace kane

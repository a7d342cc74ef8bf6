#include "kane/program/sincos.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kane/program/sincos_core.hpp"

namespace kane {

namespace {

using sincos_core::Reduced;
__extension__ using Uint128 = unsigned __int128;

// The bits of 2/pi after the point, from the most significant; the leading zero word stands before the point.
constexpr std::uint64_t kTwoOverPi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                        0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                        0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                        0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                        0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
                                        0xf0cfbc209af4361d};

/// 64 bits of 2/pi, the first of weight 2^-(position+1); position >= -64.
std::uint64_t two_over_pi_word(int position) {
  const auto bit = static_cast<unsigned>(position + 64);
  const std::uint64_t high = kTwoOverPi[bit / 64] << (bit % 64);
  return bit % 64 == 0 ? high : high | kTwoOverPi[bit / 64 + 1] >> (64 - bit % 64);
}

/// (high + low) pi/2 for |low| <= 2^-52 |high|, as a double-double.
Reduced<double> times_half_pi(double high, double low, std::uint64_t quadrant) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;
  const double product = high * kHalfPi;
  const double rest = std::fma(high, kHalfPi, -product) + (high * kHalfPiLow + low * kHalfPi);
  const double r = product + rest;
  return {r, (product - r) + rest, static_cast<sincos_core::Int64>(quadrant)};
}

// M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983.
// x = m 2^e with a 53-bit integer m. Bits of 2/pi whose product with x is a multiple of 4 only add whole
// turns, so the 192 bits W from weight 2^(1-e) on suffice: x 2/pi mod 4 = (m W mod 2^192) 2^-190, with an
// error below 2^-137, while no double comes nearer than 2^-62 to a multiple of pi/2.
Reduced<double> reduce_huge(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;
  const int position = static_cast<int>(bits >> 52) - 1075 - 2;
  const Uint128 low = Uint128{m} * two_over_pi_word(position + 128);
  const Uint128 middle = Uint128{m} * two_over_pi_word(position + 64) + (low >> 64);
  const Uint128 high = (Uint128{m * two_over_pi_word(position)} << 64) + middle;
  std::uint64_t quadrant = static_cast<std::uint64_t>(high >> 126);
  Uint128 fraction = (high << 2) | (static_cast<std::uint64_t>(low) >> 62);
  const bool above_half = fraction >> 127 != 0;
  if (above_half) {  // nearest multiple: the fraction becomes negative
    ++quadrant;
    fraction = -fraction;
  }
  const auto top = static_cast<std::uint64_t>(fraction >> 64);
  const int zeros = top != 0 ? std::countl_zero(top) : 64;
  fraction <<= zeros;
  const double sign = above_half ? -1.0 : 1.0;
  const auto hi = static_cast<double>(static_cast<std::uint64_t>(fraction >> 75));
  const auto lo = static_cast<double>(static_cast<std::uint64_t>(fraction >> 22) & 0x1fffffffffffff);
  return times_half_pi(sign * std::ldexp(hi, -53 - zeros), sign * std::ldexp(lo, -106 - zeros), quadrant);
}

}  // namespace

SinCos sincos(double x) noexcept {
  const double magnitude = std::fabs(x);
  if (magnitude <= sincos_core::kLargestArgument) {
    const auto [s, c] = sincos_core::sincos_moderate<double>(x);
    return {s, c};
  }
  if (!(magnitude <= std::numeric_limits<double>::max())) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    return {kNan, kNan};
  }
  const auto sign = static_cast<sincos_core::Int64>(std::bit_cast<std::uint64_t>(x) & (std::uint64_t{1} << 63));
  const auto [s, c] = sincos_core::rotate<double>(reduce_huge(magnitude), sign);
  return {s, c};
}

}  // namespace kane

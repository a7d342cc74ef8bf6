#pragma once
// The arithmetic of sine and cosine, written once for a scalar and for vectors of any width (GCC and Clang
// vector extensions): V is double or a vector of doubles. No branch, no fused operation, so every lane of
// every width gives the bits of the scalar function.
//
// Reduction (Cody and Waite, "Software Manual for the Elementary Functions", 1980, ch. 8): with k the integer
// nearest to x 2/pi,
//     r + r_lo = x - k pi/2,   pi/2 = P1 + P2 + P3 + P4,
// where P1, P2, P3 have 33 significant bits, so that k P1, k P2, k P3 are exact for k <= 2^18. No double of
// that range comes nearer than 2^-58 to a multiple of pi/2, and the 152 bits of P1..P4 leave r + r_lo more
// than 2^-70 of relative accuracy there. Each difference t - w below is followed by its rounding error
// (Dekker 1971, eq. 4.5: (t - (t - w)) - w is exact when |t| >= |w|). When |t| < |w| the difference itself is
// exact:
//   t1 - k P2: both are multiples of 2^-66 and smaller than 2^-15, so 52 bits hold the result;
//   t2 - k P3: both are multiples of 2^-101 and smaller than 2^-49, likewise.
//
// Polynomials: minimax fits (Remez) on |r| <= pi/4, rounded one coefficient after the other:
//     sin r = r + r^3 S(r^2),             relative error 2^-57.8
//     cos r = 1 - r^2/2 + r^4 C(r^2),     absolute error 2^-64.1
// and sin(r + r_lo) = sin r + r_lo (1 - r^2/2), cos(r + r_lo) = cos r - r r_lo to the accuracy of a double.
//
// Only compiler built-ins are used, no standard header: this file is compiled with different instruction sets
// in different translation units, and an inline function of the library must not be.

namespace kane::sincos_core {

using Int64 = long long;

/// Arguments beyond this (2^18 pi/2, rounded down) need the long reduction of sincos.cpp.
inline constexpr double kLargestArgument = 0x1.921fb5p+18;

/// The integers of the same width: what comparing two vectors gives.
template <class V>
struct Lanes {
  using Integer = decltype(V{} < V{});
};
template <>
struct Lanes<double> {
  using Integer = Int64;
};
template <class V>
using IntegerOf = typename Lanes<V>::Integer;

template <class To, class From>
[[gnu::always_inline]] inline To as(const From& from) {
  return __builtin_bit_cast(To, from);
}

/// x = quadrant pi/2 + r + r_lo; only the two lowest bits of the quadrant count.
template <class V>
struct Reduced {
  V r;
  V r_lo;
  IntegerOf<V> quadrant;
};

template <class V>
struct SinCosOf {
  V sin;
  V cos;
};

/// For 0 <= x <= kLargestArgument.
template <class V>
[[gnu::always_inline]] inline Reduced<V> reduce(const V& x) {
  constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
  constexpr double kP1 = 0x1.921fb54400000p+0;
  constexpr double kP2 = 0x1.0b4611a600000p-34;
  constexpr double kP3 = 0x1.3198a2e000000p-69;
  constexpr double kP4 = 0x1.b839a252049c1p-104;
  constexpr double kRound = 0x1.8p+52;  // adding it rounds to an integer, held in the lowest bits

  const V shifted = x * kTwoOverPi + kRound;
  const V k = shifted - kRound;
  const V t1 = x - k * kP1;
  const V w2 = k * kP2;
  const V t2 = t1 - w2;
  const V e2 = (t1 - t2) - w2;
  const V w3 = k * kP3;
  const V t3 = t2 - w3;
  const V e3 = (t2 - t3) - w3;
  const V tail = (e2 + e3) - k * kP4;
  const V r = t3 + tail;
  return {r, (t3 - r) + tail, as<IntegerOf<V>>(shifted)};
}

template <class V>
[[gnu::always_inline]] inline V sin_of_reduced(const V& r, const V& r_lo, const V& z) {
  constexpr double kS1 = -0x1.5555555555548p-3, kS2 = 0x1.111111110f730p-7, kS3 = -0x1.a01a019be9210p-13,
                   kS4 = 0x1.71de35552a6a6p-19, kS5 = -0x1.ae5e4b82becf4p-26, kS6 = 0x1.5d8b55202d495p-33;
  const V z2 = z * z;
  const V s = (z * kS3 + kS2) + z2 * ((z * kS5 + kS4) + z2 * kS6);
  const V r3 = r * z;
  // r + r_lo + r^3 (S1 + z s) - r_lo z/2, smallest terms first
  return r + (r3 * kS1 + (r_lo + z * (r3 * s - r_lo * 0.5)));
}

template <class V>
[[gnu::always_inline]] inline V cos_of_reduced(const V& r, const V& r_lo, const V& z) {
  constexpr double kC1 = 0x1.555555555554cp-5, kC2 = -0x1.6c16c16c1521fp-10, kC3 = 0x1.a01a019cbf626p-16,
                   kC4 = -0x1.27e4f812b61b4p-22, kC5 = 0x1.1ee9f1523a72ap-29, kC6 = -0x1.8fb130c099872p-37;
  const V z2 = z * z;
  const V c = (z * kC2 + kC1) + z2 * ((z * kC4 + kC3) + z2 * (z * kC6 + kC5));
  const V half_z = z * 0.5;
  const V high = 1.0 - half_z;
  return high + (((1.0 - high) - half_z) + (z2 * c - r * r_lo));
}

/// All bits set where any is.
template <class I>
[[gnu::always_inline]] inline I any_bit(const I& quarter) {
  return quarter != 0;
}
template <>
[[gnu::always_inline]] inline Int64 any_bit(const Int64& quarter) {
  return quarter != 0 ? -1 : 0;
}

/// `sign` has the sign bit of the argument and nothing else; `reduced` belongs to its absolute value.
template <class V>
[[gnu::always_inline]] inline SinCosOf<V> rotate(const Reduced<V>& reduced, const IntegerOf<V>& sign) {
  using I = IntegerOf<V>;
  const V z = reduced.r * reduced.r;
  const I s = as<I>(sin_of_reduced(reduced.r, reduced.r_lo, z));
  const I c = as<I>(cos_of_reduced(reduced.r, reduced.r_lo, z));
  const I sign_bit = as<I>(-V{});
  const I quarter = reduced.quadrant << 63, half = reduced.quadrant << 62;
  const I swap = (s ^ c) & any_bit(quarter);
  const I negate_sin = half & sign_bit;              // in quadrants 2 and 3
  const I negate_cos = (half ^ quarter) & sign_bit;  // in quadrants 1 and 2
  return {as<V>(s ^ swap ^ negate_sin ^ sign), as<V>(c ^ swap ^ negate_cos)};
}

/// For |x| <= kLargestArgument.
template <class V>
[[gnu::always_inline]] inline SinCosOf<V> sincos_moderate(const V& x) {
  using I = IntegerOf<V>;
  constexpr Int64 kMagnitude = 0x7fffffffffffffff;
  const I bits = as<I>(x);
  const I magnitude = bits & kMagnitude;
  return rotate<V>(reduce<V>(as<V>(magnitude)), bits ^ magnitude);
}

}  // namespace kane::sincos_core

#pragma once
// The arithmetic of sine and cosine, written once for a scalar and for vectors of any width (GCC and Clang vector
// extensions): V is double or a vector of doubles. No branch, so every lane of every width gives the bits of the
// scalar function. Math says what a multiply-add is: two operations, the same on every machine, or a fused one, for
// kernels that need not be strict.
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
// Fused operations need fewer parts: pi/2 = Q1 + Q2 + Q3 with 53, 34 and 53 bits.
//   t1 = x - k Q1 is exact: a multiple of 2^-53 smaller than 1.
//   k Q2 has 52 bits, so it is exact and a multiple of 2^-87 smaller than 2^-35; t2 = t1 - k Q2 is exact where t1 is
//   smaller than k Q2, and where it is not, its rounding error is (t1 - t2) - k Q2 as above.
//   k Q3 is smaller than 2^-70; r_lo need not be normalised, since r_lo^2 is below the last place of r.
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

/// a*b + c rounded twice.
struct PlainMath {
  static constexpr bool kFused = false;
  template <class V>
  [[gnu::always_inline]] static V mul_add(const V& a, const V& b, const V& c) {
    return a * b + c;
  }
};

/// The same number in all lanes.
template <class V>
[[gnu::always_inline]] inline V all(double x) {
  return V{} + x;
}

/// For 0 <= x <= kLargestArgument.
template <class V, class Math>
[[gnu::always_inline]] inline Reduced<V> reduce(const V& x) {
  const V two_over_pi = all<V>(0x1.45f306dc9c883p-1);
  if constexpr (Math::kFused) {
    const V minus_q1 = all<V>(-0x1.921fb54442d18p+0), minus_q2 = all<V>(-0x1.1a62633180000p-54),
            minus_q3 = all<V>(0x1.d1fc8f8cbb5bfp-89), round = all<V>(0x1.8p+52);
    const V turned = Math::mul_add(x, two_over_pi, round);
    const V turns = turned - round;
    const V t = Math::mul_add(turns, minus_q1, x);
    const V r = Math::mul_add(turns, minus_q2, t);
    const V error = Math::mul_add(turns, minus_q2, t - r);
    return {r, Math::mul_add(turns, minus_q3, error), as<IntegerOf<V>>(turned)};
  }
  const V minus_p1 = all<V>(-0x1.921fb54400000p+0), minus_p2 = all<V>(-0x1.0b4611a600000p-34),
          minus_p3 = all<V>(-0x1.3198a2e000000p-69), minus_p4 = all<V>(-0x1.b839a252049c1p-104);
  const V to_integer = all<V>(0x1.8p+52);  // adding it rounds to an integer, held in the lowest bits

  const V shifted = Math::mul_add(x, two_over_pi, to_integer);
  const V k = shifted - to_integer;
  const V t1 = Math::mul_add(k, minus_p1, x);
  const V t2 = Math::mul_add(k, minus_p2, t1);
  const V e2 = Math::mul_add(k, minus_p2, t1 - t2);
  const V t3 = Math::mul_add(k, minus_p3, t2);
  const V e3 = Math::mul_add(k, minus_p3, t2 - t3);
  const V tail = Math::mul_add(k, minus_p4, e2 + e3);
  const V r = t3 + tail;
  return {r, (t3 - r) + tail, as<IntegerOf<V>>(shifted)};
}

template <class V, class Math>
[[gnu::always_inline]] inline V sin_of_reduced(const V& r, const V& r_lo, const V& z) {
  const V s1 = all<V>(-0x1.5555555555548p-3), s2 = all<V>(0x1.111111110f730p-7), s3 = all<V>(-0x1.a01a019be9210p-13),
          s4 = all<V>(0x1.71de35552a6a6p-19), s5 = all<V>(-0x1.ae5e4b82becf4p-26), s6 = all<V>(0x1.5d8b55202d495p-33);
  const V z2 = z * z, r3 = r * z;
  const V high = Math::mul_add(z2, s6, Math::mul_add(z, s5, s4));
  const V s = Math::mul_add(z2, high, Math::mul_add(z, s3, s2));
  // r + r_lo + r^3 (S1 + z s) - r_lo z/2, smallest terms first
  const V small = Math::mul_add(z, Math::mul_add(r3, s, r_lo * -0.5), r_lo);
  return r + Math::mul_add(r3, s1, small);
}

template <class V, class Math>
[[gnu::always_inline]] inline V cos_of_reduced(const V& r, const V& r_lo, const V& z) {
  const V c1 = all<V>(0x1.555555555554cp-5), c2 = all<V>(-0x1.6c16c16c1521fp-10), c3 = all<V>(0x1.a01a019cbf626p-16),
          c4 = all<V>(-0x1.27e4f812b61b4p-22), c5 = all<V>(0x1.1ee9f1523a72ap-29), c6 = all<V>(-0x1.8fb130c099872p-37);
  const V minus_half = all<V>(-0.5);
  const V z2 = z * z;
  const V high = Math::mul_add(z2, Math::mul_add(z, c6, c5), Math::mul_add(z, c4, c3));
  const V c = Math::mul_add(z2, high, Math::mul_add(z, c2, c1));
  // 1 - z/2, its rounding error, and the rest
  const V first = Math::mul_add(z, minus_half, all<V>(1.0));
  const V error = Math::mul_add(z, minus_half, 1.0 - first);
  return first + Math::mul_add(z2, c, Math::mul_add(-r, r_lo, error));
}

/// All bits set where any is.
template <class I>
[[gnu::always_inline]] inline I any_bit(const I& bits) {
  return bits != 0;
}
template <>
[[gnu::always_inline]] inline Int64 any_bit(const Int64& bits) {
  return bits != 0 ? -1 : 0;
}

/// `sign` has the sign bit of the argument and nothing else; `reduced` belongs to its absolute value.
template <class V, class Math>
[[gnu::always_inline]] inline SinCosOf<V> rotate(const Reduced<V>& reduced, const IntegerOf<V>& sign) {
  using I = IntegerOf<V>;
  const V z = reduced.r * reduced.r;
  const I s = as<I>(sin_of_reduced<V, Math>(reduced.r, reduced.r_lo, z));
  const I c = as<I>(cos_of_reduced<V, Math>(reduced.r, reduced.r_lo, z));
  const I sign_bit = as<I>(-V{});
  const I quarter = reduced.quadrant << 63, half = reduced.quadrant << 62;
  const I swap = (s ^ c) & any_bit(quarter);
  const I negate_sin = half & sign_bit;              // in quadrants 2 and 3
  const I negate_cos = (half ^ quarter) & sign_bit;  // in quadrants 1 and 2
  return {as<V>(s ^ swap ^ negate_sin ^ sign), as<V>(c ^ swap ^ negate_cos)};
}

/// For |x| <= kLargestArgument.
template <class V, class Math>
[[gnu::always_inline]] inline SinCosOf<V> sincos_moderate(const V& x) {
  using I = IntegerOf<V>;
  constexpr Int64 kMagnitude = 0x7fffffffffffffff;
  const I bits = as<I>(x);
  const I magnitude = bits & kMagnitude;
  return rotate<V, Math>(reduce<V, Math>(as<V>(magnitude)), bits ^ magnitude);
}

}  // namespace kane::sincos_core

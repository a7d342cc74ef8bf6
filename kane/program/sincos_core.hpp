#pragma once
// The arithmetic of sine and cosine, written once for a scalar and for vectors of any width (GCC and Clang vector
// extensions): V is double or a vector of doubles. No branch, so every lane of every width gives the bits of the
// scalar function, on every machine. Kernels that need not be strict have another one, with fused operations:
// kane/codegen/jit/sincos_fused.hpp.
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

/// The integers of the same width, as comparing two vectors yields them.
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

/// The numbers of the formulas above and of sincos_fused.hpp; P1 .. P4 and Q1 .. Q3 with a minus.
struct Constants {
  double two_over_pi = 0x1.45f306dc9c883p-1, to_integer = 0x1.8p+52;  // adding the second rounds to an integer
  double p1 = -0x1.921fb54400000p+0, p2 = -0x1.0b4611a600000p-34, p3 = -0x1.3198a2e000000p-69,
         p4 = -0x1.b839a252049c1p-104;
  double q1 = -0x1.921fb54442d18p+0, q2 = -0x1.1a62633100000p-54, q3 = -0x1.1701b839a2520p-88;
  double s[6] = {-0x1.5555555555548p-3, 0x1.111111110f730p-7,   -0x1.a01a019be9210p-13,
                 0x1.71de35552a6a6p-19, -0x1.ae5e4b82becf4p-26, 0x1.5d8b55202d495p-33};
  double c[6] = {0x1.555555555554cp-5,   -0x1.6c16c16c1521fp-10, 0x1.a01a019cbf626p-16,
                 -0x1.27e4f812b61b4p-22, 0x1.1ee9f1523a72ap-29,  -0x1.8fb130c099872p-37};
  double minus_half = -0.5, one = 1.0, zero = 0.0;
};
inline constexpr Constants kConstants{};

/// The same number in all lanes. (x - 0 is x for the compiler, too; x + 0 is not, because of -0.)
template <class V>
[[gnu::always_inline]] inline V all(double x) {
  return x - V{};
}

/// For |x| <= kLargestArgument.
template <class V>
[[gnu::always_inline]] inline Reduced<V> reduce(const V& x, const Constants& n) {
  const V to_integer = all<V>(n.to_integer);
  const V shifted = x * all<V>(n.two_over_pi) + to_integer;  // k in the lowest bits
  const V k = shifted - to_integer;
  const V t1 = k * all<V>(n.p1) + x;
  const V t2 = k * all<V>(n.p2) + t1;
  const V e2 = k * all<V>(n.p2) + (t1 - t2);
  const V t3 = k * all<V>(n.p3) + t2;
  const V e3 = k * all<V>(n.p3) + (t2 - t3);
  const V tail = k * all<V>(n.p4) + (e2 + e3);
  const V r = t3 + tail;
  return {r, (t3 - r) + tail, as<IntegerOf<V>>(shifted)};
}

/// sin(r + r_lo) - r
template <class V>
[[gnu::always_inline]] inline V sin_without_first(const V& r, const V& r_lo, const V& z, const Constants& n) {
  const V z2 = z * z, r3 = r * z;
  const V high = z2 * all<V>(n.s[5]) + (z * all<V>(n.s[4]) + all<V>(n.s[3]));
  const V s = z2 * high + (z * all<V>(n.s[2]) + all<V>(n.s[1]));
  // r_lo + r^3 (S1 + z s) - r_lo z/2, smallest terms first
  const V small = z * (r3 * s + r_lo * all<V>(n.minus_half)) + r_lo;
  return r3 * all<V>(n.s[0]) + small;
}

template <class V>
[[gnu::always_inline]] inline V cos_of_reduced(const V& r, const V& r_lo, const V& z, const Constants& n) {
  const V one = all<V>(n.one);
  const V z2 = z * z;
  const V high = z2 * (z * all<V>(n.c[5]) + all<V>(n.c[4])) + (z * all<V>(n.c[3]) + all<V>(n.c[2]));
  const V c = z2 * high + (z * all<V>(n.c[1]) + all<V>(n.c[0]));
  // 1 - z/2, its rounding error, and the rest
  const V first = z * all<V>(n.minus_half) + one;
  const V error = z * all<V>(n.minus_half) + (one - first);
  return first + (z2 * c + (-r * r_lo + error));
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
template <class V>
[[gnu::always_inline]] inline SinCosOf<V> rotate(const Reduced<V>& reduced, const IntegerOf<V>& sign) {
  using I = IntegerOf<V>;
  const Constants& n = kConstants;
  const V z = reduced.r * reduced.r;
  const I s = as<I>(reduced.r + sin_without_first(reduced.r, reduced.r_lo, z, n));
  const I c = as<I>(cos_of_reduced(reduced.r, reduced.r_lo, z, n));
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
  const I bits = as<I>(x);
  const I magnitude = bits & 0x7fffffffffffffff;
  return rotate<V>(reduce<V>(as<V>(magnitude), kConstants), bits ^ magnitude);
}

}  // namespace kane::sincos_core

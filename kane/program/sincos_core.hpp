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

/// The numbers of the formulas above; P1 .. P4 and Q1 .. Q3 with a minus.
struct Constants {
  double two_over_pi = 0x1.45f306dc9c883p-1, to_integer = 0x1.8p+52;  // adding the second rounds to an integer
  double p1 = -0x1.921fb54400000p+0, p2 = -0x1.0b4611a600000p-34, p3 = -0x1.3198a2e000000p-69,
         p4 = -0x1.b839a252049c1p-104;
  double q1 = -0x1.921fb54442d18p+0, q2 = -0x1.1a62633180000p-54, q3 = 0x1.d1fc8f8cbb5bfp-89;
  double s1 = -0x1.5555555555548p-3, s2 = 0x1.111111110f730p-7, s3 = -0x1.a01a019be9210p-13, s4 = 0x1.71de35552a6a6p-19,
         s5 = -0x1.ae5e4b82becf4p-26, s6 = 0x1.5d8b55202d495p-33;
  double c1 = 0x1.555555555554cp-5, c2 = -0x1.6c16c16c1521fp-10, c3 = 0x1.a01a019cbf626p-16,
         c4 = -0x1.27e4f812b61b4p-22, c5 = 0x1.1ee9f1523a72ap-29, c6 = -0x1.8fb130c099872p-37;
  double minus_half = -0.5, one = 1.0;
};
inline constexpr Constants kConstants{};

/// a*b + c rounded twice.
struct PlainMath {
  static constexpr bool kFused = false, kTurns = false;
  static constexpr const Constants& constants() { return kConstants; }
  template <class V>
  [[gnu::always_inline]] static V mul_add(const V& a, const V& b, const V& c) {
    return a * b + c;
  }
};

/// The same number in all lanes. (x - 0 is x for the compiler, too; x + 0 is not, because of -0.)
template <class V>
[[gnu::always_inline]] inline V all(double x) {
  return x - V{};
}

/// The same, to be multiplied with something that is needed again: the product can take its register.
template <class V, class Math>
[[gnu::always_inline]] inline V once(const double& x) {
  if constexpr (Math::kTurns) return Math::once(x);
  return all<V>(x);
}

/// For |x| <= kLargestArgument.
template <class V, class Math>
[[gnu::always_inline]] inline Reduced<V> reduce(const V& x, const Constants& n) {
  const V to_integer = all<V>(n.to_integer);
  const V shifted = Math::mul_add(x, once<V, Math>(n.two_over_pi), to_integer);  // k in the lowest bits
  const V k = shifted - to_integer;
  if constexpr (Math::kFused) {
    const V t = Math::mul_add(k, once<V, Math>(n.q1), x);
    const V r = Math::mul_add(k, once<V, Math>(n.q2), t);
    const V error = Math::mul_add(k, all<V>(n.q2), t - r);
    return {r, Math::mul_add(k, all<V>(n.q3), error), as<IntegerOf<V>>(shifted)};
  }
  const V t1 = Math::mul_add(k, all<V>(n.p1), x);
  const V t2 = Math::mul_add(k, all<V>(n.p2), t1);
  const V e2 = Math::mul_add(k, all<V>(n.p2), t1 - t2);
  const V t3 = Math::mul_add(k, all<V>(n.p3), t2);
  const V e3 = Math::mul_add(k, all<V>(n.p3), t2 - t3);
  const V tail = Math::mul_add(k, all<V>(n.p4), e2 + e3);
  const V r = t3 + tail;
  return {r, (t3 - r) + tail, as<IntegerOf<V>>(shifted)};
}

/// sin(r + r_lo) - r. Fused operations leave out r_lo r^2/2, which is less than 0.16 ulp of the sine.
template <class V, class Math>
[[gnu::always_inline]] inline V sin_without_first(const V& r, const V& r_lo, const V& z, const Constants& n) {
  const V z2 = z * z, r3 = r * z;
  const V high = Math::mul_add(z2, all<V>(n.s6), Math::mul_add(z, all<V>(n.s5), all<V>(n.s4)));
  const V s = Math::mul_add(z2, high, Math::mul_add(z, all<V>(n.s3), all<V>(n.s2)));
  if constexpr (Math::kFused) return Math::mul_add(r3, Math::mul_add(z, s, all<V>(n.s1)), r_lo);
  // r_lo + r^3 (S1 + z s) - r_lo z/2, smallest terms first
  const V small = Math::mul_add(z, Math::mul_add(r3, s, r_lo * all<V>(n.minus_half)), r_lo);
  return Math::mul_add(r3, all<V>(n.s1), small);
}

template <class V, class Math>
[[gnu::always_inline]] inline V cos_of_reduced(const V& r, const V& r_lo, const V& z, const Constants& n) {
  const V one = all<V>(n.one);
  const V z2 = z * z;
  const V high =
      Math::mul_add(z2, Math::mul_add(z, all<V>(n.c6), all<V>(n.c5)), Math::mul_add(z, all<V>(n.c4), all<V>(n.c3)));
  const V c = Math::mul_add(z2, high, Math::mul_add(z, all<V>(n.c2), all<V>(n.c1)));
  // 1 - z/2, its rounding error, and the rest
  const V first = Math::mul_add(z, once<V, Math>(n.minus_half), one);
  const V error = Math::mul_add(z, all<V>(n.minus_half), one - first);
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
[[gnu::always_inline]] inline SinCosOf<V> rotate(const Reduced<V>& reduced, const IntegerOf<V>& sign,
                                                 const Constants& n = kConstants) {
  using I = IntegerOf<V>;
  const V z = reduced.r * reduced.r;
  const I s = as<I>(reduced.r + sin_without_first<V, Math>(reduced.r, reduced.r_lo, z, n));
  const I c = as<I>(cos_of_reduced<V, Math>(reduced.r, reduced.r_lo, z, n));
  const I sign_bit = as<I>(-V{});
  const I quarter = reduced.quadrant << 63, half = reduced.quadrant << 62;
  const I swap = (s ^ c) & any_bit(quarter);
  const I negate_sin = half & sign_bit;              // in quadrants 2 and 3
  const I negate_cos = (half ^ quarter) & sign_bit;  // in quadrants 1 and 2
  return {as<V>(s ^ swap ^ negate_sin ^ sign), as<V>(c ^ swap ^ negate_cos)};
}

/// For |x| <= kLargestArgument. All roundings are symmetric, so that the signs of sines could be left to arithmetic, if there
/// were no zeros. Math::turn() takes care of those, where it exists, and of the quadrant; else rotate() turns the sine of |x|.
template <class V, class Math>
[[gnu::always_inline]] inline SinCosOf<V> sincos_moderate(const V& x) {
  using I = IntegerOf<V>;
  constexpr Int64 kMagnitude = 0x7fffffffffffffff;
  if constexpr (Math::kTurns) {
    const Constants& n = Math::constants();
    const Reduced<V> reduced = reduce<V, Math>(x, n);
    const V r = reduced.r, z = r * r;
    const V s = sin_without_first<V, Math>(r, reduced.r_lo, z, n), c = cos_of_reduced<V, Math>(r, reduced.r_lo, z, n);
    SinCosOf<V> result;
    Math::turn(r, s, c, reduced.quadrant, result.sin, result.cos);
    return result;
  }
  const I bits = as<I>(x);
  const I magnitude = bits & kMagnitude;
  const Constants& n = Math::constants();
  return rotate<V, Math>(reduce<V, Math>(as<V>(magnitude), n), bits ^ magnitude, n);
}

}  // namespace kane::sincos_core

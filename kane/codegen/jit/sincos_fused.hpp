#pragma once
// Sine and cosine with fused multiply-adds, as few as possible; for kernels that need not be strict. Letters as in
// kane/program/sincos_core.hpp.
//
// Fused operations need fewer parts: pi/2 = Q1 + Q2 + Q3 with 53, 33 and 53 bits.
//   t = x - k Q1 is exact: a multiple of 2^-53 smaller than 1.
//   k Q2 has 51 bits, so it is exact and a multiple of 2^-86 smaller than 2^-35; r = t - k Q2 is exact where t is smaller than
//   k Q2, and where it is not, its rounding error is (t - r) - k Q2.
//   k Q3 is smaller than 2^-69; r_lo need not be normalised, since r_lo^2 is below the last place of r.
// With the same polynomials S and C
//     sin(r + r_lo) = r + (r (r^2 S) + r_lo),       without r_lo r^2/2, which is less than 0.16 ulp;
//     cos(r + r_lo) = 1 + r v,   v = -r/2 + (r (r^2 C) - r_lo),
// where v is rounded to 2^-55, which r makes less than 0.2 ulp of the cosine; all other terms are small.
//
// Signs need no care: all roundings are symmetric, and -0 gives -0. For k = 0 the parts of pi/2, all of one sign, make
// r_lo = -0, and r^2 S is made +0 (it would be -0) by adding a zero, so that only negative zeros are added to r = -0.
//
// Math gives, for a vector: mul_add(a, b, c); once(x), the same number in all lanes, for a product that can take its
// register; turn(), which exchanges sine and cosine and changes signs as the quadrant says; constants(); and
// kSideBySide, whether several vectors go through the operations side by side (or one after the other).

#include "kane/program/sincos_core.hpp"

namespace kane::sincos_core {

/// Two vectors, or two such pairs, that go through the same operations side by side: independent work is then close by
/// in the code.
template <class V>
struct Two {
  V first, second;

  [[gnu::always_inline]] Two(const V& a, const V& b) : first(a), second(b) {}
  /// Written out, since compilers copy larger structures through memory.
  [[gnu::always_inline]] Two(const Two& other) : first(other.first), second(other.second) {}
  Two& operator=(const Two&) = delete;

  [[gnu::always_inline]] friend inline Two operator+(const Two& a, const Two& b) {
    return {a.first + b.first, a.second + b.second};
  }
  [[gnu::always_inline]] friend inline Two operator-(const Two& a, const Two& b) {
    return {a.first - b.first, a.second - b.second};
  }
  [[gnu::always_inline]] friend inline Two operator*(const Two& a, const Two& b) {
    return {a.first * b.first, a.second * b.second};
  }
  [[gnu::always_inline]] friend inline Two operator-(const Two& a) { return {-a.first, -a.second}; }
};
template <class V>
inline constexpr bool kIsTwo = false;
template <class V>
inline constexpr bool kIsTwo<Two<V>> = true;

/// The same number in all lanes.
template <class V>
[[gnu::always_inline]] inline V every(double x) {
  if constexpr (kIsTwo<V>) {
    const auto half = every<decltype(V::first)>(x);
    return {half, half};
  } else {
    return all<V>(x);
  }
}

template <class V, class Math>
[[gnu::always_inline]] inline V once(const double& x) {
  if constexpr (kIsTwo<V>) {
    using Half = decltype(V::first);
    const Half first = once<Half, Math>(x);
    return {first, once<Half, Math>(x)};
  } else {
    return Math::once(x);
  }
}

template <class V, class Math>
[[gnu::always_inline]] inline V mul_add(const V& a, const V& b, const V& c) {
  if constexpr (kIsTwo<V>) {
    using Half = decltype(V::first);
    const Half first = mul_add<Half, Math>(a.first, b.first, c.first);
    return {first, mul_add<Half, Math>(a.second, b.second, c.second)};
  } else {
    return Math::mul_add(a, b, c);
  }
}

/// x = k pi/2 + r + r_lo; the bits of `shifted` end with those of k.
template <class V>
struct FusedReduced {
  V r, r_lo, shifted;
};

/// For |x| <= kLargestArgument.
template <class V, class Math>
[[gnu::always_inline]] inline FusedReduced<V> reduce_fused(const V& x, const Constants& n) {
  const V to_integer = every<V>(n.to_integer);
  const V shifted = mul_add<V, Math>(x, once<V, Math>(n.two_over_pi), to_integer);
  const V k = shifted - to_integer;
  const V t = mul_add<V, Math>(k, once<V, Math>(n.q1), x);
  const V r = mul_add<V, Math>(k, once<V, Math>(n.q2), t);
  const V error = mul_add<V, Math>(k, every<V>(n.q2), -(r - t));
  return {r, mul_add<V, Math>(k, every<V>(n.q3), error), shifted};
}

/// c[0] + c[1] z + ... + c[5] z^5: with the fewest operations if there are other vectors to be worked on meanwhile,
/// else by a short way.
template <class V, class Math>
[[gnu::always_inline]] inline V polynomial(const V& z, const double (&c)[6]) {
  if constexpr (Math::kSideBySide) {
    const V a = mul_add<V, Math>(z, once<V, Math>(c[5]), every<V>(c[4]));
    const V b = mul_add<V, Math>(z, a, every<V>(c[3]));
    const V d = mul_add<V, Math>(z, b, every<V>(c[2]));
    const V e = mul_add<V, Math>(z, d, every<V>(c[1]));
    return mul_add<V, Math>(z, e, every<V>(c[0]));
  } else {
    const V z2 = z * z;
    const V high = mul_add<V, Math>(z2, every<V>(c[5]), mul_add<V, Math>(z, every<V>(c[4]), every<V>(c[3])));
    const V rest = mul_add<V, Math>(z2, high, mul_add<V, Math>(z, every<V>(c[2]), every<V>(c[1])));
    return mul_add<V, Math>(z, rest, every<V>(c[0]));
  }
}

template <class V, class Math>
[[gnu::always_inline]] inline SinCosOf<V> turn(const V& s, const V& c, const V& shifted) {
  if constexpr (kIsTwo<V>) {
    using Half = decltype(V::first);
    const SinCosOf<Half> first = turn<Half, Math>(s.first, c.first, shifted.first);
    const SinCosOf<Half> second = turn<Half, Math>(s.second, c.second, shifted.second);
    return {{first.sin, second.sin}, {first.cos, second.cos}};
  } else {
    SinCosOf<V> result;
    Math::turn(s, c, as<IntegerOf<V>>(shifted), result.sin, result.cos);
    return result;
  }
}

/// For |x| <= kLargestArgument.
template <class V, class Math>
[[gnu::always_inline]] inline SinCosOf<V> sincos_fused(const V& x) {
  const Constants& n = Math::constants();
  const auto [r, r_lo, shifted] = reduce_fused<V, Math>(x, n);
  const V z = r * r;
  const V s = polynomial<V, Math>(z, n.s), c = polynomial<V, Math>(z, n.c);
  const V sin = r + mul_add<V, Math>(r, mul_add<V, Math>(z, s, every<V>(n.zero)), r_lo);
  const V v = mul_add<V, Math>(r, every<V>(n.minus_half), mul_add<V, Math>(r, z * c, -r_lo));
  return turn<V, Math>(sin, mul_add<V, Math>(r, v, every<V>(n.one)), shifted);
}

}  // namespace kane::sincos_core

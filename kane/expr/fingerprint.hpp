#pragma once
// Arithmetic of fingerprints: pairs of residues modulo two primes.
//
// Two different primes rather than two points of one field: with a single p an integer multiple of p would vanish
// at both points, and x + p*y would be taken for x.
//
// Both primes are 3 modulo 4, so that -1 has no square root and 1 + t^2 never vanishes (the parametrisation of the
// circle needs that), and 2, 3, 5, ..., 19 are squares modulo both, so that the square roots of small numbers have
// exact values, and with them the sines and cosines of the multiples of 15 degrees.

#include <cstdint>

namespace kane {

namespace field {

__extension__ typedef unsigned __int128 uint128;

/// The integers modulo the pseudo-Mersenne prime 2^Bits - Offset.
template <int Bits, std::uint64_t Offset>
struct Prime {
  static constexpr std::uint64_t kPower = std::uint64_t{1} << Bits;
  static constexpr std::uint64_t kPrime = kPower - Offset;

  static constexpr std::uint64_t reduce(std::uint64_t x) {
    const std::uint64_t y = (x & (kPower - 1)) + Offset * (x >> Bits);
    return y >= kPrime ? y - kPrime : y;
  }
  static constexpr std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    const std::uint64_t sum = a + b;
    return sum >= kPrime ? sum - kPrime : sum;
  }
  static constexpr std::uint64_t sub(std::uint64_t a, std::uint64_t b) { return a >= b ? a - b : a + kPrime - b; }
  static constexpr std::uint64_t neg(std::uint64_t a) { return a == 0 ? 0 : kPrime - a; }
  static constexpr std::uint64_t mul(std::uint64_t a, std::uint64_t b) {
    // 2^Bits = Offset < 2^15, twice: below 2^78 after the first fold, below 2 kPrime after the second.
    const uint128 product = static_cast<uint128>(a) * b;
    const uint128 folded = (static_cast<std::uint64_t>(product) & (kPower - 1)) +
                           static_cast<uint128>(static_cast<std::uint64_t>(product >> Bits)) * Offset;
    const std::uint64_t y =
        (static_cast<std::uint64_t>(folded) & (kPower - 1)) + static_cast<std::uint64_t>(folded >> Bits) * Offset;
    return y >= kPrime ? y - kPrime : y;
  }
  /// The inverse of a, by Euclid's algorithm; 0 for 0.
  static constexpr std::uint64_t inverse(std::uint64_t a) {
    std::uint64_t r0 = kPrime, r1 = a;
    std::int64_t s0 = 0, s1 = 1;  // r_i = s_i a (mod p), and |s_i| <= p: no reduction is needed on the way
    while (r1 > 1) {
      const std::uint64_t quotient = r0 / r1;
      const std::uint64_t r2 = r0 - quotient * r1;
      const std::int64_t s2 = s0 - static_cast<std::int64_t>(quotient) * s1;
      r0 = r1, r1 = r2;
      s0 = s1, s1 = s2;
    }
    if (a == 0) return 0;
    return s1 < 0 ? kPrime - static_cast<std::uint64_t>(-s1) : static_cast<std::uint64_t>(s1);
  }
  static constexpr std::uint64_t power(std::uint64_t x, std::uint64_t n) {
    std::uint64_t result = 1;
    for (; n != 0; n >>= 1, x = mul(x, x))
      if (n & 1U) result = mul(result, x);
    return result;
  }
  /// One of the square roots of a square, the other being its negative: p is 3 modulo 4.
  static constexpr std::uint64_t root_of_square(std::uint64_t a) { return power(a, (kPrime + 1) / 4); }
};

using P1 = Prime<61, 11913>;
using P2 = Prime<62, 32345>;

/// A bijective scramble of 64 bits (finaliser of SplitMix64; Steele, Lea and Flood 2014).
constexpr std::uint64_t scramble(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

}  // namespace field

struct Fingerprint {
  std::uint64_t a = 0;  ///< modulo 2^61 - 11913
  std::uint64_t b = 0;  ///< modulo 2^62 - 32345

  friend constexpr bool operator==(Fingerprint, Fingerprint) = default;

  friend constexpr Fingerprint operator+(Fingerprint x, Fingerprint y) {
    return {field::P1::add(x.a, y.a), field::P2::add(x.b, y.b)};
  }
  friend constexpr Fingerprint operator-(Fingerprint x, Fingerprint y) {
    return {field::P1::sub(x.a, y.a), field::P2::sub(x.b, y.b)};
  }
  friend constexpr Fingerprint operator*(Fingerprint x, Fingerprint y) {
    return {field::P1::mul(x.a, y.a), field::P2::mul(x.b, y.b)};
  }
  constexpr Fingerprint operator-() const { return {field::P1::neg(a), field::P2::neg(b)}; }

  [[nodiscard]] constexpr bool is_zero() const { return a == 0 && b == 0; }
  /// True for one of x and -x. (As residues have no sign, this is only a convention to tell the two apart.)
  [[nodiscard]] constexpr bool is_upper() const {
    return a != 0 ? a > field::P1::kPrime / 2 : b > field::P2::kPrime / 2;
  }
  /// The same for x and -x.
  [[nodiscard]] constexpr Fingerprint magnitude() const { return is_upper() ? -*this : *this; }

  /// The inverse. If one residue happens to be zero, it gets an arbitrary inverse: then an identity may be
  /// missed, but none can be invented, since the other residue still differs.
  [[nodiscard]] constexpr Fingerprint inverse() const {
    return {a == 0 ? field::scramble(b) >> 4 : field::P1::inverse(a),
            b == 0 ? field::scramble(a) >> 4 : field::P2::inverse(b)};
  }

  /// A random value that depends on this one and on `tag`: what an opaque function has for a value.
  [[nodiscard]] constexpr Fingerprint opaque(std::uint64_t tag) const {
    const std::uint64_t h = field::scramble(a ^ field::scramble(b ^ field::scramble(tag)));
    const std::uint64_t k = field::scramble(h ^ (b + 0x5851f42d4c957f2dU) ^ (tag << 32));
    return {(h >> 4) | 1U, (k >> 4) | 1U};
  }

  static constexpr Fingerprint integer(std::int64_t n) {
    const auto magnitude = static_cast<std::uint64_t>(n < 0 ? -(n + 1) : n) + (n < 0 ? 1U : 0U);
    const Fingerprint f{field::P1::reduce(magnitude), field::P2::reduce(magnitude)};
    return n < 0 ? -f : f;
  }
};

[[nodiscard]] constexpr Fingerprint power(Fingerprint x, std::uint64_t n) {
  Fingerprint result = Fingerprint::integer(1);
  for (; n != 0; n >>= 1, x = x * x)
    if (n & 1U) result = result * x;
  return result;
}

/// The square root of a small prime (2 to 19), exactly: an element whose square is `prime`.
[[nodiscard]] constexpr Fingerprint root_of_prime(std::uint64_t prime) {
  return {field::P1::root_of_square(prime), field::P2::root_of_square(prime)};
}

/// A point of the unit circle: the cosine and sine of an angle.
struct CirclePoint {
  Fingerprint c = Fingerprint::integer(1);
  Fingerprint s;

  /// Angles add.
  friend constexpr CirclePoint operator*(const CirclePoint& x, const CirclePoint& y) {
    return {x.c * y.c - x.s * y.s, x.s * y.c + x.c * y.s};
  }
  [[nodiscard]] constexpr CirclePoint conjugate() const { return {c, -s}; }

  /// The rational parametrisation t -> ((1-t^2)/(1+t^2), 2t/(1+t^2)); both primes are 3 modulo 4, so 1+t^2 is not 0.
  static constexpr CirclePoint from_parameter(Fingerprint t) {
    const Fingerprint one = Fingerprint::integer(1);
    const Fingerprint d = (one + t * t).inverse();
    return {(one - t * t) * d, (t + t) * d};
  }
};

}  // namespace kane

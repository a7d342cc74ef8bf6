#pragma once
// Internal to literal(): the greatest common divisor of polynomials in many atoms, over the rationals.
//
// First the degree of the answer in every atom is bounded from above: all other atoms get random values modulo a prime,
// and two polynomials of one atom are left, whose divisor is quick to find. Modulo a prime and at a point where no
// leading coefficient vanishes, the degree can come out too high but never too low [Brown 1971, On Euclid's algorithm
// and the computation of polynomial greatest common divisors, sec. 4]. Mostly all bounds are zero, and there is nothing
// to be found.
//
// An atom with bound zero does not occur in the answer, which then divides every coefficient of its powers. For the
// atoms that are left, the remainders of Euclid's algorithm are taken in one of them, each freed of the factors that
// its coefficients share (the primitive sequence; Knuth, The art of computer programming, vol. 2, 4.6.1, alg. E).

#include "kane/expr/textbook/polynomial.hpp"

namespace kane::textbook {

/// Whole coefficients without a common factor, the first one positive; constant 1 if nothing is shared. Neither
/// polynomial may be zero or have negative exponents. Throws TooLong.
[[nodiscard]] Polynomial find_gcd(const Polynomial& a, const Polynomial& b, Budget& budget);

/// q with p = q d, if there is one; d is not zero, and neither has negative exponents. Throws TooLong.
[[nodiscard]] std::optional<Polynomial> find_exact_quotient(const Polynomial& p, const Polynomial& d, Budget& budget);

/// p divided by the common measure of its coefficients, the first one positive.
[[nodiscard]] Polynomial primitive_part(const Polynomial& p);

/// The powers that all terms of p share.
[[nodiscard]] Monomial common_monomial(const Polynomial& p);

}  // namespace kane::textbook

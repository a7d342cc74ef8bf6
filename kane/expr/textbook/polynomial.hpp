#pragma once
// Internal to literal(): polynomials with exact coefficients in numbered atoms (atoms.hpp says what those are).
// Exponents may be negative: 1/L is L^-1.

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "kane/expr/number.hpp"

namespace kane::textbook {

struct Power {
  int atom;
  int exponent;
  friend auto operator<=>(const Power&, const Power&) = default;
};

/// Atoms ascending, no exponent zero.
using Monomial = std::vector<Power>;

using Polynomial = std::map<Monomial, Rational>;

/// The work would have exceeded its limit.
struct TooLong {};

/// Limits the size of polynomials and the number of steps taken on them.
class Budget {
 public:
  explicit Budget(std::size_t max_terms) : max_terms_(4 * max_terms), steps_(250 * max_terms) {}

  /// Throws TooLong when the steps are used up.
  void spend(std::size_t steps) {
    if (steps > steps_) throw TooLong{};
    steps_ -= steps;
  }
  /// Throws TooLong for a polynomial with too many terms. Some room is left for terms that cancel later.
  void check(const Polynomial& p) const {
    if (p.size() > max_terms_) throw TooLong{};
  }

 private:
  std::size_t max_terms_;
  std::size_t steps_;
};

[[nodiscard]] Polynomial constant(const Rational& value);
[[nodiscard]] Polynomial monomial(int atom, int exponent = 1);

[[nodiscard]] Monomial product(const Monomial& a, const Monomial& b);
[[nodiscard]] Monomial power(const Monomial& m, int n);
/// The powers that both have: the smaller of two positive exponents, the one nearer to zero of two negative ones.
[[nodiscard]] Monomial common_part(const Monomial& a, const Monomial& b);
[[nodiscard]] bool divides(const Monomial& part, const Monomial& whole);

void add_term(Polynomial& p, const Monomial& m, const Rational& c);
void add(Polynomial& p, const Polynomial& q, const Rational& factor);
[[nodiscard]] Polynomial multiply(const Polynomial& p, const Polynomial& q, Budget& budget);
[[nodiscard]] Polynomial multiply(const Polynomial& p, const Monomial& m, const Rational& c);
[[nodiscard]] Polynomial power(const Polynomial& p, int n, Budget& budget);

/// q with p = q d, if there is one; d has no negative exponents.
[[nodiscard]] std::optional<Polynomial> find_quotient(const Polynomial& p, const Polynomial& d, Budget& budget);

}  // namespace kane::textbook

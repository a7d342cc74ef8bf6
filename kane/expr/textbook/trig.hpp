#pragma once
// Internal to literal(): polynomials in sines and cosines, in the shortest of their equal forms.
//
// A product of sines and cosines is a sum of sines and cosines of sums of angles (waves) in exactly one way: two
// polynomials are equal if their waves are. From the waves other forms are made by choosing angles b1, b2, ... whose
// whole multiples give all waves, and writing cos(n1 b1 + n2 b2 + ...) as a polynomial in the sines and cosines of b1,
// b2, ...: with the coordinates for the b's, this is the form multiplied out; with half sums and half differences of
// waves it is the sum-to-product form. In each, s^2 = 1 - c^2 or c^2 = 1 - s^2 is applied, angle by angle, whichever is
// shorter.

#include <map>
#include <optional>
#include <vector>

#include "kane/expr/textbook/atoms.hpp"

namespace kane::textbook {

/// sin(angle) or cos(angle), with the sign of the angle and its quarter turns normalised; cos of the empty angle is 1.
struct Wave {
  Angle angle;
  bool sine = false;
  friend bool operator<(const Wave& a, const Wave& b) {
    return a.angle != b.angle ? a.angle < b.angle : a.sine < b.sine;
  }
};
using Waves = std::map<Wave, Rational>;

class Trigonometry {
 public:
  Trigonometry(Atoms& atoms, std::size_t max_terms) : atoms_(atoms), max_terms_(max_terms), budget_(max_terms) {}

  /// Forms of `p` that may be short: equal to it, none of them with a term that the identities would remove.
  std::vector<Polynomial> forms(const Polynomial& p);

  /// The sine or cosine of an angle as a polynomial.
  Polynomial wave(const Angle& angle, bool sine);

  /// The squares of one atom replaced, x^2 = 1 - other^2: the sine and the cosine of an angle, in either order.
  Polynomial without_squares(const Polynomial& p, int atom, int other);

 private:
  /// A polynomial in trigonometric atoms for each monomial of other atoms.
  using Parts = std::map<Monomial, Polynomial>;

  [[nodiscard]] Parts split(const Polynomial& p) const;
  /// With sines and cosines below the line: cos(a) + tan(b) sin(a) is cos(a - b)/cos(b). None if there are none.
  std::optional<Polynomial> over_common_denominators(const Polynomial& p);
  std::optional<Waves> find_waves(const Polynomial& trigonometric);
  Waves waves_of(const Polynomial& trigonometric);
  void add_wave(Waves& waves, Angle angle, bool sine, Rational coefficient) const;
  Polynomial polynomial_of(const Waves& waves);

  Polynomial shortest(const Waves& waves, const Polynomial& written);
  Polynomial search(const Waves& waves);
  void try_bases(const Waves& waves, Polynomial& best);
  void try_splits(const Waves& waves, Polynomial& best);
  std::optional<Polynomial> in_basis(const Waves& waves, const std::vector<Angle>& basis);
  std::optional<Polynomial> elementary(const Waves& waves, bool to_sines);
  std::pair<Polynomial, Polynomial> multiple_angle(const Angle& unit, int n);
  Polynomial best_directions(Polynomial p, const std::vector<Angle>& basis);
  /// Multiples of pi and numbers are not angles to multiply out by.
  [[nodiscard]] bool is_free(NodeId node) const { return node != Graph::kOne && atoms_.graph().op(node) != Op::Pi; }
  [[nodiscard]] int flat_cost(const Polynomial& p) const;
  void keep_shorter(Polynomial& best, const Polynomial& other) const;

  Atoms& atoms_;
  std::size_t max_terms_;
  Budget budget_;  ///< when it is used up, terms stay as they are
  std::map<Waves, Polynomial> known_;
  int tries_ = 600;
};

}  // namespace kane::textbook

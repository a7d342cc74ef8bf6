#pragma once
// Internal to literal(): common denominators, and what cancels between numerator and denominator.
//
// A polynomial whose terms have sums below the line (Denominator atoms) is a sum of fractions. Two ways to shorten it:
// cancel in every fraction by itself, or bring all fractions over their common denominator and cancel then. Either is
// done separately for every product of atoms that no denominator contains: a (b + c)/(b + c) + d cancels without
// bringing d over b + c.
//
// Sines and cosines are first reduced modulo s^2 + c^2 = 1, by removing the squares of either; then they count as
// independent. A factor may go unnoticed that way, but one that is found is one.

#include <map>
#include <set>
#include <vector>

#include "kane/expr/textbook/expand.hpp"

namespace kane::textbook {

class Fractions {
 public:
  Fractions(Atoms& atoms, Trigonometry& trigonometry, Expansion& expansion, std::size_t max_terms);

  /// Forms equal to p, different from it and from each other. None if p has no denominators, or the work would be more
  /// than its limit.
  std::vector<Polynomial> forms(const Polynomial& p);

 private:
  enum class Squares { OfSines, OfCosines };  ///< which ones are removed
  /// numerator / (powers of atoms and of sums)
  struct Fraction {
    Polynomial numerator;     ///< no negative exponents, no Denominator atoms
    Monomial below;           ///< plain atoms, positive exponents
    std::map<int, int> sums;  ///< Denominator atoms, positive exponents
  };

  Polynomial opened(const Polynomial& p);
  Polynomial flattened(const Polynomial& p, int depth);
  Polynomial cancelled(const Polynomial& p, Squares squares, bool together);
  Fraction over_common_denominator(const Polynomial& p);
  Polynomial lowest_terms(Fraction fraction, Squares squares);
  Polynomial reduced(const Polynomial& p, Squares squares);
  [[nodiscard]] std::set<int> atoms_below(const Polynomial& p) const;
  [[nodiscard]] bool is_denominator(int atom) const { return atoms_[atom].kind == AtomKind::Denominator; }

  Atoms& atoms_;
  Trigonometry& trigonometry_;
  Expansion& expansion_;
  Budget budget_;
};

}  // namespace kane::textbook

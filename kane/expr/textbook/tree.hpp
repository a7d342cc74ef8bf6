#pragma once
// Internal to literal(): sums of products of sums and so on, in the form they are printed in, and printing them.

#include <memory>
#include <string>
#include <vector>

#include "kane/expr/textbook/atoms.hpp"

namespace kane::textbook {

struct Term;
using Sum = std::vector<Term>;

/// An atom or a sum in parentheses, to a power.
struct Factor {
  int atom = -1;
  std::shared_ptr<const Sum> sum;
  Polynomial expanded;  ///< the sum multiplied out
  int exponent = 1;
};

struct Term {
  Rational coefficient = 1;
  std::vector<Factor> factors;
};

/// Operations of the sum as written.
[[nodiscard]] int count_operations(const Sum& sum, const Atoms& atoms);

/// Divisions within numerators and denominators of fractions: sums that are still divided by something inside.
[[nodiscard]] int count_nested_fractions(const Sum& sum);

/// Puts terms and factors into reading order. The first term of a sum is positive if one is.
void put_in_order(Sum& sum, const Atoms& atoms);

[[nodiscard]] std::string to_text(const Sum& sum, const Atoms& atoms);
[[nodiscard]] std::string to_latex(const Sum& sum, const Atoms& atoms);

/// The value of the sum, built in a graph that has the symbols of the original by name.
[[nodiscard]] Expr build(const Sum& sum, const Atoms& atoms, Graph& target);

}  // namespace kane::textbook

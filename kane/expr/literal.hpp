#pragma once
// The textbook form of an expression, on request: as a person would write it, not as a machine should compute it.

#include <string>
#include <vector>

#include "kane/expr/expr.hpp"

namespace kane {

/// How a textbook form is written.
struct LiteralOptions {
  /// Limit of size: gives up if the result, or an intermediate polynomial, has more than a few times this many terms.
  std::size_t max_terms = 400;
  /// Gives up at once if the form of the graph, written out, has more operations than this; 0 is no limit. For readers
  /// who want short forms only: finding out that a form is long takes longer than writing a short one.
  std::size_t max_operations = 0;
  /// Find common denominators, and cancel the greatest common divisors of numerators and denominators.
  bool cancel = true;
  /// The roles of symbols, for the order of factors and terms. A symbol in none of the lists is judged by its name:
  /// u1 is a speed, q1 a coordinate, x' the derivative of x.
  std::vector<Expr> coordinates = {};
  std::vector<Expr> speeds = {};         ///< written after the coordinates
  std::vector<Expr> accelerations = {};  ///< written last
};

/// The same value as a tree to be printed: reduced by s^2 + c^2 = 1, sums of angles contracted where that is
/// shorter, common factors taken out, terms in reading order. It is text in both notations, not part of the graph (whose
/// nodes keep their cheapest form).
struct Literal {
  bool too_long = false;  ///< past max_terms; text and latex then hold the form of the graph, if short, or a note
  std::size_t terms = 0;  ///< number of terms of the sum
  int operations = 0;     ///< operations in the text as written (nothing is shared)
  std::string text;       ///< infix form
  std::string latex;      ///< LaTeX form
};

/// The textbook form of an expression: expanded, with trigonometric sums contracted and common factors taken out.
[[nodiscard]] Literal literal(const Expr& e, const LiteralOptions& options = {});

}  // namespace kane

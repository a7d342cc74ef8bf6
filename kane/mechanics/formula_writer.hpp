#pragma once
// Expressions, vectors and dyadics of a derivation as formulas for a person, in both notations.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kane/base/page.hpp"
#include "kane/expr/abbreviate.hpp"
#include "kane/expr/literal.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

/// A name as an upright label of LaTeX.
[[nodiscard]] std::string latex_label(std::string_view name);
[[nodiscard]] Formula equation(const Formula& left, const Formula& right);

class FormulaWriter {
 public:
  FormulaWriter(const System& system, std::size_t max_terms);

  /// The textbook form alone. Formulas come back in later steps, so each is worked out once.
  [[nodiscard]] const Literal& textbook(const Expr& e);
  /// The textbook form; where that is too long to read, one with intermediate variables, whose definitions wait in
  /// take_definitions().
  [[nodiscard]] Formula form(const Expr& e);
  /// The shorter of two forms that mean the same; the second if it is as short.
  [[nodiscard]] Formula shorter(const Expr& e, const Expr& substituted);
  /// The same, a number in decimals.
  [[nodiscard]] Formula value(const Expr& e);
  [[nodiscard]] Formula symbol(const Expr& s) const;
  [[nodiscard]] Formula vector(const Vector& v);
  [[nodiscard]] Formula dyadic(const Dyadic& d);

  /// Intermediate variables that no one has taken yet: their equations, in order.
  [[nodiscard]] std::vector<Formula> take_definitions();
  [[nodiscard]] std::size_t definitions_waiting() const { return abbreviations_.definitions().size() - taken_; }
  [[nodiscard]] std::size_t definitions_taken() const { return taken_; }

 private:
  [[nodiscard]] Formula abbreviated(const Expr& e) const;

  const System& system_;
  LiteralOptions literal_;
  std::map<std::pair<const Graph*, NodeId>, Literal> known_;
  Abbreviations abbreviations_;
  std::size_t taken_ = 0;
};

}  // namespace kane

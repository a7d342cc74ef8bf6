#pragma once
// Expressions as text: Kane's infix form (which parse() turns back into the same node), LaTeX, and C-like code.

#include <functional>
#include <string>

#include "kane/expr/expr.hpp"

namespace kane {

/// Limits of printed text.
struct PrintOptions {
  /// Longer results are cut with " ..." (0 = never; then LimitError past max_nodes).
  std::size_t max_length = 0;
  /// An expression written out as a tree may be exponentially larger than its graph; past this many printed nodes
  /// printing stops with LimitError.
  std::size_t max_nodes = 1'000'000;
};

/// The infix form, as the parser reads it.
[[nodiscard]] std::string to_text(const Expr& e, const PrintOptions& options = {});
/// The LaTeX form.
[[nodiscard]] std::string to_latex(const Expr& e, const PrintOptions& options = {});
/// An expression in a C-like language.
[[nodiscard]] std::string to_code(const Expr& e, const PrintOptions& options = {});

/// LaTeX of a name: "q1" becomes q with subscript 1, "theta" the Greek letter, "q1'" a dotted q, "T_AB" T with subscript AB.
[[nodiscard]] std::string latex_name(std::string_view name);

}  // namespace kane

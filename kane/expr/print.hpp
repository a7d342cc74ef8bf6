#pragma once
// Expressions to text: Kane's infix form (parse() gives the same node back), LaTeX, and C-like code.

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

/// Infix, as the parser reads it.
[[nodiscard]] std::string to_text(const Expr& e, const PrintOptions& options = {});
/// For a typesetter.
[[nodiscard]] std::string to_latex(const Expr& e, const PrintOptions& options = {});
/// As an expression of a C-like language.
[[nodiscard]] std::string to_code(const Expr& e, const PrintOptions& options = {});

/// LaTeX of a name: "q1" becomes q with the index 1, "theta" the Greek letter, "q1'" a q with a dot, "T_AB" T with AB below.
[[nodiscard]] std::string latex_name(std::string_view name);

}  // namespace kane

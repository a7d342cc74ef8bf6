#pragma once
// Long formulas in lines. A line ends before a sign (+, -, =), rather outside of parentheses than inside, and the next one
// is aligned with the right side of the equation, or with the parentheses it is in.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kane {

/// Number of characters a terminal shows: bytes of UTF-8 that begin one.
[[nodiscard]] std::size_t text_width(std::string_view text);

/// A formula in plain text in lines of at most `width` characters where signs allow it, the following lines indented.
[[nodiscard]] std::vector<std::string> break_text(std::string_view formula, std::size_t width);

/// A line of a formula in LaTeX: what stands to the left of the common alignment mark, and to the right of it.
struct LatexLine {
  std::string left;
  std::string right;
};

/// The width of a formula when set, roughly, in letters.
[[nodiscard]] double latex_width(std::string_view formula);

/// A formula in LaTeX in lines of about `width` letters. The mark is before the equals sign if what stands before it is
/// short, else at the beginning of every line. Parentheses that close in another line than they open in have a fixed size.
[[nodiscard]] std::vector<LatexLine> break_latex(std::string_view formula, double width);

}  // namespace kane

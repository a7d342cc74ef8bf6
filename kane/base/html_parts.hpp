#pragma once
// Parts of HTML pages for pages of other modules.

#include <string>

#include "kane/base/page.hpp"

namespace kane {

/// The blocks of a page alone, with formulas in lines of about `width` letters; they need the style of math_style().
[[nodiscard]] std::string write_html_blocks(const Page& page, double width);
/// CSS: the font of formulas, and how formulas stand.
[[nodiscard]] std::string math_style();

}  // namespace kane

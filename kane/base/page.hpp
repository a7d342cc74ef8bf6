#pragma once
// A page of text and formulas, and its forms: plain text, Markdown, LaTeX, and a self-contained HTML page whose
// mathematics the browser typesets (MathML) with a font that the page brings along. A formula is given in two notations;
// nothing here knows expressions.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace kane {

/// The same formula as text and as LaTeX (without $).
struct Formula {
  std::string text;
  std::string latex;
};

struct Heading {
  int level = 1;  ///< 1: listed in the contents
  std::string text;
};
/// `typeset`: the same with its mathematics in LaTeX between dollar signs; "": there is none in it.
struct Paragraph {
  std::string text;
  std::string typeset{};
};
/// Displayed formulas, one below the other. Long ones are broken into lines.
struct Formulas {
  std::vector<Formula> rows;
  std::size_t first_number = 0;  ///< number of the first row, the others follow; 0: without numbers
  std::string folded{};          ///< title of a list that is folded away; "": it is not folded
};
struct PageTable {
  std::vector<Formula> header;
  std::vector<std::vector<Formula>> rows;
};

using PageBlock = std::variant<Heading, Paragraph, Formulas, PageTable>;

struct Page {
  std::string title;
  std::vector<PageBlock> blocks;
  std::size_t equations = 0;  ///< numbers given so far

  void add_heading(int level, std::string text) { blocks.push_back(Heading{level, std::move(text)}); }
  void add_text(std::string text, std::string typeset = {}) {
    blocks.push_back(Paragraph{std::move(text), std::move(typeset)});
  }
  /// Every row gets a number.
  void add_equations(std::vector<Formula> rows) {
    if (rows.empty()) return;
    const std::size_t first = equations + 1;
    equations += rows.size();
    blocks.push_back(Formulas{std::move(rows), first});
  }
  /// Without numbers; folded away under a title where the form of the page can.
  void add_formulas(std::vector<Formula> rows, std::string folded = {}) {
    if (!rows.empty()) blocks.push_back(Formulas{std::move(rows), 0, std::move(folded)});
  }
  void add_table(PageTable table) { blocks.push_back(std::move(table)); }
};

/// A cell or word that is not mathematics.
[[nodiscard]] Formula words(std::string text);
/// A unit such as "N*m/rad" or "m/s^2".
[[nodiscard]] Formula unit_formula(const std::string& unit);

[[nodiscard]] std::string write_text(const Page& page);
[[nodiscard]] std::string write_markdown(const Page& page);
[[nodiscard]] std::string write_latex(const Page& page);
[[nodiscard]] std::string write_html(const Page& page);

/// MathML of the LaTeX that Kane itself writes (a small part of the language). What it does not know is shown as text.
[[nodiscard]] std::string mathml(std::string_view latex, bool display);
/// The same for a displayed formula, in lines of about `width` letters.
[[nodiscard]] std::string mathml_lines(std::string_view latex, double width);

/// & < > " as entities.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace kane

#pragma once
// A page of text and formulas, and its forms: plain text, Markdown, LaTeX, and a self-contained HTML page whose
// mathematics the browser typesets (MathML). A formula is given in two notations; nothing here knows expressions.

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace kane {

/// The same formula as text and as LaTeX (without $).
struct Formula {
  std::string text;
  std::string latex;
};

struct Heading {
  int level = 1;
  std::string text;
};
struct Paragraph {
  std::string text;
};
/// Displayed formulas, one below the other.
struct Formulas {
  std::vector<Formula> rows;
};
struct PageTable {
  std::vector<Formula> header;
  std::vector<std::vector<Formula>> rows;
};

using PageBlock = std::variant<Heading, Paragraph, Formulas, PageTable>;

struct Page {
  std::string title;
  std::vector<PageBlock> blocks;

  void add_heading(int level, std::string text) { blocks.push_back(Heading{level, std::move(text)}); }
  void add_text(std::string text) { blocks.push_back(Paragraph{std::move(text)}); }
  void add_formulas(std::vector<Formula> rows) {
    if (!rows.empty()) blocks.push_back(Formulas{std::move(rows)});
  }
  void add_table(PageTable table) { blocks.push_back(std::move(table)); }
};

/// A cell or word that is not mathematics.
[[nodiscard]] Formula words(std::string text);

[[nodiscard]] std::string write_text(const Page& page);
[[nodiscard]] std::string write_markdown(const Page& page);
[[nodiscard]] std::string write_latex(const Page& page);
[[nodiscard]] std::string write_html(const Page& page);

/// MathML of the LaTeX that Kane itself writes (a small part of the language). What it does not know is shown as text.
[[nodiscard]] std::string mathml(std::string_view latex, bool display);

/// & < > " as entities.
[[nodiscard]] std::string escape_html(std::string_view text);

}  // namespace kane

#include "kane/base/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <math_font.hpp>  // written by the build from kane/base/font

#include "kane/base/at.hpp"
#include "kane/base/html_parts.hpp"
#include "kane/base/line_break.hpp"
#include "kane/base/output_mark.hpp"

namespace kane {

Formula words(std::string text) {
  std::string latex = "\\text{";
  for (const char c : text)
    latex += c == '_' || c == '#' || c == '%' || c == '&' ? std::string("\\") + c : std::string(1, c);
  return {std::move(text), latex + "}"};
}

Formula unit_formula(const std::string& unit) {
  if (unit.empty()) return words("");
  std::string latex;
  for (std::size_t i = 0; i < unit.size(); ++i) {
    if (unit[i] == '*') {
      latex += "\\,";
    } else if (unit[i] == '^') {
      std::string exponent;
      while (i + 1 < unit.size() && std::string_view("-0123456789").find(unit[i + 1]) != std::string_view::npos)
        exponent += unit[++i];
      latex += "^{" + exponent + "}";
    } else if (std::isalpha(static_cast<unsigned char>(unit[i])) != 0) {
      std::string name;
      for (; i < unit.size() && std::isalpha(static_cast<unsigned char>(unit[i])) != 0; ++i) name += unit[i];
      --i;
      latex += "\\mathrm{" + name + "}";
    } else {
      latex += unit[i];
    }
  }
  return {unit, latex};
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

namespace {

constexpr std::size_t kTextWidth = 96;    ///< of a formula, characters
constexpr double kPageWidth = 92;         ///< of a formula on a page of a browser, letters
constexpr double kPaperWidth = 78;        ///< the same on paper
constexpr std::size_t kFewestListed = 5;  ///< headings that are worth a list of contents

std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(text_width(text) < to ? to - text_width(text) : 0, ' ');
}

std::vector<std::size_t> column_widths(const PageTable& table) {
  std::vector<std::size_t> widths;
  const auto see = [&](const std::vector<Formula>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i >= widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], text_width(row[i].text));
    }
  };
  see(table.header);
  for (const auto& row : table.rows) see(row);
  return widths;
}

// ---- plain text -----------------------------------------------------------------------------------------------------

struct TextWriter {
  std::string out;

  void operator()(const Heading& h) {
    out += "\n" + h.text + "\n" + std::string(text_width(h.text), h.level <= 1 ? '=' : '-') + "\n";
  }
  void operator()(const Paragraph& p) { out += "\n" + p.text + "\n"; }
  void operator()(const Formulas& f) {
    out += "\n";
    std::vector<std::vector<std::string>> rows;
    std::size_t longest = 0;
    for (const auto& row : f.rows) {
      rows.push_back(break_text(row.text, kTextWidth));
      for (const auto& line : rows.back()) longest = std::max(longest, text_width(line));
    }
    longest = std::min(longest, kTextWidth);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t k = 0; k < rows[i].size(); ++k) {
        const bool numbered = f.first_number > 0 && k + 1 == rows[i].size();
        out += "  " + (numbered ? padded(rows[i][k], longest) : rows[i][k]);
        out += numbered ? fmt::format("   ({})\n", f.first_number + i) : "\n";
      }
    }
  }
  void operator()(const PageTable& table) {
    const auto widths = column_widths(table);
    out += "\n";
    const auto line = [&](const std::vector<Formula>& row) {
      std::string text = " ";
      for (std::size_t i = 0; i < row.size(); ++i) text += " " + padded(row[i].text, widths[i]) + " ";
      while (!text.empty() && text.back() == ' ') text.pop_back();
      out += text + "\n";
    };
    line(table.header);
    std::size_t total = 1;
    for (const auto w : widths) total += w + 2;
    out += "  " + std::string(total > 2 ? total - 2 : 0, '-') + "\n";
    for (const auto& row : table.rows) line(row);
  }
};

/// The headings that a list of contents has; none if they are few.
std::vector<std::string> contents_of(const Page& page) {
  std::vector<std::string> list;
  for (const auto& block : page.blocks)
    if (const auto* heading = std::get_if<Heading>(&block); heading != nullptr && heading->level <= 1)
      list.push_back(heading->text);
  if (list.size() < kFewestListed) list.clear();
  return list;
}

/// A heading as the target of a link, as Markdown forms it: "1. Some words" is 1-some-words.
std::string anchor_of(std::string_view heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) out += static_cast<char>(std::tolower(byte));
    if (c == ' ' || c == '-') out += '-';
  }
  return out;
}

/// A paragraph with its mathematics put by `math` and everything else by `plain`.
template <class Plain, class Math>
std::string typeset(const Paragraph& p, const Plain& plain, const Math& math) {
  if (p.typeset.empty()) return plain(p.text);
  std::string out;
  bool inside = false;
  for (std::size_t from = 0; from <= p.typeset.size(); inside = !inside) {
    const std::size_t to = std::min(p.typeset.find('$', from), p.typeset.size());
    const std::string piece = p.typeset.substr(from, to - from);
    out += inside ? math(piece) : plain(piece);
    from = to + 1;
  }
  return out;
}

/// A cell without mathematics.
bool is_words(const Formula& cell) { return cell.latex.starts_with("\\text{") && cell.latex == words(cell.text).latex; }

/// "a &= b \\ &\quad + c", for the environments of LaTeX that align lines; `after` is put behind every line but the last.
std::string aligned_lines(const std::vector<LatexLine>& lines, std::string_view after) {
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += lines[i].left + (lines[i].left.empty() ? "&" : " &") + lines[i].right;
    if (i + 1 < lines.size()) out += std::string(after) + " \\\\\n";
  }
  return out;
}

// ---- Markdown ---------------------------------------------------------------------------------------------------------

struct MarkdownWriter {
  std::string out;

  void operator()(const Heading& h) { out += "\n" + std::string(at(h.level) + 1, '#') + " " + h.text + "\n"; }
  void operator()(const Paragraph& p) { out += "\n" + (p.typeset.empty() ? p.text : p.typeset) + "\n"; }
  void operator()(const Formulas& f) {
    if (!f.folded.empty()) out += "\n<details><summary>" + escape_html(f.folded) + "</summary>\n";
    for (std::size_t i = 0; i < f.rows.size(); ++i) {
      const auto lines = break_latex(f.rows[i].latex, kPageWidth);
      const std::string tag = f.first_number > 0 ? fmt::format(" \\tag{{{}}}", f.first_number + i) : "";
      if (lines.size() == 1)
        out += "\n$$" + f.rows[i].latex + tag + "$$\n";
      else
        out += "\n$$\\begin{aligned}\n" + aligned_lines(lines, "") + "\n\\end{aligned}" + tag + "$$\n";
    }
    if (!f.folded.empty()) out += "\n</details>\n";
  }
  void operator()(const PageTable& table) {
    out += "\n";
    const auto line = [&](const std::vector<Formula>& row) {
      for (const auto& cell : row) out += is_words(cell) ? "| " + cell.text + " " : "| $" + cell.latex + "$ ";
      out += "|\n";
    };
    line(table.header);
    for (std::size_t i = 0; i < table.header.size(); ++i) out += "|---";
    out += "|\n";
    for (const auto& row : table.rows) line(row);
  }
};

// ---- LaTeX --------------------------------------------------------------------------------------------------------------

std::string escape_latex(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("_#%&{}$").find(c) != std::string_view::npos)
      out += std::string("\\") + c;
    else if (c == '^')
      out += "\\^{}";
    else if (c == '~')
      out += "\\~{}";
    else if (c == '\\')
      out += "\\textbackslash{}";
    else
      out += c;
  }
  return out;
}

struct LatexWriter {
  std::string out;

  void operator()(const Heading& h) {
    const std::string kind = h.level <= 1 ? "section" : "subsection", text = escape_latex(h.text);
    out += "\n\\" + kind + "*{" + text + "}\n";
    if (h.level <= 1) out += "\\addcontentsline{toc}{section}{" + text + "}\n";
  }
  void operator()(const Paragraph& p) {
    out += "\n" + typeset(p, escape_latex, [](const std::string& latex) { return "$" + latex + "$"; }) + "\n";
  }
  /// Equations with short left sides have their equals signs one below the other.
  void operator()(const Formulas& f) {
    std::vector<std::vector<LatexLine>> rows;
    bool together = true;
    for (const auto& row : f.rows) {
      rows.push_back(break_latex(row.latex, kPaperWidth));
      together = together && !rows.back().front().left.empty();
    }
    const std::string star = f.first_number > 0 ? "" : "*";
    if (together) {
      out += "\\begin{align" + star + "}\n";
      for (std::size_t i = 0; i < rows.size(); ++i)
        out += aligned_lines(rows[i], f.first_number > 0 ? " \\notag" : "") + (i + 1 < rows.size() ? " \\\\\n" : "\n");
      out += "\\end{align" + star + "}\n";
      return;
    }
    for (const auto& lines : rows) {
      const std::string inner = aligned_lines(lines, "");
      out +=
          "\\begin{equation" + star + "}\n\\begin{split}\n" + inner + "\n\\end{split}\n\\end{equation" + star + "}\n";
    }
  }
  void operator()(const PageTable& table) {
    out += "\n\\begin{center}\n\\begin{tabular}{" + std::string(table.header.size(), 'l') + "}\n";
    const auto line = [&](const std::vector<Formula>& row) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        out += i == 0 ? "" : " & ";
        out += is_words(row[i]) ? escape_latex(row[i].text) : "$" + row[i].latex + "$";
      }
      out += " \\\\\n";
    };
    line(table.header);
    out += "\\hline\n";
    for (const auto& row : table.rows) line(row);
    out += "\\end{tabular}\n\\end{center}\n";
  }
};

// ---- HTML -----------------------------------------------------------------------------------------------------------------

struct HtmlWriter {
  std::string out{};
  double width = kPageWidth;  ///< of formulas, in letters

  void operator()(const Heading& h) {
    const std::string tag = "h" + std::to_string(h.level + 1);
    out += "<" + tag + " id='" + anchor_of(h.text) + "'>" + escape_html(h.text) + "</" + tag + ">\n";
  }
  void operator()(const Paragraph& p) {
    out += "<p>" + typeset(p, escape_html, [](const std::string& latex) { return mathml(latex, false); }) + "</p>\n";
  }
  void operator()(const Formulas& f) {
    if (!f.folded.empty()) out += "<details><summary>" + escape_html(f.folded) + "</summary>\n";
    for (std::size_t i = 0; i < f.rows.size(); ++i) {
      out += "<div class='equation'><div class='formula' title=\"" + escape_html(f.rows[i].text) + "\">" +
             mathml_lines(f.rows[i].latex, width) + "</div>";
      if (f.first_number > 0)
        out += fmt::format("<a class='number' id='eq{0}' href='#eq{0}'>({0})</a>", f.first_number + i);
      out += "</div>\n";
    }
    if (!f.folded.empty()) out += "</details>\n";
  }
  void operator()(const PageTable& table) {
    const auto cell_of = [](const Formula& cell) {
      return is_words(cell) ? escape_html(cell.text) : mathml(cell.latex, false);
    };
    out += "<div class='scroll'><table><thead><tr>";
    for (const auto& cell : table.header) out += "<th>" + cell_of(cell) + "</th>";
    out += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
      out += "<tr>";
      for (const auto& cell : row) out += "<td>" + cell_of(cell) + "</td>";
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
  }
};

constexpr std::string_view kHtmlStyle = R"(
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #8884; padding-bottom: .2rem; }
nav ul { columns: 2; padding-left: 1.2rem; margin: .4rem 0 0; } nav a { text-decoration: none; }
details { margin: .6rem 0; } summary { cursor: pointer; }
table { border-collapse: collapse; margin: .6rem 0; } th, td { padding: .25rem .8rem; text-align: left; }
thead { border-bottom: 1px solid #8888; } tbody tr:nth-child(even) { background: #8881; }
@media print { details:not([open]) > :not(summary) { display: block; } }
)";
constexpr std::string_view kMathStyle = R"(
.equation { display: flex; align-items: center; gap: 1rem; break-inside: avoid; }
.equation:target { background: #fd03; }
.formula { overflow-x: auto; overflow-y: hidden; padding: .25rem 0; flex: 1; }
.number { color: inherit; opacity: .6; text-decoration: none; }
math { font-size: 1.15rem; font-family: "Kane Math", math; }
math[display=block] { width: max-content; margin: .2rem 1.5rem; }
mtable.lines > mtr > mtd { padding: .2rem 0; }
mtable.lines > mtr > mtd:first-child { text-align: right; }
mtable.lines > mtr > mtd:last-child { text-align: left; }
.scroll { overflow-x: auto; overflow-y: hidden; padding-bottom: .25rem; }
)";

std::string html_head(const std::string& title) {
  return "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n<meta name='viewport' "
         "content='width=device-width, initial-scale=1'>\n<meta name='generator' content='" +
         std::string(kOutputWords) + "'>\n<title>" + escape_html(title) + "</title>\n<style>\n" + math_style() +
         std::string(kHtmlStyle) + "</style>\n</head><body>\n<h1>" + escape_html(title) + "</h1>\n";
}

template <class Writer>
std::string write_blocks(const Page& page) {
  Writer writer;
  for (const auto& block : page.blocks) std::visit(writer, block);
  return writer.out;
}

}  // namespace

std::string write_text(const Page& page) {
  std::string out = page.title + "\n" + std::string(text_width(page.title), '=') + "\n";
  std::string line;
  for (const std::string& heading : contents_of(page)) {
    if (!line.empty() && line.size() + heading.size() > kTextWidth) out += line + "\n", line = " ";
    line += (line.empty() ? "\nContents: " : line == " " ? " " : " | ") + heading;
  }
  if (!line.empty()) out += line + "\n";
  return out + write_blocks<TextWriter>(page);
}

std::string write_markdown(const Page& page) {
  std::string out = "# " + page.title + "\n";
  const auto contents = contents_of(page);
  if (!contents.empty()) out += "\n";
  for (const std::string& heading : contents) out += "- [" + heading + "](#" + anchor_of(heading) + ")\n";
  return out + write_blocks<MarkdownWriter>(page);
}

std::string write_latex(const Page& page) {
  return "\\documentclass[fleqn]{article}\n\\usepackage{amsmath}\n\\usepackage[margin=2cm]{geometry}"
         "\n\\allowdisplaybreaks\n"
         "\\title{" +
         escape_latex(page.title) + "}\n\\date{}\n\\begin{document}\n\\maketitle\n" +
         (contents_of(page).empty() ? "" : "\\tableofcontents\n") + write_blocks<LatexWriter>(page) +
         "\\end{document}\n";
}

std::string write_html_blocks(const Page& page, double width) {
  HtmlWriter writer{{}, width};
  for (const auto& block : page.blocks) std::visit(writer, block);
  return writer.out;
}

std::string math_style() {
  return "/* " + std::string(kMathFontNotice) +
         " */\n@font-face { font-family: \"Kane Math\"; src: url(data:font/woff2;base64," + std::string(kMathFont) +
         ") format(\"woff2\"); }" + std::string(kMathStyle);
}

std::string write_html(const Page& page) {
  std::string out = html_head(page.title);
  const auto contents = contents_of(page);
  if (!contents.empty()) {
    out += "<nav aria-label='Contents'><ul>\n";
    for (const std::string& heading : contents)
      out += "<li><a href='#" + anchor_of(heading) + "'>" + escape_html(heading) + "</a></li>\n";
    out += "</ul></nav>\n";
  }
  return out + write_blocks<HtmlWriter>(page) + "</body></html>\n";
}

}  // namespace kane

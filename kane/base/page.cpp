#include "kane/base/page.hpp"

#include <algorithm>
#include <cstddef>

#include "kane/base/at.hpp"

namespace kane {

Formula words(std::string text) {
  std::string latex = "\\text{";
  for (const char c : text)
    latex += c == '_' || c == '#' || c == '%' || c == '&' ? std::string("\\") + c : std::string(1, c);
  return {std::move(text), latex + "}"};
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

/// Number of characters a terminal shows: bytes of UTF-8 that begin one.
std::size_t width(std::string_view text) {
  return at(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(width(text) < to ? to - width(text) : 0, ' ');
}

std::vector<std::size_t> column_widths(const PageTable& table) {
  std::vector<std::size_t> widths;
  const auto see = [&](const std::vector<Formula>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i >= widths.size()) widths.push_back(0);
      widths[i] = std::max(widths[i], width(row[i].text));
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
    out += "\n" + h.text + "\n" + std::string(width(h.text), h.level <= 1 ? '=' : '-') + "\n";
  }
  void operator()(const Paragraph& p) { out += "\n" + p.text + "\n"; }
  void operator()(const Formulas& f) {
    out += "\n";
    for (const auto& row : f.rows) out += "  " + row.text + "\n";
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

/// A cell without mathematics.
bool is_words(const Formula& cell) { return cell.latex.starts_with("\\text{") && cell.latex == words(cell.text).latex; }

// ---- Markdown ---------------------------------------------------------------------------------------------------------

struct MarkdownWriter {
  std::string out;

  void operator()(const Heading& h) { out += "\n" + std::string(at(h.level) + 1, '#') + " " + h.text + "\n"; }
  void operator()(const Paragraph& p) { out += "\n" + p.text + "\n"; }
  void operator()(const Formulas& f) {
    for (const auto& row : f.rows) out += "\n$$" + row.latex + "$$\n";
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
    else
      out += c;
  }
  return out;
}

struct LatexWriter {
  std::string out;

  void operator()(const Heading& h) {
    out += std::string("\n\\") + (h.level <= 1 ? "section*{" : "subsection*{") + escape_latex(h.text) + "}\n";
  }
  void operator()(const Paragraph& p) { out += "\n" + escape_latex(p.text) + "\n"; }
  void operator()(const Formulas& f) {
    for (const auto& row : f.rows) out += "\\begin{dmath*}\n" + row.latex + "\n\\end{dmath*}\n";
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
  std::string out;

  void operator()(const Heading& h) {
    const std::string tag = "h" + std::to_string(h.level + 1);
    out += "<" + tag + ">" + escape_html(h.text) + "</" + tag + ">\n";
  }
  void operator()(const Paragraph& p) { out += "<p>" + escape_html(p.text) + "</p>\n"; }
  void operator()(const Formulas& f) {
    for (const auto& row : f.rows)
      out += "<div class='formula' title=\"" + escape_html(row.text) + "\">" + mathml(row.latex, true) + "</div>\n";
  }
  void operator()(const PageTable& table) {
    out += "<div class='scroll'><table><thead><tr>";
    for (const auto& cell : table.header) out += "<th>" + mathml(cell.latex, false) + "</th>";
    out += "</tr></thead><tbody>\n";
    for (const auto& row : table.rows) {
      out += "<tr>";
      for (const auto& cell : row) out += "<td>" + mathml(cell.latex, false) + "</td>";
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
  }
};

constexpr std::string_view kHtmlStyle = R"(<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #8884; padding-bottom: .2rem; }
.formula { overflow-x: auto; padding: .25rem 0; }
math { font-size: 1.1rem; font-family: "Latin Modern Math", "STIX Two Math", "Cambria Math", math; }
math[display=block] { width: max-content; margin: .2rem 1.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .6rem 0; } th, td { padding: .25rem .8rem; text-align: left; }
thead { border-bottom: 1px solid #8888; } tbody tr:nth-child(even) { background: #8881; }
</style>
)";

template <class Writer>
std::string write_blocks(const Page& page) {
  Writer writer;
  for (const auto& block : page.blocks) std::visit(writer, block);
  return writer.out;
}

}  // namespace

std::string write_text(const Page& page) {
  return page.title + "\n" + std::string(width(page.title), '=') + "\n" + write_blocks<TextWriter>(page);
}

std::string write_markdown(const Page& page) { return "# " + page.title + "\n" + write_blocks<MarkdownWriter>(page); }

std::string write_latex(const Page& page) {
  return "\\documentclass{article}\n\\usepackage{amsmath,breqn}\n\\usepackage[margin=2cm]{geometry}\n\\title{" +
         escape_latex(page.title) + "}\n\\date{}\n\\begin{document}\n\\maketitle\n" + write_blocks<LatexWriter>(page) +
         "\\end{document}\n";
}

std::string write_html(const Page& page) {
  return "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>\n<meta name='viewport' "
         "content='width=device-width, initial-scale=1'>\n<title>" +
         escape_html(page.title) + "</title>\n" + std::string(kHtmlStyle) + "</head><body>\n<h1>" +
         escape_html(page.title) + "</h1>\n" + write_blocks<HtmlWriter>(page) + "</body></html>\n";
}

}  // namespace kane

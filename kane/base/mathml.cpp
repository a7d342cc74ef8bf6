#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "kane/base/line_break.hpp"
#include "kane/base/page.hpp"

namespace kane {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

/// Commands that are one character.
constexpr Pair kSymbols[] = {
    {"alpha", "α"},      {"beta", "β"},   {"gamma", "γ"},  {"delta", "δ"}, {"epsilon", "ϵ"}, {"zeta", "ζ"},
    {"eta", "η"},        {"theta", "θ"},  {"iota", "ι"},   {"kappa", "κ"}, {"lambda", "λ"},  {"mu", "μ"},
    {"nu", "ν"},         {"xi", "ξ"},     {"pi", "π"},     {"rho", "ρ"},   {"sigma", "σ"},   {"tau", "τ"},
    {"upsilon", "υ"},    {"phi", "ϕ"},    {"chi", "χ"},    {"psi", "ψ"},   {"omega", "ω"},   {"Gamma", "Γ"},
    {"Delta", "Δ"},      {"Theta", "Θ"},  {"Lambda", "Λ"}, {"Xi", "Ξ"},    {"Pi", "Π"},      {"Sigma", "Σ"},
    {"Upsilon", "Υ"},    {"Phi", "Φ"},    {"Psi", "Ψ"},    {"Omega", "Ω"}, {"varphi", "φ"},  {"vartheta", "ϑ"},
    {"varepsilon", "ε"}, {"varrho", "ϱ"}, {"ell", "ℓ"}};

constexpr Pair kOperators[] = {{"cdot", "⋅"},       {"times", "×"}, {"le", "≤"},     {"ge", "≥"},     {"ne", "≠"},
                               {"bmod", "mod"},     {"sum", "∑"},   {"lfloor", "⌊"}, {"rfloor", "⌋"}, {"infty", "∞"},
                               {"rightarrow", "→"}, {"ldots", "…"}, {"circ", "∘"}};

constexpr std::string_view kFunctions[] = {"sin",  "cos",  "tan", "arcsin", "arccos", "arctan", "sinh",
                                           "cosh", "tanh", "exp", "ln",     "min",    "max"};

template <std::size_t N>
std::string_view look_up(const Pair (&table)[N], std::string_view key) {
  for (const auto& [name, value] : table)
    if (name == key) return value;
  return {};
}

class MathmlWriter {
 public:
  explicit MathmlWriter(std::string_view latex) : text_(latex) {}

  std::string row(std::string_view until = {}) {
    if (++depth_ > 200) return skip_to_end();
    std::string out;
    while (position_ < text_.size() && !(!until.empty() && starts(until))) {
      if (text_[position_] == '}' || starts("\\right") || starts("\\end{cases}") || starts("\\\\") ||
          text_[position_] == '&')
        break;
      // A sign after nothing, or after an equals sign, belongs to the one term that follows it.
      const bool sign = text_[position_] == '-' && (out.empty() || out.ends_with("<mo>=</mo>"));
      out += sign ? (++position_, std::string("<mo form='prefix'>−</mo>")) : scripted(item());
    }
    if (!until.empty() && starts(until)) position_ += until.size();
    --depth_;
    return out;
  }

 private:
  [[nodiscard]] bool starts(std::string_view word) const { return text_.substr(position_).starts_with(word); }

  std::string skip_to_end() {
    const std::string rest = "<mtext>" + escape_html(text_.substr(position_)) + "</mtext>";
    position_ = text_.size();
    return rest;
  }

  void skip_blanks() {
    while (position_ < text_.size() && text_[position_] == ' ') ++position_;
  }

  std::string group() {
    skip_blanks();
    if (position_ < text_.size() && text_[position_] == '{') {
      ++position_;
      std::string inner = row();
      if (position_ < text_.size() && text_[position_] == '}') ++position_;
      return "<mrow>" + inner + "</mrow>";
    }
    return item();
  }

  /// The raw text between braces.
  std::string_view raw_group() {
    if (position_ >= text_.size() || text_[position_] != '{') return {};
    const std::size_t start = ++position_;
    for (int open = 1; position_ < text_.size(); ++position_) {
      if (text_[position_] == '{') ++open;
      if (text_[position_] == '}' && --open == 0) break;
    }
    const auto inner = text_.substr(start, position_ - start);
    if (position_ < text_.size()) ++position_;
    return inner;
  }

  /// The item with the sub- and superscripts that follow it.
  std::string scripted(std::string base) {
    std::string below, above;
    while (position_ < text_.size() && (text_[position_] == '_' || text_[position_] == '^')) {
      const bool sub = text_[position_++] == '_';
      (sub ? below : above) = group();
    }
    if (!below.empty() && !above.empty()) return "<msubsup>" + base + below + above + "</msubsup>";
    if (!below.empty()) return "<msub>" + base + below + "</msub>";
    if (!above.empty()) return "<msup>" + base + above + "</msup>";
    return base;
  }

  std::string item() {
    if (position_ >= text_.size()) return {};
    const char c = text_[position_];
    if (c == ' ') return ++position_, "";
    if (c == '{') return group();
    if (c == '\\') return command();
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') {
      const std::size_t start = position_;
      while (position_ < text_.size() &&
             (std::isdigit(static_cast<unsigned char>(text_[position_])) != 0 || text_[position_] == '.'))
        ++position_;
      return "<mn>" + std::string(text_.substr(start, position_ - start)) + "</mn>";
    }
    ++position_;
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) return "<mi>" + std::string(1, c) + "</mi>";
    if (c == '-') return "<mo>−</mo>";
    if (c == '/') return "<mo lspace='0' rspace='0'>/</mo>";
    // Only those of \\left and \\right grow with what is between them.
    if (c == '(' || c == ')' || c == '[' || c == ']') return "<mo stretchy='false'>" + std::string(1, c) + "</mo>";
    return "<mo>" + escape_html(std::string_view(&c, 1)) + "</mo>";
  }

  std::string command() {
    ++position_;
    if (position_ >= text_.size()) return {};
    if (std::isalpha(static_cast<unsigned char>(text_[position_])) == 0) {
      const char c = text_[position_++];
      if (c == ',') return "<mspace width='0.2em'/>";
      if (c == ';' || c == ':' || c == ' ') return "<mspace width='0.3em'/>";
      return "<mo>" + escape_html(std::string_view(&c, 1)) + "</mo>";
    }
    const std::size_t start = position_;
    while (position_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
    const auto name = text_.substr(start, position_ - start);
    return named(name);
  }

  std::string named(std::string_view name) {
    if (const auto symbol = look_up(kSymbols, name); !symbol.empty()) return "<mi>" + std::string(symbol) + "</mi>";
    if (const auto sign = look_up(kOperators, name); !sign.empty()) return "<mo>" + std::string(sign) + "</mo>";
    if (std::find(std::begin(kFunctions), std::end(kFunctions), name) != std::end(kFunctions)) return function(name);
    if (name == "frac") {
      const std::string above = group(), below = group();
      return "<mfrac>" + above + below + "</mfrac>";
    }
    if (name == "sqrt") return root();
    if (name == "bigl" || name == "bigr") return big(name == "bigl", "1.3em");
    if (name == "Bigl" || name == "Bigr") return big(name == "Bigl", "2em");
    if (name == "dot" || name == "ddot" || name == "dddot" || name == "tilde" || name == "hat" || name == "bar")
      return accent(name);
    if (name == "left") return fenced();
    if (name == "begin") return cases();
    if (name == "quad" || name == "qquad") return name == "quad" ? "<mspace width='1em'/>" : "<mspace width='2em'/>";
    if (name == "mathrm" || name == "text" || name == "operatorname") {
      std::string inner;
      bool escaped = false;
      for (const char c : raw_group()) {
        if (c != '\\') inner += escaped && c == ',' ? ' ' : c;
        escaped = c == '\\';
      }
      // Blanks at the ends of a text would be dropped.
      std::string kept;
      for (const char c : escape_html(inner)) kept += c == ' ' ? std::string("&#xa0;") : std::string(1, c);
      return name == "text" ? "<mtext>" + kept + "</mtext>" : "<mi mathvariant='normal'>" + kept + "</mi>";
    }
    if (name == "mathbf" || name == "boldsymbol") return bold(raw_group());
    return "<mtext>" + std::string(name) + "</mtext>";
  }

  /// A thin space before an argument without parentheses: sin x.
  std::string function(std::string_view name) {
    const std::string head = scripted("<mi>" + std::string(name) + "</mi>") + "<mo>&#x2061;</mo>";
    skip_blanks();
    return starts("\\left") ? head : head + "<mspace width='0.2em'/>";
  }

  std::string root() {
    std::string index;
    if (position_ < text_.size() && text_[position_] == '[') {
      const std::size_t end = std::min(text_.find(']', position_), text_.size());
      index = std::string(text_.substr(position_ + 1, end - position_ - 1));
      position_ = std::min(end + 1, text_.size());
    }
    const std::string inner = group();
    return index.empty() ? "<msqrt>" + inner + "</msqrt>" : "<mroot>" + inner + "<mn>" + index + "</mn></mroot>";
  }

  std::string accent(std::string_view name) {
    const std::string_view mark = name == "dot"     ? "˙"
                                  : name == "ddot"  ? "¨"
                                  : name == "dddot" ? "\u20db"
                                  : name == "hat"   ? "^"
                                  : name == "bar"   ? "¯"
                                                    : "~";
    return "<mover accent='true'>" + group() + "<mo>" + std::string(mark) + "</mo></mover>";
  }

  /// A parenthesis of a fixed size, whose partner is in another line.
  std::string big(bool opens, const std::string& size) {
    return "<mo fence='true' minsize='" + size + "' maxsize='" + size + "' form='" + (opens ? "prefix" : "postfix") +
           "'>" + delimiter() + "</mo>";
  }

  /// Vectors: the bold letters that the font has for mathematics, upright Latin and slanted Greek.
  static std::string bold(std::string_view inner) {
    constexpr std::string_view kRoman = "\\mathrm{";
    std::string out;
    if (inner.starts_with('\\') && !inner.starts_with(kRoman)) {
      constexpr std::string_view kGreekLetters[] = {"alpha", "beta", "gamma", "delta",  "epsilon", "zeta", "eta",
                                                    "theta", "iota", "kappa", "lambda", "mu",      "nu",   "xi",
                                                    "",      "pi",   "rho",   "",       "sigma",   "tau",  "upsilon",
                                                    "phi",   "chi",  "psi",   "omega"};
      for (std::size_t i = 0; i < std::size(kGreekLetters); ++i)
        if (inner.substr(1) == kGreekLetters[i]) append_utf8(0x1D736 + static_cast<unsigned>(i), out);
      return "<mi>" + (out.empty() ? escape_html(inner.substr(1)) : out) + "</mi>";
    }
    if (inner.starts_with(kRoman)) inner = inner.substr(kRoman.size(), inner.size() - kRoman.size() - 1);
    for (const char c : inner) {
      if (c >= 'A' && c <= 'Z')
        append_utf8(0x1D400 + static_cast<unsigned>(c - 'A'), out);
      else if (c >= 'a' && c <= 'z')
        append_utf8(0x1D41A + static_cast<unsigned>(c - 'a'), out);
      else if (c >= '0' && c <= '9')
        append_utf8(0x1D7CE + static_cast<unsigned>(c - '0'), out);
      else if (c != '\\')
        out += escape_html(std::string_view(&c, 1));
    }
    return "<mi mathvariant='normal'>" + out + "</mi>";
  }

  static void append_utf8(unsigned code, std::string& out) {  // of the planes above the first
    for (const unsigned byte :
         {0xF0U | code >> 18U, 0x80U | (code >> 12U & 0x3FU), 0x80U | (code >> 6U & 0x3FU), 0x80U | (code & 0x3FU)})
      out += static_cast<char>(byte);
  }

  std::string delimiter() {
    if (position_ >= text_.size()) return {};
    const char c = text_[position_++];
    return c == '.' ? std::string() : escape_html(std::string_view(&c, 1));
  }

  std::string fenced() {
    const std::string open = delimiter();
    std::string inner = row();
    std::string close;
    if (starts("\\right")) {
      position_ += 6;
      close = delimiter();
    }
    // Around a line of letters parentheses stay as they are; sub- and superscripts do not make them grow.
    const bool tall = inner.find("<mfrac") != std::string::npos || inner.find("<mtable") != std::string::npos ||
                      inner.find("<msqrt") != std::string::npos;
    const std::string fence = tall ? "<mo fence='true'>" : "<mo fence='true' stretchy='false'>";
    return "<mrow>" + fence + open + "</mo>" + inner + fence + close + "</mo></mrow>";
  }

  std::string cases() {
    if (raw_group() != "cases") return {};
    std::string rows;
    while (position_ < text_.size() && !starts("\\end{cases}")) {
      std::string cells;
      for (;;) {
        const std::size_t before = position_;
        cells += "<mtd>" + row() + "</mtd>";
        if (position_ < text_.size() && text_[position_] == '&')
          ++position_;
        else if (position_ == before || !starts("&"))
          break;
      }
      rows += "<mtr>" + cells + "</mtr>";
      if (starts("\\\\"))
        position_ += 2;
      else if (!starts("\\end{cases}"))
        break;
    }
    if (starts("\\end{cases}")) position_ += 11;
    return "<mrow><mo>{</mo><mtable columnalign='left'>" + rows + "</mtable></mrow>";
  }

  std::string_view text_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

/// The cells of a line, one below the other in a table.
std::string line_cells(const LatexLine& line) {
  return "<mtr><mtd>" + MathmlWriter(line.left).row() + "</mtd><mtd>" + MathmlWriter(line.right).row() + "</mtd></mtr>";
}

}  // namespace

std::string mathml_lines(std::string_view latex, double width) {
  const auto lines = break_latex(latex, width);
  if (lines.size() == 1) return mathml(latex, true);
  std::string rows;
  for (const LatexLine& line : lines) rows += line_cells(line);
  return "<math display='block'><mtable class='lines' displaystyle='true'>" + rows + "</mtable></math>";
}

std::string mathml(std::string_view latex, bool display) {
  std::string body;
  MathmlWriter writer(latex);
  body = writer.row();
  return std::string("<math") + (display ? " display='block'" : "") + "><mrow>" + body + "</mrow></math>";
}

}  // namespace kane

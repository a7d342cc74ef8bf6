// The tree of textbook/tree.hpp as text and as LaTeX.

#include "kane/expr/textbook/tree.hpp"

#include <cstdlib>

namespace kane::textbook {

namespace {

enum class Style { Text, Latex };

class Writer {
 public:
  Writer(const Atoms& atoms, Style style) : atoms_(atoms), style_(style) {}

  [[nodiscard]] std::string sum(const Sum& terms) const {
    if (terms.empty()) return "0";
    std::string out;
    for (const auto& term : terms) {
      const bool negative = term.coefficient < 0;
      out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
      out += product(term);
    }
    return out;
  }

 private:
  [[nodiscard]] bool latex() const { return style_ == Style::Latex; }

  /// The term without its sign.
  [[nodiscard]] std::string product(const Term& term) const {
    std::vector<const Factor*> above, below;
    for (const auto& f : term.factors) (f.exponent > 0 ? above : below).push_back(&f);
    const Rational size = abs(term.coefficient);
    if (term.factors.empty()) return number(size);
    return latex() ? latex_product(size, above, below) : text_product(size, above, below);
  }

  [[nodiscard]] std::string text_product(const Rational& size, const std::vector<const Factor*>& above,
                                         const std::vector<const Factor*>& below) const {
    const std::string written = kane::to_text(size);
    const bool fraction = written.find('/') != std::string::npos;
    // x/2 and 3*g/(2*L), but 4/3*x and 9.81*x/L.
    const bool divide = fraction && (size.get_num() == 1 || !below.empty());
    std::string top = divide ? size.get_num().get_str() : written;
    std::string bottom = divide ? size.get_den().get_str() : "1";
    std::string out = join(above, "*");
    if (top != "1" || out.empty()) out = top + (out.empty() ? "" : "*" + out);
    if (below.empty()) return bottom == "1" ? out : out + "/" + bottom;
    const bool parentheses = below.size() > 1 || bottom != "1";
    const std::string divisor = (bottom == "1" ? "" : bottom + "*") + join(below, "*");
    return out + "/" + (parentheses ? "(" + divisor + ")" : divisor);
  }

  [[nodiscard]] std::string latex_product(const Rational& size, const std::vector<const Factor*>& above,
                                          const std::vector<const Factor*>& below) const {
    const std::string written = kane::to_text(size);
    const bool fraction = written.find('/') != std::string::npos;
    std::string out = join(above, "\\,");
    if (below.empty()) {
      if (size == 1) return out;
      return number(size) + "\\," + out;
    }
    const std::string top = fraction ? size.get_num().get_str() : written;
    if (top != "1" || out.empty()) out = top + (out.empty() ? "" : "\\," + out);
    const std::string bottom = fraction ? size.get_den().get_str() + "\\," : "";
    // A sum that is alone below the line needs no parentheses.
    const bool alone = below.size() == 1 && bottom.empty() && below[0]->atom < 0 && below[0]->exponent == -1;
    return "\\frac{" + out + "}{" + (alone ? sum(*below[0]->sum) : bottom + join(below, "\\,")) + "}";
  }

  [[nodiscard]] std::string number(const Rational& value) const {
    const std::string written = kane::to_text(value);
    if (!latex() || written.find('/') == std::string::npos) return written;
    return "\\frac{" + value.get_num().get_str() + "}{" + value.get_den().get_str() + "}";
  }

  [[nodiscard]] std::string join(const std::vector<const Factor*>& factors, const char* sign) const {
    std::string out;
    for (std::size_t i = 0; i < factors.size(); ++i)
      out += (out.empty() ? "" : sign) + factor(*factors[i], i + 1 == factors.size());
    return out;
  }

  [[nodiscard]] std::string factor(const Factor& f, bool last) const {
    const int n = std::abs(f.exponent);
    const std::string exponent = n == 1 ? "" : latex() ? "^{" + std::to_string(n) + "}" : "^" + std::to_string(n);
    if (f.atom < 0) return (latex() ? "\\left(" + sum(*f.sum) + "\\right)" : "(" + sum(*f.sum) + ")") + exponent;
    const Atom& atom = atoms_[f.atom];
    if (latex() && atom.is_circular()) {
      // \sin^{2} q, with parentheses where another factor follows.
      const bool bare = atom.bare_argument && last;
      const std::string argument =
          atom.bare_argument && !last ? "\\left(" + atom.latex_argument + "\\right)" : atom.latex_argument;
      return atom.latex_name() + exponent + (bare ? " " : "") + argument;
    }
    const std::string& base = latex() ? atom.latex : atom.text;
    if (n != 1 && (latex() ? atom.is_latex_power : atom.is_text_power))
      return (latex() ? "\\left(" + base + "\\right)" : "(" + base + ")") + exponent;
    return base + exponent;
  }

  const Atoms& atoms_;
  Style style_;
};

}  // namespace

std::string to_text(const Sum& sum, const Atoms& atoms) { return Writer(atoms, Style::Text).sum(sum); }
std::string to_latex(const Sum& sum, const Atoms& atoms) { return Writer(atoms, Style::Latex).sum(sum); }

}  // namespace kane::textbook

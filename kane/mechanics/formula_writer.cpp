#include "kane/mechanics/formula_writer.hpp"

#include <fmt/format.h>

#include <cctype>

#include "kane/expr/count.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/substitution.hpp"

namespace kane {
namespace {

constexpr const char* kAxisNames[] = {"x", "y", "z"};
constexpr int kAlwaysReadable = 40;  // operations

/// "A.x" as a_1 of A, in bold.
std::string latex_unit_vector(const std::string& frame, std::size_t axis) {
  if (frame.size() > 1) return fmt::format("\\boldsymbol{{{}}}_{{{}}}", latex_label(frame), axis + 1);
  return fmt::format("\\mathbf{{{}}}_{{{}}}", static_cast<char>(std::tolower(static_cast<unsigned char>(frame[0]))),
                     axis + 1);
}

bool is_sum(const std::string& text) {
  // A sign at depth zero after the first character.
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == '}') --depth;
    if (depth == 0 && i > 0 && (text[i] == '+' || text[i] == '-') && text[i - 1] == ' ') return true;
  }
  return false;
}

/// Adds "coefficient unit" to a sum, the sign taken out of the coefficient.
void add_term(Formula& sum, Formula c, const std::string& unit, const std::string& latex_unit) {
  const bool minus = c.text.starts_with('-') && !is_sum(c.text);
  if (minus) c.text.erase(0, 1), c.latex.erase(0, 1);
  if (is_sum(c.text)) c = {"(" + c.text + ")", "\\left(" + c.latex + "\\right)"};
  const bool one = c.text == "1";
  const std::string sign = sum.text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
  sum.text += sign + (one ? "" : c.text + " ") + unit;
  sum.latex += sign + (one ? "" : c.latex + "\\,") + latex_unit;
}

std::vector<Expr> speed_symbols(const System& s) {
  std::vector<Expr> r;
  for (const SpeedRecord& u : s.speeds()) r.push_back(u.symbol);
  return r;
}

std::vector<Expr> acceleration_symbols(const System& s) {
  std::vector<Expr> r;
  for (const SpeedRecord& u : s.speeds()) r.push_back(u.derivative);
  return r;
}

}  // namespace

std::string latex_label(std::string_view name) {
  std::string label;
  for (const char c : name) {
    if (c == '_')
      label += "\\_";
    else if (c == ' ')
      label += "\\,";
    else
      label += c;
  }
  return "\\mathrm{" + label + "}";
}

Formula equation(const Formula& left, const Formula& right) {
  return {left.text + " = " + right.text, left.latex + " = " + right.latex};
}

FormulaWriter::FormulaWriter(const System& system, std::size_t max_terms) : system_(system) {
  literal_.max_terms = max_terms;
  literal_.coordinates = system.coordinates();
  literal_.speeds = speed_symbols(system);
  literal_.accelerations = acceleration_symbols(system);
}

const Literal& FormulaWriter::textbook(const Expr& e) {
  Literal& known = known_[{e.graph(), e.graph() == nullptr ? NodeId{} : e.id()}];
  // A number outside of all graphs is quick to write and has no place among the nodes.
  if (known.text.empty() || e.graph() == nullptr) known = literal(e, literal_);
  return known;
}

// Multiplied out, an expression may be much longer than with its common parts named; then it is not for reading.
Formula FormulaWriter::form(const Expr& e) {
  const Literal& written = textbook(e);
  const int shared = count_operations({&e, 1}).total();
  if (!written.too_long && (written.operations <= kAlwaysReadable || 2 * written.operations <= 3 * shared)) {
    return {written.text, written.latex};
  }
  return abbreviated(abbreviations_.shorten({&e, 1}).front());
}

// Values that are equal where the constraints hold: the dependent speeds as they are, or written with the independent ones.
Formula FormulaWriter::shorter(const Expr& e, const Expr& substituted) {
  if (e == substituted) return form(e);
  const Literal written = textbook(e), other = textbook(substituted);
  const bool better = !other.too_long && (written.too_long || other.operations <= written.operations) &&
                      (other.operations <= kAlwaysReadable || other.operations <= count_operations({&e, 1}).total());
  return better ? Formula{other.text, other.latex} : form(e);
}

namespace {

/// Writes an expression in its own structure: sums in parentheses stay, in order inside, and what multiplies them is put in
/// order too (Z4^2*m instead of Z4*m*Z4).
class StructureWriter {
 public:
  explicit StructureWriter(LiteralOptions options) : options_(std::move(options)) {}

  Formula write(const Expr& e, int depth = 0) {
    constexpr int kDeepest = 12;
    if (depth > kDeepest) return {to_text(e), to_latex(e)};
    std::vector<std::pair<std::string, Expr>> sums;
    const Expr outline = outline_of(e, true, sums);
    LiteralOptions options = options_;
    for (const auto& [name, sum] : sums) options.speeds.push_back(scratch_.symbol(name));  // they stand last
    const Literal written = literal(outline, options);
    Formula f = written.too_long ? Formula{to_text(outline), to_latex(outline)} : Formula{written.text, written.latex};
    for (const auto& [name, sum] : sums) {
      const Formula inner = write(sum, depth + 1);
      replace_all(f.text, name, "(" + inner.text + ")");
      replace_all(f.latex, latex_name(name), "\\left(" + inner.latex + "\\right)");
    }
    return f;
  }

 private:
  /// The expression with a symbol for each sum that is a factor of something. `at_top`: nothing is multiplied by it yet.
  Expr outline_of(const Expr& e, bool at_top, std::vector<std::pair<std::string, Expr>>& sums) {
    if (e.is_number() || e.is_symbol()) return copy_to(scratch_, e);
    const bool is_sum = e.op() == Op::Add || e.op() == Op::Sub;
    if (is_sum && !at_top) {
      for (const auto& [name, sum] : sums)
        if (sum == e) return scratch_.symbol(name);
      // A name that no other contains, and no user has.
      const std::string name =
          fmt::format("zsum{}{}z", static_cast<char>('a' + next_ / 26 % 26), static_cast<char>('a' + next_ % 26));
      ++next_;
      sums.emplace_back(name, e);
      return scratch_.symbol(name);
    }
    const bool goes_on = is_sum || e.op() == Op::Neg || e.op() == Op::Mul || e.op() == Op::Div || e.op() == Op::Pow;
    if (!goes_on) return copy_to(scratch_, e);
    const bool below = at_top && (is_sum || e.op() == Op::Neg);
    std::vector<Expr> args;
    for (int i = 0; i < e.arity(); ++i) args.push_back(outline_of(e.arg(i), below, sums));
    return scratch_.make(e.op(), args, e.op() == Op::Pow ? e.exponent() : 0);
  }

  static void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }

  LiteralOptions options_;
  Graph scratch_;
  int next_ = 0;
};

}  // namespace

// A sum of products of intermediate variables is put in order as well, where that does not make it longer.
Formula FormulaWriter::abbreviated(const Expr& e) const {
  const Formula plain{to_text(e), to_latex(e)};
  Formula ordered = StructureWriter(literal_).write(e);
  if (plain.text.size() < ordered.text.size()) ordered = plain;
  const Literal written = literal(e, literal_);
  const bool few = written.operations <= count_operations({&e, 1}).total() && written.text != plain.text;
  if (!written.too_long && (few || written.text.size() < ordered.text.size())) return {written.text, written.latex};
  return ordered;
}

Formula FormulaWriter::value(const Expr& e) {
  if (!e.is_number()) return form(e);
  const std::string decimal = fmt::format("{}", to_double(e.number()));
  const auto exponent = decimal.find('e');
  if (exponent == std::string::npos) return {decimal, decimal};
  return {decimal,
          fmt::format("{} \\cdot 10^{{{}}}", decimal.substr(0, exponent), std::stoi(decimal.substr(exponent + 1)))};
}

Formula FormulaWriter::symbol(const Expr& s) const { return {s.name(), latex_name(s.name())}; }

Formula FormulaWriter::vector(const Vector& v) {
  Formula sum;
  for (const auto& term : v.terms()) {
    for (std::size_t k = 0; k < 3; ++k) {
      if (term.c[k].is_zero()) continue;
      const std::string& frame = system_.frames().name(term.frame);
      add_term(sum, form(term.c[k]), frame + "." + kAxisNames[k], latex_unit_vector(frame, k));
    }
  }
  if (sum.text.empty()) sum = {"0", "0"};
  return sum;
}

Formula FormulaWriter::dyadic(const Dyadic& d) {
  Formula sum;
  for (const auto& term : d.terms()) {
    const std::string& frame = system_.frames().name(term.frame);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        if (term.c[i][j].is_zero()) continue;
        add_term(sum, value(term.c[i][j]), fmt::format("{}.{} {}.{}", frame, kAxisNames[i], frame, kAxisNames[j]),
                 latex_unit_vector(frame, i) + "\\," + latex_unit_vector(frame, j));
      }
    }
  }
  return sum;
}

std::vector<Formula> FormulaWriter::take_definitions() {
  std::vector<Formula> r;
  const auto& definitions = abbreviations_.definitions();
  for (; taken_ < definitions.size(); ++taken_) {
    const auto& d = definitions[taken_];
    r.push_back(equation({d.name, latex_name(d.name)}, abbreviated(d.value)));
  }
  return r;
}

}  // namespace kane

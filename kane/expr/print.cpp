#include "kane/expr/print.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "kane/base/error.hpp"
#include "kane/base/identifier.hpp"
#include "kane/expr/graph.hpp"

namespace kane {

namespace {

// Binding strengths: an operand weaker than its place needs parentheses.
enum Strength { kAny = 0, kComparison = 1, kSum = 2, kProduct = 3, kUnary = 4, kPower = 5, kAtom = 6 };

/// A token list is printed instead of nested strings, so that deep expressions need no recursion. An item is
/// either text or a node still to be written in a place of some strength.
struct Item {
  std::string_view text;
  NodeId node = 0;
  int place = -1;         ///< -1: text
  bool followed = false;  ///< by another factor, which must not look like a part of a bare argument
};

enum class Style { Text, Latex, Code };

class Printer {
 public:
  Printer(Graph& graph, Style style, const PrintOptions& options) : graph_(graph), style_(style), options_(options) {}

  std::string print(NodeId root) {
    open(root, kAny);
    std::size_t printed = 0;
    while (!stack_.empty()) {
      const Item item = stack_.back();
      stack_.pop_back();
      if (options_.max_length != 0 && out_.size() > options_.max_length) return shortened();
      if (item.place < 0) {
        out_ += item.text;
        continue;
      }
      if (++printed > options_.max_nodes)
        throw LimitError(fmt::format(
            "the expression is longer than {} operations when written out; print it through intermediate variables",
            options_.max_nodes));
      followed_ = item.followed;
      write(item.node, item.place);
    }
    if (options_.max_length != 0 && out_.size() > options_.max_length) return shortened();
    return std::move(out_);
  }

 private:
  // Items are pushed in reverse: begin() marks the place, end() turns the part around.
  void text(std::string_view t) { pending_.push_back({t}); }
  void open(NodeId id, int place) { stack_.push_back({{}, id, place}); }
  void node(NodeId id, int place, bool followed = false) { pending_.push_back({{}, id, place, followed}); }
  void flush() {
    stack_.insert(stack_.end(), pending_.rbegin(), pending_.rend());
    pending_.clear();
  }

  [[nodiscard]] std::string shortened() const { return out_.substr(0, options_.max_length) + " ..."; }

  void write(NodeId id, int place) {
    const int own = strength(id);
    const bool parentheses = own < place;
    followed_ = followed_ && !parentheses;
    if (parentheses) text(style_ == Style::Latex ? "\\left(" : "(");
    body(id);
    if (parentheses) text(style_ == Style::Latex ? "\\right)" : ")");
    flush();
  }

  [[nodiscard]] int strength(NodeId id) const {
    if (style_ == Style::Latex) return latex_strength(id);
    switch (graph_.op(id)) {
      case Op::Number: {
        const Rational& value = graph_.number_value(id);
        if (value < 0) return kSum;
        return style_ == Style::Text && kane::to_text(value).find('/') != std::string::npos ? kProduct : kAtom;
      }
      case Op::Add:
      case Op::Sub:
      case Op::Neg: return kSum;
      case Op::Mul:
      case Op::Div: return kProduct;
      case Op::Pow:
      case Op::Root: return style_ == Style::Code ? kAtom : kPower;
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal: return kComparison;
      default: return kAtom;
    }
  }

  /// Anything that cannot carry an exponent counts as a power: fractions, functions without parentheses, and powers.
  [[nodiscard]] int latex_strength(NodeId id) const {
    switch (const Op op = graph_.op(id); op) {
      case Op::Number: return graph_.number_value(id) < 0 ? kSum : kAtom;
      case Op::Symbol: return latex_name(graph_.name(id)).find('^') == std::string::npos ? kAtom : kPower;
      case Op::Add:
      case Op::Sub:
      case Op::Neg: return kSum;
      case Op::Mul: return kProduct;
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal:
      case Op::Mod: return kComparison;
      case Op::Div:
      case Op::Pow:
      case Op::Root:
      case Op::Select: return kPower;
      case Op::Sqrt:
      case Op::Abs:
      case Op::Floor: return kAtom;
      default: return info(op).arity == 1 ? kPower : kAtom;
    }
  }

  void body(NodeId id) {
    const auto args = graph_.args(id);
    switch (graph_.op(id)) {
      case Op::Number: keep(number(graph_.number_value(id))); break;
      case Op::Symbol: keep(name(graph_.name(id))); break;
      case Op::Pi: text(style_ == Style::Latex ? "\\pi" : style_ == Style::Code ? "3.141592653589793" : "pi"); break;
      case Op::Neg:
        if (graph_.op(args[0]) == Op::Sub) {  // -(a - b) reads better as b - a
          const auto inner = graph_.args(args[0]);
          sum(inner[1], inner[0], " - ");
        } else {
          text("-"), node(args[0], kProduct, followed_);
        }
        break;
      case Op::Add: sum(args[0], args[1], " + "); break;
      case Op::Sub: sum(args[0], args[1], " - "); break;
      case Op::Mul:
        if (is_reciprocal(args[1]) && style_ != Style::Latex) {  // 2*(1/y) reads better as 2/y
          node(args[0], kProduct), text("/"), node(graph_.args(args[1])[1], kUnary);
          break;
        }
        node(args[0], kProduct, true);
        text(style_ == Style::Latex ? product_sign(args[1]) : "*");
        node(args[1], kProduct, followed_);
        break;
      case Op::Div:
        if (style_ == Style::Latex) {
          text("\\frac{"), node(args[0], kAny), text("}{"), node(args[1], kAny), text("}");
        } else {
          node(args[0], kProduct), text("/"), node(args[1], kUnary);
        }
        break;
      case Op::Pow: power(id, args[0]); break;
      case Op::Less:
      case Op::LessEqual:
      case Op::Equal:
        node(args[0], kSum);
        text(" "), text(style_ == Style::Latex ? info(graph_.op(id)).latex : info(graph_.op(id)).text), text(" ");
        node(args[1], kSum);
        break;
      default: function(id, args);
    }
  }

  void sum(NodeId a, NodeId b, std::string_view sign) {
    node(a, kSum);
    text(sign);
    // a + (b - c) is a + b - c.
    const Op inner = graph_.op(b);
    const bool flat = sign == " + " && (inner == Op::Add || inner == Op::Sub) && style_ != Style::Code;
    node(b, flat ? kSum : kProduct);
  }

  [[nodiscard]] bool is_reciprocal(NodeId id) const {
    return graph_.op(id) == Op::Div && graph_.args(id)[0] == Graph::kOne;
  }

  /// A thin space between factors, a dot where a number would follow.
  [[nodiscard]] std::string_view product_sign(NodeId right) const {
    NodeId first = right;
    while (graph_.op(first) == Op::Mul || graph_.op(first) == Op::Pow) first = graph_.args(first)[0];
    return graph_.op(first) == Op::Number ? " \\cdot " : "\\,";
  }

  void power(NodeId id, NodeId base) {
    const std::string& exponent = keep_only(std::to_string(graph_.exponent(id)));
    if (style_ == Style::Code) {
      text("pow("), node(base, kAny), text(", "), text(exponent), text(")");
      return;
    }
    const Op inner = graph_.op(base);
    if (style_ == Style::Latex && takes_exponent(inner)) {
      // \sin^{2} x
      text(info(inner).latex), text("^{"), text(exponent), text("} "), argument(graph_.args(base)[0]);
      return;
    }
    if (style_ == Style::Text && inner == Op::Root) {
      node(graph_.args(base)[0], kAtom), text("^("), text(exponent), text("/");
      text(keep_only(std::to_string(graph_.exponent(base)))), text(")");
      return;
    }
    node(base, kAtom);
    if (style_ == Style::Latex)
      text("^{"), text(exponent), text("}");
    else
      text("^"), text(exponent);
  }

  static bool takes_exponent(Op op) {
    return op == Op::Sin || op == Op::Cos || op == Op::Tan || op == Op::Sinh || op == Op::Cosh || op == Op::Tanh;
  }

  /// The argument of a LaTeX function: bare if it is a single symbol that nothing follows, in parentheses otherwise.
  void argument(NodeId id) {
    if (!followed_ && (graph_.op(id) == Op::Symbol || graph_.op(id) == Op::Pi))
      node(id, kAtom);
    else
      text("\\left("), node(id, kAny), text("\\right)");
  }

  void function(NodeId id, std::span<const NodeId> args) {
    const Op op = graph_.op(id);
    if (style_ == Style::Latex && latex_function(id, args)) return;
    if (op == Op::Root) {
      const std::string& index = keep_only(std::to_string(graph_.exponent(id)));
      if (style_ == Style::Code)
        text("pow("), node(args[0], kAny), text(", 1.0/"), text(index), text(")");
      else
        node(args[0], kAtom), text("^(1/"), text(index), text(")");
      return;
    }
    if (style_ == Style::Code && code_function(id, args)) return;
    std::string_view called = style_ == Style::Latex  ? info(op).latex
                              : style_ == Style::Code ? info(op).c
                                                      : info(op).text;
    if (op == Op::Call) called = keep_only(name(graph_.name(id)));
    text(called), text(style_ == Style::Latex ? "\\left(" : "(");
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (i != 0) text(", ");
      node(args[i], kAny);
    }
    text(style_ == Style::Latex ? "\\right)" : ")");
  }

  /// Operators that C has no function for.
  bool code_function(NodeId id, std::span<const NodeId> args) {
    switch (graph_.op(id)) {
      case Op::Select:
        text("("), node(args[0], kAny), text(" ? "), node(args[1], kAny), text(" : "), node(args[2], kAny), text(")");
        return true;
      case Op::Sign:
        text("(("), node(args[0], kSum), text(" > 0.0) - ("), node(args[0], kSum), text(" < 0.0))");
        return true;
      case Op::Mod:
        text("("), node(args[0], kSum), text(" - "), node(args[1], kUnary), text("*floor(");
        node(args[0], kProduct), text("/"), node(args[1], kUnary), text("))");
        return true;
      default: return false;
    }
  }

  bool latex_function(NodeId id, std::span<const NodeId> args) {
    switch (const Op op = graph_.op(id); op) {
      case Op::Sqrt: text("\\sqrt{"), node(args[0], kAny), text("}"); return true;
      case Op::Root:
        text("\\sqrt["), text(keep_only(std::to_string(graph_.exponent(id)))), text("]{"), node(args[0], kAny);
        text("}");
        return true;
      case Op::Abs: text("\\left|"), node(args[0], kAny), text("\\right|"); return true;
      case Op::Floor: text("\\left\\lfloor "), node(args[0], kAny), text("\\right\\rfloor"); return true;
      case Op::Mod: node(args[0], kUnary), text(" \\bmod "), node(args[1], kUnary); return true;
      case Op::Exp: text("e^{"), node(args[0], kAny), text("}"); return true;
      case Op::Select:
        text("\\begin{cases}"), node(args[1], kAny), text(" & "), node(args[0], kAny), text(" \\\\ ");
        node(args[2], kAny), text(" & \\text{otherwise}\\end{cases}");
        return true;
      default:
        if (info(op).arity != 1) return false;
        text(info(op).latex), text(" "), argument(args[0]);
        return true;
    }
  }

  [[nodiscard]] std::string number(const Rational& value) const {
    if (style_ == Style::Text) return kane::to_text(value);
    if (style_ == Style::Latex) {
      const std::string plain = kane::to_text(value);
      if (plain.find('/') == std::string::npos) return plain;
      const mpz_class magnitude = abs(value.get_num());
      return fmt::format("{}\\frac{{{}}}{{{}}}", value < 0 ? "-" : "", magnitude.get_str(), value.get_den().get_str());
    }
    if (value.is_whole() && value.get_num().fits_slong_p()) return value.get_str() + ".0";
    const double rounded = to_double(value);
    if (std::isinf(rounded)) return rounded < 0 ? "-HUGE_VAL" : "HUGE_VAL";
    return fmt::format("{}", rounded);
  }

  [[nodiscard]] std::string name(const std::string& symbol) const {
    return style_ == Style::Latex ? latex_name(symbol) : style_ == Style::Code ? identifier_of(symbol) : symbol;
  }

  /// Text that must outlive this call.
  const std::string& keep_only(std::string t) {
    return kept_.emplace_back(std::make_unique<std::string>(std::move(t))).operator*();
  }
  void keep(std::string t) { text(keep_only(std::move(t))); }

  Graph& graph_;
  Style style_;
  const PrintOptions& options_;
  bool followed_ = false;  ///< whether something follows the item being written
  std::string out_;
  std::vector<Item> stack_;
  std::vector<Item> pending_;
  std::vector<std::unique_ptr<std::string>> kept_;
};

std::string print(const Expr& e, Style style, const PrintOptions& options) {
  if (e.graph() != nullptr) return Printer(*e.graph(), style, options).print(e.id());
  if (style == Style::Text) return to_text(e.number());  // messages print many; a graph is not made for each
  Graph graph;
  return Printer(graph, style, options).print(graph.bind(e).id());
}

constexpr std::array<std::string_view, 39> kGreek = {
    "alpha",   "beta", "gamma", "delta", "epsilon", "zeta",     "eta",        "theta",  "iota",    "kappa",
    "lambda",  "mu",   "nu",    "xi",    "pi",      "rho",      "sigma",      "tau",    "upsilon", "phi",
    "chi",     "psi",  "omega", "Gamma", "Delta",   "Theta",    "Lambda",     "Xi",     "Pi",      "Sigma",
    "Upsilon", "Phi",  "Psi",   "Omega", "varphi",  "vartheta", "varepsilon", "varrho", "ell"};

/// Characters with a special meaning in LaTeX.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("_%#&${}").find(c) != std::string_view::npos)
      out += '\\', out += c;
    else
      out += c == '\\' || c == '^' || c == '~' ? ' ' : c;
  }
  return out;
}

/// A stem in LaTeX: a Greek letter, a single letter, or upright text.
std::string latex_stem(std::string_view stem) {
  for (const auto letter : kGreek)
    if (stem == letter) return "\\" + std::string(letter);
  if (stem.size() == 1) return escaped(stem);
  return "\\mathrm{" + escaped(stem) + "}";
}

std::string dotted(const std::string& stem, std::size_t dots) {
  switch (dots) {
    case 0: return stem;
    case 1: return "\\dot{" + stem + "}";
    case 2: return "\\ddot{" + stem + "}";
    case 3: return "\\dddot{" + stem + "}";
    default: return stem + "^{(" + std::to_string(dots) + ")}";
  }
}

/// "theta" or "x,phi1" with its Greek letters as such; "" if there are none.
std::string greek_subscript(std::string_view subscript) {
  std::string out;
  bool greek = false;
  while (true) {
    const std::size_t comma = std::min(subscript.find(','), subscript.size());
    const std::string_view part = subscript.substr(0, comma);
    std::size_t letters = part.size();
    while (letters > 0 && std::isdigit(static_cast<unsigned char>(part[letters - 1])) != 0) --letters;
    const std::string_view word = part.substr(0, letters);
    if (std::find(kGreek.begin(), kGreek.end(), word) != kGreek.end()) {
      greek = true;
      out += "\\" + std::string(word) + (letters < part.size() ? " " : "") + std::string(part.substr(letters));
    } else {
      out += part.size() > 1 ? "\\mathrm{" + std::string(part) + "}" : std::string(part);
    }
    if (comma == subscript.size()) break;
    out += ",";
    subscript.remove_prefix(comma + 1);
  }
  return greek ? out : std::string();
}

}  // namespace

std::string latex_name(std::string_view name) {
  std::size_t dots = 0;
  while (!name.empty() && name.back() == '\'') name.remove_suffix(1), ++dots;
  // Subscript: the text after the first underscore or dot, else trailing digits.
  std::size_t cut = name.find_first_of("_.");
  std::string subscript;
  std::string_view stem = name;
  if (cut != std::string_view::npos && cut > 0 && cut + 1 < name.size()) {
    stem = name.substr(0, cut);
    for (const char c : name.substr(cut + 1)) subscript += c == '_' ? "," : escaped({&c, 1});
  }
  std::size_t digits = stem.size();
  while (digits > 1 && std::isdigit(static_cast<unsigned char>(stem[digits - 1])) != 0) --digits;
  if (digits < stem.size()) {
    const std::string number(stem.substr(digits));
    subscript = subscript.empty() ? number : number + "," + subscript;
    stem = stem.substr(0, digits);
  }
  const std::string head = dotted(latex_stem(stem), dots);
  if (subscript.empty()) return head;
  if (const std::string greek = greek_subscript(subscript); !greek.empty()) return head + "_{" + greek + "}";
  const bool words = subscript.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos && subscript.size() > 1;
  return head + "_{" + (words ? "\\mathrm{" + subscript + "}" : subscript) + "}";
}

std::string to_text(const Expr& e, const PrintOptions& options) { return print(e, Style::Text, options); }
std::string to_latex(const Expr& e, const PrintOptions& options) { return print(e, Style::Latex, options); }
std::string to_code(const Expr& e, const PrintOptions& options) { return print(e, Style::Code, options); }

}  // namespace kane

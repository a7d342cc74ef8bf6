#include "kane/expr/parse.hpp"

#include <cctype>

#include "kane/base/suggest.hpp"
#include "kane/expr/graph.hpp"

namespace kane {

namespace {

enum class TokenKind { Number, Name, Sign, End, Bad };

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_name_part(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Precedences of binary operators; unary minus binds between * and ^.
struct Binary {
  std::string_view text;
  int precedence;
  bool right = false;
};
constexpr Binary kBinary[] = {{"or", 1}, {"and", 2}, {"<", 4}, {"<=", 4}, {">", 4}, {">=", 4},      {"==", 4},
                              {"!=", 4}, {"+", 5},   {"-", 5}, {"*", 6},  {"/", 6}, {"^", 8, true}, {"**", 8, true}};
constexpr int kComparisonPrecedence = 4;
constexpr int kNotPrecedence = 3;
constexpr int kUnaryPrecedence = 7;

/// An operator-precedence parser with explicit stacks: nesting costs memory, not call depth.
class Parser {
 public:
  Parser(Graph& graph, std::string_view text, const ParseOptions& options)
      : graph_(graph), text_(text), options_(options) {
    advance();
  }

  Expr parse_all() {
    Expr value = expression(false);
    if (token_.kind != TokenKind::End) fail("expected an operator or the end of the expression");
    return value;
  }

  Expr parse_some(std::string_view& rest) {
    Expr value = expression(true);
    rest = text_.substr(static_cast<std::size_t>(token_.text.data() - text_.data()));
    return value;
  }

 private:
  struct Operator {
    enum Kind { BinaryOp, UnaryOp, Group, Call } kind;
    Binary binary{};                ///< BinaryOp and UnaryOp
    std::string_view place;         ///< where it stands
    std::size_t first_operand = 0;  ///< of a call
  };
  struct Operand {
    Expr value;
    std::string_view text;  ///< what it was written as
  };

  // ---- tokens ---------------------------------------------------------------------------------------------------
  void advance() {
    while (position_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[position_])) != 0) ++position_;
    const std::size_t start = position_;
    if (start == text_.size()) {
      token_ = {TokenKind::End, text_.substr(start, 0)};
      return;
    }
    const char c = text_[start];
    const auto peek = [&](std::size_t i) { return i < text_.size() ? text_[i] : '\0'; };
    TokenKind kind = TokenKind::Sign;
    if (is_digit(c) || (c == '.' && is_digit(peek(start + 1)))) {
      kind = TokenKind::Number;
      while (is_digit(peek(position_))) ++position_;
      if (peek(position_) == '.') {
        ++position_;
        while (is_digit(peek(position_))) ++position_;
      }
      if (peek(position_) == 'e' || peek(position_) == 'E') {
        const std::size_t sign = peek(position_ + 1) == '-' || peek(position_ + 1) == '+' ? 1 : 0;
        if (is_digit(peek(position_ + 1 + sign))) {
          position_ += 1 + sign;
          while (is_digit(peek(position_))) ++position_;
        }
      }
    } else if (is_name_start(c)) {
      kind = TokenKind::Name;
      while (is_name_part(peek(position_)) || (peek(position_) == '.' && is_name_start(peek(position_ + 1))))
        ++position_;
      while (peek(position_) == '\'') ++position_;
    } else {
      ++position_;
      const std::string_view two = text_.substr(start, 2);
      if (two == "<=" || two == ">=" || two == "==" || two == "!=" || two == "**") ++position_;
      if (std::string_view("+-*/^()<>,=!").find(c) == std::string_view::npos) kind = TokenKind::Bad;
    }
    token_ = {kind, text_.substr(start, position_ - start)};
  }

  [[nodiscard]] Where where(std::string_view at) const {
    Where place = options_.where;
    if (place.line == 0) place.line = 1;
    if (place.column == 0) place.column = 1;
    for (const char c : text_.substr(0, static_cast<std::size_t>(at.data() - text_.data()))) {
      if (c == '\n')
        ++place.line, place.column = 1;
      else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U)  // columns count characters, not bytes of UTF-8
        ++place.column;
    }
    return place;
  }

  [[noreturn]] void fail(const std::string& expected) const {
    std::string found =
        token_.kind == TokenKind::End ? "the expression ends here" : fmt::format("found '{}'", printable(token_.text));
    throw ModelError(where(token_.text), expected + ", but " + found);
  }

  [[noreturn]] void fail_at(std::string_view place, const std::string& message) const {
    throw ModelError(where(place), message);
  }

  /// Text for a message: cut if long, control characters shown as '?'.
  [[nodiscard]] static std::string printable(std::string_view t) {
    std::string shown(t.substr(0, 60));
    for (char& c : shown)
      if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
    return t.size() > 60 ? shown + "..." : shown;
  }

  [[nodiscard]] static const Binary* find_binary(std::string_view sign) {
    for (const auto& b : kBinary)
      if (b.text == sign) return &b;
    return nullptr;
  }

  // ---- expressions ------------------------------------------------------------------------------------------------
  Expr expression(bool prefix) {
    std::size_t open_groups = 0;
    for (;;) {
      if (read_operand(open_groups)) continue;  // an operator or parenthesis was opened: an operand must follow
      // After an operand: close what closes, then a binary operator or the end.
      while (open_groups > 0 && token_.text == ")") {
        close_group();
        --open_groups;
      }
      if (open_groups > 0 && token_.text == ",") {
        reduce(0);
        if (operators_.back().kind != Operator::Call) fail("expected ')'");
        advance();
        continue;
      }
      const Binary* next =
          token_.kind == TokenKind::Sign || token_.kind == TokenKind::Name ? find_binary(token_.text) : nullptr;
      if (next != nullptr) {
        // Comparisons do not chain: a < b < c means something else in mathematics than in C.
        reduce(next->precedence + 1);
        if (next->precedence == kComparisonPrecedence && !operators_.empty() &&
            operators_.back().kind == Operator::BinaryOp &&
            operators_.back().binary.precedence == kComparisonPrecedence)
          fail("comparisons cannot be chained; write 'a < b and b < c'");
        if (!next->right) reduce(next->precedence);
        operators_.push_back({Operator::BinaryOp, *next, token_.text});
        advance();
        continue;
      }
      if (open_groups > 0) fail(operators_has_call() ? "expected ',' or ')'" : "expected an operator or ')'");
      if (!prefix && token_.kind != TokenKind::End) fail("expected an operator or the end of the expression");
      reduce(0);
      ensure(operands_.size() == 1 && operators_.empty(), "the parser's stacks do not balance");
      return operands_.back().value;
    }
  }

  [[nodiscard]] bool operators_has_call() const {
    for (auto it = operators_.rbegin(); it != operators_.rend(); ++it)
      if (it->kind == Operator::Call || it->kind == Operator::Group) return it->kind == Operator::Call;
    return false;
  }

  void push(const Operator& op) {
    if (operators_.size() >= static_cast<std::size_t>(options_.max_depth))
      throw LimitError(where(token_.text),
                       fmt::format("the expression is nested deeper than {} levels", options_.max_depth));
    operators_.push_back(op);
  }

  /// Reads one operand, or opens a unary operator, a group or a call and returns true.
  bool read_operand(std::size_t& open_groups) {
    const Token start = token_;
    switch (start.kind) {
      case TokenKind::Number: {
        const auto value = find_decimal(start.text);
        if (!value) fail_at(start.text, fmt::format("the number '{}' is out of range", printable(start.text)));
        operands_.push_back({graph_.number(*value), start.text});
        advance();
        return false;
      }
      case TokenKind::Name: return read_name(start, open_groups);
      case TokenKind::Sign:
        if (start.text == "(") {
          push({Operator::Group, {}, start.text});
          ++open_groups;
          advance();
          return true;
        }
        if (start.text == "-" || start.text == "+") {
          push({Operator::UnaryOp, {start.text, kUnaryPrecedence}, start.text});
          advance();
          return true;
        }
        [[fallthrough]];
      default: fail("expected a number, a name, a function or '('");
    }
  }

  bool read_name(const Token& start, std::size_t& open_groups) {
    if (start.text == "not") {
      push({Operator::UnaryOp, {start.text, kNotPrecedence}, start.text});
      advance();
      return true;
    }
    if (find_binary(start.text) != nullptr) fail("expected a number, a name, a function or '('");
    advance();
    if (token_.text == "(" && token_.kind == TokenKind::Sign) {
      push({Operator::Call, {}, start.text, operands_.size()});
      ++open_groups;
      advance();
      if (token_.text == ")") fail(fmt::format("expected an argument of {}", printable(start.text)));
      return true;
    }
    operands_.push_back({name(start.text), start.text});
    return false;
  }

  Expr name(std::string_view text) {
    if (options_.resolve) {
      if (auto value = options_.resolve(text); value) return graph_.bind(*value);
      if (text == "pi") return graph_.pi();
      fail_at(text, fmt::format("unknown name '{}'{}", printable(text), suggestion(text, options_.known_names)));
    }
    return text == "pi" ? graph_.pi() : graph_.symbol(text);
  }

  void close_group() {
    reduce(0);
    const Operator group = operators_.back();
    operators_.pop_back();
    const std::string_view close = token_.text;
    advance();
    const std::string_view spelled = text_.substr(static_cast<std::size_t>(group.place.data() - text_.data()),
                                                  static_cast<std::size_t>(close.data() + 1 - group.place.data()));
    if (group.kind == Operator::Group) {
      operands_.back().text = spelled;
      return;
    }
    std::vector<Expr> args;
    for (std::size_t i = group.first_operand; i < operands_.size(); ++i) args.push_back(operands_[i].value);
    operands_.resize(group.first_operand);
    operands_.push_back({guarded(group.place, [&] { return call(group.place, args); }), spelled});
  }

  Expr call(std::string_view function, const std::vector<Expr>& args) {
    if (options_.call)
      if (auto value = options_.call(function, args); value) return graph_.bind(*value);
    const auto arity = [&](int expected) {
      if (static_cast<int>(args.size()) != expected)
        fail_at(function, fmt::format("{} takes {} argument{}, but {} are given", function, expected,
                                      expected == 1 ? "" : "s", args.size()));
    };
    if (function == "root") {
      arity(2);
      require(args[1].is_number() && args[1].number().get_den() == 1 && args[1].number() > 0,
              "the index of root(x, n) must be a positive whole number");
      return pow(args[0], Rational(1) / args[1].number());
    }
    for (const auto& row : kOperators) {
      if (row.text != function || row.kind != OpKind::Function) continue;
      arity(row.arity);
      return graph_.make(row.op, args);
    }
    if (graph_.has_function(function)) {
      arity(graph_.function_arity(function));
      return graph_.call(function, args);
    }
    std::vector<std::string> known = graph_.function_names();
    for (const auto& row : kOperators)
      if (row.kind == OpKind::Function && !row.text.empty() && is_name_start(row.text[0])) known.emplace_back(row.text);
    fail_at(function, fmt::format("unknown function '{}'{}", printable(function), suggestion(function, known)));
  }

  /// Applies waiting operators that bind at least as strongly as `precedence`, back to the last open group.
  void reduce(int precedence) {
    while (!operators_.empty()) {
      const Operator& top = operators_.back();
      if (top.kind == Operator::Group || top.kind == Operator::Call || top.binary.precedence < precedence) return;
      const Operator op = top;
      operators_.pop_back();
      if (op.kind == Operator::UnaryOp)
        apply_unary(op);
      else
        apply_binary(op);
    }
  }

  void apply_unary(const Operator& op) {
    Operand& x = operands_.back();
    if (op.binary.text == "-") x.value = graph_.bind(-x.value);
    if (op.binary.text == "not") x.value = equal(x.value, 0);
    x.text = join(op.place, x.text);
  }

  void apply_binary(const Operator& op) {
    const Operand b = operands_.back();
    operands_.pop_back();
    Operand& a = operands_.back();
    if (op.binary.text == "/" && b.value.is_zero())
      fail_at(b.text, fmt::format("division by '{}', which is identically zero", printable(b.text)));
    a.value = guarded(op.place, [&] { return combine(op.binary.text, a.value, b.value); });
    a.text = join(a.text, b.text);
  }

  static Expr combine(std::string_view sign, const Expr& a, const Expr& b) {
    if (sign == "+") return a + b;
    if (sign == "-") return a - b;
    if (sign == "*") return a * b;
    if (sign == "/") return a / b;
    if (sign == "^" || sign == "**") return pow(a, b);
    if (sign == "<") return less(a, b);
    if (sign == "<=") return less_equal(a, b);
    if (sign == ">") return less(b, a);
    if (sign == ">=") return less_equal(b, a);
    if (sign == "==") return equal(a, b);
    if (sign == "!=") return 1 - equal(a, b);
    if (sign == "and") return min(a, b);
    return max(a, b);  // or
  }

  /// Errors from building an expression get the place of the operator.
  template <class Build>
  Expr guarded(std::string_view place, Build build) {
    try {
      return graph_.bind(build());
    } catch (const LimitError& error) {
      if (!error.where().to_string().empty()) throw;
      throw LimitError(where(place), error.message());
    } catch (const ModelError& error) {
      if (!error.where().to_string().empty()) throw;
      throw ModelError(where(place), error.message());
    }
  }

  [[nodiscard]] std::string_view join(std::string_view a, std::string_view b) const {
    return {a.data(), static_cast<std::size_t>(b.data() + b.size() - a.data())};
  }

  Graph& graph_;
  std::string_view text_;
  const ParseOptions& options_;
  std::size_t position_ = 0;
  Token token_;
  std::vector<Operator> operators_;
  std::vector<Operand> operands_;
};

}  // namespace

Expr parse(Graph& graph, std::string_view text, const ParseOptions& options) {
  return Parser(graph, text, options).parse_all();
}

Expr parse_prefix(Graph& graph, std::string_view text, std::string_view& rest, const ParseOptions& options) {
  return Parser(graph, text, options).parse_some(rest);
}

}  // namespace kane

#pragma once
// The grammar of infix text (parse.hpp) for any kind of value: scalars there, vectors and scalars in kane/mechanism.
// `Semantics` gives the meaning of numbers, names, calls and signs:
//
//   struct Semantics {
//     using Value = ...;
//     Value number(const Rational& value);
//     Value name(std::string_view name);
//     Value call(std::string_view function, std::span<const InfixOperand<Value>> arguments);
//     Value unary(std::string_view sign, const InfixOperand<Value>& x);                       "-", "+", "not"
//     Value binary(std::string_view sign, const InfixOperand<Value>& a, const InfixOperand<Value>& b);
//   };
//
// Semantics that know units of measurement also have
//
//     bool is_bare(const Value& value);                    whether it consists of numbers only, so that a unit may follow
//     std::size_t unit_length(const Operand& number, std::string_view rest, const Where& where);   0: no unit follows
//     Value with_unit(const Value& number, std::string_view unit, const Where& where);
//
// Semantics whose calls have parts, contact(A, B).force, also have
//
//     Value member(const Value& value, std::string_view name);
//
// A unit belongs to the number before it, or to the fraction, product or power of bare numbers that ends there: 2 m,
// 1/2 in, 2*pi rad/s, (1 + 2) mm.
//
// Each may throw ModelError without a place, which gets the place of the name or sign, or InfixError with one.

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/number.hpp"

namespace kane {

/// A value and the piece of text it was written as.
template <class Value>
struct InfixOperand {
  Value value;
  std::string_view text;
};

/// Says that the piece `place` of the text is wrong.
struct InfixError {
  std::string_view place;
  std::string message;
};

enum class InfixTokenKind { Number, Name, Sign, End, Bad };

struct InfixToken {
  InfixTokenKind kind = InfixTokenKind::End;
  std::string_view text;
};

struct InfixBinary {
  std::string_view text;
  int precedence = 0;
  bool right = false;
};

/// The text cut into tokens, and places in it.
class InfixText {
 public:
  InfixText(std::string_view text, Where where) : text_(text), where_(std::move(where)) {}

  [[nodiscard]] std::string_view text() const { return text_; }
  /// The next token; "" of kind End at the end.
  [[nodiscard]] InfixToken next();
  /// Goes on at this piece of the text.
  void seek(std::string_view rest) { position_ = at(rest.data() - text_.data()); }
  /// Line and column of a piece of the text.
  [[nodiscard]] Where where(std::string_view piece) const;
  /// From the beginning of one piece to the end of another.
  [[nodiscard]] static std::string_view join(std::string_view a, std::string_view b) {
    return {a.data(), at(b.data() + b.size() - a.data())};
  }
  /// A piece for a message: cut if long, control characters and bytes that are not UTF-8 shown as '?'.
  [[nodiscard]] static std::string printable(std::string_view piece, std::size_t longest = 60);
  /// The binary operator written like this; null if there is none.
  [[nodiscard]] static const InfixBinary* find_binary(std::string_view sign);

  static constexpr int kComparisonPrecedence = 4;
  static constexpr int kNotPrecedence = 3;
  static constexpr int kProductPrecedence = 6;
  static constexpr int kUnaryPrecedence = 7;

 private:
  void skip_number();
  void skip_name();
  [[nodiscard]] char peek(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  std::string_view text_;
  Where where_;
  std::size_t position_ = 0;
};

/// An operator-precedence parser with explicit stacks: nesting costs memory, not call depth.
template <class Semantics>
class InfixParser {
 public:
  using Value = typename Semantics::Value;
  using Operand = InfixOperand<Value>;

  InfixParser(Semantics& semantics, std::string_view text, const Where& where, int max_depth)
      : semantics_(semantics), text_(text, where), max_depth_(max_depth) {
    advance();
  }

  Value parse_all() {
    Value value = expression(false);
    if (token_.kind != InfixTokenKind::End) fail("expected an operator or the end of the expression");
    return value;
  }

  Value parse_some(std::string_view& rest) {
    Value value = expression(true);
    rest = text_.text().substr(at(token_.text.data() - text_.text().data()));
    return value;
  }

 private:
  struct Operator {
    enum Kind { BinaryOp, UnaryOp, Group, Call } kind;
    InfixBinary binary{};           ///< BinaryOp and UnaryOp
    std::string_view place;         ///< where it stands
    std::size_t first_operand = 0;  ///< index of the first operand of a call
  };

  static constexpr bool kHasMembers = requires(Semantics & s, const Value& v) { s.member(v, std::string_view()); };
  static constexpr bool kHasUnits = requires(Semantics & s, const Value& v) { s.is_bare(v); };

  void advance() { token_ = text_.next(); }

  [[noreturn]] void fail(const std::string& expected) const {
    std::string found = token_.kind == InfixTokenKind::End
                            ? "the expression ends here"
                            : fmt::format("found '{}'", InfixText::printable(token_.text));
    throw ModelError(text_.where(token_.text), expected + ", but " + found);
  }

  [[noreturn]] void fail_at(std::string_view place, const std::string& message) const {
    throw ModelError(text_.where(place), message);
  }

  Value expression(bool prefix) {
    std::size_t open_groups = 0;
    for (;;) {
      if (read_operand(open_groups)) continue;  // an operator or parenthesis was opened: an operand must follow
      // After an operand: close what closes, then a binary operator or the end.
      read_unit();
      while (open_groups > 0 && token_.text == ")") {
        close_group();
        --open_groups;
        read_unit();
      }
      if (open_groups > 0 && token_.text == ",") {
        reduce(0);
        if (operators_.back().kind != Operator::Call) fail("expected ')'");
        advance();
        continue;
      }
      if (push_binary()) continue;
      if (open_groups > 0) fail(operators_has_call() ? "expected ',' or ')'" : "expected an operator or ')'");
      if (!prefix && token_.kind != InfixTokenKind::End) fail("expected an operator or the end of the expression");
      reduce(0);
      ensure(operands_.size() == 1 && operators_.empty(), "the parser's stacks do not balance");
      return std::move(operands_.back().value);
    }
  }

  bool push_binary() {
    const InfixBinary* next = token_.kind == InfixTokenKind::Sign || token_.kind == InfixTokenKind::Name
                                  ? InfixText::find_binary(token_.text)
                                  : nullptr;
    if (next == nullptr) return false;
    // Comparisons do not chain: a < b < c means something else in mathematics than in C.
    reduce(next->precedence + 1);
    if (next->precedence == InfixText::kComparisonPrecedence && !operators_.empty() &&
        operators_.back().kind == Operator::BinaryOp &&
        operators_.back().binary.precedence == InfixText::kComparisonPrecedence)
      fail_at(token_.text, "comparisons cannot be chained; write 'a < b and b < c'");
    if (!next->right) reduce(next->precedence);
    operators_.push_back({Operator::BinaryOp, *next, token_.text});
    advance();
    return true;
  }

  [[nodiscard]] bool operators_has_call() const {
    for (auto it = operators_.rbegin(); it != operators_.rend(); ++it)
      if (it->kind == Operator::Call || it->kind == Operator::Group) return it->kind == Operator::Call;
    return false;
  }

  void push(const Operator& op) {
    if (operators_.size() >= at(max_depth_))
      throw LimitError(text_.where(token_.text),
                       fmt::format("the expression is nested deeper than {} levels", max_depth_));
    operators_.push_back(op);
  }

  /// Reads one operand, or opens a unary operator, a group or a call and returns true.
  bool read_operand(std::size_t& open_groups) {
    const InfixToken start = token_;
    switch (start.kind) {
      case InfixTokenKind::Number: {
        const auto value = find_decimal(start.text);
        if (!value)
          fail_at(start.text, fmt::format("the number '{}' is out of range", InfixText::printable(start.text)));
        operands_.push_back({semantics_.number(*value), start.text});
        advance();
        return false;
      }
      case InfixTokenKind::Name: return read_name(start, open_groups);
      case InfixTokenKind::Sign:
        if (start.text == "(") {
          push({Operator::Group, {}, start.text});
          ++open_groups;
          advance();
          return true;
        }
        if (start.text == "-" || start.text == "+") {
          push({Operator::UnaryOp, {start.text, InfixText::kUnaryPrecedence}, start.text});
          advance();
          return true;
        }
        [[fallthrough]];
      default: fail("expected a number, a name, a function or '('");
    }
  }

  bool read_name(const InfixToken& start, std::size_t& open_groups) {
    if (start.text == "not") {
      push({Operator::UnaryOp, {start.text, InfixText::kNotPrecedence}, start.text});
      advance();
      return true;
    }
    if (InfixText::find_binary(start.text) != nullptr) fail("expected a number, a name, a function or '('");
    advance();
    if (token_.text == "(" && token_.kind == InfixTokenKind::Sign) {
      push({Operator::Call, {}, start.text, operands_.size()});
      ++open_groups;
      advance();
      if (token_.text == ")") fail(fmt::format("expected an argument of {}", InfixText::printable(start.text)));
      return true;
    }
    operands_.push_back({guarded(start.text, [&] { return semantics_.name(start.text); }), start.text});
    return false;
  }

  /// The unit of a bare number, if one follows.
  void read_unit() {
    if constexpr (kHasUnits) {
      const bool word = token_.kind == InfixTokenKind::Name && InfixText::find_binary(token_.text) == nullptr;
      const bool other =
          token_.kind == InfixTokenKind::Bad || (token_.kind == InfixTokenKind::Number && token_.text == "1");
      if ((!word && !other) || !semantics_.is_bare(operands_.back().value)) return;
      const std::string_view rest = text_.text().substr(at(token_.text.data() - text_.text().data()));
      const Where where = text_.where(token_.text);
      const std::size_t length = semantics_.unit_length(operands_.back(), rest, where);
      if (length == 0) return;
      gather_number();
      Operand& x = operands_.back();
      const std::string_view unit = rest.substr(0, length);
      x.value = guarded(unit, [&] { return semantics_.with_unit(x.value, unit, where); });
      x.text = InfixText::join(x.text, unit);
      text_.seek(rest.substr(length));
      advance();
    }
  }

  /// Puts the number that ends here together: 1/2, -2*pi, 2^3.
  void gather_number() {
    while (!operators_.empty()) {
      const Operator op = operators_.back();
      const bool sign = op.kind == Operator::UnaryOp && op.binary.precedence == InfixText::kUnaryPrecedence;
      const bool product = op.kind == Operator::BinaryOp && op.binary.precedence >= InfixText::kProductPrecedence &&
                           semantics_.is_bare(operands_[operands_.size() - 2].value);
      if (!sign && !product) return;
      operators_.pop_back();
      if (sign)
        apply_unary(op);
      else
        apply_binary(op);
    }
  }

  void close_group() {
    reduce(0);
    const Operator group = operators_.back();
    operators_.pop_back();
    const std::string_view spelled = InfixText::join(group.place, token_.text);
    const std::string_view part = group.kind == Operator::Call ? read_member() : std::string_view();
    advance();
    if (group.kind == Operator::Group) {
      operands_.back().text = spelled;
      return;
    }
    const auto arguments = std::span<const Operand>(operands_).subspan(group.first_operand);
    Value value = guarded(group.place, [&] { return semantics_.call(group.place, arguments); });
    operands_.erase(operands_.begin() + static_cast<std::ptrdiff_t>(group.first_operand), operands_.end());
    if constexpr (kHasMembers)
      if (!part.empty()) value = guarded(part, [&] { return semantics_.member(value, part); });
    operands_.push_back({std::move(value), part.empty() ? spelled : InfixText::join(spelled, part)});
  }

  /// The name after the dot that follows ')' immediately; "" if there is none.
  std::string_view read_member() {
    if constexpr (kHasMembers) {
      std::string_view rest = text_.text().substr(at(token_.text.data() + token_.text.size() - text_.text().data()));
      if (rest.size() < 2 || rest.front() != '.') return {};
      rest.remove_prefix(1);
      const std::size_t length = std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), rest.size());
      if (length == 0) return {};
      text_.seek(rest.substr(length));
      return rest.substr(0, length);
    }
    return {};
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
    x.value = guarded(op.place, [&] { return semantics_.unary(op.binary.text, x); });
    x.text = InfixText::join(op.place, x.text);
  }

  void apply_binary(const Operator& op) {
    const Operand b = std::move(operands_.back());
    operands_.pop_back();
    Operand& a = operands_.back();
    a.value = guarded(op.place, [&] { return semantics_.binary(op.binary.text, a, b); });
    a.text = InfixText::join(a.text, b.text);
  }

  /// Errors from building a value get a place.
  template <class Build>
  Value guarded(std::string_view place, Build build) {
    try {
      return build();
    } catch (const InfixError& error) {
      throw ModelError(text_.where(error.place), error.message);
    } catch (const LimitError& error) {
      if (!error.where().to_string().empty()) throw;
      throw LimitError(text_.where(place), error.message());
    } catch (const ModelError& error) {
      if (!error.where().to_string().empty()) throw;
      throw ModelError(text_.where(place), error.message());
    }
  }

  Semantics& semantics_;
  InfixText text_;
  int max_depth_;
  InfixToken token_;
  std::vector<Operator> operators_;
  std::vector<Operand> operands_;
};

}  // namespace kane

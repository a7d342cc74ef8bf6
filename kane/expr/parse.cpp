#include "kane/expr/parse.hpp"

#include <cctype>

#include "kane/base/suggest.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/measured.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

std::string argument_count(std::string_view function, int expected, std::size_t given) {
  return fmt::format("{} takes {} argument{}, but {} {} given", function, expected, expected == 1 ? "" : "s", given,
                     given == 1 ? "is" : "are");
}

/// Numbers, names and signs of plain scalars.
class ScalarSemantics {
 public:
  using Value = Expr;
  using Operand = InfixOperand<Expr>;

  ScalarSemantics(Graph& graph, const ParseOptions& options)
      : graph_(graph), options_(options), is_name_([this](std::string_view n) {
          return n == "t" || (options_.resolve && options_.resolve(n).has_value());
        }) {}

  Expr number(const Rational& value) { return graph_.number(value); }

  Expr name(std::string_view text) {
    if (!options_.resolve) return text == "pi" ? graph_.pi() : graph_.symbol(text);
    if (auto value = options_.resolve(text); value) return graph_.bind(*value);
    if (text == "pi") return graph_.pi();
    throw ModelError(unknown_name(text, options_.known_names));
  }

  Expr call(std::string_view function, std::span<const Operand> arguments) {
    std::vector<Expr> values;
    for (const Operand& a : arguments) values.push_back(a.value);
    if (options_.call)
      if (auto value = options_.call(function, values); value) return graph_.bind(*value);
    return graph_.bind(call_function(graph_, function, values));
  }

  Expr unary(std::string_view sign, const Operand& x) { return graph_.bind(apply_sign(sign, x.value)); }

  Expr binary(std::string_view sign, const Operand& a, const Operand& b) {
    if (sign == "/" && b.value.is_zero()) throw InfixError{b.text, zero_divisor(b.text)};
    return graph_.bind(apply_sign(sign, a.value, b.value));
  }

  static bool is_bare(const Expr& x) { return x.is_number() || symbols_of({&x, 1}).empty(); }
  std::size_t unit_length(const Operand& number, std::string_view rest, const Where& where) {
    return unit_length_after(number.text, rest, where, is_name_);
  }
  Expr with_unit(const Expr& number, std::string_view unit, const Where& where) {
    return graph_.bind(number * unit_factor(graph_, parse_unit(unit, where)));
  }

 private:
  Graph& graph_;
  const ParseOptions& options_;
  std::function<bool(std::string_view)> is_name_;
};

}  // namespace

std::string zero_divisor(std::string_view divisor) {
  return fmt::format("division by '{}', which is identically zero", InfixText::printable(divisor));
}

Expr apply_sign(std::string_view sign, const Expr& x) {
  if (sign == "-") return -x;
  return sign == "not" ? equal(x, 0) : x;
}

Expr apply_sign(std::string_view sign, const Expr& a, const Expr& b) {
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

std::vector<std::string> known_functions(const Graph& graph) {
  std::vector<std::string> known = graph.function_names();
  for (const auto& row : kOperators)
    if (row.kind == OpKind::Function && !row.text.empty() && std::isalpha(static_cast<unsigned char>(row.text[0])) != 0)
      known.emplace_back(row.text);
  return known;
}

Expr call_function(Graph& graph, std::string_view function, std::span<const Expr> arguments) {
  const auto check_arity = [&](int expected) {
    require(static_cast<int>(arguments.size()) == expected, "{}", argument_count(function, expected, arguments.size()));
  };
  if (function == "root") {
    check_arity(2);
    require(arguments[1].is_number() && arguments[1].number().is_whole() && arguments[1].number() > 0,
            "the index of root(x, n) must be a positive whole number");
    return pow(arguments[0], Rational(1) / arguments[1].number());
  }
  for (const auto& row : kOperators) {
    if (row.text != function || row.kind != OpKind::Function) continue;
    check_arity(row.arity);
    return graph.make(row.op, arguments);
  }
  if (graph.has_function(function)) {
    check_arity(graph.function_arity(function));
    return graph.call(function, arguments);
  }
  throw ModelError(fmt::format("unknown function '{}'{}", InfixText::printable(function),
                               suggestion(function, known_functions(graph))));
}

Expr parse(Graph& graph, std::string_view text, const ParseOptions& options) {
  ScalarSemantics semantics(graph, options);
  return InfixParser(semantics, text, options.where, options.max_depth).parse_all();
}

}  // namespace kane

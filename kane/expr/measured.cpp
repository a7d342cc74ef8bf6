#include "kane/expr/measured.hpp"

#include <cctype>
#include <cmath>

#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/graph.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/parse.hpp"

namespace kane {

namespace {

/// Operators and functions on expressions with dimensions.
class MeasuredSemantics {
 public:
  using Value = Measured;
  using Operand = InfixOperand<Measured>;

  MeasuredSemantics(Graph& graph, const MeasuredNames& names)
      : graph_(graph), names_(names), is_name_([this](std::string_view n) { return is_name(n); }) {}

  Measured number(const Rational& value) { return {graph_.number(value), Dimensional::number(value)}; }

  Measured name(std::string_view text) {
    if (names_.find)
      if (auto known = names_.find(text)) return {graph_.bind(known->value), known->dimension};
    if (text == "pi") return {graph_.pi(), Dimensional::of_pi()};
    if (auto unit = find_unit_factor(graph_, text)) return *unit;
    throw ModelError(unknown_name(text, names_.known ? names_.known() : std::vector<std::string>{}));
  }

  Measured call(std::string_view function, std::span<const Operand> arguments) {
    std::vector<Expr> values;
    std::vector<DimensionalText> dimensions;
    for (const auto& a : arguments) {
      values.push_back(a.value.value);
      dimensions.push_back({a.value.dimension, a.text});
    }
    Measured result{graph_.bind(call_function(graph_, function, values)), {}};
    result.dimension = call_dimension(function, dimensions);
    return result;
  }

  Measured unary(std::string_view sign, const Operand& x) {
    return {graph_.bind(apply_sign(sign, x.value.value)),
            sign == "not" ? Dimensional::ratio(x.value.dimension.moving) : x.value.dimension};
  }

  Measured binary(std::string_view sign, const Operand& a, const Operand& b) {
    if (sign == "/" && b.value.value.is_zero()) throw InfixError{b.text, zero_divisor(b.text)};
    const Expr& n = b.value.value;
    const auto exponent = n.is_number() ? std::optional(n.number()) : std::nullopt;
    const Dimensional dimension =
        binary_dimension(sign, {a.value.dimension, a.text}, {b.value.dimension, b.text}, exponent);
    return {graph_.bind(apply_sign(sign, a.value.value, n)), dimension};
  }

  static bool is_bare(const Measured& x) { return x.dimension.is_number(); }
  std::size_t unit_length(const Operand& number, std::string_view rest, const Where& where) {
    return unit_length_after(number.text, rest, where, is_name_);
  }
  Measured with_unit(const Measured& number, std::string_view text, const Where& where) {
    const Unit unit = parse_unit(text, where);
    return {graph_.bind(number.value * unit_factor(graph_, unit)), literal_dimension(unit.dimension)};
  }

 private:
  [[nodiscard]] bool is_name(std::string_view word) const {
    return names_.has ? names_.has(word) : names_.find && names_.find(word).has_value();
  }

  Graph& graph_;
  const MeasuredNames& names_;
  std::function<bool(std::string_view)> is_name_;
};

}  // namespace

Dimensional literal_dimension(Dimension dimension) {
  Dimensional r = Dimensional::known(dimension);
  r.literal = true;
  return r;
}

Expr unit_factor(Graph& graph, const Unit& unit) {
  Rational factor(1);
  for (const auto& n : unit.numerators) factor *= *find_decimal(n);
  for (const auto& d : unit.denominators) factor /= *find_decimal(d);
  return graph.number(factor) * pow(graph.pi(), unit.pi_power);
}

std::optional<Measured> find_unit_factor(Graph& graph, std::string_view word) {
  if (!is_unit_factor(word)) return std::nullopt;
  const Unit unit = parse_unit(word);
  Measured factor{graph.bind(unit_factor(graph, unit)), literal_dimension(unit.dimension)};
  factor.dimension.word = true;
  return factor;
}

std::string unknown_name(std::string_view name, const std::vector<std::string>& known) {
  if (find_unit_dimension(name))
    return fmt::format("unknown name '{0}' (as a unit it must follow its number: 2 {0})", name);
  return fmt::format("unknown name '{}'{}", InfixText::printable(name), suggestion(name, known));
}

std::size_t unit_length_after(std::string_view number, std::string_view rest, const Where& where,
                              const std::function<bool(std::string_view)>& is_name) {
  if (const std::size_t length = unit_length(rest, is_name, where); length > 0) return length;
  const InfixToken word = InfixText(rest, {}).next();
  if (word.kind != InfixTokenKind::Name) return 0;
  const bool call = rest.substr(word.text.size()).starts_with("(");
  if (call || is_name(word.text) || word.text.find_first_of(".'") != std::string_view::npos)
    throw ModelError(where, fmt::format("expected an operator or a unit, but found '{}'; to multiply, write '{}*{}'",
                                        InfixText::printable(word.text), InfixText::printable(number, 20),
                                        InfixText::printable(word.text, 20)));
  (void)parse_unit(rest, where);  // says what is wrong, with a suggestion
  return 0;
}

Measured parse_measured(Graph& graph, std::string_view text, const Where& where, const MeasuredNames& names) {
  MeasuredSemantics semantics(graph, names);
  constexpr int kMaxDepth = 200;
  return InfixParser(semantics, text, where, kMaxDepth).parse_all();
}

MeasuredNumber parse_measured_number(std::string_view text, const Where& where) {
  Graph graph;
  const Measured x = parse_measured(graph, text, where, {});
  const double value = evaluate(x.value, {});
  if (!std::isfinite(value))
    throw ModelError(where, fmt::format("'{}' is not a finite number", InfixText::printable(text)));
  return {value, x.dimension.certain()};
}

}  // namespace kane

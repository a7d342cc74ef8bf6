#include "kane/formats/yaml/scalar.hpp"

#include <cctype>

#include "kane/base/suggest.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/parse.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

struct Measured {
  Expr value;
  std::optional<Dimension> dimension;
};

/// Operators and functions on expressions with dimensions.
class MeasuredSemantics {
 public:
  using Value = Measured;
  using Operand = InfixOperand<Measured>;

  MeasuredSemantics(Graph& graph, const ScalarNames& names) : graph_(graph), names_(names) {}

  Measured number(const Rational& value) { return {graph_.number(value), std::nullopt}; }

  Measured name(std::string_view text) {
    if (const auto known = names_.find(text); known != names_.end())
      return {graph_.bind(known->second.value), known->second.dimension};
    if (text == "pi") return {graph_.pi(), kNone};
    std::vector<std::string> all;
    for (const auto& [name, row] : names_) all.push_back(name);
    throw ModelError(fmt::format("unknown name '{}'{}", InfixText::printable(text), suggestion(text, all)));
  }

  Measured call(std::string_view function, std::span<const Operand> arguments) {
    std::vector<Expr> values;
    for (const auto& a : arguments) values.push_back(a.value.value);
    Measured result{graph_.bind(call_function(graph_, function, values)), std::nullopt};
    result.dimension = call_dimension(function, arguments);
    return result;
  }

  Measured unary(std::string_view sign, const Operand& x) {
    return {graph_.bind(apply_sign(sign, x.value.value)), sign == "not" ? std::nullopt : x.value.dimension};
  }

  Measured binary(std::string_view sign, const Operand& a, const Operand& b) {
    if (sign == "/" && b.value.value.is_zero()) throw InfixError{b.text, zero_divisor(b.text)};
    const auto dimension = binary_dimension(sign, a, b);
    return {graph_.bind(apply_sign(sign, a.value.value, b.value.value)), dimension};
  }

 private:
  static std::optional<Dimension> binary_dimension(std::string_view sign, const Operand& a, const Operand& b) {
    const auto& x = a.value.dimension;
    const auto& y = b.value.dimension;
    if (sign == "*" || sign == "/") {
      if (!x || !y) return std::nullopt;
      return bounded(sign == "*" ? *x * *y : *x / *y);
    }
    if (sign == "^" || sign == "**") return power_dimension(a, b);
    if (sign == "and" || sign == "or") return kNone;
    const auto common = same_dimension(sign, a, b);
    return sign == "+" || sign == "-" ? common : std::optional<Dimension>(kNone);
  }

  static std::optional<Dimension> power_dimension(const Operand& a, const Operand& b) {
    if (b.value.dimension && !b.value.dimension->none())
      throw InfixError{b.text, fmt::format("an exponent must be a plain number, but '{}' is in {}",
                                           InfixText::printable(b.text), unit_words(*b.value.dimension))};
    if (!a.value.dimension) return std::nullopt;
    if (a.value.dimension->none()) return kNone;
    const Expr& n = b.value.value;
    constexpr int kMaxExponent = 100;
    if (!n.is_number() || !n.number().is_whole() || abs(n.number()) > kMaxExponent) return std::nullopt;
    return bounded(pow(*a.value.dimension, static_cast<int>(n.number().small_num())));
  }

  /// Larger exponents do not occur in mechanics; the dimension is dropped rather than letting them overflow.
  static std::optional<Dimension> bounded(Dimension d) {
    constexpr int kMaxExponent = 1000;
    for (const int n : {d.kg, d.m, d.s, d.A, d.K})
      if (n > kMaxExponent || n < -kMaxExponent) return std::nullopt;
    return d;
  }

  static std::optional<Dimension> same_dimension(std::string_view sign, const Operand& a, const Operand& b) {
    const auto& x = a.value.dimension;
    const auto& y = b.value.dimension;
    if (x && y && *x != *y)
      throw ModelError(fmt::format("'{}' is in {} but '{}' is in {}, so '{}' cannot combine them",
                                   InfixText::printable(a.text), unit_words(*x), InfixText::printable(b.text),
                                   unit_words(*y), sign));
    return x ? x : y;
  }

  static std::optional<Dimension> call_dimension(std::string_view function, std::span<const Operand> arguments) {
    const auto& first = arguments.front();
    if (function == "sqrt") return half_dimension(first.value.dimension);
    if (function == "abs" || function == "floor") return first.value.dimension;
    if (function == "sign") return kNone;
    if (function == "min" || function == "max" || function == "mod")
      return same_dimension(function, first, arguments[1]);
    if (function == "atan2") return same_dimension(function, first, arguments[1]), kNone;
    if (function == "select") return same_dimension(function, arguments[1], arguments[2]);
    for (const auto& row : kOperators) {
      if (row.text != function || function == "root") continue;
      // The rest of the table: sines, exponentials and their inverses.
      if (first.value.dimension && !first.value.dimension->none())
        throw InfixError{first.text,
                         fmt::format("the argument of {} must be a plain number or an angle, but '{}' is in {}",
                                     function, InfixText::printable(first.text), unit_words(*first.value.dimension))};
      return kNone;
    }
    return std::nullopt;
  }

  static std::optional<Dimension> half_dimension(const std::optional<Dimension>& d) {
    if (!d) return std::nullopt;
    for (const int n : {d->kg, d->m, d->s, d->A, d->K})
      if (n % 2 != 0) return std::nullopt;
    return Dimension{d->kg / 2, d->m / 2, d->s / 2, d->A / 2, d->K / 2};
  }

  Graph& graph_;
  const ScalarNames& names_;
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.remove_suffix(1);
  return text;
}

void check_measure(const Scalar& scalar, std::string_view text, const Where& where, const Measure& measure,
                   std::string_view what, std::string_view owner) {
  if (!measure.dimension || !scalar.dimension || *measure.dimension == *scalar.dimension) return;
  const std::string given =
      scalar.dimension->none() ? "as an angle or a plain number" : "in " + unit_words(*scalar.dimension);
  throw ModelError(where, fmt::format("{} is given {} ('{}') in {}; {} is expected, such as '{}'", what, given,
                                      InfixText::printable(trimmed(text)), owner, measure.name, measure.example));
}

}  // namespace

Expr unit_factor(Graph& graph, const Unit& unit) {
  Rational factor(1);
  for (const auto& n : unit.numerators) factor *= *find_decimal(n);
  for (const auto& d : unit.denominators) factor /= *find_decimal(d);
  return graph.number(factor) * pow(graph.pi(), unit.pi_power);
}

Scalar parse_scalar(Graph& graph, const ScalarNames& names, std::string_view text, const Where& where,
                    const Measure& measure, std::string_view what, std::string_view owner) {
  MeasuredSemantics semantics(graph, names);
  constexpr int kMaxDepth = 200;
  std::string_view rest;
  const Measured value = InfixParser(semantics, text, where, kMaxDepth).parse_some(rest);
  Scalar scalar{value.value, value.dimension, ""};
  rest = trimmed(rest);
  if (!rest.empty()) {
    const Where place = InfixText(text, where).where(rest);
    if (!symbols_of({&scalar.value, 1}).empty())
      throw ModelError(place,
                       fmt::format("expected an operator or the end of the expression, but found '{}' (a unit can "
                                   "follow a number only)",
                                   InfixText::printable(rest)));
    const Unit unit = parse_unit(rest, place);
    scalar.value = graph.bind(scalar.value * unit_factor(graph, unit));
    scalar.dimension = unit.dimension;
    scalar.unit = !unit.dimension.none() ? si_unit(unit.dimension) : rest == "%" || rest == "1" ? "" : "rad";
  }
  check_measure(scalar, text, where, measure, what, owner);
  return scalar;
}

}  // namespace kane

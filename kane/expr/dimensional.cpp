#include "kane/expr/dimensional.hpp"

#include <algorithm>
#include <cstdlib>

#include "kane/expr/graph.hpp"
#include "kane/expr/infix.hpp"
#include "kane/expr/node_map.hpp"
#include "kane/expr/operators.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

using Kind = Dimensional::Kind;

/// Larger exponents do not occur in mechanics; the dimension is dropped rather than letting them overflow.
bool is_bounded(Dimension d) {
  constexpr int kMaxExponent = 1000;
  for (const int n : {d.kg, d.m, d.s, d.A, d.K})
    if (std::abs(n) > kMaxExponent) return false;
  return true;
}

bool fits_all(const Dimensional& x) { return x.is_number() || x.kind == Kind::Ratio; }

Dimensional known_or_open(Dimension d, bool moving) {
  return is_bounded(d) ? Dimensional::known(d, moving) : Dimensional::open(moving);
}

/// A quantity behind a bare number: masses, lengths, times and the usual combinations of them. Nothing in use is
/// measured per mass but G (m^3/(kg s^2)), which is never multiplied by a mass alone.
bool is_in_use(Dimension d) {
  return d.kg >= 0 && d.kg <= 1 && std::abs(d.m) <= 6 && d.s >= -4 && d.s <= 2 && std::abs(d.A) <= 2 &&
         std::abs(d.K) <= 1;
}

/// A number as a factor of something with a dimension.
Dimensional scaled(const Dimensional& x, bool pure_factor) {
  Dimensional r = x;
  r.literal = r.word = false;
  if (pure_factor || x.kind == Kind::Open) return r;
  r.kind = x.moving ? Kind::Open : Kind::Scaled;
  return r;
}

Dimensional combined(const Dimensional& a, const Dimensional& b, Dimension d) {
  const bool moving = a.moving || b.moving;
  if (a.kind == Kind::Open || b.kind == Kind::Open || !is_bounded(d)) return Dimensional::open(moving);
  if (a.kind == Kind::Ratio && b.kind == Kind::Ratio) return Dimensional::ratio(moving);
  if (a.kind != Kind::Scaled && b.kind != Kind::Scaled) {
    Dimensional r = Dimensional::known(d, moving);
    r.motion = (a.kind == Kind::Ratio || a.motion) && (b.kind == Kind::Ratio || b.motion);
    return r;
  }
  return moving ? Dimensional::open(true) : Dimensional{Kind::Scaled, d};
}

Dimensional power(const DimensionalText& a, const DimensionalText& b, const std::optional<Rational>& exponent) {
  const Dimensional& x = a.dimension;
  if (b.dimension.kind == Kind::Known && !b.dimension.dimension.none())
    throw InfixError{b.text, fmt::format("an exponent must be a plain number, but '{}' is in {}",
                                         InfixText::printable(b.text), unit_words(b.dimension.dimension))};
  const bool moving = x.moving || b.dimension.moving;
  if (x.is_number() && b.dimension.is_number()) {
    Dimensional r = x;
    r.whole = x.whole && b.dimension.whole && exponent && *exponent >= 0;
    return r;
  }
  if (x.kind == Kind::Ratio) return Dimensional::ratio(moving);
  if (x.kind == Kind::Known && x.dimension.none()) {
    Dimensional r = Dimensional::known(kNone, moving);
    r.motion = x.motion;
    return r;
  }
  constexpr int kMaxExponent = 100;
  if (x.is_number() || x.kind == Kind::Open || !exponent || abs(*exponent) > kMaxExponent)
    return Dimensional::open(moving);
  Dimension d;
  for (int Dimension::*part : {&Dimension::kg, &Dimension::m, &Dimension::s, &Dimension::A, &Dimension::K}) {
    const Rational n = *exponent * Rational(x.dimension.*part);
    if (!n.is_whole()) return Dimensional::open(moving);
    d.*part = static_cast<int>(n.small_num());
  }
  if (!is_bounded(d)) return Dimensional::open(moving);
  Dimensional r{x.kind, d, moving};
  r.motion = x.motion;
  return r;
}

/// 1 + 2 mm: are these 3 mm or 1002 mm?
void check_units_of_terms(const DimensionalText& bare, const DimensionalText& with_unit) {
  const Dimensional& n = bare.dimension;
  if (!n.is_number() || n.pi || !with_unit.dimension.literal) return;
  throw InfixError{bare.text,
                   fmt::format("'{}' has no unit, but '{}' has; give both terms their unit, or put the sum in "
                               "parentheses before it",
                               InfixText::printable(bare.text), InfixText::printable(with_unit.text))};
}

/// Checks the argument of a sine, an exponential or one of their inverses.
void check_plain(std::string_view function, const DimensionalText& x) {
  if (x.dimension.kind != Kind::Known || x.dimension.dimension.none() || x.dimension.motion) return;
  throw InfixError{x.text, fmt::format("the argument of {} must be a plain number or an angle, but '{}' is in {}",
                                       function, InfixText::printable(x.text), unit_words(x.dimension.dimension))};
}

}  // namespace

Dimensional Dimensional::number(const Rational& value) { return {Kind::Number, {}, false, value.is_whole()}; }

bool Dimensional::fits(Dimension expected) const {
  if (kind == Kind::Known) return motion || dimension == expected;
  if (kind == Kind::Scaled) return dimension == expected || is_in_use(expected / dimension);
  return true;
}

Dimensional product(const Dimensional& a, const Dimensional& b) {
  if (a.is_number() && b.is_number())
    return {Kind::Number, {}, a.moving || b.moving, a.whole && b.whole, a.one && b.one, a.pi || b.pi};
  if (a.is_number() && b.word) {  // 30*deg
    Dimensional quantity = b;
    quantity.word = false;
    return quantity;
  }
  if (a.is_number()) return scaled(b, a.one);
  if (b.is_number()) return scaled(a, b.one);
  return combined(a, b, a.dimension * b.dimension);
}

Dimensional quotient(const Dimensional& a, const Dimensional& b) {
  if (a.is_number() && b.is_number())
    return {Kind::Number, {}, a.moving || b.moving, a.whole && b.one, a.one && b.one, a.pi || b.pi};
  if (b.is_number()) return scaled(a, b.whole);
  Dimensional inverse = b;
  inverse.literal = false;
  inverse.dimension = pow(b.dimension, -1);
  if (a.is_number()) return scaled(inverse, a.one);
  return combined(a, inverse, a.dimension * inverse.dimension);
}

Dimensional rate(const Dimensional& a) {
  if (a.is_number()) return a;
  if (a.kind == Kind::Ratio) return Dimensional::open(true);
  if (a.kind != Kind::Known) return Dimensional::open(true);
  Dimensional r = known_or_open(a.dimension / kTime, true);
  r.motion = a.motion;
  return r;
}

Dimensional sum_dimension(std::string_view sign, const DimensionalText& a, const DimensionalText& b) {
  const Dimensional& x = a.dimension;
  const Dimensional& y = b.dimension;
  const bool moving = x.moving || y.moving;
  if (sign == "+" || sign == "-") {
    check_units_of_terms(a, b);
    check_units_of_terms(b, a);
  }
  const bool both_known = x.kind == Kind::Known && y.kind == Kind::Known;
  if (both_known && x.dimension != y.dimension && x.motion && y.motion) return Dimensional::open(moving);
  if (both_known && x.dimension != y.dimension)
    throw ModelError(fmt::format("'{}' is in {} but '{}' is in {}, so '{}' cannot combine them",
                                 InfixText::printable(a.text), unit_words(x.dimension), InfixText::printable(b.text),
                                 unit_words(y.dimension), sign));
  Dimensional r = x;
  if (x.kind == Kind::Known || y.kind == Kind::Known)
    r = x.kind == Kind::Known ? x : y;
  else if (x.is_number() && y.is_number())
    r = {Kind::Number, {}, moving, x.whole && y.whole, false, x.pi || y.pi};
  else if (fits_all(x) && fits_all(y))
    r = Dimensional::ratio(moving);
  else if (x.kind == Kind::Scaled && (fits_all(y) || (y.kind == Kind::Scaled && x.dimension == y.dimension)))
    r = x;
  else if (fits_all(x) && y.kind == Kind::Scaled)
    r = y;
  else
    r = Dimensional::open();
  r.moving = moving;
  r.motion = r.motion && (!both_known || (x.motion && y.motion));
  r.literal = x.literal && y.literal;
  r.word = false;
  return r;
}

Dimensional binary_dimension(std::string_view sign, const DimensionalText& a, const DimensionalText& b,
                             const std::optional<Rational>& exponent) {
  if (sign == "*") return product(a.dimension, b.dimension);
  if (sign == "/") return quotient(a.dimension, b.dimension);
  if (sign == "^" || sign == "**") return power(a, b, exponent);
  const bool moving = a.dimension.moving || b.dimension.moving;
  if (sign == "and" || sign == "or") return Dimensional::ratio(moving);
  const Dimensional common = sum_dimension(sign, a, b);
  return sign == "+" || sign == "-" ? common : Dimensional::ratio(moving);
}

Dimensional call_dimension(std::string_view function, std::span<const DimensionalText> arguments) {
  const DimensionalText& first = arguments.front();
  bool moving = false, numbers = true;
  for (const auto& a : arguments) moving = moving || a.dimension.moving, numbers = numbers && a.dimension.is_number();
  const auto plain = [&] { return numbers ? Dimensional{Kind::Number, {}, moving} : Dimensional::ratio(moving); };
  if (function == "sqrt") return power(first, {Dimensional::unity(), {}}, Rational(1) / Rational(2));
  if (function == "abs" || function == "floor") return first.dimension;
  if (function == "sign") return plain();
  if ((function == "min" || function == "max" || function == "mod") && arguments.size() == 2)
    return sum_dimension(function, first, arguments[1]);
  if (function == "atan2" && arguments.size() == 2) return (void)sum_dimension(function, first, arguments[1]), plain();
  if (function == "select" && arguments.size() == 3) return sum_dimension(function, arguments[1], arguments[2]);
  for (const auto& row : kOperators) {
    if (row.text != function || row.kind != OpKind::Function || function == "root") continue;
    check_plain(function, first);  // the rest of the table: sines, exponentials and their inverses
    return plain();
  }
  return Dimensional::open(moving);
}

Dimensional infer_dimension(const Expr& e, const std::function<Dimensional(std::string_view)>& symbol) {
  if (e.graph() == nullptr) return Dimensional::number(e.number());
  const Graph& graph = *e.graph();
  NodeMap<std::uint32_t> place(graph.size());
  std::vector<Dimensional> values;
  for (const NodeId id : topological_order({&e, 1})) {
    place.set(id, static_cast<std::uint32_t>(values.size()));
    std::vector<DimensionalText> args;
    for (const NodeId arg : graph.args(id)) args.push_back({values[place[arg]], {}});
    const Op op = graph.op(id);
    const auto of = [&]() -> Dimensional {
      switch (op) {
        case Op::Number: return Dimensional::number(graph.number_value(id));
        case Op::Symbol: return symbol(graph.name(id));
        case Op::Pi: return Dimensional::of_pi();
        case Op::Neg: return args[0].dimension;
        case Op::Pow: return power(args[0], {Dimensional::unity(), {}}, Rational(graph.exponent(id)));
        case Op::Root: return power(args[0], {Dimensional::unity(), {}}, Rational(1) / Rational(graph.exponent(id)));
        case Op::Add:
        case Op::Sub:
        case Op::Mul:
        case Op::Div:
        case Op::Less:
        case Op::LessEqual:
        case Op::Equal: return binary_dimension(info(op).text, args[0], args[1], std::nullopt);
        case Op::Call: return Dimensional::open(true);
        default: return call_dimension(info(op).text, args);
      }
    };
    try {
      values.push_back(of());
    } catch (const ModelError&) {
      values.push_back(Dimensional::open());
    } catch (const InfixError&) {
      values.push_back(Dimensional::open());
    }
  }
  return values[place[e.id()]];
}

std::string given_words(Dimension dimension) {
  return dimension.none() ? "as an angle or a plain number" : "in " + unit_words(dimension);
}

}  // namespace kane

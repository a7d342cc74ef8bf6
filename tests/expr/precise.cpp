#include "tests/expr/precise.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <map>

#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/expr/value.hpp"
#include "tests/expr/random_expr.hpp"

namespace kane::test {

namespace {

using Real =
    boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<60>, boost::multiprecision::et_off>;

constexpr double kLarge = 1e4;
const Real kMargin("1e-12");

/// The external function of random_expr.hpp: f(a, b) = a b + sin(a), and its derivatives.
Real external(const std::string& name, std::span<const Real> x) {
  if (name == "f") return x[0] * x[1] + sin(x[0]);
  if (name == "f_1") return x[1] + cos(x[0]);
  return name == "f_2" ? x[0] : Real("nan");
}

/// Whether an operator is near a jump or a kink, where rounding decides which side it is on; so is a function at the end
/// of its domain.
bool is_at_jump(Op op, std::span<const Real> x) {
  const auto near = [](const Real& a, const Real& b) { return abs(a - b) < kMargin; };
  switch (op) {
    case Op::Abs:
    case Op::Sign:
    case Op::Sqrt:
    case Op::Root:
    case Op::Log: return near(x[0], 0);
    case Op::Asin:
    case Op::Acos: return near(abs(x[0]), 1);
    case Op::Floor: return near(x[0], round(x[0]));
    case Op::Mod: return near(x[1], 0) || near(x[0] / x[1], round(x[0] / x[1]));
    case Op::Min:
    case Op::Max:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal: return near(x[0], x[1]);
    case Op::Select: return near(x[0], 0) && x[0] != 0;
    case Op::Atan2: return near(x[0], 0) && x[1] < kMargin;
    case Op::Div: return near(x[1], 0);
    default: return false;
  }
}

bool is_usable(const Real& value) { return boost::multiprecision::isfinite(value) && abs(value) < kLarge; }

/// The value of an operator, or of the external function; empty in the cases of precise.hpp.
std::optional<Real> apply(Op op, int exponent, const std::string& function, std::span<const Real> x) {
  if (is_at_jump(op, x)) return std::nullopt;
  const Real value = op == Op::Call ? external(function, x) : op_value<Real>(op, x, exponent);
  return is_usable(value) ? std::optional(value) : std::nullopt;
}

/// Node by node, and not with evaluate_in: the sine of e^(e^20) would take all day.
std::optional<Real> value_of(const Expr& e, const Point& at, const std::string& moved, const Real& step) {
  const auto number = [](const Rational& r) { return Real(r.get_num().get_str()) / Real(r.get_den().get_str()); };
  if (e.graph() == nullptr) return number(e.number());
  const Graph& graph = *e.graph();
  std::map<NodeId, Real> values;
  for (const NodeId id : topological_order({&e, 1})) {
    std::vector<Real> operands;
    for (const NodeId arg : graph.args(id)) operands.push_back(values.at(arg));
    std::optional<Real> value;
    switch (const Op op = graph.op(id); op) {
      case Op::Number: value = number(graph.number_value(id)); break;
      case Op::Symbol: value = Real(at.at(graph.name(id))) + (graph.name(id) == moved ? step : Real(0)); break;
      case Op::Pi: value = pi_value<Real>(); break;
      default: value = apply(op, graph.exponent(id), op == Op::Call ? graph.name(id) : "", operands);
    }
    if (!value || !is_usable(*value)) return std::nullopt;
    values.emplace(id, *value);
  }
  return values.at(e.id());
}

std::optional<Real> value_of(const Tree& tree, const Point& at) {
  if (tree.op == Op::Number) return Real(tree.value) / tree.denominator;
  if (tree.op == Op::Symbol) return Real(at.at(symbol_name(tree.value)));
  std::vector<Real> parts;
  for (const auto& part : tree.parts) {
    const auto value = value_of(part, at);
    if (!value) return std::nullopt;
    parts.push_back(*value);
  }
  return apply(tree.op, tree.value, kFunction, parts);
}

Precise measure(const Real& a, const Real& b) {
  Real scale = 1;
  if (abs(a) > scale) scale = abs(a);
  if (abs(b) > scale) scale = abs(b);
  return {static_cast<double>(a), static_cast<double>(Real(abs(a - b) / scale))};
}

}  // namespace

std::optional<Precise> compare(const Expr& a, const Expr& b, const Point& at) {
  const auto x = value_of(a, at, "", 0), y = value_of(b, at, "", 0);
  if (!x || !y) return std::nullopt;
  return measure(*x, *y);
}

std::optional<Precise> compare(const Tree& tree, const Expr& e, const Point& at) {
  const auto x = value_of(tree, at);
  if (!x) return std::nullopt;
  const auto y = value_of(e, at, "", 0);
  // The expression may pass near a pole, or a large number, that the tree does not; but it has a value.
  return y ? std::optional(measure(*x, *y)) : std::nullopt;
}

std::optional<Precise> compare_derivative(const Expr& e, const Expr& derivative, const std::string& symbol,
                                          const Point& at) {
  const Real step("1e-20");
  const auto up = value_of(e, at, symbol, step), down = value_of(e, at, symbol, -step);
  const auto exact = value_of(derivative, at, "", 0);
  if (!up || !down || !exact) return std::nullopt;
  return measure(*exact, (*up - *down) / (2 * step));
}

std::optional<double> evaluate_precisely(const Expr& e, const Point& at) {
  const auto value = value_of(e, at, "", 0);
  if (!value) return std::nullopt;
  return static_cast<double>(*value);
}

bool is_defined(const Tree& tree, const Point& at) { return value_of(tree, at).has_value(); }

Expr build_or_discard(Graph& graph, const Tree& tree) {
  try {
    return build(graph, tree);
  } catch (const ModelError&) {
    RC_DISCARD("not an expression");
  }
}

}  // namespace kane::test

#include "tests/expr/precise.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <map>

#include "kane/expr/evaluate_in.hpp"
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

std::optional<Real> value_of(const Expr& e, const Point& at, const std::string& moved, const Real& step) {
  const auto symbol = [&](const std::string& name) { return Real(at.at(name)) + (name == moved ? step : Real(0)); };
  const auto number = [](const Rational& r) { return Real(r.get_num().get_str()) / Real(r.get_den().get_str()); };
  if (e.graph() == nullptr) return number(e.number());
  std::vector<Expr> all;
  for (const NodeId id : topological_order({&e, 1})) all.push_back(e.graph()->at(id));
  const auto values = evaluate_in<Real>(all, symbol, number, external);
  std::map<NodeId, std::size_t> place;
  for (std::size_t i = 0; i < all.size(); ++i) {
    place[all[i].id()] = i;
    std::vector<Real> operands;
    for (const NodeId arg : e.graph()->args(all[i].id())) operands.push_back(values[place.at(arg)]);
    if (!is_usable(values[i]) || is_at_jump(all[i].op(), operands)) return std::nullopt;
  }
  return values.back();
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
  if (is_at_jump(tree.op, parts)) return std::nullopt;
  const Real value = tree.op == Op::Call ? external(kFunction, parts) : op_value<Real>(tree.op, parts, tree.value);
  return is_usable(value) ? std::optional(value) : std::nullopt;
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

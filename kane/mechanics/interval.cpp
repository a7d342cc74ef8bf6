#include "kane/mechanics/interval.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/parameter_values.hpp"

namespace kane {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Interval kAll{-kInfinity, kInfinity};

double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Interval multiply(Interval a, Interval b) {
  const double p[] = {product(a.low, b.low), product(a.low, b.high), product(a.high, b.low), product(a.high, b.high)};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

Interval reciprocal(Interval a) {
  if (a.low <= 0 && a.high >= 0) return kAll;
  return {1 / a.high, 1 / a.low};
}

Interval power(Interval a, int n) {
  const double l = std::pow(a.low, n), h = std::pow(a.high, n);
  if (n % 2 != 0) return {l, h};
  if (a.low <= 0 && a.high >= 0) return {0, std::max(l, h)};
  return {std::min(l, h), std::max(l, h)};
}

Interval apply(Op op, const std::vector<Interval>& a, int exponent) {
  switch (op) {
    case Op::Neg: return {-a[0].high, -a[0].low};
    case Op::Add: return {a[0].low + a[1].low, a[0].high + a[1].high};
    case Op::Sub: return {a[0].low - a[1].high, a[0].high - a[1].low};
    case Op::Mul: return multiply(a[0], a[1]);
    case Op::Div: return multiply(a[0], reciprocal(a[1]));
    case Op::Pow: return power(a[0], exponent);
    case Op::Sqrt: return {std::sqrt(std::max(a[0].low, 0.0)), std::sqrt(std::max(a[0].high, 0.0))};
    case Op::Sin:
    case Op::Cos:
      if (a[0].low == a[0].high) {
        const double v = op == Op::Sin ? std::sin(a[0].low) : std::cos(a[0].low);
        return {v, v};
      }
      return {-1, 1};
    case Op::Tanh: return {-1, 1};
    case Op::Exp: return {std::exp(a[0].low), std::exp(a[0].high)};
    case Op::Cosh: return {1, kInfinity};
    case Op::Abs:
      return a[0].low <= 0 && a[0].high >= 0 ? Interval{0, std::max(-a[0].low, a[0].high)}
                                             : Interval{std::min(std::abs(a[0].low), std::abs(a[0].high)),
                                                        std::max(std::abs(a[0].low), std::abs(a[0].high))};
    default: return kAll;
  }
}

}  // namespace

std::optional<Interval> find_bounds(const System& s, const Expr& e) {
  if (e.is_number()) {
    const double v = to_double(e.number());
    return Interval{v, v};
  }
  const auto values = find_parameter_values(s);
  Graph& graph = s.graph();
  std::unordered_map<NodeId, Interval> known;
  for (const NodeId id : topological_order(std::span(&e, 1))) {
    Interval i = kAll;
    const Op op = graph.op(id);
    if (op == Op::Number) {
      const double v = to_double(graph.number_value(id));
      i = {v, v};
    } else if (op == Op::Pi) {
      i = {M_PI, M_PI};
    } else if (op == Op::Symbol) {
      if (s.find_kind(graph.name(id)) == SymbolKind::Parameter) {
        const auto value = values.find(graph.name(id));
        if (value == values.end()) return std::nullopt;
        i = {value->second, value->second};
      }
    } else {
      std::vector<Interval> args;
      for (const NodeId a : graph.args(id)) args.push_back(known.at(a));
      i = apply(op, args, op == Op::Pow ? graph.exponent(id) : 0);
      if (std::isnan(i.low) || std::isnan(i.high)) i = kAll;
    }
    known[id] = i;
  }
  return known.at(e.id());
}

void check_can_vanish(const System& s, const Expr& phi, const std::string& name) {
  require(!phi.is_number() || phi.is_zero(), "constraint {} can never hold: it reads {} = 0", name, phi.to_string());
  const auto bounds = find_bounds(s, phi);
  if (!bounds) return;
  const double margin = 1e-9 * (1 + std::min(std::abs(bounds->low), std::abs(bounds->high)));
  require(bounds->low <= margin && bounds->high >= -margin,
          "constraint {} can never hold: with the given parameters {} lies between {:.6g} and {:.6g} and is never zero",
          name, phi.to_string(), bounds->low, bounds->high);
}

}  // namespace kane

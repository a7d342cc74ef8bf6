#include "kane/expr/rules.hpp"

#include <algorithm>

#include "kane/base/error.hpp"

namespace kane {

NodeId Rules::neg(NodeId a) {
  if (is_number(a)) return number(-value(a));
  if (op(a) == Op::Neg) return arg(a, 0);
  // Where y has become a negation since x - y was formed, y - x would lead back here.
  if (op(a) == Op::Sub && op(arg(a, 1)) != Op::Neg) return sub(arg(a, 1), arg(a, 0));
  return store_.unary(Op::Neg, a);
}

NodeId Rules::add(NodeId a, NodeId b) {
  if (a == kZero) return b;
  if (b == kZero) return a;
  if (is_number(a)) std::swap(a, b);
  if (is_number(b)) {
    if (is_number(a)) return number(value(a) + value(b));
    if (value(b) < 0) return sub(a, number(-value(b)));
    // (x + 1) + 2 = x + 3, (x - 1) + 2 = x + 1, (1 - x) + 2 = 3 - x
    if (op(a) == Op::Add && is_number(arg(a, 1))) {
      const NodeId x = arg(a, 0);
      return add(x, number(value(arg(a, 1)) + value(b)));
    }
    if (op(a) == Op::Sub && is_number(arg(a, 1))) {
      const NodeId x = arg(a, 0);
      return add(x, number(value(b) - value(arg(a, 1))));
    }
    if (op(a) == Op::Sub && is_number(arg(a, 0))) {
      const NodeId x = arg(a, 1);
      return sub(number(value(arg(a, 0)) + value(b)), x);
    }
  }
  if (a == b) return mul(number(2), a);
  const bool a_negative = op(a) == Op::Neg, b_negative = op(b) == Op::Neg;
  if (a_negative && b_negative) return neg(add(arg(a, 0), arg(b, 0)));
  if (b_negative) return sub(a, arg(b, 0));
  if (a_negative) return sub(b, arg(a, 0));
  return store_.binary(Op::Add, a, b);
}

NodeId Rules::sub(NodeId a, NodeId b) {
  if (b == kZero) return a;
  if (a == b) return kZero;
  if (a == kZero) return neg(b);
  if (is_number(b)) {
    if (is_number(a)) return number(value(a) - value(b));
    if (value(b) < 0) return add(a, number(-value(b)));
    if ((op(a) == Op::Add || op(a) == Op::Sub) && is_number(arg(a, 1))) {
      const NodeId x = arg(a, 0);
      const Rational constant = op(a) == Op::Add ? Rational(value(arg(a, 1))) : Rational(-value(arg(a, 1)));
      return add(x, number(constant - value(b)));
    }
    if (op(a) == Op::Sub && is_number(arg(a, 0))) {
      const NodeId x = arg(a, 1);
      return sub(number(value(arg(a, 0)) - value(b)), x);
    }
  }
  if (op(b) == Op::Neg) return add(a, arg(b, 0));
  if (op(a) == Op::Neg) return neg(add(arg(a, 0), b));
  return store_.binary(Op::Sub, a, b);
}

NodeId Rules::mul(NodeId a, NodeId b) {
  if (a == kZero || b == kZero) return kZero;
  if (a == kOne) return b;
  if (b == kOne) return a;
  if (is_number(b)) std::swap(a, b);
  if (is_number(a)) {
    if (is_number(b)) return number(value(a) * value(b));
    if (op(b) == Op::Neg) return mul(number(-value(a)), arg(b, 0));
    if (op(b) == Op::Mul && is_number(arg(b, 0))) {
      const NodeId x = arg(b, 1);
      return mul(number(value(a) * value(arg(b, 0))), x);
    }
    // Signs outside: one of x and -x always has the form of a negation, so functions see one sign only.
    if (value(a) < 0) return neg(mul(number(-value(a)), b));
    return store_.binary(Op::Mul, a, b);
  }
  const bool a_negative = op(a) == Op::Neg, b_negative = op(b) == Op::Neg;
  if (a_negative && b_negative) return mul(arg(a, 0), arg(b, 0));
  if (a_negative) return neg(mul(arg(a, 0), b));
  if (b_negative) return neg(mul(a, arg(b, 0)));
  // Numbers to the front: (2 x) y = 2 (x y).
  if (op(a) == Op::Mul && is_number(arg(a, 0))) {
    const NodeId factor = arg(a, 0), x = arg(a, 1);
    return mul(factor, mul(x, b));
  }
  if (op(b) == Op::Mul && is_number(arg(b, 0))) {
    const NodeId factor = arg(b, 0), x = arg(b, 1);
    return mul(factor, mul(a, x));
  }
  if (has_radical(a) && has_radical(b))
    if (const auto reduced = reduce_radicals(Op::Mul, a, b, 1); reduced) return *reduced;
  if (a == b) return pow(a, 2);
  if (op(a) == Op::Pow && arg(a, 0) == b) return pow(b, graph_.exponent(a) + 1);
  if (op(b) == Op::Pow && arg(b, 0) == a) return pow(a, graph_.exponent(b) + 1);
  if (op(a) == Op::Pow && op(b) == Op::Pow && arg(a, 0) == arg(b, 0))
    return pow(arg(a, 0), graph_.exponent(a) + graph_.exponent(b));
  return store_.binary(Op::Mul, a, b);
}

NodeId Rules::div(NodeId a, NodeId b) {
  if (b == kZero) {
    throw ModelError(
        fmt::format("division of '{}' by an expression that is identically zero", graph_.at(a).to_string()));
  }
  if (a == kZero) return kZero;
  if (b == kOne) return a;
  if (a == b) return kOne;
  if (is_number(b)) return mul(number(Rational(1) / value(b)), a);
  if (op(a) == Op::Neg) return neg(div(arg(a, 0), b));
  if (op(b) == Op::Neg) return neg(div(a, arg(b, 0)));
  if (op(b) == Op::Mul && is_number(arg(b, 0))) {
    const NodeId factor = arg(b, 0), x = arg(b, 1);
    return mul(number(Rational(1) / value(factor)), div(a, x));
  }
  if (op(a) == Op::Mul && is_number(arg(a, 0)) && arg(a, 1) != b) {
    const NodeId factor = arg(a, 0), x = arg(a, 1);
    return mul(factor, div(x, b));
  }
  if (has_radical(b))
    if (const auto reduced = reduce_radicals(Op::Div, a, b, -1); reduced) return *reduced;
  if (const auto cancelled = cancel(a, b); cancelled) return *cancelled;
  // (n1/d1) / (n2/d2) = (n1 d2) / (d1 n2)
  if (op(a) != Op::Div && op(b) != Op::Div) return quotient(a, b);
  const bool a_fraction = op(a) == Op::Div, b_fraction = op(b) == Op::Div;
  const NodeId n1 = a_fraction ? arg(a, 0) : a, d1 = a_fraction ? arg(a, 1) : kOne;
  const NodeId n2 = b_fraction ? arg(b, 0) : b, d2 = b_fraction ? arg(b, 1) : kOne;
  const NodeId numerator = mul(n1, d2);
  return quotient(numerator, mul(d1, n2));
}

/// The factors of a product, as far as a few: x^2 y is x, 2 and y, 1.
void Rules::few_factors(NodeId id, std::vector<Factor>& factors) const {
  constexpr std::size_t kMostFactors = 12;
  std::vector<Factor> open{{id, 1}};
  while (!open.empty()) {
    const Factor f = open.back();
    open.pop_back();
    if (op(f.node) == Op::Mul && factors.size() + open.size() < kMostFactors) {
      open.push_back({arg(f.node, 1), f.exponent});
      open.push_back({arg(f.node, 0), f.exponent});
    } else if (op(f.node) == Op::Pow && f.exponent == 1) {
      open.push_back({arg(f.node, 0), graph_.exponent(f.node)});
    } else {
      factors.push_back(f);
    }
  }
}

/// a/b without the factors that both show; empty if they share none.
std::optional<NodeId> Rules::cancel(NodeId a, NodeId b) {
  const auto is_product = [&](NodeId id) { return op(id) == Op::Mul || op(id) == Op::Pow; };
  if (!is_product(a) && !is_product(b)) return std::nullopt;
  std::vector<Factor> above, below;
  few_factors(a, above);
  few_factors(b, below);
  bool shared = false;
  for (auto& f : above)
    for (auto& g : below)
      if (f.node == g.node && f.exponent > 0 && g.exponent > 0) {
        const int common = std::min(f.exponent, g.exponent);
        f.exponent -= common, g.exponent -= common;
        shared = true;
      }
  if (!shared) return std::nullopt;
  const auto product = [&](const std::vector<Factor>& factors) {
    NodeId result = kOne;
    for (const auto& f : factors) result = mul(result, pow(f.node, f.exponent));
    return result;
  };
  const NodeId numerator = product(above);
  return div(numerator, product(below));
}

/// A quotient whose parts are taken as they are, even if one of them has turned out to be a fraction again.
NodeId Rules::quotient(NodeId a, NodeId b) {
  if (b == kOne) return a;
  if (a == b) return kOne;
  if (is_number(b)) return mul(number(Rational(1) / value(b)), a);
  // Numbers to the front: 2/x = 2 (1/x).
  if (is_number(a) && a != kOne) return mul(a, store_.binary(Op::Div, kOne, b));
  return store_.binary(Op::Div, a, b);
}

NodeId Rules::pow(NodeId x, int n) {
  if (n == 0) return kOne;
  if (n == 1) return x;
  if (is_number(x)) {
    require(n > 0 || value(x) != 0, "0^({}) has no value", n);
    return number(rational_power(value(x), n));
  }
  if (n < 0) {
    require(n > -1'000'000, "the exponent {} is too large", n);
    return div(kOne, pow(x, -n));
  }
  require(n < 1'000'000, "the exponent {} is too large", n);
  switch (op(x)) {
    case Op::Neg: return n % 2 == 0 ? pow(arg(x, 0), n) : neg(pow(arg(x, 0), n));
    case Op::Pow: {
      const long exponent = static_cast<long>(graph_.exponent(x)) * n;
      require(exponent < 1'000'000, "the exponent {} is too large", exponent);
      return pow(arg(x, 0), static_cast<int>(exponent));
    }
    case Op::Mul:
      if (is_number(arg(x, 0))) {
        const NodeId factor = arg(x, 0), rest = arg(x, 1);
        return mul(pow(factor, n), pow(rest, n));
      }
      break;
    default: break;
  }
  if (has_radical(x))
    if (const auto reduced = reduce_radicals(Op::Pow, x, static_cast<NodeId>(n), n); reduced) return *reduced;
  return store_.unary(Op::Pow, x, n);
}

// ---- rewritten forms ---------------------------------------------------------------------------------------------------

std::optional<NodeId> Rules::find_rewritten(Op kind, NodeId a, NodeId b) const {
  const auto& rewritten = graph_.state_->rewritten;
  const auto known = rewritten.find({a, b, kind});
  return known == rewritten.end() ? std::nullopt : std::optional(known->second);
}

NodeId Rules::remember(Op kind, NodeId a, NodeId b, NodeId result) {
  // A function that exists exactly as requested is found by its fingerprint.
  if (op(result) != kind || arg(result, 0) != a) graph_.state_->rewritten.insert({{a, b, kind}, result});
  return result;
}

NodeId Rules::make(Op kind, NodeId a, NodeId b, NodeId c, int exponent) {
  switch (kind) {
    case Op::Neg: return neg(a);
    case Op::Add: return add(a, b);
    case Op::Sub: return sub(a, b);
    case Op::Mul: return mul(a, b);
    case Op::Div: return div(a, b);
    case Op::Pow: return pow(a, exponent);
    case Op::Sqrt: return sqrt(a);
    case Op::Root: return root(a, exponent);
    case Op::Sin:
    case Op::Cos:
    case Op::Tan: return trigonometric(kind, a);
    case Op::Select: return select(a, b, c);
    case Op::Number:
    case Op::Symbol:
    case Op::Pi:
    case Op::Call: throw InternalError("internal error: leaves and calls are not made by operator");
    default: return info(kind).arity == 1 ? function(kind, a) : two_argument(kind, a, b);
  }
}

}  // namespace kane

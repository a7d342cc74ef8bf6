#include "kane/expr/rules.hpp"

#include <algorithm>

#include "kane/base/error.hpp"

namespace kane {

namespace {

constexpr NodeId kZero = Graph::kZero;
constexpr NodeId kOne = Graph::kOne;

// A power of a number is worked out only while it stays printable.
constexpr int kMaxNumberBits = 1 << 16;

std::size_t bits(const Rational& r) {
  return mpz_sizeinbase(r.get_num().get_mpz_t(), 2) + mpz_sizeinbase(r.get_den().get_mpz_t(), 2);
}

Rational power_of(const Rational& base, int n) {
  Rational result;
  const auto exponent = static_cast<unsigned long>(n < 0 ? -static_cast<long>(n) : n);
  if (bits(base) * exponent > kMaxNumberBits)
    throw LimitError(fmt::format("the power {}^{} has too many digits to be an exact number", to_text(base), n));
  mpz_pow_ui(result.get_num().get_mpz_t(), base.get_num().get_mpz_t(), exponent);
  mpz_pow_ui(result.get_den().get_mpz_t(), base.get_den().get_mpz_t(), exponent);
  return n < 0 ? Rational(1) / result : result;
}

/// Takes the largest k with k^index dividing z out of z, as far as small primes tell: z = k^index * rest.
mpz_class take_out_powers(mpz_class& z, int index) {
  const auto degree = static_cast<unsigned long>(index);
  mpz_class whole;
  if (mpz_root(whole.get_mpz_t(), z.get_mpz_t(), degree) != 0) {
    z = 1;
    return whole;
  }
  mpz_class taken = 1;
  for (unsigned long p = 2; p < 1000; p += p == 2 ? 1 : 2) {
    mpz_class factor;
    mpz_ui_pow_ui(factor.get_mpz_t(), p, degree);
    if (factor > z) break;
    while (mpz_divisible_p(z.get_mpz_t(), factor.get_mpz_t())) z /= factor, taken *= p;
  }
  return taken;
}

}  // namespace

NodeId Rules::neg(NodeId a) {
  if (is_number(a)) return number(-value(a));
  if (op(a) == Op::Neg) return arg(a, 0);
  if (op(a) == Op::Sub) return sub(arg(a, 1), arg(a, 0));
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
    if (const auto reduced = reduce_radicals(a, 1, b, 1); reduced) return *reduced;
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
    if (const auto reduced = reduce_radicals(a, 1, b, -1); reduced) return *reduced;
  if (op(b) == Op::Div) {
    const NodeId n = arg(b, 0), d = arg(b, 1);
    return div(mul(a, d), n);
  }
  if (op(a) == Op::Div) {
    const NodeId n = arg(a, 0), d = arg(a, 1);
    return div(n, mul(d, b));
  }
  return store_.binary(Op::Div, a, b);
}

NodeId Rules::pow(NodeId x, int n) {
  if (n == 0) return kOne;
  if (n == 1) return x;
  if (is_number(x)) {
    require(n > 0 || value(x) != 0, "0^({}) has no value", n);
    return number(power_of(value(x), n));
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
    if (const auto reduced = reduce_radicals(x, n, kOne, 1); reduced) return *reduced;
  return store_.unary(Op::Pow, x, n);
}

// ---- radicals ---------------------------------------------------------------------------------------------------------
// r = sqrt(x) (index 2), r = root_k(x) (index k), and |x| (index 2, radicand x^2) have opaque fingerprints. Products in
// which one occurs with an exponent outside 0 .. index-1 are rewritten with the radicand, so that r*r = x, a/r = a*r/x,
// and unit vectors have length one.

/// The factors of a product, looking only inside products that contain radicals. False if there are too many.
bool Rules::collect_factors(NodeId id, int exponent, std::vector<Factor>& factors, bool& negative) const {
  constexpr std::size_t kMostFactors = 32;
  std::vector<Factor> open{{id, exponent}};
  while (!open.empty()) {
    const Factor f = open.back();
    open.pop_back();
    if (factors.size() + open.size() > kMostFactors) return false;
    const Op kind = op(f.node);
    if (has_radical(f.node) && kind == Op::Neg) {
      negative ^= f.exponent % 2 != 0;
      open.push_back({arg(f.node, 0), f.exponent});
    } else if (has_radical(f.node) && (kind == Op::Mul || kind == Op::Div)) {
      open.push_back({arg(f.node, 1), kind == Op::Mul ? f.exponent : -f.exponent});
      open.push_back({arg(f.node, 0), f.exponent});
    } else if (has_radical(f.node) && kind == Op::Pow) {
      open.push_back({arg(f.node, 0), f.exponent * graph_.exponent(f.node)});
    } else {
      const auto same = std::find_if(factors.begin(), factors.end(), [&](auto& g) { return g.node == f.node; });
      if (same != factors.end())
        same->exponent += f.exponent;
      else
        factors.push_back(f);
    }
  }
  return true;
}

std::optional<NodeId> Rules::reduce_radicals(NodeId a, int a_exponent, NodeId b, int b_exponent) {
  std::vector<Factor> factors;
  bool negative = false;
  if (!collect_factors(a, a_exponent, factors, negative) || !collect_factors(b, b_exponent, factors, negative))
    return std::nullopt;

  struct Radical {
    NodeId node;
    int exponent;
  };
  bool changes = false;
  std::vector<Factor> plain;
  std::vector<Radical> radicals;
  for (const auto& f : factors) {
    const Op kind = op(f.node);
    if (kind != Op::Sqrt && kind != Op::Root && kind != Op::Abs) {
      plain.push_back(f);
      continue;
    }
    const int index = kind == Op::Root ? graph_.exponent(f.node) : 2;
    int remaining = ((f.exponent % index) + index) % index;
    int whole = (f.exponent - remaining) / index;
    if (kind == Op::Abs && f.exponent < 0 && remaining != 0) {  // 1/|x| stays as it is
      remaining = -1;
      whole = (f.exponent + 1) / 2;
    }
    if (whole != 0) {
      changes = true;
      plain.push_back({arg(f.node, 0), kind == Op::Abs ? 2 * whole : whole});
    }
    if (remaining != 0) radicals.push_back({f.node, remaining});
  }
  if (!changes) return std::nullopt;

  NodeId numerator = kOne, denominator = kOne;
  for (const auto& f : plain) {
    if (f.exponent > 0) numerator = mul(numerator, pow(f.node, f.exponent));
    if (f.exponent < 0) denominator = mul(denominator, pow(f.node, -f.exponent));
  }
  for (const auto& r : radicals) {
    const NodeId power = r.exponent == 1 || r.exponent == -1 ? r.node : store_.unary(Op::Pow, r.node, r.exponent);
    if (r.exponent > 0) numerator = mul(numerator, power);
    if (r.exponent < 0) denominator = mul(denominator, power);
  }
  const NodeId quotient = div(numerator, denominator);
  return negative ? neg(quotient) : quotient;
}

NodeId Rules::sqrt(NodeId x) { return root(x, 2); }

NodeId Rules::root(NodeId x, int index) {
  require(index >= 1 && index <= 1000, "the root of index {} is not defined", index);
  if (index == 1 || x == kZero || x == kOne) return x;
  if (is_number(x)) {
    if (value(x) < 0)
      throw ModelError(
          fmt::format("{} of the negative number {} is not real", index == 2 ? "sqrt" : "a root", to_text(value(x))));
    // a/b -> root(a b^(index-1))/b, then whole powers out.
    const Rational r = value(x);
    mpz_class under;
    mpz_pow_ui(under.get_mpz_t(), r.get_den().get_mpz_t(), static_cast<unsigned long>(index - 1));
    under *= r.get_num();
    const mpz_class outside = take_out_powers(under, index);
    Rational factor(outside, r.get_den());
    factor.canonicalize();
    if (under == 1) return number(factor);
    const NodeId inside = number(Rational(under));
    return mul(number(factor), index == 2 ? store_.unary(Op::Sqrt, inside) : store_.unary(Op::Root, inside, index));
  }
  if (op(x) == Op::Mul && is_number(arg(x, 0)) && value(arg(x, 0)) > 0) {
    const NodeId factor = root(arg(x, 0), index), rest = arg(x, 1);
    if (is_number(factor)) return mul(factor, root(rest, index));
  }
  return index == 2 ? store_.unary(Op::Sqrt, x) : store_.unary(Op::Root, x, index);
}

// ---- functions --------------------------------------------------------------------------------------------------------

/// cos(half_turns * pi) at multiples of 30 and 45 degrees.
std::optional<NodeId> Rules::exact_cosine(const Rational& half_turns) {
  Rational twelfths = half_turns * 12;
  if (twelfths.get_den() != 1) return std::nullopt;
  const unsigned long n = mpz_fdiv_ui(twelfths.get_num().get_mpz_t(), 24);  // of 15 degrees
  const unsigned long folded = n > 12 ? 24 - n : n;                         // cos is even
  const bool minus = folded > 6;
  NodeId result = kZero;
  switch (minus ? 12 - folded : folded) {
    case 0: result = kOne; break;
    case 2: result = mul(number(Rational(1, 2)), sqrt(number(3))); break;
    case 3: result = mul(number(Rational(1, 2)), sqrt(number(2))); break;
    case 4: result = number(Rational(1, 2)); break;
    case 6: break;
    default: return std::nullopt;
  }
  return minus ? neg(result) : result;
}

NodeId Rules::trigonometric(Op kind, NodeId x) {
  if (x == kZero) return kind == Op::Cos ? kOne : kZero;
  if (op(x) == Op::Neg) {
    const NodeId positive = trigonometric(kind, arg(x, 0));
    return kind == Op::Cos ? positive : neg(positive);
  }
  // Quarter turns among the terms.
  const auto terms = linear_terms(graph_, x, 64);
  const auto turns = std::find_if(terms.begin(), terms.end(), [&](auto& t) { return op(t.atom) == Op::Pi; });
  if (turns != terms.end()) {
    const Rational& coefficient = turns->coefficient;
    if (terms.size() == 1 && kind != Op::Tan) {
      const auto exact = exact_cosine(kind == Op::Cos ? coefficient : Rational(coefficient - Rational(1, 2)));
      if (exact) return *exact;
    }
    Rational quarters = coefficient * 2;
    if (quarters.get_den() == 1) {
      const NodeId rest = sub(x, mul(number(coefficient), store_.pi()));
      const unsigned long quadrant = mpz_fdiv_ui(quarters.get_num().get_mpz_t(), 4);
      if (kind == Op::Tan) {
        if (quadrant % 2 == 0) return trigonometric(Op::Tan, rest);
        return neg(div(trigonometric(Op::Cos, rest), trigonometric(Op::Sin, rest)));
      }
      // sin(r + k pi/2) and cos(r + k pi/2): cos runs one quarter ahead of sin.
      const unsigned long step = kind == Op::Sin ? quadrant : (quadrant + 1) % 4;
      const NodeId turned = trigonometric(step % 2 == 0 ? Op::Sin : Op::Cos, rest);
      return step >= 2 ? neg(turned) : turned;
    }
  }
  const Op inner = op(x);
  if ((kind == Op::Sin && inner == Op::Asin) || (kind == Op::Cos && inner == Op::Acos) ||
      (kind == Op::Tan && inner == Op::Atan))
    return arg(x, 0);
  if ((kind == Op::Sin && inner == Op::Acos) || (kind == Op::Cos && inner == Op::Asin))
    return sqrt(sub(kOne, pow(arg(x, 0), 2)));
  return store_.unary(kind, x);
}

NodeId Rules::function(Op kind, NodeId x) {
  const bool negated = op(x) == Op::Neg;
  switch (kind) {
    case Op::Asin:
    case Op::Atan:
    case Op::Sinh:
    case Op::Tanh:
      if (x == kZero) return kZero;
      if (negated || (is_number(x) && value(x) < 0)) return neg(function(kind, neg(x)));
      break;
    case Op::Acos:
      if (x == kOne) return kZero;
      break;
    case Op::Cosh:
      if (x == kZero) return kOne;
      if (negated || (is_number(x) && value(x) < 0)) return function(kind, neg(x));
      break;
    case Op::Exp:
      if (x == kZero) return kOne;
      if (op(x) == Op::Log) return arg(x, 0);
      break;
    case Op::Log:
      if (x == kOne) return kZero;
      if (op(x) == Op::Exp) return arg(x, 0);
      if (is_number(x)) require(value(x) > 0, "log({}) is not real", to_text(value(x)));
      break;
    case Op::Abs:
      if (is_number(x)) return number(abs(value(x)));
      if (negated) return function(kind, neg(x));
      if (op(x) == Op::Abs || op(x) == Op::Sqrt || op(x) == Op::Exp || op(x) == Op::Cosh) return x;
      if (op(x) == Op::Mul && is_number(arg(x, 0))) {
        const NodeId factor = arg(x, 0), rest = arg(x, 1);
        return mul(factor, function(kind, rest));
      }
      break;
    case Op::Sign:
      if (is_number(x)) return number(sgn(value(x)));
      if (negated) return neg(function(kind, neg(x)));
      break;
    case Op::Floor:
      if (is_number(x)) {
        mpz_class whole;
        mpz_fdiv_q(whole.get_mpz_t(), value(x).get_num().get_mpz_t(), value(x).get_den().get_mpz_t());
        return number(Rational(whole));
      }
      break;
    default: break;
  }
  if (is_number(x) && (kind == Op::Asin || kind == Op::Acos))
    require(abs(value(x)) <= 1, "{}({}) is not real", info(kind).text, to_text(value(x)));
  return store_.unary(kind, x);
}

NodeId Rules::two_argument(Op kind, NodeId a, NodeId b) {
  const bool numbers = is_number(a) && is_number(b);
  switch (kind) {
    case Op::Min:
    case Op::Max:
      if (a == b) return a;
      if (numbers) return (value(a) < value(b)) == (kind == Op::Min) ? a : b;
      break;
    case Op::Less:
      if (a == b) return kZero;
      if (numbers) return value(a) < value(b) ? kOne : kZero;
      break;
    case Op::LessEqual:
      if (a == b) return kOne;
      if (numbers) return value(a) <= value(b) ? kOne : kZero;
      break;
    case Op::Equal:
      if (a == b) return kOne;
      if (numbers) return kZero;
      break;
    case Op::Mod:
      if (b == kZero) throw ModelError(fmt::format("mod({}, 0) has no value", graph_.at(a).to_string()));
      if (a == kZero || a == b) return kZero;
      if (numbers) {
        const Rational quotient = value(a) / value(b);
        mpz_class whole;
        mpz_fdiv_q(whole.get_mpz_t(), quotient.get_num().get_mpz_t(), quotient.get_den().get_mpz_t());
        return number(value(a) - value(b) * Rational(whole));
      }
      break;
    case Op::Atan2:
      require(a != kZero || b != kZero, "atan2(0, 0) has no value");
      if (a == kZero && is_number(b)) return value(b) > 0 ? kZero : store_.pi();
      if (b == kZero && is_number(a)) return mul(number(Rational(sgn(value(a)), 2)), store_.pi());
      break;
    default: break;
  }
  return store_.binary(kind, a, b);
}

NodeId Rules::select(NodeId condition, NodeId a, NodeId b) {
  if (a == b) return a;
  if (is_number(condition)) return condition != kZero ? a : b;
  return store_.select(condition, a, b);
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

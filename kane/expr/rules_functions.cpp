// Functions: exact values, signs outside, inverses of each other.

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/expr/rules.hpp"

namespace kane {

/// cos(half_turns * pi) at multiples of 30 and 45 degrees.
std::optional<NodeId> Rules::exact_cosine(const Rational& half_turns) {
  Rational twelfths = half_turns * 12;
  if (!twelfths.is_whole()) return std::nullopt;
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
  if (const auto known = find_rewritten(kind, x, 0); known) return *known;
  if (const auto turned = take_out_turns(kind, x); turned) return remember(kind, x, 0, *turned);
  if (const auto inverted = trigonometric_of_inverse(kind, x); inverted) return remember(kind, x, 0, *inverted);
  return store_.unary(kind, x);
}

/// Exact values, and quarter turns among the terms of an angle.
std::optional<NodeId> Rules::take_out_turns(Op kind, NodeId x) {
  if (graph_.state_->pi == Graph::kNoNode) return std::nullopt;
  const auto terms = linear_terms(graph_, x, 64);
  const auto turns = std::find_if(terms.begin(), terms.end(), [&](auto& t) { return op(t.atom) == Op::Pi; });
  if (turns == terms.end()) return std::nullopt;
  const Rational& coefficient = turns->coefficient;
  if (terms.size() == 1) {
    const auto cosine = exact_cosine(coefficient), sine = exact_cosine(coefficient - Rational(1, 2));
    if (cosine && sine && kind == Op::Tan && *cosine == kZero)
      throw ModelError(fmt::format("tan({}) has no value", graph_.at(x).to_string()));
    if (cosine && sine) return kind == Op::Cos ? *cosine : kind == Op::Sin ? *sine : div(*sine, *cosine);
  }
  Rational quarters = coefficient * 2;
  if (!quarters.is_whole()) return std::nullopt;
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

/// sin(asin(x)) = x, cos(asin(x)) = sqrt(1 - x^2), and their kin. The tangent is always sine by cosine.
std::optional<NodeId> Rules::trigonometric_of_inverse(Op kind, NodeId angle) {
  NodeId sine = kZero, cosine = kZero, length = kOne;
  switch (op(angle)) {
    case Op::Asin: sine = arg(angle, 0), cosine = sqrt(sub(kOne, pow(sine, 2))); break;
    case Op::Acos: cosine = arg(angle, 0), sine = sqrt(sub(kOne, pow(cosine, 2))); break;
    case Op::Atan: sine = arg(angle, 0), cosine = kOne, length = sqrt(add(kOne, pow(sine, 2))); break;
    case Op::Atan2:
      sine = arg(angle, 0), cosine = arg(angle, 1);
      length = sqrt(add(pow(cosine, 2), pow(sine, 2)));
      break;
    default: return std::nullopt;
  }
  if (kind == Op::Tan) return div(sine, cosine);
  return div(kind == Op::Sin ? sine : cosine, length);
}

/// Angles whose sine or tangent is a well-known number, in half turns.
std::optional<Rational> Rules::exact_angle(Op kind, NodeId x) const {
  const Fingerprint one = Fingerprint::integer(1), half = Fingerprint::integer(2).inverse();
  const Fingerprint root2 = root_of_prime(2), root3 = root_of_prime(3);
  const Fingerprint f = store_.fp(x);
  if (f == one) return kind == Op::Asin ? Rational(1, 2) : Rational(1, 4);
  if (f == (kind == Op::Asin ? half : root3.inverse())) return Rational(1, 6);
  if (f == (kind == Op::Asin ? root3 * half : root3)) return Rational(1, 3);
  if (kind == Op::Asin && f == root2 * half) return Rational(1, 4);
  return std::nullopt;
}

NodeId Rules::function(Op kind, NodeId x) {
  if (const auto known = find_rewritten(kind, x, 0); known) return *known;
  if (const auto known = store_.find_form(kind, x, 0, 0); known) return *known;
  if (is_number(x)) check_domain(kind, value(x));
  const auto rewritten = rewrite_function(kind, x);
  return remember(kind, x, 0, rewritten ? *rewritten : store_.unary(kind, x));
}

void Rules::check_domain(Op kind, const Rational& x) const {
  switch (info(kind).domain) {
    case Domain::UnitInterval: require(abs(x) <= 1, "{}({}) is not real", info(kind).text, to_short_text(x)); break;
    case Domain::Positive: require(x > 0, "{}({}) is not real", info(kind).text, to_short_text(x)); break;
    default: break;
  }
}

std::optional<NodeId> Rules::rewrite_function(Op kind, NodeId x) {
  const bool negated = op(x) == Op::Neg || (is_number(x) && value(x) < 0);
  switch (kind) {
    case Op::Asin:
    case Op::Atan:
      if (negated) return neg(function(kind, neg(x)));
      if (const auto angle = exact_angle(kind, x); angle) return mul(number(*angle), store_.pi());
      break;
    case Op::Acos:  // pi/2 - asin(x)
      if (const auto angle = exact_angle(Op::Asin, x); angle) return mul(number(Rational(1, 2) - *angle), store_.pi());
      if (const auto angle = exact_angle(Op::Asin, neg(x)); angle)
        return mul(number(Rational(1, 2) + *angle), store_.pi());
      if (x == kZero) return mul(number(Rational(1, 2)), store_.pi());
      break;
    case Op::Cosh:
      if (x == kZero) return kOne;
      if (negated) return function(kind, neg(x));
      break;
    case Op::Exp:
      if (x == kZero) return kOne;
      if (op(x) == Op::Log) return arg(x, 0);
      break;
    case Op::Log:
      if (x == kOne) return kZero;
      if (op(x) == Op::Exp) return arg(x, 0);
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
      [[fallthrough]];
    case Op::Sinh:
    case Op::Tanh:
      if (x == kZero) return kZero;
      if (negated) return neg(function(kind, neg(x)));
      break;
    case Op::Floor:
      if (is_number(x)) return number(floor_of(value(x)));
      break;
    default: break;
  }
  return std::nullopt;
}

NodeId Rules::two_argument(Op kind, NodeId a, NodeId b) {
  if (a == b) {
    switch (kind) {
      case Op::Min:
      case Op::Max: return a;
      case Op::Less: return kZero;
      case Op::LessEqual:
      case Op::Equal: return kOne;
      default: break;
    }
  }
  if (kind == Op::Mod) {
    if (b == kZero) throw ModelError(fmt::format("mod({}, 0) has no value", graph_.at(a).to_string()));
    if (a == kZero || a == b) return kZero;
  }
  if (kind == Op::Atan2) require(a != kZero || b != kZero, "atan2(0, 0) has no value");
  if (is_number(a) && is_number(b))
    if (const auto result = fold(kind, value(a), value(b)); result) return *result;
  return store_.binary(kind, a, b);
}

/// A function of two numbers, where that is a number or a well-known angle.
std::optional<NodeId> Rules::fold(Op kind, const Rational& a, const Rational& b) {
  switch (kind) {
    case Op::Min: return number(a < b ? a : b);
    case Op::Max: return number(a < b ? b : a);
    case Op::Less: return a < b ? kOne : kZero;
    case Op::LessEqual: return a <= b ? kOne : kZero;
    case Op::Equal: return a == b ? kOne : kZero;
    case Op::Mod: return number(a - b * floor_of(a / b));
    case Op::Atan2: {
      // The angle of the point (b, a), in quarters of a half turn: multiples of 45 degrees only.
      if (a != 0 && b != 0 && abs(a) != abs(b)) return std::nullopt;
      const int eighths = a == 0 ? (b > 0 ? 0 : 4) : b == 0 ? 2 : b > 0 ? 1 : 3;
      return mul(number(Rational(a < 0 ? -eighths : eighths) / 4), store_.pi());
    }
    default: return std::nullopt;
  }
}

NodeId Rules::select(NodeId condition, NodeId a, NodeId b) {
  if (a == b) return a;
  if (is_number(condition)) return condition != kZero ? a : b;
  return store_.select(condition, a, b);
}

}  // namespace kane

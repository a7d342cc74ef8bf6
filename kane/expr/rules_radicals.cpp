// Square roots, roots and absolute values.
//
// r = sqrt(x) (index 2), r = root_k(x) (index k), and |x| (index 2, radicand x^2) have opaque fingerprints. Products in
// which one occurs with an exponent outside 0 .. index-1 are rewritten with the radicand, so that r*r = x, a/r = a*r/x,
// and unit vectors have length one. A product already known as it stands is left alone, and a rewritten one is remembered:
// the factors that are visible depend on the form an operand has at the time, the result must not.

#include <algorithm>
#include <numeric>

#include "kane/base/error.hpp"
#include "kane/expr/rules.hpp"

namespace kane {

namespace {

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

/// a*b, a/b or a^n by `kind`; `exponent` is that of b (or n).
std::optional<NodeId> Rules::reduce_radicals(Op kind, NodeId a, NodeId b, int exponent) {
  if (const auto known = find_rewritten(kind, a, b); known) return known;
  if (const auto known = store_.find_form(kind, a, b, exponent); known) return known;
  std::vector<Factor> factors;
  bool negative = false;
  const bool few = kind == Op::Pow
                       ? collect_factors(a, exponent, factors, negative)
                       : collect_factors(a, 1, factors, negative) && collect_factors(b, exponent, factors, negative);
  if (!few) return std::nullopt;
  const auto product = reduce_factors(factors);
  if (!product) return std::nullopt;
  return remember(kind, a, b, negative ? neg(*product) : *product);
}

/// The product with radicals replaced where their exponent allows; empty if there is nothing to replace.
std::optional<NodeId> Rules::reduce_factors(const std::vector<Factor>& factors) {
  struct Radical {
    NodeId node;
    int exponent;
  };
  bool changes = false;
  std::vector<Factor> plain;
  std::vector<Radical> radicals;
  Rational under_root = 1;  // sqrt(a) sqrt(b) = sqrt(a b) for numbers
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
    if (remaining != 0 && kind == Op::Sqrt && is_number(arg(f.node, 0))) {
      changes = changes || under_root != 1;
      under_root *= value(arg(f.node, 0));
    } else if (const int common = std::gcd(remaining, index); kind == Op::Root && common > 1 && remaining != 0) {
      changes = true;  // root_4(x)^2 = sqrt(x)
      const NodeId simpler = root(arg(f.node, 0), index / common);
      radicals.push_back({simpler, remaining / common});
    } else if (remaining != 0) {
      radicals.push_back({f.node, remaining});
    }
  }
  if (!changes) return std::nullopt;

  NodeId numerator = root_of_number(under_root, 2), denominator = kOne;
  for (const auto& f : plain) {
    if (f.exponent > 0) numerator = mul(numerator, pow(f.node, f.exponent));
    if (f.exponent < 0) denominator = mul(denominator, pow(f.node, -f.exponent));
  }
  for (const auto& r : radicals) {
    const NodeId power = r.exponent == 1 || r.exponent == -1 ? r.node : store_.unary(Op::Pow, r.node, r.exponent);
    if (r.exponent > 0) numerator = mul(numerator, power);
    if (r.exponent < 0) denominator = mul(denominator, power);
  }
  return div(numerator, denominator);
}

NodeId Rules::sqrt(NodeId x) { return root(x, 2); }

NodeId Rules::root(NodeId x, int index) {
  require(index >= 1 && index <= 1000, "the root of index {} is not defined", index);
  if (index == 1 || x == kZero || x == kOne) return x;
  const Op kind = index == 2 ? Op::Sqrt : Op::Root;
  const auto key = static_cast<NodeId>(index);
  if (const auto known = find_rewritten(kind, x, key); known) return *known;
  if (const auto known = store_.find_form(kind, x, 0, index == 2 ? 0 : index); known) return *known;
  return remember(kind, x, key, is_number(x) ? root_of_number(value(x), index) : root_of_expression(x, index));
}

NodeId Rules::root_of_number(const Rational& r, int index) {
  if (r < 0)
    throw ModelError(
        fmt::format("{} of the negative number {} is not real", index == 2 ? "sqrt" : "a root", to_text(r)));
  if (!has_short_power(r, static_cast<unsigned long>(index)))
    throw LimitError(
        fmt::format("the root of index {} of {} has too many digits to be exact", index, to_short_text(r)));
  // a/b -> root(a b^(index-1))/b, then whole powers out.
  mpz_class under;
  mpz_pow_ui(under.get_mpz_t(), r.get_den().get_mpz_t(), static_cast<unsigned long>(index - 1));
  under *= r.get_num();
  const mpz_class outside = take_out_powers(under, index);
  const Rational factor(outside, r.get_den());
  if (under == 1) return number(factor);
  const NodeId inside = number(Rational(under));
  return mul(number(factor), index == 2 ? store_.unary(Op::Sqrt, inside) : store_.unary(Op::Root, inside, index));
}

NodeId Rules::root_of_expression(NodeId x, int index) {
  if (op(x) == Op::Sqrt || op(x) == Op::Root) {  // a root of a root
    const int inner = op(x) == Op::Sqrt ? 2 : graph_.exponent(x);
    return root(arg(x, 0), index * inner);
  }
  if (op(x) == Op::Mul && is_number(arg(x, 0)) && value(arg(x, 0)) > 0) {
    const NodeId factor = root(arg(x, 0), index), rest = arg(x, 1);
    if (is_number(factor)) return mul(factor, root(rest, index));
  }
  return index == 2 ? store_.unary(Op::Sqrt, x) : store_.unary(Op::Root, x, index);
}

}  // namespace kane

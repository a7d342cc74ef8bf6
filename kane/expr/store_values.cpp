// The fingerprints of operators: the value of each at the random point.

#include <algorithm>

#include "kane/expr/store.hpp"

namespace kane {

namespace {

// Fractions of an angle are consistent with the whole down to this denominator: the point of q on the circle is the
// kFineness-th power of that of q/kFineness. lcm(1..16) for the fractions that people write, 10^6 for decimals.
constexpr std::uint64_t kFineness = 720'720'000'000;

/// The double angle: cos 2a = 1 - 2 sin(a)^2, sin 2a = 2 sin(a) cos(a).
CirclePoint doubled(const CirclePoint& x) {
  const Fingerprint twice = x.s + x.s;
  return {Fingerprint::integer(1) - twice * x.s, twice * x.c};
}

CirclePoint circle_power(CirclePoint x, const mpz_class& exponent) {
  if (exponent < 0) return circle_power(x.conjugate(), -exponent);
  CirclePoint result;
  const std::size_t bits = mpz_sizeinbase(exponent.get_mpz_t(), 2);
  for (std::size_t i = 0; i < bits; ++i, x = doubled(x))
    if (mpz_tstbit(exponent.get_mpz_t(), i)) result = result * x;
  return result;
}

Fingerprint field_power(Fingerprint x, const mpz_class& exponent) {
  if (exponent < 0) return field_power(x.inverse(), -exponent);
  Fingerprint result = Fingerprint::integer(1);
  const std::size_t bits = mpz_sizeinbase(exponent.get_mpz_t(), 2);
  for (std::size_t i = 0; i < bits; ++i, x = x * x)
    if (mpz_tstbit(exponent.get_mpz_t(), i)) result = result * x;
  return result;
}

/// The atom's own random value for multiples by n/d: shared by all d that divide kFineness, apart for others.
/// Gives that value and the integer power to raise it to. An atom and its opposite have the same value and opposite powers.
std::pair<Fingerprint, mpz_class> atom_base(Fingerprint atom, Op op, const Rational& coefficient) {
  Rational scaled = coefficient * Rational(mpz_class(static_cast<unsigned long>(kFineness)));
  if (atom.is_upper()) atom = -atom, scaled = -scaled;
  if (scaled.is_whole()) return {atom.opaque(tag_of(op)), scaled.get_num()};
  const Fingerprint denominator = residues(scaled.get_den());
  return {(atom * denominator).opaque(tag_of(op, 1)), scaled.get_num()};
}

/// The point of 15 degrees: cos = (sqrt6 + sqrt2)/4, sin = (sqrt6 - sqrt2)/4.
constexpr CirclePoint make_fifteen_degrees() {
  const Fingerprint quarter = Fingerprint::integer(4).inverse();
  const Fingerprint root2 = root_of_prime(2), root6 = root2 * root_of_prime(3);
  return {(root6 + root2) * quarter, (root6 - root2) * quarter};
}

/// A function of two arguments that is nothing but itself. Nested, not a product of one value per argument: with a product
/// f(a,b) f(c,d) would equal f(a,d) f(c,b).
Fingerprint opaque_pair(Fingerprint a, Fingerprint b, Op op) {
  return (a.opaque(tag_of(op)) + b).opaque(tag_of(op, 2));
}

}  // namespace

std::vector<LinearTerm> linear_terms(const Graph& graph, NodeId id, std::size_t max_terms) {
  std::vector<LinearTerm> terms;
  std::vector<LinearTerm> open{{id, Rational(1)}};
  std::size_t visited = 0;
  while (!open.empty()) {
    if (++visited > 4 * max_terms) return {{id, Rational(1)}};
    const LinearTerm term = std::move(open.back());
    open.pop_back();
    const auto args = graph.args(term.atom);
    switch (graph.op(term.atom)) {
      case Op::Neg: open.push_back({args[0], -term.coefficient}); break;
      case Op::Add:
        open.push_back({args[1], term.coefficient});
        open.push_back({args[0], term.coefficient});
        break;
      case Op::Sub:
        open.push_back({args[1], -term.coefficient});
        open.push_back({args[0], term.coefficient});
        break;
      case Op::Number:
        if (term.atom != Graph::kZero) terms.push_back({Graph::kOne, term.coefficient * graph.number_value(term.atom)});
        break;
      case Op::Mul:
        if (graph.op(args[0]) == Op::Number) {
          open.push_back({args[1], term.coefficient * graph.number_value(args[0])});
          break;
        }
        [[fallthrough]];
      default: terms.push_back(term);
    }
  }
  std::stable_sort(terms.begin(), terms.end(), [](const auto& x, const auto& y) { return x.atom < y.atom; });
  std::vector<LinearTerm> merged;
  for (auto& term : terms) {
    if (!merged.empty() && merged.back().atom == term.atom)
      merged.back().coefficient += term.coefficient;
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const auto& term) { return term.coefficient == 0; });
  return merged;
}

CirclePoint Store::atom_point(NodeId atom, const Rational& coefficient) {
  // Multiples of 15 degrees are exact; other fractions of pi stay opaque.
  if (graph_.op(atom) == Op::Pi && (coefficient * 12).is_whole()) {
    constexpr CirclePoint kFifteenDegrees = make_fifteen_degrees();
    return circle_power(kFifteenDegrees, mpz_class(mpz_fdiv_ui((coefficient * 12).get_num().get_mpz_t(), 24)));
  }
  if (!coefficient.is_whole() || coefficient == 1) {
    const auto [t, n] = atom_base(fp(atom), Op::Sin, coefficient);
    return circle_power(CirclePoint::from_parameter(t), n);
  }
  auto whole = state_.points.find(atom);
  if (whole == state_.points.end()) whole = state_.points.emplace(atom, atom_point(atom, 1)).first;
  return circle_power(whole->second, coefficient.get_num());
}

CirclePoint Store::circle_point(NodeId angle) {
  // The points of a sum's operands are known when the sum was built from angles met before: one step then.
  if (const auto known = state_.points.find(angle); known != state_.points.end()) return known->second;
  CirclePoint point;
  const auto args = graph_.args(angle);
  const auto known_point = [&](NodeId id) -> const CirclePoint* {
    const auto found = state_.points.find(id);
    return found == state_.points.end() ? nullptr : &found->second;
  };
  const Op op = graph_.op(angle);
  const CirclePoint* first = args.size() == 2 ? known_point(args[0]) : nullptr;
  const CirclePoint* second = args.size() == 2 ? known_point(args[1]) : nullptr;
  if ((op == Op::Add || op == Op::Sub) && first != nullptr && second != nullptr) {
    point = *first * (op == Op::Add ? *second : second->conjugate());
  } else {
    for (const auto& term : linear_terms(graph_, angle)) {
      const CirclePoint* known = term.coefficient == 1 ? known_point(term.atom) : nullptr;
      point = point * (known != nullptr ? *known : atom_point(term.atom, term.coefficient));
    }
  }
  state_.points.emplace(angle, point);
  return point;
}

Fingerprint Store::exponential(NodeId argument) {
  if (const auto known = state_.exponentials.find(argument); known != state_.exponentials.end()) return known->second;
  Fingerprint result = Fingerprint::integer(1);
  for (const auto& term : linear_terms(graph_, argument)) {
    if (graph_.op(term.atom) == Op::Log && term.coefficient.is_whole()) {  // exp(n log(y)) = y^n
      result = result * field_power(fp(graph_.args(term.atom)[0]), term.coefficient.get_num());
      continue;
    }
    const auto [x, n] = atom_base(fp(term.atom), Op::Exp, term.coefficient);
    result = result * field_power(x, n);
  }
  state_.exponentials.emplace(argument, result);
  return result;
}

/// The square roots of numbers are those of their prime factors: exact for small primes, opaque for others.
Fingerprint Store::root_of_number(const Rational& radicand) const {
  Fingerprint root = Fingerprint::integer(1);
  mpz_class rest = radicand.get_num();
  for (unsigned long p = 2; p < 1000 && rest != 1; ++p) {
    while (mpz_divisible_ui_p(rest.get_mpz_t(), p)) {
      constexpr unsigned long kLargestExact = 19;
      rest /= p;
      root = root * (p <= kLargestExact ? root_of_prime(p)
                                        : Fingerprint::integer(static_cast<std::int64_t>(p)).opaque(tag_of(Op::Sqrt)));
    }
  }
  return rest == 1 ? root : root * residues(rest).opaque(tag_of(Op::Sqrt));
}

Fingerprint Store::value(Op op, NodeId a, NodeId b, int exponent) {
  const Fingerprint one = Fingerprint::integer(1);
  switch (op) {
    case Op::Neg: return -fp(a);
    case Op::Add: return fp(a) + fp(b);
    case Op::Sub: return fp(a) - fp(b);
    case Op::Mul: {
      const Fingerprint product = fp(a) * fp(b);
      // Zero only if each factor is a multiple of one of the primes: a value of its own then.
      return product.is_zero() ? opaque_pair(fp(a).opaque(1) + fp(b).opaque(1), one, op) : product;
    }
    case Op::Div: return fp(a) * fp(b).inverse();
    case Op::Pow: return power(fp(a), static_cast<std::uint64_t>(exponent));
    case Op::Sqrt:
      if (graph_.op(a) == Op::Number && graph_.number_value(a).get_den() == 1)
        return root_of_number(graph_.number_value(a));
      return fp(a).opaque(tag_of(op));
    case Op::Sin: return circle_point(a).s;
    case Op::Cos: return circle_point(a).c;
    case Op::Tan: {
      const CirclePoint point = circle_point(a);
      return point.s * point.c.inverse();
    }
    case Op::Exp: return exponential(a);
    case Op::Sinh:
    case Op::Cosh:
    case Op::Tanh: {
      // sinh and cosh as halves of e^x -+ e^-x, so that they agree with exp and with each other.
      const Fingerprint up = exponential(a), down = up.inverse();
      if (op == Op::Tanh) return (up - down) * (up + down).inverse();
      return (op == Op::Sinh ? up - down : up + down) * (one + one).inverse();
    }
    case Op::Abs: return fp(a).magnitude().opaque(tag_of(op));  // even
    case Op::Asin:
    case Op::Atan:
    case Op::Sign: {  // odd
      const Fingerprint positive = fp(a).magnitude().opaque(tag_of(op));
      return fp(a).is_upper() ? -positive : positive;
    }
    case Op::Min:
    case Op::Max:
    case Op::Equal: return opaque_pair(fp(a) + fp(b), fp(a) * fp(b), op);  // symmetric in their operands
    case Op::Atan2:
    case Op::Mod:
    case Op::Less:
    case Op::LessEqual: return opaque_pair(fp(a), fp(b), op);
    default: return fp(a).opaque(tag_of(op, exponent));  // functions that are not algebraic
  }
}

}  // namespace kane

#include "kane/expr/textbook/expand.hpp"

#include <algorithm>

#include "kane/expr/store.hpp"

namespace kane::textbook {

namespace {

/// Whether the operands of a node are multiplied out with it; those of other functions are not looked at.
bool is_arithmetic(Op op) {
  switch (op) {
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
    case Op::Div:
    case Op::Pow: return true;
    default: return false;
  }
}

bool is_radical(Op op) { return op == Op::Sqrt || op == Op::Root || op == Op::Abs; }

}  // namespace

const Polynomial& Expansion::expanded(NodeId root) {
  const Graph& graph = atoms_.graph();
  std::vector<NodeId> stack{root};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    if (known_.contains(id)) {
      stack.pop_back();
      continue;
    }
    budget_.spend(1);
    const std::size_t depth = stack.size();
    const Op op = graph.op(id);
    // The radicand is wanted when the radical is squared.
    if (is_arithmetic(op) || is_radical(op))
      for (const NodeId arg : graph.args(id))
        if (!known_.contains(arg)) stack.push_back(arg);
    if (stack.size() != depth) continue;
    stack.pop_back();
    Polynomial p = expand(id);
    budget_.check(p);
    budget_.spend(p.size());
    known_.emplace(id, std::move(p));
  }
  return known(root);
}

Polynomial Expansion::expand(NodeId id) {
  const Graph& graph = atoms_.graph();
  const auto args = graph.args(id);
  switch (const Op op = graph.op(id); op) {
    case Op::Number: return constant(graph.number_value(id));
    case Op::Symbol:
    case Op::Pi: return monomial(atoms_.leaf(id));
    case Op::Neg: return multiply(known(args[0]), {}, -1);
    case Op::Add:
    case Op::Sub: {
      Polynomial p = known(args[0]);
      add(p, known(args[1]), op == Op::Add ? 1 : -1);
      return p;
    }
    case Op::Mul: return reduce_radicals(multiply(known(args[0]), known(args[1]), budget_));
    case Op::Pow: return reduce_radicals(power(known(args[0]), graph.exponent(id), budget_));
    case Op::Div: return quotient_by_factors(known(args[0]), args[1]);
    case Op::Sin:
    case Op::Cos:
    case Op::Tan: {
      Angle angle;
      for (const auto& term : linear_terms(graph, args[0], 64)) angle.emplace_back(term.atom, term.coefficient);
      if (op != Op::Tan) return trigonometry_.wave(angle, op == Op::Sin);
      return quotient(trigonometry_.wave(angle, true), trigonometry_.wave(angle, false));
    }
    case Op::Sqrt: radicals_.emplace(known(args[0]), atoms_.function(id)); [[fallthrough]];
    default: return monomial(atoms_.function(id));
  }
}

/// A product below the line stays one: its factors are divided by one after the other.
Polynomial Expansion::quotient_by_factors(const Polynomial& above, NodeId below) {
  constexpr int kMostFactors = 16;
  const Graph& graph = atoms_.graph();
  Polynomial result = above;
  std::vector<NodeId> factors{below};
  for (int i = 0; !factors.empty(); ++i) {
    const NodeId id = factors.back();
    factors.pop_back();
    const auto args = graph.args(id);
    const bool is_radicand = radicals_.contains(known(id));  // x sqrt(d)/d is x/sqrt(d), with d as it stands
    if (is_radicand) {
      result = quotient(result, known(id));
    } else if (graph.op(id) == Op::Mul && i < kMostFactors) {
      factors.insert(factors.end(), args.begin(), args.end());
    } else if (graph.op(id) == Op::Pow && graph.exponent(id) <= kMostFactors) {
      for (int k = 0; k < graph.exponent(id); ++k) result = quotient(result, known(args[0]));
    } else {
      result = quotient(result, known(id));
    }
  }
  return result;
}

/// 1 - sin(q)^2 is cos(q)^2: the shortest form may be a product.
Polynomial Expansion::shortest_form(const Polynomial& p) {
  Polynomial shortest = p;
  for (const auto& form : trigonometry_.forms(p))
    if (form.size() < shortest.size()) shortest = form;
  return shortest;
}

Polynomial Expansion::quotient(const Polynomial& above, const Polynomial& below) {
  const Polynomial divisor = shortest_form(below);
  if (divisor.empty()) throw TooLong{};
  // x sqrt(d)/d is written x/sqrt(d).
  if (const auto root = radicals_.find(divisor); root != radicals_.end())
    return multiply(above, {{root->second, -2}}, 1);
  return divide(above, divisor);
}

Polynomial Expansion::divide(const Polynomial& above, const Polynomial& divisor) {
  Monomial common = divisor.begin()->first;
  for (const auto& [m, c] : divisor) common = common_part(common, m);
  if (divisor.size() == 1) {
    const auto& [m, c] = *divisor.begin();
    return reduce_radicals(multiply(above, textbook::power(m, -1), 1 / c));
  }
  Rational content;
  for (const auto& [m, c] : divisor) content = common_measure(content, c);
  if (divisor.begin()->second < 0) content = -content;
  const Monomial inverse = textbook::power(common, -1);
  const Polynomial primitive = multiply(divisor, inverse, 1 / content);
  if (const auto whole = find_quotient(above, primitive, budget_); whole)  // (x^2 - 1)/(x - 1) = x + 1
    return multiply(*whole, inverse, 1 / content);
  if (auto cancelled = cancel(above, primitive); cancelled) return multiply(*cancelled, inverse, 1 / content);
  const int atom = atoms_.denominator(primitive);
  return multiply(above, product(inverse, {{atom, -1}}), 1 / content);
}

/// (x - 1)/(x^2 - 1) = 1/(x + 1), if the numerator divides the denominator.
std::optional<Polynomial> Expansion::cancel(const Polynomial& above, const Polynomial& below) {
  if (above.size() < 2) return std::nullopt;
  Monomial common = above.begin()->first;
  for (const auto& [m, c] : above) common = common_part(common, m);
  const auto rest = find_quotient(below, multiply(above, textbook::power(common, -1), 1), budget_);
  if (!rest) return std::nullopt;
  return divide(Polynomial{{common, 1}}, *rest);
}

/// sqrt(d)/b is c/sqrt(d) for a radicand d = b c, c being a monomial, also where the quotient was met before the root.
Polynomial Expansion::with_roots_below(const Polynomial& p) {
  Polynomial result = p;
  for (const auto& [radicand, root] : radicals_) {
    const Polynomial shortest = shortest_form(radicand);
    if (shortest.size() < 2) continue;
    const Polynomial reciprocal = divide(constant(1), shortest);
    if (reciprocal.size() != 1) continue;
    const auto& [factors, number] = *reciprocal.begin();
    const auto sum = std::find_if(factors.begin(), factors.end(), [&](const Power& q) {
      return q.exponent == -1 && atoms_[q.atom].kind == AtomKind::Denominator;
    });
    if (sum == factors.end()) continue;
    Monomial c = textbook::power(factors, -1);
    std::erase_if(c, [&](const Power& q) { return q.atom == sum->atom; });
    Polynomial changed;
    for (const auto& [m, coefficient] : result) {
      int above = 0, below = 0;
      for (const auto& q : m) {
        if (q.atom == root) above = q.exponent;
        if (q.atom == sum->atom) below = -q.exponent;
      }
      const int times = std::max(0, std::min((above + 1) / 2, below));
      Monomial written = product(m, textbook::power(c, times));
      if (times > 0) written = product(written, product({{root, -2 * times}}, {{sum->atom, times}}));
      add_term(changed, written, coefficient * rational_power(1 / number, times));
    }
    result = std::move(changed);
  }
  return result;
}

/// 1/sqrt(d)^2 is written 1/d where no other root of d was there to meet it.
Polynomial Expansion::without_squared_roots(const Polynomial& p) {
  Polynomial result;
  for (const auto& [m, c] : p) {
    Polynomial term{{m, c}};
    for (const auto& [radicand, atom] : radicals_)
      for (const auto& q : m)
        for (int i = q.exponent; q.atom == atom && i <= -2; i += 2)
          term = divide(multiply(term, {{atom, 2}}, 1), radicand);
    add(result, term, 1);
  }
  return result;
}

/// sqrt(x)^2 = x, |x|^2 = x^2, and so on.
Polynomial Expansion::reduce_radicals(Polynomial p) {
  for (;;) {
    const Monomial* found = nullptr;
    Power radical{-1, 0};
    for (const auto& [m, c] : p)
      for (const auto& q : m)
        if (const int index = atoms_.radical_index(q.atom); index != 0 && q.exponent >= index) found = &m, radical = q;
    if (found == nullptr) return p;
    budget_.spend(p.size());
    const Monomial m = *found;
    const Rational c = p.at(m);
    const int index = atoms_.radical_index(radical.atom);
    const NodeId node = atoms_[radical.atom].node;
    const Polynomial& inside = known(atoms_.graph().args(node)[0]);
    const int whole = radical.exponent / index;
    const bool absolute = atoms_.graph().op(node) == Op::Abs;
    p.erase(m);
    const Polynomial out = textbook::power(inside, absolute ? 2 * whole : whole, budget_);
    add(p, multiply(out, product(m, {{radical.atom, -whole * index}}), c), 1);
    budget_.check(p);
  }
}

}  // namespace kane::textbook

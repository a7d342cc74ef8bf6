#include "kane/expr/textbook/tree.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>

#include "kane/expr/substitution.hpp"

namespace kane::textbook {

namespace {

int count_operations(const Factor& f, const Atoms& atoms) {
  const int base = f.atom >= 0 ? atoms[f.atom].operations : count_operations(*f.sum, atoms);
  return base + (f.exponent == 1 || f.exponent == -1 ? 0 : 1);
}

/// The sort key of a term: all its atoms, those of sums included, in the order of factors.
struct Reading {
  std::vector<Power> powers;
  bool accelerated = false;
  bool moving = false;  ///< has a speed
  int degree = 0;
};

void read(const Sum& sum, const Atoms& atoms, Reading& reading, bool top);

void read(const Term& term, const Atoms& atoms, Reading& reading, bool top) {
  for (const auto& f : term.factors) {
    if (f.atom < 0) {
      read(*f.sum, atoms, reading, false);
      reading.degree += top ? std::abs(f.exponent) : 0;
      continue;
    }
    reading.accelerated = reading.accelerated || atoms[f.atom].rank == Rank::Acceleration;
    reading.moving = reading.moving || atoms[f.atom].rank == Rank::Speed;
    if (top) reading.powers.push_back({f.atom, f.exponent});
    reading.degree += top ? std::abs(f.exponent) : 0;
  }
}

void read(const Sum& sum, const Atoms& atoms, Reading& reading, bool top) {
  for (const auto& term : sum) read(term, atoms, reading, top);
}

/// Accelerations first, then speeds, then the rest; short terms before long ones; then by their factors.
bool comes_before(const Term& a, const Term& b, const Atoms& atoms) {
  Reading x, y;
  read(a, atoms, x, true);
  read(b, atoms, y, true);
  if (x.accelerated != y.accelerated) return x.accelerated;
  if (x.moving != y.moving && !x.accelerated) return x.moving;
  const auto last_first = [&](const Reading& r) { return r.powers.empty() ? -1 : r.powers.back().atom; };
  if (x.accelerated && last_first(x) != last_first(y) && last_first(x) >= 0 && last_first(y) >= 0)
    return atoms.before(last_first(x), last_first(y));
  if (x.degree != y.degree && !x.accelerated) return x.degree < y.degree;
  for (std::size_t i = 0; i < std::min(x.powers.size(), y.powers.size()); ++i) {
    if (x.powers[i].atom != y.powers[i].atom) return atoms.before(x.powers[i].atom, y.powers[i].atom);
    if (x.powers[i].exponent != y.powers[i].exponent) return x.powers[i].exponent > y.powers[i].exponent;
  }
  return x.powers.size() < y.powers.size();
}

/// Where a factor stands: numbers, parameters, coordinates, functions, speeds, accelerations; sums after the atoms of
/// their own kind, and those with speeds at the end.
int place_of(const Factor& f, const Atoms& atoms) {
  if (f.atom >= 0) return 2 * static_cast<int>(atoms[f.atom].rank);
  Rank highest = Rank::Parameter;
  for (const auto& [m, c] : f.expanded)
    for (const auto& q : m) highest = std::max(highest, atoms[q.atom].rank);
  return highest >= Rank::Speed ? 100 : 2 * static_cast<int>(highest) + 1;
}

void negate(Sum& sum) {
  for (auto& term : sum) term.coefficient = -term.coefficient;
}

void order_terms(Sum& sum, const Atoms& atoms) {
  std::stable_sort(sum.begin(), sum.end(), [&](const Term& a, const Term& b) { return comes_before(a, b, atoms); });
}

/// x + 1 and x^2 - 1, but 1 - x and 1 + cos(q): a number goes to the end of a polynomial that can begin with another
/// term.
void put_number_last(Sum& sum, const Atoms& atoms) {
  if (sum.size() < 2 || !sum[0].factors.empty() || sum[1].coefficient < 0) return;
  for (const auto& term : sum)
    for (const auto& f : term.factors)
      if (f.atom < 0 || f.exponent < 0 || atoms[f.atom].kind != AtomKind::Leaf || atoms[f.atom].rank > Rank::Coordinate)
        return;
  std::rotate(sum.begin(), sum.begin() + 1, sum.end());
  // For one symbol: descending powers, x^2 + x + 1.
  const auto others = std::span(sum).first(sum.size() - 1);
  const int atom = others[0].factors[0].atom;
  const auto has_only = [&](const Term& t) { return t.factors.size() == 1 && t.factors[0].atom == atom; };
  if (others.back().coefficient > 0 && std::all_of(others.begin(), others.end(), has_only))
    std::reverse(others.begin(), others.end());
}

void start_with_positive(Sum& sum) {
  const auto positive = std::find_if(sum.begin(), sum.end(), [](const Term& t) { return t.coefficient > 0; });
  if (positive != sum.end()) std::rotate(sum.begin(), positive, std::next(positive));
}

void order_factors(Term& term, const Atoms& atoms) {
  for (auto& f : term.factors) {
    if (f.atom >= 0) continue;
    Sum inner = *f.sum;
    for (auto& t : inner) order_factors(t, atoms);
    order_terms(inner, atoms);
    // Mostly negative: the sign goes outside. Half and half: only if a number leads, 1 - x rather than -(x - 1).
    const auto negative =
        2 * std::count_if(inner.begin(), inner.end(), [](const Term& t) { return t.coefficient < 0; });
    const auto size = static_cast<std::ptrdiff_t>(inner.size());
    if (inner[0].coefficient < 0 &&
        (f.exponent % 2 == 0 || negative > size || (negative == size && inner[0].factors.empty()))) {
      negate(inner);
      if (f.exponent % 2 != 0) term.coefficient = -term.coefficient;
    } else if (term.coefficient < 0 && f.exponent % 2 != 0 && negative == size) {  // -(a - b) is b - a
      negate(inner);
      term.coefficient = -term.coefficient;
    }
    start_with_positive(inner);
    put_number_last(inner, atoms);
    f.sum = std::make_shared<const Sum>(std::move(inner));
  }
  std::stable_sort(term.factors.begin(), term.factors.end(), [&](const Factor& a, const Factor& b) {
    const int p = place_of(a, atoms), q = place_of(b, atoms);
    if (p != q) return p < q;
    if (a.atom >= 0 && b.atom >= 0) return atoms.before(a.atom, b.atom);
    return a.atom < 0 && b.atom < 0 && comes_before(a.sum->front(), b.sum->front(), atoms);
  });
}

}  // namespace

int count_operations(const Sum& sum, const Atoms& atoms) {
  int count = static_cast<int>(sum.size()) - 1;
  for (const auto& term : sum) {
    const Rational size = abs(term.coefficient);
    count += static_cast<int>(term.factors.size()) - 1;
    if (size != 1 || term.factors.empty()) ++count;
    if (!size.is_whole()) ++count;
    const auto is_below = [](const Factor& f) { return f.exponent < 0; };
    if (size == 1 && !term.factors.empty() && std::all_of(term.factors.begin(), term.factors.end(), is_below))
      ++count;  // the division of 1/x
    for (const auto& f : term.factors) count += count_operations(f, atoms);
  }
  return std::max(count, 0);
}

int count_nested_fractions(const Sum& sum) {
  const auto is_below = [](const Factor& f) { return f.exponent < 0; };
  const auto divided = [&](const Term& t) { return std::any_of(t.factors.begin(), t.factors.end(), is_below); };
  int count = 0;
  for (const auto& term : sum) {
    const bool fraction = divided(term);
    for (const auto& f : term.factors) {
      if (f.atom >= 0) continue;
      if (fraction) count += static_cast<int>(std::count_if(f.sum->begin(), f.sum->end(), divided));
      count += count_nested_fractions(*f.sum);
    }
  }
  return count;
}

void put_in_order(Sum& sum, const Atoms& atoms) {
  for (auto& term : sum) order_factors(term, atoms);
  order_terms(sum, atoms);
  start_with_positive(sum);
  put_number_last(sum, atoms);
}

Expr build(const Sum& sum, const Atoms& atoms, Graph& target) {
  const auto copy = [&](NodeId node) { return copy_to(target, atoms.graph().at(node)); };
  const auto atom_value = [&](const Atom& atom) {
    if (atom.kind == AtomKind::Leaf || atom.kind == AtomKind::Function) return copy(atom.node);
    Expr angle = target.number(0);
    for (const auto& [node, k] : atom.angle) angle += target.number(k) * copy(node);
    return atom.kind == AtomKind::Sine ? sin(angle) : atom.kind == AtomKind::Cosine ? cos(angle) : tan(angle);
  };
  Expr total = target.number(0);
  for (const auto& term : sum) {
    Expr value = target.number(term.coefficient);
    for (const auto& f : term.factors)
      value *= pow(f.atom >= 0 ? atom_value(atoms[f.atom]) : build(*f.sum, atoms, target), f.exponent);
    total += value;
  }
  return total;
}

}  // namespace kane::textbook

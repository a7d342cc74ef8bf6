#include "kane/expr/textbook/polynomial.hpp"

#include <algorithm>

namespace kane::textbook {

Polynomial constant(const Rational& value) {
  Polynomial p;
  if (value != 0) p.emplace(Monomial{}, value);
  return p;
}

Polynomial monomial(int atom, int exponent) { return {{Monomial{{atom, exponent}}, Rational(1)}}; }

Monomial product(const Monomial& a, const Monomial& b) {
  Monomial result;
  result.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() || j != b.end()) {
    if (j == b.end() || (i != a.end() && i->atom < j->atom)) {
      result.push_back(*i++);
    } else if (i == a.end() || j->atom < i->atom) {
      result.push_back(*j++);
    } else {
      if (i->exponent + j->exponent != 0) result.push_back({i->atom, i->exponent + j->exponent});
      ++i, ++j;
    }
  }
  return result;
}

Monomial power(const Monomial& m, int n) {
  Monomial result;
  if (n == 0) return result;
  for (const auto& p : m) result.push_back({p.atom, p.exponent * n});
  return result;
}

Monomial common_part(const Monomial& a, const Monomial& b) {
  Monomial result;
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) {
    if (i->atom != j->atom) {
      (i->atom < j->atom ? i : j)++;
      continue;
    }
    if (i->exponent > 0 && j->exponent > 0) result.push_back({i->atom, std::min(i->exponent, j->exponent)});
    if (i->exponent < 0 && j->exponent < 0) result.push_back({i->atom, std::max(i->exponent, j->exponent)});
    ++i, ++j;
  }
  return result;
}

bool divides(const Monomial& part, const Monomial& whole) { return common_part(part, whole) == part; }

void add_term(Polynomial& p, const Monomial& m, const Rational& c) {
  if (c == 0) return;
  const auto [place, fresh] = p.emplace(m, c);
  if (fresh) return;
  place->second += c;
  if (place->second == 0) p.erase(place);
}

void add(Polynomial& p, const Polynomial& q, const Rational& factor) {
  for (const auto& [m, c] : q) add_term(p, m, c * factor);
}

Polynomial multiply(const Polynomial& p, const Polynomial& q, Budget& budget) {
  Polynomial result;
  for (const auto& [m, c] : p) {
    budget.spend(q.size());
    for (const auto& [n, d] : q) {
      // Long coefficients are long work.
      if (!c.is_small() && !d.is_small()) budget.spend(c.bits() * d.bits() / (16 * 64 * 64));
      add_term(result, product(m, n), c * d);
    }
    budget.check(result);
  }
  return result;
}

Polynomial multiply(const Polynomial& p, const Monomial& m, const Rational& c) {
  Polynomial result;
  for (const auto& [n, d] : p) result.emplace(product(n, m), d * c);
  return result;
}

Polynomial power(const Polynomial& p, int n, Budget& budget) {
  if (p.size() == 1) {
    const auto& [m, c] = *p.begin();
    return {{power(m, n), rational_power(c, n)}};
  }
  Polynomial result = constant(1), square = p;
  for (int k = n; k != 0; k >>= 1) {
    if (k & 1) result = multiply(result, square, budget);
    if (k > 1) square = multiply(square, square, budget);
  }
  return result;
}

namespace {

/// The lexicographic order of monomials: the first atom decides, the higher power comes first.
struct HigherFirst {
  bool operator()(const Monomial& a, const Monomial& b) const {
    auto i = a.begin(), j = b.begin();
    for (; i != a.end() && j != b.end(); ++i, ++j) {
      if (i->atom != j->atom) return i->atom < j->atom ? i->exponent > 0 : j->exponent < 0;
      if (i->exponent != j->exponent) return i->exponent > j->exponent;
    }
    return i != a.end() ? i->exponent > 0 : j != b.end() && j->exponent < 0;
  }
};

bool has_negative(const Monomial& m) {
  return std::any_of(m.begin(), m.end(), [](const Power& q) { return q.exponent < 0; });
}

/// The negative powers that occur in p, each as far as it goes.
Monomial lowest_powers(const Polynomial& p) {
  std::map<int, int> lowest;
  for (const auto& [m, c] : p)
    for (const auto& q : m)
      if (q.exponent < 0) lowest[q.atom] = std::min(lowest[q.atom], q.exponent);
  Monomial result;
  for (const auto& [atom, exponent] : lowest) result.push_back({atom, exponent});
  return result;
}

}  // namespace

/// Long division by the leading term. Without a remainder the leading term of p is a multiple of that of d at every step.
std::optional<Polynomial> find_quotient(const Polynomial& p, const Polynomial& d, Budget& budget) {
  if (p.size() < 2 || d.size() < 2) return std::nullopt;
  const Monomial shift = lowest_powers(p), up = power(shift, -1);
  std::map<Monomial, Rational, HigherFirst> remainder, divisor;
  for (const auto& [m, c] : p) remainder.emplace(product(m, up), c);
  for (const auto& [m, c] : d) {
    if (has_negative(m)) return std::nullopt;
    divisor.emplace(m, c);
  }
  const auto& [lead, lead_coefficient] = *divisor.begin();
  const Monomial inverse = power(lead, -1);
  Polynomial quotient;
  while (!remainder.empty()) {
    const Monomial m = product(remainder.begin()->first, inverse);
    if (has_negative(m)) return std::nullopt;
    const Rational c = remainder.begin()->second / lead_coefficient;
    budget.spend(divisor.size());
    quotient.emplace(product(m, shift), c);
    budget.check(quotient);
    for (const auto& [n, k] : divisor) {
      const auto [place, fresh] = remainder.emplace(product(m, n), -c * k);
      if (fresh) continue;
      place->second -= c * k;
      if (place->second == 0) remainder.erase(place);
    }
  }
  return quotient;
}

}  // namespace kane::textbook

#include "kane/expr/textbook/gcd.hpp"

#include <algorithm>
#include <set>

#include "kane/base/at.hpp"
#include "kane/expr/fingerprint.hpp"

namespace kane::textbook {

namespace {

using Field = field::P1;

int degree(const Monomial& m, int atom) {
  for (const auto& q : m)
    if (q.atom == atom) return q.exponent;
  return 0;
}

int degree(const Polynomial& p, int atom) {
  int highest = 0;
  for (const auto& [m, c] : p) highest = std::max(highest, degree(m, atom));
  return highest;
}

std::set<int> atoms_of(const Polynomial& p) {
  std::set<int> atoms;
  for (const auto& [m, c] : p)
    for (const auto& q : m) atoms.insert(q.atom);
  return atoms;
}

bool is_constant(const Polynomial& p) { return p.size() == 1 && p.begin()->first.empty(); }

/// The coefficients of the powers of one atom, ascending.
std::vector<Polynomial> coefficients(const Polynomial& p, int atom) {
  std::vector<Polynomial> list(at(degree(p, atom)) + 1);
  for (const auto& [m, c] : p) {
    const int n = degree(m, atom);
    list[at(n)].emplace(n == 0 ? m : product(m, {{atom, -n}}), c);
  }
  return list;
}

// ---- one atom, modulo a prime --------------------------------------------------------------------------------------------

using Residues = std::vector<std::uint64_t>;  // ascending powers, the last one not zero; empty = 0

void trim(Residues& p) {
  while (!p.empty() && p.back() == 0) p.pop_back();
}

/// p modulo d.
void reduce(Residues& p, const Residues& d) {
  const std::uint64_t inverse = Field::inverse(d.back());
  while (p.size() >= d.size()) {
    const std::uint64_t factor = Field::mul(p.back(), inverse);
    const std::size_t shift = p.size() - d.size();
    for (std::size_t i = 0; i < d.size(); ++i) p[shift + i] = Field::sub(p[shift + i], Field::mul(factor, d[i]));
    trim(p);
  }
}

std::size_t gcd_degree(Residues a, Residues b) {
  while (!b.empty()) {
    reduce(a, b);
    std::swap(a, b);
  }
  return a.size() - 1;
}

std::uint64_t residue(const Rational& c) {
  const mpz_class prime = static_cast<unsigned long>(Field::kPrime);
  const auto reduced = [&](const mpz_class& n) {
    mpz_class r;
    mpz_fdiv_r(r.get_mpz_t(), n.get_mpz_t(), prime.get_mpz_t());
    return static_cast<std::uint64_t>(r.get_ui());
  };
  return Field::mul(reduced(c.get_num()), Field::inverse(reduced(c.get_den())));
}

/// p with every atom but one replaced by a value that depends on the atom and on `trial`.
Residues evaluate(const Polynomial& p, int atom, std::uint64_t trial, Budget& budget) {
  Residues result(at(degree(p, atom)) + 1, 0);
  budget.spend(p.size());
  for (const auto& [m, c] : p) {
    std::uint64_t value = residue(c);
    std::size_t place = 0;
    for (const auto& q : m) {
      if (q.atom == atom) {
        place = at(q.exponent);
        continue;
      }
      const std::uint64_t x = Field::reduce(field::scramble(trial + 977 * at(q.atom)));
      value = Field::mul(value, Field::power(x, static_cast<std::uint64_t>(q.exponent)));
    }
    result[place] = Field::add(result[place], value);
  }
  return result;
}

// ---- many atoms ----------------------------------------------------------------------------------------------------------

class Euclid {
 public:
  explicit Euclid(Budget& budget) : budget_(budget) {}

  /// The primitive gcd of two polynomials.
  Polynomial gcd(Polynomial a, Polynomial b) {
    const Monomial below_a = common_monomial(a), below_b = common_monomial(b);
    const Monomial shared = common_part(below_a, below_b);
    if (!below_a.empty()) a = multiply(a, power(below_a, -1), 1);
    if (!below_b.empty()) b = multiply(b, power(below_b, -1), 1);
    const Polynomial rest = gcd_of_primitives(primitive_part(a), primitive_part(b));
    return shared.empty() ? rest : multiply(rest, shared, 1);
  }

 private:
  /// Neither has a common monomial or a common number.
  Polynomial gcd_of_primitives(const Polynomial& a, const Polynomial& b) {
    if (is_constant(a) || is_constant(b)) return constant(1);
    if (a == b) return a;
    std::vector<int> shared;
    std::set<int> absent;  // do not occur in the answer
    const std::set<int> in_a = atoms_of(a), in_b = atoms_of(b);
    std::set<int> all = in_a;
    all.insert(in_b.begin(), in_b.end());
    for (const int atom : all) {
      if (!in_a.contains(atom) || !in_b.contains(atom) || degree_bound(a, b, atom) == 0)
        absent.insert(atom);
      else
        shared.push_back(atom);
    }
    if (shared.empty()) return constant(1);
    if (!absent.empty()) return gcd_of_parts(a, b, absent);
    return gcd_in(a, b, shared);
  }

  /// At least the degree of the gcd in one atom.
  std::size_t degree_bound(const Polynomial& a, const Polynomial& b, int atom) {
    constexpr std::uint64_t kTrials = 4;
    const std::size_t most = at(std::min(degree(a, atom), degree(b, atom)));
    for (std::uint64_t trial = 1; trial <= kTrials; ++trial) {
      Residues x = evaluate(a, atom, trial, budget_), y = evaluate(b, atom, trial, budget_);
      if (x.back() == 0 || y.back() == 0) continue;  // a leading coefficient vanished: another point
      budget_.spend(x.size() * y.size() / 8);
      return std::min(most, gcd_degree(std::move(x), std::move(y)));
    }
    return most;
  }

  /// The gcd of all coefficients of the powers of `absent` in both.
  Polynomial gcd_of_parts(const Polynomial& a, const Polynomial& b, const std::set<int>& absent) {
    std::vector<Polynomial> parts;
    for (const Polynomial* p : {&a, &b}) {
      std::map<Monomial, Polynomial> by_power;
      for (const auto& [m, c] : *p) {
        Monomial outside, inside;
        for (const auto& q : m) (absent.contains(q.atom) ? outside : inside).push_back(q);
        by_power[outside].emplace(inside, c);
      }
      for (auto& [m, part] : by_power) parts.push_back(std::move(part));
    }
    return gcd_of_all(std::move(parts));
  }

  Polynomial gcd_of_all(std::vector<Polynomial> parts) {
    std::stable_sort(parts.begin(), parts.end(), [](const auto& p, const auto& q) { return p.size() < q.size(); });
    Polynomial result = primitive_part(parts[0]);
    for (std::size_t i = 1; i < parts.size() && !is_constant(result); ++i) result = gcd(result, parts[i]);
    return result;
  }

  /// Euclid's algorithm in the atom that makes it short.
  Polynomial gcd_in(const Polynomial& a, const Polynomial& b, const std::vector<int>& shared) {
    if (const auto q = find_exact_quotient(a, b, budget_); q) return b;
    if (const auto q = find_exact_quotient(b, a, budget_); q) return a;
    const auto cost = [&](int atom) { return std::pair(std::min(degree(a, atom), degree(b, atom)), atom); };
    const int atom = *std::min_element(shared.begin(), shared.end(), [&](int x, int y) { return cost(x) < cost(y); });
    const Polynomial content_a = gcd_of_all(nonzero(coefficients(a, atom)));
    const Polynomial content_b = gcd_of_all(nonzero(coefficients(b, atom)));
    const Polynomial content = gcd(content_a, content_b);
    Polynomial x = *find_exact_quotient(a, content_a, budget_), y = *find_exact_quotient(b, content_b, budget_);
    if (degree(x, atom) < degree(y, atom)) std::swap(x, y);
    for (;;) {  // the degree of y falls
      Polynomial r = remainder(x, y, atom);
      if (r.empty()) break;
      if (degree(r, atom) == 0) return content;
      const Polynomial shared_factor = gcd_of_all(nonzero(coefficients(r, atom)));
      x = std::move(y);
      y = primitive_part(*find_exact_quotient(r, shared_factor, budget_));
    }
    return primitive_part(multiply(content, y, budget_));
  }

  static std::vector<Polynomial> nonzero(std::vector<Polynomial> list) {
    std::erase_if(list, [](const Polynomial& p) { return p.empty(); });
    return list;
  }

  /// The remainder of x multiplied by powers of the leading coefficient of y, such that no division is needed.
  Polynomial remainder(Polynomial x, const Polynomial& y, int atom) {
    const int n = degree(y, atom);
    const Polynomial lead = coefficients(y, atom).back();
    while (!x.empty() && degree(x, atom) >= n) {
      const int shift = degree(x, atom) - n;
      const Polynomial top = coefficients(x, atom).back();
      Polynomial next = multiply(x, lead, budget_);
      add(next, multiply(multiply(y, top, budget_), shift == 0 ? Monomial{} : Monomial{{atom, shift}}, 1), -1);
      budget_.check(next);
      x = primitive_part(next);
    }
    return x;
  }

  Budget& budget_;
};

}  // namespace

Monomial common_monomial(const Polynomial& p) {
  Monomial common = p.begin()->first;
  for (const auto& [m, c] : p) common = common_part(common, m);
  return common;
}

Polynomial primitive_part(const Polynomial& p) {
  if (p.empty()) return p;
  Rational content;
  for (const auto& [m, c] : p) content = common_measure(content, c);
  if (p.begin()->second < 0) content = -content;
  return content == 1 ? p : multiply(p, {}, 1 / content);
}

std::optional<Polynomial> find_exact_quotient(const Polynomial& p, const Polynomial& d, Budget& budget) {
  if (d.size() > 1) return p.size() > 1 ? find_quotient(p, d, budget) : p.empty() ? std::optional(p) : std::nullopt;
  const auto& [m, c] = *d.begin();
  for (const auto& [n, k] : p)
    if (!divides(m, n)) return std::nullopt;
  return multiply(p, power(m, -1), 1 / c);
}

Polynomial find_gcd(const Polynomial& a, const Polynomial& b, Budget& budget) { return Euclid(budget).gcd(a, b); }

}  // namespace kane::textbook

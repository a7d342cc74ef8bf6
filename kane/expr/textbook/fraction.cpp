#include "kane/expr/textbook/fraction.hpp"

#include <algorithm>

#include "kane/expr/textbook/gcd.hpp"

namespace kane::textbook {

namespace {

constexpr std::size_t kMostTerms = 200;  // longer sums are not brought over a common denominator
constexpr int kDeepest = 8;              // of denominators in denominators

bool has_negative(const Polynomial& p) {
  for (const auto& [m, c] : p)
    for (const auto& q : m)
      if (q.exponent < 0) return true;
  return false;
}

}  // namespace

Fractions::Fractions(Atoms& atoms, Trigonometry& trigonometry, Expansion& expansion, std::size_t max_terms)
    : atoms_(atoms), trigonometry_(trigonometry), expansion_(expansion), budget_(max_terms) {}

std::vector<Polynomial> Fractions::forms(const Polynomial& p) {
  std::vector<Polynomial> found;
  bool has_fractions = false, has_circular = false;
  for (const auto& [m, c] : p)
    for (const auto& q : m) {
      if (q.exponent < 0 && (is_denominator(q.atom) || atoms_.is_trigonometric(q.atom))) has_fractions = true;
    }
  if (p.size() > kMostTerms) return found;
  const auto consider = [&](Polynomial form) {
    if (form != p && std::find(found.begin(), found.end(), form) == found.end()) found.push_back(std::move(form));
  };
  try {
    const Polynomial open = opened(p);
    consider(open);
    if (!has_fractions) return found;
    const Polynomial flat = flattened(open, 0);
    for (const int atom : atoms_below(flat)) has_circular = has_circular || atoms_.is_trigonometric(atom);
    const auto cancel = [&](const Polynomial& sum, Squares squares) {
      Polynomial apart = cancelled(sum, squares, false);
      consider(apart);
      consider(cancelled(apart, squares, true));
    };
    for (const Squares squares : {Squares::OfSines, Squares::OfCosines}) {
      if (squares == Squares::OfSines || has_circular) cancel(flat, squares);
      // Fractions that belong to s^2 and to c^2 may have to meet before they cancel.
      const Polynomial plain = reduced(flat, squares);
      if (plain != flat) cancel(plain, squares);
    }
  } catch (const TooLong&) {  // the forms found so far are good
  }
  return found;
}

/// Sums that have come from below the line to above it, multiplied out: 1/(1/(a + b)) = a + b.
Polynomial Fractions::opened(const Polynomial& p) {
  Polynomial result;
  for (const auto& [m, c] : p) {
    Monomial others;
    Polynomial term = constant(c);
    for (const auto& q : m) {
      if (q.exponent > 0 && is_denominator(q.atom))
        term = multiply(term, power(atoms_[q.atom].below, q.exponent, budget_), budget_);
      else
        others.push_back(q);
    }
    add(result, multiply(term, others, 1), 1);
    budget_.check(result);
  }
  return result;
}

/// Denominators without denominators of their own: 1/(a + b/c) = c/(a c + b).
Polynomial Fractions::flattened(const Polynomial& p, int depth) {
  if (depth > kDeepest) throw TooLong{};
  Polynomial result;
  for (const auto& [m, c] : p) {
    Polynomial term = constant(c);
    for (const auto& q : m) {
      const Polynomial below = is_denominator(q.atom) ? atoms_[q.atom].below : Polynomial{};
      if (!has_negative(below)) {
        term = multiply(term, {q}, 1);
        continue;
      }
      const Fraction inner = over_common_denominator(flattened(below, depth + 1));
      for (int i = 0; i > q.exponent; --i) {
        term = expansion_.divide(multiply(term, inner.below, 1), inner.numerator);
        for (const auto& [sum, exponent] : inner.sums)
          term = multiply(term, power(atoms_[sum].below, exponent, budget_), budget_);
      }
    }
    add(result, term, 1);
    budget_.check(result);
  }
  return result;
}

/// The atoms of the sums below the line, and those below the line themselves; with a sine its cosine and vice versa.
std::set<int> Fractions::atoms_below(const Polynomial& p) const {
  std::set<int> inside;
  for (const auto& [m, c] : p)
    for (const auto& q : m) {
      if (q.exponent >= 0) continue;
      if (!is_denominator(q.atom)) {
        if (atoms_.is_trigonometric(q.atom)) inside.insert(q.atom);
        continue;
      }
      for (const auto& [n, k] : atoms_[q.atom].below)
        for (const auto& r : n) inside.insert(r.atom);
    }
  for (const int atom : std::set<int>(inside))
    if (atoms_.is_trigonometric(atom)) {
      const Angle angle = atoms_[atom].angle;
      inside.insert(atoms_.sine(angle));
      inside.insert(atoms_.cosine(angle));
    }
  return inside;
}

Polynomial Fractions::cancelled(const Polynomial& p, Squares squares, bool together) {
  const std::set<int> inside = atoms_below(p);
  // For each product of other atoms (and, unless together, for each denominator) what it multiplies.
  std::map<std::pair<Monomial, Monomial>, Polynomial> parts;
  for (const auto& [m, c] : p) {
    Monomial outside, own, below;
    for (const auto& q : m) {
      if (is_denominator(q.atom) || inside.contains(q.atom)) {
        own.push_back(q);
        if (q.exponent < 0 && !together) below.push_back(q);
      } else {
        outside.push_back(q);
      }
    }
    parts[{outside, below}].emplace(own, c);
  }
  Polynomial result;
  for (const auto& [key, part] : parts) {
    const Polynomial shortened = has_negative(part) ? lowest_terms(over_common_denominator(part), squares) : part;
    add(result, multiply(shortened, key.first, 1), 1);
    budget_.check(result);
  }
  return result;
}

Fractions::Fraction Fractions::over_common_denominator(const Polynomial& p) {
  std::map<int, int> lowest;  // the exponents of the common denominator
  for (const auto& [m, c] : p)
    for (const auto& q : m)
      if (q.exponent < 0) lowest[q.atom] = std::max(lowest[q.atom], -q.exponent);
  Fraction result;
  for (const auto& [atom, exponent] : lowest) {
    if (is_denominator(atom))
      result.sums[atom] = exponent;
    else
      result.below.push_back({atom, exponent});
  }
  std::map<Monomial, Polynomial> missing;  // terms by the powers of the sums they are to be multiplied by
  for (const auto& [m, c] : p) {
    Monomial own;
    std::map<int, int> left = result.sums;
    for (const auto& q : m) {
      if (is_denominator(q.atom))
        left[q.atom] += q.exponent;
      else
        own.push_back(q);
    }
    Monomial sums;
    for (const auto& [atom, exponent] : left)
      if (exponent != 0) sums.push_back({atom, exponent});
    add_term(missing[sums], product(own, result.below), c);
  }
  for (const auto& [sums, part] : missing) {
    Polynomial whole = part;
    for (const auto& q : sums) whole = multiply(whole, power(atoms_[q.atom].below, q.exponent, budget_), budget_);
    add(result.numerator, whole, 1);
    budget_.check(result.numerator);
  }
  return result;
}

/// s^2 = 1 - c^2 or c^2 = 1 - s^2 for every angle.
Polynomial Fractions::reduced(const Polynomial& p, Squares squares) {
  std::set<int> removed;
  for (const auto& [m, c] : p)
    for (const auto& q : m)
      if (q.exponent > 1 && atoms_[q.atom].kind == (squares == Squares::OfSines ? AtomKind::Sine : AtomKind::Cosine))
        removed.insert(q.atom);
  Polynomial result = p;
  for (const int atom : removed) {
    const Angle angle = atoms_[atom].angle;
    const int other = squares == Squares::OfSines ? atoms_.cosine(angle) : atoms_.sine(angle);
    result = trigonometry_.without_squares(result, atom, other);
    budget_.spend(result.size());
    budget_.check(result);
  }
  return result;
}

Polynomial Fractions::lowest_terms(Fraction fraction, Squares squares) {
  Polynomial above = reduced(fraction.numerator, squares);
  if (above.empty()) return above;
  // Sums below the line that are not finished, those that are, and the atom that stands for them if they are unchanged.
  struct Below {
    Polynomial sum;
    int exponent;
    int atom;
  };
  std::vector<Below> open, done;
  for (const auto& [atom, exponent] : fraction.sums)
    open.push_back({reduced(atoms_[atom].below, squares), exponent, atom});
  while (!open.empty()) {
    Below next = std::move(open.back());
    open.pop_back();
    const Polynomial shared = next.exponent == 0 ? constant(1) : find_gcd(above, next.sum, budget_);
    if (shared.size() == 1 && shared.begin()->first.empty()) {
      if (next.exponent > 0) done.push_back(std::move(next));
      continue;
    }
    above = *find_exact_quotient(above, shared, budget_);
    Polynomial rest = *find_exact_quotient(next.sum, shared, budget_);
    const bool whole = rest.size() == 1 && rest.begin()->first.empty();
    if (whole) {
      above = multiply(above, {}, 1 / rest.begin()->second);
      --next.exponent;
      open.push_back(std::move(next));
    } else {  // (g r)^n = g^n r^n
      open.push_back({shared, next.exponent - 1, -1});
      open.push_back({std::move(rest), next.exponent, -1});
    }
  }
  above = multiply(above, power(fraction.below, -1), 1);
  for (const Below& below : done) {
    if (below.atom >= 0) {
      above = multiply(above, {{below.atom, -below.exponent}}, 1);
      continue;
    }
    for (int i = 0; i < below.exponent; ++i) above = expansion_.quotient(above, below.sum);
  }
  return above;
}

}  // namespace kane::textbook

#include "kane/expr/textbook/factor.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>

namespace kane::textbook {

namespace {

class Factoring {
 public:
  Factoring(const Atoms& atoms, Denominators denominators, Budget& budget)
      : atoms_(atoms), denominators_(denominators), budget_(budget) {}

  Sum flat(const Polynomial& p) {
    Sum sum;
    for (const auto& [m, c] : p) sum.push_back(make_term(m, c));
    return sum;
  }

  Sum factor(const Polynomial& p) {
    if (p.size() <= 1) return p.empty() ? Sum{} : Sum{make_term(p.begin()->first, p.begin()->second)};
    const Rational number = best_number(p);
    const Monomial common = common_monomial(p);
    if ((number == 1 || number == -1) && common.empty()) return group(p);
    Polynomial rest;
    const Monomial inverse = power(common, -1);
    for (const auto& [m, c] : p) rest.emplace(product(m, inverse), c / number);
    Term term = make_term(common, number);
    append(term, group(rest), rest);
    return {std::move(term)};
  }

 private:
  /// Multiplies a term by a sum: by its factors if it is one term, else by the sum in parentheses.
  void append(Term& term, Sum sum, const Polynomial& expanded) const {
    if (sum.size() == 1) {
      term.coefficient *= sum[0].coefficient;
      for (auto& f : sum[0].factors) term.factors.push_back(std::move(f));
      return;
    }
    Factor f;
    f.sum = std::make_shared<const Sum>(std::move(sum));
    f.expanded = expanded;
    term.factors.push_back(std::move(f));
  }

  [[nodiscard]] Term make_term(const Monomial& m, const Rational& c) {
    Term term;
    term.coefficient = c;
    for (const auto& [atom, exponent] : m) {
      Factor f;
      f.atom = atom;
      f.exponent = exponent;
      if (atoms_[atom].kind != AtomKind::Denominator) {
        term.factors.push_back(std::move(f));
        continue;
      }
      Sum below = factor(atoms_[atom].below);
      if (below.size() == 1) {  // it has turned out to be a product, such as a square
        term.coefficient *= rational_power(below[0].coefficient, exponent);
        for (auto& g : below[0].factors) {
          g.exponent *= exponent;
          term.factors.push_back(std::move(g));
        }
        continue;
      }
      f.atom = -1;
      f.expanded = atoms_[atom].below;
      f.sum = std::make_shared<const Sum>(std::move(below));
      term.factors.push_back(std::move(f));
    }
    return term;
  }

  /// The number to take out: the common factor of the coefficients if that leaves no more numbers than it takes away.
  [[nodiscard]] static Rational best_number(const Polynomial& p) {
    Rational content;
    bool all_negative = true;
    for (const auto& [m, c] : p) {
      content = common_measure(content, c);
      all_negative = all_negative && c < 0;
    }
    const auto count = [&](const Rational& divisor) {
      int numbers = divisor == 1 ? 0 : 1;
      for (const auto& [m, c] : p) numbers += abs(c) == divisor || m.empty() ? 0 : 1;
      return numbers;
    };
    // 2 x + 4 y = 2 (x + 2 y), 4/3 x + 8/3 y = 4/3 (x + 2 y), but not x/2 + y/3 = (3 x + 2 y)/6; and a number among
    // the terms stays whole: 1 + 2 x, not 2 (1/2 + x).
    if (count(content) > count(1)) content = 1;
    return all_negative ? Rational(-content) : content;
  }

  [[nodiscard]] static Monomial common_monomial(const Polynomial& p) {
    Monomial common = p.begin()->first;
    for (const auto& [m, c] : p) common = common_part(common, m);
    return common;
  }

  /// A polynomial without a common factor, as a sum of products.
  Sum group(const Polynomial& p) {
    if (p.size() <= 1) return factor(p);
    if (auto square = find_square(p); square) return {std::move(*square)};
    Sum best = merge(collect(p));
    if (has_accelerations(p)) {
      // Coefficients of accelerations read best; another grouping must be much shorter.
      Sum by_acceleration = merge(collect_accelerations(p));
      if (9 * count_operations(by_acceleration, atoms_) <= 10 * count_operations(best, atoms_)) best = by_acceleration;
    }
    return best;
  }

  [[nodiscard]] std::optional<int> acceleration(const Monomial& m) const {
    for (const auto& q : m)
      if (q.exponent == 1 && atoms_[q.atom].rank == Rank::Acceleration && atoms_[q.atom].kind == AtomKind::Leaf)
        return q.atom;
    return std::nullopt;
  }

  [[nodiscard]] bool has_accelerations(const Polynomial& p) const {
    std::set<int> met;
    for (const auto& [m, c] : p)
      if (const auto a = acceleration(m); a && !met.insert(*a).second) return true;
    return false;
  }

  Sum collect_accelerations(const Polynomial& p) {
    std::map<int, Polynomial> parts;
    Polynomial rest;
    for (const auto& [m, c] : p) {
      const auto a = acceleration(m);
      (a ? parts[*a] : rest).emplace(m, c);
    }
    Sum sum;
    for (const auto& [a, part] : parts)
      for (auto& term : factor(part)) sum.push_back(std::move(term));
    if (!rest.empty())
      for (auto& term : factor_part(rest)) sum.push_back(std::move(term));
    return sum;
  }

  /// Terms that stay a sum of their own: common factors of all of them are taken out only if there are some.
  Sum factor_part(const Polynomial& p) { return common_monomial(p).empty() ? collect(p) : factor(p); }

  /// Takes the terms that share the most, and continues with the others.
  Sum collect(Polynomial p) {
    Sum sum;
    while (!p.empty()) {
      const Monomial shared = best_shared(p);
      if (shared.empty()) break;
      Polynomial part;
      for (auto it = p.begin(); it != p.end();) {
        if (divides(shared, it->first)) {
          part.insert(*it);
          it = p.erase(it);
        } else {
          ++it;
        }
      }
      for (auto& term : factor(part)) sum.push_back(std::move(term));
    }
    collect_equal_numbers(p, sum);
    return sum;
  }

  /// x/2 + y/2 = (x + y)/2
  void collect_equal_numbers(const Polynomial& p, Sum& sum) {
    std::map<Rational, Polynomial> parts;
    for (const auto& [m, c] : p) parts[abs(c)].emplace(m, c);
    for (const auto& [size, part] : parts) {
      const bool together = part.size() > 1 && size != 1 && !part.contains(Monomial{}) && part.size() < p.size();
      if (!together) {
        for (const auto& [m, c] : part) sum.push_back(make_term(m, c));
        continue;
      }
      const Polynomial rest = multiply(part, {}, 1 / size);
      Term term = make_term({}, size);
      append(term, group(rest), rest);
      sum.push_back(std::move(term));
    }
  }

  /// The monomial whose taking out saves the most multiplications; empty if none does.
  Monomial best_shared(const Polynomial& p) {
    constexpr std::size_t kMostForPairs = 150;
    std::set<Monomial> candidates;
    if (p.size() <= kMostForPairs) {
      budget_.spend(p.size() * p.size() / 8);
      for (auto i = p.begin(); i != p.end(); ++i)
        for (auto j = std::next(i); j != p.end(); ++j) candidates.insert(common_part(i->first, j->first));
    } else {
      budget_.spend(p.size());
      for (const auto& [m, c] : p)
        for (const auto& q : m) candidates.insert({q});
    }
    candidates.erase(Monomial{});
    Monomial best;
    int most = 0;
    for (const auto& candidate : candidates) {
      budget_.spend(p.size() / 8 + 1);
      int members = 0;
      for (const auto& [m, c] : p) members += divides(candidate, m) ? 1 : 0;
      const int saving = (members - 1) * weight(candidate);
      if (saving > most || (saving == most && most > 0 && comes_before(candidate, best)))
        most = saving, best = candidate;
    }
    return best;
  }

  /// In the order of reading, which does not depend on the order in which atoms were met.
  [[nodiscard]] bool comes_before(Monomial a, Monomial b) const {
    const auto in_order = [&](const Power& x, const Power& y) { return atoms_.before(x.atom, y.atom); };
    std::sort(a.begin(), a.end(), in_order);
    std::sort(b.begin(), b.end(), in_order);
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
      if (a[i].atom != b[i].atom) return atoms_.before(a[i].atom, b[i].atom);
      if (a[i].exponent != b[i].exponent) return a[i].exponent > b[i].exponent;
    }
    return a.size() > b.size();
  }

  [[nodiscard]] int weight(const Monomial& m) const {
    int w = 0;
    for (const auto& q : m) {
      w += 1 + (std::abs(q.exponent) == 1 ? 0 : 1) + atoms_[q.atom].operations;
      // A function or a speed in front of a sum reads better than a parameter.
      w += atoms_[q.atom].rank == Rank::Acceleration ? 2 : 0;
      if (denominators_ == Denominators::Heavy) w += 2 * static_cast<int>(atoms_[q.atom].below.size());
    }
    return w;
  }

  /// a S + b S = (a + b) S for terms that end in the same sum.
  Sum merge(Sum sum) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      Polynomial others;
      const Factor* shared = nullptr;
      std::vector<std::size_t> members;
      for (std::size_t j = i; j < sum.size(); ++j) {
        const auto split = split_off_sum(sum[j]);
        if (!split || (shared != nullptr && split->first->expanded != shared->expanded)) continue;
        if (shared == nullptr && j > i) break;
        shared = shared == nullptr ? split->first : shared;
        add_term(others, split->second, sum[j].coefficient);
        members.push_back(j);
      }
      if (members.size() < 2) continue;
      const Factor kept = *shared;
      Sum front = factor(others);
      Term merged;
      append(merged, std::move(front), others);
      merged.factors.push_back(kept);
      for (auto j = members.rbegin(); j != members.rend(); ++j)
        sum.erase(sum.begin() + static_cast<std::ptrdiff_t>(*j));
      sum.insert(sum.begin() + static_cast<std::ptrdiff_t>(i), std::move(merged));
    }
    return sum;
  }

  /// The only sum among the factors (to the power one), and the monomial of the others.
  static std::optional<std::pair<const Factor*, Monomial>> split_off_sum(const Term& term) {
    const Factor* sum = nullptr;
    Monomial rest;
    for (const auto& f : term.factors) {
      if (f.atom >= 0) {
        rest = product(rest, {{f.atom, f.exponent}});
      } else if (sum == nullptr && f.exponent == 1) {
        sum = &f;
      } else {
        return std::nullopt;
      }
    }
    if (sum == nullptr) return std::nullopt;
    return std::pair(sum, rest);
  }

  /// (a + b + ...)^2, recognised by its pure squares: 3 terms for two, 6 for three, 10 for four.
  std::optional<Term> find_square(const Polynomial& p) {
    if (p.size() != 3 && p.size() != 6 && p.size() != 10) return std::nullopt;
    const auto is_even = [](const Monomial& m) {
      return std::all_of(m.begin(), m.end(), [](auto& q) { return q.exponent % 2 == 0; });
    };
    Rational sign = 1;  // of the pure squares; those of products of squares are the same
    for (const auto& [m, c] : p)
      if (is_even(m) && m.size() == 1) sign = c < 0 ? -1 : 1;
    std::vector<std::pair<Monomial, Rational>> roots;
    for (const auto& [m, c] : p) {
      const Rational size = c * sign;
      if (!is_even(m) || size < 0) continue;
      const mpz_class n = size.get_num(), d = size.get_den();
      if (!mpz_perfect_square_p(n.get_mpz_t()) || !mpz_perfect_square_p(d.get_mpz_t())) continue;
      Monomial half;
      for (const auto& q : m) half.push_back({q.atom, q.exponent / 2});
      roots.emplace_back(half, Rational(mpz_class(sqrt(n)), mpz_class(sqrt(d))));
    }
    if (roots.size() * (roots.size() + 1) / 2 != p.size()) return std::nullopt;
    Polynomial root;
    for (const auto& [m, c] : roots) {
      // The sign against the first, from their product.
      const auto cross = p.find(product(roots[0].first, m));
      const bool minus = m != roots[0].first && cross != p.end() && cross->second * sign < 0;
      add_term(root, m, minus ? Rational(-c) : c);
    }
    Polynomial square = multiply(root, root, budget_);
    if (sign < 0) square = multiply(square, {}, -1);
    if (square != p) return std::nullopt;
    Term term;
    term.coefficient = sign;
    Factor f;
    f.sum = std::make_shared<const Sum>(group(root));
    f.expanded = root;
    f.exponent = 2;
    term.factors.push_back(std::move(f));
    return term;
  }

  const Atoms& atoms_;
  Denominators denominators_;
  Budget& budget_;
};

}  // namespace

Sum flat(const Polynomial& p, const Atoms& atoms, Budget& budget) {
  return Factoring(atoms, Denominators::Light, budget).flat(p);
}

Sum factor(const Polynomial& p, const Atoms& atoms, Denominators denominators, Budget& budget) {
  return Factoring(atoms, denominators, budget).factor(p);
}

}  // namespace kane::textbook

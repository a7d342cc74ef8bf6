#include "kane/program/factor_sums.hpp"

#include <algorithm>
#include <cstdlib>

namespace kane {

namespace {

/// Nested brackets deeper than this are left as they are.
constexpr int kMaxDepth = 100;
/// Looking at each factor more often than this (on average) is not worth the time.
constexpr std::size_t kEffort = 60;
/// A saved division is worth this many saved multiplications.
constexpr std::uint32_t kDivisionWeight = 4;

/// A term of the present sum: factors [first, first + count) of a local list, or a value that cannot be taken apart.
struct Term {
  Ref value;
  std::uint32_t first;
  std::uint32_t count;  ///< 0 = opaque
};

class FactorSums {
 public:
  FactorSums(const Draft& from, Draft& to) : from_(from), to_(to), uses_(count_uses(from)), now_(from, to) {}

  void run() {
    for (ValueId id = from_.input_count(); id < from_.size(); ++id) {
      if (uses_[id] == 0) continue;
      if (from_.is(id, DraftKind::Sum)) {
        factor_sum(id);
      } else if (from_.is(id, DraftKind::Product)) {
        join_product(id);
      } else {
        now_.copy(id);
      }
    }
    now_.finish();
  }

 private:
  /// A sum that turned into a product joins the product that is its only user.
  void join_product(ValueId id) {
    bool negative = false;
    joined_.clear();
    for (const Factor& f : from_.factors(id)) {
      const Ref now = now_(f.value);
      if (uses_[f.value] == 1 && std::abs(f.exponent) == 1 && from_.is(f.value, DraftKind::Sum) &&
          to_.is(now.value(), DraftKind::Product)) {
        negative ^= now.negative();
        for (const Factor& inner : to_.factors(now.value()))
          joined_.push_back({inner.value, inner.exponent * f.exponent});
      } else {
        now_.append(f, negative, joined_);
      }
    }
    now_.set(id, to_.product(negative, joined_));
  }

  void factor_sum(ValueId id) {
    factors_.clear();
    std::vector<Term> terms = take_list();
    int products = 0;
    for (const Ref old : from_.refs(id)) {
      Term term{now_(old), static_cast<std::uint32_t>(factors_.size()), 0};
      // A term of an earlier stage costs nothing where it is.
      if (uses_[old.value()] == 1 && from_.stage(old.value()) == from_.stage(id) &&
          to_.is(term.value.value(), DraftKind::Product)) {
        const auto list = to_.factors(term.value.value());
        factors_.insert(factors_.end(), list.begin(), list.end());
        term.count = static_cast<std::uint32_t>(list.size());
        ++products;
      }
      terms.push_back(term);
    }
    budget_ = kEffort * factors_.size();
    now_.set(id, products < 2 ? plain_sum(terms) : factored(terms, 0));
    give_back(std::move(terms));
  }

  Ref plain_sum(const std::vector<Term>& terms) {
    refs_.clear();
    for (const Term& t : terms) refs_.push_back(t.value);
    return to_.sum(refs_);
  }

  /// The sum of `terms` with common factors taken out; the terms are used up.
  Ref factored(std::vector<Term>& terms, int depth) {
    while (depth < kMaxDepth) {
      Factor best{};
      if (!find_best(terms, best)) break;
      std::vector<Term> group = take_list();
      std::size_t kept = 0;
      for (const Term& t : terms) {
        if (find(t, best) != nullptr) {
          group.push_back(t);
        } else {
          terms[kept++] = t;
        }
      }
      terms.resize(kept);
      const Ref bracket = take_out(group, best, depth);
      give_back(std::move(group));
      terms.push_back({bracket, 0, 0});
    }
    return plain_sum(terms);
  }

  /// group = product of common factors * (sum of what remains). The factor list is copied before recursion.
  Ref take_out(std::vector<Term>& group, const Factor& best, int depth) {
    const std::size_t mark = common_.size();
    find_common(group, best);
    for (Term& t : group) reduce(t, mark);
    const Ref inner = factored(group, depth + 1);
    joined_.assign(common_.begin() + static_cast<std::ptrdiff_t>(mark), common_.end());
    common_.resize(mark);
    joined_.push_back({inner.value(), 1});
    return to_.product(inner.negative(), joined_);
  }

  /// The most valuable factor that at least two terms have. Works on counters that are zero before and after.
  bool find_best(const std::vector<Term>& terms, Factor& best) {
    counts_.resize(std::max(counts_.size(), 2 * to_.size() + 2), 0);
    std::uint32_t most = 1;
    for (const Term& t : terms)
      for (const Factor& f : list(t)) {
        const std::uint32_t count = ++counts_[key(f)];
        const std::uint32_t worth = count < 2 ? 0 : (count - 1) * (f.exponent < 0 ? kDivisionWeight : 1) + 1;
        if (worth > most || (worth == most && worth > 1 && to_.stage(f.value) > to_.stage(best.value))) {
          most = worth;
          best = f;
        }
      }
    std::size_t work = 0;
    for (const Term& t : terms) {
      for (const Factor& f : list(t)) counts_[key(f)] = 0;
      work += t.count;
    }
    if (work > budget_) return false;
    budget_ -= work;
    return most > 1;
  }

  /// Appends to common_ what can be taken out of every term of the group: all factors they share, or `best` alone if
  /// some term would be left with nothing.
  void find_common(const std::vector<Term>& group, const Factor& best) {
    const std::size_t mark = common_.size();
    for (const Factor& f : list(group.front())) {
      Factor shared = f;
      for (const Term& t : group) {
        const Factor* other = find(t, f);
        if (other == nullptr) {
          shared.exponent = 0;
          break;
        }
        if (std::abs(other->exponent) < std::abs(shared.exponent)) shared.exponent = other->exponent;
      }
      if (shared.exponent != 0) common_.push_back(shared);
    }
    for (const Term& t : group) {
      std::int64_t left = 0;
      for (const Factor& f : list(t)) left += std::abs(f.exponent);
      for (std::size_t i = mark; i < common_.size(); ++i) left -= std::abs(common_[i].exponent);
      if (left > 0 || best.exponent < 0) continue;
      common_.resize(mark);
      common_.push_back({best.value, 1});
      return;
    }
  }

  /// Divides a term by common_[mark...].
  void reduce(Term& term, std::size_t mark) {
    const auto first = static_cast<std::uint32_t>(factors_.size());
    for (std::uint32_t i = 0; i < term.count; ++i) {
      Factor f = factors_[term.first + i];
      for (std::size_t k = mark; k < common_.size(); ++k)
        if (common_[k].value == f.value) f.exponent -= common_[k].exponent;
      if (f.exponent != 0) factors_.push_back(f);
    }
    term.first = first;
    term.count = static_cast<std::uint32_t>(factors_.size()) - first;
    term.value = to_.product(term.value.negative(), list(term));
    if (term.count == 1 && list(term).front().exponent == 1) term.count = 0;
  }

  [[nodiscard]] std::span<const Factor> list(const Term& t) const { return {factors_.data() + t.first, t.count}; }

  /// The factor of `t` with the value of `wanted` on the same side of the fraction bar.
  [[nodiscard]] const Factor* find(const Term& t, const Factor& wanted) const {
    for (const Factor& f : list(t))
      if (f.value == wanted.value && (f.exponent < 0) == (wanted.exponent < 0)) return &f;
    return nullptr;
  }

  static std::size_t key(const Factor& f) { return 2 * std::size_t{f.value} + (f.exponent < 0 ? 1U : 0U); }

  // Lists of terms are used again, so that no sum allocates.
  std::vector<Term> take_list() {
    if (free_lists_.empty()) return {};
    std::vector<Term> list = std::move(free_lists_.back());
    free_lists_.pop_back();
    list.clear();
    return list;
  }
  void give_back(std::vector<Term>&& list) { free_lists_.push_back(std::move(list)); }

  const Draft& from_;
  Draft& to_;
  std::vector<std::uint32_t> uses_;
  Rewrite now_;
  std::vector<Factor> factors_;
  std::vector<Factor> common_;
  std::vector<Factor> joined_;
  std::vector<Ref> refs_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::vector<Term>> free_lists_;
  std::size_t budget_ = 0;
};

}  // namespace

bool factor_sums(const Draft& from, Draft& to) {
  FactorSums(from, to).run();
  return true;
}

}  // namespace kane

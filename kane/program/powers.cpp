#include "kane/program/powers.hpp"

#include <algorithm>
#include <cstdlib>

namespace kane {

namespace {

constexpr std::uint32_t kNone = 0xffffffffU;

/// The powers of one base that the program needs, as a linked list; `value` once computed.
struct Power {
  std::int32_t exponent;
  std::uint32_t uses;
  ValueId value;
  std::uint32_t next;
};

class PowerExpansion {
 public:
  PowerExpansion(const Draft& from, Draft& to)
      : from_(from), to_(to), uses_(count_uses(from)), first_(from.size(), kNone), now_(from, to) {}

  void run() {
    for (ValueId id = from_.input_count(); id < from_.size(); ++id)
      if (uses_[id] != 0 && from_.is(id, DraftKind::Product))
        for (const Factor& f : from_.factors(id)) note(f);
    for (ValueId id = from_.input_count(); id < from_.size(); ++id) {
      if (uses_[id] == 0) continue;
      if (from_.is(id, DraftKind::Product)) {
        expand(id);
      } else {
        now_.copy(id);
      }
    }
    now_.finish();
  }

 private:
  void note(const Factor& f) {
    const std::int32_t exponent = std::abs(f.exponent);
    if (exponent == 1) return;
    for (std::uint32_t p = first_[f.value]; p != kNone; p = powers_[p].next)
      if (powers_[p].exponent == exponent) {
        ++powers_[p].uses;
        return;
      }
    powers_.push_back({exponent, 1, kNone, first_[f.value]});
    first_[f.value] = static_cast<std::uint32_t>(powers_.size() - 1);
  }

  [[nodiscard]] bool is_only_here(const Factor& f) const {
    const Power& p = powers_[first_[f.value]];
    return p.next == kNone && p.uses == 1;
  }

  void expand(ValueId id) {
    factors_.clear();
    bool negative = false;
    for (const Factor& f : from_.factors(id)) {
      now_.append(f, negative, factors_);
      if (std::abs(f.exponent) == 1) continue;
      Factor& last = factors_.back();
      if (is_only_here(f) && join(f, id)) {
        factors_.pop_back();
      } else {
        last = {power(f.value, std::abs(f.exponent)), f.exponent > 0 ? 1 : -1};
      }
    }
    now_.set(id, to_.product(negative, factors_));
  }

  /// If other bases of the product have the same lonely exponent: the first of them multiplies all, raises once and
  /// stands for all; the others say true and are left out.
  bool join(const Factor& f, ValueId id) {
    joined_.clear();
    bool first = true;
    for (const Factor& other : from_.factors(id)) {
      if (other.exponent != f.exponent || !is_only_here(other) || from_.stage(other.value) != from_.stage(f.value))
        continue;
      if (joined_.empty() && other.value != f.value) first = false;
      joined_.push_back({now_(other.value).value(), 1});
    }
    if (joined_.size() < 2) return false;
    if (!first) return true;
    const ValueId base = to_.product(false, joined_).value();
    chain_.assign(1, {1, base});
    const ValueId raised = raise(std::abs(f.exponent));
    factors_.push_back({raised, f.exponent > 0 ? 1 : -1});
    std::swap(factors_[factors_.size() - 1], factors_[factors_.size() - 2]);
    return true;
  }

  /// Powers of a base, the whole chain on first use.
  ValueId power(ValueId base, std::int32_t exponent) {
    if (find(base, exponent).value == kNone) build_chain(base);
    return find(base, exponent).value;
  }

  Power& find(ValueId base, std::int32_t exponent) {
    std::uint32_t p = first_[base];
    while (powers_[p].exponent != exponent) p = powers_[p].next;
    return powers_[p];
  }

  void build_chain(ValueId base) {
    wanted_.clear();
    for (std::uint32_t p = first_[base]; p != kNone; p = powers_[p].next) wanted_.push_back(powers_[p].exponent);
    std::sort(wanted_.begin(), wanted_.end());
    chain_.assign(1, {1, now_(base).value()});
    for (const std::int32_t n : wanted_) find(base, n).value = raise(n);
  }

  struct Known {
    std::int32_t exponent;
    ValueId value;
  };

  using Chain = std::vector<Known>;  // exponents ascending, from 1

  [[nodiscard]] Chain::const_iterator at_least(std::int32_t exponent) const {
    return std::lower_bound(chain_.begin(), chain_.end(), exponent,
                            [](const Known& k, std::int32_t n) { return k.exponent < n; });
  }

  [[nodiscard]] const Known* known(std::int32_t exponent) const {
    const auto k = at_least(exponent);
    return k != chain_.end() && k->exponent == exponent ? &*k : nullptr;
  }

  /// The base of chain_ to the n: as a product of two known powers if there are such, else by halving.
  ValueId raise(std::int32_t n) {
    if (const Known* k = known(n)) return k->value;
    constexpr int kTries = 16;  // the largest known powers are the likeliest halves of a pair
    int tries = 0;
    for (auto k = at_least(n); k != chain_.begin() && tries < kTries; ++tries) {
      --k;
      if (const Known* rest = known(n - k->exponent)) return multiply(n, k->value, rest->value);
    }
    if (n % 2 == 0) {
      const ValueId half = raise(n / 2);
      return multiply(n, half, half);
    }
    const ValueId less = raise(n - 1);
    return multiply(n, less, chain_.front().value);
  }

  ValueId multiply(std::int32_t n, ValueId a, ValueId b) {
    const Factor pair[] = {{a, 1}, {b, 1}};
    const ValueId value = to_.product(false, pair).value();
    chain_.insert(at_least(n), {n, value});
    return value;
  }

  const Draft& from_;
  Draft& to_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::uint32_t> first_;  ///< of the powers of each base
  std::vector<Power> powers_;
  Rewrite now_;
  std::vector<Factor> factors_;
  std::vector<Factor> joined_;
  Chain chain_;
  std::vector<std::int32_t> wanted_;
};

}  // namespace

bool expand_powers(const Draft& from, Draft& to) {
  const auto has_power = [&](ValueId id) {
    const auto factors = from.factors(id);
    return std::any_of(factors.begin(), factors.end(), [](const Factor& f) { return std::abs(f.exponent) > 1; });
  };
  bool any = false;
  for (ValueId id = from.input_count(); id < from.size(); ++id) any |= from.is(id, DraftKind::Product) && has_power(id);
  if (any) PowerExpansion(from, to).run();
  return any;
}

}  // namespace kane

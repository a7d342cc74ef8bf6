#include "kane/program/powers.hpp"

#include <algorithm>
#include <cstdlib>

#include "kane/base/at.hpp"

namespace kane {

namespace {

constexpr ValueId kNotMade = 0xffffffffU;

bool before(const PlannedPower& a, const PlannedPower& b) {
  return a.base != b.base ? a.base < b.base : a.exponent < b.exponent;
}

bool same(const PlannedPower& a, const PlannedPower& b) { return a.base == b.base && a.exponent == b.exponent; }

}  // namespace

void plan_powers(Draft& draft, std::span<const std::uint32_t> uses) {
  std::vector<PlannedPower>& plan = draft.powers;
  plan.clear();
  for (const ValueId id : draft.products_with_powers()) {
    if (uses[id] == 0) continue;
    for (const Factor& f : draft.factors(id))
      if (f.exponent > 1 || f.exponent < -1) plan.push_back({f.value, std::abs(f.exponent), 1});
  }
  std::sort(plan.begin(), plan.end(), before);
  std::size_t kept = 0;
  for (const PlannedPower& p : plan) {
    if (kept > 0 && same(plan[kept - 1], p)) {
      ++plan[kept - 1].uses;
    } else {
      plan[kept++] = p;
    }
  }
  plan.resize(kept);
}

PowerChains::PowerChains(const Draft& draft) : plan_(draft.powers), values_(draft.powers.size(), kNotMade) {}

std::size_t PowerChains::find(ValueId base, std::int32_t n) const {
  const PlannedPower wanted{base, n, 0};
  const auto found = std::lower_bound(plan_.begin(), plan_.end(), wanted, before);
  return found != plan_.end() && same(*found, wanted) ? at(found - plan_.begin()) : plan_.size();
}

bool PowerChains::is_lonely(const Factor& f) const {
  const std::size_t i = find(f.value, std::abs(f.exponent));
  return i < plan_.size() && plan_[i].uses == 1 && (i == 0 || plan_[i - 1].base != f.value) &&
         (i + 1 == plan_.size() || plan_[i + 1].base != f.value);
}

ValueId PowerChains::raise(InstructionList& list, ValueId base, ValueId value, std::int32_t n) {
  if (n == 1) return value;
  const std::size_t i = find(base, n);
  if (i == plan_.size()) return raise_alone(list, value, n);
  if (values_[i] == kNotMade) {
    std::size_t first = i;
    while (first > 0 && plan_[first - 1].base == base) --first;
    build_chain(list, first, value);
  }
  return values_[i];
}

void PowerChains::build_chain(InstructionList& list, std::size_t first, ValueId value) {
  chain_.assign(1, {1, value});
  const ValueId base = plan_[first].base;
  for (std::size_t i = first; i < plan_.size() && plan_[i].base == base; ++i)
    values_[i] = extend(list, plan_[i].exponent);
}

std::vector<PowerChains::Known>::const_iterator PowerChains::at_least(std::int32_t exponent) const {
  return std::lower_bound(chain_.begin(), chain_.end(), exponent,
                          [](const Known& k, std::int32_t n) { return k.exponent < n; });
}

const PowerChains::Known* PowerChains::known(std::int32_t exponent) const {
  const auto k = at_least(exponent);
  return k != chain_.end() && k->exponent == exponent ? &*k : nullptr;
}

/// The base of chain_ to the n: as a product of two known powers if there are such, else by halving.
ValueId PowerChains::extend(InstructionList& list, std::int32_t n) {
  if (const Known* k = known(n)) return k->value;
  constexpr int kTries = 16;  // the largest known powers are the likeliest halves of a pair
  int tries = 0;
  for (auto k = at_least(n); k != chain_.begin() && tries < kTries; ++tries) {
    --k;
    if (const Known* rest = known(n - k->exponent)) return multiply(list, n, k->value, rest->value);
  }
  if (n % 2 == 0) {
    const ValueId half = extend(list, n / 2);
    return multiply(list, n, half, half);
  }
  const ValueId less = extend(list, n - 1);
  return multiply(list, n, less, chain_.front().value);
}

ValueId PowerChains::multiply(InstructionList& list, std::int32_t n, ValueId a, ValueId b) {
  const ValueId value = list.emit(Code::Mul, a, b);
  chain_.insert(at_least(n), {n, value});
  return value;
}

ValueId PowerChains::raise_alone(InstructionList& list, ValueId value, std::int32_t n) {
  if (n == 1) return value;
  const ValueId half = raise_alone(list, value, n / 2);
  const ValueId even = list.emit(Code::Mul, half, half);
  return n % 2 == 0 ? even : list.emit(Code::Mul, even, value);
}

}  // namespace kane

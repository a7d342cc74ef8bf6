#include "kane/program/reciprocals.hpp"

namespace kane {

bool share_reciprocals(const Draft& from, Draft& to) {
  const std::vector<std::uint32_t> uses = count_uses(from);
  std::vector<std::uint32_t> divisions(from.size(), 0);
  const auto divides = [&](const Factor& f, ValueId product) {
    return f.exponent < 0 && from.stage(f.value) == from.stage(product);
  };
  bool any = false;
  for (ValueId id = from.input_count(); id < from.size(); ++id)
    if (uses[id] != 0 && from.is(id, DraftKind::Product))
      for (const Factor& f : from.factors(id))
        if (divides(f, id)) any |= ++divisions[f.value] == 2;
  if (!any) return false;

  Rewrite now(from, to);
  std::vector<Factor> factors;
  for (ValueId id = from.input_count(); id < from.size(); ++id) {
    if (uses[id] == 0) continue;
    if (!from.is(id, DraftKind::Product)) {
      now.copy(id);
      continue;
    }
    factors.clear();
    bool negative = false;
    for (const Factor& f : from.factors(id)) {
      now.append(f, negative, factors);
      if (!divides(f, id) || divisions[f.value] < 2) continue;
      const Factor once{factors.back().value, -1};
      factors.back() = {to.product(false, {&once, 1}).value(), -f.exponent};
    }
    now.set(id, to.product(negative, factors));
  }
  now.finish();
  return true;
}

}  // namespace kane

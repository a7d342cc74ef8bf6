#include "kane/program/reciprocals.hpp"

namespace kane {

void share_reciprocals(Draft& draft) {
  const std::vector<std::uint32_t> uses = count_uses(draft);
  std::vector<std::uint8_t> divided(draft.size(), 0);
  bool any = false;
  for (ValueId id = draft.input_count(); id < draft.size(); ++id) {
    if (uses[id] == 0 || !draft.is(id, DraftKind::Product)) continue;
    for (const Factor& f : draft.factors(id)) {
      if (f.exponent >= 0 || draft.stage(f.value) != draft.stage(id)) continue;
      any |= divided[f.value] == 1;
      divided[f.value] = divided[f.value] == 0 ? 1 : 2;
    }
  }
  if (!any) return;
  for (std::uint8_t& d : divided) d = d == 2 ? 1 : 0;
  draft.shared_divisors = std::move(divided);
}

}  // namespace kane

#include "kane/program/reciprocals.hpp"

namespace kane {

// A product needs no separate division once the reciprocals of all its divisors are shared; x/(a b) and y/(a c) would
// gain nothing from 1/a alone. So a divisor counts for a product if it is the last one that is not shared, and sharing
// one may make others worth it.
void share_reciprocals(Draft& draft, std::span<const std::uint32_t> uses) {
  std::vector<std::uint8_t> shared(draft.size(), 0);
  std::vector<ValueId> quotients;
  for (const ValueId id : draft.products_with_powers()) {
    if (uses[id] == 0) continue;
    for (const Factor& f : draft.factors(id))
      if (f.exponent < 0 && draft.stage(f.value) == draft.stage(id)) {
        quotients.push_back(id);
        break;
      }
  }
  bool any = false;
  for (bool more = quotients.size() > 1; more;) {
    more = false;
    std::vector<std::uint8_t> last(draft.size(), 0);
    for (const ValueId id : quotients) {
      ValueId only = 0;
      int open = 0;
      for (const Factor& f : draft.factors(id)) {
        if (f.exponent >= 0 || draft.stage(f.value) != draft.stage(id) || shared[f.value] != 0) continue;
        only = f.value;
        ++open;
      }
      if (open != 1 || ++last[only] < 2) continue;
      shared[only] = 1;
      more = any = true;
    }
  }
  if (any) draft.shared_divisors = std::move(shared);
}

}  // namespace kane

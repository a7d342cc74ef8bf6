#include "kane/program/signs.hpp"

namespace kane {

namespace {

void want(std::vector<WantedSign>& signs, Ref r) {
  WantedSign& sign = signs[r.value()];
  const WantedSign wish = r.negative() ? WantedSign::Negative : WantedSign::Positive;
  sign = sign == WantedSign::Dead || sign == WantedSign::Any || sign == wish ? wish : WantedSign::Both;
}

void use(std::vector<WantedSign>& signs, ValueId id) {
  if (signs[id] == WantedSign::Dead) signs[id] = WantedSign::Any;
}

bool has_negative_term(const Draft& draft, ValueId sum) {
  for (const Ref r : draft.refs(sum))
    if (r.negative()) return true;
  return false;
}

/// A product passes the preference for its negative on to a sum that can satisfy it by exchanging plus and minus.
/// Products with factors of an earlier stage have a better place for the sign.
void pass_on(const Draft& draft, std::vector<WantedSign>& signs, ValueId product) {
  for (const Factor& f : draft.factors(product))
    if (draft.stage(f.value) < draft.stage(product)) return;
  for (const Factor& f : draft.factors(product)) {
    if ((f.exponent & 1) == 0 || !draft.is(f.value, DraftKind::Sum) || signs[f.value] != WantedSign::Any ||
        !has_negative_term(draft, f.value))
      continue;
    signs[f.value] = WantedSign::Negative;
    return;
  }
}

}  // namespace

std::vector<WantedSign> choose_signs(const Draft& draft) {
  std::vector<WantedSign> signs(draft.size(), WantedSign::Dead);
  for (const Ref r : draft.outputs) want(signs, r);
  for (auto id = static_cast<ValueId>(draft.size()); id-- > 0;) {
    if (signs[id] == WantedSign::Dead) continue;
    switch (draft.node(id).kind) {
      case DraftKind::Sum:
        for (const Ref r : draft.refs(id)) use(signs, r.value());
        if (signs[id] == WantedSign::Negative && !has_negative_term(draft, id)) signs[id] = WantedSign::Any;
        break;
      case DraftKind::Product:
        for (const Factor& f : draft.factors(id)) use(signs, f.value);
        if (signs[id] == WantedSign::Negative) pass_on(draft, signs, id);
        break;
      case DraftKind::Function:
        for (const Ref r : draft.refs(id)) want(signs, r);
        break;
      case DraftKind::Input:
      case DraftKind::Constant: break;
    }
  }
  return signs;
}

}  // namespace kane

#include "kane/program/trigonometry.hpp"

namespace kane {

bool share_trigonometry(const Draft& from, Draft& to) {
  const auto is_function = [&](ValueId id, Code code) {
    return from.is(id, DraftKind::Function) && from.node(id).code == code;
  };
  bool any = false;
  for (ValueId id = from.input_count(); id < from.size(); ++id) any |= is_function(id, Code::Tan);
  if (!any) return false;
  const std::vector<std::uint32_t> uses = count_uses(from);

  std::vector<std::uint8_t> on_circle(from.size(), 0);  // angles with a sine or cosine
  for (ValueId id = from.input_count(); id < from.size(); ++id)
    if (uses[id] != 0 && (is_function(id, Code::Sin) || is_function(id, Code::Cos)))
      on_circle[from.refs(id)[0].value()] = 1;

  Rewrite now(from, to);
  for (ValueId id = from.input_count(); id < from.size(); ++id) {
    if (uses[id] == 0) continue;
    if (!is_function(id, Code::Tan) || on_circle[from.refs(id)[0].value()] == 0) {
      now.copy(id);
      continue;
    }
    const Ref angle = now(from.refs(id)[0]);
    const Ref sine = to.function(Code::Sin, {&angle, 1});
    const Ref cosine = to.function(Code::Cos, {&angle, 1});
    const Factor factors[] = {{sine.value(), 1}, {cosine.value(), -1}};
    now.set(id, to.product(sine.negative() != cosine.negative(), factors));
  }
  now.finish();
  return true;
}

}  // namespace kane

#include "kane/program/dead_code.hpp"

#include "kane/program/reorder.hpp"

namespace kane {

void remove_dead_code(Program& p) {
  std::vector<std::uint8_t> live(p.value_count(), 0);
  for (const ProgramOutput& o : p.outputs) live[o.value] = 1;
  for (auto i = static_cast<std::uint32_t>(p.instructions.size()); i-- > 0;)
    if (live[p.first_temporary() + i] != 0) visit_values(p, p.instructions[i], [&](ValueId id) { live[id] = 1; });
  std::vector<std::uint32_t> order;
  order.reserve(p.instructions.size());
  for (std::uint32_t i = 0; i < p.instructions.size(); ++i)
    if (live[p.first_temporary() + i] != 0) order.push_back(i);
  reorder(p, order);
}

}  // namespace kane

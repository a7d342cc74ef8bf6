#include "kane/program/liveness.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "kane/program/reorder.hpp"

namespace kane {

Liveness calc_liveness(const Program& p, Stage stage, std::span<const std::uint32_t> order) {
  const std::uint32_t begin = p.stage_begin(stage);
  const std::uint32_t count = p.stage_end[static_cast<std::size_t>(stage)] - begin;
  const ValueId first = p.first_temporary() + begin;
  std::vector<std::uint32_t> last_use(count, 0);  // place + 1
  const auto local = [&](ValueId id) { return id >= first && id - first < count; };
  for (std::uint32_t place = 0; place < order.size(); ++place)
    visit_values(p, p.instructions[order[place]], [&](ValueId id) {
      if (local(id)) last_use[id - first] = place + 1;
    });
  // Outputs and values for later stages are stored as soon as they are known, so they need no register for long.
  Liveness result;
  std::uint32_t live = 0;
  std::vector<std::uint32_t> ends(order.size() + 1, 0);
  for (const std::uint32_t i : order) ++ends[last_use[i - begin]];
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    if (last_use[order[place] - begin] != 0) ++live;
    live -= ends[place + 1];
    result.max_live = std::max(result.max_live, live);
    if (live > kRegisters) result.pressure += live - kRegisters;
  }
  return result;
}

Liveness calc_liveness(const Program& p, Stage stage) {
  std::vector<std::uint32_t> order(p.stage_end[static_cast<std::size_t>(stage)] - p.stage_begin(stage));
  std::iota(order.begin(), order.end(), p.stage_begin(stage));
  return calc_liveness(p, stage, order);
}

}  // namespace kane

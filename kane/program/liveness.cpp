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
  const auto local = [&](ValueId id) { return id >= first && id - first < count; };
  Liveness result;
  std::vector<std::uint32_t> touched(count, 0);  // place + 1 of computation or last use
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    visit_values(p, p.instructions[order[place]], [&](ValueId id) {
      if (!local(id)) return;
      if (place + 1 - touched[id - first] > kFar) ++result.far_uses;
      touched[id - first] = place + 1;
    });
    touched[order[place] - begin] = place + 1;
  }
  // Outputs and values for later stages are stored as soon as they are known, so they need no register for long.
  std::vector<std::uint32_t> ends(order.size() + 1, 0);
  for (const std::uint32_t i : order) ++ends[touched[i - begin]];
  std::uint32_t live = 0;
  for (std::uint32_t place = 0; place < order.size(); ++place) {
    ++live;
    live -= ends[place + 1];
    result.max_live = std::max(result.max_live, live);
  }
  return result;
}

Liveness calc_liveness(const Program& p, Stage stage) {
  std::vector<std::uint32_t> order(p.stage_end[static_cast<std::size_t>(stage)] - p.stage_begin(stage));
  std::iota(order.begin(), order.end(), p.stage_begin(stage));
  return calc_liveness(p, stage, order);
}

}  // namespace kane

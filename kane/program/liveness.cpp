#include "kane/program/liveness.hpp"

#include <algorithm>
#include <vector>

#include "kane/program/reorder.hpp"

namespace kane {

Liveness calc_liveness(const Program& p, Stage stage) {
  const std::uint32_t begin = p.stage_begin(stage);
  const std::uint32_t count = p.stage_end[stage] - begin;
  const ValueId first = p.first_temporary() + begin;
  std::vector<std::uint32_t> last(count, 0);  // place + 1 of computation or last use
  for (std::uint32_t place = 0; place < count; ++place) {
    visit_values(p, p.instructions[begin + place], [&](ValueId id) {
      if (id >= first && id - first < count) last[id - first] = place + 1;
    });
    last[place] = place + 1;
  }
  // Outputs and values for later stages are stored as soon as they are known, so they need no register for long.
  std::vector<std::uint32_t> ends(count + 1, 0);
  for (const std::uint32_t place : last) ++ends[place];
  Liveness result;
  std::uint32_t live = 0;
  for (std::uint32_t place = 0; place < count; ++place) {
    ++live;
    live -= ends[place + 1];
    result.max_live = std::max(result.max_live, live);
  }
  return result;
}

}  // namespace kane

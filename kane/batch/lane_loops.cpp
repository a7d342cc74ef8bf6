#include "kane/batch/lane_loops_body.hpp"

namespace kane {

#if defined(__x86_64__)
[[nodiscard]] const LaneLoops& avx2_lane_loops(int lanes);    // lane_loops_avx2.cpp
[[nodiscard]] const LaneLoops& avx512_lane_loops(int lanes);  // lane_loops_avx512.cpp

const LaneLoops& best_lane_loops(int lanes) {
  if (lanes > 4 && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0)
    return avx512_lane_loops(lanes);
  return __builtin_cpu_supports("avx2") != 0 ? avx2_lane_loops(lanes) : loops_for(lanes);
}
#else
const LaneLoops& best_lane_loops(int lanes) { return loops_for(lanes); }
#endif

}  // namespace kane

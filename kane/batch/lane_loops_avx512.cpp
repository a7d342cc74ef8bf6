// The loops of lane_loops.hpp for processors with avx512.

#include "kane/batch/lane_loops_body.hpp"

namespace kane {

const LaneLoops& avx512_lane_loops(int lanes);
const LaneLoops& avx512_lane_loops(int lanes) { return loops_for(lanes); }

}  // namespace kane

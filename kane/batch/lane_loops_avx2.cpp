// The loops of lane_loops.hpp for processors with avx2.

#include "kane/batch/lane_loops_body.hpp"

namespace kane {

const LaneLoops& avx2_lane_loops(int lanes);
const LaneLoops& avx2_lane_loops(int lanes) { return loops_for(lanes); }

}  // namespace kane

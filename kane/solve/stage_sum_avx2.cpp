// Compiled with AVX2; only called where the processor has it (stage_sum.cpp).

#include "kane/solve/stage_sum_loops.hpp"

namespace kane {

const StageSums& avx2_stage_sums();
const StageSums& avx2_stage_sums() { return kSums; }

}  // namespace kane

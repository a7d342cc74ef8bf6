#include "kane/solve/stage_sum_loops.hpp"

namespace kane {

const StageSums& plain_stage_sums() { return kSums; }

#if defined(__x86_64__)
[[nodiscard]] const StageSums& avx2_stage_sums();  // stage_sum_avx2.cpp

const StageSums& best_stage_sums() { return __builtin_cpu_supports("avx2") != 0 ? avx2_stage_sums() : kSums; }
#else
const StageSums& best_stage_sums() { return kSums; }
#endif

}  // namespace kane

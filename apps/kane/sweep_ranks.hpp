#pragma once
// A sweep on several processes: rank 0 hands out blocks of cases, and writes what all others send back.
//
// A worker requests cases whenever it has less than a fifth of a second of work left, so that no rank waits for a slower one.
// Its messages are requests for a number of cases, and results; the answers are ranges of cases, an empty one at the end.

#include <functional>

#include "apps/mpi_ranks/mpi_ranks.hpp"
#include "kane/batch/executor.hpp"

namespace kane {

/// Whether this process is one of several, and not the first of them: work that one process does is none of its business.
[[nodiscard]] bool is_spare_rank();

/// The other processes of this job; null if there are none. Throws ModelError if they are there but cannot be reached.
[[nodiscard]] RankLink* find_ranks();

/// Rank 0: `on_results` gets results of all ranks; `stopping` ends the sweep early.
void lead_ranks(RankLink* link, const Sweep& sweep, BlockQueue& queue, unsigned threads,
                const std::function<void(std::vector<CaseResult>)>& on_results, const std::function<bool()>& stopping);
/// The others, until there is nothing left.
void follow_ranks(RankLink& link, const Sweep& sweep, unsigned threads);

}  // namespace kane

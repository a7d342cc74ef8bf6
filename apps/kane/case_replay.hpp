#pragma once
// Runs of a store once more, for the page of `kane results`: each as the data of a report page (plots and a moving 3-D picture).

#include "kane/batch/results_page.hpp"

namespace kane {

/// At most `most` runs: the extremes of each measure, then others evenly. Long runs are fewer (see the note in the answer).
/// A model that is gone or was changed gives no replays, and a note that says so.
[[nodiscard]] PageReplays make_replays(const StoreTable& table, std::size_t most);

}  // namespace kane

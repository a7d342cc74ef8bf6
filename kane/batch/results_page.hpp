#pragma once
// One page that shows the results of a sweep: parallel coordinates, histograms, scatter, tornado chart, response surface, Pareto
// front. It needs no other file and no network. A click on a case shows its values and the command that runs it again.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kane/batch/store_summary.hpp"

namespace kane {

/// The command that runs a case again and shows it.
[[nodiscard]] std::string replay_command(const StoreTable& table, std::size_t row);

/// Cases that the page draws; of larger stores every n-th is shown, and the page says so.
inline constexpr std::size_t kMostShownCases = 5000;

/// Runs that the page can replay: a click on one opens `frame` with its data in place of `mark`.
struct PageReplays {
  std::string frame{}, mark{};
  std::string shared = "[]";  ///< JSON list of texts; {"shared": i} in the data of a run means the i-th
  std::vector<std::pair<std::size_t, std::string>> runs{};  ///< row of the table, JSON that a script may contain
  std::string note{};                                       ///< why there are none
};

/// Series over the runs, and those of some runs.
struct PageSeries {
  SeriesBands bands{};                                  ///< at the probabilities of kPageBands
  std::map<std::uint64_t, std::vector<double>> runs{};  ///< by number, as read_series() gives them
};
inline constexpr double kPageBands[] = {0.05, 0.25, 0.5, 0.75, 0.95};
/// Those of a store; without series nothing. Some hundred runs evenly, and those that are replayed.
[[nodiscard]] PageSeries read_page_series(const std::string& file, const StoreTable& table, const PageReplays& replays);

/// The same store, replays and series give the same bytes.
[[nodiscard]] std::string make_results_page(const StoreTable& table, const std::string& title,
                                            const PageReplays& replays = {}, const PageSeries& series = {});

}  // namespace kane

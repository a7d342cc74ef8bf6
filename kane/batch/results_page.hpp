#pragma once
// One page that shows the results of a sweep: parallel coordinates, histograms, scatter, tornado chart, response surface, Pareto
// front. It needs no other file and no network. A click on a case shows its values and the command that runs it again.

#include <string>
#include <vector>

#include "kane/batch/store.hpp"

namespace kane {

/// The command that runs a case again and shows it.
[[nodiscard]] std::string replay_command(const StoreTable& table, std::size_t row);

/// Cases that the page draws; of larger stores every n-th is shown, and the page says so.
inline constexpr std::size_t kMostShownCases = 5000;

/// The same store gives the same bytes.
[[nodiscard]] std::string make_results_page(const StoreTable& table, const std::string& title);

}  // namespace kane

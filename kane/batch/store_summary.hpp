#pragma once
// What a store holds, in passes over its rows that need little memory however many there are: means, deviations and quantiles of
// the measures, and of the series at each time. Quantiles come from sketches (quantile_sketch.hpp) that see the runs in their order,
// so that the same results give the same numbers on any number of threads and ranks.

#include <string>
#include <utility>
#include <vector>

#include "kane/batch/statistics.hpp"

namespace kane {

struct StoreSummary {
  std::uint64_t runs = 0, failed = 0;
  std::vector<NumberSummary> measures;
  std::vector<std::vector<double>> quantiles;  ///< of each measure, at the probabilities; empty: no number is finite
};
[[nodiscard]] StoreSummary summarize_store(const std::string& file, const StudyIdentity& identity,
                                           std::span<const double> probabilities);

/// How a series is distributed over the runs, at each of its times.
struct SeriesBands {
  std::vector<double> t;
  std::vector<std::size_t> runs;                            ///< that have a value at each time
  std::vector<std::vector<double>> mean;                    ///< of each series, at each time
  std::vector<std::vector<std::vector<double>>> quantiles;  ///< of each series and probability, at each time
};
/// Times are those of the longest run, at most this many; runs are interpolated linearly, and count as far as they go.
inline constexpr std::size_t kMostBandTimes = 500;
[[nodiscard]] SeriesBands calc_series_bands(const std::string& file, const StudyIdentity& identity,
                                            std::span<const double> probabilities);

}  // namespace kane

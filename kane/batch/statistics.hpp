#pragma once
// Statistics of the results of a sweep. Numbers that are not finite (runs that failed, what never happened) are left out.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kane/batch/store.hpp"

namespace kane {

struct NumberSummary {
  std::size_t count = 0;  ///< number of finite values
  double mean = 0;
  double deviation = 0;  ///< standard deviation of the population, estimated from the sample (n - 1)
  double least = 0, most = 0;
};
[[nodiscard]] NumberSummary summarize(std::span<const double> numbers);

/// Quantiles of the finite numbers, linear between the sorted ones (the definition of numpy and R, type 7). Empty: none are finite.
[[nodiscard]] std::vector<double> calc_quantiles(std::span<const double> numbers,
                                                 std::span<const double> probabilities);

/// Pearson's; of the ranks: Spearman's. Not-a-number if one of them does not vary.
[[nodiscard]] double correlation(std::span<const double> a, std::span<const double> b);
[[nodiscard]] double rank_correlation(std::span<const double> a, std::span<const double> b);

/// Number of successes in independent trials: the share with its interval of confidence.
struct Proportion {
  std::size_t hits = 0, trials = 0;
  double share = 0, low = 0, high = 0;
};
/// E. B. Wilson, J. Am. Stat. Assoc. 22 (1927): good for small numbers of hits, zero included.
[[nodiscard]] Proportion calc_proportion(std::size_t hits, std::size_t trials, double confidence = 0.95);

/// The effect of one variable on one measure, with 95 % intervals by bootstrap.
struct SobolIndex {
  std::string variable;
  double first = 0,
         first_error = 0;  ///< share of the variance that this variable causes alone; half-width of the interval
  double total = 0, total_error = 0;  ///< with everything it takes part in
};
/// From a store sampled by `saltelli`. Throws ModelError if it is not, or has too few complete groups.
[[nodiscard]] std::vector<SobolIndex> calc_sobol_indices(const StoreTable& table, std::size_t measure);

/// Morris: mean, mean size and deviation of the elementary effects, the changes of the measure per change of a variable's
/// probability: for a uniform variable, per change by its whole range.
struct MorrisEffect {
  std::string variable;
  double mean = 0, mean_size = 0, deviation = 0;
  std::size_t paths = 0;
};
[[nodiscard]] std::vector<MorrisEffect> calc_morris_effects(const StoreTable& table, std::size_t measure);

/// Runs that no other surpasses in all goals. `larger[i]`: goal i is to be large.
[[nodiscard]] std::vector<std::size_t> find_pareto_front(const std::vector<std::span<const double>>& goals,
                                                         const std::vector<bool>& larger);

}  // namespace kane

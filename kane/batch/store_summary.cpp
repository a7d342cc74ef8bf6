#include "kane/batch/store_summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/batch/quantile_sketch.hpp"

namespace kane {

namespace {

/// Mean and deviation as numbers come (Welford's recurrence).
struct RunningNumbers {
  NumberSummary s{0, 0, 0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  double squares = 0;

  void add(double x) {
    if (!std::isfinite(x)) return;
    ++s.count;
    const double change = x - s.mean;
    s.mean += change / static_cast<double>(s.count);
    squares += change * (x - s.mean);
    s.least = std::min(s.least, x), s.most = std::max(s.most, x);
  }
  [[nodiscard]] NumberSummary summary() const {
    NumberSummary r = s;
    if (r.count == 0) r.mean = r.least = r.most = r.deviation = std::nan("");
    if (r.count > 1) r.deviation = std::sqrt(squares / static_cast<double>(r.count - 1));
    return r;
  }
};

std::vector<double> quantiles_of(QuantileSketch& sketch, std::span<const double> probabilities) {
  std::vector<double> list;
  if (!(sketch.weight() > 0)) return list;
  for (const double p : probabilities) list.push_back(sketch.quantile(p));
  return list;
}

/// The times of the run whose series is the longest.
std::vector<double> band_times(const std::string& file, std::size_t width) {
  std::vector<double> longest;
  read_series(file, [&](std::uint64_t, std::span<const double> samples) {
    if (samples.size() / width <= longest.size()) return;
    longest.clear();
    for (std::size_t i = 0; i < samples.size(); i += width) longest.push_back(samples[i]);
  });
  if (longest.size() <= kMostBandTimes) return longest;
  std::vector<double> some;
  for (std::size_t i = 0; i < kMostBandTimes; ++i)
    some.push_back(longest[i * (longest.size() - 1) / (kMostBandTimes - 1)]);
  return some;
}

}  // namespace

StoreSummary summarize_store(const std::string& file, const StudyIdentity& identity,
                             std::span<const double> probabilities) {
  StoreSummary summary;
  std::vector<RunningNumbers> numbers(identity.measures.size());
  std::vector<QuantileSketch> sketches(identity.measures.size());
  scan_store(file, [&](const StoreRow& row) {
    ++summary.runs;
    if (!row.ok) ++summary.failed;
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].add(row.measures[i]), sketches[i].add(row.measures[i]);
  });
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    summary.measures.push_back(numbers[i].summary());
    summary.quantiles.push_back(quantiles_of(sketches[i], probabilities));
  }
  return summary;
}

SeriesBands calc_series_bands(const std::string& file, const StudyIdentity& identity,
                              std::span<const double> probabilities) {
  SeriesBands bands;
  const std::size_t n = identity.series.size(), width = n + 1;
  if (n == 0) return bands;
  bands.t = band_times(file, width);
  const std::size_t times = bands.t.size();
  constexpr std::size_t kClusters = 64;
  std::vector<QuantileSketch> sketches(n * times, QuantileSketch(kClusters));
  std::vector<RunningNumbers> numbers(n * times);
  read_series(file, [&](std::uint64_t, std::span<const double> samples) {
    const std::size_t rows = samples.size() / width;
    std::size_t at = 0;  // the sample before the time
    for (std::size_t k = 0; k < times; ++k) {
      const double t = bands.t[k], slack = 1e-9 * (bands.t.back() - bands.t.front());
      if (t < samples[0] - slack || t > samples[(rows - 1) * width] + slack) continue;
      while (at + 2 < rows && samples[(at + 1) * width] <= t) ++at;
      const std::size_t next = std::min(at + 1, rows - 1);
      const double h = samples[next * width] - samples[at * width];
      const double s = h > 0 ? std::clamp((t - samples[at * width]) / h, 0.0, 1.0) : 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double a = samples[at * width + 1 + i], b = samples[next * width + 1 + i];
        const double x = s == 0 ? a : s == 1 ? b : a + s * (b - a);
        sketches[i * times + k].add(x), numbers[i * times + k].add(x);
      }
    }
  });
  bands.mean.assign(n, std::vector<double>(times)), bands.runs.resize(times);
  bands.quantiles.assign(n, std::vector<std::vector<double>>(probabilities.size(), std::vector<double>(times)));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < times; ++k) {
      bands.mean[i][k] = numbers[i * times + k].summary().mean;
      bands.runs[k] = std::max(bands.runs[k], numbers[i * times + k].s.count);
      for (std::size_t p = 0; p < probabilities.size(); ++p)
        bands.quantiles[i][p][k] = sketches[i * times + k].quantile(probabilities[p]);
    }
  return bands;
}

}  // namespace kane

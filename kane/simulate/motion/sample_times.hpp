#pragma once
// The instants at which a run shows samples: t0 + k step, or equal parts of the whole; the last one is the end itself.

#include <cmath>

#include "kane/base/error.hpp"

namespace kane {

class SampleTimes {
 public:
  /// `step` 0: `intervals` equal parts.
  SampleTimes(double begin, double end, double step, long intervals) : begin_(begin), end_(end), step_(step) {
    require(std::isfinite(end) && end > begin, "a run must end after it begins, but it goes from {} to {}", begin, end);
    require(step >= 0 && std::isfinite(step), "the time between samples must be positive, but {} was given", step);
    require(step > 0 || intervals > 0, "a run needs at least one interval between samples, not {}", intervals);
    constexpr double kMost = 1e9;
    const double parts = step > 0 ? (end - begin) / step : static_cast<double>(intervals);
    require(parts < kMost, "samples every {} s from {} to {} are {:.3g}; at most {:.0g} are written", step, begin, end,
            parts, kMost);
    // A last interval shorter than a millionth of the others is rounding.
    intervals_ = step > 0 ? static_cast<long>(std::ceil(parts - 1e-6)) : intervals;
    if (intervals_ < 1) intervals_ = 1;
  }

  /// Samples are 0 .. last().
  [[nodiscard]] long last() const { return intervals_; }
  [[nodiscard]] double time(long k) const {
    if (k >= intervals_) return end_;
    const auto x = static_cast<double>(k);
    return step_ > 0 ? begin_ + x * step_ : begin_ + (end_ - begin_) * x / static_cast<double>(intervals_);
  }
  /// Steps of this length, counted from the begin, hit every sample (but perhaps the last).
  [[nodiscard]] bool hit_by(double h) const {
    const double between = step_ > 0 ? step_ : (end_ - begin_) / static_cast<double>(intervals_);
    const double ratio = between / h, whole = std::round(ratio);
    return whole >= 1 && std::abs(ratio - whole) < 1e-9 * whole;
  }

 private:
  double begin_, end_, step_;
  long intervals_ = 1;
};

}  // namespace kane

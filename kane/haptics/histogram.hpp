#pragma once
// Times of many ticks in fixed memory: 512 classes per factor of two from 1 ns to about 17 s (0.2 % wide), so that quantiles
// are known to that accuracy; minimum and maximum are exact.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace kane {

class Histogram {
 public:
  void add(std::int64_t nanoseconds) {
    const auto x = static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0));
    ++counts_[index(x)];
    ++count_;
    sum_ += static_cast<double>(x);
    least_ = std::min(least_, x);
    largest_ = std::max(largest_, x);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double least() const { return count_ == 0 ? 0.0 : static_cast<double>(least_); }
  [[nodiscard]] double largest() const { return static_cast<double>(largest_); }
  [[nodiscard]] double mean() const { return count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_); }
  /// The quantile p of all ticks, ns.
  [[nodiscard]] double quantile(double p) const {
    const auto wanted = static_cast<std::uint64_t>(p * static_cast<double>(count_));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      seen += counts_[i];
      if (seen > wanted) return std::clamp(middle(i), least(), largest());
    }
    return largest();
  }

 private:
  static constexpr std::size_t kParts = 512, kShift = 9, kClasses = 27 * kParts;

  static std::size_t index(std::uint64_t x) {
    if (x < kParts) return x;
    const auto exponent = static_cast<std::size_t>(std::bit_width(x)) - 1 - kShift;
    return std::min(kClasses - 1, (exponent << kShift) + (x >> exponent));
  }
  static double middle(std::size_t i) {
    if (i < 2 * kParts) return static_cast<double>(i);
    const std::size_t exponent = (i >> kShift) - 1;
    return (static_cast<double>((i & (kParts - 1)) + kParts) + 0.5) * static_cast<double>(std::uint64_t{1} << exponent);
  }

  std::array<std::uint32_t, kClasses> counts_{};
  std::uint64_t count_ = 0, least_ = ~std::uint64_t{0}, largest_ = 0;
  double sum_ = 0;
};

}  // namespace kane

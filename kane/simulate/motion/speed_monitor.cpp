#include "kane/simulate/motion/speed_monitor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kane {

SpeedMonitor::SpeedMonitor(const SystemEvaluator& evaluator)
    : runner_(evaluator.system().extra().rates(), evaluator.context()),
      q_(runner_.present() ? evaluator.system().speed_count() * evaluator.system().speed_count() : 0),
      n_(evaluator.system().speed_count()) {}

/// Gauss' elimination with exchanges of rows: the signs of the pivots and of the exchanges.
int SpeedMonitor::calc_sign(const State& state) {
  std::ranges::copy(runner_.run(state.q, state.u), q_.begin());
  int sign = 1;
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  ratio_ = 0;
  for (std::size_t k = 0; k < n_; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n_; ++i)
      if (std::abs(q_[i * n_ + k]) > std::abs(q_[best * n_ + k])) best = i;
    const double pivot = q_[best * n_ + k];
    if (!std::isfinite(pivot) || pivot == 0) return 0;
    if (best != k) {
      std::swap_ranges(&q_[k * n_], &q_[k * n_] + n_, &q_[best * n_]);
      sign = -sign;
    }
    if (pivot < 0) sign = -sign;
    least = std::min(least, std::abs(pivot)), largest = std::max(largest, std::abs(pivot));
    for (std::size_t i = k + 1; i < n_; ++i) {
      const double factor = q_[i * n_ + k] / pivot;
      for (std::size_t j = k + 1; j < n_; ++j) q_[i * n_ + j] -= factor * q_[k * n_ + j];
    }
  }
  ratio_ = least / largest;
  most_ratio_ = std::max(most_ratio_, ratio_);
  return sign;
}

}  // namespace kane

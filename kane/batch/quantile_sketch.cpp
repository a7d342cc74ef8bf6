#include "kane/batch/quantile_sketch.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

#include "kane/base/error.hpp"

namespace kane {

namespace {
constexpr std::size_t kBufferPerCluster = 4;
}

QuantileSketch::QuantileSketch(std::size_t clusters)
    : clusters_wanted_(static_cast<double>(clusters)), capacity_(kBufferPerCluster * clusters) {
  require(clusters >= 8, "a sketch of quantiles needs at least 8 clusters, not {}", clusters);
  waiting_.reserve(capacity_ + clusters);
  merged_.reserve(capacity_ + 2 * clusters);
  clusters_.reserve(capacity_ + 2 * clusters);
  clear();
}

void QuantileSketch::clear() {
  clusters_.clear(), waiting_.clear();
  weight_ = waiting_weight_ = 0;
  least_ = std::numeric_limits<double>::infinity(), most_ = -least_;
}

void QuantileSketch::add(double x, double weight) {
  if (!std::isfinite(x) || !(weight > 0)) return;
  waiting_.push_back({x, weight});
  waiting_weight_ += weight;
  least_ = std::min(least_, x), most_ = std::max(most_, x);
  if (waiting_.size() >= capacity_) merge();
}

void QuantileSketch::merge() {
  if (waiting_.empty()) return;
  std::sort(waiting_.begin(), waiting_.end(), [](const Cluster& a, const Cluster& b) { return a.mean < b.mean; });
  merged_.clear();
  const auto less = [](const Cluster& a, const Cluster& b) { return a.mean < b.mean; };
  std::merge(clusters_.begin(), clusters_.end(), waiting_.begin(), waiting_.end(), std::back_inserter(merged_), less);
  weight_ += waiting_weight_;
  waiting_weight_ = 0;
  waiting_.clear();
  clusters_.clear();
  if (static_cast<double>(merged_.size()) <= clusters_wanted_) {  // few enough to be kept as they are
    clusters_.swap(merged_);
    return;
  }
  // The largest q of a cluster that begins at q0: k(q) = k(q0) + 1.
  const double scale = clusters_wanted_ / (2 * std::numbers::pi);
  const auto limit = [&](double q0) {
    const double k = scale * std::asin(std::clamp(2 * q0 - 1, -1.0, 1.0)) + 1;
    return k >= 0.25 * clusters_wanted_ ? 1.0 : 0.5 * (std::sin(k / scale) + 1);
  };
  double before = 0;  // weight of finished clusters
  double most = limit(0) * weight_;
  Cluster open = merged_.front();
  for (std::size_t i = 1; i < merged_.size(); ++i) {
    const Cluster& next = merged_[i];
    if (before + open.weight + next.weight <= most) {
      open.weight += next.weight;
      open.mean += (next.mean - open.mean) * next.weight / open.weight;
      continue;
    }
    clusters_.push_back(open);
    before += open.weight;
    most = limit(before / weight_) * weight_;
    open = next;
  }
  clusters_.push_back(open);
}

double QuantileSketch::quantile(double p) {
  merge();
  if (clusters_.empty()) return std::numeric_limits<double>::quiet_NaN();
  const double place = std::clamp(p, 0.0, 1.0) * weight_;
  // Each cluster's mean stands where half of its weight is passed; the ends are the least and the largest number.
  double before = 0, x0 = least_, w0 = 0;
  for (const Cluster& c : clusters_) {
    const double middle = before + 0.5 * c.weight;
    if (place <= middle) return middle > w0 ? x0 + (c.mean - x0) * (place - w0) / (middle - w0) : c.mean;
    x0 = c.mean, w0 = middle;
    before += c.weight;
  }
  return weight_ > w0 ? x0 + (most_ - x0) * std::min(1.0, (place - w0) / (weight_ - w0)) : most_;
}

}  // namespace kane

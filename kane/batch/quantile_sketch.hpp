#pragma once
// Quantiles of a stream of weighted numbers in a fixed amount of memory.
//
// T. Dunning, O. Ertl, "Computing extremely accurate quantiles using t-digests" (2019), the merging variant: numbers wait in a
// buffer; a full buffer is sorted and merged with the clusters there are. With Q(x) the share of the weight below x, clusters
// are merged as long as
//
//     k(q) = d/(2 pi) asin(2 q - 1)
//
// grows by no more than 1 over each, so that clusters are small where quantiles are steep, at both ends. The share of the weight
// below an answer is wrong by about sqrt(q (1 - q))/d at most; as long as there are fewer numbers than clusters it is exact.
// The same numbers in the same order give the same bits.

#include <cstddef>
#include <vector>

namespace kane {

class QuantileSketch {
 public:
  /// `clusters`: d. Memory is taken here, and not later.
  explicit QuantileSketch(std::size_t clusters = 256);

  void clear();
  /// Numbers that are not finite, and weights that are not positive, are left out.
  void add(double x, double weight = 1);
  [[nodiscard]] double weight() const { return weight_ + waiting_weight_; }
  /// The number that the share p of the weight is below; linear between the middles of clusters. Not-a-number if empty.
  [[nodiscard]] double quantile(double p);

 private:
  struct Cluster {
    double mean, weight;
  };
  void merge();

  double clusters_wanted_;
  std::size_t capacity_;
  std::vector<Cluster> clusters_, waiting_, merged_;
  double weight_ = 0, waiting_weight_ = 0, least_ = 0, most_ = 0;
};

}  // namespace kane

#pragma once
// Cholesky's factors of a symmetric positive definite matrix of blocks, most of which are zero: bodies that touch each other
// are coupled, others not. Nodes are eliminated in the order of least degree (Tinney and Walker 1967), so that a stack of n
// boxes takes n small factorisations. The pattern is analysed once and used for any number of matrices.

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kane {

class BlockCholesky {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  /// `sizes` of the nodes, and the pairs of different nodes that are coupled (each once).
  void analyse(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs);
  /// Multiplications of one factorisation.
  [[nodiscard]] double cost() const { return cost_; }

  /// Sets all numbers to zero.
  void clear();
  /// The block of a node, row by row, symmetric.
  [[nodiscard]] double* diagonal(std::size_t node) { return values_.data() + columns_[place_[node]].at; }
  /// The block of the k-th pair: rows of its first node and columns of its second one, or the other way round.
  struct Entry {
    double* values;
    bool transposed;
  };
  [[nodiscard]] Entry entry(std::size_t k) { return {values_.data() + entries_[k].at, entries_[k].transposed}; }

  /// False: not positive definite.
  [[nodiscard]] bool factor();
  /// x becomes A^-1 x; nodes one after the other, in their own order.
  void solve(std::span<double> x) const;

 private:
  struct Column {
    std::uint32_t node = 0, size = 0;
    std::size_t at = 0;                ///< of the diagonal block
    std::size_t first = 0, count = 0;  ///< below_: the blocks under it
    std::size_t targets = 0;           ///< first of its updates
  };
  struct Below {
    std::uint32_t place = 0;
    std::size_t at = 0;
  };
  struct Stored {
    std::size_t at;
    bool transposed;
  };

  void find_order(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs);
  void lay_out(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs);
  [[nodiscard]] std::size_t block_at(std::size_t row, std::size_t column) const;

  double cost_ = 0;
  std::vector<std::uint32_t> place_;  ///< in the order of elimination
  std::vector<std::uint32_t> order_;
  std::vector<std::vector<std::uint32_t>> neighbours_, below_nodes_;
  std::vector<Column> columns_;
  std::vector<Below> below_;
  std::vector<std::size_t> targets_, start_;
  std::vector<Stored> entries_;
  std::vector<double> values_;
};

}  // namespace kane

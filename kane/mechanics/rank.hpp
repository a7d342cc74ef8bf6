#pragma once
// The generic rank of a matrix of expressions, found without building a single node: the fingerprints of the entries
// are values in a field, so elimination is done on those.

#include <span>
#include <vector>

#include "kane/mechanics/equations.hpp"

namespace kane {

struct RankReport {
  struct Pivot {
    int row;
    int column;
  };
  std::vector<Pivot> pivots;  ///< in the order of elimination
  /// A row that is a combination of others: itself first, then the rows it depends on.
  std::vector<std::vector<int>> dependencies;
  [[nodiscard]] int rank() const { return static_cast<int>(pivots.size()); }
};

/// Pivots are taken where entries are cheap and rows and columns sparse. If `columns` is given, only those are used.
[[nodiscard]] RankReport find_rank(const ExprMatrix& a, std::span<const int> columns = {});

}  // namespace kane

#pragma once
// The generic rank of a matrix of expressions, found without building a single node: the fingerprints of the entries
// are values in a field, so elimination is done on those.

#include <cstdint>
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

/// Exact: a coefficient that is zero but for the rounding of decimals counts. Rounded: it does not, and pivots that are
/// small (magnitudes.hpp) are avoided; two axes that a model file makes parallel to sixteen digits are then parallel.
enum class Rank : std::uint8_t { Exact, Rounded };

/// Pivots are taken where entries are cheap and rows and columns sparse. If `columns` is given, only those are used.
[[nodiscard]] RankReport find_rank(const ExprMatrix& a, std::span<const int> columns = {}, Rank kind = Rank::Exact);

}  // namespace kane

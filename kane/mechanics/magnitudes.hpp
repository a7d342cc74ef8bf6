#pragma once
// How large the entries of a matrix of expressions are: its values at a few random places, carried along with an
// elimination in symbols. Placements written in decimals leave entries that are zero but for rounding (the axes of two
// frames are orthogonal to sixteen digits, not exactly). Such an entry is a correct pivot and a useless one: all digits
// are lost where the rest is divided by it.

#include <span>
#include <vector>

#include "kane/base/at.hpp"
#include "kane/mechanics/equations.hpp"

namespace kane {

/// A pivot whose weight is less than this is taken only if there is no other.
inline constexpr double kSmallPivot = 1e-4;

class Magnitudes {
 public:
  explicit Magnitudes(const ExprMatrix& a);

  /// Size of the entry relative to the largest that is left in its row or in its column, whichever is smaller; the
  /// smallest over all places. 1 is best. Rows and columns are brought to a common scale first, so units do not matter.
  [[nodiscard]] double weight(int row, int column) const;
  /// Zero but for rounding, at every place.
  [[nodiscard]] bool negligible(int row, int column) const;
  /// Subtracts multiples of the row from all others that are left, and takes row and column out.
  void eliminate(int row, int column);

 private:
  struct Place {
    std::vector<double> values;       // row by row, scaled
    std::vector<double> row, column;  // largest entries that are left
  };
  [[nodiscard]] std::size_t place(int r, int c) const { return at(r) * at(columns_) + at(c); }
  void scale(Place& p) const;
  void find_largest(Place& p) const;
  void find_largest_again(Place& p, std::span<const int> rows, std::span<const int> columns) const;

  int rows_;
  int columns_;
  std::vector<Place> places_;
  std::vector<bool> row_left_, column_left_;
};

}  // namespace kane

#pragma once
// A basis of the columns of a matrix in which some columns are wanted more than others: the choice of the unknowns that
// equations are solved for. Gram and Schmidt's process, the most willing columns first; the greedy choice is the best one
// because independent columns form a matroid.

#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane {

/// Flags of the columns in the basis. A column of class 0 is preferred to all of class 1, and so on; in class 0 the longest
/// remainder comes first, in the others the last column. `tolerance`: remainders shorter than this, relative to the
/// column, count as zero. Rows are scaled to equal size first.
[[nodiscard]] std::vector<bool> choose_basis(ConstMatrixView a, std::span<const int> classes, double tolerance = 1e-7);

}  // namespace kane

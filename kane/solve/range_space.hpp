#pragma once
// Accelerations of a tree with loops, without the dense matrices of an embedding (embed.hpp). The mass matrix of a tree is
// factored without fill-in, M = L^T L (branch_sparse.hpp), and the constraints see it through few speeds each:
//
//     Y = A L^-1,   W = Y Y^T = A M^-1 A^T,   W lambda = gamma - A M^-1 rhs,   udot = M^-1 (rhs + A^T lambda)
//
// (Featherstone, Rigid Body Dynamics Algorithms, section 8.2; Baraff, Linear-time dynamics using Lagrange multipliers, 1996).
// Row i of Y has entries at the speeds of row i of A and of their ancestors, so W has entries where two loops have a common
// ancestor; its factors keep the envelope of W (row_gram.hpp). The accelerations are those of the embedding:
// both are the solution of M udot = rhs + A^T lambda, A udot = gamma. W squares the condition of Y; one step of refinement,
// gamma - A udot put in once more, brings the constraints back to rounding. Where M or W are not clearly regular
// factor() says so, and the embedding, which needs neither, is used.

#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"
#include "kane/solve/row_gram.hpp"

namespace kane {

/// Parents (branch_sparse.hpp) for a symmetric matrix with entries at these places (row > column) and on its diagonal,
/// eliminated from the last row to the first: the parent of a row is the largest column that is left in it.
[[nodiscard]] std::vector<int> find_parents(std::size_t size, std::span<const std::pair<int, int>> places);

class RangeSpace {
 public:
  RangeSpace(std::vector<int> parent, std::size_t max_rows);

  /// Rows of A that are kept, rows that follow from them, and the columns of all rows.
  void set_rows(std::span<const int> kept, std::span<const int> dropped, std::span<const std::span<const int>> places);
  /// Products of numbers that factor() takes, about.
  [[nodiscard]] double work() const { return tree_work_ + y_.work(); }

  /// Factors M (both triangles are there) and W. False if they are not clearly regular, or if a dropped row does not follow from
  /// the others.
  [[nodiscard]] bool factor(ConstMatrixView m, ConstMatrixView a);
  /// udot and multipliers (one for each row of A; those of dropped rows are zero). gamma: one for each row, or empty.
  void solve(std::span<const double> rhs, std::span<const double> gamma, std::span<double> udot,
             std::span<double> lambda);
  /// u becomes the u+ nearest to it in kinetic energy with A u+ + b = 0.
  void impose(std::span<const double> b, std::span<double> u);

 private:
  [[nodiscard]] bool check_dropped(ConstMatrixView a);
  /// x += M^-1 A^T W^-1 r; lambda gets W^-1 r added. r is overwritten.
  void correct(std::span<double> r, std::span<double> x, std::span<double> lambda);

  std::vector<int> parent_;
  std::size_t n_, max_rows_;
  double tree_work_ = 0;
  std::vector<int> kept_, dropped_;
  RowGram a_, y_;  ///< kept rows of A, and of A L^-1
  Matrix l_;
  std::vector<int> closed_;         ///< places of the rows of Y
  std::vector<std::size_t> begin_;  ///< of each row in closed_
  std::vector<std::span<const int>> lists_;
  std::vector<char> marked_;
  std::vector<double> z_, r_, row_;
};

}  // namespace kane

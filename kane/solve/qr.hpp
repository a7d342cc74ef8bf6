#pragma once
// Rank-revealing orthogonal factorisation A P = Q R by Householder reflections with column pivoting, least squares and
// minimum-norm solutions of systems that may be rank deficient. Golub and Van Loan, Matrix Computations (4th ed.),
// algorithms 5.4.1 (pivoting) and section 5.4.7 (complete orthogonal factorisation).

#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane {

/// Choice of the next pivot column. `weight` multiplies the norms of the remaining columns (empty = all 1).
/// The first of all columns whose weighted norm is at least `threshold` times the largest is taken: 1 is the textbook
/// rule, a smaller number prefers earlier columns.
struct PivotRule {
  std::span<const double> weight = {};
  double threshold = 1;
};

class PivotedQr {
 public:
  PivotedQr(std::size_t max_rows, std::size_t max_columns);

  /// Where to write the m x n matrix, column by column (entry (i, j) at [j * m + i]); then call factor().
  [[nodiscard]] double* prepare(std::size_t rows, std::size_t columns);
  /// Factors what was written. The rank is the number of pivots above `tolerance` times the largest column norm.
  void factor(double tolerance, const PivotRule& rule = {});
  void factor(ConstMatrixView a, double tolerance, const PivotRule& rule = {});
  void factor_transposed(ConstMatrixView a, double tolerance, const PivotRule& rule = {});

  [[nodiscard]] std::size_t rows() const { return m_; }
  [[nodiscard]] std::size_t columns() const { return n_; }
  [[nodiscard]] std::size_t rank() const { return rank_; }
  /// Column k of A P is column permutation()[k] of A.
  [[nodiscard]] std::span<const int> permutation() const { return {permutation_.data(), n_}; }
  /// Entry of R, for i <= j and i < rank.
  [[nodiscard]] double r(std::size_t i, std::size_t j) const { return a_[j * m_ + i]; }
  /// Norm of the largest remaining column when the factorisation stopped, relative to the largest at the start: the
  /// size of the dropped part (0 for full rank).
  [[nodiscard]] double dropped() const { return dropped_; }
  /// Largest over smallest pivot kept: a cheap lower bound of the condition number.
  [[nodiscard]] double pivot_spread() const;

  void apply_q_transposed(std::span<double> b) const;  ///< b (m numbers) becomes Q^T b
  void apply_q(std::span<double> b) const;             ///< b (m numbers) becomes Q b
  /// Writes the first `rank` columns of Q: an orthonormal basis of the range of A, column by column (m each).
  void calc_basis(std::span<double> basis) const;

  /// x = x that minimises |A x - b| with zeros in the columns beyond the rank. b is overwritten by Q^T b.
  void solve_basic(std::span<double> b, std::span<double> x) const;
  /// x = the shortest of all x that minimise |A x - b|. b is overwritten.
  void solve_minimum_norm(std::span<double> b, std::span<double> x);

 private:
  void choose_pivot(std::size_t k, const PivotRule& rule);
  void reflect(std::size_t k);
  void downdate_norms(std::size_t k);
  void factor_from_right();

  std::size_t max_rows_, max_columns_;
  std::size_t m_ = 0, n_ = 0, rank_ = 0;
  double dropped_ = 0;
  bool complete_ = false;             ///< the rows of R were reduced to triangular form from the right
  std::vector<double> a_;             ///< R above, reflectors below the diagonal, column by column
  std::vector<double> tau_;           ///< reflection k is 1 - tau v v^T with v_k = 1
  std::vector<double> norm_, exact_;  ///< norms of the remaining columns, downdated, and as last computed
  std::vector<double> t_;             ///< rank x n, row by row: T | reflectors from the right
  std::vector<double> tau_right_;
  std::vector<double> z_;
  std::vector<int> permutation_;
};

}  // namespace kane

#pragma once
// Choosing independent speeds. m constraints A u + b = 0 on n speeds u; Gillespie, Kane's equations for haptic display
// of multibody systems, section 4, block 2, after Reckdahl: build an orthonormal basis V of the row space of A (its
// size is the number of independent constraints), and read the dependent speeds off V.
//
// Here the basis comes from a pivoted orthogonal factorisation of A^T with rows scaled to length one (units of the rows
// do not matter), which also shows which rows are redundant. With u = (u_i, u_d) and V^T = (V_i^T, V_d^T),
//
//     u_d = D u_i + E,     D = -A_d^-1 A_i = -(V_d^T)^-1 V_i^T                                  (Gillespie, eq. 5)
//
// so the smaller |V_d^-1|, the better the choice (|V_d| <= 1, so that bounds its condition number). The columns of V^T
// are pivoted, then exchanged as long as some |D_ij| > 2, since exchanging speeds i and j multiplies |det V_d| by
// |D_ij| (Gu and Eisenstat, 1996); afterwards |V_d^-1| is bounded by a modest function of the size alone.

#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"
#include "kane/solve/qr.hpp"

namespace kane {

struct IndependentOptions {
  /// A row is redundant if the part of it that is not a combination of the others is below this fraction. Larger than
  /// the error to which configuration constraints hold (rows of redundant loops agree only on the constraint surface).
  double rank_tolerance = 1e-9;
  /// Rows of redundant loops disagree by the error of the configuration, and that is the error of phi divided by how
  /// independent the rows still are. So what is left of a row is noise if its product with what was left of the row
  /// before is below this (some hundred times the error of phi).
  double noise_product = 1e-11;
  /// Preferred dependent speeds are taken as they are if the condition number of their block is below this.
  double preferred_condition = 1e4;
  /// update() keeps the current choice while the condition number of its block is below this ...
  double keep_condition = 100;
  /// ... and above it, until another choice is better by this factor (to avoid switching back and forth).
  double gain = 4;
};

struct IndependentReport {
  bool finite = true;  ///< false: A holds an infinity or a NaN, and the previous choice stands
  int rank = 0;
  bool changed = false;         ///< the dependent speeds or the kept rows have changed
  bool preferred_kept = false;  ///< the preferred speeds became the dependent ones, all of them
  /// |V_d^-1|_F, between 1/s and sqrt(rank)/s with s the smallest singular value of V_d: bounds the condition number of
  /// the block (|V_d| <= 1), and how much larger than the independent speeds the dependent ones can be.
  double condition = 1;
  /// How independent the least independent row kept is of those before it (1 = orthogonal, 0 = redundant).
  double smallest_row = 1;
  /// The same for what was dropped: rounding size for true redundancy. Near rank_tolerance: close to a singularity.
  double largest_dropped = 0;
};

class IndependentSpeeds {
 public:
  IndependentSpeeds(std::size_t max_rows, std::size_t speeds, IndependentOptions options = {});

  /// Chooses anew. `scale` (one positive number per speed, or empty): typical sizes of the speeds, so that metres and
  /// radians can be compared. `preferred`: speeds the user wants to be dependent.
  const IndependentReport& choose(ConstMatrixView a, std::span<const double> scale = {},
                                  std::span<const int> preferred = {});
  /// The same, but stays with the current choice unless its block has become ill conditioned or the rank has changed.
  const IndependentReport& update(ConstMatrixView a, std::span<const double> scale = {},
                                  std::span<const int> preferred = {});

  /// No more rows than this are kept from now on (off the constraint surface redundant rows disagree and would all seem
  /// independent).
  void set_most_rank(std::size_t rank) { most_rank_ = rank; }

  [[nodiscard]] const IndependentReport& report() const { return report_; }
  [[nodiscard]] std::size_t speeds() const { return n_; }
  [[nodiscard]] std::span<const int> dependent() const { return dependent_; }      ///< ascending
  [[nodiscard]] std::span<const int> independent() const { return independent_; }  ///< ascending
  [[nodiscard]] std::span<const int> kept_rows() const { return kept_rows_; }      ///< ascending, `rank` of them
  [[nodiscard]] std::span<const int> redundant_rows() const { return redundant_rows_; }

 private:
  bool find_row_space(ConstMatrixView a, std::span<const double> scale);
  void scale_rows(ConstMatrixView a, std::span<const double> scale);
  [[nodiscard]] std::size_t find_rank() const;
  void load_current();
  const IndependentReport& finish(std::span<const int> preferred);
  double calc_block(std::span<const int> order);
  double choose_columns(std::span<const int> preferred);
  bool swap_worst(std::span<const int> preferred);
  bool try_preferred(std::span<const int> preferred);
  void accept(double condition);

  std::size_t max_rows_, n_, most_rank_;
  IndependentOptions options_;
  PivotedQr row_qr_;     ///< factors of the scaled A^T: n x m
  PivotedQr column_qr_;  ///< factors of V^T: rank x n
  std::vector<double> basis_, weight_, inverse_, d_;
  std::vector<double> length_;      ///< greatest length of each row since choose()
  std::vector<int> order_, trial_;  ///< a permutation of the speeds: dependent ones first
  std::vector<int> dependent_, independent_, kept_rows_, redundant_rows_, previous_;
  IndependentReport report_;
};

}  // namespace kane

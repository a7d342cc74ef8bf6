#pragma once
// The Gram matrix G = Y Y^T of rows that have few entries each, at known places, and its factors G = L L^T. Rows of constraint
// matrices are such: a loop touches the joints around it and no others. Rows are sorted so that those which overlap are near to
// each other; a row of L then begins where the row of G does (George and Liu, Computer Solution of Large Sparse Positive
// Definite Systems, section 4.2: envelope method), so that a chain of loops costs as many operations as it has loops.
//
// With G, the shortest solution of Y x = r is x = Y^T G^-1 r, and how much of a row is independent of those before it shows
// in the pivots: L_ii^2 / G_ii is the square of the sine of the angle between the row and their span. Since that is a square,
// rows that are nearer than about 1e-6 to the others should be judged by an orthogonal factorisation (qr.hpp) instead.

#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane {

struct GramReport {
  bool finite = true;
  double least = 1;            ///< smallest pivot kept, as a part of the diagonal entry before elimination
  double smallest = 1;         ///< smallest pivot kept, as it is
  double largest_dropped = 0;  ///< largest pivot dropped, as a part of the diagonal entry
  std::size_t rank = 0;        ///< rows kept

  /// Every row is clearly independent of the others, or clearly follows from them.
  [[nodiscard]] bool clear(double independent = 1e-7, double rounding = 1e-12) const {
    return finite && least > independent && largest_dropped < rounding;
  }
};

class RowGram {
 public:
  RowGram() : RowGram(0, 0) {}
  RowGram(std::size_t max_rows, std::size_t columns);

  /// The columns at which each row has entries, ascending.
  void set_places(std::span<const std::span<const int>> places);
  /// The same, as the entries of `a` that are not zero; their values are taken as well.
  void take(ConstMatrixView a);

  [[nodiscard]] std::size_t capacity() const { return max_rows_; }
  [[nodiscard]] std::size_t size() const { return m_; }
  [[nodiscard]] std::span<const int> places(std::size_t row) const {
    return {places_.data() + begin_[row], begin_[row + 1] - begin_[row]};
  }
  /// The rows Y, to be filled at their places; other entries are zero and stay so.
  [[nodiscard]] MatrixView rows() { return y_.packed(m_, n_); }
  /// Copies the entries of `a`, row by row.
  void load(ConstMatrixView a);
  [[nodiscard]] double dot_row(std::size_t row, std::span<const double> x) const;
  /// x += factor times the row.
  void add_row(std::size_t row, double factor, std::span<double> x) const;
  /// Products of numbers that factor() and what comes before take, about.
  [[nodiscard]] double work() const;

  /// Factors Y Y^T + shift. Rows whose pivot is below `drop` of their diagonal entry are left out: solve() gives zero there.
  GramReport factor(double drop = 0, double shift = 0);
  /// b becomes G^-1 b.
  void solve(std::span<double> b);
  /// x = Y^T G^-1 b; b is overwritten.
  void solve_shortest(std::span<double> b, std::span<double> x);

 private:
  void sort_rows();
  void find_envelope();
  [[nodiscard]] double product(std::size_t a, std::size_t b) const;

  std::size_t max_rows_, n_, m_ = 0;
  std::vector<int> places_;
  std::vector<std::size_t> begin_;  ///< of each row in places_
  Matrix y_;
  std::vector<int> order_;          ///< rows in the order of elimination
  std::vector<std::size_t> first_;  ///< by position: the first position that overlaps
  std::vector<std::size_t> start_;  ///< of each row of L
  std::vector<double> l_, inverse_, work_;
  std::vector<std::size_t> last_seen_;
};

}  // namespace kane

#pragma once
// Small dense linear programs: the greatest value of c.x over the x >= 0 with A x = b.
//
// The simplex method on a full tableau in two phases (Dantzig 1963), with Bland's rule (1977), which cannot cycle. For a few
// dozen rows and a few hundred columns, and many objectives over one set of x.

#include <cstddef>
#include <span>
#include <vector>

namespace kane {

class LinearProgram {
 public:
  /// Without any terms: A = 0, b = 0.
  LinearProgram(std::size_t rows, std::size_t columns);

  double& a(std::size_t row, std::size_t column) { return table_[row * width_ + column]; }
  double& b(std::size_t row) { return table_[row * width_ + width_ - 1]; }

  /// Finds some x; once, after A and b were given. False if there is none, up to rounding.
  [[nodiscard]] bool find_start();
  enum class Outcome { Solved, Unbounded, GaveUp };
  struct Optimum {
    Outcome outcome = Outcome::Solved;
    double value = 0;
  };
  /// The greatest c.x, after find_start().
  [[nodiscard]] Optimum maximize(std::span<const double> c);

 private:
  [[nodiscard]] Outcome run(std::size_t usable);
  void pivot(std::size_t row, std::size_t column);
  void drop_artificial();
  double* row(std::size_t r) { return table_.data() + r * width_; }

  std::size_t rows_, columns_, width_;
  std::vector<double> table_;  ///< rows of A, of the artificial unknowns, and b; at last the reduced costs
  std::vector<std::size_t> basis_;
};

}  // namespace kane

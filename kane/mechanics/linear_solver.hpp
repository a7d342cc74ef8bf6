#pragma once
// A x = b in symbols, so that nothing swells: the equations are sorted into the smallest blocks that can be solved one
// after the other (matching of rows and columns, then strongly connected components), a block of up to three unknowns
// is solved by cofactors, a larger one is reduced to three by elimination with the cheapest pivots that are not small
// (magnitudes.hpp).

#include <optional>
#include <span>
#include <vector>

#include "kane/mechanics/equations.hpp"

namespace kane {

class LinearSolver {
 public:
  /// Where pivots are looked for. On the diagonal of a symmetric positive definite matrix none ever vanishes; elsewhere one
  /// may, at single states.
  enum class Pivots : std::uint8_t { Anywhere, Diagonal };
  /// `a` must be square and of full generic rank (find_rank in rank.hpp says so beforehand).
  explicit LinearSolver(const ExprMatrix& a, Pivots pivots = Pivots::Anywhere);

  [[nodiscard]] std::vector<Expr> solve(std::span<const Expr> b) const;
  /// Column j is solve(unit vector j).
  [[nodiscard]] ExprMatrix inverse() const;
  /// The divisors, except numbers: the solution does not exist where one of these vanishes.
  [[nodiscard]] const std::vector<Expr>& divisors() const { return divisors_; }
  [[nodiscard]] std::size_t block_count() const { return blocks_.size(); }

 private:
  struct Step {  // one pivot of an elimination
    int row;
    int column;
    Expr pivot;
    std::vector<std::pair<int, Expr>> lower;  // (row, factor): that row minus factor times this one
    std::vector<std::pair<int, Expr>> upper;  // (column, entry) of the pivot row
  };
  struct Block {
    std::vector<int> rows;
    std::vector<int> columns;
    std::vector<std::pair<int, std::pair<int, Expr>>> known;  // (row, (earlier column, entry))
    std::vector<Step> steps;
    std::vector<int> core_rows;
    std::vector<int> core_columns;
    std::vector<std::vector<Expr>> adjugate;
    Expr determinant;
  };

  void sort_into_blocks(const ExprMatrix& a);
  void factor(const ExprMatrix& a, Block& block);
  void eliminate(std::vector<std::vector<Expr>>& m, Block& block);
  void invert_core(const std::vector<std::vector<Expr>>& m, Block& block);
  void solve_core(const Block& block, std::vector<Expr>& b, std::vector<Expr>& x) const;
  void add_divisor(const Expr& e);

  int size_;
  Pivots pivots_;
  std::vector<Block> blocks_;
  std::vector<Expr> divisors_;
};

}  // namespace kane

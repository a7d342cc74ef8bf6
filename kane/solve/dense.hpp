#pragma once
// Factorisations of small dense matrices. LDL^T works in place on the caller's numbers; LU and QR (qr.hpp) own their
// workspace, made once for the largest size and used for any smaller one without allocating.

#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"
#include "kane/solve/memory_archive.hpp"

namespace kane {

enum class FactorStatus {
  Ok,
  Singular,             ///< `pivot` says where: column (and row) of the matrix
  NotPositiveDefinite,  ///< symmetric factorisation only: the pivot is negative
  NotFinite,            ///< the input held an infinity or a NaN
};

struct FactorReport {
  FactorStatus status = FactorStatus::Ok;
  int pivot = -1;          ///< index of the pivot that failed
  double pivot_ratio = 1;  ///< that pivot relative to its value before elimination (row, or diagonal)

  [[nodiscard]] bool ok() const { return status == FactorStatus::Ok; }
};

/// Judges a pivot of a symmetric factorisation: `left` is what remains of the diagonal entry `whole` after elimination.
[[nodiscard]] FactorReport judge_pivot(double left, double whole, double tolerance, std::size_t pivot);

/// In place A = U^T D U of a symmetric positive definite A, from its upper triangle. On return D is on the diagonal and
/// the unit upper triangular U above it; the lower triangle is not touched. The pivot k is refused when less than
/// `tolerance` of the original diagonal A_kk is left: then speed k has no inertia of its own.
[[nodiscard]] FactorReport factor_ldlt(MatrixView a, double tolerance = 1e-14);

/// b becomes A^-1 b, with A factored by factor_ldlt.
void solve_ldlt(ConstMatrixView udu, std::span<double> b);

/// P A = L U with partial pivoting on rows scaled to equal size.
class Lu {
 public:
  explicit Lu(std::size_t capacity);

  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t size() const { return n_; }
  /// Where to write the n x n matrix that factor() then factors in place.
  [[nodiscard]] MatrixView prepare(std::size_t n);
  [[nodiscard]] FactorReport factor(double tolerance = 1e-15);
  [[nodiscard]] FactorReport factor(ConstMatrixView a, double tolerance = 1e-15);

  void solve(std::span<double> b);             ///< b becomes A^-1 b
  void solve_transposed(std::span<double> b);  ///< b becomes A^-T b
  void solve_columns(MatrixView b);            ///< every column of b becomes A^-1 b
  /// Estimate (a lower bound, rarely more than a factor of three below) of |A|_1 |A^-1|_1 by Hager's method.
  [[nodiscard]] double calc_condition();
  /// Writes or reads the factors.
  void exchange(MemoryArchive& a) { a(n_, norm1_, lu_, scale_, swap_); }

 private:
  std::size_t capacity_;
  std::size_t n_ = 0;
  double norm1_ = 0;
  std::vector<double> lu_;
  std::vector<double> scale_;
  std::vector<double> work_;
  std::vector<double> work2_;
  std::vector<std::size_t> swap_;  ///< row exchanged with row k at step k
};

/// Factors of a mass matrix: U^T D U of a symmetric one, P A = L U of one that loads proportional to accelerations have made
/// unsymmetric.
class MassFactors {
 public:
  MassFactors() : MassFactors(0) {}
  explicit MassFactors(std::size_t capacity, bool symmetric = true)
      : symmetric_(symmetric),
        udu_(symmetric ? capacity : 0, symmetric ? capacity : 0),
        lu_(symmetric ? 0 : capacity) {}

  /// Both triangles are read if it is not symmetric, else the upper one.
  [[nodiscard]] FactorReport factor(ConstMatrixView m);
  void solve(std::span<double> b);  ///< b becomes M^-1 b

 private:
  bool symmetric_;
  std::size_t n_ = 0;
  Matrix udu_;
  Lu lu_;
};

}  // namespace kane

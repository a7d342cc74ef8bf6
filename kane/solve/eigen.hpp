#pragma once
// Eigenvalues, for analyses (not for hot paths: these allocate).

#include <complex>
#include <memory>
#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane {

struct SymmetricEigen {
  bool converged = false;
  std::vector<double> values;  ///< ascending
  Matrix vectors;              ///< column k belongs to value k; V^T B V = 1 (B = 1 for the standard problem)
};

/// A x = w x, A symmetric (its lower triangle is read).
[[nodiscard]] SymmetricEigen calc_symmetric_eigen(ConstMatrixView a);
/// A x = w B x, both symmetric, B positive definite: natural modes, w = omega^2 with A = K and B = M.
[[nodiscard]] SymmetricEigen calc_symmetric_eigen(ConstMatrixView a, ConstMatrixView b);

struct GeneralEigen {
  bool converged = false;
  std::vector<std::complex<double>> values;   ///< by real part, then by imaginary part, ascending
  std::vector<std::complex<double>> vectors;  ///< column k of n numbers begins at k n; unit length
};

/// A x = s x for any square A.
[[nodiscard]] GeneralEigen calc_eigen(ConstMatrixView a, bool with_vectors = true);

/// Groups of eigenvalues that cannot be told apart numerically: equal ones, and those of a Jordan block, which rounding
/// spreads over a small circle and whose eigenvectors nearly coincide. For each eigenvalue the number of its group,
/// from 0.
[[nodiscard]] std::vector<std::size_t> find_eigenvalue_groups(const GeneralEigen& eigen);
/// Projectors onto invariant subspaces of a matrix.
class EigenProjector {
 public:
  explicit EigenProjector(ConstMatrixView a);
  ~EigenProjector();
  EigenProjector(const EigenProjector&) = delete;
  EigenProjector& operator=(const EigenProjector&) = delete;

  /// The diagonal of the projector onto the invariant subspace of some of the eigenvalues (`chosen`, of calc_eigen(a)),
  /// along that of all others: |V_ki W_ik| for a single one, and also defined where there are not enough eigenvectors.
  [[nodiscard]] std::vector<std::complex<double>> calc_diagonal(std::span<const std::complex<double>> chosen) const;

 private:
  struct Schur;
  std::unique_ptr<Schur> schur_;
};

}  // namespace kane

#pragma once
// Eigenvalues, for analyses (not for hot paths: these allocate).

#include <complex>
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

}  // namespace kane

#pragma once
// Eigenvalues and eigenvectors of small symmetric matrices, by Jacobi's method.

#include <cstddef>
#include <vector>

namespace kane {

struct SymmetricModes {
  std::vector<double> values;   ///< ascending
  std::vector<double> vectors;  ///< row k: the vector of value k
};

/// `a` by rows, n x n.
[[nodiscard]] SymmetricModes find_symmetric_modes(std::vector<double> a, std::size_t n);
/// K v = lambda M v with v.M.v = 1; M positive definite, else the result is empty.
[[nodiscard]] SymmetricModes find_symmetric_modes(const std::vector<double>& K, const std::vector<double>& M,
                                                  std::size_t n);

}  // namespace kane

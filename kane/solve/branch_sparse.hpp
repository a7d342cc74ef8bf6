#pragma once
// Mass matrices of trees. Speeds of bodies on different branches do not couple, so M_ij = 0 unless one of i, j is an
// ancestor of the other, and the factorisation M = L^T L (from the leaves to the root, not the usual L L^T) makes no
// fill-in. R. Featherstone, Rigid Body Dynamics Algorithms, section 6.5 (table 6.3) and Efficient factorization of the
// joint-space inertia matrix for branched kinematic trees, IJRR 24 (2005).
//
// parent[i] is the speed next to i towards the root, -1 at the root; parent[i] < i. A joint of several axes is a chain
// of speeds. Only the lower triangle of M is read and written; entries of speeds that are not related are not touched.

#include <cstddef>
#include <span>

#include "kane/solve/dense.hpp"
#include "kane/solve/matrix.hpp"

namespace kane {

/// Throws ModelError unless -1 <= parent[i] < i for all i.
void check_parents(std::span<const int> parent);

/// In place M = L^T L. A pivot is refused when less than `tolerance` of the original diagonal is left.
[[nodiscard]] FactorReport factor_ltl(MatrixView m, std::span<const int> parent, double tolerance = 1e-14);

/// b becomes M^-1 b = L^-1 L^-T b.
void solve_ltl(ConstMatrixView l, std::span<const int> parent, std::span<double> b);

/// b becomes L^-T b: half of a solve. |L^-T a|^2 is a^T M^-1 a, so rows treated this way give A M^-1 A^T by products.
void solve_l_transposed(ConstMatrixView l, std::span<const int> parent, std::span<double> b);
/// b becomes L^-1 b: the other half.
void solve_l(ConstMatrixView l, std::span<const int> parent, std::span<double> b);

/// y = M x, with M not yet factored (lower triangle).
void multiply_branch_sparse(ConstMatrixView m, std::span<const int> parent, std::span<const double> x,
                            std::span<double> y);

}  // namespace kane

#include "kane/solve/branch_sparse.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"

namespace kane {

namespace {

/// The value of M_kk before elimination: M_kk + sum of L_lk^2 over the descendants l of k.
double original_diagonal(ConstMatrixView m, std::span<const int> parent, int k) {
  double sum = m(at(k), at(k));
  for (int l = k + 1; l < static_cast<int>(m.rows); ++l) {
    int j = l;
    while (j > k) j = parent[at(j)];
    if (j == k) sum += m(at(l), at(k)) * m(at(l), at(k));
  }
  return sum;
}

/// Row k of M = L^T L, whose diagonal entry is known, subtracted from the rows of the ancestors of k. The ancestors of an ancestor
/// are the rest of the list: with the list and its entries gathered, the inner loop follows no pointers.
void eliminate_row(MatrixView m, std::span<const int> parent, int k, double inverse) {
  constexpr std::size_t kMost = 512;  // of ancestors that are gathered
  std::array<int, kMost> path;        // NOLINT: only what is written is read
  std::array<double, kMost> entry;    // NOLINT
  double* const row = m.row(at(k));
  std::size_t count = 0;
  int i = parent[at(k)];
  for (; i >= 0 && count < kMost; i = parent[at(i)], ++count) {
    path[count] = i;
    entry[count] = row[i] *= inverse;
  }
  for (; i >= 0; i = parent[at(i)]) row[i] *= inverse;
  for (std::size_t a = 0; a < count; ++a) {
    double* const target = m.row(at(path[a]));
    const double factor = entry[a];
    for (std::size_t b = a; b < count; ++b) target[path[b]] -= factor * entry[b];
    if (count < kMost) continue;
    for (int j = parent[at(path[count - 1])]; j >= 0; j = parent[at(j)]) target[j] -= factor * row[j];
  }
  if (count < kMost) return;
  for (int a = parent[at(path[count - 1])]; a >= 0; a = parent[at(a)])
    for (int j = a; j >= 0; j = parent[at(j)]) m(at(a), at(j)) -= row[a] * row[j];
}

}  // namespace

void check_parents(std::span<const int> parent) {
  for (std::size_t i = 0; i < parent.size(); ++i) {
    require(parent[i] >= -1 && parent[i] < static_cast<int>(i),
            "speed {} has parent {}; parents come before their children (or are -1 at the root)", i, parent[i]);
  }
}

// For k from the last: L_kk = sqrt(M_kk), L_ki = M_ki / L_kk for the ancestors i of k, and M_ij -= L_ki L_kj for all
// pairs of ancestors. Suspicious pivots are judged as in factor_ldlt.
FactorReport factor_ltl(MatrixView m, std::span<const int> parent, double tolerance) {
  double largest = 0;
  for (std::size_t k = 0; k < m.rows; ++k) largest = std::max(largest, std::abs(m(k, k)));
  for (int k = static_cast<int>(m.rows) - 1; k >= 0; --k) {
    double* const row = m.row(at(k));
    const double d = row[k];
    if (!(d > 1e-8 * largest)) {
      const FactorReport report = judge_pivot(d, original_diagonal(m, parent, k), tolerance, at(k));
      if (!report.ok()) return report;
    }
    row[k] = std::sqrt(d);
    const double inverse = 1.0 / row[k];
    eliminate_row(m, parent, k, inverse);
  }
  return {};
}

void solve_l_transposed(ConstMatrixView l, std::span<const int> parent, std::span<double> b) {
  for (int i = static_cast<int>(l.rows) - 1; i >= 0; --i) {
    const double* const row = l.row(at(i));
    b[at(i)] /= row[i];
    const double x = b[at(i)];
    for (int j = parent[at(i)]; j >= 0; j = parent[at(j)]) b[at(j)] -= row[j] * x;
  }
}

void solve_l(ConstMatrixView l, std::span<const int> parent, std::span<double> b) {
  for (std::size_t i = 0; i < l.rows; ++i) {
    const double* const row = l.row(i);
    double sum = b[i];
    for (int j = parent[i]; j >= 0; j = parent[at(j)]) sum -= row[j] * b[at(j)];
    b[i] = sum / row[i];
  }
}

void solve_ltl(ConstMatrixView l, std::span<const int> parent, std::span<double> b) {
  solve_l_transposed(l, parent, b);
  solve_l(l, parent, b);
}

void multiply_branch_sparse(ConstMatrixView m, std::span<const int> parent, std::span<const double> x,
                            std::span<double> y) {
  for (std::size_t i = 0; i < m.rows; ++i) {
    const double* const row = m.row(i);
    double sum = row[i] * x[i];
    for (int j = parent[i]; j >= 0; j = parent[at(j)]) {
      sum += row[j] * x[at(j)];
      y[at(j)] += row[j] * x[i];
    }
    y[i] = sum;
  }
}

}  // namespace kane

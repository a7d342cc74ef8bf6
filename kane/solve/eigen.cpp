#include "kane/solve/eigen.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "kane/base/error.hpp"

namespace kane {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::MatrixXd to_eigen(ConstMatrixView a) {
  ensure(a.rows == a.columns, "eigenvalues of a {} x {} matrix", a.rows, a.columns);
  return Eigen::Map<const RowMajor, 0, Eigen::OuterStride<>>(a.data, static_cast<Eigen::Index>(a.rows),
                                                             static_cast<Eigen::Index>(a.columns),
                                                             Eigen::OuterStride<>(static_cast<Eigen::Index>(a.stride)));
}

template <class Solver>
SymmetricEigen collect(const Solver& solver, std::size_t n) {
  SymmetricEigen result;
  result.converged = solver.info() == Eigen::Success;
  if (!result.converged) return result;
  result.values.assign(solver.eigenvalues().begin(), solver.eigenvalues().end());
  result.vectors = Matrix(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      result.vectors(i, j) = solver.eigenvectors()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
  }
  return result;
}

}  // namespace

SymmetricEigen calc_symmetric_eigen(ConstMatrixView a) {
  if (a.rows == 0) return {.converged = true, .values = {}, .vectors = {}};
  return collect(Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(to_eigen(a)), a.rows);
}

SymmetricEigen calc_symmetric_eigen(ConstMatrixView a, ConstMatrixView b) {
  if (a.rows == 0) return {.converged = true, .values = {}, .vectors = {}};
  const Eigen::MatrixXd mass = to_eigen(b);
  if (Eigen::LLT<Eigen::MatrixXd>(mass).info() != Eigen::Success) return {};
  return collect(Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd>(to_eigen(a), mass), a.rows);
}

GeneralEigen calc_eigen(ConstMatrixView a, bool with_vectors) {
  GeneralEigen result{.converged = true, .values = {}, .vectors = {}};
  const std::size_t n = a.rows;
  if (n == 0) return result;
  const Eigen::MatrixXd matrix = to_eigen(a);
  if (!matrix.allFinite()) return {};
  const Eigen::EigenSolver<Eigen::MatrixXd> solver(matrix, with_vectors);
  if (solver.info() != Eigen::Success) return {};
  std::vector<Eigen::Index> order(n);
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto& values = solver.eigenvalues();
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
    return std::pair(values(i).real(), values(i).imag()) < std::pair(values(j).real(), values(j).imag());
  });
  for (const Eigen::Index k : order) result.values.push_back(values(k));
  if (!with_vectors) return result;
  const Eigen::MatrixXcd vectors = solver.eigenvectors();
  for (const Eigen::Index k : order) {
    for (Eigen::Index i = 0; i < vectors.rows(); ++i) result.vectors.push_back(vectors(i, k));
  }
  return result;
}

}  // namespace kane

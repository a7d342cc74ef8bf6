#include "kane/solve/eigen.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <numeric>

#include "kane/base/at.hpp"
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

std::vector<std::size_t> find_eigenvalue_groups(const GeneralEigen& eigen) {
  constexpr double kEqual = 1e-9, kJordan = 1e-4, kParallel = 1e-4;  // relative to the largest eigenvalue; angle
  using Vector = Eigen::Map<const Eigen::VectorXcd>;
  const std::size_t n = eigen.values.size();
  double size = 0;
  for (const auto& s : eigen.values) size = std::max(size, std::abs(s));
  const auto vector = [&](std::size_t k) { return Vector(eigen.vectors.data() + k * n, static_cast<Eigen::Index>(n)); };
  const auto together = [&](std::size_t i, std::size_t j) {
    const double apart = std::abs(eigen.values[i] - eigen.values[j]);
    if (apart <= kEqual * size) return true;
    const double cosine = std::abs(vector(i).dot(vector(j)));  // of unit vectors
    return apart <= kJordan * size && !(cosine < 1 - 0.5 * kParallel * kParallel);
  };
  std::vector<std::size_t> group(n);
  std::iota(group.begin(), group.end(), std::size_t{0});
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (group[i] != group[j] && together(i, j)) std::replace(group.begin(), group.end(), group[i], group[j]);
  std::vector<std::size_t> seen;
  for (std::size_t& g : group) {
    const auto found = std::find(seen.begin(), seen.end(), g);
    const std::size_t number = at(found - seen.begin());
    if (found == seen.end()) seen.push_back(g);
    g = number;
  }
  return group;
}

// A = U T U^H (Schur), the chosen eigenvalues brought to the front by rotations of neighbours: T = (T11 T12; 0 T22). Then
// P = U (1 R; 0 0) U^H with T11 R - R T22 = T12 (Golub, Van Loan, Matrix Computations, 4th ed., 7.1.6 and 7.6.2).
struct EigenProjector::Schur {
  Eigen::MatrixXcd t, u;
};

EigenProjector::EigenProjector(ConstMatrixView a) : schur_(std::make_unique<Schur>()) {
  const Eigen::ComplexSchur<Eigen::MatrixXcd> schur(to_eigen(a).cast<std::complex<double>>());
  schur_->t = schur.matrixT(), schur_->u = schur.matrixU();
}

EigenProjector::~EigenProjector() = default;

std::vector<std::complex<double>> EigenProjector::calc_diagonal(std::span<const std::complex<double>> chosen) const {
  using Index = Eigen::Index;
  Eigen::MatrixXcd t = schur_->t, u = schur_->u;
  const Index n = t.rows(), m = static_cast<Index>(chosen.size());
  std::complex<double> centre = 0;
  for (const auto& s : chosen) centre += s / static_cast<double>(m);
  for (Index front = 0; front < m; ++front) {
    Index nearest = front;
    for (Index k = front; k < n; ++k)
      if (std::abs(t(k, k) - centre) < std::abs(t(nearest, nearest) - centre)) nearest = k;
    for (Index k = nearest; k-- > front;) {
      Eigen::JacobiRotation<std::complex<double>> rotation;
      rotation.makeGivens(t(k, k + 1), t(k + 1, k + 1) - t(k, k));
      t.applyOnTheLeft(k, k + 1, rotation.adjoint());
      t.applyOnTheRight(k, k + 1, rotation);
      u.applyOnTheRight(k, k + 1, rotation);
      t(k + 1, k) = 0;
    }
  }
  Eigen::MatrixXcd r(m, n - m);
  for (Index j = 0; j < n - m; ++j) {
    Eigen::VectorXcd column = t.block(0, m + j, m, 1);
    for (Index i = 0; i < j; ++i) column += r.col(i) * t(m + i, m + j);
    Eigen::MatrixXcd shifted = t.topLeftCorner(m, m);
    shifted.diagonal().array() -= t(m + j, m + j);
    r.col(j) = shifted.triangularView<Eigen::Upper>().solve(column);
  }
  const Eigen::MatrixXcd rows = u.leftCols(m).adjoint() + r * u.rightCols(n - m).adjoint();
  std::vector<std::complex<double>> diagonal;
  for (Index k = 0; k < n; ++k) diagonal.push_back((u.row(k).head(m) * rows.col(k)).value());
  return diagonal;
}

}  // namespace kane

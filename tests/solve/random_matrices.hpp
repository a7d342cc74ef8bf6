#pragma once
// Random matrices, trees and constraints for the tests, and the bridge to Eigen, which is the second opinion.

#include <Eigen/Dense>
#include <random>
#include <span>
#include <vector>

#include "kane/solve/matrix.hpp"

namespace kane::testing {

using Generator = std::mt19937_64;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline double uniform(Generator& random, double low = -1, double high = 1) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline Matrix random_matrix(Generator& random, std::size_t rows, std::size_t columns) {
  Matrix a(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) a(i, j) = uniform(random);
  }
  return a;
}

inline std::vector<double> random_vector(Generator& random, std::size_t n) {
  std::vector<double> x(n);
  for (double& v : x) v = uniform(random);
  return x;
}

inline RowMajor to_eigen(ConstMatrixView a) {
  RowMajor e(a.rows, a.columns);
  for (std::size_t i = 0; i < a.rows; ++i) {
    for (std::size_t j = 0; j < a.columns; ++j) e(static_cast<long>(i), static_cast<long>(j)) = a(i, j);
  }
  return e;
}

inline Eigen::VectorXd to_eigen(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<long>(x.size()));
}

inline Matrix to_matrix(const RowMajor& e) {
  Matrix a(static_cast<std::size_t>(e.rows()), static_cast<std::size_t>(e.cols()));
  for (long i = 0; i < e.rows(); ++i) {
    for (long j = 0; j < e.cols(); ++j) a(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) = e(i, j);
  }
  return a;
}

/// Symmetric positive definite: B B^T + something on the diagonal.
inline Matrix random_mass(Generator& random, std::size_t n, double floor = 0.1) {
  const RowMajor b = to_eigen(random_matrix(random, n, n));
  const auto size = static_cast<long>(n);
  return to_matrix(b * b.transpose() + floor * RowMajor::Identity(size, size));
}

inline std::vector<int> random_tree(Generator& random, std::size_t n) {
  std::vector<int> parent(n);
  for (std::size_t i = 0; i < n; ++i) parent[i] = static_cast<int>(random() % (i + 1)) - 1;
  return parent;
}

/// Inertia of a tree: sum over bodies of random 6 x 6 inertias seen by their ancestors only, so that the zeros are where
/// they have to be.
inline Matrix tree_mass(Generator& random, const std::vector<int>& parent) {
  const std::size_t n = parent.size();
  RowMajor m = RowMajor::Zero(static_cast<long>(n), static_cast<long>(n));
  for (std::size_t body = 0; body < n; ++body) {
    RowMajor j = RowMajor::Zero(6, static_cast<long>(n));
    for (int i = static_cast<int>(body); i >= 0; i = parent[static_cast<std::size_t>(i)]) {
      for (long k = 0; k < 6; ++k) j(k, i) = uniform(random);
    }
    m += j.transpose() * j;
  }
  return to_matrix(m);
}

}  // namespace kane::testing

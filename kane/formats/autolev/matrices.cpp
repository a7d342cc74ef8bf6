#include "kane/formats/autolev/matrices.hpp"

#include "kane/base/error.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane::autolev {

namespace {

constexpr int kMostRows = 100;  ///< of a matrix that is inverted in symbols

}  // namespace

ExprMatrix column_of(std::vector<Expr> entries) {
  ExprMatrix m(entries.size(), 1);
  m.entries = std::move(entries);
  return m;
}

ExprMatrix add(const ExprMatrix& a, const ExprMatrix& b, int sign) {
  require(a.rows == b.rows && a.columns == b.columns, "a matrix of {} x {} cannot be {} one of {} x {}", a.rows,
          a.columns, sign > 0 ? "added to" : "subtracted from", b.rows, b.columns);
  ExprMatrix r = a;
  for (std::size_t i = 0; i < r.entries.size(); ++i)
    r.entries[i] = sign > 0 ? a.entries[i] + b.entries[i] : a.entries[i] - b.entries[i];
  return r;
}

ExprMatrix multiply(const ExprMatrix& a, const ExprMatrix& b) {
  require(a.columns == b.rows, "a matrix of {} x {} cannot be multiplied by one of {} x {}", a.rows, a.columns, b.rows,
          b.columns);
  if (static_cast<double>(a.rows) * a.columns * b.columns > 5e6)
    throw LimitError("a product of matrices takes more than 5 million products of elements");
  ExprMatrix r(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < b.columns; ++j) {
      Expr sum;
      for (int k = 0; k < a.columns; ++k)
        if (!a(i, k).is_zero() && !b(k, j).is_zero()) sum += a(i, k) * b(k, j);
      r(i, j) = sum;
    }
  return r;
}

ExprMatrix scaled(ExprMatrix a, const Expr& factor) {
  for (Expr& e : a.entries) e *= factor;
  return a;
}

ExprMatrix transposed(const ExprMatrix& a) {
  ExprMatrix r(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) r(j, i) = a(i, j);
  return r;
}

ExprMatrix rows_of(const ExprMatrix& a, std::span<const int> rows) {
  ExprMatrix r(rows.size(), a.columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    require(rows[i] >= 1 && rows[i] <= a.rows, "there is no row {} in a matrix of {} x {}", rows[i], a.rows, a.columns);
    for (int j = 0; j < a.columns; ++j) r(i, j) = a(rows[i] - 1, j);
  }
  return r;
}

ExprMatrix columns_of(const ExprMatrix& a, std::span<const int> columns) {
  ExprMatrix r(a.rows, columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    require(columns[j] >= 1 && columns[j] <= a.columns, "there is no column {} in a matrix of {} x {}", columns[j],
            a.rows, a.columns);
    for (int i = 0; i < a.rows; ++i) r(i, j) = a(i, columns[j] - 1);
  }
  return r;
}

ExprMatrix inverted(const ExprMatrix& a) {
  require(a.rows == a.columns, "only a square matrix has an inverse, not one of {} x {}", a.rows, a.columns);
  if (a.rows > kMostRows) throw LimitError(fmt::format("INV takes matrices of up to {} rows", kMostRows));
  require(find_rank(a).rank() == a.rows, "the matrix is singular and has no inverse");
  return LinearSolver(a).inverse();
}

Expr determinant(const ExprMatrix& a) {
  require(a.rows == a.columns, "only a square matrix has a determinant, not one of {} x {}", a.rows, a.columns);
  if (a.rows > kMostRows) throw LimitError(fmt::format("DET takes matrices of up to {} rows", kMostRows));
  // Gauss' elimination; the graph recognises pivots that vanish.
  ExprMatrix m = a;
  Expr product = 1;
  for (int k = 0; k < m.rows; ++k) {
    int pivot = k;
    while (pivot < m.rows && m(pivot, k).is_zero()) ++pivot;
    if (pivot == m.rows) return 0;
    if (pivot != k) {
      for (int j = 0; j < m.columns; ++j) std::swap(m(k, j), m(pivot, j));
      product = -product;
    }
    product *= m(k, k);
    for (int i = k + 1; i < m.rows; ++i) {
      if (m(i, k).is_zero()) continue;
      const Expr factor = m(i, k) / m(k, k);
      for (int j = k; j < m.columns; ++j) m(i, j) -= factor * m(k, j);
    }
  }
  return product;
}

bool is_line(const ExprMatrix& a) { return a.rows == 1 || a.columns == 1; }

}  // namespace kane::autolev

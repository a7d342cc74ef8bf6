#pragma once
// Dense matrices, row by row: a view of numbers owned elsewhere, and an owner for workspaces. Sizes are chosen once;
// nothing here grows on its own.

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace kane {

/// View of a dense matrix stored row by row; `stride` numbers lie between the starts of neighbouring rows.
template <class T>
struct BasicMatrixView {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t stride = 0;

  constexpr BasicMatrixView() = default;
  constexpr BasicMatrixView(T* first, std::size_t r, std::size_t c) : data(first), rows(r), columns(c), stride(c) {}
  constexpr BasicMatrixView(T* first, std::size_t r, std::size_t c, std::size_t s)
      : data(first), rows(r), columns(c), stride(s) {}
  /// A view of changeable numbers is also a view of constant ones.
  template <class U>
  requires(std::is_same_v<const U, T> && !std::is_const_v<U>) constexpr BasicMatrixView(
      const BasicMatrixView<U>& other)  // NOLINT: implicit on purpose
      : data(other.data), rows(other.rows), columns(other.columns), stride(other.stride) {}

  [[nodiscard]] constexpr T& operator()(std::size_t r, std::size_t c) const { return data[r * stride + c]; }
  [[nodiscard]] constexpr T* row(std::size_t r) const { return data + r * stride; }
  [[nodiscard]] constexpr std::span<T> row_span(std::size_t r) const { return {row(r), columns}; }
  /// The upper left block.
  [[nodiscard]] constexpr BasicMatrixView top_left(std::size_t r, std::size_t c) const { return {data, r, c, stride}; }
};

using MatrixView = BasicMatrixView<double>;
using ConstMatrixView = BasicMatrixView<const double>;

/// Owner of a dense matrix, row by row, initially zero.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t columns) : rows_(rows), columns_(columns), entries_(rows * columns) {}

  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] double& operator()(std::size_t r, std::size_t c) { return entries_[r * columns_ + c]; }
  [[nodiscard]] double operator()(std::size_t r, std::size_t c) const { return entries_[r * columns_ + c]; }
  [[nodiscard]] MatrixView view() { return {entries_.data(), rows_, columns_}; }
  [[nodiscard]] ConstMatrixView view() const { return {entries_.data(), rows_, columns_}; }
  /// A packed r x c matrix in the same memory (r c must fit): for workspaces whose size changes from call to call.
  [[nodiscard]] MatrixView packed(std::size_t r, std::size_t c) { return {entries_.data(), r, c}; }
  [[nodiscard]] ConstMatrixView packed(std::size_t r, std::size_t c) const { return {entries_.data(), r, c}; }
  operator MatrixView() { return view(); }             // NOLINT: an owner is usable wherever a view is
  operator ConstMatrixView() const { return view(); }  // NOLINT

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  std::vector<double> entries_;
};

}  // namespace kane

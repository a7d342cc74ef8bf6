#include "kane/solve/column_basis.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// The columns of a matrix, each reduced by what the chosen ones span.
class ColumnRemainders {
 public:
  ColumnRemainders(ConstMatrixView a, double tolerance) : columns_(a.columns, std::vector<double>(a.rows)) {
    for (std::size_t i = 0; i < a.rows; ++i) {
      double size = 0;
      for (std::size_t j = 0; j < a.columns; ++j) size = std::max(size, std::abs(a(i, j)));
      for (std::size_t j = 0; j < a.columns && size > 0; ++j) columns_[j][i] = a(i, j) / size;
    }
    for (const auto& c : columns_) zero_.push_back(tolerance * norm2(c));
  }

  /// Length of a remainder; 0 if it is rounding.
  [[nodiscard]] double length(std::size_t j) const {
    const double length = norm2(columns_[j]);
    return length > zero_[j] ? length : 0.0;
  }

  void choose(std::size_t chosen) {
    std::vector<double> direction = columns_[chosen];
    const double length = norm2(direction);
    for (double& v : direction) v /= length;
    for (auto& c : columns_) {
      for (int pass = 0; pass < 2; ++pass) {  // once more, since what is left may be small
        const double part = dot(direction.data(), c.data(), c.size());
        for (std::size_t i = 0; i < c.size(); ++i) c[i] -= part * direction[i];
      }
    }
  }

 private:
  std::vector<std::vector<double>> columns_;
  std::vector<double> zero_;
};

}  // namespace

std::vector<bool> choose_basis(ConstMatrixView a, std::span<const int> classes, double tolerance) {
  ensure(classes.size() == a.columns, "{} classes for {} columns", classes.size(), a.columns);
  ColumnRemainders remainders(a, tolerance);
  std::vector<bool> basis(a.columns, false);
  const int last = classes.empty() ? -1 : *std::max_element(classes.begin(), classes.end());
  const std::size_t most = std::min(a.rows, a.columns);
  for (std::size_t rank = 0; rank < most; ++rank) {
    std::size_t best = a.columns;
    double longest = 0;
    for (int k = 0; k <= last && best == a.columns; ++k) {
      for (std::size_t j = a.columns; j-- > 0;) {
        if (classes[j] != k || basis[j]) continue;
        const double length = remainders.length(j);
        if (length <= longest) continue;
        best = j, longest = length;
        if (k > 0) break;
      }
    }
    if (best == a.columns) break;
    basis[best] = true;
    remainders.choose(best);
  }
  return basis;
}

}  // namespace kane

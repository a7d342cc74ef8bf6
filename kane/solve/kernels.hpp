#pragma once
// The inner loops of all factorisations here. The sums have a fixed order (four partial sums), so results do
// not depend on how the compiler vectorises.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace kane {

/// Sum of x_i y_i over n numbers.
[[nodiscard]] inline double dot(const double* x, const double* y, std::size_t n) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += x[i] * y[i];
    s1 += x[i + 1] * y[i + 1];
    s2 += x[i + 2] * y[i + 2];
    s3 += x[i + 3] * y[i + 3];
  }
  double tail = 0;
  for (; i < n; ++i) tail += x[i] * y[i];
  return ((s0 + s2) + (s1 + s3)) + tail;
}

/// y += a x over n numbers.
inline void add_scaled(double* __restrict y, double a, const double* __restrict x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

[[nodiscard]] inline double max_abs(std::span<const double> x) {
  double largest = 0;
  for (const double v : x) largest = std::max(largest, std::abs(v));
  return largest;
}

[[nodiscard]] inline double norm2(std::span<const double> x) { return std::sqrt(dot(x.data(), x.data(), x.size())); }

/// True if no number is infinite or NaN.
[[nodiscard]] inline bool all_finite(std::span<const double> x) {
  // Sums of zeros, unless something is not finite: 0 * inf and 0 * nan are nan. Four of them, so that they do not wait
  // for each other.
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  std::size_t i = 0;
  for (; i + 4 <= x.size(); i += 4) {
    s0 += 0.0 * x[i];
    s1 += 0.0 * x[i + 1];
    s2 += 0.0 * x[i + 2];
    s3 += 0.0 * x[i + 3];
  }
  for (; i < x.size(); ++i) s0 += 0.0 * x[i];
  return (s0 + s1) + (s2 + s3) == 0;
}

/// to = from, number by number. Kernels read and write single numbers; a wide load of what was just stored in small
/// pieces (or the other way round) waits until all of it has reached the cache, which costs more than copying a small
/// state.
inline void copy_numbers(const double* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) {
    to[i] = from[i];
    asm volatile("" ::: "memory");  // keeps the loop from being turned into wide moves
  }
}

/// copy_numbers(); true if all of them are finite.
[[nodiscard]] inline bool copy_finite(const double* from, std::size_t n, double* to) {
  double even = 0, odd = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = from[i];
    to[i] = x;
    (i % 2 == 0 ? even : odd) += 0.0 * x;
    asm volatile("" ::: "memory");
  }
  return even + odd == 0;
}

}  // namespace kane

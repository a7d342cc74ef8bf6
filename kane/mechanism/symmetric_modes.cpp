#include "kane/mechanism/symmetric_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kane {

SymmetricModes find_symmetric_modes(std::vector<double> a, std::size_t n) {
  std::vector<double> v(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) v[i * n + i] = 1;
  constexpr int kMostSweeps = 60;
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0, all = 0;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) (i == j ? all : off) += a[i * n + j] * a[i * n + j];
    if (off <= 1e-34 * (all + off)) break;
    for (std::size_t p = 0; p + 1 < n; ++p) {
      for (std::size_t q = p + 1; q < n; ++q) {
        const double apq = a[p * n + q];
        if (apq == 0) continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * apq);
        const double t = (theta < 0 ? -1 : 1) / (std::abs(theta) + std::hypot(theta, 1));
        const double c = 1 / std::hypot(t, 1), s = t * c;
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y, a[k * n + q] = s * x + c * y;
        }
        for (std::size_t k = 0; k < n; ++k) {
          const double x = a[p * n + k], y = a[q * n + k];
          a[p * n + k] = c * x - s * y, a[q * n + k] = s * x + c * y;
          const double vx = v[p * n + k], vy = v[q * n + k];
          v[p * n + k] = c * vx - s * vy, v[q * n + k] = s * vx + c * vy;
        }
      }
    }
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return a[x * n + x] < a[y * n + y]; });
  SymmetricModes r;
  for (const std::size_t i : order) {
    r.values.push_back(a[i * n + i]);
    r.vectors.insert(r.vectors.end(), v.begin() + static_cast<std::ptrdiff_t>(i * n),
                     v.begin() + static_cast<std::ptrdiff_t>((i + 1) * n));
  }
  return r;
}

// M = L L^T; (L^-1 K L^-T) y = lambda y; v = L^-T y.
SymmetricModes find_symmetric_modes(const std::vector<double>& K, const std::vector<double>& M, std::size_t n) {
  std::vector<double> l(n * n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = M[i * n + j];
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i == j && !(sum > 0)) return {};
      l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
    }
  }
  const auto forward = [&](std::vector<double>& b, std::size_t stride, std::size_t start) {
    for (std::size_t i = 0; i < n; ++i) {
      double sum = b[start + i * stride];
      for (std::size_t k = 0; k < i; ++k) sum -= l[i * n + k] * b[start + k * stride];
      b[start + i * stride] = sum / l[i * n + i];
    }
  };
  std::vector<double> a = K;
  for (std::size_t j = 0; j < n; ++j) forward(a, n, j);      // columns
  for (std::size_t i = 0; i < n; ++i) forward(a, 1, i * n);  // rows
  SymmetricModes r = find_symmetric_modes(a, n);
  for (std::size_t m = 0; m < n; ++m) {
    for (std::size_t i = n; i-- > 0;) {
      double sum = r.vectors[m * n + i];
      for (std::size_t k = i + 1; k < n; ++k) sum -= l[k * n + i] * r.vectors[m * n + k];
      r.vectors[m * n + i] = sum / l[i * n + i];
    }
  }
  return r;
}

}  // namespace kane

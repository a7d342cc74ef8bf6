#include "kane/solve/sweep_acceleration.hpp"

#include <algorithm>
#include <cmath>

#include "kane/solve/kernels.hpp"

namespace kane {

void SweepAcceleration::begin(std::size_t rows, std::size_t speeds) {
  rows_ = rows, size_ = rows + speeds;
  df_.resize(kWindow * rows_), dg_.resize(kWindow * size_);
  last_f_.resize(rows_), last_g_.resize(size_);
  forget();
}

void SweepAcceleration::extrapolate(std::span<const double> f, std::span<double> g) {
  // A sweep that changed much more than the one before met other states of contacts.
  constexpr double kMuchMore = 2, kSoftening = 1e-10;
  const double square = dot(f.data(), f.data(), rows_);
  if (has_last_ && square > kMuchMore * last_square_) forget();
  last_square_ = square;
  if (has_last_) {
    const std::size_t slot = count_ < kWindow ? count_++ : next_;
    next_ = (slot + 1) % kWindow;
    double *df = df_.data() + slot * rows_, *dg = dg_.data() + slot * size_;
    for (std::size_t i = 0; i < rows_; ++i) df[i] = f[i] - last_f_[i];
    for (std::size_t i = 0; i < size_; ++i) dg[i] = g[i] - last_g_[i];
    for (std::size_t k = 0; k < count_; ++k)
      products_[slot][k] = products_[k][slot] = dot(df, df_.data() + k * rows_, rows_);
  }
  std::ranges::copy(f, last_f_.begin());
  std::ranges::copy(g, last_g_.begin());
  has_last_ = true;
  if (count_ == 0) return;
  // (dF^T dF) c = dF^T f, slightly softened: columns that say the same share what they say.
  double a[kWindow][kWindow], c[kWindow];
  for (std::size_t i = 0; i < count_; ++i) {
    std::copy_n(products_[i], count_, a[i]);
    a[i][i] += kSoftening * a[i][i] + 1e-300;
    c[i] = dot(df_.data() + i * rows_, f.data(), rows_);
  }
  for (std::size_t i = 0; i < count_; ++i)
    for (std::size_t k = i + 1; k < count_; ++k) {
      const double factor = a[k][i] / a[i][i];
      for (std::size_t l = i; l < count_; ++l) a[k][l] -= factor * a[i][l];
      c[k] -= factor * c[i];
    }
  for (std::size_t i = count_; i-- > 0;) {
    for (std::size_t k = i + 1; k < count_; ++k) c[i] -= a[i][k] * c[k];
    c[i] /= a[i][i];
  }
  if (!all_finite({c, count_})) return forget();
  // Three columns at a time: g is read and written less often.
  std::size_t i = 0;
  for (; i + 3 <= count_; i += 3) {
    const double *d0 = dg_.data() + i * size_, *d1 = d0 + size_, *d2 = d1 + size_;
    const double c0 = c[i], c1 = c[i + 1], c2 = c[i + 2];
    for (std::size_t k = 0; k < size_; ++k) g[k] -= c0 * d0[k] + c1 * d1[k] + c2 * d2[k];
  }
  for (; i < count_; ++i) add_scaled(g.data(), -c[i], dg_.data() + i * size_, size_);
}

}  // namespace kane

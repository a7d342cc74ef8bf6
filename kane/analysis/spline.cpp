#include "kane/analysis/spline.hpp"

#include <Eigen/SparseLU>
#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"

namespace kane {

Spline::Spline(std::span<const double> t, std::span<const double> y)
    : degree_(std::min(kMostDegree, static_cast<int>(t.size()) - 1)) {
  require(t.size() >= 2, "a curve needs at least two points, but there is only {}", t.size());
  for (std::size_t i = 1; i < t.size(); ++i)
    require(t[i] > t[i - 1], "the times of a curve must increase, but {} follows {}", t[i], t[i - 1]);
  if (degree_ % 2 == 0) --degree_;  // knots at the points themselves need an odd degree
  begin_ = t.front(), end_ = t.back();
  const auto d = static_cast<std::size_t>(degree_);
  const std::size_t n = t.size(), skip = (d + 1) / 2;
  knots_.assign(d + 1, t.front());
  for (std::size_t i = skip; i + skip < n; ++i) knots_.push_back(t[i]);
  knots_.insert(knots_.end(), d + 1, t.back());

  Eigen::SparseMatrix<double> m(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  std::vector<Eigen::Triplet<double>> entries;
  double basis[kMostDegree + 1];
  Eigen::VectorXd r(static_cast<Eigen::Index>(n));
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t k = find_interval(t[i]);
    calc_basis(t[i], k, degree_, basis);
    for (std::size_t j = 0; j <= d; ++j)
      entries.emplace_back(static_cast<int>(i), static_cast<int>(k - d + j), basis[j]);
    r(static_cast<Eigen::Index>(i)) = y[i];
  }
  m.setFromTriplets(entries.begin(), entries.end());
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu(m);
  require(lu.info() == Eigen::Success, "no smooth curve passes through the points: their times lie too close together");
  const Eigen::VectorXd x = lu.solve(r);
  coefficients_.assign(x.begin(), x.end());
}

std::size_t Spline::find_interval(double t) const {
  const auto d = static_cast<std::size_t>(degree_);
  const auto first = knots_.begin() + degree_, last = knots_.end() - degree_ - 1;
  const auto above = std::upper_bound(first, last, t);
  const auto k = static_cast<std::size_t>(above - knots_.begin());
  return std::clamp(k == 0 ? d : k - 1, d, knots_.size() - d - 2);
}

/// Cox and de Boor's recursion.
void Spline::calc_basis(double t, std::size_t k, int degree, double* basis) const {
  double left[kMostDegree + 1], right[kMostDegree + 1];
  basis[0] = 1;
  for (std::size_t j = 1; j <= static_cast<std::size_t>(degree); ++j) {
    left[j] = t - knots_[k + 1 - j];
    right[j] = knots_[k + j] - t;
    double saved = 0;
    for (std::size_t r = 0; r < j; ++r) {
      const double part = basis[r] / (right[r + 1] + left[j - r]);
      basis[r] = saved + right[r + 1] * part;
      saved = left[j - r] * part;
    }
    basis[j] = saved;
  }
}

CurvePoint Spline::calc(double t) const {
  const auto d = static_cast<std::size_t>(degree_);
  const std::size_t k = find_interval(t);
  // Coefficients of the derivatives: c'_j = p (c_j - c_{j-1}) / (knot_{j+p} - knot_j).
  double c[kMostDegree + 1], basis[kMostDegree + 1];
  for (std::size_t j = 0; j <= d; ++j) c[j] = coefficients_[k - d + j];
  const auto sum = [&](std::size_t degree) {
    calc_basis(t, k, static_cast<int>(degree), basis);
    double s = 0;
    for (std::size_t j = 0; j <= degree; ++j) s += c[j] * basis[j];
    return s;
  };
  const auto derive = [&](std::size_t degree) {
    for (std::size_t j = 0; j < degree; ++j) {
      const std::size_t i = k - degree + 1 + j;  // the knot where basis function j + 1 of this degree begins
      c[j] = static_cast<double>(degree) * (c[j + 1] - c[j]) / (knots_[i + degree] - knots_[i]);
    }
  };
  CurvePoint p;
  p.value = sum(d);
  derive(d);
  p.rate = sum(d - 1);
  if (d < 2) return p;
  derive(d - 1);
  p.acceleration = sum(d - 2);
  return p;
}

}  // namespace kane

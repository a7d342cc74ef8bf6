#pragma once
// A smooth curve through measured points: the interpolating spline of degree 5 (less if there are few points), with the
// knots of de Boor's "not a knot" condition (A Practical Guide to Splines, chapter XIII): four continuous derivatives, so
// that accelerations of a sampled motion are accurate to order h^4.

#include <span>
#include <vector>

namespace kane {

struct CurvePoint {
  double value = 0, rate = 0, acceleration = 0;
};

class Spline {
 public:
  /// Throws ModelError unless there are at least two points and the times increase.
  Spline(std::span<const double> t, std::span<const double> y);

  /// Outside the points the curve continues as its last polynomial.
  [[nodiscard]] CurvePoint calc(double t) const;
  [[nodiscard]] double begin() const { return begin_; }
  [[nodiscard]] double end() const { return end_; }

 private:
  static constexpr int kMostDegree = 5;
  [[nodiscard]] std::size_t find_interval(double t) const;
  /// The degree + 1 basis functions of `degree` that are not zero in the interval, at t.
  void calc_basis(double t, std::size_t interval, int degree, double* basis) const;

  int degree_;
  double begin_, end_;
  std::vector<double> knots_, coefficients_;
};

}  // namespace kane

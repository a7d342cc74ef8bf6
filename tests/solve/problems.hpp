#pragma once
// Initial value problems with known solutions, and what several tests do with them.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "kane/solve/integrator.hpp"

namespace kane::testing {

/// Steps to t_end; fails the test if a step fails.
inline void run_to(Integrator& integrator, double t_end) {
  while (integrator.time() != t_end) {
    const StepReport& report = integrator.step(t_end);
    ASSERT_EQ(report.status, StepStatus::Ok) << to_string(report.status) << " at t = " << report.t;
  }
}

/// Options with which an adaptive method takes steps of exactly h.
inline AdaptiveOptions constant_step(double h) {
  AdaptiveOptions options;
  options.tolerance = {.relative = {1e6}, .absolute = {1e6}};
  options.first_step = h;
  options.max_step = h;
  return options;
}

inline AdaptiveOptions with_tolerance(double tolerance) {
  AdaptiveOptions options;
  options.tolerance = {.relative = {tolerance}, .absolute = {tolerance}};
  return options;
}

/// y0' = y1 y2, y1' = -y0 y2, y2' = -k^2 y0 y1 with y = (sn, cn, dn): not linear, solution by Jacobi's functions; and
/// y3' = -2 t y3^2, y3 = 1/(1 + t^2): depends on time.
struct NonlinearProblem {
  static constexpr double kModulus = 0.8;
  static RhsStatus rhs(double t, std::span<const double> y, std::span<double> f) {
    f[0] = y[1] * y[2];
    f[1] = -y[0] * y[2];
    f[2] = -kModulus * kModulus * y[0] * y[1];
    f[3] = -2 * t * y[3] * y[3];
    return RhsStatus::Ok;
  }
  static std::vector<double> start() { return {0, 1, 1, 1}; }
  /// By descending Landen transformations (Abramowitz and Stegun 16.4): arithmetic-geometric mean, then backwards.
  static std::vector<double> exact(double t) {
    double a[12], c[12];
    a[0] = 1;
    c[0] = kModulus;
    double b = std::sqrt(1 - kModulus * kModulus);
    int n = 0;
    while (c[n] > 1e-17 && n < 11) {
      a[n + 1] = 0.5 * (a[n] + b);
      c[n + 1] = 0.5 * (a[n] - b);
      b = std::sqrt(a[n] * b);
      ++n;
    }
    double phi = std::ldexp(a[n] * t, n);
    for (int k = n; k > 0; --k) phi = 0.5 * (phi + std::asin(c[k] * std::sin(phi) / a[k]));
    const double sn = std::sin(phi);
    return {sn, std::cos(phi), std::sqrt(1 - kModulus * kModulus * sn * sn), 1 / (1 + t * t)};
  }
};

inline double distance(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// Error of the method at t = 2 with steps of h.
using MakeIntegrator = std::function<std::unique_ptr<Integrator>(double h)>;
inline double error_at_two(const MakeIntegrator& make, double h) {
  const auto integrator = make(h);
  integrator->start(0, NonlinearProblem::start());
  run_to(*integrator, 2);
  return distance(integrator->state(), NonlinearProblem::exact(2));
}

/// log2 of the ratio of errors when h is halved.
inline double observed_order(const MakeIntegrator& make, double h) {
  return std::log2(error_at_two(make, h) / error_at_two(make, h / 2));
}

/// Largest error of the interpolation inside the steps of h up to t = 2.
inline double dense_error(const MakeIntegrator& make, double h) {
  const auto integrator = make(h);
  integrator->start(0, NonlinearProblem::start());
  double largest = 0;
  std::vector<double> y(4);
  while (integrator->time() < 2) {
    EXPECT_EQ(integrator->step(2).status, StepStatus::Ok);
    for (const double s : {0.15, 0.4, 0.5, 0.75, 0.9}) {
      const double t = integrator->previous_time() + s * (integrator->time() - integrator->previous_time());
      EXPECT_EQ(integrator->interpolate(t, y), StepStatus::Ok);
      largest = std::max(largest, distance(y, NonlinearProblem::exact(t)));
    }
  }
  return largest;
}

/// Kepler's problem with eccentricity e, from perihelion; period 2 pi.
struct Kepler {
  static RhsStatus rhs(double, std::span<const double> y, std::span<double> f) {
    const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * std::sqrt(r2);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = -y[0] / r3;
    f[3] = -y[1] / r3;
    return RhsStatus::Ok;
  }
  static std::vector<double> start(double e) { return {1 - e, 0, 0, std::sqrt((1 + e) / (1 - e))}; }
  static std::vector<double> exact(double e, double t) {
    double anomaly = t;
    for (int i = 0; i < 100; ++i) {
      anomaly -= (anomaly - e * std::sin(anomaly) - t) / (1 - e * std::cos(anomaly));
    }
    const double c = std::cos(anomaly), s = std::sin(anomaly), root = std::sqrt(1 - e * e);
    return {c - e, root * s, -s / (1 - e * c), root * c / (1 - e * c)};
  }
};

/// Van der Pol's equation with a stiffness of 1e6 and its reference value at t = 2 (IVP test set of Mazzia and Magherini,
/// computed there in quadruple precision).
struct VanDerPol {
  static constexpr double kEpsilon = 1e-6;
  static RhsStatus rhs(double, std::span<const double> y, std::span<double> f) {
    f[0] = y[1];
    f[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / kEpsilon;
    return RhsStatus::Ok;
  }
  static RhsStatus jacobian(double, std::span<const double> y, MatrixView j) {
    j(0, 0) = 0;
    j(0, 1) = 1;
    j(1, 0) = (-2 * y[0] * y[1] - 1) / kEpsilon;
    j(1, 1) = (1 - y[0] * y[0]) / kEpsilon;
    return RhsStatus::Ok;
  }
  static std::vector<double> start() { return {2, 0}; }
  static std::vector<double> at_two() { return {1.706167732170483, -0.8928097010247975}; }
};

}  // namespace kane::testing

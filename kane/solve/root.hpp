#pragma once
// Zero of a scalar function inside a bracket, to the last bit if desired.

#include "kane/solve/function_ref.hpp"

namespace kane {

enum class RootStatus { Ok, NoBracket, NotFinite };

struct Root {
  RootStatus status = RootStatus::Ok;
  /// The final bracket, in the direction from a to b: f keeps the sign of f(a) up to `before`, and has changed
  /// sign (or is zero) at `after`. With tolerance 0 the two are neighbouring doubles, or both the place where f is 0.
  double before = 0, after = 0;
  double f_before = 0, f_after = 0;
  int evaluations = 0;

  [[nodiscard]] bool ok() const { return status == RootStatus::Ok; }
  /// The end where |f| is smaller.
  [[nodiscard]] double nearest() const {
    return (f_before < 0 ? -f_before : f_before) < (f_after < 0 ? -f_after : f_after) ? before : after;
  }
};

/// Inverse quadratic interpolation where it is safe, else bisection (T. R. Chandrupatla, A new hybrid quadratic/
/// bisection algorithm for finding the zero of a nonlinear function without using derivatives, Advances in Engineering
/// Software 28, 1997). f(a) = fa and f(b) = fb are given, so the caller decides the signs at the ends; they must
/// differ, or one of them must be zero. Stops when the bracket is not wider than `tolerance` or cannot be halved any
/// more.
[[nodiscard]] Root find_root(FunctionRef<double(double)> f, double a, double fa, double b, double fb,
                             double tolerance = 0);

/// The same, evaluating the ends.
[[nodiscard]] Root find_root(FunctionRef<double(double)> f, double a, double b, double tolerance = 0);

struct Extremum {
  double at = 0;
  double value = 0;
  int evaluations = 0;
};

/// Smallest value of f between a and b by golden section with parabolic steps (R. Brent, Algorithms for Minimization
/// without Derivatives, chapter 5). Stops early as soon as a value is not above `enough`.
[[nodiscard]] Extremum find_minimum(FunctionRef<double(double)> f, double a, double b, double tolerance, double enough);

}  // namespace kane

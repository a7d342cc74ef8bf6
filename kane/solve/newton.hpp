#pragma once
// Nonlinear equations r(x) = 0 with m residuals and n unknowns, m and n in any relation, J = dr/dx of any rank: the
// basis of assembly, equilibria and inverse kinematics. Damped Gauss-Newton; where that does not descend,
// Levenberg-Marquardt.
//
// The step is the shortest of all that minimise |r + J dx| (measured in x_i / scale_i), so redundant equations do no
// harm, and unknowns that do not matter stay where they are. Nocedal and Wright, Numerical Optimization, sections 10.3,
// 11.2.

#include <cstddef>
#include <span>
#include <vector>

#include "kane/solve/function_ref.hpp"
#include "kane/solve/matrix.hpp"
#include "kane/solve/qr.hpp"
#include "kane/solve/row_gram.hpp"

namespace kane {

/// Writes r(x); false if it cannot be evaluated there.
using Residual = FunctionRef<bool(std::span<const double> x, std::span<double> r)>;
/// Writes dr/dx (m x n); false if it cannot be evaluated there.
using ResidualJacobian = FunctionRef<bool(std::span<const double> x, MatrixView j)>;

enum class NewtonStatus {
  Converged,
  NoSolutionNear,  ///< the sum of squares has a minimum here that is not zero: equations that contradict each other
  TooManyIterations,
  NotEvaluable,  ///< r or J could not be evaluated (false, or not finite) at the start, or in every direction tried
};

struct NewtonOptions {
  double tolerance = 1e-12;  ///< on every |r_i|
  int max_iterations = 100;
  double rank_tolerance = 1e-10;  ///< directions in which J is smaller than this (relative) are left alone
  double max_step = 1e300;        ///< on |dx_i / scale_i|: keeps angles from spinning around
  /// After convergence go on to the solution nearest to the start (in x_i / scale_i), not only a near one.
  bool nearest = false;
  std::span<const double> scale = {};  ///< typical sizes of the unknowns; empty = 1; 0 = held fixed
  std::span<const double> lower = {}, upper = {};
};

struct NewtonReport {
  NewtonStatus status = NewtonStatus::TooManyIterations;
  int iterations = 0;
  int evaluations = 0;
  double residual = 0;   ///< largest |r_i|
  int worst = -1;        ///< its index
  int rank = 0;          ///< rank of the last J, in the unknowns that are free to move
  double last_step = 0;  ///< largest |dx_i / scale_i|

  [[nodiscard]] bool ok() const { return status == NewtonStatus::Converged; }
};

class GaussNewton {
 public:
  GaussNewton(std::size_t residuals, std::size_t unknowns);

  /// Moves x to a solution. On failure x is the best point found. Does not allocate.
  NewtonReport solve(Residual residual, ResidualJacobian jacobian, std::span<double> x,
                     const NewtonOptions& options = {});
  /// The same with J by forward differences.
  NewtonReport solve(Residual residual, std::span<double> x, const NewtonOptions& options = {});

 private:
  struct Run;
  [[nodiscard]] bool evaluate(Run& run, std::span<const double> x, std::vector<double>& r) const;
  void measure(Run& run) const;
  void mark_active(const Run& run, std::span<const double> x);
  void shortest_step(Run& run);
  void gauss_newton_step(Run& run);
  void marquardt_step(double mu);
  bool try_step(Run& run, std::span<double> x, double fraction);
  bool descend(Run& run, std::span<double> x);
  void find_solution(Run& run, std::span<double> x);
  bool calc_scaled_jacobian(Run& run, std::span<const double> x);
  [[nodiscard]] double calc_distance(std::span<const double> x) const;
  bool approach_start(Run& run, std::span<double> x, double fraction);
  void refine_nearest(Run& run, std::span<double> x);

  std::size_t m_, n_;
  Matrix j_;  ///< dr/dx scale, columns of unknowns held at a bound are zero
  PivotedQr qr_, damped_qr_;
  RowGram gram_;  ///< of J, where it is large
  bool large_;
  std::vector<double> r_, trial_r_, x0_, trial_x_, step_, work_, scale_, best_x_;
  std::vector<char> held_;
};

/// J by forward differences: column i from x_i + h_i, h_i = sqrt(eps) max(|x_i|, scale_i). r0 = r(x). Uses `trial` (m
/// numbers) and changes x on the way.
[[nodiscard]] bool calc_differences(Residual residual, std::span<double> x, std::span<const double> scale,
                                    std::span<const double> r0, std::span<double> trial, MatrixView j);

}  // namespace kane

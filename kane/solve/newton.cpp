#include "kane/solve/newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kArmijo = 1e-4;            ///< fraction of the predicted decrease that must come true
constexpr std::size_t kManyEntries = 1000;  ///< of J; most of so many are zero, and normal equations are shorter
constexpr double kStalled = 1e-11;          ///< relative decrease of |r|^2 below which nothing more is to be had

double square(std::span<const double> r) { return dot(r.data(), r.data(), r.size()); }

}  // namespace

bool calc_differences(Residual residual, std::span<double> x, std::span<const double> scale, std::span<const double> r0,
                      std::span<double> trial, MatrixView j) {
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double size = scale.empty() || scale[i] == 0 ? 1.0 : scale[i];
    const double old = x[i];
    x[i] = old + root * std::max(std::abs(old), size);
    bool evaluable = residual(x, trial) && all_finite(trial);
    if (!evaluable) {  // perhaps the edge of the domain: look the other way
      x[i] = old - root * std::max(std::abs(old), size);
      evaluable = residual(x, trial) && all_finite(trial);
    }
    const double h = x[i] - old;
    x[i] = old;
    if (!evaluable) return false;
    for (std::size_t k = 0; k < r0.size(); ++k) j(k, i) = (trial[k] - r0[k]) / h;
  }
  return true;
}

struct GaussNewton::Run {
  Residual residual;
  ResidualJacobian jacobian;
  const NewtonOptions& options;
  NewtonReport report = {};
};

GaussNewton::GaussNewton(std::size_t residuals, std::size_t unknowns)
    : m_(residuals),
      n_(unknowns),
      j_(residuals, unknowns),
      qr_(residuals, unknowns),
      damped_qr_(residuals + unknowns, unknowns),
      large_(residuals * unknowns >= kManyEntries),
      r_(residuals),
      trial_r_(residuals),
      x0_(unknowns),
      trial_x_(unknowns),
      step_(unknowns),
      work_(residuals + unknowns),
      scale_(unknowns),
      best_x_(unknowns),
      held_(unknowns) {
  if (large_) gram_ = RowGram(residuals, unknowns);
}

bool GaussNewton::evaluate(Run& run, std::span<const double> x, std::vector<double>& r) const {
  ++run.report.evaluations;
  return run.residual(x, r) && all_finite(r);
}

void GaussNewton::measure(Run& run) const {
  run.report.residual = 0;
  run.report.worst = -1;
  for (std::size_t i = 0; i < m_; ++i) {
    if (std::abs(r_[i]) > run.report.residual || run.report.worst < 0) {
      run.report.residual = std::abs(r_[i]);
      run.report.worst = static_cast<int>(i);
    }
  }
}

/// Zeroes the columns of unknowns that cannot move: scale 0 (they are zero already), or held at a bound.
void GaussNewton::mark_active(const Run& run, std::span<const double> x) {
  for (std::size_t i = 0; i < n_; ++i) {
    const bool down = !run.options.lower.empty() && x[i] <= run.options.lower[i] && step_[i] < 0;
    const bool up = !run.options.upper.empty() && x[i] >= run.options.upper[i] && step_[i] > 0;
    if (!down && !up) continue;
    held_[i] = 1;
    for (std::size_t k = 0; k < m_; ++k) j_(k, i) = 0;
  }
}

/// The shortest step with J step = work_. J has few entries where many loops hang together, so J J^T costs little; where it is
/// not clearly regular, the orthogonal factorisation decides.
void GaussNewton::shortest_step(Run& run) {
  constexpr double kRounding = 1e-12;
  if (large_) {
    gram_.take(j_.view());
    if (const GramReport report = gram_.factor(kRounding); report.clear()) {
      run.report.rank = static_cast<int>(report.rank);
      gram_.solve_shortest({work_.data(), m_}, step_);
      return;
    }
  }
  qr_.factor(j_.view(), run.options.rank_tolerance);
  run.report.rank = static_cast<int>(qr_.rank());
  qr_.solve_minimum_norm({work_.data(), m_}, step_);
}

void GaussNewton::gauss_newton_step(Run& run) {
  for (std::size_t i = 0; i < m_; ++i) work_[i] = -r_[i];
  shortest_step(run);
}

/// (J^T J + mu) step = -J^T r, as the least squares problem with the rows sqrt(mu) appended; or, with few entries in J, as
/// step = -J^T (J J^T + mu)^-1 r.
void GaussNewton::marquardt_step(double mu) {
  if (large_) {
    gram_.take(j_.view());
    for (std::size_t i = 0; i < m_; ++i) work_[i] = -r_[i];
    if (const GramReport report = gram_.factor(0, mu); report.finite && report.rank == m_) {
      gram_.solve_shortest({work_.data(), m_}, step_);
      return;
    }
  }
  double* const a = damped_qr_.prepare(m_ + n_, n_);
  for (std::size_t c = 0; c < n_; ++c) {
    double* const column = a + c * (m_ + n_);
    for (std::size_t k = 0; k < m_; ++k) column[k] = j_(k, c);
    std::fill_n(column + m_, n_, 0.0);
    column[m_ + c] = std::sqrt(mu);
  }
  damped_qr_.factor(0);
  for (std::size_t i = 0; i < m_; ++i) work_[i] = -r_[i];
  std::fill_n(work_.begin() + static_cast<std::ptrdiff_t>(m_), n_, 0.0);
  damped_qr_.solve_basic(work_, step_);
}

/// Evaluates at x + fraction step; true if that could be done.
bool GaussNewton::try_step(Run& run, std::span<double> x, double fraction) {
  for (std::size_t i = 0; i < n_; ++i) {
    trial_x_[i] = x[i] + fraction * scale_[i] * step_[i];
    if (!run.options.lower.empty()) trial_x_[i] = std::max(trial_x_[i], run.options.lower[i]);
    if (!run.options.upper.empty()) trial_x_[i] = std::min(trial_x_[i], run.options.upper[i]);
  }
  return evaluate(run, trial_x_, trial_r_);
}

/// One iteration: J, step, and a point with a smaller |r|. False if there is none.
bool GaussNewton::descend(Run& run, std::span<double> x) {
  const auto accept = [&](double fraction) {
    run.report.last_step = std::abs(fraction) * max_abs(step_);
    std::copy(trial_x_.begin(), trial_x_.end(), x.begin());
    r_.swap(trial_r_);
    return true;
  };
  const double f = square(r_);
  std::fill(held_.begin(), held_.end(), char{0});
  gauss_newton_step(run);
  for (std::size_t round = 0; round < n_; ++round) {
    const auto before = std::count(held_.begin(), held_.end(), char{1});
    mark_active(run, x);
    if (std::count(held_.begin(), held_.end(), char{1}) == before) break;
    gauss_newton_step(run);
  }
  const double longest = max_abs(step_);
  const double limit = longest > run.options.max_step ? run.options.max_step / longest : 1.0;
  for (double fraction = limit; fraction > limit * 0.01; fraction *= 0.5) {
    if (try_step(run, x, fraction) && square(trial_r_) < (1 - kArmijo * fraction) * f) return accept(fraction);
  }
  double size = 0;
  for (std::size_t k = 0; k < m_; ++k) size = std::max(size, square(j_.view().row_span(k)));
  for (double mu = 1e-8; mu < 1e9; mu *= 10) {
    marquardt_step(mu * size);
    if (max_abs(step_) > run.options.max_step) continue;
    if (try_step(run, x, 1) && square(trial_r_) < f * (1 - kStalled)) return accept(1);
  }
  return false;
}

/// From x down to r = 0, or as far as it goes. r_ holds r(x) before and after.
void GaussNewton::find_solution(Run& run, std::span<double> x) {
  const NewtonOptions& options = run.options;
  measure(run);
  while (run.report.residual > options.tolerance) {
    run.report.status = NewtonStatus::TooManyIterations;
    if (run.report.iterations >= options.max_iterations) return;
    run.report.status = NewtonStatus::NotEvaluable;
    if (!calc_scaled_jacobian(run, x)) return;
    run.report.status = NewtonStatus::NoSolutionNear;
    const double f = square(r_);
    ++run.report.iterations;
    if (!descend(run, x)) return;
    measure(run);
    if (run.report.residual > options.tolerance && square(r_) > (1 - kStalled) * f) return;
  }
  run.report.status = NewtonStatus::Converged;
}

bool GaussNewton::calc_scaled_jacobian(Run& run, std::span<const double> x) {
  if (!run.jacobian(x, j_.view())) return false;
  for (std::size_t k = 0; k < m_; ++k) {
    if (!all_finite(j_.view().row_span(k))) return false;
    for (std::size_t i = 0; i < n_; ++i) j_(k, i) *= scale_[i];
  }
  return true;
}

double GaussNewton::calc_distance(std::span<const double> x) const {
  double sum = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    if (scale_[i] != 0) sum += (x[i] - x0_[i]) * (x[i] - x0_[i]) / (scale_[i] * scale_[i]);
  }
  return sum;
}

/// On the surface r = 0, moves by a fraction of the part of x0 - x that lies in it. False if there is nothing to move.
bool GaussNewton::approach_start(Run& run, std::span<double> x, double fraction) {
  if (!calc_scaled_jacobian(run, x)) return false;
  for (std::size_t i = 0; i < n_; ++i) trial_x_[i] = scale_[i] == 0 ? 0.0 : (x0_[i] - x[i]) / scale_[i];
  for (std::size_t k = 0; k < m_; ++k) work_[k] = dot(j_.view().row(k), trial_x_.data(), n_);
  const int rank = run.report.rank;
  shortest_step(run);
  run.report.rank = rank;
  for (std::size_t i = 0; i < n_; ++i) step_[i] = trial_x_[i] - step_[i];
  const double length = max_abs(step_);
  if (length <= 1e-10 * max_abs(trial_x_) || length < 1e-15) return false;
  if (!try_step(run, x, fraction * std::min(1.0, run.options.max_step / length))) return false;
  std::copy(trial_x_.begin(), trial_x_.end(), x.begin());
  r_.swap(trial_r_);
  return true;
}

// Tangential step towards the start, then back to the surface, as long as that brings x nearer; converges linearly to
// a point where x0 - x is orthogonal to the surface.
void GaussNewton::refine_nearest(Run& run, std::span<double> x) {
  const NewtonReport first = run.report;
  std::copy(x.begin(), x.end(), best_x_.begin());
  double best = calc_distance(x);
  for (double fraction = 1; fraction > 0.05 && run.report.iterations < run.options.max_iterations;) {
    ++run.report.iterations;
    if (!approach_start(run, x, fraction)) break;
    find_solution(run, x);
    const double distance = calc_distance(x);
    if (run.report.ok() && distance < best) {
      std::copy(x.begin(), x.end(), best_x_.begin());
      best = distance;
    } else {
      std::copy(best_x_.begin(), best_x_.end(), x.begin());
      if (!evaluate(run, x, r_)) break;
      fraction *= 0.5;
    }
  }
  std::copy(best_x_.begin(), best_x_.end(), x.begin());
  if (evaluate(run, x, r_)) measure(run);
  run.report.status = NewtonStatus::Converged;
  run.report.rank = first.rank;
}

NewtonReport GaussNewton::solve(Residual residual, ResidualJacobian jacobian, std::span<double> x,
                                const NewtonOptions& options) {
  ensure(x.size() == n_, "{} unknowns given, the workspace is for {}", x.size(), n_);
  Run run{residual, jacobian, options};
  for (std::size_t i = 0; i < n_; ++i) {
    scale_[i] = options.scale.empty() ? 1.0 : options.scale[i];
    if (!options.lower.empty()) x[i] = std::max(x[i], options.lower[i]);
    if (!options.upper.empty()) x[i] = std::min(x[i], options.upper[i]);
  }
  std::copy(x.begin(), x.end(), x0_.begin());
  run.report.status = NewtonStatus::NotEvaluable;
  if (!all_finite(x) || !evaluate(run, x, r_)) return run.report;
  find_solution(run, x);
  if (run.report.ok() && options.nearest) refine_nearest(run, x);
  return run.report;
}

NewtonReport GaussNewton::solve(Residual residual, std::span<double> x, const NewtonOptions& options) {
  const auto differences = [&](std::span<const double> at, MatrixView j) {
    std::copy(at.begin(), at.end(), trial_x_.begin());
    // r_ holds r(at) whenever J is asked for.
    return calc_differences(residual, trial_x_, options.scale, r_, trial_r_, j);
  };
  return solve(residual, ResidualJacobian(differences), x, options);
}

}  // namespace kane

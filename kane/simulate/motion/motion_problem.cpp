#include "kane/simulate/motion/motion_problem.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

namespace {

const Kernel* canonical_kernel(const SystemEvaluator& evaluator, bool canonical, Kernel CanonicalKernels::*which) {
  if (!canonical) return nullptr;
  const CanonicalKernels* kernels = evaluator.system().extra().canonical();
  return kernels == nullptr ? nullptr : &(kernels->*which);
}

}  // namespace

MotionProblem::MotionProblem(SystemEvaluator& evaluator, InputSchedule& inputs, ConstraintProjector& projector,
                             bool canonical)
    : evaluator_(evaluator),
      inputs_(inputs),
      projector_(projector),
      canonical_(canonical),
      nq_(evaluator.system().coordinate_count()),
      nu_(evaluator.system().speed_count()),
      mass_(canonical_kernel(evaluator, canonical, &CanonicalKernels::mass), evaluator.context(), false),
      force_(canonical_kernel(evaluator, canonical, &CanonicalKernels::force), evaluator.context()),
      factor_(canonical ? nu_ : 0, canonical ? nu_ : 0),
      u_(nu_),
      zeros_(std::max(nq_, nu_)),
      rates_(nq_ + nu_),
      trial_(nq_ + nu_),
      trial_rates_(nq_ + nu_),
      failed_state_{0, std::vector<double>(nq_), std::vector<double>(nu_)} {
  ensure(!canonical || mass_.present(), "canonical variables of a system that has none");
}

void situate(SystemEvaluator& evaluator, InputSchedule& inputs, double t) {
  if (inputs.varies_between_breaks())
    evaluator.set_inputs(inputs.calc(t), t);
  else
    evaluator.set_time(t);
}

void MotionProblem::situate(double t) { kane::situate(evaluator_, inputs_, t); }

RhsStatus MotionProblem::fail(const MotionReport& report, double t, std::span<const double> q,
                              std::span<const double> u) {
  failure_ = report;
  failed_state_.t = t;
  std::copy(q.begin(), q.end(), failed_state_.q.begin());
  std::copy(u.begin(), u.end(), failed_state_.u.begin());
  return RhsStatus::Retry;
}

RhsStatus MotionProblem::calc_rates(double t, std::span<const double> y, std::span<double> ydot) {
  situate(t);
  if (canonical_) return calc_canonical(t, y, ydot);
  const MotionReport report = evaluator_.calc_motion(first(y), second(y), ydot.first(nq_), ydot.subspan(nq_));
  return report.ok() ? RhsStatus::Ok : fail(report, t, first(y), second(y));
}

// The kernel gives the lower triangle by rows, the factorisation needs the upper one.
FactorReport MotionProblem::factor_mass(std::span<const double> q) {
  const CallTimes::Measurement measurement(evaluator_.times().mass);
  const auto m = mass_.run(q);
  const double* from = m.data();
  for (std::size_t i = 0; i < nu_; ++i)
    for (std::size_t j = 0; j <= i; ++j) factor_(j, i) = *from++;
  return factor_ldlt(factor_.view());
}

RhsStatus MotionProblem::calc_canonical(double t, std::span<const double> y, std::span<double> ydot) {
  const auto q = first(y), p = second(y);
  EvaluationTimes& times = evaluator_.times();
  const FactorReport factored = factor_mass(q);
  if (!factored.ok()) {
    const bool finite = factored.status != FactorStatus::NotFinite;
    return fail({finite ? MotionStatus::SingularMass : MotionStatus::NotFinite, factored.pivot}, t, q, u_);
  }
  const auto u = ydot.first(nq_);
  std::copy(p.begin(), p.end(), u.begin());
  {
    const CallTimes::Measurement measurement(times.solve);
    solve_ldlt(factor_.view(), u);
  }
  const CallTimes::Measurement measurement(times.motion);
  const auto pdot = force_.run(q, u);
  std::copy(pdot.begin(), pdot.end(), ydot.begin() + static_cast<std::ptrdiff_t>(nq_));
  if (all_finite(pdot)) return RhsStatus::Ok;
  const auto bad = std::find_if(pdot.begin(), pdot.end(), [](double v) { return !std::isfinite(v); });
  return fail({MotionStatus::NotFinite, static_cast<int>(bad - pdot.begin())}, t, q, u);
}

RhsStatus MotionProblem::calc_jacobian(double t, std::span<const double> y, MatrixView dfdy) {
  situate(t);
  if (!jacobian_) jacobian_.emplace(evaluator_);
  if (jacobian_->available()) return jacobian_->calc(first(y), second(y), dfdy);
  const auto f = [&](std::span<const double> at, std::span<double> rates) {
    return calc_rates(t, at, rates) == RhsStatus::Ok;
  };
  std::copy(y.begin(), y.end(), trial_.begin());
  if (!f(trial_, rates_)) return RhsStatus::Retry;
  return calc_differences(f, trial_, {}, rates_, trial_rates_, dfdy) ? RhsStatus::Ok : RhsStatus::Retry;
}

ProjectionStatus MotionProblem::project(double t, std::span<double> y) {
  const CallTimes::Measurement measurement(projection_times_);
  evaluator_.times().set_counting(false);
  situate(t);
  const ProjectionStatus status = projector_.project(y.first(nq_), y.subspan(nq_));
  evaluator_.times().set_counting(true);
  return status;
}

RhsStatus MotionProblem::calc_qdot(double t, std::span<const double> u, std::span<double> qdot) {
  situate(t);
  const MotionReport report =
      evaluator_.calc_motion({zeros_.data(), nq_}, u, {rates_.data(), nq_}, {rates_.data() + nq_, nu_});
  if (report.status == MotionStatus::NotFinite || report.ok()) {
    std::copy_n(rates_.begin(), nq_, qdot.begin());  // udot at q = 0 is not used
    return RhsStatus::Ok;
  }
  return fail(report, t, {zeros_.data(), nq_}, u);
}

RhsStatus MotionProblem::calc_udot(double t, std::span<const double> q, std::span<double> udot) {
  situate(t);
  const std::span<const double> rest{zeros_.data(), nu_};
  const MotionReport report = evaluator_.calc_motion(q, rest, {rates_.data(), nq_}, udot);
  return report.ok() ? RhsStatus::Ok : fail(report, t, q, rest);
}

void MotionProblem::load(const State& state, std::span<double> y) {
  std::copy(state.q.begin(), state.q.end(), y.begin());
  const auto p = y.subspan(nq_);
  if (!canonical_) {
    std::copy(state.u.begin(), state.u.end(), p.begin());
    return;
  }
  situate(state.t);
  const auto m = mass_.run(state.q);
  std::fill(p.begin(), p.end(), 0.0);
  const double* entry = m.data();
  for (std::size_t i = 0; i < nu_; ++i) {
    for (std::size_t j = 0; j < i; ++j, ++entry) {
      p[i] += *entry * state.u[j];
      p[j] += *entry * state.u[i];
    }
    p[i] += *entry++ * state.u[i];
  }
}

bool MotionProblem::store(double t, std::span<const double> y, State& state) {
  state.t = t;
  std::copy_n(y.begin(), nq_, state.q.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(nq_), nu_, state.u.begin());
  if (!canonical_) return true;
  situate(t);
  if (!factor_mass(state.q).ok()) return false;
  solve_ldlt(factor_.view(), state.u);
  return true;
}

}  // namespace kane

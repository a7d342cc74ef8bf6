#include "kane/simulate/system_evaluator.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"

namespace kane {

SystemEvaluator::SystemEvaluator(std::shared_ptr<const CompiledSystem> system)
    : system_(std::move(system)),
      motion_(system_->motion()),
      mass_(system_->mass()),
      constraints_(system_->constraints()),
      reports_(system_->reports()),
      inverse_(system_->inverse()),
      inputs_(system_->default_inputs()),
      mass_matrix_(system_->speed_count(), system_->speed_count()),
      jacobian_(system_->constraint_count(), system_->speed_count()),
      active_jacobian_(system_->constraint_count(), system_->speed_count()),
      qdot_(system_->coordinate_count()),
      rhs_(system_->speed_count()),
      phi_(system_->constraint_count()),
      b_(system_->constraint_count()),
      gamma_(system_->constraint_count()),
      active_b_(system_->constraint_count()),
      active_gamma_(system_->constraint_count()),
      active_lambda_(system_->constraint_count()),
      choice_(system_->constraint_count(), system_->speed_count()),
      embedding_(system_->speed_count(), system_->constraint_count()),
      factor_(system_->speed_count(), system_->speed_count()) {
  inputs_.push_back(0.0);
  std::vector<bool> active;
  for (const auto& c : system_->equations().constraints) active.push_back(c.active);
  set_active(active);
  set_parameters(system_->calc_parameters({}));
  set_time(0.0);
}

template <class Each>
void SystemEvaluator::each_part(Each each) {
  for (Part* part : {&motion_, &mass_, &constraints_, &reports_, &inverse_})
    if (part->kernel != nullptr) each(*part);
}

void SystemEvaluator::set_parameters(std::span<const double> parameters) {
  each_part([&](Part& part) { part.kernel->set_parameters(parameters, *part.workspace); });
}

void SystemEvaluator::set_inputs(std::span<const double> inputs, double t) {
  ensure(inputs.size() + 1 == inputs_.size(), "{} inputs are given, not {}", inputs.size(), inputs_.size() - 1);
  std::copy(inputs.begin(), inputs.end(), inputs_.begin());
  inputs_.back() = t;
  each_part([&](Part& part) { part.kernel->set_inputs(inputs_, *part.workspace); });
}

void SystemEvaluator::set_time(double t) {
  if (inputs_.back() == t && t != 0.0) return;
  inputs_.back() = t;
  if (!system_->uses_time() && t != 0.0) return;  // nothing to work out again
  each_part([&](Part& part) { part.kernel->set_inputs(inputs_, *part.workspace); });
}

void SystemEvaluator::set_active(const std::vector<bool>& active) {
  active_.clear();
  for (std::size_t i = 0; i < active.size(); ++i)
    if (active[i]) active_.push_back(static_cast<int>(i));
  chosen_ = false;
}

void SystemEvaluator::load_state(Part& part, std::span<const double> q, std::span<const double> u) {
  const auto state = part.workspace->state();
  std::copy(q.begin(), q.end(), state.begin());
  std::copy(u.begin(), u.end(), state.begin() + static_cast<std::ptrdiff_t>(q.size()));
}

void SystemEvaluator::calc_mass(std::span<const double> q, std::span<const double> u) {
  ensure(mass_.kernel != nullptr, "the mass matrix of '{}' was not formed", system_->equations().name);
  load_state(mass_, q, u);
  mass_.kernel->run_state(*mass_.workspace);
  const auto y = mass_.workspace->outputs();
  const std::size_t nq = qdot_.size(), n = rhs_.size();
  std::copy_n(y.begin(), nq, qdot_.begin());
  std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(nq), n, rhs_.begin());
  std::size_t k = nq + n;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++k) mass_matrix_(i, j) = mass_matrix_(j, i) = y[k];
}

void SystemEvaluator::calc_constraints(std::span<const double> q, std::span<const double> u) {
  if (constraints_.kernel == nullptr) return;
  load_state(constraints_, q, u);
  constraints_.kernel->run_state(*constraints_.workspace);
  const auto y = constraints_.workspace->outputs();
  const std::size_t n = rhs_.size();
  for (std::size_t i = 0, k = 0; i < phi_.size(); ++i) {
    phi_[i] = y[k++], b_[i] = y[k++], gamma_[i] = y[k++];
    for (std::size_t j = 0; j < n; ++j) jacobian_(i, j) = y[k++];
  }
  gather_active();
}

void SystemEvaluator::gather_active() {
  const auto rows = active_jacobian_.packed(active_.size(), rhs_.size());
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const auto row = static_cast<std::size_t>(active_[i]);
    for (std::size_t j = 0; j < rhs_.size(); ++j) rows(i, j) = jacobian_(row, j);
    active_b_[i] = b_[row];
    active_gamma_[i] = gamma_[row];
  }
}

const IndependentReport& SystemEvaluator::choose_independent() {
  const auto& preferred = system_->equations().dependent_speeds;
  const IndependentReport& report =
      chosen_ ? choice_.update(active_jacobian(), {}, preferred) : choice_.choose(active_jacobian(), {}, preferred);
  if (!chosen_ || report.changed) embedding_.set_choice(choice_);
  chosen_ = true;
  return report;
}

MotionReport SystemEvaluator::solve_free(std::span<double> udot) {
  const std::size_t n = rhs_.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) factor_(i, j) = mass_matrix_(i, j);
  const FactorReport factored = factor_ldlt(factor_.view());
  if (!factored.ok())
    return {factored.status == FactorStatus::NotFinite ? MotionStatus::NotFinite : MotionStatus::SingularMass,
            factored.pivot};
  std::copy(rhs_.begin(), rhs_.end(), udot.begin());
  solve_ldlt(factor_.view(), udot);
  return {};
}

MotionReport SystemEvaluator::solve_embedded(std::span<double> udot) {
  if (!chosen_) choose_independent();
  EmbedReport embedded = embedding_.refresh(active_jacobian());
  // The choice made earlier may have gone bad on the way here: choose again, once.
  constexpr double kLargestGrowth = 1e3;
  if (!embedded.ok() || embedding_.growth() > kLargestGrowth) {
    choose_independent();
    embedded = embedding_.refresh(active_jacobian());
  }
  if (embedded.ok()) embedded = embedding_.solve(mass_matrix_.view(), rhs_, active_gamma(), udot);
  switch (embedded.status) {
    case EmbedStatus::Ok: return {};
    case EmbedStatus::InertiaSingular: return {MotionStatus::SingularMass, embedded.index};
    case EmbedStatus::NotFinite: return {MotionStatus::NotFinite, embedded.index};
    default: return {MotionStatus::SingularBlock, embedded.index};
  }
}

MotionReport SystemEvaluator::calc_motion(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                          std::span<double> udot) {
  MotionReport report;
  if (active_.empty() && motion_.kernel != nullptr) {
    load_state(motion_, q, u);
    motion_.kernel->run_state(*motion_.workspace);
    const auto y = motion_.workspace->outputs();
    std::copy_n(y.begin(), qdot.size(), qdot.begin());
    std::copy_n(y.begin() + static_cast<std::ptrdiff_t>(qdot.size()), udot.size(), udot.begin());
  } else {
    calc_mass(q, u);
    std::copy(qdot_.begin(), qdot_.end(), qdot.begin());
    if (active_.empty()) {
      report = solve_free(udot);
    } else {
      calc_constraints(q, u);
      report = solve_embedded(udot);
    }
  }
  if (!report.ok()) return report;
  for (std::size_t i = 0; i < udot.size(); ++i)
    if (!std::isfinite(udot[i])) return {MotionStatus::NotFinite, static_cast<int>(i)};
  return report;
}

void SystemEvaluator::calc_multipliers(std::span<const double> udot, std::span<double> lambda) {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  if (active_.empty()) return;
  const std::span<double> active{active_lambda_.data(), active_.size()};
  embedding_.calc_multipliers(mass_matrix_.view(), rhs_, udot, Multipliers::MinimumNorm, active);
  for (std::size_t i = 0; i < active_.size(); ++i) lambda[static_cast<std::size_t>(active_[i])] = active[i];
}

std::span<const double> SystemEvaluator::calc_reports(std::span<const double> q, std::span<const double> u,
                                                      std::span<const double> udot, std::span<const double> lambda) {
  ensure(reports_.kernel != nullptr, "the reports of '{}' were not compiled", system_->equations().name);
  load_state(reports_, q, u);
  const auto state = reports_.workspace->state();
  const auto after =
      std::copy(udot.begin(), udot.end(), state.begin() + static_cast<std::ptrdiff_t>(q.size() + u.size()));
  std::copy(lambda.begin(), lambda.end(), after);
  reports_.kernel->run_state(*reports_.workspace);
  return reports_.workspace->outputs();
}

void SystemEvaluator::calc_inverse(std::span<const double> q, std::span<const double> u, std::span<const double> udot,
                                   std::span<double> forces) {
  ensure(inverse_.kernel != nullptr, "the inverse dynamics of '{}' was not formed", system_->equations().name);
  load_state(inverse_, q, u);
  const auto state = inverse_.workspace->state();
  std::copy(udot.begin(), udot.end(), state.begin() + static_cast<std::ptrdiff_t>(q.size() + u.size()));
  inverse_.kernel->run_state(*inverse_.workspace);
  std::copy_n(inverse_.workspace->outputs().begin(), forces.size(), forces.begin());
}

}  // namespace kane

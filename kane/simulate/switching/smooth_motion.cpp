#include "kane/simulate/switching/smooth_motion.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

SmoothMotion::SmoothMotion(ContactSet& set, SwitchingWork& work)
    : set_(set), work_(work), sliding_lu_(set.contacts.size()) {
  const std::size_t rows = set.evaluator.system().row_count(), c = set.contacts.size();
  force_.resize(set.n), lambda_.resize(rows), active_lambda_.resize(rows), zeros_.resize(rows);
  applied_.resize(rows), applied_rows_.reserve(rows);
  factors_ = MassFactors(set.n, set.evaluator.system().equations().symmetric);
  sliding_z_ = Matrix(c, set.n), sliding_lambda_ = Matrix(c, rows);
  sliding_.reserve(c), sliding_force_.resize(set.n), sliding_rhs_.resize(c);
}

void SmoothMotion::add_applied(std::span<double> force) const {
  for (const std::size_t row : applied_rows_) set_.add_row(row, applied_[row], force);
}

void SmoothMotion::set_applied(std::size_t row, double force) {
  if (std::find(applied_rows_.begin(), applied_rows_.end(), row) == applied_rows_.end()) applied_rows_.push_back(row);
  applied_[row] = force;
}

void SmoothMotion::add_known_forces(std::span<const double> u) {
  std::ranges::copy(set_.evaluator.rhs(), force_.begin());
  add_applied(force_);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const SwitchedContact& c = set_.contacts[k];
    if (!c.compliant && c.state == ContactState::Closed && set_.adhesion(k) > 0)
      set_.add_row(c.row, -set_.adhesion(k), force_);
    if (!c.compliant) continue;
    const double force = set_.compliant_force(k);
    lambda_[c.row] = force;
    if (force != 0) set_.add_row(c.row, force, force_);
  }
  for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
    SwitchedFriction& f = set_.frictions[i];
    if (f.state != FrictionState::Slide) continue;
    set_.update_direction(f, u);
    if (set_.rigid_contact(f)) continue;
    const double limit = set_.known_limit(f, set_.kinetic(i));
    for (std::size_t k = 0; k < f.rows.size(); ++k) {
      lambda_[f.rows[k]] = -limit * f.direction[k];
      set_.add_row(f.rows[k], lambda_[f.rows[k]], force_);
    }
  }
}

MotionReport SmoothMotion::solve_smooth(std::span<double> udot) {
  if (!set_.any_active) {
    const FactorReport factored = factors_.factor(set_.evaluator.mass_matrix());
    if (!factored.ok())
      return {factored.status == FactorStatus::NotFinite ? MotionStatus::NotFinite : MotionStatus::SingularMass,
              factored.pivot};
    std::ranges::copy(force_, udot.begin());
    factors_.solve(udot);
    return {};
  }
  EmbedReport embedded = set_.evaluator.refresh_embedding();
  Embedding& embedding = set_.evaluator.embedding();
  if (embedded.ok())
    embedded = embedding.solve(set_.evaluator.mass_matrix(), force_, set_.evaluator.active_gamma(), udot);
  if (!embedded.ok()) {
    const auto status = embedded.status == EmbedStatus::InertiaSingular ? MotionStatus::SingularMass
                        : embedded.status == EmbedStatus::NotFinite     ? MotionStatus::NotFinite
                                                                        : MotionStatus::SingularBlock;
    return {status, embedded.index};
  }
  const auto& rows = set_.evaluator.active_rows();
  const std::span<double> lambda = std::span(active_lambda_).first(rows.size());
  embedding.calc_multipliers(set_.evaluator.mass_matrix(), force_, udot, Multipliers::MinimumNorm, lambda);
  for (std::size_t i = 0; i < rows.size(); ++i) lambda_[at(rows[i])] = lambda[i];
  return set_.any_sliding ? add_sliding(udot) : MotionReport{};
}

MotionReport SmoothMotion::add_sliding(std::span<double> udot) {
  sliding_.clear();
  const auto& rows = set_.evaluator.active_rows();
  const std::span<double> lambda = std::span(active_lambda_).first(rows.size());
  const std::span<const double> zeros = std::span(zeros_).first(rows.size());
  Embedding& embedding = set_.evaluator.embedding();
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    if (set_.contacts[k].compliant || set_.contacts[k].state != ContactState::Closed) continue;
    std::fill(sliding_force_.begin(), sliding_force_.end(), 0.0);
    bool slides = false;
    for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
      const SwitchedFriction& f = set_.frictions[i];
      if (f.contact != static_cast<int>(k) || f.state != FrictionState::Slide) continue;
      for (std::size_t r = 0; r < f.rows.size(); ++r)
        set_.add_row(f.rows[r], -set_.kinetic(i) * f.direction[r], sliding_force_);
      slides = true;
    }
    if (!slides) continue;
    const std::size_t s = sliding_.size();
    const std::span<double> z = sliding_z_.view().row_span(s);
    const EmbedReport solved = embedding.solve(set_.evaluator.mass_matrix(), sliding_force_, zeros, z);
    if (!solved.ok()) return {MotionStatus::SingularMass, solved.index};
    embedding.calc_multipliers(set_.evaluator.mass_matrix(), sliding_force_, z, Multipliers::MinimumNorm, lambda);
    const std::span<double> all = sliding_lambda_.view().row_span(s);
    std::fill(all.begin(), all.end(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) all[at(rows[i])] = lambda[i];
    sliding_.push_back(k);
  }
  const std::size_t c = sliding_.size();
  if (c == 0) return {};
  const MatrixView m = sliding_lu_.prepare(c);
  for (std::size_t i = 0; i < c; ++i) {
    for (std::size_t j = 0; j < c; ++j)
      m(i, j) = (i == j ? 1.0 : 0.0) - sliding_lambda_(j, set_.contacts[sliding_[i]].row);
    sliding_rhs_[i] = lambda_[set_.contacts[sliding_[i]].row];
  }
  // Singular: the friction is just so large that no normal force balances it (Painleve); a shorter step may avoid it.
  if (!sliding_lu_.factor().ok()) return {MotionStatus::SingularBlock, -1};
  const std::span<double> normal = std::span(sliding_rhs_).first(c);
  sliding_lu_.solve(normal);
  for (std::size_t i = 0; i < c; ++i) {
    add_scaled(udot.data(), normal[i], sliding_z_.view().row(i), set_.n);
    add_scaled(lambda_.data(), normal[i], sliding_lambda_.view().row(i), lambda_.size());
  }
  for (std::size_t i = 0; i < set_.frictions.size(); ++i) {
    const SwitchedFriction& f = set_.frictions[i];
    if (f.state != FrictionState::Slide || !set_.rigid_contact(f)) continue;
    const double press = lambda_[set_.contacts[at(f.contact)].row];
    for (std::size_t r = 0; r < f.rows.size(); ++r) lambda_[f.rows[r]] = -set_.kinetic(i) * press * f.direction[r];
  }
  return {};
}

MotionReport SmoothMotion::calc(std::span<const double> q, std::span<const double> u, std::span<double> qdot,
                                std::span<double> udot) {
  ++work_.evaluations;
  std::fill(lambda_.begin(), lambda_.end(), 0.0);
  if (!set_.any_active && !set_.any_sliding && !set_.any_compliant && applied_rows_.empty())
    return set_.evaluator.calc_motion(q, u, qdot, udot);
  set_.evaluate(q, u);
  std::ranges::copy(set_.evaluator.qdot(), qdot.begin());
  const CallTimes::Measurement measurement(set_.evaluator.times().solve);
  add_known_forces(u);
  const MotionReport report = solve_smooth(udot);
  // What a contact exerts, adhesion included.
  for (std::size_t k = 0; k < set_.contacts.size(); ++k)
    if (!set_.contacts[k].compliant && set_.contacts[k].state == ContactState::Closed)
      lambda_[set_.contacts[k].row] -= set_.adhesion(k);
  if (!report.ok() || all_finite(udot)) return report;
  const auto bad = std::find_if(udot.begin(), udot.end(), [](double v) { return !std::isfinite(v); });
  return {MotionStatus::NotFinite, static_cast<int>(bad - udot.begin())};
}

}  // namespace kane

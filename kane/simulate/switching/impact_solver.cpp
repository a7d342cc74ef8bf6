#include "kane/simulate/switching/impact_solver.hpp"

#include <algorithm>
#include <cmath>

#include "kane/solve/kernels.hpp"

namespace kane {

ImpactSolver::ImpactSolver(ContactSet& set, ContactProblem& problem, SwitchingWork& work)
    : set_(set),
      problem_(problem),
      work_(work),
      p_compression_(problem.p.size()),
      phases_(set.contacts.size(), set.frictions.size()) {
  laws_.reserve(set.contacts.size());
  for (auto* v : {&u_elastic_, &u_inelastic_, &u_start_}) v->resize(set.n);
}

void ImpactSolver::note_approach(std::span<const double> u) {
  simultaneous_ = true;
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    SwitchedContact& c = set_.contacts[k];
    if (!set_.touches(c)) continue;
    c.fastest_approach = std::max(c.fastest_approach, -set_.row_speed(c.row, u));
    simultaneous_ = simultaneous_ && set_.restitution(k) == 0;
  }
}

ContactStatus ImpactSolver::solve(std::span<const double> u, std::span<double> p, bool elastic) {
  const std::size_t c = problem_.involved.size(), all = problem_.rows.size();
  const ConstMatrixView w = problem_.w.packed(all, all);
  const std::span<double> v0 = std::span(problem_.v0).first(all);
  bool poisson = false;
  for (std::size_t i = 0; i < all; ++i) v0[i] = set_.row_speed(problem_.rows[i], u);
  for (std::size_t i = 0; i < c && elastic; ++i) {
    const SwitchedContact& contact = set_.contacts[problem_.involved[i]];
    const bool own = contact.law == RestitutionLaw::Poisson;
    poisson = poisson || own;
    if (!own) v0[i] *= 1 + set_.restitution(problem_.involved[i]);
  }
  const ContactStatus pressed = problem_.solve(p);
  if (!usable(pressed) || !poisson) return pressed;
  // Restitution: v0 + W p of the compression, with e p_c given back at least.
  const std::span<double> compression = std::span(p_compression_).first(all);
  std::ranges::copy(p, compression.begin());
  std::ranges::copy(problem_.speeds(), v0.begin());
  for (auto& term : problem_.terms) term.limit = 0;
  for (std::size_t i = 0; i < c; ++i) {
    if (set_.contacts[problem_.involved[i]].law != RestitutionLaw::Poisson) continue;
    const double back = set_.restitution(problem_.involved[i]) * compression[i];
    for (std::size_t r = 0; r < all; ++r) v0[r] += w(r, i) * back;
    for (auto& term : problem_.terms)
      if (term.contact == static_cast<int>(i)) term.limit = term.mu * back;
  }
  const ContactStatus released = problem_.solve(p);
  for (auto& term : problem_.terms) term.limit = 0;
  for (std::size_t i = 0; i < all; ++i) {
    p[i] += compression[i];
    if (i < c && set_.contacts[problem_.involved[i]].law == RestitutionLaw::Poisson)
      p[i] += set_.restitution(problem_.involved[i]) * compression[i];
  }
  return released;
}

bool ImpactSolver::phased(std::size_t k) const {
  return set_.contacts[k].phases || set_.contacts[k].law == RestitutionLaw::Stronge;
}

ContactStatus ImpactSolver::follow_phases(std::span<const double> u, std::span<double> p) {
  const std::size_t all = problem_.rows.size();
  const std::span<double> v0 = std::span(problem_.v0).first(all);
  for (std::size_t i = 0; i < all; ++i) v0[i] = set_.row_speed(problem_.rows[i], u);
  laws_.clear();
  for (const std::size_t k : problem_.involved) {
    using Ratio = ImpactLaw::Ratio;
    const RestitutionLaw law = set_.contacts[k].law;
    laws_.push_back({law == RestitutionLaw::Newton    ? Ratio::Speeds
                     : law == RestitutionLaw::Poisson ? Ratio::Impulses
                                                      : Ratio::Work,
                     set_.restitution(k)});
  }
  // What does not come to its end is solved as a whole, without rebound.
  return phases_.solve(problem_.w.packed(all, all), v0, problem_.terms, laws_, p) ? ContactStatus::Solved
                                                                                  : solve(u, p, false);
}

/// T(u_inelastic + s (u_elastic - u_inelastic)) <= T(u-), with the largest s.
void ImpactSolver::limit_energy(std::span<const double> u_before, std::span<double> u) {
  const double before = set_.calc_kinetic(u_before), after = set_.calc_kinetic(u_elastic_);
  std::ranges::copy(u_elastic_, u.begin());
  if (after <= before || max_abs(set_.evaluator.b()) > 0) return;
  double squared = 0, mixed = 0;
  for (std::size_t i = 0; i < set_.n; ++i) {
    double md = 0;
    for (std::size_t j = 0; j < set_.n; ++j)
      md += set_.evaluator.mass_matrix()(i, j) * (u_elastic_[j] - u_inelastic_[j]);
    squared += 0.5 * (u_elastic_[i] - u_inelastic_[i]) * md;
    mixed += u_inelastic_[i] * md;
  }
  const double rest = set_.calc_kinetic(u_inelastic_) - before;  // <= 0
  if (!(squared > 0)) return;
  const double root = std::sqrt(std::max(0.0, mixed * mixed - 4 * squared * rest));
  const double s = std::clamp((-mixed + root) / (2 * squared), 0.0, 1.0);
  for (std::size_t i = 0; i < set_.n; ++i) u[i] = u_inelastic_[i] + s * (u_elastic_[i] - u_inelastic_[i]);
  for (std::size_t j = 0; j < problem_.rows.size(); ++j)
    problem_.p[j] = p_compression_[j] + s * (problem_.p[j] - p_compression_[j]);
}

bool ImpactSolver::round(std::span<double> u, std::span<double> impulse, TransitionReport& report) {
  problem_.involved.clear();
  bool approaches = false, rebounds = false, in_phases = false;
  for (std::size_t k = 0; k < set_.contacts.size(); ++k)
    in_phases = in_phases || (set_.touches(set_.contacts[k]) && phased(k));
  for (std::size_t k = 0; k < set_.contacts.size(); ++k) {
    const SwitchedContact& c = set_.contacts[k];
    if (!set_.touches(c)) continue;
    const bool closing = set_.row_speed(c.row, u) < -set_.still(u, c.row);
    approaches = approaches || closing;
    if (closing || simultaneous_ || in_phases)
      problem_.involved.push_back(k), rebounds = rebounds || set_.restitution(k) > 0;
  }
  if (!approaches) return false;
  problem_.collect_rows();
  problem_.add_friction_terms(u, true);
  if (!problem_.form_response()) {
    report.finite = false;
    return false;
  }
  report.impact = true;
  ++work_.impacts;
  const std::span<double> p = std::span(problem_.p).first(problem_.rows.size());
  std::ranges::copy(u, u_start_.begin());
  report.status = in_phases ? follow_phases(u_start_, p) : solve(u_start_, p, rebounds);
  if (!report.ok()) return false;
  problem_.apply_impulses(u, p);
  if (rebounds && (!problem_.terms.empty() || problem_.involved.size() > 1)) {
    std::ranges::copy(u, u_elastic_.begin());
    std::ranges::copy(u_start_, u_inelastic_.begin());
    const std::span<double> plain = std::span(p_compression_).first(problem_.rows.size());
    if (set_.calc_kinetic(u_elastic_) > set_.calc_kinetic(u_start_) &&
        solve(u_start_, plain, false) == ContactStatus::Solved) {
      problem_.apply_impulses(u_inelastic_, plain);
      limit_energy(u_start_, u);
    }
  }
  for (std::size_t j = 0; j < problem_.rows.size(); ++j) impulse[problem_.rows[j]] += problem_.p[j];
  return all_finite(u);
}

/// No finite forces exist (Painleve): finds impulses that keep the bodies from penetrating in the next instant.
bool ImpactSolver::shock(std::span<double> u, std::span<const double> udot_free, std::span<double> impulse) {
  constexpr double kInstant = 1e-7;
  const std::size_t all = problem_.rows.size();
  problem_.terms.clear(), problem_.rows.clear(), problem_.involved_frictions.clear();
  problem_.collect_rows();
  problem_.add_friction_terms(u, true);
  if (problem_.rows.empty() || !problem_.form_response()) return false;
  const std::span<double> v0 = std::span(problem_.v0).first(problem_.rows.size()),
                          p = std::span(problem_.p).first(problem_.rows.size());
  for (std::size_t i = 0; i < problem_.rows.size(); ++i)
    v0[i] = set_.row_speed(problem_.rows[i], u) +
            kInstant * (dot(set_.evaluator.jacobian().row(problem_.rows[i]), udot_free.data(), set_.n) -
                        set_.evaluator.gamma()[problem_.rows[i]]);
  if (!usable(problem_.solve(p))) return false;
  problem_.apply_impulses(u, p);
  for (std::size_t j = 0; j < problem_.rows.size(); ++j) impulse[problem_.rows[j]] += p[j];
  return all > 0;
}

}  // namespace kane

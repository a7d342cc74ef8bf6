#include "kane/simulate/switching/state_finder.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

StateFinder::StateFinder(ContactSet& set, ContactProblem& problem, const SmoothMotion& smooth)
    : set_(set), problem_(problem), smooth_(smooth), force_(set.n), udot_free_(set.n) {}

double StateFinder::rest_threshold(std::size_t contact, std::span<const double> u) const {
  const SwitchedContact& c = set_.contacts[contact];
  if (!(set_.restitution(contact) < 1)) return set_.still(u, c.row);
  // A rebound that does not separate within this time is not one; in ticks of 1 ms gravity alone causes 5 mm/s.
  constexpr double kInTouch = 2e-4;
  return std::max(
      {set_.still(u, c.row), set_.options.rest_speed * c.fastest_approach, set_.options.touch_gap / kInTouch});
}

ContactStatus StateFinder::solve_accelerations(std::span<const double> u, bool check_unique) {
  problem_.involved.clear();
  for (std::size_t k = 0; k < set_.contacts.size(); ++k)
    if (set_.touches(set_.contacts[k]) && set_.row_speed(set_.contacts[k].row, u) <= rest_threshold(k, u))
      problem_.involved.push_back(k);
  problem_.collect_rows();
  problem_.add_friction_terms(u, false);
  std::ranges::copy(set_.evaluator.rhs(), force_.begin());
  smooth_.add_applied(force_);
  for (std::size_t k = 0; k < set_.contacts.size(); ++k)
    if (set_.contacts[k].compliant && set_.compliant_force(k) != 0)
      set_.add_row(set_.contacts[k].row, set_.compliant_force(k), force_);
  for (const std::size_t k : problem_.involved)
    if (set_.adhesion(k) > 0) set_.add_row(set_.contacts[k].row, -set_.adhesion(k), force_);
  if (!problem_.respond(force_, true, udot_free_)) return ContactStatus::Inaccurate;
  if (problem_.rows.empty()) return ContactStatus::Solved;
  if (!problem_.form_response()) return ContactStatus::Inaccurate;
  const std::span<double> v0 = std::span(problem_.v0).first(problem_.rows.size());
  for (std::size_t i = 0; i < problem_.rows.size(); ++i)
    v0[i] = dot(set_.evaluator.jacobian().row(problem_.rows[i]), udot_free_.data(), set_.n) -
            set_.evaluator.gamma()[problem_.rows[i]];
  return problem_.solve(std::span(problem_.p).first(problem_.rows.size()), check_unique && set_.options.check_unique);
}

double StateFinder::acceleration_tolerance() const {
  const std::size_t all = problem_.rows.size();
  double size = max_abs(std::span(problem_.v0).first(all));
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t j = 0; j < all; ++j)
      size = std::max(size, std::abs(problem_.w.packed(all, all)(i, j) * problem_.p[j]));
  return 1e-9 * size + 1e-300;
}

/// Solves again with the frictions that leave their cones sliding.
ContactStatus StateFinder::let_go() {
  constexpr double kEdge = 1e-9, kAtRest = 1e-3;
  bool any = false;
  const double rounding = kAtRest * acceleration_tolerance();
  for (std::size_t t = 0; t < problem_.terms.size(); ++t) {
    FrictionTerm& term = problem_.terms[t];
    const std::size_t i = problem_.involved_frictions[t];
    if (!set_.frictions[i].leaves || term.sliding) continue;
    double force = 0, moves = 0;
    for (std::size_t k = 0; k < term.rows; ++k) {
      force = std::hypot(force, problem_.p[term.first + k]);
      moves = std::hypot(moves, problem_.speeds()[term.first + k]);
    }
    const double limit = term.limit + (term.contact >= 0 ? term.mu * problem_.p[at(term.contact)] : 0.0);
    // On the edge of the cone, or of the pyramid that stands for it: then it begins to move, however slowly.
    if (!(force > 0) || (force < (1 - kEdge) * limit && moves <= rounding)) continue;
    for (std::size_t k = 0; k < term.rows; ++k) term.direction[k] = -problem_.p[term.first + k] / force;
    term.sliding = any = true;
    term.mu = term.contact >= 0 ? set_.kinetic(i) : 0.0;
    term.limit = set_.known_limit(set_.frictions[i], set_.kinetic(i));
  }
  return any ? problem_.solve(std::span(problem_.p).first(problem_.rows.size()), set_.options.check_unique)
             : ContactStatus::Solved;
}

void StateFinder::take_states() {
  const double tolerance = acceleration_tolerance();
  const double force = 1e-12 * max_abs(std::span(problem_.p).first(problem_.rows.size()));
  for (SwitchedContact& c : set_.contacts) c.state = ContactState::Open;
  for (std::size_t i = 0; i < problem_.involved.size(); ++i)
    if (problem_.speeds()[i] <= tolerance && problem_.p[i] > force)
      set_.contacts[problem_.involved[i]].state = ContactState::Closed;
  for (SwitchedFriction& f : set_.frictions) f.rested = f.state != FrictionState::Slide, f.state = FrictionState::Idle;
  for (std::size_t t = 0; t < problem_.terms.size(); ++t) {
    const FrictionTerm& term = problem_.terms[t];
    SwitchedFriction& f = set_.frictions[problem_.involved_frictions[t]];
    if (set_.rigid_contact(f) && set_.contacts[at(f.contact)].state == ContactState::Open) continue;
    if (f.rested) f.fastest = 0;
    f.line = set_.find_line(f);
    if (term.sliding) {
      f.state = FrictionState::Slide;
      f.direction = f.kept = term.direction;
      continue;
    }
    double size = 0;
    for (std::size_t k = 0; k < term.rows; ++k) size = std::hypot(size, problem_.speeds()[term.first + k]);
    f.state = size <= tolerance ? FrictionState::Stick : FrictionState::Slide;
    if (f.state == FrictionState::Slide)
      for (std::size_t k = 0; k < term.rows; ++k) f.direction[k] = f.kept[k] = problem_.speeds()[term.first + k] / size;
  }
}

bool StateFinder::keeps_states() const {
  const double tolerance = acceleration_tolerance();
  for (std::size_t i = 0; i < problem_.involved.size(); ++i)
    if (set_.contacts[problem_.involved[i]].state == ContactState::Closed && problem_.speeds()[i] > tolerance)
      return false;
  for (std::size_t t = 0; t < problem_.terms.size(); ++t) {
    if (set_.frictions[problem_.involved_frictions[t]].state != FrictionState::Stick) continue;
    for (std::size_t k = 0; k < problem_.terms[t].rows; ++k)
      if (std::abs(problem_.speeds()[problem_.terms[t].first + k]) > tolerance) return false;
  }
  return true;
}

bool StateFinder::feasible(std::span<const double> q, std::span<const double> u) {
  bool good = false;
  if (problem_.prepare(q, u)) {
    const ContactStatus status = solve_accelerations(u, false);
    good = (status == ContactStatus::Solved || status == ContactStatus::ForcesNotUnique) && keeps_states();
  }
  set_.evaluator.set_active(set_.active);
  set_.evaluator.calc_constraints(q, u);
  return good;
}

}  // namespace kane

// Impacts, and the states of contacts and frictions after an event.
//
// An impact happens where something that touches approaches. With v = J u the speeds of rows, W = J M^-1 J^T in the set of
// bilateral constraints, and p the impulses:
//
//     v+ = v- + W p,   0 <= v_n+ + e v_n-  _|_  p_n >= 0   (Newton),   friction by the cone
//     Poisson: a compression with e = 0 that gives p_c, then a restitution with impulses of at least e p_c
//
// All contacts that approach at an instant are solved together; those that only touch wait until the impact has reached
// them. So a row of balls passes an impact on from one to the next, and a block that lands flat does not turn. If
// nothing rebounds at all, everything that touches is solved at once.
//
// With friction, or with several coefficients, Newton's law may create energy (Kane and Levinson 1985). The result is
// then moved towards the impact without rebound, which never does, just as far as needed; on the way there all contacts
// keep separating and all impulses stay in their cones, since both sets are convex.

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

/// There is a solution, perhaps not the only one.
bool usable(ContactStatus status) { return ContactReport{.status = status}.ok(); }
}  // namespace

// ---- response of the system to forces along rows ------------------------------------------------------------------------

bool SwitchedDynamics::prepare_base(std::span<const double> q, std::span<const double> u) {
  evaluator_.set_active(bilateral_);
  evaluator_.calc_constraints(q, u);
  massless_ = -1;
  base_constrained_ = !evaluator_.active_rows().empty();
  if (base_constrained_) return evaluator_.refresh_embedding().ok();
  for (std::size_t i = 0; i < n_; ++i)
    for (std::size_t j = i; j < n_; ++j) factor_(i, j) = evaluator_.mass_matrix()(i, j);
  const FactorReport factored = factor_ldlt(factor_.view());
  if (!factored.ok()) massless_ = factored.pivot;
  return factored.ok();
}

bool SwitchedDynamics::solve_base(std::span<const double> rhs, bool with_gamma, std::span<double> out) {
  if (base_constrained_) {
    const std::span<const double> gamma =
        with_gamma ? evaluator_.active_gamma() : std::span<const double>(zeros_).first(evaluator_.active_rows().size());
    return evaluator_.embedding().solve(evaluator_.mass_matrix(), rhs, gamma, out).ok();
  }
  std::ranges::copy(rhs, out.begin());
  solve_ldlt(factor_.view(), out);
  return true;
}

bool SwitchedDynamics::form_response() {
  for (std::size_t j = 0; j < rows_.size(); ++j)
    if (!solve_base({evaluator_.jacobian().row(rows_[j]), n_}, false, response_.view().row_span(j))) return false;
  const MatrixView w = w_.packed(rows_.size(), rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    for (std::size_t j = 0; j < rows_.size(); ++j)
      w(i, j) = dot(evaluator_.jacobian().row(rows_[i]), response_.view().row(j), n_);
  return true;
}

void SwitchedDynamics::apply_impulses(std::span<double> u, std::span<const double> p) {
  for (std::size_t j = 0; j < rows_.size(); ++j) add_scaled(u.data(), p[j], response_.view().row(j), n_);
}

// ---- what is involved -------------------------------------------------------------------------------------------------------

bool SwitchedDynamics::touches(const Contact& c) const {
  return !c.compliant && (c.state == ContactState::Closed || evaluator_.phi()[c.row] <= options_.touch_gap);
}

double SwitchedDynamics::still(std::span<const double> u, std::size_t row) const {
  double size = std::abs(evaluator_.b()[row]);
  for (std::size_t j = 0; j < n_; ++j) size += std::abs(evaluator_.jacobian()(row, j) * u[j]);
  return options_.still_speed * std::max(1.0, size);
}

double SwitchedDynamics::rest_threshold(std::size_t contact, std::span<const double> u) const {
  const Contact& c = contacts_[contact];
  if (!(restitution(contact) < 1)) return still(u, c.row);
  // A rebound that does not get out of touch within this time is none; in ticks of 1 ms gravity alone makes one of 5 mm/s.
  constexpr double kInTouch = 2e-4;
  return std::max({still(u, c.row), options_.rest_speed * c.fastest_approach, options_.touch_gap / kInTouch});
}

double SwitchedDynamics::friction_speed(const Friction& f, std::span<const double> u) const {
  double speed = 0;
  for (const std::size_t row : f.rows) speed = std::hypot(speed, row_speed(row, u));
  return speed;
}

/// Rows of the contacts in involved_.
void SwitchedDynamics::collect_rows() {
  rows_.clear(), terms_.clear(), involved_frictions_.clear();
  for (const std::size_t k : involved_) rows_.push_back(contacts_[k].row);
}

/// Frictions that have a say: of involved contacts, and (unless it is an impact) those with forces of their own.
void SwitchedDynamics::add_friction_terms(std::span<const double> u, bool impact) {
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const Friction& f = frictions_[i];
    FrictionTerm term;
    if (rigid_contact(f)) {
      const auto found = std::find(involved_.begin(), involved_.end(), at(f.contact));
      if (found == involved_.end()) continue;
      term.contact = static_cast<int>(found - involved_.begin());
    } else if (impact || !presses(f)) {
      continue;
    }
    const double speed = friction_speed(f, u);
    const double slow = on_line(f) ? still(u, f.rows[line_row(f)]) : std::max(still(u, f.rows[0]), 1.5 * stop_speed(f));
    if (!impact && speed > slow && !all_slow_) {
      term.sliding = true;
      for (std::size_t k = 0; k < f.rows.size(); ++k) term.direction[k] = row_speed(f.rows[k], u) / speed;
    }
    const double coefficient = term.sliding || impact ? kinetic(i) : stiction(i);
    if (f.kind != Friction::Kind::Own && coefficient == 0) continue;  // shapes without friction
    term.mu = term.contact >= 0 ? coefficient : 0.0;
    term.limit = known_limit(f, coefficient);
    term.first = rows_.size();
    term.rows = f.rows.size();
    rows_.insert(rows_.end(), f.rows.begin(), f.rows.end());
    terms_.push_back(term);
    involved_frictions_.push_back(i);
  }
}

// ---- impact -----------------------------------------------------------------------------------------------------------------

void SwitchedDynamics::note_approach(std::span<const double> u) {
  simultaneous_ = true;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    Contact& c = contacts_[k];
    if (!touches(c)) continue;
    c.fastest_approach = std::max(c.fastest_approach, -row_speed(c.row, u));
    simultaneous_ = simultaneous_ && restitution(k) == 0;
  }
}

/// The complementarity problem of rows_, w_, v0_ and terms_.
ContactStatus SwitchedDynamics::solve_problem(std::span<double> p, bool check_unique) {
  const std::size_t all = rows_.size();
  const ContactReport report =
      lcp_.solve(involved_.size(), w_.packed(all, all), std::span(v0_).first(all), terms_, p, check_unique);
  ++work_.problems;
  work_.pivots += report.pivots;
  return report.status;
}

ContactStatus SwitchedDynamics::solve_impact(std::span<const double> u, std::span<double> p, bool elastic) {
  const std::size_t c = involved_.size(), all = rows_.size();
  const ConstMatrixView w = w_.packed(all, all);
  const std::span<double> v0 = std::span(v0_).first(all);
  bool poisson = false;
  for (std::size_t i = 0; i < all; ++i) v0[i] = row_speed(rows_[i], u);
  for (std::size_t i = 0; i < c && elastic; ++i) {
    const Contact& contact = contacts_[involved_[i]];
    poisson = poisson || contact.poisson;
    if (!contact.poisson) v0[i] *= 1 + restitution(involved_[i]);
  }
  const ContactStatus pressed = solve_problem(p);
  if (!usable(pressed) || !poisson) return pressed;
  // Restitution: v0 + W p of the compression, with e p_c given back at least.
  const std::span<double> compression = std::span(p_compression_).first(all);
  std::ranges::copy(p, compression.begin());
  std::ranges::copy(lcp_.v(), v0.begin());
  for (auto& term : terms_) term.limit = 0;
  for (std::size_t i = 0; i < c; ++i) {
    if (!contacts_[involved_[i]].poisson) continue;
    const double back = restitution(involved_[i]) * compression[i];
    for (std::size_t r = 0; r < all; ++r) v0[r] += w(r, i) * back;
    for (auto& term : terms_)
      if (term.contact == static_cast<int>(i)) term.limit = term.mu * back;
  }
  const ContactStatus released = solve_problem(p);
  for (auto& term : terms_) term.limit = 0;
  for (std::size_t i = 0; i < all; ++i) {
    p[i] += compression[i];
    if (i < c && contacts_[involved_[i]].poisson) p[i] += restitution(involved_[i]) * compression[i];
  }
  return released;
}

/// T(u_inelastic + s (u_elastic - u_inelastic)) <= T(u-), with the largest s.
void SwitchedDynamics::limit_energy(std::span<const double> u_before, std::span<double> u) {
  const double before = calc_kinetic(u_before), after = calc_kinetic(u_elastic_);
  std::ranges::copy(u_elastic_, u.begin());
  if (after <= before || max_abs(evaluator_.b()) > 0) return;
  double squared = 0, mixed = 0;
  for (std::size_t i = 0; i < n_; ++i) {
    double md = 0;
    for (std::size_t j = 0; j < n_; ++j) md += evaluator_.mass_matrix()(i, j) * (u_elastic_[j] - u_inelastic_[j]);
    squared += 0.5 * (u_elastic_[i] - u_inelastic_[i]) * md;
    mixed += u_inelastic_[i] * md;
  }
  const double rest = calc_kinetic(u_inelastic_) - before;  // <= 0
  if (!(squared > 0)) return;
  const double root = std::sqrt(std::max(0.0, mixed * mixed - 4 * squared * rest));
  const double s = std::clamp((-mixed + root) / (2 * squared), 0.0, 1.0);
  for (std::size_t i = 0; i < n_; ++i) u[i] = u_inelastic_[i] + s * (u_elastic_[i] - u_inelastic_[i]);
  for (std::size_t j = 0; j < rows_.size(); ++j) p_[j] = p_compression_[j] + s * (p_[j] - p_compression_[j]);
}

bool SwitchedDynamics::impact_round(std::span<double> u, TransitionReport& report) {
  involved_.clear();
  bool approaches = false, rebounds = false;
  for (std::size_t k = 0; k < contacts_.size(); ++k) {
    const Contact& c = contacts_[k];
    if (!touches(c)) continue;
    const bool closing = row_speed(c.row, u) < -still(u, c.row);
    approaches = approaches || closing;
    if (closing || simultaneous_) involved_.push_back(k), rebounds = rebounds || restitution(k) > 0;
  }
  if (!approaches) return false;
  collect_rows();
  add_friction_terms(u, true);
  if (!form_response()) {
    report.finite = false;
    return false;
  }
  report.impact = true;
  ++work_.impacts;
  const std::span<double> p = std::span(p_).first(rows_.size());
  std::ranges::copy(u, u_start_.begin());
  report.status = solve_impact(u_start_, p, rebounds);
  if (!report.ok()) return false;
  apply_impulses(u, p);
  if (rebounds && (!terms_.empty() || involved_.size() > 1)) {
    std::ranges::copy(u, u_elastic_.begin());
    std::ranges::copy(u_start_, u_inelastic_.begin());
    const std::span<double> plain = std::span(p_compression_).first(rows_.size());
    if (calc_kinetic(u_elastic_) > calc_kinetic(u_start_) &&
        solve_impact(u_start_, plain, false) == ContactStatus::Solved) {
      apply_impulses(u_inelastic_, plain);
      limit_energy(u_start_, u);
    }
  }
  for (std::size_t j = 0; j < rows_.size(); ++j) impulse_[rows_[j]] += p_[j];
  return all_finite(u);
}

/// Finite forces cannot do it (Painleve): impulses that keep the contacts from entering each other in the next instant.
bool SwitchedDynamics::shock(std::span<double> u) {
  constexpr double kInstant = 1e-7;
  const std::size_t all = rows_.size();
  terms_.clear(), rows_.clear(), involved_frictions_.clear();
  collect_rows();
  add_friction_terms(u, true);
  if (rows_.empty() || !form_response()) return false;
  const std::span<double> v0 = std::span(v0_).first(rows_.size()), p = std::span(p_).first(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    v0[i] = row_speed(rows_[i], u) +
            kInstant * (dot(evaluator_.jacobian().row(rows_[i]), udot_free_.data(), n_) - evaluator_.gamma()[rows_[i]]);
  if (!usable(solve_problem(p))) return false;
  apply_impulses(u, p);
  for (std::size_t j = 0; j < rows_.size(); ++j) impulse_[rows_[j]] += p[j];
  return all > 0;
}

// ---- states -----------------------------------------------------------------------------------------------------------------

ContactStatus SwitchedDynamics::solve_accelerations(std::span<const double> u, bool check_unique) {
  involved_.clear();
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    if (touches(contacts_[k]) && row_speed(contacts_[k].row, u) <= rest_threshold(k, u)) involved_.push_back(k);
  collect_rows();
  add_friction_terms(u, false);
  std::ranges::copy(evaluator_.rhs(), force_.begin());
  for (const std::size_t row : applied_rows_) add_row(row, applied_[row], force_);
  for (std::size_t k = 0; k < contacts_.size(); ++k)
    if (contacts_[k].compliant && compliant_force(k) > 0) add_row(contacts_[k].row, compliant_force(k), force_);
  if (!solve_base(force_, true, udot_free_)) return ContactStatus::Inaccurate;
  if (rows_.empty()) return ContactStatus::Solved;
  if (!form_response()) return ContactStatus::Inaccurate;
  const std::span<double> v0 = std::span(v0_).first(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i)
    v0[i] = dot(evaluator_.jacobian().row(rows_[i]), udot_free_.data(), n_) - evaluator_.gamma()[rows_[i]];
  return solve_problem(std::span(p_).first(rows_.size()), check_unique && options_.check_unique);
}

double SwitchedDynamics::acceleration_tolerance() const {
  const std::size_t all = rows_.size();
  double size = max_abs(std::span(v0_).first(all));
  for (std::size_t i = 0; i < all; ++i)
    for (std::size_t j = 0; j < all; ++j) size = std::max(size, std::abs(w_.packed(all, all)(i, j) * p_[j]));
  return 1e-9 * size + 1e-300;
}

// A friction that holds leaves its cone where its force comes to the edge, at an acceleration of zero: what complementarity
// says there is a matter of rounding. It is not asked: what goes outwards slides, against its force. (Not so with redundant
// supports, whose forces are not unique.)
void SwitchedDynamics::find_leaving(std::span<const double> q, std::span<const double> u) {
  bool any = false;
  for (Friction& f : frictions_) f.leaves = false, any = any || f.state == FrictionState::Stick;
  if (!any || hyperstatic()) return;
  calc_functions(q, u, functions_);
  for (std::size_t i = 0; i < frictions_.size(); ++i)
    frictions_[i].leaves =
        frictions_[i].state == FrictionState::Stick && functions_[contacts_.size() + i] - frictions_[i].offset <= 0;
}

/// After solve_accelerations(): once more with those that leave sliding.
ContactStatus SwitchedDynamics::let_go() {
  constexpr double kEdge = 1e-9, kAtRest = 1e-3;
  bool any = false;
  const double rounding = kAtRest * acceleration_tolerance();
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    FrictionTerm& term = terms_[t];
    const std::size_t i = involved_frictions_[t];
    if (!frictions_[i].leaves || term.sliding) continue;
    double force = 0, moves = 0;
    for (std::size_t k = 0; k < term.rows; ++k) {
      force = std::hypot(force, p_[term.first + k]);
      moves = std::hypot(moves, lcp_.v()[term.first + k]);
    }
    const double limit = term.limit + (term.contact >= 0 ? term.mu * p_[at(term.contact)] : 0.0);
    // On the edge of the cone, or of the pyramid that stands for it: then it begins to move, however slowly.
    if (!(force > 0) || (force < (1 - kEdge) * limit && moves <= rounding)) continue;
    for (std::size_t k = 0; k < term.rows; ++k) term.direction[k] = -p_[term.first + k] / force;
    term.sliding = any = true;
    term.mu = term.contact >= 0 ? kinetic(i) : 0.0;
    term.limit = known_limit(frictions_[i], kinetic(i));
  }
  return any ? solve_problem(std::span(p_).first(rows_.size()), options_.check_unique) : ContactStatus::Solved;
}

void SwitchedDynamics::take_states() {
  const double tolerance = acceleration_tolerance();
  const double force = 1e-12 * max_abs(std::span(p_).first(rows_.size()));
  for (Contact& c : contacts_) c.state = ContactState::Open;
  for (std::size_t i = 0; i < involved_.size(); ++i)
    if (lcp_.v()[i] <= tolerance && p_[i] > force) contacts_[involved_[i]].state = ContactState::Closed;
  for (Friction& f : frictions_) f.rested = f.state != FrictionState::Slide, f.state = FrictionState::Idle;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    const FrictionTerm& term = terms_[t];
    Friction& f = frictions_[involved_frictions_[t]];
    if (rigid_contact(f) && contacts_[at(f.contact)].state == ContactState::Open) continue;
    if (f.rested) f.fastest = 0;
    f.line = find_line(f);
    if (term.sliding) {
      f.state = FrictionState::Slide;
      f.direction = f.kept = term.direction;
      continue;
    }
    double size = 0;
    for (std::size_t k = 0; k < term.rows; ++k) size = std::hypot(size, lcp_.v()[term.first + k]);
    f.state = size <= tolerance ? FrictionState::Stick : FrictionState::Slide;
    if (f.state == FrictionState::Slide)
      for (std::size_t k = 0; k < term.rows; ++k) f.direction[k] = f.kept[k] = lcp_.v()[term.first + k] / size;
  }
}

bool SwitchedDynamics::keeps_states() const {
  const double tolerance = acceleration_tolerance();
  for (std::size_t i = 0; i < involved_.size(); ++i)
    if (contacts_[involved_[i]].state == ContactState::Closed && lcp_.v()[i] > tolerance) return false;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    if (frictions_[involved_frictions_[t]].state != FrictionState::Stick) continue;
    for (std::size_t k = 0; k < terms_[t].rows; ++k)
      if (std::abs(lcp_.v()[terms_[t].first + k]) > tolerance) return false;
  }
  return true;
}

bool SwitchedDynamics::feasible(std::span<const double> q, std::span<const double> u) {
  bool good = false;
  if (prepare_base(q, u)) {
    const ContactStatus status = solve_accelerations(u, false);
    good = (status == ContactStatus::Solved || status == ContactStatus::ForcesNotUnique) && keeps_states();
  }
  evaluator_.set_active(active_);
  evaluator_.calc_constraints(q, u);
  return good;
}

// ---- transitions ------------------------------------------------------------------------------------------------------------

TransitionReport SwitchedDynamics::settle(std::span<const double> q, std::span<double> u) {
  TransitionReport report;
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  find_leaving(q, u);
  leave_faces(q, u);
  evaluate(q, u);
  report.kinetic_before = report.kinetic_after = calc_kinetic(u);
  if (!prepare_base(q, u)) report.finite = false, report.massless = massless_;
  if (!report.finite) return report;
  note_approach(u);
  while (report.rounds < options_.max_rounds && impact_round(u, report)) ++report.rounds;
  if (report.rounds == options_.max_rounds) {
    simultaneous_ = true;  // it does not come to an end by itself: everything at once
    (void)impact_round(u, report);
  }
  if (!report.ok()) return report;
  if (report.impact) {
    evaluate(q, u);
    if (!prepare_base(q, u)) report.finite = false;
  }
  report.status = solve_accelerations(u, true);
  if (report.status == ContactStatus::NoSolution && shock(u)) {
    report.impact = report.shock = true;
    evaluate(q, u);
    report.finite = prepare_base(q, u);
    report.status = solve_accelerations(u, true);
  }
  if (!report.ok()) return report;
  const ContactStatus sliding = let_go();
  if (!usable(sliding)) report.status = solve_accelerations(u, true);  // they do not, after all
  if (sliding == ContactStatus::MotionNotUnique) report.status = sliding;
  if (!report.ok()) return report;
  take_states();
  apply_active();
  evaluator_.calc_constraints(q, u);
  if (any_active_) {
    const std::span<double> exact = std::span(active_lambda_).first(evaluator_.active_rows().size());
    report.finite = evaluator_.refresh_embedding().ok() &&
                    evaluator_.embedding()
                        .impose(evaluator_.mass_matrix(), evaluator_.active_b(), u, Multipliers::Basic, exact)
                        .ok();
  }
  report.kinetic_after = calc_kinetic(u);
  set_offsets(q, u);
  return report;
}

bool SwitchedDynamics::impose(std::span<const double> q, std::span<double> u) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  evaluate(q, u);
  if (!prepare_base(q, u)) return false;
  bool good = true;
  if (base_constrained_) {
    const auto& rows = evaluator_.active_rows();
    const std::span<double> impulse = std::span(active_lambda_).first(rows.size());
    good = evaluator_.embedding()
               .impose(evaluator_.mass_matrix(), evaluator_.active_b(), u, Multipliers::MinimumNorm, impulse)
               .ok();
    for (std::size_t i = 0; i < rows.size(); ++i) impulse_[at(rows[i])] = impulse[i];
  }
  evaluator_.set_active(active_);
  evaluator_.calc_constraints(q, u);
  return good && all_finite(u);
}

}  // namespace kane

#include "kane/simulate/switching/switched_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

SwitchedDynamics::SwitchedDynamics(SystemEvaluator& evaluator, const SwitchingOptions& options)
    : set_(evaluator, options),
      smooth_(set_, work_),
      problem_(set_, work_),
      impacts_(set_, problem_, work_),
      finder_(set_, problem_, smooth_),
      functions_(set_, smooth_, finder_),
      active_lambda_(evaluator.system().row_count()),
      impulse_(evaluator.system().row_count()),
      kept_{.choice = {.choice = IndependentSpeeds(evaluator.system().row_count(), set_.n)}} {
  begin_rehearsal(), end_rehearsal();  // so that nothing grows later
}

SwitchedDynamics::~SwitchedDynamics() = default;

void SwitchedDynamics::copy_states(const SwitchedDynamics& from) {
  set_.contacts = from.set_.contacts;
  set_.frictions = from.set_.frictions;
  set_.bilateral = from.set_.bilateral;
  smooth_.copy_applied(from.smooth_.applied(), from.smooth_.applied_rows());
  if (set_.shapes) set_.shapes->scene().copy_slots(from.set_.shapes->scene());
  set_.apply_active();
}

void SwitchedDynamics::save(Memory& memory) const {
  memory = {set_.contacts, set_.frictions, set_.bilateral, smooth_.applied(), smooth_.applied_rows(), {}};
  if (set_.shapes) set_.shapes->scene().save(memory.scene);
}

void SwitchedDynamics::restore(const Memory& memory) {
  set_.contacts = memory.contacts, set_.frictions = memory.frictions;
  set_.bilateral = memory.bilateral;
  smooth_.copy_applied(memory.applied, memory.applied_rows);
  if (set_.shapes) set_.shapes->scene().restore(memory.scene);
  set_.apply_active();
}

std::string SwitchedDynamics::function_name(std::size_t k) const {
  const std::size_t contacts = set_.contacts.size(), frictions = set_.frictions.size();
  if (k < contacts) return contact_name(k);
  k -= contacts;
  if (k < frictions) return friction_name(k);
  k -= frictions;
  return contact_name(contacts - set_.slots + k) + " at its edge";
}

bool SwitchedDynamics::slides(std::size_t f) const {
  using Kind = SwitchedFriction::Kind;
  const Kind kind = set_.frictions[f].kind;
  return kind == Kind::Sliding || (kind == Kind::Own && system().equations().frictions[f].name.ends_with(".friction"));
}

void SwitchedDynamics::locate_shapes(std::size_t k, ContactForce& force) const {
  const int slot = set_.contacts[k].slot;
  if (slot < 0) return;
  force.located = false;
  force.gap = std::numeric_limits<double>::infinity();
  const ContactScene& scene = set_.shapes->scene();
  const auto place = scene.place(at(slot));
  if (!place) return;
  const ContactPair& pair = scene.pairs()[scene.pair_of(at(slot))];
  const auto& shapes = system().equations().contact_shapes;
  force.located = true;
  force.first = shapes[pair.first].name, force.second = shapes[pair.second].name;
  force.point = place->point, force.direction = place->normal;
  force.gap = scene.touch(at(slot)).gap.v;
}

void SwitchedDynamics::add_drag(std::size_t k, ContactForce& friction, ContactForce& contact) const {
  const int slot = set_.contacts[k].slot;
  if (slot < 0) {
    contact.friction = friction.friction;
    return;
  }
  const auto place = set_.shapes->scene().place(at(slot));
  if (!place) return;
  contact.drag = place->sign * (friction.friction[0] * place->across1 + friction.friction[1] * place->across2);
  friction.friction[1] *= norm(place->across2);
}

// ---- transitions ------------------------------------------------------------------------------------------------------------

TransitionReport SwitchedDynamics::settle(std::span<const double> q, std::span<double> u) {
  TransitionReport report;
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  functions_.find_leaving(q, u);
  set_.leave_faces(q, u);
  set_.evaluate(q, u);
  report.kinetic_before = report.kinetic_after = set_.calc_kinetic(u);
  if (!problem_.prepare(q, u)) report.finite = false, report.massless = problem_.massless;
  if (!report.finite) return report;
  impacts_.note_approach(u);
  while (report.rounds < set_.options.max_rounds && impacts_.round(u, impulse_, report)) ++report.rounds;
  if (report.rounds == set_.options.max_rounds) {
    impacts_.set_simultaneous();  // it does not come to an end by itself: everything at once
    (void)impacts_.round(u, impulse_, report);
  }
  if (!report.ok()) return report;
  if (report.impact) {
    set_.evaluate(q, u);
    if (!problem_.prepare(q, u)) report.finite = false;
  }
  report.status = finder_.solve_accelerations(u, true);
  if (report.status == ContactStatus::NoSolution && impacts_.shock(u, finder_.udot_free(), impulse_)) {
    report.impact = report.shock = true;
    set_.evaluate(q, u);
    report.finite = problem_.prepare(q, u);
    report.status = finder_.solve_accelerations(u, true);
  }
  if (!report.ok()) return report;
  const ContactStatus sliding = finder_.let_go();
  if (!usable(sliding)) report.status = finder_.solve_accelerations(u, true);  // they do not, after all
  if (sliding == ContactStatus::MotionNotUnique) report.status = sliding;
  if (!report.ok()) return report;
  finder_.take_states();
  set_.apply_active();
  set_.evaluator.calc_constraints(q, u);
  if (set_.any_active) {
    const std::span<double> exact = std::span(active_lambda_).first(set_.evaluator.active_rows().size());
    report.finite = set_.evaluator.refresh_embedding().ok() &&
                    set_.evaluator.embedding()
                        .impose(set_.evaluator.mass_matrix(), set_.evaluator.active_b(), u, Multipliers::Basic, exact)
                        .ok();
  }
  report.kinetic_after = set_.calc_kinetic(u);
  functions_.set_offsets(q, u);
  return report;
}

void SwitchedDynamics::take_settled_forces() {
  for (std::size_t i = 0; i < problem_.rows.size(); ++i) smooth_.set_force(problem_.rows[i], problem_.p[i]);
  for (std::size_t i = 0; i < problem_.involved.size(); ++i)
    if (set_.adhesion(problem_.involved[i]) > 0 && contact_state(problem_.involved[i]) == ContactState::Closed)
      smooth_.set_force(problem_.rows[i], problem_.p[i] - set_.adhesion(problem_.involved[i]));
}

bool SwitchedDynamics::impose(std::span<const double> q, std::span<double> u) {
  std::fill(impulse_.begin(), impulse_.end(), 0.0);
  set_.evaluate(q, u);
  if (!problem_.prepare(q, u)) return false;
  bool good = true;
  if (problem_.constrained()) {
    const auto& rows = set_.evaluator.active_rows();
    const std::span<double> impulse = std::span(active_lambda_).first(rows.size());
    good = set_.evaluator.embedding()
               .impose(set_.evaluator.mass_matrix(), set_.evaluator.active_b(), u, Multipliers::MinimumNorm, impulse)
               .ok();
    for (std::size_t i = 0; i < rows.size(); ++i) impulse_[at(rows[i])] = impulse[i];
  }
  set_.evaluator.set_active(set_.active);
  set_.evaluator.calc_constraints(q, u);
  return good && all_finite(u);
}

}  // namespace kane

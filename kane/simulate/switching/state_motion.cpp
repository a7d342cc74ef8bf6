#include "kane/simulate/switching/state_motion.hpp"

#include <algorithm>

#include "kane/base/at.hpp"

namespace kane {

std::string describe(const StateMotionReport& report, const EquationsOfMotion& equations) {
  if (report.ok()) return "";
  if (report.settled.ok()) return describe(report.motion, equations);
  if (report.settled.massless >= 0)
    return describe(MotionReport{MotionStatus::SingularMass, report.settled.massless}, equations);
  return report.settled.status == ContactStatus::NoSolution
             ? "no finite forces and no impulses satisfy all contacts with friction: the mechanism is jammed"
             : "the contact forces could not be found: singular inertia, or contacts that contradict each other";
}

std::vector<bool> find_initial_active(const EquationsOfMotion& equations) {
  std::vector<bool> active;
  for (const auto& c : equations.constraints) active.push_back(c.active);
  for (const auto& mode : equations.modes) {
    if (mode.name != equations.initial_mode) continue;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const auto& c = equations.constraints[i];
      active[i] = std::any_of(mode.active.begin(), mode.active.end(),
                              [&](const std::string& group) { return group == c.group || group == c.name; });
    }
  }
  return active;
}

StateMotion::StateMotion(SystemEvaluator& evaluator, const SwitchingOptions& options)
    : evaluator_(evaluator),
      qdot_(evaluator.system().coordinate_count()),
      udot_(evaluator.system().speed_count()),
      lambda_(evaluator.system().constraint_count()),
      u_(evaluator.system().speed_count()),
      active_(evaluator.system().row_count()) {
  const EquationsOfMotion& e = evaluator.system().equations();
  if (!e.switched()) return;
  for (const int row : evaluator.active_rows()) active_[at(row)] = true;
  dynamics_ = std::make_unique<SwitchedDynamics>(evaluator, options);
  contact_forces_.emplace(*dynamics_);
  evaluator.set_active(active_);
}

StateMotion::~StateMotion() = default;

const StateMotionReport& StateMotion::calc(std::span<const double> q, std::span<const double> u) {
  report_ = {};
  std::ranges::copy(u, u_.begin());
  if (dynamics_ == nullptr) {
    report_.motion = evaluator_.calc_motion(q, u, qdot_, udot_);
    if (report_.motion.ok()) evaluator_.calc_multipliers(udot_, lambda_);
    return report_;
  }
  std::fill(active_.begin(), active_.end(), false);
  for (const int row : evaluator_.active_rows()) active_[at(row)] = true;
  dynamics_->reset();
  dynamics_->set_bilateral(active_);
  report_.settled = dynamics_->settle(q, u_);
  report_.impact = report_.settled.impact;
  if (report_.settled.ok()) {
    report_.motion = dynamics_->calc_motion(q, u_, qdot_, udot_);
    std::ranges::copy(dynamics_->forces(), lambda_.begin());
    contact_forces_->refresh(*dynamics_);
    contact_forces_->locate(evaluator_, q, u_);
    fill_contact_reports(*dynamics_, contact_forces_->forces(), evaluator_);
  }
  evaluator_.set_active(active_);
  return report_;
}

std::span<const double> StateMotion::impulses() const {
  return dynamics_ ? dynamics_->impulses() : std::span<const double>();
}

std::span<const ContactForce> StateMotion::contact_forces() const {
  return contact_forces_ ? contact_forces_->forces() : std::span<const ContactForce>();
}

std::span<const double> StateMotion::calc_reports(std::span<const double> q) {
  return evaluator_.calc_reports(q, u_, udot_, lambda_);
}

}  // namespace kane

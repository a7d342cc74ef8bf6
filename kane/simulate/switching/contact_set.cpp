#include "kane/simulate/switching/contact_set.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

ContactSet::ContactSet(SystemEvaluator& of, const SwitchingOptions& with)
    : evaluator(of),
      options(with),
      n(of.system().speed_count()),
      shapes(of.system().contact_layout().slots > 0 ? std::make_unique<ContactRows>(of.system(), of.context())
                                                    : nullptr),
      slots(of.system().contact_layout().slots),
      values_runner_(&of.system().extra().switching().values, of.context()) {
  const EquationsOfMotion& e = of.system().equations();
  require(of.system().has_mass(), "contacts and friction need the mass matrix of '{}', which was not formed", e.name);
  const std::size_t rows = of.system().row_count();
  own_row.assign(rows, false);
  for (const auto& contact : e.contacts) {
    contacts.push_back({at(contact.normal), contact.force.has_value(), contact.law, contact.phases});
    any_compliant = any_compliant || contact.force;
    own_row[at(contact.normal)] = true;
  }
  for (const auto& friction : e.frictions) {
    SwitchedFriction own;
    own.contact = friction.contact;
    for (const int row : friction.rows) own.rows.push_back(at(row)), own_row[at(row)] = true;
    frictions.push_back(std::move(own));
  }
  add_slots();
  values.resize(2 * contacts.size() + 2 * frictions.size()), adhesions_.resize(contacts.size());
  bilateral.assign(rows, false), active.assign(rows, true);
  evaluator.set_active(active);  // once with everything, so that nothing grows later
  for (std::size_t i = 0; i < e.constraints.size(); ++i) bilateral[i] = e.constraints[i].active && !own_row[i];
}

ContactSet::~ContactSet() { evaluator.attach(nullptr); }

void ContactSet::set_bilateral(const std::vector<bool>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) bilateral[i] = rows[i] && !own_row[i];
  apply_active();
}

void ContactSet::set_written(std::size_t place, bool holds) {
  bilateral[evaluator.system().first_free_row() + place] = holds;
  apply_active();
}

void ContactSet::reset() {
  for (SwitchedContact& c : contacts) c.state = ContactState::Open, c.offset = c.leave_offset = c.fastest_approach = 0;
  for (SwitchedFriction& f : frictions) f.state = FrictionState::Idle, f.offset = f.fastest = 0;
  if (shapes) shapes->scene().clear();
  apply_active();
}

void ContactSet::apply_active() {
  for (std::size_t i = 0; i < active.size(); ++i) active[i] = bilateral[i];
  for (const SwitchedContact& c : contacts)
    if (!c.compliant && c.state == ContactState::Closed) active[c.row] = true;
  if (shapes)
    for (const SwitchedContact& c : contacts)
      if (c.slot >= 0) shapes->scene().hold(at(c.slot), !c.compliant && c.state == ContactState::Closed);
  any_sliding = false;
  for (const SwitchedFriction& f : frictions) {
    any_sliding = any_sliding || f.state == FrictionState::Slide;
    if (f.state == FrictionState::Stick)
      for (const std::size_t row : f.rows) active[row] = true;
  }
  any_active = std::find(active.begin(), active.end(), true) != active.end();
  evaluator.set_active(active);
}

void ContactSet::evaluate(std::span<const double> q, std::span<const double> u) {
  evaluator.calc_mass(q, u);
  evaluate_rows(q, u);
}

void ContactSet::evaluate_rows(std::span<const double> q, std::span<const double> u) {
  evaluator.calc_constraints(q, u);
  if (values.empty()) return;
  const EquationsOfMotion& e = evaluator.system().equations();
  if (!e.contacts.empty() || !e.frictions.empty()) {
    const std::span<const double> own = values_runner_.run(q, u);
    const auto split = own.begin() + static_cast<std::ptrdiff_t>(2 * e.contacts.size());
    std::copy(own.begin(), split, values.begin());
    const auto end = split + static_cast<std::ptrdiff_t>(2 * e.frictions.size());
    std::copy(split, end, values.begin() + static_cast<std::ptrdiff_t>(2 * contacts.size()));
    std::copy(end, own.end(), adhesions_.begin());
  }
  if (!shapes) return;
  shapes->calc_pairs(q, u);
  evaluate_slots(u);
}

double ContactSet::row_speed(std::size_t row, std::span<const double> u) const {
  return evaluator.b()[row] + dot(evaluator.jacobian().row(row), u.data(), n);
}

void ContactSet::add_row(std::size_t row, double factor, std::span<double> force) const {
  add_scaled(force.data(), factor, evaluator.jacobian().row(row), n);
}

bool ContactSet::rigid_contact(const SwitchedFriction& f) const {
  return f.contact >= 0 && !contacts[at(f.contact)].compliant;
}

double ContactSet::compliant_press(std::size_t k) const {
  return evaluator.phi()[contacts[k].row] < 0 ? std::max(0.0, compliant_force(k) + adhesions_[k]) : 0.0;
}

/// Whether there is anything that presses.
bool ContactSet::presses(const SwitchedFriction& f) const {
  if (f.contact < 0) return true;
  const SwitchedContact& c = contacts[at(f.contact)];
  return c.compliant ? compliant_press(at(f.contact)) > 0 : c.state == ContactState::Closed;
}

double ContactSet::known_limit(const SwitchedFriction& f, double coefficient) const {
  if (f.contact < 0) return coefficient;
  return contacts[at(f.contact)].compliant ? coefficient * compliant_press(at(f.contact)) : 0.0;
}

/// In a plane the direction follows the speed; on a line the sign is kept until the event, so that everything stays smooth.
/// A friction that has hardly begun to slide keeps the direction in which it was released (StateFinder::take_states()).
void ContactSet::update_direction(SwitchedFriction& f, std::span<const double> u) const {
  if (on_line(f)) return;
  const double a = row_speed(f.rows[0], u), b = row_speed(f.rows[1], u), speed = std::hypot(a, b);
  f.direction = f.kept;
  if (speed > 0.5 * stop_speed(f)) f.direction = {a / speed, b / speed};
}

/// Shapes of a planar mechanism have two directions of sliding, one of which cannot move.
int ContactSet::find_line(const SwitchedFriction& f) const {
  if (f.rows.size() != 2) return -1;
  for (std::size_t k = 0; k < 2; ++k) {
    const std::size_t other = f.rows[1 - k];
    if (evaluator.b()[other] == 0 && max_abs({evaluator.jacobian().row(other), n}) == 0) return static_cast<int>(k);
  }
  return -1;
}

bool ContactSet::touches(const SwitchedContact& c) const {
  return !c.compliant && (c.state == ContactState::Closed || evaluator.phi()[c.row] <= options.touch_gap);
}

double ContactSet::still(std::span<const double> u, std::size_t row) const {
  double size = std::abs(evaluator.b()[row]);
  for (std::size_t j = 0; j < n; ++j) size += std::abs(evaluator.jacobian()(row, j) * u[j]);
  return options.still_speed * std::max(1.0, size);
}

double ContactSet::friction_speed(const SwitchedFriction& f, std::span<const double> u) const {
  double speed = 0;
  for (const std::size_t row : f.rows) speed = std::hypot(speed, row_speed(row, u));
  return speed;
}

double ContactSet::calc_kinetic(std::span<const double> u) const {
  double twice = 0;
  for (std::size_t i = 0; i < n; ++i) twice += u[i] * dot(evaluator.mass_matrix().row(i), u.data(), n);
  return twice / 2;
}

}  // namespace kane

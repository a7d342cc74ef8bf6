// Contacts of shapes among those of SwitchedDynamics: each slot is a contact with its frictions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"

namespace kane {

void SwitchedDynamics::add_slots() {
  if (!shapes_) return;
  evaluator_.attach(shapes_.get());
  const ContactLayout& layout = shapes_->layout();
  const auto& pairs = evaluator_.system().equations().contact_pairs;
  any_compliant_ =
      any_compliant_ || std::any_of(pairs.begin(), pairs.end(), [](const auto& p) { return !p.stiffness.is_zero(); });
  for (std::size_t s = 0; s < slots_; ++s) {
    const std::size_t row = shapes_->first_row(s);
    Contact contact{row, false, false};
    contact.slot = static_cast<int>(s);
    contacts_.push_back(contact);
    const auto resist = [&](Friction::Kind kind, std::size_t first, std::size_t rows) {
      Friction friction;
      friction.kind = kind;
      friction.contact = static_cast<int>(contacts_.size()) - 1;
      for (std::size_t k = 0; k < rows; ++k) friction.rows.push_back(row + first + k);
      frictions_.push_back(std::move(friction));
    };
    resist(Friction::Kind::Sliding, 1, 2);
    if (layout.rolling) resist(Friction::Kind::Rolling, 3, 2);
    if (layout.spinning) resist(Friction::Kind::Spinning, layout.rolling ? 5 : 3, 1);
    for (std::size_t k = 0; k < layout.rows_per_slot(); ++k) own_row_[row + k] = true;
  }
}

/// Coefficients of the pair in each slot, and the force of a compliant one: Hunt and Crossley as in the model file.
void SwitchedDynamics::evaluate_slots(std::span<const double> u) {
  const std::size_t first = contacts_.size() - slots_;
  for (std::size_t k = first; k < contacts_.size(); ++k) {
    Contact& c = contacts_[k];
    const int pair = shapes_->scene().pair_of(at(c.slot));
    values_[2 * k] = values_[2 * k + 1] = 0;
    if (pair < 0) continue;
    const PairValues v = shapes_->pair_values(at(pair));
    values_[2 * k] = v.restitution;
    c.poisson = v.poisson;
    c.compliant = v.stiffness > 0;
    const double depth = c.compliant ? -evaluator_.phi()[c.row] : 0.0;
    if (depth > 0)
      values_[2 * k + 1] =
          std::max(0.0, v.stiffness * depth * std::sqrt(depth) * (1 - 1.5 * v.dissipation * row_speed(c.row, u)));
  }
  for (std::size_t i = 0; i < frictions_.size(); ++i) {
    const Friction& f = frictions_[i];
    if (f.kind == Friction::Kind::Own) continue;
    double& coefficient = values_[2 * contacts_.size() + 2 * i];
    double& holding = values_[2 * contacts_.size() + 2 * i + 1];
    const int pair = shapes_->scene().pair_of(at(contacts_[at(f.contact)].slot));
    coefficient = holding = 0;
    if (pair < 0) continue;
    const PairValues v = shapes_->pair_values(at(pair));
    coefficient = f.kind == Friction::Kind::Sliding   ? v.kinetic
                  : f.kind == Friction::Kind::Rolling ? v.rolling
                                                      : v.spinning;
    holding = f.kind == Friction::Kind::Sliding ? v.stiction : coefficient;
  }
}

bool SwitchedDynamics::update_slots(std::span<const double> q, std::span<const double> u) {
  if (!shapes_) return false;
  shapes_->calc_bodies(q, u);
  const bool changed = shapes_->scene().update(options_.exact_distances);
  for (Contact& c : contacts_)
    if (c.slot >= 0 && shapes_->scene().pair_of(at(c.slot)) < 0)
      c.state = ContactState::Open, c.compliant = false, c.offset = c.leave_offset = c.fastest_approach = 0;
  for (Friction& f : frictions_)
    if (f.kind != Friction::Kind::Own && shapes_->scene().pair_of(at(contacts_[at(f.contact)].slot)) < 0)
      f.state = FrictionState::Idle, f.offset = f.fastest = 0, f.line = -1;
  return changed;
}

/// Contacts that have come to the end of the face or edge they touch let go of it; what takes over is near already.
void SwitchedDynamics::leave_faces(std::span<const double> q, std::span<const double> u) {
  if (!shapes_) return;
  constexpr double kAtEdge = 1e-12;
  evaluator_.calc_constraints(q, u);
  ContactScene& scene = shapes_->scene();
  for (Contact& c : contacts_) {
    if (c.slot < 0 || c.state != ContactState::Closed) continue;
    if (scene.touch(at(c.slot)).inside + c.leave_offset > kAtEdge) continue;
    c.state = ContactState::Open;
    scene.release(at(c.slot));
  }
  (void)update_slots(q, u);
}

double SwitchedDynamics::longest_step() const {
  return shapes_ ? shapes_->scene().longest_step() : std::numeric_limits<double>::infinity();
}

double SwitchedDynamics::safe_part(std::span<const double> q, std::span<const double> u, double h) {
  if (!shapes_) return 1;
  shapes_->calc_bodies(q, u);
  return shapes_->scene().safe_part(h);
}

bool SwitchedDynamics::overflown() const { return shapes_ && shapes_->scene().overflown(); }

// ---- what a run may begin with ------------------------------------------------------------------------------------------

void SwitchedDynamics::check_coefficients() const {
  const EquationsOfMotion& e = evaluator_.system().equations();
  const auto check = [](double value, double most, const std::string& what, const std::string& name) {
    require(value >= 0 && value <= most, "the {} '{}' is {}; it must {}", what, name, value,
            most == 1 ? "lie between 0 and 1" : "be zero or more, and finite");
  };
  const auto check_rest = [](double kinetic, double stiction, const std::string& what, const std::string& name) {
    require(
        stiction >= kinetic,
        "the {} '{}' is {} at rest, less than {} while sliding: it would neither hold nor slide. Make the one at rest "
        "as large at least",
        what, name, stiction, kinetic);
  };
  constexpr double kAny = std::numeric_limits<double>::max();
  for (std::size_t k = 0; k < e.contacts.size(); ++k)
    check(values_[2 * k], 1, "restitution of the contact", e.contacts[k].name);
  for (std::size_t i = 0; i < e.frictions.size(); ++i) {
    check(kinetic(i), kAny, "friction", e.frictions[i].name);
    check(stiction(i), kAny, "friction at rest", e.frictions[i].name);
    check_rest(kinetic(i), stiction(i), "friction", e.frictions[i].name);
  }
  for (std::size_t i = 0; i < e.contact_pairs.size(); ++i) {
    const PairValues v = shapes_->pair_values(i);
    const std::string& name = e.contact_pairs[i].name;
    check(v.restitution, 1, "restitution of the contact", name);
    for (const double value : {v.kinetic, v.stiction}) check(value, kAny, "friction of the contact", name);
    check_rest(v.kinetic, v.stiction, "friction of the contact", name);
    for (const double value : {v.rolling, v.spinning}) check(value, kAny, "rolling or spinning friction", name);
    for (const double value : {v.stiffness, v.dissipation}) check(value, kAny, "stiffness or dissipation", name);
  }
}

void SwitchedDynamics::check_overlaps() {
  constexpr double kShare = 1e-3;  // of the smaller shape
  ContactScene& scene = shapes_->scene();
  for (std::size_t i = 0; i < scene.pairs().size(); ++i) {
    const ContactPair& pair = scene.pairs()[i];
    const auto &a = scene.shapes()[at(pair.first)], &b = scene.shapes()[at(pair.second)];
    const double depth = -scene.calc_distance(i);
    if (!evaluator_.system().equations().contact_pairs[i].stiffness.is_zero()) continue;
    require(depth <= kShare * std::min(a.size(), b.size()),
            "the run begins with '{}' {:.3g} m inside of '{}' (the contact '{}'); begin where they do not overlap",
            a.name, depth, b.name, pair.name);
  }
}

void SwitchedDynamics::check_start(std::span<const double> q, std::span<const double> u) {
  constexpr double kInside = 1e-6;
  evaluate_rows(q, u);
  for (const auto& c : evaluator_.system().equations().contacts) {
    const double gap = evaluator_.phi()[at(c.normal)];
    require(c.force.has_value() || gap >= -kInside,
            "the run begins with the contact '{}' {} m inside; begin with a gap that is not negative", c.name, -gap);
  }
  if (!values_.empty()) check_coefficients();
  if (shapes_) check_overlaps();
}

// ---- names -------------------------------------------------------------------------------------------------------------

std::string SwitchedDynamics::contact_name(std::size_t k) const {
  std::string name;
  write_contact_name(k, name);
  return name;
}

std::string SwitchedDynamics::friction_name(std::size_t f) const {
  std::string name;
  write_friction_name(f, name);
  return name;
}

void SwitchedDynamics::write_contact_name(std::size_t k, std::string& name) const {
  const Contact& c = contacts_[k];
  if (c.slot < 0)
    name = evaluator_.system().equations().contacts[k].name;
  else
    shapes_->write_slot_name(at(c.slot), name);
}

void SwitchedDynamics::write_friction_name(std::size_t f, std::string& name) const {
  static constexpr const char* kSuffixes[] = {"", ".friction", ".rolling", ".spinning"};
  const Friction& friction = frictions_[f];
  if (friction.kind == Friction::Kind::Own) {
    name = evaluator_.system().equations().frictions[f].name;
    return;
  }
  write_contact_name(at(friction.contact), name);
  if (!name.empty()) name += kSuffixes[static_cast<std::size_t>(friction.kind)];
}

std::string SwitchedDynamics::row_name(std::size_t row) const {
  const auto& constraints = evaluator_.system().equations().constraints;
  return row < constraints.size() ? constraints[row].name : shapes_->row_name(row);
}

std::string SwitchedDynamics::function_name(std::size_t k) const {
  if (k < contacts_.size()) return contact_name(k);
  k -= contacts_.size();
  if (k < frictions_.size()) return friction_name(k);
  k -= frictions_.size();
  return contact_name(contacts_.size() - slots_ + k) + " at its edge";
}

}  // namespace kane

// ContactSet: contacts of shapes. Each slot is a contact with its frictions.

#include <algorithm>
#include <cmath>
#include <limits>

#include "kane/base/at.hpp"
#include "kane/simulate/switching/contact_set.hpp"

namespace kane {

void ContactSet::add_slots() {
  if (!shapes) return;
  evaluator.attach(shapes.get());
  const ContactLayout& layout = shapes->layout();
  const auto& pairs = evaluator.system().equations().contact_pairs;
  any_compliant =
      any_compliant || std::any_of(pairs.begin(), pairs.end(), [](const auto& p) { return !p.stiffness.is_zero(); });
  for (std::size_t s = 0; s < slots; ++s) {
    const std::size_t row = shapes->first_row(s);
    SwitchedContact contact{row, false, RestitutionLaw::Newton, false};
    contact.slot = static_cast<int>(s);
    contacts.push_back(contact);
    const auto resist = [&](SwitchedFriction::Kind kind, std::size_t first, std::size_t rows) {
      SwitchedFriction friction;
      friction.kind = kind;
      friction.contact = static_cast<int>(contacts.size()) - 1;
      for (std::size_t k = 0; k < rows; ++k) friction.rows.push_back(row + first + k);
      frictions.push_back(std::move(friction));
    };
    resist(SwitchedFriction::Kind::Sliding, 1, 2);
    if (layout.rolling) resist(SwitchedFriction::Kind::Rolling, 3, 2);
    if (layout.spinning) resist(SwitchedFriction::Kind::Spinning, layout.rolling ? 5 : 3, 1);
    for (std::size_t k = 0; k < layout.rows_per_slot(); ++k) own_row[row + k] = true;
  }
}

/// Coefficients of the pair in each slot, and the force of a compliant one: Hunt and Crossley as in the model file.
void ContactSet::evaluate_slots(std::span<const double> u) {
  const std::size_t first = contacts.size() - slots;
  for (std::size_t k = first; k < contacts.size(); ++k) {
    SwitchedContact& c = contacts[k];
    const std::size_t pair = shapes->scene().pair_of(at(c.slot));
    values[2 * k] = values[2 * k + 1] = adhesions_[k] = 0;
    if (pair == kNoIndex) continue;
    const PairValues v = shapes->pair_values(pair);
    values[2 * k] = v.restitution;
    c.law = v.law, c.phases = v.phases;
    c.compliant = v.stiffness > 0;
    adhesions_[k] = std::max(0.0, v.adhesion);
    const double depth = c.compliant ? -evaluator.phi()[c.row] : 0.0;
    if (depth > 0) values[2 * k + 1] = v.calc_force(depth, row_speed(c.row, u));
  }
  for (std::size_t i = 0; i < frictions.size(); ++i) {
    const SwitchedFriction& f = frictions[i];
    if (f.kind == SwitchedFriction::Kind::Own) continue;
    double& coefficient = values[2 * contacts.size() + 2 * i];
    double& holding = values[2 * contacts.size() + 2 * i + 1];
    const std::size_t pair = shapes->scene().pair_of(at(contacts[at(f.contact)].slot));
    coefficient = holding = 0;
    if (pair == kNoIndex) continue;
    const PairValues v = shapes->pair_values(pair);
    coefficient = f.kind == SwitchedFriction::Kind::Sliding   ? v.kinetic
                  : f.kind == SwitchedFriction::Kind::Rolling ? v.rolling
                                                              : v.spinning;
    holding = f.kind == SwitchedFriction::Kind::Sliding ? v.stiction : coefficient;
  }
}

bool ContactSet::update_slots(std::span<const double> q, std::span<const double> u) {
  if (!shapes) return false;
  shapes->calc_bodies(q, u);
  const bool changed = shapes->scene().update(options.exact_distances);
  for (SwitchedContact& c : contacts)
    if (c.slot >= 0 && shapes->scene().pair_of(at(c.slot)) == kNoIndex)
      c.state = ContactState::Open, c.compliant = false, c.offset = c.leave_offset = c.fastest_approach = 0;
  for (SwitchedFriction& f : frictions)
    if (f.kind != SwitchedFriction::Kind::Own && shapes->scene().pair_of(at(contacts[at(f.contact)].slot)) == kNoIndex)
      f.state = FrictionState::Idle, f.offset = f.fastest = 0, f.line = -1;
  return changed;
}

/// Contacts at the end of the face or edge they touch are released; the contact that takes over is near already.
void ContactSet::leave_faces(std::span<const double> q, std::span<const double> u) {
  if (!shapes) return;
  constexpr double kAtEdge = 1e-12;
  evaluator.calc_constraints(q, u);
  ContactScene& scene = shapes->scene();
  for (SwitchedContact& c : contacts) {
    if (c.slot < 0 || c.state != ContactState::Closed) continue;
    if (scene.touch(at(c.slot)).inside + c.leave_offset > kAtEdge) continue;
    c.state = ContactState::Open;
    scene.release(at(c.slot));
  }
  (void)update_slots(q, u);
}

double ContactSet::longest_step() const {
  return shapes ? shapes->scene().longest_step() : std::numeric_limits<double>::infinity();
}

double ContactSet::safe_part(std::span<const double> q, std::span<const double> u, double h) {
  if (!shapes) return 1;
  shapes->calc_bodies(q, u);
  return shapes->scene().safe_part(h);
}

bool ContactSet::overflown() const { return shapes && shapes->scene().overflown(); }

}  // namespace kane

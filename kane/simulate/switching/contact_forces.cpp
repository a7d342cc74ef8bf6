#include "kane/simulate/switching/contact_forces.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/simulate/switching/switched_dynamics.hpp"

namespace kane {

std::string_view to_string(ContactForceState state) {
  switch (state) {
    case ContactForceState::Open: return "open";
    case ContactForceState::Closed: return "closed";
    case ContactForceState::Idle: return "idle";
    case ContactForceState::Stick: return "stick";
    case ContactForceState::Slide: return "slide";
  }
  return "";
}

ContactTotal total_of(std::span<const ContactForce> forces, std::string_view name) {
  ContactTotal total;
  for (const ContactForce& force : forces) {
    const std::string_view own = force.name;
    if (!own.starts_with(name) || (own.size() > name.size() && own[name.size()] != '.')) continue;
    if (!force.is_friction)
      total.normal += force.normal;
    else if (own.ends_with(".friction"))
      total.friction += std::hypot(force.friction[0], force.friction[1]);
  }
  return total;
}

ContactForceList::ContactForceList(const SwitchedDynamics& dynamics)
    : forces_(dynamics.contact_count() + dynamics.friction_count()) {
  constexpr std::size_t kSuffix = 24;  // ".12345.friction", and some
  std::size_t longest = 0;
  for (const auto& pair : dynamics.system().equations().contact_pairs) longest = std::max(longest, pair.name.size());
  for (ContactForce& force : forces_) force.name.reserve(longest + kSuffix);
  refresh(dynamics);
}

void ContactForceList::refresh(const SwitchedDynamics& dynamics) {
  const std::size_t contacts = dynamics.contact_count();
  for (std::size_t k = 0; k < contacts; ++k) {
    ContactForce& force = forces_[k];
    dynamics.write_contact_name(k, force.name);
    force.normal = dynamics.contact_force(k);
    const bool closed = dynamics.contact_state(k) == ContactState::Closed || force.normal > 0;
    force.state = closed ? ContactForceState::Closed : ContactForceState::Open;
  }
  static constexpr ContactForceState kStates[] = {ContactForceState::Idle, ContactForceState::Stick,
                                                  ContactForceState::Slide};
  for (std::size_t f = 0; f < dynamics.friction_count(); ++f) {
    ContactForce& force = forces_[contacts + f];
    dynamics.write_friction_name(f, force.name);
    force.is_friction = true;
    force.state = kStates[static_cast<std::size_t>(dynamics.friction_state(f))];
    const int contact = dynamics.friction_contact(f);
    force.normal = contact < 0 ? 0.0 : dynamics.contact_force(at(contact));
    const std::span<const std::size_t> rows = dynamics.friction_rows(f);
    force.components = rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i)
      force.friction[i] = force.state == ContactForceState::Idle ? 0.0 : dynamics.row_force(rows[i]);
  }
}

}  // namespace kane

#include "kane/simulate/switching/contact_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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
  std::size_t longest = 0, body = 0;
  const EquationsOfMotion& e = dynamics.system().equations();
  for (const auto& pair : e.contact_pairs) longest = std::max(longest, pair.name.size());
  for (const auto& shape : e.contact_shapes) body = std::max(body, shape.name.size());
  for (ContactForce& force : forces_) {
    force.name.reserve(longest + kSuffix);
    force.first.reserve(body), force.second.reserve(body);
  }
  refresh(dynamics);
}

void ContactForceList::refresh(const SwitchedDynamics& dynamics) { read(dynamics, dynamics.row_forces()); }

void ContactForceList::refresh_impulses(const SwitchedDynamics& dynamics) { read(dynamics, dynamics.impulses()); }

void ContactForceList::read(const SwitchedDynamics& dynamics, std::span<const double> rows) {
  const std::size_t contacts = dynamics.contact_count();
  for (std::size_t k = 0; k < contacts; ++k) {
    ContactForce& force = forces_[k];
    dynamics.write_contact_name(k, force.name);
    force.normal = rows[dynamics.contact_row(k)];
    const bool closed = dynamics.contact_state(k) == ContactState::Closed || force.normal > 0;
    force.state = closed ? ContactForceState::Closed : ContactForceState::Open;
    force.drag = {};
    dynamics.locate_shapes(k, force);
  }
  static constexpr ContactForceState kStates[] = {ContactForceState::Idle, ContactForceState::Stick,
                                                  ContactForceState::Slide};
  for (std::size_t f = 0; f < dynamics.friction_count(); ++f) {
    ContactForce& force = forces_[contacts + f];
    dynamics.write_friction_name(f, force.name);
    force.is_friction = true;
    force.state = kStates[static_cast<std::size_t>(dynamics.friction_state(f))];
    const int contact = dynamics.friction_contact(f);
    force.normal = contact < 0 ? 0.0 : rows[dynamics.contact_row(at(contact))];
    const std::span<const std::size_t> own = dynamics.friction_rows(f);
    force.components = own.size();
    for (std::size_t i = 0; i < own.size(); ++i)
      force.friction[i] = force.state == ContactForceState::Idle ? 0.0 : rows[own[i]];
    if (contact >= 0 && dynamics.slides(f)) dynamics.add_drag(at(contact), force, forces_[at(contact)]);
  }
}

void ContactForceList::locate(SystemEvaluator& evaluator, std::span<const double> q, std::span<const double> u) {
  if (!locate_contacts(evaluator, q, u, forces_)) return;
  constexpr std::string_view kSuffix = ".friction";
  const std::size_t count = evaluator.system().equations().contacts.size();
  for (ContactForce& friction : forces_)
    for (std::size_t k = 0; k < count && friction.is_friction; ++k)
      if (forces_[k].located && friction.name.size() == forces_[k].name.size() + kSuffix.size() &&
          friction.name.starts_with(forces_[k].name) && friction.name.ends_with(kSuffix))
        friction.friction = forces_[k].friction;
}

bool locate_contacts(SystemEvaluator& evaluator, std::span<const double> q, std::span<const double> u,
                     std::span<ContactForce> forces) {
  const EquationsOfMotion& e = evaluator.system().equations();
  if (e.contacts.empty()) return false;
  constexpr double kRounding = 1e-12;
  bool other_units = false;
  const auto values = evaluator.calc_contact_places(q, u);
  const double* y = values.data();
  const auto vector = [&y] {
    const Vec3 v{y[0], y[1], y[2]};
    y += 3;
    return v;
  };
  for (std::size_t k = 0; k < e.contacts.size(); ++k) {
    ContactForce& force = forces[k];
    force.gap = *y++;
    if (!e.contacts[k].place) continue;
    const ContactEquation::Place& place = *e.contacts[k].place;
    force.located = true;
    force.first = place.first, force.second = place.second;
    force.point = vector(), force.direction = vector();
    Vec3 drag;
    for (std::size_t i = 0; i < place.across.size(); ++i) {
      const Vec3 across = vector();
      drag = drag + force.friction[i] * across;
      force.friction[i] *= norm(across);
      other_units = other_units || std::abs(norm(across) - 1) > kRounding;
    }
    force.drag = drag;
  }
  return other_units;
}

// ---- sensors --------------------------------------------------------------------------------------------------------------

int find_side(const ContactSensorEquation& sensor, std::string_view contact, std::string_view first,
              std::string_view second) {
  if (sensor.second.empty()) {
    const std::string_view name = sensor.first;
    return contact.starts_with(name) && (contact.size() == name.size() || contact[name.size()] == '.') ? 1 : 0;
  }
  if (first == sensor.first && second == sensor.second) return 1;
  return first == sensor.second && second == sensor.first ? -1 : 0;
}

void measure_gaps(const EquationsOfMotion& e, ContactScene& scene, std::span<double> senses) {
  for (std::size_t s = 0; s < e.contact_sensors.size(); ++s) {
    double& gap = senses[sensor_part::kCount * s + sensor_part::kGap];
    if (!e.contact_sensors[s].gap || std::isfinite(gap)) continue;
    for (std::size_t p = 0; p < scene.pairs().size(); ++p) {
      const ContactPair& pair = scene.pairs()[p];
      const int side = find_side(e.contact_sensors[s], pair.name, e.contact_shapes[pair.first].name,
                                 e.contact_shapes[pair.second].name);
      if (side != 0) gap = std::min(gap, scene.calc_distance(p));
    }
  }
}

void fill_contact_reports(SwitchedDynamics& dynamics, std::span<const ContactForce> forces,
                          SystemEvaluator& evaluator) {
  const EquationsOfMotion& e = dynamics.system().equations();
  ContactRows* shapes = dynamics.shapes();
  if (shapes != nullptr)
    shapes->calc_wrenches([&](std::size_t row) { return dynamics.row_force(row); }, evaluator.contact_wrenches());
  if (e.contact_sensors.empty()) return;
  sum_sensors(e, forces, evaluator.contact_senses());
  if (shapes != nullptr) measure_gaps(e, shapes->scene(), evaluator.contact_senses());
}

void sum_sensors(const EquationsOfMotion& e, std::span<const ContactForce> forces, std::span<double> values) {
  namespace part = sensor_part;
  for (std::size_t s = 0; s < e.contact_sensors.size(); ++s) {
    double* to = values.data() + part::kCount * s;
    Vec3 force, torque, point, direction, drag;
    double normal = 0, gap = std::numeric_limits<double>::infinity();
    bool touching = false;
    for (const ContactForce& f : forces) {
      if (f.is_friction || f.name.empty()) continue;
      const int side = find_side(e.contact_sensors[s], f.name, f.first, f.second);
      if (side == 0) continue;
      normal += f.normal;
      gap = std::min(gap, f.gap);
      touching = touching || f.state == ContactForceState::Closed;
      if (!f.located) continue;
      const Vec3 own = side * f.force();
      force = force + own, torque = torque + cross(f.point, own);
      point = point + f.normal * f.point, direction = direction + (side * f.normal) * f.direction;
      drag = drag + f.drag;
    }
    // Contacts without a place have frictions of their own.
    double size = norm(drag);
    for (const ContactForce& f : forces) {
      if (!f.is_friction || !f.name.ends_with(".friction")) continue;
      const auto contact = std::find_if(forces.begin(), forces.end(), [&](const ContactForce& c) {
        return !c.is_friction && f.name.size() == c.name.size() + 9 && f.name.starts_with(c.name);
      });
      if (contact == forces.end() || contact->located) continue;
      if (find_side(e.contact_sensors[s], contact->name, contact->first, contact->second) != 0)
        size += std::hypot(f.friction[0], f.friction[1]);
    }
    const auto put = [&](std::size_t at, const Vec3& v) { to[at] = v.x, to[at + 1] = v.y, to[at + 2] = v.z; };
    put(part::kForce, force), put(part::kTorque, torque);
    put(part::kPoint, normal > 0 ? (1 / normal) * point : Vec3{});
    put(part::kDirection, norm(direction) > 0 ? unit(direction) : Vec3{});
    to[part::kNormal] = normal, to[part::kFriction] = size;
    to[part::kTouching] = touching ? 1.0 : 0.0;
    to[part::kGap] = gap;
  }
}

}  // namespace kane

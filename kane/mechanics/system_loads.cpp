// Generalized speeds, loads and constraints of a System.

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/mechanics/system.hpp"

namespace kane {

// ---- speeds -------------------------------------------------------------------------------------------------------------

Expr System::add_speed(std::string_view name, const Expr& definition) {
  check_name(name, "generalized speed");
  const Expr symbol = declare(name, SymbolKind::Speed);
  const Expr derivative = declare(std::string(name) + "'", SymbolKind::Acceleration);
  speeds_.push_back({symbol, derivative, definition});
  return symbol;
}

Expr System::add_auxiliary_speed(std::string_view name, const Expr& definition) {
  check_name(name, "auxiliary speed");
  const Expr symbol = declare(name, SymbolKind::Auxiliary);
  auxiliaries_.push_back({std::string(name), symbol, definition, {}, {}, {}});
  return symbol;
}

Expr System::add_auxiliary_speed(std::string_view name, FrameId f, const Vector& direction) {
  check_name(name, "auxiliary speed");
  check_frame(f, "auxiliary speed " + std::string(name));
  require(f != inertial(), "auxiliary speed {} cannot turn the inertial frame {}", name, frames_.name(f));
  const Expr symbol = declare(name, SymbolKind::Auxiliary);
  auxiliaries_.push_back({std::string(name), symbol, std::nullopt, f, {}, direction});
  return symbol;
}

Expr System::add_auxiliary_speed(std::string_view name, PointId p, const Vector& direction) {
  check_name(name, "auxiliary speed");
  check_point(p, "auxiliary speed " + std::string(name));
  require(p != origin(), "auxiliary speed {} cannot move the origin {}; locate another point there and move that one",
          name, point(p).name);
  const Expr symbol = declare(name, SymbolKind::Auxiliary);
  auxiliaries_.push_back({std::string(name), symbol, std::nullopt, {}, p, direction});
  return symbol;
}

// ---- loads --------------------------------------------------------------------------------------------------------------

void System::add_load(LoadRecord record) { loads_.push_back(std::move(record)); }

void System::add_force(std::string name, PointId p, const Vector& force) {
  check_point(p, "force " + name);
  add_load({std::move(name), LoadKind::Force, p, {}, force});
}

void System::add_torque(std::string name, FrameId f, const Vector& torque) {
  check_frame(f, "torque " + name);
  add_load({std::move(name), LoadKind::Torque, {}, f, torque});
}

void System::add_force_pair(std::string name, PointId p, PointId reaction, const Vector& force) {
  add_force(name, p, force);
  add_force(std::move(name), reaction, -force);
}

void System::add_torque_pair(std::string name, FrameId f, FrameId reaction, const Vector& torque) {
  add_torque(name, f, torque);
  add_torque(std::move(name), reaction, -torque);
}

void System::add_gravity(const Vector& acceleration) { uniform_gravity_.push_back({acceleration}); }

void System::add_gravity(const InverseSquareGravity& gravity) {
  check_point(gravity.centre, "inverse-square gravity");
  inverse_square_.push_back(gravity);
}

// Without free length the spring needs no square root: force -k r, potential k r.r / 2.
void System::add_spring(std::string name, PointId p, PointId r, const Expr& stiffness, const Expr& free_length) {
  check_point(p, "spring " + name);
  check_point(r, "spring " + name);
  const Vector span = position(p, r);
  require(!span.is_zero(), "spring {} has both ends at the same place, {} and {}", name, point(p).name, point(r).name);
  const Expr half = Expr(1) / 2;
  if (free_length.is_zero()) {
    potentials_.push_back({name, half * stiffness * dot(span, span), false});
    add_force_pair(std::move(name), p, r, -stiffness * span);
    return;
  }
  const Expr distance = magnitude(span);
  const Expr stretch = distance - free_length;
  potentials_.push_back({name, half * stiffness * square(stretch), false});
  add_force_pair(std::move(name), p, r, -(stiffness * stretch / distance) * span);
}

// The rate of the distance |r| is r.r'/|r|, so the force is -c (r.r'/r.r) r.
void System::add_damper(std::string name, PointId p, PointId r, const Expr& damping) {
  check_point(p, "damper " + name);
  check_point(r, "damper " + name);
  const Vector span = position(p, r);
  require(!span.is_zero(), "damper {} has both ends at the same place, {} and {}", name, point(p).name, point(r).name);
  const Expr rate = dot(span, velocity(p) - velocity(r)) / dot(span, span);
  add_force_pair(std::move(name), p, r, -(damping * rate) * span);
}

void System::add_sliding_spring(std::string name, PointId p, PointId reaction, const Vector& axis,
                                const Expr& displacement, const Expr& stiffness, const Expr& free_displacement) {
  const Expr stretch = displacement - free_displacement;
  potentials_.push_back({name, Expr(1) / 2 * stiffness * square(stretch), false});
  add_force_pair(std::move(name), p, reaction, -(stiffness * stretch) * axis);
}

void System::add_sliding_damper(std::string name, PointId p, PointId reaction, const Vector& axis,
                                const Expr& displacement, const Expr& damping) {
  add_force_pair(std::move(name), p, reaction, -(damping * time_derivative(displacement)) * axis);
}

void System::add_torsional_spring(std::string name, FrameId f, FrameId reaction, const Vector& axis, const Expr& angle,
                                  const Expr& stiffness, const Expr& free_angle) {
  const Expr twist = angle - free_angle;
  potentials_.push_back({name, Expr(1) / 2 * stiffness * square(twist), false});
  add_torque_pair(std::move(name), f, reaction, -(stiffness * twist) * axis);
}

void System::add_torsional_damper(std::string name, FrameId f, FrameId reaction, const Vector& axis,
                                  const Expr& damping) {
  check_frame(f, "torsional damper " + name);
  check_frame(reaction, "torsional damper " + name);
  const Expr rate = dot(angular_velocity(f, reaction), axis);
  add_torque_pair(std::move(name), f, reaction, -(damping * rate) * axis);
}

void System::add_coordinate_force(std::string name, const Expr& coordinate, const Expr& value) {
  (void)rate(coordinate);
  check_symbols(value, "the force " + name);
  coordinate_forces_.push_back({std::move(name), coordinate, graph_->bind(value)});
}

void System::add_potential(std::string name, const Expr& potential) {
  potentials_.push_back({std::move(name), potential, true});
}

void System::add_stored_energy(std::string name, const Expr& energy) {
  potentials_.push_back({std::move(name), energy, false});
}

// ---- constraints --------------------------------------------------------------------------------------------------------

void System::add_configuration_constraint(std::string name, const Expr& phi, std::string group, bool active) {
  ConstraintRecord c;
  c.group = group.empty() ? name : std::move(group);
  c.name = std::move(name);
  c.phi = phi;
  c.configuration = true;
  c.active = active;
  add_constraint(std::move(c));
}

void System::add_motion_constraint(std::string name, const Expr& expression, std::string group, bool active) {
  ConstraintRecord c;
  c.group = group.empty() ? name : std::move(group);
  c.name = std::move(name);
  c.motion = expression;
  c.active = active;
  add_constraint(std::move(c));
}

void System::add_point_constraint(std::string name, PointId p, PointId r, const Vector& direction, std::string group,
                                  bool active, bool configuration) {
  check_point(p, "constraint " + name);
  check_point(r, "constraint " + name);
  require(!direction.is_zero(), "constraint {} needs a direction that is not zero", name);
  ConstraintRecord c;
  c.group = group.empty() ? name : std::move(group);
  c.name = std::move(name);
  c.point = p;
  c.reference = r;
  c.direction = direction;
  c.configuration = configuration;
  c.active = active;
  add_constraint(std::move(c));
}

void System::add_coincidence(std::string name, PointId p, PointId r, const Vector& direction, std::string group,
                             bool active) {
  add_point_constraint(std::move(name), p, r, direction, std::move(group), active, true);
}

void System::add_contact(std::string name, const Expr& phi, PointId p, PointId r, const Vector& direction,
                         std::string group, bool active) {
  add_point_constraint(std::move(name), p, r, direction, std::move(group), active, true);
  constraints_.back().phi = phi;
}

void System::add_velocity_constraint(std::string name, PointId p, PointId r, const Vector& direction, std::string group,
                                     bool active) {
  add_point_constraint(std::move(name), p, r, direction, std::move(group), active, false);
}

void System::add_constraint(ConstraintRecord record) {
  for (const ConstraintRecord& c : constraints_) {
    require(c.name != record.name, "there is already a constraint named '{}'", record.name);
  }
  check_name(record.name, "constraint");
  declare("lambda." + record.name, SymbolKind::Multiplier);
  constraints_.push_back(std::move(record));
}

void System::set_dependent_speeds(std::vector<Expr> speeds) {
  for (const Expr& u : speeds) {
    require(std::any_of(speeds_.begin(), speeds_.end(), [&](const SpeedRecord& s) { return s.symbol == u; }),
            "{} cannot be a dependent speed: it is not a generalized speed of {}", u.to_string(), name_);
  }
  dependent_speeds_ = std::move(speeds);
}

void System::add_reaction(std::string name, const ReactionSpec& spec) {
  check_point(spec.point, "reaction " + name);
  check_frame(spec.outboard, "reaction " + name);
  check_frame(spec.in, "reaction " + name);
  reactions_.push_back({std::move(name), spec});
}

void System::add_output(std::string name, const Expr& value) { outputs_.push_back({std::move(name), value}); }

}  // namespace kane

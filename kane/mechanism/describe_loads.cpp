// Loads and constraints as they are described in C++.

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/print.hpp"
#include "kane/mechanism/describe_parts.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

/// The joint of this name; throws ModelError with a suggestion.
Joint& find_joint_of(Mechanism& m, const JointRef& joint, std::string_view owner, const Where& where) {
  std::vector<std::string> known;
  for (Joint& j : m.joints) {
    if (j.name == joint.name()) return j;
    known.push_back(j.name);
  }
  throw ModelError(where, fmt::format("{} names the joint '{}', which does not exist{}", owner, joint.name(),
                                      suggestion(joint.name(), known)));
}

/// The motion with this coordinate; without one, the only free motion.
std::size_t find_motion_of(const Joint& joint, const std::string& coordinate, std::string_view owner,
                           const Where& where) {
  std::vector<std::string> names;
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < joint.motions.size(); ++i) {
    const ElementaryMotion& motion = joint.motions[i];
    if (!motion.free) continue;
    numbers.push_back(i);
    names.push_back(motion.coordinates.empty() ? "" : motion.coordinates.front().name());
  }
  if (coordinate.empty()) {
    require_at(where, numbers.size() == 1, "the joint '{}' has {} free motions; say which coordinate {} is meant for",
               joint.name, numbers.size(), owner);
    return numbers.front();
  }
  const auto known = std::find(names.begin(), names.end(), coordinate);
  require_at(where, known != names.end(), "the joint '{}' has no coordinate '{}'{}", joint.name, coordinate,
             suggestion(coordinate, names));
  return numbers[at(known - names.begin())];
}

std::string in_parentheses(const Expr& e) { return "(" + to_text(e) + ")"; }

std::vector<Quantity> directions_of(const Mechanism& m, const std::vector<VectorQuantity>& given, const Where& where) {
  std::vector<Quantity> directions;
  for (const VectorQuantity& direction : given) directions.push_back(direction.quantity(m.ground, where));
  return directions;
}

GearConstraint gear_between(const BodyRef& first, const BodyRef& second, const BodyRef& carrier, const Expr& first_size,
                            const Expr& second_size) {
  GearConstraint gear;
  gear.first = first.name(), gear.second = second.name(), gear.carrier = carrier.name();
  gear.first_size = first_size, gear.second_size = second_size;
  return gear;
}

template <class What>
ConstraintRef add_constraint(Mechanism& m, std::string_view name, What what, bool active, const Where& where) {
  check_new_name(m.constraints, name, "constraint", where);
  m.constraints.push_back({std::string(name), std::move(what), active, where});
  return name;
}

template <class What>
void add_load(Mechanism& m, std::string_view name, What what, const Where& where) {
  check_new_name(m.loads, name, "load", where);
  m.loads.push_back({std::string(name), std::move(what), where});
}

ConstraintRef hold_expression(Mechanism& m, std::string_view name, std::string phi, bool active, const Where& where) {
  ExpressionConstraint rows;
  rows.configuration.emplace_back(std::move(phi), where);
  return add_constraint(m, name, std::move(rows), active, where);
}

}  // namespace

// ---- loads ------------------------------------------------------------------------------------------------------------

void Mechanism::set_gravity(const VectorQuantity& acceleration, const Place& place) {
  gravity = acceleration.quantity(ground, place_of(place));
}

void Mechanism::add_force(std::string_view load, const PointRef& point, const VectorQuantity& force,
                          const PointRef& reaction_at, const Place& place) {
  const Where here = place_of(place);
  add_load(*this, load, ForceLoad{force.quantity(ground, here), {}, point.name(), reaction_at.name()}, here);
}

void Mechanism::add_force_along(std::string_view load, const PointRef& point, const Quantity& force,
                                const VectorQuantity& axis, const PointRef& reaction_at, const Place& place) {
  const Where here = place_of(place);
  add_load(*this, load, ForceLoad{at(force, here), axis.quantity(ground, here), point.name(), reaction_at.name()},
           here);
}

void Mechanism::add_torque(std::string_view load, const BodyRef& on, const VectorQuantity& torque,
                           const BodyRef& reaction, const Place& place) {
  const Where here = place_of(place);
  add_load(*this, load, TorqueLoad{torque.quantity(ground, here), {}, on.name(), reaction.name()}, here);
}

void Mechanism::add_torque_about(std::string_view load, const BodyRef& on, const Quantity& torque,
                                 const VectorQuantity& axis, const BodyRef& reaction, const Place& place) {
  const Where here = place_of(place);
  add_load(*this, load, TorqueLoad{at(torque, here), axis.quantity(ground, here), on.name(), reaction.name()}, here);
}

void Mechanism::add_spring(std::string_view load, const PointRef& from, const PointRef& to,
                           const SpringOptions& options, const Place& place) {
  const Where here = place_of(place);
  SpringLoad spring{from.name(), to.name(), options.stiffness, options.length, options.damping, {}};
  if (!options.law.empty()) spring.law = at(options.law, here);
  add_load(*this, load, std::move(spring), here);
}

void Mechanism::add_damper(std::string_view load, const PointRef& from, const PointRef& to, const Expr& damping,
                           const Place& place) {
  add_spring(load, from, to, {.damping = damping}, place);
}

void Mechanism::add_joint_load(std::string_view load, const JointRef& joint, const AxisOptions& o, const Place& place) {
  const Where here = place_of(place);
  const std::string owner = fmt::format("the load '{}'", load);
  const Joint& found = find_joint_of(*this, joint, owner, here);
  require_at(here,
             !o.value && !o.limits.lower && !o.limits.upper && !o.max_force && !o.max_speed && o.actuator.is_zero(),
             "{} can be a spring, a damper, friction or a law; limits, values and actuators belong to the joint '{}'",
             owner, joint.name());
  AxisLaw law;
  law.stiffness = o.stiffness;
  law.rest = o.rest;
  law.damping = o.damping;
  law.friction = o.friction;
  if (!o.law.empty()) law.law = at(o.law, here);
  const std::size_t motion = find_motion_of(found, o.coordinate, owner, here);
  add_load(*this, load, JointLoad{joint.name(), static_cast<int>(motion), std::move(law)}, here);
}

Expr Mechanism::add_motor(std::string_view symbol, const JointRef& joint, const Place& place) {
  const Where here = place_of(place);
  const std::string owner = fmt::format("the motor '{}'", symbol);
  Joint& found = find_joint_of(*this, joint, owner, here);
  AxisLaw& law = found.motions[find_motion_of(found, "", owner, here)].law;
  require_at(here, law.actuator.is_zero(), "the joint '{}' has an actuator already: '{}'", joint.name(),
             law.actuator.to_string());
  law.actuator = input(symbol, 0, "", place);
  return law.actuator;
}

void Mechanism::add_attraction(std::string_view load, const AttractionOptions& options, const Place& place) {
  add_load(*this, load,
           InverseSquareLoad{options.mu, options.centre.empty() ? ground : options.centre.name(),
                             options.gradient_torque, names_of(options.bodies)},
           place_of(place));
}

// ---- constraints --------------------------------------------------------------------------------------------------------

ConstraintRef Mechanism::hold(std::string_view constraint, std::vector<Quantity> zero, bool active,
                              const Place& place) {
  const Where here = place_of(place);
  return add_constraint(*this, constraint, ExpressionConstraint{at(std::move(zero), here), {}}, active, here);
}

ConstraintRef Mechanism::hold_motion(std::string_view constraint, std::vector<Quantity> zero, bool active,
                                     const Place& place) {
  const Where here = place_of(place);
  return add_constraint(*this, constraint, ExpressionConstraint{{}, at(std::move(zero), here)}, active, here);
}

ConstraintRef Mechanism::hold_point(std::string_view constraint, const PointRef& point, const PointRef& reference,
                                    const PointHoldOptions& options, const Place& place) {
  const Where here = place_of(place);
  const int ways = static_cast<int>(!options.directions.empty()) + static_cast<int>(!options.plane.empty()) +
                   static_cast<int>(!options.path.empty());
  require_at(here, ways <= 1, "the constraint '{}' can have only one of directions, a plane and a path", constraint);
  PointConstraint what;
  what.point = point.name();
  what.reference = reference.empty() ? ground : reference.name();
  what.velocity_only = options.velocity_only;
  if (!options.path.empty())
    what.path = options.path.quantity(ground, here);
  else if (!options.plane.empty())
    what.directions = {options.plane.quantity(ground, here)};
  else if (!options.directions.empty())
    what.directions = directions_of(*this, options.directions, here);
  else
    what.directions = directions_of(*this, {axis::x, axis::y, axis::z}, here);
  return add_constraint(*this, constraint, std::move(what), options.active, here);
}

ConstraintRef Mechanism::roll(std::string_view constraint, const BodyRef& body, const RollOptions& options,
                              const Place& place) {
  const Where here = place_of(place);
  return add_constraint(
      *this, constraint,
      RollingConstraint{body.name(), options.on.empty() ? ground : options.on.name(),
                        options.contact.quantity(ground, here), directions_of(*this, options.directions, here), false},
      options.active, here);
}

ConstraintRef Mechanism::touch(std::string_view constraint, const BodyRef& body, const TouchOptions& options,
                               const Place& place) {
  const Where here = place_of(place);
  return add_constraint(*this, constraint,
                        RollingConstraint{body.name(),
                                          options.on.empty() ? ground : options.on.name(),
                                          options.contact.quantity(ground, here),
                                          {options.normal.quantity(ground, here)},
                                          true},
                        options.active, here);
}

ConstraintRef Mechanism::rod(std::string_view constraint, const PointRef& from, const PointRef& to, const Expr& length,
                             bool active, const Place& place) {
  return add_constraint(*this, constraint, DistanceConstraint{from.name(), to.name(), length}, active, place_of(place));
}

ConstraintRef Mechanism::rope(std::string_view constraint, const std::vector<PointRef>& points_on_it,
                              const Expr& length, bool active, const Place& place) {
  const Where here = place_of(place);
  require_at(here, points_on_it.size() >= 2, "the rope '{}' needs two points or more, but has {}", constraint,
             points_on_it.size());
  std::string phi;
  for (std::size_t i = 1; i < points_on_it.size(); ++i)
    phi += fmt::format("{}distance({}, {})", i == 1 ? "" : " + ", points_on_it[i - 1].name(), points_on_it[i].name());
  return hold_expression(*this, constraint, phi + " - " + in_parentheses(length), active, here);
}

ConstraintRef Mechanism::gear(std::string_view constraint, const Expr& a, const Expr& b, const Expr& ratio,
                              const RatioOptions& options, const Place& place) {
  std::string phi = fmt::format("{} - {}*{}", to_text(b), in_parentheses(ratio), in_parentheses(a));
  if (!options.offset.is_zero()) phi += " - " + in_parentheses(options.offset);
  return hold_expression(*this, constraint, std::move(phi), options.active, place_of(place));
}

ConstraintRef Mechanism::mesh(std::string_view constraint, const BodyRef& first, const BodyRef& second,
                              const GearOptions& o, const Place& place) {
  const Where here = place_of(place);
  require_at(here, o.radii.empty() != o.teeth.empty(), "the gear '{}' needs either 'radii' or 'teeth'", constraint);
  const std::vector<Expr>& sizes = o.radii.empty() ? o.teeth : o.radii;
  require_at(here, sizes.size() == 2, "the gear '{}' needs two sizes, but {} are given", constraint, sizes.size());
  require_at(here, o.module.is_zero() || o.radii.empty(), "the gear '{}' has radii, so it needs no 'module'",
             constraint);
  require_at(here, o.axes.size() <= 2, "the gear '{}' has two axes, not {}", constraint, o.axes.size());
  require_at(here, !sizes[0].is_zero() && !sizes[1].is_zero(), "a gear of '{}' has no size", constraint);
  GearConstraint gear = gear_between(first, second, o.carrier, sizes[0], sizes[1]);
  gear.lengths = !o.radii.empty() || !o.module.is_zero();
  if (!o.module.is_zero()) {
    gear.first_size = o.module * sizes[0] / 2;
    gear.second_size = o.module * sizes[1] / 2;
  }
  for (const VectorQuantity& axis : o.axes) gear.axes.push_back(axis.quantity(ground, here));
  gear.internal = o.internal;
  gear.offset = o.offset;
  return add_constraint(*this, constraint, std::move(gear), o.active, here);
}

ConstraintRef Mechanism::rack(std::string_view constraint, const BodyRef& pinion, const BodyRef& bar,
                              const RackOptions& o, const Place& place) {
  const Where here = place_of(place);
  require_at(here, !o.radius.is_zero(), "the rack '{}' needs the radius of its pinion", constraint);
  require_at(here, o.axis.empty() == o.direction.empty(), "the rack '{}' needs both 'axis' and 'direction', or neither",
             constraint);
  GearConstraint rack = gear_between(pinion, bar, o.carrier, o.radius, 1);
  rack.rack = true;
  if (!o.axis.empty()) rack.axes = {o.axis.quantity(ground, here), o.direction.quantity(ground, here)};
  rack.offset = o.offset;
  return add_constraint(*this, constraint, std::move(rack), o.active, here);
}

ConstraintRef Mechanism::prescribe(std::string_view constraint, const Expr& symbol, const Quantity& value, bool active,
                                   const Place& place) {
  return hold_expression(*this, constraint, fmt::format("{} - ({})", to_text(symbol), value.text), active,
                         place_of(place));
}

}  // namespace kane

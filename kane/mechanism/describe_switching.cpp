// Speeds, outputs, initial values, and what changes while a mechanism runs, as they are described in C++.

#include <cmath>

#include "kane/base/suggest.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/describe_parts.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/speed_definitions.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

/// Value of an expression of parameters at their default values.
double default_value(const Mechanism& m, const Expr& e, std::string_view owner, const Where& where) {
  if (e.is_number()) return to_double(e.number());
  const FunctionTable functions = table_functions(m);
  Values values;
  for (const SymbolWithDefault& p : m.parameters)
    values[p.symbol.name()] = with_place(where, [&] { return evaluate(p.value, values, functions); });
  for (const Expr& symbol : symbols_of({&e, 1}))
    require_at(where, values.contains(symbol.name()), "{} depends on '{}', which is not a parameter", owner,
               symbol.name());
  const double value = with_place(where, [&] { return evaluate(e, values, functions); });
  require_at(where, std::isfinite(value), "{} is not a finite number", owner);
  return value;
}

/// Writes a ContactRule from what touches.
class ContactWriter {
 public:
  ContactWriter(const Mechanism& m, ContactRule& rule) : m_(m), rule_(rule) {}

  void operator()(const GapContact& c) {
    rule_.kind = ContactRule::Kind::Gap;
    rule_.gap = placed(c.gap);
    rule_.slip = at(c.slip, rule_.where);
  }
  void operator()(const PointContact& c) {
    rule_.kind = ContactRule::Kind::Point;
    rule_.body = c.point.name();
    set(c.plane);
  }
  void operator()(const SphereContact& c) {
    rule_.kind = ContactRule::Kind::Sphere;
    set_round(c);
  }
  void operator()(const DiskContact& c) {
    rule_.kind = ContactRule::Kind::Disk;
    set_round(c);
    rule_.axis = c.axis.quantity(c.body.name(), rule_.where);
  }
  void operator()(const BoxContact& c) {
    rule_.kind = ContactRule::Kind::Box;
    require_at(rule_.where, c.size.size() == 3, "the box of the contact '{}' has three edges, but {} are given",
               rule_.name, c.size.size());
    rule_.body = c.body.name();
    rule_.at = c.at.name();
    rule_.size = at(c.size, rule_.where);
    set(c.plane);
  }
  void operator()(const CylinderContact& c) {
    rule_.kind = ContactRule::Kind::Cylinder;
    set_long(c);
  }
  void operator()(const CapsuleContact& c) {
    rule_.kind = ContactRule::Kind::Capsule;
    set_long(c);
  }
  void operator()(const SpheresContact& c) {
    rule_.kind = ContactRule::Kind::Spheres;
    rule_.body = c.body.name();
    rule_.other = c.other.name();
    rule_.radius = placed(c.radius);
    rule_.other_radius = placed(c.other_radius);
  }
  void operator()(const JointStops& c) {
    rule_.kind = ContactRule::Kind::Joint;
    rule_.joint = c.joint.name();
  }
  void operator()(const ShapesContact& c) {
    rule_.kind = ContactRule::Kind::Between;
    rule_.body = c.body.name();
    rule_.other = c.other.name();
    const bool with_ground = rule_.body == m_.ground || rule_.other == m_.ground;
    require_at(rule_.where, with_ground || c.plane.normal.empty(),
               "the contact '{}' is between two bodies, so a plane of the ground means nothing here", rule_.name);
    set_if_given(c.plane);
  }
  void operator()(const PinInHole& c) {
    rule_.kind = ContactRule::Kind::Pin;
    rule_.body = c.pin.name();
    rule_.other = c.hole.name();
    rule_.clearance = placed(c.clearance);
    rule_.radius = placed(c.radius);
    rule_.axis = c.axis.quantity(m_.ground, rule_.where);
  }
  void operator()(const PointInSlot& c) {
    rule_.kind = ContactRule::Kind::Slot;
    rule_.body = c.point.name();
    rule_.other = c.middle.name();
    rule_.clearance = placed(c.clearance);
    rule_.axis = c.axis.quantity(m_.ground, rule_.where);
  }
  void operator()(const GearBacklash& c) {
    rule_.kind = ContactRule::Kind::Gear;
    rule_.body = c.first.name();
    rule_.other = c.second.name();
    rule_.ratio = placed(c.ratio);
    rule_.clearance = placed(c.backlash);
    rule_.offset = placed(c.offset);
  }
  void operator()(const AllShapesContact& c) {
    rule_.kind = ContactRule::Kind::All;
    set_if_given(c.plane);
  }

 private:
  [[nodiscard]] Quantity placed(const Quantity& q) const { return q.empty() ? q : at(q, rule_.where); }

  void set(const ContactPlane& plane) {
    require_at(rule_.where, !plane.normal.empty(), "the contact '{}' needs a plane, such as axis::z", rule_.name);
    set_if_given(plane);
  }
  void set_if_given(const ContactPlane& plane) {
    if (plane.normal.empty()) return;
    rule_.plane = plane.normal.quantity(m_.ground, rule_.where);
    rule_.height = placed(plane.height);
    rule_.reference = plane.through.name();
  }
  template <class Round>
  void set_round(const Round& c) {
    rule_.body = c.body.name();
    rule_.at = c.at.name();
    rule_.radius = placed(c.radius);
    set(c.plane);
  }
  template <class Long>
  void set_long(const Long& c) {
    set_round(c);
    rule_.length = placed(c.length);
    rule_.axis = c.axis.quantity(c.body.name(), rule_.where);
  }

  const Mechanism& m_;
  ContactRule& rule_;
};

/// The guard of an event: an expression, or the force of a constraint against a bound.
void set_guard(SwitchRule& rule, const EventDescription& e) {
  const int bounds =
      static_cast<int>(!e.above.empty()) + static_cast<int>(!e.below.empty()) + static_cast<int>(!e.exceeds.empty());
  if (e.force.empty()) {
    require_at(rule.where, !e.when.empty() && bounds == 0,
               "the event '{}' needs either `when`, or a force with one of above, below and exceeds", rule.name);
    rule.when = at(e.when, rule.where);
    rule.direction = static_cast<int>(e.sense);
    return;
  }
  require_at(rule.where, e.when.empty() && bounds == 1 && e.sense == Sense::Either,
             "the event '{}' is about a force and takes exactly one of above, below and exceeds", rule.name);
  rule.force = e.force.name();
  rule.when = at(!e.above.empty() ? e.above : !e.below.empty() ? e.below : e.exceeds, rule.where);
  rule.direction = e.below.empty() ? 1 : -1;
  rule.squared = !e.exceeds.empty();
}

}  // namespace

// ---- speeds, outputs, start -------------------------------------------------------------------------------------------

void Mechanism::set_speeds(std::vector<NamedQuantity> definitions, const Place& place) {
  std::vector<Joint*> all;
  for (Joint& joint : joints) all.push_back(&joint);
  for (NamedQuantity& speed : definitions) speed.value = at(std::move(speed.value), place_of(place));
  speed_order.clear();
  define_speeds(*this, all, std::move(definitions));
}

void Mechanism::add_auxiliary(std::string_view symbol, const AuxiliaryOptions& options, const Place& place) {
  const Where here = place_of(place);
  const int ways = static_cast<int>(!options.body.empty()) + static_cast<int>(!options.point.empty()) +
                   static_cast<int>(!options.definition.empty());
  require_at(here, ways == 1, "the auxiliary speed '{}' takes exactly one of a body, a point and a definition", symbol);
  require_at(here, options.definition.empty() != options.direction.empty(),
             "the auxiliary speed '{}' needs a direction with a body or a point, and none with a definition", symbol);
  AuxiliaryQuantity own{std::string(symbol), options.body.name(), options.point.name(), {}, {}};
  if (options.definition.empty())
    own.direction = options.direction.quantity(ground, here);
  else
    own.definition = at(options.definition, here);
  auxiliary.push_back(std::move(own));
}

Expr Mechanism::add_state(std::string_view symbol, Quantity rate, const Expr& start, std::string_view unit,
                          const Place& place) {
  const Where here = place_of(place);
  check_new_name(states, symbol, "state", here);
  states.push_back({std::string(symbol), at(std::move(rate), here), here});
  if (!unit.empty()) units[std::string(symbol)] = unit;
  if (!start.is_zero()) set_initial(symbol, start, place);
  return graph->symbol(symbol);
}

void Mechanism::add_output(std::string_view output, Quantity value, const Place& place) {
  check_new_name(outputs, output, "output", place_of(place));
  outputs.push_back({std::string(output), at(std::move(value), place_of(place))});
}

void Mechanism::set_initial(std::string_view symbol, const Expr& value, const Place& place) {
  const std::string owner = fmt::format("the initial value of '{}'", symbol);
  initial[std::string(symbol)] = default_value(*this, value, owner, place_of(place));
  guess.erase(std::string(symbol));
  initial_laws.erase(std::string(symbol));
  if (!value.is_number()) initial_laws[std::string(symbol)] = value;
}

void Mechanism::set_guess(std::string_view symbol, const Expr& value, const Place& place) {
  const std::string owner = fmt::format("the guess of '{}'", symbol);
  guess[std::string(symbol)] = default_value(*this, value, owner, place_of(place));
  initial.erase(std::string(symbol));
  initial_laws.erase(std::string(symbol));
  if (!value.is_number()) initial_laws[std::string(symbol)] = value;
}

// ---- contact, friction, events ------------------------------------------------------------------------------------------

ContactRef Mechanism::add_contact(std::string_view contact, const ContactGeometry& geometry, const ContactLaw& law,
                                  const Place& place) {
  ContactRule rule;
  rule.name = contact;
  rule.where = place_of(place);
  check_new_name(switching.contacts, contact, "contact", rule.where);
  std::visit(ContactWriter(*this, rule), geometry);
  const auto placed = [&](const Quantity& q) { return q.empty() ? q : at(q, rule.where); };
  require_at(rule.where, law.static_friction.empty() || !law.friction.empty(),
             "the contact '{}' has static friction, but no friction", contact);
  require_at(rule.where, law.dissipation.empty() || !law.stiffness.empty(),
             "the contact '{}' has dissipation, but no stiffness", contact);
  rule.friction = placed(law.friction);
  rule.static_friction = placed(law.static_friction);
  rule.rolling_friction = placed(law.rolling_friction);
  rule.spinning_friction = placed(law.spinning_friction);
  rule.restitution = placed(law.restitution);
  rule.law = law.law, rule.phases = law.phases;
  require_at(
      rule.where, law.friction_across.empty() == law.along.empty() && (law.along.empty() || !law.friction.empty()),
      "the contact '{}' has friction that depends on the direction, which takes friction, friction_across and along",
      contact);
  rule.friction_across = placed(law.friction_across), rule.along = placed(law.along);
  rule.adhesion = placed(law.adhesion);
  rule.stiffness = placed(law.stiffness);
  rule.dissipation = placed(law.dissipation);
  require_at(rule.where, law.damping.empty() || (!law.stiffness.empty() && law.dissipation.empty()),
             "the contact '{}' has damping, which goes with stiffness and instead of dissipation", contact);
  rule.damping = placed(law.damping);
  switching.contacts.push_back(std::move(rule));
  return contact;
}

void Mechanism::add_friction(std::string_view friction, const FrictionOptions& options, const Place& place) {
  const Where here = place_of(place);
  check_new_name(switching.frictions, friction, "friction", here);
  require_at(here, options.slip.empty() != options.joint.empty(),
             "the friction '{}' takes either slip speeds or a joint", friction);
  FrictionRule rule{
      std::string(friction), at(options.slip, here), options.joint.name(), at(options.limit, here), {}, here};
  if (!options.stiction.empty()) rule.stiction = at(options.stiction, here);
  switching.frictions.push_back(std::move(rule));
}

void Mechanism::add_mode(std::string_view mode, const std::vector<ConstraintRef>& active, bool initial_one,
                         const Place& place) {
  const Where here = place_of(place);
  check_new_name(switching.modes, mode, "mode", here);
  switching.modes.push_back({std::string(mode), names_of(active), here});
  if (initial_one || switching.initial_mode.empty()) switching.initial_mode = mode;
}

void Mechanism::add_event(std::string_view event, const EventDescription& e, const Place& place) {
  SwitchRule rule;
  rule.name = event;
  rule.where = place_of(place);
  check_new_name(switching.switches, event, "event", rule.where);
  set_guard(rule, e);
  rule.impose = names_of(e.impose);
  rule.release = names_of(e.release);
  for (const auto& [symbol, value] : e.reset) rule.resets.push_back({symbol, at(value, rule.where)});
  rule.from = e.from;
  rule.to = e.to;
  rule.stop = e.stop;
  require_at(rule.where,
             !rule.impose.empty() || !rule.release.empty() || !rule.resets.empty() || !rule.to.empty() || rule.stop,
             "the event '{}' changes nothing: give one of impose, release, reset, to, stop", event);
  switching.switches.push_back(std::move(rule));
}

void Mechanism::add_handle(std::string_view handle, const HandleOptions& options, const Place& place) {
  const Where here = place_of(place);
  check_new_name(switching.handles, handle, "axis of the handle", here);
  HandleRule rule{std::string(handle), at(options.position, here), at(options.stiffness, here), {}, here};
  if (!options.damping.empty()) rule.damping = at(options.damping, here);
  switching.handles.push_back(std::move(rule));
}

}  // namespace kane

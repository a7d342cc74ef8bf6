// Joints as they are described in C++.

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/describe_parts.hpp"
#include "kane/mechanism/joint_library.hpp"
#include "kane/mechanism/placed.hpp"

namespace kane {
namespace {

AxisLaw axis_law(const AxisOptions& o, const Where& where) {
  AxisLaw law;
  law.stiffness = o.stiffness;
  law.rest = o.rest;
  law.damping = o.damping;
  law.friction = o.friction;
  law.lower = o.limits.lower;
  law.upper = o.limits.upper;
  law.restitution = o.limits.restitution;
  law.stop_stiffness = o.limits.stiffness;
  law.stop_damping = o.limits.damping;
  law.max_force = o.max_force;
  law.max_speed = o.max_speed;
  if (!o.law.empty()) law.law = at(o.law, where);
  law.actuator = o.actuator;
  return law;
}

AxisOptions axis_options(const JointOptions& o) {
  return {o.coordinate, o.speed, o.stiffness, o.rest,      o.damping,   o.friction,
          o.limits,     o.law,   o.actuator,  o.max_force, o.max_speed, o.value};
}

MultiJointOptions several(const JointOptions& o) {
  return {.at = o.at,
          .orientation = o.orientation,
          .child_at = o.child_at,
          .child_orientation = o.child_orientation,
          .rotation_from = o.rotation_from,
          .motions = {axis_options(o)},
          .closing = o.closing,
          .active = o.active,
          .report_reaction = o.report_reaction};
}

/// Puts one joint together and adds it.
class JointDescription {
 public:
  JointDescription(Mechanism& mechanism, std::string_view name, std::string_view kind, const BodyRef& parent,
                   const BodyRef& child, const SourcePlace& place)
      : m_(mechanism) {
    joint_.name = name;
    joint_.kind = kind;
    joint_.parent = parent.name();
    joint_.child = child.name();
    joint_.where = place_of(place);
    owner_ = fmt::format("the joint '{}'", name);
    check_new_name(m_.joints, name, "joint", joint_.where);
    if (kind != "general") joint_.motions = open_joint(joint_kind(kind, joint_.where));
  }

  [[nodiscard]] std::vector<ElementaryMotion>& motions() { return joint_.motions; }
  [[nodiscard]] Joint& joint() { return joint_; }

  void set_axis(std::size_t motion, const Direction& direction) {
    require_at(joint_.where, !is_zero(direction.components), "an axis of {} has length zero", owner_);
    joint_.motions[motion].axis = direction.components;
  }

  void add_motion(const JointMotion& given) {
    ElementaryMotion& motion = joint_.motions.emplace_back();
    motion.kind = given.kind;
    motion.pitch = given.pitch;
    if (given.kind != MotionKind::Ball) set_axis(joint_.motions.size() - 1, given.axis);
  }

  void place(const MultiJointOptions& o) {
    joint_.on_parent = find_placement(m_, o.at, o.orientation, joint_.parent, owner_, joint_.where);
    joint_.on_child = find_placement(m_, o.child_at, o.child_orientation, joint_.child, owner_, joint_.where);
  }

  /// Everything but the placement. `written`: the motions of a joint that is written out, for the names of its balls.
  JointRef finish(const MultiJointOptions& o, const std::vector<JointMotion>& written = {}) {
    joint_.rotation_from = o.rotation_from.name();
    joint_.closing = o.closing;
    joint_.active = o.active;
    joint_.report_reaction = o.report_reaction;
    require_at(joint_.where, o.closing || o.active, "{} is not active, which only a closing joint can be", owner_);
    require_at(joint_.where, o.motions.size() <= joint_.motions.size(), "{} has {} motion{}, but {} are described",
               owner_, joint_.motions.size(), joint_.motions.size() == 1 ? "" : "s", o.motions.size());
    for (std::size_t i = 0; i < o.motions.size(); ++i) set_law(i, o.motions[i]);
    if (joint_.closing)
      check_no_names(o);
    else
      set_names(o, written);
    return m_.add_joint(std::move(joint_)).name;
  }

 private:
  void set_law(std::size_t i, const AxisOptions& o) {
    ElementaryMotion& motion = joint_.motions[i];
    motion.law = axis_law(o, joint_.where);
    if (!o.value) return;
    require_at(joint_.where, motion.kind != MotionKind::Ball,
               "the ball motion of {} has no single value; lock all motions of a gimbal, or weld the bodies", owner_);
    motion.free = false;
    motion.value = *o.value;
    motion.held_coordinate = o.coordinate;
    motion.held_speed = o.speed.empty() && !o.coordinate.empty() ? speed_name(o.coordinate) : o.speed;
  }

  void check_no_names(const MultiJointOptions& o) const {
    bool named = !o.coordinates.empty() || !o.speeds.empty();
    for (const AxisOptions& motion : o.motions)
      named = named || !motion.coordinate.empty() || !motion.speed.empty() || motion.value.has_value();
    require_at(joint_.where, !named,
               "{} closes a loop and has no coordinates of its own, so it takes no names and values", owner_);
  }

  void set_names(const MultiJointOptions& o, const std::vector<JointMotion>& written) {
    Graph& graph = *m_.graph;
    name_motions(graph, joint_, o.coordinates, o.speeds);
    for (std::size_t i = 0; i < joint_.motions.size(); ++i) {
      ElementaryMotion& motion = joint_.motions[i];
      if (!motion.free) continue;
      if (motion.kind == MotionKind::Ball) {
        if (i < written.size()) name_ball(motion, written[i]);
        continue;
      }
      const AxisOptions own = i < o.motions.size() ? o.motions[i] : AxisOptions{};
      if (o.coordinates.empty() && !own.coordinate.empty()) {
        motion.coordinates = {graph.symbol(own.coordinate)};
        if (o.speeds.empty()) motion.speeds = {graph.symbol(speed_name(own.coordinate))};
      }
      if (o.speeds.empty() && !own.speed.empty()) motion.speeds = {graph.symbol(own.speed)};
    }
  }

  void name_ball(ElementaryMotion& motion, const JointMotion& given) {
    const auto name = [&](std::vector<Expr>& symbols, const std::vector<std::string>& names, std::string_view what) {
      if (names.empty()) return;
      require_at(joint_.where, names.size() == symbols.size(), "the ball motion of {} has {} {}, but {} are named",
                 owner_, symbols.size(), what, names.size());
      for (std::size_t k = 0; k < names.size(); ++k) symbols[k] = m_.graph->symbol(names[k]);
    };
    name(motion.coordinates, given.coordinates, "coordinates");
    name(motion.speeds, given.speeds, "speeds");
  }

  Mechanism& m_;
  Joint joint_;
  std::string owner_;
};

}  // namespace

JointRef Mechanism::weld(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                         const JointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "weld", parent, child, place);
  MultiJointOptions all = several(options);
  all.motions.clear();
  d.place(all);
  return d.finish(all);
}

JointRef Mechanism::revolute(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                             const Direction& about, const JointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "revolute", parent, child, place);
  d.set_axis(0, about);
  d.place(several(options));
  return d.finish(several(options));
}

JointRef Mechanism::prismatic(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                              const Direction& along, const JointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "prismatic", parent, child, place);
  d.set_axis(0, along);
  d.place(several(options));
  return d.finish(several(options));
}

JointRef Mechanism::screw(std::string_view joint, const BodyRef& parent, const BodyRef& child, const Direction& about,
                          const Expr& pitch, const JointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "screw", parent, child, place);
  d.set_axis(0, about);
  d.motions()[0].pitch = pitch;
  d.place(several(options));
  return d.finish(several(options));
}

JointRef Mechanism::cylindrical(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                                const Direction& about, const MultiJointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "cylindrical", parent, child, place);
  d.set_axis(0, about);
  d.set_axis(1, about);
  d.place(options);
  return d.finish(options);
}

JointRef Mechanism::universal(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                              const Direction& first, const Direction& second, const MultiJointOptions& options,
                              const Place& place) {
  JointDescription d(*this, joint, "universal", parent, child, place);
  d.set_axis(0, first);
  d.set_axis(1, second);
  d.place(options);
  return d.finish(options);
}

JointRef Mechanism::gimbal(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                           std::string_view sequence, const MultiJointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "gimbal", parent, child, place);
  const std::string full = sequence.size() == 3 ? "body " + std::string(sequence) : std::string(sequence);
  const RotationSequence axes = with_place(place_of(place), [&] { return rotation_sequence(full, {}); });
  // Space-fixed axes a, b, c are body-fixed c, b, a: the motions come in the reverse order, and so do their names.
  MultiJointOptions own = options;
  if (axes.space) {
    std::reverse(own.coordinates.begin(), own.coordinates.end());
    std::reverse(own.speeds.begin(), own.speeds.end());
    own.motions.resize(own.motions.empty() ? 0 : 3);
    std::reverse(own.motions.begin(), own.motions.end());
    require_at(place_of(place), own.coordinates.empty() || own.coordinates.size() == 3,
               "name all three coordinates of the joint '{}'", joint);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    Expr3 unit{};
    unit[index(axes.axes[axes.space ? 2 - i : i])] = 1;
    d.set_axis(i, unit);
  }
  d.place(own);
  return d.finish(own);
}

JointRef Mechanism::spherical(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                              const MultiJointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "spherical", parent, child, place);
  d.place(options);
  return d.finish(options);
}

JointRef Mechanism::planar(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                           const MultiJointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "planar", parent, child, place);
  d.place(options);
  return d.finish(options);
}

JointRef Mechanism::free(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                         const MultiJointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "free", parent, child, place);
  d.place(options);
  return d.finish(options);
}

JointRef Mechanism::bushing(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                            const MultiJointOptions& options, const Place& place) {
  JointDescription d(*this, joint, "bushing", parent, child, place);
  d.place(options);
  return d.finish(options);
}

JointRef Mechanism::general(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                            const std::vector<JointMotion>& motions, const MultiJointOptions& options,
                            const Place& place) {
  JointDescription d(*this, joint, "general", parent, child, place);
  MultiJointOptions own = options;
  require_at(place_of(place), own.motions.empty(), "the joint '{}' describes its motions twice", joint);
  for (const JointMotion& motion : motions) {
    d.add_motion(motion);
    own.motions.push_back(motion.options);
  }
  d.place(own);
  return d.finish(own, motions);
}

JointRef Mechanism::by_denavit_hartenberg(std::string_view joint, const BodyRef& parent, const BodyRef& child,
                                          MotionKind kind, const DenavitHartenberg& row, const JointOptions& options,
                                          const Place& place) {
  const bool turns = kind == MotionKind::Rotation;
  require_at(place_of(place), turns || kind == MotionKind::Translation,
             "the joint '{}' of a Denavit-Hartenberg table must rotate or translate", joint);
  JointDescription d(*this, joint, turns ? "revolute" : "prismatic", parent, child, place);
  const auto bound = [&](const Expr& e) { return graph->bind(e); };
  place_by_denavit_hartenberg(d.joint(),
                              {bound(row.a), bound(row.alpha), bound(row.d), bound(row.theta), row.modified});
  if (options.at.given() || options.orientation.orientation() || !options.orientation.frame().empty()) {
    const Placement base = find_placement(*this, options.at, options.orientation, parent,
                                          fmt::format("the joint '{}'", joint), place_of(place));
    Placement& own = d.joint().on_parent;
    own.position = add(base.position, multiply(base.rotation, own.position));
    own.rotation = multiply(base.rotation, own.rotation);
  }
  return d.finish(several(options));
}

}  // namespace kane

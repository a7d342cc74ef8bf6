#include "kane/formats/yaml/write_parts.hpp"

#include <algorithm>

#include "kane/expr/print.hpp"
#include "kane/formats/yaml/read_flexible.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanism/inertia_library.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

// ---- bodies -----------------------------------------------------------------------------------------------------------

YamlNode shape_node(const Shape& shape) {
  YamlNode node = yaml_map();
  const std::string name(shape_info(shape.kind).name);
  if (shape.kind == ShapeKind::Mesh && shape.file.empty()) {
    YamlNode points = yaml_list();
    for (std::size_t i = 0; i + 2 < shape.sizes.size(); i += 3) {
      YamlNode point = yaml_list();
      for (std::size_t k = 0; k < 3; ++k) point.items.push_back(yaml_scalar(scalar_text(shape.sizes[i + k])));
      points.items.push_back(std::move(point));
    }
    add_entry(node, name, std::move(points));
  } else if (shape.kind == ShapeKind::Mesh) {
    add_entry(node, name, shape.file);
  } else if (shape.sizes.empty()) {
    add_entry(node, name, yaml_map());
  } else {
    YamlNode sizes = yaml_list();
    for (const Expr& size : shape.sizes) sizes.items.push_back(yaml_scalar(scalar_text(size)));
    add_entry(node, name, std::move(sizes));
  }
  add_placement(node, shape.place, "at", "orientation");
  if (!shape.color.empty()) add_entry(node, "color", shape.color);
  if (!shape.display) add_entry(node, "display", "false");
  if (shape.contact) add_entry(node, "contact", "true");
  if (shape.hull) add_entry(node, "hull", "true");
  return node;
}

YamlNode inertia_node(const Expr33& I) {
  const bool symmetric = I[0][1] == I[1][0] && I[1][2] == I[2][1] && I[0][2] == I[2][0];
  if (!symmetric) return yaml_list({vector_node(I[0]), vector_node(I[1]), vector_node(I[2])});
  YamlNode list = vector_node({I[0][0], I[1][1], I[2][2]});
  if (I[0][1].is_zero() && I[1][2].is_zero() && I[0][2].is_zero()) return list;
  for (const Expr& e : {I[0][1], I[1][2], I[0][2]}) list.items.push_back(yaml_scalar(scalar_text(e)));
  return list;
}

// ---- joints -----------------------------------------------------------------------------------------------------------

const char* motion_key(MotionKind kind) {
  switch (kind) {
    case MotionKind::Rotation: return "rotate";
    case MotionKind::Translation: return "translate";
    case MotionKind::Screw: return "screw";
    default: return "ball";
  }
}

YamlNode axis_node(const Expr3& axis) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (!axis[(i + 1) % 3].is_zero() || !axis[(i + 2) % 3].is_zero()) continue;
    if (axis[i].is_one()) return yaml_scalar(std::string(1, "xyz"[i]));
    if ((-axis[i]).is_one()) return yaml_scalar(std::string("-") + "xyz"[i]);
  }
  return vector_node(axis);
}

std::vector<std::string> symbol_names(const std::vector<Expr>& symbols) {
  std::vector<std::string> names;
  for (const Expr& s : symbols) names.push_back(s.name());
  return names;
}

void add_symbols(YamlNode& group, const std::vector<std::string>& names, const char* one, const char* several) {
  if (names.size() == 1)
    add_entry(group, one, names.front());
  else if (!names.empty())
    add_entry(group, several, names_node(names));
}

/// The joint type as a user writes it, if the motions are those of the type (their axes may differ).
const JointKindInfo* find_kind(const Joint& joint) {
  for (const auto& kind : kJointKinds) {
    if (kind.name != joint.kind || kind.motions == "?") continue;
    const auto motions = open_joint(kind);
    const bool same = std::equal(motions.begin(), motions.end(), joint.motions.begin(), joint.motions.end(),
                                 [](const auto& a, const auto& b) { return a.kind == b.kind; });
    return same ? &kind : nullptr;
  }
  return nullptr;
}

bool same_axis(const Expr3& a, const Expr3& b) { return a[0] == b[0] && a[1] == b[1] && a[2] == b[2]; }

void add_axes(YamlNode& node, const Joint& joint, const JointKindInfo& kind) {
  const auto standard = open_joint(kind);
  const bool same = std::equal(standard.begin(), standard.end(), joint.motions.begin(),
                               [](const auto& a, const auto& b) { return same_axis(a.axis, b.axis); });
  if (joint.motions.size() == 1) {
    if (joint.motions[0].kind != MotionKind::Ball) add_entry(node, "axis", axis_node(joint.motions[0].axis));
  } else if (!same) {
    YamlNode axes = yaml_list();
    for (const auto& motion : joint.motions)
      if (motion.kind != MotionKind::Ball) axes.items.push_back(axis_node(motion.axis));
    add_entry(node, "axes", std::move(axes));
  }
  if (kind.name == "screw") add_entry(node, "pitch", scalar_text(joint.motions[0].pitch));
}

/// Laws of a joint with several motions: a map by coordinate under each key.
void add_laws_by_coordinate(YamlNode& node, const Joint& joint) {
  YamlNode laws = yaml_map();
  for (const auto& motion : joint.motions) {
    YamlNode own = yaml_map();
    add_axis_law(own, motion.law);
    if (motion.coordinates.empty()) continue;
    for (auto& entry : own.entries) {
      auto at =
          std::find_if(laws.entries.begin(), laws.entries.end(), [&](const auto& e) { return e.key == entry.key; });
      if (at == laws.entries.end()) {
        add_entry(laws, entry.key, yaml_map());
        at = laws.entries.end() - 1;
      }
      add_entry(at->value, motion.coordinates.front().name(), std::move(entry.value));
    }
  }
  for (auto& entry : laws.entries) node.entries.push_back(std::move(entry));
}

void add_library_motions(YamlNode& node, const Joint& joint, const JointKindInfo& kind) {
  add_axes(node, joint, kind);
  std::vector<std::string> coordinates, speeds;
  for (const auto& motion : joint.motions) {
    for (auto& name : symbol_names(motion.coordinates)) coordinates.push_back(std::move(name));
    for (auto& name : symbol_names(motion.speeds)) speeds.push_back(std::move(name));
  }
  if (joint.closing) return;
  add_symbols(node, coordinates, "coordinate", "coordinates");
  add_symbols(node, speeds, "speed", "speeds");
  if (joint.motions.size() == 1)
    add_axis_law(node, joint.motions[0].law);
  else
    add_laws_by_coordinate(node, joint);
}

void add_held_motion(YamlNode& node, const ElementaryMotion& motion) {
  add_entry(node, "value", scalar_text(motion.value));
  if (!motion.held_coordinate.empty()) add_entry(node, "coordinate", motion.held_coordinate);
  if (!motion.held_speed.empty()) add_entry(node, "speed", motion.held_speed);
}

YamlNode motion_node(const ElementaryMotion& motion) {
  YamlNode node = yaml_map();
  if (motion.kind == MotionKind::Ball)
    add_entry(node, "ball", "true");
  else
    add_entry(node, motion_key(motion.kind), axis_node(motion.axis));
  if (motion.kind == MotionKind::Screw) add_entry(node, "pitch", scalar_text(motion.pitch));
  if (!motion.free) add_held_motion(node, motion);
  add_symbols(node, symbol_names(motion.coordinates), "coordinate", "coordinates");
  add_symbols(node, symbol_names(motion.speeds), "speed", "speeds");
  add_axis_law(node, motion.law);
  return node;
}

// ---- loads ------------------------------------------------------------------------------------------------------------

void add_quantity(YamlNode& node, const char* key, const Quantity& quantity) {
  if (!quantity.empty()) add_entry(node, key, quantity.text);
}

YamlNode joint_load_node(const Mechanism& m, const JointLoad& load) {
  YamlNode node = yaml_map();
  const AxisLaw& law = load.law;
  if (!law.stiffness.is_zero()) add_entry(node, "spring", scalar_text(law.stiffness));
  if (!law.rest.is_zero()) add_entry(node, "rest", scalar_text(law.rest));
  if (!law.damping.is_zero() || (law.stiffness.is_zero() && law.friction.is_zero() && law.law.empty()))
    add_entry(node, "damper", scalar_text(law.damping));
  if (!law.friction.is_zero()) add_entry(node, "friction", scalar_text(law.friction));
  std::string text = law.law.text;
  if (!law.actuator.is_zero()) text = text.empty() ? law.actuator.name() : law.actuator.name() + " + " + text;
  if (!text.empty()) add_entry(node, "law", text);
  add_entry(node, "joint", load.joint);
  const Joint* joint = m.find_joint(load.joint);
  require(joint != nullptr, "a load names the joint '{}', which does not exist", load.joint);
  const auto& motion = joint->motions.at(static_cast<std::size_t>(load.motion));
  if (!motion.coordinates.empty()) add_entry(node, "coordinate", motion.coordinates.front().name());
  return node;
}

struct LoadWriter {
  const Mechanism& m;

  YamlNode operator()(const ForceLoad& load) const {
    YamlNode node = yaml_map();
    add_quantity(node, "force", load.force);
    add_quantity(node, "axis", load.axis);
    add_entry(node, "at", load.at);
    if (!load.reaction_at.empty()) add_entry(node, "reaction", load.reaction_at);
    return node;
  }
  YamlNode operator()(const TorqueLoad& load) const {
    YamlNode node = yaml_map();
    add_quantity(node, "torque", load.torque);
    add_quantity(node, "axis", load.axis);
    add_entry(node, "on", load.on);
    if (!load.reaction.empty()) add_entry(node, "reaction", load.reaction);
    return node;
  }
  YamlNode operator()(const SpringLoad& load) const {
    YamlNode node = yaml_map();
    add_entry(node, "spring", scalar_text(load.stiffness));
    add_entry(node, "from", load.from);
    add_entry(node, "to", load.to);
    if (!load.length.is_zero()) add_entry(node, "length", scalar_text(load.length));
    if (!load.damping.is_zero()) add_entry(node, "damping", scalar_text(load.damping));
    add_quantity(node, "law", load.law);
    return node;
  }
  YamlNode operator()(const JointLoad& load) const { return joint_load_node(m, load); }
  YamlNode operator()(const InverseSquareLoad& load) const {
    YamlNode node = yaml_map();
    add_entry(node, "attraction", scalar_text(load.mu));
    add_entry(node, "centre", load.centre);
    if (!load.gradient_torque) add_entry(node, "gradient_torque", "false");
    if (!load.bodies.empty()) add_entry(node, "bodies", names_node(load.bodies));
    return node;
  }
};

struct ConstraintWriter {
  YamlNode operator()(const ExpressionConstraint& c) const {
    YamlNode node = yaml_map();
    if (!c.configuration.empty()) add_entry(node, "configuration", quantities_node(c.configuration));
    if (!c.motion.empty()) add_entry(node, "motion", quantities_node(c.motion));
    return node;
  }
  YamlNode operator()(const PointConstraint& c) const {
    YamlNode node = yaml_map();
    add_entry(node, "point", c.point);
    add_entry(node, "reference", c.reference);
    add_quantity(node, "path", c.path);
    if (c.path.empty() && !c.directions.empty()) add_entry(node, "directions", list_of(c.directions));
    if (c.velocity_only) add_entry(node, "velocity", "true");
    return node;
  }
  YamlNode operator()(const RollingConstraint& c) const {
    YamlNode node = yaml_map();
    add_entry(node, c.touching ? "touching" : "rolling", c.body);
    add_entry(node, "on", c.on);
    add_quantity(node, "contact", c.contact);
    if (c.touching)
      add_quantity(node, "normal", c.directions.front());
    else if (!c.directions.empty())
      add_entry(node, "directions", list_of(c.directions));
    return node;
  }
  YamlNode operator()(const DistanceConstraint& c) const {
    YamlNode node = yaml_map();
    add_entry(node, "rod", names_node({c.from, c.to}));
    add_entry(node, "length", scalar_text(c.length));
    return node;
  }
  YamlNode operator()(const GearConstraint& c) const {
    YamlNode node = yaml_map();
    add_entry(node, c.rack ? "rack" : "gear", names_node({c.first, c.second}));
    if (!c.carrier.empty()) add_entry(node, "carrier", c.carrier);
    if (c.rack) {
      add_entry(node, "radius", scalar_text(c.first_size));
      if (c.axes.size() == 2) add_quantity(node, "axis", c.axes[0]), add_quantity(node, "direction", c.axes[1]);
    } else {
      add_entry(node, c.lengths ? "radii" : "teeth",
                yaml_list({yaml_scalar(scalar_text(c.first_size)), yaml_scalar(scalar_text(c.second_size))}));
      if (c.axes.size() == 1) add_quantity(node, "axis", c.axes[0]);
      if (c.axes.size() == 2) add_entry(node, "axes", list_of(c.axes));
      if (c.internal) add_entry(node, "internal", "true");
    }
    if (!c.offset.is_zero()) add_entry(node, "offset", scalar_text(c.offset));
    return node;
  }
  static YamlNode list_of(const std::vector<Quantity>& quantities) {
    YamlNode list = yaml_list();
    for (const auto& q : quantities) list.items.push_back(yaml_scalar(q.text));
    return list;
  }
};

}  // namespace

void add_axis_law(YamlNode& group, const AxisLaw& law) {
  const auto add = [&](const char* key, const Expr& value) {
    if (!value.is_zero()) add_entry(group, key, scalar_text(value));
  };
  add("stiffness", law.stiffness);
  add("rest", law.rest);
  add("damping", law.damping);
  add("friction", law.friction);
  if (law.lower || law.upper) {
    const auto side = [](const std::optional<Expr>& value) {
      return value ? yaml_scalar(scalar_text(*value)) : YamlNode();
    };
    YamlNode limits = yaml_list({side(law.lower), side(law.upper)});
    if (!law.restitution.is_zero() || !law.stop_stiffness.is_zero()) {
      limits = yaml_map();
      if (law.lower) add_entry(limits, "lower", scalar_text(*law.lower));
      if (law.upper) add_entry(limits, "upper", scalar_text(*law.upper));
      for (const auto& [key, value] : {std::pair{"restitution", &law.restitution},
                                       {"stiffness", &law.stop_stiffness},
                                       {"damping", &law.stop_damping}})
        if (!value->is_zero()) add_entry(limits, key, scalar_text(*value));
    }
    add_entry(group, "limits", std::move(limits));
  }
  add_quantity(group, "law", law.law);
  if (!law.actuator.is_zero()) add_entry(group, "actuator", law.actuator.name());
  if (law.max_force) add_entry(group, "max_force", scalar_text(*law.max_force));
  if (law.max_speed) add_entry(group, "max_speed", scalar_text(*law.max_speed));
}

YamlNode body_node(const Mechanism& m, const MechanismBody& body) {
  YamlNode node = yaml_map();
  if (!body.mass.is_zero()) add_entry(node, "mass", scalar_text(body.mass));
  if (!is_zero(body.mass_centre)) add_entry(node, "com", vector_node(body.mass_centre));
  if (!is_zero(body.inertia)) add_entry(node, "inertia", inertia_node(body.inertia));
  if (body.flexible) add_entry(node, "flexible", beam_node(*body.flexible));
  YamlNode points = yaml_map(), frames = yaml_map(), shapes = yaml_list();
  for (const auto& point : m.points)
    if (point.on == body.name) add_entry(points, point.name, vector_node(point.at));
  for (const auto& frame : m.frames) {
    if (frame.on != body.name) continue;
    YamlNode place = yaml_map();
    add_placement(place, frame.place, "at", "orientation");
    add_entry(frames, frame.name, std::move(place));
  }
  for (const auto& shape : body.shapes) shapes.items.push_back(shape_node(shape));
  if (!points.entries.empty()) add_entry(node, "points", std::move(points));
  if (!frames.entries.empty()) add_entry(node, "frames", std::move(frames));
  if (!shapes.items.empty()) add_entry(node, "geometry", std::move(shapes));
  return node;
}

YamlNode joint_node(const Mechanism&, const Joint& joint) {
  YamlNode node = yaml_map();
  const bool all_free = std::all_of(joint.motions.begin(), joint.motions.end(), [](const auto& m) { return m.free; });
  const JointKindInfo* kind = all_free || joint.motions.size() == 1 ? find_kind(joint) : nullptr;
  add_entry(node, "type", std::string(kind != nullptr ? kind->name : "general"));
  add_entry(node, "parent", joint.parent);
  add_placement(node, joint.on_parent, "at", "orientation");
  add_entry(node, "child", joint.child);
  add_placement(node, joint.on_child, "child_at", "child_orientation");
  if (!joint.rotation_from.empty()) add_entry(node, "rotation_from", joint.rotation_from);
  if (kind != nullptr) {
    add_library_motions(node, joint, *kind);
    if (!all_free) add_held_motion(node, joint.motions[0]);
  } else {
    YamlNode motions = yaml_list();
    for (const auto& motion : joint.motions) motions.items.push_back(motion_node(motion));
    add_entry(node, "motions", std::move(motions));
  }
  if (joint.closing) add_entry(node, "close", "true");
  if (!joint.active) add_entry(node, "active", "false");
  if (!joint.report_reaction) add_entry(node, "reaction", "false");
  return node;
}

YamlNode load_node(const Mechanism& m, const Load& load) { return std::visit(LoadWriter{m}, load.what); }

YamlNode constraint_node(const Constraint& constraint) {
  YamlNode node = std::visit(ConstraintWriter{}, constraint.what);
  if (!constraint.active) add_entry(node, "active", "false");
  return node;
}

}  // namespace kane

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/read_joints.hpp"
#include "kane/formats/yaml/read_parts.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/orientation.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

struct AxisMeasures {
  Measure stiffness, damping, force, speed;
};
AxisMeasures axis_measures(MotionKind kind) {
  if (is_turning(kind))
    return {measure::kTorsionalStiffness, measure::kTorsionalDamping, measure::kTorque, measure::kAngularVelocity};
  return {measure::kStiffness, measure::kDamping, measure::kForce, measure::kVelocity};
}

/// limits: [lower, upper] or {lower: ..., upper: ..., restitution: ...}, with stiffness and damping instead for a compliant
/// stop; ~ leaves one side open.
void read_limits(const ModelContext& context, const YamlNode& node, MotionKind kind, AxisLaw& law,
                 const std::string& owner) {
  const YamlNode* lower = nullptr;
  const YamlNode* upper = nullptr;
  if (node.is_list() && node.items.size() == 2) {
    lower = &node.items[0];
    upper = &node.items[1];
  } else if (node.is_map()) {
    const AxisMeasures m = axis_measures(kind);
    const Group group(node, "the limits of " + owner, keys::kLimits);
    lower = group.find("lower");
    upper = group.find("upper");
    const auto read = [&](std::string_view key, const Measure& measure, Expr& to) {
      if (const YamlNode* value = group.find(key)) to = context.scalar(*value, measure, key, group.owner());
    };
    read("restitution", measure::kNumber, law.restitution);
    read("stiffness", m.stiffness, law.stop_stiffness);
    read("damping", m.damping, law.stop_damping);
  } else {
    node.fail(fmt::format("the limits of {} must be a list [lower, upper], but {} is given", owner, node.describe()));
  }
  const Measure measure = coordinate_measure(kind);
  if (lower != nullptr && !lower->is_null()) law.lower = context.scalar(*lower, measure, "limits", owner);
  if (upper != nullptr && !upper->is_null()) law.upper = context.scalar(*upper, measure, "limits", owner);
}

Expr read_actuator(const ModelContext& context, const YamlNode& node, const Measure& measure,
                   const std::string& owner) {
  const std::string name = read_name(node, "actuator", owner);
  const auto known = context.names.find(name);
  if (known == context.names.end() || known->second.what != "input")
    node.fail(fmt::format("the actuator of {} must be an input, but '{}' is not one{}; add it under 'inputs'", owner,
                          shown(name), suggestion(name, context.names_of("input"))));
  if (const Dimensional& given = known->second.dimension; !given.fits(*measure.dimension))
    node.fail(fmt::format("the actuator of {} is given {}, because the input '{}' is; {} is expected, such as '{}'",
                          owner, given_words(given.dimension), shown(name), measure.name, measure.example));
  return known->second.value;
}

Expr33 axes_of_sequence(const YamlNode& node, const std::string& owner) {
  std::string text = read_text(node, "sequence", owner);
  if (text.size() == 3) text = "body " + text;
  const RotationSequence sequence = at_place(node.place, [&] { return rotation_sequence(text, {}); });
  Expr33 axes{};
  for (std::size_t i = 0; i < 3; ++i) axes[i][index(sequence.axes[sequence.space ? 2 - i : i])] = 1;
  return axes;
}

}  // namespace

/// Index of the motion given by the name of a coordinate or by a number counted from 1.
std::size_t find_motion(const PendingJoint& pending, std::string_view text, const YamlPlace& place) {
  for (std::size_t i = 0; i < pending.names.size(); ++i)
    if (pending.names[i] == text) return i;
  for (std::size_t i = 0; i < pending.names.size(); ++i)
    if (std::to_string(i + 1) == text) return i;
  fail_at(place,
          fmt::format("{} has no coordinate '{}'{}", pending.owner, shown(text), suggestion(text, pending.names)));
}

static std::size_t free_count(const Joint& joint) {
  return static_cast<std::size_t>(
      std::count_if(joint.motions.begin(), joint.motions.end(), [](const auto& m) { return m.free; }));
}

/// The motion that a single value belongs to; throws if there are several.
std::size_t only_motion(const PendingJoint& pending, std::string_view key, const YamlPlace& place) {
  const auto& motions = pending.joint.motions;
  if (motions.size() == 1) return 0;
  if (free_count(pending.joint) == 1)
    for (std::size_t i = 0; i < motions.size(); ++i)
      if (motions[i].free) return i;
  fail_at(place, fmt::format("{} has {} motions, so '{}' must be a list with one entry for each, or a map by "
                             "coordinate such as {{{}: ...}}",
                             pending.owner, motions.size(), key, pending.names.empty() ? "q1" : pending.names.front()));
}

void read_axis_law(const ModelContext& context, const YamlNode& node, std::string_view key, MotionKind kind,
                   AxisLaw& law, const std::string& owner) {
  const AxisMeasures m = axis_measures(kind);
  const auto scalar = [&](const Measure& measure) { return context.scalar(node, measure, key, owner); };
  if (kind == MotionKind::Ball && key != "damping")
    node.fail(
        fmt::format("{} is a ball joint, which has no single axis for '{}'; write a torque under 'loads'", owner, key));
  if (key == "stiffness")
    law.stiffness = scalar(m.stiffness);
  else if (key == "rest")
    law.rest = scalar(coordinate_measure(kind));
  else if (key == "damping")
    law.damping = scalar(m.damping);
  else if (key == "friction")
    law.friction = scalar(m.force);
  else if (key == "limits")
    read_limits(context, node, kind, law, owner);
  else if (key == "law")
    law.law = context.quantity(node, m.force, key, owner);
  else if (key == "actuator")
    law.actuator = read_actuator(context, node, m.force, owner);
  else if (key == "max_force")
    law.max_force = scalar(m.force);
  else
    law.max_speed = scalar(m.speed);
}

// ---- second step ----------------------------------------------------------------------------------------------------------

void JointReader::read_joints() {
  for (auto& pending : pending_) {
    if (pending.entry != nullptr)
      read_joint(pending);
    else
      read_row(pending);
    context_.mechanism.add_joint(std::move(pending.joint));
  }
}

void JointReader::read_joint(PendingJoint& pending) {
  const Group group(pending.entry->value, pending.owner, keys::kJoint);
  Joint& joint = pending.joint;
  joint.on_parent = read_placement(context_, group, "at", "orientation", joint.parent);
  joint.on_child = read_placement(context_, group, "child_at", "child_orientation", joint.child);
  if (const YamlNode* from = group.find("rotation_from"))
    joint.rotation_from = read_name(*from, "rotation_from", pending.owner);
  read_axes(group, pending);
  read_sequence_values(group, pending);
  read_motion_list(group, pending);
  read_laws(group, pending);
}

void JointReader::read_axes(const Group& group, PendingJoint& pending) {
  auto& motions = pending.joint.motions;
  const std::string& kind = pending.joint.kind;
  group.check_only_one({"axis", "axes", "sequence"});
  if (const YamlNode* axis = group.find("axis")) {
    const Expr3 direction = read_axis(context_, *axis, "axis", pending.owner);
    if (motions.size() != 1 && kind != "cylindrical")
      axis->fail(fmt::format("{} has {} motions; give 'axes', a list of their axes", pending.owner, motions.size()));
    for (auto& motion : motions) motion.axis = direction;
  }
  if (const YamlNode* axes = group.find("axes")) {
    std::vector<ElementaryMotion*> with_axis;
    for (auto& motion : motions)
      if (motion.kind != MotionKind::Ball) with_axis.push_back(&motion);
    if (!axes->is_list() || axes->items.size() != with_axis.size())
      axes->fail(fmt::format("'axes' of {} must be a list of {}, such as [x, y]", pending.owner, with_axis.size()));
    for (std::size_t i = 0; i < with_axis.size(); ++i)
      with_axis[i]->axis = read_axis(context_, axes->items[i], "axis", pending.owner);
  }
  if (const YamlNode* sequence = group.find("sequence")) {
    if (kind != "gimbal")
      sequence->fail(fmt::format("'sequence' requires the type 'gimbal', but {} is of type '{}'", pending.owner, kind));
    const Expr33 axes = axes_of_sequence(*sequence, pending.owner);
    for (std::size_t i = 0; i < 3; ++i) motions[i].axis = axes[i];
  }
  const bool screw = kind == "screw";
  if (const YamlNode* pitch = group.find("pitch"); pitch != nullptr && !screw)
    pitch->fail(fmt::format("'pitch' requires the type 'screw', but {} is of type '{}'", pending.owner, kind));
  if (screw)
    motions[0].pitch = context_.scalar(group.need("pitch", "5 mm/rev"), measure::kPitch, "pitch", pending.owner);
}

/// `values` of the locked axes under rotation: and translation:, one per axis or one per locked axis.
void JointReader::read_sequence_values(const Group& group, PendingJoint& pending) {
  for (const auto key : {"translation", "rotation"}) {
    const YamlNode* node = group.find(key);
    const YamlNode* values = node != nullptr && node->is_map() ? node->find("values") : nullptr;
    if (values == nullptr) continue;
    const std::string owner = fmt::format("the {} of {}", key, pending.owner);
    const std::size_t first = std::string_view(key) == "rotation" ? 3 : 0;
    std::vector<ElementaryMotion*> axes;
    for (std::size_t i = first; i < first + 3; ++i) axes.push_back(&pending.joint.motions[i]);
    if (values->is_list() && values->items.size() != 3)
      std::erase_if(axes, [](const ElementaryMotion* motion) { return motion->free; });
    if (!values->is_list() || values->items.size() != axes.size())
      values->fail(
          fmt::format("'values' of {} must be a list with one entry for each axis, or for each locked one ({})", owner,
                      axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const YamlNode& value = values->items[i];
      if (value.is_null()) continue;
      if (axes[i]->free)
        value.fail(fmt::format("axis {} of {} is free, so it has no value; write ~ for it", i + 1, owner));
      axes[i]->value = context_.scalar(value, coordinate_measure(axes[i]->kind), "values", owner);
    }
  }
}

void JointReader::read_motion_list(const Group& group, PendingJoint& pending) {
  const YamlNode* list = group.find("motions");
  if (list == nullptr) return;
  for (std::size_t i = 0; i < list->items.size(); ++i) {
    ElementaryMotion& motion = pending.joint.motions[i];
    const Group own(list->items[i], fmt::format("motion {} of {}", i + 1, pending.owner), keys::kMotion);
    for (const auto key : {"rotate", "translate", "screw"})
      if (const YamlNode* axis = own.find(key)) motion.axis = read_axis(context_, *axis, key, own.owner());
    if (own.has("screw"))
      motion.pitch = context_.scalar(own.need("pitch", "5 mm/rev"), measure::kPitch, "pitch", own.owner());
    for (const auto key : {"value", "prescribe"})
      if (const YamlNode* value = own.find(key)) {
        if (motion.kind == MotionKind::Ball) value->fail(fmt::format("{} is a ball and cannot be locked", own.owner()));
        motion.value = context_.scalar(*value, coordinate_measure(motion.kind), key, own.owner());
      }
    for (const auto key : keys::kAxisLaw)
      if (const YamlNode* node = own.find(key))
        read_axis_law(context_, *node, key, motion.kind, motion.law, own.owner());
  }
}

/// Springs, dampers, limits and motors: one value for a joint with one motion, otherwise a list or a map by coordinate.
void JointReader::read_laws(const Group& group, PendingJoint& pending) {
  auto& motions = pending.joint.motions;
  for (const auto key : keys::kAxisLaw) {
    const YamlNode* node = group.find(key);
    if (node == nullptr) continue;
    const auto set = [&](std::size_t i, const YamlNode& value) {
      if (!value.is_null()) read_axis_law(context_, value, key, motions[i].kind, motions[i].law, pending.owner);
    };
    const bool sides =
        key == "limits" && node->is_map() && (node->find("lower") != nullptr || node->find("upper") != nullptr);
    const bool pair = key == "limits" && node->is_list() && node->items.size() == 2 && !node->items[0].is_list();
    if (node->is_map() && !sides) {
      for (const auto& entry : node->entries) set(find_motion(pending, entry.key, entry.key_place), entry.value);
    } else if (node->is_list() && !pair) {
      if (node->items.size() != motions.size())
        node->fail(fmt::format("'{}' of {} must have {} entries, one for each motion (~ for none)", key, pending.owner,
                               motions.size()));
      for (std::size_t i = 0; i < motions.size(); ++i) set(i, node->items[i]);
    } else {
      set(only_motion(pending, key, node->place), *node);
    }
  }
}

void JointReader::read_row(PendingJoint& pending) {
  const Group arm(pending.arm->value, fmt::format("the arm '{}'", shown(pending.arm->key)), keys::kArm);
  const Group row(*pending.row, pending.owner, keys::kArmRow);
  DenavitHartenberg dh;
  if (const YamlNode* convention = arm.find("convention")) {
    const std::string word = read_text(*convention, "convention", arm.owner());
    if (word != "modified" && word != "standard")
      convention->fail(fmt::format("'convention' of {} must be 'standard' or 'modified', but '{}' is given",
                                   arm.owner(), shown(word)));
    dh.modified = word == "modified";
  } else {
    (void)arm.need("convention", "modified");
  }
  const auto read = [&](std::string_view key, const Measure& measure) {
    return context_.graph.bind(context_.scalar(row, key, measure));
  };
  dh.a = read("a", measure::kLength);
  dh.alpha = read("alpha", measure::kAngle);
  dh.d = read("d", measure::kLength);
  dh.theta = read("theta", measure::kAngle);
  Joint& joint = pending.joint;
  place_by_denavit_hartenberg(joint, dh);
  if (pending.first_row) {
    const Placement base = read_placement(context_, arm, "at", "orientation", joint.parent);
    joint.on_parent.position = add(base.position, multiply(base.rotation, joint.on_parent.position));
    joint.on_parent.rotation = multiply(base.rotation, joint.on_parent.rotation);
  }
  read_laws(row, pending);
}

}  // namespace kane

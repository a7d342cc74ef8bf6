#include "kane/formats/yaml/read_joints.hpp"

#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/expr/print.hpp"
#include "kane/formats/yaml/read_parts.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"
#include "kane/mechanics/algebra.hpp"
#include "kane/mechanics/orientation.hpp"
#include "kane/mechanism/joint_library.hpp"

namespace kane {

namespace {

/// Names of coordinates or speeds: one under `one`, or a list under `several`.
std::vector<std::string> read_symbol_names(const Group& group, std::string_view one, std::string_view several) {
  if (one != several) group.check_only_one({one, several});
  for (const auto key : {one, several})
    if (const YamlNode* node = group.find(key)) return read_names(*node, key, group.owner());
  return {};
}

}  // namespace

// ---- first step -----------------------------------------------------------------------------------------------------------

void JointReader::declare_joints(const ModelDocument& document) {
  if (const YamlNode* joints = document.find("joints"))
    for_each_entry(*joints, "joints", [&](const YamlEntry& entry) { declare_joint(entry, document); });
  if (const YamlNode* arms = document.find("dh"))
    for_each_entry(*arms, "dh", [&](const YamlEntry& entry) { declare_arm(entry, document); });
}

std::vector<Joint*> JointReader::joints() {
  std::vector<Joint*> all;
  for (auto& pending : pending_) all.push_back(&pending.joint);
  return all;
}

void JointReader::declare_joint(const YamlEntry& entry, const ModelDocument& document) {
  PendingJoint pending;
  pending.entry = &entry;
  pending.owner = fmt::format("the joint '{}'", shown(entry.key));
  const Group group(entry.value, pending.owner, keys::kJoint);
  Joint& joint = pending.joint;
  joint.name = entry.key;
  joint.where = entry.key_place.where();
  joint.parent = read_name(group.need("parent", "N"), "parent", pending.owner);
  joint.child = read_name(group.need("child", "A"), "child", pending.owner);
  if (const YamlNode* close = group.find("close")) joint.closing = read_flag(*close, "close", pending.owner);
  if (const YamlNode* active = group.find("active")) {
    if (!joint.closing) active->fail(fmt::format("'active' of {} requires 'close: true'", pending.owner));
    joint.active = read_flag(*active, "active", pending.owner);
  }
  if (const YamlNode* reaction = group.find("reaction"))
    joint.report_reaction = read_flag(*reaction, "reaction", pending.owner);
  open_motions(group, pending);
  if (joint.closing) {
    for (const auto key : {"lock", "value", "values", "prescribe", "coordinate", "coordinates", "speed", "speeds"})
      if (const YamlNode* node = group.find(key))
        node->fail(fmt::format("{} closes a loop and has no coordinates of its own, so '{}' has no meaning here",
                               pending.owner, key));
  } else {
    lock_motions(group, pending, document);
    declare_names(pending);
  }
  pending_.push_back(std::move(pending));
}

void JointReader::open_motions(const Group& group, PendingJoint& pending) {
  Joint& joint = pending.joint;
  const bool general = group.has("rotation") || group.has("translation") || group.has("motions");
  const YamlNode* type = group.find("type");
  joint.kind = type != nullptr ? read_text(*type, "type", pending.owner) : "general";
  if (type == nullptr && !general) (void)group.need("type", "revolute");
  const JointKindInfo& kind = joint_kind(joint.kind, type != nullptr ? type->where() : group.node().where());
  if (general && kind.motions != "?")
    type->fail(
        fmt::format("{} is of type '{}' and cannot have 'rotation', 'translation' or 'motions'; those belong to "
                    "the type 'general'",
                    pending.owner, joint.kind));
  std::vector<std::string> coordinates = read_symbol_names(group, "coordinate", "coordinates");
  std::vector<std::string> speeds = read_symbol_names(group, "speed", "speeds");
  if (kind.motions != "?") {
    joint.motions = open_joint(kind);
  } else if (const YamlNode* list = group.find("motions")) {
    group.check_only_one({"motions", "rotation"});
    group.check_only_one({"motions", "translation"});
    open_motion_list(*list, pending, coordinates, speeds);
  } else {
    open_sequences(group, pending, coordinates, speeds);
  }
  if (const YamlNode* sequence = group.find("sequence"); sequence != nullptr && joint.kind == "gimbal") {
    // Space-fixed axes a, b, c are body-fixed c, b, a in the reverse order.
    const std::string text = read_text(*sequence, "sequence", pending.owner);
    if (text.starts_with("space")) {
      std::reverse(coordinates.begin(), coordinates.end());
      std::reverse(speeds.begin(), speeds.end());
      if (!coordinates.empty() && coordinates.size() != 3)
        sequence->fail(fmt::format("name all three coordinates of {}", pending.owner));
    }
  }
  if (joint.closing) return;
  at_place(group.node().place, [&] { name_motions(context_.graph, joint, coordinates, speeds); });
  for (const auto& motion : joint.motions)
    pending.names.push_back(motion.coordinates.empty() ? motion.held_coordinate : motion.coordinates.front().name());
}

/// A motion of a list that is held at a value or prescribed, but has a name.
void JointReader::hold_motion(const Group& own, ElementaryMotion& motion, const std::vector<std::string>& coordinates,
                              const std::vector<std::string>& speeds) {
  if (coordinates.empty() || motion.kind == MotionKind::Ball) return;
  motion.held_coordinate = coordinates.front();
  motion.held_speed = speeds.empty() ? speed_name(coordinates.front()) : speeds.front();
  const std::string_view key = own.has("value") ? "value" : "prescribe";
  motion.value = context_.scalar(*own.find(key), coordinate_measure(motion.kind), key, own.owner());
}

/// rotation: {sequence: 213, free: [1]}, translation: {sequence: 312, free: [1]} (Stoneking's tables).
void JointReader::open_sequences(const Group& group, PendingJoint& pending, std::vector<std::string>& coordinates,
                                 std::vector<std::string>& speeds) {
  const auto read = [&](std::string_view key, std::string_view otherwise) {
    MotionSequence sequence{std::string(otherwise), {}};
    const YamlNode* node = group.find(key);
    if (node == nullptr) return sequence;
    const Group own(*node, fmt::format("the {} of {}", key, pending.owner), keys::kSequence);
    if (const YamlNode* axes = own.find("sequence")) sequence.axes = read_text(*axes, "sequence", own.owner());
    if (const YamlNode* free = own.find("free")) {
      if (!free->is_list())
        free->fail(fmt::format("'free' of {} must be a list of axes counted from 1, such as [1, 3]", own.owner()));
      for (const auto& item : free->items) {
        const int axis = read_count(item, "free", own.owner());
        if (axis < 1 || axis > 3)
          item.fail(fmt::format("'free' of {} takes numbers of axes, from 1 to 3", own.owner()));
        sequence.free.push_back(axis);
      }
    }
    if (const YamlNode* names = own.find("coordinates"))
      for (auto& name : read_names(*names, "coordinates", own.owner())) coordinates.push_back(name);
    if (const YamlNode* names = own.find("speeds"))
      for (auto& name : read_names(*names, "speeds", own.owner())) speeds.push_back(name);
    return sequence;
  };
  const MotionSequence translation = read("translation", "123");
  const MotionSequence rotation = read("rotation", "123");
  pending.joint.motions = open_general_joint(translation, rotation, group.node().where());
}

/// motions: [{rotate: z, coordinate: q1}, {translate: x, coordinate: s}, ...]: any motions in any order.
void JointReader::open_motion_list(const YamlNode& list, PendingJoint& pending, std::vector<std::string>& coordinates,
                                   std::vector<std::string>& speeds) {
  if (!list.is_list()) list.fail(fmt::format("'motions' of {} must be a list", pending.owner));
  constexpr std::size_t kMostMotions = 24;
  if (list.items.size() > kMostMotions)
    list.fail(
        fmt::format("{} has {} motions; more than {} are not allowed", pending.owner, list.items.size(), kMostMotions));
  for (const auto& item : list.items) {
    const Group own(item, fmt::format("a motion of {}", pending.owner), keys::kMotion);
    own.check_only_one({"rotate", "translate", "screw", "ball"});
    ElementaryMotion motion;
    if (own.has("translate"))
      motion.kind = MotionKind::Translation;
    else if (own.has("screw"))
      motion.kind = MotionKind::Screw;
    else if (own.has("ball"))
      motion.kind = MotionKind::Ball;
    else
      (void)own.need("rotate", "z");
    own.check_only_one({"value", "prescribe"});
    motion.free = !own.has("value") && !own.has("prescribe");
    std::vector<std::string> own_coordinates = read_symbol_names(own, "coordinate", "coordinates");
    std::vector<std::string> own_speeds = read_symbol_names(own, "speed", "speeds");
    if (motion.free) {
      coordinates.insert(coordinates.end(), own_coordinates.begin(), own_coordinates.end());
      speeds.insert(speeds.end(), own_speeds.begin(), own_speeds.end());
    } else {
      hold_motion(own, motion, own_coordinates, own_speeds);
    }
    pending.joint.motions.push_back(std::move(motion));
  }
}

// ---- locks ------------------------------------------------------------------------------------------------------------------

void JointReader::lock_motions(const Group& group, PendingJoint& pending, const ModelDocument& document) {
  if (const YamlNode* lock = group.find("lock")) {
    const bool flag = lock->is_scalar() && (lock->text == "true" || lock->text == "false");
    if (flag) {
      const bool locked = read_flag(*lock, "lock", pending.owner);
      for (std::size_t i = 0; locked && i < pending.joint.motions.size(); ++i)
        if (pending.joint.motions[i].free) lock_at_initial_value(pending, i, document, lock->place);
    } else {
      for (const auto& name : read_names(*lock, "lock", pending.owner)) {
        const std::size_t i = find_motion(pending, name, lock->place);
        if (pending.joint.motions[i].free) lock_at_initial_value(pending, i, document, lock->place);
      }
    }
  }
  for (const auto key : {"value", "values", "prescribe"}) lock_by_values(group, pending, key);
}

/// `value`, `values` and `prescribe`: where motions are held, or how they move.
void JointReader::lock_by_values(const Group& group, PendingJoint& pending, std::string_view key) {
  const YamlNode* node = group.find(key);
  if (node == nullptr) return;
  auto& motions = pending.joint.motions;
  const auto set = [&](std::size_t i, const YamlNode& value) {
    if (value.is_null()) return;
    lock_motion(pending, i, context_.scalar(value, coordinate_measure(motions[i].kind), key, pending.owner),
                value.place);
  };
  if (node->is_map()) {
    for (const auto& entry : node->entries) set(find_motion(pending, entry.key, entry.key_place), entry.value);
  } else if (node->is_list()) {
    if (node->items.size() != motions.size())
      node->fail(fmt::format("'{}' of {} must have {} entries, one for each motion (~ for a free one)", key,
                             pending.owner, motions.size()));
    for (std::size_t i = 0; i < motions.size(); ++i) set(i, node->items[i]);
  } else {
    set(only_motion(pending, key, node->place), *node);
  }
}

void JointReader::lock_motion(PendingJoint& pending, std::size_t i, const Expr& value, const YamlPlace& place) {
  ElementaryMotion& motion = pending.joint.motions[i];
  if (motion.kind == MotionKind::Ball)
    fail_at(place,
            fmt::format("the ball motion of {} has no single value; 'lock: true' holds it at its initial orientation",
                        pending.owner));
  motion.free = false;
  motion.value = value;
  motion.held_coordinate = pending.names[i];
  if (!pending.names[i].empty() && motion.speeds.size() == 1) motion.held_speed = motion.speeds.front().name();
  motion.coordinates.clear();
  motion.speeds.clear();
}

/// A motion locked by `lock` stays at its initial value.
void JointReader::lock_at_initial_value(PendingJoint& pending, std::size_t i, const ModelDocument& document,
                                        const YamlPlace& place) {
  const YamlNode* initial = document.find("initial");
  const auto given = [&](const std::string& name, Measure measure) -> std::optional<Expr> {
    const YamlNode* value = initial != nullptr && initial->is_map() ? initial->find(name) : nullptr;
    if (value == nullptr) return std::nullopt;
    return context_.scalar(*value, measure, name, "'initial'");
  };
  ElementaryMotion& motion = pending.joint.motions[i];
  if (motion.kind != MotionKind::Ball) {
    lock_motion(pending, i, given(pending.names[i], coordinate_measure(motion.kind)).value_or(0), place);
    return;
  }
  // Euler parameters (e1, e2, e3, e4) are one rotation about (e1, e2, e3), by 2 atan2(|(e1, e2, e3)|, e4).
  std::array<Expr, 4> e{0, 0, 0, 0};
  bool any = false;
  for (std::size_t k = 0; k < 4; ++k) {
    const std::string name = motion.coordinates[k].name();
    const auto value = given(name, measure::kAny);
    any = any || value.has_value();
    e[k] = value.value_or(0);
    pending.locked_parameters.emplace_back(name, e[k]);
  }
  if (!any) e[3] = 1;
  const Expr squares = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
  motion.kind = MotionKind::Rotation;
  if (!squares.is_zero()) motion.axis = {e[0], e[1], e[2]};
  pending.names[i].clear();
  lock_motion(pending, i, squares.is_zero() ? Expr(0) : 2 * atan2(sqrt(squares), e[3]), place);
}

void JointReader::declare_names(PendingJoint& pending) {
  const YamlPlace& place = pending.entry != nullptr ? pending.entry->key_place : pending.row->place;
  const auto& motions = pending.joint.motions;
  for (const auto& [name, value] : pending.locked_parameters) {
    context_.mechanism.expressions.push_back({name, Quantity(to_text(context_.graph.bind(value)))});
    context_.declare(name, "locked coordinate", value, Dimensional::known(kNone, true), place);
  }
  for (std::size_t i = 0; i < motions.size(); ++i) {
    const ElementaryMotion& motion = motions[i];
    const Dimensional dimension = Dimensional::known(*coordinate_measure(motion.kind).dimension, true);
    for (const Expr& q : motion.coordinates) context_.declare(q.name(), "coordinate", q, dimension, place);
    for (const Expr& u : motion.speeds) context_.declare(u.name(), "speed", u, rate(dimension), place);
    if (!motion.free && !pending.names[i].empty())
      context_.declare(pending.names[i], "locked coordinate", motion.value, dimension, place);
  }
}

// ---- arms -------------------------------------------------------------------------------------------------------------------

void JointReader::declare_arm(const YamlEntry& entry, const ModelDocument& document) {
  const Group group(entry.value, fmt::format("the arm '{}'", shown(entry.key)), keys::kArm);
  const YamlNode& rows = group.need("rows", "[{a: 0, alpha: 0, d: 0, theta: 0, coordinate: q1}]");
  if (!rows.is_list()) rows.fail(fmt::format("'rows' of {} must be a list", group.owner()));
  int number = 0;
  for (const auto& row : rows.items) declare_row(entry, group, row, ++number, document);
}

void JointReader::declare_row(const YamlEntry& arm, const Group& group, const YamlNode& row, int number,
                              const ModelDocument& document) {
  PendingJoint pending;
  pending.row = &row;
  pending.arm = &arm;
  pending.first_row = number == 1;
  pending.owner = fmt::format("row {} of the arm '{}'", number, shown(arm.key));
  const Group own(row, pending.owner, keys::kArmRow);
  Joint& joint = pending.joint;
  joint.where = row.where();
  joint.name = fmt::format("{}_{}", arm.key, number);
  if (const YamlNode* name = own.find("joint")) joint.name = read_name(*name, "joint", pending.owner);
  joint.kind = "revolute";
  if (const YamlNode* type = own.find("type")) joint.kind = read_text(*type, "type", pending.owner);
  if (joint.kind != "revolute" && joint.kind != "prismatic" && joint.kind != "weld")
    own.find("type")->fail(fmt::format("the type of {} must be revolute, prismatic or weld", pending.owner));
  const YamlNode* base = group.find("base");
  joint.parent = base != nullptr ? read_name(*base, "base", group.owner()) : context_.mechanism.ground;
  if (number > 1) joint.parent = pending_.back().joint.child;
  // A row without a body has no mass: an intermediate frame.
  joint.child = fmt::format("{}_{}", arm.key, number);
  if (const YamlNode* body = own.find("body")) {
    joint.child = read_name(*body, "body", pending.owner);
  } else {
    MechanismBody link;
    link.name = joint.child;
    link.where = joint.where;
    context_.mechanism.add_body(std::move(link));
  }
  joint.motions = open_joint(joint_kind(joint.kind, joint.where));
  at_place(row.place, [&] {
    name_motions(context_.graph, joint, read_symbol_names(own, "coordinate", "coordinate"),
                 read_symbol_names(own, "speed", "speed"));
  });
  for (const auto& motion : joint.motions) pending.names.push_back(motion.coordinates.front().name());
  lock_motions(own, pending, document);
  declare_names(pending);
  pending_.push_back(std::move(pending));
}

}  // namespace kane

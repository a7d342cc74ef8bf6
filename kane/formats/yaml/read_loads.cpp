#include "kane/formats/yaml/read_loads.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/suggest.hpp"
#include "kane/formats/yaml/read_joints.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"

namespace kane {

namespace {

class LoadReader {
 public:
  LoadReader(ModelContext& context, const YamlNode& node, std::string name)
      : context_(context), node_(node), owner_(fmt::format("the load '{}'", shown(name))) {
    load_.name = std::move(name);
  }

  Load read() {
    load_.where = node_.where();
    if (!node_.is_map())
      node_.fail(fmt::format("{} must be a map such as {{torque: T, on: A, axis: N.z}}, but {} is given", owner_,
                             node_.describe()));
    const std::string_view kind = find_kind();
    if (kind == "force")
      read_force();
    else if (kind == "torque")
      read_torque();
    else if (kind == "attraction")
      read_attraction();
    else
      read_spring();
    return std::move(load_);
  }

 private:
  std::string_view find_kind() const {
    for (const auto kind : keys::kLoadKinds)
      if (node_.find(kind) != nullptr) return kind;
    std::vector<std::string> known(std::begin(keys::kLoadKinds), std::end(keys::kLoadKinds));
    std::string hint;
    for (const auto& entry : node_.entries)
      if (hint.empty()) hint = suggestion(entry.key, known);
    node_.fail(fmt::format("{} must have one of the keys {}{}", owner_, fmt::join(known, ", "), hint));
  }

  void read_force() {
    const Group group(node_, owner_, keys::kForceLoad);
    if (group.has("joint")) return read_joint_load(group);
    ForceLoad force;
    force.force = read_amount(group, "force", measure::kForce, force.axis);
    force.at = read_name(group.need("at", "P"), "at", owner_);
    if (const YamlNode* reaction = group.find("reaction")) force.reaction_at = read_name(*reaction, "reaction", owner_);
    load_.what = std::move(force);
  }

  void read_torque() {
    const Group group(node_, owner_, keys::kTorqueLoad);
    if (group.has("joint")) return read_joint_load(group);
    TorqueLoad torque;
    torque.torque = read_amount(group, "torque", measure::kTorque, torque.axis);
    torque.on = read_name(group.need("on", "A"), "on", owner_);
    if (const YamlNode* reaction = group.find("reaction")) torque.reaction = read_name(*reaction, "reaction", owner_);
    load_.what = std::move(torque);
  }

  /// A vector, or a scalar with its axis.
  Quantity read_amount(const Group& group, std::string_view key, const Measure& measure, Quantity& axis) {
    const YamlNode& amount = *group.find(key);
    std::string frame = context_.mechanism.ground;
    if (const YamlNode* node = group.find("frame")) {
      frame = read_name(*node, "frame", owner_);
      if (!amount.is_list())
        node->fail(fmt::format("'frame' of {} requires a list of three components under '{}'", owner_, key));
    }
    if (const YamlNode* node = group.find("axis")) {
      if (amount.is_list()) node->fail(fmt::format("{} is given by its components and needs no 'axis'", owner_));
      axis = context_.direction(*node, frame, "axis", owner_);
    }
    return context_.vector_quantity(amount, frame, measure, key, owner_);
  }

  /// Springs, dampers and laws between two points, or at a joint.
  void read_spring() {
    const Group group(node_, owner_, keys::kSpringLoad);
    if (group.has("joint")) return read_joint_load(group);
    group.check_only_one({"damper", "damping"});
    group.check_only_one({"length", "rest"});
    if (const YamlNode* friction = group.find("friction"))
      friction->fail(fmt::format("'friction' of {} requires 'joint'", owner_));
    SpringLoad spring;
    spring.from = read_name(group.need("from", "P1"), "from", owner_);
    spring.to = read_name(group.need("to", "P2"), "to", owner_);
    spring.stiffness = context_.scalar(group, "spring", measure::kStiffness);
    for (const auto key : {"length", "rest"})
      if (group.has(key)) spring.length = context_.scalar(group, key, measure::kLength);
    for (const auto key : {"damper", "damping"})
      if (group.has(key)) spring.damping = context_.scalar(group, key, measure::kDamping);
    if (const YamlNode* law = group.find("law")) spring.law = context_.quantity(*law, measure::kForce, "law", owner_);
    load_.what = std::move(spring);
  }

  /// A load along the coordinate of a joint.
  void read_joint_load(const Group& group) {
    JointLoad load;
    const YamlNode& name = group.need("joint", "elbow");
    load.joint = read_name(name, "joint", owner_);
    const Joint* joint = context_.mechanism.find_joint(load.joint);
    if (joint == nullptr) {
      std::vector<std::string> known;
      for (const Joint& j : context_.mechanism.joints) known.push_back(j.name);
      name.fail(fmt::format("{} names the joint '{}', which does not exist{}", owner_, shown(load.joint),
                            suggestion(load.joint, known)));
    }
    for (const auto key : {"from", "to", "at", "on", "axis", "reaction", "frame"})
      if (const YamlNode* node = group.find(key))
        node->fail(fmt::format("{} acts along a coordinate of the joint '{}', so '{}' has no meaning here", owner_,
                               load.joint, key));
    load.motion = find_motion_of(group, *joint, name.place);
    read_axis_laws(group, joint->motions[at(load.motion)].kind, load.law);
    load_.what = std::move(load);
  }

  int find_motion_of(const Group& group, const Joint& joint, const YamlPlace& place) const {
    std::vector<std::string> names;
    std::vector<int> numbers;
    for (std::size_t i = 0; i < joint.motions.size(); ++i) {
      if (!joint.motions[i].free) continue;
      names.push_back(joint.motions[i].coordinates.empty() ? "" : joint.motions[i].coordinates.front().name());
      numbers.push_back(static_cast<int>(i));
    }
    if (const YamlNode* coordinate = group.find("coordinate")) {
      const std::string name = read_name(*coordinate, "coordinate", owner_);
      const auto known = std::find(names.begin(), names.end(), name);
      if (known == names.end())
        coordinate->fail(
            fmt::format("the joint '{}' has no coordinate '{}'{}", joint.name, shown(name), suggestion(name, names)));
      return numbers[static_cast<std::size_t>(known - names.begin())];
    }
    if (numbers.size() != 1)
      fail_at(place, fmt::format("the joint '{}' has {} free motions; name with 'coordinate' the one on which {} acts",
                                 joint.name, numbers.size(), owner_));
    return numbers.front();
  }

  void read_axis_laws(const Group& group, MotionKind kind, AxisLaw& law) {
    // The keys of a load, and those of a joint that mean the same.
    struct Pair {
      std::string_view load, joint;
    };
    constexpr Pair kPairs[] = {{"spring", "stiffness"}, {"rest", "rest"},       {"length", "rest"},
                               {"damper", "damping"},   {"damping", "damping"}, {"friction", "friction"},
                               {"law", "law"},          {"torque", "law"},      {"force", "law"}};
    group.check_only_one({"damper", "damping"});
    group.check_only_one({"length", "rest"});
    group.check_only_one({"law", "torque", "force"});
    const std::string_view wrong = is_turning(kind) ? "force" : "torque";
    if (const YamlNode* node = group.find(wrong))
      node->fail(fmt::format("the joint of {} {}, so it takes a {}, not a {}", owner_,
                             is_turning(kind) ? "turns" : "slides", is_turning(kind) ? "torque" : "force", wrong));
    for (const auto& pair : kPairs)
      if (const YamlNode* node = group.find(pair.load)) read_axis_law(context_, *node, pair.joint, kind, law, owner_);
  }

  /// Inverse-square attraction by a spherical body.
  void read_attraction() {
    const Group group(node_, owner_, keys::kAttractionLoad);
    InverseSquareLoad load;
    load.mu = context_.scalar(group, "attraction", measure::kGravitation);
    load.centre = context_.mechanism.ground;
    if (const YamlNode* centre = group.find("centre")) load.centre = read_name(*centre, "centre", owner_);
    if (const YamlNode* torque = group.find("gradient_torque"))
      load.gradient_torque = read_flag(*torque, "gradient_torque", owner_);
    if (const YamlNode* bodies = group.find("bodies")) load.bodies = read_names(*bodies, "bodies", owner_);
    load_.what = std::move(load);
  }

  ModelContext& context_;
  const YamlNode& node_;
  std::string owner_;
  Load load_;
};

}  // namespace

void read_loads(ModelContext& context, const YamlNode& section) {
  auto& loads = context.mechanism.loads;
  if (section.is_list()) {
    for (const auto& item : section.items)
      loads.push_back(LoadReader(context, item, fmt::format("load{}", loads.size() + 1)).read());
    return;
  }
  for_each_entry(section, "loads",
                 [&](const YamlEntry& entry) { loads.push_back(LoadReader(context, entry.value, entry.key).read()); });
}

}  // namespace kane

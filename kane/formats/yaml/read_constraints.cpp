#include <algorithm>

#include "kane/base/suggest.hpp"
#include "kane/expr/print.hpp"
#include "kane/formats/yaml/read_loads.hpp"
#include "kane/formats/yaml/yaml_keys.hpp"

namespace kane {

namespace {

class ConstraintReader {
 public:
  ConstraintReader(ModelContext& context, const YamlNode& node, std::string name)
      : context_(context), node_(node), owner_(fmt::format("the constraint '{}'", shown(name))) {
    constraint_.name = std::move(name);
  }

  Constraint read() {
    constraint_.where = node_.where();
    if (!node_.is_map())
      node_.fail(
          fmt::format("{} must be a map such as {{motion: u1 + u2}}, but {} is given", owner_, node_.describe()));
    const std::string_view kind = find_kind();
    using Read = void (ConstraintReader::*)();
    struct Row {
      std::string_view kind;
      Read read;
    };
    constexpr Row kRows[] = {
        {"configuration", &ConstraintReader::read_expressions},
        {"motion", &ConstraintReader::read_expressions},
        {"point", &ConstraintReader::read_point},
        {"rolling", &ConstraintReader::read_rolling},
        {"touching", &ConstraintReader::read_touching},
        {"rod", &ConstraintReader::read_rod},
        {"rope", &ConstraintReader::read_rope},
        {"gear", &ConstraintReader::read_gear},
        {"screw", &ConstraintReader::read_screw},
        {"rack", &ConstraintReader::read_rack},
        {"belt", &ConstraintReader::read_belt},
        {"cam", &ConstraintReader::read_cam},
        {"prescribe", &ConstraintReader::read_prescribed},
        {"couple", &ConstraintReader::read_coupled},
    };
    for (const auto& row : kRows)
      if (row.kind == kind) (this->*row.read)();
    if (const YamlNode* active = node_.find("active")) constraint_.active = read_flag(*active, "active", owner_);
    return std::move(constraint_);
  }

 private:
  std::string_view find_kind() const {
    for (const auto kind : keys::kConstraintKinds)
      if (node_.find(kind) != nullptr) return kind;
    std::vector<std::string> known(std::begin(keys::kConstraintKinds), std::end(keys::kConstraintKinds));
    std::string hint;
    for (const auto& entry : node_.entries)
      if (hint.empty()) hint = suggestion(entry.key, known);
    node_.fail(fmt::format("{} must have one of the keys {}{}", owner_, fmt::join(known, ", "), hint));
  }

  // ---- by expressions -------------------------------------------------------------------------------------------
  [[nodiscard]] std::vector<Quantity> quantities(const YamlNode& node, std::string_view key) const {
    if (!node.is_list()) return {context_.quantity(node, measure::kAny, key, owner_)};
    std::vector<Quantity> all;
    for (const auto& item : node.items) all.push_back(context_.quantity(item, measure::kAny, key, owner_));
    if (all.empty()) node.fail(fmt::format("'{}' of {} is an empty list", key, owner_));
    return all;
  }

  void read_expressions() {
    const Group group(node_, owner_, keys::kExpressionConstraint);
    ExpressionConstraint rows;
    if (const YamlNode* node = group.find("configuration")) rows.configuration = quantities(*node, "configuration");
    if (const YamlNode* node = group.find("motion")) rows.motion = quantities(*node, "motion");
    constraint_.what = std::move(rows);
  }

  /// phi = 0, put together here.
  void set_configuration(std::string phi) {
    ExpressionConstraint rows;
    rows.configuration.push_back({std::move(phi), node_.where()});
    constraint_.what = std::move(rows);
  }

  /// Two coordinates, e.g. gear: [q1, q2].
  [[nodiscard]] std::pair<std::string, std::string> coordinate_pair(const Group& group, std::string_view key) const {
    const YamlNode& node = *group.find(key);
    if (!node.is_list() || node.items.size() != 2)
      node.fail(
          fmt::format("'{}' of {} must be a list of two coordinates, but {} is given", key, owner_, node.describe()));
    return {coordinate(node.items[0], key), coordinate(node.items[1], key)};
  }

  [[nodiscard]] std::string coordinate(const YamlNode& node, std::string_view key) const {
    std::string name = read_name(node, key, owner_);
    if (const Joint* joint = context_.mechanism.find_joint(name); joint != nullptr && !context_.names.contains(name))
      if (joint->motions.size() == 1 && joint->motions[0].coordinates.size() == 1)
        name = joint->motions[0].coordinates[0].name();  // a joint stands for its only coordinate
    const auto known = context_.names.find(name);
    if (known == context_.names.end() || known->second.what.find("coordinate") == std::string_view::npos)
      node.fail(fmt::format("'{}' of {} must name a coordinate, but '{}' is not one{}", key, owner_, shown(name),
                            suggestion(name, context_.names_of("coordinate"))));
    return known->second.what == "coordinate" ? name : "(" + to_text(known->second.value) + ")";
  }

  [[nodiscard]] std::string scalar_text(const Group& group, std::string_view key, const Measure& measure) const {
    return "(" + to_text(context_.scalar(group, key, measure)) + ")";
  }

  /// b = factor*a + offset.
  void set_linear(const Group& group, const std::string& a, const std::string& b, const std::string& factor) {
    std::string phi = fmt::format("{} - {}*{}", b, factor, a);
    if (group.has("offset")) phi += " - " + scalar_text(group, "offset", measure::kAny);
    set_configuration(std::move(phi));
  }

  // ---- gears between bodies -------------------------------------------------------------------------------------
  /// The body that a name in gear: or rack: means: a body, the ground, or with a carrier the child of a joint. "" if it is a
  /// coordinate, or a joint that stands for its coordinate, or nothing.
  [[nodiscard]] std::string gear_body(const YamlNode& node) const {
    if (!node.is_scalar()) return {};
    const auto known = context_.names.find(node.text);
    if (known != context_.names.end() && known->second.what.ends_with("coordinate")) return {};
    if (node.text == context_.mechanism.ground || context_.mechanism.find_body(node.text) != nullptr) return node.text;
    const Joint* joint = node_.find("carrier") != nullptr ? context_.mechanism.find_joint(node.text) : nullptr;
    return joint != nullptr ? joint->child : std::string();
  }

  /// Whether the pair names bodies; if one is a body, both must be.
  [[nodiscard]] bool between_bodies(const Group& group, std::string_view key) const {
    const YamlNode& node = *group.find(key);
    if (!node.is_list() || node.items.size() != 2) return false;
    const bool first = !gear_body(node.items[0]).empty(), second = !gear_body(node.items[1]).empty();
    if (first != second)
      node.items[first ? 1 : 0].fail(
          fmt::format("'{}' of {} names the body '{}', so '{}' must be a body, too (or a joint); it is not{}", key,
                      owner_, shown(node.items[first ? 0 : 1].text), shown(node.items[first ? 1 : 0].text),
                      suggestion(node.items[first ? 1 : 0].text, body_names())));
    return first;
  }

  [[nodiscard]] std::vector<std::string> body_names() const {
    std::vector<std::string> all{context_.mechanism.ground};
    for (const auto& body : context_.mechanism.bodies) all.push_back(body.name);
    return all;
  }

  [[nodiscard]] GearConstraint gear_of(const Group& group, std::string_view key) const {
    GearConstraint gear;
    gear.first = gear_body(group.find(key)->items[0]);
    gear.second = gear_body(group.find(key)->items[1]);
    if (const YamlNode* carrier = group.find("carrier")) gear.carrier = read_name(*carrier, "carrier", owner_);
    gear.offset = context_.scalar(group, "offset", measure::kAny);
    return gear;
  }

  [[nodiscard]] std::pair<Expr, Expr> size_pair(const YamlNode& node, std::string_view key,
                                                const Measure& measure) const {
    if (!node.is_list() || node.items.size() != 2)
      node.fail(fmt::format("'{}' of {} must be a list of two, such as [{}, {}]", key, owner_, measure.example,
                            measure.example));
    const Expr first = context_.scalar(node.items[0], measure, key, owner_);
    const Expr second = context_.scalar(node.items[1], measure, key, owner_);
    if (first.is_zero() || second.is_zero())
      node.items[first.is_zero() ? 0 : 1].fail(fmt::format("a gear of {} has no size", owner_));
    return {first, second};
  }

  void read_body_gear(const Group& group) {
    GearConstraint gear = gear_of(group, "gear");
    group.check_only_one({"axis", "axes"});
    group.check_only_one({"radii", "teeth", "ratio"});
    group.check_only_one({"radii", "module"});
    const std::string& ground = context_.mechanism.ground;
    if (const YamlNode* axis = group.find("axis")) gear.axes = {context_.direction(*axis, ground, "axis", owner_)};
    if (const YamlNode* axes = group.find("axes")) {
      if (!axes->is_list() || axes->items.size() != 2)
        axes->fail(fmt::format("'axes' of {} must be a list of two directions", owner_));
      for (const auto& item : axes->items) gear.axes.push_back(context_.direction(item, ground, "axes", owner_));
    }
    if (const YamlNode* ratio = group.find("ratio"))
      ratio->fail(
          fmt::format("{} connects bodies: give 'teeth' or 'radii' (and 'internal: true' for a ring gear)", owner_));
    const YamlNode* radii = group.find("radii");
    const auto [first, second] = radii != nullptr
                                     ? size_pair(*radii, "radii", measure::kLength)
                                     : size_pair(group.need("teeth", "[20, 60]"), "teeth", measure::kNumber);
    gear.first_size = first;
    gear.second_size = second;
    gear.lengths = radii != nullptr;
    if (const YamlNode* module = group.find("module")) {
      const Expr half = context_.scalar(*module, measure::kLength, "module", owner_) / 2;
      if (half.is_zero()) module->fail(fmt::format("'module' of {} must not be zero", owner_));
      gear.first_size = context_.graph.bind(half * first);
      gear.second_size = context_.graph.bind(half * second);
      gear.lengths = true;
    }
    if (const YamlNode* internal = group.find("internal")) gear.internal = read_flag(*internal, "internal", owner_);
    constraint_.what = std::move(gear);
  }

  void read_body_rack(const Group& group) {
    GearConstraint rack = gear_of(group, "rack");
    rack.rack = true;
    (void)group.need("radius", "50 mm");
    rack.first_size = context_.scalar(group, "radius", measure::kLength);
    if (rack.first_size.is_zero()) group.find("radius")->fail(fmt::format("the pinion of {} has radius zero", owner_));
    rack.second_size = 1;
    const YamlNode* axis = group.find("axis");
    const YamlNode* direction = group.find("direction");
    if ((axis == nullptr) != (direction == nullptr))
      (axis != nullptr ? axis : direction)
          ->fail(fmt::format("{} needs both 'axis' and 'direction', or neither (then those of the joints)", owner_));
    const std::string& ground = context_.mechanism.ground;
    if (axis != nullptr)
      rack.axes = {context_.direction(*axis, ground, "axis", owner_),
                   context_.direction(*direction, ground, "direction", owner_)};
    constraint_.what = std::move(rack);
  }

  /// Between coordinates: what belongs to bodies has no meaning.
  void refuse_body_keys(const Group& group, std::string_view key) const {
    for (const auto word : {"carrier", "axis", "axes", "direction"})
      if (const YamlNode* node = group.find(word))
        node->fail(
            fmt::format("'{}' of {} belongs to gears between bodies, but '{}' names coordinates", word, owner_, key));
  }

  void read_gear() {
    const Group group(node_, owner_, keys::kGearConstraint);
    if (between_bodies(group, "gear")) return read_body_gear(group);
    const auto [a, b] = coordinate_pair(group, "gear");
    refuse_body_keys(group, "gear");
    group.check_only_one({"ratio", "teeth", "radii"});
    if (const YamlNode* module = group.find("module"))
      module->fail(fmt::format("'module' of {} belongs to gears between bodies; here only the ratio counts", owner_));
    if (const YamlNode* radii = group.find("radii")) {
      const auto [first, second] = size_pair(*radii, "radii", measure::kLength);
      const bool internal = group.has("internal") && read_flag(*group.find("internal"), "internal", owner_);
      return set_linear(group, a, b, "(" + to_text(context_.graph.bind((internal ? first : -first) / second)) + ")");
    }
    if (const YamlNode* teeth = group.find("teeth")) {
      if (!teeth->is_list() || teeth->items.size() != 2)
        teeth->fail(fmt::format("'teeth' of {} must be a list of two numbers", owner_));
      const Expr first = context_.scalar(teeth->items[0], measure::kNumber, "teeth", owner_);
      const Expr second = context_.scalar(teeth->items[1], measure::kNumber, "teeth", owner_);
      if (first.is_zero()) teeth->items[0].fail(fmt::format("the first gear of {} has no teeth", owner_));
      if (second.is_zero()) teeth->items[1].fail(fmt::format("the second gear of {} has no teeth", owner_));
      const bool internal = group.has("internal") && read_flag(*group.find("internal"), "internal", owner_);
      const Expr ratio = context_.graph.bind((internal ? first : -first) / second);
      return set_linear(group, a, b, "(" + to_text(ratio) + ")");
    }
    (void)group.need("ratio", "-1/3");
    if (const YamlNode* internal = group.find("internal"))
      internal->fail(fmt::format("'internal' of {} requires 'teeth'; with 'ratio' use its sign", owner_));
    set_linear(group, a, b, scalar_text(group, "ratio", measure::kNumber));
  }

  void read_screw() {
    const Group group(node_, owner_, keys::kScrewConstraint);
    const auto [angle, length] = coordinate_pair(group, "screw");
    (void)group.need("pitch", "5 mm/rev");
    set_linear(group, angle, length, scalar_text(group, "pitch", measure::kPitch));
  }

  void read_rack() {
    const Group group(node_, owner_, keys::kRackConstraint);
    if (between_bodies(group, "rack")) return read_body_rack(group);
    refuse_body_keys(group, "rack");
    const auto [angle, length] = coordinate_pair(group, "rack");
    (void)group.need("radius", "50 mm");
    set_linear(group, angle, length, scalar_text(group, "radius", measure::kLength));
  }

  /// Both pulleys turn in the same direction, r1 a = r2 b; with a crossed belt in opposite directions.
  void read_belt() {
    const Group group(node_, owner_, keys::kBeltConstraint);
    const auto [a, b] = coordinate_pair(group, "belt");
    const YamlNode& radii = group.need("radii", "[50 mm, 100 mm]");
    if (!radii.is_list() || radii.items.size() != 2)
      radii.fail(fmt::format("'radii' of {} must be a list of two lengths", owner_));
    const Expr first = context_.scalar(radii.items[0], measure::kLength, "radii", owner_);
    const Expr second = context_.scalar(radii.items[1], measure::kLength, "radii", owner_);
    if (second.is_zero()) radii.items[1].fail(fmt::format("the second pulley of {} has radius zero", owner_));
    const bool crossed = group.has("crossed") && read_flag(*group.find("crossed"), "crossed", owner_);
    set_linear(group, a, b, "(" + to_text(context_.graph.bind((crossed ? -first : first) / second)) + ")");
  }

  void set_equal(const Group& group, std::string_view coordinate_key, std::string_view value_key) {
    const std::string q = coordinate(*group.find(coordinate_key), coordinate_key);
    const Quantity value = context_.quantity(group.need(value_key, "0.1*sin(2*t)"), measure::kAny, value_key, owner_);
    set_configuration(fmt::format("{} - ({})", q, value.text));
    // The name has been checked, so an error is in the value and is reported at its place.
    Quantity& phi = std::get<ExpressionConstraint>(constraint_.what).configuration.front();
    phi.where = value.where;
    phi.where.column -= static_cast<int>(q.size()) + 4;
  }

  void read_cam() { set_equal(Group(node_, owner_, keys::kCamConstraint), "cam", "profile"); }
  void read_prescribed() { set_equal(Group(node_, owner_, keys::kPrescribeConstraint), "prescribe", "value"); }
  void read_coupled() { set_equal(Group(node_, owner_, keys::kCoupleConstraint), "couple", "value"); }

  // ---- by points ------------------------------------------------------------------------------------------------
  [[nodiscard]] std::vector<Quantity> directions(const YamlNode& node, const std::string& frame) const {
    if (!node.is_list() || (node.items.size() == 3 && node.items[0].is_scalar() && is_number(node.items[0])))
      return {context_.direction(node, frame, "directions", owner_)};
    std::vector<Quantity> all;
    for (const auto& item : node.items) all.push_back(context_.direction(item, frame, "directions", owner_));
    return all;
  }

  static bool is_number(const YamlNode& node) {
    return !node.text.empty() && node.text.find_first_not_of("+-.0123456789eE") == std::string::npos;
  }

  void read_point() {
    const Group group(node_, owner_, keys::kPointConstraint);
    group.check_only_one({"path", "plane", "directions"});
    const std::string& ground = context_.mechanism.ground;
    PointConstraint point;
    point.point = read_name(group.need("point", "B.tip"), "point", owner_);
    point.reference = ground;
    if (const YamlNode* reference = group.find("reference"))
      point.reference = read_name(*reference, "reference", owner_);
    if (const YamlNode* path = group.find("path"))
      point.path = context_.direction(*path, ground, "path", owner_);
    else if (const YamlNode* plane = group.find("plane"))
      point.directions = {context_.direction(*plane, ground, "plane", owner_)};
    else if (const YamlNode* some = group.find("directions"))
      point.directions = directions(*some, ground);
    else
      for (const char axis : {'x', 'y', 'z'})
        point.directions.push_back({fmt::format("{}.{}", ground, axis), node_.where()});
    if (const YamlNode* velocity = group.find("velocity"))
      point.velocity_only = read_flag(*velocity, "velocity", owner_);
    constraint_.what = std::move(point);
  }

  [[nodiscard]] RollingConstraint read_contact(const Group& group, std::string_view kind) const {
    RollingConstraint rolling;
    rolling.body = read_name(*group.find(kind), kind, owner_);
    rolling.on = context_.mechanism.ground;
    if (const YamlNode* on = group.find("on")) rolling.on = read_name(*on, "on", owner_);
    rolling.contact = context_.vector_quantity(group.need("contact", "-r*N.z"), context_.mechanism.ground,
                                               measure::kLength, "contact", owner_);
    return rolling;
  }

  void read_rolling() {
    const Group group(node_, owner_, keys::kRollingConstraint);
    RollingConstraint rolling = read_contact(group, "rolling");
    if (const YamlNode* some = group.find("directions"))
      rolling.directions = directions(*some, context_.mechanism.ground);
    constraint_.what = std::move(rolling);
  }

  void read_touching() {
    const Group group(node_, owner_, keys::kTouchingConstraint);
    RollingConstraint touching = read_contact(group, "touching");
    touching.touching = true;
    touching.directions = {
        context_.direction(group.need("normal", "N.z"), context_.mechanism.ground, "normal", owner_)};
    constraint_.what = std::move(touching);
  }

  [[nodiscard]] std::vector<std::string> points_of(const Group& group, std::string_view key, std::size_t least) const {
    const YamlNode& node = *group.find(key);
    if (!node.is_list() || node.items.size() < least)
      node.fail(fmt::format("'{}' of {} must be a list of {} points or more, but {} is given", key, owner_, least,
                            node.describe()));
    return read_names(node, key, owner_);
  }

  void read_rod() {
    const Group group(node_, owner_, keys::kRodConstraint);
    const auto points = points_of(group, "rod", 2);
    if (points.size() != 2)
      group.find("rod")->fail(
          fmt::format("'rod' of {} joins two points, not {}; use 'rope' for more", owner_, points.size()));
    DistanceConstraint rod;
    rod.from = points[0];
    rod.to = points[1];
    rod.length = context_.scalar(group.need("length", "300 mm"), measure::kLength, "length", owner_);
    constraint_.what = std::move(rod);
  }

  /// A rope over pulleys of no size: the distances from point to point add up to its length.
  void read_rope() {
    const Group group(node_, owner_, keys::kRopeConstraint);
    const auto points = points_of(group, "rope", 2);
    std::string phi;
    for (std::size_t i = 1; i < points.size(); ++i)
      phi += fmt::format("{}distance({}, {})", i == 1 ? "" : " + ", points[i - 1], points[i]);
    (void)group.need("length", "2 m");
    set_configuration(phi + " - " + scalar_text(group, "length", measure::kLength));
  }

  ModelContext& context_;
  const YamlNode& node_;
  std::string owner_;
  Constraint constraint_;
};

}  // namespace

void read_constraints(ModelContext& context, const YamlNode& section) {
  auto& all = context.mechanism.constraints;
  if (section.is_list()) {
    for (const auto& item : section.items)
      all.push_back(ConstraintReader(context, item, fmt::format("constraint{}", all.size() + 1)).read());
    return;
  }
  for_each_entry(section, "constraints", [&](const YamlEntry& entry) {
    all.push_back(ConstraintReader(context, entry.value, entry.key).read());
  });
}

}  // namespace kane

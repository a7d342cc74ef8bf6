#include "kane/export/sdfast_roadmap.hpp"
#include "kane/base/at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace kane {

namespace {

struct SdfastTypeRow {
  std::string_view motions;  ///< r rotation, t translation, b ball
  std::string_view name;
  int number;
};
constexpr SdfastTypeRow kSdfastTypes[] = {
    {"r", "pin", 1},       {"rr", "ujoint", 2},        {"rrr", "gimbal", 3},     {"b", "ball", 4},
    {"t", "slider", 5},    {"tttb", "free", 6},        {"tr", "cylinder", 7},    {"ttr", "planar", 8},
    {"", "weld", 9},       {"tttrrr", "bushing", 10},  {"trrr", "bearing", 11},  {"rtt", "rplanar", 20},
    {"bttt", "rfree", 21}, {"rrrttt", "rbushing", 22}, {"rrrt", "rbearing", 23},
};

void set_type(const Joint& joint, std::string_view& name, int& number) {
  std::string code;
  for (const ElementaryMotion& m : joint.motions) {
    if (!m.free) continue;
    code += m.kind == MotionKind::Rotation      ? 'r'
            : m.kind == MotionKind::Translation ? 't'
            : m.kind == MotionKind::Ball        ? 'b'
                                                : '?';
  }
  for (const SdfastTypeRow& row : kSdfastTypes)
    if (row.motions == code) {
      name = row.name;
      number = row.number;
    }
}

/// Bodies in the order in which joints place them, so that each comes after its inboard body.
class RoadmapFormer {
 public:
  explicit RoadmapFormer(const Mechanism& m) : m_(m) { index_[m.ground] = -1; }

  SdfastRoadmap run() {
    require(!m_.equations, "the model '{}' is given by its equations: it has no bodies and joints", m_.name);
    std::vector<bool> done(m_.joints.size(), false);
    // Each pass adds a body or ends; a tree needs at most one pass per joint.
    for (std::size_t pass = 0; pass < m_.joints.size(); ++pass)
      for (std::size_t j = 0; j < m_.joints.size(); ++j)
        if (const Joint& joint = m_.joints[j]; !done[j] && !joint.closing && index_.contains(joint.parent)) {
          add_body(j);
          done[j] = true;
        }
    for (SdfastBodyRow& b : map_.bodies)
      if (!b.fourth.empty()) b.fourth_index = static_cast<int>(map_.q.size()), map_.q.push_back(b.fourth);
    for (SdfastBodyRow& b : map_.bodies) b.shown_coords = coordinates_text(b);
    for (std::size_t j = 0; j < m_.joints.size(); ++j)
      if (const Joint& joint = m_.joints[j]; joint.closing) {
        SdfastLoopRow row{joint.name, "", index_.at(joint.parent), index_.at(joint.child), j, 0};
        set_type(joint, row.type, row.type_number);
        map_.loops.push_back(row);
      }
    return std::move(map_);
  }

 private:
  void add_body(std::size_t j) {
    const Joint& joint = m_.joints[j];
    SdfastBodyRow body;
    body.name = joint.child;
    body.joint = joint.name;
    body.inboard = index_.at(joint.parent);
    body.at = j;
    set_type(joint, body.type, body.type_number);
    const int number = static_cast<int>(map_.bodies.size());
    for (std::size_t k = 0; k < joint.motions.size(); ++k) {
      const ElementaryMotion& motion = joint.motions[k];
      for (std::size_t i = 0; i < motion.speeds.size(); ++i) {
        body.axes.push_back(static_cast<int>(map_.u.size()));
        map_.u.push_back(motion.speeds[i].name());
        map_.q.push_back(motion.coordinates[i].name());
        map_.axes.push_back({number, static_cast<int>(body.axes.size()) - 1, motion.kind != MotionKind::Translation,
                             static_cast<int>(k), motion.coordinates[i].name(), motion.speeds[i].name()});
      }
      if (motion.kind == MotionKind::Ball) body.fourth = motion.coordinates[3].name();
    }
    index_[joint.child] = number;
    map_.bodies.push_back(std::move(body));
  }

  static std::string coordinates_text(const SdfastBodyRow& b) {
    if (b.axes.empty()) return "";
    std::string text =
        b.axes.size() == 1 ? fmt::format("{}", b.axes[0]) : fmt::format("{}:{}", b.axes.front(), b.axes.back());
    if (b.fourth_index >= 0) text += fmt::format(",{}", b.fourth_index);
    return text;
  }

  const Mechanism& m_;
  std::map<std::string, int> index_;
  SdfastRoadmap map_;
};

}  // namespace

SdfastRoadmap form_sdfast_roadmap(const Mechanism& mechanism) { return RoadmapFormer(mechanism).run(); }

std::string to_text(const SdfastRoadmap& map, const Mechanism& mechanism) {
  std::size_t wide = 8;
  for (const auto& b : map.bodies) wide = std::max({wide, b.name.size(), b.joint.size()});
  for (const auto& l : map.loops) wide = std::max(wide, l.name.size());
  std::string text = fmt::format("Roadmap ({})\n\n", mechanism.name);
  text +=
      fmt::format("  {:>4}  {:<{}}  {:>7}  {:<10}  {}\n", "body", "name", wide, "inboard", "joint", "coordinates q");
  text += fmt::format("  {:>4}  {}\n", -1, "$ground");
  for (std::size_t i = 0; i < map.bodies.size(); ++i) {
    const SdfastBodyRow& b = map.bodies[i];
    text += fmt::format("  {:>4}  {:<{}}  {:>7}  {:<10}  {}\n", i, b.name, wide, b.inboard,
                        b.type.empty() ? "other" : b.type, b.shown_coords);
  }
  for (const SdfastLoopRow& l : map.loops)
    text += fmt::format("  loop  {:<{}}  {:>7}  {:<10}  outboard body {}\n", l.name, wide, l.inboard,
                        l.type.empty() ? "other" : l.type, l.outboard);
  for (const Constraint& c : mechanism.constraints)
    text += fmt::format("  {:>4}  {:<{}}\n", c.name.starts_with("prescribed") ? "pres" : "user", c.name, wide);
  text += "\nState index to joint and axis map\n\n";
  text += fmt::format("  {:>5}  {:>5}  {:>4}  {:<10}  {:<11}  {:<10}  {}\n", "index", "joint", "axis", "type", "motion",
                      "names", "joint name");
  const auto row = [&](std::size_t index, int joint, std::size_t axis, const char* motion, const std::string& names) {
    const SdfastBodyRow& b = map.bodies[at(joint)];
    text += fmt::format("  {:>5}  {:>5}  {:>4}  {:<10}  {:<11}  {:<10}  {}\n", index, joint, axis,
                        b.type.empty() ? "other" : b.type, motion, names, b.joint);
  };
  for (std::size_t i = 0; i < map.axes.size(); ++i) {
    const SdfastAxis& a = map.axes[i];
    row(i, a.joint, static_cast<std::size_t>(a.axis), a.rotation ? "rotation" : "translation",
        a.coordinate + " " + a.speed);
  }
  for (std::size_t j = 0; j < map.bodies.size(); ++j)
    if (map.bodies[j].fourth_index >= 0)
      row(static_cast<std::size_t>(map.bodies[j].fourth_index), static_cast<int>(j), map.bodies[j].axes.size(),
          "4th Euler", map.bodies[j].fourth);
  text += fmt::format("\nnq = {}, nu = {}\n", map.q.size(), map.u.size());
  return text;
}

}  // namespace kane

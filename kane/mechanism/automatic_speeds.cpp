#include "kane/mechanism/automatic_speeds.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>

#include "kane/base/error.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"

namespace kane {

namespace {

/// One free motion with one speed, and the body it leads to.
struct FreeMotion {
  const Joint* joint;
  const ElementaryMotion* motion;
  std::size_t number;  ///< among the motions of its joint
  bool last;           ///< of its joint: the child moves with it
  std::string speed;
};

/// Speeds by name with their definitions, in the order of the joints.
using Definitions = std::vector<NamedQuantity>;

struct CandidateGroup {
  std::string joints;
  std::string words;
  std::map<std::string, std::string> definitions;  ///< speed -> text
};

class SpeedSearch {
 public:
  explicit SpeedSearch(const Mechanism& mechanism) : mechanism_(copy_mechanism(mechanism)) {
    mechanism_.automatic_speeds = false;
    mechanism_.speeds.clear();
  }

  AutomaticSpeeds run() {
    collect();
    Definitions best = rates_;
    OperationCount shortest = *count(rates_);
    AutomaticSpeeds result{mechanism_, shortest, shortest, {}};
    for (const auto& group : groups()) {
      Definitions trial = best;
      for (auto& speed : trial)
        if (const auto found = group.definitions.find(speed.name); found != group.definitions.end())
          speed.value.text = found->second;
      const auto operations = count(trial);
      if (!operations || operations->total() >= shortest.total()) continue;
      result.choices.push_back({group.joints, group.words, shortest, *operations});
      best = std::move(trial);
      shortest = *operations;
    }
    result.chosen = shortest;
    // Joint rates need no definitions: the recursive formulations then apply.
    if (!result.choices.empty()) result.mechanism.speeds = best;
    return result;
  }

 private:
  void collect() {
    for (const auto& joint : mechanism_.joints) {
      if (joint.closing) continue;
      for (std::size_t i = 0; i < joint.motions.size(); ++i) {
        const auto& motion = joint.motions[i];
        if (!motion.free) continue;
        if (motion.kind == MotionKind::Ball) {
          static constexpr const char* kAxes[] = {"x", "y", "z"};
          for (std::size_t k = 0; k < motion.speeds.size(); ++k)
            rates_.push_back({motion.speeds[k].name(),
                              {fmt::format("dot(omega({0}, {1}), {0}.{2})", joint.child, joint.parent, kAxes[k]), {}}});
          continue;
        }
        const std::string speed = motion.speeds[0].name();
        rates_.push_back({speed, {motion.coordinates[0].name() + "'", {}}});
        motions_.push_back({&joint, &motion, i, i + 1 == joint.motions.size(), speed});
      }
    }
  }

  /// Operations of the shortest formulation; empty where the choice of speeds does not work.
  [[nodiscard]] std::optional<OperationCount> count(const Definitions& speeds) const {
    Mechanism trial = copy_mechanism(mechanism_);
    if (&speeds != &rates_) trial.speeds = speeds;
    try {
      const auto counts = compare_formulations(trial);
      return counts.front().operations;
    } catch (const ModelError&) {
      if (&speeds == &rates_) throw;
      return std::nullopt;
    }
  }

  [[nodiscard]] bool inertialess(const std::string& body) const {
    const MechanismBody* found = mechanism_.find_body(body);
    if (found == nullptr || !found->mass.is_zero()) return false;
    for (const auto& row : found->inertia)
      for (const auto& e : row)
        if (!e.is_zero()) return false;
    for (const auto& particle : mechanism_.particles)
      if (particle.on == body) return false;
    int children = 0;
    for (const auto& joint : mechanism_.joints) children += joint.parent == body ? 1 : 0;
    return children == 1;
  }

  /// Whether `b` follows `a` with nothing of mass in between.
  [[nodiscard]] bool follows(const FreeMotion& a, const FreeMotion& b) const {
    if (a.joint == b.joint) return b.number == a.number + 1;
    return a.last && b.number == 0 && b.joint->parent == a.joint->child && inertialess(a.joint->child);
  }

  [[nodiscard]] std::vector<CandidateGroup> groups() const {
    std::vector<CandidateGroup> found;
    for (std::size_t i = 0; i < motions_.size(); ++i) {
      for (const std::size_t length : {std::size_t{3}, std::size_t{2}}) {
        if (i + length > motions_.size()) continue;
        bool row = true;
        for (std::size_t k = 0; k < length; ++k) {
          row = row && motions_[i + k].motion->kind == MotionKind::Rotation;
          if (k > 0) row = row && follows(motions_[i + k - 1], motions_[i + k]);
        }
        if (row && motions_[i + length - 1].last) add_body_components(i, length, found);
      }
      add_translation(i, found);
      add_absolute(i, found);
    }
    return found;
  }

  /// omega of the last body along its own axes.
  void add_body_components(std::size_t first, std::size_t length, std::vector<CandidateGroup>& found) const {
    static constexpr const char* kChoices[][3] = {{"x", "y", "z"}, {"x", "y", ""}, {"y", "z", ""}, {"z", "x", ""}};
    const std::string& body = motions_[first + length - 1].joint->child;
    for (const auto& axes : kChoices) {
      if ((axes[2][0] == '\0') != (length == 2)) continue;
      CandidateGroup group;
      group.joints = joint_names(first, length);
      group.words = fmt::format("angular velocity of {} in its own axes", body);
      for (std::size_t k = 0; k < length; ++k)
        group.definitions[motions_[first + k].speed] = fmt::format("dot(omega({0}), {0}.{1})", body, axes[k]);
      found.push_back(std::move(group));
    }
  }

  void add_translation(std::size_t first, std::vector<CandidateGroup>& found) const {
    if (first + 3 > motions_.size()) return;
    for (std::size_t k = 0; k < 3; ++k)
      if (motions_[first + k].joint != motions_[first].joint ||
          motions_[first + k].motion->kind != MotionKind::Translation)
        return;
    const std::string& body = motions_[first].joint->child;
    static constexpr const char* kAxes[] = {"x", "y", "z"};
    for (const std::string& point : {body, body + ".com"}) {
      CandidateGroup group;
      group.joints = joint_names(first, 1);
      group.words = fmt::format("velocity of {} in its own axes", point);
      for (std::size_t k = 0; k < 3; ++k)
        group.definitions[motions_[first + k].speed] = fmt::format("dot(v({}), {}.{})", point, body, kAxes[k]);
      found.push_back(std::move(group));
    }
  }

  /// Absolute angular velocities along a row of parallel axes (all joints of the chain from here on).
  void add_absolute(std::size_t first, std::vector<CandidateGroup>& found) const {
    if (motions_[first].motion->kind != MotionKind::Rotation || motions_[first].joint->motions.size() != 1) return;
    if (first > 0 && parallel(motions_[first - 1], motions_[first])) return;  // the row starts earlier
    CandidateGroup group;
    std::size_t length = 1;
    while (first + length < motions_.size() && parallel(motions_[first + length - 1], motions_[first + length]))
      ++length;
    if (length < 2) return;
    for (std::size_t k = 1; k < length; ++k) {
      const auto& joint = *motions_[first + k].joint;
      group.definitions[motions_[first + k].speed] =
          fmt::format("dot(omega({0}), {0}.{1})", joint.child, axis_name(*motions_[first + k].motion));
    }
    group.joints = joint_names(first, length);
    group.words = "absolute angular velocities along the common direction of the axes";
    found.push_back(std::move(group));
  }

  [[nodiscard]] static std::string axis_name(const ElementaryMotion& motion) {
    static constexpr const char* kAxes[] = {"x", "y", "z"};
    for (std::size_t k = 0; k < 3; ++k)
      if (motion.axis[k].is_one()) return kAxes[k];
    return "";
  }

  /// b turns about the same axis of the body that a moves, and bodies keep that axis.
  [[nodiscard]] bool parallel(const FreeMotion& a, const FreeMotion& b) const {
    if (b.joint->parent != a.joint->child || b.joint->motions.size() != 1 || a.joint->motions.size() != 1) return false;
    if (b.motion->kind != MotionKind::Rotation || a.motion->kind != MotionKind::Rotation) return false;
    const std::string axis = axis_name(*b.motion);
    return !axis.empty() && axis == axis_name(*a.motion) && unturned(b.joint->on_parent) &&
           unturned(a.joint->on_child) && unturned(b.joint->on_child);
  }

  [[nodiscard]] static bool unturned(const Placement& p) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        if (!(i == j ? p.rotation[i][j].is_one() : p.rotation[i][j].is_zero())) return false;
    return true;
  }

  [[nodiscard]] std::string joint_names(std::size_t first, std::size_t length) const {
    std::string names;
    std::set<std::string> seen;
    for (std::size_t k = 0; k < length; ++k) {
      const std::string& name = motions_[first + k].joint->name;
      if (seen.insert(name).second) names += (names.empty() ? "" : ", ") + name;
    }
    return names;
  }

  Mechanism mechanism_;
  Definitions rates_;
  std::vector<FreeMotion> motions_;
};

}  // namespace

std::string AutomaticSpeeds::summary() const {
  if (choices.empty())
    return fmt::format("speeds: auto: joint rates are the shortest choice found ({} operations)", rates.total());
  std::string text =
      fmt::format("speeds: auto: {} operations instead of {} with joint rates", chosen.total(), rates.total());
  for (const auto& choice : choices) text += fmt::format("; {}: {}", choice.group, choice.speeds);
  return text;
}

AutomaticSpeeds choose_speeds(const Mechanism& mechanism) { return SpeedSearch(mechanism).run(); }

}  // namespace kane

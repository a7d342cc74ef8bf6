#include "kane/mechanism/automatic_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "kane/base/error.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanism/check_values.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/lowering.hpp"
#include "kane/mechanism/tables.hpp"

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
    OperationCount shortest = count_rates();
    AutomaticSpeeds result{mechanism_, shortest, shortest, {}};
    if (!worth_searching_) return result;
    Definitions best = rates_;
    for (const auto& group : groups()) {
      Definitions trial = best;
      for (auto& speed : trial)
        if (const auto found = group.definitions.find(speed.name); found != group.definitions.end())
          speed.value.text = found->second;
      const auto operations = count(trial);
      if (!operations || operations->total() >= shortest.total()) continue;
      result.choices.push_back({group.joints, group.words, shortest, *operations, {}});
      for (const auto& [speed, definition] : group.definitions) result.choices.back().definitions[speed] = definition;
      best = std::move(trial);
      shortest = *operations;
    }
    result.chosen = shortest;
    // Joint rates need no definitions: the recursive formulations then apply.
    if (result.choices.empty()) return result;
    result.mechanism.speeds = best;
    translate_initial(result.mechanism);
    return result;
  }

 private:
  /// Operations with the rates of the joints. Other speeds need the projection; where its mass matrix and right-hand side
  /// alone are far longer than a whole recursive formulation (large trees), no choice of speeds makes up for it.
  [[nodiscard]] OperationCount count_rates() {
    const bool tree = why_no_tree(mechanism_).empty();
    FormOptions options;
    options.outputs = options.mass_matrix = false;
    const auto by = [&](Formulation formulation) {
      options.formulation = formulation;
      return count_dynamics(form_equations(copy_mechanism(mechanism_), options));
    };
    if (!tree) return by(Formulation::Projection);
    OperationCount best = by(Formulation::Composite);
    if (const OperationCount other = by(Formulation::Articulated); other.total() < best.total()) best = other;
    options.solve = false;
    worth_searching_ = by(Formulation::Projection).total() < 2 * best.total();
    if (!worth_searching_) return best;
    options.solve = true;
    const OperationCount other = by(Formulation::Projection);
    return other.total() < best.total() ? other : best;
  }

  /// Initial values of speeds were meant as rates of the joints: the same motion in the new speeds.
  void translate_initial(Mechanism& chosen) const {
    Values values = parameter_values(chosen);
    values["t"] = 0;
    for (const auto& i : chosen.inputs) values[i.symbol.name()] = 0;
    for (const Expr& q : mechanism_.all_coordinates()) values[q.name()] = mechanism_.start_value(q.name());
    for (const auto& joint : mechanism_.joints)
      for (const auto& motion : joint.motions)
        if (motion.kind == MotionKind::Ball && motion.free) complete_ball(motion, values);
    const LoweredMechanism rates = lower_mechanism(copy_mechanism(mechanism_));
    std::set<std::string> open;  // rates that nobody gave
    for (const SpeedRecord& u : rates.system.speeds()) {
      if (!u.definition.is_symbol()) continue;
      values[u.definition.name()] = mechanism_.start_value(u.symbol.name());
      if (!mechanism_.initial.contains(u.symbol.name())) open.insert(u.definition.name());
    }
    const Mechanism copy = copy_mechanism(chosen);
    const LoweredMechanism lowered = lower_mechanism(copy);
    const FunctionTable functions = table_functions(copy);
    for (const SpeedRecord& u : lowered.system.speeds()) {
      const std::string& name = u.symbol.name();
      const double value = evaluate(u.definition, values, functions);
      const auto needed = symbols_of(std::span(&u.definition, 1));
      const bool given =
          std::none_of(needed.begin(), needed.end(), [&](const Expr& e) { return open.contains(e.name()); });
      chosen.initial.erase(name), chosen.guess.erase(name);
      if (given)
        chosen.initial[name] = value;
      else if (chosen.insisted.erase(name); value != 0)
        chosen.guess[name] = value;
    }
  }

  /// Euler parameters without initial values mean no rotation.
  static void complete_ball(const ElementaryMotion& motion, Values& values) {
    bool given = false;
    for (const Expr& e : motion.coordinates) given = given || values[e.name()] != 0;
    if (!given) values[motion.coordinates[3].name()] = 1;
  }

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
    trial.speeds = speeds;
    try {
      return compare_formulations(trial).front().operations;
    } catch (const ModelError&) {
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
  bool worth_searching_ = true;
  Definitions rates_;
  std::vector<FreeMotion> motions_;
};

}  // namespace

std::string AutomaticSpeeds::summary() const {
  if (choices.empty())
    return fmt::format("speeds: auto: joint rates are the shortest choice found ({} operations)", rates.total());
  std::string text =
      fmt::format("speeds: auto: {} operations instead of {} with joint rates", chosen.total(), rates.total());
  for (const auto& choice : choices) {
    text += fmt::format("; {}: {}", choice.group, choice.speeds);
    std::string separator = " (";
    for (const auto& [speed, definition] : choice.definitions) {
      text += fmt::format("{}{} = {}", separator, speed, definition);
      separator = ", ";
    }
    text += ")";
  }
  return text;
}

AutomaticSpeeds choose_speeds(const Mechanism& mechanism) { return SpeedSearch(mechanism).run(); }

}  // namespace kane

#include "kane/mechanism/automatic_speeds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>
#include <set>

#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
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
    const std::set<std::string> named = find_named_speeds();
    for (const auto& group : groups()) {
      const auto is_named = [&](const auto& definition) { return named.contains(definition.first); };
      if (std::any_of(group.definitions.begin(), group.definitions.end(), is_named)) continue;
      Definitions trial = best;
      for (auto& speed : trial)
        if (const auto found = group.definitions.find(speed.name); found != group.definitions.end())
          speed.value.text = found->second;
      const auto operations = count(trial);
      if (!operations || operations->total() >= shortest.total() || !stays_regular(trial)) continue;
      result.choices.push_back({group.joints, group.words, shortest, *operations, {}});
      for (const auto& [speed, definition] : group.definitions) result.choices.back().definitions[speed] = definition;
      best = std::move(trial);
      shortest = *operations;
    }
    result.chosen = shortest;
    // Joint rates need no definitions: the recursive formulations then apply.
    if (result.choices.empty()) return result;
    result.mechanism.speeds = best;
    translate_initial(mechanism_, result.mechanism);
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
    try {
      if (const OperationCount other = by(Formulation::Articulated); other.total() < best.total()) best = other;
    } catch (const ModelError&) {  // loads proportional to accelerations: not by this one
    }
    options.solve = false;
    worth_searching_ = by(Formulation::Projection).total() < 2 * best.total();
    if (!worth_searching_) return best;
    options.solve = true;
    const OperationCount other = by(Formulation::Projection);
    return other.total() < best.total() ? other : best;
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

  /// Speeds that loads, laws, constraints, events or outputs name: there they mean the rates of the joints, so that they
  /// must stay those. (What is written with q' or velocities has no speeds in it yet.)
  [[nodiscard]] std::set<std::string> find_named_speeds() const {
    const Mechanism copy = copy_mechanism(mechanism_);
    const LoweredMechanism lowered = lower_mechanism(copy);
    const System& s = lowered.system;
    std::vector<Expr> all;
    const auto add_vector = [&](const Vector& v) {
      for (const Vector::Term& t : v.terms()) all.insert(all.end(), t.c.begin(), t.c.end());
    };
    for (const LoadRecord& load : s.loads()) add_vector(load.value);
    for (const UniformGravity& g : s.uniform_gravity()) add_vector(g.acceleration);
    for (const PotentialRecord& p : s.potentials()) all.push_back(p.value);
    for (const SymbolWithDefault& input : s.inputs()) all.push_back(input.value);
    for (const StateRecord& x : s.states()) all.push_back(x.rate);
    for (const OutputRecord& o : s.outputs()) all.push_back(o.value);
    for (const EnergyOutput& o : lowered.energy_outputs) all.push_back(o.value);
    for (const ConstraintRecord& c : s.constraints()) {
      all.push_back(c.phi.value_or(Expr())), all.push_back(c.motion.value_or(Expr()));
      add_vector(c.direction);
    }
    const LoweredSwitching& w = lowered.switching;
    for (const auto& c : w.contacts)
      all.insert(all.end(), {c.restitution, c.stiffness.value_or(Expr()), c.dissipation, c.damping});
    for (const auto& f : w.frictions) all.insert(all.end(), {f.kinetic, f.stiction});
    for (const auto& h : w.handles) all.insert(all.end(), {h.stiffness, h.damping});
    std::set<std::string> named;
    const int first_speed = static_cast<int>(s.coordinates().size() + s.states().size());
    for (const auto& event : w.switches) {
      all.push_back(event.equation.guard);
      for (const auto& reset : event.equation.resets) {
        all.push_back(reset.value);
        if (reset.index >= first_speed)
          named.insert(s.speeds()[static_cast<std::size_t>(reset.index - first_speed)].symbol.name());
      }
    }
    const std::vector<Expr> symbols = symbols_of(all);
    for (const SpeedRecord& u : s.speeds())
      for (const Expr& symbol : {u.symbol, u.derivative})
        if (std::find(symbols.begin(), symbols.end(), symbol) != symbols.end()) named.insert(u.symbol.name());
    return named;
  }

  // ---- singular speeds ------------------------------------------------------------------------------------------------
  /// det Y and det M along lines through random configurations: where det Y changes its sign and det M does not vanish, the
  /// speeds are singular in an ordinary position.
  [[nodiscard]] bool stays_regular(const Definitions& speeds) {
    constexpr int kLines = 4, kSamples = 48, kHalvings = 40;
    constexpr double kVanished = 1e-6, kTurn = 6.283185307179586;
    if (!regular_) regular_.emplace(mechanism_);
    Mechanism trial = copy_mechanism(mechanism_);
    trial.speeds = speeds;
    const SpeedMatrix Y(trial);
    std::mt19937 random(5);
    for (int line = 0; line < kLines; ++line) {
      Values at = regular_->values;
      for (const Expr& q : mechanism_.all_coordinates())
        at[q.name()] = std::uniform_real_distribution<double>(-3.1, 3.1)(random);
      for (const Expr& q : mechanism_.all_coordinates()) {
        double& x = at[q.name()];
        const double kept = x;
        double largest = 0, before = 0;
        std::vector<double> zeros;
        for (int k = 0; k <= kSamples; ++k) {
          x = 0.013 + kTurn * k / kSamples;
          const double y = Y.determinant(at);
          largest = std::max(largest, std::abs(regular_->determinant(at)));
          if (k > 0 && y * before < 0) {
            double low = x - kTurn / kSamples, high = x;
            for (int half = 0; half < kHalvings; ++half) {
              x = (low + high) / 2;
              (Y.determinant(at) * before > 0 ? low : high) = x;
            }
            zeros.push_back(x);
          }
          before = y;
        }
        for (const double zero : zeros) {
          x = zero;
          if (std::abs(regular_->determinant(at)) > kVanished * largest) return false;
        }
        x = kept;
      }
    }
    return true;
  }

  [[nodiscard]] static double determinant(std::vector<double> a, std::size_t n) {
    double result = 1;
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c + 1; r < n; ++r)
        if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
      if (a[pivot * n + c] == 0) return 0;
      if (pivot != c) result = -result;
      for (std::size_t k = 0; k < n; ++k) std::swap(a[c * n + k], a[pivot * n + k]);
      result *= a[c * n + c];
      for (std::size_t r = c + 1; r < n; ++r) {
        const double f = a[r * n + c] / a[c * n + c];
        for (std::size_t k = c; k < n; ++k) a[r * n + k] -= f * a[c * n + k];
      }
    }
    return result;
  }

  /// Y of u = Y rho + Z.
  struct SpeedMatrix {
    explicit SpeedMatrix(const Mechanism& mechanism) : functions(table_functions(mechanism)) {
      const LoweredMechanism lowered = lower_mechanism(mechanism);
      graph = lowered.system.shared_graph();
      const std::vector<Expr> rates = lowered.system.rates();
      n = rates.size();
      for (const SpeedRecord& u : lowered.system.speeds()) {
        const Affine a = affine_in(u.definition, rates);
        entries.insert(entries.end(), a.coefficients.begin(), a.coefficients.end());
      }
    }
    [[nodiscard]] double determinant(const Values& values) const {
      return SpeedSearch::determinant(evaluate(entries, values, functions), n);
    }
    std::shared_ptr<Graph> graph;
    FunctionTable functions;
    std::vector<Expr> entries;
    std::size_t n = 0;
  };

  /// M of the joint rates.
  struct RateMass {
    explicit RateMass(const Mechanism& mechanism) : functions(table_functions(mechanism)) {
      FormOptions options;
      options.outputs = options.solve = false;
      equations = form_equations(copy_mechanism(mechanism), options);
      for (const auto& p : equations.parameters) values[p.symbol.name()] = evaluate(p.value, values, functions);
      for (const auto& i : equations.inputs) values[i.symbol.name()] = 0;
      for (const Expr& u : equations.u) values[u.name()] = 0;
      for (const Expr& q : equations.q) values[q.name()] = 0;
      values[equations.t.name()] = 0;
    }
    [[nodiscard]] double determinant(const Values& at) const {
      return SpeedSearch::determinant(evaluate(equations.M.entries, at, functions), equations.u.size());
    }
    FunctionTable functions;
    EquationsOfMotion equations;
    Values values;
  };

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
  std::optional<RateMass> regular_;
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

namespace {

/// Euler parameters without initial values mean no rotation.
void complete_ball(const ElementaryMotion& motion, Values& values) {
  bool given = false;
  for (const Expr& e : motion.coordinates) given = given || values[e.name()] != 0;
  if (!given) values[motion.coordinates[3].name()] = 1;
}

}  // namespace

void translate_initial(const Mechanism& rates, Mechanism& chosen, bool all) {
  Values values = parameter_values(chosen);
  values["t"] = 0;
  for (const auto& i : chosen.inputs) values[i.symbol.name()] = 0;
  for (const Expr& q : rates.all_coordinates()) values[q.name()] = rates.start_value(q.name());
  for (const StateQuantity& x : rates.states) values[x.name] = rates.start_value(x.name);
  for (const auto& joint : rates.joints)
    for (const auto& motion : joint.motions)
      if (motion.kind == MotionKind::Ball && motion.free) complete_ball(motion, values);
  if (all) {
    chosen.guess.clear();
    for (const Expr& q : rates.all_coordinates()) chosen.initial[q.name()] = values[q.name()];
  }
  const LoweredMechanism before = lower_mechanism(copy_mechanism(rates));
  for (const SpeedRecord& u : before.system.speeds())
    if (u.definition.is_symbol()) values[u.definition.name()] = rates.start_value(u.symbol.name());
  const Mechanism copy = copy_mechanism(chosen);
  const LoweredMechanism lowered = lower_mechanism(copy);
  const FunctionTable functions = table_functions(copy);
  for (const SpeedRecord& u : lowered.system.speeds()) {
    const double value = evaluate(u.definition, values, functions);
    if (!u.definition.is_symbol()) chosen.initial_laws.erase(u.symbol.name());  // it was one for the rate
    if (!all && value == 0 && !rates.initial.contains(u.symbol.name())) continue;
    chosen.initial[u.symbol.name()] = value;
    chosen.guess.erase(u.symbol.name());
  }
}

AutomaticSpeeds choose_speeds(const Mechanism& mechanism) { return SpeedSearch(mechanism).run(); }

}  // namespace kane

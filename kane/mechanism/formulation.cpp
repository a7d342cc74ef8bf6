#include "kane/mechanism/formulation.hpp"

#include <algorithm>
#include <map>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/load_inertia.hpp"
#include "kane/mechanism/automatic_speeds.hpp"
#include "kane/mechanism/copy_mechanism.hpp"
#include "kane/mechanism/general_equations.hpp"
#include "kane/mechanism/given_forces.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/part_place.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/report.hpp"
#include "kane/mechanism/tree_model.hpp"

namespace kane {

std::string_view to_string(Formulation formulation) {
  switch (formulation) {
    case Formulation::Automatic: return "automatic";
    case Formulation::Projection: return "projection";
    case Formulation::Composite: return "composite";
    default: return "articulated";
  }
}

Formulation formulation_from(std::string_view name) {
  const std::vector<std::string> known{"automatic", "projection", "composite", "articulated"};
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end())
    throw ModelError(fmt::format("unknown formulation '{}'{} (known: automatic, projection, composite, articulated)",
                                 name, suggestion(name, known)));
  return static_cast<Formulation>(found - known.begin());
}

namespace {

/// The speed that is the rate of each free motion, looked up among the definitions of the system's speeds.
class SpeedMatch {
 public:
  explicit SpeedMatch(const System& system) : system_(system) {
    for (const auto& speed : system.speeds()) by_definition_.emplace_back(speed.definition, speed.symbol);
  }

  [[nodiscard]] bool has_speed(const Expr& coordinate) const { return find(system_.rate(coordinate)).is_symbol(); }

  /// Gives the motion its speeds; false if some motion does not have its own speed.
  bool assign(ElementaryMotion& motion) const {
    if (!motion.free) return true;
    std::vector<Expr> speeds;
    if (motion.kind == MotionKind::Ball) {
      for (const auto& rate : ball_rates(motion)) speeds.push_back(find(rate));
    } else {
      speeds.push_back(find(system_.rate(motion.coordinates[0])));
    }
    if (std::any_of(speeds.begin(), speeds.end(), [](const Expr& s) { return !s.is_symbol(); })) return false;
    motion.speeds = std::move(speeds);
    return true;
  }

 private:
  [[nodiscard]] Expr find(const Expr& definition) const {
    for (const auto& [known, symbol] : by_definition_)
      if (known == definition) return symbol;
    return {};
  }

  [[nodiscard]] Expr3 ball_rates(const ElementaryMotion& motion) const {
    for (std::size_t i = 0; i < system_.frames().size(); ++i) {
      const auto& frame = system_.frames()[FrameId(i)];
      const auto* parameters = std::get_if<EulerParameters>(&frame.definition);
      if (parameters != nullptr && parameters->e[0] == motion.coordinates[0]) return frame.quasi_rates;
    }
    return {};
  }

  const System& system_;
  std::vector<std::pair<Expr, Expr>> by_definition_;
};

/// Loads that are springs, dampers and motors along the joints and nothing else.
bool only_joint_laws(const Mechanism& mechanism) {
  for (const MechanismBody& body : mechanism.bodies)
    if (body.flexible) return false;  // it is a spring by itself
  for (const auto& load : mechanism.loads) {
    const auto* joint = std::get_if<JointLoad>(&load.what);
    if (joint == nullptr || !joint->law.law.empty()) return false;
  }
  for (const auto& joint : mechanism.joints)
    for (const auto& motion : joint.motions)
      if (!motion.law.law.empty() || (joint.closing && !is_empty(motion.law))) return false;
  return true;
}

/// Along a basis vector, or numeric.
bool has_plain_axis(const ElementaryMotion& motion) {
  const auto nonzero =
      std::count_if(motion.axis.begin(), motion.axis.end(), [](const Expr& e) { return !e.is_zero(); });
  return symbols_of(motion.axis).empty() || nonzero == 1;
}

Expr law_force(const Mechanism& mechanism, const AxisLaw& law, const Expr& q, const Expr& u) {
  const Expr motor = law.actuator.is_zero() ? Expr() : motor_force(mechanism, law, law.actuator, u);
  return motor - law.stiffness * (q - law.rest) - law.damping * u + stop_force(mechanism, law, q, u);
}

/// Torque -2 k e4 e - c w of a ball's spring and damper (lowering_loads.cpp), along axis k of its outer side.
Expr ball_torque(const AxisLaw& law, const ElementaryMotion& motion, std::size_t k) {
  return -2 * law.stiffness * motion.coordinates[3] * motion.coordinates[k] - law.damping * motion.speeds[k];
}

/// The tree with its forces, or the reason why there is none.
struct TreeOrReason {
  std::optional<BuiltTree> built;
  std::string reason;
};

class TreeFormer {
 public:
  TreeFormer(const Mechanism& mechanism, const LoweredMechanism& lowered) : mechanism_(mechanism), lowered_(lowered) {}

  /// Gives every free motion its speed; empty if that is possible and the tree can be formed, else why not.
  std::string check() {
    const System& system = lowered_.system;
    if (!system.auxiliaries().empty()) return "it has auxiliary speeds written by hand";
    if (!mechanism_.extra_coordinates.empty()) return "it has coordinates that do not belong to a joint";
    const SpeedMatch match(system);
    if (std::string reason = check_flexible(match); !reason.empty()) return reason;
    if (std::string reason = check_places(); !reason.empty()) return reason;
    for (auto& joint : mechanism_.joints) {
      if (joint.closing) continue;
      if (!joint.rotation_from.empty() && joint.rotation_from != joint.parent)
        return fmt::format("joint '{}' measures its angle from another body", joint.name);
      for (auto& motion : joint.motions) {
        if (!match.assign(motion))
          return fmt::format("its generalized speeds are not the rates of joint '{}'", joint.name);
        if (motion.kind != MotionKind::Ball && !has_plain_axis(motion))
          return fmt::format("the axis of joint '{}' depends on parameters", joint.name);
        if (!motion.free && motion.kind == MotionKind::Ball) return fmt::format("joint '{}' is locked", joint.name);
        if (!motion.free && depends_on_state(motion.value))
          return fmt::format("joint '{}' follows another coordinate", joint.name);
      }
    }
    return {};
  }

  /// Modes have the rates of their amplitudes as speeds, and sections move with the modes of their body alone.
  [[nodiscard]] std::string check_flexible(const SpeedMatch& match) const {
    const System& system = lowered_.system;
    for (const FlexibleRecord& record : system.flexible_bodies())
      for (const Expr& q : record.spec.coordinates)
        if (!match.has_speed(q))
          return fmt::format("its generalized speeds are not the rates of the modes of '{}'",
                             system.body(record.body).name);
    for (const LoweredSection& section : lowered_.sections) {
      const MechanismBody* body = mechanism_.find_body(section.body);
      const std::vector<Expr>& own = body->flexible->coordinates;
      std::vector<Expr> all(section.position.begin(), section.position.end());
      all.insert(all.end(), section.angles.begin(), section.angles.end());
      for (const Expr& symbol : symbols_of(all)) {
        const auto kind = system.find_kind(symbol.name());
        if (kind && *kind != SymbolKind::Parameter && std::find(own.begin(), own.end(), symbol) == own.end())
          return fmt::format("something slides along the flexible body '{}'", section.body);
      }
    }
    return {};
  }

  /// Masses and joints stay where they are on their bodies.
  [[nodiscard]] std::string check_places() const {
    const auto slides = [&](const Expr3& place) {
      const std::vector<Expr> symbols = symbols_of(place);
      return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& symbol) {
        return lowered_.system.find_kind(symbol.name()) != SymbolKind::Parameter;
      });
    };
    for (const MechanismParticle& p : mechanism_.particles)
      if (slides(p.at)) return fmt::format("the particle '{}' slides along its body", p.name);
    for (const Joint& joint : mechanism_.joints)
      if (!joint.closing && (slides(joint.on_parent.position) || slides(joint.on_child.position)))
        return fmt::format("the joint '{}' slides along its bodies", joint.name);
    return {};
  }

  TreeOrReason form(bool regroup) {
    const System& system = lowered_.system;
    if (std::string reason = check(); !reason.empty()) return {{}, std::move(reason)};
    BuiltTree built = build_tree(mechanism_, lowered_);
    if (built.tree.dof_speed.size() != system.speeds().size())
      return {{}, "it has speeds that do not belong to a joint"};
    add_gravity(built.tree);
    add_forces(built.tree);
    if (regroup) regroup_inertia(built.tree);
    return {std::move(built), {}};
  }

 private:
  /// A known motion must be a function of time and parameters.
  [[nodiscard]] bool depends_on_state(const Expr& value) const {
    for (const Expr& symbol : symbols_of({&value, 1})) {
      const auto kind = lowered_.system.find_kind(symbol.name());
      if (kind && *kind != SymbolKind::Time && *kind != SymbolKind::Parameter) return true;
    }
    return false;
  }

  void add_gravity(TreeModel& tree) const {
    for (const auto& gravity : lowered_.system.uniform_gravity())
      tree.base_acceleration =
          subtract(tree.base_acceleration, lowered_.system.frames().express(gravity.acceleration, Frames::inertial()));
  }

  /// Generalized forces of everything but uniform gravity.
  void add_forces(TreeModel& tree) const {
    if (only_joint_laws(mechanism_)) {
      add_joint_laws(tree);
      return;
    }
    KaneDerivation derivation(
        lowered_.system, {.dynamics = false, .embedding = EmbeddingMethod::None, .inverse = false, .outputs = false});
    const auto forces = derivation.applied_forces();
    for (std::size_t dof = 0; dof < tree.tau.size(); ++dof) tree.tau[dof] += forces[tree.dof_speed[dof]];
  }

  void add_joint_laws(TreeModel& tree) const {
    std::map<std::string, Expr> by_speed;
    const auto add = [&](const ElementaryMotion& motion, const AxisLaw& law) {
      if (!motion.free) return;
      if (motion.kind == MotionKind::Ball) {
        for (std::size_t k = 0; k < 3; ++k) by_speed[motion.speeds[k].name()] += ball_torque(law, motion, k);
      } else {
        by_speed[motion.speeds[0].name()] += law_force(mechanism_, law, motion.coordinates[0], motion.speeds[0]);
      }
    };
    for (const auto& joint : mechanism_.joints)
      if (!joint.closing)
        for (const auto& motion : joint.motions) add(motion, motion.law);
    for (const auto& load : mechanism_.loads) {
      const auto& joint_load = std::get<JointLoad>(load.what);
      const Joint* joint = mechanism_.find_joint(joint_load.joint);
      ensure(joint != nullptr, "the load '{}' names no joint", load.name);
      add(joint->motions[at(joint_load.motion)], joint_load.law);
    }
    const auto& speeds = lowered_.system.speeds();
    for (std::size_t dof = 0; dof < tree.tau.size(); ++dof)
      tree.tau[dof] = by_speed[speeds[tree.dof_speed[dof]].symbol.name()];
  }

  Mechanism mechanism_;  // a copy whose motions get the system's speeds
  const LoweredMechanism& lowered_;
};

/// In the order of the speeds of the equations.
std::vector<Expr> in_speed_order(const TreeModel& tree, const std::vector<Expr>& by_dof) {
  std::vector<Expr> result(by_dof.size());
  for (std::size_t dof = 0; dof < by_dof.size(); ++dof) result[tree.dof_speed[dof]] = by_dof[dof];
  return result;
}

std::vector<Expr> in_dof_order(const TreeModel& tree, const std::vector<Expr>& by_speed) {
  std::vector<Expr> result(by_speed.size());
  for (std::size_t dof = 0; dof < by_speed.size(); ++dof) result[dof] = by_speed[tree.dof_speed[dof]];
  return result;
}

std::vector<Expr> minus(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  std::vector<Expr> result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
}

/// Moves what loads add to the mass matrix there; false if entries appear outside the branches of the tree.
bool add_load_inertia(const std::vector<Expr>& udot, ExprMatrix& M, std::vector<Expr>& rhs) {
  const ExprMatrix L = take_load_inertia(udot, rhs);
  bool sparse = true;
  for (std::size_t i = 0; i < L.entries.size(); ++i) {
    sparse = sparse && (L.entries[i].is_zero() || !M.entries[i].is_zero());
    M.entries[i] -= L.entries[i];
  }
  return sparse;
}

/// Fills in the dynamical equations from the tree.
void form_tree_dynamics(const BuiltTree& built, Formulation formulation, const FormOptions& options,
                        EquationsOfMotion& equations) {
  const TreeModel& tree = built.tree;
  equations.formulation = to_string(formulation);
  Graph& graph = *equations.graph;
  for (const auto& number : built.numbers)
    equations.parameters.push_back({number.symbol, graph.number(rational_from_double(number.value))});
  const bool composite = formulation == Formulation::Composite || options.mass_matrix;
  if (composite) {
    auto reduced = minus(tree.tau, form_bias(tree));
    ExprMatrix M = form_mass_matrix(tree);
    const std::size_t n = tree.dof_count();
    const bool sparse = add_load_inertia(in_dof_order(tree, equations.udot), M, reduced);
    equations.symmetric = !equations.accelerating || is_symmetric(M);
    equations.M = ExprMatrix(n, n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) equations.M(tree.dof_speed[i], tree.dof_speed[j]) = M(i, j);
    equations.rhs = in_speed_order(tree, reduced);
    if (options.solve && formulation == Formulation::Composite && sparse && equations.symmetric)
      equations.udot_explicit = in_speed_order(tree, solve_branch_sparse(tree, M, reduced));
  }
  if (options.solve && formulation == Formulation::Articulated)
    equations.udot_explicit = in_speed_order(tree, form_articulated(tree));
  if (options.outputs) equations.active = in_speed_order(tree, form_active_forces(tree));
  if (options.trial) return;
  const auto needed = form_inverse_dynamics(tree, in_dof_order(tree, equations.udot));
  equations.inverse = in_speed_order(tree, minus(needed, tree.tau));
}

std::vector<Expr> state_symbols(const EquationsOfMotion& equations) {
  std::vector<Expr> state = equations.q;
  state.insert(state.end(), equations.u.begin(), equations.u.end());
  state.push_back(equations.t);
  for (const auto& input : equations.inputs) state.push_back(input.symbol);
  return state;
}

/// Everything but the dynamics of the tree: symbols, kinematical equations, constraints.
EquationsOfMotion form_frame_of_tree(const LoweredMechanism& lowered) {
  const System& system = lowered.system;
  if (system.constraints().empty() && system.auxiliaries().empty())
    return describe_equations(lowered, form_speed_rates(system));
  // Symbolic embedding projects the motion itself and needs the dynamics of the projection.
  return form_equations(system,
                        {.dynamics = false, .embedding = EmbeddingMethod::None, .inverse = false, .outputs = false});
}

bool constrained(const System& system) {
  return std::any_of(system.constraints().begin(), system.constraints().end(), [](auto& c) { return c.active; });
}

/// Whether nothing ever constrains the tree but stops and friction of its joints.
bool only_stops_and_friction(const LoweredMechanism& lowered) {
  const LoweredSwitching& s = lowered.switching;
  std::size_t rows = s.contacts.size();
  for (const auto& friction : s.frictions) rows += friction.rows.size();
  const bool stops = std::all_of(s.contacts.begin(), s.contacts.end(), [](auto& c) { return !c.coordinate.empty(); });
  return stops && rows == lowered.system.constraints().size() && s.contact_pairs.empty() && s.handles.empty() &&
         s.switches.empty() && s.modes.empty();
}

/// By the requested formulation (not Automatic), in the mechanism's own graph.
EquationsOfMotion form_unplaced(const Mechanism& mechanism, Formulation formulation, const FormOptions& options) {
  const LoweredMechanism lowered = lower_mechanism(mechanism);
  FormOptions adapted = options;
  if (constrained(lowered.system) || !lowered.given.empty()) adapted.solve = false;
  EquationsOfMotion equations;
  if (formulation == Formulation::Projection) {
    equations =
        form_equations(lowered.system, {.embedding = options.embedding, .solve = adapted.solve, .outputs = false});
  } else {
    const TreeOrReason tree = TreeFormer(mechanism, lowered).form(options.regroup);
    if (!tree.built)
      throw ModelError(mechanism.where, fmt::format("'{}' cannot be formulated by {}: {}", mechanism.name,
                                                    to_string(formulation), tree.reason));
    require_at(
        mechanism.where,
        formulation != Formulation::Articulated || (!has_accelerating_loads(lowered.system) && lowered.given.empty()),
        "'{}' cannot be formulated by articulated: it has loads that depend on accelerations or reactions, which "
        "join the mass matrix, and this formulation has none",
        mechanism.name);
    if (!adapted.solve)
      adapted.mass_matrix = true;
    else if (formulation == Formulation::Articulated && only_stops_and_friction(lowered) &&
             lowered.system.speeds().size() > options.largest_mass_matrix)
      adapted.mass_matrix = false;
    equations = form_frame_of_tree(lowered);
    equations.accelerating = has_accelerating_loads(lowered.system);
    form_tree_dynamics(*tree.built, formulation, adapted, equations);
  }
  if (options.outputs) complete_equations(mechanism, lowered, equations);
  // The derivation looks at inertias, too, and may say the same.
  for (const std::string& warning : lowered.warnings) std::erase(equations.warnings, warning);
  equations.warnings.insert(equations.warnings.begin(), lowered.warnings.begin(), lowered.warnings.end());
  if (!options.trial) complete_switching(lowered, equations);
  complete_given_forces(lowered, equations);
  return equations;
}

/// Whether equations formed by projection are written with numbers of a tree (NamedNumber). A graph knows each expression by
/// one form, and after a recursive formulation in the same graph that may be one like (a + arm.m) - arm.m.
bool has_tree_numbers(const EquationsOfMotion& e) {
  std::vector<Expr> all = e.rhs;
  for (const auto* more : {&e.qdot, &e.M.entries, &e.udot_explicit, &e.inverse, &e.active})
    all.insert(all.end(), more->begin(), more->end());
  for (const auto& row : e.constraints) {
    all.insert(all.end(), row.a.begin(), row.a.end());
    all.insert(all.end(), {row.b, row.gamma});
  }
  all.push_back(e.kinetic);
  if (e.potential) all.push_back(*e.potential);
  const auto listed = [](const std::vector<SymbolWithDefault>& symbols, const Expr& s) {
    return std::any_of(symbols.begin(), symbols.end(), [&](const SymbolWithDefault& x) { return x.symbol == s; });
  };
  const auto known = [](const std::vector<Expr>& symbols, const Expr& s) {
    return std::find(symbols.begin(), symbols.end(), s) != symbols.end();
  };
  const std::vector<Expr> symbols = symbols_of(all);
  return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& s) {
    const std::string name = s.name();
    return name.find('.') != std::string::npos && name.find('(') == std::string::npos && name.back() != '\'' &&
           !listed(e.parameters, s) && !listed(e.inputs, s) && !known(e.q, s) && !known(e.u, s);
  });
}

/// The same; errors carry their place in the user's file.
EquationsOfMotion form_by(const Mechanism& mechanism, Formulation formulation, const FormOptions& options) {
  return with_part_place(mechanism, [&] {
    EquationsOfMotion equations = form_unplaced(mechanism, formulation, options);
    if (formulation != Formulation::Projection || !has_tree_numbers(equations)) return equations;
    return form_unplaced(copy_mechanism(mechanism), formulation, options);
  });
}

struct Candidate {
  EquationsOfMotion equations;
  OperationCount operations;
};

/// Rough operations of the recursive formulations, to leave out what cannot win (from counts of general serial arms).
struct RoughCost {
  double composite = 0, articulated = 0;
};

RoughCost estimate(const Mechanism& mechanism) {
  std::map<std::string, double> depth{{mechanism.ground, 0.0}};
  RoughCost cost;
  // Joints may be listed in any order: repeat until all depths are known.
  for (bool again = true; again;) {
    again = false;
    for (const auto& joint : mechanism.joints) {
      if (joint.closing || depth.contains(joint.child) || !depth.contains(joint.parent)) continue;
      double d = depth.at(joint.parent);
      for (const auto& motion : joint.motions) {
        if (!motion.free) continue;
        for (int k = motion.kind == MotionKind::Ball ? 3 : 1; k > 0; --k) {
          d += 1;
          cost.composite += 160 + 36 * d + 2 * d * d / 2;
          cost.articulated += 440;
        }
      }
      const MechanismBody* body = mechanism.find_body(joint.child);
      for (std::size_t k = body->flexible ? body->flexible->mode_count() : 0; k > 0; --k) {
        d += 1;
        cost.composite += 60 + 36 * d + 2 * d * d / 2;
        cost.articulated += 200;
      }
      depth.emplace(joint.child, d);
      again = true;
    }
  }
  return cost;
}

/// Recursive formulations that apply to a mechanism.
struct TreeCheck {
  std::string reason;       ///< why none does; empty: composite does
  bool articulated = true;  ///< articulated does, too
};

TreeCheck check_tree(const Mechanism& mechanism) {
  return with_part_place(mechanism, [&] {
    const Mechanism copy = copy_mechanism(mechanism);
    const LoweredMechanism lowered = lower_mechanism(copy);
    return TreeCheck{TreeFormer(copy, lowered).check(),
                     !has_accelerating_loads(lowered.system) && lowered.given.empty()};
  });
}

std::vector<Formulation> worth_trying(const Mechanism& mechanism) {
  const TreeCheck tree = check_tree(mechanism);
  if (!tree.reason.empty()) return {Formulation::Projection};
  if (!tree.articulated) return {Formulation::Composite};
  const RoughCost cost = estimate(mechanism);
  std::vector<Formulation> candidates;
  if (cost.composite < 3 * cost.articulated) candidates.push_back(Formulation::Composite);
  if (cost.articulated < 1.5 * cost.composite) candidates.push_back(Formulation::Articulated);
  if (candidates.empty()) candidates.push_back(Formulation::Composite);  // nothing moves: statics
  // Not projection: its elimination in symbols chooses pivots without knowing their size.
  return candidates;
}

}  // namespace

OperationCount count_dynamics(const EquationsOfMotion& equations) {
  if (!equations.udot_explicit.empty()) return count_operations(equations.udot_explicit, state_symbols(equations));
  std::vector<Expr> outputs = equations.rhs;
  outputs.insert(outputs.end(), equations.M.entries.begin(), equations.M.entries.end());
  return count_operations(outputs, state_symbols(equations));
}

std::string why_no_tree(const Mechanism& mechanism) {
  return mechanism.equations ? "it is given by its equations" : check_tree(mechanism).reason;
}

EquationsOfMotion form_equations(const Mechanism& mechanism, const FormOptions& options) {
  if (mechanism.equations) {
    require(options.formulation == Formulation::Automatic || options.formulation == Formulation::Projection,
            "'{}' is given by its equations and cannot be formulated by {}", mechanism.name,
            to_string(options.formulation));
    return form_general_equations(mechanism, options);
  }
  if (mechanism.automatic_speeds) {
    const AutomaticSpeeds automatic = choose_speeds(mechanism);
    EquationsOfMotion equations = form_equations(automatic.mechanism, options);
    equations.warnings.push_back(automatic.summary());
    return equations;
  }
  if (options.formulation != Formulation::Automatic) return form_by(mechanism, options.formulation, options);
  const auto candidates = worth_trying(mechanism);
  if (candidates.size() == 1) return form_by(mechanism, candidates[0], options);
  // The shortest program wins. Trials leave out what all have in common.
  FormOptions trial = options;
  trial.trial = options.outputs || options.mass_matrix;
  trial.outputs = false;
  trial.mass_matrix = false;
  EquationsOfMotion best;
  Formulation chosen = candidates[0];
  int shortest = -1;
  for (const Formulation formulation : candidates) {
    EquationsOfMotion equations = form_by(copy_mechanism(mechanism), formulation, trial);
    const int operations = count_dynamics(equations).total();
    if (shortest >= 0 && operations >= shortest) continue;
    shortest = operations;
    chosen = formulation;
    best = std::move(equations);
  }
  // The trial itself will do if no more was requested; its graph is a copy, and it owns it.
  if (!trial.trial) return best;
  return form_by(mechanism, chosen, options);
}

std::vector<FormulationCount> compare_formulations(const Mechanism& mechanism) {
  std::vector<FormulationCount> counts;
  if (mechanism.equations)
    return {{Formulation::Automatic, count_dynamics(form_general_equations(copy_mechanism(mechanism), {}))}};
  const TreeCheck tree = check_tree(mechanism);
  for (const auto formulation : {Formulation::Projection, Formulation::Composite, Formulation::Articulated}) {
    if (formulation != Formulation::Projection && !tree.reason.empty()) continue;
    if (formulation == Formulation::Articulated && !tree.articulated) continue;
    const auto equations = form_by(copy_mechanism(mechanism), formulation, {.mass_matrix = false, .outputs = false});
    counts.push_back({formulation, count_dynamics(equations)});
  }
  std::stable_sort(counts.begin(), counts.end(),
                   [](auto& a, auto& b) { return a.operations.total() < b.operations.total(); });
  return counts;
}

}  // namespace kane

#include "kane/mechanism/lowering.hpp"

#include <algorithm>
#include <set>

#include "kane/expr/infix.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/rates.hpp"
#include "kane/mechanism/general_equations.hpp"
#include "kane/mechanism/given_forces.hpp"
#include "kane/mechanism/joint_library.hpp"
#include "kane/mechanism/lowering_parts.hpp"
#include "kane/mechanism/placed.hpp"
#include "kane/mechanism/symbol_units.hpp"
#include "kane/mechanism/tables.hpp"

namespace kane {
namespace {

/// Names in a text, and those in the named expressions and outputs that it uses.
class NamesInText {
 public:
  explicit NamesInText(const Mechanism& m) {
    for (const NamedQuantity& o : m.outputs) named_[o.name] = &o.value;
    for (const NamedQuantity& e : m.expressions) named_[e.name] = &e.value;
  }

  void read(const Quantity& q) {
    InfixText text(q.text, q.where);
    for (InfixToken token = text.next(); token.kind != InfixTokenKind::End; token = text.next()) {
      if (token.kind != InfixTokenKind::Name || !names_.emplace(token.text).second) continue;
      if (const auto named = named_.find(token.text); named != named_.end()) read(*named->second);
    }
  }
  [[nodiscard]] const std::set<std::string, std::less<>>& names() const { return names_; }

 private:
  std::map<std::string, const Quantity*, std::less<>> named_;
  std::set<std::string, std::less<>> names_;
};

/// Inputs whose rates matter, because a position depends on them: prescribed motions, moving points, lengths of rods,
/// configuration constraints.
std::set<std::string> find_specified(const Mechanism& m) {
  std::set<std::string, std::less<>> inputs;
  for (const SymbolWithDefault& i : m.inputs) inputs.insert(i.symbol.name());
  if (inputs.empty()) return {};
  std::vector<Expr> positions;
  for (const Joint& joint : m.joints)
    for (const ElementaryMotion& motion : joint.motions)
      if (!motion.free) positions.push_back(motion.value);
  for (const MechanismParticle& p : m.particles) positions.insert(positions.end(), p.at.begin(), p.at.end());
  for (const MechanismPoint& p : m.points) positions.insert(positions.end(), p.at.begin(), p.at.end());
  std::set<std::string> used;
  for (const Constraint& c : m.constraints) {
    if (const auto* rod = std::get_if<DistanceConstraint>(&c.what)) positions.push_back(rod->length);
    if (const auto* gear = std::get_if<GearConstraint>(&c.what))
      positions.insert(positions.end(), {gear->first_size, gear->second_size, gear->offset});
    if (const auto* e = std::get_if<ExpressionConstraint>(&c.what)) {
      NamesInText text(m);
      for (const Quantity& q : e->configuration) text.read(q);
      for (const std::string& name : text.names())
        if (inputs.contains(name)) used.insert(name);
    }
  }
  for (const Expr& s : symbols_of(positions))
    if (inputs.contains(s.name())) used.insert(s.name());
  return used;
}

class Lowering {
 public:
  Lowering(const Mechanism& mechanism, LoweredMechanism& lowered)
      : m_(mechanism),
        out_(lowered),
        s_(lowered.system),
        c_{m_, out_, s_, definitions_},
        specified_(find_specified(mechanism)) {}

  void run() {
    out_.warnings = check_mechanism(m_);
    for (const Table& table : m_.tables) declare_table(s_.graph(), table);
    for (const SymbolWithDefault& p : m_.parameters) s_.add_parameter(p.symbol.name(), p.value);
    for (const Expr& q : m_.all_coordinates()) s_.add_coordinate(q.name());
    for (const SymbolWithDefault& i : m_.inputs)
      if (specified_.contains(i.symbol.name())) s_.add_specified(i.symbol.name(), i.value);
    for (const StateQuantity& x : m_.states) with_place(x.where, [&] { s_.add_state(x.name); });
    set_dimensions();
    for (const NamedQuantity& e : m_.expressions) definitions_.define(e, "named expression");
    for (const NamedQuantity& o : m_.outputs) definitions_.define(o, "output");
    lower_tree(c_);
    check_states_stay_out_of_positions();
    find_rates();
    name_held_motions(false);
    add_speeds();
    name_held_motions(true);
    definitions_.renew();
    add_inputs();
    add_state_rates();
    add_auxiliaries();
    lower_loads(c_);
    lower_closing_joints(c_);
    lower_constraints(c_);
    lower_switching(c_);
    add_outputs();
    for (const ConstraintRecord& c : s_.constraints()) check_constraint(c);
  }

 private:
  /// Units that C++ programs give are for display: unknown ones are ignored.
  static std::optional<Dimension> find_dimension(const std::string& unit) {
    try {
      return parse_unit(unit).dimension;
    } catch (const ModelError&) {
      return std::nullopt;
    }
  }

  /// Sets the dimensions of symbols as far as the model tells them.
  void set_dimensions() {
    std::set<std::string> constant;
    for (const SymbolWithDefault& p : m_.parameters) constant.insert(p.symbol.name());
    for (const auto& [name, unit] : symbol_units(m_))
      if (const auto dimension = find_dimension(unit))
        definitions_.set_dimension(name, Dimensional::known(*dimension, !constant.contains(name)));
    // Parameters that are computed from others measure what their expressions do.
    const auto known = [&](std::string_view symbol) { return definitions_.dimension(symbol); };
    for (const SymbolWithDefault& p : m_.parameters) {
      if (definitions_.knows(p.symbol.name())) continue;
      const Dimensional inferred = infer_dimension(s_.graph().bind(p.value), known);
      definitions_.set_dimension(p.symbol.name(), inferred.is_number() ? Dimensional::open() : inferred);
    }
  }

  /// A locked or prescribed coordinate is not a coordinate of the system, but its name still means its value.
  void name_held_motions(bool accelerations) {
    for (std::size_t j = 0; j < m_.joints.size(); ++j)
      for (std::size_t i = 0; i < m_.joints[j].motions.size(); ++i) {
        const ElementaryMotion& motion = m_.joints[j].motions[i];
        if (motion.free || motion.held_coordinate.empty()) continue;
        const LoweredMotion& lowered = out_.joints[j].motions[i];
        const bool slides = motion.kind == MotionKind::Translation;
        const Dimensional value = Dimensional::known(slides ? kLength : kNone, true);
        const std::string &q = motion.held_coordinate, &u = motion.held_speed;
        definitions_.set(q, lowered.value, value);
        definitions_.set(q + "'", lowered.rate, rate(value));
        if (!u.empty()) definitions_.set(u, lowered.rate, rate(value));
        if (!accelerations) continue;
        const Expr acceleration = s_.time_derivative(lowered.rate);
        definitions_.set(q + "''", acceleration, rate(rate(value)));
        if (!u.empty()) definitions_.set(u + "'", acceleration, rate(rate(value)));
      }
  }

  void find_rates() {
    for (LoweredJoint& joint : out_.joints)
      for (LoweredMotion& motion : joint.motions)
        if (motion.kind != MotionKind::Ball) motion.rate = s_.time_derivative(motion.value);
  }

  // ---- speeds -------------------------------------------------------------------------------------------------------
  void add_speeds() {
    if (!m_.speeds.empty()) {
      std::vector<Expr> definitions;
      for (const NamedQuantity& u : m_.speeds) {
        const std::string what = fmt::format("the speed '{}'", u.name);
        definitions.push_back(read_scalar(u.value, c_.scope(), what));
        definitions_.set_dimension(u.name, read_quantity(u.value, c_.scope(), what).dimension);
      }
      for (std::size_t i = 0; i < m_.speeds.size(); ++i) s_.add_speed(m_.speeds[i].name, definitions[i]);
    } else {
      const std::map<std::string, Expr> definitions = joint_definitions();
      for (const Expr& u : m_.joint_speeds()) s_.add_speed(u.name(), definitions.at(u.name()));
    }
    std::vector<Expr> dependent;
    for (const std::string& u : m_.dependent_speeds) dependent.push_back(s_.graph().symbol(u));
    if (!dependent.empty()) with_place(m_.where, [&] { s_.set_dependent_speeds(std::move(dependent)); });
  }

  /// The joints' own speeds: rates of coordinates, and angular velocity in the frame behind a ball.
  [[nodiscard]] std::map<std::string, Expr> joint_definitions() const {
    std::map<std::string, Expr> definitions;
    for (std::size_t j = 0; j < m_.joints.size(); ++j) {
      const Joint& joint = m_.joints[j];
      if (joint.closing) continue;
      for (std::size_t i = 0; i < joint.motions.size(); ++i) {
        const LoweredMotion& motion = out_.joints[j].motions[i];
        const std::vector<Expr>& speeds = joint.motions[i].speeds;
        for (std::size_t k = 0; k < speeds.size(); ++k) {
          definitions[speeds[k].name()] =
              motion.kind == MotionKind::Ball ? s_.frames()[motion.to].quasi_rates[k] : motion.rate;
        }
      }
    }
    for (const MechanismBody& body : m_.bodies) {
      if (!body.flexible) continue;
      for (std::size_t i = 0; i < body.flexible->coordinates.size(); ++i)
        definitions[body.flexible->speeds[i].name()] = s_.rate(body.flexible->coordinates[i]);
    }
    for (const Expr& q : m_.extra_coordinates) definitions[speed_name(q.name())] = s_.rate(q);
    return definitions;
  }

  // ---- inputs -------------------------------------------------------------------------------------------------------
  // An input may follow a law in terms of the motion; the rates in it are replaced by speeds.
  void add_inputs() {
    std::map<std::string, Expr> laws;
    for (const NamedQuantity& law : m_.input_laws) {
      const bool known = std::any_of(m_.inputs.begin(), m_.inputs.end(),
                                     [&](const SymbolWithDefault& i) { return i.symbol.name() == law.name; });
      require_at(law.value.where, known, "there is a law for '{}', which is not an input", law.name);
      require_at(law.value.where, !specified_.contains(law.name),
                 "the input '{}' prescribes a motion, so it cannot follow a law of the motion", law.name);
      QuantityScope scope = c_.scope();
      scope.refuse_auxiliary = true;
      const auto dimension = definitions_.dimension(law.name).certain();
      const std::string unit = dimension ? si_unit(*dimension) : "";
      const Measure measure{"the unit of the input", dimension, unit};
      laws[law.name] = read_scalar(law.value, scope, fmt::format("the law of the input '{}'", law.name), measure);
      require_at(
          law.value.where, !accelerates(laws[law.name]),
          "the law of the input '{}' depends on accelerations; write them in the load itself, where terms linear "
          "in accelerations join the mass matrix",
          law.name);
    }
    if (!laws.empty()) {
      const Substitution to_speeds = form_kinematical_equations(s_).rates_to_speeds;
      for (auto& [name, value] : laws) value = substitute(value, to_speeds);
    }
    for (const SymbolWithDefault& i : m_.inputs) {
      if (specified_.contains(i.symbol.name())) continue;
      const auto law = laws.find(i.symbol.name());
      s_.add_input(i.symbol.name(), law == laws.end() ? i.value : law->second);
    }
  }

  [[nodiscard]] bool accelerates(const Expr& e) const {
    const std::vector<Expr> symbols = symbols_of({&e, 1});
    return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& symbol) {
      const auto kind = s_.find_kind(symbol.name());
      return kind == SymbolKind::SecondRate || kind == SymbolKind::Acceleration;
    });
  }

  // ---- states -------------------------------------------------------------------------------------------------------
  void add_state_rates() {
    for (const StateQuantity& x : m_.states) {
      QuantityScope scope = c_.scope();
      scope.refuse_auxiliary = true;
      const Expr rate = read_scalar(x.rate, scope, fmt::format("the rate of the state '{}'", x.name));
      require_at(x.rate.where, !accelerates(rate),
                 "the rate of the state '{}' depends on accelerations; it may depend on coordinates, speeds, states, "
                 "inputs, parameters and t",
                 x.name);
      check_rate_dimension(x, read_quantity(x.rate, scope, x.name).dimension);
      s_.set_state_rate(s_.graph().symbol(x.name), rate);
    }
  }

  /// A state whose initial value has a unit changes in that unit per second.
  void check_rate_dimension(const StateQuantity& x, const Dimensional& rate) const {
    const auto own = definitions_.knows(x.name) ? definitions_.dimension(x.name).certain() : std::nullopt;
    if (own && !rate.fits(*own / kTime))
      throw ModelError(x.rate.where,
                       fmt::format("the rate of the state '{}' is given {} ('{}'), but '{}' is {}; its rate is {}",
                                   x.name, given_words(rate.dimension), InfixText::printable(x.rate.text), x.name,
                                   given_words(*own), given_words(*own / kTime)));
  }

  [[nodiscard]] std::optional<std::string> find_state(std::span<const Expr> expressions) const {
    for (const Expr& symbol : symbols_of(expressions))
      if (s_.find_kind(symbol.name()) == SymbolKind::State) return symbol.name();
    return std::nullopt;
  }

  /// Velocities would depend on the rates of the states, whatever those depend on.
  void check_states_stay_out_of_positions() const {
    if (m_.states.empty()) return;
    std::vector<Expr> all;
    for (const PointRecord& p : s_.points())
      for (const Vector::Term& t : p.offset.terms()) all.insert(all.end(), t.c.begin(), t.c.end());
    for (std::size_t i = 1; i < s_.frames().size(); ++i)
      for (const Expr3& row : s_.frames()[FrameId(i)].rotation) all.insert(all.end(), row.begin(), row.end());
    if (const auto state = find_state(all))
      throw ModelError(m_.where, fmt::format("a position depends on the state '{}'; states may be used in loads, laws, "
                                             "events and outputs. Make it a coordinate, or a prescribed motion",
                                             *state));
  }

  void check_constraint(const ConstraintRecord& c) const {
    if (m_.states.empty()) return;
    std::vector<Expr> all{c.phi.value_or(Expr()), c.motion.value_or(Expr())};
    for (const Vector::Term& t : c.direction.terms()) all.insert(all.end(), t.c.begin(), t.c.end());
    if (const auto state = find_state(all))
      throw ModelError(
          Subject{Subject::Kind::Constraint, c.name},
          fmt::format(
              "the constraint '{}' depends on the state '{}'; states may be used in loads, laws, events and outputs",
              c.name, *state));
  }

  // ---- auxiliary speeds ---------------------------------------------------------------------------------------------
  void add_auxiliaries() {
    for (const AuxiliaryQuantity& a : m_.auxiliary) {
      const std::string what = fmt::format("the auxiliary speed '{}'", a.name);
      const Where& where = a.direction.empty() ? a.definition.where : a.direction.where;
      with_place(where, [&] {
        require((a.body.empty() ? 0 : 1) + (a.point.empty() ? 0 : 1) + (a.definition.empty() ? 0 : 1) == 1,
                "{} needs exactly one of: a body, a point, a definition", what);
        if (!a.definition.empty()) {
          s_.add_auxiliary_speed(a.name, read_scalar(a.definition, c_.scope(), what));
          return;
        }
        const Vector direction = unit_along(s_, read_vector(a.direction, c_.scope(), "the direction of " + what));
        if (!a.body.empty())
          s_.add_auxiliary_speed(a.name, out_.names.frame(a.body), direction);
        else
          s_.add_auxiliary_speed(a.name, moved_point(a.point), direction);
      });
    }
  }

  /// A point fixed in a body takes the whole body along: the body's origin moves, and everything located from it.
  [[nodiscard]] PointId moved_point(const std::string& name) const {
    const PointId p = out_.names.point(name);
    const PointRecord& record = s_.point(p);
    for (const auto& [body, origin] : out_.body_origins)
      if (record.parent == origin && body != m_.ground) return origin;
    return p;
  }

  // ---- outputs ------------------------------------------------------------------------------------------------------
  /// Also those that nothing uses are right.
  void check_expression(const NamedQuantity& e, const QuantityScope& scope) {
    require_at(e.value.where, !out_.names.has_point(e.name) && !out_.names.has_frame(e.name),
               "the named expression '{}' has the name of a point, body or frame", e.name);
    (void)read_quantity(e.value, scope, fmt::format("the named expression '{}'", e.name));
  }

  void add_outputs() {
    Graph& graph = s_.graph();
    out_.kinetic_symbol = graph.symbol("kinetic energy");
    out_.potential_symbol = graph.symbol("potential energy");
    GivenForceNames forces(m_, out_, GivenForceNames::For::Outputs);
    const QuantityScope scope = c_.force_scope(forces);
    const auto offer = [&](const char* name, const Expr& value) {
      if (!s_.find_kind(name)) definitions_.set(name, value, Dimensional::known(kTorque, true));
    };
    offer("kinetic", out_.kinetic_symbol);
    offer("potential", out_.potential_symbol);
    offer("energy", out_.kinetic_symbol + out_.potential_symbol);
    for (const NamedQuantity& e : m_.expressions) check_expression(e, scope);
    std::size_t position = 0;
    const auto add = [&](const std::string& name, const Expr& value) {
      if (depends_on(value, out_.kinetic_symbol) || depends_on(value, out_.potential_symbol))
        out_.energy_outputs.push_back({position, name, value});
      else
        s_.add_output(name, value);
      ++position;
    };
    for (const NamedQuantity& o : m_.outputs) {
      const QuantityValue value = read_quantity(o.value, scope, fmt::format("the output '{}'", o.name)).value;
      if (const auto* scalar = std::get_if<Expr>(&value)) {
        add(o.name, *scalar);
      } else if (const auto* vector = std::get_if<Vector>(&value)) {
        const Expr3 c = s_.frames().express(*vector, s_.inertial());
        for (std::size_t k = 0; k < 3; ++k) add(fmt::format("{}.{}", o.name, "xyz"[k]), c[k]);
      } else {
        throw ModelError(o.value.where,
                         fmt::format("the output '{}' is a dyadic; only scalars and vectors can be reported", o.name));
      }
    }
  }

  const Mechanism& m_;
  LoweredMechanism& out_;
  System& s_;
  QuantityDefinitions definitions_;
  LoweringContext c_;
  std::set<std::string> specified_;
};

}  // namespace

LoweredMechanism lower_mechanism(const Mechanism& mechanism) {
  require_bodies(mechanism, "frames, points or loads");
  LoweredMechanism lowered(System(mechanism.name, mechanism.graph, mechanism.ground, mechanism.ground));
  Lowering(mechanism, lowered).run();
  return lowered;
}

}  // namespace kane

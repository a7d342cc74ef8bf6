#include "kane/mechanism/given_forces.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/load_inertia.hpp"
#include "kane/mechanics/rank.hpp"
#include "kane/mechanism/report.hpp"

namespace kane {

// ---- naming ---------------------------------------------------------------------------------------------------------------

Expr GivenForceNames::symbol(GivenForce::Kind kind, std::string_view name, std::size_t axis) {
  for (const GivenForce& g : lowered_.given)
    if (g.kind == kind && g.name == name && g.axis == axis) return g.symbol;
  static constexpr const char* kFunctions[] = {"force", "reaction", "reaction_torque", "multiplier"};
  std::string text = fmt::format("{}({})", kFunctions[at(kind)], name);
  if (kind == GivenForce::Kind::Force || kind == GivenForce::Kind::Torque) text += fmt::format(".{}", "xyz"[axis]);
  lowered_.given.push_back({kind, std::string(name), axis, lowered_.system.add_given_force(text)});
  return lowered_.given.back().symbol;
}

Expr GivenForceNames::auxiliary(std::string_view name) { return symbol(GivenForce::Kind::Auxiliary, name, 0); }

Vector GivenForceNames::reaction(std::string_view joint, bool torque) {
  std::vector<std::string> known;
  for (const Joint& j : mechanism_.joints) known.push_back(j.name);
  require(std::find(known.begin(), known.end(), joint) != known.end(), "there is no joint '{}'{}", joint,
          suggestion(joint, known));
  const auto kind = torque ? GivenForce::Kind::Torque : GivenForce::Kind::Force;
  Expr3 c;
  for (std::size_t k = 0; k < 3; ++k) c[k] = symbol(kind, joint, k);
  return {lowered_.system.inertial(), c};
}

std::vector<std::string> GivenForceNames::groups() const {
  std::vector<std::string> known;
  for (const Constraint& c : mechanism_.constraints) known.push_back(c.name);
  for (const Joint& j : mechanism_.joints)
    if (j.closing) known.push_back(j.name);
  return known;
}

namespace {

/// A row is named after its constraint: "loop.x".
bool names_row(const std::vector<std::string>& groups, std::string_view row) {
  return std::any_of(groups.begin(), groups.end(),
                     [&](const std::string& group) { return row == group || row.starts_with(group + "."); });
}

}  // namespace

namespace {

/// A contact of the model, or a rule that has made several.
bool names_contact(const LoweredSwitching& s, std::string_view name) {
  const auto meant = [&](const std::string& own) {
    return own == name || (own.starts_with(name) && own[name.size()] == '.');
  };
  return std::any_of(s.contacts.begin(), s.contacts.end(), [&](const auto& c) { return meant(c.name); }) ||
         std::any_of(s.contact_pairs.begin(), s.contact_pairs.end(), [&](const auto& p) { return meant(p.name); });
}

}  // namespace

bool GivenForceNames::knows(std::string_view name) const {
  return mechanism_.find_joint(name) != nullptr || names_row(groups(), name) || names_contact(lowered_.switching, name);
}

void GivenForceNames::check_contact(std::string_view first, std::string_view second) const {
  require(use_ == For::Outputs,
          "contact({}{}{}) may stand in outputs only: the forces of contacts follow from the motion, and decide it",
          first, second.empty() ? "" : ", ", second);
  const LoweredSwitching& s = lowered_.switching;
  if (second.empty()) {
    if (names_contact(s, first)) return;
    std::vector<std::string> known;
    for (const ContactRule& rule : mechanism_.switching.contacts) known.push_back(rule.name);
    throw ModelError(fmt::format("there is no contact '{}'{}; between two bodies write contact(A, B)", first,
                                 suggestion(first, known)));
  }
  const auto is_pair = [&](std::string_view a, std::string_view b) {
    return (a == first && b == second) || (a == second && b == first);
  };
  for (const auto& c : s.contacts)
    if (c.place && is_pair(c.place->first, c.place->second)) return;
  for (const auto& p : s.contact_pairs)
    if (is_pair(s.contact_shapes[at(p.first)].name, s.contact_shapes[at(p.second)].name)) return;
  throw ModelError(fmt::format("nothing in 'contacts' lets '{}' and '{}' touch", first, second));
}

Expr GivenForceNames::contact(std::string_view first, std::string_view second, std::size_t part) {
  auto& sensors = lowered_.switching.sensors;
  auto sensor = std::find_if(sensors.begin(), sensors.end(),
                             [&](const auto& s) { return s.first == first && s.second == second; });
  if (sensor == sensors.end()) sensor = sensors.insert(sensors.end(), {std::string(first), std::string(second)});
  sensor->gap = sensor->gap || part == sensor_part::kGap;
  const std::string symbol = contact_sensor_symbol(*sensor, part);
  System& system = lowered_.system;
  return system.find_kind(symbol) ? system.graph().symbol(symbol) : system.add_given_force(symbol);
}

Expr GivenForceNames::multiplier(std::string_view row) {
  const std::vector<std::string> known = groups();
  require(names_row(known, row), "there is no constraint '{}'{}", row, suggestion(row, known));
  return symbol(GivenForce::Kind::Multiplier, row, 0);
}

Expr GivenForceNames::in_scalar(const Expr& e) {
  Substitution forces;
  for (const Expr& s : symbols_of({&e, 1}))
    if (lowered_.system.find_kind(s.name()) == SymbolKind::Auxiliary) forces.set(s, auxiliary(s.name()));
  return forces.empty() ? e : substitute(e, forces);
}

// ---- their values -----------------------------------------------------------------------------------------------------------

namespace {

class GivenForces {
 public:
  GivenForces(const LoweredMechanism& lowered, EquationsOfMotion& equations) : l_(lowered), e_(equations) {}

  void complete() {
    for (const GivenForce& g : l_.given) symbols_.push_back(g.symbol);
    form_values();
    take_unused();
    if (symbols_.empty() || eliminate()) return;
    add_rows();
  }

  /// After complete(): values of the symbols without a row.
  [[nodiscard]] Substitution eliminated() {
    for (const GivenForce& g : l_.given) symbols_.push_back(g.symbol);
    form_values();
    for (std::size_t i = symbols_.size(); i-- > 0;) {
      const bool row = std::any_of(e_.constraints.begin(), e_.constraints.end(),
                                   [&](const ConstraintEquation& c) { return c.multiplier == symbols_[i]; });
      if (!row) continue;
      symbols_.erase(symbols_.begin() + static_cast<std::ptrdiff_t>(i));
      values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    const std::size_t k = symbols_.size();
    Substitution result;
    ExprMatrix left(k, k);
    std::vector<Expr> right;
    for (std::size_t i = 0; i < k; ++i) {
      const auto a = find_affine(values_[i], symbols_);
      for (std::size_t j = 0; j < k; ++j) left(i, j) = Expr(i == j ? 1 : 0) - (a ? a->coefficients[j] : Expr());
      right.push_back(a ? a->remainder : values_[i]);
    }
    if (k == 0 || find_rank(left).rank() < left.rows) return result;
    const std::vector<Expr> x = LinearSolver(left).solve(right);
    for (std::size_t i = 0; i < k; ++i) result.set(symbols_[i], x[i]);
    return result;
  }

 private:
  void form_values() {
    const bool reactions = std::any_of(l_.given.begin(), l_.given.end(), [](const GivenForce& g) {
      return g.kind == GivenForce::Kind::Force || g.kind == GivenForce::Kind::Torque;
    });
    std::vector<JointWrench> wrenches;
    if (reactions) {
      const SpeedRates rates = form_speed_rates(l_.system);
      wrenches = form_joint_wrenches(l_, BodyMotion(l_, rates), rates, e_.constraints);
    }
    for (const GivenForce& g : l_.given) values_.push_back(value_of(g, wrenches));
  }

  [[nodiscard]] Expr value_of(const GivenForce& g, const std::vector<JointWrench>& wrenches) const {
    if (g.kind == GivenForce::Kind::Auxiliary) {
      for (const AuxiliaryForce& f : e_.auxiliary_forces)
        if (f.name == g.name) return f.value;
    } else if (g.kind == GivenForce::Kind::Multiplier) {
      std::vector<std::string> rows;
      for (const ConstraintEquation& c : e_.constraints) {
        if (c.name == g.name) return c.multiplier;
        if (c.group == g.name) rows.push_back(c.name);
      }
      std::string names;
      for (const std::string& row : rows) names += (names.empty() ? "" : ", ") + row;
      throw ModelError(fmt::format("the constraint '{}' has no single force; name one of its rows: {}", g.name,
                                   rows.empty() ? "it has none" : names));
    } else {
      for (const JointWrench& w : wrenches)
        if (l_.joints[w.joint].name == g.name) return (g.kind == GivenForce::Kind::Force ? w.force : w.torque)[g.axis];
    }
    throw ModelError(fmt::format("the force '{}' is not known", g.symbol.name()));
  }

  /// A function of the state alone.
  [[nodiscard]] bool is_known(const Expr& value) const {
    for (const Expr& s : symbols_of({&value, 1})) {
      const auto kind = l_.system.find_kind(s.name());
      if (kind == SymbolKind::Multiplier || kind == SymbolKind::Acceleration) return false;
    }
    return true;
  }

  /// Forces that only outputs name, and those known beforehand, are replaced by their values there.
  void take_unused() {
    std::vector<Expr> roots = values_;
    roots.insert(roots.end(), e_.rhs.begin(), e_.rhs.end());
    roots.insert(roots.end(), e_.inverse.begin(), e_.inverse.end());
    const std::vector<Expr> used = symbols_of(roots);
    Substitution plain;
    for (std::size_t i = symbols_.size(); i-- > 0;) {
      if (std::find(used.begin(), used.end(), symbols_[i]) != used.end() && !is_known(values_[i])) continue;
      plain.set(symbols_[i], values_[i]);
      symbols_.erase(symbols_.begin() + static_cast<std::ptrdiff_t>(i));
      values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (plain.empty()) return;
    for (int pass = 0; pass < 2; ++pass) {  // those of outputs may be written with those known beforehand
      put_in(plain);
      values_ = substitute(values_, plain);
    }
  }

  void put_in(const Substitution& known) {
    const auto replace = [&](std::vector<Expr>& list) { list = substitute(list, known); };
    replace(e_.rhs), replace(e_.inverse), replace(e_.active);
    for (ReactionOutput& r : e_.reactions)
      for (Expr3* c : {&r.force, &r.torque})
        for (Expr& x : *c) x = substitute(x, known);
    for (AuxiliaryForce& f : e_.auxiliary_forces) f.value = substitute(f.value, known);
    for (ScalarOutput& o : e_.outputs) o.value = substitute(o.value, known);
    if (e_.embedded) replace(e_.embedded->rhs), replace(e_.embedded->multipliers);
  }

  [[nodiscard]] bool depends_on_multipliers() const {
    const std::vector<Expr> used = symbols_of(values_);
    return std::any_of(e_.constraints.begin(), e_.constraints.end(), [&](const ConstraintEquation& c) {
      return std::find(used.begin(), used.end(), c.multiplier) != used.end();
    });
  }

  /// (1 - K) X = R_0 + G u'; false if the equations are not linear.
  [[nodiscard]] bool eliminate() {
    if (depends_on_multipliers() || e_.M.rows != e_.speed_count()) return false;
    std::vector<Expr> unknowns = symbols_;
    unknowns.insert(unknowns.end(), e_.udot.begin(), e_.udot.end());
    for (const Expr& r : e_.rhs)
      if (!find_affine(r, symbols_)) return false;
    const std::size_t k = symbols_.size();
    ExprMatrix left(k, k);
    std::vector<Expr> right;
    for (std::size_t i = 0; i < k; ++i) {
      const auto a = find_affine(values_[i], unknowns);
      if (!a) return false;
      for (std::size_t j = 0; j < k; ++j) left(i, j) = Expr(i == j ? 1 : 0) - a->coefficients[j];
      right.push_back(a->remainder);
      for (std::size_t j = 0; j < e_.udot.size(); ++j) right.back() += a->coefficients[k + j] * e_.udot[j];
    }
    require(find_rank(left).rank() == left.rows,
            "the loads of '{}' that depend on {} have no solution: the equations for these forces are singular",
            e_.name, symbols_.front().name());
    const std::vector<Expr> x = LinearSolver(left).solve(right);
    Substitution known;
    for (std::size_t i = 0; i < k; ++i) known.set(symbols_[i], x[i]);
    put_in(known);
    move_load_inertia(e_.udot, e_.M, e_.rhs);
    if (e_.embedded) move_load_inertia(e_.udot, *e_.embedded);
    e_.accelerating = true;
    e_.symmetric = is_symmetric(e_.M);
    e_.udot_explicit.clear();
    return true;
  }

  void add_rows() {
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
      ConstraintEquation row;
      row.name = row.group = symbols_[i].name();
      row.a.resize(e_.u.size());
      row.multiplier = symbols_[i];
      row.active = false;
      row.given = values_[i];
      e_.constraints.push_back(std::move(row));
    }
    e_.accelerating = true;
    e_.udot_explicit.clear();
    e_.embedded.reset();
  }

  const LoweredMechanism& l_;
  EquationsOfMotion& e_;
  std::vector<Expr> symbols_, values_;
};

}  // namespace

Substitution find_eliminated_forces(const LoweredMechanism& lowered, const EquationsOfMotion& equations) {
  if (lowered.given.empty()) return {};
  EquationsOfMotion copy = equations;
  return GivenForces(lowered, copy).eliminated();
}

void complete_given_forces(const LoweredMechanism& lowered, EquationsOfMotion& equations) {
  if (lowered.given.empty()) return;
  GivenForces(lowered, equations).complete();
  require(!equations.has_given_forces() || !equations.switched(),
          "the loads of '{}' depend on {}, nonlinearly or through constraints; that cannot be combined with contacts, "
          "friction, events or modes",
          equations.name, lowered.given.front().symbol.name());
}

}  // namespace kane

#include "kane/mechanics/derivation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kane/base/at.hpp"
#include "kane/expr/count.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/mechanics/formula_writer.hpp"
#include "kane/mechanics/spelled_motion.hpp"
#include "kane/mechanics/turn_words.hpp"

namespace kane {

namespace {

/// A table in plain text that is wider than this is written as a list.
constexpr std::size_t kWidestTable = 140;

class PageMaker {
 public:
  PageMaker(KaneDerivation& derivation, const DerivationPageOptions& options)
      : derivation_(derivation),
        system_(derivation.system()),
        equations_(derivation.equations()),
        options_(options),
        write_(system_, options.max_terms),
        motion_(derivation, write_) {}

  Page make() {
    if (equations_.u.empty() && equations_.states == 0) return make_equilibrium();
    page_.title = fmt::format("{}: equations of motion by Kane's method", system_.name());
    const bool all = options_.steps.empty();
    if (all) {
      page_.add_heading(1, "Equations of motion");
      equations();
      kinematics();
      constraints();
    }
    if (wants(1)) preliminaries();
    if (equations_.u.empty()) return finish_states();
    if (wants(2)) coordinates_and_speeds();
    if (wants(3) || wants(4)) velocities();
    if (wants(5)) accelerations();
    if (wants(6)) forces("6. Generalized inertia forces", "F*", "F^{*}", derivation_.inertia_forces());
    if (wants(7)) forces("7. Generalized active forces", "F", "F", derivation_.active_forces());
    if (wants(8)) {
      page_.add_heading(1, "8. Equations of motion");
      if (all)
        refer_to_equations();
      else
        equations(), constraints();
      reactions();
      counts();
    }
    for (const auto& warning : equations_.warnings) page_.add_text("Warning: " + warning);
    return std::move(page_);
  }

 private:
  /// Nothing is free to move: the balances that hold each part in its place remain of the equations.
  Page make_equilibrium() {
    page_.title = fmt::format("{}: equations of equilibrium", system_.name());
    if (wants(1)) preliminaries();
    if (wants(8)) {
      page_.add_heading(1, "Equations of equilibrium");
      page_.add_text(
          "Nothing is free to move, so there are no generalized speeds and no equations of motion. The forces on "
          "everything "
          "beyond each joint, with inertia forces if a motion is prescribed, are in balance:");
      reactions();
    }
    for (const auto& warning : equations_.warnings) page_.add_text("Warning: " + warning);
    return std::move(page_);
  }

  /// There are states and nothing that moves: of the steps, only the first and the last have anything to say.
  Page finish_states() {
    if (wants(8) && !options_.steps.empty()) {
      page_.add_heading(1, "8. Equations of motion");
      kinematics();
    }
    if (wants(8)) reactions();
    for (const auto& warning : equations_.warnings) page_.add_text("Warning: " + warning);
    return std::move(page_);
  }

  [[nodiscard]] bool wants(int step) const {
    return options_.steps.empty() ||
           std::find(options_.steps.begin(), options_.steps.end(), step) != options_.steps.end();
  }

  Formula form(const Expr& e) { return write_.form(e); }

  /// Adds equations, preceded by the intermediate variables they are the first to use.
  void add(std::vector<Formula> rows) {
    const std::size_t fresh = write_.definitions_waiting(), shown = write_.definitions_taken();
    std::vector<Formula> definitions = write_.take_definitions();
    const std::string names = fmt::format("Z{} to Z{}", shown + 1, shown + fresh);
    if (fresh > options_.max_abbreviations)
      page_.add_text(
          fmt::format("({} intermediate variables {} are not shown; kane export writes them as code.)", fresh, names));
    else if (fresh >= options_.folded_abbreviations)
      page_.add_formulas(std::move(definitions), fmt::format("{} intermediate variables, {}", fresh, names));
    else
      page_.add_formulas(std::move(definitions));
    page_.add_equations(std::move(rows));
  }

  // ---- units ------------------------------------------------------------------------------------------------------------
  [[nodiscard]] std::string unit_of(const Expr& symbol) const {
    const auto found = options_.units.find(symbol.name());
    return found == options_.units.end() ? std::string() : found->second;
  }

  /// "q1, q2 (rad), x (m)": every unit behind the last of the names in a row that have it.
  [[nodiscard]] Formula names_with_units(const std::vector<Expr>& symbols) const {
    Formula list;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const std::string unit = unit_of(symbols[i]), comma = i == 0 ? "" : ", ";
      list.text += comma + symbols[i].name();
      list.latex += comma + "$" + latex_name(symbols[i].name()) + "$";
      const bool last = i + 1 == symbols.size() || unit_of(symbols[i + 1]) != unit;
      if (!last || unit.empty()) continue;
      list.text += " (" + unit + ")";
      list.latex += " ($" + unit_formula(unit).latex + "$)";
    }
    return list;
  }

  /// Symbols with their values and units.
  void add_values(const char* what, const char* value, const std::vector<SymbolWithDefault>& list) {
    if (list.empty()) return;
    PageTable table{{words(what), words(value), words("unit")}, {}};
    bool known = false;
    for (const auto& p : list) {
      known = known || !unit_of(p.symbol).empty();
      table.rows.push_back({write_.symbol(p.symbol), write_.value(p.value), unit_formula(unit_of(p.symbol))});
    }
    if (!known) {
      table.header.pop_back();
      for (auto& row : table.rows) row.pop_back();
    }
    page_.add_table(std::move(table));
  }

  // ---- the steps ------------------------------------------------------------------------------------------------------
  void preliminaries() {
    page_.add_heading(1, "1. Preliminaries");
    PageTable bodies{{words("body"), words("mass, kg"), words("mass centre"),
                      Formula{"central inertia, kg*m^2", "\\text{central inertia, }" + unit_formula("kg*m^2").latex}},
                     {}};
    for (const auto& body : system_.bodies()) {
      if (is_massless(body)) continue;
      Formula inertia = words(body.is_particle() ? "particle" : "none");
      if (body.inertia && !body.inertia->is_zero()) inertia = write_.dyadic(*body.inertia);
      bodies.rows.push_back({words(body.name), body.mass ? write_.value(*body.mass) : words("none"),
                             words(system_.point(body.mass_centre).name), inertia});
    }
    if (!bodies.rows.empty()) page_.add_table(std::move(bodies));
    add_values("parameter", "value", equations_.parameters);
    add_values("input", "value unless driven", equations_.inputs);
    orientations();
    std::vector<Formula> positions;
    for (std::size_t i = 1; i < system_.points().size(); ++i) {
      const PointRecord& p = system_.points()[i];
      if (!p.parent.valid() || p.carrier.valid() || p.offset.is_zero()) continue;
      const std::string& from = system_.point(p.parent).name;
      positions.push_back(equation({fmt::format("p({}, {})", from, p.name),
                                    fmt::format("\\mathbf{{p}}^{{{}\\,{}}}", latex_label(from), latex_label(p.name))},
                                   write_.vector(p.offset)));
    }
    add(std::move(positions));
  }

  /// How each frame is turned relative to the one it is stated from.
  void orientations() {
    PageTable frames{{words("frame"), words("relative to"), words("turned by")}, {}};
    for (std::size_t i = 1; i < system_.frames().size(); ++i) {
      const Frames::Frame& f = system_.frames()[FrameId(i)];
      if (f.hidden || !f.parent.valid()) continue;
      FrameId from(i);
      Formula turns;
      do {  // through the intermediate frames of a sequence
        const Frames::Frame& edge = system_.frames()[from];
        const Formula turn = describe_turn(edge, write_);
        turns = turns.text.empty() ? turn : Formula{turn.text + ", " + turns.text, turn.latex + ",\\;" + turns.latex};
        from = edge.parent;
      } while (system_.frames()[from].hidden);
      frames.rows.push_back({words(f.name), words(system_.frames().name(from)), turns});
    }
    if (!frames.rows.empty()) page_.add_table(std::move(frames));
  }

  static bool is_massless(const BodyRecord& body) {
    return (!body.mass || body.mass->is_zero()) && (!body.inertia || body.inertia->is_zero());
  }

  /// The mass centre of a body without mass is of no interest to the reader.
  [[nodiscard]] bool is_idle(const PartialVelocityRow& row) const {
    if (row.angular) return false;
    for (const auto& body : system_.bodies())
      if (is_massless(body) && system_.point(body.mass_centre).name == row.name) return true;
    return false;
  }

  void coordinates_and_speeds() {
    page_.add_heading(1, "2. Generalized coordinates and speeds");
    std::vector<Expr> states;
    for (const auto& x : system_.states()) states.push_back(x.symbol);
    const Formula q = names_with_units(system_.coordinates()), all_u = names_with_units(equations_.u);
    const Formula more = names_with_units(states);
    const auto sentence = [&](const std::string& coordinates, const std::string& further, const std::string& speeds) {
      return fmt::format("Generalized coordinates: {}.{} Generalized speeds: {}, by definition:", coordinates,
                         further.empty() ? "" : fmt::format(" Further states: {}.", further), speeds);
    };
    page_.add_text(sentence(q.text, more.text, all_u.text), sentence(q.latex, more.latex, all_u.latex));
    std::vector<Formula> rows;
    for (const auto& u : system_.speeds()) rows.push_back(equation(write_.symbol(u.symbol), form(u.definition)));
    add(std::move(rows));
    if (!options_.steps.empty()) return kinematics();
    page_.add_text(fmt::format("Solved for the derivatives of the coordinates, they are {}.", numbers_of(kinematics_)));
  }

  void kinematics() {
    bool trivial = true;
    for (std::size_t i = 0; i < equations_.q.size(); ++i) trivial = trivial && equations_.qdot[i].is_symbol();
    if (equations_.u.empty())
      page_.add_text("Differential equations of the states:");
    else if (!trivial || options_.steps.empty())
      page_.add_text("Kinematical differential equations:");
    kinematics_.first = page_.equations + 1;
    std::vector<Formula> rows;
    for (std::size_t i = 0; i < equations_.q.size(); ++i) {
      const std::string dot = equations_.q[i].name() + "'";
      rows.push_back(equation({dot, latex_name(dot)}, form(equations_.qdot[i])));
    }
    add(std::move(rows));
    kinematics_.second = page_.equations;
  }

  using Numbers = std::pair<std::size_t, std::size_t>;
  static std::string numbers_of(const Numbers& n) {
    return n.first == n.second
               ? fmt::format("equation ({})", n.first)
               : fmt::format("equations ({}) {} ({})", n.first, n.second == n.first + 1 ? "and" : "to", n.second);
  }

  /// A velocity, its name, and what to write for it.
  struct Row {
    std::string name;
    Formula symbol;
    Vector value;
  };

  static Formula label(const char* text, const char* latex, const std::string& name) {
    return {fmt::format("{}({})", text, name), fmt::format("{}^{{{}}}", latex, latex_label(name))};
  }

  std::vector<Row> form_velocity_rows() {
    std::vector<Row> rows;
    for (const PartialVelocityRow& row : derivation_.partial_velocity_table()) {
      if (is_idle(row)) continue;
      if (row.angular) {
        rows.push_back({row.name, label("omega", "\\boldsymbol{\\omega}", row.name),
                        motion_.angular_velocity(system_.frame(row.name))});
      } else {
        rows.push_back({row.name, label("v", "\\mathbf{v}", row.name), motion_.velocity(system_.point(row.name))});
      }
    }
    return rows;
  }

  void velocities() {
    const std::vector<Row> table = form_velocity_rows();
    page_.add_heading(1, "3. Velocities");
    std::vector<Formula> rows;
    for (const Row& row : table) rows.push_back(equation(row.symbol, write_.vector(row.value)));
    add(std::move(rows));
    page_.add_heading(1, "4. Partial velocities");
    partial_velocities(table);
  }

  void partial_velocities(const std::vector<Row>& table) {
    PageTable partials{{words("r")}, {}};
    std::vector<std::size_t> widths{8};
    for (const Row& row : table) {
      partials.header.push_back({row.symbol.text + "_r", row.symbol.latex + "_{r}"});
      widths.push_back(partials.header.back().text.size());
    }
    for (int r = 0; r < equations_.speed_count(); ++r) {
      const Formula u = write_.symbol(equations_.u[at(r)]);
      std::vector<Formula> cells{
          {std::to_string(r + 1) + " (" + u.text + ")", std::to_string(r + 1) + "\\;(" + u.latex + ")"}};
      for (const Row& row : table) {
        cells.push_back(write_.vector(motion_.partial(row.value, r)));
        widths[cells.size() - 1] = std::max(widths[cells.size() - 1], cells.back().text.size());
      }
      partials.rows.push_back(std::move(cells));
    }
    if (std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) <= kWidestTable) {
      add({});
      page_.add_table(std::move(partials));
      return;
    }
    page_.add_text("Those that are not zero:");
    std::vector<Formula> rows;
    for (std::size_t c = 0; c < table.size(); ++c) {
      for (std::size_t r = 0; r < partials.rows.size(); ++r) {
        const Formula& value = partials.rows[r][c + 1];
        if (value.text == "0") continue;
        rows.push_back(equation(
            {fmt::format("{}_{}", table[c].symbol.text, r + 1), fmt::format("{}_{{{}}}", table[c].symbol.latex, r + 1)},
            value));
      }
    }
    add(std::move(rows));
  }

  void accelerations() {
    page_.add_heading(1, "5. Accelerations");
    std::vector<Formula> rows;
    for (const auto& body : system_.bodies()) {
      if (is_massless(body)) continue;
      if (!body.is_particle() && body.inertia && !body.inertia->is_zero()) {
        rows.push_back(equation(label("alpha", "\\boldsymbol{\\alpha}", body.name),
                                write_.vector(motion_.angular_acceleration(body.frame))));
      }
      if (!body.mass || body.mass->is_zero()) continue;
      rows.push_back(equation(label("a", "\\mathbf{a}", system_.point(body.mass_centre).name),
                              write_.vector(motion_.acceleration(body.mass_centre))));
    }
    add(std::move(rows));
  }

  void forces(const std::string& title, const std::string& text, const std::string& latex,
              const std::vector<Expr>& values) {
    page_.add_heading(1, title);
    std::vector<Formula> rows;
    for (std::size_t r = 0; r < values.size(); ++r)
      rows.push_back(
          equation({fmt::format("{}_{}", text, r + 1), fmt::format("{}_{{{}}}", latex, r + 1)}, form(values[r])));
    add(std::move(rows));
  }

  void equations() {
    dynamics_ = {page_.equations + 1, page_.equations};
    if (equations_.u.empty()) return;
    page_.add_text("F_r + F*_r = 0 for each speed, solved for the terms in the derivatives of the speeds, M u' = rhs:",
                   "$F_{r} + F^{*}_{r} = 0$ for each speed, solved for the terms in the derivatives of the speeds, "
                   "$\\mathbf{M}\\,\\dot{\\mathbf{u}} = \\mathrm{rhs}$:");
    dynamics_.first = page_.equations + 1;
    std::vector<Formula> rows;
    for (int r = 0; r < equations_.speed_count(); ++r) {
      Expr left;
      for (int s = 0; s < equations_.speed_count(); ++s) left += equations_.M(r, s) * equations_.udot[at(s)];
      rows.push_back(equation(form(left), form(equations_.rhs[at(r)])));
    }
    add(std::move(rows));
    dynamics_.second = page_.equations;
  }

  void refer_to_equations() {
    const bool one = equations_.speed_count() == 1;
    const std::string rest = fmt::format(", {} of steps 6 and 7, {} {}.", one ? "the sum" : "the sums",
                                         one ? "is" : "are", numbers_of(dynamics_));
    const std::string last = one ? "" : fmt::format(" to {}", equations_.speed_count());
    page_.add_text(fmt::format("F_r + F*_r = 0 for r = 1{}{}", last, rest),
                   fmt::format("$F_{{r}} + F^{{*}}_{{r}} = 0$ for $r = 1${}{}", last, rest));
  }

  void constraints() {
    if (equations_.constraints.empty()) return;
    page_.add_heading(2, "Constraints");
    std::vector<Formula> rows;
    std::vector<std::string> switched;
    for (const auto& c : equations_.constraints) {
      if (!c.active && options_.switched_rows.contains(c.name)) {
        switched.push_back(c.name);
        continue;
      }
      Expr sum = c.b;
      for (std::size_t r = 0; r < c.a.size(); ++r) sum += c.a[r] * equations_.u[r];
      Formula row = equation(form(sum), {"0", "0"});
      row.text += "    (" + c.name + (c.redundant ? ", redundant)" : c.active ? ")" : ", not active)");
      row.latex += "\\qquad(" + latex_label(c.name) + ")";
      rows.push_back(std::move(row));
    }
    add(std::move(rows));
    if (!switched.empty())
      page_.add_text(
          fmt::format("Contacts, stops and frictions add constraints while they hold: {}.", fmt::join(switched, ", ")));
    if (!equations_.embedded) return;
    const auto& e = *equations_.embedded;
    page_.add_text("Dependent speeds:");
    rows.clear();
    std::vector<Expr> values;
    for (std::size_t i = 0; i < e.dependent.size(); ++i) {
      Expr sum = e.E[i];
      for (std::size_t j = 0; j < e.independent.size(); ++j)
        sum += e.D(static_cast<int>(i), static_cast<int>(j)) * equations_.u[at(e.independent[j])];
      rows.push_back(equation(write_.symbol(equations_.u[at(e.dependent[i])]), form(sum)));
      values.push_back(sum);
    }
    add(std::move(rows));
    rows.clear();
    if (e.independent.empty()) {
      page_.add_text("No speed is independent. The equations M u' = rhs + A^T lambda give the constraint forces:");
      for (std::size_t i = 0; i < e.rows.size(); ++i)
        rows.push_back(
            equation(write_.symbol(equations_.constraints[at(e.rows[i])].multiplier), form(e.multipliers[i])));
      add(std::move(rows));
      return;
    }
    page_.add_text("Constrained equations, by recombination (Buffinton 6.67):");
    Substitution dependent, vanishing;
    for (std::size_t i = 0; i < e.dependent.size(); ++i) {
      dependent.set(equations_.u[at(e.dependent[i])], values[i]);
      if (values[i].is_zero()) vanishing.set(equations_.u[at(e.dependent[i])], values[i]);
    }
    for (int r = 0; r < e.M.rows; ++r) {
      Expr left;
      for (int s = 0; s < e.M.columns; ++s) left += e.M(r, s) * equations_.udot[at(e.independent[at(s)])];
      const Expr rhs = substitute(e.rhs[at(r)], vanishing);
      const Formula right = write_.shorter(rhs, substitute(rhs, dependent));
      rows.push_back(equation(form(left), right));
    }
    add(std::move(rows));
  }

  /// Forces found by auxiliary speeds, and the reactions that were requested.
  void reactions() {
    const bool auxiliary = !equations_.auxiliary_forces.empty() || !equations_.reactions.empty();
    if (!auxiliary && options_.joint_reactions.empty()) return;
    page_.add_heading(1, "Constraint forces and reactions");
    if (auxiliary) page_.add_text("By auxiliary generalized speeds; none of these appears in the equations of motion.");
    std::vector<Formula> rows;
    for (const AuxiliaryForce& f : equations_.auxiliary_forces) {
      rows.push_back(equation({f.name, latex_label(f.name)}, form(f.value)));
    }
    add(std::move(rows));
    for (const ReactionOutput& r : equations_.reactions) reaction(r);
    if (options_.joint_reactions.empty()) return;
    page_.add_text(
        "Joint reactions: everything that the inner body transmits to the outer one, by the balance of forces and "
        "moments of everything beyond the joint.");
    for (const ReactionOutput& r : options_.joint_reactions) reaction(r);
  }

  void reaction(const ReactionOutput& r) {
    page_.add_text(
        fmt::format("Reaction {}: force at {} on the outer body and torque about that point, components in {}:", r.name,
                    r.point, r.frame));
    std::vector<Formula> rows;
    const auto list = [&](const char* text, const char* latex, const Expr3& c) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (c[k].is_zero()) continue;
        rows.push_back(
            equation({fmt::format("{}.{}", text, "xyz"[k]), fmt::format("{}_{{{}}}", latex, k + 1)}, form(c[k])));
      }
    };
    list("force", "f", r.force);
    list("torque", "\\tau", r.torque);
    if (rows.empty()) page_.add_text("(none)");
    add(std::move(rows));
  }

  void counts() {
    page_.add_heading(1, "Operations");
    std::vector<Expr> state = equations_.q;
    state.insert(state.end(), equations_.u.begin(), equations_.u.end());
    state.push_back(equations_.t);
    for (const auto& input : equations_.inputs) state.push_back(input.symbol);
    std::vector<Expr> outputs = equations_.rhs;
    outputs.insert(outputs.end(), equations_.M.entries.begin(), equations_.M.entries.end());
    page_.add_text(fmt::format(
        "M and rhs together, every common part counted once, without work that depends on parameters only: {}.",
        count_operations(outputs, state).to_string()));
    if (!equations_.embedded) return;
    outputs = equations_.embedded->rhs;
    const auto& entries = equations_.embedded->M.entries;
    outputs.insert(outputs.end(), entries.begin(), entries.end());
    page_.add_text(fmt::format("Constrained M and rhs: {}.", count_operations(outputs, state).to_string()));
  }

  KaneDerivation& derivation_;
  const System& system_;
  const EquationsOfMotion& equations_;
  DerivationPageOptions options_;
  Page page_;
  FormulaWriter write_;
  SpelledMotion motion_;
  Numbers dynamics_, kinematics_;  ///< first and last number of these equations
};

}  // namespace

Page form_derivation_page(KaneDerivation& derivation, const DerivationPageOptions& options) {
  return PageMaker(derivation, options).make();
}

}  // namespace kane

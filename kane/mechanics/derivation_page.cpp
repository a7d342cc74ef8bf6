#include "kane/mechanics/derivation_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "kane/expr/abbreviate.hpp"
#include "kane/expr/count.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/print.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

namespace {

constexpr const char* kAxisNames[] = {"x", "y", "z"};

/// "A.x" as a_1 of A, in bold.
std::string latex_unit_vector(const std::string& frame, std::size_t axis) {
  std::string lower;
  for (const char c : frame) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return fmt::format("\\mathbf{{{}}}_{{{}}}", lower.size() == 1 ? lower : "\\mathrm{" + lower + "}", axis + 1);
}

bool is_sum(const std::string& text) {
  // A sign at depth zero after the first character.
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == '}') --depth;
    if (depth == 0 && i > 0 && (text[i] == '+' || text[i] == '-') && text[i - 1] == ' ') return true;
  }
  return false;
}

class PageMaker {
 public:
  PageMaker(KaneDerivation& derivation, const DerivationPageOptions& options)
      : derivation_(derivation), system_(derivation.system()), equations_(derivation.equations()), options_(options) {}

  Page make() {
    page_.title = fmt::format("{}: equations of motion by Kane's method", system_.name());
    if (wants(1)) preliminaries();
    if (wants(2)) coordinates_and_speeds();
    if (wants(3) || wants(4)) velocities();
    if (wants(5)) accelerations();
    if (wants(6)) forces("6. Generalized inertia forces", "F*", "F^{*}", derivation_.inertia_forces());
    if (wants(7)) forces("7. Generalized active forces", "F", "F", derivation_.active_forces());
    if (wants(8)) {
      equations();
      constraints();
      counts();
    }
    for (const auto& warning : equations_.warnings) page_.add_text("Warning: " + warning);
    return std::move(page_);
  }

 private:
  [[nodiscard]] bool wants(int step) const {
    return options_.steps.empty() ||
           std::find(options_.steps.begin(), options_.steps.end(), step) != options_.steps.end();
  }

  // ---- formulas -----------------------------------------------------------------------------------------------------
  /// The textbook form, or one with intermediate variables, whose definitions wait in abbreviations_.
  Formula form(const Expr& e) {
    const Literal textbook = literal(e, {.max_terms = options_.max_terms});
    if (!textbook.too_long) return {textbook.text, textbook.latex};
    const Expr shorter = abbreviations_.shorten({&e, 1}).front();
    return {to_text(shorter), to_latex(shorter)};
  }

  static Formula equation(const Formula& left, const Formula& right) {
    return {left.text + " = " + right.text, left.latex + " = " + right.latex};
  }

  Formula symbol(const Expr& s) { return {s.name(), latex_name(s.name())}; }

  Formula vector(const Vector& v) {
    Formula sum;
    for (const auto& term : v.terms()) {
      for (std::size_t k = 0; k < 3; ++k) {
        if (term.c[k].is_zero()) continue;
        Formula c = form(term.c[k]);
        const bool minus = c.text.starts_with('-') && !is_sum(c.text);
        if (minus) c.text.erase(0, 1), c.latex.erase(0, 1);
        if (is_sum(c.text)) c.text = "(" + c.text + ")", c.latex = "\\left(" + c.latex + "\\right)";
        const std::string frame = system_.frames().name(term.frame);
        const bool one = c.text == "1";
        const std::string sign = sum.text.empty() ? (minus ? "-" : "") : (minus ? " - " : " + ");
        sum.text += sign + (one ? "" : c.text + " ") + frame + "." + kAxisNames[k];
        sum.latex += sign + (one ? "" : c.latex + "\\,") + latex_unit_vector(frame, k);
      }
    }
    if (sum.text.empty()) sum = {"0", "0"};
    return sum;
  }

  /// Adds formulas, preceded by the intermediate variables they are the first to use.
  void add(std::vector<Formula> rows) {
    const auto& definitions = abbreviations_.definitions();
    const std::size_t fresh = definitions.size() - shown_;
    if (fresh > options_.max_abbreviations) {
      page_.add_text(
          fmt::format("({} intermediate variables Z{} to Z{} are not shown; kane export writes them as code.)", fresh,
                      shown_ + 1, definitions.size()));
    } else if (fresh > 0) {
      std::vector<Formula> named;
      for (; shown_ < definitions.size(); ++shown_) {
        const auto& d = definitions[shown_];
        named.push_back({d.name + " = " + to_text(d.value), latex_name(d.name) + " = " + to_latex(d.value)});
      }
      page_.add_formulas(std::move(named));
    }
    shown_ = definitions.size();
    page_.add_formulas(std::move(rows));
  }

  // ---- the steps ------------------------------------------------------------------------------------------------------
  void preliminaries() {
    page_.add_heading(1, "1. Preliminaries");
    PageTable bodies{{words("body"), words("mass"), words("mass centre"), words("central inertia")}, {}};
    for (const auto& body : system_.bodies()) {
      if (is_massless(body)) continue;
      Formula inertia = words(body.is_particle() ? "particle" : "none");
      if (body.inertia && !body.inertia->is_zero()) inertia = dyadic(*body.inertia);
      bodies.rows.push_back({words(body.name), body.mass ? form(*body.mass) : words("none"),
                             words(system_.point(body.mass_centre).name), inertia});
    }
    if (!bodies.rows.empty()) page_.add_table(std::move(bodies));
    if (!equations_.parameters.empty()) {
      PageTable parameters{{words("parameter"), words("value")}, {}};
      for (const auto& p : equations_.parameters) parameters.rows.push_back({symbol(p.symbol), form(p.value)});
      page_.add_table(std::move(parameters));
    }
    if (!equations_.inputs.empty()) {
      PageTable inputs{{words("input"), words("value unless driven")}, {}};
      for (const auto& p : equations_.inputs) inputs.rows.push_back({symbol(p.symbol), form(p.value)});
      page_.add_table(std::move(inputs));
    }
    std::vector<Formula> positions;
    for (std::size_t i = 1; i < system_.points().size(); ++i) {
      const PointRecord& p = system_.points()[i];
      if (!p.parent.valid() || p.carrier.valid() || p.offset.is_zero()) continue;
      const std::string& from = system_.point(p.parent).name;
      positions.push_back(equation(
          {fmt::format("p({}, {})", from, p.name), fmt::format("\\mathbf{{p}}^{{\\mathrm{{{} {}}}}}", from, p.name)},
          vector(p.offset)));
    }
    add(std::move(positions));
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

  Formula dyadic(const Dyadic& d) {
    Formula sum;
    for (const auto& term : d.terms())
      for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t j = 0; j < 3; ++j) {
          if (term.c[i][j].is_zero()) continue;
          const std::string frame = system_.frames().name(term.frame);
          const Formula c = form(term.c[i][j]);
          const bool brackets = is_sum(c.text);
          if (!sum.text.empty()) sum.text += " + ", sum.latex += " + ";
          sum.text += fmt::format("{}{}{} {}.{} {}.{}", brackets ? "(" : "", c.text, brackets ? ")" : "", frame,
                                  kAxisNames[i], frame, kAxisNames[j]);
          sum.latex += fmt::format("{}{}{}\\,{}{}", brackets ? "\\left(" : "", c.latex, brackets ? "\\right)" : "",
                                   latex_unit_vector(frame, i), latex_unit_vector(frame, j));
        }
    return sum;
  }

  void coordinates_and_speeds() {
    page_.add_heading(1, "2. Generalized coordinates and speeds");
    std::string names;
    for (const auto& q : equations_.q) names += (names.empty() ? "" : ", ") + q.name();
    page_.add_text(fmt::format("Generalized coordinates: {}. Generalized speeds, by definition:", names));
    std::vector<Formula> rows;
    for (const auto& u : system_.speeds()) rows.push_back(equation(symbol(u.symbol), form(u.definition)));
    add(std::move(rows));
    bool trivial = true;
    for (std::size_t i = 0; i < equations_.q.size(); ++i) trivial = trivial && equations_.qdot[i].is_symbol();
    if (!trivial) page_.add_text("Kinematical differential equations:");
    std::vector<Formula> kinematics;
    for (std::size_t i = 0; i < equations_.q.size(); ++i) {
      const std::string dot = equations_.q[i].name() + "'";
      kinematics.push_back(equation({dot, latex_name(dot)}, form(equations_.qdot[i])));
    }
    add(std::move(kinematics));
  }

  Formula velocity_name(const PartialVelocityRow& row) {
    if (row.angular)
      return {fmt::format("omega({})", row.name), fmt::format("\\mathbf{{\\omega}}^{{\\mathrm{{{}}}}}", row.name)};
    return {fmt::format("v({})", row.name), fmt::format("\\mathbf{{v}}^{{\\mathrm{{{}}}}}", row.name)};
  }

  void velocities() {
    page_.add_heading(1, "3. Velocities");
    auto table = derivation_.partial_velocity_table();
    std::erase_if(table, [&](const auto& row) { return is_idle(row); });
    std::vector<Formula> rows;
    for (const auto& row : table) {
      Vector v = row.remainder;
      for (std::size_t r = 0; r < row.partials.size(); ++r) v += row.partials[r] * equations_.u[r];
      rows.push_back(equation(velocity_name(row), vector(v)));
    }
    add(std::move(rows));

    page_.add_heading(1, "4. Partial velocities");
    PageTable partials{{words("r")}, {}};
    for (const auto& row : table) {
      Formula name = velocity_name(row);
      partials.header.push_back({name.text + "_r", name.latex + "_{r}"});
    }
    for (std::size_t r = 0; r < equations_.u.size(); ++r) {
      std::vector<Formula> cells{{std::to_string(r + 1) + " (" + equations_.u[r].name() + ")",
                                  std::to_string(r + 1) + "\\;(" + latex_name(equations_.u[r].name()) + ")"}};
      for (const auto& row : table) cells.push_back(vector(row.partials[r]));
      partials.rows.push_back(std::move(cells));
    }
    add({});
    page_.add_table(std::move(partials));
  }

  void accelerations() {
    page_.add_heading(1, "5. Accelerations");
    std::vector<Formula> rows;
    for (const auto& body : system_.bodies()) {
      if (is_massless(body)) continue;
      if (!body.is_particle() && body.inertia && !body.inertia->is_zero())
        rows.push_back(equation(
            {fmt::format("alpha({})", body.name), fmt::format("\\mathbf{{\\alpha}}^{{\\mathrm{{{}}}}}", body.name)},
            vector(derivation_.angular_acceleration(body.frame))));
      const std::string& centre = system_.point(body.mass_centre).name;
      rows.push_back(equation({fmt::format("a({})", centre), fmt::format("\\mathbf{{a}}^{{\\mathrm{{{}}}}}", centre)},
                              vector(derivation_.acceleration(body.mass_centre))));
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
    page_.add_heading(1, "8. Equations of motion");
    page_.add_text("F_r + F*_r = 0 for each speed, solved for the terms in the derivatives of the speeds, M u' = rhs:");
    std::vector<Formula> rows;
    for (int r = 0; r < equations_.speed_count(); ++r) {
      Expr left;
      for (int s = 0; s < equations_.speed_count(); ++s)
        left += equations_.M(r, s) * equations_.udot[static_cast<std::size_t>(s)];
      rows.push_back(equation(form(left), form(equations_.rhs[static_cast<std::size_t>(r)])));
    }
    add(std::move(rows));
  }

  void constraints() {
    if (equations_.constraints.empty()) return;
    page_.add_heading(1, "Constraints");
    std::vector<Formula> rows;
    for (const auto& c : equations_.constraints) {
      Expr sum = c.b;
      for (std::size_t r = 0; r < c.a.size(); ++r) sum += c.a[r] * equations_.u[r];
      rows.push_back(equation(form(sum), {"0", "0"}));
    }
    add(std::move(rows));
    if (!equations_.embedded) return;
    const auto& e = *equations_.embedded;
    page_.add_text("Dependent speeds:");
    rows.clear();
    for (std::size_t i = 0; i < e.dependent.size(); ++i) {
      Expr sum = e.E[i];
      for (std::size_t j = 0; j < e.independent.size(); ++j)
        sum += e.D(static_cast<int>(i), static_cast<int>(j)) * equations_.u[static_cast<std::size_t>(e.independent[j])];
      rows.push_back(equation(symbol(equations_.u[static_cast<std::size_t>(e.dependent[i])]), form(sum)));
    }
    add(std::move(rows));
    page_.add_text("Constrained equations, by recombination (Buffinton 6.67):");
    rows.clear();
    for (int r = 0; r < e.M.rows; ++r) {
      Expr left;
      for (int s = 0; s < e.M.columns; ++s)
        left += e.M(r, s) * equations_.udot[static_cast<std::size_t>(e.independent[static_cast<std::size_t>(s)])];
      rows.push_back(equation(form(left), form(e.rhs[static_cast<std::size_t>(r)])));
    }
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
    page_.add_text(
        fmt::format("M and rhs together, every common part counted once, work on parameters only set aside: {}.",
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
  Abbreviations abbreviations_;
  std::size_t shown_ = 0;
};

}  // namespace

Page form_derivation_page(KaneDerivation& derivation, const DerivationPageOptions& options) {
  return PageMaker(derivation, options).make();
}

}  // namespace kane

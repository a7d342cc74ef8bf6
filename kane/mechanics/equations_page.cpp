#include "kane/mechanics/equations_page.hpp"

#include <fmt/format.h>

#include "kane/base/at.hpp"
#include "kane/expr/literal.hpp"
#include "kane/expr/print.hpp"
#include "kane/mechanics/formula_writer.hpp"

namespace kane {
namespace {

class EquationsPage {
 public:
  EquationsPage(const EquationsOfMotion& equations, std::size_t max_terms) : e_(equations) {
    literal_.max_terms = max_terms;
    literal_.coordinates = e_.q;
    literal_.speeds = e_.u;
    literal_.accelerations = e_.udot;
  }

  Page make() {
    page_.title = fmt::format("Equations of motion: {}", e_.name);
    kinematics();
    dynamics();
    constraints();
    outputs();
    return std::move(page_);
  }

 private:
  [[nodiscard]] Formula form(const Expr& expression) const {
    const Expr e = e_.graph->bind(expression);
    const Literal l = literal(e, literal_);
    return {l.text, l.latex};
  }

  void kinematics() {
    page_.add_heading(1, "Kinematical equations");
    std::vector<Formula> rows;
    for (std::size_t i = 0; i < e_.q.size(); ++i)
      rows.push_back(equation({e_.q[i].name() + "'", "\\dot{" + to_latex(e_.q[i]) + "}"}, form(e_.qdot[i])));
    page_.add_formulas(std::move(rows));
  }

  void dynamics() {
    page_.add_heading(1, "Dynamical equations");
    std::vector<Formula> rows;
    for (std::size_t i = 0; i < e_.u.size(); ++i) {
      Expr left;
      for (std::size_t j = 0; j < e_.u.size(); ++j) left += e_.M(i, j) * e_.udot[j];
      for (const ConstraintEquation& c : e_.constraints)
        if (c.active) left -= c.a[i] * c.multiplier;
      rows.push_back(equation(form(left), form(e_.rhs[i])));
    }
    page_.add_formulas(std::move(rows));
  }

  void constraints() {
    if (e_.constraints.empty()) return;
    page_.add_heading(1, "Constraints");
    std::vector<bool> switched(e_.constraints.size(), false);
    for (const ContactEquation& c : e_.contacts) switched[at(c.normal)] = true;
    for (const FrictionEquation& f : e_.frictions)
      for (const int row : f.rows) switched[at(row)] = true;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < switched.size(); ++k)
      if (switched[k]) names.push_back(e_.constraints[k].name);
    if (!names.empty())
      page_.add_text(
          fmt::format("Contacts and frictions add constraints while they hold: {}.", fmt::join(names, ", ")));
    for (const ConstraintEquation& c : e_.constraints) {
      if (switched[static_cast<std::size_t>(&c - e_.constraints.data())]) continue;
      Expr speed = c.b;
      for (std::size_t i = 0; i < e_.u.size(); ++i) speed += c.a[i] * e_.u[i];
      page_.add_text(fmt::format("{}{}:", c.name, c.active ? "" : " (not active at first)"));
      std::vector<Formula> rows;
      if (c.phi) rows.push_back(equation(form(*c.phi), {"0", "0"}));
      rows.push_back(equation(form(speed), {"0", "0"}));
      page_.add_formulas(std::move(rows));
    }
  }

  void outputs() {
    if (e_.outputs.empty()) return;
    page_.add_heading(1, "Outputs");
    std::vector<Formula> rows;
    for (const ScalarOutput& o : e_.outputs) rows.push_back(equation({o.name, latex_label(o.name)}, form(o.value)));
    page_.add_formulas(std::move(rows));
  }

  const EquationsOfMotion& e_;
  LiteralOptions literal_;
  Page page_;
};

}  // namespace

Page form_equations_page(const EquationsOfMotion& equations, std::size_t max_terms) {
  return EquationsPage(equations, max_terms).make();
}

}  // namespace kane

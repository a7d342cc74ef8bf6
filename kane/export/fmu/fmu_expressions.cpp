#include "kane/export/fmu/fmu_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/mechanics/explicit_motion.hpp"
#include "kane/mechanism/tables.hpp"
#include "kane/simulate/system/motion_export.hpp"

namespace kane {

namespace {

class ExpressionBuilder {
 public:
  ExpressionBuilder(const ExportStart& from, bool switched) : from_(from) {
    r_.shop = std::make_shared<KernelWorkshop>(*from.model.system());
    r_.switched = switched;
    const EquationsOfMotion& equations = from.model.equations();
    if (!switched) {
      motion_ = form_explicit_motion(equations, from.rows);
      return;
    }
    motion_.udot = equations.udot;  // they stay symbols, and so do the multipliers
    for (const ConstraintEquation& c : equations.constraints) motion_.multipliers.push_back(c.multiplier);
    for (const auto* symbols : {&motion_.udot, &motion_.multipliers})
      for (const Expr& symbol : *symbols) r_.solved.push_back(symbol.name());
  }

  FmuExpressions run() {
    find_parameters();
    form_motion();
    form_events();
    form_closure();
    if (r_.switched) form_terms();
    form_tangent();
    write_out();
    return std::move(r_);
  }

 private:
  [[nodiscard]] const EquationsOfMotion& e() const { return r_.shop->equations(); }

  /// Parameters that the model defines by others are calculated, unless the start gives them a value.
  void find_parameters() {
    std::vector<Expr> symbols, values;
    for (const SymbolWithDefault& p : e().parameters) {
      const bool given = from_.start.parameters.contains(p.symbol.name());
      if (given || p.value.is_number()) {
        r_.parameters.push_back(p.symbol.name());
        continue;
      }
      symbols.push_back(p.symbol), values.push_back(r_.shop->own(p.value));
      r_.calculated_names.push_back(p.symbol.name());
    }
    ensure(resolve_definitions(symbols, values), "parameters of '{}' define each other", e().name);
    for (std::size_t i = 0; i < symbols.size(); ++i) definitions_.set(symbols[i], values[i]);
    r_.calculated = values;
    r_.inputs = from_.model.system()->inputs();
  }

  /// With accelerations, multipliers, laws and calculated parameters put in.
  [[nodiscard]] std::vector<Expr> known(std::span<const Expr> es) const {
    return substitute(with_motion(*r_.shop, motion_.udot, motion_.multipliers, es), definitions_);
  }

  void form_motion() {
    refuse_contact_outputs(e());
    std::vector<Expr> rates = e().qdot, outputs;
    rates.insert(rates.end(), e().udot.begin(), e().udot.end());
    for (const ScalarOutput& o : e().outputs) {
      r_.output_names.push_back(o.name);
      outputs.push_back(o.value);
    }
    r_.rates = known(rates);
    r_.outputs = known(outputs);
  }

  void form_events() {
    std::vector<Expr> guards, resets;
    for (std::size_t i = 0; i < e().switches.size(); ++i) {
      const SwitchEquation& s = e().switches[i];
      const bool changes = !s.impose.empty() || !s.release.empty() || !s.from.empty() || !s.to.empty();
      if (changes && !r_.switched) continue;
      r_.switches.push_back(i);
      guards.push_back(s.guard);
      for (const auto& reset : s.resets) resets.push_back(reset.value);
    }
    r_.guards = known(guards);
    r_.resets = known(resets);
  }

  void form_closure() {
    std::vector<Expr> rows, a;
    for (std::size_t i = 0; i < e().constraints.size(); ++i)
      if ((from_.configuration[i] || r_.switched) && e().constraints[i].phi) {
        r_.phi.push_back(*e().constraints[i].phi);
        r_.phi_rows.push_back(r_.switched ? static_cast<int>(i) : -1);
        r_.row_names.push_back(e().constraints[i].name);
      }
    for (const int first : e().quaternions) {
      Expr square = -1;
      for (int k = 0; k < 4; ++k)
        square += e().q[static_cast<std::size_t>(first + k)] * e().q[static_cast<std::size_t>(first + k)];
      r_.phi.push_back(square);
      r_.phi_rows.push_back(-1);
      r_.row_names.push_back(fmt::format("length of {}", e().q[static_cast<std::size_t>(first)].name()));
    }
    for (std::size_t i = 0; i < e().constraints.size(); ++i) {
      if (!from_.rows[i] && !r_.switched) continue;
      const ConstraintEquation& c = e().constraints[i];
      Expr row = c.b;
      for (std::size_t k = 0; k < c.a.size(); ++k) row += c.a[k] * e().u[k];
      rows.push_back(row);
      a.insert(a.end(), c.a.begin(), c.a.end());
      r_.row_names.push_back(c.name);
    }
    r_.phi = known(r_.phi);
    r_.motion_rows = known(rows);
    r_.a = known(a);
    const Jacobian j = jacobian(r_.phi, e().q);
    r_.phi_q.resize(r_.phi.size() * e().q.size());
    for (const Jacobian::Entry& entry : j.entries)
      r_.phi_q[static_cast<std::size_t>(entry.row) * e().q.size() + static_cast<std::size_t>(entry.column)] =
          entry.value;
  }

  void form_terms() {
    std::vector<Expr> terms = e().M.entries;
    terms.insert(terms.end(), e().rhs.begin(), e().rhs.end());
    for (const ConstraintEquation& c : e().constraints) terms.push_back(c.gamma);
    for (const ContactEquation& c : e().contacts) {
      terms.push_back(c.restitution);
      terms.push_back(c.force.value_or(Expr()));
    }
    for (const FrictionEquation& f : e().frictions) {
      terms.push_back(f.kinetic);
      terms.push_back(f.stiction);
    }
    r_.terms = known(terms);
  }

  /// M udot - rhs - A^T lambda, A udot - gamma, and the values of contacts and frictions.
  [[nodiscard]] std::vector<Expr> form_balance() const {
    const std::size_t n = e().u.size(), rows = e().constraints.size();
    const auto symbol = [&](std::size_t i) { return r_.shop->graph().symbol(r_.solved[i]); };
    std::vector<Expr> r;
    for (std::size_t i = 0; i < n; ++i) {
      Expr sum = -r_.terms[n * n + i];
      for (std::size_t j = 0; j < n; ++j) sum += r_.terms[i * n + j] * symbol(j);
      for (std::size_t k = 0; k < rows; ++k) sum -= r_.a[k * n + i] * symbol(n + k);
      r.push_back(sum);
    }
    for (std::size_t k = 0; k < rows; ++k) {
      Expr sum = -r_.terms[n * n + n + k];
      for (std::size_t j = 0; j < n; ++j) sum += r_.a[k * n + j] * symbol(j);
      r.push_back(sum);
    }
    r.insert(r.end(), r_.terms.begin() + static_cast<std::ptrdiff_t>(n * n + n + rows), r_.terms.end());
    return r;
  }

  void form_tangent() {
    Substitution direction;
    const auto seed = [&](const std::string& name) {
      r_.seeds.push_back(fmt::format("d({})", name));
      direction.set(r_.shop->graph().symbol(name), r_.shop->graph().symbol(r_.seeds.back()));
    };
    for (const Expr& q : e().q) seed(q.name());
    for (const Expr& u : e().u) seed(u.name());
    for (const std::string& input : r_.inputs) seed(input);
    seed(e().t.name());
    for (const std::string& parameter : r_.parameters) seed(parameter);
    for (const std::string& name : r_.solved) seed(name);
    Tangent along(direction);
    for (const auto* group : {&r_.rates, &r_.outputs, &r_.calculated, &r_.phi, &r_.motion_rows}) {
      const std::vector<Expr> d = along(*group);
      r_.tangent.insert(r_.tangent.end(), d.begin(), d.end());
    }
    if (!r_.switched) return;
    const std::vector<Expr> d = along(form_balance());
    r_.tangent.insert(r_.tangent.end(), d.begin(), d.end());
  }

  void write_out() {
    if (from_.model.mechanism().tables.empty()) return;
    r_.written = std::make_shared<Graph>();
    for (auto* group : {&r_.rates, &r_.outputs, &r_.calculated, &r_.guards, &r_.resets, &r_.phi, &r_.phi_q,
                        &r_.motion_rows, &r_.a, &r_.terms, &r_.tangent})
      *group = write_out_tables(from_.model.mechanism(), *r_.written, *group);
  }

  const ExportStart& from_;
  ExplicitMotion motion_;
  Substitution definitions_;
  FmuExpressions r_;
};

void append(std::vector<NamedExpr>& to, const std::vector<Expr>& values, std::string_view label) {
  for (std::size_t i = 0; i < values.size(); ++i) to.push_back({fmt::format("{} {}", label, i + 1), values[i]});
}

}  // namespace

std::vector<NamedExpr> FmuExpressions::motion_outputs() const {
  std::vector<NamedExpr> r;
  append(r, rates, "rate"), append(r, outputs, "output"), append(r, calculated, "calculated");
  append(r, guards, "guard"), append(r, resets, "reset");
  return r;
}

std::vector<NamedExpr> FmuExpressions::closure_outputs() const {
  std::vector<NamedExpr> r;
  append(r, phi, "phi"), append(r, phi_q, "phi_q"), append(r, motion_rows, "row"), append(r, a, "a");
  return r;
}

std::vector<NamedExpr> FmuExpressions::tangent_outputs() const {
  std::vector<NamedExpr> r;
  append(r, tangent, "tangent");
  return r;
}

std::vector<NamedExpr> FmuExpressions::term_outputs() const {
  std::vector<NamedExpr> r;
  append(r, terms, "term");
  return r;
}

FmuExpressions form_fmu_expressions(const ExportStart& from, bool switched) {
  return ExpressionBuilder(from, switched).run();
}

}  // namespace kane

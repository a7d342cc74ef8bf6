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
  explicit ExpressionBuilder(const ExportStart& from) : from_(from) {
    r_.shop = std::make_shared<KernelWorkshop>(*from.model.system());
    motion_ = form_explicit_motion(from.model.equations(), from.rows);
  }

  FmuExpressions run() {
    find_parameters();
    form_motion();
    form_events();
    form_closure();
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
      if (!s.impose.empty() || !s.release.empty() || !s.from.empty() || !s.to.empty()) continue;
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
      if (from_.configuration[i] && e().constraints[i].phi) {
        r_.phi.push_back(*e().constraints[i].phi);
        r_.row_names.push_back(e().constraints[i].name);
      }
    for (const int first : e().quaternions) {
      Expr square = -1;
      for (int k = 0; k < 4; ++k)
        square += e().q[static_cast<std::size_t>(first + k)] * e().q[static_cast<std::size_t>(first + k)];
      r_.phi.push_back(square);
      r_.row_names.push_back(fmt::format("length of {}", e().q[static_cast<std::size_t>(first)].name()));
    }
    for (std::size_t i = 0; i < e().constraints.size(); ++i) {
      if (!from_.rows[i]) continue;
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
    Tangent along(direction);
    for (const auto* group : {&r_.rates, &r_.outputs, &r_.calculated, &r_.phi, &r_.motion_rows}) {
      const std::vector<Expr> d = along(*group);
      r_.tangent.insert(r_.tangent.end(), d.begin(), d.end());
    }
  }

  void write_out() {
    if (from_.model.mechanism().tables.empty()) return;
    r_.written = std::make_shared<Graph>();
    for (auto* group : {&r_.rates, &r_.outputs, &r_.calculated, &r_.guards, &r_.resets, &r_.phi, &r_.phi_q,
                        &r_.motion_rows, &r_.a, &r_.tangent})
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

FmuExpressions form_fmu_expressions(const ExportStart& from) { return ExpressionBuilder(from).run(); }

}  // namespace kane

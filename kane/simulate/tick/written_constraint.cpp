#include "kane/simulate/tick/written_constraint.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

struct WrittenConstraint::Form {
  bool configuration;
  std::vector<Expr> outputs;
};

namespace {

bool contains_any(const Expr& e, std::span<const Expr> symbols) {
  return std::ranges::any_of(symbols, [&](const Expr& s) { return depends_on(e, s); });
}

}  // namespace

WrittenConstraint::WrittenConstraint(const KernelWorkshop& shop, std::string name, const Expr& expression)
    : WrittenConstraint(shop, name, [&] {
        const EquationsOfMotion& e = shop.equations();
        const Expr f = shop.with_laws(std::span(&expression, 1)).front();
        require(!contains_any(f, e.udot),
                "'{}' holds accelerations; a constraint is written with coordinates and speeds", name);
        for (const auto& c : e.constraints)
          require(!depends_on(f, c.multiplier), "'{}' holds the force of a constraint; it cannot be one", name);
        Substitution rates;
        for (std::size_t i = 0; i < e.q.size(); ++i) rates.set(e.q[i], e.qdot[i]);
        rates.set(e.t, 1);
        Form form{.configuration = !contains_any(f, e.u), .outputs = {}};
        const Expr motion = form.configuration ? time_derivative(f, rates) : f;
        const Affine row = affine_in(motion, e.u, "'" + name + "'");
        require(std::ranges::any_of(row.coefficients, [](const Expr& a) { return !a.is_zero(); }),
                "'{}' does not depend on anything that moves, so it cannot be imposed", name);
        form.outputs = {form.configuration ? f : Expr(), row.remainder, -time_derivative(motion, rates)};
        form.outputs.insert(form.outputs.end(), row.coefficients.begin(), row.coefficients.end());
        for (const Expr& q : e.q) form.outputs.push_back(form.configuration ? derivative(f, q) : Expr());
        return form;
      }()) {}

WrittenConstraint::WrittenConstraint(const KernelWorkshop& shop, std::string name, Form form)
    : name_(std::move(name)),
      configuration_(form.configuration),
      kernel_(shop.compile_of_state("constraint " + name_, form.outputs)) {}

}  // namespace kane

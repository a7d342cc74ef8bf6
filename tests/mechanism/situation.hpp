#pragma once
// A mechanism at one state, in plain numbers: accelerations from the full system of multipliers, derivatives along the
// motion. Nothing here embeds, eliminates or recurs.

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "kane/expr/derivative.hpp"
#include "kane/expr/evaluate.hpp"
#include "kane/mechanism/formulation.hpp"
#include "kane/mechanism/tables.hpp"
#include "tests/mechanism/random_tree.hpp"

namespace kane::testing {

/// A quantity as a model file spells it.
inline Quantity text(std::string spelling) { return {std::move(spelling), {}}; }

/// Solves a x = b, a by rows, with partial pivoting.
inline std::vector<double> solve(std::vector<double> a, std::vector<double> b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r * n + c]) > std::abs(a[pivot * n + c])) pivot = r;
    for (std::size_t k = 0; k < n; ++k) std::swap(a[c * n + k], a[pivot * n + k]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = c + 1; r < n; ++r) {
      const double f = a[r * n + c] / a[c * n + c];
      for (std::size_t k = c; k < n; ++k) a[r * n + k] -= f * a[c * n + k];
      b[r] -= f * b[c];
    }
  }
  for (std::size_t c = n; c-- > 0;) {
    for (std::size_t k = c + 1; k < n; ++k) b[c] -= a[c * n + k] * b[k];
    b[c] /= a[c * n + c];
  }
  return b;
}

inline EquationsOfMotion form(const Mechanism& m, Formulation formulation, bool outputs = true) {
  FormOptions options;
  options.formulation = formulation;
  options.outputs = outputs;
  return form_equations(m, options);
}

class Situation {
 public:
  Situation(const Mechanism& mechanism, unsigned seed, Formulation formulation = Formulation::Projection)
      : e(form(mechanism, formulation)), functions(table_functions(mechanism)) {
    RandomTree random(seed);
    values = random_state(e, random);
  }

  [[nodiscard]] std::vector<double> numbers(std::span<const Expr> es) const { return evaluate(es, values, functions); }
  [[nodiscard]] double number(const Expr& x) const { return numbers({&x, 1})[0]; }
  double& value(const Expr& symbol) { return values[symbol.name()]; }

  /// M u' = rhs + A^T lambda and A u' = gamma together, for the active constraints that do not follow from others.
  void solve_motion() {
    const std::size_t n = e.u.size();
    std::vector<const ConstraintEquation*> rows;
    for (const ConstraintEquation& c : e.constraints) {
      values[c.multiplier.name()] = 0;
      if (c.active && !c.redundant) rows.push_back(&c);
    }
    const std::size_t size = n + rows.size();
    const std::vector<double> M = numbers(e.M.entries);
    std::vector<double> a(size * size), b = numbers(e.rhs);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) a[i * size + j] = M[i * n + j];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const std::vector<double> row = numbers(rows[k]->a);
      for (std::size_t j = 0; j < n; ++j) a[(n + k) * size + j] = row[j], a[j * size + n + k] = -row[j];
      b.push_back(number(rows[k]->gamma));
    }
    const std::vector<double> x = solve(std::move(a), std::move(b));
    for (std::size_t i = 0; i < n; ++i) value(e.udot[i]) = x[i];
    for (std::size_t k = 0; k < rows.size(); ++k) value(rows[k]->multiplier) = x[n + k];
  }

  /// Rates along the motion.
  [[nodiscard]] std::vector<double> rate(std::span<const Expr> es) const {
    Substitution rates{{e.t, 1}};
    for (std::size_t i = 0; i < e.q.size(); ++i) rates.set(e.q[i], e.qdot[i]);
    for (std::size_t i = 0; i < e.u.size(); ++i) rates.set(e.u[i], e.udot[i]);
    return numbers(Tangent(std::move(rates))(es));
  }
  [[nodiscard]] double rate(const Expr& x) const { return rate({&x, 1})[0]; }

  EquationsOfMotion e;
  FunctionTable functions;
  Values values;
};

}  // namespace kane::testing

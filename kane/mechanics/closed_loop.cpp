#include "kane/mechanics/closed_loop.hpp"

#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

bool has_law(const SymbolWithDefault& input) { return !symbols_of({&input.value, 1}).empty(); }

EquationsOfMotion form_closed_loop(const EquationsOfMotion& e, const std::vector<std::string>& driven) {
  EquationsOfMotion r;
  r.graph = e.graph, r.name = e.name, r.formulation = e.formulation;
  r.t = e.t, r.parameters = e.parameters, r.q = e.q, r.u = e.u, r.udot = e.udot, r.quaternions = e.quaternions;
  r.dependent_speeds = e.dependent_speeds, r.warnings = e.warnings;
  r.states = e.states, r.accelerating = e.accelerating, r.symmetric = e.symmetric;
  std::vector<Expr> symbols, values;
  for (const SymbolWithDefault& input : e.inputs) {
    const bool given = std::find(driven.begin(), driven.end(), input.symbol.name()) != driven.end();
    if (given || !has_law(input))
      r.inputs.push_back(input);
    else
      symbols.push_back(input.symbol), values.push_back(input.value);
  }
  require(resolve_definitions(symbols, values), "the laws of the inputs of '{}' refer to each other in a circle",
          e.name);
  Substitution laws;
  for (std::size_t i = 0; i < symbols.size(); ++i) laws.set(symbols[i], values[i]);
  const auto closed = [&](const std::vector<Expr>& list) { return substitute(list, laws); };
  const auto closed_matrix = [&](ExprMatrix m) {
    m.entries = substitute(m.entries, laws);
    return m;
  };
  r.qdot = closed(e.qdot), r.M = closed_matrix(e.M), r.rhs = closed(e.rhs);
  r.constraints = e.constraints;
  for (ConstraintEquation& c : r.constraints) {
    if (c.phi) c.phi = substitute(*c.phi, laws);
    c.a = closed(c.a), c.b = substitute(c.b, laws), c.gamma = substitute(c.gamma, laws);
  }
  if (!e.embedded) return r;
  r.embedded = e.embedded;
  EmbeddedEquations& m = *r.embedded;
  m.D = closed_matrix(m.D), m.E = closed(m.E), m.g = closed(m.g);
  m.M = closed_matrix(m.M), m.rhs = closed(m.rhs), m.multipliers = closed(m.multipliers);
  return r;
}

}  // namespace kane

#include "kane/mechanics/load_inertia.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/traverse.hpp"

namespace kane {

bool accelerates(const System& s, const LoadRecord& load) {
  std::vector<Expr> all;
  for (const Vector::Term& t : load.value.terms()) all.insert(all.end(), t.c.begin(), t.c.end());
  const std::vector<Expr> symbols = symbols_of(all);
  return std::any_of(symbols.begin(), symbols.end(), [&](const Expr& symbol) {
    const auto kind = s.find_kind(symbol.name());
    return kind == SymbolKind::SecondRate || kind == SymbolKind::Acceleration;
  });
}

bool has_accelerating_loads(const System& s) {
  return std::any_of(s.loads().begin(), s.loads().end(), [&](const LoadRecord& load) { return accelerates(s, load); });
}

ExprMatrix take_load_inertia(const std::vector<Expr>& udot, std::vector<Expr>& rhs) {
  const std::vector<Expr> symbols = symbols_of(rhs);
  if (std::none_of(udot.begin(), udot.end(),
                   [&](const Expr& a) { return std::find(symbols.begin(), symbols.end(), a) != symbols.end(); })) {
    return {};
  }
  ExprMatrix L(rhs.size(), udot.size());
  const std::vector<Affine> forms = affine_in(rhs, udot, "a generalized active force");
  for (std::size_t r = 0; r < rhs.size(); ++r) {
    for (std::size_t c = 0; c < udot.size(); ++c) L(r, c) = forms[r].coefficients[c];
    rhs[r] = forms[r].remainder;
  }
  return L;
}

void move_load_inertia(const std::vector<Expr>& udot, ExprMatrix& M, std::vector<Expr>& rhs) {
  const ExprMatrix L = take_load_inertia(udot, rhs);
  for (std::size_t i = 0; i < L.entries.size(); ++i) M.entries[i] -= L.entries[i];
}

// u_d' = D u_i' + g.
void move_load_inertia(const std::vector<Expr>& udot, EmbeddedEquations& m) {
  const ExprMatrix L = take_load_inertia(udot, m.rhs);
  for (int r = 0; r < L.rows; ++r) {
    for (std::size_t j = 0; j < m.independent.size(); ++j) {
      Expr sum = L(r, m.independent[j]);
      for (std::size_t k = 0; k < m.dependent.size(); ++k) sum += L(r, m.dependent[k]) * m.D(k, j);
      m.M(r, j) -= sum;
    }
    for (std::size_t k = 0; k < m.dependent.size(); ++k) m.rhs[at(r)] += L(r, m.dependent[k]) * m.g[k];
  }
}

bool is_symmetric(const ExprMatrix& M) {
  for (int i = 0; i < M.rows; ++i)
    for (int j = 0; j < i; ++j)
      if (!(M(i, j) == M(j, i))) return false;
  return true;
}

}  // namespace kane

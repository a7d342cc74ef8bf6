#include "kane/mechanics/local_embedding.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/mechanics/embedding.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/matrix_product.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane {
namespace {

/// Pivots in the columns preferred, then in the others as far as the rank needs them.
std::vector<RankReport::Pivot> choose_pivots(const ExprMatrix& a, const std::vector<int>& preferred) {
  RankReport wanted = find_rank(a, preferred, Rank::Rounded);
  RankReport all = find_rank(a, {}, Rank::Rounded);
  return wanted.rank() == all.rank() ? std::move(wanted.pivots) : std::move(all.pivots);
}

/// X with the values and first derivatives of A^-1 at the place: one step of Newton's method (Schulz) from P = A0^-1,
/// X = P (2 - A P). Elimination in symbols could divide by what vanishes at the place, though A does not.
ExprMatrix form_inverse(const ExprMatrix& a, const Substitution& place) {
  ExprMatrix at_place = a;
  at_place.entries = substitute(a.entries, place);
  const ExprMatrix p = LinearSolver(at_place).inverse();
  ExprMatrix rest = form_product(a, p);
  for (auto& entry : rest.entries) entry = -entry;
  for (int i = 0; i < rest.rows; ++i) rest(i, i) += 2;
  return form_product(p, rest);
}

/// A_dep u_dep = -A_ind u_ind - b and A_dep u'_dep = -A_ind u'_ind + gamma.
void solve_dependent(const EquationsOfMotion& e, const Substitution& place, EmbeddedEquations& m) {
  const int rows = static_cast<int>(m.rows.size()), p = static_cast<int>(m.independent.size());
  ExprMatrix dep(rows, rows), right(rows, p + 2);
  for (int i = 0; i < rows; ++i) {
    const ConstraintEquation& c = e.constraints[at(m.rows[at(i)])];
    for (int j = 0; j < rows; ++j) dep(i, j) = c.a[at(m.dependent[at(j)])];
    for (int j = 0; j < p; ++j) right(i, j) = -c.a[at(m.independent[at(j)])];
    right(i, p) = -c.b, right(i, p + 1) = c.gamma;
  }
  m.D = ExprMatrix(rows, p);
  if (rows == 0) return;
  const ExprMatrix x = form_product(form_inverse(dep, place), right);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < p; ++j) m.D(i, j) = x(i, j);
    m.E.push_back(x(i, p)), m.g.push_back(x(i, p + 1));
  }
}

/// A largest independent set of the rows, and speeds to solve them for.
LocalEmbedding choose_rows(const EquationsOfMotion& e, const std::vector<int>& rows, const std::vector<int>& preferred,
                           const Substitution& place, const Substitution& parameters) {
  ExprMatrix a(static_cast<int>(rows.size()), e.speed_count());
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) a(i, j) = e.constraints[at(rows[at(i)])].a[at(j)];
  a.entries = substitute(substitute(a.entries, place), parameters);
  LocalEmbedding local;
  EmbeddedEquations& m = local.equations;
  for (const auto& pivot : choose_pivots(a, preferred)) {
    m.rows.push_back(rows[at(pivot.row)]);
    m.dependent.push_back(pivot.column);
  }
  std::sort(m.rows.begin(), m.rows.end());
  std::sort(m.dependent.begin(), m.dependent.end());
  for (const int row : rows)
    if (!std::binary_search(m.rows.begin(), m.rows.end(), row)) local.dropped.push_back(row);
  for (int j = 0; j < e.speed_count(); ++j)
    if (!std::binary_search(m.dependent.begin(), m.dependent.end(), j)) m.independent.push_back(j);
  return local;
}

}  // namespace

LocalEmbedding form_local_embedding(const EquationsOfMotion& e, const std::vector<int>& rows, const Substitution& place,
                                    const Substitution& parameters) {
  const std::vector<int> preferred = e.embedded ? e.embedded->dependent : e.dependent_speeds;
  LocalEmbedding local = choose_rows(e, rows, preferred, place, parameters);
  solve_dependent(e, place, local.equations);
  recombine(e.M, e.rhs, local.equations);
  return local;
}

std::optional<LocalEmbedding> form_local_embedding(const EquationsOfMotion& e, const Substitution& place,
                                                   const Substitution& parameters) {
  if (!e.embedded) return std::nullopt;
  LocalEmbedding local = choose_rows(e, e.embedded->rows, e.embedded->dependent, place, parameters);
  if (local.dropped.empty() && local.equations.dependent == e.embedded->dependent) return std::nullopt;
  solve_dependent(e, place, local.equations);
  recombine(e.M, e.rhs, local.equations);
  return local;
}

}  // namespace kane

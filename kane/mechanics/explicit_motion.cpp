#include "kane/mechanics/explicit_motion.hpp"

#include <algorithm>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/expr/affine.hpp"
#include "kane/expr/substitution.hpp"
#include "kane/mechanics/linear_solver.hpp"
#include "kane/mechanics/rank.hpp"

namespace kane {

namespace {

template <class Vector>
auto& item(Vector& v, int i) {
  return v[at(i)];
}

/// P S P^T = L D L^T of a symmetric matrix; of all pivots left, the row with the fewest entries is eliminated first, which
/// for a tree begins at the leaves and fills nothing in.
class SymmetricFactors {
 public:
  explicit SymmetricFactors(ExprMatrix s) : s_(std::move(s)) {
    std::vector<int> left;
    for (int i = 0; i < s_.rows; ++i) left.push_back(i);
    while (!left.empty()) {
      const auto best = std::min_element(left.begin(), left.end(),
                                         [&](int a, int b) { return entries_of(a, left) < entries_of(b, left); });
      const int k = *best;
      left.erase(best);
      eliminate(k, left);
    }
  }

  /// b becomes L^-1 b.
  void reduce(std::vector<Expr>& b) const {
    for (const Step& step : steps_)
      for (const auto& [row, factor] : step.lower) item(b, row) -= factor * item(b, step.pivot);
  }
  /// b = L^-1 c becomes S^-1 c.
  void back(std::vector<Expr>& b) const {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      item(b, step->pivot) *= step->reciprocal;
      for (const auto& [row, factor] : step->lower) item(b, step->pivot) -= factor * item(b, row);
    }
  }
  /// a^T S^-1 b for a and b reduced.
  [[nodiscard]] Expr product(const std::vector<Expr>& a, const std::vector<Expr>& b) const {
    Expr sum;
    for (const Step& step : steps_) {
      if (item(a, step.pivot).is_zero() || item(b, step.pivot).is_zero()) continue;
      sum += item(a, step.pivot) * item(b, step.pivot) * step.reciprocal;
    }
    return sum;
  }

 private:
  struct Step {
    int pivot;
    Expr reciprocal;
    std::vector<std::pair<int, Expr>> lower;  // (row, factor): that row minus factor times the pivot's
  };

  [[nodiscard]] long entries_of(int row, const std::vector<int>& left) const {
    return std::count_if(left.begin(), left.end(), [&](int j) { return !s_(row, j).is_zero(); });
  }

  void eliminate(int k, const std::vector<int>& left) {
    Step step{k, 1 / s_(k, k), {}};
    for (const int i : left)
      if (!s_(i, k).is_zero()) step.lower.emplace_back(i, s_(i, k) * step.reciprocal);
    for (const auto& [i, factor] : step.lower)
      for (const auto& [j, other] : step.lower)
        if (j <= i) s_(i, j) = s_(j, i) = s_(i, j) - factor * s_(k, j);
    steps_.push_back(std::move(step));
  }

  ExprMatrix s_;
  std::vector<Step> steps_;
};

/// Those of the active constraints that do not follow from others.
std::vector<int> independent_rows(const EquationsOfMotion& e, const std::vector<bool>& active) {
  std::vector<int> rows;
  for (std::size_t i = 0; i < e.constraints.size(); ++i)
    if (active[i]) rows.push_back(static_cast<int>(i));
  ExprMatrix a(static_cast<int>(rows.size()), e.speed_count());
  for (int i = 0; i < a.rows; ++i)
    for (int j = 0; j < a.columns; ++j) a(i, j) = e.constraints[at(rows[at(i)])].a[at(j)];
  std::vector<int> independent;
  for (const auto& pivot : find_rank(a).pivots) independent.push_back(rows[at(pivot.row)]);
  std::sort(independent.begin(), independent.end());
  return independent;
}

ExplicitMotion form_constrained(const EquationsOfMotion& e, const std::vector<int>& rows) {
  ExprMatrix M = e.M;
  std::vector<Expr> x = e.rhs;
  const auto n = at(M.rows);
  const auto row = [&](std::size_t i) -> const ConstraintEquation& { return e.constraints[at(rows[i])]; };
  if (find_rank(M).rank() < M.rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t r = 0; r < n; ++r) {
        if (row(i).a[r].is_zero()) continue;
        for (std::size_t c = 0; c < n; ++c) M(static_cast<int>(r), static_cast<int>(c)) += row(i).a[r] * row(i).a[c];
        x[r] += row(i).a[r] * row(i).gamma;
      }
    require(find_rank(M).rank() == M.rows,
            "the accelerations of '{}' are not determined: some speeds move nothing that has mass and no active "
            "constraint holds them",
            e.name);
  }
  const SymmetricFactors mass(std::move(M));
  mass.reduce(x);
  std::vector<std::vector<Expr>> columns;  // L^-1 A^T
  for (std::size_t i = 0; i < rows.size(); ++i) mass.reduce(columns.emplace_back(row(i).a));

  ExprMatrix S(static_cast<int>(rows.size()), static_cast<int>(rows.size()));
  std::vector<Expr> lambda;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const int r = static_cast<int>(i), c = static_cast<int>(j);
      S(r, c) = S(c, r) = mass.product(columns[i], columns[j]);
    }
    lambda.push_back(row(i).gamma - mass.product(columns[i], x));
  }
  const SymmetricFactors schur(std::move(S));
  schur.reduce(lambda);
  schur.back(lambda);

  ExplicitMotion motion;
  motion.multipliers.resize(e.constraints.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t r = 0; r < n; ++r) x[r] += columns[i][r] * lambda[i];
    motion.multipliers[at(rows[i])] = lambda[i];
  }
  mass.back(x);
  motion.udot = std::move(x);
  return motion;
}

/// The same for a mass matrix that is not symmetric: udot = M^-1 rhs + sum Z_i lambda_i, Z_i = M^-1 a_i.
ExplicitMotion form_unsymmetric(const EquationsOfMotion& e, const std::vector<int>& rows) {
  require(find_rank(e.M).rank() == e.M.rows,
          "the accelerations of '{}' are not determined: its mass matrix is singular, and with loads proportional to "
          "accelerations it is not symmetric either",
          e.name);
  const auto row = [&](std::size_t i) -> const ConstraintEquation& { return e.constraints[at(rows[i])]; };
  const auto product = [](const std::vector<Expr>& a, const std::vector<Expr>& b) {
    Expr sum;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  const LinearSolver mass(e.M);
  ExplicitMotion motion{mass.solve(e.rhs), std::vector<Expr>(e.constraints.size())};
  if (rows.empty()) return motion;
  std::vector<std::vector<Expr>> Z;
  for (std::size_t i = 0; i < rows.size(); ++i) Z.push_back(mass.solve(row(i).a));
  ExprMatrix S(rows.size(), rows.size());
  std::vector<Expr> right;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) S(i, j) = product(row(i).a, Z[j]);
    right.push_back(row(i).gamma - product(row(i).a, motion.udot));
  }
  const std::vector<Expr> lambda = LinearSolver(S).solve(right);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    motion.multipliers[at(rows[i])] = lambda[i];
    for (std::size_t r = 0; r < motion.udot.size(); ++r) motion.udot[r] += Z[i][r] * lambda[i];
  }
  return motion;
}

/// Puts in the forces X that loads depend on: X = R(udot, lambda, X), linear in X once udot and lambda are.
void solve_given_forces(const EquationsOfMotion& e, ExplicitMotion& motion) {
  Substitution known;
  std::vector<Expr> x;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < e.udot.size(); ++i) known.set(e.udot[i], motion.udot[i]);
  for (std::size_t i = 0; i < e.constraints.size(); ++i) {
    if (!e.constraints[i].given) {
      known.set(e.constraints[i].multiplier, motion.multipliers[i]);
      continue;
    }
    x.push_back(e.constraints[i].multiplier), rows.push_back(i);
  }
  ExprMatrix left(x.size(), x.size());
  std::vector<Expr> right;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto a = find_affine(substitute(*e.constraints[rows[i]].given, known), x);
    require(
        a.has_value(),
        "the loads of '{}' depend on {} other than linearly, so the accelerations have no formula; such a model can be "
        "simulated, but not exported",
        e.name, e.constraints[rows[i]].name);
    for (std::size_t j = 0; j < x.size(); ++j) left(i, j) = Expr(i == j ? 1 : 0) - a->coefficients[j];
    right.push_back(a->remainder);
  }
  require(find_rank(left).rank() == left.rows, "the loads of '{}' that depend on {} have no solution", e.name,
          x.front().name());
  const std::vector<Expr> solution = LinearSolver(left).solve(right);
  Substitution forces;
  for (std::size_t i = 0; i < x.size(); ++i) forces.set(x[i], solution[i]);
  motion.udot = substitute(motion.udot, forces);
  motion.multipliers = substitute(motion.multipliers, forces);
  for (std::size_t i = 0; i < x.size(); ++i) motion.multipliers[rows[i]] = solution[i];
}

}  // namespace

ExplicitMotion form_explicit_motion(const EquationsOfMotion& equations, const std::vector<bool>& active) {
  const EquationsOfMotion& e = equations;
  require(active.size() == e.constraints.size(), "'{}' has {} constraints, but {} flags say which are active", e.name,
          e.constraints.size(), active.size());
  const std::vector<int> rows = independent_rows(e, active);
  if (rows.empty() && !e.udot_explicit.empty()) return {e.udot_explicit, std::vector<Expr>(e.constraints.size())};
  require(e.M.rows == e.speed_count(), "the mass matrix of '{}' has not been formed", e.name);
  ExplicitMotion motion = e.symmetric ? form_constrained(e, rows) : form_unsymmetric(e, rows);
  if (e.has_given_forces()) solve_given_forces(e, motion);
  return motion;
}

namespace {

/// M udot - rhs with symbols for udot.
std::vector<Expr> inverse_dynamics(const EquationsOfMotion& e) {
  if (!e.inverse.empty()) return e.inverse;
  std::vector<Expr> f;
  for (int i = 0; i < e.M.rows; ++i) {
    Expr sum = -item(e.rhs, i);
    for (int j = 0; j < e.M.columns; ++j) sum += e.M(i, j) * item(e.udot, j);
    f.push_back(sum);
  }
  return f;
}

}  // namespace

Jacobian form_motion_derivatives(const EquationsOfMotion& equations, std::span<const Expr> y) {
  const EquationsOfMotion& e = equations;
  require(e.M.rows == e.speed_count(), "the equations of '{}' were formed without their mass matrix", e.name);
  require(!e.has_given_forces(), "the derivatives of '{}' have no formula: its loads depend on {}", e.name,
          e.constraints.empty() ? std::string() : e.constraints.back().name);
  std::optional<SymmetricFactors> symmetric;
  std::optional<LinearSolver> general;
  if (e.symmetric)
    symmetric.emplace(e.M);
  else
    general.emplace(e.M);
  const auto solve = [&](std::vector<Expr>& b) {
    if (general) {
      b = general->solve(b);
      return;
    }
    symmetric->reduce(b);
    symmetric->back(b);
  };
  std::vector<Expr> udot = e.udot_explicit;
  if (udot.empty()) {
    udot = e.rhs;
    solve(udot);
  }
  Substitution solved;
  for (std::size_t i = 0; i < udot.size(); ++i) solved.set(e.udot[i], udot[i]);
  std::vector<std::vector<Expr>> columns(y.size(), std::vector<Expr>(udot.size()));
  for (const Jacobian::Entry& entry : jacobian(inverse_dynamics(e), y).entries)
    item(item(columns, entry.column), entry.row) = -substitute(entry.value, solved);
  for (std::vector<Expr>& column : columns) solve(column);
  Jacobian result{e.speed_count(), static_cast<int>(y.size()), {}};
  for (int i = 0; i < result.rows; ++i)
    for (int j = 0; j < result.columns; ++j)
      if (const Expr& value = item(item(columns, j), i); !value.is_zero()) result.entries.push_back({i, j, value});
  return result;
}

}  // namespace kane

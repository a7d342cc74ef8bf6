#include "kane/simulate/system/independent_constraints.hpp"

#include "kane/base/at.hpp"
#include "kane/solve/newton.hpp"

namespace kane {

namespace {

/// Rows nearer to the others than this repeat them; a mechanism that near to a change point is taken to be there.
constexpr IndependentOptions kOptions{.rank_tolerance = 1e-5};
constexpr double kNearlyClosed = 1e-10;  ///< a search ends here; the projector does the rest

}  // namespace

IndependentConstraintFinder::IndependentConstraintFinder(SystemEvaluator& evaluator)
    : evaluator_(evaluator),
      projector_(evaluator),
      configuration_(evaluator.system().row_count() + evaluator.system().equations().quaternions.size(),
                     evaluator.system().coordinate_count(), kOptions),
      motion_(evaluator.system().row_count(), evaluator.system().speed_count(), kOptions) {}

IndependentConstraints IndependentConstraintFinder::all(std::span<const double> q, std::span<const double> u) {
  const EquationsOfMotion& e = evaluator_.system().equations();
  IndependentConstraints all{std::vector<bool>(e.constraints.size()), std::vector<bool>(e.constraints.size()),
                             std::vector<bool>(e.u.size())};
  for (const int k : evaluator_.active_rows()) {
    const auto i = static_cast<std::size_t>(k);
    all.motion[i] = true, all.configuration[i] = e.constraints[i].phi.has_value();
  }
  if (evaluator_.active_rows().empty()) return all;
  evaluator_.calc_constraints(q, u);
  if (evaluator_.refresh_embedding().ok())
    for (const int k : evaluator_.dependent()) all.dependent[at(k)] = true;
  return all;
}

bool IndependentConstraintFinder::close(std::span<double> q, std::span<const double> scale) {
  projector_.update_active();
  GaussNewton newton(projector_.row_count(), q.size());
  NewtonOptions options;
  options.tolerance = kNearlyClosed;
  options.max_iterations = 200;
  options.max_step = 1;
  options.scale = scale;
  if (!projector_.solve_configuration(newton, q, options).ok()) return false;
  std::vector<double> polished(q.begin(), q.end());
  if (projector_.project_coordinates(polished) == ProjectionStatus::Failed) return true;
  for (std::size_t k = 0; k < q.size(); ++k)
    if (scale[k] != 0) q[k] = polished[k];
  return true;
}

IndependentConstraints IndependentConstraintFinder::choose(std::span<const double> q, std::span<const double> u) {
  const EquationsOfMotion& e = evaluator_.system().equations();
  projector_.update_active();
  IndependentConstraints chosen{std::vector<bool>(e.constraints.size()), std::vector<bool>(e.constraints.size()),
                                std::vector<bool>(e.u.size())};
  if (projector_.row_count() > 0) {
    Matrix j(projector_.row_count(), q.size());
    projector_.calc_configuration(q, {}, j.view());
    (void)configuration_.update(j);
    for (const int row : configuration_.kept_rows()) {
      const auto k = static_cast<std::size_t>(projector_.constraint_of_row(static_cast<std::size_t>(row)));
      if (k < chosen.configuration.size()) chosen.configuration[k] = true;
    }
  }
  const auto& active = evaluator_.active_rows();
  if (active.empty()) return chosen;
  evaluator_.calc_constraints(q, u);
  (void)motion_.update(evaluator_.active_jacobian(), {}, e.dependent_speeds);
  for (const int row : motion_.kept_rows()) chosen.motion[at(active[static_cast<std::size_t>(row)])] = true;
  for (const int k : motion_.dependent()) chosen.dependent[at(k)] = true;
  chosen.redundant = static_cast<int>(motion_.redundant_rows().size());
  return chosen;
}

}  // namespace kane

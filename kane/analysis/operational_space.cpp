#include "kane/analysis/operational_space.hpp"

#include <Eigen/SVD>
#include <algorithm>

#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/solve/eigen.hpp"

namespace kane {

namespace {

constexpr double kInertiaTolerance = 1e-10;

template <class List>
auto find_named(const List& list, const Task& task, const char* what) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.name == task.name; });
  if (found != list.end()) return found;
  std::vector<std::string> known;
  for (const auto& x : list) known.push_back(x.name);
  throw ModelError(fmt::format("there is no {} '{}'{}", what, task.name, suggestion(task.name, known)));
}

}  // namespace

OperationalSpace::OperationalSpace(SystemEvaluator& evaluator, const std::vector<Task>& tasks)
    : evaluator_(evaluator), runner_(nullptr, evaluator.context()) {
  const KernelWorkshop shop(evaluator.system());
  const EquationsOfMotion& e = shop.equations();
  std::vector<Expr> velocity, acceleration;
  for (const auto& task : tasks) {
    Expr3 v, a;
    if (task.rotation) {
      const auto body = find_named(e.bodies, task, "body");
      v = body->angular_velocity, a = body->angular_acceleration;
    } else {
      const auto point = find_named(e.points, task, "point");
      v = point->velocity, a = point->acceleration;
    }
    for (std::size_t k = 0; k < 3; ++k) {
      velocity.push_back(v[k]), acceleration.push_back(a[k]);
      rows_.push_back(fmt::format("{}.{}{}", task.name, task.rotation ? "w" : "", "xyz"[k]));
    }
  }
  // v, a at udot = 0, then J row by row.
  std::vector<Expr> outputs = velocity;
  Substitution at_rest;
  for (const auto& s : e.udot) at_rest.set(s, Expr());
  for (const auto& a : acceleration) outputs.push_back(substitute(a, at_rest));
  for (const auto& v : velocity)
    for (const auto& u : e.u) outputs.push_back(derivative(v, u));
  kernel_ = std::make_unique<Kernel>(shop.compile("tasks", outputs));
  runner_ = KernelRunner(kernel_.get(), evaluator.context());
}

TaskReport OperationalSpace::calc(std::span<const double> q, std::span<const double> u) {
  const CompiledSystem& system = evaluator_.system();
  const EquationsOfMotion& e = system.equations();
  const std::size_t nu = u.size(), m = rows_.size();
  std::vector<double> qdot(q.size()), udot(nu);
  const std::vector<double> zeros(nu + e.constraints.size(), 0.0);
  TaskReport r;
  r.rows = rows_;
  const auto values = runner_.run(q, u, zeros);
  r.velocity.assign(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(m));
  r.bias.assign(values.begin() + static_cast<std::ptrdiff_t>(m), values.begin() + static_cast<std::ptrdiff_t>(2 * m));
  r.jacobian = Matrix(m, nu);
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j < nu; ++j) r.jacobian(i, j) = values[2 * m + i * nu + j];

  const MotionReport motion = evaluator_.calc_motion(q, u, qdot, udot);
  require(motion.ok(), "the inertia felt at a point does not exist at this state: {}", describe(motion, e));
  evaluator_.calc_mass(q, u);
  const bool constrained = !evaluator_.active_rows().empty();
  // Without constraints nothing is dependent.
  std::vector<std::size_t> independent;
  for (std::size_t k = 0; k < nu; ++k)
    if (!constrained || std::find(evaluator_.independent().begin(), evaluator_.independent().end(),
                                  static_cast<int>(k)) != evaluator_.independent().end())
      independent.push_back(k);
  r.constrained_jacobian = Matrix(m, independent.size());
  for (std::size_t j = 0; j < independent.size(); ++j) {
    r.independent.push_back(e.u[independent[j]].name());
    for (std::size_t i = 0; i < m; ++i) {
      double sum = r.jacobian(i, independent[j]);
      for (std::size_t k = 0; constrained && k < evaluator_.dependent().size(); ++k)
        sum += r.jacobian(i, static_cast<std::size_t>(evaluator_.dependent()[k])) * evaluator_.embedding().d()(k, j);
      r.constrained_jacobian(i, j) = sum;
    }
  }

  r.inverse_inertia = Matrix(m, m);
  MassFactors factors(nu, e.symmetric);
  if (!constrained) {
    require(factors.factor(evaluator_.mass_matrix()).ok(), "the mass matrix of '{}' is singular at this state", e.name);
  }
  for (std::size_t k = 0; k < m; ++k) {
    std::vector<double> force(r.jacobian.view().row(k), r.jacobian.view().row(k) + nu), answer = force;
    if (constrained) {
      const std::vector<double> gamma(evaluator_.active_rows().size(), 0.0);
      require(evaluator_.embedding().solve(evaluator_.mass_matrix(), force, gamma, answer).ok(),
              "the mass matrix of '{}' is singular at this state", e.name);
    } else {
      factors.solve(answer);
    }
    for (std::size_t i = 0; i < m; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < nu; ++j) sum += r.jacobian(i, j) * answer[j];
      r.inverse_inertia(i, k) = sum;
    }
  }
  const SymmetricEigen eigen = calc_symmetric_eigen(r.inverse_inertia);
  require(eigen.converged, "the inertia felt at a point is not finite at this state");
  r.inertia = Matrix(m, m);
  const double largest = eigen.values.empty() ? 0 : eigen.values.back();
  for (std::size_t k = 0; k < m; ++k) {
    if (eigen.values[k] <= kInertiaTolerance * largest) continue;
    ++r.rank;
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j < m; ++j)
        r.inertia(i, j) += eigen.vectors(i, k) * eigen.vectors(j, k) / eigen.values[k];
  }
  if (independent.empty()) return r;
  const ConstMatrixView jc = r.constrained_jacobian;
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> map(
      jc.data, static_cast<Eigen::Index>(jc.rows), static_cast<Eigen::Index>(jc.columns));
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd{Eigen::MatrixXd(map)};
  r.singular_values.assign(svd.singularValues().begin(), svd.singularValues().end());
  r.manipulability = r.singular_values.size() < m ? 0 : 1;
  for (const double s : r.singular_values) r.manipulability *= s;
  return r;
}

}  // namespace kane

#include "kane/analysis/inverse_dynamics.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/at.hpp"
#include "kane/base/error.hpp"
#include "kane/base/suggest.hpp"
#include "kane/expr/derivative.hpp"
#include "kane/expr/traverse.hpp"
#include "kane/simulate/system/kernel_workshop.hpp"
#include "kane/solve/kernels.hpp"

namespace kane {

namespace {

constexpr double kRankTolerance = 1e-9;
constexpr double kClosed = 1e-9;  ///< how well prescribed motions must fit the constraints

}  // namespace

/// States have histories, and the forces at an instant may depend on them.
void InverseDynamics::check_states() const {
  const EquationsOfMotion& e = evaluator_.system().equations();
  const std::size_t first = e.q.size() - static_cast<std::size_t>(e.states);
  for (const std::size_t k : path_.coordinates())
    require(k < first, "'{}' is a state with its own differential equation; its motion cannot be prescribed",
            e.q[k].name());
  const KernelWorkshop shop(evaluator_.system());
  std::vector<Expr> forces = shop.equations().rhs;
  const auto& M = shop.equations().M.entries;
  forces.insert(forces.end(), M.begin(), M.end());
  const std::vector<Expr> symbols = symbols_of(shop.with_laws(forces));
  for (std::size_t k = first; k < e.q.size(); ++k)
    require(std::none_of(symbols.begin(), symbols.end(), [&](const Expr& s) { return s.name() == e.q[k].name(); }),
            "the forces depend on the state '{}', which follows its own differential equation; inverse dynamics "
            "looks at single instants and cannot know its value. Make it an input, or leave it out",
            e.q[k].name());
}

InverseDynamics::InverseDynamics(SystemEvaluator& evaluator, MotionPath& path, InverseOptions options)
    : evaluator_(evaluator),
      path_(path),
      options_(std::move(options)),
      kinematics_(nullptr, evaluator.context()),
      input_(nullptr, evaluator.context()),
      projector_(evaluator),
      newton_(projector_.row_count(), evaluator.system().coordinate_count()),
      rates_(path.coordinates().size() + evaluator.active_rows().size(), evaluator.system().speed_count()),
      forces_(evaluator.system().speed_count(),
              std::max(evaluator.system().speed_count(), evaluator.system().inputs().size())) {
  const CompiledSystem& system = evaluator.system();
  const auto& inputs = system.inputs();
  require(system.speed_count() > 0, "nothing moves in '{}': there are no forces to find for a motion",
          system.equations().name);
  if (options_.generalized) {
    for (const auto& u : system.equations().u) actuators_.push_back("F_" + u.name());
  } else {
    actuators_ = options_.actuators.empty() ? inputs : options_.actuators;
    require(!actuators_.empty(), "'{}' has no input that could act; use generalized forces instead",
            system.equations().name);
    for (const auto& name : actuators_) {
      const auto found = std::find(inputs.begin(), inputs.end(), name);
      if (found == inputs.end())
        throw ModelError(fmt::format("'{}' is not an external input{}", name, suggestion(name, inputs)));
      inputs_.push_back(static_cast<std::size_t>(found - inputs.begin()));
    }
  }
  require(!path.empty(), "no coordinate has a prescribed motion");
  check_states();
  require(!system.equations().has_given_forces(),
          "the loads of '{}' depend on {}, nonlinearly or through constraints; inverse dynamics cannot solve for it",
          system.equations().name,
          system.equations().constraints.empty() ? std::string() : system.equations().constraints.back().name);
  compile();
  const std::size_t nq = system.coordinate_count(), nu = system.speed_count(), nc = system.constraint_count();
  points_.resize(path.coordinates().size());
  scale_.assign(nq, 1.0);
  for (const std::size_t k : path.coordinates()) scale_[k] = 0;
  zeros_u_.assign(nu, 0.0), zeros_c_.assign(nc, 0.0);
  wanted_.resize(points_.size());
  rhs_.resize(points_.size() + nc), qdot_.resize(nq), f_.resize(nu), embedded_.resize(nu);
  input_values_.resize(inputs.size());
  feedback_.state.q.resize(nq), feedback_.state.u.resize(nu);
  feedback_.udot.resize(nu), feedback_.lambda.resize(nc), feedback_.force.resize(actuators_.size());
}

/// For each prescribed coordinate: its rate at u = 0, its derivatives by u, and its second derivative at udot = 0. Then the
/// derivatives of -(M udot - rhs) by the inputs of the actuators, speed by speed.
void InverseDynamics::compile() {
  const KernelWorkshop shop(evaluator_.system());
  const EquationsOfMotion& e = shop.equations();
  const std::vector<Expr> qdot = shop.with_laws(e.qdot);
  Substitution along, at_rest;
  for (std::size_t i = 0; i < e.q.size(); ++i) along.set(e.q[i], qdot[i]);
  along.set(e.t, Expr(1));
  for (const auto& u : e.u) at_rest.set(u, Expr());
  Tangent total(along);
  std::vector<Expr> outputs;
  for (const std::size_t k : path_.coordinates()) {
    outputs.push_back(substitute(qdot[k], at_rest));
    for (const auto& u : e.u) outputs.push_back(derivative(qdot[k], u));
    outputs.push_back(total(qdot[k]));
  }
  kinematics_kernel_ = std::make_unique<Kernel>(shop.compile("path_rates", outputs));
  kinematics_ = KernelRunner(kinematics_kernel_.get(), evaluator_.context());
  if (options_.generalized) return;
  const std::vector<Expr> balance = shop.with_laws(e.inverse.empty() ? e.rhs : e.inverse);
  outputs.clear();
  for (const auto& row : balance) {
    for (const auto& name : actuators_) {
      const Expr d = derivative(row, e.graph->symbol(name));
      for (const auto& other : actuators_)
        require(!depends_on(d, e.graph->symbol(other)),
                "the input '{}' does not enter the equations linearly, so it cannot be solved for", name);
      outputs.push_back(e.inverse.empty() ? d : -d);
    }
  }
  input_kernel_ = std::make_unique<Kernel>(shop.compile("actuators", outputs));
  input_ = KernelRunner(input_kernel_.get(), evaluator_.context());
}

void InverseDynamics::run_kinematics(const State& state) {
  kinematic_values_ = kinematics_.run(state.q, state.u, zeros_u_, zeros_c_);
}

void InverseDynamics::solve_coordinates(State& state) {
  for (std::size_t i = 0; i < points_.size(); ++i) state.q[path_.coordinates()[i]] = points_[i].value;
  if (projector_.row_count() == 0) return;
  NewtonOptions options;
  options.tolerance = 1e-12;
  options.scale = scale_;
  const NewtonReport report = projector_.solve_configuration(newton_, state.q, options);
  const int worst = std::max(report.worst, 0);
  require(report.ok() || report.residual < kClosed,
          "the motion is impossible at t = {:.9g} s: {} stays open by {:.6g} whatever the other coordinates do",
          state.t,
          describe_configuration_row(projector_.constraint_of_row(static_cast<std::size_t>(worst)),
                                     evaluator_.system().equations()),
          report.residual);
}

/// W of the prescribed coordinates over the active A.
bool InverseDynamics::factor_rates() {
  const std::size_t nu = zeros_u_.size(), rows = points_.size() + evaluator_.active_rows().size();
  double* const columns = rates_.prepare(rows, nu);
  for (std::size_t i = 0; i < points_.size(); ++i)
    for (std::size_t j = 0; j < nu; ++j) columns[j * rows + i] = kinematic_values_[i * (nu + 2) + 1 + j];
  const std::size_t active = evaluator_.active_rows().size();
  for (std::size_t i = 0; i < active; ++i)
    for (std::size_t j = 0; j < nu; ++j) columns[j * rows + points_.size() + i] = evaluator_.active_jacobian()(i, j);
  if (!all_finite({columns, rows * nu})) return false;
  rates_.factor(kRankTolerance);
  return rates_.rank() == nu;
}

void InverseDynamics::explain_free() const {
  const EquationsOfMotion& e = evaluator_.system().equations();
  std::string free;
  for (std::size_t k = rates_.rank(); k < rates_.columns(); ++k)
    free += fmt::format("{}'{}'", free.empty() ? "" : ", ", e.u[at(rates_.permutation()[k])].name());
  throw ModelError(
      fmt::format("the prescribed coordinates do not determine the motion: prescribe more, since {} of {} speeds "
                  "(such as {}) remain free",
                  rates_.columns() - rates_.rank(), rates_.columns(), free));
}

void InverseDynamics::solve_speeds(State& state) {
  evaluator_.calc_constraints(state.q, state.u);
  run_kinematics(state);
  const std::size_t nu = zeros_u_.size(), active = evaluator_.active_rows().size(), rows = points_.size() + active;
  if (!factor_rates()) explain_free();
  double size = 1;
  for (std::size_t i = 0; i < points_.size(); ++i) rhs_[i] = points_[i].rate - kinematic_values_[i * (nu + 2)];
  for (std::size_t i = 0; i < active; ++i) rhs_[points_.size() + i] = -evaluator_.active_b()[i];
  for (std::size_t i = 0; i < rows; ++i) size = std::max(size, std::abs(rhs_[i]));
  rates_.solve_basic(std::span(rhs_).first(rows), state.u);
  double rest = 0;
  for (std::size_t i = nu; i < rows; ++i) rest = std::max(rest, std::abs(rhs_[i]));
  require(
      rest <= 1e-6 * size,
      "the motion is impossible at t = {:.9g} s: the rates of the prescribed coordinates contradict the constraints "
      "by {:.6g}",
      state.t, rest);
}

/// `wanted`: second derivatives of the prescribed coordinates.
bool InverseDynamics::solve_accelerations(std::span<const double> wanted, std::span<double> udot) {
  const std::size_t nu = zeros_u_.size(), active = evaluator_.active_rows().size();
  for (std::size_t i = 0; i < points_.size(); ++i) rhs_[i] = wanted[i] - kinematic_values_[i * (nu + 2) + nu + 1];
  for (std::size_t i = 0; i < active; ++i) rhs_[points_.size() + i] = evaluator_.active_gamma()[i];
  rates_.solve_basic(std::span(rhs_).first(points_.size() + active), udot);
  return all_finite(udot);
}

/// Force, lambda and the missing force, for state and udot of the sample. M and the constraints are evaluated.
bool InverseDynamics::solve_forces(const State& state, InverseSample& sample) {
  const std::size_t nu = zeros_u_.size(), na = actuators_.size();
  input_values_.assign(evaluator_.inputs().begin(), evaluator_.inputs().end());
  if (!inputs_.empty()) {
    for (const std::size_t k : inputs_) input_values_[k] = 0;
    evaluator_.set_inputs(input_values_, state.t);
  }
  evaluator_.calc_mass(state.q, state.u);
  evaluator_.calc_constraints(state.q, state.u);
  const ConstMatrixView mass = evaluator_.mass_matrix();
  for (std::size_t i = 0; i < nu; ++i) f_[i] = dot(mass.row(i), sample.udot.data(), nu) - evaluator_.rhs()[i];
  const auto b_values = input_.present() ? input_.run(state.q, state.u, zeros_u_, zeros_c_) : std::span<const double>{};
  const auto b = [&](std::size_t i, std::size_t a) {
    return options_.generalized ? (i == a ? 1.0 : 0.0) : b_values[i * na + a];
  };
  // C^T B r = C^T f.
  const bool constrained = !evaluator_.active_rows().empty();
  if (constrained && !evaluator_.refresh_embedding().ok()) return false;
  const std::size_t p = constrained ? evaluator_.independent().size() : nu;
  double* const columns = forces_.prepare(p, na);
  const auto combine = [&](std::size_t row, auto&& entry) {
    if (!constrained) return entry(row);
    const auto dependent = evaluator_.dependent();
    double sum = entry(static_cast<std::size_t>(evaluator_.independent()[row]));
    for (std::size_t k = 0; k < dependent.size(); ++k)
      sum += evaluator_.embedding().d()(k, row) * entry(static_cast<std::size_t>(dependent[k]));
    return sum;
  };
  for (std::size_t i = 0; i < p; ++i) {
    embedded_[i] = combine(i, [&](std::size_t k) { return f_[k]; });
    for (std::size_t a = 0; a < na; ++a) columns[a * p + i] = combine(i, [&](std::size_t k) { return b(k, a); });
  }
  if (!all_finite({columns, p * na}) || !all_finite(std::span(embedded_).first(p))) return false;
  forces_.factor(kRankTolerance);
  std::span<double> rest = std::span(embedded_).first(p);
  forces_.solve_minimum_norm(rest, sample.force);
  // Missing forces, speed by speed; then the multipliers.
  sample.missing = 0, sample.missing_speed = -1;
  for (std::size_t i = 0; i < p; ++i) {
    double left = combine(i, [&](std::size_t k) { return f_[k]; });
    double size = std::abs(left);
    for (std::size_t a = 0; a < na; ++a) {
      const double part = combine(i, [&](std::size_t k) { return b(k, a); }) * sample.force[a];
      left -= part, size += std::abs(part);
    }
    if (std::abs(left) > std::max(sample.missing, 1e-9 * size)) {
      sample.missing = std::abs(left);
      sample.missing_speed = constrained ? evaluator_.independent()[i] : static_cast<int>(i);
    }
  }
  for (std::size_t a = 0; a < inputs_.size(); ++a) input_values_[inputs_[a]] = sample.force[a];
  if (!inputs_.empty()) evaluator_.set_inputs(input_values_, state.t);
  if (!constrained) return true;
  evaluator_.calc_mass(state.q, state.u);
  evaluator_.calc_multipliers(sample.udot, sample.lambda);
  return true;
}

void InverseDynamics::calc(double t, InverseSample& sample) {
  const CompiledSystem& system = evaluator_.system();
  sample.state.t = t;
  sample.state.q.resize(system.coordinate_count()), sample.state.u.resize(system.speed_count());
  sample.udot.assign(system.speed_count(), 0.0), sample.lambda.assign(system.constraint_count(), 0.0);
  sample.force.assign(actuators_.size(), 0.0);
  evaluator_.set_time(t);
  path_.calc(t, points_);
  for (std::size_t i = 0; i < points_.size(); ++i)
    require(std::isfinite(points_[i].value) && std::isfinite(points_[i].rate) && std::isfinite(points_[i].acceleration),
            "the motion of '{}' is not a finite number at t = {:.9g} s",
            system.equations().q[path_.coordinates()[i]].name(), t);
  solve_coordinates(sample.state);
  solve_speeds(sample.state);
  evaluator_.calc_constraints(sample.state.q, sample.state.u);
  run_kinematics(sample.state);
  for (std::size_t i = 0; i < points_.size(); ++i) wanted_[i] = points_[i].acceleration;
  require(factor_rates() && solve_accelerations(wanted_, sample.udot) && solve_forces(sample.state, sample),
          "the forces cannot be found at t = {:.9g} s: the mechanism is in a singular position", t);
}

bool InverseDynamics::calc_feedback(const State& state, double kp, double kd, std::span<double> inputs) {
  evaluator_.set_time(state.t);
  path_.calc(state.t, points_);
  evaluator_.calc_constraints(state.q, state.u);
  run_kinematics(state);
  const std::size_t nu = zeros_u_.size();
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const double* const row = kinematic_values_.data() + i * (nu + 2);
    const double rate = row[0] + dot(row + 1, state.u.data(), nu);
    wanted_[i] = points_[i].acceleration + kd * (points_[i].rate - rate) +
                 kp * (points_[i].value - state.q[path_.coordinates()[i]]);
  }
  if (!factor_rates() || !solve_accelerations(wanted_, feedback_.udot) || !solve_forces(state, feedback_)) return false;
  std::copy(input_values_.begin(), input_values_.end(), inputs.begin());
  return true;
}

}  // namespace kane

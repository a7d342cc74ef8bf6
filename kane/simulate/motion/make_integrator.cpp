#include "kane/simulate/motion/make_integrator.hpp"

#include <algorithm>
#include <cmath>

#include "kane/base/error.hpp"
#include "kane/simulate/motion/simulator_options.hpp"
#include "kane/solve/auto_switch.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/fixed_step.hpp"
#include "kane/solve/gauss.hpp"
#include "kane/solve/stiff.hpp"
#include "kane/solve/stormer_verlet.hpp"

namespace kane {

namespace {

/// Relative tolerances below this cannot be met in double precision.
constexpr double kLeastTolerance = 1e-14;
constexpr double kAbsoluteFraction = 1e-3;

std::unique_ptr<Integrator> make_verlet(const SimulatorOptions& options, MotionProblem& problem,
                                        const CompiledSystem& system) {
  const EquationsOfMotion& e = system.equations();
  require(std::none_of(e.constraints.begin(), e.constraints.end(), [](const auto& c) { return c.active; }),
          "the method {} cannot keep constraints; use gauss or midpoint", to_string(options.method));
  require(
      system.extra().separable(),
      "the method {} needs forces that depend on positions only and a constant mass matrix, which '{}' does not have; "
      "use gauss or midpoint",
      to_string(options.method), e.name);
  SeparableSystem separable;
  separable.coordinates = e.q.size();
  separable.speeds = e.u.size();
  separable.qdot = [&problem](double t, std::span<const double> u, std::span<double> rate) {
    return problem.calc_qdot(t, u, rate);
  };
  separable.udot = [&problem](double t, std::span<const double> q, std::span<double> rate) {
    return problem.calc_udot(t, q, rate);
  };
  return std::make_unique<StormerVerlet>(separable, options.step, options.method == Method::Verlet ? 2 : 4);
}

}  // namespace

AdaptiveOptions adaptive_options(const SimulatorOptions& options) {
  const double relative = std::max(local_tolerance(options.tolerance), kLeastTolerance);
  const double absolute = options.absolute_tolerance > 0 ? options.absolute_tolerance
                                                         : std::min(relative, options.tolerance) * kAbsoluteFraction;
  AdaptiveOptions adaptive;
  adaptive.tolerance = {{relative}, {absolute}};
  adaptive.first_step = options.first_step;
  adaptive.max_step = options.max_step;
  adaptive.max_steps = options.max_steps;
  return adaptive;
}

std::unique_ptr<Integrator> make_integrator(const SimulatorOptions& options, MotionProblem& problem,
                                            const CompiledSystem& system) {
  const std::size_t n = problem.size();
  require(n > 0, "'{}' has no coordinates and no speeds: there is nothing to simulate", system.equations().name);
  Rhs rhs = [&problem](double t, std::span<const double> y, std::span<double> ydot) {
    return problem.calc_rates(t, y, ydot);
  };
  RhsJacobian jacobian;
  if (!problem.canonical())
    jacobian = [&problem](double t, std::span<const double> y, MatrixView dfdy) {
      return problem.calc_jacobian(t, y, dfdy);
    };
  const auto gauss = [&](int stages) {
    GaussOptions gauss_options;
    gauss_options.step = options.step;
    gauss_options.stages = stages;
    gauss_options.jacobian = jacobian;
    return std::make_unique<GaussIntegrator>(n, rhs, gauss_options);
  };
  const AdaptiveOptions adaptive = adaptive_options(options);
  // Multistep methods remember, and take for errors, what projections change: that cannot be below their tolerance.
  constexpr double kProjections = 10;
  const double least =
      options.project && !system.equations().constraints.empty() ? kProjections * options.constraint_tolerance : 0;
  AdaptiveOptions stiff = adaptive;
  for (double& a : stiff.tolerance.absolute) a = std::max(a, least);
  switch (options.method) {
    case Method::Automatic:
      return std::make_unique<AdaptiveIntegrator>(n, rhs, AutoSwitchOptions{adaptive, jacobian, least});
    case Method::Rk4: return std::make_unique<RungeKutta4>(n, rhs, options.step);
    case Method::Dopri5: return std::make_unique<DormandPrince54>(n, rhs, adaptive);
    case Method::Dop853: return std::make_unique<DormandPrince853>(n, rhs, adaptive);
    case Method::Cvode: return std::make_unique<CvodeIntegrator>(n, rhs, StiffOptions{stiff, jacobian});
    case Method::Arkode: return std::make_unique<ArkodeIntegrator>(n, rhs, StiffOptions{stiff, jacobian});
    case Method::Midpoint: return gauss(1);
    case Method::Gauss4: return gauss(2);
    case Method::Gauss6: return gauss(3);
    case Method::Verlet:
    case Method::Verlet4: return make_verlet(options, problem, system);
  }
  return nullptr;
}

}  // namespace kane

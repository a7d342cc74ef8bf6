#include "kane/solve/integrator.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/base/error.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/fixed_step.hpp"
#include "kane/solve/gauss.hpp"
#include "kane/solve/stormer_verlet.hpp"
#include "problems.hpp"

namespace kane {
namespace {

using testing::NonlinearProblem;

template <class Method>
testing::MakeIntegrator adaptive(std::size_t n = 4) {
  return [n](double h) { return std::make_unique<Method>(n, NonlinearProblem::rhs, testing::constant_step(h)); };
}

TEST(ConvergenceOrder, RungeKutta4) {
  const testing::MakeIntegrator make = [](double h) {
    return std::make_unique<RungeKutta4>(4, NonlinearProblem::rhs, h);
  };
  EXPECT_NEAR(testing::observed_order(make, 0.02), 4, 0.15);
  EXPECT_NEAR(std::log2(testing::dense_error(make, 0.02) / testing::dense_error(make, 0.01)), 4, 0.15);
}

TEST(ConvergenceOrder, DormandPrince54) {
  EXPECT_NEAR(testing::observed_order(adaptive<DormandPrince54>(), 0.02), 5, 0.25);
  const auto dense = [](double h) { return testing::dense_error(adaptive<DormandPrince54>(), h); };
  EXPECT_NEAR(std::log2(dense(0.05) / dense(0.025)), 5, 0.25);  // order 4: local error h^5
}

TEST(ConvergenceOrder, DormandPrince853) {
  EXPECT_NEAR(testing::observed_order(adaptive<DormandPrince853>(), 0.25), 8, 0.5);
  const auto dense = [](double h) { return testing::dense_error(adaptive<DormandPrince853>(), h); };
  EXPECT_NEAR(std::log2(dense(0.2) / dense(0.1)), 8, 0.5);  // order 7: local error h^8
}

TEST(ConvergenceOrder, GaussMethodsWithBothIterations) {
  for (const StageIteration iteration : {StageIteration::FixedPoint, StageIteration::Newton}) {
    for (const int stages : {1, 2, 3}) {
      const testing::MakeIntegrator make = [&](double h) {
        GaussOptions options{.step = h, .stages = stages, .iteration = iteration};
        return std::make_unique<GaussIntegrator>(4, NonlinearProblem::rhs, options);
      };
      EXPECT_NEAR(testing::observed_order(make, stages == 1 ? 0.02 : 0.1), 2 * stages, 0.25) << stages;
    }
  }
}

/// Pendulum, q'' = -sin q.
SeparableSystem pendulum() {
  return {.coordinates = 1,
          .speeds = 1,
          .qdot =
              [](double, std::span<const double> u, std::span<double> qdot) {
                qdot[0] = u[0];
                return RhsStatus::Ok;
              },
          .udot =
              [](double, std::span<const double> q, std::span<double> udot) {
                udot[0] = -std::sin(q[0]);
                return RhsStatus::Ok;
              }};
}

TEST(ConvergenceOrder, StormerVerlet) {
  // Reference from the method of order 8.
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = y[1];
    f[1] = -std::sin(y[0]);
    return RhsStatus::Ok;
  };
  DormandPrince853 reference(2, rhs, testing::with_tolerance(1e-14));
  reference.start(0, std::vector<double>{1.5, 0.3});
  testing::run_to(reference, 3);
  for (const int order : {2, 4}) {
    const auto error = [&](double h) {
      StormerVerlet verlet(pendulum(), h, order);
      verlet.start(0, std::vector<double>{1.5, 0.3});
      testing::run_to(verlet, 3);
      return testing::distance(verlet.state(), reference.state());
    };
    EXPECT_NEAR(std::log2(error(0.04) / error(0.02)), order, 0.1);
  }
}

TEST(Adaptive, EccentricKeplerOrbitOverTenPeriods) {
  const double e = 0.9, t_end = 20 * M_PI;
  const auto run = [&](Integrator& integrator) {
    integrator.start(0, testing::Kepler::start(e));
    testing::run_to(integrator, t_end);
    return testing::distance(integrator.state(), testing::Kepler::start(e));
  };
  DormandPrince54 five(4, testing::Kepler::rhs, testing::with_tolerance(1e-11));
  DormandPrince853 eight(4, testing::Kepler::rhs, testing::with_tolerance(1e-13));
  EXPECT_LT(run(five), 1e-5);
  EXPECT_LT(run(eight), 2e-8);
  EXPECT_LT(eight.totals().evaluations, five.totals().evaluations);
}

TEST(Adaptive, DenseOutputFollowsTheKeplerOrbit) {
  const double e = 0.5;
  for (const bool high : {false, true}) {
    std::unique_ptr<Integrator> integrator;
    if (high) {
      integrator = std::make_unique<DormandPrince853>(4, testing::Kepler::rhs, testing::with_tolerance(1e-12));
    } else {
      integrator = std::make_unique<DormandPrince54>(4, testing::Kepler::rhs, testing::with_tolerance(1e-10));
    }
    integrator->start(0, testing::Kepler::start(e));
    std::vector<double> y(4);
    double sample = 0.05;
    while (integrator->time() < 2 * M_PI) {
      ASSERT_EQ(integrator->step().status, StepStatus::Ok);
      for (; sample <= integrator->time(); sample += 0.05) {
        ASSERT_EQ(integrator->interpolate(sample, y), StepStatus::Ok);
        EXPECT_LT(testing::distance(y, testing::Kepler::exact(e, sample)), high ? 1e-9 : 1e-7) << sample;
      }
    }
  }
}

TEST(Adaptive, ArenstorfOrbitReturns) {
  // Hairer, Norsett, Wanner, II.0: a closed orbit of the restricted three-body problem.
  const double mu = 0.012277471, period = 17.0652165601579625588917206249;
  const auto rhs = [mu](double, std::span<const double> y, std::span<double> f) {
    const double nu = 1 - mu;
    const double d1 = std::pow((y[0] + mu) * (y[0] + mu) + y[1] * y[1], 1.5);
    const double d2 = std::pow((y[0] - nu) * (y[0] - nu) + y[1] * y[1], 1.5);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = y[0] + 2 * y[3] - nu * (y[0] + mu) / d1 - mu * (y[0] - nu) / d2;
    f[3] = y[1] - 2 * y[2] - nu * y[1] / d1 - mu * y[1] / d2;
    return RhsStatus::Ok;
  };
  const std::vector<double> start = {0.994, 0, 0, -2.00158510637908252240537862224};
  DormandPrince54 five(4, rhs, testing::with_tolerance(1e-12));
  five.start(0, start);
  testing::run_to(five, period);
  EXPECT_LT(std::hypot(five.state()[0] - start[0], five.state()[1]), 1e-5);
  DormandPrince853 eight(4, rhs, testing::with_tolerance(1e-14));
  eight.start(0, start);
  testing::run_to(eight, period);
  EXPECT_LT(std::hypot(eight.state()[0] - start[0], eight.state()[1]), 1e-7);
}

TEST(Adaptive, ErrorFollowsTheTolerance) {
  for (const double tolerance : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
    DormandPrince54 five(4, NonlinearProblem::rhs, testing::with_tolerance(tolerance));
    DormandPrince853 eight(4, NonlinearProblem::rhs, testing::with_tolerance(tolerance));
    for (Integrator* integrator : {static_cast<Integrator*>(&five), static_cast<Integrator*>(&eight)}) {
      integrator->start(0, NonlinearProblem::start());
      testing::run_to(*integrator, 10);
      const double error = testing::distance(integrator->state(), NonlinearProblem::exact(10));
      EXPECT_LT(error, 60 * tolerance) << integrator->name() << ' ' << tolerance;
    }
  }
}

TEST(Adaptive, TolerancePerComponent) {
  // Two uncoupled oscillators, the second a million times larger; with atol in proportion both have the same
  // relative error.
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = y[1], f[1] = -y[0], f[2] = y[3], f[3] = -y[2];
    return RhsStatus::Ok;
  };
  AdaptiveOptions options;
  options.tolerance = {.relative = {0}, .absolute = {1e-8, 1e-8, 1e-2, 1e-2}};
  DormandPrince54 integrator(4, rhs, options);
  integrator.start(0, std::vector<double>{1, 0, 1e6, 0});
  testing::run_to(integrator, 10);
  EXPECT_NEAR(integrator.state()[0] - std::cos(10.0), (integrator.state()[2] / 1e6 - std::cos(10.0)), 1e-13);
  EXPECT_NEAR(integrator.state()[0], std::cos(10.0), 1e-6);
  options.tolerance.absolute = {1, 2, 3};
  EXPECT_THROW(DormandPrince54(4, rhs, options), ModelError);
  options.tolerance.absolute = {-1};
  EXPECT_THROW(DormandPrince54(4, rhs, options), ModelError);
}

TEST(Adaptive, BackwardsInTimeReturnsToTheStart) {
  DormandPrince853 integrator(4, NonlinearProblem::rhs, testing::with_tolerance(1e-12));
  integrator.start(0, NonlinearProblem::start());
  testing::run_to(integrator, 3);
  testing::run_to(integrator, 0);
  EXPECT_LT(testing::distance(integrator.state(), NonlinearProblem::start()), 1e-10);
}

TEST(Adaptive, LimitsAreMetExactlyAndDoNotDisturbTheStepSize) {
  DormandPrince54 integrator(4, NonlinearProblem::rhs, testing::with_tolerance(1e-8));
  integrator.start(0, NonlinearProblem::start());
  testing::run_to(integrator, 1);
  const double before = integrator.next_step_size();
  const double limit = 1 + before / 100;
  EXPECT_EQ(integrator.step(limit).status, StepStatus::Ok);
  EXPECT_EQ(integrator.time(), limit);
  EXPECT_GE(integrator.next_step_size(), 0.99 * before);
  EXPECT_EQ(integrator.step(limit).status, StepStatus::Ok);
  EXPECT_EQ(integrator.time(), limit);
}

TEST(Adaptive, ResumeForgetsTheOldSlope) {
  // Reflecting the velocity of an oscillator at t = 1 must give the reflected solution.
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = y[1], f[1] = -y[0];
    return RhsStatus::Ok;
  };
  std::vector<std::unique_ptr<Integrator>> methods;
  methods.push_back(std::make_unique<DormandPrince54>(2, rhs, testing::with_tolerance(1e-11)));
  methods.push_back(std::make_unique<DormandPrince853>(2, rhs, testing::with_tolerance(1e-11)));
  methods.push_back(std::make_unique<RungeKutta4>(2, rhs, 1e-3));
  methods.push_back(std::make_unique<GaussIntegrator>(2, rhs, GaussOptions{.step = 1e-2, .stages = 3}));
  for (const auto& method : methods) {
    method->start(0, std::vector<double>{1, 0});
    testing::run_to(*method, 1);
    method->resume(1, std::vector<double>{method->state()[0], -method->state()[1]});
    EXPECT_EQ(method->previous_time(), 1);
    testing::run_to(*method, 2);
    EXPECT_NEAR(method->state()[0], 1, 1e-10) << method->name();
    EXPECT_NEAR(method->state()[1], 0, 1e-9) << method->name();
  }
}

TEST(Adaptive, ProjectionKeepsTheCircleAndTheInterpolationMeetsIt) {
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = -y[1], f[1] = y[0];
    return RhsStatus::Ok;
  };
  const StateProjection normalise = [](double, std::span<double> y) {
    const double length = std::hypot(y[0], y[1]);
    y[0] /= length, y[1] /= length;
    return ProjectionStatus::Changed;
  };
  DormandPrince54 integrator(2, rhs, testing::with_tolerance(1e-4));
  integrator.set_projection(normalise);
  integrator.start(0, std::vector<double>{1, 0});
  std::vector<double> y(2);
  while (integrator.time() < 50) {
    ASSERT_EQ(integrator.step(50).status, StepStatus::Ok);
    EXPECT_NEAR(std::hypot(integrator.state()[0], integrator.state()[1]), 1, 1e-15);
    const double t = integrator.time() - 1e-9 * (integrator.time() - integrator.previous_time());
    ASSERT_EQ(integrator.interpolate(t, y), StepStatus::Ok);
    EXPECT_LT(testing::distance(y, integrator.state()), 1e-8);
  }
  EXPECT_NEAR(integrator.state()[0], std::cos(50.0), 2e-2);
}

TEST(Adaptive, ProjectionThatFailsShortensTheStepThenGivesUp) {
  const auto rhs = [](double, std::span<const double>, std::span<double> f) {
    f[0] = 1;
    return RhsStatus::Ok;
  };
  DormandPrince54 integrator(1, rhs, testing::with_tolerance(1e-3));
  integrator.set_projection(
      [](double, std::span<double> y) { return y[0] > 1 ? ProjectionStatus::Failed : ProjectionStatus::Unchanged; });
  integrator.start(0, std::vector<double>{0});
  StepStatus status = StepStatus::Ok;
  for (int i = 0; i < 1000 && status == StepStatus::Ok; ++i) status = integrator.step(2).status;
  EXPECT_EQ(status, StepStatus::ProjectionFailed);
  EXPECT_NEAR(integrator.time(), 1, 1e-12);
}

TEST(Failure, SingularitySaysUnderflowWithTheTime) {
  // y' = y^2, y = 1 / (1 - t): the solution ends at t = 1.
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = 0;
    f[1] = y[1] * y[1];
    return RhsStatus::Ok;
  };
  DormandPrince54 integrator(2, rhs, testing::with_tolerance(1e-8));
  integrator.start(0, std::vector<double>{1, 1});
  StepReport report;
  for (int i = 0; i < 100000 && report.status == StepStatus::Ok && integrator.time() < 2; ++i) {
    report = integrator.step(2);
  }
  EXPECT_EQ(report.status, StepStatus::StepUnderflow);
  EXPECT_NEAR(report.t, 1, 1e-6);
  EXPECT_EQ(report.component, 1);
}

TEST(Failure, NotANumberNamesTheComponent) {
  const auto rhs = [](double t, std::span<const double>, std::span<double> f) {
    f[0] = 1;
    f[1] = 0;
    f[2] = std::sqrt(1 - t);  // not a number beyond t = 1
    return RhsStatus::Ok;
  };
  std::vector<std::unique_ptr<Integrator>> methods;
  methods.push_back(std::make_unique<DormandPrince54>(3, rhs, testing::with_tolerance(1e-6)));
  methods.push_back(std::make_unique<DormandPrince853>(3, rhs, testing::with_tolerance(1e-6)));
  methods.push_back(std::make_unique<RungeKutta4>(3, rhs, 0.01));
  methods.push_back(std::make_unique<GaussIntegrator>(3, rhs, GaussOptions{.step = 0.01}));
  for (const auto& method : methods) {
    method->start(0, std::vector<double>{0, 0, 0});
    StepReport report;
    for (int i = 0; i < 10000 && report.status == StepStatus::Ok && method->time() < 2; ++i) report = method->step(2);
    EXPECT_TRUE(report.status == StepStatus::NotFinite || report.status == StepStatus::StepUnderflow)
        << method->name() << ": " << to_string(report.status);
    EXPECT_EQ(report.component, 2) << method->name();
    EXPECT_NEAR(report.t, 1, 0.011) << method->name();
    for (const double v : method->state()) EXPECT_TRUE(std::isfinite(v));
  }
}

TEST(Failure, StopAndRetryAreObeyed) {
  int calls = 0;
  const auto stop = [&calls](double t, std::span<const double>, std::span<double> f) {
    f[0] = 1;
    ++calls;
    return t > 0.5 ? RhsStatus::Stop : RhsStatus::Ok;
  };
  DormandPrince54 stopped(1, stop, testing::with_tolerance(1e-6));
  stopped.start(0, std::vector<double>{0});
  StepReport report;
  while (report.status == StepStatus::Ok && stopped.time() < 1) report = stopped.step(1);
  EXPECT_EQ(report.status, StepStatus::RhsFailed);
  EXPECT_LT(calls, 100);

  const auto retry = [](double t, std::span<const double>, std::span<double> f) {
    f[0] = 1;
    return t > 0.5 ? RhsStatus::Retry : RhsStatus::Ok;
  };
  DormandPrince853 retried(1, retry, testing::with_tolerance(1e-6));
  retried.start(0, std::vector<double>{0});
  report = {};
  for (int i = 0; i < 1000 && report.status == StepStatus::Ok; ++i) report = retried.step(1);
  EXPECT_EQ(report.status, StepStatus::RhsFailed);
  EXPECT_NEAR(retried.time(), 0.5, 1e-12);
}

TEST(Failure, LimitOnSteps) {
  AdaptiveOptions options = testing::with_tolerance(1e-10);
  options.max_steps = 10;
  DormandPrince54 integrator(4, testing::Kepler::rhs, options);
  integrator.start(0, testing::Kepler::start(0.5));
  StepReport report;
  while (report.status == StepStatus::Ok) report = integrator.step(100);
  EXPECT_EQ(report.status, StepStatus::TooManySteps);
}

TEST(FixedStep, TimeDoesNotDrift) {
  const auto rhs = [](double, std::span<const double>, std::span<double> f) {
    f[0] = 0;
    return RhsStatus::Ok;
  };
  RungeKutta4 integrator(1, rhs, 1e-3);
  integrator.start(0, std::vector<double>{0});
  for (int k = 1; k <= 100000; ++k) {
    integrator.step();
    ASSERT_EQ(integrator.time(), k * 1e-3);
  }
  integrator.start(0, std::vector<double>{0});
  int steps = 0;
  while (integrator.time() < 1) integrator.step(1), ++steps;
  EXPECT_EQ(steps, 1000) << "no crumb is left for a last step";
  EXPECT_EQ(integrator.time(), 1);
  EXPECT_THROW(RungeKutta4(1, rhs, 0), ModelError);
  EXPECT_THROW(RungeKutta4(1, rhs, std::nan("")), ModelError);
}

TEST(Symplectic, PendulumKeepsItsEnergyOverAHundredThousandSteps) {
  const auto energy = [](std::span<const double> y) { return 0.5 * y[1] * y[1] - std::cos(y[0]); };
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = y[1];
    f[1] = -std::sin(y[0]);
    return RhsStatus::Ok;
  };
  const double h = 0.01;
  struct Case {
    std::unique_ptr<Integrator> integrator;
    double oscillation;  ///< about h^order
  };
  std::vector<Case> cases;
  cases.push_back({std::make_unique<StormerVerlet>(pendulum(), h, 2), 2e-4});
  cases.push_back({std::make_unique<StormerVerlet>(pendulum(), h, 4), 2e-8});
  cases.push_back({std::make_unique<GaussIntegrator>(2, rhs, GaussOptions{.step = h, .stages = 1}), 2e-4});
  cases.push_back({std::make_unique<GaussIntegrator>(2, rhs, GaussOptions{.step = h, .stages = 2}), 1e-9});
  cases.push_back({std::make_unique<GaussIntegrator>(2, rhs, GaussOptions{.step = h, .stages = 3}), 3e-14});
  for (const Case& c : cases) {
    c.integrator->start(0, std::vector<double>{2.0, 0.0});
    const double e0 = energy(c.integrator->state());
    double early = 0, late = 0;
    for (int k = 0; k < 100000; ++k) {
      ASSERT_EQ(c.integrator->step().status, StepStatus::Ok);
      const double error = std::abs(energy(c.integrator->state()) - e0);
      (k < 2000 ? early : late) = std::max(k < 2000 ? early : late, error);
    }
    EXPECT_LT(late, c.oscillation) << c.integrator->name();
    EXPECT_LT(late, 1.1 * early + 3e-14) << c.integrator->name() << ": bounded, no drift";
  }
}

TEST(Symplectic, DoublePendulumInCanonicalVariablesOverAThousandSeconds) {
  // Two unit point masses on unit rods, g = 9.81, chaotic start. H = 1/2 p^T M(q)^-1 p + V(q) with absolute angles:
  // M = [2, c; c, 1], c = cos(q1 - q2), V = -g (2 cos q1 + cos q2).
  const double g = 9.81;
  const auto rhs = [g](double, std::span<const double> y, std::span<double> f) {
    const double c = std::cos(y[0] - y[1]), s = std::sin(y[0] - y[1]), d = 2 - c * c;
    const double v1 = (y[2] - c * y[3]) / d, v2 = (2 * y[3] - c * y[2]) / d;
    f[0] = v1;
    f[1] = v2;
    f[2] = -s * v1 * v2 - 2 * g * std::sin(y[0]);  // dT/dq1 = 1/2 v^T dM/dq1 v = -s v1 v2
    f[3] = s * v1 * v2 - g * std::sin(y[1]);
    return RhsStatus::Ok;
  };
  const auto energy = [g](std::span<const double> y) {
    const double c = std::cos(y[0] - y[1]), d = 2 - c * c;
    return (0.5 * y[2] * y[2] - c * y[2] * y[3] + y[3] * y[3]) / d - g * (2 * std::cos(y[0]) + std::cos(y[1]));
  };
  GaussIntegrator integrator(4, rhs, {.step = 2e-3, .stages = 3});
  integrator.start(0, std::vector<double>{2, 2.5, 0, 0});
  const double e0 = energy(integrator.state());
  double worst = 0;
  while (integrator.time() < 1000) {
    ASSERT_EQ(integrator.step(1000).status, StepStatus::Ok);
    worst = std::max(worst, std::abs(energy(integrator.state()) / e0 - 1));
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(Gauss, SolvesStiffSystemsWithNewton) {
  // y' = -1e6 (y - cos t) - sin t: y = cos t. With h = 0.1, h |df/dy| = 1e5.
  const auto rhs = [](double t, std::span<const double> y, std::span<double> f) {
    f[0] = -1e6 * (y[0] - std::cos(t)) - std::sin(t);
    return RhsStatus::Ok;
  };
  GaussIntegrator integrator(1, rhs, {.step = 0.1, .stages = 2});
  integrator.start(0, std::vector<double>{1});
  testing::run_to(integrator, 5);
  EXPECT_NEAR(integrator.state()[0], std::cos(5.0), 1e-3);
  GaussIntegrator fixed_point(1, rhs, {.step = 0.1, .stages = 2, .iteration = StageIteration::FixedPoint});
  fixed_point.start(0, std::vector<double>{1});
  EXPECT_NE(fixed_point.step().status, StepStatus::Ok);
}

TEST(Gauss, KeepsQuadraticInvariantsOfARigidBody) {
  // Euler's equations: both |L| and the energy are quadratic.
  const double i1 = 1, i2 = 2, i3 = 3.5;
  const auto rhs = [=](double, std::span<const double> w, std::span<double> f) {
    f[0] = (i2 - i3) / i1 * w[1] * w[2];
    f[1] = (i3 - i1) / i2 * w[2] * w[0];
    f[2] = (i1 - i2) / i3 * w[0] * w[1];
    return RhsStatus::Ok;
  };
  const auto energy = [=](std::span<const double> w) { return i1 * w[0] * w[0] + i2 * w[1] * w[1] + i3 * w[2] * w[2]; };
  GaussIntegrator integrator(3, rhs, {.step = 0.05, .stages = 1});
  integrator.start(0, std::vector<double>{0.1, 2, 0.1});
  const double e0 = energy(integrator.state());
  for (int k = 0; k < 20000; ++k) ASSERT_EQ(integrator.step().status, StepStatus::Ok);
  EXPECT_NEAR(energy(integrator.state()) / e0, 1, 1e-13);
}

}  // namespace
}  // namespace kane

#include "kane/solve/stiff.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/solve/auto_switch.hpp"
#include "kane/solve/dormand_prince.hpp"
#include "problems.hpp"

namespace kane {
namespace {

using testing::VanDerPol;

std::unique_ptr<Integrator> make(bool cvode, std::size_t n, Rhs rhs, StiffOptions options) {
  if (cvode) return std::make_unique<CvodeIntegrator>(n, std::move(rhs), std::move(options));
  return std::make_unique<ArkodeIntegrator>(n, std::move(rhs), std::move(options));
}

TEST(Stiff, VanDerPolAgainstTheReferenceValue) {
  for (const bool cvode : {true, false}) {
    for (const bool analytic : {true, false}) {
      StiffOptions options;
      options.adaptive = testing::with_tolerance(cvode ? 1e-9 : 1e-7);
      if (analytic) options.jacobian = VanDerPol::jacobian;
      const auto integrator = make(cvode, 2, VanDerPol::rhs, options);
      integrator->start(0, VanDerPol::start());
      testing::run_to(*integrator, 2);
      EXPECT_NEAR(integrator->state()[0], VanDerPol::at_two()[0], 2e-6) << integrator->name();
      EXPECT_NEAR(integrator->state()[1], VanDerPol::at_two()[1], 2e-6) << integrator->name();
      // An explicit method would need at least 2 / (3.3 epsilon / 2) = 1.2 million.
      EXPECT_LT(integrator->totals().steps, 30000) << integrator->name();
      if (analytic) {
        EXPECT_GT(integrator->totals().jacobians, 0);
      }
      EXPECT_GT(integrator->totals().evaluations, 0);
    }
  }
}

TEST(Stiff, DenseOutputAndLimits) {
  for (const bool cvode : {true, false}) {
    StiffOptions options;
    options.adaptive = testing::with_tolerance(1e-10);
    const auto integrator = make(cvode, 4, testing::NonlinearProblem::rhs, options);
    integrator->start(0, testing::NonlinearProblem::start());
    std::vector<double> y(4);
    double worst = 0;
    while (integrator->time() < 3) {
      ASSERT_EQ(integrator->step(3).status, StepStatus::Ok);
      for (const double s : {0.0, 0.2, 0.5, 0.8, 1.0}) {
        const double t = integrator->previous_time() + s * (integrator->time() - integrator->previous_time());
        ASSERT_EQ(integrator->interpolate(t, y), StepStatus::Ok);
        worst = std::max(worst, testing::distance(y, testing::NonlinearProblem::exact(t)));
      }
    }
    EXPECT_EQ(integrator->time(), 3);
    EXPECT_LT(worst, cvode ? 1e-7 : 1e-5) << integrator->name();
    // Another limit after the first, and back again.
    testing::run_to(*integrator, 3.5);
    EXPECT_LT(testing::distance(integrator->state(), testing::NonlinearProblem::exact(3.5)), 1e-6);
    testing::run_to(*integrator, 3);
    EXPECT_LT(testing::distance(integrator->state(), testing::NonlinearProblem::exact(3)), 1e-6);
    EXPECT_EQ(integrator->step(3).status, StepStatus::Ok);
    EXPECT_EQ(integrator->step(std::nextafter(3.0, 4.0)).status, StepStatus::Ok);
  }
}

TEST(Stiff, ResumeAfterAnImpulse) {
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = y[1], f[1] = -y[0];
    return RhsStatus::Ok;
  };
  for (const bool cvode : {true, false}) {
    StiffOptions options;
    options.adaptive = testing::with_tolerance(1e-9);
    const auto integrator = make(cvode, 2, rhs, options);
    integrator->start(0, std::vector<double>{1, 0});
    testing::run_to(*integrator, 1);
    integrator->resume(1, std::vector<double>{integrator->state()[0], -integrator->state()[1]});
    testing::run_to(*integrator, 2);
    EXPECT_NEAR(integrator->state()[0], 1, 1e-6) << integrator->name();
    EXPECT_NEAR(integrator->state()[1], 0, 1e-6) << integrator->name();
  }
}

TEST(Stiff, ProjectionIsApplied) {
  const auto rhs = [](double, std::span<const double> y, std::span<double> f) {
    f[0] = -y[1], f[1] = y[0];
    return RhsStatus::Ok;
  };
  for (const bool cvode : {true, false}) {
    StiffOptions options;
    options.adaptive = testing::with_tolerance(1e-5);
    const auto integrator = make(cvode, 2, rhs, options);
    integrator->set_projection([](double, std::span<double> y) {
      const double length = std::hypot(y[0], y[1]);
      y[0] /= length, y[1] /= length;
      return ProjectionStatus::Changed;
    });
    integrator->start(0, std::vector<double>{1, 0});
    while (integrator->time() < 20) {
      ASSERT_EQ(integrator->step(20).status, StepStatus::Ok);
      // The last step ends by interpolation at the limit.
      if (integrator->time() < 20) {
        EXPECT_NEAR(std::hypot(integrator->state()[0], integrator->state()[1]), 1, 1e-14);
      }
    }
    EXPECT_NEAR(integrator->state()[0], std::cos(20.0), 1e-2) << integrator->name();
  }
}

TEST(Stiff, FailuresAreExplained) {
  const auto nan_after_one = [](double t, std::span<const double> y, std::span<double> f) {
    f[0] = -y[0];
    f[1] = std::sqrt(1 - t);
    return RhsStatus::Ok;
  };
  const auto stop_after_one = [](double t, std::span<const double> y, std::span<double> f) {
    f[0] = -y[0];
    f[1] = 1;
    return t > 1 ? RhsStatus::Stop : RhsStatus::Ok;
  };
  for (const bool cvode : {true, false}) {
    const auto bad = make(cvode, 2, nan_after_one, {});
    bad->start(0, std::vector<double>{1, 0});
    StepReport report;
    for (int i = 0; i < 10000 && report.status == StepStatus::Ok; ++i) report = bad->step(2);
    EXPECT_NE(report.status, StepStatus::Ok);
    EXPECT_EQ(report.component, 1) << bad->name() << ' ' << to_string(report.status);
    EXPECT_NEAR(report.t, 1, 1e-3) << bad->name();

    const auto stopped = make(cvode, 2, stop_after_one, {});
    stopped->start(0, std::vector<double>{1, 0});
    report = {};
    for (int i = 0; i < 10000 && report.status == StepStatus::Ok; ++i) report = stopped->step(2);
    EXPECT_EQ(report.status, StepStatus::RhsFailed) << stopped->name();
  }
}

TEST(Stiffness, IsDetectedByTheExplicitMethodsAndNotWithoutReason) {
  const auto stiff = [](double t, std::span<const double> y, std::span<double> f) {
    f[0] = -2000 * (y[0] - std::cos(t));
    return RhsStatus::Ok;
  };
  for (const bool high : {false, true}) {
    std::unique_ptr<Integrator> integrator;
    const auto create = [&](std::size_t n, Rhs rhs, double tolerance) {
      if (high) {
        integrator = std::make_unique<DormandPrince853>(n, std::move(rhs), testing::with_tolerance(tolerance));
      } else {
        integrator = std::make_unique<DormandPrince54>(n, std::move(rhs), testing::with_tolerance(tolerance));
      }
    };
    create(1, stiff, 1e-6);
    integrator->start(0, std::vector<double>{0});
    bool found = false;
    while (integrator->time() < 3) found = integrator->step(3).stiff || found;
    EXPECT_TRUE(found) << integrator->name();
    create(4, testing::Kepler::rhs, 1e-6);
    integrator->start(0, testing::Kepler::start(0.9));
    found = false;
    while (integrator->time() < 100) found = integrator->step(100).stiff || found;
    EXPECT_FALSE(found) << integrator->name();
  }
}

TEST(AdaptiveIntegrator, SwitchesWhenStiffAndStaysOtherwise) {
  AutoSwitchOptions options;
  options.adaptive = testing::with_tolerance(1e-8);
  options.jacobian = VanDerPol::jacobian;
  AdaptiveIntegrator stiff(2, VanDerPol::rhs, options);
  EXPECT_EQ(stiff.name(), "dopri5");
  stiff.start(0, VanDerPol::start());
  std::vector<double> y(2);
  while (stiff.time() < 2) {
    ASSERT_EQ(stiff.step(2).status, StepStatus::Ok);
    ASSERT_EQ(stiff.interpolate(0.5 * (stiff.previous_time() + stiff.time()), y), StepStatus::Ok);
  }
  EXPECT_TRUE(stiff.stiff());
  EXPECT_EQ(stiff.name(), "cvode");
  EXPECT_NEAR(stiff.state()[0], VanDerPol::at_two()[0], 1e-5);
  EXPECT_LT(stiff.totals().steps, 20000);

  options.adaptive = testing::with_tolerance(1e-12);
  options.jacobian = {};
  AdaptiveIntegrator smooth(4, testing::Kepler::rhs, options);
  EXPECT_EQ(smooth.name(), "dop853");
  smooth.start(0, testing::Kepler::start(0.6));
  testing::run_to(smooth, 2 * M_PI);
  EXPECT_FALSE(smooth.stiff());
  EXPECT_LT(testing::distance(smooth.state(), testing::Kepler::start(0.6)), 1e-9);
}

}  // namespace
}  // namespace kane

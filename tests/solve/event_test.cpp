#include "kane/solve/events.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kane/solve/dormand_prince.hpp"
#include "kane/solve/fixed_step.hpp"
#include "kane/solve/gauss.hpp"
#include "kane/solve/root.hpp"
#include "kane/solve/stiff.hpp"
#include "problems.hpp"

namespace kane {
namespace {

TEST(Root, IsLocatedToNeighbouringDoubles) {
  const auto check = [](auto f, double a, double b, double exact) {
    const Root root = find_root(f, a, b);
    ASSERT_TRUE(root.ok());
    EXPECT_LE(std::abs(root.after - exact), 4 * std::numeric_limits<double>::epsilon() * std::abs(exact));
    EXPECT_LE(std::abs(root.after - root.before), 2 * std::numeric_limits<double>::epsilon() * std::abs(exact));
    EXPECT_TRUE(f(root.before) == 0 || f(root.before) * f(a) > 0);
    EXPECT_TRUE(f(root.after) == 0 || f(root.after) * f(a) < 0);
    EXPECT_LT(root.evaluations, 140);
  };
  check([](double x) { return x * x - 2; }, 0, 2, std::sqrt(2.0));
  check([](double x) { return 2 - x * x; }, 3, 0.5, std::sqrt(2.0));
  check([](double x) { return std::cos(x) - x; }, 0, 1, 0.73908513321516064);
  check([](double x) { return std::pow(x - 1, 9); }, 0, 3, 1.0);
  check([](double x) { return x < 1.25 ? -1.0 : 1.0; }, 0, 2, 1.25);  // a jump
  check([](double x) { return std::exp(20 * x) - 2; }, -5, 5, std::log(2.0) / 20);
}

TEST(Root, UsesFewEvaluationsOnSmoothFunctions) {
  const Root root = find_root([](double x) { return std::sin(x) - 0.3; }, 0, 1, 1e-12);
  EXPECT_LT(root.evaluations, 12);
  EXPECT_NEAR(root.nearest(), std::asin(0.3), 1e-12);
}

TEST(Root, SaysWhyNot) {
  EXPECT_EQ(find_root([](double) { return 1.0; }, 0, 1).status, RootStatus::NoBracket);
  EXPECT_EQ(find_root([](double x) { return x > 0.2 ? std::nan("") : -1.0; }, 0, -1.0, 1, 1.0).status,
            RootStatus::NotFinite);
  const Root at_end = find_root([](double x) { return x - 1; }, 0, 1);
  EXPECT_EQ(at_end.after, 1);
}

TEST(Minimum, IsFound) {
  const Extremum dip = find_minimum([](double x) { return (x - 0.3) * (x - 0.3) + 0.5; }, 0, 1, 1e-9, 0);
  EXPECT_NEAR(dip.at, 0.3, 1e-7);
  EXPECT_LT(dip.evaluations, 40);
  const Extremum early = find_minimum([](double x) { return std::abs(x) - 0.4; }, -1, 1, 1e-9, 0);
  EXPECT_LE(early.value, 0);
}

// --- bouncing ball ------------------------------------------------------------------------------------------------

constexpr double kGravity = 9.81;

RhsStatus ball(double, std::span<const double> y, std::span<double> f) {
  f[0] = y[1];
  f[1] = -kGravity;
  return RhsStatus::Ok;
}

void height(double, std::span<const double> y, std::span<double> g) { g[0] = y[0]; }

/// Drops the ball from a height of 2 and collects the times of the bounces.
std::vector<double> bounce(Integrator& integrator, double restitution, double t_end, std::size_t most) {
  EventLocator events(2, {{Crossing::Falling}}, height);
  std::vector<double> y = {2, 0}, times;
  integrator.start(0, y);
  events.start(0, y);
  while (integrator.time() < t_end && times.size() < most) {
    EXPECT_EQ(integrator.step(t_end).status, StepStatus::Ok);
    const EventStatus status = events.find(integrator);
    if (status == EventStatus::None) {
      EXPECT_GT(integrator.state()[0], -1e-13) << "fell through at t = " << integrator.time();
      if (integrator.state()[0] < -1e-9) break;
      continue;
    }
    EXPECT_EQ(status, EventStatus::Found);
    EXPECT_EQ(events.hits().size(), 1u);
    EXPECT_FALSE(events.hits()[0].rising);
    EXPECT_EQ(integrator.interpolate(events.time(), y), StepStatus::Ok);
    y[1] = -restitution * y[1];
    times.push_back(events.time());
    integrator.resume(events.time(), y);
    events.resume(events.time(), y);
  }
  return times;
}

/// t_0 = sqrt(2 h / g), flight k takes 2 t_0 e^k.
std::vector<double> exact_bounces(double restitution, std::size_t count) {
  const double first = std::sqrt(2 * 2 / kGravity);
  std::vector<double> times;
  double t = first, flight = 2 * first;
  for (std::size_t k = 0; k < count; ++k) {
    times.push_back(t);
    flight *= restitution;
    t += flight;
  }
  return times;
}

TEST(Events, BouncingBallAgreesWithTheClosedForm) {
  DormandPrince54 five(2, ball, testing::with_tolerance(1e-10));
  DormandPrince853 eight(2, ball, testing::with_tolerance(1e-10));
  RungeKutta4 four(2, ball, 0.01);
  GaussIntegrator gauss(2, ball, {.step = 0.013, .stages = 2});
  const std::vector<double> exact = exact_bounces(0.8, 12);
  for (Integrator* integrator : {static_cast<Integrator*>(&five), static_cast<Integrator*>(&eight),
                                 static_cast<Integrator*>(&four), static_cast<Integrator*>(&gauss)}) {
    const std::vector<double> times = bounce(*integrator, 0.8, 10, 12);
    ASSERT_EQ(times.size(), exact.size()) << integrator->name();
    for (std::size_t k = 0; k < times.size(); ++k) {
      // Rounding adds up from bounce to bounce. The interpolation of the method of order 8 has coefficients up to 374.
      const double rounding = integrator == &eight ? 1e-14 : 2e-15;
      EXPECT_NEAR(times[k] / exact[k], 1, rounding * static_cast<double>(k + 1)) << integrator->name() << ' ' << k;
    }
  }
}

TEST(Events, BouncesOfZenoAreAllFoundDownToRounding) {
  // With restitution 1/2, flight k takes 2^-k of the first: after 35 bounces, 4e-11 s, far below any step.
  const std::vector<double> exact = exact_bounces(0.5, 35);
  for (const bool high : {false, true}) {
    std::unique_ptr<Integrator> integrator;
    if (high) {
      integrator = std::make_unique<DormandPrince853>(2, ball, testing::with_tolerance(1e-8));
    } else {
      integrator = std::make_unique<DormandPrince54>(2, ball, testing::with_tolerance(1e-8));
    }
    const std::vector<double> times = bounce(*integrator, 0.5, 10, 35);
    ASSERT_EQ(times.size(), exact.size());
    for (std::size_t k = 0; k < times.size(); ++k)
      EXPECT_NEAR(times[k] / exact[k], 1, (high ? 1e-14 : 2e-15) * static_cast<double>(k + 1)) << k;
  }
}

TEST(Events, WithCvode) {
  StiffOptions options;
  options.adaptive = testing::with_tolerance(1e-9);
  CvodeIntegrator integrator(2, ball, options);
  const std::vector<double> times = bounce(integrator, 0.8, 10, 6), exact = exact_bounces(0.8, 6);
  ASSERT_EQ(times.size(), exact.size());
  for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], exact[k], 1e-6);
}

// --- several functions on uniform motion: y = t -------------------------------------------------------------------

RhsStatus clock(double, std::span<const double>, std::span<double> f) {
  f[0] = 1;
  return RhsStatus::Ok;
}

/// All events on y = t from 0 to t_end, without a change of state: {index, time} in the order found.
std::vector<EventHit> list_events(Integrator& integrator, EventLocator& events, double t_end) {
  std::vector<EventHit> all;
  std::vector<double> y = {integrator.time()};
  while (integrator.time() != t_end) {
    EXPECT_EQ(integrator.step(t_end).status, StepStatus::Ok);
    while (events.find(integrator) == EventStatus::Found) {
      all.insert(all.end(), events.hits().begin(), events.hits().end());
      EXPECT_EQ(integrator.interpolate(events.time(), y), StepStatus::Ok);
      events.resume(events.time(), y);
    }
  }
  return all;
}

TEST(Events, DirectionsOrderAndSimultaneity) {
  const auto g = [](double, std::span<const double> y, std::span<double> out) {
    out[0] = std::sin(M_PI * y[0]);   // zero at every whole number
    out[1] = -std::sin(M_PI * y[0]);  // at the same instants
    out[2] = y[0] - 1.5;
    out[3] = 2.25 - y[0];
    out[4] = std::sin(M_PI * y[0]);  // only where it rises
  };
  RungeKutta4 integrator(1, clock, 0.7);
  integrator.start(0.5, std::vector<double>{0.5});
  EventLocator events(
      1, {{Crossing::Both}, {Crossing::Both}, {Crossing::Rising}, {Crossing::Rising}, {Crossing::Rising}}, g);
  events.start(0.5, std::vector<double>{0.5});
  const std::vector<EventHit> all = list_events(integrator, events, 3.3);
  const std::vector<std::pair<int, double>> expected = {{0, 1}, {1, 1}, {2, 1.5}, {0, 2},
                                                        {1, 2}, {4, 2}, {0, 3},   {1, 3}};
  ASSERT_EQ(all.size(), expected.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].index, expected[i].first) << i;
    EXPECT_NEAR(all[i].time, expected[i].second, 1e-14) << i;
  }
  EXPECT_FALSE(all[0].rising);
  EXPECT_TRUE(all[1].rising);
}

TEST(Events, BackwardsInTime) {
  const auto g = [](double, std::span<const double> y, std::span<double> out) { out[0] = y[0] - 1.25; };
  DormandPrince54 integrator(1, clock, testing::with_tolerance(1e-9));
  integrator.start(3, std::vector<double>{3});
  EventLocator events(1, {{Crossing::Falling}}, g);
  events.start(3, std::vector<double>{3});
  const std::vector<EventHit> all = list_events(integrator, events, 0);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].time, 1.25, 1e-14);
}

TEST(Events, TwoCrossingsInsideOneStepAreFound) {
  // A short dip below zero, with the width of a hundredth of the step.
  for (const double centre : {0.13, 0.31, 0.5, 0.77, 0.96}) {
    const double half = 0.005;
    const auto g = [&](double, std::span<const double> y, std::span<double> out) {
      out[0] = (y[0] - centre) * (y[0] - centre) - half * half;
    };
    RungeKutta4 integrator(1, clock, 1.0);
    integrator.start(0, std::vector<double>{0});
    EventLocator events(1, {{Crossing::Both}}, g);
    events.start(0, std::vector<double>{0});
    const std::vector<EventHit> all = list_events(integrator, events, 1);
    ASSERT_EQ(all.size(), 2u) << centre;
    EXPECT_NEAR(all[0].time, centre - half, 1e-13);
    EXPECT_NEAR(all[1].time, centre + half, 1e-13);
    EventLocator rising(1, {{Crossing::Rising}}, g);
    integrator.start(0, std::vector<double>{0});
    rising.start(0, std::vector<double>{0});
    const std::vector<EventHit> one = list_events(integrator, rising, 1);
    ASSERT_EQ(one.size(), 1u) << centre;
    EXPECT_NEAR(one[0].time, centre + half, 1e-13);
  }
}

TEST(Events, AFunctionThatStartsAtZeroFiresOnlyAfterItHasLeft) {
  const auto g = [](double, std::span<const double> y, std::span<double> out) {
    out[0] = std::sin(M_PI * y[0]);
    out[1] = 0;  // never leaves
  };
  RungeKutta4 integrator(1, clock, 0.3);
  integrator.start(0, std::vector<double>{0});
  EventLocator events(1, {{Crossing::Both}, {Crossing::Both}}, g);
  events.start(0, std::vector<double>{0});
  const std::vector<EventHit> all = list_events(integrator, events, 1.5);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_NEAR(all[0].time, 1, 1e-15);
}

TEST(Events, InactiveFunctionsAreNotLookedAt) {
  const auto g = [](double, std::span<const double> y, std::span<double> out) {
    out[0] = y[0] - 0.5;
    out[1] = std::nan("");
  };
  RungeKutta4 integrator(1, clock, 0.3);
  integrator.start(0, std::vector<double>{0});
  EventLocator events(1, {{Crossing::Both}, {Crossing::Both}}, g);
  events.start(0, std::vector<double>{0});
  EXPECT_EQ(integrator.step(2).status, StepStatus::Ok);
  EXPECT_EQ(events.find(integrator), EventStatus::NotFinite);
  EXPECT_EQ(events.failed(), 1);
  events.set_active(1, false);
  EXPECT_EQ(list_events(integrator, events, 2).size(), 1u);
  events.set_active(0, false);
  integrator.start(0, std::vector<double>{0});
  events.start(0, std::vector<double>{0});
  EXPECT_TRUE(list_events(integrator, events, 2).empty());
}

TEST(Events, EndsOnlyCostsNoInterpolation) {
  const auto g = [](double, std::span<const double> y, std::span<double> out) { out[0] = y[0] - 50; };
  for (const int samples : {0, 3}) {
    DormandPrince853 integrator(4, testing::Kepler::rhs, testing::with_tolerance(1e-9));
    integrator.start(0, testing::Kepler::start(0.2));
    EventLocator events(4, {{Crossing::Both}}, g, {.samples = samples});
    events.start(0, testing::Kepler::start(0.2));
    while (integrator.time() < 6) {
      ASSERT_EQ(integrator.step(6).status, StepStatus::Ok);
      ASSERT_EQ(events.find(integrator), EventStatus::None);
    }
    const IntegratorTotals& totals = integrator.totals();
    const long dense = samples == 0 ? 0 : 3 * totals.steps;
    EXPECT_EQ(totals.evaluations, 2 + 12 * (totals.steps + totals.rejected) + dense);
  }
}

TEST(Events, PerihelionPassagesOfAKeplerOrbit) {
  // r . v changes sign from falling to rising distance at t = 2 pi k.
  const auto g = [](double, std::span<const double> y, std::span<double> out) { out[0] = y[0] * y[2] + y[1] * y[3]; };
  DormandPrince853 integrator(4, testing::Kepler::rhs, testing::with_tolerance(1e-13));
  const std::vector<double> start = testing::Kepler::exact(0.4, 1.0);
  integrator.start(1, start);
  EventLocator events(4, {{Crossing::Rising}}, g);
  events.start(1, start);
  std::vector<double> times;
  while (times.size() < 4) {
    ASSERT_EQ(integrator.step().status, StepStatus::Ok);
    if (events.find(integrator) != EventStatus::Found) continue;
    times.push_back(events.time());
    std::vector<double> y(4);
    ASSERT_EQ(integrator.interpolate(events.time(), y), StepStatus::Ok);
    integrator.resume(events.time(), y);
    events.resume(events.time(), y);
  }
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(times[k], 2 * M_PI * static_cast<double>(k + 1), 1e-9);
}

}  // namespace
}  // namespace kane

// Andrews' squeezing mechanism and the car axis against the figures of the Test Set for IVP Solvers, and against the same
// equations integrated at higher precision (long double, step halved until twelve digits agreed).

#include <gtest/gtest.h>

#include <cmath>

#include "models.hpp"

namespace kane::test {
namespace {

struct End {
  State state;
  std::vector<double> udot, lambda;
};

End run_to_end(const Model& model, double until) {
  Simulator sim(model.system, {.tolerance = 1e-11});
  sim.start(sim.assemble(model.initial(), model.given()));
  const RunReport report = sim.run({.until = until});
  EXPECT_EQ(report.status, RunStatus::Done);
  EXPECT_LT(report.constraints.configuration, 1e-12);
  EXPECT_FALSE(sim.calc_reports(sim.state()).empty());
  return {sim.state(), {sim.udot().begin(), sim.udot().end()}, {sim.multipliers().begin(), sim.multipliers().end()}};
}

/// Relative to the largest number of the group.
void expect_near(const std::vector<double>& computed, const std::vector<double>& reference, double tolerance,
                 const char* what) {
  ASSERT_EQ(computed.size(), reference.size());
  for (std::size_t i = 0; i < computed.size(); ++i)
    EXPECT_NEAR(computed[i], reference[i], tolerance * std::max(1e-3, std::abs(reference[i]))) << what << " " << i;
}

TEST(Published, AndrewsSqueezingMechanism) {
  const End end = run_to_end(load_model("andrews"), 0.03);
  expect_near(end.state.q,
              {15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
               0.5347301163226948, 1.048080741042263},
              1e-9, "published q");
  expect_near(end.state.u,
              {1139.920302151208, -1424.379294994111, 11.03291221937134, 19.29337464421385, 0.5735699284790808,
               -19.29337464421385, 0.3231791658026955},
              1e-7, "published v");
  expect_near(end.udot,
              {-24631.76316945196, 51850.37701610329, 324102.5686413781, 566749.3645176213, 16743.62929479361,
               -566749.3645176222, 9826.520791458422},
              5e-6, "published acceleration");
  // There M q'' = f - G^T lambda.
  std::vector<double> lambda;
  for (const double l : end.lambda) lambda.push_back(-l);
  expect_near(lambda,
              {199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927, 22.64249232082739,
               11.61740700019673},
              5e-6, "published lambda");
  // The reference values themselves are good to about 1e-10; these are better.
  expect_near(end.state.q,
              {15.81077119515367, -15.75637105841180, 0.04082224011965290, -0.5347301163420678, 0.5244099658799520,
               0.5347301163420674, 1.048080741041946},
              1e-11, "q at high precision");
  expect_near(end.state.u,
              {1139.920302259109, -1424.379295177545, 11.03291191060981, 19.29337410501659, 0.5735699148287516,
               -19.29337410501665, 0.3231791492498537},
              1e-10, "v at high precision");
}

// The multistep method remembers what projections change; its arms are short, its tolerance is tight.
TEST(Published, AndrewsSqueezingMechanismByCvode) {
  const Model model = load_model("andrews");
  for (const double tolerance : {1e-8, 1e-10}) {
    Simulator sim(model.system, {.method = Method::Cvode, .tolerance = tolerance});
    sim.start(sim.assemble(model.initial(), model.given()));
    const RunReport report = sim.run({.until = 0.03});
    ASSERT_EQ(report.status, RunStatus::Done);
    EXPECT_LT(report.constraints.configuration, 1e-13);
    expect_near(sim.state().q,
                {15.81077119515367, -15.75637105841180, 0.04082224011965290, -0.5347301163420678, 0.5244099658799520,
                 0.5347301163420674, 1.048080741041946},
                10 * tolerance, "q at high precision");
    expect_near(sim.state().u,
                {1139.920302259109, -1424.379295177545, 11.03291191060981, 19.29337410501659, 0.5735699148287516,
                 -19.29337410501665, 0.3231791492498537},
                1000 * tolerance, "v at high precision");
  }
}

TEST(Published, AndrewsBeginsWithThePublishedAccelerations) {
  const Model model = load_model("andrews");
  Simulator sim(model.system);
  sim.start(model.initial());
  ASSERT_FALSE(sim.calc_reports(sim.state()).empty());
  expect_near({sim.udot().begin(), sim.udot().end()},
              {14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0}, 1e-8, "acceleration");
  EXPECT_NEAR(sim.multipliers()[0], -98.5668703962410896057654982170, 1e-9);
  EXPECT_NEAR(sim.multipliers()[1], 6.12268834425566265503114393122, 1e-9);
}

TEST(Published, CarAxis) {
  const End end = run_to_end(load_model("car_axis"), 3);
  expect_near(end.state.q,
              {.0493455784275402809122, .496989460230171153861, 1.04174252488542151681, .373911027265361256927}, 1e-11,
              "q");
  expect_near(end.state.u,
              {-.0770583684040972357970, .00744686658723778553466, .0175568157537232222276, .770341043779251976443},
              1e-9, "v");
  EXPECT_NEAR(end.lambda[0], -.00473688659084893324729, 1e-12);
  EXPECT_NEAR(end.lambda[1], -.00110468033125734368808, 1e-12);
}

}  // namespace
}  // namespace kane::test

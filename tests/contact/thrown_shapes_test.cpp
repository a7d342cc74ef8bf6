// Whatever is thrown, however it lands: the run goes on, energy never rises, and nothing sinks in.

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "tests/contact/run_hybrid.hpp"

namespace kane::test {
namespace {

/// A prism as a mesh; points of files are only nearly in one plane.
std::string prism(int sides, double noise) {
  std::string points;
  for (int i = 0; i < 2 * sides; ++i) {
    const double angle = 2 * std::numbers::pi * i / sides, jitter = noise * std::sin(37.0 * i);
    points += fmt::format("{}[{:.10f}, {:.10f}, {:.10f}]", i == 0 ? "" : ", ", 0.05 * std::cos(angle) + jitter,
                          0.05 * std::sin(angle) - jitter, (i < sides ? -0.03 : 0.03) + jitter);
  }
  return "{mesh: [" + points + "]}";
}

class ThrownShapes : public testing::TestWithParam<std::string> {};

TEST_P(ThrownShapes, LoseEnergyAndStayAboveTheGround) {
  std::mt19937 random(11);
  std::normal_distribution<double> number;
  for (const std::string ground : {"between: [B, N], plane: N.z", "between: [B, T]"})
    for (const double friction : {0.1, 0.4, 0.9}) {
      const Model model = parse_model(fmt::format(
          "kane: 1\ngravity: -9.81*N.z\nbodies:\n  B: {{mass: 1, inertia: [0.001, 0.0011, 0.0012], geometry: {}}}\n"
          "  T: {{geometry: {{box: [4, 4, 0.1]}}}}\njoints:\n"
          "  free: {{type: free, parent: N, child: B, coordinates: [x, y, z, e1, e2, e3, e4]}}\n"
          "  fixed: {{type: weld, parent: N, child: T, at: [0, 0, -0.05]}}\n"
          "contacts: {{c: {{{}, friction: {}, restitution: 0.3}}}}\noutputs: {{E: energy}}\n",
          GetParam(), ground, friction));
      State s = model.initial();
      s.q[2] = 0.12;
      double norm = 0;
      for (std::size_t i = 3; i < 7; ++i) s.q[i] = number(random), norm = std::hypot(norm, s.q[i]);
      for (std::size_t i = 3; i < 7; ++i) s.q[i] /= norm;
      for (double& u : s.u) u = number(random);
      SCOPED_TRACE(fmt::format("{} {}", ground, friction));
      for (const State& now : run_losing(model, s, 0.8).samples) ASSERT_GT(now.q[2], -1e-6) << "t = " << now.t;
    }
}

INSTANTIATE_TEST_SUITE_P(All, ThrownShapes,
                         testing::Values("{box: [0.1, 0.06, 0.04]}", "{capsule: {radius: 0.03, length: 0.1}}",
                                         "{cylinder: {radius: 0.04, length: 0.06}}", "{disk: {radius: 0.05}}",
                                         "{cone: {radius: 0.04, length: 0.08}}", prism(16, 0), prism(32, 1e-8)));

}  // namespace
}  // namespace kane::test

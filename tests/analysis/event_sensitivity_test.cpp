// Derivatives of runs through events, against closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "kane/analysis/sensitivity_study.hpp"
#include "kane/base/error.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane::test {
namespace {

constexpr const char* kBall = R"(
kane: 1
name: ball
parameters: {m: 1 kg, g: 9.81 m/s^2, e: 0.8}
gravity: -g*N.y
bodies: {b: {mass: m}}
joints:
  j: {type: prismatic, parent: N, child: b, axis: y, coordinate: y, speed: v}
contacts:
  floor: {point: b, plane: N.y, restitution: e}
initial: {y: 1}
)";

/// With T = sqrt(2 h/g), impacts are at T, T + 2 e T, ...; after the second one y = e^2 g T s - g s^2/2, s = t - T (1 + 2 e).
TEST(EventSensitivity, ABallThatBouncesTwice) {
  SensitivityStudy study(read_model_text(kBall, "ball"), {},
                         {.parameters = {"e", "y", "g", "m"}, .outputs = {"y", "v"}, .until = 1.5});
  double largest = 0;
  const SensitivityReport report = study.run([&](std::span<const double> row) {
    const double t = row[0], e = 0.8, g = 9.81, h = 1, T = std::sqrt(2 * h / g), s = t - T * (1 + 2 * e);
    if (s < 0) return;
    const double by_T = e * e * g * s - (e * e * g * T - g * s) * (1 + 2 * e), dT_dg = -T / (2 * g);
    const double by_e = 2 * e * g * T * s - 2 * T * (e * e * g * T - g * s);
    const double dy[] = {by_e, by_T * T / (2 * h), e * e * T * s - s * s / 2 + by_T * dT_dg, 0};
    const double dv_dT = e * e * g + g * (1 + 2 * e);
    const double dv[] = {2 * e * g * T + 2 * g * T, dv_dT * T / (2 * h), e * e * T - s + dv_dT * dT_dg, 0};
    for (std::size_t k = 0; k < 4; ++k) {
      largest = std::max(largest, std::abs(row[3 + k] - dy[k]));
      largest = std::max(largest, std::abs(row[7 + k] - dv[k]));
    }
  });
  EXPECT_EQ(report.failure, "");
  EXPECT_TRUE(report.differences);
  EXPECT_EQ(report.samples, 1001U);
  EXPECT_LT(largest, 2e-6);
  EXPECT_LT(report.disagreement, 1e-5);
}

/// A block that slides to rest: x = v^2/(2 mu g) does not change any more.
TEST(EventSensitivity, ABlockThatStops) {
  const Model model = read_model_text(R"(
kane: 1
name: block
parameters: {m: 1 kg, g: 9.81 m/s^2, mu: 0.4}
gravity: -g*N.y
bodies: {b: {mass: m, inertia: [1, 1, 1]}}
joints:
  j: {type: planar, parent: N, child: b, coordinates: [x, y, a], speeds: [u, v, w]}
contacts:
  floor: {point: b, plane: N.y, friction: mu}
initial: {u: 2}
)",
                                      "block");
  SensitivityStudy study(model, {}, {.parameters = {"mu", "u"}, .outputs = {"x", "u"}, .until = 1});
  const SensitivityReport report = study.run();
  EXPECT_EQ(report.failure, "");
  EXPECT_NEAR(report.last(0, 0), -4 / (2 * 0.4 * 0.4 * 9.81), 1e-6);
  EXPECT_NEAR(report.last(0, 1), 2 / (0.4 * 9.81), 1e-6);
  EXPECT_NEAR(report.last(1, 0), 0, 1e-9);
}

TEST(EventSensitivity, NamesWhatItDoesNotKnow) {
  const Model model = read_model_text(kBall, "ball");
  EXPECT_THROW(SensitivityStudy(model, {}, {.parameters = {"e"}, .outputs = {"y + 1"}}), ModelError);
  EXPECT_THROW(SensitivityStudy(model, {}, {.parameters = {"ee"}}), ModelError);
}

}  // namespace
}  // namespace kane::test

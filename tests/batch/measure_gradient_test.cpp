// Derivatives of measures against closed forms.

#include "kane/batch/measure_gradient.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

/// x'' = -c x from x.
const char* const kGradientModel = R"(
kane: 1
name: oscillator
parameters: {m: 1 kg, c: 4 N/m}
bodies: {block: {mass: m}}
joints: {rail: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, stiffness: c}}
initial: {x: 1}
)";

Study gradient_study(std::vector<std::pair<const char*, const char*>> vary) {
  StudyOptions o;
  for (const auto& [name, text] : vary) o.variables.push_back(parse_study_variable(name, text));
  o.runs = 1;
  return Study(o);
}

// x = cos(w t), w^2 = c: derivatives of everything that a measure can be.
TEST(MeasureGradient, AgreesWithClosedForms) {
  const std::vector<MeasureText> measures = {
      {"", "end(x)", {}},       {"", "integral(x)", {}},     {"", "rms(x)", {}},
      {"", "first(x < 0)", {}}, {"", "min(x)*c", {}},        {"", "max(u_x)", {}},
      {"", "at(x, 0.7)", {}},   {"", "duration(x > 0)", {}}, {"", "quantile(x, 0.5)", {}}};
  const Sweep sweep(read_model_text(kGradientModel, "x.yaml"), gradient_study({{"c", "1..9"}, {"x", "0.5..2"}}),
                    measures, {.until = 2.5});
  MeasureGradient gradient(sweep, {8, 1.5});
  const double c = 3.7, w = std::sqrt(c), t = 2.5, a = 1.2, dw = 0.5 / w;  // dw/dc
  Matrix d;
  ASSERT_EQ(gradient.calc(std::vector<double>{c, a}, d), "");
  EXPECT_NEAR(d(0, 0), -a * t * std::sin(w * t) * dw, 1e-7);
  EXPECT_NEAR(d(0, 1), std::cos(w * t), 1e-7);
  EXPECT_NEAR(d(1, 0), a * dw * (t * std::cos(w * t) / w - std::sin(w * t) / c), 1e-7);
  const double square = 0.5 + std::sin(2 * w * t) / (4 * w * t);
  const double dsquare =
      (std::cos(2 * w * t) * 2 * t * 4 * w * t - std::sin(2 * w * t) * 4 * t) / (16 * c * t * t) * dw;
  EXPECT_NEAR(d(2, 0), a * 0.5 * dsquare / std::sqrt(square), 1e-7);
  EXPECT_NEAR(d(2, 1), std::sqrt(square), 1e-7);
  EXPECT_NEAR(d(3, 0), -M_PI / 2 / c * dw, 1e-7);
  EXPECT_NEAR(d(3, 1), 0, 1e-7);
  EXPECT_NEAR(d(4, 0), -a, 1e-6);
  EXPECT_NEAR(d(4, 1), -c, 1e-6);
  EXPECT_NEAR(d(5, 0), a * dw, 1e-5);
  EXPECT_NEAR(d(6, 0), -a * 0.7 * std::sin(0.7 * w) * dw, 1e-7);
  // positive until pi/(2w), and again from 3 pi/(2w) = 2.45 on: t - pi/w
  EXPECT_NEAR(d(7, 0), M_PI / c * dw, 1e-6);
}

TEST(MeasureGradient, RefusesWhatHasNone) {
  const Model ball = read_model(std::string(KANE_SOURCE_DIR) + "/models/bouncing_ball.yaml");
  const std::string q = ball.equations().q.front().name();
  const Sweep sweep(ball, gradient_study({{q.c_str(), "1..2"}}), {{"", q, {}}}, {.until = 0.1});
  EXPECT_THROW(MeasureGradient(sweep, {1}), ModelError);
}

}  // namespace
}  // namespace kane

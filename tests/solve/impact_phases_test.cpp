#include "kane/solve/impact_phases.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>

namespace kane {
namespace {

using Ratio = ImpactLaw::Ratio;

/// A contact in the plane: the impact in p_n piece by piece, exactly.
class PlaneImpact {
 public:
  PlaneImpact(double wn, double wnt, double wt, double mu) : wn_(wn), wnt_(wnt), wt_(wt), mu_(mu) {}

  std::array<double, 2> solve(double vn, double vt, const ImpactLaw& law) {
    v_ = {vn, vt}, p_ = {0, 0}, work_ = 0;
    advance([](double, double) { return -1.0; }, true);
    const double taken = -work_, pressed = p_[0], e = law.restitution;
    work_ = 0;
    const double before = p_[0];
    advance(
        [&](double slope, double left) {
          switch (law.ratio) {
            case Ratio::Speeds: return (-e * vn - v_[0]) / slope;
            case Ratio::Impulses: return before + e * pressed - p_[0];
            case Ratio::Work: {
              const double need = e * e * taken - work_;
              return (-v_[0] + std::sqrt(v_[0] * v_[0] + 2 * slope * need)) / slope;
            }
          }
          return left;
        },
        false);
    return p_;
  }

 private:
  /// dp_t/dp_n of the present sliding, or of what begins at rest.
  [[nodiscard]] double drag() const {
    if (std::abs(v_[1]) > 1e-14) return v_[1] > 0 ? -mu_ : mu_;
    const double hold = -wnt_ / wt_;
    return std::abs(hold) <= mu_ ? hold : std::copysign(mu_, hold);
  }
  template <class End>
  void advance(const End& end, bool compression) {
    for (int piece = 0; piece < 6; ++piece) {
      const double r = drag(), slope = wn_ + wnt_ * r, turn = wnt_ + wt_ * r;
      double length = compression ? -v_[0] / slope : end(slope, 0.0);
      const double stop = v_[1] * turn < 0 ? -v_[1] / turn : 1e300;
      const bool stops = stop < length;
      length = std::min(length, stop);
      work_ += v_[0] * length + slope * length * length / 2;
      p_[0] += length, p_[1] += r * length;
      v_[0] += slope * length, v_[1] += turn * length;
      if (stops) v_[1] = 0;
      if (!stops) return;
    }
  }

  double wn_, wnt_, wt_, mu_, work_ = 0;
  std::array<double, 2> v_{}, p_{};
};

// Rods that slide, stop, hold or slide back while they are pressed, by all three laws.
TEST(ImpactPhases, APlaneContactAgreesWithItsPieces) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  ImpactPhases phases(1, 1);
  int reversed = 0;
  for (int k = 0; k < 300; ++k) {
    const double wn = 1 + unit(random), wt = 1 + unit(random), wnt = 1.2 * (unit(random) - 0.5), mu = unit(random);
    if (wn - mu * std::abs(wnt) < 0.2) continue;  // jams: its compression may not end
    const Matrix w = [&] {
      Matrix m(2, 2);
      m(0, 0) = wn, m(0, 1) = m(1, 0) = wnt, m(1, 1) = wt;
      return m;
    }();
    const ImpactLaw law{static_cast<Ratio>(k % 3), unit(random)};
    const std::array<double, 2> v0{-1 - unit(random), 2 * (unit(random) - 0.5)};
    const FrictionTerm friction{.first = 1, .rows = 1, .contact = 0, .mu = mu};
    std::array<double, 2> p{};
    ASSERT_TRUE(phases.solve(w.view(), v0, {&friction, 1}, {&law, 1}, p));
    const auto expected = PlaneImpact(wn, wnt, wt, mu).solve(v0[0], v0[1], law);
    EXPECT_NEAR(p[0], expected[0], 5e-5 * expected[0]) << k;
    EXPECT_NEAR(p[1], expected[1], 5e-5 * expected[0]) << k;
    const double vt = v0[1] + wnt * p[0] + wt * p[1];
    reversed += vt * v0[1] < -1e-6 ? 1 : 0;
  }
  EXPECT_GT(reversed, 5);
}

// In space the direction of sliding turns: dv_t/dp_n = W_tn - mu W_tt v_t/|v_t|, here by the Runge-Kutta method.
TEST(ImpactPhases, SlidingTurnsInSpace) {
  Matrix w(3, 3);
  const double entries[3][3] = {{1.5, 0.3, -0.2}, {0.3, 2.0, 0.4}, {-0.2, 0.4, 1.1}};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) w(i, j) = entries[i][j];
  const double mu = 0.25;
  const std::array<double, 3> v0{-1, 0.9, -0.7};
  const FrictionTerm friction{.first = 1, .rows = 2, .contact = 0, .mu = mu};
  const ImpactLaw law{Ratio::Impulses, 0.6};
  std::array<double, 3> p{};
  ImpactPhases phases(1, 1);
  ASSERT_TRUE(phases.solve(w.view(), v0, {&friction, 1}, {&law, 1}, p));

  std::array<double, 5> y{v0[0], v0[1], v0[2], 0, 0};  // speeds, and the impulses of friction
  const auto rate = [&](const std::array<double, 5>& x) {
    const double size = std::hypot(x[1], x[2]), a = -mu * x[1] / size, b = -mu * x[2] / size;
    std::array<double, 5> r{};
    for (std::size_t i = 0; i < 3; ++i) r[i] = w(i, 0) + w(i, 1) * a + w(i, 2) * b;
    r[3] = a, r[4] = b;
    return r;
  };
  const auto step = [&](double h) {
    const auto moved = [&](const std::array<double, 5>& k, double s) {
      auto x = y;
      for (std::size_t i = 0; i < 5; ++i) x[i] += s * k[i];
      return x;
    };
    const auto k1 = rate(y), k2 = rate(moved(k1, h / 2)), k3 = rate(moved(k2, h / 2)), k4 = rate(moved(k3, h));
    for (std::size_t i = 0; i < 5; ++i) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  };
  double pressed = 0;
  constexpr double kStep = 1e-4;
  while (y[0] + rate(y)[0] * kStep < 0) step(kStep), pressed += kStep;
  const double last = -y[0] / rate(y)[0];
  step(last), pressed += last;
  for (int i = 0; i < 1000; ++i) step(law.restitution * pressed / 1000);
  EXPECT_NEAR(p[0], (1 + law.restitution) * pressed, 1e-5);
  EXPECT_NEAR(p[1], y[3], 1e-5);
  EXPECT_NEAR(p[2], y[4], 1e-5);
}

// Work of the normal forces: of several contacts at once what is given back is e^2 times what was taken in.
TEST(ImpactPhases, SeveralContactsKeepTheirShareOfTheEnergy) {
  Matrix w(2, 2);  // three equal balls in a row
  w(0, 0) = w(1, 1) = 2, w(0, 1) = w(1, 0) = -1;
  const std::array<double, 2> v0{-1, 0};
  std::array<double, 2> p{};
  ImpactPhases phases(2, 0);
  for (const double e : {1.0, 0.5, 0.0}) {
    const std::array<ImpactLaw, 2> laws{ImpactLaw{Ratio::Work, e}, ImpactLaw{Ratio::Work, e}};
    ASSERT_TRUE(phases.solve(w.view(), v0, {}, laws, p));
    const double u1 = 1 - p[0], u2 = p[0] - p[1], u3 = p[1], energy = u1 * u1 + u2 * u2 + u3 * u3;
    EXPECT_GE(u2 - u1, -1e-9);
    EXPECT_GE(u3 - u2, -1e-9);
    EXPECT_NEAR(u1 + u2 + u3, 1, 1e-12);
    if (e == 1) {
      EXPECT_NEAR(energy, 1, 2e-3);
    } else {
      EXPECT_LT(energy, 1 - 1e-3);
    }
  }
}

}  // namespace
}  // namespace kane

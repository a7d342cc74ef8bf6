// Sine and cosine against MPFR over the whole range, and every width against the scalar function.

#include "kane/program/sincos.hpp"

#include <gtest/gtest.h>
#include <mpfr.h>

#include <bit>
#include <cmath>
#include <limits>

#include "kane/codegen/isa.hpp"
#include "kane/codegen/jit/sincos_lanes.hpp"
#include "random_program.hpp"

namespace kane {
namespace {

using Limits = std::numeric_limits<double>;
constexpr double kPi = 3.14159265358979323846;

/// A number with 320 bits, enough for the sine of the largest double.
class Precise {
 public:
  Precise() { mpfr_init2(value_, 320); }
  ~Precise() { mpfr_clear(value_); }
  Precise(const Precise&) = delete;
  Precise& operator=(const Precise&) = delete;
  mpfr_ptr get() { return value_; }

  /// How far `x` is away, in units of the last place of this number as a double.
  double ulps_to(double x) {
    const double nearest = mpfr_get_d(value_, MPFR_RNDN);
    int exponent = 0;
    std::frexp(nearest, &exponent);
    const double ulp = std::max(std::ldexp(1.0, exponent - 53), Limits::denorm_min());
    Precise difference;
    mpfr_sub_d(difference.get(), value_, x, MPFR_RNDN);
    return std::fabs(mpfr_get_d(difference.get(), MPFR_RNDN)) / ulp;
  }

 private:
  mpfr_t value_;
};

double error_in_ulps(double x, const SinCos& value) {
  Precise angle, sine, cosine;
  mpfr_set_d(angle.get(), x, MPFR_RNDN);
  mpfr_sin_cos(sine.get(), cosine.get(), angle.get(), MPFR_RNDN);
  return std::max(sine.ulps_to(value.sin), cosine.ulps_to(value.cos));
}

/// All that matters: ordinary angles, neighbours of multiples of pi/2, powers of two, the limit between the two
/// reductions, any finite bits, and the double nearest to a multiple of pi/2 of all (Muller, "Elementary Functions",
/// 2nd ed., table 11.1).
std::vector<double> angles() {
  std::vector<double> xs{
      0x1.6ac5b262ca1ffp+849, 6381956970095103.0 * 0x1p+797,      Limits::max(), Limits::min(), Limits::denorm_min(),
      0x1.921fb5p+18,         std::nextafter(0x1.921fb5p+18, 1e9)};
  std::mt19937_64 random(1);
  for (const double range : {kPi / 4, 10.0, 1000.0, 411000.0, 1e9})
    for (int i = 0; i < 4000; ++i) xs.push_back(std::uniform_real_distribution(-range, range)(random));
  for (int i = 1; i < 262140; i += 1 + i / 50)
    for (const double x : {i * (kPi / 2), i * (kPi / 4)})
      for (const double y : {x, std::nextafter(x, 0.0), std::nextafter(x, 1e9)}) xs.push_back(y);
  for (int e = -1074; e < 1024; ++e) xs.push_back(std::ldexp(1.0, e));
  while (xs.size() < 40000)
    if (const double x = std::bit_cast<double>(random()); std::isfinite(x)) xs.push_back(x);
  return xs;
}

TEST(SinCos, IsWithinOneUlpOverTheWholeRange) {
  for (const double x : angles()) ASSERT_LT(error_in_ulps(x, sincos(x)), 0.8) << std::hexfloat << x;
}

TEST(SinCos, SpecialValues) {
  for (const double x : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(sincos(x).sin));
    EXPECT_TRUE(std::isnan(sincos(x).cos));
  }
  EXPECT_TRUE(test::same(sincos(0.0).sin, 0.0));
  EXPECT_TRUE(test::same(sincos(-0.0).sin, -0.0));
  EXPECT_EQ(sincos(-0.0).cos, 1.0);
  EXPECT_EQ(sincos(Limits::denorm_min()).sin, Limits::denorm_min());
  EXPECT_EQ(sincos(-Limits::min()).sin, -Limits::min());
}

TEST(SinCos, SineIsOddAndCosineIsEven) {
  for (const double x : angles()) {
    EXPECT_TRUE(test::same(sincos(-x).sin, -sincos(x).sin)) << x;
    EXPECT_TRUE(test::same(sincos(-x).cos, sincos(x).cos)) << x;
  }
}

struct Width {
  SinCosLanes lanes;
  bool strict;
};

std::vector<Width> all_widths() {
  std::vector<Width> widths{{sincos_lanes2(), true}};
#if defined(__x86_64__)
  for (const bool strict : {true, false}) {
    if (is_available(Isa::Avx2)) widths.push_back({sincos_lanes4(strict), strict});
    if (is_available(Isa::Avx512)) widths.push_back({sincos_lanes8(strict), strict});
  }
#endif
  return widths;
}

/// Ordinary angles and special ones side by side, so that slow lanes must not disturb the others.
TEST(SinCosLanes, StrictLanesHaveTheBitsOfTheScalarAndFusedOnesItsAccuracy) {
  std::vector<double> xs = angles();
  xs.insert(xs.begin() + 3, {0.0, -0.0, Limits::infinity(), Limits::quiet_NaN(), 1.0, -Limits::infinity()});
  std::shuffle(xs.begin(), xs.end(), std::mt19937_64(2));
  for (const Width& width : all_widths()) {
    const auto n = static_cast<std::size_t>(width.lanes.lanes);
    for (const std::size_t vectors : {1U, 2U, 4U}) {
      std::vector<double> results(2 * n * vectors);
      for (std::size_t i = 0; i + n * vectors <= xs.size(); i += n * vectors) {
        width.lanes.from_memory(&xs[i], results.data(), static_cast<int>(vectors));
        for (std::size_t k = 0; k < n * vectors; ++k) {
          const double x = xs[i + k];
          const std::size_t place = k / n * 2 * n + k % n;
          const SinCos got{results[place], results[place + n]}, scalar = sincos(x);
          if (width.strict || !std::isfinite(x))
            ASSERT_TRUE(test::same(got.sin, scalar.sin) && test::same(got.cos, scalar.cos)) << n << " lanes, " << x;
          else
            ASSERT_LT(error_in_ulps(x, got), 0.8) << n << " lanes, " << x;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kane

// The sums for this processor and the plain ones: the same bits, and those of a loop over single numbers.

#include "kane/solve/stage_sum.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace kane {
namespace {

constexpr std::size_t kTerms = StageSums::kMostTerms;

struct Data {
  explicit Data(std::size_t n) {
    std::normal_distribution<double> normal;
    const auto fill = [&](std::vector<double>& v) {
      v.resize(n);
      for (double& x : v) x = normal(random) * std::exp(4 * normal(random));
    };
    for (std::vector<double>* v : {&y, &next, &rtol, &atol}) fill(*v);
    for (std::size_t i = 0; i < n; ++i) rtol[i] = std::abs(rtol[i]), atol[i] = std::abs(atol[i]);
    for (std::size_t j = 0; j < kTerms; ++j) {
      fill(k[j]);
      terms[j] = {normal(random), k[j].data()};
    }
  }
  std::mt19937_64 random{7};
  std::vector<double> y, next, rtol, atol;
  std::array<std::vector<double>, kTerms> k;
  std::array<StageTerm, kTerms> terms{};
};

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(StageSum, BitsDoNotDependOnTheProcessor) {
  for (const std::size_t n : {4U, 8U, 16U, 20U, 100U}) {
    const Data d(n);
    std::vector<double> a(n), b(n), c(n);
    for (std::size_t count = 1; count <= kTerms; ++count)
      for (const bool from_state : {false, true}) {
        const auto sums = [&](const StageSums& s) { return from_state ? s.from_state[count] : s.alone[count]; };
        const double h = 0.37;
        sums(best_stage_sums())(a.data(), d.y.data(), h, n, d.terms.data());
        sums(plain_stage_sums())(b.data(), d.y.data(), h, n, d.terms.data());
        for (std::size_t i = 0; i < n; ++i) {
          double sum = d.terms[0].a * d.k[0][i];
          for (std::size_t j = 1; j < count; ++j) sum += d.terms[j].a * d.k[j][i];
          c[i] = from_state ? d.y[i] + h * sum : h * sum;
        }
        EXPECT_TRUE(same_bits(a, b) && same_bits(a, c)) << n << " numbers, " << count << " terms";
      }
  }
}

TEST(StageSum, ErrorsAreMeasuredAlike) {
  for (const std::size_t n : {4U, 16U, 36U}) {
    const Data d(n);
    const ErrorScale scale = {d.rtol.data(), d.atol.data(), d.y.data(), d.next.data()};
    const double best = best_stage_sums().scaled_square(d.k[0].data(), scale, n);
    EXPECT_EQ(best, plain_stage_sums().scaled_square(d.k[0].data(), scale, n));
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double measure = d.atol[i] + d.rtol[i] * std::max(std::abs(d.y[i]), std::abs(d.next[i]));
      sum += d.k[0][i] * d.k[0][i] / (measure * measure);
    }
    EXPECT_NEAR(best, sum, 1e-12 * sum);
  }
}

}  // namespace
}  // namespace kane

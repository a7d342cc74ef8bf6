// Cases of a study: random numbers against published vectors, sequences against their defining properties, distributions
// against their moments, texts that are wrong.

#include "kane/batch/study.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <set>

#include "kane/batch/philox.hpp"
#include "kane/batch/statistics.hpp"

namespace kane {
namespace {

// Random123 (Salmon et al. 2011), tests/kat_vectors, the lines "philox4x32 10".
TEST(Philox, AgreesWithPublishedVectors) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The first points of the sequence in natural order: 0, 1/2, 1/4, 3/4 ... in dimension 1; Joe and Kuo's for the next ones.
TEST(Sobol, BeginsAsPublished) {
  const SobolSequence s(3, 0, false);
  const double first[] = {0, 0.5, 0.25, 0.75, 0.125, 0.625, 0.375, 0.875};
  for (std::uint64_t j = 0; j < 8; ++j) EXPECT_EQ(s.unit(j, 0), first[j]);
  EXPECT_EQ(s.unit(1, 1), 0.5);
  EXPECT_EQ(s.unit(2, 1), 0.75);
  EXPECT_EQ(s.unit(3, 1), 0.25);
}

// Whatever the scrambling, every one of 2^m equal parts of every coordinate holds one of the first 2^m points, and the first
// two coordinates are a (0, m, 2)-net: every elementary box of area 2^-m holds one.
TEST(Sobol, IsANetInEveryDimension) {
  constexpr unsigned m = 8;
  for (const std::uint64_t seed : {1U, 7U}) {
    const SobolSequence s(SobolSequence::kMostDimensions, seed);
    for (std::uint32_t d = 0; d < SobolSequence::kMostDimensions; ++d) {
      std::set<int> parts;
      for (std::uint64_t j = 0; j < (1U << m); ++j) parts.insert(static_cast<int>(s.unit(j, d) * (1U << m)));
      EXPECT_EQ(parts.size(), 1U << m) << d;
    }
    for (unsigned a = 0; a <= m; ++a) {
      std::set<std::pair<int, int>> boxes;
      for (std::uint64_t j = 0; j < (1U << m); ++j)
        boxes.insert({static_cast<int>(s.unit(j, 0) * (1U << a)), static_cast<int>(s.unit(j, 1) * (1U << (m - a)))});
      EXPECT_EQ(boxes.size(), 1U << m) << a;
    }
  }
}

TEST(UnitPoints, LatinHypercubeFillsEveryPart) {
  constexpr std::uint64_t n = 137;
  const UnitPoints points(Sampling::LatinHypercube, 3, n, 5);
  for (std::uint32_t d = 0; d < 3; ++d) {
    std::set<int> parts;
    for (std::uint64_t j = 0; j < n; ++j) parts.insert(static_cast<int>(points.unit(j, d) * n));
    EXPECT_EQ(parts.size(), n);
  }
}

TEST(UnitPoints, HaltonFillsEveryPart) {
  const UnitPoints points(Sampling::Halton, 4, 1, 5);
  const int bases[] = {2, 3, 5, 7};
  for (std::uint32_t d = 0; d < 4; ++d) {
    const int parts = bases[d] * bases[d] * bases[d];
    std::set<int> seen;
    for (int j = 0; j < parts; ++j)
      seen.insert(static_cast<int>(points.unit(static_cast<std::uint64_t>(j), d) * parts));
    EXPECT_EQ(seen.size(), static_cast<std::size_t>(parts));
  }
}

// A smooth integral over eight dimensions: quasi-random points beat random ones by far.
TEST(UnitPoints, SequencesIntegrateBetterThanChance) {
  constexpr std::uint64_t n = 4096;
  const auto error = [&](Sampling sampling) {
    const UnitPoints points(sampling, 8, n, 3);
    double sum = 0;
    for (std::uint64_t j = 0; j < n; ++j) {
      double f = 1;
      for (std::uint32_t d = 0; d < 8; ++d) f *= 1 + 0.5 * (points.unit(j, d) - 0.5);
      sum += f;
    }
    return std::abs(sum / n - 1);
  };
  EXPECT_LT(error(Sampling::Sobol), 1e-4);
  EXPECT_LT(error(Sampling::Halton), 5e-4);
  EXPECT_LT(error(Sampling::LatinHypercube), 3e-3);
  EXPECT_LT(error(Sampling::Random), 3e-2);
}

TEST(UnitPoints, PermutationsAreOnes) {
  for (const std::uint64_t n : {1U, 2U, 3U, 17U, 64U, 1000U}) {
    std::set<std::uint64_t> seen;
    for (std::uint64_t j = 0; j < n; ++j) seen.insert(permute(j, n, 9, 2));
    EXPECT_EQ(seen.size(), n);
    EXPECT_LT(*seen.rbegin(), n);
  }
}

TEST(Distribution, QuantilesInvertProbabilities) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-14);
  EXPECT_NEAR(normal_quantile(1e-10), -6.361340902404056, 1e-12);
  const Distribution all[] = {make_distribution("uniform", std::vector<double>{-1, 3}),
                              make_distribution("normal", std::vector<double>{2, 0.5}),
                              make_distribution("normal", std::vector<double>{2, 0.5, 1.9, 2.3}),
                              make_distribution("lognormal", std::vector<double>{2, 0.5}),
                              make_distribution("triangular", std::vector<double>{0, 1, 4}),
                              make_distribution("exponential", std::vector<double>{3})};
  for (const Distribution& d : all)
    for (const double p : {1e-6, 0.01, 0.2, 0.5, 0.77, 0.999})
      EXPECT_NEAR(d.probability(d.quantile(p)), p, 1e-12) << d.to_string();
}

TEST(Study, GridsAreComplete) {
  StudyOptions o;
  o.variables = {parse_study_variable("a", "1..2:3"), parse_study_variable("b", "{10, 20}"),
                 parse_study_variable("c", "1..100:3:log")};
  const Study study(o);
  ASSERT_EQ(study.count(), 18U);
  std::set<std::array<double, 3>> seen;
  for (std::uint64_t k = 0; k < 18; ++k) {
    std::array<double, 3> v{};
    study.calc_values(k, v);
    seen.insert(v);
  }
  EXPECT_EQ(seen.size(), 18U);
  EXPECT_TRUE(seen.contains({1.5, 20, 10}));
}

// Every point of the grid has the same samples.
TEST(Study, GridsShareSamples) {
  StudyOptions o;
  o.variables = {parse_study_variable("a", "{1, 2}"), parse_study_variable("b", "normal(0, 1)")};
  o.runs = 10;
  const Study study(o);
  double v[2], w[2];
  study.calc_values(4, v), study.calc_values(5, w);
  EXPECT_NE(v[0], w[0]);
  EXPECT_EQ(v[1], w[1]);
}

TEST(Study, CorrelatedSamplesHaveTheirCorrelations) {
  StudyOptions o;
  o.variables = {parse_study_variable("a", "normal(1, 2)"), parse_study_variable("b", "normal(-3, 0.5)"),
                 parse_study_variable("c", "normal(0, 1)")};
  o.correlations = {{"a", "b", 0.8}, {"b", "c", -0.3}};
  o.runs = 20000;
  const Study study(o);
  std::vector<double> a, b, c;
  for (std::uint64_t k = 0; k < study.count(); ++k) {
    double v[3];
    study.calc_values(k, v);
    a.push_back(v[0]), b.push_back(v[1]), c.push_back(v[2]);
  }
  EXPECT_NEAR(correlation(a, b), 0.8, 0.01);
  EXPECT_NEAR(correlation(b, c), -0.3, 0.02);
  EXPECT_NEAR(correlation(a, c), 0, 0.03);
  EXPECT_NEAR(summarize(a).mean, 1, 0.05);
  EXPECT_NEAR(summarize(b).deviation, 0.5, 0.01);
  o.correlations = {{"a", "b", 0.9}, {"b", "c", 0.9}, {"a", "c", -0.9}};
  EXPECT_THROW(Study{o}, ModelError);
}

// A joint normal distribution by its means and covariances, one of them with a unit.
TEST(Study, JointNormalsHaveTheirCovariances) {
  const StudyVariables joint =
      parse_study_variables("a, b, c", "normal([1 m, 200 mm, -3], [[4, 1.5, 0], [1.5, 1, -0.2], [0, -0.2, 0.25]])");
  ASSERT_EQ(joint.variables.size(), 3U);
  StudyOptions o;
  o.variables = joint.variables, o.correlations = joint.correlations;
  o.runs = 40'000, o.sampling = Sampling::Sobol;
  const Study study(o);
  const double mean[] = {1, 0.2, -3}, c[3][3] = {{4, 1.5, 0}, {1.5, 1, -0.2}, {0, -0.2, 0.25}};
  double sum[3] = {}, products[3][3] = {};
  std::vector<double> v(3);
  for (std::uint64_t k = 0; k < study.count(); ++k) {
    study.calc_values(k, v);
    for (std::size_t i = 0; i < 3; ++i) {
      sum[i] += v[i];
      for (std::size_t j = 0; j < 3; ++j) products[i][j] += (v[i] - mean[i]) * (v[j] - mean[j]);
    }
  }
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(sum[i] / 40'000, mean[i], 2e-3);
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(products[i][j] / 40'000, c[i][j], 0.01);
  }
  EXPECT_EQ(parse_study_variables("a", "1..2:3").variables.size(), 1U);
  for (const char* text :
       {"1..2", "normal(1, 2)", "normal([1, 2], [[1, 0], [0, 1], [0, 0]])", "normal([1], [[1, 0], [0, 1]])",
        "normal([1, 2], [[1, 0.5], [0.4, 1]])", "normal([1, 2], [[-1, 0], [0, 1]])", "normal([1, 2], [[1, x], [x, 1]])",
        "normal([1, 2])", "normal([1, 2], 3)", "normal([1, 2], [[1, 2], [2, 1]])"})
    EXPECT_THROW((void)parse_study_variables("a,b", text), ModelError) << text;
  o.variables.clear(), o.correlations.clear();
  const StudyVariables wrong =
      parse_study_variables("a,b,c", "normal([1, 2, 3], [[1, 0.9, -0.9], [0.9, 1, 0.9], [-0.9, 0.9, 1]])");
  o.variables = wrong.variables, o.correlations = wrong.correlations;
  EXPECT_THROW(Study{o}, ModelError);  // it has a negative eigenvalue
}

TEST(Study, TextsWithUnits) {
  const StudyVariable v = parse_study_variable("q", "20..40 deg:3");
  ASSERT_EQ(v.values.size(), 3U);
  EXPECT_NEAR(v.values[1], 30 * M_PI / 180, 1e-15);
  const StudyVariable l = parse_vary_option("L~normal(300 mm, 1 cm)", "--vary").variables.front();
  EXPECT_DOUBLE_EQ(l.distribution->a, 0.3);
  EXPECT_DOUBLE_EQ(l.distribution->b, 0.01);
  EXPECT_EQ(*l.dimension, kLength);
}

TEST(Study, RefusesWhatHasNoMeaning) {
  for (const char* text :
       {"", "1..", "..2", "2..1", "1..2:0", "1..2:x", "1..2:3:cube", "-1..2:3:log", "normal(1)", "normal(1, -1)",
        "normal(1, 0.1, 5, 6)", "gauss(1, 2)", "uniform(2, 1)", "{1, }", "{1, abc}", "1e999",

        "normal(1, 2 kg, 3 m, 4)", "lognormal(-1, 1)", "triangular(1, 0, 2)"})
    EXPECT_THROW((void)parse_study_variable("m", text), ModelError) << text;
  for (const char* text : {"", "m", "=1", "m~1..2:3"})
    EXPECT_THROW((void)parse_vary_option(text, "--vary"), ModelError) << text;
  StudyOptions o;
  EXPECT_THROW(Study{o}, ModelError);
  o.variables = {parse_study_variable("a", "normal(0, 1)")};
  EXPECT_THROW(Study{o}, ModelError);  // how many?
  o.variables = {parse_study_variable("a", "1..2:3"), parse_study_variable("a", "1..2:3")};
  EXPECT_THROW(Study{o}, ModelError);
}

TEST(Study, CasesOfAFileHaveTheirPlaces) {
  const StudyCases cases = parse_cases("a,b\n# remark\n1,2\n3,4e-1\n", "cases.csv");
  EXPECT_EQ(cases.rows[1][1], 0.4);
  try {
    (void)parse_cases("a,b\n1,2\n3,x\n", "cases.csv");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_STREQ(error.what(), "cases.csv:3:3: error: 'x' is not a finite number (in SI units)");
  }
  for (const char* text : {"", "a,b\n", "1,2\n3,4\n", "a,b\n1\n", "a,,b\n1,2,3\n", "a\nnan\n"})
    EXPECT_THROW((void)parse_cases(text, "c"), ModelError) << text;
}

TEST(Study, MorrisChangesOneVariableAtATime) {
  StudyOptions o;
  o.variables = {parse_study_variable("a", "0..1"), parse_study_variable("b", "normal(0, 1)"),
                 parse_study_variable("c", "0..2")};
  o.sampling = Sampling::Morris;
  o.runs = 40;
  const Study study(o);
  EXPECT_EQ(study.count(), 40U);
  for (std::uint64_t k = 0; k + 1 < study.count(); ++k) {
    if (k % 4 == 3) continue;
    double v[3], w[3];
    study.calc_values(k, v), study.calc_values(k + 1, w);
    EXPECT_EQ((v[0] != w[0]) + (v[1] != w[1]) + (v[2] != w[2]), 1);
  }
}

TEST(Study, MorrisSeesWhatRepeatsAfterHalfOfARange) {
  StudyOptions o;
  o.variables = {parse_study_variable("a", "1..3"), parse_study_variable("b", "0..2"),
                 parse_study_variable("c", "0..1")};
  o.sampling = Sampling::Morris;
  o.runs = 400;
  const Study study(o);
  StoreTable table;
  table.identity.sampling = "morris";
  table.identity.variables = {"a", "b", "c"};
  table.values.resize(3), table.measures.resize(1);
  for (std::uint64_t k = 0; k < study.count(); ++k) {
    double v[3];
    study.calc_values(k, v);
    table.k.push_back(k), table.ok.push_back(1), table.seconds.push_back(0);
    for (std::size_t i = 0; i < 3; ++i) table.values[i].push_back(v[i]);
    const double wave = std::sin(3.14159265358979324 * v[1]);
    table.measures[0].push_back(5 - 2 * v[0] + wave * wave);
  }
  const auto effects = calc_morris_effects(table, 0);
  ASSERT_EQ(effects.size(), 3U);
  EXPECT_NEAR(effects[0].mean, -4, 1e-12);  // its slope times its range
  EXPECT_NEAR(effects[0].mean_size, 4, 1e-12);
  EXPECT_NEAR(effects[0].deviation, 0, 1e-12);
  EXPECT_GT(effects[1].mean_size, 0.1);
  EXPECT_EQ(effects[2].mean_size, 0);
}

}  // namespace
}  // namespace kane

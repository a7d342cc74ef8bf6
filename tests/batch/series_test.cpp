// Quantiles by sketches, series of runs and their bands.

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "kane/batch/case_bytes.hpp"
#include "kane/batch/quantile_sketch.hpp"
#include "kane/batch/results_page.hpp"
#include "kane/batch/store_summary.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

/// x'' = -c x - d x' from x = 1.
const char* const kSeriesModel = R"(
kane: 1
name: oscillator
parameters: {m: 1 kg, c: 4 N/m, d: 0 N*s/m}
bodies: {block: {mass: m}}
joints: {rail: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, stiffness: c, damping: d}}
initial: {x: 1}
simulate: {until: 2 s}
)";

Study series_study(std::vector<std::pair<const char*, const char*>> vary, std::optional<std::uint64_t> runs = {}) {
  StudyOptions o;
  for (const auto& [name, text] : vary) o.variables.push_back(parse_study_variable(name, text));
  o.runs = runs;
  return Study(o);
}

std::vector<CaseResult> run_series(const Sweep& sweep) {
  CaseRunner runner(sweep);
  std::vector<CaseResult> results;
  runner.run(0, sweep.study().count(), results);
  std::sort(results.begin(), results.end(), [](const auto& a, const auto& b) { return a.k < b.k; });
  return results;
}

// ---- sketches ---------------------------------------------------------------------------------------------------------------

// The share of the numbers below an answer is the one that was asked for.
TEST(QuantileSketch, FindsQuantilesOfStreams) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  std::lognormal_distribution<double> skew(0, 2);
  for (int kind = 0; kind < 4; ++kind) {
    QuantileSketch sketch;
    std::vector<double> all;
    for (int i = 0; i < 200'000; ++i) {
      const double x = kind == 0   ? normal(random)
                       : kind == 1 ? skew(random)
                       : kind == 2 ? static_cast<double>(i)                   // sorted
                                   : std::floor(4 * normal(random) * 0.999);  // many are equal
      all.push_back(x);
      sketch.add(x);
    }
    std::sort(all.begin(), all.end());
    const auto n = static_cast<double>(all.size());
    EXPECT_EQ(sketch.weight(), n);
    EXPECT_EQ(sketch.quantile(0), all.front());
    EXPECT_EQ(sketch.quantile(1), all.back());
    for (const double p : {0.001, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.999}) {
      const double x = sketch.quantile(p);
      // Where many are equal, a whole interval of shares is right.
      const double width = kind == 3 ? 1 : 0;
      const double low = static_cast<double>(std::lower_bound(all.begin(), all.end(), x - width) - all.begin()) / n;
      const double high = static_cast<double>(std::upper_bound(all.begin(), all.end(), x + width) - all.begin()) / n;
      const double slack = 4 * std::sqrt(p * (1 - p)) / 256;
      EXPECT_LE(low, p + slack) << kind << " " << p;
      EXPECT_GE(high, p - slack) << kind << " " << p;
    }
  }
}

TEST(QuantileSketch, KeepsFewNumbersAndWeights) {
  QuantileSketch sketch(16);
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
  sketch.add(std::nan("")), sketch.add(3, 0), sketch.add(INFINITY);
  EXPECT_TRUE(std::isnan(sketch.quantile(0.5)));
  sketch.add(5);
  EXPECT_EQ(sketch.quantile(0.2), 5);
  sketch.clear();
  for (const double x : {4.0, 1.0, 3.0, 2.0, 5.0}) sketch.add(x);
  EXPECT_EQ(sketch.quantile(0.5), 3);
  EXPECT_EQ(sketch.quantile(0.3), 2);
  sketch.clear();
  sketch.add(1, 9), sketch.add(2, 1);  // 2 for a tenth of the time
  EXPECT_LT(sketch.quantile(0.4), 1.01);
  EXPECT_GT(sketch.quantile(0.96), 1.9);
  EXPECT_THROW(QuantileSketch(2), ModelError);
}

// |cos| over whole periods does not exceed sin(pi p/2) for the share p of the time.
TEST(Measures, QuantilesOverTime) {
  for (const int lanes : {0, 1}) {
    SweepOptions o;
    o.until = 2 * M_PI, o.lanes = lanes;
    const Sweep sweep(
        read_model_text(kSeriesModel, "x.yaml"), series_study({{"c", "{1, 4, 25}"}}),
        {{"a", "quantile(abs(x), 0.3)", {}}, {"b", "quantile(abs(x), 0.95)", {}}, {"m", "quantile(x, 0.5)", {}}}, o);
    for (const CaseResult& r : run_series(sweep)) {
      ASSERT_TRUE(r.ok) << r.reason;
      EXPECT_NEAR(r.measures[0], std::sin(0.15 * M_PI), 1e-3);
      EXPECT_NEAR(r.measures[1], std::sin(0.475 * M_PI), 1e-4);
      EXPECT_NEAR(r.measures[2], 0, 1e-3);
    }
  }
  const Model model = read_model_text(kSeriesModel, "x.yaml");
  for (const char* text : {"quantile(x)", "quantile(x, 2)", "quantile(x, x)", "quantile(x, -0.1)"})
    EXPECT_THROW(MeasureSet(*model.system(), {{"", text, {}}}), ModelError) << text;
}

// ---- series -----------------------------------------------------------------------------------------------------------------

TEST(Series, AreSamplesOfTheRun) {
  for (const Method method : {Method::Rk4, Method::Dopri5, Method::Dop853}) {
    SweepOptions o;
    o.simulation.method = method;
    o.series = {{"", "x", {}}, {"force", "-c*x", {}}};
    const Sweep sweep(read_model_text(kSeriesModel, "x.yaml"), series_study({{"c", "1..9:11"}}), {{"", "end(x)", {}}},
                      o);
    EXPECT_EQ(sweep.series_names(), (std::vector<std::string>{"x", "force"}));
    for (const CaseResult& r : run_series(sweep)) {
      ASSERT_EQ(r.series.size(), 3U * 101U);
      for (std::size_t i = 0; i <= 100; ++i) {
        const double t = 0.02 * static_cast<double>(i), x = std::cos(std::sqrt(r.values[0]) * t);
        EXPECT_NEAR(r.series[3 * i], t, 1e-12);
        EXPECT_NEAR(r.series[3 * i + 1], x, 1e-8);
        EXPECT_NEAR(r.series[3 * i + 2], -r.values[0] * x, 1e-7);
      }
    }
  }
}

TEST(Series, HaveTheirOwnStepAndTravel) {
  SweepOptions o;
  o.series = {{"", "x", {}}};
  o.series_step = 0.3;  // does not divide the run: its end is kept too
  const Sweep sweep(read_model_text(kSeriesModel, "x.yaml"), series_study({{"c", "{4}"}}), {{"", "x", {}}}, o);
  const auto results = run_series(sweep);
  const auto& s = results[0].series;
  ASSERT_EQ(s.size(), 2U * 8U);
  EXPECT_NEAR(s[2 * 6], 1.8, 2e-3);
  EXPECT_EQ(s[2 * 7], 2);
  const auto again = unpack_results(pack_results(results));
  EXPECT_EQ(again[0].series, s);
  o.series_step = 1e-9;
  const auto make = [&] {
    return Sweep(read_model_text(kSeriesModel, "x.yaml"), series_study({{"c", "{4}"}}), {{"", "x", {}}}, o);
  };
  EXPECT_THROW(make(), LimitError);
  o.series_step = 0.1, o.series = {{"", "nothing", {}}};
  EXPECT_THROW(make(), ModelError);
  o.series = {{"", "x", {}}, {"", "x", {}}};
  EXPECT_THROW(make(), ModelError);
  o.series.clear(), o.until = -1;
  EXPECT_THROW(make(), ModelError);
}

// With frequencies uniform in 2 .. 4, x(t) = cos(w t): its mean at t is (sin 4t - sin 2t)/(2 t), its quantiles are known too.
TEST(Series, BandsOfManyRuns) {
  const auto folder = std::filesystem::temp_directory_path() / ("kane_series_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const std::string file = (folder / "s.db").string();
  SweepOptions o;
  o.until = 0.7, o.series = {{"", "x", {}}};
  const Model model = read_model_text(
      "kane: 1\nname: o\nparameters: {w: 2}\nbodies: {b: {mass: 1}}\njoints:\n  j: {type: "
      "prismatic, parent: N, child: b, axis: x, coordinate: x, stiffness: w^2}\ninitial: {x: 1}\n",
      "x.yaml");
  StudyOptions study;
  study.variables = {parse_study_variable("w", "2..4")};
  study.runs = 4000, study.sampling = Sampling::Sobol;
  const Sweep sweep(model, Study(study), {{"", "end(x)", {}}}, o);
  StudyIdentity identity{"m", "h", "v", "s", "sobol", {}, 4000, {"w"}, {"end(x)"}, {{}}, {"x"}};
  {
    SweepStore store(file, identity, false);
    store.write(run_series(sweep));
  }
  const double probabilities[] = {0.05, 0.5, 0.95};
  const SeriesBands bands = calc_series_bands(file, identity, probabilities);
  ASSERT_EQ(bands.t.size(), 101U);
  for (std::size_t k = 1; k < bands.t.size(); ++k) {
    const double t = bands.t[k];
    EXPECT_EQ(bands.runs[k], 4000U);
    EXPECT_NEAR(bands.mean[0][k], (std::sin(4 * t) - std::sin(2 * t)) / (2 * t), 1e-5);
    for (std::size_t p = 0; p < 3; ++p)  // x falls with w as long as w t < pi
      EXPECT_NEAR(bands.quantiles[0][p][k], std::cos((4 - 2 * probabilities[p]) * t), 2e-3) << t;
  }
  const StoreSummary summary = summarize_store(file, identity, probabilities);
  EXPECT_EQ(summary.runs, 4000U);
  const auto exact = calc_quantiles(read_store(file).measures[0], probabilities);
  for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(summary.quantiles[0][p], exact[p], 1e-3);
  std::size_t found = 0;
  read_series(
      file, [&](std::uint64_t k, std::span<const double> s) { found = k == 17 ? s.size() : 0; }, 17);
  EXPECT_EQ(found, 202U);
  const StoreTable table = read_store(file);
  const PageSeries page = read_page_series(file, table, {});
  EXPECT_GT(page.runs.size(), 100U);
  EXPECT_NE(make_results_page(table, "t", {}, page).find("\"curves\":{\"0\":[["), std::string::npos);
  StudyIdentity other = identity;
  other.series = {};
  EXPECT_THROW(SweepStore(file, other, false), ModelError);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kane

// Sweeps of small models against closed forms; lanes, threads and single runs against each other; stores that are interrupted.

#include "kane/batch/sweep.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <thread>

#include "kane/base/output_file.hpp"
#include "kane/batch/executor.hpp"
#include "kane/batch/statistics.hpp"
#include "kane/batch/store.hpp"
#include "kane/codegen/isa.hpp"
#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

namespace fs = std::filesystem;

const char* const kPendulum = R"(
kane: 1
name: pendulum
parameters: {m: 1 kg, l: 0.5 m, g: 9.81 m/s^2, b: 0 N*m*s}
inputs: {T: 0 N*m}
gravity: -g*N.y
bodies: {rod: {}}
particles: {bob: {mass: m, on: rod, at: [0, -l, 0]}}
joints: {pivot: {type: revolute, parent: N, child: rod, axis: z, coordinate: q, damping: b, actuator: T}}
outputs: {height: position(bob)}
initial: {q: 0.5}
simulate: {until: 1 s}
)";

/// x'' = -c x from x = 1: x = cos(sqrt(c) t).
const char* const kOscillator = R"(
kane: 1
name: oscillator
parameters: {m: 1 kg, c: 4 N/m, d: 0 N*s/m}
bodies: {block: {mass: m}}
joints: {rail: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, stiffness: c, damping: d}}
initial: {x: 1}
simulate: {until: 2 s}
)";

Model model_of(const char* text, bool strict = false) {
  ModelOptions options;
  options.strict = strict;
  return read_model_text(text, "test.yaml", options);
}

Study study_of(std::vector<std::pair<const char*, const char*>> vary, std::optional<std::uint64_t> runs = {},
               Sampling sampling = Sampling::Random) {
  StudyOptions o;
  for (const auto& [name, text] : vary) o.variables.push_back(parse_study_variable(name, text));
  o.runs = runs;
  o.sampling = sampling;
  return Study(o);
}

std::vector<MeasureText> measures_of(std::vector<const char*> texts) {
  std::vector<MeasureText> list;
  for (const char* text : texts) list.push_back({"", text, {}});
  return list;
}

std::vector<CaseResult> run_all(const Sweep& sweep) {
  CaseRunner runner(sweep);
  std::vector<CaseResult> results;
  runner.run(0, sweep.study().count(), results);
  std::sort(results.begin(), results.end(), [](const auto& a, const auto& b) { return a.k < b.k; });
  return results;
}

SweepOptions with(Method method, int lanes) {
  SweepOptions o;
  o.simulation.method = method;
  o.lanes = lanes;
  return o;
}

// ---- measures ---------------------------------------------------------------------------------------------------------------

// Everything that a measure can be, of x = cos(w t) over 2 s with w = 2, 3, 4.
TEST(Measures, AgreeWithClosedForms) {
  const auto texts =
      measures_of({"end(x)", "start(x)", "max(x)", "min(x)", "mean(x)", "rms(x)", "integral(x)", "first(x < 0)",
                   "at(x, 0.7)", "duration(x > 0)", "count(x < 0)", "max(x) - min(x) + c", "x^2",
                   "max(energy) - min(energy)", "max(u_x')", "end(u_x')", "max(2, 1)"});
  for (const Method method : {Method::Dopri5, Method::Dop853}) {
    const Sweep sweep(model_of(kOscillator), study_of({{"c", "{4, 9, 16}"}}), texts, with(method, 0));
    for (const CaseResult& r : run_all(sweep)) {
      ASSERT_TRUE(r.ok) << r.reason;
      const double c = r.values[0], w = std::sqrt(c), t = 2, half = M_PI / w;
      const auto& m = r.measures;
      EXPECT_NEAR(m[0], std::cos(w * t), 1e-8);
      EXPECT_EQ(m[1], 1);
      EXPECT_NEAR(m[2], 1, 1e-9);
      EXPECT_NEAR(m[3], -1, 1e-8);
      EXPECT_NEAR(m[4], std::sin(w * t) / (w * t), 1e-8);
      EXPECT_NEAR(m[5], std::sqrt(0.5 + std::sin(2 * w * t) / (4 * w * t)), 1e-8);
      EXPECT_NEAR(m[6], std::sin(w * t) / w, 1e-8);
      EXPECT_NEAR(m[7], 0.5 * half, 1e-8);
      EXPECT_NEAR(m[8], std::cos(0.7 * w), 1e-8);
      double positive = 0;  // cos(w t) > 0 from -half/2 to half/2, and every two halves later
      for (int i = 0; i < 4; ++i)
        positive += std::max(0.0, std::min(t, (2 * i + 0.5) * half) - std::max(0.0, (2 * i - 0.5) * half));
      EXPECT_NEAR(m[9], positive, 1e-7);
      int begins = 0;
      for (int i = 0; i < 4; ++i) begins += (2 * i + 0.5) * half < t ? 1 : 0;
      EXPECT_EQ(m[10], begins);
      EXPECT_NEAR(m[11], 2 + c, 2e-8);
      EXPECT_NEAR(m[12], std::cos(w * t) * std::cos(w * t), 1e-8);
      EXPECT_NEAR(m[13], 0, 1e-8);
      EXPECT_NEAR(m[14], c, 1e-6);
      EXPECT_NEAR(m[15], -c * std::cos(w * t), 1e-6);
      EXPECT_EQ(m[16], 2);
    }
  }
}

TEST(Measures, RefuseWhatHasNoMeaning) {
  const Model model = model_of(kOscillator);
  for (const char* text : {"", "max()", "max(x", "mean(mean(x))", "first(y < 0)", "at(x)", "at(x, x)", "max(x) +",
                           "count(x, 2)", "nothing(x)"})
    EXPECT_THROW(MeasureSet(*model.system(), measures_of({text})), ModelError) << text;
  EXPECT_THROW(MeasureSet(*model.system(), measures_of({"x", "x"})), ModelError);
  EXPECT_THROW(MeasureSet(*model.system(), {}), ModelError);
}

TEST(Measures, SeeEvents) {
  const Model model = read_model(std::string(KANE_SOURCE_DIR) + "/models/bouncing_ball.yaml");
  const auto& e = model.equations();
  ASSERT_FALSE(e.contacts.empty());
  const std::string name = e.contacts.front().name;
  const Sweep sweep(model, study_of({{e.q.front().name().c_str(), "{1, 2}"}}),
                    {{"first", "first(" + name + ")", {}},
                     {"count", "count(" + name + ")", {}},
                     {"height", "at(" + e.q.front().name() + ", " + name + ")", {}}},
                    {.until = 1.5});
  for (const CaseResult& r : run_all(sweep)) {
    ASSERT_TRUE(r.ok) << r.reason;
    EXPECT_GT(r.measures[0], 0);
    EXPECT_GE(r.measures[1], 1);
    EXPECT_NEAR(r.measures[2], 0, 0.2);
  }
}

// ---- cases ------------------------------------------------------------------------------------------------------------------

// One case of a sweep equals a separate simulation, in lanes and one by one.
TEST(Sweep, CasesAreSimulations) {
  for (const Method method : {Method::Rk4, Method::Dopri5, Method::Dop853, Method::Automatic}) {
    const Model model = model_of(kPendulum);
    const Sweep sweep(
        model,
        study_of({{"l", "0.3..0.7:4"}, {"q", "{0.2, 1}"}, {"u", "{0, -1}"}, {"T", "{0, 0.3}"}, {"b", "{0, 0.1}"}}),
        measures_of({"q", "max(height.y)", "u"}), with(method, 0));
    for (const CaseResult& r : run_all(sweep)) {
      ASSERT_TRUE(r.ok) << r.reason;
      StartState start;
      start.parameters = {{"l", r.values[0]}, {"b", r.values[4]}};
      start.q = {{"q", r.values[1]}}, start.u = {{"u", r.values[2]}}, start.inputs = {{"T", r.values[3]}};
      Simulation simulation(model, start, {.method = method});
      (void)simulation.run({.until = 1});
      EXPECT_NEAR(r.measures[0], simulation.value("q"), 2e-8);
      EXPECT_NEAR(r.measures[2], simulation.value("u"), 2e-7);
    }
  }
}

// The same bits whatever the number of lanes, and in whatever order and company cases run.
TEST(Sweep, LanesDoNotMatter) {
  for (const char* file : {"", "models/stanford_arm.yaml", "models/gyroscope.yaml", "models/npend5.yaml",
                           "models/spinning_top.yaml", "models/rattleback.yaml"}) {
    const Model model = *file == 0 ? model_of(kPendulum, true)
                                   : read_model(std::string(KANE_SOURCE_DIR) + "/" + file, {.strict = true});
    const auto& e = model.equations();
    for (const Method method : {Method::Rk4, Method::Dopri5}) {
      StudyOptions o;
      o.variables = {parse_study_variable(e.u.front().name(), "normal(0.1, 0.3)")};
      o.runs = 37;
      SweepOptions options = with(method, 1);
      options.until = 0.3, options.sample = 0.011, options.simulation.step = 2e-3;
      const auto texts = measures_of({"max(kinetic)", "mean(kinetic)", "kinetic"});
      const Sweep one(model, Study(o), texts, options);
      options.lanes = method == Method::Rk4 ? 0 : find_best_isa() && vector_lanes(*find_best_isa()) > 4 ? 4 : 0;
      const Sweep many(model, Study(o), texts, options);
      const auto a = run_all(one);
      CaseRunner runner(many);
      std::vector<CaseResult> b;
      for (const std::uint64_t first : {20U, 3U, 0U}) runner.run(first, first == 20 ? 17 : first == 3 ? 17 : 3, b);
      std::sort(b.begin(), b.end(), [](const auto& x, const auto& y) { return x.k < y.k; });
      ASSERT_EQ(a.size(), b.size());
      for (std::size_t k = 0; k < a.size(); ++k) {
        EXPECT_TRUE(a[k].ok) << a[k].reason;
        EXPECT_EQ(a[k].measures, b[k].measures) << file << " run " << k;
      }
    }
  }
}

TEST(Sweep, FailuresAreKeptWithTheirReason) {
  // Unstable with a negative spring: x = cosh(sqrt(-c) t) leaves the range of numbers.
  SweepOptions o = with(Method::Dopri5, 0);
  o.until = 40;
  o.simulation.tolerance = 1e-6;
  const Sweep sweep(model_of(kOscillator), study_of({{"c", "{1, -1000, 2}"}, {"m", "{1, 0}"}}), measures_of({"end(x)"}),
                    o);
  const auto results = run_all(sweep);
  ASSERT_EQ(results.size(), 6U);
  for (const CaseResult& r : results) {
    const bool good = r.values[0] > 0 && r.values[1] > 0;
    EXPECT_EQ(r.ok, good) << r.k;
    EXPECT_EQ(r.reason.empty(), good);
    EXPECT_EQ(std::isnan(r.measures[0]), !good);
  }
}

TEST(Sweep, EndlessCasesAreStopped) {
  SweepOptions o = with(Method::Rk4, 0);
  o.until = 1e6, o.case_limit = 0.05, o.simulation.step = 1e-4;
  const Sweep sweep(model_of(kOscillator), study_of({{"c", "{1}"}}), measures_of({"end(x)"}), o);
  const auto results = run_all(sweep);
  EXPECT_FALSE(results.at(0).ok);
  EXPECT_NE(results[0].reason.find("the limit for one case"), std::string::npos) << results[0].reason;
}

TEST(Sweep, RefusesUnknownNames) {
  const Model model = model_of(kPendulum);
  const auto sweep = [&](const char* name, const char* text) {
    Sweep(model, study_of({{name, text}}, 10), measures_of({"q"}), {});
  };
  const auto grid = [&](const char* name, const char* text) {
    Sweep(model, study_of({{name, text}}), measures_of({"q"}), {});
  };
  EXPECT_THROW(sweep("L", "1..2"), ModelError);
  EXPECT_THROW(grid("l", "{1 kg, 2 kg}"), ModelError);
  EXPECT_THROW(grid("l", "{a, b}"), ModelError);
  EXPECT_THROW(grid("run.method", "{rk4, rk5}"), ModelError);
  EXPECT_THROW(grid("run.active", "{door}"), ModelError);
  EXPECT_NO_THROW(grid("run.method", "{rk4, dopri5, cvode}"));
  EXPECT_NO_THROW(grid("run.formulation", "{composite, articulated}"));
}

TEST(Sweep, FormulationsAgree) {
  const Sweep sweep(read_model(std::string(KANE_SOURCE_DIR) + "/models/planar2r.yaml"),
                    study_of({{"run.formulation", "{projection, composite, articulated}"}}), measures_of({"kinetic"}),
                    {.until = 0.2});
  const auto r = run_all(sweep);
  for (const auto& result : r)
    EXPECT_NEAR(result.measures.at(0), r[0].measures.at(0), 1e-7 * (1 + std::abs(r[0].measures[0])));
}

// ---- closed forms of statistics -----------------------------------------------------------------------------------------------

// The period of small swings is T = 2 pi sqrt(l/g): with l normal, P(T < t) = P(l < g t^2 / 4 pi^2).
TEST(SweepStatistics, PeriodOverRandomLength) {
  StudyOptions o;
  o.variables = {parse_study_variable("l", "normal(0.5, 0.02)")};
  o.runs = 2000;
  o.sampling = Sampling::Sobol;
  SweepOptions options = with(Method::Dopri5, 0);
  options.start.q = {{"q", 1e-4}};
  options.until = 0.6;
  const Sweep sweep(model_of(kPendulum), Study(o), measures_of({"4*first(q < 0)"}), options);
  std::vector<double> periods;
  for (const CaseResult& r : run_all(sweep)) {
    ASSERT_TRUE(r.ok);
    EXPECT_NEAR(r.measures[0], 2 * M_PI * std::sqrt(r.values[0] / 9.81), 1e-8);
    periods.push_back(r.measures[0]);
  }
  const double p[] = {0.05, 0.5, 0.95};
  const auto quantiles = calc_quantiles(periods, p);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(quantiles[static_cast<std::size_t>(i)],
                2 * M_PI * std::sqrt((0.5 + 0.02 * normal_quantile(p[i])) / 9.81), 2e-4);
}

// x(t) = a cos w t + (b/w) sin w t with a, b normal: mean and variance are exact, and energy stays what it was in every run.
TEST(SweepStatistics, LinearSystemHasExactMoments) {
  StudyOptions o;
  o.variables = {parse_study_variable("x", "normal(1, 0.2)"), parse_study_variable("u_x", "normal(-0.5, 0.4)")};
  o.correlations = {{"x", "u_x", 0.5}};
  o.runs = 8192;
  o.sampling = Sampling::Sobol;
  const Sweep sweep(model_of(kOscillator), Study(o), measures_of({"x", "energy/start(energy)"}), with(Method::Rk4, 0));
  std::vector<double> x;
  for (const CaseResult& r : run_all(sweep)) {
    x.push_back(r.measures[0]);
    EXPECT_NEAR(r.measures[1], 1, 1e-9);
  }
  const double c = std::cos(4.0), s = std::sin(4.0) / 2;
  EXPECT_NEAR(summarize(x).mean, c - 0.5 * s, 1e-3);
  EXPECT_NEAR(summarize(x).deviation, std::sqrt(0.04 * c * c + 0.16 * s * s + 2 * 0.5 * 0.2 * 0.4 * c * s), 2e-3);
}

// Ishigami and Homma's function: exact indices are known (Saltelli et al., Global Sensitivity Analysis, 2008, section 4.9).
TEST(SweepStatistics, IshigamiIndices) {
  std::string text = kOscillator;
  text.replace(text.find("d: 0 N*s/m"), 10, "d: 0 N*s/m, x1: 0, x2: 0, x3: 0");
  StudyOptions o;
  for (const char* name : {"x1", "x2", "x3"})
    o.variables.push_back(parse_study_variable(name, "-3.141592653589793..3.141592653589793"));
  o.sampling = Sampling::Saltelli;
  o.runs = 5 * 4096;
  const Sweep sweep(model_of(text.c_str()), Study(o), measures_of({"sin(x1) + 7*sin(x2)^2 + 0.1*x3^4*sin(x1)"}),
                    {.until = 0});
  StoreTable table;
  table.identity.sampling = "saltelli";
  table.identity.variables = {"x1", "x2", "x3"}, table.identity.measures = {"f"};
  table.measures.resize(1);
  for (const CaseResult& r : run_all(sweep)) {
    ASSERT_TRUE(r.ok) << r.reason;
    table.k.push_back(r.k), table.ok.push_back(1), table.measures[0].push_back(r.measures[0]);
  }
  const auto indices = calc_sobol_indices(table, 0);
  const double a = 7, b = 0.1, pi4 = std::pow(M_PI, 4);
  const double v1 = 0.5 * (1 + b * pi4 / 5) * (1 + b * pi4 / 5), v2 = a * a / 8,
               v13 = b * b * pi4 * pi4 * (1.0 / 18 - 1.0 / 50), v = v1 + v2 + v13;
  const double first[] = {v1 / v, v2 / v, 0}, total[] = {(v1 + v13) / v, v2 / v, v13 / v};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(indices[i].first, first[i], 0.015);
    EXPECT_NEAR(indices[i].total, total[i], 0.015);
    EXPECT_LT(indices[i].first_error, 0.06);
  }
}

// A closed four-bar with random link lengths, only assembled: its angles scatter as the Jacobian of the loop predicts.
TEST(SweepStatistics, FourBarTolerances) {
  const Model model = read_model(std::string(KANE_SOURCE_DIR) + "/models/fourbar.yaml");
  const auto base = model.parameters(model.start());
  const std::vector<std::string> lengths = {"l1", "l2", "l3"};
  for (const auto& name : lengths) ASSERT_TRUE(base.contains(name));
  const std::string angle = model.equations().q.back().name();
  const auto measured = measures_of({angle.c_str()});
  double variance = 0;
  constexpr double kTolerance = 1e-3;
  StudyOptions o;
  for (const auto& name : lengths) {
    const double l = base.at(name), d = 1e-5 * l;
    const Sweep two(model, study_of({{name.c_str(), fmt::format("{{{}, {}}}", l - d, l + d).c_str()}}), measured,
                    {.until = 0});
    const auto r = run_all(two);
    ASSERT_TRUE(r[0].ok && r[1].ok) << r[0].reason;
    const double slope = (r[1].measures[0] - r[0].measures[0]) / (2 * d);
    variance += slope * slope * kTolerance * kTolerance * l * l;
    o.variables.push_back(parse_study_variable(name, fmt::format("normal({}, {})", l, kTolerance * l)));
  }
  o.runs = 1024;
  o.sampling = Sampling::Sobol;
  const Sweep sweep(model, Study(o), measured, {.until = 0});
  std::vector<double> angles;
  for (const CaseResult& r : run_all(sweep)) angles.push_back(r.measures[0]);
  EXPECT_GT(variance, 0);
  EXPECT_NEAR(summarize(angles).deviation, std::sqrt(variance), 0.03 * std::sqrt(variance));
}

// Without losses the energy of every run stays what it was, so that all statistics of it do: the mean and the deviation at the end are
// those at the start. Open and closed chains, and a floating body with Euler parameters.
TEST(SweepStatistics, EnergyIsConserved) {
  for (const char* file : {"npend5", "fourbar", "gyroscope", "spinning_top"}) {
    const Model model = read_model(std::string(KANE_SOURCE_DIR) + "/models/" + file + ".yaml");
    const auto& e = model.equations();
    if (e.switched()) continue;
    StudyOptions study;
    study.variables = {parse_study_variable(e.u.front().name(), "normal(0.5, 0.2)")};
    study.runs = 40;
    SweepOptions o = with(Method::Dopri5, 0);
    o.until = 1, o.simulation.tolerance = 1e-9;
    const Sweep sweep(model, Study(study), measures_of({"start(energy)", "end(energy)", "max(energy) - min(energy)"}),
                      o);
    std::vector<double> begin, end;
    for (const CaseResult& r : run_all(sweep)) {
      ASSERT_TRUE(r.ok) << file << r.reason;
      begin.push_back(r.measures[0]), end.push_back(r.measures[1]);
      EXPECT_LT(r.measures[2], 1e-6 * (1 + std::abs(r.measures[0]))) << file << " run " << r.k;
    }
    const NumberSummary a = summarize(begin), b = summarize(end);
    EXPECT_GT(a.deviation, 1e-6) << file;
    EXPECT_NEAR(a.mean, b.mean, 1e-7 * (1 + std::abs(a.mean))) << file;
    EXPECT_NEAR(a.deviation, b.deviation, 1e-6 * (1 + a.deviation)) << file;
  }
}

TEST(Statistics, Proportions) {
  // Wilson's interval for 0 of 10 and 5 of 10, by hand: z^2/(n + z^2) and 1/2 -+ z/2/sqrt(n + z^2).
  const double z = 1.959963984540054;
  EXPECT_NEAR(calc_proportion(0, 10).high, z * z / (10 + z * z), 1e-12);
  EXPECT_EQ(calc_proportion(0, 10).low, 0);
  EXPECT_NEAR(calc_proportion(5, 10).low, 0.5 - 0.5 * z / std::sqrt(10 + z * z), 1e-12);
}

TEST(Statistics, ParetoFront) {
  const std::vector<double> a = {1, 2, 3, 2, 1, std::nan("")}, b = {3, 2, 1, 3, 3, 0};
  const auto front = find_pareto_front({a, b}, {false, false});
  EXPECT_EQ(front, (std::vector<std::size_t>{0, 1, 2}));
}

// Closed loops in lanes: the simulator's results (another algorithm), the same bits for any number of lanes.
TEST(SweepLanes, ClosedLoops) {
  ModelOptions strict;
  strict.strict = true;
  const Model model = read_model(std::string(KANE_SOURCE_DIR) + "/models/fourbar.yaml").with_options(strict);
  for (const Method method : {Method::Rk4, Method::Dopri5}) {
    std::vector<CaseResult> results[2];
    for (const int lanes : {0, 1}) {
      SweepOptions o = with(method, lanes);
      o.until = 1, o.simulation.step = 1e-3, o.simulation.tolerance = 1e-9;
      const Sweep sweep(model, study_of({{"l1", "0.28..0.32"}}, 20),
                        measures_of({"max(q2)", "end(u3)", "end(u1')", "energy - start(energy)"}), o);
      CaseRunner runner(sweep);
      auto& list = results[lanes];
      runner.run(0, 20, list);
      std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.k < b.k; });
      for (std::uint64_t k = 0; k < 20; ++k) {
        const CaseResult alone = runner.run(k);
        ASSERT_TRUE(alone.ok && list[k].ok) << alone.reason << list[k].reason;
        for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(list[k].measures[i], alone.measures[i], 1e-5) << i;
        EXPECT_NEAR(list[k].measures[3], 0, 1e-6);
      }
    }
    for (std::size_t k = 0; k < 20; ++k) EXPECT_EQ(results[0][k].measures, results[1][k].measures);
  }
}

// Runs that stay away from stops go in lanes, as if there were none; those that do not are left to the simulator. Both agree with a
// simulation of their own.
TEST(SweepLanes, StopsThatAreNotReached) {
  const char* const text = R"(
kane: 1
name: pendulum
parameters: {l: 0.5 m, g: 9.81 m/s^2, stop: 1}
gravity: -g*N.y
bodies: {rod: {}}
particles: {bob: {mass: 1, on: rod, at: [0, -l, 0]}}
joints: {pivot: {type: revolute, parent: N, child: rod, axis: z, coordinate: q, limits: [-stop, 0.8]}}
simulate: {until: 2 s}
)";
  const Model model = model_of(text, true);
  ASSERT_TRUE(model.equations().switched());
  for (const Method method : {Method::Rk4, Method::Dopri5}) {
    SweepOptions o = with(method, 0);
    o.simulation.step = 1e-3, o.simulation.tolerance = 1e-9;
    const Sweep sweep(model, study_of({{"q", "0.1..0.9:9"}, {"stop", "{0.45, 0.95}"}}), measures_of({"q", "min(q)"}),
                      o);
    ASSERT_NE(sweep.free_model(), nullptr);
    CaseRunner runner(sweep);
    EXPECT_EQ(runner.width() > 1, find_best_isa().has_value());
    o.lanes = 1;
    const Sweep narrow(model, study_of({{"q", "0.1..0.9:9"}, {"stop", "{0.45, 0.95}"}}), measures_of({"q", "min(q)"}),
                       o);
    const auto results = run_all(sweep), same = run_all(narrow);
    int bounced = 0;
    for (std::size_t k = 0; k < results.size(); ++k) {
      const CaseResult& r = results[k];
      const double q0 = r.values[0], stop = r.values[1];
      if (q0 > 0.8) {
        EXPECT_FALSE(r.ok);  // it begins beyond its stop
        continue;
      }
      ASSERT_TRUE(r.ok) << r.reason;
      EXPECT_EQ(r.measures, same[k].measures);
      if (q0 < stop) {
        EXPECT_NEAR(r.measures[1], -q0, q0 < 0.79 ? 1e-7 : 2e-5);  // at a stop from the start: the simulator's
      } else {
        ++bounced;
        EXPECT_NEAR(r.measures[1], -stop, 2e-5);  // signals that may jump are linear between samples
      }
      Simulation alone(model, {.q = {{"q", q0}}, .parameters = {{"stop", stop}}},
                       {.method = Method::Dopri5, .tolerance = 1e-10});
      (void)alone.run({.until = 2});
      EXPECT_NEAR(r.measures[0], alone.value("q"), 1e-5) << q0;
    }
    EXPECT_GE(bounced, 3);
  }
  // An event of the stop is only seen with it.
  const Sweep events(model, study_of({{"q", "{0.2}"}}), measures_of({"count(q < 0)"}), with(Method::Dopri5, 0));
  EXPECT_NE(events.free_model(), nullptr);
}

// No thread waits while another has all slow cases: with as many cases as threads, each gets one.
TEST(Executor, DealsOutFewCases) {
  const Model ball = read_model(std::string(KANE_SOURCE_DIR) + "/models/bouncing_ball.yaml");
  SweepOptions o;
  o.until = 0.5;
  const Sweep sweep(ball, study_of({{ball.equations().q.front().name().c_str(), "1..2:7"}}),
                    measures_of({ball.equations().q.front().name().c_str()}), o);
  BlockQueue queue({{0, 7}});
  Executor executor(sweep, queue, 3);
  std::vector<std::uint64_t> seen;
  while (!executor.finished())
    for (const CaseResult& r : executor.collect(std::chrono::milliseconds(20))) seen.push_back(r.k);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(executor.width(), 1U);
}

// A first case that cannot begin is recorded like any other; what no case can do is refused at once.
TEST(SweepFailures, TheFirstCaseMayFail) {
  const Sweep sweep(model_of(kPendulum), study_of({{"m", "{-1, 1, 2}"}}), measures_of({"q"}), with(Method::Rk4, 0));
  const auto results = run_all(sweep);
  ASSERT_EQ(results.size(), 3U);
  EXPECT_FALSE(results[0].ok);
  EXPECT_NE(results[0].reason.find("negative"), std::string::npos) << results[0].reason;
  EXPECT_TRUE(results[1].ok && results[2].ok);
  EXPECT_THROW(Sweep(model_of(kPendulum), study_of({{"m", "{-1, -2}"}}), measures_of({"q"}), with(Method::Rk4, 0)),
               ModelError);
}

// ---- stores -------------------------------------------------------------------------------------------------------------------

class StoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("kane_store_{}_{}", ::getpid(),
                                                      ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
    file_ = (folder_ / "study.db").string();
    identity_ = {"m.yaml", "1234", "0.1", "study", "random", {}, 100, {"a", "A"}, {"k", "m"}, {{}, {"x", "y"}}};
  }
  void TearDown() override { fs::remove_all(folder_); }

  static CaseResult result(std::uint64_t k) {
    CaseResult r;
    r.k = k, r.ok = k % 10 != 3, r.values = {0.1 * static_cast<double>(k), static_cast<double>(k % 2)};
    r.measures = {static_cast<double>(k * k), r.ok ? 1.0 / 3 : std::nan("")};
    if (!r.ok) r.reason = "no reason";
    return r;
  }

  fs::path folder_;
  std::string file_;
  StudyIdentity identity_;
};

TEST_F(StoreTest, KeepsResultsAndGoesOn) {
  {
    SweepStore store(file_, identity_, false);
    store.write(std::vector{result(0), result(1), result(5)});
  }
  SweepStore store(file_, identity_, false);
  EXPECT_EQ(store.done(), 3U);
  const auto missing = store.missing();
  ASSERT_EQ(missing.size(), 2U);
  EXPECT_EQ(missing[0].first, 2U);
  EXPECT_EQ(missing[0].last, 5U);
  EXPECT_EQ(missing[1].last, 100U);
  store.write(std::vector{result(3)});
  const StoreTable table = read_store(file_);
  ASSERT_EQ(table.k.size(), 4U);
  EXPECT_EQ(table.values[0][3], 0.5);
  EXPECT_EQ(table.values[1][3], 1);
  EXPECT_EQ(table.measures[1][0], 1.0 / 3);
  EXPECT_TRUE(std::isnan(table.measures[1][2]));
  EXPECT_EQ(table.reasons.at(3), "no reason");
  EXPECT_TRUE(read_status(file_).running);
}

TEST_F(StoreTest, RefusesAnotherModelUnlessFresh) {
  { SweepStore(file_, identity_, false).write(std::vector{result(0)}); }
  StudyIdentity other = identity_;
  other.model_hash = "5678";
  EXPECT_THROW(SweepStore(file_, other, false), ModelError);
  other = identity_;
  other.study = "another";
  EXPECT_THROW(SweepStore(file_, other, false), ModelError);
  other = identity_;
  other.count = 50;
  EXPECT_THROW(SweepStore(file_, other, false), ModelError);
  other.count = 200;
  EXPECT_EQ(SweepStore(file_, other, false).done(), 1U);
  other.model_hash = "5678";
  EXPECT_EQ(SweepStore(file_, other, true).done(), 0U);
}

TEST_F(StoreTest, RefusesASecondWriterAndWhatIsNoStore) {
  const SweepStore store(file_, identity_, false);
  EXPECT_THROW(SweepStore(file_, identity_, false), ModelError);
  const std::string text = (folder_ / "notes.txt").string();
  write_file(text, "these are my notes, and they are long enough to be looked at\n");
  EXPECT_THROW(SweepStore(text, identity_, false), ModelError);
  EXPECT_THROW(SweepStore(text, identity_, true), ModelError);
  EXPECT_THROW((void)read_store(text), ModelError);
  EXPECT_THROW((void)read_status((folder_ / "none.db").string()), ModelError);
}

TEST_F(StoreTest, WaitsForALockedFile) {
  SweepStore store(file_, identity_, false);
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(file_.c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr), SQLITE_OK);
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  });
  EXPECT_NO_THROW(store.write(std::vector{result(0)}));
  release.join();
  sqlite3_close(other);
  EXPECT_EQ(store.done(), 1U);
}

// A disk that is full (here: a file that may not grow) ends the writer with a sentence; earlier results are kept, and
// the next sweep continues.
TEST_F(StoreTest, SurvivesAFullDisk) {
  identity_.count = 100'000;
  const pid_t child = ::fork();
  if (child == 0) {
    (void)std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{300'000, 300'000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    try {
      SweepStore store(file_, identity_, false);
      for (std::uint64_t k = 0; k < 100'000; k += 100) {
        std::vector<CaseResult> block;
        for (std::uint64_t i = 0; i < 100; ++i) block.push_back(result(k + i));
        store.write(block);
      }
    } catch (const OutputError&) {
      ::_exit(7);
    } catch (...) {
      ::_exit(8);
    }
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  SweepStore store(file_, identity_, false);
  EXPECT_GT(store.done(), 0U);
  EXPECT_EQ(store.done() % 100, 0U);
  store.write(std::vector{result(99'999)});
  const StoreTable table = read_store(file_);
  for (std::size_t i = 0; i + 1 < table.k.size(); ++i) ASSERT_EQ(table.measures[0][i], static_cast<double>(i * i));
}

// A writer that is killed while it works, again and again, leaves what an undisturbed one leaves.
TEST_F(StoreTest, SurvivesKillsAtAnyInstant) {
  const Model model = model_of(kPendulum, true);
  const Sweep sweep(model, study_of({{"l", "0.3..0.7"}}, 3000), measures_of({"q", "max(q)"}), with(Method::Rk4, 0));
  StudyIdentity identity = identity_;
  identity.count = 3000, identity.variables = {"l"}, identity.choices = {{}}, identity.measures = {"q", "max(q)"};
  const auto work = [&] {
    SweepStore store(file_, identity, false);
    BlockQueue queue(store.missing());
    Executor executor(sweep, queue, 2);
    while (!executor.finished()) store.write(executor.collect(std::chrono::milliseconds(5)));
  };
  int kills = 0;
  for (; kills < 50; ++kills) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        work();
      } catch (...) {
        ::_exit(3);
      }
      ::_exit(0);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(4 + (kills * 37) % 29));
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 3);
  }
  work();
  const StoreTable table = read_store(file_);
  const auto expected = run_all(sweep);
  ASSERT_EQ(table.k.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(table.k[i], i);
    EXPECT_EQ(table.values[0][i], expected[i].values[0]);
    EXPECT_EQ(table.measures[0][i], expected[i].measures[0]);
    EXPECT_EQ(table.measures[1][i], expected[i].measures[1]);
  }
}

}  // namespace
}  // namespace kane

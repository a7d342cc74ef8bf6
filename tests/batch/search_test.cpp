// Design studies against designs that are known.

#include "kane/batch/search.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "kane/formats/model_reader.hpp"

namespace kane {
namespace {

/// x'' = -c x - d x' from x = 1, and parameters a and b for functions that need no motion.
const char* const kBlock = R"(
kane: 1
name: block
parameters: {m: 1 kg, c: 4 N/m, d: 0 N*s/m, a: 0, b: 0}
bodies: {block: {mass: m}}
joints: {rail: {type: prismatic, parent: N, child: block, axis: x, coordinate: x, stiffness: c, damping: d}}
initial: {x: 1}
simulate: {until: 2 s}
)";

SearchReport find_design(std::vector<std::pair<const char*, const char*>> vary, const char* measure,
                         const SearchOptions& options, double until) {
  StudyOptions o;
  for (const auto& [name, text] : vary) o.variables.push_back(parse_study_variable(name, text));
  o.runs = 1;
  const Sweep sweep(read_model_text(kBlock, "block.yaml"), Study(o), {{"f", measure, {}}}, {.until = until});
  CaseRunner runner(sweep);
  return search(sweep, options,
                [&](std::uint64_t k, const std::vector<double>& values) { return runner.run(k, values); });
}

// Rosenbrock's valley has its least value 0 at (1, 1).
TEST(Search, FindsTheBottomOfAValley) {
  for (const char* method : {"auto", "local", "gradient"}) {
    const auto r = find_design({{"a", "-2..2"}, {"b", "-1..3"}}, "(1 - a)^2 + 100*(b - a^2)^2",
                               {.goals = {{"f"}}, .method = method, .evaluations = 3000}, 0);
    ASSERT_FALSE(r.best.empty()) << method;
    EXPECT_NEAR(r.goals[0][0], 0, 1e-2) << method;
    EXPECT_NEAR(r.best[0].values[0], 1, 0.1) << method;
    EXPECT_LE(r.runs, 3000U);
  }
}

// The damping for which x is least at 2 s without ever being below -0.1: on the edge of the condition.
TEST(Search, KeepsConditions) {
  SearchOptions o{
      .goals = {{"a + b", true}}, .conditions = {{"a^2 + b^2 <= 1"}}, .method = "local", .evaluations = 400};
  const auto r = find_design({{"a", "0..2"}, {"b", "0..2"}}, "a", o, 0);
  ASSERT_TRUE(r.feasible);
  EXPECT_NEAR(r.goals[0][0], std::sqrt(2.0), 1e-4);
  o.conditions = {{"a >= 3"}};
  EXPECT_FALSE(find_design({{"a", "0..2"}, {"b", "0..2"}}, "a", o, 0).feasible);
}

// x(2) = cos(2 sqrt(c)) is least where sqrt(c) = pi/2.
TEST(Search, DesignsAMotion) {
  const auto r = find_design({{"c", "1..6"}}, "end(x)", {.goals = {{"f"}}, .method = "local", .evaluations = 100}, 2);
  ASSERT_FALSE(r.best.empty());
  EXPECT_NEAR(r.best[0].values[0], M_PI * M_PI / 4, 1e-3);
}

// The stiffness and the damping that give x(1) and the largest speed of c = 5, d = 2, where x = e^-t (cos 2t + sin(2t)/2) and
// x' = -5/2 e^-t sin 2t. Derivatives come from the variational equations, so that few runs are enough.
TEST(Search, UsesDerivativesOfTheMotion) {
  StudyOptions o;
  o.variables = {parse_study_variable("c", "1..9"), parse_study_variable("d", "0..3")};
  o.runs = 1;
  const Sweep sweep(read_model_text(kBlock, "block.yaml"), Study(o),
                    {{"at", "at(x, 1)", {}}, {"fast", "max(-u_x)", {}}}, {.until = 2});
  const double at = std::exp(-1) * (std::cos(2) + 0.5 * std::sin(2)), top = 0.5 * std::atan(2),
               fast = 2.5 * std::exp(-top) * std::sin(2 * top);
  SearchOptions options{.goals = {{fmt::format("1e3*(at - {})^2 + 1e3*(fast - {})^2", at, fast)}},
                        .method = "gradient",
                        .evaluations = 60};
  CaseRunner runner(sweep);
  const auto r =
      search(sweep, options, [&](std::uint64_t k, const std::vector<double>& values) { return runner.run(k, values); });
  ASSERT_FALSE(r.best.empty());
  EXPECT_NEAR(r.best[0].values[0], 5, 1e-3);
  EXPECT_NEAR(r.best[0].values[1], 2, 1e-3);
  EXPECT_GT(r.gradients, 2U);
  EXPECT_LT(r.runs, 60U);
  EXPECT_EQ(r.no_gradients, "");
}

// Goals a^2 + b^2 and (a - 1)^2 + b^2: the front is b = 0, 0 <= a <= 1, where sqrt(f1) + sqrt(f2) = 1.
TEST(Search, FindsAFront) {
  const auto r =
      find_design({{"a", "-1..2"}, {"b", "-1..1"}}, "a",
                  {.goals = {{"a^2 + b^2"}, {"(a - 1)^2 + b^2"}}, .method = "pareto", .evaluations = 900}, 0);
  ASSERT_GT(r.best.size(), 5U);
  double near = 0;
  for (const auto& g : r.goals) near += std::sqrt(g[0]) + std::sqrt(g[1]) < 1.02 ? 1 : 0;
  EXPECT_GT(near, 5);
}

TEST(Search, RefusesWhatHasNoMeaning) {
  const auto find = [](const SearchOptions& o) { (void)find_design({{"a", "0..1"}}, "a", o, 0); };
  EXPECT_THROW(find({}), ModelError);
  EXPECT_THROW(find({.goals = {{"nothing"}}}), ModelError);
  EXPECT_THROW(find({.goals = {{"f"}}, .method = "magic"}), ModelError);
  EXPECT_THROW(find({.goals = {{"f"}}, .method = "pareto"}), ModelError);
  EXPECT_THROW(find({.goals = {{"f"}}, .conditions = {{"f + 1"}}}), ModelError);
}

}  // namespace
}  // namespace kane

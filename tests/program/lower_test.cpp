// Lowered programs against the values of the expressions they came from.

#include "kane/program/lower.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <memory>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate_in.hpp"
#include "kane/program/check_program.hpp"
#include "kane/program/interpreter.hpp"
#include "kane/program/program_text.hpp"
#include "tests/program/random_expressions.hpp"
#include "tests/program/reference.hpp"

namespace kane {
namespace {

using test::external_functions;
using test::random_sample;
using test::reference;
using test::Sample;
using test::Tracked;

std::vector<double> run(const Program& p, const Sample& s) {
  Interpreter interpreter(std::make_shared<Program>(p), bind_functions(p, external_functions()));
  interpreter.set_parameters(s.parameters);
  interpreter.set_inputs(s.inputs);
  std::vector<double> outputs(p.outputs.size());
  interpreter.evaluate(s.state, outputs);
  return outputs;
}

PassChoice choice_of(unsigned bits) {
  const auto bit = [&](unsigned i) { return (bits >> i & 1U) != 0; };
  return {bit(0), bit(1), bit(2), bit(3), bit(4), bit(5), bit(6), bit(7)};
}

/// Compares at random points; returns the number of outputs compared and fails on any that differs.
int compare(const test::RandomExpressions& made, const Program& p, std::uint64_t seed, int points = 3) {
  std::mt19937_64 random(seed);
  int compared = 0;
  for (int k = 0; k < points; ++k) {
    const Sample s = random_sample(p, random);
    const std::vector<Tracked> expected = reference(made.outputs, p, s);
    if (Tracked::undecided) continue;
    const std::vector<double> got = run(p, s);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const Tracked& e = expected[i];
      if (!std::isfinite(e.value) || !std::isfinite(e.error) || e.error > 1e-3L * std::fabs(e.value)) continue;
      ++compared;
      const long double allowed = 1e-12L * std::fabs(e.value) + 20 * e.error;
      EXPECT_LE(std::fabs(got[i] - e.value), allowed)
          << "output " << i << ": " << got[i] << " instead of " << static_cast<double>(e.value) << "\n"
          << to_text(p);
    }
  }
  return compared;
}

RC_GTEST_PROP(Lower, EveryChoiceOfPassesKeepsTheValue, ()) {
  const auto seed = *rc::gen::noShrink(rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62U));
  Graph graph;
  std::mt19937_64 random(seed);
  const auto made = test::make_random_expressions(
      graph, seed, {.operations = 10 + static_cast<int>(seed % 60), .functions = seed % 3 != 0, .calls = true});
  LowerOptions options;
  options.passes = choice_of(static_cast<unsigned>(random()));
  options.strict = random() % 4 == 0;
  const Program p = lower("random", made.outputs, made.inputs, options);
  check_program(p);
  compare(made, p, seed);
  RC_ASSERT(!::testing::Test::HasFailure());
}

TEST(Lower, AllCombinationsOfPasses) {
  for (unsigned bits = 0; bits < 256; ++bits)
    for (std::uint64_t seed = 4 * bits; seed < 4 * bits + 4; ++seed) {
      Graph graph;
      const auto made =
          test::make_random_expressions(graph, seed, {.operations = 60, .functions = seed % 2 != 0, .calls = true});
      LowerOptions options;
      options.passes = choice_of(bits);
      const Program p = lower("random", made.outputs, made.inputs, options);
      check_program(p);
      compare(made, p, seed, 1);
    }
}

/// Work per evaluation, a division as dear as four products.
int state_cost(const test::RandomExpressions& made, const PassChoice& passes) {
  LowerOptions options;
  options.passes = passes;
  const OperationCount count = lower("random", made.outputs, made.inputs, options).operations(Stage::State);
  return count.mul + count.add + 4 * count.div + 20 * count.func;
}

RC_GTEST_PROP(Lower, PassesDoNotAddWorkToTheState, ()) {
  const auto seed = *rc::gen::noShrink(rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62U));
  Graph graph;
  const auto made = test::make_random_expressions(
      graph, seed, {.operations = 10 + static_cast<int>(seed % 100), .functions = seed % 3 != 0, .calls = true});
  RC_ASSERT(state_cost(made, choice_of(0xffU)) <= state_cost(made, choice_of(0)));
}

/// The passes are added in the order in which they run. Hoisting and factoring look one step ahead only and now and then
/// lose an operation to a later pass, so those are judged by the sum; all others never do.
TEST(Lower, NoPassAddsWorkToTheState) {
  std::array<long, 9> total{};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Graph graph;
    const auto made = test::make_random_expressions(graph, seed, {.operations = 10 + static_cast<int>(seed % 100)});
    int before = 0;
    for (unsigned pass = 0; pass <= 8; ++pass) {
      const int cost = state_cost(made, choice_of((1U << pass) - 1));
      const bool greedy = pass == 3 || pass == 4;  // after hoist, after factor
      if (pass > 0 && !greedy) {
        EXPECT_LE(cost, before) << "pass " << pass << ", seed " << seed;
      }
      total[pass] += before = cost;
    }
  }
  for (std::size_t pass = 1; pass <= 8; ++pass) EXPECT_LE(total[pass], total[pass - 1]) << "pass " << pass;
  EXPECT_LT(total[8], total[0]);
}

TEST(Lower, TheComparisonsAboveDoCompare) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Graph graph;
    const auto made = test::make_random_expressions(graph, seed, {.calls = true});
    compared += compare(made, lower("random", made.outputs, made.inputs), seed, 1);
  }
  EXPECT_GT(compared, 150);  // of 200
}

TEST(Lower, LargeProgramsKeepTheirValue) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    Graph graph;
    const auto made = test::make_random_expressions(graph, seed, {.operations = 3000, .outputs = 100, .calls = true});
    const Program p = lower("large", made.outputs, made.inputs);
    check_program(p);
    compare(made, p, seed);
  }
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const ModelError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Lower, OperandsMayBeYoungerThanTheirUsers) {
  Graph graph;
  const Expr a = graph.symbol("a"), b = graph.symbol("b"), c = graph.symbol("c");
  const Expr product = a * b + a * c;
  const Expr shorter = a * (b + c);  // the same node, which takes the shorter form
  ASSERT_EQ(product.id(), shorter.id());
  ASSERT_GT((b + c).id(), product.id());
  const std::vector<NamedExpr> outputs{{"y", sin(product)}};
  const auto program = std::make_shared<const Program>(lower("p", outputs, {{}, {}, {"a", "b", "c"}}));
  Interpreter interpreter(program);
  std::vector<double> y(1);
  interpreter.evaluate(std::vector{2.0, 0.3, 0.5}, y);
  EXPECT_DOUBLE_EQ(y[0], std::sin(1.6));
}

TEST(Lower, NamesSymbolsThatAreNotInputs) {
  Graph graph;
  const Expr x = graph.symbol("x"), stiffness = graph.symbol("stiffness"), k = graph.symbol("k");
  const std::vector<NamedExpr> outputs{{"y", x + stiffness * k}};
  EXPECT_EQ(message_of([&] {
              (void)lower("spring", outputs, {{}, {}, {"x"}});
            }),
            "the expressions use 'stiffness', 'k', which are not listed as an input of the program");
  EXPECT_EQ(message_of([&] {
              (void)lower("spring", outputs, {{"k"}, {}, {"x"}});
            }),
            "the expressions use 'stiffness', which is not listed as an input of the program");
}

TEST(Lower, RefusesNamesGivenTwice) {
  Graph graph;
  const Expr x = graph.symbol("x");
  EXPECT_NE(message_of([&] {
              (void)lower("p", std::vector<NamedExpr>{{"y", x}}, {{"x"}, {}, {"x"}});
            }).find("two inputs named 'x'"),
            std::string::npos);
  EXPECT_NE(message_of([&] {
              (void)lower("p", std::vector<NamedExpr>{{"y", x}, {"y", x}}, {{}, {}, {"x"}});
            }).find("two outputs named 'y'"),
            std::string::npos);
}

TEST(Lower, KeepsOrderAndUnusedInputs) {
  Graph graph;
  const std::vector<NamedExpr> outputs{{"second", graph.symbol("b") * graph.symbol("x")}, {"first", graph.symbol("x")}};
  const Program p = lower("order", outputs, {{"unused", "b"}, {"t"}, {"y", "x"}});
  EXPECT_EQ(p.input_count, (std::array<std::uint32_t, 3>{2, 1, 2}));
  EXPECT_EQ(p.find_input("unused"), 0U);
  EXPECT_EQ(p.find_input("x"), 4U);
  EXPECT_EQ(p.first_input(Stage::State), 3U);
  EXPECT_EQ(p.find_input("z"), std::nullopt);
  EXPECT_EQ(p.find_output("second"), 0U);
  EXPECT_EQ(p.find_output("first"), 1U);
  EXPECT_EQ(p.find_output("third"), std::nullopt);
  EXPECT_EQ(p.outputs[1].value, 4U);  // an input can be an output
  EXPECT_EQ(run(p, {{0, 3}, {0}, {0, 5}}), (std::vector<double>{15, 5}));
}

TEST(Lower, NumbersAreOutputsToo) {
  Graph graph;
  const Expr x = graph.symbol("x");
  const std::vector<NamedExpr> outputs{
      {"zero", Expr(0)}, {"third", Expr(1) / 3}, {"minus", graph.number(-2)}, {"pi", graph.pi()}, {"none", x - x}};
  const Program p = lower("numbers", outputs, {{}, {}, {"x"}});
  EXPECT_TRUE(p.instructions.empty());
  EXPECT_EQ(run(p, {{}, {}, {7}}), (std::vector<double>{0, 1.0 / 3, -2, 3.141592653589793, 0}));
  const Program bare = lower("bare", std::vector<NamedExpr>{{"one", Expr(1)}}, {});
  EXPECT_EQ(run(bare, {}), std::vector<double>{1});
  EXPECT_TRUE(lower("empty", {}, {}).outputs.empty());
}

TEST(Lower, RefusesExpressionsOfTwoGraphs) {
  Graph one, two;
  const std::vector<NamedExpr> outputs{{"a", one.symbol("x")}, {"b", two.symbol("x") * 2}};
  EXPECT_THROW((void)lower("mixed", outputs, {{}, {}, {"x"}}), ModelError);
}

TEST(Lower, StopsAtTheLimit) {
  Graph graph;
  const auto made = test::make_random_expressions(graph, 1, {.operations = 200, .functions = false});
  LowerOptions options;
  options.max_instructions = 50;
  EXPECT_NE(message_of([&] { (void)lower("large", made.outputs, made.inputs, options); }).find("max_instructions"),
            std::string::npos);
  EXPECT_THROW((void)lower("large", made.outputs, made.inputs, options), LimitError);
}

TEST(Lower, ReportsEachPass) {
  Graph graph;
  const auto made = test::make_random_expressions(graph, 1);
  std::vector<std::string> logged;
  LowerOptions options;
  options.log = [&](const PassReport& pass) { logged.emplace_back(pass.name); };
  LowerReport report;
  const Program p = lower("report", made.outputs, made.inputs, options, &report);
  const std::vector<std::string> expected{"lower",  "trigonometry", "flatten",  "hoist",     "factor",  "reciprocals",
                                          "powers", "assemble",     "contract", "dead code", "schedule"};
  EXPECT_EQ(logged, expected);
  ASSERT_EQ(report.passes.size(), expected.size());
  EXPECT_EQ(report.passes.back().after, p.instructions.size());
  EXPECT_GT(report.microseconds, 0);
  EXPECT_GT(report.max_live[2], 0U);
}

TEST(Lower, InputsOfSymbols) {
  Graph graph;
  const std::vector<Expr> q{graph.symbol("q1"), graph.symbol("q1'")};
  EXPECT_EQ(inputs_of({}, {}, q).state, (std::vector<std::string>{"q1", "q1'"}));
  const std::vector<Expr> wrong{q[0] + q[1]};
  EXPECT_THROW((void)inputs_of(wrong, {}, {}), ModelError);
}

TEST(Lower, TheSameExpressionsGiveTheSameProgram) {
  const auto text = [](std::uint64_t graph_seed) {
    Graph graph({.seed = graph_seed});
    const auto made = test::make_random_expressions(graph, 5, {.operations = 300});
    return to_text(lower("again", made.outputs, made.inputs));
  };
  EXPECT_EQ(text(1), text(1));
  EXPECT_EQ(text(1), text(2));
}

TEST(Lower, DeepAndWideExpressionsAreNoProblem) {
  Graph graph;
  const Expr x = graph.symbol("x"), a = graph.symbol("a");
  Expr deep = x, wide = Expr(0), power = Expr(0), nested = x;
  for (int i = 1; i <= 20000; ++i) {
    deep = sin(deep) + a;
    if (i <= 5000) wide += graph.symbol("s" + std::to_string(i)) * x;
    if (i <= 300) power += pow(x, i) * graph.symbol("s" + std::to_string(i));
    if (i <= 2000) nested = a * (nested + graph.symbol("s" + std::to_string(i)));
  }
  ProgramInputs inputs{{"a"}, {}, {"x"}};
  for (int i = 1; i <= 5000; ++i) inputs.parameters.push_back("s" + std::to_string(i));
  LowerReport report;
  const Program p =
      lower("deep", std::vector<NamedExpr>{{"deep", deep}, {"wide", wide}, {"power", power}, {"nested", nested}},
            inputs, {}, &report);
  check_program(p);
  EXPECT_EQ(p.operations(Stage::State).func, 20000);
  EXPECT_LT(report.microseconds, 2e6);
}

TEST(Lower, StrictProgramsCountTheSameOperations) {
  // A fused multiply-add counts as its two parts.
  Graph graph;
  const auto made = test::make_random_expressions(graph, 9, {.operations = 200, .functions = false});
  LowerOptions strict;
  strict.strict = true;
  const OperationCount fused = lower("fused", made.outputs, made.inputs).operations(Stage::State);
  const OperationCount apart = lower("strict", made.outputs, made.inputs, strict).operations(Stage::State);
  EXPECT_EQ(fused, apart);
}

}  // namespace
}  // namespace kane

// Lowered programs against the values of the expressions they came from.

#include "kane/program/lower.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <memory>

#include "kane/base/error.hpp"
#include "kane/expr/evaluate_in.hpp"
#include "kane/program/check_program.hpp"
#include "kane/program/interpreter.hpp"
#include "kane/program/program_text.hpp"
#include "tests/program/random_expressions.hpp"
#include "tests/program/tracked.hpp"

namespace kane {
namespace {

using test::Tracked;

double table(const double* x, void* context) { return std::tanh(x[0]) + *static_cast<const double*>(context); }
double mix(const double* x, void*) { return x[0] - 2 * x[1] * x[2]; }
double kOffset = 0.25;

std::vector<NamedFunction> external_functions() {
  return {{"mix", 3, {mix, nullptr}}, {"table", 1, {table, &kOffset}}};
}

struct Sample {
  std::vector<double> parameters, inputs, state;
};

Sample random_sample(const Program& p, std::mt19937_64& random) {
  std::uniform_real_distribution<double> number(-2, 2);
  Sample s;
  for (const ProgramInput& i : p.inputs)
    (i.stage == Stage::Parameters ? s.parameters : i.stage == Stage::Inputs ? s.inputs : s.state)
        .push_back(number(random));
  return s;
}

std::vector<double> run(const Program& p, const Sample& s) {
  Interpreter interpreter(std::make_shared<Program>(p), bind_functions(p, external_functions()));
  interpreter.set_parameters(s.parameters);
  interpreter.set_inputs(s.inputs);
  std::vector<double> outputs(p.outputs.size());
  interpreter.evaluate(s.state, outputs);
  return outputs;
}

/// True values with the error that rounding may cause.
std::vector<Tracked> reference(const std::vector<NamedExpr>& outputs, const Program& p, const Sample& s) {
  std::vector<double> all = s.parameters;
  all.insert(all.end(), s.inputs.begin(), s.inputs.end());
  all.insert(all.end(), s.state.begin(), s.state.end());
  std::vector<Expr> es;
  for (const NamedExpr& o : outputs) es.push_back(o.value);
  Tracked::undecided = false;
  return evaluate_in<Tracked>(
      es, [&](const std::string& name) { return Tracked(all.at(p.find_input(name).value())); },
      [](const Rational& r) {
        const double v = to_double(r);
        return Tracked(v, r == Rational(v) ? 0 : Tracked::kUnit * std::fabs(v));
      },
      [](const std::string& name, std::span<const Tracked> x) {
        return name == "table" ? tanh(x[0]) + Tracked(kOffset) : x[0] - Tracked(2) * x[1] * x[2];
      });
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
  static long tot=0; static long n=0; tot+=compare(made, p, seed); n+=12; if (n%12000==0) fmt::print("{} of {}\n", tot, n);
  RC_ASSERT(!::testing::Test::HasFailure());
}

}  // namespace
}  // namespace kane

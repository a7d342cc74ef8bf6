// Nothing allocates once an interpreter exists.

#include <gtest/gtest.h>

#include "tests/program/allocation_count.hpp"
#include "tests/program/random_expressions.hpp"
#include "tests/program/small_programs.hpp"

namespace kane {
namespace {

double table(const double* x, void*) { return x[0] * 0.5; }
double mix(const double* x, void*) { return x[0] - x[1] + x[2]; }

TEST(Allocation, EvaluationHasNone) {
  Graph graph;
  const auto made = test::make_random_expressions(graph, 7, {.operations = 200, .outputs = 20, .calls = true});
  const auto p = std::make_shared<Program>(lower("random", made.outputs, made.inputs));
  ASSERT_FALSE(p->functions.empty());
  const std::vector<NamedFunction> functions{{"table", 1, {table, nullptr}}, {"mix", 3, {mix, nullptr}}};
  Interpreter run(p, bind_functions(*p, functions));
  const std::vector<double> parameters(p->input_count[0], 0.7), inputs(p->input_count[1], 0.3),
      state(p->input_count[2], 0.1);
  std::vector<double> outputs(p->outputs.size());
  const long before = test::allocation_count();
  for (int i = 0; i < 10; ++i) {
    run.set_parameters(parameters);
    run.set_inputs(inputs);
    run.evaluate(state, outputs);
  }
  EXPECT_EQ(test::allocation_count() - before, 0);
  std::vector<double> proof(1000);  // the counter does count
  EXPECT_GT(test::allocation_count(), before);
}

}  // namespace
}  // namespace kane

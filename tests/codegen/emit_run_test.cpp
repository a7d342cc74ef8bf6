// Emitted programs, compiled and run, against the interpreter.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <set>

#include "kane/expr/graph.hpp"
#include "kane/expr/parse.hpp"
#include "kane/program/code.hpp"
#include "kane/program/interpreter.hpp"
#include "kane/program/lower.hpp"
#include "tests/codegen/emit_runner.hpp"
#include "tests/program/random_expressions.hpp"
#include "tests/program/reference.hpp"

namespace kane {
namespace {

using test::Sample;
using test::Tracked;

/// Every opcode, so that none depends on luck; then random ones.
std::vector<NamedExpr> expressions(Graph& graph, std::uint64_t seed, ProgramInputs& inputs) {
  auto made = test::make_random_expressions(graph, seed, {.operations = 120, .outputs = 30, .calls = true});
  inputs = made.inputs;
  std::vector<NamedExpr> all;
  for (const std::string& name : made.inputs.state)
    all.push_back({name + "'", graph.number(static_cast<int>(all.size()) + 1, 7)});
  const auto add = [&](const Expr& e) { all.push_back({"o" + std::to_string(all.size()), e}); };
  for (const char* text : {"-q1",
                           "q1 + q2",
                           "q1 - q2",
                           "q1*q2",
                           "q1/(q2^2 + 1)",
                           "sqrt(q1^2 + 2)",
                           "root(q1^2 + 2, 5)",
                           "sin(q1)",
                           "cos(q2)",
                           "tan(q1/4)",
                           "asin(q1/20)",
                           "acos(q2/20)",
                           "atan(q1)",
                           "atan2(q1, q2)",
                           "sinh(q1/5)",
                           "cosh(q1/5)",
                           "tanh(q1)",
                           "exp(q1/5)",
                           "log(q1^2 + 2)",
                           "abs(q1)",
                           "sign(q1)",
                           "min(q1, q2)",
                           "max(q1, q2)",
                           "floor(q1)",
                           "mod(q1, m^2 + 1)",
                           "select(q1 < q2, q1, q3)",
                           "select(q1 <= q2, q1, q3)",
                           "select(floor(q1) == 1, q2, -q3)",
                           "q1*q2 + q3*u1",
                           "u1*u2 - q3",
                           "q3 - u1*u3",
                           "-u2*u3 - q1",
                           "m*L + q1",
                           "t*k*q1",
                           "1e-20*q1 + 2.5e17*u1",
                           "q1*(q2*(q3*(u1*(u2*u3))))",
                           "q1 - (q2 - (q3 - (u1 - (u2 - u3))))",
                           "q1/(q2^2+1)/(q3^2+1)/(u1^2+1)",
                           "(q1 - q2)*(-(q3 + u1))*(-2)",
                           "k",
                           "t",
                           "m*g",
                           "T*T",
                           "q1"})
    add(parse(graph, text));
  for (const NamedExpr& o : made.outputs) add(o.value);
  return all;
}

/// Names that no language is glad about.
void spoil_names(Program& p) {
  const std::vector<std::string> ugly{"for", "B.mass", "lambda", "end", "function",   "time",
                                      "Q1",  "q1'",    "q1",     "z1",  "\xce\xb8_1", "class"};
  for (std::size_t i = 0; i < p.inputs.size(); ++i) p.inputs[i].name = ugly.at(i);
  p.outputs.back().name = "a name \"with\" 'quotes' \\ and */ much else: " + std::string(80, 'x');
  p.name = "robot arm-2";
}

const char* const kFunctionsC =
    "#include <math.h>\ndouble table(double x) { return tanh(x) + 0.25; }\n"
    "double mix(double a, double b, double c) { return a - 2 * b * c; }\n";

void write_functions(const test::ScratchFolder& folder, const Program& program, const std::string& name) {
  folder.write("functions.c", kFunctionsC);
  folder.write("functions.hpp",
               "#include <cmath>\nstruct Functions {\n  static double table(double x) { return std::tanh(x) + 0.25; }\n"
               "  static double mix(double a, double b, double c) { return a - 2 * b * c; }\n};\n");
  folder.write("functions.f90",
               "function table(x) result(r)\n  real(kind(1.0d0)), intent(in) :: x\n  real(kind(1.0d0)) :: r\n"
               "  r = tanh(x) + 0.25d0\nend function\n"
               "function mix(a, b, c) result(r)\n  real(kind(1.0d0)), intent(in) :: a, b, c\n"
               "  real(kind(1.0d0)) :: r\n  r = a - 2*b*c\nend function\n");
  folder.write(
      "functions.py",
      "import numpy as np\nFUNCTIONS = {'table': lambda x: np.tanh(x) + 0.25, 'mix': lambda a, b, c: a - 2*b*c}\n");
  folder.write("table.m", "function r = table(x)\n  r = tanh(x) + 0.25;\nend\n");
  folder.write("mix.m", "function r = mix(a, b, c)\n  r = a - 2*b.*c;\nend\n");
  // The struct has what the program calls.
  std::string rust = fmt::format("pub const FUNCTIONS: crate::{0}::Functions = crate::{0}::Functions {{\n", name);
  for (const ProgramFunction& f : program.functions)
    rust += f.name == "mix" ? "    mix: |a: f64, b: f64, c: f64| a - 2.0 * b * c,\n"
                            : "    table: |x: f64| x.tanh() + 0.25,\n";
  folder.write("functions.rs", rust + "};\n");
  folder.write("functions.mjs",
               "export const functions = {table: (x) => Math.tanh(x) + 0.25, mix: (a, b, c) => a - 2*b*c};\n");
}

struct Case {
  std::vector<NamedExpr> expressions;
  Program original;  ///< with the names of the expressions
  ExportModel model;
};

/// Rates are constant, so the lines of the driver are evaluations at different states and times.
Case make_case(Graph& graph, std::uint64_t seed) {
  Case c;
  ProgramInputs inputs;
  c.expressions = expressions(graph, seed, inputs);
  LowerOptions options;
  options.strict = seed % 3 == 2;
  c.original = lower("arm", c.expressions, inputs, options);
  std::mt19937_64 random(seed);
  const Sample s = test::random_sample(c.original, random);
  c.model = {.program = c.original,
             .parameters = s.parameters,
             .inputs = s.inputs,
             .state = s.state,
             .time = "t",
             .start = 0.25,
             .duration = 1,
             .step = 0.125,
             .print_every = 2,
             .description = "A test."};
  if (seed % 2 == 1) {
    spoil_names(c.model.program);
    c.model.time = c.model.program.inputs[5].name;
  }
  return c;
}

std::vector<double> interpret(const Program& p, const Sample& s) {
  Interpreter run(std::make_shared<Program>(p), bind_functions(p, test::external_functions()));
  run.set_parameters(s.parameters);
  run.set_inputs(s.inputs);
  std::vector<double> y(p.outputs.size());
  run.evaluate(s.state, y);
  return y;
}

/// Compares a line of the driver with the interpreter; returns how many outputs could be compared.
int compare(const Case& c, const std::vector<double>& row, Language language) {
  const std::size_t n = c.model.state.size();
  if (row.size() != 1 + c.original.outputs.size()) {
    ADD_FAILURE() << "a line of " << row.size() << " numbers";
    return 0;
  }
  Sample s{c.model.parameters, c.model.inputs, {row.begin() + 1, row.begin() + 1 + static_cast<std::ptrdiff_t>(n)}};
  s.inputs[1] = row[0];
  const std::vector<double> expected = interpret(c.original, s);
  int compared = 0;
  for (std::size_t i = n; i < expected.size(); ++i) {
    const std::vector<NamedExpr> one{c.expressions[i]};
    const Tracked exact = test::reference(one, c.original, s)[0];
    if (Tracked::undecided || !(exact.error < 1e-6L * std::fabs(exact.value) + 1e-300L)) continue;
    ++compared;
    // 1e-13, or the rounding that the expression amplifies.
    const double allowed = 1e-13 * std::fabs(expected[i]) + 6 * static_cast<double>(exact.error);
    EXPECT_LE(std::fabs(row[1 + i] - expected[i]), allowed)
        << info(language).title << ", " << c.original.outputs[i].name << ": " << row[1 + i] << " instead of "
        << expected[i];
  }
  return compared;
}

class EmitRunSlow : public ::testing::TestWithParam<Language> {};

TEST_P(EmitRunSlow, AgreesWithTheInterpreter) {
  std::set<Code> codes;
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Graph graph;
    const Case c = make_case(graph, seed);
    for (const Instruction& i : c.original.instructions) codes.insert(i.code);
    const test::ScratchFolder folder("run");
    EmitOptions options;
    if (seed >= 2) options.part_length = 25;
    const auto paths = emit_export(c.model, GetParam(), folder.path(), options);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "README.md"));
    const std::string name = seed % 2 == 1 ? "robot_arm_2" : "arm";
    write_functions(folder, c.model.program, name);
    const test::CsvTable table = test::run_for_table(folder.path(), test::command_for(GetParam(), name, true));
    ASSERT_EQ(table.rows.size(), 5U);
    int compared = 0;
    for (const auto& row : table.rows) compared += compare(c, row, GetParam());
    EXPECT_GT(compared, 250);  // of 5 * 74
    EXPECT_NEAR(table.rows.back()[0], 1.25, 1e-12);
    EXPECT_NEAR(table.rows.back()[1], c.model.state[0] + 1.0 / 7, 1e-12);
  }
  EXPECT_EQ(codes.size(), kCodeCount) << "not every opcode has been tried";
}

/// A damped, driven pendulum: the driver against the same method with the interpreter.
TEST_P(EmitRunSlow, SimulatesLikeTheInterpreter) {
  Graph graph;
  const auto e = [&](const char* text) { return parse(graph, text); };
  const std::vector<NamedExpr> outputs{{"theta'", e("omega")},
                                       {"omega'", e("-g/L*sin(theta) - b/(m*L^2)*omega + A*cos(3*t)/(m*L^2)")},
                                       {"energy", e("m*L^2*omega^2/2 - m*g*L*cos(theta)")}};
  ExportModel model{.program = lower("pendulum", outputs, {{"m", "L", "g", "b"}, {"A", "t"}, {"theta", "omega"}}),
                    .parameters = {1.5, 0.8, 9.81, 0.05},
                    .inputs = {0.7, 0},
                    .state = {2, -0.5},
                    .time = "t",
                    .start = 1,
                    .duration = 2,
                    .step = 0.01,
                    .print_every = 50,
                    .description = ""};
  const test::ScratchFolder folder("simulate");
  (void)emit_export(model, GetParam(), folder.path());
  const test::CsvTable table = test::run_for_table(folder.path(), test::command_for(GetParam(), "pendulum", false));
  EXPECT_EQ(table.names, (std::vector<std::string>{"t", "theta", "omega", "energy"}));
  ASSERT_EQ(table.rows.size(), 5U);

  Interpreter run(std::make_shared<Program>(model.program));
  run.set_parameters(model.parameters);
  const auto rates = [&](double t, const std::array<double, 2>& x) {
    const std::array<double, 2> u{model.inputs[0], t};
    std::array<double, 3> y{};
    run.set_inputs(u);
    run.evaluate(x, y);
    return y;
  };
  std::array<double, 2> x{2, -0.5};
  for (int step = 0; step <= 200; ++step) {
    const double t = 1 + step * 0.01, h = 0.01;
    const auto k1 = rates(t, x);
    if (step % 50 == 0) {
      const auto& row = table.rows[static_cast<std::size_t>(step / 50)];
      ASSERT_EQ(row.size(), 4U);
      EXPECT_NEAR(row[0], t, 1e-12);
      EXPECT_NEAR(row[1], x[0], 1e-11);
      EXPECT_NEAR(row[2], x[1], 1e-11);
      EXPECT_NEAR(row[3], k1[2], 1e-10);
    }
    const auto k2 = rates(t + h / 2, {x[0] + h / 2 * k1[0], x[1] + h / 2 * k1[1]});
    const auto k3 = rates(t + h / 2, {x[0] + h / 2 * k2[0], x[1] + h / 2 * k2[1]});
    const auto k4 = rates(t + h, {x[0] + h * k3[0], x[1] + h * k3[1]});
    for (std::size_t i = 0; i < 2; ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
}

/// Zeros with their signs, infinities, NaN and large angles mean the same in every language. All come from z, which is 0.
TEST_P(EmitRunSlow, SpecialValuesMeanTheSame) {
  Graph graph;
  std::vector<NamedExpr> outputs{{"z'", graph.number(0, 1)}};
  const std::string minus_zero = "(-z)", infinity = "(-log(z))", nan = "(sqrt(-1 - z))";
  const auto substituted = [&](std::string text) {
    for (const auto& [letter, value] : {std::pair{'M', minus_zero}, {'I', infinity}, {'N', nan}})
      for (std::size_t at; (at = text.find(letter)) != std::string::npos;) text.replace(at, 1, value);
    return text;
  };
  for (const char* text : {"M",
                           "I",
                           "N",
                           "-I",
                           "1/M",
                           "abs(M)",
                           "abs(-I)",
                           "abs(N)",
                           "sign(M)",
                           "sign(-I)",
                           "sign(N)",
                           "min(N, 1)",
                           "min(1, N)",
                           "max(N, 1)",
                           "max(1, N)",
                           "min(I, 1)",
                           "max(-I, 1)",
                           "min(-I, N)",
                           "floor(N)",
                           "floor(-I)",
                           "floor(M)",
                           "mod(I, 2)",
                           "mod(3, z)",
                           "mod(3, I)",
                           "mod(-3, z + 2)",
                           "mod(5.5, z - 2)",
                           "mod(N, 2)",
                           "select(N, 1, 2)",
                           "select(N < 1, 1, 2)",
                           "select(1 <= N, 1, 2)",
                           "select(M, 1, 2)",
                           "select(M == 0, N, 2)",
                           "select(z < 1, 1, N)",
                           "N < 1",
                           "I <= I + 1",
                           "I == N",
                           "atan2(M, z - 1)",
                           "atan2(z, z - 1)",
                           "atan2(M, z + 1)",
                           "atan2(I, -I)",
                           "atan2(-I, z)",
                           "sqrt(M)",
                           "sqrt(I)",
                           "exp(-I)",
                           "exp(I)",
                           "exp(z - 740)",
                           "log(z)",
                           "log(I)",
                           "log(z - 1)",
                           "tanh(-I)",
                           "sinh(-I)",
                           "cosh(-I)",
                           "atan(-I)",
                           "sin(I)",
                           "cos(N)",
                           "sin(M)",
                           "cos(M)",
                           "sin(z + 1e22)",
                           "cos(z + 1e22)",
                           "tan(z + 1e5)",
                           "asin(z + 2)",
                           "acos(z - 2)",
                           "root(z - 8, 3)",
                           "root(I, 3)",
                           "I - I*z",
                           "N*z",
                           "tan(M)",
                           "asin(M)",
                           "tanh(M)"})
    outputs.push_back({text, parse(graph, substituted(text))});
  LowerOptions options;
  options.strict = true;
  const ExportModel model{.program = lower("special", outputs, {{}, {}, {"z"}}, options),
                          .parameters = {},
                          .inputs = {},
                          .state = {0},
                          .time = std::nullopt,
                          .start = 0,
                          .duration = 1,
                          .step = 1,
                          .print_every = 1,
                          .description = ""};
  const test::ScratchFolder folder("special");
  (void)emit_export(model, GetParam(), folder.path());
  const test::CsvTable table = test::run_for_table(folder.path(), test::command_for(GetParam(), "special", false));
  ASSERT_EQ(table.rows.size(), 2U);
  const std::vector<double> expected = interpret(model.program, {{}, {}, {0}});
  ASSERT_EQ(table.rows[0].size(), 1 + expected.size());
  for (std::size_t i = 1; i < expected.size(); ++i) {
    const double got = table.rows[0][1 + i];
    if (std::isnan(expected[i]) || std::isinf(expected[i]))
      EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(got) : got == expected[i])
          << outputs[i].name << " = " << got << " instead of " << expected[i];
    else
      EXPECT_TRUE(std::fabs(got - expected[i]) <= 1e-13 * std::fabs(expected[i]) &&
                  std::signbit(got) == std::signbit(expected[i]))
          << outputs[i].name << " = " << got << " instead of " << expected[i];
  }
}

INSTANTIATE_TEST_SUITE_P(Languages, EmitRunSlow, ::testing::ValuesIn(test::languages_to_run()),
                         [](const auto& i) { return std::string(kane::info(i.param).name); });

}  // namespace
}  // namespace kane

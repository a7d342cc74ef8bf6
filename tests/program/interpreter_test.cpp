// The interpreter: each opcode by itself, stages, external functions.

#include "kane/program/interpreter.hpp"
#include "kane/expr/value.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kane/base/error.hpp"
#include "kane/program/check_program.hpp"
#include "kane/program/code.hpp"
#include "kane/program/sincos.hpp"
#include "tests/program/small_programs.hpp"

namespace kane {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double apply(Code code, double a, double b = 0, double c = 0) {
  Instruction i{code, 0, 0, 0};
  if (info(code).operands > 1) i.b = 1;
  if (info(code).operands > 2) i.c = 2;
  const Program p = test::hand_made(3, {}, {i});
  check_program(p);
  return test::run_state(p, {a, b, c});
}

struct Row {
  Code code;
  double a, b, c, result;
};

TEST(Interpreter, GivesTheValueOfEachOpcode) {
  // Values from tables, to full precision.
  const Row rows[] = {
      {Code::Neg, 2.5, 0, 0, -2.5},
      {Code::Add, 2.5, 1.25, 0, 3.75},
      {Code::Sub, 2.5, 1.25, 0, 1.25},
      {Code::Mul, 2.5, 1.25, 0, 3.125},
      {Code::Div, 2.5, 1.25, 0, 2},
      {Code::Sqrt, 2.25, 0, 0, 1.5},
      {Code::Sin, 0.5, 0, 0, 0.479425538604203},
      {Code::Cos, 0.5, 0, 0, 0.8775825618903728},
      {Code::Tan, 0.5, 0, 0, 0.5463024898437905},
      {Code::Asin, 0.5, 0, 0, 0.5235987755982989},
      {Code::Acos, 0.5, 0, 0, 1.0471975511965979},
      {Code::Atan, 0.5, 0, 0, 0.4636476090008061},
      {Code::Atan2, 1, -1, 0, 2.356194490192345},
      {Code::Sinh, 0.5, 0, 0, 0.5210953054937474},
      {Code::Cosh, 0.5, 0, 0, 1.1276259652063807},
      {Code::Tanh, 0.5, 0, 0, 0.46211715726000973},
      {Code::Exp, 0.5, 0, 0, 1.6487212707001282},
      {Code::Log, 0.5, 0, 0, -0.6931471805599453},
      {Code::Abs, -3, 0, 0, 3},
      {Code::Sign, -3, 0, 0, -1},
      {Code::Sign, 3, 0, 0, 1},
      {Code::Sign, 0, 0, 0, 0},
      {Code::Min, 3, -2, 0, -2},
      {Code::Max, 3, -2, 0, 3},
      {Code::Floor, -2.5, 0, 0, -3},
      {Code::Less, 1, 2, 0, 1},
      {Code::Less, 2, 2, 0, 0},
      {Code::LessEqual, 2, 2, 0, 1},
      {Code::LessEqual, 3, 2, 0, 0},
      {Code::Equal, 2, 2, 0, 1},
      {Code::Equal, 2, 3, 0, 0},
      {Code::Select, 1, 5, 6, 5},
      {Code::Select, -0.0, 5, 6, 6},
      {Code::Fma, 2, 3, 4, 10},
      {Code::Fms, 2, 3, 4, 2},
      {Code::Fnma, 2, 3, 4, -2},
      {Code::Fnms, 2, 3, 4, -10},
  };
  for (const Row& r : rows)
    EXPECT_NEAR(apply(r.code, r.a, r.b, r.c), r.result, 1e-15 * std::fabs(r.result)) << info(r.code).name;
}

TEST(Interpreter, ModuloHasTheSignOfTheDivisor) {
  EXPECT_EQ(apply(Code::Mod, 7, 3), 1);
  EXPECT_EQ(apply(Code::Mod, -7, 3), 2);
  EXPECT_EQ(apply(Code::Mod, 7, -3), -2);
  EXPECT_EQ(apply(Code::Mod, -7, -3), -1);
  EXPECT_EQ(apply(Code::Mod, 6, 3), 0);
  // Exact where a - b floor(a/b) would be lost in rounding.
  EXPECT_EQ(apply(Code::Mod, 1e17, 3), std::fmod(1e17, 3));
  EXPECT_TRUE(std::isnan(apply(Code::Mod, 1, 0)));
}

TEST(Interpreter, RootIndexIsNoValue) {
  const Program p = test::hand_made(1, {}, {{Code::Root, 0, 5, 0}});
  EXPECT_NEAR(test::run_state(p, {32}), 2, 1e-15);
  EXPECT_TRUE(std::isnan(test::run_state(p, {-32})));
}

TEST(Interpreter, NotANumberDoesNotVanish) {
  for (const Code code : {Code::Min, Code::Max, Code::Mod, Code::Add, Code::Atan2}) {
    EXPECT_TRUE(std::isnan(apply(code, kNaN, 1))) << info(code).name;
    EXPECT_TRUE(std::isnan(apply(code, 1, kNaN))) << info(code).name;
  }
  for (const Code code : {Code::Sign, Code::Abs, Code::Floor, Code::Sin, Code::Cos})
    EXPECT_TRUE(std::isnan(apply(code, kNaN))) << info(code).name;
  for (const Code code : {Code::Less, Code::LessEqual, Code::Equal}) EXPECT_EQ(apply(code, kNaN, kNaN), 0);
  EXPECT_EQ(apply(Code::Select, kNaN, 5, 6), 5);
  EXPECT_TRUE(std::isnan(apply(Code::Sin, kInf)));
}

TEST(Interpreter, MeansWhatTheOperatorTableSays) {
  const std::pair<Op, Code> codes[] = {
      {Op::Min, Code::Min},     {Op::Max, Code::Max},     {Op::Mod, Code::Mod},
      {Op::Less, Code::Less},   {Op::Equal, Code::Equal}, {Op::LessEqual, Code::LessEqual},
      {Op::Atan2, Code::Atan2}, {Op::Sign, Code::Sign},   {Op::Abs, Code::Abs},
      {Op::Floor, Code::Floor}, {Op::Sqrt, Code::Sqrt},   {Op::Select, Code::Select}};
  const double numbers[] = {kNaN, kInf, -kInf, 0.0, -0.0, 1.0, -2.5, 7.0, 1e17, 3e-310};
  for (const auto& [op, code] : codes)
    for (const double a : numbers)
      for (const double b : numbers) {
        const double operands[] = {a, b, 4.0};
        const double table = op_value<double>(op, operands, 0), run = apply(code, a, b, 4.0);
        EXPECT_TRUE(table == run || (std::isnan(table) && std::isnan(run)))
            << info(code).name << " of " << a << ", " << b << ": " << table << " and " << run;
        EXPECT_TRUE(std::isnan(table) || std::signbit(table) == std::signbit(run)) << info(code).name << a << b;
      }
}

TEST(Interpreter, FusedOperationsRoundOnce) {
  const double x = 1 + std::ldexp(1.0, -30);
  const double square_less_one = std::ldexp(1.0, -29) + std::ldexp(1.0, -60);  // exactly x^2 - 1
  EXPECT_EQ(apply(Code::Fms, x, x, 1), square_less_one);
  EXPECT_EQ(apply(Code::Fma, x, x, -1), square_less_one);
  EXPECT_EQ(apply(Code::Fnma, x, x, 1), -square_less_one);
  EXPECT_EQ(apply(Code::Fnms, x, x, -1), -square_less_one);
}

TEST(Interpreter, SineAndCosineSideBySideAreThoseApart) {
  const Program p = test::hand_made(1, {}, {{Code::Sin, 0}, {Code::Cos, 0}, {Code::Sub, 1, 2}});
  for (const double x : {0.3, -2.0, 1e6, 1e22}) {
    const SinCos expected = sincos(x);
    EXPECT_EQ(test::run_state(p, {x}), expected.sin - expected.cos);
  }
}

double next_value(const double*, void* counter) { return ++*static_cast<double*>(counter); }

TEST(Interpreter, RunsEachStageOnlyWhenItMust) {
  // One call in each stage; the sum of all three is the output.
  Program p;
  p.name = "stages";
  p.inputs = {{"p", Stage::Parameters}, {"t", Stage::Inputs}, {"q", Stage::State}};
  p.input_count = {1, 1, 1};
  p.functions = {{"first", 1}, {"second", 1}, {"third", 1}};
  p.call_arguments = {0, 1, 2};
  p.instructions = {{Code::Call, 0, 0}, {Code::Call, 1, 1}, {Code::Call, 2, 2}};
  p.stage_end = {1, 2, 3};
  p.outputs = {{"a", 3}, {"b", 4}, {"c", 5}};
  check_program(p);
  double counts[3] = {0, 0, 0};
  Interpreter run(std::make_shared<Program>(p),
                  {{next_value, &counts[0]}, {next_value, &counts[1]}, {next_value, &counts[2]}});
  const double start = counts[0];
  const double one = 1;
  double out[3];
  run.set_parameters({&one, 1});
  run.set_inputs({&one, 1});
  run.evaluate({&one, 1}, out);
  run.evaluate({&one, 1}, out);
  EXPECT_EQ(counts[0], start + 1);
  EXPECT_EQ(counts[1], 1);
  EXPECT_EQ(counts[2], 2);
  EXPECT_EQ(out[2], 2);
  run.set_inputs({&one, 1});
  run.evaluate({&one, 1}, out);
  EXPECT_EQ(counts[1], 2);
  run.set_parameters({&one, 1});  // later stages may depend on it
  run.evaluate({&one, 1}, out);
  EXPECT_EQ(counts[0], start + 2);
  EXPECT_EQ(counts[1], 3);
  EXPECT_EQ(counts[2], 4);
}

TEST(Interpreter, RefusesMissingFunctionsAndWrongLengths) {
  Program p = test::hand_made(1, {}, {{Code::Call, 0, 0}});
  p.functions = {{"motor_torque", 1}};
  p.call_arguments = {0};
  check_program(p);
  try {
    (void)bind_functions(p, std::vector<NamedFunction>{{"motor_torqe", 1, {next_value, nullptr}}});
    FAIL();
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("'motor_torque'"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("did you mean 'motor_torqe'"), std::string::npos);
  }
  EXPECT_THROW((void)bind_functions(p, std::vector<NamedFunction>{{"motor_torque", 2, {next_value, nullptr}}}),
               ModelError);
  EXPECT_THROW(Interpreter(std::make_shared<Program>(p)), ModelError);
  Interpreter run(std::make_shared<Program>(test::hand_made(2, {}, {{Code::Add, 0, 1}})));
  const double x[3] = {1, 2, 3};
  double y[2];
  EXPECT_THROW(run.evaluate({x, 3}, {y, 1}), InternalError);
  EXPECT_THROW(run.evaluate({x, 2}, {y, 2}), InternalError);
}

}  // namespace
}  // namespace kane
